/* step/exact/exact_series.c — see exact_series.h. */
#include "step/exact/exact_series.h"

#include <math.h>
#include <string.h>

enum { ORDER = CAP_EXACT_SERIES_ORDER };

/* the next coefficient: q_{m+2} = M^-1 (force_m - (m+1) C q_{m+1} - K_S q_m) / ((m+1)(m+2)) */
static void next_coefficient(const cap_exact *e, int m, const double *q0, const double *q1, double *force,
                             double *q2)
{
  int nv = e->nv;
  const double *k = e->piece.regime->stiffness, *c = e->linear.damping;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) force[i] -= k[i * nv + j] * q0[j] + (m + 1) * c[i * nv + j] * q1[j];
  for (int i = 0; i < nv; i++) {
    q2[i] = 0.0;
    for (int j = 0; j < nv; j++) q2[i] += e->mass_inverse[i * nv + j] * force[j];
    q2[i] /= (m + 1.0) * (m + 2.0);
  }
}

/* coefficient m of cos(w (t + tau)) and sin(w (t + tau)) */
static void harmonic_coefficient(const cap_exact *e, int h, int m, double *c, double *s)
{
  double power = 1.0, w = e->linear.angular_frequency[h];
  for (int i = 1; i <= m; i++) power *= w / i;
  double c0 = e->piece.cos0[h], s0 = e->piece.sin0[h];
  switch (m % 4) {
  case 0:
    *c = c0 * power, *s = s0 * power;
    break;
  case 1:
    *c = -s0 * power, *s = c0 * power;
    break;
  case 2:
    *c = -c0 * power, *s = -s0 * power;
    break;
  default:
    *c = s0 * power, *s = -c0 * power;
    break;
  }
}

/* coefficient m of the imposed part of s_s */
static double imposed_coefficient(const cap_exact *e, int s, int m)
{
  double sum = 0.0, hc, hs;
  for (int h = 0; h < e->nharmonic; h++) {
    harmonic_coefficient(e, h, m, &hc, &hs);
    sum += e->linear.dc[s * e->nharmonic + h] * hc + e->linear.ds[s * e->nharmonic + h] * hs;
  }
  return sum;
}

static void force_coefficient(const cap_exact *e, int m, double *force)
{
  const cap_linear *l = &e->linear;
  int nv = e->nv;
  double hc, hs;
  for (int i = 0; i < nv; i++) force[i] = m == 0 ? l->f0[i] : 0.0;
  for (int h = 0; h < e->nharmonic; h++) {
    harmonic_coefficient(e, h, m, &hc, &hs);
    for (int i = 0; i < nv; i++) force[i] += l->fc[h * nv + i] * hc + l->fs[h * nv + i] * hs;
  }
  for (int s = 0; s < e->nslider; s++) {
    double held = m == 0 ? e->piece.anchored[s] : 0.0;
    if (e->piece.regime->stuck >> s & 1) held += imposed_coefficient(e, s, m);
    for (int i = 0; i < nv; i++) force[i] -= l->k[s] * l->b[s * nv + i] * held;
  }
}

static double longest_step(const cap_exact *e)
{
  double rate = e->piece.regime->largest_rate;
  for (int h = 0; h < e->nharmonic; h++) rate = fmax(rate, e->linear.angular_frequency[h]);
  return rate > 0.0 ? 1.0 / rate : INFINITY;
}

void cap_exact_series_begin(cap_exact *e, const double *y)
{
  cap_exact_piece *p = &e->piece;
  int nv = e->nv;
  double *q = p->series_q, *force = e->work;
  p->length = fmin(p->length, longest_step(e));
  for (int i = 0; i < 2 * nv; i++) q[i] = y[i];
  for (int m = 0; m + 2 <= ORDER; m++) {
    force_coefficient(e, m, force);
    next_coefficient(e, m, q + m * nv, q + (m + 1) * nv, force, q + (m + 2) * nv);
  }
  for (int s = 0; s < e->nslider; s++)
    for (int m = 0; m <= ORDER; m++) {
      double sum = imposed_coefficient(e, s, m), size = fabs(sum);
      for (int i = 0; i < nv; i++) {
        double part = e->linear.b[s * nv + i] * q[m * nv + i];
        sum += part;
        size += fabs(part);
      }
      p->slider[s].taylor[m] = sum;
      if (m == 0) p->slider[s].constant = sum;
      if (m <= 1) p->slider[s].summed[m] = size;
    }
}

/* q and v at tau from coefficients a[order][nv] */
static void sum_series(int nv, const double *a, double tau, double *q, double *v)
{
  for (int i = 0; i < nv; i++) {
    double value = 0.0, slope = 0.0;
    for (int m = ORDER; m >= 0; m--) {
      slope = slope * tau + value;
      value = value * tau + a[m * nv + i];
    }
    q[i] = value;
    v[i] = slope;
  }
}

void cap_exact_series_state(const cap_exact *e, double tau, double *y)
{
  sum_series(e->nv, e->piece.series_q, tau, y, y + e->nv);
}

void cap_exact_series_tangent(cap_exact *e, double tau, double *tangent)
{
  int nv = e->nv, n = e->n;
  double *force = e->work, *a = e->column, *end = e->column2;
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < e->nx; i++) a[i] = tangent[i * n + c];
    for (int m = 0; m + 2 <= ORDER; m++) {
      for (int i = 0; i < nv; i++) force[i] = 0.0;
      for (int s = 0; m == 0 && s < e->nslider; s++)
        for (int i = 0; i < nv; i++)
          force[i] -= e->linear.k[s] * e->linear.b[s * nv + i] * tangent[(e->nx + s) * n + c];
      next_coefficient(e, m, a + m * nv, a + (m + 1) * nv, force, a + (m + 2) * nv);
    }
    sum_series(nv, a, tau, end, end + nv);
    for (int i = 0; i < e->nx; i++) tangent[i * n + c] = end[i];
  }
}

void cap_exact_series_functional(const cap_exact *e, const cap_functional *functional, cap_exact_curve *curve)
{
  const double *q = e->piece.series_q;
  int nv = e->nv;
  double hc, hs;
  for (int m = 0; m <= ORDER; m++) {
    double sum = m == 0 ? functional->c0 : 0.0;
    for (int i = 0; functional->cq && i < nv; i++) sum += functional->cq[i] * q[m * nv + i];
    for (int i = 0; functional->cv && m < ORDER && i < nv; i++)
      sum += functional->cv[i] * (m + 1) * q[(m + 1) * nv + i];
    for (int h = 0; h < e->nharmonic; h++) {
      harmonic_coefficient(e, h, m, &hc, &hs);
      if (functional->cc) sum += functional->cc[h] * hc;
      if (functional->cs) sum += functional->cs[h] * hs;
    }
    curve->taylor[m] = sum;
  }
}

double cap_exact_series_value(const cap_exact_curve *curve, double tau, int order)
{
  double sum = 0.0;
  for (int m = ORDER; m >= order; m--) {
    double factor = 1.0;
    for (int i = 0; i < order; i++) factor *= m - i;
    sum = sum * tau + factor * curve->taylor[m];
  }
  return sum;
}

double cap_exact_series_bound(const cap_exact_curve *curve, double length, int order)
{
  double sum = 0.0;
  for (int m = ORDER; m >= (order > 0 ? order : 1); m--) {
    double factor = 1.0;
    for (int i = 0; i < order; i++) factor *= m - i;
    sum = sum * length + factor * fabs(curve->taylor[m]);
  }
  return order > 0 ? sum : sum * length;
}
