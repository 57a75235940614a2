/* A double as a count or an index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/whole.h"

#include <limits.h>
#include <math.h>

static void cuts_off(void **state)
{
  (void)state;
  assert_int_equal(capm_whole_between(3.9, 0, 10), 3);
  assert_int_equal(capm_whole_between(-0.9, -5, 10), 0);
  assert_int_equal(capm_whole_between(-7.0, -5, 10), -5);
  assert_int_equal(capm_whole_between(1e300, 0, 10), 10);
  assert_int_equal(capm_whole_between(-INFINITY, 0, 10), 0);
  assert_int_equal(capm_whole_between(NAN, 2, 10), 2);
  assert_int_equal(capm_whole_between(3e9, INT_MIN, INT_MAX), INT_MAX);
  assert_int_equal(capm_whole_between(-3e9, INT_MIN, INT_MAX), INT_MIN);
}

static void cuts_off_wide_ones(void **state)
{
  (void)state;
  const int64_t most = (int64_t)1 << 62;
  assert_true(capm_whole_wide(5e9 + 0.5, 0, most) == 5000000000);
  assert_true(capm_whole_wide(INFINITY, 0, most) == most);
  assert_true(capm_whole_wide(0x1p62, 0, most) == most);
  assert_true(capm_whole_wide(-1e300, -most, most) == -most);
  assert_true(capm_whole_wide(NAN, 7, most) == 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_off), cmocka_unit_test(cuts_off_wide_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
