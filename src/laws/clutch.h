/* laws/clutch.h — one-way clutch: the stick law (laws/stick.h) with a limit of its own in each direction.
 *
 * Maths: docs/theory.md §31. z is the wind-up of the engaged clutch, g the speed by which the driving side is
 * ahead, f the torque that it passes on; f* = k z + d g is what it would pass on if it held:
 *   f* >= 0: it holds, f = f* (up to `capacity`, beyond which it slips);
 *   f* < 0:  it holds as far as `drag`, and beyond that overruns: f = -drag, and z goes to -drag / k.
 * A clutch that has overrun does not remember how far: it engages again where its two sides then stand. The
 * torque is continuous, and the law takes energy only.
 */
#pragma once
#include "laws/stick.h"

#include <math.h>

typedef struct capm_clutch {
  double k, d;     /* N m/rad, N m s/rad; d > 0 */
  double drag;     /* N m, >= 0 */
  double capacity; /* N m; INFINITY: it never slips forwards */
} capm_clutch;

/* Only direction 0 of the result is set; `slip` is the power that overrunning takes. */
static inline void capm_clutch_evaluate(const capm_clutch *p, double z, double g, capm_stick_result *r)
{
  const double limit = p->k * z + p->d * g >= 0.0 ? p->capacity : p->drag;
  const double mu = isinf(limit) ? INFINITY : 1.0;
  const capm_stick law = {.k = p->k, .d = p->d, .friction = {.mu_static = mu, .mu_kinetic = mu}};
  capm_stick_evaluate(&law, 1, &z, &g, limit, r);
}

/* Wind-up after a slow motion by `turn` (rad) from the wind-up z0; *slope receives its derivative to it. */
static inline double capm_clutch_settle(const capm_clutch *p, double z0, double turn, double *slope)
{
  const double low = -p->drag / p->k, high = p->capacity / p->k, z = z0 + turn;
  *slope = z >= low && z <= high ? 1.0 : 0.0;
  return fmin(fmax(z, low), high);
}

/* One step of an explicit method (capm_stick_march, with keep as there). Without drag it still unwinds as its
 * damper lets it, which a contact that is lost does not. */
static inline capm_stick_step capm_clutch_march(const capm_clutch *p, double keep, double dt, double z,
                                                double g_mean, double g)
{
  const double trial = p->k * (z + dt * g_mean) + p->d * g;
  const double limit = trial >= 0.0 ? p->capacity : fmax(p->drag, 1e-300);
  return capm_stick_march(p->k, 1.0 / p->k, p->d, keep, dt, z, g_mean, g, limit);
}
