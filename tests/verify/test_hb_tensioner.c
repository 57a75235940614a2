/* The tensioner map by harmonic balance: against the reference values, against the orbits on a part of the
 * grid (all of it in tests/long), and against time steppers at random points. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/sanitized.h"
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
    double force, angular_frequency, range, worst = 0.0;
    int count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
      if (sscanf(line, "%15[a-z],%lf,%lf,%lf", name, &force, &angular_frequency, &range) != 4) continue;
      if (strcmp(name, MAP_LAWS[k].name)) continue;
      test_system s = map_system(&MAP_LAWS[k], force, angular_frequency);
      double found = map_walk_range(&w, s.m, angular_frequency), miss = fabs(found / range - 1);
      if (!(miss < 1e-3))
        fail_msg("%s, %g N, %g rad/s: %.9g N, expected %.9g N", name, force, angular_frequency, found, range);
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
  static const double forces[] = {13, 300, 54, 90, 120, 200};
  const map_grid grid = {TEST_SANITIZED ? 2 : 6, 24, forces, 10, 5};
  for (int k = 0; k < 2; k++) {
    double *orbits = map_orbits(&MAP_LAWS[k], &grid);
    map_compare(&MAP_LAWS[k], &grid, orbits, 3e-4, 1e-3);
    map_compare(&MAP_LAWS[k], &grid, orbits, 0.0, 1e-3);
    free(orbits);
  }
}

/* ---- through the program ------------------------------------------------------------------------------- */

/* Ranges of the tension over angular frequency of one member, by the analysis;
 * every `every`-th point of its table. */
typedef struct response_curve {
  int n;
  double *angular_frequency, *range;
} response_curve;

static response_curve run_response(const map_law *law, double force, const char *method, const char *sweep,
                                   int every)
{
  char text[4096];
  int64_t n, m;
  response_curve c = {0};
  snprintf(text, sizeof text,
           "%s%sanalyses:\n  - response: {%s, family: {parameter: load.amplitude, values: [%g N]},\n"
           "      sweep: {parameter: load.angular_frequency, %s}}\noutputs: {channels: [belt.tension]}\n",
           TEST_BELT, law->tensioner, method, force, sweep);
  test_result r = test_result_run(text);
  c.angular_frequency = test_values(&r, "response", "load.angular_frequency", &n);
  double *low = test_values(&r, "response", "belt.tension.min", &m);
  if (strstr(method, "harmonic-balance")) { /* stuck orbits have a multiplier one, but none is unstable */
    double *unstable = test_values(&r, "response", "unstable", &m);
    for (int k = 0; k < m; k++) assert_true(unstable[k] == 0.0);
    free(unstable);
  }
  c.range = test_values(&r, "response", "belt.tension.max", &m);
  assert_true(n == m);
  for (int k = 0; k < n; k += every, c.n++) {
    c.angular_frequency[c.n] = c.angular_frequency[k];
    c.range[c.n] = c.range[k] - low[k];
  }
  free(low);
  test_result_close(&r);
  return c;
}

/* The damper's constant changes with the angular frequency, so that the balance follows models, not loads
 * alone; the
 * orbits of the points that it has found are found again by the methods of the foundation. */
static void response_follows_the_tensioner(void **state)
{
  (void)state;
  static const char *const settings[] = {"method: harmonic-balance, harmonics: 15, samples: 256",
                                         "method: harmonic-balance, harmonics: 39, samples: 512"};
  static const double forces[] = {90, 200};
  for (int k = 0; k < 4; k += TEST_SANITIZED ? 3 : 1) {
    const map_law *law = &MAP_LAWS[k / 2];
    char values[2048] = "values: [";
    double worst = 0.0;
    response_curve hb = run_response(law, forces[k % 2], settings[k / 2],
                                     "from: 20 rad/s, to: 110 rad/s, count: 2", 12);
    assert_true(hb.n > 8 && hb.n < 80);
    for (int i = 0; i < hb.n; i++) {
      size_t at = strlen(values);
      snprintf(values + at, sizeof values - at, "%s%.12g rad/s", i ? ", " : "", hb.angular_frequency[i]);
      assert_true(i == 0 || hb.angular_frequency[i] > hb.angular_frequency[i - 1]);
    }
    strcat(values, "]");
    response_curve orbits = run_response(law, forces[k % 2], "tolerance: 1e-7", values, 1);
    assert_int_equal(orbits.n, hb.n);
    for (int i = 0; i < hb.n; i++) {
      worst = fmax(worst, fabs(hb.range[i] / orbits.range[i] - 1));
      if (!(worst < 1e-3))
        fail_msg("%s, %g N, %.9g rad/s: %.6f N, the orbit %.6f N", law->name, forces[k % 2],
                 hb.angular_frequency[i], hb.range[i], orbits.range[i]);
    }
    print_message("  %s, %g N: %d points within %.1e of the orbits\n", law->name, forces[k % 2], hb.n, worst);
    free(hb.angular_frequency);
    free(hb.range);
    free(orbits.angular_frequency);
    free(orbits.range);
  }
}

/* Found by shooting, of every tenth point of a sweep, and the largest distance from the balance. */
static void shoot(double from, double to, int harmonics, double least, double limit)
{
  char text[4096];
  int64_t n;
  double found = 0.0, worst = 0.0;
  snprintf(
      text, sizeof text,
      "%s%sanalyses:\n  - response: {method: harmonic-balance, harmonics: %d, samples: 512, verify: true,\n"
      "      verify_every: 10, family: {parameter: load.amplitude, values: [300 N]},\n"
      "      sweep: {parameter: load.angular_frequency, from: %g rad/s, to: %g rad/s, count: 2}}\n"
      "outputs: {channels: [belt.tension]}\n",
      TEST_BELT, MAP_LAWS[1].tensioner, harmonics, from, to);
  test_result r = test_result_run(text);
  double *distance = test_values(&r, "response", "distance", &n);
  for (int k = 0; k < n; k++)
    if (isfinite(distance[k])) found++, worst = fmax(worst, distance[k]);
  print_message("  %g of %d points found by shooting, within %.1e\n", found, (int)n, worst);
  assert_true(found >= least * (double)n / 10.0 - 1.0);
  assert_true(worst < limit);
  free(distance);
  test_result_close(&r);
}

/* Shooting from the balance of a stiff law: Newton's method stays near, where the time stepper can follow.
 * Measured at all points, not every tenth: 39 harmonics are within 6.7e-4 up to 30 rad/s and within 1.8e-3
 * where the curve bends beyond it; 63 harmonics within 4.2e-4 of all, where Newton's method comes to an orbit
 * at 81 % of the points. */
static void shooting_confirms_the_stiff_law(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  shoot(20.0, 30.0, 39, 1.0, 1e-3);
  shoot(20.0, 35.0, 63, 0.6, 1e-3);
}

/* ---- time steppers ------------------------------------------------------------------------------------- */

/* From the balanced state by a stepper over one period: largest distance of the tension from the balanced
 * one, relative to its range, and the same over another period, `later` of them on. */
static void check_by_stepping(const map_law *law, const cap_stepper_type *type, double step, double force,
                              double angular_frequency, int later, double limit)
{
  test_system s = map_system(law, force, angular_frequency);
  map_walk w = map_walk_open(law, 0.0);
  cap_error error = {0};
  cap_hb_wave wave;
  int channel = 0;
  double range = map_walk_range(&w, s.m, angular_frequency), period = 2 * M_PI / angular_frequency, y[8];
  cap_hb *hb = w.hb[w.rung];
  assert_true(s.m->nstate <= 8);
  if (cap_hb_output_wave(hb, w.x, angular_frequency, 1, &channel, &wave, &error) != CAP_OK ||
      cap_hb_output_state(hb, w.x, angular_frequency, y, &error) != CAP_OK)
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
                law->name, force, angular_frequency, worst[0], type->name, worst[1], later);
  if (!(worst[0] < limit && worst[1] < limit))
    fail_msg("%s, %g N, %g rad/s: off by %.2e and %.2e", law->name, force, angular_frequency, worst[0],
             worst[1]);
  cap_stepper_free(&stepper);
  cap_arena_free(&wave.arena);
  map_walk_close(&w);
  test_system_close(&s);
}

/* Random points of the map; Masing's are stuck at small forces,
 * where every mean of the slider is an orbit. */
static void random_points_by_steppers(void **state)
{
  (void)state;
  uint64_t seed = 13;
  for (int k = 0; k < 10; k++) {
    double force = test_random(&seed, 13, 300), angular_frequency = test_random(&seed, 10, 125);
    check_by_stepping(&MAP_LAWS[0], &cap_propagate_type, 1, force, angular_frequency, 40, 2e-3);
    check_by_stepping(&MAP_LAWS[1], &cap_rk4_type, 2e-5, force, angular_frequency, 20, 2e-3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_values),
      cmocka_unit_test(part_of_the_map),
      cmocka_unit_test(response_follows_the_tensioner),
      cmocka_unit_test(shooting_confirms_the_stiff_law),
      cmocka_unit_test(random_points_by_steppers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
