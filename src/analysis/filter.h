/* analysis/filter.h — measured signals made usable: zero-phase low-pass, cubic splines, resampling.
 *
 * A measured deflection goes through three steps: capm_filter_spline onto equal steps when its sampling is
 * uneven, capm_filter_lowpass to take the noise off without shifting it in time, and capm_filter_spline again
 * for the value and the velocity at any instant.
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

/* Cubic spline through (t, x), t strictly increasing, n >= 2; end slopes from the cubic through the four
 * outermost points, so cubics are reproduced. `slopes`[n] receives dx/dt at the knots. CAP_ERR_INPUT when t
 * does not increase or a value is not finite. */
cap_status capm_filter_spline(int n, const double *t, const double *x, double *slopes);

/* Value of that spline at `at`; held inside [t[0], t[n-1]]. *slope may be NULL. O(log n). */
double capm_filter_spline_at(int n, const double *t, const double *x, const double *slopes, double at,
                             double *slope);

/* y[m] on m equal steps from t[0] to t[n-1]. */
cap_status capm_filter_resample(int n, const double *t, const double *x, int m, double *y);

/* Whether the samples are equally spaced within `tolerance` of the mean step; *dt is the mean step. */
bool capm_filter_is_uniform(int n, const double *t, double tolerance, double *dt);
