/* hb/fourier.c — see fourier.h. */
#include "hb/fourier.h"
#include "base/clones.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLOCK = CAPM_FOURIER_BLOCK };

static void fill_rows(capm_fourier *f, const double *circle, int h)
{
  int n = f->nsample;
  double *cosine = f->table + (size_t)(2 * h - 1) * (size_t)n, *sine = cosine + n;
  /* angles reduced in integers, so that high harmonics are as exact as the first */
  for (int i = 0; i < n; i++) {
    int at = (int)((long)i * h % n);
    cosine[i] = circle[2 * at];
    sine[i] = circle[2 * at + 1];
  }
}

cap_status capm_fourier_create(cap_arena *arena, int nharmonic, int nsample, capm_fourier *f)
{
  assert(nsample > 0 && nsample % BLOCK == 0 && nharmonic >= 0);
  *f = (capm_fourier){nharmonic, nsample, 2 * nharmonic + 1, 4 * nharmonic + 1, NULL, NULL};
  f->table = CAP_ARENA_NEW(arena, double, (size_t)f->nrow *(size_t)nsample);
  double *circle = CAP_ARENA_NEW(arena, double, 2 * (size_t)nsample);
  f->by_sample = CAP_ARENA_NEW(arena, double, (size_t)f->ncoef *(size_t)nsample);
  if (!f->table || !circle || !f->by_sample) return CAP_ERR_NOMEM;
  for (int i = 0; i < nsample; i++) {
    circle[2 * i] = cos(2.0 * M_PI * i / nsample);
    circle[2 * i + 1] = sin(2.0 * M_PI * i / nsample);
    f->table[i] = 1.0;
  }
  for (int h = 1; h <= 2 * nharmonic; h++) fill_rows(f, circle, h);
  for (int n = 0; n < nsample; n++)
    for (int r = 0; r < f->ncoef; r++) f->by_sample[n * f->ncoef + r] = f->table[r * nsample + n];
  return CAP_OK;
}

CAP_CLONES static void synthesis(int ncoef, int nsample, const double *restrict table,
                                 const double *restrict c, double *restrict samples)
{
  for (int start = 0; start < nsample; start += BLOCK) {
    double sum[BLOCK];
    for (int l = 0; l < BLOCK; l++) sum[l] = c[0];
    for (int r = 1; r < ncoef; r++) {
      const double *row = table + (size_t)r * (size_t)nsample + start;
      for (int l = 0; l < BLOCK; l++) sum[l] += c[r] * row[l];
    }
    memcpy(samples + start, sum, sizeof sum);
  }
}

void capm_fourier_synthesis(const capm_fourier *f, const double *c, double *samples)
{
  synthesis(f->ncoef, f->nsample, f->table, c, samples);
}

/* Partial sums side by side, so that the order of additions is fixed and fills a vector register. */
CAP_CLONES static void sums_of_rows(int nrow, int nsample, const double *restrict table,
                                    const double *restrict samples, double *restrict sums)
{
  enum { PARTS = 16 };
  for (int r = 0; r < nrow; r++) {
    const double *row = table + (size_t)r * (size_t)nsample;
    double part[PARTS] = {0};
    for (int n = 0; n < nsample; n += PARTS)
      for (int l = 0; l < PARTS; l++) part[l] += row[n + l] * samples[n + l];
    for (int half = PARTS / 2; half > 0; half /= 2)
      for (int l = 0; l < half; l++) part[l] += part[l + half];
    sums[r] = part[0];
  }
}

void capm_fourier_sums(const capm_fourier *f, int nrow, const double *samples, double *sums)
{
  sums_of_rows(nrow, f->nsample, f->table, samples, sums);
}

void capm_fourier_weigh(const capm_fourier *f, double *sums)
{
  sums[0] /= f->nsample;
  for (int r = 1; r < f->ncoef; r++) sums[r] *= 2.0 / f->nsample;
}

void capm_fourier_analysis(const capm_fourier *f, const double *samples, double *c)
{
  capm_fourier_sums(f, f->ncoef, samples, c);
  capm_fourier_weigh(f, c);
}

void capm_fourier_derivative(int nharmonic, const double *c, double *d)
{
  d[0] = 0.0;
  for (int h = 1; h <= nharmonic; h++) {
    double a = c[2 * h - 1], b = c[2 * h];
    d[2 * h - 1] = h * b;
    d[2 * h] = -h * a;
  }
}

/* Coefficients of g cos(j theta) and g sin(j theta), j > 0, in rows of stride `stride`; products of basis
 * functions are sums and differences of the harmonics i + j and i - j. */
static void product_columns(const capm_fourier *f, const double *sums, int j, double weight, double *by_cos,
                            double *by_sin)
{
  for (int i = 0; i <= f->nharmonic; i++) {
    int plus = i + j, minus = i > j ? i - j : j - i;
    double sign = j > i ? 1.0 : -1.0;
    double c_plus = sums[2 * plus - 1], s_plus = sums[2 * plus];
    double c_minus = minus ? sums[2 * minus - 1] : sums[0], s_minus = minus ? sign * sums[2 * minus] : 0.0;
    if (i == 0) {
      by_cos[0] = 0.5 * weight * c_plus;
      by_sin[0] = 0.5 * weight * s_plus;
      continue;
    }
    by_cos[2 * i - 1] = 0.5 * weight * (c_minus + c_plus);
    by_cos[2 * i] = 0.5 * weight * (s_plus - s_minus);
    by_sin[2 * i - 1] = 0.5 * weight * (s_plus + s_minus);
    by_sin[2 * i] = 0.5 * weight * (c_minus - c_plus);
  }
}

enum { COEF_MOST = 4097 };

void capm_fourier_multiply(const capm_fourier *f, const double *sums, double factor, double *matrix)
{
  int n = f->ncoef;
  double weight = 2.0 * factor / f->nsample, by_cos[COEF_MOST], by_sin[COEF_MOST];
  assert(n <= COEF_MOST);
  for (int i = 0; i < n; i++) matrix[i * n] += (i ? 1.0 : 0.5) * weight * sums[i];
  for (int j = 1; j <= f->nharmonic; j++) {
    product_columns(f, sums, j, weight, by_cos, by_sin);
    for (int i = 0; i < n; i++) {
      matrix[i * n + 2 * j - 1] += by_cos[i];
      matrix[i * n + 2 * j] += by_sin[i];
    }
  }
}

void capm_fourier_multiply_derivative(const capm_fourier *f, const double *sums, double factor,
                                      double *matrix)
{
  int n = f->ncoef;
  double weight = 2.0 * factor / f->nsample, by_cos[COEF_MOST], by_sin[COEF_MOST];
  assert(n <= COEF_MOST);
  /* d/dtheta of cos(j theta) is -j sin(j theta), of sin(j theta) j cos(j theta) */
  for (int j = 1; j <= f->nharmonic; j++) {
    product_columns(f, sums, j, weight, by_cos, by_sin);
    for (int i = 0; i < n; i++) {
      matrix[i * n + 2 * j - 1] -= j * by_sin[i];
      matrix[i * n + 2 * j] += j * by_cos[i];
    }
  }
}
