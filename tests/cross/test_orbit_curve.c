/* Steady orbits followed by shooting on the continuation core: the folds of the clearance oscillator against
 * the harmonic balance and the reference values; multipliers; any parameter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/orbit_curve.h"

typedef struct drive {
  const char *law, *parameter, *unit;
  double amplitude, pulsation;
} drive;

static cap_status build(void *self, double p, cap_model **m, cap_error *error)
{
  (void)error;
  const drive *d = self;
  char text[1024], setting[128];
  const char *settings[] = {setting};
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
           "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
           "springs: [{from: gear, damping: 0.05 N s/m}]\n"
           "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, %s}}]\n"
           "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %g N}]}]\n"
           "forcing: {pulsation: %.17g rad/s}\n" TEST_ANY,
           d->law, d->amplitude, d->pulsation);
  snprintf(setting, sizeof setting, "%s=%.17g %s", d->parameter, p, d->unit);
  test_system s = test_system_with(text, 1, settings);
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
  static const struct {
    const char *law;
    double high, low;
  } cases[] = {{"smoothing: exact", .92132, .61647},
               {"smoothing: g1, sigma: 10", .89783, .62935},
               {"smoothing: g1, sigma: 50", .93223, .61813},
               {"smoothing: g1, sigma: 100", .92620, .61688}};
  for (int k = 0; k < 4; k++) {
    drive d = {cases[k].law, "forcing.pulsation", "rad/s", 0.008, 0.1};
    cap_continuation_result result;
    seen s = follow(&d, 0.1, 1.6, &result);
    assert_int_equal(result.end[0], CAP_CONTINUATION_END_LIMIT);
    assert_int_equal(s.nfold, 2);
    assert_true(fabs(s.folds[0] - cases[k].high) < 2e-4 && fabs(s.folds[1] - cases[k].low) < 2e-4);
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(case_1_folds), cmocka_unit_test(over_the_load)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
