/* study/sensitivity.c — see sensitivity.h. */
#include "study/sensitivity.h"

#include "study/resample.h"
#include "study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over blocks with weights, of which all estimates are made: y is centred before. */
typedef struct sums {
  double n, y, squares;                   /* over A and B together: n = 2 sum of weights */
  double product[64], step[64], jump[64]; /* of yB (yABi - yA), yABi - yA, (yA - yABi)^2 */
} sums;

/* (55.2), (55.3). The mean of B times that of the step, which is zero in expectation, is taken off. */
static void estimate(const sums *s, int nfactor, double *first, double *total)
{
  double mean = s->y / s->n, variance = s->squares / s->n - mean * mean, blocks = 0.5 * s->n;
  for (int i = 0; i < nfactor; i++) {
    first[i] = variance > 0.0 ? (s->product[i] - mean * s->step[i]) / (blocks * variance) : NAN;
    total[i] = variance > 0.0 ? 0.5 * s->jump[i] / (blocks * variance) : NAN;
  }
}

static void add(sums *s, int nfactor, const double *y, double weight)
{
  s->n += 2.0 * weight;
  s->y += weight * (y[0] + y[1]);
  s->squares += weight * (y[0] * y[0] + y[1] * y[1]);
  for (int i = 0; i < nfactor; i++) {
    double step = y[2 + i] - y[0];
    s->product[i] += weight * y[1] * step;
    s->step[i] += weight * step;
    s->jump[i] += weight * step * step;
  }
}

/* Whole blocks one after the other, centred by the mean of A and B. */
static int gather(int nblock, int width, const double *y, double *kept)
{
  int used = 0;
  double mean = 0.0;
  for (int b = 0; b < nblock; b++) {
    bool whole = true;
    for (int m = 0; m < width; m++) whole = whole && isfinite(y[(int64_t)b * width + m]);
    if (whole) memcpy(kept + (int64_t)used++ * width, y + (int64_t)b * width, sizeof *y * (size_t)width);
  }
  for (int b = 0; b < used; b++)
    mean += (kept[(int64_t)b * width] + kept[(int64_t)b * width + 1]) / (2.0 * used);
  if (used > 0 && cap_sample_constant(used * width, kept))
    memset(kept, 0, sizeof *kept * (size_t)used * width);
  else
    for (int64_t k = 0; k < (int64_t)used * width; k++) kept[k] -= mean;
  return used;
}

cap_status cap_sensitivity_saltelli(int nblock, int nfactor, const double *y,
                                    const cap_sensitivity_confidence *by, cap_sensitivity_index *first,
                                    cap_sensitivity_index *total, int *used, cap_error *error)
{
  const int width = nfactor + 2, nsample = by->bootstrap > 0 ? by->bootstrap : 0;
  double *kept = malloc(sizeof *kept * ((size_t)nblock * (size_t)width + 1));
  double *samples = malloc(sizeof *samples * (2 * (size_t)nfactor * (size_t)nsample + 1));
  uint16_t *counts = malloc(sizeof *counts * ((size_t)nblock + 1));
  double value[2][64];
  if (!kept || !samples || !counts || nfactor > 64) {
    free(kept), free(samples), free(counts);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the indices of %d factors", nfactor);
  }
  const int n = *used = gather(nblock, width, y, kept);
  sums all = {0};
  for (int b = 0; b < n; b++) add(&all, nfactor, kept + (int64_t)b * width, 1.0);
  estimate(&all, nfactor, value[0], value[1]);
  for (int s = 0; s < nsample && n > 1; s++) {
    sums some = {0};
    double at[2][64];
    cap_resample_counts(by->seed, s, n, counts);
    for (int b = 0; b < n; b++)
      if (counts[b]) add(&some, nfactor, kept + (int64_t)b * width, counts[b]);
    estimate(&some, nfactor, at[0], at[1]);
    for (int i = 0; i < nfactor; i++)
      for (int k = 0; k < 2; k++) samples[(int64_t)(2 * i + k) * nsample + s] = at[k][i];
  }
  for (int i = 0; i < nfactor; i++)
    for (int k = 0; k < 2; k++) {
      cap_sensitivity_index *to = k == 0 ? first + i : total + i;
      to->value = n > 1 ? value[k][i] : NAN;
      cap_resample_interval(n > 1 ? nsample : 0, samples + (int64_t)(2 * i + k) * nsample, to->value,
                            by->confidence, &to->low, &to->high);
    }
  free(kept), free(samples), free(counts);
  return CAP_OK;
}

/* Mean over lines along a factor of the variance on a line (57.2), and the variance of level means (57.1). */
static void along(int64_t count, int64_t stride, int levels, double mean, const double *y, double *first,
                  double *total)
{
  const int64_t block = stride * levels; /* in which all levels come once, each `stride` cells long */
  *first = *total = 0.0;
  for (int l = 0; l < levels; l++) {
    double sum = 0.0;
    for (int64_t from = l * stride; from < count; from += block)
      for (int64_t k = from; k < from + stride; k++) sum += y[k] - mean;
    sum /= (double)(count / levels);
    *first += sum * sum / levels;
  }
  for (int64_t from = 0; from < count; from += block)
    for (int64_t k = from; k < from + stride; k++) {
      double middle = 0.0, squares = 0.0;
      for (int l = 0; l < levels; l++) middle += y[k + l * stride] / levels;
      for (int l = 0; l < levels; l++) squares += (y[k + l * stride] - middle) * (y[k + l * stride] - middle);
      *total += squares / (double)count;
    }
}

void cap_sensitivity_grid(int nfactor, const int *levels, const double *y, double *first, double *total)
{
  int64_t count = 1, stride = 1;
  double mean = 0.0, variance = 0.0;
  for (int f = 0; f < nfactor; f++) count *= levels[f];
  for (int64_t k = 0; k < count; k++) mean += y[k] / (double)count;
  for (int64_t k = 0; k < count; k++) variance += (y[k] - mean) * (y[k] - mean) / (double)count;
  if (cap_sample_constant((int)count, y)) variance = NAN;
  for (int f = nfactor - 1; f >= 0; f--) {
    along(count, stride, levels[f], mean, y, first + f, total + f);
    first[f] /= variance;
    total[f] /= variance;
    stride *= levels[f];
  }
}
