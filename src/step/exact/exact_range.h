/* step/exact/exact_range.h — extremes, mean and root mean square of linear outputs over a periodic orbit.
 *
 * Extremes are found piece by piece between bounds on the second derivative, so that none is passed over; a
 * fully stuck orbit with one harmonic has them in closed form.
 */
#pragma once
#include "step/exact/exact_orbit.h"

/* low and high [nfunctional]; mean and rms (of the value itself, not of its deviation) may be NULL. */
cap_status cap_exact_range(cap_exact *exact, const cap_exact_orbit *orbit, int nfunctional,
                           const cap_functional *functionals, double *low, double *high, double *mean,
                           double *rms, cap_error *error);
