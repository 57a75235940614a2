/* analysis/transient.c — the motion over time.
 *
 * The policy loop: advance by one output interval, write a row, now and then a checkpoint; stop when asked.
 * The stepper behind it is chosen by the user or by what suits the system. Every number that decides what
 * happens next lies in the march (analysis/march.h), so a resumed run continues bit for bit.
 */
#include "analysis/transient.h"
#include "analysis/analysis.h"
#include "analysis/march.h"
#include "analysis/observe/audit.h"
#include "analysis/observe/channels.h"
#include "analysis/observe/held_effort.h"
#include "analysis/observe/impacts.h"
#include "analysis/observe/observers.h"
#include "analysis/observe/solves.h"
#include "analysis/stationary/starts.h"
#include "analysis/stationary/stationary_subject.h"
#include "solve/nonsmooth.h"
#include "step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_transient_spec spec;

/* Solvers of format version 1, and what serves instead. */
static const char *const solvers_left[] = {"fixed_point", "newton", "siconos", "newton", NULL};

const cap_field cap_transient_fields[] = {
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, until),
     .unit = "s",
     .required = true,
     .low = -INFINITY,
     .high = INFINITY,
     .example = "2 s",
     .doc = "end time of the run"},
    CAP_STEPPING_FIELDS(spec, stepping),
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tolerance),
     .present = 1 + offsetof(spec, tolerance_given),
     .unit = "",
     .fallback = "1e-8",
     .low = 1e-13,
     .high = 1e-2,
     .example = "1e-8",
     .doc = "relative tolerance of rk5, rk8, switching, cvode, extrapolation and radau, and of midpoint "
            "where no step is "
            "given; for "
            "timestepping that of the contact solver, 1e-10 by default"},
    {.key = "solver",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, solver),
     .choices = cap_nonsmooth_names,
     .names_left = solvers_left,
     .fallback = "newton",
     .example = "gauss_seidel",
     .doc = "solver of the forces of set-valued contacts: newton (semi-smooth, with Gauss-Seidel sweeps "
            "where it stalls), gauss_seidel"},
    {.key = "correction",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, correction),
     .fallback = "true",
     .example = "true",
     .doc = "timestepping: whether to correct the positions of closed contacts that have penetrated or "
            "drifted apart"},
    {.key = "settle",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, settle),
     .present = 1 + offsetof(spec, settle_given),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = 10,
     .example = "40 ms",
     .doc = "time for which a belt of segments runs before the start, with transverse damping at first, "
            "until its bending has settled; excluded from the results and the energy audit; default: as long "
            "as needed at the start of the system, 0 s later"},
    {.key = "spectrum",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, spectrum),
     .fields = cap_spectrum_fields,
     .doc = "amplitude spectra of channels, over the rows of the run"},
    {.key = "drives", .kind = CAP_FIELD_MORE, .fields = cap_registry_transient_fields},
    {0}};

typedef struct job {
  cap_run *run;
  const spec *spec;
  cap_march march;
  cap_channels channels;
  double every; /* s between rows */
  double t_start;
  int64_t nrow, row; /* rows in all; the next one */
  int64_t per_checkpoint;
  int64_t steps_before; /* of earlier analyses */
  int64_t solves_before[CAP_SOLVES_NCOUNT];
  double *row_values; /* [channels + 1] */
  cap_headway headway;
  double *pace; /* [nv] of headway */
  cap_observers observers;
} job;

static cap_status put_row(job *j)
{
  cap_run *run = j->run;
  CAP_TRY(cap_channels_put_row(&j->channels, run->model, run->data, j->row_values, run->sink, run->error));
  return cap_observers_take(&j->observers, run, j->row, j->channels.force);
}

enum { NVIEW = CAP_MARCH_NVIEW + 1 + CAP_OBSERVERS_VIEWS };

/* Those of the march, the number of the next row, and what observers have gathered. What the stepper carries
 * stands behind all others, since checkpoints of version 0.1 lack it. */
static int views_of(job *j, cap_view views[NVIEW])
{
  int n = CAP_DATA_NVIEW;
  cap_data_views(j->run->model, j->run->data, views);
  views[n++] = (cap_view){"row", "1", "next row", true, 1, &j->row};
  n += cap_observers_views(&j->observers, views + n);
  return n + cap_stepper_views(&j->march.stepper, views + n);
}

static cap_status checkpoint(job *j)
{
  cap_view views[NVIEW];
  int n = views_of(j, views);
  return j->run->sink->checkpoint(j->run->sink, n, views);
}

static double row_time(const job *j, int64_t row)
{
  return row + 1 >= j->nrow ? j->spec->until : j->t_start + (double)row * j->every;
}

/* Between two rows, where a run can be resumed. Observers see rows alone: of a row that was broken
 * off, only the data need to go back. */
static cap_status leave(job *j)
{
  CAP_TRY(checkpoint(j));
  return cap_status_fail(j->run->error, CAP_STOPPED, "interrupted at t = %.6g s", *j->run->data->t);
}

static cap_status loop(job *j)
{
  cap_run *run = j->run;
  if (j->row == 0) {
    CAP_TRY(put_row(j));
    j->row = 1;
  }
  cap_headway_begin(&j->headway, "transient", run->progress, j->t_start, j->spec->until - j->t_start,
                    j->pace);
  while (j->row < j->nrow) {
    if (cap_progress_stopped(run->progress)) return leave(j);
    double t = row_time(j, j->row);
    cap_status status = cap_march_to(&j->march, t);
    if (status == CAP_STOPPED) return leave(j);
    CAP_TRY(status);
    CAP_TRY(put_row(j));
    j->row++;
    cap_progress_report(run->progress, "transient", t - j->t_start, j->spec->until - j->t_start, "s");
    if (j->row % j->per_checkpoint == 0) CAP_TRY(checkpoint(j));
  }
  return CAP_OK;
}

/* s between rows, and how many rows that makes over `span`. */
static double interval_of(const cap_outputs *outputs, double span)
{
  return outputs->every > 0.0 ? outputs->every : span / 1000.0;
}

static const double ROWS_MOST = 1e9;

static double rows_of(double span, double every)
{
  return ceil(span / every * (1.0 - 1e-12)) + 1.0;
}

static cap_status plan(job *j)
{
  cap_run *run = j->run;
  double span = j->spec->until - *run->data->t;
  if (!(span > 0.0))
    return cap_status_fail(run->error, CAP_ERR_INPUT,
                           "transient.until: expected a time after the start (%.6g s), got %.6g s",
                           *run->data->t, j->spec->until);
  j->t_start = *run->data->t;
  j->steps_before = run->data->steps[CAP_STEPS_STEPS];
  if (run->model->nwarm) memcpy(j->solves_before, run->data->solves, sizeof j->solves_before);
  j->every = interval_of(run->outputs, span);
  double rows = rows_of(span, j->every);
  if (!(rows < ROWS_MOST))
    return cap_status_fail(run->error, CAP_ERR_INPUT,
                           "outputs.every: %.6g s in a run of %.6g s gives %.3g rows; expected at most 1e9",
                           j->every, span, rows);
  j->nrow = (int64_t)rows;
  double apart = run->outputs->checkpoint > 0.0 ? ceil(run->outputs->checkpoint / j->every) : 1000.0;
  j->per_checkpoint = apart < 1.0 ? 1 : apart > 1e9 ? 1000000000 : (int64_t)apart;
  return CAP_OK;
}

static cap_status put_balance(job *j)
{
  cap_run *run = j->run;
  CAP_TRY(cap_audit_put(run, "transient"));
  return run->sink->number(run->sink, (cap_column){"steps", "1", "number of time steps"},
                           (double)(run->data->steps[CAP_STEPS_STEPS] - j->steps_before));
}

/* Step and parts of it as the stepper chose them. */
static cap_status put_step(job *j)
{
  const cap_stepper *s = &j->march.stepper;
  double step;
  int substeps;
  if (!s->type->chosen) return CAP_OK;
  s->type->chosen(s->memory, &step, &substeps);
  cap_sink *sink = j->run->sink;
  CAP_TRY(sink->number(sink, (cap_column){"step", "s", "largest time step"}, step));
  if (substeps > 1)
    cap_progress_note(j->run->progress, "transient: steps of %.3g s in %d parts", step, substeps);
  else cap_progress_note(j->run->progress, "transient: steps of %.3g s", step);
  return sink->number(sink, (cap_column){"substeps", "1", "number of parts of a step for fast elements"},
                      substeps);
}

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  cap_view views[NVIEW];
  bool found = false, finished = false;
  CAP_TRY(cap_channels_put_columns(&j->channels, run->sink, run->error));
  CAP_TRY(run->sink->text(run->sink, "method", j->march.stepper.type->name));
  int n = views_of(j, views);
  CAP_TRY(run->sink->restore(run->sink, n, views, &found, &finished));
  if (!found && !finished) CAP_TRY(cap_march_begin(&j->march));
  if (found) cap_observers_resume(&j->observers, run->data);
  if (!finished) {
    run->model->headway = &j->headway;
    cap_status status = loop(j);
    run->model->headway = NULL;
    cap_observers_end(&j->observers, run);
    if (status != CAP_OK) return cap_observers_put_part(&j->observers, run, j->row, status);
    CAP_TRY(put_balance(j));
    CAP_TRY(put_step(j));
    CAP_TRY(cap_impacts_put(run, "transient", cap_nonsmooth_names[j->spec->solver]));
    CAP_TRY(cap_held_effort_put(run, "transient"));
    CAP_TRY(cap_observers_put(&j->observers, run, "transient"));
    CAP_TRY(cap_stationary_subject_put_state(run));
    CAP_TRY(cap_solves_put(run, j->solves_before));
    CAP_TRY(checkpoint(j)); /* the end state, from which the next analysis starts also after a resume */
  }
  return run->sink->close(run->sink);
}

static cap_status watch(job *j)
{
  cap_run *run = j->run;
  CAP_TRY(plan(j));
  CAP_TRY(cap_channels_select(&j->channels, run->model, &run->outputs->channels, run->error));
  j->row_values = calloc((size_t)j->channels.n + 1, sizeof(double));
  j->pace = calloc((size_t)run->model->nv + 1, sizeof(double));
  if (!j->row_values || !j->pace) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  const cap_observer_plan rows = {
      .start = j->t_start, .until = j->spec->until, .every = j->every, .nrow = j->nrow};
  return cap_observers_create(&j->observers, "transient", j->spec, run, &rows);
}

static cap_status transient(cap_run *run, const void *self)
{
  job j = {.run = run, .spec = self};
  cap_status status = cap_march_open(&j.march, "transient", run, self);
  if (status == CAP_OK) status = watch(&j);
  if (status == CAP_OK) status = run->sink->open(run->sink, "transient", "transient", "motion over time");
  if (status == CAP_OK) status = compute(&j);
  free(j.row_values);
  free(j.pace);
  cap_observers_free(&j.observers);
  cap_channels_free(&j.channels);
  cap_march_close(&j.march);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const spec *s = self;
  char key[512];
  cap_stepping_check_keys(&s->stepping, m, path, diag);
  snprintf(key, sizeof key, "%s.until", path);
  if (!(s->until > *time))
    cap_diag_at(diag, key, "expected a time after the start (%s), got %s",
                cap_diag_quantity(diag, key, *time, "s"), cap_diag_quantity(diag, key, s->until, "s"));
  const cap_stepper_type *type = cap_stepping_of(&s->stepping, m);
  const cap_stepper_settings settings = cap_march_settings(s, type);
  if (s->until > *time && !(s->until - *time >= DBL_MIN))
    cap_diag_at(diag, key, "too short a run; expected at least %.3g s, got %.3g s", DBL_MIN,
                s->until - *time);
  cap_stepping_check_count(type, &settings, m, s->until - *time, path, diag);
  snprintf(key, sizeof key, "%s.settle", path);
  if (s->settle > 0.0 && !(m->subject.relax > 0.0))
    cap_diag_at(diag, key, "expected 0 s, since only a belt of segments settles before the start, got %s",
                cap_diag_quantity(diag, key, s->settle, "s"));
  cap_starts_check("transient", s, m, path, diag);
  cap_observers_check("transient", s, m, s->until, path, diag);
  *time = s->until;
}

static void tell_plan(const cap_model *m, const void *self, const cap_outputs *outputs, double time,
                      cap_summary *summary)
{
  const spec *s = self;
  const cap_stepper_type *type = cap_stepping_of(&s->stepping, m);
  const cap_stepper_settings settings = cap_march_settings(s, type);
  double span = s->until - time, every = interval_of(outputs, span),
         settling = cap_march_settle_time(s, m, time);
  if (settling > 0.0) cap_summary_number(summary, "settling before the start", "s", settling);
  cap_summary_number(summary, "from", "s", time);
  cap_summary_number(summary, "duration", "s", span);
  double step = cap_stepping_plan(type, &settings, m, span, every, NULL, summary);
  double turn = cap_stationary_subject_turn(m);
  if (step > 0.0 && turn > 0.0)
    cap_summary_number(summary, m->subject.type->stationary ? "steps per revolution" : "steps per period", "",
                       turn / step);
  cap_summary_number(summary, "time between rows", "ms", every);
  cap_summary_number(summary, "rows", "", rows_of(span, every));
}

static void check_rows(const void *self, const cap_outputs *outputs, double start, double end,
                       const char *path, cap_diag *diag)
{
  const spec *s = self;
  const double span = end - start;
  char until[512], key[512];
  snprintf(until, sizeof until, "%s.until", path);
  snprintf(key, sizeof key, "%s.spectrum.channels", path);
  if (outputs->every > span)
    cap_diag_warn(diag, "outputs.every",
                  "longer than the run, which has a row at its start and its end only; expected at most %s, "
                  "got %s",
                  cap_diag_quantity(diag, until, span, "s"),
                  cap_diag_quantity(diag, "outputs.every", outputs->every, "s"));
  const double rows = rows_of(span, interval_of(outputs, span));
  if (!(rows < ROWS_MOST)) {
    cap_diag_at(diag, "outputs.every", "gives %.3g rows; expected at most %g", rows, ROWS_MOST);
    return;
  }
  cap_spectrum_check_rows(&s->spectrum, start, end, interval_of(outputs, span),
                          outputs->every > 0.0 ? "outputs.every" : key, diag);
  snprintf(key, sizeof key, "%s.step", path);
  if (s->stepping.step_given && s->stepping.step > span)
    cap_diag_warn(diag, key, "longer than the run; expected at most %s, got %s",
                  cap_diag_quantity(diag, until, span, "s"),
                  cap_diag_quantity(diag, key, s->stepping.step, "s"));
}

static const char *const beside[] = {"time",    "spectrum.*", "film.*",    "watch.*", "contact.*",
                                     "along.*", "loss.*",     "history.*", NULL};

const char cap_transient_doc[] = "motion over time, with the energy audit";

const cap_analysis cap_transient_analysis = {
    .name = "transient",
    .doc = cap_transient_doc,
    .fields = cap_transient_fields,
    .spec_size = sizeof(spec),
    .contacts = true,
    .beside = beside,
    .follows = true,
    .marched = true,
    .check = check,
    .plan = tell_plan,
    .check_rows = check_rows,
    .run = transient,
};
