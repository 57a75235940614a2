/* Linear complementarity: problems by hand, degenerate ones, matrices that have no answer, and the factor
 * whose rows come and go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/lcp.h"
#include "linalg/lcp_factor.h"

static uint64_t seed = 20261115;

static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

typedef enum way { LEMKE, NEWTON, NWAY } way;

static cap_status solve(way by, capm_lcp *lcp, int n, const double *M, const double *q, double *z,
                        capm_lcp_stats *stats)
{
  return by == LEMKE ? capm_lcp_lemke(lcp, n, M, q, z, stats)
                     : capm_lcp_newton(lcp, n, M, false, q, z, stats);
}

/* M = [2 1; 1 2], q = (-5, -6): z = (4/3, 7/3); q = (-1, 3): z = (1/2, 0), w = (0, 7/2). */
static void two_unknowns(void **state)
{
  (void)state;
  const double M[] = {2, 1, 1, 2}, both[] = {-5, -6}, one[] = {-1, 3}, none[] = {1, 0};
  for (way by = 0; by < NWAY; by++) {
    capm_lcp *lcp = capm_lcp_create(2);
    capm_lcp_stats stats;
    double z[2] = {0};
    assert_int_equal(solve(by, lcp, 2, M, both, z, &stats), CAP_OK);
    assert_near(z[0], 4.0 / 3.0, 1e-15);
    assert_near(z[1], 7.0 / 3.0, 1e-15);
    assert_int_equal(solve(by, lcp, 2, M, one, z, &stats), CAP_OK);
    assert_near(z[0], 0.5, 1e-15);
    assert_true(z[1] == 0.0);
    assert_int_equal(solve(by, lcp, 2, M, none, z, &stats), CAP_OK);
    assert_true(z[0] == 0.0 && z[1] == 0.0 && stats.residual == 0.0);
    capm_lcp_free(lcp);
  }
}

/* Coordinates of a point of contact that touches without force: w = z = 0. */
static void touching_without_force(void **state)
{
  (void)state;
  const double M[] = {2, 1, 1, 1, 2, 1, 1, 1, 2}, q[] = {-4, -2, -2}; /* z = (2, 0, 0), w = 0 */
  for (way by = 0; by < NWAY; by++) {
    capm_lcp *lcp = capm_lcp_create(3);
    for (int start = 0; start < 8; start++) {
      double z[3] = {start & 1, (start >> 1) & 1, start >> 2};
      assert_int_equal(solve(by, lcp, 3, M, q, z, NULL), CAP_OK);
      assert_near(z[0], 2.0, 1e-12);
      assert_near(z[1], 0.0, 1e-12);
      assert_near(z[2], 0.0, 1e-12);
    }
    capm_lcp_free(lcp);
  }
}

/* All ratios are equal again and again: ties, without whose order complementary pivoting may cycle. */
static void many_ties(void **state)
{
  (void)state;
  enum { N = 30 };
  double M[N * N], q[N], z[N];
  for (int i = 0; i < N; i++) {
    q[i] = -1.0;
    for (int j = 0; j < N; j++) M[i * N + j] = i == j ? 2.0 : 1.0;
  }
  for (way by = 0; by < NWAY; by++) {
    capm_lcp *lcp = capm_lcp_create(N);
    memset(z, 0, sizeof z);
    assert_int_equal(solve(by, lcp, N, M, q, z, NULL), CAP_OK);
    for (int i = 0; i < N; i++) assert_near(z[i], 1.0 / (N + 1), 1e-14);
    capm_lcp_free(lcp);
  }
}

/* M is a P-matrix in both: one on which pivoting by least indices cycles, and a definite one on which
 * Newton's block steps do, so that Murty's rule must end it. */
static void cycles_are_broken(void **state)
{
  (void)state;
  const double M[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, q[] = {-1, -1, -1};
  const double definite[] = {4, 5, -5, 5, 9, -5, -5, -5, 7};
  capm_lcp *lcp = capm_lcp_create(3);
  double z[3], p[3], reference[3];
  int single = 0;
  assert_int_equal(capm_lcp_lemke(lcp, 3, M, q, z, NULL), CAP_OK);
  for (int i = 0; i < 3; i++) assert_near(z[i], 1.0 / 3.0, 1e-14);
  for (int k = 0; k < 4000; k++) {
    capm_lcp_stats stats;
    for (int i = 0; i < 3; i++) p[i] = draw(), z[i] = draw();
    assert_int_equal(capm_lcp_lemke(lcp, 3, definite, p, reference, NULL), CAP_OK);
    assert_int_equal(capm_lcp_newton(lcp, 3, definite, false, p, z, &stats), CAP_OK);
    for (int i = 0; i < 3; i++) assert_near(z[i], reference[i], 1e-11);
    single += stats.single;
  }
  assert_true(single > 0);
  print_message("block steps cycled in %d of 4000\n", single);
  capm_lcp_free(lcp);
}

/* w = -z - 1 has no answer, w_1 = z_2 - 1, w_2 = -z_1 none either: a ray, never an answer. */
static void no_answer_is_told(void **state)
{
  (void)state;
  const double negative[] = {-1}, q1[] = {-1}, skew[] = {0, 1, -1, 0}, q2[] = {1, -1};
  const double inconsistent[] = {1, -1, -1, 1}, q3[] = {-1, -1}; /* semidefinite: w1 + w2 = -2 */
  capm_lcp *lcp = capm_lcp_create(2);
  capm_lcp_stats stats;
  double z[2] = {0};
  assert_int_equal(capm_lcp_lemke(lcp, 1, negative, q1, z, &stats), CAP_ERR_NUMERICS);
  assert_int_equal(capm_lcp_lemke(lcp, 2, skew, q2, z, &stats), CAP_ERR_NUMERICS);
  assert_int_equal(capm_lcp_lemke(lcp, 2, inconsistent, q3, z, &stats), CAP_ERR_NUMERICS);
  memset(z, 0, sizeof z);
  assert_int_equal(capm_lcp_newton(lcp, 2, inconsistent, false, q3, z, &stats), CAP_RETRY_NOCONV);
  memset(z, 0, sizeof z);
  assert_int_equal(capm_lcp_solve(lcp, 2, inconsistent, false, q3, z, &stats), CAP_ERR_NUMERICS);
  assert_true(stats.fallback);
  const double wild[] = {1, NAN, NAN, 1};
  assert_int_equal(capm_lcp_lemke(lcp, 2, wild, q3, z, &stats), CAP_ERR_NUMERICS);
  capm_lcp_free(lcp);
}

/* Not symmetric: nothing for Newton, but Lemke can do with it, as z . M z > 0. */
static void fallback_takes_over(void **state)
{
  (void)state;
  const double M[] = {1, -2, 2, 1}, q[] = {-1, -1}; /* z = (1, 0), w = (0, 1) */
  capm_lcp *lcp = capm_lcp_create(2);
  capm_lcp_stats stats;
  double z[2] = {0};
  assert_int_equal(capm_lcp_solve(lcp, 2, M, false, q, z, &stats), CAP_OK);
  assert_true(stats.fallback && stats.pivots > 0);
  assert_near(z[0], 1.0, 1e-14);
  assert_true(z[1] == 0.0);
  capm_lcp_free(lcp);
}

/* Influence of a cantilever beam pressed against stops at equal distances: (j i^2 - i^3 / 3) / (2 EI). */
static double cantilever(int i, int j)
{
  double a = i < j ? i : j, b = i < j ? j : i;
  return (b * a * a - a * a * a / 3.0) / 2.0;
}

/* A single stop takes all: against the tip deflection F l^3 / 3. Stops that stand back alternately open. */
static void cantilever_kernel(void **state)
{
  (void)state;
  enum { N = 12 };
  double M[N * N], q[N], z[2][N] = {{0}};
  for (int i = 0; i < N; i++) {
    q[i] = i % 2 ? 0.3 - 1e-3 * i : -0.2 * (i + 1) * (i + 1);
    for (int j = 0; j < N; j++) M[i * N + j] = cantilever(i + 1, j + 1);
  }
  assert_near(M[N * N - 1], N * N * N / 3.0, 1e-10);
  capm_lcp *lcp = capm_lcp_create(N);
  assert_int_equal(capm_lcp_lemke(lcp, N, M, q, z[0], NULL), CAP_OK);
  assert_int_equal(capm_lcp_newton(lcp, N, M, false, q, z[1], NULL), CAP_OK);
  int open = 0;
  for (int i = 0; i < N; i++) {
    assert_near(z[1][i], z[0][i], 1e-8);
    open += z[0][i] == 0.0;
  }
  assert_true(open > 0 && open < N);
  capm_lcp_free(lcp);
}

static void draw_definite(int n, double *M)
{
  double *b = malloc(sizeof(double) * (size_t)(n * n));
  for (int k = 0; k < n * n; k++) b[k] = draw();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      M[i * n + j] = i == j ? 0.1 : 0.0;
      for (int k = 0; k < n; k++) M[i * n + j] += b[i * n + k] * b[j * n + k];
    }
  free(b);
}

static void assert_factored(const capm_lcp_factor *f, const double *M, int size)
{
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int k = 0; k <= j; k++) sum += f->l[k * f->stride + i] * f->l[k * f->stride + j];
      assert_near(sum, M[f->order[i] * size + f->order[j]], 1e-11 * size);
    }
}

/* Rows enter at the end and leave from the first, the last and inner places. */
static void factor_follows_its_rows(void **state)
{
  (void)state;
  enum { N = 23 };
  double M[N * N], l[N * N], scratch[N], x[N];
  int order[N];
  capm_lcp_factor f = {.stride = N, .order = order, .l = l};
  draw_definite(N, M);
  for (int k = 0; k < N - 2; k++) order[k] = k + 1;
  assert_true(capm_lcp_factor_make(&f, N - 2, M, N));
  assert_factored(&f, M, N);
  const int leave[] = {0, 19, 7, 8, 0};
  for (int k = 0; k < 5; k++) {
    capm_lcp_factor_remove(&f, leave[k], scratch);
    assert_factored(&f, M, N);
  }
  assert_true(capm_lcp_factor_append(&f, 0, M, N));
  assert_true(capm_lcp_factor_append(&f, N - 1, M, N));
  assert_factored(&f, M, N);
  assert_false(capm_lcp_factor_append(&f, N - 1, M, N)); /* a row twice is singular */
  assert_int_equal(f.n, N - 5 + 0 - 2 + 2);
  for (int i = 0; i < f.n; i++) {
    x[i] = 0.0;
    for (int j = 0; j < f.n; j++) x[i] += M[order[i] * N + order[j]] * (j + 1);
  }
  capm_lcp_factor_solve(&f, x);
  for (int i = 0; i < f.n; i++) assert_near(x[i], i + 1, 1e-8);
}

/* From far starts, with matrices on which block steps do not always settle. */
static void newton_from_everywhere(void **state)
{
  (void)state;
  enum { N = 40, PROBLEMS = 300 };
  static double M[N * N], q[N], z[N], reference[N];
  capm_lcp *lcp = capm_lcp_create(N);
  int single = 0;
  for (int p = 0; p < PROBLEMS; p++) {
    int n = 2 + p % (N - 1);
    capm_lcp_stats stats;
    draw_definite(n, M);
    for (int i = 0; i < n; i++) q[i] = draw() + 0.2, z[i] = draw();
    assert_int_equal(capm_lcp_lemke(lcp, n, M, q, reference, NULL), CAP_OK);
    assert_int_equal(capm_lcp_newton(lcp, n, M, false, q, z, &stats), CAP_OK);
    single += stats.single;
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, reference[i]);
    for (int i = 0; i < n; i++) assert_near(z[i], reference[i], 1e-8 * (1.0 + size));
  }
  print_message("Murty's rule was needed %d times of %d\n", single, PROBLEMS);
  capm_lcp_free(lcp);
}

/* With the matrix of the last call nothing is factored while the set stays. */
static void factor_is_reused(void **state)
{
  (void)state;
  enum { N = 30 };
  static double M[N * N], q[N], z[N];
  capm_lcp *lcp = capm_lcp_create(N);
  capm_lcp_stats stats;
  draw_definite(N, M);
  for (int i = 0; i < N; i++) q[i] = draw();
  assert_int_equal(capm_lcp_newton(lcp, N, M, false, q, z, &stats), CAP_OK);
  for (int i = 0; i < N; i++) q[i] *= 1.0 + 1e-9;
  assert_int_equal(capm_lcp_newton(lcp, N, M, true, q, z, &stats), CAP_OK);
  assert_int_equal(stats.iterations, 1);
  assert_int_equal(stats.factors, 0);
  assert_int_equal(stats.updates, 0);
  capm_lcp_free(lcp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_unknowns),
      cmocka_unit_test(touching_without_force),
      cmocka_unit_test(many_ties),
      cmocka_unit_test(cycles_are_broken),
      cmocka_unit_test(no_answer_is_told),
      cmocka_unit_test(fallback_takes_over),
      cmocka_unit_test(cantilever_kernel),
      cmocka_unit_test(factor_follows_its_rows),
      cmocka_unit_test(newton_from_everywhere),
      cmocka_unit_test(factor_is_reused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
