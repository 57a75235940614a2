/* linalg/dot.h — sums of products in eight partial sums, for kernels compiled with CAP_CLONES.
 *
 * A sum in one variable may not be vectorised (its order would change); eight partial sums, added in a fixed
 * order at the end, give the same bytes on every machine and are as fast as the registers allow.
 */
#pragma once
#include "base/clones.h"

typedef double capm_dot_eight __attribute__((vector_size(64), aligned(8), may_alias));

/* Sum of the eight, always in the same order. */
CAP_INLINE double capm_dot_sum(const capm_dot_eight *sum)
{
  const capm_dot_eight s = *sum;
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

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
  return capm_dot_sum(&sum) + rest;
}

/* a . b_k of four rows b_k, `step` doubles from one to the next. */
CAP_INLINE void capm_dot_four(int n, const double *a, const double *b, int step, double to[4])
{
  const double *b1 = b + step, *b2 = b1 + step, *b3 = b2 + step;
  capm_dot_eight s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  double r0 = 0.0, r1 = 0.0, r2 = 0.0, r3 = 0.0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const capm_dot_eight x = *(const capm_dot_eight *)(a + i);
    s0 += x * *(const capm_dot_eight *)(b + i);
    s1 += x * *(const capm_dot_eight *)(b1 + i);
    s2 += x * *(const capm_dot_eight *)(b2 + i);
    s3 += x * *(const capm_dot_eight *)(b3 + i);
  }
  for (; i < n; i++) {
    r0 += a[i] * b[i];
    r1 += a[i] * b1[i];
    r2 += a[i] * b2[i];
    r3 += a[i] * b3[i];
  }
  to[0] = capm_dot_sum(&s0) + r0;
  to[1] = capm_dot_sum(&s1) + r1;
  to[2] = capm_dot_sum(&s2) + r2;
  to[3] = capm_dot_sum(&s3) + r3;
}

/* y -= f x over n values. */
CAP_INLINE void capm_dot_subtract(int n, double f, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) y[i] -= f * x[i];
}
