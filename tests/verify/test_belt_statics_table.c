/* verify/test_belt_statics_table.c — what `statics` puts out of a belt drive: table and arm positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/belt.h"
#include "../support/capture.h"
#include "drives/accessory/analyses/statics_belt.h"
#include "model/model.h"

#include <math.h>

#define RPM (M_PI / 30.0)

static void check_near(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%.12g is not %.12g", found, expected);
}

typedef struct notes {
  int n;
  char all[20000];
} notes;

static void keep(void *self, const char *text)
{
  notes *k = self;
  size_t used = strlen(k->all);
  snprintf(k->all + used, sizeof k->all - used, "%s\n", text);
  k->n++;
}

static cap_status run_on(const cap_belt *belt, const cap_statics_belt_spec *s, capture *c, notes *told,
                         cap_error *error)
{
  cap_model model = {.subject = {.type = &cap_belt_subject, .self = belt}};
  cap_progress progress = {.note = keep, .self = told};
  cap_run run = {.model = &model, .sink = &c->sink, .progress = &progress, .error = error};
  return cap_statics_belt_run(&run, s);
}

static const double load_speed[2] = {0.0, 1000.0}, load_torque[2] = {5.0, 5.0};

static cap_belt *loaded_drive(belt_case *c)
{
  cap_belt *b = belt_6pk1940(c);
  b->length0 /= 1.0 + 350.0 / b->EA;
  c->pulleys[BELT_ALT].load = (cap_belt_load){2, load_speed, load_torque};
  return b;
}

static void test_rows_and_positions(void **state)
{
  (void)state;
  double speeds[3] = {0.0, 2000 * RPM, 6000 * RPM};
  cap_statics_belt_spec s = {.speeds = {3, speeds}, .length_tolerance = 5e-3, .replace = 15e-3};
  belt_case d;
  cap_belt *b = loaded_drive(&d);
  b->arm.friction = 3.0;
  capture *c = capture_create();
  notes told = {0};
  cap_error error = {0};
  assert_int_equal(run_on(b, &s, c, &told, &error), CAP_OK);
  assert_true(c->closed);
  assert_int_equal(c->nrow, 3);
  for (int k = 0; k < 3; k++) {
    cap_belt_statics one;
    cap_belt_statics_case which = {.speed = speeds[k]};
    assert_int_equal(cap_belt_statics_solve(b, &which, &one, &error), CAP_OK);
    check_near(capture_at(c, k, "speed"), speeds[k], 0.0);
    check_near(capture_at(c, k, "span.ALT.tension"), one.spans[BELT_ALT].tension, 0.0);
    check_near(capture_at(c, k, "pulley.AC.hub_y"), one.pulleys[BELT_AC].hub_y, 0.0);
    check_near(capture_at(c, k, "pulley.ALT.torque"), 5.0, 1e-9);
    check_near(capture_at(c, k, "arm.angle"), one.angle, 0.0);
    check_near(capture_at(c, k, "position.nominal.angle"), one.angle, 0.0);
    assert_true(isnan(capture_at(c, k, "pulley.TEN.safety")));
    /* friction with the spring: further out and tighter */
    double t = one.spans[BELT_TEN].effective;
    assert_true(capture_at(c, k, "arm.lowest.tension") < t && capture_at(c, k, "arm.highest.tension") > t);
    assert_true(capture_at(c, k, "arm.lowest.angle") > one.angle);
    assert_true(capture_at(c, k, "position.longest.angle") < one.angle);
    assert_true(capture_at(c, k, "position.replace.angle") < capture_at(c, k, "position.longest.angle"));
    assert_true(capture_at(c, k, "position.shortest.tension") > t);
  }
  /* free (at its stop), replace, longest, nominal, shortest, low stop, high stop */
  check_near(capture_value(c, "position.angle", 0), 225 * BELT_DEG, 1e-12);
  check_near(capture_value(c, "position.angle", 3), 253.101 * BELT_DEG, 1e-5);
  check_near(capture_value(c, "position.tension", 3), 350.0, 0.05);
  check_near(capture_value(c, "position.path", 3), 1.940, 1e-6);
  check_near(capture_value(c, "position.length", 2) - capture_value(c, "position.length", 3), 5e-3, 1e-10);
  check_near(capture_value(c, "position.length", 1) - capture_value(c, "position.length", 4), 20e-3, 1e-10);
  check_near(capture_value(c, "position.angle", 6), 285 * BELT_DEG, 1e-12);
  assert_non_null(strstr(told.all, "6000 rpm"));
  free(c);
}

/* A speed at which the drive cannot run leaves NaN; with no other speed the analysis fails. */
static void test_speed_that_cannot_be(void **state)
{
  (void)state;
  double speeds[2] = {1000 * RPM, 9000 * RPM};
  cap_statics_belt_spec s = {.speeds = {2, speeds}, .arm = CAP_BELT_STATICS_LOCKED};
  belt_case d;
  cap_belt *b = loaded_drive(&d);
  capture *c = capture_create();
  notes told = {0};
  cap_error error = {0};
  assert_int_equal(run_on(b, &s, c, &told, &error), CAP_OK);
  assert_int_equal(c->nrow, 2);
  assert_true(isfinite(capture_at(c, 0, "span.CRK.tension")));
  assert_true(isnan(capture_at(c, 1, "span.CRK.tension")));
  assert_non_null(strstr(told.all, "slack"));
  free(c);
  c = capture_create();
  s.speeds = (cap_reals){1, &speeds[1]};
  assert_int_equal(run_on(b, &s, c, &told, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "9000 rpm"));
  assert_int_equal(c->nrow, 0);
  free(c);
}

static void test_gross_slip_is_told(void **state)
{
  (void)state;
  double speed = 2000 * RPM;
  cap_statics_belt_spec s = {.speeds = {1, &speed}, .arm = CAP_BELT_STATICS_NOMINAL};
  belt_case d;
  cap_belt *b = loaded_drive(&d);
  d.pulleys[BELT_ALT].friction = 0.1;
  capture *c = capture_create();
  notes told = {0};
  cap_error error = {0};
  assert_int_equal(run_on(b, &s, c, &told, &error), CAP_OK);
  assert_true(capture_at(c, 0, "pulley.ALT.safety") < 1.0);
  assert_non_null(strstr(told.all, "the belt slips on ALT"));
  free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_and_positions),
      cmocka_unit_test(test_speed_that_cannot_be),
      cmocka_unit_test(test_gross_slip_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
