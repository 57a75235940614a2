/* model/motion.h — imposed motion of a driven coordinate.
 *
 * Harmonic, q = mean + amplitude sin(pulsation t + phase) (eq. 27 of Bastien et al.), or a cubic spline
 * through samples (measured motion), constant before the first and after the last sample.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"

typedef struct cap_motion {
  double mean, amplitude, pulsation, phase;
  int nsample;             /* 0 = harmonic */
  const double *x, *y;     /* [nsample] s, position */
  const double *curvature; /* [nsample] second derivative at the samples */
} cap_motion;

/* Position, velocity and acceleration at t. */
void cap_motion_at(const cap_motion *motion, double t, double *q, double *v, double *a);

/* Natural cubic spline through n samples (x strictly increasing), memory from the arena. */
cap_status cap_motion_spline(cap_arena *arena, int n, const double *x, const double *y, cap_motion *motion);
