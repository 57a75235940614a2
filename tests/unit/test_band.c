/* A cyclic band as a band with a border: solution, factor and product against a dense matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/band.h"
#include "linalg/lu.h"

#include <math.h>
#include <string.h>

enum { MOST = 40, RHS = 5 };

static double value(int i, int j)
{
  return sin(1.0 + 3.0 * i + 0.7 * j) * cos(0.3 * i * j);
}

/* A random positive definite matrix of that pattern, the diagonal heavy enough. */
static void fill(capm_band *b, double *dense)
{
  int n = b->n, k = b->k, m = b->m, size = n + m;
  memset(dense, 0, sizeof(double) * (size_t)(size * size));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= k && j <= i; j++)
      dense[i * size + i - j] = dense[(i - j) * size + i] = b->band[i * (k + 1) + j] = j ? value(i, j)
                                                                                         : 3.0 * (k + m);
  for (int r = 0; r < m; r++) {
    for (int i = 0; i < n; i++)
      dense[(n + r) * size + i] = dense[i * size + n + r] = b->rows[r * n + i] = value(i, r + 9);
    for (int c = 0; c < m; c++)
      dense[(n + r) * size + n + c] = b->corner[r * m + c] = r == c ? 2.0 * n : value(r + c, 5);
  }
}

static void check(int n, int k, int m, int nrhs)
{
  static double dense[MOST * MOST], x[MOST * RHS], y[MOST * RHS], z[MOST * RHS], right[MOST * RHS];
  int pivot[MOST], size = n + m;
  cap_arena arena = {0};
  capm_band b;
  assert_true(capm_band_create(&b, n, k, m, &arena));
  fill(&b, dense);
  assert_true(capm_band_factor(&b));
  for (int i = 0; i < size * nrhs; i++) right[i] = x[i] = y[i] = value(i, 3);
  capm_band_multiply(&b, nrhs, x, z);
  for (int i = 0; i < size; i++)
    for (int c = 0; c < nrhs; c++) {
      double sum = 0.0;
      for (int j = 0; j < size; j++) sum += dense[i * size + j] * x[j * nrhs + c];
      assert_true(fabs(sum - z[i * nrhs + c]) < 1e-11);
    }
  assert_int_equal(capm_lu_factor(size, dense, pivot), 0);
  capm_lu_solve_rows(size, dense, pivot, nrhs, y);
  capm_band_forward(&b, nrhs, x);
  double square = 0.0, work = 0.0; /* |L^-1 x|^2 = x' A^-1 x */
  for (int i = 0; i < size * nrhs; i++) {
    square += x[i] * x[i];
    work += right[i] * y[i];
  }
  assert_true(fabs(square - work) < 1e-12 * fabs(work));
  capm_band_backward(&b, nrhs, x);
  for (int i = 0; i < size * nrhs; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
  cap_arena_free(&arena);
}

static void solves(void **state)
{
  (void)state;
  static const int cases[][4] = {{30, 3, 1, 2}, {31, 3, 1, 4}, {2, 3, 1, 2},  {1, 1, 0, 1}, {20, 7, 4, 5},
                                 {25, 2, 2, 3}, {9, 0, 1, 1},  {30, 3, 0, 2}, {3, 3, 2, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    check(cases[k][0], cases[k][1], cases[k][2], cases[k][3]);
}

/* A singular corner and a negative diagonal are found. */
static void refuses_what_is_not_definite(void **state)
{
  (void)state;
  cap_arena arena = {0};
  capm_band b;
  assert_true(capm_band_create(&b, 4, 1, 1, &arena));
  for (int i = 0; i < 4; i++) b.band[2 * i] = 1.0, b.rows[i] = 0.5;
  b.corner[0] = 1.0; /* = U B^-1 U' */
  assert_false(capm_band_factor(&b));
  b.corner[0] = 1.1;
  assert_true(capm_band_factor(&b));
  b.band[4] = -1.0;
  assert_false(capm_band_factor(&b));
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(solves),
                                     cmocka_unit_test(refuses_what_is_not_definite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
