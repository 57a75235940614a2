/* Gross slip of pulleys in the accessory drive as springs: the capstan limit, closed forms of a pulley that
 * slips, energy, and the six-pulley drive whose water pump slips.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "drives/accessory/belt/belt_statics.h"

#include <stdio.h>

/* Two pulleys of 0.1 m, 400 N at rest; the driven one holds with 0.3 over half a turn. */
#define TWO(load, crank)                                                                                     \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1.2516565 m, length_is: pitch, stiffness: 100 kN, mass: 0.05 kg/m, damping: "  \
  "1e-5 s}\n"                                                                                                \
  "pulleys:\n"                                                                                               \
  "- {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2, friction: "    \
  "0.9}\n"                                                                                                   \
  "- {name: driven, at: [0.3141592653589793 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg " \
  "m2, friction: 0.3" load "}\n" crank "analyses: [{modes: {}}]\n"

static double torque_of(const test_system *s)
{
  return test_value(s, "pulley.driven.torque");
}

/* The limit by the tensions as they are, less what the trace of viscous friction makes of it. */
static double limit_of(const test_system *s)
{
  double slack = fmin(test_value(s, "span.driven.effective_tension"),
                      test_value(s, "span.driver.effective_tension"));
  return 0.1 * slack * (exp(0.3 * M_PI) - 1.0);
}

/* The sum of the tensions is some percent above that at rest, since the arcs hold less than the spans on the
 * average (theory, 23.4). A load of 60 N m, of which the belt can pass on about 35: the pulley loses its
 * speed at a constant rate, stops (its load vanishes below 1 rad/s), and the belt slides on. */
static void an_overloaded_pulley_stops(void **state)
{
  (void)state;
  test_system s = test_system_open(
      TWO(", load: {torque: 60 N m}", "crank: {pulley: driver, speed: 50 rad/s}\n"));
  cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 5e-5, 1e-10, true);
  double T0 = 100e3 * (0.4 * M_PI / 1.2516565 - 1.0), ratio = exp(0.3 * M_PI);
  double plain = 0.2 * T0 * (ratio - 1.0) / (ratio + 1.0);
  test_advance(&s, &stepper, 0.05, NULL);
  double before = test_value(&s, "pulley.driven.speed"), plateau = torque_of(&s);
  print_message("  plateau %.4f N m, by its slack span %.4f N m, by the sum of the tensions %.4f N m\n",
                plateau, limit_of(&s), plain);
  assert_true(fabs(plateau / limit_of(&s) - 1.0) < 1e-4 && fabs(plateau / plain - 1.0) < 0.05);
  assert_true(test_value(&s, "pulley.driven.slip") > 0.1 && test_value(&s, "pulley.driver.slip") == 0.0);
  assert_true(fabs(test_value(&s, "pulley.driven.friction_use") - 1.0) < 1e-4);
  test_advance(&s, &stepper, 0.25, NULL);
  double lost = before - test_value(&s, "pulley.driven.speed"), expected = 0.2 * (60.0 - plateau) / 0.25;
  print_message("  it lost %.5f rad/s in 0.2 s, %.5f at that torque; now %.5f N m\n", lost, expected,
                torque_of(&s));
  assert_true(fabs(lost / expected - 1.0) < 2e-3);
  test_advance(&s, &stepper, 1.2, NULL);
  double last = test_value(&s, "pulley.driven.speed"), slip = test_value(&s, "pulley.driven.slip");
  print_message("  it ends at %.5f rad/s (%.5f by its load there), the belt slips at %.4f m/s\n", last,
                torque_of(&s) / 60.0, slip);
  assert_true(fabs(last - torque_of(&s) / 60.0) < 1e-4 && fabs(slip + 0.1 * last - 5.0) < 0.05);
  print_message("  slip took %.3f J of %.3f J; residual %.1e\n", test_work(&s, "span.driven.slip"),
                test_work(&s, "driver.motion"), test_balance(&s, NULL));
  assert_true(test_work(&s, "span.driver.slip") == 0.0 && test_balance(&s, NULL) < 1e-5);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* The driver is run up (or down) faster than the belt can take the driven pulley along: that follows at the
 * rate of the limit, and sticks again when it has caught up. */
static void catches_up(double from, double to, bool fine)
{
  char text[2048], crank[200];
  snprintf(crank, sizeof crank, "crank: {pulley: driver, speeds: [[0.1 s, %g rad/s], [0.12 s, %g rad/s]]}\n",
           from, to);
  snprintf(text, sizeof text, TWO("", "%s"), crank);
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, fine ? &cap_cvode_type : &cap_theta_midpoint_type, 5e-5, 1e-9, true);
  test_advance(&s, &stepper, 0.14, NULL);
  double at = test_value(&s, "pulley.driven.speed"), torque = torque_of(&s), sign = to > from ? 1.0 : -1.0;
  double creep = (1e5 + test_value(&s, "span.driver.tension")) /
                 (1e5 + test_value(&s, "span.driven.tension"));
  double needs = 0.25 * (to * creep - at) / torque, slip = 0.5 * torque * (to * creep - at) * needs;
  double spent = test_work(&s, "span.driven.slip");
  assert_true(sign * test_value(&s, "pulley.driven.slip") > 1.0);
  test_advance(&s, &stepper, 0.14 + 0.97 * needs, NULL);
  bool slips = test_value(&s, "pulley.driven.slip") != 0.0;
  test_advance(&s, &stepper, 0.14 + 1.2 * needs, NULL);
  print_message(
      "  %g to %g rad/s: %.3f N m, caught up after %.4f s; slip takes %.4f J, expected %.4f J; residual "
      "%.1e\n",
      from, to, torque, needs, test_work(&s, "span.driven.slip") - spent, slip, test_balance(&s, NULL));
  assert_true(slips && test_value(&s, "pulley.driven.slip") == 0.0);
  /* what it had wound up swings on */
  assert_true(fabs(test_value(&s, "pulley.driven.speed") / to - 1.0) < 0.02);
  assert_true(fabs((test_work(&s, "span.driven.slip") - spent) / slip - 1.0) < 2e-3);
  assert_true(test_balance(&s, NULL) < 1e-4);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

static void it_sticks_again(void **state)
{
  (void)state;
  catches_up(50.0, 100.0, false);
  catches_up(100.0, 50.0, false);
  catches_up(50.0, 100.0, true);
}

/* The example: no pulley slips before the load, the water pump alone under it, none after. While it slips,
 * its tensions have the ratio of the capstan relation, and its speed follows from the torque. */
static void the_water_pump_slips(void **state)
{
  (void)state;
  static char text[8192];
  const char *const names[] = {"crank",      "tensioner",     "alternator",
                               "water_pump", "steering_pump", "compressor"};
  enum { PUMP = 3 };
  test_read_example("accessory_slip", sizeof text, text);
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 5e-5, 1e-10, true);
  const cap_belt_pulley *pump = &cap_belt_of(s.m)->pulleys[PUMP];
  double first = INFINITY, last = 0.0, least = INFINITY, start = test_value(&s, "pulley.water_pump.speed");
  assert_true(s.m->period[0] == 0.0);
  for (int n = 1; n <= 2000; n++) {
    test_advance(&s, &stepper, 1e-4 * n, NULL);
    for (int k = 0; k < 6; k++) {
      char name[64];
      snprintf(name, sizeof name, "pulley.%s.slip", names[k]);
      double slip = test_value(&s, name);
      if (k != PUMP) assert_true(slip == 0.0);
      else if (slip != 0.0) first = fmin(first, 1e-4 * n), last = 1e-4 * n;
    }
    least = fmin(least, test_value(&s, "pulley.water_pump.speed"));
    if (n == 700) {
      double in = test_value(&s, "span.alternator.effective_tension"),
             out = test_value(&s, "span.water_pump.effective_tension");
      print_message("  at 70 ms: %.4f N to %.4f N, ratio %.6f, torque %.4f N m, use %.6f\n", in, out,
                    out / in, test_value(&s, "pulley.water_pump.torque"),
                    test_value(&s, "pulley.water_pump.friction_use"));
      assert_true(fabs(test_value(&s, "pulley.water_pump.friction_use") - 1.0) < 0.01);
    }
  }
  print_message(
      "  slips from %.4f to %.4f s, speed from %.2f down to %.2f rad/s and back to %.2f; slip takes %.3f J; "
      "residual %.1e\n",
      first, last, start, least, test_value(&s, "pulley.water_pump.speed"),
      test_work(&s, "span.water_pump.slip"), test_balance(&s, NULL));
  assert_true(first > 0.05 && first < 0.052 && last > 0.09 && last < 0.11);
  assert_true(least < 0.8 * start && pump->friction == 0.35);
  assert_true(fabs(test_value(&s, "pulley.water_pump.speed") / start - 1.0) < 2e-3);
  assert_true(test_work(&s, "span.water_pump.slip") > 1.0 && test_balance(&s, NULL) < 1e-6);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_overloaded_pulley_stops),
                                     cmocka_unit_test(it_sticks_again),
                                     cmocka_unit_test(the_water_pump_slips)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
