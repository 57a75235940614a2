/* laws/clearance.h — a spring with clearance: any number of stages, asymmetric, exact or smoothed.
 *
 * Maths: docs/theory.md §3, eq. (1) of Kim, Rook and Singh and its generalisation. A piecewise-linear force
 * with slopes that change by jump_j at the places at_j is
 *   f(u) = offset + slope u + sum_j (jump_j/2) g(u - at_j),   slope = (first + last slope)/2,
 * with g = |x| (exact) or one of its smooth stand-ins; offset makes the exact force vanish at u = 0. The gap
 * of the paper, outer stiffness k, inner alpha k, edges +-b: jumps (alpha - 1) k at -b and (1 - alpha) k at
 * +b.
 *
 * Frictional hysteresis (3): with s(x) = g'(x), loop heights H1 inside the gap [low, high] and H2 outside,
 *   f_H = s(v) H2/2 + (H2 - H1)/4 [s(u - low) (1 - s(v)) + s(u - high) (1 + s(v))]
 */
#pragma once
#include "laws/smoothing.h"

enum { CAPM_CLEARANCE_STAGES = 6 };

typedef struct capm_clearance {
  int kind;            /* of smoothing */
  double sigma, width; /* 1/m, m (g4) */
  int nstage;
  double at[CAPM_CLEARANCE_STAGES], jump[CAPM_CLEARANCE_STAGES]; /* m, N/m */
  double slope, offset;                                          /* N/m, N */
  double h1, h2;                                                 /* N */
  double low, high;                                              /* m: edges of the gap, for the hysteresis */
} capm_clearance;

/* Fill slope and offset from the stiffness left of the first stage and the jumps. */
static inline void capm_clearance_finish(capm_clearance *p, double left)
{
  double last = left, at_zero = 0.0;
  for (int j = 0; j < p->nstage; j++) last += p->jump[j];
  p->slope = 0.5 * (left + last);
  for (int j = 0; j < p->nstage; j++) at_zero += 0.5 * p->jump[j] * fabs(p->at[j]);
  p->offset = -at_zero;
}

/* Force and slope df/du of the spring. */
static inline double capm_clearance_force(const capm_clearance *p, double u, double *slope)
{
  double force = p->offset + p->slope * u;
  *slope = p->slope;
  for (int j = 0; j < p->nstage; j++) {
    const capm_smoothing g = capm_smoothing_of(p->kind, u - p->at[j], p->sigma, p->width);
    force += 0.5 * p->jump[j] * g.g;
    *slope += 0.5 * p->jump[j] * g.d1;
  }
  return force;
}

/* Hysteresis force and its derivatives to u and v. */
static inline double capm_clearance_hysteresis(const capm_clearance *p, double u, double v, double *to_u,
                                               double *to_v)
{
  const capm_smoothing s = capm_smoothing_of(p->kind, v, p->sigma, p->width);
  const capm_smoothing l = capm_smoothing_of(p->kind, u - p->low, p->sigma, p->width);
  const capm_smoothing h = capm_smoothing_of(p->kind, u - p->high, p->sigma, p->width);
  const double quarter = 0.25 * (p->h2 - p->h1);
  *to_u = quarter * (l.d2 * (1.0 - s.d1) + h.d2 * (1.0 + s.d1));
  *to_v = s.d2 * (0.5 * p->h2 + quarter * (h.d1 - l.d1));
  return 0.5 * p->h2 * s.d1 + quarter * (l.d1 * (1.0 - s.d1) + h.d1 * (1.0 + s.d1));
}

/* Stored energy of the spring from u = 0. */
static inline double capm_clearance_energy(const capm_clearance *p, double u)
{
  double energy = u * (p->offset + 0.5 * p->slope * u);
  for (int j = 0; j < p->nstage; j++)
    energy += 0.5 * p->jump[j] *
              (capm_smoothing_integral(p->kind, u - p->at[j], p->sigma, p->width) -
               capm_smoothing_integral(p->kind, -p->at[j], p->sigma, p->width));
  return energy;
}
