/* drives/pushbelt/observe/variator_watch.c — see variator_watch.h. What goes into the results is in
 * variator_output.c. */
#include "drives/pushbelt/observe/variator_watch.h"
#include "drives/pushbelt/continuum/variator_continuum_beside.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/observe/variator_coarse.h"
#include "drives/pushbelt/observe/variator_output.h"
#include "drives/pushbelt/observe/variator_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400, HISTORY_SLOTS = 600 };

static const char *const starts[] = {"turnaround", "stationary", NULL};

const cap_field cap_variator_watch_fields[] = {
    {.key = "average_elements",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_variator_watch_spec, average_elements),
     .fallback = "10",
     .low = 1,
     .high = 2000,
     .example = "10",
     .doc = "number of evenly spaced elements whose curves along the belt are averaged"},
    {.key = "average_from",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_variator_watch_spec, average_from),
     .choices = starts,
     .fallback = "stationary",
     .example = "turnaround",
     .doc =
         "interval of the means over time: the whole stationary part of the run, or the last turnaround of "
         "the belt, which it is anyway where the run is not stationary"},
    {.key = "histories",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_variator_watch_spec, histories),
     .fallback = "false",
     .example = "true",
     .doc = "store contact forces and positions of all elements over the last turnaround of the belt, as "
            "loads of a finite-element model of a pulley"},
    {.key = "reference_ratio",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, reference_ratio),
     .unit = "",
     .fallback = "0",
     .low = 0,
     .high = 10,
     .example = "2.36",
     .doc = "reference ratio of the slip: speed ratio without torque; 0: no slip is computed"},
    {.key = "bearing_torque",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, bearing_torque),
     .unit = "N m",
     .fallback = "0 N m",
     .low = 0,
     .high = INFINITY,
     .example = "0.1 N m",
     .doc = "friction torque of the bearings of each shaft, for the global efficiency"},
    {.key = "bearing_friction",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, bearing_friction),
     .unit = "m",
     .fallback = "0 m",
     .low = 0,
     .high = INFINITY,
     .example = "0.02 mm",
     .doc = "friction torque of the bearings per clamping force of the pulley, for the global efficiency"},
    {.key = "pump_power",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, pump_power),
     .unit = "W",
     .fallback = "0 W",
     .low = 0,
     .high = INFINITY,
     .example = "150 W",
     .doc = "power consumption of the hydraulics, for the global efficiency"},
    {.key = "pump_slope",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, pump_slope),
     .unit = "m/s",
     .fallback = "0 m/s",
     .low = 0,
     .high = INFINITY,
     .example = "0.01 m/s",
     .doc = "power consumption of the hydraulics per clamping force (the larger of both pulleys), for the "
            "global efficiency"},
    {.key = "pump_torque",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, pump_torque),
     .unit = "N m",
     .fallback = "0 N m",
     .low = 0,
     .high = INFINITY,
     .example = "0.5 N m",
     .doc = "torque of a pump driven by the primary, whose power is proportional to the speed, for the "
            "global efficiency"},
    {.key = "pump_stroke",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_variator_watch_spec, pump_stroke),
     .unit = "m",
     .fallback = "0 m",
     .low = 0,
     .high = INFINITY,
     .example = "0.05 mm",
     .doc = "pump torque per clamping force (the larger of both pulleys): pump displacement per radian over "
            "the piston area"},
    {0}};

/* Time in which the belt goes around, as the loads let expect. */
static double expected_revolution(const cap_variator *v)
{
  double length = cap_variator_geometry_stack(v);
  cap_variator_line line = cap_variator_geometry_line(length, v->centre_distance, v->load.ratio);
  double speed = fabs(v->load.speed) * line.r[CAP_VARIATOR_PRI];
  return isfinite(speed) && speed > 0.0 ? length / speed : NAN;
}

/* Works done on a pulley from outside. */
static double work_on(const cap_run *run, const char *pulley)
{
  const cap_model *m = run->model;
  double work = 0.0;
  for (int k = 0; k < m->nmech; k++)
    if (m->mechs[k].input && strncmp(m->mechs[k].name, pulley, strlen(pulley)) == 0)
      work += run->data->work[k];
  return work;
}

/* Works of all mechanisms, then sums: see cap_variator_probe_levels. */
static const double *levels_now(const cap_variator_watch *w, const cap_run *run)
{
  const cap_model *m = run->model;
  double scale, input = 0.0, lost = 0.0;
  int n = cap_data_balance(m, run->data, 0, w->lines, &scale);
  memcpy(w->levels, run->data->work, (size_t)m->nmech * sizeof(double));
  for (int k = 0; k < m->nmech; k++) *(m->mechs[k].input ? &input : &lost) += run->data->work[k];
  w->levels[w->level.input] = input;
  w->levels[w->level.lost] = lost;
  w->levels[w->level.residual] = w->lines[n - 1].energy;
  w->levels[w->level.integrator] = run->data->integrator[0];
  w->levels[w->level.power[CAP_VARIATOR_PRI]] = work_on(run, "primary");
  w->levels[w->level.power[CAP_VARIATOR_SEC]] = work_on(run, "secondary");
  cap_variator_probe_momenta(&w->level, cap_variator_of(m), run->data, w->levels);
  return w->levels;
}

static cap_status create_history(cap_variator_watch *w, double every, double revolution, cap_error *error)
{
  double rows = ceil(revolution / every) + 1.0;
  w->history_stride = (int)fmax(1.0, ceil(rows / HISTORY_SLOTS));
  int n = w->variator->simulated;
  return cap_variator_track_create(&w->history, n, n, (int)fmax(2.0, ceil(rows / w->history_stride)), error);
}

cap_status cap_variator_watch_create(cap_run *run, const cap_variator_watch_spec *spec, double every,
                                     cap_variator_watch *w)
{
  const cap_model *m = run->model;
  *w = (cap_variator_watch){.spec = spec};
  if (!cap_variator_probe_find(&w->probe, m)) return CAP_OK;
  double revolution = expected_revolution(cap_variator_of(m));
  if (isnan(revolution)) return CAP_OK; /* it stands still */
  w->level = cap_variator_probe_levels(&w->probe, m);
  w->levels = calloc((size_t)w->level.n, sizeof *w->levels);
  w->lines = calloc((size_t)m->nmech + 4, sizeof *w->lines);
  w->rows = calloc(1, sizeof *w->rows);
  if (!w->levels || !w->lines || !w->rows) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(cap_variator_sample_create(&w->sample, cap_variator_of(m)->simulated, cap_variator_of(m)->iota,
                                     run->error));
  CAP_TRY(cap_variator_record_create(&w->record, cap_variator_of(m)->simulated, spec->average_elements, every,
                                     revolution, w->level.n, run->error));
  w->variator = cap_variator_of(m);
  if (spec->histories) CAP_TRY(create_history(w, every, revolution, run->error));
  cap_variator_record_start(&w->record, *run->data->t, levels_now(w, run));
  return CAP_OK;
}

void cap_variator_watch_free(cap_variator_watch *w)
{
  cap_variator_sample_free(&w->sample);
  cap_variator_record_free(&w->record);
  cap_variator_track_free(&w->history);
  free(w->rows);
  free(w->levels);
  free(w->lines);
  *w = (cap_variator_watch){0};
}

int cap_variator_watch_views(const cap_variator_watch *w, cap_view views[CAP_VARIATOR_WATCH_VIEWS])
{
  int n = CAP_VARIATOR_RECORD_VIEWS;
  if (!w->variator) return 0;
  cap_variator_record_views(&w->record, views);
  views[n++] = (cap_view){"variator_rows", "1", "rows so far", false, 1, w->rows};
  if (w->spec->histories)
    views[n++] = (cap_view){
        "variator_history", "SI", "all elements over the last turnaround", false, w->history.count,
        w->history.state};
  return n;
}

/* A belt that has been shifted off its sheaves: the laws of contact go on, sheaves do not. */
static cap_status check_sheaves(const cap_variator *v, const cap_variator_sample *s, cap_error *error)
{
  static const char *const names[] = {"primary", "secondary"};
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    double sum = 0.0;
    int n = 0;
    for (int k = 0; k < s->n; k++)
      if (s->section[k] == 2.0 * p) sum += s->value[CAP_VARIATOR_RADIUS][k], n++;
    double radius = n ? sum / n + v->element.flank : v->inner;
    if (radius >= v->inner && radius <= v->outer) continue;
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "at t = %.4g s the belt leaves the sheaves of the %s; expected a running radius of the flanks from "
        "%.4g "
        "mm to %.4g mm, got %.4g mm; change clamping forces or duration so that the ratio stays in range",
        s->t, names[p], 1e3 * v->inner, 1e3 * v->outer, 1e3 * radius);
  }
  return CAP_OK;
}

cap_status cap_variator_watch_take(cap_variator_watch *w, const cap_run *run, const double *force)
{
  if (!w->variator) return CAP_OK;
  cap_variator_probe_take(&w->probe, run->data, force, &w->sample);
  if (w->spec->histories && (int64_t)*w->rows % w->history_stride == 0)
    cap_variator_track_take(&w->history, &w->sample);
  *w->rows += 1.0;
  if (cap_variator_record_take(&w->record, &w->sample))
    cap_variator_means_close(&w->record.means, w->sample.t, levels_now(w, run));
  return check_sheaves(w->variator, &w->sample, run->error);
}

/* Passes of the stationary part where it has all of them, else of the whole run. */
static cap_status make_curves(const cap_variator_watch *w, cap_run *run, double steady,
                              cap_variator_curves *curves, bool *run_up)
{
  double from = isfinite(steady) ? steady : -INFINITY;
  CAP_TRY(cap_variator_curves_make(curves, &w->record.track, from, POINTS, run->error));
  *run_up = !isfinite(from);
  if (cap_variator_curves_complete(curves) || !isfinite(from)) return CAP_OK;
  *run_up = true;
  cap_variator_curves_free(curves);
  return cap_variator_curves_make(curves, &w->record.track, -INFINITY, POINTS, run->error);
}

void cap_variator_watch_judge(cap_variator_watch *w, double steady)
{
  w->judged = true;
  w->steady = steady;
}

/* Curves and figures of what was taken so far. */
static cap_status make_all(cap_variator_watch *w, cap_run *run, cap_variator_curves *curves,
                           cap_variator_figures *found, bool *run_up)
{
  if (cap_variator_means_open(&w->record.means))
    cap_variator_means_close(&w->record.means, w->sample.t, levels_now(w, run));
  cap_variator_terms terms = {.reference_ratio = w->spec->reference_ratio,
                              .bearing_torque = w->spec->bearing_torque,
                              .bearing_friction = w->spec->bearing_friction,
                              .pump_power = w->spec->pump_power,
                              .pump_slope = w->spec->pump_slope,
                              .pump_torque = w->spec->pump_torque,
                              .pump_stroke = w->spec->pump_stroke,
                              .from_steady = w->judged || w->spec->average_from == 1};
  char why[sizeof found->why] = "";
  double steady = w->judged ? w->steady : cap_variator_figures_steady(&w->record, &w->level, why, sizeof why);
  CAP_TRY(make_curves(w, run, steady, curves, run_up));
  cap_variator_figures_make(found, w->variator, &w->record, curves, &w->level, &terms, steady);
  memcpy(found->why, why, sizeof why);
  found->value[CAP_VARIATOR_FIGURE_COORDINATES] = run->model->nv - run->model->nmotion;
  found->value[CAP_VARIATOR_FIGURE_CONTACTS] = cap_variator_geometry_places(w->variator);
  return CAP_OK;
}

cap_status cap_variator_watch_figures(cap_variator_watch *w, cap_run *run, cap_variator_figures *figures)
{
  cap_variator_curves curves = {0};
  bool run_up;
  for (int k = 0; k < CAP_VARIATOR_NFIGURE; k++) figures->value[k] = figures->error[k] = NAN;
  if (!w->variator || !(*w->rows > 1.0)) return CAP_OK;
  cap_status status = make_all(w, run, &curves, figures, &run_up);
  cap_variator_curves_free(&curves);
  return status;
}

/* Ratio of the ring's line as it runs, where radii are those of the centres of gravity. */
static double running_ratio(const cap_variator *v, const cap_variator_figures *f)
{
  double height = cap_variator_geometry_ring_height(v);
  return (f->scalar[CAP_VARIATOR_RADIUS_S].value + height) /
         (f->scalar[CAP_VARIATOR_RADIUS_P].value + height);
}

static double known(double applied, double carried)
{
  return isfinite(applied) ? applied : carried;
}

cap_status cap_variator_watch_beside(const cap_variator *v, const cap_variator_figures *figures,
                                     double *values, cap_error *why)
{
  const cap_variator_mean *mean = figures->scalar;
  cap_variator_continuum_seen seen = {
      .load = {.speed = mean[CAP_VARIATOR_OMEGA_P].value,
               .ratio = running_ratio(v, figures),
               .torque = known(mean[CAP_VARIATOR_TORQUE_S].value, mean[CAP_VARIATOR_MOMENT_S].value),
               .clamping = known(mean[CAP_VARIATOR_CLAMPING_S].value, mean[CAP_VARIATOR_FORCE_S].value)},
      .thrust_ratio = mean[CAP_VARIATOR_THRUST].value,
      .speed_ratio = mean[CAP_VARIATOR_RATIO].value,
      .efficiency = figures->value[CAP_VARIATOR_FIGURE_EFFICIENCY],
      .push = {mean[CAP_VARIATOR_PUSH_US].value, mean[CAP_VARIATOR_PUSH_LS].value},
      .ring = {mean[CAP_VARIATOR_TENSION_US].value, mean[CAP_VARIATOR_TENSION_LS].value}};
  return cap_variator_continuum_beside_values(v, &seen, values, why);
}

/* Into the results, and in words. */
static cap_status put_beside(const cap_variator_watch *w, cap_run *run, const char *what,
                             const cap_variator_figures *found)
{
  cap_error why = {0};
  double values[CAP_VARIATOR_CONTINUUM_BESIDE];
  cap_status status = cap_variator_watch_beside(w->variator, found, values, &why);
  if (status != CAP_OK) return cap_status_fail(run->error, status, "%s", why.text);
  cap_variator_output_tell_beside(run->progress, what, values, &why);
  return cap_variator_continuum_beside_put(values, &why, run->sink);
}

cap_status cap_variator_watch_put(cap_variator_watch *w, cap_run *run, const char *what,
                                  cap_variator_figures *figures)
{
  cap_variator_figures found;
  cap_variator_curves curves = {0};
  bool run_up;
  if (!w->variator || !(*w->rows > 1.0)) return CAP_OK;
  cap_status status = make_all(w, run, &curves, &found, &run_up);
  if (status == CAP_OK)
    status = cap_variator_output_put(run->sink, &found, &curves, &w->record.track,
                                     w->spec->histories ? &w->history : NULL, run->error);
  if (status == CAP_OK) status = cap_variator_coarse_put(w->variator, run->sink);
  if (status == CAP_OK) cap_variator_output_tell(run->progress, what, &found, &curves, run_up);
  if (status == CAP_OK) cap_variator_coarse_tell(w->variator, what, run->progress);
  if (status == CAP_OK) status = put_beside(w, run, what, &found);
  cap_variator_curves_free(&curves);
  if (status == CAP_OK && figures) *figures = found;
  return status;
}

/* ---- as an observer ------------------------------------------------------------------------------------ */

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  return cap_variator_watch_create(run, plan->keys, plan->every, self);
}

static cap_status take(void *self, const cap_run *run, int64_t row, const double *force)
{
  (void)row;
  return cap_variator_watch_take(self, run, force);
}

static int views_of(const void *self, cap_view *views)
{
  _Static_assert((int)CAP_VARIATOR_WATCH_VIEWS <= (int)CAP_OBSERVER_VIEWS, "room for its views");
  return cap_variator_watch_views(self, views);
}

static void resume(void *self, const cap_data *d)
{
  ((cap_variator_watch *)self)->sample.t = *d->t;
}

static cap_status put(void *self, cap_run *run, const char *what)
{
  return cap_variator_watch_put(self, run, what, NULL);
}

static void destroy(void *self)
{
  cap_variator_watch_free(self);
}

static void judge(void *self, double steady)
{
  cap_variator_watch_judge(self, steady);
}

static bool has_group(const void *self)
{
  return ((const cap_variator_watch *)self)->variator != NULL;
}

const cap_observer_type cap_variator_watch_observer = {
    .name = "variator observer",
    .size = sizeof(cap_variator_watch),
    .create = create,
    .take = take,
    .views = views_of,
    .resume = resume,
    .put = put,
    .free = destroy,
    .judge = judge,
    .has_group = has_group,
    .put_points = cap_variator_points_put,
};
