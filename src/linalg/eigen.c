/* linalg/eigen.c — see eigen.h. */
#include "linalg/eigen.h"

#include "linalg/lapack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void transpose(int n, const double *a, double *t)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t[j * n + i] = a[i * n + j];
}

static bool all_finite(int n, const double *a)
{
  for (int i = 0; i < n * n; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

/* LAPACK's own scratch; generous so that its blocked paths are open for large n */
static int scratch_length(int n)
{
  return n < 32 ? 8 * n + 16 : 66 * n;
}

size_t capm_eigen_general_work(int n)
{
  return (size_t)(2 * n * n + scratch_length(n));
}

cap_status capm_eigen_general(int n, const double *a, double *wr, double *wi, double *vectors, double *work)
{
  if (n == 0) return CAP_OK;
  if (!all_finite(n, a)) return CAP_ERR_NUMERICS;
  double *own = NULL;
  if (!work) {
    own = malloc(capm_eigen_general_work(n) * sizeof(double));
    if (!own) return CAP_ERR_NOMEM;
    work = own;
  }
  double *columns = work, *vr = columns + n * n, *scratch = vr + n * n;
  transpose(n, a, columns);
  int info, one = 1, lwork = scratch_length(n);
  int before = capm_lapack_enter();
  dgeev_("N", vectors ? "V" : "N", &n, columns, &n, wr, wi, NULL, &one, vr, &n, scratch, &lwork, &info, 1, 1);
  capm_lapack_leave(before);
  if (info == 0 && vectors) transpose(n, vr, vectors);
  free(own);
  return info == 0 ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_eigen_symmetric(int n, const double *a, const double *b, double *values, double *vectors)
{
  if (n == 0) return CAP_OK;
  if (!all_finite(n, a) || !all_finite(n, b)) return CAP_ERR_NUMERICS;
  int lwork = scratch_length(n);
  double *work = malloc((size_t)(2 * n * n + lwork) * sizeof(double));
  if (!work) return CAP_ERR_NOMEM;
  double *ca = work, *cb = ca + n * n, *scratch = cb + n * n;
  transpose(n, a, ca);
  transpose(n, b, cb);
  int info, type = 1;
  int before = capm_lapack_enter();
  dsygv_(&type, vectors ? "V" : "N", "L", &n, ca, &n, cb, &n, values, scratch, &lwork, &info, 1, 1);
  capm_lapack_leave(before);
  if (info == 0 && vectors) transpose(n, ca, vectors);
  free(work);
  return info == 0 ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_eigen_pencil(int n, const double *a, const double *b, double *wr, double *wi, double *vectors)
{
  if (n == 0) return CAP_OK;
  if (!all_finite(n, a) || !all_finite(n, b)) return CAP_ERR_NUMERICS;
  int lwork = scratch_length(n) + 16 * n;
  double *work = malloc((size_t)(3 * n * n + n + lwork) * sizeof(double));
  if (!work) return CAP_ERR_NOMEM;
  double *ca = work, *cb = ca + n * n, *vr = cb + n * n, *beta = vr + n * n, *scratch = beta + n;
  transpose(n, a, ca);
  transpose(n, b, cb);
  int info, one = 1;
  int before = capm_lapack_enter();
  dggev_("N", vectors ? "V" : "N", &n, ca, &n, cb, &n, wr, wi, beta, NULL, &one, vr, &n, scratch, &lwork,
         &info, 1, 1);
  capm_lapack_leave(before);
  if (info == 0) {
    for (int i = 0; i < n; i++) {
      bool infinite = fabs(beta[i]) <= 16 * DBL_EPSILON * hypot(wr[i], wi[i]);
      wr[i] = infinite ? INFINITY : wr[i] / beta[i];
      wi[i] = infinite ? 0.0 : wi[i] / beta[i];
    }
    if (vectors) transpose(n, vr, vectors);
  }
  free(work);
  return info == 0 ? CAP_OK : CAP_ERR_NUMERICS;
}
