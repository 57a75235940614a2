/* Splines: cubics are reproduced with both derivatives, the error is of fourth order, bad samples are
 * refused. */
#include "linalg/spline.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void close_to(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.12g, expected %.12g within %g", found, expected, tolerance);
}

static void spline_reproduces_cubics(void **state)
{
  (void)state;
  double t[20], x[20], slopes[20];
  for (int i = 0; i < 20; i++)
    t[i] = i + 0.3 * sin(3.0 * i), x[i] = 1.0 + t[i] * (2.0 - t[i] * (0.3 - 0.02 * t[i]));
  assert_int_equal(capm_spline_slopes(20, t, x, slopes), CAP_OK);
  for (double at = t[0]; at < t[19]; at += 0.037) {
    double slope, curvature;
    close_to(capm_spline_at(20, t, x, slopes, at, &slope, &curvature),
             1.0 + at * (2.0 - at * (0.3 - 0.02 * at)), 1e-11);
    close_to(slope, 2.0 - at * (0.6 - 0.06 * at), 1e-11);
    close_to(curvature, -0.6 + 0.12 * at, 1e-10);
  }
  double few[3] = {0.0, 1.0, 3.0}, square[3] = {0.0, 1.0, 9.0};
  assert_int_equal(capm_spline_slopes(3, few, square, slopes), CAP_OK);
  close_to(capm_spline_at(3, few, square, slopes, 2.0, NULL, NULL), 4.0, 1e-12);
}

static void spline_converges(void **state)
{
  (void)state;
  double errors[2];
  for (int level = 0; level < 2; level++) {
    const int n = 40 << level;
    double t[80], x[80], slopes[80];
    for (int i = 0; i < n; i++) t[i] = 6.0 * i / (n - 1), x[i] = sin(t[i]);
    assert_int_equal(capm_spline_slopes(n, t, x, slopes), CAP_OK);
    errors[level] = 0.0;
    for (double at = 0.0; at < 6.0; at += 0.01)
      errors[level] = fmax(errors[level], fabs(capm_spline_at(n, t, x, slopes, at, NULL, NULL) - sin(at)));
  }
  assert_true(errors[0] / errors[1] > 12.0); /* fourth order */
}

static void bad_samples_are_refused(void **state)
{
  (void)state;
  double t[3] = {0.0, 1.0, 1.0}, x[3] = {1.0, 2.0, 3.0}, slopes[3];
  assert_int_equal(capm_spline_slopes(3, t, x, slopes), CAP_ERR_INPUT);
  t[2] = 2.0;
  assert_int_equal(capm_spline_slopes(3, t, x, slopes), CAP_OK);
  x[1] = NAN;
  assert_int_equal(capm_spline_slopes(3, t, x, slopes), CAP_ERR_INPUT);
  assert_int_equal(capm_spline_slopes(1, t, x, slopes), CAP_ERR_INPUT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spline_reproduces_cubics),
      cmocka_unit_test(spline_converges),
      cmocka_unit_test(bad_samples_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
