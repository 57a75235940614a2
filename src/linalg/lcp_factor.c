/* linalg/lcp_factor.c — see lcp_factor.h. */
#include "linalg/lcp_factor.h"
#include "linalg/dot.h"

#include <math.h>
#include <string.h>

static double *column_of(const capm_lcp_factor *f, int j)
{
  return f->l + (size_t)j * (size_t)f->stride;
}

/* Column j less what four columns before it have of it: each entry is loaded once for four. */
CAP_INLINE void subtract_four(int n, const double *restrict a, const double *restrict b,
                              const double *restrict c, const double *restrict d, double *restrict to)
{
  double fa = a[0], fb = b[0], fc = c[0], fd = d[0];
  for (int i = 0; i < n; i++) to[i] -= (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
}

CAP_CLONES static bool factor_columns(int n, int stride, double *l)
{
  size_t step = (size_t)stride;
  for (int j = 0; j < n; j++) {
    double *own = l + (size_t)j * step + j, before = own[0];
    int k = 0;
    for (; k + 4 <= j; k += 4) {
      const double *from = l + (size_t)k * step + j;
      subtract_four(n - j, from, from + step, from + 2 * step, from + 3 * step, own);
    }
    for (; k < j; k++) {
      const double *from = l + (size_t)k * step + j;
      capm_dot_subtract(n - j, from[0], from, own);
    }
    if (!(own[0] > 1e-14 * before) || !isfinite(own[0])) return false;
    double root = sqrt(own[0]), per = 1.0 / root;
    own[0] = root;
    for (int i = 1; i < n - j; i++) own[i] *= per;
  }
  return true;
}

bool capm_lcp_factor_make(capm_lcp_factor *f, int n, const double *M, int size)
{
  f->n = n;
  for (int j = 0; j < n; j++) {
    const double *from = M + (size_t)f->order[j] * (size_t)size;
    double *to = column_of(f, j);
    for (int i = j; i < n; i++) to[i] = from[f->order[i]];
  }
  if (factor_columns(n, f->stride, f->l)) return true;
  f->n = 0;
  return false;
}

CAP_CLONES static void solve_forward(int n, int stride, const double *l, double *x)
{
  size_t step = (size_t)stride;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const double *a = l + (size_t)j * step, *b = a + step, *c = b + step, *d = c + step;
    double xa = x[j] / a[j], xb = (x[j + 1] - a[j + 1] * xa) / b[j + 1];
    double xc = (x[j + 2] - a[j + 2] * xa - b[j + 2] * xb) / c[j + 2];
    double xd = (x[j + 3] - a[j + 3] * xa - b[j + 3] * xb - c[j + 3] * xc) / d[j + 3];
    x[j] = xa, x[j + 1] = xb, x[j + 2] = xc, x[j + 3] = xd;
    for (int i = j + 4; i < n; i++) x[i] -= (a[i] * xa + b[i] * xb) + (c[i] * xc + d[i] * xd);
  }
  for (; j < n; j++) {
    const double *a = l + (size_t)j * step;
    x[j] /= a[j];
    capm_dot_subtract(n - j - 1, x[j], a + j + 1, x + j + 1);
  }
}

CAP_CLONES static void solve_backward(int n, int stride, const double *l, double *x)
{
  for (int j = n - 1; j >= 0; j--) {
    const double *a = l + (size_t)j * (size_t)stride;
    x[j] = (x[j] - capm_dot(n - j - 1, a + j + 1, x + j + 1)) / a[j];
  }
}

void capm_lcp_factor_solve(const capm_lcp_factor *f, double *x)
{
  solve_forward(f->n, f->stride, f->l, x);
  solve_backward(f->n, f->stride, f->l, x);
}

bool capm_lcp_factor_append(capm_lcp_factor *f, int k, const double *M, int size)
{
  int n = f->n;
  const double *from = M + (size_t)k * (size_t)size;
  double *row = column_of(f, n), sum = from[k]; /* the new column is not in use yet: scratch */
  for (int i = 0; i < n; i++) row[i] = from[f->order[i]];
  solve_forward(n, f->stride, f->l, row);
  for (int i = 0; i < n; i++) sum -= row[i] * row[i];
  if (!(sum > 1e-14 * from[k]) || !isfinite(sum)) return false;
  for (int i = 0; i < n; i++) column_of(f, i)[n] = row[i];
  row[n] = sqrt(sum);
  f->order[n] = k;
  f->n = n + 1;
  return true;
}

/* L L' + x x' by rotations of columns, from column `first` on; x from its row `first` on. */
CAP_CLONES static void update(int n, int stride, double *restrict l, int first, double *restrict x)
{
  for (int j = first; j < n; j++) {
    double *restrict own = l + (size_t)j * (size_t)stride;
    double root = sqrt(own[j] * own[j] + x[j] * x[j]), c = root / own[j], s = x[j] / own[j], per = 1.0 / c;
    own[j] = root;
    for (int i = j + 1; i < n; i++) {
      double turned = (own[i] + s * x[i]) * per;
      x[i] = c * x[i] - s * turned;
      own[i] = turned;
    }
  }
}

/* Without its row and column the rest of L lacks what the column gave: that is added again. */
void capm_lcp_factor_remove(capm_lcp_factor *f, int place, double *scratch)
{
  int n = f->n;
  memcpy(scratch, column_of(f, place), sizeof(double) * (size_t)n);
  update(n, f->stride, f->l, place + 1, scratch);
  for (int j = 0; j < place; j++) {
    double *own = column_of(f, j);
    memmove(own + place, own + place + 1, sizeof(double) * (size_t)(n - place - 1));
  }
  for (int j = place + 1; j < n; j++)
    memmove(column_of(f, j - 1) + j - 1, column_of(f, j) + j, sizeof(double) * (size_t)(n - j));
  memmove(f->order + place, f->order + place + 1, sizeof(int) * (size_t)(n - place - 1));
  f->n = n - 1;
}
