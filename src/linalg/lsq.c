/* linalg/lsq.c — see lsq.h.
 *
 * The row-major a[m][n] is LAPACK's n x m matrix a^T = R S L^T, so R holds the right singular vectors of a.
 */
#include "linalg/lsq.h"

#include "linalg/cod.h"
#include "linalg/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct decomposition {
  int m, n, k, rank;    /* k = min(m, n) */
  double *work, *scale; /* scale[n]: a = scaled a * diag(scale) */
  double *s;            /* [k] singular values, descending */
  double *right;        /* [k][n]: right[j*n + i] component i of vector j */
  double *left;         /* [m][k] */
} decomposition;

static double column_norm(int m, int n, const double *a, int column)
{
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < m; i++) largest = fmax(largest, fabs(a[i * n + column]));
  if (largest == 0.0) return 1.0;
  for (int i = 0; i < m; i++) {
    double part = a[i * n + column] / largest;
    sum += part * part;
  }
  return largest * sqrt(sum);
}

static double machine_precision(int m, int n)
{
  return (m < n ? n : m) * DBL_EPSILON;
}

static cap_status decompose(int m, int n, const double *a, double tolerance, int scaled, decomposition *d)
{
  int k = m < n ? m : n, larger = m < n ? n : m;
  int lwork = 4 * k * k + 7 * k + 64 * larger;
  size_t total = (size_t)n + k + (size_t)n * k + (size_t)m * k + (size_t)m * n + lwork;
  *d = (decomposition){.m = m, .n = n, .k = k};
  d->work = malloc(total * sizeof(double));
  int *iwork = malloc((size_t)(8 * k + 1) * sizeof(int));
  if (!d->work || !iwork) {
    free(d->work);
    free(iwork);
    return CAP_ERR_NOMEM;
  }
  d->scale = d->work;
  d->s = d->scale + n;
  d->right = d->s + k;
  d->left = d->right + n * k;
  double *copy = d->left + (size_t)m * k, *scratch = copy + (size_t)m * n;
  int info = 0;
  for (int j = 0; j < n; j++) d->scale[j] = scaled ? column_norm(m, n, a, j) : 1.0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      copy[i * n + j] = a[i * n + j] / d->scale[j];
      if (!isfinite(copy[i * n + j])) info = 1;
    }
  if (info == 0 && k > 0) {
    int before = capm_lapack_enter();
    dgesdd_("S", &n, &m, copy, &n, d->s, d->right, &n, d->left, &k, scratch, &lwork, iwork, &info, 1);
    capm_lapack_leave(before);
  }
  free(iwork);
  if (info != 0) {
    free(d->work);
    return CAP_ERR_NUMERICS;
  }
  double least = tolerance > 0.0 ? tolerance : machine_precision(m, n);
  while (d->rank < k && d->s[d->rank] > least * d->s[0]) d->rank++;
  return CAP_OK;
}

static void solve(const decomposition *d, const double *b, double *x)
{
  for (int i = 0; i < d->n; i++) x[i] = 0.0;
  for (int j = 0; j < d->rank; j++) {
    double part = 0.0;
    for (int i = 0; i < d->m; i++) part += d->left[i * d->k + j] * b[i];
    part /= d->s[j];
    for (int i = 0; i < d->n; i++) x[i] += part * d->right[j * d->n + i];
  }
  for (int i = 0; i < d->n; i++) x[i] /= d->scale[i];
}

static cap_status least_norm_of_large(int m, int n, const double *a, const double *b, double tolerance,
                                      int scaled, double *x, int *rank, const cap_progress *progress)
{
  size_t count = (size_t)m * (size_t)n;
  double *copy = malloc((count + (size_t)m + (size_t)n) * sizeof(double));
  if (!copy) return CAP_ERR_NOMEM;
  double *right = copy + count, *scale = right + m;
  for (int j = 0; j < n; j++) scale[j] = scaled ? column_norm(m, n, a, j) : 1.0;
  for (int i = 0; i < m; i++) {
    const double *row = a + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) copy[(size_t)i * (size_t)n + (size_t)j] = row[j] / scale[j];
    right[i] = b[i];
  }
  cap_status status = capm_cod_least_norm(
      m, n, copy, right, tolerance > 0.0 ? tolerance : machine_precision(m, n), x, rank, progress);
  for (int j = 0; j < n && status == CAP_OK; j++) x[j] /= scale[j];
  free(copy);
  return status;
}

cap_status capm_lsq_least_norm(int m, int n, const double *a, const double *b, double tolerance, int scaled,
                               double *x, int *rank)
{
  return capm_lsq_least_norm_heard(m, n, a, b, tolerance, scaled, x, rank, NULL);
}

cap_status capm_lsq_least_norm_heard(int m, int n, const double *a, const double *b, double tolerance,
                                     int scaled, double *x, int *rank, const cap_progress *progress)
{
  decomposition d;
  if ((m < n ? m : n) > CAPM_LSQ_SINGULAR)
    return least_norm_of_large(m, n, a, b, tolerance, scaled, x, rank, progress);
  CAP_TRY(decompose(m, n, a, tolerance, scaled, &d));
  solve(&d, b, x);
  if (rank) *rank = d.rank;
  free(d.work);
  return CAP_OK;
}

cap_status capm_lsq_fit(int m, int n, const double *a, const double *b, double tolerance, double *x,
                        double *residual, double *inverse, int *rank, double *weakest)
{
  decomposition d;
  CAP_TRY(decompose(m, n, a, tolerance, 1, &d));
  solve(&d, b, x);
  *rank = d.rank;
  *residual = 0.0;
  for (int i = 0; i < m; i++) {
    double miss = -b[i];
    for (int j = 0; j < n; j++) miss += a[i * n + j] * x[j];
    *residual += miss * miss;
  }
  for (int i = 0; i < n; i++)
    for (int c = 0; c < n; c++) {
      double sum = 0.0;
      for (int j = 0; j < d.rank; j++) sum += d.right[j * n + i] * d.right[j * n + c] / (d.s[j] * d.s[j]);
      inverse[i * n + c] = sum / (d.scale[i] * d.scale[c]);
    }
  for (int i = 0; weakest && i < n; i++) weakest[i] = d.k > 0 ? d.right[(d.k - 1) * n + i] : 0.0;
  free(d.work);
  return CAP_OK;
}

cap_status capm_lsq_directions(int m, int n, const double *a, double *s, double *v)
{
  decomposition d;
  CAP_TRY(decompose(m, n, a, 0.0, 0, &d));
  memcpy(s, d.s, sizeof(double) * (size_t)n);
  memcpy(v, d.right, sizeof(double) * (size_t)(n * n));
  free(d.work);
  return CAP_OK;
}
