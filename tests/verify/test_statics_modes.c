/* Equilibria and modes of the belt-tensioner-mass system against closed forms. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"
#include "analysis/statics/equilibrium.h"

static const double M1 = 73.84, M2 = 0.15, K = 560e3, G = 9.81, K0 = 2.34e5, KS = 4.84e5, ALPHA = 163,
                    F0 = -573;

static double weight(void)
{
  return (M1 + M2) * G;
}

static void find(test_system *s, cap_equilibrium *found)
{
  cap_error error = {0};
  if (cap_equilibrium_find(s->m, s->d, 1e-12, 100, found, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_true(s->d->v[0] == 0.0 && s->d->v[1] == 0.0);
}

static void the_weight_hangs_in_a_linear_spring(void **state)
{
  (void)state;
  test_system s = test_system_open(TEST_BELT
                                   "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N}\n" TEST_ANY);
  cap_equilibrium found;
  find(&s, &found);
  double u2 = (weight() + F0) / K0, u1 = u2 + M1 * G / K;
  assert_true(fabs(s.d->q[1] / u2 - 1.0) < 1e-11);
  assert_true(fabs(s.d->q[0] / u1 - 1.0) < 1e-11);
  assert_true(found.iterations <= 2);
  assert_true(fabs(test_value(&s, "belt.tension") - M1 * G) < 1e-8);
  test_system_close(&s);
}

/* Loading from w0 = 0: the slider sticks up to alpha and then slips. */
static void the_weight_hangs_in_masings_law(void **state)
{
  (void)state;
  const double gravities[] = {G, 12.5, 20.0, 5.0, -3.0};
  for (int k = 0; k < 5; k++) {
    char setting[64];
    const char *settings[] = {setting};
    snprintf(setting, sizeof setting, "gravity=%.17g m/s2", gravities[k]);
    test_system s = test_system_with(TEST_BELT TEST_MASING TEST_ANY, 1, settings);
    cap_equilibrium found;
    find(&s, &found);
    double force = (M1 + M2) * gravities[k] + F0, stuck = force / (K0 + KS);
    double limit = ALPHA / KS, w = fmin(fmax(stuck, -limit), limit);
    double u2 = (force - KS * w) / K0, u1 = u2 + M1 * gravities[k] / K;
    if (!(fabs(s.d->q[1] - u2) < 1e-11 * fabs(u2) + 1e-15))
      fail_msg("g = %g: pulley at %.12g, expected %.12g", gravities[k], s.d->q[1], u2);
    assert_true(fabs(s.d->q[0] - u1) < 1e-10 * fabs(u1) + 1e-14);
    assert_true(fabs(s.d->x[0] - KS * w) < 1e-8);
    test_system_close(&s);
  }
}

/* A slow ramp of the load by the exact stepper ends where statics does. */
static void statics_is_the_end_of_slow_loading(void **state)
{
  (void)state;
  const char *settings[] = {"load.amplitude=0 N", "load.mean=300 N", "tensioner.c=1e6 N s/m",
                            "belt.damping=2e4 N s/m"}; /* creeps there without swinging over */
  test_system s = test_system_with(TEST_BELT TEST_MASING TEST_ANY, 4, settings);
  test_system t = test_system_with(TEST_BELT TEST_MASING TEST_ANY, 4, settings);
  cap_equilibrium found;
  find(&s, &found);
  test_run(&t, &cap_propagate_type, 1, 60.0);
  print_message("  pulley at %.9f mm, after a slow run %.9f mm\n", 1e3 * s.d->q[1], 1e3 * t.d->q[1]);
  for (int i = 0; i < 2; i++) assert_true(fabs(s.d->q[i] - t.d->q[i]) < 1e-9);
  assert_true(fabs(s.d->x[0] - t.d->x[0]) < 1e-6);
  test_system_close(&s);
  test_system_close(&t);
}

/* Dahl's law: the path from the start to the point where it carries the weight, integrated by fine steps
 * of its own differential equation. */
static void the_weight_hangs_in_dahls_law(void **state)
{
  (void)state;
  test_system s = test_system_open(TEST_BELT TEST_DAHL TEST_ANY);
  cap_equilibrium found;
  find(&s, &found);
  double u = s.d->q[1], force = 0.5 * (959.6 + 397.2), target = weight();
  assert_true(fabs(s.d->x[0] - target) < 1e-8);
  assert_true(fabs(s.d->q[0] - u - M1 * G / K) < 1e-13);
  enum { STEPS = 200000 };
  double h = u / STEPS, at = 0.0;
  assert_true(u > 0.0);             /* 726 N is above the middle: it moves down, along the upper envelope */
  for (int k = 0; k < STEPS; k++) { /* the classical Runge-Kutta method in u */
    double y = force, slope[4];
    for (int i = 0; i < 4; i++) {
      double x = at + h * (i == 0 ? 0.0 : i == 3 ? 1.0 : 0.5), gap = 7.146e4 * x + 959.6 - y;
      slope[i] = 117355 * copysign(pow(fabs(gap), 0.37), gap);
      y = force + h * slope[i] * (i == 2 ? 1.0 : 0.5);
    }
    force += h / 6.0 * (slope[0] + 2.0 * slope[1] + 2.0 * slope[2] + slope[3]);
    at += h;
  }
  print_message("  Dahl: %.9f mm, force along the path %.9f N, weight %.9f N\n", 1e3 * u, force, target);
  assert_true(fabs(force - target) < 1e-6);
  test_system_close(&s);
}

/* A gear that starts within its backlash is pushed to the flank by its load, either way. */
static void what_floats_in_a_gap_goes_where_its_load_takes_it(void **state)
{
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    char setting[64];
    const char *settings[] = {setting};
    snprintf(setting, sizeof setting, "loads[0].mean=%d N", 800 * sign);
    test_system s = test_system_with(
        "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
        "bodies: [{name: pinion, mass: 0.6 kg}, {name: wheel, mass: 2.4 kg}]\n"
        "springs: [{from: wheel, stiffness: 2 MN/m}]\n"
        "clearances: [{gap: {from: pinion, to: wheel, stiffness: 200 MN/m, low: -50 um, high: 50 um}}]\n"
        "loads: [{on: pinion, mean: 800 N}]\nforcing: {angular_frequency: 1 rad/s}\n" TEST_ANY,
        1, settings);
    cap_equilibrium found;
    find(&s, &found);
    assert_true(fabs(sign * s.d->q[1] - 400e-6) < 1e-12);
    assert_true(fabs(sign * s.d->q[0] - 454e-6) < 1e-12);
    test_system_close(&s);
  }
}

static void a_body_that_nothing_holds_is_refused(void **state)
{
  (void)state;
  test_system s = test_system_open(TEST_BELT "tensioner: {law: linear, k0: 0 N/m}\n" TEST_ANY);
  cap_equilibrium found;
  cap_error error = {0};
  assert_int_equal(cap_equilibrium_find(s.m, s.d, 1e-10, 100, &found, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "singular"));
  test_system_close(&s);
}

/* ---- modes --------------------------------------------------------------------------------------------- */

/* Squared angular frequencies of the undamped system, from its characteristic polynomial. */
static void undamped(double tensioner, double w[2])
{
  double a = M1 * M2, b = -(M1 * (K + tensioner) + M2 * K), c = K * tensioner;
  double root = sqrt(b * b - 4.0 * a * c);
  w[0] = sqrt(2.0 * c / (-b + root));
  w[1] = sqrt((-b + root) / (2.0 * a));
}

static void modes_of_stuck_and_sliding_friction(void **state)
{
  (void)state;
  test_result r = test_result_run(TEST_BELT TEST_MASING
                                  "analyses: [{statics: {}}, {modes: {friction: stuck}}, {modes: {friction: "
                                  "sliding}}]\n");
  const char *groups[] = {"modes", "modes-2"};
  const double tensioner[] = {K0 + KS, K0}, reference[] = {65.27, 47.28};
  for (int k = 0; k < 2; k++) {
    double w[2], *angular_frequency, *shape, *damped;
    int64_t n;
    undamped(tensioner[k], w);
    angular_frequency = test_values(&r, groups[k], "angular_frequency", &n);
    assert_true(n == 2);
    print_message("  %-8s %.4f and %.3f rad/s undamped\n", k ? "sliding" : "stuck", angular_frequency[0],
                  angular_frequency[1]);
    /* the reference leaves the small pulley out: both springs in series carry the mass alone */
    double alone = sqrt(K * tensioner[k] / (K + tensioner[k]) / M1);
    assert_true(fabs(alone - reference[k]) < 0.005);
    assert_true(angular_frequency[0] < alone && angular_frequency[0] > alone * (1.0 - M2 / M1));
    for (int i = 0; i < 2; i++) assert_true(fabs(angular_frequency[i] / w[i] - 1.0) < 1e-10);
    shape = test_values(&r, groups[k], "shape", &n); /* K x = w^2 M x, x M x = 1 */
    for (int i = 0; i < 2; i++) {
      double x1 = shape[i], x2 = shape[2 + i], w2 = w[i] * w[i];
      assert_true(fabs(M1 * x1 * x1 + M2 * x2 * x2 - 1.0) < 1e-10);
      assert_true(fabs(K * (x1 - x2) - w2 * M1 * x1) < 1e-8 * K);
    }
    /* every damped eigenvalue is a root of the characteristic polynomial */
    double *ratio = test_values(&r, groups[k], "damped.ratio", &n);
    damped = test_values(&r, groups[k], "damped.angular_frequency", &n);
    double c0 = 1.93e4 * 9.4 / 60.0;
    for (int i = 0; i < n; i++) {
      double over = fmax(0.0, 1.0 - ratio[i] * ratio[i]);
      double complex p = damped[i] * (-ratio[i] + I * sqrt(over));
      double complex belt = K + 160.0 * p, pulley = M2 * p * p + belt + tensioner[k] + c0 * p;
      double complex value = (M1 * p * p + belt) * pulley - belt * belt;
      double size = cabs(M1 * p * p + belt) * cabs(pulley) + cabs(belt * belt);
      if (!(cabs(value) < 1e-9 * size))
        fail_msg("%s: damped eigenvalue %d (%.6g rad/s, ratio %.6g) is no root", groups[k], i, damped[i],
                 ratio[i]);
    }
    free(angular_frequency);
    free(shape);
    free(damped);
    free(ratio);
  }
  test_result_close(&r);
}

/* ---- linear response ----------------------------------------------------------------------------------- */

/* |T| over f1 of the linear system with the damper of (29), by complex amplitudes. */
static double gain(double tensioner, double w)
{
  double complex p = I * w, belt = K + 160.0 * p;
  double complex pulley = M2 * p * p + belt + tensioner + 1.93e4 * 9.4 / w * p, mass = M1 * p * p + belt;
  /* mass u1 - belt u2 = 1, -belt u1 + pulley u2 = 0, T = belt (u1 - u2) */
  double complex u2 = belt / (mass * pulley - belt * belt), u1 = u2 * pulley / belt;
  return cabs(belt * (u1 - u2));
}

static void peak(double tensioner, double *w, double *range)
{
  double low = 20.0, high = 110.0;
  for (int k = 0; k < 200; k++) { /* golden section; one peak */
    double a = low + 0.381966011250105 * (high - low), b = high - 0.381966011250105 * (high - low);
    if (gain(tensioner, a) < gain(tensioner, b)) low = a;
    else high = b;
  }
  *w = 0.5 * (low + high);
  *range = 2.0 * gain(tensioner, *w);
}

/* The program's own response of a stuck tensioner (a small load), and of one without friction,
 * peaks there. */
static void response_peaks_of_the_linear_limits(void **state)
{
  (void)state;
  const double tensioner[] = {K0 + KS, K0}, angular_frequency[] = {65.67, 49.84}, over_f1[] = {17.085, 4.693};
  const char *laws[] = {TEST_MASING, "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, "
                                     "c_angular_frequency: 9.4 rad/s}\n"};
  for (int k = 0; k < 2; k++) {
    double w, range;
    char text[1200];
    peak(tensioner[k], &w, &range);
    assert_true(fabs(w - angular_frequency[k]) < 0.006);
    assert_true(fabs(range - over_f1[k]) < 6e-4);
    snprintf(text, sizeof text,
             "%s%sanalyses: [{response: {sweep: {parameter: load.angular_frequency, values: [%.17g rad/s, "
             "%.17g rad/s, "
             "%.17g rad/s]}, family: {parameter: load.amplitude, values: [1 N]}}}]\n"
             "outputs: {channels: [belt.tension]}\n",
             TEST_BELT, laws[k], w - 0.3, w, w + 0.3);
    test_result r = test_result_run(text);
    int64_t n;
    double *value = test_values(&r, "response", "belt.tension.range", &n);
    print_message("  %-8s peak %.4f rad/s, range %.5f f1; computed %.9f there\n", k ? "sliding" : "stuck", w,
                  range, value[1]);
    assert_true(n == 3 && value[1] > value[0] && value[1] > value[2]);
    assert_true(fabs(value[1] / range - 1.0) < 1e-9);
    free(value);
    test_result_close(&r);
  }
}

/* A family over a parameter on which a channel's own factors depend. */
static void channels_follow_the_parameters_of_a_sweep(void **state)
{
  (void)state;
  const char *methods[] = {"exact", "rk4", "midpoint"};
  for (int k = 0; k < 3; k++) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "%stensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 0 N s/m}\n"
        "analyses: [{response: {method: %s, tolerance: 1e-6, sweep: {parameter: tensioner.F0, values: "
        "[-573 N, -100 N]}, family: {parameter: tensioner.k0, values: [1e5 N/m, 2.34e5 N/m, 6e5 N/m]}}}]\n",
        TEST_BELT, methods[k]);
    test_result r = test_result_run(text);
    /* without a damper the dry force is the whole force */
    const char *names[] = {"min", "max", "mean", "range"};
    for (int i = 0; i < 4; i++) {
      char dry[64], all[64];
      snprintf(dry, sizeof dry, "tensioner.dry_force.%s", names[i]);
      snprintf(all, sizeof all, "tensioner.force.%s", names[i]);
      double *a = test_values(&r, "response", dry, NULL), *b = test_values(&r, "response", all, NULL);
      for (int j = 0; j < 6; j++)
        if (!(fabs(a[j] - b[j]) < 1e-6 * fabs(b[j])))
          fail_msg("%s, %s[%d]: %.9g and %.9g", methods[k], names[i], j, a[j], b[j]);
      free(a);
      free(b);
    }
    test_result_close(&r);
  }
}

/* Steps small enough at both ends of a sweep that stiffens the belt a hundredfold. */
static void steps_follow_the_parameters_of_a_sweep(void **state)
{
  (void)state;
  double *ranges[2];
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "%stensioner: {law: linear, k0: 2.34e5 N/m, c: 1e3 N s/m}\n"
        "analyses: [{response: {method: %s, sweep: {parameter: belt.stiffness, values: [5.6e5 N/m, 5.6e6 "
        "N/m, 5.6e7 N/m]}}}]\noutputs: {channels: [belt.tension]}\n",
        TEST_BELT, k ? "rk4" : "exact");
    test_result r = test_result_run(text);
    ranges[k] = test_values(&r, "response", "belt.tension.range", NULL);
    test_result_close(&r);
  }
  for (int i = 0; i < 3; i++)
    if (!(fabs(ranges[1][i] / ranges[0][i] - 1.0) < 1e-4))
      fail_msg("point %d: exact %.9g N, rk4 %.9g N", i, ranges[0][i], ranges[1][i]);
  free(ranges[0]);
  free(ranges[1]);
}

/* Every coordinate driven, Coulomb friction: the force is k0 u + c u' + alpha Sign(u'). */
static void response_of_the_rig_with_friction(void **state)
{
  (void)state;
  test_result r = test_result_run(TEST_RIG
                                  "tensioner: {law: coulomb, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, "
                                  "alpha: 163 N}\nanalyses: [{response: {sweep: {parameter: "
                                  "deflection.amplitude, values: [0.1 mm, 0.52 mm]}}}]\n");
  double *range = test_values(&r, "response", "tensioner.force.range", NULL);
  const double x1[] = {1e-4, 5.2e-4};
  for (int i = 0; i < 2; i++) {
    double expected = 2.0 * (x1[i] * hypot(K0, 1.93e4 * 9.4) + ALPHA);
    print_message("  x1 = %g mm: range %.6f N, expected %.6f N\n", 1e3 * x1[i], range[i], expected);
    assert_true(fabs(range[i] / expected - 1.0) < 1e-4);
  }
  free(range);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_weight_hangs_in_a_linear_spring),
      cmocka_unit_test(the_weight_hangs_in_masings_law),
      cmocka_unit_test(statics_is_the_end_of_slow_loading),
      cmocka_unit_test(the_weight_hangs_in_dahls_law),
      cmocka_unit_test(what_floats_in_a_gap_goes_where_its_load_takes_it),
      cmocka_unit_test(a_body_that_nothing_holds_is_refused),
      cmocka_unit_test(modes_of_stuck_and_sliding_friction),
      cmocka_unit_test(response_peaks_of_the_linear_limits),
      cmocka_unit_test(channels_follow_the_parameters_of_a_sweep),
      cmocka_unit_test(steps_follow_the_parameters_of_a_sweep),
      cmocka_unit_test(response_of_the_rig_with_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
