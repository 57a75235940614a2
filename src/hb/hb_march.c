/* hb/hb_march.c — see hb_march.h. */
#include "hb/hb_march.h"
#include "base/clones.h"
#include "laws/coulomb.h"

#include <math.h>
#include <string.h>

/* ---- inner states ---------------------------------------------------------------------------------------
 */

/* Rate of the inner state and its derivatives to u, v and x. */
static double rate_of(const cap_hb_law *law, double u, double v, double x, double slope[3])
{
  static const double to_u[3] = {1, 0, 0}, to_v[3] = {0, 1, 0}, to_x[3] = {0, 0, 1};
  double t = 0.0, h = 0.0, dh[3] = {0}, rate = 0.0;
  cap_eval e = {.nlane = 1,
                .ncol = 3,
                .t = &t,
                .q = &u,
                .v = &v,
                .x = &x,
                .dq = to_u,
                .dv = to_v,
                .dx = to_x,
                .h = &h,
                .dh = dh,
                .xdot = &rate,
                .dxdot = slope};
  law->single.type->rates(&law->single, &e);
  return rate;
}

/* One implicit midpoint step x0 -> x1 over the deflection from u0 to u1: the increment's own sign tells the
 * law which way it goes. */
static double midpoint(const cap_hb_law *law, double u0, double u1, double h, double x0, double guess,
                       double slope[3], double *rate)
{
  double x1 = guess, u = 0.5 * (u0 + u1), v = (u1 - u0) / h;
  for (int i = 0; i < 40; i++) {
    *rate = rate_of(law, u, v, 0.5 * (x0 + x1), slope);
    double step = (x0 + h * *rate - x1) / (1.0 - 0.5 * h * slope[2]);
    x1 += step;
    if (!(fabs(step) > 1e-13 * (fabs(x1) + fabs(x0)))) break;
  }
  return x1;
}

/* Once around from x[0]: end state and its derivative to the start. */
static double go_round(cap_hb_law *law, int nsample, double h, double *growth)
{
  double x = law->x[0], before = 0.0;
  *growth = 1.0;
  for (int n = 0; n < nsample; n++) {
    double slope[3], rate, next = law->u[n + 1 < nsample ? n + 1 : 0];
    double guess = x + h * before;
    law->x[n] = x;
    x = midpoint(law, law->u[n], next, h, x, guess, slope, &rate);
    law->x_u[n] = slope[0];
    law->x_v[n] = slope[1];
    law->x_x[n] = slope[2];
    law->x_rate[n] = before = rate;
    *growth *= (1.0 + 0.5 * h * slope[2]) / (1.0 - 0.5 * h * slope[2]);
  }
  return x;
}

/* dx at every sample: first from zero, with the product of the growth factors, then closed. */
static void march_tangent(cap_hb_law *law, const capm_fourier *f, double w, double h)
{
  int nc = f->ncoef, n_all = f->nsample, width = nc + 1;
  double *now = law->work, *growth = law->f_v; /* f_v is filled after this */
  memset(now, 0, sizeof(double) * (size_t)width);
  double product = 1.0;
  for (int n = 0; n < n_all; n++) {
    const double *t0 = f->by_sample + n * nc, *t1 = f->by_sample + (n + 1 < n_all ? n + 1 : 0) * nc;
    double *row = law->march + (size_t)n * (size_t)width;
    double half = 0.5 * h * law->x_x[n], gain = (1.0 + half) / (1.0 - half), by = 1.0 / (1.0 - half);
    double before = by * (0.5 * h * law->x_u[n] - law->x_v[n]),
           after = by * (0.5 * h * law->x_u[n] + law->x_v[n]);
    double v = (law->u[n + 1 < n_all ? n + 1 : 0] - law->u[n]) / h;
    growth[n] = product;
    memcpy(row, now, sizeof(double) * (size_t)width);
    for (int r = 0; r < nc; r++) now[r] = gain * now[r] + before * t0[r] + after * t1[r];
    /* h is inversely, v directly proportional to w */
    now[nc] = gain * now[nc] + by * h / w * (law->x_v[n] * v - law->x_rate[n]);
    product *= gain;
  }
  double scale = 1.0 / (1.0 - product);
  for (int n = 0; n < n_all; n++) {
    double *row = law->march + (size_t)n * (size_t)width, factor = scale * growth[n];
    for (int r = 0; r < width; r++) row[r] += factor * now[r];
  }
}

cap_status cap_hb_march_state(cap_hb_law *law, const capm_fourier *f, double w, bool tangent,
                              cap_error *error)
{
  double h = 2.0 * M_PI / (w * f->nsample), growth = 0.0, gap = INFINITY;
  for (int pass = 0; pass < 12; pass++) {
    double start = law->x[0], end = go_round(law, f->nsample, h, &growth);
    gap = end - start;
    if (!isfinite(gap)) break;
    if (fabs(gap) <= 1e-13 * (fabs(start) + fabs(end)) || growth >= 1.0) break;
    /* Newton on the closing condition, at first only by going round */
    law->x[0] = pass < 1 && growth > 0.9 ? end : start + gap / (1.0 - growth);
  }
  if (!isfinite(gap)) {
    for (int n = 0; n < f->nsample; n++) law->x[n] = law->rest;
    return cap_status_fail(error, CAP_RETRY_NONFINITE, "an inner state is not finite along the period");
  }
  if (tangent && growth < 1.0) march_tangent(law, f, w, h);
  else if (tangent) memset(law->march, 0, sizeof(double) * (size_t)f->nsample * (size_t)(f->ncoef + 1));
  return CAP_OK;
}

/* matrix[nc][nc] and last[nc] += sum_n weight_n basis_n (march_n)^T, four samples at a time. */
CAP_CLONES static void add_outer(int nc, int nsample, const double *restrict by_sample,
                                 const double *restrict f_x, const double *restrict march,
                                 double *restrict matrix, double *restrict last)
{
  size_t width = (size_t)nc + 1;
  for (int n = 0; n < nsample; n += 4) {
    const double *r0 = march + (size_t)n * width, *r1 = r0 + width, *r2 = r1 + width, *r3 = r2 + width;
    const double *b0 = by_sample + (size_t)n * (size_t)nc, *b1 = b0 + nc, *b2 = b1 + nc, *b3 = b2 + nc;
    for (int i = 0; i < nc; i++) {
      double weight = (i ? 2.0 : 1.0) / nsample;
      double w0 = weight * f_x[n] * b0[i], w1 = weight * f_x[n + 1] * b1[i], w2 = weight * f_x[n + 2] * b2[i],
             w3 = weight * f_x[n + 3] * b3[i];
      double *row = matrix + i * nc;
      for (int r = 0; matrix && r < nc; r++) row[r] += w0 * r0[r] + w1 * r1[r] + w2 * r2[r] + w3 * r3[r];
      if (last) last[i] += w0 * r0[nc] + w1 * r1[nc] + w2 * r2[nc] + w3 * r3[nc];
    }
  }
}

void cap_hb_march_add(const cap_hb_law *law, const capm_fourier *f, const cap_hb_law_result *out)
{
  add_outer(f->ncoef, f->nsample, f->by_sample, law->f_x, law->march, out->tangent, out->to_w);
}

/* ---- sliders --------------------------------------------------------------------------------------------
 */

static int extreme(int n, const double *u, double sign)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (sign * u[i] > sign * u[best]) best = i;
  return best;
}

/* A slider that never slips: its force is that of its spring about the rest force, as far as the limit
 * allows; else about the extreme that the limit holds. */
static void stuck(cap_hb_law *law, const capm_fourier *f, const double *u, int top, int bottom,
                  const cap_hb_law_result *out)
{
  int nc = f->ncoef, anchor = -1;
  double at = u[0], force = law->rest;
  if (force + law->k * (law->u[top] - at) > law->limit) anchor = top, force = law->limit;
  else if (force + law->k * (law->u[bottom] - at) < -law->limit) anchor = bottom, force = -law->limit;
  if (anchor >= 0) at = law->u[anchor];
  for (int r = 0; r < nc; r++) out->force[r] = law->k * u[r];
  out->force[0] += force - law->k * at;
  for (int n = 0; n < f->nsample; n++) {
    law->x[n] = law->f[n] = force + law->k * (law->u[n] - at);
    law->x_u[n] = law->k;
  }
  if (!out->tangent) return;
  for (int r = 0; r < nc; r++) out->tangent[r * nc + r] = law->k;
  if (anchor < 0) out->tangent[0] = 0.0;
  for (int r = 0; r < nc && anchor >= 0; r++) out->tangent[r] -= law->k * f->by_sample[anchor * nc + r];
}

/* From the largest deflection, where the force is the limit, once around. While stuck the force is that of
 * the spring since the last slipping sample (the anchor), and so is its tangent. */
static void march_slider(cap_hb_law *law, const capm_fourier *f, int top, double *tangent)
{
  int nc = f->ncoef, anchor = top, n_all = f->nsample;
  double *run = law->work, force = law->limit;
  law->x[top] = law->limit;
  law->x_u[top] = 0.0;
  memset(run, 0, sizeof(double) * (size_t)nc);
  for (int m = 1; m <= n_all; m++) {
    int n = (top + m) % n_all;
    double trial = force + law->k * (law->u[n] - law->u[anchor]);
    bool slips = fabs(trial) > law->limit || m == n_all;
    const double *basis = f->by_sample + n * nc;
    if (slips && tangent) { /* close the run of this anchor */
      const double *held = f->by_sample + anchor * nc;
      for (int i = 0; i < nc; i++)
        for (int r = 0; r < nc && run[i] != 0.0; r++) tangent[i * nc + r] -= run[i] * held[r];
      memset(run, 0, sizeof(double) * (size_t)nc);
    }
    if (m == n_all) break;
    law->x[n] = slips ? capm_coulomb_project(trial, law->limit) : trial;
    law->x_u[n] = slips ? 0.0 : law->k;
    if (slips) anchor = n, force = law->x[n];
    else
      for (int i = 0; i < nc; i++) run[i] += (i ? 2.0 : 1.0) * law->k / n_all * basis[i];
  }
}

void cap_hb_march_slider(cap_hb_law *law, const capm_fourier *f, const double *u,
                         const cap_hb_law_result *out)
{
  int nc = f->ncoef;
  int top = extreme(f->nsample, law->u, 1.0), bottom = extreme(f->nsample, law->u, -1.0);
  if (out->tangent) memset(out->tangent, 0, sizeof(double) * (size_t)(nc * nc));
  if (out->to_w) memset(out->to_w, 0, sizeof(double) * (size_t)nc);
  if (law->k * (law->u[top] - law->u[bottom]) <= 2.0 * law->limit) {
    stuck(law, f, u, top, bottom, out);
    return;
  }
  march_slider(law, f, top, out->tangent);
  memcpy(law->f, law->x, sizeof(double) * (size_t)f->nsample);
  capm_fourier_analysis(f, law->x, out->force);
  if (!out->tangent) return;
  capm_fourier_sums(f, f->nrow, law->x_u, law->work);
  capm_fourier_multiply(f, law->work, 1.0, out->tangent);
}

void cap_hb_march_coulomb(cap_hb_law *law, const capm_fourier *f, double w, const double *z,
                          const cap_hb_law_result *out)
{
  int nc = f->ncoef;
  capm_fourier_synthesis(f, z, law->x);
  for (int n = 0; n < f->nsample; n++) {
    double trial = law->x[n] + law->regular * law->v[n];
    law->x_u[n] = capm_coulomb_project_slope(trial, law->limit);
    law->f[n] = capm_coulomb_project(trial, law->limit);
    law->x_rate[n] = law->x_u[n] * law->regular * law->v[n] / w;
  }
  capm_fourier_analysis(f, law->f, out->force);
  if (out->to_w) capm_fourier_analysis(f, law->x_rate, out->to_w);
  if (!out->tangent) return;
  memset(out->tangent, 0, sizeof(double) * (size_t)(nc * nc));
  memset(out->to_z, 0, sizeof(double) * (size_t)(nc * nc));
  capm_fourier_sums(f, f->nrow, law->x_u, law->work);
  capm_fourier_multiply_derivative(f, law->work, law->regular * w, out->tangent);
  capm_fourier_multiply(f, law->work, 1.0, out->to_z);
}
