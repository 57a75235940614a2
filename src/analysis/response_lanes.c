/* analysis/response_lanes.c — response curves by a time stepper and Newton on the period map.
 *
 * Steppers that take ensembles compute eight family members in the lanes of one model. Members that need more
 * passes than most are finished alone, so that one hard orbit does not hold up seven easy ones. The step of
 * rk4 follows from the tolerance, from the fastest mode of the system, and from how fast the inner states
 * forget (a stiff law near its envelope), as seen on the orbit before; when the orbit at hand turns out
 * stiffer, it is computed again.
 */
#include "analysis/equilibrium.h"
#include "analysis/extremes.h"
#include "analysis/orbit.h"
#include "analysis/response.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 8, GROUP_PASSES = 8, SINGLE_PASSES = 150, HISTORY = 3 };

/* How far decay times step may go: RK4 is stable to 2.78, and accurate near the envelope below about 2.2. */
static const double decay_aim = 1.8, decay_most = 2.3;

/* One group of family members along the sweep. */
typedef struct group {
  cap_response *r;
  const cap_stepper_type *type;
  int n, member[GROUP];
  int nhistory;
  double *history[HISTORY]; /* [nstate][n] orbits before, newest first */
  double *scale;            /* [nstate][n] */
  double *predicted;        /* [nstate][n] where the search starts */
  double decay[GROUP];      /* of the orbit before */
  double mode_step;         /* s, from the fastest mode and the tolerance */
  cap_arena arena;
} group;

/* Largest step that resolves the fastest mode of `m` about its equilibrium, to the tolerance. */
static cap_status resolve_modes(group *g, const cap_model *m)
{
  cap_run *run = g->r->run;
  int n = m->nv;
  double *K = CAP_ARENA_NEW(&g->arena, double, n *n), *C = CAP_ARENA_NEW(&g->arena, double, n *n);
  double *a = CAP_ARENA_NEW(&g->arena, double, 4 * n * n), *re = CAP_ARENA_NEW(&g->arena, double, 2 * n);
  double *im = CAP_ARENA_NEW(&g->arena, double, 2 * n), fastest = 0.0;
  cap_data *d = cap_data_create(m);
  if (!K || !C || !a || !re || !im || !d) {
    cap_data_free(d);
    return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  }
  cap_equilibrium found;
  cap_error ignored;
  /* without an equilibrium the start serves: only an estimate of stiffness is wanted */
  if (cap_equilibrium_find(m, d, 1e-8, 100, &found, &ignored) != CAP_OK) cap_data_reset(m, d);
  int nfree = cap_equilibrium_stiffness(m, d, false, K, C, run->error), row = 0;
  for (int i = 0; nfree > 0 && i < n; i++) {
    if (m->driven[i] >= 0) continue;
    a[row * 2 * nfree + nfree + row] = 1.0;
    for (int j = 0; j < nfree; j++) {
      a[(nfree + row) * 2 * nfree + j] = -K[row * nfree + j] / m->mass[i];
      a[(nfree + row) * 2 * nfree + nfree + j] = -C[row * nfree + j] / m->mass[i];
    }
    row++;
  }
  cap_data_free(d);
  if (nfree > 0 && capm_eigen_general(2 * nfree, a, re, im, NULL, NULL) == CAP_OK)
    for (int k = 0; k < 2 * nfree; k++) fastest = fmax(fastest, hypot(re[k], im[k]));
  double fraction = 0.7 * pow(g->r->spec->tolerance / 1e-4, 0.25);
  if (fastest > 0.0) g->mode_step = fmin(g->mode_step, fraction / fastest);
  return CAP_OK;
}

/* The same for all members at both ends of the sweep: a parameter that stiffens the system does so
 * monotonously. */
static cap_status find_mode_step(group *g)
{
  g->mode_step = INFINITY;
  for (int l = 0; l < g->n; l++)
    for (int end = 0; end < 2; end++) {
      cap_model *m = NULL;
      cap_status status = cap_response_build(g->r, 1, &g->member[l], end ? g->r->nsweep - 1 : 0, &m);
      if (status == CAP_OK) status = resolve_modes(g, m);
      cap_model_free(m);
      CAP_TRY(status);
    }
  return CAP_OK;
}

/* The step for the orbit at hand. */
static double step_for(const group *g, const cap_model *m, double decay)
{
  if (g->r->spec->step > 0.0) return g->r->spec->step;
  /* the lower the order, the smaller the steps for the same tolerance; where every coordinate is driven, only
   * the period says what is small */
  double part = g->type->order == 1 ? 1e-3 : g->type->order == 2 ? 0.02 : 1.0;
  double step = fmin(part * g->mode_step, fmax(part, 1e-2) * m->period[0] / 200.0);
  if (decay > 0.0 && g->type == &cap_rk4_type) step = fmin(step, decay_aim / decay);
  return step;
}

/* Extrapolate the orbits before to the next point of the sweep (equal steps assumed: it is a guess). Without
 * any, the start of the model serves, which is in `y` already. */
static void predict(const group *g, const cap_model *m, double *y)
{
  static const double weights[HISTORY + 1][HISTORY] = {{0}, {1.0}, {2.0, -1.0}, {3.0, -3.0, 1.0}};
  for (int i = 0; g->nhistory && i < m->nstate * g->n; i++) {
    y[i] = 0.0;
    for (int k = 0; k < g->nhistory; k++) y[i] += weights[g->nhistory][k] * g->history[k][i];
  }
}

typedef struct attempt {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  cap_orbit *orbit;
  cap_channels channels; /* of this model: their factors may depend on its parameters */
  cap_extremes extremes;
  cap_observer observer;
} attempt;

static void end_attempt(attempt *a)
{
  cap_stepper_free(&a->stepper);
  cap_orbit_free(a->orbit);
  cap_extremes_free(&a->extremes);
  cap_channels_free(&a->channels);
  cap_data_free(a->d);
  cap_model_free(a->m);
  *a = (attempt){0};
}

static cap_status begin_attempt(group *g, attempt *a, int nlane, const int *members, int sweep, double decay)
{
  cap_response *r = g->r;
  cap_error *error = r->run->error;
  *a = (attempt){0};
  CAP_TRY(cap_response_build(r, nlane, members, sweep, &a->m));
  CAP_TRY(cap_channels_select(&a->channels, a->m, &r->run->outputs->channels, error));
  a->d = cap_data_create(a->m);
  if (!a->d || cap_orbit_create(a->m, &a->orbit) != CAP_OK ||
      cap_extremes_create(&a->channels, nlane, &a->extremes) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  a->observer = (cap_observer){cap_extremes_see, &a->extremes};
  cap_stepper_settings settings = {
      .step = step_for(g, a->m, decay), .tolerance = 1e-3 * r->spec->tolerance, .observer = &a->observer};
  return cap_stepper_create(g->type, a->m, &settings, &a->stepper, error);
}

static cap_status search(group *g, attempt *a, int most)
{
  cap_orbit_settings settings = {.tolerance = 0.1 * g->r->spec->tolerance,
                                 .most = most,
                                 .multipliers = g->r->spec->stability,
                                 .begin = cap_extremes_begin,
                                 .self = &a->extremes};
  return cap_orbit_find(&a->stepper, a->m, a->d, &settings, a->orbit, g->r->run->error);
}

static cap_status put_lane(group *g, const attempt *a, int lane, int member, int sweep)
{
  cap_response *r = g->r;
  int nlane = a->m->nlane, at = g->member[member] * r->nsweep + sweep;
  for (int c = 0; c < r->channels.n; c++)
    cap_response_put(r, c, g->member[member], sweep, a->extremes.low[c * nlane + lane],
                     a->extremes.high[c * nlane + lane], cap_extremes_mean(&a->extremes, c, lane));
  r->converged[at] = a->orbit->converged[lane];
  r->passes[at] += a->orbit->passes;
  g->decay[member] = a->extremes.decay[lane];
  if (!r->spec->stability || !a->orbit->converged[lane]) return CAP_OK;
  double re[64], im[64];
  CAP_TRY(cap_orbit_multipliers(a->orbit, lane, re, im));
  r->multiplier[at] = hypot(re[0], im[0]);
  return CAP_OK;
}

/* Keep the orbit of a lane as the newest of the history (already shifted). */
static void keep_lane(group *g, const attempt *a, int lane, int member)
{
  for (int i = 0; i < a->m->nstate; i++) {
    g->history[0][i * g->n + member] = a->orbit->y[i * a->m->nlane + lane];
    g->scale[i * g->n + member] = a->orbit->scale[i * a->m->nlane + lane];
  }
}

/* Whether the step was too large for how stiff the orbit turned out to be. */
static bool too_stiff(const group *g, const attempt *a, int lane, double step)
{
  return g->type == &cap_rk4_type && g->r->spec->step <= 0.0 && a->extremes.decay[lane] * step > decay_most;
}

/* One member alone, as long as it takes, from its part of `guess` [nstate][n]; restarted with a smaller step
 * where it is too stiff. */
static cap_status finish_alone(group *g, int member, int sweep, const double *guess, attempt *a)
{
  double decay = g->decay[member];
  for (int round = 0; round < 6; round++) {
    CAP_TRY(begin_attempt(g, a, 1, &g->member[member], sweep, decay));
    for (int i = 0; i < a->m->nstate; i++) {
      a->orbit->y[i] = guess[i * g->n + member];
      a->orbit->scale[i] = g->scale[i * g->n + member]; /* zero before the first orbit: to be found */
    }
    double step = step_for(g, a->m, decay);
    CAP_TRY(search(g, a, SINGLE_PASSES));
    if (!too_stiff(g, a, 0, step)) return CAP_OK;
    decay = 1.1 * a->extremes.decay[0];
    end_attempt(a);
  }
  return cap_status_fail(g->r->run->error, CAP_ERR_NUMERICS,
                         "response: a law becomes too stiff for any step (decay rate %.3g 1/s)", decay);
}

static void shift_history(group *g)
{
  double *oldest = g->history[HISTORY - 1];
  for (int k = HISTORY - 1; k > 0; k--) g->history[k] = g->history[k - 1];
  g->history[0] = oldest;
}

/* All members of the group together; a failure of the flow is not final, since each gets its chance alone. */
static cap_status do_together(group *g, int sweep, attempt *all, double *predicted, bool *alone)
{
  double decay = 0.0;
  for (int l = 0; l < g->n; l++) decay = fmax(decay, 1.1 * g->decay[l]);
  CAP_TRY(begin_attempt(g, all, g->n, g->member, sweep, decay));
  size_t bytes = sizeof(double) * (size_t)(all->m->nstate * g->n);
  predict(g, all->m, all->orbit->y);
  if (g->nhistory) memcpy(all->orbit->scale, g->scale, bytes);
  memcpy(predicted, all->orbit->y, bytes);
  cap_error *error = g->r->run->error, own = {0};
  g->r->run->error = &own;
  cap_status status = search(g, all, g->n > 1 ? GROUP_PASSES : SINGLE_PASSES);
  bool failed = status != CAP_OK;
  g->r->run->error = error;
  if (failed && g->n == 1) return cap_status_fail(error, status, "%s", own.text);
  double step = step_for(g, all->m, decay);
  for (int l = 0; l < g->n; l++) {
    bool stiff = failed || too_stiff(g, all, l, step);
    alone[l] = stiff || (!all->orbit->converged[l] && g->n > 1);
    if (stiff || !alone[l]) continue;
    /* not stiff, only slow: go on from where the group came */
    for (int i = 0; i < all->m->nstate; i++) predicted[i * g->n + l] = all->orbit->y[i * g->n + l];
  }
  return CAP_OK;
}

static cap_status do_point(group *g, int sweep, attempt *all, attempt *one)
{
  bool alone[GROUP];
  CAP_TRY(do_together(g, sweep, all, g->predicted, alone));
  shift_history(g);
  for (int l = 0; l < g->n; l++) {
    if (alone[l]) {
      g->r->passes[g->member[l] * g->r->nsweep + sweep] += all->orbit->passes;
      CAP_TRY(finish_alone(g, l, sweep, g->predicted, one));
    }
    const attempt *from = alone[l] ? one : all;
    CAP_TRY(put_lane(g, from, alone[l] ? 0 : l, l, sweep));
    keep_lane(g, from, alone[l] ? 0 : l, l);
    end_attempt(one);
  }
  if (g->nhistory < HISTORY) g->nhistory++;
  return CAP_OK;
}

static cap_status do_group(group *g)
{
  cap_response *r = g->r;
  cap_status status = CAP_OK;
  int size = r->run->model->nstate * g->n;
  g->scale = CAP_ARENA_NEW(&g->arena, double, size);
  g->predicted = CAP_ARENA_NEW(&g->arena, double, size);
  for (int k = 0; k < HISTORY; k++)
    if (!(g->history[k] = CAP_ARENA_NEW(&g->arena, double, size))) status = CAP_ERR_NOMEM;
  if (!g->scale || !g->predicted || status != CAP_OK)
    return cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(find_mode_step(g));
  for (int sweep = 0; status == CAP_OK && sweep < r->nsweep; sweep++) {
    attempt all = {0}, one = {0};
    status = do_point(g, sweep, &all, &one);
    end_attempt(&all);
    end_attempt(&one);
    for (int l = 0; status == CAP_OK && l < g->n; l++)
      if (cap_response_stopped(r)) status = cap_status_fail(r->run->error, CAP_STOPPED, "interrupted");
  }
  return status;
}

static int group_size(const cap_stepper_type *type)
{
  return type->lanes ? GROUP : 1;
}

int cap_response_lanes_tasks(const cap_response *r, const cap_stepper_type *type)
{
  return (r->nfamily + group_size(type) - 1) / group_size(type);
}

cap_status cap_response_lanes_run(cap_response *r, const cap_stepper_type *type, int task)
{
  group g = {.r = r, .type = type};
  int first = task * group_size(type);
  for (int l = 0; l < group_size(type) && first + l < r->nfamily; l++) g.member[g.n++] = first + l;
  cap_status status = do_group(&g);
  cap_arena_free(&g.arena);
  return status;
}
