/* Memory that runs out at any one place while a system is built and computed: an error, no crash, no leak
 * (with the sanitizers), and no result that pretends to be one. The library's own allocations are wrapped by
 * the linker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/failing.h"
#include "../support/sanitized.h"
#include "../support/system.h"
#include "analysis/observe/channels.h"
#include "analysis/orbit/orbit.h"
#include "analysis/response/corners.h"
#include "analysis/statics/equilibrium.h"

static cap_status compute_orbit(const cap_model *m, cap_data *d, cap_stepper *stepper, cap_error *error)
{
  cap_orbit *orbit = NULL;
  cap_corners corners = {0};
  cap_status status = cap_orbit_create(m, &orbit);
  cap_orbit_settings settings = {.tolerance = 1e-4, .most = 30, .multipliers = true};
  double re[8], im[8];
  if (status == CAP_OK) status = cap_orbit_find(stepper, m, d, &settings, orbit, error);
  if (status == CAP_OK) status = cap_orbit_multipliers(orbit, 0, re, im);
  if (status == CAP_OK && m->nslider) status = cap_corners_find(&corners, m, d, stepper, error);
  cap_corners_free(&corners);
  cap_orbit_free(orbit);
  return status;
}

static cap_status compute_about(const cap_model *m, cap_data *d, cap_error *error)
{
  cap_equilibrium found;
  cap_channels channels;
  cap_texts all = {0};
  double K[16], C[16], values[16];
  CAP_TRY(cap_equilibrium_find(m, d, 1e-8, 100, &found, error));
  if (cap_equilibrium_stiffness(m, d, false, K, C, error) < 0) return CAP_ERR_NOMEM;
  CAP_TRY(cap_channels_select(&channels, m, &all, error));
  assert_true(channels.n <= 16);
  cap_channels_values(&channels, m, d, values);
  cap_channels_free(&channels);
  return CAP_OK;
}

/* Everything from the drive to the orbit by one stepper. */
static cap_status compute(const cap_model_file *file, const cap_stepper_type *type, cap_error *error)
{
  cap_model *m = NULL;
  cap_data *d = NULL;
  cap_stepper stepper = {0};
  cap_stepper_settings settings = {.step = 2e-4, .tolerance = 1e-5, .audit = true};
  cap_status status = cap_execute_build(file, &m, error);
  if (status == CAP_OK && !(d = cap_data_create(m))) status = CAP_ERR_NOMEM;
  if (status == CAP_OK) status = compute_about(m, d, error);
  if (status == CAP_OK) status = cap_stepper_create(type, m, &settings, &stepper, error);
  double t = 0.02;
  if (status == CAP_OK) status = cap_stepper_advance(&stepper, m, d, &t, NULL, error);
  if (status == CAP_OK && type->tangents) status = compute_orbit(m, d, &stepper, error);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
  return status;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  const char *texts[] = {TEST_BELT TEST_MASING TEST_ANY, TEST_BELT TEST_DAHL TEST_ANY};
  const cap_stepper_type *types[2][4] = {
      {&cap_propagate_type, &cap_theta_midpoint_type, &cap_moreau_type, NULL},
      {&cap_rk4_type, &cap_theta_euler_type, &cap_cvode_type, NULL}};
  for (int law = 0; law < 2; law++) {
    test_system s = test_system_open(texts[law]);
    for (int k = 0; types[law][k]; k++) {
      const cap_stepper_type *type = types[law][k];
      bool unstable = type == &cap_moreau_type; /* at this step; only its memory is of interest */
      int places = 0;
      for (struck = true; struck; places += test_stride()) {
        cap_error error = {0};
        struck = false;
        countdown = places;
        cap_status status = compute(s.file, type, &error);
        countdown = -1;
        if (struck && status == CAP_OK) fail_msg("%s: allocation %d failed unnoticed", type->name, places);
        if (!struck && status != CAP_OK && !unstable) fail_msg("%s: %s", type->name, error.text);
      }
      print_message("  %-10s %d allocations\n", type->name, places - 1);
      assert_true(places > 10);
    }
    test_system_close(&s);
  }
}

/* All analyses into a result file: it fails, or it is as complete as without the failure. */
static void every_allocation_of_a_run_may_fail(void **state)
{
  (void)state;
  /* the cheapest settings of each: only the memory is of interest */
  static const char *const analyses[] = {
      "analyses: [{statics: {}}, {modes: {}}, {transient: {until: 5 ms}}, {periodic: {samples: 8}}, "
      "{response: "
      "{sweep: {parameter: load.angular_frequency, from: 110 rad/s, to: 120 rad/s, count: 2}, family: "
      "{parameter: "
      "load.amplitude, values: [13 N, 300 N]}}}]\noutputs: {every: 1 ms, balance: ignore}\n",
      "analyses: [{transient: {until: 2 ms, method: cvode, tolerance: 1e-2}}, {periodic: {samples: 8, "
      "method: rk4, "
      "step: 0.2 ms, tolerance: 1e-2}}, {response: {tolerance: 1e-2, step: 0.2 ms, sweep: {parameter: "
      "load.angular_frequency, values: [120 rad/s]}, family: {parameter: load.amplitude, values: [290 N, 300 "
      "N]}}}]\n"
      "outputs: {every: 1 ms, balance: ignore}\n"};
  const char *laws[] = {TEST_MASING, TEST_DAHL};
  char folder[64], path[96], text[1600], command[128];
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fault-XXXXXX" : "/tmp/capstan-fault-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  for (int law = 0; law < 2; law++) {
    snprintf(text, sizeof text, "%s%s%s", TEST_BELT, laws[law], analyses[law]);
    test_system s = test_system_open(text);
    int places = 0, unnoticed = 0;
    for (struck = true; struck; places += test_stride()) {
      cap_error error = {0};
      cap_execute_options options = {.threads = 1};
      struck = false;
      countdown = places;
      cap_status status = cap_execute_file(s.file, path, &options, NULL, 0, &error);
      countdown = -1;
      unnoticed += struck && status == CAP_OK;
      if (struck && status != CAP_OK && !error.text[0] && status != CAP_ERR_NOMEM)
        fail_msg("allocation %d: status %d without a reason", places, status);
      if (!struck && status != CAP_OK) fail_msg("%s", error.text);
      remove(path);
      if (places % 4 == 0) continue; /* every fourth time the next run finds what this one left */
      snprintf(command, sizeof command, "%s.part", path);
      remove(command);
    }
    print_message("  law %d: %d allocations, %d of them did without\n", law, places - 1, unnoticed);
    assert_true(places > 100);
    assert_true(unnoticed < places / 20);
    test_system_close(&s);
  }
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
