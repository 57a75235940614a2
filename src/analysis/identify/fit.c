/* analysis/identify/fit.c — parameters of a model from measured curves. See fit.h.
 *
 * The unknowns of the least-squares problem are the parameters over their starts (or the logarithms of that),
 * so that all are of the size of one.
 */
#include "analysis/identify/fit.h"
#include "analysis/analysis.h"
#include "base/parallel.h"
#include "linalg/student.h"
#include "model/model.h"
#include "solve/levenberg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* The analyses that may compute the curves. */
#define INNER(X)                                                                                             \
  X(statics, "equilibria vs a parameter")                                                                    \
  X(quasistatic, "equilibria over the time of prescribed motions")                                           \
  X(transient, "motion over time")                                                                           \
  X(response, "steady orbits vs a parameter")                                                                \
  X(law, "force of one element vs its deflection")

#define DECLARATION(name, doc)                                                                               \
  extern const cap_analysis cap_##name##_analysis;                                                           \
  extern const cap_field cap_##name##_fields[];
INNER(DECLARATION)

#define ANALYSIS(name, doc) &cap_##name##_analysis,
const cap_analysis *const cap_fit_analyses[] = {INNER(ANALYSIS) NULL};

#define VARIANT(name, doc) {#name, doc, cap_##name##_fields},
static const cap_variant variants[] = {INNER(VARIANT){0}};

static const cap_field over_fields[] = {
    {.key = "channel",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_fit_spec, over.channel) - offsetof(cap_fit_spec, over),
     .required = true,
     .example = "time",
     .means = CAP_MEANS_CHANNEL,
     .doc = "abscissa of the computed curves: a channel, the time, or the parameter of a sweep"},
    {.key = "column",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_fit_spec, over.column) - offsetof(cap_fit_spec, over),
     .required = true,
     .example = "time",
     .doc = "column of the abscissa in the data"},
    {0}};

static const cap_field curve_fields[] = {{.key = "channel",
                                          .kind = CAP_FIELD_TEXT,
                                          .offset = offsetof(cap_fit_curve, channel),
                                          .required = true,
                                          .example = "tensioner.force",
                                          .means = CAP_MEANS_CHANNEL,
                                          .doc = "channel of the computed curve"},
                                         {.key = "column",
                                          .kind = CAP_FIELD_TEXT,
                                          .offset = offsetof(cap_fit_curve, column),
                                          .required = true,
                                          .example = "F",
                                          .doc = "column of the measured curve in the data"},
                                         {.key = "sigma",
                                          .kind = CAP_FIELD_TEXT,
                                          .offset = offsetof(cap_fit_curve, sigma),
                                          .example = "5 N",
                                          .doc = "standard deviation of the noise, in the unit of the "
                                                 "channel; default: estimated from the residuals"},
                                         {.key = "relative",
                                          .kind = CAP_FIELD_REAL,
                                          .offset = offsetof(cap_fit_curve, relative),
                                          .unit = "",
                                          .fallback = "0",
                                          .low = 0,
                                          .high = 1,
                                          .example = "1 %",
                                          .doc = "relative noise, added to sigma"},
                                         {.key = "sigma_column",
                                          .kind = CAP_FIELD_TEXT,
                                          .offset = offsetof(cap_fit_curve, sigma_column),
                                          .example = "sF",
                                          .doc = "column with the standard deviation of each value"},
                                         {0}};

const cap_field cap_fit_fields[] = {
    {.key = "data",
     .kind = CAP_FIELD_TABLE,
     .offset = offsetof(cap_fit_spec, data),
     .required = true,
     .example = "curve.csv",
     .doc = "measured curves: a CSV file with units in its header; its path is relative to the model file"},
    {.key = "analysis",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(cap_fit_spec, analysis),
     .required = true,
     .variants = variants,
     .item_size = CAP_FIT_ROOM,
     .least = 1,
     .most = 1,
     .doc = "analysis that computes the curves, from the initial state of the model"},
    {.key = "over",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(cap_fit_spec, over),
     .required = true,
     .fields = over_fields,
     .doc = "abscissa of the computed curves and of the data"},
    {.key = "curves",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(cap_fit_spec, curves),
     .required = true,
     .fields = curve_fields,
     .item_size = sizeof(cap_fit_curve),
     .least = 1,
     .most = CAP_FIT_CURVES,
     .doc = "curves to fit, each with its channel and its column of the data"},
    {.key = "parameters",
     .kind = CAP_FIELD_UNKNOWNS,
     .offset = offsetof(cap_fit_spec, parameters),
     .required = true,
     .least = 1,
     .most = CAP_FIT_MOST,
     .doc = "parameters to identify: path as for --set, start (default: the value in the model file), bounds "
            "(default: those of the key) and scale (linear or log)"},
    {.key = "limit",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_fit_spec, limit),
     .unit = "",
     .fallback = "10 %",
     .low = 0,
     .low_open = true,
     .high = 10,
     .example = "10 %",
     .doc = "largest half-width of a 95 % confidence interval, relative to the value, for which a parameter "
            "or a combination of parameters counts as identified"},
    {.key = "iterations",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_fit_spec, iterations),
     .fallback = "60",
     .low = 1,
     .high = 1000,
     .example = "60",
     .doc = "maximum number of iterations"},
    {0}};

/* ---- check --------------------------------------------------------------------------------------------- */

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* a fit leaves the state where it is */
  const cap_fit_spec *s = self;
  const cap_analysis *inner = cap_fit_analyses[*(const int *)s->analysis.items];
  cap_arena arena = {0};
  cap_fit_data data;
  char key[512];
  double start = m->t0;
  snprintf(key, sizeof key, "%s.analysis[0].%s", path, inner->name);
  if (cap_registry_obstacle(inner, m)) cap_diag_at(diag, key, "%s", cap_registry_obstacle(inner, m));
  else if (inner->check) inner->check(m, s->analysis.items, &start, key, diag);
  cap_fit_curve_read(m, s, path, diag, &arena, &data);
  cap_arena_free(&arena);
}

/* ---- the least-squares problem ------------------------------------------------------------------------- */

typedef struct job {
  cap_run *run;
  const cap_fit_spec *s;
  const cap_unknown *unknowns;
  int n, m;
  cap_fit_data data;
  cap_fit_result result;
  double scale[CAP_FIT_MOST], low[CAP_FIT_MOST], high[CAP_FIT_MOST], step[CAP_FIT_MOST];
  cap_error last; /* why a run gave no curve */
  /* of the batch that is being computed */
  const double *x;
  double *r;
  bool *good;
  cap_error *why; /* [count] */
  cap_arena arena;
} job;

static double value_of(const job *j, int k, double x)
{
  const cap_unknown *u = &j->unknowns[k];
  return u->logarithmic ? u->start * exp(x) : u->start + j->scale[k] * x;
}

static double place_of(const job *j, int k, double p)
{
  const cap_unknown *u = &j->unknowns[k];
  if (u->logarithmic) return p > 0.0 ? log(p / u->start) : -30.0;
  return (p - u->start) / j->scale[k];
}

/* Sizes, and bounds in the scaled unknowns; an open end is not reached. */
static void set_scales(job *j)
{
  for (int k = 0; k < j->n; k++) {
    const cap_unknown *u = &j->unknowns[k];
    double width = u->high - u->low;
    j->scale[k] = u->start != 0.0 ? fabs(u->start) : isfinite(width) ? 0.5 * width : 1.0;
    j->low[k] = place_of(j, k, u->low);
    j->high[k] = place_of(j, k, u->high);
    if (u->target->low_open && u->low == u->target->low && isfinite(j->low[k])) j->low[k] += 1e-6;
    if (u->target->high_open && u->high == u->target->high && isfinite(j->high[k])) j->high[k] -= 1e-6;
    j->step[k] = 1e-4;
  }
}

static cap_status one_point(void *self, int k, cap_error *error)
{
  job *j = self;
  double p[CAP_FIT_MOST], *r = j->r + (size_t)k * (size_t)j->m;
  for (int i = 0; i < j->n; i++) p[i] = value_of(j, i, j->x[k * j->n + i]);
  cap_status status = cap_fit_curve_run(j->run, j->s, &j->data, p, r, &j->why[k]);
  j->good[k] = status == CAP_OK;
  if (status < 0 || status == CAP_STOPPED) return cap_status_fail(error, status, "%s", j->why[k].text);
  for (int c = 0; j->good[k] && c < j->data.ncurve; c++)
    for (int i = 0; i < j->data.nrow; i++) {
      double *at = &r[c * j->data.nrow + i];
      *at = (*at - j->data.y[c][i]) / j->data.sigma[c][i];
    }
  return CAP_OK;
}

static cap_status residuals(void *self, int count, const double *x, double *r, bool *good, cap_error *error)
{
  job *j = self;
  j->x = x, j->r = r, j->good = good;
  j->why = calloc((size_t)count, sizeof *j->why);
  if (!j->why) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_parallel_for(count, j->run->threads, one_point, j, error);
  for (int k = 0; k < count; k++)
    if (!good[k]) j->last = j->why[k];
  free(j->why);
  return status;
}

static bool tell_step(void *self, int iteration, double sum)
{
  (void)sum;
  const job *j = self;
  cap_progress_report(j->run->progress, "fit", iteration, 0.0, "steps");
  return !cap_progress_stopped(j->run->progress);
}

static cap_status solve(job *j, const double *x0, cap_levenberg_result *found)
{
  cap_levenberg_problem problem = {.n = j->n,
                                   .m = j->m,
                                   .low = j->low,
                                   .high = j->high,
                                   .step = j->step,
                                   .self = j,
                                   .residuals = residuals,
                                   .progress = tell_step};
  cap_error error = {0};
  cap_status status = cap_levenberg_run(&problem, x0, j->s->iterations, found, &error);
  if (status == CAP_OK) return CAP_OK;
  bool curve = status == CAP_ERR_NUMERICS && j->last.text[0];
  return cap_status_fail(j->run->error, status, "fit: %s%s%s", error.text, curve ? ": " : "",
                         curve ? j->last.text : "");
}

/* ---- noise --------------------------------------------------------------------------------------------- */

/* Before anything is known: a hundredth of the range. */
static void guess_noise(job *j)
{
  for (int c = 0; c < j->data.ncurve; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < j->data.nrow; i++)
      low = fmin(low, j->data.y[c][i]), high = fmax(high, j->data.y[c][i]);
    double sigma = high > low ? 0.01 * (high - low) : fmax(0.01 * fabs(high), 1e-12);
    for (int i = 0; j->data.estimated[c] && i < j->data.nrow; i++) j->data.sigma[c][i] = sigma;
  }
}

/* From what the fit leaves; returns the largest relative change. */
static double estimate_noise(job *j, const double *r)
{
  double most = 0.0;
  for (int c = 0; c < j->data.ncurve; c++) {
    double sum = 0.0, share = (double)j->n / j->data.ncurve;
    for (int i = 0; i < j->data.nrow; i++) sum += r[c * j->data.nrow + i] * r[c * j->data.nrow + i];
    double factor = fmax(sqrt(sum / (j->data.nrow - share)), 1e-9);
    if (!j->data.estimated[c]) continue;
    for (int i = 0; i < j->data.nrow; i++) j->data.sigma[c][i] *= factor;
    most = fmax(most, fabs(log(factor)));
  }
  return most;
}

static bool all_given(const job *j)
{
  for (int c = 0; c < j->data.ncurve; c++)
    if (j->data.estimated[c]) return false;
  return true;
}

/* Least squares; where noise is estimated and curves are to be weighed against each other, again with it. */
static cap_status search(job *j, cap_levenberg_result *found)
{
  double x0[CAP_FIT_MOST] = {0.0};
  guess_noise(j);
  CAP_TRY(solve(j, x0, found));
  j->result.iterations = found->iterations, j->result.evaluations = found->evaluations;
  for (int round = 0; round < 6 && !all_given(j); round++) {
    double change = estimate_noise(j, found->r);
    bool weighed = j->data.ncurve > 1;
    memcpy(x0, found->x, sizeof(double) * (size_t)j->n);
    cap_levenberg_free(found);
    CAP_TRY(solve(j, x0, found));
    j->result.iterations += found->iterations, j->result.evaluations += found->evaluations;
    if (!weighed || change < 0.01) break;
  }
  return CAP_OK;
}

/* ---- what was found ------------------------------------------------------------------------------------ */

static double durbin_watson(const job *j, const double *r)
{
  double changes = 0.0, sum = 0.0;
  for (int c = 0; c < j->data.ncurve; c++)
    for (int i = 0; i < j->data.nrow; i++) {
      const double *at = r + c * j->data.nrow + i;
      if (i) changes += (at[0] - at[-1]) * (at[0] - at[-1]);
      sum += at[0] * at[0];
    }
  return sum > 0.0 ? changes / sum : 2.0;
}

/* Residuals over relative changes of the parameters. */
static double *relative_jacobian(job *j, const cap_levenberg_result *found)
{
  double *J = CAP_ARENA_NEW(&j->arena, double, ((size_t)j->m * (size_t)j->n));
  for (int k = 0; J && k < j->n; k++) {
    double p = value_of(j, k, found->x[k]), size = p != 0.0 ? fabs(p) : j->scale[k];
    double factor = j->unknowns[k].logarithmic ? 1.0 : size / j->scale[k];
    for (int i = 0; i < j->m; i++) J[i * j->n + k] = factor * found->J[i * j->n + k];
  }
  return J;
}

static void set_intervals(job *j, const cap_levenberg_result *found)
{
  cap_fit_result *r = &j->result;
  for (int k = 0; k < j->n; k++) {
    double p = value_of(j, k, found->x[k]), relative = r->directions.error[k], q = r->directions.quantile;
    double size = p != 0.0 ? fabs(p) : j->scale[k];
    bool known = r->directions.known[k];
    r->value[k] = p;
    r->bound[k] = found->bound[k];
    r->error[k] = known ? relative * size : NAN;
    r->low[k] = !known ? NAN : j->unknowns[k].logarithmic ? p * exp(-q * relative) : p - q * relative * size;
    r->high[k] = !known ? NAN : j->unknowns[k].logarithmic ? p * exp(q * relative) : p + q * relative * size;
  }
}

static void set_curves(job *j, const double *r, double *f)
{
  for (int c = 0; c < j->data.ncurve; c++) {
    double sum = 0.0;
    for (int i = 0; i < j->data.nrow; i++) {
      double rest = r[c * j->data.nrow + i] * j->data.sigma[c][i];
      f[c * j->data.nrow + i] = j->data.y[c][i] + rest;
      sum += rest * rest;
    }
    j->result.rms[c] = sqrt(sum / j->data.nrow);
  }
}

static cap_status judge(job *j, const cap_levenberg_result *found)
{
  cap_fit_result *r = &j->result;
  r->freedom = j->m - j->n;
  r->chi2 = found->sum;
  r->converged = found->converged;
  r->durbin_watson = durbin_watson(j, found->r);
  double quantile = all_given(j) ? 1.959963984540054 : capm_student_point(r->freedom);
  double *J = relative_jacobian(j, found);
  if (!J) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_fit_directions_find(j->m, j->n, J, quantile, j->s->limit, &j->arena,
                                              &r->directions);
  if (status != CAP_OK)
    return cap_status_fail(j->run->error, status,
                           "fit: the sensitivities to the parameters could not be evaluated: %s",
                           cap_status_text(status));
  set_intervals(j, found);
  set_curves(j, found->r, r->fitted);
  return CAP_OK;
}

/* The curves of the model as the parameters start. */
static cap_status first_run(job *j)
{
  double p[CAP_FIT_MOST];
  cap_error error = {0};
  for (int k = 0; k < j->n; k++) p[k] = j->unknowns[k].start;
  cap_status status = cap_fit_curve_run(j->run, j->s, &j->data, p, j->result.start, &error);
  if (status == CAP_RETRY_NOCONV) status = CAP_ERR_INPUT;       /* a curve, but not one for the data */
  if (status == CAP_RETRY_NONFINITE) status = CAP_ERR_NUMERICS; /* none */
  return status == CAP_OK ? CAP_OK
                          : cap_status_fail(j->run->error, status,
                                            "fit: with the start values of the parameters: %s", error.text);
}

static cap_status prepare(job *j)
{
  cap_fit_result *r = &j->result;
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_fit_curve_read(j->run->model, j->s, "fit", diag, &j->arena, &j->data);
  if (status != CAP_OK) cap_status_fail(j->run->error, status, "%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  CAP_TRY(status);
  size_t n = (size_t)j->n, m = (size_t)(j->data.nrow * j->data.ncurve);
  j->m = (int)m;
  r->n = j->n;
  r->names = CAP_ARENA_NEW(&j->arena, const char *, n);
  r->value = CAP_ARENA_NEW(&j->arena, double, n);
  r->bound = CAP_ARENA_NEW(&j->arena, bool, n);
  r->low = CAP_ARENA_NEW(&j->arena, double, n);
  r->high = CAP_ARENA_NEW(&j->arena, double, n);
  r->error = CAP_ARENA_NEW(&j->arena, double, n);
  r->start = CAP_ARENA_NEW(&j->arena, double, m);
  r->fitted = CAP_ARENA_NEW(&j->arena, double, m);
  if (!r->names || !r->value || !r->bound || !r->low || !r->high || !r->error || !r->start || !r->fitted)
    return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < j->n; k++) r->names[k] = j->unknowns[k].path;
  set_scales(j);
  return CAP_OK;
}

static cap_status compute(job *j)
{
  cap_sink *sink = j->run->sink;
  bool found, finished;
  CAP_TRY(sink->open(sink, "fit", "fit", "parameters from measured curves"));
  CAP_TRY(sink->restore(sink, 0, NULL, &found, &finished));
  if (finished) return sink->close(sink);
  CAP_TRY(prepare(j));
  CAP_TRY(first_run(j));
  cap_levenberg_result best;
  CAP_TRY(search(j, &best));
  cap_status status = judge(j, &best);
  cap_levenberg_free(&best);
  CAP_TRY(status);
  CAP_TRY(cap_fit_output_put(j->run, j->s, &j->data, &j->result));
  return sink->close(sink);
}

static cap_status fit(cap_run *run, const void *self)
{
  const cap_fit_spec *s = self;
  job *j = calloc(1, sizeof *j);
  if (!j) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  j->run = run, j->s = s;
  j->unknowns = s->parameters.items;
  j->n = s->parameters.n;
  cap_status status = compute(j);
  cap_arena_free(&j->arena);
  free(j);
  return status;
}

const char cap_fit_doc[] = "identification of model parameters from measured curves, with confidence "
                           "intervals and the combinations that the data do not determine";

const cap_analysis cap_fit_analysis = {
    .name = "fit",
    .doc = cap_fit_doc,
    .fields = cap_fit_fields,
    .spec_size = sizeof(cap_fit_spec),
    .contacts = true,
    .marched = true,
    .check = check,
    .run = fit,
};
