/* laws/hermite.h — the cubic between two points with given derivatives, and its derivatives.
 *
 * At the share z of the length l:  r = w0 r1 + w1 g1 + w2 r2 + w3 g2,  g = dr/dxi at the ends, xi = z l.
 */
#pragma once

typedef struct capm_hermite {
  double value[4], first[4], second[4]; /* weights of r, dr/dxi, d2r/dxi2 */
} capm_hermite;

static inline void capm_hermite_at(double z, double l, capm_hermite *w)
{
  const double rest = 1.0 - z, per = 1.0 / l, per2 = per * per;
  w->value[0] = rest * rest * (1.0 + 2.0 * z);
  w->value[1] = l * z * rest * rest;
  w->value[2] = z * z * (3.0 - 2.0 * z);
  w->value[3] = -l * z * z * rest;
  w->first[0] = -6.0 * z * rest * per;
  w->first[1] = rest * (1.0 - 3.0 * z);
  w->first[2] = 6.0 * z * rest * per;
  w->first[3] = z * (3.0 * z - 2.0);
  w->second[0] = (12.0 * z - 6.0) * per2;
  w->second[1] = (6.0 * z - 4.0) * per;
  w->second[2] = (6.0 - 12.0 * z) * per2;
  w->second[3] = (6.0 * z - 2.0) * per;
}

/* One component of the sum: `first` and `second` are the ends' (r, g). */
static inline double capm_hermite_sum(const double w[4], double r1, double g1, double r2, double g2)
{
  return w[0] * r1 + w[1] * g1 + w[2] * r2 + w[3] * g2;
}
