/* hb/hb.h — harmonic balance of any model: F(x, w) = 0 with its Jacobian.
 *
 * Maths: docs/theory.md §13. Unknowns x are the Fourier coefficients (a0, a1, b1, ..., aH, bH) of every free
 * coordinate that a nonlinear element touches, then those of the force of every Coulomb slider. The residual
 * is the balance of forces per harmonic (N), for Coulomb sliders force minus projected force. Linear elements
 * and loads are exact in the frequency domain, linear coordinates are condensed (hb_linear.h), nonlinear
 * forces are sampled (hb_law.h). It knows no drive and no continuation: any method that wants a function
 * with a Jacobian can take it.
 *
 * Of a running belt (hb_tangent.h) the means are counted from the steady running: that moves with the speed,
 * with a corner where a load has one, and a curve over the speed shall not.
 *
 * The angular frequency is that of the forcing, 2 pi / m->period; loads and imposed motions follow it as the
 * multiples that they are in the model. With sub = p the base angular frequency is w / p (orbits of p
 * periods).
 *
 * Cost:    per evaluation O(H N) per nonlinear element plus (2H + 1)^2; no allocation
 * Threads: one cap_hb per thread
 */
#pragma once
#include "hb/fourier.h"
#include "hb/hb_law.h"
#include "hb/hb_linear.h"

enum { CAP_HB_HARMONICS_MOST = 1000, CAP_HB_SAMPLES_MOST = 65536 };

typedef struct cap_hb_settings {
  int harmonics; /* of the base angular frequency, >= 1 */
  int samples;   /* per base period; 0 = chosen from the harmonics; rounded up to a multiple of 64 */
  int sub;       /* 0 or 1: the period of the forcing */
} cap_hb_settings;

typedef struct cap_hb {
  const cap_model *m;
  int lane, sub;
  int nharmonic, nsample, ncoef; /* ncoef = 2H + 1 */
  int nouter, ncoulomb;          /* nonlinear coordinates; Coulomb sliders */
  int nunknown;                  /* (nouter + ncoulomb) ncoef */
  double angular_frequency;      /* of the forcing in the model, rad/s */
  int *outer_dof;                /* [nouter] coordinate of the model */
  capm_fourier fourier;
  cap_hb_linear *linear;
  int nlaw;
  cap_hb_law *laws;
  double *shifted; /* [nunknown] x with absolute means; NULL where x has them itself */
  double *steady;  /* [nouter] what the means are counted from then */
  double *deflection, *force, *tangent, *to_w, *to_z; /* of one law, in turn */
  cap_arena arena;
} cap_hb;

/* m must outlive it. Refused with the reason: no period, sampled motion, loads above the last harmonic, laws
 * with several inner states. */
cap_status cap_hb_create(const cap_model *m, int lane, const cap_hb_settings *settings, cap_hb **hb,
                         cap_error *error);
/* For free motions (hb_mode.h): constant loads only, `angular_frequency` is that of the motion; the
 * coordinates
 * keep[nkeep] stay unknowns. settings->sub is not used. */
cap_status cap_hb_create_free(const cap_model *m, int lane, const cap_hb_settings *settings, int nkeep,
                              const int *keep, cap_hb **hb, cap_error *error);
void cap_hb_free(cap_hb *hb); /* accepts NULL */

/* Take the parameters of another model of the same structure (any parameter as continuation parameter). */
cap_status cap_hb_update(cap_hb *hb, const cap_model *m, int lane, cap_error *error);

/* Residual r[n] at x[n]; J[n][n] = dr/dx and dr_dangular_frequency[n] when not NULL, n = nunknown.
 * CAP_RETRY_... when
 * a value is not finite. */
cap_status cap_hb_residual(cap_hb *hb, const double *x, double angular_frequency, double *r, double *J,
                           double *dr_dangular_frequency, cap_error *error);

/* Free motions: excitation as in hb_linear.h, and the residual's derivative to it at the x and angular
 * frequency of
 * the last residual. */
void cap_hb_excite(cap_hb *hb, double excitation);
void cap_hb_excitation_slope(const cap_hb *hb, const double *x, double *dr);

/* Bring the samples of all laws (u, v, f and slopes) to x; with `pieces` the crossings of piecewise-linear
 * laws in place of their samples. */
cap_status cap_hb_sample(cap_hb *hb, const double *x, double angular_frequency, bool pieces,
                         cap_error *error);

/* Factor of the harmonic part of all loads and imposed motions (1 at first), and the residual's derivative to
 * it (exact; without imposed motion of coordinates that nonlinear elements touch). */
void cap_hb_scale_load(cap_hb *hb, double factor);
cap_status cap_hb_load_slope(cap_hb *hb, double angular_frequency, double *dr, cap_error *error);

/* x at rest in the model's initial positions. */
void cap_hb_start(const cap_hb *hb, double *x);
/* x from samples q[dof][nsample] of all coordinates over one base period, equidistant from its start, as
 * another method has found them. */
cap_status cap_hb_fit(const cap_hb *hb, int nsample, const double *q, double *x);
/* The same unknowns with another number of harmonics. */
void cap_hb_transfer(const cap_hb *from, const double *x, const cap_hb *to, double *y);

/* Coefficients c[nv][ncoef] of every coordinate of the model (driven ones too) at a solution; drift[nv], mean
 * velocities of those that turn freely, and states[nx][ncoef], inner states that are taken by their tangent
 * (the others are left alone), when not NULL. */
cap_status cap_hb_coordinates(cap_hb *hb, const double *x, double angular_frequency, double *c, double *drift,
                              double *states, cap_error *error);
