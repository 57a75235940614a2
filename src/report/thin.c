/* report/thin.c — see thin.h. */
#include "report/thin.h"

#include <math.h>

typedef struct slot {
  int64_t begin, end; /* rows */
  int64_t low, high;  /* rows of the smallest and the largest finite value; -1 = none */
  int64_t bad;        /* first row that is not finite; -1 = none */
} slot;

static int64_t slot_begin(int64_t n, int64_t nslot, int64_t s)
{
  /* s * n may exceed 64 bits for absurd sizes only: n < 2^40, nslot < 2^20. */
  return s * n / nslot;
}

static slot look(int64_t n, const double *v, int64_t nslot, int64_t s)
{
  slot found = {slot_begin(n, nslot, s), slot_begin(n, nslot, s + 1), -1, -1, -1};
  for (int64_t i = found.begin; i < found.end; i++) {
    if (!isfinite(v[i])) {
      if (found.bad < 0) found.bad = i;
      continue;
    }
    if (found.low < 0 || v[i] < v[found.low]) found.low = i;
    if (found.high < 0 || v[i] > v[found.high]) found.high = i;
  }
  return found;
}

capm_thin_range capm_thin_describe(int64_t n, const double *v)
{
  capm_thin_range range = {NAN, NAN, NAN, NAN, NAN, 0};
  if (n == 0) return range;
  range.first = v[0];
  range.last = v[n - 1];
  /* The mean by increments: no overflow, and no loss when the sum grows far beyond the values. */
  double mean = 0;
  int64_t good = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) {
      range.bad++;
      continue;
    }
    good++;
    mean += (v[i] - mean) / (double)good;
    if (good == 1 || v[i] < range.min) range.min = v[i];
    if (good == 1 || v[i] > range.max) range.max = v[i];
  }
  if (good) range.mean = mean;
  return range;
}

void capm_thin_mark(int64_t n, const double *v, int64_t nslot, unsigned char *keep)
{
  if (n == 0) return;
  keep[0] = keep[n - 1] = 1;
  for (int64_t s = 0; s < nslot; s++) {
    slot found = look(n, v, nslot, s);
    if (found.low >= 0) keep[found.low] = keep[found.high] = 1;
    if (found.bad >= 0) keep[found.bad] = 1;
  }
}

int64_t capm_thin_gather(int64_t n, const unsigned char *keep, double *v)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++)
    if (keep[i]) v[kept++] = v[i];
  return kept;
}

void capm_thin_slots(int64_t n, const double *v, int64_t nslot, double *out)
{
  for (int64_t s = 0; s < nslot; s++) {
    slot found = look(n, v, nslot, s);
    bool rising = found.low <= found.high;
    int64_t first = rising ? found.low : found.high, second = rising ? found.high : found.low;
    out[2 * s] = first < 0 ? NAN : v[first];
    out[2 * s + 1] = second < 0 ? NAN : v[second];
  }
}

void capm_thin_abscissa(int64_t n, const double *x, int64_t nslot, double *out)
{
  for (int64_t s = 0; s < nslot; s++) {
    int64_t begin = slot_begin(n, nslot, s), length = slot_begin(n, nslot, s + 1) - begin;
    out[2 * s] = x[begin + length / 4];
    out[2 * s + 1] = x[begin + 3 * length / 4];
  }
}

bool capm_thin_single(double min, double max)
{
  double size = fmax(fabs(min), fabs(max));
  if (!(size < 1e37)) return false; /* also when there is no finite value */
  return max == min || max - min > 1e-3 * size;
}
