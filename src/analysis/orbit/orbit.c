/* analysis/orbit/orbit.c — see orbit.h. */
#include "analysis/orbit/orbit.h"
#include "linalg/eigen.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"
#include "linalg/multipliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRIFT = 6 };

cap_status cap_orbit_create(const cap_model *m, cap_orbit **out)
{
  cap_orbit *o = calloc(1, sizeof *o);
  *out = o;
  if (!o) return CAP_ERR_NOMEM;
  int n = m->nstate, nlane = m->nlane;
  o->nstate = n;
  o->nlane = nlane;
  o->y = CAP_ARENA_NEW(&o->arena, double, (n * nlane));
  o->scale = CAP_ARENA_NEW(&o->arena, double, (n * nlane));
  o->monodromy = CAP_ARENA_NEW(&o->arena, double, (n * n * nlane));
  o->slope = CAP_ARENA_NEW(&o->arena, double, (n * n * nlane));
  o->residual = CAP_ARENA_NEW(&o->arena, double, nlane);
  o->change = CAP_ARENA_NEW(&o->arena, double, nlane);
  o->converged = CAP_ARENA_NEW(&o->arena, bool, nlane);
  if (o->y && o->scale && o->monodromy && o->slope && o->residual && o->change && o->converged) {
    memcpy(o->y, m->initial, sizeof(double) * (size_t)(n * nlane));
    return CAP_OK;
  }
  cap_orbit_free(o);
  *out = NULL;
  return CAP_ERR_NOMEM;
}

void cap_orbit_free(cap_orbit *orbit)
{
  if (!orbit) return;
  cap_arena_free(&orbit->arena);
  free(orbit);
}

/* The search in progress; arrays are [nstate][nlane] unless said. */
typedef struct search {
  cap_stepper *stepper;
  const cap_model *m;
  cap_data *d;
  const cap_orbit_settings *settings;
  cap_orbit *o;
  double *end;       /* P(y) */
  double *base;      /* last accepted point */
  double *direction; /* Newton step from there */
  double *low, *high;
  double *base_gap; /* P(y) - y at the last accepted point */
  double *one[3];   /* [nstate] scratch of one lane */
  double *a, *lu;   /* [nstate][nstate] of one lane */
  int *pivot;       /* [nstate] */
  double fraction[CAP_LANES_MOST], base_residual[CAP_LANES_MOST];
  int drift[CAP_LANES_MOST]; /* periods still to follow the flow */
  cap_error *error;
} search;

static int first_of_group(const cap_model *m, int i)
{
  int first = 0;
  while (m->cyclic[first] != m->cyclic[i]) first++;
  return first;
}

void cap_orbit_return(const cap_model *m, double *end, int ncol, double *tangent)
{
  int row = ncol * m->nlane;
  for (int i = m->nv - 1; i >= 0; i--) { /* the first of a group last */
    if (m->cyclic[i] < 0) continue;
    int first = first_of_group(m, i);
    for (int l = 0; l < m->nlane; l++) end[i * m->nlane + l] -= end[first * m->nlane + l];
    for (int k = 0; tangent && k < row; k++) tangent[i * row + k] -= tangent[first * row + k];
  }
}

/* One pass over the period from y into s->end. */
static cap_status pass(search *s, const double *y, double *tangent)
{
  const cap_model *m = s->m;
  double t_end[CAP_LANES_MOST];
  if (cap_progress_stopped(s->settings->progress))
    return cap_status_fail(s->error, CAP_STOPPED, "interrupted during the search for the steady orbit");
  if (s->settings->begin) s->settings->begin(s->settings->self);
  memcpy(s->d->y, y, sizeof(double) * (size_t)(m->nstate * m->nlane));
  for (int l = 0; l < m->nlane; l++) {
    s->d->t[l] = 0.0;
    t_end[l] = m->period[l];
  }
  memset(s->d->regime, 0, sizeof(int64_t) * (size_t)(m->nslider * m->nlane));
  memset(s->d->sense, 0, sizeof(int64_t) * (size_t)(m->nelem * m->nlane));
  cap_model_drive(m, s->d->input, s->d->t, s->d->q, s->d->v, NULL);
  if (tangent) {
    memset(tangent, 0, sizeof(double) * (size_t)(m->nstate * m->nstate * m->nlane));
    for (int i = 0; i < m->nstate; i++)
      for (int l = 0; l < m->nlane; l++) tangent[(i * m->nstate + i) * m->nlane + l] = 1.0;
    s->o->tangents++;
  }
  s->o->passes++;
  CAP_TRY(cap_stepper_advance(s->stepper, m, s->d, t_end, tangent, s->error));
  memcpy(s->end, s->d->y, sizeof(double) * (size_t)(m->nstate * m->nlane));
  cap_orbit_return(m, s->end, m->nstate, tangent);
  return CAP_OK;
}

/* Tangent by central differences, for steppers that have none (one lane). */
static cap_status pass_by_differences(search *s)
{
  const cap_model *m = s->m;
  int n = m->nstate;
  double *y = s->one[0], *plus = s->one[1], *centre = s->one[2];
  CAP_TRY(pass(s, s->o->y, NULL));
  memcpy(centre, s->end, sizeof(double) * (size_t)n);
  for (int c = 0; c < n; c++) {
    double step = 1e-4 * s->o->scale[c];
    memcpy(y, s->o->y, sizeof(double) * (size_t)n);
    y[c] += step;
    CAP_TRY(pass(s, y, NULL));
    memcpy(plus, s->end, sizeof(double) * (size_t)n);
    y[c] -= 2.0 * step;
    CAP_TRY(pass(s, y, NULL));
    for (int r = 0; r < n; r++) s->o->monodromy[r * n + c] = (plus[r] - s->end[r]) / (2.0 * step);
  }
  s->o->tangents++;
  memcpy(s->end, centre, sizeof(double) * (size_t)n);
  return CAP_OK;
}

static cap_status pass_with_tangent(search *s)
{
  int n = s->m->nstate * s->m->nstate * s->m->nlane;
  if (s->stepper->type->tangents) CAP_TRY(pass(s, s->o->y, s->o->monodromy));
  else CAP_TRY(pass_by_differences(s));
  memcpy(s->o->slope, s->o->monodromy, sizeof(double) * (size_t)n);
  return CAP_OK;
}

/* Broyden's update in scaled states: make the slope agree with the change of P(y) - y that the last step has
 * shown. */
static void improve_slope(search *s, int lane)
{
  int n = s->m->nstate, nlane = s->m->nlane;
  double *step = s->one[0], *miss = s->one[1], norm = 0.0;
  const double *scale = s->o->scale;
  for (int i = 0; i < n; i++) {
    int at = i * nlane + lane;
    step[i] = s->o->y[at] - s->base[at];
    norm += (step[i] / scale[at]) * (step[i] / scale[at]);
    miss[i] = (s->end[at] - s->o->y[at]) - s->base_gap[at] + step[i]; /* change of P */
  }
  if (!(norm > 0.0)) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) miss[i] -= s->o->slope[(i * n + j) * nlane + lane] * step[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double weight = step[j] / (scale[j * nlane + lane] * scale[j * nlane + lane]);
      s->o->slope[(i * n + j) * nlane + lane] += miss[i] * weight / norm;
    }
}

/* How far each state travels, from a pass in a few legs: the measure of what is small. */
/* An orbit that is at rest has no extent to measure errors by: its distance from zero serves, and for
 * velocities the speed of a motion of that size. */
static double extent_at_rest(const search *s, int kind, int lane)
{
  enum { POSITIONS, VELOCITIES };
  const cap_model *m = s->m;
  int start[4] = {0, m->nv, 2 * m->nv, m->nstate}, from = kind == VELOCITIES ? POSITIONS : kind;
  double size = 0.0, extent = 0.0;
  for (int i = start[from]; i < start[from + 1]; i++) {
    int at = i * m->nlane + lane;
    size = fmax(size, fmax(fabs(s->low[at]), fabs(s->high[at])));
    extent = fmax(extent, s->high[at] - s->low[at]);
  }
  if (extent > 1e-9 * size) return 0.0;
  return kind == VELOCITIES ? size * 2.0 * M_PI / m->period[lane] : size;
}

static cap_status find_scale(search *s)
{
  enum { LEGS = 16 };
  const cap_model *m = s->m;
  int n = m->nstate * m->nlane;
  if (s->settings->begin) s->settings->begin(s->settings->self);
  memcpy(s->d->y, s->o->y, sizeof(double) * (size_t)n);
  for (int l = 0; l < m->nlane; l++) s->d->t[l] = 0.0;
  memset(s->d->regime, 0, sizeof(int64_t) * (size_t)(m->nslider * m->nlane));
  memset(s->d->sense, 0, sizeof(int64_t) * (size_t)(m->nelem * m->nlane));
  cap_model_drive(m, s->d->input, s->d->t, s->d->q, s->d->v, NULL);
  memcpy(s->low, s->d->y, sizeof(double) * (size_t)n);
  memcpy(s->high, s->d->y, sizeof(double) * (size_t)n);
  for (int leg = 1; leg <= LEGS; leg++) {
    double t_end[CAP_LANES_MOST];
    for (int l = 0; l < m->nlane; l++) t_end[l] = m->period[l] * leg / LEGS;
    CAP_TRY(cap_stepper_advance(s->stepper, m, s->d, t_end, NULL, s->error));
    for (int k = 0; k < n; k++) {
      s->low[k] = fmin(s->low[k], s->d->y[k]);
      s->high[k] = fmax(s->high[k], s->d->y[k]);
    }
  }
  s->o->passes++;
  /* states of one kind share the largest extent, so that one that hardly moves is not asked for too much */
  int kind_start[4] = {0, m->nv, 2 * m->nv, m->nstate};
  for (int kind = 0; kind < 3; kind++)
    for (int l = 0; l < m->nlane; l++) {
      double extent = fmax(1e-12, extent_at_rest(s, kind, l));
      for (int i = kind_start[kind]; i < kind_start[kind + 1]; i++)
        extent = fmax(extent, s->high[i * m->nlane + l] - s->low[i * m->nlane + l]);
      for (int i = kind_start[kind]; i < kind_start[kind + 1]; i++) s->o->scale[i * m->nlane + l] = extent;
    }
  return CAP_OK;
}

/* Whether the orbit found is much smaller than what was taken as its size: a guess far away travels far. */
static cap_status scale_was_large(search *s, bool *large)
{
  const cap_orbit *o = s->o;
  int n = o->nstate * o->nlane;
  *large = false;
  memcpy(s->base, o->scale, sizeof(double) * (size_t)n);
  CAP_TRY(find_scale(s));
  for (int k = 0; k < n; k++) *large = *large || o->scale[k] < 0.5 * s->base[k];
  return CAP_OK;
}

static double residual_of(const search *s, int lane)
{
  double worst = 0.0;
  int nlane = s->m->nlane;
  for (int i = 0; i < s->m->nstate; i++) {
    double gap = fabs(s->end[i * nlane + lane] - s->o->y[i * nlane + lane]) / s->o->scale[i * nlane + lane];
    if (!(gap <= worst)) worst = gap; /* also when it is not a number */
  }
  return worst;
}

/* Newton's step of one lane, in scaled states: (I - P') d = P(y) - y, least norm where singular. */
static void newton_direction(search *s, int lane)
{
  int n = s->m->nstate, nlane = s->m->nlane;
  double *a = s->a, *lu = s->lu, *rhs = s->one[0], *x = s->one[1];
  int *pivot = s->pivot;
  const double *scale = s->o->scale;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i * n + j] = (i == j) - s->o->slope[(i * n + j) * nlane + lane] * scale[j * nlane + lane] /
                                    scale[i * nlane + lane];
    rhs[i] = (s->end[i * nlane + lane] - s->o->y[i * nlane + lane]) / scale[i * nlane + lane];
  }
  memcpy(lu, a, sizeof(double) * (size_t)(n * n));
  memcpy(x, rhs, sizeof(double) * (size_t)n);
  if (capm_lu_factor(n, lu, pivot) == 0 && capm_lu_pivot_ratio(n, lu) > 1e-9) capm_lu_solve(n, lu, pivot, x);
  else if (capm_lsq_least_norm(n, n, a, rhs, 1e-8, 0, x, NULL) != CAP_OK)
    memcpy(x, rhs, sizeof(double) * (size_t)n);
  s->o->change[lane] = 0.0;
  for (int i = 0; i < n; i++) {
    s->o->change[lane] = fmax(s->o->change[lane], fabs(x[i]));
    s->direction[i * nlane + lane] = x[i] * scale[i * nlane + lane];
  }
}

static void set_point(search *s, int lane)
{
  int nlane = s->m->nlane;
  for (int i = 0; i < s->m->nstate; i++) {
    int at = i * nlane + lane;
    s->o->y[at] = s->base[at] + s->fraction[lane] * s->direction[at];
  }
}

/* Longest step in units of the orbit's extent: further away the slope means nothing. */
static const double step_most = 1.0;

static void accept(search *s, int lane)
{
  int nlane = s->m->nlane;
  for (int i = 0; i < s->m->nstate; i++) {
    int at = i * nlane + lane;
    s->base[at] = s->o->y[at];
    s->base_gap[at] = s->end[at] - s->o->y[at];
  }
  s->base_residual[lane] = s->o->residual[lane];
  newton_direction(s, lane);
  s->fraction[lane] = fmin(1.0, step_most / s->o->change[lane]);
}

/* Go to the end of the period: where Newton's step fails, the flow itself leads on. */
static void follow_flow(search *s, int lane)
{
  int nlane = s->m->nlane;
  for (int i = 0; i < s->m->nstate; i++) s->o->y[i * nlane + lane] = s->end[i * nlane + lane];
  s->base_residual[lane] = INFINITY; /* whatever it leads to is accepted */
}

/* Decide what lane does after a pass. Returns whether it wants a fresh tangent. */
static bool judge(search *s, int lane, bool fresh)
{
  double before = s->base_residual[lane], now = residual_of(s, lane);
  s->o->residual[lane] = now;
  if (s->drift[lane] > 0) {
    follow_flow(s, lane);
    return --s->drift[lane] == 0;
  }
  if (now <= before || !isfinite(before)) {
    bool slow = now > 0.3 * before; /* the old matrix contracts too slowly */
    if (!fresh && !slow && isfinite(before)) improve_slope(s, lane);
    accept(s, lane);
    s->o->converged[lane] = s->o->change[lane] <= s->settings->tolerance &&
                            now <= 10.0 * s->settings->tolerance; /* no small step of a bad slope */
    set_point(s, lane);
    return slow;
  }
  if (s->fraction[lane] > 0.1) {
    s->fraction[lane] *= 0.2;
    set_point(s, lane);
    return !fresh;
  }
  follow_flow(s, lane);
  s->drift[lane] = DRIFT;
  return false;
}

/* How the lanes stand after a pass. */
typedef struct standing {
  int left;    /* lanes that have not converged */
  bool wanted; /* one of them wants a fresh tangent */
  bool near;   /* the next pass will be the last for all of them */
} standing;

static standing judge_lanes(search *s, bool fresh)
{
  standing now = {.near = true};
  double tolerance = s->settings->tolerance;
  for (int l = 0; l < s->m->nlane; l++) {
    if (s->o->converged[l] && s->o->change[l] <= 1e-3 * tolerance) continue; /* at rest */
    bool wants = judge(s, l, fresh);
    if (s->o->converged[l]) continue;
    now.left++;
    now.wanted = now.wanted || wants;
    now.near = now.near && s->o->change[l] <= 50.0 * tolerance; /* a fresh enough slope gains that and more */
  }
  return now;
}

static cap_status iterate(search *s)
{
  const cap_model *m = s->m;
  bool fresh = !s->o->guided;
  for (int l = 0; l < m->nlane; l++) {
    s->base_residual[l] = INFINITY;
    s->fraction[l] = 1.0;
    s->o->converged[l] = false;
  }
  while (s->o->passes < s->settings->most) {
    CAP_TRY(fresh ? pass_with_tangent(s) : pass(s, s->o->y, NULL));
    standing now = judge_lanes(s, fresh);
    if (now.left == 0) {
      if (s->settings->multipliers && !fresh) return pass_with_tangent(s);
      return CAP_OK;
    }
    fresh = now.wanted || (s->settings->multipliers && now.near);
  }
  return CAP_OK;
}

/* The scale of the guess serves to find the orbit, that of the orbit to tell how well it is found. */
static cap_status iterate_and_scale(search *s)
{
  enum { ROUNDS = 4 };
  bool again = true;
  CAP_TRY(find_scale(s));
  for (int round = 0; again && round < ROUNDS; round++) {
    CAP_TRY(iterate(s));
    for (int l = 0; l < s->m->nlane; l++) again = again && s->o->converged[l];
    if (again) CAP_TRY(scale_was_large(s, &again));
    s->o->guided = true;
  }
  return CAP_OK;
}

static cap_status allocate(search *s, cap_arena *arena)
{
  int nstate = s->m->nstate, n = nstate * s->m->nlane;
  s->end = CAP_ARENA_NEW(arena, double, n);
  s->base = CAP_ARENA_NEW(arena, double, n);
  s->direction = CAP_ARENA_NEW(arena, double, n);
  s->low = CAP_ARENA_NEW(arena, double, n);
  s->high = CAP_ARENA_NEW(arena, double, n);
  s->base_gap = CAP_ARENA_NEW(arena, double, n);
  for (int k = 0; k < 3; k++) s->one[k] = CAP_ARENA_NEW(arena, double, nstate);
  s->a = CAP_ARENA_NEW(arena, double, (nstate * nstate));
  s->lu = CAP_ARENA_NEW(arena, double, (nstate * nstate));
  s->pivot = CAP_ARENA_NEW(arena, int, nstate);
  if (s->end && s->base && s->direction && s->low && s->high && s->base_gap && s->one[0] && s->one[1] &&
      s->one[2] && s->a && s->lu && s->pivot)
    return CAP_OK;
  return cap_status_fail(s->error, CAP_ERR_NOMEM, "out of memory");
}

cap_status cap_orbit_find(cap_stepper *stepper, const cap_model *m, cap_data *d,
                          const cap_orbit_settings *settings, cap_orbit *orbit, cap_error *error)
{
  for (int l = 0; l < m->nlane; l++)
    if (!(m->period[l] > 0.0))
      return cap_status_fail(
          error, CAP_ERR_UNSUPPORTED,
          "no periodic forcing, so no steady orbit; expected a periodic load or prescribed motion");
  cap_arena arena = {0};
  search s = {.stepper = stepper, .m = m, .d = d, .settings = settings, .o = orbit, .error = error};
  orbit->passes = orbit->tangents = 0;
  cap_status status = allocate(&s, &arena);
  if (status == CAP_OK) status = orbit->scale[0] > 0.0 ? iterate(&s) : iterate_and_scale(&s);
  cap_arena_free(&arena);
  return status;
}

cap_status cap_orbit_multipliers(const cap_orbit *orbit, int lane, double *re, double *im)
{
  int n = orbit->nstate;
  double *a = calloc((size_t)(n * n), sizeof *a);
  if (!a) return CAP_ERR_NOMEM;
  for (int k = 0; k < n * n; k++) a[k] = orbit->monodromy[k * orbit->nlane + lane];
  cap_status status = capm_eigen_general(n, a, re, im, NULL, NULL);
  free(a);
  CAP_TRY(status);
  capm_multipliers_sort(n, re, im);
  return CAP_OK;
}
