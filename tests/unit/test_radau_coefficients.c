/* The numbers of the Radau IIA methods: conditions of order, stiff accuracy, stability, the known method of
 * three stages, the splitting by eigenvalues. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/lu.h"
#include "step/radau_method.h"

static const int STAGES[] = {3, 5, 7};

static capm_radau_method method(int stages)
{
  capm_radau_method r;
  assert_int_equal(capm_radau_method_set(stages, &r), CAP_OK);
  assert_int_equal(r.stages, stages);
  return r;
}

static void assert_near(const char *what, int stages, double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%d stages, %s: %.17g, expected %.17g +- %g", stages, what, value, expected, tolerance);
}

/* B(2s - 1), C(s), D(s - 1): together they give order 2s - 1 (Butcher). */
static void conditions_of_order_hold(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    int s = STAGES[m];
    capm_radau_method r = method(s);
    double next = 0.0;
    for (int k = 1; k <= 2 * s; k++) {
      double sum = 0.0;
      for (int i = 0; i < s; i++) sum += r.weight[i] * pow(r.node[i], k - 1);
      if (k < 2 * s) assert_near("quadrature", s, sum, 1.0 / k, 4e-16);
      else next = fabs(sum - 1.0 / k);
    }
    assert_true(next > 1e-9); /* and no more than that */
    for (int k = 1; k <= s; k++)
      for (int i = 0; i < s; i++) {
        double sum = 0.0;
        for (int j = 0; j < s; j++) sum += r.a[i][j] * pow(r.node[j], k - 1);
        assert_near("stage order", s, sum, pow(r.node[i], k) / k, 4e-16);
      }
    for (int k = 1; k < s; k++)
      for (int j = 0; j < s; j++) {
        double sum = 0.0;
        for (int i = 0; i < s; i++) sum += r.weight[i] * pow(r.node[i], k - 1) * r.a[i][j];
        assert_near("adjoint", s, sum, r.weight[j] * (1.0 - pow(r.node[j], k)) / k, 4e-16);
      }
  }
}

static void last_stage_is_the_end(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    int s = STAGES[m];
    capm_radau_method r = method(s);
    assert_true(r.node[s - 1] == 1.0);
    for (int i = 0; i < s; i++) {
      assert_true(r.weight[i] == r.a[s - 1][i] && r.weight[i] > 0.0);
      assert_true(r.node[i] > (i ? r.node[i - 1] : 0.0));
    }
  }
}

/* Hairer and Wanner, Solving ODEs II, IV.5 and IV.8. */
static void three_stages_are_the_known_ones(void **state)
{
  (void)state;
  capm_radau_method r = method(3);
  double q = sqrt(6.0);
  const double node[] = {(4 - q) / 10, (4 + q) / 10, 1};
  const double a[3][3] = {{(88 - 7 * q) / 360, (296 - 169 * q) / 1800, (-2 + 3 * q) / 225},
                          {(296 + 169 * q) / 1800, (88 + 7 * q) / 360, (-2 - 3 * q) / 225},
                          {(16 - q) / 36, (16 + q) / 36, 1.0 / 9}};
  const double slope[] = {(13 + 7 * q) / 3, (13 - 7 * q) / 3, 1.0 / 3};
  for (int i = 0; i < 3; i++) {
    assert_near("node", 3, r.node[i], node[i], 2e-16);
    assert_near("slope at the start", 3, r.start_slope[i], slope[i], 4e-15);
    for (int j = 0; j < 3; j++) assert_near("a", 3, r.a[i][j], a[i][j], 2e-16);
  }
  assert_near("real eigenvalue", 3, r.gamma, 3.0 + cbrt(3.0) * (cbrt(3.0) - 1.0), 1e-14);
  assert_near("real part", 3, r.alpha[0], 3.0 - 0.5 * cbrt(3.0) * (cbrt(3.0) - 1.0), 1e-14);
  assert_near("imaginary part", 3, r.beta[0], 0.5 * cbrt(3.0) * sqrt(3.0) * (1.0 + cbrt(3.0)), 1e-14);
}

/* T diag T^-1 = A^-1 and A A^-1 = 1. */
static void splitting_gives_the_inverse(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    int s = STAGES[m];
    capm_radau_method r = method(s);
    for (int i = 0; i < s; i++)
      for (int j = 0; j < s; j++) {
        double product = r.from[i][0] * r.gamma * r.to[0][j], one = 0.0;
        for (int p = 0; p < r.npair; p++) {
          int u = 1 + 2 * p, v = u + 1;
          product += r.from[i][u] * (r.alpha[p] * r.to[u][j] + r.beta[p] * r.to[v][j]) +
                     r.from[i][v] * (r.alpha[p] * r.to[v][j] - r.beta[p] * r.to[u][j]);
        }
        for (int k = 0; k < s; k++) one += r.a[i][k] * r.inverse[k][j];
        assert_near("T diag T^-1", s, product, r.inverse[i][j], 1e-11);
        assert_near("A A^-1", s, one, i == j, 1e-14);
      }
  }
}

/* R(z) = 1 + z b (1 - z A)^-1 1 through det(A^-1 - z) = prod (lambda - z): the last stage's share of (1 - z
 * A) Y = 1, by elimination. */
static double complex stability(const capm_radau_method *r, double complex z)
{
  int s = r->stages;
  double complex a[CAPM_RADAU_METHOD_MOST][CAPM_RADAU_METHOD_MOST + 1];
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) a[i][j] = (i == j) - z * r->a[i][j];
    a[i][s] = 1.0;
  }
  for (int k = 0; k < s; k++)
    for (int i = 0; i < s; i++)
      if (i != k) {
        double complex f = a[i][k] / a[k][k];
        for (int j = k; j <= s; j++) a[i][j] -= f * a[k][j];
      }
  return a[s - 1][s] / a[s - 1][s - 1];
}

static void methods_are_l_stable(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    capm_radau_method r = method(STAGES[m]);
    for (double y = 1e-2; y < 1e4; y *= 1.1) assert_true(cabs(stability(&r, I * y)) <= 1.0 + 1e-12);
    for (double y = 1e-1; y < 20.0; y *= 1.3)
      for (double x = 0.1; x < 1e3; x *= 1.5) assert_true(cabs(stability(&r, -x + I * y)) < 1.0);
    assert_true(cabs(stability(&r, -1e6)) < 1e-4);
    /* |R(z) - exp(z)| = C |z|^2s (1 + ...) with C = s! (s-1)! / ((2s-1)! (2s)!), of Pade's approximation */
    static const double lengths[] = {0.1, 0.7, 2.0};
    double s = STAGES[m], z = lengths[m], c = tgamma(s + 1) * tgamma(s) / (tgamma(2 * s) * tgamma(2 * s + 1));
    double off = cabs(stability(&r, I * z) - cexp(I * z)) / (c * pow(z, 2 * s));
    assert_near("error constant", STAGES[m], off, 0.95, 0.06);
  }
}

/* Slope at the start and continuation are exact for polynomials of degree s without constant term. */
static void polynomial_is_continued(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    int s = STAGES[m];
    capm_radau_method r = method(s);
    double weight[CAPM_RADAU_METHOD_MOST];
    capm_radau_method_extend(&r, 1.7, weight);
    for (int k = 1; k <= s; k++) {
      double value = 0.0, slope = 0.0, size = 0.0;
      for (int j = 0; j < s; j++) {
        value += weight[j] * pow(r.node[j], k);
        size += fabs(weight[j]);
        slope += r.start_slope[j] * pow(r.node[j], k);
      }
      assert_near("continued", s, value, pow(1.7, k), 1e-15 * size);
      assert_near("slope at the start", s, slope, k == 1, 1e-13);
    }
  }
}

/* A knife edge that turns at 1 rad/s under a unit pull along x, unit mass: its velocity along the heading is
 * sin t, its force -2 sin t. The stages of one step from (u, v) at t, as one linear system: u' = 1 + sin t L,
 * v' = -cos t L, 0 = cos t v - sin t u. Returns the last stage's force. */
static double knife_step(const capm_radau_method *r, double t, double h, double velocity[2])
{
  enum { SIZE = 3 * CAPM_RADAU_METHOD_MOST };
  int s = r->stages, n = 3 * s, pivot[SIZE];
  double a[SIZE * SIZE] = {0}, x[SIZE];
  for (int i = 0; i < s; i++) {
    double sine = sin(t + h * r->node[i]), cosine = cos(t + h * r->node[i]);
    double *u = a + 3 * i * n, *v = u + n, *row = v + n;
    x[3 * i] = velocity[0], x[3 * i + 1] = velocity[1], x[3 * i + 2] = 0.0;
    u[3 * i] = v[3 * i + 1] = 1.0;
    row[3 * i] = -sine;
    row[3 * i + 1] = cosine;
    for (int j = 0; j < s; j++) {
      double angle = t + h * r->node[j];
      x[3 * i] += h * r->a[i][j];
      u[3 * j + 2] -= h * r->a[i][j] * sin(angle);
      v[3 * j + 2] += h * r->a[i][j] * cos(angle);
    }
  }
  assert_int_equal(capm_lu_factor(n, a, pivot), 0);
  capm_lu_solve(n, a, pivot, x);
  velocity[0] = x[n - 3];
  velocity[1] = x[n - 2];
  return x[n - 1];
}

/* Index two (Hairer, Lubich, Roche): velocities of order 2s - 1, the stages' multipliers of order s. */
static void orders_of_index_two(void **state)
{
  (void)state;
  const int few[] = {10, 4, 2};
  for (int m = 0; m < 3; m++) {
    capm_radau_method r = method(STAGES[m]);
    double speed[2], force[2], end = 3.0;
    for (int i = 0; i < 2; i++) {
      int steps = few[m] << i;
      double velocity[2] = {0.0, 0.0}, lambda = 0.0, h = end / steps;
      for (int k = 0; k < steps; k++) lambda = knife_step(&r, k * h, h, velocity);
      speed[i] = hypot(velocity[0] - sin(end) * cos(end), velocity[1] - sin(end) * sin(end));
      force[i] = fabs(lambda + 2.0 * sin(end));
    }
    print_message("  %d stages: orders %.2f (velocity), %.2f (multiplier)\n", r.stages,
                  log2(speed[0] / speed[1]), log2(force[0] / force[1]));
    assert_near("order of the velocity", r.stages, log2(speed[0] / speed[1]), 2 * r.stages - 1, 0.6);
    assert_near("order of the multiplier", r.stages, log2(force[0] / force[1]), r.stages, 0.6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_of_order_hold),
      cmocka_unit_test(last_stage_is_the_end),
      cmocka_unit_test(three_stages_are_the_known_ones),
      cmocka_unit_test(splitting_gives_the_inverse),
      cmocka_unit_test(methods_are_l_stable),
      cmocka_unit_test(polynomial_is_continued),
      cmocka_unit_test(orders_of_index_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
