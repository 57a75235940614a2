/* drives/bodies/convergence/convergence.c — how fast the viscoelastic contact tends to ideal rolling as its
 * constants grow.
 *
 * Maths: docs/theory.md §20. For every epsilon and damping ratio the viscoelastic motion is compared with the
 * ideal one (epsilon = 0) at the same times: densely in the initial layer, then in a window behind the layers
 * of all epsilons of that ratio. Every motion is computed twice, the second time with ten times the
 * tolerance; by what the two differ the result may be wrong, and errors below ten times that say nothing
 * about orders. Rows of the table are independent tasks, so the result does not depend on the number of
 * threads. Starts from the model's initial state, and leaves the run's own state alone.
 */
#include "drives/bodies/convergence/convergence.h"
#include "analysis/analysis.h"
#include "analysis/stepping.h"
#include "base/parallel.h"
#include "model/constraints.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFERED(x_, motion_, period_, curve_, stiff_) CAP_STEPPERS_CHOICE(0, x_, stiff_)
static const char *const methods[] = {CAP_STEPPERS(OFFERED) CAP_STEPPERS_END};

const cap_field cap_convergence_fields[] = {
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_convergence_spec, until),
     .unit = "s",
     .required = true,
     .low = -INFINITY,
     .high = INFINITY,
     .example = "10 s",
     .doc = "end time of all motions"},
    {.key = "epsilons",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(cap_convergence_spec, epsilons),
     .required = true,
     .least = 2,
     .most = 1000,
     .example = "{parameter: contact.epsilon, from: 0.1, to: 1e-5, count: 9, spacing: log}",
     .doc = "parameter that makes the contacts ideal at 0, and its values, all above 0"},
    {.key = "damping_ratios",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(cap_convergence_spec, ratios),
     .required = true,
     .least = 1,
     .most = 100,
     .example = "{parameter: contact.damping_ratio, values: [1]}",
     .doc = "parameter for the damping ratio of the contacts (1 = critical), and its values"},
    {.key = "method",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_convergence_spec, method),
     .choices = methods,
     .fallback = "radau",
     .example = "radau",
     .doc = "time stepper of the viscoelastic motions; the ideal motion is computed by extrapolation"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_convergence_spec, tolerance),
     .unit = "",
     .fallback = "1e-13",
     .low = 1e-14,
     .high = 1e-4,
     .example = "1e-13",
     .doc = "relative tolerance of all motions, which are repeated with ten times this value as an error "
            "estimate"},
    {.key = "layer",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_convergence_spec, layer),
     .unit = "",
     .fallback = "0",
     .low = 0,
     .high = 1000,
     .example = "20",
     .doc = "end of the initial layer, in time constants; 0 = when it has decayed to 1/100 of the smallest "
            "expected error"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_convergence_spec, samples),
     .fallback = "40",
     .low = 2,
     .high = 100000,
     .example = "40",
     .doc = "number of times at which the motions are compared after the layer"},
    {0}};

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static double run_length(const cap_convergence *j)
{
  return j->s->until - j->ideal->t0;
}

/* ---- models and layers --------------------------------------------------------------------------------- */

static cap_status build(cap_convergence *j, double epsilon, double ratio, cap_model **m)
{
  const char *paths[2] = {j->s->epsilons.path, j->s->ratios.path};
  double values[2] = {epsilon, ratio};
  return j->run->rebuild(j->run, 2, paths, 1, values, m);
}

static cap_status build_ideal(cap_convergence *j)
{
  cap_error *error = j->run->error;
  CAP_TRY(build(j, 0.0, j->s->ratios.values.v[0], &j->ideal));
  const cap_model *m = j->ideal;
  if (m->nideal == 0 || m->nideal != m->nrow)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "convergence: with %s = 0 only %d of %d rows are ideal; expected a parameter that "
                           "makes all contacts ideal, such as contact.epsilon",
                           j->s->epsilons.path, m->nideal, m->nrow);
  double *space = CAP_ARENA_NEW(&j->arena, double, m->nworkspace + 1), speed = 0.0;
  if (!space) return no_memory(error);
  int row = 0;
  double miss = cap_constraints_residual(m, m->t0, m->initial, space, &row);
  for (int i = 0; i < m->nv; i++) speed = fmax(speed, fabs(m->initial[m->nv + i]));
  if (miss > 1e-9 * speed)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "convergence: the start does not roll; expected a velocity of 0 m/s at the row "
                           "%s, got %.3g m/s; set start_velocity: project",
                           m->row_name[m->ideal_row[row]], miss);
  return CAP_OK;
}

static cap_status prepare_point(cap_convergence *j, cap_convergence_point *p)
{
  cap_error *error = j->run->error;
  CAP_TRY(build(j, p->epsilon, p->ratio, &p->m));
  if (p->m->nideal || p->m->nrow == 0)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "convergence: with %s = %.6g some contacts are still ideal; expected the "
                           "parameter that makes them ideal at 0, such as contact.epsilon",
                           j->s->epsilons.path, p->epsilon);
  if (!(p->mode = CAP_ARENA_NEW(&j->arena, double, j->ideal->nideal))) return no_memory(error);
  CAP_TRY(cap_convergence_motion_match(j->ideal, p->m, &p->n, &p->list, error));
  CAP_TRY(cap_convergence_layer_find(j->ideal, p->m, p->mode, &p->layer, error));
  double run = run_length(j), count = j->s->layer;
  if (!(count > 0.0)) count = cap_convergence_layer_length(&p->layer, run);
  p->ends = p->layer.decay > 0.0 ? j->ideal->t0 + count / p->layer.decay : INFINITY;
  p->settled = p->ends <= j->ideal->t0 + 0.5 * run;
  p->dense = fmin(p->ends - j->ideal->t0, run);
  if (p->layer.angular_frequency > 0.0)
    p->dense = fmin(p->dense, CAP_CONVERGENCE_PERIODS * 2.0 * M_PI / p->layer.angular_frequency);
  return CAP_OK;
}

/* All values of epsilon of one ratio are compared at the same times, behind the longest of their layers. */
static cap_status find_windows(cap_convergence *j)
{
  double shortest = INFINITY;
  bool any = false;
  for (int r = 0; r < j->nratio; r++) {
    j->start[r] = j->ideal->t0;
    for (int k = 0; k < j->nepsilon; k++) {
      const cap_convergence_point *p = &j->points[r * j->nepsilon + k];
      shortest = fmin(shortest, p->ends - j->ideal->t0);
      any = any || p->settled;
      if (p->settled) j->start[r] = fmax(j->start[r], p->ends);
    }
  }
  if (any || !isfinite(shortest)) return CAP_OK;
  return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                         "convergence.until: the run is too short for the initial layer; expected at least "
                         "%.4g s (twice the shortest layer), got %.4g s; increase until, decrease the values "
                         "of %s, or use damping ratios nearer 1",
                         2.0 * shortest, run_length(j), j->s->epsilons.path);
}

/* Below this the computed force is rounding: velocities of a row are differences of velocities. */
static cap_status check_resolved(cap_convergence *j, const cap_convergence_point *p, double speed,
                                 double force)
{
  double noise = p->layer.damper * DBL_EPSILON * speed;
  if (!(noise <= 0.1 * force))
    return cap_status_fail(
        j->run->error, CAP_ERR_INPUT,
        "convergence: %s = %.3g cannot be resolved: rounding of velocities (%.2g m/s) causes a damper force "
        "of %.2g N, compared with a contact force of %.2g N; expected values above %.1g",
        j->s->epsilons.path, p->epsilon, DBL_EPSILON * speed, noise, force,
        p->epsilon * noise / (1e-3 * force));
  double shortest = 1e4 * DBL_EPSILON * fmax(fabs(j->s->until), fabs(j->ideal->t0));
  if (!(p->layer.fast * shortest < 1.0))
    return cap_status_fail(j->run->error, CAP_ERR_INPUT,
                           "convergence: %s = %.3g cannot be resolved: the time constant of the contact is "
                           "too short relative to the end of the run (%.4g s); expected above %.2g s, got "
                           "%.2g s; use larger values, or a shorter run",
                           j->s->epsilons.path, p->epsilon, j->s->until, shortest, 1.0 / p->layer.fast);
  return CAP_OK;
}

/* Where nothing of a unit moves (the centre of Euler's disc), errors of velocities are relative to the
 * largest coordinate over the length of the run. */
static void moderate_scales(cap_convergence *j)
{
  const cap_convergence_point *p = &j->points[0];
  for (int q = 0; q < p->n; q++)
    for (int k = 0; p->list[q].kind == CAP_CONVERGENCE_VELOCITY && k < p->n; k++)
      if (p->list[k].kind == CAP_CONVERGENCE_POSITION && strcmp(p->list[k].unit, p->list[q].unit) == 0)
        j->scale[q] = fmax(j->scale[q], j->scale[k] / run_length(j));
}

/* Scales of all quantities from the ideal motion. */
static cap_status find_scales(cap_convergence *j)
{
  const cap_convergence_point *p = &j->points[0];
  cap_error *error = j->run->error;
  int n = p->n, ntime = j->s->samples + 1;
  double *times = CAP_ARENA_NEW(&j->arena, double, ntime);
  double *values = CAP_ARENA_NEW(&j->arena, double, (ntime * n));
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
  moderate_scales(j);
  for (int k = 0; k < j->npoint; k++) CAP_TRY(check_resolved(j, &j->points[k], speed, force));
  return CAP_OK;
}

static cap_status reserve_results(cap_convergence *j)
{
  j->nepsilon = j->s->epsilons.values.n;
  j->nratio = j->s->ratios.values.n;
  j->points = CAP_ARENA_NEW(&j->arena, cap_convergence_point, j->nepsilon * j->nratio);
  if (j->points) j->npoint = j->nepsilon * j->nratio;
  j->start = CAP_ARENA_NEW(&j->arena, double, j->nratio);
  j->slope = CAP_ARENA_NEW(&j->arena, double, CAP_CONVERGENCE_ORDERS * j->nratio);
  j->used = CAP_ARENA_NEW(&j->arena, double, CAP_CONVERGENCE_ORDERS * j->nratio);
  j->decades = CAP_ARENA_NEW(&j->arena, double, CAP_CONVERGENCE_ORDERS * j->nratio);
  return j->points && j->start && j->slope && j->used && j->decades ? CAP_OK : no_memory(j->run->error);
}

static cap_status prepare(cap_convergence *j)
{
  CAP_TRY(reserve_results(j));
  CAP_TRY(build_ideal(j));
  for (int k = 0; k < j->npoint; k++) {
    cap_convergence_point *p = &j->points[k];
    p->epsilon = j->s->epsilons.values.v[k % j->nepsilon];
    p->ratio = j->s->ratios.values.v[k / j->nepsilon];
    CAP_TRY(prepare_point(j, p));
  }
  CAP_TRY(find_windows(j));
  return find_scales(j);
}

/* ---- orders -------------------------------------------------------------------------------------------- */

/* Least-squares slope of log error over log epsilon. */
static void fit(const cap_convergence *j, int ratio, int kind)
{
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, low = INFINITY, high = 0.0;
  for (int pass = 0; pass < 2; pass++) /* first the means, then about them */
    for (int k = 0; k < j->nepsilon; k++) {
      const cap_convergence_point *p = &j->points[ratio * j->nepsilon + k];
      if (!cap_convergence_compare_usable(p, kind)) continue;
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

static void find_orders(cap_convergence *j)
{
  for (int r = 0; r < j->nratio; r++)
    for (int kind = 0; kind < CAP_CONVERGENCE_ORDERS; kind++) {
      for (int k = 0; k < j->nepsilon; k++) {
        cap_convergence_point *p = &j->points[r * j->nepsilon + k];
        const cap_convergence_point *before = k ? p - 1 : NULL;
        bool known = before && cap_convergence_compare_usable(p, kind) &&
                     cap_convergence_compare_usable(before, kind);
        p->order[kind] = known ? log(p->error[kind] / before->error[kind]) / log(p->epsilon / before->epsilon)
                               : NAN;
      }
      fit(j, r, kind);
    }
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

static cap_status compute(cap_convergence *j)
{
  cap_run *run = j->run;
  cap_sink *sink = run->sink;
  bool found, finished;
  CAP_TRY(sink->open(sink, "convergence", "convergence", "viscoelastic contact compared with ideal rolling"));
  CAP_TRY(sink->restore(sink, 0, NULL, &found, &finished));
  if (finished) return sink->close(sink);
  j->type = cap_stepping_find(methods[j->s->method]);
  CAP_TRY(prepare(j));
  CAP_TRY(cap_parallel_for(j->npoint, run->threads, cap_convergence_compare, j, run->error));
  find_orders(j);
  cap_convergence_output_tell(j);
  CAP_TRY(cap_convergence_output_put(j));
  return sink->close(sink);
}

static cap_status convergence(cap_run *run, const void *self)
{
  cap_convergence j = {.run = run, .s = self};
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
  const cap_convergence_spec *s = self;
  char key[512];
  if (m->ncontact == 0)
    cap_diag_at(diag, path, "requires contacts that can be ideal; expected drive: rolling-body");
  snprintf(key, sizeof key, "%s.until", path);
  if (!(s->until > m->t0))
    cap_diag_at(diag, key, "expected a time after the start (%s), got %s",
                cap_diag_quantity(diag, key, m->t0, "s"), cap_diag_quantity(diag, key, s->until, "s"));
  snprintf(key, sizeof key, "%s.epsilons", path);
  for (int k = 0; k < s->epsilons.values.n; k++)
    if (!(s->epsilons.values.v[k] > 0.0)) {
      cap_diag_at(diag, key, "expected values above 0 (0 is the ideal contact used for comparison), got %.6g",
                  s->epsilons.values.v[k]);
      break;
    }
  const cap_reals *list = &s->epsilons.values;
  bool equal = list->n > 1;
  for (int k = 1; k < list->n; k++) equal = equal && list->v[k] == list->v[0];
  if (equal) cap_diag_at(diag, key, "expected distinct values, got %.6g %d times", list->v[0], list->n);
  snprintf(key, sizeof key, "%s.damping_ratios.parameter", path);
  if (strcmp(s->epsilons.path, s->ratios.path) == 0)
    cap_diag_at(diag, key, "expected a parameter other than that of epsilons, got %s", s->ratios.path);
}

const char cap_convergence_doc[] =
    "order of convergence of viscoelastic contacts to ideal rolling, and their initial layer";

const cap_analysis cap_convergence_analysis = {
    .name = "convergence",
    .doc = cap_convergence_doc,
    .fields = cap_convergence_fields,
    .spec_size = sizeof(cap_convergence_spec),
    .contacts = true,
    .check = check,
    .run = convergence,
};
