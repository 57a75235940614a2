/* linalg/sparse.h — sparse systems by KLU: analyse the pattern once, then values as often as wanted.
 *
 * Compressed columns; values and right-hand sides are pairs (re, im), or real. A handle serves one of both.
 */
#pragma once
#include "base/status.h"

typedef struct capm_sparse capm_sparse;

/* Pattern of an n x n matrix: the rows of column j are row[start[j] .. start[j + 1]); both arrays are
 * referenced, not copied. CAP_ERR_NOMEM, or CAP_ERR_NUMERICS when the pattern is singular. */
cap_status capm_sparse_create(int n, int *start, int *row, capm_sparse **s);
void capm_sparse_free(capm_sparse *s); /* accepts NULL */

/* Factor the matrix of these values[2 * nonzeros]; the pivots of the first factorisation are kept while they
 * serve. CAP_ERR_NUMERICS: singular. */
cap_status capm_sparse_factor(capm_sparse *s, double *values);
/* x := a^-1 x for nright columns x[nright][2 n]. */
cap_status capm_sparse_solve(capm_sparse *s, int nright, double *x);

/* The same for real values[nonzeros] and x[nright][n]. */
cap_status capm_sparse_factor_real(capm_sparse *s, double *values);
cap_status capm_sparse_solve_real(capm_sparse *s, int nright, double *x);
/* Sign of the determinant of the real matrix factored last: 1 or -1. */
int capm_sparse_sign(capm_sparse *s);
