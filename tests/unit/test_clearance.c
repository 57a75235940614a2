/* Smoothing functions and clearance laws: derivatives by differences, limits, misprints, energy; the drive's
 * checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elements/elements.h"
#include "io/model_file.h"
#include "laws/clearance.h"
#include "model/builder.h"

static const int kinds[] = {CAPM_SMOOTHING_G1, CAPM_SMOOTHING_G2, CAPM_SMOOTHING_G3, CAPM_SMOOTHING_G4};

/* Both derivatives against central differences, over five decades of sigma x. */
static void test_derivatives(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (double sigma = 10.0; sigma < 1e4; sigma *= 10.0)
      for (double s = -8.0; s <= 8.0; s += 0.0371) {
        double x = s / sigma, h = 1e-5 / sigma, width = 3.0 / sigma;
        if (fabs(fabs(x) - width) < 2 * h) continue; /* the spline's third derivative jumps there */
        capm_smoothing at = capm_smoothing_of(kinds[k], x, sigma, width);
        capm_smoothing up = capm_smoothing_of(kinds[k], x + h, sigma, width);
        capm_smoothing down = capm_smoothing_of(kinds[k], x - h, sigma, width);
        assert_true(fabs((up.g - down.g) / (2 * h) - at.d1) < 1e-9);
        assert_true(fabs((up.d1 - down.d1) / (2 * h) - at.d2) < 1e-8 * sigma);
      }
}

/* The printed second derivatives (4c) and (5c), with a plus, are not the derivatives of (4b) and (5b). */
static void test_misprints(void **state)
{
  (void)state;
  double sigma = 50.0, x = 0.02, t = tanh(sigma * x), s = sigma * x;
  double printed_4c = 2 * (1 - t * t) * sigma + x * (2 * t * (1 - t * t) * sigma * sigma);
  double printed_5c = 4 * sigma / (M_PI * (1 + s * s)) +
                      4 * x * sigma * sigma * sigma * x / (M_PI * pow(1 + s * s, 2));
  assert_true(fabs(printed_4c / capm_smoothing_g1(x, sigma).d2 - 1) > 0.5);
  assert_true(fabs(printed_5c / capm_smoothing_g2(x, sigma).d2 - 1) > 0.5);
  double meant_4c = 2 * (1 - t * t) * sigma - x * (2 * t * (1 - t * t) * sigma * sigma);
  assert_true(fabs(meant_4c / capm_smoothing_g1(x, sigma).d2 - 1) < 1e-12);
}

/* Nothing overflows, and far from the corner all are |x| (g2 keeps its bias -2/(pi sigma)). */
static void test_limits(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (double sigma = 1.0; sigma < 1e13; sigma *= 1e3) {
        capm_smoothing far = capm_smoothing_of(kinds[k], sign * 1e3, sigma, 1.0 / sigma);
        assert_true(isfinite(far.g) && isfinite(far.d1) && isfinite(far.d2));
        double bias = kinds[k] == CAPM_SMOOTHING_G2 ? 2.0 / (M_PI * sigma) : 0.0;
        assert_true(fabs(far.g - (1e3 - bias)) < 1e-6);
        assert_true(fabs(far.d1 - sign) < 1e-3 && fabs(far.d2) < 1e-5);
      }
  double largest = 0.0;
  for (double x = 0; x < 0.1; x += 1e-6) largest = fmax(largest, capm_smoothing_g1(x, 50.0).d1);
  assert_true(fabs(largest - 1.19968) < 1e-5);
}

static void test_integrals(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (double x = -0.3; x < 0.31; x += 0.0173) {
      double h = 1e-5, sigma = 40.0, width = 0.05;
      double slope = (capm_smoothing_integral(kinds[k], x + h, sigma, width) -
                      capm_smoothing_integral(kinds[k], x - h, sigma, width)) /
                     (2 * h);
      assert_true(fabs(slope - capm_smoothing_of(kinds[k], x, sigma, width).g) < 1e-8);
    }
}

static capm_clearance paper_gap(int kind, double alpha)
{
  capm_clearance p = {.kind = kind,
                      .sigma = 100,
                      .width = 0.1745 / 100,
                      .nstage = 2,
                      .at = {-0.1745, 0.1745},
                      .jump = {alpha - 1, 1 - alpha},
                      .h1 = 0.005,
                      .h2 = 0.02,
                      .low = -0.1745,
                      .high = 0.1745};
  capm_clearance_finish(&p, 1.0);
  return p;
}

/* Eq. (1), and three asymmetric stages against the picture of their pieces. */
static void test_piecewise(void **state)
{
  (void)state;
  for (double alpha = 0; alpha < 0.2; alpha += 0.18) {
    capm_clearance p = paper_gap(CAPM_SMOOTHING_ABS, alpha);
    for (double u = -0.5; u < 0.5; u += 0.013) {
      double b = 0.1745, slope;
      double want = u > b ? u - (1 - alpha) * b : u < -b ? u + (1 - alpha) * b : alpha * u;
      assert_true(fabs(capm_clearance_force(&p, u, &slope) - want) < 1e-15);
      assert_true(fabs(slope - (fabs(u) > b ? 1 : alpha)) < 1e-15);
    }
  }
  capm_clearance p = {.nstage = 3, .at = {-0.2, 0.1, 0.4}, .jump = {-2, 1, 5}};
  capm_clearance_finish(&p, 3.0); /* slopes 3, 1, 2, 7 */
  double slope;
  assert_true(fabs(capm_clearance_force(&p, 0.0, &slope)) < 1e-15);
  assert_true(fabs(capm_clearance_force(&p, -0.5, &slope) - (-0.2 - 0.3 * 3)) < 1e-15 && slope == 3);
  assert_true(fabs(capm_clearance_force(&p, 0.5, &slope) - (0.1 + 0.3 * 2 + 0.1 * 7)) < 1e-15 && slope == 7);
}

/* Eq. (3): heights H1 inside the gap and H2 outside; it never feeds energy in. */
static void test_hysteresis(void **state)
{
  (void)state;
  capm_clearance p = paper_gap(CAPM_SMOOTHING_ABS, 0.0);
  double a, b;
  for (double u = -0.4; u < 0.4; u += 0.1) {
    double up = capm_clearance_hysteresis(&p, u, 1.0, &a, &b),
           down = capm_clearance_hysteresis(&p, u, -1.0, &a, &b);
    assert_true(fabs(up - down - (fabs(u) < 0.1745 ? 0.005 : 0.02)) < 1e-16);
    assert_true(up >= 0 && down <= 0);
  }
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    p = paper_gap(kinds[k], 0.0);
    for (double u = -0.3; u < 0.3; u += 0.0137)
      for (double v = -0.05; v < 0.05; v += 0.0073) {
        double h = 1e-7, to_u, to_v, n1, n2;
        capm_clearance_hysteresis(&p, u, v, &to_u, &to_v);
        double du = (capm_clearance_hysteresis(&p, u + h, v, &n1, &n2) -
                     capm_clearance_hysteresis(&p, u - h, v, &n1, &n2)) /
                    (2 * h);
        double dv = (capm_clearance_hysteresis(&p, u, v + h, &n1, &n2) -
                     capm_clearance_hysteresis(&p, u, v - h, &n1, &n2)) /
                    (2 * h);
        /* the spline's second derivative has corners: there differences see half of each side */
        double slack = kinds[k] == CAPM_SMOOTHING_G4 ? 2e-3 : 1e-6;
        assert_true(fabs(du - to_u) < slack && fabs(dv - to_v) < slack);
      }
  }
}

/* The element: one lane and eight give the same bits, tangents are derivatives,
 * energy belongs to the force. */
static cap_model *model_of(int nlane)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_model *m = NULL;
  for (int l = 0; l < nlane; l++) {
    double par[CAP_CLEARANCE_NPARAM];
    capm_clearance p = paper_gap(CAPM_SMOOTHING_G1, 0.18);
    cap_clearance_params(&p, par);
    cap_builder_lane(b, l);
    int i = cap_builder_dof(b, "a", "m", 1.0, 0, 0), j = cap_builder_dof(b, "b", "m", 2.0, 0, 0);
    cap_builder_element(b, &cap_clearance_type, "clearance", i, j, par, NULL);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  return m;
}

static void evaluate(const cap_model *m, const double *y, const double *dy, double *ydot, double *dydot,
                     double *power, double *stored)
{
  double t[8] = {0}, h[16], dh[16 * 4];
  cap_eval e = {.nlane = m->nlane, .ncol = dy ? 4 : 0, .t = t, .h = h, .dh = dh, .power = power};
  cap_model_derivative(m, &e, y, dy, ydot, dydot);
  e.q = y;
  e.v = y + 2 * m->nlane;
  cap_model_energy(m, &e, stored);
}

static void test_element(void **state)
{
  (void)state;
  cap_model *one = model_of(1), *eight = model_of(8);
  double y[4] = {0.31, 0.13, 0.02, -0.05}, unit[16] = {0}, ydot[4], dydot[16], power[8], stored[8];
  double wide[32], wide_dot[32], wide_power[8], wide_stored[8];
  for (int i = 0; i < 4; i++) unit[5 * i] = 1.0;
  for (int i = 0; i < 32; i++) wide[i] = y[i / 8];
  evaluate(one, y, unit, ydot, dydot, power, stored);
  evaluate(eight, wide, NULL, wide_dot, NULL, wide_power, wide_stored);
  for (int i = 0; i < 32; i++) assert_true(wide_dot[i] == ydot[i / 8]);
  assert_true(wide_stored[3] == stored[0] && wide_power[5] == power[0]);
  for (int c = 0; c < 4; c++) {
    double h = 1e-6, up[4], down[4], none[8], at[4];
    memcpy(at, y, sizeof at);
    at[c] += h;
    evaluate(one, at, NULL, up, NULL, none, stored);
    at[c] -= 2 * h;
    evaluate(one, at, NULL, down, NULL, none, stored);
    for (int r = 0; r < 4; r++) assert_true(fabs((up[r] - down[r]) / (2 * h) - dydot[4 * r + c]) < 1e-6);
  }
  double h = 1e-6, ahead[4], behind[4], none[4], after[8], before[8];
  for (int i = 0; i < 4; i++) {
    ahead[i] = y[i] + h * ydot[i];
    behind[i] = y[i] - h * ydot[i];
  }
  evaluate(one, ahead, NULL, none, NULL, power, after);
  evaluate(one, behind, NULL, none, NULL, power, before);
  evaluate(one, y, NULL, none, NULL, power, stored);
  assert_true(fabs((after[0] - before[0]) / (2 * h) + power[0]) < 1e-9); /* dE/dt = -loss */
  cap_model_free(one);
  cap_model_free(eight);
}

static const char model[] =
    "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
    "bodies: [{name: a, mass: 1 kg}, {name: a, mass: 1 kg}]\n"
    "springs: [{from: b, damping: 1 N s/m}, {from: a, to: a}]\n"
    "clearances:\n  - gap: {from: a, stiffness: 1 N/m, low: 0.2 m, high: 0.1 m}\n"
    "  - stages: {from: a, left: 1 N/m, stages: [{at: 1 m, stiffness: 0 N/m}, {at: 1 m, "
    "stiffness: 2 N/m}]}\n"
    "loads: [{on: ground, mean: 1 N}]\nforcing: {angular_frequency: 1 rad/s}\n";

static void test_drive_checks(void **state)
{
  (void)state;
  static const char *const expected[] = {
      "t.yaml:4:40: bodies[1].name: duplicate name; expected unique names of bodies, got \"a\" twice",
      "springs[0].from: unknown body; expected the name of a body, got \"b\"",
      "springs[1].to: expected two different bodies, got \"a\" twice",
      "clearances[0].gap.high: expected an edge above the lower one (0.2 m), got 0.1 m",
      ("clearances[1].stages.stages[1].at: "
       "expected a deflection above that of the stage before (1 m), got 1 m"),
      "loads[0].on: expected a body, got the ground"};
  static cap_diag diag;
  cap_model_file *file = NULL;
  assert_int_equal(cap_model_file_parse("t.yaml", model, strlen(model), 0, NULL, &file, &diag),
                   CAP_ERR_INPUT);
  const char *text = cap_diag_text(&diag);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    if (!strstr(text, expected[k])) fail_msg("missing: %s\nin:\n%s", expected[k], text);
  cap_diag_free(&diag);
  cap_model_file_free(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_misprints),
                                     cmocka_unit_test(test_limits),      cmocka_unit_test(test_integrals),
                                     cmocka_unit_test(test_piecewise),   cmocka_unit_test(test_hysteresis),
                                     cmocka_unit_test(test_element),     cmocka_unit_test(test_drive_checks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
