/* verify/test_tensioners.c — linear tensioners against closed forms and against rotary ones (theory §30.1),
 * and hydraulic ones in a running drive (§30.2). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/belt.h"
#include "../support/tangents.h"
#include "analysis/statics/equilibrium.h"
#include "drives/accessory/belt/belt_modes.h"
#include "drives/accessory/belt/belt_statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RPM (M_PI / 30.0)

#define assert_near(found, expected, tolerance) check_near(found, expected, tolerance, __LINE__)

static void check_near(double found, double expected, double tolerance, int line)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("line %d: %.12g differs from %.12g by %.3g", line, found, expected, fabs(found - expected));
}

static void solve(const cap_belt *b, cap_belt_statics_case which, cap_belt_statics *s)
{
  cap_error error = {0};
  if (cap_belt_statics_solve(b, &which, s, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* Two equal pulleys, the second on a slide along the line of centres. */
static cap_belt *two_pulleys(belt_case *c)
{
  cap_belt *b = &c->belt;
  *b = (cap_belt){.EA = 100e3, .mass = 0.1, .npulley = 2, .pulleys = c->pulleys};
  c->pulleys[0] = belt_pulley("crank", 0.0, 0.0, 0.05, CAP_BELT_GROOVE);
  c->pulleys[1] = belt_pulley("driven", 0.4, 0.0, 0.05, CAP_BELT_GROOVE);
  for (int i = 0; i < 2; i++) c->pulleys[i].friction = 0.8, c->pulleys[i].inertia = 1e-3 * (i + 1);
  c->pulleys[1].on_arm = true;
  c->pulleys[1].mass = 0.5;
  b->length0 = 0.8 + 2.0 * M_PI * 0.05;
  b->arm = (cap_belt_arm){.pivot_x = 0.4,
                          .slide_x = 1.0,
                          .rate = 20e3,
                          .torque_at = 600.0,
                          .sense = 1,
                          .stop_low = -0.05,
                          .stop_high = 0.05,
                          .inertia = 0.3,
                          .coordinate = -1};
  return b;
}

/* At rest 2 T = F - k s and T = EA 2 s/L0: s = F/(4 EA/L0 + k). */
static void test_rest_of_a_slide(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = two_pulleys(&c);
  cap_belt_statics s;
  solve(b, (cap_belt_statics_case){.arm = CAP_BELT_STATICS_FREE, .unloaded = true}, &s);
  double place = 600.0 / (4.0 * b->EA / b->length0 + 20e3), tension = b->EA * 2.0 * place / b->length0;
  assert_near(s.angle, place, 1e-13);
  assert_near(s.spans[0].tension, tension, 1e-7);
  assert_near(s.take_up, 2.0, 1e-14);
  assert_near(s.arm_torque, 600.0 - 20e3 * place, 1e-7);
  assert_near(s.pulleys[1].hub_x, -2.0 * tension, 1e-7);
  assert_near(cap_belt_statics_free_angle(&b->arm), 0.03, 1e-16);
  /* locked there, the spring alone holds it; elsewhere a stop must */
  cap_belt_statics_case locked = {.arm = CAP_BELT_STATICS_LOCKED, .angle = place, .unloaded = true};
  solve(b, locked, &s);
  assert_near(s.stop_torque, 0.0, 1e-6);
  locked.angle = 0.01;
  solve(b, locked, &s);
  assert_near(s.spans[0].tension, b->EA * 0.02 / b->length0, 1e-7);
  assert_near(s.stop_torque, 2.0 * b->EA * 0.02 / b->length0 - (600.0 - 200.0), 1e-6);
}

/* Messages have the words of a slide. */
static void test_stops_are_told_in_mm(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = two_pulleys(&c);
  cap_belt_statics s;
  cap_error error = {0};
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .unloaded = true, .longer = 0.2};
  assert_int_equal(cap_belt_statics_solve(b, &which, &s, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "the slide would pass its stop at 50 mm"));
}

/* The slide moves both spans alike: omega^2 = (k + 2 EA/L)/m; the pulleys: r^2 2 EA/L (1/J1 + 1/J2). */
static void test_modes_of_a_slide(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = two_pulleys(&c);
  cap_belt_path path;
  cap_error error = {0};
  assert_int_equal(cap_belt_path_solve(b, 0.0, &path, &error), CAP_OK);
  cap_belt_modes_case which = {.belt = b, .path = &path, .tension = {300.0, 300.0}};
  cap_belt_modes m;
  assert_int_equal(cap_belt_modes_solve(&which, &m, &error), CAP_OK);
  double stiff = 2.0 * b->EA / 0.4;
  assert_int_equal(m.nmode, 3);
  assert_near(m.frequency[0], 0.0, 0.0);
  double slide = sqrt((20e3 + stiff) / 0.8) / (2.0 * M_PI);
  double turn = sqrt(0.05 * 0.05 * stiff * (1.0 / 1e-3 + 1.0 / 2e-3)) / (2.0 * M_PI);
  assert_near(m.frequency[1], fmin(slide, turn), 1e-10 * slide);
  assert_near(m.frequency[2], fmax(slide, turn), 1e-10 * turn);
  assert_near(m.share[(slide < turn ? 1 : 2) * m.npart + CAP_BELT_MODES_ARM], 1.0, 1e-12);
  cap_belt_modes_free(&m);
}

/* The slide that is tangent to the circle of an arm at an angle, with the same inertia and spring there. */
static void replace_arm(cap_belt *b, double angle)
{
  cap_belt_arm *a = &b->arm, old = *a;
  double l = old.length;
  *a = (cap_belt_arm){.pivot_x = old.pivot_x + l * cos(angle),
                      .pivot_y = old.pivot_y + l * sin(angle),
                      .slide_x = -sin(angle),
                      .slide_y = cos(angle),
                      .rate = old.rate / (l * l),
                      .torque_at = cap_belt_spring(&old, angle) / l,
                      .sense = old.sense,
                      .stop_low = (old.stop_low - angle) * l,
                      .stop_high = (old.stop_high - angle) * l,
                      .damping = old.damping / (l * l),
                      .inertia = old.inertia / (l * l),
                      .coordinate = -1};
}

/* Without geometric stiffness the two are the same at that place; the curvature of the arm's path is all that
 * differs with it: K_rotary = l^2 K_linear + sum t c''.(u_before - u_after). */
static void test_slide_along_the_tangent(void **state)
{
  (void)state;
  belt_case c[2];
  double angle = 253.101 * BELT_DEG;
  cap_belt *b[2] = {belt_6pk1940(&c[0]), belt_6pk1940(&c[1])};
  cap_belt_path path[2];
  cap_belt_modes m[2];
  cap_error error = {0};
  double l = b[0]->arm.length;
  replace_arm(b[1], angle);
  assert_int_equal(cap_belt_path_solve(b[0], angle, &path[0], &error), CAP_OK);
  assert_int_equal(cap_belt_path_solve(b[1], 0.0, &path[1], &error), CAP_OK);
  assert_near(path[1].length, path[0].length, 1e-15);
  assert_near(path[1].take_up * l, path[0].take_up, 1e-15);
  double curvature = 0.0;
  for (int i = 0; i < 6; i++) {
    assert_near(path[1].span[i].stretch * l, path[0].span[i].stretch, 1e-15);
    assert_near(path[1].pulley[i].dwrap * l, path[0].pulley[i].dwrap, 1e-14);
    const double *at = path[0].pulley[(i + 1) % 6].ddcentre, *from = path[0].pulley[i].ddcentre;
    curvature += (at[0] - from[0]) * path[0].span[i].u[0] + (at[1] - from[1]) * path[0].span[i].u[1];
  }
  assert_near(path[0].dtake_up - curvature, l * l * path[1].dtake_up, 1e-14);
  for (int with = 0; with < 2; with++) {
    for (int k = 0; k < 2; k++) {
      cap_belt_modes_case which = {.belt = b[k], .path = &path[k], .speed = 20.0, .terms = 6};
      for (int i = 0; i < 6; i++) which.tension[i] = 350.0;
      which.no_geometric = with == 0;
      assert_int_equal(cap_belt_modes_solve(&which, &m[k], &error), CAP_OK);
    }
    for (int i = 1; with == 0 && i < m[0].nmode; i++)
      assert_near(m[1].frequency[i], m[0].frequency[i], 1e-8 * m[0].frequency[i]);
    int arm = 6 * m[0].n + 6; /* the arm's own entry */
    assert_near(m[1].M[arm] * l * l, m[0].M[arm], 1e-15);
    if (with) assert_near(m[0].K[arm] - 350.0 * curvature, l * l * m[1].K[arm], 1e-9 * fabs(m[0].K[arm]));
    for (int k = 0; k < 2; k++) cap_belt_modes_free(&m[k]);
  }
}

/* A very long arm is a slide. Both run loaded at speed, free: the differences vanish as 1/length. */
static double tension_apart(double length, double *moved)
{
  belt_case c[2];
  cap_belt *b[2] = {belt_6pk1940(&c[0]), belt_6pk1940(&c[1])};
  double angle = 253.101 * BELT_DEG, torque = 6.0, worst = 0.0;
  cap_belt_statics s[2];
  replace_arm(b[0], angle);
  replace_arm(b[1], angle);
  cap_belt_arm *a = &b[1]->arm, slide = *a; /* as an arm of that length along the same tangent */
  *a = (cap_belt_arm){.pivot_x = slide.pivot_x - length * cos(angle),
                      .pivot_y = slide.pivot_y - length * sin(angle),
                      .length = length,
                      .angle = angle,
                      .rate = slide.rate * length * length,
                      .torque_at = slide.torque_at * length,
                      .torque_angle = angle,
                      .sense = slide.sense,
                      .stop_low = angle + slide.stop_low / length,
                      .stop_high = angle + slide.stop_high / length,
                      .coordinate = -1};
  for (int k = 0; k < 2; k++) {
    c[k].pulleys[BELT_ALT].load = (cap_belt_load){1, &torque, &torque};
    solve(b[k], (cap_belt_statics_case){.arm = CAP_BELT_STATICS_FREE, .speed = 2000.0 * RPM}, &s[k]);
  }
  for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(s[1].spans[i].tension / s[0].spans[i].tension - 1.0));
  *moved = s[0].angle;
  return worst;
}

static void test_long_arm_is_a_slide(void **state)
{
  (void)state;
  double moved, near = tension_apart(10.0, &moved), far = tension_apart(1000.0, &moved);
  assert_true(fabs(moved) > 1e-3); /* it has moved by more than a millimetre */
  assert_true(near < 1e-3);
  assert_near(far / near, 0.01, 1e-4);
}

#define DRIVE(on, tensioner)                                                                                 \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\npulleys:\n"              \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: " on ", diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"       \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {power: 2.2 "      \
  "kW}}\n"                                                                                                   \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"           \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                  \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"                      \
  "tensioner: {" tensioner ", tension: 350 N}\ncrank: {speed: 2000 rpm}\nanalyses: [{modes: {}}]\n"
#define SLIDE                                                                                                \
  "kind: linear, base: [116.75 mm, 168.45 mm], direction: 163.1 deg, rate: 3.1 N/mm, mass: 0.2 kg, "         \
  "damping: 30 N s/m"
#define ARM                                                                                                  \
  "pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, inertia: 1.2e-3 kg m2, "         \
  "damping: 0.05 N m s/rad"
#define OIL   "hydraulic: {stiffness: 1 kN/mm, leak: 20 N s/mm, valve: 0.2 N s/mm, opening: 5 N"
#define SWING "crank.orders=[{order: 2, amplitude: 0.4 deg}]"

static double frequency_of_tensioner(const test_system *s, bool sliding, double *stiffness)
{
  double K[49], C[49];
  cap_error error = {0};
  int n = cap_equilibrium_stiffness(s->m, s->d, sliding, K, C, &error),
      at = cap_belt_of(s->m)->arm.coordinate - 1;
  assert_int_equal(n, 6);
  *stiffness = K[at * n + at];
  return sqrt(*stiffness / s->m->mass[at + 1]) / (2.0 * M_PI);
}

/* It starts in steady running and stays; tangents are exact; the stiffness is that of the modes of the belt,
 * which has EA over the stretched length (0.1 % less). */
static void test_slide_in_a_running_drive(void **state)
{
  (void)state;
  test_system s = test_system_open(DRIVE("slide", SLIDE ", stops: [-25 mm, 25 mm]"));
  cap_belt_statics found;
  cap_belt_modes m;
  cap_error error = {0};
  double stiffness, place = test_value(&s, "slide.position"), tension = test_value(&s, "span.crank.tension");
  solve(cap_belt_of(s.m),
        (cap_belt_statics_case){.arm = CAP_BELT_STATICS_FREE, .speed = cap_belt_of(s.m)->speed}, &found);
  assert_near(found.angle, place, 1e-12);
  cap_belt_modes_case about = cap_belt_modes_about(cap_belt_of(s.m), &found, 0);
  assert_int_equal(cap_belt_modes_solve(&about, &m, &error), CAP_OK);
  frequency_of_tensioner(&s, false, &stiffness);
  double belt = m.K[6 * m.n + 6];
  print_message("  stiffness of the slide %.1f N/mm, of the modes %.1f N/mm\n", stiffness / 1e3, belt / 1e3);
  assert_near(stiffness, belt, 2e-3 * belt);
  test_tangents(&s, 1e-4);
  test_run(&s, &cap_cvode_type, 0.0, 0.1);
  assert_near(test_value(&s, "slide.position"), place, 1e-8);
  assert_near(test_value(&s, "span.crank.tension"), tension, 1e-3);
  test_system_close(&s);
  cap_belt_modes_free(&m);
}

/* All laws of friction and the stops on a shaken slide; the audit closes. */
static void test_slide_with_friction(void **state)
{
  (void)state;
  static const char *const laws[] = {
      "tensioner.hysteresis={law: coulomb, friction: 40 N}",
      "tensioner.hysteresis={law: masing, friction: 40 N, stiffness: 400 N/mm}",
      "tensioner.hysteresis={law: dahl, friction: 40 N, stiffness: 400 N/mm}",
      "tensioner.stops=[-1 mm, 2.2 mm]"};
  for (int k = 0; k < 4; k++) {
    const char *settings[] = {SWING, laws[k]};
    test_system s = test_system_with(DRIVE("slide", SLIDE), 2, settings);
    test_run(&s, &cap_theta_midpoint_type, 5e-5, 0.1);
    assert_true(test_balance(&s, NULL) < 1e-6);
    if (k == 1) assert_true(test_work(&s, "slide.friction.friction") > 1e-3);
    test_system_close(&s);
  }
}

/* At constant speed the oil has no force; the crank's swing pumps it up, and the slack span stays tighter. */
static void test_oil_in_a_running_drive(void **state)
{
  (void)state;
  const char *settings[] = {SWING};
  static const char *const drives[] = {DRIVE("arm", ARM ", " OIL ", lever: 50 mm}"),
                                       DRIVE("slide", SLIDE ", " OIL "}")};
  static const char *const without[] = {DRIVE("arm", ARM), DRIVE("slide", SLIDE)};
  for (int k = 0; k < 2; k++) {
    test_system s = test_system_open(drives[k]);
    double stiff, soft, lever = k ? 1.0 : 0.05;
    test_tangents(&s, 1e-4);
    frequency_of_tensioner(&s, false, &stiff);
    frequency_of_tensioner(&s, true, &soft);
    assert_near(stiff - soft, 1e6 * lever * lever, 1e-6 * stiff);
    test_run(&s, &cap_cvode_type, 0.0, 0.05);
    assert_near(test_value(&s, k ? "slide.oil" : "arm.oil"), 0.0, 1e-3);
    test_system_close(&s);
    double mean = 0.0, least[2] = {INFINITY, INFINITY};
    for (int dry = 0; dry < 2; dry++) {
      s = test_system_with(dry ? without[k] : drives[k], 1, settings);
      cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 5e-5, 1e-10, true);
      for (int step = 0; step < 600; step++) {
        test_advance(&s, &stepper, 0.2 + step * 1e-4, NULL);
        if (!dry) mean += test_value(&s, k ? "slide.oil" : "arm.oil") / 600.0;
        least[dry] = fmin(least[dry], test_value(&s, "span.crank.tension"));
      }
      assert_true(test_balance(&s, NULL) < 1e-6);
      cap_stepper_free(&stepper);
      test_system_close(&s);
    }
    print_message("  oil %.2f on the average, least tension %.1f N, without oil %.1f N\n", mean, least[0],
                  least[1]);
    assert_true(mean > 100.0 * lever);
    assert_true(least[0] > least[1] + 10.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest_of_a_slide),     cmocka_unit_test(test_stops_are_told_in_mm),
      cmocka_unit_test(test_modes_of_a_slide),    cmocka_unit_test(test_slide_along_the_tangent),
      cmocka_unit_test(test_long_arm_is_a_slide), cmocka_unit_test(test_slide_in_a_running_drive),
      cmocka_unit_test(test_slide_with_friction), cmocka_unit_test(test_oil_in_a_running_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
