/* drives/accessory/belt/belt_statics_hubs.c — steady running with pulleys whose hubs deflect under their
 * loads.
 *
 * Unknown are the shifts of these centres; the drive with its centres shifted gives the hub loads, and the
 * loads the shifts (theory (30.7)). Newton's method; the slopes, some tens of solutions of a few
 * microseconds, by differences.
 */
#include "drives/accessory/belt/belt_statics.h"
#include "linalg/lu.h"

#include <math.h>
#include <string.h>

enum { UNKNOWNS = 2 * CAP_BELT_PATH_MOST, MOST_STEPS = 30, MOST_HALVINGS = 12 };

static const double probe = 1e-6; /* m: forces change by 1e-3 of themselves at most, and smoothly */

typedef struct search {
  const cap_belt *belt; /* with its hubs */
  const cap_belt_statics_case *which;
  cap_belt shifted; /* the same with fixed centres */
  cap_belt_pulley pulleys[CAP_BELT_PATH_MOST];
  int n, at[CAP_BELT_PATH_MOST];          /* pulleys with hubs */
  double x[UNKNOWNS], residual[UNKNOWNS]; /* m */
  double J[UNKNOWNS * UNKNOWNS], step[UNKNOWNS];
} search;

static void start(search *w, const cap_belt *belt, const cap_belt_statics_case *which)
{
  w->belt = belt;
  w->which = which;
  w->shifted = *belt;
  w->shifted.pulleys = w->pulleys;
  w->n = 0;
  for (int i = 0; i < belt->npulley; i++) {
    w->pulleys[i] = belt->pulleys[i];
    w->pulleys[i].hub = NULL;
    if (!belt->pulleys[i].hub) continue;
    w->x[2 * w->n] = belt->pulleys[i].shift_x;
    w->x[2 * w->n + 1] = belt->pulleys[i].shift_y;
    w->at[w->n++] = i;
  }
}

/* Shift of each centre less that of its hub under the load. */
static cap_status try_shifts(search *w, const double *x, double *residual, cap_belt_statics *s,
                             cap_error *error)
{
  for (int k = 0; k < w->n; k++) {
    w->pulleys[w->at[k]].shift_x = x[2 * k];
    w->pulleys[w->at[k]].shift_y = x[2 * k + 1];
  }
  CAP_TRY(cap_belt_statics_solve_fixed(&w->shifted, w->which, s, error));
  for (int k = 0; k < w->n; k++) {
    cap_belt_statics_pulley *p = &s->pulleys[w->at[k]];
    double coordinates[CAP_BELT_HUB_MOST], shift[2];
    if (!cap_belt_hub_settle(w->belt->pulleys[w->at[k]].hub, p->hub_x, p->hub_y, coordinates, shift))
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the hub stiffness of pulley '%s' is singular; expected a positive definite stiffness",
          w->belt->pulleys[w->at[k]].name);
    residual[2 * k] = x[2 * k] - shift[0];
    residual[2 * k + 1] = x[2 * k + 1] - shift[1];
    p->shift_x = x[2 * k];
    p->shift_y = x[2 * k + 1];
  }
  return CAP_OK;
}

static double largest(int n, const double *a)
{
  double most = 0.0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i]) <= most)) most = fabs(a[i]);
  return most;
}

static cap_status newton_step(search *w, cap_error *error)
{
  cap_belt_statics s;
  int n = 2 * w->n, pivot[UNKNOWNS];
  double x[UNKNOWNS], other[UNKNOWNS];
  for (int j = 0; j < n; j++) {
    memcpy(x, w->x, sizeof x);
    x[j] += probe;
    CAP_TRY(try_shifts(w, x, other, &s, error));
    for (int i = 0; i < n; i++) w->J[i * n + j] = (other[i] - w->residual[i]) / probe;
    w->step[j] = -w->residual[j];
  }
  if (capm_lu_factor(n, w->J, pivot))
    return cap_status_fail(error, CAP_ERR_NUMERICS, "the hub deflection did not converge");
  capm_lu_solve(n, w->J, pivot, w->step);
  return CAP_OK;
}

/* As much of the step as makes the residual smaller. */
static cap_status take_step(search *w, cap_belt_statics *s, cap_error *error)
{
  int n = 2 * w->n;
  double x[UNKNOWNS], residual[UNKNOWNS], before = largest(n, w->residual), part = 1.0;
  for (int k = 0; k < MOST_HALVINGS; k++, part *= 0.5) {
    for (int i = 0; i < n; i++) x[i] = w->x[i] + part * w->step[i];
    cap_status status = try_shifts(w, x, residual, s, error);
    if (status != CAP_OK || !(largest(n, residual) < before)) continue;
    memcpy(w->x, x, sizeof x);
    memcpy(w->residual, residual, sizeof residual);
    return CAP_OK;
  }
  return cap_status_fail(error, CAP_ERR_NUMERICS, "the hub deflection did not converge");
}

cap_status cap_belt_statics_hubs_solve(const cap_belt *belt, const cap_belt_statics_case *which,
                                       cap_belt_statics *s, cap_error *error)
{
  search w;
  memset(&w, 0, sizeof w);
  start(&w, belt, which);
  CAP_TRY(try_shifts(&w, w.x, w.residual, s, error));
  for (int k = 0; k < MOST_STEPS; k++) {
    if (largest(2 * w.n, w.residual) <= 1e-13 + 1e-9 * largest(2 * w.n, w.x)) return CAP_OK;
    CAP_TRY(newton_step(&w, error));
    CAP_TRY(take_step(&w, s, error));
  }
  return cap_status_fail(error, CAP_ERR_NUMERICS, "the hub deflection did not converge");
}
