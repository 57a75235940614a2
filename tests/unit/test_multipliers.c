/* Floquet multipliers: order, count, and the functions that change sign at special points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/multipliers.h"

#include <math.h>

static void sorts_and_counts(void **state)
{
  (void)state;
  double re[4] = {0.1, 0.6, 0.6, -1.5}, im[4] = {0.0, 0.9, -0.9, 0.0};
  capm_multipliers_sort(4, re, im);
  assert_true(re[0] == -1.5 && re[1] == 0.6 && re[2] == 0.6 && im[1] == -im[2] && re[3] == 0.1);
  assert_int_equal(capm_multipliers_outside(4, re, im, 1.0), 3);
  assert_int_equal(capm_multipliers_outside(4, re, im, 1.2), 1);
}

/* Through -1, through a pair on the unit circle, and through +1, which is neither. */
static void signs(void **state)
{
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    double off = 1e-3 * side, doubling, torus;
    const double d_re[3] = {-1.0 - off, 0.5, 0.2}, zero[3] = {0};
    capm_multipliers_tests(3, d_re, zero, &doubling, &torus);
    assert_true(doubling * side < 0.0 && torus > 0.0);
    assert_true(fabs(doubling - -off * 1.5 * 1.2) < 1e-15);
    const double t_re[3] = {(1.0 + off) * cos(0.7), (1.0 + off) * cos(0.7), 0.2},
                 t_im[3] = {(1.0 + off) * sin(0.7), -(1.0 + off) * sin(0.7), 0.0};
    capm_multipliers_tests(3, t_re, t_im, &doubling, &torus);
    assert_true(torus * side < 0.0 && doubling > 0.0);
    const double f_re[3] = {1.0 + off, 0.5, 0.2};
    capm_multipliers_tests(3, f_re, zero, &doubling, &torus);
    assert_true(torus > 0.0 && doubling > 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_and_counts), cmocka_unit_test(signs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
