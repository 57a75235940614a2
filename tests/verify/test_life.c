/* verify/test_life.c — the analysis `life`: duty cycles, reference lives, bearings, slip and resonances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"
#include "drives/accessory/belt/belt_noise.h"

#define RPM (M_PI / 30.0)

enum { CRANK, TENSIONER, ALTERNATOR, PUMP, STEERING, COMPRESSOR, PULLEYS };

#define DRIVE                                                                                                \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N}\n"                                         \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {torque: 5 N m}, " \
  "offset: 1.2 mm, bearing: {C: 9.5 kN, static: 3 kN}}\n"                                                    \
  "- {name: pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2, "                  \
  "load: {torque: 2 N m}, bearing: {C0: 4 kN, dynamic: 800 N}}\n"                                            \
  "- {name: steering, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                       \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2, load: {torque: 8 N "    \
  "m}}\n"                                                                                                    \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, "                    \
  "tension: 350 N, inertia: 1.2e-3 kg m2}\n"                                                                 \
  "crank: {speed: 2000 rpm}\n"

static void check_near(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%.12g is not %.12g", found, expected);
}

static double value_at(const test_result *r, const char *name, int at)
{
  int64_t count;
  double *values = test_values(r, "life", name, &count);
  assert_true(at < count);
  double value = values[at];
  free(values);
  return value;
}

/* Miner: shares of time over lives add. */
static void test_duty_cycle(void **state)
{
  (void)state;
  test_result r = test_result_run(DRIVE
                                  "analyses:\n- life: {speeds: [1000 rpm, 3000 rpm], weights: [30, 10], "
                                  "reference: {life: 5000 h, at: 3000 rpm}, target: 6000 h}\n");
  double life = test_number(&r, "life", "duty.life");
  check_near(value_at(&r, "life", 1) / 3600.0, 5000.0, 1e-8);
  check_near(life, 1.0 / (0.75 / value_at(&r, "life", 0) + 0.25 / value_at(&r, "life", 1)), 1e-9 * life);
  check_near(test_number(&r, "life", "duty.used"), 6000.0 * 3600.0 / life, 1e-12);
  check_near(test_number(&r, "life", "duty.relative"), life / value_at(&r, "life", 0), 1e-12);
  /* the shares of the pulleys are those of their diameters, at every speed */
  double sum = 0.0, d[PULLEYS] = {165, 70, 56, 120, 130, 115}, share[PULLEYS];
  for (int i = 0; i < PULLEYS; i++) {
    share[i] = (i == TENSIONER || i == PUMP ? 0.31 : 1.0) * pow(d[i], -5.6);
    sum += share[i];
  }
  for (int i = 0; i < PULLEYS; i++) check_near(value_at(&r, "pulley.share", i), share[i] / sum, 1e-12);
  check_near(value_at(&r, "pulley.crank.share", 1), share[CRANK] / sum, 1e-12);
  test_result_close(&r);
}

/* A rig whose belt meets the same as this drive would has the same life; heat and ribs count from it. */
static void test_reference_rig(void **state)
{
  (void)state;
  char text[4000];
  test_result r = test_result_run(DRIVE "analyses:\n- life: {speeds: [2000 rpm]}\n");
  double tension = value_at(&r, "belt.tension", 0), passes = value_at(&r, "belt.passes", 0);
  check_near(test_number(&r, "life", "duty.relative"), 1.0, 1e-15);
  assert_true(isnan(value_at(&r, "life", 0)));
  test_result_close(&r);
  snprintf(text, sizeof text,
           DRIVE "analyses:\n- life: {speeds: [2000 rpm], temperature: [386 K], reference: {life: 1000 h, "
                 "temperature: 363 K, tension: %.17g N, speed: %.17g m/s, length: 2 m, ribs: 6, groove: [165 "
                 "mm, 56 mm, 130 mm, 115 mm], back: [70 mm, 120 mm]}}\n",
           tension, 2.0 * passes);
  r = test_result_run(text);
  check_near(test_number(&r, "life", "duty.life") / 3600.0, 500.0, 1e-8);
  test_result_close(&r);
}

static void test_bearings(void **state)
{
  (void)state;
  test_result r = test_result_run(DRIVE
                                  "analyses:\n- life: {speeds: [1000 rpm, 3000 rpm], weights: [3, 1]}\n");
  double f[2] = {value_at(&r, "pulley.alternator.hub", 0), value_at(&r, "pulley.alternator.hub", 1)};
  double ratio = (165.0 + 2.4) / (56.0 + 2.4), turns[2] = {0.75 * 1000.0, 0.25 * 3000.0};
  double mean = cbrt((turns[0] * pow(f[0], 3.0) + turns[1] * pow(f[1], 3.0)) / (turns[0] + turns[1]));
  /* creep takes some 0.2 % of the turns, of both speeds alike */
  check_near(value_at(&r, "pulley.hub_equivalent", ALTERNATOR) / mean, 1.0, 1e-4);
  double hours = 1e6 * pow(9500.0 / mean, 3.0) / (60.0 * ratio * (turns[0] + turns[1]));
  check_near(value_at(&r, "pulley.bearing_life", ALTERNATOR) / 3600.0 / hours, 1.0, 5e-3);
  double most = value_at(&r, "pulley.hub_most", ALTERNATOR);
  assert_true(most >= f[0] && most >= f[1]);
  check_near(value_at(&r, "pulley.static_safety", ALTERNATOR), 3000.0 / most, 1e-12);
  check_near(value_at(&r, "pulley.dynamic_safety", ALTERNATOR),
             9500.0 / value_at(&r, "pulley.hub_equivalent", ALTERNATOR), 1e-12);
  check_near(value_at(&r, "pulley.static_safety", PUMP), 4000.0 / value_at(&r, "pulley.hub_most", PUMP),
             1e-12);
  check_near(value_at(&r, "pulley.dynamic_safety", PUMP), 800.0 / value_at(&r, "pulley.hub_equivalent", PUMP),
             1e-12);
  assert_true(isnan(value_at(&r, "pulley.bearing_life", PUMP)));
  assert_true(isnan(value_at(&r, "pulley.static_safety", CRANK)));
  test_result_close(&r);
}

/* A friction that falls takes from the safety what it has lost at the sliding speed. */
static void test_falling_friction(void **state)
{
  (void)state;
  test_result plain = test_result_run(DRIVE "analyses:\n- life: {}\n- statics: {}\n");
  test_result falls = test_result_run(DRIVE
                                      "analyses:\n- life: {stribeck: {kinetic: 0.5, speed: 0.05 m/s}}\n");
  double v = test_number(&plain, "statics", "pulley.compressor.slip_speed") / 0.05;
  double safety = test_number(&plain, "statics", "pulley.compressor.safety");
  check_near(value_at(&plain, "pulley.compressor.safety", 0), safety, 1e-12);
  check_near(value_at(&plain, "pulley.compressor.friction_slope", 0), 0.0, 0.0);
  check_near(value_at(&falls, "pulley.compressor.safety", 0), safety * (0.5 + 0.5 * exp(-v * v)), 1e-9);
  check_near(value_at(&falls, "pulley.compressor.friction_slope", 0), -0.9 * v / 0.05 * exp(-v * v), 1e-9);
  assert_true(v > 0.01);
  test_result_close(&plain);
  test_result_close(&falls);
}

/* At the speed of a resonance the order has the frequency of the span, or twice it. */
static void test_resonances(void **state)
{
  (void)state;
  test_system s = test_system_open(DRIVE
                                   "analyses:\n- life: {speeds: [1500 rpm, 4000 rpm], orders: [2, 4]}\n");
  test_result r = test_result_execute(s.file, "model");
  int64_t n;
  double *speed = test_values(&r, "life", "resonance.speed", &n);
  assert_true(n > 6);
  int parametric = 0;
  for (int k = 0; k < n; k++) {
    cap_belt_statics at;
    cap_belt_statics_case which = {.speed = speed[k]};
    cap_error error = {0};
    double order = value_at(&r, "resonance.order", k), multiple = value_at(&r, "resonance.multiple", k);
    int span = (int)value_at(&r, "resonance.span", k) - 1;
    assert_int_equal(cap_belt_statics_solve(cap_belt_of(s.m), &which, &at, &error), CAP_OK);
    double frequency = multiple * cap_belt_noise_frequency(cap_belt_of(s.m), &at, span, 1);
    check_near(frequency, order * speed[k] / (2.0 * M_PI), 1e-7);
    check_near(value_at(&r, "resonance.frequency", k), frequency, 1e-7);
    double low = 1500 * RPM - speed[k], high = 4000 * RPM - speed[k];
    check_near(value_at(&r, "resonance.margin", k), fabs(low) < fabs(high) ? low : high, 1e-9);
    parametric += multiple == 2.0;
  }
  assert_true(parametric > 0 && parametric < n);
  free(speed);
  /* the nearest order at each speed of the table */
  double f = value_at(&r, "span.steering.frequency", 1), nearest = INFINITY;
  for (int order = 2; order <= 4; order += 2)
    for (int multiple = 1; multiple <= 2; multiple++) {
      double apart = order * 4000.0 / 60.0 - multiple * f;
      if (fabs(apart) < fabs(nearest)) nearest = apart;
    }
  check_near(value_at(&r, "span.steering.margin", 1), nearest, 1e-9);
  /* the alternator stands 1.2 mm out of line */
  double angle = value_at(&r, "span.entry", TENSIONER) * 180.0 / M_PI;
  assert_true(angle > 0.33 && angle < 0.5);
  test_result_close(&r);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_duty_cycle), cmocka_unit_test(test_reference_rig),
      cmocka_unit_test(test_bearings),   cmocka_unit_test(test_falling_friction),
      cmocka_unit_test(test_resonances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
