/* model/inertia.c — see inertia.h. */
#include "model/inertia.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

const cap_inertia *cap_inertia_of(const cap_model *m, int dof)
{
  for (int k = 0; k < m->ninertia; k++)
    if (dof >= m->inertias[k].first && dof < m->inertias[k].first + m->inertias[k].n) return &m->inertias[k];
  return NULL;
}

bool cap_inertia_factor(const cap_model *m, const double *q, double *work)
{
  bool all = true;
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    all = b->type->factor(b, q, work + b->work_adr) && all;
  }
  return all;
}

void cap_inertia_solve(const cap_model *m, const double *work, double *x)
{
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    b->type->solve(b, work + b->work_adr, 1, x + b->first);
  }
}

/* Columns of the tangent, each taken out, solved for and put back. column, turned: [b->n] scratch. */
static void accelerate_columns(const cap_inertia *b, const cap_eval *e, const double *work, const double *a,
                               double *column, double *turned, double *dvdot)
{
  for (int c = 0; c < e->ncol; c++) {
    for (int i = 0; i < b->n; i++) column[i] = e->dh[(b->first + i) * e->ncol + c];
    if (b->type->turn) {
      b->type->turn(b, e->q, a, e->dq + c, e->ncol, turned);
      for (int i = 0; i < b->n; i++) column[i] -= turned[i];
    }
    b->type->solve(b, work, 1, column);
    for (int i = 0; i < b->n; i++) dvdot[(b->first + i) * e->ncol + c] = column[i];
  }
}

void cap_inertia_accelerate(const cap_model *m, cap_eval *e, double *vdot, double *dvdot)
{
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    double *work = e->inertia_work + b->work_adr, *a = vdot + b->first;
    if (!b->type->factor(b, e->q, work)) {
      for (int i = 0; i < b->n; i++) a[i] = NAN;
      continue;
    }
    memcpy(a, e->h + b->first, sizeof(double) * (size_t)b->n);
    b->type->solve(b, work, 1, a);
    double *scratch = work + b->type->nwork(b);
    if (e->ncol) accelerate_columns(b, e, work, a, scratch, scratch + b->n, dvdot);
  }
}

double cap_inertia_energy(const cap_model *m, const double *q, const double *v, double *work)
{
  double sum = 0.0;
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    double *own = work + b->work_adr, *p = own + b->type->nwork(b);
    if (!b->type->factor(b, q, own)) return NAN;
    b->type->multiply(b, own, v + b->first, p);
    for (int i = 0; i < b->n; i++) sum += 0.5 * p[i] * v[b->first + i];
  }
  return sum;
}

void cap_inertia_matrix(const cap_model *m, double *work, double *M)
{
  memset(M, 0, sizeof(double) * (size_t)m->nv * (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) M[i * (m->nv + 1)] = m->mass[i];
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    double *own = work + b->work_adr, *unit = own + b->type->nwork(b);
    memset(unit, 0, sizeof(double) * (size_t)b->n);
    for (int i = 0; i < b->n; i++) {
      unit[i] = 1.0; /* columns are rows, M being symmetric */
      b->type->multiply(b, own, unit, M + (b->first + i) * m->nv + b->first);
      unit[i] = 0.0;
    }
  }
}
