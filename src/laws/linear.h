/* laws/linear.h — spring and dampers.
 *
 * force = k u + c v + f0, positive against a positive deflection. Energy k u^2/2 + f0 u, dissipation c v^2.
 */
#pragma once

static inline double capm_linear_force(double k, double c, double f0, double u, double v)
{
  return k * u + c * v + f0;
}

static inline double capm_linear_energy(double k, double f0, double u)
{
  return u * (0.5 * k * u + f0);
}

static inline double capm_linear_dissipation(double c, double v)
{
  return c * v * v;
}

/* Damper whose loop does not depend on the angular frequency, eq. (29) of the tensioner document: the
 * coefficient c,
 * found at the angular frequency `reference`, becomes c * reference / angular frequency. The document
 * prints Omega/Omega_0
 * with a sentence that swaps the two; the factor is the one for which coefficient * angular frequency is
 * constant, as
 * the text before it says ("the shape of the loop does not depend on the angular_frequency"). */
static inline double capm_linear_scaled_damping(double c, double reference, double angular_frequency)
{
  return c * reference / angular_frequency;
}
