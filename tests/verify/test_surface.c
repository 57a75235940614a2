/* Quadratic surfaces: exact ones are found again, errors at points left out are those of refits, terms that a
 * design does not tell apart are left out; fronts against all pairs and against a known one. docs/theory.md
 * §58, §59. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/sample.h"

#include "linalg/lsq.h"
#include "study/pareto.h"
#include "study/surface.h"

#include <string.h>

static const cap_sensitivity_given_kind numbers[4] = {
    CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER,
    CAP_SENSITIVITY_GIVEN_NUMBER};

static void draw(uint64_t seed, int n, int d, double *x)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < d; k++) x[k * n + i] = 1e3 + 1e-3 * sample_uniform(seed, (uint64_t)i, (uint64_t)k);
}

static void an_exact_quadratic_is_found_again(void **state)
{
  (void)state;
  enum { N = 30, D = 3 };
  double x[D * N], y[N], c[16], fitted[N], left_out[N];
  draw(1, N, D, x);
  cap_surface_design d;
  cap_surface s;
  assert_int_equal(cap_surface_design_init(&d, N, D, x, numbers, NULL), CAP_OK);
  assert_int_equal(d.nterm, 10);
  for (int i = 0; i < N; i++) {
    double z[D];
    for (int k = 0; k < D; k++) z[k] = (x[k * N + i] - d.centre[k]) / d.scale[k];
    y[i] = 3.0 - 2.0 * z[0] + 0.5 * z[1] * z[1] + 4.0 * z[0] * z[2];
  }
  assert_int_equal(cap_surface_fit(&d, y, &s, c, fitted, left_out, NULL), CAP_OK);
  assert_int_equal(s.kind, 2);
  const double exact[10] = {3.0, -2.0, 0.0, 0.0, 0.0,
                            0.5, 0.0,  0.0, 4.0, 0.0}; /* 1 a b c aa bb cc ab ac bc */
  for (int k = 0; k < 10; k++) assert_near(c[k], exact[k], 1e-12);
  assert_near(s.q2, 1.0, 1e-13);
  assert_near(s.rms_left_out, 0.0, 1e-12);
  cap_surface_design_free(&d);
}

/* Leave one point out, fit the rest by singular values, predict it. */
static void errors_at_points_left_out_are_those_of_refits(void **state)
{
  (void)state;
  enum { N = 24, D = 2, P = 6 };
  double x[D * N], y[N], c[P], fitted[N], left_out[N], press = 0.0, all = 0.0, mean = 0.0;
  draw(2, N, D, x);
  cap_surface_design d;
  cap_surface s;
  assert_int_equal(cap_surface_design_init(&d, N, D, x, numbers, NULL), CAP_OK);
  double rows[N][P];
  for (int i = 0; i < N; i++) {
    const double a = (x[i] - d.centre[0]) / d.scale[0], b = (x[N + i] - d.centre[1]) / d.scale[1];
    const double row[P] = {1.0, a, b, a * a, b * b, a * b};
    memcpy(rows[i], row, sizeof row);
    y[i] = 10.0 + a - 2.0 * a * b + 0.3 * sample_normal(3, (uint64_t)i, 0);
    mean += y[i] / N;
  }
  assert_int_equal(cap_surface_fit(&d, y, &s, c, fitted, left_out, NULL), CAP_OK);
  assert_int_equal(s.nterm, P);
  for (int i = 0; i < N; i++) {
    double a[N - 1][P], b[N - 1], beta[P], guess = 0.0;
    for (int k = 0, at = 0; k < N; k++)
      if (k != i) memcpy(a[at], rows[k], sizeof rows[k]), b[at++] = y[k];
    assert_int_equal(capm_lsq_least_norm(N - 1, P, a[0], b, 0.0, 0, beta, NULL), CAP_OK);
    for (int k = 0; k < P; k++) guess += beta[k] * rows[i][k];
    assert_near(left_out[i], guess, 1e-11);
    press += (y[i] - guess) * (y[i] - guess);
    all += (y[i] - mean) * (y[i] - mean);
  }
  assert_near(s.q2, 1.0 - press / all, 1e-12);
  assert_near(s.rms_left_out, sqrt(press / N), 1e-12);
  assert_true(s.q2 < s.r2 && s.rms < s.rms_left_out);
  cap_surface_design_free(&d);
}

/* Two values of a factor do not show its square; nor do as many points as terms show anything. */
static void terms_that_the_points_do_not_tell(void **state)
{
  (void)state;
  enum { N = 12 };
  double x[2 * N], y[N], c[6], fitted[N], left_out[N];
  cap_surface_design d;
  cap_surface s;
  for (int i = 0; i < N; i++) {
    x[i] = i % 2 ? 7.0 : 5.0;
    x[N + i] = i / 2;
    y[i] = x[i] * x[N + i];
  }
  assert_int_equal(cap_surface_design_init(&d, N, 2, x, numbers, NULL), CAP_OK);
  const int kept[5] = {0, 1, 2, 4, 5};
  assert_int_equal(d.nterm, 5);
  assert_memory_equal(d.terms, kept, sizeof kept);
  assert_int_equal(cap_surface_fit(&d, y, &s, c, fitted, left_out, NULL), CAP_OK);
  assert_near(s.q2, 1.0, 1e-13);
  cap_surface_design_free(&d);
  for (int n = 0; n <= 6; n++) { /* fewer points: a smaller surface, or none */
    double few[12];
    draw(3, n, 2, few);
    for (int i = 0; i < n; i++) y[i] = few[i] + few[n + i];
    assert_int_equal(cap_surface_design_init(&d, n, 2, few, numbers, NULL), CAP_OK);
    assert_int_equal(cap_surface_fit(&d, y, &s, c, fitted, left_out, NULL), CAP_OK);
    assert_true(n < 4 ? s.kind == -1 && isnan(s.q2) : s.kind == 0 || (n == 6 && s.kind == 1));
    cap_surface_design_free(&d);
  }
}

/* Noise that has nothing to do with the factors: many terms predict worse than few, and Q2 says so. */
static void noise_is_not_fitted(void **state)
{
  (void)state;
  enum { N = 20, D = 4 };
  double x[D * N], y[N], c[15], fitted[N], left_out[N];
  cap_surface_design d;
  cap_surface s;
  draw(4, N, D, x);
  for (int i = 0; i < N; i++) y[i] = sample_normal(5, (uint64_t)i, 0);
  assert_int_equal(cap_surface_design_init(&d, N, D, x, numbers, NULL), CAP_OK);
  assert_int_equal(cap_surface_fit(&d, y, &s, c, fitted, left_out, NULL), CAP_OK);
  assert_int_equal(s.kind, 0);
  assert_true(s.q2 < 0.1 && s.r2 > s.q2);
  cap_surface_design_free(&d);
}

static void fronts_are_those_of_all_pairs(void **state)
{
  (void)state;
  enum { N = 300 };
  static double f[3 * N];
  static unsigned char front[N];
  for (int trial = 0; trial < 12; trial++)
    for (int d = 1; d <= 3; d++) {
      const double values = trial % 3 == 0 ? 4.0 : trial % 3 == 1 ? 20.0 : 1e9; /* many ties, some, none */
      for (int i = 0; i < N * d; i++)
        f[i] = floor(values * sample_uniform((uint64_t)trial, (uint64_t)i, (uint64_t)d));
      f[5 * d] = NAN;
      f[6 * d + d - 1] = -INFINITY;
      assert_int_equal(cap_pareto_front(N, d, f, front, NULL), CAP_OK);
      for (int i = 0; i < N; i++) {
        bool beaten = i == 5 || i == 6;
        for (int k = 0; k < N && !beaten; k++) {
          bool no_larger = k != 5 && k != 6, smaller = false;
          for (int o = 0; o < d; o++) {
            no_larger = no_larger && f[k * d + o] <= f[i * d + o];
            smaller = smaller || f[k * d + o] < f[i * d + o];
          }
          beaten = no_larger && smaller;
        }
        assert_int_equal(front[i], !beaten);
      }
    }
}

/* ZDT1: f1 = x0, f2 = g (1 - sqrt(f1/g)), g = 1 + 9 mean of the others, which are zero on the front. */
static void the_front_of_zdt1(void **state)
{
  (void)state;
  enum { N = 2000 };
  static double f[2 * N];
  static unsigned char front[N];
  for (int i = 0; i < N; i++) { /* pairs of equal f1, one of them on the front */
    const double g = i % 2 == 0 ? 1.0 : 1.0 + 9.0 * sample_uniform(1, (uint64_t)i, 1);
    f[2 * i] = sample_uniform(1, (uint64_t)(i / 2), 0);
    f[2 * i + 1] = g * (1.0 - sqrt(f[2 * i] / g));
  }
  assert_int_equal(cap_pareto_front(N, 2, f, front, NULL), CAP_OK);
  for (int i = 0; i < N; i++) assert_int_equal(front[i], i % 2 == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_exact_quadratic_is_found_again),
      cmocka_unit_test(errors_at_points_left_out_are_those_of_refits),
      cmocka_unit_test(terms_that_the_points_do_not_tell),
      cmocka_unit_test(noise_is_not_fitted),
      cmocka_unit_test(fronts_are_those_of_all_pairs),
      cmocka_unit_test(the_front_of_zdt1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
