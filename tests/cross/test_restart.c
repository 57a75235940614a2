/* A run that was stopped and taken up again gives the bits of one that was not: steppers through the data's
 * fields, the program through interrupts and kills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/program.h"
#include "../support/sanitized.h"

#include "../support/system.h"

#include "../support/run.h"

#include "../support/systems.h"

/* ---- steppers ------------------------------------------------------------------------------------------ */

enum { ADVANCES = 30, MIDDLE = 13 };

enum { NVIEW = CAP_DATA_NVIEW + CAP_STEPPER_NVIEW };

/* All fields of the data, and what the stepper carries. */
static int views_of(const test_system *s, const cap_stepper *stepper, cap_view views[NVIEW])
{
  cap_data_views(s->m, s->d, views);
  return CAP_DATA_NVIEW + cap_stepper_views(stepper, views + CAP_DATA_NVIEW);
}

/* As bytes, and back into those of other objects. */
static size_t save(const test_system *s, const cap_stepper *stepper, unsigned char *bytes)
{
  cap_view views[NVIEW];
  size_t at = 0;
  for (int k = 0, n = views_of(s, stepper, views); k < n; k++) {
    if (bytes) memcpy(bytes + at, views[k].values, (size_t)views[k].count * 8);
    at += (size_t)views[k].count * 8;
  }
  return at;
}

static void load(test_system *s, const cap_stepper *stepper, const unsigned char *bytes)
{
  cap_view views[NVIEW];
  size_t at = 0;
  for (int k = 0, n = views_of(s, stepper, views); k < n; k++) {
    memcpy(views[k].values, bytes + at, (size_t)views[k].count * 8);
    at += (size_t)views[k].count * 8;
  }
}

static cap_stepper carrying(const test_system *s, const cap_stepper_type *type, bool carry)
{
  /* an explicit method of two steps feels the strong damper of the small pulley earlier */
  const double step = type->staggered ? 4e-6 : 1e-5;
  const cap_stepper_settings settings = {.step = step, .tolerance = 1e-8, .audit = true, .carry = carry};
  cap_stepper stepper;
  cap_error error = {0};
  if (cap_stepper_create(type, s->m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  return stepper;
}

/* The k-th of times that lie unevenly, some of them far below a step. */
static double time_of(const test_systems_entry *r, int k)
{
  static const double early[3] = {0.0, 0.5, 1.45};
  return r->between * (k - early[k % 3] + 0.02 * sin(2.3 * k));
}

/* Interrupted after the advance `middle`, by another stepper, model and data that know nothing else. */
static void check_carried(const char *name, const test_systems_entry *r, const cap_stepper_type *type,
                          int middle)
{
  test_system whole = test_system_open(r->text), rest = test_system_open(r->text);
  cap_stepper on = carrying(&whole, type, true), again = carrying(&rest, type, true);
  unsigned char *bytes = malloc(save(&whole, &on, NULL)), *other = malloc(save(&whole, &on, NULL));
  assert_true(bytes && other);
  for (int k = 1; k <= middle; k++) test_advance(&whole, &on, time_of(r, k), NULL);
  save(&whole, &on, bytes);
  load(&rest, &again, bytes);
  for (int k = middle + 1; k <= ADVANCES; k++) {
    test_advance(&whole, &on, time_of(r, k), NULL);
    test_advance(&rest, &again, time_of(r, k), NULL);
    const size_t size = save(&whole, &on, bytes);
    assert_int_equal(save(&rest, &again, other), size);
    if (memcmp(bytes, other, size) != 0)
      fail_msg("%s: the bits differ %d advances after a restart", name, k - middle);
  }
  cap_stepper_free(&on);
  cap_stepper_free(&again);
  free(bytes);
  free(other);
  test_system_close(&whole);
  test_system_close(&rest);
}

static void check_stepper(const char *name, const test_systems_entry *r, const cap_stepper_type *type,
                          bool every_middle)
{
  test_system whole = test_system_open(r->text);
  cap_stepper stepper = carrying(&whole, type, false);
  unsigned char *bytes = malloc(save(&whole, &stepper, NULL));
  assert_non_null(bytes);
  for (int k = 1; k <= ADVANCES; k++) {
    test_advance(&whole, &stepper, r->between * k, NULL);
    if (k == MIDDLE) save(&whole, &stepper, bytes);
  }
  cap_stepper_free(&stepper);
  test_system rest = test_system_open(r->text); /* another model, data and stepper, that know nothing */
  stepper = carrying(&rest, type, false);
  load(&rest, &stepper, bytes);
  for (int k = MIDDLE + 1; k <= ADVANCES; k++) test_advance(&rest, &stepper, r->between * k, NULL);
  unsigned char *other = malloc(save(&rest, &stepper, NULL));
  assert_non_null(other);
  save(&whole, &stepper, bytes);
  save(&rest, &stepper, other);
  if (memcmp(bytes, other, save(&rest, &stepper, NULL)) != 0)
    fail_msg("%s: the bits differ after a restart", name);
  cap_stepper_free(&stepper);
  assert_true(cap_data_hash(whole.m, whole.d) == cap_data_hash(rest.m, rest.d));
  free(bytes);
  free(other);
  test_system_close(&whole);
  test_system_close(&rest);
  const int middles[] = {2, 20, 1, 3, 7, MIDDLE};
  for (int i = 0; i < (every_middle ? 6 : 2); i++) check_carried(name, r, type, middles[i]);
}

static void every_stepper_restarts_to_the_same_bits(void **state)
{
  (void)state;
  bool all = test_all("stepper and its state resumed after 1, 3, 7 and 13 advances");
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    char name[64];
    int checked = 0;
    for (size_t i = 0; i < TEST_SYSTEMS; i++) {
      test_system s = test_system_open(test_systems_list[i].text);
      cap_stepper probe;
      cap_stepper_settings settings = {.step = 1e-4, .tolerance = 1e-8};
      bool fits = cap_stepper_create(type, s.m, &settings, &probe, NULL) == CAP_OK;
      cap_stepper_free(&probe);
      test_system_close(&s);
      snprintf(name, sizeof name, "%s, %s", type->name, test_systems_list[i].name);
      if (fits && ++checked) check_stepper(name, &test_systems_list[i], type, all);
    }
    print_message("  %-10s %d systems\n", type->name, checked);
    assert_true(checked > 0);
  }
}

/* ---- the program --------------------------------------------------------------------------------------- */

#define HEAD                                                                                                 \
  "capstan: 1\nname: t\ndrive: belt-tensioner-mass\nmasses: {mass: 73.84 kg, pulley: 0.15 kg}\n"             \
  "belt: {stiffness: 560 kN/m, damping: 160 N s/m}\nload: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"

/* As long as a run of some tenths of a second takes, with sanitizers and without. */
#ifdef __SANITIZE_ADDRESS__
#define LONG(with, without) with
#else
#define LONG(with, without) without
#endif

/* The last one goes on in each analysis with what the one before it left. */
static const char *const MODELS[] = {
    HEAD TEST_MASING
    "analyses: [{transient: {until: " LONG("0.3 s", "3 s") ", method: midpoint, step: 1 us}}]\n"
                                                           "outputs: {every: 2 ms, checkpoint: 10 ms}\n",
    HEAD TEST_DAHL
    "analyses: [{transient: {until: " LONG("0.6 s", "3 s") ", method: cvode}}]\n"
                                                           "outputs: {every: 0.5 ms, checkpoint: 10 ms}\n",
    HEAD TEST_MASING
    "analyses: [{statics: {}}, {modes: {}}, {transient: {until: 2 s}}, {periodic: {}}, "
    "{transient: {until: " LONG(
        "0.1 s",
        "1 s") ", method: euler, step: 1 us}}, {response: {sweep: "
               "{parameter: load.angular_frequency, from: 40 rad/s, to: 70 rad/s, count: 4}}}, {transient: "
               "{until: " LONG("0.2 s", "2 s") ", method: midpoint, step: 1 us}}]\n"
                                               "outputs: {every: 2 ms, checkpoint: 10 ms}\n",
    "capstan: 1\nname: t\ndrive: rolling-body\ncontact: {epsilon: 0.01, friction: {static: 0.5}}\n"
    "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, y: -0.5 m, circle: 0.5 m}}]\n"
    "analyses: [{transient: {until: " LONG("2 s", "20 s") ", method: radau}}, {transient: {until: " LONG(
        "3 s", "40 s") ", method: cvode}}]\noutputs: {every: 10 ms, checkpoint: 0.1 s}\n",
    "capstan: 1\nname: t\ndrive: accessory-drive\n"
    "belt: {kind: flat, length: 1.1938 m, length_is: pitch, stiffness: 7600 N, mass: 0.872 kg/m, bending: "
    "1.27e-3 N m2, "
    "friction: {groove: 0.5}, model: segments, segments: 60}\npulleys:\n"
    "- {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2}\n"
    "- {name: driven, at: [0.314 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2, load: "
    "{torque: 20 N m}}\n"
    "crank: {pulley: driver, speeds: [[0 s, 12 rad/s], [9 s, 20 rad/s]]}\n"
    "analyses: [{transient: {until: " LONG(
        "0.2 s", "4 s") "}}]\noutputs: {every: 1 ms, checkpoint: 10 ms, channels: [\"span.*\"]}\n",
    "capstan: 1\nname: t\ndrive: bodies\nbodies:\n"
    "  - disc: {name: ball, mass: 1 kg, radius: 50 mm, y: 0.5 m, vx: 1 m/s}\n"
    "  - block: {name: box, mass: 2 kg, width: 0.3 m, height: 0.2 m, x: 1 m, y: 0.1 m, turn: 3 rad/s}\n"
    "  - block: {name: rod, mass: 1 kg, width: 1 m, height: 10 mm, x: 3.5 m, y: 2 m}\n"
    "lines: [{line: {name: floor}}]\njoints: [{hinge: {from: rod, from_x: -0.5 m, to_x: 3 m, to_y: 2 m}}]\n"
    "contact: {law: set-valued, restitution: 0.5, friction: 0.3, kinetic: 0.2, stribeck: 0.1 m/s}\n"
    "analyses: [{transient: {until: " LONG(
        "2 s", "20 s") ", method: timestepping, step: 0.1 ms}}]\noutputs: {every: 5 ms, checkpoint: 0.1 s}\n",
    "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 60}\nprimary: {speed: 2000 "
    "rpm}\n"
    "secondary: {torque: -48 N m, clamping: 6446 N}\n"
    "analyses: [{transient: {until: " LONG("2 ms",
                                           "20 ms") "}}]\noutputs: {every: 0.1 ms, checkpoint: 0.2 ms}\n",
    /* points that are finished are kept, also one that failed, of cases and along a parameter; the last one
     * goes on from a point */
    "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 40}\nprimary: {speed: 2000 "
    "rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\nanalyses:\n"
    "- stationary: {lead: 0, average: 0.05, until: 0.05, cases: [{name: a, set: "
    "[secondary.torque=-30 N m]}, {name: none, set: [primary.speed=200000 rpm]}]}\n" LONG(
        "", "- stationary: {lead: 0, average: 0.05, until: 0.05, continue: {parameter: "
            "secondary.torque, values: [-48 N m, -46 N m]}}\n") "- stationary: {lead: 0, "
                                                                "average: 0.05, until: 0.05}\n- transient: "
                                                                "{until: 3 ms}\n",
    HEAD TEST_DAHL
    "analyses: [{periodic: {samples: " LONG("1000", "8000") "}}, {transient: {until: 0.05 s}}]\n",
};
enum { NMODEL = sizeof MODELS / sizeof *MODELS };

static bool is_complete(const char *path)
{
  cap_results_file *file = NULL;
  cap_error error = {0};
  if (cap_results_read_open(path, &file, &error) != CAP_OK) fail_msg("%s", error.text);
  bool complete = cap_results_read_tree(file)->complete;
  cap_results_read_close(file);
  return complete;
}

/* Until something is in it: the part file is made empty, to be locked,
 * before the first contents replace it. */
static void wait_for(const char *path)
{
  struct stat file;
  for (int k = 0; stat(path, &file) != 0 || file.st_size == 0; k++) {
    if (k == 2000) fail_msg("%s does not appear", path);
    program_sleep(0.005);
  }
}

/* What a run that was ended by a signal has left; true when the signal came too late and the result is
 * complete. */
static bool check_stopped(int number, int code)
{
  if (number == SIGKILL) {
    assert_int_equal(code, 128 + SIGKILL);
    if (program_exists("part.h5")) { /* it was about to exit */
      assert_true(is_complete("part.h5"));
      unlink("part.h5.part");
      return true;
    }
    assert_true(program_exists("part.h5.part"));
    assert_false(is_complete("part.h5.part"));
    return false;
  }
  assert_int_equal(code, 128 + number);
  char text[PROGRAM_TEXT];
  program_read(".err", text);
  assert_non_null(strstr(text, "interrupted"));
  assert_non_null(strstr(text, "--resume"));
  assert_true(program_exists("part.h5") && !program_exists("part.h5.part"));
  assert_false(is_complete("part.h5"));
  return false;
}

/* Stop the run up to three times by a signal, each time after a part of `duration`, and resume it to its end.
 * Returns how often it was stopped. */
static int stop_and_resume(const char *model, int number, double duration, uint64_t *seed)
{
  int stops = 0;
  unlink("part.h5");
  for (int round = 0; round < 200; round++) {
    const char *arguments[] = {"run", model, "-o", "part.h5", "--quiet", round ? "--resume" : NULL, NULL};
    pid_t pid = program_start(arguments);
    if (stops < 3) {
      wait_for("part.h5.part");
      program_sleep(test_random(seed, 0.02, 0.3) * duration);
      kill(pid, number);
    }
    int code = program_wait(pid);
    if (code == 0 || check_stopped(number, code)) break;
    stops++;
  }
  return stops;
}

/* A run may be over before its signal comes: on a fast machine it takes another try. */
static void stop_until_stopped(const char *model, int number, double duration, const char *reference)
{
  uint64_t seed = 5 + (uint64_t)number;
  int stops = 0;
  for (int attempt = 0; stops == 0 && attempt < 50; attempt++) {
    stops = stop_and_resume(model, number, duration / (1 + attempt), &seed);
    assert_true(is_complete("part.h5"));
    program_same(reference, "part.h5");
  }
  print_message("  %s, signal %d: stopped %d times\n", model, number, stops);
  assert_true(stops > 0);
}

static double wall_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Three of the models have it all: several analyses, a belt in contact, points that are kept. What a kill
 * leaves is the file's business, not the model's: three have every kind of contents, kept points the most,
 * which in make test are killed only. */
static void the_program_resumes_to_the_same_bytes(void **state)
{
  (void)state;
  bool all = test_all("interrupting the program in seven more models, one for each stepper and drive");
  bool kills = test_all("killing the program in two more models");
  for (int k = 0; k < NMODEL; k++) {
    if (!(all && !TEST_SANITIZED) && k != 2 && k != 4 && k != 7) continue;
    char model[32], reference[32];
    program_result r;
    snprintf(model, sizeof model, "model%d.yaml", k);
    snprintf(reference, sizeof reference, "whole%d.h5", k);
    program_write(model, MODELS[k]);
    double started = wall_clock();
    PROGRAM(&r, "run", model, "-o", reference, "--quiet");
    double duration = wall_clock() - started;
    if (r.code != 0) fail_msg("%s", r.err);
    if (k != 7 || all || TEST_SANITIZED) stop_until_stopped(model, SIGINT, duration, reference);
    if (TEST_SANITIZED) continue; /* no memory to look at after a kill */
    if (k == 7 || (kills && (k == 0 || k == 4))) stop_until_stopped(model, SIGKILL, duration, reference);
  }
}

/* A resume with nothing to resume starts afresh; one of another model is refused. */
static void what_cannot_be_resumed(void **state)
{
  (void)state;
  program_result r;
  program_write("short.yaml", HEAD TEST_MASING "analyses: [{transient: {until: 0.1 s}}]\n");
  PROGRAM(&r, "run", "short.yaml", "-o", "a.h5", "--quiet", "--resume");
  assert_int_equal(r.code, 0);
  PROGRAM(&r, "run", "short.yaml", "-o", "b.h5", "--quiet");
  program_same("a.h5", "b.h5");
  /* an interrupted run, then another load */
  program_write("long.yaml", MODELS[0]);
  const char *arguments[] = {"run", "long.yaml", "-o", "c.h5", "--quiet", NULL};
  pid_t pid = program_start(arguments);
  wait_for("c.h5.part");
  program_sleep(0.05);
  kill(pid, SIGINT);
  assert_int_equal(program_wait(pid), 128 + SIGINT);
  PROGRAM(&r, "run", "long.yaml", "-o", "c.h5", "--quiet", "--resume", "--set", "load.amplitude=99 N");
  assert_int_equal(r.code, 2);
  assert_false(is_complete("c.h5")); /* and what was there is still there */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_stepper_restarts_to_the_same_bits),
      cmocka_unit_test_setup_teardown(the_program_resumes_to_the_same_bytes, program_enter, program_leave),
      cmocka_unit_test_setup_teardown(what_cannot_be_resumed, program_enter, program_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
