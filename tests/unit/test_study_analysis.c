/* What the analysis of a study puts out, design by design: names, sizes, cases left out, replicates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/recorder.h"
#include "../support/sample.h"
#include "../support/sanitized.h"

#include "linalg/student.h"
#include "study/study_analysis.h"

#include <time.h>

/* A study of three numbers a, b, c and one factor with levels, and two responses, made by hand. */
typedef struct bench {
  cap_study study;
  cap_study_table table;
  cap_study_factor factors[8];
  cap_study_response responses[4];
  recorder out;
  cap_error error;
} bench;

static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static bench *start(cap_study_design_kind design, int64_t ncase, int nfactor, int nresponse)
{
  static const char *const responses[4] = {"y", "z", "u", "v"};
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->study = (cap_study){.factors = b->factors,
                         .responses = b->responses,
                         .nfactor = nfactor,
                         .nresponse = nresponse,
                         .design = design,
                         .ncase = ncase,
                         .seed = 1,
                         .replicates = 1,
                         .along = -1,
                         .surface = true,
                         .bootstrap = 50,
                         .confidence = 0.95};
  for (int f = 0; f < nfactor; f++)
    b->factors[f] = (cap_study_factor){
        .name = names[f], .doc = "", .unit = "m", .law = CAP_STUDY_UNIFORM, .high = 1.0};
  for (int r = 0; r < nresponse; r++)
    b->responses[r] = (cap_study_response){.name = responses[r], .doc = "", .unit = "N"};
  b->study.values = calloc((size_t)(ncase * nfactor) + 1, sizeof(double));
  b->table = (cap_study_table){.ncase = ncase,
                               .nfactor = nfactor,
                               .nresponse = nresponse,
                               .factors = b->study.values,
                               .responses = calloc((size_t)(ncase * nresponse) + 1, sizeof(double)),
                               .states = calloc((size_t)ncase + 1, 1)};
  recorder_init(&b->out);
  return b;
}

static double *x_of(bench *b, int64_t k)
{
  return b->study.values + k * b->study.nfactor;
}

static double *y_of(bench *b, int64_t k)
{
  return b->table.responses + k * b->study.nresponse;
}

static void put(bench *b)
{
  if (cap_study_analysis_put(&b->study, &b->table, &b->out.sink, &b->error) != CAP_OK)
    fail_msg("%s", b->error.text);
}

static void finish(bench *b)
{
  recorder_free(&b->out);
  free(b->study.values);
  free(b->table.responses);
  free(b->table.states);
  free(b);
}

static void draw(bench *b)
{
  for (int64_t k = 0; k < b->study.ncase; k++)
    for (int f = 0; f < b->study.nfactor; f++)
      x_of(b, k)[f] = sample_uniform(3, (uint64_t)(k / b->study.replicates), (uint64_t)f);
}

static void students_points(void **state)
{
  (void)state;
  assert_near(capm_student_two_sided(0.95, 1.0), 12.7062047364, 1e-9); /* tables */
  assert_near(capm_student_two_sided(0.95, 2.0), 4.30265272975, 1e-10);
  assert_near(capm_student_two_sided(0.99, 5.0), 4.03214298356, 1e-10);
  assert_near(capm_student_two_sided(0.9, 30.0), 1.69726088659, 1e-10);
  assert_near(capm_student_two_sided(0.95, 1e7), 1.95996421, 1e-7);
  assert_near(capm_student_two_sided(0.5, 1.0), 1.0, 1e-12); /* tan(pi/4) */
}

/* A sample: effects in bins, regression, first orders, surface, and failed cases told. */
static void a_sample(void **state)
{
  (void)state;
  enum { N = 500 };
  bench *b = start(CAP_STUDY_SOBOL, N, 3, 2);
  draw(b);
  for (int64_t k = 0; k < N; k++) {
    const double *x = x_of(b, k);
    y_of(b, k)[0] = 4.0 * x[0] + x[1] * x[1] + 2.0;
    y_of(b, k)[1] = k == 7 ? NAN : x[0] * x[2];
    if (k == 3 || k == 4)
      b->table.states[k] = k == 3 ? CAP_STUDY_FAILED : CAP_STUDY_MISSING, y_of(b, k)[0] = 1e9;
  }
  put(b);
  const recorder *o = &b->out;
  assert_int_equal(recorder_find(o, "effect.a.at")->count, 10);
  assert_int_equal(recorder_find(o, "effect.y.a")->count, 10);
  assert_string_equal(recorder_find(o, "effect.y.a.low")->axes, "effect.a.at");
  assert_string_equal(recorder_find(o, "effect.y.a")->unit, "N");
  for (int k = 0; k < 10; k++) {
    const double at = recorder_at(o, "effect.a.at", k);
    assert_near(at, 0.05 + 0.1 * k, 0.03);
    assert_near(recorder_at(o, "effect.y.a", k), 4.0 * at + 1.0 / 3.0 + 2.0, 0.2);
    assert_true(recorder_at(o, "effect.y.a.low", k) < recorder_at(o, "effect.y.a", k));
  }
  assert_int_equal(recorder_at(o, "sensitivity.y.left_out_cases", 0), 2);
  assert_int_equal(recorder_at(o, "sensitivity.z.left_out_cases", 0), 3);
  assert_true(recorder_at(o, "sensitivity.y.first", 0) > 0.9);
  assert_true(recorder_at(o, "sensitivity.y.regression.low", 0) > 0.9);
  assert_true(recorder_at(o, "sensitivity.y.R2", 0) > 0.98);
  assert_near(recorder_at(o, "surface.y.Q2", 0), 1.0, 1e-12);
  assert_near(recorder_at(o, "surface.z.Q2", 0), 1.0, 1e-12);
  assert_string_equal(recorder_words(o, "surface.y.terms"), "1\na\nb\nc\na^2\nb^2\nc^2\na*b\na*c\nb*c");
  assert_string_equal(recorder_words(o, "surface.y.note"), "");
  assert_int_equal(recorder_find(o, "surface.z.predicted")->count, N);
  assert_true(isnan(recorder_at(o, "surface.z.predicted", 7)) &&
              isnan(recorder_at(o, "surface.y.left_out", 3)));
  assert_near(recorder_at(o, "surface.z.left_out", 9), y_of(b, 9)[1], 1e-12);
  finish(b);
}

static void pairs_of_points(void **state)
{
  (void)state;
  enum { N = 4000, D = 3, BLOCK = D + 2 }; /* the index scatters by 0.015 */
  bench *b = start(CAP_STUDY_SALTELLI, N * BLOCK, D + 1, 1);
  b->factors[1].law = CAP_STUDY_FORMULA; /* not drawn: between a and c */
  for (int j = 0; j < N; j++)
    for (int m = 0; m < BLOCK; m++) {
      double *x = x_of(b, j * BLOCK + m), u[D];
      for (int i = 0; i < D; i++)
        u[i] = sample_uniform(1, (uint64_t)j, (uint64_t)(m == 1 || m == 2 + i ? D + i : i));
      x[0] = u[0], x[1] = 2.0 * u[0], x[2] = u[1], x[3] = u[2];
      y_of(b, j * BLOCK + m)[0] = u[0] + 2.0 * u[1];
    }
  b->table.states[12] = CAP_STUDY_FAILED;
  b->table.states[13] = CAP_STUDY_FAILED;
  put(b);
  const recorder *o = &b->out;
  assert_int_equal(recorder_at(o, "sensitivity.y.left_out_cases", 0), BLOCK);
  assert_near(recorder_at(o, "sensitivity.y.first", 0), 0.2, 0.06);
  assert_near(recorder_at(o, "sensitivity.y.total", 2), 0.8, 0.06);
  assert_near(recorder_at(o, "sensitivity.y.total", 3), 0.0, 1e-15);
  assert_true(isnan(recorder_at(o, "sensitivity.y.first", 1)));
  assert_true(recorder_at(o, "sensitivity.y.first.low", 2) < recorder_at(o, "sensitivity.y.first.high", 2));
  assert_near(recorder_at(o, "sensitivity.y.regression", 2), sqrt(0.8), 0.06);
  finish(b);
  /* points that are no such blocks are taken as a sample */
  b = start(CAP_STUDY_SALTELLI, 50, 3, 1);
  draw(b);
  for (int64_t k = 0; k < 50; k++) y_of(b, k)[0] = x_of(b, k)[0];
  put(b);
  assert_null(recorder_find(&b->out, "sensitivity.y.total"));
  assert_non_null(strstr(recorder_words(&b->out, "sensitivity.kind"), "not the pairs"));
  finish(b);
}

/* 3 x 2 grid with replicates, one factor of levels; then with a hole. */
static void a_grid(void **state)
{
  (void)state;
  for (int hole = 0; hole < 2; hole++) {
    bench *b = start(CAP_STUDY_GRID, 12, 2, 1);
    b->study.replicates = 2;
    b->factors[0].law = b->factors[1].law = CAP_STUDY_LISTED;
    b->factors[1].nlevel = 2;
    for (int k = 0; k < 12; k++) {
      x_of(b, k)[0] = 10.0 * (k / 4);
      x_of(b, k)[1] = 1.0 + k / 2 % 2;
      y_of(b, k)[0] = (k / 4) + 3.0 * (k / 2 % 2) + (k % 2 ? 0.25 : -0.25);
    }
    if (hole) b->table.states[4] = b->table.states[5] = CAP_STUDY_FAILED;
    else b->table.states[4] = CAP_STUDY_FAILED; /* its replicate is there */
    put(b);
    const recorder *o = &b->out;
    assert_int_equal(recorder_at(o, "sensitivity.y.left_out_cases", 0), hole ? 2 : 1);
    assert_near(recorder_at(o, "scatter.y", 0), sqrt(2.0) * 0.25, 1e-12);
    assert_int_equal(recorder_find(o, "effect.y.b")->count, 2);
    assert_near(recorder_at(o, "effect.y.b", 1), 4.0, 1e-12);
    if (!hole) { /* the mean of 1 and 1.25 in place of 1: nearly 2/3 and 9/4 */
      assert_near(recorder_at(o, "sensitivity.y.first", 0), (2.0 / 3.0) / (2.0 / 3.0 + 2.25), 0.02);
      assert_near(recorder_at(o, "sensitivity.y.total", 1), 2.25 / (2.0 / 3.0 + 2.25), 0.02);
      assert_null(recorder_find(o, "sensitivity.y.first.low"));
      assert_string_equal(recorder_words(o, "surface.y.terms"), "1\na\nb=2\na^2");
    } else assert_null(recorder_find(o, "sensitivity.y.total"));
    finish(b);
  }
}

static void one_at_a_time(void **state)
{
  (void)state;
  bench *b = start(CAP_STUDY_ONE_AT_A_TIME, 5, 2, 1);
  const double x[5][2] = {{2.0, 5.0}, {1.0, 5.0}, {3.0, 5.0}, {2.0, 4.0}, {2.0, 7.0}};
  for (int k = 0; k < 5; k++) {
    memcpy(x_of(b, k), x[k], sizeof x[k]);
    y_of(b, k)[0] = x[k][0] * x[k][0] - x[k][1];
  }
  put(b);
  const recorder *o = &b->out;
  assert_near(recorder_at(o, "tornado.y.nominal", 0), -1.0, 0.0);
  assert_near(recorder_at(o, "tornado.y.low", 0), -4.0, 0.0);
  assert_near(recorder_at(o, "tornado.y.high", 0), 4.0, 0.0);
  assert_near(recorder_at(o, "tornado.y.low", 1), 0.0, 0.0);
  assert_near(recorder_at(o, "tornado.y.high", 1), -3.0, 0.0);
  assert_near(recorder_at(o, "tornado.y.least", 1), -3.0, 0.0);
  assert_int_equal(recorder_find(o, "effect.y.a")->count, 3);
  assert_near(recorder_at(o, "effect.y.a", 1), -1.0, 0.0);
  assert_true(isnan(recorder_at(o, "effect.y.a.low", 1)));
  finish(b);
}

static void goals_and_fronts(void **state)
{
  (void)state;
  bench *b = start(CAP_STUDY_TABLE, 5, 1, 2);
  const double y[5][2] = {{1.0, 1.0}, {2.0, 2.0}, {2.0, 1.0}, {0.5, 0.5}, {9.0, 9.0}};
  b->study.npareto = 2;
  b->study.pareto[0] = 0, b->study.pareto[1] = 1;
  b->responses[0].goal = CAP_STUDY_MINIMISE;
  b->responses[1].goal = CAP_STUDY_MAXIMISE;
  for (int k = 0; k < 5; k++) x_of(b, k)[0] = k, memcpy(y_of(b, k), y[k], sizeof y[k]);
  b->table.states[4] = CAP_STUDY_FAILED;
  put(b);
  const double front[5] = {1.0, 1.0, 0.0, 1.0, 0.0};
  for (int k = 0; k < 5; k++) assert_near(recorder_at(&b->out, "pareto", k), front[k], 0.0);
  assert_string_equal(recorder_words(&b->out, "pareto.responses"), "y minimise\nz maximise");
  finish(b);
}

/* One case, no case that is fine, a response that is constant, factors that do not vary:
 * nothing is invented. */
static void little_to_tell(void **state)
{
  (void)state;
  for (int design = CAP_STUDY_GRID; design <= CAP_STUDY_TABLE; design++)
    for (int what = 0; what < 5; what++) {
      const int n = what == 0 ? 1 : what == 4 ? 0 : 12;
      bench *b = start((cap_study_design_kind)design, n, 2, 1);
      b->study.npareto = 1;
      if (what != 3) draw(b);
      for (int k = 0; k < n; k++) {
        y_of(b, k)[0] = what == 2 ? 1.0 / 3.0 : x_of(b, k)[0];
        if (what == 1) b->table.states[k] = CAP_STUDY_FAILED;
      }
      put(b);
      const char *const none[] = {"sensitivity.y.first", "sensitivity.y.regression", "sensitivity.y.R2"};
      for (int k = 0; k < 3; k++) assert_null(recorder_find(&b->out, none[k]));
      if (what == 2) assert_true(isnan(recorder_at(&b->out, "surface.y.Q2", 0)));
      if (what == 0) assert_non_null(strstr(recorder_words(&b->out, "surface.y.note"), "too few"));
      if (what == 1)
        assert_string_equal(recorder_words(&b->out, "sensitivity.kind"), "none: no case has a value");
      finish(b);
    }
}

/* What a sink cannot take comes back, with its words. */
static void a_disk_that_is_full(void **state)
{
  (void)state;
  for (int after = 1; after < 60; after += 3) {
    bench *b = start(CAP_STUDY_SOBOL, 40, 3, 2);
    draw(b);
    for (int k = 0; k < 40; k++) y_of(b, k)[0] = x_of(b, k)[0], y_of(b, k)[1] = x_of(b, k)[1];
    b->out.fail_after = after;
    cap_status status = cap_study_analysis_put(&b->study, &b->table, &b->out.sink, &b->error);
    if (b->out.n < after) assert_int_equal(status, CAP_OK);
    else {
      assert_int_equal(status, CAP_ERR_IO);
      assert_string_equal(b->error.text, "the disk is full");
    }
    finish(b);
  }
}

/* A factor whose values are no levels, although it says so: told, not computed for hours. */
static void levels_without_end(void **state)
{
  (void)state;
  enum { N = 20000 };
  bench *b = start(CAP_STUDY_SOBOL, N, 2, 1);
  b->factors[1].nlevel = 2;
  draw(b);
  for (int64_t k = 0; k < N; k++) y_of(b, k)[0] = x_of(b, k)[0];
  put(b);
  assert_string_equal(recorder_words(&b->out, "surface.y.note"), "none: too many levels");
  assert_near(recorder_at(&b->out, "sensitivity.y.regression", 0), 1.0, 1e-12);
  finish(b);
}

/* Many cases in little time; only measured here, with SHOW set. */
static void many_cases(void **state)
{
  (void)state;
  const int n = getenv("SHOW") ? 100000 : 2000;
  bench *b = start(CAP_STUDY_SOBOL, n, 5, 3);
  b->study.bootstrap = 200;
  draw(b);
  for (int64_t k = 0; k < n; k++)
    for (int r = 0; r < 3; r++) y_of(b, k)[r] = sample_ishigami(x_of(b, k) + r);
  b->study.npareto = 3, b->study.pareto[1] = 1, b->study.pareto[2] = 2;
  struct timespec t0, t1;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
  put(b);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
  if (getenv("SHOW"))
    print_message("%d cases: %.2f s\n", n,
                  (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
  double exact[2][3];
  sample_ishigami_exact(exact[0], exact[1]);
  for (int r = 0; r < 3; r++) {
    char name[64];
    snprintf(name, sizeof name, "sensitivity.%s.first", b->responses[r].name);
    for (int k = 0; k < 3; k++) assert_near(recorder_at(&b->out, name, r + k), exact[0][k], 0.05);
  }
  finish(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(students_points),    cmocka_unit_test(a_sample),
      cmocka_unit_test(pairs_of_points),    cmocka_unit_test(a_grid),
      cmocka_unit_test(one_at_a_time),      cmocka_unit_test(goals_and_fronts),
      cmocka_unit_test(little_to_tell),     cmocka_unit_test(a_disk_that_is_full),
      cmocka_unit_test(levels_without_end), cmocka_unit_test(many_cases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
