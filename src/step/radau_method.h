/* step/radau_method.h — the numbers of the Radau IIA collocation methods with 3, 5 or 7 stages.
 *
 * Maths: docs/theory.md §19.4. Computed, not tabled: the nodes are the zeros of P_s - P_{s-1} (Legendre
 * polynomials on [0, 1]), the matrix A is that of collocation at them. Order 2s - 1, L-stable, stiffly
 * accurate.
 */
#pragma once
#include "base/status.h"

enum { CAPM_RADAU_METHOD_MOST = 7, CAPM_RADAU_METHOD_PAIRS = (CAPM_RADAU_METHOD_MOST - 1) / 2 };

typedef struct capm_radau_method {
  int stages, npair; /* s, (s - 1) / 2 */
  double node[CAPM_RADAU_METHOD_MOST];
  double weight[CAPM_RADAU_METHOD_MOST]; /* of the quadrature, = last row of A */
  double a[CAPM_RADAU_METHOD_MOST][CAPM_RADAU_METHOD_MOST];
  double inverse[CAPM_RADAU_METHOD_MOST][CAPM_RADAU_METHOD_MOST]; /* of A */
  /* A^-1 = T diag(gamma, [alpha beta; -beta alpha], ...) T^-1; column 0 of T belongs to gamma, columns 1 + 2k
   * and 2 + 2k are the real and imaginary parts of the vector of alpha_k + i beta_k. */
  double gamma, alpha[CAPM_RADAU_METHOD_PAIRS], beta[CAPM_RADAU_METHOD_PAIRS];
  double to[CAPM_RADAU_METHOD_MOST][CAPM_RADAU_METHOD_MOST];   /* T^-1 */
  double from[CAPM_RADAU_METHOD_MOST][CAPM_RADAU_METHOD_MOST]; /* T */
  /* Slope of the collocation polynomial at the step's start: h u'(0) = sum start_slope_i Z_i. */
  double start_slope[CAPM_RADAU_METHOD_MOST];
} capm_radau_method;

/* stages: 3, 5 or 7. CAP_ERR_NUMERICS when the eigenvalues were not found. */
cap_status capm_radau_method_set(int stages, capm_radau_method *r);
/* Weights of the polynomial through (0, 0) and (node_j, Z_j) at the place x (in step lengths):
 * value = sum weight_j Z_j. */
void capm_radau_method_extend(const capm_radau_method *r, double x, double *weight);
