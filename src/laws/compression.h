/* laws/compression.h — the force of a compressed element of steel, eq. (2.36), and how it scales.
 *
 * Maths: docs/theory.md §40.1. xi = g / t_loc is the penetration over the mean thickness of the two
 * neighbours:
 *   F = 0 (xi < 0),   a (exp(k xi) - 1) (0 <= xi < xi0),   c xi + d (xi >= xi0)
 *   a = c exp(-k xi0) / k,   d = c/k - a - c xi0,          so that F and F' are continuous at xi0.
 * Written through x = max(xi, 0), xe = min(x, xi0) and e = (c/k) exp(k (xe - xi0)) <= c/k:
 *   F = e - a + c (x - xe),   F' = k e,   W = (e - a)/k - a xe + (x - xe) (F(xi0) + c (x - xe)/2)
 * so that nothing overflows and no branch is needed: the functions vectorise (laws/pow.h). F' at xi = 0 is
 * that of the closed side.
 *
 * Scaling, eqs. (2.27) to (2.30): one of N_E simulated elements stands for iota = N_E0/N_E real ones. Its
 * thickness and mass are iota times as large, and so are the stiffnesses of contacts whose cross section
 * grows with the thickness (flank, saddle, ear). Between elements the thickness is the length that is
 * compressed: 1/iota, which xi = g / t_loc does by itself.
 */
#pragma once
#include "laws/pow.h"
#include <math.h>

typedef struct capm_compression {
  double c, xi0, k; /* N, 1, 1 */
  double a;         /* N */
  double ka;        /* N: k a, the slope at 0 */
  double per_k;     /* 1/k */
} capm_compression;

/* exp(k x), x <= 0, held above 2^-1020. */
static inline double capm_compression_exp(double k, double x)
{
  const double ln2_inverse = 1.4426950408889634, least = -1020.0, power = ln2_inverse * k * x;
  return capm_pow_exp2_within(power > least ? power : least);
}

/* c > 0, xi0 >= 0, k > 0. */
static inline capm_compression capm_compression_of(double c, double xi0, double k)
{
  const double ka = c * capm_compression_exp(k, 0.0 - xi0);
  return (capm_compression){c, xi0, k, ka / k, ka, 1.0 / k};
}

typedef struct capm_compression_value {
  double force, slope; /* N, N: F and dF/dxi */
} capm_compression_value;

static inline capm_compression_value capm_compression_at(const capm_compression *p, double xi)
{
  const double x = xi > 0.0 ? xi : 0.0, xe = x < p->xi0 ? x : p->xi0;
  const double ke = p->c * capm_compression_exp(p->k, xe - p->xi0); /* k e */
  const double force = (ke - p->ka) * p->per_k + p->c * (x - xe);
  return (capm_compression_value){force, xi >= 0.0 ? ke : 0.0};
}

/* d2F/dxi2, N. */
static inline double capm_compression_curvature(const capm_compression *p, double xi, double slope)
{
  return xi >= 0.0 && xi < p->xi0 ? p->k * slope : 0.0;
}

/* d of (2.36): where the linear part would meet xi = 0, N. */
static inline double capm_compression_intercept(const capm_compression *p)
{
  return p->c / p->k - p->a - p->c * p->xi0;
}

/* Integral of F over xi, N; times t_loc the stored energy. */
static inline double capm_compression_energy(const capm_compression *p, double xi)
{
  const double x = fmax(xi, 0.0), xe = fmin(x, p->xi0), more = x - xe;
  const double force = p->a * expm1(p->k * xe);
  return force / p->k - p->a * xe + more * (force + 0.5 * p->c * more);
}

/* iota of (2.27). */
static inline double capm_compression_iota(int real, int simulated)
{
  return (double)real / (double)simulated;
}
