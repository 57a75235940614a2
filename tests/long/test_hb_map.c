/* The whole map of Fig. 13, 116 angular frequencies and 16 amplitudes, by harmonic balance: within 1e-3 of
 * the orbits
 * for both laws, with harmonics as needed and with a fixed number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/tensioner_map.h"

static void whole_map(void **state)
{
  (void)state;
  static const double forces[16] = {13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300};
  const map_grid grid = {16, 116, forces, 10, 1};
  for (int k = 0; k < 2; k++) {
    double *orbits = map_orbits(&MAP_LAWS[k], &grid);
    map_compare(&MAP_LAWS[k], &grid, orbits, 3e-4, 1e-3);
    map_compare(&MAP_LAWS[k], &grid, orbits, 0.0, 1e-3);
    free(orbits);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_map)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
