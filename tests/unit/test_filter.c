/* Signals: the low-pass has no phase and the gain it promises, resampling keeps ends. */
#include "analysis/observe/filter.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 4000 };
static const double PI = 3.14159265358979323846;

static void close_to(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.12g, expected %.12g within %g", found, expected, tolerance);
}

/* Gain and phase of the filter at frequency f, by correlation over the middle of a long signal. */
static double gain_at(double f, double cutoff, double dt, double *phase)
{
  double x[N], y[N], c = 0.0, s = 0.0;
  const double cycles = round(f * dt * N / 2), w = 2 * PI * cycles / (N / 2);
  for (int i = 0; i < N; i++) x[i] = sin(w * i);
  assert_int_equal(capm_filter_lowpass(N, dt, cutoff, x, y), CAP_OK);
  for (int i = N / 4; i < N / 4 + N / 2; i++) c += y[i] * cos(w * i), s += y[i] * sin(w * i);
  *phase = atan2(c, s);
  return 4.0 / N * hypot(c, s);
}

static void low_pass_gain_and_phase(void **state)
{
  (void)state;
  const double dt = 2e-4, cutoff = 100.0;
  double phase;
  close_to(gain_at(5.0, cutoff, dt, &phase), 1.0, 1e-6);
  close_to(phase, 0.0, 1e-9);
  close_to(gain_at(100.0, cutoff, dt, &phase), sqrt(0.5), 1e-3);
  close_to(phase, 0.0, 1e-6);
  /* fourth order twice: f^-8 far above */
  const double far = gain_at(400.0, cutoff, dt, &phase), farther = gain_at(800.0, cutoff, dt, &phase);
  assert_true(far < 4e-5 && farther < far / 200.0);
}

static void low_pass_keeps_lines(void **state)
{
  (void)state;
  double x[300], y[300];
  for (int i = 0; i < 300; i++) x[i] = 3.0 - 0.02 * i;
  assert_int_equal(capm_filter_lowpass(300, 1e-3, 40.0, x, y), CAP_OK);
  for (int i = 0; i < 300; i++) close_to(y[i], x[i], 2e-3);
  for (int i = 100; i < 200; i++) close_to(y[i], x[i], 1e-9);
  assert_int_equal(capm_filter_lowpass(300, 1e-3, 40.0, x, x), CAP_OK);
  for (int i = 0; i < 300; i++) assert_true(x[i] == y[i]);
}

static void low_pass_refuses(void **state)
{
  (void)state;
  double x[3] = {1, 2, 3}, y[3];
  assert_int_equal(capm_filter_lowpass(3, 1e-3, 600.0, x, y), CAP_ERR_INPUT);
  assert_int_equal(capm_filter_lowpass(3, 1e-3, 0.0, x, y), CAP_ERR_INPUT);
  assert_int_equal(capm_filter_lowpass(1, 1e-3, 10.0, x, y), CAP_ERR_INPUT);
  assert_int_equal(capm_filter_lowpass(3, 1e-3, 100.0, x, y), CAP_OK);
}

static void resample_uneven(void **state)
{
  (void)state;
  double t[400], x[400], y[101], dt;
  for (int i = 0; i < 400; i++) t[i] = 1e-2 * (i + 0.4 * sin(1.7 * i)), x[i] = cos(2.0 * t[i]);
  assert_false(capm_filter_is_uniform(400, t, 0.01, &dt));
  assert_int_equal(capm_filter_resample(400, t, x, 101, y), CAP_OK);
  for (int i = 0; i < 101; i++) close_to(y[i], cos(2.0 * (t[0] + (t[399] - t[0]) * i / 100.0)), 1e-6);
  t[5] = t[4];
  assert_int_equal(capm_filter_resample(400, t, x, 101, y), CAP_ERR_INPUT);
  x[7] = NAN, t[5] = 0.5 * (t[4] + t[6]);
  assert_int_equal(capm_filter_resample(400, t, x, 101, y), CAP_ERR_INPUT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(low_pass_gain_and_phase),
      cmocka_unit_test(low_pass_keeps_lines),
      cmocka_unit_test(low_pass_refuses),
      cmocka_unit_test(resample_uneven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
