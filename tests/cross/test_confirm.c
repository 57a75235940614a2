/* Periodic solutions of the harmonic balance confirmed by shooting: the orbit itself, stable and unstable,
 * and what must not pass for it. And the stepper that does it, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/confirm.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"

/* The clearance oscillator of Kim, Rook and Singh with a load of one harmonic. */
static test_system oscillator(double amplitude, const char *law, double pulsation)
{
  char text[1024], speed[64];
  const char *settings[] = {speed};
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
           "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
           "springs: [{from: gear, damping: 0.05 N s/m}]\n"
           "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, %s}}]\n"
           "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %g N}]}]\n"
           "forcing: {pulsation: 1 rad/s}\n" TEST_ANY,
           law, amplitude);
  snprintf(speed, sizeof speed, "forcing.pulsation=%.17g rad/s", pulsation);
  return test_system_with(text, 1, settings);
}

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

/* ---- the stepper ----------------------------------------------------------------------------------------
 */

/* Free flight in the gap and half sines at its edges: an undamped oscillation of known period. */
static void flies_and_bounces(void **state)
{
  (void)state;
  const double b = 0.1, v = 0.3, k = 4.0;
  test_system s = test_system_open(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: ball, mass: 1 kg, velocity: 0.3 "
      "m/s}]\n"
      "clearances: [{gap: {from: ball, stiffness: 4 N/m, low: -0.1 m, high: 0.1 m}}]\n"
      "loads: [{on: ball, mean: 0 N, harmonics: [{amplitude: 0 N}]}]\nforcing: {pulsation: 1 "
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
        "loads: [{on: ball, mean: 0 N, harmonics: [{amplitude: 0 N}]}]\nforcing: {pulsation: 1 "
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
    test_system s = oscillator(0.03, laws[law], 0.7);
    cap_data_start_audit(s.m, s.d);
    cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-10, true);
    test_advance(&s, &stepper, 50, NULL);
    print_message("  %s: balance within %.1e\n", laws[law], test_balance(&s, NULL));
    assert_true(test_balance(&s, NULL) < 1e-8);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* ---- orbits ---------------------------------------------------------------------------------------------
 */

/* Far from every fold, by many harmonics: states and stability agree. */
static void confirms(void **state)
{
  (void)state;
  static const char *const laws[] = {"smoothing: exact", "smoothing: g1, sigma: 100",
                                     "smoothing: g4, sigma: 50", "inner: 0.18, smoothing: g3, sigma: 50",
                                     "smoothing: g1, sigma: 50, H1: 0.005 N, H2: 0.02 N"};
  static const double within[] = {2e-5, 2e-5, 2e-5, 2e-5, 1e-4};
  for (int law = 0; law < 5; law++) {
    test_system s = oscillator(0.03, laws[law], 1.0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flies_and_bounces),
      cmocka_unit_test(grazes),
      cmocka_unit_test(balances_energy),
      cmocka_unit_test(confirms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
