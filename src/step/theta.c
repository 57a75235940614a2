/* step/theta.c — implicit one-step methods: implicit Euler (theta = 1) and the midpoint rule (theta = 1/2).
 *
 * Maths: docs/theory.md §4.1. With y_t = (1 - theta) y0 + theta y1 and t_t likewise,
 *   q1 = q0 + h v_t,   M (v1 - v0) = h f(q_t, v_t, x_t, t_t),   x1 = x0 + h g(q_t, v_t, x_t, t_t),
 * and for a slider of stiffness k with s = its sliding velocity: z1 = clamp(z0 + k h s_t). The multiplier of
 * the set-valued law is implicit; a slider without compliance (Coulomb) has z_t = z1 = clamp(z1 + r s_1)
 * instead, with the velocity at the end of the step: with s_t the midpoint rule would never come to rest, but
 * turn its velocity over in every step. Solved by semi-smooth Newton in U = (v1, x1); with linear elements
 * the matrix depends only on which sliders slip, so its factors are kept per pattern and a step is one
 * evaluation and one back-substitution.
 *
 * Without a step of its own (settings.step 0) the midpoint rule varies it: its error, h^3/12 of the third
 * derivative, follows from how the slopes of three steps bend. A stepper that carries keeps them and the step
 * that it would take over the end of an advance.
 */
#include "linalg/lu.h"
#include "step/excess.h"
#include "step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_MOST = 200, FULL_STEPS = 12, PATTERN_BITS = 6 };

/* What is carried over an advance of varied steps; doubles alone, for a view. */
typedef struct carried {
  double next;      /* s, the step to try; 0: nothing is known */
  double middle[2]; /* s, where the slopes of the last two steps are of, the later one first */
  double known;     /* how many of them there are */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

/* The data before a step that may be refused, and what tells its error; of varied steps alone. */
typedef struct varied {
  carried own;
  double *bend[2];          /* [nstate] slopes of the last two steps, the later one first */
  double *y, *slope, *miss; /* [nstate] */
  double *work, integrator; /* [nmech] */
  int64_t *regime;          /* [nslider] */
} varied;

typedef struct memory {
  double theta;
  varied vary;
  cap_stepper_settings settings;
  int n, nstate;                        /* n: unknowns, nv + nx */
  double *u, *residual, *delta, *trial; /* [n] */
  double *y_t, *f, *xdot;               /* state at theta, forces, rates */
  double *columns, *dh, *dxdot;         /* directions [nstate][n] and what they do */
  double *matrix;                       /* [n][n] of the last iteration */
  int *pivot;                           /* [n] */
  double *kept;                         /* [patterns][n][n] factors for linear elements */
  int *kept_pivot;                      /* [patterns][n] */
  bool *kept_valid;
  double kept_step;
  int *regime, *next; /* [nslider] of the sliders: of the step at hand, and tried */
  double *force, *power;
  double *tangent_in; /* [n][nstate] right-hand sides of the flow's derivative */
  cap_arena arena;
} memory;

static void theta_free(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

static bool create_varied(memory *w, const cap_model *m)
{
  varied *v = &w->vary;
  double **vectors[] = {&v->bend[0], &v->bend[1], &v->y, &v->slope, &v->miss};
  bool all = true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    all = (*vectors[k] = CAP_ARENA_NEW(&w->arena, double, m->nstate)) && all;
  v->work = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  v->regime = CAP_ARENA_NEW(&w->arena, int64_t, m->nslider);
  return all && v->work && v->regime;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, double theta, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int n = m->nv + m->nx, patterns = m->linear && m->nslider <= PATTERN_BITS ? 1 << m->nslider : 0;
  w->theta = theta;
  w->settings = *settings;
  w->n = n;
  w->nstate = m->nstate;
  w->u = CAP_ARENA_NEW(&w->arena, double, n);
  w->residual = CAP_ARENA_NEW(&w->arena, double, n);
  w->delta = CAP_ARENA_NEW(&w->arena, double, n);
  w->trial = CAP_ARENA_NEW(&w->arena, double, n);
  w->y_t = CAP_ARENA_NEW(&w->arena, double, m->nstate);
  w->f = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->xdot = CAP_ARENA_NEW(&w->arena, double, m->nx);
  w->columns = CAP_ARENA_NEW(&w->arena, double, (m->nstate * (n > m->nstate ? n : m->nstate)));
  w->dh = CAP_ARENA_NEW(&w->arena, double, m->nv * m->nstate);
  w->dxdot = CAP_ARENA_NEW(&w->arena, double, m->nx * m->nstate);
  w->matrix = CAP_ARENA_NEW(&w->arena, double, (n * n));
  w->pivot = CAP_ARENA_NEW(&w->arena, int, n);
  w->kept = CAP_ARENA_NEW(&w->arena, double, (patterns * n * n));
  w->kept_pivot = CAP_ARENA_NEW(&w->arena, int, (patterns * n));
  w->kept_valid = CAP_ARENA_NEW(&w->arena, bool, patterns);
  w->regime = CAP_ARENA_NEW(&w->arena, int, m->nslider);
  w->next = CAP_ARENA_NEW(&w->arena, int, m->nslider);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  w->tangent_in = CAP_ARENA_NEW(&w->arena, double, n * m->nstate);
  bool varies = create_varied(w, m);
  *self = w;
  if (w->u && w->residual && w->delta && w->trial && w->y_t && w->f && w->xdot && w->columns && w->dh &&
      w->dxdot && w->matrix && w->pivot && w->kept && w->kept_pivot && w->kept_valid && w->regime &&
      w->next && w->force && w->power && w->tangent_in && varies)
    return CAP_OK;
  theta_free(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* One step in the making: from y0 at t, over h. */
typedef struct step {
  const cap_model *m;
  memory *w;
  const double *inputs, *y0;
  double t, h, t_t;
} step;

/* Weight of the new slider force in the force that acts. */
static double slider_weight(const step *s, int k)
{
  return isinf(s->m->slider_k[k]) ? 1.0 : s->w->theta;
}

/* The state at theta from the unknowns U. */
static void set_theta_state(const step *s)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int nv = m->nv, first = m->nx - m->nslider;
  double th = w->theta;
  const double *v0 = s->y0 + nv, *x0 = s->y0 + 2 * nv;
  double *q = w->y_t, *v = w->y_t + nv, *x = w->y_t + 2 * nv;
  for (int i = 0; i < nv; i++) {
    v[i] = (1.0 - th) * v0[i] + th * w->u[i];
    q[i] = s->y0[i] + th * s->h * v[i];
  }
  for (int k = 0; k < m->nx; k++) {
    double weight = k >= first ? slider_weight(s, k - first) : th;
    x[k] = (1.0 - weight) * x0[k] + weight * w->u[nv + k];
  }
  cap_model_drive(m, s->inputs, &s->t_t, q, v, NULL);
}

static double sliding_velocity(const cap_model *m, const double *v, int k)
{
  return v[m->slider_i[k]] - (m->slider_j[k] == CAP_GROUND ? 0.0 : v[m->slider_j[k]]);
}

/* Scale that turns a sliding velocity into a force, for the projection of Coulomb friction. */
static double coulomb_scale(const step *s, int k)
{
  return s->m->mass[s->m->slider_i[k]] / s->h;
}

static bool is_imposed(const cap_model *m, int dof)
{
  return dof == CAP_GROUND || m->driven[dof] >= 0;
}

/* Coulomb friction between coordinates that are all driven: its force follows from their velocity alone. */
static bool is_prescribed(const cap_model *m, int k)
{
  return isinf(m->slider_k[k]) && is_imposed(m, m->slider_i[k]) && is_imposed(m, m->slider_j[k]);
}

/* 0 = sticks, +1 or -1 = slips at that limit. */
static int slider_regime(const step *s, int k)
{
  const cap_model *m = s->m;
  int at = m->nx - m->nslider + k;
  double limit = m->slider_limit[k];
  if (isinf(m->slider_k[k])) {
    double speed = sliding_velocity(m, s->w->u, k), trial = s->w->u[m->nv + at] + coulomb_scale(s, k) * speed;
    if (is_prescribed(m, k)) return (speed > 0.0) - (speed < 0.0);
    return trial > limit ? 1 : trial < -limit ? -1 : 0;
  }
  double speed = sliding_velocity(m, s->w->y_t + m->nv, k);
  double trial = s->y0[2 * m->nv + at] + m->slider_k[k] * s->h * speed;
  return trial > limit ? 1 : trial < -limit ? -1 : 0;
}

static void evaluate(const step *s, int ncol, bool audit)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  cap_eval e = {.nlane = 1,
                .ncol = ncol,
                .t = &s->t_t,
                .input = s->inputs,
                .q = w->y_t,
                .v = w->y_t + m->nv,
                .x = w->y_t + 2 * m->nv,
                .dq = w->columns,
                .dv = w->columns + m->nv * ncol,
                .dx = w->columns + 2 * m->nv * ncol,
                .h = w->f,
                .dh = w->dh,
                .xdot = w->xdot,
                .dxdot = w->dxdot,
                .force = audit ? w->force : NULL,
                .power = audit ? w->power : NULL};
  cap_model_rates(m, &e);
  if (audit) cap_model_motion_power(m, &e, w->power);
}

static void set_residual(const step *s, const int *regime)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int nv = m->nv, first = m->nx - m->nslider;
  const double *v0 = s->y0 + nv, *x0 = s->y0 + 2 * nv;
  for (int i = 0; i < nv; i++) {
    if (m->driven[i] >= 0) {
      double q, v, a;
      cap_motion_at(&m->motions[m->driven[i]], s->inputs, s->t + s->h, &q, &v, &a);
      w->residual[i] = w->u[i] - v;
    } else {
      w->residual[i] = m->mass[i] * (w->u[i] - v0[i]) - s->h * w->f[i];
    }
  }
  for (int k = 0; k < first; k++) w->residual[nv + k] = w->u[nv + k] - x0[k] - s->h * w->xdot[k];
  for (int k = 0; k < m->nslider; k++) {
    double z = w->u[nv + first + k], *r = &w->residual[nv + first + k];
    if (regime[k]) *r = z - regime[k] * m->slider_limit[k];
    else if (is_prescribed(m, k)) *r = z - x0[first + k];
    else if (isinf(m->slider_k[k])) *r = coulomb_scale(s, k) * sliding_velocity(m, w->u, k);
    else *r = z - x0[first + k] - m->slider_k[k] * s->h * sliding_velocity(m, w->y_t + nv, k);
  }
}

/* Directions of the unknowns, seen at theta. */
static void set_columns(const step *s)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int n = w->n, nv = m->nv, first = m->nx - m->nslider;
  memset(w->columns, 0, sizeof(double) * (size_t)(m->nstate * n));
  for (int i = 0; i < nv; i++) {
    if (m->driven[i] >= 0) continue;
    w->columns[i * n + i] = w->theta * w->theta * s->h;
    w->columns[(nv + i) * n + i] = w->theta;
  }
  for (int k = 0; k < m->nx; k++)
    w->columns[(2 * nv + k) * n + nv + k] = k >= first ? slider_weight(s, k - first) : w->theta;
}

static void add_sliding(const step *s, int k, double factor, double *row)
{
  const cap_model *m = s->m;
  int i = m->slider_i[k], j = m->slider_j[k];
  if (m->driven[i] < 0) row[i] += factor;
  if (j != CAP_GROUND && m->driven[j] < 0) row[j] -= factor;
}

/* Matrix of the Newton step from the evaluated columns. */
static void set_matrix(const step *s, const int *regime)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int n = w->n, nv = m->nv, first = m->nx - m->nslider;
  memset(w->matrix, 0, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < nv; i++) {
    if (m->driven[i] < 0)
      for (int c = 0; c < n; c++) w->matrix[i * n + c] = -s->h * w->dh[i * n + c];
    w->matrix[i * n + i] += m->driven[i] >= 0 ? 1.0 : m->mass[i];
  }
  for (int k = 0; k < first; k++) {
    for (int c = 0; c < n; c++) w->matrix[(nv + k) * n + c] = -s->h * w->dxdot[k * n + c];
    w->matrix[(nv + k) * n + nv + k] += 1.0;
  }
  for (int k = 0; k < m->nslider; k++) {
    double *row = w->matrix + (nv + first + k) * n;
    bool rigid = isinf(m->slider_k[k]) && !is_prescribed(m, k);
    if (regime[k] || !rigid) row[nv + first + k] = 1.0;
    if (regime[k] || is_prescribed(m, k)) continue;
    add_sliding(s, k, rigid ? coulomb_scale(s, k) : -w->theta * m->slider_k[k] * s->h, row);
  }
}

static int pattern_of(const cap_model *m, const int *regime)
{
  int pattern = 0;
  for (int k = 0; k < m->nslider; k++) pattern |= (regime[k] != 0) << k;
  return pattern;
}

/* Factors of the Newton matrix: kept ones for linear elements, new ones otherwise. */
static cap_status factor(const step *s, const int *regime, double **lu, int **pivot)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int n = w->n;
  bool keep = m->linear && m->nslider <= PATTERN_BITS;
  int pattern = keep ? pattern_of(m, regime) : 0;
  if (keep && w->kept_step != s->h) {
    memset(w->kept_valid, 0, sizeof(bool) << m->nslider);
    w->kept_step = s->h;
  }
  *lu = keep ? w->kept + pattern * n * n : w->matrix;
  *pivot = keep ? w->kept_pivot + pattern * n : w->pivot;
  if (keep && w->kept_valid[pattern]) return CAP_OK;
  set_columns(s);
  evaluate(s, n, false);
  set_matrix(s, regime);
  if (keep) memcpy(*lu, w->matrix, sizeof(double) * (size_t)(n * n));
  int fault = capm_lu_factor_heard(n, *lu, *pivot, m->progress);
  if (fault) return fault == CAPM_LU_STOPPED ? CAP_STOPPED : CAP_RETRY_NOCONV;
  if (keep) w->kept_valid[pattern] = true;
  return CAP_OK;
}

/* Near rest the rounding of stiff forces (of a belt 1e-16 EA) moves velocities by more than 1e-12 of
 * themselves: what full steps have not brought below that may end at 1e-12 m/s or rad/s. */
static bool is_small(const step *s, bool careful)
{
  memory *w = s->w;
  int nv = s->m->nv;
  double speed = 0.0, force = 0.0;
  for (int i = 0; i < nv; i++) speed = fmax(speed, fabs(w->u[i]) + fabs(s->m->base[i]));
  for (int k = nv; k < w->n; k++) force = fmax(force, fabs(w->u[k]));
  for (int i = 0; i < w->n; i++) {
    double scale = i < nv ? 1e-12 * speed + (careful ? 1e-12 : 1e-16) : 1e-12 * force + 1e-12;
    if (!(fabs(w->delta[i]) <= scale)) return false;
  }
  return true;
}

/* Size of a change of U, velocities and forces each relative to the largest of their kind. */
static double size_of(const step *s, const double *delta)
{
  const memory *w = s->w;
  double largest[2] = {1e-12, 1e-6}, change[2] = {0.0, 0.0};
  for (int i = 0; i < w->n; i++) {
    int kind = i >= s->m->nv;
    largest[kind] = fmax(largest[kind], fabs(w->u[i]));
    if (!(fabs(delta[i]) <= change[kind])) change[kind] = fabs(delta[i]); /* also when it is not a number */
  }
  return fmax(change[0] / largest[0], change[1] / largest[1]);
}

static void find_regimes(const step *s, int *regime)
{
  for (int k = 0; k < s->m->nslider; k++) regime[k] = slider_regime(s, k);
}

/* Shorten Newton's step until the step that the same matrix would take next is smaller (natural monotonicity:
 * it does not depend on how the equations are scaled). A law such as |q|^mu with mu < 1/2 makes full steps
 * cycle about q = 0. */
static void damp(const step *s, const double *lu, const int *pivot, double *next)
{
  memory *w = s->w;
  int *regime = w->next;
  double before = size_of(s, w->delta), fraction = 1.0;
  for (int i = 0; i < w->n; i++) w->u[i] -= w->delta[i];
  for (int trial = 0; trial < 10; trial++) {
    set_theta_state(s);
    find_regimes(s, regime);
    evaluate(s, 0, false);
    set_residual(s, regime);
    memcpy(next, w->residual, sizeof(double) * (size_t)w->n);
    capm_lu_solve(w->n, lu, pivot, next);
    if (size_of(s, next) <= (1.0 - 0.25 * fraction) * before) return;
    fraction *= 0.5;
    for (int i = 0; i < w->n; i++) w->u[i] += fraction * w->delta[i];
  }
}

/* Let the first slider that is in the wrong regime change, and no other. For linear elements the step is a
 * complementarity problem with a positive definite matrix: changing all at once is quick but may cycle,
 * changing the first one always ends (Murty; Judice and Pires combine the two as it is done here). */
static void change_first(const step *s, int *regime, const int *next)
{
  for (int k = 0; k < s->m->nslider; k++)
    if (regime[k] != next[k]) {
      regime[k] = regime[k] * next[k] < 0 ? 0 : next[k]; /* from one limit to the other by way of stick */
      return;
    }
}

/* Newton on one step; leaves U, the state at theta, and the factors of the last matrix. Full steps first;
 * what has not converged by then goes on more carefully. */
static cap_status solve(const step *s, int *regime, double **lu, int **pivot, int *iterations)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  for (int it = 0; it < NEWTON_MOST; it++) {
    bool careful = it >= FULL_STEPS;
    if (it > 0 && cap_progress_stopped(m->progress)) return CAP_STOPPED;
    set_theta_state(s);
    int *next = w->next;
    find_regimes(s, next);
    bool same = it > 0 && memcmp(next, regime, sizeof(int) * (size_t)m->nslider) == 0;
    /* linear elements and the same sliders slipping: the step before has solved it */
    if (same && (m->linear || is_small(s, careful))) return CAP_OK;
    if (careful && m->linear) change_first(s, regime, next);
    else memcpy(regime, next, sizeof(int) * (size_t)m->nslider);
    evaluate(s, 0, false);
    set_residual(s, regime);
    CAP_TRY(factor(s, regime, lu, pivot));
    memcpy(w->delta, w->residual, sizeof(double) * (size_t)w->n);
    capm_lu_solve(w->n, *lu, *pivot, w->delta);
    ++*iterations;
    if (careful && !m->linear) damp(s, *lu, *pivot, w->trial);
    else
      for (int i = 0; i < w->n; i++) w->u[i] -= w->delta[i];
  }
  return CAP_RETRY_NOCONV;
}

/* Work of every mechanism over the step, and what the method itself took. */
static void audit(const step *s, cap_data *d)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int nv = m->nv, first = m->nx - m->nslider, mech = m->nmech - m->nmotion - m->nslider;
  double excess = w->theta - 0.5;
  /* elastic part of the method's loss: one column, the displacement of the step itself */
  memset(w->columns, 0, sizeof(double) * (size_t)m->nstate);
  for (int i = 0; i < nv; i++)
    if (m->driven[i] < 0) w->columns[i] = s->h * w->y_t[nv + i];
  evaluate(s, excess != 0.0 ? 1 : 0, true);
  for (int k = 0; k < m->nmech; k++) d->work[k] += s->h * w->power[k];
  for (int k = 0; k < m->nslider; k++) {
    double z = w->y_t[2 * nv + first + k], dz = w->u[nv + first + k] - s->y0[2 * nv + first + k];
    double slip = s->h * sliding_velocity(m, w->y_t + nv, k) - dz / m->slider_k[k];
    d->work[mech + k] += z * slip;
    if (!isinf(m->slider_k[k])) *d->integrator += excess * dz * dz / m->slider_k[k];
  }
  if (excess == 0.0) return;
  for (int i = 0; i < nv; i++) {
    if (m->driven[i] >= 0) continue;
    double dv = w->u[i] - s->y0[nv + i];
    *d->integrator += excess * (m->mass[i] * dv * dv - w->columns[i] * w->dh[i]);
  }
}

/* Derivative of the step: J dU = -dR/dy0 dy0 for every column of the tangent. */
static void advance_tangent(const step *s, const int *regime, const double *lu, const int *pivot,
                            double *tangent)
{
  const cap_model *m = s->m;
  memory *w = s->w;
  int ns = m->nstate, nv = m->nv, first = m->nx - m->nslider, n = w->n;
  double th = w->theta;
  for (int c = 0; c < ns; c++) {
    for (int i = 0; i < nv; i++) {
      bool driven = m->driven[i] >= 0;
      w->columns[i * ns + c] = driven ? 0.0
                                      : tangent[i * ns + c] +
                                            th * (1.0 - th) * s->h * tangent[(nv + i) * ns + c];
      w->columns[(nv + i) * ns + c] = driven ? 0.0 : (1.0 - th) * tangent[(nv + i) * ns + c];
    }
    for (int k = 0; k < m->nx; k++) {
      double weight = k >= first ? slider_weight(s, k - first) : th;
      w->columns[(2 * nv + k) * ns + c] = (1.0 - weight) * tangent[(2 * nv + k) * ns + c];
    }
  }
  evaluate(s, ns, false);
  for (int c = 0; c < ns; c++) {
    double *rhs = w->tangent_in + c * n;
    for (int i = 0; i < nv; i++)
      rhs[i] = m->driven[i] >= 0 ? 0.0 : m->mass[i] * tangent[(nv + i) * ns + c] + s->h * w->dh[i * ns + c];
    for (int k = 0; k < first; k++)
      rhs[nv + k] = tangent[(2 * nv + k) * ns + c] + s->h * w->dxdot[k * ns + c];
    for (int k = 0; k < m->nslider; k++) {
      int i = m->slider_i[k], j = m->slider_j[k];
      double speed = w->columns[(nv + i) * ns + c] - (j == CAP_GROUND ? 0.0 : w->columns[(nv + j) * ns + c]);
      double *r = &rhs[nv + first + k];
      if (regime[k]) *r = 0.0;
      else if (is_prescribed(m, k)) *r = tangent[(2 * nv + first + k) * ns + c];
      else if (isinf(m->slider_k[k])) *r = 0.0; /* at rest whatever the step started with */
      else *r = tangent[(2 * nv + first + k) * ns + c] + m->slider_k[k] * s->h * speed;
    }
    capm_lu_solve(n, lu, pivot, rhs);
  }
  for (int c = 0; c < ns; c++) {
    const double *u = w->tangent_in + c * n;
    for (int i = 0; i < nv; i++) {
      double *dq = &tangent[i * ns + c], *dv = &tangent[(nv + i) * ns + c];
      *dq = m->driven[i] >= 0 ? 0.0 : *dq + s->h * ((1.0 - th) * *dv + th * u[i]);
      *dv = u[i];
    }
    for (int k = 0; k < m->nx; k++) tangent[(2 * nv + k) * ns + c] = u[nv + k];
  }
}

static cap_status take_step(const cap_model *m, memory *w, cap_data *d, double h, double t1, double *tangent,
                            cap_error *error)
{
  int nv = m->nv, *regime = w->regime, iterations = 0;
  double *lu = NULL;
  int *pivot = NULL;
  step s = {m, w, d->input, d->y, *d->t, h, *d->t + w->theta * h};
  memcpy(w->u, d->v,
         sizeof(double) * (size_t)(nv + m->nx)); /* v and x lie side by side: start from the last */
  cap_model_drive(m, d->input, &t1, w->y_t, w->u, NULL);
  cap_status status = solve(&s, regime, &lu, &pivot, &iterations);
  if (status == CAP_STOPPED) return cap_stepper_look(m, *d->t, d->v, error);
  if (status != CAP_OK) {
    CAP_TRY(cap_model_check_finite(m, t1, d->y, error));
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "at t = %.9g s the implicit step of %.3g s did not converge in %d iterations; try a "
        "smaller step",
        t1, h, NEWTON_MOST);
  }
  if (w->settings.audit) audit(&s, d);
  if (tangent) {
    if (!m->linear) { /* the last matrix belongs to the iterate before */
      set_theta_state(&s);
      status = factor(&s, regime, &lu, &pivot);
      if (status == CAP_STOPPED) return cap_stepper_look(m, *d->t, d->v, error);
      CAP_TRY(status);
    }
    advance_tangent(&s, regime, lu, pivot, tangent);
  }
  for (int i = 0; i < nv; i++) d->q[i] += h * w->y_t[nv + i];
  memcpy(d->v, w->u, sizeof(double) * (size_t)(nv + m->nx));
  for (int k = 0; k < m->nslider; k++) d->regime[k] = regime[k];
  *d->t = t1;
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  d->steps[CAP_STEPS_STEPS]++;
  d->steps[CAP_STEPS_ITERATIONS] += iterations;
  d->steps[CAP_STEPS_EVALUATIONS] += iterations + w->settings.audit;
  return CAP_OK;
}

/* Forces at the present state, for the observer. */
static void observe(const cap_model *m, memory *w, const cap_data *d)
{
  if (!w->settings.observer) return;
  step s = {m, w, d->input, d->y, *d->t, 0.0, *d->t};
  memcpy(w->y_t, d->y, sizeof(double) * (size_t)m->nstate);
  evaluate(&s, 0, true);
  w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, NULL);
}

/* ---- varied steps -------------------------------------------------------------------------------------- */

static void set_aside(const cap_model *m, varied *v, const cap_data *d)
{
  memcpy(v->y, d->y, sizeof(double) * (size_t)m->nstate);
  memcpy(v->work, d->work, sizeof(double) * (size_t)m->nmech);
  memcpy(v->regime, d->regime, sizeof(int64_t) * (size_t)m->nslider);
  v->integrator = *d->integrator;
}

static void put_back(const cap_model *m, const varied *v, cap_data *d, double t)
{
  memcpy(d->y, v->y, sizeof(double) * (size_t)m->nstate);
  memcpy(d->work, v->work, sizeof(double) * (size_t)m->nmech);
  memcpy(d->regime, v->regime, sizeof(int64_t) * (size_t)m->nslider);
  *d->integrator = v->integrator;
  *d->t = t;
}

/* Error of the step from v->y at t over h, over what is allowed: h^3/12 of the second derivative of three
 * slopes, h^2/6 of the first one while only two are known; 0 of a first step. Forces of sliders, whose slopes
 * jump, count by what they make of the velocities. */
static double error_of(const cap_model *m, memory *w, const cap_data *d, double t, double h)
{
  varied *v = &w->vary;
  const carried *own = &v->own;
  const double middle = t + 0.5 * h, back = middle - own->middle[0], apart = own->middle[0] - own->middle[1];
  const int last = m->nstate - m->nslider;
  for (int i = 0; i < m->nstate; i++) {
    bool imposed = i < 2 * m->nv && m->driven[i % m->nv] >= 0;
    v->slope[i] = (d->y[i] - v->y[i]) / h;
    double bend = (v->slope[i] - v->bend[0][i]) / back;
    if (own->known > 1.0) bend = h * (bend - (v->bend[0][i] - v->bend[1][i]) / apart) / (back + apart);
    v->miss[i] = imposed || i >= last ? 0.0 : h * h * bend / 6.0;
  }
  if (own->known == 0.0) return 0.0;
  const cap_excess_ends ends = {
      .y = v->y, .slope = v->slope, .end = d->y, .miss = v->miss, .base = m->base, .h = h};
  return cap_excess_of(m, w->settings.tolerance, 0.0, &ends);
}

static void remember(varied *v, double middle)
{
  double *oldest = v->bend[1];
  v->bend[1] = v->bend[0];
  v->bend[0] = v->slope;
  v->slope = oldest;
  v->own.middle[1] = v->own.middle[0];
  v->own.middle[0] = middle;
  v->own.known = fmin(v->own.known + 1.0, 2.0);
}

/* One step of at most h towards t_end that its error allows. A step that was cut short says little about the
 * next one; one that would change by little stays, with the factors of its matrix. */
static cap_status take_varied(const cap_model *m, memory *w, cap_data *d, double h, double t_end,
                              cap_error *error)
{
  varied *v = &w->vary;
  const double t = *d->t, least = 16.0 * DBL_EPSILON * (fabs(t) + h), natural = v->own.next;
  bool rejected = false, whole = h == t_end - t;
  set_aside(m, v, d);
  for (; h >= least; rejected = true) {
    cap_status status = take_step(m, w, d, h, whole && !rejected ? t_end : t + h, NULL, error);
    if (status == CAP_STOPPED) return status;
    double off = status == CAP_OK ? error_of(m, w, d, t, h) : INFINITY;
    double factor = isfinite(off) ? fmin(4.0, fmax(0.2, 0.9 * pow(fmax(off, 1e-6), -1.0 / 3.0))) : 0.1;
    if (off <= 1.0) {
      double next = factor > 1.0 && (rejected || factor < 1.2) ? h : h * factor;
      v->own.next = rejected ? next : fmax(next, h < natural ? natural : 0.0);
      remember(v, t + 0.5 * h);
      return CAP_OK;
    }
    put_back(m, v, d, t);
    h *= fmin(factor, 0.9);
  }
  return cap_status_fail(
      error, CAP_ERR_NUMERICS,
      "at t = %.9g s the step became too small for a tolerance of %.3g; increase the tolerance", t,
      w->settings.tolerance);
}

static cap_status advance_varied(memory *w, const cap_model *m, cap_data *d, double t_end, cap_error *error)
{
  carried *own = &w->vary.own;
  if (!w->settings.carry) *own = (carried){0};
  if (own->next == 0.0) own->next = 1e-6 * (t_end - *d->t); /* grows soon; nothing tells its error */
  while (*d->t < t_end) {
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    observe(m, w, d);
    const double left = t_end - *d->t, parts = ceil(left / own->next * (1.0 - 1e-9));
    CAP_TRY(take_varied(m, w, d, parts > 1.0 ? left / parts : left, t_end, error));
    CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  }
  observe(m, w, d);
  return CAP_OK;
}

static void resume(void *self, cap_stepper_left left)
{
  memory *w = self;
  if (left == CAP_STEPPER_MOVED) w->vary.own = (carried){0};
}

static int views(void *self, cap_view *views)
{
  memory *w = self;
  varied *v = &w->vary;
  if (w->settings.step > 0.0) return 0;
  views[0] = (cap_view){.name = CAP_VIEW_CARRIED "step",
                        .unit = "s",
                        .meaning = "next step; middles of the last two; how many are known",
                        .count = CARRIED,
                        .values = &v->own};
  views[1] = (cap_view){
      CAP_VIEW_CARRIED "slope", "SI", "slope of the last step", false, w->nstate, v->bend[0]};
  views[2] = (cap_view){
      CAP_VIEW_CARRIED "slope_before", "SI", "slope of the one before", false, w->nstate, v->bend[1]};
  return 3;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (!(w->settings.step > 0.0)) {
    if (!tangent) return advance_varied(w, m, d, *t_end, error);
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "midpoint provides no tangent of steps that vary");
  }
  int64_t count = cap_stepper_count(m, d, t_end, w->settings.step);
  double t0 = *d->t, h = (*t_end - t0) / (double)count;
  for (int64_t k = 0; k < count; k++) {
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    observe(m, w, d);
    CAP_TRY(take_step(m, w, d, h, k + 1 == count ? *t_end : t0 + (double)(k + 1) * h, tangent, error));
  }
  observe(m, w, d);
  return cap_model_check_finite(m, *d->t, d->y, error);
}

static cap_status create_euler(const cap_model *m, const cap_stepper_settings *settings, void **self,
                               cap_error *error)
{
  return create(m, settings, 1.0, self, error);
}

static cap_status create_midpoint(const cap_model *m, const cap_stepper_settings *settings, void **self,
                                  cap_error *error)
{
  return create(m, settings, 0.5, self, error);
}

const cap_stepper_type cap_theta_euler_type = {
    .name = "euler",
    .doc = "implicit Euler method with implicit multipliers: first order, dissipative",
    .order = 1,
    .sliders = true,
    .smooth = true,
    .fixed = true,
    .tangents = true,
    .create = create_euler,
    .advance = advance,
    .free = theta_free,
};

static int suits_sliders(const cap_stepper_type *self, const cap_model *m)
{
  (void)self;
  return m->nslider ? 20 : 0;
}

/* Forces that jump, which methods of high order do not take. */
static int moves(const cap_stepper_type *self, const cap_model *m)
{
  return cap_stepper_jumping(m) && !cap_stepper_obstacle(self, m) ? 12 : 0;
}

const cap_stepper_type cap_theta_midpoint_type = {
    .name = "midpoint",
    .doc = "implicit midpoint rule with implicit multipliers: second order, conserves energy",
    .order = 2,
    .sliders = true,
    .smooth = true,
    .fixed = true,
    .varies = true,
    .tangents = true,
    .suits = suits_sliders,
    .moves = moves,
    .resume = resume,
    .views = views,
    .create = create_midpoint,
    .advance = advance,
    .free = theta_free,
};
