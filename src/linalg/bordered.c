/* linalg/bordered.c — see bordered.h. */
#include "linalg/bordered.h"
#include "base/clones.h"
#include "linalg/dot.h"

#include <math.h>
#include <string.h>

enum { SIZE = CAPM_BLOCKS_SIZE, MOST = CAPM_BORDERED_MOST };

int capm_bordered_nwork(int n, int m)
{
  return capm_blocks_nwork(n) + (3 * m + 1) * SIZE * n + 2 * m * m;
}

capm_bordered capm_bordered_on(int n, int m, double *memory)
{
  int each = m * SIZE * n;
  capm_bordered b = {.n = n, .m = m, .chain = capm_blocks_on(n, memory)};
  b.column = memory + capm_blocks_nwork(n);
  b.y = b.column + each;
  b.z = b.y + each;
  b.scratch = b.z + each;
  b.corner = b.scratch + SIZE * n;
  b.schur = b.corner + m * m;
  return b;
}

/* out[j] = x[j] . y of m columns x */
CAP_CLONES static void project(int n, int m, const double *x, const double *y, double *out)
{
  for (int j = 0; j < m; j++) out[j] = capm_dot(n, x + j * n, y);
}

/* x -= sum of m columns z, each times its lead */
CAP_CLONES static void eliminate(int n, int m, const double *z, const double *lead, double *x)
{
  for (int j = 0; j < m; j++) capm_dot_subtract(n, lead[j], z + j * n, x);
}

/* Lower triangle in place; false: not positive definite. A pivot that is rounding of what stood there is
 * none. */
static bool cholesky(int m, const double *corner, double *a)
{
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < j; k++) a[j * m + j] -= a[j * m + k] * a[j * m + k];
    if (!(a[j * m + j] > 1e-14 * corner[j * m + j])) return false;
    a[j * m + j] = sqrt(a[j * m + j]);
    for (int i = j + 1; i < m; i++) {
      for (int k = 0; k < j; k++) a[i * m + j] -= a[i * m + k] * a[j * m + k];
      a[i * m + j] /= a[j * m + j];
    }
  }
  return true;
}

/* Columns up to the last that is not all 0. */
static int coupled(int n, int m, const double *column)
{
  for (; m > 0; m--)
    for (int i = 0; i < n; i++)
      if (column[(m - 1) * n + i] != 0.0) return m;
  return 0;
}

bool capm_bordered_factor(const capm_bordered *b)
{
  int size = SIZE * b->n, m = b->m, some = coupled(size, m, b->column);
  memcpy(b->schur, b->corner, sizeof(double) * (size_t)(m * m));
  if (b->n > 0) {
    if (!capm_blocks_factor(&b->chain)) return false;
    memcpy(b->y, b->column, sizeof(double) * (size_t)(m * size));
    capm_blocks_forward(&b->chain, some, b->y, b->z);
    memset(b->z + some * size, 0, sizeof(double) * (size_t)((m - some) * size));
    for (int i = 0; i < some; i++) {
      double less[MOST];
      project(size, i + 1, b->y, b->z + i * size, less);
      for (int j = 0; j <= i; j++) b->schur[i * m + j] -= less[j];
    }
  }
  return cholesky(m, b->corner, b->schur);
}

static void solve_corner(int m, const double *a, double *x)
{
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < i; k++) x[i] -= a[i * m + k] * x[k];
    x[i] /= a[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) x[i] -= a[k * m + i] * x[k];
    x[i] /= a[i * m + i];
  }
}

void capm_bordered_solve(const capm_bordered *b, double *x)
{
  int size = SIZE * b->n, m = b->m;
  double *lead = x + size, less[MOST];
  if (b->n > 0) {
    memcpy(b->scratch, x, sizeof(double) * (size_t)size);
    capm_blocks_forward(&b->chain, 1, b->scratch, x);
    project(size, m, b->y, x, less);
    for (int j = 0; j < m; j++) lead[j] -= less[j];
  }
  solve_corner(m, b->schur, lead);
  if (b->n == 0) return;
  eliminate(size, m, b->z, lead, x);
  capm_blocks_backward(&b->chain, x);
}

void capm_bordered_multiply(const capm_bordered *b, const double *x, double *p)
{
  int size = SIZE * b->n, m = b->m;
  const double *lead = x + size;
  double back[MOST];
  if (b->n > 0) {
    capm_blocks_multiply(&b->chain, x, p);
    for (int j = 0; j < m; j++) back[j] = -lead[j];
    eliminate(size, m, b->column, back, p);
    project(size, m, b->column, x, p + size);
  } else memset(p, 0, sizeof(double) * (size_t)m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) p[size + i] += b->corner[i * m + j] * lead[j];
}
