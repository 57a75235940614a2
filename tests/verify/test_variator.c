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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balances), cmocka_unit_test(energy_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
