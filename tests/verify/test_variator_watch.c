/* tests/verify/test_variator_watch.c — a coarse belt run through the program: what its post-processing finds
 * agrees with what the drive and the energy audit say by themselves. */
#include "analysis/stationary/stationary_point.h"
#include "io/execute.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/system.h"

#include "../support/run.h"

#ifdef __SANITIZE_ADDRESS__
#define UNTIL "6 ms" /* no turnaround: sums and works alone */
enum { WHOLE = 0 };
#else
#define UNTIL "72 ms"
enum { WHOLE = 1 };
#endif

static const char model[] = "capstan: 1\n"
                            "drive: variator\n"
                            "ratio: 1\n"
                            "elements: {simulated: 80, real: 437}\n"
                            "primary: {speed: 2000 rpm}\n"
                            "secondary: {torque: -50 N m, clamping: 6446 N}\n"
                            "analyses:\n"
                            "  - transient: {until: " UNTIL ", step: 1.6 us, variator: {histories: true, "
                            "bearing_torque: 0.1 N m}}\n"
                            "outputs: {every: 0.05 ms, channels: [ratio.*, \"*.torque\", \"*.thrust\"]}\n";

static test_result result;

static int compute(void **state)
{
  (void)state;
  result = test_result_run(model);
  return 0;
}

static int forget(void **state)
{
  (void)state;
  test_result_close(&result);
  return 0;
}

static double number(const char *name)
{
  return test_number(&result, "transient", name);
}

/* Mean of a channel over the rows that the means are of. */
static double channel_mean(const char *name, double from)
{
  double total = 0.0;
  int64_t n, used = 0;
  double *t = test_values(&result, "transient", "time", &n), *v = test_values(&result, "transient", name, &n);
  for (int64_t i = 0; i < n; i++)
    if (t[i] > from) total += v[i], used++;
  free(t);
  free(v);
  return total / (double)used;
}

static void test_sums(void **state)
{
  (void)state;
  double from = WHOLE ? number("variator.last_turnaround") : 0.0;
  if (cap_results_tree_dataset(test_group(&result, "transient"), "variator.stationary_from"))
    from = fmax(from, number("variator.stationary_from"));
  assert_near(number("variator.thrust"), channel_mean("ratio.thrust", from), 0.03);
  assert_near(number("variator.torque_pri"), channel_mean("primary.torque", from), WHOLE ? 0.5 : 3.0);
  assert_near(number("variator.clamping_sec"), 6446.0, 1e-6);
  assert_near(number("variator.load_sec"), -50.0, 1e-9);
  assert_near(number("variator.speed_pri"), 2000.0 * M_PI / 30.0, 1e-9);
  assert_true(number("variator.credible") == 1.0);
}

/* The named losses and the rest are what the audit lost in contacts; efficiency by both ways. */
static void test_losses(void **state)
{
  (void)state;
  double named = number("loss.ElPuLoPRI") + number("loss.ElPuLoSEC") + number("loss.ElPuRaPRI") +
                 number("loss.ElPuRaSEC") + number("loss.ElRiLoPRI") + number("loss.ElRiLoSEC");
  assert_true(number("loss.ElPuLoPRI") > 0.0 && number("loss.ElRiLoSEC") > 0.0);
  double in = number("variator.power_pri"), all = named + number("loss.rest");
  assert_near(number("variator.efficiency_local"), 1.0 - all / in, 1e-9);
  assert_near(number("variator.efficiency_local") - number("variator.efficiency_global"),
              0.1 * (number("variator.speed_pri") + number("variator.speed_sec")) / in, 1e-9);
  if (WHOLE) assert_near(number("variator.efficiency"), number("variator.efficiency_local"), 0.01);
}

static void test_counts(void **state)
{
  (void)state;
  assert_true(number("variator.contacts") == 7.0 * 80.0);
  assert_true(number("variator.coordinates") ==
              3.0 * 80.0 + 4.0 * 160.0 + 2.0); /* two pulleys of which one turns; ring of 160 nodes */
}

/* Shifted by far too much force on the primary, the belt reaches the outer edge of its sheaves. */
static void test_leaves_the_sheaves(void **state)
{
  (void)state;
  test_system s = test_system_open("capstan: 1\n"
                                   "drive: variator\n"
                                   "ratio: 0.37\n"
                                   "elements: {simulated: 40}\n"
                                   "primary: {speed: 2000 rpm, thrust_ratio: 6}\n"
                                   "secondary: {torque: 0 N m, clamping: 6446 N}\n"
                                   "analyses: [{transient: {until: 20 ms}}]\n");
  cap_error error = {0};
  cap_execute_options options = {.threads = 1};
  char path[] = "/tmp/capstan-leaves-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  assert_int_equal(cap_execute_file(s.file, path, &options, NULL, 0, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "the belt leaves the sheaves of the primary;"));
  assert_int_equal(unlink(path), 0);
  test_system_close(&s);
}

static void test_curves(void **state)
{
  (void)state;
  if (!WHOLE) skip();
  int64_t n, m;
  double *time = test_values(&result, "transient", "along.time", &n);
  double *push = test_values(&result, "transient", "along.push.sum", &m);
  assert_true(n == m && n > 350);
  for (int64_t i = 1; i < n; i++) assert_true(time[i] > time[i - 1] && isfinite(push[i]));
  free(time);
  free(push);
  assert_near(number("variator.error_longitudinal"), 0.0, 0.05);
  assert_near(number("variator.error_traction"), 0.0, 0.05);
  assert_near(number("variator.error_clamping"), 0.0, 0.01);
  assert_near(number("variator.error_torque_identity"), 0.0, 0.05);
  /* with all that belongs to them, theory §51.7 */
  assert_near(number("variator.balance_torque"), 0.0, 0.015); /* coarse joints */
  assert_near(number("variator.balance_longitudinal"), 0.0, 0.003);
  assert_near(number("variator.balance_traction"), 0.0, 0.006);
  assert_near(number("variator.balance_load"), 0.0, 0.004);
  assert_near(number("variator.balance_clamping"), 0.0, 0.001);
  assert_near(number("variator.tension_expected"), number("variator.tension_ratio"), 0.02);
  assert_near(number("variator.arc_pri"), M_PI, 0.35);
  assert_true(number("variator.push_us") > 2.0 * number("variator.push_ls"));
  /* sections are passed by few elements each in 1.3 turnarounds, and elements rattle in the lower strand */
  double expected = 0.6555 / number("variator.belt_speed");
  assert_near(number("variator.revolution"), expected, 0.03 * expected);
}

/* All elements, in the unit of a real one: at any row their axial forces in SEC make the thrust. */
static void test_histories(void **state)
{
  (void)state;
  int64_t nsection, naxial, nrow;
  double *section = test_values(&result, "transient", "history.section", &nsection);
  double *axial = test_values(&result, "transient", "history.flank.axial", &naxial);
  double *time = test_values(&result, "transient", "history.time", &nrow), sum = 0.0;
  assert_int_equal(nsection, 80 * nrow);
  assert_int_equal(naxial, nsection);
  for (int64_t k = (nrow - 1) * 80; k < nrow * 80; k++)
    sum += section[k] == 2.0 ? axial[k] * 437.0 / 80.0 : 0.0;
  int64_t n;
  double *thrust = test_values(&result, "transient", "secondary.thrust", &n);
  double *rows = test_values(&result, "transient", "time", &n);
  for (int64_t i = 0; i < n; i++)
    if (rows[i] == time[nrow - 1]) assert_near(sum, thrust[i], 1e-6 * fabs(thrust[i]));
  free(section);
  free(axial);
  free(time);
  free(thrust);
  free(rows);
}

/* The continuum stands beside: what was seen less the distance is the continuum, and near. */
static void test_beside(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {
      {"variator.thrust", "thrust_ratio"},   {"variator.ratio", "speed_ratio"},
      {"variator.push_us", "push.upper"},    {"variator.push_ls", "push.lower"},
      {"variator.tension_us", "ring.upper"}, {"variator.tension_ls", "ring.lower"}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    char continuum[64], distance[64];
    snprintf(continuum, sizeof continuum, "continuum.%s", pairs[k][1]);
    snprintf(distance, sizeof distance, "distance.%s", pairs[k][1]);
    double seen = number(pairs[k][0]);
    assert_near(number(continuum) + number(distance), seen, 1e-9 * (1.0 + fabs(seen)));
  }
  if (WHOLE) { /* i_F of so coarse a belt falls short by 0.16; with 218 elements by 0.01 */
    assert_near(number("distance.thrust_ratio"), 0.0, 0.25);
    assert_near(number("distance.speed_ratio"), 0.0, 0.03);
    assert_near(number("distance.efficiency"), 0.0, 0.02);
  }
}

/* Where there is no continuum it says why; more power out than in has no efficiency. */
static void test_slipping(void **state)
{
  (void)state;
  test_result r = test_result_run("capstan: 1\n"
                                  "drive: variator\n"
                                  "ratio: 1\n"
                                  "elements: {simulated: 60, real: 437}\n"
                                  "primary: {speed: 2000 rpm}\n"
                                  "secondary: {torque: -50 N m, clamping: 2500 N}\n"
                                  "analyses:\n"
                                  "  - transient: {until: 6 ms, step: 1 us}\n"
                                  "outputs: {every: 0.2 ms}\n");
  assert_non_null(strstr(test_text(&r, "transient", "continuum"), "macro slip"));
  assert_null(cap_results_tree_dataset(test_group(&r, "transient"), "continuum.thrust_ratio"));
  assert_null(cap_results_tree_dataset(test_group(&r, "transient"), "variator.efficiency"));
  test_result_close(&r);
}

/* Over the points of a stationary analysis the same stands in arrays; the one that slips has none. Its name
 * is one that no group of results may have. */
static void test_points(void **state)
{
  (void)state;
  test_result r = test_result_run("capstan: 1\n"
                                  "drive: variator\n"
                                  "ratio: 1\n"
                                  "elements: {simulated: 40, real: 437}\n"
                                  "primary: {speed: 2000 rpm}\n"
                                  "secondary: {torque: -50 N m, clamping: 6446 N}\n"
                                  "analyses:\n"
                                  "  - stationary: {lead: 0, average: 0.05, until: 0.06, cases: "
                                  "[{name: holds}, {name: audit, set: [secondary.clamping=2500 N]}]}\n");
  double *seen = test_values(&r, "holds", "variator.thrust", NULL);
  double *continuum = test_values(&r, "stationary", "continuum.thrust_ratio", NULL);
  double *distance = test_values(&r, "stationary", "distance.thrust_ratio", NULL);
  assert_near(continuum[0] + distance[0], seen[0], 1e-9);
  assert_true(isnan(continuum[1]) && isnan(distance[1]));
  assert_non_null(strstr(test_text(&r, "stationary", "continuum"), "macro slip"));
  assert_non_null(strstr(test_text(&r, "case.2", "continuum"), "macro slip"));
  free(seen);
  free(continuum);
  free(distance);
  test_result_close(&r);
}

/* Slip ends a point, whatever channels the results are to show; a limit below all creep for that. */
static void test_slip_is_seen(void **state)
{
  (void)state;
  test_result r = test_result_run("capstan: 1\n"
                                  "drive: variator\n"
                                  "ratio: 1\n"
                                  "elements: {simulated: 40, real: 437}\n"
                                  "primary: {speed: 2000 rpm}\n"
                                  "secondary: {torque: -50 N m, clamping: 6446 N}\n"
                                  "analyses:\n"
                                  "  - stationary: {lead: 0, average: 0.05, until: 0.1, slip: 0.001 %}\n"
                                  "outputs: {channels: [ratio.*]}\n");
  assert_near(test_number(&r, "stationary", "point.end"), CAP_STATIONARY_SLIPS, 0.0);
  test_result_close(&r);
}

/* What the analysis found stationary, by the error that it was asked for,
 * is not called otherwise beside it. */
static void test_one_criterion(void **state)
{
  (void)state;
  static const char pattern[] = "capstan: 1\n"
                                "drive: variator\n"
                                "ratio: 1\n"
                                "elements: {simulated: 40, real: 437}\n"
                                "primary: {speed: 2000 rpm}\n"
                                "secondary: {torque: -50 N m, clamping: 6446 N}\n"
                                "analyses:\n"
                                "  - stationary: {lead: 0, average: 0.05, until: 0.06, error: %s}\n";
  for (int k = 0; k < 2; k++) { /* any motion is steady enough, or none */
    char text[sizeof pattern + 16];
    snprintf(text, sizeof text, pattern, k ? "1e-9" : "50");
    test_result r = test_result_run(text);
    assert_near(test_number(&r, "stationary", "point.end"),
                k ? CAP_STATIONARY_MISSED : CAP_STATIONARY_REACHED, 0.0);
    assert_near(test_number(&r, "stationary", "figure.stationary"), k ? 0.0 : 1.0, 0.0);
    test_result_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums),          cmocka_unit_test(test_losses),
      cmocka_unit_test(test_curves),        cmocka_unit_test(test_histories),
      cmocka_unit_test(test_beside),        cmocka_unit_test(test_slipping),
      cmocka_unit_test(test_points),        cmocka_unit_test(test_slip_is_seen),
      cmocka_unit_test(test_counts),        cmocka_unit_test(test_leaves_the_sheaves),
      cmocka_unit_test(test_one_criterion),
  };
  return cmocka_run_group_tests(tests, compute, forget);
}
