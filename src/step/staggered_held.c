/* step/staggered_held.c — see staggered_held.h.
 *
 * With the velocity v at the start of the coming step, v_ that of the step before, slow accelerations a_s
 * and held ones a_h (' those of the step before),
 *   v_free = 2 v - v_ + H (a_s - a_s')/2 - H a_h'
 * is the velocity at its end if no held force acted and the mean of the fast forces stayed what it was: of
 * bodies that no fast force pushes it is v + H a_s. The law is solved by the model's impulses for
 *   v_end = v_free + M^-1 J' (lambda_ + (lambda - lambda_)/gain)          lambda_: of the step before
 * (docs/theory.md §52.5 says why a gain below 1): the solver sees the impulses
 * lambda_ + (lambda - lambda_)/gain about their own centre, so that limits are scaled by 1/gain and v_free
 * is moved by M^-1 J' lambda_ (1 - 1/gain).
 */
#include "step/staggered_held.h"
#include "base/clones.h"

#include <stdlib.h>
#include <string.h>

struct staggered_held {
  const cap_impulse_type *type;
  void *solver;
  double *force;               /* [nv] N, of all rows */
  double *v_before, *a_before; /* [nv] velocities of the step's start, slow accelerations of there */
  double *v_free;              /* [nv] */
  cap_arena arena;
};

/* ---- making -------------------------------------------------------------------------------------------- */

void cap_staggered_held_free(staggered_held *s)
{
  if (!s) return;
  s->type->free(s->solver);
  cap_arena_free(&s->arena);
  free(s);
}

cap_status cap_staggered_held_create(const cap_model *m, staggered *w, cap_error *error)
{
  if (!m->impulses) return CAP_OK;
  staggered_held *s = w->held = calloc(1, sizeof *w->held);
  if (!s) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  s->type = m->impulses;
  CAP_TRY(s->type->create(m, &s->solver, error));
  s->force = CAP_ARENA_NEW(&s->arena, double, m->nv);
  s->v_before = CAP_ARENA_NEW(&s->arena, double, m->nv);
  s->a_before = CAP_ARENA_NEW(&s->arena, double, m->nv);
  s->v_free = CAP_ARENA_NEW(&s->arena, double, m->nv);
  if (s->force && s->v_before && s->a_before && s->v_free) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void *cap_staggered_held_solver(const staggered *w)
{
  return w->held->solver;
}

void *cap_staggered_held_rows(const staggered *w)
{
  return w->held ? w->held->type->rows(w->held->solver) : NULL;
}

void cap_staggered_held_look(staggered *w, double h)
{
  w->held->type->look_ahead(w->held->solver, 0.5 * h);
}

/* ---- a step -------------------------------------------------------------------------------------------- */

CAP_CLONES static void kick(int n, double h, const double *restrict f, const double *restrict inverse,
                            double *restrict a, double *restrict v)
{
  for (int i = 0; i < n; i++) {
    a[i] = f[i] * inverse[i];
    v[i] += h * a[i];
  }
}

CAP_CLONES static void add(int n, double h, const double *restrict a, double *restrict v)
{
  for (int i = 0; i < n; i++) v[i] += h * a[i];
}

CAP_CLONES static void sum(int n, const double *restrict a, const double *restrict b, double *restrict to)
{
  for (int i = 0; i < n; i++) to[i] = a[i] + b[i];
}

/* Accelerations by the forces that are held, their kick h, and what acts evenly over the step. */
static void act(const cap_model *m, staggered *w, double h)
{
  staggered_held *s = w->held;
  kick(m->nv, h, s->force, w->inverse, w->a_held, w->v_half);
  if (m->ninertia) cap_staggered_bodies_kick(m, w, h, s->force, w->a_held);
  sum(m->nv, w->a_slow, w->a_held, w->a_even);
}

void cap_staggered_held_start(const cap_model *m, staggered *w, cap_data *d, double h, double part)
{
  staggered_held *s = w->held;
  s->type->load(s->solver, m, d, h, s->force);
  memcpy(s->v_before, d->v, sizeof(double) * (size_t)m->nv);
  act(m, w, part);
}

void cap_staggered_held_keep(const cap_model *m, staggered *w)
{
  memcpy(w->held->a_before, w->a_slow, sizeof(double) * (size_t)m->nv);
}

void cap_staggered_held_count(const cap_model *m, staggered *w, const cap_data *d, double h)
{
  staggered_held *s = w->held;
  if (!w->settings.audit) return;
  s->type->lose(s->solver, m, d, h, w->v_mean, w->jump);
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    w->work[m->nmech - m->nmotion + k] -= h * s->force[i] * (m->base[i] + w->v_mean[i]);
  }
}

/* v at the step's start into v_before, v_free. */
CAP_CLONES static void foresee(int n, double h, double part, double gain, const double *restrict v_half,
                               const double *restrict a, const double *restrict slow,
                               const double *restrict slow_before, const double *restrict held,
                               double *restrict before, double *restrict free)
{
  const double back = 0.5 * part, kept = 1.0 / gain;
  for (int i = 0; i < n; i++) {
    const double v = v_half[i] - back * (a[i] + slow[i] - held[i]);
    free[i] = 2.0 * v - before[i] + 0.5 * h * (slow[i] - slow_before[i]) - kept * h * held[i];
    before[i] = v;
  }
}

static void impose(const cap_model *m, const double *inputs, double t, double *v)
{
  for (int k = 0; k < m->nmotion; k++) {
    double place, speed, acceleration;
    cap_motion_at(&m->motions[k], inputs, t, &place, &speed, &acceleration);
    v[m->motion_dof[k]] = speed;
  }
}

cap_status cap_staggered_held_find(const cap_model *m, staggered *w, cap_data *d, double h, cap_error *error)
{
  staggered_held *s = w->held;
  double part = h / w->plan.substeps;
  const cap_impulse_bodies bodies = {.inverse = w->inverse,
                                     .inertia_work = w->inertia_work,
                                     .stiff_work = w->plan.stiffen ? w->stiff_work : NULL};
  foresee(m->nv, h, part, s->type->gain, w->v_half, w->a, w->a_slow, s->a_before, w->a_held, s->v_before,
          s->v_free);
  impose(m, d->input, *d->t + h, s->v_free);
  CAP_TRY(s->type->find(s->solver, m, d, h, &bodies, s->v_free, s->force, error));
  add(m->nv, 0.5 * part, w->a_held, w->v_half);
  act(m, w, 0.5 * part);
  return CAP_OK;
}
