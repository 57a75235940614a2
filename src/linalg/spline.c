/* linalg/spline.c — see spline.h. */
#include "linalg/spline.h"

#include <math.h>
#include <stdlib.h>

/* Slope at t[at] of the polynomial through the m points first .. first + m - 1 (Lagrange). */
static double polynomial_slope(const double *t, const double *x, int first, int m, int at)
{
  double slope = 0.0;
  for (int j = first; j < first + m; j++) {
    double weight = 0.0; /* derivative of the j-th basis polynomial at t[at] */
    for (int i = first; i < first + m; i++) {
      if (i == j) continue;
      double product = 1.0 / (t[j] - t[i]);
      for (int k = first; k < first + m; k++)
        if (k != i && k != j) product *= (t[at] - t[k]) / (t[j] - t[k]);
      weight += product;
    }
    slope += weight * x[j];
  }
  return slope;
}

cap_status capm_spline_slopes(int n, const double *t, const double *x, double *slopes)
{
  if (n < 2) return CAP_ERR_INPUT;
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]) || !isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1]))) return CAP_ERR_INPUT;
  const int m = n < 4 ? n : 4;
  slopes[0] = polynomial_slope(t, x, 0, m, 0);
  slopes[n - 1] = polynomial_slope(t, x, n - m, m, n - 1);
  if (n == 2) return CAP_OK;
  double *upper = malloc((size_t)n * sizeof *upper); /* tridiagonal elimination, diagonally dominant */
  if (!upper) return CAP_ERR_NOMEM;
  upper[0] = 0.0;
  for (int i = 1; i < n - 1; i++) {
    const double left = t[i] - t[i - 1], right = t[i + 1] - t[i];
    const double rhs = 3.0 * (right * (x[i] - x[i - 1]) / left + left * (x[i + 1] - x[i]) / right);
    const double pivot = 2.0 * (left + right) - right * upper[i - 1];
    upper[i] = left / pivot;
    slopes[i] = (rhs - right * slopes[i - 1]) / pivot;
  }
  for (int i = n - 2; i > 0; i--) slopes[i] -= upper[i] * slopes[i + 1];
  free(upper);
  return CAP_OK;
}

double capm_spline_at(int n, const double *t, const double *x, const double *slopes, double at, double *slope,
                      double *curvature)
{
  int low = 0, high = n - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (t[middle] <= at) low = middle;
    else high = middle;
  }
  const double h = t[high] - t[low], s = fmin(fmax((at - t[low]) / h, 0.0), 1.0), rise = x[high] - x[low];
  const double a = h * slopes[low] - rise, b = rise - h * slopes[high];
  if (slope) *slope = (rise + (1.0 - 2.0 * s) * (a * (1.0 - s) + b * s) + s * (1.0 - s) * (b - a)) / h;
  if (curvature) *curvature = 2.0 * ((3.0 * s - 2.0) * a + (1.0 - 3.0 * s) * b) / (h * h);
  return x[low] + s * rise + s * (1.0 - s) * (a * (1.0 - s) + b * s);
}
