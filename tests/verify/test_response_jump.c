/* The response across the jump of Dahl's resonance (230 to 300 N, 30 to 32 rad/s), where the orbit of 300 N
 * grows from 740 N to 1351 N between two points, the law turns stiff, and a search may end on an orbit that
 * is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include <math.h>

static const char model[] = TEST_BELT TEST_DAHL
    "analyses:\n"
    "  - response:\n"
    "      sweep: {parameter: load.angular_frequency, from: %g rad/s, to: %g rad/s, count: %d}\n"
    "      family: {parameter: load.amplitude, values: [230 N, 260 N, 300 N]}\n"
    "      stability: %s\n"
    "outputs: {channels: [belt.tension]}\n";

enum { FAMILY = 3 };

/* Ranges [FAMILY][count]; every orbit must have been found. */
static double *ranges(double from, double to, int count, const char *stability)
{
  char text[2048];
  int64_t n;
  snprintf(text, sizeof text, model, from, to, count, stability);
  test_result r = test_result_run(text);
  assert_true(test_number(&r, "response", "orbits.missed") == 0.0);
  double *values = test_values(&r, "response", "belt.tension.range", &n);
  assert_int_equal(n, FAMILY * count);
  test_result_close(&r);
  return values;
}

/* Found with steps of 0.05 rad/s and a tolerance of 1e-7. */
static const double expected_30 = 739.94546, expected_31 = 1351.28759, expected_32 = 1361.77503;

static void check(double from, double to, int count, const char *stability, int at, double expected)
{
  double *r = ranges(from, to, count, stability), found = r[2 * count + at];
  free(r);
  if (!(fabs(found / expected - 1.0) < 3e-5)) fail_msg("range %.9g N instead of %.9g N", found, expected);
}

static void upward_over_the_jump(void **state)
{
  (void)state;
  check(28, 32, 5, "false", 2, expected_30);
  check(28, 32, 5, "false", 3, expected_31);
  check(28, 32, 5, "true", 3, expected_31);
  check(28, 32, 5, "false", 4, expected_32);
}

static void downward_over_the_jump(void **state)
{
  (void)state;
  check(33, 30, 4, "false", 2, expected_31);
  check(33, 30, 4, "false", 3, expected_30);
}

static void from_rest_onto_it(void **state)
{
  (void)state;
  check(31, 32, 2, "false", 0, expected_31);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(upward_over_the_jump),
      cmocka_unit_test(downward_over_the_jump),
      cmocka_unit_test(from_rest_onto_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
