/* linalg/lu.h — small dense systems: row-major LU with partial pivoting, no allocation, no BLAS.
 *
 * Cost: 2/3 n^3 for a factorisation, 2 n^2 for a solution; meant for n up to about a hundred. Of two thousand
 * unknowns a factorisation takes seconds: who may have so many calls capm_lu_factor_heard.
 */
#pragma once
#include "base/progress.h"

enum { CAPM_LU_STOPPED = -1 };

/* Factor a[n][n] in place, P a = L U. Returns 0, or 1 + the column where no non-zero finite
 * pivot was found. */
int capm_lu_factor(int n, double *a, int *pivot);
/* The same numbers; CAPM_LU_STOPPED as soon as `progress` (NULL: never) tells to stop, which is asked before
 * each column. */
int capm_lu_factor_heard(int n, double *a, int *pivot, const cap_progress *progress);
/* x := a^-1 x. */
void capm_lu_solve(int n, const double *lu, const int *pivot, double *x);
/* b[n][m] := a^-1 b. Zeros of the factors cost nothing. */
void capm_lu_solve_rows(int n, const double *lu, const int *pivot, int m, double *b);
/* x := a^-T x. */
void capm_lu_solve_transposed(int n, const double *lu, const int *pivot, double *x);
/* inverse[n][n] := a^-1; `inverse` is not `lu`. */
void capm_lu_invert(int n, const double *lu, const int *pivot, double *inverse);
/* Smallest over largest diagonal entry of U: a cheap sign of near singularity (0 for n = 0). */
double capm_lu_pivot_ratio(int n, const double *lu);
