/* An analysis as one adds one: the momentum of all masses at one speed. */
#include "analysis/analysis.h"
#include "model/model.h"

#include <math.h>
#include <stddef.h>

typedef struct spec {
  int kind;
  double speed;
} spec;

const cap_field cap_pulse_fields[] = {{.key = "speed",
                                       .kind = CAP_FIELD_REAL,
                                       .offset = offsetof(spec, speed),
                                       .unit = "m/s",
                                       .fallback = "1 m/s",
                                       .example = "1 m/s",
                                       .doc = "speed of all masses"},
                                      {0}};

static cap_status pulse(cap_run *run, const void *self)
{
  const spec *s = self;
  const cap_model *m = run->model;
  cap_sink *sink = run->sink;
  int64_t one = 1;
  double mass = 0.0, n = m->nv;
  for (int i = 0; i < m->nv; i++) mass += m->mass[i];
  double momentum = mass * s->speed;
  CAP_TRY(sink->open(sink, "pulse", "pulse", "momentum of all masses"));
  CAP_TRY(sink->array(sink, (cap_column){"coordinates", "1", "number of coordinates"}, 1, &one, NULL, &n));
  CAP_TRY(sink->array(sink, (cap_column){"momentum", "N s", "mass times speed"}, 1, &one, NULL, &momentum));
  return sink->close(sink);
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)self, (void)time; /* no time passes */
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] >= 0)
      cap_diag_at(diag, path, "the mass of %s is not known: it is driven", m->dof_name[i]);
}

const char cap_pulse_doc[] = "momentum of all masses at one speed";

static const char *const beside[] = {"coordinates", "momentum", NULL};

const cap_analysis cap_pulse_analysis = {
    .name = "pulse",
    .doc = cap_pulse_doc,
    .fields = cap_pulse_fields,
    .spec_size = sizeof(spec),
    .beside = beside,
    .check = check,
    .run = pulse,
};
