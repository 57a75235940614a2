/* linalg/expm.c — see expm.h. */
#include "linalg/expm.h"
#include "base/clones.h"

#include "linalg/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* c := a b */
CAP_CLONES static void multiply(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0.0;
    for (int k = 0; k < n; k++) {
      double f = a[i * n + k];
      if (f == 0.0) continue;
      for (int j = 0; j < n; j++) c[i * n + j] += f * b[k * n + j];
    }
  }
}

/* largest absolute row sum; infinite when an entry is not finite */
static double row_norm(int n, const double *a)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += fabs(a[i * n + j]);
    if (!(sum <= largest)) largest = isnan(sum) ? INFINITY : sum;
  }
  return largest;
}

static int squarings(double norm)
{
  const double theta13 = 5.371920351148152; /* largest norm for which order 13 gives full precision */
  int s = 0;
  while (norm > theta13) {
    norm *= 0.5;
    s++;
  }
  return s;
}

/* u and v of the approximant r = (v - u)^-1 (v + u) for the scaled matrix x; w is scratch of 5 matrices */
static void pade13(int n, const double *x, double *u, double *v, double *w)
{
  static const double b[14] = {64764752532480000.,
                               32382376266240000.,
                               7771770303897600.,
                               1187353796428800.,
                               129060195264000.,
                               10559470521600.,
                               670442572800.,
                               33522128640.,
                               1323241920.,
                               40840800.,
                               960960.,
                               16380.,
                               182.,
                               1.};
  int n2 = n * n;
  double *x2 = w, *x4 = w + n2, *x6 = w + 2 * n2, *inner = w + 3 * n2, *product = w + 4 * n2;
  multiply(n, x, x, x2);
  multiply(n, x2, x2, x4);
  multiply(n, x2, x4, x6);
  for (int i = 0; i < n2; i++) inner[i] = b[13] * x6[i] + b[11] * x4[i] + b[9] * x2[i];
  multiply(n, x6, inner, product);
  for (int i = 0; i < n2; i++)
    product[i] += b[7] * x6[i] + b[5] * x4[i] + b[3] * x2[i] + (i % (n + 1) == 0 ? b[1] : 0.0);
  multiply(n, x, product, u);
  for (int i = 0; i < n2; i++) inner[i] = b[12] * x6[i] + b[10] * x4[i] + b[8] * x2[i];
  multiply(n, x6, inner, v);
  for (int i = 0; i < n2; i++)
    v[i] += b[6] * x6[i] + b[4] * x4[i] + b[2] * x2[i] + (i % (n + 1) == 0 ? b[0] : 0.0);
}

/* e := (v - u)^-1 (v + u); both are overwritten */
static cap_status quotient(int n, double *u, double *v, int *pivot, double *e)
{
  for (int i = 0; i < n * n; i++) {
    double sum = v[i] + u[i];
    u[i] = v[i] - u[i];
    v[i] = sum;
  }
  if (capm_lu_factor(n, u, pivot) != 0) return CAP_ERR_NUMERICS;
  memcpy(e, v, (size_t)(n * n) * sizeof(double));
  capm_lu_solve_rows(n, u, pivot, n, e);
  return CAP_OK;
}

static cap_status exponential(int n, const double *a, double t, double *e, double *work, int *pivot)
{
  int n2 = n * n;
  double *x = work, *u = x + n2, *v = u + n2;
  for (int i = 0; i < n2; i++) x[i] = t * a[i];
  double norm = row_norm(n, x);
  if (!isfinite(norm)) return CAP_ERR_NUMERICS;
  int s = squarings(norm);
  for (int i = 0; i < n2; i++) x[i] = ldexp(x[i], -s);
  pade13(n, x, u, v, v + n2);
  CAP_TRY(quotient(n, u, v, pivot, e));
  for (int k = 0; k < s; k++) {
    multiply(n, e, e, u);
    memcpy(e, u, (size_t)n2 * sizeof(double));
  }
  return isfinite(row_norm(n, e)) ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_expm(int n, const double *a, double t, double *e)
{
  if (n == 0) return CAP_OK;
  double *work = malloc((size_t)(8 * n * n) * sizeof(double));
  int *pivot = malloc((size_t)n * sizeof(int));
  cap_status status = work && pivot ? exponential(n, a, t, e, work, pivot) : CAP_ERR_NOMEM;
  free(work);
  free(pivot);
  return status;
}
