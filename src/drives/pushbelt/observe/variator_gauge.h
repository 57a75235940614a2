/* drives/pushbelt/observe/variator_gauge.h — what a variator shows as a whole; one element without forces.
 *
 * Maths: docs/theory.md §43.6. Reads, in this order, the batches of groove, push chain and ring guide; works
 * only where outputs are wanted. Its body is the cap_variator. Forces in strands are means over their middle
 * parts.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "model/model.h"

enum {
  CAP_VARIATOR_GAUGE_THRUST, /* N, of both pulleys: sums of the axial forces on one sheave */
  CAP_VARIATOR_GAUGE_TORQUE = CAP_VARIATOR_GAUGE_THRUST + CAP_VARIATOR_PULLEYS, /* N m, of the belt on them */
  CAP_VARIATOR_GAUGE_RADIUS = CAP_VARIATOR_GAUGE_TORQUE + CAP_VARIATOR_PULLEYS, /* m, mean of the flanks */
  CAP_VARIATOR_GAUGE_TOUCHING = CAP_VARIATOR_GAUGE_RADIUS + CAP_VARIATOR_PULLEYS, /* real elements */
  CAP_VARIATOR_GAUGE_SLIP = CAP_VARIATOR_GAUGE_TOUCHING +
                            CAP_VARIATOR_PULLEYS, /* mean sliding forward over the speed of the sheave */
  CAP_VARIATOR_GAUGE_PUSH = CAP_VARIATOR_GAUGE_SLIP + CAP_VARIATOR_PULLEYS, /* N, upper and lower strand */
  CAP_VARIATOR_GAUGE_TENSION = CAP_VARIATOR_GAUGE_PUSH + 2,                 /* N */
  CAP_VARIATOR_GAUGE_HEAD = CAP_VARIATOR_GAUGE_TENSION + 2, /* share of the heads in the push there */
  CAP_VARIATOR_GAUGE_ENDPLAY = CAP_VARIATOR_GAUGE_HEAD + 2, /* m: sum of gaps less penetrations: edge, head */
  CAP_VARIATOR_GAUGE_OPEN = CAP_VARIATOR_GAUGE_ENDPLAY + 2, /* m: operational, of the gaps alone */
  CAP_VARIATOR_GAUGE_SPEED_RATIO = CAP_VARIATOR_GAUGE_OPEN + 2, /* i_s */
  CAP_VARIATOR_GAUGE_THRUST_RATIO,                              /* i_F */
  CAP_VARIATOR_GAUGE_BELT_SPEED, /* m/s, mean of the elements along themselves */
  CAP_VARIATOR_GAUGE_CARRIED,    /* N m: by the forces of the strands at the primary */
  CAP_VARIATOR_GAUGE_RING_SLIDE, /* m/s of the arcs: root of the mean square of elements over the ring */
  CAP_VARIATOR_GAUGE_RING_STUCK = CAP_VARIATOR_GAUGE_RING_SLIDE + CAP_VARIATOR_PULLEYS, /* share that does not
                                                                                           slide there */
  CAP_VARIATOR_GAUGE_FLANK_STUCK = CAP_VARIATOR_GAUGE_RING_STUCK +
                                   CAP_VARIATOR_PULLEYS,                            /* the same of flanks */
  CAP_VARIATOR_GAUGE_DEPTH = CAP_VARIATOR_GAUGE_FLANK_STUCK + CAP_VARIATOR_PULLEYS, /* m, deepest saddle */
  CAP_VARIATOR_GAUGE_NOUTPUT
};
extern const cap_element_type cap_variator_gauge_type;

/* Adds it; returns its handle. The batches that it reads have been described. */
int cap_variator_gauge_add(cap_builder *b, const cap_variator *v);
