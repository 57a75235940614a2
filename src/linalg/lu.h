/* linalg/lu.h — small dense systems: row-major LU with partial pivoting, no allocation, no BLAS.
 *
 * Cost: 2/3 n^3 for a factorisation, 2 n^2 for a solution; meant for n up to about a hundred.
 */
#pragma once

/* Factor a[n][n] in place, P a = L U. Returns 0, or 1 + the column where no non-zero finite
 * pivot was found. */
int capm_lu_factor(int n, double *a, int *pivot);
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
