/* laws/masing.h — Masing's law with a viscous damper, eq. (8): sliders beside a spring and a damper.
 *
 * Maths: docs/theory.md (laws).
 *   F = sum_i k_i w_i + k0 u + c u' - F0,  |w_i| <= eta_i = limit_i/k_i
 *   w_i' = u' while |w_i| < eta_i or u' points inward, else 0   (w' + beta(w/eta) contains u')
 * A slider (Jenkins element) is a spring k_i in series with dry friction `limit_i`. Over a monotone increment
 * of u the inclusion is solved exactly by projecting the trial w + du: no step error, whatever the increment.
 *
 * Cost: a few operations a slider, branch-free.
 */
#pragma once
#include "laws/coulomb.h"
#include "laws/linear.h"

typedef struct capm_masing_slider {
  double k, limit; /* N/m (> 0), N (>= 0; INFINITY never slips) */
} capm_masing_slider;

typedef struct capm_masing {
  int nslider;
  const capm_masing_slider *sliders; /* [nslider] */
  double k0, c, f0;                  /* N/m, N s/m, N: f0 is F0 of (8c), subtracted */
} capm_masing;

/* One slider over the monotone increment du; *stick is dw/d(du): 1 stuck, 0 slipping at the end. */
static inline double capm_masing_project(double w, double du, double eta, double *stick)
{
  const double trial = w + du;
  *stick = capm_coulomb_project_slope(trial, eta);
  return capm_coulomb_project(trial, eta);
}

typedef struct capm_masing_step {
  double force;       /* N, at the end of the increment */
  double force_u;     /* dF/du at fixed velocity: k0 + stuck sliders, N/m */
  double force_v;     /* dF/du' = c, N s/m */
  double dissipation; /* J, by the sliders over the increment (the damper's is c v^2 a second) */
} capm_masing_step;

/* Advance w[nslider] by the monotone increment that ends at deflection u with velocity v. */
static inline capm_masing_step capm_masing_advance(const capm_masing *p, double w[], double du, double u,
                                                   double v)
{
  capm_masing_step step = {.force = capm_linear_force(p->k0, p->c, -p->f0, u, v),
                           .force_u = p->k0,
                           .force_v = p->c,
                           .dissipation = 0.0};
  for (int i = 0; i < p->nslider; i++) {
    const double k = p->sliders[i].k, limit = p->sliders[i].limit;
    double stick;
    const double next = capm_masing_project(w[i], du, limit / k, &stick);
    const double slip = w[i] + du - next;
    step.dissipation += slip != 0.0 ? limit * fabs(slip) : 0.0; /* limit may be infinite, then slip is zero */
    step.force += k * next;
    step.force_u += k * stick;
    w[i] = next;
  }
  return step;
}

/* Force at the state w. */
static inline double capm_masing_force(const capm_masing *p, const double w[], double u, double v)
{
  double force = capm_linear_force(p->k0, p->c, -p->f0, u, v);
  for (int i = 0; i < p->nslider; i++) force += p->sliders[i].k * w[i];
  return force;
}

/* Stored energy: all springs, and the constant force. Work of F = growth of this + dissipation, exactly. */
static inline double capm_masing_energy(const capm_masing *p, const double w[], double u)
{
  double energy = capm_linear_energy(p->k0, -p->f0, u);
  for (int i = 0; i < p->nslider; i++) energy += 0.5 * p->sliders[i].k * w[i] * w[i];
  return energy;
}

/* Loop area of one cycle of a harmonic deflection of amplitude x1 about any mean, in the steady state. */
static inline double capm_masing_dry_area(const capm_masing *p, double x1)
{
  double area = 0.0;
  for (int i = 0; i < p->nslider; i++) {
    const double limit = p->sliders[i].limit, eta = limit / p->sliders[i].k;
    area += x1 > eta ? 4.0 * limit * (x1 - eta) : 0.0;
  }
  return area;
}

static inline double capm_masing_viscous_area(const capm_masing *p, double x1, double angular_frequency)
{
  return 3.14159265358979323846 * p->c * angular_frequency * x1 * x1;
}
