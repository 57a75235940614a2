/* linalg/cod.h — least norm of large dense systems by a complete orthogonal decomposition.
 *
 *   a P = Q | R11  R12 |    columns chosen by their largest rest, as Businger and Golub do; what is left
 *           |  0    ~0 |    below `tolerance` of the first is zero; R12 is turned into R11 from the right
 *
 * (Golub and Van Loan, Matrix Computations, 5.5.2). The rank is that of singular values but where these come
 * down to the tolerance without a gap; then it may be off by those that are within a factor of sqrt(n) of it.
 * LAPACK's decomposition takes no less time, and nobody can stop it.
 *
 * Cost: 2 m n^2 for m = n, and 2 r^2 (n - r) more for a rank r < n; of 401, 1001 and 2002 unknowns 7 ms,
 * 0.1 s and 2.6 s of AVX-512 (singular values by OpenBLAS: 25 ms, 0.3 s and 2.9 s).
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"

/* The x[n] that minimises |a x - b|, and among those the one of least norm. a[m][n] and b[m] are overwritten;
 * *rank may be NULL. CAP_STOPPED as soon as `progress` (NULL: never) tells to stop; asked before each
 * column. */
cap_status capm_cod_least_norm(int m, int n, double *a, double *b, double tolerance, double *x, int *rank,
                               const cap_progress *progress);
