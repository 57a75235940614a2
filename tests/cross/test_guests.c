/* The library in a host with work of its own: models in threads give the bytes that they give one
 * after the other, and what the host has set in HDF5 and OpenBLAS is as it was. Also run under
 * ThreadSanitizer (scripts/tsan.sh). */
#include "capstan/capstan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/program.h"

#include "../support/system.h"

#include "io/h5.h"

#include <pthread.h>

extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static const char *const MODELS[] = {
    TEST_BELT TEST_MASING "analyses: [{transient: {until: 0.1 s}}, {periodic: {}}]\n",
    /* eigenvalues by LAPACK, starts by interpolation, units */
    "capstan: 2\nname: t\ndrive: clearance-oscillator\n"
    "bodies: [{name: a, mass: 1 kg}, {name: b, mass: 2e3 g}]\n"
    "springs: [{from: a, stiffness: 2 N/mm, damping: 0.2 N s/m}, {from: a, to: b, stiffness: 1e3 N/m, "
    "damping: "
    "0.1 N s/m}]\n"
    "loads: [{on: a, mean: 0 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: {angular_frequency: 1 rad/s}\n"
    "analyses: [{modes: {}}, {periodic: {}}, {transient: {until: 0.5 s}}]\n",
    /* hardly more than its file */
    "capstan: 2\nname: t\ndrive: clearance-oscillator\nbodies: [{name: a, mass: 1 kg}]\n"
    "springs: [{from: a, stiffness: 2 N/mm, damping: 0.2 N s/m}]\n"
    "forcing: {angular_frequency: 1 rad/s}\nanalyses: [{statics: {}}]\n"};

enum { NMODEL = sizeof MODELS / sizeof *MODELS, SMALL = NMODEL - 1, TIMES = 3, MANY = 10, NTHREAD = 4 };

typedef struct guest {
  int model, times;
  const char *kind; /* of its results: "model0-alone0.h5" */
  char said[512];   /* what went wrong */
} guest;

static void *work(void *self)
{
  guest *g = self;
  char path[32], result[64];
  snprintf(path, sizeof path, "model%d.yaml", g->model);
  for (int k = 0; k < g->times && !*g->said; k++) {
    capstan_model *model;
    snprintf(result, sizeof result, "model%d-%s%d.h5", g->model, g->kind, k);
    /* the second time into a file that is there, which is looked at first */
    for (int again = 0; again < 2 && !*g->said; again++) {
      if (capstan_open(path, 0, NULL, &model) || capstan_run(model, result, NULL))
        snprintf(g->said, sizeof g->said, "%s: %s", result, capstan_message(model));
      capstan_close(model);
    }
  }
  return NULL;
}

static void expect_done(const guest *g)
{
  if (*g->said) fail_msg("%s", g->said);
}

static void expect_same(int model, const char *kind, int times)
{
  for (int k = 0; k < times; k++) {
    char alone[64], other[64];
    snprintf(alone, sizeof alone, "model%d-alone0.h5", model);
    snprintf(other, sizeof other, "model%d-%s%d.h5", model, kind, k);
    program_same(alone, other);
  }
}

static void two_threads_give_the_bytes_of_one(void **state)
{
  (void)state;
  char path[32];
  pthread_t threads[NMODEL];
  guest alone[NMODEL], together[NMODEL];
  for (int m = 0; m < NMODEL; m++) {
    snprintf(path, sizeof path, "model%d.yaml", m);
    program_write(path, MODELS[m]);
    alone[m] = (guest){.model = m, .times = 1, .kind = "alone"};
    together[m] = (guest){.model = m, .times = TIMES, .kind = "together"};
    work(&alone[m]);
    expect_done(&alone[m]);
  }
  for (int m = 0; m < NMODEL; m++) assert_int_equal(pthread_create(&threads[m], NULL, work, &together[m]), 0);
  for (int m = 0; m < NMODEL; m++) assert_int_equal(pthread_join(threads[m], NULL), 0);
  for (int m = 0; m < NMODEL; m++) {
    expect_done(&together[m]);
    expect_same(m, "together", TIMES);
  }
}

/* Threads that are within HDF5 for much of their time. */
static void many_files_at_once_are_all_whole(void **state)
{
  (void)state;
  static const char *const kinds[NTHREAD] = {"a", "b", "c", "d"};
  pthread_t threads[NTHREAD];
  guest guests[NTHREAD];
  for (int k = 0; k < NTHREAD; k++) {
    guests[k] = (guest){.model = SMALL, .times = MANY, .kind = kinds[k]};
    assert_int_equal(pthread_create(&threads[k], NULL, work, &guests[k]), 0);
  }
  for (int k = 0; k < NTHREAD; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
  for (int k = 0; k < NTHREAD; k++) {
    expect_done(&guests[k]);
    expect_same(SMALL, kinds[k], MANY);
  }
}

/* A run waits for whoever is within HDF5: it does not end meanwhile, and ends well afterwards. */
static void a_run_waits_for_hdf5(void **state)
{
  (void)state;
  pthread_t thread;
  cap_h5_host host;
  struct timespec until;
  guest g = {.model = SMALL, .times = TIMES, .kind = "waiting"};
  cap_h5_enter(&host);
  assert_int_equal(pthread_create(&thread, NULL, work, &g), 0);
  assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
  until.tv_sec += 1;
  int ended = pthread_timedjoin_np(thread, NULL, &until);
  cap_h5_leave(&host);
  assert_int_equal(ended, ETIMEDOUT);
  assert_int_equal(pthread_join(thread, NULL), 0);
  expect_done(&g);
  expect_same(SMALL, "waiting", TIMES);
}

static herr_t own_words(hid_t stack, void *self)
{
  (void)stack;
  ++*(int *)self;
  return 0;
}

static void what_the_host_has_set_stays(void **state)
{
  (void)state;
  int words = 0;
  unsigned plugins = 0;
  H5E_auto2_t print = NULL;
  void *self = NULL;
  assert_true(H5Eset_auto2(H5E_DEFAULT, own_words, &words) >= 0);
  assert_true(H5PLset_loading_state(H5PL_ALL_PLUGIN) >= 0);
  if (openblas_set_num_threads) openblas_set_num_threads(2);

  program_write("model1.yaml", MODELS[1]);
  guest g = {.model = 1, .times = TIMES, .kind = "hosted"};
  work(&g);
  expect_done(&g);
  expect_same(1, "hosted", TIMES); /* whatever the host's number of threads */
  capstan_model *model;
  program_write("no.h5", "this is no HDF5 file");
  assert_int_equal(capstan_open("model1.yaml", 0, NULL, &model), CAPSTAN_OK);
  assert_int_equal(capstan_run(model, "no.h5", NULL), CAPSTAN_BAD_INPUT);
  capstan_close(model);

  assert_int_equal(words, 0); /* errors of the library are not the host's */
  assert_true(H5Eget_auto2(H5E_DEFAULT, &print, &self) >= 0);
  assert_true(print == own_words && self == &words);
  assert_true(H5PLget_loading_state(&plugins) >= 0);
  assert_int_equal(plugins, H5PL_ALL_PLUGIN);
  assert_true(H5Fopen("nowhere.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
  assert_int_equal(words, 1); /* the host hears of its own */
  if (openblas_get_num_threads) assert_int_equal(openblas_get_num_threads(), 2);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_threads_give_the_bytes_of_one), cmocka_unit_test(many_files_at_once_are_all_whole),
      cmocka_unit_test(a_run_waits_for_hdf5), cmocka_unit_test(what_the_host_has_set_stays)};
  return cmocka_run_group_tests(tests, program_enter, program_leave);
}
