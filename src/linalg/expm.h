/* linalg/expm.h — the exponential of a small dense matrix.
 *
 * Pade approximant of order 13 with scaling and squaring (Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179).
 */
#pragma once
#include "base/status.h"

/* e[n][n] := exp(t a), row-major; a is kept. CAP_ERR_NUMERICS when the matrix or the result is not finite. */
cap_status capm_expm(int n, const double *a, double t, double *e);
