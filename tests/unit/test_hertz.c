/* Frequencies: wherever an angular frequency is read, it may be given in Hz. (What is refused:
 * tests/bad/versions.cases.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fields.h"
#include "drives/drive.h"
#include "io/model_parse.h"

#include "../support/system.h"

#include "../support/run.h"

#define OMEGA (2.0 * M_PI * 10.0) /* of 10 Hz */

#define BELT(load)                                                                                           \
  "capstan: 2\nname: t\ndrive: belt-tensioner-mass\nmasses: {mass: 73.84 kg, pulley: 0.15 kg}\n"             \
  "belt: {stiffness: 560 kN/m, damping: 160 N s/m}\nload: {amplitude: 100 N, " load "}\n"
#define LINEAR  "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1e3 N s/m}\n"
#define STATICS "analyses: [{statics: {}}]\n"

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* Every key of an angular frequency has its other one, called alike; returns how many there are. */
static int check_fields(const cap_field *fields, const char *of)
{
  int n = 0;
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    const cap_field *f = w.field;
    const char *angular = strstr(f->key, "angular_frequency");
    if (angular) {
      char want[64];
      snprintf(want, sizeof want, "%.*s%s", (int)(angular - f->key), f->key, angular + strlen("angular_"));
      if (!f->hertz || strcmp(f->hertz, want) != 0) fail_msg("%s: %s has no key %s", of, f->key, want);
      assert_string_equal(f->unit, "rad/s");
      assert_null(cap_fields_find(fields, want));
      n++;
    } else if (f->hertz) {
      fail_msg("%s: %s is no angular frequency", of, f->key);
    }
    if (f->kind == CAP_FIELD_SECTION || f->kind == CAP_FIELD_LIST) n += check_fields(f->fields, of);
    bool variants = f->kind == CAP_FIELD_VARIANT || f->kind == CAP_FIELD_STEPS;
    for (const cap_variant *v = variants ? f->variants : NULL; v && v->name; v++)
      if (v->fields) n += check_fields(v->fields, of);
  }
  return n;
}

static void all_angular_frequencies_have_it(void **state)
{
  (void)state;
  int n = 0;
  for (int i = 0; cap_registry_drives[i]; i++)
    n += check_fields(cap_registry_drives[i]->fields, cap_registry_drives[i]->name);
  assert_true(n >= 10);
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_model_parse_common(&registry, common);
  check_fields(common, "analyses");
}

/* ---- models -------------------------------------------------------------------------------------------- */

static cap_model_file *parse(const char *text, int nsetting, const char *const *settings)
{
  cap_model_file *file = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  assert_non_null(diag);
  if (cap_model_file_parse("t.yaml", text, strlen(text), nsetting, settings, &file, diag) != CAP_OK)
    fail_msg("%s\n%s", text, cap_diag_text(diag));
  if (diag->nwarning) fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  return file;
}

static void value_is(const cap_model_file *file, const char *path, double value)
{
  double *place = NULL;
  assert_non_null(cap_fields_locate(file->drive->fields, file->spec, path, &place));
  if (!(fabs(*place - value) <= 1e-15 * value)) fail_msg("%s: %.17g instead of %.17g", path, *place, value);
}

/* Each key of each drive, in Hz by the file, and by a setting over either. */
static void hertz_are_turned_into_rad_per_second(void **state)
{
  (void)state;
  static const struct {
    const char *path, *hertz, *text; /* %s: "frequency: 10 Hz" or so */
  } models[] = {
      {"deflection.angular_frequency", "deflection.frequency",
       "capstan: 2\nname: t\ndrive: tensioner-rig\ndeflection: {motion: harmonic, mean: 0.5 mm, amplitude: "
       "0.5 mm, "
       "%s}\n" LINEAR STATICS},
      {"tensioner.c_angular_frequency", "tensioner.c_frequency",
       BELT("angular_frequency: 5 rad/s") "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1e3 N "
                                          "s/m, c_%s}\n" STATICS},
      {"load.angular_frequency", "load.frequency", BELT("%s") LINEAR STATICS},
      {"forcing.angular_frequency", "forcing.frequency",
       "capstan: 2\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg}]\n"
       "springs: [{from: gear, stiffness: 1 N/m}]\nloads: [{on: gear, harmonics: [{amplitude: 1 N}]}]\n"
       "forcing: {%s}\n" STATICS},
      {"clamping.angular_frequency", "clamping.frequency",
       "capstan: 2\nname: t\ndrive: sheave\npulley: {speed: 2000 rpm}\nbelt: {elements: 16, wrap_angle: 200 "
       "deg, flank_stiffness: 5.46e7 N/m, radius: {shape: constant, radius: 73 mm}}\ncompliance: {kind: "
       "tilt+plate}\n"
       "clamping: {force: 8 kN, amplitude: 100 N, %s}\nanalyses: [{transient: {until: 0.1 ms}}]\n"},
      {"bodies[0].disc.oscillation.angular_frequency", "bodies[0].disc.oscillation.frequency",
       "capstan: 2\nname: t\ndrive: bodies\nbodies: [{disc: {mass: 1 kg, radius: 0.1 m, motion: prescribed, "
       "oscillation: {amplitude: 1 mm, %s}}}, {disc: {name: free, mass: 1 kg, radius: 0.1 m, x: 1 "
       "m}}]\ncontact: {law: set-valued}\nanalyses: [{transient: {until: 1 "
       "ms}}]\n"},
      {"loads[0].torque.angular_frequency", "loads[0].torque.frequency",
       "capstan: 2\nname: t\ndrive: bodies\nbodies: [{disc: {mass: 1 kg, radius: 0.1 m}}]\n"
       "loads: [{torque: {on: disc, amplitude: 1 N m, %s}}]\ncontact: {law: set-valued}\nanalyses: "
       "[{transient: "
       "{until: 1 ms}}]\n"},
  };
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    static const char *const given[] = {"frequency: 10 Hz", "frequency: 600 1/min",
                                        "angular_frequency: 3 rad/s"};
    const double values[] = {OMEGA, OMEGA, 3.0};
    for (int g = 0; g < 3; g++) {
      char text[1000], hertz[100], angular[100];
      snprintf(text, sizeof text, models[k].text, given[g]);
      snprintf(hertz, sizeof hertz, "%s=20 Hz", models[k].hertz);
      snprintf(angular, sizeof angular, "%s=7 rad/s", models[k].path);
      cap_model_file *file = parse(text, 0, NULL);
      value_is(file, models[k].path, values[g]);
      cap_model_file_free(file);
      file = parse(text, 1, (const char *const[]){hertz});
      value_is(file, models[k].path, 2.0 * OMEGA);
      cap_model_file_free(file);
      file = parse(text, 2, (const char *const[]){hertz, angular}); /* the later one counts */
      value_is(file, models[k].path, 7.0);
      cap_model_file_free(file);
    }
  }
}

/* Columns of a sweep are in rad/s, whichever key it names. */
static void sweeps_in_hertz(void **state)
{
  (void)state;
  static const char *const sweeps[] = {
      "sweep: {parameter: load.frequency, values: [5 Hz, 10 Hz, 20 Hz]}",
      "sweep: {parameter: load.frequency, from: 5 Hz, to: 20 Hz, count: 3, spacing: log}",
      ("sweep: {parameter: load.angular_frequency, values: [31.41592653589793 rad/s, 62.83185307179586 "
       "rad/s, "
       "125.66370614359172 rad/s]}")};
  double *range[3];
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, BELT("frequency: 7 Hz") LINEAR "analyses: [{response: {%s}}]\n", sweeps[k]);
    test_result r = test_result_run(text);
    int64_t n;
    double *swept = test_values(&r, "response", "load.angular_frequency", &n);
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++) assert_true(fabs(swept[i] / (0.5 * OMEGA * (1 << i)) - 1.0) < 1e-14);
    free(swept);
    range[k] = test_values(&r, "response", "belt.tension.range", &n);
    assert_int_equal(n, 3);
    test_result_close(&r);
  }
  for (int k = 1; k < 3; k++)
    for (int i = 0; i < 3; i++) assert_true(fabs(range[k][i] / range[0][i] - 1.0) < 1e-9);
  assert_true(fabs(range[0][1] / range[0][0] - 1.0) > 0.1);
  for (int k = 0; k < 3; k++) free(range[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_angular_frequencies_have_it),
      cmocka_unit_test(hertz_are_turned_into_rad_per_second),
      cmocka_unit_test(sweeps_in_hertz),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
