/* linalg/band.c — see band.h. */
#include "linalg/band.h"
#include "base/clones.h"

#include <math.h>
#include <string.h>

bool capm_band_create(capm_band *b, int n, int k, int m, cap_arena *arena)
{
  *b = (capm_band){.n = n, .k = k, .m = m};
  return (b->band = CAP_ARENA_NEW(arena, double, n *(k + 1))) &&
         (b->rows = CAP_ARENA_NEW(arena, double, m *n)) && (b->corner = CAP_ARENA_NEW(arena, double, m *m)) &&
         (b->before = CAP_ARENA_NEW(arena, double, n *k)) &&
         (b->after = CAP_ARENA_NEW(arena, double, n *k)) && (b->inverse = CAP_ARENA_NEW(arena, double, n)) &&
         (b->factor_rows = CAP_ARENA_NEW(arena, double, m *n)) &&
         (b->factor_corner = CAP_ARENA_NEW(arena, double, m *m));
}

/* l(i, i - j) of the factor of B, j = 1 .. k: kept in `before` until it is scaled. */
static bool factor_band(capm_band *b)
{
  int k = b->k;
  for (int i = 0; i < b->n; i++) {
    double *l = b->before + i * k, square = b->band[i * (k + 1)];
    for (int j = k; j >= 1; j--) {
      int c = i - j;
      double sum = 0.0;
      if (c >= 0) {
        sum = b->band[i * (k + 1) + j];
        for (int p = j + 1; p <= k && i - p >= 0; p++) sum -= l[p - 1] * b->before[c * k + p - j - 1];
        sum *= b->inverse[c];
      }
      l[j - 1] = sum;
      square -= sum * sum;
    }
    if (!(square > 0.0) || !isfinite(square)) return false;
    b->inverse[i] = 1.0 / sqrt(square);
  }
  return true;
}

/* Rows of the factor below the band, and the triangle in the corner. */
static bool factor_border(capm_band *b)
{
  int n = b->n, k = b->k, m = b->m;
  for (int r = 0; r < m; r++) {
    double *row = b->factor_rows + r * n;
    for (int i = 0; i < n; i++) {
      double sum = b->rows[r * n + i];
      for (int j = 1; j <= k && j <= i; j++) sum -= b->before[i * k + j - 1] * row[i - j];
      row[i] = sum * b->inverse[i];
    }
    for (int c = 0; c <= r; c++) {
      double sum = b->corner[r * m + c];
      for (int i = 0; i < n; i++) sum -= row[i] * b->factor_rows[c * n + i];
      for (int p = 0; p < c; p++) sum -= b->factor_corner[r * m + p] * b->factor_corner[c * m + p];
      if (c < r) b->factor_corner[r * m + c] = sum / b->factor_corner[c * m + c];
      else if (sum > 1e-14 * b->corner[r * m + r]) b->factor_corner[r * m + r] = sqrt(sum);
      else return false;
    }
  }
  return true;
}

bool capm_band_factor(capm_band *b)
{
  int k = b->k;
  if (!factor_band(b) || !factor_border(b)) return false;
  for (int i = 0; i < b->n; i++)
    for (int j = 1; j <= k; j++)
      b->after[i * k + j - 1] = i + j < b->n ? b->before[(i + j) * k + j - 1] * b->inverse[i] : 0.0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < k; j++) b->before[i * k + j] *= b->inverse[i];
  return true;
}

/* The rows nearest in the recursion come last in each sum: only they wait for the row before. */
CAP_INLINE void forward_rows(const capm_band *b, double *restrict x, int nrhs, int k)
{
  for (int i = 0; i < b->n; i++) {
    const double *restrict l = b->before + i * k;
    double scale = b->inverse[i], *restrict y = x + i * nrhs;
    int most = i < k ? i : k;
    CAP_EACH_LANE(c, nrhs) y[c] *= scale;
    if (most == k)
      for (int j = k; j >= 1; j--) CAP_EACH_LANE(c, nrhs) y[c] -= l[j - 1] * x[(i - j) * nrhs + c];
    else
      for (int j = most; j >= 1; j--) CAP_EACH_LANE(c, nrhs) y[c] -= l[j - 1] * x[(i - j) * nrhs + c];
  }
}

CAP_INLINE void backward_rows(const capm_band *b, double *restrict x, int nrhs, int k)
{
  for (int i = b->n - 1; i >= 0; i--) {
    const double *restrict l = b->after + i * k;
    double scale = b->inverse[i], *restrict y = x + i * nrhs;
    int most = b->n - 1 - i < k ? b->n - 1 - i : k;
    CAP_EACH_LANE(c, nrhs) y[c] *= scale;
    if (most == k)
      for (int j = k; j >= 1; j--) CAP_EACH_LANE(c, nrhs) y[c] -= l[j - 1] * x[(i + j) * nrhs + c];
    else
      for (int j = most; j >= 1; j--) CAP_EACH_LANE(c, nrhs) y[c] -= l[j - 1] * x[(i + j) * nrhs + c];
  }
}

/* Two and four right sides of half-bandwidth three are what rings have: vectors of known length. */
#define CASES(rows, b, x, nrhs)                                                                              \
  do {                                                                                                       \
    if ((b)->k == 3 && (nrhs) == 2) rows(b, x, 2, 3);                                                        \
    else if ((b)->k == 3 && (nrhs) == 4) rows(b, x, 4, 3);                                                   \
    else rows(b, x, nrhs, (b)->k);                                                                           \
  } while (0)

CAP_CLONES void capm_band_forward(const capm_band *b, int nrhs, double *x)
{
  CASES(forward_rows, b, x, nrhs);
  for (int r = 0; r < b->m; r++)
    for (int c = 0; c < nrhs; c++) {
      double sum = x[(b->n + r) * nrhs + c];
      for (int i = 0; i < b->n; i++) sum -= b->factor_rows[r * b->n + i] * x[i * nrhs + c];
      for (int p = 0; p < r; p++) sum -= b->factor_corner[r * b->m + p] * x[(b->n + p) * nrhs + c];
      x[(b->n + r) * nrhs + c] = sum / b->factor_corner[r * b->m + r];
    }
}

CAP_CLONES void capm_band_backward(const capm_band *b, int nrhs, double *x)
{
  for (int r = b->m - 1; r >= 0; r--)
    for (int c = 0; c < nrhs; c++) {
      double *y = x + (b->n + r) * nrhs + c;
      for (int p = r + 1; p < b->m; p++) *y -= b->factor_corner[p * b->m + r] * x[(b->n + p) * nrhs + c];
      *y /= b->factor_corner[r * b->m + r];
    }
  for (int r = 0; r < b->m; r++)
    for (int i = 0; i < b->n; i++) {
      double l = b->factor_rows[r * b->n + i];
      for (int c = 0; c < nrhs; c++) x[i * nrhs + c] -= l * x[(b->n + r) * nrhs + c];
    }
  CASES(backward_rows, b, x, nrhs);
}

void capm_band_multiply(const capm_band *b, int nrhs, const double *x, double *y)
{
  int n = b->n, k = b->k, m = b->m;
  memset(y, 0, sizeof(double) * (size_t)((n + m) * nrhs));
  for (int i = 0; i < n; i++)
    for (int c = 0; c < nrhs; c++) {
      y[i * nrhs + c] += b->band[i * (k + 1)] * x[i * nrhs + c];
      for (int j = 1; j <= k && j <= i; j++) {
        double a = b->band[i * (k + 1) + j];
        y[i * nrhs + c] += a * x[(i - j) * nrhs + c];
        y[(i - j) * nrhs + c] += a * x[i * nrhs + c];
      }
    }
  for (int r = 0; r < m; r++)
    for (int c = 0; c < nrhs; c++) {
      for (int i = 0; i < n; i++) {
        y[(n + r) * nrhs + c] += b->rows[r * n + i] * x[i * nrhs + c];
        y[i * nrhs + c] += b->rows[r * n + i] * x[(n + r) * nrhs + c];
      }
      for (int p = 0; p < m; p++) y[(n + r) * nrhs + c] += b->corner[r * m + p] * x[(n + p) * nrhs + c];
    }
}
