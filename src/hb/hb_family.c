/* hb/hb_family.c — see hb_family.h. */
#include "hb/hb_family.h"
#include "linalg/multipliers.h"

#include <math.h>
#include <string.h>

/* ---- models -------------------------------------------------------------------------------------------- */

/* The model at (p, q) into a balance; *owned is replaced. Where there is none the family is not defined. */
static cap_status rebuild(cap_hb_family *s, double p, double q, cap_hb *hb, cap_model **owned)
{
  cap_model *m = NULL;
  cap_status status = s->source.build(s->source.self, p, q, &m, &s->error);
  if (status == CAP_ERR_INPUT) return CAP_RETRY_NONFINITE;
  if (status != CAP_OK) return status;
  status = cap_hb_update(hb, m, 0, &s->error);
  cap_model_free(*owned); /* the balance has the new one, whatever came of it */
  *owned = m;
  return status;
}

cap_status cap_hb_family_place(cap_hb_family *s, double p, double q)
{
  if (p == s->p && q == s->q) return CAP_OK;
  s->p = NAN;
  CAP_TRY(rebuild(s, p, q, s->hb, &s->m));
  s->p = p;
  s->q = q;
  return CAP_OK;
}

static double step_of(double value, double size)
{
  return 6e-6 * fmax(fabs(value), 1e-2 * size);
}

/* slope[n] := (F(p + dp, q + dq) - F(p - dp, q - dq)) / 2h at x, h the one of dp and dq that is not zero. */
static cap_status difference(cap_hb_family *s, const double *x, double p, double q, double dp, double dq,
                             double *slope)
{
  for (int side = 0; side < 2; side++) {
    double sign = side == 0 ? 1.0 : -1.0;
    CAP_TRY(rebuild(s, p + sign * dp, q + sign * dq, s->probe, &s->probe_model));
    CAP_TRY(cap_hb_residual(s->probe, x, s->probe->angular_frequency, side == 0 ? s->plus : s->minus, NULL,
                            NULL, &s->error));
  }
  for (int i = 0; i < s->hb->nunknown; i++) slope[i] = (s->plus[i] - s->minus[i]) / (2.0 * (dp + dq));
  return CAP_OK;
}

static cap_status jacobian(void *self, const double *x, double p, double q, double *f, double *fx, double *fp,
                           double *fq)
{
  cap_hb_family *s = self;
  CAP_TRY(cap_hb_family_place(s, p, q));
  CAP_TRY(cap_hb_residual(s->hb, x, s->hb->angular_frequency, f, fx, s->angular_frequency ? fp : NULL,
                          &s->error));
  if (!s->angular_frequency) CAP_TRY(difference(s, x, p, q, step_of(p, s->source.p_size), 0.0, fp));
  return difference(s, x, p, q, 0.0, step_of(q, s->source.q_size), fq);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* Sizes of the unknowns: the largest harmonic of each coordinate, or of all where one hardly moves. */
static void set_scales(cap_hb_family *s, const double *x)
{
  int nc = s->hb->ncoef, n = s->hb->nunknown;
  double most = 1e-300;
  for (int i = 0; i < s->hb->nouter * nc; i++)
    if (i % nc) most = fmax(most, fabs(x[i]));
  for (int first = 0; first < n; first += nc) {
    double size = first < s->hb->nouter * nc ? 1e-2 * most : 1e-300;
    for (int k = 1; k < nc; k++) size = fmax(size, fabs(x[first + k]));
    for (int k = 0; k < nc; k++) s->x_scale[first + k] = size;
  }
  s->x_scale[n] = s->source.p_size;
}

/* Whether dF/dp is what the angular frequency of the forcing alone makes of it. */
static cap_status compare_slopes(cap_hb_family *s, const double *x, double p, double q)
{
  double worst = 0.0, most = 0.0;
  if (!(fabs(s->hb->angular_frequency / p - 1.0) < 1e-9)) return CAP_OK;
  CAP_TRY(cap_hb_residual(s->hb, x, s->hb->angular_frequency, s->plus, s->jac, s->fp, &s->error));
  CAP_TRY(difference(s, x, p, q, step_of(p, s->source.p_size), 0.0, s->fq));
  for (int i = 0; i < s->hb->nunknown; i++) {
    worst = fmax(worst, fabs(s->fp[i] - s->fq[i]));
    most = fmax(most, fabs(s->fp[i]));
  }
  s->angular_frequency = worst < 1e-5 * most;
  return CAP_OK;
}

static cap_status build(cap_hb_family *s, const cap_hb_settings *settings, const double *x, double p,
                        double q, cap_error *error)
{
  CAP_TRY(s->source.build(s->source.self, p, q, &s->m, error));
  CAP_TRY(s->source.build(s->source.self, p, q, &s->probe_model, error));
  CAP_TRY(cap_hb_create(s->m, 0, settings, &s->hb, error));
  CAP_TRY(cap_hb_create(s->probe_model, 0, settings, &s->probe, error));
  CAP_TRY(cap_hb_stability_create(s->hb, &s->stability, error));
  size_t n = (size_t)s->hb->nunknown;
  double **vectors[] = {&s->x_scale, &s->plus, &s->minus, &s->fp, &s->fq, &s->x};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = CAP_ARENA_NEW(&s->arena, double, n + 1)))
      return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (!(s->jac = CAP_ARENA_NEW(&s->arena, double, (n * n))))
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  s->p = p;
  s->q = q;
  set_scales(s, x);
  cap_status status = compare_slopes(s, x, p, q);
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "%s", s->error.text);
}

cap_status cap_hb_family_open(const cap_hb_family_source *source, const cap_hb_settings *settings,
                              const double *x, double p, double q, cap_hb_family *family, cap_error *error)
{
  *family = (cap_hb_family){.source = *source, .p = NAN};
  return build(family, settings, x, p, q, error);
}

void cap_hb_family_close(cap_hb_family *s)
{
  cap_hb_stability_free(s->stability);
  cap_hb_free(s->hb);
  cap_hb_free(s->probe);
  cap_model_free(s->m);
  cap_model_free(s->probe_model);
  cap_arena_free(&s->arena);
  *s = (cap_hb_family){0};
}

cap_continuation_family cap_hb_family_folds(cap_hb_family *s)
{
  return (cap_continuation_family){.n = s->hb->nunknown,
                                   .self = s,
                                   .jacobian = jacobian,
                                   .x_scale = s->x_scale,
                                   .p_scale = s->source.p_size,
                                   .q_scale = s->source.q_size,
                                   .progress = s->hb->m->progress};
}

static cap_status curve_residual(void *self, const double *x, double p, double *f)
{
  cap_hb_family *s = self;
  CAP_TRY(cap_hb_family_place(s, p, s->fixed_q));
  return cap_hb_residual(s->hb, x, s->hb->angular_frequency, f, NULL, NULL, &s->error);
}

static cap_status curve_jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  cap_hb_family *s = self;
  return jacobian(s, x, p, s->fixed_q, f, fx, fp, s->fq);
}

cap_continuation_problem cap_hb_family_curve(cap_hb_family *s, double q)
{
  s->fixed_q = q;
  return (cap_continuation_problem){.n = s->hb->nunknown,
                                    .self = s,
                                    .residual = curve_residual,
                                    .jacobian = curve_jacobian,
                                    .x_scale = s->x_scale,
                                    .p_scale = s->source.p_size,
                                    .progress = s->hb->m->progress};
}

/* ---- period doublings ---------------------------------------------------------------------------------- */

/* g at (x, p, q). */
static cap_status doubling(cap_hb_family *s, const double *x, double p, double q, double *g)
{
  double torus;
  CAP_TRY(cap_hb_family_place(s, p, q));
  CAP_TRY(cap_hb_stability_find(s->stability, s->hb, x, s->hb->angular_frequency, &s->error));
  capm_multipliers_tests(s->stability->nstate, s->stability->re, s->stability->im, g, &torus);
  return CAP_OK;
}

static cap_status doubling_residual(void *self, const double *z, double q, double *f)
{
  cap_hb_family *s = self;
  int n = s->hb->nunknown;
  CAP_TRY(cap_hb_family_place(s, z[n], q));
  CAP_TRY(cap_hb_residual(s->hb, z, s->hb->angular_frequency, f, NULL, NULL, &s->error));
  return doubling(s, z, z[n], q, &f[n]);
}

/* Derivative of g to unknown i of (x, p, q). */
static cap_status doubling_slope(cap_hb_family *s, const double *z, double q, int i, double *slope)
{
  int n = s->hb->nunknown;
  double g[2], h = i < n ? 1e-5 * s->x_scale[i] : 1e-5 * (i == n ? s->source.p_size : s->source.q_size);
  for (int side = 0; side < 2; side++) {
    double by = side == 0 ? h : -h;
    memcpy(s->x, z, sizeof(double) * (size_t)n);
    if (i < n) s->x[i] += by;
    CAP_TRY(doubling(s, s->x, z[n] + (i == n ? by : 0.0), q + (i > n ? by : 0.0), &g[side]));
  }
  *slope = (g[0] - g[1]) / (2.0 * h);
  return CAP_OK;
}

static cap_status doubling_jacobian(void *self, const double *z, double q, double *f, double *fx, double *fq)
{
  cap_hb_family *s = self;
  int n = s->hb->nunknown;
  CAP_TRY(jacobian(s, z, z[n], q, f, s->jac, s->fp, s->fq));
  for (int i = 0; i < n; i++) {
    double *row = fx + (size_t)i * (size_t)(n + 1);
    memcpy(row, s->jac + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
    row[n] = s->fp[i];
    fq[i] = s->fq[i];
  }
  CAP_TRY(doubling(s, z, z[n], q, &f[n]));
  for (int i = 0; i <= n; i++)
    CAP_TRY(doubling_slope(s, z, q, i, &fx[(size_t)n * (size_t)(n + 1) + (size_t)i]));
  return doubling_slope(s, z, q, n + 1, &fq[n]);
}

cap_continuation_problem cap_hb_family_doublings(cap_hb_family *s)
{
  return (cap_continuation_problem){.n = s->hb->nunknown + 1,
                                    .self = s,
                                    .residual = doubling_residual,
                                    .jacobian = doubling_jacobian,
                                    .x_scale = s->x_scale,
                                    .p_scale = s->source.q_size,
                                    .progress = s->hb->m->progress};
}
