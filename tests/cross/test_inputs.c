/* Inputs move a system as the tables over time do that they stand for: of every drive whose keys take
 * inputs, by every stepper that can move it. Where a drive has no table for a key, an input that is held
 * moves it as a model with that constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/feed.h"

enum { TRACKS = 4, TIMES = 4 };

/* An input over time; n = 0 ends a list. */
typedef struct track {
  const char *name;
  int n;
  double t[TIMES], value[TIMES];
  bool held;
} track;

static int slot_of(const cap_model *m, const char *name)
{
  for (int k = 0; k < m->ninput; k++)
    if (strcmp(m->inputs[k].name, name) == 0) return k;
  fail_msg("no input %s", name);
  return -1;
}

static cap_feed feed_of(const cap_model *m, const track *list, cap_feed_track out[TRACKS])
{
  int n = 0;
  for (; list[n].n; n++)
    out[n] = (cap_feed_track){slot_of(m, list[n].name), list[n].held, list[n].n, list[n].t, list[n].value};
  assert_int_equal(n, m->ninput);
  return (cap_feed){n, out};
}

/* To t by way of all times of the feed, which sets the inputs of `s` where it has any. */
static void go(test_system *s, cap_stepper *stepper, const cap_feed *feed, double t)
{
  while (*s->d->t < t) {
    if (s->m->ninput) cap_feed_go(feed, s->m, s->d, *s->d->t == s->m->t0);
    double next = fmin(t, cap_feed_next(feed, *s->d->t));
    test_advance(s, stepper, next, NULL);
  }
}

/* Of driven and free coordinates, velocities and inner states. */
static double gap_of(const test_system *a, const test_system *b)
{
  return test_distance(a->m, a->d->y, b->d->y);
}

/* Rounding decides where an adaptive method steps, so its motions differ by what its tolerance allows. */
static double allowed(const cap_stepper_type *type)
{
  return type->fixed ? 1e-9 : 1e-6;
}

/* `table` and `input` are model files of the same system: by all steppers that take both, their motions are
 * the same at t. */
static void same_motion(const char *what, const char *table, const char *input, const track *list,
                        double step, double t)
{
  int count = 0;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    test_system a = test_system_open(table), b = test_system_open(input);
    cap_feed_track tracks[TRACKS];
    cap_feed feed = feed_of(b.m, list, tracks);
    assert_int_equal(a.m->ninput, 0);
    assert_int_equal(a.m->nstate, b.m->nstate);
    if (!cap_stepper_obstacle(type, a.m) && !cap_stepper_obstacle(type, b.m)) {
      cap_stepper one = test_stepper(&a, type, step, 1e-10, true),
                  two = test_stepper(&b, type, step, 1e-10, true);
      go(&a, &one, &feed, t);
      go(&b, &two, &feed, t);
      double gap = gap_of(&a, &b);
      print_message("  %s, %s: within %.1e\n", what, type->name, gap);
      if (!(gap <= allowed(type))) fail_msg("%s: %s: %.2e apart", what, type->name, gap);
      count++;
      cap_stepper_free(&one);
      cap_stepper_free(&two);
    }
    test_system_close(&a);
    test_system_close(&b);
  }
  assert_true(count > 0);
}

/* ---- tables over time ---------------------------------------------------------------------------------- */

#define TWO_PULLEYS(crank_, load_)                                                                           \
  "capstan: 2\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1.193805208364 m, length_type: pitch, stiffness: 7600 N, mass: 0.87 kg/m, "    \
  "friction: {groove: 0.5}}\n"                                                                               \
  "pulleys:\n"                                                                                               \
  "  - {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_type: pitch, inertia: 0.25 kg m2}\n"         \
  "  - name: driven\n    at: [0.314159265359 m, 0 m]\n    diameter: 0.2 m\n    diameter_type: pitch\n"       \
  "    inertia: 0.25 kg m2\n"                                                                                \
  "    load: {torque_vs_speed: [[0 rad/s, 25 N m], [100 rad/s, 225 N m]], torque_over_time: " load_ "}\n"    \
  "crank: {pulley: driver, " crank_ "}\n"                                                                    \
  "analyses: [{transient: {until: 1 s}}]\n"

static void of_an_accessory_drive(void **state)
{
  (void)state;
  const track list[] = {{"crank", 3, {0.0, 0.1, 0.3}, {12.0, 12.0, 15.0}, false},
                        {"pump", 3, {0.0, 0.15, 0.25}, {0.0, 0.0, 10.0}, false},
                        {0}};
  same_motion("accessory drive, speed and torque",
              TWO_PULLEYS("speed_over_time: [[0 s, 12 rad/s], [0.1 s, 12 rad/s], [0.3 s, 15 rad/s]]",
                          "[[0.15 s, 0 N m], [0.25 s, 10 N m]]"),
              TWO_PULLEYS("speed: {input: crank, start: 12 rad/s}", "{input: pump, start: 0 N m}"), list,
              1e-3, 0.3);
}

#define VARIATOR(primary_, secondary_)                                                                       \
  "capstan: 2\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 30}\n"                            \
  "primary: {" primary_ "}\nsecondary: {" secondary_ "}\nanalyses: [{transient: {until: 1 ms}}]\n"
#define VARIATOR_STEP 2e-7

static void of_a_variator_loads(void **state)
{
  (void)state;
  const track list[] = {{"engine", 3, {0.0, 0.5e-4, 1.5e-4}, {200.0, 210.0, 205.0}, false},
                        {"ratio", 2, {0.0, 1.5e-4}, {1.3, 1.4}, false},
                        {"brake", 3, {0.0, 1e-4, 1.5e-4}, {-40.0, -48.0, -44.0}, false},
                        {"clamp", 3, {0.0, 1e-4, 1.5e-4}, {6400.0, 7000.0, 6800.0}, false},
                        {0}};
  same_motion("variator, speed, torque, clamping and thrust ratio",
              VARIATOR("speed_path: [[0 s, 200 rad/s], [0.05 ms, 210 rad/s], [0.15 ms, 205 rad/s]], "
                       "thrust_ratio_path: [[0 s, 1.3], [0.15 ms, 1.4]]",
                       "torque_path: [[0 s, -40 N m], [0.1 ms, -48 N m], [0.15 ms, -44 N m]], "
                       "clamping_path: [[0 s, 6.4 kN], [0.1 ms, 7 kN], [0.15 ms, 6.8 kN]]"),
              VARIATOR("speed: {input: engine, start: 200 rad/s}, thrust_ratio: {input: ratio, start: 1.3}",
                       "torque: {input: brake, start: -40 N m}, clamping: {input: clamp, start: 6.4 kN}"),
              list, VARIATOR_STEP, 1.5e-4);
}

static void of_a_variator_controlled(void **state)
{
  (void)state;
  const track list[] = {{"wanted", 3, {0.0, 1e-4, 1.5e-4}, {1.0, 1.0, 1.1}, false}, {0}};
  same_motion(
      "variator, set point",
      VARIATOR("speed: 200 rad/s, control: {speed_ratio_path: [[0 s, 1], [0.1 ms, 1], [0.15 ms, 1.1]]}",
               "torque: -40 N m, clamping: 6.4 kN"),
      VARIATOR("speed: 200 rad/s, control: {speed_ratio: {input: wanted, start: 1}}",
               "torque: -40 N m, clamping: 6.4 kN"),
      list, VARIATOR_STEP, 1.5e-4);
}

/* Its table is a spline: straight between two points. */
static void of_a_variator_moved(void **state)
{
  (void)state;
  const track list[] = {{"travel", 2, {0.0, 1.5e-4}, {0.0, 3e-6}, false}, {0}};
  same_motion("variator, axial travel",
              VARIATOR("speed: 200 rad/s, axial_travel_path: [[0 s, 0 mm], [0.15 ms, 3 um]]",
                       "torque: -40 N m, clamping: 6.4 kN"),
              VARIATOR("speed: 200 rad/s, axial_travel_path: {input: travel, start: 0 mm}",
                       "torque: -40 N m, clamping: 6.4 kN"),
              list, VARIATOR_STEP, 1.5e-4);
}

#define TESTER(press_)                                                                                       \
  "capstan: 2\nname: t\ndrive: push-force-tester\nelements: {simulated: 6, real: 20}\n"                      \
  "contact: {edge: {stiffness: 5 MN, transition: 4e-4, nonlinearity: 7500}}\n"                               \
  "ring: {prestress: 1 kN}\npress: {" press_ "}\nanalyses: [{quasistatic: {until: 1 ms}}]\n"

static void of_a_push_force_tester(void **state)
{
  (void)state;
  const track list[] = {{"press", 2, {0.0, 1e-3}, {0.0, 1e-3}, false}, {0}};
  same_motion("Push-Force-Tester, compression", TESTER("path: [[0 s, 0], [1 ms, 1e-3]]"),
              TESTER("path: {input: press, start: 0}"), list, 5e-8, 5e-5);
}

/* ---- constants that are held --------------------------------------------------------------------------- */

/* From t = 0 `before`, then, from t / 2 on, `after`, each a model with constants; against `input`, which is
 * held at the values of both. */
static void same_switch(const char *what, const char *before, const char *after, const char *input,
                        const track *list, double step, double t)
{
  int count = 0;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    test_system a = test_system_open(before), b = test_system_open(after), c = test_system_open(input);
    cap_feed_track tracks[TRACKS];
    cap_feed feed = feed_of(c.m, list, tracks);
    if (!cap_stepper_obstacle(type, a.m) && !cap_stepper_obstacle(type, c.m)) {
      cap_stepper stepper[3] = {test_stepper(&a, type, step, 1e-10, true),
                                test_stepper(&b, type, step, 1e-10, true),
                                test_stepper(&c, type, step, 1e-10, true)};
      test_advance(&a, &stepper[0], 0.5 * t, NULL);
      *b.d->t = *a.d->t;
      memcpy(b.d->y, a.d->y, sizeof(double) * (size_t)a.m->nstate);
      memcpy(b.d->regime, a.d->regime, sizeof(int64_t) * (size_t)a.m->nslider);
      test_advance(&b, &stepper[1], t, NULL);
      go(&c, &stepper[2], &feed, t);
      double gap = gap_of(&b, &c);
      print_message("  %s, %s: within %.1e\n", what, type->name, gap);
      if (!(gap <= allowed(type))) fail_msg("%s: %s: %.2e apart", what, type->name, gap);
      count++;
      for (int i = 0; i < 3; i++) cap_stepper_free(&stepper[i]);
    }
    test_system_close(&a);
    test_system_close(&b);
    test_system_close(&c);
  }
  assert_true(count > 0);
}

#define SHEAVE(force_)                                                                                       \
  "capstan: 2\nname: t\ndrive: sheave\n"                                                                     \
  "pulley: {speed: 2000 rpm}\n"                                                                              \
  "belt: {elements: 30, wrap_angle: 180 deg, radius: {radius: 60 mm}}\n"                                     \
  "compliance: {kind: tilt, movable: {tilt: 9e-7 rad/(N m)}, fixed: {tilt: 5e-7 rad/(N m)}}\n"               \
  "clamping: {force: " force_ ", amplitude: 100 N, angular_frequency: 1000 rad/s}\n"                         \
  "initial: {axial_travel: 0.02 mm}\n"                                                                       \
  "analyses: [{transient: {until: 1 ms}}]\n"

static void of_a_sheave(void **state)
{
  (void)state;
  const track list[] = {{"clamp", 2, {0.0, 5e-4}, {3000.0, 4000.0}, true}, {0}};
  same_switch("sheave, clamping", SHEAVE("3 kN"), SHEAVE("4 kN"), SHEAVE("{input: clamp, start: 3 kN}"), list,
              1e-6, 1e-3);
}

#define RING(torque_, clamping_)                                                                             \
  "capstan: 2\nname: t\ndrive: ring\n"                                                                       \
  "ring:\n  model: rcm\n  nodes: 30\n  free_length: 627 mm\n"                                                \
  "  section: {thickness: 0.185 mm, width: 9.75 mm, modulus: 1.8e11 N/m2, density: 8000 kg/m3}\n"            \
  "  damping: 1e-7 s\n"                                                                                      \
  "centre_distance: 155 mm\nstart: {speed: 6.2832 m/s}\n"                                                    \
  "pulleys:\n  secondary: {radius: 40 mm, inertia: 0.002 kg m2, torque: " torque_ "}\n"                      \
  "  primary: {radius: 60 mm, speed: 1000 rpm}\n  friction: 0.1\n  regularisation_velocity: 0.05 m/s\n"      \
  "  damping: 0.1 s/m\n  clamping: " clamping_ "\n  sliding_damping: 3 kN s/m\n"                             \
  "analyses: [{transient: {until: 1 ms}}]\n"

static void of_a_ring(void **state)
{
  (void)state;
  const track list[] = {{"brake", 2, {0.0, 5e-5}, {-10.0, -14.0}, true},
                        {"clamp", 2, {0.0, 5e-5}, {4000.0, 4500.0}, true},
                        {0}};
  same_switch("ring, torque and clamping", RING("-10 N m", "4 kN"), RING("-14 N m", "4.5 kN"),
              RING("{input: brake, start: -10 N m}", "{input: clamp, start: 4 kN}"), list, 2e-7, 1e-4);
}

#define BLOCK(force_, torque_)                                                                               \
  "capstan: 2\nname: t\ndrive: bodies\ngravity: 9.81 m/s2\n"                                                 \
  "bodies:\n  - block: {name: box, mass: 1 kg, width: 0.2 m, height: 0.1 m, x: 0 m, y: 0.05 m}\n"            \
  "lines:\n  - line: {name: floor}\n"                                                                        \
  "contact: {law: regularised, stiffness: 1e5 N/m, damping: 200 N s/m, friction: 0.2, "                      \
  "regularisation_velocity: 10 mm/s}\n"                                                                      \
  "loads:\n  - force: {name: push, on: box, mean: " force_ ", direction: 30 deg}\n"                          \
  "  - torque: {name: turn, on: box, mean: " torque_ "}\n"                                                   \
  "analyses: [{transient: {until: 0.1 s}}]\n"

static void of_bodies(void **state)
{
  (void)state;
  const track list[] = {
      {"push", 2, {0.0, 0.01}, {4.0, 6.0}, true}, {"turn", 2, {0.0, 0.01}, {0.1, -0.1}, true}, {0}};
  same_switch("bodies, force and torque", BLOCK("4 N", "0.1 N m"), BLOCK("6 N", "-0.1 N m"),
              BLOCK("{input: push, start: 4 N}", "{input: turn, start: 0.1 N m}"), list, 1e-5, 0.02);
}

/* ---- speeds -------------------------------------------------------------------------------------------- */

#define CRANK                                                                                                \
  "capstan: 2\nname: t\ndrive: bodies\npairs: listed\n"                                                      \
  "bodies:\n"                                                                                                \
  "  - block: {name: crank, mass: 0.3 kg, width: 0.1 m, height: 15 mm, x: 0 m, y: 0 m, angle: 30 deg, "      \
  "motion: prescribed, speed: {input: engine, start: 100 rad/s}}\n"                                          \
  "  - point: {name: mass, mass: 1 kg, x: 1 m, y: 0 m}\n"                                                    \
  "springs: [{from: mass, stiffness: 100 N/m}]\n"                                                            \
  "analyses: [{transient: {until: 1 s}}]\n"

/* The angle is the integral of the speed. */
static void a_crank_turns_with_its_speed(void **state)
{
  (void)state;
  const track list[] = {{"engine", 3, {0.0, 0.1, 0.3}, {100.0, 100.0, 150.0}, false}, {0}};
  test_system s = test_system_open(CRANK);
  cap_feed_track tracks[TRACKS];
  cap_feed feed = feed_of(s.m, list, tracks);
  cap_stepper stepper = test_stepper(&s, cap_stepper_best(s.m), 1e-3, 1e-10, true);
  double start = M_PI / 6.0;
  assert_true(fabs(s.d->q[2] - start) < 1e-15 && s.d->v[2] == 100.0);
  go(&s, &stepper, &feed, 0.2);
  assert_true(fabs(s.d->q[2] - (start + 10.0 + 11.25)) < 1e-12 && fabs(s.d->v[2] - 125.0) < 1e-12);
  go(&s, &stepper, &feed, 0.3);
  assert_true(fabs(s.d->q[2] - (start + 10.0 + 25.0)) < 1e-12 && fabs(s.d->v[2] - 150.0) < 1e-12);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* ---- feeds --------------------------------------------------------------------------------------------- */

static void a_feed_goes_from_time_to_time(void **state)
{
  (void)state;
  const double t[] = {0.0, 1.0, 3.0}, value[] = {2.0, 4.0, -4.0}, late[] = {0.5, 2.0};
  const cap_feed_track linear = {0, false, 3, t, value}, held = {1, true, 2, late, value};
  const cap_feed feed = {2, (const cap_feed_track[]){linear, held}};
  assert_true(cap_feed_value(&linear, 0.5) == 3.0 && cap_feed_value(&linear, 1.0) == 4.0);
  assert_true(cap_feed_value(&linear, 2.0) == 0.0);
  assert_true(cap_feed_value(&linear, -1.0) == 2.0 && cap_feed_value(&linear, 9.0) == -4.0);
  assert_true(cap_feed_value(&held, 1.9) == 2.0 && cap_feed_value(&held, 2.0) == 4.0);
  assert_true(cap_feed_next(&feed, -1.0) == 0.0 && cap_feed_next(&feed, 0.0) == 0.5);
  assert_true(cap_feed_next(&feed, 1.0) == 2.0 && isinf(cap_feed_next(&feed, 3.0)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_feed_goes_from_time_to_time),
                                     cmocka_unit_test(of_an_accessory_drive),
                                     cmocka_unit_test(of_a_variator_loads),
                                     cmocka_unit_test(of_a_variator_controlled),
                                     cmocka_unit_test(of_a_variator_moved),
                                     cmocka_unit_test(of_a_push_force_tester),
                                     cmocka_unit_test(of_a_sheave),
                                     cmocka_unit_test(of_a_ring),
                                     cmocka_unit_test(of_bodies),
                                     cmocka_unit_test(a_crank_turns_with_its_speed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
