/* step/propagate.c — the exact propagator (step/exact/exact.h) as a stepper of a model.
 *
 * The state of the model holds slider forces z, the propagator spring deflections w = z/k. The energy audit
 * comes from the propagator's Gauss nodes (loads, dampers) and from the exact distances slid (friction).
 */
#include "model/linearise.h"
#include "step/exact/exact.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
  cap_stepper_settings settings;
  const cap_model *m;
  cap_linear linear;
  cap_exact *exact;
  int *free_dof, *flags;
  int n; /* size of the propagator's state */
  double *y, *tangent, *slip;
  double *node_y, *h, *xdot, *force, *power;
  cap_data *d; /* the data whose audit the nodes feed */
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_exact_free(w->exact);
  cap_arena_free(&w->arena);
  free(w);
}

static cap_status allocate(memory *w, const cap_model *m)
{
  w->n = cap_exact_size(w->exact);
  w->flags = CAP_ARENA_NEW(&w->arena, int, m->nslider);
  w->y = CAP_ARENA_NEW(&w->arena, double, w->n);
  w->tangent = CAP_ARENA_NEW(&w->arena, double, w->n * w->n);
  w->slip = CAP_ARENA_NEW(&w->arena, double, m->nslider);
  w->node_y = CAP_ARENA_NEW(&w->arena, double, m->nstate);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->xdot = CAP_ARENA_NEW(&w->arena, double, m->nx);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  bool all = w->flags && w->y && w->tangent && w->slip && w->node_y && w->h && w->xdot && w->force &&
             w->power;
  return all ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  w->free_dof = CAP_ARENA_NEW(&w->arena, int, m->nv);
  cap_status status = w->free_dof ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = cap_linearise_model(m, 0, &w->arena, &w->linear, w->free_dof, error);
  if (status == CAP_OK) status = cap_exact_create(&w->linear, &w->exact, error);
  if (status == CAP_OK && allocate(w, m) != CAP_OK)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status != CAP_OK) {
    release(w);
    w = NULL;
  }
  *self = w;
  return status;
}

/* Index of a model state in the propagator's state; -1 for a driven coordinate. */
static int index_of(const memory *w, int state)
{
  int nv = w->m->nv, nfree = w->linear.nv;
  if (state >= 2 * nv) return 2 * nfree + state - 2 * nv;
  int at = w->free_dof[state % nv];
  return at < 0 ? -1 : state < nv ? at : nfree + at;
}

/* Factor from the propagator's unit to the model's: deflection to force for sliders. */
static double factor_of(const memory *w, int state)
{
  return state >= 2 * w->m->nv ? w->linear.k[state - 2 * w->m->nv] : 1.0;
}

static void to_exact(memory *w, const cap_data *d)
{
  for (int i = 0; i < w->m->nstate; i++)
    if (index_of(w, i) >= 0) w->y[index_of(w, i)] = d->y[i] / factor_of(w, i);
}

static void to_model(const memory *w, double t, const double *y, double *out)
{
  for (int i = 0; i < w->m->nstate; i++)
    if (index_of(w, i) >= 0) out[i] = y[index_of(w, i)] * factor_of(w, i);
  cap_model_drive(w->m, NULL, &t, out, out + w->m->nv, NULL);
}

static void tangent_to_exact(memory *w, const double *tangent, double *out)
{
  int ns = w->m->nstate;
  memset(out, 0, sizeof(double) * (size_t)(w->n * w->n));
  for (int i = 0; i < ns; i++)
    for (int j = 0; j < ns; j++)
      if (index_of(w, i) >= 0 && index_of(w, j) >= 0)
        out[index_of(w, i) * w->n + index_of(w, j)] = tangent[i * ns + j] / factor_of(w, i) * factor_of(w, j);
}

static void tangent_to_model(const memory *w, const double *in, double *tangent)
{
  int ns = w->m->nstate;
  for (int i = 0; i < ns; i++)
    for (int j = 0; j < ns; j++) {
      bool free_both = index_of(w, i) >= 0 && index_of(w, j) >= 0;
      tangent[i * ns + j] = free_both ? in[index_of(w, i) * w->n + index_of(w, j)] * factor_of(w, i) /
                                            factor_of(w, j)
                                      : 0.0;
    }
}

static void evaluate(memory *w, double t, const double *y)
{
  const cap_model *m = w->m;
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = y,
                .v = y + m->nv,
                .x = y + 2 * m->nv,
                .h = w->h,
                .xdot = w->xdot,
                .force = w->force,
                .power = w->power};
  cap_model_rates(m, &e);
  cap_model_motion_power(m, &e, w->power);
}

/* A Gauss node of the audit. */
static void see_node(void *self, const cap_exact_node *node)
{
  memory *w = self;
  const cap_model *m = w->m;
  for (int i = 0; i < m->nv; i++)
    if (w->free_dof[i] >= 0) {
      w->node_y[i] = node->q[w->free_dof[i]];
      w->node_y[m->nv + i] = node->v[w->free_dof[i]];
    }
  for (int s = 0; s < m->nslider; s++) w->node_y[2 * m->nv + s] = node->z[s];
  cap_model_drive(m, NULL, &node->t, w->node_y, w->node_y + m->nv, NULL);
  evaluate(w, node->t, w->node_y);
  for (int k = 0; k < m->nmech; k++) w->d->work[k] += node->weight * w->power[k];
}

static void observe(memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  evaluate(w, *d->t, d->y);
  w->settings.observer->see(w->settings.observer->self, w->m, d->t, d->y, w->force, NULL);
}

/* Whether the flags belong to the state: a slider on its limit slips, one within sticks. A state that came
 * from elsewhere (the start, another stepper, a Newton step) need not have them right. */
static bool flags_fit(memory *w)
{
  for (int s = 0; s < w->m->nslider; s++) {
    double limit = w->linear.limit[s] / w->linear.k[s], at = w->y[2 * w->linear.nv + s];
    bool on_limit = fabs(at) >= limit * (1.0 - 1e-12);
    if (on_limit) w->y[2 * w->linear.nv + s] = at > 0.0 ? limit : -limit; /* force to deflection rounds */
    if (on_limit != (w->flags[s] != CAP_EXACT_STICK)) return false;
    if (on_limit && (w->flags[s] > 0) != (at > 0.0)) return false;
  }
  return true;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  int first_mech = m->nmech - m->nmotion - m->nslider;
  to_exact(w, d);
  for (int s = 0; s < m->nslider; s++) {
    w->flags[s] = (int)d->regime[s];
    w->slip[s] = 0.0;
  }
  if (!flags_fit(w)) CAP_TRY(cap_exact_start(w->exact, *d->t, w->y, w->flags, error));
  observe(w, d);
  cap_exact_watch watch = {.slip = w->slip};
  if (w->settings.audit) watch.node = see_node;
  watch.self = w;
  w->d = d;
  if (tangent) {
    tangent_to_exact(w, tangent, w->tangent);
    watch.tangent = w->tangent;
  }
  CAP_TRY(cap_exact_advance(w->exact, *d->t, *t_end, w->y, w->flags, &watch, error));
  *d->t = *t_end;
  to_model(w, *d->t, w->y, d->y);
  for (int s = 0; s < m->nslider; s++) {
    d->regime[s] = w->flags[s];
    if (w->settings.audit) d->work[first_mech + s] += m->slider_limit[s] * w->slip[s];
  }
  if (tangent) tangent_to_model(w, w->tangent, tangent);
  d->steps[CAP_STEPS_STEPS]++;
  d->steps[CAP_STEPS_EVENTS] += watch.nevent;
  observe(w, d);
  return cap_model_check_finite(m, *d->t, d->y, error);
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses(self, m);
  if (reason) return reason;
  if (m->nslider > CAP_EXACT_MOST_SLIDERS) return "it has more than 64 friction elements";
  for (int s = 0; s < m->nslider * m->nlane; s++)
    if (!isfinite(m->slider_k[s])) return "it has Coulomb friction without compliance";
  for (int k = 0; k < m->nmotion * m->nlane; k++)
    if (m->motions[k].nspeed)
      return "it has a prescribed motion that rotates continuously and is not harmonic";
  for (int k = 0; k < m->nmotion * m->nlane; k++)
    if (m->motions[k].nsample) return "it has a prescribed motion that is sampled and not harmonic";
  return NULL;
}

static int suits(const cap_stepper_type *self, const cap_model *m)
{
  return cap_stepper_obstacle(self, m) ? 0 : 60;
}

const cap_stepper_type cap_propagate_type = {
    .name = "exact",
    .doc = "exact between changes of stick and slip, by modes or series; events located",
    .sliders = true,
    .exact = true,
    .frozen = true,
    .tangents = true,
    .suits = suits,
    .obstacle = obstacle,
    .create = create,
    .advance = advance,
    .free = release,
};
