/* The tensioner map by harmonic balance: against the reference values, against the orbits on a part of the
 * grid (all of it in tests/long), and against time steppers at random points. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/tensioner_map.h"

/* 48 points a law, computed elsewhere to 1.5e-7. */
static void reference_values(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    FILE *file = fopen(CAPSTAN_SOURCE_DIR "/tests/data/tensioner_map.csv", "r");
    map_walk w = map_walk_open(&MAP_LAWS[k], 3e-4);
    test_system before = {0};
    char line[256], name[16];
    double force, pulsation, range, worst = 0.0;
    int count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
      if (sscanf(line, "%15[a-z],%lf,%lf,%lf", name, &force, &pulsation, &range) != 4) continue;
      if (strcmp(name, MAP_LAWS[k].name)) continue;
      test_system s = map_system(&MAP_LAWS[k], force, pulsation);
      double found = map_walk_range(&w, s.m, pulsation), miss = fabs(found / range - 1);
      if (!(miss < 1e-3))
        fail_msg("%s, %g N, %g rad/s: %.9g N, expected %.9g N", name, force, pulsation, found, range);
      worst = fmax(worst, miss);
      if (before.file) test_system_close(&before);
      before = s;
      count++;
    }
    test_system_close(&before);
    map_walk_close(&w);
    fclose(file);
    assert_int_equal(count, 48);
    print_message("  %s: %d reference values within %.1e\n", MAP_LAWS[k].name, count, worst);
  }
}

static void part_of_the_map(void **state)
{
  (void)state;
  static const double forces[] = {13, 54, 90, 120, 200, 300};
  const map_grid grid = {6, 24, forces, 10, 5};
  for (int k = 0; k < 2; k++) {
    double *orbits = map_orbits(&MAP_LAWS[k], &grid);
    map_compare(&MAP_LAWS[k], &grid, orbits, 3e-4, 1e-3);
    map_compare(&MAP_LAWS[k], &grid, orbits, 0.0, 1e-3);
    free(orbits);
  }
}

/* ---- time steppers ---------------------------------------------------------------------------------------
 */

/* From the balanced state by a stepper over one period: largest distance of the tension from the balanced
 * one, relative to its range, and the same over another period, `later` of them on. */
static void check_by_stepping(const map_law *law, const cap_stepper_type *type, double step, double force,
                              double pulsation, int later, double limit)
{
  test_system s = map_system(law, force, pulsation);
  map_walk w = map_walk_open(law, 0.0);
  cap_error error = {0};
  cap_hb_wave wave;
  int channel = 0;
  double range = map_walk_range(&w, s.m, pulsation), period = 2 * M_PI / pulsation, y[8];
  cap_hb *hb = w.hb[w.rung];
  assert_true(s.m->nstate <= 8);
  if (cap_hb_output_wave(hb, w.x, pulsation, 1, &channel, &wave, &error) != CAP_OK ||
      cap_hb_output_state(hb, w.x, pulsation, y, &error) != CAP_OK)
    fail_msg("%s", error.text);
  double worst[2] = {0};
  cap_stepper stepper = test_stepper(&s, type, step, 1e-10, false);
  memcpy(s.d->y, y, sizeof(double) * (size_t)s.m->nstate);
  *s.d->t = 0.0;
  for (int k = 0; k < 2; k++) {
    double start = k * later * period;
    test_advance(&s, &stepper, start, NULL);
    for (int n = 0; n < wave.nsample; n += 8) {
      test_advance(&s, &stepper, start + period * n / wave.nsample, NULL);
      worst[k] = fmax(worst[k], fabs(test_value(&s, "belt.tension") - wave.values[n]) / range);
    }
  }
  print_message("  %s, %.2f N, %.2f rad/s: tension within %.1e of %s over one period, %.1e after %d\n",
                law->name, force, pulsation, worst[0], type->name, worst[1], later);
  if (!(worst[0] < limit && worst[1] < limit))
    fail_msg("%s, %g N, %g rad/s: off by %.2e and %.2e", law->name, force, pulsation, worst[0], worst[1]);
  cap_stepper_free(&stepper);
  cap_arena_free(&wave.arena);
  map_walk_close(&w);
  test_system_close(&s);
}

/* Random points of the map; Masing's are stuck at small forces, where every mean of the slider is an orbit.
 */
static void random_points_by_steppers(void **state)
{
  (void)state;
  uint64_t seed = 13;
  for (int k = 0; k < 10; k++) {
    double force = test_random(&seed, 13, 300), pulsation = test_random(&seed, 10, 125);
    check_by_stepping(&MAP_LAWS[0], &cap_propagate_type, 1, force, pulsation, 40, 2e-3);
    check_by_stepping(&MAP_LAWS[1], &cap_rk4_type, 2e-5, force, pulsation, 20, 2e-3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_values),
      cmocka_unit_test(part_of_the_map),
      cmocka_unit_test(random_points_by_steppers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
