/* model/constraints.h — ideal contacts: multipliers, projection, rank.
 *
 * Maths: docs/theory.md §19. With A = J M^-1 J' the multipliers follow from J v' + J' v - b' = 0:
 *     A Lambda = J M^-1 h + (J' v - b')
 * and the velocity that meets the rows and is nearest in the norm of M from A mu = J v - b. A is small and
 * dense, and factorised by Cholesky in the order of the rows: a pivot that vanishes names the row that
 * depends on those before it.
 */
#pragma once
#include "model/model.h"

/* How much a force moves coordinate i, 1/kg or 1/(kg m2). Driven coordinates move as they are told, whatever
 * the forces. */
static inline double cap_constraints_mobility(const cap_model *m, int i)
{
  return m->driven[i] < 0 ? m->inverse_mass[i] : 0.0;
}

/* Values that a workspace needs. */
int cap_constraints_size(const cap_model *m);

/* After cap_model_rates without multipliers: find them, and add their forces to e->h, e->force and e->power.
 * Uses e->xdot, e->workspace; where the rows have lost rank all of h is NAN. */
void cap_constraints_react(const cap_model *m, cap_eval *e);

/* Bring a state back: quaternions to norm one, gaps closed, velocities to the nearest with J v = b. Fails
 * where the rows have lost rank, with the time and the row. */
cap_status cap_constraints_project(const cap_model *m, double t, double *y, double *workspace,
                                   cap_error *error);

/* lambda[nideal] at a state. */
cap_status cap_constraints_multipliers(const cap_model *m, double t, const double *y, double *workspace,
                                       double *lambda, cap_error *error);

/* Largest |J v - b| of the ideal rows in m/s, and its row (may be NULL). */
double cap_constraints_residual(const cap_model *m, double t, const double *y, double *workspace, int *row);

/* Number of independent rows; *dependent: the first that depends on those before it, or -1. */
int cap_constraints_rank(const cap_model *m, double t, const double *y, double *workspace, int *dependent);

/* The failure that lost rank is, for steppers that have met it. */
cap_status cap_constraints_fail_rank(const cap_model *m, double t, int row, cap_error *error);
