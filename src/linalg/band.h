/* linalg/band.h — symmetric positive definite systems: a band and a few dense rows behind it.
 *
 *     A = [ B  U' ]      B[n][n] of half-bandwidth k,   U[m][n] dense,   C[m][m]
 *         [ U  C  ]
 *
 * A cyclic band is of this kind: its last unknowns, which close the circle, are the dense rows. A = L L' is
 * found once; forward is x := L^-1 x, backward x := L^-T x, both together solve. Right sides stand side by
 * side, x[n + m][nrhs], so that they share vector registers.
 *
 * Cost: n k^2 for the factor, 2 n (k + m) nrhs for each of the two passes.
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

enum { CAPM_BAND_WIDEST = 7 };

typedef struct capm_band {
  int n, k, m;
  double *band, *rows, *corner;     /* as given: [n][k + 1] with band[i][j] = A(i, i - j); [m][n]; [m][m] */
  double *before, *after, *inverse; /* factor, scaled for the two passes: [n][k], [n][k], [n] */
  double *factor_rows, *factor_corner; /* [m][n], [m][m] */
} capm_band;

/* Memory; band, rows and corner are zero. k <= CAPM_BAND_WIDEST. false: out of memory. */
bool capm_band_create(capm_band *b, int n, int k, int m, cap_arena *arena);
/* After band, rows and corner are set. false: not positive definite. */
bool capm_band_factor(capm_band *b);
void capm_band_forward(const capm_band *b, int nrhs, double *x);
void capm_band_backward(const capm_band *b, int nrhs, double *x);
/* y[n + m][nrhs] := A x */
void capm_band_multiply(const capm_band *b, int nrhs, const double *x, double *y);
