/* drives/pushbelt/ring/ring_layout.c — see ring_layout.h. */
#include "drives/pushbelt/ring/ring_layout.h"

#include <math.h>

/* With the mean radius m: r = m (1 +- theta), sin alpha = 2 m theta/d, and
 * length = 2 d cos alpha + 2 pi m + 4 alpha m theta, whose slope over m is 2 pi + 4 alpha theta. */
cap_ring_layout cap_ring_layout_of(double length, double d, double theta)
{
  double m = (length - 2.0 * d) / (2.0 * M_PI), alpha = 0.0;
  for (int k = 0; k < 60 && d > 0.0; k++) {
    alpha = asin(2.0 * m * theta / d);
    double miss = 2.0 * d * cos(alpha) + 2.0 * M_PI * m + 4.0 * alpha * m * theta - length;
    m -= miss / (2.0 * M_PI + 4.0 * alpha * theta);
    if (fabs(miss) < 1e-15 * length) break;
  }
  return (cap_ring_layout){m * (1.0 + theta), m * (1.0 - theta), alpha, d * cos(alpha)};
}

/* A point of an arc about (x, 0), `way` m clockwise behind the radius at the angle `from`. */
static double on_arc(double x, double radius, double from, double way, double r[2], double *angle)
{
  double at = from - way / radius;
  r[0] = x + radius * cos(at);
  r[1] = radius * sin(at);
  *angle = at - M_PI_2;
  return 1.0 / radius;
}

/* Place and tangent; returns the curvature. */
static double on_curve(const cap_ring_layout *l, double d, double xi, double r[2], double *angle)
{
  double arc_s = l->r_s * (M_PI_2 - l->alpha), arc_p = l->r_p * (M_PI + 2.0 * l->alpha);
  double top = M_PI_2 + l->alpha; /* direction of the radius to the upper strand */
  if (xi < arc_s) return on_arc(0.0, l->r_s, M_PI, xi, r, angle);
  xi -= arc_s;
  if (xi < l->strand) {
    r[0] = l->r_s * cos(top) + xi * cos(l->alpha);
    r[1] = l->r_s * sin(top) + xi * sin(l->alpha);
    *angle = l->alpha;
    return 0.0;
  }
  xi -= l->strand;
  if (xi < arc_p) return on_arc(d, l->r_p, top, xi, r, angle);
  xi -= arc_p;
  if (xi < l->strand) {
    r[0] = d + l->r_p * cos(-top) - xi * cos(l->alpha);
    r[1] = l->r_p * sin(-top) + xi * sin(l->alpha);
    *angle = -M_PI - l->alpha;
    return 0.0;
  }
  return on_arc(0.0, l->r_s, -top, xi - l->strand, r, angle);
}

void cap_ring_layout_at(const cap_ring_shape *s, double xi, cap_ring_layout_point *p)
{
  cap_ring_layout l = cap_ring_layout_of(s->length, s->centre_distance, s->theta);
  double curvature = on_curve(&l, s->centre_distance, xi, p->r, &p->angle);
  p->v[0] = s->speed * cos(p->angle);
  p->v[1] = s->speed * sin(p->angle);
  p->turn = -s->speed * curvature;
}

void cap_ring_layout_spread(cap_ring_shape *s, double stretch, int n, const double *place,
                            cap_ring_layout_measure measure, double *at)
{
  enum { ROUNDS = 30, INNER = 20 };
  at[0] = 0.0;
  for (int round = 0; round < ROUNDS; round++) {
    cap_ring_layout_point from, to;
    cap_ring_layout_at(s, 0.0, &from);
    for (int k = 0; k < n; k++, from = to) {
      double l = place[k + 1] - place[k], step = stretch * l;
      at[k + 1] = at[k];
      for (int i = 0; i < INNER && fabs(step) > 1e-15 * s->length; i++) {
        at[k + 1] += step;
        cap_ring_layout_at(s, at[k + 1], &to);
        step = stretch * l - measure(&from, &to, l, stretch);
      }
    }
    double miss = at[n] - s->length;
    s->length += miss;
    if (fabs(miss) < 1e-14 * s->length) break;
  }
}

cap_ring_fault cap_ring_layout_obstacle(const cap_ring_shape *s)
{
  if (s->nodes < 4) return (cap_ring_fault){"expected at least 4 nodes", "nodes", 0.0};
  if (s->curvature == CAP_RING_DOCUMENT)
    return (cap_ring_fault){"requires the ring model ale; expected exact, got document", "curvature", 0.0};
  if (s->lock_deformation || s->lock_theta || s->lock_travel)
    return (cap_ring_fault){"requires a ring model with a reference curve; expected ale or ale0, or no locks",
                            "lock", 0.0};
  if (s->theta_speed != 0.0)
    return (cap_ring_fault){"requires a ring model with a ratio; expected 0 1/s, or the model ale or ale0",
                            "theta_speed", 0.0};
  return (cap_ring_fault){0};
}
