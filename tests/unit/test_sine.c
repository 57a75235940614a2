/* laws/sine.h against libm: values, quadrants, large angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "laws/sine.h"
#include <cmocka.h>
#include <math.h>

static double worst_of(double largest, int n)
{
  double worst = 0.0, x = -largest;
  for (int i = 0; i < n; i++, x += 2.0 * largest / n) worst = fmax(worst, fabs(capm_sine(x) - sin(x)));
  return worst;
}

static void agrees_with_libm(void **state)
{
  (void)state;
  assert_true(worst_of(3.2, 100003) <= 2.3e-16);
  assert_true(worst_of(1e3, 100003) <= 2.3e-16);
  assert_true(worst_of(1e6, 100003) <= 2.3e-16);
}

static void large_angles_are_as_good_as_their_last_bit(void **state)
{
  (void)state;
  assert_true(worst_of(1e9, 10007) <= 0.6 * DBL_EPSILON * 1e9);
  assert_true(worst_of(1e9, 10007) > 1e-12); /* and no better: the bound is not idle */
}

static void has_exact_zeros_and_signs(void **state)
{
  (void)state;
  assert_true(capm_sine(0.0) == 0.0);
  for (int k = -8; k <= 8; k++) {
    double x = 0.5 * M_PI * k + 0.3;
    assert_true(fabs(capm_sine(x) - sin(x)) <= 2.3e-16);
    assert_true(capm_sine(-x) == -capm_sine(x));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_libm),
      cmocka_unit_test(large_angles_are_as_good_as_their_last_bit),
      cmocka_unit_test(has_exact_zeros_and_signs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
