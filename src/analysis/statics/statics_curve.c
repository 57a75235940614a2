/* analysis/statics/statics_curve.c — see statics_curve.h. */
#include "analysis/statics/statics_curve.h"
#include "analysis/model_path.h"
#include "analysis/observe/channels.h"
#include "analysis/statics/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP, FAMILY, BRANCH, KIND, GROWTH, UNSTABLE, FIXED };
enum { BRANCHES_MOST = 2 };

/* What is told of a branch. */
typedef struct branch {
  int npoint, nfold, nstable;
  bool closed;
  double from, to;
} branch;

typedef struct follower {
  cap_run *run;
  const cap_sweep *sweep;
  cap_model_path path;
  cap_channels channels;
  cap_data *d; /* of a point */
  int nv, ncolumn;
  const double *q;              /* where values beside p are asked for */
  double *x_scale, *f_scale;    /* [nv] */
  double *slope, *beside, *row; /* [nv], [nv], [ncolumn] */
  double *re, *im;              /* [2 nv] */
  double *last;                 /* [nv] equilibrium at the last value of the sweep */
  double p_last;
  bool reachable; /* there is one, as far as slow loading from the start reaches it */
  bool met;       /* the curve has passed through it */
  int nbranch;
  branch branches[BRANCHES_MOST]; /* the last one is being followed */
  cap_status status;              /* of the sink */
  cap_error error;                /* of the last call that failed */
  cap_arena arena;
} follower;

/* ---- the problem --------------------------------------------------------------------------------------- */

static cap_status build(void *self, double p, cap_model **m, cap_error *error)
{
  const follower *w = self;
  cap_run run = *w->run;
  run.error = error;
  return run.rebuild(&run, 1, &w->sweep->path, 1, &p, m);
}

static cap_status value(void *self, const cap_model *m, double *f, cap_error *error)
{
  (void)error;
  follower *w = self;
  return cap_equilibrium_forces(m, w->run->data, w->q, f, NULL, NULL);
}

static cap_status find_slope(follower *w, const double *q, const double *f)
{
  w->q = q;
  return cap_model_path_slope(&w->path, w->nv, f, value, w, w->beside, w->slope, &w->error);
}

static cap_status all_finite(const follower *w, const double *f)
{
  for (int i = 0; i < w->nv; i++)
    if (!isfinite(f[i])) return CAP_RETRY_NONFINITE;
  return CAP_OK;
}

static cap_status jacobian(void *self, const double *q, double p, double *f, double *fx, double *fp)
{
  follower *w = self;
  CAP_TRY(cap_model_path_place(&w->path, p, &w->error));
  CAP_TRY(cap_equilibrium_forces(w->path.m, w->run->data, q, f, fx, NULL));
  CAP_TRY(all_finite(w, f));
  if (!fp && p == w->path.p) return CAP_OK;
  CAP_TRY(find_slope(w, q, f));
  if (fp) memcpy(fp, w->slope, sizeof(double) * (size_t)w->nv);
  /* outside the range of models: F + (p - end) dF/dp */
  for (int i = 0; p != w->path.p && i < w->nv; i++) f[i] += (p - w->path.p) * w->slope[i];
  return CAP_OK;
}

static cap_status residual(void *self, const double *q, double p, double *f)
{
  return jacobian(self, q, p, f, NULL, NULL);
}

/* ---- points -------------------------------------------------------------------------------------------- */

static cap_status stability(follower *w, double *growth, int *unstable)
{
  int n = cap_equilibrium_eigenvalues(w->path.m, w->d, false, w->re, w->im, &w->error);
  if (n < 0) return CAP_ERR_NUMERICS;
  double fastest = 0.0;
  *growth = n ? -INFINITY : NAN;
  for (int k = 0; k < n; k++) {
    *growth = fmax(*growth, w->re[k]);
    fastest = fmax(fastest, hypot(w->re[k], w->im[k]));
  }
  for (int k = 0; k < n; k++) *unstable += w->re[k] > 1e-9 * fastest; /* none at a fold itself */
  return CAP_OK;
}

static cap_status put_point(follower *w, const cap_continuation_point *point)
{
  int unstable = 0;
  CAP_TRY(cap_model_path_place(&w->path, point->p, &w->error));
  cap_data_copy(w->path.m, w->d, w->run->data);
  memcpy(w->d->q, point->x, sizeof(double) * (size_t)w->nv);
  memset(w->d->v, 0, sizeof(double) * (size_t)w->nv);
  CAP_TRY(cap_equilibrium_forces(w->path.m, w->run->data, point->x, w->beside, NULL, w->d->x));
  CAP_TRY(stability(w, &w->row[GROWTH], &unstable));
  bool fold = point->kind == CAP_CONTINUATION_FOLD;
  w->row[SWEEP] = point->p;
  w->row[BRANCH] = w->nbranch;
  w->row[KIND] = fold ? 1.0 : point->kind == CAP_CONTINUATION_BRANCH ? 2.0 : 0.0;
  w->row[UNSTABLE] = unstable;
  cap_channels_values(&w->channels, w->path.m, w->d, w->row + FIXED);
  branch *b = &w->branches[w->nbranch - 1];
  b->from = b->npoint ? fmin(b->from, point->p) : point->p;
  b->to = b->npoint ? fmax(b->to, point->p) : point->p;
  b->npoint++;
  b->nfold += fold;
  b->nstable += unstable == 0;
  return w->run->sink->rows(w->run->sink, 1, w->row);
}

/* Whether the end of the curve is the equilibrium at the last value. */
static bool is_last(const follower *w, const cap_continuation_point *point)
{
  if (!w->reachable) return false;
  if (fabs(point->p - w->p_last) > 1e-9 * (fabs(w->p_last) + w->path.source.high - w->path.source.low))
    return false;
  for (int i = 0; i < w->nv; i++)
    if (fabs(point->x[i] - w->last[i]) > 1e-6 * w->x_scale[i]) return false;
  return true;
}

static bool see(void *self, const cap_continuation_point *point)
{
  follower *w = self;
  w->met = w->met || is_last(w, point);
  w->status = put_point(w, point);
  return w->status == CAP_OK && !cap_progress_stopped(w->run->progress);
}

/* ---- curves -------------------------------------------------------------------------------------------- */

/* The equilibrium at p that slow loading from the run's state reaches, q[nv]. */
static cap_status equilibrium_at(follower *w, double p, double tolerance, int iterations, double *q,
                                 double *force, cap_error *error)
{
  cap_equilibrium found;
  CAP_TRY(cap_model_path_place(&w->path, p, error));
  cap_data_copy(w->path.m, w->d, w->run->data);
  CAP_TRY(cap_equilibrium_find(w->path.m, w->d, tolerance, iterations, &found, error));
  memcpy(q, w->d->q, sizeof(double) * (size_t)w->nv);
  cap_channels_values(&w->channels, w->path.m, w->d, w->row + FIXED);
  for (int k = 0; k < w->path.m->nelem; k++) *force = fmax(*force, fabs(w->channels.force[k]));
  return CAP_OK;
}

/* One size for all positions: how far they are from the start at both ends of the sweep. */
static void set_scales(follower *w, const double *first, double force)
{
  double size = 0.0;
  for (int i = 0; i < w->nv; i++) {
    double start = w->run->data->q[i], other = w->reachable ? w->last[i] : first[i];
    size = fmax(size, fmax(fabs(first[i] - start), fmax(fabs(other - start), fabs(other - first[i]))));
  }
  if (!(size > 0.0)) size = 1e-3;
  for (int i = 0; i < w->nv; i++) {
    w->x_scale[i] = size;
    w->f_scale[i] = w->run->model->driven[i] >= 0 ? size : fmax(force, 1e-12);
  }
}

static cap_status put_branch(follower *w, const cap_continuation_result *result)
{
  cap_sink *sink = w->run->sink;
  char name[64], text[512];
  bool closed = result->end[0] == CAP_CONTINUATION_END_CLOSED;
  w->branches[w->nbranch - 1].closed = closed;
  snprintf(name, sizeof name, "branch.%d.name", w->nbranch);
  CAP_TRY(sink->text(sink, name, w->nbranch == 1 ? "main" : "main-2"));
  snprintf(name, sizeof name, "branch.%d.found", w->nbranch);
  CAP_TRY(
      sink->text(sink, name,
                 w->nbranch == 1 ? "from the first value of the sweep" : "from the last value of the sweep"));
  snprintf(name, sizeof name, "branch.%d.ends", w->nbranch);
  int side = result->end[0] != CAP_CONTINUATION_END_NONE ? 0 : 1;
  if (closed) snprintf(text, sizeof text, "closed curve");
  else if (result->end[side] == CAP_CONTINUATION_END_LIMIT)
    snprintf(text, sizeof text, "limit of the range at %.9g", result->p_end[side]);
  else snprintf(text, sizeof text, "stopped: %s", result->text[side]);
  CAP_TRY(sink->text(sink, name, text));
  for (int k = 0; k < 2; k++)
    if (result->end[k] > CAP_CONTINUATION_END_CLOSED)
      cap_progress_note(w->run->progress, "statics: branch %d: %s", w->nbranch, result->text[k]);
  return CAP_OK;
}

static cap_status follow(follower *w, const double *q, double p, int direction)
{
  double span = w->path.source.high - w->path.source.low;
  cap_error *error = w->run->error;
  cap_continuation_problem problem = {.n = w->nv,
                                      .self = w,
                                      .residual = residual,
                                      .jacobian = jacobian,
                                      .x_scale = w->x_scale,
                                      .f_scale = w->f_scale,
                                      .p_scale = span};
  cap_continuation_options options = {.step = 0.01,
                                      .step_max = 0.05,
                                      .p_min = w->path.source.low,
                                      .p_max = w->path.source.high,
                                      .max_points = 5000};
  cap_continuation_start start = {.x = q, .p = p};
  cap_continuation_result result;
  cap_continuation *path;
  w->nbranch++;
  CAP_TRY(cap_continuation_create(&problem, &options, &path, error));
  cap_status status = cap_continuation_run(path, &start, direction, see, w, &result, error);
  cap_continuation_free(path);
  if (w->status != CAP_OK)
    return w->error.text[0] ? cap_status_fail(error, w->status, "%s", w->error.text) : w->status;
  if (status == CAP_OK && cap_progress_stopped(w->run->progress))
    return cap_status_fail(error, CAP_STOPPED, "interrupted along the equilibria");
  if (status < 0 && w->error.text[0]) return cap_status_fail(error, status, "statics: %s", w->error.text);
  if (status > 0)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "statics: no equilibrium near the start of the curve");
  CAP_TRY(status);
  return put_branch(w, &result);
}

/* ---- results ------------------------------------------------------------------------------------------- */

static cap_status put_columns(follower *w)
{
  cap_column *columns = CAP_ARENA_NEW(&w->arena, cap_column, w->ncolumn);
  if (!columns) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  columns[SWEEP] = (cap_column){w->sweep->path, w->sweep->target->unit, w->sweep->target->doc};
  columns[FAMILY] = (cap_column){"family", "1", "member of the family"};
  columns[BRANCH] = (cap_column){"branch", "1", "number of the branch"};
  columns[KIND] = (cap_column){"kind", "1", "0: point, 1: fold, 2: branch point"};
  columns[GROWTH] = (cap_column){"growth", "1/s",
                                 "largest real part of the eigenvalues of the linearised motion"};
  columns[UNSTABLE] = (cap_column){"unstable", "1", "number of eigenvalues with positive real part"};
  for (int c = 0; c < w->channels.n; c++) columns[FIXED + c] = w->channels.columns[c];
  return w->run->sink->columns(w->run->sink, w->ncolumn, columns);
}

static cap_status allocate(follower *w)
{
  size_t nv = (size_t)w->nv;
  w->d = cap_data_create(w->run->model);
  w->x_scale = CAP_ARENA_NEW(&w->arena, double, nv);
  w->f_scale = CAP_ARENA_NEW(&w->arena, double, nv);
  w->slope = CAP_ARENA_NEW(&w->arena, double, nv);
  w->beside = CAP_ARENA_NEW(&w->arena, double, nv);
  w->last = CAP_ARENA_NEW(&w->arena, double, nv);
  w->re = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  w->im = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  w->row = CAP_ARENA_NEW(&w->arena, double, w->ncolumn);
  if (w->d && w->x_scale && w->f_scale && w->slope && w->beside && w->last && w->re && w->im && w->row)
    return CAP_OK;
  return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status follow_all(follower *w, double tolerance, int iterations)
{
  const cap_reals *values = &w->sweep->values;
  double first = values->v[0], force = 0.0;
  double *q = CAP_ARENA_NEW(&w->arena, double, w->nv);
  if (!q) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  w->p_last = values->v[values->n - 1];
  int direction = w->p_last > first ? 1 : -1;
  CAP_TRY(equilibrium_at(w, first, tolerance, iterations, q, &force, w->run->error));
  cap_error why = {0};
  cap_status status = equilibrium_at(w, w->p_last, tolerance, iterations, w->last, &force, &why);
  if (status != CAP_OK && status != CAP_ERR_NUMERICS)
    return cap_status_fail(w->run->error, status, "%s", why.text);
  w->reachable = status == CAP_OK; /* else the curve from the first value may still come there */
  set_scales(w, q, force);
  CAP_TRY(follow(w, q, first, direction));
  if (w->reachable && !w->met) CAP_TRY(follow(w, w->last, w->p_last, -direction));
  return CAP_OK;
}

static cap_status put_branches(const follower *w)
{
  enum { AXIS, CLOSED, FROM, TO, STABLE, FOLDS, ARRAYS };
  cap_sink *sink = w->run->sink;
  const char *unit = w->sweep->target->unit;
  const cap_column what[ARRAYS] = {
      {"branches", "1", "number of the branch"},
      {"branch.closed", "1", "1 if the branch is a closed curve"},
      {"branch.from", unit, "smallest value of the swept parameter on the branch"},
      {"branch.to", unit, "largest value of the swept parameter on the branch"},
      {"branch.stable", "1", "share of stable points"},
      {"branch.folds", "1", "number of folds on the branch"}};
  double values[ARRAYS][BRANCHES_MOST];
  int64_t n = w->nbranch;
  for (int k = 0; k < w->nbranch; k++) {
    const branch *b = &w->branches[k];
    values[AXIS][k] = k + 1;
    values[CLOSED][k] = b->closed;
    values[FROM][k] = b->from;
    values[TO][k] = b->to;
    values[STABLE][k] = (double)b->nstable / b->npoint;
    values[FOLDS][k] = b->nfold;
  }
  for (int a = 0; a < ARRAYS; a++)
    CAP_TRY(sink->array(sink, what[a], 1, &n, a ? "branches" : NULL, values[a]));
  return CAP_OK;
}

static cap_status compute(follower *w, double tolerance, int iterations)
{
  cap_run *run = w->run;
  bool found, finished;
  CAP_TRY(run->sink->open(run->sink, "statics", "statics", "equilibria vs a parameter"));
  CAP_TRY(run->sink->restore(run->sink, 0, NULL, &found, &finished));
  if (finished) return run->sink->close(run->sink);
  CAP_TRY(cap_channels_select(&w->channels, run->model, &run->outputs->channels, run->error));
  w->ncolumn = FIXED + w->channels.n;
  CAP_TRY(allocate(w));
  CAP_TRY(put_columns(w));
  CAP_TRY(follow_all(w, tolerance, iterations));
  CAP_TRY(put_branches(w));
  return run->sink->close(run->sink);
}

cap_status cap_statics_curve_run(cap_run *run, const cap_sweep *sweep, double tolerance, int iterations)
{
  follower w = {
      .run = run,
      .sweep = sweep,
      .nv = run->model->nv,
  };
  double first = sweep->values.v[0], last = sweep->values.v[sweep->values.n - 1];
  cap_hb_curve_source source = {build, &w, fmin(first, last), fmax(first, last)};
  cap_model_path_open(&source, &w.path);
  cap_status status = compute(&w, tolerance, iterations);
  cap_model_path_close(&w.path);
  cap_data_free(w.d);
  cap_channels_free(&w.channels);
  cap_arena_free(&w.arena);
  return status;
}
