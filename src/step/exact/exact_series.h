/* step/exact/exact_series.h — pieces as Taylor series, for regimes without usable modes (inside of
 * exact_piece.c).
 *
 * Defective systems (a free mass, critical damping) and undamped ones forced at resonance have no well
 * conditioned modal form, but their motion is entire: a series of fixed order over a fraction of the shortest
 * time constant is exact to rounding, and so are its derivatives and bounds.
 */
#pragma once
#include "step/exact/exact_regime.h"

/* Fill series_q and the slider curves of e->piece (whose anchors and phases are set); shortens its length. */
void cap_exact_series_begin(cap_exact *e, const double *y);
void cap_exact_series_state(const cap_exact *e, double tau, double *y);
/* Rows of q and v of the tangent; rows of w hold the constant part of each slider. */
void cap_exact_series_tangent(cap_exact *e, double tau, double *tangent);
/* Taylor coefficients of a functional without its sliders. */
void cap_exact_series_functional(const cap_exact *e, const cap_functional *functional,
                                 cap_exact_curve *curve);
double cap_exact_series_value(const cap_exact_curve *curve, double tau, int order);
double cap_exact_series_bound(const cap_exact_curve *curve, double length, int order);
