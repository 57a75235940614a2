/* drives/bodies/convergence/convergence_motion.c — see convergence.h: what is compared, and its course in
 * time. */
#include "drives/bodies/convergence/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

bool cap_convergence_motion_row(const cap_model *m, const char *name, cap_convergence_row *row)
{
  for (int k = 0; k < m->ncontactbatch; k++) {
    const cap_contact_batch *b = &m->contacts[k];
    int nrow = b->type->nrow, stride = 2 * nrow + b->type->nmeasure;
    for (int c = 0; c < b->n; c++)
      for (int r = 0; r < nrow; r++) {
        if (strcmp(m->row_name[b->row_adr + c * nrow + r], name) != 0) continue;
        *row = (cap_convergence_row){.force = b->output_adr + c * stride + r};
        row->slip = row->force + nrow;
        if (b->kind != CAP_LAW_VISCOELASTIC) return true;
        const capm_stick *law = b->type->normal && r == 0 ? &b->normal[c] : &b->stick[c];
        row->k = law->k;
        row->d = law->d;
        return true;
      }
  }
  return false;
}

static void add(cap_convergence_quantity *list, int *n, cap_convergence_quantity q)
{
  q.scale = *n;
  for (int k = *n - 1; k >= 0; k--)
    if (list[k].kind == q.kind && strcmp(list[k].unit, q.unit) == 0) q.scale = list[k].scale;
  list[(*n)++] = q;
}

static cap_status match_rows(const cap_model *ideal, const cap_model *m, int *n,
                             cap_convergence_quantity *list, cap_error *error)
{
  for (int r = 0; r < ideal->nrow; r++) {
    cap_convergence_row a, b;
    if (!cap_convergence_motion_row(ideal, ideal->row_name[r], &a) ||
        !cap_convergence_motion_row(m, ideal->row_name[r], &b))
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "internal mismatch: the row %s is not in both models", ideal->row_name[r]);
    add(list, n, (cap_convergence_quantity){CAP_CONVERGENCE_FORCE, true, {a.force, b.force}, 0, "N"});
    add(list, n, (cap_convergence_quantity){CAP_CONVERGENCE_SLIP, true, {a.slip, b.slip}, 0, "m/s"});
  }
  return CAP_OK;
}

cap_status cap_convergence_motion_match(const cap_model *ideal, const cap_model *m, int *n,
                                        cap_convergence_quantity **list, cap_error *error)
{
  int nv = ideal->nv;
  *n = 0;
  *list = NULL;
  if (m->nv != nv || m->nrow != ideal->nrow)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "internal mismatch: the ideal and the viscoelastic model differ in coordinates or rows");
  *list = calloc((size_t)(2 * nv + ideal->nx + 2 * ideal->nrow), sizeof **list);
  if (!*list) return no_memory(error);
  for (int i = 0; i < nv; i++)
    add(*list, n, (cap_convergence_quantity){CAP_CONVERGENCE_POSITION, false, {i, i}, 0, ideal->dof_unit[i]});
  for (int i = 0; i < nv; i++)
    add(*list, n,
        (cap_convergence_quantity){CAP_CONVERGENCE_VELOCITY, false, {nv + i, nv + i}, 0, ideal->dof_unit[i]});
  for (int k = 0; k < ideal->nx && k < m->nx; k++) /* those of elements come first in both */
    if (strcmp(ideal->x_name[k], m->x_name[k]) == 0 && strcmp(ideal->x_unit[k], "1") == 0)
      add(*list, n,
          (cap_convergence_quantity){CAP_CONVERGENCE_POSITION, false, {2 * nv + k, 2 * nv + k}, 0, "1"});
  cap_status status = match_rows(ideal, m, n, *list, error);
  if (status == CAP_OK) return CAP_OK;
  free(*list);
  *list = NULL;
  return status;
}

/* Whether some contact with friction does not carry what its spring and damper would: it slips. */
static bool slips(const cap_model *m, const cap_data *d, const double *force)
{
  for (int k = 0; k < m->ncontactbatch; k++) {
    const cap_contact_batch *b = &m->contacts[k];
    int nrow = b->type->nrow, stride = 2 * nrow + b->type->nmeasure;
    for (int c = 0; c < b->n && b->kind == CAP_LAW_VISCOELASTIC; c++)
      for (int r = b->type->normal ? 1 : 0; r < nrow; r++) {
        const double *f = force + b->output_adr + c * stride + r;
        double spring = b->stick[c].k * d->x[b->x_adr + c * nrow + r], damper = b->stick[c].d * f[nrow];
        if (fabs(*f - spring - damper) > 1e-9 * (fabs(spring) + fabs(damper))) return true;
      }
  }
  return false;
}

typedef struct scratch {
  double *h, *xdot, *force, *workspace;
} scratch;

static void look(const cap_model *m, const cap_data *d, int which, const scratch *s, int n,
                 const cap_convergence_quantity *list, double *values)
{
  cap_eval e = {.nlane = 1,
                .t = d->t,
                .q = d->q,
                .v = d->v,
                .x = d->x,
                .h = s->h,
                .xdot = s->xdot,
                .force = s->force,
                .workspace = s->workspace};
  cap_model_outputs(m, &e);
  for (int k = 0; k < n; k++) {
    int at = list[k].at[which];
    values[k] = list[k].output ? s->force[at] : d->y[at];
  }
}

cap_status cap_convergence_motion_run(const cap_model *m, int which, const cap_stepper_type *type,
                                      double tolerance, int n, const cap_convergence_quantity *list,
                                      int ntime, const double *times, double *values,
                                      cap_convergence_count *count, cap_error *error)
{
  cap_arena arena = {0};
  scratch s = {CAP_ARENA_NEW(&arena, double, m->nv + 1), CAP_ARENA_NEW(&arena, double, m->nx + 1),
               CAP_ARENA_NEW(&arena, double, m->noutput + 1),
               CAP_ARENA_NEW(&arena, double, m->nworkspace + 1)};
  cap_data *d = cap_data_create(m);
  cap_stepper stepper = {0};
  cap_stepper_settings settings = {.tolerance = tolerance};
  cap_status status = d && s.h && s.xdot && s.force && s.workspace ? CAP_OK : no_memory(error);
  if (status == CAP_OK) status = cap_stepper_create(type, m, &settings, &stepper, error);
  for (int k = 0; status == CAP_OK && k < ntime; k++) {
    if (times[k] > *d->t) status = cap_stepper_advance(&stepper, m, d, &times[k], NULL, error);
    if (status != CAP_OK) break;
    look(m, d, which, &s, n, list, values + (size_t)k * (size_t)n);
    if (count && slips(m, d, s.force)) count->slipping++;
  }
  if (status == CAP_OK && count) count->steps = d->steps[CAP_STEPS_STEPS];
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_arena_free(&arena);
  return status;
}
