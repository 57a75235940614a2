/* analysis/orbit/confirm.c — see confirm.h. */
#include "analysis/orbit/confirm.h"
#include "analysis/orbit/orbit_curve.h"
#include "hb/hb_output.h"
#include "linalg/eigen.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"
#include "linalg/multipliers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_ONE = 32, COUNT_MORE = 64, HALVINGS = 6 };
static const double REACH = 0.25; /* of the extent, in one Newton step */

struct cap_confirm {
  cap_confirm_settings settings;
  const cap_stepper_type *type;
  int n;                       /* states */
  double *given;               /* [COUNT_MORE][n] from a balance */
  double *y, *trial;           /* [COUNT_MORE][n] nodes */
  double *miss, *trial_miss;   /* [COUNT_MORE][n] phi_k(y_k) - y_k+1 */
  double *slope, *trial_slope; /* [COUNT_MORE][n][n] */
  double *step;                /* [COUNT_MORE][n] */
  double *by_p;                /* [COUNT_MORE][n] slope of phi_k to the parameter */
  double *wide;                /* [n][n + 1] */
  double *scale;               /* [n] extents */
  double *product, *next, *lu; /* [n][n] */
  double *rhs, *re, *im, *eigen_work;
  int *pivot;
  cap_data *d;
  cap_arena arena;
};

int cap_confirm_count(int sub)
{
  return sub > 1 ? COUNT_MORE : COUNT_ONE;
}

const double *cap_confirm_orbit(const cap_confirm *confirm)
{
  return confirm->y;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static bool allocate(cap_confirm *c, const cap_model *m)
{
  size_t n = (size_t)m->nstate, nodes = COUNT_MORE * n;
  double **vectors[] = {&c->given, &c->y, &c->trial, &c->miss, &c->trial_miss, &c->step, &c->by_p};
  double **matrices[] = {&c->product, &c->next, &c->lu};
  bool all = true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    all = (*vectors[k] = CAP_ARENA_NEW(&c->arena, double, nodes)) && all;
  for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
    all = (*matrices[k] = CAP_ARENA_NEW(&c->arena, double, (n * n))) && all;
  c->slope = CAP_ARENA_NEW(&c->arena, double, (nodes * n));
  c->trial_slope = CAP_ARENA_NEW(&c->arena, double, (nodes * n));
  c->wide = CAP_ARENA_NEW(&c->arena, double, (n * (n + 1)));
  c->scale = CAP_ARENA_NEW(&c->arena, double, n);
  c->rhs = CAP_ARENA_NEW(&c->arena, double, n + 1);
  c->re = CAP_ARENA_NEW(&c->arena, double, n);
  c->im = CAP_ARENA_NEW(&c->arena, double, n);
  c->eigen_work = CAP_ARENA_NEW(&c->arena, double, capm_eigen_general_work(m->nstate));
  c->pivot = CAP_ARENA_NEW(&c->arena, int, n);
  c->d = cap_data_create(m);
  return all && c->slope && c->trial_slope && c->wide && c->scale && c->rhs && c->re && c->im &&
         c->eigen_work && c->pivot && c->d;
}

cap_status cap_confirm_create(const cap_model *m, const cap_confirm_settings *settings, cap_confirm **out,
                              cap_error *error)
{
  *out = NULL;
  const char *reason;
  const cap_stepper_type *type = cap_orbit_curve_stepper(m, &reason);
  if (!type)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "shooting cannot verify orbits of this system: %s",
                           reason);
  if (!(m->period[0] > 0.0))
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "shooting cannot verify orbits of this system: no periodic forcing; expected a "
                           "periodic load or prescribed motion");
  cap_confirm *c = calloc(1, sizeof *c);
  if (!c) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (settings) c->settings = *settings;
  if (!(c->settings.tolerance > 0.0)) c->settings.tolerance = 1e-9;
  if (!(c->settings.near > 0.0)) c->settings.near = 0.05;
  if (c->settings.most <= 0) c->settings.most = 20;
  c->type = type;
  c->n = m->nstate;
  if (!allocate(c, m)) {
    cap_confirm_free(c);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  *out = c;
  return CAP_OK;
}

void cap_confirm_free(cap_confirm *c)
{
  if (!c) return;
  cap_data_free(c->d);
  cap_arena_free(&c->arena);
  free(c);
}

/* ---- the flow ------------------------------------------------------------------------------------------ */

/* The orbit sought, while it is sought. */
typedef struct shot {
  cap_confirm *c;
  const cap_model *m;
  cap_stepper stepper;
  int sub, count;
  const cap_confirm_parameter *parameter; /* NULL: fixed */
  cap_model *own;                         /* at p, of the parameter's source */
  double p, step_p;
  cap_error *error;
} shot;

static cap_status create_stepper(shot *s)
{
  cap_stepper_settings settings = {.tolerance = 1e-10};
  return cap_stepper_create(s->c->type, s->m, &settings, &s->stepper, s->error);
}

/* The model at p takes the place of the one before. */
static cap_status place(shot *s, double p)
{
  const cap_hb_curve_source *source = s->parameter->source;
  cap_model *m;
  if (!(p >= source->low && p <= source->high)) return CAP_RETRY_NOCONV;
  CAP_TRY(source->build(source->self, p, &m, s->error));
  cap_stepper_free(&s->stepper);
  cap_model_free(s->own);
  s->own = m;
  s->m = m;
  s->p = p;
  return create_stepper(s);
}

static double instant(const shot *s, int k)
{
  return s->m->period[0] * s->sub * k / s->count;
}

/* y at t0 to out at t1. */
static cap_status flow(shot *s, const double *y, double t0, double t1, double *out, double *tangent)
{
  cap_data *d = s->c->d;
  const cap_model *m = s->m;
  int n = m->nstate;
  memcpy(d->y, y, sizeof(double) * (size_t)n);
  *d->t = t0;
  memset(d->regime, 0, sizeof(int64_t) * (size_t)m->nslider);
  memset(d->sense, 0, sizeof(int64_t) * (size_t)m->nelem);
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  if (tangent) {
    memset(tangent, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) tangent[i * n + i] = 1.0;
  }
  CAP_TRY(cap_stepper_advance(&s->stepper, m, d, &t1, tangent, s->error));
  memcpy(out, d->y, sizeof(double) * (size_t)n);
  return CAP_OK;
}

/* All segments from the nodes: what they miss, and their slopes. */
static cap_status shoot(shot *s, const double *nodes, double *miss, double *slope)
{
  int n = s->c->n;
  for (int k = 0; k < s->count; k++) {
    double *m = miss + k * n;
    const double *next = nodes + (k + 1) % s->count * n;
    CAP_TRY(flow(s, nodes + k * n, instant(s, k), instant(s, k + 1), m, slope + k * n * n));
    for (int i = 0; i < n; i++) m[i] -= next[i];
  }
  return CAP_OK;
}

/* c->by_p at the nodes: central difference, one-sided at an end of the range. */
static cap_status shoot_beside(shot *s, const double *nodes)
{
  cap_confirm *c = s->c;
  const cap_hb_curve_source *source = s->parameter->source;
  double p = s->p, h = 1e-5 * fmax(fabs(p), s->parameter->scale);
  double high = fmin(p + h, source->high), low = fmax(p - h, source->low);
  for (int side = 0; side < 2; side++) {
    CAP_TRY(place(s, side ? low : high));
    for (int k = 0; k < s->count; k++) {
      CAP_TRY(flow(s, nodes + k * c->n, instant(s, k), instant(s, k + 1), c->rhs, NULL));
      for (int i = 0; i < c->n; i++) {
        double *slope = &c->by_p[k * c->n + i];
        *slope = side ? (*slope - c->rhs[i]) / (high - low) : c->rhs[i];
      }
    }
  }
  return place(s, p);
}

/* ---- measures ------------------------------------------------------------------------------------------ */

static double extent(const shot *s, const double *nodes, int state)
{
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < s->count; k++) {
    low = fmin(low, nodes[k * s->c->n + state]);
    high = fmax(high, nodes[k * s->c->n + state]);
  }
  return high - low;
}

static void set_scale(const shot *s, const double *nodes)
{
  int start[4] = {0, s->m->nv, 2 * s->m->nv, s->m->nstate};
  for (int kind = 0; kind < 3; kind++) {
    double most = 1e-12;
    for (int i = start[kind]; i < start[kind + 1]; i++)
      most = fmax(most, s->c->scale[i] = extent(s, nodes, i));
    for (int i = start[kind]; i < start[kind + 1]; i++) s->c->scale[i] = fmax(s->c->scale[i], 1e-3 * most);
  }
}

static double largest(const shot *s, const double *nodes)
{
  double worst = 0.0;
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->c->n; i++) {
      double size = fabs(nodes[k * s->c->n + i]) / s->c->scale[i];
      if (!(size <= worst)) worst = size; /* also when it is not a number */
    }
  return worst;
}

/* ---- Newton -------------------------------------------------------------------------------------------- */

static void times(int n, const double *a, const double *x, double *out)
{
  for (int i = 0; i < n; i++) {
    out[i] = 0.0;
    for (int j = 0; j < n; j++) out[i] += a[i * n + j] * x[j];
  }
}

/* c->product = the monodromy matrix from the first node on. */
static void multiply_slopes(const shot *s)
{
  cap_confirm *c = s->c;
  int n = c->n;
  memcpy(c->product, c->slope, sizeof(double) * (size_t)(n * n));
  for (int k = 1; k < s->count; k++) {
    const double *a = c->slope + k * n * n;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int l = 0; l < n; l++) sum += a[i * n + l] * c->product[l * n + j];
        c->next[i * n + j] = sum;
      }
    double *keep = c->product;
    c->product = c->next;
    c->next = keep;
  }
}

/* out = the vectors [count][n] carried to the end of the period by the slopes. */
static void carry(const shot *s, const double *vectors, double *scratch, double *out)
{
  int n = s->c->n;
  memset(out, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < s->count; k++) {
    times(n, s->c->slope + k * n * n, out, scratch);
    for (int i = 0; i < n; i++) out[i] = scratch[i] + vectors[k * n + i];
  }
}

/* c->next = 1 - monodromy and d (on entry what is missed), in units of distance: solved for d. Least norm
 * where singular (families of orbits). */
static cap_status solve_fixed(shot *s, double *d)
{
  cap_confirm *c = s->c;
  int n = c->n;
  memcpy(c->lu, c->next, sizeof(double) * (size_t)(n * n));
  if (capm_lu_factor(n, c->lu, c->pivot) == 0 && capm_lu_pivot_ratio(n, c->lu) > 1e-9) {
    capm_lu_solve(n, c->lu, c->pivot, d);
    return CAP_OK;
  }
  memcpy(c->rhs, d, sizeof(double) * (size_t)n);
  return capm_lsq_least_norm(n, n, c->next, c->rhs, 1e-8, 0, d, NULL);
}

/* The same with the parameter free: the step of least norm of both. */
static cap_status solve_free(shot *s, double *d)
{
  cap_confirm *c = s->c;
  int n = c->n;
  double *column = c->lu; /* of the parameter */
  CAP_TRY(shoot_beside(s, c->y));
  carry(s, c->by_p, c->lu + n, column);
  for (int i = 0; i < n; i++) {
    memcpy(c->wide + i * (n + 1), c->next + i * n, sizeof(double) * (size_t)n);
    c->wide[i * (n + 1) + n] = -column[i] * s->parameter->scale / c->scale[i];
  }
  CAP_TRY(capm_lsq_least_norm(n, n + 1, c->wide, d, 1e-12, 0, c->rhs, NULL));
  memcpy(d, c->rhs, sizeof(double) * (size_t)n);
  s->step_p = c->rhs[n] * s->parameter->scale;
  return CAP_OK;
}

/* d_k+1 = A_k d_k + b_k dp + miss_k around the period:
 * (1 - A_last ... A_0) d_0 = what is carried to the end. */
static cap_status newton_step(shot *s)
{
  cap_confirm *c = s->c;
  int n = c->n;
  double *first = c->step;
  multiply_slopes(s);
  carry(s, c->miss, c->rhs, first);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c->next[i * n + j] = ((i == j) - c->product[i * n + j]) * c->scale[j] / c->scale[i];
    first[i] /= c->scale[i];
  }
  CAP_TRY(s->parameter ? solve_free(s, first) : solve_fixed(s, first));
  for (int i = 0; i < n; i++) first[i] *= c->scale[i];
  for (int k = 0; k + 1 < s->count; k++) {
    double *next = c->step + (k + 1) * n;
    times(n, c->slope + k * n * n, c->step + k * n, next);
    for (int i = 0; i < n; i++)
      next[i] += c->miss[k * n + i] + (s->parameter ? c->by_p[k * n + i] * s->step_p : 0.0);
  }
  return CAP_OK;
}

static void swap(double **a, double **b)
{
  double *keep = *a;
  *a = *b;
  *b = keep;
}

/* From c->y by the step (of the size `change`), shortened until the misses shrink; *now is their size. No
 * step leads farther than REACH extents: what is looked for is near, and far away laws may be so stiff that a
 * time stepper takes for ever. */
static cap_status take_step(shot *s, double change, double *now, bool *better)
{
  cap_confirm *c = s->c;
  double factor = fmin(1.0, REACH / change), p = s->p;
  *better = false;
  for (int half = 0; half < HALVINGS; half++, factor *= 0.5) {
    for (int i = 0; i < s->count * c->n; i++) c->trial[i] = c->y[i] + factor * c->step[i];
    cap_status status = s->parameter ? place(s, p + factor * s->step_p) : CAP_OK;
    if (status == CAP_OK) status = shoot(s, c->trial, c->trial_miss, c->trial_slope);
    if (status == CAP_ERR_NOMEM || status == CAP_ERR_UNSUPPORTED) return status;
    double size = status == CAP_OK ? largest(s, c->trial_miss) : INFINITY;
    if (size <= *now * (1.0 - 0.1 * factor) || size <= c->settings.tolerance) {
      swap(&c->y, &c->trial);
      swap(&c->miss, &c->trial_miss);
      swap(&c->slope, &c->trial_slope);
      *now = size;
      *better = true;
      return CAP_OK;
    }
  }
  return CAP_OK;
}

static cap_status iterate(shot *s, cap_confirm_result *r)
{
  cap_confirm *c = s->c;
  cap_status status = shoot(s, c->y, c->miss, c->slope);
  if (status != CAP_OK) {
    snprintf(r->reason, sizeof r->reason, "the motion from the given states failed: %.150s", s->error->text);
    return status == CAP_ERR_NUMERICS ? CAP_OK : status;
  }
  double now = largest(s, c->miss), change = INFINITY, before = INFINITY;
  for (r->iterations = 0; r->iterations < c->settings.most; r->iterations++) {
    bool better;
    CAP_TRY(newton_step(s));
    change = largest(s, c->step);
    /* what quadratic convergence will have left after this step needs no pass to be seen */
    double left = change * fmax(change, change / (before * before) * change);
    if (left <= 0.1 * c->settings.tolerance && change <= 1e-6) {
      for (int i = 0; i < s->count * c->n; i++) c->y[i] += c->step[i];
      if (s->parameter) CAP_TRY(place(s, s->p + s->step_p));
      r->iterations++;
      r->found = true;
      r->residual = left;
      return CAP_OK;
    }
    before = change;
    CAP_TRY(take_step(s, change, &now, &better));
    if (!better) break;
  }
  r->residual = now;
  snprintf(r->reason, sizeof r->reason,
           "no orbit found: after %d Newton iterations the closure error is %.2g, the next step %.2g of the "
           "extent",
           r->iterations, now, change);
  return CAP_OK;
}

/* ---- what is found ------------------------------------------------------------------------------------- */

/* Mean square of a state about its mean. */
static double variance(const shot *s, const double *nodes, int state)
{
  double mean = 0.0, sum = 0.0;
  for (int k = 0; k < s->count; k++) mean += nodes[k * s->c->n + state] / s->count;
  for (int k = 0; k < s->count; k++) {
    double about = nodes[k * s->c->n + state] - mean;
    sum += about * about / s->count;
  }
  return sum;
}

static void compare(const shot *s, const double *given, cap_confirm_result *r)
{
  const cap_confirm *c = s->c;
  int n = c->n, nv = s->m->nv;
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < n; i++) {
      double off = fabs(c->y[k * n + i] - given[k * n + i]), part = off / c->scale[i];
      r->distance = fmax(r->distance, part);
      if (k == 0) r->start = fmax(r->start, part);
      if (i < nv) r->position_metre = fmax(r->position_metre, off);
      if (i < nv) r->position = fmax(r->position, part);
      else if (i < 2 * nv) r->velocity = fmax(r->velocity, part);
    }
  for (int i = 0; i < nv; i++) {
    double square = variance(s, c->y, i), before = variance(s, given, i), off = 0.0;
    for (int k = 0; k < s->count; k++) {
      double difference = c->y[k * n + i] - given[k * n + i];
      off += difference * difference / s->count;
    }
    double size = sqrt(fmax(square, 1e-6 * c->scale[i] * c->scale[i]));
    r->rms = fmax(r->rms, sqrt(off) / size);
    r->rms_ac = fmax(r->rms_ac, fabs(sqrt(square) - sqrt(before)) / size);
  }
}

static cap_status find_multipliers(const shot *s, cap_confirm_result *r)
{
  cap_confirm *c = s->c;
  multiply_slopes(s);
  if (capm_eigen_general(c->n, c->product, c->re, c->im, NULL, c->eigen_work) != CAP_OK)
    return cap_status_fail(s->error, CAP_ERR_NUMERICS, "the Floquet multipliers could not be computed");
  capm_multipliers_sort(c->n, c->re, c->im);
  r->largest = hypot(c->re[0], c->im[0]);
  r->unstable = capm_multipliers_outside(c->n, c->re, c->im, 1.0 + 1e-6);
  return CAP_OK;
}

/* The least number of periods of the forcing after which the orbit repeats itself. */
static cap_status find_period(shot *s, cap_confirm_result *r)
{
  cap_confirm *c = s->c;
  r->period = s->sub;
  for (int part = 1; part < s->sub; part++) {
    if (s->sub % part) continue;
    /* from the node before, so that an unstable orbit is not left on the way */
    double t = part * s->m->period[0];
    int k = part * s->count / s->sub;
    CAP_TRY(flow(s, c->y + k * c->n, instant(s, k), t, c->rhs, NULL));
    double off = 0.0;
    for (int i = 0; i < c->n; i++) off = fmax(off, fabs(c->rhs[i] - c->y[i]) / c->scale[i]);
    if (off > 1e-6) continue;
    r->period = part;
    return CAP_OK;
  }
  return CAP_OK;
}

static cap_status confirm_shot(shot *s, const double *states, cap_confirm_result *r)
{
  memcpy(s->c->y, states, sizeof(double) * (size_t)(s->count * s->c->n));
  set_scale(s, states);
  CAP_TRY(iterate(s, r));
  if (!r->found) return CAP_OK;
  set_scale(s, s->c->y);
  compare(s, states, r);
  CAP_TRY(find_multipliers(s, r));
  CAP_TRY(find_period(s, r));
  r->same = r->distance <= s->c->settings.near && r->period == s->sub;
  if (r->period != s->sub)
    snprintf(r->reason, sizeof r->reason, "a different orbit: its period is %d of the %d periods", r->period,
             s->sub);
  else if (!r->same)
    snprintf(r->reason, sizeof r->reason, "a different orbit, at a distance of %.2g of the extent",
             r->distance);
  return CAP_OK;
}

static cap_status check_structure(const cap_confirm *c, const cap_model *m, cap_error *error)
{
  if (m->nstate == c->n) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT, "internal mismatch: a model with %d states; expected %d",
                         m->nstate, c->n);
}

static cap_status run_shot(shot *s, const double *states, cap_confirm_result *result)
{
  cap_status status = confirm_shot(s, states, result);
  if (s->parameter) result->shift = s->p - s->parameter->p;
  if (!result->found)
    result->distance = result->start = result->position = result->position_metre = result->velocity =
        result->rms = result->rms_ac = result->largest = NAN;
  return status;
}

cap_status cap_confirm_states(cap_confirm *c, const cap_model *m, int sub, const double *states,
                              cap_confirm_result *result, cap_error *error)
{
  cap_error own = {0};
  shot s = {.c = c, .m = m, .sub = sub, .count = cap_confirm_count(sub), .error = error ? error : &own};
  *result = (cap_confirm_result){.distance = 0.0};
  CAP_TRY(check_structure(c, m, error));
  CAP_TRY(create_stepper(&s));
  cap_status status = run_shot(&s, states, result);
  cap_stepper_free(&s.stepper);
  return status;
}

cap_status cap_confirm_near(cap_confirm *c, const cap_confirm_parameter *parameter, int sub,
                            const double *states, cap_confirm_result *result, cap_error *error)
{
  cap_error own = {0};
  shot s = {.c = c, .sub = sub, .count = cap_confirm_count(sub), .error = error ? error : &own};
  *result = (cap_confirm_result){.distance = 0.0};
  s.parameter = parameter;
  cap_status status = place(&s, parameter->p);
  if (status == CAP_OK) status = check_structure(c, s.m, s.error);
  if (status == CAP_OK && !parameter->at_once) {
    s.parameter = NULL;
    status = run_shot(&s, states, result);
    s.parameter = parameter;
  }
  if (status == CAP_OK && !result->same) {
    *result = (cap_confirm_result){.distance = 0.0};
    status = run_shot(&s, states, result);
  }
  if (status > 0 &&
      status != CAP_STOPPED) { /* as at the limit of the parameter, beyond which it may not look */
    result->found = result->same = false;
    result->distance = result->start = result->position = result->position_metre = result->velocity =
        result->rms = result->rms_ac = result->largest = NAN;
    snprintf(result->reason, sizeof result->reason, "no orbit found within the range of the parameter");
    status = CAP_OK;
  }
  cap_stepper_free(&s.stepper);
  cap_model_free(s.own);
  return status;
}

cap_status cap_confirm_balance(cap_confirm *c, const cap_model *m, cap_hb *hb, const double *x,
                               double angular_frequency, cap_confirm_result *result, cap_error *error)
{
  CAP_TRY(cap_hb_output_states(hb, x, angular_frequency, cap_confirm_count(hb->sub), c->given, error));
  return cap_confirm_states(c, m, hb->sub, c->given, result, error);
}

cap_status cap_confirm_balance_near(cap_confirm *c, const cap_confirm_parameter *parameter, cap_hb *hb,
                                    const double *x, double angular_frequency, cap_confirm_result *result,
                                    cap_error *error)
{
  CAP_TRY(cap_hb_output_states(hb, x, angular_frequency, cap_confirm_count(hb->sub), c->given, error));
  return cap_confirm_near(c, parameter, hb->sub, c->given, result, error);
}
