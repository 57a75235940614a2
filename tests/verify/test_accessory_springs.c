/* The accessory drive with its spans as springs: modes, forced response, creep, energy, against closed forms
 * and the values that the six-pulley 6PK1940 drive is known to have.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"
#include "../support/tangents.h"
#include "drives/accessory/belt/belt.h"

#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"

#include <stdio.h>

#define BELT "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\n"
#define DRIVE(alternator, pump, steering, compressor)                                                        \
  "capstan: 1\nname: t\ndrive: accessory-drive\n" BELT "pulleys:\n"                                          \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2" alternator "}\n"         \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2" pump "}\n"   \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2" steering "}\n"      \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2" compressor "}\n"        \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: 0.5 N m s/rad}\n"                                                         \
  "analyses: [{modes: {}}]\n"
#define IDLE DRIVE("", "", "", "")
#define LOADED                                                                                               \
  DRIVE(", load: {power: 2.2 kW}", ", load: {power: 0.25 kW}", ", load: {power: 0.6 kW}",                    \
        ", load: {power: 2.5 kW}")
#define AT_REST "crank: {speed: 1e-6 rpm, held: false}\n"
#define AT_2000 "crank: {speed: 2000 rpm}\n"

enum { PULLEYS = 6, COORDS = 7, CRANK = 0, ALTERNATOR = 2, ARM = 6 };
static const char *const names[PULLEYS] = {"crank",      "tensioner",     "alternator",
                                           "water_pump", "steering_pump", "compressor"};

static double tension(const test_system *s, int k)
{
  char name[64];
  snprintf(name, sizeof name, "span.%s.tension", names[k]);
  return test_value(s, name);
}

static double speed(const test_system *s, int k)
{
  char name[64];
  snprintf(name, sizeof name, "pulley.%s.speed", names[k]);
  return test_value(s, name);
}

/* The state moved by `step` along the coordinates `dq`, fast: the belt that the rotations feed goes along. */
static void move(test_system *s, double step, const double *dq)
{
  for (int b = 0; b < s->m->nbatch; b++) {
    const cap_batch *batch = &s->m->batches[b];
    for (int k = 0; batch->type->follow && k < batch->n; k++) {
      double dx[2];
      batch->type->follow(batch, k, 0, 1, dq, dx);
      for (int i = 0; i < 2; i++) s->d->x[batch->x_adr + 2 * k + i] += step * dx[i];
    }
  }
  for (int i = 0; i < COORDS; i++) s->d->q[i] += step * dq[i];
}

/* Natural frequencies in Hz and the matrices of all seven coordinates. */
static void modes_of(const test_system *s, double *K, double *frequency)
{
  double C[COORDS * COORDS], M[COORDS * COORDS] = {0}, vectors[COORDS * COORDS], copy[COORDS * COORDS];
  cap_error error = {0};
  assert_int_equal(cap_equilibrium_stiffness(s->m, s->d, false, K, C, &error), COORDS);
  memcpy(copy, K, sizeof copy);
  for (int i = 0; i < COORDS; i++) M[i * (COORDS + 1)] = s->m->mass[i];
  assert_int_equal(capm_eigen_symmetric(COORDS, copy, M, frequency, vectors), CAP_OK);
  for (int i = 0; i < COORDS; i++) frequency[i] = sqrt(fmax(frequency[i], 0.0)) / (2.0 * M_PI);
}

/* Without tension the arm has no geometric stiffness, and the springs are EA/L: the tabulated frequencies.
 * With 350 N the first mode rises by the geometric stiffness to 28.0 Hz and the others by the stretch of
 * 0.29 % (the springs are EA over the unstretched length). */
static void rotational_modes(void **state)
{
  (void)state;
  const double known[COORDS] = {0.0, 27.556, 127.52, 145.31, 229.69, 410.83, 496.15};
  const char *settings[] = {"tensioner.tension=0.1 N", "belt.measured_at=0.1 N"};
  double K[COORDS * COORDS], without[COORDS], with[COORDS];
  test_system s = test_system_with(IDLE AT_REST, 2, settings);
  modes_of(&s, K, without);
  test_system_close(&s);
  s = test_system_open(IDLE AT_REST);
  modes_of(&s, K, with);
  assert_true(without[0] < 1e-3 && with[0] < 1e-3); /* the rigid mode */
  for (int k = 1; k < COORDS; k++) {
    print_message("  mode %d: %.3f Hz without tension (known %.2f), %.3f Hz with 350 N\n", k, without[k],
                  known[k], with[k]);
    assert_true(fabs(without[k] / known[k] - 1.0) < 1e-4);
  }
  assert_true(fabs(with[1] - 28.065) < 0.01);
  for (int k = 4; k < COORDS; k++) assert_true(fabs(with[k] / without[k] - 1.00146) < 1e-4);
  for (int i = 0; i < COORDS; i++)
    for (int j = 0; j < i; j++) assert_true(fabs(K[i * COORDS + j] - K[j * COORDS + i]) < 1e-6);
  test_system_close(&s);
}

/* The crank shakes by 1 degree at 20 Hz, nothing is damped. */
static void forced_response(void **state)
{
  (void)state;
  const char *settings[] = {"tensioner.tension=0.1 N", "belt.measured_at=0.1 N", "belt.damping=0 s"};
  const double known[PULLEYS] = {-6.81, -11.82, -206.65, -220.02, -230.07, -258.02}, degree = M_PI / 180.0;
  double K[COORDS * COORDS], frequency[COORDS], a[36], q[COORDS] = {degree}, square = 1600.0 * M_PI * M_PI;
  int pivot[6];
  test_system s = test_system_with(IDLE AT_REST, 3, settings);
  modes_of(&s, K, frequency);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++)
      a[i * 6 + j] = K[(i + 1) * COORDS + j + 1] - (i == j ? square * s.m->mass[i + 1] : 0.0);
    q[i + 1] = -K[(i + 1) * COORDS + CRANK] * degree;
  }
  assert_int_equal(capm_lu_factor(6, a, pivot), 0);
  capm_lu_solve(6, a, pivot, q + 1);
  print_message("  alternator %.4f deg, arm %.4f deg\n", q[ALTERNATOR] / degree, q[ARM] / degree);
  assert_true(fabs(fabs(q[ALTERNATOR] / degree) - 6.880) < 2e-3);
  assert_true(fabs(fabs(q[ARM] / degree) - 1.432) < 1e-3);
  /* the tensions rise by the derivative of the channels along q; raised so that no span is slack */
  for (int k = 0; k < s.m->nx; k++) s.d->x[k] *= 1.0 - 1e-5;
  for (int k = 0; k < PULLEYS; k++) {
    double step = 1e-6, ends[2];
    for (int side = 0; side < 2; side++) {
      move(&s, side ? step : -step, q);
      ends[side] = tension(&s, k);
      move(&s, side ? -step : step, q);
    }
    double rise = (ends[1] - ends[0]) / (2.0 * step);
    print_message("  span after %s: %.2f N (known %.2f N)\n", names[k], rise, known[k]);
    assert_true(fabs(rise - known[k]) < 0.005 * 258.02);
  }
  test_system_close(&s);
}

/* Tangents of everything against differences, at a state off the steady one. */
static void tangents(void **state)
{
  (void)state;
  test_system s = test_system_open(LOADED AT_2000);
  double y[TANGENTS_MOST];
  uint64_t seed = 5;
  assert_true(s.m->nstate <= TANGENTS_MOST);
  for (int i = 0; i < s.m->nstate; i++) y[i] = s.d->y[i] * (1.0 + test_random(&seed, -1e-4, 1e-4));
  y[COORDS + ARM] = 0.7;
  test_tangents_at(&s, y, 0.1);
  test_system_close(&s);
}

/* Rotations counted beyond the steady running, or as turned angles: the same motion, the same energies. The
 * period is that of the common divisor of the orders. */
static void both_frames_agree(void **state)
{
  (void)state;
#define SWING "orders: [{order: 2, amplitude: 0.4 deg}, {order: 1.5, amplitude: 0.2 deg, phase: 30 deg}]}\n"
  test_system beyond = test_system_open(LOADED "crank: {speed: 2000 rpm, " SWING);
  test_system turned = test_system_open(LOADED "crank: {speeds: [[0 s, 2000 rpm], [1 s, 2000 rpm]], " SWING);
  assert_true(fabs(beyond.m->period[0] / 0.06 - 1.0) < 1e-12 && turned.m->period[0] == 0.0);
  test_run(&beyond, &cap_theta_midpoint_type, 5e-5, 0.1);
  test_run(&turned, &cap_theta_midpoint_type, 5e-5, 0.1);
  for (int k = 0; k < PULLEYS; k++) {
    double angle = turned.d->q[k] - 0.1 * beyond.m->base[k];
    print_message("  %s: %.6f and %.6f N, beyond by %.9f and %.9f rad\n", names[k], tension(&beyond, k),
                  tension(&turned, k), beyond.d->q[k], angle);
    assert_true(fabs(tension(&beyond, k) - tension(&turned, k)) < 1e-5);
    assert_true(fabs(speed(&beyond, k) - speed(&turned, k)) < 1e-7 && fabs(beyond.d->q[k] - angle) < 1e-9);
  }
  double work = test_work(&turned, "crank.motion");
  print_message("  the crank gives %.6f J and %.6f J\n", work, test_work(&beyond, "crank.motion"));
  assert_true(work > 500.0 && fabs(test_work(&beyond, "crank.motion") / work - 1.0) < 1e-9);
  for (int k = 0; k < beyond.m->nmech; k++)
    assert_true(fabs(beyond.d->work[k] - turned.d->work[k]) < 1e-6 + 1e-7 * fabs(turned.d->work[k]));
  assert_true(test_balance(&beyond, NULL) < 1e-6);
  test_system_close(&beyond);
  test_system_close(&turned);
}

/* The start is the steady running: nothing moves, and each pulley creeps by the strain of its entry span. */
static void it_starts_in_steady_running(void **state)
{
  (void)state;
  test_system s = test_system_open(LOADED AT_2000);
  const cap_belt *belt = cap_belt_of(s.m);
  double before[PULLEYS], angle = s.d->q[ARM], flow = 0.0;
  for (int k = 0; k < PULLEYS; k++) before[k] = tension(&s, k);
  for (int k = 0; k < PULLEYS; k++) {
    double stretch = 1.0 + before[k ? k - 1 : PULLEYS - 1] / belt->EA;
    double rate = belt->pulleys[k].radius * speed(&s, k) / stretch;
    if (k) assert_true(fabs(rate / flow - 1.0) < 1e-9);
    flow = rate;
  }
  test_run(&s, &cap_cvode_type, 1e-3, 0.2);
  for (int k = 0; k < PULLEYS; k++) {
    print_message("  %s: %.4f N, after 0.2 s %.4f N\n", names[k], before[k], tension(&s, k));
    assert_true(fabs(tension(&s, k) - before[k]) < 0.01);
  }
  assert_true(fabs(s.d->q[ARM] - angle) < 1e-6);
  assert_true(test_balance(&s, NULL) < 1e-7);
  test_system_close(&s);
}

/* Run up from 1000 to 2000 rpm: after it the tensions are those of steady running at 2000 rpm. What remains
 * between the two is what the slip arcs hold, which the springs do not count: it vanishes with friction that
 * makes these short. */
static double run_up(const char *groove, const char *back)
{
  const char *settings[] = {groove, back};
  test_system s = test_system_with(LOADED "crank: {speeds: [[0.1 s, 1000 rpm], [0.4 s, 2000 rpm]]}\n", 2,
                                   settings);
  test_system goal = test_system_with(LOADED AT_2000, 2, settings);
  double worst = 0.0;
  test_run(&s, &cap_cvode_type, 1e-3, 1.4);
  for (int k = 0; k < PULLEYS; k++) {
    worst = fmax(worst, fabs(tension(&s, k) / tension(&goal, k) - 1.0));
    assert_true(fabs(speed(&s, k) / speed(&goal, k) - 1.0) < 1e-6);
  }
  print_message("  %s: %.3f N, in steady running %.3f N, energy residual %.1e\n", groove, tension(&s, 0),
                tension(&goal, 0), test_balance(&s, NULL));
  assert_true(test_balance(&s, NULL) < 1e-7);
  test_system_close(&s);
  test_system_close(&goal);
  return worst;
}

static void a_run_up_ends_in_steady_running(void **state)
{
  (void)state;
  assert_true(run_up("belt.friction.groove=0.9", "belt.friction.back=0.35") < 4e-3);
  assert_true(run_up("belt.friction.groove=900", "belt.friction.back=350") < 2e-4);
}

/* Hub loads at rest: 350 N on both sides of each wrap. */
static void hub_loads(void **state)
{
  (void)state;
  const double known[PULLEYS] = {551.4, 374.4, 685.4, 272.9, 621.8, 471.9};
  test_system s = test_system_open(IDLE AT_REST);
  for (int k = 0; k < PULLEYS; k++) {
    char x[64], y[64];
    snprintf(x, sizeof x, "pulley.%s.hub_x", names[k]);
    snprintf(y, sizeof y, "pulley.%s.hub_y", names[k]);
    double load = hypot(test_value(&s, x), test_value(&s, y));
    print_message("  %s: %.1f N (known %.1f N)\n", names[k], load, known[k]);
    assert_true(fabs(load - known[k]) < 0.1);
  }
  test_system_close(&s);
}

/* What the crank puts in is what the loads take and what creep loses:
 * g (T_out - T_in)^2 / (2 EA) a pulley. */
static void creep_loses_what_theory_says(void **state)
{
  (void)state;
  test_system s = test_system_open(LOADED AT_2000);
  const cap_belt *belt = cap_belt_of(s.m);
  double expected[PULLEYS], sum = 0.0, time = 0.1;
  for (int k = 0; k < PULLEYS; k++) {
    double in = tension(&s, k ? k - 1 : PULLEYS - 1), out = tension(&s, k);
    double flow = belt->pulleys[k].radius * speed(&s, k) / (1.0 + in / belt->EA);
    expected[k] = time * flow * (out - in) * (out - in) / (2.0 * belt->EA);
    sum += expected[k];
  }
  test_run(&s, &cap_cvode_type, 1e-3, time);
  for (int k = 0; k < PULLEYS; k++) {
    char name[64];
    snprintf(name, sizeof name, "span.%s.creep", names[k]);
    double lost = test_work(&s, name);
    print_message("  creep over %s loses %.6f J, expected %.6f J, of %.3f J\n", names[k], lost, expected[k],
                  test_work(&s, "crank.motion"));
    assert_true(fabs(lost - expected[k]) < 1e-4 * sum);
  }
  test_system_close(&s);
}

/* Two pulleys, a soft belt: creep theory in closed form, at the start and after 2.45 s. */
static void two_pulleys_creep(void **state)
{
  (void)state;
  static char text[8192];
  test_read_example("two_pulley", sizeof text, text);
  test_system s = test_system_open(text);
  for (int turn = 0; turn < 2; turn++) {
    double slack = test_value(&s, "span.driver.tension"), tight = test_value(&s, "span.driven.tension");
    double driven = test_value(&s, "pulley.driven.speed");
    double creep = 1.0 - driven / test_value(&s, "pulley.driver.speed");
    print_message("  tight %.4f N, slack %.4f N, driven %.6f rad/s, creep %.4f %%\n", tight, slack, driven,
                  100.0 * creep);
    assert_true(fabs(tight - 663.17) < 0.01 && fabs(slack - 186.94) < 0.01);
    assert_true(fabs(driven - 11.3084) < 1e-4 && fabs(creep - 0.05763) < 1e-5);
    assert_true(fabs(creep - (1.0 - (7600.0 + slack) / (7600.0 + tight))) < 1e-9);
    if (turn == 0) test_run(&s, &cap_cvode_type, 1e-3, 2.45);
  }
  test_system_close(&s);
}

/* The belt cannot push: a span of a drive that is thrown back goes slack, and none has a tension below 0. */
static void a_slack_span_carries_nothing(void **state)
{
  (void)state;
  test_system s = test_system_open(LOADED AT_2000);
  s.d->v[ALTERNATOR] += 0.5 * speed(&s, ALTERNATOR);
  cap_data_start_audit(s.m, s.d);
  cap_stepper stepper = test_stepper(&s, &cap_cvode_type, 1e-4, 1e-8, true);
  bool slack = false;
  for (int n = 1; n <= 100; n++) {
    test_advance(&s, &stepper, 1e-4 * n, NULL);
    for (int k = 0; k < PULLEYS; k++) {
      double value = tension(&s, k);
      assert_true(value >= 0.0);
      slack = slack || value == 0.0;
    }
  }
  assert_true(slack);
  assert_true(test_balance(&s, NULL) < 1e-6);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* Dry friction of the arm, by each law: never more than its limit, takes energy, and the balance closes. */
static void the_arm_rubs(void **state)
{
  (void)state;
  const char *const laws[] = {"coulomb, friction: 5 N m", "masing, friction: 5 N m, stiffness: 20 N m/deg",
                              "dahl, friction: 5 N m, stiffness: 20 N m/deg"};
  const char *const works[] = {"arm.friction.friction", "arm.friction.friction", "arm.friction.hysteresis"};
  for (int k = 0; k < 3; k++) {
    char setting[120];
    snprintf(setting, sizeof setting, "tensioner.hysteresis={law: %s}", laws[k]);
    const char *settings[] = {setting, "tensioner.damping=0 N m s/rad"};
    test_system s = test_system_with(
        LOADED "crank: {speed: 900 rpm, orders: [{order: 2, amplitude: 1 deg}]}\n", 2, settings);
    double least = INFINITY, most = -INFINITY;
    cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 2e-5, 1e-10, true);
    for (int n = 1; n <= 400; n++) {
      test_advance(&s, &stepper, 5e-4 * n, NULL);
      double dry = test_value(&s, "arm.torque") - cap_belt_spring(&cap_belt_of(s.m)->arm, s.d->q[ARM]);
      least = fmin(least, dry);
      most = fmax(most, dry);
    }
    print_message("  %s: friction %.3f to %.3f N m, takes %.4f J, residual %.1e\n", laws[k], least, most,
                  test_work(&s, works[k]), test_balance(&s, NULL));
    assert_true(least < -4.9 && most > 4.9 && least > -5.0 - 1e-6 && most < 5.0 + 1e-6);
    assert_true(test_work(&s, works[k]) > 0.1 && test_balance(&s, NULL) < 1e-6);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rotational_modes),
                                     cmocka_unit_test(forced_response),
                                     cmocka_unit_test(tangents),
                                     cmocka_unit_test(both_frames_agree),
                                     cmocka_unit_test(it_starts_in_steady_running),
                                     cmocka_unit_test(a_run_up_ends_in_steady_running),
                                     cmocka_unit_test(two_pulleys_creep),
                                     cmocka_unit_test(a_slack_span_carries_nothing),
                                     cmocka_unit_test(the_arm_rubs),
                                     cmocka_unit_test(hub_loads),
                                     cmocka_unit_test(creep_loses_what_theory_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
