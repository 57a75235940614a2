/* The contact types in motion, rolling ideally: closed forms that need each type's rows and their derivatives
 * (which make the multipliers' right-hand side), the turntable's too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "contact/contacts.h"
#include "elements/elements.h"
#include "linalg/quaternion.h"
#include "model/builder.h"
#include "model/constraints.h"

static const cap_contact_law IDEAL = {.friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
static const double GRAVITY = 9.81;

static test_system finish(cap_builder *b)
{
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* A body of revolution on the ground; w in body axes. */
static test_system body(const cap_contact_type *type, double mass, const double inertia[3], const double *par,
                        const double centre[3], const double v[3], const double w[3], const double e[4])
{
  static const char *const names[] = {"x", "y", "z", "w1", "w2", "w3"};
  static const char *const measures[] = {"contact.x", "contact.y", "tilt", "azimuth"};
  cap_builder *b = cap_builder_create(1);
  int coords[6];
  assert_non_null(b);
  for (int i = 0; i < 6; i++)
    coords[i] = cap_builder_dof(b, names[i], i < 3 ? "m" : "rad", i < 3 ? mass : inertia[i - 3],
                                i < 3 ? centre[i] : 0.0, i < 3 ? v[i] : w[i - 3]);
  double weight = -mass * GRAVITY;
  cap_builder_element(b, &cap_weight_type, "weight", coords[2], CAP_GROUND, &weight, NULL);
  int attitude = cap_builder_element(b, &cap_attitude_type, "body", coords[3], CAP_GROUND, inertia, e);
  int contact = cap_builder_contact(b, type, "contact", coords, &attitude, par, &IDEAL);
  for (int i = 0; i < type->nmeasure; i++) {
    cap_term term = {CAP_TERM_CONTACT_MEASURE, contact * 4 + i, 1.0};
    cap_builder_channel(b, measures[i], i < 2 ? "m" : "rad", "", 1, &term);
  }
  return finish(b);
}

/* Largest |J v - b| of the present state. */
static double slip_of(const test_system *s)
{
  double *workspace = calloc((size_t)s->m->nworkspace, sizeof *workspace);
  assert_non_null(workspace);
  double slip = cap_constraints_residual(s->m, *s->d->t, s->d->y, workspace, NULL);
  free(workspace);
  return slip;
}

/* Force of an ideal row. */
static double force_of(const test_system *s, int row)
{
  double *workspace = calloc((size_t)s->m->nworkspace, sizeof *workspace), lambda[8];
  assert_true(workspace && s->m->nideal <= 8);
  assert_int_equal(cap_constraints_multipliers(s->m, *s->d->t, s->d->y, workspace, lambda, NULL), CAP_OK);
  free(workspace);
  return lambda[row];
}

/* A disc of inclination al with its centre at rest precesses with Om^2 sin al = 4 g / r (I1 = m r^2 / 4). */
static void eulers_disc_precesses(void **state)
{
  (void)state;
  const double r = 0.1, mass = 0.3, inertia[3] = {mass * r * r / 4, mass * r * r / 4, mass * r * r / 2};
  const double par[CAP_RIM_NPARAM] = {[CAP_RIM_RADIUS] = r}, rest[3] = {0};
  for (int k = 0; k < 3; k++) {
    double al = 0.25 + 0.5 * k, om = sqrt(4.0 * GRAVITY / (r * sin(al))), e[4], R[3][3], w[3];
    double centre[3] = {0.05, -0.02, r * sin(al)};
    capm_quaternion_euler(0.0, al, 0.0, e);
    capm_quaternion_rotation(e, R);
    /* u = (0, cos al, sin al) at heading 0; w = Om sin al u */
    const double turn[3] = {0.0, om * sin(al) * cos(al), om * sin(al) * sin(al)};
    capm_quaternion_to_body(R, turn, w);
    test_system s = body(&cap_rim_type, mass, inertia, par, centre, rest, w, e);
    cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-12, true);
    double worst = 0.0, period = 2.0 * M_PI / om;
    for (int i = 1; i <= 30; i++) {
      double t = 0.1 * i * period, azimuth = -M_PI_2 + om * t;
      test_advance(&s, &stepper, t, NULL);
      for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(s.d->q[c] - centre[c]) / r);
      worst = fmax(worst, fabs(test_value(&s, "tilt") - al));
      worst = fmax(worst, fabs(sin(test_value(&s, "azimuth") - azimuth)));
      worst = fmax(worst, fabs(test_value(&s, "contact.x") - centre[0] - r * cos(al) * cos(azimuth)) / r);
    }
    double integrator, balance = test_balance(&s, &integrator);
    print_message("  Euler's disc, al = %.2f rad: %.1e after three turns, slips %.1e m/s, energy %.1e\n", al,
                  worst, slip_of(&s), balance + fabs(integrator));
    assert_true(worst < 1e-10 && slip_of(&s) < 1e-12);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* A uniform ball on a turntable: p'' = 2/7 Om ez x p', a circle in the world wherever it starts. */
static void a_ball_circles_on_a_turntable(void **state)
{
  (void)state;
  const double r = 0.05, mass = 0.2, om = 3.0, I = 0.4 * mass * r * r, inertia[3] = {I, I, I};
  const double par[CAP_BALL_NPARAM] = {[CAP_BALL_RADIUS] = r, [CAP_BALL_OMEGA] = om};
  const double centre[3] = {0.4, -0.3, r}, v[3] = {0.25, 0.6, 0.0}, pace = 2.0 / 7.0 * om;
  double e[4], R[3][3], w[3];
  /* the contact moves with the table: vx - r wy = -Om y, vy + r wx = Om x; drilling is free */
  const double turn[3] = {(om * centre[0] - v[1]) / r, (v[0] + om * centre[1]) / r, 4.0};
  capm_quaternion_euler(0.4, 1.0, -0.3, e);
  capm_quaternion_rotation(e, R);
  capm_quaternion_to_body(R, turn, w);
  test_system s = body(&cap_ball_type, mass, inertia, par, centre, v, w, e);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-12, true);
  double worst = 0.0;
  for (int i = 1; i <= 20; i++) {
    double t = 0.5 * i, c = cos(pace * t), sn = sin(pace * t);
    test_advance(&s, &stepper, t, NULL);
    worst = fmax(worst, fabs(s.d->q[0] - centre[0] - (v[0] * sn - v[1] * (1.0 - c)) / pace));
    worst = fmax(worst, fabs(s.d->q[1] - centre[1] - (v[1] * sn + v[0] * (1.0 - c)) / pace));
  }
  print_message("  ball on a turntable: within %.1e m after 10 s, slips %.1e m/s\n", worst, slip_of(&s));
  assert_true(worst < 1e-10 && slip_of(&s) < 1e-12);
  assert_true(fabs(force_of(&s, 0) + mass * GRAVITY) < 1e-12); /* the ground carries its weight */
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* Chaplygin's sleigh, blade l behind the centre of mass, whose velocity is u along the blade and l w across:
 * u' = l w^2, J w' = -m l u w with J = I + m l^2, energy m u^2 + J w^2 = m c^2. So u = c tanh(k t),
 * w = c sqrt(m / J) sech(k t), k = c m l / J: it ends up straight ahead, the blade behind. */
static void a_sleigh_turns_straight(void **state)
{
  (void)state;
  const double m = 2.0, I = 0.3, l = 0.4, J = I + m * l * l, u0 = -0.5, w0 = 1.2;
  const double c = sqrt(u0 * u0 + J / m * w0 * w0), k = c * m * l / J, start = atanh(u0 / c) / k;
  const double par[CAP_BLADE_NPARAM] = {[CAP_BLADE_AX] = -l};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  /* heading 0: the centre is l ahead of the blade, its velocity is (u, l w) */
  int coords[3] = {cap_builder_dof(b, "x", "m", m, 0.0, u0), cap_builder_dof(b, "y", "m", m, 0.0, l * w0),
                   cap_builder_dof(b, "phi", "rad", I, 0.0, w0)};
  cap_builder_contact(b, &cap_blade_type, "blade", coords, NULL, par, &IDEAL);
  test_system s = finish(b);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-12, true);
  double worst = 0.0;
  for (int i = 1; i <= 20; i++) {
    double t = 0.25 * i;
    test_advance(&s, &stepper, t, NULL);
    double phi = s.d->q[2], u = s.d->v[0] * cos(phi) + s.d->v[1] * sin(phi);
    worst = fmax(worst, fabs(u - c * tanh(k * (t + start))));
    worst = fmax(worst, fabs(s.d->v[2] - c * sqrt(m / J) / cosh(k * (t + start))));
  }
  print_message("  sleigh: within %.1e, slips %.1e m/s\n", worst, slip_of(&s));
  assert_true(worst < 1e-10 && slip_of(&s) < 1e-13);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* An upright wheel that spins about the vertical runs on a circle of radius r (roll rate / spin rate). */
static void a_wheel_runs_on_a_circle(void **state)
{
  (void)state;
  const double m = 1.5, r = 0.3, roll = 4.0, spin = 0.8, path = r * roll / spin;
  const double par[CAP_WHEEL_NPARAM] = {[CAP_WHEEL_RADIUS] = r};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  int coords[4] = {cap_builder_dof(b, "x", "m", m, 0.0, r * roll), cap_builder_dof(b, "y", "m", m, 0.0, 0.0),
                   cap_builder_dof(b, "phi", "rad", 0.1, 0.0, spin),
                   cap_builder_dof(b, "theta", "rad", 0.2, 0.0, roll)};
  cap_builder_contact(b, &cap_wheel_type, "wheel", coords, NULL, par, &IDEAL);
  test_system s = finish(b);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-12, true);
  double worst = 0.0;
  for (int i = 1; i <= 20; i++) {
    double t = 0.5 * i;
    test_advance(&s, &stepper, t, NULL);
    worst = fmax(worst, fabs(s.d->q[0] - path * sin(spin * t)));
    worst = fmax(worst, fabs(s.d->q[1] - path * (1.0 - cos(spin * t))));
    worst = fmax(worst, fabs(s.d->q[3] - roll * t));
  }
  print_message("  wheel: within %.1e m, slips %.1e m/s\n", worst, slip_of(&s));
  assert_true(worst < 1e-10 && slip_of(&s) < 1e-13);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* Two bars on one pin without load: momentum, moment of momentum and energy are kept, the pin holds. */
static void hinged_bars_keep_their_momentum(void **state)
{
  (void)state;
  const double mass[2] = {1.0, 2.5}, inertia[2] = {0.2, 0.7}, arm[2] = {0.5, -0.6};
  const double par[CAP_HINGE_NPARAM] = {arm[0], 0.0, arm[1], 0.0}, turn[2] = {3.0, -1.0};
  cap_builder *b = cap_builder_create(1);
  int coords[6];
  assert_non_null(b);
  for (int k = 0; k < 2; k++) { /* in one line, the pin at the origin at rest */
    coords[3 * k] = cap_builder_dof(b, "x", "m", mass[k], -arm[k], 0.0);
    coords[3 * k + 1] = cap_builder_dof(b, "y", "m", mass[k], 0.0, -arm[k] * turn[k]);
    coords[3 * k + 2] = cap_builder_dof(b, "phi", "rad", inertia[k], 0.0, turn[k]);
  }
  cap_builder_contact(b, &cap_hinge_type, "pin", coords, NULL, par, &IDEAL);
  test_system s = finish(b);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-12, true);
  double kept[2][4] = {{0}};
  for (int i = 0; i < 2; i++) {
    if (i) test_advance(&s, &stepper, 6.0, NULL);
    for (int k = 0; k < 2; k++) {
      const double *q = s.d->q + 3 * k, *v = s.d->v + 3 * k;
      kept[i][0] += mass[k] * v[0];
      kept[i][1] += mass[k] * v[1];
      kept[i][2] += mass[k] * (q[0] * v[1] - q[1] * v[0]) + inertia[k] * v[2];
      kept[i][3] += 0.5 * (mass[k] * (v[0] * v[0] + v[1] * v[1]) + inertia[k] * v[2] * v[2]);
    }
  }
  double worst = 0.0;
  for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(kept[1][k] - kept[0][k]));
  const double *q = s.d->q;
  double apart = hypot(q[0] + arm[0] * cos(q[2]) - q[3] - arm[1] * cos(q[5]),
                       q[1] + arm[0] * sin(q[2]) - q[4] - arm[1] * sin(q[5]));
  print_message("  hinge: invariants within %.1e, pin apart by %.1e m\n", worst, apart);
  assert_true(worst < 1e-10 && apart < 1e-14);
  assert_true(fabs(s.d->v[2] - turn[0]) > 0.1); /* they do act on each other */
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eulers_disc_precesses),           cmocka_unit_test(a_ball_circles_on_a_turntable),
      cmocka_unit_test(a_sleigh_turns_straight),         cmocka_unit_test(a_wheel_runs_on_a_circle),
      cmocka_unit_test(hinged_bars_keep_their_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
