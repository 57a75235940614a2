/* step/timestepping.c — half-explicit time stepping on velocity level, with set-valued contacts.
 *
 * Maths: docs/theory.md §36. Positions first, by the velocities at the step's start: q1 = q0 + h v0, and so
 * the inner states, x1 = x0 + h x'(q1, v0, x0); then with all forces there
 *     M(q1) (v1 - v0) = h f(q1, v0, x1, t1) + W(q1) lambda
 * where the impulses lambda of all contacts that are closed at q1 follow from their laws at v1. Elements and
 * smooth contacts act by f. At last q1 is moved, in the norm of M, so that closed contacts do not sink in.
 * First order; the step must resolve the stiffest spring and damper.
 */
#include "elements/elements.h"
#include "linalg/quaternion.h"
#include "step/stepper.h"
#include "step/timestepping_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
  cap_stepper_settings settings;
  int nown; /* inner states of elements and smooth contacts */
  double *f, *xdot, *force, *power, *inertia_work;
  double *q0, *v0, *x0; /* at the step's start */
  double *v1;
  double *q, *v, *x, *still; /* for the audit */
  cap_timestepping_contacts contacts;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_timestepping_contacts_free(&w->contacts);
  cap_arena_free(&w->arena);
  free(w);
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = *self = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->nown = m->nx - m->nset;
  struct {
    double **at;
    int n;
  } all[] = {{&w->f, m->nv},
             {&w->xdot, m->nx},
             {&w->force, m->noutput},
             {&w->power, m->nmech},
             {&w->q0, m->nv},
             {&w->v0, m->nv},
             {&w->x0, m->nx},
             {&w->v1, m->nv},
             {&w->q, m->nv},
             {&w->v, m->nv},
             {&w->x, m->nx},
             {&w->still, m->nv},
             {&w->inertia_work, m->ninertia_work}};
  bool got = true;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    got = got && (*all[k].at = CAP_ARENA_NEW(&w->arena, double, all[k].n));
  cap_status status = got ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = cap_timestepping_contacts_create(m, settings->solver ? settings->solver : "newton",
                                              settings->solver_tolerance > 0.0 ? settings->solver_tolerance
                                                                               : 1e-10,
                                              &w->arena, &w->contacts, error);
  for (int i = 0; status == CAP_OK && i < m->nv; i++) w->still[i] = -m->base[i];
  if (status != CAP_OK) {
    release(w);
    *self = NULL;
  }
  return status;
}

static cap_eval eval_at(memory *w, const double *inputs, const double *t, const double *q, const double *v,
                        const double *x)
{
  return (cap_eval){.nlane = 1,
                    .t = t,
                    .input = inputs,
                    .q = q,
                    .v = v,
                    .x = x,
                    .h = w->f,
                    .xdot = w->xdot,
                    .parted = true,
                    .inertia_work = w->inertia_work};
}

/* Orientations back to norm one. */
static void normalise(const cap_model *m, double *x)
{
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type == &cap_attitude_type && k < m->batches[b].n; k++) {
      double *e = x + m->batches[b].x_adr + 4 * k;
      if (capm_quaternion_norm2(e) > 0.0) capm_quaternion_normalise(e);
    }
}

/* ---- the step ------------------------------------------------------------------------------------------ */

/* Positions and inner states at the step's end; the state there with the velocities of its start. */
static void move(const cap_model *m, memory *w, cap_data *d, double h, double t1)
{
  memcpy(w->q0, d->q, sizeof(double) * (size_t)m->nv);
  memcpy(w->v0, d->v, sizeof(double) * (size_t)m->nv);
  memcpy(w->x0, d->x, sizeof(double) * (size_t)m->nx);
  for (int i = 0; i < m->nv; i++) d->q[i] += h * d->v[i];
  for (int k = 0; k < m->nmotion; k++) {
    double v, a;
    cap_motion_at(&m->motions[k], d->input, t1, &d->q[m->motion_dof[k]], &v, &a);
  }
  if (!w->nown) return;
  cap_eval e = eval_at(w, d->input, &t1, d->q, d->v, d->x);
  cap_model_rates(m, &e);
  for (int k = 0; k < w->nown; k++) d->x[k] += h * w->xdot[k];
  normalise(m, d->x);
}

/* Velocities at the step's end without the impulses. */
static cap_status push(const cap_model *m, memory *w, const cap_data *d, double h, double t1,
                       cap_error *error)
{
  cap_eval e = eval_at(w, d->input, &t1, d->q, d->v, d->x);
  cap_model_rates(m, &e);
  for (int i = 0; i < m->nv; i++) w->v1[i] = h * w->f[i];
  if (m->ninertia) {
    if (!cap_inertia_factor(m, d->q, w->inertia_work))
      return cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s a mass matrix is not positive definite",
                             t1);
    cap_inertia_solve(m, w->inertia_work, w->v1);
  }
  for (int i = 0; i < m->nv; i++) /* the mass of a block's coordinate is 0 there */
    w->v1[i] = d->v[i] + (m->inverse_mass[i] > 0.0 ? w->v1[i] * m->inverse_mass[i] : w->v1[i]);
  for (int k = 0; k < m->nmotion; k++) {
    double q, a;
    cap_motion_at(&m->motions[k], d->input, t1, &q, &w->v1[m->motion_dof[k]], &a);
  }
  return CAP_OK;
}

/* ---- energy -------------------------------------------------------------------------------------------- */

/* Stored without the kinetic energy, at the mean state and `side` times half of what the mean velocities and
 * rates would have moved beyond the step. */
static double stored_beside(const cap_model *m, memory *w, const cap_data *d, double h, double t, double side)
{
  double stored, *q = w->q, *x = w->x;
  for (int i = 0; i < m->nv; i++)
    q[i] = 0.5 * (w->q0[i] + d->q[i] + side * (h * w->v[i] - d->q[i] + w->q0[i]));
  for (int k = 0; k < w->nown; k++)
    x[k] = 0.5 * (w->x0[k] + d->x[k] + side * (h * w->xdot[k] - d->x[k] + w->x0[k]));
  cap_eval e = eval_at(w, d->input, &t, q, w->still, x);
  cap_model_energy(m, &e, &stored);
  return stored;
}

static double stored_at(const cap_model *m, memory *w, const double *inputs, double t, const double *q,
                        const double *v, const double *x)
{
  double stored;
  cap_eval e = eval_at(w, inputs, &t, q, v, x);
  cap_model_energy(m, &e, &stored);
  return stored;
}

/* Works of the elements at the mean state of the step. */
static void works(const cap_model *m, memory *w, cap_data *d, double h, double t)
{
  for (int i = 0; i < m->nv; i++) {
    w->q[i] = 0.5 * (w->q0[i] + d->q[i]);
    w->v[i] = 0.5 * (w->v0[i] + w->v1[i]);
  }
  for (int k = 0; k < m->nx; k++) w->x[k] = 0.5 * (w->x0[k] + d->x[k]);
  cap_eval e = eval_at(w, d->input, &t, w->q, w->v, w->x);
  e.power = w->power;
  cap_model_rates(m, &e);
  cap_model_motion_power(m, &e, w->power);
  for (int k = 0; k < m->nmech; k++) d->work[k] += h * w->power[k];
}

/* All that was fed in less all that was lost so far. */
static double turnover(const cap_model *m, const cap_data *d)
{
  double net = 0.0;
  for (int k = 0; k < m->nmech; k++) net += m->mechs[k].input ? d->work[k] : -d->work[k];
  return net;
}

/* Work of every mechanism over the step and what the method itself took: forces at its end instead of its
 * middle, positions moved by the velocities at its start instead of the mean ones, and by the correction.
 * Exact where stored energies are quadratic. The works of the set-valued contacts are there already. */
static void audit(const cap_model *m, memory *w, cap_data *d, double h, double t1)
{
  double t_m = t1 - 0.5 * h, own = 0.0;
  for (int i = 0; i < m->nv; i++) /* f is that of the step still */
    if (m->driven[i] < 0) own -= (m->base[i] + 0.5 * (w->v0[i] + w->v1[i])) * h * w->f[i];
  works(m, w, d, h, t_m);
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0) own += (m->base[i] + w->v[i]) * h * w->f[i];
  own += stored_beside(m, w, d, h, t_m, 1.0) - stored_beside(m, w, d, h, t_m, -1.0);
  *d->integrator += own;
}

/* Where masses vary: what is missing in the balance of the step,
 * whose mechanisms had `before` at its start. */
static void audit_blocks(const cap_model *m, memory *w, cap_data *d, double h, double t1, double before)
{
  works(m, w, d, h, t1 - 0.5 * h);
  double grown = stored_at(m, w, d->input, t1, d->q, w->v1, d->x) -
                 stored_at(m, w, d->input, t1 - h, w->q0, w->v0, w->x0);
  *d->integrator += turnover(m, d) - before - grown;
}

/* No impulses were found: where a state is not finite, that is the reason. */
static cap_status give_up(const cap_model *m, memory *w, cap_data *d, double t1, cap_status status,
                          cap_error *error)
{
  double sum = 0.0;
  memcpy(d->v, w->v1, sizeof(double) * (size_t)m->nv);
  for (int k = 0; k < m->nstate; k++) sum += 0.0 * d->y[k];
  return sum == 0.0 ? status : cap_model_check_finite(m, t1, d->y, error);
}

static cap_status take_step(const cap_model *m, memory *w, cap_data *d, double h, double t1, cap_error *error)
{
  cap_timestepping_contacts *k = &w->contacts;
  bool audited = w->settings.audit;
  double before = audited && m->ninertia ? turnover(m, d) : 0.0;
  move(m, w, d, h, t1);
  CAP_TRY(push(m, w, d, h, t1, error));
  if (m->nset) {
    cap_timestepping_contacts_find(m, k, t1, h, d->q, d->x, w->v0, w->v1);
    cap_status status = cap_timestepping_contacts_solve(m, k, d, w->inertia_work, t1, h, d->x, w->v1, error);
    if (status != CAP_OK) return give_up(m, w, d, t1, status, error);
    if (audited) cap_timestepping_contacts_audit(m, k, d, w->v0, w->v1);
    CAP_TRY(cap_timestepping_contacts_correct(m, k, d, w->inertia_work, t1, h, !w->settings.uncorrected, d->q,
                                              d->x, w->v1, error));
  }
  if (audited && m->ninertia) audit_blocks(m, w, d, h, t1, before);
  else if (audited) audit(m, w, d, h, t1);
  memcpy(d->v, w->v1, sizeof(double) * (size_t)m->nv);
  *d->t = t1;
  d->steps[CAP_STEPS_STEPS]++;
  return CAP_OK;
}

static void observe(const cap_model *m, memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  cap_eval e = eval_at(w, d->input, d->t, d->q, d->v, d->x);
  e.parted = false;
  e.force = w->force;
  cap_model_rates(m, &e);
  w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "time stepping through impacts provides no tangent");
  int64_t count = cap_stepper_count(m, d, t_end, w->settings.step);
  double t0 = *d->t, h = (*t_end - t0) / (double)count;
  for (int64_t k = 0; k < count; k++) {
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    observe(m, w, d);
    CAP_TRY(take_step(m, w, d, h, k + 1 == count ? *t_end : t0 + (double)(k + 1) * h, error));
    if ((k & 255) == 255) CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  }
  observe(m, w, d);
  return cap_model_check_finite(m, *d->t, d->y, error);
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  if (!m->nset && !m->ninertia && !cap_stepper_parting(m)) return "it has no contacts that can open";
  return cap_stepper_misses(self, m);
}

static int suits(const cap_stepper_type *self, const cap_model *m)
{
  (void)self;
  return m->nset ? 50 : 0;
}

const cap_stepper_type cap_timestepping_type = {
    .name = "timestepping",
    .doc = "half-explicit time stepping on velocity level through impacts, stick and slip of set-valued "
           "contacts; first order, conditionally stable",
    .order = 1,
    .smooth = true,
    .impacts = true,
    .inertia = true,
    .fixed = true,
    .explicit = true,
    .suits = suits,
    .obstacle = obstacle,
    .create = create,
    .advance = advance,
    .free = release,
};
