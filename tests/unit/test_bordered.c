/* Closed chains of blocks with a border (linalg/bordered.h) against products with the matrix itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/bordered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 9, COLUMNS_MOST = 6, MOST = 4 * BLOCKS_MOST + COLUMNS_MOST };

static double noise(int k)
{
  double x = sin(12.9898 * k + 1.0) * 43758.5453;
  return x - floor(x) - 0.5;
}

/* Diagonally dominant, and the same as a dense matrix. */
static void fill(const capm_bordered *b, double A[MOST][MOST])
{
  int size = 4 * b->n;
  memset(A, 0, sizeof(double) * MOST * MOST);
  for (int k = 0; k < b->n; k++) {
    int before = (k + b->n - 1) % b->n;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        double own = (i == j ? 6.0 : 0.0) + noise(100 * k + (i > j ? i * 4 + j : j * 4 + i)),
               coupled = noise(1000 + 100 * k + 4 * i + j);
        b->chain.diagonal[16 * k + 4 * j + i] = own;
        b->chain.lower[16 * k + 4 * j + i] = coupled;
        A[4 * k + i][4 * k + j] += own;
        A[4 * k + i][4 * before + j] += coupled;
        A[4 * before + j][4 * k + i] += coupled;
      }
  }
  for (int c = 0; c < b->m; c++) {
    for (int i = 0; i < size; i++)
      A[i][size + c] = A[size + c][i] = b->column[c * size + i] = noise(5000 + 50 * c + i);
    for (int j = 0; j < b->m; j++)
      A[size + c][size + j] = b->corner[c * b->m + j] = (c == j ? 20.0 : 0.0) +
                                                        noise(9000 + (c > j ? c * 8 + j : j * 8 + c));
  }
}

static void solutions_fit(void **state)
{
  (void)state;
  static double A[MOST][MOST], x[MOST], f[MOST], p[MOST];
  static const int blocks[] = {0, 3, 4, 9}, columns[] = {0, 1, 2, 6};
  for (int t = 0; t < 16; t++) {
    int n = blocks[t / 4], m = columns[t % 4], size = 4 * n + m;
    double *memory = calloc((size_t)capm_bordered_nwork(n, m) + 1, sizeof(double));
    assert_non_null(memory);
    capm_bordered b = capm_bordered_on(n, m, memory);
    fill(&b, A);
    assert_true(capm_bordered_factor(&b));
    for (int i = 0; i < size; i++) f[i] = x[i] = noise(7 + i);
    capm_bordered_solve(&b, x);
    capm_bordered_multiply(&b, x, p);
    for (int i = 0; i < size; i++) {
      double sum = 0.0;
      for (int j = 0; j < size; j++) sum += A[i][j] * x[j];
      assert_true(fabs(sum - f[i]) < 1e-13);
      assert_true(fabs(sum - p[i]) < 1e-13);
    }
    free(memory);
  }
}

static void indefinite_is_refused(void **state)
{
  (void)state;
  static double A[MOST][MOST];
  double *memory = malloc(sizeof(double) * (size_t)capm_bordered_nwork(5, 3));
  assert_non_null(memory);
  capm_bordered b = capm_bordered_on(5, 3, memory);
  for (int k = 0; k < 8; k++) {
    fill(&b, A);
    if (k < 5) b.chain.diagonal[16 * k + 5] = -6.0;
    else b.corner[(k - 5) * 4] = 0.1;
    assert_false(capm_bordered_factor(&b));
  }
  fill(&b, A);
  b.corner[4] = NAN;
  assert_false(capm_bordered_factor(&b));
  free(memory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_fit),
      cmocka_unit_test(indefinite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
