/* study/distribution: inverse distribution functions against their closed forms and moments. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "study/distribution.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static long double below(long double x) /* P(X < x) of the standard normal law */
{
  return 0.5L * erfcl(-x / sqrtl(2.0L));
}

/* The error in x: that of the probability over the density. */
static double error_of(double x, long double p)
{
  long double density = expl(-0.5L * x * x) / sqrtl(2.0L * acosl(-1.0L));
  return (double)fabsl((below(x) - p) / density);
}

static void normal_quantile(void **state)
{
  (void)state;
  double worst = 0;
  for (double p = 1e-300; p < 0.5; p *= 1.37)
    worst = fmax(worst, error_of(capm_distribution_normal_quantile(p), p));
  for (double p = 0.001; p < 0.5; p += 0.001)
    worst = fmax(worst, error_of(capm_distribution_normal_quantile(p), p));
  print_message("normal quantile: largest error %.1e\n", worst);
  assert_true(worst < 1e-14);
  for (double p = 1e-16; p < 0.5; p *= 2) /* the other half is its mirror */
    assert_true(capm_distribution_normal_quantile(1 - p) == -capm_distribution_normal_quantile(1 - (1 - p)));
  assert_true(fabs(capm_distribution_normal_quantile(0.5)) < 1e-16);
  assert_true(fabs(capm_distribution_normal_quantile(0.975) - 1.959963984540054) < 1e-15);
  assert_true(fabs(capm_distribution_normal_quantile(1e-10) + 6.361340902404056) < 4e-15);
  assert_true(isinf(capm_distribution_normal_quantile(0.0)) && isinf(capm_distribution_normal_quantile(1.0)));
}

/* Cuts anywhere, also far in a tail: what lies below the quantile, over what lies between the cuts, is u. */
static void cut_normal(void **state)
{
  (void)state;
  static const double cuts[][2] = {{-1, 1},   {-3, 0.5},      {0, 4},         {2, 3},
                                   {5, 9},    {-9, -5},       {-0.1, 8},      {-8, 0.1},
                                   {-40, 40}, {-INFINITY, 1}, {-1, INFINITY}, {8, INFINITY}};
  double worst = 0;
  for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
    cap_study_factor f = {
        .law = CAP_STUDY_NORMAL, .mean = 0, .deviation = 1, .low = cuts[c][0], .high = cuts[c][1]};
    bool upper = f.low > 0; /* complements do not lose digits */
    long double a = upper ? below(-f.high) : below(f.low), b = upper ? below(-f.low) : below(f.high);
    for (double u = 1.0 / 1024; u < 1; u += 1.0 / 256) {
      double x = cap_distribution_quantile(&f, u);
      assert_true(x >= f.low && x <= f.high);
      long double p = upper ? b - u * (b - a) : a + u * (b - a);
      worst = fmax(worst, error_of(upper ? -x : x, p) / fmax(1, fabs(x)));
    }
  }
  print_message("cut normal law: largest error %.1e\n", worst);
  assert_true(worst < 1e-14);
}

static void closed_forms(void **state)
{
  (void)state;
  cap_study_factor uniform = {.law = CAP_STUDY_UNIFORM, .low = -2, .high = 6};
  cap_study_factor logarithmic = {.law = CAP_STUDY_LOG_UNIFORM, .low = 1e-3, .high = 1e5};
  cap_study_factor triangle = {.law = CAP_STUDY_TRIANGULAR, .low = 1, .mean = 2, .high = 5};
  cap_study_factor edge = {.law = CAP_STUDY_TRIANGULAR, .low = 1, .mean = 1, .high = 5};
  for (double u = 1.0 / 1024; u < 1; u += 1.0 / 512) {
    assert_true(fabs(cap_distribution_quantile(&uniform, u) - (-2 + 8 * u)) < 1e-15 * 8);
    double x = cap_distribution_quantile(&logarithmic, u);
    assert_true(fabs(log(x / 1e-3) / log(1e8) - u) < 1e-15);
    x = cap_distribution_quantile(&triangle, u);
    assert_true(fabs((x < 2 ? (x - 1) * (x - 1) / 4 : 1 - (5 - x) * (5 - x) / 12) - u) < 1e-15);
    x = cap_distribution_quantile(&edge, u);
    assert_true(fabs(1 - (5 - x) * (5 - x) / 16 - u) < 1e-15);
  }
}

/* Mean and deviation of a law by the rule of midpoints in u. */
static void moments(const cap_study_factor *f, double *mean, double *deviation)
{
  enum { N = 1 << 16 };
  long double sum = 0, squares = 0;
  for (int k = 0; k < N; k++) {
    double x = cap_distribution_quantile(f, (k + 0.5) / N);
    sum += x;
    squares += (long double)x * x;
  }
  *mean = (double)(sum / N);
  *deviation = (double)sqrtl(squares / N - sum / N * (sum / N));
}

/* Mean and deviation are those of the quantity, also of the log-normal law; of cut laws they follow from the
 * density at the cuts. */
static void means_and_deviations(void **state)
{
  (void)state;
  double mean, deviation;
  cap_study_factor normal = {
      .law = CAP_STUDY_NORMAL, .mean = 1.94, .deviation = 1e-3, .low = -INFINITY, .high = INFINITY};
  moments(&normal, &mean, &deviation);
  assert_true(fabs(mean - 1.94) < 1e-12 && fabs(deviation - 1e-3) < 2e-4 * 1e-3);
  cap_study_factor log_normal = {
      .law = CAP_STUDY_LOG_NORMAL, .mean = 3, .deviation = 1.5, .low = 0, .high = INFINITY};
  moments(&log_normal, &mean, &deviation);
  print_message("log-normal 3 +- 1.5: mean %.6f, deviation %.6f\n", mean, deviation);
  assert_true(fabs(mean - 3) < 3e-4 && fabs(deviation - 1.5) < 5e-3);
  cap_study_factor cut = {.law = CAP_STUDY_NORMAL, .mean = 0, .deviation = 1, .low = -1, .high = 2};
  moments(&cut, &mean, &deviation);
  double a = exp(-0.5) / sqrt(2 * M_PI), b = exp(-2.0) / sqrt(2 * M_PI);
  double share = capm_distribution_normal(2) - capm_distribution_normal(-1);
  double expected = (a - b) / share, variance = 1 - (a + 2 * b) / share - expected * expected;
  assert_true(fabs(mean - expected) < 1e-8 && fabs(deviation - sqrt(variance)) < 1e-8);
  assert_true(fabs(cap_distribution_share(&cut) - share) < 1e-15);
  cap_study_factor triangle = {.law = CAP_STUDY_TRIANGULAR, .low = 1, .mean = 2, .high = 6};
  moments(&triangle, &mean, &deviation);
  assert_true(fabs(mean - 3) < 1e-6 && fabs(deviation - sqrt(21.0 / 18)) < 1e-5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_quantile),
      cmocka_unit_test(cut_normal),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(means_and_deviations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
