/* laws/ancf.h — a planar strip by absolute nodal coordinates: what resists at one point of its centre line.
 *
 * Maths: docs/theory.md §35.3. With a = r', b = r'' (derivatives to the unstretched length) the point has
 *     stretch |a|,  strain e = |a| - 1,  curvature k = (a x b)/|a|^2 = d(angle of the tangent)/d(length)
 * and stores EA e^2/2 + EI (k - k0)^2/2 per unstretched length. So the tension is EA e whatever the shape,
 * and the moment EI (k - k0) is conjugate to the turn of the section: a hoop that widens without bending has
 * no more of it. Dampers act on the rates of e and k. Straight-line code: it vectorises over elements.
 */
#pragma once
#include <math.h>

typedef struct capm_ancf {
  double EA, EI;         /* N, N m2 */
  double axial, bending; /* N s, N m2 s: Kelvin-Voigt */
  double curvature;      /* 1/m of the unstrained strip, positive to the left of its travel */
} capm_ancf;

/* A vector of the plane: a or b, their rates, directions of derivatives, or the forces that go with them. */
typedef struct capm_ancf_vector {
  double x, y;
} capm_ancf_vector;

/* The half that stretches: at the points of one rule of quadrature. */
typedef struct capm_ancf_stretch {
  double per, tx, ty;        /* 1/|a|; unit tangent */
  double stretch, rate, run; /* |a|; its rate; of it: a' across the tangent, 1/s */
  double force;              /* N: tension */
} capm_ancf_stretch;

/* The half that bends: at the points of another. */
typedef struct capm_ancf_bend {
  double per2;           /* 1/|a|^2 */
  double curvature;      /* 1/m */
  double ax, ay, bx, by; /* slopes of the curvature to a and b */
  double rate;           /* of the curvature, 1/(m s) */
  double moment;         /* N m */
} capm_ancf_bend;

/* Force conjugate to a; `da` is its rate. */
static inline capm_ancf_vector capm_ancf_pull(const capm_ancf *p, capm_ancf_vector a, capm_ancf_vector da,
                                              capm_ancf_stretch *s)
{
  s->stretch = sqrt(a.x * a.x + a.y * a.y);
  s->per = 1.0 / s->stretch;
  s->tx = a.x * s->per;
  s->ty = a.y * s->per;
  s->rate = s->tx * da.x + s->ty * da.y;
  s->run = s->tx * da.y - s->ty * da.x;
  s->force = p->EA * (s->stretch - 1.0) + p->axial * s->rate;
  return (capm_ancf_vector){s->force * s->tx, s->force * s->ty};
}

/* Its change along (da, dv), v the rate of a. */
static inline capm_ancf_vector capm_ancf_pull_tangent(const capm_ancf *p, const capm_ancf_stretch *s,
                                                      capm_ancf_vector da, capm_ancf_vector dv)
{
  const double along = s->tx * da.x + s->ty * da.y;
  const double angle = (s->tx * da.y - s->ty * da.x) * s->per; /* by which the tangent turns */
  const double rate = s->tx * dv.x + s->ty * dv.y + angle * s->run;
  const double force = p->EA * along + p->axial * rate, across = s->force * angle;
  return (capm_ancf_vector){force * s->tx - across * s->ty, force * s->ty + across * s->tx};
}

/* Curvature and its slopes. */
static inline void capm_ancf_curve(capm_ancf_vector a, capm_ancf_vector b, capm_ancf_bend *s)
{
  s->per2 = 1.0 / (a.x * a.x + a.y * a.y);
  s->curvature = (a.x * b.y - a.y * b.x) * s->per2;
  const double twice = 2.0 * s->curvature;
  s->ax = (b.y - twice * a.x) * s->per2;
  s->ay = -(b.x + twice * a.y) * s->per2;
  s->bx = -a.y * s->per2;
  s->by = a.x * s->per2;
}

/* Moment, after capm_ancf_curve; the forces conjugate to a and b are it times the slopes. */
static inline void capm_ancf_moment(const capm_ancf *p, capm_ancf_vector da, capm_ancf_vector db,
                                    capm_ancf_bend *s)
{
  s->rate = s->ax * da.x + s->ay * da.y + s->bx * db.x + s->by * db.y;
  s->moment = p->EI * (s->curvature - p->curvature) + p->bending * s->rate;
}

/* Changes of the slopes along (da, db). */
typedef struct capm_ancf_slopes {
  double curvature, ax, ay, bx, by;
} capm_ancf_slopes;

static inline capm_ancf_slopes capm_ancf_curve_tangent(const capm_ancf_bend *s, capm_ancf_vector a,
                                                       capm_ancf_vector da, capm_ancf_vector db)
{
  capm_ancf_slopes d;
  d.curvature = s->ax * da.x + s->ay * da.y + s->bx * db.x + s->by * db.y;
  const double shrink = -2.0 * (a.x * da.x + a.y * da.y) * s->per2; /* of 1/|a|^2, relative */
  const double twice = 2.0 * s->curvature, change = 2.0 * d.curvature;
  d.ax = (db.y - twice * da.x - change * a.x) * s->per2 + s->ax * shrink;
  d.ay = -(db.x + twice * da.y + change * a.y) * s->per2 + s->ay * shrink;
  d.bx = -da.y * s->per2 + s->bx * shrink;
  d.by = da.x * s->per2 + s->by * shrink;
  return d;
}
