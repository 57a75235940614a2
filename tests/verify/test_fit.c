/* Parameters from curves with noise: recovered, covered by their intervals, and not where the curves cannot
 * tell them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/fit.h"

#define RIG(k0, F0, c, k, alpha)                                                                             \
  "capstan: 1\nname: t\ndrive: tensioner-rig\n"                                                              \
  "tensioner: {law: masing, k0: " k0 " N/m, F0: " F0 " N, c: " c " N s/m, sliders: [{k: " k " N/m, "         \
  "alpha: " alpha " N, w0: -0.324 mm}]}\n"                                                                   \
  "deflection: {motion: harmonic, mean: 0.54 mm, amplitude: 0.52 mm, angular_frequency: 9.4 rad/s, phase: "  \
  "4.8 "                                                                                                     \
  "rad}\n"                                                                                                   \
  "outputs: {every: 5 ms}\n"

#define FIT_TIME(curve, parameters)                                                                          \
  "analyses:\n- fit:\n    data: %s\n    analysis: [{transient: {until: 2 s}}]\n"                             \
  "    over: {channel: time, column: x}\n    curves: [" curve "]\n    parameters: [" parameters "]\n"

enum { P = 5, SEEDS = 50 };
static const char *const names[P] = {"tensioner.k0", "tensioner.F0", "tensioner.c", "tensioner.sliders[0].k",
                                     "tensioner.sliders[0].alpha"};
static const double truth[P] = {2.34e5, -573.0, 1.93e4, 4.84e5, 163.0};

static double number(const test_result *r, const char *name, const char *part)
{
  char full[200];
  snprintf(full, sizeof full, "%s%s", name, part);
  return test_number(r, "fit", full);
}

static const char *state_of(const test_result *r, const char *name)
{
  char full[200];
  snprintf(full, sizeof full, "%s.state", name);
  return test_text(r, "fit", full);
}

/* Starts are 10 to 25 % off; noise of 1 % of the force's range; intervals cover 95 %. */
static void a_transient_is_recovered(void **state)
{
  (void)state;
  const fit_source source = {"transient", "time", "s", 1, 0};
  const fit_curve curve = {"tensioner.force", "F", "N", 6.0};
  test_result made = test_result_run(
      RIG("2.34e5", "-573", "1.93e4", "4.84e5", "163") "analyses: [{transient: {until: 2 s}}]\n");
  int covered[P] = {0}, all = 0;
  double worst[P] = {0}, excess = 0.0, furthest = 0.0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    fit_write(&made, &source, 1, &curve, (uint64_t)seed);
    test_result r = fit_run(RIG("2.0e5", "-500", "1.5e4", "4e5", "200") FIT_TIME(
        "{channel: tensioner.force, column: F, sigma: 6 N}",
        "{parameter: tensioner.k0}, {parameter: tensioner.F0}, {parameter: tensioner.c, scale: log}, "
        "{parameter: 'tensioner.sliders[0].k', scale: log}, {parameter: 'tensioner.sliders[0].alpha'}"));
    fit_forget();
    for (int k = 0; k < P; k++) {
      double value = number(&r, names[k], ""), low = number(&r, names[k], ".low"),
             high = number(&r, names[k], ".high");
      assert_string_equal(state_of(&r, names[k]), "identified");
      worst[k] = fmax(worst[k], fabs(value / truth[k] - 1.0));
      furthest = fmax(furthest, fabs(value - truth[k]) / number(&r, names[k], ".error"));
      covered[k] += truth[k] >= low && truth[k] <= high;
      assert_true(low < value && value < high);
    }
    excess += test_number(&r, "fit", "chi2") / test_number(&r, "fit", "freedom") / SEEDS;
    test_result_close(&r);
  }
  test_result_close(&made);
  for (int k = 0; k < P; k++) {
    print_message("  %-28s worst of %d: %.2f %%, covered %d\n", names[k], SEEDS, 100.0 * worst[k],
                  covered[k]);
    all += covered[k];
  }
  print_message("  chi2 over freedom %.3f, covered in all %.1f %%, at most %.1f standard errors off\n",
                excess, 100.0 * all / (P * SEEDS), furthest);
  assert_true(excess > 0.95 && excess < 1.05);
  assert_true(furthest < 4.5); /* of 250 values 1 in 600 such sets would have a larger one */
  assert_true(all > 0.90 * P * SEEDS && all < P * SEEDS);
}

/* A friction that never slips: of k0 and k only the sum is known (their offsets go into F0), of alpha
 * nothing. */
static void what_cannot_be_told_is_named(void **state)
{
  (void)state;
  const fit_source source = {"transient", "time", "s", 1, 0};
  const fit_curve curve = {"tensioner.force", "F", "N", 6.0};
  test_result made = test_result_run(
      RIG("2.34e5", "-573", "1.93e4", "4.84e5", "5000") "analyses: [{transient: {until: 2 s}}]\n");
  fit_write(&made, &source, 1, &curve, 3);
  test_result r = fit_run(RIG("2.0e5", "-500", "1.5e4", "4e5", "4000") FIT_TIME(
      "{channel: tensioner.force, column: F}", "{parameter: tensioner.k0}, {parameter: tensioner.F0}, "
                                               "{parameter: tensioner.c, scale: log}, "
                                               "{parameter: 'tensioner.sliders[0].k'}, "
                                               "{parameter: 'tensioner.sliders[0].alpha'}"));
  fit_forget();
  test_result_close(&made);
  assert_true(test_number(&r, "fit", "identified") == 3.0);
  assert_string_equal(state_of(&r, "tensioner.k0"), "not identified");
  assert_string_equal(state_of(&r, "tensioner.sliders[0].k"), "not identified");
  assert_string_equal(state_of(&r, "tensioner.sliders[0].alpha"), "not identified");
  assert_string_equal(state_of(&r, "tensioner.c"), "identified");
  bool pair = false, alone = false;
  for (int k = 1; k <= 2; k++) {
    char name[20];
    snprintf(name, sizeof name, "open.%d", k);
    const char *text = test_text(&r, "fit", name);
    print_message("  %s\n", text);
    pair = pair || (strstr(text, "tensioner.k0") && strstr(text, "tensioner.sliders[0].k ") &&
                    !strstr(text, "alpha"));
    alone = alone || strstr(text, "tensioner.sliders[0].alpha up by 1 %: determined not at all");
  }
  assert_true(pair && alone);
  /* no number with false confidence */
  assert_null(cap_results_tree_dataset(test_group(&r, "fit"), "tensioner.k0.low"));
  assert_non_null(cap_results_tree_dataset(test_group(&r, "fit"), "tensioner.c.low"));
  test_result_close(&r);
}

/* Two curves of other units, noise of neither given: both are weighed by what is left of them. */
static void curves_are_weighed(void **state)
{
  (void)state;
  const fit_source source = {"transient", "time", "s", 1, 0};
  const fit_curve curves[2] = {{"tensioner.force", "F", "N", 6.0}, {"tensioner.velocity", "v", "m/s", 2e-5}};
  test_result made = test_result_run(
      RIG("2.34e5", "-573", "1.93e4", "4.84e5", "163") "analyses: [{transient: {until: 2 s}}]\n");
  fit_write(&made, &source, 2, curves, 5);
  test_result r = fit_run(RIG("2.34e5", "-500", "1.93e4", "4.84e5", "200") FIT_TIME(
      "{channel: tensioner.force, column: F}, {channel: tensioner.velocity, column: v}",
      "{parameter: tensioner.F0}, {parameter: 'tensioner.sliders[0].alpha'}, "
      "{parameter: deflection.amplitude, start: 0.5 mm}, {parameter: deflection.angular_frequency, start: "
      "9.3 "
      "rad/s}"));
  fit_forget();
  test_result_close(&made);
  assert_true(fabs(number(&r, "deflection.amplitude", "") / 0.52e-3 - 1.0) < 0.005);
  assert_true(fabs(number(&r, "deflection.angular_frequency", "") / 9.4 - 1.0) < 0.001);
  assert_true(fabs(number(&r, "tensioner.F0", "") / -573.0 - 1.0) < 0.02);
  assert_true(fabs(number(&r, "tensioner.force", ".rms") / 6.0 - 1.0) < 0.15);
  assert_true(fabs(number(&r, "tensioner.velocity", ".rms") / 2e-5 - 1.0) < 0.15);
  test_result_close(&r);
}

/* Equilibria over a load, without noise: the stiffness terms of a spring come back. */
static void a_static_curve_is_recovered(void **state)
{
  (void)state;
#define HARD(k1, k3)                                                                                         \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: crown, mass: 1 kg}]\n"                  \
  "springs: [{from: crown, stiffness: " k1 " N/m, cubic: " k3 " N/m3, damping: 0.2 N s/m}]\n"                \
  "loads: [{on: crown, mean: 0 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: {angular_frequency: 1 "       \
  "rad/s}\n"
#define SWEEP "{sweep: {parameter: 'loads[0].mean', values: [-0.6 N, 0.6 N]}}"
  const fit_source source = {"statics", "loads[0].mean", "N", 3, 0};
  const fit_curve curve = {"crown.position", "u", "m", 0.0};
  test_result made = test_result_run(HARD("2", "5") "analyses: [{statics: " SWEEP "}]\n");
  fit_write(&made, &source, 1, &curve, 1);
  test_result r = fit_run(HARD("1", "9") "analyses:\n- fit:\n    data: %s\n    analysis: [{statics: " SWEEP
                                         "}]\n"
                                         "    over: {channel: 'loads[0].mean', column: x}\n"
                                         "    curves: [{channel: crown.position, column: u, sigma: 1 mm}]\n"
                                         "    parameters: [{parameter: 'springs[0].stiffness', scale: log}, "
                                         "{parameter: 'springs[0].cubic'}]\n");
  fit_forget();
  test_result_close(&made);
  print_message("  stiffness %.6f, cubic %.6f\n", number(&r, "springs[0].stiffness", ""),
                number(&r, "springs[0].cubic", ""));
  assert_true(fabs(number(&r, "springs[0].stiffness", "") - 2.0) < 2e-3);
  assert_true(fabs(number(&r, "springs[0].cubic", "") - 5.0) < 2e-2);
  test_result_close(&r);
#undef HARD
#undef SWEEP
}

/* ---- how it runs --------------------------------------------------------------------------------------- */

/* Run a model's text to `path` on some threads. */
static cap_status run_to(const char *text, int threads, const char *path, cap_error *error)
{
  test_system s = test_system_open(fit_text(text));
  cap_execute_options options = {.threads = threads};
  cap_status status = cap_execute_file(s.file, path, &options, NULL, 0, error);
  test_system_close(&s);
  return status;
}

static void write_rig_data(void)
{
  const fit_source source = {"transient", "time", "s", 4, 0};
  const fit_curve curve = {"tensioner.force", "F", "N", 6.0};
  test_result made = test_result_run(
      RIG("2.34e5", "-573", "1.93e4", "4.84e5", "163") "analyses: [{transient: {until: 2 s}}]\n");
  fit_write(&made, &source, 1, &curve, 1);
  test_result_close(&made);
}

static void threads_do_not_matter(void **state)
{
  (void)state;
  double value[2][2];
  write_rig_data();
  for (int k = 0; k < 2; k++) {
    char folder[] = "/tmp/capstan-fit-XXXXXX", path[64];
    cap_error error = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.h5", folder);
    if (run_to(RIG("2.0e5", "-500", "1.93e4", "4.84e5", "200")
                   FIT_TIME("{channel: tensioner.force, column: F}",
                            "{parameter: tensioner.k0}, {parameter: 'tensioner.sliders[0].alpha'}"),
               k ? 3 : 1, path, &error) != CAP_OK)
      fail_msg("%s", error.text);
    test_result r = test_result_open(path);
    value[k][0] = number(&r, "tensioner.k0", "");
    value[k][1] = number(&r, "tensioner.sliders[0].alpha", ".error");
    test_result_close(&r);
  }
  fit_forget();
  assert_memory_equal(value[0], value[1], sizeof value[0]);
}

/* What shows only when the analysis has run is told with its reason, the rest before. */
static void what_the_first_run_shows_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {{RIG("2e5", "-500", "1.9e4", "4.8e5",
                    "200") "analyses:\n- fit:\n    data: %s\n    analysis: [{transient: "
                           "{until: 1.5 s}}]\n    over: {channel: time, column: x}\n"
                           "    curves: [{channel: tensioner.force, column: F}]\n"
                           "    parameters: [{parameter: tensioner.k0}]\n",
                "expected a range of at least 0 to 2 in time, got 0 to 1.5"},
               {RIG("2e5", "-500", "1.9e4", "4.8e5",
                    "200") "analyses:\n- fit:\n    data: %s\n    analysis: [{transient: "
                           "{until: 2 s}}]\n    over: {channel: tme, column: x}\n"
                           "    curves: [{channel: tensioner.force, column: F}]\n"
                           "    parameters: [{parameter: tensioner.k0}]\n",
                "fit.over.channel: transient has no such channel; expected a channel of this drive, got "
                "\"tme\"; did you mean \"time\"?"},
               {RIG("2e5", "-500", "1.9e4", "4.8e5",
                    "200") "analyses:\n- fit:\n    data: %s\n    analysis: [{statics: "
                           "{}}]\n    over: {channel: tme, column: x}\n"
                           "    curves: [{channel: tensioner.force, column: F}]\n"
                           "    parameters: [{parameter: tensioner.k0}]\n",
                "expected one of its channels, got \"tme\""}};
  write_rig_data();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char path[] = "/tmp/capstan-fit-XXXXXX";
    cap_error error = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(run_to(cases[k].text, 1, path, &error), CAP_ERR_INPUT);
    if (!strstr(error.text, cases[k].expected)) fail_msg("%s", error.text);
    unlink(path);
  }
  fit_forget();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_transient_is_recovered), cmocka_unit_test(what_cannot_be_told_is_named),
      cmocka_unit_test(curves_are_weighed),       cmocka_unit_test(a_static_curve_is_recovered),
      cmocka_unit_test(threads_do_not_matter),    cmocka_unit_test(what_the_first_run_shows_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
