/* The force of a compressed element, eq. (2.36): its three parts, their joints, derivatives and energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "laws/compression.h"

static const double c = 5e6, xi0 = 4e-4, k = 7500.0;

/* The document's formula, part by part. */
static double plain(double xi)
{
  double a = c * exp(-k * xi0) / k, d = a * (exp(k * xi0) - 1.0) - c * xi0;
  return xi < 0.0 ? 0.0 : xi < xi0 ? a * (exp(k * xi) - 1.0) : c * xi + d;
}

static void has_the_document_s_numbers(void **state)
{
  (void)state;
  const capm_compression p = capm_compression_of(c, xi0, k);
  assert_true(fabs(p.a - 33.2) < 0.05);
  assert_true(fabs(capm_compression_intercept(&p) + 1366.5) < 0.05);
  assert_true(fabs(capm_compression_at(&p, xi0).force - 633.0) < 0.6);
  for (double xi = -1e-4; xi < 3e-3; xi += 1.7e-6) {
    double force = capm_compression_at(&p, xi).force;
    assert_true(fabs(force - plain(xi)) <= 1e-13 * (fabs(plain(xi)) + p.a));
  }
}

/* F and F' of both sides of the joint, and F at zero. */
static void is_smooth_at_its_joint(void **state)
{
  (void)state;
  const double cs[] = {5e6, 1e5, 3e7}, xis[] = {4e-4, 1e-5, 2e-3}, ks[] = {7500.0, 100.0, 60000.0};
  for (int n = 0; n < 27; n++) {
    const capm_compression p = capm_compression_of(cs[n % 3], xis[n / 3 % 3], ks[n / 9]);
    const capm_compression_value at = capm_compression_at(&p, p.xi0);
    const capm_compression_value below = capm_compression_at(&p, nextafter(p.xi0, 0.0));
    const capm_compression_value above = capm_compression_at(&p, nextafter(p.xi0, 1.0));
    assert_true(fabs(at.force - below.force) <= 1e-12 * at.force);
    assert_true(fabs(above.force - at.force) <= 1e-12 * at.force);
    assert_true(fabs(at.slope - below.slope) <= 1e-12 * p.c && fabs(above.slope - at.slope) <= 1e-12 * p.c);
    assert_true(at.slope == p.c);
    assert_true(capm_compression_at(&p, 0.0).force == 0.0 && capm_compression_at(&p, -1e-9).force == 0.0);
    assert_true(capm_compression_at(&p, -1e-9).slope == 0.0 && capm_compression_at(&p, 0.0).slope > 0.0);
  }
}

static void derivatives_are_differences(void **state)
{
  (void)state;
  const capm_compression p = capm_compression_of(c, xi0, k);
  for (double xi = -2.1e-4; xi < 1e-3; xi += 3.1e-6) {
    double h = 1e-8;
    if (fabs(xi) < 2.0 * h || fabs(xi - xi0) < 2.0 * h) continue;
    const capm_compression_value at = capm_compression_at(&p, xi), up = capm_compression_at(&p, xi + h),
                                 down = capm_compression_at(&p, xi - h);
    double w = (capm_compression_energy(&p, xi + h) - capm_compression_energy(&p, xi - h)) / (2.0 * h);
    assert_true(fabs((up.force - down.force) / (2.0 * h) - at.slope) <= 2e-8 * p.c);
    assert_true(fabs((up.slope - down.slope) / (2.0 * h) - capm_compression_curvature(&p, xi, at.slope)) <=
                1e-7 * p.k * p.c);
    assert_true(fabs(w - at.force) <= 1e-7 * (at.force + p.a));
  }
}

/* Where exp(k xi) is far beyond what a double holds. */
static void nothing_overflows(void **state)
{
  (void)state;
  const capm_compression p = capm_compression_of(5e6, 0.5, 1e5);
  const double xis[] = {1e-3, 0.4, 0.5, 0.6, 1e6};
  for (int n = 0; n < 5; n++) {
    const capm_compression_value at = capm_compression_at(&p, xis[n]);
    assert_true(isfinite(at.force) && isfinite(at.slope) && at.force >= 0.0 && at.slope <= p.c);
    assert_true(isfinite(capm_compression_energy(&p, 1e-3)));
  }
  assert_true(capm_compression_at(&p, 1e6).slope == p.c);
}

static void scales_by_iota(void **state)
{
  (void)state;
  assert_true(capm_compression_iota(100, 30) == 100.0 / 30.0 && capm_compression_iota(437, 437) == 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(has_the_document_s_numbers),
                                     cmocka_unit_test(is_smooth_at_its_joint),
                                     cmocka_unit_test(derivatives_are_differences),
                                     cmocka_unit_test(nothing_overflows), cmocka_unit_test(scales_by_iota)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
