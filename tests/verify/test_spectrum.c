/* verify/test_spectrum.c — spectra of a transient: a system whose motion is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

/* The rig's deflection is imposed: 0.54 mm + 0.52 mm sin(2 pi 4 Hz t + phase). */
#define RIG                                                                                                  \
  "capstan: 1\nname: t\ndrive: tensioner-rig\n"                                                              \
  "deflection: {motion: harmonic, mean: 0.54 mm, amplitude: 0.52 mm, angular_frequency: 25.132741228718345 " \
  "rad/s}\n"                                                                                                 \
  "tensioner: {law: linear, k0: 2e5 N/m, F0: 0 N, c: 100 N s/m}\n"

static double largest(const double *values, int64_t from, int64_t to)
{
  double most = 0.0;
  for (int64_t k = from; k < to; k++) most = fmax(most, fabs(values[k]));
  return most;
}

static void test_known_sine(void **state)
{
  (void)state;
  static const char *const windows[] = {"hann", "flattop", "none"};
  for (int w = 0; w < 3; w++) {
    char text[1000];
    snprintf(text, sizeof text,
             RIG "analyses:\n- transient: {until: 3 s, method: euler, step: 1 ms, spectrum: {channels: "
                 "[tensioner.deflection, tensioner.force], from: 1 s, up_to: 40 Hz, window: %s}}\n"
                 "outputs: {every: 2 ms, channels: [tensioner.force]}\n",
             windows[w]);
    test_result r = test_result_run(text);
    int64_t n, count;
    double *f = test_values(&r, "transient", "spectrum.frequency", &n);
    double *u = test_values(&r, "transient", "spectrum.tensioner.deflection", &count);
    double *force = test_values(&r, "transient", "spectrum.tensioner.force", &count);
    /* rows from 1 s to 3 s are 1001, of which the last 1000 make lines 0.5 Hz apart */
    assert_int_equal(n, 81);
    assert_int_equal(count, n);
    assert_true(fabs(f[1] - 0.5) < 1e-12 && fabs(f[80] - 40.0) < 1e-9);
    assert_true(fabs(u[0] - 0.54e-3) < 1e-12);
    assert_true(fabs(u[8] - 0.52e-3) < 1e-12);
    double expected = 0.52e-3 * hypot(2e5, 100.0 * 25.132741228718345);
    assert_true(fabs(force[8] / expected - 1.0) < 1e-9);
    assert_true(largest(u, 14, n) < 1e-12 * u[0] && largest(u, 1, 3) < 1e-12);
    assert_string_equal(test_text(&r, "transient", "spectrum.window"), windows[w]);
    free(f);
    free(u);
    free(force);
    test_result_close(&r);
  }
}

/* Half a second from 1 s on, whatever comes later: 250 rows make lines 2 Hz apart. */
static void test_part_of_a_run(void **state)
{
  (void)state;
  test_result r = test_result_run(
      RIG "analyses:\n- transient: {until: 2.0005 s, method: euler, step: 1 ms, spectrum: "
          "{channels: [tensioner.deflection], from: 1 s, until: 1.5 s}}\n"
          "outputs: {every: 2 ms}\n");
  int64_t n;
  double *f = test_values(&r, "transient", "spectrum.frequency", &n);
  double *u = test_values(&r, "transient", "spectrum.tensioner.deflection", &n);
  assert_int_equal(n, 126);
  assert_true(fabs(f[1] - 2.0) < 1e-12 && fabs(f[125] - 250.0) < 1e-9);
  assert_true(fabs(u[0] - 0.54e-3) < 1e-12 && fabs(u[2] - 0.52e-3) < 1e-12);
  free(f);
  free(u);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_sine), cmocka_unit_test(test_part_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
