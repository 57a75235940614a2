/* study/collect.c — rows in any order give the same file; what it holds; memory of many cases. */
#include "io/results_read.h"
#include "io/results_tree.h"
#include "study/collect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/program.h"
#include "../support/sanitized.h"

enum { NFACTOR = 3, NRESPONSE = 4 };

static const char *const paths[] = {"load.amplitude"};
static const char *const labels[] = {"masing", "dahl"}, *const levels[] = {"{law: masing}", "{law: dahl}"};
static cap_study_factor factors[NFACTOR] = {
    {.name = "force",
     .doc = "",
     .unit = "N",
     .npath = 1,
     .paths = paths,
     .law = CAP_STUDY_UNIFORM,
     .low = 1.0,
     .high = 2.0,
     .nominal = 1.5},
    {.name = "law",
     .doc = "the law",
     .unit = "",
     .nlevel = 2,
     .levels = levels,
     .labels = labels,
     .nominal = 1.0},
    {.name = "twice", .doc = "", .unit = "N", .law = CAP_STUDY_FORMULA, .formula = "2*force"}};
static cap_study_response responses[NRESPONSE] = {{.name = "peak",
                                                   .doc = "",
                                                   .unit = "m",
                                                   .channel = "x",
                                                   .reduction = CAP_STUDY_PEAK,
                                                   .from = 0.1,
                                                   .to = INFINITY,
                                                   .goal = CAP_STUDY_MINIMISE},
                                                  {.name = "mean",
                                                   .doc = "",
                                                   .unit = "m",
                                                   .channel = "x",
                                                   .reduction = CAP_STUDY_MEAN,
                                                   .from = -INFINITY,
                                                   .to = INFINITY},
                                                  {.name = "last",
                                                   .doc = "",
                                                   .unit = "m",
                                                   .channel = "x",
                                                   .reduction = CAP_STUDY_LAST,
                                                   .from = -INFINITY,
                                                   .to = INFINITY},
                                                  {.name = "ratio",
                                                   .doc = "",
                                                   .unit = "",
                                                   .expression = "peak/mean",
                                                   .reduction = CAP_STUDY_EXPRESSION,
                                                   .from = -INFINITY,
                                                   .to = INFINITY}};

static cap_study *make(int64_t ncase)
{
  cap_study *s = calloc(1, sizeof *s);
  assert_non_null(s);
  *s = (cap_study){.path = "s.yaml",
                   .text = "study: many\n",
                   .name = "many",
                   .model_path = "m.yaml",
                   .model_text = "drive: none\n",
                   .drive = "none",
                   .nfactor = NFACTOR,
                   .factors = factors,
                   .nresponse = NRESPONSE,
                   .responses = responses,
                   .design_text = "by hand",
                   .replicates = 1,
                   .along = -1,
                   .ncase = ncase};
  s->values = malloc((size_t)ncase * NFACTOR * sizeof(double));
  assert_non_null(s->values);
  for (int64_t k = 0; k < ncase; k++) {
    double *v = s->values + k * NFACTOR;
    v[0] = 1.0 + (double)(k * 7919 % 10007) / 10007.0;
    v[1] = 1.0 + (double)(k % 2);
    v[2] = 2.0 * v[0];
  }
  return s;
}

static void drop(cap_study *s)
{
  free(s->values);
  free(s);
}

/* Case k: every fifth one failed. */
static void put(cap_collect *c, int64_t k)
{
  double values[NRESPONSE] = {(double)k, 0.5 * (double)k, -1.0, 2.0};
  cap_study_case_row row = {.steps = 10.0 * (double)k, .iterations = 3.0, .responses = values};
  if (k % 5 == 2) {
    row.state = CAP_STUDY_FAILED;
    values[0] = values[1] = values[2] = values[3] = NAN;
    snprintf(row.reason, sizeof row.reason, "no convergence at %d\nand so on", (int)k);
  }
  assert_true(cap_collect_put(c, k, &row));
  assert_false(cap_collect_put(c, k, &row));
}

static void write_in(const cap_collect *c, const char *folder)
{
  cap_error error = {0};
  char where[256], expected[256];
  if (cap_collect_write(c, folder, NULL, where, sizeof where, &error) != CAP_OK) fail_msg("%s", error.text);
  snprintf(expected, sizeof expected, "%s/study.h5", folder);
  assert_string_equal(where, expected);
}

static void the_order_of_rows_leaves_no_trace(void **state)
{
  (void)state;
  cap_study *s = make(1000);
  cap_collect a, b;
  assert_int_equal(cap_collect_create(&a, s, NULL), CAP_OK);
  assert_int_equal(cap_collect_create(&b, s, NULL), CAP_OK);
  assert_int_equal(cap_collect_count(&a, CAP_STUDY_MISSING), 1000);
  for (int64_t k = 0; k < 1000; k++) put(&a, k);
  for (int64_t k = 0; k < 500; k++) put(&b, k * 7 % 1000); /* a half of it, collected between */
  assert_int_equal(mkdir("a", 0777) + mkdir("b", 0777), 0);
  write_in(&a, "a");
  write_in(&b, "b");
  assert_int_equal(WEXITSTATUS(system("cmp -s a/study.h5 b/study.h5")), 1);
  for (int64_t k = 999; k >= 500; k--) put(&b, k * 7 % 1000);
  write_in(&b, "b");
  assert_int_equal(system("cmp a/study.h5 b/study.h5"), 0);
  cap_collect_free(&a);
  cap_collect_free(&b);
  drop(s);
}

static const char *text_of(const cap_results_group *g, const char *name)
{
  const cap_results_dataset *d = cap_results_tree_dataset(g, name);
  assert_non_null(d);
  return d->text;
}

static void it_holds_rows_and_texts(void **state)
{
  (void)state;
  cap_study *s = make(8);
  cap_collect c;
  cap_results_file *file = NULL;
  assert_int_equal(cap_collect_create(&c, s, NULL), CAP_OK);
  for (int64_t k = 0; k < 7; k++) put(&c, k); /* the last one is missing */
  assert_int_equal(mkdir("a", 0777), 0);
  write_in(&c, "a");
  assert_int_equal(cap_results_read_open("a/study.h5", &file, NULL), CAP_OK);
  const cap_results_tree *tree = cap_results_read_tree(file);
  assert_false(tree->complete);
  const cap_results_group *g = cap_results_tree_group(tree, "study");
  assert_non_null(g);
  assert_string_equal(g->kind, "study");
  assert_string_equal(g->title, "many");
  assert_int_equal(g->nrow, 8);
  static const char *const names[] = {"case",          "factor.force",  "factor.law",    "factor.twice",
                                      "response.peak", "response.mean", "response.last", "response.ratio",
                                      "status",        "steps",         "iterations"};
  assert_int_equal(g->ncolumn, 11);
  for (int i = 0; i < 11; i++) assert_string_equal(g->columns[i].name, names[i]);
  assert_string_equal(g->columns[4].unit, "m");
  assert_string_equal(g->columns[1].long_name, "load.amplitude");
  double v[8];
  assert_int_equal(cap_results_read_part(file, g, &g->columns[8], 0, 1, 8, v, NULL), CAP_OK);
  const double status[] = {0, 0, 1, 0, 0, 0, 0, 2};
  for (int i = 0; i < 8; i++) assert_true(v[i] == status[i]);
  assert_int_equal(cap_results_read_part(file, g, &g->columns[5], 0, 1, 8, v, NULL), CAP_OK);
  assert_true(v[6] == 3.0 && isnan(v[2]) && isnan(v[7]));
  assert_string_equal(text_of(g, "reasons"), "3: no convergence at 2 and so on\n");
  assert_int_equal(strncmp(text_of(g, "runs"), "runs/00001.h5\nruns/00002.h5\n", 28), 0);
  assert_string_equal(text_of(g, "levels.law"), "masing\ndahl\n");
  assert_string_equal(text_of(g, "factors"), "force: uniform, from 1 N to 2 N; sets load.amplitude\n"
                                             "law: levels masing, dahl\n"
                                             "twice: = 2*force\n");
  assert_string_equal(text_of(g, "responses"), "peak: peak of x from 0.1; minimise\nmean: mean of x\n"
                                               "last: last value of x\nratio: = peak/mean\n");
  assert_string_equal(text_of(g, "study"), "study: many\n");
  cap_results_read_close(file);
  cap_collect_free(&c);
  drop(s);
}

/* kB that a process needs which collects so many cases, all with a reason when that is asked. */
static long memory_of(int64_t ncase, bool analysis, bool reasons)
{
  struct rusage used;
  pid_t process = fork();
  assert_true(process >= 0);
  if (process == 0) {
    cap_study *s = make(ncase);
    cap_collect c;
    double values[NRESPONSE] = {1.0, 2.0, 3.0, 4.0};
    s->design = CAP_STUDY_SOBOL;
    s->surface = analysis;
    s->bootstrap = analysis ? 100 : 0;
    s->confidence = 0.95;
    cap_study_case_row row = {.state = reasons ? CAP_STUDY_FAILED : CAP_STUDY_FINE, .responses = values};
    if (reasons) memset(row.reason, 'x', 160); /* longer than those there are */
    char where[64];
    if (cap_collect_create(&c, s, NULL) != CAP_OK) _exit(1);
    for (int64_t k = 0; k < ncase; k++) {
      for (int i = 0; i < NRESPONSE; i++) values[i] = s->values[k * NFACTOR] * (double)(k % (5 + i));
      cap_collect_put(&c, k, &row);
    }
    _exit(cap_collect_write(&c, ".", NULL, where, sizeof where, NULL) == CAP_OK ? 0 : 1);
  }
  int status;
  assert_int_equal(wait4(process, &status, 0, &used), process);
  assert_int_equal(status, 0);
  return used.ru_maxrss;
}

static void memory_is_less_than_a_kilobyte_a_case(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip(); /* its own memory is many times that */
  enum { FEW = 1000, MANY = 100000 };
  const struct {
    const char *what;
    bool analysis, reasons;
    double most;
  } kinds[] = {{"rows", false, false, 512.0},
               {"rows with surfaces and bootstrap", true, false, 1024.0},
               {"rows that all have a long reason", false, true, 1024.0}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    long few = memory_of(FEW, kinds[i].analysis, kinds[i].reasons),
         many = memory_of(FEW + MANY, kinds[i].analysis, kinds[i].reasons);
    double each = 1024.0 * (double)(many - few) / MANY;
    print_message("  %s: %.0f bytes a case\n", kinds[i].what, each);
    assert_true(each < kinds[i].most);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, program_enter, program_leave)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(the_order_of_rows_leaves_no_trace),
      TEST(it_holds_rows_and_texts),
      TEST(memory_is_less_than_a_kilobyte_a_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
