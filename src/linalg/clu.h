/* linalg/clu.h — small dense complex systems: row-major LU with partial pivoting, no allocation, no BLAS.
 *
 * Real and imaginary parts lie in arrays of their own, so that the loops over a row are plain vector loops.
 * Cost: 8/3 n^3 for a factorisation, 8 n^2 for a solution; the real twin is lu.h.
 */
#pragma once
#include "base/progress.h"

enum { CAPM_CLU_STOPPED = -1 };

/* Factor re + i im [n][n] in place, P a = L U; the diagonal of U is kept as its inverse. Returns 0, or 1 +
 * the column where no non-zero finite pivot was found. */
int capm_clu_factor(int n, double *re, double *im, int *pivot);
/* The same numbers; CAPM_CLU_STOPPED as soon as `progress` (NULL: never) tells to stop, which is asked before
 * each column. */
int capm_clu_factor_heard(int n, double *re, double *im, int *pivot, const cap_progress *progress);
/* x := a^-1 x, x = xr + i xi. */
void capm_clu_solve(int n, const double *re, const double *im, const int *pivot, double *xr, double *xi);
