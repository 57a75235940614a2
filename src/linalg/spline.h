/* linalg/spline.h — cubic splines through samples: value, slope and curvature at any point.
 *
 * Threads: pure functions; memory is allocated and released inside.
 */
#pragma once
#include "base/status.h"

/* Cubic spline through (t, x), t strictly increasing, n >= 2; end slopes from the cubic through the four
 * outermost points, so cubics are reproduced. `slopes`[n] receives dx/dt at the knots. CAP_ERR_INPUT when t
 * does not increase or a value is not finite. */
cap_status capm_spline_slopes(int n, const double *t, const double *x, double *slopes);

/* Value of that spline at `at`; held inside [t[0], t[n-1]]. *slope and *curvature (first and second
 * derivative) may be NULL. O(log n). */
double capm_spline_at(int n, const double *t, const double *x, const double *slopes, double at, double *slope,
                      double *curvature);
