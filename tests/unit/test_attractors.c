/* Attractors: states integrated until they arrive, told apart by the stroboscopic map. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"
#include "analysis/search/attractors.h"

#include <stdio.h>

/* The clearance oscillator, case 2 of Kim, Rook and Singh unless told otherwise. */
static test_system oscillator(const char *clearance, const char *angular_frequency)
{
  char text[1024];
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
           "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
           "springs: [{from: gear, damping: 0.05 N s/m%s}]\n"
           "%s"
           "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\n"
           "forcing: {angular_frequency: %s rad/s}\nanalyses: [{statics: {}}]\n",
           clearance ? "" : ", stiffness: 1 N/m", clearance ? clearance : "", angular_frequency);
  return test_system_open(text);
}

#define GAP(more)                                                                                            \
  "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m" more "}}]\n"

static const double low[2] = {-1.0, -1.0}, high[2] = {1.4, 1.0};

static cap_attractors *set_of(const test_system *s, int most)
{
  cap_attractors *set = NULL;
  cap_error error = {0};
  cap_attractors_settings settings = {.most = most, .low = low, .high = high};
  if (cap_attractors_create(s->m, 0, &settings, &set, &error) != CAP_OK) fail_msg("%s", error.text);
  return set;
}

enum { STATES = 96 };

static void reach(cap_attractors *set, uint64_t seed, int count, int *which)
{
  double y[2 * STATES];
  cap_error error = {0};
  for (int k = 0; k < count; k++) cap_attractors_random(seed, k, 2, low, high, y + 2 * k);
  if (cap_attractors_reach(set, 0, count, y, which, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* Any state can be drawn alone, lies in the box, and each quarter of the box gets its share. */
static void test_states(void **state)
{
  (void)state;
  int quarter[4] = {0};
  double first[2], again[2], other[2];
  for (int k = 0; k < 64; k++) {
    double y[2];
    cap_attractors_random(7, k, 2, low, high, y);
    for (int i = 0; i < 2; i++) assert_true(y[i] >= low[i] && y[i] < high[i]);
    quarter[(y[0] > 0.2) + 2 * (y[1] > 0.0)]++;
    if (k == 40) memcpy(first, y, sizeof first);
  }
  cap_attractors_random(7, 40, 2, low, high, again);
  cap_attractors_random(8, 40, 2, low, high, other);
  assert_memory_equal(first, again, sizeof first);
  assert_true(first[0] != other[0] && first[1] != other[1]);
  for (int k = 0; k < 4; k++) assert_true(quarter[k] >= 13 && quarter[k] <= 19);
  const double flat[3] = {0.5, -1.0, 2.0}, wide[3] = {0.5, 1.0, 2.0}; /* one state alone is free */
  double y[3];
  cap_attractors_random(7, 3, 3, flat, wide, y);
  assert_true(y[0] == 0.5 && y[2] == 2.0 && y[1] > -1.0 && y[1] < 1.0);
}

/* Without clearance everything comes to the response of a linear oscillator. */
static void test_linear(void **state)
{
  (void)state;
  test_system s = oscillator(NULL, "0.7");
  cap_attractors *set = set_of(&s, 0);
  int which[STATES];
  reach(set, 1, 40, which);
  assert_int_equal(set->n, 1);
  const cap_attractor *a = &set->list[0];
  assert_int_equal(a->period, 1);
  assert_int_equal(a->count, 40);
  double w = 0.7, re = 1.0 - w * w, im = 0.05 * w, d = re * re + im * im, period = 2.0 * M_PI / w;
  double position = 0.05 - 0.03 * im / d, velocity = w * 0.03 * re / d;
  print_message("linear: position off by %.1e, velocity by %.1e, multiplier by %.1e\n",
                fabs(a->y[0] - position), fabs(a->y[1] - velocity),
                fabs(a->multiplier - exp(-0.025 * period)));
  assert_true(fabs(a->y[0] - position) < 1e-5 && fabs(a->y[1] - velocity) < 1e-5);
  assert_true(fabs(a->multiplier - exp(-0.025 * period)) < 1e-5);
  cap_attractors_free(set);
  test_system_close(&s);
}

/* At 1.15 rad/s three motions coexist, known from an independent integration (piecewise closed forms, 300
 * states): one of the forcing's period near (0.210, -0.080) for 84 %, and two of twice that. det P' =
 * exp(-0.05 T) whatever the motion, so complex multipliers have the modulus exp(-0.025 p T). */
static void test_coexisting(void **state)
{
  (void)state;
  static const char *const laws[] = {GAP(""), GAP(", smoothing: g1, sigma: 100")};
  for (int law = 0; law < 2; law++) {
    test_system s = oscillator(laws[law], "1.15");
    cap_attractors *set = set_of(&s, 0);
    int which[STATES], of_period[3] = {0}, states[3] = {0}, index;
    reach(set, 3, STATES, which);
    for (int k = 0; k < set->n; k++) {
      const cap_attractor *a = &set->list[k];
      assert_in_range(a->period, 1, 2);
      of_period[a->period]++;
      states[a->period] += a->count;
      print_message("law %d: period %d, %d states, at %.4f %.4f, multiplier %.5f\n", law, a->period, a->count,
                    a->y[0], a->y[1], a->multiplier);
      if (law == 0) assert_true(fabs(a->multiplier - exp(-0.025 * a->period * 2.0 * M_PI / 1.15)) < 1e-3);
      if (law == 0 && a->period == 1)
        assert_true(fabs(a->y[0] - 0.210) < 1e-3 && fabs(a->y[1] + 0.080) < 1e-3);
      if (a->period != 2) continue;
      /* begun one forcing period later it is the same attractor */
      cap_error error = {0};
      int before = set->n;
      assert_int_equal(cap_attractors_know(set, 2, a->y + 2, &index, &error), CAP_OK);
      assert_int_equal(index, k);
      assert_int_equal(set->n, before);
    }
    assert_int_equal(of_period[1], 1);
    assert_int_equal(of_period[2], 2);
    assert_true(states[2] > 5 && states[1] > STATES / 2);
    cap_attractors_free(set);
    test_system_close(&s);
  }
}

/* A state alone comes to the same as among others, whatever is known before. */
static void test_alone(void **state)
{
  (void)state;
  test_system s = oscillator(GAP(""), "1.15");
  cap_attractors *all = set_of(&s, 0), *one = set_of(&s, 0);
  int which[STATES], alone, index;
  cap_error error = {0};
  reach(all, 3, STATES, which);
  for (int k = 0; k < STATES; k += 7) {
    double y[2];
    cap_attractors_random(3, k, 2, low, high, y);
    assert_int_equal(cap_attractors_reach(one, k, 1, y, &alone, &error), CAP_OK);
    index = cap_attractors_find(all, &one->list[alone]);
    assert_int_equal(index, which[k]);
  }
  cap_attractors_free(all);
  cap_attractors_free(one);
  test_system_close(&s);
}

/* Where motions never repeat themselves the answer says so. */
static void test_chaos(void **state)
{
  (void)state;
  test_system s = oscillator(GAP(""), "0.506");
  cap_attractors *set = set_of(&s, 250);
  int which[STATES], other = -1;
  reach(set, 1, STATES, which);
  for (int k = 0; k < set->n; k++)
    if (set->list[k].period == 0) other = k;
  assert_true(other >= 0);
  print_message("0.506 rad/s: %d of %d states do not repeat themselves\n", set->list[other].count, STATES);
  assert_true(set->list[other].count >= 2 && set->list[other].count < STATES / 3);
  assert_true(isnan(set->list[other].multiplier));
  cap_attractors_free(set);
  test_system_close(&s);
}

/* Set-valued friction runs one state at a time, by its own stepper. */
static void test_friction(void **state)
{
  (void)state;
  test_system s = test_system_open(TEST_BELT TEST_MASING TEST_ANY);
  double box[2][16] = {{0}}, y[64];
  int n = s.m->nstate, which[4], index;
  cap_attractors *set = NULL;
  cap_error error = {0};
  assert_true(n <= 16);
  for (int i = 0; i < n; i++) box[0][i] = box[1][i] = s.m->initial[i];
  box[1][0] += 1e-3;
  cap_attractors_settings settings = {.low = box[0], .high = box[1], .most = 400};
  assert_int_equal(cap_attractors_create(s.m, 0, &settings, &set, &error), CAP_OK);
  assert_string_equal(set->type->name, "exact");
  for (int k = 0; k < 4; k++) cap_attractors_random(1, k, n, box[0], box[1], y + k * n);
  if (cap_attractors_reach(set, 0, 4, y, which, &error) != CAP_OK) fail_msg("%s", error.text);
  for (int k = 0; k < set->n; k++) assert_int_equal(set->list[k].period, 1);
  assert_int_equal(cap_attractors_polish(set, 1, set->list[0].y, &index, &error), CAP_OK);
  assert_int_equal(index, 0);
  cap_attractors_free(set);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_states),     cmocka_unit_test(test_linear),
                                     cmocka_unit_test(test_coexisting), cmocka_unit_test(test_alone),
                                     cmocka_unit_test(test_chaos),      cmocka_unit_test(test_friction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
