/* linalg/dot.h — sums of products in eight partial sums, for kernels compiled with CAP_CLONES.
 *
 * A sum in one variable may not be vectorised (its order would change); eight partial sums, added in a fixed
 * order at the end, give the same bytes on every machine and are as fast as the registers allow.
 */
#pragma once
#include "base/clones.h"

typedef double capm_dot_eight __attribute__((vector_size(64), aligned(8), may_alias));

/* a . b over n values. */
CAP_INLINE double capm_dot(int n, const double *a, const double *b)
{
  capm_dot_eight sum = {0}, other = {0};
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    sum += *(const capm_dot_eight *)(a + i) * *(const capm_dot_eight *)(b + i);
    other += *(const capm_dot_eight *)(a + i + 8) * *(const capm_dot_eight *)(b + i + 8);
  }
  sum += other;
  double rest = 0.0;
  for (; i < n; i++) rest += a[i] * b[i];
  return (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))) + rest;
}

/* y -= f x over n values. */
CAP_INLINE void capm_dot_subtract(int n, double f, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) y[i] -= f * x[i];
}
