/* Models behind the public header: opened from files and from memory, set, described, and their variables. */
#include "capstan/capstan.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char rig[] =
    "capstan: 2\n"
    "name: rig in memory\n"
    "drive: tensioner-rig\n"
    "deflection: {motion: harmonic, amplitude: 0.52 mm, frequency: 10 Hz}\n"
    "tensioner: {law: masing, k0: 2.34e5 N/m, c: 1.93e4 N s/m, sliders: [{k: 4.84e5 N/m, "
    "alpha: 163 N}]}\n"
    "analyses:\n"
    "  - transient: {until: 0.05 s}\n";

static capstan_model *open_text(const char *text, int nsetting, const char *const *settings)
{
  capstan_model *model;
  capstan_code code = capstan_open_text(text, strlen(text), "rig.yaml", nsetting, settings, &model);
  if (code != CAPSTAN_OK) fail_msg("%s", capstan_message(model));
  return model;
}

static double value_of(capstan_model *model, const char *path)
{
  const capstan_variable *list;
  int n = capstan_variables(model, CAPSTAN_PARAMETER, &list),
      k = capstan_find(model, CAPSTAN_PARAMETER, path);
  if (k < 0 || k >= n) fail_msg("%s: no such parameter", path);
  return list[k].start;
}

static void a_model_in_memory_is_that_of_the_file(void **state)
{
  (void)state;
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen("examples/two_pulley.yaml", "r");
  assert_non_null(file);
  size_t size = fread(text, 1, 1 << 16, file);
  fclose(file);
  capstan_model *a, *b;
  assert_int_equal(capstan_open("examples/two_pulley.yaml", 0, NULL, &a), CAPSTAN_OK);
  assert_int_equal(capstan_open_text(text, size, "examples/two_pulley.yaml", 0, NULL, &b), CAPSTAN_OK);
  assert_string_equal(capstan_describe(a), capstan_describe(b));
  assert_non_null(strstr(capstan_describe(a), "examples/two_pulley.yaml: valid\n"));
  for (capstan_kind kind = CAPSTAN_PARAMETER; kind <= CAPSTAN_STATE; kind++) {
    const capstan_variable *x, *y;
    int n = capstan_variables(a, kind, &x);
    assert_int_equal(n, capstan_variables(b, kind, &y));
    for (int k = 0; k < n; k++) assert_string_equal(x[k].name, y[k].name);
  }
  capstan_close(a);
  capstan_close(b);
  free(text);
}

/* What `capstan check` prints. */
static void the_description_is_what_check_prints(void **state)
{
  (void)state;
  capstan_model *model;
  char *printed = calloc(1, 1 << 16);
  FILE *pipe = popen(CAPSTAN_PROGRAM " check examples/accessory_drive.yaml", "r");
  assert_non_null(pipe);
  fread(printed, 1, (1 << 16) - 1, pipe);
  assert_int_equal(pclose(pipe), 0);
  assert_int_equal(capstan_open("examples/accessory_drive.yaml", 0, NULL, &model), CAPSTAN_OK);
  const char *text = capstan_describe(model);
  assert_true(strlen(text) > 500);
  assert_int_equal(strncmp(printed, text, strlen(text)), 0);
  assert_string_equal(printed + strlen(text),
                      "\nequations, time stepper and channels: capstan check --verbose "
                      "examples/accessory_drive.yaml\n");
  capstan_close(model);
  free(printed);
}

static void settings_take_effect_all_or_none(void **state)
{
  (void)state;
  const char *const first[] = {"tensioner.k0=11 kN/m"};
  capstan_model *model = open_text(rig, 1, first);
  assert_true(value_of(model, "tensioner.k0") == 11e3);
  const char *const more[] = {"deflection.amplitude=0.6 mm", "analyses[0].transient.until=0.1 s"};
  assert_int_equal(capstan_set(model, 2, more), CAPSTAN_OK);
  assert_string_equal(capstan_message(model), "");
  assert_true(value_of(model, "tensioner.k0") == 11e3);
  assert_true(value_of(model, "deflection.amplitude") == 0.6e-3);
  assert_true(value_of(model, "analyses[0].transient.until") == 0.1);
  const char *const bad[] = {"deflection.amplitude=0.7 mm", "tensioner.k0=5 mm"};
  assert_int_equal(capstan_set(model, 2, bad), CAPSTAN_BAD_INPUT);
  const capstan_finding *findings;
  assert_int_equal(capstan_findings(model, &findings), 1);
  assert_int_equal(findings[0].warning, 0);
  assert_string_equal(findings[0].file, "--set tensioner.k0=5 mm");
  assert_non_null(strstr(findings[0].text, "expected"));
  assert_non_null(strstr(capstan_message(model), findings[0].text));
  assert_true(value_of(model, "deflection.amplitude") == 0.6e-3);
  assert_int_equal(capstan_set(model, 1, first), CAPSTAN_OK);
  assert_int_equal(capstan_findings(model, &findings), 0);
  capstan_close(model);
}

static void findings_have_their_places(void **state)
{
  (void)state;
  char text[sizeof rig];
  strcpy(text, rig);
  memcpy(strstr(text, "0.52 mm"), "0.52 kg", 7);
  capstan_model *model;
  const capstan_finding *f;
  assert_int_equal(capstan_open_text(text, strlen(text), "rig.yaml", 0, NULL, &model), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_findings(model, &f), 1);
  assert_string_equal(f->file, "rig.yaml");
  assert_int_equal(f->line, 4);
  assert_int_equal(f->column, 43);
  assert_string_equal(f->path, "deflection.amplitude");
  const capstan_variable *list;
  const char *const *names;
  assert_int_equal(capstan_variables(model, CAPSTAN_PARAMETER, &list), 0);
  assert_int_equal(capstan_analyses(model, &names), 0);
  assert_string_equal(capstan_describe(model), "");
  capstan_close(model);
}

static void variables_have_units_limits_and_sentences(void **state)
{
  (void)state;
  capstan_model *model = open_text(rig, 0, NULL);
  const capstan_variable *list;
  int n = capstan_variables(model, CAPSTAN_PARAMETER, &list);
  int frequency = capstan_find(model, CAPSTAN_PARAMETER, "deflection.frequency");
  assert_in_range(frequency, 0, n - 1);
  assert_string_equal(list[frequency].unit, "1/s"); /* as the file has it, in Hz */
  assert_true(fabs(list[frequency].start - 10.0) < 1e-14);
  assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, "deflection.angular_frequency"), -1);
  int amplitude = capstan_find(model, CAPSTAN_PARAMETER, "deflection.amplitude");
  assert_string_equal(list[amplitude].unit, "m");
  assert_true(list[amplitude].low == 0.0 && isinf(list[amplitude].high));
  assert_true(strlen(list[amplitude].text) > 5);
  n = capstan_variables(model, CAPSTAN_OUTPUT, &list);
  assert_true(n > 2);
  for (int k = 0; k < n; k++) assert_true(isnan(list[k].start) && *list[k].text);
  const char *const *names;
  assert_int_equal(capstan_analyses(model, &names), 1);
  assert_string_equal(names[0], "transient");
  capstan_close(model);
}

static void inputs_are_listed(void **state)
{
  (void)state;
  const char *const set[] = {"deflection={input: push, start: 0.1 mm}"};
  capstan_model *model = open_text(rig, 1, set);
  const capstan_variable *list;
  assert_int_equal(capstan_variables(model, CAPSTAN_INPUT, &list), 1);
  assert_string_equal(list->name, "push");
  assert_string_equal(list->unit, "m");
  assert_true(list->start == 0.1e-3 && list->position == 1);
  assert_int_equal(capstan_find(model, CAPSTAN_INPUT, "push"), 0);
  assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, "deflection.start"), -1);
  capstan_close(model);
}

static void items_are_found_by_number_and_by_name(void **state)
{
  (void)state;
  capstan_model *model;
  assert_int_equal(capstan_open("examples/accessory_drive.yaml", 0, NULL, &model), CAPSTAN_OK);
  int k = capstan_find(model, CAPSTAN_PARAMETER, "pulleys[0].inertia");
  assert_true(k >= 0);
  assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, "pulleys[crank].inertia"), k);
  assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, "pulleys[nobody].inertia"), -1);
  assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, "pulleys"), -1);
  capstan_close(model);
}

/* ---- every model of the examples ----------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_are_unique(const char *path, const capstan_variable *list, int n)
{
  const char **names = calloc((size_t)n + 1, sizeof *names);
  for (int k = 0; k < n; k++) names[k] = list[k].name;
  qsort(names, (size_t)n, sizeof *names, compare);
  for (int k = 1; k < n; k++)
    if (strcmp(names[k - 1], names[k]) == 0) fail_msg("%s: two are called %s", path, names[k]);
  free(names);
}

/* Apply settings but for those that are refused: a default that this model makes no use of may not suit it
 * once it is given ("step" of an adaptive method). Returns how many. */
static int set_most(const char *path, capstan_model *model, int n, char **settings)
{
  const char **some = calloc((size_t)n + 1, sizeof *some);
  int left = 0, most = n;
  for (int k = 0; k < n; k++) some[k] = settings[k];
  while (capstan_set(model, most, some) != CAPSTAN_OK) {
    const capstan_finding *findings;
    int before = left, nfinding = capstan_findings(model, &findings);
    for (int f = 0; f < nfinding; f++)
      for (int k = 0; k < most && !findings[f].warning; k++)
        if (strncmp(findings[f].file, "--set ", 6) == 0 && strcmp(findings[f].file + 6, some[k]) == 0) {
          some[k] = some[--most];
          left++;
        }
    if (left == before) fail_msg("%s: %s", path, capstan_message(model));
  }
  free(some);
  return left;
}

/* Set each parameter to the value that it has: nothing changes. */
static void set_as_it_is(const char *path, capstan_model *model)
{
  const capstan_variable *list;
  int n = capstan_variables(model, CAPSTAN_PARAMETER, &list);
  char **settings = calloc((size_t)n + 1, sizeof *settings);
  double *values = calloc((size_t)n + 1, sizeof *values);
  for (int k = 0; k < n; k++) {
    char text[600];
    values[k] = list[k].start;
    snprintf(text, sizeof text, "%s=%.17g%s%s", list[k].name, values[k], *list[k].unit ? " " : "",
             list[k].unit);
    settings[k] = strdup(text);
    assert_int_equal(capstan_find(model, CAPSTAN_PARAMETER, list[k].name), k);
    if (list[k].low > values[k] || list[k].high < values[k]) fail_msg("%s: %s", path, text);
  }
  assert_in_range(set_most(path, model, n, settings), 0, 3);
  int again = capstan_variables(model, CAPSTAN_PARAMETER, &list), same = 0;
  for (int k = 0; k < n; k++) {
    int at = capstan_find(model, CAPSTAN_PARAMETER, strtok(settings[k], "="));
    double value = at < 0 ? NAN : list[at].start;
    if (!(fabs(value - values[k]) <= 1e-15 * fabs(values[k]))) fail_msg("%s: %s", path, settings[k]);
    same++;
  }
  assert_true(same == n && again >= n);
  for (int k = 0; k < n; k++) free(settings[k]);
  free(settings);
  free(values);
}

static void every_parameter_can_be_set(void **state)
{
  (void)state;
  glob_t files;
  int nmodel = 0;
  long nparameter = 0;
  assert_int_equal(glob("examples/*.yaml", 0, NULL, &files), 0);
  for (size_t f = 0; f < files.gl_pathc; f++) {
    const char *path = files.gl_pathv[f];
    if (strstr(path, "_study.yaml")) continue;
    capstan_model *model;
    if (capstan_open(path, 0, NULL, &model) != CAPSTAN_OK) fail_msg("%s", capstan_message(model));
    for (capstan_kind kind = CAPSTAN_PARAMETER; kind <= CAPSTAN_STATE; kind++) {
      const capstan_variable *list;
      int n = capstan_variables(model, kind, &list);
      if (n == 0 && *capstan_message(model)) fail_msg("%s: %s", path, capstan_message(model));
      names_are_unique(path, list, n);
      if (kind == CAPSTAN_PARAMETER) nparameter += n;
    }
    set_as_it_is(path, model);
    capstan_close(model);
    nmodel++;
  }
  globfree(&files);
  print_message("%ld parameters of %d models\n", nparameter, nmodel);
  assert_true(nmodel > 50 && nparameter > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_in_memory_is_that_of_the_file),
      cmocka_unit_test(the_description_is_what_check_prints),
      cmocka_unit_test(settings_take_effect_all_or_none),
      cmocka_unit_test(findings_have_their_places),
      cmocka_unit_test(variables_have_units_limits_and_sentences),
      cmocka_unit_test(inputs_are_listed),
      cmocka_unit_test(items_are_found_by_number_and_by_name),
      cmocka_unit_test(every_parameter_can_be_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
