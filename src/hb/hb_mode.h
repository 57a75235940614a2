/* hb/hb_mode.h — nonlinear modes as a problem of the continuation core (solve/continuation/continuation.h).
 *
 * Maths: docs/theory.md §16. A mode is a family of periodic motions of the system without harmonic loads. Its
 * dissipation is made up for by a negative damping -xi M on every coordinate (extended periodic motion), so
 * that one amplitude has one angular frequency w and one damping ratio D = xi / (2 w). Unknowns are the
 * coefficients
 * of the motion over its amplitude a (of the mean position: over a fixed length L, because it may stay away
 * from rest however small the motion is),
 *   y = (psi, z, w / w0, xi / w0),   x_0 = rest + L psi_0,   x_k = a psi_k,
 * with z the coefficients of Coulomb forces; the parameter is p = ln a. Two equations more than the balance:
 * the measured displacement u = sum weight_i q_i has amplitude one in psi, sum (a_h^2 + b_h^2) = 1 (a is
 * sqrt(2) times the root mean square of u about its mean), and the phase of its first harmonic is zero, or
 * with laws that have memory half a sample: their reversals then stay away from the samples.
 *
 * Cost:    that of cap_hb_residual; no allocation while following
 * Threads: one handle per thread
 */
#pragma once
#include "hb/hb.h"
#include "solve/continuation/continuation.h"

typedef struct cap_hb_mode {
  cap_hb *hb;               /* of free motions (cap_hb_create_free) */
  double angular_frequency; /* w0, rad/s: size of angular frequency and excitation */
  double stiffness;         /* N/m: size of the balance over the amplitude */
  double length;            /* L, m */
  double phase;             /* of the measured displacement's first harmonic, rad */
  double *weight;           /* [nouter] */
  double *rest;             /* [nouter] positions at rest */
  double *limit;            /* [ncoulomb] N */
  double *x_scale;          /* [nunknown + 2] */
  double *x, *r, *r_w, *r_xi, *J;
  cap_error error; /* of the last call that failed */
  cap_arena arena;
} cap_hb_mode;

/* What a mode looks like at rest: the linear mode that it starts as. */
typedef struct cap_hb_mode_linear {
  double angular_frequency, ratio; /* rad/s (0: no stiffness at rest), damping ratio */
  const double *shape;             /* [nouter] */
  const double *weight; /* [nouter] of the measured displacement; weight . shape must not be zero */
  const double *rest;   /* [nouter] */
} cap_hb_mode_linear;

/* hb must outlive it. Amplitudes will be from `least` to `most`. Without stiffness at rest, w0 comes from the
 * stiffness that the motion meets at the least (CAP_ERR_NUMERICS when it meets none). */
cap_status cap_hb_mode_open(cap_hb *hb, const cap_hb_mode_linear *linear, double least, double most,
                            cap_hb_mode *mode, cap_error *error);
void cap_hb_mode_close(cap_hb_mode *mode);

/* A first guess y[nunknown + 2] at an amplitude, with the angular frequency at rest or the one that the first
 * harmonic of the forces asks for (secant). */
cap_status cap_hb_mode_start(cap_hb_mode *mode, const cap_hb_mode_linear *linear, double amplitude,
                             bool secant, double *y, cap_error *error);

/* The table for cap_continuation_create, n = nunknown + 2, p = ln(amplitude). */
cap_continuation_problem cap_hb_mode_problem(cap_hb_mode *mode);

/* A point (y, p): coefficients x[nunknown], angular frequency and damping ratio; the balance is left in
 * that state,
 * so that cap_hb_output and cap_hb_stability can follow. */
void cap_hb_mode_read(cap_hb_mode *mode, const double *y, double p, double *x, double *angular_frequency,
                      double *ratio);
