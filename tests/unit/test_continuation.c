/* The continuation core's contract: reasons to end, guards, events, repeatability, and no allocation during a
 * run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "../support/curve.h"

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

static void assert_ok(const curve *k, cap_status status)
{
  if (status != CAP_OK) fail_msg("%s: %s", cap_status_text(status), k->error.text);
}

/* ---- allocations --------------------------------------------------------------------------------------- */

static void a_run_allocates_nothing(void **state)
{
  (void)state;
  test_count_allocations();
  curve k = curve_create(25);
  for (int structured = 0; structured < 2; structured++) {
    curve_beam beam = {.n = 25, .sine = true};
    cap_continuation_problem problem = curve_beam_problem(&beam, structured);
    problem.p_scale = 20.0;
    cap_continuation_options options = {.step = 0.1, .step_max = 0.3, .p_min = 0.0, .p_max = 100.0};
    cap_continuation *c = NULL;
    double x[25] = {0};
    long before = test_allocations;
    assert_ok(&k, cap_continuation_create(&problem, &options, &c, &k.error));
    assert_true(test_allocations > before); /* the counter counts */
    before = test_allocations;
    assert_ok(&k, cap_continuation_run(c, &(cap_continuation_start){.x = x, .p = 1.0}, 0, curve_sink, &k,
                                       &k.result, &k.error));
    assert_int_equal(test_allocations, before);
    assert_int_equal(k.result.nbranch, 3);
    cap_continuation_free(c);
    k.count = 0;
  }
  curve_free(&k);
}

static void runs_repeat_to_the_bit(void **state)
{
  (void)state;
  curve a = curve_create(19), b = curve_create(19);
  curve_beam beam = {.n = 19};
  cap_continuation_problem problem = curve_beam_problem(&beam, false);
  cap_continuation_options options = {.p_min = 0.5, .p_max = 10.0};
  double x[19] = {0};
  cap_continuation_start start = {.x = x, .p = 1.0};
  assert_ok(&a, curve_run(&a, &problem, &options, &start, 0));
  /* a used handle gives the same as a new one */
  cap_continuation *c = NULL;
  assert_ok(&b, cap_continuation_create(&problem, &options, &c, &b.error));
  for (int pass = 0; pass < 2; pass++) {
    b.count = 0;
    memset(b.points, 0, CURVE_MOST * sizeof *b.points);
    assert_ok(&b, cap_continuation_run(c, &start, 0, curve_sink, &b, &b.result, &b.error));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.points, b.points, (size_t)a.count * sizeof *a.points);
  }
  cap_continuation_free(c);
  curve_free(&a), curve_free(&b);
}

/* ---- reasons to end ------------------------------------------------------------------------------------ */

static void square_root(double x, double p, double *f, double *fx, double *fp)
{
  *f = x - sqrt(p);
  *fx = 1.0;
  *fp = -0.5 / sqrt(p);
}

static void jump(double x, double p, double *f, double *fx, double *fp)
{
  *f = x - (p > 1.0 ? 5.0 : 0.0);
  *fx = 1.0;
  *fp = 0.0;
}

static void half_line(double x, double p, double *f, double *fx, double *fp)
{
  *f = p < 0.0 ? NAN : x - p;
  *fx = 1.0;
  *fp = -1.0;
}

/* x^2 = p^3: the curve ends in a point where the tangent reverses and F has no first derivative. */
static void cusp_point(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x - p * p * p;
  *fx = 2.0 * x;
  *fp = -3.0 * p * p;
}

static void point_only(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x + p * p;
  *fx = 2.0 * x;
  *fp = 2.0 * p;
}

static curve end_of(curve_scalar function, double x, double p, const cap_continuation_options *options)
{
  curve k = curve_create(1);
  curve_scalar_box box = {function};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  assert_ok(&k, curve_run(&k, &problem, options, &(cap_continuation_start){.x = &x, .p = p}, -1));
  return k;
}

static void every_end_has_its_reason(void **state)
{
  (void)state;
  curve k = end_of(square_root, 1.0, 1.0, NULL); /* p < 0 is not defined, and its edge is vertical */
  assert_true(k.result.end[1] == CAP_CONTINUATION_END_NONFINITE ||
              k.result.end[1] == CAP_CONTINUATION_END_STEP);
  assert_true(k.count > 5);
  assert_true(k.result.p_end[1] < 1e-3);
  assert_non_null(strstr(k.result.text[1], "p = "));
  curve_free(&k);

  k = end_of(half_line, 1.0, 1.0, NULL);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_NONFINITE);
  assert_int_equal(k.result.reject[1], CAP_CONTINUATION_REJECT_NONFINITE);
  assert_near(k.result.p_end[1], 0.0, 1e-6);
  curve_free(&k);

  k = end_of(cusp_point, 1.0, 1.0, &(cap_continuation_options){.p_min = -1.0, .p_max = 2.0});
  print_message("%s\n", k.result.text[1]);
  assert_true(k.result.end[1] == CAP_CONTINUATION_END_STEP ||
              k.result.end[1] == CAP_CONTINUATION_END_SINGULAR);
  assert_true(k.result.p_end[1] < 0.01);
  for (int i = 1; i < k.count; i++) {
    assert_near(k.points[i].x[0] * k.points[i].x[0], pow(k.points[i].p, 3), 1e-12);
    assert_true(k.points[i].p < k.points[i - 1].p); /* and not back again */
  }
  curve_free(&k);

  k = end_of(curve_cubic, -0.4, 0.0, &(cap_continuation_options){.max_points = 7, .step_max = 0.05});
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_POINTS);
  assert_int_equal(k.result.npoint - k.result.nfold, 8); /* and the start */
  curve_free(&k);

  k = end_of(curve_cubic, 1.0, 0.0, &(cap_continuation_options){.p_min = -1.0, .p_max = 1.0});
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_LIMIT);
  assert_near(k.result.p_end[1], -1.0, 0.0);
  assert_near(k.points[k.count - 1].p, -1.0, 0.0);
  assert_int_equal(k.points[k.count - 1].kind, CAP_CONTINUATION_LIMIT);
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_NONE);
  curve_free(&k);

  k = end_of(jump, 5.0, 2.0, NULL);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_STEP);
  assert_near(k.points[k.count - 1].p, 1.0, 1e-5);
  assert_true(k.result.nrejected > 5);
  curve_free(&k);
}

static void the_caller_can_stop(void **state)
{
  (void)state;
  curve k = curve_create(1);
  k.stop_after = 5;
  curve_scalar_box box = {curve_circle};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  double x = 0.6;
  assert_ok(&k, curve_run(&k, &problem, NULL, &(cap_continuation_start){.x = &x, .p = 0.8}, 0));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_STOPPED);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_NONE);
  assert_int_equal(k.count, 5);
  curve_free(&k);
}

static cap_status failing_jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  (void)self;
  curve_cubic(x[0], p, f, fx, fp);
  return p > 0.2 ? CAP_ERR_NOMEM : CAP_OK;
}

static void failure_of_a_function_keeps_what_was_found(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  problem.jacobian = failing_jacobian;
  double x = -1.0;
  assert_int_equal(curve_run(&k, &problem, NULL, &(cap_continuation_start){.x = &x, .p = -0.1}, 1),
                   CAP_ERR_NOMEM);
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_FAILED);
  assert_true(k.count > 2);
  assert_true(strlen(k.error.text) > 10);
  curve_free(&k);
}

static void bad_input_is_refused(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem good = curve_scalar_problem(&box), bad = good;
  cap_continuation_start start = {.x = &(double){1.0}};
  double zero = 0.0;
  bad.n = 0;
  assert_int_equal(curve_run(&k, &bad, NULL, &start, 0), CAP_ERR_INPUT);
  bad = good, bad.x_scale = &zero;
  assert_int_equal(curve_run(&k, &bad, NULL, &start, 0), CAP_ERR_INPUT);
  bad = good, bad.ntest = 1;
  assert_int_equal(curve_run(&k, &bad, NULL, &start, 0), CAP_ERR_INPUT);
  bad = good, bad.solve = curve_beam_solve;
  assert_int_equal(curve_run(&k, &bad, NULL, &start, 0), CAP_ERR_INPUT);
  cap_continuation_options order = {.step = 1.0, .step_min = 2.0}, limits = {.p_min = 1.0, .p_max = -1.0};
  assert_int_equal(curve_run(&k, &good, &order, &start, 0), CAP_ERR_INPUT);
  assert_int_equal(curve_run(&k, &good, &limits, &start, 0), CAP_ERR_INPUT);
  cap_continuation_options outside = {.p_min = 1.0, .p_max = 2.0};
  assert_int_equal(curve_run(&k, &good, &outside, &start, 0), CAP_ERR_INPUT);
  assert_non_null(strstr(k.error.text, "expected"));
  box.function = point_only; /* no curve at all */
  start.p = 0.5;
  assert_int_equal(curve_run(&k, &good, NULL, &start, 0), CAP_RETRY_NOCONV);
  cap_continuation_free(NULL);
  curve_free(&k);
}

/* ---- guards -------------------------------------------------------------------------------------------- */

static double gap;

/* Two branches side by side. */
static void parallel(double x, double p, double *f, double *fx, double *fp)
{
  double a = x - sin(3.0 * p), b = x - sin(3.0 * p) - gap, slope = -3.0 * cos(3.0 * p);
  *f = a * b;
  *fx = a + b;
  *fp = slope * (a + b);
}

static void neighbouring_branches_are_not_mixed_up(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {parallel};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.step = 0.3, .step_max = 1.0, .p_min = 0.0, .p_max = 6.0};
  for (gap = 0.3; gap > 1e-3; gap *= 0.7) {
    double x = 0.0;
    assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x}, 1));
    assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
    for (int i = 0; i < k.count; i++) assert_near(k.points[i].x[0], sin(3.0 * k.points[i].p), 1e-8);
    assert_int_equal(k.result.nbranch, 0);
    assert_int_equal(k.result.nfold, 0);
  }
  curve_free(&k);
}

/* A hairpin: p = x^2 / width; both arms close together. */
static void hairpin(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x / gap + p;
  *fx = 2.0 * x / gap;
  *fp = 1.0;
}

static void hairpins_are_followed_around(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {hairpin};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.step = 0.1, .p_min = -4.0, .p_max = 1.0};
  for (gap = 1.0; gap > 1e-4; gap *= 0.1) {
    double x = -sqrt(4.0 * gap);
    assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -4.0}, 1));
    assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
    assert_int_equal(k.result.nfold, 1);
    assert_near(k.points[k.count - 1].x[0], -x, 1e-10);
    assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 0)->p, 0.0, 1e-12);
  }
  curve_free(&k);
}

static double steepness;

/* p = steepness |x|: a corner where the parameter turns, sharper than a right angle for steepness > 1. */
static void corner(double x, double p, double *f, double *fx, double *fp)
{
  *f = steepness * fabs(x) - p;
  *fx = x > 0.0 ? steepness : -steepness;
  *fp = -1.0;
}

static void corners_are_turned(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {corner};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.step = 0.1, .p_min = -1.0, .p_max = 2.0};
  for (steepness = 0.05; steepness < 30.0; steepness *= 2.3) {
    double x = -2.0 / steepness + 1e-9;
    assert_ok(&k,
              curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -steepness * x}, -1));
    if (k.result.end[1] != CAP_CONTINUATION_END_LIMIT) fail_msg("slope %g: %s", steepness, k.result.text[1]);
    assert_near(k.points[k.count - 1].x[0], 2.0 / steepness, 1e-9);
    assert_true(k.count < 200);
    assert_int_equal(k.result.nfold, 1);
    assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 0)->p, 0.0, 1e-10);
    assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 0)->x[0], 0.0, 1e-9);
  }
  curve_free(&k);
}

/* ---- test functions ------------------------------------------------------------------------------------ */

/* p - 1/3 smooth, a jump of sign at x = 0.1, and one that is not defined for p > 0. */
static cap_status three_tests(void *self, const double *x, double p, double *values)
{
  (void)self;
  values[0] = p - 1.0 / 3.0;
  values[1] = x[0] > 0.1 ? 1.0 : -3.0;
  values[2] = p > 0.0 ? NAN : p + 0.125;
  return CAP_OK;
}

static void test_functions_are_located(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  problem.ntest = 3;
  problem.test = three_tests;
  cap_continuation_options options = {.step = 0.2, .p_min = -2.0, .p_max = 2.0};
  double x = 1.5;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -2.0}, 1));
  int found[3] = {0};
  double last = -1.0;
  for (int i = 0; i < k.count; i++) {
    const curve_point *at = &k.points[i];
    assert_true(at->s >= last - 1e-2); /* in order along the curve */
    last = at->s;
    assert_near(at->x[0] * at->x[0] * at->x[0] - at->x[0] + at->p, 0.0, 1e-12);
    if (at->kind != CAP_CONTINUATION_TEST) continue;
    found[at->test]++;
    if (at->test == 0) assert_near(at->p, 1.0 / 3.0, 1e-10);
    if (at->test == 1) assert_near(at->x[0], 0.1, 1e-9);
    if (at->test == 2) assert_near(at->p, -0.125, 1e-10);
  }
  assert_int_equal(found[0], 3);
  assert_int_equal(found[1], 1);
  assert_in_range(found[2], 2, 3);
  assert_int_equal(k.result.ntest, found[0] + found[1] + found[2]);
  options.skip_tests = options.skip_folds = true;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -2.0}, 1));
  assert_int_equal(k.result.ntest + k.result.nfold, 0);
  curve_free(&k);
}

static void every_code_has_a_text(void **state)
{
  (void)state;
  assert_string_equal(cap_continuation_end_text(CAP_CONTINUATION_END_CLOSED), "closed branch");
  assert_string_equal(cap_continuation_kind_text(CAP_CONTINUATION_FOLD), "fold");
  for (int i = CAP_CONTINUATION_ACCEPTED; i <= CAP_CONTINUATION_REJECT_FAILED; i++)
    assert_string_not_equal(cap_continuation_reject_text((cap_continuation_reject)i), "unknown");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_allocates_nothing),
      cmocka_unit_test(runs_repeat_to_the_bit),
      cmocka_unit_test(every_end_has_its_reason),
      cmocka_unit_test(the_caller_can_stop),
      cmocka_unit_test(failure_of_a_function_keeps_what_was_found),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(neighbouring_branches_are_not_mixed_up),
      cmocka_unit_test(hairpins_are_followed_around),
      cmocka_unit_test(corners_are_turned),
      cmocka_unit_test(test_functions_are_located),
      cmocka_unit_test(every_code_has_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
