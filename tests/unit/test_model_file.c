/* io/model_parse, io/bind: a model file becomes structs; settings; every finding with its place. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../toy/toy_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const model =
    "capstan: 1\n"
    "name: six pulleys\n"
    "drive: toy\n"
    "belt: {stiffness: 560 kN/m, length: 1940 mm}\n"
    "pulleys:\n"
    "  - {name: crank, radius: 80 mm}\n"
    "  - {name: idler, radius: 35 mm, side: back, inertia: 0.2 kg m2}\n"
    "law: {kind: dahl, k: 0.35 N m/deg}\n"
    "load: {angular_frequency: 60 rad/s, ramp: [[0 s, 2000 rpm], [0.5 s, 1000 rpm]]}\n"
    "analyses:\n"
    "  - statics\n"
    "  - transient: {until: 0.55 s, method: euler}\n"
    "  - response:\n"
    "      sweep: {parameter: load.angular_frequency, from: 10 rad/s, to: 125 rad/s, count: 116}\n"
    "      over: {parameter: \"pulleys[1].radius\", values: [30 mm, 40 mm]}\n"
    "outputs: {channels: [a.*, b]}\n";

static cap_model_file *read_with(const char *text, int nsetting, const char *const *settings)
{
  cap_model_file *file;
  cap_diag diag;
  cap_status status = cap_model_parse_text(&toy_registry, "m.yaml", text, strlen(text), nsetting, settings,
                                           &file, &diag);
  if (status != CAP_OK) fail_msg("%s", cap_diag_text(&diag));
  assert_int_equal(diag.nerror, 0);
  cap_diag_free(&diag);
  return file;
}

static void refuse(const char *text, int nsetting, const char *const *settings, const char *expected)
{
  cap_model_file *file;
  cap_diag diag;
  cap_status status = cap_model_parse_text(&toy_registry, "m.yaml", text, strlen(text), nsetting, settings,
                                           &file, &diag);
  assert_int_equal(status, CAP_ERR_INPUT);
  assert_null(file);
  const char *said = cap_diag_text(&diag);
  if (strcmp(said, expected) != 0) fail_msg("said:\n%sexpected:\n%s", said, expected);
  cap_diag_free(&diag);
}

static void whole_model(void **state)
{
  (void)state;
  cap_model_file *file = read_with(model, 0, NULL);
  const toy_spec *toy = file->spec;
  assert_string_equal(file->name, "six pulleys");
  assert_string_equal(file->description, "");
  assert_ptr_equal(file->drive, &toy_drive);
  assert_int_equal(file->format, 1);
  assert_int_equal(file->seed, 1);
  assert_string_equal(file->source, model);
  assert_string_equal(file->path, "m.yaml");
  assert_true(toy->belt.stiffness == 560e3);
  assert_true(toy->belt.mass == 0.111);
  assert_int_equal(toy->belt.ribs, 6);
  assert_int_equal(toy->pulleys.n, 2);
  const toy_pulley *pulleys = toy->pulleys.items;
  assert_string_equal(pulleys[1].name, "idler");
  assert_true(pulleys[0].radius == 0.08 && pulleys[0].inertia == 2e-4 && pulleys[0].side == 0);
  assert_true(pulleys[1].inertia == 0.2 && pulleys[1].side == 1);
  assert_true(toy->has_law && toy->law.kind == 1 && toy->law.lambda == 1.0);
  assert_true(toy->load.has_ramp && toy->load.ramp.n == 2 && !toy->load.ramp.file);
  assert_true(toy->load.ramp.x[1] == 0.5);
  assert_true(toy->load.gravity == 9.81 && toy->load.amplitude == 13.0);
  assert_int_equal(toy->speeds.n, 2);
  assert_true(file->outputs.every == 1e-3);
  assert_int_equal(file->outputs.channels.n, 2);
  assert_string_equal(file->outputs.channels.v[0], "a.*");

  assert_int_equal(file->analyses.n, 3);
  const char *items = file->analyses.items;
  assert_int_equal(*(const int *)(const void *)items, 2);
  const toy_transient *transient = (const void *)(items + toy_registry.largest_spec);
  assert_int_equal(transient->kind, 0);
  assert_true(transient->until == 0.55 && transient->step == 1e-4 && transient->method == 2);
  const toy_response *response = (const void *)(items + 2 * toy_registry.largest_spec);
  assert_int_equal(response->kind, 1);
  assert_string_equal(response->sweep.path, "load.angular_frequency");
  assert_ptr_equal(response->sweep.target, &toy_load[0]);
  assert_int_equal(response->sweep.values.n, 116);
  assert_true(response->sweep.values.v[0] == 10.0 && response->sweep.values.v[115] == 125.0);
  assert_true(response->sweep.values.v[1] == 11.0);
  assert_true(response->over.values.v[1] == 0.04);
  cap_model_parse_free(file);
}

static void defaults(void **state)
{
  (void)state;
  cap_model_file *file = read_with("capstan: 1\ndrive: toy\nbelt: {stiffness: 1 N/m, length: 1 m}\n"
                                   "pulleys: [{name: a, radius: 1 mm}, {name: b, radius: 1 mm}]\n",
                                   0, NULL);
  const toy_spec *toy = file->spec;
  assert_false(toy->has_law);
  assert_false(toy->load.has_ramp);
  assert_true(toy->load.gravity == 9.81); /* defaults hold in a section that is not there */
  assert_true(toy->load.angular_frequency == 0.0);
  assert_int_equal(file->analyses.n, 0);
  assert_true(file->outputs.every == 1e-3);
  cap_model_parse_free(file);
  file = read_with("capstan: 1\ndrive: empty-drive\n", 0, NULL);
  assert_string_equal(file->name, "");
  cap_model_parse_free(file);
}

static void ranges(void **state)
{
  (void)state;
  static const char *const settings[] = {"speeds={from: 1 rad/s, to: 1000 rad/s, count: 4, spacing: log}"};
  cap_model_file *file = read_with(model, 1, settings);
  const toy_spec *toy = file->spec;
  assert_int_equal(toy->speeds.n, 4);
  for (int i = 0; i < 4; i++) assert_true(fabs(toy->speeds.v[i] - pow(10.0, i)) < 1e-12 * pow(10.0, i));
  assert_true(toy->speeds.v[3] == 1000.0);
  assert_string_equal(file->settings[0], settings[0]);
  cap_model_parse_free(file);
}

static void settings_reach_all(void **state)
{
  (void)state;
  static const char *const settings[] = {
      "belt.length=2 m",
      "pulleys[0].radius=50 mm",
      "pulleys[2]={name: third, radius: 1 cm}",
      "law={kind: none}",
      "analyses[1].transient.until=4 s",
      "analyses[3]=statics",
      "outputs.every=2 ms",
      "load.friction=20 %",
      "seed=42",
      "outputs.channels=[c]",
      "belt.wet=true",
      "name=changed",
      "load.ramp[1][1]=500 rpm",
      "belt.length=3 m",
      "analyses[2].response={sweep: {parameter: load.amplitude, values: [1 N, 2 N]}}"};
  cap_model_file *file = read_with(model, sizeof settings / sizeof settings[0], settings);
  const toy_spec *toy = file->spec;
  const toy_pulley *pulleys = toy->pulleys.items;
  assert_true(toy->belt.length == 3.0);
  assert_true(pulleys[0].radius == 0.05);
  assert_int_equal(toy->pulleys.n, 3);
  assert_string_equal(pulleys[2].name, "third");
  assert_int_equal(toy->law.kind, 2);
  assert_int_equal(file->analyses.n, 4);
  const toy_transient *transient = (const void *)((const char *)file->analyses.items +
                                                  toy_registry.largest_spec);
  assert_true(transient->until == 4.0 && transient->method == 2);
  assert_true(file->outputs.every == 2e-3);
  assert_true(toy->load.friction == 0.2);
  assert_int_equal(file->seed, 42);
  assert_string_equal(file->outputs.channels.v[0], "c");
  assert_true(toy->belt.wet);
  assert_string_equal(file->name, "changed");
  assert_true(fabs(toy->load.ramp.y[1] - 500 * 2 * 3.14159265358979 / 60) < 1e-10);
  cap_model_parse_free(file);
}

static void settings_refused(void **state)
{
  (void)state;
  static const char *const settings[] = {"load.amplitud=13 N",
                                         "load.amplitude=13 kg",
                                         "law={kind: linear}",
                                         "x.y.z=3",
                                         "belt.wet.x=3",
                                         "analyses[9].statics={}",
                                         "analyses[1].transient.step=4 m",
                                         "load.friction=1"};
  refuse(model, 8, settings,
         "--set analyses[9].statics={}: analyses has 3 items, counted from [0]\n"
         "--set belt.wet.x=3: expected true or false, got a section\n"
         "--set law={kind: linear}: law.k: missing; expected a torsional stiffness such as \"0.35 N m/deg\"\n"
         "--set load.amplitud=13 N: unknown key \"amplitud\"; did you mean \"amplitude\"?\n"
         "--set load.amplitude=13 kg: expected a force such as \"13 N\", got \"13 kg\"\n"
         "--set load.friction=1: expected a value at least 0 and below 1, got \"1\"\n"
         "--set x.y.z=3: unknown key \"x\"\n"
         "--set analyses[1].transient.step=4 m: expected a time in s, got \"4 m\"\n");
}

static void all_at_once(void **state)
{
  (void)state;
  refuse(
      "capstan: 1\n"
      "drive: toy\n"
      "belt: {stifness: 560 kN/m, length: 1940 kg, ribs: 3.5, wet: yes}\n"
      "pulleys:\n"
      "  - {name: crank, radius: 80}\n"
      "  - {name: idler, radius: -35 mm, side: bakc}\n"
      "law: {kind: dall, k: 0.35 N m}\n"
      "load: {angular_frequency: 10 Hz, ramp: [[0 s, 2000 rpm], [0 s, 1000 rpm]]}\n"
      "analyses:\n"
      "  - static\n"
      "  - transient: {until: 0.55 m}\n"
      "  - response: {sweep: {parameter: load.angular_frequncy, from: 10 rad/s, to: 125 rad/s, count: 116}}\n"
      "outputs: {evry: 0.1 ms, channels: a}\n",
      0, NULL,
      "m.yaml:3:8: belt: unknown key \"stifness\"; did you mean \"stiffness\"?\n"
      "m.yaml:3:36: belt.length: expected a length such as \"1940 mm\", got \"1940 kg\"\n"
      "m.yaml:3:51: belt.ribs: expected a whole number such as 6, got \"3.5\"\n"
      "m.yaml:3:61: belt.wet: expected true or false, got \"yes\"\n"
      "m.yaml:5:27: pulleys[0].radius: expected a length such as \"45 mm\", got \"80\"; the unit is missing\n"
      "m.yaml:6:27: pulleys[1].radius: expected a value above 0 m, got \"-35 mm\"\n"
      "m.yaml:6:41: pulleys[1].side: expected \"groove\" or \"back\", got \"bakc\"; did you mean \"back\"?\n"
      "m.yaml:7:13: law.kind: unknown kind \"dall\"; did you mean \"dahl\"?\n"
      "m.yaml:8:27: load.angular_frequency: expected an angular speed such as \"60 rad/s\", got \"10 Hz\"; "
      "the angle "
      "is missing in the unit: write rad/s, rev/s or rpm\n"
      "m.yaml:8:58: load.ramp[1]: expected a value above 0, the one before it (in SI units), got 0\n"
      "m.yaml:10:5: analyses[0]: unknown name \"static\"; did you mean \"statics\"?\n"
      "m.yaml:11:24: analyses[1].transient.until: expected a time such as \"0.55 s\", got \"0.55 m\"\n"
      "m.yaml:12:35: analyses[2].response.sweep.parameter: unknown parameter \"load.angular_frequncy\"; did "
      "you mean "
      "\"load.angular_frequency\"?\n"
      "m.yaml:13:11: outputs: unknown key \"evry\"; did you mean \"every\"?\n"
      "m.yaml:13:35: outputs.channels: expected a list of texts, got \"a\"\n");
}

/* Without a drive the other keys cannot be judged, but a misspelt "drive" is told. */
static void no_drive(void **state)
{
  (void)state;
  refuse("capstan: 1\nbelt: 3\n", 0, NULL, "m.yaml:1:1: drive: missing; expected a text such as toy\n");
  refuse("capstan: 1\ndrve: toy\nbelt: 3\n", 0, NULL,
         "m.yaml:2:1: unknown key \"drve\"; did you mean \"drive\"?\n");
  refuse("capstan: 1\ndrive: toi\nbelt: 3\n", 0, NULL,
         "m.yaml:2:8: drive: unknown drive \"toi\"; did you mean \"toy\"?\n");
  refuse("capstan: 1\ndrive: windmill\nnames: 3\n", 0, NULL,
         "m.yaml:2:8: drive: unknown drive \"windmill\"; known are \"toy\", \"empty-drive\"\n");
  refuse("capstan: 3\ndrive: future\n", 0, NULL,
         "m.yaml:1:10: capstan: unknown format version; expected 1 or 2, got 3\n");
}

static void cross_check(void **state)
{
  (void)state;
  static const char *const settings[] = {"belt.length=0.1 m"};
  refuse("capstan: 1\ndrive: toy\nbelt: {stiffness: 1 N/m, length: 100 mm}\n"
         "pulleys:\n  - {name: a, radius: 80 mm}\n  - {name: a, radius: 30 mm}\n",
         0, NULL,
         "m.yaml:3:34: belt.length: shorter than the radii of all pulleys together\n"
         "m.yaml:6:12: pulleys[1].name: the name \"a\" stands twice\n");
  refuse(model, 1, settings, "--set belt.length=0.1 m: shorter than the radii of all pulleys together\n");
}

/* A parameter of a variant that the model did not choose, and sweeps of a drive that is itself invalid. */
static void sweeps(void **state)
{
  (void)state;
  static const char *const other_law[] = {
      "law={kind: linear, k: 1 N m/rad}",
      "analyses=[response: {sweep: {parameter: law.lambda, values: [1 1/rad]}}]"};
  refuse(
      model, 2, other_law,
      "--set analyses=[response: {sweep: {parameter: law.lambda, values: [1 1/rad]}}]: "
      "analyses[0].response.sweep.parameter: the parameter \"law.lambda\" has no effect; expected one of the "
      "keys that this model uses\n");
  static const char *const broken_drive[] = {
      "law={kind: liner}", "analyses=[response: {sweep: {parameter: law.lambda, values: [1 1/rad]}}]"};
  refuse(model, 2, broken_drive,
         "--set law={kind: liner}: law.kind: unknown kind \"liner\"; did you mean \"linear\"?\n");
}

static void from_csv(void **state)
{
  (void)state;
  char folder[] = "/tmp/capstan-model-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char csv[100], path[100];
  snprintf(csv, sizeof csv, "%s/ramp.csv", folder);
  snprintf(path, sizeof path, "%s/m.yaml", folder);
  FILE *stream = fopen(csv, "w");
  static const char data[] = "time [ms], speed [rpm], force [N]\n0, 2000, 1\n500, 1000, 2\n";
  fputs(data, stream);
  fclose(stream);
  stream = fopen(path, "w");
  fputs(model, stream);
  fclose(stream);

  static const char *const settings[] = {"load.ramp={file: ramp.csv, x: time, y: Speed}"};
  cap_model_file *file;
  cap_diag diag;
  cap_status status = cap_model_parse_file(&toy_registry, path, 1, settings, &file, &diag);
  if (status != CAP_OK) fail_msg("%s", cap_diag_text(&diag));
  const toy_spec *toy = file->spec;
  assert_int_equal(toy->load.ramp.n, 2);
  assert_true(toy->load.ramp.x[1] == 0.5);
  assert_string_equal(toy->load.ramp.file, csv);
  assert_int_equal(file->ninput, 1); /* what was read, and its bytes */
  assert_string_equal(file->inputs[0].path, csv);
  assert_true(file->inputs[0].hash.h[0] == cap_hash_bytes(data, sizeof data - 1));
  cap_model_parse_free(file);
  cap_diag_free(&diag);

  static const char *const wrong[] = {"load.ramp={file: ramp.csv, x: tme, y: force}"};
  assert_int_equal(cap_model_parse_file(&toy_registry, path, 1, wrong, &file, &diag), CAP_ERR_INPUT);
  assert_string_equal(
      cap_diag_text(&diag),
      "--set load.ramp={file: ramp.csv, x: tme, y: force}: load.ramp.x: the file has no column "
      "\"tme\"; expected one of its columns; did you mean \"time\"?\n"
      "--set load.ramp={file: ramp.csv, x: tme, y: force}: load.ramp.y: expected a column with an "
      "angular speed (rad/s), got \"force\" in N\n");
  cap_diag_free(&diag);
  unlink(csv);
  assert_int_equal(cap_model_parse_file(&toy_registry, path, 1, settings, &file, &diag), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&diag), "ramp.csv: cannot be opened: No such file or directory"));
  cap_diag_free(&diag);
  unlink(path);
  rmdir(folder);
  assert_int_equal(cap_model_parse_file(&toy_registry, path, 0, NULL, &file, &diag), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&diag), "m.yaml: cannot be opened: No such file or directory"));
  cap_diag_free(&diag);
}

static void many_findings(void **state)
{
  (void)state;
  char text[20000] = "capstan: 1\ndrive: toy\n";
  for (int i = 0; i < 500; i++) sprintf(text + strlen(text), "zzzzzzzzzzzz%d: 1\n", i);
  cap_model_file *file;
  cap_diag diag;
  assert_int_equal(cap_model_parse_text(&toy_registry, "m.yaml", text, strlen(text), 0, NULL, &file, &diag),
                   CAP_ERR_INPUT);
  assert_int_equal(diag.nerror, 502);
  assert_int_equal(diag.nitem, CAP_DIAG_MOST);
  cap_diag_free(&diag);
}

static void quick(void **state)
{
  (void)state;
  double best = 1.0;
  for (int i = 0; i < 20; i++) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    cap_model_parse_free(read_with(model, 0, NULL));
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    if (seconds < best) best = seconds;
  }
  print_message("a model file is read in %.0f us\n", best * 1e6);
  assert_true(best < 5e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_model),        cmocka_unit_test(defaults),         cmocka_unit_test(ranges),
      cmocka_unit_test(settings_reach_all), cmocka_unit_test(settings_refused), cmocka_unit_test(all_at_once),
      cmocka_unit_test(cross_check),        cmocka_unit_test(no_drive),         cmocka_unit_test(sweeps),
      cmocka_unit_test(from_csv),           cmocka_unit_test(many_findings),    cmocka_unit_test(quick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
