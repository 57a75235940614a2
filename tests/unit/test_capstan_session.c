/* Sessions behind the public header: what is refused and leaves nothing broken, events, observers,
 * interruption. */
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

static const char drive[] = "examples/two_pulley.yaml";

static capstan_session *start_of(const char *path, int nsetting, const char *const *settings,
                                 const capstan_start_options *options, capstan_model **model)
{
  capstan_session *session;
  if (capstan_open(path, nsetting, settings, model)) fail_msg("%s", capstan_message(*model));
  if (capstan_start(*model, options, &session)) fail_msg("%s", capstan_session_message(session));
  return session;
}

/* The drive with its crank speed as the input `speed` and a brake as `brake`. */
static capstan_session *start_with_inputs(const capstan_start_options *options, capstan_model **model)
{
  static const char *const settings[] = {"crank.speed={input: speed, start: 12 rad/s}",
                                         "pulleys[1].load.torque_over_time={input: brake, start: 2 N m}"};
  return start_of(drive, 2, settings, options, model);
}

static void end(capstan_session *session, capstan_model *model)
{
  capstan_end(session);
  capstan_close(model);
}

#define SAYS(session, text)                                                                                  \
  do {                                                                                                       \
    if (!strstr(capstan_session_message(session), text))                                                     \
      fail_msg("\"%s\" does not say \"%s\"", capstan_session_message(session), text);                        \
  } while (0)

/* ---- what is refused ---------------------------------------------------------------------------------- */

static void bad_starts(void **state)
{
  (void)state;
  capstan_model *model;
  capstan_session *session;
  static const int unknown = 1000, first = 0;
  static const double zero = 0.0, none = NAN;
  static const struct {
    capstan_start_options options;
    const char *says;
  } cases[] = {
      {{.size = 3}, "options.size"},
      {{.size = sizeof(capstan_start_options), .transient = 7}, "options.transient: expected one of"},
      {{.size = sizeof(capstan_start_options), .transient = -1}, "options.transient: expected one of"},
      {{.size = sizeof(capstan_start_options), .method = "magic"}, "options.method: expected one of auto"},
      {{.size = sizeof(capstan_start_options), .method = "exact"},
       "method: the method \"exact\" cannot compute this system"},
      {{.size = sizeof(capstan_start_options), .step = -1.0}, "options.step"},
      {{.size = sizeof(capstan_start_options), .step = NAN}, "options.step"},
      {{.size = sizeof(capstan_start_options), .tolerance = 2.0}, "options.tolerance"},
      {{.size = sizeof(capstan_start_options), .events = 64}, "options.events"},
      {{.size = sizeof(capstan_start_options), .event_every = -1.0}, "options.event_every"},
      {{.size = sizeof(capstan_start_options), .nlevel = -2}, "options.nlevel"},
      {{.size = sizeof(capstan_start_options), .nlevel = 1}, "options.nlevel"},
      {{.size = sizeof(capstan_start_options), .nlevel = 1, .level_outputs = &unknown, .levels = &zero},
       "options.level_outputs[0]"},
      {{.size = sizeof(capstan_start_options), .nlevel = 1, .level_outputs = &first, .levels = &none},
       "options.levels[0]"},
  };
  assert_int_equal(capstan_open(drive, 0, NULL, &model), CAPSTAN_OK);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    if (capstan_start(model, &cases[k].options, &session) != CAPSTAN_BAD_INPUT)
      fail_msg("a start that should say \"%s\" is not refused", cases[k].says);
    SAYS(session, cases[k].says);
    assert_int_equal(capstan_step(session, 1.0, NULL), CAPSTAN_BAD_INPUT); /* there is nothing to step */
    assert_true(isnan(capstan_time(session)));
    assert_null(capstan_outputs(session));
    assert_int_equal(capstan_save_size(session), 0);
    capstan_end(session);
  }
  assert_int_equal(capstan_start(NULL, NULL, &session), CAPSTAN_BAD_INPUT);
  SAYS(session, "expected a model");
  capstan_end(session);
  assert_int_equal(capstan_start(model, NULL, NULL), CAPSTAN_BAD_INPUT);
  capstan_close(model);
  assert_int_equal(capstan_open("no_such_file.yaml", 0, NULL, &model), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_start(model, NULL, &session), CAPSTAN_BAD_INPUT);
  SAYS(session, "refused");
  capstan_end(session);
  capstan_close(model);
}

static void a_drive_that_does_not_move_has_no_session(void **state)
{
  (void)state;
  capstan_model *model;
  capstan_session *session;
  assert_int_equal(capstan_open("examples/rolling_convergence.yaml", 0, NULL, &model), CAPSTAN_OK);
  capstan_code code = capstan_start(model, NULL, &session);
  if (code == CAPSTAN_BAD_INPUT) assert_true(strlen(capstan_session_message(session)) > 10);
  else assert_int_equal(code, CAPSTAN_OK);
  end(session, model);
}

static void bad_calls(void **state)
{
  (void)state;
  capstan_model *model;
  capstan_session *session = start_with_inputs(NULL, &model);
  double value = 12.0, far = 1e300, none = NAN, reached;
  int speed = capstan_find(model, CAPSTAN_INPUT, "speed"), wrong = 99, below = -1;
  double before = *capstan_states(session);
  assert_int_equal(capstan_input(session, 1, &wrong, &value, NULL), CAPSTAN_BAD_INPUT);
  SAYS(session, "input: expected an index from 0 to 1, got index[0] = 99");
  assert_int_equal(capstan_input(session, 1, &below, &value, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_input(session, -1, &speed, &value, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_input(session, 1, NULL, &value, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_input(session, 1, &speed, &none, NULL), CAPSTAN_BAD_INPUT);
  SAYS(session, "input \"speed\": expected a finite number, got nan");
  assert_int_equal(capstan_input(session, 1, &speed, &value, &none), CAPSTAN_BAD_INPUT);
  SAYS(session, "finite rate");
  value = -3.0;
  assert_int_equal(capstan_input(session, 1, &speed, &value, NULL), CAPSTAN_BAD_INPUT);
  SAYS(session, "input \"speed\": expected a value above 0 rad/s, got -3 rad/s");
  assert_int_equal(capstan_output(session, 1, &wrong, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_output(session, 1, &speed, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_state(session, 1, &below, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_step(session, NAN, &reached), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_step(session, -1.0, &reached), CAPSTAN_BAD_INPUT);
  SAYS(session, "until: expected a time of at least 0 s, where the session is, got -1 s");
  assert_true(reached == 0.0);
  value = 12.0;
  double falling = -1e3; /* would be negative on the way */
  assert_int_equal(capstan_input(session, 1, &speed, &value, &falling), CAPSTAN_OK);
  assert_int_equal(capstan_step(session, 1.0, &reached), CAPSTAN_BAD_INPUT);
  SAYS(session, "as its rate has it");
  assert_int_equal(capstan_input(session, 1, &speed, &value, NULL), CAPSTAN_OK);
  assert_int_equal(capstan_linearise(session, 1, &wrong, NULL, NULL, &far, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_derivative(session, NULL), CAPSTAN_BAD_INPUT);
  assert_true(*capstan_states(session) == before && capstan_time(session) == 0.0);
  assert_int_equal(capstan_step(session, 1e-3, &reached), CAPSTAN_OK);
  assert_true(reached == 1e-3);
  assert_string_equal(capstan_session_message(session), "");
  assert_int_equal(capstan_step(session, 1e-3, &reached), CAPSTAN_OK); /* nothing to do */
  end(session, model);
}

static void no_session_at_all(void **state)
{
  (void)state;
  double value = 0.0;
  int index = 0;
  assert_int_equal(capstan_input(NULL, 1, &index, &value, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_input_value(NULL, 1, &index, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_step(NULL, 1.0, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_output(NULL, 1, &index, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_state(NULL, 1, &index, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_derivative(NULL, &value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_linearise(NULL, 0, NULL, NULL, NULL, NULL, NULL), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_save(NULL, &value, sizeof value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_restore(NULL, &value, sizeof value), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_balance(NULL, 0, NULL, NULL), 0);
  assert_null(capstan_outputs(NULL));
  assert_null(capstan_states(NULL));
  assert_string_equal(capstan_session_message(NULL), "out of memory\n");
  assert_string_equal(capstan_session_method(NULL), "");
  capstan_observe(NULL, NULL, NULL, 0.0);
  capstan_end(NULL);
}

static void positions_do_not_jump(void **state)
{
  (void)state;
  static const char *const settings[] = {"deflection={input: rod, start: 0 mm}",
                                         "analyses=[{transient: {until: 1 s, method: midpoint}}]"};
  capstan_model *model;
  capstan_session *session = start_of("examples/tensioner_rig.yaml", 2, settings, NULL, &model);
  int rod = 0;
  double value = 1e-3, rate = 0.5, now;
  const capstan_variable *list;
  assert_int_equal(capstan_variables(model, CAPSTAN_INPUT, &list), 1);
  assert_true(list[0].position);
  assert_int_equal(capstan_input(session, 1, &rod, &value, &rate), CAPSTAN_BAD_INPUT);
  SAYS(session, "input \"rod\": it imposes a position, which must not jump; expected 0 m, where it is");
  assert_int_equal(capstan_input(session, 1, &rod, NULL, &rate), CAPSTAN_OK);
  assert_int_equal(capstan_step(session, 0.5155, NULL), CAPSTAN_OK);
  assert_int_equal(capstan_input_value(session, 1, &rod, &now), CAPSTAN_OK);
  assert_true(fabs(now - 0.5 * (0.5155 - 0.0155)) < 1e-12);
  assert_int_equal(capstan_input(session, 1, &rod, &now, NULL), CAPSTAN_OK); /* where it is */
  end(session, model);
}

/* ---- saved states ------------------------------------------------------------------------------------- */

static void damaged_and_foreign_states(void **state)
{
  (void)state;
  static const char *const other_settings[] = {"belt.stiffness=8000 N"};
  capstan_model *model, *other_model;
  capstan_session *session = start_with_inputs(NULL, &model),
                  *other = start_of(drive, 1, other_settings, NULL, &other_model);
  assert_int_equal(capstan_step(session, 0.01, NULL), CAPSTAN_OK);
  size_t size = capstan_save_size(session);
  unsigned char *saved = malloc(size), *bad = malloc(size);
  assert_true(saved && bad);
  assert_int_equal(capstan_save(session, saved, size - 1), CAPSTAN_BAD_INPUT);
  SAYS(session, "room: expected at least");
  assert_int_equal(capstan_save(session, NULL, size), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_save(session, saved, size), CAPSTAN_OK);
  for (size_t k = 0; k < size; k++) { /* every byte counts */
    memcpy(bad, saved, size);
    bad[k] ^= 0x10;
    assert_int_equal(capstan_restore(session, bad, size), CAPSTAN_BAD_INPUT);
    assert_true(strlen(capstan_session_message(session)) > 10);
  }
  for (size_t k = 0; k < size; k += 7)
    assert_int_equal(capstan_restore(session, saved, k), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_restore(session, NULL, size), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_restore(other, saved, size), CAPSTAN_BAD_INPUT);
  SAYS(other, "another model");
  assert_true(capstan_time(other) == 0.0);
  assert_int_equal(capstan_restore(session, saved, size), CAPSTAN_OK);
  assert_true(capstan_time(session) == 0.01);
  free(saved);
  free(bad);
  end(other, other_model);
  end(session, model);
}

/* ---- events and observers ----------------------------------------------------------------------------- */

/* Calls of an observer have messages of their own, which are not those of the step around them. */
static int asks_and_sets(void *self, capstan_session *session)
{
  int brake = *(int *)self;
  double value;
  assert_non_null(capstan_outputs(session));
  assert_int_equal(capstan_input_value(session, 1, &brake, &value), CAPSTAN_OK);
  assert_int_equal(capstan_input(session, 1, &brake, &value, NULL), CAPSTAN_OK);
  return 0;
}

static void levels_are_events(void **state)
{
  (void)state;
  capstan_model *model;
  assert_int_equal(capstan_open(drive, 0, NULL, &model), CAPSTAN_OK);
  int speed = capstan_find(model, CAPSTAN_OUTPUT, "pulley.driven.speed");
  capstan_close(model);
  assert_true(speed >= 0);
  const double level = 11.0;
  const capstan_start_options options = {
      .size = sizeof options, .nlevel = 1, .level_outputs = &speed, .levels = &level, .event_every = 1e-3};
  capstan_session *session = start_with_inputs(&options, &model);
  int brake = capstan_find(model, CAPSTAN_INPUT, "brake");
  double torque = 10.0, reached, value;
  assert_int_equal(capstan_input(session, 1, &brake, &torque, NULL), CAPSTAN_OK);
  capstan_observe(session, asks_and_sets, &brake, 0.0);
  assert_int_equal(capstan_step(session, 1.0, &reached), CAPSTAN_EVENT);
  SAYS(session, "pulley.driven.speed passes 11 rad/s downwards");
  assert_int_equal(capstan_output(session, 1, &speed, &value), CAPSTAN_OK);
  assert_true(reached < 1.0 && reached == capstan_time(session));
  assert_true(value < level && value > level - 1e-5);                            /* just behind */
  assert_int_equal(capstan_step(session, reached + 1e-3, &reached), CAPSTAN_OK); /* once only */
  end(session, model);
}

static void reversals_and_slip_are_events(void **state)
{
  (void)state;
  const capstan_start_options slip = {.size = sizeof slip, .events = CAPSTAN_EVENT_SLIP},
                              reversal = {.size = sizeof reversal, .events = CAPSTAN_EVENT_REVERSAL};
  capstan_model *model;
  int found = 0;
  double reached = 0.0;
  capstan_session *session = start_of("examples/tensioner_rig.yaml", 0, NULL, &slip, &model);
  double until = capstan_time(session) + 0.67; /* a period: it sticks and slips once each way */
  for (int k = 0; k < 50 && reached < until; k++) {
    capstan_code code = capstan_step(session, until, &reached);
    if (code == CAPSTAN_EVENT) found++;
    else assert_int_equal(code, CAPSTAN_OK);
  }
  print_message("%d changes between stick and slip in a period\n", found);
  assert_true(found >= 3 && found <= 5 && reached == until);
  end(session, model);
  session = start_of("examples/tensioner_rig_dahl.yaml", 0, NULL, &reversal, &model);
  until = capstan_time(session) + 1.337; /* two periods */
  for (found = 0, reached = 0.0; reached < until;) {
    capstan_code code = capstan_step(session, until, &reached);
    if (code == CAPSTAN_EVENT) found++;
    else assert_int_equal(code, CAPSTAN_OK);
  }
  print_message("%d reversals in two periods\n", found);
  assert_int_equal(found, 4);
  end(session, model);
}

typedef struct watched {
  int calls, most;
  double last;
} watched;

static int watch(void *self, capstan_session *session)
{
  watched *w = self;
  double t = capstan_time(session);
  assert_true(t > w->last);
  assert_non_null(capstan_outputs(session));
  w->last = t;
  return ++w->calls >= w->most;
}

static void observers_are_called_and_end_a_step(void **state)
{
  (void)state;
  watched w = {.most = 1000, .last = -1.0};
  const capstan_start_options options = {
      .size = sizeof options, .observe = watch, .observe_every = 1e-3, .observe_self = &w};
  capstan_model *model;
  capstan_session *session = start_with_inputs(&options, &model);
  double reached;
  assert_int_equal(capstan_step(session, 0.01, &reached), CAPSTAN_OK);
  assert_int_equal(w.calls, 10);
  assert_int_equal(capstan_step(session, 0.0125, &reached), CAPSTAN_OK); /* 11, 12 and 12.5 ms */
  assert_int_equal(w.calls, 13);
  w.most = 15;
  assert_int_equal(capstan_step(session, 1.0, &reached), CAPSTAN_STOPPED);
  SAYS(session, "ended by its observer");
  assert_true(fabs(reached - 0.014) < 1e-12);
  capstan_observe(session, NULL, NULL, 0.0);
  assert_int_equal(capstan_step(session, 0.02, &reached), CAPSTAN_OK);
  assert_int_equal(w.calls, 15);
  end(session, model);
}

static void a_stop_leaves_the_session_where_it_was(void **state)
{
  (void)state;
  volatile sig_atomic_t stop = 0;
  const capstan_start_options options = {.size = sizeof options, .stop = &stop};
  capstan_model *model;
  capstan_session *session = start_with_inputs(&options, &model);
  double reached, before;
  assert_int_equal(capstan_step(session, 0.01, &reached), CAPSTAN_OK);
  before = *capstan_states(session);
  stop = 1;
  assert_int_equal(capstan_step(session, 1.0, &reached), CAPSTAN_STOPPED);
  assert_true(reached == 0.01 && *capstan_states(session) == before);
  stop = 0;
  assert_int_equal(capstan_step(session, 0.02, &reached), CAPSTAN_OK);
  end(session, model);
}

/* ---- energy ------------------------------------------------------------------------------------------- */

static void the_balance_closes(void **state)
{
  (void)state;
  capstan_model *model;
  capstan_session *session = start_with_inputs(NULL, &model);
  const int inputs[] = {0, 1};
  const double values[] = {13.0, 5.0}, rates[] = {4.0, -2.0};
  capstan_energy lines[64];
  double scale;
  for (int k = 0; k < 20; k++) {
    assert_int_equal(capstan_input(session, 2, inputs, k == 5 ? values : NULL, rates), CAPSTAN_OK);
    assert_int_equal(capstan_step(session, 0.01 * (k + 1), NULL), CAPSTAN_OK);
  }
  int n = capstan_balance(session, 64, lines, &scale);
  assert_true(n > 3 && n < 64 && scale > 1.0);
  assert_string_equal(lines[n - 1].kind, "residual");
  print_message("residual %.2e J of %.3g J\n", lines[n - 1].energy, scale);
  assert_true(fabs(lines[n - 1].energy) < 1e-6 * scale);
  assert_int_equal(capstan_balance(session, 2, lines, NULL), n);
  end(session, model);
}

static void units_are_converted(void **state)
{
  (void)state;
  double factor;
  assert_int_equal(capstan_convert("rad/s", "rpm", &factor), CAPSTAN_OK);
  assert_true(fabs(factor - 30.0 / 3.14159265358979323846) < 1e-12);
  assert_int_equal(capstan_convert("N", "kN", &factor), CAPSTAN_OK);
  assert_true(fabs(factor - 1e-3) < 1e-18);
  assert_int_equal(capstan_convert("N", "m", &factor), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_convert("N", "parsec per fortnight", &factor), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_convert(NULL, "m", &factor), CAPSTAN_BAD_INPUT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_starts),
      cmocka_unit_test(a_drive_that_does_not_move_has_no_session),
      cmocka_unit_test(bad_calls),
      cmocka_unit_test(no_session_at_all),
      cmocka_unit_test(positions_do_not_jump),
      cmocka_unit_test(damaged_and_foreign_states),
      cmocka_unit_test(levels_are_events),
      cmocka_unit_test(reversals_and_slip_are_events),
      cmocka_unit_test(observers_are_called_and_end_a_step),
      cmocka_unit_test(a_stop_leaves_the_session_where_it_was),
      cmocka_unit_test(the_balance_closes),
      cmocka_unit_test(units_are_converted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
