/* step/radau.c — implicit Runge-Kutta steps of Radau IIA type, for stiff laws and tight tolerances.
 *
 * Maths: docs/theory.md §19.4. Three, five or seven stages (order 5, 9, 13), chosen by the tolerance. The
 * stages solve one nonlinear system by simplified Newton iterations; the eigenvalues of A^-1 split it into
 * one real and complex systems of the size of (v, x, Lambda). The residual is formed with A^-1 itself, so
 * that the splitting has no part in the result. Jacobian and factors are kept while Newton converges well and
 * the step stays. The error is the defect of the collocation polynomial at the step's start, filtered by the
 * real system, so that stiff parts count only by what they still change. Rounding is no error: what the
 * state's last digit makes of the estimate is allowed.
 *
 * Forces of contacts are unknowns of every stage. Rows of ideal ones hold at every stage, so at the end of
 * every step; a projection (model/constraints.h) then takes away the rounding, and closes the gaps.
 *
 * Unless it carries, all memory starts anew at every advance: the first step tried is the whole way, which is
 * right when rows are written more often than steps need be, and costs a few failed attempts otherwise. What
 * is carried are the last step, from which Newton's start is continued, and where the Jacobian was taken: it
 * and its factors are made again from that where a stepper was restored.
 */
#include "step/radau.h"
#include "model/constraints.h"
#include "model/contacts.h"
#include "step/radau_system.h"
#include "step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CAPM_RADAU_METHOD_MOST };

/* Ratio of Newton's increments up to which longer steps pay, though they make it grow. */
static const double GOOD_RATE = 0.25;

/* What is carried over an advance beside the arrays; doubles alone, for a view. */
typedef struct carried {
  double next;               /* s, the step to try; 0: nothing is known */
  double h_factored;         /* s, 0 = not factored */
  double h_last, h_accepted; /* s, of the step before, 0 = none; for the prediction and for the control */
  double error_last;         /* its error over what was allowed */
  double contraction;        /* of Newton: the error over the last increment */
  double linearised;         /* 1: there is a Jacobian, */
  double t_linearised;       /* s, of then, at the state w->point */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

typedef struct memory {
  cap_stepper_settings settings;
  carried own;
  const cap_model *m;
  capm_radau_method method;
  cap_radau_system system;
  int n;                   /* unknowns of a stage */
  int most;                /* iterations */
  double tolerance;        /* of the error estimate, whose order is lower than the method's */
  double target;           /* of Newton's last increment */
  double *w, *slope;       /* [n] at the step's start */
  double *stage;           /* [n] one stage's state */
  double *z;               /* [stages][n] increments of the stages */
  double *last;            /* of the step before */
  double *residual;        /* [stages][n] */
  double *split;           /* the same by eigenvalue */
  double *size;            /* [n] of each unknown, to which tolerances are relative */
  double *error, *remains; /* [n] */
  double *noise;           /* [n] */
  double *power;           /* [nmech] */
  double *force, *workspace;
  double *point;        /* [n] where the Jacobian is of */
  double *made, t_made; /* [n], s: where the one in memory is of, */
  double h_made;        /* s, and its factors */
  double rate;          /* of Newton: increments' ratio */
  int iterations;
  bool ready;   /* the method is known */
  bool fresh;   /* the Jacobian is of this step */
  bool goes_on; /* what is carried holds */
  cap_arena arena;
} memory;

typedef enum outcome { CONVERGED, DIVERGED, SLOW, SINGULAR } outcome;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

/* ---- stages -------------------------------------------------------------------------------------------- */

/* Driven coordinates follow their motion. */
static void drive_stages(memory *w, double t, double h)
{
  const cap_model *m = w->m;
  for (int i = 0; m->nmotion && i < w->method.stages; i++) {
    double time = t + h * w->method.node[i], *z = w->z + i * w->n;
    cap_model_drive(m, w->system.inputs, &time, w->stage, w->stage + m->nv, NULL);
    for (int k = 0; k < m->nmotion; k++) {
      int q = m->motion_dof[k], v = m->nv + q;
      z[q] = w->stage[q] - w->w[q];
      z[v] = w->stage[v] - w->w[v];
    }
  }
}

/* Start of Newton: the last step's polynomial continued, or nothing when the step is much longer. */
static void predict(memory *w, double t, double h)
{
  int s = w->method.stages, n = w->n;
  double ratio = w->own.h_last > 0.0 ? h / w->own.h_last : INFINITY, weight[MOST];
  memset(w->z, 0, sizeof(double) * (size_t)(s * n));
  for (int i = 0; i < s && ratio <= 2.0; i++) {
    capm_radau_method_extend(&w->method, 1.0 + w->method.node[i] * ratio, weight);
    weight[s - 1] -= 1.0;
    for (int j = 0; j < s; j++)
      for (int k = 0; k < n; k++) w->z[i * n + k] += weight[j] * w->last[j * n + k];
  }
  drive_stages(w, t, h);
}

static void stage_state(memory *w, int i)
{
  for (int k = 0; k < w->n; k++) w->stage[k] = w->w[k] + w->z[i * w->n + k];
}

/* out_i = sum_j factor_ij in_j over the stages */
static void combine(int s, int n, double factor[MOST][MOST], const double *restrict in, double *restrict out)
{
  memset(out, 0, sizeof(double) * (size_t)(s * n));
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      for (int k = 0; k < n; k++) out[i * n + k] += factor[i][j] * in[j * n + k];
}

/* residual = F(W_i) - (1/h) E sum_j A^-1_ij Z_j; false when F is not finite. */
static bool form_residual(memory *w, double t, double h)
{
  const cap_model *m = w->m;
  int s = w->method.stages, n = w->n;
  bool finite = true;
  combine(s, n, w->method.inverse, w->z, w->split);
  for (int i = 0; i < s; i++) {
    double *r = w->residual + i * n;
    stage_state(w, i);
    cap_radau_system_evaluate(&w->system, t + h * w->method.node[i], w->stage, r, NULL);
    for (int k = 0; k < m->nstate; k++) r[k] -= w->split[i * n + k] / h;
    for (int k = 0; k < m->nmotion; k++) r[m->motion_dof[k]] = r[m->nv + m->motion_dof[k]] = 0.0;
    for (int k = 0; k < n; k++) finite = finite && isfinite(r[k]);
  }
  return finite;
}

/* residual := increment of the stages */
static void solve_stages(memory *w)
{
  int s = w->method.stages, n = w->n;
  combine(s, n, w->method.to, w->residual, w->split);
  cap_radau_system_solve(&w->system, w->split);
  for (int p = 0; p < w->method.npair; p++)
    cap_radau_system_solve_pair(&w->system, p, w->split + (1 + 2 * p) * n, w->split + (2 + 2 * p) * n);
  combine(s, n, w->method.from, w->split, w->residual);
}

/* Largest value of a state over the step. */
static double largest(const memory *w, int k)
{
  double size = fabs(w->w[k]);
  for (int i = 0; i < w->method.stages; i++) size = fmax(size, fabs(w->w[k] + w->z[i * w->n + k]));
  return size;
}

/* Size of each kind of state over the step; with contacts the inner states are deflections and quaternions,
 * each of its own size. */
static void measure(memory *w)
{
  const cap_model *m = w->m;
  int start[4] = {0, m->nv, 2 * m->nv, m->nstate};
  for (int kind = 0; kind < 3; kind++) {
    double size = DBL_MIN;
    for (int i = 0; kind == 1 && i < m->nv; i++) size = fmax(size, fabs(m->base[i]));
    for (int k = start[kind]; k < start[kind + 1]; k++) size = fmax(size, w->size[k] = largest(w, k));
    for (int k = start[kind]; k < start[kind + 1]; k++)
      w->size[k] = kind == 2 && m->ncontact ? fmax(w->size[k], m->x_size[k - start[kind]]) : size;
  }
}

/* Largest increment relative to the size of its state. */
static double increment_norm(const memory *w)
{
  double most = 0.0;
  for (int i = 0; i < w->method.stages; i++)
    for (int k = 0; k < w->m->nstate; k++) {
      double part = fabs(w->residual[i * w->n + k]) / w->size[k];
      if (isnan(part)) return INFINITY;
      most = fmax(most, part);
    }
  return most;
}

/* Whether the increments are no more than rounding of the states. */
static bool only_noise(memory *w, double t)
{
  cap_radau_system_noise(&w->system, t, w->w, w->slope, 0, w->noise);
  for (int i = 0; i < w->method.stages; i++)
    for (int k = 0; k < w->m->nstate; k++)
      if (!(fabs(w->residual[i * w->n + k]) <= 8.0 * w->noise[k])) return false;
  return true;
}

static outcome newton(memory *w, double t, double h)
{
  double before = 0.0;
  w->own.contraction = pow(fmax(w->own.contraction, DBL_EPSILON), 0.8);
  w->rate = 0.0;
  for (w->iterations = 1; w->iterations <= w->most; w->iterations++) {
    if (!form_residual(w, t, h)) return DIVERGED;
    solve_stages(w);
    for (int k = 0; k < w->method.stages * w->n; k++) w->z[k] += w->residual[k];
    measure(w);
    double norm = increment_norm(w);
    if (!isfinite(norm)) return DIVERGED;
    if (w->iterations > 1) {
      double ratio = norm / before, known = w->rate;
      if (ratio > 0.5 && norm > w->target && only_noise(w, t)) return CONVERGED;
      /* the first ratio flatters: what the Jacobian knows is solved at once, the rest shows later */
      w->rate = sqrt(w->iterations == 2 ? ratio : ratio * known);
      w->own.contraction = w->rate < 0.99 ? w->rate / (1.0 - w->rate) : 1.0;
      /* a good start makes the first increments alike: one ratio tells of divergence only when it is large */
      bool diverges = w->rate >= (w->iterations == 2 ? 2.0 : 0.99);
      bool late = w->rate < 0.99 &&
                  w->own.contraction * norm * pow(w->rate, w->most - w->iterations) > w->target;
      if (norm > w->target && (diverges || (late && w->iterations > 2))) return diverges ? DIVERGED : SLOW;
    }
    /* how the last step converged says nothing about this one if a law has a kink between them */
    double left = w->iterations > 1 ? w->own.contraction : fmax(w->own.contraction, 1.0);
    if (left * norm <= w->target) return CONVERGED;
    before = norm;
  }
  return SLOW;
}

/* ---- error and step ------------------------------------------------------------------------------------ */

/* Largest component of `error` over what is allowed. */
static double excess(const memory *w, const double *error, double tolerance, bool noise)
{
  double worst = 0.0;
  for (int k = 0; k < w->m->nstate; k++) {
    double part = (fabs(error[k]) - (noise ? 8.0 * w->noise[k] : 0.0)) / (tolerance * w->size[k]);
    if (isnan(part)) return INFINITY;
    worst = fmax(worst, part);
  }
  return worst;
}

/* The estimate, whose order is s + 1, against its own tolerance. */
static double excess_of_estimate(const memory *w, bool noise)
{
  return excess(w, w->error, w->tolerance, noise);
}

/* What of it is left when it is sharpened to the order 2s, but for stiff parts, against the tolerance that
 * was asked for; as a number of the lower order. */
static double excess_of_remains(const memory *w, bool noise)
{
  double order = w->method.stages + 1.0, own = 2.0 * w->method.stages;
  return pow(excess(w, w->remains, w->settings.tolerance, noise), order / own);
}

/* remains := ratio [(hJ / gamma) (1 - hJ / gamma)^-1]^(s-1) error; the ratio makes it the error itself where
 * the system is linear and the step short. */
static void sharpen(memory *w)
{
  double ratio = 1.0;
  for (int k = 1; k <= w->method.stages; k++) ratio *= w->method.gamma / (w->method.stages + k);
  for (int k = 0; k < w->n; k++) w->remains[k] = ratio * w->error[k];
  for (int i = 1; i < w->method.stages; i++) cap_radau_system_sharpen(&w->system, w->remains);
}

/* (gamma E / h - F_w) error = F(w0) - E u'(0): the defect of the polynomial u at the start, filtered. */
static double estimate_error(memory *w, double t, double h)
{
  const cap_model *m = w->m;
  int n = w->n;
  memcpy(w->error, w->slope, sizeof(double) * (size_t)n);
  for (int k = 0; k < m->nstate; k++)
    for (int j = 0; j < w->method.stages; j++) w->error[k] -= w->method.start_slope[j] * w->z[j * n + k] / h;
  for (int k = 0; k < m->nmotion; k++) w->error[m->motion_dof[k]] = w->error[m->nv + m->motion_dof[k]] = 0.0;
  cap_radau_system_solve(&w->system, w->error);
  sharpen(w);
  double estimate = excess_of_estimate(w, false), remains = excess_of_remains(w, false);
  /* rounding shows first in the stiff parts, where it would hold the step back for ever */
  if (estimate <= 1.0 && remains <= fmax(estimate, 0.05)) return fmax(estimate, remains);
  cap_radau_system_noise(&w->system, t, w->w, w->slope, w->method.stages - 1, w->noise);
  return fmax(excess_of_estimate(w, true), excess_of_remains(w, true));
}

/* Factor of the next step by the error alone, and by how it changed since the last step (Gustafsson). */
static double propose(const memory *w, double h, double error, bool accepted)
{
  double order = w->method.stages + 1.0, most = w->most;
  double safety = 0.9 * (2.0 * most + 1.0) / (2.0 * most + w->iterations);
  double factor = error > 0.0 ? safety * pow(error, -1.0 / order) : 8.0;
  if (accepted && w->own.h_accepted > 0.0 && error > 0.0) {
    double trend = 0.9 * h / w->own.h_accepted * pow(error * error / w->own.error_last, -1.0 / order);
    factor = fmin(factor, trend);
  }
  if (accepted && w->rate > 0.0) factor = fmin(factor, fmax(1.0, GOOD_RATE / w->rate));
  return fmin(8.0, fmax(0.1, factor));
}

static void linearise(memory *w)
{
  cap_radau_system_linearise(&w->system, w->own.t_linearised, w->point);
  memcpy(w->made, w->point, sizeof(double) * (size_t)w->n);
  w->t_made = w->own.t_linearised;
  w->h_made = 0.0;
}

static bool factor(memory *w, double h)
{
  w->h_made = h;
  return cap_radau_system_factor(&w->system, &w->method, h);
}

/* Jacobian and factors are made again where others than those that are carried are in memory. */
static bool make_again(memory *w)
{
  if (w->own.linearised == 0.0) return true;
  if (w->t_made != w->own.t_linearised || memcmp(w->made, w->point, sizeof(double) * (size_t)w->n) != 0)
    linearise(w);
  return w->own.h_factored == 0.0 || w->h_made == w->own.h_factored || factor(w, w->own.h_factored);
}

/* The Jacobian is that of a stage in the middle, as far as the prediction knows it: half as far from all
 * others as the start is. */
static bool prepare(memory *w, double t, double h)
{
  if (w->own.linearised == 0.0) {
    int middle = w->method.stages / 2;
    stage_state(w, middle);
    w->own.t_linearised = t + h * w->method.node[middle];
    memcpy(w->point, w->stage, sizeof(double) * (size_t)w->n);
    linearise(w);
    w->own.linearised = 1.0;
    w->own.h_factored = 0.0;
    w->fresh = true;
  }
  /* rows lie evenly up to rounding */
  if (fabs(w->own.h_factored - h) <= (w->settings.carry ? 1e-9 * h : 0.0)) return true;
  w->own.h_factored = 0.0;
  if (!factor(w, h)) return false;
  w->own.h_factored = h;
  return true;
}

/* The way on after a failed iteration: a new Jacobian for the same step, or a shorter step. */
static double retreat(memory *w, double h, outcome why)
{
  bool stale = why != SINGULAR && !w->fresh;
  w->own.contraction = 1.0;
  w->own.linearised = 0.0;
  return stale ? h : why == SLOW ? h * fmin(0.7, fmax(0.3, GOOD_RATE / w->rate)) : 0.25 * h;
}

/* From w->w: the length of the step that is done, its stages in w->z; 0 when there is none. *next is the step
 * to try after it. */
static double settle_step(memory *w, cap_data *d, double h, double *next)
{
  double least = 16.0 * DBL_EPSILON * (fabs(*d->t) + h);
  bool rejected = false;
  while (h >= least && h > 0.0) {
    outcome result = SINGULAR;
    predict(w, *d->t, h);
    if (prepare(w, *d->t, h)) {
      result = newton(w, *d->t, h);
      d->steps[CAP_STEPS_ITERATIONS] += w->iterations;
      d->steps[CAP_STEPS_EVALUATIONS] += (int64_t)w->iterations * w->method.stages;
    }
    if (result != CONVERGED) {
      if (cap_progress_stopped(w->m->progress)) return 0.0; /* factors that were broken off, perhaps */
      h = retreat(w, h, result);
      rejected = true;
      continue;
    }
    double error = estimate_error(w, *d->t, h), factor = propose(w, h, error, error <= 1.0);
    if (error <= 1.0) {
      *next = h * (rejected ? fmin(factor, 1.0) : factor);
      w->own.h_accepted = h;
      w->own.error_last = fmax(error, 1e-2);
      return h;
    }
    h *= isfinite(error) ? fmin(0.9, factor) : 0.1;
    rejected = true;
  }
  return 0.0;
}

/* ---- the way to t_end ---------------------------------------------------------------------------------- */

void cap_radau_observe(void *self, const cap_data *d)
{
  memory *w = self;
  if (!w->settings.observer) return;
  cap_eval e = {.nlane = 1, .t = d->t, .input = d->input, .h = w->system.h, .force = w->force};
  e.workspace = w->workspace;
  e.inertia_work = w->system.inertia;
  cap_model_derivative(w->m, &e, d->y, NULL, w->stage, NULL);
  w->settings.observer->see(w->settings.observer->self, w->m, d->t, d->y, w->force, NULL);
}

/* Work of the mechanisms by the quadrature of the same nodes. */
static void add_work(memory *w, cap_data *d, double h)
{
  for (int i = 0; w->settings.audit && i < w->method.stages; i++) {
    stage_state(w, i);
    cap_radau_system_evaluate(&w->system, *d->t + h * w->method.node[i], w->stage, w->error, w->power);
    for (int k = 0; k < w->m->nmech; k++) d->work[k] += h * w->method.weight[i] * w->power[k];
  }
}

static cap_status finish_step(memory *w, cap_data *d, double h, double t, cap_error *error)
{
  const cap_model *m = w->m;
  const double *end = w->z + (w->method.stages - 1) * w->n;
  add_work(w, d, h);
  for (int k = 0; k < m->nstate; k++) d->y[k] += end[k];
  for (int k = m->nstate; k < w->n; k++) w->w[k] += end[k];
  *d->t = t;
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  memcpy(w->last, w->z, sizeof(double) * (size_t)(w->method.stages * w->n));
  w->own.h_last = h;
  d->steps[CAP_STEPS_STEPS]++;
  return m->nideal ? cap_constraints_project(m, t, d->y, w->workspace, error) : CAP_OK;
}

/* Whether Jacobian and factors serve once more. */
static double keep_or_renew(memory *w, double h, double next)
{
  bool good = w->rate <= 1e-2;
  w->fresh = false;
  if (!good) w->own.linearised = 0.0;
  return good && next >= h && next <= 1.2 * h ? h : next;
}

/* Nothing is known from before; a state on the constraints, and multipliers that belong to it. */
static cap_status start_anew(memory *w, cap_data *d, cap_error *error)
{
  const cap_model *m = w->m;
  w->own.h_factored = w->own.h_last = w->own.h_accepted = w->own.linearised = 0.0;
  w->own.contraction = 1.0;
  w->fresh = false;
  if (m->nideal) CAP_TRY(cap_constraints_project(m, *d->t, d->y, w->workspace, error));
  memcpy(w->w, d->y, sizeof(double) * (size_t)m->nstate);
  cap_radau_system_load(&w->system, *d->t, w->w);
  if (!m->nideal) return CAP_OK;
  return cap_constraints_multipliers(m, *d->t, d->y, w->workspace, w->w + m->nstate, error);
}

static cap_status explain(memory *w, const cap_data *d, cap_error *error)
{
  int dependent = -1;
  if (w->m->nideal) cap_constraints_rank(w->m, *d->t, d->y, w->workspace, &dependent);
  if (dependent >= 0) return cap_constraints_fail_rank(w->m, *d->t, dependent, error);
  return cap_status_fail(
      error, CAP_ERR_NUMERICS,
      "at t = %.9g s the step became too small for a tolerance of %.3g; increase the tolerance", *d->t,
      w->settings.tolerance);
}

static void start_step(memory *w, const cap_data *d)
{
  memcpy(w->w, d->y, sizeof(double) * (size_t)w->m->nstate);
  cap_radau_system_evaluate(&w->system, *d->t, w->w, w->slope, NULL);
}

/* With other inputs the step that was found still serves. */
static void resume(void *self, cap_stepper_left left)
{
  memory *w = self;
  w->goes_on = left == CAP_STEPPER_WHOLE;
  if (left == CAP_STEPPER_MOVED) w->own.next = 0.0;
}

static int views(void *self, cap_view *views)
{
  memory *w = self;
  const int nstate = w->m->nstate;
  int n = 0;
  views[n++] = (cap_view){.name = CAP_VIEW_CARRIED "step",
                          .unit = "SI",
                          .meaning = "next step; factors, last step, its error, Newton, Jacobian",
                          .count = CARRIED,
                          .values = &w->own};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "last", "SI",   "stages of the last step", false,
                          w->method.stages * w->n, w->last};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "point", "SI", "where the Jacobian is of", false, w->n, w->point};
  views[n++] = (cap_view){
      CAP_VIEW_CARRIED "multipliers", "N", "forces of contacts", false, w->n - nstate, w->w + nstate};
  return n;
}

cap_status cap_radau_open(void *self, cap_data *d, double t_end, cap_error *error)
{
  memory *w = self;
  CAP_TRY(cap_model_check_finite(w->m, *d->t, d->y, error));
  if (!w->ready && capm_radau_method_set(w->method.stages, &w->method) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "no eigenvalues of the Radau method");
  w->ready = true;
  w->system.inputs = d->input;
  if (!w->settings.carry || !w->goes_on || !make_again(w)) CAP_TRY(start_anew(w, d, error));
  w->goes_on = true;
  if (!w->settings.carry || w->own.next == 0.0) w->own.next = t_end - *d->t;
  return CAP_OK;
}

void cap_radau_enter(void *self, double step)
{
  memory *w = self;
  w->goes_on = false;
  w->own.next = step;
}

cap_status cap_radau_go(void *self, cap_data *d, double t_end, double *length, cap_error *error)
{
  memory *w = self;
  double next = w->own.next;
  double left = t_end - *d->t, h = next >= left * (1.0 - 1e-9) ? left : next > 0.5 * left ? 0.5 * left : next;
  CAP_TRY(cap_stepper_look(w->m, *d->t, d->v, error));
  cap_radau_observe(w, d);
  start_step(w, d);
  double asked = h;
  h = settle_step(w, d, h, &next);
  if (!(h > 0.0)) {
    CAP_TRY(cap_stepper_look(w->m, *d->t, d->v, error));
    return explain(w, d, error);
  }
  bool whole = asked == left && h == asked;
  CAP_TRY(finish_step(w, d, h, whole ? t_end : *d->t + h, error));
  next = keep_or_renew(w, h, next);
  /* a step that was cut short says little about the next one */
  w->own.next = w->settings.carry && h == asked ? fmax(next, w->own.next > h ? w->own.next : 0.0) : next;
  *length = h;
  return cap_model_check_finite(w->m, *d->t, d->y, error);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  double unused;
  (void)m;
  if (tangent)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "radau provides no tangent of its solution");
  CAP_TRY(cap_radau_open(w, d, *t_end, error));
  while (*d->t < *t_end) {
    CAP_TRY(cap_radau_go(w, d, *t_end, &unused, error));
  }
  cap_radau_observe(w, d);
  return CAP_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static bool allocate(memory *w, const cap_model *m)
{
  int s = w->method.stages;
  bool all = cap_radau_system_create(&w->system, m, w->method.npair, &w->arena);
  int n = w->n = w->system.n;
  double **vectors[] = {&w->w,       &w->slope, &w->stage, &w->size, &w->error,
                        &w->remains, &w->noise, &w->point, &w->made};
  double **stages[] = {&w->z, &w->last, &w->residual, &w->split};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    all = (*vectors[k] = CAP_ARENA_NEW(&w->arena, double, n)) && all;
  for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
    all = (*stages[k] = CAP_ARENA_NEW(&w->arena, double, (s * n))) && all;
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->workspace = CAP_ARENA_NEW(&w->arena, double, m->nworkspace);
  return all && w->power && w->force && w->workspace;
}

/* Stages that reach a tolerance at the least cost, as measured. */
static int stages_for(double tolerance)
{
  return tolerance > 5e-5 ? 3 : tolerance > 5e-9 ? 5 : 7;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = w;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  int stages = stages_for(settings->tolerance);
  w->method.stages = stages; /* the rest of it at the first step: it takes longer than a short run */
  w->method.npair = (stages - 1) / 2;
  /* the estimate is of order s + 1, the local error of order 2s: what the one shall be for the other */
  w->tolerance = 0.1 * pow(settings->tolerance, (stages + 1.0) / (2.0 * stages));
  /* a step in which a contact begins or ends to slip has a corner, and the local error no such order */
  if (cap_contacts_may_slip(m)) w->tolerance = settings->tolerance;
  w->target = fmax(0.01 * settings->tolerance, 4.0 * DBL_EPSILON);
  w->most = 10 + 2 * stages;
  if (allocate(w, m)) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses(self, m);
  if (reason) return reason;
  if (cap_stepper_parting(m)) return "it has contacts that can open";
  if (cap_stepper_jumping(m)) return "it has an element with a discontinuous force";
  return m->reversal ? "it has a law that switches at reversals" : NULL;
}

/* Viscoelastic contacts are stiff. */
static int suits(const cap_stepper_type *self, const cap_model *m)
{
  return m->ncontact && !cap_stepper_obstacle(self, m) ? 30 : 0;
}

const cap_stepper_type cap_radau_type = {
    .name = "radau",
    .doc = "implicit Runge-Kutta method (Radau IIA), order 5, 9 or 13 chosen by the tolerance; stiff laws, "
           "ideal contacts",
    .smooth = true,
    .inertia = true,
    .constraints = true,
    .suits = suits,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create,
    .advance = advance,
    .free = release,
};
