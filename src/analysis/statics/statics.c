/* analysis/statics/statics.c — equilibrium under the constant loads, by Newton with line search.
 *
 * Maths: docs/theory.md §7. The unknowns are the free coordinates; laws with memory follow the straight slow
 * path from the state where the analysis starts to the one sought (a slider: clamp; Dahl: its curve), so the
 * equilibrium is the one that slow loading from there reaches. Harmonic parts of loads are left out. With a
 * sweep the equilibrium is followed over a parameter (statics_curve.c). Drives that are not at rest have
 * statics of their own (analysis/extension.h).
 */
#include "analysis/statics/statics.h"
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "analysis/statics/equilibrium.h"
#include "analysis/statics/statics_curve.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef cap_statics_spec spec;

const cap_field cap_statics_fields[] = {
    {.key = "sweep",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, sweep),
     .least = 2,
     .most = 100000,
     .example = "{parameter: \"loads[0].mean\", values: [-0.6 N, 0.6 N]}",
     .doc = "parameter whose equilibria are followed from its first to its last value, through folds"},
    {.key = "tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, tolerance),
     .unit = "",
     .fallback = "1e-10",
     .low = 1e-14,
     .high = 1e-2,
     .example = "1e-10",
     .doc = "residual force relative to the largest force in the system"},
    {.key = "iterations",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, iterations),
     .fallback = "100",
     .low = 1,
     .high = 100000,
     .example = "100",
     .doc = "maximum number of Newton iterations"},
    {.key = "drives", .kind = CAP_FIELD_MORE, .fields = cap_registry_statics_fields},
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
    status = run->sink->number(run->sink, (cap_column){"iterations", "1", "number of Newton iterations"},
                               found->iterations);
  if (status == CAP_OK)
    status = run->sink->number(run->sink, (cap_column){"residual", "N", "largest residual force"},
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
  cap_extension_check("statics", s, m, path, diag);
  if (!s->sweep.path) return;
  char key[512];
  double first = s->sweep.values.v[0], last = s->sweep.values.v[s->sweep.values.n - 1];
  snprintf(key, sizeof key, "%s.sweep", path);
  if (m->subject.type->no_sweep) cap_diag_at(diag, key, "%s", m->subject.type->no_sweep);
  if (first == last) {
    char values[540];
    snprintf(values, sizeof values, "%s.values", key);
    cap_diag_at(diag, key, "no range to follow; expected different first and last values, got %s for both",
                cap_diag_quantity(diag, values, first, s->sweep.target->unit));
  }
}

static cap_status statics(cap_run *run, const void *self)
{
  const spec *s = self;
  cap_equilibrium found;
  const cap_extension *extension = cap_extension_of("statics", run->model);
  if (extension) return cap_extension_run(extension, run, s);
  if (s->sweep.path) return cap_statics_curve_run(run, &s->sweep, s->tolerance, s->iterations);
  CAP_TRY(cap_equilibrium_find(run->model, run->data, s->tolerance, s->iterations, &found, run->error));
  return put(run, &found);
}

const char cap_statics_doc[] =
    "equilibrium under constant loads; for a belt drive steady running at each crank speed";

const cap_analysis cap_statics_analysis = {
    .name = "statics",
    .doc = cap_statics_doc,
    .fields = cap_statics_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = statics,
};
