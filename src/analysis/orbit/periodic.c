/* analysis/orbit/periodic.c — the steady orbit of the forcing's period, with its Floquet multipliers.
 *
 * Maths: docs/theory.md §6. The orbit is found by Newton on the period map, then run through once more for
 * its channels, its energy balance and its corners: where dry friction starts to slip and where its
 * deflection turns (A to D of a hysteresis loop). Stuck orbits form families: the one nearest to the start is
 * reported, and its mean position means little.
 */
#include "analysis/analysis.h"
#include "analysis/observe/audit.h"
#include "analysis/observe/channels.h"
#include "analysis/observe/observers.h"
#include "analysis/orbit/orbit.h"
#include "analysis/response/corners.h"
#include "analysis/stepping.h"
#include "model/linearise.h"
#include "step/exact/exact_orbit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spec {
  int kind;
  int method, samples;
  double step, tolerance;
} spec;

#define OFFERED(x_, motion_, period_, ...) CAP_STEPPERS_CHOICE(1, x_, period_)
static const char *const methods[] = {"auto", CAP_STEPPERS(OFFERED) CAP_STEPPERS_END};

const cap_field cap_periodic_fields[] = {
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, method),
     .choices = methods,
     .fallback = "auto",
     .example = "auto",
     .doc = "time stepper over the period; auto takes exact where it applies, midpoint for other set-valued "
            "laws and for belt drives, cvode otherwise"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, samples),
     .fallback = "1000",
     .low = 8,
     .high = 1000000,
     .example = "1000",
     .doc = "number of rows along the period"},
    {.key = "step",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, step),
     .unit = "s",
     .fallback = "0.05 ms",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "0.05 ms",
     .doc = "largest step of the fixed-step methods"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tolerance),
     .unit = "",
     .fallback = "1e-8",
     .low = 1e-12,
     .high = 1e-2,
     .example = "1e-8",
     .doc = "tolerance of the last Newton step relative to the orbit, and of cvode"},
    {0}};

typedef struct job {
  cap_run *run;
  const spec *spec;
  const cap_stepper_type *type;
  cap_stepper stepper;
  cap_orbit *orbit;
  cap_channels channels;
  cap_corners corners;
  double *re, *im;    /* [nstate] */
  double *row_values; /* [channels + 1] */
  bool fully_stuck;
  cap_observers observers;
} job;

/* Piecewise-linear systems: closed form when stuck, else Newton with the exact tangent. */
static cap_status find_exact(job *j)
{
  cap_run *run = j->run;
  const cap_model *m = run->model;
  cap_arena arena = {0};
  cap_linear linear;
  cap_exact *exact = NULL;
  cap_exact_orbit orbit;
  int *free_dof = CAP_ARENA_NEW(&arena, int, m->nv);
  cap_status status = free_dof ? cap_linearise_model(m, 0, &arena, &linear, free_dof, run->error)
                               : CAP_ERR_NOMEM;
  if (status == CAP_OK) status = cap_exact_create(&linear, &exact, run->error);
  if (status == CAP_OK) status = cap_exact_orbit_create(&arena, exact, &orbit);
  if (status == CAP_OK) status = cap_exact_orbit_find(exact, m->period[0], NULL, &orbit, run->error);
  if (status == CAP_OK) {
    for (int i = 0; i < m->nv; i++)
      if (free_dof[i] >= 0) {
        j->orbit->y[i] = orbit.y[free_dof[i]];
        j->orbit->y[m->nv + i] = orbit.y[linear.nv + free_dof[i]];
      }
    for (int s = 0; s < m->nslider; s++)
      j->orbit->y[2 * m->nv + s] = linear.k[s] * orbit.y[2 * linear.nv + s];
    j->fully_stuck = orbit.fully_stuck;
  }
  cap_exact_free(exact);
  cap_arena_free(&arena);
  return status;
}

/* Where orbits are lightly damped small errors of each period add up: with steps that change from period to
 * period (cvode) it would miss itself by many times the tolerance of the steps. */
static const cap_stepper_type *choose(const char *method, const cap_model *m)
{
  const cap_stepper_type *type = cap_stepping_choose(method, m);
  bool free = !cap_stepping_find(method);
  return free && m->subject.type->steady_steps && type->repeating ? type->repeating : type;
}

static cap_status not_found(const job *j)
{
  const cap_stepper_type *better = j->type->repeating;
  char advice[128] = "";
  if (better)
    snprintf(advice, sizeof advice, "; the steps of %s may limit the accuracy: use method: %s", j->type->name,
             better->name);
  return cap_status_fail(
      j->run->error, CAP_ERR_NUMERICS,
      "no steady orbit found: after %d periods its closure error is %.3g of its extent (tolerance %.3g)%s",
      j->orbit->passes, j->orbit->residual[0], j->spec->tolerance, advice);
}

static cap_status find(job *j)
{
  cap_run *run = j->run;
  memcpy(j->orbit->y, run->data->y, sizeof(double) * (size_t)run->model->nstate);
  if (j->type->exact) CAP_TRY(find_exact(j)); /* a start that Newton below only confirms */
  cap_orbit_settings settings = {
      .tolerance = j->spec->tolerance, .most = 400, .multipliers = true, .progress = run->progress};
  CAP_TRY(cap_orbit_find(&j->stepper, run->model, run->data, &settings, j->orbit, run->error));
  if (!j->orbit->converged[0]) return not_found(j);
  return cap_orbit_multipliers(j->orbit, 0, j->re, j->im);
}

static void start_on_orbit(job *j)
{
  cap_run *run = j->run;
  *run->data->t = 0.0;
  memcpy(run->data->y, j->orbit->y, sizeof(double) * (size_t)run->model->nstate);
  memset(run->data->regime, 0, sizeof(int64_t) * (size_t)run->model->nslider);
  memset(run->data->sense, 0, sizeof(int64_t) * (size_t)run->model->nelem);
  cap_model_drive(run->model, run->data->input, run->data->t, run->data->q, run->data->v, NULL);
  cap_data_start_audit(run->model, run->data);
}

static cap_status put_row(job *j, int row)
{
  cap_run *run = j->run;
  CAP_TRY(cap_channels_put_row(&j->channels, run->model, run->data, j->row_values, run->sink, run->error));
  return cap_observers_take(&j->observers, run, row, j->channels.force);
}

/* Once around, writing rows. */
static cap_status run_through(job *j)
{
  cap_run *run = j->run;
  double period = run->model->period[0];
  start_on_orbit(j);
  CAP_TRY(put_row(j, 0));
  for (int k = 1; k <= j->spec->samples; k++) {
    double t = k == j->spec->samples ? period : period * k / j->spec->samples;
    if (cap_progress_stopped(run->progress))
      return cap_status_fail(run->error, CAP_STOPPED, "interrupted along the steady orbit");
    CAP_TRY(cap_stepper_advance(&j->stepper, run->model, run->data, &t, NULL, run->error));
    CAP_TRY(put_row(j, k));
  }
  return CAP_OK;
}

/* Energy lost in a period by all mechanisms of one name ("tensioner.*"): the area of its force-deflection
 * loop. */
static cap_status put_areas(job *j)
{
  cap_run *run = j->run;
  const cap_model *m = run->model;
  for (int c = 0; c < m->nchannel; c++) {
    const char *name = m->channels[c].column.name, *dot = strrchr(name, '.');
    if (!dot || strcmp(dot, ".deflection") != 0) continue;
    size_t length = (size_t)(dot - name) + 1;
    double area = 0.0;
    for (int k = 0; k < m->nmech; k++)
      if (!m->mechs[k].input && strncmp(m->mechs[k].name, name, length) == 0) area += run->data->work[k];
    char label[256];
    snprintf(label, sizeof label, "%.*sloop_area", (int)length, name);
    CAP_TRY(
        run->sink->number(run->sink, (cap_column){label, "J", "area of the force-deflection loop"}, area));
  }
  return CAP_OK;
}

static cap_status put_numbers(job *j)
{
  cap_sink *sink = j->run->sink;
  int64_t n = j->run->model->nstate;
  CAP_TRY(sink->text(sink, "method", j->type->name));
  CAP_TRY(sink->number(sink, (cap_column){"period", "s", "period of the forcing"}, j->run->model->period[0]));
  CAP_TRY(sink->number(sink,
                       (cap_column){"residual", "1", "closure error of the orbit relative to its extent"},
                       j->orbit->residual[0]));
  CAP_TRY(sink->number(sink, (cap_column){"periods", "1", "number of integrated periods"}, j->orbit->passes));
  CAP_TRY(
      sink->number(sink, (cap_column){"stuck", "1", "1 if no friction element ever slips"}, j->fully_stuck));
  CAP_TRY(sink->array(sink, (cap_column){"multiplier.re", "1", "Floquet multiplier, real part"}, 1, &n, NULL,
                      j->re));
  return sink->array(sink, (cap_column){"multiplier.im", "1", "Floquet multiplier, imaginary part"}, 1, &n,
                     NULL, j->im);
}

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  cap_sink *sink = run->sink;
  cap_view views[CAP_DATA_NVIEW];
  bool found = false, finished = false;
  cap_data_views(run->model, run->data, views);
  CAP_TRY(sink->open(sink, "periodic", "periodic", "steady orbit"));
  CAP_TRY(cap_channels_put_columns(&j->channels, sink, run->error));
  CAP_TRY(sink->restore(sink, CAP_DATA_NVIEW, views, &found, &finished));
  if (finished || found) return sink->close(sink); /* its only checkpoint is its end */
  CAP_TRY(find(j));
  CAP_TRY(run_through(j));
  CAP_TRY(put_numbers(j));
  CAP_TRY(put_areas(j));
  CAP_TRY(cap_observers_put(&j->observers, run, "periodic"));
  CAP_TRY(cap_audit_put(run, "periodic"));
  start_on_orbit(j);
  CAP_TRY(cap_corners_find(&j->corners, run->model, run->data, &j->stepper, run->error));
  CAP_TRY(cap_corners_put(&j->corners, sink, run->error));
  start_on_orbit(j);
  /* the state from which the next analysis starts, also after a resume */
  CAP_TRY(sink->checkpoint(sink, CAP_DATA_NVIEW, views));
  return sink->close(sink);
}

static cap_status periodic(cap_run *run, const void *self)
{
  const spec *s = self;
  job j = {.run = run, .spec = s, .type = choose(methods[s->method], run->model)};
  if (!(run->model->period[0] > 0.0))
    return cap_status_fail(
        run->error, CAP_ERR_UNSUPPORTED,
        "periodic: no periodic forcing; expected a periodic load or prescribed motion; use transient");
  cap_stepper_settings settings = {.step = s->step, .tolerance = s->tolerance, .audit = true};
  CAP_TRY(cap_stepper_create(j.type, run->model, &settings, &j.stepper, run->error));
  size_t n = (size_t)run->model->nstate;
  j.re = calloc(n, sizeof(double));
  j.im = calloc(n, sizeof(double));
  cap_status status = cap_channels_select(&j.channels, run->model, &run->outputs->channels, run->error);
  double period = run->model->period[0];
  const cap_observer_plan plan = {.until = period, .every = period / s->samples, .nrow = s->samples + 1};
  if (status == CAP_OK) status = cap_observers_create(&j.observers, "periodic", s, run, &plan);
  if (status == CAP_OK) j.row_values = calloc((size_t)j.channels.n + 1, sizeof(double));
  if (status == CAP_OK &&
      (!j.re || !j.im || !j.row_values || cap_orbit_create(run->model, &j.orbit) != CAP_OK))
    status = cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = compute(&j);
  free(j.re);
  free(j.im);
  free(j.row_values);
  cap_orbit_free(j.orbit);
  cap_corners_free(&j.corners);
  cap_observers_free(&j.observers);
  cap_channels_free(&j.channels);
  cap_stepper_free(&j.stepper);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const spec *s = self;
  *time = 0.0; /* it leaves the state at the start of the forcing's period */
  cap_stepping_check(cap_stepping_find(methods[s->method]), m, path, diag);
  cap_stepping_check_period(m, path, diag);
  const cap_stepper_settings settings = {.step = s->step, .tolerance = s->tolerance};
  if (m->period[0] > 0.0)
    cap_stepping_check_count(choose(methods[s->method], m), &settings, m, m->period[0], path, diag);
}

static void plan(const cap_model *m, const void *self, const cap_outputs *outputs, double time,
                 cap_summary *summary)
{
  const spec *s = self;
  const cap_stepper_settings settings = {.step = s->step, .tolerance = s->tolerance, .audit = true};
  (void)outputs, (void)time;
  cap_summary_number(summary, "period", "s", m->period[0]);
  cap_stepping_plan(choose(methods[s->method], m), &settings, m, m->period[0], 0.0, "period", summary);
  cap_summary_number(summary, "rows over the period", "", s->samples);
}

const char cap_periodic_doc[] = "steady orbit with the period of the forcing, and its Floquet multipliers";

const cap_analysis cap_periodic_analysis = {
    .name = "periodic",
    .doc = cap_periodic_doc,
    .fields = cap_periodic_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .plan = plan,
    .run = periodic,
};
