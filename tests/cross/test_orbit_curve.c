/* Steady orbits followed by shooting on the continuation core: the folds of the clearance oscillator against
 * the harmonic balance and the reference values; multipliers; any parameter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/oscillator.h"

#include "../support/run.h"

#include "analysis/orbit/orbit.h"
#include "analysis/orbit/orbit_curve.h"

typedef struct drive {
  const char *law, *parameter, *unit;
  double amplitude, angular_frequency;
} drive;

static cap_status build(void *self, double p, cap_model **m, cap_error *error)
{
  (void)error;
  const drive *d = self;
  char speed[64], setting[128];
  const char *settings[] = {speed, setting};
  snprintf(speed, sizeof speed, "forcing.angular_frequency=%.17g rad/s", d->angular_frequency);
  snprintf(setting, sizeof setting, "%s=%.17g %s", d->parameter, p, d->unit);
  test_system s = test_oscillator_with(d->amplitude, d->law, 2, settings);
  *m = s.m;
  s.m = NULL;
  test_system_close(&s);
  return CAP_OK;
}

typedef struct seen {
  int npoint, nfold, ntest, nunstable;
  double folds[16], places[16];
  int tests[16];
} seen;

static bool see(void *self, const cap_continuation_point *point)
{
  seen *s = self;
  s->npoint++;
  if (point->kind == CAP_CONTINUATION_FOLD && s->nfold < 16) s->folds[s->nfold++] = point->p;
  if (point->kind == CAP_CONTINUATION_TEST && s->ntest < 16) {
    s->tests[s->ntest] = point->test;
    s->places[s->ntest++] = point->p;
  }
  if (point->kind == CAP_CONTINUATION_REGULAR) s->nunstable += point->tests[3] > 1.5;
  return true;
}

static seen follow(drive *d, double from, double to, cap_continuation_result *result)
{
  seen s = {0};
  cap_error error = {0};
  cap_model *m;
  cap_orbit_curve curve;
  cap_orbit_curve_settings settings = {0};
  cap_hb_curve_source source = {.build = build, .self = d, .low = from, .high = to};
  assert_int_equal(build(d, from, &m, &error), CAP_OK);
  if (cap_orbit_curve_open(m, &source, &settings, &curve, &error) != CAP_OK) fail_msg("%s", error.text);
  double *y = calloc((size_t)m->nstate, sizeof *y);
  memcpy(y, m->initial, sizeof(double) * (size_t)m->nstate);
  for (int i = 0; i < curve.n; i++) curve.x_scale[i] = 0.1;
  cap_continuation_problem problem = cap_orbit_curve_problem(&curve, 1.0);
  cap_continuation_options options = {
      .step = 0.02, .step_max = 0.1, .p_min = from, .p_max = to, .tolerance = 1e-8};
  cap_continuation *path;
  if (cap_continuation_create(&problem, &options, &path, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_continuation_start start = {.x = y, .p = from};
  if (cap_continuation_run(path, &start, 1, see, &s, result, &error) != CAP_OK)
    fail_msg("%s; %s", error.text, curve.error.text);
  print_message("  %s: %d points (%ld Jacobians), %d unstable, %d folds", d->law, s.npoint,
                result->nevaluation, s.nunstable, s.nfold);
  for (int k = 0; k < s.nfold; k++) print_message(" %.6f", s.folds[k]);
  for (int k = 0; k < s.ntest; k++) print_message(", test %d at %.6f", s.tests[k], s.places[k]);
  print_message("; %s\n", result->text[0]);
  cap_continuation_free(path);
  cap_orbit_curve_close(&curve);
  free(y);
  cap_model_free(m);
  return s;
}

/* The reference values of case 1; harmonic balance of 12 harmonics has them within 1e-5. */
static void case_1_folds(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    drive d = {test_oscillator_folds[k].law, "forcing.angular_frequency", "rad/s", 0.008, 0.1};
    cap_continuation_result result;
    seen s = follow(&d, 0.1, 1.6, &result);
    assert_int_equal(result.end[0], CAP_CONTINUATION_END_LIMIT);
    assert_int_equal(s.nfold, 2);
    assert_true(fabs(s.folds[0] - test_oscillator_folds[k].high) < 2e-4 &&
                fabs(s.folds[1] - test_oscillator_folds[k].low) < 2e-4);
    assert_true(s.nunstable > 0);
  }
}

/* The load as parameter: up through two folds. */
static void over_the_load(void **state)
{
  (void)state;
  drive d = {"smoothing: g3, sigma: 100", "loads[0].harmonics[0].amplitude", "N", 0.008, 0.75};
  cap_continuation_result result;
  seen s = follow(&d, 0.001, 0.03, &result);
  assert_int_equal(result.end[0], CAP_CONTINUATION_END_LIMIT);
  assert_true(s.nfold >= 2 && s.nfold % 2 == 0 && s.nunstable > 0);
}

/* ---- one orbit ----------------------------------------------------------------------------------------- */

/* A guess a million times as far as the orbit is wide, in a system that converges slowly: the same orbit
 * to the same digits. */
static void far_guess(void **state)
{
  (void)state;
  drive d = {"inner: 0.9, smoothing: g3, sigma: 20", "forcing.angular_frequency", "rad/s", 0.03, 0.6};
  cap_model *m;
  cap_error error = {0};
  assert_int_equal(build(&d, 0.6, &m, &error), CAP_OK);
  cap_data *data = cap_data_create(m);
  double found[2][2], extent = 0.0;
  for (int far = 0; far < 2; far++) {
    cap_orbit *orbit;
    cap_stepper stepper;
    cap_stepper_settings settings = {.step = 0.02, .tolerance = 1e-12};
    cap_orbit_settings search = {.tolerance = 1e-4, .most = 400};
    assert_int_equal(cap_orbit_create(m, &orbit), CAP_OK);
    assert_int_equal(cap_stepper_create(&cap_extrapolate_type, m, &settings, &stepper, &error), CAP_OK);
    if (far) orbit->y[0] = 1e5, orbit->y[1] = -1e5;
    if (cap_orbit_find(&stepper, m, data, &search, orbit, &error) != CAP_OK) fail_msg("%s", error.text);
    assert_true(orbit->converged[0]);
    memcpy(found[far], orbit->y, sizeof found[far]);
    extent = orbit->scale[0];
    assert_true(extent > 0.01 && extent < 1.0);
    cap_stepper_free(&stepper);
    cap_orbit_free(orbit);
  }
  print_message("  from far away off by %.1e of the extent\n", fabs(found[1][0] - found[0][0]) / extent);
  assert_true(fabs(found[1][0] - found[0][0]) < 2e-4 * extent);
  cap_data_free(data);
  cap_model_free(m);
}

/* ---- from a model file --------------------------------------------------------------------------------- */

typedef struct special {
  int n;
  double p[32], kind[32], rms[32];
} special;

static special specials(const test_result *r, const char *group)
{
  special s = {0};
  int64_t n;
  double *p = test_values(r, group, "forcing.angular_frequency", &n),
         *kind = test_values(r, group, "kind", &n);
  double *rms = test_values(r, group, "gear.position.rms_ac", &n);
  for (int64_t k = 0; k < n && s.n < 32; k++)
    if (kind[k] != 0) s.p[s.n] = p[k], s.kind[s.n] = kind[k], s.rms[s.n++] = rms[k];
  free(p);
  free(kind);
  free(rms);
  return s;
}

/* Case 2, exact law: the same folds and period doublings in the same order, as near as 36 harmonics allow. */
static void both_methods(void **state)
{
  (void)state;
#define SWEEP "sweep: {parameter: forcing.angular_frequency, values: [0.4 rad/s, 1.2 rad/s]}"
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
      "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
      "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
      "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\nforcing: {angular_frequency: 1 "
      "rad/s}\n"
      "analyses:\n  - response: {method: shooting, " SWEEP "}\n"
      "  - response: {method: harmonic-balance, harmonics: 36, " SWEEP
      "}\noutputs: {channels: [gear.position]}\n");
  special shot = specials(&r, "response"), balanced = specials(&r, "response-2");
  assert_int_equal(shot.n, balanced.n);
  assert_true(shot.n >= 6);
  for (int k = 0; k < shot.n; k++) {
    print_message("  kind %g at %.7f, by the balance %.7f; rms %.7f, %.7f\n", shot.kind[k], shot.p[k],
                  balanced.p[k], shot.rms[k], balanced.rms[k]);
    assert_true(shot.kind[k] == balanced.kind[k] && fabs(shot.p[k] - balanced.p[k]) < 2e-5 &&
                fabs(shot.rms[k] - balanced.rms[k]) < 2e-5);
  }
  assert_string_equal(test_text(&r, "response", "method"), "shooting");
  assert_string_equal(test_text(&r, "response", "branch.1.name"), "main");
  assert_non_null(strstr(test_text(&r, "response", "branch.1.ends"), "limit"));
  test_result_close(&r);
}

/* Over the load, from nothing at all: the first orbit is the equilibrium, which has no extent to measure
 * errors by, and no step of the integrator may be chosen by the rounding of velocities. */
static void from_rest(void **state)
{
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* the code of the tests before, for longer */
#endif
#define LOADS "sweep: {parameter: \"loads[0].harmonics[0].amplitude\", values: [0 N, 0.02 N]}"
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
      "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
      "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
      "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: {angular_frequency: 0.8 "
      "rad/s}\n"
      "analyses: [{response: {method: shooting, " LOADS "}}]\noutputs: {channels: [gear.position]}\n");
  int64_t n;
  double *p = test_values(&r, "response", "loads[0].harmonics[0].amplitude", &n);
  double *rms = test_values(&r, "response", "gear.position.rms_ac", &n);
  double *mean = test_values(&r, "response", "gear.position.mean", &n);
  assert_string_equal(test_text(&r, "response", "branch.1.name"), "main");
  assert_true(n > 20 && fabs(p[0]) < 1e-12 && fabs(mean[0] - 0.2245) < 1e-9 && rms[0] < 1e-9);
  /* as long as it does not leave the flank it is a linear oscillator */
  double gain = 1.0 / hypot(1.0 - 0.64, 0.05 * 0.8) / sqrt(2.0);
  int linear = 0;
  for (int64_t k = 0; k < n && p[k] < 0.017; k++, linear++) assert_true(fabs(rms[k] - gain * p[k]) < 1e-7);
  print_message("  %d points, %d of them linear\n", (int)n, linear);
  assert_true(linear > 5);
  free(p);
  free(rms);
  free(mean);
  test_result_close(&r);
}

/* Masing's tensioner, whose friction sticks and slips, for a family of loads: the exact grid of orbits has
 * the same ranges. */
static void friction_and_family(void **state)
{
  (void)state;
  test_result r = test_result_run(
      TEST_BELT TEST_MASING
      "analyses:\n  - response: {method: shooting, sweep: {parameter: load.angular_frequency, values: [50 "
      "rad/s, 62 "
      "rad/s]}, "
      "family: {parameter: load.amplitude, values: [120 N, 200 N]}}\n"
      "  - response: {method: exact, sweep: {parameter: load.angular_frequency, values: [50 rad/s, 62 "
      "rad/s]}, "
      "family: {parameter: load.amplitude, values: [120 N, 200 N]}}\noutputs: {channels: [mass.position]}\n");
  int64_t n, m;
  double *p = test_values(&r, "response", "load.angular_frequency", &n),
         *f = test_values(&r, "response", "load.amplitude", &n);
  double *low = test_values(&r, "response", "mass.position.min", &n),
         *high = test_values(&r, "response", "mass.position.max", &n);
  double *range = test_values(&r, "response-2", "mass.position.range", &m);
  int met = 0;
  assert_int_equal(m, 4);
  for (int64_t k = 0; k < n; k++)
    for (int at = 0; at < 4; at++)
      if (fabs(p[k] - (at % 2 ? 62 : 50)) < 1e-6 && f[k] == (at / 2 ? 200 : 120)) {
        assert_true(fabs((high[k] - low[k]) / range[at] - 1.0) < 1e-4);
        met++;
      }
  print_message("  %d points, %d at the ends compared\n", (int)n, met);
  assert_true(met >= 4);
  free(p);
  free(f);
  free(low);
  free(high);
  free(range);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(case_1_folds), cmocka_unit_test(over_the_load),
                                     cmocka_unit_test(far_guess),    cmocka_unit_test(both_methods),
                                     cmocka_unit_test(from_rest),    cmocka_unit_test(friction_and_family)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
