/* solve/continuation/continuation_newton.c — damped Newton at a fixed parameter, with deflation of known
 * solutions.
 *
 * With the deflated residual G = m(x) F(x) the Newton step is that of F times a number:
 *   (m J + F m_x^T)^-1 m F = u / (1 + m_x . u / m),  u = J^-1 F,
 * so deflation costs no solve and works with structured Jacobians too.
 */
#include "solve/continuation/continuation_correct.h"

#include <stdio.h>

enum { PLACE, STEP, RESIDUAL, GRADIENT, TRIAL };

typedef struct newton {
  cap_continuation *c;
  const cap_continuation_deflation *deflation;
  double *z;       /* [n + 1] present point */
  double merit;    /* of z */
  bool free;       /* steps need not make the merit smaller, only stay finite */
  const char *why; /* it ended without a solution */
  bool known;      /* the residual of this point */
} newton;

/* log of the product of (1 / |x - root|^power + shift), and its gradient (may be NULL). */
static double deflation_log(const cap_continuation *c, const cap_continuation_deflation *d, const double *x,
                            double *gradient)
{
  double power = d->power > 0.0 ? d->power : 2.0, shift = d->shift > 0.0 ? d->shift : 0.1, sum = 0.0;
  if (gradient) memset(gradient, 0, (size_t)c->n * sizeof *gradient);
  for (int k = 0; k < d->nroot; k++) {
    double square = 0.0;
    for (int i = 0; i < c->n; i++) square += c->weight[i] * (x[i] - d->roots[k][i]) * (x[i] - d->roots[k][i]);
    square = fmax(square, 1e-300);
    double inverse = pow(square, -0.5 * power);
    sum += log(inverse + shift);
    double slope = -power * inverse / ((inverse + shift) * square);
    for (int i = 0; gradient && i < c->n; i++) gradient[i] += slope * c->weight[i] * (x[i] - d->roots[k][i]);
  }
  return sum;
}

/* What a step must make smaller: |F| times the deflation. */
static double merit(newton *s, const double *x, const double *f)
{
  const cap_continuation *c = s->c;
  double square = 0.0;
  for (int i = 0; i < c->n; i++) {
    double r = f[i] / (c->problem.f_scale ? c->problem.f_scale[i] : 1.0);
    square += r * r;
  }
  double value = sqrt(square);
  if (s->deflation && value > 0.0) value *= exp(fmin(600.0, deflation_log(c, s->deflation, x, NULL)));
  return value;
}

/* The full step into scratch STEP; F and J at s->z. */
static cap_status full_step(newton *s)
{
  cap_continuation *c = s->c;
  double *step = c->scratch[STEP], *gradient = c->scratch[GRADIENT];
  CAP_TRY(cap_continuation_correct_evaluate(c, s->z));
  s->merit = merit(s, s->z, c->f);
  CAP_TRY(cap_continuation_border_factor(&c->border, c->fx, 0, NULL, NULL));
  for (int i = 0; i < c->n; i++) step[i] = -c->f[i];
  cap_continuation_border_solve(&c->border, false, step);
  if (!s->deflation || s->deflation->nroot == 0) return CAP_OK;
  deflation_log(c, s->deflation, s->z, gradient);
  double denominator = 1.0;
  for (int i = 0; i < c->n; i++) denominator -= gradient[i] * step[i];
  if (fabs(denominator) < 1e-8) denominator = copysign(1e-8, denominator);
  double size = continuation_norm(c, c->n, step) / fabs(denominator);
  double most = 1.0 + continuation_norm(c, c->n, s->z), cut = size > most ? most / size : 1.0;
  for (int i = 0; i < c->n; i++) step[i] *= cut / denominator;
  return CAP_OK;
}

/* Halve the step until the merit falls; false when it never does. */
static bool damped(newton *s, double *z)
{
  cap_continuation *c = s->c;
  double *trial = c->scratch[TRIAL], *f = c->scratch[RESIDUAL];
  for (double share = 1.0; share > 1e-4; share *= 0.5) {
    for (int i = 0; i < c->n; i++) trial[i] = z[i] + share * c->scratch[STEP][i];
    if (c->problem.residual(c->problem.self, trial, z[c->n], f) != CAP_OK) continue;
    double reached = merit(s, trial, f);
    if (s->free ? !isfinite(reached) : !(reached <= (1.0 - 1e-4 * share) * s->merit)) continue;
    continuation_copy(c->n, z, trial);
    return true;
  }
  return false;
}

/* A start at a known solution does not leave it. */
static bool at_known_root(const newton *s)
{
  const cap_continuation *c = s->c;
  for (int k = 0; s->deflation && k < s->deflation->nroot; k++) {
    double square = 0.0;
    for (int i = 0; i < c->n; i++)
      square += c->weight[i] * (s->z[i] - s->deflation->roots[k][i]) * (s->z[i] - s->deflation->roots[k][i]);
    if (sqrt(square) <= 10.0 * c->options.tolerance * (1.0 + continuation_norm(c, c->n, s->z))) return true;
  }
  return false;
}

static cap_status give_up(newton *s, const char *why)
{
  s->why = why;
  return CAP_RETRY_NOCONV;
}

static cap_status iterate(newton *s, int most, cap_continuation_newton_result *result)
{
  cap_continuation *c = s->c;
  for (result->iterations = 1;; result->iterations++) {
    s->known = false;
    s->why = "the equations cannot be evaluated or solved";
    CAP_TRY(full_step(s));
    s->known = true;
    result->residual = cap_continuation_correct_residual(c, c->f);
    result->step = continuation_norm(c, c->n, c->scratch[STEP]) / (1.0 + continuation_norm(c, c->n, s->z));
    if (!isfinite(result->step)) return give_up(s, "the step is not finite");
    if (result->step <= c->options.tolerance) {
      for (int i = 0; i < c->n; i++) s->z[i] += c->scratch[STEP][i];
      return at_known_root(s) ? give_up(s, "it leads to a solution that is known") : CAP_OK;
    }
    if (!damped(s, s->z)) return give_up(s, "no step makes the residual smaller");
    if (result->iterations == most) return give_up(s, "it does not converge");
  }
}

/* With the residual, where there is one. */
static cap_status fail(const newton *s, cap_status status, double p, const cap_continuation_newton_result *r,
                       cap_error *error)
{
  char residual[40] = "";
  if (s->known) snprintf(residual, sizeof residual, ", residual %.3g", r->residual);
  return cap_status_fail(error, status,
                         "Newton's method found no solution at p = %.9g: %s, iteration %d%s (%s)", p, s->why,
                         r->iterations, residual, cap_status_text(status));
}

cap_status cap_continuation_newton(cap_continuation *c, double *x, double p, int max_iterations,
                                   const cap_continuation_deflation *deflation,
                                   cap_continuation_newton_result *result, cap_error *error)
{
  cap_continuation_newton_result own;
  if (!result) result = &own;
  *result = (cap_continuation_newton_result){0};
  newton s = {.c = c, .deflation = deflation, .z = c->scratch[PLACE]};
  continuation_copy(c->n, s.z, x);
  s.z[c->n] = p;
  cap_status status = iterate(&s, max_iterations, result);
  if (status > 0 && deflation &&
      deflation->nroot > 0) { /* the merit has minima of its own between the roots */
    s.free = true;
    continuation_copy(c->n, s.z, x);
    status = iterate(&s, max_iterations, result);
  }
  continuation_copy(c->n, x, s.z);
  if (status == CAP_OK) return CAP_OK;
  return fail(&s, status, p, result, error);
}
