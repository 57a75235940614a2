/* Stationary points: standard errors of correlated noise; an oscillator that rings down to its static
 * deflection, by itself, in cases, and along a parameter; one that never does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/system.h"

#include "../support/run.h"
#include "analysis/stationary/stationary_point.h"

/* A gear on a spring of 1 N/m (the clearance is far away) with a damping ratio of 5 %. */
#define MODEL(analysis)                                                                                      \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg, position: 0.9 m}]\n"  \
  "springs: [{from: gear, stiffness: 1 N/m, damping: 0.1 N s/m}]\n"                                          \
  "loads: [{on: gear, mean: 0.5 N}]\nforcing: {angular_frequency: 1 rad/s}\nanalyses: "                      \
  "[{stationary: " analysis "}]\n"
#define WATCH "watch: [gear.position], turn: 6.283185307 s, samples: 50, until: 40, tolerance: 1 %"

/* White noise through a first-order filter: the error of the mean is larger by sqrt((1 + a)/(1 - a)). */
static void errors_know_correlation(void **state)
{
  (void)state;
  enum { N = 4000, TRIALS = 200 };
  static double y[3 * N];
  for (int c = 0; c < 3; c++) {
    const double a = c == 0 ? 0.0 : c == 1 ? 0.8 : 0.98;
    uint64_t seed = 11;
    double spread = 0.0, told = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
      double x = 0.0, mean, error;
      for (int k = -1000; k < N; k++) {
        x = a * x + test_random(&seed, -1.0, 1.0);
        if (k >= 0) y[3 * k] = x; /* one of three columns */
      }
      cap_stationary_point_mean(N, 3, y, &mean, &error);
      spread += mean * mean / TRIALS;
      told += error * error / TRIALS;
    }
    double exact = 1.0 / sqrt(3.0) / (1.0 - a) / sqrt((double)N);
    assert_near(sqrt(spread), exact, 0.15 * exact);
    assert_near(sqrt(told), exact, 0.3 * exact);
  }
}

static void rings_down_to_the_static_deflection(void **state)
{
  (void)state;
  test_result r = test_result_run(MODEL("{" WATCH "}"));
  const char *group = "stationary";
  /* an amplitude of 0.4 m exp(-0.05 t); within 1 % of 0.5 m between fifths of 0.4 turns */
  double settled = test_number(&r, group, "point.settled");
  assert_in_range((int)(10.0 * settled), 60, 160);
  assert_near(test_number(&r, group, "mean.gear.position"), 0.5, 2.5e-3);
  double range = test_number(&r, group, "most.gear.position") - test_number(&r, group, "least.gear.position");
  assert_true(test_number(&r, group, "error.gear.position") < 0.5 * range);
  assert_near(test_number(&r, group, "point.end"), 0.0, 0.0);
  assert_near(test_number(&r, group, "point.averaged"), 1.0, 0.011);
  assert_true(test_number(&r, group, "least.gear.position") < 0.5);
  assert_true(test_number(&r, group, "most.gear.position") > 0.5);
  int64_t rows;
  double *time = test_values(&r, group, "time", &rows);
  assert_near(time[rows - 1], 6.283185307 * (settled + 1.0), 0.13);
  free(time);
  test_result_close(&r);
}

/* From a neighbour the way is shorter; the parameter is the axis of all figures. */
static void a_parameter_is_followed_from_point_to_point(void **state)
{
  (void)state;
  test_result r = test_result_run(
      MODEL("{" WATCH ", continue: {parameter: \"loads[0].mean\", values: [0.5 N, 0.51 N, 0.52 N]}}"));
  double *mean = test_values(&r, "stationary", "mean.gear.position", NULL);
  double *settled = test_values(&r, "stationary", "point.settled", NULL);
  double *warm = test_values(&r, "stationary", "point.warm", NULL);
  double *load = test_values(&r, "stationary", "over.loads[0].mean", NULL);
  for (int k = 0; k < 3; k++) {
    assert_near(load[k], 0.5 + 0.01 * k, 1e-12);
    assert_near(mean[k], 0.5 + 0.01 * k, 3e-3);
    assert_true(warm[k] == (k > 0));
  }
  assert_true(settled[1] < 0.7 * settled[0] && settled[2] < 0.7 * settled[0]);
  free(mean);
  free(settled);
  free(warm);
  free(load);
  test_result_close(&r);
}

static void cases_are_one_table(void **state)
{
  (void)state;
  test_result r = test_result_run(
      MODEL("{" WATCH ", cases: [{name: soft, set: [\"springs[0].stiffness=0.7 N/m\"]}, {name: as it is}, "
            "{name: barely damped, set: [\"springs[0].damping=1e-6 N s/m\", \"loads[0].mean=0.6 N\"]}]}"));
  double *mean = test_values(&r, "stationary", "mean.gear.position", NULL);
  double *end = test_values(&r, "stationary", "point.end", NULL);
  double *settled = test_values(&r, "stationary", "point.settled", NULL);
  assert_string_equal(test_text(&r, "stationary", "points"), "soft\nas it is\nbarely damped");
  assert_near(mean[0], 0.5 / 0.7, 4e-3);
  assert_near(mean[1], 0.5, 3e-3);
  assert_near(mean[2], 0.6, 1e-2); /* over a whole turn all the same */
  assert_true(end[0] == CAP_STATIONARY_REACHED && end[1] == CAP_STATIONARY_REACHED);
  assert_true(end[2] == CAP_STATIONARY_MISSED && settled[2] == 40.0);
  free(mean);
  free(end);
  free(settled);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_know_correlation),
      cmocka_unit_test(rings_down_to_the_static_deflection),
      cmocka_unit_test(a_parameter_is_followed_from_point_to_point),
      cmocka_unit_test(cases_are_one_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
