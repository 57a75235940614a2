/* study/study_file: what a study file says becomes factors, cases and settings, and what is wrong is told at
 * its line. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/model_file.h"
#include "study/study_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] =
    "capstan: 1\n"
    "name: oscillator\n"
    "drive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances:\n"
    "  - gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, "
    "sigma: 100}\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\n"
    "forcing: {pulsation: 0.8 rad/s}\n"
    "seed: 7\n"
    "analyses: [{transient: {until: 2 s}}]\n"
    "outputs: {every: 0.1 s}\n";

#define HEAD      "capstan: 1\nstudy: clearance\nmodel: oscillator.yaml\n"
#define RESPONSES "responses: [{name: peak, channel: gear.position, reduce: amplitude, goal: minimise}]\n"
#define GRID      "design: {kind: grid}\n"

static cap_diag diag;

static int tear_down(void **state)
{
  (void)state;
  cap_diag_free(&diag);
  return 0;
}

static cap_status parse_at(const char *path, const char *text, cap_study **study)
{
  cap_study_file_source source = {
      .path = path, .text = text, .size = strlen(text), .model_text = model, .model_size = sizeof model - 1};
  return cap_study_file_parse(&source, study, &diag);
}

static cap_study *good(const char *text)
{
  cap_study *study;
  cap_status status = parse_at("study.yaml", text, &study);
  if (status != CAP_OK) fail_msg("%s", cap_diag_text(&diag));
  assert_int_equal(diag.nerror, 0);
  return study;
}

/* The findings are these, and no others. */
static void bad(const char *text, const char *expected)
{
  cap_study *study;
  cap_status status = parse_at("study.yaml", text, &study);
  assert_null(study);
  assert_int_equal(status, CAP_ERR_INPUT);
  assert_string_equal(cap_diag_text(&diag), expected);
  cap_diag_free(&diag);
}

static void check_values(const cap_study *s, const double *expected)
{
  for (int64_t i = 0; i < s->ncase * s->nfactor; i++)
    if (!(fabs(s->values[i] - expected[i]) <= 1e-15 * fabs(expected[i])))
      fail_msg("value %lld is %.17g, not %.17g", (long long)i, s->values[i], expected[i]);
}

/* ----------------------------------------------------------------------------------------------- good files
 */

static void grid_of_ranges_and_lists(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD "factors:\n"
           "  - {name: w, path: forcing.pulsation, from: 0.5 rad/s, to: 1 rad/s, count: 2}\n"
           "  - {name: f, path: \"loads[0].mean\", values: [50 mN, 60 mN, 70 mN]}\n" GRID RESPONSES);
  const double expected[] = {0.5, 0.05, 0.5, 0.06, 0.5, 0.07, 1, 0.05, 1, 0.06, 1, 0.07};
  assert_int_equal(s->ncase, 6);
  check_values(s, expected);
  assert_string_equal(s->factors[0].unit, "rad/s");
  assert_string_equal(s->factors[1].unit, "N");
  assert_true(s->factors[0].nominal == 0.8); /* the model's own */
  assert_string_equal(s->design_text, "grid 2 x 3, 6 cases");
  assert_int_equal(s->nchain, 6);
  cap_study_free(s);
}

/* Settings are read back by the reader of models to the very bits, in the order of the file. */
static void settings_read_back(void **state)
{
  (void)state;
  cap_study *s = good(HEAD
                      "set: [\"outputs.every=0.05 s\"]\n"
                      "factors:\n"
                      "  - {name: w, path: forcing.pulsation, from: 0.51 rad/s, to: 1.03 rad/s}\n"
                      "  - {name: f, paths: [\"loads[0].mean\"], distribution: {law: normal, mean: 50 mN, "
                      "deviation: 1 mN}}\n"
                      "design: {kind: sobol, count: 16, seed: 3}\nreplicates: 2\n" RESPONSES);
  assert_int_equal(s->ncase, 32);
  cap_arena arena = {0};
  for (int64_t k = 0; k < s->ncase; k++) {
    int n;
    cap_model_file *file;
    const char *const *settings = cap_study_settings(s, k, &n, &arena);
    assert_int_equal(n, 4);
    assert_string_equal(settings[0], "outputs.every=0.05 s");
    assert_string_equal(settings[3], k % 2 ? "seed=8" : "seed=7");
    assert_int_equal(cap_model_file_parse("m.yaml", model, sizeof model - 1, n, settings, &file, &diag),
                     CAP_OK);
    double *place;
    assert_non_null(cap_fields_locate(file->drive->fields, file->spec, "forcing.pulsation", &place));
    assert_true(*place == s->values[2 * k]);
    assert_non_null(cap_fields_locate(file->drive->fields, file->spec, "loads[0].mean", &place));
    assert_true(*place == s->values[2 * k + 1]);
    assert_int_equal(file->seed, 7 + (int)(k % 2));
    cap_model_file_free(file);
    cap_diag_free(&diag);
    cap_arena_reset(&arena);
  }
  cap_arena_free(&arena);
  cap_study_free(s);
}

static void unknown_path(void **state)
{
  (void)state;
  bad(HEAD "factors: [{name: w, path: forcing.pulsaton, values: [1 rad/s]}]\n" GRID RESPONSES,
      "study.yaml:4:27: factors[0].path: the model has no key \"forcing.pulsaton\"; did you mean "
      "\"forcing.pulsation\"?\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(grid_of_ranges_and_lists, tear_down),
      cmocka_unit_test_teardown(settings_read_back, tear_down),
      cmocka_unit_test_teardown(unknown_path, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
