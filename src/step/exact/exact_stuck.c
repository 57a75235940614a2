/* step/exact/exact_stuck.c — see exact_stuck.h. */
#include "step/exact/exact_stuck.h"

#include "base/whole.h"
#include "linalg/lsq.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OSCILLATIONS_MOST = 1 << 16 }; /* of the fastest harmonic, looked at in a period */

int cap_exact_stuck_first_slider(const cap_exact *e)
{
  return e->nx;
}

cap_status cap_exact_stuck_check_period(const cap_exact *e, double period, cap_error *error)
{
  if (!(period > 0.0) || !isfinite(period))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a period above 0 s, got %g s", period);
  for (int h = 0; h < e->nharmonic; h++) {
    double turns = e->linear.angular_frequency[h] * period / (2 * M_PI);
    if (!(fabs(turns - round(turns)) <= 1e-9 * turns))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "expected a forcing with the period %.9g s, got one of %.9g rad/s", period,
                             e->linear.angular_frequency[h]);
  }
  return CAP_OK;
}

static double harmonic_sum(const cap_exact *e, const double *c, const double *s, double t, int order)
{
  double sum = 0.0;
  for (int h = 0; h < e->nharmonic; h++) {
    double w = e->linear.angular_frequency[h], cosine = cos(w * t), sine = sin(w * t);
    if (order == 0) sum += c[h] * cosine + s[h] * sine;
    if (order == 1) sum += w * (s[h] * cosine - c[h] * sine);
    if (order == 2) sum -= w * w * (c[h] * cosine + s[h] * sine);
  }
  return sum;
}

/* Largest and smallest value of sum_h c cos + s sin over a period. */
static void harmonic_range(const cap_exact *e, double period, const double *c, const double *s, double *low,
                           double *high)
{
  *low = *high = 0.0;
  if (e->nharmonic == 1) {
    *high = hypot(c[0], s[0]);
    *low = -*high;
    return;
  }
  double fastest = 0.0;
  for (int h = 0; h < e->nharmonic; h++) fastest = fmax(fastest, e->linear.angular_frequency[h]);
  /* so many that Newton's iteration finds every extreme; above the limit, at least some of each height */
  int nsample = 32 * capm_whole_between(ceil(fastest * period / (2 * M_PI) + 0.5), 1, OSCILLATIONS_MOST);
  for (int i = 0; i < nsample; i++) {
    double spacing = period / nsample, t = i * spacing, start = t;
    for (int newton = 0; newton < 8; newton++) {
      double curvature = harmonic_sum(e, c, s, t, 2);
      if (curvature == 0.0) break;
      t -= harmonic_sum(e, c, s, t, 1) / curvature;
      if (fabs(t - start) > spacing) break; /* belongs to another sample */
    }
    if (!(fabs(t - start) <= spacing)) t = start;
    double value = harmonic_sum(e, c, s, t, 0);
    *low = fmin(*low, value);
    *high = fmax(*high, value);
  }
}

/* Mean positions q for given mean w: K q = f0 - sum b k w. Where K alone cannot hold the system, the sliders
 * must help: q and w change by the least amount that gives balance. */
static cap_status mean_state(cap_exact *e, double *q, double *w)
{
  int nv = e->nv, ns = e->nslider, n = nv + ns;
  cap_exact_regime *free_regime;
  CAP_TRY(cap_exact_regime_get(e, 0, &free_regime));
  cap_exact_regime_static(e, free_regime);
  for (int i = 0; free_regime->regular && i < nv; i++) {
    q[i] = free_regime->rest[i];
    for (int s = 0; s < ns; s++) q[i] -= free_regime->anchor[s * nv + i] * w[s];
  }
  if (free_regime->regular) return CAP_OK;
  double *balance = malloc((size_t)(nv * n + nv + n) * sizeof(double));
  if (!balance) return CAP_ERR_NOMEM;
  double *miss = balance + nv * n, *change = miss + nv;
  for (int i = 0; i < nv; i++) {
    double *row = balance + i * n;
    memcpy(row, e->linear.stiffness + i * nv, (size_t)nv * sizeof(double));
    for (int s = 0; s < ns; s++) row[nv + s] = e->linear.b[s * nv + i] * e->linear.k[s];
    miss[i] = e->linear.f0[i];
    for (int j = 0; j < nv; j++) miss[i] -= row[j] * q[j];
    for (int s = 0; s < ns; s++) miss[i] -= row[nv + s] * w[s];
  }
  cap_status status = capm_lsq_least_norm(nv, n, balance, miss, 1e-12, 1, change, NULL);
  for (int i = 0; status == CAP_OK && i < nv; i++) q[i] += change[i];
  for (int s = 0; status == CAP_OK && s < ns; s++) w[s] += change[nv + s];
  free(balance);
  return status;
}

static double clamp(double x, double low, double high)
{
  return fmin(fmax(x, low), high);
}

/* Mean w of each slider from the guess, moved to where the oscillation fits; false when it fits nowhere. */
static bool mean_sliders(const cap_exact *e, const cap_exact_regime *stuck, double period,
                         const double *guess, double *w)
{
  bool fits = stuck->responsive;
  for (int s = 0; s < e->nslider; s++) {
    const double *c = stuck->slide_c + s * e->nharmonic, *d = stuck->slide_s + s * e->nharmonic;
    double low = 0.0, high = 0.0, reach = e->reach[s];
    w[s] = guess ? guess[e->nx + s] : 0.0;
    if (e->loose >> s & 1) w[s] = 0.0;
    if (!stuck->responsive || e->loose >> s & 1) continue;
    harmonic_range(e, period, c, d, &low, &high);
    if (guess) w[s] -= harmonic_sum(e, c, d, 0.0, 0);
    fits = fits && high - low <= 2 * reach;
    w[s] = high - low <= 2 * reach ? clamp(w[s], -reach - low, reach - high) : clamp(w[s], -reach, reach);
  }
  return fits;
}

/* The means put by mean_state may have left the admissible range (only where K is singular). */
static bool means_fit(const cap_exact *e, const cap_exact_regime *stuck, double period, const double *w)
{
  for (int s = 0; s < e->nslider; s++) {
    double low, high, slack = 1e-12 * e->reach[s];
    if (e->loose >> s & 1) continue;
    harmonic_range(e, period, stuck->slide_c + s * e->nharmonic, stuck->slide_s + s * e->nharmonic, &low,
                   &high);
    if (w[s] + high > e->reach[s] + slack || w[s] + low < -e->reach[s] - slack) return false;
  }
  return true;
}

cap_status cap_exact_stuck_orbit(cap_exact *e, double period, const double *guess, double *y, bool *fits,
                                 cap_error *error)
{
  int nv = e->nv, nx = e->nx;
  cap_exact_regime *stuck;
  CAP_TRY(cap_exact_regime_get(e, cap_exact_regime_all_stuck(e), &stuck));
  cap_exact_regime_forced(e, stuck);
  double *w = y + nx;
  *fits = mean_sliders(e, stuck, period, guess, w);
  for (int i = 0; i < nv; i++) y[i] = guess ? guess[i] : 0.0;
  cap_status status = mean_state(e, y, w);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "no mean position of the friction elements is in equilibrium");
  *fits = *fits && means_fit(e, stuck, period, w);
  for (int i = 0; i < nv; i++) y[nv + i] = 0.0;
  for (int h = 0; stuck->responsive && h < e->nharmonic; h++)
    for (int i = 0; i < nv; i++) {
      y[i] += stuck->hc[h * nv + i];
      y[nv + i] += e->linear.angular_frequency[h] * stuck->hs[h * nv + i];
    }
  for (int s = 0; s < e->nslider; s++) {
    if (e->loose >> s & 1) continue;
    for (int h = 0; stuck->responsive && h < e->nharmonic; h++) w[s] += stuck->slide_c[s * e->nharmonic + h];
    w[s] = clamp(w[s], -e->reach[s], e->reach[s]);
  }
  return CAP_OK;
}

void cap_exact_stuck_scales(cap_exact *e, const double *y, double *scale)
{
  int nv = e->nv, nx = e->nx, nh = e->nharmonic;
  cap_exact_regime *stuck;
  bool response = cap_exact_regime_get(e, cap_exact_regime_all_stuck(e), &stuck) == CAP_OK &&
                  stuck->has_forced && stuck->responsive;
  for (int i = 0; i < e->n; i++) scale[i] = 1e-4 * fabs(y[i]);
  for (int h = 0; response && h < nh; h++)
    for (int i = 0; i < nv; i++) {
      double amplitude = hypot(stuck->hc[h * nv + i], stuck->hs[h * nv + i]);
      scale[i] += amplitude;
      scale[nv + i] += e->linear.angular_frequency[h] * amplitude;
    }
  for (int s = 0; s < e->nslider; s++) {
    double amplitude = 0.0;
    for (int h = 0; response && h < nh; h++)
      amplitude += hypot(stuck->slide_c[s * nh + h], stuck->slide_s[s * nh + h]);
    scale[nx + s] += response ? fmin(amplitude, e->reach[s]) : isfinite(e->reach[s]) ? e->reach[s] : 0.0;
  }
  double largest = 0.0;
  for (int i = 0; i < e->n; i++) largest = fmax(largest, scale[i]);
  /* coordinates that the linear response leaves at rest are measured by the others */
  for (int i = 0; i < e->n; i++) scale[i] = fmax(scale[i], largest > 0.0 ? 1e-6 * largest : 1.0);
}
