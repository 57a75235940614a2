/* drives/pushbelt/description/variator.h — the constant description of a pushbelt variator: belt, two
 * pulleys, their loads.
 *
 * Maths:   docs/theory.md §43.
 *
 * Everything lies in one plane. The primary pulley's axis is the origin, the secondary's is at
 * (centre_distance, 0). The belt travels clockwise: around the primary (PRI), along the upper strand (US) to
 * the secondary (SEC), and back along the lower strand (LS). Element k is followed, in front of it, by
 * k + 1, the last by the first. An element has its origin in its centre of gravity, in the middle of its
 * thickness; t = (cos pitch, sin pitch) points forward along the belt, n = (-sin pitch, cos pitch) outward.
 * Heights below are along n from the centre of gravity. Rotations of the pulleys are counted clockwise, so
 * that positive speeds carry the belt forward; a closing is how far the loose sheave has come nearer to the
 * fixed one since the start.
 *
 * Coordinates of the elements stand in three arrays: x of all elements, then y of all, then pitch of all.
 *
 * One of `simulated` elements stands for iota = real / simulated real ones, (2.27). All figures here are
 * those of real elements; whoever builds scales them by iota, and thicknesses by (3.1) as corrected.
 *
 * Analyses of variators find this by cap_variator_of.
 */
#pragma once
#include "drives/pushbelt/contact/influence.h"
#include "drives/pushbelt/ring/ring.h"
#include "laws/compression.h"
#include "laws/friction.h"
#include "model/subject.h"
#include <stdbool.h>
#include <stdint.h>

enum { CAP_VARIATOR_PRI, CAP_VARIATOR_SEC, CAP_VARIATOR_PULLEYS };
/* Sections of the belt in the order of travel; those with an even number are the arcs of the pulleys. */
enum {
  CAP_VARIATOR_IN_PRI,
  CAP_VARIATOR_IN_US,
  CAP_VARIATOR_IN_SEC,
  CAP_VARIATOR_IN_LS,
  CAP_VARIATOR_SECTIONS
};
enum { CAP_VARIATOR_LOOSE, CAP_VARIATOR_FIXED, CAP_VARIATOR_SHEAVES };
enum { CAP_VARIATOR_SHAPE_ORDER = 5 };

/* Law (2.36) of one place of contact between elements. */
typedef struct cap_variator_press {
  double c, xi0, k; /* N, 1, 1 */
} cap_variator_press;

/* A real element. */
typedef struct cap_variator_element {
  double thickness, head_thickness;      /* m, at the rocking edge and at the head */
  double edge, flank, saddle, ear, head; /* m, heights; the flank's is that of its point of contact */
  double pin, pin_length;                /* m, height and length of the pin on its front */
  double edge_radius, edge_turn;         /* m, rad: arc of the rocking edge, and where the chamfer begins */
  /* m: of the flank where it presses, along the belt and along the generatrix; for its drilling torque */
  double patch_length, patch_breadth;
  double mass, inertia; /* kg, kg m2 about the axial direction */
} cap_variator_element;

typedef struct cap_variator_contacts {
  cap_variator_press edge, head;
  double press_damping;  /* s: damper over stiffness of the elements' contact */
  double press_friction; /* mu between elements */
  double pin_clearance;  /* m: how far a pin may move off the middle of its hole */
  double pin_stiffness;  /* N/m of a real pin in its hole; 0: there are no pins */
  /* Stiffness of the bristles of friction over that along the normal; 0: as usual (1, 1, 0.385). */
  double flank_shear, saddle_shear, press_shear;
  double flank_stiffness; /* N/m, c_ax: of one flank of a real element */
  double flank_damping;   /* s: damper over stiffness */
  capm_friction flank_friction;
  int flank_points;                       /* 1, or 2: front and rear */
  bool flank_whole;                       /* of 2: they deform as one, the deeper carries all; else halves */
  bool flank_coupled;                     /* (2.35): one force for both flanks; else (2.34) */
  double saddle_stiffness, ear_stiffness; /* N/m of a real element */
  double saddle_damping;                  /* s: damper over stiffness */
  capm_friction ring_friction;
  bool flank_held, ring_held; /* friction without bristles: set-valued, held over a step */
  bool saddle_held;           /* saddle and ear without springs, likewise; with ring_held */
} cap_variator_contacts;

typedef struct cap_variator_pulley {
  double inertia;                             /* kg m2, both sheaves */
  double loose_mass, loose_damping;           /* kg, N s/m */
  cap_influence sheave[CAP_VARIATOR_SHEAVES]; /* all zero: rigid */
  bool curved;                                /* contour r(x) of (2.31) in place of a cone */
  double shape[CAP_VARIATOR_SHAPE_ORDER + 1], shape_low, shape_high; /* m^(1 - i); m */
  double flank_radius;   /* m, of the sphere that an element's flank is; 0 = a point */
  double radius;         /* m: of a flank's point of contact that just touches the unloaded sheaves while the
                          * closing is 0 */
  double x, y;           /* m, axis */
  int rotation, closing; /* coordinates, or -1 */
} cap_variator_pulley;

/* How a variator starts, docs/theory.md §48: with stretched rings and flanks that press (2.3.1); the same
 * with open flanks; or with rings as long as they are without load, and open flanks, as older models did. */
typedef enum cap_variator_begin {
  CAP_VARIATOR_BEGIN_NEW,
  CAP_VARIATOR_BEGIN_PRESTRESS,
  CAP_VARIATOR_BEGIN_PRIOR
} cap_variator_begin;

/* What acts at the start, for whatever needs a guess or a stationary point. */
typedef struct cap_variator_loads {
  double speed;    /* rad/s of the primary */
  double ratio;    /* i_g at the ring's line, r_S / r_P */
  double torque;   /* N m on the secondary, M_S: negative brakes */
  double clamping; /* N, F_S */
} cap_variator_loads;

typedef struct cap_variator {
  int simulated, real;           /* N_E, N_E0 */
  double iota;                   /* (2.27) */
  double edge_correction;        /* m per element, nu_corr of (3.1); 0 = none */
  bool stacked;                  /* joints of simulated elements are iota real ones, docs/theory.md §43.3 */
  const double *thickness;       /* [simulated] m of each at the rocking edge, scaled; or NULL: all alike */
  double centre_distance, wedge; /* m; rad, half the wedge angle */
  double inner, outer;           /* m, radii of the sheaves */
  cap_variator_element element;
  cap_variator_contacts contact;
  cap_ring_section ring;
  double ring_length;    /* m: free length of the centre line, L0 */
  double ring_thickness; /* m, of a pack */
  cap_variator_pulley pulley[CAP_VARIATOR_PULLEYS];
  cap_variator_loads load;
  cap_variator_begin begin;
  double phase;             /* of element 0 at the start, in spaces between elements, 0 to 1 */
  double disturbance;       /* m, of the places of the elements at the start, either way in x and y */
  uint64_t disturbances;    /* seed of what is drawn for it */
  cap_variator_loads begun; /* with which radii and places of the start were found */
  cap_ring_shape laid;      /* the ring as it lies at the start, about the middle of the primary's arc */
  int x, y, pitch;          /* first coordinates of the three arrays, or -1 */
} cap_variator;

extern const cap_subject_type cap_variator_subject; /* variator/variator_subject.c */

/* The variator that a model is; NULL: it is none. */
const cap_variator *cap_variator_of(const cap_model *m);
