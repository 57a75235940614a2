/* linalg/series.h — the mean of a series that is correlated with itself, how well it is known, and whether
 * the series drifts.
 *
 * Maths:   docs/theory.md §50.2.
 *
 * Values are evenly spaced in time. What decides is their spectrum near frequency zero, which has to be found
 * from the series itself. Its cosine coefficients have the variances S(j): for a number of spectra, white far
 * from zero and higher near to it or constant in bands, it is computed how well each of them explains the
 * coefficients. Intervals are taken over all of them together, each with its weight, so that a series of a
 * few correlation times has a wide interval by itself.
 */
#pragma once

/* Standard errors are half of the 95 % interval over this, as of a normal distribution. */
#define CAPM_SERIES_95 1.959963984540054

enum {
  CAPM_SERIES_LEAST = 8, /* values: fewer do not tell an error */
  CAPM_SERIES_MOST = 256 /* longer series are averaged in parts to this number */
};

typedef struct capm_series_mean {
  double value;
  double error; /* half of the 95 % interval over 1.96; NAN: too few values */
  double count; /* independent values that would show the mean as well */
} capm_series_mean;

capm_series_mean capm_series_mean_of(int n, int stride, const double *values);

/* A change on top of noise of that kind. */
typedef struct capm_series_change {
  double size;   /* its estimate */
  double error;  /* likewise */
  double chance; /* of so large a size without a change, both signs; 1 where nothing can be told */
} capm_series_change;

/* From the first to the last value along a straight line. */
capm_series_change capm_series_drift(int n, int stride, const double *values);
/* Mean after the first `share` of the values minus that before. */
capm_series_change capm_series_step(int n, int stride, const double *values, double share);
