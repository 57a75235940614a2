/* analysis/law.c — the force of one element over its deflection: the law as the program computes it.
 *
 * The deflection of a beam is the stretch of its chord; its table has the stiffness across, too.
 *
 * The deflection goes from one value to another at a constant speed and, when there is one, back again at the
 * same speed; at each point stand the element's force and its derivatives to deflection and velocity, those
 * that statics, harmonic balance and the implicit steppers use. Elements with inner states are refused: their
 * force depends on the way that led there, which a rig with an imposed motion shows.
 */
#include "analysis/analysis.h"
#include "base/names.h"
#include "elements/elements.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct spec {
  int kind;
  const char *element;
  double from, to, rate;
  int points;
} spec;

const cap_field cap_law_fields[] = {
    {.key = "element",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(spec, element),
     .required = true,
     .example = "clearance",
     .doc = "name of the force element, as listed in the energy balance"},
    {.key = "from",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, from),
     .unit = "m",
     .required = true,
     .low = -1e9,
     .high = 1e9,
     .example = "-0.3 m",
     .doc = "initial deflection"},
    {.key = "to",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, to),
     .unit = "m",
     .required = true,
     .low = -1e9,
     .high = 1e9,
     .example = "0.3 m",
     .doc = "final deflection"},
    {.key = "points",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, points),
     .fallback = "401",
     .low = 2,
     .high = 1000000,
     .example = "401",
     .doc = "points one way"},
    {.key = "rate",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, rate),
     .unit = "m/s",
     .fallback = "0 m/s",
     .low = 0,
     .high = 1e12,
     .example = "0.1 m/s",
     .doc = "rate of the deflection; above 0 the deflection returns to its initial value"},
    {0}};

enum { PLAIN_COLUMNS = 5, COLUMNS = 8 };
static const cap_column columns[COLUMNS] = {
    {"deflection", "m", "deflection"},
    {"velocity", "m/s", "velocity of the deflection"},
    {"force", "N", "force that resists the deflection"},
    {"stiffness", "N/m", "derivative of the force with respect to the deflection"},
    {"damping", "N s/m", "derivative of the force with respect to the velocity"},
    /* of a beam */
    {"across", "N/m", "transverse force at an end per transverse displacement"},
    {"coupling", "N", "transverse force at an end per rotation"},
    {"turning", "N m/rad", "moment at an end per rotation"},
};

/* By its name in the energy balance, "segment.7", or as its channels are named, "segment[7]". */
static int find_element(const cap_model *m, const char *name)
{
  for (int k = 0; k < m->nelem; k++)
    if (cap_names_is(name, m->elem_name[k])) return k;
  return -1;
}

static const cap_batch *batch_of(const cap_model *m, int element)
{
  const cap_batch *b = m->batches;
  while (element >= b->elem_adr + b->n) b++;
  return b;
}

static const double *par_of(const cap_model *m, const cap_batch *b, int element)
{
  return b->par + (size_t)((element - b->elem_adr) * b->type->nparam) * (size_t)m->nlane;
}

static bool is_beam(const cap_batch *b)
{
  return b->type == &cap_beam_type;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time;
  const spec *s = self;
  char key[256], known[512] = "";
  int element = find_element(m, s->element);
  snprintf(key, sizeof key, "%s.element", path);
  for (int k = 0; k < m->nelem; k++) {
    size_t used = strlen(known);
    if (used + 2 < sizeof known)
      snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", m->elem_name[k]);
  }
  if (element < 0)
    cap_diag_at(diag, key, "unknown force element; expected one of this model, got \"%s\"; the model has %s",
                s->element, known);
  else if (batch_of(m, element)->type->wide && !is_beam(batch_of(m, element)))
    cap_diag_at(diag, key, "expected a force element with one deflection, got \"%s\", which has several",
                s->element);
  else if (batch_of(m, element)->type->nstate > 0)
    cap_diag_at(diag, key,
                "expected a force element without memory, got \"%s\", whose force depends on the history of "
                "its deflection; prescribe a motion and plot the loop instead",
                s->element);
  else if (is_beam(batch_of(m, element)) &&
           !(fmin(s->from, s->to) >
             -0.5 * par_of(m, batch_of(m, element), element)[CAP_BEAM_LENGTH * m->nlane]))
    cap_diag_at(diag, key, "expected a shortening below half the length of the beam \"%s\" (%.6g m)",
                s->element, par_of(m, batch_of(m, element), element)[CAP_BEAM_LENGTH * m->nlane]);
  snprintf(key, sizeof key, "%s.to", path);
  if (s->from == s->to)
    cap_diag_at(diag, key, "expected a final deflection other than the initial one, got %s for both",
                cap_diag_quantity(diag, key, s->to, "m"));
}

/* The element alone, its deflection the only coordinate, evaluated with its two derivatives. */
static void evaluate(const cap_batch *own, double t, double u, double v, double row[COLUMNS])
{
  const double to_u[2] = {1.0, 0.0}, to_v[2] = {0.0, 1.0};
  double h = 0.0, dh[2] = {0.0, 0.0};
  cap_eval e = {.nlane = 1, .ncol = 2, .t = &t, .q = &u, .v = &v, .dq = to_u, .dv = to_v, .h = &h, .dh = dh};
  own->type->rates(own, &e);
  row[0] = u, row[1] = v, row[2] = -h, row[3] = -dh[0], row[4] = -dh[1];
}

/* A beam along x, its chord longer by u: second node at rest against the first but for the stretch. Columns
 * of derivatives: second node's x, its velocity, its y, its angle. */
static void evaluate_beam(const cap_batch *own, double t, double u, double v, double row[COLUMNS])
{
  enum { NODE = 3, N = 2 * NODE, NCOL = 4, X = NODE, Y = NODE + 1, PHI = NODE + 2 };
  double q[N] = {0}, w[N] = {0}, h[N] = {0}, dq[N * NCOL] = {0}, dv[N * NCOL] = {0}, dh[N * NCOL] = {0};
  cap_eval e = {.nlane = 1, .ncol = NCOL, .t = &t, .q = q, .v = w, .dq = dq, .dv = dv, .h = h, .dh = dh};
  q[X] = own->par[CAP_BEAM_LENGTH] + u;
  w[X] = v;
  dq[X * NCOL] = dv[X * NCOL + 1] = dq[Y * NCOL + 2] = dq[PHI * NCOL + 3] = 1.0;
  own->type->rates(own, &e);
  row[0] = u, row[1] = v, row[2] = -h[X], row[3] = -dh[X * NCOL], row[4] = -dh[X * NCOL + 1];
  row[5] = -dh[Y * NCOL + 2], row[6] = -dh[Y * NCOL + 3], row[7] = -dh[PHI * NCOL + 3];
}

static cap_status put_way(cap_run *run, const spec *s, const cap_batch *own, double from, double to,
                          double rate)
{
  double row[COLUMNS];
  for (int k = 0; k < s->points; k++) {
    double part = (double)k / (s->points - 1);
    (is_beam(own) ? evaluate_beam : evaluate)(own, run->model->t0, (1.0 - part) * from + part * to, rate,
                                              row);
    CAP_TRY(run->sink->rows(run->sink, 1, row));
  }
  return CAP_OK;
}

static cap_status law(cap_run *run, const void *self)
{
  const spec *s = self;
  const cap_model *m = run->model;
  cap_sink *sink = run->sink;
  int element = find_element(m, s->element);
  const cap_batch *b = batch_of(m, element);
  int ends[2] = {0, is_beam(b) ? 3 : CAP_GROUND};
  cap_batch own = *b;
  own.n = own.nlane = 1;
  own.elem_adr = own.mech_adr = 0;
  own.i = &ends[0];
  own.j = &ends[1];
  own.par = par_of(m, b, element);
  double sense = s->to > s->from ? s->rate : -s->rate;
  CAP_TRY(sink->open(sink, "law", "law", "force vs deflection"));
  CAP_TRY(sink->columns(sink, is_beam(b) ? COLUMNS : PLAIN_COLUMNS, columns));
  CAP_TRY(sink->text(sink, "element", s->element));
  CAP_TRY(put_way(run, s, &own, s->from, s->to, sense));
  if (s->rate > 0.0) CAP_TRY(put_way(run, s, &own, s->to, s->from, -sense));
  return sink->close(sink);
}

const char cap_law_doc[] = "force of one element vs its deflection, with its derivatives";

const cap_analysis cap_law_analysis = {
    .name = "law",
    .doc = cap_law_doc,
    .fields = cap_law_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = law,
};
