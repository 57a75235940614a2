/* A model of rings as one adds one: it travels and does nothing else. All but the locked ratio is ale0's. */
#include "drives/pushbelt/ring/ring.h"

static cap_ring_fault obstacle(const cap_ring_shape *shape)
{
  if (shape->lock_travel) return (cap_ring_fault){"no motion is left", "lock", 0.0};
  return cap_ring_ale0_type.obstacle(shape);
}

static cap_ring *build(cap_builder *b, const cap_ring_shape *shape)
{
  cap_ring_shape stiff = *shape;
  stiff.lock_theta = true;
  cap_ring *ring = cap_ring_ale0_type.build(b, &stiff);
  if (ring) ring->type = &cap_ring_toy_type;
  return ring;
}

static void point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *point)
{
  cap_ring_ale0_type.point_at(ring, q, xi, point);
}

static void place_at(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  cap_ring_ale0_type.place_at(ring, q, xi, r, r1, r2);
}

static void vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride, double dr[2],
                 double dJ[2][CAP_RING_COORDS])
{
  cap_ring_ale0_type.vary(ring, q, xi, dq, stride, dr, dJ);
}

const cap_ring_type cap_ring_toy_type = {
    .name = "toy",
    .flows = true,
    .no_rows = "it is a toy",
    .obstacle = obstacle,
    .build = build,
    .point_at = point_at,
    .place_at = place_at,
    .vary = vary,
};
