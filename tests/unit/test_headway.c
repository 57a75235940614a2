/* What is heard of a run between its rows: reports, and a run that is stuck says so, with the time and the
 * body. The clock is one of this test, so that what else the machine does counts for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step/headway.h"

#include <stdio.h>
#include <string.h>

typedef struct heard {
  int nreport, nnote;
  double done, total;
  char note[512];
} heard;

static void report(void *self, const char *what, double done, double total, const char *unit)
{
  heard *h = self;
  assert_string_equal(what, "transient");
  assert_string_equal(unit, "s");
  h->nreport++;
  h->done = done;
  h->total = total;
}

static void note(void *self, const char *text)
{
  heard *h = self;
  h->nnote++;
  snprintf(h->note, sizeof h->note, "%s", text);
}

static double seconds; /* that the clock shows */

static double clock_of_test(void)
{
  return seconds;
}

enum { STEPS = 60000 };
static const double SHARE = 1e-5; /* s that a step takes */

/* Steps of `step` from 2 s on for 0.6 s of the clock; the second body rattles, at a tenth of the speed of
 * the first. */
static heard go(double step, double patience)
{
  static const char *names[] = {"gear.position", "wheel.position"}, *units[] = {"m", "m"};
  heard h = {0};
  double pace[2] = {10.0, 0.0}, v[2] = {10.0, 0.0}, t = 2.0;
  cap_progress progress = {.report = report, .note = note, .self = &h};
  cap_headway headway;
  cap_model m = {.nlane = 1, .nv = 2, .dof_name = names, .dof_unit = units, .headway = &headway};
  cap_headway_begin(&headway, "transient", &progress, 2.0, 5.0, pace);
  headway.patience = patience;
  seconds = 100.0;
  cap_headway_go_by(&headway, clock_of_test);
  for (int k = 0; k < STEPS; k++) {
    v[1] = k % 3 ? 1.0 : -1.0;
    seconds += SHARE;
    cap_headway_step(&m, t, v);
    t += step;
  }
  return h;
}

static void says_where_it_is_stuck(void **state)
{
  (void)state;
  heard h = go(1e-15, 0.2);
  print_message("%s\n", h.note);
  assert_int_equal(h.nnote, 1); /* once, and then only after ten times as long */
  assert_non_null(strstr(h.note, "transient: warning: no headway at t = 2"));
  assert_non_null(strstr(h.note, "the velocity of wheel.position changes fastest"));
}

static void says_nothing_while_it_goes_on(void **state)
{
  (void)state;
  heard h = go(1e-9, 0.2);
  assert_int_equal(h.nnote, 0);
  assert_in_range(h.nreport, 3, 12); /* every 0.05 to 0.2 s of 0.6 s */
  assert_true(h.done > 0.0 && h.done < 5.0 && h.total == 5.0);
}

static void no_one_listens(void **state)
{
  (void)state;
  cap_model m = {.nlane = 1};
  cap_headway_step(&m, 0.0, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(says_where_it_is_stuck),
                                     cmocka_unit_test(says_nothing_while_it_goes_on),
                                     cmocka_unit_test(no_one_listens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
