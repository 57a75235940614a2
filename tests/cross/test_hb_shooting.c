/* Harmonic balance against shooting (Newton on the period map of a time stepper): orbits and Floquet
 * multipliers of the clearance oscillator of Kim, Rook and Singh and of the tensioner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/oscillator.h"

#include "analysis/orbit/orbit.h"
#include "hb/hb_curve.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "hb/hb_stability.h"

static cap_hb *create(const cap_model *m, int harmonics, int samples)
{
  cap_hb *hb;
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, samples, 1};
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  return hb;
}

static double rms_ac(const cap_hb *hb, const double *x)
{
  double sum = 0.0;
  for (int r = 1; r < hb->ncoef; r++) sum += 0.5 * x[r] * x[r];
  return sqrt(sum);
}

/* Case 1, exact law, at the frequencies where there is one answer, to the printed digit. */
static void case_1_at_fixed_frequencies(void **state)
{
  (void)state;
  static const double omega[] = {0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 1.1, 1.2, 1.4, 1.6},
                      printed[] = {.00589, .00622, .00673, .00754, .00883,
                                   .04934, .02606, .01274, .00588, .00362};
  for (int k = 0; k < 10; k++) {
    test_system s = test_oscillator(0.008, "smoothing: exact", omega[k]);
    cap_hb *hb = create(s.m, 12, 2048);
    cap_error error = {0};
    cap_hb_newton_report report;
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    cap_hb_start(hb, x);
    cap_status status = cap_hb_newton_solve(hb, x, omega[k], NULL, &report, &error);
    if (status != CAP_OK) fail_msg("%s", error.text);
    if (!(fabs(rms_ac(hb, x) - printed[k]) < 5.5e-6))
      fail_msg("Omega %g: rms_ac %.7f, expected %.5f", omega[k], rms_ac(hb, x), printed[k]);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

/* Case 1: the upper branch, followed down from Omega = 1.1 to the peak. */
static void case_1_peaks(void **state)
{
  (void)state;
  static const struct {
    const char *law;
    double omega, peak;
  } cases[] = {{"smoothing: exact", .61733, .165721},
               {"smoothing: g1, sigma: 10", .62970, .158180},
               {"smoothing: g1, sigma: 50", .61898, .165128},
               {"smoothing: g1, sigma: 100", .61774, .165572}};
  for (int k = 0; k < 4; k++) {
    test_system s = test_oscillator(0.008, cases[k].law, 1.1);
    cap_hb *hb = create(s.m, 12, 2048);
    cap_error error = {0};
    cap_hb_newton_report report;
    cap_hb_stability *stability;
    double *x = calloc((size_t)hb->nunknown, sizeof *x), before = 0.0;
    assert_int_equal(cap_hb_stability_create(hb, &stability, &error), CAP_OK);
    cap_hb_start(hb, x);
    for (int step = 0; step <= 120; step++) {
      double omega = 1.1 + (cases[k].omega - 1.1) * sin(M_PI / 2 * step / 120); /* finer towards the peak */
      if (cap_hb_newton_solve(hb, x, omega, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
      assert_int_equal(cap_hb_stability_find(stability, hb, x, omega, &error), CAP_OK);
      if (step > 110) assert_true(stability->largest < 1.0); /* the upper branch up to its peak */
      assert_true(rms_ac(hb, x) > before);
      before = rms_ac(hb, x);
    }
    print_message("  %s: rms_ac %.7f at the peak, expected %.6f\n", cases[k].law, before, cases[k].peak);
    assert_true(fabs(before - cases[k].peak) < 2e-6);
    cap_hb_stability_free(stability);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

/* ---- curves -------------------------------------------------------------------------------------------- */

typedef struct curve_sink {
  cap_hb_curve *curve;
  int nfold, npoint, nunstable;
  double folds[16];
} curve_sink;

static bool keep_folds(void *self, const cap_continuation_point *point)
{
  curve_sink *sink = self;
  sink->npoint++;
  sink->nunstable += sink->curve->stability->largest > 1.0;
  if (point->kind == CAP_CONTINUATION_FOLD && sink->nfold < 16) sink->folds[sink->nfold++] = point->p;
  return true;
}

/* Case 1 by continuation from Omega = 0.1 to 1.6: both folds, and nothing else. */
static void case_1_folds(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    test_system s = test_oscillator(0.008, test_oscillator_folds[k].law, 0.1);
    cap_hb *hb = create(s.m, 12, 2048);
    cap_error error = {0};
    cap_hb_stability *stability;
    cap_hb_curve curve;
    cap_continuation *continuation;
    cap_continuation_result result;
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    cap_hb_start(hb, x);
    assert_int_equal(cap_hb_stability_create(hb, &stability, &error), CAP_OK);
    assert_int_equal(cap_hb_curve_open(hb, stability, 0.1, &curve), CAP_OK);
    cap_continuation_problem problem = cap_hb_curve_problem(&curve, 1.0);
    cap_continuation_options options = {.step = 0.02, .step_max = 0.05, .p_min = 0.1, .p_max = 1.6};
    if (cap_continuation_create(&problem, &options, &continuation, &error) != CAP_OK)
      fail_msg("%s", error.text);
    curve_sink sink = {.curve = &curve};
    cap_continuation_start start = {.x = x, .p = 0.1};
    if (cap_continuation_run(continuation, &start, 1, keep_folds, &sink, &result, &error) != CAP_OK)
      fail_msg("%s", error.text);
    print_message("  %s: %d points, %ld Jacobians, %d folds at %.5f %.5f, %s\n", test_oscillator_folds[k].law,
                  sink.npoint, result.nevaluation, sink.nfold, sink.folds[0], sink.folds[1], result.text[0]);
    assert_int_equal(result.end[0], CAP_CONTINUATION_END_LIMIT);
    assert_int_equal(sink.nfold, 2);
    assert_true(fabs(sink.folds[0] - test_oscillator_folds[k].high) < 2e-5 &&
                fabs(sink.folds[1] - test_oscillator_folds[k].low) < 2e-5);
    assert_true(sink.nunstable > 0);
    cap_continuation_free(continuation);
    cap_hb_curve_close(&curve);
    cap_hb_stability_free(stability);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

/* ---- shooting ------------------------------------------------------------------------------------------ */

typedef struct comparison {
  double distance;          /* of the states at the start of the period, relative to the orbit's extent */
  double multiplier;        /* largest distance between multipliers */
  double largest, shooting; /* moduli */
} comparison;

/* For each multiplier of the one the nearest of the other; tiny ones of memories that forget are the same. */
static double multiplier_distance(int n, const double *re, const double *im, int m, const double *re2,
                                  const double *im2)
{
  double worst = 0.0;
  for (int i = 0; i < n; i++) {
    double nearest = hypot(re[i], im[i]);
    for (int j = 0; j < m; j++) nearest = fmin(nearest, hypot(re[i] - re2[j], im[i] - im2[j]));
    worst = fmax(worst, nearest);
  }
  return worst;
}

static comparison compare(const test_system *s, cap_hb *hb, const double *x, double angular_frequency,
                          const cap_stepper_type *type, double step, double tolerance)
{
  comparison c = {0};
  cap_orbit *orbit;
  cap_stepper stepper;
  cap_hb_stability *stability;
  cap_error error = {0};
  double y[16], re[16], im[16];
  cap_stepper_settings settings = {.step = step, .tolerance = tolerance};
  cap_orbit_settings search = {.tolerance = type->tangents ? 1e-9 : 1e-7, .most = 400, .multipliers = true};
  assert_true(s->m->nstate <= 16);
  if (cap_hb_output_state(hb, x, angular_frequency, y, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_int_equal(cap_orbit_create(s->m, &orbit), CAP_OK);
  memcpy(orbit->y, y, sizeof(double) * (size_t)s->m->nstate);
  if (cap_stepper_create(type, s->m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_orbit_find(&stepper, s->m, s->d, &search, orbit, &error) != CAP_OK) fail_msg("%s", error.text);
  if (!orbit->converged[0]) fail_msg("shooting did not converge: residual %.3e", orbit->residual[0]);
  for (int i = 0; i < s->m->nstate; i++)
    c.distance = fmax(c.distance, fabs(y[i] - orbit->y[i]) / orbit->scale[i]);
  assert_int_equal(cap_orbit_multipliers(orbit, 0, re, im), CAP_OK);
  if (cap_hb_stability_create(hb, &stability, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_hb_stability_find(stability, hb, x, angular_frequency, &error) != CAP_OK)
    fail_msg("%s", error.text);
  c.multiplier = multiplier_distance(stability->nstate, stability->re, stability->im, s->m->nstate, re, im);
  c.largest = stability->largest;
  c.shooting = hypot(re[0], im[0]);
  cap_hb_stability_free(stability);
  cap_stepper_free(&stepper);
  cap_orbit_free(orbit);
  return c;
}

/* Solve from rest, or from where a long run settles when that does not converge. */
static void solve_from_run(test_system *s, cap_hb *hb, double *x, double angular_frequency)
{
  enum { SAMPLES = 128, PERIODS = 150 };
  cap_error error = {0};
  cap_hb_newton_report report;
  double q[SAMPLES], period = 2 * M_PI / angular_frequency;
  cap_hb_start(hb, x);
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) == CAP_OK) return;
  cap_stepper stepper = test_stepper(s, &cap_cvode_type, 1, 1e-9, false);
  cap_data_reset(s->m, s->d);
  test_advance(s, &stepper, PERIODS * period, NULL);
  for (int n = 0; n < SAMPLES; n++) {
    q[n] = s->d->q[0];
    test_advance(s, &stepper, (PERIODS + (n + 1.0) / SAMPLES) * period, NULL);
  }
  cap_stepper_free(&stepper);
  assert_int_equal(cap_hb_fit(hb, SAMPLES, q, x), CAP_OK);
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) != CAP_OK)
    fail_msg("%s", error.text);
}

static void oscillator_by_both(double amplitude, const char *law, const double *omega, int count,
                               int harmonics, double distance, double multiplier)
{
  double worst = 0.0, worst_multiplier = 0.0;
  for (int k = 0; k < count; k++) {
    test_system s = test_oscillator(amplitude, law, omega[k]);
    cap_hb *hb = create(s.m, harmonics, 2048);
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    solve_from_run(&s, hb, x, omega[k]);
    comparison c = compare(&s, hb, x, omega[k], &cap_cvode_type, 1, 1e-11);
    if (!(c.distance < distance && c.multiplier < multiplier))
      fail_msg("Fp = %g, %s, Omega = %g: states apart by %.2e, multipliers by %.2e (%.6f, %.6f)", amplitude,
               law, omega[k], c.distance, c.multiplier, c.largest, c.shooting);
    worst = fmax(worst, c.distance);
    worst_multiplier = fmax(worst_multiplier, c.multiplier);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
  print_message("  Fp = %g, %s, %d harmonics: states within %.1e, multipliers within %.1e\n", amplitude, law,
                harmonics, worst, worst_multiplier);
}

static void clearance_without_hysteresis(void **state)
{
  (void)state;
  static const double omega[] = {0.3, 0.75, 1.0, 1.3};
  static const char *const laws[] = {"smoothing: exact", "smoothing: g1, sigma: 50",
                                     "smoothing: g2, sigma: 50", "smoothing: g3, sigma: 50",
                                     "smoothing: g4, sigma: 50"};
  for (int law = 0; law < 5; law++)
    for (int size = 0; size < 2; size++) {
      double distance = size ? 4e-5 : 4e-4, multiplier = size ? 1e-4 : 6e-4;
      oscillator_by_both(0.008, laws[law], omega, 4, size ? 36 : 12, distance, multiplier);
      oscillator_by_both(0.03, laws[law], omega, 4, size ? 36 : 12, distance, multiplier);
    }
}

static void clearance_with_hysteresis(void **state)
{
  (void)state;
  static const double omega[] = {0.75, 1.0, 1.3};
  oscillator_by_both(0.03, "smoothing: g1, sigma: 50, H1: 0.005 N, H2: 0.02 N", omega, 3, 60, 1e-3, 1e-3);
  oscillator_by_both(0.03, "smoothing: g3, sigma: 50, H1: 0.005 N, H2: 0.02 N", omega, 3, 60, 1e-3, 1e-3);
  oscillator_by_both(0.03, "inner: 0.18, smoothing: g1, sigma: 50", omega, 3, 36, 1e-3, 1e-3);
}

/* ---- orbits of two periods ----------------------------------------------------------------------------- */

/* Case 2 at Omega = 1.5 has a stable orbit of two periods beside the linear one. */
static void period_two(void **state)
{
  (void)state;
  enum { SAMPLES = 256, PERIODS = 200 };
  const double omega = 1.5, period = 2 * M_PI / omega;
  test_system s = test_oscillator(0.03, "smoothing: exact", omega);
  cap_hb_settings settings = {40, 2048, 2};
  cap_hb_newton_report report;
  cap_hb_stability *stability;
  cap_error error = {0};
  cap_hb *hb;
  double q[SAMPLES], y[2];
  assert_int_equal(cap_hb_create(s.m, 0, &settings, &hb, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_create(hb, &stability, &error), CAP_OK);
  double *x = calloc(2 * (size_t)hb->nunknown, sizeof *x), *one = x + hb->nunknown;
  cap_stepper stepper = test_stepper(&s, &cap_cvode_type, 1, 1e-11, false);
  s.d->y[0] = 0.2024;
  s.d->y[1] = -0.1463;
  test_advance(&s, &stepper, PERIODS * period, NULL);
  for (int n = 0; n < SAMPLES; n++) {
    q[n] = s.d->q[0];
    test_advance(&s, &stepper, (PERIODS + 2.0 * (n + 1) / SAMPLES) * period, NULL);
  }
  assert_int_equal(cap_hb_fit(hb, SAMPLES, q, x), CAP_OK);
  if (cap_hb_newton_solve(hb, x, omega, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_true(hypot(x[1], x[2]) > 0.02); /* half the angular frequency of the forcing */
  /* the flow comes back after two periods, not after one */
  assert_int_equal(cap_hb_output_state(hb, x, omega, y, &error), CAP_OK);
  memcpy(s.d->y, y, sizeof y);
  *s.d->t = 0.0;
  test_advance(&s, &stepper, period, NULL);
  assert_true(fabs(s.d->y[0] - y[0]) > 0.02);
  test_advance(&s, &stepper, 2 * period, NULL);
  print_message("  after two periods %.1e m, %.1e m/s off\n", s.d->y[0] - y[0], s.d->y[1] - y[1]);
  assert_true(fabs(s.d->y[0] - y[0]) < 5e-5 && fabs(s.d->y[1] - y[1]) < 5e-5);
  assert_int_equal(cap_hb_stability_find(stability, hb, x, omega, &error), CAP_OK);
  assert_true(stability->largest < 1.0);
  /* the determinant is that of the damping over two periods, whatever the law */
  double det = stability->re[0] * stability->re[1] - stability->im[0] * stability->im[1];
  assert_true(fabs(det - exp(-0.05 * 2 * period)) < 1e-10);
  /* an orbit of one period is one of two, and its multipliers are squares */
  cap_hb *single = create(s.m, 20, 2048);
  cap_hb_stability *once;
  double *z = calloc((size_t)single->nunknown, sizeof *z);
  cap_hb_start(single, z);
  assert_int_equal(cap_hb_newton_solve(single, z, omega, NULL, &report, &error), CAP_OK);
  cap_hb_transfer(single, z, hb, one);
  assert_int_equal(cap_hb_newton_solve(hb, one, omega, NULL, &report, &error), CAP_OK);
  assert_true(report.iterations <= 1);
  assert_int_equal(cap_hb_stability_create(single, &once, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_find(once, single, z, omega, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_find(stability, hb, one, omega, &error), CAP_OK);
  assert_true(fabs(stability->largest - once->largest * once->largest) < 1e-10);
  cap_hb_stability_free(once);
  cap_hb_stability_free(stability);
  cap_stepper_free(&stepper);
  cap_hb_free(single);
  cap_hb_free(hb);
  free(x);
  free(z);
  test_system_close(&s);
}

/* ---- adaptation ---------------------------------------------------------------------------------------- */

/* The tolerance is kept, measured by far more harmonics and samples. */
static void adapts_to_a_tolerance(void **state)
{
  (void)state;
  static const char *const laws[] = {"smoothing: exact", "smoothing: g1, sigma: 100",
                                     "smoothing: g1, sigma: 50, H1: 0.005 N, H2: 0.02 N"};
  for (int law = 0; law < 3; law++) {
    int before = 0;
    for (double tolerance = 1e-2; tolerance > 1e-5; tolerance /= 10) {
      test_system s = test_oscillator(0.03, laws[law], 1.0);
      cap_hb *hb = create(s.m, 3, 64), *fine = create(s.m, 100, 8192);
      cap_error error = {0};
      cap_hb_newton_report report;
      cap_hb_adapt adapt = {.tolerance = tolerance};
      double *x = calloc((size_t)hb->nunknown, sizeof *x), *y = calloc((size_t)fine->nunknown, sizeof *y);
      cap_hb_start(hb, x);
      if (cap_hb_newton_adapt(&hb, &x, 1.0, &adapt, &error) != CAP_OK) fail_msg("%s", error.text);
      assert_true(adapt.reached && adapt.tail <= tolerance && adapt.sampling <= tolerance);
      cap_hb_transfer(hb, x, fine, y);
      if (cap_hb_newton_solve(fine, y, 1.0, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
      double off = 0.0, size = 0.0;
      for (int r = 1; r < fine->ncoef; r++) {
        double have = r < hb->ncoef ? x[r] : 0.0;
        off += (have - y[r]) * (have - y[r]);
        size += y[r] * y[r];
      }
      print_message("  %s: tolerance %.0e by %d harmonics, %d samples: off by %.1e\n", laws[law], tolerance,
                    hb->nharmonic, hb->nsample, sqrt(off / size));
      assert_true(sqrt(off / size) < 3 * tolerance);
      assert_true(hb->nharmonic >= before);
      before = hb->nharmonic;
      free(x);
      free(y);
      cap_hb_free(hb);
      cap_hb_free(fine);
      test_system_close(&s);
    }
    assert_true(before > 5);
  }
}

/* Slope to the load and parameters of another model. */
static void loads_and_parameters(void **state)
{
  (void)state;
  test_system s = test_oscillator(0.03, "smoothing: g1, sigma: 50", 0.9),
              other = test_oscillator(0.02, "smoothing: g1, sigma: 50", 0.9);
  cap_hb *hb = create(s.m, 12, 512), *fresh = create(other.m, 12, 512);
  cap_error error = {0};
  double x[25], r[25], scaled[25], slope[25];
  for (int i = 0; i < 25; i++) x[i] = 0.2 / (1 + i);
  assert_int_equal(cap_hb_residual(hb, x, 0.9, r, NULL, NULL, &error), CAP_OK);
  assert_int_equal(cap_hb_load_slope(hb, 0.9, slope, &error), CAP_OK);
  cap_hb_scale_load(hb, 2.0 / 3.0);
  assert_int_equal(cap_hb_residual(hb, x, 0.9, scaled, NULL, NULL, &error), CAP_OK);
  for (int i = 0; i < 25; i++) assert_true(fabs(r[i] - slope[i] / 3.0 - scaled[i]) < 1e-16);
  assert_int_equal(cap_hb_residual(fresh, x, 0.9, r, NULL, NULL, &error), CAP_OK);
  for (int i = 0; i < 25; i++) assert_true(fabs(r[i] - scaled[i]) < 1e-16);
  cap_hb_scale_load(hb, 1.0);
  assert_int_equal(cap_hb_update(hb, other.m, 0, &error), CAP_OK);
  assert_int_equal(cap_hb_residual(hb, x, 0.9, scaled, NULL, NULL, &error), CAP_OK);
  for (int i = 0; i < 25; i++) assert_true(scaled[i] == r[i]);
  cap_hb_free(hb);
  cap_hb_free(fresh);
  test_system_close(&s);
  test_system_close(&other);
}

/* ---- laws with memory ---------------------------------------------------------------------------------- */

static void tensioner_by_both(const char *law, double f1, double angular_frequency, int harmonics,
                              int samples, const cap_stepper_type *type, double step, double distance,
                              double multiplier)
{
  char text[1024], amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law, TEST_ANY);
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", f1);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  test_system s = test_system_with(text, 2, settings);
  cap_hb *hb = create(s.m, harmonics, samples);
  cap_hb_newton_report report;
  cap_error error = {0};
  double *x = calloc((size_t)hb->nunknown, sizeof *x);
  cap_hb_start(hb, x);
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) != CAP_OK)
    fail_msg("%s", error.text);
  comparison c = compare(&s, hb, x, angular_frequency, type, step, 1e-10);
  print_message("  %g N, %g rad/s by %s: states within %.1e, multipliers within %.1e (%.5f, %.5f)\n", f1,
                angular_frequency, type->name, c.distance, c.multiplier, c.largest, c.shooting);
  if (!(c.distance < distance && c.multiplier < multiplier))
    fail_msg("%g N, %g rad/s: states apart by %.2e, multipliers by %.2e", f1, angular_frequency, c.distance,
             c.multiplier);
  free(x);
  cap_hb_free(hb);
  test_system_close(&s);
}

static void masing(void **state)
{
  (void)state;
  static const double points[][2] = {{120, 50}, {120, 60}, {300, 40}, {200, 65}};
  for (int k = 0; k < 4; k++)
    tensioner_by_both(TEST_MASING, points[k][0], points[k][1], 31, 2048, &cap_propagate_type, 1, 1e-3, 5e-3);
}

static void dahl(void **state)
{
  (void)state;
  static const double points[][2] = {{120, 50}, {13, 35}, {120, 90}};
  for (int k = 0; k < 3; k++)
    tensioner_by_both(TEST_DAHL, points[k][0], points[k][1], 47, 2048, &cap_rk4_type, 2e-5, 2e-3, 5e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_1_at_fixed_frequencies),
      cmocka_unit_test(case_1_peaks),
      cmocka_unit_test(case_1_folds),
      cmocka_unit_test(clearance_without_hysteresis),
      cmocka_unit_test(clearance_with_hysteresis),
      cmocka_unit_test(period_two),
      cmocka_unit_test(adapts_to_a_tolerance),
      cmocka_unit_test(loads_and_parameters),
      cmocka_unit_test(masing),
      cmocka_unit_test(dahl),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
