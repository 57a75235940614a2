/* Memory that runs out at any one place behind the public header: no crash, no leak (with the sanitizers), an
 * error with a sentence, and a model or a session that is as it was and gives the bits that it would have
 * given. The library's own allocations are wrapped by the linker; those of HDF5 are not. */
#include "capstan/capstan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/failing.h"
#include "../support/sanitized.h"

#define BELT                                                                                                 \
  "capstan: 2\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1260 mm, stiffness: 50 kN, bending_stiffness: 0 N m2, mass: 0.1 kg/m}\n"       \
  "pulleys:\n"                                                                                               \
  "  - {name: a, at: [0 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"                                  \
  "  - {name: b, at: [320 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2, "                                 \
  "load: {torque_over_time: {input: brake, start: 5 N m}}}\n"                                                \
  "crank: {pulley: a, speed: {input: speed, start: 12 rad/s}}\n"
#define BALLS                                                                                                \
  "capstan: 2\nname: t\ndrive: bodies\nbodies:\n"                                                            \
  "  - disc: {name: a, mass: 1 kg, radius: 0.1 m, y: 0.1001 m}\n"                                            \
  "  - disc: {name: b, mass: 1 kg, radius: 0.1 m, x: 0.01 m, y: 0.3003 m}\n"                                 \
  "lines:\n  - line: {name: floor}\n"                                                                        \
  "contact: {law: set-valued, restitution: 0.5, friction: 0.3}\n"
#define PULLEY                                                                                               \
  "capstan: 2\nname: t\ndrive: sheave\n"                                                                     \
  "pulley: {speed: 2000 rpm}\n"                                                                              \
  "belt: {elements: 12, wrap_angle: 180 deg, radius: {shape: spiral, entry: 55 mm, exit: 54.9 mm}}\n"        \
  "compliance: {kind: tilt+plate}\nclamping: {force: 10 kN}\n"
#define VARIATOR                                                                                             \
  "capstan: 2\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 30}\n"                            \
  "primary: {speed: 2000 rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n"
#define SEGMENTS                                                                                             \
  "capstan: 2\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1193.8 mm, length_type: pitch, stiffness: 7600 N, "                            \
  "bending_stiffness: 1.3e-3 N m2, mass: 0.87 kg/m, friction: {groove: 0.5}, model: segments, "              \
  "segments: 40}\n"                                                                                          \
  "pulleys:\n"                                                                                               \
  "  - {name: a, at: [0 m, 0 m], diameter: 0.2 m, diameter_type: pitch, inertia: 0.25 kg m2}\n"              \
  "  - {name: b, at: [0.31416 m, 0 m], diameter: 0.2 m, diameter_type: pitch, inertia: 0.25 kg m2}\n"        \
  "crank: {pulley: a, speed: 12 rad/s}\n"
#define RING                                                                                                 \
  "capstan: 2\nname: t\ndrive: ring\n"                                                                       \
  "ring: {model: ancf, nodes: 12, length: 667 mm, section: {thickness: 0.185 mm, width: 9.75 mm, "           \
  "modulus: 1.8e11 N/m2, density: 8000 kg/m3}}\n"                                                            \
  "centre_distance: 155 mm\nstart: {theta: 0.4}\n"

typedef struct subject {
  const char *name, *text;
  double every; /* s, the step of the host */
  bool differentiable;
} subject;

static const subject subjects[] = {
    {"belt",
     BELT "analyses: [{statics: {speeds: [12 rad/s]}}, {transient: {until: 10 ms, method: midpoint, step: 1 "
          "ms}}]\n"
          "outputs: {every: 1 ms}\n",
     2e-3, true},
    {"belt, implicit",
     BELT "analyses: [{transient: {until: 5 ms, method: radau, tolerance: 1e-6}}]\n"
          "outputs: {every: 1 ms}\n",
     2e-3, true},
    {"balls", BALLS "analyses: [{transient: {until: 20 ms, step: 1 ms}}]\noutputs: {every: 1 ms}\n", 10e-3,
     false},
    {"pulley",
     PULLEY "analyses: [{transient: {until: 0.1 ms, step: 20 us}}]\n"
            "outputs: {every: 20 us, balance: ignore}\n",
     40e-6, false},
    {"variator", VARIATOR "analyses: [{transient: {until: 20 us}}]\noutputs: {every: 10 us}\n", 10e-6, false},
    {"ring", RING "analyses: [{transient: {until: 0.2 ms, method: leapfrog}}]\noutputs: {every: 0.1 ms}\n",
     0.1e-3, false},
    {"segments",
     SEGMENTS "analyses: [{transient: {until: 1 ms, settle: 2 ms}}]\n"
              "outputs: {every: 0.5 ms, balance: ignore}\n",
     0.5e-3, false},
};
enum {
  BALLS_SUBJECT = 2,
  NRUN = 4 /* those whose runs are short */,
  NSUBJECT = sizeof subjects / sizeof *subjects
};

/* ---- one allocation after the other ------------------------------------------------------------------- */

typedef struct trial {
  const subject *subject;
  capstan_model *model;
  capstan_session *session;
  capstan_results *results;
  void *saved; /* of the session before */
  void *next;  /* and after a step that nothing disturbed */
  size_t size;
  char *text; /* what capstan_describe says when nothing disturbs it */
  double *A;
  capstan_start_options options;
  uint64_t values; /* of a run that nothing disturbed, all of its rows */
} trial;

/* The call whose memory runs out, and what must hold after it with the code that it returned. */
typedef capstan_code (*call)(trial *t);
typedef void (*look)(trial *t, capstan_code code);

/* A failure that is not told must not change what comes of the call: `after` sees to that. Returns how
 * many failed. */
static int starve(trial *t, const char *what, call attempt, look after)
{
  int place = 0, tried = 0, unnoticed = 0;
  /* few allocations: each of them in any case */
  for (struck = true; struck; place += place < 20 ? 1 : test_stride()) {
    struck = false;
    countdown = place;
    capstan_code code = attempt(t);
    countdown = -1;
    if (code != CAPSTAN_OK && !struck)
      fail_msg("%s, %s: code %d without need", t->subject->name, what, (int)code);
    if (code < 0) fail_msg("%s, %s, allocation %d: code %d", t->subject->name, what, place, (int)code);
    tried += struck;
    unnoticed += struck && code == CAPSTAN_OK;
    after(t, code);
  }
  print_message("  %s, %s: %d of some %d allocations failed, %d did without\n", t->subject->name, what, tried,
                place, unnoticed);
  if (unnoticed > 1 + tried / 2) fail_msg("%s, %s: most failures are not told", t->subject->name, what);
  return tried;
}

static void is_a_sentence(const char *text)
{
  if (strlen(text) < 5) fail_msg("\"%s\" is no sentence", text);
}

static void is_the_same(const char *text, const char *expected)
{
  size_t k = 0;
  while (text[k] && text[k] == expected[k]) k++;
  if (text[k] != expected[k]) fail_msg("\"%.80s\" instead of \"%.80s\"", text + k, expected + k);
}

static void open_model(trial *t)
{
  const char *text = t->subject->text;
  if (capstan_open_text(text, strlen(text), "t.yaml", 0, NULL, &t->model))
    fail_msg("%s", capstan_message(t->model));
}

static void start_session(trial *t)
{
  if (capstan_start(t->model, t->options.size ? &t->options : NULL, &t->session))
    fail_msg("%s", capstan_session_message(t->session));
}

static void *save(trial *t)
{
  t->size = capstan_save_size(t->session);
  void *bytes = malloc(t->size);
  assert_non_null(bytes);
  assert_int_equal(capstan_save(t->session, bytes, t->size), CAPSTAN_OK);
  return bytes;
}

static void is_where(trial *t, const void *expected)
{
  void *bytes = save(t);
  if (memcmp(bytes, expected, t->size) != 0) fail_msg("%s: the session is not as it was", t->subject->name);
  free(bytes);
}

static void close_all(trial *t)
{
  capstan_end(t->session);
  capstan_results_close(t->results);
  capstan_close(t->model);
  free(t->saved);
  free(t->next);
  free(t->text);
  free(t->A);
}

/* ---- models ------------------------------------------------------------------------------------------- */

static capstan_code open_it(trial *t)
{
  static const char *const settings[] = {"outputs.every=5 us"};
  t->model = (capstan_model *)t; /* is to be set in every case */
  return capstan_open_text(t->subject->text, strlen(t->subject->text), "t.yaml", 1, settings, &t->model);
}

static void opened(trial *t, capstan_code code)
{
  if (code == CAPSTAN_OK) {
    assert_string_equal(capstan_message(t->model), "");
    if (!t->text) t->text = strdup(capstan_describe(t->model));
    is_the_same(capstan_describe(t->model), t->text);
  } else {
    is_a_sentence(capstan_message(t->model));
    assert_string_equal(capstan_describe(t->model), "");
    assert_int_equal(capstan_variables(t->model, CAPSTAN_OUTPUT, NULL), 0);
  }
  capstan_close(t->model);
  t->model = NULL;
}

static void no_memory_to_open(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    assert_true(starve(&t, "open", open_it, opened) > 20);
    close_all(&t);
  }
}

static capstan_code set_it(trial *t)
{
  static const char *const settings[] = {"outputs.every=0.5 ms"};
  return capstan_set(t->model, 1, settings);
}

static double output_interval(trial *t)
{
  const capstan_variable *list;
  int index = capstan_find(t->model, CAPSTAN_PARAMETER, "outputs.every");
  assert_in_range(index, 0, capstan_variables(t->model, CAPSTAN_PARAMETER, &list) - 1);
  return list[index].start;
}

/* All of the settings, or none. */
static void was_set(trial *t, capstan_code code)
{
  if (code != CAPSTAN_OK) is_a_sentence(capstan_message(t->model));
  double every = output_interval(t);
  assert_true(code == CAPSTAN_OK ? every == 0.5e-3 : every == 1e-3);
  if (code == CAPSTAN_OK) {
    capstan_close(t->model);
    open_model(t);
  }
}

static void no_memory_to_set(void **state)
{
  (void)state;
  trial t = {.subject = &subjects[0]};
  open_model(&t);
  assert_true(starve(&t, "set", set_it, was_set) > 20);
  close_all(&t);
}

static capstan_code describe_it(trial *t)
{
  return *capstan_describe(t->model) ? CAPSTAN_OK : CAPSTAN_FAILED;
}

static void described(trial *t, capstan_code code)
{
  if (code != CAPSTAN_OK) is_a_sentence(capstan_message(t->model));
  const char *text = capstan_describe(t->model);
  if (t->text) is_the_same(text, t->text);
  else t->text = strdup(text);
  is_a_sentence(t->text);
  capstan_close(t->model);
  open_model(t);
}

static capstan_code list_it(trial *t)
{
  const capstan_variable *list;
  const char *const *names;
  for (int kind = CAPSTAN_PARAMETER; kind <= CAPSTAN_STATE; kind++)
    if (!capstan_variables(t->model, (capstan_kind)kind, &list) && kind != CAPSTAN_INPUT)
      return CAPSTAN_FAILED;
  return capstan_analyses(t->model, &names) == 0 ? CAPSTAN_FAILED : CAPSTAN_OK;
}

static void listed(trial *t, capstan_code code)
{
  const capstan_variable *list;
  if (code != CAPSTAN_OK) is_a_sentence(capstan_message(t->model));
  for (int kind = CAPSTAN_PARAMETER; kind <= CAPSTAN_STATE; kind++) {
    int n = capstan_variables(t->model, (capstan_kind)kind, &list);
    assert_true(n > 0 || kind == CAPSTAN_INPUT);
    for (int k = 0; k < n; k++) {
      assert_true(list[k].name && list[k].unit && list[k].text);
      assert_int_equal(capstan_find(t->model, (capstan_kind)kind, list[k].name), k);
    }
  }
  capstan_close(t->model);
  open_model(t);
}

static void no_memory_to_tell(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    assert_true(starve(&t, "describe", describe_it, described) > 0);
    assert_true(starve(&t, "lists", list_it, listed) > 1);
    close_all(&t);
  }
}

/* ---- sessions ----------------------------------------------------------------------------------------- */

static capstan_code start_it(trial *t)
{
  t->session = (capstan_session *)t; /* is to be set in every case */
  return capstan_start(t->model, NULL, &t->session);
}

/* One that did not start can be asked, and ended. */
static void started(trial *t, capstan_code code)
{
  if (code == CAPSTAN_OK) is_where(t, t->saved);
  else {
    is_a_sentence(capstan_session_message(t->session));
    assert_int_equal(capstan_step(t->session, 1.0, NULL), CAPSTAN_BAD_INPUT);
    assert_null(capstan_outputs(t->session));
    assert_int_equal(capstan_save_size(t->session), 0);
  }
  capstan_end(t->session);
  t->session = NULL;
}

static void no_memory_to_start(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    start_session(&t);
    t.saved = save(&t);
    capstan_end(t.session);
    assert_true(starve(&t, "start", start_it, started) > 20);
    close_all(&t);
  }
}

static capstan_code step_it(trial *t)
{
  return capstan_step(t->session, capstan_time(t->session) + t->subject->every, NULL);
}

/* Where it was, and able to go on. */
static void stepped(trial *t, capstan_code code)
{
  if (code != CAPSTAN_OK) {
    is_a_sentence(capstan_session_message(t->session));
    is_where(t, t->saved);
    if (step_it(t)) fail_msg("%s", capstan_session_message(t->session));
  }
  is_where(t, t->next);
  assert_int_equal(capstan_restore(t->session, t->saved, t->size), CAPSTAN_OK);
}

/* Out of a fresh session each time: what is allocated once is allocated there. */
static void stepped_afresh(trial *t, capstan_code code)
{
  stepped(t, code);
  capstan_end(t->session);
  start_session(t);
}

static void no_memory_to_step(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    start_session(&t);
    t.saved = save(&t);
    assert_int_equal(step_it(&t), CAPSTAN_OK);
    t.next = save(&t);
    assert_int_equal(capstan_restore(t.session, t.saved, t.size), CAPSTAN_OK);
    starve(&t, "step", step_it, stepped);
    capstan_end(t.session);
    start_session(&t);
    starve(&t, "first step", step_it, stepped_afresh);
    close_all(&t);
  }
}

static capstan_code look_at_it(trial *t)
{
  double value;
  const int first = 0;
  capstan_energy lines[40];
  capstan_code code = capstan_output(t->session, 1, &first, &value);
  if (code != CAPSTAN_OK) return code;
  return capstan_balance(t->session, 40, lines, NULL) > 2 ? CAPSTAN_OK : CAPSTAN_FAILED;
}

/* Nothing of it stays: with memory the same outputs are there, and none in which a value is missing. */
static void looked(trial *t, capstan_code code)
{
  double scale;
  capstan_energy lines[40];
  int n = capstan_variables(t->model, CAPSTAN_OUTPUT, NULL);
  if (code != CAPSTAN_OK) is_a_sentence(capstan_session_message(t->session));
  const double *outputs = capstan_outputs(t->session);
  assert_non_null(outputs);
  for (int k = 0; k < n; k++) assert_true(isfinite(outputs[k]));
  n = capstan_balance(t->session, 40, lines, &scale);
  assert_in_range(n, 3, 40);
  for (int k = 0; k < n; k++) assert_true(isfinite(lines[k].energy));
  assert_true(isfinite(scale));
  is_where(t, t->saved);
  assert_int_equal(capstan_restore(t->session, t->saved, t->size), CAPSTAN_OK);
}

static void no_memory_to_look(void **state)
{
  (void)state;
  int tried = 0;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    start_session(&t);
    t.saved = save(&t);
    tried += starve(&t, "look", look_at_it, looked);
    close_all(&t);
  }
  assert_true(tried > 0); /* the energy of the flanks of a pulley has memory of its own */
}

/* By way of smaller and smaller steps. */
static capstan_code step_to_level(trial *t)
{
  capstan_code code = step_it(t);
  return code == CAPSTAN_EVENT ? CAPSTAN_OK : code;
}

/* The outputs are those of where it is, and with memory it comes to the same event. */
static void at_level(trial *t, capstan_code code)
{
  int n = capstan_variables(t->model, CAPSTAN_OUTPUT, NULL);
  if (code != CAPSTAN_OK) {
    is_a_sentence(capstan_session_message(t->session));
    double *seen = calloc((size_t)n, sizeof *seen);
    assert_non_null(seen);
    memcpy(seen, capstan_outputs(t->session), (size_t)n * sizeof *seen);
    void *here = save(t);
    assert_int_equal(capstan_restore(t->session, here, t->size), CAPSTAN_OK);
    assert_memory_equal(capstan_outputs(t->session), seen, (size_t)n * sizeof *seen);
    free(here);
    free(seen);
    assert_int_equal(step_it(t), CAPSTAN_EVENT);
  }
  is_where(t, t->next);
  capstan_end(t->session);
  start_session(t);
}

/* An output that changes, and a value that it passes within a step. */
static int find_level(trial *t, double *level)
{
  int n = capstan_variables(t->model, CAPSTAN_OUTPUT, NULL), k = 0;
  double *first = calloc((size_t)n, sizeof *first);
  assert_non_null(first);
  memcpy(first, capstan_outputs(t->session), (size_t)n * sizeof *first);
  assert_int_equal(step_it(t), CAPSTAN_OK);
  const double *second = capstan_outputs(t->session);
  while (k < n && !(fabs(second[k] - first[k]) > 1e-6)) k++;
  assert_true(k < n);
  *level = first[k] + 0.7 * (second[k] - first[k]);
  free(first);
  return k;
}

static void no_memory_on_the_way_to_an_event(void **state)
{
  (void)state;
  trial t = {.subject = &subjects[BALLS_SUBJECT]}; /* whose contacts take memory when they close */
  const capstan_variable *list;
  double level;
  open_model(&t);
  start_session(&t);
  int output = find_level(&t, &level);
  capstan_end(t.session);
  t.options = (capstan_start_options){.size = sizeof t.options,
                                      .nlevel = 1,
                                      .level_outputs = &output,
                                      .levels = &level,
                                      .event_every = t.subject->every};
  start_session(&t);
  assert_int_equal(step_it(&t), CAPSTAN_EVENT);
  capstan_variables(t.model, CAPSTAN_OUTPUT, &list);
  assert_non_null(strstr(capstan_session_message(t.session), list[output].name));
  t.next = save(&t);
  capstan_end(t.session);
  start_session(&t);
  assert_true(starve(&t, "event", step_to_level, at_level) > 3);
  close_all(&t);
}

/* What must not need any memory: a host does it in each of its steps. */
static void inputs_and_saved_states_need_none(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    trial t = {.subject = &subjects[k]};
    double value[2];
    const int all[] = {0, 1};
    open_model(&t);
    start_session(&t);
    t.saved = save(&t);
    int n = capstan_variables(t.model, CAPSTAN_INPUT, NULL);
    struck = false;
    countdown = 0;
    capstan_code codes[] = {
        capstan_input_value(t.session, n, all, value), capstan_input(t.session, n, all, value, NULL),
        capstan_save(t.session, t.saved, t.size), capstan_restore(t.session, t.saved, t.size)};
    countdown = -1;
    assert_false(struck);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) assert_int_equal(codes[i], CAPSTAN_OK);
    close_all(&t);
  }
}

static capstan_code linearise_it(trial *t)
{
  return capstan_linearise(t->session, 0, NULL, t->A, NULL, NULL, NULL);
}

static capstan_code linearise_all(trial *t)
{
  double B[200], C[200], D[2];
  const int first = 0;
  return capstan_linearise(t->session, 1, &first, t->A, B, C, D);
}

static capstan_code derive_it(trial *t)
{
  return capstan_derivative(t->session, t->A);
}

static void derived(trial *t, capstan_code code)
{
  if (code != CAPSTAN_OK) is_a_sentence(capstan_session_message(t->session));
  is_where(t, t->saved);
}

static void no_memory_for_derivatives(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    if (!subjects[k].differentiable) continue;
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    start_session(&t);
    t.saved = save(&t);
    size_t n = (size_t)capstan_variables(t.model, CAPSTAN_STATE, NULL);
    assert_true(n < 100);
    t.A = calloc(n * n, sizeof *t.A);
    assert_non_null(t.A);
    assert_true(starve(&t, "linearise", linearise_it, derived) > 0);
    assert_true(starve(&t, "linearise", linearise_all, derived) > 1);
    assert_true(starve(&t, "derivative", derive_it, derived) > 0);
    close_all(&t);
  }
}

/* ---- results ------------------------------------------------------------------------------------------ */

static int find_column(capstan_results *results, int *group)
{
  const capstan_group *groups;
  int n = capstan_results_groups(results, &groups);
  for (*group = 0; *group < n; (*group)++)
    if (strcmp(groups[*group].analysis, "transient") == 0)
      for (int k = 0; k < groups[*group].narray; k++)
        if (groups[*group].arrays[k].column && strcmp(groups[*group].arrays[k].name, "time") == 0) return k;
  return -1;
}

static uint64_t values_of(capstan_results *results)
{
  const capstan_group *groups;
  uint64_t hash = 14695981039346656037u;
  int n = capstan_results_groups(results, &groups);
  for (int g = 0; g < n; g++)
    for (int k = 0; strcmp(groups[g].name, "meta") != 0 && k < groups[g].narray; k++) {
      if (!groups[g].arrays[k].column) continue; /* numbers have processor times */
      const double *values = capstan_results_values(results, g, k);
      assert_non_null(values);
      for (size_t i = 0; i < groups[g].arrays[k].count * sizeof *values; i++)
        hash = (hash ^ ((const unsigned char *)values)[i]) * 1099511628211u;
    }
  return hash;
}

static capstan_code run_it(trial *t)
{
  t->results = (capstan_results *)t; /* is to be set in every case */
  return capstan_run_memory(t->model, NULL, &t->results);
}

static void was_run(trial *t, capstan_code code)
{
  if (code != CAPSTAN_OK) is_a_sentence(capstan_message(t->model));
  else {
    assert_true(capstan_result_complete(t->model));
    assert_true(values_of(t->results) == t->values);
  }
  capstan_results_close(t->results);
  t->results = NULL;
}

static void no_memory_to_run(void **state)
{
  (void)state;
  for (int k = 0; k < NRUN; k++) {
    trial t = {.subject = &subjects[k]};
    open_model(&t);
    assert_int_equal(run_it(&t), CAPSTAN_OK);
    t.values = values_of(t.results);
    capstan_results_close(t.results);
    assert_true(starve(&t, "run", run_it, was_run) * test_stride() > 100);
    close_all(&t);
  }
}

static capstan_code read_it(trial *t)
{
  int group, time = find_column(t->results, &group);
  return capstan_results_values(t->results, group, time) ? CAPSTAN_OK : CAPSTAN_FAILED;
}

static void were_read(trial *t, capstan_code code)
{
  int group, time = find_column(t->results, &group);
  if (code != CAPSTAN_OK) is_a_sentence(capstan_results_message(t->results));
  const double *values = capstan_results_values(t->results, group, time);
  assert_non_null(values);
  assert_true(values[1] > values[0]);
  capstan_results_close(t->results);
  assert_int_equal(capstan_run_memory(t->model, NULL, &t->results), CAPSTAN_OK);
}

static void no_memory_to_read(void **state)
{
  (void)state;
  trial t = {.subject = &subjects[0]};
  open_model(&t);
  assert_int_equal(capstan_run_memory(t.model, NULL, &t.results), CAPSTAN_OK);
  assert_true(starve(&t, "values", read_it, were_read) > 0);
  close_all(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_memory_to_open),
      cmocka_unit_test(no_memory_to_set),
      cmocka_unit_test(no_memory_to_tell),
      cmocka_unit_test(no_memory_to_start),
      cmocka_unit_test(no_memory_to_step),
      cmocka_unit_test(no_memory_to_look),
      cmocka_unit_test(no_memory_on_the_way_to_an_event),
      cmocka_unit_test(inputs_and_saved_states_need_none),
      cmocka_unit_test(no_memory_for_derivatives),
      cmocka_unit_test(no_memory_to_run),
      cmocka_unit_test(no_memory_to_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
