/* study/resample.c — see resample.h. */
#include "study/resample.h"

#include "study/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cap_resample_counts(uint64_t seed, int sample, int n, uint16_t *counts)
{
  memset(counts, 0, sizeof *counts * (size_t)n);
  const uint64_t start = capm_draw_mix(capm_draw_mix(seed) ^ (uint64_t)sample), size = (uint64_t)n;
  for (int i = 0; i < n; i += 2) { /* two draws of 32 bits: uneven by n/2^32 at most */
    const uint64_t bits = capm_draw_mix(start ^ (uint64_t)i);
    counts[((bits >> 32) * size) >> 32]++;
    if (i + 1 < n) counts[((bits & 0xffffffffu) * size) >> 32]++;
  }
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* At the place p (n + 1) - 1 between the sorted values (Davison and Hinkley 1997, 5.6). */
static double percentile(int n, const double *sorted, double p)
{
  double at = fmin(fmax(p * (n + 1) - 1.0, 0.0), (double)(n - 1));
  int k = (int)at < n - 1 ? (int)at : n - 2;
  return sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]);
}

void cap_resample_interval(int nsample, double *samples, double estimate, double confidence, double *low,
                           double *high)
{
  int n = 0;
  double mean = 0.0;
  for (int i = 0; i < nsample; i++)
    if (isfinite(samples[i])) samples[n++] = samples[i];
  *low = *high = NAN;
  if (n < 10 || 2 * n < nsample || !isfinite(estimate)) return;
  for (int i = 0; i < n; i++) mean += samples[i] / n;
  qsort(samples, (size_t)n, sizeof *samples, ascending);
  *low = estimate + percentile(n, samples, 0.5 * (1.0 - confidence)) - mean;
  *high = estimate + percentile(n, samples, 0.5 * (1.0 + confidence)) - mean;
}
