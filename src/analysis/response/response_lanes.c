/* analysis/response/response_lanes.c — response curves by a time stepper and Newton on the period map.
 *
 * Steppers that take ensembles compute eight family members in the lanes of one model (fewer are filled up:
 * eight lanes cost little more than one). Members that need more passes than most are finished alone, so that
 * one hard orbit does not hold up seven easy ones. The step of rk4 follows from the tolerance, from the
 * fastest mode of the system, and from how fast the inner states forget (a stiff law near its envelope), as
 * seen on the orbit before; when the orbit at hand turns out stiffer, it is computed again.
 */
#include "analysis/observe/extremes.h"
#include "analysis/orbit/orbit.h"
#include "analysis/response/response.h"
#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, BUNDLE_PASSES = 8, FIRST_PASSES = 30, SINGLE_PASSES = 150, HISTORY = 3 };

/* How far decay times step may go: RK4 is stable to 2.78 and accurate near the envelope below about 2. */
static const double decay_aim = 1.8, decay_most = 2.0;

/* Some members of the family along the sweep; all arrays have the member innermost. */
typedef struct curves {
  cap_response *r;
  const cap_stepper_type *type;
  int first, n; /* of the family */
  int nhistory;
  double *history[HISTORY]; /* [nstate][n] orbits before, newest first */
  double *scale;            /* [nstate][n] */
  double *slope;            /* [nstate][nstate][n] derivative of the period map */
  double *start;            /* [nstate][n] where the search starts */
  double *re, *im;          /* [nstate] Floquet multipliers of one member */
  double *decay;            /* [n] of the orbit before */
  double mode_step;         /* s, from the fastest mode and the tolerance */
  double *rest;             /* [nstate][n] equilibria, where the first search starts */
  cap_arena arena;
} curves;

/* One search: members in the lanes of a model; what the vector has more is filled up with
 * the last of them. */
typedef struct bundle {
  int n, nlane, member[LANES];
  double decay; /* 1/s that the step must resolve */
  bool begun;   /* it goes on with an earlier one, whose slope serves */
} bundle;

/* What a search together leaves to do for a member. */
typedef enum fate { FOUND, SLOW, STIFF } fate;

/* Largest step that resolves the fastest mode of `m` about its equilibrium, to the tolerance. */
static cap_status resolve_modes(curves *g, const cap_model *m, int member)
{
  cap_run *run = g->r->run;
  int n = m->nv;
  double *K = CAP_ARENA_NEW(&g->arena, double, (n * n)), *C = CAP_ARENA_NEW(&g->arena, double, (n * n));
  double *a = CAP_ARENA_NEW(&g->arena, double, 4 * n * n), *re = CAP_ARENA_NEW(&g->arena, double, 2 * n);
  double *im = CAP_ARENA_NEW(&g->arena, double, 2 * n), fastest = 0.0;
  cap_data *d = cap_data_create(m);
  if (!K || !C || !a || !re || !im || !d) {
    cap_data_free(d);
    return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  }
  cap_equilibrium found;
  cap_error own = {0};
  cap_status status = cap_equilibrium_find(m, d, 1e-8, 100, &found, &own);
  if (status == CAP_ERR_NOMEM) {
    cap_data_free(d);
    return cap_status_fail(run->error, status, "%s", own.text);
  }
  /* without an equilibrium the start serves: only an estimate of stiffness is wanted */
  if (status != CAP_OK) cap_data_reset(m, d);
  for (int i = 0; i < m->nstate; i++) g->rest[i * g->n + member] = d->y[i];
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
  if (nfree < 0) return CAP_ERR_NOMEM;
  if (nfree > 0 && capm_eigen_general(2 * nfree, a, re, im, NULL, NULL) == CAP_OK)
    for (int k = 0; k < 2 * nfree; k++) fastest = fmax(fastest, hypot(re[k], im[k]));
  double fraction = 0.7 * pow(g->r->spec->tolerance / 1e-4, 0.25);
  if (fastest > 0.0) g->mode_step = fmin(g->mode_step, fraction / fastest);
  return CAP_OK;
}

/* The same for all members at both ends of the sweep: a parameter that stiffens the system does so
 * monotonously. */
static cap_status find_mode_step(curves *g)
{
  g->mode_step = INFINITY;
  for (int l = g->n - 1; l >= 0; l--)
    for (int end = 1; end >= 0; end--) {
      int family = g->first + l;
      cap_model *m = NULL;
      cap_status status = cap_response_build(g->r, 1, &family, end ? g->r->nsweep - 1 : 0, &m);
      if (status == CAP_OK) status = resolve_modes(g, m, l);
      cap_model_free(m);
      CAP_TRY(status);
    }
  return CAP_OK;
}

/* The step for an orbit of that period. */
static double step_for(const curves *g, double period, double decay)
{
  if (g->r->spec->step > 0.0) return g->r->spec->step;
  /* the lower the order, the smaller the steps for the same tolerance; where every coordinate is driven, only
   * the period says what is small */
  double part = g->type->order == 1 ? 1e-3 : g->type->order == 2 ? 0.02 : 1.0;
  double step = fmin(part * g->mode_step, fmax(part, 1e-2) * period / 200.0);
  if (decay > 0.0 && g->type->decays) step = fmin(step, decay_aim / decay);
  return step;
}

/* Extrapolate the orbits before to the next point of the sweep (equal steps assumed: it is a guess). Without
 * any, the equilibrium serves. */
static void predict(curves *g)
{
  static const double weights[HISTORY + 1][HISTORY] = {{0}, {1.0}, {2.0, -1.0}, {3.0, -3.0, 1.0}};
  const cap_model *m = g->r->run->model;
  for (int i = 0; i < m->nstate * g->n; i++) {
    g->start[i] = g->nhistory ? 0.0 : g->rest[i];
    for (int k = 0; k < g->nhistory; k++) g->start[i] += weights[g->nhistory][k] * g->history[k][i];
  }
}

/* ---- one search ---------------------------------------------------------------------------------------- */

typedef struct attempt {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  cap_orbit *orbit;
  cap_channels channels; /* of this model: their factors may depend on its parameters */
  cap_extremes extremes;
  cap_observer observer;
  double step;
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

/* rows of [n] members to rows of lanes, or back. */
static void take_lanes(const bundle *b, int nrow, int n, const double *members, double *lanes)
{
  for (int r = 0; r < nrow; r++)
    for (int l = 0; l < b->nlane; l++) lanes[r * b->nlane + l] = members[r * n + b->member[l]];
}

static void give_lane(int nrow, const double *lanes, int nlane, int lane, double *members, int n, int member)
{
  for (int r = 0; r < nrow; r++) members[r * n + member] = lanes[r * nlane + lane];
}

static cap_status begin_attempt(curves *g, attempt *a, const bundle *b, int sweep)
{
  cap_response *r = g->r;
  cap_error *error = r->run->error;
  *a = (attempt){0};
  int family[LANES];
  for (int l = 0; l < b->nlane; l++) family[l] = g->first + b->member[l];
  CAP_TRY(cap_response_build(r, b->nlane, family, sweep, &a->m));
  CAP_TRY(cap_channels_select(&a->channels, a->m, &r->run->outputs->channels, error));
  a->d = cap_data_create(a->m);
  if (!a->d || cap_orbit_create(a->m, &a->orbit) != CAP_OK ||
      cap_extremes_create(&a->channels, b->nlane, &a->extremes) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int ns = a->m->nstate;
  take_lanes(b, ns, g->n, g->start, a->orbit->y);
  take_lanes(b, ns, g->n, g->scale, a->orbit->scale); /* zero before the first orbit: to be found */
  take_lanes(b, ns * ns, g->n, g->slope, a->orbit->slope);
  a->orbit->guided = b->begun;
  a->observer = (cap_observer){cap_extremes_see, &a->extremes};
  a->step = step_for(g, a->m->period[0], b->decay);
  cap_stepper_settings settings = {
      .step = a->step, .tolerance = 1e-3 * r->spec->tolerance, .observer = &a->observer};
  return cap_stepper_create(g->type, a->m, &settings, &a->stepper, error);
}

static cap_status search(curves *g, attempt *a, int most)
{
  cap_orbit_settings settings = {.tolerance = 0.03 * g->r->spec->tolerance,
                                 .most = most,
                                 .multipliers = g->r->spec->stability,
                                 .progress = g->r->run->progress,
                                 .begin = cap_extremes_begin,
                                 .self = &a->extremes};
  return cap_orbit_find(&a->stepper, a->m, a->d, &settings, a->orbit, g->r->run->error);
}

/* Whether the step was too large for how stiff the orbit turned out to be. */
static bool too_stiff(const curves *g, const attempt *a, int lane)
{
  return g->type->decays && g->r->spec->step <= 0.0 && a->extremes.decay[lane] * a->step > decay_most;
}

/* The orbit of a lane, or how far its search came, as the start of what follows. */
static void keep_start(curves *g, const attempt *a, int lane, int member)
{
  int ns = a->m->nstate, nlane = a->m->nlane;
  give_lane(ns, a->orbit->y, nlane, lane, g->start, g->n, member);
  give_lane(ns, a->orbit->scale, nlane, lane, g->scale, g->n, member);
  give_lane(ns * ns, a->orbit->slope, nlane, lane, g->slope, g->n, member);
}

static cap_status put_lane(curves *g, const attempt *a, int lane, int member, int sweep)
{
  cap_response *r = g->r;
  int nlane = a->m->nlane, family = g->first + member, at = family * r->nsweep + sweep;
  for (int c = 0; c < r->channels.n; c++)
    cap_response_put(r, c, family, sweep, a->extremes.low[c * nlane + lane],
                     a->extremes.high[c * nlane + lane], cap_extremes_mean(&a->extremes, c, lane));
  r->converged[at] = a->orbit->converged[lane];
  g->decay[member] = a->extremes.decay[lane];
  keep_start(g, a, lane, member);
  if (!r->spec->stability || !a->orbit->converged[lane]) return CAP_OK;
  CAP_TRY(cap_orbit_multipliers(a->orbit, lane, g->re, g->im));
  r->multiplier[at] = hypot(g->re[0], g->im[0]);
  return CAP_OK;
}

/* ---- one point of the sweep ---------------------------------------------------------------------------- */

static double *passes_of(curves *g, int member, int sweep)
{
  return &g->r->passes[(g->first + member) * g->r->nsweep + sweep];
}

/* One member alone, as long as it takes, from its part of g->start; restarted with a smaller step where it is
 * too stiff. */
static cap_status finish_alone(curves *g, int member, bool begun, int sweep, attempt *a)
{
  bundle b = {.n = 1, .nlane = 1, .member = {member}, .decay = 1.1 * g->decay[member], .begun = begun};
  for (int round = 0; round < 6; round++) {
    CAP_TRY(begin_attempt(g, a, &b, sweep));
    CAP_TRY(search(g, a, SINGLE_PASSES));
    *passes_of(g, member, sweep) += a->orbit->passes;
    if (!too_stiff(g, a, 0)) return put_lane(g, a, 0, member, sweep);
    b.decay = 1.1 * a->extremes.decay[0];
    b.begun = false;
    if (a->orbit->converged[0]) keep_start(g, a, 0, member); /* nearer than where it came from */
    end_attempt(a);
  }
  return cap_status_fail(g->r->run->error, CAP_ERR_NUMERICS,
                         "response: a law is too stiff for any step (decay rate %.3g 1/s); use method: "
                         "midpoint or harmonic-balance",
                         b.decay);
}

/* All members together. A failure of the flow is not final, since each gets its chance alone. */
static cap_status do_together(curves *g, int sweep, attempt *a, fate *fates)
{
  bundle b = {.n = g->n, .nlane = LANES};
  for (int l = 0; l < LANES; l++) {
    b.member[l] = l < g->n ? l : g->n - 1;
    b.decay = fmax(b.decay, 1.1 * g->decay[b.member[l]]);
  }
  CAP_TRY(begin_attempt(g, a, &b, sweep));
  cap_error *error = g->r->run->error, own = {0};
  g->r->run->error = &own;
  cap_status status = search(g, a, g->nhistory ? BUNDLE_PASSES : FIRST_PASSES);
  bool failed = status != CAP_OK;
  g->r->run->error = error;
  if (status == CAP_ERR_NOMEM) return cap_status_fail(error, status, "%s", own.text);
  for (int l = 0; l < g->n; l++) {
    *passes_of(g, l, sweep) += a->orbit->passes;
    if (!failed) g->decay[l] = a->extremes.decay[l];
    fates[l] = failed || too_stiff(g, a, l) ? STIFF : a->orbit->converged[l] ? FOUND : SLOW;
    if (fates[l] == FOUND) CAP_TRY(put_lane(g, a, l, l, sweep));
    if (fates[l] == SLOW) keep_start(g, a, l, l); /* go on from where the search came */
  }
  return CAP_OK;
}

static cap_status finish_members(curves *g, int sweep, const fate *fates)
{
  for (int l = 0; l < g->n; l++) {
    attempt alone = {0};
    cap_status status = CAP_OK;
    if (fates[l] != FOUND) status = finish_alone(g, l, fates[l] == SLOW, sweep, &alone);
    end_attempt(&alone);
    CAP_TRY(status);
    if (cap_response_stopped(g->r)) return cap_status_fail(g->r->run->error, CAP_STOPPED, "interrupted");
  }
  return CAP_OK;
}

static void shift_history(curves *g)
{
  double *oldest = g->history[HISTORY - 1];
  for (int k = HISTORY - 1; k > 0; k--) g->history[k] = g->history[k - 1];
  g->history[0] = oldest;
  memcpy(oldest, g->start, sizeof(double) * (size_t)(g->r->run->model->nstate * g->n));
  if (g->nhistory < HISTORY) g->nhistory++;
}

static cap_status do_point(curves *g, int sweep)
{
  attempt together = {0};
  fate fates[LANES] = {STIFF};
  cap_status status = CAP_OK;
  predict(g);
  if (g->n > 1) status = do_together(g, sweep, &together, fates);
  end_attempt(&together);
  if (status == CAP_OK) status = finish_members(g, sweep, fates);
  shift_history(g);
  return status;
}

static cap_status allocate(curves *g)
{
  int ns = g->r->run->model->nstate, size = ns * g->n;
  bool all = true;
  for (int k = 0; k < HISTORY; k++)
    all = (g->history[k] = CAP_ARENA_NEW(&g->arena, double, size)) != NULL && all;
  g->scale = CAP_ARENA_NEW(&g->arena, double, size);
  g->slope = CAP_ARENA_NEW(&g->arena, double, (ns * size));
  g->start = CAP_ARENA_NEW(&g->arena, double, size);
  g->decay = CAP_ARENA_NEW(&g->arena, double, g->n);
  g->rest = CAP_ARENA_NEW(&g->arena, double, size);
  g->re = CAP_ARENA_NEW(&g->arena, double, ns);
  g->im = CAP_ARENA_NEW(&g->arena, double, ns);
  if (!all || !g->scale || !g->slope || !g->start || !g->decay || !g->rest || !g->re || !g->im)
    return cap_status_fail(g->r->run->error, CAP_ERR_NOMEM, "out of memory");
  return CAP_OK;
}

static int members_of_task(const cap_stepper_type *type)
{
  return type->lanes ? LANES : 1;
}

int cap_response_lanes_tasks(const cap_response *r, const cap_stepper_type *type)
{
  return (r->nfamily + members_of_task(type) - 1) / members_of_task(type);
}

cap_status cap_response_lanes_run(cap_response *r, const cap_stepper_type *type, int task)
{
  int most = members_of_task(type), first = task * most, left = r->nfamily - first;
  curves g = {.r = r, .type = type, .first = first, .n = left < most ? left : most};
  cap_status status = allocate(&g);
  if (status == CAP_OK) status = find_mode_step(&g);
  for (int sweep = 0; status == CAP_OK && sweep < r->nsweep; sweep++) status = do_point(&g, sweep);
  cap_arena_free(&g.arena);
  return status;
}
