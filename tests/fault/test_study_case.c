/* A case of a study whose allocations fail one after the other: an error that leaves it missing, or the whole
 * case; never a row that says that its computation failed. With a chain and files made durable behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing.h"

#include "study/study_case.h"
#include "study/study_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char model[] =
    "capstan: 1\nname: oscillator\ndrive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, sigma: "
    "100}}]\n"
    "loads: [{on: gear, mean: 0.05 N}]\nforcing: {angular_frequency: 0.8 rad/s}\n"
    "analyses: [{transient: {until: 0.5 s, method: rk4, step: 0.125 s}}]\noutputs: {every: 0.25 s}\n";
static const char text[] =
    "capstan: 1\nstudy: test\nmodel: oscillator.yaml\n"
    "factors: [{name: mass, path: \"bodies[0].mass\", values: [1 kg, 1.1 kg]}]\ndesign: {kind: grid}\n"
    "continuation: mass\n"
    "responses: [{name: swing, channel: gear.position, reduce: range}, {name: two, expression: "
    "\"2*swing\"}]\n";

static char folder[64], first[96], second[96], part[96], fresh[112];

static cap_study *study_of(void)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_study *study = NULL;
  cap_study_file_source source = {.path = "study.yaml",
                                  .text = text,
                                  .size = sizeof text - 1,
                                  .model_text = model,
                                  .model_size = sizeof model - 1};
  if (cap_study_file_parse(&source, &study, diag) != CAP_OK) fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  return study;
}

static void check_outcome(const cap_study *s, cap_status status, const cap_error *error, int place)
{
  cap_study_case_row row = {.responses = (double[2]){0}};
  cap_error own = {0};
  assert_int_equal(cap_study_case_read(s, folder, 1, &row, &own), CAP_OK);
  if (status == CAP_OK) assert_int_equal(row.state, CAP_STUDY_FINE);
  else assert_int_equal(row.state, CAP_STUDY_MISSING);
  if (status != CAP_OK && !error->text[0] && status != CAP_ERR_NOMEM)
    fail_msg("allocation %d: status %d without a reason", place, status);
  assert_int_not_equal(access(fresh, F_OK), 0);
  remove(second);
  remove(part);
}

/* The second case, from the file of the first, with a thread and without. */
static int starve(const cap_study *s, bool behind, int stride)
{
  int place = 0, tried = 0;
  for (struck = true; struck; place += place < 50 ? 1 : stride, tried++) {
    cap_error error = {0};
    cap_durable *durable = NULL;
    if (behind) assert_int_equal(cap_durable_create(4, NULL, NULL, &durable, &error), CAP_OK);
    cap_study_case_options options = {.resume = true, .durable = durable};
    struck = false;
    countdown = place;
    cap_status status = cap_study_case_run(s, folder, 1, 0, &options, &error);
    countdown = -1;
    if (durable) assert_int_equal(cap_durable_wait(durable, &(cap_error){0}), CAP_OK);
    cap_durable_free(durable);
    if (!struck && status != CAP_OK) fail_msg("%s", error.text);
    check_outcome(s, status, &error, place);
  }
  return tried;
}

static void test_case(void **state)
{
  (void)state;
  cap_study *s = study_of();
  cap_error error = {0};
  cap_study_case_options options = {0};
  snprintf(folder, sizeof folder, "%s/capstan-fault-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  assert_non_null(mkdtemp(folder));
  char runs[80];
  snprintf(runs, sizeof runs, "%s/runs", folder);
  assert_int_equal(mkdir(runs, 0777), 0);
  snprintf(first, sizeof first, "%s/00001.h5", runs);
  snprintf(second, sizeof second, "%s/00002.h5", runs);
  snprintf(part, sizeof part, "%.90s.part", second);
  snprintf(fresh, sizeof fresh, "%.100s.new", part);
  assert_int_equal(cap_study_case_run(s, folder, 0, -1, &options, &error), CAP_OK);
  int tried = starve(s, false, 7) + starve(s, true, 41);
  print_message("  %d allocations failed\n", tried - 2);
  assert_true(tried > 100);
  remove(first);
  rmdir(runs);
  assert_int_equal(rmdir(folder), 0);
  cap_study_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_case)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
