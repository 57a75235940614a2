/* drives/accessory/analyses/belt_watch.c — see belt_watch.h. */
#include "drives/accessory/analyses/belt_watch.h"
#include "analysis/observe/channels.h"
#include "base/names.h"
#include "drives/accessory/belt/belt.h"
#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NSUM = 9 }; /* of a pulley and the span that leaves it */

typedef struct belt_watch {
  const cap_belt *belt;         /* NULL: nothing to watch */
  int *hub_x, *hub_y, *tension; /* [npulley] numbers of the channels */
  int *use, *slip;              /* the same, -1 where there are none */
  double *sums;                 /* [1 + npulley NSUM] rows so far; then of each pulley */
} belt_watch;

enum { /* of `sums` */
       HUB_SUM,
       HUB_CUBES,
       HUB_LEAST,
       HUB_MOST,
       TENSION_SUM,
       TENSION_LEAST,
       TENSION_MOST,
       SLIPS, /* rows with gross slip */
       SLIP_MOST
};

static int find(const cap_model *m, const char *kind, const char *of, const char *what)
{
  char name[300];
  snprintf(name, sizeof name, "%s.%s.%s", kind, of, what);
  for (int c = 0; c < m->nchannel; c++)
    if (cap_names_is(m->channels[c].column.name, name)) return c;
  return -1;
}

static bool find_all(belt_watch *w, const cap_model *m)
{
  for (int i = 0; i < cap_belt_of(m)->npulley; i++) {
    const char *name = cap_belt_of(m)->pulleys[i].name;
    w->hub_x[i] = find(m, "pulley", name, "hub_x");
    w->hub_y[i] = find(m, "pulley", name, "hub_y");
    w->tension[i] = find(m, "span", name, "tension");
    w->use[i] = find(m, "pulley", name, "friction_use");
    w->slip[i] = find(m, "pulley", name, "slip");
    if (w->hub_x[i] < 0 || w->hub_y[i] < 0 || w->tension[i] < 0) return false;
  }
  return true;
}

static double *sums_of(const belt_watch *w, int pulley)
{
  return w->sums + 1 + pulley * NSUM;
}

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  belt_watch *w = self;
  (void)plan;
  const cap_belt *belt = cap_belt_of(run->model);
  if (!belt) return CAP_OK;
  size_t n = (size_t)belt->npulley;
  w->hub_x = calloc(n, sizeof *w->hub_x);
  w->hub_y = calloc(n, sizeof *w->hub_y);
  w->tension = calloc(n, sizeof *w->tension);
  w->use = calloc(n, sizeof *w->use);
  w->slip = calloc(n, sizeof *w->slip);
  w->sums = calloc(1 + n * NSUM, sizeof *w->sums);
  if (!w->hub_x || !w->hub_y || !w->tension || !w->use || !w->slip || !w->sums)
    return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (!find_all(w, run->model)) return CAP_OK;
  w->belt = belt;
  for (int i = 0; i < belt->npulley; i++) sums_of(w, i)[HUB_LEAST] = sums_of(w, i)[TENSION_LEAST] = INFINITY;
  for (int i = 0; i < belt->npulley; i++) sums_of(w, i)[TENSION_MOST] = -INFINITY;
  return CAP_OK;
}

static void destroy(void *self)
{
  belt_watch *w = self;
  free(w->hub_x);
  free(w->hub_y);
  free(w->tension);
  free(w->use);
  free(w->slip);
  free(w->sums);
}

static int views_of(const void *self, cap_view *views)
{
  const belt_watch *w = self;
  if (!w->belt) return 0;
  int64_t count = 1 + w->belt->npulley * NSUM;
  views[0] = (cap_view){"watch", "1", "sums of hub loads and tensions", false, count, w->sums};
  return 1;
}

static void take_slip(const belt_watch *w, const cap_run *run, const double *force, int i)
{
  const cap_model *m = run->model;
  const cap_data *d = run->data;
  double *sums = sums_of(w, i);
  if (w->use[i] < 0 || w->slip[i] < 0) return;
  double slip = fabs(cap_model_channel(&m->channels[w->slip[i]], 0, 1, d->q, d->v, d->x, force));
  if (!(slip > 0.0)) return;
  sums[SLIPS] += 1.0;
  sums[SLIP_MOST] = fmax(sums[SLIP_MOST], slip);
}

static cap_status take(void *self, const cap_run *run, int64_t row, const double *force)
{
  const belt_watch *w = self;
  (void)row;
  const cap_model *m = run->model;
  const cap_data *d = run->data;
  if (!w->belt) return CAP_OK;
  w->sums[0] += 1.0;
  for (int i = 0; i < w->belt->npulley; i++) {
    double *sums = sums_of(w, i);
    double x = cap_model_channel(&m->channels[w->hub_x[i]], 0, 1, d->q, d->v, d->x, force);
    double y = cap_model_channel(&m->channels[w->hub_y[i]], 0, 1, d->q, d->v, d->x, force);
    double t = cap_model_channel(&m->channels[w->tension[i]], 0, 1, d->q, d->v, d->x, force);
    double load = hypot(x, y);
    sums[HUB_SUM] += load;
    sums[HUB_CUBES] += load * load * load;
    sums[HUB_LEAST] = fmin(sums[HUB_LEAST], load);
    sums[HUB_MOST] = fmax(sums[HUB_MOST], load);
    sums[TENSION_SUM] += t;
    sums[TENSION_LEAST] = fmin(sums[TENSION_LEAST], t);
    sums[TENSION_MOST] = fmax(sums[TENSION_MOST], t);
    take_slip(w, run, force, i);
  }
  return CAP_OK;
}

/* ---- results ------------------------------------------------------------------------------------------- */

static double over(double allowed, double load)
{
  return allowed > 0.0 ? allowed / load : NAN;
}

#define ARRAYS(X)                                                                                            \
  X("watch.hub_least", "N", "smallest hub load of each pulley", s[HUB_LEAST])                                \
  X("watch.hub_mean", "N", "mean hub load", s[HUB_SUM] / rows)                                               \
  X("watch.hub_most", "N", "largest hub load", s[HUB_MOST])                                                  \
  X("watch.hub_equivalent", "N", "cubic mean hub load", cbrt(s[HUB_CUBES] / rows))                           \
  X("watch.static_safety", "1", "static bearing safety: permissible peak load (or C0) / largest hub load",   \
    over(b->static_load > 0.0 ? b->static_load : b->C0, s[HUB_MOST]))                                        \
  X("watch.dynamic_safety", "1",                                                                             \
    "dynamic bearing safety: permissible continuous load (or C) / cubic mean hub load",                      \
    over(b->dynamic_load > 0.0 ? b->dynamic_load : b->C, cbrt(s[HUB_CUBES] / rows)))                         \
  X("watch.tension_least", "N", "smallest tension of the span after each pulley", s[TENSION_LEAST])          \
  X("watch.tension_mean", "N", "mean tension", s[TENSION_SUM] / rows)                                        \
  X("watch.tension_most", "N", "largest tension", s[TENSION_MOST])                                           \
  X("watch.slipping", "1", "share of the output rows in which the belt slips grossly on each pulley",        \
    w->use[i] < 0 ? NAN : s[SLIPS] / rows)                                                                   \
  X("watch.slip_most", "m/s", "largest gross slip velocity", w->use[i] < 0 ? NAN : s[SLIP_MOST])

#define PUT(name, unit, text, value)                                                                         \
  for (int i = 0; i < n; i++) {                                                                              \
    const double *s = sums_of(w, i);                                                                         \
    const cap_belt_bearing *b = &w->belt->pulleys[i].bearing;                                                \
    (void)b;                                                                                                 \
    values[i] = (value);                                                                                     \
  }                                                                                                          \
  CAP_TRY(sink->array(sink, (cap_column){name, unit, text}, 1, &n, NULL, values));

static cap_status put_arrays(const belt_watch *w, cap_sink *sink, double *values)
{
  int64_t n = w->belt->npulley;
  double rows = w->sums[0];
  ARRAYS(PUT)
  return CAP_OK;
}

static void tell(const belt_watch *w, cap_run *run)
{
  int worst = 0;
  double rows = w->sums[0], most = 0.0;
  for (int i = 0; i < w->belt->npulley; i++) {
    const double *s = sums_of(w, i);
    if (s[HUB_MOST] * rows <= most * s[HUB_SUM]) continue;
    most = s[HUB_MOST] * rows / s[HUB_SUM];
    worst = i;
  }
  cap_progress_note(run->progress, "transient: hub loads reach %.3g times their mean, on %s (%.0f N)", most,
                    w->belt->pulleys[worst].name, sums_of(w, worst)[HUB_MOST]);
}

static void tell_slip(const belt_watch *w, cap_run *run)
{
  for (int i = 0; i < w->belt->npulley; i++) {
    const double *s = sums_of(w, i);
    if (s[SLIPS] > 0.0)
      cap_progress_note(run->progress,
                        "transient: gross slip on %s in %.3g %% of the output rows, up to %.3g m/s",
                        w->belt->pulleys[i].name, 100.0 * s[SLIPS] / w->sums[0], s[SLIP_MOST]);
  }
}

static cap_status put(void *self, cap_run *run, const char *what)
{
  const belt_watch *w = self;
  (void)what;
  if (!w->belt || !(w->sums[0] > 0.0)) return CAP_OK;
  double *values = calloc((size_t)w->belt->npulley, sizeof *values);
  if (!values) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = put_arrays(w, run->sink, values);
  free(values);
  if (status == CAP_OK) tell(w, run);
  if (status == CAP_OK) tell_slip(w, run);
  return status;
}

const cap_observer_type cap_belt_watch_observer = {
    .name = "belt watch",
    .size = sizeof(belt_watch),
    .create = create,
    .take = take,
    .views = views_of,
    .put = put,
    .free = destroy,
};
