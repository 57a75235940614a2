/* Sessions: a drive whose crank a host turns, coupled at communication points, against one model of all:
 * the order of convergence in the time between the points. The linear form about a state, against
 * differences and modes. */
#include "capstan/capstan.h"
#include "linalg/eigen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const drive[] = {"examples/two_pulley.yaml"};
static const char accurate[] = "analyses=[{transient: {until: 1 s, method: radau, tolerance: 1e-11}}]";

static const double flywheel = 2.0, own_inertia = 0.25, torque = 60.0, start_speed = 12.0;

static capstan_session *start(int nsetting, const char *const *settings, capstan_model **model)
{
  capstan_session *session;
  if (capstan_open(drive[0], nsetting, settings, model)) fail_msg("%s", capstan_message(*model));
  if (capstan_start(*model, NULL, &session)) fail_msg("%s", capstan_session_message(session));
  return session;
}

static double output(capstan_model *model, capstan_session *session, const char *name)
{
  double value;
  int index = capstan_find(model, CAPSTAN_OUTPUT, name);
  assert_true(index >= 0);
  assert_int_equal(capstan_output(session, 1, &index, &value), CAPSTAN_OK);
  return value;
}

/* Speed of the driven pulley at 0.5 s, where the crank rotates freely with all of the inertia. */
static double of_one_model(void)
{
  static const char *const settings[] = {accurate, "crank.prescribed=false",
                                         "crank.torque={input: torque, start: 47.617 N m}",
                                         "pulleys[0].inertia=2.25 kg m2"};
  capstan_model *model;
  capstan_session *session = start(4, settings, &model);
  int input = capstan_find(model, CAPSTAN_INPUT, "torque");
  assert_int_equal(capstan_input(session, 1, &input, &torque, NULL), CAPSTAN_OK);
  assert_int_equal(capstan_step(session, 0.5, NULL), CAPSTAN_OK);
  double speed = output(model, session, "pulley.driven.speed");
  capstan_end(session);
  capstan_close(model);
  return speed;
}

/* The host's flywheel takes the belt's torque at the points, held over a step, or extrapolated from the
 * last two. */
static double of_two(int steps, bool extrapolated)
{
  static const char *const settings[] = {accurate, "crank.speed={input: speed, start: 12 rad/s}"};
  capstan_model *model;
  capstan_session *session = start(2, settings, &model);
  int input = capstan_find(model, CAPSTAN_INPUT, "speed");
  double h = 0.5 / steps, speed = start_speed, before = NAN;
  for (int k = 0; k < steps; k++) {
    double now = output(model, session, "pulley.driver.torque");
    double belt = extrapolated && k > 0 ? 1.5 * now - 0.5 * before : now;
    double rate = (torque + belt) / (flywheel + own_inertia);
    before = now;
    assert_int_equal(capstan_input(session, 1, &input, &speed, &rate), CAPSTAN_OK);
    assert_int_equal(capstan_step(session, (k + 1) * h, NULL), CAPSTAN_OK);
    speed += rate * h;
  }
  double driven = output(model, session, "pulley.driven.speed");
  capstan_end(session);
  capstan_close(model);
  return driven;
}

static void check_order(double reference, bool extrapolated, double expected)
{
  double coarse = fabs(of_two(200, extrapolated) - reference),
         fine = fabs(of_two(400, extrapolated) - reference);
  double order = log2(coarse / fine);
  print_message("%s: %.2e at 2.5 ms, %.2e at 1.25 ms: order %.2f\n", extrapolated ? "extrapolated" : "held",
                coarse, fine, order);
  assert_true(fabs(order - expected) < 0.2);
}

static void a_flywheel_of_the_host_is_that_of_the_model(void **state)
{
  (void)state;
  double reference = of_one_model();
  check_order(reference, false, 1.0);
  check_order(reference, true, 2.0);
  assert_true(fabs(of_two(800, true) - reference) < 1e-5 * reference);
}

/* ---- linear form --------------------------------------------------------------------------------------- */

/* (f(y + e) - f(y - e)) / 2e of all states, by saved states that are changed: y is the session's own. */
static void differences(capstan_session *session, int n, double *A)
{
  double *below = calloc((size_t)n, sizeof *below), *above = calloc((size_t)n, sizeof *above);
  double *y = (double *)(uintptr_t)capstan_states(session);
  for (int k = 0; k < n; k++) {
    double kept = y[k], step = 1e-6 * fmax(fabs(kept), 1e-2);
    y[k] = kept - step;
    assert_int_equal(capstan_derivative(session, below), CAPSTAN_OK);
    y[k] = kept + step;
    assert_int_equal(capstan_derivative(session, above), CAPSTAN_OK);
    y[k] = kept;
    for (int row = 0; row < n; row++) A[row * n + k] = (above[row] - below[row]) / (2.0 * step);
  }
  free(below);
  free(above);
}

static double largest(int n, const double *values)
{
  double most = 0.0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(values[k]));
  return most;
}

/* An imposed velocity is no state: its column is 0, while differences see what it does. Returns how many
 * there are. */
static int leave_imposed(int n, const double *A, double *D)
{
  int imposed = 0;
  for (int col = 0; col < n; col++) {
    double own = 0.0, other = 0.0;
    for (int row = 0; row < n; row++) own += fabs(A[row * n + col]), other += fabs(D[row * n + col]);
    if (own > 0.0 || other == 0.0) continue;
    imposed++;
    for (int row = 0; row < n; row++) D[row * n + col] = 0.0;
  }
  return imposed;
}

/* Row by row, each relative to its largest value. */
static double misfit(int n, const double *A, const double *B)
{
  double worst = 0.0;
  for (int row = 0; row < n; row++) {
    double size = largest(n, B + row * n);
    for (int col = 0; col < n; col++)
      if (size > 0.0) worst = fmax(worst, fabs(A[row * n + col] - B[row * n + col]) / size);
  }
  return worst;
}

static void the_linear_form_is_that_of_differences(void **state)
{
  (void)state;
  static const struct {
    const char *path;
    int imposed; /* coordinates whose motion is */
  } subjects[] = {{"examples/two_pulley.yaml", 1},         {"examples/accessory_drive.yaml", 1},
                  {"examples/tensioner_rig_dahl.yaml", 1}, {"examples/clearance_oscillator.yaml", 0},
                  {"examples/ring_free.yaml", 0},          {"examples/hydraulic_tensioner.yaml", 1},
                  {"examples/compliant_hub.yaml", 1}};
  for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
    const char *path = subjects[k].path;
    capstan_model *model;
    capstan_session *session;
    if (capstan_open(path, 0, NULL, &model)) fail_msg("%s", capstan_message(model));
    if (capstan_start(model, NULL, &session)) fail_msg("%s", capstan_session_message(session));
    assert_int_equal(capstan_step(session, capstan_time(session) + 2e-3, NULL), CAPSTAN_OK);
    int n = capstan_variables(model, CAPSTAN_STATE, NULL);
    double *A = calloc((size_t)n * (size_t)n, sizeof *A), *D = calloc((size_t)n * (size_t)n, sizeof *D);
    if (capstan_linearise(session, 0, NULL, A, NULL, NULL, NULL))
      fail_msg("%s: %s", path, capstan_session_message(session));
    differences(session, n, D);
    assert_int_equal(leave_imposed(n, A, D), subjects[k].imposed);
    double worst = misfit(n, A, D);
    print_message("%s: A of %d states differs from differences by %.1e\n", path, n, worst);
    assert_true(worst < 1e-5);
    free(A);
    free(D);
    capstan_end(session);
    capstan_close(model);
  }
}

/* ---- eigenvalues are modes ----------------------------------------------------------------------------- */

static const double *column(capstan_results *results, const char *name, size_t *n)
{
  const capstan_group *groups;
  int ngroup = capstan_results_groups(results, &groups);
  for (int g = 0; g < ngroup; g++)
    for (int k = 0; strcmp(groups[g].analysis, "modes") == 0 && k < groups[g].narray; k++)
      if (strcmp(groups[g].arrays[k].name, name) == 0) {
        *n = groups[g].arrays[k].count;
        return capstan_results_values(results, g, k);
      }
  fail_msg("no %s in the results", name);
  return NULL;
}

/* The eigenvalue next to one that the modes have: frequency and damping, relative to the frequency. */
static double distance(int n, const double *re, const double *im, double frequency, double ratio)
{
  double least = INFINITY, wr = -ratio * frequency, wi = frequency * sqrt(fmax(0.0, 1.0 - ratio * ratio));
  for (int k = 0; k < n; k++) least = fmin(least, hypot(re[k] - wr, fabs(im[k]) - wi));
  return least / frequency;
}

static void eigenvalues_are_modes(void **state)
{
  (void)state;
  /* without inner states, which modes let follow and the linear form has as they are */
  static const char *const paths[] = {"examples/clearance_oscillator.yaml", "examples/ring_free.yaml",
                                      "examples/belt_tensioner_mass.yaml"};
  static const char *const settings[] = {"analyses=[{modes: {}}]",
                                         "tensioner={law: linear, k0: 2.34e5 N/m, c: 193 N s/m}"};
  for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
    capstan_model *model;
    capstan_session *session;
    capstan_results *results;
    size_t nmode, nratio;
    if (capstan_open(paths[p], p == 2 ? 2 : 1, settings, &model)) fail_msg("%s", capstan_message(model));
    if (capstan_run_memory(model, NULL, &results)) fail_msg("%s", capstan_message(model));
    if (capstan_start(model, NULL, &session)) fail_msg("%s", capstan_session_message(session));
    const double *frequency = column(results, "damped.angular_frequency", &nmode),
                 *ratio = column(results, "damped.ratio", &nratio);
    int n = capstan_variables(model, CAPSTAN_STATE, NULL);
    double *A = calloc((size_t)n * (size_t)n, sizeof *A), *re = calloc((size_t)n, sizeof *re),
           *im = calloc((size_t)n, sizeof *im), *work = calloc(capm_eigen_general_work(n), sizeof *work);
    assert_int_equal(capstan_linearise(session, 0, NULL, A, NULL, NULL, NULL), CAPSTAN_OK);
    assert_int_equal(capm_eigen_general(n, A, re, im, NULL, work), CAP_OK);
    double worst = 0.0;
    for (size_t k = 0; k < nmode; k++)
      if (frequency[k] > 1.0) worst = fmax(worst, distance(n, re, im, frequency[k], ratio[k]));
    print_message("%s: eigenvalues differ from %zu modes by %.1e\n", paths[p], nmode, worst);
    assert_true(nmode > 0 && nmode == nratio && worst < 1e-7);
    free(A), free(re), free(im), free(work);
    capstan_end(session);
    capstan_results_close(results);
    capstan_close(model);
  }
}

/* ---- inputs and outputs -------------------------------------------------------------------------------- */

enum { NOUTPUT = 3 };

/* What a nudged input does to derivatives and outputs at once. */
static void nudge_input(capstan_session *session, int n, const int *outputs, double at, double by,
                        double *slope, double *y)
{
  int input = 0;
  double value = at + by;
  assert_int_equal(capstan_input(session, 1, &input, &value, NULL), CAPSTAN_OK);
  assert_int_equal(capstan_derivative(session, slope), CAPSTAN_OK);
  assert_int_equal(capstan_output(session, NOUTPUT, outputs, y), CAPSTAN_OK);
  (void)n;
}

static void compare_input(const char *input, const char *const *names)
{
  const char *const settings[] = {accurate, input};
  capstan_model *model;
  capstan_session *session = start(2, settings, &model);
  int n = capstan_variables(model, CAPSTAN_STATE, NULL), outputs[NOUTPUT];
  const capstan_variable *inputs;
  assert_int_equal(capstan_variables(model, CAPSTAN_INPUT, &inputs), 1);
  for (int k = 0; k < NOUTPUT; k++) {
    outputs[k] = capstan_find(model, CAPSTAN_OUTPUT, names[k]);
    assert_true(outputs[k] >= 0);
  }
  double *B = calloc((size_t)n, sizeof *B), D[NOUTPUT], below[NOUTPUT], above[NOUTPUT], at = inputs[0].start,
         step = 1e-4 * fmax(fabs(at), 1.0);
  double *less = calloc((size_t)n, sizeof *less), *more = calloc((size_t)n, sizeof *more);
  if (capstan_linearise(session, NOUTPUT, outputs, NULL, B, NULL, D))
    fail_msg("%s", capstan_session_message(session));
  nudge_input(session, n, outputs, at, -step, less, below);
  nudge_input(session, n, outputs, at, step, more, above);
  double size = 0.0, worst = 0.0;
  for (int k = 0; k < n; k++) size = fmax(size, fabs(B[k]));
  for (int k = 0; k < n; k++) worst = fmax(worst, fabs((more[k] - less[k]) / (2.0 * step) - B[k]) / size);
  for (int k = 0; k < NOUTPUT; k++) {
    double slope = (above[k] - below[k]) / (2.0 * step);
    worst = fmax(worst, fabs(slope - D[k]) / fmax(fabs(slope), 1.0));
  }
  print_message("%s: B and D differ from differences by %.1e\n", input, worst);
  assert_true(size > 0.0 && worst < 1e-7);
  free(B), free(less), free(more);
  capstan_end(session);
  capstan_close(model);
}

static void inputs_enter_the_linear_form(void **state)
{
  (void)state;
  static const char *const names[NOUTPUT] = {"span.driver.tension", "pulley.driven.torque",
                                             "pulley.driver.speed"};
  compare_input("crank.speed={input: speed, start: 12 rad/s}", names);
  compare_input("pulleys[1].load.torque_over_time={input: brake, start: 2 N m}", names);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flywheel_of_the_host_is_that_of_the_model),
      cmocka_unit_test(the_linear_form_is_that_of_differences),
      cmocka_unit_test(eigenvalues_are_modes),
      cmocka_unit_test(inputs_enter_the_linear_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
