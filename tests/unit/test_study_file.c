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
    "forcing: {angular_frequency: 0.8 rad/s}\n"
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
  cap_diag_free(&diag);
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

/* --------------------------------------------------------------------------------------------- good files */

static void grid_of_ranges_and_lists(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD "factors:\n"
           "  - {name: w, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1 rad/s, count: 2}\n"
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
                      "  - {name: w, path: forcing.angular_frequency, from: 0.51 rad/s, to: 1.03 rad/s}\n"
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
    assert_non_null(cap_fields_locate(file->drive->fields, file->spec, "forcing.angular_frequency", &place));
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

/* A digit more or less in the settings would be another case. */
static void levels_of_whole_sections(void **state)
{
  (void)state;
  cap_study *s = good(HEAD
                      "factors:\n"
                      "  - name: gap\n"
                      "    path: \"clearances[0]\"\n"
                      "    levels:\n"
                      "      soft: {gap: {from: gear, stiffness: 1 N/m, low: -0.1 m, high: 0.1 m}}\n"
                      "      stiff: \"{gap: {from: gear, stiffness: 2 N/m, low: -0.1 m, high: 0.1 m}}\"\n"
                      "  - {name: shape, path: \"clearances[0].gap.smoothing\", levels: [g1, exact]}\n"
                      "  - {name: seed, path: seed, from: 3, to: 5}\n" GRID RESPONSES);
  assert_int_equal(s->ncase, 12);
  const double last[] = {2, 2, 5};
  assert_memory_equal(s->values + 33, last, sizeof last);
  assert_string_equal(s->factors[0].labels[0], "soft");
  assert_string_equal(s->factors[1].labels[1], "exact");
  assert_int_equal(s->factors[2].nvalue, 3);
  cap_arena arena = {0};
  int n;
  const char *const *settings = cap_study_settings(s, 2, &n, &arena);
  assert_int_equal(n, 3);
  assert_string_equal(settings[0],
                      "clearances[0]={\"gap\": {\"from\": \"gear\", \"stiffness\": \"1 N/m\", \"low\": "
                      "\"-0.1 m\", \"high\": \"0.1 m\"}}");
  assert_string_equal(settings[1], "clearances[0].gap.smoothing=g1");
  assert_string_equal(settings[2], "seed=5");
  settings = cap_study_settings(s, 11, &n, &arena);
  assert_string_equal(settings[0],
                      "clearances[0]={gap: {from: gear, stiffness: 2 N/m, low: -0.1 m, high: 0.1 m}}");
  cap_model_file *file;
  assert_int_equal(cap_model_file_parse("m.yaml", model, sizeof model - 1, n, settings, &file, &diag),
                   CAP_OK);
  cap_model_file_free(file);
  cap_arena_free(&arena);
  cap_study_free(s);
}

/* Formulas in the order of their needs, not of the file; one of them and one factor serve others only. */
static void formulas(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD
      "factors:\n"
      "  - {name: f, path: \"loads[0].mean\", formula: \"half*0.1 + 0*pi\"}\n"
      "  - {name: half, formula: mass/2}\n"
      "  - {name: mass, values: [1 kg, 2000 g]}\n"
      "  - {name: w, path: forcing.angular_frequency, values: [1 rad/s], nominal: 2 rad/s}\n" GRID RESPONSES);
  const double expected[] = {0.05, 0.5, 1, 1, 0.1, 1, 2, 1};
  assert_int_equal(s->ncase, 2);
  check_values(s, expected);
  assert_int_equal(s->nformula, 2);
  assert_int_equal(s->formulas[0], 1);
  assert_int_equal(s->formulas[1], 0);
  assert_int_equal(s->nindependent, 2);
  assert_string_equal(s->factors[2].unit, "kg");
  assert_true(s->factors[0].low == 0.05 && s->factors[0].high == 0.1);
  assert_true(s->factors[3].nominal == 2 && s->factors[1].nominal == 0.5);
  cap_arena arena = {0};
  int n;
  const char *const *settings = cap_study_settings(s, 1, &n, &arena);
  assert_int_equal(n, 2);
  assert_string_equal(settings[0], "loads[0].mean=0.10000000000000001 N");
  cap_arena_free(&arena);
  cap_study_free(s);
}

/* The nominal case first, then each factor at its values or ends; what is nominal is not repeated. */
static void one_at_a_time(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD "factors:\n"
           "  - {name: w, path: forcing.angular_frequency, values: [0.5 rad/s, 0.8 rad/s, 1 rad/s]}\n"
           "  - {name: f, path: \"loads[0].mean\", from: 40 mN, to: 60 mN}\n"
           "  - {name: m, path: \"bodies[0].mass\", distribution: {law: triangular, low: 0.5 kg, mode: "
           "1 kg, high: 2 kg}}\n"
           "design: {kind: one-at-a-time}\n" RESPONSES);
  const double expected[] = {0.8, 0.05, 1,    0.5, 0.05, 1,    1,   0.05, 1,    0.8, 0.04,
                             1,   0.8,  0.06, 1,   0.8,  0.05, 0.5, 0.8,  0.05, 2};
  assert_int_equal(s->ncase, 7);
  check_values(s, expected);
  cap_study_free(s);
}

/* A, B, and A with one column of B after the other; formulas follow. */
static void saltelli(void **state)
{
  (void)state;
  for (int seed = 0; seed < 3; seed += 2) {
    char text[700];
    snprintf(text, sizeof text,
             HEAD "factors:\n"
                  "  - {name: w, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1 rad/s}\n"
                  "  - {name: m, path: \"bodies[0].mass\", formula: 1/w}\n"
                  "  - {name: f, path: \"loads[0].mean\", from: 40 mN, to: 60 mN}\n"
                  "design: {kind: saltelli, count: 64, seed: %d}\n" RESPONSES,
             seed);
    cap_study *s = good(text);
    assert_int_equal(s->ncase, 256);
    int parts[64] = {0};
    for (int64_t p = 0; p < 64; p++) {
      const double *a = s->values + 12 * p, *b = a + 3, *first = b + 3, *second = first + 3;
      assert_true(first[0] == b[0] && first[2] == a[2]);
      assert_true(second[0] == a[0] && second[2] == b[2]);
      for (int k = 0; k < 4; k++) assert_true(a[3 * k + 1] == 1 / a[3 * k]);
      assert_true(a[0] != b[0] || a[2] != b[2]);
      assert_int_equal(parts[(int)((b[0] - 0.5) * 128)]++, 0); /* B fills each part once as A does */
      if (seed == 0) assert_true(fabs(fmod((b[0] - 0.5) * 128, 1) - 0.5) < 1e-9);
    }
    assert_string_equal(s->design_text, "Saltelli's samples of 64 points, 256 cases");
    cap_study_free(s);
  }
}

/* The middles of equal parts: of a symmetric law the mean is exact, and its quantiles are there. */
static void sobol_of_laws(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD "factors:\n"
           "  - {name: f, path: \"loads[0].mean\", distribution: {law: normal, mean: 50 mN, deviation: 1 "
           "mN}}\n"
           "  - {name: k, path: \"clearances[0].gap.sigma\", values: [50, 100, 150, 200]}\n"
           "design: {kind: sobol, count: 64}\n" RESPONSES);
  double sum = 0, high = 0;
  int counts[5] = {0};
  for (int64_t k = 0; k < 64; k++) {
    sum += s->values[2 * k] - 0.05;
    high = fmax(high, s->values[2 * k]);
    counts[(int)(s->values[2 * k + 1] / 50)]++;
  }
  assert_true(fabs(sum) < 64 * 1e-17);
  assert_true(fabs((high - 0.05) / 1e-3 - 2.4175590162365044) < 1e-12); /* 127/128 lie below */
  for (int k = 1; k <= 4; k++) assert_int_equal(counts[k], 16);
  cap_study_free(s);
}

/* Each of 50 parts of equal share once, in another order for another seed. */
static void latin_hypercube(void **state)
{
  (void)state;
  double first[2];
  for (int seed = 0; seed < 2; seed++) {
    char text[700];
    snprintf(text, sizeof text,
             HEAD "factors:\n"
                  "  - {name: w, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1 rad/s}\n"
                  "  - {name: f, path: \"loads[0].mean\", from: 10 mN, to: 1000 mN, spacing: log}\n"
                  "design: {kind: latin-hypercube, count: 50, seed: %d}\n" RESPONSES,
             seed);
    cap_study *s = good(text);
    int counts[2][50] = {0};
    for (int64_t k = 0; k < 50; k++) {
      counts[0][(int)((s->values[2 * k] - 0.5) / 0.5 * 50)]++;
      counts[1][(int)(log10(s->values[2 * k + 1] / 0.01) / 2 * 50)]++;
    }
    for (int k = 0; k < 50; k++) assert_true(counts[0][k] == 1 && counts[1][k] == 1);
    assert_true(s->factors[1].logarithmic && !s->factors[0].logarithmic);
    first[seed] = s->values[0];
    cap_study_free(s);
  }
  assert_true(first[0] != first[1]);
}

/* Cases that differ in the factor of the continuation only, by its values; replicates are apart. */
static void chains(void **state)
{
  (void)state;
  for (int high = 0; high < 2; high++) {
    char text[700];
    snprintf(text, sizeof text,
             HEAD
             "factors:\n"
             "  - {name: w, path: forcing.angular_frequency, values: [0.7 rad/s, 0.5 rad/s, 0.9 rad/s]}\n"
             "  - {name: m, path: \"bodies[0].mass\", formula: 1/w}\n"
             "  - {name: f, path: \"loads[0].mean\", values: [50 mN, 40 mN]}\n"
             "replicates: 2\ncontinuation: %s\n" GRID RESPONSES,
             high ? "{factor: w, from: high}" : "w");
    cap_study *s = good(text);
    /* cases: w slowest, f, replicate */
    static const int64_t low_order[] = {4, 0, 8, 5, 1, 9, 6, 2, 10, 7, 3, 11};
    static const int64_t high_order[] = {8, 0, 4, 9, 1, 5, 10, 2, 6, 11, 3, 7};
    assert_int_equal(s->nchain, 4);
    for (int c = 0; c <= 4; c++) assert_int_equal(s->chains[c], 3 * c);
    assert_memory_equal(s->order, high ? high_order : low_order, sizeof low_order);
    assert_int_equal(cap_study_replicate(s, 5), 1);
    cap_study_free(s);
  }
}

static void write_file(const char *path, const char *text)
{
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* A table beside the study file: its values in SI, its factors without any of their own,
 * and what was read. */
static void table(void **state)
{
  (void)state;
  char folder[] = "/tmp/capstan-study-XXXXXX", csv[64], yaml[64];
  assert_non_null(mkdtemp(folder));
  snprintf(csv, sizeof csv, "%s/cases.csv", folder);
  snprintf(yaml, sizeof yaml, "%s/study.yaml", folder);
  const char text[] = HEAD
      "factors: [{name: w, path: forcing.angular_frequency}, {name: f}, {name: load, path: "
      "\"loads[0].mean\", formula: f}]\n"
      "design: {kind: table, file: cases.csv}\n" RESPONSES;
  write_file(csv, "f [mN]; w [rad/s]\n60; 0,9\n50; 0,5\n60; 0,7\n");
  cap_study *s, *other;
  assert_int_equal(parse_at(yaml, text, &s), CAP_OK);
  cap_diag_free(&diag);
  const double expected[] = {0.9, 0.06, 0.06, 0.5, 0.05, 0.05, 0.7, 0.06, 0.06};
  assert_int_equal(s->ncase, 3);
  check_values(s, expected);
  assert_int_equal(s->factors[0].nvalue, 3);
  assert_int_equal(s->factors[1].nvalue, 2);
  assert_string_equal(s->factors[1].unit, "N");
  assert_true(s->factors[0].values[0] == 0.5 && s->factors[0].nominal == 0.7);
  assert_int_equal(s->ninput, 3);
  assert_string_equal(s->inputs[0].path, yaml);
  assert_string_equal(s->inputs[2].path, csv);
  write_file(csv, "f [mN]; w [rad/s]\n60; 0,9\n50; 0,5\n60; 0,8\n");
  assert_int_equal(parse_at(yaml, text, &other), CAP_OK);
  assert_memory_not_equal(&s->fingerprint, &other->fingerprint, sizeof s->fingerprint);
  assert_memory_not_equal(&s->inputs[2].hash, &other->inputs[2].hash, sizeof s->inputs[2].hash);
  assert_memory_equal(&s->inputs[1].hash, &other->inputs[1].hash, sizeof s->inputs[1].hash);
  cap_study_free(s);
  cap_study_free(other);
  unlink(csv);
  rmdir(folder);
}

/* Files that only a level names are inputs too. */
static void data_of_levels(void **state)
{
  (void)state;
  static const char rig[] =
      "capstan: 1\ndrive: tensioner-rig\n"
      "tensioner: {law: linear, k0: 2e5 N/m}\n"
      "deflection: {motion: harmonic, amplitude: 0.5 mm, angular_frequency: 9.4 rad/s}\n";
  static const char text[] =
      "capstan: 1\nstudy: loops\nmodel: rig.yaml\n"
      "factors:\n"
      "  - name: motion\n"
      "    path: deflection\n"
      "    levels:\n"
      "      sine: {motion: harmonic, amplitude: 0.7 mm, angular_frequency: 9.4 rad/s}\n"
      "      loop: {motion: measured, samples: {file: loop.csv, x: time, y: x}}\n" GRID
      "responses: [{name: f, channel: force, reduce: max}]\n";
  char folder[] = "/tmp/capstan-study-XXXXXX", csv[64], yaml[64];
  assert_non_null(mkdtemp(folder));
  snprintf(csv, sizeof csv, "%s/loop.csv", folder);
  snprintf(yaml, sizeof yaml, "%s/study.yaml", folder);
  write_file(csv, "time [s], x [mm]\n0, 0\n1, 1\n2, 0\n3, 1\n4, 0\n5, 1\n6, 0\n7, 1\n8, 0\n");
  cap_study_file_source source = {.path = yaml,
                                  .text = text,
                                  .size = sizeof text - 1,
                                  .model_text = rig,
                                  .model_size = sizeof rig - 1,
                                  .checked = true};
  cap_study *s;
  if (cap_study_file_parse(&source, &s, &diag) != CAP_OK) fail_msg("%s", cap_diag_text(&diag));
  assert_int_equal(s->ninput, 3);
  assert_string_equal(s->inputs[2].path, csv);
  cap_study_free(s);
  unlink(csv);
  rmdir(folder);
}

/* What decides cases and responses is in the fingerprint, what is made of them is not. */
static void fingerprint(void **state)
{
  (void)state;
#define FACTORS(x)  "factors: [{name: w, path: forcing.angular_frequency, values: [" x " rad/s, 2 rad/s]}]\n"
#define RESPONSE(x) "responses: [{name: peak, channel: gear.position, reduce: " x ", goal: minimise}]\n"
  static const char *const same[] = {
      HEAD FACTORS("1") GRID RESPONSE("max"), HEAD "description: again\n" FACTORS("1") GRID RESPONSE("max"),
      HEAD FACTORS("1.0") GRID RESPONSE("max") "analysis: {surface: true}\nslurm: {chunk: 3}\n",
      HEAD FACTORS("1") GRID RESPONSE("max") "optimise: {response: peak}\n"};
  static const char *const different[] = {
      HEAD FACTORS("1.5") GRID RESPONSE("max"),
      HEAD FACTORS("1") GRID RESPONSE("min"),
      HEAD "set: [\"outputs.every=0.2 s\"]\n" FACTORS("1") GRID RESPONSE("max"),
      HEAD FACTORS("1") GRID "replicates: 2\n" RESPONSE("max"),
      HEAD FACTORS("1") GRID "continuation: w\n" RESPONSE("max"),
      HEAD FACTORS("1") "design: {kind: one-at-a-time}\n" RESPONSE("max")};
  cap_study *s = good(same[0]);
  cap_hash128 first = s->fingerprint;
  cap_study_free(s);
  for (int k = 1; k < 4; k++) {
    s = good(same[k]);
    assert_memory_equal(&s->fingerprint, &first, sizeof first);
    cap_study_free(s);
  }
  for (int k = 0; k < 6; k++) {
    s = good(different[k]);
    assert_memory_not_equal(&s->fingerprint, &first, sizeof first);
    cap_study_free(s);
  }
}

static void responses(void **state)
{
  (void)state;
  cap_study *s = good(
      HEAD "factors: [{name: w, path: forcing.angular_frequency, from: 1 rad/s, to: 2 rad/s}]\n"
           "design: {kind: sobol, count: 3}\n"
           "responses:\n"
           "  - {name: peak, channel: gear.position, reduce: stationary, from: 500 ms, to: 1.5 s}\n"
           "  - {name: ratio, expression: peak/w, unit: m s/rad, goal: maximise, description: of both}\n"
           "  - {name: low, channel: gear.position, reduce: settled, part: 0.1, tolerance: 2 %}\n"
           "analysis: {confidence: 0.9, bootstrap: 50}\n"
           "optimise: {response: peak, goal: minimise, bounds: [{response: low, below: 20 mm}]}\n"
           "slurm: {chunk: 20, at_once: 5, options: [--time=01:00:00]}\n");
  assert_int_equal(s->nresponse, 3);
  assert_true(s->responses[0].from == 0.5 && s->responses[0].to == 1.5 && s->responses[0].tolerance == 0.02);
  assert_int_equal(s->responses[0].reduction, CAP_STUDY_STATIONARY);
  assert_int_equal(s->responses[0].goal, CAP_STUDY_MINIMISE);
  assert_null(s->responses[0].unit);
  assert_int_equal(s->responses[1].reduction, CAP_STUDY_EXPRESSION);
  assert_string_equal(s->responses[1].unit, "m s/rad");
  assert_string_equal(s->responses[1].doc, "of both");
  assert_true(isinf(s->responses[1].from) && s->responses[2].part == 0.1 &&
              s->responses[2].tolerance == 0.02);
  assert_true(s->confidence == 0.9 && s->bootstrap == 50 && !s->surface);
  assert_true(s->optimise && s->objective == 0 && s->nbound == 1);
  assert_true(s->bounds[0].response == 2 && s->bounds[0].high == 0.02 && isinf(s->bounds[0].low));
  assert_int_equal(s->chunk, 20);
  assert_string_equal(s->options[0], "--time=01:00:00");
  cap_study_free(s);
}

/* A level may bring parts that the model itself does not have, and their channels. */
static void channel_of_a_level(void **state)
{
  (void)state;
  cap_study *s = good(HEAD "factors:\n"
                           "  - name: bodies\n"
                           "    path: bodies\n"
                           "    levels:\n"
                           "      one: [{name: gear, mass: 1 kg}]\n"
                           "      two: [{name: gear, mass: 1 kg}, {name: wheel, mass: 1 kg}]\n" GRID
                           "responses: [{name: a, channel: wheel.position, reduce: max}, "
                           "{name: b, expression: max(wheel.position)}]\n");
  assert_int_equal(s->ncase, 2);
  cap_study_free(s);
}

/* Texts of a study's folder, good before: the model is not asked again, and the cases are the same. */
static void checked_before(void **state)
{
  (void)state;
  static const char text[] = HEAD
      "factors: [{name: l, path: \"clearances[0].gap.low\", values: [-0.2 m, 0.3 m]}]\n" GRID RESPONSES;
  cap_study_file_source source = {.path = "study.yaml",
                                  .text = text,
                                  .size = sizeof text - 1,
                                  .model_text = model,
                                  .model_size = sizeof model - 1,
                                  .checked = true};
  cap_study *s;
  assert_int_equal(cap_study_file_parse(&source, &s, &diag), CAP_OK);
  assert_int_equal(s->ncase, 2);
  cap_study_free(s);
  cap_diag_free(&diag);
  bad(text, "study.yaml:4:69: factors[0].values[1]: the model does not take l = 0.3 m: "
            "clearances[0].gap.high: expected "
            "an edge above the lower one (0.3 m), got 0.1745 m\n");
}

/* Texts that are none, and files that are not there. */
static void no_files(void **state)
{
  (void)state;
  cap_study *s;
  bad("capstan: 1\nstudy: \xff\n",
      "study.yaml:2:8: expected UTF-8, got the byte 0xff; save the file as UTF-8\n");
  bad("", "study.yaml:1:1: the text is empty; expected \"capstan: 2\" and further keys\n");
  assert_int_equal(cap_study_file_read("/nowhere/study.yaml", &s, &diag), CAP_ERR_INPUT);
  assert_string_equal(cap_diag_text(&diag),
                      "/nowhere/study.yaml: cannot be opened: No such file or directory\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(grid_of_ranges_and_lists, tear_down),
      cmocka_unit_test_teardown(settings_read_back, tear_down),
      cmocka_unit_test_teardown(levels_of_whole_sections, tear_down),
      cmocka_unit_test_teardown(formulas, tear_down),
      cmocka_unit_test_teardown(one_at_a_time, tear_down),
      cmocka_unit_test_teardown(saltelli, tear_down),
      cmocka_unit_test_teardown(sobol_of_laws, tear_down),
      cmocka_unit_test_teardown(latin_hypercube, tear_down),
      cmocka_unit_test_teardown(chains, tear_down),
      cmocka_unit_test_teardown(table, tear_down),
      cmocka_unit_test_teardown(data_of_levels, tear_down),
      cmocka_unit_test_teardown(fingerprint, tear_down),
      cmocka_unit_test_teardown(responses, tear_down),
      cmocka_unit_test_teardown(channel_of_a_level, tear_down),
      cmocka_unit_test_teardown(checked_before, tear_down),
      cmocka_unit_test_teardown(no_files, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
