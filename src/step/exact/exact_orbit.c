/* step/exact/exact_orbit.c — see exact_orbit.h. */
#include "step/exact/exact_orbit.h"

#include "linalg/eigen.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"
#include "step/exact/exact_stuck.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 30, MOST_HALVINGS = 6 };
static const double CONVERGED_RESIDUAL = 1e-11, CONVERGED_STEP = 1e-10;

/* Where the scratch of an orbit lies. */
typedef struct search {
  cap_exact *e;
  cap_exact_orbit *orbit;
  cap_error *error;
  int n;
  double *y, *residual, *tangent;                 /* the iterate */
  double *trial, *trial_residual, *trial_tangent; /* the next one */
  double *scale, *step, *matrix, *end;
  double norm; /* of the iterate's residual */
  long nevent, trial_nevent;
} search;

static size_t work_length(int n)
{
  return (size_t)(3 * n * n + 7 * n);
}

cap_status cap_exact_orbit_create(cap_arena *arena, const cap_exact *exact, cap_exact_orbit *orbit)
{
  int n = cap_exact_size(exact);
  *orbit = (cap_exact_orbit){
      .y = CAP_ARENA_NEW(arena, double, n),
      .flags = CAP_ARENA_NEW(arena, int, n),
      .monodromy = CAP_ARENA_NEW(arena, double, (n * n)),
      .work = CAP_ARENA_NEW(arena, double, work_length(n)),
      .index = CAP_ARENA_NEW(arena, int, 2 * n),
  };
  return orbit->y && orbit->flags && orbit->monodromy && orbit->work && orbit->index ? CAP_OK : CAP_ERR_NOMEM;
}

static search search_on(cap_exact *e, cap_exact_orbit *orbit, cap_error *error)
{
  int n = cap_exact_size(e);
  search s = {.e = e, .orbit = orbit, .error = error, .n = n};
  double *w = orbit->work;
  s.tangent = w, w += n * n;
  s.trial_tangent = w, w += n * n;
  s.matrix = w, w += n * n;
  s.y = w, w += n;
  s.residual = w, w += n;
  s.trial = w, w += n;
  s.trial_residual = w, w += n;
  s.scale = w, w += n;
  s.step = w, w += n;
  s.end = w;
  return s;
}

static double scaled_norm(int n, const double *a, const double *scale)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double part = fabs(a[i]) / scale[i];
    if (!(part <= largest)) largest = part;
  }
  return largest;
}

/* Residual and tangent of the period map at s->trial. */
static cap_status period_map(search *s)
{
  int n = s->n, *flags = s->orbit->index;
  cap_exact_watch watch = {.tangent = s->trial_tangent};
  memset(s->trial_tangent, 0, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < n; i++) s->trial_tangent[i * n + i] = 1.0;
  CAP_TRY(cap_exact_start(s->e, 0.0, s->trial, flags, s->error));
  memcpy(s->end, s->trial, (size_t)n * sizeof(double));
  CAP_TRY(cap_exact_advance(s->e, 0.0, s->orbit->period, s->end, flags, &watch, s->error));
  for (int i = 0; i < n; i++) s->trial_residual[i] = s->end[i] - s->trial[i];
  s->trial_nevent = watch.nevent;
  return CAP_OK;
}

static void exchange(double **a, double **b)
{
  double *keep = *a;
  *a = *b;
  *b = keep;
}

static void accept_trial(search *s)
{
  exchange(&s->y, &s->trial);
  exchange(&s->residual, &s->trial_residual);
  exchange(&s->tangent, &s->trial_tangent);
  s->norm = scaled_norm(s->n, s->residual, s->scale);
  s->nevent = s->trial_nevent;
}

/* (T - 1) step = -residual in scaled unknowns; the step of least norm where the matrix is singular. */
static cap_status newton_step(search *s)
{
  int n = s->n, *pivot = s->orbit->index + n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      s->matrix[i * n + j] = (s->tangent[i * n + j] - (i == j)) * s->scale[j] / s->scale[i];
    s->step[i] = -s->residual[i] / s->scale[i];
  }
  memcpy(s->trial_tangent, s->matrix, (size_t)(n * n) * sizeof(double));
  if (capm_lu_factor(n, s->matrix, pivot) == 0 && capm_lu_pivot_ratio(n, s->matrix) > 1e-8) {
    capm_lu_solve(n, s->matrix, pivot, s->step);
  } else {
    memcpy(s->end, s->step, (size_t)n * sizeof(double));
    CAP_TRY(capm_lsq_least_norm(n, n, s->trial_tangent, s->end, 1e-8, 0, s->step, NULL));
  }
  for (int i = 0; i < n; i++) s->step[i] *= s->scale[i];
  return CAP_OK;
}

/* Newton's method with halved steps from s->trial; *found tells whether it arrived. */
static cap_status newton(search *s, bool *found)
{
  *found = false;
  CAP_TRY(period_map(s));
  accept_trial(s);
  for (int count = 0; count < MOST_ITERATIONS; count++) {
    if (s->norm <= CONVERGED_RESIDUAL) {
      *found = true;
      return CAP_OK;
    }
    CAP_TRY(newton_step(s));
    s->orbit->iterations++;
    double size = scaled_norm(s->n, s->step, s->scale), factor = 1.0, norm = INFINITY;
    for (int half = 0; half <= MOST_HALVINGS; half++, factor *= 0.5) {
      for (int i = 0; i < s->n; i++) s->trial[i] = s->y[i] + factor * s->step[i];
      CAP_TRY(period_map(s));
      norm = scaled_norm(s->n, s->trial_residual, s->scale);
      if (norm <= (1.0 - 0.1 * factor) * s->norm || size <= CONVERGED_STEP) break;
    }
    if (!(norm < s->norm) && size > CONVERGED_STEP) return CAP_OK;
    accept_trial(s);
    if (size <= CONVERGED_STEP) {
      *found = true;
      return CAP_OK;
    }
  }
  return CAP_OK;
}

/* Run some periods from s->y; friction and dampers bring it nearer to the orbit. */
static cap_status relax(search *s, int nperiod)
{
  int *flags = s->orbit->index;
  memcpy(s->trial, s->y, (size_t)s->n * sizeof(double));
  CAP_TRY(cap_exact_start(s->e, 0.0, s->trial, flags, s->error));
  for (int i = 0; i < nperiod; i++) {
    /* the forcing has this period, so every one may start at t = 0 */
    CAP_TRY(cap_exact_advance(s->e, 0.0, s->orbit->period, s->trial, flags, NULL, s->error));
    CAP_TRY(cap_exact_start(s->e, 0.0, s->trial, flags, s->error));
  }
  s->orbit->relaxed += nperiod;
  return CAP_OK;
}

static cap_status slipping_orbit(search *s, bool guessed)
{
  static const int patience[] = {0, 3, 12, 60, 300};
  bool found = false;
  for (int i = guessed ? 0 : 1; i < (int)(sizeof patience / sizeof *patience); i++) {
    CAP_TRY(relax(s, patience[i]));
    CAP_TRY(newton(s, &found));
    if (found) break;
  }
  cap_exact_orbit *orbit = s->orbit;
  orbit->residual = s->norm;
  orbit->nevent = s->nevent;
  memcpy(orbit->y, s->y, (size_t)s->n * sizeof(double));
  memcpy(orbit->monodromy, s->tangent, (size_t)(s->n * s->n) * sizeof(double));
  CAP_TRY(cap_exact_start(s->e, 0.0, orbit->y, orbit->flags, s->error));
  if (found) return CAP_OK;
  return cap_status_fail(s->error, CAP_RETRY_NOCONV,
                         "no periodic orbit of period %.9g s found: after %d Newton iterations and %d "
                         "periods the state still changes by %.3g of its amplitude per period",
                         orbit->period, orbit->iterations, orbit->relaxed, s->norm);
}

cap_status cap_exact_orbit_find(cap_exact *exact, double period, const double *guess, cap_exact_orbit *orbit,
                                cap_error *error)
{
  CAP_TRY(cap_exact_stuck_check_period(exact, period, error));
  search s = search_on(exact, orbit, error);
  if (guess) memmove(s.y, guess, (size_t)s.n * sizeof(double));
  orbit->period = period;
  orbit->iterations = orbit->relaxed = 0;
  orbit->nevent = 0;
  orbit->residual = 0.0;
  CAP_TRY(cap_exact_stuck_orbit(exact, period, guess ? s.y : NULL, orbit->y, &orbit->fully_stuck, error));
  if (orbit->fully_stuck) {
    for (int i = 0; i < s.n - cap_exact_stuck_first_slider(exact); i++) orbit->flags[i] = CAP_EXACT_STICK;
    return CAP_OK;
  }
  if (!guess) memcpy(s.y, orbit->y, (size_t)s.n * sizeof(double));
  cap_exact_stuck_scales(exact, s.y, s.scale);
  return slipping_orbit(&s, guess != NULL);
}

cap_status cap_exact_orbit_multipliers(cap_exact *exact, cap_exact_orbit *orbit, double *re, double *im,
                                       cap_error *error)
{
  search s = search_on(exact, orbit, error);
  if (orbit->fully_stuck) {
    memcpy(s.trial, orbit->y, (size_t)s.n * sizeof(double));
    CAP_TRY(period_map(&s));
    memcpy(orbit->monodromy, s.trial_tangent, (size_t)(s.n * s.n) * sizeof(double));
  }
  cap_status status = capm_eigen_general(s.n, orbit->monodromy, re, im, NULL, NULL);
  if (status != CAP_OK) cap_status_fail(error, status, "the Floquet multipliers could not be computed");
  return status;
}
