/* Bad input through the public calls on models, runs, results, studies and pages: a code and a sentence, and
 * the object goes on to serve. What ends a program here is a fault of the library. */
#include "capstan/capstan.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/folder.h"

static const char short_rig[] =
    "capstan: 2\n"
    "drive: tensioner-rig\n"
    "deflection: {motion: harmonic, amplitude: 0.52 mm, frequency: 10 Hz}\n"
    "tensioner: {law: masing, k0: 2.34e5 N/m, sliders: [{k: 4.84e5 N/m, alpha: 163 N}]}\n"
    "analyses: [{transient: {until: 0.02 s}}]\n"
    "outputs: {every: 1 ms}\n";

static capstan_model *open_rig(void)
{
  capstan_model *model;
  if (capstan_open_text(short_rig, strlen(short_rig), "rig", 0, NULL, &model))
    fail_msg("%s", capstan_message(model));
  return model;
}

/* Refused, with a sentence that has the word; and the model serves as before. */
static void assert_refused(capstan_model *model, capstan_code code, const char *word)
{
  assert_int_equal(code, CAPSTAN_BAD_INPUT);
  const char *text = capstan_message(model);
  if (!strstr(text, word) || text[strlen(text) - 1] != '\n') fail_msg("expected \"%s\" in: %s", word, text);
  capstan_results *r;
  assert_int_equal(capstan_run_memory(model, NULL, &r), CAPSTAN_OK);
  assert_string_equal(capstan_message(model), "");
  capstan_results_close(r);
}

static void opening(void **state)
{
  (void)state;
  static const char *const hole[] = {"seed=1", NULL};
  static const struct {
    const char *text;
    size_t size;
    const char *name;
    int n;
    const char *const *settings;
    const char *word;
  } cases[] = {
      {NULL, 0, "m", 0, NULL, "text: expected"},
      {NULL, 10, "m", 0, NULL, "text: expected"},
      {"capstan: 2", 10, NULL, 0, NULL, "path: expected"},
      {"capstan: 2", (size_t)-1, "m", 0, NULL, "size: expected"},
      {"capstan: 2", 10, "m", -1, NULL, "nsetting: expected"},
      {"capstan: 2", 10, "m", 1, NULL, "settings: expected"},
      {"capstan: 2", 10, "m", 2, hole, "settings: expected"},
      {"", 0, "m", 0, NULL, "m:"},
      {"\0\0\0", 3, "m", 0, NULL, "m:"},
      {"capstan: 2", 10, "m", 0, NULL, "drive"},
      {"capstan: 99", 11, "m", 0, NULL, "version"},
      {"a: [", 4, "m", 0, NULL, "m:"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    capstan_model *model = NULL;
    const capstan_variable *list;
    const char *const *names;
    capstan_results *results;
    assert_int_equal(
        capstan_open_text(cases[k].text, cases[k].size, cases[k].name, cases[k].n, cases[k].settings, &model),
        CAPSTAN_BAD_INPUT);
    assert_non_null(model);
    if (!strstr(capstan_message(model), cases[k].word)) fail_msg("%zu: %s", k, capstan_message(model));
    /* a refused model answers every call */
    assert_int_equal(capstan_set(model, 0, NULL), CAPSTAN_BAD_INPUT);
    assert_int_equal(capstan_run(model, in_folder("never.h5"), NULL), CAPSTAN_BAD_INPUT);
    assert_non_null(strstr(capstan_message(model), "refused"));
    assert_int_equal(capstan_run_memory(model, NULL, &results), CAPSTAN_BAD_INPUT);
    assert_null(results);
    for (int kind = -1; kind < 5; kind++) {
      assert_int_equal(capstan_variables(model, (capstan_kind)kind, &list), 0);
      assert_int_equal(capstan_find(model, (capstan_kind)kind, "time"), -1);
    }
    assert_int_equal(capstan_analyses(model, &names), 0);
    assert_string_equal(capstan_describe(model), "");
    assert_string_equal(capstan_result_path(model), "");
    capstan_close(model);
  }
  capstan_model *model;
  assert_int_equal(capstan_open(NULL, 0, NULL, &model), CAPSTAN_BAD_INPUT);
  capstan_close(model);
  assert_int_equal(capstan_open("/no/such/file.yaml", 0, NULL, &model), CAPSTAN_BAD_INPUT);
  assert_non_null(strstr(capstan_message(model), "/no/such/file.yaml"));
  capstan_close(model);
  assert_int_equal(capstan_open("/tmp", 0, NULL, &model), CAPSTAN_BAD_INPUT);
  capstan_close(model);
  assert_int_equal(capstan_open("x", 0, NULL, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_open_text("x", 1, "x", 0, NULL, NULL), CAPSTAN_BAD_INPUT);
}

static void null_objects(void **state)
{
  (void)state;
  const capstan_variable *variables;
  const capstan_finding *findings;
  const capstan_group *groups;
  const char *const *names;
  capstan_results *results;
  assert_int_equal(capstan_set(NULL, 0, NULL), CAPSTAN_BAD_INPUT);
  assert_string_equal(capstan_message(NULL), "out of memory\n");
  assert_int_equal(capstan_findings(NULL, &findings), 0);
  assert_string_equal(capstan_describe(NULL), "");
  assert_int_equal(capstan_analyses(NULL, &names), 0);
  assert_int_equal(capstan_variables(NULL, CAPSTAN_OUTPUT, &variables), 0);
  assert_int_equal(capstan_find(NULL, CAPSTAN_OUTPUT, "x"), -1);
  assert_int_equal(capstan_run(NULL, "x.h5", NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_run_memory(NULL, NULL, &results), CAPSTAN_BAD_INPUT);
  assert_string_equal(capstan_result_path(NULL), "");
  assert_int_equal(capstan_result_complete(NULL), 0);
  assert_int_equal(capstan_results_groups(NULL, &groups), 0);
  assert_null(capstan_results_values(NULL, 0, 0));
  assert_int_equal(capstan_results_save(NULL, "x.h5"), CAPSTAN_BAD_INPUT);
  assert_string_equal(capstan_results_message(NULL), "out of memory\n");
  assert_int_equal(capstan_results_open("x", NULL), CAPSTAN_BAD_INPUT);
  capstan_close(NULL);
  capstan_results_close(NULL);
  capstan_model *model = open_rig();
  assert_int_equal(capstan_findings(model, NULL), 0);
  assert_int_equal(capstan_analyses(model, NULL), 0);
  assert_true(capstan_variables(model, CAPSTAN_STATE, NULL) > 0); /* the number alone */
  assert_int_equal(capstan_find(model, CAPSTAN_STATE, NULL), -1);
  assert_int_equal(capstan_variables(model, (capstan_kind)-1, &variables), 0);
  assert_int_equal(capstan_variables(model, (capstan_kind)4, &variables), 0);
  assert_int_equal(capstan_run_memory(model, NULL, NULL), CAPSTAN_BAD_INPUT);
  capstan_close(model);
}

static void settings(void **state)
{
  (void)state;
  static const char *const hole[] = {NULL}, *const bad[] = {"tensioner.k0=1 m"}, *const none[] = {"nothing"},
                           *const unknown[] = {"tensioner.k9=1 N/m"}, *const empty[] = {""};
  capstan_model *model = open_rig();
  assert_refused(model, capstan_set(model, -1, NULL), "nsetting: expected");
  assert_refused(model, capstan_set(model, 1, NULL), "settings: expected");
  assert_refused(model, capstan_set(model, 1, hole), "settings: expected");
  assert_refused(model, capstan_set(model, 1, bad), "expected");
  assert_refused(model, capstan_set(model, 1, none), "expected");
  assert_refused(model, capstan_set(model, 1, unknown), "unknown key");
  assert_refused(model, capstan_set(model, 1, empty), "expected");
  capstan_close(model);
}

static void options_of_runs(void **state)
{
  (void)state;
  static const char *const hole[] = {NULL}, *const missing[] = {"/no/such/feed.csv"};
  const size_t size = sizeof(capstan_options);
  const struct {
    capstan_options options;
    const char *word;
  } cases[] = {
      {{.size = 0}, "options.size: expected sizeof(capstan_options)"},
      {{.size = 8}, "options.size: expected sizeof(capstan_options)"},
      {{.size = size + 8}, "options.size: expected sizeof(capstan_options)"},
      {{.size = (size_t)-1}, "options.size: expected sizeof(capstan_options)"},
      {{.size = size, .threads = -1}, "options.threads: expected"},
      {{.size = size, .time_limit = -1.0}, "options.time_limit: expected"},
      {{.size = size, .time_limit = NAN}, "options.time_limit: expected"},
      {{.size = size, .time_limit = INFINITY}, "options.time_limit: expected"},
      {{.size = size, .nfeed = -1}, "options.nfeed: expected"},
      {{.size = size, .nfeed = 1000}, "options.nfeed: expected"},
      {{.size = size, .nfeed = 1}, "options.feeds: expected"},
      {{.size = size, .nfeed = 1, .feeds = hole}, "options.feeds: expected"},
      {{.size = size, .nfeed = 1, .feeds = missing}, "feed.csv"},
  };
  capstan_model *model = open_rig();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    capstan_results *results;
    assert_refused(model, capstan_run(model, in_folder("never.h5"), &cases[k].options), cases[k].word);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_refused(model, capstan_run_memory(model, &cases[k].options, &results), cases[k].word);
    assert_null(results);
  }
  capstan_options resume = {.size = size, .resume = 1};
  capstan_results *results;
  assert_refused(model, capstan_run_memory(model, &resume, &results), "options.resume: expected");
  assert_refused(model, capstan_run(model, NULL, NULL), "result: expected");
  assert_refused(model, capstan_run(model, "", NULL), "result: expected");
  assert_refused(model, capstan_run(model, "/no/such/folder/x.h5", NULL), "/no/such/folder/x.h5");
  assert_refused(model, capstan_run(model, folder, NULL), "directory");
  const char *const nothing[] = {"analyses=[]"};
  assert_int_equal(capstan_set(model, 1, nothing), CAPSTAN_OK);
  assert_int_equal(capstan_run(model, in_folder("never.h5"), NULL), CAPSTAN_BAD_INPUT);
  assert_non_null(strstr(capstan_message(model), "nothing to compute"));
  capstan_close(model);
}

static void results_of_files(void **state)
{
  (void)state;
  static const char *const names[] = {NULL,   "",          "/no/such/file.h5",
                                      "/tmp", "/dev/null", "examples/two_pulley.yaml"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    capstan_results *r;
    const capstan_group *groups;
    assert_int_equal(capstan_results_open(names[k], &r), CAPSTAN_BAD_INPUT);
    assert_non_null(r);
    assert_true(strlen(capstan_results_message(r)) > 10);
    assert_int_equal(capstan_results_groups(r, &groups), 0);
    assert_null(capstan_results_values(r, 0, 0));
    assert_int_equal(capstan_results_save(r, in_folder("never.h5")), CAPSTAN_BAD_INPUT);
    capstan_results_close(r);
  }
  capstan_model *model = open_rig();
  capstan_results *r;
  const capstan_group *groups;
  assert_int_equal(capstan_run_memory(model, NULL, &r), CAPSTAN_OK);
  int n = capstan_results_groups(r, &groups);
  const int wrong[][2] = {{-1, 0}, {n, 0}, {0, -1}, {0, groups[0].narray}, {n - 1, 1000}, {2147483647, 0}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_null(capstan_results_values(r, wrong[k][0], wrong[k][1]));
    assert_non_null(strstr(capstan_results_message(r), "expected an array"));
  }
  assert_int_equal(capstan_results_groups(r, NULL), 0);
  assert_int_equal(capstan_results_save(r, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_results_save(r, folder), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_results_save(r, in_folder("fine.h5")), CAPSTAN_OK);
  capstan_results_close(r);
  capstan_close(model);
}

static void studies_and_pages(void **state)
{
  (void)state;
  char message[400], small[8];
  const capstan_options bad = {.size = 3};
  const char *const files[] = {"/no/such/file.h5", NULL};
  const char *const set[] = {"x=1"};
  static const char study[] = "examples/tensioner_design_study.yaml";
#define STUDY(...) assert_int_equal(capstan_study(__VA_ARGS__, message, sizeof message), CAPSTAN_BAD_INPUT)
  STUDY(NULL, 0, NULL, in_folder("s"), 1, NULL);
  assert_non_null(strstr(message, "path: expected"));
  STUDY(study, 0, NULL, NULL, 1, NULL);
  assert_non_null(strstr(message, "result: expected"));
  STUDY(study, 1, set, in_folder("s"), 1, NULL);
  assert_non_null(strstr(message, "nsetting: expected"));
  STUDY(study, 0, NULL, in_folder("s"), -1, NULL);
  assert_non_null(strstr(message, "jobs: expected"));
  STUDY(study, 0, NULL, in_folder("s"), 1, &bad);
  assert_non_null(strstr(message, "options.size: expected"));
  STUDY("examples/two_pulley.yaml", 0, NULL, in_folder("s"), 1, NULL);
  assert_non_null(strstr(message, "two_pulley.yaml"));
  STUDY("/no/such/study.yaml", 0, NULL, in_folder("s"), 1, NULL);
  assert_non_null(strstr(message, "/no/such/study.yaml"));
  assert_int_not_equal(access(in_folder("s"), F_OK), 0);
  assert_int_equal(capstan_study("/no/such/study.yaml", 0, NULL, "s", 1, NULL, small, sizeof small),
                   CAPSTAN_BAD_INPUT);
  assert_int_equal(strlen(small), 7);
  assert_int_equal(capstan_study("/no/such/study.yaml", 0, NULL, "s", 1, NULL, NULL, 0), CAPSTAN_BAD_INPUT);
#define PAGE(...) assert_int_equal(capstan_report(__VA_ARGS__, message, sizeof message), CAPSTAN_BAD_INPUT)
  PAGE(0, files, in_folder("p.html"));
  assert_non_null(strstr(message, "nresult: expected"));
  PAGE(1, NULL, path);
  PAGE(2, files, path);
  assert_non_null(strstr(message, "results[1]: expected"));
  PAGE(1, files, NULL);
  assert_non_null(strstr(message, "page: expected"));
  PAGE(1, files, path);
  assert_non_null(strstr(message, "/no/such/file.h5"));
  assert_int_not_equal(access(path, F_OK), 0);
  PAGE(1, files, "Makefile"); /* no page: not overwritten */
  assert_non_null(strstr(message, "is not overwritten"));
}

/* ---- different objects in different threads ------------------------------------------------------------ */

static void *live(void *self)
{
  int *fine = self;
  for (int k = 0; k < 3; k++) {
    const capstan_variable *list;
    capstan_model *model = open_rig();
    *fine += capstan_variables(model, CAPSTAN_PARAMETER, &list) > 5;
    *fine += capstan_set(model, 1, (const char *const[]){"tensioner.k0=2e5 N/m"}) == CAPSTAN_OK;
    *fine += strlen(capstan_describe(model)) > 50;
    *fine += capstan_variables(model, CAPSTAN_STATE, &list) > 0;
    capstan_results *r = NULL;
    const capstan_group *groups;
    *fine += capstan_run_memory(model, NULL, &r) == CAPSTAN_OK;
    int n = capstan_results_groups(r, &groups);
    *fine += n > 2 && capstan_results_values(r, n - 1, 0); /* of meta, the last one */
    capstan_close(model);
    capstan_results_close(r);
  }
  return NULL;
}

static void models_in_threads(void **state)
{
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int fine[THREADS] = {0};
  for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&threads[k], NULL, live, &fine[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (int k = 0; k < THREADS; k++) assert_int_equal(fine[k], 18);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opening),           cmocka_unit_test(null_objects),
      cmocka_unit_test(settings),          cmocka_unit_test(options_of_runs),
      cmocka_unit_test(results_of_files),  cmocka_unit_test(studies_and_pages),
      cmocka_unit_test(models_in_threads),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
