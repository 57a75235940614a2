/* analysis/response/response_shooting.c — response by shooting and arc-length continuation, into the same
 * table of branches.
 *
 * Maths: docs/theory.md §15. As response_hb.c: for each member of the family the branch of orbits of the
 * forcing's period through the one at the first value of the sweep is followed through its folds, then the
 * one through that at the last value unless it is the same. No truncation, no search for what is not
 * connected; the columns of the balance (harmonics, truncation, distances) are empty.
 */
#include "analysis/orbit/orbit.h"
#include "analysis/orbit/orbit_curve.h"
#include "analysis/response/response_hb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 256, POINTS_MOST = 20000 };

typedef struct follower {
  cap_response *r;
  cap_response_member *member;
  cap_model *m; /* at the first value */
  cap_orbit_curve curve;
  cap_channels channels;
  double *waves;  /* [channels][SAMPLES] */
  double *values; /* [channels] */
  double *last;   /* [n] orbit at the last value */
  double p_last;
  bool reachable, met;
  int room; /* rows that member->rows has memory for */
  cap_status status;
  cap_error error;
} follower;

static cap_status build(void *self, double p, cap_model **m, cap_error *error)
{
  const follower *w = self;
  return cap_response_hb_model(w->r, w->member->family, p, m, error);
}

/* ---- points -------------------------------------------------------------------------------------------- */

static void see_instant(void *self, const cap_model *m, const cap_data *d, int k)
{
  follower *w = self;
  cap_channels_values(&w->channels, m, d, w->values);
  for (int c = 0; c < w->channels.n; c++) w->waves[c * SAMPLES + k] = w->values[c];
}

/* A zero of the second test function with real multipliers is no Neimark-Sacker point. */
static bool has_pair_on_circle(const cap_orbit_curve *c)
{
  for (int i = 0; i < c->n; i++)
    if (fabs(c->im[i]) > 1e-6 && fabs(hypot(c->re[i], c->im[i]) - 1.0) < 1e-3) return true;
  return false;
}

/* What the point is, in the numbers of the table; -1: nothing of interest. */
static int kind_of(follower *w, const cap_continuation_point *point)
{
  double tests[CAP_HB_CURVE_TESTS];
  if (point->kind == CAP_CONTINUATION_FOLD) return CAP_HB_FOLD;
  if (point->kind == CAP_CONTINUATION_BRANCH) return CAP_HB_BRANCH_POINT;
  if (point->kind != CAP_CONTINUATION_TEST) return CAP_HB_POINT;
  if (point->test == 0) return CAP_HB_DOUBLING;
  cap_continuation_problem problem = cap_orbit_curve_problem(&w->curve, 1.0);
  if (problem.test(&w->curve, point->x, point->p, tests) != CAP_OK) return -1;
  return has_pair_on_circle(&w->curve) ? CAP_HB_TORUS : -1;
}

static double *new_row(follower *w)
{
  cap_response_member *member = w->member;
  if (member->nrow == w->room) {
    int room = w->room ? 2 * w->room : 256;
    double *rows = realloc(member->rows, sizeof *rows * (size_t)room * (size_t)member->ncolumn);
    if (!rows) return NULL;
    member->rows = rows;
    w->room = room;
  }
  return member->rows + (size_t)member->nrow++ * (size_t)member->ncolumn;
}

static cap_status put_point(follower *w, const cap_continuation_point *point)
{
  cap_response_motion motion = {.p = point->p, .branch = w->member->nbranch - 1, .kind = kind_of(w, point)};
  if (motion.kind < 0) return CAP_OK;
  motion.largest = point->tests ? point->tests[2] - 1.0 : NAN;
  motion.unstable = point->tests && isfinite(point->tests[3]) ? (int)lround(point->tests[3] - 1.0) : -1;
  CAP_TRY(cap_orbit_curve_walk(&w->curve, point->x, point->p, SAMPLES, see_instant, w));
  double *row = new_row(w);
  if (!row) return CAP_ERR_NOMEM;
  cap_response_hb_output_motion(w->r, w->member, &motion, SAMPLES, w->waves, row);
  cap_response_branch *b = &w->member->branches[motion.branch];
  b->from = fmin(b->from, point->p);
  b->to = fmax(b->to, point->p);
  return CAP_OK;
}

static bool is_last(const follower *w, const cap_continuation_point *point)
{
  double span = w->curve.path.source.high - w->curve.path.source.low;
  if (!w->reachable || fabs(point->p - w->p_last) > 1e-9 * span) return false;
  for (int i = 0; i < w->curve.n; i++)
    if (fabs(point->x[i] - w->last[i]) > 1e-5 * w->curve.x_scale[i]) return false;
  return true;
}

static bool see(void *self, const cap_continuation_point *point)
{
  follower *w = self;
  w->met = w->met || is_last(w, point);
  w->status = put_point(w, point);
  return w->status == CAP_OK && !cap_response_stopped(w->r);
}

/* ---- branches ------------------------------------------------------------------------------------------ */

/* What is known of the branch that was followed last, now that it has ended. */
static cap_status finish_branch(follower *w, int first_row, const cap_continuation_result *result)
{
  cap_response_member *member = w->member;
  cap_response_branch *b = &member->branches[member->nbranch - 1];
  bool forwards = result->end[0] != CAP_CONTINUATION_END_NONE;
  cap_continuation_end end = result->end[forwards ? 0 : 1];
  b->closed = end == CAP_CONTINUATION_END_CLOSED;
  b->complete = b->closed || end == CAP_CONTINUATION_END_LIMIT;
  b->ends = cap_arena_copy_text(&member->arena, result->text[forwards ? 0 : 1]);
  b->stable = cap_response_hb_output_stable(member, first_row);
  return b->ends ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status follow(follower *w, const double *y, double p, int direction, const char *found)
{
  cap_response_member *member = w->member;
  double span = w->curve.path.source.high - w->curve.path.source.low;
  cap_continuation_problem problem = cap_orbit_curve_problem(&w->curve, span / 10.0);
  cap_continuation_options options = {.step = 0.05,
                                      .step_max = 0.1,
                                      .p_min = w->curve.path.source.low,
                                      .p_max = w->curve.path.source.high,
                                      .max_points = POINTS_MOST};
  if (!w->r->spec->stability) problem.ntest = 0;
  cap_continuation_start start = {.x = y, .p = p};
  cap_continuation_result result = {0};
  cap_continuation *path;
  int first_row = member->nrow;
  member->branches[member->nbranch] = (cap_response_branch){.name = member->nbranch ? "main-2" : "main",
                                                            .found = found,
                                                            .period = 1,
                                                            .parent = -1,
                                                            .from = INFINITY,
                                                            .to = -INFINITY};
  member->nbranch++;
  CAP_TRY(cap_continuation_create(&problem, &options, &path, &w->error));
  cap_status status = cap_continuation_run(path, &start, direction, see, w, &result, &w->error);
  cap_continuation_free(path);
  if (w->status == CAP_ERR_NOMEM) return w->status;
  if (w->status != CAP_OK) /* a point that is on the curve, but whose motion cannot be computed again */
    return cap_status_fail(&w->error, CAP_ERR_NUMERICS, "%s", w->curve.error.text);
  if (cap_progress_stopped(w->r->run->progress))
    return cap_status_fail(&w->error, CAP_STOPPED, "interrupted");
  if (status == CAP_OK) return finish_branch(w, first_row, &result);
  member->nbranch--;
  member->nrow = first_row;
  if (status < 0 && w->curve.error.text[0])
    return cap_status_fail(&w->error, status, "%s", w->curve.error.text);
  return status;
}

/* A steady orbit at p from the model's initial state, y[n]. */
static cap_status orbit_at(follower *w, double p, double *y, char note[400])
{
  cap_error why = {0};
  cap_stepper stepper = {0};
  cap_stepper_settings settings = {.tolerance = 1e-10};
  cap_orbit_settings search = {
      .tolerance = 1e-9, .most = 400, .multipliers = false, .progress = w->r->run->progress};
  cap_orbit *orbit = NULL;
  cap_status status = cap_model_path_place(&w->curve.path, p, &why);
  const cap_model *m = w->curve.path.m;
  if (status == CAP_OK) status = cap_orbit_create(m, &orbit);
  if (status == CAP_OK) status = cap_stepper_create(w->curve.type, m, &settings, &stepper, &why);
  if (status == CAP_OK) status = cap_orbit_find(&stepper, m, w->curve.d, &search, orbit, &why);
  if (status == CAP_OK && !orbit->converged[0])
    status = cap_status_fail(&why, CAP_RETRY_NOCONV, "no steady orbit found in %d periods", orbit->passes);
  if (status == CAP_OK) memcpy(y, orbit->y, sizeof(double) * (size_t)m->nstate);
  else snprintf(note, 400, "%.390s", why.text);
  cap_stepper_free(&stepper);
  cap_orbit_free(orbit);
  return status;
}

static bool is_hard(cap_status status)
{
  return status == CAP_ERR_NOMEM || status == CAP_STOPPED || status == CAP_ERR_UNSUPPORTED;
}

/* Sizes of the unknowns: the larger of both ends. */
static cap_status set_scales(follower *w, const double *first, double p_first, bool begun)
{
  int n = w->curve.n;
  double *keep = w->curve.re; /* no multipliers yet */
  if (begun) CAP_TRY(cap_orbit_curve_scale(&w->curve, first, p_first));
  for (int i = 0; i < n; i++) keep[i] = begun ? w->curve.x_scale[i] : 0.0;
  if (w->reachable) CAP_TRY(cap_orbit_curve_scale(&w->curve, w->last, w->p_last));
  for (int i = 0; i < n; i++) w->curve.x_scale[i] = fmax(w->reachable ? w->curve.x_scale[i] : 0.0, keep[i]);
  return CAP_OK;
}

static const char no_start[] =
    "no isolated orbit near the start of the curve (friction that never slips gives a family of orbits)";

static cap_status follow_ends(follower *w)
{
  const cap_reals *values = &w->r->spec->sweep.values;
  cap_response_member *member = w->member;
  double first = values->v[0], *y = CAP_ARENA_NEW(&member->arena, double, w->curve.n);
  w->last = CAP_ARENA_NEW(&member->arena, double, w->curve.n);
  if (!y || !w->last) return CAP_ERR_NOMEM;
  w->p_last = values->v[values->n - 1];
  int direction = w->p_last > first ? 1 : -1;
  cap_status begin = orbit_at(w, first, y, member->note[0]);
  if (is_hard(begin)) return begin;
  cap_status end = orbit_at(w, w->p_last, w->last, member->note[1]);
  if (is_hard(end)) return end;
  w->reachable = end == CAP_OK;
  CAP_TRY(set_scales(w, y, first, begin == CAP_OK));
  if (begin == CAP_OK) {
    cap_status status = follow(w, y, first, direction, "from the first value of the sweep");
    if (status < 0 || status == CAP_STOPPED) return status;
    if (status != CAP_OK) snprintf(member->note[0], 400, "%s", no_start);
  }
  if (w->reachable && !w->met) {
    cap_status status = follow(w, w->last, w->p_last, -direction, "from the last value of the sweep");
    if (status < 0 || status == CAP_STOPPED) return status;
    if (status != CAP_OK) snprintf(member->note[1], 400, "%s", no_start);
  }
  if (!member->nbranch) snprintf(member->failure, sizeof member->failure, "%.390s", member->note[0]);
  return CAP_OK;
}

static cap_status open_follower(follower *w)
{
  cap_response_member *member = w->member;
  const cap_reals *values = &w->r->spec->sweep.values;
  double first = values->v[0], last = values->v[values->n - 1];
  cap_hb_curve_source source = {build, w, fmin(first, last), fmax(first, last)};
  cap_orbit_curve_settings settings = {0};
  CAP_TRY(build(w, first, &w->m, &w->error));
  CAP_TRY(cap_orbit_curve_open(w->m, &source, &settings, &w->curve, &w->error));
  CAP_TRY(cap_channels_select(&w->channels, w->m, &w->r->run->outputs->channels, &w->error));
  size_t n = (size_t)w->channels.n;
  member->ncolumn = cap_response_hb_output_columns(w->r);
  member->branches = CAP_ARENA_NEW(&member->arena, cap_response_branch, 2);
  w->waves = CAP_ARENA_NEW(&member->arena, double, (n * SAMPLES));
  w->values = CAP_ARENA_NEW(&member->arena, double, n);
  if (!member->branches || !w->waves || !w->values) return CAP_ERR_NOMEM;
  return CAP_OK;
}

cap_status cap_response_shooting_member(cap_response *r, cap_response_member *member, cap_error *error)
{
  follower w = {.r = r, .member = member};
  cap_status status = open_follower(&w);
  if (status == CAP_OK) status = follow_ends(&w);
  cap_channels_free(&w.channels);
  cap_orbit_curve_close(&w.curve);
  cap_model_free(w.m);
  if (status == CAP_OK) return CAP_OK;
  if (status == CAP_ERR_NOMEM) return cap_status_fail(error, status, "out of memory");
  return cap_status_fail(error, status, "response: %s",
                         w.error.text[0] ? w.error.text : cap_status_text(status));
}
