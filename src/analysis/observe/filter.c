/* analysis/observe/filter.c — see filter.h. */
#include "analysis/observe/filter.h"
#include "linalg/spline.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

typedef struct section {
  double b0, b1, b2, a1, a2;
} section;

/* One second-order section of a low-pass by the bilinear transform; `warped` = tan(pi cutoff dt). */
static section low_pass_section(double warped, double damping)
{
  const double k2 = warped * warped, norm = 1.0 / (1.0 + damping * warped + k2);
  return (section){.b0 = k2 * norm,
                   .b1 = 2.0 * k2 * norm,
                   .b2 = k2 * norm,
                   .a1 = 2.0 * (k2 - 1.0) * norm,
                   .a2 = (1.0 - damping * warped + k2) * norm};
}

/* In place, transposed direct form II, starting in the steady state of the constant x[0]; step -1 runs
 * backward. */
static void run_section(const section *s, int n, double *x, int step)
{
  double *at = step > 0 ? x : x + n - 1;
  double z1 = (1.0 - s->b0) * *at, z2 = (s->b2 - s->a2) * *at;
  for (int i = 0; i < n; i++, at += step) {
    const double in = *at, out = s->b0 * in + z1;
    z1 = s->b1 * in - s->a1 * out + z2;
    z2 = s->b2 * in - s->a2 * out;
    *at = out;
  }
}

cap_status capm_filter_lowpass(int n, double dt, double cutoff, const double *x, double *y)
{
  if (n < 2 || !(dt > 0.0) || !(cutoff > 0.0) || !(cutoff * dt < 0.5)) return CAP_ERR_INPUT;
  /* two passes square the gain: each has 1/sqrt2 in power at a slightly higher frequency,
   * (sqrt2 - 1)^(1/8) */
  const double each = pow(sqrt(2.0) - 1.0, -0.125), warped = tan(PI * cutoff * dt) * each;
  const section sections[2] = {low_pass_section(warped, 2.0 * sin(PI / 8.0)),
                               low_pass_section(warped, 2.0 * sin(3.0 * PI / 8.0))};
  int pad = (int)fmin(3.0 / (cutoff * dt) + 12.0, 1e8);
  if (pad > n - 1) pad = n - 1;
  const int total = n + 2 * pad;
  double *work = malloc((size_t)total * sizeof *work);
  if (!work) return CAP_ERR_NOMEM;
  for (int i = 0; i < pad; i++) work[i] = 2.0 * x[0] - x[pad - i];
  for (int i = 0; i < n; i++) work[pad + i] = x[i];
  for (int i = 0; i < pad; i++) work[pad + n + i] = 2.0 * x[n - 1] - x[n - 2 - i];
  for (int step = 1; step >= -1; step -= 2)
    for (int s = 0; s < 2; s++) run_section(&sections[s], total, work, step);
  for (int i = 0; i < n; i++) y[i] = work[pad + i];
  free(work);
  return CAP_OK;
}

cap_status capm_filter_resample(int n, const double *t, const double *x, int m, double *y)
{
  if (m < 2 || n < 2) return CAP_ERR_INPUT;
  double *slopes = malloc((size_t)n * sizeof *slopes);
  if (!slopes) return CAP_ERR_NOMEM;
  const cap_status status = capm_spline_slopes(n, t, x, slopes);
  int low = 0; /* the places ascend: the interval is found from the one before, not by a search */
  for (int i = 0; i < m && status == CAP_OK; i++) {
    const double at = t[0] + (t[n - 1] - t[0]) * i / (m - 1);
    while (low + 2 < n && t[low + 1] <= at) low++;
    y[i] = capm_spline_at(2, t + low, x + low, slopes + low, at, NULL, NULL);
  }
  free(slopes);
  return status;
}

bool capm_filter_is_uniform(int n, const double *t, double tolerance, double *dt)
{
  *dt = n > 1 ? (t[n - 1] - t[0]) / (n - 1) : 0.0;
  for (int i = 1; i < n; i++)
    if (!(fabs(t[i] - t[i - 1] - *dt) <= tolerance * *dt)) return false;
  return n > 1;
}
