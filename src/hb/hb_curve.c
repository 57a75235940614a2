/* hb/hb_curve.c — see hb_curve.h. */
#include "hb/hb_curve.h"
#include "linalg/multipliers.h"
#include "solve/stencil.h"

#include <math.h>
#include <string.h>

cap_status cap_hb_curve_open(cap_hb *hb, cap_hb_stability *stability, double amplitude, cap_hb_curve *curve)
{
  *curve = (cap_hb_curve){.hb = hb, .stability = stability, .angular_frequency = hb->angular_frequency};
  curve->x_scale = CAP_ARENA_NEW(&curve->arena, double, hb->nunknown);
  if (!curve->x_scale) return CAP_ERR_NOMEM;
  for (int i = 0; i < hb->nunknown; i++) curve->x_scale[i] = amplitude;
  int at = hb->nouter * hb->ncoef;
  for (int k = 0; k < hb->nlaw; k++) {
    if (hb->laws[k].kind != CAP_HB_LAW_COULOMB) continue;
    for (int r = 0; r < hb->ncoef; r++) curve->x_scale[at++] = hb->laws[k].limit;
  }
  return CAP_OK;
}

cap_status cap_hb_curve_by_model(cap_hb_curve *c, const cap_hb_curve_source *source, cap_error *error)
{
  cap_hb_settings settings = {c->hb->nharmonic, c->hb->nsample, c->hb->sub};
  c->parameter = CAP_HB_CURVE_MODEL;
  c->source = *source;
  c->p = NAN;
  c->slope = CAP_ARENA_NEW(&c->arena, double, c->hb->nunknown);
  c->beside = CAP_ARENA_NEW(&c->arena, double, c->hb->nunknown);
  if (!c->slope || !c->beside) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return cap_hb_create(c->hb->m, c->hb->lane, &settings, &c->probe, error);
}

void cap_hb_curve_close(cap_hb_curve *curve)
{
  cap_hb_free(curve->probe);
  cap_model_free(curve->probe_model);
  cap_model_free(curve->model);
  cap_arena_free(&curve->arena);
  *curve = (cap_hb_curve){0};
}

/* ---- the parameter ------------------------------------------------------------------------------------- */

/* The model at p into a balance; *owned is replaced. A model that cannot be is a place where the curve is not
 * defined. */
static cap_status rebuild(cap_hb_curve *c, double p, cap_hb *hb, cap_model **owned)
{
  cap_model *m = NULL;
  cap_status status = c->source.build(c->source.self, p, &m, &c->error);
  if (status == CAP_ERR_INPUT) return CAP_RETRY_NONFINITE;
  if (status != CAP_OK) return status;
  status = cap_hb_update(hb, m, 0, &c->error);
  cap_model_free(*owned); /* the balance has the new one, whatever came of it */
  *owned = m;
  return status;
}

cap_status cap_hb_curve_place(cap_hb_curve *c, double p, double *angular_frequency)
{
  if (c->parameter == CAP_HB_CURVE_ANGULAR_FREQUENCY) {
    *angular_frequency = p;
    return CAP_OK;
  }
  if (c->parameter == CAP_HB_CURVE_LOAD) {
    cap_hb_scale_load(c->hb, p);
    *angular_frequency = c->angular_frequency;
    return CAP_OK;
  }
  p = fmin(fmax(p, c->source.low), c->source.high);
  if (p != c->p) {
    c->p = NAN;
    CAP_TRY(rebuild(c, p, c->hb, &c->model));
    c->p = p;
  }
  *angular_frequency = c->hb->angular_frequency;
  return CAP_OK;
}

static cap_status residual_beside(cap_hb_curve *c, const double *x, double p)
{
  CAP_TRY(rebuild(c, p, c->probe, &c->probe_model));
  c->probe->linear->load_scale = c->hb->linear->load_scale;
  return cap_hb_residual(c->probe, x, c->probe->angular_frequency, c->beside, NULL, NULL, &c->error);
}

/* c->slope := dF/dp at c->p, where f is F. */
static cap_status find_slope(cap_hb_curve *c, const double *x, const double *f)
{
  int n = c->hb->nunknown;
  double h = 6e-6 * fmax(fabs(c->p), 1e-3 * (c->source.high - c->source.low));
  capm_stencil beside = capm_stencil_at(c->p, h, c->source.low, c->source.high);
  for (int i = 0; i < n; i++) c->slope[i] = beside.weight_f * f[i];
  for (int k = 0; k < 2; k++) {
    CAP_TRY(residual_beside(c, x, beside.at[k]));
    for (int i = 0; i < n; i++) c->slope[i] += beside.weight[k] * c->beside[i];
  }
  return CAP_OK;
}

/* ---- the functions of the problem ---------------------------------------------------------------------- */

/* Outside the range of models: F + (p - end) dF/dp. */
static void extend(const cap_hb_curve *c, double p, double *f)
{
  for (int i = 0; i < c->hb->nunknown; i++) f[i] += (p - c->p) * c->slope[i];
}

static cap_status residual(void *self, const double *x, double p, double *f)
{
  cap_hb_curve *c = self;
  double angular_frequency;
  CAP_TRY(cap_hb_curve_place(c, p, &angular_frequency));
  CAP_TRY(cap_hb_residual(c->hb, x, angular_frequency, f, NULL, NULL, &c->error));
  if (c->parameter != CAP_HB_CURVE_MODEL || p == c->p) return CAP_OK;
  CAP_TRY(find_slope(c, x, f));
  extend(c, p, f);
  return CAP_OK;
}

static cap_status jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  cap_hb_curve *c = self;
  double angular_frequency;
  bool exact = c->parameter == CAP_HB_CURVE_ANGULAR_FREQUENCY;
  if (c->stopped && c->stopped(c->stopped_self))
    return cap_status_fail(&c->error, CAP_STOPPED, "interrupted");
  CAP_TRY(cap_hb_curve_place(c, p, &angular_frequency));
  CAP_TRY(cap_hb_residual(c->hb, x, angular_frequency, f, fx, exact ? fp : NULL, &c->error));
  if (c->parameter == CAP_HB_CURVE_LOAD) return cap_hb_load_slope(c->hb, angular_frequency, fp, &c->error);
  if (exact) return CAP_OK;
  CAP_TRY(find_slope(c, x, f));
  memcpy(fp, c->slope, sizeof(double) * (size_t)c->hb->nunknown);
  if (p != c->p) extend(c, p, f);
  return CAP_OK;
}

static cap_status test(void *self, const double *x, double p, double *values)
{
  cap_hb_curve *c = self;
  cap_hb_stability *s = c->stability;
  double angular_frequency;
  cap_status status = cap_hb_curve_place(c, p, &angular_frequency);
  if (status == CAP_OK) status = cap_hb_stability_find(s, c->hb, x, angular_frequency, &c->error);
  if (status < 0 && status != CAP_ERR_NUMERICS) return status;
  for (int k = 0; k < CAP_HB_CURVE_TESTS; k++) values[k] = NAN;
  if (status != CAP_OK) return CAP_OK;
  capm_multipliers_tests(s->nstate, s->re, s->im, &values[0], &values[1]);
  values[2] = 1.0 + s->largest;
  values[3] = 1.0 +
              capm_multipliers_outside(s->nstate, s->re, s->im, 1.0 + 1e-9); /* families have one, rounded */
  return CAP_OK;
}

cap_continuation_problem cap_hb_curve_problem(cap_hb_curve *curve, double p_scale)
{
  cap_continuation_problem problem = {.n = curve->hb->nunknown,
                                      .self = curve,
                                      .residual = residual,
                                      .jacobian = jacobian,
                                      .x_scale = curve->x_scale,
                                      .p_scale = p_scale,
                                      .progress = curve->hb->m->progress};
  if (curve->stability) {
    problem.ntest = CAP_HB_CURVE_TESTS;
    problem.test = test;
  }
  return problem;
}
