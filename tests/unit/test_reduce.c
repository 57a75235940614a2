/* Responses of a case: each reduction by hand, what is not settled or not stationary, expressions, and what
 * is said about channels that are not there. */
#include "study/reduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1001 };

static double reduced(cap_study_response r, int64_t n, const double *x, const double *y, char *why)
{
  why[0] = 0;
  return cap_reduce_series(&r, n, x, y, why, 200);
}

static void near(double got, double expected, double tolerance)
{
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%.17g, expected %.17g +- %g", got, expected, tolerance);
}

static void test_by_hand(void **state)
{
  (void)state;
  static const double x[] = {0, 1, 2, 3}, y[] = {1, -4, 2, 3};
  static const struct {
    cap_study_reduction kind;
    double value;
  } expected[] = {{CAP_STUDY_MEAN, 0.5},      {CAP_STUDY_RMS, 2.7386127875258306},
                  {CAP_STUDY_AMPLITUDE, 3.5}, {CAP_STUDY_PEAK, 4},
                  {CAP_STUDY_MAX, 3},         {CAP_STUDY_MIN, -4},
                  {CAP_STUDY_RANGE, 7},       {CAP_STUDY_FIRST, 1},
                  {CAP_STUDY_LAST, 3}};
  char why[200];
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    near(reduced((cap_study_response){.reduction = expected[k].kind}, 4, x, y, why), expected[k].value,
         1e-15);
}

/* A straight line has its middle value as mean, whatever the steps are; plain means would not. */
static void test_uneven_steps(void **state)
{
  (void)state;
  char why[200];
  static const double x[] = {0, 0.1, 0.3, 1, 2, 10}, turning[] = {0, 1, 3, 2}, y[] = {5, 1, 1, 1};
  double line[6], falling[6], back[6];
  for (int k = 0; k < 6; k++) {
    line[k] = 3 + 2 * x[k];
    falling[k] = 10 - x[k];
    back[k] = 3 + 2 * falling[k];
  }
  near(reduced((cap_study_response){.reduction = CAP_STUDY_MEAN}, 6, x, line, why), 13, 1e-14);
  near(reduced((cap_study_response){.reduction = CAP_STUDY_MEAN}, 6, falling, back, why), 13, 1e-14);
  /* a curve that turns back: values count alike */
  near(reduced((cap_study_response){.reduction = CAP_STUDY_MEAN}, 4, turning, y, why), 2, 1e-15);
  /* a constant is its own rms */
  static const double two[] = {2, 2, 2, 2, 2, 2};
  near(reduced((cap_study_response){.reduction = CAP_STUDY_RMS}, 6, x, two, why), 2, 1e-15);
}

static void test_settled(void **state)
{
  (void)state;
  static double t[N], decays[N], drifts[N], rings[N], steady[N];
  char why[200];
  for (int k = 0; k < N; k++) {
    t[k] = 0.01 * k;
    decays[k] = 2 + exp(-3 * t[k]);
    drifts[k] = 2 + 0.05 * t[k];
    rings[k] = 2 + exp(-0.2 * t[k]) * sin(40 * t[k]);
    steady[k] = 2 + sin(40 * t[k]);
  }
  cap_study_response r = {.reduction = CAP_STUDY_SETTLED, .part = 0.2, .tolerance = 1e-3};
  near(reduced(r, N, t, decays, why), 2, 1e-9);
  assert_string_equal(why, "");
  assert_true(isnan(reduced(r, N, t, drifts, why)));
  assert_non_null(strstr(why, "not settled"));
  /* its mean has come to rest long ago, its motion has not */
  assert_true(isnan(reduced(r, N, t, rings, why)));
  assert_true(
      isnan(reduced(r, N, t, steady, why))); /* a motion that goes on is at rest only within its means */
  r.tolerance = 0.03;
  near(reduced(r, N, t, steady, why), 2, 0.02);
  r.part = 1e-6;
  assert_true(isnan(reduced(r, N, t, decays, why)));
}

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* The start is cut off as far as it must be, and no more than half of the rows. */
static void test_stationary(void **state)
{
  (void)state;
  static double t[N], noisy[N], late[N];
  char why[200];
  uint64_t seed = 7;
  for (int k = 0; k < N; k++) {
    t[k] = 0.01 * k;
    double n = noise(&seed);
    noisy[k] = 5 + n + 4 * exp(-2 * t[k]);
    late[k] = 5 + n + (t[k] > 7 ? 4 : 0);
  }
  cap_study_response r = {.reduction = CAP_STUDY_STATIONARY, .tolerance = 0.02};
  double whole = reduced((cap_study_response){.reduction = CAP_STUDY_MEAN}, N, t, noisy, why);
  double found = reduced(r, N, t, noisy, why);
  near(found, 5, 0.05);
  assert_true(fabs(whole - 5) > 3 * fabs(found - 5));
  assert_true(isnan(reduced(r, N, t, late, why)));
  assert_non_null(strstr(why, "not stationary"));
}

static void test_not_a_number(void **state)
{
  (void)state;
  static const double x[] = {0, 1, 2}, y[] = {1, NAN, 2};
  static const cap_study_reduction kinds[] = {CAP_STUDY_MEAN,  CAP_STUDY_RMS,     CAP_STUDY_AMPLITUDE,
                                              CAP_STUDY_PEAK,  CAP_STUDY_MAX,     CAP_STUDY_MIN,
                                              CAP_STUDY_RANGE, CAP_STUDY_SETTLED, CAP_STUDY_STATIONARY};
  char why[200];
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    cap_study_response r = {.reduction = kinds[k], .part = 1, .tolerance = 1};
    assert_true(isnan(reduced(r, 3, x, y, why)));
  }
}

/* ---- results ------------------------------------------------------------------------------------------- */

static const double TIME[] = {0, 1, 2, 3, 4}, ANGLE[] = {9, 1, 2, 3, 4}, AXIS[] = {10, 20, 30};
static const double GAIN[] = {1, 5, 2}, MEAN[] = {7}, END_FINE[] = {0}, END_SLIPS[] = {2};

static cap_results_dataset transient_columns[] = {
    {.role = CAP_RESULTS_COLUMN, .name = "time", .unit = "s", .rank = 1, .values = (double *)TIME},
    {.role = CAP_RESULTS_COLUMN, .name = "arm.angle", .unit = "rad", .rank = 1, .values = (double *)ANGLE}};
static cap_results_dataset response_items[] = {
    {.role = CAP_RESULTS_ARRAY,
     .name = "load.angular_frequency",
     .unit = "rad/s",
     .axes = "",
     .rank = 1,
     .dims = {3},
     .values = (double *)AXIS},
    {.role = CAP_RESULTS_ARRAY,
     .name = "gain",
     .unit = "m",
     .axes = "load.angular_frequency",
     .rank = 1,
     .dims = {3},
     .values = (double *)GAIN},
    {.role = CAP_RESULTS_NUMBER, .name = "steps", .unit = "1", .number = 42},
    {.role = CAP_RESULTS_TEXT, .name = "words", .text = "no channel"}};
static cap_results_dataset stationary_items[] = {{.role = CAP_RESULTS_ARRAY,
                                                  .name = "point.end",
                                                  .unit = "1",
                                                  .axes = "",
                                                  .rank = 1,
                                                  .dims = {1},
                                                  .values = (double *)END_FINE},
                                                 {.role = CAP_RESULTS_ARRAY,
                                                  .name = "mean.arm.angle",
                                                  .unit = "rad",
                                                  .axes = "",
                                                  .rank = 1,
                                                  .dims = {1},
                                                  .values = (double *)MEAN}};
static cap_results_group transient = {
    .name = "transient", .kind = "transient", .nrow = 5, .ncolumn = 2, .columns = transient_columns};
static cap_results_group response_group = {
    .name = "response", .kind = "response", .nitem = 4, .items = response_items};
static cap_results_group stationary_group = {.name = "stationary",
                                             .kind = "stationary",
                                             .nrow = 5,
                                             .ncolumn = 2,
                                             .columns = transient_columns,
                                             .nitem = 2,
                                             .items = stationary_items};

static int64_t count(const cap_results_group *g, const cap_results_dataset *d)
{
  return d->role == CAP_RESULTS_COLUMN ? g->nrow : cap_results_tree_count(d);
}

static cap_status values(void *self, const cap_results_group *g, const cap_results_dataset *d, double *to,
                         cap_error *error)
{
  (void)self;
  (void)error;
  memcpy(to, d->values, (size_t)count(g, d) * sizeof *to);
  return CAP_OK;
}

enum { MOST = 4 };
typedef struct answer {
  cap_status status;
  double value[MOST];
  char unit[MOST][16];
  char note[256];
  cap_error error;
} answer;

static cap_study_factor factors[] = {{.name = "mass", .unit = "kg"}};

static answer ask(cap_results_group **groups, int ngroup, int nresponse, cap_study_response *responses)
{
  cap_results_tree tree = {.ngroup = ngroup, .groups = groups};
  cap_reduce_source source = {&tree, count, values, NULL};
  cap_study study = {.nresponse = nresponse, .responses = responses, .nfactor = 1, .factors = factors};
  cap_arena arena = {0};
  answer a = {0};
  const char *units[MOST];
  cap_reduce_outcome out = {.values = a.value, .units = units};
  a.status = cap_reduce_responses(&study, (double[]){2.5}, &source, &arena, &out, &a.error);
  for (int k = 0; k < nresponse; k++) snprintf(a.unit[k], sizeof a.unit[k], "%s", units[k]);
  memcpy(a.note, out.note, sizeof a.note);
  cap_arena_free(&arena);
  return a;
}

#define ALL .from = -INFINITY, .to = INFINITY

static void test_channels(void **state)
{
  (void)state;
  cap_results_group *groups[] = {&transient, &response_group};
  cap_study_response r[MOST] = {
      {.name = "late", .channel = "arm.angle", .reduction = CAP_STUDY_PEAK, .from = 1, .to = INFINITY},
      {.name = "best", .channel = "gain", .reduction = CAP_STUDY_MAX, .from = 25, .to = INFINITY},
      {.name = "steps", .channel = "steps", .reduction = CAP_STUDY_VALUE, ALL},
      {.name = "both", .reduction = CAP_STUDY_EXPRESSION, .unit = "rad kg", ALL}};
  answer a = ask(groups, 2, 3, r);
  assert_int_equal(a.status, CAP_OK);
  assert_true(a.value[0] == 4 && a.value[1] == 2 && a.value[2] == 42);
  assert_string_equal(a.unit[0], "rad");
  assert_string_equal(a.unit[1], "m");
  r[3].expression = "(late + max(arm.angle) + argmax(gain) + steps)*mass + last('transient/time')";
  a = ask(groups, 2, 4, r);
  if (a.status != CAP_OK) fail_msg("%s", a.error.text);
  assert_true(a.value[3] == (4 + 9 + 20 + 42) * 2.5 + 4);
  assert_string_equal(a.unit[3], "rad kg");
  r[3].from = 1; /* cuts the series of the expression, too */
  r[3].expression = "max(arm.angle)";
  a = ask(groups, 2, 4, r);
  assert_true(a.value[3] == 4);
}

static void refused(cap_study_response r, const char *word)
{
  cap_results_group *groups[] = {&transient, &response_group};
  answer a = ask(groups, 2, 1, &r);
  assert_int_equal(a.status, CAP_ERR_INPUT);
  if (!strstr(a.error.text, word)) fail_msg("\"%s\" does not say \"%s\"", a.error.text, word);
  assert_non_null(strstr(a.error.text, "response it: "));
}

static void test_refusals(void **state)
{
  (void)state;
  cap_study_response r = {.name = "it", .channel = "arm.angel", .reduction = CAP_STUDY_MAX, ALL};
  refused(r, "did you mean arm.angle?");
  r.channel = "temperature";
  refused(r, "there are time, arm.angle");
  r.channel = "words";
  refused(r, "no channel \"words\"");
  r.channel = "arm.angle";
  r.group = "transients";
  refused(r, "there are transient, response");
  r.group = "response";
  refused(r, "in the group response");
  r.group = NULL;
  r.from = 5;
  refused(r, "expected values of arm.angle from 5 to inf, got none");
  r.from = -INFINITY;
  r.reduction = CAP_STUDY_VALUE;
  refused(r, "expected one value of arm.angle, got 5");
  r.reduction = CAP_STUDY_EXPRESSION;
  r.expression = "max(arm.angel)";
  refused(r, "arm.angel");
  r.expression = "arm.angle";
  refused(r, "number");
}

/* Its own mean is taken, and only when the analysis says that the point is stationary. */
static void test_analysis_stationary(void **state)
{
  (void)state;
  cap_results_group *groups[] = {&stationary_group};
  cap_study_response r = {
      .name = "it", .channel = "arm.angle", .reduction = CAP_STUDY_STATIONARY, .tolerance = 1e-6, ALL};
  answer a = ask(groups, 1, 1, &r);
  assert_true(a.status == CAP_OK && a.value[0] == 7);
  stationary_items[0].values = (double *)END_SLIPS;
  a = ask(groups, 1, 1, &r);
  assert_true(a.status == CAP_OK && isnan(a.value[0]));
  assert_non_null(strstr(a.note, "did not find a stationary point"));
  stationary_items[0].values = (double *)END_FINE;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_uneven_steps),
      cmocka_unit_test(test_settled),      cmocka_unit_test(test_stationary),
      cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_channels),
      cmocka_unit_test(test_refusals),     cmocka_unit_test(test_analysis_stationary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
