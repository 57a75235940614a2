/* Sensitivity of functions whose indices are known: Ishigami's, Sobol's g, linear ones; intervals hold the
 * exact value as often as they say; what a sample cannot tell is NaN. docs/theory.md §54 to §57. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/sample.h"
#include "../support/sanitized.h"

#include "study/sensitivity.h"
#include "study/sensitivity_given.h"
#include "study/sobol.h"

#include <string.h>

enum { D = 3 };
static double linear(const double *u);

/* Blocks A, B, AB1, ... of Ishigami's function at random points. */
static void ishigami_blocks(uint64_t seed, int nblock, double *y)
{
  for (int j = 0; j < nblock; j++) {
    double a[D], b[D];
    for (int k = 0; k < D; k++)
      a[k] = sample_uniform(seed, (uint64_t)j, (uint64_t)k),
      b[k] = sample_uniform(seed, (uint64_t)j, (uint64_t)(D + k));
    double *row = y + j * (D + 2);
    row[0] = sample_ishigami(a);
    row[1] = sample_ishigami(b);
    for (int i = 0; i < D; i++) {
      double keep = a[i];
      a[i] = b[i];
      row[2 + i] = sample_ishigami(a);
      a[i] = keep;
    }
  }
}

static void blocks_give_the_indices_of_ishigami(void **state)
{
  (void)state;
  enum { N = 16384 };
  double exact[2][D];
  sample_ishigami_exact(exact[0], exact[1]);
  assert_near(exact[0][0], 0.3139, 5e-5); /* published */
  assert_near(exact[0][1], 0.4424, 5e-5);
  assert_near(exact[1][0], 0.5576, 5e-5);
  assert_near(exact[1][2], 0.2437, 5e-5);
  double *y = malloc(sizeof *y * N * (D + 2));
  cap_sensitivity_index first[D], total[D];
  cap_sensitivity_confidence by = {200, 0.95, 1};
  int used;
  ishigami_blocks(7, N, y);
  assert_int_equal(cap_sensitivity_saltelli(N, D, y, &by, first, total, &used, NULL), CAP_OK);
  assert_int_equal(used, N);
  for (int i = 0; i < D; i++) {
    assert_near(first[i].value, exact[0][i], 0.02);
    assert_near(total[i].value, exact[1][i], 0.012);
    assert_true(first[i].low < first[i].value && first[i].value < first[i].high);
    assert_true(first[i].high - first[i].low < 0.06);
  }
  /* the same bits once more, and an addition to the response changes nothing but rounding */
  cap_sensitivity_index again[D], shifted[D];
  cap_sensitivity_saltelli(N, D, y, &by, again, total, &used, NULL);
  assert_memory_equal(again, first, sizeof first);
  for (int k = 0; k < N * (D + 2); k++) y[k] += 1e4;
  cap_sensitivity_saltelli(N, D, y, &by, shifted, total, &used, NULL);
  for (int i = 0; i < D; i++) assert_near(shifted[i].value, first[i].value, 1e-9);
  free(y);
}

static void blocks_that_failed_are_left_out(void **state)
{
  (void)state;
  enum { N = 64 };
  double y[N * (D + 2)], some[(N - 2) * (D + 2)];
  cap_sensitivity_index first[D], total[D], f[D], t[D];
  cap_sensitivity_confidence by = {50, 0.9, 3};
  int used;
  ishigami_blocks(2, N, y);
  y[5 * (D + 2) + 3] = NAN;
  y[40 * (D + 2)] = INFINITY;
  for (int j = 0, k = 0; j < N; j++)
    if (j != 5 && j != 40) memcpy(some + (k++) * (D + 2), y + j * (D + 2), sizeof(double) * (D + 2));
  cap_sensitivity_saltelli(N, D, y, &by, first, total, &used, NULL);
  assert_int_equal(used, N - 2);
  cap_sensitivity_saltelli(N - 2, D, some, &by, f, t, &used, NULL);
  assert_memory_equal(first, f, sizeof f);
  assert_memory_equal(total, t, sizeof t);
  for (int k = 0; k < N * (D + 2); k++) y[k] = 0.1 + 0.2;
  cap_sensitivity_saltelli(N, D, y, &by, first, total, &used, NULL); /* constant */
  assert_true(isnan(first[0].value) && isnan(total[0].value) && isnan(first[0].low));
  for (int k = 0; k < N * (D + 2); k++) y[k] = NAN;
  cap_sensitivity_saltelli(N, D, y, &by, first, total, &used, NULL);
  assert_int_equal(used, 0);
  assert_true(isnan(first[0].value) && isnan(total[2].high));
}

/* A sample of independent factors: columns, and a function of them. */
typedef struct drawn {
  int n, d;
  double *x, *y;
} drawn;

static drawn draw(uint64_t seed, int n, int d, double (*f)(const double *u))
{
  drawn s = {n, d, malloc(sizeof(double) * (size_t)(n * d)), malloc(sizeof(double) * (size_t)n)};
  for (int i = 0; i < n; i++) {
    double u[8];
    for (int k = 0; k < d; k++) s.x[k * n + i] = u[k] = sample_uniform(seed, (uint64_t)i, (uint64_t)k);
    s.y[i] = f(u);
  }
  return s;
}

static void free_drawn(drawn *s)
{
  free(s->x);
  free(s->y);
}

static const cap_sensitivity_given_kind numbers[8] = {
    CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER,
    CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER,
    CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NUMBER};

static void given(const drawn *s, cap_sensitivity_confidence by, cap_sensitivity_index *first,
                  cap_sensitivity_index *regression, double *r2)
{
  cap_sensitivity_given_sample sample = {s->n, s->d, 1, s->x, s->y, numbers, CAP_SENSITIVITY_GIVEN_DRAWN};
  assert_int_equal(cap_sensitivity_given(&sample, &by, first, regression, r2, NULL), CAP_OK);
}

static const double g_a[4] = {0.0, 1.0, 4.5, 9.0};
static double g4(const double *u)
{
  return sample_g(4, g_a, u);
}

static void classes_give_first_orders(void **state)
{
  (void)state;
  double exact[2][4], r2;
  cap_sensitivity_index first[4], regression[4];
  cap_sensitivity_confidence by = {100, 0.95, 1};
  drawn s = draw(11, 8192, 3, sample_ishigami);
  given(&s, by, first, regression, &r2);
  sample_ishigami_exact(exact[0], exact[1]);
  for (int k = 0; k < 3; k++) assert_near(first[k].value, exact[0][k], 0.02);
  assert_true(r2 < 0.25); /* the regression says that it does not see this function */
  free_drawn(&s);
  s = draw(12, 8192, 4, g4);
  given(&s, by, first, regression, &r2);
  sample_g_exact(4, g_a, exact[0], exact[1]);
  for (int k = 0; k < 4; k++) {
    assert_near(first[k].value, exact[0][k], 0.02);
    assert_true(first[k].low < exact[0][k] && exact[0][k] < first[k].high);
  }
  free_drawn(&s);
}

static double linear(const double *u)
{
  return 5.0 + 3.0 * u[0] - 2.0 * u[1] + 0.5 * u[2];
}

/* y = 3 u0 - 2 u1 + u2/2: shares of the variance are 9, 4 and 1/4 of 13.25, and coefficients their roots. */
static void linear_functions_have_squared_coefficients_as_shares(void **state)
{
  (void)state;
  const double share[4] = {9.0 / 13.25, 4.0 / 13.25, 0.25 / 13.25, 0.0};
  cap_sensitivity_index first[4], regression[4];
  double r2;
  drawn s = draw(5, 4096, 4, linear);
  given(&s, (cap_sensitivity_confidence){100, 0.95, 9}, first, regression, &r2);
  assert_near(r2, 1.0, 1e-12);
  const double sign[4] = {1.0, -1.0, 1.0, 1.0};
  for (int k = 0; k < 4; k++) {
    assert_near(regression[k].value, sign[k] * sqrt(share[k]), 0.02);
    assert_near(first[k].value, share[k], 0.02);
  }
  /* exact for the sample: coefficient = slope * deviation of the factor / deviation of the response */
  double m[2] = {0}, v[2] = {0};
  for (int i = 0; i < s.n; i++) m[0] += s.x[i] / s.n, m[1] += s.y[i] / s.n;
  for (int i = 0; i < s.n; i++) v[0] += pow(s.x[i] - m[0], 2), v[1] += pow(s.y[i] - m[1], 2);
  assert_near(regression[0].value, 3.0 * sqrt(v[0] / v[1]), 1e-12);
  free_drawn(&s);
}

/* Points of a design in N x 5: a Sobol' sequence, a Latin hypercube, independent draws. */
static void design(cap_sensitivity_given_spread spread, uint64_t seed, int n, int d, double *x)
{
  cap_sobol *sobol = malloc(sizeof *sobol);
  int *places = malloc(sizeof *places * (size_t)n);
  assert_true(sobol && places);
  cap_sobol_init(sobol, d, n, seed);
  for (int i = 0; i < n && spread == CAP_SENSITIVITY_GIVEN_NET; i++) {
    double u[CAP_SOBOL_DIMENSIONS];
    cap_sobol_next(sobol, u);
    for (int k = 0; k < d; k++) x[k * n + i] = u[k];
  }
  for (int k = 0; k < d && spread != CAP_SENSITIVITY_GIVEN_NET; k++) {
    for (int i = 0; i < n; i++) places[i] = i;
    for (int i = n - 1; i > 0; i--) {
      const int at = (int)capm_draw_below(capm_draw_bits(seed, 100 + (uint64_t)k, (uint64_t)i),
                                          (uint32_t)i + 1);
      const int keep = places[i];
      places[i] = places[at], places[at] = keep;
    }
    for (int i = 0; i < n; i++) {
      const double u = sample_uniform(seed, (uint64_t)i, (uint64_t)k);
      x[k * n + i] = spread == CAP_SENSITIVITY_GIVEN_AXES ? (places[i] + u) / n : u;
    }
  }
  free(sobol);
  free(places);
}

/* Indices are right, and factors without influence have none, however the points were chosen: evenly spread
 * ones have less noise than independent draws, and what is taken off for it must not be more. */
static void designs_of_all_kinds(void **state)
{
  (void)state;
  enum { N = 1024, ALL = 6 };
  const int seeds = 8;
  double exact[2][2][ALL] = {{{0}}};
  sample_ishigami_exact(exact[0][0], exact[0][1]);
  exact[1][0][0] = 9.0 / 13.25, exact[1][0][1] = 4.0 / 13.25, exact[1][0][2] = 0.25 / 13.25;
  double *x = malloc(sizeof *x * N * ALL), *y = malloc(sizeof *y * N);
  for (int spread = CAP_SENSITIVITY_GIVEN_DRAWN; spread <= CAP_SENSITIVITY_GIVEN_NET; spread++)
    for (int f = 0; f < 2; f++) {
      double error[ALL] = {0};
      int covered = 0;
      for (int seed = 1; seed <= seeds; seed++) {
        cap_sensitivity_index first[ALL], regression[ALL];
        double r2;
        design((cap_sensitivity_given_spread)spread, (uint64_t)seed, N, ALL, x);
        for (int i = 0; i < N; i++) {
          const double u[3] = {x[i], x[N + i], x[2 * N + i]};
          y[i] = f == 0 ? sample_ishigami(u) : linear(u);
        }
        const cap_sensitivity_given_sample sample = {
            N, ALL, 1, x, y, numbers, (cap_sensitivity_given_spread)spread};
        const cap_sensitivity_confidence by = {50, 0.95, (uint64_t)seed};
        assert_int_equal(cap_sensitivity_given(&sample, &by, first, regression, &r2, NULL), CAP_OK);
        for (int k = 0; k < ALL; k++) error[k] += (first[k].value - exact[f][0][k]) / seeds;
        for (int k = 3; k < ALL; k++) {
          covered += first[k].low <= 0.0 && 0.0 <= first[k].high;
          assert_near(first[k].value, 0.0, 0.01);
        }
      }
      /* one seed of independent draws scatters by 0.025 (Ishigami), 0.018 (linear) at most */
      const double within = spread == CAP_SENSITIVITY_GIVEN_DRAWN ? 3.0 * 0.025 / sqrt(seeds) : 0.01;
      for (int k = 0; k < ALL; k++) assert_near(error[k], 0.0, k < 3 ? within : 0.004);
      assert_true(covered >= 3 * seeds - 2);
    }
  free(x);
  free(y);
}

/* Levels shift the response without an order; a factor that repeats another is not told apart. */
static void levels_and_repeated_factors(void **state)
{
  (void)state;
  enum { N = 600 };
  static double x[4 * N], y[N];
  const double shift[3] = {0.0, 5.0, -1.0};
  for (int i = 0; i < N; i++) {
    const int level = i % 3;
    x[i] = level + 1;
    x[N + i] = sample_uniform(1, (uint64_t)i, 0);
    x[2 * N + i] = 2.0 * x[N + i] - 7.0;
    x[3 * N + i] = 4.0;
    y[i] = shift[level] + 2.0 * x[N + i];
  }
  const cap_sensitivity_given_kind kinds[4] = {CAP_SENSITIVITY_GIVEN_LEVEL, CAP_SENSITIVITY_GIVEN_NUMBER,
                                               CAP_SENSITIVITY_GIVEN_NUMBER, CAP_SENSITIVITY_GIVEN_NONE};
  cap_sensitivity_given_sample sample = {N, 4, 1, x, y, kinds, CAP_SENSITIVITY_GIVEN_DRAWN};
  cap_sensitivity_confidence by = {50, 0.95, 1};
  cap_sensitivity_index first[4], regression[4];
  double r2;
  assert_int_equal(cap_sensitivity_given(&sample, &by, first, regression, &r2, NULL), CAP_OK);
  assert_near(r2, 1.0, 1e-12);
  assert_true(isnan(regression[0].value) && isnan(regression[2].value) && isnan(first[3].value));
  const double levels = (0.0 + 25.0 + 1.0) / 3.0 - 16.0 / 9.0, slope = 4.0 / 12.0;
  assert_near(first[0].value, levels / (levels + slope), 0.01);
  assert_near(regression[1].value, sqrt(slope / (levels + slope)), 0.01);
}

/* Nothing to be told, told as NaN. */
static void samples_that_tell_nothing(void **state)
{
  (void)state;
  cap_sensitivity_confidence by = {30, 0.95, 1};
  cap_sensitivity_index first[2], regression[2];
  double r2, x[6] = {1.0, 2.0, 3.0, 1.0, 5.0, 2.0}, y[3] = {4.0, 4.0, 4.0};
  for (int n = 0; n <= 3; n++) {
    cap_sensitivity_given_sample sample = {n, 2, 1, x, y, numbers, CAP_SENSITIVITY_GIVEN_DRAWN};
    assert_int_equal(cap_sensitivity_given(&sample, &by, first, regression, &r2, NULL), CAP_OK);
    assert_true(isnan(first[0].value) && isnan(regression[1].value) && isnan(r2) && isnan(first[1].low));
  }
}

/* Intervals of 90 % hold the value of the whole population in 90 % of samples: within what 400 samples (40
 * under sanitizers) scatter, three standard deviations. */
static void intervals_hold_what_they_say(void **state)
{
  (void)state;
  enum { N = 256 };
  const int trials = TEST_SANITIZED ? 40 : 300;
  const double share[3] = {9.0 / 13.25, 4.0 / 13.25, 0.25 / 13.25};
  double exact[2][D];
  sample_ishigami_exact(exact[0], exact[1]);
  int held[4] = {0};
  static double y[N * (D + 2)];
  for (int t = 0; t < trials; t++) {
    cap_sensitivity_confidence by = {100, 0.9, (uint64_t)t};
    cap_sensitivity_index first[4], regression[4], total[4];
    double r2;
    int used;
    drawn s = draw(1000 + (uint64_t)t, N, 3, linear);
    for (int i = 0; i < N; i++) s.y[i] += 0.5 * (sample_normal(7, (uint64_t)(t * N + i), 0));
    given(&s, by, first, regression, &r2);
    free_drawn(&s);
    const double noise = 13.25 / (13.25 + 12.0 * 0.25); /* variance of u is 1/12 */
    held[0] += first[0].low <= share[0] * noise && share[0] * noise <= first[0].high;
    held[1] += regression[1].low <= -sqrt(share[1] * noise) && -sqrt(share[1] * noise) <= regression[1].high;
    ishigami_blocks(5000 + (uint64_t)t, N, y);
    cap_sensitivity_saltelli(N, D, y, &by, first, total, &used, NULL);
    held[2] += first[0].low <= exact[0][0] && exact[0][0] <= first[0].high;
    held[3] += total[2].low <= exact[1][2] && exact[1][2] <= total[2].high;
  }
  for (int k = 0; k < 4; k++) {
    const double part = (double)held[k] / trials, scatter = sqrt(0.09 / trials);
    if (getenv("SHOW")) print_message("%d: %.3f\n", k, part);
    assert_near(part, 0.9, 3.0 * scatter + 0.03);
  }
}

/* A full grid: y = a b + c has shares that can be counted by hand. */
static void grids_are_exact(void **state)
{
  (void)state;
  const int levels[3] = {3, 2, 4};
  const double a[3] = {-1.0, 0.0, 1.0}, b[2] = {-1.0, 1.0}, c[4] = {0.0, 1.0, 2.0, 3.0};
  double y[24], first[3], total[3];
  for (int k = 0; k < 24; k++) y[k] = 100.0 + a[k / 8] * b[k / 4 % 2] + c[k % 4];
  cap_sensitivity_grid(3, levels, y, first, total);
  const double product = 2.0 / 3.0, alone = 1.25, v = product + alone;
  assert_near(first[0], 0.0, 1e-14);
  assert_near(first[1], 0.0, 1e-14);
  assert_near(first[2], alone / v, 1e-14);
  assert_near(total[0], product / v, 1e-14);
  assert_near(total[1], product / v, 1e-14);
  assert_near(total[2], alone / v, 1e-14);
  for (int k = 0; k < 24; k++) y[k] = 3.0;
  cap_sensitivity_grid(3, levels, y, first, total);
  assert_true(isnan(first[0]) && isnan(total[2]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_give_the_indices_of_ishigami),
      cmocka_unit_test(blocks_that_failed_are_left_out),
      cmocka_unit_test(classes_give_first_orders),
      cmocka_unit_test(linear_functions_have_squared_coefficients_as_shares),
      cmocka_unit_test(designs_of_all_kinds),
      cmocka_unit_test(levels_and_repeated_factors),
      cmocka_unit_test(samples_that_tell_nothing),
      cmocka_unit_test(intervals_hold_what_they_say),
      cmocka_unit_test(grids_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
