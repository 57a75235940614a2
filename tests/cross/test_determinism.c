/* The same input gives the same bytes: repeated runs, numbers of threads, members of an ensemble. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/program.h"

#include "../support/system.h"

#include "../support/run.h"
#include "model/builder.h"

/* ---- the program --------------------------------------------------------------------------------------- */

#define RESPONSE                                                                                             \
  "analyses: [{response: {sweep: {parameter: load.angular_frequency, from: 40 rad/s, to: 70 rad/s, count: "  \
  "4}, "                                                                                                     \
  "family: {parameter: load.amplitude, values: [13 N, 54 N, 100 N, 160 N, 300 N]}}}, {transient: {until: "   \
  "0.2 s}}, {periodic: {}}]\n"

/* Branches of a family, searched and verified. */
#define BRANCHES                                                                                             \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: gear, mass: 1 kg, position: 0.2245 "    \
  "m}]\n"                                                                                                    \
  "springs: [{from: gear, damping: 0.05 N s/m}]\nclearances: [{gap: {from: gear, stiffness: 1 N/m, low: "    \
  "-0.1745 m, high: 0.1745 m, smoothing: exact}}]\nloads: [{on: gear, mean: 0.05 N, harmonics: "             \
  "[{amplitude: "                                                                                            \
  "0.03 N}]}]\nforcing: {angular_frequency: 1 rad/s}\nanalyses: [{response: {method: harmonic-balance, "     \
  "verify: "                                                                                                 \
  "true, "                                                                                                   \
  "verify_every: 20, search: {}, sweep: {parameter: forcing.angular_frequency, values: [0.4 rad/s, 1 "       \
  "rad/s]}, "                                                                                                \
  "family: {parameter: \"loads[0].harmonics[0].amplitude\", values: [0.03 N, 0.008 N, 0.02 N]}}}]\n"

static const char *const MODELS[] = {TEST_BELT TEST_MASING RESPONSE, TEST_BELT TEST_DAHL RESPONSE, BRANCHES};

static void runs_repeat_to_the_same_bytes(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    program_result r;
    program_write("model.yaml", MODELS[k]);
#ifdef __SANITIZE_ADDRESS__
    const char *threads[] = {"3"}; /* memory is looked at; the bytes are compared in the other build */
#else
    const char *threads[] = {"1", "1", "2", "3"};
#endif
    for (int i = 0; i < (int)(sizeof threads / sizeof *threads); i++) {
      char path[32];
      snprintf(path, sizeof path, "run%d.h5", i);
      PROGRAM(&r, "run", "model.yaml", "-o", path, "--threads", threads[i], "--force", "--quiet");
      if (r.code != 0) fail_msg("%s", r.err);
      if (i) program_same("run0.h5", path);
    }
  }
}

/* ---- ensembles ----------------------------------------------------------------------------------------- */

/* Lanes of one model advance to the bits that each has alone (the same number of steps for all). */
static void lanes_advance_as_they_do_alone(void **state)
{
  (void)state;
  test_system one = test_system_open(TEST_BELT TEST_DAHL TEST_ANY);
  const double amplitudes[] = {13, 54, 100, 160, 300};
  enum { LANES = 5 };
  cap_builder *b = cap_builder_create(LANES);
  cap_model *m = NULL;
  double *place = NULL;
  assert_non_null(b);
  assert_non_null(cap_fields_locate(one.file->drive->fields, one.file->spec, "load.amplitude", &place));
  for (int l = 0; l < LANES; l++) {
    *place = amplitudes[l];
    cap_builder_lane(b, l);
    assert_int_equal(one.file->drive->build(one.file->spec, b, NULL), CAP_OK);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  test_system all = {.m = m, .d = cap_data_create(m)};
  double t_end[LANES];
  for (int l = 0; l < LANES; l++) t_end[l] = 0.25;
  cap_stepper stepper = test_stepper(&all, &cap_rk4_type, 5e-5, 1, true);
  assert_int_equal(cap_stepper_advance(&stepper, m, all.d, t_end, NULL, NULL), CAP_OK);
  cap_stepper_free(&stepper);
  for (int l = 0; l < LANES; l++) {
    cap_model *single = NULL;
    *place = amplitudes[l];
    assert_int_equal(cap_execute_build(one.file, &single, NULL), CAP_OK);
    test_system s = {.m = single, .d = cap_data_create(single)};
    test_run(&s, &cap_rk4_type, 5e-5, 0.25);
    for (int i = 0; i < single->nstate; i++)
      if (memcmp(&s.d->y[i], &all.d->y[i * LANES + l], sizeof(double)) != 0)
        fail_msg("state %d of lane %d: %.17g, alone %.17g", i, l, all.d->y[i * LANES + l], s.d->y[i]);
    for (int k = 0; k < single->nmech; k++)
      assert_memory_equal(&s.d->work[k], &all.d->work[k * LANES + l], sizeof(double));
    cap_data_free(s.d);
    cap_model_free(single);
  }
  cap_data_free(all.d);
  cap_model_free(m);
  test_system_close(&one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(runs_repeat_to_the_same_bytes, program_enter, program_leave),
      cmocka_unit_test(lanes_advance_as_they_do_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
