/* Memory that runs out at many places of a search and of basins: an error or a whole result, no crash, no
 * leak (with the sanitizers). The library's own allocations are wrapped by the linker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/starve.h"

/* As little as there is to compute; a narrow range where two orbits of period 2 are stable. */
#define MODEL                                                                                                \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg, position: 0.2245 "    \
  "m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"                                                      \
  "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"                    \
  "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\nforcing: {angular_frequency: 1.15 "  \
  "rad/s}\n"                                                                                                 \
  "outputs: {channels: [gear.position]}\n"

static void test_search(void **state)
{
  (void)state;
  test_starve(
      MODEL
      "analyses: [{response: {method: harmonic-balance, harmonics: 3, sweep: {parameter: "
      "forcing.angular_frequency, "
      "values: [1.14 rad/s, 1.15 rad/s]}, search: {load: 1, states: 6, values: 1, periods: 2, folds: true, "
      "deflation: false}}}]\n",
      0, 7, 30, 0.05);
}

static void test_basins(void **state)
{
  (void)state;
  test_starve(
      MODEL "analyses: [{basins: {grid: [{state: gear.position, from: -0.5 m, to: 0.5 m, count: 3}, {state: "
            "gear.velocity, from: -0.2 m/s, to: 0.2 m/s, count: 2}]}}]\n",
      0, 1, 30, 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_search), cmocka_unit_test(test_basins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
