/* linalg/fft.c — see fft.h: mixed radix, decimation in time. */
#include "linalg/fft.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FACTOR_MOST = 5 };

typedef struct complex_row {
  double *re, *im;
} complex_row;

/* Twiddles e^(-2 pi i k / n) of the whole length. */
typedef struct twiddles {
  int n;
  double *re, *im; /* [n] */
} twiddles;

static int smallest_factor(int n)
{
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : 0;
}

static bool has_small_factors(int n)
{
  while (n > 1) {
    int factor = smallest_factor(n);
    if (!factor) return false;
    n /= factor;
  }
  return true;
}

int capm_fft_length(int n)
{
  n -= n % 2;
  while (n >= 2 && !has_small_factors(n)) n -= 2;
  return n < 2 ? 0 : n;
}

/* y_q of `factor` transforms of length m that stand one behind the other, at index k of each. */
static void combine(const twiddles *t, int factor, int m, int stride, int k, complex_row y)
{
  double re[FACTOR_MOST], im[FACTOR_MOST];
  for (int r = 0; r < factor; r++) {
    double wr = t->re[r * k * stride], wi = t->im[r * k * stride];
    double a = y.re[r * m + k], b = y.im[r * m + k];
    re[r] = a * wr - b * wi;
    im[r] = a * wi + b * wr;
  }
  for (int q = 0; q < factor; q++) {
    double sum_re = re[0], sum_im = im[0];
    for (int r = 1; r < factor; r++) {
      int at = (r * q % factor) * (t->n / factor);
      sum_re += re[r] * t->re[at] - im[r] * t->im[at];
      sum_im += re[r] * t->im[at] + im[r] * t->re[at];
    }
    y.re[q * m + k] = sum_re;
    y.im[q * m + k] = sum_im;
  }
}

/* Transform of the n samples x[0], x[stride], ...; n stride = t->n. */
static void transform(const twiddles *t, int n, int stride, const double *x, complex_row y)
{
  if (n == 1) {
    y.re[0] = x[0];
    y.im[0] = 0.0;
    return;
  }
  int factor = smallest_factor(n), m = n / factor;
  for (int r = 0; r < factor; r++)
    transform(t, m, stride * factor, x + r * stride, (complex_row){y.re + r * m, y.im + r * m});
  for (int k = 0; k < m; k++) combine(t, factor, m, stride, k, y);
}

cap_status capm_fft_real(int n, const double *x, double *re, double *im)
{
  double *all = malloc(4 * (size_t)n * sizeof *all);
  if (!all) return CAP_ERR_NOMEM;
  twiddles t = {n, all, all + n};
  complex_row y = {all + 2 * n, all + 3 * n};
  for (int k = 0; k < n; k++) {
    t.re[k] = cos(2.0 * M_PI * k / n);
    t.im[k] = -sin(2.0 * M_PI * k / n);
  }
  transform(&t, n, 1, x, y);
  for (int k = 0; k <= n / 2; k++) {
    re[k] = y.re[k];
    im[k] = y.im[k];
  }
  free(all);
  return CAP_OK;
}

/* Sum of cosines with signs in turn; flat top: the five terms of ISO 18431-2. */
static double window_at(capm_fft_window window, double phase)
{
  static const double hann[5] = {0.5, 0.5, 0.0, 0.0, 0.0};
  static const double flat[5] = {1.0, 1.933, 1.286, 0.388, 0.0322};
  const double *a = window == CAPM_FFT_HANN ? hann : flat;
  if (window == CAPM_FFT_NONE) return 1.0;
  return a[0] - a[1] * cos(phase) + a[2] * cos(2.0 * phase) - a[3] * cos(3.0 * phase) +
         a[4] * cos(4.0 * phase);
}

cap_status capm_fft_amplitudes(int n, double *x, capm_fft_window window, double *amplitude)
{
  double mean = 0.0, weight = 0.0;
  double *im = malloc((size_t)(n / 2 + 1) * sizeof *im);
  if (!im) return CAP_ERR_NOMEM;
  for (int k = 0; k < n; k++) mean += x[k] / n;
  for (int k = 0; k < n; k++) {
    double w = window_at(window, 2.0 * M_PI * k / n);
    weight += w;
    x[k] = (x[k] - mean) * w;
  }
  cap_status status = capm_fft_real(n, x, amplitude, im);
  for (int k = 1; status == CAP_OK && k <= n / 2; k++)
    amplitude[k] = (k < n / 2 ? 2.0 : 1.0) * hypot(amplitude[k], im[k]) / weight;
  amplitude[0] = mean;
  free(im);
  return status;
}
