/* drives/accessory/analyses/campbell.c — see campbell.h.
 *
 * A mode keeps its number from speed to speed: of the modes at the next speed it goes on as the one whose
 * shape is most alike. So curves that cross stay smooth. Where an order meets a mode is interpolated
 * linearly between two speeds.
 */
#include "drives/accessory/analyses/campbell.h"
#include "analysis/analysis.h"
#include "drives/accessory/belt/belt_modes.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const cranks[] = {"held", "free", NULL}, *const ends[] = {"pinned", "clamped", NULL};

const cap_field cap_campbell_fields[] = {
    {.key = "speeds",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(cap_campbell_spec, speeds),
     .unit = "rad/s",
     .low = 0,
     .high = INFINITY,
     .least = 1,
     .most = 10000,
     .increasing = true,
     .example = "{from: 0 rpm, to: 6000 rpm, count: 100}",
     .doc = "crank speeds, ascending; default: crank speed at the start"},
    {.key = "orders",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(cap_campbell_spec, orders),
     .unit = "",
     .low = 0,
     .low_open = true,
     .high = 1000,
     .least = 1,
     .most = 32,
     .example = "[2, 4, 6]",
     .doc = "engine orders (oscillations per crank revolution) whose crossings with the modes are listed"},
    {.key = "terms",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_campbell_spec, terms),
     .fallback = "10",
     .low = 0,
     .high = CAP_BELT_MODES_TERMS,
     .example = "10",
     .doc = "number of sine terms per span; 0 = massless spans, rotational modes only"},
    {.key = "count",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_campbell_spec, count),
     .fallback = "12",
     .low = 1,
     .high = 1000,
     .example = "12",
     .doc = "number of modes to track: the lowest ones at the first speed"},
    {.key = "crank",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_campbell_spec, crank),
     .choices = cranks,
     .fallback = "held",
     .example = "held",
     .doc = "crank boundary condition: held (prescribed rotation) or free (vibrates with its own inertia; "
            "the first mode is then a rigid-body mode)"},
    {.key = "ends",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_campbell_spec, ends),
     .choices = ends,
     .fallback = "pinned",
     .example = "pinned",
     .doc = "boundary conditions of the spans as beams, where the belt has bending stiffness: pinned or "
            "clamped at the pulleys"},
    {0}};

static const double GROWS = 1e-3; /* 1/s, above which a mode is said to grow */

enum { BASE = 3, OF_MODE = 2 }; /* columns: speed, belt.speed, growth; of a mode: frequency, ratio, shares */
enum { TOLD = 24 };             /* crossings told as notes; the file has all */

typedef struct crossing {
  double order, speed, frequency;
  int mode, part;
} crossing;

typedef struct work {
  cap_run *run;
  const cap_belt *belt;
  const cap_campbell_spec *s;
  int nspeed, nmode, npart, n, ncolumn, ncrossing, nput;
  const double *speeds;
  bool started;
  int *number;                 /* [nmode] which of the modes at the present speed continues mode k */
  bool *taken;                 /* of the modes at the present speed */
  double *last_re, *last_im;   /* [nmode][n] shapes at the speed before */
  double *row, *before;        /* [ncolumn] */
  double *shape_re, *shape_im; /* [nspeed][nmode][n] */
  cap_column *columns;
  crossing *crossings;
  cap_arena arena;
  int ngrowing; /* speeds at which a mode grows */
} work;

/* ---- following ----------------------------------------------------------------------------------------- */

/* |x^H diag(M) y|^2 of two shapes of unit mass: 1 for the same one. */
static double likeness(const cap_belt_modes *m, const double *xr, const double *xi, int mode)
{
  const double *yr = m->re + mode * m->n, *yi = m->im + mode * m->n;
  double re = 0.0, im = 0.0;
  for (int i = 0; i < m->n; i++) {
    double mass = m->M[i * m->n + i];
    re += mass * (xr[i] * yr[i] + xi[i] * yi[i]);
    im += mass * (xr[i] * yi[i] - xi[i] * yr[i]);
  }
  return re * re + im * im;
}

static int most_alike(const work *w, const cap_belt_modes *m, int k)
{
  int best = -1;
  double most = -1.0;
  for (int j = 0; j < m->nmode; j++) {
    if (w->taken[j]) continue;
    double alike = likeness(m, w->last_re + k * w->n, w->last_im + k * w->n, j);
    if (alike <= most) continue;
    most = alike;
    best = j;
  }
  return best;
}

/* number[k] = -1: mode k has no continuation, because fewer modes oscillate than before. */
static void follow(work *w, const cap_belt_modes *m)
{
  memset(w->taken, 0, (size_t)(w->n + 1) * sizeof *w->taken);
  for (int k = 0; k < w->nmode; k++) {
    int j = w->started ? most_alike(w, m, k) : k < m->nmode ? k : -1;
    w->number[k] = j;
    if (j < 0) continue;
    w->taken[j] = true;
    memcpy(w->last_re + k * w->n, m->re + j * m->n, (size_t)w->n * sizeof(double));
    memcpy(w->last_im + k * w->n, m->im + j * m->n, (size_t)w->n * sizeof(double));
  }
  w->started = true;
}

/* ---- rows and crossings -------------------------------------------------------------------------------- */

static int column_of(const work *w, int mode)
{
  return BASE + w->s->orders.n + mode * (OF_MODE + w->npart);
}

static void fill_row(work *w, double speed, const cap_belt_statics *s, const cap_belt_modes *m)
{
  for (int k = 0; k < w->ncolumn; k++) w->row[k] = NAN;
  w->row[0] = speed;
  for (int k = 0; k < w->s->orders.n; k++) w->row[BASE + k] = w->s->orders.v[k] * speed / (2.0 * M_PI);
  if (!s) return;
  w->row[1] = s->belt_speed;
  w->row[2] = m->growth;
  w->ngrowing += m->growth > GROWS;
  for (int k = 0; k < w->nmode; k++) {
    int j = w->number[k];
    double *to = w->row + column_of(w, k);
    if (j < 0) continue;
    to[0] = m->frequency[j];
    to[1] = m->ratio[j];
    memcpy(to + OF_MODE, m->share + j * m->npart, (size_t)w->npart * sizeof(double));
  }
}

static int largest_part(const work *w, const double *share)
{
  int best = 0;
  for (int p = 1; p < w->npart; p++)
    if (share[p] > share[best]) best = p;
  return best;
}

/* Orders that meet mode k between the row before and this one. */
static void cross(work *w, int k)
{
  int at = column_of(w, k);
  for (int o = 0; o < w->s->orders.n; o++) {
    double low = w->before[BASE + o] - w->before[at], high = w->row[BASE + o] - w->row[at];
    if (!(low * high <= 0.0) || low == 0.0 || w->row[at] == 0.0) continue; /* NaN: neither */
    double part = low / (low - high);
    double speed = w->before[0] + part * (w->row[0] - w->before[0]);
    w->crossings[w->ncrossing++] = (crossing){w->s->orders.v[o], speed,
                                              w->s->orders.v[o] * speed / (2.0 * M_PI), k + 1,
                                              largest_part(w, w->row + at + OF_MODE)};
  }
}

static cap_status add_speed(work *w, int k)
{
  cap_belt_statics s;
  cap_belt_modes m = {0};
  cap_error *error = w->run->error;
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = w->speeds[k]};
  cap_status status = cap_belt_statics_solve(w->belt, &which, &s, error);
  cap_belt_modes_case about = {0};
  if (status == CAP_OK) {
    about = cap_belt_modes_about(w->belt, &s, w->s->terms);
    about.held = w->s->crank == CAP_CAMPBELL_HELD;
    about.clamped = w->s->ends == CAP_CAMPBELL_CLAMPED;
    status = cap_belt_modes_solve(&about, &m, error);
  }
  if (status == CAP_OK) follow(w, &m);
  if (status == CAP_OK || status == CAP_ERR_INPUT)
    fill_row(w, w->speeds[k], status == CAP_OK ? &s : NULL, &m);
  size_t block = (size_t)k * (size_t)(w->nmode * w->n);
  for (int i = 0; i < w->nmode * w->n; i++) {
    bool known = status == CAP_OK && w->number[i / w->n] >= 0;
    w->shape_re[block + (size_t)i] = known ? w->last_re[i] : NAN;
    w->shape_im[block + (size_t)i] = known ? w->last_im[i] : NAN;
  }
  cap_belt_modes_free(&m);
  if (status == CAP_ERR_INPUT) { /* no steady running at this speed: NaN, unless there is none at any */
    if (k + 1 == w->nspeed && !w->started) return status;
    cap_progress_note(w->run->progress, "campbell: %s", error->text);
    *error = (cap_error){0};
    status = CAP_OK;
  }
  if (status == CAP_OK && k > 0)
    for (int i = 0; i < w->nmode; i++) cross(w, i);
  memcpy(w->before, w->row, (size_t)w->ncolumn * sizeof(double));
  return status == CAP_OK ? w->run->sink->rows(w->run->sink, 1, w->row) : status;
}

/* ---- results ------------------------------------------------------------------------------------------- */

static void name_column(work *w, const char *name, const char *unit, const char *text)
{
  w->columns[w->nput++] = (cap_column){name, unit, text};
}

static bool name_mode(work *w, int k)
{
  cap_arena *a = &w->arena;
  name_column(w, cap_arena_format(a, "mode.%d.frequency", k), "Hz",
              cap_arena_format(a, "frequency of mode %d", k));
  name_column(w, cap_arena_format(a, "mode.%d.ratio", k), "1",
              cap_arena_format(a, "damping ratio of mode %d", k));
  name_column(w, cap_arena_format(a, "mode.%d.pulleys", k), "1",
              cap_arena_format(a, "energy share of the pulleys in mode %d", k));
  const char *part = cap_belt_words_of(&w->belt->arm)->part;
  name_column(w, cap_arena_format(a, "mode.%d.%s", k, part), "1",
              cap_arena_format(a, "energy share of the %s in mode %d", part, k));
  for (int i = 0; i < w->belt->npulley; i++)
    name_column(
        w, cap_arena_format(a, "mode.%d.span.%s", k, w->belt->pulleys[i].name), "1",
        cap_arena_format(a, "energy share of the span after %s in mode %d", w->belt->pulleys[i].name, k));
  if (cap_belt_has_hubs(w->belt))
    name_column(w, cap_arena_format(a, "mode.%d.hubs", k), "1",
                cap_arena_format(a, "energy share of the hubs in mode %d", k));
  for (int c = column_of(w, k - 1); c < w->nput; c++)
    if (!w->columns[c].name || !w->columns[c].long_name) return false;
  return true;
}

static bool name_columns(work *w)
{
  name_column(w, "speed", "rad/s", "crank speed");
  name_column(w, "belt.speed", "m/s", "belt speed at the entry of the crank");
  name_column(w, "growth", "1/s", "largest real part of the eigenvalues; above 0: unstable");
  for (int k = 0; k < w->s->orders.n; k++) {
    char *name = cap_arena_format(&w->arena, "order.%g", w->s->orders.v[k]);
    if (!name) return false;
    name_column(w, name, "Hz", "frequency of the engine order");
  }
  for (int k = 1; k <= w->nmode; k++)
    if (!name_mode(w, k)) return false;
  return true;
}

/* "pulley.crank,arm,span.crank.1,...,shaft.alternator": what the shapes are amplitudes of. */
static const char *names_of_unknowns(work *w)
{
  size_t room = 8;
  for (int i = 0; i < w->belt->npulley; i++)
    room += (strlen(w->belt->pulleys[i].name) + 16) * (size_t)(w->s->terms + 2 + CAP_BELT_HUB_MOST);
  char *names = CAP_ARENA_NEW(&w->arena, char, room), *end = names;
  if (!names) return NULL;
  for (int i = 0; i < w->belt->npulley; i++) end += sprintf(end, "pulley.%s,", w->belt->pulleys[i].name);
  end += sprintf(end, "%s", cap_belt_words_of(&w->belt->arm)->part);
  for (int i = 0; i < w->belt->npulley; i++)
    for (int k = 1; k <= w->s->terms; k++) end += sprintf(end, ",span.%s.%d", w->belt->pulleys[i].name, k);
  for (int i = 0; i < w->belt->npulley; i++)
    if (w->belt->pulleys[i].clutch.stiffness > 0.0)
      end += sprintf(end, ",shaft.%s", w->belt->pulleys[i].name);
  for (int i = 0; i < w->belt->npulley; i++)
    for (int k = 1; w->belt->pulleys[i].hub && k <= w->belt->pulleys[i].hub->n; k++)
      end += sprintf(end, ",hub.%s.%d", w->belt->pulleys[i].name, k);
  return names;
}

static int by_order(const void *a, const void *b)
{
  const crossing *x = a, *y = b;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return x->speed < y->speed ? -1 : x->speed > y->speed;
}

static bool is_span(const work *w, int part)
{
  return part >= CAP_BELT_MODES_SPANS && part < CAP_BELT_MODES_SPANS + w->belt->npulley;
}

static const char *part_name(const work *w, int part)
{
  if (is_span(w, part)) return w->belt->pulleys[part - CAP_BELT_MODES_SPANS].name;
  if (part == CAP_BELT_MODES_PULLEYS) return "pulleys";
  return part == CAP_BELT_MODES_ARM ? cap_belt_words_of(&w->belt->arm)->part : "hubs";
}

/* What the numbers of parts stand for, as io/codes.h reads it. */
static const char *parts_named(work *w)
{
  const char *text = "dominant part of the mode:";
  int n = CAP_BELT_MODES_SPANS + w->belt->npulley + 1;
  for (int part = 0; text && part < n; part++)
    text = cap_arena_format(&w->arena, "%s%s %d = %s%s", text, part ? "," : "", part,
                            is_span(w, part) ? "span after " : "", part_name(w, part));
  return text;
}

static cap_status put_crossings(work *w)
{
  const char *parts = parts_named(w);
  if (!parts) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  const cap_column what[] = {{"crossing.order", "1", "engine order"},
                             {"crossing.speed", "rad/s", "crank speed of the crossing with a mode"},
                             {"crossing.frequency", "Hz", "frequency of the crossing"},
                             {"crossing.mode", "1", "number of the mode"},
                             {"crossing.part", "1", parts}};
  int64_t n = w->ncrossing;
  if (!n) return CAP_OK;
  qsort(w->crossings, (size_t)n, sizeof *w->crossings, by_order);
  double *values = CAP_ARENA_NEW(&w->arena, double, n);
  if (!values) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int c = 0; c < 5; c++) {
    for (int k = 0; k < n; k++) {
      const crossing *x = &w->crossings[k];
      const double of[] = {x->order, x->speed, x->frequency, x->mode, x->part};
      values[k] = of[c];
    }
    CAP_TRY(w->run->sink->array(w->run->sink, what[c], 1, &n, NULL, values));
  }
  return CAP_OK;
}

static void tell(const work *w)
{
  for (int k = 0; k < w->ncrossing && k < TOLD; k++) {
    const crossing *x = &w->crossings[k];
    cap_progress_note(w->run->progress, "campbell: order %g crosses mode %d (%s%s) at %.0f rpm, %.2f Hz",
                      x->order, x->mode, is_span(w, x->part) ? "the span after " : "the ",
                      part_name(w, x->part), x->speed * 30.0 / M_PI, x->frequency);
  }
  if (w->ncrossing > TOLD)
    cap_progress_note(w->run->progress, "campbell: %d more crossings are in the results",
                      w->ncrossing - TOLD);
  if (w->ngrowing)
    cap_progress_note(w->run->progress,
                      "campbell: at %d speed%s a mode is unstable (column growth); loads that fall with "
                      "speed, such as a constant power, destabilise",
                      w->ngrowing, w->ngrowing == 1 ? "" : "s");
}

static cap_status put(work *w)
{
  cap_sink *sink = w->run->sink;
  int64_t dims[3] = {w->nspeed, w->nmode, w->n};
  CAP_TRY(sink->open(sink, "campbell", "campbell", "modes of the belt drive vs crank speed"));
  CAP_TRY(sink->text(sink, "crank", cranks[w->s->crank]));
  CAP_TRY(sink->text(sink, "ends", ends[w->s->ends]));
  CAP_TRY(sink->columns(sink, w->ncolumn, w->columns));
  for (int k = 0; k < w->nspeed; k++) {
    if (cap_progress_stopped(w->run->progress))
      return cap_status_fail(w->run->error, CAP_STOPPED, "interrupted");
    CAP_TRY(add_speed(w, k));
  }
  const char *names = names_of_unknowns(w);
  if (!names) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->text(sink, "unknowns", names));
  cap_column shape = {"shape.re", "kg^-1/2", "mode shapes, real part; by speed, mode, degree of freedom"};
  CAP_TRY(sink->array(sink, shape, 3, dims, NULL, w->shape_re));
  shape = (cap_column){"shape.im", "kg^-1/2", "mode shapes, imaginary part"};
  CAP_TRY(sink->array(sink, shape, 3, dims, NULL, w->shape_im));
  CAP_TRY(put_crossings(w));
  return sink->close(sink);
}

static bool create(work *w)
{
  cap_arena *a = &w->arena;
  int shape = w->nmode * w->n;
  w->number = CAP_ARENA_NEW(a, int, w->nmode);
  w->taken = CAP_ARENA_NEW(a, bool, w->n + 1);
  w->last_re = CAP_ARENA_NEW(a, double, shape);
  w->last_im = CAP_ARENA_NEW(a, double, shape);
  w->row = CAP_ARENA_NEW(a, double, w->ncolumn);
  w->before = CAP_ARENA_NEW(a, double, w->ncolumn);
  w->columns = CAP_ARENA_NEW(a, cap_column, w->ncolumn);
  w->shape_re = CAP_ARENA_NEW(a, double, ((size_t)w->nspeed * (size_t)shape));
  w->shape_im = CAP_ARENA_NEW(a, double, ((size_t)w->nspeed * (size_t)shape));
  w->crossings = CAP_ARENA_NEW(a, crossing, (size_t)w->nspeed * (size_t)(w->nmode * w->s->orders.n) + 1);
  return w->number && w->taken && w->last_re && w->last_im && w->row && w->before && w->columns &&
         w->shape_re && w->shape_im && w->crossings && name_columns(w);
}

/* How many modes there are: one for each unknown that takes part. */
static int modes_of(const cap_belt *belt, const cap_campbell_spec *s)
{
  int n = cap_belt_modes_unknowns(belt, s->terms) - (s->crank == CAP_CAMPBELL_HELD) - !cap_belt_has_arm(belt);
  for (int i = 0; i < belt->npulley; i++)
    if (belt->pulleys[i].hub && belt->pulleys[i].hub->straight) n--; /* a coordinate that does not move */
  return s->count < n ? s->count : n;
}

static cap_status campbell(cap_run *run, const void *self)
{
  const cap_campbell_spec *s = self;
  const cap_belt *belt = cap_belt_of(run->model);
  if (!belt)
    return cap_status_fail(
        run->error, CAP_ERR_UNSUPPORTED,
        "campbell: requires a belt that runs over pulleys; expected drive: accessory-drive");
  work w = {.run = run, .belt = belt, .s = s, .nspeed = s->speeds.n ? s->speeds.n : 1};
  w.speeds = s->speeds.n ? s->speeds.v : &belt->speed;
  w.nmode = modes_of(belt, s);
  w.npart = cap_belt_modes_parts(belt);
  w.n = cap_belt_modes_unknowns(belt, s->terms);
  w.ncolumn = BASE + s->orders.n + w.nmode * (OF_MODE + w.npart);
  cap_status status = create(&w) ? put(&w) : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) tell(&w);
  cap_arena_free(&w.arena);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)self;
  (void)time;
  if (!cap_belt_of(m)) cap_diag_at(diag, path, "requires a belt drive; expected drive: accessory-drive");
}

const char cap_campbell_doc[] = "Campbell diagram of a belt drive: modes including span vibration vs crank "
                                "speed, and their crossings with engine orders";

const cap_analysis cap_campbell_analysis = {
    .name = "campbell",
    .doc = cap_campbell_doc,
    .fields = cap_campbell_fields,
    .spec_size = sizeof(cap_campbell_spec),
    .check = check,
    .run = campbell,
};
