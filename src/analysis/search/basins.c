/* analysis/search/basins.c — basins of attraction: which attractor each state of a grid comes to.
 *
 * Maths: docs/theory.md §14. Two states of the model (a coordinate or a velocity, by the name of its channel)
 * span a grid; all others are as the analysis before left them. Each point is integrated from the start of a
 * forcing period until it arrives (attractors.h). A few states spread over the grid tell beforehand what
 * there is, so that most points need no search of their own; blocks of points are independent tasks, and what
 * they find is joined in the order of the blocks: the result does not depend on the number of threads.
 */
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "analysis/search/attractors.h"
#include "analysis/stepping.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, SCOUTS = 64, SAMPLES = 512, QUANTITIES = 4, POINTS_MOST = 4000000 };

typedef struct axis {
  const char *state, *from, *to;
  int count;
} axis;

typedef struct spec {
  int kind;
  cap_list grid;
  int periods, most;
  double step;
} spec;

static const cap_field axis_fields[] = {
    {.key = "state",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(axis, state),
     .required = true,
     .example = "gear.position",
     .means = CAP_MEANS_CHANNEL,
     .doc = "channel that is one coordinate or one velocity of the model"},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(axis, from),
     .required = true,
     .example = "-0.5 m",
     .doc = "first value, with its unit"},
    {.key = "to",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(axis, to),
     .required = true,
     .example = "0.5 m",
     .doc = "last value, with its unit"},
    {.key = "count",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(axis, count),
     .fallback = "100",
     .low = 2,
     .high = 4000,
     .example = "100",
     .doc = "number of values"},
    {0}};

const cap_field cap_basins_fields[] = {
    {.key = "grid",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, grid),
     .fields = axis_fields,
     .item_size = sizeof(axis),
     .required = true,
     .least = 2,
     .most = 2,
     .example = "[{state: gear.position, from: -0.5 m, to: 0.5 m, count: 100}, {state: gear.velocity, from: "
                "-0.5 m/s, to: 0.5 m/s, count: 100}]",
     .doc =
         "the two states that are varied, abscissa first; the others are as left by the preceding analysis"},
    {.key = "periods",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, periods),
     .fallback = "8",
     .low = 1,
     .high = CAP_ATTRACTORS_PERIODS_MOST,
     .example = "8",
     .doc = "longest period, in forcing periods, that is distinguished from chaos"},
    {.key = "max_periods",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, most),
     .fallback = "1000",
     .low = 1,
     .high = 10000000,
     .example = "1000",
     .was = "most",
     .doc = "maximum number of forcing periods for each state; states that reach no attractor by then, or "
            "diverge, count as period 0"},
    {.key = "step",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, step),
     .unit = "s",
     .fallback = "0 s",
     .low = 0,
     .high = INFINITY,
     .example = "1 ms",
     .doc = "largest time step; 0 = chosen from the fastest motion within the grid"},
    {0}};

static const char *const quantity_name[QUANTITIES] = {"mean", "rms_ac", "min", "max"};
static const char *const quantity_text[QUANTITIES] = {"mean", "rms about the mean of", "smallest", "largest"};

/* ---- the grid ------------------------------------------------------------------------------------------ */

/* One axis as the model sees it. */
typedef struct range {
  int index;     /* of the state in y */
  double factor; /* channel = factor * state */
  double from, to;
  int count;
  const cap_channel *channel;
} range;

/* Whether a channel is one free coordinate or velocity. */
static bool is_state(const cap_model *m, const cap_channel *c)
{
  return c->nterm == 1 && (c->terms[0].kind == CAP_TERM_Q || c->terms[0].kind == CAP_TERM_V) &&
         c->terms[0].factor != 0.0 && m->driven[c->terms[0].index] < 0;
}

static const cap_channel *find_state(const cap_model *m, const char *name)
{
  for (int c = 0; c < m->nchannel; c++)
    if (strcmp(m->channels[c].column.name, name) == 0 && is_state(m, &m->channels[c])) return &m->channels[c];
  return NULL;
}

/* "there is no such state; there are: ...", with a guess. */
static void refuse_state(const cap_model *m, const char *name, const char *path, cap_diag *diag)
{
  char list[600] = "";
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int c = 0; c < m->nchannel; c++) {
    const char *known = m->channels[c].column.name;
    size_t used = strlen(list);
    if (!is_state(m, &m->channels[c])) continue;
    cap_nearest_offer(&nearest, known);
    if (used + strlen(known) + 8 < sizeof list)
      snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", known);
  }
  if (nearest.best)
    cap_diag_at(diag, path,
                "expected a channel that is one coordinate or velocity, got \"%s\"; did you mean \"%s\"?",
                name, nearest.best);
  else if (*list)
    cap_diag_at(diag, path,
                "expected a channel that is one coordinate or velocity, got \"%s\"; the model has %s", name,
                list);
  else
    cap_diag_at(diag, path,
                "expected a channel that is one coordinate or velocity, got \"%s\"; this model has none, "
                "since every coordinate is prescribed",
                name);
}

/* A limit of the range in SI; a finding at `path` when it is no quantity of that unit. */
static bool read_limit(cap_units *units, const char *text, const char *unit, const char *path, cap_diag *diag,
                       double *value)
{
  char reason[CAP_UNITS_REASON] = "";
  if (cap_units_parse(units, text, strcmp(unit, "1") == 0 ? "" : unit, value, reason)) return true;
  const char *noun = cap_units_noun(unit);
  cap_diag_at(diag, path, "expected %s such as \"0.5 %s\", got \"%s\"%s%s", noun ? noun : "a quantity", unit,
              text, reason[0] ? "; " : "", reason);
  return false;
}

static bool read_axis(const cap_model *m, cap_units *units, const axis *a, const char *path, cap_diag *diag,
                      range *r)
{
  char key[600];
  const cap_channel *c = find_state(m, a->state);
  snprintf(key, sizeof key, "%s.state", path);
  if (!c) {
    refuse_state(m, a->state, key, diag);
    return false;
  }
  *r = (range){.index = c->terms[0].index + (c->terms[0].kind == CAP_TERM_V ? m->nv : 0),
               .factor = c->terms[0].factor,
               .count = a->count,
               .channel = c};
  snprintf(key, sizeof key, "%s.from", path);
  bool good = read_limit(units, a->from, c->column.unit, key, diag, &r->from);
  snprintf(key, sizeof key, "%s.to", path);
  good = read_limit(units, a->to, c->column.unit, key, diag, &r->to) && good;
  if (good && r->from == r->to) {
    cap_diag_at(diag, key, "expected a value other than that of from, got %s", a->to);
    good = false;
  }
  return good;
}

/* Both axes; false with findings when they do not fit the model. */
static bool read_grid(const cap_model *m, const spec *s, const char *path, cap_diag *diag, range r[2])
{
  char key[512];
  const axis *axes = s->grid.items;
  cap_units *units = cap_units_create();
  bool good = units != NULL;
  for (int k = 0; units && k < 2; k++) {
    snprintf(key, sizeof key, "%s.grid[%d]", path, k);
    good = read_axis(m, units, &axes[k], key, diag, &r[k]) && good;
  }
  cap_units_free(units);
  snprintf(key, sizeof key, "%s.grid[1].state", path);
  if (good && r[0].index == r[1].index) {
    cap_diag_at(diag, key, "both axes of the grid are the same state; expected a state other than %s",
                axes[0].state);
    good = false;
  }
  snprintf(key, sizeof key, "%s.grid[1].count", path);
  if (good && (double)r[0].count * r[1].count > POINTS_MOST) {
    cap_diag_at(diag, key, "%d x %d states exceed the limit; expected at most %d in total", r[0].count,
                r[1].count, POINTS_MOST);
    good = false;
  }
  return good;
}

static double value_at(const range *r, int k)
{
  return k + 1 == r->count ? r->to : r->from + (r->to - r->from) * k / (r->count - 1);
}

/* ---- the computation ----------------------------------------------------------------------------------- */

typedef struct job {
  cap_run *run;
  const spec *spec;
  range axis[2];
  cap_attractors_settings settings;
  double *low, *high;      /* [nstate] box of the grid */
  cap_attractors *known;   /* what the scouts found */
  cap_attractors **blocks; /* [nblock] what each task found */
  int npoint, nblock;
  int *which;      /* [npoint] number in the block's set, then in all of them */
  int norder;      /* attractors that some point came to */
  int *order;      /* [norder] their numbers in `known`, as they are listed */
  double *numbers; /* [npoint] as stored */
  cap_channels channels;
  cap_arena arena;
} job;

static cap_status out_of_memory(const job *j)
{
  return cap_status_fail(j->run->error, CAP_ERR_NOMEM, "out of memory");
}

static void state_of(const job *j, int point, double *y)
{
  const range *x = &j->axis[0], *other = &j->axis[1];
  memcpy(y, j->run->data->y, sizeof(double) * (size_t)j->run->model->nstate);
  y[x->index] = value_at(x, point % x->count) / x->factor;
  y[other->index] = value_at(other, point / x->count) / other->factor;
}

static cap_status prepare(job *j)
{
  const cap_model *m = j->run->model;
  j->npoint = j->axis[0].count * j->axis[1].count;
  j->nblock = (j->npoint + BLOCK - 1) / BLOCK;
  j->low = CAP_ARENA_NEW(&j->arena, double, m->nstate);
  j->high = CAP_ARENA_NEW(&j->arena, double, m->nstate);
  j->which = CAP_ARENA_NEW(&j->arena, int, j->npoint);
  j->numbers = CAP_ARENA_NEW(&j->arena, double, j->npoint);
  j->order = CAP_ARENA_NEW(&j->arena, int, CAP_ATTRACTORS_MOST);
  j->blocks = CAP_ARENA_NEW(&j->arena, cap_attractors *, j->nblock);
  if (!j->low || !j->high || !j->which || !j->numbers || !j->order || !j->blocks) return out_of_memory(j);
  memcpy(j->low, j->run->data->y, sizeof(double) * (size_t)m->nstate);
  memcpy(j->high, j->run->data->y, sizeof(double) * (size_t)m->nstate);
  for (int k = 0; k < 2; k++) {
    const range *r = &j->axis[k];
    j->low[r->index] = fmin(r->from / r->factor, r->to / r->factor);
    j->high[r->index] = fmax(r->from / r->factor, r->to / r->factor);
  }
  j->settings = (cap_attractors_settings){.periods = j->spec->periods,
                                          .most = j->spec->most,
                                          .step = j->spec->step,
                                          .low = j->low,
                                          .high = j->high,
                                          .boundless = true,
                                          .progress = j->run->progress};
  return cap_attractors_create(m, 0, &j->settings, &j->known, j->run->error);
}

static cap_status scout(job *j)
{
  int n = j->run->model->nstate, count = j->npoint < SCOUTS ? j->npoint : SCOUTS;
  double *y = CAP_ARENA_NEW(&j->arena, double, ((size_t)count * (size_t)n));
  int *which = CAP_ARENA_NEW(&j->arena, int, count);
  if (!y || !which) return out_of_memory(j);
  for (int k = 0; k < count; k++)
    cap_attractors_random((uint64_t)j->run->seed, k, n, j->low, j->high, y + (size_t)k * (size_t)n);
  CAP_TRY(cap_attractors_reach(j->known, 0, count, y, which, j->run->error));
  for (int k = 0; k < j->known->n; k++) j->known->list[k].first = -1, j->known->list[k].count = 0;
  return CAP_OK;
}

static cap_status do_block(void *self, int block, cap_error *error)
{
  job *j = self;
  int n = j->run->model->nstate, first = block * BLOCK, index;
  int count = j->npoint - first < BLOCK ? j->npoint - first : BLOCK;
  CAP_TRY(cap_attractors_create(j->run->model, 0, &j->settings, &j->blocks[block], error));
  for (int k = 0; k < j->known->n; k++)
    CAP_TRY(cap_attractors_add(j->blocks[block], &j->known->list[k], &index, error));
  double *y = calloc((size_t)count * (size_t)n, sizeof *y);
  if (!y) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < count; k++) state_of(j, first + k, y + (size_t)k * (size_t)n);
  cap_status status = cap_attractors_reach(j->blocks[block], first, count, y, j->which + first, error);
  cap_progress_report(j->run->progress, "basins", first + count, j->npoint, "states");
  free(y);
  return status;
}

/* All blocks into one set, in their order. */
static cap_status join(job *j)
{
  for (int b = 0; b < j->nblock; b++) {
    cap_attractors *block = j->blocks[b];
    int first = b * BLOCK, last = first + BLOCK < j->npoint ? first + BLOCK : j->npoint;
    int *to = calloc((size_t)block->n + 1, sizeof *to);
    cap_status status = to ? CAP_OK : out_of_memory(j);
    for (int k = 0; status == CAP_OK && k < block->n; k++)
      status = cap_attractors_add(j->known, &block->list[k], &to[k], j->run->error);
    for (int k = first; status == CAP_OK && k < last; k++) j->which[k] = to[j->which[k]];
    free(to);
    CAP_TRY(status);
  }
  return CAP_OK;
}

/* Short periods first, what is longer or chaotic last; then the one with the larger basin. */
static bool comes_before(const cap_attractor *a, const cap_attractor *b)
{
  int pa = a->period ? a->period : CAP_ATTRACTORS_PERIODS_MOST + 1;
  int pb = b->period ? b->period : CAP_ATTRACTORS_PERIODS_MOST + 1;
  if (pa != pb) return pa < pb;
  return a->count != b->count ? a->count > b->count : a->first < b->first;
}

static void number_attractors(job *j)
{
  const cap_attractor *list = j->known->list;
  for (int k = 0; k < j->known->n; k++) {
    if (list[k].count == 0) continue;
    int at = j->norder++;
    for (; at > 0 && comes_before(&list[k], &list[j->order[at - 1]]); at--) j->order[at] = j->order[at - 1];
    j->order[at] = k;
  }
  for (int point = 0; point < j->npoint; point++)
    for (int k = 0; k < j->norder; k++)
      if (j->order[k] == j->which[point]) j->numbers[point] = k + 1;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* Mean, rms about the mean and extremes of the channels over one turn of an attractor; of period 0: over the
 * longest period looked for, and not a number where the motion has no bound. values[channel][quantity] */
static cap_status measure(job *j, const cap_attractor *a, cap_data *d, cap_stepper *stepper, double *values)
{
  const cap_model *m = j->run->model;
  int count = SAMPLES * (a->period ? a->period : j->spec->periods), nc = j->channels.n;
  double *now = calloc((size_t)nc + 1, sizeof *now), *square = calloc((size_t)nc + 1, sizeof *square);
  cap_status status = now && square ? CAP_OK : out_of_memory(j);
  cap_data_reset(m, d);
  memcpy(d->y, a->y, sizeof(double) * (size_t)m->nstate);
  *d->t = 0.0;
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  for (int k = 0; status == CAP_OK && k < count; k++) {
    cap_channels_values(&j->channels, m, d, now);
    for (int c = 0; c < nc; c++) {
      double *v = values + c * QUANTITIES;
      v[0] += now[c] / count;
      square[c] += now[c] * now[c] / count;
      v[2] = k ? fmin(v[2], now[c]) : now[c];
      v[3] = k ? fmax(v[3], now[c]) : now[c];
    }
    double t_end = m->period[0] * (k + 1) / SAMPLES;
    status = cap_stepper_advance(stepper, m, d, &t_end, NULL, j->run->error);
  }
  if (status == CAP_ERR_NUMERICS && a->period == 0) {
    for (int k = 0; k < nc * QUANTITIES; k++) values[k] = NAN;
    status = CAP_OK;
  }
  for (int c = 0; status == CAP_OK && c < nc; c++)
    values[c * QUANTITIES + 1] = sqrt(fmax(square[c] - values[c * QUANTITIES] * values[c * QUANTITIES], 0.0));
  free(now);
  free(square);
  return status;
}

static cap_status measure_all(job *j, double *values)
{
  cap_data *d = cap_data_create(j->run->model);
  cap_stepper stepper = {0};
  cap_stepper_settings settings = {.step = j->known->step, .tolerance = 1e-9};
  cap_status status = d ? CAP_OK : out_of_memory(j);
  if (status == CAP_OK)
    status = cap_stepper_create(j->known->type, j->run->model, &settings, &stepper, j->run->error);
  for (int k = 0; status == CAP_OK && k < j->norder; k++)
    status = measure(j, &j->known->list[j->order[k]], d, &stepper,
                     values + (size_t)k * (size_t)j->channels.n * QUANTITIES);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  return status;
}

static cap_status put_list(job *j, const char *name, const char *unit, const char *text, const double *values)
{
  int64_t n = j->norder;
  return j->run->sink->array(j->run->sink, (cap_column){name, unit, text}, 1, &n, "attractors", values);
}

static cap_status put_attractors(job *j)
{
  int n = j->norder, nc = j->channels.n;
  int64_t count = n;
  double *one = CAP_ARENA_NEW(&j->arena, double, n);
  double *values = CAP_ARENA_NEW(&j->arena, double, ((size_t)n * (size_t)nc * QUANTITIES));
  if (!one || !values) return out_of_memory(j);
  const cap_attractor *list = j->known->list;
  CAP_TRY(measure_all(j, values));
  for (int k = 0; k < n; k++) one[k] = k + 1;
  CAP_TRY(j->run->sink->array(j->run->sink, (cap_column){"attractors", "1", "number of the attractor"}, 1,
                              &count, NULL, one));
  for (int k = 0; k < n; k++) one[k] = list[j->order[k]].period;
  CAP_TRY(put_list(j, "attractor.period", "1", "period, in forcing periods; 0: longer, chaotic or unbounded",
                   one));
  for (int k = 0; k < n; k++) one[k] = (double)list[j->order[k]].count / j->npoint;
  CAP_TRY(put_list(j, "attractor.share", "1", "share of the grid's states that converge to it", one));
  for (int k = 0; k < n; k++) one[k] = list[j->order[k]].multiplier;
  CAP_TRY(put_list(j, "attractor.multiplier", "1", "largest modulus of the Floquet multipliers", one));
  for (int c = 0; c < nc; c++)
    for (int q = 0; q < QUANTITIES; q++) {
      const cap_column *column = &j->channels.columns[c];
      char name[256], text[256];
      snprintf(name, sizeof name, "%s.%s", column->name, quantity_name[q]);
      snprintf(text, sizeof text, "%s %s", quantity_text[q], column->long_name);
      for (int k = 0; k < n; k++)
        one[k] = values[((size_t)k * (size_t)nc + (size_t)c) * QUANTITIES + (size_t)q];
      CAP_TRY(put_list(j, name, column->unit, text, one));
    }
  return CAP_OK;
}

/* Where the attractors pass through the grid's plane of states at the starts of the forcing periods. */
static cap_status put_strobes(job *j)
{
  const cap_attractor *list = j->known->list;
  int64_t n = 0;
  for (int k = 0; k < j->norder; k++) n += list[j->order[k]].period;
  double *values = CAP_ARENA_NEW(&j->arena, double, 4 * n + 1);
  if (!values) return out_of_memory(j);
  int64_t at = 0;
  for (int k = 0; k < j->norder; k++)
    for (int p = 0; p < list[j->order[k]].period; p++, at++) {
      const double *y = list[j->order[k]].y + p * j->run->model->nstate;
      values[at] = (double)at + 1.0;
      values[n + at] = k + 1;
      for (int a = 0; a < 2; a++) values[(2 + a) * n + at] = y[j->axis[a].index] * j->axis[a].factor;
    }
  cap_sink *sink = j->run->sink;
  CAP_TRY(sink->array(
      sink, (cap_column){"strobes", "1", "states of all attractors at the start of a forcing period"}, 1, &n,
      NULL, values));
  CAP_TRY(sink->array(sink, (cap_column){"strobe.attractor", "1", "number of the attractor"}, 1, &n,
                      "strobes", values + n));
  for (int a = 0; a < 2; a++) {
    const cap_column *column = &j->axis[a].channel->column;
    char name[256];
    snprintf(name, sizeof name, "strobe.%s", column->name);
    CAP_TRY(sink->array(sink, (cap_column){name, column->unit, column->long_name}, 1, &n, "strobes",
                        values + (2 + a) * n));
  }
  return CAP_OK;
}

static cap_status put_axis(job *j, const range *r)
{
  int64_t n = r->count;
  double *values = CAP_ARENA_NEW(&j->arena, double, n);
  if (!values) return out_of_memory(j);
  for (int k = 0; k < r->count; k++) values[k] = value_at(r, k);
  return j->run->sink->array(j->run->sink, r->channel->column, 1, &n, NULL, values);
}

static cap_status put(job *j)
{
  cap_sink *sink = j->run->sink;
  char axes[512];
  int64_t dims[2] = {j->axis[1].count, j->axis[0].count};
  CAP_TRY(sink->text(sink, "method", j->known->type->name));
  CAP_TRY(put_axis(j, &j->axis[0]));
  CAP_TRY(put_axis(j, &j->axis[1]));
  snprintf(axes, sizeof axes, "%s,%s", j->axis[1].channel->column.name, j->axis[0].channel->column.name);
  CAP_TRY(sink->array(sink, (cap_column){"attractor", "1", "number of the attractor that is reached"}, 2,
                      dims, axes, j->numbers));
  CAP_TRY(put_attractors(j));
  CAP_TRY(put_strobes(j));
  CAP_TRY(sink->number(sink, (cap_column){"step", "s", "time step"}, j->known->step));
  return sink->number(sink, (cap_column){"attractors.found", "1", "number of attractors that were reached"},
                      j->norder);
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  bool found, finished;
  CAP_TRY(run->sink->open(run->sink, "basins", "basins", "basins of attraction"));
  CAP_TRY(run->sink->restore(run->sink, 0, NULL, &found, &finished));
  if (finished) return run->sink->close(run->sink);
  CAP_TRY(cap_channels_select(&j->channels, run->model, &run->outputs->channels, run->error));
  CAP_TRY(prepare(j));
  CAP_TRY(scout(j));
  CAP_TRY(cap_parallel_for(j->nblock, run->threads, do_block, j, run->error));
  CAP_TRY(join(j));
  number_attractors(j);
  CAP_TRY(put(j));
  return run->sink->close(run->sink);
}

static cap_status basins(cap_run *run, const void *self)
{
  job j = {.run = run, .spec = self};
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  cap_diag_init(diag, NULL);
  cap_status status = CAP_OK;
  if (!(run->model->period[0] > 0.0))
    status = cap_status_fail(run->error, CAP_ERR_UNSUPPORTED,
                             "basins: no periodic forcing; expected a periodic load or prescribed motion");
  else if (!read_grid(run->model, self, "basins", diag, j.axis))
    status = diag->nerror ? cap_status_fail(run->error, CAP_ERR_INPUT, "%s", cap_diag_text(diag))
                          : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = compute(&j);
  for (int b = 0; j.blocks && b < j.nblock; b++) cap_attractors_free(j.blocks[b]);
  cap_attractors_free(j.known);
  cap_channels_free(&j.channels);
  cap_arena_free(&j.arena);
  cap_diag_free(diag);
  free(diag);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* it leaves the run's own state alone */
  range r[2];
  cap_stepping_check_period(m, path, diag);
  read_grid(m, self, path, diag, r);
}

const char cap_basins_doc[] = "basins of attraction: the attractor that each state of a grid converges to";

const cap_analysis cap_basins_analysis = {
    .name = "basins",
    .doc = cap_basins_doc,
    .fields = cap_basins_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = basins,
};
