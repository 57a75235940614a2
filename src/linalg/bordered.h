/* linalg/bordered.h — symmetric positive definite systems of a closed chain of blocks (linalg/blocks.h) with
 * a few full rows and columns beside it:
 *
 *     | A   B |        A of the chain, [4 n]; B = column', C = corner, [m]
 *     | B'  C |
 *
 * A = L D L' as there; the Schur complement C - B' A^-1 B by Cholesky. Without a chain (n = 0) C alone.
 *
 * Cost: of 64 blocks and 6 columns 10 us for the factor, 1.5 us a solution, of AVX-512.
 */
#pragma once
#include "linalg/blocks.h"

enum { CAPM_BORDERED_MOST = 8 }; /* columns */

typedef struct capm_bordered {
  int n, m;          /* blocks: 0, or at least 3; columns, at most CAPM_BORDERED_MOST */
  capm_blocks chain; /* its diagonal and lower as given */
  double *column;    /* [m][4 n] as given */
  double *corner;    /* [m][m] as given, both triangles */
  double *y, *z;     /* [m][4 n] L^-1 of the columns, and D^-1 of that */
  double *schur;     /* [m][m] its factor, lower triangle */
  double *scratch;   /* [4 n] */
} capm_bordered;

/* Values of the memory that capm_bordered_on lays such a system out in. */
int capm_bordered_nwork(int n, int m);
capm_bordered capm_bordered_on(int n, int m, double *memory);
/* After all that is given is set. false: not positive definite. */
bool capm_bordered_factor(const capm_bordered *b);
/* x[4 n + m] := the solution for it */
void capm_bordered_solve(const capm_bordered *b, double *x);
/* p[4 n + m] := the matrix as given, times x */
void capm_bordered_multiply(const capm_bordered *b, const double *x, double *p);
