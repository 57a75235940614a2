/* fault/test_belt_statics.c — memory that runs out during the statics of a belt drive. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/starve.h"

static const char drive[] =
    "capstan: 1\nname: t\ndrive: accessory-drive\n"
    "belt: {kind: flat, length: 1260 mm, stiffness: 50 kN, bending: 0 N m2, mass: 0.1 kg/m}\n"
    "pulleys:\n"
    "  - {name: a, at: [0 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
    "  - {name: b, at: [320 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2, load: {torque: 5 N m}}\n"
    "crank: {pulley: a, speed: 1000 rpm}\n"
    "analyses: [{statics: {speeds: [500 rpm, 1000 rpm]}}]\n";

static void test_memory(void **state)
{
  (void)state;
  test_starve(drive, 400, 7, 20, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
