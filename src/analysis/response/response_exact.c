/* analysis/response/response_exact.c — response curves of piecewise-linear systems, by exact propagation. */
#include "analysis/response/response.h"
#include "model/linearise.h"
#include "step/exact/exact_orbit.h"
#include "step/exact/exact_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve {
  cap_exact *exact;
  cap_exact_orbit orbit;
  int *free_dof;
  double *low, *high, *mean, *re, *im; /* [channels], [n] */
  cap_functional *functionals;
  cap_exact *limit[2]; /* the linear systems: friction stuck, friction sliding */
  cap_exact_orbit limit_orbit[2];
  cap_arena arena, point; /* of the curve; of one point */
} curve;

static cap_status start(curve *c, cap_response *r, const cap_linear *linear)
{
  cap_error *error = r->run->error;
  CAP_TRY(cap_exact_create(linear, &c->exact, error));
  int n = cap_exact_size(c->exact), nc = r->channels.n;
  c->low = CAP_ARENA_NEW(&c->arena, double, nc);
  c->high = CAP_ARENA_NEW(&c->arena, double, nc);
  c->mean = CAP_ARENA_NEW(&c->arena, double, nc);
  c->re = CAP_ARENA_NEW(&c->arena, double, n);
  c->im = CAP_ARENA_NEW(&c->arena, double, n);
  c->functionals = CAP_ARENA_NEW(&c->arena, cap_functional, nc);
  if (!c->low || !c->high || !c->mean || !c->re || !c->im || !c->functionals ||
      cap_exact_orbit_create(&c->arena, c->exact, &c->orbit) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return CAP_OK;
}

static cap_status put_point(curve *c, cap_response *r, const cap_model *m, const cap_linear *linear,
                            int family, int sweep)
{
  cap_error *error = r->run->error;
  size_t at = (size_t)family * (size_t)r->nsweep + (size_t)sweep;
  for (int k = 0; k < r->channels.n; k++)
    CAP_TRY(cap_linearise_channel(m, &m->channels[r->channels.number[k]], 0, linear, c->free_dof, &c->point,
                                  &c->functionals[k], error));
  CAP_TRY(cap_exact_range(c->exact, &c->orbit, r->channels.n, c->functionals, c->low, c->high, c->mean, NULL,
                          error));
  for (int k = 0; k < r->channels.n; k++)
    cap_response_put(r, k, family, sweep, c->low[k], c->high[k], c->mean[k]);
  r->converged[at] = 1.0;
  r->passes[at] = c->orbit.iterations + c->orbit.relaxed;
  r->stuck[at] = c->orbit.fully_stuck;
  if (!r->spec->stability) return CAP_OK;
  CAP_TRY(cap_exact_orbit_multipliers(c->exact, &c->orbit, c->re, c->im, error));
  double largest = 0.0;
  for (int k = 0; k < cap_exact_size(c->exact); k++) largest = fmax(largest, hypot(c->re[k], c->im[k]));
  r->multiplier[at] = largest;
  return CAP_OK;
}

/* The same system with friction that holds whatever comes, or that has no stiffness. Its constant force only
 * shifts the mean. */
static cap_linear limit_of(const cap_linear *linear, int which, double *unlimited)
{
  cap_linear limit = *linear;
  for (int s = 0; s < linear->nslider; s++) unlimited[s] = 1e300;
  limit.limit = unlimited;
  if (which == 1) limit.nslider = 0;
  return limit;
}

static cap_status put_limits(curve *c, cap_response *r, const cap_linear *linear, double period, int family,
                             int sweep)
{
  cap_error *error = r->run->error;
  double *unlimited = CAP_ARENA_NEW(&c->point, double, linear->nslider);
  if (!unlimited) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int which = 0; which < 2; which++) {
    if (family != (which == 0 ? 0 : r->nfamily - 1)) continue;
    cap_linear limit = limit_of(linear, which, unlimited);
    if (c->limit[which]) CAP_TRY(cap_exact_reset(c->limit[which], &limit, error));
    else {
      CAP_TRY(cap_exact_create(&limit, &c->limit[which], error));
      if (cap_exact_orbit_create(&c->arena, c->limit[which], &c->limit_orbit[which]) != CAP_OK)
        return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    }
    CAP_TRY(cap_exact_orbit_find(c->limit[which], period, NULL, &c->limit_orbit[which], error));
    CAP_TRY(cap_exact_range(c->limit[which], &c->limit_orbit[which], r->channels.n, c->functionals, c->low,
                            c->high, NULL, NULL, error));
    for (int k = 0; k < r->channels.n; k++) *cap_response_limit(r, which, k, sweep) = c->high[k] - c->low[k];
  }
  return CAP_OK;
}

static void miss_point(cap_response *r, int family, int sweep)
{
  for (int k = 0; k < r->channels.n; k++) cap_response_put(r, k, family, sweep, NAN, NAN, NAN);
}

static cap_status do_point(curve *c, cap_response *r, int family, int sweep, bool *have)
{
  cap_error *error = r->run->error;
  cap_model *m = NULL;
  cap_linear linear;
  cap_arena_reset(&c->point);
  CAP_TRY(cap_response_build(r, 1, &family, sweep, &m));
  cap_status status = cap_linearise_model(m, 0, &c->point, &linear, c->free_dof, error);
  if (status == CAP_OK) status = c->exact ? cap_exact_reset(c->exact, &linear, error) : start(c, r, &linear);
  if (status == CAP_OK) {
    status = cap_exact_orbit_find(c->exact, m->period[0], *have ? c->orbit.y : NULL, &c->orbit, error);
    if (status == CAP_RETRY_NOCONV && *have)
      status = cap_exact_orbit_find(c->exact, m->period[0], NULL, &c->orbit, error);
    *have = status == CAP_OK;
    if (status == CAP_OK) status = put_point(c, r, m, &linear, family, sweep);
    if (status == CAP_OK && r->limits) status = put_limits(c, r, &linear, m->period[0], family, sweep);
    else if (status == CAP_RETRY_NOCONV) {
      miss_point(r, family, sweep);
      status = CAP_OK;
    }
  }
  cap_model_free(m);
  return status;
}

int cap_response_exact_tasks(const cap_response *r)
{
  return r->nfamily;
}

cap_status cap_response_exact_run(cap_response *r, int family)
{
  curve c = {0};
  bool have = false;
  cap_status status = CAP_OK;
  c.free_dof = CAP_ARENA_NEW(&c.arena, int, r->run->model->nv);
  if (!c.free_dof) status = cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int sweep = 0; status == CAP_OK && sweep < r->nsweep; sweep++) {
    status = do_point(&c, r, family, sweep, &have);
    if (status == CAP_OK && cap_response_stopped(r))
      status = cap_status_fail(r->run->error, CAP_STOPPED, "interrupted");
  }
  cap_exact_free(c.exact);
  cap_exact_free(c.limit[0]);
  cap_exact_free(c.limit[1]);
  cap_arena_free(&c.point);
  cap_arena_free(&c.arena);
  return status;
}
