/* drives/pushbelt/contact/groove_part.h — what the files of the groove share; not for others.
 *
 * An evaluation works off one pulley after the other: the elements near it are put together in short arrays
 * (groove.c), placed and pressed by the potential (groove_press.c), rubbed (groove_rub.c), and what came of
 * it is given back. A contact is a point of an element; those of the rear points stand behind all front ones.
 */
#pragma once
#include "drives/pushbelt/contact/flank.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/maxwell.h"
#include "drives/pushbelt/impulses/held.h"
#include "laws/patch.h"

enum { CAP_GROOVE_MOST = 640, CAP_GROOVE_LANES = 8 }; /* contacts of a pulley whose sheaves are tables */

/* Inner states: bristles, three of each point (the third is the drilling's), then the section. */
enum { CAP_GROOVE_BRISTLES = 3, CAP_GROOVE_AT_SECTION = 6, CAP_GROOVE_NSTATE = 7 };

/* A pulley, constant. */
typedef struct cap_groove_pulley {
  const cap_variator_pulley *given;
  cap_maxwell sheaves;
  bool rigid, table;
  double sine, cosine; /* of half the wedge angle */
  double rho0, m0;     /* m: of the sphere's centre that touches while the closing is 0 */
  double radius;       /* m, of the sphere */
  double up;           /* m, height of its centre */
  double steep, flat;  /* largest and least |dr/dx| of the contour */
  cap_flank_curve curve;
} cap_groove_pulley;

/* Constant; the body of the batch's first element. */
typedef struct cap_groove {
  const cap_variator *v;
  int n, points; /* elements; points of one that count at a time */
  bool whole;    /* of a front and a rear point the one that is deeper counts */
  bool coupled;
  bool held;        /* friction is set-valued: in the place of bristles stand its forces, then velocities */
  double half;      /* m: from the middle to the points */
  double stiffness; /* N/m, of one flank at one point */
  double damping;   /* s */
  double shear;     /* N/m: bristles of both flanks at one point */
  capm_patch patch; /* of a point: along the belt, along the generatrix */
  double gyration;  /* m: drilling times it is the third direction of friction; 0: no drilling */
  double fastest;   /* rad/s */
  cap_groove_pulley pulley[CAP_VARIATOR_PULLEYS];
} cap_groove;

cap_status cap_groove_build_make(cap_groove *g, const cap_variator *v, cap_error *error);
/* One pulley of it; g->v and g->coupled are there. */
cap_status cap_groove_build_pulley(cap_groove *g, int pulley, cap_error *error);
/* Along the axis, the centre of a sphere that touches the contour and has its centre rho from the axis. */
double cap_groove_offset_centre(const cap_flank_curve *c, double rho, double radius);

/* X-macros: arrays of the elements near a pulley, and of the contacts. */
#define CAP_GROOVE_OF_ELEMENTS(X) X(x) X(y) X(pitch) X(vx) X(vy) X(turn) X(fx) X(fy) X(moment)
#define CAP_GROOVE_OF_PLACES(X)   X(ex) X(ey) X(rho) X(reach) X(nx) X(nr) X(gap) X(ax) X(ay) X(bend) X(phi)
#define CAP_GROOVE_OF_PRESSURE(X) X(penetration) X(compliance) X(lambda) X(other)
#define CAP_GROOVE_OF_SLOPES(X)   X(along_r) X(along_phi) X(deflected)
#define CAP_GROOVE_OF_FRICTION(X) X(z0) X(z1) X(z2) X(f0) X(f1) X(f2) X(f3) X(g1) X(g2) X(limit)
#define CAP_GROOVE_OF_SUMS(X)     X(torque) X(closing)
#define CAP_GROOVE_OF_CONTACTS(X)                                                                            \
  CAP_GROOVE_OF_PLACES(X)                                                                                    \
  CAP_GROOVE_OF_PRESSURE(X) CAP_GROOVE_OF_SLOPES(X) CAP_GROOVE_OF_FRICTION(X) CAP_GROOVE_OF_SUMS(X)
#define CAP_GROOVE_ARRAY(name) double *name;
enum { CAP_GROOVE_ELEMENT_ARRAYS = 9, CAP_GROOVE_CONTACT_ARRAYS = 30 };

/* Consecutive elements. */
typedef struct cap_groove_run {
  int first, count;
} cap_groove_run;

/* One evaluation on one pulley. */
typedef struct cap_groove_pass {
  const cap_groove *g;
  const cap_groove_pulley *p;
  double omega, z, dz; /* rad/s counter-clockwise; m, m/s */
  double margin;       /* m: how far from touching an element may be and still counts */
  int nrun, n, m;      /* runs; elements near, filled up to whole vectors by some far away; contacts */
  cap_groove_run *runs;
  CAP_GROOVE_OF_ELEMENTS(CAP_GROOVE_ARRAY)
  CAP_GROOVE_OF_CONTACTS(CAP_GROOVE_ARRAY)
  double *solver; /* memory of maxwell.h */
  int most;       /* contacts for which it is made */
  double *warm;   /* where the solution starts, becomes where it ended */
  int iterations[2];
  double on_rotation, on_closing, lost[CAP_GROOVE_NLOSS]; /* sums: N m, N, J over the step */
} cap_groove_pass;

/* Doubles that a pass takes, and what of them the solver does. */
size_t cap_groove_room(const cap_groove *g);
int cap_groove_nwarm(const cap_groove *g); /* of both pulleys */
void cap_groove_lay(const cap_groove *g, double *block, cap_groove_pass *w);

/* Normal forces of the elements that are near: lambda (and `other`, of the fixed sheave, where flanks are
 * separate), slopes of the deflection times them. */
cap_status cap_groove_press(cap_groove_pass *w);
/* Energy of flanks and sheaves, J, after that. */
double cap_groove_press_energy(const cap_groove_pass *w);

/* What friction and dampers have. */
typedef struct cap_groove_rub {
  double k, per_k, d, keep; /* bristles: N/m, N s/m; exp(-k h/d) */
  double h, half;           /* s: the step, half of it */
  double damper;            /* N s/m, of one flank */
  capm_patch patch;
  double gyration;   /* m */
  double per_cosine; /* of half the wedge angle */
  double acts;       /* set-valued friction: 1, or 0 where a stepper finds it */
  capm_friction_lane mu;
  capm_friction_form form;
} cap_groove_rub;

cap_groove_rub cap_groove_rub_law(const cap_groove *g, double h);
/* Set-valued friction: the rows of the elements near the pulley;
 * and those of all others, which touch none. */
void cap_groove_held_rows(const cap_groove_pass *w, int pulley, cap_held *held);
void cap_groove_held_none(int n, cap_held *held);
/* Friction, all forces and their sums; what is shown of each contact only if it is wanted. */
void cap_groove_rub_all(const cap_groove_rub *law, cap_groove_pass *w, bool shown);
