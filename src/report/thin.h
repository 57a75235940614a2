/* report/thin.h — fewer points of a long series, without losing its peaks.
 *
 * The rows are divided into slots of (nearly) equal length. Of each slot the smallest and the largest value
 * stay, at their own rows and with their own values: an average or every tenth row would hide an impact. Slot
 * s covers the rows [s * rows / slots, (s + 1) * rows / slots). A series is looked at piece by piece, each
 * piece some whole slots, so that it need not be in memory at once.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct capm_thin_grid {
  int64_t rows, slots; /* slots <= rows; rows < 2^40, slots < 2^20 */
} capm_thin_grid;

typedef struct capm_thin_range {
  double min, max, mean; /* of the finite values; of no meaning when there are none */
  double first, last;    /* rows, finite or not */
  int64_t good, bad;     /* values that are finite, and that are not */
} capm_thin_range;

/* First row of a slot; slot `slots` begins behind the last row. */
int64_t capm_thin_begin(const capm_thin_grid *grid, int64_t slot);
/* End of the piece that begins with `slot`: as many slots as make `rows` rows, at least one. */
int64_t capm_thin_piece(const capm_thin_grid *grid, int64_t slot, int64_t rows);
/* Rows of the longest piece. */
int64_t capm_thin_longest(const capm_thin_grid *grid, int64_t rows);

/* Add the next n values of a series to what is known of it; starts from a zeroed range. */
void capm_thin_describe(capm_thin_range *range, int64_t n, const double *v);

/* In what follows v[0] is the first row of slot `from`, and the piece ends before slot `to`. */

/* Set the bits of the rows in which v is smallest or largest in its slot, or is the slot's first value that
 * is not finite; and of both ends. Other bits stay as they are, so that several channels may mark the same
 * rows. Returns the number of bits newly set. */
int64_t capm_thin_mark(const capm_thin_grid *grid, int64_t from, int64_t to, const double *v, uint64_t *bits);
/* Copy the marked ones of the n rows from `first` on to `out`; returns their number. */
int64_t capm_thin_gather(const uint64_t *bits, int64_t first, int64_t n, const double *v, double *out);

/* Smallest and largest value of each slot in the order in which they occur: out[2 * (to - from)]. */
void capm_thin_slots(const capm_thin_grid *grid, int64_t from, int64_t to, const double *v, double *out);
/* The abscissa for these: values at a quarter and at three quarters of each slot. */
void capm_thin_abscissa(const capm_thin_grid *grid, int64_t from, int64_t to, const double *x, double *out);

/* Whether 32 bits show the shape of values in the range, taken from *base (0, or the middle of a small ripple
 * on a large offset). */
bool capm_thin_single(const capm_thin_range *range, double *base);
