/* hb/hb_curve.h — harmonic balance as a problem of the continuation core (solve/continuation.h).
 *
 * The parameter is the pulsation of the forcing at a fixed load, or the factor of the load's harmonic part at
 * a fixed pulsation. With a stability the test functions are
 *   0: product of (1 + multiplier), zero at period doublings,
 *   1: product over pairs of (1 - multiplier_i multiplier_j), zero at Neimark-Sacker points (and where two
 *      real multipliers are reciprocal, which the multipliers tell apart).
 */
#pragma once
#include "hb/hb.h"
#include "hb/hb_stability.h"
#include "solve/continuation.h"

typedef enum cap_hb_curve_parameter { CAP_HB_CURVE_PULSATION, CAP_HB_CURVE_LOAD } cap_hb_curve_parameter;

typedef struct cap_hb_curve {
  cap_hb *hb;
  cap_hb_stability *stability; /* or NULL: no test functions */
  cap_hb_curve_parameter parameter;
  double pulsation; /* fixed, when the load is the parameter */
  double *x_scale;  /* [nunknown] */
  cap_error error;  /* of the last call that failed */
  cap_arena arena;
} cap_hb_curve;

/* Sizes of the unknowns: `amplitude` of each coordinate (m or rad; one for all), the limit of Coulomb forces.
 */
cap_status cap_hb_curve_open(cap_hb *hb, cap_hb_stability *stability, double amplitude, cap_hb_curve *curve);
void cap_hb_curve_close(cap_hb_curve *curve);

/* The table for cap_continuation_create; p_scale: size of the parameter. */
cap_continuation_problem cap_hb_curve_problem(cap_hb_curve *curve, double p_scale);
