/* step/cvode.c — SUNDIALS CVODE with events at velocity reversals.
 *
 * Maths: docs/theory.md §4.4. Variable order and step, BDF with a dense analytic Jacobian. Laws that change
 * form where their deflection turns (Dahl) keep the form of the last event until CVODE's root finder has
 * located the next reversal; there the integrator starts anew, so that no step straddles the corner. The
 * powers of all mechanisms are integrated beside the state for the energy audit. The integrator also starts
 * anew at the beginning of every advance: its history is not part of the data, and a restart must give the
 * same bits.
 */
#include "step/stepper.h"
#include "step/sundials.h"

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
  cap_stepper_settings settings;
  const cap_model *m;
  const double *inputs;   /* of the data that are being moved */
  int n, nevent;          /* equations: state and audit; root functions */
  int *event_elem;        /* [nevent] element that reverses */
  int *event_i, *event_j; /* its coordinates */
  int *found;             /* [nevent] which way each of them turned */
  signed char *sense;     /* [nelem] fixed by the last event */
  double *state;          /* [nstate] with the driven coordinates where their motion puts them */
  double *slope, *h, *dh, *force, *inertia;
  double *directions; /* [nstate][nstate] the identity, without what is imposed */
  double *jacobian;   /* [nstate][nstate] */
  SUNContext context;
  N_Vector y, tolerance;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  void *cvode;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  if (w->cvode) CVodeFree(&w->cvode);
  if (w->solver) SUNLinSolFree(w->solver);
  if (w->matrix) SUNMatDestroy(w->matrix);
  if (w->y) N_VDestroy(w->y);
  if (w->tolerance) N_VDestroy(w->tolerance);
  if (w->context) SUNContext_Free(&w->context);
  cap_arena_free(&w->arena);
  free(w);
}

/* The state as the model sees it: driven coordinates follow their motion itself, not CVODE's integral of it,
 * which would miss a jump of the velocity (the first or last sample of a measured motion). */
static const double *state_at(const memory *w, double t, N_Vector y)
{
  const cap_model *m = w->m;
  if (!m->nmotion) return N_VGetArrayPointer(y);
  memcpy(w->state, N_VGetArrayPointer(y), sizeof(double) * (size_t)m->nstate);
  cap_model_drive(m, w->inputs, &t, w->state, w->state + m->nv, NULL);
  return w->state;
}

static int rhs(sunrealtype t, N_Vector y, N_Vector ydot, void *self)
{
  memory *w = self;
  const cap_model *m = w->m;
  double time = t, *dy = N_VGetArrayPointer(ydot);
  cap_eval e = {.nlane = 1, .t = &time, .sense = w->sense, .h = w->h, .inertia_work = w->inertia};
  e.input = w->inputs;
  if (w->settings.audit) e.power = dy + m->nstate;
  if (cap_stepper_look(m, t, N_VGetArrayPointer(y) + m->nv, NULL) != CAP_OK) return -1;
  cap_model_derivative(m, &e, state_at(w, t, y), NULL, dy, NULL);
  for (int i = 0; i < w->n; i++)
    if (!isfinite(dy[i])) return 1;
  return 0;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *self, N_Vector a, N_Vector b,
                    N_Vector c)
{
  (void)fy, (void)a, (void)b, (void)c;
  memory *w = self;
  const cap_model *m = w->m;
  double time = t;
  cap_eval e = {.nlane = 1, .ncol = m->nstate, .t = &time, .sense = w->sense, .h = w->h, .dh = w->dh};
  e.inertia_work = w->inertia;
  e.input = w->inputs;
  cap_model_derivative(m, &e, state_at(w, t, y), w->directions, w->slope, w->jacobian);
  /* the audit's columns are zero, and its rows are left out:
   * Newton needs no exact derivative of a quadrature */
  for (int col = 0; col < m->nstate; col++)
    for (int row = 0; row < m->nstate; row++) SM_ELEMENT_D(J, row, col) = w->jacobian[row * m->nstate + col];
  return 0;
}

static double event_value(const memory *w, const double *y, int k)
{
  const double *v = y + w->m->nv;
  return v[w->event_i[k]] - (w->event_j[k] == CAP_GROUND ? 0.0 : v[w->event_j[k]]);
}

static int events(sunrealtype t, N_Vector y, sunrealtype *g, void *self)
{
  const memory *w = self;
  const double *state = state_at(w, t, y);
  for (int k = 0; k < w->nevent; k++) g[k] = event_value(w, state, k);
  return 0;
}

static void set_directions(const cap_model *m, memory *w)
{
  for (int i = 0; i < m->nstate; i++) {
    bool imposed = i < 2 * m->nv && m->driven[i % m->nv] >= 0;
    w->directions[i * (m->nstate + 1)] = imposed ? 0.0 : 1.0;
  }
}

static void find_events(const cap_model *m, memory *w)
{
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->reversal && k < m->batches[b].n; k++) {
      w->event_elem[w->nevent] = m->batches[b].elem_adr + k;
      w->event_i[w->nevent] = m->batches[b].i[k];
      w->event_j[w->nevent++] = m->batches[b].j[k];
    }
}

static bool create_cvode(memory *w)
{
  if (!cap_sundials_open(&w->context)) return false;
  w->y = N_VNew_Serial(w->n, w->context);
  w->tolerance = N_VNew_Serial(w->n, w->context);
  w->matrix = SUNDenseMatrix(w->n, w->n, w->context);
  if (!w->y || !w->tolerance || !w->matrix) return false;
  w->solver = SUNLinSol_Dense(w->y, w->matrix, w->context);
  w->cvode = CVodeCreate(CV_BDF, w->context);
  if (!w->solver || !w->cvode) return false;
  N_VConst(1.0, w->tolerance);
  return CAP_SUNDIALS_SILENCE(CVode, w->cvode) && CVodeInit(w->cvode, rhs, 0.0, w->y) == CV_SUCCESS &&
         CVodeSetUserData(w->cvode, w) == CV_SUCCESS &&
         CVodeSVtolerances(w->cvode, w->settings.tolerance, w->tolerance) == CV_SUCCESS &&
         CVodeSetLinearSolver(w->cvode, w->solver, w->matrix) == CV_SUCCESS &&
         CVodeSetJacFn(w->cvode, jacobian) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(w->cvode, 100000000) == CV_SUCCESS &&
         (w->nevent == 0 || CVodeRootInit(w->cvode, w->nevent, events) == CV_SUCCESS) &&
         CVodeSetNoInactiveRootWarn(w->cvode) == CV_SUCCESS;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  w->n = m->nstate + (settings->audit ? m->nmech : 0);
  w->event_elem = CAP_ARENA_NEW(&w->arena, int, m->nelem);
  w->event_i = CAP_ARENA_NEW(&w->arena, int, m->nelem);
  w->event_j = CAP_ARENA_NEW(&w->arena, int, m->nelem);
  w->found = CAP_ARENA_NEW(&w->arena, int, m->nelem);
  w->sense = CAP_ARENA_NEW(&w->arena, signed char, m->nelem);
  w->slope = CAP_ARENA_NEW(&w->arena, double, w->n);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->dh = CAP_ARENA_NEW(&w->arena, double, m->nv * m->nstate);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->state = CAP_ARENA_NEW(&w->arena, double, m->nstate);
  w->directions = CAP_ARENA_NEW(&w->arena, double, m->nstate * m->nstate);
  w->jacobian = CAP_ARENA_NEW(&w->arena, double, m->nstate * m->nstate);
  w->inertia = CAP_ARENA_NEW(&w->arena, double, m->ninertia_work);
  *self = w;
  bool all = w->event_elem && w->event_i && w->event_j && w->sense && w->slope && w->h && w->dh && w->found &&
             w->force && w->state && w->directions && w->jacobian && w->inertia;
  if (all) {
    set_directions(m, w);
    find_events(m, w);
    all = create_cvode(w);
  }
  if (all) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "CVODE could not be set up (out of memory)");
}

/* Absolute tolerances from the size of what is there: relative to the largest of each kind of state. */
static void set_tolerances(memory *w, const cap_data *d)
{
  const cap_model *m = w->m;
  double *tol = N_VGetArrayPointer(w->tolerance), position = 0.0, speed = 0.0, force = 0.0;
  for (int i = 0; i < m->nv; i++) position = fmax(position, fabs(d->q[i]));
  for (int i = 0; i < m->nv; i++) speed = fmax(speed, fabs(d->v[i]) + fabs(m->base[i]));
  for (int k = 0; k < m->nx; k++) force = fmax(force, fabs(d->x[k]));
  double r = w->settings.tolerance;
  for (int i = 0; i < m->nv; i++) {
    tol[i] = r * fmax(1e-2 * position, 1e-6);
    tol[m->nv + i] = r * fmax(1e-2 * speed, 1e-4);
  }
  for (int k = 0; k < m->nx; k++) tol[2 * m->nv + k] = r * fmax(1e-2 * force, 1e-2);
  /* deflections and quaternions, each to its own size */
  for (int k = 0; m->ncontact && k < m->nx; k++)
    tol[2 * m->nv + k] = 1e-2 * r * fmax(fabs(d->x[k]), cap_stepper_inner_size(m, k, fmax(speed, 1e-2)));
  for (int k = m->nstate; k < w->n; k++) tol[k] = r * 1e-3;
  CVodeSVtolerances(w->cvode, r, w->tolerance);
}

/* Which way every reversing element moves from here on: by its velocity; near a reversal, where rounding
 * decides the sign, as the last event has told; at rest, as its acceleration points. */
static void set_sense(memory *w, cap_data *d)
{
  const cap_model *m = w->m;
  double fastest = 0.0;
  for (int i = 0; i < m->nv; i++) fastest = fmax(fastest, fabs(d->v[i]));
  cap_eval e = {.nlane = 1, .t = d->t, .h = w->h, .inertia_work = w->inertia};
  cap_model_derivative(m, &e, d->y, NULL, w->slope, NULL);
  for (int k = 0; k < w->nevent; k++) {
    double v = event_value(w, d->y, k), a = event_value(w, w->slope, k);
    int64_t *sense = &d->sense[w->event_elem[k]];
    if (fabs(v) > 1e-9 * fastest) *sense = v < 0.0 ? -1 : 1;
    else if (v == 0.0 || *sense == 0) *sense = a < 0.0 ? -1 : 1;
    w->sense[w->event_elem[k]] = (signed char)*sense;
  }
}

/* Those that CVODE found turning go the other way from now on. */
static void turn(memory *w, cap_data *d)
{
  if (CVodeGetRootInfo(w->cvode, w->found) != CV_SUCCESS) return;
  for (int k = 0; k < w->nevent; k++)
    if (w->found[k]) {
      int e = w->event_elem[k];
      w->sense[e] = (signed char)(w->found[k] > 0 ? 1 : -1);
      d->sense[e] = w->sense[e];
      d->steps[CAP_STEPS_EVENTS]++;
    }
}

/* Steps since the integrator started anew, which forgets them. */
static void count_steps(const memory *w, cap_data *d)
{
  long steps = 0;
  if (CVodeGetNumSteps(w->cvode, &steps) == CV_SUCCESS) d->steps[CAP_STEPS_STEPS] += steps;
}

static void observe(memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  const cap_model *m = w->m;
  cap_eval e = {.nlane = 1, .t = d->t, .sense = w->sense, .h = w->h, .force = w->force};
  e.inertia_work = w->inertia;
  cap_model_derivative(m, &e, d->y, NULL, w->slope, NULL);
  w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

/* Why it stopped at (t, y): the state itself may tell. */
static cap_status explain(const memory *w, int flag, double t, const double *y, cap_error *error)
{
  CAP_TRY(cap_stepper_look(w->m, t, NULL, error));
  CAP_TRY(cap_model_check_finite(w->m, t, y, error));
  char *name = CVodeGetReturnFlagName(flag);
  cap_status_fail(
      error, CAP_ERR_NUMERICS, "at t = %.9g s CVODE stopped: %s%s", t, name ? name : "unknown reason",
      flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE
          ? ", the step became too small for the tolerance; increase the tolerance, or use method: radau"
          : "");
  free(name);
  return CAP_ERR_NUMERICS;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "CVODE provides no tangent of its solution");
  w->inputs = d->input;
  double *y = N_VGetArrayPointer(w->y);
  memcpy(y, d->y, sizeof(double) * (size_t)m->nstate);
  /* from zero: relative to all the work so far, the tolerance would grow loose in a long run */
  if (w->settings.audit) memset(y + m->nstate, 0, sizeof(double) * (size_t)m->nmech);
  set_sense(w, d);
  set_tolerances(w, d);
  double t = *d->t;
  if (CVodeReInit(w->cvode, t, w->y) != CV_SUCCESS) return explain(w, CV_MEM_NULL, t, y, error);
  CVodeSetStopTime(w->cvode, *t_end);
  /* steps that the clock cannot tell lead nowhere: fail instead of taking them without end */
  CVodeSetMinStep(w->cvode, 4.0 * DBL_EPSILON * fmax(fabs(t), fabs(*t_end)));
  observe(w, d);
  while (t < *t_end) {
    int flag = CVode(w->cvode, *t_end, w->y, &t, w->settings.observer ? CV_ONE_STEP : CV_NORMAL);
    if (flag < 0) return explain(w, flag, t, y, error);
    memcpy(d->y, y, sizeof(double) * (size_t)m->nstate);
    *d->t = t;
    if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
    if (flag == CV_ROOT_RETURN) {
      turn(w, d);
      count_steps(w, d);
      memcpy(y, d->y, sizeof(double) * (size_t)m->nstate);
      if (CVodeReInit(w->cvode, t, w->y) != CV_SUCCESS) return explain(w, CV_MEM_NULL, t, y, error);
      CVodeSetStopTime(w->cvode, *t_end);
    }
    observe(w, d);
  }
  count_steps(w, d);
  *d->t = *t_end;
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  for (int k = 0; w->settings.audit && k < m->nmech; k++) d->work[k] += y[m->nstate + k];
  return cap_model_check_finite(m, *d->t, d->y, error);
}

static int suits(const cap_stepper_type *self, const cap_model *m)
{
  (void)self, (void)m; /* whatever is smooth */
  return 10;
}

const cap_stepper_type cap_cvode_type = {
    .name = "cvode",
    .doc = "SUNDIALS CVODE, variable order and step, events at velocity reversals; smooth laws",
    .smooth = true,
    .inertia = true,
    .ensemble = &cap_rk4_type,
    .repeating = &cap_theta_midpoint_type,
    .suits = suits,
    .create = create,
    .advance = advance,
    .free = release,
};
