/* analysis/statics/quasistatic_newton.h — the equilibrium at one time, by Newton's iteration with sparse
 * slopes.
 *
 * Maths: docs/theory.md §40.5, eq. (2.37): 0 = h(q, 0, x, t) with the driven coordinates where their motion
 * has them. A step is shortened until sum h_i^2 / k_i falls, with k_i the largest K_ii so far. What floats is
 * held by weak springs.
 */
#pragma once
#include "base/progress.h"
#include "linalg/sparse.h"
#include "model/stiffness.h"

typedef struct cap_quasistatic_newton {
  const cap_model *m;
  cap_stiffness *stiffness;
  capm_sparse *sparse;
  double tol_h, tol_f;          /* N, m */
  int most;                     /* iterations */
  const cap_progress *progress; /* or NULL */
  /* where the slow motion to the trial state starts */
  double *q0, *x0; /* [nv], [nx] */
  /* the trial state */
  double *q, *x, *dxdu;         /* [nv], [nx], [nx] */
  double *step, *from, *fallen; /* [n], [nv], [nv] scratch */
  double *scale;                /* [n] N/m, largest stiffness of each coordinate so far */
  double *values;               /* [nvalue] of what is factored */
  /* of the last solve */
  int iterations, sign;
  double imbalance, correction; /* N; m: how far the state still would move */
  bool factored;
  cap_arena arena;
} cap_quasistatic_newton;

cap_status cap_quasistatic_newton_create(const cap_model *m, cap_quasistatic_newton *w, cap_error *error);
void cap_quasistatic_newton_free(cap_quasistatic_newton *w); /* accepts a zeroed one */

/* From w->q, whose driven coordinates are those of t. CAP_RETRY_NOCONV: not found; CAP_STOPPED. */
cap_status cap_quasistatic_newton_solve(cap_quasistatic_newton *w, double t);
/* Down from a state that is no equilibrium any more (a snap-through): damped motion without inertia until
 * Newton's iteration takes over. */
cap_status cap_quasistatic_newton_fall(cap_quasistatic_newton *w, double t);
