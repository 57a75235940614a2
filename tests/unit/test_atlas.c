/* The atlas: criteria, entries and what is said of bad ones, the runner with shared and lazy runs, JSON. */
#include "atlas/atlas.h"
#include "atlas/atlas_write.h"
#include "base/json.h"
#include "io/results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ENTRIES CAPSTAN_SOURCE_DIR "/tests/data/atlas"

static void test_criteria(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
    bool holds;
  } cases[] = {
      {"65.3 +- 1%", 65.3, true},     {"65.3 +- 1%", 65.95, true},
      {"65.3 +- 1%", 65.96, false},   {"65.3 +- 1%", 64.64, false},
      {"-10+-10%", -11, true},        {"-10 +- 10%", -11.001, false},
      {"5 +- 0.5", 5.5, true},        {"5 \xc2\xb1 0.5", 4.4, false},
      {"< 1.1", 1.1, false},          {"<= 1.1", 1.1, true},
      {"> 0.2", 0.3, true},           {"> 0.2", 0.2, false},
      {">= 0.2", 0.2, true},          {"in [0.1, 0.3]", 0.1, true},
      {"in [0.1, 0.3]", 0.31, false}, {"= 3", 3, true},
      {"= 3", 3.0000001, false},      {"< 1.1", NAN, false},
      {"5 +- 1", NAN, false},         {"> 0", INFINITY, true},
      {"5 +- 1", INFINITY, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cap_criterion c;
    assert_true(cap_criterion_parse(cases[i].text, &c));
    if (cap_criterion_holds(&c, cases[i].value) != cases[i].holds)
      fail_msg("%s of %g", cases[i].text, cases[i].value);
  }
  static const char *const wrong[] = {"",      "3",        "about 3",  "3 +- ",      "3 +- -1",
                                      "< ",    "in [3,1]", "in [1, 2", "= 3 N",      "3 +- 1 %%",
                                      "< 1 2", "in 1, 2",  "+- 1%",    "nan +- nan", "> inf"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cap_criterion c;
    if (cap_criterion_parse(wrong[i], &c)) fail_msg("\"%s\" was accepted", wrong[i]);
  }
}

/* A response with two branches: one that turns twice, and a small closed one of twice the period. */
static void put_branches(cap_sink *sink)
{
  static const double rows[][8] = {
      /* Omega, branch, kind, multiplier, unstable; rms_ac, rms_total, max */
      {1, 1, 0, 0.5, 0, 0.1, 0.2, 1},   {3, 1, 1, 1.0, 0, 0.4, 0.5, 2},
      {2.5, 1, 0, 2, 1, 0.5, 0.6, 3},   {2, 1, 1, 1, 1, 0.55, 0.7, 4},
      {2.2, 1, 0, 0.5, 0, 0.7, 0.8, 5}, {2.4, 1, 3, 0.5, 0, 0.65, 0.75, 4.5},
      {4, 1, 0, NAN, NAN, 0.2, 0.3, 2}, {2, 2, 0, 0.1, 0, 0.3, 0.4, 6},
      {2.5, 2, 4, 1.5, 2, 0.3, 0.4, 7},
  };
  sink->open(sink, "response", "response", "");
  sink->columns(sink, 8,
                (cap_column[]){{"load.angular_frequency", "rad/s", "angular_frequency"},
                               {"branch", "1", ""},
                               {"kind", "1", ""},
                               {"multiplier", "1", ""},
                               {"unstable", "1", ""},
                               {"gear.position.rms_ac", "m", "rms"},
                               {"gear.position.rms_total", "m", ""},
                               {"gear.position.max", "m", ""}});
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) sink->rows(sink, 1, rows[k]);
  sink->array(sink, (cap_column){"branches", "1", ""}, 1, (int64_t[]){2}, NULL, (double[]){1, 2});
  sink->array(sink, (cap_column){"branch.period", "1", ""}, 1, (int64_t[]){2}, "branches", (double[]){1, 2});
  sink->array(sink, (cap_column){"branch.closed", "1", ""}, 1, (int64_t[]){2}, "branches", (double[]){0, 1});
  sink->text(sink, "branch.1.name", "main");
  sink->text(sink, "branch.2.name", "period-2-1");
  sink->text(sink, "branch.2.found", "by chance");
  sink->text(sink, "branch.1.ends", "end of the sweep");
}

static int most_settings; /* of a run since it was set to 0 */

/* Makes what a program would compute; counts how often it was asked. */
static cap_status run_model(void *self, const char *model, int nsetting, const char *const *settings,
                            const char *h5, cap_error *error)
{
  int *asked = self;
  (*asked)++;
  if (nsetting > most_settings) most_settings = nsetting;
  if (access(model, R_OK) != 0) return cap_status_fail(error, CAP_ERR_INPUT, "cannot read '%s'", model);
  cap_results_meta meta = {.model = "", .nsetting = nsetting, .settings = settings};
  cap_results *results;
  CAP_TRY(cap_results_create(h5, &meta, (cap_results_options){0}, &results, error));
  cap_sink *sink = cap_results_sink(results);
  if (nsetting == 1 && strcmp(settings[0], "spring.stiffness=1 N/m") == 0) {
    sink->open(sink, "response", "response", "");
    sink->array(sink, (cap_column){"load.amplitude", "N", ""}, 1, (int64_t[]){2}, NULL, (double[]){10, 13});
    sink->array(sink, (cap_column){"load.angular_frequency", "rad/s", "angular_frequency"}, 1, (int64_t[]){4},
                NULL, (double[]){1, 2, 3, 4});
    sink->array(sink, (cap_column){"gain", "m", "amplitude"}, 2, (int64_t[]){2, 4},
                "load.amplitude,load.angular_frequency",
                (double[]){0.01, 0.02, 0.015, 0.004, 0.011, 0.03, 0.017, 0.005});
    sink->number(sink, (cap_column){"iterations", "", ""}, 12);
  } else if (nsetting == 1 && strcmp(settings[0], "spring.stiffness=2 N/m") == 0) {
    put_branches(sink);
  } else {
    sink->open(sink, "transient", "transient", "");
    sink->columns(sink, 3, (cap_column[]){{"time", "s", ""}, {"x", "m", ""}, {"v", "m/s", ""}});
    for (int i = 0; i < 50; i++) sink->rows(sink, 1, (double[]){0.1 * i, sin(0.1 * i), cos(0.1 * i)});
    sink->balance(sink, 2, (cap_balance_line[]){{"load", "input", 10}, {"spring", "stored", 9.95}});
  }
  sink->close(sink);
  cap_status status = cap_results_finish(results, true);
  cap_results_free(results);
  return status;
}

static cap_entry *read_entry(const char *name)
{
  cap_entry *entry;
  cap_diag diag;
  char path[256];
  snprintf(path, sizeof path, ENTRIES "/%s", name);
  cap_status status = cap_entry_read(path, &entry, &diag);
  if (status != CAP_OK) print_message("%s", cap_diag_text(&diag));
  cap_diag_free(&diag);
  assert_int_equal(status, CAP_OK);
  return entry;
}

static cap_atlas_outcome *run_entry(cap_atlas *atlas, const cap_entry *entry)
{
  cap_error error = {0};
  cap_atlas_outcome *outcome;
  cap_status status = cap_atlas_run(atlas, entry, &outcome, &error);
  if (status != CAP_OK) print_message("%s\n", error.text);
  assert_int_equal(status, CAP_OK);
  return outcome;
}

static cap_atlas *start(bool quick, int *asked)
{
  cap_error error = {0};
  cap_atlas *atlas;
  cap_atlas_options options = {.run = run_model, .self = asked, .quick = quick};
  assert_int_equal(cap_atlas_create(options, &atlas, &error), CAP_OK);
  return atlas;
}

static const cap_atlas_claim *claim(const cap_atlas_outcome *o, const char *id)
{
  for (int i = 0; i < o->nclaim; i++)
    if (strcmp(o->claims[i].claim->id, id) == 0) return &o->claims[i];
  return NULL;
}

static void assert_claim(const cap_atlas_outcome *o, const char *id, double value, bool holds, bool changed)
{
  const cap_atlas_claim *c = claim(o, id);
  assert_non_null(c);
  if (c->trouble) fail_msg("%s: %s", id, c->trouble);
  if (!(fabs(c->value - value) <= 1e-12 * fabs(value))) fail_msg("%s: %.17g, not %.17g", id, c->value, value);
  assert_int_equal(c->holds, holds);
  assert_int_equal(c->changed, changed);
}

static void test_entry_runs(void **state)
{
  (void)state;
  int asked = 0;
  cap_atlas *atlas = start(false, &asked);
  cap_entry *entry = read_entry("example");
  cap_atlas_outcome *o = run_entry(atlas, entry);
  if (o->ntrouble) fail_msg("%s", o->trouble);
  assert_int_equal(asked, 2); /* nothing needs the third */
  assert_int_equal(most_settings, 2);
  assert_int_equal(o->nclaim, 8);
  assert_int_equal(o->nchanged, 1);
  assert_claim(o, "resonance", 2, true, false);
  assert_claim(o, "peak", 30, true, false);
  assert_claim(o, "paper", 0.5, true, false);
  assert_claim(o, "count", 4, true, false);
  assert_claim(o, "too-high", 10, false, false); /* as the entry knows */
  assert_claim(o, "speed", sin(4.9) * 180 / M_PI, false, true);
  assert_claim(o, "balance", 0.005, true, false);
  assert_claim(o, "iterations", 12, true, false);

  assert_int_equal(o->nseries, 6);
  const cap_atlas_series *s = o->series;
  assert_string_equal(s[0].name, "gain f1=13 N");
  assert_string_equal(s[0].x_name, "angular_frequency");
  assert_string_equal(s[0].x_unit, "rad/s");
  assert_string_equal(s[0].y_unit, "mm");
  assert_int_equal(s[0].n, 4);
  assert_true(fabs(s[0].y[1] - 30) < 1e-12 && s[0].x[3] == 4);
  assert_string_equal(s[1].name, "first_row");
  assert_true(s[1].y[1] == 0.02);
  assert_string_equal(s[2].x_name, "time");
  assert_string_equal(s[3].x_name, "x");
  assert_true(s[3].x[7] == sin(0.1 * 7) && s[3].y[7] == cos(0.1 * 7));
  assert_string_equal(s[4].name, "read off the figure");
  assert_string_equal(s[5].x_name, "angular_frequency");
  assert_string_equal(s[5].y_name, "difference");
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);

  entry = read_entry("second");
  o = run_entry(atlas, entry);
  assert_int_equal(asked, 2); /* shared with the first */
  assert_claim(o, "mean", 2.5, true, false);
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);
}

static void test_quick_leaves_out_what_is_long(void **state)
{
  (void)state;
  int asked = most_settings = 0;
  cap_atlas *atlas = start(true, &asked);
  cap_entry *entry = read_entry("example");
  cap_atlas_outcome *o = run_entry(atlas, entry);
  assert_null(claim(o, "speed"));
  assert_int_equal(most_settings, 1);
  assert_int_equal(o->nclaim, 7);
  assert_int_equal(o->nchanged, 0);
  assert_int_equal(o->nseries, 4); /* gain, first_row, paper, off */
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);
}

static void test_json(void **state)
{
  (void)state;
  int asked = 0;
  cap_atlas *atlas = start(false, &asked);
  cap_entry *entry = read_entry("second");
  cap_atlas_outcome *o = run_entry(atlas, entry);
  o->wall_s = 0.5;
  o->claims[0].value = NAN;
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  cap_atlas_write_json(stream, o);
  fclose(stream);
  assert_string_equal(text,
                      "{\"id\": \"second\", \"title\": \"A second entry with the same run\", \"source\": "
                      "\"a textbook, Table 2\",\n \"claims\": [{\"id\": \"mean\", \"text\": "
                      "\"The mean of the axis is known.\", \"value\": null, \"unit\": \"\", \"expected\": "
                      "\"2.5 +- 0\", \"holds\": true}],\n \"series\": [],\n \"wall_s\": 0.5}");
  free(text);
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);

  stream = open_memstream(&text, &size);
  cap_json_text(stream, "a\"b\\c\n\t\x01 \xc3\xa4 \xff \xe2\x82 \xed\xa0\x80 z");
  cap_json_number(stream, 0.1);
  cap_json_number(stream, INFINITY);
  fclose(stream);
  assert_string_equal(text,
                      "\"a\\\"b\\\\c\\n\\t\\u0001 \xc3\xa4 \\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd z\""
                      "0.10000000000000001null");
  free(text);
}

/* Entries that are wrong in one way or another */

static char folder[64];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/capstan-atlas-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static cap_status write_and_read(const char *yaml, cap_entry **entry, cap_diag *diag)
{
  char path[128];
  snprintf(path, sizeof path, "%s/entry.yaml", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(yaml, file);
  fclose(file);
  snprintf(path, sizeof path, "%s/", folder);
  return cap_entry_read(path, entry, diag);
}

static void test_bad_entries_are_refused(void **state)
{
  (void)state;
  cap_entry *entry;
  cap_diag diag;
  assert_int_equal(write_and_read("title: t\n"
                                  "source: s\n"
                                  "runs:\n"
                                  "  - {name: a, model: m.yaml}\n"
                                  "  - {name: a, model: m.yaml}\n"
                                  "series:\n"
                                  "  - {id: s, run: b, group: g, y: y}\n"
                                  "  - {id: t, run: a, file: x.csv, y: y}\n"
                                  "  - {id: 7x, file: x.csv, y: y, unit: parsec}\n"
                                  "claims:\n"
                                  "  - {id: c, text: t, value: 1, expected: about 3}\n"
                                  "  - {id: c, text: t, value: 1, expected: = 1, holds: false}\n",
                                  &entry, &diag),
                   CAP_ERR_INPUT);
  const char *text = cap_diag_text(&diag);
  print_message("%s", text);
  static const char *const words[] = {"entry.yaml:5:",
                                      "runs[1].name: duplicate name; expected different names, got \"a\"",
                                      "series[0].run: expected the name of a run, got \"b\"",
                                      "expected one of run, file and value",
                                      "series[2].id: expected letters",
                                      "unknown unit \"parsec\"",
                                      "expected the key x",
                                      "claims[0].expected: expected \"65.3 +- 1%\"",
                                      "claims[1].id: duplicate name; expected different names, got \"c\"",
                                      "expected a note"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strstr(text, words[i])) fail_msg("not told: %s", words[i]);
  cap_diag_free(&diag);
  assert_null(entry);

  assert_int_equal(write_and_read("title: t\nsorce: s\nclaims: []\n", &entry, &diag), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&diag), "did you mean \"source\""));
  cap_diag_free(&diag);
  assert_int_equal(write_and_read("- 1\n", &entry, &diag), CAP_ERR_INPUT);
  cap_diag_free(&diag);
  assert_int_equal(cap_entry_read("/no/such/folder", &entry, &diag), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&diag), "No such file"));
  cap_diag_free(&diag);
}

static void test_troubles_stay_with_their_claims(void **state)
{
  (void)state;
  cap_entry *entry;
  cap_diag diag;
  const char *yaml = "title: t\n"
                     "source: s\n"
                     "runs:\n"
                     "  - {name: a, model: " ENTRIES "/model.yaml}\n"
                     "  - {name: gone, model: gone.yaml}\n"
                     "series:\n"
                     "  - {id: me, value: 2 * you}\n"
                     "  - {id: you, value: me / 2}\n"
                     "  - {id: v, run: a, group: transient, y: v, unit: kg}\n"
                     "claims:\n"
                     "  - {id: good, text: t, value: \"count('a/transient/x')\", expected: = 50}\n"
                     "  - {id: name, text: t, value: max(nothing), expected: = 50}\n"
                     "  - {id: circle, text: t, value: max(me), expected: = 50}\n"
                     "  - {id: gone, text: t, value: \"'gone/transient/x'\", expected: = 50}\n"
                     "  - {id: group, text: t, value: \"'a/transint/x'\", expected: = 50}\n"
                     "  - {id: dataset, text: t, value: \"'a/transient/y'\", expected: = 50}\n"
                     "  - {id: line, text: t, value: \"'a/transient/audit/loss'\", expected: = 50}\n"
                     "  - {id: whole, text: t, value: v, expected: = 50}\n";
  assert_int_equal(write_and_read(yaml, &entry, &diag), CAP_OK);
  cap_diag_free(&diag);
  int asked = 0;
  cap_atlas *atlas = start(false, &asked);
  cap_atlas_outcome *o = run_entry(atlas, entry);
  assert_claim(o, "good", 50, true, false);
  static const char *const told[][2] = {{"name", "unknown name nothing"},
                                        {"circle", "defined by itself"},
                                        {"gone", "cannot read"},
                                        {"group", "no group \"transint\"; it has transient"},
                                        {"dataset", "no dataset \"y\"; expected one of time, x, v"},
                                        {"line", "no line \"loss\""},
                                        {"whole", "expected a number, got the series"}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    const cap_atlas_claim *c = claim(o, told[i][0]);
    assert_non_null(c);
    assert_false(c->holds);
    assert_true(isnan(c->value));
    assert_non_null(c->trouble);
    print_message("  %s: %s\n", told[i][0], c->trouble);
    assert_non_null(strstr(c->trouble, told[i][1]));
  }
  assert_int_equal(o->ntrouble, 7 + 3);
  assert_int_equal(o->nseries, 0);
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);
}

/* The header of a file is as somebody wrote it: names of format version 1, names that are no words. */
static void test_columns_of_files(void **state)
{
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/paper.csv", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("pulsation [rad/s], tension range [kN]\n1, 3\n2, 7\n", file);
  fclose(file);
  static const char *const names[][2] = {{"pulsation", "tension range"},
                                         {"angular_frequency", "\"'tension range'\""}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    cap_entry *entry;
    cap_diag diag;
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "title: t\nsource: s\nseries: [{id: p, file: paper.csv, x: %s, y: %s}, {id: none, file: "
             "paper.csv, x: pulsatio, y: tension}]\nclaims:\n"
             "  - {id: y, text: t, value: max(p), expected: = 7000}\n"
             "  - {id: x, text: t, value: max(xs(p)), expected: = 2}\n"
             "  - {id: gone, text: t, value: max(none), expected: = 2}\n",
             names[k][0], names[k][1]);
    assert_int_equal(write_and_read(yaml, &entry, &diag), CAP_OK);
    cap_diag_free(&diag);
    int asked = 0;
    cap_atlas *atlas = start(false, &asked);
    cap_atlas_outcome *o = run_entry(atlas, entry);
    assert_claim(o, "y", 7000, true, false);
    assert_claim(o, "x", 2, true, false);
    assert_non_null(strstr(claim(o, "gone")->trouble, "has no column \"pulsatio\""));
    cap_atlas_free_outcome(o);
    cap_entry_free(entry);
    cap_atlas_free(atlas);
  }
}

static const char branch_entry[] =
    "title: t\n"
    "source: s\n"
    "runs: [{name: hb, model: " ENTRIES "/model.yaml, settings: [spring.stiffness=2 N/m]}]\n"
    "series:\n"
    "  - {id: g, name: g1 sigma=5, run: hb, group: response, y: gear.position.rms_ac, by: branch, unit: mm,\n"
    "     beside: [rms_total, gear.position.max], panels: [g1, all]}\n"
    "claims:\n"
    "  - {id: branch, text: t, value: \"max('g main') + max('g1 sigma=5 period-2-1')\", expected: 1 +- "
    "1e-9}\n"
    "  - {id: column, text: t, value: \"max('g main/rms_total')\", expected: 0.8 +- 1e-9}\n"
    "  - {id: folds, text: t, value: \"count('g main/folds') * sum(xs('g1 sigma=5 main/folds'))\", expected: "
    "= 10}\n"
    "  - {id: torus, text: t, value: \"first(xs('g/tori')) + count('g main/tori')\", expected: = 2.5}\n"
    "  - {id: doubling, text: t, value: \"first('g main/doublings')\", expected: 0.65 +- 1e-9}\n"
    "  - {id: many, text: t, value: \"count('g/branches') + 10 * count('g/branches period') + 100 * "
    "count('g/branches "
    "detached')\", expected: = 12}\n"
    "  - {id: path, text: t, value: \"sum('hb/response/kind')\", expected: = 9}\n"
    "  - {id: all, text: t, value: \"count(g) + max('g/branches')\", expected: = 11}\n"
    "  - {id: none, text: t, value: \"max('g detached-1')\", expected: = 1}\n"
    "  - {id: wrong, text: t, value: \"max('g main/height')\", expected: = 1}\n";

static void test_branches(void **state)
{
  (void)state;
  cap_entry *entry;
  cap_diag diag;
  cap_status status = write_and_read(branch_entry, &entry, &diag);
  if (status != CAP_OK) print_message("%s", cap_diag_text(&diag));
  cap_diag_free(&diag);
  assert_int_equal(status, CAP_OK);
  int asked = 0;
  cap_atlas *atlas = start(false, &asked);
  cap_atlas_outcome *o = run_entry(atlas, entry);
  static const char *const good[] = {"branch", "column", "folds", "torus", "doubling", "many", "path", "all"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const cap_atlas_claim *c = claim(o, good[i]);
    if (!c->holds) fail_msg("%s: %.17g (%s)", good[i], c->value, c->trouble ? c->trouble : "");
  }
  assert_non_null(strstr(claim(o, "none")->trouble, "no branch \"detached-1\"; there are main, period-2-1"));
  assert_non_null(strstr(claim(o, "wrong")->trouble, "no dataset \"height\""));
  assert_int_equal(o->nseries, 2);
  assert_string_equal(o->series[0].name, "g1 sigma=5 main");
  assert_string_equal(o->series[1].name, "g1 sigma=5 period-2-1");
  assert_int_equal(o->series[0].n, 7);
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  cap_atlas_write_json(stream, o);
  fclose(stream);
  static const char *const told[] = {
      "\"stable\": [true, true, false, false, true, true, null], \"rms_total\": [200, 500, ",
      "\"max\": [6000, 7000]",
      "\"folds\": [{\"x\": 3, \"y\": 400}, {\"x\": 2, \"y\": 550",
      "\"neimark_sacker\": [{\"x\": 2.5, \"y\": 300}]",
      "\"curve\": \"g1 sigma=5\", \"branch\": \"period-2-1\", \"period\": 2, \"closed\": true, \"found\": "
      "\"by "
      "chance\"",
      "\"panels\": [\"g1\", \"all\"]"};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++)
    if (!strstr(text, told[i])) fail_msg("%s is not in %s", told[i], text);
  free(text);
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);
}

static void test_list_and_pages(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_error error = {0};
  int n, asked = 0;
  const char **ids;
  assert_int_equal(cap_atlas_list(ENTRIES, &arena, &n, &ids, &error), CAP_OK);
  assert_int_equal(n, 2);
  assert_string_equal(ids[0], "example");
  assert_string_equal(ids[1], "second");
  cap_arena_free(&arena);
  assert_int_equal(cap_atlas_list("/no/such/folder", &arena, &n, &ids, &error), CAP_ERR_IO);

  cap_atlas *atlas = start(false, &asked);
  cap_entry *entry = read_entry("example");
  cap_atlas_outcome *o = run_entry(atlas, entry);
  assert_int_equal(cap_atlas_write_entry(folder, o, &error), CAP_OK);
  cap_atlas_write_line line = {.id = "example", .title = "A <b> & c", .source = "s", .nclaim = 8, .nheld = 6};
  assert_int_equal(cap_atlas_write_index(folder, 1, &line, &error), CAP_OK);
  char path[128], text[4096] = "";
  snprintf(path, sizeof path, "%s/index.html", folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  assert_non_null(strstr(text, "A &lt;b&gt; &amp; c"));
  assert_non_null(strstr(text, "6 of 8 claims hold"));
  snprintf(path, sizeof path, "%s/example.json", folder);
  assert_int_equal(access(path, R_OK), 0);
  cap_atlas_free_outcome(o);
  cap_entry_free(entry);
  cap_atlas_free(atlas);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_criteria),
      cmocka_unit_test(test_entry_runs),
      cmocka_unit_test(test_quick_leaves_out_what_is_long),
      cmocka_unit_test(test_json),
      cmocka_unit_test_setup_teardown(test_bad_entries_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_troubles_stay_with_their_claims, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_columns_of_files, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_branches, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_list_and_pages, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
