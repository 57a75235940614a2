/* hb/hb_mode.c — see hb_mode.h. */
#include "hb/hb_mode.h"

#include <math.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------------------------- */

static cap_status allocate(cap_hb_mode *s)
{
  size_t n = (size_t)s->hb->nunknown;
  cap_arena *a = &s->arena;
  s->weight = CAP_ARENA_NEW(a, double, s->hb->nouter);
  s->rest = CAP_ARENA_NEW(a, double, s->hb->nouter);
  s->limit = CAP_ARENA_NEW(a, double, s->hb->ncoulomb);
  s->x_scale = CAP_ARENA_NEW(a, double, n + 2);
  s->x = CAP_ARENA_NEW(a, double, n);
  s->r = CAP_ARENA_NEW(a, double, n);
  s->r_w = CAP_ARENA_NEW(a, double, n);
  s->r_xi = CAP_ARENA_NEW(a, double, n);
  s->J = CAP_ARENA_NEW(a, double, (n * n));
  bool all = s->weight && s->rest && s->limit && s->x_scale && s->x && s->r && s->r_w && s->r_xi && s->J;
  return all ? CAP_OK : CAP_ERR_NOMEM;
}

/* Unknowns below are shapes, the others forces of Coulomb sliders. */
static int shapes(const cap_hb_mode *s)
{
  return s->hb->nouter * s->hb->ncoef;
}

static void set_scales(cap_hb_mode *s)
{
  const cap_hb *hb = s->hb;
  int count = 0, n = hb->nunknown;
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind == CAP_HB_LAW_COULOMB) s->limit[count++] = hb->laws[k].limit;
  for (int i = 0; i < n + 2; i++) s->x_scale[i] = 1.0;
  for (int i = shapes(s); i < n; i++) s->x_scale[i] = s->limit[(i - shapes(s)) / hb->ncoef];
}

/* Modal mass and the stiffness that a motion of the linear shape meets at its amplitude: what the cosine part
 * of the forces does on the shape, nearly at rest so that inertia has no part in it. */
static cap_status secant_of(cap_hb_mode *s, const cap_hb_mode_linear *linear, double amplitude, double *mass,
                            double *stiffness, cap_error *error)
{
  cap_hb *hb = s->hb;
  double unit = 0.0;
  for (int i = 0; i < hb->nouter; i++) unit += linear->weight[i] * linear->shape[i];
  *mass = *stiffness = 0.0;
  memset(s->x, 0, sizeof(double) * (size_t)hb->nunknown);
  for (int i = 0; i < hb->nouter; i++) {
    s->x[i * hb->ncoef] = linear->rest[i];
    s->x[i * hb->ncoef + 1] = amplitude * linear->shape[i] / unit;
  }
  double slow = 1e-6 * (linear->angular_frequency > 0.0 ? linear->angular_frequency : 1.0);
  cap_hb_excite(hb, 0.0);
  CAP_TRY(cap_hb_residual(hb, s->x, slow, s->r, NULL, NULL, error));
  for (int i = 0; i < hb->nouter; i++) {
    double shape = linear->shape[i] / unit;
    *mass += shape * shape * hb->m->mass[hb->outer_dof[i] * hb->m->nlane + hb->lane];
    *stiffness += shape * s->r[i * hb->ncoef + 1] / amplitude;
  }
  return CAP_OK;
}

/* Corners of laws with memory stand where the velocity changes sign;
 * a sample there makes the balance kinked. */
static double phase_of(const cap_hb *hb)
{
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind != CAP_HB_LAW_MEMORYLESS && hb->laws[k].kind != CAP_HB_LAW_PIECES)
      return M_PI / hb->nsample;
  return 0.0;
}

cap_status cap_hb_mode_open(cap_hb *hb, const cap_hb_mode_linear *linear, double least, double most,
                            cap_hb_mode *s, cap_error *error)
{
  double mass, stiffness;
  *s = (cap_hb_mode){
      .hb = hb, .angular_frequency = linear->angular_frequency, .length = most, .phase = phase_of(hb)};
  if (allocate(s) != CAP_OK) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(s->weight, linear->weight, sizeof(double) * (size_t)hb->nouter);
  memcpy(s->rest, linear->rest, sizeof(double) * (size_t)hb->nouter);
  set_scales(s);
  CAP_TRY(secant_of(s, linear, least, &mass, &stiffness, error));
  if (!(s->angular_frequency > 0.0)) {
    if (!(stiffness > 0.0))
      return cap_status_fail(error, CAP_ERR_NUMERICS,
                             "the mode has no stiffness, neither at rest nor at an amplitude of %.6g", least);
    s->angular_frequency = sqrt(stiffness / mass);
  }
  s->stiffness = mass * s->angular_frequency * s->angular_frequency;
  return CAP_OK;
}

void cap_hb_mode_close(cap_hb_mode *s)
{
  cap_arena_free(&s->arena);
  *s = (cap_hb_mode){0};
}

cap_status cap_hb_mode_start(cap_hb_mode *s, const cap_hb_mode_linear *linear, double amplitude, bool secant,
                             double *y, cap_error *error)
{
  const cap_hb *hb = s->hb;
  int n = hb->nunknown;
  double unit = 0.0, mass, stiffness, angular_frequency = s->angular_frequency;
  for (int i = 0; i < hb->nouter; i++) unit += linear->weight[i] * linear->shape[i];
  memset(y, 0, sizeof(double) * (size_t)(n + 2));
  for (int i = 0; i < hb->nouter; i++) {
    y[i * hb->ncoef + 1] = cos(s->phase) * linear->shape[i] / unit;
    y[i * hb->ncoef + 2] = sin(s->phase) * linear->shape[i] / unit;
  }
  if (secant) {
    CAP_TRY(secant_of(s, linear, amplitude, &mass, &stiffness, error));
    if (stiffness > 0.0) angular_frequency = sqrt(stiffness / mass);
  }
  y[n] = angular_frequency / s->angular_frequency;
  y[n + 1] = 2.0 * linear->ratio * angular_frequency / s->angular_frequency;
  return CAP_OK;
}

/* ---- the problem --------------------------------------------------------------------------------------- */

/* Length of unknown i in metres; 1 for a force. */
static double column_scale(const cap_hb_mode *s, int i, double a)
{
  return i >= shapes(s) ? 1.0 : i % s->hb->ncoef == 0 ? s->length : a;
}

void cap_hb_mode_read(cap_hb_mode *s, const double *y, double p, double *x, double *angular_frequency,
                      double *ratio)
{
  const cap_hb *hb = s->hb;
  int n = hb->nunknown;
  double a = exp(p);
  for (int i = 0; i < n; i++) x[i] = column_scale(s, i, a) * y[i];
  for (int i = 0; i < hb->nouter; i++) x[i * hb->ncoef] += s->rest[i];
  *angular_frequency = y[n] * s->angular_frequency;
  *ratio = 0.5 * y[n + 1] / y[n];
  cap_hb_excite(s->hb, y[n + 1] * s->angular_frequency);
}

/* Size of equation i. */
static double row_scale(const cap_hb_mode *s, int i, double a)
{
  int first = shapes(s);
  return i < first ? 1.0 / (a * s->stiffness) : 1.0 / s->limit[(i - first) / s->hb->ncoef];
}

/* Amplitude and phase of the measured displacement, with their rows of the Jacobian when wanted. */
static void measure(const cap_hb_mode *s, const double *y, double *f, double *fx)
{
  const cap_hb *hb = s->hb;
  int n = hb->nunknown, nc = hb->ncoef;
  double square = -1.0, phase = 0.0;
  for (int k = 1; k < nc; k++) {
    double u = 0.0;
    for (int i = 0; i < hb->nouter; i++) u += s->weight[i] * y[i * nc + k];
    square += u * u;
    double part = k == 1 ? -sin(s->phase) : k == 2 ? cos(s->phase) : 0.0;
    phase += part * u;
    for (int i = 0; fx && i < hb->nouter; i++) {
      fx[(size_t)n * (size_t)(n + 2) + (size_t)(i * nc + k)] = 2.0 * u * s->weight[i];
      fx[(size_t)(n + 1) * (size_t)(n + 2) + (size_t)(i * nc + k)] = part * s->weight[i];
    }
  }
  f[n] = square;
  f[n + 1] = phase;
}

static cap_status balance(cap_hb_mode *s, const double *y, double p, double *J, double *r_w)
{
  double angular_frequency, ratio;
  if (!(y[s->hb->nunknown] > 0.0)) /* a motion that stands still has no period */
    return cap_status_fail(&s->error, CAP_RETRY_NONFINITE, "the angular frequency is not positive");
  cap_hb_mode_read(s, y, p, s->x, &angular_frequency, &ratio);
  return cap_hb_residual(s->hb, s->x, angular_frequency, s->r, J, r_w, &s->error);
}

static cap_status residual(void *self, const double *y, double p, double *f)
{
  cap_hb_mode *s = self;
  CAP_TRY(balance(s, y, p, NULL, NULL));
  for (int i = 0; i < s->hb->nunknown; i++) f[i] = row_scale(s, i, exp(p)) * s->r[i];
  measure(s, y, f, NULL);
  return CAP_OK;
}

static cap_status jacobian(void *self, const double *y, double p, double *f, double *fx, double *fp)
{
  cap_hb_mode *s = self;
  int n = s->hb->nunknown, first = shapes(s);
  size_t wide = (size_t)n + 2;
  double a = exp(p);
  CAP_TRY(balance(s, y, p, s->J, s->r_w));
  cap_hb_excitation_slope(s->hb, s->x, s->r_xi);
  memset(fx, 0, sizeof(double) * wide * wide);
  for (int i = 0; i < n; i++) {
    const double *from = s->J + (size_t)i * (size_t)n;
    double *to = fx + (size_t)i * wide, scale = row_scale(s, i, a), growth = 0.0;
    for (int j = 0; j < n; j++) to[j] = scale * column_scale(s, j, a) * from[j];
    for (int j = 0; j < first; j++) growth += j % s->hb->ncoef ? to[j] * y[j] : 0.0;
    to[n] = scale * s->angular_frequency * s->r_w[i];
    to[n + 1] = scale * s->angular_frequency * s->r_xi[i];
    f[i] = scale * s->r[i];
    fp[i] = growth - (i < first ? f[i] : 0.0); /* the size of the equation shrinks as 1/a */
  }
  fp[n] = fp[n + 1] = 0.0;
  measure(s, y, f, fx);
  return CAP_OK;
}

cap_continuation_problem cap_hb_mode_problem(cap_hb_mode *s)
{
  return (cap_continuation_problem){.n = s->hb->nunknown + 2,
                                    .self = s,
                                    .residual = residual,
                                    .jacobian = jacobian,
                                    .x_scale = s->x_scale,
                                    .p_scale = 1.0};
}
