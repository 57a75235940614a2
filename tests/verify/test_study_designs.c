/* study/design, study/draw: what random numbers and designs are known for, against closed forms. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/sanitized.h"
#include "study/design.h"
#include "study/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Equal counts in 256 cells: the sum of squares is that of chance, 255 +- 4 sqrt(510), for seeds, streams and
 * counters that follow each other. */
static void draws_are_even(void **state)
{
  (void)state;
  enum { CELLS = 256, N = 1 << 16 };
  for (int along = 0; along < 3; along++) {
    int counts[CELLS] = {0};
    double sum = 0, product = 0, before = 0.5;
    for (uint64_t k = 0; k < N; k++) {
      double u = capm_draw_unit(capm_draw_bits(along == 0 ? k : 3, along == 1 ? k : 1, along == 2 ? k : 0));
      assert_true(u > 0.0 && u < 1.0);
      counts[(int)(u * CELLS)]++;
      sum += u - 0.5;
      product += (u - 0.5) * (before - 0.5);
      before = u;
    }
    double square = 0, expected = (double)N / CELLS;
    for (int c = 0; c < CELLS; c++) square += (counts[c] - expected) * (counts[c] - expected) / expected;
    print_message("chi square %.0f (255), mean off by %.1f deviations, neighbours %.1f\n", square,
                  sum / sqrt(N / 12.0), product / (sqrt(N) / 12.0));
    assert_true(fabs(square - 255) < 4 * sqrt(510.0));
    assert_true(fabs(sum) < 4 * sqrt(N / 12.0));
    assert_true(fabs(product) < 4 * sqrt(N) / 12.0);
  }
}

static cap_study *sample(cap_study_design_kind kind, int nfactor, int64_t count, uint64_t seed)
{
  cap_study *s = calloc(1, sizeof *s);
  assert_non_null(s);
  int *independent = CAP_ARENA_NEW(&s->arena, int, nfactor);
  s->factors = CAP_ARENA_NEW(&s->arena, cap_study_factor, nfactor);
  for (int f = 0; f < nfactor; f++) {
    s->factors[f] = (cap_study_factor){.law = CAP_STUDY_UNIFORM, .low = 0, .high = 1};
    independent[f] = f;
  }
  s->nfactor = s->nindependent = nfactor;
  s->independent = independent;
  s->design = kind;
  s->count = count;
  s->seed = seed;
  s->replicates = 1;
  s->along = -1;
  cap_error error;
  assert_int_equal(cap_design_make(s, NULL, &error), CAP_OK);
  return s;
}

/* The mean of a sum of d factors from n points: off by sqrt(d/12/n^3) where each part of each factor has its
 * point, against sqrt(d/12/n) by chance. */
static void latin_hypercube_of_a_sum(void **state)
{
  (void)state;
  enum { D = 3, N = 50 };
  int seeds = TEST_SANITIZED ? 100 : 1000;
  double squares = 0;
  for (int seed = 0; seed < seeds; seed++) {
    cap_study *s = sample(CAP_STUDY_LATIN_HYPERCUBE, D, N, (uint64_t)seed);
    double sum = 0;
    for (int k = 0; k < N * D; k++) sum += s->values[k] - 0.5;
    squares += (sum / N) * (sum / N);
    cap_study_free(s);
  }
  double found = sqrt(squares / seeds), expected = sqrt(D / 12.0 / N / N / N);
  print_message("mean off by %.3e, expected %.3e, by chance %.3e\n", found, expected, sqrt(D / 12.0 / N));
  assert_true(fabs(found / expected - 1) < 4 / sqrt(2.0 * seeds)); /* four deviations of such an estimate */
}

/* Which part goes with which is a matter of chance:
 * factors are not correlated, by 4 deviations of 1/sqrt(n). */
static void latin_hypercube_is_shuffled(void **state)
{
  (void)state;
  enum { D = 8, N = 400 };
  cap_study *s = sample(CAP_STUDY_LATIN_HYPERCUBE, D, N, 1);
  for (int a = 0; a < D; a++)
    for (int b = 0; b < a; b++) {
      double product = 0;
      for (int k = 0; k < N; k++) product += (s->values[k * D + a] - 0.5) * (s->values[k * D + b] - 0.5);
      assert_true(fabs(12 * product / N) < 4 / sqrt(N));
    }
  cap_study_free(s);
}

/* The mean of the product of 2 x over 5 factors is 1; by a Sobol' sequence the error goes as 1/n but for
 * logarithms. */
static void sobol_of_a_product(void **state)
{
  (void)state;
  enum { D = 5 };
  double first = 0, last = 0;
  for (int64_t n = 64; n <= 16384; n *= 16) {
    cap_study *s = sample(CAP_STUDY_SOBOL, D, n, 0);
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
      double product = 1;
      for (int d = 0; d < D; d++) product *= 2 * s->values[k * D + d];
      sum += product - 1;
    }
    last = fabs(sum / (double)n);
    if (n == 64) first = last;
    print_message("%5lld points: off by %.2e, by chance %.2e\n", (long long)n, last,
                  sqrt((pow(4.0 / 3, D) - 1) / (double)n));
    cap_study_free(s);
  }
  assert_true(log(first / last) / log(256.0) > 0.8); /* the order; by chance it is 0.5 */
}

static double ishigami(const double *u)
{
  double x[3];
  for (int d = 0; d < 3; d++) x[d] = M_PI * (2 * u[d] - 1);
  return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

/* Indices of Ishigami's function by the estimates of Saltelli et al. (2010) and Jansen, straight from the
 * rows. */
static void saltelli_of_ishigami(void **state)
{
  (void)state;
  enum { N = 4096 };
  const double pi4 = pow(M_PI, 4), total = 49.0 / 8 + 0.1 * pi4 / 5 + 0.01 * pi4 * pi4 / 18 + 0.5;
  const double first[] = {0.5 * pow(1 + 0.1 * pi4 / 5, 2) / total, 49.0 / 8 / total, 0};
  const double both = 0.01 * pi4 * pi4 * (1.0 / 18 - 1.0 / 50) / total;
  const double all[] = {first[0] + both, first[1], both};
  cap_study *s = sample(CAP_STUDY_SALTELLI, 3, N, 0);
  double mean = 0, square = 0, own[3] = {0}, with[3] = {0};
  for (int k = 0; k < N; k++) {
    double f[5];
    for (int m = 0; m < 5; m++) f[m] = ishigami(s->values + 3 * (5 * k + m));
    mean += 0.5 * (f[0] + f[1]) / N;
    square += 0.5 * (f[0] * f[0] + f[1] * f[1]) / N;
    for (int d = 0; d < 3; d++) {
      own[d] += f[1] * (f[2 + d] - f[0]) / N;
      with[d] += 0.5 * (f[0] - f[2 + d]) * (f[0] - f[2 + d]) / N;
    }
  }
  double variance = square - mean * mean;
  for (int d = 0; d < 3; d++) {
    print_message("x%d: first %.4f (%.4f), total %.4f (%.4f)\n", d + 1, own[d] / variance, first[d],
                  with[d] / variance, all[d]);
    assert_true(fabs(own[d] / variance - first[d]) < 0.01);
    assert_true(fabs(with[d] / variance - all[d]) < 0.01);
  }
  cap_study_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_are_even),
      cmocka_unit_test(latin_hypercube_of_a_sum),
      cmocka_unit_test(latin_hypercube_is_shuffled),
      cmocka_unit_test(sobol_of_a_product),
      cmocka_unit_test(saltelli_of_ishigami),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
