/* drives/pushbelt/variator/variator_start.h — where a variator starts: an estimate of its stationary point,
 * (2.3.1).
 *
 * Maths:   docs/theory.md §48.
 *
 * From the loads of a cap_variator (speed, ratio, torque, clamping): forces in strands and rings, stretch of
 * the ring, radii, deflections of elements, flanks and sheaves, places and velocities of all elements. It
 * asks the kinematics of the flanks (drives/pushbelt/contact/flank.h) where they touch, so that any contour
 * of the sheaves will do. Nothing here depends on how the variator is built afterwards.
 *
 * The belt lies on two arcs and two strands, the curve of a ring (drives/pushbelt/ring/ring_layout.h).
 * Because the sheaves open most in the middle of an arc, arcs are circles about points that lie a little
 * nearer to each other than the axes of the pulleys. The frame is that of the ring: the middle of the
 * primary's arc is the origin, and the axes of the pulleys are where `axis` says.
 *
 * Element 0 is the first of the lower strand; pitch falls from element to element, by 2 pi less one step over
 * all.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include "drives/pushbelt/description/variator.h"

/* The belt on the arc of one pulley. */
typedef struct cap_variator_start_arc {
  double axis;              /* m, x of the pulley's axis; y is 0 */
  double centre;            /* m, x of the arc's middle: 0, or ring_distance */
  double wrap;              /* rad */
  double ring, edge, flank; /* m, radii of the arc: ring's centre line, rocking edges, centres of flanks */
  double mean;              /* m, mean distance of the ring's centre line from the pulley's axis */
  double mean_edge;         /* m, the same of the rocking edges */
  double clamping;          /* N: F_P or F_S, as estimated */
  double elements;          /* number of real ones on the arc */
  double saddle_depth;      /* m, of the saddles in the ring */
  double flank_depth;       /* m, normal to the flank, (2.45) */
  double deflection;        /* m, mean of both sheaves together */
  double gap;          /* m, normal, of undeformed flanks in the middle of the arc's course: < 0 presses */
  double touch_radius; /* m, of a flank's point of contact that just touches while the closing is 0 */
  double touch_place;  /* m, of the flank's centre along the sheave's axis; of a cone from its tip */
  double speed;        /* rad/s, clockwise */
} cap_variator_start_arc;

typedef struct cap_variator_state {
  cap_variator_start_arc arc[CAP_VARIATOR_PULLEYS];
  double net_us, net_ls;         /* N: tension less push in the strands */
  double tension_us, tension_ls; /* N: F_Tu, F_Tl */
  double push_us, push_ls;       /* N: F_Pu, F_Pl */
  double prestress; /* N: part of tensions and pushes because the elements leave the ring no room */
  double active;    /* rad: part of both arcs, at their ends, where the belt slides */
  bool slips;       /* the clamping cannot carry the torque: forces are those of macro slip */
  double strain;    /* mean of the ring, (2.44) as corrected */
  double ring_length, ring_distance, ring_theta, ring_speed; /* of a cap_ring_shape: m, m, 1, m/s */
  double strand, slope;  /* m, length of a strand; rad, of the upper strand towards the secondary */
  double speed;          /* m/s of the rocking edges */
  double edge_length;    /* m, of the line of the rocking edges */
  double endplay;        /* m, sum of the gaps between the elements */
  int n;                 /* elements */
  double *x, *y, *pitch; /* [n] m, m, rad */
  double *vx, *vy, *w;   /* [n] m/s, m/s, rad/s */
  double *place;         /* [n] m along the line of the rocking edges, from the start of the lower strand */
  double *section;       /* [n] CAP_VARIATOR_IN_* */
} cap_variator_state;

/* Arrays from the arena. CAP_ERR_INPUT: there is no such belt, with the reason in `error`. */
cap_status cap_variator_start(const cap_variator *v, cap_arena *arena, cap_variator_state *out,
                              cap_error *error);
