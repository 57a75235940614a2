/* laws/coulomb.h — set-valued dry friction, f in limit * Sign(v), in projection form.
 *
 * The resisting force f obeys f = proj_[-limit, limit](f + r v) for any r > 0: stuck (v = 0, |f| <= limit) or
 * sliding (f = limit sign(v)). Implicit steppers solve that equation; there is no smoothing. Coefficient
 * constant in v.
 */
#pragma once
#include <math.h>

/* x held within +-limit. */
static inline double capm_coulomb_project(double x, double limit)
{
  const double below = x > limit ? limit : x;
  return below < -limit ? -limit : below;
}

/* 1 where the projection lets x through (stick), 0 where it holds it (slip). */
static inline double capm_coulomb_project_slope(double x, double limit)
{
  return fabs(x) <= limit ? 1.0 : 0.0;
}

/* f - proj(f + r v), zero exactly when (v, f) obeys the law;
 * derivatives to f and v (one element of the set). */
static inline double capm_coulomb_residual(double f, double v, double r, double limit, double *to_f,
                                           double *to_v)
{
  const double trial = f + r * v, open = capm_coulomb_project_slope(trial, limit);
  *to_f = 1.0 - open;
  *to_v = -r * open;
  return f - capm_coulomb_project(trial, limit);
}

/* Force at a known velocity; `stick` (within +-limit) is what the rest of the system asks for at v = 0. */
static inline double capm_coulomb_force(double v, double stick, double limit)
{
  const double sliding = v > 0.0 ? limit : -limit;
  return v == 0.0 ? capm_coulomb_project(stick, limit) : sliding;
}

/* Power dissipated, W. */
static inline double capm_coulomb_dissipation(double v, double limit)
{
  return limit * fabs(v);
}
