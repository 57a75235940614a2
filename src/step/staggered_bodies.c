/* step/staggered_bodies.c — bodies with a mass matrix of their own, in staggered steps.
 *
 * Matrices that vary are factored at each step. A body that can be stiffened goes with M + share K
 * (docs/theory.md §47.4): K is taken anew at the start of each call and every few steps, so that it depends
 * on nothing before the call.
 */
#include "step/staggered_work.h"

#include <string.h>

static const double beta = CAP_STAGGERED_BETA;

static const cap_inertia_stiff *stiff_of(const staggered *w, const cap_inertia *b)
{
  return w->plan.stiffen ? b->type->stiff : NULL;
}

int cap_staggered_bodies_nwork(const cap_model *m)
{
  int n = 0;
  for (int k = 0; k < m->ninertia; k++)
    if (m->inertias[k].type->stiff) n += m->inertias[k].type->stiff->nwork(&m->inertias[k]);
  return n;
}

bool cap_staggered_bodies_factor(const cap_model *m, staggered *w, const double *q, bool first, bool stiff,
                                 double h)
{
  bool all = true;
  double *added = w->stiff_work;
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    const cap_inertia_stiff *s = stiff_of(w, b);
    double *work = w->inertia_work + b->work_adr;
    if (s) {
      if (stiff) all = s->set(b, q, h, beta, added) && all;
      if (stiff || b->type->turn) all = all && s->factor(b, q, added, work);
    } else if (first || b->type->turn) all = b->type->factor(b, q, work) && all;
    if (b->type->stiff) added += b->type->stiff->nwork(b);
  }
  return all;
}

void cap_staggered_bodies_kick(const cap_model *m, staggered *w, double h, const double *f, double *a)
{
  const double *added = w->stiff_work;
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    const cap_inertia_stiff *s = stiff_of(w, b);
    double *own = a + b->first, *v = w->v_half + b->first;
    memcpy(own, f + b->first, sizeof(double) * (size_t)b->n);
    if (s) s->solve(b, added, w->inertia_work + b->work_adr, own);
    else b->type->solve(b, w->inertia_work + b->work_adr, 1, own);
    for (int i = 0; i < b->n; i++) v[i] += h * own[i];
    if (b->type->stiff) added += b->type->stiff->nwork(b);
  }
}

double cap_staggered_bodies_energy(const cap_model *m, staggered *w, const double *v)
{
  const double *added = w->stiff_work;
  double sum = 0.0;
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    const cap_inertia_stiff *s = stiff_of(w, b);
    if (s) sum += s->energy(b, added, v + b->first);
    if (b->type->stiff) added += b->type->stiff->nwork(b);
  }
  return sum;
}
