/* Memory that runs out at many places of a search and of basins: an error or a whole result, no crash, no
 * leak (with the sanitizers). The library's own allocations are wrapped by the linker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/failing.h"
#include "../support/system.h"

/* As little as there is to compute; a narrow range where two orbits of period 2 are stable. */
#define MODEL                                                                                                \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg, position: 0.2245 "    \
  "m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"                                                      \
  "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"                    \
  "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\nforcing: {pulsation: 1.15 rad/s}\n"  \
  "outputs: {channels: [gear.position]}\n"

static void starve(const char *name, const char *text, int stride)
{
  char folder[64], path[96], command[128];
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fault-XXXXXX" : "/tmp/capstan-fault-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  test_system s = test_system_open(text);
  int places = 0, tried = 0, unnoticed = 0;
  for (struck = true; struck; tried++, places += stride) {
    cap_error error = {0};
    cap_execute_options options = {.threads = 1};
    struck = false;
    countdown = places;
    cap_status status = cap_execute_file(s.file, path, &options, NULL, 0, &error);
    countdown = -1;
    unnoticed += struck && status == CAP_OK;
    if (struck && status != CAP_OK && !error.text[0] && status != CAP_ERR_NOMEM)
      fail_msg("%s, allocation %d: status %d without a reason", name, places, status);
    if (!struck && status != CAP_OK) fail_msg("%s: %s", name, error.text);
    remove(path);
    snprintf(command, sizeof command, "%s.part", path);
    remove(command);
  }
  print_message("  %s: %d of some %d allocations failed, %d did without\n", name, tried - 1, places,
                unnoticed);
  assert_true(tried > 30);
  assert_true(unnoticed < tried / 20);
  test_system_close(&s);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void test_search(void **state)
{
  (void)state;
  starve(
      "search",
      MODEL
      "analyses: [{response: {method: harmonic-balance, harmonics: 3, sweep: {parameter: forcing.pulsation, "
      "values: [1.14 rad/s, 1.15 rad/s]}, search: {load: 1, states: 6, values: 1, periods: 2, folds: true, "
      "deflation: false}}}]\n",
      7);
}

static void test_basins(void **state)
{
  (void)state;
  starve("basins",
         MODEL
         "analyses: [{basins: {grid: [{state: gear.position, from: -0.5 m, to: 0.5 m, count: 3}, {state: "
         "gear.velocity, from: -0.2 m/s, to: 0.2 m/s, count: 2}]}}]\n",
         1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_search), cmocka_unit_test(test_basins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
