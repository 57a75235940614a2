/* analysis/statics/statics.c — equilibrium under the constant loads, by Newton with line search.
 *
 * Maths: docs/theory.md §7. The unknowns are the free coordinates; laws with memory follow the straight slow
 * path from the state where the analysis starts to the one sought (a slider: clamp; Dahl: its curve), so the
 * equilibrium is the one that slow loading from there reaches. Harmonic parts of loads are left out. With a
 * sweep the equilibrium is followed over a parameter (statics_curve.c). A belt drive is not at rest: it has
 * statics of its own (statics_belt.c).
 */
#include "analysis/observe/channels.h"
#include "analysis/registry.h"
#include "analysis/statics/equilibrium.h"
#include "analysis/statics/statics_curve.h"
#include "drives/accessory/analyses/statics_belt.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spec {
  int kind;
  cap_sweep sweep;
  double tolerance;
  int iterations;
  cap_statics_belt_spec belt;
} spec;

static const char *const arms[] = {"free", "locked", "nominal", NULL};

const cap_field cap_statics_fields[] = {
    {.key = "sweep",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, sweep),
     .least = 2,
     .most = 100000,
     .example = "{parameter: \"loads[0].mean\", values: [-0.6 N, 0.6 N]}",
     .doc = "follow the equilibrium from the first to the last value of a parameter, through its folds"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tolerance),
     .unit = "",
     .fallback = "1e-10",
     .low = 1e-14,
     .high = 1e-2,
     .example = "1e-10",
     .doc = "out-of-balance force relative to the largest force in the system"},
    {.key = "iterations",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, iterations),
     .fallback = "100",
     .low = 1,
     .high = 100000,
     .example = "100",
     .doc = "Newton iterations after which it gives up"},
    {.key = "speeds",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, belt.speeds),
     .unit = "rad/s",
     .low = 0,
     .high = INFINITY,
     .least = 1,
     .most = 100000,
     .example = "[750 rpm, 2000 rpm, 6000 rpm]",
     .doc = "belt drives: speeds of the crank; the one at the start when not given"},
    {.key = "arm",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, belt.arm),
     .present = 1 + offsetof(spec, belt.arm_given),
     .choices = arms,
     .fallback = "free",
     .example = "free",
     .doc = "belt drives: free (in balance with the belt), locked (at `angle`, or `position`), or nominal "
            "(where it "
            "rests, "
            "holding the tension that it has there, by a belt that stretches no more)"},
    {.key = "angle",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, belt.angle),
     .present = 1 + offsetof(spec, belt.angle_given),
     .unit = "rad",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "253.1 deg",
     .doc = "belt drives: angle of a locked arm; where it starts when not given"},
    {.key = "position",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, belt.position),
     .present = 1 + offsetof(spec, belt.position_given),
     .unit = "m",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "12 mm",
     .doc = "belt drives: position of a locked linear tensioner; where it starts when not given"},
    {.key = "length_tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, belt.length_tolerance),
     .present = 1 + offsetof(spec, belt.tolerance_given),
     .unit = "m",
     .low = 0,
     .high = INFINITY,
     .fallback = "0 m",
     .example = "5 mm",
     .doc = "belt drives: positions of the arm with the longest and the shortest belt, too"},
    {.key = "replace",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, belt.replace),
     .present = 1 + offsetof(spec, belt.replace_given),
     .unit = "m",
     .low = 0,
     .high = INFINITY,
     .fallback = "0 m",
     .example = "12 mm",
     .doc = "belt drives: how much longer a worn belt is when it is to be replaced, for the position of the "
            "arm then"},
    {0}};

static cap_status put(cap_run *run, const cap_equilibrium *found)
{
  cap_channels channels;
  CAP_TRY(cap_channels_select(&channels, run->model, &run->outputs->channels, run->error));
  double *values = calloc((size_t)channels.n + 1, sizeof *values);
  cap_status status = values ? CAP_OK : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = run->sink->open(run->sink, "statics", "statics", "equilibrium under constant loads");
  if (status == CAP_OK) cap_channels_values(&channels, run->model, run->data, values);
  for (int c = 0; status == CAP_OK && c < channels.n; c++)
    status = run->sink->number(run->sink, channels.columns[c], values[c]);
  if (status == CAP_OK)
    status = run->sink->number(run->sink, (cap_column){"iterations", "1", "Newton iterations"},
                               found->iterations);
  if (status == CAP_OK)
    status = run->sink->number(run->sink, (cap_column){"residual", "N", "largest force out of balance"},
                               found->residual);
  if (status == CAP_OK) status = run->sink->close(run->sink);
  free(values);
  cap_channels_free(&channels);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time;
  const spec *s = self;
  cap_statics_belt_check(m->belt, &s->belt, path, diag);
  if (!s->sweep.path) return;
  char key[512];
  double first = s->sweep.values.v[0], last = s->sweep.values.v[s->sweep.values.n - 1];
  snprintf(key, sizeof key, "%s.sweep", path);
  if (m->belt) cap_diag_at(diag, key, "a running belt has no equilibrium to follow: give speeds");
  if (first == last)
    cap_diag_at(diag, key, "the first and the last value are the same, there is no way between them");
}

static cap_status statics(cap_run *run, const void *self)
{
  const spec *s = self;
  cap_equilibrium found;
  if (run->model->belt) return cap_statics_belt_run(run, &s->belt);
  if (s->sweep.path) return cap_statics_curve_run(run, &s->sweep, s->tolerance, s->iterations);
  CAP_TRY(cap_equilibrium_find(run->model, run->data, s->tolerance, s->iterations, &found, run->error));
  return put(run, &found);
}

const cap_analysis cap_statics_analysis = {
    .name = "statics",
    .doc = "equilibrium under the constant loads; steady running of a belt drive over the crank's speed",
    .fields = cap_statics_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = statics,
};
