/* verify/test_orders.c — forced response to the orders of the crank: the known response of the six-pulley
 * drive, the motion over time, the modes, limits of dry friction. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/run.h"

#include <stdio.h>

#define RPM (M_PI / 30.0)
#define DEG (M_PI / 180.0)

#define DRIVE(belt, load1, load2, load3, load4, arm)                                                         \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm" belt "}\n"                                                     \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2" load1 "}\n"              \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2" load2 "}\n"  \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2" load3 "}\n"         \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2" load4 "}\n"             \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, "                    \
  "inertia: 1.2e-3 kg m2" arm "}\n"
#define LOADED(arm)                                                                                          \
  DRIVE(", measured_at: 350 N, damping: 2e-5 s", ", load: {power: 2.2 kW}", ", load: {power: 0.25 kW}",      \
        ", load: {power: 0.6 kW}", ", load: {power: 2.5 kW}", ", tension: 350 N" arm)

enum { PULLEYS = 6 };
static const char *const names[PULLEYS] = {"crank",      "tensioner",     "alternator",
                                           "water_pump", "steering_pump", "compressor"};

/* Of the first row. */
static double value(const test_result *r, const char *channel, const char *what)
{
  char name[128];
  snprintf(name, sizeof name, "%s.%s", channel, what);
  return test_number(r, "orders", name);
}

/* The crank shakes by 1 degree at 20 Hz while the belt all but rests (order 1000 at 1.2 rpm), undamped. */
static void the_known_response(void **state)
{
  (void)state;
  const double known[PULLEYS] = {-6.81, -11.82, -206.65, -220.02, -230.07, -258.02};
  test_result r = test_result_run(
      DRIVE(", measured_at: 0.1 N", "", "", "", "",
            ", tension: 0.1 N") "crank: {speed: 1.2 rpm}\nanalyses: [{orders: {speeds: [1.2 rpm], "
                                "orders: [{order: 1000, amplitude: 1 deg}]}}]\n");
  double alternator = value(&r, "pulley.alternator.angle", "order.1000.amplitude") / DEG;
  double arm = value(&r, "arm.angle", "order.1000.amplitude") / DEG;
  print_message("  alternator %.4f deg, arm %.4f deg\n", alternator, arm);
  assert_true(fabs(alternator - 6.880) < 1e-3 && fabs(arm - 1.432) < 1e-3);
  for (int k = 0; k < PULLEYS; k++) {
    char channel[64];
    snprintf(channel, sizeof channel, "span.%s.tension", names[k]);
    double amplitude = value(&r, channel, "order.1000.amplitude");
    double phase = value(&r, channel, "order.1000.phase"), sign = cos(phase) > 0.0 ? 1.0 : -1.0;
    print_message("  span after %s: %.3f N (known %.2f N), phase %.4f deg\n", names[k], sign * amplitude,
                  known[k], phase / DEG);
    assert_true(fabs(sign * amplitude - known[k]) < 0.02);
    assert_true(fabs(sin(phase)) < 0.01); /* what creep is left */
  }
  test_result_close(&r);
}

/* ---- the motion over time ------------------------------------------------------------------------------ */

enum { SAMPLES = 256 };

/* Harmonic h of the last `turns` turns of the crank, as A sin(h psi / turns + phase). */
static void harmonic(const double *values, int h, double *amplitude, double *phase)
{
  double a = 0.0, b = 0.0;
  for (int n = 0; n < SAMPLES; n++) {
    a += 2.0 / SAMPLES * values[n] * cos(2.0 * M_PI * h * n / SAMPLES);
    b += 2.0 / SAMPLES * values[n] * sin(2.0 * M_PI * h * n / SAMPLES);
  }
  *amplitude = hypot(a, b);
  *phase = atan2(a, b);
}

static const char *const watched[] = {"arm.angle",
                                      "arm.torque",
                                      "span.crank.tension",
                                      "span.compressor.tension",
                                      "pulley.alternator.speed",
                                      "pulley.water_pump.torque"};
enum { WATCHED = 6 };

/* Small swings at 900 rpm with loads: two orders with phases, against the motion once the start is forgotten,
 * over one turn of the crank. */
static void a_small_swing_is_that_over_time(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  const char *text = LOADED(", damping: 0.5 N m s/rad") "crank: {speed: 900 rpm, orders: [{order: 2, "
                                                        "amplitude: 0.001 deg, phase: 40 deg}, {order: 4.0, "
                                                        "amplitude: 0.001 deg, phase: -70 deg}]}\nanalyses: "
                                                        "[{orders: {speeds: [900 rpm]}}]\n";
  static double values[WATCHED][SAMPLES];
  double turn = 60.0 / 900.0, start = 36 * turn, worst = 0.0;
  test_result r = test_result_run(text);
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 2e-5, 1e-11, false);
  for (int n = 0; n < SAMPLES; n++) {
    test_advance(&s, &stepper, start + turn * n / SAMPLES, NULL);
    for (int k = 0; k < WATCHED; k++) values[k][n] = test_value(&s, watched[k]);
  }
  for (int k = 0; k < WATCHED; k++) {
    double mean = 0.0, low = INFINITY, high = -INFINITY;
    for (int n = 0; n < SAMPLES; n++) mean += values[k][n] / SAMPLES;
    for (int n = 0; n < SAMPLES; n++) low = fmin(low, values[k][n]), high = fmax(high, values[k][n]);
    for (int order = 2; order <= 4; order += 2) {
      char what[32];
      double amplitude, phase;
      harmonic(values[k], order, &amplitude, &phase);
      snprintf(what, sizeof what, "order.%d.amplitude", order);
      double linear = value(&r, watched[k], what);
      snprintf(what, sizeof what, "order.%d.phase", order);
      double lag = remainder(value(&r, watched[k], what) - phase, 2.0 * M_PI);
      print_message("  %s, order %d: %.6g, over time %.6g (%.1e), phase off by %.1e rad\n", watched[k], order,
                    linear, amplitude, linear / amplitude - 1.0, lag);
      worst = fmax(worst, fmax(fabs(linear / amplitude - 1.0), fabs(lag)));
    }
    assert_true(fabs(value(&r, watched[k], "mean") - mean) < 1e-5 * fabs(mean));
    double size = value(&r, watched[k], "max") - value(&r, watched[k], "min");
    assert_true(fabs(size - (high - low)) < 2e-3 * size);
    assert_true(fabs(value(&r, watched[k], "max") - high) < 2e-3 * size + 1e-5 * fabs(mean));
    assert_true(fabs(value(&r, watched[k], "sum") - value(&r, watched[k], "order.2.amplitude") -
                     value(&r, watched[k], "order.4.amplitude")) < 1e-12 * fabs(mean));
  }
  print_message("  worst: %.1e\n", worst);
  assert_true(worst < 1e-3);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  test_result_close(&r);
}

/* ---- modes --------------------------------------------------------------------------------------------- */

/* Where the amplitude is largest over the speed, by a parabola through it. */
static double peak_speed(const double *speed, const double *a, int n, double from, double to)
{
  int best = -1;
  for (int k = 1; k + 1 < n; k++)
    if (speed[k] >= from && speed[k] <= to && a[k] >= a[k - 1] && a[k] >= a[k + 1] &&
        (best < 0 || a[k] > a[best]))
      best = k;
  assert_true(best > 0);
  double bend = a[best - 1] - 2.0 * a[best] + a[best + 1];
  return speed[best] - 0.5 * (a[best + 1] - a[best - 1]) / bend * (speed[1] - speed[0]);
}

/* An order is largest where it meets a rotational mode of the Campbell diagram. Creep damps by the ratio of
 * belt speed over span to the angular frequency: the tenth part for order 20, which meets the modes at a
 * tenth of the
 * speed. */
static void peaks_of(double order, double limit)
{
  char text[4096];
  snprintf(
      text, sizeof text,
      DRIVE(", measured_at: 350 N", "", "", "", "",
            ", tension: 350 N, damping: 0.01 N m s/rad") "crank: {speeds: [[0 s, 2000 rpm], [1 s, 1000 "
                                                         "rpm]]}\nanalyses:\n"
                                                         "- campbell: {speeds: {from: %g rpm, to: %g rpm, "
                                                         "count: 501}, orders: [%g], terms: 0, count: 6}\n"
                                                         "- orders: {speeds: {from: %g rpm, to: %g rpm, "
                                                         "count: 2001}, orders: [{order: %g, amplitude: 0.1 "
                                                         "deg}]}\n",
      1000.0 / order, 10000.0 / order, order, 1000.0 / order, 10000.0 / order, order);
  test_result r = test_result_run(text);
  int64_t ncrossing, nspeed;
  snprintf(text, sizeof text, "arm.angle.order.%g.amplitude", order);
  double *met = test_values(&r, "campbell", "crossing.speed", &ncrossing);
  double *speed = test_values(&r, "orders", "speed", &nspeed);
  double *a = test_values(&r, "orders", text, NULL);
  assert_true(ncrossing == 3);
  for (int k = 0; k < ncrossing; k++) {
    double found = peak_speed(speed, a, (int)nspeed, 0.9 * met[k], 1.1 * met[k]);
    print_message("  order %g meets a mode at %.2f rpm, the arm swings most at %.2f rpm (%.2f %%)\n", order,
                  met[k] / RPM, found / RPM, 100.0 * (found / met[k] - 1.0));
    assert_true(fabs(found / met[k] - 1.0) < limit);
  }
  free(met);
  free(speed);
  free(a);
  test_result_close(&r);
}

static void it_peaks_where_orders_meet_modes(void **state)
{
  (void)state;
  peaks_of(20.0, 0.005);
  peaks_of(2.0, 0.05);
}

/* ---- dry friction -------------------------------------------------------------------------------------- */

static double arm_swing(const char *hysteresis, const char *friction)
{
  char text[4096];
  snprintf(
      text, sizeof text,
      LOADED(", damping: 0.5 N m s/rad, hysteresis: {%s}") "crank: {speed: 900 rpm}\nanalyses: [{orders: "
                                                           "{speeds: [900 rpm], friction: %s, "
                                                           "orders: [{order: 2, amplitude: 0.1 deg}]}}]\n",
      hysteresis, friction);
  test_result r = test_result_run(text);
  double swing = value(&r, "arm.angle", "order.2.amplitude"), peak = value(&r, "arm.angle", "max");
  assert_true(fabs(value(&r, "arm.angle", "mean") + swing - peak) < 1e-12);
  test_result_close(&r);
  return swing;
}

/* Sliding friction is no friction; stuck, Coulomb's holds the arm, and a stiff Masing spring nearly so, as
 * another spring of that stiffness at the arm does. */
static void dry_friction_sticks_or_slides(void **state)
{
  (void)state;
  double none = arm_swing("law: none", "stuck");
  assert_true(fabs(arm_swing("law: coulomb, friction: 3 N m", "sliding") / none - 1.0) < 1e-9);
  assert_true(fabs(arm_swing("law: masing, friction: 3 N m, stiffness: 2 N m/deg", "sliding") / none - 1.0) <
              1e-9);
  assert_true(fabs(arm_swing("law: dahl, friction: 3 N m, stiffness: 2 N m/deg", "sliding") / none - 1.0) <
              1e-9);
  assert_true(arm_swing("law: coulomb, friction: 3 N m", "stuck") < 1e-12);
  double masing = arm_swing("law: masing, friction: 3 N m, stiffness: 2 N m/deg", "stuck");
  double dahl = arm_swing("law: dahl, friction: 3 N m, stiffness: 2 N m/deg", "stuck");
  double stiff = arm_swing("law: masing, friction: 3 N m, stiffness: 2e6 N m/deg", "stuck");
  print_message("  the arm swings by %.4f deg without friction, %.4f with a stuck spring, %.1e stiff\n",
                none / DEG, masing / DEG, stiff / DEG);
  assert_true(fabs(masing / none - 1.0) > 0.1);
  assert_true(fabs(dahl / masing - 1.0) < 1e-9);
  assert_true(stiff < 1e-5 * none);
}

/* Speeds that the drive cannot run at have no row of numbers; the others do. */
static void a_speed_without_steady_running(void **state)
{
  (void)state;
  test_result r = test_result_run(DRIVE(
      ", measured_at: 350 N", "", "", "", ", load: {torques: [[1000 rpm, 5 N m], [3000 rpm, -400 N m]]}",
      ", tension: 350 N") "crank: {speed: 600 rpm}\nanalyses: [{orders: {speeds: [500 rpm, 2000 rpm], "
                          "orders: [{order: 2, amplitude: 0.1 deg}]}}]\n");
  int64_t n;
  double *a = test_values(&r, "orders", "arm.angle.order.2.amplitude", &n);
  assert_true(n == 2 && a[0] > 0.0 && isnan(a[1]));
  free(a);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_known_response), cmocka_unit_test(a_small_swing_is_that_over_time),
      cmocka_unit_test(it_peaks_where_orders_meet_modes), cmocka_unit_test(dry_friction_sticks_or_slides),
      cmocka_unit_test(a_speed_without_steady_running)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
