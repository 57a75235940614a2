/* Fast transform of real samples against the sum that defines it, and amplitude spectra of known sines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/fft.h"

enum { MOST = 6000 };

static double x[MOST], re[MOST], im[MOST], amplitude[MOST];

static void fill(int n, unsigned seed)
{
  for (int k = 0; k < n; k++) {
    seed = seed * 1664525u + 1013904223u;
    x[k] = (double)seed / 4294967296.0 - 0.5;
  }
}

static void transform_is_its_sum(void **state)
{
  (void)state;
  static const int lengths[] = {2, 4, 6, 10, 12, 30, 64, 90, 250, 360, 1000, 1024};
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
    int n = lengths[l];
    fill(n, (unsigned)n);
    assert_int_equal(capm_fft_real(n, x, re, im), CAP_OK);
    for (int k = 0; k <= n / 2; k += n > 100 ? 7 : 1) {
      double sum_re = 0.0, sum_im = 0.0;
      for (int i = 0; i < n; i++) {
        double phase = 2.0 * M_PI * (double)((int64_t)i * k % n) / n;
        sum_re += x[i] * cos(phase);
        sum_im -= x[i] * sin(phase);
      }
      assert_true(fabs(re[k] - sum_re) < 1e-12 && fabs(im[k] - sum_im) < 1e-12);
    }
  }
}

static void lengths(void **state)
{
  (void)state;
  assert_int_equal(capm_fft_length(1000), 1000);
  assert_int_equal(capm_fft_length(1001), 1000);
  assert_int_equal(capm_fft_length(4096), 4096);
  assert_int_equal(capm_fft_length(3499), 3456);
  assert_int_equal(capm_fft_length(7), 6);
  assert_int_equal(capm_fft_length(1), 0);
  for (int n = 1000; n < 100000; n += 37) assert_true(capm_fft_length(n) > 0.937 * n);
}

/* Sines on a line have their amplitude there, and the mean stands at 0, with every window. */
static void sines_on_lines(void **state)
{
  (void)state;
  int n = 600;
  for (int window = CAPM_FFT_HANN; window <= CAPM_FFT_NONE; window++) {
    for (int k = 0; k < n; k++) {
      double phase = 2.0 * M_PI * k / n;
      x[k] = -3.0 + 2.0 * sin(40.0 * phase + 0.3) + 0.01 * cos(117.0 * phase) + 0.5 * cos(M_PI * k);
    }
    assert_int_equal(capm_fft_amplitudes(n, x, (capm_fft_window)window, amplitude), CAP_OK);
    assert_true(fabs(amplitude[0] + 3.0) < 1e-12);
    assert_true(fabs(amplitude[40] - 2.0) < 1e-12);
    assert_true(fabs(amplitude[117] - 0.01) < 1e-12);
    assert_true(fabs(amplitude[n / 2] - 0.5) < 1e-12);
    assert_true(amplitude[80] < 1e-12);
  }
}

/* Half way between two lines: Hann's window loses 15 %, the flat top nothing that matters. */
static void sines_between_lines(void **state)
{
  (void)state;
  int n = 1024;
  double largest[2] = {0.0, 0.0};
  for (int window = CAPM_FFT_HANN; window <= CAPM_FFT_FLATTOP; window++) {
    for (int k = 0; k < n; k++) x[k] = sin(2.0 * M_PI * 100.5 * k / n);
    assert_int_equal(capm_fft_amplitudes(n, x, (capm_fft_window)window, amplitude), CAP_OK);
    for (int k = 1; k <= n / 2; k++) largest[window] = fmax(largest[window], amplitude[k]);
  }
  assert_true(fabs(largest[CAPM_FFT_HANN] - 0.8488) < 1e-3);
  assert_true(fabs(largest[CAPM_FFT_FLATTOP] - 1.0) < 2e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(transform_is_its_sum), cmocka_unit_test(lengths),
                                     cmocka_unit_test(sines_on_lines), cmocka_unit_test(sines_between_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
