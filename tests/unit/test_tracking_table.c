/* The table of the tracking force: its grid, between it, its derivatives, symmetry, beyond it, what is
 * refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drives/pushbelt/tracking/tracking_table.h"

enum { M = 5, N = 7 };

/* Odd in z, nothing without force, cubic in both: splines have it exactly. */
static double cubic(double f, double z)
{
  return -f * z * (3.0 + 0.2 * z * z) * (1.0 + 0.1 * f + 0.02 * f * f);
}

typedef struct grid {
  double force[M], place[N], values[M * N];
} grid;

static grid whole(void)
{
  grid g;
  for (int i = 0; i < M; i++) g.force[i] = i * (1.0 + 0.1 * i);
  for (int j = 0; j < N; j++) g.place[j] = j - (N - 1) / 2;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) g.values[i * N + j] = cubic(g.force[i], g.place[j]);
  return g;
}

static void assert_force(const capm_tracking_table *t, double f, double z)
{
  const double d = 1e-5;
  capm_tracking_table_force force = capm_tracking_table_at(t, f, z);
  assert_true(fabs(force.value - cubic(f, z)) < 1e-12 * (1.0 + fabs(force.value)));
  assert_true(fabs(force.by_force - (cubic(f + d, z) - cubic(f - d, z)) / (2.0 * d)) < 1e-7);
  assert_true(fabs(force.by_place - (cubic(f, z + d) - cubic(f, z - d)) / (2.0 * d)) < 1e-7);
}

static void a_cubic_field_is_exact_between_the_points(void **state)
{
  (void)state;
  cap_arena arena = {0};
  grid g = whole();
  capm_tracking_table t;
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N, g.place, g.values, &t), CAP_OK);
  assert_int_equal(t.nplace, 4);
  for (double f = 0.0; f <= 5.5; f += 0.37)
    for (double z = -3.0; z <= 3.0; z += 0.29) assert_force(&t, f, z);
  cap_arena_free(&arena);
}

/* Half of the grid, without its zero and without force 0: the same. */
static void what_is_known_by_symmetry_need_not_be_given(void **state)
{
  (void)state;
  cap_arena arena = {0};
  grid g = whole();
  double half[(M - 1) * 3];
  for (int i = 1; i < M; i++)
    for (int j = 0; j < 3; j++) half[(i - 1) * 3 + j] = g.values[i * N + 4 + j];
  capm_tracking_table t;
  assert_int_equal(capm_tracking_table_make(&arena, M - 1, g.force + 1, 3, g.place + 4, half, &t), CAP_OK);
  assert_int_equal(t.nforce, M);
  for (double f = 0.1; f <= 5.5; f += 0.37)
    for (double z = -3.0; z <= 3.0; z += 0.29) assert_force(&t, f, z);
  cap_arena_free(&arena);
}

static void symmetry_and_continuity_of_any_field(void **state)
{
  (void)state;
  cap_arena arena = {0};
  grid g = whole();
  capm_tracking_table t;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      g.values[i * N + j] = g.force[i] * sin(9.0 * g.place[j] + i); /* not even odd */
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N, g.place, g.values, &t), CAP_OK);
  for (double f = -1.0; f <= 8.0; f += 0.25) /* grid lines and beyond the grid, too */
    for (double z = 0.0; z <= 4.5; z += 0.25) {
      const double d = 1e-7;
      capm_tracking_table_force a = capm_tracking_table_at(&t, f, z), b = capm_tracking_table_at(&t, f, -z);
      assert_true(a.value == -b.value && a.by_force == -b.by_force && a.by_place == b.by_place);
      if (f <= 0.0) assert_true(a.value == 0.0);
      if (f < 0.0) continue;
      capm_tracking_table_force up = capm_tracking_table_at(&t, f + d, z),
                                in = capm_tracking_table_at(&t, f, z + d);
      assert_true(fabs(up.value - a.value - d * a.by_force) < 1e-11);
      assert_true(fabs(in.value - a.value - d * a.by_place) < 1e-11);
      assert_true(fabs(up.by_place - a.by_place) < 1e-4 && fabs(in.by_force - a.by_force) < 1e-4);
    }
  assert_true(capm_tracking_table_inside(&t, 5.6, -3.0) && !capm_tracking_table_inside(&t, 5.7, 0.0) &&
              !capm_tracking_table_inside(&t, 1.0, -3.1));
  /* straight on beyond the grid */
  double near = capm_tracking_table_at(&t, 6.0, 3.5).value, far = capm_tracking_table_at(&t, 8.0, 3.5).value;
  assert_true(fabs(capm_tracking_table_at(&t, 7.0, 3.5).value - 0.5 * (near + far)) < 1e-12);
  cap_arena_free(&arena);
}

static void grids_that_are_none_are_refused(void **state)
{
  (void)state;
  cap_arena arena = {0};
  capm_tracking_table t;
  grid g = whole();
  assert_int_equal(capm_tracking_table_make(&arena, 2, g.force, N, g.place, g.values, &t), CAP_ERR_INPUT);
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, 3, g.place + 2, g.values, &t), CAP_ERR_INPUT);
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N - 1, g.place, g.values, &t), CAP_ERR_INPUT);
  g.force[2] = g.force[1];
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N, g.place, g.values, &t), CAP_ERR_INPUT);
  g = whole();
  g.force[0] = -1.0;
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N, g.place, g.values, &t), CAP_ERR_INPUT);
  g = whole();
  g.values[8] = NAN;
  assert_int_equal(capm_tracking_table_make(&arena, M, g.force, N, g.place, g.values, &t), CAP_ERR_INPUT);
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cubic_field_is_exact_between_the_points),
                                     cmocka_unit_test(what_is_known_by_symmetry_need_not_be_given),
                                     cmocka_unit_test(symmetry_and_continuity_of_any_field),
                                     cmocka_unit_test(grids_that_are_none_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
