/* Rings over two pulleys whose allocations fail one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

#define RING(model)                                                                                          \
  "capstan: 1\nname: t\ndrive: ring\n"                                                                       \
  "ring: {model: " model                                                                                     \
  ", nodes: 12, section: {thickness: 0.185 mm, width: 9.75 mm, modulus: 1.8e11 N/m2, "                       \
  "density: 8000 kg/m3}}\n"                                                                                  \
  "centre_distance: 155 mm\n"                                                                                \
  "pulleys: {secondary: {radius: 40 mm, torque: 0 N m}, primary: {radius: 60 mm, speed: 10 rad/s}, "         \
  "clamping: 1 kN}\n"                                                                                        \
  "analyses: [{transient: {until: 2 us, method: rk4, step: 0.1 us}}]\noutputs: {every: 0.5 us, balance: "    \
  "ignore}\n"

static void every_allocation_of_rcm_may_fail(void **state)
{
  (void)state;
  test_starve(RING("rcm"), 300, 7, 50, 0.2);
}

static void every_allocation_of_ancf_may_fail(void **state)
{
  (void)state;
  test_starve(RING("ancf"), 300, 7, 50, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_rcm_may_fail),
                                     cmocka_unit_test(every_allocation_of_ancf_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
