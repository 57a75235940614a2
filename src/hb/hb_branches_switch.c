/* hb/hb_branches_switch.c — from one branch to another where they meet. */
#include "hb/hb_branches_work.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The direction in which an orbit of twice the period leaves: the null vector of the doubled balance, all of
 * odd harmonics, by inverse iteration. direction[n + 1], work of the Jacobian. */
static cap_status doubling_direction(cap_hb_level *level, const double *x, double p, double *direction,
                                     cap_error *error)
{
  cap_hb *hb = level->hb;
  int n = hb->nunknown;
  double pulsation, *J = malloc(sizeof(double) * (size_t)n * (size_t)(n + 1));
  int *pivot = malloc(sizeof(int) * (size_t)(n + 1));
  cap_status status = J && pivot ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = cap_hb_curve_place(&level->curve, p, &pulsation);
  if (status == CAP_OK) status = cap_hb_residual(hb, x, pulsation, J + (size_t)n * (size_t)n, J, NULL, error);
  if (status == CAP_OK && capm_lu_factor(n, J, pivot) != 0)
    status = cap_status_fail(error, CAP_RETRY_NOCONV, "the doubled balance is singular at %.9g", p);
  for (int i = 0; i <= n; i++) {
    int h = (i % hb->ncoef + 1) / 2;
    direction[i] = i < n && h % 2 ? (1.0 + 0.31 * (i % 7)) * level->curve.x_scale[i] : 0.0;
  }
  for (int pass = 0; pass < 4 && status == CAP_OK; pass++) {
    double most = 0.0;
    capm_lu_solve(n, J, pivot, direction);
    for (int i = 0; i < n; i++) {
      int h = (i % hb->ncoef + 1) / 2;
      if (h % 2 == 0) direction[i] = 0.0; /* rounding */
      most = fmax(most, fabs(direction[i]) / level->curve.x_scale[i]);
    }
    if (!(most > 0.0) || !isfinite(most))
      status = cap_status_fail(error, CAP_RETRY_NOCONV, "no direction of twice the period at %.9g", p);
    for (int i = 0; i < n && status == CAP_OK; i++) direction[i] /= most;
  }
  free(pivot);
  free(J);
  return status;
}

static cap_status switch_doubling(cap_hb_branches *set, int branch, const cap_hb_point *point, int *other,
                                  cap_error *error)
{
  const cap_hb_branch *from = &set->branches[branch];
  const cap_hb *single = set->levels[from->level]->hb;
  int level, samples = set->levels[from->level]->samples;
  char found[160];
  CAP_TRY(cap_hb_branches_level(set, 2 * from->sub, from->harmonics, samples, &level, error));
  CAP_TRY(cap_hb_branches_level_path(set, level, error));
  size_t n = (size_t)set->levels[level]->hb->nunknown;
  double *x = malloc(sizeof(double) * (2 * n + 2));
  if (!x) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_hb_transfer(single, point->x, set->levels[level]->hb, x);
  cap_status status = doubling_direction(set->levels[level], x, point->p, x + n, error);
  snprintf(found, sizeof found, "period doubling of %s at %.9g", from->name, point->p);
  /* against the direction it is the same orbit, the other period first */
  cap_hb_seed seed = {.level = level,
                      .x = x,
                      .p = point->p,
                      .tangent = x + n,
                      .direction = 1,
                      .found = found,
                      .parent = branch,
                      .check = true};
  if (status == CAP_OK) status = cap_hb_branches_follow_trace(set, &seed, other, error);
  free(x);
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
    return cap_status_fail(error, CAP_ERR_INPUT, "no branch starts at point %d of %s", index, from->name);
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
