/* elements/ring_gauge.h — what a ring shows of its points: places, tension, curvature, stress; no force.
 *
 * Works on the ring of any model through ring.h. Costs only where outputs are wanted.
 */
#pragma once
#include "elements/ring.h"

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
/* Channel <name>.tension, the mean of evenly spread places; as details their <name>.tension.<k>,
 * <name>.bending.<k> and <name>.stress.<k>, k = 0, 1, ... in the order of travel. False: out of memory. */
bool cap_ring_gauge_places(cap_builder *b, const cap_ring *ring, int places);
/* As details the places of evenly spread points, from which pictures are drawn: node.<k>.x, node.<k>.y and,
 * where the ring stretches, segment.<k>.tension. */
void cap_ring_gauge_points(cap_builder *b, const cap_ring *ring, bool stretches, int points);
