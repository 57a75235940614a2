/* analysis/response_hb.c — frequency response by harmonic balance and arc-length continuation.
 *
 * Maths: docs/theory.md §12 and §13. For each member of the family one branch is followed through all its
 * folds from the first value of the sweep towards the last; when the solution at the last value is not on it,
 * a second one is followed from there. The result is a table: one row a point, with the branch that it
 * belongs to, what it is (a point, a fold), the channels' mean, rms and extremes, and the largest Floquet
 * multiplier.
 */
#include "analysis/response.h"
#include "elements/elements.h"
#include "hb/hb.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "hb/hb_stability.h"
#include "solve/continuation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTITIES = 5, LOAD_STEPS = 10 };
static const char *const quantity_name[QUANTITIES] = {"mean", "rms_ac", "rms_total", "min", "max"};
static const char *const quantity_text[QUANTITIES] = {"mean", "rms about the mean of", "rms of", "smallest",
                                                      "largest"};

/* One member of the family being followed. */
typedef struct follower {
  cap_response *r;
  cap_model *m;
  cap_hb *hb;
  cap_continuation *path;
  cap_hb_stability *stability; /* NULL: not wanted */
  int family, branch;
  int *channel; /* [channels] numbers in the model */
  double *x_scale, *f_scale, *row;
  double p_low, p_high;
  double *end_x; /* solution at the far end, [nunknown] */
  bool end_met;  /* the branch passed through it */
  cap_status failed;
  cap_arena arena;
} follower;

static int column_count(const cap_response *r)
{
  return 5 + QUANTITIES * r->channels.n;
}

static cap_status residual(void *self, const double *x, double p, double *f)
{
  follower *w = self;
  return cap_hb_residual(w->hb, x, p, f, NULL, NULL, w->r->run->error);
}

static cap_status jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  follower *w = self;
  return cap_hb_residual(w->hb, x, p, f, fx, fp, w->r->run->error);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static cap_status fill_channels(follower *w, const double *x, double p)
{
  cap_response *r = w->r;
  cap_hb_wave wave = {0};
  CAP_TRY(cap_hb_output_wave(w->hb, x, p, r->channels.n, w->channel, &wave, r->run->error));
  for (int c = 0; c < r->channels.n; c++) {
    cap_hb_output out = cap_hb_output_of(wave.nsample, wave.values + (size_t)c * (size_t)wave.nsample);
    double *at = w->row + 5 + QUANTITIES * c;
    at[0] = out.mean, at[1] = out.rms_ac, at[2] = out.rms_total, at[3] = out.low, at[4] = out.high;
  }
  cap_arena_free(&wave.arena);
  return CAP_OK;
}

static cap_status put_row(follower *w, const double *x, double p, int kind)
{
  cap_response *r = w->r;
  double largest = NAN;
  if (w->stability) {
    cap_status status = cap_hb_stability_find(w->stability, w->hb, x, p, r->run->error);
    if (status < 0) return status;
    if (status == CAP_OK) largest = w->stability->largest; /* else not known here: the row says so */
  }
  w->row[0] = p;
  w->row[1] = r->spec->family.path ? r->spec->family.values.v[w->family] : 0.0;
  w->row[2] = w->branch;
  w->row[3] = kind;
  w->row[4] = largest;
  CAP_TRY(fill_channels(w, x, p));
  return r->run->sink->rows(r->run->sink, 1, w->row);
}

/* Whether the curve has come to the solution that was computed at the far end. */
static void meet_end(follower *w, const double *x)
{
  double distance = 0.0;
  for (int i = 0; i < w->hb->nunknown; i++)
    distance = fmax(distance, fabs(x[i] - w->end_x[i]) / w->x_scale[i]);
  if (distance < 1e-4) w->end_met = true;
}

static bool take_point(void *self, const cap_continuation_point *point)
{
  follower *w = self;
  int kind = point->kind == CAP_CONTINUATION_FOLD ? 1 : point->kind == CAP_CONTINUATION_BRANCH ? 2 : 0;
  w->failed = put_row(w, point->x, point->p, kind);
  if (point->kind == CAP_CONTINUATION_LIMIT) meet_end(w, point->x);
  if (w->failed == CAP_OK && cap_response_stopped(w->r))
    w->failed = cap_status_fail(w->r->run->error, CAP_STOPPED, "interrupted");
  return w->failed == CAP_OK;
}

/* ---- following ----------------------------------------------------------------------------------------- */

/* A solution at p from rest: the harmonic load is raised in steps. */
static cap_status start_at(follower *w, double p, double *x)
{
  cap_error *error = w->r->run->error;
  cap_hb_newton_report report;
  cap_hb_newton_settings settings = {.tolerance = 1e-9};
  cap_status status = CAP_OK;
  cap_hb_start(w->hb, x);
  for (int k = 0; k <= LOAD_STEPS && status == CAP_OK; k++) {
    cap_hb_scale_load(w->hb, (double)k / LOAD_STEPS);
    status = cap_hb_newton_solve(w->hb, x, p, &settings, &report, error);
  }
  cap_hb_scale_load(w->hb, 1.0);
  return status;
}

static cap_status follow(follower *w, const double *x, double p, int direction)
{
  cap_response *r = w->r;
  cap_continuation_result result;
  cap_continuation_start start = {.x = x, .p = p};
  w->branch++;
  w->failed = CAP_OK;
  cap_status status = cap_continuation_run(w->path, &start, direction, take_point, w, &result, r->run->error);
  if (w->failed != CAP_OK) return w->failed;
  if (status < 0) return status;
  if (status != CAP_OK)
    return cap_status_fail(r->run->error, CAP_ERR_NUMERICS, "response: no solution near the start at %.6g",
                           p);
  int side = direction > 0 ? 0 : 1;
  if (result.end[side] != CAP_CONTINUATION_END_LIMIT && result.end[side] != CAP_CONTINUATION_END_CLOSED)
    cap_progress_note(r->run->progress, "response: branch %d ends at %.6g: %s", w->branch, result.p_end[side],
                      result.text[side]);
  return CAP_OK;
}

/* Sizes of unknowns and residuals: those of the solutions at both ends. */
static void set_scales(follower *w, const double *a, const double *b)
{
  int ncoef = w->hb->ncoef;
  for (int first = 0; first < w->hb->nunknown; first += ncoef) {
    double size = 1e-9;
    for (int k = 1; k < ncoef; k++) size = fmax(size, fmax(fabs(a[first + k]), fabs(b[first + k])));
    for (int k = 0; k < ncoef; k++) w->x_scale[first + k] = size;
  }
}

static cap_status create_path(follower *w)
{
  cap_response *r = w->r;
  double span = w->p_high - w->p_low;
  cap_continuation_problem problem = {.n = w->hb->nunknown,
                                      .self = w,
                                      .residual = residual,
                                      .jacobian = jacobian,
                                      .x_scale = w->x_scale,
                                      .p_scale = span / 10.0};
  cap_continuation_options options = {.step = 0.1,
                                      .step_max = 0.5,
                                      .step_min = 1e-8,
                                      .p_min = w->p_low,
                                      .p_max = w->p_high,
                                      .max_points = 20000,
                                      .tolerance = 1e-9};
  return cap_continuation_create(&problem, &options, &w->path, r->run->error);
}

static cap_status follow_member(follower *w)
{
  cap_response *r = w->r;
  const cap_reals *values = &r->spec->sweep.values;
  double first = values->v[0], last = values->v[values->n - 1];
  double *x = CAP_ARENA_NEW(&w->arena, double, w->hb->nunknown);
  w->x_scale = CAP_ARENA_NEW(&w->arena, double, w->hb->nunknown);
  w->end_x = CAP_ARENA_NEW(&w->arena, double, w->hb->nunknown);
  if (!x || !w->x_scale || !w->end_x) return cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  w->p_low = fmin(first, last);
  w->p_high = fmax(first, last);
  CAP_TRY(start_at(w, first, x));
  CAP_TRY(start_at(w, last, w->end_x));
  set_scales(w, x, w->end_x);
  CAP_TRY(create_path(w));
  CAP_TRY(follow(w, x, first, last > first ? 1 : -1));
  if (!w->end_met) CAP_TRY(follow(w, w->end_x, last, last > first ? -1 : 1));
  return CAP_OK;
}

/* An element whose parameters change with the pulsation itself, such as a damper scaled by it; -1 = none.
 * Loads follow the pulsation by their nature. */
static int changing_element(const cap_model *a, const cap_model *b)
{
  for (int k = 0; k < a->nbatch; k++) {
    const cap_batch *one = &a->batches[k], *other = &b->batches[k];
    size_t size = sizeof(double) * (size_t)one->type->nparam;
    for (int n = 0; one->type != &cap_load_type && n < one->n; n++)
      if (memcmp(one->par + n * one->type->nparam, other->par + n * one->type->nparam, size) != 0)
        return one->elem_adr + n;
  }
  return -1;
}

/* The balance is followed over the pulsation of the forcing: both ends of the sweep must be its own, and
 * nothing but loads may depend on it. */
static cap_status check_parameter(cap_response *r, int family)
{
  const cap_reals *values = &r->spec->sweep.values;
  cap_model *m[2] = {NULL, NULL};
  cap_status status = cap_response_build(r, 1, &family, 0, &m[0]);
  if (status == CAP_OK) status = cap_response_build(r, 1, &family, r->nsweep - 1, &m[1]);
  if (status == CAP_OK) {
    bool own = fabs(m[0]->period[0] * values->v[0] - 2.0 * M_PI) < 1e-9 &&
               fabs(m[1]->period[0] * values->v[r->nsweep - 1] - 2.0 * M_PI) < 1e-9;
    int changing = changing_element(m[0], m[1]);
    if (!own)
      status = cap_status_fail(
          r->run->error, CAP_ERR_UNSUPPORTED,
          "response: harmonic balance follows the pulsation of the forcing, which %s is not",
          r->spec->sweep.path);
    else if (changing >= 0)
      status = cap_status_fail(
          r->run->error, CAP_ERR_UNSUPPORTED,
          "response: the parameters of %s change with the pulsation, which harmonic-balance does "
          "not follow; use another method",
          m[0]->elem_name[changing]);
  }
  cap_model_free(m[0]);
  cap_model_free(m[1]);
  return status;
}

static cap_status do_member(cap_response *r, int family)
{
  follower w = {.r = r, .family = family};
  cap_hb_settings settings = {.harmonics = r->spec->harmonics, .samples = r->spec->samples};
  w.row = CAP_ARENA_NEW(&w.arena, double, column_count(r));
  w.channel = CAP_ARENA_NEW(&w.arena, int, r->channels.n);
  cap_status status = w.row && w.channel ? CAP_OK
                                         : cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int c = 0; status == CAP_OK && c < r->channels.n; c++)
    w.channel[c] = (int)(r->channels.list[c] - r->run->model->channels);
  if (status == CAP_OK) status = check_parameter(r, family);
  if (status == CAP_OK) status = cap_response_build(r, 1, &family, 0, &w.m);
  if (status == CAP_OK) status = cap_hb_create(w.m, 0, &settings, &w.hb, r->run->error);
  if (status == CAP_OK && r->spec->stability)
    status = cap_hb_stability_create(w.hb, &w.stability, r->run->error);
  if (status == CAP_OK) status = follow_member(&w);
  cap_continuation_free(w.path);
  cap_hb_stability_free(w.stability);
  cap_hb_free(w.hb);
  cap_model_free(w.m);
  cap_arena_free(&w.arena);
  return status;
}

static cap_status put_columns(cap_response *r)
{
  int n = column_count(r), at = 5;
  cap_arena arena = {0};
  cap_column *columns = CAP_ARENA_NEW(&arena, cap_column, n);
  cap_status status = columns ? CAP_OK : CAP_ERR_NOMEM;
  if (status == CAP_OK) {
    const cap_sweep *family = &r->spec->family, *sweep = &r->spec->sweep;
    columns[0] = (cap_column){sweep->path, sweep->target->unit, sweep->target->doc};
    columns[1] = family->path ? (cap_column){family->path, family->target->unit, family->target->doc}
                              : (cap_column){"family", "1", "member of the family"};
    columns[2] = (cap_column){"branch", "1", "number of the branch"};
    columns[3] = (cap_column){"kind", "1", "0 point, 1 fold, 2 branch point"};
    columns[4] = (cap_column){"multiplier", "1", "largest modulus of a Floquet multiplier"};
    for (int c = 0; c < r->channels.n; c++)
      for (int k = 0; k < QUANTITIES; k++) {
        const cap_column *column = &r->channels.columns[c];
        columns[at++] = (cap_column){cap_arena_format(&arena, "%s.%s", column->name, quantity_name[k]),
                                     column->unit,
                                     cap_arena_format(&arena, "%s %s", quantity_text[k], column->long_name)};
      }
    for (int k = 0; k < n; k++)
      if (!columns[k].name || !columns[k].long_name) status = CAP_ERR_NOMEM;
  }
  if (status == CAP_OK) status = r->run->sink->columns(r->run->sink, n, columns);
  cap_arena_free(&arena);
  return status == CAP_ERR_NOMEM ? cap_status_fail(r->run->error, status, "out of memory") : status;
}

cap_status cap_response_hb(cap_response *r)
{
  cap_sink *sink = r->run->sink;
  CAP_TRY(put_columns(r));
  CAP_TRY(sink->text(sink, "method", "harmonic-balance"));
  CAP_TRY(sink->number(sink, (cap_column){"harmonics", "1", "harmonics of the balance"}, r->spec->harmonics));
  for (int family = 0; family < r->nfamily; family++) CAP_TRY(do_member(r, family));
  return sink->close(sink);
}
