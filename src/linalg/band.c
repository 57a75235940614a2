/* linalg/band.c — see band.h. */
#include "linalg/band.h"
#include "base/clones.h"

#include <math.h>
#include <string.h>

bool capm_band_create(capm_band *b, int n, int k, int m, cap_arena *arena)
{
  *b = (capm_band){.n = n, .k = k, .m = m};
  return (b->band = CAP_ARENA_NEW(arena, double, (n * (k + 1)))) &&
         (b->rows = CAP_ARENA_NEW(arena, double, (m * n))) &&
         (b->corner = CAP_ARENA_NEW(arena, double, (m * m))) &&
         (b->before = CAP_ARENA_NEW(arena, double, (n * k))) &&
         (b->after = CAP_ARENA_NEW(arena, double, (n * k))) &&
         (b->inverse = CAP_ARENA_NEW(arena, double, n)) &&
         (b->factor_rows = CAP_ARENA_NEW(arena, double, (m * n))) &&
         (b->factor_corner = CAP_ARENA_NEW(arena, double, (m * m)));
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

/* One pass in general: rows i - j (or, backward, i + j) have been done. */
static void pass(const capm_band *b, const double *l, int forward, int nrhs, double *x)
{
  int n = b->n, k = b->k;
  for (int step = 0; step < n; step++) {
    int i = forward ? step : n - 1 - step, most = step < k ? step : k, side = forward ? -1 : 1;
    for (int c = 0; c < nrhs; c++) {
      double sum = x[i * nrhs + c] * b->inverse[i];
      for (int j = most; j >= 1; j--) sum -= l[i * k + j - 1] * x[(i + side * j) * nrhs + c];
      x[i * nrhs + c] = sum;
    }
  }
}

/* Two and four right sides of half-bandwidth three are what rings have: the last rows stay in registers, and
 * the one before, for which each row waits, comes last in the sum. Entries before the first row are 0. */
typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));

#define PASS(name, type)                                                                                     \
  CAP_INLINE void name(const capm_band *b, const double *restrict l, int forward, double *restrict x)        \
  {                                                                                                          \
    enum { WIDE = sizeof(type) / sizeof(double) };                                                           \
    int n = b->n;                                                                                            \
    const double *restrict inverse = b->inverse;                                                             \
    type y1 = {0.0}, y2 = {0.0}, y3 = {0.0};                                                                 \
    for (int step = 0; step < n; step++) {                                                                   \
      int i = forward ? step : n - 1 - step;                                                                 \
      type y;                                                                                                \
      memcpy(&y, x + i * WIDE, sizeof y);                                                                    \
      y = ((y * inverse[i] - l[3 * i + 2] * y3) - l[3 * i + 1] * y2) - l[3 * i] * y1;                        \
      memcpy(x + i * WIDE, &y, sizeof y);                                                                    \
      y3 = y2;                                                                                               \
      y2 = y1;                                                                                               \
      y1 = y;                                                                                                \
    }                                                                                                        \
  }
PASS(pass_pair, pair)
PASS(pass_quad, quad)

/* out[c] = sum of row[i] x[i][c], in four parts: a single sum would wait for itself. */
#define DOT(name, type)                                                                                      \
  CAP_INLINE void name(int n, const double *restrict row, const double *restrict x, double *out)             \
  {                                                                                                          \
    enum { WIDE = sizeof(type) / sizeof(double) };                                                           \
    type a = {0.0}, b = {0.0}, c = {0.0}, d = {0.0}, y[4];                                                   \
    int i = 0;                                                                                               \
    for (; i + 4 <= n; i += 4) {                                                                             \
      memcpy(y, x + i * WIDE, sizeof y);                                                                     \
      a += row[i] * y[0];                                                                                    \
      b += row[i + 1] * y[1];                                                                                \
      c += row[i + 2] * y[2];                                                                                \
      d += row[i + 3] * y[3];                                                                                \
    }                                                                                                        \
    for (; i < n; i++) {                                                                                     \
      memcpy(y, x + i * WIDE, sizeof *y);                                                                    \
      a += row[i] * y[0];                                                                                    \
    }                                                                                                        \
    a = (a + b) + (c + d);                                                                                   \
    memcpy(out, &a, sizeof a);                                                                               \
  }
DOT(dot_pair, pair)
DOT(dot_quad, quad)

/* x[i] -= row[i] y */
#define TAKE(name, type)                                                                                     \
  CAP_INLINE void name(int n, const double *restrict row, const double *y, double *restrict x)               \
  {                                                                                                          \
    enum { WIDE = sizeof(type) / sizeof(double) };                                                           \
    type known, now;                                                                                         \
    memcpy(&known, y, sizeof known);                                                                         \
    for (int i = 0; i < n; i++) {                                                                            \
      memcpy(&now, x + i * WIDE, sizeof now);                                                                \
      now -= row[i] * known;                                                                                 \
      memcpy(x + i * WIDE, &now, sizeof now);                                                                \
    }                                                                                                        \
  }
TAKE(take_pair, pair)
TAKE(take_quad, quad)

CAP_CLONES void capm_band_forward(const capm_band *b, int nrhs, double *x)
{
  bool two = b->k == 3 && nrhs == 2, four = b->k == 3 && nrhs == 4;
  if (two) pass_pair(b, b->before, 1, x);
  else if (four) pass_quad(b, b->before, 1, x);
  else pass(b, b->before, 1, nrhs, x);
  for (int r = 0; r < b->m; r++) {
    const double *row = b->factor_rows + r * b->n;
    double *y = x + (b->n + r) * nrhs;
    double known[4] = {0.0};
    if (two) dot_pair(b->n, row, x, known);
    if (four) dot_quad(b->n, row, x, known);
    for (int c = 0; c < nrhs; c++) {
      double sum = two || four ? known[c & 3] : 0.0;
      for (int i = 0; i < b->n && !two && !four; i++) sum += row[i] * x[i * nrhs + c];
      for (int s = 0; s < r; s++) sum += b->factor_corner[r * b->m + s] * x[(b->n + s) * nrhs + c];
      y[c] = (y[c] - sum) / b->factor_corner[r * b->m + r];
    }
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
  for (int r = 0; r < b->m; r++) {
    const double *row = b->factor_rows + r * b->n, *y = x + (b->n + r) * nrhs;
    if (nrhs == 2) take_pair(b->n, row, y, x);
    else if (nrhs == 4) take_quad(b->n, row, y, x);
    for (int i = 0; i < b->n && nrhs != 2 && nrhs != 4; i++)
      for (int c = 0; c < nrhs; c++) x[i * nrhs + c] -= row[i] * y[c];
  }
  if (b->k == 3 && nrhs == 2) pass_pair(b, b->after, 0, x);
  else if (b->k == 3 && nrhs == 4) pass_quad(b, b->after, 0, x);
  else pass(b, b->after, 0, nrhs, x);
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
