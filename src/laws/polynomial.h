/* laws/polynomial.h — a spring whose force is a polynomial of its deflection, without the linear term.
 *
 * Maths: docs/theory.md §16. force = k2 u^2 + k3 u^3 + k5 u^5, energy its integral from u = 0. With a linear
 * spring beside it and k3 alone it is Duffing's spring, hardening for k3 > 0 and softening for k3 < 0.
 */
#pragma once

typedef struct capm_polynomial {
  double k2, k3, k5; /* N/m2, N/m3, N/m5 */
} capm_polynomial;

static inline double capm_polynomial_force(const capm_polynomial *p, double u, double *slope)
{
  const double square = u * u;
  *slope = u * (2.0 * p->k2 + u * (3.0 * p->k3 + 5.0 * p->k5 * square));
  return square * (p->k2 + u * (p->k3 + p->k5 * square));
}

static inline double capm_polynomial_energy(const capm_polynomial *p, double u)
{
  const double square = u * u;
  return square * u * (p->k2 / 3.0 + u * (p->k3 / 4.0 + p->k5 / 6.0 * square));
}
