/* Bodies whose allocations fail one after the other. */
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
      "capstan: 1\nname: t\ndrive: bodies\nbodies:\n"
      "  - disc: {name: crank, mass: 1 kg, radius: 50 mm, x: 0 m, y: 1 m, hold: place, speed: 20 rad/s}\n"
      "  - block: {name: rod, mass: 0.2 kg, width: 0.12 m, height: 10 mm}\n"
      "  - block: {name: box, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.05 m, vx: 1 m/s}\n"
      "lines: [{line: {name: floor}}, {slot: {name: slot, x: 9 m, width: 20 m, angle: 90 deg}}]\n"
      "joints: [{hinge: {from: rod, to: crank, from_x: -0.06 m, to_x: 0.05 m}}]\n"
      "springs: [{from: rod, to: box, stiffness: 10 N/m}]\ncontact: {law: set-valued, friction: 0.3}\n"
      "analyses: [{transient: {until: 2 ms, method: timestepping, step: 1 ms}}]\noutputs: {every: 1 ms}\n",
      200, 7, 50, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
