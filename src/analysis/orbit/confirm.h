/* analysis/orbit/confirm.h — a periodic solution that another method has found, found again by shooting.
 *
 * Maths:    docs/theory.md §15. The states of the solution at `count` equidistant instants start Newton's
 *           method on phi_k(y_k) = y_k+1 (the last: y_0), phi_k the flow of a time stepper from one instant
 *           to the next: multiple shooting, so that strongly unstable orbits are no harder than stable ones.
 *           The balance has no part in it beside the start.
 * Stepper:  exact between stick and slip where all elements are linear; else the extrapolated midpoint rule
 *           with a tolerance of 1e-10, which lands on the corners of piecewise-linear laws and on reversals.
 *           Refused: Coulomb friction without compliance, dry friction beside nonlinear elements, laws whose
 *           force jumps (hysteresis with the unsmoothed sign).
 * Distance: |y_shooting - y_given| over the extent (largest minus smallest value over the instants of the
 *           orbit by shooting) of that state; a state that moves by less than a thousandth of the most moving
 *           one of its kind (positions, velocities, inner forces) is compared with that thousandth.
 * Threads:  one handle a thread; it serves every model of the same structure.
 */
#pragma once
#include "hb/hb_curve.h"
#include "step/stepper.h"

typedef struct cap_confirm_settings {
  double tolerance; /* of the last Newton step, in units of distance; 0 = 1e-9 */
  double near;      /* an orbit farther than this is another one; 0 = 0.05 */
  int most;         /* Newton steps; 0 = 20 */
} cap_confirm_settings;

typedef struct cap_confirm_result {
  bool found;      /* Newton's method arrived at a periodic orbit */
  bool same;       /* and it is near the given one, with the same least period */
  double distance; /* largest over all states and instants */
  double start;    /* largest over all states at the start of the period */
  double position; /* largest over positions and instants, and the same not divided by the extent (m, rad) */
  double position_metre;
  double velocity; /* largest over velocities and instants */
  double rms;     /* root mean square of the positions' difference over that of their motion about the mean */
  double rms_ac;  /* difference of the root mean squares of both motions about their means, over that of the
                     orbit */
  double largest; /* modulus of the largest Floquet multiplier of the orbit by shooting, over sub periods */
  int unstable;   /* number of multipliers outside the unit circle (beyond 1 + 1e-6) */
  int period;     /* least period of the orbit by shooting, in periods of the forcing */
  double shift;   /* of the parameter, where it was set free (cap_confirm_near); else 0 */
  int iterations; /* Newton steps */
  double residual;  /* largest |phi_k(y_k) - y_k+1| at the end, in units of distance */
  char reason[200]; /* why it is not found or not the same; else empty */
} cap_confirm_result;

typedef struct cap_confirm cap_confirm;

/* For models of the structure of m (which need not outlive the call). CAP_ERR_UNSUPPORTED with the reason
 * when no stepper can do it. settings may be NULL. */
cap_status cap_confirm_create(const cap_model *m, const cap_confirm_settings *settings, cap_confirm **confirm,
                              cap_error *error);
void cap_confirm_free(cap_confirm *confirm); /* accepts NULL */

/* Instants that a solution of `sub` periods is given at: 32 for one period, 64 for more. */
int cap_confirm_count(int sub);

/* states[cap_confirm_count][nstate] of the given solution of `sub` periods of the forcing of m, the first at
 * t = 0. CAP_OK also when there is no such orbit (result->reason tells); the other statuses are failures of
 * memory or of the model. */
cap_status cap_confirm_states(cap_confirm *confirm, const cap_model *m, int sub, const double *states,
                              cap_confirm_result *result, cap_error *error);

/* The same for a solution x of a harmonic balance at `angular_frequency`; m is the model with that angular
 * frequency and the
 * balance's other parameters (hb->m itself may have another angular frequency). */
cap_status cap_confirm_balance(cap_confirm *confirm, const cap_model *m, cap_hb *hb, const double *x,
                               double angular_frequency, cap_confirm_result *result, cap_error *error);

/* At a fold the orbits by two methods have no common parameter: one may have none where the other has its
 * last. The orbit found is then the nearest of all parameters: Newton's steps on the nodes and p of least
 * norm, p in units of `scale` (the range that is looked at, or a tenth of it). Where the first solution at p
 * itself is wanted when there is one, leave `at_once` false. */
typedef struct cap_confirm_parameter {
  const cap_hb_curve_source *source; /* of models over p */
  double p, scale;
  bool at_once; /* do not try p itself first */
} cap_confirm_parameter;

cap_status cap_confirm_near(cap_confirm *confirm, const cap_confirm_parameter *parameter, int sub,
                            const double *states, cap_confirm_result *result, cap_error *error);
cap_status cap_confirm_balance_near(cap_confirm *confirm, const cap_confirm_parameter *parameter, cap_hb *hb,
                                    const double *x, double angular_frequency, cap_confirm_result *result,
                                    cap_error *error);

/* States [count][nstate] of the orbit found last. */
const double *cap_confirm_orbit(const cap_confirm *confirm);
