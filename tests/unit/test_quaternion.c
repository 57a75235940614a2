/* Rotations in space: group, matrix, angles, and the derivative of each against differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "linalg/quaternion.h"

enum { TRIALS = 200 };

static void random_values(uint64_t *seed, int n, double *values)
{
  for (int k = 0; k < n; k++) values[k] = test_random(seed, -1, 1);
}

static double largest_gap(int n, const double *a, const double *b)
{
  double gap = 0.0;
  for (int k = 0; k < n; k++) gap = fmax(gap, fabs(a[k] - b[k]));
  return gap;
}

static void check(const char *what, double gap, double most)
{
  if (!(gap <= most)) fail_msg("%s: off by %.3g, at most %.3g expected", what, gap, most);
}

static void rotations_are_a_group(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < TRIALS; trial++) {
    double a[4], b[4], c[4], A[3][3], B[3][3], C[3][3], v[3], bv[3], abv[3], cv[3], back[3], cross[3];
    random_values(&seed, 4, a);
    random_values(&seed, 4, b);
    random_values(&seed, 3, v);
    capm_quaternion_product(a, b, c);
    capm_quaternion_rotation(a, A);
    capm_quaternion_rotation(b, B);
    capm_quaternion_rotation(c, C);
    capm_quaternion_to_world(B, v, bv);
    capm_quaternion_to_world(A, bv, abv);
    capm_quaternion_to_world(C, v, cv);
    check("R(a o b) = R(a) R(b)", largest_gap(3, abv, cv), 2e-15);
    capm_quaternion_to_body(C, cv, back);
    check("R' R = 1", largest_gap(3, back, v), 2e-15);
    double first[3] = {C[0][0], C[1][0], C[2][0]}, second[3] = {C[0][1], C[1][1], C[2][1]};
    double third[3] = {C[0][2], C[1][2], C[2][2]};
    capm_quaternion_cross(first, second, cross);
    check("right-handed", largest_gap(3, cross, third), 2e-15);
    double n = capm_quaternion_norm2(a) * capm_quaternion_norm2(b);
    check("|a o b| = |a| |b|", fabs(capm_quaternion_norm2(c) - n), 1e-14);
  }
}

static void the_norm_does_not_matter(void **state)
{
  (void)state;
  uint64_t seed = 6;
  for (int trial = 0; trial < TRIALS; trial++) {
    double e[4], de[4], scaled[4], R[3][3], S[3][3], delta[3], along[3];
    random_values(&seed, 4, e);
    random_values(&seed, 4, de);
    double factor = test_random(&seed, -9, 9);
    for (int k = 0; k < 4; k++) scaled[k] = factor * e[k];
    capm_quaternion_rotation(e, R);
    capm_quaternion_rotation(scaled, S);
    check("R(c e) = R(e)", largest_gap(9, &R[0][0], &S[0][0]), 2e-15);
    capm_quaternion_turn(e, scaled, delta);
    check("a change along e turns nothing", largest_gap(3, delta, (double[3]){0}), 1e-14);
    double scaled_change[4];
    for (int k = 0; k < 4; k++) scaled_change[k] = factor * de[k];
    capm_quaternion_turn(e, de, delta);
    capm_quaternion_turn(scaled, scaled_change, along);
    double size = sqrt(capm_quaternion_norm2(de) / capm_quaternion_norm2(e));
    check("turn(c e, c de) = turn(e, de)", largest_gap(3, delta, along), 4e-15 * size);
    capm_quaternion_normalise(e);
    capm_quaternion_rotation(e, S);
    check("norm one", fabs(capm_quaternion_norm2(e) - 1.0), 1e-15);
    check("normalised: the same R", largest_gap(9, &R[0][0], &S[0][0]), 2e-15);
  }
}

static void derivatives_match_differences(void **state)
{
  (void)state;
  uint64_t seed = 7;
  double worst = 0.0;
  for (int trial = 0; trial < TRIALS; trial++) {
    double e[4], de[4], off[4], R[4][3][3], at[3][3], delta[3], dR[3][3], slope[9];
    random_values(&seed, 4, e);
    random_values(&seed, 4, de);
    capm_quaternion_normalise(e);
    for (int k = 0; k < 4; k++) e[k] *= test_random(&seed, 0.5, 2);
    const double h = 1e-3, place[4] = {-2, -1, 1, 2}; /* five-point formula */
    for (int s = 0; s < 4; s++) {
      for (int k = 0; k < 4; k++) off[k] = e[k] + place[s] * h * de[k];
      capm_quaternion_rotation(off, R[s]);
    }
    capm_quaternion_rotation(e, at);
    capm_quaternion_turn(e, de, delta);
    capm_quaternion_rotation_turn(at, delta, dR);
    for (int k = 0; k < 9; k++) {
      double far = (&R[3][0][0])[k] - (&R[0][0][0])[k], near = (&R[2][0][0])[k] - (&R[1][0][0])[k];
      slope[k] = (8.0 * near - far) / (12.0 * h);
    }
    worst = fmax(worst, largest_gap(9, slope, &dR[0][0]));
  }
  print_message("  dR within %.1e of differences\n", worst);
  assert_true(worst < 1e-9);
}

/* The rate 1/2 e o (0, w) turns the body with w, keeps the norm, and R' = R [w]x. */
static void rates_turn_with_the_angular_velocity(void **state)
{
  (void)state;
  uint64_t seed = 8;
  for (int trial = 0; trial < TRIALS; trial++) {
    double e[4], w[3], spin[4] = {0}, rate[4], product[4], delta[3], along = 0.0;
    random_values(&seed, 4, e);
    random_values(&seed, 3, w);
    for (int k = 0; k < 3; k++) spin[k + 1] = 0.5 * w[k];
    capm_quaternion_rate(e, w, rate);
    capm_quaternion_product(e, spin, product);
    check("e' = 1/2 e o (0, w)", largest_gap(4, rate, product), 1e-15);
    for (int k = 0; k < 4; k++) along += e[k] * rate[k];
    check("e.e' = 0", fabs(along), 1e-15);
    capm_quaternion_turn(e, rate, delta);
    check("turns with w", largest_gap(3, delta, w), 4e-15);
  }
}

static void axes_and_angles(void **state)
{
  (void)state;
  uint64_t seed = 9;
  const double ex[3] = {1, 0, 0}, ez[3] = {0, 0, 1};
  for (int trial = 0; trial < TRIALS; trial++) {
    double axis[3], v[3], e[4], R[3][3], turned[3], k_x_v[3];
    random_values(&seed, 3, axis);
    random_values(&seed, 3, v);
    double angle = test_random(&seed, -7, 7), length = sqrt(capm_quaternion_dot(axis, axis));
    capm_quaternion_axis_angle(axis, angle, e);
    check("norm one", fabs(capm_quaternion_norm2(e) - 1.0), 1e-15);
    capm_quaternion_rotation(e, R);
    capm_quaternion_to_world(R, v, turned);
    for (int i = 0; i < 3; i++) axis[i] /= length;
    capm_quaternion_cross(axis, v, k_x_v);
    double along = capm_quaternion_dot(axis, v), rodrigues[3];
    for (int i = 0; i < 3; i++)
      rodrigues[i] = v[i] * cos(angle) + k_x_v[i] * sin(angle) + axis[i] * along * (1.0 - cos(angle));
    check("Rodrigues' formula", largest_gap(3, turned, rodrigues), 2e-15);

    double heading = test_random(&seed, -4, 4), tilt = test_random(&seed, 0, 3.1), spin = angle;
    double a[4], b[4], c[4], ab[4], abc[4];
    capm_quaternion_axis_angle(ez, heading, a);
    capm_quaternion_axis_angle(ex, tilt, b);
    capm_quaternion_axis_angle(ez, spin, c);
    capm_quaternion_product(a, b, ab);
    capm_quaternion_product(ab, c, abc);
    capm_quaternion_euler(heading, tilt, spin, e);
    check("Euler's angles", largest_gap(4, e, abc), 2e-15);
    capm_quaternion_rotation(e, R);
    double symmetry[3] = {R[0][2], R[1][2], R[2][2]};
    double told[3] = {sin(tilt) * sin(heading), -sin(tilt) * cos(heading), cos(tilt)};
    check("symmetry axis", largest_gap(3, symmetry, told), 2e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_are_a_group),
      cmocka_unit_test(the_norm_does_not_matter),
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(rates_turn_with_the_angular_velocity),
      cmocka_unit_test(axes_and_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
