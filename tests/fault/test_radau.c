/* A run by the implicit Runge-Kutta stepper whose allocations fail one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

static void every_allocation_of_a_run_may_fail(void **state)
{
  (void)state;
  test_starve(
      "capstan: 1\nname: t\ndrive: rolling-body\n"
      "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, circle: 0.5 m}}]\n"
      "analyses: [{transient: {until: 2 ms, method: radau, tolerance: 1e-4}}]\noutputs: {every: 1 ms}\n",
      200, 7, 50, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
