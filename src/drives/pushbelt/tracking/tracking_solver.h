/* drives/pushbelt/tracking/tracking_solver.h — pressure between a flat ring and a crowned saddle, and the
 * tracking force that follows.
 *
 * Maths:   docs/theory.md §39:   D w'''' + (E h/R^2)(w - mean w) + T/(L R) = p,   0 <= p  _|_  w - s >= 0
 *          w'' = w''' = 0 at both edges;   (2.38)-(2.41) of the thesis
 * The ring is a finite beam on an elastic foundation, whose answer to a line load is known in closed form:
 * with line loads at equally spaced nodes the gaps there are g = C f + a - s, where C depends on neither
 * position nor tension and a is how far the ring without tension lies above the crest. One linear
 * complementarity problem (linalg/lcp.h) for each a, warm from the one before; a is found from the tension or
 * the normal force.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include "drives/pushbelt/tracking/tracking_table.h"

typedef struct cap_tracking cap_tracking;

/* Where the ring lies and what comes of it. */
typedef struct cap_tracking_point {
  double place;      /* m, z0: of its middle from the crest of the saddle */
  double tension;    /* N, T: of the layer */
  double normal;     /* N, F_n */
  double tangential; /* N, F_t: on the ring, in the direction of z0 */
  double begin, end; /* m: first and last node in contact, from the crest; NAN: none */
  double peak;       /* Pa: largest pressure: of a node, over its part of the width */
  /* The answer, checked: */
  double complementarity; /* largest |p g| over the largest p and the largest g */
  double penetration;     /* largest -g over the largest g */
  int solutions;          /* complementarity problems that it took */
  int iterations;         /* and their iterations */
} cap_tracking_point;

/* CAP_ERR_NOMEM; CAP_ERR_INPUT: the ring is so thick or so narrow, or so soft and wide, that the closed form
 * loses its digits (its width is below 0.1 or above 200 of the lengths (4 D R^2/(E h))^(1/4) over which it
 * bends). */
cap_status cap_tracking_solver_create(const capm_tracking_ring *ring, int intervals, cap_tracking **t,
                                      cap_error *error);
/* Who may stop the calls that follow (CAP_STOPPED); NULL = no one. */
void cap_tracking_solver_listen(cap_tracking *t, const cap_progress *progress);
void cap_tracking_solver_free(cap_tracking *t); /* accepts NULL */

/* The ring at z0 under the tension T >= 0, or under the tension that gives F_n >= 0. CAP_ERR_INPUT: no node
 * of the ring lies above the saddle, or the saddle has no height there (|z| >= R_S); CAP_ERR_NUMERICS. */
cap_status cap_tracking_solver_at_tension(cap_tracking *t, double place, double tension,
                                          cap_tracking_point *point, cap_error *error);
cap_status cap_tracking_solver_at_force(cap_tracking *t, double place, double normal,
                                        cap_tracking_point *point, cap_error *error);

/* Of the last call: nodes, their places from the crest (m), pressures (Pa), gaps (m; beside the saddle: to
 * its continuation). */
int cap_tracking_solver_nodes(const cap_tracking *t);
void cap_tracking_solver_profile(const cap_tracking *t, double *place, double *pressure, double *gap);
