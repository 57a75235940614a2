/* The compression law of a Push-Force-Tester from its curve: three parameters found, six named as not to be
 * told from the force alone, six found with the share of the head. Synthetic curves; noise is white, its size
 * stated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/run.h"

#include "../support/fit.h"

/* 0.2 % of the largest force (6.1 kN), 0.001 in the share; 240 points. */
static const fit_curve curves[2] = {{"clamp.force", "F", "N", 12.0},
                                    {"stack.head_share", "share", "", 0.001}};

#define TESTER(contact, more)                                                                                \
  "capstan: 1\nname: t\ndrive: push-force-tester\nelements: {simulated: 12, real: 100}\n"                    \
  "press: {compression: 1.2e-3, time: 1 s}\ncontact: {" contact "}\n" more
#define TRUTH   "edge: {stiffness: 5 MN, transition: 4e-4, nonlinearity: 7500}"
#define OFF     "edge: {stiffness: 7 MN, transition: 3e-4, nonlinearity: 5000}"
#define OFF_SIX OFF ", head: {stiffness: 6 MN, transition: 3.5e-4, nonlinearity: 6000}"
#define FORCE   "{channel: clamp.force, column: F, sigma: 12 N}"
#define SHARE   "{channel: stack.head_share, column: share, sigma: '0.001'}"
#define LAW(part)                                                                                            \
  "{parameter: contact." part ".stiffness, scale: log}, {parameter: contact." part ".transition, scale: "    \
  "log}, {parameter: contact." part ".nonlinearity, scale: log}"
#define FIT(curve, parameters)                                                                               \
  "analyses:\n- fit:\n    data: %s\n    analysis: [{quasistatic: {until: 1 s, steps: 80}}]\n"                \
  "    over: {channel: clamp.compression, column: x}\n    curves: [" curve "]\n    parameters: [" parameters \
  "]\n"

enum { P = 6 };
static const char *const names[P] = {"contact.edge.stiffness",    "contact.edge.transition",
                                     "contact.edge.nonlinearity", "contact.head.stiffness",
                                     "contact.head.transition",   "contact.head.nonlinearity"};
static const double truth[3] = {5e6, 4e-4, 7500.0};

/* The curve as the true law gives it, from a compression of 5e-5 on: without force there is no share. */
static test_result make(const char *more)
{
  char text[1000];
  snprintf(text, sizeof text, TESTER(TRUTH, "%sanalyses: [{quasistatic: {until: 1 s, steps: 250}}]\n"), more);
  return test_result_run(text);
}

static const fit_source source = {"quasistatic", "clamp.compression", "", 1, 11};

static double off(const test_result *r, int k)
{
  return fabs(test_number(r, "fit", names[k]) / truth[k % 3] - 1.0);
}

static bool known(const test_result *r, int k)
{
  char name[100];
  snprintf(name, sizeof name, "%s.state", names[k]);
  return strcmp(test_text(r, "fit", name), "identified") == 0;
}

/* How many seeds of the noise, of so many. */
static uint64_t seeds(uint64_t most, bool all)
{
  return TEST_SANITIZED ? 1 : all ? most : (most + 1) / 2;
}

static void three_parameters(void **state)
{
  (void)state;
  const uint64_t nseed = seeds(4, test_all("three parameters from four curves with noise instead of two"));
  test_result made = make("");
  double worst[3] = {0};
  for (uint64_t seed = 1; seed <= nseed; seed++) {
    fit_write(&made, &source, 1, curves, seed);
    test_result r = fit_run(TESTER(OFF, FIT(FORCE, LAW("edge"))));
    fit_forget();
    for (int k = 0; k < 3; k++) {
      worst[k] = fmax(worst[k], off(&r, k));
      assert_true(known(&r, k));
    }
    test_result_close(&r);
  }
  test_result_close(&made);
  for (int k = 0; k < 3; k++) {
    print_message("  %-28s worst of %d seeds: %.2f %%\n", names[k], (int)nseed, 100.0 * worst[k]);
    assert_true(worst[k] < 0.02);
  }
}

static void six_from_the_force_alone(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  const uint64_t nseed = seeds(2, test_all("six parameters from the force of two curves instead of one"));
  test_result made = make("");
  for (uint64_t seed = 1; seed <= nseed; seed++) {
    fit_write(&made, &source, 1, curves, seed);
    test_result r = fit_run(TESTER(OFF_SIX, FIT(FORCE, LAW("edge") ", " LAW("head"))));
    fit_forget();
    assert_true(test_number(&r, "fit", "identified") < 6.0);
    assert_false(known(&r, 3));
    const char *text = test_text(&r, "fit", "open.1");
    print_message("  %s\n", text);
    assert_non_null(strstr(text, "contact.head.stiffness"));
    assert_null(cap_results_tree_dataset(test_group(&r, "fit"), "contact.head.stiffness.low"));
    test_result_close(&r);
  }
  test_result_close(&made);
}

static void six_with_the_share_of_the_head(void **state)
{
  (void)state;
  const uint64_t nseed = seeds(3, test_all("six parameters with the share from three curves instead of two"));
  test_result made = make("");
  double worst[P] = {0};
  for (uint64_t seed = 1; seed <= nseed; seed++) {
    fit_write(&made, &source, 2, curves, seed);
    test_result r = fit_run(TESTER(OFF_SIX, FIT(FORCE ", " SHARE, LAW("edge") ", " LAW("head"))));
    fit_forget();
    for (int k = 0; k < P; k++) {
      worst[k] = fmax(worst[k], off(&r, k));
      assert_true(known(&r, k));
    }
    test_result_close(&r);
  }
  test_result_close(&made);
  for (int k = 0; k < P; k++) {
    print_message("  %-28s worst of %d seeds: %.2f %%\n", names[k], (int)nseed, 100.0 * worst[k]);
    assert_true(worst[k] < 0.05);
  }
}

/* Lateral motion locked: the force is F_edge + F_head of one compression, so what one gains the other may
 * lose, for each of the three parameters. */
static void pressed_along_one_line_only_sums_are_known(void **state)
{
  (void)state;
  test_result made = make("lateral: locked\n");
  fit_write(&made, &source, 1, curves, 1);
  test_result r = fit_run(TESTER(TRUTH ", head: {stiffness: 5 MN, transition: 4e-4, nonlinearity: 7500}",
                                 "lateral: locked\n") FIT(FORCE, LAW("edge") ", " LAW("head")));
  fit_forget();
  test_result_close(&made);
  assert_true(test_number(&r, "fit", "identified") == 3.0);
  for (int k = 0; k < P; k++) assert_false(known(&r, k));
  for (int k = 1; k <= 3; k++) {
    char name[20];
    snprintf(name, sizeof name, "open.%d", k);
    const char *text = test_text(&r, "fit", name);
    print_message("  %s\n", text);
    assert_non_null(strstr(text, "up by 1 %"));
    assert_non_null(strstr(text, "contact.edge."));
    assert_non_null(strstr(text, "contact.head."));
  }
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_parameters),
      cmocka_unit_test(six_from_the_force_alone),
      cmocka_unit_test(six_with_the_share_of_the_head),
      cmocka_unit_test(pressed_along_one_line_only_sums_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
