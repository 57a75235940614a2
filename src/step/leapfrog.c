/* step/leapfrog.c — explicit staggered steps, for systems of many parts such as a belt of segments.
 *
 * Maths: docs/theory.md §27.4. Velocities stand between the positions:
 *   q1 = q0 + h v_half,   a1 = h(q1, v1*, x1)/m,   v_half += h a1,   v1* = v_half + h/2 a0 (predicted),
 * so that forces that depend on velocities are right to second order, too. At the ends of a call velocities
 * are brought to the time of the positions, and the next call starts from them alone: a restart at such a
 * time gives the same bits. Elements that march move their own inner states with v_half
 * (elements/belt_contact.c); the others' go by an exponential Runge-Kutta step of second order with their
 * decay, whose second stage is the next evaluation. Sliders with compliance follow the positions; Coulomb
 * friction is implicit in v_half.
 */
#include "base/clones.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MOST = 200 };
static const double step_share = 0.9; /* of the largest stable step, where none is given */

typedef struct memory {
  cap_stepper_settings settings;
  double step;                                 /* s, largest */
  double *a, *v_half, *v_star, *h, *inverse;   /* [nv] */
  double *xdot, *xdot0, *x0, *decay, *rate;    /* [nx]; of the step's start: x0, xdot0, rate */
  double *force, *power, *work, *jump, *hints; /* [noutput], [nmech], ..., [nhint] */
  int *other, nother;                          /* inner states that do not march and are of no slider */
  double *slip;                                /* [nslider] velocity over the last step */
  double *q_end;                               /* [nv] positions at the end of the last call */
  double *inertia_work;                        /* [ninertia_work] factored once */
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

static cap_status allocate(memory *w, const cap_model *m)
{
  struct {
    double **place;
    int n;
  } arrays[] = {{&w->a, m->nv},         {&w->v_half, m->nv},     {&w->v_star, m->nv},
                {&w->h, m->nv},         {&w->inverse, m->nv},    {&w->xdot, m->nx},
                {&w->xdot0, m->nx},     {&w->x0, m->nx},         {&w->decay, m->nx},
                {&w->rate, m->nx},      {&w->force, m->noutput}, {&w->power, m->nmech},
                {&w->work, m->nmech},   {&w->jump, m->nmech},    {&w->hints, m->nhint},
                {&w->slip, m->nslider}, {&w->q_end, m->nv},      {&w->inertia_work, m->ninertia_work}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k].place = CAP_ARENA_NEW(&w->arena, double, arrays[k].n))) return CAP_ERR_NOMEM;
  return (w->other = CAP_ARENA_NEW(&w->arena, int, m->nx)) ? CAP_OK : CAP_ERR_NOMEM;
}

/* 1/mass; 0 of what does not give way. */
static double mobility(const cap_model *m, int dof)
{
  return dof == CAP_GROUND || m->driven[dof] >= 0 ? 0.0 : m->inverse_mass[dof];
}

static void list_others(memory *w, const cap_model *m)
{
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n * m->batches[b].type->nstate; k++)
      if (!m->batches[b].type->marches) w->other[w->nother++] = m->batches[b].x_adr + k;
}

/* 2/pulsation is the limit of the method; what the drive says counts damping in. */
static cap_status choose_step(memory *w, const cap_model *m, cap_error *error)
{
  double fastest = fmax(m->fastest, fmax(m->fastest_inner, m->fastest_body));
  for (int s = 0; s < m->nslider; s++) {
    double k = m->slider_k[s], give = mobility(m, m->slider_i[s]) + mobility(m, m->slider_j[s]);
    if (isfinite(k)) fastest = fmax(fastest, sqrt(k * give));
  }
  w->step = w->settings.step;
  if (w->step > 0.0 && !(w->step * fastest <= 2.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "a step of %.3g s is above the limit of the method \"leapfrog\" for this system, "
                           "%.3g s (fastest pulsation %.3g rad/s)",
                           w->step, 2.0 / fastest, fastest);
  if (w->step > 0.0) return CAP_OK;
  if (!(fastest > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT, "the method \"leapfrog\" needs a step for this system");
  w->step = step_share * 2.0 / fastest;
  return CAP_OK;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  *self = NULL;
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  cap_status status = choose_step(w, m, error);
  if (status == CAP_OK && (status = allocate(w, m)) != CAP_OK)
    cap_status_fail(error, status, "out of memory");
  if (status != CAP_OK) {
    release(w);
    return status;
  }
  list_others(w, m);
  for (int i = 0; i < m->nv; i++) w->inverse[i] = mobility(m, i);
  cap_inertia_factor(m, m->initial, w->inertia_work);
  *self = w;
  return CAP_OK;
}

static double relax_at(const memory *w, double t)
{
  const cap_stepper_settings *s = &w->settings;
  if (!(s->relax > 0.0) || t >= s->relax_until) return 0.0;
  return s->relax * fmin(1.0, (s->relax_until - t) / s->relax_fade);
}

/* Forces at (t, d->q, v, d->x), where elements that march first go over the step h; 0: nothing moves. */
static void evaluate(const cap_model *m, memory *w, cap_data *d, double t, double h, const double *v)
{
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = d->q,
                .v = v,
                .x = d->x,
                .h = w->h,
                .xdot = w->xdot,
                .decay = w->nother ? w->decay : NULL,
                .force = w->settings.observer ? w->force : NULL,
                .power = w->settings.audit ? w->power : NULL,
                .march = h,
                .v_half = w->v_half,
                .x_march = d->x,
                .jump = w->settings.audit ? w->jump : NULL,
                .relax = relax_at(w, t),
                .hints = w->hints,
                .warm = d->warm,
                .solves = d->solves};
  cap_model_rates(m, &e);
  if (e.power) cap_model_motion_power(m, &e, w->power);
}

/* ---- inner states that do not march ---------------------------------------------------------------------
 */

/* (exp(-u) - 1)/(-u) and (exp(-u) - 1 + u)/u^2 */
static void weights(double u, double *first, double *second)
{
  if (u < 1e-3) {
    *first = 1.0 - u * (0.5 - u * (1.0 / 6.0));
    *second = 0.5 - u * (1.0 / 6.0 - u * (1.0 / 24.0));
    return;
  }
  *first = -expm1(-u) / u;
  *second = (1.0 - *first) / u;
}

/* First stage, from the rates of the evaluation before. */
static void predict_others(memory *w, double *x, double h)
{
  for (int k = 0; k < w->nother; k++) {
    int i = w->other[k];
    double first, second;
    w->rate[i] = w->decay[i];
    weights(w->rate[i] * h, &first, &second);
    w->x0[i] = x[i];
    w->xdot0[i] = w->xdot[i];
    x[i] += h * first * w->xdot[i];
  }
}

/* Second stage, from the rates at the predicted state. */
static void correct_others(memory *w, double *x, double h)
{
  for (int k = 0; k < w->nother; k++) {
    int i = w->other[k];
    double first, second;
    weights(w->rate[i] * h, &first, &second);
    x[i] += h * second * (w->xdot[i] - w->xdot0[i] + w->rate[i] * (x[i] - w->x0[i]));
  }
}

/* ---- sliders ------------------------------------------------------------------------------------------- */

static double speed_of(const cap_model *m, const double *v, int s)
{
  return v[m->slider_i[s]] - (m->slider_j[s] == CAP_GROUND ? 0.0 : v[m->slider_j[s]]);
}

static double *slider_forces(const cap_model *m, cap_data *d)
{
  return d->x + m->nx - m->nslider;
}

static double *slider_works(const cap_model *m, double *work)
{
  return work + m->nmech - m->nmotion - m->nslider;
}

/* Sliders with compliance go with the positions; what they do not store is slip. */
static void move_sliders(const cap_model *m, memory *w, cap_data *d, double h)
{
  double *z = slider_forces(m, d), *lost = slider_works(m, w->jump);
  for (int s = 0; s < m->nslider; s++) {
    double k = m->slider_k[s], limit = m->slider_limit[s], drawn = h * speed_of(m, w->v_half, s), z0 = z[s];
    if (isinf(k)) continue;
    z[s] = fmin(fmax(z0 + k * drawn, -limit), limit);
    lost[s] += 0.5 * (z0 + z[s]) * drawn - 0.5 * (z[s] * z[s] - z0 * z0) / k;
  }
}

/* Coulomb friction: forces that bring the velocities after the kick h to rest, or their limits. w->v_half has
 * the velocities under the forces so far. */
static cap_status hold_sliders(const cap_model *m, memory *w, cap_data *d, double h)
{
  double *z = slider_forces(m, d), change = 1.0;
  for (int sweep = 0; sweep < SWEEPS_MOST && change > 1e-14; sweep++) {
    change = 0.0;
    for (int s = 0; s < m->nslider; s++) {
      if (!isinf(m->slider_k[s])) continue;
      int i = m->slider_i[s], j = m->slider_j[s];
      double limit = m->slider_limit[s], speed = speed_of(m, w->v_half, s);
      double give = h * (mobility(m, i) + mobility(m, j)), to = z[s];
      if (give > 0.0) to = z[s] + speed / give;
      else if (speed != 0.0) to = copysign(limit, speed);
      double dz = fmin(fmax(to, -limit), limit) - z[s];
      w->v_half[i] -= h * mobility(m, i) * dz;
      if (j != CAP_GROUND) w->v_half[j] += h * mobility(m, j) * dz;
      z[s] += dz;
      if (limit > 0.0) change = fmax(change, fabs(dz) / limit);
    }
  }
  return change > 1e-14 ? CAP_RETRY_NOCONV : CAP_OK;
}

static bool has_coulomb(const cap_model *m)
{
  for (int s = 0; s < m->nslider; s++)
    if (isinf(m->slider_k[s])) return true;
  return false;
}

/* Power of Coulomb friction between the velocities before and after the kick. */
static void tell_coulomb(const cap_model *m, memory *w, cap_data *d, bool first)
{
  const double *z = slider_forces(m, d);
  double *power = slider_works(m, w->power);
  for (int s = 0; s < m->nslider; s++) {
    double after = speed_of(m, w->v_half, s), before = first ? speed_of(m, d->v, s) : w->slip[s];
    if (isinf(m->slider_k[s])) power[s] = z[s] * (first ? before : 0.5 * (before + after));
    w->slip[s] = after;
  }
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* v += h a and a = f/m, one pass. */
CAP_CLONES static void kick(int n, double h, const double *restrict f, const double *restrict inverse,
                            double *restrict a, double *restrict v)
{
  for (int i = 0; i < n; i++) {
    a[i] = f[i] * inverse[i];
    v[i] += h * a[i];
  }
}

/* q += h v and the velocities that will be at its end. */
CAP_CLONES static void drift(int n, double h, const double *restrict v, const double *restrict a,
                             double *restrict q, double *restrict v_star)
{
  for (int i = 0; i < n; i++) {
    q[i] += h * v[i];
    v_star[i] = v[i] + 0.5 * h * a[i];
  }
}

/* The same for bodies with a mass matrix of their own, which must be constant. */
static void kick_bodies(const cap_model *m, const memory *w, double h)
{
  for (int k = 0; k < m->ninertia; k++) {
    const cap_inertia *b = &m->inertias[k];
    double *a = w->a + b->first, *v = w->v_half + b->first;
    memcpy(a, w->h + b->first, sizeof(double) * (size_t)b->n);
    b->type->solve(b, w->inertia_work + b->work_adr, 1, a);
    for (int i = 0; i < b->n; i++) v[i] += h * a[i];
  }
}

/* Velocities after the kick h (half a step at the start), where friction without compliance takes part. */
static cap_status accelerate(const cap_model *m, memory *w, cap_data *d, double h, bool first,
                             cap_error *error)
{
  if (!has_coulomb(m)) {
    kick(m->nv, h, w->h, w->inverse, w->a, w->v_half);
    if (m->ninertia) kick_bodies(m, w, h);
    return CAP_OK;
  }
  memcpy(w->v_star, w->v_half, sizeof(double) * (size_t)m->nv);
  kick(m->nv, h, w->h, w->inverse, w->a, w->v_half);
  if (m->ninertia) kick_bodies(m, w, h);
  if (hold_sliders(m, w, d, h) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS,
                           "at t = %.9g s the forces of dry friction did not converge in %d sweeps", *d->t,
                           SWEEPS_MOST);
  for (int i = 0; i < m->nv; i++) w->a[i] = (w->v_half[i] - w->v_star[i]) / h;
  if (w->settings.audit) tell_coulomb(m, w, d, first);
  return CAP_OK;
}

/* Driven coordinates keep their mean velocity over the step in v_half. */
static void impose(const cap_model *m, memory *w, cap_data *d, double t, double h)
{
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    double q, v, a;
    cap_motion_at(&m->motions[k], t, &q, &v, &a);
    w->v_half[i] = (q - d->q[i]) / h;
  }
}

static void account(const cap_model *m, memory *w, double h)
{
  if (w->settings.audit)
    for (int k = 0; k < m->nmech; k++) w->work[k] += h * w->power[k];
}

static void observe(const cap_model *m, memory *w, const cap_data *d)
{
  if (w->settings.observer)
    w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

/* Forces at the start of a call, from the state alone, and the first half of a kick. */
static cap_status start(const cap_model *m, memory *w, cap_data *d, double h, cap_error *error)
{
  memset(w->work, 0, sizeof(double) * (size_t)m->nmech);
  memset(w->jump, 0, sizeof(double) * (size_t)m->nmech);
  /* hints hold on from call to call while nobody else has moved the system */
  if (memcmp(w->q_end, d->q, sizeof(double) * (size_t)m->nv) != 0)
    memset(w->hints, 0, sizeof(double) * (size_t)m->nhint);
  memcpy(w->v_half, d->v, sizeof(double) * (size_t)m->nv);
  evaluate(m, w, d, *d->t, 0.0, d->v);
  CAP_TRY(accelerate(m, w, d, 0.5 * h, true, error));
  account(m, w, 0.5 * h);
  observe(m, w, d);
  return CAP_OK;
}

/* From positions at d->t and v_half to positions at t and, kicked, v_half beyond. */
static cap_status take_step(const cap_model *m, memory *w, cap_data *d, double h, double t, bool last,
                            cap_error *error)
{
  if (m->nmotion) impose(m, w, d, t, h);
  if (m->nslider) move_sliders(m, w, d, h);
  drift(m->nv, h, w->v_half, w->a, d->q, w->v_star);
  if (m->nmotion) cap_model_drive(m, &t, d->q, w->v_star, NULL);
  if (w->nother) predict_others(w, d->x, h);
  *d->t = t;
  evaluate(m, w, d, t, h, w->v_star);
  if (w->nother) correct_others(w, d->x, h);
  CAP_TRY(accelerate(m, w, d, h, false, error));
  account(m, w, last ? 0.5 * h : h);
  return CAP_OK;
}

/* Velocities at the time of the positions. */
static void synchronise(const cap_model *m, const memory *w, cap_data *d, double h)
{
  for (int i = 0; i < m->nv; i++) d->v[i] = w->v_half[i] - 0.5 * h * w->a[i];
  if (m->nmotion) cap_model_drive(m, d->t, d->q, d->v, NULL);
}

static void finish(const cap_model *m, memory *w, cap_data *d)
{
  if (w->settings.audit)
    for (int k = 0; k < m->nmech; k++) d->work[k] += w->work[k] + w->jump[k];
  const double *z = slider_forces(m, d);
  for (int s = 0; s < m->nslider; s++)
    d->regime[s] = fabs(z[s]) < m->slider_limit[s] ? 0 : z[s] > 0.0 ? 1 : -1;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent) return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "the method \"leapfrog\" has no tangent");
  int64_t count = cap_stepper_count(m, d, t_end, w->step);
  double t0 = *d->t, h = (*t_end - t0) / (double)count;
  CAP_TRY(start(m, w, d, h, error));
  for (int64_t k = 1; k <= count; k++) {
    CAP_TRY(take_step(m, w, d, h, k == count ? *t_end : t0 + (double)k * h, k == count, error));
    if ((k & 255) == 0 || k == count || w->settings.observer) {
      synchronise(m, w, d, h);
      if (!w->settings.observer || k == count) CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
      observe(m, w, d);
    }
  }
  finish(m, w, d);
  memcpy(w->q_end, d->q, sizeof(double) * (size_t)m->nv);
  d->steps[CAP_STEPS_STEPS] += count;
  d->steps[CAP_STEPS_EVALUATIONS] += count + 1;
  return CAP_OK;
}

const cap_stepper_type cap_leapfrog_type = {
    .name = "leapfrog",
    .doc = "explicit staggered steps for belts of many segments; second order, conditionally stable",
    .order = 2,
    .sliders = true,
    .smooth = true,
    .fixed = true,
    .inertia = true,
    .marches = true,
    .create = create,
    .advance = advance,
    .free = release,
};
