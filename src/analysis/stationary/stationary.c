/* analysis/stationary/stationary.c — stationary points: of the model as it is, of cases, or along a
 * parameter.
 *
 * Maths:   docs/theory.md §50.
 *
 * One point is stationary_point.c. Cases start afresh, each by itself, on as many threads as there are,
 * unless they are asked to start where the one before ended; along a parameter every point does, so that the
 * run-up is paid for once.
 */
#include "analysis/stationary/stationary.h"
#include "analysis/analysis.h"
#include "base/names.h"
#include "base/parallel.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_stationary_spec spec;
typedef cap_stationary_job job;

/* ---- keys ---------------------------------------------------------------------------------------------- */

static const cap_field case_fields[] = {
    {.key = "name",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_stationary_case, name),
     .required = true,
     .example = "BC05",
     .doc = "name of the case in results and messages"},
    {.key = "set",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_stationary_case, set),
     .most = 32,
     .example = "[ratio=2.42, secondary.torque=-72.6 N m]",
     .means = CAP_MEANS_SETTING,
     .doc = "keys of the model file with their values in this case, as for --set"},
    {0}};

/* What they replaced in 0.2.0. */
static const char *const error_replaces[] = {"tolerance", NULL}, *const average_replaces[] = {"window", NULL};

const cap_field cap_stationary_fields[] = {
    {.key = "watch",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(spec, watch),
     .most = 100,
     .example = "[ratio.speed, ratio.thrust]",
     .means = CAP_MEANS_CHANNEL,
     .doc = cap_registry_watch_doc},
    {.key = "error",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, error),
     .unit = "",
     .fallback = "1.5 %",
     .low = 0,
     .low_open = true,
     .high = 100,
     .example = "1 %",
     .keys_left = error_replaces,
     .doc = cap_registry_error_doc},
    {.key = "turn",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, turn),
     .present = 1 + offsetof(spec, turn_given),
     .unit = "s",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "57 ms",
     .doc = "unit of time of the other keys; default: one turn of the belt, or the period of the forcing"},
    {.key = "lead",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, lead),
     .unit = "",
     .fallback = "1",
     .low = 0,
     .high = 1e4,
     .example = "1",
     .doc =
         "number of turns at the start of each point that are left out of the means, at least; more are left "
         "out where a watched channel still drifts"},
    {.key = "average",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, average),
     .unit = "",
     .fallback = "3",
     .low = 0,
     .low_open = true,
     .high = 1e4,
     .example = "3",
     .doc = "number of turns over which means are taken, at least; more are computed until their standard "
            "errors "
            "are as small as asked for",
     .keys_left = average_replaces},
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, until),
     .unit = "",
     .fallback = "20",
     .low = 0,
     .low_open = true,
     .high = 1e6,
     .example = "20",
     .doc = "number of turns after which a point is stopped as not stationary; it is stored with the means "
            "of its second half and with what was in the way"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, samples),
     .fallback = "200",
     .low = 20,
     .high = 1e5,
     .example = "200",
     .doc = "samples per turn, evenly spaced; independent of outputs.every"},
    {.key = "slip", .kind = CAP_FIELD_MORE, .fields = cap_registry_stationary_slip_fields},
    CAP_STEPPING_FIELDS(spec, stepping),
    {.key = "continue",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, over),
     .doc = "parameter of the model along which stationary points are followed, each from the final state of "
            "the previous one"},
    {.key = "cases",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, cases),
     .fields = case_fields,
     .item_size = sizeof(cap_stationary_case),
     .most = 200,
     .doc = "sets of parameters, one stationary point each"},
    {.key = "drives", .kind = CAP_FIELD_MORE, .fields = cap_registry_stationary_fields},
    {.key = "fresh",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, fresh),
     .fallback = "true",
     .example = "false",
     .doc = "whether cases start from their own initial state; otherwise from the final state of the "
            "previous case, if it fits"},
    {0}};

static const double SHIFT_LEAST = 1e-3; /* of a ratio in a turn */

static const cap_stationary_case *case_of(const spec *s, int k)
{
  return (const cap_stationary_case *)s->cases.items + k;
}

/* ---- what a turn is ------------------------------------------------------------------------------------ */

static double turn_of(const spec *s, const cap_model *m)
{
  if (s->turn_given) return s->turn;
  return cap_stationary_subject_turn(m);
}

/* ---- one point ----------------------------------------------------------------------------------------- */

static cap_stationary_point_plan plan_of(const job *j, const cap_stationary_made *made)
{
  const spec *s = made->spec;
  const cap_model *m = made->m;
  const cap_stepper_type *type = cap_stepping_of(&s->stepping, m);
  cap_stationary_point_plan plan = {.turn = turn_of(s, m),
                                    .lead = s->lead,
                                    .average = s->average,
                                    .limit = fmax(s->until, s->lead + s->average),
                                    .error = s->error,
                                    .nwatch = j->nwatch,
                                    .watch = j->watch,
                                    .figure = j->figure,
                                    .shifts = j->shifts,
                                    .shift_least = SHIFT_LEAST,
                                    .losses = !s->watch.n && m->subject.type->stationary,
                                    .slip_most = s->slip,
                                    .type = type,
                                    .settings = {.step = cap_stepping_step(&s->stepping, type),
                                                 .substeps = s->stepping.substeps,
                                                 .tolerance = 1e-8,
                                                 .audit = true}};
  cap_stationary_subject_slips(m, plan.slip);
  plan.every = plan.turn / s->samples;
  return plan;
}

/* The same channels of another model, in the same order. */
static cap_status select_same(const job *j, const cap_model *m, cap_channels *channels, cap_error *error)
{
  CAP_TRY(cap_channels_select(channels, m, &j->run->outputs->channels, error));
  bool same = channels->n >= j->channels.n;
  int at = 0;
  for (int c = 0; same && c < j->channels.n; c++) {
    const char *name = j->channels.columns[c].name;
    while (at < channels->n && strcmp(channels->columns[at].name, name)) at++;
    if ((same = at < channels->n)) {
      channels->columns[c] = channels->columns[at];
      channels->number[c] = channels->number[at++];
    }
  }
  if (!same)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "its model lacks channels of the first model; expected the same channels in all "
                           "models; select common ones with outputs.channels");
  channels->n = j->channels.n;
  return CAP_OK;
}

/* Whether the states of one model are those of the other. */
static bool fits(const cap_model *a, const cap_model *b)
{
  if (a->nv != b->nv || a->nx != b->nx || a->nwarm != b->nwarm || a->nslider != b->nslider) return false;
  for (int k = 0; k < a->nv; k++)
    if (strcmp(a->dof_name[k], b->dof_name[k])) return false;
  if (a->subject.type != b->subject.type) return false;
  const cap_stationary_subject *subject = a->subject.type->stationary;
  return !subject || !subject->same || subject->same(a->subject.self, b->subject.self);
}

static double speed_of(const cap_model *m)
{
  const cap_stationary_subject *subject = m->subject.type->stationary;
  return subject && subject->speed ? subject->speed(m->subject.self) : 0.0;
}

/* Go on from the end of another model's run. What turns at another speed moves faster in all its parts. */
static void carry_over(const cap_model *from, const cap_data *was, const cap_model *m, cap_data *d)
{
  memcpy(d->y, was->y, sizeof(double) * (size_t)m->nstate);
  if (m->nwarm) memcpy(d->warm, was->warm, sizeof(double) * (size_t)m->nwarm);
  if (m->nslider) memcpy(d->regime, was->regime, sizeof *d->regime * (size_t)m->nslider);
  double before = speed_of(from), now = speed_of(m);
  if (before != 0.0 && now != 0.0)
    for (int k = 0; k < m->nv; k++) d->v[k] *= now / before;
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
}

/* What is taken at every sample. */
typedef struct sight {
  cap_run run; /* with the point's own model and data */
  cap_observers *observers;
  int64_t row;
} sight;

static cap_status see(void *self, const double *force)
{
  sight *s = self;
  return cap_observers_take(s->observers, &s->run, s->row++, force);
}

/* From where a neighbour ended; false: it does not fit. */
static bool follow_neighbour(const cap_stationary_made *from, const cap_stationary_made *now)
{
  if (fits(from->m, now->m)) {
    carry_over(from->m, from->d, now->m, now->d);
    return true;
  }
  const cap_stationary_subject *subject = now->m->subject.type->stationary;
  if (!subject || !subject->carry || from->m->subject.type != now->m->subject.type) return false;
  return subject->carry(from->m, from->d, now->m, now->d);
}

/* From a coarser model, with the settings that make the point what it is. */
static cap_status follow_coarse(job *j, int k, const cap_stationary_point_plan *plan, cap_error *error)
{
  const spec *s = j->spec;
  char what[300] = "stationary: ", value[512];
  const char *one[] = {value};
  cap_stationary_name(j, k, what + strlen(what), sizeof what - strlen(what));
  cap_start_goal goal = {.m = j->made[k].m, .d = j->made[k].d, .what = what};
  if (s->cases.n) goal.nsetting = case_of(s, k)->set.n, goal.settings = case_of(s, k)->set.v;
  if (s->over.path) {
    snprintf(value, sizeof value, "%s=%.17g %s", s->over.path, s->over.values.v[k], s->over.target->unit);
    goal.nsetting = 1, goal.settings = one;
  }
  bool warm;
  CAP_TRY(j->from.type->approach(j->from.keys, j->run, plan, &goal, &warm, error));
  if (warm) j->start[k] = CAP_STATIONARY_COARSE;
  return CAP_OK;
}

static cap_status follow_stored(job *j, int k, cap_error *error)
{
  cap_error why = {0};
  const void *state = j->stored[j->spec->cases.n ? k : 0];
  char name[256];
  if (j->from.type->place(state, j->made[k].m, j->made[k].d, &why) == CAP_OK) {
    j->start[k] = CAP_STATIONARY_STORED;
    return CAP_OK;
  }
  cap_stationary_name(j, k, name, sizeof name);
  return cap_status_fail(error, CAP_ERR_INPUT, "stationary.from.file: %s: the state in %s does not fit: %s",
                         name, cap_starts_file(&j->from), why.text);
}

/* The state that a point starts in; `own`: whatever was asked for, its own start. */
static cap_status begin(job *j, int k, const cap_stationary_made *before, bool own,
                        const cap_stationary_point_plan *plan, cap_error *error)
{
  j->start[k] = CAP_STATIONARY_AFRESH;
  if (before && follow_neighbour(before, &j->made[k])) j->start[k] = CAP_STATIONARY_NEIGHBOUR;
  else if (own) cap_data_reset(j->made[k].m, j->made[k].d);
  else if (cap_starts_file(&j->from)) CAP_TRY(follow_stored(j, k, error));
  else if (j->from.type) CAP_TRY(follow_coarse(j, k, plan, error));
  cap_data_start_audit(j->made[k].m, j->made[k].d);
  return CAP_OK;
}

/* How many samples there will be is not known. */
static cap_status watch_point(cap_run *run, const cap_stationary_spec *keys, double every,
                              cap_observers *observers)
{
  const cap_observer_plan plan = {.start = *run->data->t, .until = INFINITY, .every = every};
  return cap_observers_create(observers, "stationary", keys, run, &plan);
}

/* From the start of its model, or from where `before` ended when that fits. */
static cap_status run_from(job *j, int k, const cap_stationary_made *before, bool own, cap_error *error)
{
  cap_stationary_made *now = &j->made[k];
  cap_channels channels = {0};
  sight s = {.run = *j->run, .observers = &now->observers};
  s.run.model = now->m, s.run.data = now->d, s.run.error = error;
  cap_status status = select_same(j, now->m, &channels, error);
  if (status == CAP_OK) {
    cap_stationary_point_plan plan = plan_of(j, now);
    plan.see = see, plan.see_self = &s;
    if (!(plan.turn > 0.0))
      status = cap_status_fail(error, CAP_ERR_INPUT,
                               "stationary.turn: nothing rotates here; expected a time such as \"50 ms\"");
    if (status == CAP_OK) status = begin(j, k, before, own, &plan, error);
    if (status == CAP_OK) status = watch_point(&s.run, now->spec, plan.every, &now->observers);
    if (status == CAP_OK)
      status = cap_stationary_point_run(&plan, now->m, now->d, &channels, j->run->progress, &j->points[k],
                                        error);
  }
  cap_channels_free(&channels);
  return status;
}

/* Macro slip after a start that was not its own may come of that start: it counts when its own leads there
 * too. */
static cap_status run_point(job *j, int k, const cap_stationary_made *before, cap_error *error)
{
  CAP_TRY(run_from(j, k, before, false, error));
  if (j->points[k].end != CAP_STATIONARY_SLIPS || j->start[k] < CAP_STATIONARY_COARSE) return CAP_OK;
  char name[256];
  cap_stationary_name(j, k, name, sizeof name);
  cap_progress_note(j->run->progress,
                    "stationary: %s: slips from that state; repeated from its own initial state", name);
  cap_stationary_point_free(&j->points[k]);
  cap_observers_free(&j->made[k].observers);
  return run_from(j, k, NULL, true, error);
}

static cap_status rebuild(job *j, int k, const cap_model *like, cap_stationary_made *now, cap_error *error)
{
  const spec *s = j->spec;
  cap_run run = *j->run;
  run.error = error;
  run.like = like;
  if (s->over.path) return run.rebuild(&run, 1, &s->over.path, 1, &s->over.values.v[k], &now->m);
  const cap_stationary_case *c = case_of(s, k);
  const void *theirs = s;
  CAP_TRY(run.rebuild_set(&run, c->set.n, c->set.v, s, &theirs, &now->m));
  now->spec = theirs;
  return CAP_OK;
}

/* A model that cannot be built is a result of its point, as is a run that cannot be computed. */
static cap_status note_failure(job *j, int k, cap_status status, const cap_error *error)
{
  if (status == CAP_OK || status == CAP_STOPPED || status == CAP_ERR_NOMEM) return status;
  if (strncmp(error->text, "stationary.from", 15) == 0) return status; /* what was asked for is not there */
  j->points[k].end = CAP_STATIONARY_FAILED;
  snprintf(j->points[k].why, sizeof j->points[k].why, "%s", error->text);
  return CAP_OK;
}

/* ---- points one after another, or side by side --------------------------------------------------------- */

static void drop(cap_stationary_made *a)
{
  cap_observers_free(&a->observers);
  if (!a->shared) {
    cap_data_free(a->d);
    cap_model_free(a->m);
  }
  *a = (cap_stationary_made){0};
}

/* Points go on from one to the next. */
static bool in_turn(const job *j)
{
  return j->spec->over.path || (j->spec->cases.n && !j->spec->fresh);
}

/* After macro slip or a failure the next one starts afresh. */
static bool goes_on(const cap_stationary_point *p)
{
  return p->end != CAP_STATIONARY_SLIPS && p->end != CAP_STATIONARY_FAILED;
}

static const cap_stationary_made *neighbour(const job *j, int k)
{
  return in_turn(j) && k > 0 && goes_on(&j->points[k - 1]) ? &j->made[k - 1] : NULL;
}

/* Model and data of a point. */
static cap_status make(job *j, int k, cap_error *error)
{
  cap_stationary_made *now = &j->made[k];
  const cap_stationary_made *before = neighbour(j, k);
  if (!j->spec->over.path && !j->spec->cases.n) {
    *now = (cap_stationary_made){.m = j->run->model, .d = j->run->data, .shared = true, .spec = j->spec};
    return CAP_OK;
  }
  now->spec = j->spec;
  CAP_TRY(rebuild(j, k, before ? before->m : NULL, now, error));
  now->d = cap_data_create(now->m);
  return now->d ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status one(job *j, int k, cap_error *error)
{
  cap_status status = make(j, k, error);
  if (status == CAP_OK) status = run_point(j, k, neighbour(j, k), error);
  CAP_TRY(note_failure(j, k, status, error));
  CAP_TRY(cap_stationary_keep_point(j, k, error));
  cap_stationary_output_note(j, k);
  return CAP_OK;
}

static cap_status one_of_the_rest(void *self, int k, cap_error *error)
{
  job *j = self;
  return one(j, j->first + k, error);
}

static cap_status the_rest(job *j)
{
  cap_run *run = j->run;
  cap_status status = CAP_OK;
  if (!in_turn(j))
    return cap_parallel_for(j->npoint - j->first, run->threads, one_of_the_rest, j, run->error);
  for (int k = j->first; k < j->npoint && status == CAP_OK; k++) {
    cap_error error = {0};
    status = one(j, k, &error);
    if (status != CAP_OK) *run->error = error;
    else cap_progress_report(run->progress, "stationary", k + 1, j->npoint, "points");
  }
  return status;
}

/* Points that were finished before a run was interrupted: the same models, and what was kept of them. */
static cap_status take_up(job *j)
{
  int n = cap_stationary_keep_count(j);
  for (int k = 0; k < n; k++) {
    cap_stationary_made *now = &j->made[k];
    if (cap_stationary_keep_end(j, k) != CAP_STATIONARY_FAILED) {
      cap_run run = *j->run;
      CAP_TRY(make(j, k, run.error));
      run.model = now->m, run.data = now->d;
      double every = turn_of(now->spec, now->m) / now->spec->samples;
      CAP_TRY(cap_stationary_point_create(now->m, now->d, j->channels.n, &j->points[k], run.error));
      CAP_TRY(watch_point(&run, now->spec, every, &now->observers));
    }
    CAP_TRY(cap_stationary_keep_fill(j, k));
  }
  j->first = n;
  if (n && n < j->npoint)
    cap_progress_note(j->run->progress, "stationary: resumed after %d of %d points", n, j->npoint);
  return CAP_OK;
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

/* What to watch when nobody says; NULL: that is not known. */
static const cap_stationary_figure *watched_by_itself(const cap_model *m)
{
  const cap_stationary_subject *subject = m->subject.type->stationary;
  return subject ? subject->watched : NULL;
}

/* What a system asks of a channel; NULL: nothing. */
static const cap_stationary_figure *figure_named(const cap_model *m, const char *name)
{
  for (const cap_stationary_figure *f = watched_by_itself(m); f && f->name; f++)
    if (strcmp(name, f->name) == 0) return f;
  return NULL;
}

static bool watched(const cap_texts *patterns, const cap_model *m, const char *name)
{
  for (int p = 0; p < patterns->n; p++)
    if (cap_names_fit(patterns->v[p], name)) return true;
  return !patterns->n && figure_named(m, name);
}

static cap_status choose_watched(job *j)
{
  const cap_model *m = j->run->model;
  const cap_stationary_subject *subject = m->subject.type->stationary;
  j->shifts = -1;
  j->watch = calloc((size_t)j->channels.n + 1, sizeof *j->watch);
  j->figure = calloc((size_t)j->channels.n + 1, sizeof *j->figure);
  if (!j->watch || !j->figure) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int c = 0; c < j->channels.n; c++) {
    const char *name = j->channels.columns[c].name;
    const cap_stationary_figure *asked = figure_named(m, name);
    if (!watched(&j->spec->watch, m, name)) continue;
    if (subject && subject->shifts && strcmp(name, subject->shifts) == 0) j->shifts = j->nwatch;
    j->figure[j->nwatch] = asked ? *asked : (cap_stationary_figure){.name = name, .share = 1.0};
    j->watch[j->nwatch++] = c;
  }
  if (j->nwatch) return CAP_OK;
  return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                         "stationary.watch: none of the watched channels is recorded; expected at least one "
                         "of them in outputs.channels");
}

void cap_stationary_name(const job *j, int k, char *name, size_t size)
{
  const spec *s = j->spec;
  if (s->cases.n) snprintf(name, size, "%s", case_of(s, k)->name);
  else if (s->over.path)
    snprintf(name, size, "%s = %.6g%s%s", s->over.path, s->over.values.v[k], *s->over.target->unit ? " " : "",
             s->over.target->unit);
  else snprintf(name, size, "this model");
}

/* States to start from, before anything is computed. */
static cap_status load_stored(job *j)
{
  const spec *s = j->spec;
  int n = s->cases.n ? j->npoint : 1;
  cap_error why = {0};
  for (int k = 0; cap_starts_file(&j->from) && k < n; k++) {
    char group[256];
    cap_stationary_output_group(j, k, group, sizeof group);
    cap_status status = j->from.type->load(j->from.keys, j->run, group, &j->stored[k], &why);
    if (status != CAP_OK) return cap_status_fail(j->run->error, status, "stationary.from.file: %s", why.text);
  }
  return CAP_OK;
}

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  bool found = false, finished = false;
  CAP_TRY(cap_stationary_output_columns(j));
  CAP_TRY(run->sink->restore(run->sink, 0, NULL, &found, &finished));
  if (found) CAP_TRY(take_up(j));
  if (!finished) {
    CAP_TRY(the_rest(j));
    CAP_TRY(cap_stationary_output(j));
  }
  CAP_TRY(run->sink->close(run->sink));
  return cap_stationary_output_groups(j);
}

static cap_status stationary(cap_run *run, const void *self)
{
  job j = {
      .run = run, .spec = self, .from = cap_starts_of("stationary", self), .lock = PTHREAD_MUTEX_INITIALIZER};
  const spec *s = self;
  j.npoint = s->over.path ? s->over.values.n : s->cases.n ? s->cases.n : 1;
  j.points = calloc((size_t)j.npoint, sizeof *j.points);
  j.made = calloc((size_t)j.npoint, sizeof *j.made);
  j.start = calloc((size_t)j.npoint, sizeof *j.start);
  j.stored = calloc((size_t)j.npoint, sizeof *j.stored);
  j.done = calloc((size_t)j.npoint, sizeof *j.done);
  cap_status status = j.points && j.made && j.start && j.stored && j.done
                          ? CAP_OK
                          : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = cap_channels_select(&j.channels, run->model, &run->outputs->channels, run->error);
  if (status == CAP_OK) status = choose_watched(&j);
  if (status == CAP_OK) status = load_stored(&j);
  if (status == CAP_OK) status = run->sink->open(run->sink, "stationary", "stationary", "stationary points");
  if (status == CAP_OK) status = compute(&j);
  for (int k = 0; j.points && k < j.npoint; k++) cap_stationary_point_free(&j.points[k]);
  for (int k = 0; j.made && k < j.npoint; k++) drop(&j.made[k]);
  free(j.made);
  free(j.points);
  for (int k = 0; j.from.type && j.stored && k < j.npoint; k++) j.from.type->release(j.stored[k]);
  free(j.stored);
  free(j.start);
  free(j.done);
  free(j.watch);
  free(j.figure);
  cap_channels_free(&j.channels);
  return status;
}

/* Keys that are the same for all points. */
static bool of_all_points(const char *key)
{
  static const char *const keys[] = {"cases", "continue", "watch", "from", "fresh"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    size_t n = strlen(keys[k]);
    if (strncmp(key, keys[k], n) == 0 && strchr(".[=", key[n])) return true;
  }
  return false;
}

/* Settings of a case that would change nothing. */
static void check_set(const spec *s, int c, const char *path, cap_diag *diag)
{
  char key[512];
  size_t n = strlen(path);
  for (int k = 0; k < case_of(s, c)->set.n; k++) {
    const char *set = case_of(s, c)->set.v[k];
    bool own = strncmp(set, path, n) == 0 && set[n] == '.';
    snprintf(key, sizeof key, "%s.cases[%d].set[%d]", path, c, k);
    if (own && of_all_points(set + n + 1))
      cap_diag_at(diag, key,
                  "a key of all points; expected a key of the model or one that each point has for itself "
                  "(lead, average, until, error, step), got \"%s\"",
                  set);
    else if (!own && (strncmp(set, "analyses", 8) == 0 || strncmp(set, "outputs.", 8) == 0))
      cap_diag_at(diag, key, "has no effect in a case; expected a key of the model or of %s, got \"%s\"",
                  path, set);
  }
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const spec *s = self;
  char key[512];
  (void)time; /* when it ends is not known */
  cap_stepping_check_keys(&s->stepping, m, path, diag);
  const cap_stepper_type *type = cap_stepping_of(&s->stepping, m);
  const cap_stepper_settings settings = {.step = cap_stepping_step(&s->stepping, type),
                                         .substeps = s->stepping.substeps};
  cap_stepping_check_count(type, &settings, m, s->until * turn_of(s, m), path, diag);
  if (s->over.path && s->cases.n)
    cap_diag_at(diag, path, "continue and cases exclude each other; expected only one of them");
  for (int c = 0; c < s->cases.n; c++) check_set(s, c, path, diag);
  cap_starts_check("stationary", s, m, path, diag);
  snprintf(key, sizeof key, "%s.watch", path);
  if (!s->watch.n && !watched_by_itself(m))
    cap_diag_at(diag, key, "missing; expected the channels by which this drive is judged stationary");
  for (int p = 0; p < s->watch.n; p++) {
    bool used = false;
    for (int c = 0; c < m->nchannel; c++)
      used = used || cap_names_fit(s->watch.v[p], m->channels[c].column.name);
    if (!used)
      cap_diag_at(diag, key, "unknown channel; expected channels of this model, got \"%s\"", s->watch.v[p]);
  }
  snprintf(key, sizeof key, "%s.turn", path);
  if (!(turn_of(s, m) > 0.0))
    cap_diag_at(diag, key, "missing, since this drive has no period; expected a time such as \"50 ms\"");
  snprintf(key, sizeof key, "%s.average", path);
  if (s->samples * s->average < CAPM_SERIES_LEAST)
    cap_diag_at(
        diag, key,
        "too few samples for a standard error; expected at least %d, got %.3g turns with %d samples each",
        CAPM_SERIES_LEAST, s->average, s->samples);
}

static void plan(const cap_model *m, const void *self, const cap_outputs *outputs, double time,
                 cap_summary *summary)
{
  const spec *s = self;
  const cap_stepper_type *type = cap_stepping_of(&s->stepping, m);
  const cap_stepper_settings settings = {.step = cap_stepping_step(&s->stepping, type),
                                         .substeps = s->stepping.substeps};
  double turn = turn_of(s, m);
  (void)outputs, (void)time;
  cap_summary_number(summary, "points", "", s->over.path ? s->over.values.n : s->cases.n ? s->cases.n : 1);
  if (!(turn > 0.0)) return;
  cap_summary_number(summary, "turn", "ms", turn);
  cap_summary_number(summary, "shortest duration of a point", "s", (s->lead + s->average) * turn);
  cap_summary_number(summary, "longest duration of a point", "s", s->until * turn);
  cap_stepping_plan(type, &settings, m, turn, turn / s->samples, "turn", summary);
}

static const cap_texts *settings(const void *self, int k, char *key, size_t size)
{
  const spec *s = self;
  if (k >= s->cases.n) return NULL;
  snprintf(key, size, "cases[%d].set", k);
  return &case_of(s, k)->set;
}

static const char *const beside[] = {"time",        "case",       "over.*",  "point",    "mean.*",  "error.*",
                                     "least.*",     "most.*",     "power.*", "figure.*", "point.*", "audit.*",
                                     "continuum.*", "distance.*", "film.*",  NULL};

const char cap_stationary_doc[] =
    "means of stationary points, reached by time integration; for cases, or along a parameter";

const cap_analysis cap_stationary_analysis = {
    .name = "stationary",
    .doc = cap_stationary_doc,
    .fields = cap_stationary_fields,
    .spec_size = sizeof(spec),
    .contacts = true,
    .beside = beside,
    .marched = true,
    .check = check,
    .settings = settings,
    .plan = plan,
    .run = stationary,
};
