/* support/dormand_prince.h — the pair of Dormand and Prince with error control, apart from the library's: for
 * tests that integrate by another way what the library integrates by its own. */
#pragma once
#include <math.h>
#include <string.h>

enum { TEST_DORMAND_PRINCE_STATES = 8 };

typedef void (*test_slope)(const void *of, double t, const double *x, double *f);

/* From 0 to `end` with first step h; errors of a step are at most tolerance times scale (NULL: 1). Its tries;
 * -1: more than `most`. */
static inline int test_dormand_prince(test_slope slope, const void *of, int n, double end, double h,
                                      const double *scale, double tolerance, int most, double *x)
{
  static const double c[] = {0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1, 1};
  static const double A[7][6] = {
      {0},
      {0.2},
      {3.0 / 40.0, 9.0 / 40.0},
      {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
      {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
      {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
      {35.0 / 384.0, 0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
  static const double e[] = {71.0 / 57600.0, 0,          -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0,
                             22.0 / 525.0,   -1.0 / 40.0};
  int tries = 0;
  for (double t = 0.0; t < end; tries++) {
    if (tries >= most) return -1;
    double f[7][TEST_DORMAND_PRINCE_STATES], at[TEST_DORMAND_PRINCE_STATES] = {0}, error = 0.0;
    h = fmin(h, end - t);
    for (int s = 0; s < 7; s++) {
      for (int i = 0; i < n; i++) {
        at[i] = x[i];
        for (int j = 0; j < s; j++) at[i] += h * A[s][j] * f[j][i];
      }
      slope(of, t + c[s] * h, at, f[s]);
    }
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int s = 0; s < 7; s++) sum += e[s] * f[s][i];
      error = fmax(error, fabs(h * sum) / (tolerance * (scale ? scale[i] : 1.0)));
    }
    if (error <= 1.0) {
      t += h;
      memcpy(x, at, (size_t)n * sizeof *x); /* the last stage is the new point */
    }
    h *= fmin(4.0, fmax(0.2, 0.9 * pow(error + 1e-30, -0.2)));
  }
  return tries;
}
