/* Fourier series and their samples: round trips, derivatives, products as matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hb/fourier.h"

#include <string.h>

enum { H = 6, N = 64, C = 2 * H + 1 };

static double series(const double *c, double theta)
{
  double sum = c[0];
  for (int h = 1; h <= H; h++) sum += c[2 * h - 1] * cos(h * theta) + c[2 * h] * sin(h * theta);
  return sum;
}

static void random_series(unsigned seed, double c[C])
{
  for (int i = 0; i < C; i++) {
    seed = seed * 1664525u + 1013904223u;
    c[i] = (double)seed / 4294967296.0 - 0.5;
  }
}

static void samples_and_back(void **state)
{
  (void)state;
  cap_arena arena = {0};
  capm_fourier f;
  double c[C], samples[N], back[C], d[C];
  assert_int_equal(capm_fourier_create(&arena, H, N, &f), CAP_OK);
  random_series(1, c);
  capm_fourier_synthesis(&f, c, samples);
  for (int n = 0; n < N; n++) assert_true(fabs(samples[n] - series(c, 2 * M_PI * n / N)) < 1e-14);
  capm_fourier_analysis(&f, samples, back);
  for (int i = 0; i < C; i++) assert_true(fabs(back[i] - c[i]) < 1e-15);
  capm_fourier_derivative(H, c, d);
  for (int n = 0; n < N; n++) {
    double theta = 0.1 * n, e = 1e-5, slope = (series(c, theta + e) - series(c, theta - e)) / (2 * e);
    assert_true(fabs(series(d, theta) - slope) < 1e-8);
  }
  cap_arena_free(&arena);
}

/* g u and g u' computed in time, against the matrices built from the sums of g. */
static void products(void **state)
{
  (void)state;
  cap_arena arena = {0};
  capm_fourier f;
  double g[N], sums[4 * H + 1], matrix[C * C] = {0}, rates[C * C] = {0}, c[C], d[C];
  assert_int_equal(capm_fourier_create(&arena, H, N, &f), CAP_OK);
  for (int n = 0; n < N; n++) g[n] = exp(sin(2 * M_PI * n / N) + 0.3 * cos(4 * M_PI * n / N)) + (n > 20);
  capm_fourier_sums(&f, f.nrow, g, sums);
  capm_fourier_multiply(&f, sums, 1.0, matrix);
  capm_fourier_multiply_derivative(&f, sums, 2.0, rates);
  random_series(2, c);
  capm_fourier_derivative(H, c, d);
  double u[N], v[N], by_u[C], by_v[C];
  capm_fourier_synthesis(&f, c, u);
  capm_fourier_synthesis(&f, d, v);
  for (int n = 0; n < N; n++) u[n] *= g[n], v[n] *= 2.0 * g[n];
  capm_fourier_analysis(&f, u, by_u);
  capm_fourier_analysis(&f, v, by_v);
  for (int i = 0; i < C; i++) {
    double to_u = 0.0, to_v = 0.0;
    for (int k = 0; k < C; k++) to_u += matrix[i * C + k] * c[k], to_v += rates[i * C + k] * c[k];
    assert_true(fabs(to_u - by_u[i]) < 1e-13);
    assert_true(fabs(to_v - by_v[i]) < 1e-12);
  }
  cap_arena_free(&arena);
}

/* A constant: no harmonics at all. */
static void mean_alone(void **state)
{
  (void)state;
  cap_arena arena = {0};
  capm_fourier f;
  double c = 3.0, back, samples[N], sums, matrix = 0.0;
  assert_int_equal(capm_fourier_create(&arena, 0, N, &f), CAP_OK);
  capm_fourier_synthesis(&f, &c, samples);
  capm_fourier_analysis(&f, samples, &back);
  assert_true(back == 3.0);
  capm_fourier_sums(&f, 1, samples, &sums);
  capm_fourier_multiply(&f, &sums, 1.0, &matrix);
  assert_true(matrix == 3.0);
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_and_back),
      cmocka_unit_test(products),
      cmocka_unit_test(mean_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
