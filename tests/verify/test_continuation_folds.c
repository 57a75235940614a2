/* Folds and fold curves against closed forms: Bratu's problem, Duffing's amplitude equation, a cusp; scales.
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

/* ---- folds of discretised and averaged problems -------------------------------------------------------- */

/* The continuous problem's fold: lambda = 8 (c^2 - 1) with c tanh c = 1. */
static double bratu_fold(void)
{
  double low = 1.0, high = 2.0;
  for (int i = 0; i < 60; i++) {
    double c = 0.5 * (low + high);
    if (c * tanh(c) < 1.0) low = c;
    else high = c;
  }
  return 8.0 * (low * low - 1.0);
}

static double bratu_discrete_fold(curve *k, int n, bool structured, long *evaluations)
{
  curve_beam beam = {.n = n};
  cap_continuation_problem problem = curve_beam_problem(&beam, structured);
  double scale[CURVE_WIDTH], x[CURVE_WIDTH] = {0};
  for (int i = 0; i < n; i++) scale[i] = sqrt(n);
  problem.x_scale = scale;
  k->n = n;
  cap_continuation_options options = {.step = 0.2, .p_min = 0.5, .p_max = 10.0};
  assert_ok(k, curve_run(k, &problem, &options, &(cap_continuation_start){.x = x, .p = 0.5}, 1));
  assert_int_equal(k->result.nfold, 1);
  assert_int_equal(k->result.nbranch, 0);
  assert_int_equal(k->result.end[0],
                   CAP_CONTINUATION_END_LIMIT); /* p returns to its limit on the upper side */
  *evaluations = k->result.nevaluation;
  return curve_find(k, CAP_CONTINUATION_FOLD, 0)->p;
}

static void bratu_fold_converges_with_the_mesh(void **state)
{
  (void)state;
  curve k = curve_create(1);
  double exact = bratu_fold(), before = 0.0;
  assert_near(exact, 3.513830719, 1e-9);
  for (int n = 9; n <= 159; n = 2 * n + 1) {
    long evaluations, evaluations_structured;
    double fold = bratu_discrete_fold(&k, n, true, &evaluations_structured);
    double error = fold - exact;
    if (n < 100) assert_near(bratu_discrete_fold(&k, n, false, &evaluations), fold, 1e-11);
    print_message("Bratu, n = %3d: fold %.12f, error %.3e, order %.3f, %ld Jacobians\n", n, fold, error,
                  before != 0.0 ? log2(before / error) : 0.0, evaluations_structured);
    if (before != 0.0) assert_near(log2(before / error), 2.0, 0.02);
    before = error;
  }
  curve_free(&k);
}

/* One harmonic of x'' + 2 z x' + x + g x^3 = f cos(w t): unknowns a, b of a cos + b sin. */
static const double DUFFING_Z = 0.03, DUFFING_G = 0.4, DUFFING_F = 0.25;

static cap_status duffing_jacobian(void *self, const double *x, double w, double *f, double *fx, double *fp)
{
  (void)self;
  double g = 0.75 * DUFFING_G, square = x[0] * x[0] + x[1] * x[1], k = 1.0 - w * w + g * square;
  f[0] = k * x[0] + 2.0 * DUFFING_Z * w * x[1] - DUFFING_F;
  f[1] = k * x[1] - 2.0 * DUFFING_Z * w * x[0];
  if (!fx) return CAP_OK;
  fx[0] = k + 2.0 * g * x[0] * x[0], fx[1] = 2.0 * g * x[0] * x[1] + 2.0 * DUFFING_Z * w;
  fx[2] = 2.0 * g * x[0] * x[1] - 2.0 * DUFFING_Z * w, fx[3] = k + 2.0 * g * x[1] * x[1];
  fp[0] = -2.0 * w * x[0] + 2.0 * DUFFING_Z * x[1], fp[1] = -2.0 * w * x[1] - 2.0 * DUFFING_Z * x[0];
  return CAP_OK;
}

static cap_status duffing_residual(void *self, const double *x, double w, double *f)
{
  return duffing_jacobian(self, x, w, f, NULL, NULL);
}

/* With X = a^2 + b^2 and W = w^2: W = 1 + c X - 2 z^2 +- sqrt(f^2/X - 4 z^2 (1 + c X) + 4 z^4); dW/dX = 0. */
static double duffing_angular_frequency(double X, double sign)
{
  double c = 0.75 * DUFFING_G, z2 = DUFFING_Z * DUFFING_Z;
  return 1.0 + c * X - 2.0 * z2 +
         sign * sqrt(DUFFING_F * DUFFING_F / X - 4.0 * z2 * (1.0 + c * X) + 4.0 * z2 * z2);
}

static double duffing_slope(double X, double sign)
{
  double c = 0.75 * DUFFING_G, z2 = DUFFING_Z * DUFFING_Z;
  double root = sqrt(DUFFING_F * DUFFING_F / X - 4.0 * z2 * (1.0 + c * X) + 4.0 * z2 * z2);
  return c + sign * 0.5 * (-DUFFING_F * DUFFING_F / (X * X) - 4.0 * z2 * c) / root;
}

static double duffing_fold(double low, double high)
{
  bool rising = duffing_slope(low, 1.0) > 0.0;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if ((duffing_slope(middle, 1.0) > 0.0) == rising) low = middle;
    else high = middle;
  }
  return sqrt(duffing_angular_frequency(low, 1.0));
}

static void duffing_folds_are_those_of_the_closed_form(void **state)
{
  (void)state;
  curve k = curve_create(2);
  cap_continuation_problem problem = {.n = 2, .residual = duffing_residual, .jacobian = duffing_jacobian};
  cap_continuation_options options = {.p_min = 0.3, .p_max = 2.5};
  double x[2] = {0.25, 0.0};
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = x, .p = 0.3}, 1));
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.nfold, 2);
  const curve_point *upper = curve_find(&k, CAP_CONTINUATION_FOLD, 0),
                    *lower = curve_find(&k, CAP_CONTINUATION_FOLD, 1);
  /* the largest X solves f^2 = 4 z^2 X (1 + c X - z^2) */
  double c = 0.75 * DUFFING_G, z2 = DUFFING_Z * DUFFING_Z;
  double most = (-(1.0 - z2) + sqrt((1.0 - z2) * (1.0 - z2) + c * DUFFING_F * DUFFING_F / z2)) / (2.0 * c);
  double low_fold = duffing_fold(0.1, 1.0), high_fold = duffing_fold(1.0, most * (1.0 - 1e-12));
  print_message("Duffing folds: %.12f %.12f, errors %.2e %.2e, %d points, %ld Jacobians\n", upper->p,
                lower->p, upper->p - high_fold, lower->p - low_fold, k.count, k.result.nevaluation);
  assert_near(upper->p, high_fold, 1e-11);
  assert_near(lower->p, low_fold, 1e-11);
  for (int i = 0; i < k.count; i++) {
    double X = k.points[i].x[0] * k.points[i].x[0] + k.points[i].x[1] * k.points[i].x[1],
           W = k.points[i].p * k.points[i].p;
    assert_near(X * ((W - 1.0 - c * X) * (W - 1.0 - c * X) + 4.0 * z2 * W), DUFFING_F * DUFFING_F, 1e-11);
  }
  curve_free(&k);
}

/* ---- fold curves --------------------------------------------------------------------------------------- */

/* x^3 - a x - b with a second unknown that follows: folds at 27 b^2 = 4 a^3; p = b, q = a. */
static cap_status cusp_jacobian(void *self, const double *x, double b, double a, double *f, double *fx,
                                double *fp, double *fq)
{
  (void)self;
  f[0] = x[0] * x[0] * x[0] - a * x[0] - b + x[1] - x[0] * x[0];
  f[1] = x[1] - x[0] * x[0];
  fx[0] = 3.0 * x[0] * x[0] - a - 2.0 * x[0], fx[1] = 1.0;
  fx[2] = -2.0 * x[0], fx[3] = 1.0;
  fp[0] = -1.0, fp[1] = 0.0;
  fq[0] = -x[0], fq[1] = 0.0;
  return CAP_OK;
}

static void fold_curve_passes_the_cusp(void **state)
{
  (void)state;
  curve k = curve_create(3);
  cap_continuation_family family = {.n = 2, .jacobian = cusp_jacobian};
  cap_continuation_options options = {.step = 0.1, .p_min = -1.0, .p_max = 3.0};
  double x[2] = {0.98, 0.99}; /* near the fold (1, 1) at a = 3, b = -2 */
  for (int direction = -1; direction <= 0; direction++) {
    k.count = 0;
    assert_ok(&k, cap_continuation_fold(&family, &options, x, -1.98, direction < 0 ? 3.0 : 2.5, direction,
                                        curve_sink, &k, &k.result, &k.error));
    assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_LIMIT);
    if (direction == 0) assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
    assert_int_equal(k.result.nfold, 1);
    assert_int_equal(k.result.npoint, k.count);
    const curve_point *cusp = curve_find(&k, CAP_CONTINUATION_FOLD, 0);
    assert_near(cusp->p, 0.0, 1e-12);
    assert_near(cusp->x[0], 0.0, 1e-9);
    double worst = 0.0, least = 1.0, most = -1.0;
    for (int i = 0; i < k.count; i++) {
      double a = k.points[i].p, b = k.points[i].x[2];
      worst = fmax(worst, fabs(4.0 * a * a * a - 27.0 * b * b));
      least = fmin(least, b), most = fmax(most, b);
    }
    print_message("fold curve: %d points, |4 a^3 - 27 b^2| <= %.2e, cusp at %.1e\n", k.count, worst, cusp->p);
    assert_near(worst, 0.0, 1e-9);
    assert_near(least, -2.0, 1e-9);
    assert_near(most, 2.0, 1e-9);
  }
  curve_free(&k);
}

/* The amplitude equation over (w, f): folds fulfil F = 0 and (W - 1 - c X)(W - 1 - 3 c X) + 4 z^2 W = 0. */
static cap_status duffing_family(void *self, const double *x, double w, double force, double *f, double *fx,
                                 double *fp, double *fq)
{
  duffing_jacobian(self, x, w, f, fx, fp);
  f[0] += DUFFING_F - force;
  fq[0] = -1.0, fq[1] = 0.0;
  return CAP_OK;
}

static void fold_curve_of_duffing_is_the_closed_form(void **state)
{
  (void)state;
  curve k = curve_create(2);
  cap_continuation_problem problem = {.n = 2, .residual = duffing_residual, .jacobian = duffing_jacobian};
  cap_continuation_options options = {.p_min = 0.3, .p_max = 2.5};
  double x[2] = {0.25, 0.0}, c = 0.75 * DUFFING_G, z2 = DUFFING_Z * DUFFING_Z;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = x, .p = 0.3}, 1));
  curve_point fold = *curve_find(&k, CAP_CONTINUATION_FOLD, 0);
  cap_continuation_family family = {.n = 2, .jacobian = duffing_family};
  cap_continuation_options limits = {.p_min = 0.01, .p_max = 0.5};
  k.n = 3, k.count = 0;
  assert_ok(&k, cap_continuation_fold(&family, &limits, fold.x, fold.p, DUFFING_F, 0, curve_sink, &k,
                                      &k.result, &k.error));
  /* upwards the upper fold, downwards through the cusp to the lower one */
  assert_int_equal(k.result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.end[1], CAP_CONTINUATION_END_LIMIT);
  assert_int_equal(k.result.nfold, 1);
  double worst = 0.0;
  for (int i = 0; i < k.count; i++) {
    const double *at = k.points[i].x;
    double X = at[0] * at[0] + at[1] * at[1], W = at[2] * at[2], d = W - 1.0 - c * X, f = k.points[i].p;
    worst = fmax(worst, fabs(d * (W - 1.0 - 3.0 * c * X) + 4.0 * z2 * W));
    worst = fmax(worst, fabs(X * (d * d + 4.0 * z2 * W) - f * f));
  }
  double cusp = curve_find(&k, CAP_CONTINUATION_FOLD, 0)->p;
  print_message("Duffing fold curve: %d points, off by %.2e, cusp at force %.12f\n", k.count, worst, cusp);
  assert_near(worst, 0.0, 1e-11);
  assert_true(cusp > 0.01 && cusp < 0.1);
  curve_free(&k);
}

/* ---- units --------------------------------------------------------------------------------------------- */

/* The same equations in micrometres and meganewtons: with scales the run is the same but for rounding. */
enum { UNITS = 2 };
static const double X_UNIT[UNITS] = {1e-6, 3e4}, F_UNIT[UNITS] = {2e7, 1e-5}, P_UNIT = 1e3;

static cap_status units_jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  double plain[UNITS] = {x[0] / X_UNIT[0], x[1] / X_UNIT[1]};
  duffing_jacobian(self, plain, p / P_UNIT, f, fx, fp);
  for (int i = 0; i < UNITS; i++) {
    f[i] *= F_UNIT[i];
    for (int j = 0; fx && j < UNITS; j++) fx[UNITS * i + j] *= F_UNIT[i] / X_UNIT[j];
    if (fx) fp[i] *= F_UNIT[i] / P_UNIT;
  }
  return CAP_OK;
}

static cap_status units_residual(void *self, const double *x, double p, double *f)
{
  return units_jacobian(self, x, p, f, NULL, NULL);
}

static void scales_make_units_irrelevant(void **state)
{
  (void)state;
  curve a = curve_create(2), b = curve_create(2);
  cap_continuation_problem plain = {.n = 2, .residual = duffing_residual, .jacobian = duffing_jacobian};
  cap_continuation_problem scaled = {.n = 2,
                                     .residual = units_residual,
                                     .jacobian = units_jacobian,
                                     .x_scale = X_UNIT,
                                     .f_scale = F_UNIT,
                                     .p_scale = P_UNIT};
  cap_continuation_options options = {.p_min = 0.3, .p_max = 2.5}, big = {.p_min = 300.0, .p_max = 2500.0};
  double x[2] = {0.25, 0.0}, y[2] = {0.25 * X_UNIT[0], 0.0};
  assert_ok(&a, curve_run(&a, &plain, &options, &(cap_continuation_start){.x = x, .p = 0.3}, 1));
  assert_ok(&b, curve_run(&b, &scaled, &big, &(cap_continuation_start){.x = y, .p = 300.0}, 1));
  assert_int_equal(a.count, b.count);
  assert_int_equal(a.result.nevaluation, b.result.nevaluation);
  for (int i = 0; i < a.count; i++) {
    assert_int_equal(a.points[i].kind, b.points[i].kind);
    assert_near(b.points[i].p / P_UNIT, a.points[i].p, 1e-9);
    for (int j = 0; j < 2; j++) assert_near(b.points[i].x[j] / X_UNIT[j], a.points[i].x[j], 1e-9);
  }
  curve_free(&a), curve_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bratu_fold_converges_with_the_mesh),
      cmocka_unit_test(duffing_folds_are_those_of_the_closed_form),
      cmocka_unit_test(fold_curve_passes_the_cusp),
      cmocka_unit_test(fold_curve_of_duffing_is_the_closed_form),
      cmocka_unit_test(scales_make_units_irrelevant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
