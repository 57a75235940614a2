/* A belt of segments whose allocations fail one after the other. */
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
      "capstan: 1\nname: t\ndrive: accessory-drive\n"
      "belt: {kind: flat, length: 1.193805208364 m, length_is: pitch, stiffness: 7600 N, "
      "mass: 0.872 kg/m, bending: 1.27e-3 N m2, friction: {groove: 0.5}, model: segments, segments: "
      "24, gravity: [0 m/s2, -9.81 m/s2]}\n"
      "pulleys:\n"
      "- {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2}\n"
      "- {name: driven, at: [0.314 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2, "
      "load: {torque: 20 N m, over_time: [[0 s, 0 N m], [1 s, 10 N m]]}}\n"
      "crank: {pulley: driver, speeds: [[0 s, 12 rad/s], [1 s, 13 rad/s]]}\n"
      "analyses: [{transient: {until: 1 ms, settle: 1 ms}}]\n"
      "outputs: {every: 0.5 ms, channels: [\"span.*\"]}\n",
      300, 37, 40, 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
