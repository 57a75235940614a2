/* Implicit Runge-Kutta steps (Radau IIA) on contacts: ideal ones as a system of index two, viscoelastic ones
 * down to stiffnesses where they are as good as ideal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/allocations.h"
#include "../support/system.h"
#include "../support/toy_contact.h"
#include "model/constraints.h"

static const cap_stepper_type *const radau = &cap_radau_type;
static const cap_contact_law rigid = {.epsilon = 0.0,
                                      .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};

#define DISC                                                                                                 \
  "capstan: 1\nname: t\ndrive: rolling-body\n"                                                               \
  "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, y: -0.5 m, circle: 0.5 m}}]\n"         \
  "analyses: [{transient: {until: 1 s}}]\n"
#define TURNTABLE                                                                                            \
  "capstan: 1\nname: t\ndrive: rolling-body\nground: {turning: 3 rad/s}\n"                                   \
  "bodies: [{ball: {mass: 0.1 kg, radius: 2 cm, x: 0.3 m, vx: 0 m/s, vy: 0.2 m/s, wz: 0 rad/s}}]\n"          \
  "analyses: [{transient: {until: 1 s}}]\n"
#define TRAILER                                                                                              \
  "capstan: 1\nname: t\ndrive: rolling-body\nbodies:\n"                                                      \
  "  - planar: {name: car, mass: 1000 kg, inertia: 1500 kg m2, blades: [{name: rear, x: -1.2 m}, "           \
  "{name: front, x: 1.2 m}], x: 0 m, speed: 2 m/s}\n"                                                        \
  "  - planar: {name: trailer, mass: 400 kg, inertia: 300 kg m2, blades: [{name: axle, x: -0.1 m}], "        \
  "heading: 60 deg}\n"                                                                                       \
  "hinges: [{name: hitch, from: car, to: trailer, from_x: -1.8 m, to_x: 1.9 m}]\n"                           \
  "analyses: [{transient: {until: 1 s}}]\n"

static test_system toy(cap_model *m)
{
  test_system s = {.m = m};
  assert_non_null(m);
  assert_non_null(s.d = cap_data_create(m));
  cap_data_start_audit(m, s.d);
  return s;
}

static int64_t steps_of(const test_system *s)
{
  return s->d->steps[CAP_STEPS_STEPS];
}

static void run(test_system *s, const cap_stepper_type *type, double tolerance, double t, int rows)
{
  cap_stepper stepper = test_stepper(s, type, 1, tolerance, true);
  double from = *s->d->t;
  for (int k = 1; k <= rows; k++) test_advance(s, &stepper, from + (t - from) * k / rows, NULL);
  cap_stepper_free(&stepper);
}

/* ---- ideal --------------------------------------------------------------------------------------------- */

/* Ten turns of the knife edge on its cycloid, in one go and in rows: place, force, and the row itself. */
static void knife_edge_keeps_its_cycloid(void **state)
{
  (void)state;
  const double tolerance[] = {1e-6, 1e-9, 1e-12}, turns = 20.0 * M_PI / toy_spin;
  for (int k = 0; k < 3; k++)
    for (int rows = 1; rows <= 1000; rows *= 1000) {
      test_system s = toy(toy_knife_edge(rigid));
      cap_stepper stepper = test_stepper(&s, radau, 1, tolerance[k], true);
      double workspace[64], lambda, x, y, force, place = 0.0, off = 0.0, slip = 0.0;
      cap_error error = {0};
      assert_true(s.m->nworkspace <= 64);
      for (int i = 1; i <= rows; i++) {
        double t = turns * i / rows;
        test_advance(&s, &stepper, t, NULL);
        toy_knife_exact(t, &x, &y, &force);
        assert_int_equal(cap_constraints_multipliers(s.m, t, s.d->y, workspace, &lambda, &error), CAP_OK);
        place = fmax(place, hypot(s.d->q[TOY_X] - x, s.d->q[TOY_Y] - y));
        off = fmax(off, fabs(lambda - force));
        slip = fmax(slip, cap_constraints_residual(s.m, t, s.d->y, workspace, NULL));
      }
      print_message(
          "  tolerance %.0e, %4d rows: place %.1e m, force %.1e N, slip %.1e m/s, audit %.1e, %ld steps\n",
          tolerance[k], rows, place, off, slip, test_balance(&s, NULL), (long)steps_of(&s));
      assert_true(place < 20.0 * tolerance[k] && off < 20.0 * tolerance[k]);
      assert_true(k < 2 || place < 1e-10);
      assert_true(slip < 1e-14);
      assert_true(test_balance(&s, NULL) < 20.0 * tolerance[k]);
      cap_stepper_free(&stepper);
      cap_data_free(s.d);
      cap_model_free(s.m);
    }
}

typedef struct errors {
  double position, velocity, force;
} errors;

/* Errors at `until` of one run, and its steps. */
static errors errors_of(const char *text, double tolerance, double until, const test_system *reference,
                        int64_t *steps)
{
  test_system s = test_system_open(text);
  const cap_model *m = s.m;
  double workspace[1024], force[16], expected[16];
  cap_error error = {0};
  errors e = {0};
  assert_true(m->nworkspace <= 1024 && m->nideal <= 16);
  run(&s, radau, tolerance, until, 1);
  assert_int_equal(cap_constraints_multipliers(m, until, s.d->y, workspace, force, &error), CAP_OK);
  assert_int_equal(cap_constraints_multipliers(m, until, reference->d->y, workspace, expected, &error),
                   CAP_OK);
  for (int i = 0; i < m->nv; i++) {
    e.position = fmax(e.position, fabs(s.d->q[i] - reference->d->q[i]));
    e.velocity = fmax(e.velocity, fabs(s.d->v[i] - reference->d->v[i]));
  }
  for (int r = 0; r < m->nideal; r++) e.force = fmax(e.force, fabs(force[r] - expected[r]));
  *steps = steps_of(&s);
  test_system_close(&s);
  return e;
}

static double slope(int n, const double *x, const double *y)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < n; k++) sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k];
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* Every quantity of three systems follows the tolerance over eight decades. */
static void errors_follow_the_tolerance(void **state)
{
  (void)state;
  enum { COUNT = 9 };
  const char *texts[] = {DISC, TURNTABLE, TRAILER}, *names[] = {"disc", "ball on a turntable", "trailer"};
  for (int k = 0; k < 3; k++) {
    double x[COUNT], y[3][COUNT], worst = 0.0;
    test_system r = test_system_open(texts[k]);
    run(&r, &cap_extrapolate_type, 1e-13, 2.0, 400);
    for (int i = 0; i < COUNT; i++) {
      double tolerance = pow(10.0, -3 - i);
      int64_t steps;
      errors e = errors_of(texts[k], tolerance, 2.0, &r, &steps);
      x[i] = log10(tolerance);
      y[0][i] = log10(e.position), y[1][i] = log10(e.velocity), y[2][i] = log10(e.force);
      worst = fmax(worst, fmax(e.position, e.velocity) / tolerance);
    }
    double position = slope(COUNT, x, y[0]), velocity = slope(COUNT, x, y[1]), force = slope(COUNT, x, y[2]);
    print_message(
        "  %s: powers of the tolerance %.2f (position), %.2f (velocity), %.2f (force); at most %.1f "
        "tolerances\n",
        names[k], position, velocity, force, worst);
    assert_true(position > 0.85 && position < 1.25);
    assert_true(velocity > 0.85 && velocity < 1.25);
    assert_true(force > 0.85 && force < 1.25);
    assert_true(worst < 50.0);
    test_system_close(&r);
  }
}

static void energy_and_rows_are_kept(void **state)
{
  (void)state;
  const char *texts[] = {DISC, TURNTABLE, TRAILER};
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_open(texts[k]);
    double workspace[1024], slip = 0.0;
    cap_stepper stepper = test_stepper(&s, radau, 1, 1e-12, true);
    cap_data_start_audit(s.m, s.d);
    for (int i = 1; i <= 100; i++) {
      test_advance(&s, &stepper, 0.1 * i, NULL);
      slip = fmax(slip, cap_constraints_residual(s.m, *s.d->t, s.d->y, workspace, NULL));
    }
    double audit = test_balance(&s, NULL);
    print_message("  audit %.1e, slip %.1e m/s, %ld steps\n", audit, slip, (long)steps_of(&s));
    assert_true(audit < 1e-11);
    assert_true(slip < 1e-14);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* By no stepper that treats ideal contacts. */
static void nothing_is_allocated(void **state)
{
  (void)state;
  const cap_stepper_type *const types[] = {radau, &cap_extrapolate_type, &cap_ida_type};
  test_count_allocations();
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_open(DISC);
    cap_stepper stepper = test_stepper(&s, types[k], 1, 1e-8, true);
    test_advance(&s, &stepper, 0.1, NULL);
    long before = test_allocations;
    test_advance(&s, &stepper, 1.0, NULL);
    assert_int_equal(test_allocations, before);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Two knife edges on one body that turn towards each other have no common motion: the row is named. */
static void lost_rank_is_told(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  cap_error error = {0};
  assert_non_null(b);
  int dofs[3] = {cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.0), cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0),
                 cap_builder_dof(b, "phi", "rad", 1.0, 0.0, 0.0)};
  cap_builder_contact(b, &toy_knife, "front", dofs, NULL, NULL, &rigid);
  cap_builder_contact(b, &toy_knife, "rear", dofs, NULL, NULL, &rigid);
  assert_int_equal(cap_builder_finish(b, &m, &error), CAP_OK);
  cap_builder_free(b);
  test_system s = toy(m);
  cap_stepper stepper = test_stepper(&s, radau, 1, 1e-8, false);
  double t = 1.0;
  assert_int_equal(cap_stepper_advance(&stepper, m, s.d, &t, NULL, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "rear.sideways"));
  cap_stepper_free(&stepper);
  cap_data_free(s.d);
  cap_model_free(m);
}

/* ---- viscoelastic -------------------------------------------------------------------------------------- */

/* A given force in the place of the law's: the same rates when it is the law's own, and exact derivatives. */
static void given_forces_replace_the_law(void **state)
{
  (void)state;
  const char *settings[] = {"contact.epsilon=0.01", "bodies[0].disc.inclination=50 deg"};
  test_system s = test_system_with(DISC, 2, settings);
  const cap_model *m = s.m;
  enum { MOST = 32, ROWS = 3 };
  int n = m->nstate, nv = m->nv;
  assert_true(n <= MOST && m->nrow == ROWS && m->nideal == 0);
  for (int r = 0; r < ROWS; r++) s.d->x[m->nx - ROWS + r] = 1e-4 * (r - 1.3);
  for (int i = 0; i < nv; i++) s.d->v[i] += 0.01 * (i - 2);
  double h[MOST], given[MOST], xdot[MOST], law[ROWS], other[ROWS], push[ROWS], rows[ROWS * MOST];
  double dh[MOST * MOST], dxdot[MOST * MOST], dlaw[ROWS * MOST], columns[MOST * MOST] = {0};
  for (int i = 0; i < n; i++) columns[i * (n + 1)] = 1.0;
  cap_eval e = {.nlane = 1, .t = s.d->t, .q = s.d->q, .v = s.d->v, .x = s.d->x, .h = h, .xdot = xdot};
  e.law = law;
  e.law_rows = rows;
  cap_model_rates(m, &e);
  for (int r = 0; r < ROWS; r++) push[r] = law[r] + 0.5 * (r + 1);
  e.h = given;
  e.stick = push;
  e.law = other;
  e.ncol = n;
  e.dq = columns, e.dv = columns + nv * n, e.dx = columns + 2 * nv * n;
  e.dh = dh, e.dxdot = dxdot, e.dlaw = dlaw;
  cap_model_rates(m, &e);
  for (int r = 0; r < ROWS; r++) assert_true(other[r] == law[r]);
  for (int i = 0; i < nv; i++) {
    double expected = h[i];
    for (int r = 0; r < ROWS; r++) expected -= rows[r * nv + i] * (push[r] - law[r]);
    assert_true(fabs(given[i] - expected) < 1e-12);
  }
  for (int c = 0; c < n; c++) { /* central differences of law and h */
    double step = c < 2 * nv ? 1e-6 : 1e-6 * fmax(m->x_size[c - 2 * nv], 1e-3), keep = s.d->y[c], high[ROWS],
           h2[MOST];
    cap_eval p = {.nlane = 1, .t = s.d->t, .q = s.d->q, .v = s.d->v, .x = s.d->x, .h = h2, .xdot = xdot};
    p.stick = push;
    p.law = high;
    s.d->y[c] = keep + step;
    cap_model_rates(m, &p);
    p.h = h;
    p.law = other;
    s.d->y[c] = keep - step;
    cap_model_rates(m, &p);
    s.d->y[c] = keep;
    for (int r = 0; r < ROWS; r++) {
      double expected = (high[r] - other[r]) / (2.0 * step);
      assert_true(fabs(dlaw[r * n + c] - expected) < 1e-5 * (1.0 + fabs(expected)));
    }
    for (int i = 0; i < nv; i++) {
      double expected = (h2[i] - h[i]) / (2.0 * step);
      assert_true(fabs(dh[i * n + c] - expected) < 1e-5 * (1.0 + fabs(expected)));
    }
  }
  test_system_close(&s);
}

/* k = m_eff / epsilon^2 over ten decades: as many steps, the motion O(epsilon^2) from the ideal one. */
static void steps_do_not_grow_with_the_stiffness(void **state)
{
  (void)state;
  const double tolerance[] = {1e-5, 1e-8, 1e-12};
  test_system ideal = test_system_open(DISC);
  run(&ideal, radau, 1e-12, 2.0, 1);
  int64_t rigid_steps[3];
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_open(DISC);
    run(&s, radau, tolerance[k], 2.0, 1);
    rigid_steps[k] = steps_of(&s);
    test_system_close(&s);
  }
  for (int k = 0; k < 3; k++)
    for (double epsilon = 1e-2; epsilon > 0.5e-6; epsilon *= 0.1) {
      char setting[64];
      snprintf(setting, sizeof setting, "contact.epsilon=%.0e", epsilon);
      const char *settings[] = {setting, "contact.start=loaded"};
      test_system s = test_system_with(DISC, 2, settings);
      cap_data_start_audit(s.m, s.d);
      run(&s, radau, tolerance[k], 2.0, 1);
      double off = 0.0, audit = test_balance(&s, NULL);
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(s.d->q[i] - ideal.d->q[i]));
      print_message("  tolerance %.0e, epsilon %.0e: %.1e m from the ideal motion, audit %.1e, %ld steps "
                    "(ideal: %ld)\n",
                    tolerance[k], epsilon, off, audit, (long)steps_of(&s), (long)rigid_steps[k]);
      assert_true(off < 10.0 * epsilon * epsilon + tolerance[k]);
      assert_true(audit < tolerance[k]);
      assert_true(steps_of(&s) < 3 * rigid_steps[k] + 20);
      test_system_close(&s);
    }
  test_system_close(&ideal);
}

/* The oscillating force of a contact without damping is resolved, as long as it is above the tolerance. */
static void undamped_contact_oscillates(void **state)
{
  (void)state;
  cap_contact_law law = {.epsilon = 1e-3, .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
  test_system s = toy(toy_pendulum(law)), r = toy(toy_pendulum(law));
  run(&s, radau, 1e-10, 0.1, 3);
  run(&r, &cap_extrapolate_type, 1e-12, 0.1, 400);
  double z = fabs(s.d->x[0] - r.d->x[0]) / s.m->x_size[0];
  print_message("  deflection within %.1e of its size, %ld steps\n", z, (long)steps_of(&s));
  assert_true(z < 1e-7);
  assert_true(test_balance(&s, NULL) < 1e-8);
  cap_data_free(s.d);
  cap_data_free(r.d);
  cap_model_free(s.m);
  cap_model_free(r.m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(knife_edge_keeps_its_cycloid),
      cmocka_unit_test(errors_follow_the_tolerance),
      cmocka_unit_test(energy_and_rows_are_kept),
      cmocka_unit_test(nothing_is_allocated),
      cmocka_unit_test(lost_rank_is_told),
      cmocka_unit_test(given_forces_replace_the_law),
      cmocka_unit_test(steps_do_not_grow_with_the_stiffness),
      cmocka_unit_test(undamped_contact_oscillates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
