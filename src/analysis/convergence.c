/* analysis/convergence.c — how fast the viscoelastic contact tends to ideal rolling as its constants grow.
 *
 * Maths: docs/theory.md §20. For every epsilon and damping ratio the viscoelastic motion is compared with the
 * ideal one (epsilon = 0) at the same times: densely in the initial layer, then in a window behind the layers
 * of all epsilons of that ratio. Every motion is computed twice, the second time with ten times the
 * tolerance; by what the two differ the result may be wrong, and errors below ten times that say nothing
 * about orders. Rows of the table are independent tasks, so the result does not depend on the number of
 * threads. Starts from the model's initial state, and leaves the run's own state alone.
 */
#include "analysis/convergence.h"
#include "analysis/registry.h"
#include "analysis/stepping.h"
#include "base/parallel.h"
#include "model/constraints.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spec {
  int kind;
  double until, tolerance, layer;
  cap_sweep epsilons, ratios;
  int method, samples;
} spec;

static const char *const methods[] = {"radau", "cvode", NULL};

const cap_field cap_convergence_fields[] = {
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, until),
     .unit = "s",
     .required = true,
     .low = -INFINITY,
     .high = INFINITY,
     .example = "10 s",
     .doc = "time at which every motion ends"},
    {.key = "epsilons",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, epsilons),
     .required = true,
     .least = 2,
     .most = 1000,
     .example = "{parameter: contact.epsilon, from: 0.1, to: 1e-5, count: 9, spacing: log}",
     .doc = "the parameter whose value 0 makes the contacts ideal, and its values, all above 0"},
    {.key = "damping_ratios",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, ratios),
     .required = true,
     .least = 1,
     .most = 100,
     .example = "{parameter: contact.damping_ratio, values: [1]}",
     .doc = "the parameter that is the damping ratio of the contacts (1 = critical), and its values"},
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, method),
     .choices = methods,
     .fallback = "radau",
     .example = "radau",
     .doc = "time stepper of the viscoelastic motions; the ideal one is computed by extrapolation"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tolerance),
     .unit = "",
     .fallback = "1e-13",
     .low = 1e-14,
     .high = 1e-4,
     .example = "1e-13",
     .doc = "relative tolerance of all motions; they are repeated with ten times as much"},
    {.key = "layer",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, layer),
     .unit = "",
     .fallback = "0",
     .low = 0,
     .high = 1000,
     .example = "20",
     .doc = "time constants after which the initial layer ends; 0 = when it is a hundredth of the smallest "
            "error that is expected"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, samples),
     .fallback = "40",
     .low = 2,
     .high = 100000,
     .example = "40",
     .doc = "times at which the motions are compared behind the layer"},
    {0}};

enum { DENSE = 128, PERIODS = 8 }; /* times compared within the layer, and at most so many of its periods */
enum { FLOOR_FACTOR = 10 };
static const double LARGE = 0.1; /* relative errors above it say nothing about orders */
enum { KINDS = CAP_CONVERGENCE_KINDS, ORDERS = CAP_CONVERGENCE_SLIP };

/* One row of the table. */
typedef struct point {
  double epsilon, ratio;
  cap_model *m;
  int n;
  cap_convergence_quantity *list;
  double *mode; /* [nideal] */
  cap_convergence_layer layer;
  double ends;  /* s: end of the layer, INFINITY without damping */
  double dense; /* s: length of what is looked at closely */
  bool settled; /* the layer ends well before the run */
  double error[KINDS], inside[KINDS], floor[KINDS], order[ORDERS];
  double measured; /* rad/s */
  int64_t steps;
} point;

typedef struct job {
  cap_run *run;
  const spec *s;
  const cap_stepper_type *type;
  cap_model *ideal;
  int nepsilon, nratio, npoint;
  point *points;        /* [nratio][nepsilon] */
  double *start;        /* [nratio] s: start of the window */
  double *scale;        /* [n] of each quantity, from the ideal motion */
  double *slope, *used; /* [ORDERS][nratio] fitted orders, and from how many rows */
  double *decades;      /* [ORDERS][nratio] of epsilon between the first and the last of these rows */
  cap_arena arena;
} job;

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static double run_length(const job *j)
{
  return j->s->until - j->ideal->t0;
}

/* ---- models and layers ----------------------------------------------------------------------------------
 */

static cap_status build(job *j, double epsilon, double ratio, cap_model **m)
{
  const char *paths[2] = {j->s->epsilons.path, j->s->ratios.path};
  double values[2] = {epsilon, ratio};
  return j->run->rebuild(j->run, 2, paths, 1, values, m);
}

static cap_status build_ideal(job *j)
{
  cap_error *error = j->run->error;
  CAP_TRY(build(j, 0.0, j->s->ratios.values.v[0], &j->ideal));
  const cap_model *m = j->ideal;
  if (m->nideal == 0 || m->nideal != m->nrow)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "convergence: with %s = 0 the model has %d ideal rows of %d; the parameter must be "
        "one that makes all contacts ideal",
        j->s->epsilons.path, m->nideal, m->nrow);
  double *space = CAP_ARENA_NEW(&j->arena, double, m->nworkspace + 1), speed = 0.0;
  if (!space) return no_memory(error);
  int row = 0;
  double miss = cap_constraints_residual(m, m->t0, m->initial, space, &row);
  for (int i = 0; i < m->nv; i++) speed = fmax(speed, fabs(m->initial[m->nv + i]));
  if (miss > 1e-9 * speed)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "convergence: the motion starts with %.3g m/s across the row %s; only from a start "
        "that rolls does the contact tend to ideal rolling",
        miss, m->row_name[m->ideal_row[row]]);
  return CAP_OK;
}

static cap_status prepare_point(job *j, point *p)
{
  cap_error *error = j->run->error;
  CAP_TRY(build(j, p->epsilon, p->ratio, &p->m));
  if (p->m->nideal || p->m->nrow == 0)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "convergence: with %s = %.6g some contacts are ideal all the same",
                           j->s->epsilons.path, p->epsilon);
  if (!(p->mode = CAP_ARENA_NEW(&j->arena, double, j->ideal->nideal))) return no_memory(error);
  CAP_TRY(cap_convergence_motion_match(j->ideal, p->m, &p->n, &p->list, error));
  CAP_TRY(cap_convergence_layer_find(j->ideal, p->m, p->mode, &p->layer, error));
  double run = run_length(j), count = j->s->layer;
  if (!(count > 0.0)) count = cap_convergence_layer_length(&p->layer, run);
  p->ends = p->layer.decay > 0.0 ? j->ideal->t0 + count / p->layer.decay : INFINITY;
  p->settled = p->ends <= j->ideal->t0 + 0.5 * run;
  p->dense = fmin(p->ends - j->ideal->t0, run);
  if (p->layer.pulsation > 0.0) p->dense = fmin(p->dense, PERIODS * 2.0 * M_PI / p->layer.pulsation);
  return CAP_OK;
}

/* All values of epsilon of one ratio are compared at the same times, behind the longest of their layers. */
static cap_status find_windows(job *j)
{
  double shortest = INFINITY;
  bool any = false;
  for (int r = 0; r < j->nratio; r++) {
    j->start[r] = j->ideal->t0;
    for (int k = 0; k < j->nepsilon; k++) {
      const point *p = &j->points[r * j->nepsilon + k];
      shortest = fmin(shortest, p->ends - j->ideal->t0);
      any = any || p->settled;
      if (p->settled) j->start[r] = fmax(j->start[r], p->ends);
    }
  }
  if (any || !isfinite(shortest)) return CAP_OK;
  return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                         "convergence.until: the run lasts %.4g s, but even the shortest initial layer lasts "
                         "%.4g s; expected at least twice that, or smaller values of %s",
                         run_length(j), shortest, j->s->epsilons.path);
}

/* Below this the computed force is rounding: velocities of a row are differences of velocities. */
static cap_status check_resolved(job *j, const point *p, double speed, double force)
{
  double noise = p->layer.damper * DBL_EPSILON * speed;
  if (!(noise <= 0.1 * force))
    return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                           "convergence: %s = %.3g cannot be resolved: the rounding of velocities (%.2g m/s) "
                           "makes a force of %.2g N in its damper, the contact's force is %.2g N; use values "
                           "above %.1g",
                           j->s->epsilons.path, p->epsilon, DBL_EPSILON * speed, noise, force,
                           p->epsilon * noise / (1e-3 * force));
  double shortest = 1e4 * DBL_EPSILON * fmax(fabs(j->s->until), fabs(j->ideal->t0));
  if (!(p->layer.fast * shortest < 1.0))
    return cap_status_fail(
        j->run->error, CAP_ERR_INPUT,
        "convergence: %s = %.3g cannot be resolved: the contact's time %.2g s is too short "
        "beside %.4g s, at which the run ends",
        j->s->epsilons.path, p->epsilon, 1.0 / p->layer.fast, j->s->until);
  return CAP_OK;
}

/* Scales of all quantities from the ideal motion. */
static cap_status find_scales(job *j)
{
  const point *p = &j->points[0];
  cap_error *error = j->run->error;
  int n = p->n, ntime = j->s->samples + 1;
  double *times = CAP_ARENA_NEW(&j->arena, double, ntime);
  double *values = CAP_ARENA_NEW(&j->arena, double, ntime *n);
  if (!(j->scale = CAP_ARENA_NEW(&j->arena, double, n)) || !times || !values) return no_memory(error);
  for (int k = 0; k < ntime; k++)
    times[k] = k == ntime - 1 ? j->s->until : j->ideal->t0 + run_length(j) * k / (ntime - 1);
  CAP_TRY(cap_convergence_motion_run(j->ideal, 0, &cap_extrapolate_type, j->s->tolerance, n, p->list, ntime,
                                     times, values, NULL, error));
  double speed = 0.0, force = 0.0;
  for (int q = 0; q < n; q++) {
    double *scale = &j->scale[p->list[q].scale];
    for (int k = 0; k < ntime; k++) *scale = fmax(*scale, fabs(values[k * n + q]));
    if (p->list[q].kind == CAP_CONVERGENCE_VELOCITY) speed = fmax(speed, *scale);
    if (p->list[q].kind == CAP_CONVERGENCE_FORCE) force = fmax(force, *scale);
  }
  for (int q = 0; q < n; q++) j->scale[q] = j->scale[p->list[q].scale];
  for (int k = 0; k < j->npoint; k++) CAP_TRY(check_resolved(j, &j->points[k], speed, force));
  return CAP_OK;
}

static cap_status reserve_results(job *j)
{
  j->nepsilon = j->s->epsilons.values.n;
  j->nratio = j->s->ratios.values.n;
  j->points = CAP_ARENA_NEW(&j->arena, point, j->nepsilon * j->nratio);
  if (j->points) j->npoint = j->nepsilon * j->nratio;
  j->start = CAP_ARENA_NEW(&j->arena, double, j->nratio);
  j->slope = CAP_ARENA_NEW(&j->arena, double, ORDERS * j->nratio);
  j->used = CAP_ARENA_NEW(&j->arena, double, ORDERS * j->nratio);
  j->decades = CAP_ARENA_NEW(&j->arena, double, ORDERS * j->nratio);
  return j->points && j->start && j->slope && j->used && j->decades ? CAP_OK : no_memory(j->run->error);
}

static cap_status prepare(job *j)
{
  CAP_TRY(reserve_results(j));
  CAP_TRY(build_ideal(j));
  for (int k = 0; k < j->npoint; k++) {
    point *p = &j->points[k];
    p->epsilon = j->s->epsilons.values.v[k % j->nepsilon];
    p->ratio = j->s->ratios.values.v[k / j->nepsilon];
    CAP_TRY(prepare_point(j, p));
  }
  CAP_TRY(find_windows(j));
  return find_scales(j);
}

/* ---- one comparison -------------------------------------------------------------------------------------
 */

/* Values of the four motions at the same times. */
typedef struct comparison {
  int ntime;
  double *times;     /* [ntime]: DENSE + 1 of the layer, then those of the window */
  double *motion[4]; /* [ntime][n]: ideal, viscoelastic; both again with ten times the tolerance */
  cap_arena arena;
} comparison;

static cap_status reserve(const job *j, const point *p, comparison *c, cap_error *error)
{
  double t0 = j->ideal->t0, from = p->settled ? j->start[(p - j->points) / j->nepsilon] : t0 + p->dense;
  int samples = from < j->s->until ? j->s->samples : 0;
  c->times = CAP_ARENA_NEW(&c->arena, double, DENSE + 1 + samples);
  if (!c->times) return no_memory(error);
  for (int k = 0; k <= DENSE; k++) c->times[c->ntime++] = t0 + p->dense * k / DENSE;
  for (int k = 1; k <= samples; k++)
    c->times[c->ntime++] = k == samples ? j->s->until : from + (j->s->until - from) * (k - 1) / (samples - 1);
  for (int k = 0; k < 4; k++)
    if (!(c->motion[k] = CAP_ARENA_NEW(&c->arena, double, c->ntime * p->n))) return no_memory(error);
  return CAP_OK;
}

static cap_status compute_motions(const job *j, point *p, comparison *c, cap_error *error)
{
  for (int k = 0; k < 4; k++) {
    int which = k % 2;
    if (cap_progress_stopped(j->run->progress)) return cap_status_fail(error, CAP_STOPPED, "interrupted");
    cap_status status = cap_convergence_motion_run(
        which ? p->m : j->ideal, which, which ? j->type : &cap_extrapolate_type,
        j->s->tolerance * (k < 2 ? 1.0 : 10.0), p->n, p->list, c->ntime, c->times, c->motion[k],
        k == 1 ? &p->steps : NULL, error);
    if (status == CAP_OK) continue;
    cap_error cause = *error;
    return cap_status_fail(error, status, "%s = %.6g, %s = %.6g: %.800s", j->s->epsilons.path, p->epsilon,
                           j->s->ratios.path, p->ratio, cause.text);
  }
  return CAP_OK;
}

/* Difference of two values over the scale of what they are; velocities of rows as they are. */
static double relative(const job *j, const point *p, int q, double a, double b)
{
  double off = fabs(a - b), scale = j->scale[q];
  if (p->list[q].kind == CAP_CONVERGENCE_SLIP || off == 0.0) return off;
  return off / (scale > 0.0 ? scale : fmax(fabs(a), fabs(b)));
}

static void find_errors(const job *j, point *p, const comparison *c)
{
  double doubt[2][KINDS] = {{0.0}};
  for (int t = 0; t < c->ntime; t++) {
    bool after = p->settled && t > DENSE;
    for (int q = 0; q < p->n; q++) {
      double at[4];
      for (int k = 0; k < 4; k++) at[k] = c->motion[k][t * p->n + q];
      double *largest = after ? &p->error[p->list[q].kind] : &p->inside[p->list[q].kind];
      *largest = fmax(*largest, relative(j, p, q, at[1], at[0]));
      for (int k = 0; k < 2 && (after || !p->settled); k++) {
        double *d = &doubt[k][p->list[q].kind];
        *d = fmax(*d, relative(j, p, q, at[k], at[2 + k]));
      }
    }
  }
  for (int kind = 0; kind < KINDS; kind++) {
    p->floor[kind] = doubt[0][kind] + doubt[1][kind];
    if (!p->settled) p->error[kind] = NAN;
  }
}

/* Modal force error at a dense time. */
static double modal_error(const point *p, const comparison *c, int t)
{
  double sum = 0.0;
  int row = 0;
  for (int q = 0; q < p->n; q++)
    if (p->list[q].kind == CAP_CONVERGENCE_FORCE)
      sum += p->mode[row++] * (c->motion[1][t * p->n + q] - c->motion[0][t * p->n + q]);
  return sum;
}

/* Zero between samples 0 and 1 of the cubic through samples -1, 0, 1, 2, as a fraction. */
static double cubic_zero(const double f[4])
{
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; k++) {
    double s = 0.5 * (low + high);
    double value = -s * (s - 1.0) * (s - 2.0) / 6.0 * f[0] + (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0 * f[1] -
                   (s + 1.0) * s * (s - 2.0) / 2.0 * f[2] + (s + 1.0) * s * (s - 1.0) / 6.0 * f[3];
    if ((value > 0.0) == (f[1] > 0.0)) low = s;
    else high = s;
  }
  return low;
}

/* Pulsation from the zeros of the modal force error, while it is above a thousandth of its start: whole
 * periods from the first zero on. */
static double measure_pulsation(const point *p, const comparison *c)
{
  enum { MOST = 2 * PERIODS + 4 };
  double step = p->dense / DENSE, zeros[MOST], f[4];
  double most = p->layer.decay > 0.0 ? log(1e3) / p->layer.decay : INFINITY;
  int n = 0;
  if (!(p->layer.pulsation > 0.0)) return NAN;
  for (int t = 1; t + 2 <= DENSE && t * step < most && n < MOST; t++) {
    for (int k = 0; k < 4; k++) f[k] = modal_error(p, c, t - 1 + k);
    if ((f[1] > 0.0) != (f[2] > 0.0)) zeros[n++] = (t + cubic_zero(f)) * step;
  }
  int periods = (n - 1) / 2;
  return periods >= 1 ? 2.0 * M_PI * periods / (zeros[2 * periods] - zeros[0]) : NAN;
}

static cap_status do_point(void *self, int k, cap_error *error)
{
  job *j = self;
  point *p = &j->points[k];
  comparison c = {0};
  cap_status status = reserve(j, p, &c, error);
  if (status == CAP_OK) status = compute_motions(j, p, &c, error);
  if (status == CAP_OK) {
    find_errors(j, p, &c);
    p->measured = measure_pulsation(p, &c);
    cap_progress_report(j->run->progress, "convergence", k + 1, j->npoint, "motions");
  }
  cap_arena_free(&c.arena);
  return status;
}

/* ---- orders ---------------------------------------------------------------------------------------------
 */

/* Whether an error tells an order: above what the computation may be wrong by, and small enough for an
 * expansion in epsilon to mean something. */
static bool usable(const point *p, int kind)
{
  return p->settled && p->error[kind] > FLOOR_FACTOR * p->floor[kind] && p->error[kind] < LARGE;
}

/* Least-squares slope of log error over log epsilon. */
static void fit(const job *j, int ratio, int kind)
{
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, low = INFINITY, high = 0.0;
  for (int pass = 0; pass < 2; pass++) /* first the means, then about them */
    for (int k = 0; k < j->nepsilon; k++) {
      const point *p = &j->points[ratio * j->nepsilon + k];
      if (!usable(p, kind)) continue;
      double a = log(p->epsilon), b = log(p->error[kind]);
      low = fmin(low, p->epsilon);
      high = fmax(high, p->epsilon);
      if (pass == 0) n += 1.0, x += a, y += b;
      else xx += (a - x / n) * (a - x / n), xy += (a - x / n) * (b - y / n);
    }
  j->slope[kind * j->nratio + ratio] = n >= 2.0 && xx > 0.0 ? xy / xx : NAN;
  j->used[kind * j->nratio + ratio] = n;
  j->decades[kind * j->nratio + ratio] = n > 0.0 ? log10(high / low) : 0.0;
}

static void find_orders(job *j)
{
  for (int r = 0; r < j->nratio; r++)
    for (int kind = 0; kind < ORDERS; kind++) {
      for (int k = 0; k < j->nepsilon; k++) {
        point *p = &j->points[r * j->nepsilon + k];
        const point *before = k ? p - 1 : NULL;
        bool known = before && usable(p, kind) && usable(before, kind);
        p->order[kind] = known ? log(p->error[kind] / before->error[kind]) / log(p->epsilon / before->epsilon)
                               : NAN;
      }
      fit(j, r, kind);
    }
}

/* ---- results --------------------------------------------------------------------------------------------
 */

static const char *const kind_name[ORDERS] = {"position", "velocity", "force"};

static const cap_column columns[] = {
    {"epsilon", "1", "small parameter of the contact"},
    {"damping_ratio", "1", "damping ratio of the contact"},
    {"position_error", "1", "largest error of a position behind the layer, relative"},
    {"velocity_error", "1", "largest error of a velocity behind the layer, relative"},
    {"force_error", "1", "largest error of a contact force behind the layer, relative"},
    {"constraint_velocity", "m/s", "largest velocity of a row behind the layer"},
    {"order_position", "1", "slope of the position error to the row before"},
    {"order_velocity", "1", "slope of the velocity error to the row before"},
    {"order_force", "1", "slope of the force error to the row before"},
    {"position_floor", "1", "what the position error may be wrong by"},
    {"velocity_floor", "1", "what the velocity error may be wrong by"},
    {"force_floor", "1", "what the force error may be wrong by"},
    {"layer", "s", "length of the initial layer"},
    {"layer_position_error", "1", "largest error of a position within the layer, relative"},
    {"layer_velocity_error", "1", "largest error of a velocity within the layer, relative"},
    {"layer_force_error", "1", "largest error of a contact force within the layer, relative"},
    {"layer_constraint_velocity", "m/s", "largest velocity of a row within the layer"},
    {"pulsation", "rad/s", "pulsation of the force error within the layer, from its zeros"},
    {"pulsation_predicted", "rad/s", "pulsation that the layer's equation has"},
    {"steps", "1", "time steps of the viscoelastic motion"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static cap_status put_table(job *j)
{
  cap_sink *sink = j->run->sink;
  CAP_TRY(sink->columns(sink, COLUMNS, columns));
  for (int k = 0; k < j->npoint; k++) {
    const point *p = &j->points[k];
    double row[COLUMNS] = {p->epsilon, p->ratio};
    int n = 2;
    for (int kind = 0; kind < KINDS; kind++) row[n++] = p->error[kind];
    for (int kind = 0; kind < ORDERS; kind++) row[n++] = p->order[kind];
    for (int kind = 0; kind < ORDERS; kind++) row[n++] = p->floor[kind];
    row[n++] = p->ends - j->ideal->t0;
    for (int kind = 0; kind < KINDS; kind++) row[n++] = p->inside[kind];
    row[n++] = p->measured;
    row[n++] = p->layer.pulsation;
    row[n++] = (double)p->steps;
    CAP_TRY(sink->rows(sink, 1, row));
  }
  return CAP_OK;
}

static cap_status put_orders(job *j)
{
  cap_sink *sink = j->run->sink;
  int64_t n = j->nratio;
  cap_column axis = {"damping_ratios", "1", "damping ratios"};
  CAP_TRY(sink->array(sink, axis, 1, &n, NULL, j->s->ratios.values.v));
  for (int kind = 0; kind < ORDERS; kind++) {
    char name[64], text[128];
    snprintf(name, sizeof name, "order.%s", kind_name[kind]);
    snprintf(text, sizeof text, "fitted order of the %s error in epsilon", kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->slope + kind * n));
    snprintf(name, sizeof name, "used.%s", kind_name[kind]);
    snprintf(text, sizeof text, "values of epsilon that the order of the %s error comes from",
             kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->used + kind * n));
    snprintf(name, sizeof name, "decades.%s", kind_name[kind]);
    snprintf(text, sizeof text, "decades of epsilon that the order of the %s error comes from",
             kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->decades + kind * n));
  }
  cap_column window = {"window", "s", "start of the times that are compared behind the layer"};
  return sink->array(sink, window, 1, &n, axis.name, j->start);
}

/* How many values of epsilon of a ratio have their error of a kind at the floor. */
static int at_floor(const job *j, int ratio, int kind)
{
  int n = 0;
  for (int k = 0; k < j->nepsilon; k++) {
    const point *p = &j->points[ratio * j->nepsilon + k];
    n += p->settled && !(p->error[kind] > FLOOR_FACTOR * p->floor[kind]);
  }
  return n;
}

static void tell(const job *j, int ratio)
{
  const cap_progress *progress = j->run->progress;
  char text[512] = "";
  int waiting = 0;
  for (int k = 0; k < j->nepsilon; k++) waiting += !j->points[ratio * j->nepsilon + k].settled;
  for (int kind = 0; kind < ORDERS; kind++) {
    size_t at = strlen(text);
    int used = (int)j->used[kind * j->nratio + ratio];
    snprintf(text + at, sizeof text - at, "%s%s ", kind ? ", " : "", kind_name[kind]);
    at = strlen(text);
    if (used < 2) snprintf(text + at, sizeof text - at, "unknown");
    else
      snprintf(text + at, sizeof text - at, "%.3f (%d of %d values, %.1f decades%s)",
               j->slope[kind * j->nratio + ratio], used, j->nepsilon, j->decades[kind * j->nratio + ratio],
               at_floor(j, ratio, kind) ? ", others at the floor of the computation" : "");
  }
  double value = j->s->ratios.values.v[ratio];
  cap_progress_note(progress, "convergence: damping ratio %.6g, order in epsilon of: %s", value, text);
  if (waiting)
    cap_progress_note(progress,
                      "convergence: damping ratio %.6g: of %d values of %s the initial layer outlasts half "
                      "the run; they have no error behind it",
                      value, waiting, j->s->epsilons.path);
}

/* ---- the analysis ---------------------------------------------------------------------------------------
 */

static cap_status compute(job *j)
{
  cap_run *run = j->run;
  cap_sink *sink = run->sink;
  bool found, finished;
  CAP_TRY(sink->open(sink, "convergence", "convergence", "viscoelastic contact against ideal rolling"));
  CAP_TRY(sink->restore(sink, 0, NULL, &found, &finished));
  if (finished) return sink->close(sink);
  j->type = cap_stepping_find(methods[j->s->method]);
  CAP_TRY(prepare(j));
  CAP_TRY(cap_parallel_for(j->npoint, run->threads, do_point, j, run->error));
  find_orders(j);
  for (int r = 0; r < j->nratio; r++) tell(j, r);
  CAP_TRY(sink->text(sink, "method", j->type->name));
  CAP_TRY(sink->text(sink, "parameter", j->s->epsilons.path));
  CAP_TRY(put_table(j));
  CAP_TRY(put_orders(j));
  return sink->close(sink);
}

static cap_status convergence(cap_run *run, const void *self)
{
  job j = {.run = run, .s = self};
  cap_status status = compute(&j);
  for (int k = 0; k < j.npoint; k++) {
    cap_model_free(j.points[k].m);
    free(j.points[k].list);
  }
  cap_model_free(j.ideal);
  cap_arena_free(&j.arena);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* it starts where the model starts, and leaves the run's own state alone */
  const spec *s = self;
  char key[512];
  if (m->ncontact == 0) cap_diag_at(diag, path, "this drive has no contacts that could be ideal");
  snprintf(key, sizeof key, "%s.until", path);
  if (!(s->until > m->t0))
    cap_diag_at(diag, key, "expected a time after the start (%.6g s), got %.6g s", m->t0, s->until);
  snprintf(key, sizeof key, "%s.epsilons", path);
  for (int k = 0; k < s->epsilons.values.n; k++)
    if (!(s->epsilons.values.v[k] > 0.0)) {
      cap_diag_at(diag, key,
                  "expected values above 0 (0 is the ideal contact that they are compared with), got %.6g",
                  s->epsilons.values.v[k]);
      break;
    }
  snprintf(key, sizeof key, "%s.damping_ratios.parameter", path);
  if (strcmp(s->epsilons.path, s->ratios.path) == 0)
    cap_diag_at(diag, key, "expected another parameter than that of epsilons, got %s again", s->ratios.path);
}

const cap_analysis cap_convergence_analysis = {
    .name = "convergence",
    .doc = "order at which viscoelastic contacts tend to ideal rolling, and their initial layer",
    .fields = cap_convergence_fields,
    .spec_size = sizeof(spec),
    .contacts = true,
    .check = check,
    .run = convergence,
};
