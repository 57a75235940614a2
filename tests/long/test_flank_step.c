/* The step that is chosen is short enough, however stiff flanks are: half of it has the same thrust ratio,
 * without torque in overdrive, where too long ones were off by a third (docs/theory.md §47.3). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

/* Mean over the second half. */
static double thrust_ratio(const char *stiffness, const char *step)
{
  char text[600];
  snprintf(text, sizeof text,
           "capstan: 2\nname: t\ndrive: variator\nratio: 0.5\nelements: {simulated: 218}\n"
           "flank: {stiffness: %s N/m}\n"
           "primary: {speed: 1000 rpm}\nsecondary: {torque: 0 N m, clamping: 18 kN}\n"
           "analyses: [{transient: {until: 0.12 s%s}}]\noutputs: {every: 0.2 ms}\n",
           stiffness, step);
  test_result r = test_result_run(text);
  int64_t n;
  double *values = test_values(&r, "transient", "ratio.thrust", &n), sum = 0.0;
  for (int64_t k = n / 2; k < n; k++) sum += values[k];
  free(values);
  test_result_close(&r);
  return sum / (double)(n - n / 2);
}

static void half_of_the_step_changes_nothing(void **state)
{
  (void)state;
  static const char *const flanks[][2] = {{"2e7", ", step: 1.29 us"},
                                          {"6e7", ", step: 1.03 us"},
                                          {"1e8", ", step: 0.86 us"},
                                          {"3e8", ", step: 0.57 us"}};
  double before = 2.0;
  for (int i = 0; i < 4; i++) {
    double whole = thrust_ratio(flanks[i][0], ""), half = thrust_ratio(flanks[i][0], flanks[i][1]);
    print_message("  %s N/m: i_F %.4f, %.4f with half of the step\n", flanks[i][0], whole, half);
    assert_true(fabs(whole - half) < 0.01);
    assert_true(whole < before); /* towards that of rigid flanks, 1.21 */
    before = whole;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(half_of_the_step_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
