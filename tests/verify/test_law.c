/* The analysis `law`: the tabulated force and its derivatives are those of the law, and what cannot be
 * tabulated is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"
#include "laws/clearance.h"

#include "../support/run.h"

#define MODEL(smoothing, law)                                                                                \
  "capstan: 1\n"                                                                                             \
  "drive: clearance-oscillator\n"                                                                            \
  "bodies: [{name: gear, mass: 1 kg}]\n"                                                                     \
  "clearances:\n"                                                                                            \
  "  - gap: {from: gear, stiffness: 2 N/m, inner: 0.25, low: -0.1 m, high: 0.2 m, smoothing: " smoothing     \
  ", sigma: 30, H1: 0.1 N, H2: 0.3 N}\n"                                                                     \
  "forcing: {angular_frequency: 1 rad/s}\n"                                                                  \
  "analyses: [{law: {element: clearance, " law "}}]\n"

static const char *const names[5] = {"deflection", "velocity", "force", "stiffness", "damping"};

static void read_columns(const char *text, double *column[5], int64_t *count)
{
  test_result r = test_result_run(text);
  for (int k = 0; k < 5; k++) column[k] = test_values(&r, "law", names[k], count);
  test_result_close(&r);
}

static void free_columns(double *column[5])
{
  for (int k = 0; k < 5; k++) free(column[k]);
}

static void test_there_and_back(void **state)
{
  (void)state;
  double *c[5];
  int64_t n;
  read_columns(MODEL("g1", "from: -0.3 m, to: 0.4 m, points: 351, rate: 0.02 m/s"), c, &n);
  assert_int_equal(n, 702);
  capm_clearance p = {.kind = CAPM_SMOOTHING_G1,
                      .sigma = 30,
                      .nstage = 2,
                      .at = {-0.1, 0.2},
                      .jump = {-1.5, 1.5},
                      .h1 = 0.1,
                      .h2 = 0.3,
                      .low = -0.1,
                      .high = 0.2};
  capm_clearance_finish(&p, 2);
  for (int64_t i = 0; i < n; i++) {
    double stiffness, to_u, damping, u = c[0][i], v = c[1][i];
    assert_true(v == (i < 351 ? 0.02 : -0.02));
    double force = capm_clearance_force(&p, u, &stiffness);
    force += capm_clearance_hysteresis(&p, u, v, &to_u, &damping);
    assert_true(fabs(c[2][i] - force) < 1e-14);
    assert_true(fabs(c[3][i] - stiffness - to_u) < 1e-12);
    assert_true(fabs(c[4][i] - damping) < 1e-12);
  }
  assert_true(c[0][0] == -0.3 && c[0][350] == 0.4 && c[0][351] == 0.4 && c[0][701] == -0.3);
  /* far outside the loop is H2 high, times the smoothed sign of the velocity */
  double sign = capm_smoothing_g1(0.02, 30).d1;
  assert_true(fabs(c[2][0] - c[2][701] - 0.3 * sign) < 1e-3);
  free_columns(c);
}

static void test_derivatives_by_differences(void **state)
{
  (void)state;
  static const char *const models[] = {MODEL("g1", "from: 0.1 m, to: 0.3 m, points: 20001"),
                                       MODEL("g2", "from: 0.1 m, to: 0.3 m, points: 20001"),
                                       MODEL("g3", "from: 0.1 m, to: 0.3 m, points: 20001"),
                                       MODEL("g4", "from: 0.1 m, to: 0.3 m, points: 20001")};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    double *c[5], worst = 0;
    int64_t n;
    read_columns(models[m], c, &n);
    assert_int_equal(n, 20001);
    for (int64_t i = 1; i + 1 < n; i++)
      worst = fmax(worst, fabs((c[2][i + 1] - c[2][i - 1]) / 2e-5 - c[3][i]));
    print_message("  g%d: stiffness differs from the differences of the force by %.2g N/m\n", (int)m + 1,
                  worst);
    assert_true(worst <
                (m == 3 ? 2e-2 : 1e-6)); /* the second derivative of g4, in the hysteresis, has corners */
    free_columns(c);
  }
}

#define SEGMENTS(law)                                                                                        \
  "capstan: 1\ndrive: accessory-drive\nbelt: {kind: flat, length: 1200 mm, length_is: pitch, stiffness: "    \
  "120 "                                                                                                     \
  "kN, bending: 4.8e-3 N m2, mass: 0.111 kg/m, model: segments, segments: 120}\npulleys:\n"                  \
  "  - {name: a, at: [0 mm, 0 mm], diameter: 100 mm, diameter_is: pitch, inertia: 1e-3 kg m2}\n"             \
  "  - {name: b, at: [444.67 mm, 0 mm], diameter: 100 mm, diameter_is: pitch, inertia: 1e-3 kg m2}\n"        \
  "crank: {pulley: a, speed: 100 rpm}\nanalyses: [{law: {" law "}}]\n"

/* A segment of 10 mm: bar, beam, and what its force adds. */
static void test_beam(void **state)
{
  (void)state;
  const double EA = 120e3, EI = 4.8e-3, l = 0.01;
  test_result r = test_result_run(SEGMENTS("element: \"segment[7]\", from: -1e-5 m, to: 5e-5 m, points: 7"));
  int64_t n;
  double *u = test_values(&r, "law", "deflection", &n), *force = test_values(&r, "law", "force", NULL);
  double *along = test_values(&r, "law", "stiffness", NULL), *across = test_values(&r, "law", "across", NULL);
  double *coupling = test_values(&r, "law", "coupling", NULL),
         *turning = test_values(&r, "law", "turning", NULL);
  assert_int_equal(n, 7);
  for (int k = 0; k < n; k++) {
    double P = EA * u[k] / l, L = l + u[k];
    assert_true(fabs(force[k] - P) < 1e-9 * EA * 5e-3);
    assert_true(fabs(along[k] / (EA / l) - 1.0) < 1e-12);
    assert_true(fabs(turning[k] / (4.0 * EI / l + 2.0 * P * L / 15.0) - 1.0) < 1e-9);
    /* Over the chord L: the moments of both ends, and the tension that turns with it. */
    assert_true(fabs(coupling[k] / -((6.0 * EI / l + P * L / 10.0) / L) - 1.0) < 1e-9);
    assert_true(fabs(across[k] / ((12.0 * EI / l + P * L / 5.0) / (L * L) + P / L) - 1.0) < 1e-9);
  }
  free(u), free(force), free(along), free(across), free(coupling), free(turning);
  test_result_close(&r);
}

static void test_refusals(void **state)
{
  (void)state;
  static const struct {
    const char *model, *told;
  } cases[] = {
      {MODEL("g1", "from: 0 m, to: 0 m"), "expected a final deflection"},
      {"capstan: 1\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg}]\nforcing: "
       "{angular_frequency: 1 "
       "rad/s}\n"
       "springs: [{from: gear, stiffness: 1 N/m}]\nanalyses: [{law: {element: gap, from: 0 m, to: 1 m}}]\n",
       "unknown force element; expected one of this model, got \"gap\"; the model has spring"},
      {"capstan: 1\ndrive: accessory-drive\nbelt: {kind: flat, length: 1260 mm, stiffness: 50 kN, bending: 0 "
       "N "
       "m2, mass: 0.1 kg/m}\npulleys:\n"
       "  - {name: a, at: [0 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
       "  - {name: b, at: [320 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
       "crank: {pulley: a, speed: 1000 rpm}\nanalyses: [{law: {element: span.a, from: 0 m, to: 1 mm}}]\n",
       "which has several"},
      {SEGMENTS("element: segment.0, from: -6 mm, to: 0 m"), "expected a shortening below half the length"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cap_diag diag;
    cap_model_file *file = NULL;
    cap_error error = {0};
    const char *text = cases[k].model;
    assert_int_equal(cap_model_file_parse("t.yaml", text, strlen(text), 0, NULL, &file, &diag), CAP_OK);
    assert_int_equal(cap_execute_check(file, NULL, &diag, &error), CAP_ERR_INPUT);
    if (!strstr(cap_diag_text(&diag), cases[k].told)) fail_msg("%s", cap_diag_text(&diag));
    cap_diag_free(&diag);
    cap_model_file_free(file);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_derivatives_by_differences),
      cmocka_unit_test(test_beam),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
