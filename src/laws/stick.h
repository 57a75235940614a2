/* laws/stick.h — the tangential contact law: a viscoelastic stick element in series with dry friction.
 *
 * Maths: docs/theory.md §17. A Kelvin-Voigt element of deflection z and a friction element carry the same
 * force f, which resists the relative velocity g of the bodies (one or two directions of the contact plane):
 *   f = k z + d z',   trial f* = k z + d g,   limit = mu(|g|) N,
 *   f = f* limit phi(|f*| / limit) / |f*|,   z' = g - (f* - f) / d
 * phi(u) = u: sticks, z' = g (exactly, so that nothing drifts at rest); phi = 1: slips, |f| = limit along f*.
 * Between (1 - width) and (1 + width) times the limit, phi is a quartic that meets both with two derivatives.
 * mu(|g|): laws/friction.h. Where it is infinite the law is Lambda = k z + d z' alone, whatever the normal
 * force.
 *
 * Cost: one square root in two directions; one exponential where the coefficient depends on the velocity and
 * the force is not clearly below both limits.
 */
#pragma once
#include "laws/friction.h"

typedef struct capm_stick {
  double k, d; /* N/m, N s/m; d > 0 unless mu is INFINITY */
  capm_friction friction;
  double width; /* 0 to 1, part of the limit over which stick passes smoothly (C2) into slip; 0 = sharp */
} capm_stick;

typedef struct capm_stick_result {
  double force[2], rate[2];                        /* N; m/s of the deflection */
  double force_z[2][2], force_g[2][2], force_n[2]; /* derivatives to deflection, velocity, normal force */
  double rate_z[2][2], rate_g[2][2], rate_n[2];
  double damping, slip; /* W, both >= 0: force.g = d(energy)/dt + damping + slip */
} capm_stick_result;

/* Law at deflection z[n] and velocity g[n], n = 1 or 2, under the support force `normal` (N; <= 0: no
 * contact, no force, and the deflection relaxes with d / k). Of the result, directions n and beyond are 0. */
void capm_stick_evaluate(const capm_stick *p, int n, const double *z, const double *g, double normal,
                         capm_stick_result *r);

/* Energy stored in the deflection, J. */
double capm_stick_energy(const capm_stick *p, int n, const double *z);

/* The law over one step of an explicit method, in one direction (docs/theory.md §27.3): what the contact does
 * over the time dt, at whose end the force acts. Straight-line code. */
typedef struct capm_stick_step {
  double force, z; /* N; m, deflection at the end */
  double slides;   /* 1 or 0; a number, as the compiler then keeps it in vector registers */
} capm_stick_step;

/* z: deflection at the start; g_mean, g: velocities over the step and at its end; limit: mu N at its end, 0 =
 * no contact; per_k = 1/k; keep = exp(-k dt/d). While it sticks z follows g_mean; while it slides the contact
 * point is repositioned: z goes to force/k as the damper lets it, exactly; without contact z is 0. */
static inline capm_stick_step capm_stick_march(double k, double per_k, double d, double keep, double dt,
                                               double z, double g_mean, double g, double limit)
{
  const double stuck = z + dt * g_mean, trial = k * stuck + d * g;
  const double above = trial > limit ? limit : trial, force = above < -limit ? -limit : above;
  const double rest = force * per_k, slid = rest + (z - rest) * keep;
  const double slides = force != trial ? 1.0 : 0.0, moved = force != trial ? slid : stuck;
  return (capm_stick_step){force, limit > 0.0 ? moved : 0.0, slides};
}
