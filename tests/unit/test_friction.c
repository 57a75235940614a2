/* The friction curve: the ways in which contacts ask for it agree, for every form; derivatives against
 * differences; the keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "laws/friction.h"
#include "laws/friction_keys.h"

static const capm_friction coulomb = {.mu_static = 0.4, .mu_kinetic = 0.4, .v_stribeck = 0.2};
static const capm_friction at_once = {.mu_static = 0.4, .mu_kinetic = 0.3};
static const capm_friction falling = {.mu_static = 0.5, .mu_kinetic = 0.3, .v_stribeck = 0.2};
static const capm_friction rising = {.mu_static = 0.1, .mu_kinetic = 0.3, .v_stribeck = 0.7};
static const capm_friction power = {.mu_static = 0.5, .mu_kinetic = 0.3, .v_stribeck = 0.2, .exponent = 3.0};
static const capm_friction steep = {.mu_static = 0.5, .mu_kinetic = 0.1, .v_stribeck = 0.05, .exponent = 1.5};
static const capm_friction *const curves[] = {&coulomb, &at_once, &falling, &rising, &power, &steep};
enum { NCURVE = sizeof curves / sizeof *curves };

static const capm_friction_form forms[NCURVE] = {CAPM_FRICTION_CONSTANT,    CAPM_FRICTION_CONSTANT,
                                                 CAPM_FRICTION_EXPONENTIAL, CAPM_FRICTION_EXPONENTIAL,
                                                 CAPM_FRICTION_POWER,       CAPM_FRICTION_POWER};

static double lane(const capm_friction *p, double g, bool folded)
{
  const capm_friction_lane l = capm_friction_lane_of(p, folded);
  return capm_friction_lane_at(&l, g * g, capm_friction_form_of(p), folded);
}

/* The formula in its own words. */
static double expected(int k, double g)
{
  const capm_friction *p = curves[k];
  const double s = g / p->v_stribeck;
  if (forms[k] == CAPM_FRICTION_CONSTANT) return p->mu_kinetic;
  const double part = forms[k] == CAPM_FRICTION_POWER ? 1.0 / (1.0 + pow(s, p->exponent)) : exp(-s * s);
  return p->mu_kinetic + (p->mu_static - p->mu_kinetic) * part;
}

/* Forms, and four ways to the same number; seen: 3 ulp. */
static void test_ways(void **state)
{
  (void)state;
  for (int k = 0; k < NCURVE; k++) {
    assert_int_equal(capm_friction_form_of(curves[k]), forms[k]);
    for (int n = 0; n <= 60; n++) {
      const double g = n == 0 ? 0.0 : 1e-4 * pow(1.2, n), mu = expected(k, g), most = 8.0 * DBL_EPSILON * mu;
      double slope;
      assert_true(fabs(capm_friction_at(curves[k], g, NULL) - mu) <= most);
      assert_true(fabs(capm_friction_square(curves[k], g * g, &slope) - mu) <= most);
      assert_true(fabs(lane(curves[k], g, false) - mu) <= most);
      assert_true(fabs(lane(curves[k], g, true) - mu) <= most);
      assert_true(mu >= capm_friction_least(curves[k]) * (1.0 - DBL_EPSILON));
      assert_true(mu <= capm_friction_most(curves[k]) * (1.0 + DBL_EPSILON));
    }
  }
}

/* Derivatives against central differences, and to the square: d mu/dg = 2 g d mu/d(g^2). */
static void test_slopes(void **state)
{
  (void)state;
  for (int k = 0; k < NCURVE; k++)
    for (int n = 1; n <= 30; n++) {
      const double g = 1e-3 * pow(1.3, n), h = 1e-5 * g;
      double slope, square;
      capm_friction_at(curves[k], g, &slope);
      capm_friction_square(curves[k], g * g, &square);
      const double difference = (expected(k, g + h) - expected(k, g - h)) / (2.0 * h);
      assert_true(fabs(slope - difference) <= 1e-8 * fabs(slope) + 1e-10 / g);
      assert_true(fabs(slope - 2.0 * g * square) <= 1e-13 * fabs(slope));
      assert_true((forms[k] == CAPM_FRICTION_CONSTANT) == (slope == 0.0) || g > 2.0);
    }
  double rest;
  capm_friction_at(&power, 0.0, &rest);
  assert_true(rest == 0.0);
  capm_friction_square(&falling, 0.0, &rest);
  assert_true(fabs(rest + 0.2 / (0.2 * 0.2)) <= 1e-14);
}

static void test_endless(void **state)
{
  (void)state;
  const capm_friction endless = {.mu_static = INFINITY, .mu_kinetic = INFINITY, .v_stribeck = 0.1};
  double slope;
  assert_true(isinf(capm_friction_at(&endless, 1.0, &slope)) && slope == 0.0);
  assert_true(isinf(capm_friction_square(&endless, 1.0, &slope)) && slope == 0.0);
}

static void test_parameters(void **state)
{
  (void)state;
  double par[CAPM_FRICTION_NPARAM + 1] = {0.0};
  par[CAPM_FRICTION_NPARAM] = 7.0;
  capm_friction_put(&steep, par);
  const capm_friction back = capm_friction_from(par);
  assert_memory_equal(&back, &steep, sizeof back);
  assert_true(par[CAPM_FRICTION_NPARAM] == 7.0);
}

/* What a model file says, as a curve. */
static void test_keys(void **state)
{
  (void)state;
  const capm_friction_keys_pair plain = {.rest = 0.3, .sliding = 0.1, .stribeck = 0.2};
  capm_friction p = capm_friction_keys_of_pair(&plain); /* sliding was not said */
  assert_true(p.mu_static == 0.3 && p.mu_kinetic == 0.3 && p.v_stribeck == 0.2);
  const capm_friction_keys_pair both = {.rest = 0.3, .sliding = 0.1, .sliding_given = true};
  p = capm_friction_keys_of_pair(&both);
  assert_true(p.mu_static == 0.3 && p.mu_kinetic == 0.1);

  const capm_friction_keys_ratio more = {1.5, 0.1}, same = {1.0, 0.1}, less = {0.5, 0.1};
  p = capm_friction_keys_above(&more, 0.4);
  assert_true(p.mu_static == 0.4 * 1.5 && p.mu_kinetic == 0.4 && p.v_stribeck == 0.1);
  p = capm_friction_keys_above(&same, 0.4);
  assert_int_equal(capm_friction_form_of(&p), CAPM_FRICTION_CONSTANT);
  p = capm_friction_keys_below(&less, 0.4);
  assert_true(p.mu_static == 0.4 && p.mu_kinetic == 0.2 && p.v_stribeck == 0.1);

  const capm_friction_keys_law one = {.law = 0, .mu = 0.09, .mu0 = 1.0, .mu1 = 2.0};
  p = capm_friction_keys_of_law(&one);
  assert_true(p.mu_static == 0.09 && p.mu_kinetic == 0.09);
  const capm_friction_keys_law four = {.law = 1, .mu0 = 0.05, .mu1 = 0.06, .mu2 = 5.0, .k = 1.5};
  p = capm_friction_keys_of_law(&four);
  for (int n = 0; n < 20; n++) {
    const double g = 0.05 * n, mu = 0.05 + 0.06 / (1.0 + 5.0 * pow(g, 1.5));
    assert_true(fabs(capm_friction_at(&p, g, NULL) - mu) <= 1e-15);
  }
  const capm_friction_keys_law flat = {.law = 1, .mu0 = 0.05, .mu1 = 0.06, .mu2 = 0.0, .k = 1.5};
  p = capm_friction_keys_of_law(&flat);
  assert_true(capm_friction_at(&p, 100.0, NULL) == 0.05 + 0.06);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways), cmocka_unit_test(test_slopes),
                                     cmocka_unit_test(test_endless), cmocka_unit_test(test_parameters),
                                     cmocka_unit_test(test_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
