/* analysis/orbit/backbone.c — nonlinear modes: how angular frequency and damping of free vibration change
 * with
 * amplitude.
 *
 * Maths: docs/theory.md §16. Each mode starts as a linear mode about the equilibrium at the smallest
 * amplitude and is followed by arc length to the largest one (hb/hb_mode.h), through the turns that internal
 * resonances make. Where there is no stiffness at rest, or the start is not within reach of the linear mode,
 * the angular frequency that the first harmonic of the forces asks for is tried, then the largest amplitude,
 * downwards. The result is a table: one row a point.
 */
#include "analysis/analysis.h"
#include "analysis/observe/motion_rows.h"
#include "analysis/statics/equilibrium.h"
#include "base/units.h"
#include "hb/hb_mode.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "hb/hb_stability.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spec {
  int kind;
  cap_reals modes;
  const char *measure, *from, *to;
  int points, harmonics, samples, orders;
  int friction;
  bool stability;
} spec;

static const char *const frictions[] = {"stuck", "sliding", NULL};

const cap_field cap_backbone_fields[] = {
    {.key = "modes",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, modes),
     .unit = "",
     .fallback = "[1]",
     .least = 1,
     .most = 1000,
     .low = 1,
     .high = 100000,
     .example = "[1, 2]",
     .doc = "numbers of the linear modes to start from, slowest first"},
    {.key = "from",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(spec, from),
     .required = true,
     .example = "1 mm",
     .doc = "smallest amplitude of the measured displacement, in its unit, or smallest energy"},
    {.key = "to",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(spec, to),
     .required = true,
     .example = "1 m",
     .doc = "largest amplitude, or largest energy"},
    {.key = "measure",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(spec, measure),
     .example = "gear.position",
     .means = CAP_MEANS_CHANNEL,
     .doc = "channel of displacements whose amplitude (sqrt 2 times its rms about the mean) is the abscissa; "
            "default: the coordinate with the largest motion in the linear mode; energy = the same "
            "coordinate, over a range of energy"},
    {.key = "points",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, points),
     .fallback = "100",
     .low = 4,
     .high = 100000,
     .example = "100",
     .doc = "minimum number of points from the smallest to the largest amplitude, evenly spaced in its "
            "logarithm; curved parts get more"},
    {.key = "harmonics",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, harmonics),
     .fallback = "12",
     .low = 1,
     .high = 500,
     .example = "12",
     .doc = "number of harmonics of the motion"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, samples),
     .fallback = "0",
     .low = 0,
     .high = 65536,
     .example = "1024",
     .doc = "samples per period; 0 = chosen from the harmonics"},
    {.key = "orders",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, orders),
     .fallback = "0",
     .low = 0,
     .high = 100,
     .example = "3",
     .doc = "number of harmonics of each channel in the table"},
    {.key = "friction",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, friction),
     .choices = frictions,
     .fallback = "stuck",
     .example = "stuck",
     .doc = "linearisation of laws with memory at the start: stuck or sliding"},
    {.key = "stability",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, stability),
     .fallback = "false",
     .example = "true",
     .doc = "whether to compute the largest Floquet multiplier of every motion (the multiplier 1 of a free "
            "motion is included)"},
    {0}};

enum { SMALL_MOST = 60 }; /* steps in a row */
enum { ENERGY = 5, MULTIPLIER = 7, FIXED = 9 };
static const cap_column fixed_columns[FIXED] = {
    {"amplitude", "m", "amplitude of the measured displacement"}, /* the unit is set by the measure */
    {"mode", "1", "number of the mode"},
    {"angular_frequency", "rad/s", "angular frequency of the free motion"},
    {"frequency", "Hz", "frequency of the free motion"},
    {"damping_ratio", "1", "damping ratio"},
    {"energy", "J", "mean energy above the equilibrium"},
    {"kind", "1", "0: point, 1: extremum of the amplitude, 2: branch point"},
    {"multiplier", "1", "largest modulus of the Floquet multipliers"},
    {"truncation", "1", "relative truncation error of the harmonics, estimated"}};

/* The whole analysis. */
typedef struct backbone {
  cap_run *run;
  const spec *s;
  cap_motion_rows rows;
  bool by_energy;                   /* the range is one of energy */
  double from, to;                  /* of the amplitude, or J */
  const char *unit;                 /* of the amplitude */
  cap_data *rest;                   /* the equilibrium */
  int n;                            /* free coordinates */
  int *free_dof;                    /* [n] */
  double *K, *C, *M, *values, *vec; /* linear modes; column k of vec[n][n] */
  double *row;
  cap_arena arena;
} backbone;

/* One mode being followed. */
typedef struct follower {
  backbone *b;
  int number;
  cap_hb *hb;
  cap_hb_mode mode;
  cap_hb_stability *stability;
  cap_continuation *path;
  double *x;     /* [nunknown] */
  double *dof;   /* [nv] the measure over all coordinates */
  double *shape; /* [nv] */
  const char *measure;
  double least, most; /* amplitudes; without limit above when the range is one of energy */
  bool full;          /* the largest energy is reached */
  double step;        /* the largest that may be taken */
  int small;          /* steps in a row that are much smaller */
  cap_status failed;
  cap_arena arena;
} follower;

static cap_status no_memory(const backbone *b)
{
  return cap_status_fail(b->run->error, CAP_ERR_NOMEM, "out of memory");
}

/* ---- amplitudes with units ----------------------------------------------------------------------------- */

static const cap_channel *find_channel(const cap_model *m, const char *name)
{
  for (int c = 0; c < m->nchannel; c++)
    if (strcmp(m->channels[c].column.name, name) == 0) return &m->channels[c];
  return NULL;
}

static bool by_energy(const spec *s)
{
  return s->measure && strcmp(s->measure, "energy") == 0;
}

/* The unit of the measured displacement; that of the first free coordinate when none is named. */
static const char *unit_of(const cap_model *m, const spec *s)
{
  const cap_channel *channel = s->measure ? find_channel(m, s->measure) : NULL;
  if (channel) return channel->column.unit;
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0) return m->dof_unit[i];
  return "m";
}

static bool parse_amplitude(const char *text, const char *unit, double *value)
{
  char reason[CAP_UNITS_REASON];
  cap_units *units = cap_units_create();
  bool right = units && cap_units_parse(units, text, unit, value, reason);
  cap_units_free(units);
  return right && isfinite(*value) && *value > 0.0;
}

static bool is_displacement(const cap_model *m, const cap_channel *channel)
{
  bool moves = false;
  for (int t = 0; t < channel->nterm; t++) {
    if (channel->terms[t].kind == CAP_TERM_CONSTANT) continue;
    if (channel->terms[t].kind != CAP_TERM_Q) return false;
    moves = moves || m->driven[channel->terms[t].index] < 0;
  }
  return moves;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static cap_status put_row(follower *w, const double *y, double p, int kind)
{
  backbone *b = w->b;
  cap_error *error = b->run->error;
  double angular_frequency, ratio, tail;
  cap_hb_output energy;
  cap_hb_mode_read(&w->mode, y, p, w->x, &angular_frequency, &ratio);
  CAP_TRY(cap_hb_output_energy(w->hb, w->x, angular_frequency, b->rest->y, &energy, error));
  CAP_TRY(cap_hb_newton_tail(w->hb, w->x, angular_frequency, &tail, error));
  const double fixed[FIXED] = {
      exp(p), w->number, angular_frequency, angular_frequency / (2.0 * M_PI), ratio, energy.mean, kind,
      NAN,    tail};
  memcpy(b->row, fixed, sizeof fixed);
  if (w->stability) {
    cap_status status = cap_hb_stability_find(w->stability, w->hb, w->x, angular_frequency, error);
    if (status < 0) return status;
    if (status == CAP_OK)
      b->row[MULTIPLIER] = w->stability->largest; /* else not known here: the row says so */
  }
  CAP_TRY(cap_motion_rows_fill(&b->rows, w->hb, w->x, angular_frequency, b->row + FIXED, error));
  return b->run->sink->rows(b->run->sink, 1, b->row);
}

static bool take_point(void *self, const cap_continuation_point *point)
{
  follower *w = self;
  int kind = point->kind == CAP_CONTINUATION_FOLD ? 1 : point->kind == CAP_CONTINUATION_BRANCH ? 2 : 0;
  w->failed = put_row(w, point->x, point->p, kind);
  w->full = w->b->by_energy && w->b->row[ENERGY] >= w->b->to;
  w->small = point->step < 1e-4 * w->step && point->kind == CAP_CONTINUATION_REGULAR ? w->small + 1 : 0;
  if (w->failed == CAP_OK && cap_progress_stopped(w->b->run->progress))
    w->failed = cap_status_fail(w->b->run->error, CAP_STOPPED, "interrupted");
  return w->failed == CAP_OK && !w->full && w->small < SMALL_MOST;
}

static cap_status put_columns(backbone *b)
{
  cap_column fixed[FIXED];
  memcpy(fixed, fixed_columns, sizeof fixed);
  fixed[0].unit = b->unit;
  return cap_motion_rows_declare(&b->rows, FIXED, fixed, b->run);
}

/* ---- linear modes -------------------------------------------------------------------------------------- */

static cap_status find_rest(backbone *b)
{
  cap_run *run = b->run;
  cap_equilibrium found;
  b->rest = cap_data_create(run->model);
  if (!b->rest) return no_memory(b);
  cap_data_copy(run->model, b->rest, run->data);
  return cap_equilibrium_find(run->model, b->rest, 1e-12, 200, &found, run->error);
}

static cap_status find_linear(backbone *b)
{
  const cap_model *m = b->run->model;
  size_t nv = (size_t)m->nv;
  double **matrices[] = {&b->K, &b->C, &b->M, &b->vec};
  for (int k = 0; k < 4; k++)
    if (!(*matrices[k] = CAP_ARENA_NEW(&b->arena, double, (nv * nv)))) return no_memory(b);
  b->values = CAP_ARENA_NEW(&b->arena, double, nv);
  b->free_dof = CAP_ARENA_NEW(&b->arena, int, nv);
  if (!b->values || !b->free_dof) return no_memory(b);
  b->n = cap_equilibrium_stiffness(m, b->rest, b->s->friction == 1, b->K, b->C, b->run->error);
  if (b->n < 0) return CAP_ERR_NOMEM;
  for (int i = 0, k = 0; i < m->nv; i++)
    if (m->driven[i] < 0) {
      b->free_dof[k] = i;
      b->M[(k++) * (b->n + 1)] = m->mass[i];
    }
  if (capm_eigen_symmetric(b->n, b->K, b->M, b->values, b->vec) != CAP_OK)
    return cap_status_fail(b->run->error, CAP_ERR_NUMERICS,
                           "the modes could not be computed: the stiffness matrix is not finite");
  return CAP_OK;
}

/* Damping ratio of linear mode k by its own shape, phi^T C phi / (2 w). */
static double linear_ratio(const backbone *b, int k, double angular_frequency)
{
  double sum = 0.0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) sum += b->vec[i * b->n + k] * b->C[i * b->n + j] * b->vec[j * b->n + k];
  return angular_frequency > 0.0 ? 0.5 * sum / angular_frequency : 0.0;
}

/* ---- one mode ------------------------------------------------------------------------------------------ */

/* Weights of the measured displacement over all coordinates. */
static cap_status choose_measure(follower *w)
{
  const backbone *b = w->b;
  const cap_model *m = b->run->model;
  double sum = 0.0, most = 0.0;
  int best = -1;
  if (b->s->measure && !b->by_energy) {
    const cap_channel *channel = find_channel(m, b->s->measure);
    for (int t = 0; t < channel->nterm; t++)
      if (channel->terms[t].kind == CAP_TERM_Q) w->dof[channel->terms[t].index] += channel->factors[t];
    w->measure = b->s->measure;
  } else {
    for (int i = 0; i < m->nv; i++)
      if (m->driven[i] < 0 && strcmp(m->dof_unit[i], b->unit) == 0 && fabs(w->shape[i]) > most)
        most = fabs(w->shape[i]), best = i;
    if (best >= 0) w->dof[best] = 1.0;
    w->measure = best >= 0 ? m->dof_name[best] : "";
  }
  for (int i = 0; i < m->nv; i++) {
    sum += w->dof[i] * w->shape[i];
    most = fmax(most, fabs(w->dof[i] * w->shape[i]));
    if (m->driven[i] >= 0) w->dof[i] = 0.0;
  }
  if (!(fabs(sum) > 1e-9 * fmax(most, 1e-300)))
    return cap_status_fail(b->run->error, CAP_ERR_INPUT,
                           "backbone: mode %d does not move the measured channel; expected a channel that "
                           "takes part in the mode; change `measure`",
                           w->number);
  return CAP_OK;
}

static cap_status create_balance(follower *w)
{
  backbone *b = w->b;
  const cap_model *m = b->run->model;
  int nkeep = 0, *keep = CAP_ARENA_NEW(&w->arena, int, m->nv);
  if (!keep) return no_memory(b);
  for (int i = 0; i < m->nv; i++)
    if (w->dof[i] != 0.0) keep[nkeep++] = i;
  cap_hb_settings settings = {.harmonics = b->s->harmonics, .samples = b->s->samples};
  CAP_TRY(cap_hb_create_free(m, 0, &settings, nkeep, keep, &w->hb, b->run->error));
  for (int k = 0; k < w->hb->nlaw; k++) /* sliders that never slip keep the force of the equilibrium */
    if (w->hb->laws[k].slider >= 0)
      w->hb->laws[k].rest = b->rest->x[m->nx - m->nslider + w->hb->laws[k].slider];
  if (b->s->stability) CAP_TRY(cap_hb_stability_create(w->hb, &w->stability, b->run->error));
  w->x = CAP_ARENA_NEW(&w->arena, double, w->hb->nunknown + 2);
  return w->x ? CAP_OK : no_memory(b);
}

static cap_status create_path(follower *w)
{
  backbone *b = w->b;
  cap_continuation_problem problem = cap_hb_mode_problem(&w->mode);
  double low = log(w->least), high = log(w->most);
  double step = w->step = (b->by_energy ? 0.5 : 1.0) * log(b->to / b->from) / b->s->points;
  cap_continuation_options options = {.step = fmin(step, 0.05),
                                      .step_max = step,
                                      .step_min = 1e-9,
                                      .p_min = low,
                                      .p_max = high,
                                      .max_points = 200 + 20 * b->s->points,
                                      .tolerance = 1e-8};
  return cap_continuation_create(&problem, &options, &w->path, b->run->error);
}

/* Start at an amplitude and follow; CAP_RETRY_NOCONV: no motion found there. */
static cap_status follow_from(follower *w, const cap_hb_mode_linear *linear, double amplitude, bool secant)
{
  backbone *b = w->b;
  cap_continuation_result result;
  int direction = amplitude == w->least ? 1 : -1, side = direction > 0 ? 0 : 1;
  char name[64], text[256];
  double *y = CAP_ARENA_NEW(&w->arena, double, w->hb->nunknown + 2);
  if (!y) return no_memory(b);
  CAP_TRY(cap_hb_mode_start(&w->mode, linear, amplitude, secant, y, b->run->error));
  cap_continuation_start start = {.x = y, .p = log(amplitude)};
  w->failed = CAP_OK;
  cap_status status = cap_continuation_run(w->path, &start, direction, take_point, w, &result, b->run->error);
  if (w->failed != CAP_OK) return w->failed;
  if (status < 0 && w->mode.error.text[0])
    return cap_status_fail(b->run->error, status, "backbone: %s", w->mode.error.text);
  if (status != CAP_OK) return status;
  bool limit = w->full || result.end[side] == CAP_CONTINUATION_END_LIMIT;
  snprintf(text, sizeof text, "at an amplitude of %.6g %s: %s", exp(result.p_end[side]), b->unit,
           limit ? "end of the range"
           : w->small >= SMALL_MOST
               ? "the step became too small; a law with a sharp corner needs more samples"
               : cap_continuation_end_text(result.end[side]));
  if (!limit) cap_progress_note(b->run->progress, "backbone: mode %d ends %s", w->number, text);
  snprintf(name, sizeof name, "mode.%d.end", w->number);
  return b->run->sink->text(b->run->sink, name, text);
}

/* Amplitudes of the range; an energy at the start is one of the linear mode, whose modal mass is one. */
static cap_status find_range(follower *w, const cap_hb_mode_linear *linear)
{
  backbone *b = w->b;
  double unit = 0.0;
  w->least = b->from;
  w->most = b->to;
  if (!b->by_energy) return CAP_OK;
  if (!(linear->angular_frequency > 0.0))
    return cap_status_fail(b->run->error, CAP_ERR_UNSUPPORTED,
                           "backbone: mode %d has no stiffness at rest, so an energy range has no meaning; "
                           "expected a range of amplitudes",
                           w->number);
  for (int i = 0; i < w->hb->nouter; i++) unit += linear->weight[i] * linear->shape[i];
  w->least = fabs(unit) * sqrt(2.0 * b->from) / linear->angular_frequency;
  w->most = 1e6 * w->least * sqrt(b->to / b->from);
  return CAP_OK;
}

static cap_status follow_mode(follower *w, const cap_hb_mode_linear *linear)
{
  backbone *b = w->b;
  char name[64];
  CAP_TRY(find_range(w, linear));
  double size = b->by_energy ? w->least * sqrt(b->to / b->from) : w->most;
  CAP_TRY(cap_hb_mode_open(w->hb, linear, w->least, size, &w->mode, b->run->error));
  CAP_TRY(create_path(w));
  snprintf(name, sizeof name, "mode.%d.measure", w->number);
  CAP_TRY(b->run->sink->text(b->run->sink, name, w->measure));
  cap_status status = follow_from(w, linear, w->least, false);
  if (status == CAP_RETRY_NOCONV || status == CAP_RETRY_NONFINITE)
    status = follow_from(w, linear, w->least, true);
  if ((status == CAP_RETRY_NOCONV || status == CAP_RETRY_NONFINITE) && !b->by_energy)
    status = follow_from(w, linear, w->most, true);
  if (status > 0 && status != CAP_STOPPED)
    return cap_status_fail(b->run->error, CAP_ERR_NUMERICS,
                           "backbone: no free motion found near mode %d, neither at the smallest amplitude "
                           "(%.6g %s) nor at the largest; reduce `from`",
                           w->number, w->least, b->unit);
  return status;
}

static cap_status prepare(follower *w, int k)
{
  backbone *b = w->b;
  const cap_model *m = b->run->model;
  w->dof = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->shape = CAP_ARENA_NEW(&w->arena, double, m->nv);
  if (!w->dof || !w->shape) return no_memory(b);
  for (int i = 0; i < b->n; i++) w->shape[b->free_dof[i]] = b->vec[i * b->n + k];
  CAP_TRY(choose_measure(w));
  return create_balance(w);
}

static cap_status run_mode(follower *w, int k)
{
  backbone *b = w->b;
  CAP_TRY(prepare(w, k));
  int no = w->hb->nouter;
  double *outer = CAP_ARENA_NEW(&w->arena, double, 3 * (size_t)no), square = b->values[k], most = 0.0;
  if (!outer) return no_memory(b);
  for (int i = 0; i < b->n; i++) most = fmax(most, fabs(b->values[i]));
  for (int i = 0; i < no; i++) {
    outer[i] = w->shape[w->hb->outer_dof[i]];
    outer[no + i] = w->dof[w->hb->outer_dof[i]];
    outer[2 * no + i] = b->rest->q[w->hb->outer_dof[i]];
  }
  double angular_frequency = square > 1e-12 * most ? sqrt(square) : 0.0; /* less is rounding */
  cap_hb_mode_linear linear = {.angular_frequency = angular_frequency,
                               .ratio = linear_ratio(b, k, angular_frequency),
                               .shape = outer,
                               .weight = outer + no,
                               .rest = outer + 2 * no};
  return follow_mode(w, &linear);
}

static cap_status do_mode(backbone *b, int number)
{
  follower w = {.b = b, .number = number};
  cap_status status = number <= b->n ? run_mode(&w, number - 1)
                                     : cap_status_fail(b->run->error, CAP_ERR_INPUT,
                                                       "backbone: no mode %d; expected a number from 1 to %d",
                                                       number, b->n);
  cap_continuation_free(w.path);
  cap_hb_mode_close(&w.mode);
  cap_hb_stability_free(w.stability);
  cap_hb_free(w.hb);
  cap_arena_free(&w.arena);
  return status;
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

static cap_status compute(backbone *b)
{
  cap_run *run = b->run;
  bool found, finished;
  CAP_TRY(run->sink->open(run->sink, "backbone", "backbone", "nonlinear modes"));
  CAP_TRY(run->sink->restore(run->sink, 0, NULL, &found, &finished));
  if (finished) return run->sink->close(run->sink);
  CAP_TRY(cap_motion_rows_open(run, b->s->orders, &b->rows));
  b->row = CAP_ARENA_NEW(&b->arena, double, FIXED + cap_motion_rows_width(&b->rows));
  if (!b->row) return no_memory(b);
  CAP_TRY(find_rest(b));
  CAP_TRY(find_linear(b));
  CAP_TRY(put_columns(b));
  CAP_TRY(run->sink->number(run->sink, (cap_column){"harmonics", "1", "number of harmonics of the motion"},
                            b->s->harmonics));
  for (int k = 0; k < b->s->modes.n; k++) CAP_TRY(do_mode(b, (int)b->s->modes.v[k]));
  return run->sink->close(run->sink);
}

static cap_status run_backbone(cap_run *run, const void *self)
{
  backbone b = {.run = run, .s = self, .unit = unit_of(run->model, self), .by_energy = by_energy(self)};
  const char *unit = b.by_energy ? "J" : b.unit;
  if (!parse_amplitude(b.s->from, unit, &b.from) || !parse_amplitude(b.s->to, unit, &b.to))
    return cap_status_fail(run->error, CAP_ERR_INPUT, "backbone: expected a range in %s", unit);
  cap_status status = compute(&b);
  cap_data_free(b.rest);
  cap_motion_rows_close(&b.rows);
  cap_arena_free(&b.arena);
  return status;
}

static void check_amplitudes(const cap_model *m, const spec *s, const char *path, cap_diag *diag)
{
  const char *unit = by_energy(s) ? "J" : unit_of(m, s), *what = by_energy(s) ? "energy" : "amplitude";
  const char *texts[2] = {s->from, s->to}, *keys[2] = {"from", "to"};
  double values[2] = {0.0, 0.0};
  bool right = true;
  char key[512];
  for (int k = 0; k < 2; k++) {
    if (parse_amplitude(texts[k], unit, &values[k])) continue;
    right = false;
    snprintf(key, sizeof key, "%s.%s", path, keys[k]);
    cap_diag_at(diag, key, "expected an %s above 0 in %s, got \"%s\"", what, unit, texts[k]);
  }
  snprintf(key, sizeof key, "%s.to", path);
  if (right && !(values[1] > values[0]))
    cap_diag_at(diag, key, "expected an %s above the smallest one (%s), got %s", what, s->from, s->to);
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* it leaves the run's own state alone */
  const spec *s = self;
  char key[512];
  int nfree = 0;
  for (int i = 0; i < m->nv; i++) nfree += m->driven[i] < 0;
  if (!nfree) {
    cap_diag_at(diag, path,
                "no free coordinate; expected at least one coordinate without prescribed motion, got none");
    return;
  }
  if (m->ninertia) {
    cap_diag_at(diag, path,
                "harmonic balance cannot compute a body with a non-diagonal mass matrix; expected bodies "
                "with diagonal mass matrices; use transient");
    return;
  }
  const cap_channel *channel = s->measure ? find_channel(m, s->measure) : NULL;
  if (s->measure && !by_energy(s) && (!channel || !is_displacement(m, channel))) {
    snprintf(key, sizeof key, "%s.measure", path);
    cap_diag_at(diag, key,
                channel ? "expected a displacement of free coordinates, got \"%s\""
                        : "unknown channel; expected a displacement of free coordinates, got \"%s\"",
                s->measure);
    return;
  }
  check_amplitudes(m, s, path, diag);
  for (int k = 0; k < s->modes.n; k++)
    if (s->modes.v[k] != floor(s->modes.v[k]) || s->modes.v[k] > nfree) {
      snprintf(key, sizeof key, "%s.modes[%d]", path, k);
      cap_diag_at(diag, key, "expected the number of a mode, 1 to %d, got %g", nfree, s->modes.v[k]);
    }
}

const char cap_backbone_doc[] =
    "nonlinear modes: angular frequency and damping of free vibration vs amplitude";

const cap_analysis cap_backbone_analysis = {
    .name = "backbone",
    .doc = cap_backbone_doc,
    .fields = cap_backbone_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = run_backbone,
};
