/* Stationary points: an oscillator that rings down to its static
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
#define WATCH "watch: [gear.position], turn: 6.283185307 s, samples: 50, until: 40, error: 1 %"

static void rings_down_to_the_static_deflection(void **state)
{
  (void)state;
  test_result r = test_result_run(MODEL("{" WATCH "}"));
  const char *group = "stationary";
  /* an amplitude of 0.4 m exp(-0.05 t): what oscillates does not move the mean, which is what it says */
  double settled = test_number(&r, group, "point.settled"),
         averaged = test_number(&r, group, "point.averaged");
  double error = test_number(&r, group, "error.gear.position");
  assert_true(settled >= 1.0 && settled < 20.0 && averaged >= 1.0);
  assert_true(error > 0.0 && error <= 0.01 * 0.5 * 1.02);
  assert_near(test_number(&r, group, "mean.gear.position"), 0.5, 1.96 * error);
  double range = test_number(&r, group, "most.gear.position") - test_number(&r, group, "least.gear.position");
  assert_true(error < 0.5 * range);
  assert_near(test_number(&r, group, "point.end"), 0.0, 0.0);
  assert_true(test_number(&r, group, "least.gear.position") < 0.5);
  assert_true(test_number(&r, group, "most.gear.position") > 0.5);
  int64_t rows;
  double *time = test_values(&r, group, "time", &rows);
  assert_near(time[rows - 1], 6.283185307 * (settled + averaged), 0.13);
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
  double *averaged = test_values(&r, "stationary", "point.averaged", NULL);
  double *warm = test_values(&r, "stationary", "point.warm", NULL);
  double *load = test_values(&r, "stationary", "over.loads[0].mean", NULL);
  for (int k = 0; k < 3; k++) {
    assert_near(load[k], 0.5 + 0.01 * k, 1e-12);
    assert_near(mean[k], 0.5 + 0.01 * k, 3e-3);
    assert_true(warm[k] == (k > 0));
  }
  assert_true(averaged[1] < 0.7 * averaged[0] && averaged[2] < 0.7 * averaged[0]);
  free(mean);
  free(averaged);
  free(warm);
  free(load);
  test_result_close(&r);
}

static void cases_are_one_table(void **state)
{
  (void)state;
  test_result r = test_result_run(
      MODEL("{" WATCH ", cases: [{name: soft, set: [\"springs[0].stiffness=0.7 N/m\"]}, {name: as it is}, "
            "{name: barely held, set: [\"springs[0].stiffness=1e-4 N/m\", \"loads[0].mean=0.6 N\"]}]}"));
  double *mean = test_values(&r, "stationary", "mean.gear.position", NULL);
  double *end = test_values(&r, "stationary", "point.end", NULL);
  double *settled = test_values(&r, "stationary", "point.settled", NULL);
  assert_string_equal(test_text(&r, "stationary", "points"), "soft\nas it is\nbarely held");
  assert_near(mean[0], 0.5 / 0.7, 4e-3);
  assert_near(mean[1], 0.5, 3e-3);
  assert_non_null(strstr(test_text(&r, "stationary", "reasons"), "gear.position"));
  assert_true(end[0] == CAP_STATIONARY_REACHED && end[1] == CAP_STATIONARY_REACHED);
  assert_true(end[2] == CAP_STATIONARY_MISSED && settled[2] == 40.0);
  free(mean);
  free(end);
  free(settled);
  test_result_close(&r);
}

/* A case sets keys of the analysis, too. */
static void cases_set_keys_of_the_analysis(void **state)
{
  (void)state;
  test_result r = test_result_run(
      MODEL("{" WATCH ", cases: [{name: as it is}, {name: later, set: [\"analyses[0].stationary.lead=15\", "
            "\"analyses[0].stationary.samples=100\"]}, {name: never, set: "
            "[\"analyses[0].stationary.error=1e-9\", \"analyses[0].stationary.until=9\"]}]}"));
  double *end = test_values(&r, "stationary", "point.end", NULL);
  double *settled = test_values(&r, "stationary", "point.settled", NULL);
  int64_t rows;
  double *point = test_values(&r, "stationary", "point", &rows), counts[3] = {0};
  for (int64_t k = 0; k < rows; k++) counts[(int)point[k]] += 1.0;
  assert_true(end[0] == CAP_STATIONARY_REACHED && settled[0] < 10.0);
  assert_true(end[1] == CAP_STATIONARY_REACHED && settled[1] >= 15.0 && counts[1] >= 1800.0);
  assert_true(end[2] == CAP_STATIONARY_MISSED && settled[2] == 9.0 && counts[2] == 451.0);
  free(end);
  free(settled);
  free(point);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rings_down_to_the_static_deflection),
      cmocka_unit_test(a_parameter_is_followed_from_point_to_point),
      cmocka_unit_test(cases_are_one_table),
      cmocka_unit_test(cases_set_keys_of_the_analysis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
