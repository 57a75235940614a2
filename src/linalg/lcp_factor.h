/* linalg/lcp_factor.h — Cholesky factor of a block of a matrix whose rows come and go.
 *
 * The block is that of the unknowns order[0..n), in that order: L L' = M[order][order]. L is kept by columns,
 * column j from l + j * stride, of which the entries from j on count.
 */
#pragma once
#include <stdbool.h>

typedef struct capm_lcp_factor {
  int n, stride;
  int *order; /* [stride] */
  double *l;  /* [stride][stride] */
} capm_lcp_factor;

/* Factor the block of f->order[0..n) of M[size][size]. False: it is not positive definite. */
bool capm_lcp_factor_make(capm_lcp_factor *f, int n, const double *M, int size);
/* Append the unknown k. False as above; f is then as before. */
bool capm_lcp_factor_append(capm_lcp_factor *f, int k, const double *M, int size);
/* Take out what stands at `place` of the order; scratch[n]. */
void capm_lcp_factor_remove(capm_lcp_factor *f, int place, double *scratch);
/* x := (L L')^-1 x, in the order of the factor. */
void capm_lcp_factor_solve(const capm_lcp_factor *f, double *x);
