/* hb/hb_newton.h — one periodic solution at one angular frequency, by damped Newton; harmonics and samples
 * to a
 * tolerance.
 *
 * Maths: docs/theory.md §13. Each step solves J d = -r (least norm where J is singular, as for families of
 * stuck orbits) and is halved while the residual grows. What the truncation leaves out is estimated from the
 * computed solution: the harmonics H + 1 .. 2H of the nonlinear forces over the dynamic stiffness there, and
 * the Newton step that twice the samples would ask for.
 */
#pragma once
#include "hb/hb.h"

typedef struct cap_hb_newton_settings {
  double tolerance; /* of the last step, relative to the coefficients of each coordinate; 0 = 1e-10 */
  int most;         /* iterations; 0 = 50, 100 with Coulomb friction */
} cap_hb_newton_settings;

typedef struct cap_hb_newton_report {
  bool converged;
  int iterations, evaluations;
  double residual; /* Euclidean norm, N */
  double step;     /* the last one, relative */
} cap_hb_newton_report;

/* Improve x[nunknown] at `angular_frequency`. CAP_RETRY_NOCONV with the reason when it does not converge; x
 * is then
 * the best point found. */
cap_status cap_hb_newton_solve(cap_hb *hb, double *x, double angular_frequency,
                               const cap_hb_newton_settings *settings, cap_hb_newton_report *report,
                               cap_error *error);

/* Relative size of what H harmonics leave out: root mean square of the displacements that the harmonics
 * H + 1 .. 2H of the nonlinear forces would cause, over that of the motion about its mean. x must be a
 * solution. */
cap_status cap_hb_newton_tail(cap_hb *hb, const double *x, double angular_frequency, double *tail,
                              cap_error *error);

/* Relative size of what the samples get wrong: the Newton step that `finer`, a balance of the same model with
 * more samples, asks for at a solution of `hb`, over the motion about its mean. */
cap_status cap_hb_newton_sampling(const cap_hb *hb, cap_hb *finer, const double *x, double angular_frequency,
                                  double *size, cap_error *error);

typedef struct cap_hb_adapt {
  double tolerance;                 /* of tail and sampling, relative */
  int harmonics_most, samples_most; /* 0 = 200, 16384 */
  cap_hb_newton_settings newton;
  /* out */
  double tail, sampling; /* the estimates at the end */
  bool reached;          /* both below the tolerance */
  cap_hb_newton_report report;
} cap_hb_adapt;

/* Solve, raise harmonics and samples until the estimates are below the tolerance (or the most is reached:
 * reached = false). *hb and *x are replaced by larger ones where needed. */
cap_status cap_hb_newton_adapt(cap_hb **hb, double **x, double angular_frequency, cap_hb_adapt *adapt,
                               cap_error *error);
