/* analysis/orbit/orbit_curve.h — steady orbits as a problem of the continuation core
 * (solve/continuation/continuation.h), by shooting.
 *
 * Maths: docs/theory.md §15. F(y, p) = P(y; p) - y, P the flow of a time stepper over `sub` periods of the
 * forcing of the model at p; dF/dy = P' - 1 by the stepper's own tangent, dF/dp by differences of models. The
 * parameter is any key of the model file. Unlike the harmonic balance it has no truncation; the price is one
 * integration of the period for each evaluation, and orbits whose largest multiplier is far beyond a
 * thousand are lost to rounding.
 *
 * Test functions as of hb/hb_curve.h (0 period doubling, 1 Neimark-Sacker, 2 and 3 what the sink wants to
 * know).
 */
#pragma once
#include "analysis/model_path.h"
#include "step/stepper.h"

typedef struct cap_orbit_curve_settings {
  int sub;          /* periods of the forcing; 0 = 1 */
  double tolerance; /* of the stepper; 0 = 1e-10 */
} cap_orbit_curve_settings;

typedef struct cap_orbit_curve {
  cap_model_path path;
  const cap_stepper_type *type;
  cap_orbit_curve_settings settings;
  int n;             /* states */
  cap_data *d;       /* of the flow */
  double *x_scale;   /* [n] */
  double *monodromy; /* [n][n] of the last tangent */
  double *re, *im;   /* [n] its multipliers after a test */
  double *slope, *beside, *eigen_work;
  const double *y; /* where values beside p are asked for */
  cap_error error; /* of the last call that failed */
  cap_arena arena;
} cap_orbit_curve;

/* The stepper that suits orbits of the model to many digits, with tangent: exact between stick and slip, else
 * the extrapolated midpoint rule. NULL with the reason when there is none. */
const cap_stepper_type *cap_orbit_curve_stepper(const cap_model *m, const char **reason);

/* m: a model of the source. Sizes of the unknowns, x_scale, are the caller's to set (ones at first). */
cap_status cap_orbit_curve_open(const cap_model *m, const cap_hb_curve_source *source,
                                const cap_orbit_curve_settings *settings, cap_orbit_curve *curve,
                                cap_error *error);
void cap_orbit_curve_close(cap_orbit_curve *curve);

/* Sizes of the unknowns from an orbit: the extent of each kind of state. */
cap_status cap_orbit_curve_scale(cap_orbit_curve *curve, const double *y, double p);

/* The orbit from y at p, seen at `count` equidistant instants, the first at its start: see(self, m, d, k). */
cap_status cap_orbit_curve_walk(cap_orbit_curve *curve, const double *y, double p, int count,
                                void (*see)(void *self, const cap_model *m, const cap_data *d, int k),
                                void *self);

/* The table for cap_continuation_create. */
cap_continuation_problem cap_orbit_curve_problem(cap_orbit_curve *curve, double p_scale);
