/* analysis/statics/quasistatic_newton.c — see quasistatic_newton.h. */
#include "analysis/statics/quasistatic_newton.h"
#include "model/settling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WEAK     1e-10 /* springs that hold what floats, over the stiffest one */
#define SHORTEST 1e-3  /* fraction of a step */
#define FALLS    20000 /* steps of a fall */
#define LIGHT    1e-6 /* damping at which Newton's iteration may take over, and at which a fall is given up */
#define HEAVY    1e12

cap_status cap_quasistatic_newton_create(const cap_model *m, cap_quasistatic_newton *w, cap_error *error)
{
  w->m = m;
  CAP_TRY(cap_stiffness_create(m, &w->stiffness, error));
  cap_stiffness *s = w->stiffness;
  bool ok = (w->q0 = CAP_ARENA_NEW(&w->arena, double, m->nv + 1)) &&
            (w->x0 = CAP_ARENA_NEW(&w->arena, double, m->nx + 1)) &&
            (w->q = CAP_ARENA_NEW(&w->arena, double, m->nv + 1)) &&
            (w->x = CAP_ARENA_NEW(&w->arena, double, m->nx + 1)) &&
            (w->dxdu = CAP_ARENA_NEW(&w->arena, double, m->nx + 1)) &&
            (w->step = CAP_ARENA_NEW(&w->arena, double, s->n + 1)) &&
            (w->scale = CAP_ARENA_NEW(&w->arena, double, s->n + 1)) &&
            (w->from = CAP_ARENA_NEW(&w->arena, double, m->nv + 1)) &&
            (w->fallen = CAP_ARENA_NEW(&w->arena, double, m->nv + 1)) &&
            (w->values = CAP_ARENA_NEW(&w->arena, double, s->nvalue + 1));
  cap_status status = ok ? CAP_OK : CAP_ERR_NOMEM;
  if (ok && s->n > 0) status = capm_sparse_create(s->n, s->start, s->row, &w->sparse);
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "out of memory");
}

void cap_quasistatic_newton_free(cap_quasistatic_newton *w)
{
  capm_sparse_free(w->sparse);
  cap_stiffness_free(w->stiffness);
  cap_arena_free(&w->arena);
  *w = (cap_quasistatic_newton){0};
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

static void forces(cap_quasistatic_newton *w, double t)
{
  cap_settling_states(w->m, w->q0, w->x0, w->q, w->x, w->dxdu);
  cap_stiffness_forces(w->stiffness, t, w->q, w->x);
}

/* And of every coordinate the largest stiffness that it has had. */
static void slopes(cap_quasistatic_newton *w, double t)
{
  const cap_stiffness *s = w->stiffness;
  cap_settling_states(w->m, w->q0, w->x0, w->q, w->x, w->dxdu);
  cap_stiffness_evaluate(w->stiffness, t, w->q, w->x, w->dxdu);
  for (int i = 0; i < s->n; i++) w->scale[i] = fmax(w->scale[i], fabs(s->values[s->diagonal[i]]));
}

static double imbalance(const cap_quasistatic_newton *w)
{
  double worst = 0.0;
  for (int i = 0; i < w->stiffness->n; i++) {
    double h = fabs(w->stiffness->h[w->stiffness->coord[i]]);
    if (!(h <= worst)) worst = h;
  }
  return worst;
}

/* Forces over the stiffness that they act on: an energy. */
static double merit(const cap_quasistatic_newton *w)
{
  const cap_stiffness *s = w->stiffness;
  double sum = 0.0;
  for (int i = 0; i < s->n; i++) {
    double h = s->h[s->coord[i]], k = w->scale[i];
    sum += k > 0.0 ? h * h / k : h * h;
  }
  return sum;
}

static double stiffest(const cap_stiffness *s)
{
  double most = 0.0;
  for (int i = 0; i < s->n; i++) most = fmax(most, fabs(s->values[s->diagonal[i]]));
  return most;
}

/* step := (K + hold + damping scale)^-1 h */
static bool direction(cap_quasistatic_newton *w, double hold, double damping)
{
  const cap_stiffness *s = w->stiffness;
  memcpy(w->values, s->values, sizeof(double) * (size_t)s->nvalue);
  for (int i = 0; i < s->n; i++) {
    double *at = &w->values[s->diagonal[i]];
    *at += hold + damping * w->scale[i];
    w->step[i] = s->h[s->coord[i]];
  }
  w->factored = capm_sparse_factor_real(w->sparse, w->values) == CAP_OK;
  if (!w->factored) return false;
  if (capm_sparse_solve_real(w->sparse, 1, w->step) != CAP_OK) return false;
  double sum = 0.0;
  for (int i = 0; i < s->n; i++) sum += 0.0 * w->step[i];
  return sum == 0.0;
}

static void move(cap_quasistatic_newton *w, double fraction)
{
  const cap_stiffness *s = w->stiffness;
  w->correction = 0.0;
  for (int i = 0; i < s->n; i++) {
    w->q[s->coord[i]] = w->from[s->coord[i]] + fraction * w->step[i];
    w->correction = fmax(w->correction, fabs(fraction * w->step[i]));
  }
}

/* ---- Newton -------------------------------------------------------------------------------------------- */

/* In balance, and what the last slopes make of the rest moves nothing further than tol_f. */
static bool there(cap_quasistatic_newton *w)
{
  const cap_stiffness *s = w->stiffness;
  if (!(w->imbalance <= w->tol_h)) return false;
  w->correction = 0.0;
  if (!w->factored) return true;
  for (int i = 0; i < s->n; i++) w->step[i] = s->h[s->coord[i]];
  if (capm_sparse_solve_real(w->sparse, 1, w->step) != CAP_OK) return false;
  for (int i = 0; i < s->n; i++) w->correction = fmax(w->correction, fabs(w->step[i]));
  return w->correction <= w->tol_f;
}

/* Whether the whole step is within the last digits of the coordinates. */
static bool at_rounding(const cap_quasistatic_newton *w)
{
  double size = 0.0, step = 0.0;
  for (int i = 0; i < w->m->nv; i++) size = fmax(size, fabs(w->from[i]));
  for (int i = 0; i < w->stiffness->n; i++) step = fmax(step, fabs(w->step[i]));
  return step <= 8.0 * DBL_EPSILON * size;
}

/* Shorten the step until the merit falls. */
static bool search_line(cap_quasistatic_newton *w, double t)
{
  double before = merit(w);
  memcpy(w->from, w->q, sizeof(double) * (size_t)w->m->nv);
  for (double fraction = 1.0; fraction > SHORTEST; fraction *= 0.5) {
    move(w, fraction);
    forces(w, t);
    w->imbalance = imbalance(w);
    if (!(w->imbalance > w->tol_h) || merit(w) < before) return true;
  }
  return false;
}

cap_status cap_quasistatic_newton_solve(cap_quasistatic_newton *w, double t)
{
  w->iterations = 0;
  w->correction = 0.0;
  forces(w, t);
  w->imbalance = imbalance(w);
  while (!there(w)) {
    if (cap_progress_stopped(w->progress)) return CAP_STOPPED;
    if (w->iterations >= w->most || !isfinite(w->imbalance)) return CAP_RETRY_NOCONV;
    slopes(w, t);
    if (!direction(w, 0.0, 0.0) && !direction(w, WEAK * stiffest(w->stiffness), 0.0)) return CAP_RETRY_NOCONV;
    w->sign = w->stiffness->n > 0 ? capm_sparse_sign(w->sparse) : 1;
    w->iterations++;
    if (search_line(w, t)) continue;
    if (!at_rounding(w)) return CAP_RETRY_NOCONV;
    memcpy(w->q, w->from, sizeof(double) * (size_t)w->m->nv);
    forces(w, t);
    w->imbalance = imbalance(w);
    return CAP_OK;
  }
  return CAP_OK;
}

/* ---- falling ------------------------------------------------------------------------------------------- */

static double along_step(const cap_quasistatic_newton *w)
{
  double sum = 0.0;
  for (int i = 0; i < w->stiffness->n; i++) sum += w->stiffness->h[w->stiffness->coord[i]] * w->step[i];
  return sum;
}

/* One damped step downhill, not beyond the bottom by more than half the way's force; false: it was none. */
static bool slide(cap_quasistatic_newton *w, double t, double damping)
{
  memcpy(w->from, w->q, sizeof(double) * (size_t)w->m->nv);
  slopes(w, t);
  double slope = direction(w, 0.0, damping) ? along_step(w) : 0.0;
  if (!(slope > 0.0)) return false;
  move(w, 1.0);
  forces(w, t);
  double ahead = along_step(w);
  if (isfinite(ahead) && ahead > -0.5 * slope) return true;
  memcpy(w->q, w->from, sizeof(double) * (size_t)w->m->nv);
  return false;
}

cap_status cap_quasistatic_newton_fall(cap_quasistatic_newton *w, double t)
{
  double damping = 1.0;
  int total = 0;
  while (total < FALLS && damping < HEAVY) {
    if (cap_progress_stopped(w->progress)) return CAP_STOPPED;
    bool down = slide(w, t, damping);
    total++;
    damping *= down ? 0.3 : 4.0;
    if (damping > LIGHT && imbalance(w) > w->tol_h) continue;
    memcpy(w->fallen, w->q, sizeof(double) * (size_t)w->m->nv);
    w->sign = 0;
    cap_status status = cap_quasistatic_newton_solve(w, t);
    total += w->iterations;
    w->iterations = total;
    if (status <= 0 || status == CAP_STOPPED) return status;
    memcpy(w->q, w->fallen, sizeof(double) * (size_t)w->m->nv); /* still on its way */
    damping = 1e3 * LIGHT;
  }
  return CAP_RETRY_NOCONV;
}
