/* analysis/statics/equilibrium.c — see equilibrium.h. */
#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/settling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WEAK 1e-8 /* springs that hold what floats, over the stiffest one */
#define FAR  1e3  /* m, how far they let it go where nothing has any stiffness */

typedef struct problem {
  const cap_model *m;
  double t;
  const double *q0, *x0;             /* where the slow motion starts */
  double *q, *v, *x;                 /* the trial state */
  double *dxdu;                      /* [nx] slope of each inner state over its own deflection */
  double *dq, *dv, *dx, *dh, *dxdot; /* columns: one per coordinate */
  double *h, *xdot, *force;
  cap_arena arena;
} problem;

static cap_status create(problem *p, const cap_model *m, const cap_data *d)
{
  *p = (problem){.m = m, .t = *d->t};
  int nv = m->nv, nx = m->nx;
  double *q0 = CAP_ARENA_NEW(&p->arena, double, nv), *x0 = CAP_ARENA_NEW(&p->arena, double, nx);
  p->q = CAP_ARENA_NEW(&p->arena, double, nv);
  p->v = CAP_ARENA_NEW(&p->arena, double, nv);
  p->x = CAP_ARENA_NEW(&p->arena, double, nx);
  p->dxdu = CAP_ARENA_NEW(&p->arena, double, nx);
  p->dq = CAP_ARENA_NEW(&p->arena, double, (nv * nv));
  p->dv = CAP_ARENA_NEW(&p->arena, double, (nv * nv));
  p->dx = CAP_ARENA_NEW(&p->arena, double, (nx * nv));
  p->dh = CAP_ARENA_NEW(&p->arena, double, (nv * nv));
  p->dxdot = CAP_ARENA_NEW(&p->arena, double, (nx * nv));
  p->h = CAP_ARENA_NEW(&p->arena, double, nv);
  p->xdot = CAP_ARENA_NEW(&p->arena, double, nx);
  p->force = CAP_ARENA_NEW(&p->arena, double, m->noutput);
  if (!q0 || !x0 || !p->q || !p->v || !p->x || !p->dxdu || !p->dq || !p->dv || !p->dx || !p->dh ||
      !p->dxdot || !p->h || !p->xdot || !p->force)
    return CAP_ERR_NOMEM;
  memcpy(q0, d->q, sizeof(double) * (size_t)nv);
  memcpy(x0, d->x, sizeof(double) * (size_t)nx);
  memcpy(p->q, d->q, sizeof(double) * (size_t)nv);
  p->q0 = q0;
  p->x0 = x0;
  return CAP_OK;
}

static double end_to_end(const double *a, int i, int j)
{
  return a[i] - (j == CAP_GROUND ? 0.0 : a[j]);
}

/* Inner states after the slow motion q0 -> q. */
static void settle(problem *p)
{
  cap_settling_states(p->m, p->q0, p->x0, p->q, p->x, p->dxdu);
}

static void set_inner_columns(problem *p)
{
  cap_settling_columns(p->m, p->dxdu, p->m->nv, p->dq, p->dx);
}

static void evaluate(problem *p, int ncol)
{
  cap_eval e = {.nlane = 1,
                .ncol = ncol,
                .t = &p->t,
                .steady = true,
                .q = p->q,
                .v = p->v,
                .x = p->x,
                .dq = p->dq,
                .dv = p->dv,
                .dx = p->dx,
                .h = p->h,
                .dh = p->dh,
                .xdot = p->xdot,
                .dxdot = p->dxdot,
                .force = p->force};
  cap_model_rates(p->m, &e);
}

static double imbalance(const problem *p)
{
  double worst = 0.0;
  for (int i = 0; i < p->m->nv; i++)
    if (p->m->driven[i] < 0 && !(fabs(p->h[i]) <= worst)) worst = fabs(p->h[i]);
  return worst;
}

static double largest_force(const problem *p)
{
  double largest = 0.0;
  for (int k = 0; k < p->m->nelem; k++) largest = fmax(largest, fabs(p->force[k]));
  return largest;
}

static void identity_columns(problem *p, double *columns)
{
  memset(p->dq, 0, sizeof(double) * (size_t)(p->m->nv * p->m->nv));
  memset(p->dv, 0, sizeof(double) * (size_t)(p->m->nv * p->m->nv));
  for (int i = 0; i < p->m->nv; i++) columns[i * (p->m->nv + 1)] = p->m->driven[i] < 0 ? 1.0 : 0.0;
}

/* Newton direction into `step`; false when the stiffness is singular. With `held` weak springs hold every
 * coordinate, so that what floats in a clearance goes where its load takes it. */
static bool direction(problem *p, bool held, double *step)
{
  int n = p->m->nv;
  double *a = p->dh; /* factored in place after the evaluation */
  int *pivot = CAP_ARENA_NEW(&p->arena, int, n);
  identity_columns(p, p->dq);
  set_inner_columns(p);
  evaluate(p, n);
  for (int i = 0; i < n; i++) {
    if (p->m->driven[i] >= 0)
      for (int c = 0; c < n; c++) a[i * n + c] = i == c ? -1.0 : 0.0;
    step[i] = p->m->driven[i] >= 0 ? 0.0 : p->h[i];
  }
  double stiffest = 0.0;
  for (int k = 0; k < n * n; k++) {
    a[k] = -a[k];
    stiffest = fmax(stiffest, fabs(a[k]));
  }
  double hold = held ? (stiffest > 0.0 ? WEAK * stiffest : imbalance(p) / FAR) : 0.0;
  for (int i = 0; i < n; i++) a[i * (n + 1)] += hold;
  if (!pivot || capm_lu_factor_heard(n, a, pivot, p->m->progress) || capm_lu_pivot_ratio(n, a) < 1e-14)
    return false;
  capm_lu_solve(n, a, pivot, step);
  return true;
}

static cap_status singular(const problem *p, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "no unique equilibrium: the stiffness matrix is singular (an unconstrained body?), "
                         "residual force %.3g N",
                         imbalance(p));
}

/* Shorten the step until the imbalance falls. */
static bool search_line(problem *p, const double *from, const double *step, double before)
{
  for (double fraction = 1.0; fraction > 1e-10; fraction *= 0.5) {
    for (int i = 0; i < p->m->nv; i++) p->q[i] = from[i] + fraction * step[i];
    settle(p);
    evaluate(p, 0);
    if (imbalance(p) < before * (1.0 - 1e-4 * fraction)) return true;
  }
  return false;
}

/* What floats goes along the step until something holds it; the imbalance may grow there, Newton takes it
 * back. */
static bool float_on(problem *p, const double *from, const double *step, double *unused)
{
  for (double fraction = 1e-10; fraction <= 1.0; fraction *= 2.0) {
    for (int i = 0; i < p->m->nv; i++) p->q[i] = from[i] + fraction * step[i];
    settle(p);
    if (direction(p, false, unused)) return true;
  }
  return false;
}

static cap_status iterate(problem *p, double tolerance, int most, cap_equilibrium *found, cap_error *error)
{
  int n = p->m->nv;
  double *from = CAP_ARENA_NEW(&p->arena, double, n), *step = CAP_ARENA_NEW(&p->arena, double, n);
  double *other = CAP_ARENA_NEW(&p->arena, double, n);
  if (!from || !step || !other) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  settle(p);
  evaluate(p, 0);
  for (found->iterations = 0;; found->iterations++) {
    double now = imbalance(p), goal = tolerance * largest_force(p);
    found->residual = now;
    if (now <= goal) return CAP_OK;
    if (found->iterations >= most)
      return cap_status_fail(
          error, CAP_ERR_NUMERICS,
          "no equilibrium found in %d iterations: residual force %.3g N (tolerance %.3g N)", most, now, goal);
    memcpy(from, p->q, sizeof(double) * (size_t)n);
    if (!direction(p, false, step)) {
      if (!direction(p, true, step) || !float_on(p, from, step, other)) return singular(p, error);
      continue;
    }
    if (!search_line(p, from, step, now)) {
      if (now <= 100.0 * goal) return CAP_OK; /* rounding is all that is left */
      return cap_status_fail(error, CAP_ERR_NUMERICS,
                             "no equilibrium found: Newton's method stalls at a residual force of %.3g N",
                             now);
    }
  }
}

cap_status cap_equilibrium_find(const cap_model *m, cap_data *d, double tolerance, int most,
                                cap_equilibrium *found, cap_error *error)
{
  problem p;
  *found = (cap_equilibrium){0};
  cap_status status = create(&p, m, d);
  if (status == CAP_OK) status = iterate(&p, tolerance, most, found, error);
  else cap_status_fail(error, status, "out of memory");
  if (status == CAP_OK) {
    memcpy(d->q, p.q, sizeof(double) * (size_t)m->nv);
    memset(d->v, 0, sizeof(double) * (size_t)m->nv);
    memcpy(d->x, p.x, sizeof(double) * (size_t)m->nx);
    memset(d->regime, 0, sizeof(int64_t) * (size_t)m->nslider);
    memset(d->sense, 0, sizeof(int64_t) * (size_t)m->nelem);
    cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
    cap_data_start_audit(m, d);
  }
  cap_arena_free(&p.arena);
  return status;
}

cap_status cap_equilibrium_forces(const cap_model *m, const cap_data *start, const double *q, double *f,
                                  double *fq, double *x)
{
  problem p;
  int n = m->nv;
  cap_status status = create(&p, m, start);
  if (status == CAP_OK) {
    memcpy(p.q, q, sizeof(double) * (size_t)n);
    settle(&p);
    identity_columns(&p, p.dq);
    set_inner_columns(&p);
    evaluate(&p, fq ? n : 0);
    for (int i = 0; i < n; i++) {
      bool driven = m->driven[i] >= 0;
      f[i] = driven ? q[i] - p.q0[i] : p.h[i];
      for (int j = 0; fq && j < n; j++) fq[i * n + j] = driven ? (i == j) : p.dh[i * n + j];
    }
    if (x) memcpy(x, p.x, sizeof(double) * (size_t)m->nx);
  }
  cap_arena_free(&p.arena);
  return status;
}

/* Slopes of the inner states for stiffness: as after a reversal, or while sliding. */
static void set_slopes(problem *p, bool sliding)
{
  const cap_model *m = p->m;
  memset(p->dxdu, 0, sizeof(double) * (size_t)m->nx);
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    for (int k = 0; batch->type->slopes && k < batch->n; k++) {
      double stuck, slide, u = end_to_end(p->q, batch->i[k], batch->j[k]);
      int at = batch->x_adr + k * batch->type->nstate;
      batch->type->slopes(batch, k, 0, u, &p->x[at], &stuck, &slide);
      p->dxdu[at] = sliding ? slide : stuck;
    }
  }
  for (int s = 0; s < m->nslider; s++)
    if (!sliding && isfinite(m->slider_k[s])) p->dxdu[m->nx - m->nslider + s] = m->slider_k[s];
}

/* Rows and columns of the free coordinates of -dh. */
static int take_free(const problem *p, double *out)
{
  int n = p->m->nv, nfree = 0, at = 0;
  for (int i = 0; i < n; i++) nfree += p->m->driven[i] < 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (p->m->driven[i] < 0 && p->m->driven[j] < 0) out[at++] = -p->dh[i * n + j];
  return nfree;
}

int cap_equilibrium_stiffness(const cap_model *m, const cap_data *d, bool sliding, double *K, double *C,
                              cap_error *error)
{
  problem p;
  int nfree = -1;
  if (create(&p, m, d) == CAP_OK) {
    memcpy(p.x, d->x, sizeof(double) * (size_t)m->nx);
    if (m->subject.type->runs || m->ninertia)
      memcpy(p.v, d->v, sizeof(double) * (size_t)m->nv); /* these vibrate while they run */
    set_slopes(&p, sliding);
    identity_columns(&p, p.dq);
    set_inner_columns(&p);
    evaluate(&p, m->nv);
    nfree = take_free(&p, K);
    identity_columns(&p, p.dv);
    memset(p.dx, 0, sizeof(double) * (size_t)(m->nx * m->nv));
    evaluate(&p, m->nv);
    take_free(&p, C);
  } else {
    cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  cap_arena_free(&p.arena);
  return nfree;
}

cap_status cap_equilibrium_mass(const cap_model *m, const cap_data *d, double *M)
{
  cap_arena arena = {0};
  int n = 0, at = 0;
  for (int i = 0; i < m->nv; i++) n += m->driven[i] < 0;
  memset(M, 0, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0) M[(at++) * (n + 1)] = m->mass[i];
  if (!m->ninertia) return CAP_OK;
  double *whole = CAP_ARENA_NEW(&arena, double, m->nv * m->nv);
  double *work = CAP_ARENA_NEW(&arena, double, m->ninertia_work);
  if (whole && work) {
    at = 0;
    cap_inertia_factor(m, d->q, work);
    cap_inertia_matrix(m, work, whole);
    for (int i = 0; i < m->nv; i++)
      for (int j = 0; j < m->nv; j++)
        if (m->driven[i] < 0 && m->driven[j] < 0) M[at++] = whole[i * m->nv + j];
  }
  cap_arena_free(&arena);
  return whole && work ? CAP_OK : CAP_ERR_NOMEM;
}

/* The first-order form [0 1; -M^-1 K -M^-1 C] of a system with blocks of inertia. */
static bool first_order_whole(const cap_model *m, const cap_data *d, int n, const double *K, const double *C,
                              double *a)
{
  cap_arena arena = {0};
  double *M = CAP_ARENA_NEW(&arena, double, (n * n)), *right = CAP_ARENA_NEW(&arena, double, 2 * n * n);
  int *pivot = CAP_ARENA_NEW(&arena, int, n);
  bool all = M && right && pivot && cap_equilibrium_mass(m, d, M) == CAP_OK;
  all = all && capm_lu_factor(n, M, pivot) == 0;
  for (int i = 0; all && i < n; i++)
    for (int j = 0; j < n; j++) {
      right[i * 2 * n + j] = -K[i * n + j];
      right[i * 2 * n + n + j] = -C[i * n + j];
    }
  if (all) capm_lu_solve_rows(n, M, pivot, 2 * n, right);
  for (int i = 0; all && i < n; i++) {
    a[i * 2 * n + n + i] = 1.0;
    memcpy(a + (n + i) * 2 * n, right + i * 2 * n, sizeof(double) * 2 * (size_t)n);
  }
  cap_arena_free(&arena);
  return all;
}

/* The same where all masses are on the diagonal. */
static void first_order(const cap_model *m, int n, const double *K, const double *C, double *a)
{
  int row = 0;
  for (int i = 0; i < m->nv; i++) {
    if (m->driven[i] >= 0) continue;
    a[row * 2 * n + n + row] = 1.0;
    for (int j = 0; j < n; j++) {
      a[(n + row) * 2 * n + j] = -K[row * n + j] / m->mass[i];
      a[(n + row) * 2 * n + n + j] = -C[row * n + j] / m->mass[i];
    }
    row++;
  }
}

int cap_equilibrium_eigenvalues(const cap_model *m, const cap_data *d, bool sliding, double *re, double *im,
                                cap_error *error)
{
  cap_arena arena = {0};
  double *K = CAP_ARENA_NEW(&arena, double, m->nv * m->nv), *C = CAP_ARENA_NEW(&arena, double, m->nv * m->nv);
  double *a = CAP_ARENA_NEW(&arena, double, 4 * m->nv * m->nv);
  int n = -1;
  if (!K || !C || !a) cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  else n = cap_equilibrium_stiffness(m, d, sliding, K, C, error);
  if (n > 0 && m->ninertia && !first_order_whole(m, d, n, K, C, a)) {
    cap_status_fail(error, CAP_ERR_NUMERICS, "the mass matrix is singular, or memory is exhausted");
    n = -1;
  }
  if (n > 0) {
    if (!m->ninertia) first_order(m, n, K, C, a);
    if (capm_eigen_general(2 * n, a, re, im, NULL, NULL) != CAP_OK) {
      cap_status_fail(error, CAP_ERR_NUMERICS,
                      "the eigenvalues could not be computed: the stiffness or damping matrix is not finite");
      n = -1;
    }
  }
  cap_arena_free(&arena);
  return n < 0 ? -1 : 2 * n;
}
