/* Steps that do not depend on where advances end: what short advances cost, in evaluations, and that they
 * give the motion of one long one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"
#include "../support/systems.h"

/* The six-pulley drive on springs; with the speed of its crank as an input. */
static test_system open_drive(bool input)
{
  static char text[20000];
  test_read_example("accessory_drive", sizeof text, text);
  char *speed = strstr(text, "speed_over_time"), *end = speed ? strchr(speed, '\n') : NULL;
  assert_non_null(end);
  if (input) {
    static char other[20000];
    snprintf(other, sizeof other, "%.*sspeed: {input: speed, start: 2000 rpm}%s", (int)(speed - text), text,
             end);
    return test_system_open(other);
  }
  return test_system_open(text);
}

typedef enum setting { NEVER, ONCE, ALWAYS } setting;

/* What the input is: a line down by a tenth in 0.2 s. */
static void set_input(test_system *s, double start)
{
  const double speed = s->m->inputs[0].start, rate = -0.5 * speed;
  cap_input_set(s->d->input, 0, *s->d->t, speed + rate * (*s->d->t - start), rate);
}

/* Evaluations over `span` in advances of `every`; the state at the end goes to y. */
static double go(const cap_stepper_type *type, setting inputs, double span, double every, double *y)
{
  test_system s = open_drive(inputs != NEVER);
  const cap_stepper_settings settings = {.step = 5e-5, .tolerance = 1e-8, .audit = true, .carry = true};
  cap_stepper stepper;
  cap_error error = {0};
  if (!type) type = cap_stepper_mover(s.m);
  if (cap_stepper_create(type, s.m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  const double start = *s.d->t;
  const int n = (int)(span / every + 0.5);
  for (int k = 1; k <= n; k++) {
    if (inputs == ALWAYS || (inputs == ONCE && k == 1)) set_input(&s, start);
    test_advance(&s, &stepper, k == n ? start + span : start + k * every, NULL);
  }
  const double count = (double)s.d->steps[CAP_STEPS_EVALUATIONS];
  assert_true(test_balance(&s, NULL) < 1e-6);
  if (y) memcpy(y, s.d->y, sizeof(double) * (size_t)s.m->nstate);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return count;
}

static void short_advances_cost_little(void **state)
{
  (void)state;
  for (int inputs = NEVER; inputs <= ONCE; inputs++) {
    const double whole = go(NULL, inputs, 0.1, 0.1, NULL), ms = go(NULL, inputs, 0.1, 1e-3, NULL),
                 tenth = go(NULL, inputs, 0.1, 1e-4, NULL);
    print_message("  one go %.0f evaluations; 1 ms %.3f times as many, 0.1 ms %.3f\n", whole, ms / whole,
                  tenth / whole);
    assert_true(ms <= 1.3 * whole);
    assert_true(tenth <= 2.0 * whole);
  }
}

/* Whoever sets inputs before each advance has the forces evaluated anew, and steps that end there. */
static void inputs_at_each_advance(void **state)
{
  (void)state;
  const double whole = go(NULL, ONCE, 0.1, 0.1, NULL), ms = go(NULL, ALWAYS, 0.1, 1e-3, NULL),
               tenth = go(NULL, ALWAYS, 0.1, 1e-4, NULL);
  print_message("  1 ms %.3f times one go, 0.1 ms %.3f\n", ms / whole, tenth / whole);
  assert_true(ms <= 1.3 * whole);
  assert_true(tenth <= 2.5 * whole);
}

/* Of every method that carries: the motion is that of one go, within what its steps are wrong by. */
static void short_advances_give_the_same_motion(void **state)
{
  (void)state;
  const struct {
    const cap_stepper_type *type;
    double within;
  } methods[] = {{&cap_rk5_type, 1e-6},
                 {&cap_radau_type, 1e-6},
                 {&cap_extrapolate_type, 1e-6},
                 {&cap_theta_midpoint_type, 1e-4}};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    test_system s = open_drive(false);
    double *a = calloc((size_t)s.m->nstate * 2, sizeof(double)), *b = a + s.m->nstate;
    assert_non_null(a);
    const double whole = go(methods[k].type, NEVER, 0.05, 0.05, a);
    const double parts = go(methods[k].type, NEVER, 0.05, 2.7e-4, b);
    const double apart = test_distance(s.m, a, b);
    print_message("  %-13s %.1e apart, %.2f times the evaluations\n", methods[k].type->name, apart,
                  parts / whole);
    assert_true(apart <= methods[k].within);
    free(a);
    test_system_close(&s);
  }
}

/* The error of varied steps follows the tolerance: that of the midpoint rule by its power 2/3. */
static void errors_follow_the_tolerance(void **state)
{
  (void)state;
  const struct {
    const cap_stepper_type *type;
    double from, most; /* the coarsest tolerance; error over tolerance */
    double power;
  } methods[] = {{&cap_rk5_type, 1e-5, 200.0, 0.7}, {&cap_theta_midpoint_type, 1e-4, 2000.0, 0.45}};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    test_system r = test_system_open(test_systems_smooth);
    test_run(&r, &cap_extrapolate_type, 0.0, 3.0);
    double first = 0.0, last = 0.0;
    for (int i = 0; i < 3; i++) {
      test_system s = test_system_open(test_systems_smooth);
      const double tolerance = methods[k].from * pow(0.01, i);
      const cap_stepper_settings settings = {.tolerance = tolerance, .carry = true};
      cap_stepper stepper;
      cap_error error = {0};
      if (cap_stepper_create(methods[k].type, s.m, &settings, &stepper, &error) != CAP_OK)
        fail_msg("%s", error.text);
      test_advance(&s, &stepper, 3.0, NULL);
      last = test_distance(s.m, s.d->y, r.d->y);
      if (i == 0) first = last;
      print_message("  %-10s %.0e: %.1e\n", methods[k].type->name, tolerance, last);
      assert_true(last <= methods[k].most * tolerance);
      cap_stepper_free(&stepper);
      test_system_close(&s);
    }
    assert_true(log(first / last) / log(1e4) >= methods[k].power);
    test_system_close(&r);
  }
}

/* Data that someone has moved, and inputs that he has set, are not gone over with what was carried. */
static void moved_data_start_anew(void **state)
{
  (void)state;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    test_system s = test_system_open(test_systems_smooth), other = test_system_open(test_systems_smooth);
    const cap_stepper_settings settings = {.step = 1e-4, .tolerance = 1e-8, .audit = true, .carry = true};
    cap_stepper used, fresh;
    if (cap_stepper_create(type, s.m, &settings, &used, NULL) == CAP_OK &&
        cap_stepper_create(type, other.m, &settings, &fresh, NULL) == CAP_OK) {
      test_advance(&s, &used, 0.05, NULL);
      s.d->q[0] += 1e-3;
      cap_data_copy(s.m, other.d, s.d);
      test_advance(&s, &used, 0.08, NULL);
      test_advance(&other, &fresh, 0.08, NULL);
      if (memcmp(s.d->y, other.d->y, sizeof(double) * (size_t)s.m->nstate) != 0)
        fail_msg("%s goes on as if nobody had moved the data", type->name);
      cap_stepper_free(&fresh);
      cap_stepper_free(&used);
    }
    test_system_close(&s);
    test_system_close(&other);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_advances_cost_little),
      cmocka_unit_test(inputs_at_each_advance),
      cmocka_unit_test(short_advances_give_the_same_motion),
      cmocka_unit_test(errors_follow_the_tolerance),
      cmocka_unit_test(moved_data_start_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
