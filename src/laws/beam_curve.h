/* laws/beam_curve.h — points of the curved centre line of the beam of laws/beam.h, and how its ends move them.
 *
 * Maths: docs/theory.md §35.2. At the share z of its length the beam lies beside its chord d, by the cubic
 * with the end slopes th1, th2:
 *     r = r1 + z d + eta d_,   eta = h1 th1 + h2 th2,   h1 = z (1 - z)^2,   h2 = -z^2 (1 - z),   d_ = (-dy, dx)
 * Its tangent d + eta' d_ stands at the angle a + atan(eta'). The six coordinates are x1, y1, phi1, x2, y2,
 * phi2.
 */
#pragma once
#include "laws/angle.h"

enum { CAPM_BEAM_CURVE_COORDS = 6 };

typedef struct capm_beam_curve {
  double z, h1, h2;         /* share of the length; the cubics */
  double dx, dy;            /* m, chord */
  double per2;              /* 1/chord^2 */
  double th1, th2;          /* rad */
  double eta, slope, bend;  /* eta and its first two derivatives to z */
  double x, y;              /* m, place */
  double cosine, sine;      /* of the tangent's angle */
  double length;            /* m: |dr/dz| */
} capm_beam_curve;

static inline void capm_beam_curve_at(const double *first, const double *second, double z, capm_beam_curve *c)
{
  const double rest = 1.0 - z;
  c->z = z;
  c->h1 = z * rest * rest;
  c->h2 = -z * z * rest;
  c->dx = second[0] - first[0];
  c->dy = second[1] - first[1];
  const double square = c->dx * c->dx + c->dy * c->dy, angle = capm_angle_of(c->dy, c->dx);
  c->per2 = 1.0 / square;
  c->th1 = capm_angle_wrap(first[2] - angle);
  c->th2 = capm_angle_wrap(second[2] - angle);
  c->eta = c->h1 * c->th1 + c->h2 * c->th2;
  c->slope = rest * (1.0 - 3.0 * z) * c->th1 + z * (3.0 * z - 2.0) * c->th2;
  c->bend = (6.0 * z - 4.0) * c->th1 + (6.0 * z - 2.0) * c->th2;
  c->x = first[0] + z * c->dx - c->eta * c->dy;
  c->y = first[1] + z * c->dy + c->eta * c->dx;
  const double tx = c->dx - c->slope * c->dy, ty = c->dy + c->slope * c->dx;
  c->length = sqrt(square * (1.0 + c->slope * c->slope));
  c->cosine = tx / c->length;
  c->sine = ty / c->length;
}

/* J: how the coordinates move the place; turn: how they turn the tangent. */
static inline void capm_beam_curve_rows(const capm_beam_curve *c, double J[2][CAPM_BEAM_CURVE_COORDS],
                                        double turn[CAPM_BEAM_CURVE_COORDS])
{
  const double ax = -c->dy * c->per2, ay = c->dx * c->per2; /* of the chord's angle, to the second node */
  const double both = c->h1 + c->h2, z = c->z, rest = 1.0 - z;
  const double px = -both * ax, py = -both * ay; /* of eta */
  J[0][3] = z - px * c->dy;
  J[1][3] = px * c->dx + c->eta;
  J[0][4] = -py * c->dy - c->eta;
  J[1][4] = z + py * c->dx;
  J[0][0] = 1.0 - J[0][3];
  J[1][0] = -J[1][3];
  J[0][1] = -J[0][4];
  J[1][1] = 1.0 - J[1][4];
  J[0][2] = -c->h1 * c->dy;
  J[1][2] = c->h1 * c->dx;
  J[0][5] = -c->h2 * c->dy;
  J[1][5] = c->h2 * c->dx;
  const double g1 = rest * (1.0 - 3.0 * z), g2 = z * (3.0 * z - 2.0), per = 1.0 / (1.0 + c->slope * c->slope);
  const double own = 1.0 - (g1 + g2) * per; /* of the chord's angle */
  turn[3] = own * ax;
  turn[4] = own * ay;
  turn[0] = -turn[3];
  turn[1] = -turn[4];
  turn[2] = g1 * per;
  turn[5] = g2 * per;
}

/* Changes of the rows J along dq, six values. */
static inline void capm_beam_curve_turn(const capm_beam_curve *c, const double dq[CAPM_BEAM_CURVE_COORDS],
                                        double dJ[2][CAPM_BEAM_CURVE_COORDS])
{
  const double ux = dq[3] - dq[0], uy = dq[4] - dq[1];
  const double ax = -c->dy * c->per2, ay = c->dx * c->per2, both = c->h1 + c->h2;
  const double angle = ax * ux + ay * uy, shrink = -2.0 * (c->dx * ux + c->dy * uy) * c->per2;
  const double eta = c->h1 * (dq[2] - angle) + c->h2 * (dq[5] - angle);
  const double px = -both * ax, py = -both * ay;
  const double dpx = both * uy * c->per2 + px * shrink, dpy = -both * ux * c->per2 + py * shrink;
  dJ[0][3] = -dpx * c->dy - px * uy;
  dJ[1][3] = dpx * c->dx + px * ux + eta;
  dJ[0][4] = -dpy * c->dy - py * uy - eta;
  dJ[1][4] = dpy * c->dx + py * ux;
  dJ[0][0] = -dJ[0][3];
  dJ[1][0] = -dJ[1][3];
  dJ[0][1] = -dJ[0][4];
  dJ[1][1] = -dJ[1][4];
  dJ[0][2] = -c->h1 * uy;
  dJ[1][2] = c->h1 * ux;
  dJ[0][5] = -c->h2 * uy;
  dJ[1][5] = c->h2 * ux;
}
