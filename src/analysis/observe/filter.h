/* analysis/observe/filter.h — measured signals made usable: zero-phase low-pass and resampling.
 *
 * A measured deflection goes through three steps: capm_filter_resample onto equal steps, capm_filter_lowpass
 * to take the noise off without shifting it in time, and a spline (linalg/spline.h) for the value and the
 * velocity at any instant.
 *
 * Threads: pure functions; memory is allocated and released inside.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>

/* y := x filtered forward and backward by a Butterworth low-pass of fourth order each way: no phase shift,
 * gain 1/sqrt2 at `cutoff` (Hz) for both passes together. Samples are dt (s) apart. The ends are continued by
 * point reflection, so a straight line comes out as it went in. y may be x. CAP_ERR_INPUT unless 0 < cutoff <
 * 0.5/dt and n >= 2. */
cap_status capm_filter_lowpass(int n, double dt, double cutoff, const double *x, double *y);

/* y[m] on m equal steps from t[0] to t[n-1], from the spline through (t, x). */
cap_status capm_filter_resample(int n, const double *t, const double *x, int m, double *y);

/* Whether the samples are equally spaced within `tolerance` of the mean step; *dt is the mean step. */
bool capm_filter_is_uniform(int n, const double *t, double tolerance, double *dt);
