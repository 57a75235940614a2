/* solve/levenberg.h — nonlinear least squares within bounds, by Levenberg and Marquardt.
 *
 * Maths: docs/theory.md §42.2. Minimises sum r_i(x)^2 over low <= x <= high. The residuals are expensive and
 * have no derivatives: they are asked for in batches (a Jacobian by central differences, or several trial
 * dampings), which the caller may compute on several threads. A point where they cannot be computed is
 * avoided by more damping. The way taken does not depend on how a batch is computed.
 *
 * Memory: allocated here, released by the caller of cap_levenberg_run with cap_levenberg_free.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>

typedef struct cap_levenberg_problem {
  int n, m;                 /* unknowns, residuals; m >= n */
  const double *low, *high; /* [n] bounds; -INFINITY, INFINITY = none */
  const double *step;       /* [n] steps of the differences */
  void *self;
  /* r[count][m] at x[count][n]; good[count] tells where there are any. A failure is final. */
  cap_status (*residuals)(void *self, int count, const double *x, double *r, bool *good, cap_error *error);
  /* After every accepted step; false = stop. May be NULL. */
  bool (*progress)(void *self, int iteration, double sum);
} cap_levenberg_problem;

typedef struct cap_levenberg_result {
  double *x;   /* [n] */
  double *r;   /* [m] */
  double *J;   /* [m][n] dr/dx at x */
  double sum;  /* of squares */
  bool *bound; /* [n] x is at a bound that it would like to cross */
  int iterations, evaluations;
  bool converged; /* nothing more to gain; else the iterations ran out */
  cap_arena arena;
} cap_levenberg_result;

/* From x0[n], at most `most` iterations. CAP_ERR_NUMERICS when the residuals cannot be computed at x0 or
 * beside the last point. */
cap_status cap_levenberg_run(const cap_levenberg_problem *p, const double *x0, int most,
                             cap_levenberg_result *result, cap_error *error);
void cap_levenberg_free(cap_levenberg_result *result);
