/* Sparse Cholesky: against dense elimination on many patterns, patterns of factors and of half solutions,
 * what is refused, no allocation when warm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "linalg/cholesky_sparse.h"
#include "linalg/lu.h"

enum { MOST = 60 };

static uint64_t seed = 4711;

/* uniform in [-1, 1] */
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct matrix {
  int n, start[MOST + 1], row[MOST * MOST];
  double value[MOST * MOST], full[MOST * MOST];
} matrix;

/* Whether entry (i, j), i > j, is there. */
typedef bool pattern(int n, int i, int j);

static bool diagonal(int n, int i, int j)
{
  (void)n, (void)i, (void)j;
  return false;
}
static bool band(int n, int i, int j)
{
  (void)n;
  return i - j <= 3;
}
static bool cyclic(int n, int i, int j)
{
  return i - j <= 3 || i - j >= n - 3;
}
static bool arrow(int n, int i, int j) /* the given order fills it wholly */
{
  (void)n, (void)i;
  return j == 0;
}
static bool border(int n, int i, int j)
{
  (void)j;
  return i == n - 1;
}
static bool block(int n, int i, int j)
{
  (void)j;
  return i < n / 2;
}
static bool dense(int n, int i, int j)
{
  (void)n, (void)i, (void)j;
  return true;
}
static bool thrown(int n, int i, int j)
{
  (void)n, (void)i, (void)j;
  return draw() > 0.85;
}
static pattern *const patterns[] = {diagonal, band, cyclic, arrow, border, block, dense, thrown, thrown};
enum { NPATTERN = sizeof patterns / sizeof *patterns };

/* Dominant diagonal: positive definite. Rows of a column descend where `turned`, and entries above the
 * diagonal are there too: both must not matter. */
static void draw_matrix(matrix *m, int n, pattern *has, bool turned)
{
  memset(m, 0, sizeof *m);
  m->n = n;
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++)
      if (has(n, i, j)) m->full[i * n + j] = m->full[j * n + i] = draw();
  for (int j = 0; j < n; j++) {
    double sum = 0.1;
    for (int i = 0; i < n; i++) sum += fabs(m->full[i * n + j]);
    m->full[j * n + j] = sum;
  }
  int count = 0;
  for (int j = 0; j < n; j++) {
    m->start[j] = count;
    for (int k = 0; k < n; k++) {
      int i = turned ? n - 1 - k : k;
      if (m->full[i * n + j] == 0.0 || (!turned && i < j)) continue;
      m->row[count] = i;
      m->value[count++] = m->full[i * n + j];
    }
  }
  m->start[n] = count;
}

static capm_cholesky_sparse *factored(const matrix *m)
{
  capm_cholesky_sparse *c;
  assert_int_equal(capm_cholesky_sparse_create(m->n, m->start, m->row, &c), CAP_OK);
  assert_int_equal(capm_cholesky_sparse_factor(c, m->value), CAP_OK);
  return c;
}

static void factors_multiply_to_the_matrix(void **state)
{
  (void)state;
  static matrix m;
  for (int k = 0; k < NPATTERN; k++)
    for (int n = 1; n <= MOST; n += n < 5 ? 1 : 11) {
      draw_matrix(&m, n, patterns[k], k % 2);
      capm_cholesky_sparse *c = factored(&m);
      const int *order = capm_cholesky_sparse_order(c);
      static double product[MOST * MOST];
      memset(product, 0, sizeof product);
      int64_t nonzeros = 0;
      for (int j = 0; j < n; j++) {
        const int *row;
        const double *value;
        int count = capm_cholesky_sparse_column(c, j, &row, &value);
        assert_int_equal(row[0], j);
        assert_true(value[0] > 0.0);
        nonzeros += count;
        for (int a = 0; a < count; a++) {
          if (a > 0) assert_true(row[a] > row[a - 1]);
          for (int b = 0; b < count; b++) product[order[row[a]] * n + order[row[b]]] += value[a] * value[b];
        }
      }
      assert_int_equal(nonzeros, capm_cholesky_sparse_nonzeros(c));
      for (int i = 0; i < n * n; i++) assert_true(fabs(product[i] - m.full[i]) < 1e-13 * n);
      capm_cholesky_sparse_free(c);
    }
}

static void solutions_are_those_of_dense_elimination(void **state)
{
  (void)state;
  static matrix m;
  for (int k = 0; k < NPATTERN; k++)
    for (int n = 1; n <= MOST; n += 7) {
      draw_matrix(&m, n, patterns[k], k % 2);
      capm_cholesky_sparse *c = factored(&m);
      double x[MOST], reference[MOST];
      int pivot[MOST];
      for (int repeat = 0; repeat < 2; repeat++) {
        for (int i = 0; i < n; i++) x[i] = reference[i] = draw();
        static double lu[MOST * MOST];
        memcpy(lu, m.full, sizeof lu);
        capm_lu_factor(n, lu, pivot);
        capm_lu_solve(n, lu, pivot, reference);
        capm_cholesky_sparse_solve(c, x);
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - reference[i]) < 1e-12);
        for (int p = 0; p < m.start[n]; p++) m.value[p] *= 3.0; /* other values, same pattern */
        for (int p = 0; p < n * n; p++) m.full[p] *= 3.0;
        assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_OK);
      }
      capm_cholesky_sparse_free(c);
    }
}

/* y of L y = P b by dense forward substitution, and where it may be different from zero for any values. */
static void dense_half(const capm_cholesky_sparse *c, int n, const double *b, double *y, bool *may)
{
  const int *order = capm_cholesky_sparse_order(c);
  for (int j = 0; j < n; j++) {
    y[j] = b[order[j]];
    may[j] = y[j] != 0.0;
  }
  for (int j = 0; j < n; j++) {
    const int *row;
    const double *value;
    int count = capm_cholesky_sparse_column(c, j, &row, &value);
    y[j] /= value[0];
    for (int k = 1; k < count; k++) {
      y[row[k]] -= value[k] * y[j];
      may[row[k]] = may[row[k]] || may[j];
    }
  }
}

static void half_solutions_have_the_pattern_of_the_reach(void **state)
{
  (void)state;
  static matrix m;
  int sparse = 0;
  for (int k = 0; k < NPATTERN; k++)
    for (int n = 1; n <= MOST; n += 7) {
      draw_matrix(&m, n, patterns[k], k % 2);
      capm_cholesky_sparse *c = factored(&m);
      for (int repeat = 0; repeat < 5; repeat++) {
        int index[3], at[MOST], wanted = 0;
        double value[3], b[MOST] = {0}, y[MOST] = {0}, reference[MOST], squares = 0.0, product = 0.0;
        bool may[MOST];
        for (int i = 0; i < 3; i++) {
          index[i] = (int)((draw() + 1.0) * 0.5 * n);
          b[index[i]] += value[i] = draw();
        }
        double solution[MOST];
        memcpy(solution, b, sizeof b);
        int count = capm_cholesky_sparse_half(c, 3, index, value, at, y);
        dense_half(c, n, b, reference, may);
        capm_cholesky_sparse_solve(c, solution);
        for (int i = 0; i < n; i++) {
          assert_true(fabs(y[i] - reference[i]) < 1e-13);
          squares += y[i] * y[i];
          product += b[i] * solution[i];
          wanted += may[i];
        }
        assert_int_equal(count, wanted);
        for (int i = 0; i < count; i++) assert_true(may[at[i]] && (i == 0 || at[i] > at[i - 1]));
        assert_true(fabs(squares - product) < 1e-13 * (1.0 + squares)); /* y' y = b' M^-1 b */
        sparse += count < n;
      }
      capm_cholesky_sparse_free(c);
    }
  assert_true(sparse > 50);
}

static void order_of_least_fill_is_taken(void **state)
{
  (void)state;
  static matrix m;
  const struct {
    pattern *has;
    int nonzeros; /* of L, n = 40 */
  } cases[] = {{diagonal, 40}, {arrow, 79}, {border, 79}, {band, 40 * 4 - 6}, {dense, 40 * 41 / 2}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    draw_matrix(&m, 40, cases[k].has, false);
    capm_cholesky_sparse *c = factored(&m);
    assert_int_equal(capm_cholesky_sparse_nonzeros(c), cases[k].nonzeros);
    capm_cholesky_sparse_free(c);
  }
}

static void what_is_not_positive_definite_is_refused(void **state)
{
  (void)state;
  static matrix m;
  for (int k = 0; k < NPATTERN; k++) {
    draw_matrix(&m, 30, patterns[k], false);
    capm_cholesky_sparse *c = factored(&m);
    for (int p = m.start[17]; p < m.start[18]; p++)
      if (m.row[p] == 17) m.value[p] = k % 2 ? 0.0 : -1.0;
    assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_ERR_NUMERICS);
    m.value[m.start[17]] = NAN;
    assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_ERR_NUMERICS);
    capm_cholesky_sparse_free(c);
  }
  /* semidefinite: the rank-one matrix of ones, whose last pivots are rounding */
  draw_matrix(&m, 12, dense, false);
  capm_cholesky_sparse *c = factored(&m);
  for (int p = 0; p < m.start[12]; p++) m.value[p] = 1.0 / 3.0;
  assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_ERR_NUMERICS);
  capm_cholesky_sparse_free(c);
}

static void a_failed_factorisation_leaves_nothing_behind(void **state)
{
  (void)state;
  static matrix m;
  for (int k = 0; k < NPATTERN; k++) {
    double x[MOST], again[MOST];
    draw_matrix(&m, 30, patterns[k], false);
    capm_cholesky_sparse *c = factored(&m);
    for (int i = 0; i < 30; i++) x[i] = again[i] = draw();
    capm_cholesky_sparse_solve(c, x);
    double kept = m.value[m.start[20]];
    m.value[m.start[20]] = NAN;
    assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_ERR_NUMERICS);
    m.value[m.start[20]] = kept;
    assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_OK);
    capm_cholesky_sparse_solve(c, again);
    assert_memory_equal(x, again, 30 * sizeof(double));
    capm_cholesky_sparse_free(c);
  }
}

static void broken_patterns_are_refused(void **state)
{
  (void)state;
  capm_cholesky_sparse *c;
  const int start[] = {0, 2, 3}, missing[] = {0, 1, 0}, twice[] = {0, 0, 1}, outside[] = {0, 2, 1},
            negative[] = {0, -1, 1}, none[] = {0};
  assert_int_equal(capm_cholesky_sparse_create(2, start, missing, &c), CAP_ERR_NUMERICS);
  assert_int_equal(capm_cholesky_sparse_create(2, start, twice, &c), CAP_ERR_NUMERICS);
  assert_int_equal(capm_cholesky_sparse_create(2, start, outside, &c), CAP_ERR_NUMERICS);
  assert_int_equal(capm_cholesky_sparse_create(2, start, negative, &c), CAP_ERR_NUMERICS);
  assert_null(c);
  assert_int_equal(capm_cholesky_sparse_create(0, none, none, &c), CAP_OK);
  assert_int_equal(capm_cholesky_sparse_factor(c, NULL), CAP_OK);
  capm_cholesky_sparse_solve(c, NULL);
  capm_cholesky_sparse_free(c);
  capm_cholesky_sparse_free(NULL);
}

static void warm_calls_do_not_allocate(void **state)
{
  (void)state;
  static matrix m;
  test_count_allocations();
  draw_matrix(&m, 40, cyclic, false);
  capm_cholesky_sparse *c = factored(&m);
  int index[] = {3, 20}, at[MOST];
  double value[] = {1.0, -2.0}, y[MOST] = {0}, x[MOST] = {1.0};
  long before = test_allocations;
  assert_int_equal(capm_cholesky_sparse_factor(c, m.value), CAP_OK);
  capm_cholesky_sparse_solve(c, x);
  assert_true(capm_cholesky_sparse_half(c, 2, index, value, at, y) > 2);
  assert_int_equal(test_allocations, before);
  capm_cholesky_sparse_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors_multiply_to_the_matrix),
                                     cmocka_unit_test(solutions_are_those_of_dense_elimination),
                                     cmocka_unit_test(half_solutions_have_the_pattern_of_the_reach),
                                     cmocka_unit_test(order_of_least_fill_is_taken),
                                     cmocka_unit_test(what_is_not_positive_definite_is_refused),
                                     cmocka_unit_test(a_failed_factorisation_leaves_nothing_behind),
                                     cmocka_unit_test(broken_patterns_are_refused),
                                     cmocka_unit_test(warm_calls_do_not_allocate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
