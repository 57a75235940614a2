/* A stepper as one adds one: the symplectic method of Euler, v += h a(q, v), then q += h v. */
#include "step/stepper.h"

#include <stdlib.h>

typedef struct memory {
  cap_stepper_settings settings;
  double *slope, *h, *force, *power;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = NULL;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->slope = CAP_ARENA_NEW(&w->arena, double, m->nstate);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  *self = w;
  if (w->slope && w->h && w->force && w->power) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static void evaluate(const cap_model *m, memory *w, cap_data *d)
{
  cap_eval e = {.nlane = 1, .t = d->t, .h = w->h, .force = w->force, .power = w->power};
  cap_model_slopes(m, &e, d->y, NULL, w->slope, NULL);
  if (w->settings.observer)
    w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

static double energy_of(const cap_model *m, const cap_data *d)
{
  cap_eval e = {.nlane = 1, .t = d->t, .q = d->q, .v = d->v, .x = d->x, .inertia_work = d->inertia_work};
  double stored = 0.0;
  cap_model_energy(m, &e, &stored);
  return stored;
}

/* What the step loses by itself: all that the mechanisms do not say. */
static void take_step(const cap_model *m, memory *w, cap_data *d, double step)
{
  double lost = w->settings.audit ? energy_of(m, d) : 0.0;
  evaluate(m, w, d);
  for (int k = 0; w->settings.audit && k < m->nmech; k++) {
    d->work[k] += step * w->power[k];
    lost += m->mechs[k].input ? step * w->power[k] : -step * w->power[k];
  }
  for (int i = m->nv; i < m->nstate; i++) d->y[i] += step * w->slope[i];
  for (int i = 0; i < m->nv; i++) d->q[i] += step * d->v[i];
  if (w->settings.audit) *d->integrator += lost - energy_of(m, d);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  int64_t count = cap_stepper_count(m, d, t_end, w->settings.step);
  double start = *d->t, step = (*t_end - start) / (double)count;
  (void)tangent;
  for (int64_t k = 0; k < count; k++) {
    take_step(m, w, d, step);
    *d->t = k + 1 == count ? *t_end : start + (double)(k + 1) * step;
    if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  }
  d->steps[CAP_STEPS_STEPS] += count;
  d->steps[CAP_STEPS_EVALUATIONS] += count;
  if (w->settings.observer) evaluate(m, w, d);
  return cap_model_check_finite(m, *d->t, d->y, error);
}

const cap_stepper_type cap_toy_euler_type = {
    .name = "toy-euler",
    .doc = "symplectic Euler with fixed steps",
    .order = 1,
    .smooth = true,
    .fixed = true,
    .explicit = true,
    .create = create,
    .advance = advance,
    .free = release,
};
