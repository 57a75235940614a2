/* Time stepping over impacts: points that bounce, stick, slide and are held, against closed forms; energy,
 * drift, restart, memory, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "../support/near.h"
#include "../support/sanitized.h"
#include "../support/solvers.h"
#include "../support/system.h"
#include "../support/tangents.h"
#include "../support/toy_touch.h"
#include "solve/nonsmooth.h"

static const cap_contact_law hard = {.kind = CAP_LAW_SET_VALUED};

static void run_with(test_system *s, double step, double until, const char *solver, bool corrected,
                     bool audit)
{
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {
      .step = step, .audit = audit, .solver = solver, .uncorrected = !corrected, .solver_tolerance = 1e-12};
  if (cap_stepper_create(&cap_timestepping_type, s->m, &settings, &stepper, &error) != CAP_OK)
    fail_msg("%s", error.text);
  if (cap_stepper_advance(&stepper, s->m, s->d, &until, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_stepper_free(&stepper);
}

static void run(test_system *s, double step, double until)
{
  run_with(s, step, until, NULL, true, true);
}

static double residual(const test_system *s)
{
  double integrator, off = test_balance(s, &integrator);
  return off;
}

/* ---- impacts ------------------------------------------------------------------------------------------- */

/* A ball from the height 1 m, restitution e: the velocity after the second impact, and the place later. */
static double ball_error(double e, double step)
{
  const double floor[2] = {0.0, 0.0};
  cap_contact_law law = hard;
  law.restitution = e;
  test_system s = toy_point(&toy_floor, floor, law, 0.0, 0.0, 1.0, 0.0, 0.0);
  double g = toy_gravity, fall = sqrt(2.0 / g), up = e * g * fall, until = fall + 2.0 * up / g + 0.05;
  run(&s, step, until);
  double place = e * up * 0.05 - 0.5 * g * 0.05 * 0.05, off = fabs(s.d->q[1] - place);
  if (residual(&s) > 1e-11) fail_msg("residual %g", residual(&s));
  /* what the impacts lost */
  assert_true(fabs(test_work(&s, "touch.impact") - 2.0 * g * (1.0 - e * e * e * e)) < 300.0 * step);
  toy_close(&s);
  return off;
}

static void test_bounce(void **state)
{
  (void)state;
  double coarse = 0.0, fine = 0.0; /* the error jumps with the place of the impact in its step: means */
  for (int k = 0; k < 40; k++) {
    coarse += ball_error(0.8, 2e-4 * (1.0 + 0.01 * k)) / 40;
    fine += ball_error(0.8, 2e-5 * (1.0 + 0.01 * k)) / 40;
  }
  double order = log10(coarse / fine);
  print_message("  bouncing ball: error %.3g m at 0.2 ms, order %.2f\n", coarse, order);
  assert_true(coarse < 4e-3);
  assert_true(order > 0.8 && order < 1.3);
}

/* Without restitution it comes to rest in one step and stays: force m g, no drift. */
static void test_rest(void **state)
{
  (void)state;
  const double floor[2] = {0.25, 0.0};
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name)) continue;
    test_system s = toy_point(&toy_floor, floor, hard, 0.0, 0.0, 1.0, 0.0, 0.0);
    run_with(&s, 1e-3, 1.0, *name, true, true);
    assert_near(s.d->q[1], 0.25, 1e-11);
    assert_near(s.d->v[1], 0.0, 1e-12);
    assert_near(test_value(&s, "touch.force"), 2.0 * toy_gravity, 1e-9);
    assert_true(residual(&s) < 1e-12);
    toy_close(&s);
  }
}

/* Slow approaches do not bounce: a ball with restitution comes to rest. */
static void test_threshold(void **state)
{
  (void)state;
  const double floor[2] = {0.0, 0.0};
  cap_contact_law law = hard;
  law.restitution = 0.5;
  law.restitution_speed = 0.05;
  test_system s = toy_point(&toy_floor, floor, law, 0.0, 0.0, 0.2, 0.0, 0.0);
  run(&s, 1e-4, 2.0);
  assert_true(fabs(s.d->v[1]) < 1e-12 && fabs(s.d->q[1]) < 1e-11);
  assert_true(residual(&s) < 1e-11);
  toy_close(&s);
}

/* ---- friction ------------------------------------------------------------------------------------------ */

static void test_incline(void **state)
{
  (void)state;
  const double floor[2] = {0.0, 0.0};
  double tilt = 0.3, mu_slide = 0.2, mu_stick = 0.4, g = toy_gravity;
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = mu_slide;
  test_system s = toy_point(&toy_floor, floor, law, tilt, 0.0, 0.0, 0.0, 0.0);
  run(&s, 1e-4, 1.0);
  double a = g * (sin(tilt) - mu_slide * cos(tilt));
  assert_near(s.d->v[0], a, 1e-9);
  assert_near(s.d->q[0], 0.5 * a, 1e-4 * a);
  assert_near(test_work(&s, "touch.slip"), mu_slide * 2.0 * g * cos(tilt) * 0.5 * a, 1e-9);
  assert_true(residual(&s) < 1e-12);
  toy_close(&s);
  law.friction.mu_static = law.friction.mu_kinetic = mu_stick;
  s = toy_point(&toy_floor, floor, law, tilt, 0.0, 0.0, 0.5, 0.0); /* slides, then stays where it is */
  run(&s, 1e-4, 2.0);
  double stop = 0.5 * 0.25 / (g * (mu_stick * cos(tilt) - sin(tilt)));
  assert_near(s.d->q[0], stop, 1e-4);
  assert_true(fabs(s.d->v[0]) < 1e-15);
  toy_close(&s);
}

/* A block on a running belt is taken along; the belt feeds in what heats and what moves. */
static void test_belt(void **state)
{
  (void)state;
  const double belt[2] = {0.0, 1.5};
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = 0.3;
  test_system s = toy_point(&toy_floor, belt, law, 0.0, 0.0, 0.0, 0.0, 0.0);
  run(&s, 1e-4, 1.0);
  double g = toy_gravity, time = 1.5 / (0.3 * g);
  assert_near(s.d->v[0], 1.5, 1e-12);
  assert_near(test_work(&s, "touch.surface"), 2.0 * 1.5 * 1.5, 1e-9);
  assert_near(test_work(&s, "touch.slip"), 1.5 * 1.5, 1e-6);
  assert_near(s.d->q[0], 1.5 * (1.0 - 0.5 * time), 3e-4);
  assert_true(residual(&s) < 1e-12);
  toy_close(&s);
}

/* Two directions: a puck on a floor goes straight on and stops. Stribeck: more at rest than in motion. */
static void test_puck(void **state)
{
  (void)state;
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = 0.25;
  cap_builder *b = cap_builder_create(1);
  int dofs[3] = {cap_builder_dof(b, "x", "m", 2.0, 0.0, 3.0), cap_builder_dof(b, "y", "m", 2.0, 0.0, -4.0),
                 cap_builder_dof(b, "z", "m", 2.0, 0.0, 0.0)};
  double down = -2.0 * toy_gravity;
  cap_builder_element(b, &cap_weight_type, "weight", 2, CAP_GROUND, &down, NULL);
  cap_builder_contact(b, &toy_plane, "touch", dofs, NULL, NULL, &law);
  test_system s = {0};
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(b, &s.m, &error), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  run(&s, 1e-4, 3.0);
  double way = 0.5 * 25.0 / (0.25 * toy_gravity);
  assert_near(s.d->q[0], 0.6 * way, 1e-3);
  assert_near(s.d->q[1], -0.8 * way, 1e-3);
  assert_near(s.d->q[1] / s.d->q[0], -4.0 / 3.0, 1e-12);
  assert_true(hypot(s.d->v[0], s.d->v[1]) < 1e-14);
  assert_true(residual(&s) < 1e-12);
  toy_close(&s);
}

static void test_stribeck(void **state)
{
  (void)state;
  const double floor[2] = {0.0, 0.0};
  cap_contact_law law = hard;
  law.friction.mu_static = 0.5;
  law.friction.mu_kinetic = 0.2;
  law.friction.v_stribeck = 0.1;
  for (int form = 0; form < 2; form++) {
    law.friction.exponent = form ? 3.0 : 0.0;
    test_system s = toy_point(&toy_floor, floor, law, 0.3, 0.0, 0.0, 0.0, 0.0);
    run(&s, 1e-4, 0.5);
    assert_true(s.d->v[0] == 0.0); /* tan 0.3 = 0.309 < 0.5: it rests */
    s.d->v[0] = 1.0;
    run(&s, 1e-4, 1.0);
    double mu = capm_friction_at(&(capm_friction){0.5, 0.2, 0.1, law.friction.exponent}, s.d->v[0], NULL);
    assert_near(mu, 0.2, 3e-3);
    assert_near(s.d->v[0] - 1.0, 0.5 * toy_gravity * (sin(0.3) - 0.2 * cos(0.3)), 1e-2);
    toy_close(&s);
  }
}

/* ---- contacts that last -------------------------------------------------------------------------------- */

/* Steps of a run that looks for drift: fewer under the sanitizers, which see all of them in the first. */
enum { MANY = TEST_SANITIZED ? 100000 : 1000000 };

/* A point that slides in a bowl without friction: a pendulum. Drift over a million steps. */
static void test_bowl(void **state)
{
  (void)state;
  double radius = 0.5, a = 0.5;
  test_system s = toy_point(&toy_bowl, &radius, hard, 0.0, radius * sin(a), -radius * cos(a), 0.0, 0.0);
  run_with(&s, 2.0 / MANY, 2.0, NULL, true, false);
  assert_int_equal(s.d->steps[CAP_STEPS_STEPS], MANY);
  double drift = s.d->impact_worst[CAP_WORST_DRIFT], period = 2.0 * M_PI * sqrt(radius / toy_gravity);
  print_message("  bowl: drift %.2g m after %d steps, corrected by at most %.2g m a step\n", drift, MANY,
                s.d->impact_worst[CAP_WORST_MOVED]);
  assert_true(drift < 1e-9);
  assert_true(fabs(radius - hypot(s.d->q[0], s.d->q[1])) < 1e-9);
  /* still in phase with the pendulum: period to the fourth order in the amplitude */
  period *= 1.0 + a * a / 16.0 + 11.0 * a * a * a * a / 3072.0;
  double phase = 2.0 * M_PI * 2.0 / period, x = radius * a * cos(phase);
  assert_true(fabs(s.d->q[0] - x) < 0.02 * radius);
  toy_close(&s);
}

/* A pendulum on a rod that is a joint: drift with and without the correction. */
static void test_joint(void **state)
{
  (void)state;
  double length = 1.0, drift[2];
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = INFINITY;
  for (int corrected = 0; corrected < 2; corrected++) {
    test_system s = {.m = toy_pendulum(law)};
    assert_non_null(s.m);
    assert_non_null(s.d = cap_data_create(s.m));
    const int steps = corrected ? MANY : 100000;
    run_with(&s, 1e-5, 1e-5 * steps, NULL, corrected, !corrected);
    assert_int_equal(s.d->steps[CAP_STEPS_STEPS], steps);
    drift[corrected] = fabs(hypot(s.d->q[0], s.d->q[1]) - length);
    if (!corrected) assert_true(residual(&s) < 1e-9);
    toy_close(&s);
  }
  print_message("  pendulum: drift %.2g m over 100000 steps, corrected %.2g m over %d\n", drift[0], drift[1],
                MANY);
  assert_true(drift[1] < 1e-9);
  assert_true(drift[0] > 1e-6); /* else the correction would not be seen */
}

/* First order of the motion on a joint: the pendulum against itself. */
static void test_order(void **state)
{
  (void)state;
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = INFINITY;
  double x[3];
  for (int k = 0; k < 3; k++) {
    test_system s = {.m = toy_pendulum(law)};
    assert_non_null(s.d = cap_data_create(s.m));
    run(&s, 1e-3 / (1 << k), 1.0);
    x[k] = s.d->q[0];
    toy_close(&s);
  }
  double order = log2(fabs((x[0] - x[1]) / (x[1] - x[2])));
  print_message("  pendulum: order %.3f\n", order);
  assert_true(order > 0.9 && order < 1.1);
}

/* ---- chains, stacks, mixtures -------------------------------------------------------------------------- */

enum { BALLS = 6 };

/* Balls in a row, each with a spring to the ground or none, the first thrown at the others. */
static test_system chain(cap_contact_law law, double speed, double push)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  int dof[BALLS];
  double length = 0.1;
  for (int k = 0; k < BALLS; k++) {
    char name[32];
    snprintf(name, sizeof name, "ball%d", k);
    dof[k] = cap_builder_dof(b, name, "m", 1.0, k * length - (k == 0 && speed != 0.0 ? 0.05 : 0.0),
                             k == 0 ? speed : 0.0);
  }
  if (push != 0.0) cap_builder_element(b, &cap_weight_type, "push", 0, CAP_GROUND, &push, NULL);
  for (int k = 0; k + 1 < BALLS; k++) {
    char name[32];
    snprintf(name, sizeof name, "touch%d", k);
    int pair[2] = {dof[k], dof[k + 1]};
    cap_builder_contact(b, &toy_pair, name, pair, NULL, &length, &law);
  }
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Without restitution they go on together; with e = 1 and all touching, Newton's law of impact parts them
 * all at once: momentum and energy are kept. */
static void test_chain(void **state)
{
  (void)state;
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name)) continue;
    test_system s = chain(hard, 3.0, 0.0);
    run_with(&s, 1e-4, 0.1, *name, true, true);
    for (int k = 0; k < BALLS; k++) assert_near(s.d->v[k], 3.0 / BALLS, 1e-10);
    assert_true(residual(&s) < 1e-12);
    toy_close(&s);
    cap_contact_law bouncing = hard;
    bouncing.restitution = 1.0;
    s = chain(bouncing, 3.0, 0.0);
    run_with(&s, 1e-4, 0.1, *name, true, true);
    double momentum = 0.0, energy = 0.0, lost = 0.0;
    for (int k = 0; k < BALLS; k++) momentum += s.d->v[k], energy += 0.5 * s.d->v[k] * s.d->v[k];
    for (int k = 0; k < s.m->nmech; k++) lost += s.d->work[k];
    assert_near(momentum, 3.0, 1e-10);
    assert_near(energy, 4.5, 1e-9);
    assert_near(lost, 0.0, 1e-9);
    toy_close(&s);
  }
}

/* Pushed, the row presses: ball k passes on what moves those behind it. All solvers give the same forces. */
static void test_forces(void **state)
{
  (void)state;
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name)) continue;
    test_system s = chain(hard, 0.0, 12.0);
    run_with(&s, 1e-3, 0.1, *name, true, true);
    for (int k = 0; k + 1 < BALLS; k++) assert_near(-s.d->x[k], 12.0 * (BALLS - 1 - k) / BALLS, 1e-8);
    toy_close(&s);
  }
}

/* A point on a spring and a compliant floor beside a rigid one: smooth and set-valued contacts in one model,
 * and friction that is set-valued over a normal row that is not. */
static void test_mixed(void **state)
{
  (void)state;
  const double floor[2] = {0.0, 0.0};
  cap_contact_law soft = {.kind = CAP_LAW_REGULARISED,
                          .normal_stiffness = 1e5,
                          .normal_damping = 300.0,
                          .friction = {.mu_static = 0.3, .mu_kinetic = 0.3},
                          .v_regular = 1e-3};
  cap_contact_law half = hard;
  half.normal = CAP_NORMAL_COMPLIANT;
  half.normal_stiffness = 1e5;
  half.normal_damping = 300.0;
  half.friction.mu_static = half.friction.mu_kinetic = 0.3;
  double stop[3];
  for (int kind = 0; kind < 3; kind++) {
    cap_contact_law law = kind == 0 ? soft : kind == 1 ? half : hard;
    if (kind == 2) law.friction.mu_static = law.friction.mu_kinetic = 0.3;
    test_system s = toy_point(&toy_floor, floor, law, 0.0, 0.0, -2.0 * toy_gravity / 1e5 * (kind < 2), 1.0,
                              0.0);
    run(&s, 1e-5, 1.0);
    stop[kind] = s.d->q[0];
    assert_true(residual(&s) < (kind == 2 ? 1e-12 : 1e-6));
    if (kind) assert_true(fabs(s.d->v[0]) < 1e-14); /* it sticks */
    assert_near(test_value(&s, "touch.force"), 2.0 * toy_gravity, 1e-3);
    if (kind == 0) { /* smooth: any stepper of smooth systems takes it */
      test_run(&s, &cap_rk4_type, 1e-5, 1.01);
      assert_true(residual(&s) < 1e-6);
    }
    toy_close(&s);
  }
  double way = 0.5 / (0.3 * toy_gravity);
  for (int kind = 0; kind < 3; kind++) assert_near(stop[kind], way, 1.5e-3 * way);
}

/* Derivatives of a regularised contact, pressing and sliding, with both forms of Stribeck's curve. */
static void test_tangent(void **state)
{
  (void)state;
  const double floor[2] = {0.0, 0.4};
  for (int form = 0; form < 3; form++) {
    cap_contact_law law = {.kind = CAP_LAW_REGULARISED,
                           .normal_stiffness = 1e4,
                           .normal_damping = 30.0,
                           .friction = {.mu_static = 0.5,
                                        .mu_kinetic = 0.3,
                                        .v_stribeck = form ? 0.2 : 0.0,
                                        .exponent = form == 2 ? 2.5 : 0.0},
                           .v_regular = 0.05};
    test_system s = toy_point(&toy_floor, floor, law, 0.0, 0.1, -0.01, 0.6, -0.05);
    test_tangents_at(&s, s.d->y, 1e-2);
    toy_close(&s);
  }
}

/* A driven floor and a point on a spring: the motion's work closes the balance. */
static void test_driven(void **state)
{
  (void)state;
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  cap_motion motion = {.mean = 0.0, .amplitude = 0.01, .angular_frequency = 60.0};
  int dofs[2] = {cap_builder_driven(b, "shaker", "m", &motion),
                 cap_builder_dof(b, "ball", "m", 0.5, 0.05, 0.0)};
  double down = -0.5 * toy_gravity, length = 0.02, spring[3] = {40.0, 0.3, 0.0};
  cap_builder_element(b, &cap_weight_type, "weight", 1, CAP_GROUND, &down, NULL);
  cap_builder_element(b, &cap_link_type, "spring", 1, CAP_GROUND, spring, NULL);
  cap_contact_law law = hard;
  law.restitution = 0.4;
  cap_builder_contact(b, &toy_pair, "touch", dofs, NULL, &length, &law);
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(b, &s.m, &error), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  run(&s, 1e-4, 5.0);
  double integrator, off = test_balance(&s, &integrator);
  print_message("  shaker: residual %.2g, integrator %.2g, work %.3g J\n", off, integrator,
                test_work(&s, "shaker.motion"));
  assert_true(off < 1e-12);
  assert_true(fabs(integrator) < 0.02);
  assert_true(test_work(&s, "shaker.motion") > 0.1);
  toy_close(&s);
}

/* Masses that are not diagonal: a bar that hangs together with the point which hits the floor. */
static int bar_work(const cap_inertia *b)
{
  (void)b;
  return 0;
}
static bool bar_factor(const cap_inertia *b, const double *q, double *work)
{
  (void)b, (void)q, (void)work;
  return true;
}
static const double bar[3] = {2.0, 0.5, 1.0}, bar_det = 2.0 * 1.0 - 0.5 * 0.5; /* M = [2 .5; .5 1] */
static void bar_solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  (void)b, (void)work;
  for (int c = 0; c < ncol; c++) {
    double x0 = x[2 * c], x1 = x[2 * c + 1];
    x[2 * c] = (bar[2] * x0 - bar[1] * x1) / bar_det;
    x[2 * c + 1] = (-bar[1] * x0 + bar[0] * x1) / bar_det;
  }
}
static void bar_half(const cap_inertia *b, const double *work, int ncol, double *x)
{
  (void)b, (void)work;
  double l00 = sqrt(bar[0]), l10 = bar[1] / l00, l11 = sqrt(bar[2] - l10 * l10);
  for (int c = 0; c < ncol; c++) {
    x[2 * c] /= l00;
    x[2 * c + 1] = (x[2 * c + 1] - l10 * x[2 * c]) / l11;
  }
}
static void bar_multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  (void)b, (void)work;
  p[0] = bar[0] * v[0] + bar[1] * v[1];
  p[1] = bar[1] * v[0] + bar[2] * v[1];
}

static void test_blocks(void **state)
{
  (void)state;
  static const cap_inertia_type type = {.name = "bar",
                                        .nwork = bar_work,
                                        .factor = bar_factor,
                                        .solve = bar_solve,
                                        .half = bar_half,
                                        .multiply = bar_multiply};
  cap_builder *b = cap_builder_create(1);
  int dofs[2] = {cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.7), cap_builder_dof(b, "y", "m", 1.0, 0.01, -2.0)};
  cap_builder_inertia(b, &type, 0, 2, NULL);
  cap_contact_law law = hard;
  law.restitution = 0.5;
  double floor[2] = {0.0, 0.0};
  cap_builder_contact(b, &toy_floor, "touch", dofs, NULL, floor, &law);
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  run(&s, 1e-4, 0.02);
  double lambda = 3.0 / (bar[0] / bar_det); /* y goes from -2 to 1 m/s; (M^-1)_yy = 2 / det */
  assert_near(s.d->v[1], 1.0, 1e-11);
  assert_near(s.d->v[0], 0.7 - bar[1] / bar_det * lambda, 1e-11);
  assert_near(test_work(&s, "touch.impact"), 0.5 * lambda * 1.0, 1e-11);
  assert_true(fabs(*s.d->integrator) < 1e-12 && residual(&s) < 1e-12);
  toy_close(&s);
}

/* ---- what else must hold ------------------------------------------------------------------------------- */

/* Interrupted and gone on with: bit for bit the same. */
static void test_restart(void **state)
{
  (void)state;
  double radius = 0.5;
  cap_contact_law law = hard;
  law.friction.mu_static = law.friction.mu_kinetic = 0.1;
  test_system a = toy_point(&toy_bowl, &radius, law, 0.0, 0.3, -0.4, 0.2, 0.0);
  test_system b = toy_point(&toy_bowl, &radius, law, 0.0, 0.3, -0.4, 0.2, 0.0);
  test_system c = toy_point(&toy_bowl, &radius, law, 0.0, 0.3, -0.4, 0.2, 0.0);
  cap_stepper_settings settings = {.step = 1e-4, .audit = true};
  cap_stepper stepper;
  cap_error error = {0};
  double t = 0.25, end = 0.5;
  assert_int_equal(cap_stepper_create(&cap_timestepping_type, a.m, &settings, &stepper, &error), CAP_OK);
  assert_int_equal(cap_stepper_advance(&stepper, a.m, a.d, &t, NULL, &error), CAP_OK);
  cap_data_copy(b.m, b.d, a.d);
  assert_int_equal(cap_stepper_advance(&stepper, a.m, a.d, &end, NULL, &error), CAP_OK);
  cap_stepper_free(&stepper);
  run_with(&c, 1e-4, 0.25, NULL, true, true);
  assert_int_equal(cap_stepper_create(&cap_timestepping_type, b.m, &settings, &stepper, &error), CAP_OK);
  assert_int_equal(cap_stepper_advance(&stepper, b.m, b.d, &end, NULL, &error), CAP_OK);
  cap_stepper_free(&stepper);
  assert_true(cap_data_hash(a.m, a.d) == cap_data_hash(b.m, b.d));
  toy_close(&a);
  toy_close(&b);
  toy_close(&c);
}

static void test_memory(void **state)
{
  (void)state;
  test_count_allocations();
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name) || strcmp(*name, "siconos") == 0) continue;
    test_system s = chain(hard, 0.5, 12.0);
    cap_stepper_settings settings = {.step = 1e-4, .audit = true, .solver = *name};
    cap_stepper stepper;
    cap_error error = {0};
    double t = 0.2, end = 0.4;
    assert_int_equal(cap_stepper_create(&cap_timestepping_type, s.m, &settings, &stepper, &error), CAP_OK);
    assert_int_equal(cap_stepper_advance(&stepper, s.m, s.d, &t, NULL, &error), CAP_OK);
    long before = test_allocations;
    assert_int_equal(cap_stepper_advance(&stepper, s.m, s.d, &end, NULL, &error), CAP_OK);
    assert_int_equal(test_allocations, before);
    cap_stepper_free(&stepper);
    toy_close(&s);
  }
}

/* Every other stepper refuses, and names the one that does not. */
static void test_refused(void **state)
{
  (void)state;
  test_system s = chain(hard, 0.5, 12.0);
  for (int k = 0; cap_stepper_types[k]; k++) {
    if (cap_stepper_types[k] == &cap_timestepping_type) continue;
    cap_stepper_settings settings = {.step = 1e-4, .tolerance = 1e-8};
    cap_stepper stepper;
    cap_error error = {0};
    assert_int_equal(cap_stepper_create(cap_stepper_types[k], s.m, &settings, &stepper, &error),
                     CAP_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "set-valued contacts; use one of: timestepping"));
  }
  assert_true(cap_stepper_best(s.m) == &cap_timestepping_type);
  cap_stepper_settings settings = {.step = 1e-4, .solver = "lemke"};
  cap_stepper stepper;
  cap_error error = {0};
  assert_int_equal(cap_stepper_create(&cap_timestepping_type, s.m, &settings, &stepper, &error),
                   CAP_ERR_UNSUPPORTED);
  toy_close(&s);
}

/* Laws that make no sense are refused with the contact's name. */
static void test_laws(void **state)
{
  (void)state;
  cap_contact_law laws[6] = {hard, hard, hard, hard, hard, hard};
  laws[0].friction.mu_static = laws[0].friction.mu_kinetic = INFINITY;
  laws[1].normal = CAP_NORMAL_COMPLIANT;
  laws[2].kind = CAP_LAW_REGULARISED;
  laws[3].kind = CAP_LAW_REGULARISED;
  laws[3].normal_stiffness = 1e5;
  laws[3].friction.mu_static = laws[3].friction.mu_kinetic = 0.1;
  laws[4].friction.mu_static = -0.1;
  laws[5].restitution = 1.5;
  static const char *const words[6] = {"finite",     "stiffness", "stiffness", "regularisation velocity",
                                       "at least 0", "0 to 1"};
  for (int k = 0; k < 6; k++) {
    cap_builder *b = cap_builder_create(1);
    int dofs[2] = {cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.0), cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0)};
    double par[2] = {0.0, 0.0};
    cap_builder_contact(b, &toy_floor, "touch", dofs, NULL, par, &laws[k]);
    cap_model *m = NULL;
    cap_error error = {0};
    assert_int_equal(cap_builder_finish(b, &m, &error), CAP_ERR_INPUT);
    assert_non_null(strstr(error.text, "touch"));
    if (!strstr(error.text, words[k])) fail_msg("%s", error.text);
    cap_builder_free(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bounce),   cmocka_unit_test(test_rest),    cmocka_unit_test(test_threshold),
      cmocka_unit_test(test_incline),  cmocka_unit_test(test_belt),    cmocka_unit_test(test_puck),
      cmocka_unit_test(test_stribeck), cmocka_unit_test(test_bowl),    cmocka_unit_test(test_joint),
      cmocka_unit_test(test_order),    cmocka_unit_test(test_chain),   cmocka_unit_test(test_forces),
      cmocka_unit_test(test_mixed),    cmocka_unit_test(test_tangent), cmocka_unit_test(test_driven),
      cmocka_unit_test(test_blocks),   cmocka_unit_test(test_restart), cmocka_unit_test(test_memory),
      cmocka_unit_test(test_refused),  cmocka_unit_test(test_laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
