/* analysis/march.c — see march.h. */
#include "analysis/march.h"
#include "analysis/feed.h"
#include "analysis/stationary/starts.h"
#include "solve/nonsmooth.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cap_stepper_settings cap_march_settings(const cap_transient_spec *keys, const cap_stepper_type *type)
{
  double step = cap_stepping_step(&keys->stepping, type);
  /* its errors are limited, not its step */
  if (type->varies && keys->tolerance_given && !keys->stepping.step_given) step = 0.0;
  return (cap_stepper_settings){.step = step,
                                .substeps = keys->stepping.substeps,
                                .tolerance = keys->tolerance,
                                .audit = true,
                                .carry = true,
                                .solver = cap_nonsmooth_names[keys->solver],
                                .solver_tolerance = keys->tolerance_given ? keys->tolerance : 0.0,
                                .uncorrected = !keys->correction};
}

/* By itself a system settles only where it has not moved yet. */
double cap_march_settle_time(const cap_transient_spec *keys, const cap_model *m, double t)
{
  if (keys->settle_given) return keys->settle;
  return t <= m->t0 ? m->subject.settle : 0.0;
}

/* Run up to the start with the imposed motions as they were before it. The damping falls to 0 over the second
 * half. */
static cap_status settle(const cap_march *march)
{
  const cap_run *run = march->run;
  const cap_transient_spec *keys = march->keys;
  const cap_model *m = run->model;
  cap_data *d = run->data;
  double start = *d->t, time = cap_march_settle_time(keys, m, start);
  if (!(time > 0.0)) return CAP_OK;
  cap_stepper stepper;
  const cap_stepper_type *best = cap_stepper_best(m), *type = best->staggered ? best : &cap_leapfrog_type;
  cap_stepper_settings settings = {.step = cap_stepping_step(&keys->stepping, type),
                                   .substeps = keys->stepping.substeps,
                                   .relax = m->subject.relax,
                                   .relax_fade = 0.5 * time,
                                   .relax_until = start};
  CAP_TRY(cap_stepper_create(type, m, &settings, &stepper, run->error));
  *d->t = start - time;
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  cap_status status = cap_stepper_advance(&stepper, m, d, &start, NULL, run->error);
  cap_stepper_free(&stepper);
  if (status == CAP_OK)
    cap_progress_note(run->progress, "%s: settled for %.3g s before the start", march->what, time);
  return status;
}

/* Values of views, all of which have eight bytes. */
static size_t size_of(int n, const cap_view *views)
{
  size_t size = 0;
  for (int k = 0; k < n; k++) size += 8 * (size_t)views[k].count;
  return size;
}

static void gather(int n, const cap_view *views, void *to)
{
  char *at = to;
  for (int k = 0; k < n; k++) {
    size_t size = 8 * (size_t)views[k].count;
    if (size) memcpy(at, views[k].values, size);
    at += size;
  }
}

static void scatter(int n, const cap_view *views, const void *from)
{
  const char *at = from;
  for (int k = 0; k < n; k++) {
    size_t size = 8 * (size_t)views[k].count;
    if (size) memcpy(views[k].values, at, size);
    at += size;
  }
}

cap_status cap_march_open(cap_march *march, const char *what, cap_run *run, const cap_transient_spec *keys)
{
  *march = (cap_march){.run = run, .keys = keys, .what = what};
  if (run->feed) cap_feed_hold(run->feed, run->model, run->data);
  CAP_TRY(settle(march));
  if (run->feed) cap_feed_go(run->feed, run->model, run->data, true);
  march->start = *run->data->t;
  cap_data_start_audit(run->model, run->data);
  cap_data_start_impacts(run->model, run->data);
  const cap_stepper_type *type = cap_stepping_of(&keys->stepping, run->model);
  cap_stepper_settings settings = cap_march_settings(keys, type);
  CAP_TRY(cap_stepper_create(type, run->model, &settings, &march->stepper, run->error));
  cap_view views[CAP_STEPPER_NVIEW];
  march->before = cap_data_create(run->model);
  march->carried = calloc(1, size_of(cap_stepper_views(&march->stepper, views), views) + 1);
  if (march->before && march->carried) return CAP_OK;
  return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
}

int cap_march_views(const cap_march *march, cap_view views[CAP_MARCH_NVIEW])
{
  cap_data_views(march->run->model, march->run->data, views);
  return CAP_DATA_NVIEW + cap_stepper_views(&march->stepper, views + CAP_DATA_NVIEW);
}

size_t cap_march_size(const cap_march *march)
{
  cap_view views[CAP_MARCH_NVIEW];
  return size_of(cap_march_views(march, views), views);
}

void cap_march_store(const cap_march *march, void *to)
{
  cap_view views[CAP_MARCH_NVIEW];
  gather(cap_march_views(march, views), views, to);
}

void cap_march_restore(const cap_march *march, const void *from)
{
  cap_view views[CAP_MARCH_NVIEW];
  scatter(cap_march_views(march, views), views, from);
}

static cap_status start_stored(const cap_march *march, const cap_starts *start, cap_error *why)
{
  cap_run *run = march->run;
  void *state = NULL;
  cap_status status = start->type->load(start->keys, run, march->what, &state, why);
  if (status == CAP_OK) status = start->type->place(state, run->model, run->data, why);
  start->type->release(state);
  return status;
}

static cap_status start_coarse(const cap_march *march, const cap_starts *start, cap_error *why)
{
  cap_run *run = march->run;
  bool warm;
  cap_stationary_point_plan plan = cap_starts_plan(run->model);
  cap_start_goal goal = {.m = run->model, .d = run->data, .what = march->what};
  plan.type = march->stepper.type;
  plan.settings.step = cap_stepping_step(&march->keys->stepping, plan.type);
  plan.settings.substeps = march->keys->stepping.substeps;
  return start->type->approach(start->keys, run, &plan, &goal, &warm, why);
}

cap_status cap_march_begin(cap_march *march)
{
  cap_run *run = march->run;
  cap_starts start = cap_starts_of(march->what, march->keys);
  cap_error why = {0};
  if (!start.type) return CAP_OK;
  cap_status status = (cap_starts_file(&start) ? start_stored : start_coarse)(march, &start, &why);
  if (status != CAP_OK) return cap_status_fail(run->error, status, "%s.from: %s", march->what, why.text);
  cap_data_start_audit(run->model, run->data);
  return CAP_OK;
}

/* By way of all times at which inputs are set anew. Those at t itself are set by the next call, so that what
 * is seen at t is what led there. */
static cap_status advance(cap_march *march, double t)
{
  const cap_run *run = march->run;
  for (double next = -INFINITY; next < t;) {
    next = t;
    if (run->feed) {
      cap_feed_go(run->feed, run->model, run->data, false);
      next = fmin(t, cap_feed_next(run->feed, *run->data->t));
    }
    CAP_TRY(cap_stepper_advance(&march->stepper, run->model, run->data, &next, NULL, run->error));
  }
  return CAP_OK;
}

cap_status cap_march_to(cap_march *march, double t)
{
  const cap_run *run = march->run;
  cap_view views[CAP_STEPPER_NVIEW];
  int n = cap_stepper_views(&march->stepper, views);
  cap_data_copy(run->model, march->before, run->data);
  gather(n, views, march->carried);
  cap_status status = advance(march, t);
  if (status == CAP_OK) return CAP_OK;
  cap_data_copy(run->model, run->data, march->before);
  scatter(n, views, march->carried);
  return status;
}

void cap_march_close(cap_march *march)
{
  cap_data_free(march->before);
  free(march->carried);
  cap_stepper_free(&march->stepper);
  *march = (cap_march){0};
}
