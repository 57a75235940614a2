/* tests/support/sample.h — test functions of sensitivity analysis at drawn points. Include after cmocka.h. */
#pragma once
#include "study/draw.h"

#include <math.h>
#include <stdlib.h>

/* Uniform in 0..1, a pure function of its arguments. */
static inline double sample_uniform(uint64_t seed, uint64_t i, uint64_t k)
{
  return capm_draw_unit(capm_draw_bits(seed, i, k));
}

/* Normal, by Box and Muller. */
static inline double sample_normal(uint64_t seed, uint64_t i, uint64_t k)
{
  const double u = sample_uniform(seed, i, 2 * k), v = sample_uniform(seed, i, 2 * k + 1);
  return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

/* Ishigami and Homma, a = 7, b = 0.1, of u in 0..1. */
static inline double sample_ishigami(const double *u)
{
  double x[3];
  for (int k = 0; k < 3; k++) x[k] = M_PI * (2.0 * u[k] - 1.0);
  return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static inline void sample_ishigami_exact(double first[3], double total[3])
{
  const double a = 7.0, b = 0.1, p4 = pow(M_PI, 4), p8 = p4 * p4;
  const double v1 = 0.5 * (1.0 + b * p4 / 5.0) * (1.0 + b * p4 / 5.0), v2 = a * a / 8.0;
  const double v13 = b * b * p8 * (1.0 / 18.0 - 1.0 / 50.0), v = v1 + v2 + v13;
  first[0] = v1 / v, first[1] = v2 / v, first[2] = 0.0;
  total[0] = (v1 + v13) / v, total[1] = v2 / v, total[2] = v13 / v;
}

/* Sobol's g: the product of (|4 u - 2| + a)/(1 + a). */
static inline double sample_g(int n, const double *a, const double *u)
{
  double g = 1.0;
  for (int k = 0; k < n; k++) g *= (fabs(4.0 * u[k] - 2.0) + a[k]) / (1.0 + a[k]);
  return g;
}

static inline void sample_g_exact(int n, const double *a, double *first, double *total)
{
  double all = 1.0;
  for (int k = 0; k < n; k++) all *= 1.0 + 1.0 / (3.0 * (1.0 + a[k]) * (1.0 + a[k]));
  for (int k = 0; k < n; k++) {
    const double v = 1.0 / (3.0 * (1.0 + a[k]) * (1.0 + a[k]));
    first[k] = v / (all - 1.0);
    total[k] = v * all / (1.0 + v) / (all - 1.0);
  }
}
