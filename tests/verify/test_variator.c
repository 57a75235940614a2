/* The drive `variator`: a short run of a coarse belt at i = 1. Balances that hold in every run: energy, the
 * torque that the strands carry, the clamping force; what drives it, in whatever way, ends at the same point.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/pushbelt/description/variator.h"

#include "../support/run.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNTIL 0.012
#else
#define UNTIL 0.04
#endif

#define TORQUE   48.0
#define CLAMPING 6446.0
#define SPEED    (2000.0 * M_PI / 30.0)
#define BASIS    "primary: {speed: 2000 rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n"

static const char *model(const char *more, double until)
{
  static char text[2000];
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 110}\n%s"
           "analyses: [{transient: {until: %g s}}]\noutputs: {every: 0.1 ms}\n",
           more, until);
  return text;
}

/* Mean over the second half. */
static double mean(const test_result *r, const char *name)
{
  int64_t n;
  double *values = test_values(r, "transient", name, &n), sum = 0.0;
  for (int64_t k = n / 2; k < n; k++) sum += values[k];
  free(values);
  return sum / (double)(n - n / 2);
}

/* Power that the energy balance misses, over a run by the stepper itself, W. */
static double missing_power(const char *more, double until)
{
  test_system s = test_system_open(model(more, until));
  double scale = 0.0;
  cap_data_start_audit(s.m, s.d);
  test_run(&s, &cap_multirate_type, 0.0, until);
  cap_balance_line *lines = calloc((size_t)s.m->nmech + 3, sizeof *lines);
  assert_non_null(lines);
  int n = cap_data_balance(s.m, s.d, 0, lines, &scale);
  double residual = lines[n - 1].energy;
  assert_true(scale <
              4.0 * TORQUE * SPEED * until); /* what passed through, not what is in motion: some 600 J */
  free(lines);
  test_system_close(&s);
  return residual / until;
}

static void energy_is_kept(void **state)
{
  (void)state;
  assert_true(fabs(missing_power(BASIS, 0.25 * UNTIL)) < 1e-3 * TORQUE * SPEED);
}

static void balances(void **state)
{
  (void)state;
  test_result r = test_result_run(model(BASIS, UNTIL));
  double torque = mean(&r, "primary.torque"), thrust = mean(&r, "ratio.thrust");
  assert_true(fabs(mean(&r, "secondary.thrust") / CLAMPING - 1.0) < 0.02);
  assert_true(fabs(mean(&r, "belt.torque") - torque) < 0.06 * torque);
  assert_true(fabs(torque / TORQUE - 1.0) < 0.1);
  assert_true(thrust > 1.1 && thrust < 1.5);
  assert_true(fabs(mean(&r, "ratio.speed") - 1.0) < 0.02);
  assert_true(mean(&r, "upper.push") > 4.0 * mean(&r, "lower.push"));
  test_result_close(&r);
}

#if defined(__SANITIZE_ADDRESS__)
#define SHORT 0.001
#else
#define SHORT 0.004
#endif

/* Whatever drives it: energy is kept, and the clamping force is what is told. */
static void ways_to_drive(void **state)
{
  (void)state;
  static const char *const ways[] = {
      "primary: {speed: 2000 rpm, clamping: 8.2 kN}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n",
      "primary: {speed: 2000 rpm, thrust_ratio: 1.3}\nsecondary: {torque: -48 N m, clamping_path: "
      "[[0 s, 6 kN], [0.01 s, 7 kN]]}\n",
      "primary: {speed: 2000 rpm, control: {speed_ratio: 1.0}}\nsecondary: {torque: -48 N m, safety: 1.3}\n",
      "primary: {torque: 48 N m, closing_path: [[0 s, 0 mm], [0.01 s, 0.05 mm]]}\n"
      "secondary: {speed: 2000 rpm, safety: 1.3}\n"};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
    assert_true(fabs(missing_power(ways[k], SHORT)) < 2e-3 * TORQUE * SPEED);
}

/* The safety of the keys is the clamping force of (2.49) by hand: radii of the rocking edges. */
static void safety_is_a_clamping_force(void **state)
{
  (void)state;
  test_system s = test_system_open(
      model("primary: {speed: 2000 rpm}\nsecondary: {torque: -50 N m, safety: 1.3}\n", SHORT));
  double length = 667.2e-3 - 2.0 * M_PI * 1.8325e-3, radius = (length - 2.0 * 155e-3) / (2.0 * M_PI);
  double force = 1.3 * 50.0 * cos(11.0 * M_PI / 180.0) / (2.0 * 0.09 * radius);
  assert_non_null(cap_variator_of(s.m));
  assert_true(fabs(cap_variator_of(s.m)->load.clamping / force - 1.0) < 1e-12);
  test_system_close(&s);
}

/* Too little clamping: no error, and the secondary falls behind. */
static void too_little_clamping_slips(void **state)
{
  (void)state;
  test_result r = test_result_run(
      model("primary: {speed: 2000 rpm}\nsecondary: {torque: -48 N m, clamping: 1 kN}\n", 4.0 * SHORT));
  int64_t n;
  double *slip = test_values(&r, "transient", "secondary.slip", &n), last = slip[n - 1];
  free(slip);
  assert_true(last > (4.0 * SHORT > 0.01 ? 0.2 : 0.02));
  test_result_close(&r);
}

/* Stiffer flanks ask for shorter steps, next to the joints; a step that is too long is refused, with the one
 * that is not. */
static void steps_follow_from_the_flanks(void **state)
{
  (void)state;
  static const struct {
    const char *stiffness;
    double longest; /* s, (47.4) */
  } flanks[] = {{"6e7", 2.573e-6}, {"1e8", 2.156e-6}, {"3e8", 1.438e-6}};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "capstan: 2\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 218}\n" BASIS
             "flank: {stiffness: %s N/m}\nanalyses: [{transient: {until: 1 ms}}]\n",
             flanks[i].stiffness);
    test_system s = test_system_open(text);
    cap_stepper stepper;
    cap_error error = {0};
    double step;
    int parts;
    assert_int_equal(
        cap_stepper_create(&cap_multirate_type, s.m, &(cap_stepper_settings){0}, &stepper, &error), CAP_OK);
    stepper.type->chosen(stepper.memory, &step, &parts);
    cap_stepper_free(&stepper);
    print_message("  %s N/m: %.3g us\n", flanks[i].stiffness, 1e6 * step);
    assert_true(step <= 0.805 * flanks[i].longest && step > 0.2 * flanks[i].longest);
    cap_stepper_settings longer = {.step = 1.01 * flanks[i].longest};
    assert_int_equal(cap_stepper_create(&cap_multirate_type, s.m, &longer, &stepper, &error), CAP_ERR_INPUT);
    assert_non_null(strstr(error.text, "expected at most"));
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balances),
                                     cmocka_unit_test(energy_is_kept),
                                     cmocka_unit_test(ways_to_drive),
                                     cmocka_unit_test(safety_is_a_clamping_force),
                                     cmocka_unit_test(too_little_clamping_slips),
                                     cmocka_unit_test(steps_follow_from_the_flanks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
