/* analysis/search/attractors.c — see attractors.h. */
#include "analysis/search/attractors.h"
#include "analysis/orbit/orbit.h"
#include "analysis/stepping.h"
#include "linalg/eigen.h"
#include "model/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEGS = 16, PROBES = 24, PASSES = 12 };

/* Two orbits are one when no point of theirs differs by more than this; Newton leaves far less. */
static const double same_orbit = 1e-3;

static cap_status out_of_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* ---- random states ------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea and Flood): the k-th number of a stream without computing those before. */
static double uniform(uint64_t seed, uint64_t k)
{
  uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The root > 1 of x^(d+1) = x + 1: its powers x^-1 .. x^-d are the steps of the lattice (Roberts' R_d). */
static double lattice_root(int d)
{
  double x = 2.0;
  for (int k = 0; k < 60; k++) x = pow(1.0 + x, 1.0 / (d + 1));
  return x;
}

void cap_attractors_random(uint64_t seed, int64_t k, int nstate, const double *low, const double *high,
                           double *y)
{
  int d = 0, at = 0;
  for (int i = 0; i < nstate; i++) d += high[i] > low[i];
  double root = lattice_root(d), step = 1.0;
  for (int i = 0; i < nstate; i++) {
    y[i] = low[i];
    if (!(high[i] > low[i])) continue;
    step /= root;
    double u = uniform(seed, (uint64_t)at++) + fmod((double)k * step, 1.0);
    y[i] += (high[i] - low[i]) * (u - floor(u));
  }
}

/* ---- the set ------------------------------------------------------------------------------------------- */

/* Shortest step that an eigenvalue of dy'/dy at y asks for, as its inverse: vibrations are resolved to 1e-4,
 * what decays without vibrating (a stiff inner state) is kept stable. */
static double rate_at(const cap_model *m, const double *y, double t, cap_arena *arena)
{
  int n = m->nstate, nv = m->nv;
  double *dy = CAP_ARENA_NEW(arena, double, (n * n)), *ydot = CAP_ARENA_NEW(arena, double, n);
  double *h = CAP_ARENA_NEW(arena, double, nv), *dh = CAP_ARENA_NEW(arena, double, (nv * n));
  double *a = CAP_ARENA_NEW(arena, double, (n * n)), *re = CAP_ARENA_NEW(arena, double, n);
  double *im = CAP_ARENA_NEW(arena, double, n), largest = 0.0;
  double *inertia = CAP_ARENA_NEW(arena, double, m->ninertia_work);
  if (!inertia || !dy || !ydot || !h || !dh || !a || !re || !im) return -1.0;
  for (int i = 0; i < n; i++) dy[i * n + i] = 1.0;
  cap_eval e = {.nlane = 1, .ncol = n, .t = &t, .h = h, .dh = dh, .inertia_work = inertia};
  cap_model_derivative(m, &e, y, dy, ydot, a);
  cap_status status = capm_eigen_general(n, a, re, im, NULL, NULL);
  if (status != CAP_OK) return status == CAP_ERR_NOMEM ? -1.0 : 0.0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, hypot(re[i], im[i]) / (fabs(im[i]) > fabs(re[i]) ? 0.15 : 1.5));
  return largest;
}

/* The step resolves the fastest motion anywhere in the box, and is a whole fraction of the period. */
static cap_status choose_step(cap_attractors *set, const double *low, const double *high, cap_error *error)
{
  double period = set->m->period[set->lane], fastest = 0.0, step = set->settings.step;
  cap_model *m = NULL;
  cap_arena arena = {0};
  CAP_TRY(cap_attractors_copy(set, 1, 1, &m, error));
  double *y = calloc((size_t)m->nstate, sizeof *y);
  cap_status status = y ? CAP_OK : out_of_memory(error);
  for (int k = 0; status == CAP_OK && step <= 0.0 && m->nslider == 0 && k < PROBES; k++) {
    if (low && high) cap_attractors_random(0, k, m->nstate, low, high, y);
    else memcpy(y, m->initial, sizeof(double) * (size_t)m->nstate);
    double rate = rate_at(m, y, 0.0, &arena);
    if (rate < 0.0) status = out_of_memory(error);
    fastest = fmax(fastest, rate);
    cap_arena_reset(&arena);
  }
  if (step <= 0.0) step = fastest > 0.0 ? fmin(1.0 / fastest, period / 32.0) : period / 256.0;
  set->step = period / (LEGS * ceil(period / (LEGS * step) * (1.0 - 1e-12)));
  free(y);
  cap_arena_free(&arena);
  cap_model_free(m);
  return status;
}

cap_status cap_attractors_create(const cap_model *m, int lane, const cap_attractors_settings *settings,
                                 cap_attractors **out, cap_error *error)
{
  *out = NULL;
  if (!(m->period[lane] > 0.0))
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "no periodic forcing, so no attractors; expected a periodic load or prescribed motion");
  cap_attractors *set = calloc(1, sizeof *set);
  if (!set) return out_of_memory(error);
  set->m = m;
  set->lane = lane;
  set->settings = *settings;
  if (set->settings.periods <= 0) set->settings.periods = 8;
  if (set->settings.periods > CAP_ATTRACTORS_PERIODS_MOST)
    set->settings.periods = CAP_ATTRACTORS_PERIODS_MOST;
  if (set->settings.most <= 0) set->settings.most = 1000;
  set->settings.low = set->settings.high = NULL;
  cap_status status = CAP_OK;
  cap_model *one = NULL;
  status = cap_attractors_copy(set, 1, 1, &one, error);
  if (status == CAP_OK) {
    set->type = cap_stepper_best(one);
    if (set->type->ensemble) set->type = set->type->ensemble; /* in lanes */
    status = choose_step(set, settings->low, settings->high, error);
  }
  cap_model_free(one);
  if (status == CAP_OK) *out = set;
  else cap_attractors_free(set);
  return status;
}

void cap_attractors_free(cap_attractors *set)
{
  if (!set) return;
  cap_arena_free(&set->arena);
  free(set);
}

cap_status cap_attractors_copy(const cap_attractors *set, int nlane, int period, cap_model **model,
                               cap_error *error)
{
  if (cap_lanes_copy(set->m, set->lane, nlane, model) != CAP_OK) return out_of_memory(error);
  for (int l = 0; l < nlane; l++) (*model)->period[l] *= period;
  return CAP_OK;
}

double cap_attractors_distance(const cap_model *m, const double *a, int stride_a, const double *b,
                               int stride_b, const double extent[2])
{
  double worst = 0.0;
  for (int i = 0; i < 2 * m->nv; i++) {
    double gap = fabs(a[i * stride_a] - b[i * stride_b]) / extent[i >= m->nv];
    if (!(gap <= worst)) worst = gap;
  }
  return worst;
}

/* Whether b, begun `shift` forcing periods later, is a. */
static bool same_shifted(const cap_model *m, const cap_attractor *a, const cap_attractor *b, int shift)
{
  for (int k = 0; k < a->period; k++)
    if (!(cap_attractors_distance(m, a->y + k * m->nstate, 1, b->y + (k + shift) % a->period * m->nstate, 1,
                                  a->extent) < same_orbit))
      return false;
  return true;
}

int cap_attractors_find(const cap_attractors *set, const cap_attractor *orbit)
{
  for (int k = 0; k < set->n; k++) {
    if (set->list[k].period != orbit->period) continue;
    if (orbit->period == 0) return k;
    for (int shift = 0; shift < orbit->period; shift++)
      if (same_shifted(set->m, &set->list[k], orbit, shift)) return k;
  }
  return -1;
}

cap_status cap_attractors_add(cap_attractors *set, const cap_attractor *other, int *index, cap_error *error)
{
  size_t size = (size_t)(other->period > 0 ? other->period : 1) * (size_t)set->m->nstate;
  *index = cap_attractors_find(set, other);
  if (*index >= 0) {
    cap_attractor *here = &set->list[*index];
    if (here->first < 0) here->first = other->first;
    here->count += other->count;
    if (isnan(here->multiplier)) here->multiplier = other->multiplier;
    return CAP_OK;
  }
  if (set->n == CAP_ATTRACTORS_MOST)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "too many attractors; expected at most %d (the orbits of stuck friction form a "
                           "family and cannot be distinguished)",
                           CAP_ATTRACTORS_MOST);
  double *y = CAP_ARENA_NEW(&set->arena, double, size);
  if (!y) return out_of_memory(error);
  memcpy(y, other->y, sizeof(double) * size);
  *index = set->n++;
  set->list[*index] = *other;
  set->list[*index].y = y;
  return CAP_OK;
}

cap_status cap_attractors_other(cap_attractors *set, const double *y, int stride, int *index,
                                cap_error *error)
{
  double *state = calloc((size_t)set->m->nstate, sizeof *state);
  if (!state) return out_of_memory(error);
  for (int i = 0; i < set->m->nstate; i++) state[i] = y[i * stride];
  cap_attractor other = {.y = state, .multiplier = NAN, .first = -1};
  cap_status status = cap_attractors_add(set, &other, index, error);
  free(state);
  return status;
}

/* ---- orbits -------------------------------------------------------------------------------------------- */

/* One drive, one stepper: what an orbit is looked at with. */
typedef struct bench {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
} bench;

static void close_bench(bench *b)
{
  cap_stepper_free(&b->stepper);
  cap_data_free(b->d);
  cap_model_free(b->m);
}

static cap_status open_bench(const cap_attractors *set, int period, bench *b, cap_error *error)
{
  *b = (bench){0};
  CAP_TRY(cap_attractors_copy(set, 1, period, &b->m, error));
  b->d = cap_data_create(b->m);
  if (!b->d) return out_of_memory(error);
  cap_stepper_settings settings = {.step = set->step, .tolerance = 1e-9};
  return cap_stepper_create(set->type, b->m, &settings, &b->stepper, error);
}

/* Run once around from y: the states at the forcing periods' starts, and the extents. */
static cap_status trace(const cap_attractors *set, bench *b, const double *y, int period,
                        cap_attractor *orbit, cap_error *error)
{
  const cap_model *m = b->m;
  double base = set->m->period[set->lane];
  double *low = calloc(2 * (size_t)m->nstate, sizeof *low), *high = low ? low + m->nstate : NULL;
  if (!low) return out_of_memory(error);
  memcpy(b->d->y, y, sizeof(double) * (size_t)m->nstate);
  *b->d->t = 0.0;
  cap_model_drive(m, b->d->input, b->d->t, b->d->q, b->d->v, NULL);
  memcpy(low, b->d->y, sizeof(double) * (size_t)m->nstate);
  memcpy(high, b->d->y, sizeof(double) * (size_t)m->nstate);
  cap_status status = CAP_OK;
  for (int k = 0; status == CAP_OK && k < period * LEGS; k++) {
    if (k % LEGS == 0) memcpy(orbit->y + k / LEGS * m->nstate, b->d->y, sizeof(double) * (size_t)m->nstate);
    double t_end = base * (k + 1) / LEGS;
    status = cap_stepper_advance(&b->stepper, m, b->d, &t_end, NULL, error);
    for (int i = 0; i < m->nstate; i++) {
      low[i] = fmin(low[i], b->d->y[i]);
      high[i] = fmax(high[i], b->d->y[i]);
    }
  }
  orbit->extent[0] = orbit->extent[1] = 1e-12;
  for (int i = 0; i < 2 * m->nv; i++)
    orbit->extent[i >= m->nv] = fmax(orbit->extent[i >= m->nv], high[i] - low[i]);
  free(low);
  return status;
}

/* An orbit that repeats itself earlier has that period. */
static void shorten(const cap_model *m, cap_attractor *orbit)
{
  for (int p = 1; p < orbit->period; p++)
    if (orbit->period % p == 0 && cap_attractors_distance(m, orbit->y + p * m->nstate, 1, orbit->y, 1,
                                                          orbit->extent) < 0.1 * same_orbit) {
      orbit->period = p;
      return;
    }
}

static cap_status enter(cap_attractors *set, bench *b, const double *y, int period, double multiplier,
                        int *index, cap_error *error)
{
  cap_attractor orbit = {.period = period, .multiplier = multiplier, .first = -1};
  orbit.y = calloc((size_t)period * (size_t)set->m->nstate, sizeof(double));
  cap_status status = orbit.y ? trace(set, b, y, period, &orbit, error) : out_of_memory(error);
  if (status == CAP_OK) shorten(set->m, &orbit);
  if (orbit.period < period) orbit.multiplier = pow(multiplier, (double)orbit.period / period);
  if (status == CAP_OK) status = cap_attractors_add(set, &orbit, index, error);
  free(orbit.y);
  return status;
}

cap_status cap_attractors_know(cap_attractors *set, int period, const double *y, int *index, cap_error *error)
{
  bench b;
  cap_status status = open_bench(set, 1, &b, error);
  if (status == CAP_OK) status = enter(set, &b, y, period, NAN, index, error);
  close_bench(&b);
  return status;
}

/* Newton, and the largest multiplier; *found tells whether there is a stable orbit near y. */
static cap_status shoot(bench *b, const double *y, const cap_progress *progress, cap_orbit *orbit,
                        bool *found, double *multiplier, cap_error *error)
{
  cap_orbit_settings settings = {
      .tolerance = 1e-9, .most = PASSES, .multipliers = true, .progress = progress};
  cap_error own = {0};
  int n = b->m->nstate;
  double *re = calloc(2 * (size_t)n, sizeof *re);
  if (!re) return out_of_memory(error);
  memcpy(orbit->y, y, sizeof(double) * (size_t)n);
  cap_status status = cap_orbit_find(&b->stepper, b->m, b->d, &settings, orbit, &own);
  *found = status == CAP_OK && orbit->converged[0];
  if (*found) status = cap_orbit_multipliers(orbit, 0, re, re + n);
  if (*found && status == CAP_OK) *multiplier = hypot(re[0], re[n]);
  free(re);
  if (status == CAP_ERR_NOMEM || status == CAP_STOPPED) return cap_status_fail(error, status, "%s", own.text);
  const double extent[2] = {orbit->scale[0], orbit->scale[b->m->nv]};
  *found = *found && *multiplier < 1.0 && cap_attractors_distance(b->m, orbit->y, 1, y, 1, extent) < 0.1;
  return CAP_OK;
}

cap_status cap_attractors_polish(cap_attractors *set, int period, const double *y, int *index,
                                 cap_error *error)
{
  bench b;
  cap_orbit *orbit = NULL;
  bool found = false;
  double multiplier = NAN;
  *index = -1;
  cap_status status = open_bench(set, period, &b, error);
  if (status == CAP_OK && cap_orbit_create(b.m, &orbit) != CAP_OK) status = out_of_memory(error);
  if (status == CAP_OK) status = shoot(&b, y, set->settings.progress, orbit, &found, &multiplier, error);
  if (status == CAP_OK && found) status = enter(set, &b, orbit->y, period, multiplier, index, error);
  cap_orbit_free(orbit);
  close_bench(&b);
  return status;
}

cap_status cap_attractors_wave(const cap_attractors *set, int k, int nsample, double *q, cap_error *error)
{
  const cap_attractor *a = &set->list[k];
  double period = set->m->period[set->lane] * a->period;
  bench b;
  cap_status status = open_bench(set, 1, &b, error);
  if (status == CAP_OK) {
    memcpy(b.d->y, a->y, sizeof(double) * (size_t)b.m->nstate);
    *b.d->t = 0.0;
    cap_model_drive(b.m, b.d->input, b.d->t, b.d->q, b.d->v, NULL);
  }
  for (int i = 0; status == CAP_OK && i < nsample; i++) {
    double t_end = period * (i + 1) / nsample;
    for (int dof = 0; dof < b.m->nv; dof++) q[(size_t)dof * (size_t)nsample + (size_t)i] = b.d->q[dof];
    if (i + 1 < nsample) status = cap_stepper_advance(&b.stepper, b.m, b.d, &t_end, NULL, error);
  }
  close_bench(&b);
  return status;
}
