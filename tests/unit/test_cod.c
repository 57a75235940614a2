/* Least norm of large systems by orthogonal columns against singular values; decompositions of large matrices
 * hear a stop that comes while they are at work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "linalg/clu.h"
#include "linalg/cod.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"

static uint64_t seed = 4711;

/* uniform in [-1, 1] */
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static double *drawn(int count)
{
  double *a = malloc(sizeof(double) * (size_t)count);
  assert_non_null(a);
  for (int i = 0; i < count; i++) a[i] = draw();
  return a;
}

/* a[m][n] of rank r, in units that differ by decades. */
static double *of_rank(int m, int n, int r)
{
  double *left = drawn(m * r), *right = drawn(r * n), *a = calloc((size_t)(m * n), sizeof(double));
  assert_non_null(a);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < r; k++)
      for (int j = 0; j < n; j++) a[i * n + j] += left[i * r + k] * right[k * n + j];
  free(left);
  free(right);
  return a;
}

static void compare(int m, int n, int r)
{
  double *a = of_rank(m, n, r), *b = drawn(m), *x = drawn(n), *y = drawn(n), *copy = drawn(m * n);
  int expected, rank;
  assert_int_equal(capm_lsq_least_norm(m, n, a, b, 1e-10, 0, x, &expected), CAP_OK);
  memcpy(copy, a, sizeof(double) * (size_t)(m * n));
  assert_int_equal(capm_cod_least_norm(m, n, copy, b, 1e-10, y, &rank, NULL), CAP_OK);
  assert_int_equal(expected, r);
  assert_int_equal(rank, r);
  double most = 0.0, miss = 0.0;
  for (int j = 0; j < n; j++) {
    most = fmax(most, fabs(x[j]));
    miss = fmax(miss, fabs(x[j] - y[j]));
  }
  if (!(miss <= 1e-9 * most)) fail_msg("%d x %d of rank %d: off by %g of %g", m, n, r, miss, most);
  free(a);
  free(b);
  free(x);
  free(y);
  free(copy);
}

static void least_norm_is_that_of_singular_values(void **state)
{
  (void)state;
  static const int sizes[][3] = {{1, 1, 1},  {5, 5, 5},   {7, 5, 5},   {5, 7, 5},   {40, 40, 40},
                                 {9, 9, 4},  {30, 20, 7}, {20, 30, 7}, {60, 60, 1}, {60, 60, 59},
                                 {50, 3, 2}, {3, 50, 2},  {80, 80, 40}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) compare(sizes[k][0], sizes[k][1], sizes[k][2]);
}

static void matrices_of_no_or_huge_numbers(void **state)
{
  (void)state;
  double zero[6] = {0}, b[3] = {1, 2, 3}, x[2];
  int rank;
  assert_int_equal(capm_cod_least_norm(3, 2, zero, b, 1e-12, x, &rank, NULL), CAP_OK);
  assert_int_equal(rank, 0);
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  double huge[4] = {3e200, 0, 0, 1e200}, c[2] = {6e200, 1e200};
  assert_int_equal(capm_cod_least_norm(2, 2, huge, c, 1e-12, x, &rank, NULL), CAP_OK);
  assert_int_equal(rank, 2);
  assert_true(fabs(x[0] - 2.0) < 1e-14 && fabs(x[1] - 1.0) < 1e-14);
  double gap[4] = {1, 2, NAN, 4};
  assert_int_equal(capm_cod_least_norm(2, 2, gap, b, 1e-12, x, &rank, NULL), CAP_ERR_NUMERICS);
}

/* Beyond CAPM_LSQ_SINGULAR, with columns of different units: x of least norm solves the system, and is
 * orthogonal to the null space. */
static void large_systems_have_the_least_norm(void **state)
{
  (void)state;
  enum { N = CAPM_LSQ_SINGULAR + 3 };
  double *a = drawn(N * N), *b = malloc(N * sizeof *b), *x = malloc(N * sizeof *x);
  int rank;
  assert_true(b && x);
  for (int i = 0; i < N; i++) {
    a[i * N + N - 1] = 2.0 * a[i * N]; /* the last column is twice the first */
    for (int j = 1; j < N - 1; j++) a[i * N + j] *= pow(10.0, j % 7 - 3);
    b[i] = 5.0 * a[i * N];
    for (int j = 1; j < N - 1; j++) b[i] += a[i * N + j] * pow(10.0, 3 - j % 7);
  }
  assert_int_equal(capm_lsq_least_norm(N, N, a, b, 1e-12, 1, x, &rank), CAP_OK);
  assert_int_equal(rank, N - 1);
  /* 5 = x_0 + 2 x_last; in scaled unknowns x_0 : 2 x_last of equal size */
  assert_true(fabs(x[0] - 2.5) < 1e-9 && fabs(x[N - 1] - 1.25) < 1e-9);
  for (int j = 1; j < N - 1; j++) assert_true(fabs(x[j] * pow(10.0, j % 7 - 3) - 1.0) < 1e-9);
  free(a);
  free(b);
  free(x);
}

/* ---- stops --------------------------------------------------------------------------------------------- */

enum { LARGE = 2002 }; /* 500 harmonics of a coordinate with friction: seconds of work */

static volatile sig_atomic_t stop;
static double raised;

static void raise_stop(int number)
{
  (void)number;
  raised = cap_clock_processor();
  cap_progress_raise(&stop, 1);
}

static void raise_after_50_ms(void)
{
  cap_progress_raise(&stop, 0);
  signal(SIGPROF, raise_stop);
  assert_int_equal(setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_usec = 50000}}, NULL), 0);
}

static void assert_heard(const char *what)
{
  double took = cap_clock_processor() - raised;
  if (!cap_progress_signal(&stop)) fail_msg("%s was over before it could be stopped", what);
  if (!(took <= CAP_PROGRESS_UNHEARD)) fail_msg("%s was stopped after %.2f s of the processor", what, took);
}

static void large_factorisations_hear_a_stop(void **state)
{
  (void)state;
  cap_progress progress = {.stop = &stop};
  double *a = drawn(LARGE * LARGE), *b = drawn(LARGE * LARGE);
  int *pivot = malloc(LARGE * sizeof *pivot);
  assert_non_null(pivot);
  raise_after_50_ms();
  assert_int_equal(capm_lu_factor_heard(LARGE, a, pivot, &progress), CAPM_LU_STOPPED);
  assert_heard("a factorisation");
  raise_after_50_ms();
  assert_int_equal(capm_clu_factor_heard(LARGE, a, b, pivot, &progress), CAPM_CLU_STOPPED);
  assert_heard("a complex factorisation");
  free(a);
  free(b);
  free(pivot);
}

static void a_large_least_norm_hears_a_stop(void **state)
{
  (void)state;
  cap_progress progress = {.stop = &stop};
  double *a = drawn(LARGE * LARGE), *b = drawn(LARGE), *x = drawn(LARGE);
  raise_after_50_ms();
  assert_int_equal(capm_lsq_least_norm_heard(LARGE, LARGE, a, b, 1e-12, 1, x, NULL, &progress), CAP_STOPPED);
  assert_heard("a least norm");
  for (int i = 0; i < LARGE; i++) a[i * LARGE + 1] = a[i * LARGE]; /* of a matrix that is singular, too */
  memcpy(a + LARGE, a, sizeof(double) * LARGE);
  raise_after_50_ms();
  assert_int_equal(capm_lsq_least_norm_heard(LARGE, LARGE, a, b, 1e-12, 1, x, NULL, &progress), CAP_STOPPED);
  assert_heard("a least norm of a singular matrix");
  free(a);
  free(b);
  free(x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_norm_is_that_of_singular_values),
      cmocka_unit_test(matrices_of_no_or_huge_numbers),
      cmocka_unit_test(large_systems_have_the_least_norm),
      cmocka_unit_test(large_factorisations_hear_a_stop),
      cmocka_unit_test(a_large_least_norm_hears_a_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
