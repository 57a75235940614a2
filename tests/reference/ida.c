/* tests/reference/ida.c — SUNDIALS IDA on systems with ideal contacts, stabilised, of index two.
 *
 * Maths: docs/theory.md §19.5. Unknowns are the state (q, v, x), the impulses nu of the ideal rows (nu' is
 * the multiplier Lambda), eta of the gaps (eta' = mu keeps them closed, after Gear, Gupta and Leimkuhler)
 * and, with the audit, the work of every mechanism:
 *
 *     0 = q' - v + M^-1 J_gap' eta'          0 = J v - b          0 = w' - power
 *     0 = v' - M^-1 (h - J' nu')             0 = gap              0 = x' - g
 *
 * Variable order and step, BDF with a dense analytic Jacobian, which is made anew whenever the step changes:
 * the constraints do not scale with the step, so the correction that IDA applies to an old one would spoil
 * them. Impulses, because multipliers themselves are worse by one order of the step than velocities: their
 * noise would break Newton's test. What is given out is projected onto the constraints; IDA's history is not
 * touched by that. The integrator starts anew at the beginning of every advance: its history is not part of
 * the data, and a restart must give the same bits.
 *
 * Models without ideal contacts are ordinary differential equations here, and computed as such. Laws that
 * change form at reversals are refused: CVODE (step/cvode.c) locates them.
 */
#include "model/constraints.h"
#include "reference.h"
#include "step/sundials.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
  cap_stepper_settings settings;
  const cap_model *m;
  int n, impulse, lift, work; /* unknowns; where impulses, gaps' impulses and work begin */
  int *gap_row;               /* [ngap] the ideal row that is its rate */
  double *reach;              /* [ngap][nv] 1 where a coordinate may move to close the gap, else 0 */
  double *state;              /* [nstate] with the driven coordinates where their motion puts them */
  double *h, *dh, *xdot, *dxdot, *power, *force, *slope, *workspace;
  double *slip, *dslip, *gap, *dgap, *rows;
  double *directions;             /* [nstate][nstate] the identity, without what is imposed */
  double *multiplier;             /* [nideal] of the last step */
  double *mass;                   /* [nideal] kg: effective mass of every row at the start of the advance */
  double *largest;                /* [n] of every unknown so far in this advance */
  double position, speed, energy; /* m, m/s, J of one coordinate: largest so far in this advance */
  SUNContext context;
  N_Vector y, yp, id, weights;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  void *ida;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  if (w->ida) IDAFree(&w->ida);
  if (w->solver) SUNLinSolFree(w->solver);
  if (w->matrix) SUNMatDestroy(w->matrix);
  if (w->y) N_VDestroy(w->y);
  if (w->yp) N_VDestroy(w->yp);
  if (w->id) N_VDestroy(w->id);
  if (w->weights) N_VDestroy(w->weights);
  if (w->context) SUNContext_Free(&w->context);
  cap_arena_free(&w->arena);
  free(w);
}

void cap_ida_multipliers(const void *self, double *lambda)
{
  const memory *w = self;
  memcpy(lambda, w->multiplier, sizeof(double) * (size_t)w->m->nideal);
}

/* How far coordinate i moves for eta = 1 of gap g. */
static double closing(const memory *w, int g, int i)
{
  int at = w->m->nv * w->gap_row[g] + i;
  return cap_constraints_mobility(w->m, i) * w->reach[g * w->m->nv + i] * w->rows[at];
}

/* ---- the equations ------------------------------------------------------------------------------------- */

/* What the model says of the unknowns y and their rates yp; driven coordinates follow their motion itself. */
static cap_eval look(memory *w, const double *t, const double *y, const double *yp)
{
  const cap_model *m = w->m;
  memcpy(w->state, y, sizeof(double) * (size_t)m->nstate);
  if (m->nmotion) cap_model_drive(m, NULL, t, w->state, w->state + m->nv, NULL);
  cap_eval e = {.nlane = 1, .t = t, .h = w->h, .xdot = w->xdot};
  e.q = w->state;
  e.v = w->state + m->nv;
  e.x = w->state + 2 * m->nv;
  e.multiplier = yp + w->impulse;
  e.slip = w->slip;
  e.gap = w->gap;
  e.rows = w->rows;
  return e;
}

static int residual(sunrealtype time, N_Vector unknowns, N_Vector rates, N_Vector result, void *self)
{
  memory *w = self;
  const cap_model *m = w->m;
  const double *y = N_VGetArrayPointer(unknowns), *yp = N_VGetArrayPointer(rates);
  double *r = N_VGetArrayPointer(result), t = time;
  int nv = m->nv;
  cap_eval e = look(w, &t, y, yp);
  if (w->settings.audit) e.power = w->power;
  cap_model_rates(m, &e);
  if (e.power) cap_model_motion_power(m, &e, e.power);
  for (int i = 0; i < nv; i++) {
    bool driven = m->driven[i] >= 0;
    r[i] = driven ? y[i] - w->state[i] : yp[i] - y[nv + i];
    r[nv + i] = driven ? y[nv + i] - w->state[nv + i] : yp[nv + i] - w->h[i] * m->inverse_mass[i];
  }
  for (int g = 0; g < m->ngap; g++)
    for (int i = 0; i < nv; i++) r[i] += closing(w, g, i) * yp[w->lift + g];
  for (int k = 0; k < m->nx; k++) r[2 * nv + k] = yp[2 * nv + k] - w->xdot[k];
  memcpy(r + w->impulse, w->slip, sizeof(double) * (size_t)m->nideal);
  memcpy(r + w->lift, w->gap, sizeof(double) * (size_t)m->ngap);
  for (int k = w->work; k < w->n; k++) r[k] = yp[k] - w->power[k - w->work];
  for (int k = 0; k < w->n; k++)
    if (!isfinite(r[k])) return 1;
  return 0;
}

static void fill_state_columns(const memory *w, double cj, SUNMatrix matrix)
{
  const cap_model *m = w->m;
  int nv = m->nv, n = m->nstate;
  for (int col = 0; col < n; col++) {
    double *out = SM_COLUMN_D(matrix, col);
    for (int i = 0; i < nv; i++) {
      if (m->driven[i] >= 0) continue;
      out[i] = col == nv + i ? -1.0 : 0.0;
      out[nv + i] = -w->dh[i * n + col] * m->inverse_mass[i];
    }
    for (int k = 0; k < m->nx; k++) out[2 * nv + k] = -w->dxdot[k * n + col];
    for (int r = 0; r < m->nideal; r++) out[w->impulse + r] = w->dslip[r * n + col];
    for (int g = 0; g < m->ngap; g++) out[w->lift + g] = w->dgap[g * n + col];
    bool driven = col < 2 * nv && m->driven[col % nv] >= 0;
    out[col] += driven ? 1.0 : cj;
  }
}

/* Columns of what acts with its rate; the work's rows are left out: Newton needs no exact derivative of a
 * quadrature. */
static void fill_other_columns(const memory *w, double cj, SUNMatrix matrix)
{
  const cap_model *m = w->m;
  int nv = m->nv;
  for (int r = 0; r < m->nideal; r++)
    for (int i = 0; i < nv; i++)
      SM_ELEMENT_D(matrix, nv + i, w->impulse + r) = cj * cap_constraints_mobility(m, i) *
                                                     w->rows[r * nv + i];
  for (int g = 0; g < m->ngap; g++)
    for (int i = 0; i < nv; i++) SM_ELEMENT_D(matrix, i, w->lift + g) = cj * closing(w, g, i);
  for (int k = w->work; k < w->n; k++) SM_ELEMENT_D(matrix, k, k) = cj;
}

static int jacobian(sunrealtype time, sunrealtype cj, N_Vector unknowns, N_Vector rates, N_Vector r,
                    SUNMatrix matrix, void *self, N_Vector a, N_Vector b, N_Vector c)
{
  (void)r, (void)a, (void)b, (void)c;
  memory *w = self;
  const cap_model *m = w->m;
  double t = time;
  cap_eval e = look(w, &t, N_VGetArrayPointer(unknowns), N_VGetArrayPointer(rates));
  e.ncol = m->nstate;
  e.dq = w->directions;
  e.dv = w->directions + m->nv * m->nstate;
  e.dx = w->directions + 2 * m->nv * m->nstate;
  e.dh = w->dh;
  e.dxdot = w->dxdot;
  e.dslip = w->dslip;
  e.dgap = w->dgap;
  cap_model_rates(m, &e);
  SUNMatZero(matrix);
  fill_state_columns(w, cj, matrix);
  fill_other_columns(w, cj, matrix);
  return 0;
}

/* ---- tolerances ---------------------------------------------------------------------------------------- */

/* Relative to the largest that each unknown was in this advance, and to a hundredth of the largest of its
 * kind (as in CVODE's stepper; inner states have a size of their own). Not to what it is now: a tolerance
 * that shrinks whenever a component passes zero makes the steps fail there. An impulse need not be better
 * than the largest velocity that it could make: smaller changes are tested there. */
static int weigh(N_Vector unknowns, N_Vector weights, void *self)
{
  memory *w = self;
  const cap_model *m = w->m;
  const double *y = N_VGetArrayPointer(unknowns);
  double *weight = N_VGetArrayPointer(weights), r = w->settings.tolerance;
  for (int k = 0; k < w->n; k++) w->largest[k] = fmax(w->largest[k], fabs(y[k]));
  for (int i = 0; i < m->nv; i++) w->position = fmax(w->position, w->largest[i]);
  for (int i = 0; i < m->nv; i++) w->speed = fmax(w->speed, w->largest[m->nv + i]);
  for (int i = 0; i < m->nv; i++) {
    double v = y[m->nv + i];
    w->energy = fmax(w->energy, 0.5 * m->mass[i] * v * v);
    weight[i] = 1.0 / (r * (w->largest[i] + 1e-2 * w->position));
    weight[m->nv + i] = 1.0 / (r * (w->largest[m->nv + i] + 1e-2 * w->speed));
  }
  for (int k = 2 * m->nv; k < m->nstate; k++)
    weight[k] = 1.0 / (r * (w->largest[k] +
                            1e-2 * fmax(w->largest[k], cap_stepper_inner_size(m, k - 2 * m->nv, w->speed))));
  for (int k = 0; k < m->nideal; k++)
    weight[w->impulse + k] = 1.0 / (r * (w->largest[w->impulse + k] + w->mass[k] * w->speed));
  for (int g = 0; g < m->ngap; g++) weight[w->lift + g] = 1.0 / (r * w->mass[w->gap_row[g]] * w->position);
  for (int k = w->work; k < w->n; k++) weight[k] = 1.0 / (r * (w->largest[k] + w->energy));
  return 0;
}

/* 1 / (J M^-1 J') of every row alone. */
static void set_masses(memory *w, double t, const double *y)
{
  const cap_model *m = w->m;
  memset(N_VGetArrayPointer(w->yp), 0, sizeof(double) * (size_t)w->n);
  cap_eval e = look(w, &t, y, N_VGetArrayPointer(w->yp));
  cap_model_rates(m, &e);
  for (int r = 0; r < m->nideal; r++) {
    double sum = 0.0;
    for (int i = 0; i < m->nv; i++)
      sum += cap_constraints_mobility(m, i) * w->rows[r * m->nv + i] * w->rows[r * m->nv + i];
    w->mass[r] = 1.0 / sum;
  }
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* Driven coordinates and the gaps' impulses are algebraic: not part of the error test. */
static void mark_algebraic(memory *w)
{
  const cap_model *m = w->m;
  double *id = N_VGetArrayPointer(w->id);
  N_VConst(1.0, w->id);
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] >= 0) id[i] = id[m->nv + i] = 0.0;
  for (int g = 0; g < m->ngap; g++) id[w->lift + g] = 0.0;
}

static bool create_ida(memory *w)
{
  if (!cap_sundials_open(&w->context)) return false;
  w->y = N_VNew_Serial(w->n, w->context);
  w->yp = N_VNew_Serial(w->n, w->context);
  w->id = N_VNew_Serial(w->n, w->context);
  w->weights = N_VNew_Serial(w->n, w->context);
  w->matrix = SUNDenseMatrix(w->n, w->n, w->context);
  if (!w->y || !w->yp || !w->id || !w->weights || !w->matrix) return false;
  w->solver = SUNLinSol_Dense(w->y, w->matrix, w->context);
  w->ida = IDACreate(w->context);
  if (!w->solver || !w->ida) return false;
  N_VConst(0.0, w->y);
  N_VConst(0.0, w->yp);
  mark_algebraic(w);
  return CAP_SUNDIALS_SILENCE(IDA, w->ida) && IDAInit(w->ida, residual, 0.0, w->y, w->yp) == IDA_SUCCESS &&
         IDASetUserData(w->ida, w) == IDA_SUCCESS && IDAWFtolerances(w->ida, weigh) == IDA_SUCCESS &&
         IDASetLinearSolver(w->ida, w->solver, w->matrix) == IDA_SUCCESS &&
         IDASetJacFn(w->ida, jacobian) == IDA_SUCCESS && IDASetId(w->ida, w->id) == IDA_SUCCESS &&
         IDASetSuppressAlg(w->ida, 1) == IDA_SUCCESS && IDASetDeltaCjLSetup(w->ida, 0.0) == IDA_SUCCESS &&
         IDASetMaxNumSteps(w->ida, 100000000) == IDA_SUCCESS;
}

static void set_directions(const cap_model *m, memory *w)
{
  for (int i = 0; i < m->nstate; i++) {
    bool imposed = i < 2 * m->nv && m->driven[i % m->nv] >= 0;
    w->directions[i * (m->nstate + 1)] = imposed ? 0.0 : 1.0;
  }
}

/* Gaps of planar bodies are closed along their row. The angles that a body in space has turned are not
 * positions, and the gap does not depend on them: there the translation closes it that the contact names. */
static void find_gaps(const cap_model *m, memory *w)
{
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    const cap_contact_type *type = b->type;
    for (int k = 0; b->ideal && k < b->n; k++)
      for (int r = 0; r < type->ngap; r++) {
        int gap = b->gap_adr + k * type->ngap + r;
        w->gap_row[gap] = b->ideal_adr + k * type->nrow + r;
        for (int c = 0; c < type->ncoord; c++)
          if (type->nbody == 0 || c == type->lift[r])
            w->reach[gap * m->nv + b->coord[k * type->ncoord + c]] = 1.0;
      }
  }
}

static bool allocate(memory *w, const cap_model *m)
{
  int n = m->nstate;
  const struct {
    double **array;
    int count;
  } arrays[] = {{&w->state, n},
                {&w->h, m->nv},
                {&w->dh, m->nv * n},
                {&w->xdot, m->nx},
                {&w->dxdot, m->nx * n},
                {&w->power, m->nmech},
                {&w->force, m->noutput},
                {&w->slope, n},
                {&w->workspace, m->nworkspace},
                {&w->slip, m->nideal},
                {&w->dslip, m->nideal * n},
                {&w->gap, m->ngap},
                {&w->reach, m->ngap * m->nv},
                {&w->dgap, m->ngap * n},
                {&w->rows, m->nideal * m->nv},
                {&w->directions, n * n},
                {&w->multiplier, m->nideal},
                {&w->mass, m->nideal},
                {&w->largest, w->n}};
  w->gap_row = CAP_ARENA_NEW(&w->arena, int, m->ngap);
  bool all = w->gap_row;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    all = (*arrays[k].array = CAP_ARENA_NEW(&w->arena, double, arrays[k].count)) && all;
  return all;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  w->impulse = m->nstate;
  w->lift = w->impulse + m->nideal;
  w->work = w->lift + m->ngap;
  w->n = w->work + (settings->audit ? m->nmech : 0);
  bool all = allocate(w, m);
  if (all) {
    set_directions(m, w);
    find_gaps(m, w);
    all = create_ida(w);
  }
  *self = all ? w : NULL;
  if (all) return CAP_OK;
  release(w);
  return cap_status_fail(error, CAP_ERR_NOMEM, "IDA could not be set up (out of memory)");
}

/* ---- the way to t_end ---------------------------------------------------------------------------------- */

static const char *reason_of(int flag)
{
  switch (flag) {
  case IDA_TOO_MUCH_ACC:
    return "the tolerance is below the rounding error of the state";
  case IDA_ERR_FAIL:
    return "the error stays above the tolerance for any step";
  case IDA_CONV_FAIL:
    return "Newton's method does not converge for any step";
  case IDA_LSETUP_FAIL:
  case IDA_LSOLVE_FAIL:
    return "the equations of a step are singular";
  case IDA_REP_RES_ERR:
  case IDA_FIRST_RES_FAIL:
    return "forces or constraints are not finite ahead of it";
  case IDA_ILL_INPUT:
    return "the next output is too close";
  default:
    return NULL;
  }
}

static cap_status explain(memory *w, int flag, double t, cap_error *error)
{
  int dependent = -1;
  if (w->m->nideal) cap_constraints_rank(w->m, t, N_VGetArrayPointer(w->y), w->workspace, &dependent);
  if (dependent >= 0) return cap_constraints_fail_rank(w->m, t, dependent, error);
  const char *reason = reason_of(flag);
  char *name = reason ? NULL : IDAGetReturnFlagName(flag);
  cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s IDA stopped at a tolerance of %.3g: %s", t,
                  w->settings.tolerance,
                  reason ? reason
                  : name ? name
                         : "unknown reason");
  free(name);
  return CAP_ERR_NUMERICS;
}

/* Consistent values from the state alone: rates and multipliers from the accelerations; work and impulses
 * from zero, since relative to all that was so far their tolerance would grow loose in a long run. */
static cap_status start(memory *w, cap_data *d, cap_error *error)
{
  const cap_model *m = w->m;
  double *y = N_VGetArrayPointer(w->y), *yp = N_VGetArrayPointer(w->yp);
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  if (m->ncontact) CAP_TRY(cap_constraints_project(m, *d->t, d->y, w->workspace, error));
  memset(y, 0, sizeof(double) * (size_t)w->n);
  memcpy(y, d->y, sizeof(double) * (size_t)m->nstate);
  set_masses(w, *d->t, y);
  w->position = 1e-4; /* m, m/s, J: below a hundredth of these nothing is resolved */
  w->speed = 1e-2;
  w->energy = 1e-3;
  memset(w->largest, 0, sizeof(double) * (size_t)w->n);
  cap_eval e = {.nlane = 1, .t = d->t, .h = w->h, .workspace = w->workspace};
  if (w->settings.audit) e.power = yp + w->work;
  cap_model_derivative(m, &e, y, NULL, yp, NULL);
  if (m->nideal) CAP_TRY(cap_constraints_multipliers(m, *d->t, y, w->workspace, yp + w->impulse, error));
  memcpy(w->multiplier, yp + w->impulse, sizeof(double) * (size_t)m->nideal);
  return CAP_OK;
}

/* Steps that the clock cannot tell lead nowhere. */
static double shortest(double t, double t_end)
{
  return 4.0 * DBL_EPSILON * fmax(fabs(t), fabs(t_end));
}

/* Weighted norm of a rate of the state and the work. */
static double norm_of(memory *w, const double *rate)
{
  const double *weight = N_VGetArrayPointer(w->weights);
  double sum = 0.0;
  for (int i = 0; i < w->m->nstate; i++) sum += rate[i] * weight[i] * rate[i] * weight[i];
  return sqrt(sum / w->n);
}

/* The first step, of first order, from the second derivative y'' by a difference along the motion: where h^2
 * y'' / 2 is half of what is allowed. IDA's own first guess takes h y' for the error; at close tolerances
 * that is a step in which nothing but rounding happens, and IDA, which doubles step and raises order from
 * there on, would learn nothing but noise. */
static double first_step(memory *w, const cap_data *d, double t_end)
{
  const cap_model *m = w->m;
  const double *y = N_VGetArrayPointer(w->y), *yp = N_VGetArrayPointer(w->yp);
  const double *weight = N_VGetArrayPointer(w->weights);
  double most = t_end - *d->t, h = most;
  weigh(w->y, w->weights, w);
  for (int i = 0; i < m->nstate; i++) { /* the difference: nothing changes by more than 1e-4 of its size */
    double size = 1.0 / (w->settings.tolerance * weight[i]);
    if (fabs(yp[i]) * h > 0.1 * size) h = 0.1 * size / fabs(yp[i]);
  }
  h *= 1e-3;
  for (int pass = 0; pass < 2; pass++) {
    double t = *d->t + h;
    for (int i = 0; i < m->nstate; i++) w->state[i] = y[i] + h * yp[i];
    cap_eval e = {.nlane = 1, .t = &t, .h = w->h, .workspace = w->workspace};
    cap_model_derivative(m, &e, w->state, NULL, w->slope, NULL);
    for (int i = 0; i < m->nstate; i++) w->slope[i] = (w->slope[i] - yp[i]) / h;
    double curvature = norm_of(w, w->slope);
    if (!isfinite(curvature)) break;
    h = curvature > 0.0 ? sqrt(1.0 / curvature) : most;
    h = fmin(most, fmax(h, 4.0 * shortest(*d->t, t_end)));
  }
  return h;
}

/* The state of the last step, projected. IDA goes on from its own. */
static cap_status put_state(memory *w, cap_data *d, double t, cap_error *error)
{
  const cap_model *m = w->m;
  *d->t = t;
  memcpy(d->y, N_VGetArrayPointer(w->y), sizeof(double) * (size_t)m->nstate);
  memcpy(w->multiplier, N_VGetArrayPointer(w->yp) + w->impulse, sizeof(double) * (size_t)m->nideal);
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  return m->ncontact ? cap_constraints_project(m, t, d->y, w->workspace, error) : CAP_OK;
}

static void observe(memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  cap_eval e = {.nlane = 1, .t = d->t, .h = w->h, .force = w->force, .workspace = w->workspace};
  cap_model_derivative(w->m, &e, d->y, NULL, w->slope, NULL);
  w->settings.observer->see(w->settings.observer->self, w->m, d->t, d->y, w->force, NULL);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent) return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "IDA provides no tangent of its solution");
  CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  CAP_TRY(start(w, d, error));
  double t = *d->t;
  if (IDAReInit(w->ida, t, w->y, w->yp) != IDA_SUCCESS) return explain(w, IDA_MEM_NULL, t, error);
  IDASetStopTime(w->ida, *t_end);
  IDASetInitStep(w->ida, first_step(w, d, *t_end));
  IDASetMinStep(w->ida, shortest(t, *t_end)); /* fail instead of taking such steps without end */
  observe(w, d);
  while (t < *t_end) {
    CAP_TRY(cap_stepper_look(m, t, d->v, error));
    int flag = IDASolve(w->ida, *t_end, &t, w->y, w->yp, IDA_ONE_STEP);
    if (flag < 0) return explain(w, flag, t, error);
    CAP_TRY(put_state(w, d, flag == IDA_TSTOP_RETURN ? *t_end : t, error));
    d->steps[CAP_STEPS_STEPS]++;
    observe(w, d);
  }
  *d->t = *t_end;
  const double *y = N_VGetArrayPointer(w->y);
  for (int k = w->work; k < w->n; k++) d->work[k - w->work] += y[k];
  return CAP_OK;
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses(self, m);
  if (reason) return reason;
  return m->reversal ? "it has a law that switches at reversals" : NULL;
}

const cap_stepper_type cap_ida_type = {
    .name = "ida",
    .doc = "SUNDIALS IDA, variable order and step; ideal contacts as a stabilised index-2 system",
    .smooth = true,
    .constraints = true,
    .obstacle = obstacle,
    .create = create,
    .advance = advance,
    .free = release,
};
