/* Memory that runs out at any one place while the cases of a study are computed and collected: no crash, no
 * leak (with the sanitizers), an error that says so; and what is there afterwards is gone on with, to the
 * bytes of a study that was never disturbed. The library's own allocations are wrapped by the linker. */
#include "study/collect.h"
#include "study/study_file.h"
#include "study/study_folder.h"
#include "study/workers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/failing.h"
#include "../support/program.h"
#include "../support/sanitized.h"

static const char model[] = "capstan: 1\n"
                            "drive: clearance-oscillator\n"
                            "bodies: [{name: gear, mass: 1 kg, position: 0.2 m}]\n"
                            "springs: [{from: gear, stiffness: 2 N/m, damping: 0.05 N s/m}]\n"
                            "forcing: {angular_frequency: 0.8 rad/s}\n"
                            "analyses:\n"
                            "  - transient: {until: 2 s, method: rk4, step: 0.5 s}\n"
                            "outputs: {every: 1 s}\n";
static const char text[] =
    "capstan: 1\n"
    "study: starved\n"
    "model: m.yaml\n"
    "factors: [{name: c, path: \"springs[0].damping\", values: [0.1 N s/m, 0.2 N s/m]}]\n"
    "design: {kind: grid}\n"
    "continuation: c\n"
    "responses: [{name: peak, channel: gear.position, reduce: peak}]\n";

static cap_study *read_study(void)
{
  cap_study *study = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  program_write("m.yaml", model);
  program_write("s.yaml", text);
  if (cap_study_file_read("s.yaml", &study, diag) != CAP_OK) fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  return study;
}

/* All of it in this process. */
static cap_status compute(const cap_study *study, const char *path, cap_error *error)
{
  cap_study_folder folder;
  cap_collect collect = {0};
  char where[64];
  const int64_t chain = 0;
  CAP_TRY(cap_study_folder_open(&folder, path, study, true, error));
  cap_status status = cap_collect_create(&collect, study, error);
  const cap_workers_list_options options = {.collect = &collect};
  if (status == CAP_OK) status = cap_workers_run_list(study, folder.path, 1, &chain, &options, error);
  if (status == CAP_OK) status = cap_collect_write(&collect, folder.path, NULL, where, sizeof where, error);
  cap_collect_free(&collect);
  cap_study_folder_close(&folder);
  return status;
}

static void an_error_and_nothing_lost(void **state)
{
  (void)state;
  cap_study *study = read_study();
  cap_error error = {0};
  int tried = 0, places = 0, unnoticed = 0;
  if (compute(study, "straight", &error) != CAP_OK) fail_msg("%s", error.text);
  for (struck = true; struck; places += TEST_SANITIZED ? 16 : 4, tried++) {
    error = (cap_error){0};
    struck = false;
    countdown = places;
    cap_status status = compute(study, "starved", &error);
    countdown = -1;
    if (!struck && status != CAP_OK) fail_msg("%s", error.text);
    if (status != CAP_OK && !error.text[0]) fail_msg("allocation %d: %d without a reason", places, status);
    unnoticed += struck && status == CAP_OK;
    error = (cap_error){0};
    if (status != CAP_OK && compute(study, "starved", &error) != CAP_OK)
      fail_msg("after allocation %d it cannot go on: %s", places, error.text);
    if (system("cmp straight/study.h5 starved/study.h5 && cmp straight/runs/00002.h5 starved/runs/00002.h5 "
               "&& rm -r starved"))
      fail_msg("after allocation %d its results are others", places);
  }
  print_message("  %d of some %d allocations failed, %d did without\n", tried - 1, places, unnoticed);
  assert_true(tried > 20);
  assert_true(unnoticed < tried / 4);
  cap_study_free(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_error_and_nothing_lost, program_enter, program_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
