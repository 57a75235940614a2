/* laws/friction.h — the coefficient of dry friction over the slip speed.
 *
 * Maths: docs/theory.md §36.2. mu(g) = mu_k + (mu_s - mu_k) f(g / v_s) with Stribeck's f(s) = exp(-s^2), or,
 * with an exponent n > 0, f(s) = 1 / (1 + s^n): this is mu_0 + mu_1 / (1 + mu_2 g^n) with mu_k = mu_0, mu_s =
 * mu_0 + mu_1 and v_s = mu_2^(-1/n). Plain Coulomb where mu_s = mu_k or v_s = 0 (then mu_k, everywhere).
 */
#pragma once
#include <math.h>

typedef struct capm_friction {
  double mu_static, mu_kinetic; /* INFINITY (both) = never slips */
  double v_stribeck;            /* m/s; 0 = plain Coulomb with mu_kinetic */
  double exponent;              /* 0 = Stribeck's exponential */
} capm_friction;

/* mu at slip speed g >= 0, m/s; *slope (or NULL) receives its derivative to g. */
static inline double capm_friction_at(const capm_friction *p, double g, double *slope)
{
  if (slope) *slope = 0.0;
  if (!(p->v_stribeck > 0.0) || p->mu_static == p->mu_kinetic) return p->mu_kinetic;
  double s = g / p->v_stribeck, rise = p->mu_static - p->mu_kinetic;
  if (p->exponent == 0.0) {
    double f = exp(-s * s);
    if (slope) *slope = -2.0 * rise * f * s / p->v_stribeck;
    return p->mu_kinetic + rise * f;
  }
  double power = pow(s, p->exponent), f = 1.0 / (1.0 + power);
  if (slope && s > 0.0) *slope = -rise * f * f * p->exponent * power / (s * p->v_stribeck);
  return p->mu_kinetic + rise * f;
}
