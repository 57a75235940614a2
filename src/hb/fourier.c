/* hb/fourier.c — see fourier.h. */
#include "hb/fourier.h"
#include "base/clones.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { BLOCK = CAPM_FOURIER_BLOCK };

/* ---- folding --------------------------------------------------------------------------------------------
 * cos(h theta) is even and sin(h theta) odd about theta = 0, and both are even or odd about pi/2, depending
 * on h: four classes of rows, each of which needs a quarter of the samples, n = 0 .. N/4. */

typedef enum fold_class { COS_EVEN, COS_ODD, SIN_ODD, SIN_EVEN, CLASSES } fold_class;

enum { TILE = 16 };

/* Entries of a folded class: n = 0 .. N/4 and zeros up to a multiple of TILE. */
static int fold_length(int nsample)
{
  return nsample / 4 + TILE;
}

static int first_harmonic(fold_class c)
{
  return c == COS_EVEN ? 0 : c == SIN_EVEN ? 2 : 1;
}

/* Row of the table that is number k of a class. */
static int class_row(fold_class c, int k)
{
  int h = first_harmonic(c) + 2 * k;
  return c == SIN_ODD || c == SIN_EVEN ? 2 * h : h ? 2 * h - 1 : 0;
}

/* Rows of a class below harmonic `most` + 1. */
static int class_size(fold_class c, int most)
{
  int first = first_harmonic(c);
  return most < first ? 0 : (most - first) / 2 + 1;
}

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
  *f = (capm_fourier){nharmonic, nsample, 2 * nharmonic + 1, 4 * nharmonic + 1, NULL, NULL, NULL};
  f->table = CAP_ARENA_NEW(arena, double, ((size_t)f->nrow * (size_t)nsample));
  double *circle = CAP_ARENA_NEW(arena, double, 2 * (size_t)nsample);
  f->by_sample = CAP_ARENA_NEW(arena, double, ((size_t)f->ncoef * (size_t)nsample));
  f->fold = CAP_ARENA_NEW(arena, double, (CLASSES * (size_t)fold_length(nsample)));
  if (!f->table || !circle || !f->by_sample || !f->fold) return CAP_ERR_NOMEM;
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

CAP_CLONES static void synthesis(int nharmonic, int nsample, const double *restrict table,
                                 const double *restrict c, double *restrict part)
{
  int length = fold_length(nsample);
  for (int k = 0; k < CLASSES; k++) {
    int size = class_size((fold_class)k, nharmonic);
    for (int start = 0; start < length; start += TILE) {
      double sum[TILE] = {0};
      for (int i = 0; i < size; i++) {
        int r = class_row((fold_class)k, i);
        const double *row = table + (size_t)r * (size_t)nsample + start;
        for (int l = 0; l < TILE; l++) sum[l] += c[r] * row[l];
      }
      memcpy(part + k * length + start, sum, sizeof sum);
    }
  }
}

void capm_fourier_synthesis(const capm_fourier *f, const double *c, double *samples)
{
  int n = f->nsample, half = n / 2, quarter = n / 4, length = fold_length(n);
  const double *ce = f->fold, *co = ce + length, *so = co + length, *se = so + length;
  synthesis(f->nharmonic, n, f->table, c, f->fold);
  samples[0] = ce[0] + co[0];
  samples[half] = ce[0] - co[0];
  for (int i = 1; i <= quarter; i++) {
    double even = ce[i] + co[i], odd = so[i] + se[i], even_far = ce[i] - co[i], odd_far = so[i] - se[i];
    samples[i] = even + odd;
    samples[n - i] = even - odd;
    samples[half - i] = even_far + odd_far;
    samples[half + i] = even_far - odd_far;
  }
}

static void fold(int n, const double *restrict x, double *restrict part)
{
  int half = n / 2, quarter = n / 4, length = fold_length(n);
  double *ce = part, *co = ce + length, *so = co + length, *se = so + length;
  ce[0] = x[0] + x[half];
  co[0] = x[0] - x[half];
  so[0] = se[0] = 0.0;
  for (int i = 1; i < quarter; i++) {
    double near = x[i] + x[n - i], far = x[half - i] + x[half + i];
    double near_odd = x[i] - x[n - i], far_odd = x[half - i] - x[half + i];
    ce[i] = near + far;
    co[i] = near - far;
    so[i] = near_odd + far_odd;
    se[i] = near_odd - far_odd;
  }
  ce[quarter] = x[quarter] + x[n - quarter];
  so[quarter] = x[quarter] - x[n - quarter];
  co[quarter] = se[quarter] = 0.0;
  for (int k = 0; k < CLASSES; k++)
    memset(part + k * length + quarter + 1, 0, sizeof(double) * (size_t)(length - quarter - 1));
}

/* Partial sums side by side, so that the order of additions is fixed and fills a vector register. */
CAP_CLONES static void sums_of_rows(int nrow, int nsample, const double *restrict table,
                                    const double *restrict part, double *restrict sums)
{
  int length = fold_length(nsample);
  for (int r = 0; r < nrow; r++) {
    int h = (r + 1) / 2;
    bool sine = r > 0 && r % 2 == 0;
    const double *row = table + (size_t)r * (size_t)nsample;
    const double *x = part + length * (sine ? (h % 2 ? SIN_ODD : SIN_EVEN) : (h % 2 ? COS_ODD : COS_EVEN));
    double sum[TILE] = {0};
    for (int n = 0; n < length; n += TILE)
      for (int l = 0; l < TILE; l++) sum[l] += row[n + l] * x[n + l];
    for (int to = TILE / 2; to > 0; to /= 2)
      for (int l = 0; l < to; l++) sum[l] += sum[l + to];
    sums[r] = sum[0];
  }
}

void capm_fourier_sums(const capm_fourier *f, int nrow, const double *samples, double *sums)
{
  fold(f->nsample, samples, f->fold);
  sums_of_rows(nrow, f->nsample, f->table, f->fold, sums);
}

/* The four classes of many columns at once: rows n, N/2 - n, N/2 + n and N - n are replaced by them. */
CAP_CLONES static void fold_rows(int n, int stride, double *restrict rows)
{
  int half = n / 2, quarter = n / 4;
  size_t width = (size_t)stride;
  for (int i = 0; i <= quarter; i++) {
    double *a = rows + (size_t)i * width, *b = rows + (size_t)(half - i) * width;
    double *c = rows + (size_t)(half + i) * width, *d = rows + (size_t)(n - i) * width;
    for (int l = 0; i == 0 && l < stride; l++) { /* b and c are one row */
      double near = a[l], far = b[l];
      a[l] = near + far;
      b[l] = near - far;
    }
    for (int l = 0; i == quarter && l < stride; l++) { /* a and b, c and d are one */
      double near = a[l], far = d[l];
      a[l] = near + far;
      d[l] = near - far;
    }
    for (int l = 0; i > 0 && i < quarter && l < stride; l++) {
      double near = a[l] + d[l], far = b[l] + c[l], near_odd = a[l] - d[l], far_odd = b[l] - c[l];
      a[l] = near + far;
      b[l] = near - far;
      c[l] = near_odd + far_odd;
      d[l] = near_odd - far_odd;
    }
  }
}

/* Eight numbers as one value: arrays as accumulators would be kept in memory. */
typedef double eight __attribute__((vector_size(64)));

CAP_INLINE void add_product(double factor, const eight x[2], eight sum[2])
{
  sum[0] += factor * x[0];
  sum[1] += factor * x[1];
}

/* out[4][TILE] = sum_n table[4][n] rows[n][TILE], rows apart by `step`. */
CAP_INLINE void product_tile(int count, const double *const table[4], const double *restrict rows,
                             ptrdiff_t step, double out[4][TILE])
{
  eight s0[2] = {{0}}, s1[2] = {{0}}, s2[2] = {{0}}, s3[2] = {{0}};
  const double *t0 = table[0], *t1 = table[1], *t2 = table[2], *t3 = table[3];
  for (int n = 0; n < count; n++, rows += step) {
    eight x[2];
    memcpy(x, rows, sizeof x);
    add_product(t0[n], x, s0);
    add_product(t1[n], x, s1);
    add_product(t2[n], x, s2);
    add_product(t3[n], x, s3);
  }
  memcpy(out[0], s0, sizeof s0);
  memcpy(out[1], s1, sizeof s1);
  memcpy(out[2], s2, sizeof s2);
  memcpy(out[3], s3, sizeof s3);
}

/* out[row][stride] for the rows of one class; its samples n = first .. last lie in rows from `at`, apart by
 * `step`. */
CAP_CLONES static void product_class(const capm_fourier *f, int class, int first, int last,
                                     const double *restrict at, ptrdiff_t step, int stride,
                                     double *restrict out)
{
  int size = class_size((fold_class) class, f->nharmonic);
  for (int k = 0; k < size; k += 4) {
    const double *table[4];
    double tile[4][TILE];
    for (int i = 0; i < 4; i++) {
      int r = class_row((fold_class) class, k + i < size ? k + i : size - 1);
      table[i] = f->table + (size_t)r * (size_t)f->nsample + first;
    }
    for (int start = 0; start < stride; start += TILE) {
      product_tile(last - first + 1, table, at + start, step, tile);
      for (int i = 0; i < 4 && k + i < size; i++)
        memcpy(out + (size_t)class_row((fold_class) class, k + i) * (size_t)stride + start, tile[i],
               sizeof tile[i]);
    }
  }
}

void capm_fourier_analyse_rows(const capm_fourier *f, int stride, double *rows, double *out)
{
  int n = f->nsample, half = n / 2, quarter = n / 4;
  ptrdiff_t step = stride;
  assert(stride % TILE == 0);
  fold_rows(n, stride, rows);
  product_class(f, COS_EVEN, 0, quarter, rows, step, stride, out);
  product_class(f, COS_ODD, 0, quarter - 1, rows + half * step, -step, stride, out);
  product_class(f, SIN_ODD, 1, quarter, rows + (half + 1) * step, step, stride, out);
  product_class(f, SIN_EVEN, 1, quarter - 1, rows + (n - 1) * step, -step, stride, out);
  for (int r = 0; r < f->ncoef; r++) {
    double weight = (r ? 2.0 : 1.0) / n;
    for (int l = 0; l < stride; l++) out[(size_t)r * (size_t)stride + (size_t)l] *= weight;
  }
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

void capm_fourier_multiply_second(const capm_fourier *f, const double *sums, double factor, double *matrix)
{
  int n = f->ncoef;
  double weight = 2.0 * factor / f->nsample, by_cos[COEF_MOST], by_sin[COEF_MOST];
  assert(n <= COEF_MOST);
  for (int j = 1; j <= f->nharmonic; j++) {
    product_columns(f, sums, j, -weight * j * j, by_cos, by_sin);
    for (int i = 0; i < n; i++) {
      matrix[i * n + 2 * j - 1] += by_cos[i];
      matrix[i * n + 2 * j] += by_sin[i];
    }
  }
}
