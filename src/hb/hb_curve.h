/* hb/hb_curve.h — harmonic balance as a problem of the continuation core (solve/continuation/continuation.h).
 *
 * Maths: docs/theory.md §13. The parameter p is
 *   the angular frequency of the forcing, when nothing but loads depends on it (exact derivative),
 *   the factor of the load's harmonic part at a fixed angular frequency (exact derivative),
 *   or anything that a model can be built for: the balance takes the values of the model at p and its
 *   angular frequency from that model's period; dF/dp is the central difference of two more models. Outside
 * the
 *   range where models exist the balance is continued linearly, so that a curve can step over its limit.
 * With a stability the test functions are
 *   0: product of (1 + multiplier), zero at period doublings,
 *   1: product over pairs of (1 - multiplier_i multiplier_j), zero at Neimark-Sacker points (and where two
 *      real multipliers are reciprocal, which the multipliers tell apart),
 *   2, 3: 1 + largest modulus and 1 + number of multipliers outside the unit circle; they never change sign
 *      and bring these numbers to the sink without a second computation.
 * All are NaN where the multipliers cannot be computed.
 */
#pragma once
#include "hb/hb.h"
#include "hb/hb_stability.h"
#include "solve/continuation/continuation.h"

enum { CAP_HB_CURVE_TESTS = 4 };

typedef enum cap_hb_curve_parameter {
  CAP_HB_CURVE_ANGULAR_FREQUENCY,
  CAP_HB_CURVE_LOAD,
  CAP_HB_CURVE_MODEL
} cap_hb_curve_parameter;

/* How to make a model of one lane at p; the curve frees it. */
typedef struct cap_hb_curve_source {
  cap_status (*build)(void *self, double p, cap_model **m, cap_error *error);
  void *self;
  double low, high; /* where models exist */
} cap_hb_curve_source;

typedef struct cap_hb_curve {
  cap_hb *hb;
  cap_hb_stability *stability; /* or NULL: no test functions */
  cap_hb_curve_parameter parameter;
  double angular_frequency; /* fixed, when the load is the parameter */
  double *x_scale;          /* [nunknown] */
  /* MODEL */
  cap_hb_curve_source source;
  cap_model *model; /* at p; the balance's own while the curve is open */
  double p;
  cap_hb *probe;               /* balance of the models beside p */
  cap_model *probe_model;      /* the last of them */
  double *slope, *beside;      /* [nunknown] dF/dp, and a residual beside p */
  bool (*stopped)(void *self); /* asked at every Jacobian; may be NULL */
  void *stopped_self;
  cap_error error; /* of the last call that failed */
  cap_arena arena;
} cap_hb_curve;

/* Sizes of the unknowns: `amplitude` of each coordinate (m or rad; one for all),
 * the limit of Coulomb forces. */
cap_status cap_hb_curve_open(cap_hb *hb, cap_hb_stability *stability, double amplitude, cap_hb_curve *curve);
/* Let p be what `source` builds models for. */
cap_status cap_hb_curve_by_model(cap_hb_curve *curve, const cap_hb_curve_source *source, cap_error *error);
/* With a source the balance must not be used any more after this, except to be freed. */
void cap_hb_curve_close(cap_hb_curve *curve);

/* Bring the balance to p; *angular frequency is that of the forcing there. */
cap_status cap_hb_curve_place(cap_hb_curve *curve, double p, double *angular_frequency);

/* The table for cap_continuation_create; p_scale: size of the parameter. */
cap_continuation_problem cap_hb_curve_problem(cap_hb_curve *curve, double p_scale);
