/* Periodic solutions of the harmonic balance confirmed by shooting: the orbit itself, stable and unstable,
 * and what must not pass for it. And the stepper that does it, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/oscillator.h"

#include "analysis/orbit/confirm.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"

static cap_hb *balance(const cap_model *m, int harmonics, int sub)
{
  cap_hb *hb;
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, 2048, sub};
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  return hb;
}

static cap_confirm *confirm_for(const cap_model *m, const cap_confirm_settings *settings)
{
  cap_confirm *confirm;
  cap_error error = {0};
  if (cap_confirm_create(m, settings, &confirm, &error) != CAP_OK) fail_msg("%s", error.text);
  return confirm;
}

/* ---- the stepper --------------------------------------------------------------------------------------- */

/* Free flight in the gap and half sines at its edges: an undamped oscillation of known period. */
static void flies_and_bounces(void **state)
{
  (void)state;
  const double b = 0.1, v = 0.3, k = 4.0;
  test_system s = test_system_open(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: ball, mass: 1 kg, velocity: 0.3 "
      "m/s}]\n"
      "clearances: [{gap: {from: ball, stiffness: 4 N/m, low: -0.1 m, high: 0.1 m}}]\n"
      "loads: [{on: ball, mean: 0 N, harmonics: [{amplitude: 0 N}]}]\nforcing: {angular_frequency: 1 "
      "rad/s}\n" TEST_ANY);
  double period = 4 * b / v + 2 * M_PI / sqrt(k), tangent[4] = {1, 0, 0, 1};
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-11, true);
  test_advance(&s, &stepper, b / v + 0.25 * 2 * M_PI / sqrt(k), NULL);
  assert_true(fabs(s.d->q[0] - (b + v / sqrt(k))) < 1e-10 && fabs(s.d->v[0]) < 1e-10);
  test_advance(&s, &stepper, 10 * period, NULL);
  print_message("  after ten periods off by %.1e m, %.1e m/s; %d corners\n", s.d->q[0], s.d->v[0] - v,
                (int)s.d->steps[CAP_STEPS_EVENTS]);
  assert_true(fabs(s.d->q[0]) < 1e-8 && fabs(s.d->v[0] - v) < 1e-8);
  assert_int_equal(s.d->steps[CAP_STEPS_EVENTS], 40);
  /* the period shortens with the speed: dT/dv = -4 b/v^2, so q after T changes by -v dT/dv dv */
  cap_data_reset(s.m, s.d);
  test_advance(&s, &stepper, period, tangent);
  assert_true(fabs(tangent[0] - 1) < 1e-8 && fabs(tangent[1] - 4 * b / v) < 1e-8);
  assert_true(fabs(tangent[2]) < 1e-8 && fabs(tangent[3] - 1) < 1e-8);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* Turning points near an edge: just short of it nothing happens, just beyond it the force acts. */
static void grazes(void **state)
{
  (void)state;
  for (int k = -6; k <= 6; k++) {
    double over = k == 0 ? 0.0 : copysign(pow(10.0, -2 - abs(k)), k), omega = 1.0, high = 0.3, want;
    char text[512];
    /* a spring between the edges, and another beyond: amplitude high + over */
    snprintf(
        text, sizeof text,
        "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: ball, mass: 1 kg, velocity: %.17g "
        "m/s}]\nsprings: [{from: ball, stiffness: 1 N/m}]\n"
        "clearances: [{gap: {from: ball, stiffness: 99 N/m, low: -9 m, high: 0.3 m}}]\n"
        "loads: [{on: ball, mean: 0 N, harmonics: [{amplitude: 0 N}]}]\nforcing: {angular_frequency: 1 "
        "rad/s}\n" TEST_ANY,
        omega * (high + over));
    test_system s = test_system_open(text);
    cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-11, false);
    test_advance(&s, &stepper, M_PI, NULL);
    double speed = high + over, inside = over > 0.0 ? asin(high / speed) : M_PI / 2, contact = 0.0;
    if (over > 0.0) { /* beyond: frequency 10 about high - high/100 */
      double v = sqrt(speed * speed - high * high), rest = high / 100.0;
      contact = 2.0 * (M_PI / 2 - atan2(rest * 10.0, v)) / 10.0;
    }
    /* at pi it has been back inside for a time that the contact saved */
    want = over > 0.0 ? -speed * sin(M_PI - 2 * inside - contact) : 0.0;
    if (!(fabs(s.d->q[0] - want) < 1e-7)) fail_msg("over %.0e: %.12g, expected %.12g", over, s.d->q[0], want);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Power of load, damper and hysteresis, integrated beside the motion. */
static void balances_energy(void **state)
{
  (void)state;
  static const char *const laws[] = {"smoothing: exact", "smoothing: g1, sigma: 50, H1: 0.005 N, H2: 0.02 N"};
  for (int law = 0; law < 2; law++) {
    test_system s = test_oscillator(0.03, laws[law], 0.7);
    cap_data_start_audit(s.m, s.d);
    cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-10, true);
    test_advance(&s, &stepper, 50, NULL);
    print_message("  %s: balance within %.1e\n", laws[law], test_balance(&s, NULL));
    assert_true(test_balance(&s, NULL) < 1e-8);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* ---- orbits -------------------------------------------------------------------------------------------- */

/* Far from every fold, by many harmonics: states and stability agree. */
static void confirms(void **state)
{
  (void)state;
  static const char *const laws[] = {"smoothing: exact", "smoothing: g1, sigma: 100",
                                     "smoothing: g4, sigma: 50", "inner: 0.18, smoothing: g3, sigma: 50",
                                     "smoothing: g1, sigma: 50, H1: 0.005 N, H2: 0.02 N"};
  static const double within[] = {2e-5, 2e-5, 2e-5, 2e-5, 1e-4};
  for (int law = 0; law < 5; law++) {
    test_system s = test_oscillator(0.03, laws[law], 1.0);
    cap_hb *hb = balance(s.m, 80, 1);
    cap_confirm *confirm = confirm_for(s.m, NULL);
    cap_confirm_result r;
    cap_hb_newton_report report;
    cap_error error = {0};
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    cap_hb_start(hb, x);
    if (cap_hb_newton_solve(hb, x, 1.0, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
    if (cap_confirm_balance(confirm, s.m, hb, x, 1.0, &r, &error) != CAP_OK) fail_msg("%s", error.text);
    print_message(
        "  %s: within %.1e (positions %.1e, velocities %.1e, rms %.1e), multiplier %.6f, %d steps\n",
        laws[law], r.distance, r.position, r.velocity, r.rms, r.largest, r.iterations);
    assert_true(r.found && r.same && r.period == 1);
    assert_true(r.distance < within[law] && r.start <= r.distance && r.position <= r.distance);
    free(x);
    cap_hb_free(hb);
    cap_confirm_free(confirm);
    test_system_close(&s);
  }
}

/* ---- a whole curve ------------------------------------------------------------------------------------- */

typedef struct curve_check {
  const char *law;
  double amplitude;
  cap_hb *hb;
  cap_hb_stability *stability;
  cap_confirm *confirm;
  int npoint, nfold, nunstable;
  double distance, rms, shift, largest;
} curve_check;

static cap_status build_at(void *self, double p, cap_model **m, cap_error *error)
{
  (void)error;
  const curve_check *c = self;
  test_system s = test_oscillator(c->amplitude, c->law, p);
  *m = s.m;
  s.m = NULL;
  test_system_close(&s);
  return CAP_OK;
}

static int outside(const cap_hb_stability *s)
{
  int n = 0;
  for (int i = 0; i < s->nstate; i++) n += hypot(s->re[i], s->im[i]) > 1.0 + 1e-6;
  return n;
}

/* Every third point, and every fold. */
static bool check_point(void *self, const cap_continuation_point *point)
{
  curve_check *c = self;
  bool fold = point->kind == CAP_CONTINUATION_FOLD;
  if (!fold && c->npoint++ % 3) return true;
  cap_hb_curve_source source = {.build = build_at, .self = c, .low = 0.05, .high = 2.0};
  cap_confirm_parameter parameter = {.source = &source, .p = point->p, .scale = 0.15, .at_once = fold};
  cap_confirm_result r;
  cap_error error = {0};
  if (cap_confirm_balance_near(c->confirm, &parameter, c->hb, point->x, point->p, &r, &error) != CAP_OK)
    fail_msg("%s", error.text);
  if (!r.same) fail_msg("%s at %.6f: %s", c->law, point->p, r.reason);
  c->distance = fmax(c->distance, r.distance);
  c->rms = fmax(c->rms, r.rms);
  c->shift = fmax(c->shift, fabs(r.shift));
  c->largest = fmax(c->largest, r.largest);
  c->nfold += fold;
  if (fold || r.shift != 0.0) return true; /* a multiplier of one is on neither side */
  assert_int_equal(cap_hb_stability_find(c->stability, c->hb, point->x, point->p, &error), CAP_OK);
  c->nunstable += r.unstable > 0;
  if (r.unstable != outside(c->stability))
    fail_msg("%s at %.6f: %d multipliers outside by shooting (%.6f), %d by the balance (%.6f)", c->law,
             point->p, r.unstable, r.largest, outside(c->stability), c->stability->largest);
  return true;
}

static void whole_curve(double amplitude, const char *law, int harmonics, int nfold, double distance,
                        double rms)
{
  test_system s = test_oscillator(amplitude, law, 0.1);
  curve_check c = {.law = law, .amplitude = amplitude, .hb = balance(s.m, harmonics, 1)};
  c.confirm = confirm_for(s.m, NULL);
  cap_error error = {0};
  cap_hb_curve curve;
  cap_continuation *continuation;
  cap_continuation_result result;
  double *x = calloc((size_t)c.hb->nunknown, sizeof *x);
  cap_hb_start(c.hb, x);
  assert_int_equal(cap_hb_stability_create(c.hb, &c.stability, &error), CAP_OK);
  assert_int_equal(cap_hb_curve_open(c.hb, NULL, 0.1, &curve), CAP_OK);
  cap_continuation_problem problem = cap_hb_curve_problem(&curve, 1.0);
  cap_continuation_options options = {.step = 0.02, .step_max = 0.1, .p_min = 0.1, .p_max = 1.6};
  if (cap_continuation_create(&problem, &options, &continuation, &error) != CAP_OK)
    fail_msg("%s", error.text);
  cap_continuation_start start = {.x = x, .p = 0.1};
  if (cap_continuation_run(continuation, &start, 1, check_point, &c, &result, &error) != CAP_OK)
    fail_msg("%s", error.text);
  print_message("  Fp = %g, %s, %d harmonics: %d points, %d of the checked unstable (multipliers to %.1f): "
                "within %.1e, "
                "rms %.1e; folds within %.1e\n",
                amplitude, law, harmonics, c.npoint, c.nunstable, c.largest, c.distance, c.rms, c.shift);
  assert_int_equal(c.nfold, nfold);
  assert_true(c.nunstable > 3 && c.distance < distance && c.rms < rms && c.shift < 2e-5);
  cap_continuation_free(continuation);
  cap_hb_curve_close(&curve);
  cap_hb_stability_free(c.stability);
  cap_confirm_free(c.confirm);
  cap_hb_free(c.hb);
  free(x);
  test_system_close(&s);
}

static void whole_curves(void **state)
{
  (void)state;
  whole_curve(0.008, "smoothing: exact", 12, 2, 2e-3, 3e-4);
  whole_curve(0.03, "smoothing: exact", 12, 4, 3e-3, 1e-3);
  whole_curve(0.03, "smoothing: exact", 36, 4, 3e-4, 2e-4);
  whole_curve(0.03, "smoothing: g4, sigma: 50", 12, 4, 3e-3, 1e-3);
}

/* ---- what must not pass -------------------------------------------------------------------------------- */

/* At 0.75 rad/s case 1 has three orbits of one period; the wrong one is told as such, and so is an orbit of
 * one period given as one of two. */
static void other_orbits(void **state)
{
  (void)state;
  test_system s = test_oscillator(0.008, "smoothing: exact", 0.75);
  cap_hb *hb = balance(s.m, 20, 1);
  cap_confirm *confirm = confirm_for(s.m, NULL);
  cap_confirm_result r;
  cap_hb_newton_report report;
  cap_error error = {0};
  double *x = calloc((size_t)hb->nunknown, sizeof *x), states[64 * 2];
  cap_hb_start(hb, x);
  if (cap_hb_newton_solve(hb, x, 0.75, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_int_equal(cap_hb_output_states(hb, x, 0.75, 32, states, &error), CAP_OK);
  for (int k = 0; k < 32; k++)
    states[2 * k] = 0.2245 + 1.2 * (states[2 * k] - 0.2245), states[2 * k + 1] *= 1.2;
  assert_int_equal(cap_confirm_states(confirm, s.m, 1, states, &r, &error), CAP_OK);
  print_message("  %s\n", r.reason);
  assert_true(r.found && !r.same && strstr(r.reason, "a different orbit"));
  for (int k = 0; k < 64; k++) states[k] = k % 2 ? 1e3 : 1e3 * k; /* nowhere near */
  assert_int_equal(cap_confirm_states(confirm, s.m, 1, states, &r, &error), CAP_OK);
  print_message("  %s\n", r.reason);
  assert_true(!r.same && r.reason[0]);
  cap_hb *twice = balance(s.m, 40, 2);
  double *z = calloc((size_t)twice->nunknown, sizeof *z);
  cap_hb_transfer(hb, x, twice, z);
  if (cap_confirm_balance(confirm, s.m, twice, z, 0.75, &r, &error) != CAP_OK) fail_msg("%s", error.text);
  print_message("  %s\n", r.reason);
  assert_true(r.found && !r.same && r.period == 1 && strstr(r.reason, "its period is 1 of the 2 periods"));
  free(x);
  free(z);
  cap_hb_free(hb);
  cap_hb_free(twice);
  cap_confirm_free(confirm);
  test_system_close(&s);
}

static void refuses(const char *text, const char *why)
{
  test_system s = test_system_open(text);
  cap_confirm *confirm;
  cap_error error = {0};
  assert_int_equal(cap_confirm_create(s.m, NULL, &confirm, &error), CAP_ERR_UNSUPPORTED);
  if (!strstr(error.text, why)) fail_msg("said: %s", error.text);
  assert_null(confirm);
  test_system_close(&s);
}

static void refusals(void **state)
{
  (void)state;
  refuses(TEST_BELT "tensioner: {law: coulomb, k0: 2.34e5 N/m, F0: -573 N, alpha: 163 N}\n" TEST_ANY,
          "Coulomb");
  refuses("capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg}]\n"
          "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1 m, high: 0.1 m, H1: 0.01 N, H2: 0.02 "
          "N}}]\n"
          "loads: [{on: gear, mean: 0 N, harmonics: [{amplitude: 1 N}]}]\nforcing: {angular_frequency: 1 "
          "rad/s}\n" TEST_ANY,
          "a discontinuous force");
}

/* ---- laws with memory ---------------------------------------------------------------------------------- */

static void tensioner(const char *law, double amplitude, double angular_frequency, int harmonics,
                      double within)
{
  char text[1024], load[64], speed[64];
  const char *settings[] = {load, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law, TEST_ANY);
  snprintf(load, sizeof load, "load.amplitude=%.17g N", amplitude);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  test_system s = test_system_with(text, 2, settings);
  cap_hb *hb = balance(s.m, harmonics, 1);
  cap_confirm *confirm = confirm_for(s.m, NULL);
  cap_confirm_result r;
  cap_hb_newton_report report;
  cap_error error = {0};
  double *x = calloc((size_t)hb->nunknown, sizeof *x);
  cap_hb_start(hb, x);
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) != CAP_OK)
    fail_msg("%s", error.text);
  if (cap_confirm_balance(confirm, s.m, hb, x, angular_frequency, &r, &error) != CAP_OK)
    fail_msg("%s", error.text);
  print_message("  %g N, %g rad/s: within %.1e (positions %.1e), multiplier %.5f, %d steps %s\n", amplitude,
                angular_frequency, r.distance, r.position, r.largest, r.iterations, r.reason);
  assert_true(r.same && r.position < within);
  free(x);
  cap_hb_free(hb);
  cap_confirm_free(confirm);
  test_system_close(&s);
}

static void memories(void **state)
{
  (void)state;
  tensioner(TEST_MASING, 120, 50, 31, 1e-3);
  tensioner(TEST_MASING, 300, 40, 31, 1e-3);
  tensioner(TEST_DAHL, 120, 50, 47, 1e-3);
  tensioner(TEST_DAHL, 120, 90, 47, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flies_and_bounces), cmocka_unit_test(grazes),       cmocka_unit_test(balances_energy),
      cmocka_unit_test(confirms),          cmocka_unit_test(whole_curves), cmocka_unit_test(other_orbits),
      cmocka_unit_test(refusals),          cmocka_unit_test(memories),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
