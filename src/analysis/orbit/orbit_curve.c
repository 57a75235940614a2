/* analysis/orbit/orbit_curve.c — see orbit_curve.h. */
#include "analysis/orbit/orbit_curve.h"
#include "analysis/orbit/orbit.h"
#include "linalg/eigen.h"
#include "linalg/multipliers.h"

#include <math.h>
#include <string.h>

const cap_stepper_type *cap_orbit_curve_stepper(const cap_model *m, const char **reason)
{
  const cap_stepper_type *type = m->nslider ? &cap_propagate_type : &cap_extrapolate_type;
  *reason = m->nlane > 1 ? "it is an ensemble" : cap_stepper_obstacle(type, m);
  if (!*reason) return type;
  if (m->nslider && m->nlane == 1) {
    *reason =
        "no stepper locates both stick and corners; dry friction next to nonlinear elements is not supported";
    for (int s = 0; s < m->nslider; s++)
      if (!isfinite(m->slider_k[s]))
        *reason = "no stepper locates the reversals of Coulomb friction without compliance";
  }
  return NULL;
}

cap_status cap_orbit_curve_open(const cap_model *m, const cap_hb_curve_source *source,
                                const cap_orbit_curve_settings *settings, cap_orbit_curve *c,
                                cap_error *error)
{
  const char *reason;
  *c = (cap_orbit_curve){.settings = *settings, .n = m->nstate};
  cap_model_path_open(source, &c->path);
  c->type = cap_orbit_curve_stepper(m, &reason);
  if (!c->type)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "shooting cannot follow orbits of this system: %s",
                           reason);
  if (c->settings.sub < 1) c->settings.sub = 1;
  if (!(c->settings.tolerance > 0.0)) c->settings.tolerance = 1e-10;
  size_t n = (size_t)c->n;
  c->d = cap_data_create(m);
  c->x_scale = CAP_ARENA_NEW(&c->arena, double, n);
  c->monodromy = CAP_ARENA_NEW(&c->arena, double, (n * n));
  c->re = CAP_ARENA_NEW(&c->arena, double, n);
  c->im = CAP_ARENA_NEW(&c->arena, double, n);
  c->slope = CAP_ARENA_NEW(&c->arena, double, n);
  c->beside = CAP_ARENA_NEW(&c->arena, double, n);
  c->eigen_work = CAP_ARENA_NEW(&c->arena, double, capm_eigen_general_work(c->n));
  if (!c->d || !c->x_scale || !c->monodromy || !c->re || !c->im || !c->slope || !c->beside ||
      !c->eigen_work) {
    cap_orbit_curve_close(c);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  for (int i = 0; i < c->n; i++) c->x_scale[i] = 1.0;
  return CAP_OK;
}

void cap_orbit_curve_close(cap_orbit_curve *c)
{
  cap_model_path_close(&c->path);
  cap_data_free(c->d);
  cap_arena_free(&c->arena);
  *c = (cap_orbit_curve){0};
}

/* ---- the flow ------------------------------------------------------------------------------------------ */

static void start(cap_orbit_curve *c, const cap_model *m, const double *y)
{
  memcpy(c->d->y, y, sizeof(double) * (size_t)c->n);
  *c->d->t = 0.0;
  memset(c->d->regime, 0, sizeof(int64_t) * (size_t)m->nslider);
  memset(c->d->sense, 0, sizeof(int64_t) * (size_t)m->nelem);
  cap_model_drive(m, c->d->input, c->d->t, c->d->q, c->d->v, NULL);
}

/* f = P(y) - y of the model m; monodromy (may be NULL) = P'. Where the flow fails, F is not defined. */
static cap_status period_map(cap_orbit_curve *c, const cap_model *m, const double *y, double *f,
                             double *monodromy, cap_error *error)
{
  cap_stepper stepper;
  cap_stepper_settings settings = {.tolerance = c->settings.tolerance};
  double end = c->settings.sub * m->period[0];
  CAP_TRY(cap_stepper_create(c->type, m, &settings, &stepper, error));
  start(c, m, y);
  if (monodromy) {
    memset(monodromy, 0, sizeof(double) * (size_t)(c->n * c->n));
    for (int i = 0; i < c->n; i++) monodromy[i * (c->n + 1)] = 1.0;
  }
  cap_status status = cap_stepper_advance(&stepper, m, c->d, &end, monodromy, error);
  cap_stepper_free(&stepper);
  cap_orbit_return(m, c->d->y, c->n, monodromy);
  for (int i = 0; i < c->n; i++) f[i] = c->d->y[i] - y[i];
  return status == CAP_ERR_NUMERICS ? CAP_RETRY_NONFINITE : status;
}

static cap_status value(void *self, const cap_model *m, double *f, cap_error *error)
{
  cap_orbit_curve *c = self;
  return period_map(c, m, c->y, f, NULL, error);
}

static cap_status find_slope(cap_orbit_curve *c, const double *y, const double *f)
{
  c->y = y;
  return cap_model_path_slope(&c->path, c->n, f, value, c, c->beside, c->slope, &c->error);
}

/* Outside the range of models: F + (p - end) dF/dp. */
static void extend(const cap_orbit_curve *c, double p, double *f)
{
  for (int i = 0; i < c->n; i++) f[i] += (p - c->path.p) * c->slope[i];
}

cap_status cap_orbit_curve_walk(cap_orbit_curve *c, const double *y, double p, int count,
                                void (*see)(void *self, const cap_model *m, const cap_data *d, int k),
                                void *self)
{
  cap_stepper stepper;
  cap_stepper_settings settings = {.tolerance = c->settings.tolerance};
  CAP_TRY(cap_model_path_place(&c->path, p, &c->error));
  const cap_model *m = c->path.m;
  CAP_TRY(cap_stepper_create(c->type, m, &settings, &stepper, &c->error));
  start(c, m, y);
  cap_status status = CAP_OK;
  for (int k = 0; k < count; k++) {
    double next = c->settings.sub * m->period[0] * (k + 1) / count;
    see(self, m, c->d, k);
    if (k + 1 == count) break;
    status = cap_stepper_advance(&stepper, m, c->d, &next, NULL, &c->error);
    if (status != CAP_OK) break;
  }
  cap_stepper_free(&stepper);
  return status;
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

typedef struct extents {
  int n;
  double *low, *high;
} extents;

static void see_extents(void *self, const cap_model *m, const cap_data *d, int k)
{
  (void)m;
  extents *e = self;
  for (int i = 0; i < e->n; i++) {
    e->low[i] = k ? fmin(e->low[i], d->y[i]) : d->y[i];
    e->high[i] = k ? fmax(e->high[i], d->y[i]) : d->y[i];
  }
}

cap_status cap_orbit_curve_scale(cap_orbit_curve *c, const double *y, double p)
{
  extents e = {c->n, c->slope, c->beside};
  CAP_TRY(cap_orbit_curve_walk(c, y, p, 32 * c->settings.sub, see_extents, &e));
  int nv = c->path.m->nv, kind[4] = {0, nv, 2 * nv, c->n};
  double rest = 0.0; /* positions of an orbit that does not move: there is no extent to measure by */
  for (int k = 0; k < 3; k++) {
    double most = 1e-9, size = 0.0;
    for (int i = kind[k]; i < kind[k + 1]; i++) {
      most = fmax(most, e.high[i] - e.low[i]);
      size = fmax(size, fmax(fabs(e.low[i]), fabs(e.high[i])));
    }
    if (k == 0) rest = most <= 1e-9 * fmax(size, 1.0) ? size : 0.0;
    if (rest > 0.0) most = k == 1 ? rest * 2.0 * M_PI / c->path.m->period[0] : fmax(most, size);
    for (int i = kind[k]; i < kind[k + 1]; i++) c->x_scale[i] = most;
  }
  return CAP_OK;
}

/* ---- the functions of the problem ---------------------------------------------------------------------- */

static cap_status residual(void *self, const double *y, double p, double *f)
{
  cap_orbit_curve *c = self;
  CAP_TRY(cap_model_path_place(&c->path, p, &c->error));
  CAP_TRY(period_map(c, c->path.m, y, f, NULL, &c->error));
  if (p == c->path.p) return CAP_OK;
  CAP_TRY(find_slope(c, y, f));
  extend(c, p, f);
  return CAP_OK;
}

static cap_status jacobian(void *self, const double *y, double p, double *f, double *fx, double *fp)
{
  cap_orbit_curve *c = self;
  CAP_TRY(cap_model_path_place(&c->path, p, &c->error));
  CAP_TRY(period_map(c, c->path.m, y, f, fx, &c->error));
  for (int i = 0; i < c->n; i++) fx[i * (c->n + 1)] -= 1.0;
  CAP_TRY(find_slope(c, y, f));
  memcpy(fp, c->slope, sizeof(double) * (size_t)c->n);
  if (p != c->path.p) extend(c, p, f);
  return CAP_OK;
}

static cap_status test(void *self, const double *y, double p, double *values)
{
  cap_orbit_curve *c = self;
  cap_status status = cap_model_path_place(&c->path, p, &c->error);
  if (status == CAP_OK) status = period_map(c, c->path.m, y, c->beside, c->monodromy, &c->error);
  if (status == CAP_OK) status = capm_eigen_general(c->n, c->monodromy, c->re, c->im, NULL, c->eigen_work);
  for (int k = 0; k < CAP_HB_CURVE_TESTS; k++) values[k] = NAN;
  if (status < 0 && status != CAP_ERR_NUMERICS) return status;
  if (status != CAP_OK) return CAP_OK;
  capm_multipliers_sort(c->n, c->re, c->im);
  capm_multipliers_tests(c->n, c->re, c->im, &values[0], &values[1]);
  values[2] = 1.0 + hypot(c->re[0], c->im[0]);
  values[3] = 1.0 + capm_multipliers_outside(c->n, c->re, c->im, 1.0);
  return CAP_OK;
}

cap_continuation_problem cap_orbit_curve_problem(cap_orbit_curve *c, double p_scale)
{
  return (cap_continuation_problem){.n = c->n,
                                    .self = c,
                                    .residual = residual,
                                    .jacobian = jacobian,
                                    .x_scale = c->x_scale,
                                    .f_scale = c->x_scale,
                                    .p_scale = p_scale,
                                    .ntest = CAP_HB_CURVE_TESTS,
                                    .test = test};
}
