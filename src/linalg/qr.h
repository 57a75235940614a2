/* linalg/qr.h — least squares by orthogonal columns, in the order in which they are offered.
 *
 * A column that those before it make up (to `tolerance` of its own norm) is refused, so that of terms that a
 * design cannot tell apart the first stays. Q is explicit: leverages are sums of squares along its rows.
 * Gram and Schmidt, twice: orthogonal to rounding (Giraud, Langou, Rozloznik 2005).
 */
#pragma once
#include <stdbool.h>

typedef struct capm_qr {
  int m, n, most; /* rows, columns so far, room for columns */
  double *q;      /* [most][m] columns one after the other, orthonormal */
  double *r;      /* [most][most] r[j * most + i], i <= j: column j in terms of q */
} capm_qr;

bool capm_qr_init(capm_qr *qr, int m, int most); /* false: out of memory */
void capm_qr_free(capm_qr *qr);
/* Offer column[m]; false: refused. Asserts that there is room. */
bool capm_qr_add(capm_qr *qr, const double *column, double tolerance);
/* Least squares of b[m]: x[n]; fitted[m] = A x. */
void capm_qr_solve(const capm_qr *qr, const double *b, double *x, double *fitted);
/* Diagonal of the hat matrix A (A'A)^-1 A'. */
void capm_qr_leverages(const capm_qr *qr, double *h);
