/* report/thin.c — see thin.h. */
#include "report/thin.h"

#include <math.h>

int64_t capm_thin_begin(const capm_thin_grid *grid, int64_t slot)
{
  return slot * grid->rows / grid->slots;
}

int64_t capm_thin_piece(const capm_thin_grid *grid, int64_t slot, int64_t rows)
{
  int64_t end = (int64_t)((double)rows / (double)grid->rows * (double)grid->slots) + slot;
  if (end <= slot) end = slot + 1;
  return end < grid->slots ? end : grid->slots;
}

int64_t capm_thin_longest(const capm_thin_grid *grid, int64_t rows)
{
  int64_t slots = capm_thin_piece(grid, 0, rows);
  return slots * (grid->rows / grid->slots + 1);
}

void capm_thin_describe(capm_thin_range *range, int64_t n, const double *v)
{
  if (n == 0) return;
  if (range->good + range->bad == 0) {
    range->first = v[0];
    range->min = INFINITY;
    range->max = -INFINITY;
  }
  range->last = v[n - 1];
  /* The mean of the piece about one of its values: no loss when the sum grows far beyond the values. */
  double origin = range->good ? range->mean : 0, sum = 0, min = range->min, max = range->max;
  if (range->good == 0)
    for (int64_t i = n - 1; i >= 0; i--)
      if (isfinite(v[i])) origin = v[i];
  int64_t good = 0;
  for (int64_t i = 0; i < n; i++) {
    bool finite = isfinite(v[i]);
    good += finite;
    /* Halves: the difference of two large values of opposite signs would overflow. */
    sum += finite ? 0.5 * v[i] - 0.5 * origin : 0.0;
    min = finite && v[i] < min ? v[i] : min;
    max = finite && v[i] > max ? v[i] : max;
  }
  range->min = min;
  range->max = max;
  range->bad += n - good;
  range->good += good;
  if (good) range->mean = origin + 2 * (sum / (double)range->good);
}

typedef struct slot {
  int64_t low, high; /* of the smallest and the largest finite value; -1 = none */
  int64_t bad;       /* the first that is not finite; -1 = none */
} slot;

static slot look(int64_t n, const double *v)
{
  slot found = {-1, -1, -1};
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) {
      if (found.bad < 0) found.bad = i;
      continue;
    }
    if (v[i] < low || found.low < 0) low = v[i], found.low = i;
    if (v[i] > high || found.high < 0) high = v[i], found.high = i;
  }
  return found;
}

static int64_t set_bit(uint64_t *bits, int64_t row)
{
  uint64_t bit = (uint64_t)1 << (row & 63), *word = &bits[row >> 6];
  int64_t fresh = (*word & bit) == 0;
  *word |= bit;
  return fresh;
}

int64_t capm_thin_mark(const capm_thin_grid *grid, int64_t from, int64_t to, const double *v, uint64_t *bits)
{
  int64_t first = capm_thin_begin(grid, from), fresh = 0;
  if (from == 0) fresh += set_bit(bits, 0);
  if (to == grid->slots) fresh += set_bit(bits, grid->rows - 1);
  for (int64_t s = from, begin = first; s < to; s++) {
    int64_t end = capm_thin_begin(grid, s + 1);
    slot found = look(end - begin, v + (begin - first));
    if (found.low >= 0) fresh += set_bit(bits, begin + found.low) + set_bit(bits, begin + found.high);
    if (found.bad >= 0) fresh += set_bit(bits, begin + found.bad);
    begin = end;
  }
  return fresh;
}

int64_t capm_thin_gather(const uint64_t *bits, int64_t first, int64_t n, const double *v, double *out)
{
  int64_t kept = 0;
  for (int64_t row = first; row < first + n;) {
    uint64_t word = bits[row >> 6] >> (row & 63);
    if (word == 0) {
      row = (row | 63) + 1;
      continue;
    }
    row += __builtin_ctzll(word);
    if (row < first + n) out[kept++] = v[row - first];
    row++;
  }
  return kept;
}

void capm_thin_slots(const capm_thin_grid *grid, int64_t from, int64_t to, const double *v, double *out)
{
  int64_t first = capm_thin_begin(grid, from);
  for (int64_t s = from; s < to; s++, out += 2) {
    int64_t begin = capm_thin_begin(grid, s), end = capm_thin_begin(grid, s + 1);
    const double *here = v + (begin - first);
    slot found = look(end - begin, here);
    bool rising = found.low <= found.high;
    out[0] = found.low < 0 ? NAN : here[rising ? found.low : found.high];
    out[1] = found.low < 0 ? NAN : here[rising ? found.high : found.low];
  }
}

void capm_thin_abscissa(const capm_thin_grid *grid, int64_t from, int64_t to, const double *x, double *out)
{
  int64_t first = capm_thin_begin(grid, from);
  for (int64_t s = from; s < to; s++, out += 2) {
    int64_t begin = capm_thin_begin(grid, s), length = capm_thin_begin(grid, s + 1) - begin;
    out[0] = x[begin - first + length / 4];
    out[1] = x[begin - first + 3 * length / 4];
  }
}

bool capm_thin_single(const capm_thin_range *range, double *base)
{
  *base = 0;
  if (range->good == 0) return true;
  double size = fmax(fabs(range->min), fabs(range->max));
  if (!(size < 1e37) || (size > 0 && size < 1e-30)) return false;
  if (range->max - range->min <= 1e-3 * size) *base = 0.5 * range->min + 0.5 * range->max;
  return true;
}
