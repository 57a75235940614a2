/* linalg/lu.c — see lu.h. */
#include "linalg/lu.h"
#include "base/clones.h"

#include <math.h>
#include <stdbool.h>

static void swap_rows(int n, double *a, int i, int j)
{
  for (int c = 0; c < n; c++) {
    double keep = a[i * n + c];
    a[i * n + c] = a[j * n + c];
    a[j * n + c] = keep;
  }
}

/* The last columns take no time worth asking for. */
enum { LAST = 64 };

CAP_INLINE int factor(int n, double *a, int *pivot, const cap_progress *progress)
{
  for (int k = 0; k < n; k++) {
    if (progress && n - k > LAST && cap_progress_stopped(progress)) return CAPM_LU_STOPPED;
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    pivot[k] = best;
    double p = a[best * n + k];
    if (p == 0.0 || !isfinite(p)) return k + 1;
    if (best != k) swap_rows(n, a, k, best);
    const double *restrict from = a + k * n;
    for (int i = k + 1; i < n; i++) {
      double l = a[i * n + k] / p;
      a[i * n + k] = l;
      if (l == 0.0) continue;
      double *restrict to = a + i * n;
      for (int c = k + 1; c < n; c++) to[c] -= l * from[c];
    }
  }
  return 0;
}

CAP_CLONES static int factor_wide(int n, double *a, int *pivot, const cap_progress *progress)
{
  return factor(n, a, pivot, progress);
}

/* wide registers pay from about a dozen unknowns on */
int capm_lu_factor_heard(int n, double *a, int *pivot, const cap_progress *progress)
{
  return n < 12 ? factor(n, a, pivot, NULL) : factor_wide(n, a, pivot, progress);
}

int capm_lu_factor(int n, double *a, int *pivot)
{
  return capm_lu_factor_heard(n, a, pivot, NULL);
}

void capm_lu_solve(int n, const double *lu, const int *pivot, double *x)
{
  for (int i = 0; i < n; i++) {
    double keep = x[pivot[i]];
    x[pivot[i]] = x[i];
    x[i] = keep;
  }
  for (int i = 1; i < n; i++)
    for (int c = 0; c < i; c++) x[i] -= lu[i * n + c] * x[c];
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) x[i] -= lu[i * n + c] * x[c];
    x[i] /= lu[i * n + i];
  }
}

CAP_CLONES void capm_lu_solve_rows(int n, const double *lu, const int *pivot, int m, double *b)
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < m && pivot[i] != i; c++) {
      double keep = b[pivot[i] * m + c];
      b[pivot[i] * m + c] = b[i * m + c];
      b[i * m + c] = keep;
    }
  for (int step = 0; step < 2 * n; step++) { /* down through L, then up through U */
    bool down = step < n;
    int i = down ? step : 2 * n - 1 - step, first = down ? 0 : i + 1, last = down ? i : n;
    double *restrict to = b + i * m;
    for (int k = first; k < last; k++) {
      const double *restrict from = b + k * m;
      double factor = lu[i * n + k];
      for (int c = 0; c < m && factor != 0.0; c++) to[c] -= factor * from[c];
    }
    double by = 1.0 / lu[i * n + i];
    for (int c = 0; c < m && !down; c++) to[c] *= by;
  }
}

void capm_lu_solve_transposed(int n, const double *lu, const int *pivot, double *x)
{
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < i; c++) x[i] -= lu[c * n + i] * x[c];
    x[i] /= lu[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--)
    for (int c = i + 1; c < n; c++) x[i] -= lu[c * n + i] * x[c];
  for (int i = n - 1; i >= 0; i--) {
    double keep = x[pivot[i]];
    x[pivot[i]] = x[i];
    x[i] = keep;
  }
}

void capm_lu_invert(int n, const double *lu, const int *pivot, double *inverse)
{
  /* row j of the inverse solves a^T r = e_j, so rows stay contiguous */
  for (int j = 0; j < n; j++) {
    double *row = inverse + j * n;
    for (int i = 0; i < n; i++) row[i] = i == j;
    capm_lu_solve_transposed(n, lu, pivot, row);
  }
}

double capm_lu_pivot_ratio(int n, const double *lu)
{
  double low = INFINITY, high = 0.0;
  for (int i = 0; i < n; i++) {
    double p = fabs(lu[i * n + i]);
    low = fmin(low, p);
    high = fmax(high, p);
  }
  return n > 0 ? low / high : 0.0;
}
