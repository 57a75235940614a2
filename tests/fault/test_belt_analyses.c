/* Analyses of a belt drive, whose allocations fail one after the other: modes and forced response over speed;
 * life and noise indicators, spectra and the watch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

#define DRIVE                                                                                                \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N}\n"                                         \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2}\n"                       \
  "- {name: pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"                 \
  "- {name: steering, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                       \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"                      \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, "                    \
  "tension: 350 N, inertia: 1.2e-3 kg m2}\n"                                                                 \
  "crank: {speed: 2000 rpm}\n"

static void modes_and_orders(void **state)
{
  (void)state;
  test_starve(DRIVE "analyses:\n- campbell: {speeds: [600 rpm, 900 rpm], orders: [2], terms: 2, count: 3}\n"
                    "- orders: {speeds: [600 rpm, 900 rpm], orders: [{order: 2, amplitude: 0.1 deg}]}\n",
              400, 7, 40, 0.05);
}

static void life_and_spectra(void **state)
{
  (void)state;
  test_starve(DRIVE
              "analyses:\n- life: {speeds: [600 rpm, 900 rpm], orders: [2]}\n"
              "- transient: {until: 5 ms, method: midpoint, spectrum: {channels: [\"span.*.tension\"]}}\n"
              "outputs: {every: 0.25 ms}\n",
              400, 7, 40, 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(modes_and_orders), cmocka_unit_test(life_and_spectra)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
