/* The analysis and the optimum of a study, whose allocations fail one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing.h"
#include "../support/sample.h"

#include "study/optimise.h"
#include "study/study_analysis.h"

#include <string.h>

enum { NCASE = 30, NFACTOR = 3 };

static cap_status any_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)s, (void)name, (void)kind, (void)title;
  return CAP_OK;
}

static cap_status any_columns(cap_sink *s, int n, const cap_column *columns)
{
  (void)s;
  for (int k = 0; k < n; k++) assert_non_null(columns[k].name);
  return CAP_OK;
}

static cap_status any_rows(cap_sink *s, int n, const double *values)
{
  (void)s, (void)n, (void)values;
  return CAP_OK;
}

static cap_status any_array(cap_sink *s, cap_column what, int rank, const int64_t *dims, const char *axes,
                            const double *values)
{
  (void)s, (void)rank, (void)dims, (void)axes, (void)values;
  assert_non_null(what.name);
  return CAP_OK;
}

static cap_status any_text(cap_sink *s, const char *name, const char *value)
{
  (void)s;
  assert_true(name && value);
  return CAP_OK;
}

static cap_status any_number(cap_sink *s, cap_column what, double value)
{
  (void)s, (void)value;
  assert_non_null(what.name);
  return CAP_OK;
}

static cap_status any_close(cap_sink *s)
{
  (void)s;
  return CAP_OK;
}

static cap_status evaluate(void *self, int start, int n, const double *x, double *y, bool *failed,
                           cap_error *error)
{
  (void)self, (void)start, (void)n, (void)error;
  *failed = false;
  y[0] = (x[0] - 0.3) * (x[0] - 0.3) + x[1] * x[1];
  y[1] = x[0] + x[1];
  return CAP_OK;
}

static cap_status whole(const cap_study *study, const cap_study_table *table, cap_sink *sink,
                        cap_error *error)
{
  CAP_TRY(cap_study_analysis_put(study, table, sink, error));
  const cap_optimise_problem problem = {study, table, evaluate, NULL};
  cap_optimise_trace trace;
  cap_status status = cap_optimise_start(&problem, 0, &trace, error);
  if (status == CAP_OK) status = cap_optimise_put(&problem, 1, &trace, NULL, sink, error);
  cap_optimise_trace_free(&trace);
  return status;
}

static void no_memory_for_what_cases_tell(void **state)
{
  (void)state;
  static const char *const names[NFACTOR] = {"a", "b", "law"}, *const labels[2] = {"one", "two"};
  double x[NCASE][NFACTOR], y[NCASE][2];
  unsigned char states[NCASE] = {0};
  cap_study_factor factors[NFACTOR];
  cap_study_response responses[2] = {{.name = "y", .doc = "", .goal = CAP_STUDY_MINIMISE},
                                     {.name = "z", .doc = "", .goal = CAP_STUDY_MAXIMISE}};
  cap_study_bound bound = {.response = 1, .low = -INFINITY, .high = 0.9};
  for (int f = 0; f < NFACTOR; f++)
    factors[f] = (cap_study_factor){.name = names[f],
                                    .doc = "",
                                    .unit = "",
                                    .law = CAP_STUDY_UNIFORM,
                                    .low = 0.0,
                                    .high = 1.0,
                                    .logarithmic = f == 0,
                                    .labels = labels};
  factors[2].law = CAP_STUDY_LISTED, factors[2].nlevel = 2;
  int tried = 0, unnoticed = 0;
  for (int design = CAP_STUDY_GRID; design <= CAP_STUDY_TABLE; design++) {
    for (int k = 0; k < NCASE; k++) {
      bool failed;
      for (int f = 0; f < 2; f++) x[k][f] = sample_uniform(1, (uint64_t)k, (uint64_t)f);
      if (design == CAP_STUDY_GRID) x[k][0] = 1.0 + k / 6, x[k][1] = k / 2 % 3;
      if (design == CAP_STUDY_SALTELLI)
        for (int f = 0; f < 2; f++)
          x[k][f] = sample_uniform(1, (uint64_t)(k / 5),
                                   (uint64_t)(k % 5 == 1 || k % 5 == 2 + f ? 2 + f : f));
      x[k][2] = design == CAP_STUDY_SALTELLI ? (k % 5 == 1 || k % 5 == 4 ? 2.0 : 1.0) : 1.0 + k % 2;
      evaluate(NULL, 0, 0, x[k], y[k], &failed, NULL);
    }
    y[3][1] = design == CAP_STUDY_TABLE ? NAN : y[3][1]; /* another set of points */
    cap_study study = {.factors = factors,
                       .nfactor = NFACTOR,
                       .responses = responses,
                       .nresponse = 2,
                       .design = (cap_study_design_kind)design,
                       .ncase = NCASE,
                       .values = x[0],
                       .replicates = 1,
                       .surface = true,
                       .bootstrap = 12,
                       .confidence = 0.9,
                       .npareto = 2,
                       .pareto = {0, 1},
                       .method = "cobyla",
                       .evaluations = 20,
                       .starts = 1,
                       .nbound = 1,
                       .bounds = &bound};
    const cap_study_table table = {NCASE, NFACTOR, 2, x[0], y[0], states};
    cap_sink sink = {.open = any_open,
                     .columns = any_columns,
                     .rows = any_rows,
                     .array = any_array,
                     .text = any_text,
                     .number = any_number,
                     .close = any_close};
    struck = true;
    for (int place = 0; struck; place++, tried++) {
      cap_error error = {0};
      struck = false;
      countdown = place;
      cap_status status = whole(&study, &table, &sink, &error);
      countdown = -1;
      if (!struck && status != CAP_OK) fail_msg("%s", error.text);
      unnoticed += struck && status == CAP_OK;
      if (struck && status != CAP_OK) {
        assert_int_equal(status, CAP_ERR_NOMEM);
        assert_non_null(strstr(error.text, "out of memory"));
      }
    }
  }
  print_message("  %d allocations failed, %d did without\n", tried, unnoticed);
  assert_true(tried > 200);
  assert_int_equal(unnoticed, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory_for_what_cases_tell)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
