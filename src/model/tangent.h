/* model/tangent.h — a model linearised about a state, inner states included, and its harmonic response.
 *
 * Maths: docs/theory.md §29. With z the deviations of the free coordinates and of the inner states, d those
 * of the driven coordinates:
 *   M z'' + C z' + K z = -(Cd d' + Kd d)
 * Rows are the balances of force of the free coordinates, M diagonal, and x' - g = 0 of the inner states.
 * Laws with memory have a row of their own: stuck, they follow their deflection with the stiffness right
 * after a reversal (Coulomb friction: the deflection stays as it is), sliding, with that of their envelope.
 *
 * Cost: a linearisation is one evaluation with 2 nv + nx columns, a response 8/3 n^3. One lane.
 */
#pragma once
#include "model/model.h"

typedef enum cap_tangent_friction { CAP_TANGENT_STUCK, CAP_TANGENT_SLIDING } cap_tangent_friction;

typedef struct cap_tangent {
  int n, nfree, ndriven; /* n = nfree + nx */
  int nv, nx;
  int *place;       /* [nv] of a free coordinate in z, or -1 - its motion */
  double *M;        /* [n] */
  double *C, *K;    /* [n][n] */
  double *Cd, *Kd;  /* [n][ndriven] */
  double *force;    /* [noutput] the elements' forces at the state */
  double imbalance; /* largest force out of balance of a free coordinate at the state */
  double *columns, *slopes, *re, *im, *zr, *zi;
  int *pivot;
  cap_arena arena;
} cap_tangent;

/* Memory for models of this structure. */
cap_status cap_tangent_create(const cap_model *m, cap_tangent **tangent);
void cap_tangent_free(cap_tangent *tangent); /* accepts NULL */

/* Linearise about the state y = (q, v, x) at time t. */
void cap_tangent_at(cap_tangent *tangent, const cap_model *m, double t, const double *y,
                    cap_tangent_friction friction);

/* The motion Re((re + i im) exp(i angular frequency t)) of the whole state, [nstate], when the driven
 * coordinates
 * deviate by dr + i di [ndriven]. CAP_ERR_NUMERICS: an undamped resonance. */
cap_status cap_tangent_respond(cap_tangent *tangent, double angular_frequency, const double *dr,
                               const double *di, double *re, double *im, cap_error *error);
