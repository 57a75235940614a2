/* analysis/statics.c — equilibrium under the constant loads, by Newton with line search.
 *
 * Maths: docs/theory.md §7. The unknowns are the free coordinates; laws with memory follow the straight slow
 * path from the state where the analysis starts to the one sought (a slider: clamp; Dahl: its curve), so the
 * equilibrium is the one that slow loading from there reaches. Harmonic parts of loads are left out.
 */
#include "analysis/channels.h"
#include "analysis/equilibrium.h"
#include "analysis/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spec {
  int kind;
  double tolerance;
  int iterations;
} spec;

const cap_field cap_statics_fields[] = {
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

static cap_status statics(cap_run *run, const void *self)
{
  const spec *s = self;
  cap_equilibrium found;
  CAP_TRY(cap_equilibrium_find(run->model, run->data, s->tolerance, s->iterations, &found, run->error));
  return put(run, &found);
}

const cap_analysis cap_statics_analysis = {
    .name = "statics",
    .doc = "equilibrium under the constant loads",
    .fields = cap_statics_fields,
    .spec_size = sizeof(spec),
    .run = statics,
};
