/* verify/test_mounts.c — tensioners and hubs under a belt of segments: the means are those of steady running,
 * which the springs keep exactly (theory §30.4). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/run.h"

#include <math.h>

#define DRIVE(on, hub, tensioner)                                                                            \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, segments: 120, model: segments}\n"         \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: " on ", diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"       \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {power: 2.2 "      \
  "kW}" hub "}\n"                                                                                            \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"           \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                  \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"                      \
  "tensioner: {" tensioner ", tension: 350 N}\ncrank: {speed: 2000 rpm}\n"                                   \
  "analyses: [{transient: {until: 80 ms}}]\noutputs: {every: 0.5 ms}\n"
#define SLIDE                                                                                                \
  "kind: linear, base: [116.75 mm, 168.45 mm], direction: 163.1 deg, rate: 3.1 N/mm, mass: 0.2 kg, "         \
  "damping: 60 N s/m"
#define ARM                                                                                                  \
  "pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, inertia: 1.2e-3 kg m2, "         \
  "damping: 0.2 N m s/rad"
#define HUB                                                                                                  \
  ", hub: {modes: [{frequency: 150 Hz, ratio: 0.1, shape: [1, 0.3], mass: 3 kg}, {frequency: 260 Hz, "       \
  "ratio: 0.1, shape: [0.2, -0.9], mass: 2 kg}]}"
#define OIL "hydraulic: {stiffness: 1 kN/mm, leak: 20 N s/mm, valve: 0.2 N s/mm, opening: 5 N}"

/* Mean of the second half. */
static double mean_of(const test_result *r, const char *channel)
{
  int64_t n;
  double *values = test_values(r, "transient", channel, &n), sum = 0.0;
  for (int64_t k = n / 2; k < n; k++) sum += values[k];
  free(values);
  return sum / (double)(n - n / 2);
}

static void compare(const test_result *r, const test_system *s, const char *channel, double relative,
                    double absolute)
{
  double found = mean_of(r, channel), steady = test_value(s, channel);
  print_message("  %s: %.6g, in steady running %.6g\n", channel, found, steady);
  if (!(fabs(found - steady) <= relative * fabs(steady) + absolute))
    fail_msg("%s: %.9g differs from %.9g", channel, found, steady);
}

static void check(const char *text, const char *place, const char *push, bool hub)
{
  const char *springs[] = {"belt.model=springs"};
  test_system s = test_system_with(text, 1, springs);
  test_result r = test_result_run(text);
  compare(&r, &s, "span.crank.tension", 0.01, 0.0);
  compare(&r, &s, "span.compressor.tension", 0.01, 0.0);
  compare(&r, &s, place, 1e-3, 1e-4);
  compare(&r, &s, push, 0.01, 0.0);
  if (hub) compare(&r, &s, "pulley.alternator.shift_x", 0.01, 0.0);
  if (hub) compare(&r, &s, "pulley.alternator.shift_y", 0.01, 1e-6);
  test_result_close(&r);
  test_system_close(&s);
}

static void test_slide(void **state)
{
  (void)state;
  check(DRIVE("slide", "", SLIDE), "slide.position", "slide.force", false);
}

/* With a slide, oil and a hub at once. */
static void test_slide_with_oil_and_hub(void **state)
{
  (void)state;
  check(DRIVE("slide", HUB, SLIDE ", " OIL), "slide.position", "slide.force", true);
}

static void test_arm_and_hub(void **state)
{
  (void)state;
  check(DRIVE("arm", HUB, ARM), "arm.angle", "arm.torque", true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slide),
      cmocka_unit_test(test_slide_with_oil_and_hub),
      cmocka_unit_test(test_arm_and_hub),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
