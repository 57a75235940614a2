/* hb/hb_branches_switch.c — from one branch to another where they meet. */
#include "hb/hb_branches_work.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the balance of twice the period is singular in its odd harmonics, near a doubling that the
 * multipliers have told: the two differ by the truncation. */
typedef struct doubling {
  cap_hb_level *single, *twice;
  double *orbit;     /* [n of single] the orbit at p */
  double *x;         /* [n of twice] the same seen as one of twice the period */
  double *direction; /* [n of twice + 1] null vector of odd harmonics, and 0 for p */
  double *J, *r, *w; /* work; w[n of twice] */
  int *pivot;
} doubling;

static bool is_odd(const cap_hb *hb, int i)
{
  return (i % hb->ncoef + 1) / 2 % 2 == 1;
}

/* The orbit at p, and the factors of the doubled Jacobian there. */
static cap_status move_to(doubling *d, double p, cap_error *error)
{
  cap_hb *hb = d->twice->hb;
  double angular_frequency;
  CAP_TRY(cap_continuation_newton(d->single->path, d->orbit, p, 30, NULL, NULL, error));
  cap_hb_transfer(d->single->hb, d->orbit, hb, d->x);
  CAP_TRY(cap_hb_branches_level_place(d->twice, p, &angular_frequency, error));
  CAP_TRY(cap_hb_residual(hb, d->x, angular_frequency, d->r, d->J, NULL, error));
  int fault = capm_lu_factor_heard(hb->nunknown, d->J, d->pivot, hb->m->progress);
  if (fault == CAPM_LU_STOPPED) return cap_status_fail(error, CAP_STOPPED, "interrupted at %.9g", p);
  if (fault)
    return cap_status_fail(error, CAP_RETRY_NOCONV, "the equations of twice the period are singular at %.9g",
                           p);
  return CAP_OK;
}

/* Inverse iteration among the odd harmonics. */
static cap_status find_direction(doubling *d, double p, cap_error *error)
{
  const cap_hb *hb = d->twice->hb;
  const double *scale = d->twice->curve.x_scale;
  for (int pass = 0; pass < 4; pass++) {
    double most = 0.0;
    capm_lu_solve(hb->nunknown, d->J, d->pivot, d->direction);
    for (int i = 0; i < hb->nunknown; i++) {
      if (!is_odd(hb, i)) d->direction[i] = 0.0; /* rounding */
      most = fmax(most, fabs(d->direction[i]) / scale[i]);
    }
    if (!(most > 0.0) || !isfinite(most))
      return cap_status_fail(error, CAP_RETRY_NOCONV, "no direction of period doubling found at %.9g", p);
    for (int i = 0; i < hb->nunknown; i++) d->direction[i] /= most;
  }
  return CAP_OK;
}

/* 1 / (c^T J^-1 b) with b = c = the first direction found: zero where J is singular. */
static double singularity(doubling *d, const double *border)
{
  int n = d->twice->hb->nunknown;
  double sum = 0.0;
  memcpy(d->w, border, sizeof(double) * (size_t)n);
  capm_lu_solve(n, d->J, d->pivot, d->w);
  for (int i = 0; i < n; i++) sum += border[i] * d->w[i];
  return 1.0 / sum;
}

/* Secant from `told`, where the doubled Jacobian is factored; false when it leads away. */
static bool find_by_secant(doubling *d, double told, double span, const double *border, double *p)
{
  double before = told, value_before = singularity(d, border), at = told + 1e-5 * span;
  for (int count = 0; count < 12; count++) {
    if (move_to(d, at, NULL) != CAP_OK || fabs(at - told) > 0.01 * span) break;
    double value = singularity(d, border), slope = (value - value_before) / (at - before);
    before = at, value_before = value;
    at -= value / slope;
    if (!isfinite(at)) break;
    if (fabs(at - before) < 1e-11 * span) {
      *p = at;
      return true;
    }
  }
  return false;
}

/* Bisection between two places of different sign; false at a pole, where the value grows. */
static bool narrow(doubling *d, const double *border, double low, double value_low, double high, double *p)
{
  double value = value_low;
  for (int count = 0; count < 45; count++) {
    *p = 0.5 * (low + high);
    if (move_to(d, *p, NULL) != CAP_OK) return false;
    value = singularity(d, border);
    if ((value > 0.0) == (value_low > 0.0)) low = *p;
    else high = *p;
  }
  return fabs(value) < 1e-3 * fabs(value_low);
}

/* A change of sign on either side of `told`, first near it and then in wider steps. */
static bool find_by_sign(doubling *d, const double *start, double told, double span, const double *border,
                         double *p)
{
  size_t n = (size_t)d->single->hb->nunknown;
  for (int side = -1; side <= 1; side += 2) {
    memcpy(d->orbit, start, sizeof(double) * n);
    if (move_to(d, told, NULL) != CAP_OK) return false;
    double before = told, value_before = singularity(d, border);
    for (double away = 1e-5; away < 0.01; away *= 1.25) {
      double at = told + side * away * span;
      if (move_to(d, at, NULL) != CAP_OK) break;
      double value = singularity(d, border);
      if ((value > 0.0) != (value_before > 0.0) && narrow(d, border, before, value_before, at, p))
        return true;
      before = at, value_before = value;
    }
  }
  return false;
}

/* Near the multipliers' p, where the orbit is `start`. When the balance has none there, that p is kept: what
 * is followed from it must then prove to be of twice the period. */
static cap_status find_doubling(doubling *d, const double *start, double told, double span, double *border,
                                double *p, cap_error *error)
{
  CAP_TRY(move_to(d, told, error));
  CAP_TRY(find_direction(d, told, error));
  memcpy(border, d->direction, sizeof(double) * (size_t)d->twice->hb->nunknown);
  if (!find_by_secant(d, told, span, border, p) && !find_by_sign(d, start, told, span, border, p)) {
    memcpy(d->orbit, start, sizeof(double) * (size_t)d->single->hb->nunknown);
    *p = told;
  }
  CAP_TRY(move_to(d, *p, error));
  return find_direction(d, *p, error);
}

static cap_status open_doubling(doubling *d, const cap_hb_point *point, cap_arena *arena, cap_error *error)
{
  const cap_hb *hb = d->twice->hb;
  size_t n = (size_t)hb->nunknown, single = (size_t)d->single->hb->nunknown;
  d->orbit = CAP_ARENA_NEW(arena, double, single);
  d->x = CAP_ARENA_NEW(arena, double, n);
  d->direction = CAP_ARENA_NEW(arena, double, n + 1);
  d->J = CAP_ARENA_NEW(arena, double, (n * n));
  d->r = CAP_ARENA_NEW(arena, double, n);
  d->w = CAP_ARENA_NEW(arena, double, n);
  d->pivot = CAP_ARENA_NEW(arena, int, n);
  if (!d->orbit || !d->x || !d->direction || !d->J || !d->r || !d->w || !d->pivot)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(d->orbit, point->x, sizeof(double) * single);
  for (int i = 0; i < hb->nunknown; i++) /* any direction that has no symmetry */
    if (is_odd(hb, i)) d->direction[i] = (1.0 + 0.31 * (i % 7)) * d->twice->curve.x_scale[i];
  return CAP_OK;
}

static cap_status switch_doubling(cap_hb_branches *set, int branch, const cap_hb_point *point, int *other,
                                  cap_error *error)
{
  const cap_hb_branch *from = &set->branches[branch];
  int level, samples = set->levels[from->level]->samples;
  char found[160];
  cap_arena arena = {0};
  CAP_TRY(cap_hb_branches_level(set, 2 * from->sub, from->harmonics, samples, &level, error));
  CAP_TRY(cap_hb_branches_level_path(set, level, error));
  doubling d = {.single = set->levels[from->level], .twice = set->levels[level]};
  double p = point->p;
  double *border = CAP_ARENA_NEW(&arena, double, d.twice->hb->nunknown);
  cap_status status = border ? open_doubling(&d, point, &arena, error)
                             : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK)
    status = find_doubling(&d, point->x, point->p, set->high - set->low, border, &p, error);
  snprintf(found, sizeof found, "period doubling of %s at %.9g", from->name, point->p);
  /* against the direction it is the same orbit, the other period first */
  cap_hb_seed seed = {.level = level,
                      .x = d.x,
                      .p = p,
                      .tangent = d.direction,
                      .direction = 1,
                      .found = found,
                      .parent = branch,
                      .check = true};
  if (status == CAP_OK) status = cap_hb_branches_follow_trace(set, &seed, other, error);
  cap_arena_free(&arena);
  return status;
}

cap_status cap_hb_branches_switch_at(cap_hb_branches *set, int branch, int index, int *other,
                                     cap_error *error)
{
  const cap_hb_branch *from = &set->branches[branch];
  const cap_hb_point *point = &from->points[index];
  *other = -1;
  if (point->kind == CAP_HB_DOUBLING) return switch_doubling(set, branch, point, other, error);
  if (point->kind != CAP_HB_BRANCH_POINT || !point->other)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "no branch starts at point %d of %s; expected a branch point or a period doubling",
                           index, from->name);
  const cap_hb *hb = set->levels[from->level]->hb;
  int period = cap_hb_branches_known_period(set, hb, point->x);
  if (period < from->sub)
    return cap_status_fail(
        error, CAP_RETRY_NOCONV,
        "at point %d of %s the branch meets an orbit of %d periods, which is of another kind", index,
        from->name, period);
  char found[160];
  snprintf(found, sizeof found, "branch point of %s at %.9g", from->name, point->p);
  cap_hb_seed seed = {.level = from->level,
                      .x = point->x,
                      .p = point->p,
                      .tangent = point->other,
                      .found = found,
                      .parent = branch,
                      .check = true};
  return cap_hb_branches_follow_trace(set, &seed, other, error);
}
