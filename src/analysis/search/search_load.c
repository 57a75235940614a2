/* analysis/search/search_load.c — every solution on the curve over the load that starts from nothing.
 *
 * At a fixed value of the sweep the harmonic load is multiplied by a factor. Where the factor is nought there
 * is the state of rest alone; from there the curve is followed through its folds up to a factor of some
 * units. A detached branch of the frequency response is mostly a part of this curve that has turned back.
 */
#include "analysis/search/search.h"
#include "hb/hb_newton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOLUTIONS = 32, POINTS = 400 };
static const double factor_most = 2.5, factor_first = 0.05;

typedef struct crossings {
  cap_continuation *path;
  int n; /* unknowns */
  double full;
  double *x, *tangent, p; /* the point before */
  bool has;
  int found;
  double *solutions; /* [SOLUTIONS][n] */
} crossings;

/* Keep the solution at full load that lies between this point and the one before. */
static bool take_point(void *self, const cap_continuation_point *point)
{
  crossings *c = self;
  size_t n = (size_t)c->n;
  if (c->has && c->found < SOLUTIONS && (c->p - c->full) * (point->p - c->full) <= 0.0 && c->p != c->full) {
    cap_continuation_node before = {c->x, c->p, c->tangent}, now = {point->x, point->p, point->tangent};
    double *x = c->solutions + (size_t)c->found * n;
    if (cap_continuation_at(c->path, &before, &now, c->full, x, NULL) == CAP_OK) c->found++;
  }
  memcpy(c->x, point->x, sizeof(double) * n);
  memcpy(c->tangent, point->tangent, sizeof(double) * (n + 1));
  c->p = point->p;
  c->has = true;
  return true;
}

/* Follow the curve over the load at one angular frequency; no solution there is no failure. */
static cap_status follow_load(cap_hb *hb, double angular_frequency, double size, crossings *c,
                              cap_error *error)
{
  cap_hb_curve curve;
  cap_hb_newton_report report;
  cap_continuation_result result;
  double *x = malloc(sizeof(double) * (size_t)(hb->nunknown + 1));
  if (!x || cap_hb_curve_open(hb, NULL, size, &curve) != CAP_OK) {
    free(x);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  curve.parameter = CAP_HB_CURVE_LOAD;
  curve.angular_frequency = angular_frequency;
  cap_hb_start(hb, x);
  cap_hb_scale_load(hb, 0.0); /* rest under the constant loads first */
  (void)cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report,
                            NULL); /* a better guess if it succeeds */
  cap_hb_scale_load(hb, factor_first * c->full);
  cap_status status = cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, NULL);
  cap_continuation_problem problem = cap_hb_curve_problem(&curve, 0.3 * c->full);
  cap_continuation_options options = {.step = 0.1,
                                      .step_max = 0.5,
                                      .step_min = 1e-7,
                                      .p_min = 0.01 * factor_first * c->full,
                                      .p_max = factor_most * c->full,
                                      .max_points = POINTS,
                                      .skip_branch_points = true,
                                      .tolerance = 1e-8};
  cap_continuation_start start = {.x = x, .p = factor_first * c->full};
  if (status == CAP_OK) status = cap_continuation_create(&problem, &options, &c->path, error);
  if (status == CAP_OK) status = cap_continuation_run(c->path, &start, 1, take_point, c, &result, NULL);
  cap_continuation_free(c->path);
  c->path = NULL;
  cap_hb_curve_close(&curve);
  free(x);
  return status == CAP_ERR_NOMEM ? cap_status_fail(error, status, "out of memory") : CAP_OK;
}

static cap_status search_at(cap_search *s, double p, double size, crossings *c, cap_error *error)
{
  cap_hb *hb;
  double angular_frequency;
  char found[96];
  bool fresh;
  CAP_TRY(cap_hb_branches_hb(s->set, 1, &hb, error));
  CAP_TRY(cap_hb_branches_place(s->set, hb, p, &angular_frequency, error));
  c->full = hb->linear->load_scale;
  c->has = false;
  c->found = 0;
  cap_status status = c->full > 0.0 ? follow_load(hb, angular_frequency, size, c, error) : CAP_OK;
  cap_hb_scale_load(hb, c->full);
  snprintf(found, sizeof found, "load raised at %.6g", p);
  for (int k = 0; status == CAP_OK && k < c->found; k++)
    status = cap_search_offer(s, 1, c->solutions + (size_t)k * (size_t)c->n, p, found, &fresh, error);
  return status;
}

cap_status cap_search_load_run(cap_search *s, cap_error *error)
{
  cap_hb *hb;
  CAP_TRY(cap_hb_branches_hb(s->set, 1, &hb, error));
  size_t n = (size_t)hb->nunknown;
  double size = cap_search_size(s);
  crossings c = {.n = hb->nunknown};
  c.x = malloc(sizeof(double) * (2 * n + 1 + SOLUTIONS * n));
  if (!c.x) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  c.tangent = c.x + n;
  c.solutions = c.tangent + n + 1;
  cap_status status = CAP_OK;
  for (int k = 0; status == CAP_OK && k < s->spec->load; k++) {
    status = search_at(s, cap_search_value(s, k, s->spec->load), size, &c, error);
    if (status == CAP_OK && cap_progress_stopped(s->progress))
      status = cap_status_fail(error, CAP_STOPPED, "interrupted");
  }
  free(c.x);
  return status;
}
