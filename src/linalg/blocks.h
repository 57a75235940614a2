/* linalg/blocks.h — symmetric positive definite systems of a closed chain: blocks of four unknowns, each
 * coupled with its neighbours, the last with the first.
 *
 * A = L D L' by blocks, where the last block row of L is full. All matrices are column by column, so that a
 * product is four scaled columns and stays in vector registers; in the two passes each block waits for one
 * such product only.
 *
 * Cost: 90 ns a block for the factor, 6 ns a block and pass, of AVX-512.
 */
#pragma once
#include <stdbool.h>

enum { CAPM_BLOCKS_SIZE = 4, CAPM_BLOCKS_MATRIX = 16 };

typedef struct capm_blocks {
  int n;                 /* blocks, at least 3 */
  double *diagonal;      /* [n] as given */
  double *lower;         /* [n] lower[k] = A(k, k - 1); that of 0 is A(0, n - 1) */
  double *inverse;       /* [n] of the blocks of D */
  double *left, *left_t; /* [n] L(k, k - 1) and transposed, k = 1 .. n - 2 */
  double *last, *last_t; /* [n] L(n - 1, k), k < n - 1 */
} capm_blocks;

/* Values of the memory that capm_blocks_on lays a system of n blocks out in. */
int capm_blocks_nwork(int n);
capm_blocks capm_blocks_on(int n, double *memory);
/* After diagonal and lower are set. false: not positive definite. */
bool capm_blocks_factor(const capm_blocks *b);
/* y[ncol][4 n] := L^-1 y, and D^-1 of it into z. */
void capm_blocks_forward(const capm_blocks *b, int ncol, double *y, double *z);
/* x[4 n] := L^-T x */
void capm_blocks_backward(const capm_blocks *b, double *x);
/* p[4 n] := A x with A as given */
void capm_blocks_multiply(const capm_blocks *b, const double *x, double *p);
/* x' A x with A as given */
double capm_blocks_square(const capm_blocks *b, const double *x);
