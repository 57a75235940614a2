/* linalg/cholesky_sparse.h — sparse symmetric positive definite systems, P M P' = L L'.
 *
 * Maths:   docs/theory.md §38.
 * The pattern is analysed once (order, elimination tree, pattern of L), values are factored as often as
 * wanted; neither factoring nor solving allocates. The order is that of least fill among the given one and
 * AMD's. Columns of L with nested patterns (a dense block, say) lie side by side and are treated as dense.
 * A right-hand side with few nonzeros costs only the columns that it reaches: the paths from its nonzeros to
 * the roots of the elimination tree.
 *
 * The factors and the results are the same bytes on every machine: own loops, no BLAS.
 */
#pragma once
#include "base/status.h"
#include <stdint.h>

typedef struct capm_cholesky_sparse capm_cholesky_sparse;

/* Pattern of an n x n matrix by compressed columns: the rows of column j are row[start[j] .. start[j + 1]).
 * Only the lower triangle (row >= column) is read; entries above it are passed over. Every diagonal entry
 * must be there and none twice. Nothing is referenced afterwards. CAP_ERR_NUMERICS: a diagonal entry is
 * missing, an entry is a duplicate or outside. */
cap_status capm_cholesky_sparse_create(int n, const int *start, const int *row, capm_cholesky_sparse **c);
void capm_cholesky_sparse_free(capm_cholesky_sparse *c); /* accepts NULL */

/* Factor the matrix of these values (in the order of `row`). CAP_ERR_NUMERICS: not positive definite, where a
 * pivot that is nothing but rounding (below n eps of its diagonal entry) counts as none. */
cap_status capm_cholesky_sparse_factor(capm_cholesky_sparse *c, const double *values);

/* x := M^-1 x. */
void capm_cholesky_sparse_solve(capm_cholesky_sparse *c, double *x);

/* y := L^-1 P b where b has the nonzeros value[k] at index[k], k < n. Returns the number of nonzeros of y:
 * their places at[] (ascending; room for all) and y[] at these places; y is zero everywhere on entry, and the
 * caller clears it again at these places. Places are those of the columns of L, which is
 * all that y' y asks. */
int capm_cholesky_sparse_half(capm_cholesky_sparse *c, int n, const int *index, const double *value, int *at,
                              double *y);

/* Size, nonzeros of L, and of column j of L (place of the order; the diagonal counts). */
int capm_cholesky_sparse_size(const capm_cholesky_sparse *c);
int64_t capm_cholesky_sparse_nonzeros(const capm_cholesky_sparse *c);
/* Rows (ascending, the diagonal first) and values of column j of L; returns their number. */
int capm_cholesky_sparse_column(const capm_cholesky_sparse *c, int j, const int **rows,
                                const double **values);
/* order[j]: which row of M is at place j. */
const int *capm_cholesky_sparse_order(const capm_cholesky_sparse *c);
