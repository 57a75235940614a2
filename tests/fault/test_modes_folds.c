/* Memory that runs out while nonlinear modes and fold curves are followed: an error, no crash, no leak (with
 * the sanitizers), and no result that pretends to be one. */
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

#define DUFFING                                                                                              \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nforcing: {pulsation: 1 rad/s}\n"                        \
  "bodies: [{name: a, mass: 1 kg}]\n"                                                                        \
  "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3, damping: 0.1 N s/m}]\n"                            \
  "loads: [{on: a, harmonics: [{amplitude: 0.1 N}]}]\noutputs: {channels: [a.position]}\n"

/* The first allocations one by one, later ones in strides: each point repeats those of the one before. */
static void run_out(const char *text, int one_by_one, int stride)
{
  char folder[64], path[96], part[128];
  int places = 0, tries = 0, unnoticed = 0;
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fault-XXXXXX" : "/tmp/capstan-fault-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  snprintf(part, sizeof part, "%s.part", path);
  test_system s = test_system_open(text);
  for (struck = true; struck; places += places < one_by_one ? 1 : stride, tries++) {
    cap_error error = {0};
    cap_execute_options options = {.threads = 1};
    struck = false;
    countdown = places;
    cap_status status = cap_execute_file(s.file, path, &options, NULL, 0, &error);
    countdown = -1;
    unnoticed += struck && status == CAP_OK;
    if (struck && status != CAP_OK && status != CAP_ERR_NOMEM && !error.text[0])
      fail_msg("allocation %d: status %d without a reason", places, status);
    if (!struck && status != CAP_OK) fail_msg("%s", error.text);
    remove(path);
    remove(part);
  }
  test_system_close(&s);
  assert_int_equal(rmdir(folder), 0);
  print_message("  %d of some %d allocations tried, %d of them did without\n", tries - 1, places, unnoticed);
  assert_true(tries > 150 && unnoticed < tries / 10);
}

static void modes_may_run_out(void **state)
{
  (void)state;
  run_out(DUFFING
          "analyses: [{backbone: {from: 0.1 m, to: 1 m, harmonics: 3, points: 4, stability: true}}]\n",
          250, 7);
}

static void fold_curves_may_run_out(void **state)
{
  (void)state;
  run_out(DUFFING "analyses: [{folds: {harmonics: 1, points: 4, doublings: true, sweep: {parameter: "
                  "forcing.pulsation, values: "
                  "[0.8 rad/s, 1.4 rad/s]}, over: {parameter: 'loads[0].harmonics[0].amplitude', values: "
                  "[0.1 N, 0.12 N]}}}]\n",
          250, 997);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(modes_may_run_out),
                                     cmocka_unit_test(fold_curves_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
