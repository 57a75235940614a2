/* Least squares within bounds, and what data tell of parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/identify/fit.h"
#include "analysis/identify/fit_directions.h"
#include "linalg/student.h"
#include "solve/levenberg.h"

static void check_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

/* ---- problems ------------------------------------------------------------------------------------------ */

typedef struct counted {
  int calls, points;
  double gap; /* no residuals where x[0] is above it */
} counted;

/* Rosenbrock's valley as residuals 10 (y - x^2), 1 - x. */
static cap_status rosenbrock(void *self, int count, const double *x, double *r, bool *good, cap_error *error)
{
  (void)error;
  counted *c = self;
  c->calls++, c->points += count;
  for (int k = 0; k < count; k++) {
    good[k] = !(x[2 * k] > c->gap);
    r[2 * k] = 10.0 * (x[2 * k + 1] - x[2 * k] * x[2 * k]);
    r[2 * k + 1] = 1.0 - x[2 * k];
  }
  return CAP_OK;
}

static cap_levenberg_problem valley(counted *c, const double *low, const double *high)
{
  static const double step[2] = {1e-5, 1e-5};
  return (cap_levenberg_problem){
      .n = 2, .m = 2, .low = low, .high = high, .step = step, .self = c, .residuals = rosenbrock};
}

static void the_valley_is_walked_to_its_end(void **state)
{
  (void)state;
  const double low[2] = {-INFINITY, -INFINITY}, high[2] = {INFINITY, INFINITY}, x0[2] = {-1.2, 1.0};
  counted c = {.gap = INFINITY};
  cap_levenberg_problem p = valley(&c, low, high);
  cap_levenberg_result r;
  cap_error error = {0};
  assert_int_equal(cap_levenberg_run(&p, x0, 100, &r, &error), CAP_OK);
  check_near(r.x[0], 1.0, 1e-6);
  check_near(r.x[1], 1.0, 1e-6);
  assert_true(r.converged && r.iterations < 30 && r.evaluations == c.points);
  check_near(r.J[0], -20.0 * r.x[0], 1e-6);
  check_near(r.J[3], 0.0, 1e-9);
  cap_levenberg_free(&r);
}

/* With x at most 0.5 the least is at (0.5, 0.25). */
static void bounds_hold(void **state)
{
  (void)state;
  const double low[2] = {-2.0, -2.0}, high[2] = {0.5, 2.0}, x0[2] = {-1.2, 1.0};
  counted c = {.gap = INFINITY};
  cap_levenberg_problem p = valley(&c, low, high);
  cap_levenberg_result r;
  cap_error error = {0};
  assert_int_equal(cap_levenberg_run(&p, x0, 100, &r, &error), CAP_OK);
  check_near(r.x[0], 0.5, 0.0);
  check_near(r.x[1], 0.25, 1e-5);
  assert_true(r.bound[0] && !r.bound[1]);
  cap_levenberg_free(&r);
}

/* Points without residuals are avoided; a start without them is refused. */
static void what_cannot_be_computed_is_avoided(void **state)
{
  (void)state;
  const double low[2] = {-INFINITY, -INFINITY}, high[2] = {INFINITY, INFINITY}, x0[2] = {-1.2, 1.0};
  counted c = {.gap = 1.05};
  cap_levenberg_problem p = valley(&c, low, high);
  cap_levenberg_result r;
  cap_error error = {0};
  assert_int_equal(cap_levenberg_run(&p, x0, 200, &r, &error), CAP_OK);
  check_near(r.x[0], 1.0, 1e-5);
  cap_levenberg_free(&r);
  c.gap = -2.0;
  assert_int_equal(cap_levenberg_run(&p, x0, 200, &r, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "at the start"));
}

/* ---- directions ---------------------------------------------------------------------------------------- */

/* Two parameters of which only the sum counts, one that counts alone, one that does not count. */
static void directions_are_named(void **state)
{
  (void)state;
  enum { M = 40, N = 4 };
  static double J[M * N];
  const char *const names[N] = {"edge.c", "head.c", "slope", "colour"};
  for (int i = 0; i < M; i++) {
    double x = (double)i / M;
    J[i * N] = 100.0 * x, J[i * N + 1] = 100.0 * x, J[i * N + 2] = 50.0 * x * x, J[i * N + 3] = 0.0;
  }
  cap_arena arena = {0};
  cap_fit_directions d;
  assert_int_equal(cap_fit_directions_find(M, N, J, 1.96, 0.5, &arena, &d), CAP_OK);
  assert_int_equal(d.nopen, 2);
  assert_true(!d.known[0] && !d.known[1] && d.known[2] && !d.known[3]);
  bool pair = false, alone = false;
  for (int k = 0; k < d.nopen; k++) {
    char text[200];
    cap_fit_directions_tell(&d, k, names, text, sizeof text);
    pair = pair || strcmp(text, "edge.c up by 1 % with head.c down by 1 %") == 0;
    alone = alone || strcmp(text, "colour up by 1 %") == 0;
    assert_true(isinf(d.reach[k]));
  }
  assert_true(pair && alone);
  /* the interval of the slope is that of the problem without what does not count: [sum, slope] */
  double aa = 0, ab = 0, bb = 0;
  for (int i = 0; i < M; i++) {
    double a = J[i * N], b = J[i * N + 2];
    aa += a * a, ab += a * b, bb += b * b;
  }
  check_near(d.error[2], sqrt(aa / (aa * bb - ab * ab)), 1e-9);
  cap_arena_free(&arena);
}

/* A pair that data tell apart a little: how far they let it go. */
static void weak_directions_have_a_reach(void **state)
{
  (void)state;
  enum { M = 50, N = 2 };
  static double J[M * N];
  for (int i = 0; i < M; i++) J[i * N] = 10.0 + 0.01 * (i % 2), J[i * N + 1] = 10.0 - 0.01 * (i % 2);
  cap_arena arena = {0};
  cap_fit_directions d;
  assert_int_equal(cap_fit_directions_find(M, N, J, 2.0, 0.5, &arena, &d), CAP_OK);
  assert_int_equal(d.nopen, 1);
  check_near(d.combination[0] * d.combination[1], -1.0, 1e-3);
  /* a little more of one than of the other takes out the mean: +- 0.01 in 50 values are left */
  check_near(d.reach[0], 2.0 / (0.01 * sqrt(50.0)), 1e-2 * d.reach[0]);
  /* with ten thousand times the limit it counts as known */
  assert_int_equal(cap_fit_directions_find(M, N, J, 2.0, 5000.0, &arena, &d), CAP_OK);
  assert_int_equal(d.nopen, 0);
  assert_true(d.known[0] && d.correlation[1] < -0.99);
  cap_arena_free(&arena);
}

static void points_of_student(void **state)
{
  (void)state;
  check_near(capm_student_point(10.0), 2.228139, 3e-4);
  check_near(capm_student_point(30.0), 2.042272, 1e-5);
  check_near(capm_student_point(1e6), 1.959966, 1e-6);
}

/* Whatever analysis is fitted finds room for its keys. */
static void specs_fit_their_room(void **state)
{
  (void)state;
  assert_true(cap_registry_largest_spec() <= CAP_FIT_ROOM);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_valley_is_walked_to_its_end),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(what_cannot_be_computed_is_avoided),
      cmocka_unit_test(directions_are_named),
      cmocka_unit_test(weak_directions_have_a_reach),
      cmocka_unit_test(points_of_student),
      cmocka_unit_test(specs_fit_their_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
