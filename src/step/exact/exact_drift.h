/* step/exact/exact_drift.h — modes of regimes whose stiffness is singular: rigid motion (inside of
 * exact_piece.c).
 *
 * A system that can move without a spring force has the eigenvalue zero: once per rigid direction when
 * dampers resist it, twice and defective when nothing does. The eigenvectors found numerically are useless
 * there, but the true ones are known: (r, 0) with K r = 0, and behind it (a, r) with K a = -C r where that
 * has a solution, since the first-order matrix takes (a, r) to (r, 0). They replace the computed ones; along
 * them the motion is a parabola in time, along all others it is what it always is.
 */
#pragma once
#include "step/exact/exact_regime.h"

/* Replace the columns of r->shape that belong to zero eigenvalues; wr and wi are set to zero there. Leaves
 * r->ndrift = 0 when the number of such columns does not come out. CAP_ERR_NOMEM. */
cap_status cap_exact_drift_modes(cap_exact *e, cap_exact_regime *r, double *wr, double *wi);

/* Motion under a constant force[nv] from x[2 nv] without the harmonic response:
 * x(tau) = mean + linear tau + quadratic tau^2 + modes, with the modal coordinates `modal` at tau = 0. */
void cap_exact_drift_split(const cap_exact *e, const cap_exact_regime *r, const double *x,
                           const double *force, double *mean, double *linear, double *quadratic,
                           double *modal);
