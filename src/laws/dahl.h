/* laws/dahl.h — the modified Dahl law: a force that is drawn towards one of two envelopes.
 *
 * Maths: docs/theory.md (laws), eqs. (1) and (2) of the tensioner document.
 *   upper envelope h_u(u) = a u + b while u' >= 0, lower envelope h_l(u) = d u + e while u' < 0
 *   with s = sign(u') and q = s (h - F), positive inside the envelopes:  dF/du = Lambda sign(q) |q|^mu
 * The force is the state (inner state x of an element); its rate is dF/du * u'. Rate-independent.
 *
 * Near the envelope |q|^mu has an infinite slope for mu < 1. Below `floor` = 1e-9 of the distance of the
 * envelopes the power is replaced by the straight line through zero, so value and tangent are consistent and
 * finite; the force moves by less than the floor itself (5e-7 N for the tensioner of the document).
 *
 * Cost:     one power (laws/pow.h); all inline functions are branch-free and vectorise over lanes
 * Threads:  pure functions
 */
#pragma once
#include "base/status.h"
#include "laws/pow.h"
#include <math.h>
#include <stdbool.h>

enum { CAPM_DAHL_TERMS = 4 }; /* envelopes up to the third degree */

typedef struct capm_dahl {
  double upper[CAPM_DAHL_TERMS]; /* b, a, ...: N, N/m, N/m2, N/m3 */
  double lower[CAPM_DAHL_TERMS]; /* e, d, ... */
  double lambda;                 /* N^(1-mu)/m */
  double mu;                     /* 1 */
} capm_dahl;

/* Straight envelopes, eq. (2). */
static inline capm_dahl capm_dahl_straight(double a, double b, double d, double e, double lambda, double mu)
{
  return (capm_dahl){.upper = {b, a}, .lower = {e, d}, .lambda = lambda, .mu = mu};
}

static inline double capm_dahl_envelope(const double h[CAPM_DAHL_TERMS], double u)
{
  return h[0] + u * (h[1] + u * (h[2] + u * h[3]));
}

static inline double capm_dahl_envelope_slope(const double h[CAPM_DAHL_TERMS], double u)
{
  return h[1] + u * (2.0 * h[2] + u * (3.0 * h[3]));
}

/* integral of the envelope from 0 to u */
static inline double capm_dahl_envelope_integral(const double h[CAPM_DAHL_TERMS], double u)
{
  return u * (h[0] + u * (h[1] / 2.0 + u * (h[2] / 3.0 + u * (h[3] / 4.0))));
}

/* dF/du from the values of the envelopes, the velocity (its sign only) and the force.
 * For kernels over lanes. */
static inline double capm_dahl_slope(double hu, double hl, double v, double force, double lambda, double mu)
{
  const double up = hu - force, down = force - hl, q = v < 0.0 ? down : up;
  const double size = fabs(q), floor_ = 1e-9 * fabs(hu - hl) + 1e-12, held = size < floor_ ? floor_ : size;
  return lambda * capm_pow_short(held, mu - 1.0) * q;
}

typedef struct capm_dahl_tangent {
  double slope;          /* dF/du along the motion */
  double rate;           /* F' = slope * v */
  double rate_u, rate_v; /* derivatives of the rate, N/(m s) and N/m */
  double rate_force;     /* 1/s */
} capm_dahl_tangent;

/* The same with derivatives; hu_u and hl_u are the slopes of the envelopes. */
static inline capm_dahl_tangent capm_dahl_tangents(double hu, double hu_u, double hl, double hl_u, double v,
                                                   double force, double lambda, double mu)
{
  const double up = hu - force, down = force - hl, q = v < 0.0 ? down : up;
  const double side = v < 0.0 ? -1.0 : 1.0, h_u = v < 0.0 ? hl_u : hu_u;
  const double size = fabs(q), floor_ = 1e-9 * fabs(hu - hl) + 1e-12, held = size < floor_ ? floor_ : size;
  const double secant = lambda * capm_pow_short(held, mu - 1.0);
  const double slope_q = size < floor_ ? secant : mu * secant;
  return (capm_dahl_tangent){.slope = secant * q,
                             .rate = secant * q * v,
                             .rate_u = side * h_u * slope_q * v,
                             .rate_v = secant * q,
                             .rate_force = -side * slope_q * v};
}

static inline double capm_dahl_rate(const capm_dahl *p, double u, double v, double force)
{
  const double hu = capm_dahl_envelope(p->upper, u), hl = capm_dahl_envelope(p->lower, u);
  return v * capm_dahl_slope(hu, hl, v, force, p->lambda, p->mu);
}

static inline capm_dahl_tangent capm_dahl_rate_tangent(const capm_dahl *p, double u, double v, double force)
{
  return capm_dahl_tangents(capm_dahl_envelope(p->upper, u), capm_dahl_envelope_slope(p->upper, u),
                            capm_dahl_envelope(p->lower, u), capm_dahl_envelope_slope(p->lower, u), v, force,
                            p->lambda, p->mu);
}

/* Stored energy, a convention (docs/theory.md): the potential of the mean envelope from u = 0, and the
 * distance z = F - (h_u + h_l)/2 kept by a spring with the law's own stiffness at z = 0. Dissipation of any
 * motion is the work of F less the growth of this; over a closed loop it is the loop's area. */
double capm_dahl_energy(const capm_dahl *p, double u, double force);

/* Power dissipated, W: F v less the growth of the stored energy. Not negative when the envelopes are
 * parallel. */
double capm_dahl_dissipation(const capm_dahl *p, double u, double v, double force);

/* The distance from the envelope at which the force runs parallel to it, for a straight envelope of slope h_u
 * > 0: (h_u/Lambda)^(1/mu). Where the loop stays long enough, F = h -+ this. */
double capm_dahl_offset(const capm_dahl *p, double h_u);

/* *force after a slow monotone motion from u0 to u1, starting from *force; relative tolerance 1e-10 of the
 * distance of the envelopes. Never fails for finite input with lambda >= 0, mu > 0, else
 * CAP_RETRY_NONFINITE. */
cap_status capm_dahl_path(const capm_dahl *p, double u0, double u1, double *force);
