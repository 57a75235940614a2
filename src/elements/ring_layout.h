/* elements/ring_layout.h — where the points of a ring of material nodes (rcm, ancf) are at the start.
 *
 * Maths: docs/theory.md §34 (the reference curve): two arcs and two strands of the given length, or a circle.
 * xi as in ring.h.
 */
#pragma once
#include "elements/ring.h"

typedef struct cap_ring_layout {
  double r_p, r_s, alpha; /* m, radii of the arcs; rad, slope of the upper strand towards the primary */
  double strand;          /* m */
} cap_ring_layout;

typedef struct cap_ring_layout_point {
  double r[2], angle; /* m; rad of the tangent, falling on along the ring */
  double v[2], turn;  /* m/s, rad/s: travelling at the speed of the start */
} cap_ring_layout_point;

/* The curve of length `length` with the ratio theta. Not finite: there is none. */
cap_ring_layout cap_ring_layout_of(double length, double centre_distance, double theta);
/* The point of the shape at its start, xi in [0, shape->length]. */
void cap_ring_layout_at(const cap_ring_shape *shape, double xi, cap_ring_layout_point *point);
