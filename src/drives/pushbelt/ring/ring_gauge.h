/* drives/pushbelt/ring/ring_gauge.h — what a ring shows of its points: places, tension, curvature, stress;
 * no force.
 *
 * Works on the ring of any model through ring.h. Costs only where outputs are wanted.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"

enum { CAP_RING_GAUGE_XI, CAP_RING_GAUGE_NPARAM }; /* m, in [0, length) */
enum {
  CAP_RING_GAUGE_X, /* m */
  CAP_RING_GAUGE_Y,
  CAP_RING_GAUGE_TENSION,   /* N; of a ring that does not stretch: not a number */
  CAP_RING_GAUGE_CURVATURE, /* 1/m */
  CAP_RING_GAUGE_STRESS,    /* N/m2 in the outer fibre of each layer */
  CAP_RING_GAUGE_NOUTPUT
};
extern const cap_element_type cap_ring_gauge_type;

/* The element at xi of a ring (its body), and its handle. */
int cap_ring_gauge_add(cap_builder *b, const cap_ring *ring, double xi);
/* Points from which the picture of a ring is drawn. */
static inline int cap_ring_gauge_points(const cap_ring_shape *shape)
{
  return shape->nodes > 40 ? shape->nodes : 40;
}

/* Channels <name>.<k>.tension, .curvature, .bending, .stress of `places` points spread evenly, k = 1, 2, ...
 * in the order of travel; <name>.tension, the mean of `points` ones; and as details the points themselves,
 * from which pictures are drawn: node.<k>.x, node.<k>.y, segment.<k>.tension. Tensions only where it
 * `stretches`. False: out of memory. */
bool cap_ring_gauge_channels(cap_builder *b, const cap_ring *ring, bool stretches, int places, int points);
