/* Rings that steps of a variator must bear: with strong damping, and with thin layers on a fine mesh. In long
 * calls, in which the stiffness that is taken implicitly stays as it is for 32 steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#define MODEL(ring)                                                                                          \
  "capstan: 1\nname: t\ndrive: variator\nratio: 0.5\nelements: {simulated: 218}\nring: " ring                \
  "\nprimary: {speed: 2000 rpm}\nsecondary: {torque: 0 N m, clamping: 18 kN}\n"                              \
  "analyses: [{transient: {until: 1 s}}]\n"

/* Nothing grows: elements and ring keep within their speed, and the balance of energies closes. */
static void run_on(const char *text, double step, double until)
{
  test_system s = test_system_open(text);
  cap_error error = {0};
  cap_stepper_settings settings = {.step = step, .audit = true};
  void *stepper = NULL;
  double scale = 0.0;
  cap_data_start_audit(s.m, s.d);
  if (cap_multirate_type.create(s.m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_multirate_type.advance(stepper, s.m, s.d, &until, NULL, &error) != CAP_OK)
    fail_msg("%s", error.text);
  cap_multirate_type.free(stepper);
  cap_balance_line *lines = calloc((size_t)s.m->nmech + 3, sizeof *lines);
  assert_non_null(lines);
  int n = cap_data_balance(s.m, s.d, 0, lines, &scale);
  print_message("  step %.2g s: residual %.2e of what passed\n", step, fabs(lines[n - 1].energy) / scale);
  assert_true(fabs(lines[n - 1].energy) < 1e-2 * scale);
  free(lines);
  test_system_close(&s);
}

static void strong_damping_is_borne(void **state)
{
  (void)state;
  run_on(MODEL("{damping: 20 us}"), 0.4e-6, 0.6e-3);
  run_on(MODEL("{damping: 20 us, nodes: 72, finest_spacing: 3 mm}"), 0.4e-6, 0.6e-3);
  run_on(MODEL("{damping: 20 us}"), 0.0, 0.6e-3);
}

static void thin_layers_are_borne(void **state)
{
  (void)state;
  run_on(MODEL("{layers: 90, layer_thickness: 0.0185 mm}"), 0.0, 1e-3);
  run_on(MODEL("{layers: 90, layer_thickness: 0.0185 mm, finest_spacing: 0.6 mm}"), 0.0, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(strong_damping_is_borne),
                                     cmocka_unit_test(thin_layers_are_borne)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
