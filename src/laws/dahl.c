/* laws/dahl.c — energy and the slow path of the modified Dahl law. */
#include "laws/dahl.h"

/* Stiffness of the stored part: dF/du - h_m' at F = h_m, held above a tenth of dF/du. With parallel envelopes
 * this choice makes the dissipation z v (1 - (dF/du - h_m')/k) a product of two factors of equal sign. */
static double stored_stiffness(const capm_dahl *p, double u)
{
  const double half = 0.5 * (capm_dahl_envelope(p->upper, u) - capm_dahl_envelope(p->lower, u));
  const double mean_u = 0.5 * (capm_dahl_envelope_slope(p->upper, u) + capm_dahl_envelope_slope(p->lower, u));
  const double stiffness = p->lambda * capm_pow(fabs(half), p->mu);
  return fmax(fmax(stiffness - mean_u, 0.1 * stiffness), DBL_MIN);
}

static double mean_distance(const capm_dahl *p, double u, double force)
{
  return force - 0.5 * (capm_dahl_envelope(p->upper, u) + capm_dahl_envelope(p->lower, u));
}

double capm_dahl_energy(const capm_dahl *p, double u, double force)
{
  const double mean = 0.5 *
                      (capm_dahl_envelope_integral(p->upper, u) + capm_dahl_envelope_integral(p->lower, u));
  const double z = mean_distance(p, u, force);
  return mean + 0.5 * z * z / stored_stiffness(p, u);
}

double capm_dahl_dissipation(const capm_dahl *p, double u, double v, double force)
{
  const double half = 0.5 * (capm_dahl_envelope(p->upper, u) - capm_dahl_envelope(p->lower, u));
  const double half_u = 0.5 * (capm_dahl_envelope_slope(p->upper, u) - capm_dahl_envelope_slope(p->lower, u));
  const double mean_u = 0.5 * (capm_dahl_envelope_slope(p->upper, u) + capm_dahl_envelope_slope(p->lower, u));
  const double mean_uu = p->upper[2] + p->lower[2] + 3.0 * u * (p->upper[3] + p->lower[3]);
  const double stiffness = p->lambda * capm_pow(fabs(half), p->mu);
  const double stiffness_u = half != 0.0 ? stiffness * p->mu * half_u / half : 0.0;
  const double k = stored_stiffness(p, u);
  const double k_u = stiffness - mean_u >= 0.1 * stiffness ? stiffness_u - mean_uu : 0.1 * stiffness_u;
  const double z = mean_distance(p, u, force), rate = capm_dahl_rate(p, u, v, force);
  return z * v - z * (rate - mean_u * v) / k + 0.5 * z * z * k_u * v / (k * k);
}

double capm_dahl_offset(const capm_dahl *p, double h_u)
{
  return capm_pow(h_u / p->lambda, 1.0 / p->mu);
}

/* The path: with sigma = |u - u0| and q = s (h - F), dq/dsigma = h'(u) - Lambda sign(q) |q|^mu. Stiff near
 * the fixed point, so the steps are linearly implicit Euler, extrapolated (Deuflhard; Hairer and Wanner II,
 * IV.9): L-stable, one scalar, and any order that the tolerance asks for. */
enum { STAGES = 7 };

typedef struct path {
  const capm_dahl *p;
  const double *h;
  double side, u0, floor_;
} path;

static void path_rate(const path *t, double sigma, double q, double *rate, double *rate_q)
{
  const double size = fabs(q), held = size < t->floor_ ? t->floor_ : size;
  const double secant = t->p->lambda * (capm_pow(held, t->p->mu) / held);
  *rate = capm_dahl_envelope_slope(t->h, t->u0 + t->side * sigma) - secant * q;
  *rate_q = -(size < t->floor_ ? secant : t->p->mu * secant);
}

/* One step of length `step` by extrapolation over 1, 2, ... substeps; the error is the last difference. */
static double path_step(const path *t, double sigma, double q, double step, double *error)
{
  double table[STAGES], rate, rate_q;
  path_rate(t, sigma, q, &rate, &rate_q);
  *error = INFINITY;
  for (int j = 0; j < STAGES; j++) {
    const int n = j + 1;
    const double h = step / n;
    double x = q, r, unused;
    for (int i = 0; i < n; i++) {
      path_rate(t, sigma + i * h, x, &r, &unused);
      x += h * r / (1.0 - h * rate_q);
    }
    /* Aitken-Neville in h^1: the table is kept as one diagonal */
    double carry = x;
    for (int k = 1; k <= j; k++) {
      const double previous = table[k - 1];
      table[k - 1] = carry;
      carry += (carry - previous) / ((double)n / (n - k) - 1.0);
    }
    if (j > 0) *error = fabs(carry - table[j - 1]);
    table[j] = carry;
  }
  return table[STAGES - 1];
}

cap_status capm_dahl_path(const capm_dahl *p, double u0, double u1, double *force)
{
  path t = {.p = p, .u0 = u0, .side = u1 < u0 ? -1.0 : 1.0};
  t.h = u1 < u0 ? p->lower : p->upper;
  const double gap = fabs(capm_dahl_envelope(p->upper, u0) - capm_dahl_envelope(p->lower, u0));
  t.floor_ = 1e-9 * gap + 1e-12;
  const double length = fabs(u1 - u0), tolerance = 1e-11 * gap + 1e-15;
  double q = t.side * (capm_dahl_envelope(t.h, u0) - *force), sigma = 0.0, step = length;
  if (!isfinite(q) || !isfinite(length) || !isfinite(p->lambda)) return CAP_RETRY_NONFINITE;
  while (sigma < length) {
    step = fmin(step, length - sigma);
    double error;
    const double next = path_step(&t, sigma, q, step, &error), allowed = tolerance + 1e-11 * fabs(q);
    const bool smallest = step <= 1e-14 * length;
    if (!(error <= allowed) && !smallest) {
      step *= isfinite(error) ? fmax(0.1, 0.7 * pow(allowed / error, 1.0 / STAGES)) : 0.1;
      continue;
    }
    if (!isfinite(next)) return CAP_RETRY_NONFINITE;
    q = next;
    sigma = step < length - sigma ? sigma + step : length;
    step *= fmin(5.0, 0.8 * pow(allowed / fmax(error, 1e-300), 1.0 / STAGES));
  }
  *force = capm_dahl_envelope(t.h, u1) - t.side * q;
  return CAP_OK;
}
