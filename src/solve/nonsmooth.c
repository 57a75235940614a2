/* solve/nonsmooth.c — see nonsmooth.h: the table of solvers, residual, prox functions. */
#include "solve/nonsmooth_work.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cap_nonsmooth {
  const cap_nonsmooth_solver *solver;
  cap_nonsmooth_work work;
};

#define LISTED(x_) &cap_nonsmooth_##x_,
static const cap_nonsmooth_solver *const solvers[] = {CAP_NONSMOOTH_SOLVERS(LISTED)};
enum { NSOLVER = sizeof solvers / sizeof *solvers };

#define NAMED(x_) cap_nonsmooth_##x_.name,
const char *const cap_nonsmooth_names[] = {CAP_NONSMOOTH_SOLVERS(NAMED) NULL};

static cap_status refuse(const char *name, cap_error *error)
{
  char names[128] = "";
  for (int k = 0; k < NSOLVER; k++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", solvers[k]->name);
  }
  return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "unknown contact solver \"%s\"; use one of: %s", name,
                         names);
}

cap_status cap_nonsmooth_create(const char *name, cap_nonsmooth **s, cap_error *error)
{
  const cap_nonsmooth_solver *solver = NULL;
  for (int k = 0; k < NSOLVER; k++)
    if (strcmp(solvers[k]->name, name) == 0) solver = solvers[k];
  *s = NULL;
  if (!solver) return refuse(name, error);
  if (!(*s = calloc(1, sizeof **s))) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  (*s)->solver = solver;
  return CAP_OK;
}

void cap_nonsmooth_release(cap_nonsmooth_work *w)
{
  free(w->block);
  free(w->rho_n);
  free(w->rho_t);
  free(w->xi);
  free(w->order);
  for (int k = 0; k < 8; k++) free(w->extra[k]);
  *w = (cap_nonsmooth_work){.own = w->own};
}

void cap_nonsmooth_free(cap_nonsmooth *s)
{
  if (!s) return;
  if (s->solver->free) s->solver->free(s->work.own);
  cap_nonsmooth_release(&s->work);
  free(s);
}

const char *cap_nonsmooth_name(const cap_nonsmooth *s)
{
  return s->solver->name;
}

/* ---- what is common to all ----------------------------------------------------------------------------- */

static cap_status reserve(cap_nonsmooth_work *w, int rows, int contacts)
{
  if (rows <= w->rows && contacts <= w->contacts && w->xi) return CAP_OK;
  rows = rows > w->rows ? rows + rows / 2 + 8 : w->rows;
  contacts = contacts > w->contacts ? contacts + contacts / 2 + 8 : w->contacts;
  cap_nonsmooth_release(w);
  bool all = (w->block = calloc((size_t)contacts * 9, sizeof(double))) &&
             (w->rho_n = calloc((size_t)contacts, sizeof(double))) &&
             (w->rho_t = calloc((size_t)contacts, sizeof(double))) &&
             (w->order = calloc((size_t)contacts, sizeof(int))) &&
             (w->xi = calloc((size_t)rows, sizeof(double)));
  for (int k = 0; k < 8; k++) all = all && (w->extra[k] = calloc((size_t)rows, sizeof(double)));
  if (!all) {
    cap_nonsmooth_release(w);
    return CAP_ERR_NOMEM;
  }
  w->rows = rows;
  w->contacts = contacts;
  return CAP_OK;
}

static double inverse(double value)
{
  return value > 0.0 ? 1.0 / value : 0.0;
}

/* 1 / the largest eigenvalue of the tangential part (of three rows: of its trace). */
static double tangential_factor(const double *D, int n, int from)
{
  int nt = n - from;
  double trace = 0.0;
  for (int r = from; r < n; r++) trace += D[r * n + r];
  if (nt != 2) return inverse(trace);
  double a = D[from * n + from], b = D[from * n + from + 1], d = D[(from + 1) * n + from + 1];
  return inverse(0.5 * trace + sqrt(0.25 * (a - d) * (a - d) + b * b));
}

static void take_block(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, int i)
{
  const cap_nonsmooth_contact *k = &p->contacts[i];
  int n = cap_nonsmooth_rows_of(k);
  double *D = w->block + 9 * i;
  memset(D, 0, 9 * sizeof *D);
  for (int r = 0; r < n; r++)
    for (int at = p->start[k->row + r]; at < p->start[k->row + r + 1]; at++) {
      int c = p->column[at] - k->row;
      if (c >= 0 && c < n) D[r * n + c] = p->value[at];
    }
  w->rho_n[i] = k->nnormal ? inverse(D[0]) : 0.0;
  w->rho_t[i] = tangential_factor(D, n, k->nnormal);
}

static double row_factor(const cap_nonsmooth_work *w, const cap_nonsmooth_contact *k, int i, int r)
{
  return r < k->nnormal ? w->rho_n[i] : w->rho_t[i];
}

cap_status cap_nonsmooth_prepare(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p)
{
  CAP_TRY(reserve(w, p->nrow, p->ncontact));
  w->scale = 0.0;
  for (int i = 0; i < p->ncontact; i++) {
    const cap_nonsmooth_contact *k = &p->contacts[i];
    take_block(w, p, i);
    for (int r = 0; r < cap_nonsmooth_rows_of(k); r++) {
      double *lambda = &p->lambda[k->row + r];
      bool moves = row_factor(w, k, i, r) > 0.0;
      if (!isfinite(*lambda) || !moves) *lambda = 0.0;
      if (moves) w->scale = fmax(w->scale, fabs(p->c[k->row + r]));
    }
  }
  if (w->scale == 0.0) memset(p->lambda, 0, sizeof(double) * (size_t)p->nrow); /* it rests without forces */
  return CAP_OK;
}

void cap_nonsmooth_velocities(const cap_nonsmooth_problem *p, const double *lambda, double *xi)
{
  for (int r = 0; r < p->nrow; r++) {
    double sum = p->c[r];
    for (int at = p->start[r]; at < p->start[r + 1]; at++) sum += p->value[at] * lambda[p->column[at]];
    xi[r] = sum;
  }
}

void cap_nonsmooth_prox(const cap_nonsmooth_contact *k, double rho_n, double rho_t, const double *lambda,
                        const double *xi, double *next)
{
  double limit = k->limit, length2 = 0.0;
  int from = k->nnormal, n = cap_nonsmooth_rows_of(k);
  if (from) {
    next[0] = lambda[0] - rho_n * xi[0];
    if (!k->bilateral && next[0] < 0.0) next[0] = 0.0;
    limit = k->mu == INFINITY ? INFINITY : k->mu * fabs(next[0]);
  }
  for (int r = from; r < n; r++) {
    next[r] = lambda[r] - rho_t * xi[r];
    length2 += next[r] * next[r];
  }
  if (!(length2 > limit * limit)) return;
  double shrink = limit / sqrt(length2);
  for (int r = from; r < n; r++) next[r] *= shrink;
}

double cap_nonsmooth_defect(const cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, const double *lambda,
                            const double *xi)
{
  double worst = 0.0, carried = 0.0;
  for (int i = 0; i < p->ncontact; i++) {
    const cap_nonsmooth_contact *k = &p->contacts[i];
    double next[CAP_NONSMOOTH_ROWS];
    cap_nonsmooth_prox(k, w->rho_n[i], w->rho_t[i], lambda + k->row, xi + k->row, next);
    for (int r = 0; r < cap_nonsmooth_rows_of(k); r++) {
      double rho = row_factor(w, k, i, r);
      if (rho == 0.0) continue;
      worst = fmax(worst, fabs(lambda[k->row + r] - next[r]) / rho);
      carried = fmax(carried, fabs(lambda[k->row + r]) / rho);
      if (!isfinite(next[r])) return INFINITY;
    }
  }
  /* what the impulses cannot be told to */
  worst = fmax(worst - fmin(32.0 * DBL_EPSILON * carried, 1e-10 * w->scale), 0.0);
  return w->scale > 0.0 ? worst / w->scale : 0.0;
}

cap_status cap_nonsmooth_solve(cap_nonsmooth *s, const cap_nonsmooth_problem *p,
                               const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats)
{
  *stats = (cap_nonsmooth_stats){0};
  if (p->nrow == 0) return CAP_OK;
  CAP_TRY(cap_nonsmooth_prepare(&s->work, p));
  return s->solver->solve(&s->work, p, settings, stats);
}

cap_status cap_nonsmooth_residual(cap_nonsmooth *s, const cap_nonsmooth_problem *p, double *residual)
{
  *residual = 0.0;
  if (p->nrow == 0) return CAP_OK;
  CAP_TRY(cap_nonsmooth_prepare(&s->work, p));
  cap_nonsmooth_velocities(p, p->lambda, s->work.xi);
  *residual = cap_nonsmooth_defect(&s->work, p, p->lambda, s->work.xi);
  return CAP_OK;
}
