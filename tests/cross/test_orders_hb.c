/* cross/test_orders_hb.c — nonlinear response of a belt drive to the orders of its crank: harmonic balance
 * about the steady running against orbits of the whole nonlinear system and against its motion over time, for
 * each law of dry friction; from the stuck to the sliding arm; with a decoupler. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/level.h"
#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/run.h"

#include <stdio.h>

#define RPM (M_PI / 30.0)
#define DEG (M_PI / 180.0)

#define DRIVE(alternator, load2, load3, load4)                                                               \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\n"                        \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, " alternator "}\n"                            \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2" load2 "}\n"  \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2" load3 "}\n"         \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2" load4 "}\n"             \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: %s N m s/rad, hysteresis: {%s}}\n"                                        \
  "crank: {speed: %g rpm, orders: [{order: 2, amplitude: %g deg}]}\n"
#define LOADED                                                                                               \
  DRIVE("inertia: 3e-3 kg m2, load: {power: 1.6 kW}", ", load: {power: 0.06 kW}", ", load: {power: 0.4 kW}", \
        ", load: {power: 1.3 kW}")
#define IDLE DRIVE("inertia: 3e-3 kg m2", "", "", "")

static const char masing[] = "law: masing, friction: 3 N m, stiffness: 2 N m/deg";

static test_result run(const char *drive, const char *damping, const char *hysteresis, double rpm,
                       double degrees, const char *analyses)
{
  static char text[8192];
  int n = snprintf(text, sizeof text, drive, damping, hysteresis, rpm, degrees);
  snprintf(text + n, sizeof text - (size_t)n, "analyses:\n%s", analyses);
  return test_result_run(text);
}

static double first(const test_result *r, const char *group, const char *channel, const char *what)
{
  char name[128];
  snprintf(name, sizeof name, "%s.%s", channel, what);
  return test_number(r, group, name);
}

/* Amplitude of harmonic h of n equidistant values over a period. */
static double harmonic(const double *values, int64_t n, int h)
{
  double a = 0.0, b = 0.0;
  for (int64_t k = 0; k < n; k++) {
    a += 2.0 / (double)n * values[k] * cos(2.0 * M_PI * h * (double)k / (double)n);
    b += 2.0 / (double)n * values[k] * sin(2.0 * M_PI * h * (double)k / (double)n);
  }
  return hypot(a, b);
}

/* ---- the same orbit ------------------------------------------------------------------------------------ */

static const char *const watched[] = {"arm.angle", "arm.torque", "span.crank.tension",
                                      "span.compressor.tension", "pulley.alternator.speed"};
enum { WATCHED = 5 };

/* At a resonance, the arm slipping by degrees: the balance has the belt linear about its steady running, the
 * orbit is that of the whole system. */
static void compare(const char *law, const char *samples, double limit)
{
  char analyses[512];
  snprintf(
      analyses, sizeof analyses,
      "- periodic: {method: midpoint, step: 0.05 ms, samples: 256}\n"
      "- response: {sweep: {parameter: crank.speed, values: [822 rpm, 822.1 rpm]}, method: harmonic-balance, "
      "harmonics: 11, orders: 3%s}\n",
      samples);
  test_result r = run(LOADED, "0.2", law, 822.0, 0.4, analyses);
  for (int k = 0; k < WATCHED; k++) {
    int64_t n;
    double *values = test_values(&r, "periodic", watched[k], &n), orbit = harmonic(values, n - 1, 1);
    double balance = first(&r, "response", watched[k], "h1"), mean = 0.0;
    for (int64_t i = 0; i + 1 < n; i++) mean += values[i] / (double)(n - 1);
    print_message("  %s, %s: %.6g by balance, %.6g of the orbit (%.1e); mean %.6g, %.6g\n", law, watched[k],
                  balance, orbit, balance / orbit - 1.0, first(&r, "response", watched[k], "mean"), mean);
    assert_true(fabs(balance / orbit - 1.0) < limit);
    assert_true(fabs(first(&r, "response", watched[k], "mean") / mean - 1.0) < 3e-3);
    free(values);
  }
  double largest = test_number(&r, "response", "multiplier");
  assert_true(test_number(&r, "response", "unstable") == 0.0);
  assert_true(fabs(largest - test_number(&r, "periodic", "multiplier.re")) < 1e-3);
  test_result_close(&r);
}

static void balance_and_orbit_of_masing(void **state)
{
  (void)state;
  compare(masing, "", 2e-3);
}

static void balance_and_orbit_of_dahl(void **state)
{
  (void)state;
  if (!test_all("balance and orbit with the law of Dahl")) skip();
  if (TEST_SANITIZED) skip(); /* the code of Masing's law, slowly */
  compare("law: dahl, friction: 3 N m, stiffness: 6 N m/deg", "", 2e-3);
}

static void balance_and_orbit_of_coulomb(void **state)
{
  (void)state;
  if (!test_all("balance and orbit with Coulomb's law")) skip();
  if (TEST_SANITIZED) skip(); /* the code of Masing's law, slowly */
  compare("law: coulomb, friction: 3 N m", ", samples: 2048", 5e-3);
}

/* From the start, until it is forgotten. */
static void balance_and_motion_over_time(void **state)
{
  (void)state;
  if (!test_all("balance and motion over time")) skip(); /* the orbit of the law of Masing is that motion */
  if (TEST_SANITIZED) skip();                            /* the code of the tests before, for longer */
  enum { PERIODS = 80, SAMPLES = 128 };
  static char text[8192];
  double period = 30.0 / 822.0, values[2][SAMPLES];
  int n = snprintf(text, sizeof text, LOADED, "0.2", masing, 822.0, 0.4);
  snprintf(text + n, sizeof text - (size_t)n, "analyses: [{modes: {}}]\n");
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 5e-5, 1e-10, false);
  for (int k = 0; k < SAMPLES; k++) {
    test_advance(&s, &stepper, (PERIODS + (double)k / SAMPLES) * period, NULL);
    values[0][k] = test_value(&s, "arm.angle");
    values[1][k] = test_value(&s, "span.compressor.tension");
  }
  test_result r = run(LOADED, "0.2", masing, 822.0, 0.4,
                      "- response: {sweep: {parameter: crank.speed, values: [822 rpm, 822.1 rpm]}, method: "
                      "harmonic-balance, harmonics: 11, orders: 1, stability: false}\n");
  double arm = first(&r, "response", "arm.angle", "h1") / harmonic(values[0], SAMPLES, 1);
  double tension = first(&r, "response", "span.compressor.tension", "h1") / harmonic(values[1], SAMPLES, 1);
  print_message("  after %d periods: arm %.1e, tension %.1e\n", PERIODS, arm - 1.0, tension - 1.0);
  assert_true(fabs(arm - 1.0) < 2e-3 && fabs(tension - 1.0) < 2e-3);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  test_result_close(&r);
}

/* ---- stick and slip ------------------------------------------------------------------------------------ */

/* Without loads, whose slopes are secants in the balance, small swings are the linear response with a stuck
 * arm to many digits, and large ones come to that of the sliding arm. */
static void limits_of_small_and_large_swings(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip(); /* the code of the tests before, for longer */
  const double degrees[2] = {1e-3, 500.0};
  for (int k = 0; k < 2; k++) {
    char analyses[512];
    snprintf(analyses, sizeof analyses,
             "- orders: {speeds: [900 rpm], friction: %s}\n"
             "- response: {sweep: {parameter: crank.speed, values: [900 rpm, 900.1 rpm]}, method: "
             "harmonic-balance, harmonics: 5, orders: 1, stability: false}\n",
             k ? "sliding" : "stuck");
    test_result r = run(IDLE, "0.2", masing, 900.0, degrees[k], analyses);
    double linear = first(&r, "orders", "span.compressor.tension", "order.2.amplitude");
    double balance = first(&r, "response", "span.compressor.tension", "h1");
    print_message("  %g deg: %.8g N by balance, %.8g N linear (%.1e)\n", degrees[k], balance, linear,
                  balance / linear - 1.0);
    assert_true(fabs(balance / linear - 1.0) < (k ? 2e-3 : 1e-7));
    test_result_close(&r);
  }
}

typedef struct peak {
  double speed, tension; /* rpm, N per degree */
} peak;

static peak peak_of(const double *speed, const double *a, int64_t n)
{
  peak p = {0};
  for (int64_t k = 0; k < n; k++)
    if (a[k] > p.tension) p = (peak){speed[k] / RPM, a[k]};
  return p;
}

static peak linear_peak(const test_result *r, const char *group)
{
  int64_t n;
  double *speed = test_values(r, group, "speed", &n);
  double *a = test_values(r, group, "span.compressor.tension.order.2.amplitude", NULL);
  peak p = peak_of(speed, a, n);
  p.tension /= 0.01;
  free(speed);
  free(a);
  return p;
}

/* The resonance over the crank's speed: of the stuck arm for small swings, falling towards that of the
 * sliding arm, and lowest per degree of the crank where friction takes most, in between. */
static void the_resonance_goes_from_stuck_to_sliding(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip(); /* the code of the tests before, over more speeds */
  enum { MEMBERS = 4 };
  const double degrees[MEMBERS] = {0.005, 0.05, 0.1, 0.4};
  test_result r = run(
      LOADED, "0.1", "law: masing, friction: 1 N m, stiffness: 4 N m/deg", 900.0, 0.01,
      "- orders: {speeds: {from: 700 rpm, to: 1000 rpm, count: 301}, friction: stuck}\n"
      "- orders: {speeds: {from: 700 rpm, to: 1000 rpm, count: 301}, friction: sliding}\n"
      "- response: {sweep: {parameter: crank.speed, from: 1000 rpm, to: 700 rpm, count: 2}, family: "
      "{parameter: 'crank.orders[0].amplitude', values: [0.005 deg, 0.05 deg, 0.1 deg, 0.4 deg]}, "
      "method: harmonic-balance, harmonics: 5, orders: 1, stability: false}\n");
  peak stuck = linear_peak(&r, "orders"), sliding = linear_peak(&r, "orders-2"), found[MEMBERS];
  int64_t n;
  double *speed = test_values(&r, "response", "crank.speed", &n);
  double *family = test_values(&r, "response", "crank.orders[0].amplitude", NULL);
  double *a = test_values(&r, "response", "span.compressor.tension.h1", NULL);
  print_message("  stuck: %.1f rpm, %.1f N/deg; sliding: %.1f rpm, %.1f N/deg\n", stuck.speed, stuck.tension,
                sliding.speed, sliding.tension);
  for (int64_t k = 0, start = 0, member = 0; k < n; k++) {
    if (k + 1 < n && family[k + 1] == family[start]) continue;
    found[member] = peak_of(speed + start, a + start, k + 1 - start);
    found[member].tension /= degrees[member];
    print_message("  %.3f deg: %.1f rpm, %.1f N/deg, %d points\n", degrees[member], found[member].speed,
                  found[member].tension, (int)(k + 1 - start));
    start = k + 1;
    member++;
    assert_true((member == MEMBERS) == (k + 1 == n));
  }
  assert_true(fabs(found[0].speed / stuck.speed - 1.0) < 5e-3);
  assert_true(fabs(found[0].tension / stuck.tension - 1.0) < 1e-2);
  for (int k = 1; k < MEMBERS; k++) assert_true(found[k].speed < found[k - 1].speed);
  assert_true(found[3].speed > sliding.speed &&
              found[3].speed < sliding.speed + 0.3 * (stuck.speed - sliding.speed));
  assert_true(found[2].tension < 0.7 * stuck.tension && found[2].tension < found[3].tension);
  free(speed);
  free(family);
  free(a);
  test_result_close(&r);
}

/* ---- decoupler ----------------------------------------------------------------------------------------- */

#define BEHIND "inertia: 2e-4 kg m2, shaft_inertia: 2.8e-3 kg m2, "
#define OAD    BEHIND "decoupler: {spring: 30 N m/rad, damping: 0.05 N m s/rad, drag: 0.1 N m}, "

static const char both[] = "- orders: {speeds: [1000 rpm]}\n- periodic: {method: midpoint, step: 0.05 ms}\n";

/* Amplitude of a channel on the orbit, and of the linear response. */
static double swing(const test_result *r, const char *channel, double *linear)
{
  int64_t n;
  double *values = test_values(r, "periodic", channel, &n), orbit = harmonic(values, n - 1, 1);
  *linear = first(r, "orders", channel, "order.2.amplitude");
  free(values);
  return orbit;
}

static double mean_of(const test_result *r, const char *channel)
{
  int64_t n;
  double *values = test_values(r, "periodic", channel, &n), mean = 0.0;
  for (int64_t k = 0; k + 1 < n; k++) mean += values[k] / (double)(n - 1);
  free(values);
  return mean;
}

/* Behind a decoupler the alternator swings less, and the spans with it: as the linear response tells while
 * its spring is wound, and with the clutch overrunning when its load is small. The shaft turns on average
 * faster than its rim then. */
static void a_decoupler_calms_the_alternator(void **state)
{
  (void)state;
  const char none[] = "law: none";
  double linear;
  test_result r = run(DRIVE("inertia: 3e-3 kg m2, load: {torque: 6.4 N m}", "", "", ""), "0.5", none, 1000.0,
                      1.5, both);
  double solid = swing(&r, "pulley.alternator.speed", &linear);
  double tension = swing(&r, "span.alternator.tension", &linear);
  test_result_close(&r);
  r = run(DRIVE(OAD "load: {torque: 6.4 N m}", "", "", ""), "0.5", none, 1000.0, 1.5, both);
  double shaft = swing(&r, "pulley.alternator.shaft_speed", &linear);
  print_message("  alternator swings by %.3f rad/s, behind a decoupler by %.3f (linear %.3f)\n", solid, shaft,
                linear);
  assert_true(fabs(shaft / linear - 1.0) < 1e-3 && shaft < 0.25 * solid);
  assert_true(swing(&r, "span.alternator.tension", &linear) < 0.2 * tension);
  assert_true(fabs(mean_of(&r, "pulley.alternator.overrun")) < 1e-3);
  test_result_close(&r);
  r = run(DRIVE(OAD "load: {torque: 1.5 N m}", "", "", ""), "0.5", none, 1000.0, 1.5, both);
  shaft = swing(&r, "pulley.alternator.shaft_speed", &linear);
  double ahead = mean_of(&r, "pulley.alternator.overrun");
  print_message("  with a small load by %.3f (linear %.3f); the shaft runs ahead by %.3f rad/s\n", shaft,
                linear, ahead);
  assert_true(shaft < 0.9 * linear && ahead > 1.0);
  assert_true(fabs(mean_of(&r, "pulley.alternator.clutch") - 1.5) < 1e-3);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balance_and_orbit_of_masing),
                                     cmocka_unit_test(balance_and_orbit_of_dahl),
                                     cmocka_unit_test(balance_and_orbit_of_coulomb),
                                     cmocka_unit_test(balance_and_motion_over_time),
                                     cmocka_unit_test(limits_of_small_and_large_swings),
                                     cmocka_unit_test(the_resonance_goes_from_stuck_to_sliding),
                                     cmocka_unit_test(a_decoupler_calms_the_alternator)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
