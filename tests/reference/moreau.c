/* tests/reference/moreau.c — the half-explicit Moreau step on velocity level.
 *
 * Maths: docs/theory.md §4.2. With q_m = q0 + h/2 v0 and t_m = t0 + h/2,
 *   M (v1 - v0) = h f(q_m, v0, x_s, t_m) - h sum_s b_s z1_s,   q1 = q_m + h/2 v1,
 * the forces of the elements explicit, the sliders implicit: z1 = clamp(z0 + k h s1) (Coulomb:
 * z1 = clamp(z1 + r s1)). The inner states of smooth elements take an explicit step with the mean velocity.
 * The slider forces solve a small piecewise-linear problem G z + r = s, by projected Gauss-Seidel with an
 * exact diagonal. Conditionally stable: h must resolve the stiffest spring and damper.
 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MOST = 10000 };

typedef struct memory {
  cap_stepper_settings settings;
  double *f, *xdot, *v1, *z1, *force, *power, *mean;
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
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->f = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->xdot = CAP_ARENA_NEW(&w->arena, double, m->nx);
  w->v1 = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->z1 = CAP_ARENA_NEW(&w->arena, double, m->nslider);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  w->mean = CAP_ARENA_NEW(&w->arena, double, m->nstate);
  *self = w;
  if (w->f && w->xdot && w->v1 && w->z1 && w->force && w->power && w->mean) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static void evaluate(const cap_model *m, memory *w, double t, const double *q, const double *v,
                     const double *x)
{
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = q,
                .v = v,
                .x = x,
                .h = w->f,
                .xdot = w->xdot,
                .force = w->force,
                .power = w->power};
  cap_model_rates(m, &e);
  cap_model_motion_power(m, &e, w->power);
}

static double compliance(const cap_model *m, int dof)
{
  return dof == CAP_GROUND || m->driven[dof] >= 0 ? 0.0 : 1.0 / m->mass[dof];
}

static double speed_of(const cap_model *m, const double *v, int s)
{
  return v[m->slider_i[s]] - (m->slider_j[s] == CAP_GROUND ? 0.0 : v[m->slider_j[s]]);
}

/* Change the force of slider s by dz: both ends feel it at once. */
static void push(const cap_model *m, double *v, int s, double h, double dz)
{
  int i = m->slider_i[s], j = m->slider_j[s];
  v[i] -= h * compliance(m, i) * dz;
  if (j != CAP_GROUND) v[j] += h * compliance(m, j) * dz;
}

/* New force of one slider, the others held: z = z0 + k h (s - h g (z - z_now)) solved for z, then clamped. */
static double project(const cap_model *m, int s, double h, double z0, double z_now, double speed)
{
  double g = h * (compliance(m, m->slider_i[s]) + compliance(m, m->slider_j[s])), k = m->slider_k[s];
  double z = z_now;
  if (!isinf(k)) z = (z0 + k * h * (speed + g * z_now)) / (1.0 + k * h * g);
  else if (g > 0.0) z = z_now + speed / g;
  else z = speed > 0.0 ? INFINITY : speed < 0.0 ? -INFINITY : z_now;
  return fmin(fmax(z, -m->slider_limit[s]), m->slider_limit[s]);
}

static cap_status solve_sliders(const cap_model *m, memory *w, const double *z0, double h)
{
  for (int s = 0; s < m->nslider; s++) w->z1[s] = z0[s];
  for (int sweep = 0; sweep < SWEEPS_MOST; sweep++) {
    double change = 0.0;
    for (int s = 0; s < m->nslider; s++) {
      double z = project(m, s, h, z0[s], w->z1[s], speed_of(m, w->v1, s)), dz = z - w->z1[s];
      push(m, w->v1, s, h, dz);
      w->z1[s] = z;
      change = fmax(change, fabs(dz) / m->slider_limit[s]);
    }
    if (change <= 1e-14 || m->nslider == 1) return CAP_OK;
  }
  return CAP_RETRY_NOCONV;
}

/* Work of every mechanism over the step, and what the method itself took: the forces that it used are not
 * those at the step's mean state, whose work the springs store and the dampers lose. */
static void audit(const cap_model *m, memory *w, cap_data *d, double t_m, double h, const double *q_m)
{
  int nv = m->nv, first = m->nx - m->nslider, mech = m->nmech - m->nmotion - m->nslider;
  const double *v0 = d->v, *z0 = d->x + first;
  double *q = w->mean, *v = w->mean + nv, *x = w->mean + 2 * nv;
  for (int i = 0; i < nv; i++) {
    v[i] = 0.5 * (v0[i] + w->v1[i]);
    q[i] = m->driven[i] >= 0 ? q_m[i] : q_m[i] + 0.25 * h * (w->v1[i] - v0[i]); /* middle of q0 and q1 */
  }
  if (m->nmotion) cap_model_drive(m, d->input, &t_m, q, v, NULL);
  memcpy(x, d->x, sizeof(double) * (size_t)first);
  memcpy(x + first, w->z1, sizeof(double) * (size_t)m->nslider);
  evaluate(m, w, t_m, q, v, x);
  for (int k = 0; k < m->nmech; k++) d->work[k] += h * w->power[k];
  for (int i = 0; i < nv; i++)
    if (m->driven[i] < 0)
      *d->integrator += (m->base[i] + v[i]) * (h * w->f[i] - m->mass[i] * (w->v1[i] - v0[i]));
  for (int s = 0; s < m->nslider; s++) {
    double dz = w->z1[s] - z0[s], speed = speed_of(m, w->v1, s), k = m->slider_k[s];
    d->work[mech + s] += w->z1[s] * (h * speed - dz / k); /* k = INFINITY: all of it is slip */
    *d->integrator += w->z1[s] * h * (speed_of(m, v, s) - speed) + 0.5 * dz * dz / k;
  }
}

/* Velocities at the end of the step, the slider forces still those of its start. */
static void predict(const cap_model *m, memory *w, const cap_data *d, double t_m, double h, double t1)
{
  double *v = w->mean;
  memcpy(v, d->v, sizeof(double) * (size_t)m->nv);
  if (m->nmotion) cap_model_drive(m, d->input, &t_m, d->q, v, NULL);
  evaluate(m, w, t_m, d->q, v, d->x);
  for (int i = 0; i < m->nv; i++) {
    double q, a;
    if (m->driven[i] >= 0) cap_motion_at(&m->motions[m->driven[i]], d->input, t1, &q, &w->v1[i], &a);
    else w->v1[i] = d->v[i] + h * w->f[i] / m->mass[i];
  }
}

static cap_status take_step(const cap_model *m, memory *w, cap_data *d, double h, double t1, cap_error *error)
{
  int nv = m->nv, first = m->nx - m->nslider;
  double t_m = *d->t + 0.5 * h, *z = d->x + first;
  for (int i = 0; i < nv; i++) d->q[i] += 0.5 * h * d->v[i]; /* the middle of the step */
  predict(m, w, d, t_m, h, t1);
  if (solve_sliders(m, w, z, h) != CAP_OK)
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "at t = %.9g s the friction forces did not converge in %d sweeps; try a smaller step", t1,
        SWEEPS_MOST);
  if (w->settings.audit) audit(m, w, d, t_m, h, d->q);
  if (first) { /* rates of the smooth laws at the mean velocity */
    for (int i = 0; i < nv; i++) w->mean[i] = 0.5 * (d->v[i] + w->v1[i]);
    evaluate(m, w, t_m, d->q, w->mean, d->x);
    for (int k = 0; k < first; k++) d->x[k] += h * w->xdot[k];
  }
  for (int s = 0; s < m->nslider; s++) {
    d->regime[s] = fabs(w->z1[s]) < m->slider_limit[s] ? 0 : w->z1[s] > 0.0 ? 1 : -1;
    z[s] = w->z1[s];
  }
  for (int i = 0; i < nv; i++) d->q[i] += 0.5 * h * w->v1[i];
  memcpy(d->v, w->v1, sizeof(double) * (size_t)nv);
  *d->t = t1;
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  d->steps[CAP_STEPS_STEPS]++;
  return CAP_OK;
}

static void observe(const cap_model *m, memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  evaluate(m, w, *d->t, d->q, d->v, d->x);
  w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent) return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "the Moreau step provides no tangent");
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

const cap_stepper_type cap_moreau_type = {
    .name = "moreau",
    .doc = "half-explicit Moreau step: explicit forces, implicit friction elements; first order, "
           "conditionally stable",
    .order = 1,
    .sliders = true,
    .smooth = true,
    .fixed = true,
    .explicit = true,
    .create = create,
    .advance = advance,
    .free = release,
};
