/* analysis/response/response.c — steady orbits over a parameter, by continuation from neighbour to neighbour.
 *
 * Maths: docs/theory.md §6. A sweep parameter (usually the angular frequency) and optionally a family
 * parameter
 * (usually the amplitude) make a grid of orbits. Each starts from the extrapolated orbits of its neighbours
 * in the sweep. Piecewise linear systems go to the exact propagator (response_exact.c), one family member
 * after the other; smooth ones to the Runge-Kutta method with eight family members in the lanes of one model
 * (response_lanes.c). Stored for every channel: smallest, largest, mean value and range over the period, as
 * arrays [family][sweep].
 */
#include "analysis/response/response.h"
#include "analysis/analysis.h"
#include "analysis/orbit/orbit_curve.h"
#include "analysis/stepping.h"
#include "base/parallel.h"
#include "hb/hb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFERED(x_, motion_, period_, curve_, ...) CAP_STEPPERS_CHOICE(1, x_, curve_)
#define COUNTED(x_, motion_, period_, curve_, ...) CAP_STEPPERS_OFFERED(curve_)
enum { HARMONIC_BALANCE = 1 CAP_STEPPERS(COUNTED), SHOOTING };
static const char *const methods[] = {[0] = "auto",
                                      CAP_STEPPERS(OFFERED) /* and behind them: */
                                          [HARMONIC_BALANCE] = "harmonic-balance",
                                      [SHOOTING] = "shooting",
                                      CAP_STEPPERS_END};

const cap_field cap_response_fields[] = {
    {.key = "sweep",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(cap_response_spec, sweep),
     .required = true,
     .least = 1,
     .most = 100000,
     .example = "{parameter: load.angular_frequency, from: 10 rad/s, to: 125 rad/s, count: 116}",
     .doc = "parameter along which the orbits are followed"},
    {.key = "family",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(cap_response_spec, family),
     .least = 1,
     .most = 10000,
     .example = "{parameter: load.amplitude, values: [13 N, 27 N]}",
     .doc = "second parameter: one response curve for each of its values"},
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_response_spec, method),
     .choices = methods,
     .fallback = "auto",
     .example = "auto",
     .doc = "method: exact (piecewise-linear systems), rk4 (smooth laws, vectorised), midpoint, euler or "
            "cvode compute period by period; harmonic-balance and shooting follow whole branches through "
            "their folds; auto takes exact where it applies, rk4 for smooth laws, midpoint otherwise"},
    {.key = "step",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_response_spec, step),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = INFINITY,
     .example = "0.1 ms",
     .doc = "largest time step of rk4, midpoint and euler; 0 = chosen from the fastest mode, the stiffest "
            "law and the tolerance"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_response_spec, tolerance),
     .unit = "",
     .fallback = "1e-4",
     .low = 1e-10,
     .high = 1e-2,
     .example = "1e-4",
     .doc = "relative accuracy of the ranges"},
    {.key = "stability",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_response_spec, stability),
     .fallback = "true",
     .example = "true",
     .doc = "whether to compute the largest Floquet multiplier of every orbit (without it smooth laws are "
            "faster)"},
    {.key = "harmonics",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_response_spec, harmonics),
     .fallback = "12",
     .low = 1,
     .high = 500,
     .example = "12",
     .doc = "number of harmonics of harmonic-balance"},
    {.key = "max_harmonics",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_response_spec, harmonics_most),
     .fallback = "0",
     .low = 0,
     .high = 500,
     .example = "60",
     .was = "harmonics_most",
     .doc = "harmonic-balance: follow a branch again with more harmonics, up to this number, until the "
            "truncation error is below the tolerance; 0 = keep `harmonics`"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_response_spec, samples),
     .fallback = "0",
     .low = 0,
     .high = 65536,
     .example = "1024",
     .doc = "samples per period of harmonic-balance; 0 = chosen for a sampling error below 1e-6"},
    {.key = "orders",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_response_spec, orders),
     .fallback = "0",
     .low = 0,
     .high = 100,
     .example = "3",
     .doc = "harmonic-balance and shooting: number of harmonics of each channel in the results (amplitudes)"},
    {.key = "search",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(cap_response_spec, search),
     .fields = cap_search_fields,
     .present = 1 + offsetof(cap_response_spec, searches),
     .doc = "harmonic-balance: whether to search for detached branches and for orbits of several periods, "
            "and to follow branch points and period doublings"},
    {.key = "verify",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_response_spec, verify),
     .fallback = "false",
     .example = "true",
     .doc = "harmonic-balance: whether to recompute the orbits by shooting, and to report the differences of "
            "the orbits and of their multipliers"},
    {.key = "verify_every",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_response_spec, verify_every),
     .fallback = "1",
     .low = 1,
     .high = 1000000,
     .example = "10",
     .doc = "with verify: spacing of the verified points on a branch; folds and other special points are "
            "always verified"},
    {.key = "limits",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_response_spec, limits),
     .fallback = "false",
     .example = "true",
     .doc = "exact: whether to add the two linear limits of the ranges: all friction stuck (first curve of "
            "the family) and all friction sliding (last curve)"},
    {0}};

enum { QUANTITIES = 4 };
static const char *const quantity_name[QUANTITIES] = {"min", "max", "mean", "range"};
static const char *const quantity_text[QUANTITIES] = {"smallest", "largest", "mean", "range of"};

/* ---- the grid ------------------------------------------------------------------------------------------ */

static cap_status create_grid(cap_response *r)
{
  size_t points = (size_t)r->nfamily * (size_t)r->nsweep;
  r->values = calloc(points * (size_t)r->channels.n * QUANTITIES + 1, sizeof(double));
  r->multiplier = calloc(points, sizeof(double));
  r->converged = calloc(points, sizeof(double));
  r->passes = calloc(points, sizeof(double));
  r->stuck = calloc(points, sizeof(double));
  if (r->spec->limits) r->limits = calloc((size_t)r->nsweep * (size_t)r->channels.n * 2, sizeof(double));
  if ((r->spec->limits && !r->limits) || !r->values || !r->multiplier || !r->converged || !r->passes ||
      !r->stuck)
    return cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  for (size_t k = 0; k < points; k++) r->multiplier[k] = NAN;
  return CAP_OK;
}

static double *place(cap_response *r, int channel, int quantity, int family, int sweep)
{
  return &r->values[(((size_t)channel * QUANTITIES + (size_t)quantity) * (size_t)r->nfamily +
                     (size_t)family) *
                        (size_t)r->nsweep +
                    (size_t)sweep];
}

void cap_response_put(cap_response *r, int channel, int family, int sweep, double low, double high,
                      double mean)
{
  *place(r, channel, 0, family, sweep) = low;
  *place(r, channel, 1, family, sweep) = high;
  *place(r, channel, 2, family, sweep) = mean;
  *place(r, channel, 3, family, sweep) = high - low;
}

double *cap_response_limit(cap_response *r, int limit, int channel, int sweep)
{
  size_t row = (size_t)limit * (size_t)r->channels.n + (size_t)channel;
  return &r->limits[row * (size_t)r->nsweep + (size_t)sweep];
}

cap_status cap_response_build(cap_response *r, int nlane, const int *family, int sweep, cap_model **model)
{
  const char *paths[2] = {r->spec->sweep.path, r->spec->family.path};
  double values[2 * CAP_LANES_MOST];
  for (int l = 0; l < nlane; l++) {
    values[l] = r->spec->sweep.values.v[sweep];
    if (r->spec->family.path) values[nlane + l] = r->spec->family.values.v[family[l]];
  }
  return r->run->rebuild(r->run, r->spec->family.path ? 2 : 1, paths, nlane, values, model);
}

bool cap_response_stopped(cap_response *r)
{
  long done = atomic_fetch_add(r->done, 1) + 1;
  if (done % 64 == 0)
    cap_progress_report(r->run->progress, "response", (double)done, (double)r->nfamily * r->nsweep, "orbits");
  return cap_progress_stopped(r->run->progress);
}

/* ---- results ------------------------------------------------------------------------------------------- */

static cap_status put_axis(cap_response *r, const cap_sweep *axis)
{
  int64_t n = axis->values.n;
  cap_column what = {axis->path, axis->target->unit, axis->target->doc};
  return r->run->sink->array(r->run->sink, what, 1, &n, NULL, axis->values.v);
}

static cap_status put_grid(cap_response *r, const char *name, const char *unit, const char *long_name,
                           const double *values)
{
  char axes[512];
  int64_t dims[2] = {r->nfamily, r->nsweep};
  bool family = r->spec->family.path != NULL;
  if (family) snprintf(axes, sizeof axes, "%s,%s", r->spec->family.path, r->spec->sweep.path);
  else snprintf(axes, sizeof axes, "%s", r->spec->sweep.path);
  return r->run->sink->array(r->run->sink, (cap_column){name, unit, long_name}, family ? 2 : 1,
                             family ? dims : dims + 1, axes, values);
}

static cap_status put_channels(cap_response *r)
{
  for (int c = 0; c < r->channels.n; c++)
    for (int k = 0; k < QUANTITIES; k++) {
      const cap_column *column = &r->channels.columns[c];
      char name[256], text[256];
      snprintf(name, sizeof name, "%s.%s", column->name, quantity_name[k]);
      snprintf(text, sizeof text, "%s %s", quantity_text[k], column->long_name);
      CAP_TRY(put_grid(r, name, column->unit, text, place(r, c, k, 0, 0)));
    }
  return CAP_OK;
}

/* One line each: where the family starts (small loads stick) and where it ends (large ones slide). */
static cap_status put_limits(cap_response *r)
{
  static const char *const limit_name[2] = {"stuck", "sliding"};
  int64_t n = r->nsweep;
  for (int limit = 0; r->limits && limit < 2; limit++)
    for (int c = 0; c < r->channels.n; c++) {
      const cap_column *column = &r->channels.columns[c];
      char name[256], text[256];
      snprintf(name, sizeof name, "%s.range.%s", column->name, limit_name[limit]);
      snprintf(text, sizeof text, "linear limit, friction %s (%s of the family)", limit_name[limit],
               limit == 0 ? "first" : "last");
      CAP_TRY(r->run->sink->array(r->run->sink, (cap_column){name, column->unit, text}, 1, &n,
                                  r->spec->sweep.path, cap_response_limit(r, limit, c, 0)));
    }
  return CAP_OK;
}

static cap_status put(cap_response *r)
{
  cap_sink *sink = r->run->sink;
  CAP_TRY(sink->text(sink, "method", r->method));
  if (r->spec->family.path) CAP_TRY(put_axis(r, &r->spec->family));
  CAP_TRY(put_axis(r, &r->spec->sweep));
  CAP_TRY(put_channels(r));
  CAP_TRY(put_limits(r));
  CAP_TRY(put_grid(r, "converged", "1", "1 if the orbit was found", r->converged));
  CAP_TRY(put_grid(r, "periods", "1", "number of periods integrated to find the orbit", r->passes));
  if (r->spec->stability)
    CAP_TRY(put_grid(r, "multiplier", "1", "largest modulus of the Floquet multipliers", r->multiplier));
  if (r->run->model->nslider)
    CAP_TRY(put_grid(r, "stuck", "1", "1 if no friction element ever slips", r->stuck));
  int lost = 0;
  for (int k = 0; k < r->nfamily * r->nsweep; k++) lost += r->converged[k] == 0.0;
  CAP_TRY(
      sink->number(sink, (cap_column){"orbits.missed", "1", "number of orbits that were not found"}, lost));
  double held = 0.0;
  for (int k = 0; k < r->nfamily * r->nsweep; k++) held += r->stuck[k];
  CAP_TRY(sink->number(sink, (cap_column){"orbits.found", "1", "number of orbits that were found"},
                       (double)r->nfamily * r->nsweep - lost));
  CAP_TRY(sink->number(
      sink, (cap_column){"orbits.stuck", "1", "number of orbits without slip in any friction element"},
      held));
  if (lost)
    cap_progress_note(r->run->progress, "response: %d of %d orbits were not found (converged = 0 there)",
                      lost, r->nfamily * r->nsweep);
  return sink->close(sink);
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

/* As elsewhere, but smooth laws go to the method that computes ensembles. */
static const cap_stepper_type *choose(const cap_model *m, int method)
{
  const cap_stepper_type *type = cap_stepping_choose(methods[method], m);
  return method == 0 && type->ensemble ? type->ensemble : type;
}

static void release(cap_response *r)
{
  free(r->values);
  free(r->limits);
  free(r->multiplier);
  free(r->converged);
  free(r->passes);
  free(r->stuck);
  cap_channels_free(&r->channels);
}

typedef struct orbits {
  const cap_response *r;
  const cap_stepper_type *type;
} orbits;

static cap_status compute_task(void *self, int task, cap_error *error)
{
  const orbits *o = self;
  cap_response own = *o->r; /* places of the grid are shared, each written by one task */
  cap_run run = *own.run;
  own.run = &run;
  run.error = error;
  return o->type->exact ? cap_response_exact_run(&own, task) : cap_response_lanes_run(&own, o->type, task);
}

static cap_status compute_orbits(cap_response *r, const cap_stepper_type *type)
{
  orbits o = {r, type};
  int tasks = type->exact ? cap_response_exact_tasks(r) : cap_response_lanes_tasks(r, type);
  return cap_parallel_for(tasks, r->run->threads, compute_task, &o, r->run->error);
}

static cap_status compute(cap_response *r)
{
  cap_run *run = r->run;
  bool found, finished;
  CAP_TRY(run->sink->open(run->sink, "response", "response", "steady orbits vs a parameter"));
  CAP_TRY(run->sink->restore(run->sink, 0, NULL, &found, &finished));
  if (finished) return run->sink->close(run->sink);
  CAP_TRY(cap_channels_select(&r->channels, run->model, &run->outputs->channels, run->error));
  CAP_TRY(create_grid(r));
  r->method = methods[r->spec->method];
  r->shooting = r->spec->method == SHOOTING;
  if (r->shooting || r->spec->method == HARMONIC_BALANCE) return cap_response_hb(r);
  const cap_stepper_type *type = choose(run->model, r->spec->method);
  r->method = type->name;
  CAP_TRY(compute_orbits(r, type));
  return put(r);
}

static cap_status response(cap_run *run, const void *self)
{
  const cap_response_spec *spec = self;
  if (!(run->model->period[0] > 0.0))
    return cap_status_fail(run->error, CAP_ERR_UNSUPPORTED,
                           "response: no periodic forcing; expected a periodic load or prescribed motion");
  atomic_long done = 0;
  cap_response r = {.run = run,
                    .done = &done,
                    .spec = spec,
                    .nsweep = spec->sweep.values.n,
                    .nfamily = spec->family.path ? spec->family.values.n : 1};
  cap_status status = compute(&r);
  release(&r);
  return status;
}

/* What harmonic balance refuses, it refuses before anything is computed. */
static void check_balance(const cap_model *m, const cap_response_spec *s, const char *path, cap_diag *diag)
{
  cap_hb *hb = NULL;
  cap_error error = {0};
  cap_hb_settings settings = {.harmonics = s->harmonics, .samples = s->samples};
  if (m->period[0] > 0.0 && cap_hb_create(m, 0, &settings, &hb, &error) == CAP_ERR_UNSUPPORTED) {
    char key[512];
    snprintf(key, sizeof key, "%s.method", path);
    cap_diag_at(diag, key, "%s", error.text);
  }
  cap_hb_free(hb);
}

static void check_keys(const cap_response_spec *s, const char *path, cap_diag *diag)
{
  char key[512];
  if (s->family.path && strcmp(s->sweep.path, s->family.path) == 0) {
    snprintf(key, sizeof key, "%s.family.parameter", path);
    cap_diag_at(diag, key, "expected a parameter other than that of the sweep, got %s", s->family.path);
  }
  if (s->harmonics_most > 0 && s->harmonics_most < s->harmonics) {
    snprintf(key, sizeof key, "%s.max_harmonics", path);
    cap_diag_at(diag, key, "expected 0, or at least the number of harmonics (%d), got %d", (int)s->harmonics,
                (int)s->harmonics_most);
  }
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* it leaves the run's own state alone */
  const cap_response_spec *s = self;
  cap_stepping_check(cap_stepping_find(methods[s->method]), m, path, diag);
  cap_stepping_check_period(m, path, diag);
  const cap_stepper_settings settings = {.step = s->step, .tolerance = s->tolerance};
  if (m->period[0] > 0.0 && s->method < HARMONIC_BALANCE)
    cap_stepping_check_count(choose(m, s->method), &settings, m, m->period[0], path, diag);
  check_keys(s, path, diag);
  if (s->method == HARMONIC_BALANCE) check_balance(m, s, path, diag);
  if (s->searches && s->method != HARMONIC_BALANCE) {
    char key[512];
    snprintf(key, sizeof key, "%s.search", path);
    cap_diag_at(
        diag, key,
        "the search for branches is available with harmonic balance only; expected method: harmonic-balance");
  }
  const char *reason;
  if (s->method == SHOOTING && !cap_orbit_curve_stepper(m, &reason)) {
    char key[512];
    snprintf(key, sizeof key, "%s.method", path);
    cap_diag_at(diag, key,
                "shooting cannot follow orbits of this system: %s; expected method: harmonic-balance, or a "
                "method that computes period by period",
                reason);
  }
  if (s->verify && s->method != HARMONIC_BALANCE) {
    char key[512];
    snprintf(key, sizeof key, "%s.verify", path);
    cap_diag_at(diag, key,
                "verification by shooting is available with harmonic balance only; expected method: "
                "harmonic-balance");
  }
  if (s->limits && (s->method >= HARMONIC_BALANCE || !choose(m, s->method)->exact)) {
    char key[512];
    snprintf(key, sizeof key, "%s.limits", path);
    cap_diag_at(diag, key,
                "the linear limits are available with the exact method only; expected a piecewise-linear "
                "system and method: exact");
  }
}

static void plan(const cap_model *m, const void *self, const cap_outputs *outputs, double time,
                 cap_summary *summary)
{
  const cap_response_spec *s = self;
  int family = s->family.path ? s->family.values.n : 1;
  (void)outputs, (void)time;
  cap_summary_text(summary, "varied", "%s", s->sweep.path);
  cap_summary_number(summary, "values", "", s->sweep.values.n);
  if (s->family.path) cap_summary_number(summary, "members of the family", "", family);
  if (s->method < HARMONIC_BALANCE) {
    const cap_stepper_settings settings = {.step = s->step, .tolerance = s->tolerance};
    cap_summary_number(summary, "orbits", "", (double)s->sweep.values.n * family);
    cap_stepping_plan(choose(m, s->method), &settings, m, m->period[0], 0.0, "period", summary);
  }
}

const char cap_response_doc[] = "steady orbits vs a parameter, by continuation from value to value";

const cap_analysis cap_response_analysis = {
    .name = "response",
    .doc = cap_response_doc,
    .fields = cap_response_fields,
    .spec_size = sizeof(cap_response_spec),
    .check = check,
    .plan = plan,
    .run = response,
};
