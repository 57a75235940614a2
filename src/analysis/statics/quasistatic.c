/* analysis/statics/quasistatic.c — equilibria over the time of imposed motions and loads, eq. (2.37).
 *
 * Maths: docs/theory.md §40.5. At every step the velocities are zero and the driven coordinates are where
 * their motion has them: 0 = h(q, 0, x, t). Newton's iteration (quasistatic_newton.c) starts from the state
 * before, or from its linear extrapolation. Where it fails, the step is halved; where that ends, the
 * equilibrium has a limit point in the time: the system snaps, which is told. Laws with memory go along from
 * step to step.
 */
#include "analysis/analysis.h"
#include "analysis/feed.h"
#include "analysis/observe/audit.h"
#include "analysis/observe/channels.h"
#include "analysis/observe/observers.h"
#include "analysis/statics/quasistatic_newton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, LINEAR, LINEAR_PART };
enum { SNAP_STOP, SNAP_JUMP };
enum { HALVINGS = 10, NOTES_MOST = 5, OWN_COLUMNS = 5 };

typedef struct spec {
  int kind;
  double until, tol_h, tol_f, extrapolate_from;
  int steps, iterations, extrapolate, snap;
  bool compare, from_given;
} spec;

static const char *const extrapolations[] = {"none", "linear", "linear-part", NULL};
static const char *const snaps[] = {"stop", "jump", NULL};

const cap_field cap_quasistatic_fields[] = {
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, until),
     .unit = "s",
     .required = true,
     .low = -INFINITY,
     .high = INFINITY,
     .example = "1 s",
     .doc = "end time"},
    {.key = "steps",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, steps),
     .fallback = "100",
     .low = 1,
     .high = 1000000,
     .example = "150",
     .doc = "number of equal time steps, each with one row in the results"},
    {.key = "tol_h",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tol_h),
     .unit = "N",
     .fallback = "1e-6 N",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "1e-6 N",
     .doc = "largest residual force (or moment, in N m)"},
    {.key = "tol_f",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tol_f),
     .unit = "m",
     .fallback = "1e-9 m",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "1e-9 m",
     .doc = "largest change of a coordinate (m or rad) that the residual forces may still cause"},
    {.key = "iterations",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, iterations),
     .fallback = "25",
     .low = 2,
     .high = 10000,
     .example = "25",
     .doc = "number of Newton iterations after which a step is halved"},
    {.key = "extrapolate",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, extrapolate),
     .choices = extrapolations,
     .fallback = "linear",
     .example = "linear",
     .doc = "start of Newton's iteration: none (the previous state), linear (2 q(i-1) - q(i-2)), linear-part "
            "(linear, from `extrapolate_from` on)"},
    {.key = "extrapolate_from",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, extrapolate_from),
     .present = 1 + offsetof(spec, from_given),
     .unit = "s",
     .fallback = "0 s",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "0.4 s",
     .doc = "time from which linear-part extrapolates: when the whole system has reached its linear part"},
    {.key = "compare",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, compare),
     .fallback = "false",
     .example = "true",
     .doc = "whether to compute all steps again without extrapolation, and to report the iterations saved"},
    {.key = "snap",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, snap),
     .choices = snaps,
     .fallback = "stop",
     .example = "jump",
     .doc = "at a limit point, where the system snaps through: stop, or jump to the equilibrium reached by "
            "damped motion"},
    {0}};

typedef struct job {
  cap_run *run;
  const spec *spec;
  cap_quasistatic_newton newton;
  cap_channels channels;
  double *row, *before,
      *reaction;              /* [channels + own], [nv] q(i-2), [nmotion] force of the motions at q(i-1) */
  double *motion;             /* [nmotion] their places there */
  double t, t_before, t_last; /* of the state, q(i-1), q(i-2) */
  double start;
  int known;                /* states to extrapolate from: 0, 1 or 2 */
  int halvings, iterations; /* of the present step */
  long total;
  int sign, nturn, njump, nrow;
  double *counts; /* [steps + 1] iterations of each step without extrapolation */
  long without;   /* all of them */
  bool quiet;
  cap_observers observers;
} job;

/* ---- one step ------------------------------------------------------------------------------------------ */

static bool extrapolates(const job *j, double t)
{
  if (j->spec->extrapolate == NONE || j->quiet || j->known < 2) return false;
  return j->spec->extrapolate == LINEAR || t >= j->spec->extrapolate_from;
}

/* The trial state for t. */
static void start_at(job *j, double t)
{
  cap_quasistatic_newton *w = &j->newton;
  const cap_data *d = j->run->data;
  int nv = w->m->nv;
  memcpy(w->q, d->q, sizeof(double) * (size_t)nv);
  if (extrapolates(j, t)) {
    double ratio = (t - j->t) / (j->t - j->t_before);
    for (int i = 0; i < nv; i++) w->q[i] += ratio * (d->q[i] - j->before[i]);
  }
  if (j->run->feed) cap_feed_at(j->run->feed, j->run->data, t);
  cap_model_drive(w->m, d->input, &t, w->q, d->v, NULL);
  memset(d->v, 0, sizeof(double) * (size_t)nv);
}

static void tell_turn(job *j, double t)
{
  if (j->sign && j->newton.sign && j->newton.sign != j->sign && j->nturn++ < NOTES_MOST && !j->quiet)
    cap_progress_note(j->run->progress,
                      "quasistatic: between t = %.6g s and %.6g s the determinant of the stiffness changes "
                      "its sign: a limit or branch point was passed, and the equilibrium %s",
                      j->t, t, j->sign > 0 ? "is unstable from there on" : "may be stable again");
  j->sign = j->newton.sign;
}

/* Work of the motions over the step, by the trapezoidal rule. */
static void add_work(job *j)
{
  const cap_model *m = j->newton.m;
  cap_data *d = j->run->data;
  double *work = d->work + (m->nmech - m->nmotion);
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    double force = -j->newton.stiffness->h[i], place = j->newton.q[i];
    work[k] += 0.5 * (force + j->reaction[k]) * (place - j->motion[k]);
    j->reaction[k] = force;
    j->motion[k] = place;
  }
}

/* The trial state becomes the state. */
static void accept(job *j, double t)
{
  cap_quasistatic_newton *w = &j->newton;
  cap_data *d = j->run->data;
  size_t nv = (size_t)w->m->nv, nx = (size_t)w->m->nx;
  tell_turn(j, t);
  add_work(j);
  memcpy(j->before, d->q, sizeof(double) * nv);
  memcpy(d->q, w->q, sizeof(double) * nv);
  memcpy(d->x, w->x, sizeof(double) * nx);
  memcpy(w->q0, w->q, sizeof(double) * nv);
  memcpy(w->x0, w->x, sizeof(double) * nx);
  j->t_before = j->t;
  j->t = *d->t = t;
  j->known = j->known < 2 ? j->known + 1 : 2;
}

/* The coordinate that moves furthest in a jump. */
static int furthest(const job *j, double *distance)
{
  int found = 0;
  *distance = 0.0;
  for (int i = 0; i < j->newton.m->nv; i++) {
    double moved = fabs(j->newton.q[i] - j->run->data->q[i]);
    if (moved > *distance) *distance = moved, found = i;
  }
  return found;
}

static cap_status interrupted(const job *j)
{
  return cap_status_fail(j->run->error, CAP_STOPPED, "interrupted at t = %.6g s", j->t);
}

static cap_status snap(job *j, double t)
{
  const cap_model *m = j->newton.m;
  double moved;
  if (j->spec->snap == SNAP_STOP)
    return cap_status_fail(j->run->error, CAP_ERR_NUMERICS,
                           "no equilibrium near that of t = %.6g s a further %.3g s on (residual force %.3g "
                           "N): a limit point, where the system snaps through; use snap: jump to continue at "
                           "another equilibrium, or smaller steps or a regularised law if it is none",
                           j->t, t - j->t, j->newton.imbalance);
  start_at(j, t);
  cap_status status = cap_quasistatic_newton_fall(&j->newton, t);
  if (status == CAP_STOPPED) return interrupted(j);
  if (status != CAP_OK)
    return cap_status_fail(j->run->error, CAP_ERR_NUMERICS,
                           "at t = %.6g s the system snaps through, and no other equilibrium was found",
                           j->t);
  int i = furthest(j, &moved);
  j->iterations += j->newton.iterations;
  if (j->njump++ < NOTES_MOST && !j->quiet)
    cap_progress_note(
        j->run->progress,
        "quasistatic: limit point at t = %.6g s: snaps through to another equilibrium, %s by %.3g %s", j->t,
        m->dof_name[i], moved, m->dof_unit[i]);
  j->sign = 0;
  accept(j, t);
  j->known = 0; /* what was before the jump tells nothing about what comes */
  return CAP_OK;
}

/* To t, in as many parts as it takes. */
static cap_status advance(job *j, double t)
{
  int depth = 0;
  j->iterations = j->halvings = 0;
  while (j->t < t) {
    double left = t - j->t, part = ldexp(1.0, -depth),
           to = depth ? j->t + fmin(part * (t - j->t_last), left) : t;
    if (t - to < 1e-9 * (t - j->t_last)) to = t;
    start_at(j, to);
    cap_status status = cap_quasistatic_newton_solve(&j->newton, to);
    j->iterations += j->newton.iterations;
    if (status < 0) return status;
    if (status == CAP_STOPPED) return interrupted(j);
    if (status == CAP_OK) {
      accept(j, to);
      if (depth > 0) depth--;
      continue;
    }
    if (extrapolates(j, to)) { /* it may have led astray */
      j->known = 1;
      continue;
    }
    if (depth == HALVINGS) {
      CAP_TRY(snap(j, to));
      depth = 0;
      continue;
    }
    depth++;
    j->halvings++;
  }
  return CAP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static bool compares(const job *j)
{
  return j->spec->compare && j->spec->extrapolate != NONE;
}

/* The last is there where extrapolation is compared. */
static int own_columns(const job *j)
{
  return compares(j) ? OWN_COLUMNS : OWN_COLUMNS - 1;
}

static cap_status put_columns(job *j)
{
  int n = j->channels.n;
  cap_column *columns = calloc((size_t)n + 1 + OWN_COLUMNS, sizeof *columns);
  if (!columns) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  columns[0] = (cap_column){"time", "s", "time"};
  memcpy(columns + 1, j->channels.columns, (size_t)n * sizeof *columns);
  columns[n + 1] = (cap_column){"newton.iterations", "1", "number of Newton iterations of the step"};
  columns[n + 2] = (cap_column){"newton.halvings", "1", "number of times the step was halved"};
  columns[n + 3] = (cap_column){"newton.imbalance", "N", "largest residual force"};
  columns[n + 4] = (cap_column){"energy.stored", "J", "stored energy"};
  columns[n + 5] = (cap_column){"newton.iterations_without", "1",
                                "number of Newton iterations without extrapolation"};
  cap_status status = j->run->sink->columns(j->run->sink, n + 1 + own_columns(j), columns);
  free(columns);
  return status;
}

static double stored_energy(job *j)
{
  const cap_data *d = j->run->data;
  double stored = 0.0;
  cap_eval e = {.nlane = 1, .t = d->t, .input = d->input, .q = d->q, .v = d->v, .x = d->x};
  cap_model_energy(j->newton.m, &e, &stored);
  return stored;
}

static cap_status put_row(job *j, int step)
{
  cap_run *run = j->run;
  int n = j->channels.n;
  if (j->quiet) {
    j->counts[step] = j->iterations;
    return CAP_OK;
  }
  j->row[0] = *run->data->t;
  cap_channels_values(&j->channels, run->model, run->data, j->row + 1);
  for (int c = 0; c < n; c++)
    if (!isfinite(j->row[1 + c]))
      return cap_status_fail(run->error, CAP_ERR_NUMERICS, "at t = %.9g s the channel %s is not finite",
                             j->row[0], j->channels.columns[c].name);
  CAP_TRY(cap_observers_take(&j->observers, run, step, j->channels.force));
  j->nrow = step + 1;
  j->row[n + 1] = j->iterations;
  j->row[n + 2] = j->halvings;
  j->row[n + 3] = j->newton.imbalance;
  j->row[n + 4] = stored_energy(j);
  j->row[n + 5] = j->counts[step];
  return run->sink->rows(run->sink, 1, j->row);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* The equilibrium where it starts. */
static cap_status begin(job *j)
{
  cap_quasistatic_newton *w = &j->newton;
  cap_data *d = j->run->data;
  size_t nv = (size_t)w->m->nv, nx = (size_t)w->m->nx;
  j->t = j->t_before = j->t_last = *d->t;
  j->known = j->sign = j->nturn = j->njump = 0;
  j->total = 0;
  w->factored = false;
  memset(w->scale, 0, sizeof(double) * (size_t)w->stiffness->n);
  memcpy(w->q0, d->q, sizeof(double) * nv);
  memcpy(w->x0, d->x, sizeof(double) * nx);
  start_at(j, j->t);
  cap_status status = cap_quasistatic_newton_solve(w, j->t);
  int iterations = w->iterations;
  if (status == CAP_RETRY_NOCONV) {
    start_at(j, j->t);
    status = cap_quasistatic_newton_fall(w, j->t);
    iterations += w->iterations;
  }
  if (status == CAP_STOPPED) return interrupted(j);
  if (status != CAP_OK)
    return cap_status_fail(j->run->error, CAP_ERR_NUMERICS,
                           "no equilibrium found at the start, t = %.6g s: the initial state is too far from "
                           "it, or a body is unconstrained (clearance, open contacts); compute statics first",
                           j->t);
  for (int k = 0; k < w->m->nmotion; k++) {
    j->reaction[k] = -w->stiffness->h[w->m->motion_dof[k]];
    j->motion[k] = w->q[w->m->motion_dof[k]];
  }
  w->sign = 0;
  accept(j, j->t);
  cap_data_start_audit(w->m, d);
  j->iterations = iterations;
  j->halvings = 0;
  return put_row(j, 0);
}

static cap_status follow(job *j)
{
  const spec *s = j->spec;
  CAP_TRY(begin(j));
  j->start = j->t;
  for (int k = 1; k <= s->steps; k++) {
    double t = k == s->steps ? s->until : j->start + (s->until - j->start) * k / s->steps;
    if (cap_progress_stopped(j->run->progress)) return interrupted(j);
    CAP_TRY(advance(j, t));
    j->t_last = t;
    j->total += j->iterations;
    CAP_TRY(put_row(j, k));
    if (!j->quiet)
      cap_progress_report(j->run->progress, "quasistatic", t - j->start, s->until - j->start, "s");
  }
  return CAP_OK;
}

/* All steps without extrapolation, into counts[]; the state afterwards is that before. */
static cap_status compare(job *j)
{
  cap_run *run = j->run;
  cap_data *start = cap_data_create(run->model);
  if (!start) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  cap_data_copy(run->model, start, run->data);
  j->quiet = true;
  cap_status status = follow(j);
  j->quiet = false;
  j->without = j->total;
  cap_data_copy(run->model, run->data, start);
  cap_data_free(start);
  return status;
}

static cap_status put_number(job *j, const char *name, const char *long_name, double value)
{
  return j->run->sink->number(j->run->sink, (cap_column){name, "1", long_name}, value);
}

static cap_status put_comparison(job *j)
{
  double saving = j->without > 0 ? 1.0 - (double)j->total / (double)j->without : 0.0;
  CAP_TRY(put_number(j, "iterations_without",
                     "number of Newton iterations of all steps without extrapolation", (double)j->without));
  CAP_TRY(put_number(j, "saving", "share of Newton iterations saved by extrapolation", saving));
  cap_progress_note(j->run->progress,
                    "quasistatic: %ld Newton iterations with extrapolation, %ld without: %.0f %% %s",
                    j->total, j->without, 100.0 * fabs(saving), saving < 0.0 ? "more" : "fewer");
  return CAP_OK;
}

/* Whether the motions alone feed energy in, and nothing takes any. */
static bool conserves(const cap_model *m)
{
  for (int k = 0; k < m->nmech - m->nmotion; k++)
    if (m->mechs[k].input) return false;
  return m->nx == 0 && m->nmotion > 0;
}

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  if (compares(j)) CAP_TRY(compare(j));
  CAP_TRY(put_columns(j));
  CAP_TRY(run->sink->text(run->sink, "extrapolate", extrapolations[j->spec->extrapolate]));
  cap_status status = follow(j);
  if (status != CAP_OK) return cap_observers_put_part(&j->observers, run, j->nrow, status);
  CAP_TRY(put_number(j, "iterations", "number of Newton iterations of all steps", (double)j->total));
  CAP_TRY(put_number(j, "groups", "number of directional derivatives per evaluation of the Jacobian",
                     j->newton.stiffness->ngroup));
  CAP_TRY(put_number(j, "unknowns", "number of free coordinates", j->newton.stiffness->n));
  CAP_TRY(put_number(j, "jumps", "number of limit points with a jump", j->njump));
  cap_progress_note(run->progress, "quasistatic: %d steps, %ld Newton iterations, %d unknowns",
                    j->spec->steps, j->total, j->newton.stiffness->n);
  if (conserves(run->model) && j->njump == 0) CAP_TRY(cap_audit_put(run, "quasistatic"));
  CAP_TRY(cap_observers_put(&j->observers, run, "quasistatic"));
  if (compares(j)) CAP_TRY(put_comparison(j));
  return run->sink->close(run->sink);
}

static cap_status quasistatic(cap_run *run, const void *self)
{
  const spec *s = self;
  const cap_model *m = run->model;
  job j = {.run = run, .spec = s};
  cap_status status = cap_quasistatic_newton_create(m, &j.newton, run->error);
  if (status == CAP_OK) j.newton.stiffness->inputs = run->data->input;
  j.newton.tol_h = s->tol_h;
  j.newton.tol_f = s->tol_f;
  j.newton.most = s->iterations;
  j.newton.progress = run->progress;
  if (status == CAP_OK) status = cap_channels_select(&j.channels, m, &run->outputs->channels, run->error);
  const cap_observer_plan plan = {.start = *run->data->t, .until = s->until, .nrow = s->steps + 1};
  if (status == CAP_OK) status = cap_observers_create(&j.observers, "quasistatic", s, run, &plan);
  cap_arena arena = {0};
  j.row = CAP_ARENA_NEW(&arena, double, j.channels.n + 1 + OWN_COLUMNS);
  j.before = CAP_ARENA_NEW(&arena, double, m->nv + 1);
  j.reaction = CAP_ARENA_NEW(&arena, double, m->nmotion + 1);
  j.motion = CAP_ARENA_NEW(&arena, double, m->nmotion + 1);
  j.counts = CAP_ARENA_NEW(&arena, double, s->steps + 1);
  if (status == CAP_OK && (!j.row || !j.before || !j.reaction || !j.motion || !j.counts))
    status = cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = run->sink->open(run->sink, "quasistatic", "quasistatic", "equilibria over time");
  if (status == CAP_OK) status = compute(&j);
  cap_arena_free(&arena);
  cap_observers_free(&j.observers);
  cap_channels_free(&j.channels);
  cap_quasistatic_newton_free(&j.newton);
  return status;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

/* Why a model has no equilibria to follow; NULL: it has. */
static const char *obstacle(const cap_model *m)
{
  for (int c = 0; c < m->ncontactbatch; c++)
    if (m->contacts[c].kind != CAP_LAW_REGULARISED)
      return "its contacts are set-valued or stick with memory, and Newton's method converges with "
             "regularised laws only; expected regularised contacts, or use transient";
  if (m->subject.type->no_rest) return m->subject.type->no_rest;
  for (int s = 0; s < m->nslider; s++)
    if (isinf(m->slider_k[s]))
      return "it has dry friction without compliance, a set-valued law; expected a friction stiffness, or "
             "use transient";
  for (int i = 0; i < m->nv; i++)
    if (m->base[i] != 0.0)
      return "its coordinates turn at a prescribed speed; expected a system that can be at rest";
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->jumps && k < m->batches[b].n; k++)
      if (m->batches[b].type->jumps(&m->batches[b], k, 0))
        return "one of its laws is discontinuous, and Newton's method converges with regularised laws only; "
               "expected a regularised law";
  return NULL;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const spec *s = self;
  char key[512];
  const char *why = obstacle(m);
  if (why) cap_diag_at(diag, path, "no equilibrium can be followed: %s", why);
  snprintf(key, sizeof key, "%s.until", path);
  if (!(s->until > *time))
    cap_diag_at(diag, key, "expected a time after the start (%s), got %s",
                cap_diag_quantity(diag, key, *time, "s"), cap_diag_quantity(diag, key, s->until, "s"));
  snprintf(key, sizeof key, "%s.extrapolate_from", path);
  if (s->extrapolate == LINEAR_PART && !s->from_given)
    cap_diag_at(
        diag, key,
        "missing; expected the time from which the system is linear, as extrapolate: linear-part needs it");
  if (s->extrapolate != LINEAR_PART && s->from_given)
    cap_diag_at(diag, key, "unused; expected extrapolate: linear-part");
  *time = s->until;
}

static const char *const beside[] = {"time", "newton.*", "energy.stored", "film.*", NULL};

static void plan(const cap_model *m, const void *self, const cap_outputs *outputs, double time,
                 cap_summary *summary)
{
  const spec *s = self;
  (void)m, (void)outputs;
  cap_summary_number(summary, "from", "s", time);
  cap_summary_number(summary, "duration", "s", s->until - time);
  cap_summary_number(summary, "time step", "ms", (s->until - time) / s->steps);
  cap_summary_number(summary, "rows", "", s->steps + 1);
}

const char cap_quasistatic_doc[] = "equilibria over the time of prescribed motions and loads";

const cap_analysis cap_quasistatic_analysis = {
    .name = "quasistatic",
    .doc = cap_quasistatic_doc,
    .fields = cap_quasistatic_fields,
    .spec_size = sizeof(spec),
    .contacts = true, /* regularised ones; others are refused with the reason */
    .follows = true,
    .beside = beside,
    .check = check,
    .plan = plan,
    .run = quasistatic,
};
