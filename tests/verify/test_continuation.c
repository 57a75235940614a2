/* The continuation core against closed forms: curves, branch points, closed branches, order of convergence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

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

/* ---- scalar curves ------------------------------------------------------------------------------------- */

/* A x = b p + c: the predictor is exact, the corrector has nothing to do. */
static cap_status linear_jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  (void)self;
  for (int i = 0; i < 5; i++) {
    f[i] = -(1.0 + i) * p - 0.5 * i;
    fp[i] = -(1.0 + i);
    for (int j = 0; j < 5; j++) {
      double a = i == j ? 4.0 + i : 1.0 / (1.0 + i + 2 * j);
      f[i] += a * x[j];
      if (fx) fx[5 * i + j] = a;
    }
  }
  return CAP_OK;
}

static cap_status linear_residual(void *self, const double *x, double p, double *f)
{
  double fp[5];
  return linear_jacobian(self, x, p, f, NULL, fp);
}

static void linear_problem_takes_one_iteration(void **state)
{
  (void)state;
  curve k = curve_create(5);
  cap_continuation_problem problem = {.n = 5, .residual = linear_residual, .jacobian = linear_jacobian};
  cap_continuation_options options = {.step = 0.1, .step_max = 100.0, .p_min = -10.0, .p_max = 50.0};
  double x[5] = {0};
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = x}, 0));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.nrejected, 0);
  assert_true(k.count < 40);
  for (int i = 1; i < k.count; i++) {
    double f[5];
    if (k.points[i].kind == CAP_CONTINUATION_REGULAR) assert_int_equal(k.points[i].iterations, 1);
    linear_residual(NULL, k.points[i].x, k.points[i].p, f);
    for (int j = 0; j < 5; j++) assert_near(f[j], 0.0, 1e-12 * (1.0 + fabs(k.points[i].p)));
  }
  curve_free(&k);
}

static void circle_closes_with_two_folds(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_circle};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  double x = 0.6;
  assert_ok(&k, curve_run(&k, &problem, NULL, &(cap_continuation_start){.x = &x, .p = 0.8}, 0));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_CLOSED);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_NONE);
  assert_int_equal(k.result.nfold, 2);
  assert_int_equal(k.result.nbranch, 0);
  assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 0)->p, 1.0, 1e-14);
  assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 0)->x[0], 0.0, 1e-12);
  assert_near(curve_find(&k, CAP_CONTINUATION_FOLD, 1)->p, -1.0, 1e-14);
  const curve_point *last = &k.points[k.count - 1];
  assert_int_equal(last->kind, CAP_CONTINUATION_RETURN);
  assert_near(last->p, 0.8, 1e-15);
  for (int i = 0; i < k.count; i++) assert_near(hypot(k.points[i].x[0], k.points[i].p), 1.0, 1e-13);
  curve_free(&k);
}

static void cubic_has_its_folds(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.p_min = -2.0, .p_max = 2.0};
  double x = 1.5;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -2.0}, 1));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.nfold, 2);
  for (int i = 0; i < 2; i++) {
    const curve_point *fold = curve_find(&k, CAP_CONTINUATION_FOLD, i);
    double root = (i ? -1.0 : 1.0) / sqrt(3.0);
    assert_near(fold->x[0], root, 1e-11);
    assert_near(fold->p, root * 2.0 / 3.0, 1e-14);
    assert_near(fold->tangent[1], 0.0, 1e-10);
  }
  assert_near(k.points[k.count - 1].p, 2.0, 0.0);
  curve_free(&k);
}

static void ellipse(double x, double p, double *f, double *fx, double *fp)
{
  *f = 4.0 * (x - 1.0) * (x - 1.0) + 25.0 * (p - 2.0) * (p - 2.0) - 1.0;
  *fx = 8.0 * (x - 1.0);
  *fp = 50.0 * (p - 2.0);
}

static void isola_is_recognised_at_every_start(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {ellipse};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  problem.p_scale = 0.3;
  for (int start = 0; start < 12; start++) {
    double angle = 0.3 + 0.5 * start, x = 1.0 + 0.5 * cos(angle), p = 2.0 + 0.2 * sin(angle);
    assert_ok(&k,
              curve_run(&k, &problem, NULL, &(cap_continuation_start){.x = &x, .p = p}, start % 2 ? 1 : -1));
    assert_int_equal(k.result.end[start % 2 ? 0 : 1], CAP_CONTINUATION_END_CLOSED);
    assert_int_equal(k.result.nfold, 2);
    for (int i = 0; i < 2; i++) {
      const curve_point *fold = curve_find(&k, CAP_CONTINUATION_FOLD, i);
      assert_near(fabs(fold->p - 2.0), 0.2, 1e-13);
      assert_near(fold->x[0], 1.0, 1e-10);
    }
  }
  curve_free(&k);
}

/* ---- branch points ------------------------------------------------------------------------------------- */

static void pitchfork(double x, double p, double *f, double *fx, double *fp)
{
  *f = p * x - x * x * x;
  *fx = p - 3.0 * x * x;
  *fp = x;
}

static void transcritical(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * (p - 2.0 * x);
  *fx = p - 4.0 * x;
  *fp = x;
}

static void pitchfork_branches_are_switched(void **state)
{
  (void)state;
  curve k = curve_create(1), b = curve_create(1);
  curve_scalar_box box = {pitchfork};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.p_min = -1.0, .p_max = 1.0};
  double x = 0.0;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -0.77}, 1));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.nbranch, 1);
  assert_int_equal(k.result.nfold, 0);
  const curve_point *at = curve_find(&k, CAP_CONTINUATION_BRANCH, 0);
  assert_near(at->p, 0.0, 1e-12);
  assert_near(at->x[0], 0.0, 1e-12);
  assert_near(fabs(at->tangent[1]), 1.0, 1e-8);
  assert_near(fabs(at->other[0]), 1.0, 1e-8);
  cap_continuation_start away = {.x = at->x, .p = at->p, .tangent = at->other, .on_curve = true};
  assert_ok(&b, curve_run(&b, &problem, &options, &away, 0));
  assert_int_equal(b.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(b.result.end[1], CAP_CONTINUATION_END_LIMIT);
  double ends[2] = {0};
  for (int i = 0; i < b.count; i++) {
    assert_near(b.points[i].x[0] * b.points[i].x[0], b.points[i].p, 1e-12);
    if (b.points[i].kind == CAP_CONTINUATION_LIMIT) ends[b.points[i].direction < 0] = b.points[i].x[0];
  }
  assert_near(fabs(ends[0]), 1.0, 1e-12);
  assert_near(ends[0] + ends[1], 0.0, 1e-12);

  /* along the parabola through the branch point, which is no fold */
  x = 0.9;
  assert_ok(&b, curve_run(&b, &problem, &options, &(cap_continuation_start){.x = &x, .p = 0.81}, -1));
  assert_int_equal(b.result.nbranch, 1);
  assert_int_equal(b.result.nfold, 0);
  at = curve_find(&b, CAP_CONTINUATION_BRANCH, 0);
  assert_near(at->p, 0.0, 1e-12);
  assert_near(fabs(at->tangent[0]), 1.0, 1e-8);
  assert_near(b.points[b.count - 1].x[0], -1.0, 1e-12);
  curve_free(&k), curve_free(&b);
}

static void transcritical_tangents_are_exact(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {transcritical};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.p_min = -1.0, .p_max = 1.0};
  double x = 0.0;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = -0.8}, 1));
  assert_int_equal(k.result.nbranch, 1);
  const curve_point *at = curve_find(&k, CAP_CONTINUATION_BRANCH, 0);
  assert_near(at->p, 0.0, 1e-12);
  assert_near(at->other[0] / at->other[1], 0.5, 1e-8);
  assert_near(at->tangent[0], 0.0, 1e-8);
  curve_free(&k);
}

/* u'' + p sin u = 0: the straight beam buckles at the eigenvalues (4 / h^2) sin^2(k pi h / 2). */
static void beam_buckles_at_its_eigenvalues(void **state)
{
  (void)state;
  curve k = curve_create(25), b = curve_create(25);
  for (int structured = 0; structured < 2; structured++) {
    curve_beam beam = {.n = 25, .sine = true};
    cap_continuation_problem problem = curve_beam_problem(&beam, structured);
    problem.p_scale = 20.0;
    cap_continuation_options options = {.step = 0.1, .step_max = 0.3, .p_min = 0.0, .p_max = 170.0};
    double x[25] = {0};
    assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = x, .p = 1.0}, 1));
    assert_int_equal(k.result.nbranch, 4);
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
      const curve_point *at = curve_find(&k, CAP_CONTINUATION_BRANCH, i);
      double h = 1.0 / 26.0, eigenvalue = 4.0 / (h * h) * pow(sin((i + 1) * M_PI * h / 2.0), 2);
      worst = fmax(worst, fabs(at->p / eigenvalue - 1.0));
      double shape = at->other[12 - i] / sin((i + 1) * M_PI * h * (13 - i));
      for (int j = 0; j < 25; j++) assert_near(at->other[j], shape * sin((i + 1) * M_PI * h * (j + 1)), 1e-7);
      options.max_points = 20;
      cap_continuation_start away = {.x = at->x, .p = at->p, .tangent = at->other, .on_curve = true};
      assert_ok(&b, curve_run(&b, &problem, &options, &away, 1));
      assert_true(fabs(b.points[b.count - 1].x[12 - i]) > 0.1);
      assert_true(b.points[b.count - 1].p > eigenvalue);
    }
    print_message("beam, %s: worst eigenvalue off by %.2g\n", structured ? "tridiagonal" : "dense", worst);
    assert_near(worst, 0.0, 1e-10);
  }
  curve_free(&k), curve_free(&b);
}

/* ---- convergence --------------------------------------------------------------------------------------- */

static void corrector_converges_quadratically(void **state)
{
  (void)state;
  curve k = curve_create(19);
  curve_beam beam = {.n = 19};
  cap_continuation_problem problem = curve_beam_problem(&beam, false);
  cap_continuation_options options = {.step = 1.5,
                                      .step_max = 1.5,
                                      .target_iterations = 6,
                                      .angle_max = 1.0,
                                      .p_min = 0.5,
                                      .p_max = 10.0,
                                      .tolerance = 1e-12};
  double x[19] = {0};
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = x, .p = 0.5}, 1));
  int judged = 0;
  double sum = 0.0;
  for (int i = 0; i < k.count; i++)
    for (int j = 2; j < k.points[i].iterations; j++) {
      const double *e = &k.points[i].corrections[j - 2];
      if (e[2] < 1e-13 || e[0] > 0.1) continue; /* rounding; not yet near */
      sum += log(e[2] / e[1]) / log(e[1] / e[0]);
      judged++;
    }
  print_message("corrector: order %.3f over %d triples\n", sum / judged, judged);
  assert_true(judged >= 3);
  assert_near(sum / judged, 2.0, 0.2);
  curve_free(&k);
}

/* ---- many closed curves -------------------------------------------------------------------------------- */

/* x^2 + p^2 = 4 + a random trigonometric polynomial of amplitude below 3: every component is closed, and
 * almost surely smooth. The same curve comes back from every start, in both directions,
 * with the same folds. */
enum { WAVES = 6 };
static double wave[WAVES][4];

static void wavy(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x + p * p - 4.0, *fx = 2.0 * x, *fp = 2.0 * p;
  for (int i = 0; i < WAVES; i++) {
    double phase = wave[i][1] * x + wave[i][2] * p + wave[i][3];
    *f += wave[i][0] * sin(phase);
    *fx += wave[i][0] * wave[i][1] * cos(phase);
    *fp += wave[i][0] * wave[i][2] * cos(phase);
  }
}

static uint64_t seed = 4711;
static double draw(double low, double high)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static double fold_sum(const curve *k)
{
  double sum = 0.0;
  for (int i = 0; i < k->count; i++)
    if (k->points[i].kind == CAP_CONTINUATION_FOLD)
      sum += k->points[i].p * k->points[i].p + k->points[i].x[0];
  return sum;
}

/* F < 0 at x = 0 and > 0 at x = 4 for |p| < 0.5. */
static double crossing(double p)
{
  double low = 0.0, high = 4.0, f, fx, fp;
  for (int i = 0; i < 20; i++) {
    double x = 0.5 * (low + high);
    wavy(x, p, &f, &fx, &fp);
    if (f < 0.0) low = x;
    else high = x;
  }
  return low;
}

static void random_closed_curves_close(void **state)
{
  (void)state;
  enum { CURVES = 300 };
  curve k = curve_create(1), back = curve_create(1);
  curve_scalar_box box = {wavy};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  long folds = 0, points = 0, evaluations = 0, rejected = 0;
  for (int number = 0; number < CURVES; number++) {
    for (int i = 0; i < WAVES; i++) {
      wave[i][0] = draw(0.0, 0.5);
      wave[i][1] = draw(-5.0, 5.0), wave[i][2] = draw(-5.0, 5.0), wave[i][3] = draw(0.0, 6.28);
    }
    cap_continuation_options options = {.step = draw(0.01, 0.3)};
    double p = draw(-0.5, 0.5), x = crossing(p);
    assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &x, .p = p}, 1));
    if (k.result.end[0] != CAP_CONTINUATION_END_CLOSED) fail_msg("curve %d: %s", number, k.result.text[0]);
    assert_int_equal(k.result.nfold % 2, 0);
    assert_int_equal(k.result.nbranch, 0);
    /* the same curve from elsewhere, the other way round */
    const curve_point *other = &k.points[k.count / 2];
    while (other->kind != CAP_CONTINUATION_REGULAR) other--;
    assert_ok(&back,
              curve_run(&back, &problem, &options,
                        &(cap_continuation_start){.x = other->x, .p = other->p, .tangent = other->tangent},
                        -1));
    if (back.result.end[1] != CAP_CONTINUATION_END_CLOSED)
      fail_msg("curve %d: %s", number, back.result.text[1]);
    if (back.result.nfold != k.result.nfold)
      fail_msg("curve %d: %d folds, back %d", number, k.result.nfold, back.result.nfold);
    assert_near(fold_sum(&back), fold_sum(&k), 1e-9 * (1 + k.result.nfold));
    folds += k.result.nfold, points += k.count, evaluations += k.result.nevaluation,
        rejected += k.result.nrejected;
  }
  print_message("%d random curves: %ld folds, %ld points, %.2f Jacobians a point, %ld steps refused\n",
                CURVES, folds, points, (double)evaluations / (double)points, rejected);
  curve_free(&k), curve_free(&back);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_problem_takes_one_iteration),
      cmocka_unit_test(circle_closes_with_two_folds),
      cmocka_unit_test(cubic_has_its_folds),
      cmocka_unit_test(isola_is_recognised_at_every_start),
      cmocka_unit_test(pitchfork_branches_are_switched),
      cmocka_unit_test(transcritical_tangents_are_exact),
      cmocka_unit_test(beam_buckles_at_its_eigenvalues),
      cmocka_unit_test(corrector_converges_quadratically),
      cmocka_unit_test(random_closed_curves_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
