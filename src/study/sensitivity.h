/* study/sensitivity.h — how much of a response's variance is due to each factor.
 *
 * Maths:   docs/theory.md §55 (blocks of Saltelli), §56 (any sample), §57 (full grid, one at a time).
 *
 * Nothing here knows a study: columns of numbers in, indices out. NaN: the sample does not tell.
 */
#pragma once
#include "base/status.h"
#include <stdint.h>

typedef struct cap_sensitivity_index {
  double value, low, high; /* low, high: of the confidence; NaN without */
} cap_sensitivity_index;

typedef struct cap_sensitivity_confidence {
  int bootstrap; /* samples; below ten: no interval */
  double confidence;
  uint64_t seed;
} cap_sensitivity_confidence;

/* First-order and total indices [nfactor] from blocks y[nblock][nfactor + 2] of responses at A, B, AB1, AB2,
 * ... A block with a value that is not finite is left out as a whole; *used blocks remain. */
cap_status cap_sensitivity_saltelli(int nblock, int nfactor, const double *y,
                                    const cap_sensitivity_confidence *by, cap_sensitivity_index *first,
                                    cap_sensitivity_index *total, int *used, cap_error *error);

/* Shares of the variance over a full factorial whose cells are equally likely: y[] with the last of nfactor
 * factors running fastest, levels[nfactor]. Exact for the grid, so without intervals. */
void cap_sensitivity_grid(int nfactor, const int *levels, const double *y, double *first, double *total);
