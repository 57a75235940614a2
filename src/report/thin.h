/* report/thin.h — fewer points of a long series, without losing its peaks.
 *
 * The rows are divided into slots of (nearly) equal length. Of each slot the smallest and the largest value
 * stay, at their own rows and with their own values: an average or every tenth row would hide an impact. Slot
 * s of nslot covers the rows [s * n / nslot, (s + 1) * n / nslot).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct capm_thin_range {
  double min, max, mean; /* of the finite values; NAN when there are none */
  double first, last;    /* rows, finite or not */
  int64_t bad;           /* values that are not finite */
} capm_thin_range;

capm_thin_range capm_thin_describe(int64_t n, const double *v);

/* Set keep[row] where v is smallest or largest in its slot, or is the slot's first value that is not finite;
 * and at both ends. Other entries stay as they are, so that several channels may mark the same rows. */
void capm_thin_mark(int64_t n, const double *v, int64_t nslot, unsigned char *keep);

/* Copy the rows with keep[row] to the front of `v`; returns their number. */
int64_t capm_thin_gather(int64_t n, const unsigned char *keep, double *v);

/* Smallest and largest value of each slot in the order in which they occur: out[2 * nslot], n >= nslot. */
void capm_thin_slots(int64_t n, const double *v, int64_t nslot, double *out);
/* The abscissa for these: values at a quarter and at three quarters of each slot. */
void capm_thin_abscissa(int64_t n, const double *x, int64_t nslot, double *out);

/* Whether 32 bits show the shape of values between min and max: not for a small ripple on a large offset. */
bool capm_thin_single(double min, double max);
