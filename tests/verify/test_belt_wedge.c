/* verify/test_belt_wedge.c — V belts, flat belts: friction in a groove, and the capstan relation with it
 * (theory §31.2). */
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

#define DRIVE(belt, crank)                                                                                   \
  "capstan: 1\nname: t\ndrive: accessory-drive\nbelt: {length: 1428 mm, stiffness: 60 kN, mass: 0.08 kg/m, " \
  "hb: 3 mm, hr: 2 mm, " belt "}\npulleys:\n"                                                                \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 150 mm, inertia: 0.2 kg m2" crank "}\n"                       \
  "- {name: alternator, at: [200 mm, 250 mm], diameter: 70 mm, inertia: 3e-3 kg m2, load: {torque: 4 N "     \
  "m}}\n"                                                                                                    \
  "- {name: idler, at: [-20 mm, 190 mm], diameter: 60 mm, side: back, inertia: 3e-4 kg m2}\n"                \
  "- {name: pump, at: [-120 mm, 260 mm], diameter: 120 mm, inertia: 1e-3 kg m2}\n"                           \
  "crank: {speed: 2000 rpm}\nanalyses: [{statics: {}}]\n"

enum { CRANK, ALTERNATOR, IDLER, PUMP };

static const double degree = M_PI / 180.0;

static double friction(const char *text, int pulley)
{
  test_system s = test_system_open(text);
  double value = cap_belt_of(s.m)->pulleys[pulley].friction;
  test_system_close(&s);
  return value;
}

static void effective_friction(void **state)
{
  (void)state;
  const char *v = DRIVE("kind: V, groove_angle: 36 deg, friction: {groove: 0.3, back: 0.4}",
                        ", groove_angle: 34 deg");
  assert_true(fabs(friction(v, CRANK) - 0.3 / sin(17.0 * degree)) < 1e-12);
  assert_true(fabs(friction(v, ALTERNATOR) - 0.3 / sin(18.0 * degree)) < 1e-12);
  assert_true(friction(v, IDLER) == 0.4); /* its back is flat */
  const char *own = DRIVE("kind: V, groove_angle: 36 deg, friction: {groove: 0.3}", ", friction: 1.1");
  assert_true(friction(own, CRANK) == 1.1); /* effective as it is */
  /* PK: 0.31 on flanks of 40 deg is the 0.9 that is taken without them */
  const char *pk = DRIVE("kind: PK, ribs: 3, groove_angle: 40 deg, friction: {groove: 0.31}", "");
  assert_true(fabs(friction(pk, CRANK) - 0.9064) < 1e-4);
  assert_true(friction(DRIVE("kind: PK, ribs: 3", ""), CRANK) == 0.9);
  /* both sides of a flat belt are smooth */
  assert_true(friction(DRIVE("kind: flat", ""), CRANK) == 0.35);
  assert_true(friction(DRIVE("kind: flat, friction: {groove: 0.5}", ""), CRANK) == 0.5);
}

static void solve(const test_system *s, cap_belt_statics *at)
{
  cap_error error = {0};
  cap_belt_statics_case running = {.arm = CAP_BELT_STATICS_FREE, .speed = cap_belt_of(s->m)->speed};
  if (cap_belt_statics_solve(cap_belt_of(s->m), &running, at, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* Slip of the alternator: (T1 - m v^2)/(T2 - m v^2) = exp(mu phi/sin(a/2)). A V belt holds what a flat one of
 * the same rubber does not. */
static void capstan_in_a_groove(void **state)
{
  (void)state;
  test_system v = test_system_open(DRIVE("kind: V, groove_angle: 36 deg, friction: {groove: 0.3}", "")),
              flat = test_system_open(DRIVE("kind: flat, friction: {groove: 0.3}", ""));
  cap_belt_statics a, b;
  solve(&v, &a);
  solve(&flat, &b);
  const cap_belt_statics_pulley *p = &a.pulleys[ALTERNATOR];
  double wrap = a.path.pulley[ALTERNATOR].wrap, mv2 = a.spans[CRANK].tension - a.spans[CRANK].effective;
  double slack = a.spans[CRANK].tension - mv2, tight = a.spans[ALTERNATOR].effective;
  double most = exp(0.3 * wrap / sin(18.0 * degree));
  print_message("  alternator: tensions %.1f and %.1f N, ratio %.3f of at most %.3f; flat %.3f\n", slack,
                tight, tight / slack, most, exp(0.3 * wrap));
  assert_true(fabs(p->reserve - most / (tight / slack)) < 1e-9 * most);
  assert_true(fabs(p->slip_torque - cap_belt_of(v.m)->pulleys[ALTERNATOR].radius * slack * (most - 1.0)) <
              1e-9 * p->slip_torque);
  assert_true(fabs(p->safety * sin(18.0 * degree) / (0.3 * wrap / log(tight / slack)) - 1.0) < 1e-9);
  /* the geometry is the same, and so is the drive but for its slip arcs */
  assert_true(a.path.length == b.path.length);
  assert_true(fabs(a.spans[PUMP].tension / b.spans[PUMP].tension - 1.0) < 0.02);
  assert_true(b.pulleys[ALTERNATOR].safety < p->safety);
  test_system_close(&v);
  test_system_close(&flat);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(effective_friction),
                                     cmocka_unit_test(capstan_in_a_groove)};
  return cmocka_run_group_tests_name("V belts", tests, NULL, NULL);
}
