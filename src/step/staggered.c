/* step/staggered.c — see staggered.h.
 *
 * With one part a step:
 *   q1 = q0 + h v_half,   a1 = M^-1 h(q1, v1*, x1),   v_half += h a1,   v1* = v_half + h/2 a0 (predicted),
 * so that forces that depend on velocities are right to second order, too. With n parts the fast forces are
 * evaluated at each of them; the slow ones act evenly over the step as they were at its start, and at its
 * end half of their change over it is added as a kick: between the ends of steps they do what they would do
 * with one part, and what rests under them feels no kick at all. At the ends of a call velocities are
 * brought to the time of the positions, and the next call starts from them alone, or, where the stepper
 * carries and its step is the same, goes on with v_half and the forces of the last step. Elements that march
 * move their own inner states with the mean velocities of their own step (cap_element_type.marches); the
 * others' go by an exponential Runge-Kutta step (staggered_states.c).
 */
#include "base/clones.h"
#include "step/staggered_held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STIFF_EVERY = 32 }; /* steps with the same added stiffness */

void cap_staggered_free(void *self)
{
  staggered *w = self;
  if (!w) return;
  cap_staggered_held_free(w->held);
  cap_arena_free(&w->arena);
  free(w);
}

double cap_staggered_mobility(const cap_model *m, int dof)
{
  return dof == CAP_GROUND || m->driven[dof] >= 0 ? 0.0 : m->inverse_mass[dof];
}

static cap_status allocate(staggered *w, const cap_model *m)
{
  int slow = w->apart ? m->nv : 0, held = m->impulses ? m->nv : 0;
  struct {
    double **place;
    int n;
  } arrays[] = {{&w->a, m->nv},          {&w->v_half, m->nv},
                {&w->v_star, m->nv},     {&w->h, m->nv},
                {&w->inverse, m->nv},    {&w->xdot, m->nx},
                {&w->xdot0, m->nx},      {&w->x0, m->nx},
                {&w->decay, m->nx},      {&w->rate, m->nx},
                {&w->force, m->noutput}, {&w->power, m->nmech},
                {&w->work, m->nmech},    {&w->jump, m->nmech},
                {&w->hints, m->nhint},   {&w->slip, m->nslider},
                {&w->q_end, m->nv},      {&w->inertia_work, m->ninertia_work},
                {&w->slow, slow},        {&w->a_slow, slow},
                {&w->v_mean, slow},      {&w->stiff_work, cap_staggered_bodies_nwork(m)},
                {&w->a_held, held},      {&w->a_even, held}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k].place = CAP_ARENA_NEW(&w->arena, double, arrays[k].n))) return CAP_ERR_NOMEM;
  w->other.at = CAP_ARENA_NEW(&w->arena, int, m->nx);
  w->other_fast.at = CAP_ARENA_NEW(&w->arena, int, m->nx);
  w->fast_mechs = CAP_ARENA_NEW(&w->arena, staggered_range, m->nfast);
  return w->other.at && w->other_fast.at && w->fast_mechs ? CAP_OK : CAP_ERR_NOMEM;
}

/* Inner states that do not march, and the mechanisms of fast elements. */
static void list_parts(staggered *w, const cap_model *m)
{
  int nfast = 0;
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    const cap_element_type *type = batch->type;
    staggered_states *s = w->apart && type->fast ? &w->other_fast : &w->other;
    for (int k = 0; !type->marches && k < batch->n * type->nstate; k++) s->at[s->n++] = batch->x_adr + k;
    int mechs = (batch->npart ? batch->npart : batch->n) * type->nmech;
    if (type->fast) w->fast_mechs[nfast++] = (staggered_range){batch->mech_adr, batch->mech_adr + mechs};
  }
}

cap_status cap_staggered_create(const cap_model *m, const cap_stepper_settings *settings,
                                const cap_staggered_plan *plan, void **self, cap_error *error)
{
  *self = NULL;
  staggered *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->nv = m->nv, w->nx = m->nx, w->nmech = m->nmech;
  w->plan = *plan;
  w->coulomb = cap_staggered_sliders_coulomb(m);
  w->apart = plan->substeps > 1 || m->impulses;
  if (allocate(w, m) != CAP_OK) {
    cap_staggered_free(w);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  if (!m->impulses) w->a_even = w->a_slow;
  cap_status status = cap_staggered_held_create(m, w, error);
  if (status != CAP_OK) {
    cap_staggered_free(w);
    return status;
  }
  list_parts(w, m);
  for (int i = 0; i < m->nv; i++) w->inverse[i] = cap_staggered_mobility(m, i);
  *self = w;
  return CAP_OK;
}

const char *cap_staggered_obstacle(const cap_stepper_type *type, const cap_model *m)
{
  const char *reason = cap_stepper_misses_bodies(type, m);
  if (reason) return reason;
  return m->ncontact ? "it has contacts" : NULL;
}

void cap_staggered_chosen(const void *self, double *step, int *substeps)
{
  const staggered *w = self;
  *step = w->plan.step;
  *substeps = w->plan.substeps;
}

static double relax_at(const staggered *w, double t)
{
  const cap_stepper_settings *s = &w->settings;
  if (!(s->relax > 0.0) || t >= s->relax_until) return 0.0;
  return s->relax * fmin(1.0, (s->relax_until - t) / s->relax_fade);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

/* Forces of a part of the elements at (t, d->q, v_star, d->x), where elements that march first go over the
 * step h with their mean velocities; 0: nothing moves. */
static void evaluate(const cap_model *m, staggered *w, cap_data *d, cap_eval_part part, double h,
                     const double *v)
{
  bool slow = part == CAP_EVAL_SLOW;
  cap_eval e = {.nlane = 1,
                .part = part,
                .t = d->t,
                .input = d->input,
                .q = d->q,
                .v = v,
                .x = d->x,
                .h = slow ? w->slow : w->h,
                .xdot = w->xdot,
                .decay = w->other.n || w->other_fast.n ? w->decay : NULL,
                .force = w->settings.observer ? w->force : NULL,
                .power = w->settings.audit ? w->power : NULL,
                .march = h,
                .v_half = slow ? w->v_mean : w->v_half,
                .x_march = d->x,
                .jump = w->settings.audit ? w->jump : NULL,
                .relax = relax_at(w, *d->t),
                .hints = w->hints,
                .warm = d->warm,
                .solves = d->solves,
                .held = cap_staggered_held_rows(w)};
  cap_model_rates(m, &e);
  if (e.power) cap_model_motion_power(m, &e, w->power);
}

static void account_range(const staggered *w, int from, int to, double h)
{
  for (int k = from; k < to; k++) w->work[k] += h * w->power[k];
}

/* Work of the evaluation before, over h: that of the fast elements, of all others, or of all. Both parts have
 * a share in what drives the imposed motions. */
static void account(const cap_model *m, staggered *w, cap_eval_part part, double h)
{
  if (!w->settings.audit) return;
  int from = 0, motions = m->nmech - m->nmotion;
  for (int k = 0; k < m->nfast && part != CAP_EVAL_ALL; k++) {
    staggered_range r = w->fast_mechs[k];
    if (part == CAP_EVAL_FAST) account_range(w, r.from, r.to, h);
    else account_range(w, from, r.from, h);
    from = r.to;
  }
  if (part == CAP_EVAL_FAST) account_range(w, motions, m->nmech, h);
  else account_range(w, from, m->nmech, h);
}

static void observe(const cap_model *m, staggered *w, const cap_data *d)
{
  if (w->settings.observer)
    w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

/* ---- kicks and straight lines -------------------------------------------------------------------------- */

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

/* The same where slow forces, held over the step, push beside the fast ones of a part of it. */
CAP_CLONES static void kick_part(int n, double h, const double *restrict f, const double *restrict inverse,
                                 const double *restrict held, double *restrict a, double *restrict v)
{
  for (int i = 0; i < n; i++) {
    a[i] = f[i] * inverse[i];
    v[i] += h * (a[i] + held[i]);
  }
}

/* `mean` gathers the mean velocity over the whole step. */
CAP_CLONES static void drift_part(int n, double h, double share, const double *restrict v,
                                  const double *restrict a, const double *restrict held, double *restrict q,
                                  double *restrict v_star, double *restrict mean)
{
  for (int i = 0; i < n; i++) {
    q[i] += h * v[i];
    v_star[i] = v[i] + 0.5 * h * (a[i] + held[i]);
    mean[i] += share * v[i];
  }
}

CAP_CLONES static void add(int n, double h, const double *restrict a, double *restrict v)
{
  for (int i = 0; i < n; i++) v[i] += h * a[i];
}

static bool pushes_bodies(const cap_model *m, const double *f)
{
  int any = 0;
  for (int k = 0; k < m->ninertia; k++)
    for (int i = 0; i < m->inertias[k].n; i++) any |= f[m->inertias[k].first + i] != 0.0;
  return any;
}

/* Velocities after the kick h of forces that stand in f. */
static void kick_all(const cap_model *m, staggered *w, double h, const double *f, double *a)
{
  kick(m->nv, h, f, w->inverse, a, w->v_half);
  if (m->ninertia) cap_staggered_bodies_kick(m, w, h, f, a);
}

/* The same, where friction without compliance takes part. */
static cap_status accelerate(const cap_model *m, staggered *w, cap_data *d, double h, bool first,
                             cap_error *error)
{
  if (!w->coulomb) {
    kick_all(m, w, h, w->h, w->a);
    return CAP_OK;
  }
  memcpy(w->v_star, w->v_half, sizeof(double) * (size_t)m->nv);
  kick_all(m, w, h, w->h, w->a);
  if (cap_staggered_sliders_hold(m, w, d, h) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS,
                           "at t = %.9g s the dry friction forces did not converge; try a smaller step",
                           *d->t);
  for (int i = 0; i < m->nv; i++) w->a[i] = (w->v_half[i] - w->v_star[i]) / h;
  if (w->settings.audit) cap_staggered_sliders_tell(m, w, d, first);
  return CAP_OK;
}

/* Driven coordinates keep their mean velocity over the step in v_half. */
static void impose(const cap_model *m, staggered *w, cap_data *d, double t, double h)
{
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    double q, v, a;
    cap_motion_at(&m->motions[k], d->input, t, &q, &v, &a);
    w->v_half[i] = (q - d->q[i]) / h;
  }
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static cap_status factor(const cap_model *m, staggered *w, const cap_data *d, bool first, bool stiff,
                         double h, cap_error *error)
{
  if (cap_staggered_bodies_factor(m, w, d->q, first, stiff, h)) return CAP_OK;
  CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "at t = %.9g s the mass matrix of a body is not positive definite", *d->t);
}

/* What the step itself keeps, beyond M: the difference over the steps since K was set belongs to it. */
static void settle_stiff(const cap_model *m, staggered *w, cap_data *d, const double *v, bool opens)
{
  if (!w->plan.stiffen || !m->ninertia || !w->settings.audit) return;
  double now = cap_staggered_bodies_energy(m, w, v);
  if (!opens) *d->integrator += now - w->stiff_energy;
  w->stiff_energy = now;
}

/* Matrices at the positions of a kick; now and then (`stiff`) with stiffnesses of there. */
static cap_status refresh(const cap_model *m, staggered *w, cap_data *d, double h, bool stiff,
                          cap_error *error)
{
  stiff = stiff && w->plan.stiffen;
  if (stiff) settle_stiff(m, w, d, w->v_half, false);
  CAP_TRY(factor(m, w, d, false, stiff, h, error));
  if (stiff) settle_stiff(m, w, d, w->v_half, true);
  return CAP_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* Forces at the start of a call, from the state alone, and the first half of a kick. */
static cap_status start(const cap_model *m, staggered *w, cap_data *d, double h, cap_error *error)
{
  memset(w->work, 0, sizeof(double) * (size_t)m->nmech);
  memset(w->jump, 0, sizeof(double) * (size_t)m->nmech);
  /* hints hold on from call to call while nobody else has moved the system */
  if (memcmp(w->q_end, d->q, sizeof(double) * (size_t)m->nv) != 0)
    memset(w->hints, 0, sizeof(double) * (size_t)m->nhint);
  memcpy(w->v_half, d->v, sizeof(double) * (size_t)m->nv);
  if (w->apart) memcpy(w->v_mean, d->v, sizeof(double) * (size_t)m->nv);
  if (m->ninertia) {
    CAP_TRY(factor(m, w, d, true, true, h, error));
    w->factored = true;
    settle_stiff(m, w, d, d->v, true);
  }
  if (!w->apart) {
    evaluate(m, w, d, CAP_EVAL_ALL, 0.0, d->v);
    CAP_TRY(accelerate(m, w, d, 0.5 * h, true, error));
    account(m, w, CAP_EVAL_ALL, 0.5 * h);
  } else {
    double part = 0.5 * h / w->plan.substeps;
    evaluate(m, w, d, CAP_EVAL_FAST, 0.0, d->v);
    account(m, w, CAP_EVAL_FAST, part);
    evaluate(m, w, d, CAP_EVAL_SLOW, 0.0, d->v);
    account(m, w, CAP_EVAL_SLOW, 0.5 * h);
    kick_all(m, w, part, w->h, w->a);
    kick_all(m, w, part, w->slow, w->a_slow);
    if (w->held) cap_staggered_held_start(m, w, d, h, part);
  }
  observe(m, w, d);
  return CAP_OK;
}

/* The last step of the advance before had its forces at the same place, kicked v_half beyond it and counted
 * half of their work there: with the same h that is the first step of this one. */
static bool goes_on(const staggered *w, double h)
{
  return w->settings.carry && w->goes_on && w->own.h > 0.0 && fabs(w->own.h - h) <= 1e-9 * h && !w->apart &&
         !w->coulomb;
}

static cap_status go_on(const cap_model *m, staggered *w, cap_data *d, double h, cap_error *error)
{
  memset(w->work, 0, sizeof(double) * (size_t)m->nmech);
  memset(w->jump, 0, sizeof(double) * (size_t)m->nmech);
  if (m->ninertia && !w->factored) CAP_TRY(factor(m, w, d, true, true, h, error));
  w->factored = true;
  account(m, w, CAP_EVAL_ALL, 0.5 * h);
  observe(m, w, d);
  return CAP_OK;
}

void cap_staggered_resume(void *self, cap_stepper_left left)
{
  staggered *w = self;
  w->goes_on = left == CAP_STEPPER_WHOLE;
}

int cap_staggered_views(void *self, cap_view *views)
{
  staggered *w = self;
  int n = 0;
  if (w->apart || w->coulomb) return 0;
  views[n++] = (cap_view){CAP_VIEW_CARRIED "step", "s", "last step", false, 1, &w->own.h};
  views[n++] = (cap_view){
      CAP_VIEW_CARRIED "speed", "SI", "velocities half a step on", false, w->nv, w->v_half};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "acceleration", "SI", "accelerations", false, w->nv, w->a};
  views[n++] = (cap_view){
      CAP_VIEW_CARRIED "rate", "SI", "rates of internal variables", false, w->nx, w->xdot};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "decay", "1/s", "their decay", false, w->nx, w->decay};
  views[n++] = (cap_view){
      CAP_VIEW_CARRIED "power", "W", "power of each mechanism", false, w->nmech, w->power};
  return n;
}

/* From positions at d->t and v_half to positions at t and, kicked, v_half beyond. */
static cap_status take_step(const cap_model *m, staggered *w, cap_data *d, double h, double t, bool last,
                            bool stiff, cap_error *error)
{
  if (m->nmotion) impose(m, w, d, t, h);
  if (m->nslider) cap_staggered_sliders_move(m, w, d, w->v_half, h);
  drift(m->nv, h, w->v_half, w->a, d->q, w->v_star);
  if (m->nmotion) cap_model_drive(m, d->input, &t, d->q, w->v_star, NULL);
  if (w->other.n) cap_staggered_states_predict(w, &w->other, d->x, h);
  *d->t = t;
  evaluate(m, w, d, CAP_EVAL_ALL, h, w->v_star);
  if (w->other.n) cap_staggered_states_correct(w, &w->other, d->x, h);
  if (m->ninertia) CAP_TRY(refresh(m, w, d, h, stiff, error));
  CAP_TRY(accelerate(m, w, d, h, false, error));
  account(m, w, CAP_EVAL_ALL, last ? 0.5 * h : h);
  return CAP_OK;
}

/* One part h of a step, up to t, and the fast forces there. */
static void take_part(const cap_model *m, staggered *w, cap_data *d, double h, double t, bool last)
{
  if (m->nmotion) impose(m, w, d, t, h);
  drift_part(m->nv, h, 1.0 / w->plan.substeps, w->v_half, w->a, w->a_even, d->q, w->v_star, w->v_mean);
  if (m->nmotion) cap_model_drive(m, d->input, &t, d->q, w->v_star, NULL);
  if (w->other_fast.n) cap_staggered_states_predict(w, &w->other_fast, d->x, h);
  *d->t = t;
  evaluate(m, w, d, CAP_EVAL_FAST, h, w->v_star);
  if (w->other_fast.n) cap_staggered_states_correct(w, &w->other_fast, d->x, h);
  account(m, w, CAP_EVAL_FAST, last ? 0.5 * h : h);
}

/* Bodies that no fast force pushes need no solution. */
static void kick_bodies_fast(const cap_model *m, staggered *w, double h)
{
  if (m->ninertia && pushes_bodies(m, w->h)) cap_staggered_bodies_kick(m, w, h, w->h, w->a);
}

/* The same as take_step in parts. Slow forces are held over the step as they were at its start; at its end
 * half of their change over it makes up for that, so that both ends have the same share. */
static cap_status take_parts(const cap_model *m, staggered *w, cap_data *d, double h, double t, bool last,
                             bool stiff, cap_error *error)
{
  int n = w->plan.substeps;
  double t0 = *d->t, part = h / n;
  memset(w->v_mean, 0, sizeof(double) * (size_t)m->nv);
  for (int k = 1; k < n; k++) {
    take_part(m, w, d, part, t0 + k * part, false);
    kick_part(m->nv, part, w->h, w->inverse, w->a_even, w->a, w->v_half);
    kick_bodies_fast(m, w, part);
  }
  take_part(m, w, d, part, t, last);
  if (m->nslider) cap_staggered_sliders_move(m, w, d, w->v_mean, h);
  if (w->held) cap_staggered_held_count(m, w, d, h);
  if (w->other.n) cap_staggered_states_predict(w, &w->other, d->x, h);
  evaluate(m, w, d, CAP_EVAL_SLOW, h, w->v_star);
  if (w->other.n) cap_staggered_states_correct(w, &w->other, d->x, h);
  account(m, w, CAP_EVAL_SLOW, last ? 0.5 * h : h);
  if (m->ninertia) CAP_TRY(refresh(m, w, d, h, stiff, error));
  kick(m->nv, part, w->h, w->inverse, w->a, w->v_half);
  kick_bodies_fast(m, w, part);
  add(m->nv, -0.5 * (h - part), w->a_slow, w->v_half);
  if (w->held) cap_staggered_held_keep(m, w);
  kick_all(m, w, 0.5 * (h + part), w->slow, w->a_slow);
  return w->held ? cap_staggered_held_find(m, w, d, h, error) : CAP_OK;
}

/* Velocities at the time of the positions. */
static void synchronise(const cap_model *m, const staggered *w, cap_data *d, double h)
{
  double part = h / w->plan.substeps;
  for (int i = 0; i < m->nv; i++) d->v[i] = w->v_half[i] - 0.5 * part * w->a[i];
  if (w->apart) add(m->nv, -0.5 * part, w->a_even, d->v);
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
}

static void finish(const cap_model *m, staggered *w, cap_data *d)
{
  if (w->settings.audit)
    for (int k = 0; k < m->nmech; k++) d->work[k] += w->work[k] + w->jump[k];
  settle_stiff(m, w, d, d->v, false);
  cap_staggered_sliders_regimes(m, d);
  memcpy(w->q_end, d->q, sizeof(double) * (size_t)m->nv);
}

cap_status cap_staggered_advance(void *self, const cap_model *m, cap_data *d, const double *t_end,
                                 double *tangent, cap_error *error)
{
  staggered *w = self;
  if (tangent)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "the method \"%s\" provides no tangent",
                           w->plan.method);
  int64_t count = cap_stepper_count(m, d, t_end, w->plan.step);
  double t0 = *d->t, h = (*t_end - t0) / (double)count;
  if (w->held) cap_staggered_held_look(w, h);
  const bool on = goes_on(w, h);
  CAP_TRY((on ? go_on : start)(m, w, d, h, error));
  w->own.h = 0.0;
  for (int64_t k = 1; k <= count; k++) {
    double t = k == count ? *t_end : t0 + (double)k * h;
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    CAP_TRY((w->apart ? take_parts : take_step)(m, w, d, h, t, k == count, k % STIFF_EVERY == 0, error));
    if ((k & 255) == 0 || k == count || w->settings.observer) {
      synchronise(m, w, d, h);
      if (!w->settings.observer || k == count) CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
      observe(m, w, d);
    }
  }
  finish(m, w, d);
  d->steps[CAP_STEPS_STEPS] += count;
  d->steps[CAP_STEPS_EVALUATIONS] += count + !on;
  w->own.h = h;
  return CAP_OK;
}
