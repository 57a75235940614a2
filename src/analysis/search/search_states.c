/* analysis/search/search_states.c — random states integrated to attractors, those of few periods handed to
 * the set.
 *
 * States are drawn from the box that all known orbits together take, enlarged; every fourth from a wider one.
 * The stable orbits that the set has at a value are made known before, so that a state that comes to one of
 * them costs no search. A new attractor is a candidate as the series that its motion over its period fits.
 */
#include "analysis/search/attractors.h"
#include "analysis/search/search.h"
#include "hb/hb_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODS_GRANTED = 200, THIN = 5 };
static const double enlarge = 1.25, distant = 4.0;

typedef struct work {
  cap_search *s;
  int nv, nstate;
  double *low, *high; /* [nstate] */
  double *x;          /* unknowns of the largest balance */
  double *c;          /* [nv][coefficients] */
  double *y;          /* [states][nstate] */
  int *which;         /* [states] */
  cap_arena arena;
} work;

/* ---- the box ------------------------------------------------------------------------------------------- */

static cap_status widen(work *w, int branch, const cap_hb_point *point, cap_error *error)
{
  cap_hb *hb = cap_hb_branches_hb_of(w->s->set, branch);
  double angular_frequency;
  CAP_TRY(cap_hb_branches_place(w->s->set, hb, point->p, &angular_frequency, error));
  CAP_TRY(cap_hb_coordinates(hb, point->x, angular_frequency, w->c, NULL, NULL, error));
  for (int i = 0; i < w->nv; i++) {
    const double *a = w->c + (size_t)i * (size_t)hb->ncoef;
    double reach = 0.0, speed = 0.0;
    for (int h = 1; h <= hb->nharmonic; h++) {
      double size = hypot(a[2 * h - 1], a[2 * h]);
      reach += size;
      speed += size * h * angular_frequency / hb->sub;
    }
    w->low[i] = fmin(w->low[i], a[0] - reach);
    w->high[i] = fmax(w->high[i], a[0] + reach);
    w->low[w->nv + i] = fmin(w->low[w->nv + i], -speed);
    w->high[w->nv + i] = fmax(w->high[w->nv + i], speed);
  }
  return CAP_OK;
}

static cap_status find_box(work *w, const cap_model *m, cap_error *error)
{
  for (int i = 0; i < w->nstate; i++) w->low[i] = w->high[i] = m->initial[i];
  for (int i = 0; i < 2 * w->nv; i++) w->low[i] = INFINITY, w->high[i] = -INFINITY;
  for (int b = 0; b < cap_hb_branches_count(w->s->set); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(w->s->set, b);
    for (int k = 0; k < branch->npoint; k += THIN) CAP_TRY(widen(w, b, &branch->points[k], error));
  }
  for (int i = 0; i < 2 * w->nv; i++) {
    double centre = 0.5 * (w->low[i] + w->high[i]), half = 0.5 * enlarge * (w->high[i] - w->low[i]);
    bool driven = m->driven[i % w->nv] >= 0; /* set by its motion whatever the state says */
    w->low[i] = driven ? m->initial[i] : centre - half;
    w->high[i] = driven ? m->initial[i] : centre + half;
  }
  return CAP_OK;
}

/* ---- what is known at p -------------------------------------------------------------------------------- */

static bool straddles(const cap_hb_point *a, const cap_hb_point *b, double p)
{
  return (a->p - p) * (b->p - p) <= 0.0 && a->p != b->p;
}

static cap_status know_branch(work *w, int b, double p, cap_attractors *set, cap_error *error)
{
  const cap_hb_branch *branch = cap_hb_branches_get(w->s->set, b);
  cap_hb *hb;
  cap_continuation *path;
  double angular_frequency;
  int index;
  CAP_TRY(cap_hb_branches_hb(w->s->set, branch->sub, &hb, error));
  if (hb != cap_hb_branches_hb_of(w->s->set, b)) return CAP_OK; /* more harmonics: to be found anew */
  CAP_TRY(cap_hb_branches_path(w->s->set, branch->sub, &path, error));
  for (int k = 0; k + 1 < branch->npoint; k++) {
    const cap_hb_point *from = &branch->points[k], *to = &branch->points[k + 1];
    if (!straddles(from, to, p) || from->unstable != 0 || to->unstable != 0) continue;
    cap_continuation_node a = {from->x, from->p, from->tangent}, e = {to->x, to->p, to->tangent};
    cap_status there = cap_continuation_at(path, &a, &e, p, w->x, NULL);
    if (there == CAP_ERR_NOMEM) return cap_status_fail(error, there, "out of memory");
    if (there != CAP_OK) continue;
    CAP_TRY(cap_hb_branches_place(w->s->set, hb, p, &angular_frequency, error));
    CAP_TRY(cap_hb_output_state(hb, w->x, angular_frequency, w->y, error));
    CAP_TRY(cap_attractors_know(set, branch->sub, w->y, &index, error));
  }
  return CAP_OK;
}

/* ---- candidates ---------------------------------------------------------------------------------------- */

static cap_status offer(work *w, cap_attractors *set, int k, double p, cap_error *error)
{
  const cap_attractor *a = &set->list[k];
  cap_hb *hb;
  double angular_frequency;
  char found[96];
  bool fresh;
  CAP_TRY(cap_hb_branches_hb(w->s->set, a->period, &hb, error));
  CAP_TRY(cap_hb_branches_place(w->s->set, hb, p, &angular_frequency, error));
  int nsample = 4 * hb->ncoef;
  double *q = malloc(sizeof(double) * (size_t)w->nv * (size_t)nsample);
  double *x = malloc(sizeof(double) * (size_t)(hb->nunknown + 1));
  cap_status status = q && x ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = cap_attractors_wave(set, k, nsample, q, error);
  if (status == CAP_OK) status = cap_hb_fit(hb, nsample, q, x);
  snprintf(found, sizeof found, "random state %d at %.6g", a->first + 1, p);
  if (status == CAP_OK) status = cap_search_offer(w->s, a->period, x, p, found, &fresh, error);
  free(x);
  free(q);
  return status;
}

/* State number k: every fourth from far away, in case that only small motions are known. */
static void draw(const work *w, const cap_model *m, int64_t k, double *y)
{
  bool far_away = k % 4 == 3;
  cap_attractors_random(w->s->seed + (far_away ? UINT64_C(1) << 32 : 0), far_away ? k / 4 : k - k / 4,
                        m->nstate, w->low, w->high, y);
  for (int i = 0; far_away && i < 2 * w->nv; i++) {
    double centre = 0.5 * (w->low[i] + w->high[i]);
    y[i] = centre + distant * (y[i] - centre);
  }
}

static cap_status reach(work *w, const cap_model *m, int value, double p, cap_attractors *set,
                        cap_error *error)
{
  const cap_search_spec *spec = w->s->spec;
  for (int b = 0; b < cap_hb_branches_count(w->s->set); b++) CAP_TRY(know_branch(w, b, p, set, error));
  int known = set->n;
  for (int k = 0; k < spec->states; k++)
    draw(w, m, (int64_t)value * spec->states + k, w->y + (size_t)k * (size_t)m->nstate);
  CAP_TRY(cap_attractors_reach(set, 0, spec->states, w->y, w->which, error));
  bool longer = false;
  for (int k = known; k < set->n; k++)
    longer = longer || set->list[k].period == 0 || set->list[k].period > spec->periods;
  if (longer && w->s->nlonger++ == 0) w->s->longer = p;
  for (int k = known; k < set->n; k++)
    if (set->list[k].period >= 1 && set->list[k].period <= spec->periods) CAP_TRY(offer(w, set, k, p, error));
  return CAP_OK;
}

static cap_status search_at(work *w, int value, cap_error *error)
{
  const cap_hb_curve_source *source = &cap_hb_branches_settings_of(w->s->set)->source;
  double p = cap_search_value(w->s, value, w->s->spec->values);
  cap_model *m = NULL;
  cap_attractors *set = NULL;
  int periods = w->s->spec->periods > 4 ? w->s->spec->periods : 4;
  cap_attractors_settings settings = {.periods = periods,
                                      .most = PERIODS_GRANTED,
                                      .low = w->low,
                                      .high = w->high,
                                      .boundless = true,
                                      .progress = w->s->progress};
  cap_status status = source->build(source->self, p, &m, error);
  if (status == CAP_OK) status = cap_attractors_create(m, 0, &settings, &set, error);
  if (status == CAP_OK) status = reach(w, m, value, p, set, error);
  cap_attractors_free(set);
  cap_model_free(m);
  return status;
}

static cap_status prepare(work *w, cap_error *error)
{
  const cap_hb_curve_source *source = &cap_hb_branches_settings_of(w->s->set)->source;
  cap_model *m = NULL;
  cap_hb *hb;
  int unknowns = 1, ncoef = 1;
  for (int b = 0; b < cap_hb_branches_count(w->s->set); b++) {
    const cap_hb *other = cap_hb_branches_hb_of(w->s->set, b);
    if (other->nunknown > unknowns) unknowns = other->nunknown;
    if (other->ncoef > ncoef) ncoef = other->ncoef;
  }
  for (int sub = 1; sub <= w->s->spec->periods; sub++) {
    CAP_TRY(cap_hb_branches_hb(w->s->set, sub, &hb, error));
    if (hb->nunknown > unknowns) unknowns = hb->nunknown;
    if (hb->ncoef > ncoef) ncoef = hb->ncoef;
  }
  CAP_TRY(source->build(source->self, cap_search_value(w->s, 0, w->s->spec->values), &m, error));
  w->nv = m->nv;
  w->nstate = m->nstate;
  int states = w->s->spec->states;
  w->low = CAP_ARENA_NEW(&w->arena, double, w->nstate);
  w->high = CAP_ARENA_NEW(&w->arena, double, w->nstate);
  w->x = CAP_ARENA_NEW(&w->arena, double, unknowns);
  w->c = CAP_ARENA_NEW(&w->arena, double, ((size_t)w->nv * (size_t)ncoef));
  w->y = CAP_ARENA_NEW(&w->arena, double, ((size_t)states * (size_t)w->nstate));
  w->which = CAP_ARENA_NEW(&w->arena, int, states);
  cap_status status = CAP_OK;
  if (!w->low || !w->high || !w->x || !w->c || !w->y || !w->which)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = find_box(w, m, error);
  cap_model_free(m);
  return status;
}

cap_status cap_search_states_run(cap_search *s, cap_error *error)
{
  work w = {.s = s};
  if (!cap_hb_branches_settings_of(s->set)->source.build) return CAP_OK;
  cap_status status = prepare(&w, error);
  for (int k = 0; status == CAP_OK && k < s->spec->values; k++) {
    status = search_at(&w, k, error);
    cap_progress_report(s->progress, "search", k + 1, s->spec->values, "values");
  }
  cap_arena_free(&w.arena);
  return status;
}
