/* The optimiser on functions whose optimum is known: Rosenbrock's valley, with and without a bound, a
 * logarithmic factor, levels, runs that fail, and interruptions that are gone on with bit by bit.
 * docs/theory.md §60. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/recorder.h"

#include "study/optimise.h"

static double by_level(const double *x);

/* A study of two numbers and maybe one factor of levels; responses f and g. */
typedef struct bench {
  cap_study study;
  cap_study_factor factors[3];
  cap_study_response responses[2];
  cap_study_bound bounds[2];
  double (*f)(const double *x), (*g)(const double *x);
  bool (*fails)(const double *x);
  int calls, replayed, stop_after; /* stop_after > 0: interrupted by that call */
  const cap_optimise_trace *known; /* answers that are there already */
} bench;

static const char *const labels[2] = {"one", "two"};
static const double one_two[2] = {1.0, 2.0};

static cap_status evaluate(void *self, int start, int n, const double *x, double *y, bool *failed,
                           cap_error *error)
{
  bench *b = self;
  (void)start;
  if (b->known && n <= b->known->n) {
    assert_memory_equal(x, b->known->values + (n - 1) * b->study.nfactor,
                        sizeof *x * (size_t)b->study.nfactor);
    memcpy(y, b->known->responses + (n - 1) * 2, 2 * sizeof *y);
    *failed = b->known->failed[n - 1];
    b->replayed++;
    return CAP_OK;
  }
  if (b->stop_after > 0 && b->calls >= b->stop_after)
    return cap_status_fail(error, CAP_STOPPED, "interrupted");
  b->calls++;
  *failed = b->fails && b->fails(x);
  y[0] = b->f(x);
  y[1] = b->g ? b->g(x) : 0.0;
  return CAP_OK;
}

static void start(bench *b, const char *method, double (*f)(const double *x))
{
  *b = (bench){.f = f};
  b->study = (cap_study){.factors = b->factors,
                         .responses = b->responses,
                         .bounds = b->bounds,
                         .nfactor = 2,
                         .nresponse = 2,
                         .optimise = true,
                         .method = method,
                         .evaluations = 400,
                         .starts = 1,
                         .optimise_tolerance = 1e-5};
  for (int k = 0; k < 3; k++)
    b->factors[k] = (cap_study_factor){.name = k == 0   ? "a"
                                               : k == 1 ? "b"
                                                        : "law",
                                       .doc = "",
                                       .unit = "",
                                       .law = CAP_STUDY_UNIFORM,
                                       .low = -2.0,
                                       .high = 2.0,
                                       .nominal = -1.2 + 2.2 * k};
  b->factors[2].law = CAP_STUDY_LISTED;
  b->factors[2].nlevel = 2;
  b->factors[2].labels = labels;
  b->factors[2].nominal = 1.0;
  b->factors[2].nvalue = 2;
  b->factors[2].values = one_two;
  b->responses[0] = (cap_study_response){.name = "f", .doc = "", .unit = "N", .goal = CAP_STUDY_MINIMISE};
  b->responses[1] = (cap_study_response){.name = "g", .doc = "", .unit = "m"};
}

static cap_optimise_problem problem_of(bench *b)
{
  return (cap_optimise_problem){&b->study, NULL, evaluate, b};
}

/* The best of one start, which is freed. */
static cap_optimise_best run(bench *b, double *x)
{
  cap_optimise_problem p = problem_of(b);
  cap_optimise_trace trace;
  cap_optimise_best best;
  cap_error error = {0};
  if (cap_optimise_start(&p, 0, &trace, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_optimise_find(&p, 1, &trace, NULL, &best);
  if (getenv("SHOW")) print_message("%s: %s\n", b->study.method, best.words);
  assert_true(best.at >= 0);
  memcpy(x, trace.values + best.at * b->study.nfactor, sizeof *x * (size_t)b->study.nfactor);
  cap_optimise_trace_free(&trace);
  return best;
}

static double rosenbrock(const double *x)
{
  return 100.0 * pow(x[1] - x[0] * x[0], 2) + pow(1.0 - x[0], 2);
}

static double minus_rosenbrock(const double *x)
{
  return -rosenbrock(x);
}

static void the_valley_of_rosenbrock(void **state)
{
  (void)state;
  const char *const methods[] = {"bobyqa", "sbplx", "cobyla", "direct-l"};
  const double within[] = {1e-3, 1e-3, 0.25, 0.15}; /* linear models and boxes creep along a valley */
  for (int m = 0; m < 4; m++) {
    bench b;
    double x[2];
    start(&b, methods[m], rosenbrock);
    b.study.evaluations = m == 0 ? 200 : 1500;
    cap_optimise_best best = run(&b, x);
    assert_near(x[0], 1.0, within[m]);
    assert_near(x[1], 1.0, 2.0 * within[m]);
    assert_true(best.evaluations <= b.study.evaluations);
    assert_int_equal(best.evaluations, b.calls);
    start(&b, methods[m], minus_rosenbrock); /* the same upside down */
    b.study.evaluations = m == 0 ? 200 : 1500;
    b.responses[0].goal = CAP_STUDY_MAXIMISE;
    double again[2];
    run(&b, again);
    assert_near(again[0], x[0], 0.0);
  }
}

static double disc(const double *x)
{
  return x[0] * x[0] + x[1] * x[1];
}

static double sum(const double *x)
{
  return x[0] + x[1];
}

/* Least a + b in the disc of radius sqrt(2): at (-1, -1), where the bound is active. */
static void a_bound_on_another_response(void **state)
{
  (void)state;
  const char *const methods[] = {"cobyla", "bobyqa", "sbplx"};
  for (int m = 0; m < 3; m++) {
    bench b;
    double x[2];
    start(&b, methods[m], sum);
    b.g = disc;
    b.study.nbound = 1;
    b.bounds[0] = (cap_study_bound){.response = 1, .low = -INFINITY, .high = 2.0};
    b.study.evaluations = 600;
    cap_optimise_best best = run(&b, x);
    assert_near(best.objective, -2.0, 2e-3);
    assert_near(x[0], -1.0, 0.05);
    assert_true(disc(x) <= 2.0 + 2.1e-6);
    assert_non_null(strstr(best.words, "g (below)"));
  }
  bench
      b; /* rosenbrock with a + b <= 1: on the line, where 100 (b - a^2)^2 + (1 - a)^2 is least: a = 0.6188 */
  double x[2];
  start(&b, "cobyla", rosenbrock);
  b.g = sum;
  b.study.nbound = 1;
  b.bounds[0] = (cap_study_bound){.response = 1, .low = -INFINITY, .high = 1.0};
  b.study.evaluations = 1500;
  run(&b, x);
  double a = 0.6, slope;
  for (int k = 0; k < 50; k++) { /* Newton on the line b = 1 - a */
    const double h = 1.0 - a - a * a, dh = -1.0 - 2.0 * a;
    slope = 200.0 * h * dh - 2.0 * (1.0 - a);
    a -= slope / (200.0 * (dh * dh - 2.0 * h) + 2.0);
  }
  assert_near(x[0], a, 0.02);
  assert_near(rosenbrock(x), rosenbrock((double[]){a, 1.0 - a}), 1e-3);
}

static double far_corner(const double *x)
{
  return pow(log(x[0] / 3e-4), 2) + x[1];
}

/* A factor over five decades, and an optimum at the end of a range. */
static void logarithms_and_ends_of_ranges(void **state)
{
  (void)state;
  bench b;
  double x[2];
  start(&b, "bobyqa", far_corner);
  b.factors[0].low = 1e-6, b.factors[0].high = 0.1, b.factors[0].nominal = 1e-2,
  b.factors[0].logarithmic = true;
  cap_optimise_best best = run(&b, x);
  assert_near(log(x[0] / 3e-4), 0.0, 1e-3);
  assert_true(x[1] == -2.0); /* exactly */
  assert_non_null(strstr(best.words, "at their limits: b (low)"));
}

/* A log-normal law without cuts: mean and deviation are of the quantity itself, so that three deviations of
 * its logarithm are not e^3. Whole numbers are held, and the starts go through them. */
static void laws_without_ends_and_whole_numbers(void **state)
{
  (void)state;
  bench b;
  double x[3];
  start(&b, "bobyqa", sum);
  b.factors[0].law = CAP_STUDY_LOG_NORMAL;
  b.factors[0].mean = 200.0, b.factors[0].deviation = 20.0, b.factors[0].logarithmic = true;
  b.factors[0].low = 0.0, b.factors[0].high = INFINITY, b.factors[0].nominal = 200.0;
  b.factors[1].law = CAP_STUDY_NORMAL;
  b.factors[1].mean = 5.0, b.factors[1].deviation = 1.0, b.factors[1].low = -INFINITY,
  b.factors[1].high = 6.0;
  b.factors[1].nominal = 5.0;
  run(&b, x);
  const double sigma = sqrt(log1p(0.01));
  assert_near(x[0], 200.0 * exp(-0.5 * sigma * sigma - 3.0 * sigma), 1e-9);
  assert_near(x[1], 5.0 - 3.0, 0.2); /* cut at 6, the same share of what is left is a little further up */
  start(&b, "bobyqa", by_level);
  b.study.nfactor = 3;
  b.factors[2].nlevel = 0;
  b.factors[2].whole = true;
  cap_optimise_problem p = problem_of(&b);
  for (int k = 0; k < 3; k++) {
    cap_optimise_trace trace;
    assert_int_equal(cap_optimise_start(&p, k, &trace, NULL), CAP_OK);
    for (int i = 0; i < trace.n; i++) assert_true(trace.values[3 * i + 2] == (k == 1 ? 2.0 : 1.0));
    cap_optimise_trace_free(&trace);
  }
}

static double bowl(const double *x)
{
  return pow(x[0] - 0.7, 2);
}

static bool hole(const double *x)
{
  return x[0] > 0.8 || x[1] > 0.5;
}

static bool always(const double *x)
{
  (void)x;
  return true;
}

static double tilted(const double *x)
{
  return rosenbrock(x) + 0.1 * x[1];
}

static void runs_that_fail(void **state)
{
  (void)state;
  bench b;
  double x[2];
  start(&b, "bobyqa", tilted); /* the free optimum is where runs fail */
  b.fails = hole;
  b.factors[1].nominal = 0.0;
  cap_optimise_best best = run(&b, x);
  assert_true(best.failed > 0 && !hole(x));
  assert_true(best.objective < 0.5 * tilted((double[]){-1.2, 0.0}));
  assert_non_null(strstr(best.words, "failed"));
  const char *const methods[] = {"bobyqa", "direct-l"};
  for (int m = 0; m < 2; m++) { /* nothing works */
    cap_optimise_trace trace;
    start(&b, methods[m], rosenbrock);
    b.fails = always;
    b.study.evaluations = 30;
    cap_optimise_problem p = problem_of(&b);
    assert_int_equal(cap_optimise_start(&p, 0, &trace, NULL), CAP_OK);
    assert_int_equal(trace.n, m == 0 ? 1 : 30);
    if (m == 0) assert_string_equal(trace.outcome, "its first evaluation failed");
    cap_optimise_find(&p, 1, &trace, NULL, &best);
    assert_int_equal(best.trace, -1);
    assert_non_null(strstr(best.words, "none of"));
    cap_optimise_trace_free(&trace);
  }
  start(&b, "bobyqa", bowl); /* one factor: another method steps in */
  b.study.nfactor = 1;
  run(&b, x);
  assert_near(x[0], 0.7, 1e-3);
  start(&b, "newton", bowl);
  cap_optimise_problem p = problem_of(&b);
  cap_optimise_trace trace;
  assert_int_equal(cap_optimise_start(&p, 0, &trace, NULL), CAP_ERR_INPUT);
  cap_optimise_trace_free(&trace);
}

static double by_level(const double *x)
{
  return rosenbrock(x) + (x[2] == 2.0 ? -1.0 : 0.0);
}

/* Starts go through levels and places; they begin at the best case that keeps the bounds. */
static void starts(void **state)
{
  (void)state;
  bench b;
  start(&b, "bobyqa", by_level);
  b.study.nfactor = 3;
  b.study.evaluations = 300;
  double cases[4][3] = {{0.0, 0.0, 1.0}, {0.9, 0.8, 1.0}, {1.0, 1.0, 1.0}, {1.9, -1.9, 1.0}};
  double responses[4][2] = {{1.0, 0.0}, {0.02, 0.0}, {0.0, 9.0}, {NAN, 0.0}};
  unsigned char states[4] = {0, 0, 0, 1};
  cap_study_table table = {4, 3, 2, cases[0], responses[0], states};
  b.study.nbound = 1;
  b.bounds[0] = (cap_study_bound){.response = 1, .low = -INFINITY, .high = 5.0}; /* not the third case */
  cap_optimise_problem p = problem_of(&b);
  p.table = &table;
  cap_optimise_trace traces[3];
  for (int k = 0; k < 3; k++) assert_int_equal(cap_optimise_start(&p, k, &traces[k], NULL), CAP_OK);
  assert_memory_equal(traces[0].values + 2, cases[1] + 2, sizeof(double));
  assert_true(traces[0].values[0] == 0.9 && traces[0].values[1] == 0.8); /* the same run as the case */
  assert_true(traces[1].values[2] == 2.0 && traces[2].values[2] == 1.0);
  assert_true(fabs(traces[1].values[0] - traces[2].values[0]) > 0.1);
  cap_optimise_best best;
  cap_optimise_find(&p, 3, traces, NULL, &best);
  assert_int_equal(best.trace, 1);
  assert_near(best.objective, -1.0, 1e-4);
  assert_non_null(strstr(best.words, "law = two"));
  recorder out;
  recorder_init(&out);
  assert_int_equal(cap_optimise_put(&p, 3, traces, NULL, &out.sink, NULL), CAP_OK);
  assert_string_equal(out.kind, "optimise");
  assert_int_equal(out.nrow, traces[0].n + traces[1].n + traces[2].n);
  const int row = (int)recorder_at(&out, "best_row", 0) - 1;
  assert_int_equal(row, traces[0].n + best.at);
  assert_near(recorder_cell(&out, row, "objective"), best.objective, 0.0);
  assert_near(recorder_cell(&out, row, "factor.law"), 2.0, 0.0);
  assert_near(recorder_cell(&out, row, "best") + recorder_cell(&out, row, "start"), 3.0, 0.0);
  assert_near(recorder_at(&out, "limit.high", 1), 5.0, 0.0);
  assert_near(recorder_at(&out, "bounds.low", 0), -2.0, 0.0);
  assert_true(isnan(recorder_at(&out, "bounds.low", 2)));
  assert_string_equal(recorder_words(&out, "goal"), "minimise f");
  recorder_free(&out);
  for (int k = 0; k < 3; k++) cap_optimise_trace_free(&traces[k]);
}

/* Interrupted after any number of evaluations and gone on with: the same evaluations to the last bit. */
static void an_interruption_leaves_no_trace(void **state)
{
  (void)state;
  const char *const methods[] = {"bobyqa", "cobyla", "sbplx", "direct-l"};
  for (int m = 0; m < 4; m++) {
    bench b;
    cap_optimise_trace whole, part, rest;
    start(&b, methods[m], rosenbrock);
    b.g = disc;
    b.study.nbound = 1;
    b.bounds[0] = (cap_study_bound){.response = 1, .low = -INFINITY, .high = 1.5};
    b.study.evaluations = 120;
    cap_optimise_problem p = problem_of(&b);
    assert_int_equal(cap_optimise_start(&p, 0, &whole, NULL), CAP_OK);
    for (int stop = 1; stop < whole.n; stop += 37) {
      b.calls = b.replayed = 0;
      b.stop_after = stop;
      b.known = NULL;
      assert_int_equal(cap_optimise_start(&p, 0, &part, NULL), CAP_STOPPED);
      assert_int_equal(part.n, stop);
      b.known = &part;
      b.stop_after = 0;
      assert_int_equal(cap_optimise_start(&p, 0, &rest, NULL), CAP_OK);
      assert_int_equal(b.replayed, stop);
      assert_int_equal(rest.n, whole.n);
      assert_memory_equal(rest.values, whole.values, sizeof(double) * (size_t)(2 * whole.n));
      assert_memory_equal(rest.responses, whole.responses, sizeof(double) * (size_t)(2 * whole.n));
      assert_string_equal(rest.outcome, whole.outcome);
      cap_optimise_trace_free(&part);
      cap_optimise_trace_free(&rest);
    }
    b.known = NULL;
    cap_optimise_trace_free(&whole);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_valley_of_rosenbrock),
      cmocka_unit_test(a_bound_on_another_response),
      cmocka_unit_test(logarithms_and_ends_of_ranges),
      cmocka_unit_test(laws_without_ends_and_whole_numbers),
      cmocka_unit_test(runs_that_fail),
      cmocka_unit_test(starts),
      cmocka_unit_test(an_interruption_leaves_no_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
