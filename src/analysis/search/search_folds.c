/* analysis/search/search_folds.c — folds followed over the load to other folds at its value.
 *
 * A fold of the response moves with the factor of the harmonic load, F(x, p, factor) = 0 with a singular
 * Jacobian (solve/continuation/continuation.h). Where its curve comes back to the full load there is another
 * fold, of the same branch or of one that is not known. At a fold itself Newton is singular, so the
 * candidate is looked for a little way to either side, of which one has solutions.
 */
#include "analysis/search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CROSSINGS = 32, POINTS = 150 };
static const double factor_least = 0.2, factor_most = 2.5, aside = 5e-4;

typedef struct fold {
  cap_hb *hb;
  double full;
  int n;
  double *before, at;         /* [n + 1] the point before, and its load */
  int seen, direction, found; /* points of a direction so far */
  double *crossings;          /* [CROSSINGS][n + 1] */
} fold;

static cap_status jacobian(void *self, const double *x, double p, double q, double *f, double *fx, double *fp,
                           double *fq)
{
  fold *w = self;
  cap_hb_scale_load(w->hb, q);
  CAP_TRY(cap_hb_residual(w->hb, x, p, f, fx, fp, NULL));
  return cap_hb_load_slope(w->hb, p, fq, NULL);
}

/* The fold at full load between this point and the one before, by interpolation. */
static bool take_point(void *self, const cap_continuation_point *point)
{
  fold *w = self;
  size_t n = (size_t)w->n + 1;
  if (point->direction != w->direction) w->seen = 0;
  w->direction = point->direction;
  if (w->seen > 1 && /* not the start itself, corrected */ w->found < CROSSINGS &&
      (w->at - w->full) * (point->p - w->full) < 0.0) {
    double part = (w->full - w->at) / (point->p - w->at);
    double *to = w->crossings + (size_t)w->found++ * n;
    for (size_t i = 0; i < n; i++) to[i] = w->before[i] + part * (point->x[i] - w->before[i]);
  }
  memcpy(w->before, point->x, sizeof(double) * n);
  w->at = point->p;
  w->seen++;
  return true;
}

static cap_status follow_fold(fold *w, const cap_search *s, const cap_hb_point *point, double size,
                              cap_error *error)
{
  const cap_hb_branches_settings *settings = cap_hb_branches_settings_of(s->set);
  double *scale = malloc(sizeof(double) * (size_t)(w->n + 1));
  cap_continuation_result result;
  if (!scale) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < w->n; i++) scale[i] = size;
  cap_continuation_family family = {.n = w->n,
                                    .self = w,
                                    .jacobian = jacobian,
                                    .x_scale = scale,
                                    .p_scale = fabs(settings->last - settings->first) / 10.0,
                                    .q_scale = 0.3 * w->full};
  cap_continuation_options options = {.step = 0.1,
                                      .step_max = 1.0,
                                      .step_min = 1e-6,
                                      .p_min = factor_least * w->full,
                                      .p_max = factor_most * w->full,
                                      .max_points = POINTS,
                                      .skip_branch_points = true,
                                      .tolerance = 1e-7};
  w->seen = w->found = w->direction = 0;
  cap_status status = cap_continuation_fold(&family, &options, point->x, point->p, w->full, 0, take_point, w,
                                            &result, NULL);
  cap_hb_scale_load(w->hb, w->full);
  free(scale);
  return status == CAP_ERR_NOMEM ? cap_status_fail(error, status, "out of memory") : CAP_OK;
}

/* One fold that is back, on both sides. */
static cap_status offer(cap_search *s, const fold *w, int k, int sub, const char *found, cap_error *error)
{
  const cap_hb_branches_settings *settings = cap_hb_branches_settings_of(s->set);
  double low = fmin(settings->first, settings->last), high = fmax(settings->first, settings->last);
  const double *x = w->crossings + (size_t)k * (size_t)(w->n + 1);
  bool fresh = false;
  int lost = s->nlost, tried = 0;
  for (int side = -1; side <= 1 && !fresh; side += 2) {
    double p = x[w->n] + side * aside * (high - low);
    if (!(p > low && p < high)) continue;
    CAP_TRY(cap_search_offer(s, sub, x, p, found, &fresh, error));
    tried++;
  }
  if (s->nlost - lost < tried) s->nlost = lost; /* one side has no solutions by nature */
  return CAP_OK;
}

static cap_status search_from(cap_search *s, int b, int k, double size, cap_error *error)
{
  const cap_hb_branch *branch = cap_hb_branches_get(s->set, b);
  cap_hb_point point = branch->points[k];
  fold w = {0};
  char found[160];
  CAP_TRY(cap_hb_branches_hb(s->set, branch->sub, &w.hb, error));
  if (w.hb != cap_hb_branches_hb_of(s->set, b)) return CAP_OK; /* candidates are given in the first sizes */
  size_t n = (size_t)w.hb->nunknown;
  w.n = w.hb->nunknown;
  w.full = w.hb->linear->load_scale;
  w.before = malloc(sizeof(double) * (n + 1) * (1 + CROSSINGS));
  if (!w.before) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w.crossings = w.before + n + 1;
  snprintf(found, sizeof found, "fold of %s at %.6g followed over the load", branch->name, point.p);
  int sub = branch->sub;
  cap_status status = follow_fold(&w, s, &point, size, error);
  for (int c = 0; status == CAP_OK && c < w.found; c++) status = offer(s, &w, c, sub, found, error);
  free(w.before);
  return status;
}

cap_status cap_search_folds_run(cap_search *s, cap_error *error)
{
  if (!cap_search_folds_possible(s)) return CAP_OK; /* cap_search_left tells */
  double size = cap_search_size(s);
  for (int b = 0; b < cap_hb_branches_count(s->set); b++)
    for (int k = 0; k < cap_hb_branches_get(s->set, b)->npoint; k++) {
      if (cap_hb_branches_get(s->set, b)->points[k].kind != CAP_HB_FOLD) continue;
      CAP_TRY(search_from(s, b, k, size, error));
      if (cap_progress_stopped(s->progress)) return cap_status_fail(error, CAP_STOPPED, "interrupted");
    }
  return CAP_OK;
}
