/* Layouts of two known drives: the 6PK1940 drive with its arm found from the belt's length, and the
 * three-pulley drive of Beikmann, Perkins and Ulsoy. Numbers in the last digit that their tables print. */
#include "../support/belt.h"
#include "drives/accessory/belt/belt_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void near(double got, double want, double tolerance)
{
  if (!(fabs(got - want) <= tolerance)) fail_msg("%.9g is not %.9g within %.3g", got, want, tolerance);
}

static cap_belt_path solve(const cap_belt *belt, double angle)
{
  cap_belt_path path;
  cap_error error = {0};
  if (cap_belt_path_solve(belt, angle, &path, &error) != CAP_OK) fail_msg("refused: %s", error.text);
  return path;
}

/* Pitch length to arm angle; the only one between the stops. */
static double angle_of(const cap_belt *belt, double length)
{
  cap_belt_path_roots roots;
  cap_error error = {0};
  if (cap_belt_path_arm_angle(belt, length, &roots, &error) != CAP_OK) fail_msg("refused: %s", error.text);
  assert_int_equal(roots.n, 1);
  return roots.angle[0];
}

static cap_belt_path six_ribs(belt_case *c)
{
  cap_belt *b = belt_6pk1940(c);
  return solve(b, angle_of(b, b->length0));
}

static void arm_from_the_length(void **state)
{
  (void)state;
  belt_case c;
  cap_belt_path path = six_ribs(&c);
  near(path.angle / BELT_DEG, 253.101, 5e-4);
  near(path.effective_length, 1.940, 1e-14);
  near(path.length * 1e3, 1947.54, 5e-3);
  near(path.pulley[BELT_TEN].centre[0] * 1e3, 116.75, 1e-2);
  near(path.pulley[BELT_TEN].centre[1] * 1e3, 168.45, 1e-2);
}

static void spans_and_wraps(void **state)
{
  (void)state;
  static const double span[] = {166.30, 164.39, 200.68, 202.59, 394.52, 266.13};
  static const double wrap[] = {103.94, 64.66, 156.53, 45.89, 125.33, 84.77};
  belt_case c;
  cap_belt_path path = six_ribs(&c);
  for (int i = 0; i < path.n; i++) {
    near(path.span[i].length * 1e3, span[i], 5.1e-3);
    near(path.pulley[i].wrap / BELT_DEG, wrap[i], 5.1e-3);
  }
}

/* The force of a belt with the same tension everywhere on each pulley, T (u_out - u_in). */
static void hub_loads_at_rest(void **state)
{
  (void)state;
  static const double hub[] = {551.4, 374.4, 685.4, 272.9, 621.8, 471.9};
  belt_case c;
  cap_belt_path path = six_ribs(&c);
  for (int i = 0; i < path.n; i++) {
    const double *out = path.span[i].u, *in = path.span[(i + path.n - 1) % path.n].u;
    near(350.0 * hypot(out[0] - in[0], out[1] - in[1]), hub[i], 0.051);
  }
}

static void take_up_and_torque(void **state)
{
  (void)state;
  belt_case c;
  cap_belt_path path = six_ribs(&c);
  near(path.take_up * c.belt.arm.sense * 1e3 * BELT_DEG, 1.4467, 5e-5);
  near(350.0 * fabs(path.take_up), 29.01, 5e-3); /* N m that hold 350 N */
  /* only the two spans of the tensioner change; the take-up is the hub load's lever about the pivot */
  for (int i = BELT_ALT; i <= BELT_PS; i++) near(path.span[i].stretch, 0.0, 0.0);
  const cap_belt_path_pulley *ten = &path.pulley[BELT_TEN];
  const double *out = path.span[BELT_TEN].u, *in = path.span[BELT_CRK].u;
  double x = ten->centre[0] - c.belt.arm.pivot_x, y = ten->centre[1] - c.belt.arm.pivot_y;
  near(path.take_up, -(x * (out[1] - in[1]) - y * (out[0] - in[0])), 1e-15);
}

/* Positions of the tensioner: a longer belt lets the spring turn it further. */
static void positions_of_the_tensioner(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  double nominal = angle_of(b, b->length0), shortest = angle_of(b, b->length0 - 6e-3);
  double longest = angle_of(b, b->length0 + 6e-3);
  assert_true(longest < nominal && nominal < shortest);
  near(solve(b, shortest).length, b->length0 - 6e-3, 1e-14);
  near(solve(b, longest).length, b->length0 + 6e-3, 1e-14);
  /* a small change, by the take-up and its derivative: the next term of the series is of third order */
  cap_belt_path path = solve(b, nominal);
  double change = 0.6e-3, step = change / fabs(path.take_up);
  double bend = 0.5 * path.dtake_up * step * step / fabs(path.take_up), third = step * step * step;
  near(angle_of(b, b->length0 - change), nominal + step + bend, third);
  near(angle_of(b, b->length0 + change), nominal - step + bend, third);
  assert_true(third < 0.1 * bend);
}

/* The arm turned by hand through all angles: where it is dead, and where no belt can run. */
static void travel_of_the_arm(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 1);
  b->arm.stop_low = b->arm.stop_high = 0.0;
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 2);
  assert_int_equal(pieces[0].end[0], CAP_BELT_PATH_BLOCKED);
  assert_int_equal(pieces[0].end[1], CAP_BELT_PATH_DEAD);
  assert_int_equal(pieces[1].end[1], CAP_BELT_PATH_BLOCKED);
  near(solve(b, pieces[0].angle[1]).take_up, 0.0, 1e-14);
  /* the arm's dead centre: its torque about the pivot vanishes because hub load and arm are parallel */
  cap_belt_path path = solve(b, pieces[0].angle[1]);
  const double *out = path.span[BELT_TEN].u, *in = path.span[BELT_CRK].u;
  double x = cos(path.angle), y = sin(path.angle);
  near(x * (out[1] - in[1]) - y * (out[0] - in[0]), 0.0, 1e-13);
}

static void three_pulleys(void **state)
{
  (void)state;
  static const double span[] = {0.1548, 0.3449, 0.5518}, wrap[] = {221.1, 42.95, 181.8};
  static const double wrap_digits[] = {0.051, 0.0051, 0.051};
  belt_case c;
  cap_belt *b = belt_three_pulleys(&c);
  cap_belt_path path = solve(b, b->arm.angle);
  near(b->arm.length, 0.097, 5e-4);
  for (int i = 0; i < 3; i++) {
    near(path.span[i].length, span[i], 5.1e-5);
    near(path.pulley[i].wrap / BELT_DEG, wrap[i], wrap_digits[i]);
  }
  near(path.pulley[1].centre[0], c.pulleys[1].x, 1e-15);
  near(path.pulley[1].centre[1], c.pulleys[1].y, 1e-15);
}

/* Strings carry the swing of the spans themselves; what is left to the arm is the curvature of its path,
 * negative here: -8.25 N m/rad at 300 N. */
static void geometric_stiffness_of_three_pulleys(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_three_pulleys(&c);
  cap_belt_path path = solve(b, b->arm.angle);
  double swing = 0.0;
  for (int i = 0; i < 3; i++)
    swing += path.span[i].length * path.span[i].ddirection * path.span[i].ddirection;
  near(300.0 * (path.dtake_up - swing), -8.25, 5e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arm_from_the_length),
      cmocka_unit_test(spans_and_wraps),
      cmocka_unit_test(hub_loads_at_rest),
      cmocka_unit_test(take_up_and_torque),
      cmocka_unit_test(positions_of_the_tensioner),
      cmocka_unit_test(travel_of_the_arm),
      cmocka_unit_test(three_pulleys),
      cmocka_unit_test(geometric_stiffness_of_three_pulleys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
