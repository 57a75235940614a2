/* linalg/fft.h — fast Fourier transform of real samples, and amplitude spectra.
 *
 * Maths: docs/theory.md §32.5. X_k = sum_n x_n e^(-2 pi i k n / N). N has the prime factors 2, 3 and 5 only:
 * capm_fft_length finds one, so that less than 6.3 % of a record above 1000 samples is left out (nothing of
 * 1000, 4096 or 10000).
 *
 * In double precision (the packaged small libraries transform in single precision, whose noise stands at
 * 1e-7 of the largest line). hb/fourier.h has the small series of harmonic balance.
 *
 * Cost: 100 to 180 ns a sample with the window (1000 to a million samples); allocates 4 N doubles.
 */
#pragma once
#include "base/status.h"

typedef enum capm_fft_window {
  CAPM_FFT_HANN,    /* lines two apart are told apart, lines between two bins are low by up to 15 % */
  CAPM_FFT_FLATTOP, /* amplitudes to 0.1 % wherever a line lies, lines four bins wide */
  CAPM_FFT_NONE,    /* for records of whole periods */
} capm_fft_window;

/* Largest even length with the factors 2, 3, 5 that is at most n; 0 when n < 2. */
int capm_fft_length(int n);

/* re, im [n/2 + 1] of x[n]; n from capm_fft_length. CAP_ERR_NOMEM, or CAP_OK. */
cap_status capm_fft_real(int n, const double *x, double *re, double *im);

/* amplitude[n/2 + 1]: of the sine at each multiple of 1/(n step): a sine on one of them has its amplitude
 * there. The mean, which is taken out before the window, stands at 0 with its sign. x[n] is overwritten. */
cap_status capm_fft_amplitudes(int n, double *x, capm_fft_window window, double *amplitude);
