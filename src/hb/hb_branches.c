/* hb/hb_branches.c — see hb_branches.h: the set, its balances and its starts. */
#include "hb/hb_branches_work.h"
#include "hb/hb_newton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD_STEPS = 10, LEVELS_MOST = 64 };

/* ---- life ---------------------------------------------------------------------------------------------- */

cap_status cap_hb_branches_create(const cap_model *m, const cap_hb_branches_settings *settings,
                                  cap_hb_branches **out, cap_error *error)
{
  *out = NULL;
  cap_hb_branches *set = calloc(1, sizeof *set);
  if (!set) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  set->m = m;
  set->settings = *settings;
  set->low = fmin(settings->first, settings->last);
  set->high = fmax(settings->first, settings->last);
  int level;
  cap_status status = cap_hb_branches_level(set, 1, settings->harmonics, settings->samples, &level, error);
  if (status == CAP_OK) {
    cap_hb_level *first = set->levels[level];
    set->choose_samples = settings->samples <= 0;
    set->settings.samples = first->samples = first->hb->nsample; /* the same for orbits of more periods */
    set->harmonics = settings->harmonics;
    set->nscale = set->levels[level]->hb->nouter + set->levels[level]->hb->ncoulomb;
    set->scale = CAP_ARENA_NEW(&set->arena, double, set->nscale);
    if (!set->scale) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  if (status == CAP_OK) *out = set;
  else cap_hb_branches_free(set);
  return status;
}

static void free_level(cap_hb_level *level)
{
  if (!level) return;
  cap_continuation_free(level->path);
  cap_hb_curve_close(&level->curve);
  cap_hb_stability_free(level->stability);
  cap_hb_free(level->hb);
  free(level);
}

void cap_hb_branches_free(cap_hb_branches *set)
{
  if (!set) return;
  for (int k = 0; k < set->nlevel; k++) free_level(set->levels[k]);
  for (int k = 0; k < set->nbranch; k++) free(set->branches[k].points);
  free(set->branches);
  cap_arena_free(&set->arena);
  free(set);
}

int cap_hb_branches_count(const cap_hb_branches *set)
{
  return set->nbranch;
}

const cap_hb_branch *cap_hb_branches_get(const cap_hb_branches *set, int branch)
{
  return &set->branches[branch];
}

const cap_hb_branches_settings *cap_hb_branches_settings_of(const cap_hb_branches *set)
{
  return &set->settings;
}

cap_status cap_hb_branches_rename(cap_hb_branches *set, int branch, const char *name, int parent)
{
  char *copy = cap_arena_copy_text(&set->arena, name);
  if (!copy) return CAP_ERR_NOMEM;
  set->branches[branch].name = copy;
  set->branches[branch].parent = parent;
  return CAP_OK;
}

/* ---- balances ------------------------------------------------------------------------------------------ */

static cap_status open_level(cap_hb_branches *set, cap_hb_level *level, cap_error *error)
{
  cap_hb_settings sizes = {level->harmonics * level->sub, level->samples * level->sub, level->sub};
  CAP_TRY(cap_hb_create(set->m, 0, &sizes, &level->hb, error));
  if (set->settings.stability) CAP_TRY(cap_hb_stability_create(level->hb, &level->stability, error));
  if (cap_hb_curve_open(level->hb, level->stability, 1.0, &level->curve) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  level->curve.parameter = set->settings.parameter;
  level->curve.stopped = set->settings.stopped;
  level->curve.stopped_self = set->settings.stopped_self;
  if (set->settings.parameter == CAP_HB_CURVE_MODEL)
    CAP_TRY(cap_hb_curve_by_model(&level->curve, &set->settings.source, error));
  return CAP_OK;
}

cap_status cap_hb_branches_level(cap_hb_branches *set, int sub, int harmonics, int samples, int *out,
                                 cap_error *error)
{
  for (int k = 0; k < set->nlevel; k++)
    if (set->levels[k]->sub == sub && set->levels[k]->harmonics == harmonics &&
        set->levels[k]->samples == samples) {
      *out = k;
      return CAP_OK;
    }
  if (set->nlevel == LEVELS_MOST)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "too many harmonic balances of different size; expected at most %d", LEVELS_MOST);
  cap_hb_level *level = calloc(1, sizeof *level);
  if (!level) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  *level = (cap_hb_level){.sub = sub, .harmonics = harmonics, .samples = samples};
  cap_status status = open_level(set, level, error);
  if (status != CAP_OK) {
    free_level(level);
    return status;
  }
  *out = set->nlevel;
  set->levels[set->nlevel++] = level;
  return CAP_OK;
}

static void scale_unknowns(const cap_hb_branches *set, cap_hb_level *level)
{
  int nc = level->hb->ncoef;
  for (int i = 0; i < set->nscale; i++)
    for (int k = 0; k < nc; k++) level->curve.x_scale[i * nc + k] = set->scale[i];
}

cap_status cap_hb_branches_level_path(cap_hb_branches *set, int index, cap_error *error)
{
  cap_hb_level *level = set->levels[index];
  if (level->path) return CAP_OK;
  scale_unknowns(set, level);
  double span = set->high - set->low;
  cap_continuation_problem problem = cap_hb_curve_problem(&level->curve, span / 10.0);
  cap_continuation_options options = {
      .step = 0.1,
      .step_max = 0.5,
      .step_min = 1e-8,
      .p_step = span / 100.0,
      .p_min = span > 0.0 ? set->low : set->low - 1e-6 * (1.0 + fabs(set->low)),
      .p_max = set->high,
      .max_points = set->settings.points_most > 0 ? set->settings.points_most : 20000,
      .tolerance = 1e-9};
  return cap_continuation_create(&problem, &options, &level->path, error);
}

static int base_level(cap_hb_branches *set, int sub, cap_status *status, cap_error *error)
{
  int level = 0;
  *status = cap_hb_branches_level(set, sub, set->settings.harmonics, set->settings.samples, &level, error);
  return level;
}

cap_status cap_hb_branches_hb(cap_hb_branches *set, int sub, cap_hb **hb, cap_error *error)
{
  cap_status status;
  int level = base_level(set, sub, &status, error);
  *hb = status == CAP_OK ? set->levels[level]->hb : NULL;
  return status;
}

cap_hb *cap_hb_branches_hb_of(const cap_hb_branches *set, int branch)
{
  return set->levels[set->branches[branch].level]->hb;
}

cap_status cap_hb_branches_level_place(cap_hb_level *level, double p, double *angular_frequency,
                                       cap_error *error)
{
  cap_status status = cap_hb_curve_place(&level->curve, p, angular_frequency);
  if (status != CAP_OK && error) *error = level->curve.error;
  return status;
}

cap_status cap_hb_branches_place(cap_hb_branches *set, cap_hb *hb, double p, double *angular_frequency,
                                 cap_error *error)
{
  for (int k = 0; k < set->nlevel; k++) {
    if (set->levels[k]->hb != hb) continue;
    return cap_hb_branches_level_place(set->levels[k], p, angular_frequency, error);
  }
  return cap_status_fail(error, CAP_ERR_INPUT, "internal error: this harmonic balance is not one of the set");
}

cap_status cap_hb_branches_path(cap_hb_branches *set, int sub, cap_continuation **path, cap_error *error)
{
  cap_status status;
  int level = base_level(set, sub, &status, error);
  if (status == CAP_OK) status = cap_hb_branches_level_path(set, level, error);
  *path = status == CAP_OK ? set->levels[level]->path : NULL;
  return status;
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

void cap_hb_branches_scales(cap_hb_branches *set, int nsolution, const double *const *x)
{
  const cap_hb *hb = set->levels[0]->hb;
  int nc = hb->ncoef;
  double most = 1e-9;
  for (int i = 0; i < set->nscale; i++) {
    double size = 0.0;
    for (int s = 0; s < nsolution; s++)
      for (int k = 1; k < nc; k++) size = fmax(size, fabs(x[s][i * nc + k]));
    set->scale[i] = size;
    if (i < hb->nouter) most = fmax(most, size);
  }
  /* a coordinate that is still in these solutions may move in others */
  for (int i = 0; i < set->nscale; i++)
    set->scale[i] = fmax(set->scale[i], i < hb->nouter ? 1e-3 * most : 1e-9);
  int slider = hb->nouter;
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind == CAP_HB_LAW_COULOMB) {
      set->scale[slider] = fmax(set->scale[slider], hb->laws[k].limit);
      slider++;
    }
}

/* ---- starts -------------------------------------------------------------------------------------------- */

static cap_status raise_load(cap_hb *hb, double angular_frequency, double full, double *x, cap_error *error)
{
  cap_hb_newton_report report;
  cap_hb_newton_settings newton = {.tolerance = 1e-9};
  cap_status status = CAP_OK;
  cap_hb_start(hb, x);
  for (int k = 0; k <= LOAD_STEPS && status == CAP_OK; k++) {
    cap_hb_scale_load(hb, full * k / LOAD_STEPS);
    status = cap_hb_newton_solve(hb, x, angular_frequency, &newton, &report, error);
  }
  return status;
}

typedef struct load_sink {
  int n;
  double *x;
  bool reached;
} load_sink;

static bool keep_full_load(void *self, const cap_continuation_point *point)
{
  load_sink *s = self;
  if (point->kind != CAP_CONTINUATION_LIMIT || point->p < 0.0) return true;
  memcpy(s->x, point->x, sizeof(double) * (size_t)s->n);
  s->reached = true;
  return false;
}

/* The same along the curve over the load, through its folds, to the first solution at full load. */
static cap_status follow_load(cap_hb *hb, double angular_frequency, double full, double *x, cap_error *error)
{
  cap_hb_curve curve;
  cap_continuation *path = NULL;
  cap_hb_newton_report report;
  cap_continuation_result result;
  load_sink sink = {hb->nunknown, x, false};
  double size = 1e-9;
  cap_hb_start(hb, x);
  cap_hb_scale_load(hb, 0.05 * full);
  cap_status status = cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, error);
  for (int i = 0; i < hb->nouter * hb->ncoef; i++)
    if (i % hb->ncoef) size = fmax(size, 10.0 * fabs(x[i]));
  if (status == CAP_OK && cap_hb_curve_open(hb, NULL, size, &curve) != CAP_OK)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status != CAP_OK) return status;
  curve.parameter = CAP_HB_CURVE_LOAD;
  curve.angular_frequency = angular_frequency;
  cap_continuation_problem problem = cap_hb_curve_problem(&curve, 0.3 * full);
  cap_continuation_options options = {.p_min = -full, .p_max = full, .max_points = 2000, .step_min = 1e-8};
  cap_continuation_start start = {.x = x, .p = 0.05 * full};
  status = cap_continuation_create(&problem, &options, &path, error);
  if (status == CAP_OK) status = cap_continuation_run(path, &start, 1, keep_full_load, &sink, &result, error);
  if (status == CAP_OK && !sink.reached)
    status = cap_status_fail(error, CAP_RETRY_NOCONV, "increasing the load: %s", result.text[0]);
  cap_continuation_free(path);
  cap_hb_curve_close(&curve);
  return status;
}

cap_status cap_hb_branches_start(cap_hb_branches *set, double p, double *x, cap_error *error)
{
  cap_hb *hb = set->levels[0]->hb;
  double angular_frequency;
  CAP_TRY(cap_hb_branches_place(set, hb, p, &angular_frequency, error));
  double full = hb->linear->load_scale;
  cap_status status = raise_load(hb, angular_frequency, full, x, error);
  if (status > 0 && full > 0.0) status = follow_load(hb, angular_frequency, full, x, error);
  cap_hb_scale_load(hb, full);
  return status;
}

static cap_status follow_end(cap_hb_branches *set, const double *x, int side, char note[400],
                             cap_error *error)
{
  double p = side == 0 ? set->settings.first : set->settings.last;
  bool upwards = (set->settings.last > set->settings.first) == (side == 0);
  int before = set->nbranch, branch = -1;
  cap_error why = {0};
  cap_status status = cap_hb_branches_follow(
      set, 1, x, p, side == 0 ? "from the first value of the sweep" : "from the last value of the sweep",
      upwards ? 1 : -1, &branch, &why);
  if (status == CAP_OK && set->nbranch > before &&
      cap_hb_branches_rename(set, branch, before ? "main-2" : "main", -1) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status < 0 || status == CAP_STOPPED) {
    if (error) *error = why;
    return status;
  }
  if (status > 0) snprintf(note, 400, "%.390s", why.text);
  return CAP_OK;
}

cap_status cap_hb_branches_follow_ends(cap_hb_branches *set, char note[2][400], cap_error *error)
{
  int n = set->levels[0]->hb->nunknown, found = 0;
  double *x = malloc(sizeof(double) * (size_t)(2 * n + 1));
  const double *starts[2];
  bool has[2];
  cap_error why = {0};
  cap_status status = x ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int side = 0; side < 2 && status == CAP_OK; side++) {
    note[side][0] = 0;
    cap_status one = cap_hb_branches_start(set, side == 0 ? set->settings.first : set->settings.last,
                                           x + side * n, &why);
    has[side] = one == CAP_OK;
    if (has[side]) starts[found++] = x + side * n;
    else snprintf(note[side], sizeof note[side], "%.390s", why.text);
    if (one < 0 || one == CAP_STOPPED) status = cap_status_fail(error, one, "%s", why.text);
  }
  if (status == CAP_OK && !found)
    status = cap_status_fail(error, CAP_RETRY_NOCONV, "no solution at either end of the range: %s", why.text);
  if (status == CAP_OK) cap_hb_branches_scales(set, found, starts);
  for (int side = 0; side < 2 && status == CAP_OK; side++)
    if (has[side]) status = follow_end(set, x + side * n, side, note[side], error);
  if (status == CAP_OK && set->nbranch == 0)
    status = cap_status_fail(error, CAP_RETRY_NOCONV, "no branch from either end of the range: %s",
                             note[has[0] ? 0 : 1]);
  free(x);
  return status;
}
