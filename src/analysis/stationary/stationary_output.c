/* analysis/stationary/stationary_output.c — stationary points as arrays over the points, and the course of
 * the runs. */
#include "analysis/observe/audit.h"
#include "analysis/observe/film.h"
#include "analysis/stationary/stationary.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_stationary_job job;

static const char *const ends[] = {"stationary", "not stationary", "macro slip", "failed", "shifting"};
static const char *const after[] = {"after", "within", "from", "", "at the end of"};

void cap_stationary_output_note(const job *j, int k)
{
  const cap_stationary_point *p = &j->points[k];
  char name[256], text[512] = "";
  cap_stationary_name(j, k, name, sizeof name);
  if (p->end == CAP_STATIONARY_FAILED) {
    cap_progress_note(j->run->progress, "stationary: %s: failed: %s", name, p->why);
    return;
  }
  for (int w = 0; w < j->nwatch && w < 6; w++) {
    int c = j->watch[w];
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, ", %s = %.5g +- %.2g%s%s", j->channels.columns[c].name,
             p->mean[c], CAPM_SERIES_95 * p->error[c], strcmp(j->channels.columns[c].unit, "1") ? " " : "",
             strcmp(j->channels.columns[c].unit, "1") ? j->channels.columns[c].unit : "");
  }
  cap_progress_note(
      j->run->progress,
      "stationary: %s: %s %s %.2f turns%s%s%s%s; energy residual %.2g of the energy converted; %.3g "
      "s of processor time",
      name, ends[p->end], after[p->end], p->settled, *p->why ? " (" : "", p->why, *p->why ? ")" : "", text,
      p->passed > 0.0 ? fabs(p->residual) / p->passed : 0.0, p->seconds);
  if (p->is_held) cap_held_effort_warn(j->run->progress, name, p->held, p->steps);
}

/* ---- the course ---------------------------------------------------------------------------------------- */

cap_status cap_stationary_output_columns(job *j)
{
  int n = j->channels.n;
  cap_column *columns = calloc((size_t)n + 2, sizeof *columns);
  if (!columns) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  columns[0] = (cap_column){"time", "s", "time, all points in sequence"};
  columns[1] = (cap_column){"point", "1", "number of the point, from 0"};
  memcpy(columns + 2, j->channels.columns, (size_t)n * sizeof *columns);
  cap_status status = j->run->sink->columns(j->run->sink, n + 2, columns);
  free(columns);
  return status;
}

cap_status cap_stationary_output_course(job *j, int k)
{
  cap_stationary_point *p = &j->points[k];
  int n = j->channels.n;
  double *row = calloc((size_t)n + 2, sizeof *row), last = j->course;
  cap_status status = row ? CAP_OK : cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < p->nsample && status == CAP_OK; i++) {
    const double *s = p->samples + (size_t)i * (size_t)p->width;
    row[0] = last = j->course + (s[0] - p->start);
    row[1] = k;
    memcpy(row + 2, s + 1, sizeof *row * (size_t)n);
    status = j->run->sink->rows(j->run->sink, 1, row);
  }
  j->course = p->ended = last;
  free(row);
  return status;
}

/* ---- arrays over the points ---------------------------------------------------------------------------- */

typedef struct array {
  job *j;
  double *values; /* [npoint] scratch */
  char axis[256]; /* empty: none */
} array;

static cap_status put(const array *a, const char *prefix, const char *name, const char *unit,
                      const char *meaning)
{
  char full[256];
  int64_t dim = a->j->npoint;
  snprintf(full, sizeof full, "%s%s", prefix, name);
  return a->j->run->sink->array(a->j->run->sink, (cap_column){full, unit, meaning}, 1, &dim,
                                *a->axis ? a->axis : NULL, a->values);
}

static cap_status put_of_points(const cap_observer_points *points, cap_column column)
{
  return put(points->put_self, "", column.name, column.unit, column.long_name);
}

static cap_status put_channels(const array *a)
{
  static const char *const prefix[] = {"mean.", "error.", "least.", "most."};
  static const char *const what[] = {"mean", "standard error of the mean", "smallest value", "largest value"};
  job *j = a->j;
  for (int c = 0; c < j->channels.n; c++)
    for (int w = 0; w < 4; w++) {
      char meaning[256];
      const cap_column *column = &j->channels.columns[c];
      for (int k = 0; k < j->npoint; k++) {
        const cap_stationary_point *p = &j->points[k];
        const double *of[] = {p->mean, p->error, p->least, p->most};
        a->values[k] = of[w] ? of[w][c] : NAN;
      }
      snprintf(meaning, sizeof meaning, "%s: %s", what[w], column->long_name);
      CAP_TRY(put(a, prefix[w], column->name, column->unit, meaning));
    }
  return CAP_OK;
}

static double power_named(const cap_stationary_point *p, const char *name)
{
  for (int k = 0; k < p->nmech && p->end != CAP_STATIONARY_FAILED; k++)
    if (p->mechanism && p->mechanism[k] && strcmp(p->mechanism[k], name) == 0) return p->power[k];
  return NAN;
}

/* Mean powers by mechanism, those of the first point that was computed. */
static cap_status put_powers(const array *a)
{
  job *j = a->j;
  const cap_stationary_point *first = NULL;
  for (int k = 0; k < j->npoint && !first; k++)
    if (j->points[k].end != CAP_STATIONARY_FAILED) first = &j->points[k];
  for (int m = 0; first && m < first->nmech; m++) {
    for (int k = 0; k < j->npoint; k++) a->values[k] = power_named(&j->points[k], first->mechanism[m]);
    CAP_TRY(put(a, first->input[m] ? "power.in." : "power.lost.", first->mechanism[m], "W",
                first->input[m] ? "mean input power, from the energy audit"
                                : "mean dissipated power, from the energy audit"));
  }
  return CAP_OK;
}

static cap_status put_points(const array *a)
{
  enum { END, SETTLED, AVERAGED, RATE, WARM, STEPS, RESIDUAL, PASSED, NFIGURE };
  static const cap_column figures[] = {
      {"point.end", "1", "0: stationary, 1: not stationary, 2: macro slip, 3: failed, 4: shifting"},
      {"point.settled", "1", "number of turns until stationary, or until macro slip began"},
      {"point.averaged", "1", "number of turns over which the means are taken"},
      {"point.rate", "1/s", "rate at which a shifting point shifts"},
      {"point.warm", "1",
       "start: 0: own initial state, 1: final state of the previous point, 2: coarser belt, 3: file"},
      {"point.steps", "1", "number of time steps"},
      {"audit.residual", "W", "residual of the power balance"},
      {"audit.passed", "W", "total power converted"}};
  for (int f = 0; f < NFIGURE; f++) {
    for (int k = 0; k < a->j->npoint; k++) {
      const cap_stationary_point *p = &a->j->points[k];
      const double of[] = {p->end,         p->settled, p->averaged, p->rate,
                           a->j->start[k], p->steps,   p->residual, p->passed};
      bool none = p->end == CAP_STATIONARY_FAILED && f != END && f != WARM;
      a->values[k] = none ? NAN : of[f];
    }
    CAP_TRY(put(a, "", figures[f].name, figures[f].unit, figures[f].long_name));
  }
  return CAP_OK;
}

/* Iterations and residuals, where some point has set-valued contacts. */
static cap_status put_efforts(const array *a)
{
  bool any = false;
  for (int k = 0; k < a->j->npoint; k++) any = any || a->j->points[k].is_held;
  for (int f = 0; any && f < CAP_HELD_EFFORT_NFIGURE; f++) {
    for (int k = 0; k < a->j->npoint; k++)
      a->values[k] = a->j->points[k].is_held ? a->j->points[k].held[f] : NAN;
    CAP_TRY(put(a, "", cap_held_effort_columns[f].name, cap_held_effort_columns[f].unit,
                cap_held_effort_columns[f].long_name));
  }
  return CAP_OK;
}

/* Why points are not stationary, a line for each; nothing where all are. */
static cap_status put_reasons(const job *j)
{
  char reasons[16384] = "";
  bool any = false;
  for (int k = 0; k < j->npoint; k++) {
    size_t used = strlen(reasons);
    any = any || *j->points[k].why;
    snprintf(reasons + used, sizeof reasons - used, "%s%s", k ? "\n" : "", j->points[k].why);
  }
  return any ? j->run->sink->text(j->run->sink, "reasons", reasons) : CAP_OK;
}

/* What the points are along: the parameter, or their numbers, with the names of cases as a text. */
static cap_status put_axis(array *a)
{
  job *j = a->j;
  const cap_sweep *over = &j->spec->over;
  char names[8192] = "", name[256];
  for (int k = 0; k < j->npoint; k++) a->values[k] = over->path ? over->values.v[k] : k;
  CAP_TRY(put(a, over->path ? "over." : "", over->path ? over->path : "case",
              over->path ? over->target->unit : "1", over->path ? "parameter" : "number of the case"));
  snprintf(a->axis, sizeof a->axis, "%s%s", over->path ? "over." : "", over->path ? over->path : "case");
  for (int k = 0; k < j->npoint; k++) {
    size_t used = strlen(names);
    cap_stationary_name(j, k, name, sizeof name);
    snprintf(names + used, sizeof names - used, "%s%s", k ? "\n" : "", name);
  }
  CAP_TRY(j->run->sink->text(j->run->sink, "points", names));
  return put_reasons(j);
}

/* One criterion for a point: means begin where it was found stationary and last to its end. */
static void judge(job *j, int k)
{
  const cap_stationary_point *p = &j->points[k];
  double from = NAN;
  if (p->end == CAP_STATIONARY_REACHED) {
    double end = *j->made[k].d->t;
    from = p->start + (end - p->start) * p->settled / (p->settled + p->averaged);
  }
  cap_observers_judge(&j->made[k].observers, from);
}

/* Whoever watches several runs puts their figures side by side. */
static cap_status put_points_watched(const array *a)
{
  job *j = a->j;
  cap_run *runs = calloc((size_t)j->npoint + 1, sizeof *runs);
  void **self = calloc((size_t)j->npoint + 1, sizeof *self);
  char(*names)[CAP_OBSERVER_NAME] = calloc((size_t)j->npoint + 1, sizeof *names);
  cap_status status = runs && self && names ? CAP_OK
                                            : cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < j->npoint && status == CAP_OK; k++) {
    runs[k] = *j->run;
    runs[k].model = j->made[k].m, runs[k].data = j->made[k].d;
    cap_stationary_name(j, k, names[k], sizeof names[k]);
    if (j->points[k].end != CAP_STATIONARY_FAILED) judge(j, k);
  }
  cap_observer_points points = {.run = j->run,
                                .what = "stationary",
                                .n = j->npoint,
                                .self = self,
                                .runs = runs,
                                .names = (const char(*)[CAP_OBSERVER_NAME])names,
                                .put = put_of_points,
                                .values = a->values,
                                .put_self = (void *)a};
  for (const cap_observer_entry *entry = cap_registry_observers; entry->type && status == CAP_OK; entry++) {
    if (strcmp(entry->analysis, "stationary") || !entry->type->put_points) continue;
    for (int k = 0; k < j->npoint; k++)
      self[k] = j->points[k].end == CAP_STATIONARY_FAILED
                    ? NULL
                    : cap_observers_find(&j->made[k].observers, entry->type);
    status = entry->type->put_points(&points);
  }
  free(names);
  free(runs);
  free(self);
  return status;
}

/* ---- films --------------------------------------------------------------------------------------------- */

/* A film of one frame, where a point ended. */
static cap_status last_frame(job *j, int k, cap_film *film)
{
  cap_run run = *j->run;
  *film = (cap_film){0};
  if (j->points[k].end == CAP_STATIONARY_FAILED) return CAP_OK;
  run.model = j->made[k].m, run.data = j->made[k].d;
  CAP_TRY(cap_film_create(&run, 1, film));
  return cap_film_take_state(film, &run, 0);
}

/* Into frame k of the film of all points; those that failed, or are of another structure,
 * are not a number. */
static void enter(cap_film *film, int64_t k, double time, const cap_film *one)
{
  bool same = one->n == film->n && one->nfamily == film->nfamily;
  film->values[k] = time;
  for (int f = 0; same && f < film->nfamily; f++)
    same = strcmp(film->families[f].what.name, one->families[f].what.name) == 0 &&
           strcmp(film->families[f].members, one->families[f].members) == 0;
  for (int f = 0; f < film->nfamily; f++) {
    const cap_film_family *to = &film->families[f];
    for (int i = 0; i < to->n; i++)
      film->values[to->at + k * to->n + i] = same ? one->values[one->families[f].at + i] : NAN;
  }
}

/* One frame for each point, whatever number was asked for; of more points than anybody looks at, none. The
 * structure is that of the first one that could be computed. */
static cap_status put_film(job *j)
{
  enum { POINTS_MOST = 1000 };
  cap_run *run = j->run;
  cap_outputs outputs = *run->outputs;
  cap_run all = *run;
  cap_film film;
  int first = 0;
  while (first < j->npoint && j->points[first].end == CAP_STATIONARY_FAILED) first++;
  if (first == j->npoint || j->npoint > POINTS_MOST || (outputs.film_given && !outputs.film)) return CAP_OK;
  outputs.film_given = true;
  outputs.film = j->npoint;
  all.outputs = &outputs;
  all.model = j->made[first].m;
  cap_status status = cap_film_create(&all, j->npoint, &film);
  for (int k = 0; film.n && k < j->npoint && status == CAP_OK; k++) {
    cap_film one;
    status = last_frame(j, k, &one);
    if (status == CAP_OK) enter(&film, k, j->points[k].ended, &one);
    cap_film_free(&one);
  }
  if (status == CAP_OK) status = cap_film_put(&film, run);
  cap_film_free(&film);
  return status;
}

/* A point's own group has its frame, too. */
static cap_status put_frame(job *j, int k)
{
  cap_film one;
  cap_status status = last_frame(j, k, &one);
  if (status == CAP_OK) status = cap_film_put(&one, j->run);
  cap_film_free(&one);
  return status;
}

static double open_share(const cap_stationary_point *p)
{
  return p->end != CAP_STATIONARY_FAILED && p->passed > 0.0 ? fabs(p->residual) / p->passed : 0.0;
}

/* The balance of all points is that of the worst. */
static cap_status judge_balances(job *j)
{
  int worst = 0;
  char name[256], what[320];
  for (int k = 1; k < j->npoint; k++)
    if (!(open_share(&j->points[k]) <= open_share(&j->points[worst]))) worst = k;
  cap_stationary_name(j, worst, name, sizeof name);
  snprintf(what, sizeof what, "stationary: %s", name);
  return cap_audit_judge(j->run, what, open_share(&j->points[worst]));
}

cap_status cap_stationary_output(job *j)
{
  array a = {.j = j, .values = calloc((size_t)j->npoint + 1, sizeof(double))};
  if (!a.values) return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = put_axis(&a);
  if (status == CAP_OK) status = put_points(&a);
  if (status == CAP_OK) status = put_efforts(&a);
  if (status == CAP_OK) status = put_channels(&a);
  if (status == CAP_OK) status = put_powers(&a);
  if (status == CAP_OK) status = put_points_watched(&a);
  if (status == CAP_OK) status = put_film(j);
  if (status == CAP_OK) status = judge_balances(j);
  free(a.values);
  return status;
}

/* Names that the results have for themselves, or none. */
static bool is_reserved(const char *name)
{
  static const char *const reserved[] = {"", ".", "meta", "audit", "checkpoint"};
  for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
    if (strcmp(name, reserved[k]) == 0) return true;
  return false;
}

/* Letters, digits, points and signs of a name. */
void cap_stationary_output_group(const job *j, int k, char *name, size_t size)
{
  if (!j->spec->cases.n) {
    snprintf(name, size, "stationary.point");
    return;
  }
  cap_stationary_name(j, k, name, size);
  if (is_reserved(name)) snprintf(name, size, "case.%d", k + 1);
  for (char *c = name; *c; c++)
    if (!((*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z') || strchr("._+-", *c))) *c = '_';
}

cap_status cap_stationary_output_groups(job *j)
{
  for (int k = 0; k < j->npoint; k++) {
    cap_stationary_made *made = &j->made[k];
    if (!made->m || !cap_observers_have_group(&made->observers)) continue;
    if (j->points[k].end == CAP_STATIONARY_FAILED) continue;
    char group[256], title[256];
    cap_run run = *j->run;
    run.model = made->m, run.data = made->d;
    run.progress = j->npoint == 1 ? run.progress : NULL; /* one is told in full, many by their lines */
    cap_stationary_output_group(j, k, group, sizeof group);
    cap_stationary_name(j, k, title, sizeof title);
    bool found = false, finished = false;
    CAP_TRY(run.sink->open(run.sink, group, "point", title));
    CAP_TRY(run.sink->restore(run.sink, 0, NULL, &found, &finished));
    if (!finished) {
      judge(j, k);
      CAP_TRY(cap_observers_put(&made->observers, &run, "stationary"));
      CAP_TRY(cap_stationary_subject_put_state(&run));
      CAP_TRY(put_frame(j, k));
    }
    CAP_TRY(run.sink->close(run.sink));
  }
  return CAP_OK;
}
