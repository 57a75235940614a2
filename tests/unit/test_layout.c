/* unit/test_layout.c — the layout of a belt drive in its results: what a drawing needs, and nothing for other
 * drives. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/run.h"

#define BELT                                                                                                 \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N}\npulleys:\n"                               \
  "  - {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"
#define REST                                                                                                 \
  "  - {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2}\n"                     \
  "  - {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"         \
  "  - {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                \
  "  - {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"
#define RUN "crank: {pulley: crank, speed: 2000 rpm}\nanalyses: [{statics: {speeds: [1000 rpm, 6000 rpm]}}]\n"

static void check_value(const test_result *r, const char *name, int at, double expected)
{
  int64_t n;
  double *values = test_values(r, "layout", name, &n);
  assert_int_equal(n, 6);
  if (fabs(values[at] - expected) > 1e-12)
    fail_msg("%s[%d]: %.15g, not %.15g", name, at, values[at], expected);
  free(values);
}

static void pulleys_and_arm_are_there(void **state)
{
  (void)state;
  test_result r = test_result_run(
      BELT
      "  - {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n" REST
      "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 "
      "N, stops: [225 deg, 285 deg], inertia: 1.2e-3 kg m2}\n" RUN);
  assert_string_equal(test_text(&r, "layout", "pulleys"),
                      "crank,tensioner,alternator,water_pump,steering_pump,compressor");
  assert_string_equal(test_text(&r, "layout", "crank"), "crank");
  check_value(&r, "pulley.x", 4, -0.205);
  check_value(&r, "pulley.y", 4, 0.425);
  check_value(&r, "pulley.radius", 0, 0.0837); /* effective diameter and the pitch line 1.2 mm beyond it */
  check_value(&r, "pulley.radius", 1, 0.0361); /* back: outside diameter and 1.1 mm */
  check_value(&r, "pulley.effective", 0, 0.165);
  check_value(&r, "pulley.side", 3, -1.0);
  check_value(&r, "pulley.side", 4, 1.0);
  check_value(&r, "pulley.on_arm", 1, 1.0);
  check_value(&r, "pulley.on_arm", 2, 0.0);
  double angle = test_number(&r, "layout", "arm.angle");
  check_value(&r, "pulley.x", 1, 0.14 + 0.08 * cos(angle));
  check_value(&r, "pulley.y", 1, 0.245 + 0.08 * sin(angle));
  assert_true(fabs(test_number(&r, "layout", "arm.stop_high") - 285.0 * M_PI / 180.0) < 1e-12);
  assert_true(fabs(test_number(&r, "layout", "belt.stiffness") - 120e3) < 1e-6);
  test_result_close(&r);
}

/* At other speeds the arm stands elsewhere: statics says where. */
static void statics_moves_the_arms_pulley(void **state)
{
  (void)state;
  test_result r = test_result_run(
      BELT
      "  - {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n" REST
      "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 "
      "N, inertia: 1.2e-3 kg m2}\n" RUN);
  double *x = test_values(&r, "statics", "pulley.tensioner.x", NULL);
  double *y = test_values(&r, "statics", "pulley.tensioner.y", NULL);
  double *still = test_values(&r, "statics", "pulley.compressor.x", NULL);
  double *angle = test_values(&r, "statics", "arm.angle", NULL);
  for (int k = 0; k < 2; k++) {
    assert_true(fabs(x[k] - 0.14 - 0.08 * cos(angle[k])) < 1e-12);
    assert_true(fabs(y[k] - 0.245 - 0.08 * sin(angle[k])) < 1e-12);
    assert_true(still[k] == -0.265);
  }
  assert_true(fabs(x[0] - x[1]) > 1e-4);
  assert_null(cap_results_tree_dataset(test_group(&r, "layout"), "arm.stop_low")); /* it has none */
  free(x), free(y), free(still), free(angle);
  test_result_close(&r);
}

static void a_fixed_drive_has_no_arm_and_others_no_layout(void **state)
{
  (void)state;
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: accessory-drive\n"
      "belt: {kind: flat, length: 1260 mm, stiffness: 50 kN, bending: 0 N m2, mass: 0.1 kg/m}\npulleys:\n"
      "  - {name: a, at: [0 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
      "  - {name: b, at: [320 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
      "crank: {pulley: a, speed: 1000 rpm}\nanalyses: [{statics: {}}]\n");
  assert_null(cap_results_tree_dataset(test_group(&r, "layout"), "arm.length"));
  test_result_close(&r);
  r = test_result_run(TEST_BELT TEST_MASING TEST_ANY);
  assert_null(cap_results_tree_group(cap_results_read_tree(r.file), "layout"));
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulleys_and_arm_are_there),
      cmocka_unit_test(statics_moves_the_arms_pulley),
      cmocka_unit_test(a_fixed_drive_has_no_arm_and_others_no_layout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
