/* drives/accessory/analyses/orders.c — see orders.h.
 *
 * One row a speed: every channel's mean, and amplitude and phase of each order as A sin(order psi + phase)
 * over the angle psi of the crank; then what the orders are together: the sum of the amplitudes, the smallest
 * and largest value over the turns after which all orders repeat. A speed without steady running (a slack
 * belt) has NaN in its row.
 */
#include "drives/accessory/analyses/orders.h"
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "drives/accessory/belt/belt.h"
#include "model/tangent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const frictions[] = {"stuck", "sliding", NULL};

static const cap_field order_fields[] = {{.key = "order",
                                          .kind = CAP_FIELD_REAL,
                                          .offset = offsetof(cap_orders_order, order),
                                          .unit = "",
                                          .required = true,
                                          .low = 0,
                                          .low_open = true,
                                          .high = 1000,
                                          .example = "2",
                                          .doc = "oscillations per crank revolution"},
                                         {.key = "amplitude",
                                          .kind = CAP_FIELD_REAL,
                                          .offset = offsetof(cap_orders_order, amplitude),
                                          .unit = "rad",
                                          .required = true,
                                          .low = 0,
                                          .high = INFINITY,
                                          .example = "1 deg",
                                          .doc = "amplitude of the crank angle"},
                                         {.key = "phase",
                                          .kind = CAP_FIELD_REAL,
                                          .offset = offsetof(cap_orders_order, phase),
                                          .unit = "rad",
                                          .fallback = "0 rad",
                                          .example = "0 rad",
                                          .doc = "phase of the sine at crank angle 0"},
                                         {0}};

const cap_field cap_orders_fields[] = {
    {.key = "speeds",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(cap_orders_spec, speeds),
     .unit = "rad/s",
     .required = true,
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .least = 1,
     .most = 100000,
     .increasing = true,
     .example = "{from: 600 rpm, to: 6000 rpm, count: 109}",
     .doc = "crank speeds, ascending"},
    {.key = "orders",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(cap_orders_spec, orders),
     .fields = order_fields,
     .item_size = sizeof(cap_orders_order),
     .most = CAP_ORDERS_MOST,
     .example = "[{order: 2, amplitude: 1 deg}]",
     .doc = "orders of the excitation; default: crank.orders"},
    {.key = "friction",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_orders_spec, friction),
     .choices = frictions,
     .fallback = "stuck",
     .example = "sliding",
     .doc = "linearisation of hysteretic laws: stuck (stiffness immediately after a reversal; Coulomb "
            "friction locked) or sliding"},
    {0}};

enum { SPEED, BELT_SPEED, BASE };                  /* columns before those of the channels */
enum { MEAN, SUM, SMALLEST, LARGEST, OF_CHANNEL }; /* of a channel, then amplitude and phase of each order */

typedef struct work {
  cap_run *run;
  const cap_orders_spec *s;
  cap_channels channels;
  int norder, ncolumn, samples;
  double turns; /* after which all orders repeat; 0: never */
  double order[CAP_ORDERS_MOST];
  cap_tangent *tangent;
  cap_data *d;
  double *y, *re, *im;              /* [nstate] steady running; response to one order */
  double *value[3], *cosine, *sine; /* [channels]; [channels][norder] */
  double *drive;                    /* [2][nmotion] deviation of the driven coordinates */
  double *row;
  cap_column *columns;
  double *highest;      /* [norder] largest amplitude of a force, */
  double *highest_at;   /* the speed */
  int *highest_channel; /* and the channel */
  double slack_at;      /* first speed where a span would go slack; 0: none */
  int slack_channel;
  bool any;
  cap_arena arena;
} work;

/* ---- orders -------------------------------------------------------------------------------------------- */

static const cap_belt_pulley *crank_of(const cap_model *m)
{
  const cap_belt *belt = cap_belt_of(m);
  return &belt->pulleys[belt->crank];
}

static const cap_motion *crank_motion(const cap_model *m)
{
  int rotation = crank_of(m)->rotation;
  return rotation < 0 || m->driven[rotation] < 0 ? NULL : &m->motions[m->driven[rotation]];
}

/* Amplitude and phase of order k of the crank at this speed. */
static void size_of(const work *w, const cap_model *m, int k, double *amplitude, double *phase)
{
  const cap_orders_order *given = w->s->orders.items;
  const cap_motion *motion = crank_motion(m);
  *amplitude = w->s->orders.n ? given[k].amplitude : motion->size[k];
  *phase = w->s->orders.n ? given[k].phase : motion->shift[k];
}

static void read_orders(work *w)
{
  enum { TURNS_MOST = 64 };
  const cap_orders_order *given = w->s->orders.items;
  const cap_motion *motion = crank_motion(w->run->model);
  double most = 0.0;
  w->norder = w->s->orders.n ? w->s->orders.n : motion->norder;
  for (int k = 0; k < w->norder; k++) {
    w->order[k] = w->s->orders.n ? given[k].order : motion->order[k];
    most = fmax(most, w->order[k]);
  }
  for (int turns = 1; turns <= TURNS_MOST && w->turns == 0.0; turns++) {
    bool all = true;
    for (int k = 0; k < w->norder; k++)
      all = all && fabs(w->order[k] * turns - round(w->order[k] * turns)) < 1e-9;
    if (all) w->turns = turns;
  }
  w->samples = (int)fmin(64.0 * ceil(most * w->turns), 65536.0);
}

/* ---- one speed ----------------------------------------------------------------------------------------- */

/* Steady running: the model's start, without what the orders add to the speed of the crank. */
static void set_steady(work *w, const cap_model *m)
{
  double t = m->t0, psi, v, a;
  const cap_motion *motion = crank_motion(m);
  memcpy(w->y, m->initial, sizeof(double) * (size_t)m->nstate);
  cap_model_drive(m, NULL, &t, w->y, w->y + m->nv, NULL);
  cap_motion_mean(motion, m->input_start, t, &psi, &v, &a);
  int crank = crank_of(m)->rotation;
  w->y[m->nv + crank] = v - m->base[crank];
}

/* Channels at steady running plus `step` times a deviation. */
static void values_at(work *w, const cap_model *m, double step, const double *deviation, double *values)
{
  for (int i = 0; i < m->nstate; i++) w->d->y[i] = w->y[i] + (step == 0.0 ? 0.0 : step * deviation[i]);
  *w->d->t = m->t0;
  cap_channels_values(&w->channels, m, w->d, values);
}

/* Derivative of the channels along a deviation, by central differences over a small part of it. */
static void slopes_along(work *w, const cap_model *m, const double *deviation, double *slope)
{
  double size = 0.0, *up = w->value[1], *down = w->value[2];
  for (int i = 0; i < m->nv; i++) size = fmax(size, fabs(deviation[i]));
  double step = size > 0.0 ? 1e-7 / size : 1.0;
  values_at(w, m, step, deviation, up);
  values_at(w, m, -step, deviation, down);
  for (int c = 0; c < w->channels.n; c++)
    slope[c * w->norder] = size > 0.0 ? (up[c] - down[c]) / (2.0 * step) : 0.0;
}

static cap_status respond(work *w, const cap_model *m, int k, double speed)
{
  double amplitude, phase, *dr = w->drive, *di = w->drive + m->nmotion;
  int crank = m->driven[crank_of(m)->rotation];
  size_of(w, m, k, &amplitude, &phase);
  dr[crank] = amplitude * sin(phase);
  di[crank] = -amplitude * cos(phase);
  CAP_TRY(cap_tangent_respond(w->tangent, w->order[k] * speed, dr, di, w->re, w->im, w->run->error));
  slopes_along(w, m, w->re, w->sine + k);
  slopes_along(w, m, w->im, w->cosine + k);
  /* Re((r + i j) exp(i angle)) = r cos - j sin */
  for (int c = 0; c < w->channels.n; c++) {
    double r = w->sine[c * w->norder + k], j = w->cosine[c * w->norder + k];
    w->cosine[c * w->norder + k] = r;
    w->sine[c * w->norder + k] = -j;
  }
  return CAP_OK;
}

/* Smallest and largest value of all orders of a channel together. */
static void find_range(const work *w, int c, double *low, double *high)
{
  const double *a = w->cosine + c * w->norder, *b = w->sine + c * w->norder;
  *low = INFINITY;
  *high = -INFINITY;
  for (int n = 0; n < w->samples; n++) {
    double psi = 2.0 * M_PI * w->turns * n / w->samples, sum = 0.0;
    for (int k = 0; k < w->norder; k++) sum += a[k] * cos(w->order[k] * psi) + b[k] * sin(w->order[k] * psi);
    *low = fmin(*low, sum);
    *high = fmax(*high, sum);
  }
}

static bool is_tension(const cap_column *c)
{
  const char *dot = strrchr(c->name, '.');
  return strncmp(c->name, "span.", 5) == 0 && dot && strcmp(dot, ".tension") == 0;
}

static void fill_channel(work *w, int c, double speed)
{
  double *to = w->row + BASE + c * (OF_CHANNEL + 2 * w->norder), sum = 0.0, low, high;
  const cap_column *column = &w->channels.columns[c];
  for (int k = 0; k < w->norder; k++) {
    double a = w->cosine[c * w->norder + k], b = w->sine[c * w->norder + k], amplitude = hypot(a, b);
    sum += amplitude;
    to[OF_CHANNEL + 2 * k] = amplitude;
    to[OF_CHANNEL + 2 * k + 1] = amplitude > 0.0 ? atan2(a, b) : 0.0;
    if (strcmp(column->unit, "N") != 0 || amplitude <= w->highest[k]) continue;
    w->highest[k] = amplitude;
    w->highest_at[k] = speed;
    w->highest_channel[k] = c;
  }
  low = -sum;
  high = sum;
  if (w->norder > 1 && w->turns > 0.0) find_range(w, c, &low, &high);
  to[MEAN] = w->value[0][c];
  to[SUM] = sum;
  to[SMALLEST] = to[MEAN] + low;
  to[LARGEST] = to[MEAN] + high;
  if (w->slack_at > 0.0 || !is_tension(column) || to[SMALLEST] > 0.0) return;
  w->slack_at = speed;
  w->slack_channel = c;
}

/* The start of the model must be its steady running, or there is nothing to linearise about. */
static cap_status check_steady(const work *w, const cap_model *m, double speed)
{
  double largest = 0.0;
  for (int k = 0; k < m->nelem; k++) largest = fmax(largest, fabs(w->tangent->force[k]));
  if (w->tangent->imbalance <= 1e-6 * largest) return CAP_OK;
  return cap_status_fail(w->run->error, CAP_ERR_UNSUPPORTED,
                         "orders: no steady running to linearise about at %.1f rpm; expected balanced "
                         "torques, got a residual of %.3g N m",
                         speed * 30.0 / M_PI, w->tangent->imbalance);
}

static cap_status fill_row(work *w, const cap_model *m, double speed)
{
  set_steady(w, m);
  if (fabs(cap_belt_of(m)->speed - speed) > 1e-9 * speed)
    return cap_status_fail(w->run->error, CAP_ERR_UNSUPPORTED,
                           "orders: the speed does not vary; expected the key crank.speed; set it");
  cap_tangent_at(w->tangent, m, m->t0, w->y, (cap_tangent_friction)w->s->friction);
  CAP_TRY(check_steady(w, m, speed));
  for (int k = 0; k < w->norder; k++) CAP_TRY(respond(w, m, k, speed));
  values_at(w, m, 0.0, NULL, w->value[0]);
  w->row[BELT_SPEED] = speed * crank_of(m)->radius;
  for (int c = 0; c < w->channels.n; c++) fill_channel(w, c, speed);
  w->any = true;
  return CAP_OK;
}

static cap_status add_speed(work *w, int k)
{
  const char *path = "crank.speed";
  double speed = w->s->speeds.v[k];
  cap_run *run = w->run;
  cap_model *m = NULL;
  for (int c = 0; c < w->ncolumn; c++) w->row[c] = NAN;
  w->row[SPEED] = speed;
  cap_status status = run->rebuild(run, 1, &path, 1, &speed, &m);
  if (status == CAP_OK) status = fill_row(w, m, speed);
  cap_model_free(m);
  if (status == CAP_ERR_INPUT) { /* no steady running at this speed, unless there is none at any */
    if (k + 1 == w->s->speeds.n && !w->any) return status;
    cap_progress_note(run->progress, "orders: at %.1f rpm %s", speed * 30.0 / M_PI, run->error->text);
    *run->error = (cap_error){0};
    status = CAP_OK;
  }
  return status == CAP_OK ? run->sink->rows(run->sink, 1, w->row) : status;
}

/* ---- results ------------------------------------------------------------------------------------------- */

static bool name_channel(work *w, int c)
{
  static const char *const names[OF_CHANNEL] = {"mean", "sum", "min", "max"};
  static const char *const texts[OF_CHANNEL] = {"mean", "sum of the amplitudes of all orders, of", "smallest",
                                                "largest"};
  const cap_column *own = &w->channels.columns[c];
  cap_column *to = w->columns + BASE + c * (OF_CHANNEL + 2 * w->norder);
  cap_arena *a = &w->arena;
  for (int q = 0; q < OF_CHANNEL; q++)
    to[q] = (cap_column){cap_arena_format(a, "%s.%s", own->name, names[q]), own->unit,
                         cap_arena_format(a, "%s %s", texts[q], own->long_name)};
  for (int k = 0; k < w->norder; k++) {
    to[OF_CHANNEL + 2 * k] = (cap_column){
        cap_arena_format(a, "%s.order.%g.amplitude", own->name, w->order[k]), own->unit,
        cap_arena_format(a, "amplitude of order %g of %s", w->order[k], own->long_name)};
    to[OF_CHANNEL + 2 * k + 1] = (cap_column){
        cap_arena_format(a, "%s.order.%g.phase", own->name, w->order[k]), "rad",
        cap_arena_format(a, "phase of order %g of %s", w->order[k], own->long_name)};
  }
  for (int q = 0; q < OF_CHANNEL + 2 * w->norder; q++)
    if (!to[q].name || !to[q].long_name) return false;
  return true;
}

static void tell(const work *w)
{
  const cap_progress *progress = w->run->progress;
  for (int k = 0; k < w->norder; k++)
    if (w->highest[k] > 0.0)
      cap_progress_note(progress, "orders: order %g has its largest effect on %s: %.1f N at %.0f rpm",
                        w->order[k], w->channels.columns[w->highest_channel[k]].name, w->highest[k],
                        w->highest_at[k] * 30.0 / M_PI);
  if (w->slack_at > 0.0)
    cap_progress_note(progress,
                      "orders: from %.0f rpm on, %s falls below 0: the span goes slack, and the linear "
                      "amplitudes are overestimated there",
                      w->slack_at * 30.0 / M_PI, w->channels.columns[w->slack_channel].name);
}

static cap_status put(work *w)
{
  cap_sink *sink = w->run->sink;
  bool found, finished;
  int64_t n = w->norder;
  CAP_TRY(sink->open(sink, "orders", "orders", "forced response to the crank orders"));
  CAP_TRY(sink->restore(sink, 0, NULL, &found, &finished));
  if (finished) return sink->close(sink);
  CAP_TRY(sink->text(sink, "friction", frictions[w->s->friction]));
  CAP_TRY(sink->columns(sink, w->ncolumn, w->columns));
  CAP_TRY(sink->array(sink, (cap_column){"order", "1", "crank orders"}, 1, &n, NULL, w->order));
  for (int k = 0; k < w->s->speeds.n; k++) {
    if (cap_progress_stopped(w->run->progress))
      return cap_status_fail(w->run->error, CAP_STOPPED, "interrupted");
    CAP_TRY(add_speed(w, k));
  }
  tell(w);
  return sink->close(sink);
}

static bool create(work *w)
{
  const cap_model *m = w->run->model;
  cap_arena *a = &w->arena;
  int n = w->channels.n;
  bool all = cap_tangent_create(m, &w->tangent) == CAP_OK && (w->d = cap_data_create(m)) != NULL;
  w->ncolumn = BASE + n * (OF_CHANNEL + 2 * w->norder);
  w->y = CAP_ARENA_NEW(a, double, m->nstate);
  w->re = CAP_ARENA_NEW(a, double, m->nstate);
  w->im = CAP_ARENA_NEW(a, double, m->nstate);
  for (int k = 0; k < 3; k++) all = (w->value[k] = CAP_ARENA_NEW(a, double, n)) && all;
  w->cosine = CAP_ARENA_NEW(a, double, n * w->norder);
  w->sine = CAP_ARENA_NEW(a, double, n * w->norder);
  w->drive = CAP_ARENA_NEW(a, double, 2 * m->nmotion);
  w->row = CAP_ARENA_NEW(a, double, w->ncolumn);
  w->columns = CAP_ARENA_NEW(a, cap_column, w->ncolumn);
  w->highest = CAP_ARENA_NEW(a, double, w->norder);
  w->highest_at = CAP_ARENA_NEW(a, double, w->norder);
  w->highest_channel = CAP_ARENA_NEW(a, int, w->norder);
  all = all && w->y && w->re && w->im && w->cosine && w->sine && w->drive && w->row && w->columns &&
        w->highest && w->highest_at && w->highest_channel;
  if (!all) return false;
  w->columns[SPEED] = (cap_column){"speed", "rad/s", "crank speed"};
  w->columns[BELT_SPEED] = (cap_column){"belt.speed", "m/s", "belt speed at the entry of the crank"};
  for (int c = 0; all && c < n; c++) all = name_channel(w, c);
  return all;
}

/* Why there is nothing to respond to; NULL: there is. */
static const char *obstacle(const cap_model *m, const cap_orders_spec *s)
{
  if (!cap_belt_of(m)) return "requires a belt drive; expected drive: accessory-drive";
  if (m->marches)
    return "a belt of segments has no steady state to linearise about; expected belt.model: springs, got "
           "segments";
  const cap_motion *motion = crank_motion(m);
  if (!motion) return "requires a prescribed crank rotation; expected crank.prescribed: true, got false";
  if (!s->orders.n && !motion->norder) return "expected orders here or in crank.orders, got none";
  return NULL;
}

static cap_status orders(cap_run *run, const void *self)
{
  const cap_orders_spec *s = self;
  const char *reason = run->model->ninertia
                           ? "not available for a model with a mass matrix that is not diagonal"
                           : obstacle(run->model, s);
  if (reason) return cap_status_fail(run->error, CAP_ERR_UNSUPPORTED, "orders: %s", reason);
  work w = {.run = run, .s = s};
  read_orders(&w);
  cap_status status = cap_channels_select(&w.channels, run->model, &run->outputs->channels, run->error);
  if (status == CAP_OK)
    status = create(&w) ? put(&w) : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  cap_tangent_free(w.tangent);
  cap_data_free(w.d);
  cap_channels_free(&w.channels);
  cap_arena_free(&w.arena);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time;
  const cap_orders_spec *s = self;
  const cap_orders_order *given = s->orders.items;
  const char *reason = obstacle(m, s);
  if (reason) cap_diag_at(diag, path, "%s", reason);
  for (int k = 1; k < s->orders.n; k++)
    for (int j = 0; j < k; j++) {
      if (given[j].order != given[k].order) continue;
      char key[512];
      snprintf(key, sizeof key, "%s.orders[%d].order", path, k);
      cap_diag_at(diag, key, "duplicate order; expected distinct orders, got %g twice", given[k].order);
    }
}

const char cap_orders_doc[] = "forced response of a belt drive to the orders of its crank vs crank speed";

const cap_analysis cap_orders_analysis = {
    .name = "orders",
    .doc = cap_orders_doc,
    .fields = cap_orders_fields,
    .spec_size = sizeof(cap_orders_spec),
    .check = check,
    .run = orders,
};
