/* Closed chains of blocks (linalg/blocks.h) against dense Gaussian elimination. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 9, MOST = 4 * BLOCKS_MOST };

static double noise(int k)
{
  double x = sin(12.9898 * k + 1.0) * 43758.5453;
  return x - floor(x) - 0.5;
}

/* Diagonally dominant, and the same as a dense matrix. */
static void fill(const capm_blocks *b, double A[MOST][MOST])
{
  memset(A, 0, sizeof(double) * MOST * MOST);
  for (int k = 0; k < b->n; k++) {
    int before = (k + b->n - 1) % b->n;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        double own = (i == j ? 5.0 : 0.0) + noise(100 * k + (i > j ? i * 4 + j : j * 4 + i)),
               coupled = noise(1000 + 100 * k + 4 * i + j);
        b->diagonal[16 * k + 4 * j + i] = own;
        b->lower[16 * k + 4 * j + i] = coupled;
        A[4 * k + i][4 * k + j] += own;
        A[4 * k + i][4 * before + j] += coupled;
        A[4 * before + j][4 * k + i] += coupled;
      }
  }
}

static void solutions_fit(void **state)
{
  (void)state;
  static double A[MOST][MOST], y[2 * MOST], z[2 * MOST], x[MOST], f[MOST];
  for (int n = 3; n <= BLOCKS_MOST; n += 2) {
    double *memory = malloc(sizeof(double) * (size_t)capm_blocks_nwork(n));
    assert_non_null(memory);
    capm_blocks b = capm_blocks_on(n, memory);
    fill(&b, A);
    assert_true(capm_blocks_factor(&b));
    for (int i = 0; i < 4 * n; i++) f[i] = y[i] = noise(7 + i), y[4 * n + i] = noise(9 + i);
    capm_blocks_forward(&b, 2, y, z);
    double whole = 0.0, square = 0.0;
    for (int i = 0; i < 4 * n; i++) whole += y[i] * z[i]; /* f' A^-1 f */
    memcpy(x, z, sizeof(double) * (size_t)(4 * n));
    capm_blocks_backward(&b, x);
    for (int i = 0; i < 4 * n; i++) {
      double sum = 0.0;
      for (int j = 0; j < 4 * n; j++) sum += A[i][j] * x[j];
      assert_true(fabs(sum - f[i]) < 1e-13);
      square += x[i] * sum;
    }
    assert_true(fabs(whole - square) < 1e-13);
    assert_true(fabs(capm_blocks_square(&b, x) - square) < 1e-12);
    free(memory);
  }
}

static void indefinite_is_refused(void **state)
{
  (void)state;
  static double A[MOST][MOST];
  double *memory = malloc(sizeof(double) * (size_t)capm_blocks_nwork(5));
  assert_non_null(memory);
  capm_blocks b = capm_blocks_on(5, memory);
  for (int k = 0; k < 5; k++) {
    fill(&b, A);
    b.diagonal[16 * k + 5] = -5.0;
    assert_false(capm_blocks_factor(&b));
    fill(&b, A);
    b.diagonal[16 * k + 5] = NAN;
    assert_false(capm_blocks_factor(&b));
  }
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
