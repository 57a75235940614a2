/* analysis/search/attractors_reach.c — many states in the lanes of one model, each until it arrives. */
#include "analysis/search/attractors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEGS = 4, WIDE = 32, NARROW = 8, ATTEMPTS = 5 };

/* Within `capture` of an attractor and nearing it a motion is taken to end there; a motion that repeats
 * itself within `near` is worth a Newton iteration, and another one each time that it does so five times as
 * well. */
static const double capture = 2e-3, near = 2e-3;

typedef struct lane {
  int state; /* -1: idle */
  int passed, attempts;
  double tried;     /* how well it repeated itself at the last attempt */
  double extent[2]; /* over the last period */
} lane;

typedef struct pool {
  cap_attractors *set;
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  int nlane, nring, active;
  lane *lanes;
  double *ring;       /* [nring][nstate][nlane] states at the last starts of a period */
  double *low, *high; /* [2 nv][nlane] */
} pool;

/* What is asked for. */
typedef struct task {
  int first, count, next;
  const double *y;
  int *which;
  cap_error *error;
} task;

static void close_pool(pool *p)
{
  cap_stepper_free(&p->stepper);
  cap_data_free(p->d);
  cap_model_free(p->m);
  free(p->lanes);
  free(p->ring);
  free(p->low);
  *p = (pool){0};
}

static cap_status open_pool(cap_attractors *set, int nlane, pool *p, cap_error *error)
{
  *p = (pool){.set = set, .nlane = nlane, .nring = set->settings.periods + 1};
  CAP_TRY(cap_attractors_copy(set, nlane, 1, &p->m, error));
  size_t n = (size_t)p->m->nstate * (size_t)nlane;
  p->d = cap_data_create(p->m);
  p->lanes = calloc((size_t)nlane, sizeof *p->lanes);
  p->ring = calloc((size_t)p->nring * n, sizeof(double));
  p->low = calloc(2 * n, sizeof(double));
  if (!p->d || !p->lanes || !p->ring || !p->low)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  p->high = p->low + n;
  for (int l = 0; l < nlane; l++) p->lanes[l].state = -1;
  cap_stepper_settings settings = {.step = set->step, .tolerance = 1e-9};
  return cap_stepper_create(set->type, p->m, &settings, &p->stepper, error);
}

static double *ring_at(const pool *p, int l, int passed)
{
  return p->ring + (size_t)(passed % p->nring) * (size_t)(p->m->nstate * p->nlane) + l;
}

static void keep_strobe(pool *p, int l)
{
  double *at = ring_at(p, l, p->lanes[l].passed);
  for (int i = 0; i < p->m->nstate; i++) at[i * p->nlane] = p->d->y[i * p->nlane + l];
}

/* Give idle lanes the next states. */
static void load_lanes(pool *p, task *t)
{
  int n = p->m->nstate, nlane = p->nlane;
  for (int l = 0; l < nlane && t->next < t->count; l++) {
    if (p->lanes[l].state >= 0) continue;
    p->lanes[l] = (lane){.state = t->next, .tried = INFINITY};
    for (int i = 0; i < n; i++) p->d->y[i * nlane + l] = t->y[(size_t)t->next * (size_t)n + (size_t)i];
    for (int s = 0; s < p->m->nslider; s++) p->d->regime[s * nlane + l] = 0;
    for (int e = 0; e < p->m->nelem; e++) p->d->sense[e * nlane + l] = 0;
    p->d->t[l] = 0.0;
    p->active++;
    t->next++;
  }
  cap_model_drive(p->m, p->d->input, p->d->t, p->d->q, p->d->v, NULL);
  for (int l = 0; l < nlane; l++)
    if (p->lanes[l].state >= 0 && p->lanes[l].passed == 0) keep_strobe(p, l);
}

/* One forcing period of all lanes, seen at a few instants. */
static cap_status pass(pool *p, cap_error *error)
{
  int n = 2 * p->m->nv * p->nlane;
  double t_end[CAP_LANES_MOST];
  memset(p->d->t, 0, sizeof(double) * (size_t)p->nlane);
  memcpy(p->low, p->d->y, sizeof(double) * (size_t)n);
  memcpy(p->high, p->d->y, sizeof(double) * (size_t)n);
  for (int leg = 1; leg <= LEGS; leg++) {
    for (int l = 0; l < p->nlane; l++) t_end[l] = p->m->period[l] * leg / LEGS;
    CAP_TRY(cap_stepper_advance(&p->stepper, p->m, p->d, t_end, NULL, error));
    for (int k = 0; k < n; k++) {
      p->low[k] = fmin(p->low[k], p->d->y[k]);
      p->high[k] = fmax(p->high[k], p->d->y[k]);
    }
  }
  for (int l = 0; l < p->nlane; l++) {
    lane *a = &p->lanes[l];
    a->extent[0] = a->extent[1] = 1e-12;
    for (int i = 0; i < 2 * p->m->nv; i++)
      a->extent[i >= p->m->nv] = fmax(a->extent[i >= p->m->nv],
                                      p->high[i * p->nlane + l] - p->low[i * p->nlane + l]);
    a->passed++;
    keep_strobe(p, l);
  }
  return CAP_OK;
}

/* Whether the lane is at attractor k and comes nearer. */
static bool arrives_at(const pool *p, int l, int k)
{
  const cap_attractor *a = &p->set->list[k];
  const lane *own = &p->lanes[l];
  const cap_model *m = p->m;
  if (a->period == 0 || own->passed < a->period) return false;
  const double *now = ring_at(p, l, own->passed);
  for (int shift = 0; shift < a->period; shift++) {
    const double *point = a->y + shift * m->nstate;
    double gap = cap_attractors_distance(m, now, p->nlane, point, 1, a->extent);
    if (!(gap < capture)) continue;
    if (gap < 1e-2 * capture || a->period >= p->nring) return true;
    const double *before = ring_at(p, l, own->passed - a->period);
    if (gap < cap_attractors_distance(m, before, p->nlane, point, 1, a->extent)) return true;
  }
  return false;
}

/* After how many periods the lane repeats itself, 0 when it does not; *gap tells how well. */
static int repetition(const pool *p, int l, double *gap)
{
  const lane *own = &p->lanes[l];
  const double *now = ring_at(p, l, own->passed);
  for (int period = 1; period < p->nring && period <= own->passed; period++) {
    *gap = cap_attractors_distance(p->m, now, p->nlane, ring_at(p, l, own->passed - period), p->nlane,
                                   own->extent);
    if (*gap < near) return period;
  }
  return 0;
}

/* Newton where a lane repeats itself. */
static cap_status try_newton(pool *p, int l, int *index, cap_error *error)
{
  lane *own = &p->lanes[l];
  double gap;
  *index = -1;
  int period = own->attempts < ATTEMPTS ? repetition(p, l, &gap) : 0;
  if (period == 0 || gap > 0.2 * own->tried) return CAP_OK;
  own->tried = gap;
  own->attempts++;
  double *y = calloc((size_t)p->m->nstate, sizeof *y);
  if (!y) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < p->m->nstate; i++) y[i] = p->d->y[i * p->nlane + l];
  cap_status status = cap_attractors_polish(p->set, period, y, index, error);
  free(y);
  return status;
}

static cap_status judge(pool *p, int l, int *index, cap_error *error)
{
  for (int k = 0; k < p->set->n; k++)
    if (arrives_at(p, l, k)) {
      *index = k;
      return CAP_OK;
    }
  CAP_TRY(try_newton(p, l, index, error));
  if (*index < 0 && p->lanes[l].passed >= p->set->settings.most)
    return cap_attractors_other(p->set, p->d->y + l, p->nlane, index, error);
  return CAP_OK;
}

/* The lane's state has come to attractor `index`. */
static void arrive(pool *p, task *t, int l, int index)
{
  cap_attractor *a = &p->set->list[index];
  int state = p->lanes[l].state;
  t->which[state] = index;
  if (a->first < 0 || t->first + state < a->first) a->first = t->first + state;
  a->count++;
  p->lanes[l].state = -1;
  p->active--;
}

static cap_status judge_lanes(pool *p, task *t)
{
  for (int l = 0; l < p->nlane; l++) {
    int index;
    if (p->lanes[l].state < 0) continue;
    CAP_TRY(judge(p, l, &index, t->error));
    if (index >= 0) arrive(p, t, l, index);
  }
  return CAP_OK;
}

/* ---- motions without bound ----------------------------------------------------------------------------- */

static bool is_finite(const pool *p, int l)
{
  for (int i = 0; i < p->m->nstate; i++)
    if (!isfinite(p->d->y[i * p->nlane + l])) return false;
  return true;
}

/* Lane l as it was at the start of lane `from`'s period. */
static void return_to_strobe(pool *p, int l, int from)
{
  const double *at = ring_at(p, from, p->lanes[from].passed);
  for (int i = 0; i < p->m->nstate; i++) p->d->y[i * p->nlane + l] = at[i * p->nlane];
  for (int s = 0; s < p->m->nslider; s++) p->d->regime[s * p->nlane + l] = 0;
  for (int e = 0; e < p->m->nelem; e++) p->d->sense[e * p->nlane + l] = 0;
}

/* After a period that failed: states that are not finite have come to nothing that is known, the others go
 * back to the start of the period; idle lanes move with one of these. *found: there were such states. */
static cap_status drop_boundless(pool *p, task *t, bool *found)
{
  int active = -1;
  *found = false;
  for (int l = 0; l < p->nlane; l++) {
    bool gone = !is_finite(p, l);
    *found = *found || gone;
    if (p->lanes[l].state >= 0 && gone) {
      int index;
      CAP_TRY(cap_attractors_other(p->set, ring_at(p, l, p->lanes[l].passed), p->nlane, &index, t->error));
      arrive(p, t, l, index);
    }
    if (p->lanes[l].state >= 0) active = l;
  }
  for (int l = 0; active >= 0 && l < p->nlane; l++)
    return_to_strobe(p, l, p->lanes[l].state >= 0 ? l : active);
  return CAP_OK;
}

/* What is left moves to a pool of fewer lanes. */
static cap_status narrow(pool *p, int nlane, cap_error *error)
{
  pool less;
  cap_status status = open_pool(p->set, nlane, &less, error);
  for (int l = 0, to = 0; status == CAP_OK && l < p->nlane; l++) {
    if (p->lanes[l].state < 0) continue;
    less.lanes[to] = p->lanes[l];
    for (int i = 0; i < p->m->nstate; i++) less.d->y[i * nlane + to] = p->d->y[i * p->nlane + l];
    for (int s = 0; s < p->m->nslider; s++) less.d->regime[s * nlane + to] = p->d->regime[s * p->nlane + l];
    for (int e = 0; e < p->m->nelem; e++) less.d->sense[e * nlane + to] = p->d->sense[e * p->nlane + l];
    for (int k = 0; k < p->nring; k++)
      for (int i = 0; i < p->m->nstate; i++)
        ring_at(&less, to, k)[i * nlane] = ring_at(p, l, k)[i * p->nlane];
    less.active++;
    to++;
  }
  if (status != CAP_OK) {
    close_pool(&less);
    return status;
  }
  close_pool(p);
  *p = less;
  return CAP_OK;
}

static int lanes_for(const cap_attractors *set, int count)
{
  if (!set->type->lanes || count == 1) return 1;
  return count <= NARROW ? NARROW : WIDE;
}

static cap_status run(pool *p, task *t)
{
  const cap_progress *progress = p->set->settings.progress;
  for (;;) {
    load_lanes(p, t);
    if (p->active == 0) return CAP_OK;
    int wanted = lanes_for(p->set, p->active);
    if (t->next == t->count && wanted < p->nlane) CAP_TRY(narrow(p, wanted, t->error));
    if (cap_progress_stopped(progress)) return cap_status_fail(t->error, CAP_STOPPED, "interrupted");
    cap_status status = pass(p, t->error);
    bool boundless = false;
    if (status == CAP_ERR_NUMERICS && p->set->settings.boundless) CAP_TRY(drop_boundless(p, t, &boundless));
    if (boundless) continue;
    CAP_TRY(status);
    CAP_TRY(judge_lanes(p, t));
  }
}

cap_status cap_attractors_reach(cap_attractors *set, int first, int count, const double *y, int *which,
                                cap_error *error)
{
  task t = {.first = first, .count = count, .y = y, .which = which, .error = error};
  pool p;
  if (count <= 0) return CAP_OK;
  cap_status status = open_pool(set, lanes_for(set, count), &p, error);
  if (status == CAP_OK) status = run(&p, &t);
  close_pool(&p);
  return status;
}
