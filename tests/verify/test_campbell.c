/* verify/test_campbell.c — what `campbell` puts out of a belt drive: curves, crossings, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/belt.h"
#include "../support/capture.h"
#include "drives/accessory/analyses/campbell.h"
#include "drives/accessory/belt/belt_modes.h"
#include "drives/registry.h"
#include "model/model.h"

#include <math.h>

#define RPM (M_PI / 30.0)

enum { NSPEED = 121, NORDER = 3, NMODE = 12 };

static void near_part(double found, double expected, double part)
{
  if (!(fabs(found - expected) <= part * fabs(expected)))
    fail_msg("%.8g instead of %.8g: off by %.2g", found, expected, found / expected - 1.0);
}

static cap_status run_on(const cap_belt *belt, const cap_campbell_spec *s, capture *c, cap_error *error)
{
  cap_model model = {.subject = {.type = &cap_belt_subject, .self = belt}};
  cap_run run = {.model = &model, .sink = &c->sink, .error = error};
  return cap_campbell_analysis.run(&run, s);
}

static double at(const capture *c, int row, int mode, const char *what)
{
  char name[64];
  snprintf(name, sizeof name, "mode.%d.%s", mode, what);
  return capture_at(c, row, name);
}

static cap_belt *drive(belt_case *c)
{
  cap_belt *b = belt_6pk1940(c);
  b->length0 /= 1.0 + 350.0 / b->EA;
  return b;
}

static cap_belt_modes modes_at(const cap_belt *b, double speed, int terms, bool held)
{
  cap_belt_statics s;
  cap_error error = {0};
  cap_belt_modes m;
  cap_belt_statics_case which = {.speed = speed};
  assert_int_equal(cap_belt_statics_solve(b, &which, &s, &error), CAP_OK);
  cap_belt_modes_case about = cap_belt_modes_about(b, &s, terms);
  about.held = held;
  assert_int_equal(cap_belt_modes_solve(&about, &m, &error), CAP_OK);
  return m;
}

static void fill_speeds(double *speeds)
{
  for (int k = 0; k < NSPEED; k++) speeds[k] = 50.0 * k * RPM;
}

/* Every crossing lies on a mode of the drive at that very speed, and there are as many as sign changes. */
static void test_crossings(void **state)
{
  (void)state;
  double speeds[NSPEED], orders[NORDER] = {2, 4, 6};
  belt_case d;
  cap_belt *b = drive(&d);
  cap_error error = {0};
  capture *c = capture_create();
  fill_speeds(speeds);
  cap_campbell_spec s = {.speeds = {NSPEED, speeds}, .orders = {NORDER, orders}, .terms = 8, .count = NMODE};
  assert_int_equal(run_on(b, &s, c, &error), CAP_OK);
  assert_true(c->closed);
  assert_int_equal(c->nrow, NSPEED);
  int n = c->count[0], expected = 0;
  for (int mode = 1; mode <= NMODE; mode++)
    for (int o = 0; o < NORDER; o++)
      for (int k = 1; k < NSPEED; k++) {
        double before = at(c, k - 1, mode, "frequency") - orders[o] * speeds[k - 1] / (2.0 * M_PI);
        expected += before > 0.0 && at(c, k, mode, "frequency") <= orders[o] * speeds[k] / (2.0 * M_PI);
      }
  assert_true(n > 10);
  assert_int_equal(n, expected);
  for (int k = 0; k < n; k++) {
    double speed = capture_value(c, "crossing.speed", k), f = capture_value(c, "crossing.frequency", k);
    near_part(f, capture_value(c, "crossing.order", k) * speed / (2.0 * M_PI), 1e-12);
    cap_belt_modes m = modes_at(b, speed, 8, true);
    double nearest = INFINITY;
    for (int j = 0; j < m.nmode; j++)
      if (fabs(m.frequency[j] - f) < fabs(nearest - f)) nearest = m.frequency[j];
    near_part(f, nearest, 3e-4);
    cap_belt_modes_free(&m);
  }
  free(c);
}

/* Modes of different spans cross; each keeps its number, so a mode of a span that does not end on the arm
 * stays one, and frequencies do not jump. Modes of the others veer (at 5000 rpm two come within 0.4 Hz of
 * each other) and may change their shares quickly. */
static void test_modes_keep_their_number(void **state)
{
  (void)state;
  static const char *const parts[] = {"pulleys",  "arm",     "span.CRK", "span.TEN",
                                      "span.ALT", "span.WP", "span.PS",  "span.AC"};
  double speeds[NSPEED];
  belt_case d;
  cap_belt *b = drive(&d);
  cap_error error = {0};
  capture *c = capture_create();
  fill_speeds(speeds);
  cap_campbell_spec s = {.speeds = {NSPEED, speeds}, .terms = 8, .count = NMODE, .crank = CAP_CAMPBELL_FREE};
  assert_int_equal(run_on(b, &s, c, &error), CAP_OK);
  cap_belt_modes m = modes_at(b, 0.0, 8, false);
  int swaps = 0;
  for (int mode = 1; mode <= NMODE; mode++) {
    near_part(at(c, 0, mode, "frequency"), m.frequency[mode - 1], 1e-12);
    for (int k = 0; k < NSPEED; k++) {
      double sum = 0.0;
      for (int p = 0; p < 8; p++) {
        sum += at(c, k, mode, parts[p]);
        bool alone = at(c, 0, mode, parts[p]) > 1.0 - 1e-9;
        assert_true(!alone || at(c, k, mode, parts[p]) > 1.0 - 1e-9);
      }
      near_part(sum, 1.0, 1e-9);
      if (k) near_part(at(c, k, mode, "frequency"), at(c, k - 1, mode, "frequency"), 0.015);
      assert_true(mode > 1 || at(c, k, 1, "frequency") == 0.0);
      if (mode < NMODE) swaps += at(c, k, mode, "frequency") > at(c, k, mode + 1, "frequency");
    }
  }
  assert_true(swaps > 0); /* else nothing was shown */
  cap_belt_modes_free(&m);
  free(c);
}

static void test_speed_that_cannot_be(void **state)
{
  (void)state;
  cap_belt_pulley pulleys[2] = {
      {.name = "a", .radius = 0.1, .side = CAP_BELT_GROOVE, .inertia = 0.02, .friction = 1.0},
      {.name = "b", .x = 0.5, .radius = 0.1, .side = CAP_BELT_GROOVE, .inertia = 0.02, .friction = 1.0}};
  double length = 1.0 + 0.2 * M_PI, speeds[2] = {100.0, 1000.0};
  cap_belt belt = {.EA = 1e5, .mass = 0.1, .npulley = 2, .pulleys = pulleys, .length0 = length / 1.004};
  cap_error error = {0};
  capture *c = capture_create();
  cap_campbell_spec s = {.speeds = {2, speeds}, .terms = 3, .count = NMODE};
  assert_int_equal(run_on(&belt, &s, c, &error), CAP_OK);
  assert_int_equal(c->nrow, 2);
  assert_true(at(c, 0, 1, "frequency") > 1.0);
  assert_true(isnan(at(c, 1, 1, "frequency")) && isnan(at(c, 1, 1, "span.a")));
  s.speeds = (cap_reals){1, speeds + 1};
  assert_int_equal(run_on(&belt, &s, c, &error), CAP_ERR_INPUT);
  assert_true(strlen(error.text) > 0);
  free(c);
}

static void test_no_belt(void **state)
{
  (void)state;
  cap_error error = {0};
  capture *c = capture_create();
  cap_campbell_spec s = {.terms = 3, .count = 4};
  assert_int_equal(run_on(NULL, &s, c, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "requires a belt that runs over pulleys"));
  free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossings),
      cmocka_unit_test(test_modes_keep_their_number),
      cmocka_unit_test(test_speed_that_cannot_be),
      cmocka_unit_test(test_no_belt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
