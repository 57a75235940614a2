/* Newton at a fixed parameter, deflation, samples at exact parameters, and bordered solves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/curve.h"

#include "solve/continuation/continuation_border.h"

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

static void assert_ok(const curve *k, cap_status status)
{
  if (status != CAP_OK) fail_msg("%s: %s", cap_status_text(status), k->error.text);
}

/* ---- Newton, deflation, samples ------------------------------------------------------------------------ */

static void arc_tangent(double x, double p, double *f, double *fx, double *fp)
{
  *f = atan(x) - p;
  *fx = 1.0 / (1.0 + x * x);
  *fp = -1.0;
}

static void newton_is_damped(void **state)
{
  (void)state;
  curve_scalar_box box = {arc_tangent};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation *c = NULL;
  cap_error error;
  assert_int_equal(cap_continuation_create(&problem, NULL, &c, &error), CAP_OK);
  cap_continuation_newton_result result;
  double x = 20.0; /* undamped steps grow beyond all bounds from here */
  assert_int_equal(cap_continuation_newton(c, &x, 0.3, 50, NULL, &result, &error), CAP_OK);
  assert_near(x, tan(0.3), 1e-14);
  assert_true(result.iterations < 15);
  assert_int_equal(cap_continuation_newton(c, &x, 5.0, 50, NULL, &result, &error), CAP_RETRY_NOCONV);
  assert_non_null(strstr(error.text, "p = 5"));
  cap_continuation_free(c);
}

static void no_arc(double x, double p, double *f, double *fx, double *fp)
{
  (void)x, (void)p;
  *f = *fx = *fp = NAN;
}

/* Where nothing was evaluated there is no residual to tell, least of all 0. */
static void a_failure_says_why(void **state)
{
  (void)state;
  curve_scalar_box box = {no_arc};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation *c = NULL;
  cap_error error;
  assert_int_equal(cap_continuation_create(&problem, NULL, &c, &error), CAP_OK);
  double x = 1.0;
  assert_int_not_equal(cap_continuation_newton(c, &x, 0.3, 50, NULL, NULL, &error), CAP_OK);
  assert_null(strstr(error.text, "residual"));
  assert_non_null(strstr(error.text, "p = 0.3: the equations cannot be evaluated or solved, iteration 1"));
  cap_continuation_free(c);
}

static void deflation_finds_all_roots(void **state)
{
  (void)state;
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation *c = NULL;
  cap_error error;
  assert_int_equal(cap_continuation_create(&problem, NULL, &c, &error), CAP_OK);
  double roots[4], sum = 0.0;
  const double *known[4];
  cap_continuation_deflation deflation = {.roots = known};
  for (int k = 0; k < 3; k++) {
    known[k] = &roots[k];
    roots[k] = 0.7; /* always the same start */
    assert_int_equal(cap_continuation_newton(c, &roots[k], 0.0, 200, &deflation, NULL, &error), CAP_OK);
    assert_near(roots[k] * roots[k] * roots[k] - roots[k], 0.0, 1e-12);
    for (int j = 0; j < k; j++) assert_true(fabs(roots[k] - roots[j]) > 0.9);
    sum += roots[k] * roots[k];
    deflation.nroot++;
  }
  assert_near(sum, 2.0, 1e-12);
  roots[3] = roots[1]; /* a start at a known root finds nothing */
  assert_int_not_equal(cap_continuation_newton(c, &roots[3], 0.0, 200, &deflation, NULL, &error), CAP_OK);
  roots[3] = 0.7; /* and there is no fourth */
  assert_int_not_equal(cap_continuation_newton(c, &roots[3], 0.0, 200, &deflation, NULL, &error), CAP_OK);
  cap_continuation_free(c);
}

static void deflation_finds_the_second_bratu_solution(void **state)
{
  (void)state;
  for (int structured = 0; structured < 2; structured++) {
    curve_beam beam = {.n = 19};
    cap_continuation_problem problem = curve_beam_problem(&beam, structured);
    cap_continuation *c = NULL;
    cap_error error;
    assert_int_equal(cap_continuation_create(&problem, NULL, &c, &error), CAP_OK);
    double lower[19] = {0}, upper[19];
    assert_int_equal(cap_continuation_newton(c, lower, 2.0, 50, NULL, NULL, &error), CAP_OK);
    const double *known[] = {lower};
    cap_continuation_deflation deflation = {.nroot = 1, .roots = known};
    for (int i = 0; i < 19; i++) upper[i] = lower[i] + 0.1;
    assert_int_equal(cap_continuation_newton(c, upper, 2.0, 200, &deflation, NULL, &error), CAP_OK);
    assert_true(upper[9] > lower[9] + 1.0);
    cap_continuation_free(c);
  }
}

static void curves_are_sampled_at_exact_parameters(void **state)
{
  (void)state;
  curve k = curve_create(1);
  curve_scalar_box box = {curve_cubic};
  cap_continuation_problem problem = curve_scalar_problem(&box);
  cap_continuation_options options = {.step = 0.2, .p_min = -2.0, .p_max = 2.0};
  double start = 1.5;
  assert_ok(&k, curve_run(&k, &problem, &options, &(cap_continuation_start){.x = &start, .p = -2.0}, 1));
  cap_continuation *c = NULL;
  assert_ok(&k, cap_continuation_create(&problem, &options, &c, &k.error));
  int sampled = 0;
  for (int i = 1; i < k.count; i++) {
    const curve_point *from = &k.points[i - 1], *to = &k.points[i];
    cap_continuation_node a = {from->x, from->p, from->tangent}, b = {to->x, to->p, to->tangent};
    for (double p = -1.95; p < 2.0; p += 0.05) {
      if ((p < from->p) == (p < to->p)) continue;
      double x;
      assert_ok(&k, cap_continuation_at(c, &a, &b, p, &x, &k.error));
      assert_near(x * x * x - x + p, 0.0, 1e-13);
      assert_true(x <= fmax(from->x[0], to->x[0]) + 1e-9 && x >= fmin(from->x[0], to->x[0]) - 1e-9);
      sampled++;
    }
  }
  assert_true(sampled > 80);
  cap_continuation_node a = {k.points[0].x, k.points[0].p, k.points[0].tangent},
                        b = {k.points[1].x, k.points[1].p, k.points[1].tangent};
  double x;
  assert_int_equal(cap_continuation_at(c, &a, &b, 1.9, &x, &k.error), CAP_ERR_INPUT);
  cap_continuation_free(c);
  curve_free(&k);
}

/* ---- borders ------------------------------------------------------------------------------------------- */

/* Both forms of bordered solves against the product, up to an exactly singular Jacobian. */
static void bordered_solves_survive_a_singular_jacobian(void **state)
{
  (void)state;
  enum { N = 12 };
  for (int shifted = 0; shifted < 3; shifted++) {
    curve_beam beam = {.n = N};
    double x[N] = {0}, f[N], fx[N * N], fp[N], rows[2][N + 2], columns[2][N];
    double h = 1.0 / (N + 1), eigenvalue = 4.0 / (h * h) * pow(sin(M_PI * h / 2.0), 2);
    double p = shifted == 0 ? 5.0 : shifted == 1 ? eigenvalue * (1.0 + 1e-9) : eigenvalue;
    curve_beam_jacobian(&beam, x, p, f, fx,
                        fp); /* e^0 = 1: the Laplacian plus p, singular at the eigenvalue */
    for (int i = 0; i < N + 2; i++) {
      rows[0][i] = cos(i), rows[1][i] = sin(2.0 * i + 1.0);
      if (i < N) columns[0][i] = 1.0 + i % 3, columns[1][i] = cos(3.0 * i);
    }
    cap_continuation_problem problem = curve_beam_problem(&beam, true);
    for (int kind = 0; kind < 2; kind++)
      for (int k = 1; k <= 2; k++)
        for (int transposed = 0; transposed < 2; transposed++) {
          cap_arena arena = {0};
          cap_continuation_border b;
          assert_true(cap_continuation_border_init(&b, &arena, N, NULL, kind ? &problem : NULL));
          assert_int_equal(cap_continuation_border_factor(&b, fx, k,
                                                          (const double *[]){columns[0], columns[1]},
                                                          (const double *[]){rows[0], rows[1]}),
                           CAP_OK);
          double full[(N + 2) * (N + 2)], rhs[N + 2] = {0}, known[N + 2];
          int size = N + k;
          for (int i = 0; i < size; i++) {
            known[i] = 1.0 / (1.0 + i);
            for (int j = 0; j < size; j++)
              full[i * size + j] = i >= N ? rows[i - N][j] : j >= N ? columns[j - N][i] : fx[i * N + j];
          }
          for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
              rhs[i] += full[transposed ? j * size + i : i * size + j] * known[j];
          cap_continuation_border_solve(&b, transposed, rhs);
          for (int i = 0; i < size; i++) assert_near(rhs[i], known[i], 1e-9);
          cap_arena_free(&arena);
        }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newton_is_damped),
      cmocka_unit_test(a_failure_says_why),
      cmocka_unit_test(deflation_finds_all_roots),
      cmocka_unit_test(deflation_finds_the_second_bratu_solution),
      cmocka_unit_test(curves_are_sampled_at_exact_parameters),
      cmocka_unit_test(bordered_solves_survive_a_singular_jacobian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
