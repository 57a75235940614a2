/* hb/hb_curve.c — see hb_curve.h. */
#include "hb/hb_curve.h"

cap_status cap_hb_curve_open(cap_hb *hb, cap_hb_stability *stability, double amplitude, cap_hb_curve *curve)
{
  *curve = (cap_hb_curve){.hb = hb, .stability = stability, .pulsation = hb->pulsation};
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

void cap_hb_curve_close(cap_hb_curve *curve)
{
  cap_arena_free(&curve->arena);
  *curve = (cap_hb_curve){0};
}

static double set_parameter(cap_hb_curve *c, double p)
{
  if (c->parameter == CAP_HB_CURVE_PULSATION) return p;
  cap_hb_scale_load(c->hb, p);
  return c->pulsation;
}

static cap_status residual(void *self, const double *x, double p, double *f)
{
  cap_hb_curve *c = self;
  return cap_hb_residual(c->hb, x, set_parameter(c, p), f, NULL, NULL, &c->error);
}

static cap_status jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  cap_hb_curve *c = self;
  double pulsation = set_parameter(c, p);
  bool by_load = c->parameter == CAP_HB_CURVE_LOAD;
  CAP_TRY(cap_hb_residual(c->hb, x, pulsation, f, fx, by_load ? NULL : fp, &c->error));
  return by_load ? cap_hb_load_slope(c->hb, pulsation, fp, &c->error) : CAP_OK;
}

/* Products of complex numbers that come in conjugate pairs: the real part is all there is. */
static void test_functions(const cap_hb_stability *s, double values[2])
{
  double re = 1.0, im = 0.0, pair_re = 1.0, pair_im = 0.0;
  for (int i = 0; i < s->nstate; i++) {
    double a = 1.0 + s->re[i], b = s->im[i], keep = re;
    re = re * a - im * b;
    im = keep * b + im * a;
    for (int j = 0; j < i; j++) {
      double c = 1.0 - (s->re[i] * s->re[j] - s->im[i] * s->im[j]),
             d = -(s->re[i] * s->im[j] + s->im[i] * s->re[j]);
      keep = pair_re;
      pair_re = pair_re * c - pair_im * d;
      pair_im = keep * d + pair_im * c;
    }
  }
  values[0] = re;
  values[1] = pair_re;
}

static cap_status test(void *self, const double *x, double p, double *values)
{
  cap_hb_curve *c = self;
  CAP_TRY(cap_hb_stability_find(c->stability, c->hb, x, set_parameter(c, p), &c->error));
  test_functions(c->stability, values);
  return CAP_OK;
}

cap_continuation_problem cap_hb_curve_problem(cap_hb_curve *curve, double p_scale)
{
  cap_continuation_problem problem = {.n = curve->hb->nunknown,
                                      .self = curve,
                                      .residual = residual,
                                      .jacobian = jacobian,
                                      .x_scale = curve->x_scale,
                                      .p_scale = p_scale};
  if (curve->stability) {
    problem.ntest = 2;
    problem.test = test;
  }
  return problem;
}
