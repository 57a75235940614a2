/* linalg/clu.c — see clu.h. */
#include "linalg/clu.h"
#include "base/clones.h"

#include <math.h>

static void swap(double *a, double *b, int n)
{
  for (int c = 0; c < n; c++) {
    double keep = a[c];
    a[c] = b[c];
    b[c] = keep;
  }
}

/* Row of the largest |re| + |im| in column k from the diagonal on. */
static int find_pivot(int n, const double *re, const double *im, int k)
{
  int best = k;
  double most = -1.0;
  for (int i = k; i < n; i++) {
    double size = fabs(re[i * n + k]) + fabs(im[i * n + k]);
    if (size > most) most = size, best = i;
  }
  return best;
}

/* The last columns take no time worth asking for. */
enum { LAST = 32 };

CAP_CLONES int capm_clu_factor_heard(int n, double *re, double *im, int *pivot, const cap_progress *progress)
{
  for (int k = 0; k < n; k++) {
    if (n - k > LAST && cap_progress_stopped(progress)) return CAPM_CLU_STOPPED;
    int best = find_pivot(n, re, im, k);
    double pr = re[best * n + k], pi = im[best * n + k], square = pr * pr + pi * pi;
    pivot[k] = best;
    if (!(square > 0.0) || !isfinite(square)) return k + 1;
    if (best != k) swap(re + best * n, re + k * n, n), swap(im + best * n, im + k * n, n);
    double ir = re[k * n + k] = pr / square, ii = im[k * n + k] = -pi / square;
    const double *restrict fr = re + k * n, *restrict fi = im + k * n;
    for (int i = k + 1; i < n; i++) {
      double ar = re[i * n + k], ai = im[i * n + k];
      if (ar == 0.0 && ai == 0.0) continue;
      double lr = ar * ir - ai * ii, li = ar * ii + ai * ir;
      double *restrict tr = re + i * n, *restrict ti = im + i * n;
      tr[k] = lr;
      ti[k] = li;
      for (int c = k + 1; c < n; c++) {
        tr[c] -= lr * fr[c] - li * fi[c];
        ti[c] -= lr * fi[c] + li * fr[c];
      }
    }
  }
  return 0;
}

int capm_clu_factor(int n, double *re, double *im, int *pivot)
{
  return capm_clu_factor_heard(n, re, im, pivot, NULL);
}

/* Row i of x less the product of columns [from, to) of the factors with x. */
static void subtract(int n, const double *re, const double *im, int i, int from, int to, double *xr,
                     double *xi)
{
  double sr = xr[i], si = xi[i];
  for (int c = from; c < to; c++) {
    sr -= re[i * n + c] * xr[c] - im[i * n + c] * xi[c];
    si -= re[i * n + c] * xi[c] + im[i * n + c] * xr[c];
  }
  xr[i] = sr;
  xi[i] = si;
}

void capm_clu_solve(int n, const double *re, const double *im, const int *pivot, double *xr, double *xi)
{
  for (int i = 0; i < n; i++) {
    swap(&xr[i], &xr[pivot[i]], 1);
    swap(&xi[i], &xi[pivot[i]], 1);
  }
  for (int i = 1; i < n; i++) subtract(n, re, im, i, 0, i, xr, xi);
  for (int i = n - 1; i >= 0; i--) {
    subtract(n, re, im, i, i + 1, n, xr, xi);
    double r = xr[i], ir = re[i * (n + 1)], ii = im[i * (n + 1)];
    xr[i] = r * ir - xi[i] * ii;
    xi[i] = r * ii + xi[i] * ir;
  }
}
