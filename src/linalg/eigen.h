/* linalg/eigen.h — dense eigenproblems by LAPACK, row-major in and out.
 *
 * Eigenvectors of real matrices are packed as LAPACK does: column j of vectors[n][n] belongs to a real value
 * j; for a conjugate pair (j, j+1), wi[j] > 0, columns j and j+1 are the real and imaginary parts of the
 * vector of wr[j] + i wi[j]. Work space: `work` of the size that the function beside tells, or NULL to
 * allocate inside. Returns CAP_OK, CAP_ERR_NOMEM or CAP_ERR_NUMERICS (no convergence, matrix not finite or
 * not definite).
 */
#pragma once
#include "base/status.h"
#include <stddef.h>

/* a x = w x. a[n][n] is kept; vectors may be NULL. Vectors have Euclidean norm 1. */
cap_status capm_eigen_general(int n, const double *a, double *wr, double *wi, double *vectors, double *work);
size_t capm_eigen_general_work(int n); /* doubles */

/* a x = w b x, a symmetric, b symmetric positive definite; values ascend. vectors[n][n] may be NULL, column j
 * is vector j with x^T b x = 1. Only the lower triangles are read. */
cap_status capm_eigen_symmetric(int n, const double *a, const double *b, double *values, double *vectors);

/* a x = (wr + i wi) b x with general a and b; infinite values (singular b) come back as wr = INFINITY, wi =
 * 0. */
cap_status capm_eigen_pencil(int n, const double *a, const double *b, double *wr, double *wi,
                             double *vectors);
