/* Small dense kernels and LAPACK wrappers against closed forms and each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/clu.h"
#include "linalg/eigen.h"
#include "linalg/expm.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"
#include "linalg/nullspace.h"

static uint64_t seed = 12345;

/* uniform in [-1, 1] */
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void draw_matrix(int count, double *a)
{
  for (int i = 0; i < count; i++) a[i] = draw();
}

static void multiply(int n, const double *a, const double *b, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i * n + j] = 0.0;
      for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

static void complex_lu_solves(void **state)
{
  (void)state;
  enum { MOST = 20 };
  for (int n = 1; n <= MOST; n++) {
    double re[MOST * MOST], im[MOST * MOST], xr[MOST], xi[MOST], br[MOST] = {0}, bi[MOST] = {0};
    int pivot[MOST];
    draw_matrix(n * n, re);
    draw_matrix(n * n, im);
    if (n > 1) re[0] = im[0] = 0.0; /* needs a row exchange */
    draw_matrix(n, xr);
    draw_matrix(n, xi);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        br[i] += re[i * n + j] * xr[j] - im[i * n + j] * xi[j];
        bi[i] += re[i * n + j] * xi[j] + im[i * n + j] * xr[j];
      }
    assert_int_equal(capm_clu_factor(n, re, im, pivot), 0);
    capm_clu_solve(n, re, im, pivot, br, bi);
    for (int i = 0; i < n; i++) {
      assert_near(br[i], xr[i], 1e-12);
      assert_near(bi[i], xi[i], 1e-12);
    }
  }
  double re[4] = {1.0, 2.0, 2.0, 4.0}, im[4] = {1.0, 2.0, 2.0, 4.0};
  int pivot[2];
  assert_int_equal(capm_clu_factor(2, re, im, pivot), 2); /* singular in its second column */
}

static void lu_solves_and_inverts(void **state)
{
  (void)state;
  enum { MOST = 20 };
  for (int n = 1; n <= MOST; n++) {
    double a[MOST * MOST], lu[MOST * MOST], inverse[MOST * MOST], product[MOST * MOST], x[MOST], b[MOST],
        bt[MOST];
    int pivot[MOST];
    draw_matrix(n * n, a);
    if (n > 1) a[0] = 0.0; /* needs a row exchange */
    draw_matrix(n, x);
    for (int i = 0; i < n; i++) {
      b[i] = bt[i] = 0.0;
      for (int j = 0; j < n; j++) {
        b[i] += a[i * n + j] * x[j];
        bt[i] += a[j * n + i] * x[j];
      }
    }
    memcpy(lu, a, sizeof a);
    assert_int_equal(capm_lu_factor(n, lu, pivot), 0);
    capm_lu_solve(n, lu, pivot, b);
    capm_lu_solve_transposed(n, lu, pivot, bt);
    capm_lu_invert(n, lu, pivot, inverse);
    memcpy(product, a, sizeof(double) * (size_t)(n * n));
    capm_lu_solve_rows(n, lu, pivot, n, product);
    for (int i = 0; i < n * n; i++) assert_near(product[i], i % (n + 1) == 0, 1e-11);
    multiply(n, a, inverse, product);
    for (int i = 0; i < n; i++) {
      assert_near(b[i], x[i], 1e-12);
      assert_near(bt[i], x[i], 1e-12);
      for (int j = 0; j < n; j++) assert_near(product[i * n + j], i == j, 1e-11);
    }
  }
}

static void lu_tells_a_singular_matrix(void **state)
{
  (void)state;
  double rank1[] = {1, 2, 2, 4}, broken[] = {NAN, 1, 1, 1}, close[] = {1, 1, 1, 1 + 1e-13};
  int pivot[2];
  assert_int_equal(capm_lu_factor(2, rank1, pivot), 2);
  assert_int_not_equal(capm_lu_factor(2, broken, pivot), 0);
  assert_int_equal(capm_lu_factor(2, close, pivot), 0);
  assert_true(capm_lu_pivot_ratio(2, close) < 2e-13);
}

/* a (vr + i vi) = (wr + i wi) (vr + i vi) */
static void assert_eigenvector(int n, const double *a, const double *b, const double *v, int column,
                               double wr, double wi)
{
  for (int i = 0; i < n; i++) {
    double re = 0.0, im = 0.0, bre = 0.0, bim = 0.0;
    for (int j = 0; j < n; j++) {
      double vr = v[j * n + column], vi = wi != 0.0 ? v[j * n + column + 1] : 0.0;
      re += a[i * n + j] * vr;
      im += a[i * n + j] * vi;
      bre += b ? b[i * n + j] * vr : (i == j) * vr;
      bim += b ? b[i * n + j] * vi : (i == j) * vi;
    }
    assert_near(re, wr * bre - wi * bim, 1e-12);
    assert_near(im, wi * bre + wr * bim, 1e-12);
  }
}

static void general_eigenvectors_satisfy_their_equation(void **state)
{
  (void)state;
  enum { N = 7 };
  double a[N * N], b[N * N], wr[N], wi[N], v[N * N], alone_r[N], alone_i[N], work[512];
  int ncomplex = 0;
  assert_true(capm_eigen_general_work(N) <= 512);
  for (int trial = 0; trial < 5; trial++) {
    draw_matrix(N * N, a);
    draw_matrix(N * N, b);
    assert_int_equal(capm_eigen_general(N, a, wr, wi, v, work), CAP_OK);
    assert_int_equal(capm_eigen_general(N, a, alone_r, alone_i, NULL, NULL), CAP_OK);
    double trace = 0.0, sum = 0.0;
    for (int j = 0; j < N; j++) {
      trace += a[j * N + j];
      sum += alone_r[j];
    }
    assert_near(sum, trace, 1e-12);
    for (int j = 0; j < N; j += wi[j] != 0.0 ? 2 : 1) {
      assert_eigenvector(N, a, NULL, v, j, wr[j], wi[j]);
      ncomplex += wi[j] != 0.0;
    }
    assert_int_equal(capm_eigen_pencil(N, a, b, wr, wi, v), CAP_OK);
    for (int j = 0; j < N; j += wi[j] != 0.0 ? 2 : 1) {
      /* entries of the vectors are at most 1, the values may be large */
      if (hypot(wr[j], wi[j]) < 50.0) assert_eigenvector(N, a, b, v, j, wr[j], wi[j]);
    }
  }
  assert_true(ncomplex > 0);
  a[3] = INFINITY;
  assert_int_equal(capm_eigen_general(N, a, wr, wi, v, NULL), CAP_ERR_NUMERICS);
}

static void pencil_with_singular_mass_has_infinite_values(void **state)
{
  (void)state;
  double a[] = {2, 0, 0, 3}, b[] = {1, 0, 0, 0}, wr[2], wi[2];
  assert_int_equal(capm_eigen_pencil(2, a, b, wr, wi, NULL), CAP_OK);
  assert_true(isinf(wr[0]) || isinf(wr[1]));
  assert_near(fmin(wr[0], wr[1]), 2.0, 1e-14);
}

/* A chain of n equal masses and n + 1 springs: w_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1))). */
static void symmetric_eigenproblem_of_a_chain(void **state)
{
  (void)state;
  enum { N = 40 };
  const double k = 700.0, m = 0.3;
  double stiffness[N * N] = {0}, mass[N * N] = {0}, values[N], vectors[N * N];
  for (int i = 0; i < N; i++) {
    stiffness[i * N + i] = 2 * k;
    mass[i * N + i] = m;
    if (i > 0) stiffness[i * N + i - 1] = stiffness[(i - 1) * N + i] = -k;
  }
  assert_int_equal(capm_eigen_symmetric(N, stiffness, mass, values, vectors), CAP_OK);
  for (int j = 0; j < N; j++) {
    double exact = 4 * k / m * pow(sin((j + 1) * M_PI / (2 * (N + 1))), 2);
    assert_near(values[j], exact, 1e-10 * exact + 1e-9);
    double norm = 0.0;
    for (int i = 0; i < N; i++) norm += m * vectors[i * N + j] * vectors[i * N + j];
    assert_near(norm, 1.0, 1e-12);
  }
  mass[0] = -1.0;
  assert_int_equal(capm_eigen_symmetric(N, stiffness, mass, values, vectors), CAP_ERR_NUMERICS);
}

static void least_norm_takes_the_shortest_solution(void **state)
{
  (void)state;
  double a[] = {1, 1, 0, 2, 2, 0, 0, 0, 3}, b[] = {4, 8, 6}, x[3];
  int rank;
  assert_int_equal(capm_lsq_least_norm(3, 3, a, b, 1e-12, 0, x, &rank), CAP_OK);
  assert_int_equal(rank, 2);
  assert_near(x[0], 2.0, 1e-13);
  assert_near(x[1], 2.0, 1e-13);
  assert_near(x[2], 2.0, 1e-13);
  double wide[] = {1, 2, 2}, one[] = {9};
  assert_int_equal(capm_lsq_least_norm(1, 3, wide, one, 0.0, 0, x, &rank), CAP_OK);
  assert_int_equal(rank, 1);
  assert_near(x[0], 1.0, 1e-14);
  assert_near(x[1], 2.0, 1e-14);
}

/* A straight line through scattered points: the textbook formulas for slope, offset and their variances. */
static void fit_of_a_line_has_the_textbook_covariance(void **state)
{
  (void)state;
  enum { M = 50 };
  double a[2 * M], b[M], x[2], residual, inverse[4], weakest[2], st = 0, stt = 0, sb = 0, stb = 0;
  int rank;
  for (int i = 0; i < M; i++) {
    double t = 1e6 * draw();
    a[2 * i] = 1.0;
    a[2 * i + 1] = t;
    b[i] = 3.0 - 2e-6 * t + 0.1 * draw();
    st += t;
    stt += t * t;
    sb += b[i];
    stb += t * b[i];
  }
  assert_int_equal(capm_lsq_fit(M, 2, a, b, 1e-10, x, &residual, inverse, &rank, weakest), CAP_OK);
  double det = M * stt - st * st;
  assert_int_equal(rank, 2);
  assert_near(x[1] * 1e6, 1e6 * (M * stb - st * sb) / det, 1e-10);
  assert_near(x[0], (stt * sb - st * stb) / det, 1e-10);
  assert_near(inverse[0], stt / det, 1e-10 * stt / det);
  assert_near(inverse[3] * det / M, 1.0, 1e-10);
  assert_near(inverse[1] * det / st, -1.0, 1e-8);
  double sum = 0.0;
  for (int i = 0; i < M; i++) sum += pow(x[0] + x[1] * a[2 * i + 1] - b[i], 2);
  assert_near(residual, sum, 1e-12);

  for (int i = 0; i < M; i++) a[2 * i + 1] = 7.0; /* the slope is no longer told from the offset */
  assert_int_equal(capm_lsq_fit(M, 2, a, b, 1e-10, x, &residual, inverse, &rank, weakest), CAP_OK);
  assert_int_equal(rank, 1);
  assert_near(fabs(weakest[0]), sqrt(0.5), 1e-12);
}

static void null_space_of_a_floating_chain(void **state)
{
  (void)state;
  /* masses 0-1 and 2-3 joined by springs: two rigid motions */
  const double k[16] = {5, -5, 0, 0, -5, 5, 0, 0, 0, 0, 2, -2, 0, 0, -2, 2};
  double a[16], basis[16];
  int columns[4];
  memcpy(a, k, sizeof a);
  assert_int_equal(capm_nullspace(4, a, 1e-12, basis, columns), 2);
  for (int i = 0; i < 2; i++) {
    double largest = 0.0;
    for (int row = 0; row < 4; row++) {
      double sum = 0.0;
      for (int j = 0; j < 4; j++) sum += k[row * 4 + j] * basis[i * 4 + j];
      assert_near(sum, 0.0, 1e-14);
      largest = fmax(largest, fabs(basis[i * 4 + row]));
    }
    assert_near(largest, 1.0, 1e-14);
    assert_near(basis[i * 4 + columns[2 + i]], 1.0, 0.0);
    assert_near(basis[i * 4 + columns[3 - i]], 0.0, 0.0);
  }
  double zero[4] = {0}, regular[4] = {1, 2, 3, 4};
  assert_int_equal(capm_nullspace(2, zero, 1e-12, basis, columns), 2);
  assert_int_equal(capm_nullspace(2, regular, 1e-12, basis, columns), 0);
}

static void exponential_of_rotation_jordan_block_and_inverse(void **state)
{
  (void)state;
  double rotation[] = {0, 1, -1, 0}, e[4];
  assert_int_equal(capm_expm(2, rotation, 200.3, e), CAP_OK);
  assert_near(e[0], cos(200.3), 1e-12);
  assert_near(e[1], sin(200.3), 1e-12);

  double jordan[] = {-2, 1, 0, 0, -2, 1, 0, 0, -2}, j[9];
  assert_int_equal(capm_expm(3, jordan, 3.0, j), CAP_OK);
  assert_near(j[0], exp(-6), 1e-16);
  assert_near(j[1], 3 * exp(-6), 1e-16);
  assert_near(j[2], 4.5 * exp(-6), 1e-15);
  assert_near(j[3], 0.0, 1e-17);

  enum { N = 6 };
  double a[N * N], forth[N * N], back[N * N], product[N * N];
  draw_matrix(N * N, a);
  assert_int_equal(capm_expm(N, a, 2.5, forth), CAP_OK);
  assert_int_equal(capm_expm(N, a, -2.5, back), CAP_OK);
  multiply(N, forth, back, product);
  for (int i = 0; i < N * N; i++) assert_near(product[i], i % (N + 1) == 0, 1e-9);
  a[0] = NAN;
  assert_int_equal(capm_expm(N, a, 1.0, forth), CAP_ERR_NUMERICS);
  double grows[] = {1};
  assert_int_equal(capm_expm(1, grows, 1e4, e), CAP_ERR_NUMERICS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(complex_lu_solves),
      cmocka_unit_test(lu_solves_and_inverts),
      cmocka_unit_test(lu_tells_a_singular_matrix),
      cmocka_unit_test(general_eigenvectors_satisfy_their_equation),
      cmocka_unit_test(pencil_with_singular_mass_has_infinite_values),
      cmocka_unit_test(symmetric_eigenproblem_of_a_chain),
      cmocka_unit_test(least_norm_takes_the_shortest_solution),
      cmocka_unit_test(fit_of_a_line_has_the_textbook_covariance),
      cmocka_unit_test(null_space_of_a_floating_chain),
      cmocka_unit_test(exponential_of_rotation_jordan_block_and_inverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
