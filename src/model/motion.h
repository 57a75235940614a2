/* model/motion.h — imposed motion of a driven coordinate.
 *
 * Harmonic, q = mean + amplitude sin(angular frequency t + phase) (eq. 27 of Bastien et al.), or a cubic
 * spline
 * through samples (measured motion, linalg/spline.h), at rest before the first and after the last sample; at
 * these two samples themselves the velocity is that of the spline, so that a run over just the samples starts
 * and ends with the motion's own velocity. Or a shaft: its mean speed over time (linear between the points,
 * constant beyond them) gives the angle psi, upon which it swings by orders,
 *   q = psi + sum size_k sin(order_k psi + shift_k),
 * without psi before the sum when only its swing is meant. Or an input u (model/input.h): the position,
 * base + factor u, of which `mean` is that at the start; or the mean speed of a shaft, whose angle psi is
 * base and the travel of the input.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include "model/input.h"
#include <stdbool.h>

typedef struct cap_motion {
  double mean, amplitude, angular_frequency, phase;
  int nsample;                        /* 0 = harmonic */
  const double *x, *y;                /* [nsample] s, position */
  const double *slopes;               /* [nsample] velocity at the samples */
  int nspeed, norder;                 /* of a shaft; nspeed = 0: it is none */
  bool swing;                         /* the orders of the shaft alone */
  const double *time, *speed, *angle; /* [nspeed] s, mean speed, psi there */
  const double *order, *size, *shift; /* [norder] */
  int input;                          /* 1 + the slot of an input; 0 = none */
  double base, factor;                /* of an input */
} cap_motion;

/* Position, velocity and acceleration at t; inputs as in the data, read where the motion has one. */
void cap_motion_at(const cap_motion *motion, const double *inputs, double t, double *q, double *v, double *a);

/* Motion through n samples (x strictly increasing, all finite: else CAP_ERR_INPUT), memory from the arena. */
cap_status cap_motion_sampled(cap_arena *arena, int n, const double *x, const double *y, cap_motion *motion);

/* A shaft that turns with the mean speeds (time strictly increasing), angle 0 at the first; memory from the
 * arena. */
cap_status cap_motion_shaft(cap_arena *arena, int nspeed, const double *time, const double *speed, int norder,
                            const double *order, const double *size, const double *shift, cap_motion *motion);
/* Its angle psi, speed and acceleration without the orders. */
void cap_motion_mean(const cap_motion *motion, const double *inputs, double t, double *q, double *v,
                     double *a);
