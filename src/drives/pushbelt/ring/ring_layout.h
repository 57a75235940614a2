/* drives/pushbelt/ring/ring_layout.h — where the points of a ring of material nodes (rcm, ancf) are at the
 * start.
 *
 * Maths: docs/theory.md §34 (the reference curve), §35.5: two arcs and two strands of the given length, or a
 * circle. xi as in ring.h.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"

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

/* Length of an element between two points, as it sees it, when its undeformed length is l and all are
 * stretched by `stretch`. */
typedef double (*cap_ring_layout_measure)(const cap_ring_layout_point *a, const cap_ring_layout_point *b,
                                          double l, double stretch);
/* Where along the shape, at[n + 1] from 0 to its length, the nodes with the material coordinates place[n + 1]
 * lie so that all elements between them are stretched by `stretch`. The length of the shape is changed to
 * that of the curve that has room for just them, by some 1e-7. Spread evenly, elements that lie half on an
 * arc and half on a strand would be stretched far more than bending ever does, and ring at once. */
void cap_ring_layout_spread(cap_ring_shape *shape, double stretch, int n, const double *place,
                            cap_ring_layout_measure measure, double *at);

/* Faults of the shape of a closed ring of material nodes. */
cap_ring_fault cap_ring_layout_obstacle(const cap_ring_shape *s);
