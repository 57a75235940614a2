/* A variator's state on belts of other numbers of elements: on its own belt the same to rounding; on another
 * one with the forces of all contacts, and without a shock; from a file, and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/system.h"

#include "../support/run.h"
#include "analysis/observe/channels.h"
#include "drives/pushbelt/carry/variator_carry.h"

#define HEAD(n)                                                                                              \
  "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: " n "}\n"                         \
  "primary: {speed: 2000 rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n"
/* With room for other numbers of elements. */
#define MODEL                                                                                                \
  HEAD("60")                                                                                                 \
  "ring: {free_length: 668 mm, nodes: 72, finest_spacing: 3 mm}\nflank: {stiffness: 2e7 N/m}\n"              \
  "analyses: [{transient: {until: 4 ms}}]\n"

static test_system with_elements(const char *setting)
{
  return test_system_with(MODEL, setting != NULL, &setting);
}

static test_system coarse_belt(double until)
{
  test_system s = with_elements(NULL);
  test_run(&s, &cap_multirate_type, 0.0, until);
  return s;
}

static cap_variator_carry taken(const test_system *s)
{
  cap_variator_carry belt = {0};
  cap_error error = {0};
  if (cap_variator_carry_take(s->m, s->d, &belt, &error) != CAP_OK) fail_msg("%s", error.text);
  return belt;
}

static void start(const cap_variator_carry *belt, test_system *s)
{
  cap_error error = {0};
  if (cap_variator_carry_start(belt, s->m, s->d, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_data_start_audit(s->m, s->d);
}

static double channel(const test_system *s, const char *name)
{
  cap_channels c = {0};
  cap_error error = {0};
  const cap_texts patterns = {1, &name};
  double value;
  if (cap_channels_select(&c, s->m, &patterns, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_int_equal(c.n, 1);
  cap_channels_values(&c, s->m, s->d, &value);
  cap_channels_free(&c);
  return value;
}

static void on_its_own_belt_it_is_the_same(void **state)
{
  (void)state;
  test_system a = coarse_belt(1.5e-3), b = with_elements(NULL);
  cap_variator_carry belt = taken(&a);
  start(&belt, &b);
  for (int k = 0; k < 3 * cap_variator_of(a.m)->simulated; k++) {
    double turns = k < 2 * cap_variator_of(a.m)->simulated ? 0.0
                                                           : remainder(a.d->q[k] - b.d->q[k], 2.0 * M_PI);
    assert_near(k < 2 * cap_variator_of(a.m)->simulated ? a.d->q[k] - b.d->q[k] : turns, 0.0, 1e-14);
    assert_near(a.d->v[k], b.d->v[k], 1e-12);
  }
  for (int k = 3 * cap_variator_of(a.m)->simulated; k < a.m->nv; k++) {
    if (a.m->driven[k] >= 0) continue; /* goes by the time, which is not carried */
    assert_near(a.d->q[k], b.d->q[k], 1e-15 + 1e-15 * fabs(a.d->q[k]));
    assert_near(a.d->v[k], b.d->v[k], 0.0);
  }
  for (int k = 0; k < a.m->nx; k++) assert_near(a.d->x[k], b.d->x[k], 0.0);
  cap_variator_carry_store_free(&belt);
  test_system_close(&a);
  test_system_close(&b);
}

/* All that acts at the first moment; and clamping forces half a millisecond later, when a shock would have
 * made elements slip in the arcs (a belt whose joints carry no push loses a fifth of F_P by then). */
static void on_a_finer_belt_forces_go_on(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double now, later; /* how far they may be off; later 0: comes and goes by itself */
  } shown[] = {
      {"primary.thrust", 700.0, 1000.0}, {"secondary.thrust", 500.0, 500.0}, {"ratio.speed", 1e-12, 0.005},
      {"upper.push", 120.0, 0.0},        {"lower.push", 50.0, 0.0},          {"upper.tension", 150.0, 0.0},
      {"lower.tension", 150.0, 0.0},     {"primary.torque", 7.0, 0.0},       {"secondary.torque", 7.0, 0.0}};
  enum { N = sizeof shown / sizeof *shown };
  double before[N];
  test_system a = coarse_belt(4e-3), b = with_elements("elements.simulated=120");
  cap_variator_carry belt = taken(&a);
  start(&belt, &b);
  for (int k = 0; k < N; k++) {
    before[k] = channel(&a, shown[k].name);
    assert_near(channel(&b, shown[k].name), before[k], shown[k].now);
  }
  test_run(&b, &cap_multirate_type, 0.0, 0.5e-3);
  for (int k = 0; k < N; k++)
    if (shown[k].later > 0.0) assert_near(channel(&b, shown[k].name), before[k], shown[k].later);
  assert_true(test_balance(&b, NULL) < 1e-2); /* of what passes in half a millisecond */
  /* and back: elements are fewer */
  cap_variator_carry fine = taken(&b);
  double push = channel(&b, "upper.push");
  start(&fine, &a);
  assert_near(channel(&a, "upper.push"), push, 120.0);
  cap_variator_carry_store_free(&fine);
  cap_variator_carry_store_free(&belt);
  test_system_close(&a);
  test_system_close(&b);
}

/* Elements that lean by 6 degrees, as without pins they may, would press on pins with 2 kN. */
static void elements_that_lean_stand_up(void **state)
{
  (void)state;
  const char *const onto[] = {NULL, "elements.simulated=97"};
  for (int i = 0; i < 2; i++) {
    test_system a = with_elements("pin.kind=none"), b = with_elements(onto[i]);
    test_run(&a, &cap_multirate_type, 0.0, 0.5e-3);
    cap_variator_carry belt = taken(&a);
    for (int k = 0; k < 60; k++) belt.elements[CAP_VARIATOR_CARRY_TILT * 60 + k] -= 0.1;
    start(&belt, &b);
    double mean = 0.0;
    for (int k = 0, n = cap_variator_of(b.m)->simulated; k < n; k++) {
      char name[32];
      snprintf(name, sizeof name, "element[%d].pin", k);
      mean += fabs(channel(&b, name)) / n;
    }
    print_message("  mean force of the pins: %.0f N\n", mean);
    assert_true(mean > 50.0 && mean < 300.0);
    cap_variator_carry_store_free(&belt);
    test_system_close(&a);
    test_system_close(&b);
  }
}

/* Joints carry what they carried, whether the turn has to be filled or squeezed. */
static void joints_carry_the_push_of_their_place(void **state)
{
  (void)state;
  /* at some other instants joints beside a gap, which carried 20 to 80 N, carry nothing */
  test_system a = coarse_belt(3.5e-3);
  cap_variator_carry belt = taken(&a);
  const double *push = belt.elements + (ptrdiff_t)CAP_VARIATOR_CARRY_PUSH * 60, *place = belt.elements;
  const char *const finer[] = {"elements.simulated=97", "elements.simulated=131"};
  for (int i = 0; i < 2; i++) {
    test_system b = with_elements(finer[i]);
    int n = cap_variator_of(b.m)->simulated;
    start(&belt, &b);
    cap_variator_carry other = taken(&b);
    for (int k = 0; k < n; k++) {
      double at = other.elements[k], got = other.elements[(ptrdiff_t)CAP_VARIATOR_CARRY_PUSH * n + k];
      int near = 0; /* of the coarse joints before and after */
      while (near < 59 && place[near + 1] <= at) near++;
      double low = 1e9, high = 0.0;
      for (int j = near - 2; j <= near + 2; j++) {
        low = fmin(low, push[(j + 60) % 60]);
        high = fmax(high, push[(j + 60) % 60]);
      }
      /* where they hardly touch, gaps of joints beside may have come in between */
      assert_true(got >= low - 20.0 && got <= fmax(high, 1.0) * (1.0 + 1e-3) + 0.1);
    }
    cap_variator_carry_store_free(&other);
    test_system_close(&b);
  }
  cap_variator_carry_store_free(&belt);
  test_system_close(&a);
}

static void expect_misfit(const cap_variator_carry *belt, const char *setting, const char *text)
{
  test_system s = with_elements(setting);
  cap_error error = {0};
  assert_int_equal(cap_variator_carry_start(belt, s.m, s.d, &error), CAP_ERR_INPUT);
  if (!strstr(error.text, text)) fail_msg("\"%s\" is not in: %s", text, error.text);
  test_system_close(&s);
}

static void what_does_not_fit_is_told(void **state)
{
  (void)state;
  test_system a = coarse_belt(0.1e-3);
  cap_variator_carry belt = taken(&a);
  expect_misfit(
      &belt, "ring.nodes=80",
      "different mesh of the ring; expected 80 nodes, graded, as in this model, got 72 nodes, graded");
  expect_misfit(&belt, "ring.model=ancf", "different ring model; expected ancf as in this model, got ale");
  expect_misfit(&belt, "centre_distance=156 mm", "different centre distance in m; expected 0.156");
  expect_misfit(&belt, "elements.real=436",
                "different number of real elements; expected 436 as in this model, got 437");
  expect_misfit(&belt, "ratio=1.3", "different ratio; expected 1.3 as in this model, got 1");
  cap_variator_carry_store_free(&belt);
  test_system_close(&a);
}

/* ---- the program's way --------------------------------------------------------------------------------- */

/* A run with what it says when it fails, and its result. */
static cap_status run_in(const char *folder, const char *name, const char *text, char *said, size_t size)
{
  char model[160], output[160];
  cap_model_file *file = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_error error = {0};
  assert_non_null(diag);
  snprintf(model, sizeof model, "%s/%s.yaml", folder, name);
  snprintf(output, sizeof output, "%s/%s.h5", folder, name);
  if (cap_model_file_parse(model, text, strlen(text), 0, NULL, &file, diag) != CAP_OK)
    fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  cap_execute_options options = {.threads = 1};
  cap_status status = cap_execute_file(file, output, &options, NULL, 0, &error);
  snprintf(said, size, "%s", error.text);
  cap_model_file_free(file);
  return status;
}

static void expect_run(const char *folder, const char *text, const char *expected)
{
  char said[2000];
  assert_true(run_in(folder, "bad", text, said, sizeof said) != CAP_OK);
  if (!strstr(said, expected)) fail_msg("\"%s\" is not in: %s", expected, said);
}

#define FROM(n, from) HEAD(n) "analyses: [{transient: {until: 0.2 ms, from: {" from "}}}]\n"

static void runs_start_from_files(void **state)
{
  (void)state;
  char folder[] = "/tmp/capstan-carry-XXXXXX", said[2000], path[64];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(
      run_in(folder, "first", HEAD("60") "analyses: [{transient: {until: 0.5 ms}}]\n", said, sizeof said),
      CAP_OK);
  assert_int_equal(run_in(folder, "next", FROM("80", "file: first.h5"), said, sizeof said), CAP_OK);
  snprintf(path, sizeof path, "%s/next.h5", folder);
  test_result next = test_result_open(path);
  double *time = test_values(&next, "transient", "time", NULL);
  assert_near(time[0], 0.0, 0.0); /* its own time */
  free(time);
  cap_results_read_close(next.file);
  expect_run(folder, FROM("80", "file: none.h5"), "cannot read");
  expect_run(folder, FROM("80", "file: first.h5, group: BC05"),
             "no group \"BC05\"; expected one with a state: transient");
  expect_run(folder, FROM("80", "file: next.yaml"), "next.yaml");
  expect_run(
      folder,
      HEAD("60") "ring: {nodes: 80}\nanalyses: [{transient: {until: 0.2 ms, from: {file: first.h5}}}]\n",
      "different mesh of the ring");
  assert_int_equal(run_in(folder, "other", TEST_BELT TEST_MASING "analyses: [{transient: {until: 1 ms}}]\n",
                          said, sizeof said),
                   CAP_OK);
  expect_run(folder, FROM("80", "file: other.h5"),
             "holds no state to start from; expected a result of transient or stationary of a variator");
  static const char *const left[] = {"first.h5", "next.h5", "other.h5", "bad.h5"};
  for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, left[k]);
    unlink(path);
  }
  assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_its_own_belt_it_is_the_same),
      cmocka_unit_test(on_a_finer_belt_forces_go_on),
      cmocka_unit_test(joints_carry_the_push_of_their_place),
      cmocka_unit_test(elements_that_lean_stand_up),
      cmocka_unit_test(what_does_not_fit_is_told),
      cmocka_unit_test(runs_start_from_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
