/* analysis/modes.c — natural frequencies, damping and mode shapes about the present state.
 *
 * Maths: docs/theory.md §8. Undamped modes of K x = w^2 M x, and the eigenvalues of the damped system in
 * first-order form. Dry friction is linearised as stuck (it holds, its spring acts) or as sliding (its force
 * is constant).
 */
#include "analysis/analysis.h"
#include "analysis/observe/film.h"
#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_MOST = 30 /* modes that are told; all are in the result */ };

typedef struct spec {
  int kind;
  int friction;
} spec;

static const char *const frictions[] = {"stuck", "sliding", NULL};

const cap_field cap_modes_fields[] = {
    {.key = "friction",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, friction),
     .choices = frictions,
     .fallback = "stuck",
     .example = "stuck",
     .doc = "linearisation of laws with memory: stuck (stiffness directly after a reversal) or sliding"},
    {0}};

typedef struct work {
  int n; /* free coordinates */
  double *K, *C, *M, *values, *vectors;
  double *pairs, *re, *im;
  double *angular_frequency, *ratio;
  cap_arena arena;
} work;

static cap_status create(work *w, int nv, cap_error *error)
{
  *w = (work){0};
  w->K = CAP_ARENA_NEW(&w->arena, double, (nv * nv));
  w->C = CAP_ARENA_NEW(&w->arena, double, (nv * nv));
  w->M = CAP_ARENA_NEW(&w->arena, double, (nv * nv));
  w->values = CAP_ARENA_NEW(&w->arena, double, nv);
  w->vectors = CAP_ARENA_NEW(&w->arena, double, (nv * nv));
  w->pairs = CAP_ARENA_NEW(&w->arena, double, 4 * nv);
  w->re = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  w->im = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  w->angular_frequency = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  w->ratio = CAP_ARENA_NEW(&w->arena, double, 2 * nv);
  if (w->K && w->C && w->M && w->values && w->vectors && w->pairs && w->re && w->im && w->angular_frequency &&
      w->ratio)
    return CAP_OK;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status solve(work *w, const cap_model *m, const cap_data *d, cap_error *error)
{
  int n = w->n;
  if (cap_equilibrium_mass(m, d, w->M) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (capm_eigen_symmetric(n, w->K, w->M, w->values, w->vectors) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS,
                           "the modes could not be computed: the stiffness matrix is not finite");
  return CAP_OK;
}

static int compare(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Modulus and damping ratio of each eigenvalue pair (real ones stand for themselves), slowest first. */
static int damped_modes(work *w)
{
  int count = 0;
  double *pairs = w->pairs;
  for (int k = 0; k < 2 * w->n; k++) {
    if (w->im[k] < 0.0) continue;
    double modulus = hypot(w->re[k], w->im[k]);
    pairs[2 * count] = modulus;
    pairs[2 * count++ + 1] = modulus > 0.0 ? -w->re[k] / modulus : 0.0;
  }
  qsort(pairs, (size_t)count, 2 * sizeof(double), compare);
  for (int k = 0; k < count; k++) {
    w->angular_frequency[k] = pairs[2 * k];
    w->ratio[k] = pairs[2 * k + 1];
  }
  return count;
}

/* "mass,pulley": the coordinates of the mode shapes, in the arena. */
static const char *names_of_free(work *w, const cap_model *m)
{
  size_t room = 1;
  for (int i = 0; i < m->nv; i++) room += m->driven[i] < 0 ? strlen(m->dof_name[i]) + 1 : 0;
  char *names = CAP_ARENA_NEW(&w->arena, char, room), *end = names;
  for (int i = 0; names && i < m->nv; i++)
    if (m->driven[i] < 0) end += sprintf(end, "%s%s", end > names ? "," : "", m->dof_name[i]);
  return names;
}

/* The free coordinate with the largest share in the kinetic energy of mode k, and that share. */
static int main_part(const work *w, int k, double *share)
{
  int main = 0;
  *share = 0.0;
  for (int i = 0; i < w->n; i++) {
    double momentum = 0.0;
    for (int j = 0; j < w->n; j++) momentum += w->M[i * w->n + j] * w->vectors[j * w->n + k];
    double part = momentum * w->vectors[i * w->n + k]; /* the shares of a mode add up to 1 */
    if (part > *share) *share = part, main = i;
  }
  return main;
}

/* Whether each mode has one damped eigenvalue that swings: then they are told together, in their order. */
static bool all_swing(const work *w, int ndamped)
{
  for (int k = 0; k < ndamped; k++)
    if (!(w->ratio[k] < 1.0)) return false;
  return ndamped == w->n;
}

/* The frequencies, for whoever watches the run. */
static void tell(const cap_run *run, const work *w, const spec *s, int ndamped)
{
  const cap_model *m = run->model;
  bool swing = all_swing(w, ndamped);
  cap_progress_note(run->progress, "  modes, friction %-8s %12s %12s%s  kinetic energy mostly in",
                    frictions[s->friction], "Hz", "rad/s", swing ? "   damping, %" : "");
  for (int k = 0; k < w->n && k < TOLD_MOST; k++) {
    double share;
    char damping[32] = "";
    int part = main_part(w, k, &share), name = 0;
    for (int i = 0; i < m->nv; i++) /* the name of the free coordinate `part` */
      if (m->driven[i] < 0 && part-- == 0) name = i;
    if (swing) snprintf(damping, sizeof damping, " %12.3f", 100.0 * w->ratio[k]);
    cap_progress_note(run->progress, "  %4d %18s %12.4f %12.4f%s  %s (%.0f %%)", k + 1, "",
                      w->values[k] / (2.0 * M_PI), w->values[k], damping, m->dof_name[name], 100.0 * share);
  }
  if (w->n > TOLD_MOST)
    cap_progress_note(run->progress, "  and %d more modes in the result", w->n - TOLD_MOST);
}

static cap_status put(cap_run *run, work *w, const spec *s)
{
  cap_sink *sink = run->sink;
  int64_t n = w->n, dims[2] = {n, n};
  CAP_TRY(sink->open(sink, "modes", "modes",
                     s->friction ? "natural frequencies, friction sliding"
                                 : "natural frequencies, friction stuck"));
  CAP_TRY(sink->text(sink, "friction", frictions[s->friction]));
  for (int k = 0; k < n; k++) w->values[k] = w->values[k] > 0.0 ? sqrt(w->values[k]) : 0.0;
  CAP_TRY(sink->array(sink, (cap_column){"angular_frequency", "rad/s", "undamped natural angular frequency"},
                      1, dims, NULL, w->values));
  CAP_TRY(sink->array(sink, (cap_column){"shape", "kg^-1/2", "mode shape, normalised to unit modal mass"}, 2,
                      dims, NULL, w->vectors));
  const char *names = names_of_free(w, run->model);
  if (!names) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->text(sink, "coordinates", names));
  dims[0] = damped_modes(w);
  CAP_TRY(sink->array(sink,
                      (cap_column){"damped.angular_frequency", "rad/s", "modulus of the damped eigenvalue"},
                      1, dims, NULL, w->angular_frequency));
  CAP_TRY(sink->array(sink, (cap_column){"damped.ratio", "1", "damping ratio"}, 1, dims, NULL, w->ratio));
  CAP_TRY(cap_film_put_swing(run, w->n, w->n, w->vectors));
  tell(run, w, s, (int)dims[0]);
  return sink->close(sink);
}

static cap_status modes(cap_run *run, const void *self)
{
  const spec *s = self;
  work w;
  cap_status status = create(&w, run->model->nv, run->error);
  if (status == CAP_OK) {
    w.n = cap_equilibrium_stiffness(run->model, run->data, s->friction == 1, w.K, w.C, run->error);
    if (w.n < 0) status = CAP_ERR_NOMEM;
    if (w.n == 0)
      status = cap_status_fail(
          run->error, CAP_ERR_UNSUPPORTED,
          "modes: no free coordinate; expected at least one coordinate without prescribed motion");
  }
  if (status == CAP_OK) status = solve(&w, run->model, run->data, run->error);
  if (status == CAP_OK &&
      cap_equilibrium_eigenvalues(run->model, run->data, s->friction == 1, w.re, w.im, run->error) < 0)
    status = CAP_ERR_NUMERICS;
  if (status == CAP_OK) status = put(run, &w, s);
  cap_arena_free(&w.arena);
  return status;
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time;
  const spec *s = self;
  int nfree = 0;
  if (m->marches)
    cap_diag_at(diag, path,
                "cannot compute the modes of a running belt of segments; expected belt.model: springs, or "
                "use campbell");
  for (int i = 0; i < m->nv; i++) nfree += m->driven[i] < 0;
  if (!nfree)
    cap_diag_at(diag, path,
                "no free coordinate; expected at least one coordinate without prescribed motion, got none");
  for (int k = 0; s->friction == 0 && k < m->nslider; k++)
    if (isinf(m->slider_k[k])) {
      cap_diag_at(diag, path,
                  "%s is Coulomb friction without compliance, which would lock its body when stuck; expected "
                  "friction: sliding",
                  m->slider_name[k]);
      return;
    }
}

const char cap_modes_doc[] = "natural frequencies, damping and mode shapes about the present state";

const cap_analysis cap_modes_analysis = {
    .name = "modes",
    .doc = cap_modes_doc,
    .fields = cap_modes_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = modes,
};
