/* step/radau_system.c — see radau_system.h. */
#include "step/radau_system.h"

#include "linalg/clu.h"
#include "linalg/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool cap_radau_system_create(cap_radau_system *y, const cap_model *m, int npair, cap_arena *arena)
{
  *y = (cap_radau_system){.m = m, .n = m->nstate + m->nideal + m->nlaw, .nlaw = m->nlaw, .npair = npair};
  int n = y->n, k = y->nreduced = n - m->nv;
  bool all = (y->h = CAP_ARENA_NEW(arena, double, m->nv)) &&
             (y->dh = CAP_ARENA_NEW(arena, double, (m->nv * n))) &&
             (y->columns = CAP_ARENA_NEW(arena, double, m->nstate * m->nstate)) &&
             (y->dxdot = CAP_ARENA_NEW(arena, double, m->nx * m->nstate)) &&
             (y->law = CAP_ARENA_NEW(arena, double, y->nlaw)) &&
             (y->dlaw = CAP_ARENA_NEW(arena, double, y->nlaw * m->nstate)) &&
             (y->law_rows = CAP_ARENA_NEW(arena, double, y->nlaw * m->nv)) &&
             (y->inertia = CAP_ARENA_NEW(arena, double, m->ninertia_work)) &&
             (y->scale = CAP_ARENA_NEW(arena, double, k)) &&
             (y->slip = CAP_ARENA_NEW(arena, double, m->nideal)) &&
             (y->dslip = CAP_ARENA_NEW(arena, double, m->nideal * m->nstate)) &&
             (y->rows = CAP_ARENA_NEW(arena, double, m->nideal * m->nv)) &&
             (y->jacobian = CAP_ARENA_NEW(arena, double, (k * n))) &&
             (y->real = CAP_ARENA_NEW(arena, double, (k * k))) &&
             (y->moved = CAP_ARENA_NEW(arena, double, n)) &&
             (y->response = CAP_ARENA_NEW(arena, double, n)) &&
             (y->before = CAP_ARENA_NEW(arena, double, n)) && (y->pivot = CAP_ARENA_NEW(arena, int, k)) &&
             (y->sum = CAP_ARENA_NEW(arena, double, 2 * k));
  for (int p = 0; all && p < npair; p++)
    all = (y->re[p] = CAP_ARENA_NEW(arena, double, (k * k))) &&
          (y->im[p] = CAP_ARENA_NEW(arena, double, (k * k))) && (y->pivots[p] = CAP_ARENA_NEW(arena, int, k));
  for (int i = 0; all && i < m->nstate; i++) y->columns[i * (m->nstate + 1)] = 1.0;
  return all;
}

void cap_radau_system_load(cap_radau_system *y, double t, double *w)
{
  const cap_model *m = y->m;
  if (!y->nlaw) return;
  cap_eval e = {.nlane = 1, .t = &t, .q = w, .v = w + m->nv, .x = w + 2 * m->nv, .h = y->h, .xdot = y->sum};
  e.input = y->inputs;
  e.law = w + m->nstate + m->nideal;
  cap_model_rates(m, &e);
}

void cap_radau_system_evaluate(cap_radau_system *y, double t, const double *w, double *f, double *power)
{
  const cap_model *m = y->m;
  int nv = m->nv;
  cap_eval e = {.nlane = 1,
                .t = &t,
                .input = y->inputs,
                .q = w,
                .v = w + nv,
                .x = w + 2 * nv,
                .h = y->h,
                .xdot = f + 2 * nv,
                .power = power,
                .inertia_work = y->inertia};
  const double *lambda = w + m->nstate + m->nideal;
  double *law = f + m->nstate + m->nideal;
  if (m->nideal) e.multiplier = w + m->nstate, e.slip = f + m->nstate;
  if (y->nlaw) e.stick = lambda, e.law = law;
  cap_model_rates(m, &e);
  for (int r = 0; r < y->nlaw; r++) law[r] -= lambda[r];
  for (int i = 0; i < nv; i++) {
    f[i] = w[nv + i];
    f[nv + i] = e.h[i] * m->inverse_mass[i];
  }
  if (m->ninertia) cap_inertia_accelerate(m, &e, f + nv, NULL);
  if (power) cap_model_motion_power(m, &e, power);
}

/* Derivatives of `count` rows, and of the accelerations to their forces,
 * which are the unknowns from `at` on. */
static void put_rows(cap_radau_system *y, int at, int count, const double *derivative, const double *rows)
{
  const cap_model *m = y->m;
  int nv = m->nv, ns = m->nstate, n = y->n;
  for (int r = 0; r < count; r++) {
    memcpy(y->jacobian + (at - nv + r) * n, derivative + r * ns, sizeof(double) * (size_t)ns);
    double *answer = y->response; /* M^-1 J' */
    for (int i = 0; i < nv; i++)
      answer[i] = rows[r * nv + i] * (cap_inertia_of(m, i) ? 1.0 : m->inverse_mass[i]);
    cap_inertia_solve(m, y->inertia, answer);
    for (int i = 0; i < nv; i++)
      if (m->driven[i] < 0) y->jacobian[i * n + at + r] = -answer[i];
  }
}

void cap_radau_system_linearise(cap_radau_system *y, double t, const double *w)
{
  const cap_model *m = y->m;
  int nv = m->nv, ns = m->nstate, n = y->n;
  double *xdot = y->sum;
  cap_eval e = {.nlane = 1,
                .ncol = ns,
                .t = &t,
                .input = y->inputs,
                .q = w,
                .v = w + nv,
                .x = w + 2 * nv,
                .dq = y->columns,
                .dv = y->columns + nv * ns,
                .dx = y->columns + 2 * nv * ns,
                .h = y->h,
                .dh = y->dh,
                .xdot = xdot,
                .dxdot = y->dxdot,
                .inertia_work = y->inertia};
  if (m->nideal) e.multiplier = w + ns, e.slip = y->slip, e.dslip = y->dslip, e.rows = y->rows;
  if (y->nlaw) e.stick = w + ns + m->nideal, e.law = y->law, e.dlaw = y->dlaw, e.law_rows = y->law_rows;
  cap_model_rates(m, &e);
  if (m->ninertia) cap_inertia_accelerate(m, &e, y->moved, y->dh); /* in the place of dh itself */
  memset(y->jacobian, 0, sizeof(double) * (size_t)(y->nreduced * n));
  for (int i = 0; i < nv; i++)
    for (int c = 0; c < ns && m->driven[i] < 0; c++)
      y->jacobian[i * n + c] = y->dh[i * ns + c] * (cap_inertia_of(m, i) ? 1.0 : m->inverse_mass[i]);
  for (int k = 0; k < m->nx; k++)
    memcpy(y->jacobian + (nv + k) * n, y->dxdot + k * ns, sizeof(double) * (size_t)ns);
  put_rows(y, ns, m->nideal, y->dslip, y->rows);
  put_rows(y, ns + m->nideal, y->nlaw, y->dlaw, y->law_rows);
  for (int r = ns + m->nideal; r < n; r++) y->jacobian[(r - nv) * n + r] -= 1.0;
}

/* Whether the unknown of a row of the reduced system has a derivative in the equations. */
static bool differential(const cap_radau_system *y, int row)
{
  return row < y->m->nstate - y->m->nv;
}

/* Rows of laws get the size of velocities: a deflection in them counts as the velocity that makes it in a
 * step. */
static void set_scale(cap_radau_system *y)
{
  const cap_model *m = y->m;
  for (int i = 0; i < y->nreduced; i++) {
    const double *row = y->jacobian + i * y->n;
    double most = 1.0;
    for (int c = 0; c < m->nstate && i >= y->nreduced - y->nlaw; c++)
      most = fmax(most, fabs(row[c]) / (c >= m->nv && c < 2 * m->nv ? 1.0 : y->gamma));
    y->scale[i] = 1.0 / most;
  }
}

/* g E - F_w reduced: with q = (r_q + v) / g the columns of the positions join those of the velocities. */
static void assemble(const cap_radau_system *y, double g, double *a)
{
  int nv = y->m->nv, k = y->nreduced;
  for (int i = 0; i < k; i++) {
    const double *row = y->jacobian + i * y->n;
    double scale = y->scale[i];
    for (int c = 0; c < k; c++) a[i * k + c] = -scale * row[nv + c];
    for (int c = 0; c < nv; c++) a[i * k + c] -= scale * row[c] / g;
    if (differential(y, i)) a[i * k + i] += g;
  }
}

/* The same for g = alpha - i beta, whose inverse is (alpha + i beta) / |g|^2. */
static void assemble_pair(const cap_radau_system *y, double alpha, double beta, double *re, double *im)
{
  int nv = y->m->nv, k = y->nreduced;
  double square = alpha * alpha + beta * beta, ir = alpha / square, ii = beta / square;
  memset(im, 0, sizeof(double) * (size_t)(k * k));
  for (int i = 0; i < k; i++) {
    const double *row = y->jacobian + i * y->n;
    double scale = y->scale[i];
    for (int c = 0; c < k; c++) re[i * k + c] = -scale * row[nv + c];
    for (int c = 0; c < nv; c++) {
      re[i * k + c] -= scale * row[c] * ir;
      im[i * k + c] -= scale * row[c] * ii;
    }
    if (differential(y, i)) re[i * k + i] += alpha, im[i * k + i] -= beta;
  }
}

bool cap_radau_system_factor(cap_radau_system *y, const capm_radau_method *method, double h)
{
  y->gamma = method->gamma / h;
  set_scale(y);
  assemble(y, y->gamma, y->real);
  const cap_progress *progress = y->m->progress;
  if (capm_lu_factor_heard(y->nreduced, y->real, y->pivot, progress)) return false;
  for (int p = 0; p < y->npair; p++) {
    y->alpha[p] = method->alpha[p] / h;
    y->beta[p] = method->beta[p] / h;
    assemble_pair(y, y->alpha[p], y->beta[p], y->re[p], y->im[p]);
    if (capm_clu_factor_heard(y->nreduced, y->re[p], y->im[p], y->pivots[p], progress)) return false;
  }
  return true;
}

/* sum := F_q r_q */
static void couple(const cap_radau_system *y, const double *r, double *sum)
{
  int nv = y->m->nv;
  for (int i = 0; i < y->nreduced; i++) {
    sum[i] = 0.0;
    for (int c = 0; c < nv; c++) sum[i] += y->jacobian[i * y->n + c] * r[c];
  }
}

void cap_radau_system_solve(const cap_radau_system *y, double *r)
{
  int nv = y->m->nv;
  couple(y, r, y->sum);
  for (int i = 0; i < y->nreduced; i++) r[nv + i] = y->scale[i] * (r[nv + i] + y->sum[i] / y->gamma);
  capm_lu_solve(y->nreduced, y->real, y->pivot, r + nv);
  for (int i = 0; i < nv; i++) r[i] = (r[i] + r[nv + i]) / y->gamma;
}

void cap_radau_system_solve_pair(const cap_radau_system *y, int k, double *a, double *b)
{
  int nv = y->m->nv, n = y->nreduced;
  double alpha = y->alpha[k], beta = y->beta[k], square = alpha * alpha + beta * beta;
  double ir = alpha / square, ii = beta / square, *sa = y->sum, *sb = y->sum + n;
  couple(y, a, sa);
  couple(y, b, sb);
  for (int i = 0; i < n; i++) {
    a[nv + i] = y->scale[i] * (a[nv + i] + ir * sa[i] - ii * sb[i]);
    b[nv + i] = y->scale[i] * (b[nv + i] + ir * sb[i] + ii * sa[i]);
  }
  capm_clu_solve(n, y->re[k], y->im[k], y->pivots[k], a + nv, b + nv);
  for (int i = 0; i < nv; i++) {
    double re = a[i] + a[nv + i], im = b[i] + b[nv + i];
    a[i] = ir * re - ii * im;
    b[i] = ir * im + ii * re;
  }
}

void cap_radau_system_sharpen(const cap_radau_system *y, double *r)
{
  memcpy(y->before, r, sizeof(double) * (size_t)y->n);
  for (int k = 0; k < y->n; k++) r[k] = k < y->m->nstate ? y->gamma * r[k] : 0.0;
  cap_radau_system_solve(y, r);
  for (int k = 0; k < y->n; k++) r[k] -= y->before[k];
}

void cap_radau_system_noise(cap_radau_system *y, double t, const double *w, const double *f, int times,
                            double *noise)
{
  enum { PATTERNS = 3 }; /* of signs: every other state, every other pair, every other four */
  const cap_model *m = y->m;
  for (int k = 0; k < y->n; k++) noise[k] = DBL_EPSILON * fabs(w[k]);
  for (int p = 0; p < PATTERNS; p++) {
    for (int k = 0; k < y->n; k++) y->moved[k] = w[k] * (1.0 + (k >> p & 1 ? -DBL_EPSILON : DBL_EPSILON));
    cap_radau_system_evaluate(y, t, y->moved, y->response, NULL);
    for (int k = 0; k < y->n; k++) y->response[k] -= f[k];
    for (int k = 0; k < m->nmotion; k++)
      y->response[m->motion_dof[k]] = y->response[m->nv + m->motion_dof[k]] = 0.0;
    cap_radau_system_solve(y, y->response);
    for (int i = 0; i <= times; i++) {
      if (i) cap_radau_system_sharpen(y, y->response);
      for (int k = 0; k < y->n; k++) noise[k] = fmax(noise[k], fabs(y->response[k]));
    }
  }
}
