/* analysis/search/search_deflation.c — Newton away from all that is known, at some values of the sweep.
 *
 * For orbits of 1, 2, ... periods: the known solutions at a value, shorter ones and all shifts of longer
 * ones included, are divided out of the balance (solve/continuation/continuation.h), and Newton starts from
 * each known orbit of the forcing's period, disturbed by harmonics of the longer period. It finds unstable
 * orbits too, but no one says when it has found all.
 */
#include "analysis/search/search.h"
#include "hb/hb_branches_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 10, ROOTS = 64, ITERATIONS = 40, STARTS = 4 };

typedef struct roots {
  int n, count, nbase; /* the first nbase are orbits of the forcing's period: starts */
  double *x[ROOTS];
  cap_arena arena;
} roots;

static cap_status keep(roots *r, const double *x, cap_error *error)
{
  if (r->count == ROOTS) return CAP_OK;
  r->x[r->count] = CAP_ARENA_NEW(&r->arena, double, r->n);
  if (!r->x[r->count]) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(r->x[r->count++], x, sizeof(double) * (size_t)r->n);
  return CAP_OK;
}

static cap_status keep_shifts(roots *r, const cap_hb *hb, const double *x, int period, cap_error *error)
{
  double *y = malloc(sizeof(double) * (size_t)(r->n + 1));
  cap_status status = y ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; status == CAP_OK && k < period; k++) {
    cap_hb_branches_known_shift(hb, x, k, y);
    status = keep(r, y, error);
  }
  free(y);
  return status;
}

/* Solutions of a branch at p, as those of `hb`. */
static cap_status keep_branch(cap_search *s, int b, double p, const cap_hb *hb, roots *r, cap_error *error)
{
  const cap_hb_branch *branch = cap_hb_branches_get(s->set, b);
  cap_hb *own;
  cap_continuation *path;
  CAP_TRY(cap_hb_branches_hb(s->set, branch->sub, &own, error));
  if (own != cap_hb_branches_hb_of(s->set, b)) return CAP_OK;
  CAP_TRY(cap_hb_branches_path(s->set, branch->sub, &path, error));
  double *x = malloc(sizeof(double) * (size_t)(own->nunknown + r->n + 1)), *y = x ? x + own->nunknown : NULL;
  cap_status status = x ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; status == CAP_OK && k + 1 < branch->npoint; k++) {
    const cap_hb_point *from = &branch->points[k], *to = &branch->points[k + 1];
    if ((from->p - p) * (to->p - p) > 0.0 || from->p == to->p) continue;
    cap_continuation_node a = {from->x, from->p, from->tangent}, e = {to->x, to->p, to->tangent};
    cap_status there = cap_continuation_at(path, &a, &e, p, x, NULL);
    if (there == CAP_ERR_NOMEM) status = cap_status_fail(error, there, "out of memory");
    if (there != CAP_OK) continue;
    cap_hb_transfer(own, x, hb, y);
    status = branch->sub == hb->sub ? keep_shifts(r, hb, y, hb->sub, error) : keep(r, y, error);
  }
  free(x);
  return status;
}

/* A start beside root k: the harmonics of the longer period, or the whole series, disturbed. */
static void disturb(const cap_hb *hb, const double *root, int start, double size, double *x)
{
  memcpy(x, root, sizeof(double) * (size_t)hb->nunknown);
  double phase = 0.5 * M_PI * start + 0.4;
  for (int i = 0; i < hb->nouter; i++)
    for (int h = 1; h <= 2 * hb->sub && h <= hb->nharmonic; h++) {
      double part = (hb->sub > 1 && h % hb->sub == 0 ? 0.1 : 0.4) * size / h;
      x[i * hb->ncoef + 2 * h - 1] += part * cos(h * phase);
      x[i * hb->ncoef + 2 * h] += part * sin(h * phase);
    }
}

static cap_status search_at(cap_search *s, int sub, double p, double size, cap_error *error)
{
  cap_hb *hb;
  cap_continuation *path;
  roots r = {0};
  char found[96];
  CAP_TRY(cap_hb_branches_hb(s->set, sub, &hb, error));
  CAP_TRY(cap_hb_branches_path(s->set, sub, &path, error));
  r.n = hb->nunknown;
  cap_status status = CAP_OK;
  for (int pass = 0; pass < 2; pass++) { /* the forcing's period first */
    for (int b = 0; status == CAP_OK && b < cap_hb_branches_count(s->set); b++) {
      int own = cap_hb_branches_get(s->set, b)->sub;
      if ((own == 1) == (pass == 0) && sub % own == 0) status = keep_branch(s, b, p, hb, &r, error);
    }
    if (pass == 0) r.nbase = r.count;
  }
  double *x = malloc(sizeof(double) * (size_t)(r.n + 1));
  if (status == CAP_OK && !x) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  snprintf(found, sizeof found, "deflation at %.6g", p);
  for (int k = 0; status == CAP_OK && k < r.nbase * STARTS && r.count < ROOTS; k++) {
    bool fresh;
    cap_continuation_deflation known = {.nroot = r.count, .roots = (const double *const *)r.x};
    disturb(hb, r.x[k / STARTS], k % STARTS, size, x);
    cap_status there = cap_continuation_newton(path, x, p, ITERATIONS, &known, NULL, NULL);
    if (there == CAP_ERR_NOMEM) status = cap_status_fail(error, there, "out of memory");
    if (there != CAP_OK) continue;
    status = keep_shifts(&r, hb, x, sub, error);
    if (status == CAP_OK && cap_hb_branches_known_period(s->set, hb, x) == sub)
      status = cap_search_offer(s, sub, x, p, found, &fresh, error);
  }
  free(x);
  cap_arena_free(&r.arena);
  return status;
}

cap_status cap_search_deflation_run(cap_search *s, cap_error *error)
{
  double size = cap_search_size(s);
  for (int sub = 1; sub <= s->spec->periods; sub++)
    for (int k = 0; k < VALUES; k++) {
      CAP_TRY(search_at(s, sub, cap_search_value(s, k, VALUES), size, error));
      if (cap_progress_stopped(s->progress)) return cap_status_fail(error, CAP_STOPPED, "interrupted");
    }
  return CAP_OK;
}
