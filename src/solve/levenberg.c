/* solve/levenberg.c — see levenberg.h. */
#include "solve/levenberg.h"
#include "linalg/lu.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 4 };

typedef struct way {
  const cap_levenberg_problem *p;
  cap_levenberg_result *at;
  double *points, *values; /* [2n or TRIALS][n], [..][m] */
  bool *good;
  double *normal, *gradient, *matrix, *step; /* [n][n], [n], [n][n], [n] */
  int *pivot, *free_list;                    /* [n] */
  int nfree;
  double damping;
} way;

static double squares(int m, const double *r)
{
  double sum = 0.0;
  for (int i = 0; i < m; i++) sum += r[i] * r[i];
  return isfinite(sum) ? sum : INFINITY;
}

static cap_status ask(way *w, int count, cap_error *error)
{
  w->at->evaluations += count;
  return w->p->residuals(w->p->self, count, w->points, w->values, w->good, error);
}

/* ---- the Jacobian -------------------------------------------------------------------------------------- */

/* Difference of the two points beside x_j, or of one and x itself where the other has no residuals. */
static bool column(way *w, int j)
{
  const cap_levenberg_problem *p = w->p;
  const double *r[2] = {w->values + (size_t)(2 * j) * p->m, w->values + (size_t)(2 * j + 1) * p->m};
  double at[2] = {w->points[2 * j * p->n + j], w->points[(2 * j + 1) * p->n + j]};
  for (int k = 0; k < 2; k++)
    if (!w->good[2 * j + k] || !isfinite(squares(p->m, r[k]))) r[k] = w->at->r, at[k] = w->at->x[j];
  if (r[0] == r[1] || at[0] == at[1]) return false;
  for (int i = 0; i < p->m; i++) w->at->J[i * p->n + j] = (r[0][i] - r[1][i]) / (at[0] - at[1]);
  return true;
}

static cap_status jacobian(way *w, cap_error *error)
{
  const cap_levenberg_problem *p = w->p;
  for (int j = 0; j < p->n; j++)
    for (int k = 0; k < 2; k++) {
      double *x = w->points + (size_t)(2 * j + k) * p->n;
      memcpy(x, w->at->x, sizeof(double) * (size_t)p->n);
      x[j] = fmin(fmax(x[j] + (k ? -p->step[j] : p->step[j]), p->low[j]), p->high[j]);
    }
  CAP_TRY(ask(w, 2 * p->n, error));
  for (int j = 0; j < p->n; j++)
    if (!column(w, j))
      return cap_status_fail(error, CAP_ERR_NUMERICS,
                             "the residuals are not defined on either side of unknown %d", j + 1);
  return CAP_OK;
}

/* J' J, J' r, and which unknowns are free to move. */
static void normal_equations(way *w)
{
  int n = w->p->n, m = w->p->m;
  memset(w->normal, 0, sizeof(double) * (size_t)(n * n));
  memset(w->gradient, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < m; i++) {
    const double *row = w->at->J + (size_t)i * n;
    for (int j = 0; j < n; j++) {
      for (int k = 0; k <= j; k++) w->normal[j * n + k] += row[j] * row[k];
      w->gradient[j] += row[j] * w->at->r[i];
    }
  }
  for (int j = 0; j < n; j++)
    for (int k = j + 1; k < n; k++) w->normal[j * n + k] = w->normal[k * n + j];
  w->nfree = 0;
  for (int j = 0; j < n; j++) {
    double x = w->at->x[j], g = w->gradient[j];
    w->at->bound[j] = (x <= w->p->low[j] && g > 0.0) || (x >= w->p->high[j] && g < 0.0);
    if (!w->at->bound[j] && w->normal[j * n + j] > 0.0) w->free_list[w->nfree++] = j;
  }
}

/* Step of the free unknowns with a damping relative to the diagonal; returns the gain that it promises. */
static double damped(way *w, double damping)
{
  int n = w->p->n, k = w->nfree;
  memset(w->step, 0, sizeof(double) * (size_t)n);
  double *rhs = w->step + n; /* compact */
  for (int a = 0; a < k; a++) {
    int i = w->free_list[a];
    double root = sqrt(w->normal[i * n + i]);
    for (int b = 0; b < k; b++) {
      int j = w->free_list[b];
      w->matrix[a * k + b] = w->normal[i * n + j] / (root * sqrt(w->normal[j * n + j])) +
                             (a == b ? damping : 0.0);
    }
    rhs[a] = -w->gradient[i] / root;
  }
  if (capm_lu_factor(k, w->matrix, w->pivot)) return 0.0;
  capm_lu_solve(k, w->matrix, w->pivot, rhs);
  double gain = 0.0;
  for (int a = 0; a < k; a++) {
    int i = w->free_list[a];
    w->step[i] = rhs[a] / sqrt(w->normal[i * n + i]);
    gain -= w->step[i] * w->gradient[i];
  }
  return gain;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* Four dampings about the present one; the best point that lowers the sum replaces x. */
static cap_status try_steps(way *w, bool *lower, cap_error *error)
{
  static const double factor[TRIALS] = {0.01, 0.3, 10.0, 300.0};
  const cap_levenberg_problem *p = w->p;
  for (int t = 0; t < TRIALS; t++) {
    double *x = w->points + (size_t)t * p->n;
    damped(w, w->damping * factor[t]);
    for (int j = 0; j < p->n; j++) x[j] = fmin(fmax(w->at->x[j] + w->step[j], p->low[j]), p->high[j]);
  }
  CAP_TRY(ask(w, TRIALS, error));
  int best = -1;
  for (int t = 0; t < TRIALS; t++) {
    double sum = w->good[t] ? squares(p->m, w->values + (size_t)t * p->m) : INFINITY;
    if (sum < w->at->sum) w->at->sum = sum, best = t;
  }
  *lower = best >= 0;
  if (!*lower) return CAP_OK;
  memcpy(w->at->x, w->points + (size_t)best * p->n, sizeof(double) * (size_t)p->n);
  memcpy(w->at->r, w->values + (size_t)best * p->m, sizeof(double) * (size_t)p->m);
  w->damping = fmin(fmax(w->damping * factor[best], 1e-12), 1e6);
  return CAP_OK;
}

static cap_status iterate(way *w, int most, cap_error *error)
{
  cap_levenberg_result *at = w->at;
  int slow = 0, stuck = 0;
  CAP_TRY(jacobian(w, error));
  for (at->iterations = 0; at->iterations < most && !at->converged; at->iterations++) {
    normal_equations(w);
    double variance = at->sum / fmax(w->p->m - w->p->n, 1), before = at->sum;
    if (w->nfree == 0 || before == 0.0 || damped(w, 1e-10) < 1e-8 * variance)
      break; /* 1e-4 standard errors */
    bool lower;
    CAP_TRY(try_steps(w, &lower, error));
    if (!lower) {
      w->damping *= 1e4;
      if (++stuck == 3) break;
      continue;
    }
    stuck = 0;
    slow = before - at->sum < 1e-4 * variance ? slow + 1 : 0; /* a valley so flat that the data cannot tell */
    if (w->p->progress && !w->p->progress(w->p->self, at->iterations + 1, at->sum))
      return cap_status_fail(error, CAP_STOPPED, "interrupted");
    CAP_TRY(jacobian(w, error));
    if (slow == 2) break;
  }
  at->converged = at->iterations < most;
  normal_equations(w);
  return CAP_OK;
}

static cap_status start(way *w, const double *x0, cap_error *error)
{
  const cap_levenberg_problem *p = w->p;
  cap_levenberg_result *at = w->at;
  size_t n = (size_t)p->n, m = (size_t)p->m, points = 2 * n > TRIALS ? 2 * n : TRIALS;
  at->x = CAP_ARENA_NEW(&at->arena, double, n);
  at->r = CAP_ARENA_NEW(&at->arena, double, m);
  at->J = CAP_ARENA_NEW(&at->arena, double, (m * n));
  at->bound = CAP_ARENA_NEW(&at->arena, bool, n);
  w->points = CAP_ARENA_NEW(&at->arena, double, (points * n));
  w->values = CAP_ARENA_NEW(&at->arena, double, (points * m));
  w->good = CAP_ARENA_NEW(&at->arena, bool, points);
  w->normal = CAP_ARENA_NEW(&at->arena, double, (n * n));
  w->gradient = CAP_ARENA_NEW(&at->arena, double, n);
  w->matrix = CAP_ARENA_NEW(&at->arena, double, (n * n));
  w->step = CAP_ARENA_NEW(&at->arena, double, 2 * n);
  w->pivot = CAP_ARENA_NEW(&at->arena, int, n);
  w->free_list = CAP_ARENA_NEW(&at->arena, int, n);
  if (!at->x || !at->r || !at->J || !at->bound || !w->points || !w->values || !w->good || !w->normal ||
      !w->gradient || !w->matrix || !w->step || !w->pivot || !w->free_list)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int j = 0; j < p->n; j++) at->x[j] = w->points[j] = fmin(fmax(x0[j], p->low[j]), p->high[j]);
  CAP_TRY(ask(w, 1, error));
  memcpy(at->r, w->values, sizeof(double) * m);
  at->sum = squares(p->m, at->r);
  if (!w->good[0] || !isfinite(at->sum))
    return cap_status_fail(error, CAP_ERR_NUMERICS, "the residuals are not defined at the start");
  return CAP_OK;
}

cap_status cap_levenberg_run(const cap_levenberg_problem *p, const double *x0, int most,
                             cap_levenberg_result *result, cap_error *error)
{
  way w = {.p = p, .at = result, .damping = 1e-3};
  *result = (cap_levenberg_result){0};
  cap_status status = start(&w, x0, error);
  if (status == CAP_OK) status = iterate(&w, most, error);
  if (status != CAP_OK) cap_levenberg_free(result);
  return status;
}

void cap_levenberg_free(cap_levenberg_result *result)
{
  cap_arena_free(&result->arena);
  *result = (cap_levenberg_result){0};
}
