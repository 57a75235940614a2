/* IDA on ideal contacts: closed forms, constraints and energy at every step, the extrapolation method as a
 * second way, its own multipliers, loss of rank, restart; and what has no ideal contacts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/system.h"
#include "../support/toy_contact.h"
#include "model/constraints.h"

static const cap_contact_law rigid = {.epsilon = 0.0,
                                      .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};

enum { SPACE = 1024 }; /* of workspaces and small arrays */

static cap_contact_law soft(double epsilon)
{
  return (cap_contact_law){
      .epsilon = epsilon, .damping_ratio = 1.0, .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
}

/* What is seen at every step of the stepper itself. */
typedef struct seen {
  double residual, gap, path; /* m/s, m, m: largest */
  int64_t steps;
} seen;

static void see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                const double *decay)
{
  (void)force, (void)decay;
  seen *s = self;
  double workspace[SPACE], gap[16] = {0}, h[16], xdot[16], px, py, lambda;
  s->residual = fmax(s->residual, cap_constraints_residual(m, *t, y, workspace, NULL));
  cap_eval e = {.nlane = 1, .t = t, .q = y, .v = y + m->nv, .x = y + 2 * m->nv, .h = h, .xdot = xdot};
  e.gap = gap;
  cap_model_rates(m, &e);
  for (int g = 0; g < m->ngap; g++) s->gap = fmax(s->gap, fabs(gap[g]));
  toy_knife_exact(*t, &px, &py, &lambda);
  s->path = fmax(s->path, hypot(y[0] - px, y[1] - py));
  s->steps++;
}

/* To `until` in `rows` advances; *stepper is left for those who want to ask it. */
static cap_data *run(const cap_model *m, const cap_stepper_type *type, double tolerance, double until,
                     int rows, const cap_observer *observer, cap_stepper *stepper)
{
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 1e-3, .tolerance = tolerance, .audit = true, .observer = observer};
  if (cap_stepper_create(type, m, &settings, stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_data *d = cap_data_create(m);
  assert_non_null(d);
  cap_data_start_audit(m, d);
  for (int k = 1; k <= rows; k++) {
    double t = until * k / rows;
    if (cap_stepper_advance(stepper, m, d, &t, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
    assert_true(*d->t == t);
  }
  return d;
}

static cap_data *run_plain(const cap_model *m, const cap_stepper_type *type, double tolerance, double until,
                           int rows)
{
  cap_stepper stepper;
  cap_data *d = run(m, type, tolerance, until, rows, NULL, &stepper);
  cap_stepper_free(&stepper);
  return d;
}

/* Residual of the energy balance over what passed through. */
static double imbalance(const cap_model *m, const cap_data *d)
{
  cap_balance_line lines[64];
  double scale;
  assert_true(m->nmech + 3 <= 64);
  int n = cap_data_balance(m, d, 0, lines, &scale);
  return fabs(lines[n - 1].energy) / scale;
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

/* Ten turns at one tolerance: path over the size of a loop, both multipliers over the largest. */
static void knife_edge(double tolerance, double path, double force, double own)
{
  cap_model *m = toy_knife_edge(rigid);
  assert_non_null(m);
  seen s = {0};
  cap_observer observer = {see, &s};
  cap_stepper stepper;
  double turns = 20.0 * M_PI / toy_spin, off_force = 0.0, off_own = 0.0, workspace[SPACE];
  double loop = 0.5 * toy_pull / toy_mass / (toy_spin * toy_spin);
  cap_data *d = run(m, &cap_ida_type, tolerance, turns, 1, &observer, &stepper);
  int64_t steps = d->steps[CAP_STEPS_STEPS];
  for (int k = 1; k <= 20; k++) { /* further instants, where the force is not zero */
    double t = turns + 0.3 * k, px, py, exact, lambda, mine;
    cap_error error = {0};
    assert_int_equal(cap_stepper_advance(&stepper, m, d, &t, NULL, &error), CAP_OK);
    assert_int_equal(cap_constraints_multipliers(m, t, d->y, workspace, &lambda, &error), CAP_OK);
    cap_ida_multipliers(stepper.memory, &mine);
    toy_knife_exact(t, &px, &py, &exact);
    off_force = fmax(off_force, fabs(lambda - exact) / (2.0 * toy_pull));
    off_own = fmax(off_own, fabs(mine - exact) / (2.0 * toy_pull));
  }
  print_message("  %.0e: path %.1e, residual %.1e m/s, force %.1e, IDA's own %.1e, energy %.1e, %d steps\n",
                tolerance, s.path / loop, s.residual, off_force, off_own, imbalance(m, d), (int)steps);
  assert_true(s.steps > steps);
  assert_true(s.path / loop < path);
  assert_true(s.residual < 1e-12);
  assert_true(off_force < force);
  assert_true(off_own < own);
  assert_true(imbalance(m, d) < 1e4 * tolerance);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
}

static void ten_turns_of_the_knife_edge(void **state)
{
  (void)state;
  print_message("knife edge, ten turns:\n");
  knife_edge(1e-6, 1e-3, 1e-3, 1e-1);
  knife_edge(1e-8, 1e-5, 1e-5, 1e-3);
  knife_edge(1e-10, 2e-7, 2e-7, 1e-5);
  knife_edge(1e-12, 5e-9, 5e-9, 1e-6);
  knife_edge(1e-13, 1e-9, 1e-9, 1e-7);
}

/* The rod keeps its length at every step, not only at the outputs. */
static void the_pendulum_keeps_its_length(void **state)
{
  (void)state;
  cap_model *m = toy_pendulum(rigid);
  assert_non_null(m);
  seen s = {0};
  cap_observer observer = {see, &s};
  cap_stepper stepper;
  cap_data *d = run(m, &cap_ida_type, 1e-12, 20.0, 4, &observer, &stepper);
  double energy = 0.5 * (d->v[0] * d->v[0] + d->v[1] * d->v[1]) + 9.81 * (d->q[1] + sqrt(0.75));
  print_message("pendulum: gap %.1e m, residual %.1e m/s, energy %.1e J/kg of 1.3\n", s.gap, s.residual,
                energy);
  assert_true(s.gap < 1e-15 && s.residual < 1e-15);
  assert_true(fabs(energy) < 1e-9);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
}

static test_system open_example(const char *name)
{
  test_system s = {0};
  char path[300];
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_error error = {0};
  assert_non_null(diag);
  snprintf(path, sizeof path, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, name);
  if (cap_model_file_read(path, 0, NULL, &s.file, diag) != CAP_OK) fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  if (cap_execute_build(s.file, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Ten revolutions of the disc on its circle, with outputs fifty times a revolution, where IDA starts anew. */
static void ten_revolutions_of_the_disc(void **state)
{
  (void)state;
  test_system s = open_example("rolling_disc");
  const cap_model *m = s.m;
  double mass = 0.5, r = 0.1, circle = 0.5, tilt = 70.0 * M_PI / 180.0, g = 9.81, diameter = 0.00125,
         axis = 0.0025;
  double lever = (axis + mass * r * r) * circle / r;
  double Om = sqrt(mass * g * r * cos(tilt) / (sin(tilt) * (lever + diameter * cos(tilt))));
  double off = 0.0, force = 0.0, own = 0.0, workspace[SPACE], lambda[3], mine[3];
  cap_stepper stepper = test_stepper(&s, &cap_ida_type, 1, 1e-12, true);
  for (int k = 1; k <= 500; k++) {
    double t = 2.0 * M_PI / Om * k / 50.0, pull = mass * Om * Om * circle;
    cap_error error = {0};
    test_advance(&s, &stepper, t, NULL);
    assert_int_equal(cap_constraints_multipliers(m, t, s.d->y, workspace, lambda, &error), CAP_OK);
    cap_ida_multipliers(stepper.memory, mine);
    double exact[3] = {-mass * g, pull * sin(Om * t), -pull * cos(Om * t)};
    off = fmax(off, hypot(s.d->q[0] - circle * sin(Om * t), s.d->q[1] + circle * cos(Om * t)) / circle);
    for (int i = 0; i < 3; i++) force = fmax(force, fabs(lambda[i] - exact[i]) / (mass * g));
    for (int i = 0; i < 3; i++) own = fmax(own, fabs(mine[i] - exact[i]) / (mass * g));
  }
  print_message(
      "disc, ten revolutions: place over the circle's radius %.1e, force over the weight %.1e, IDA's own "
      "%.1e, energy %.1e, %d steps\n",
      off, force, own, imbalance(m, s.d), (int)s.d->steps[CAP_STEPS_STEPS]);
  assert_true(off < 1e-6);
  assert_true(force < 1e-6);
  assert_true(own < 1e-5);
  assert_true(imbalance(m, s.d) < 1e-8);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* ---- a second way -------------------------------------------------------------------------------------- */

static void the_extrapolation_method_agrees(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double until, factor, energy; /* factors of the tolerance; the coin wobbles 17 times a second */
  } cases[] = {{"rolling_knife_edge", 5.0, 100, 1000}, {"rolling_sleigh", 5.0, 1000, 100},
               {"rolling_disc", 2.0, 3000, 100},       {"rolling_turntable", 2.0, 3000, 100},
               {"rolling_trailer", 4.0, 100, 100},     {"rolling_euler_disc", 0.5, 100000, 10000}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    test_system s = open_example(cases[k].name);
    cap_data *exact = run_plain(s.m, &cap_extrapolate_type, 1e-13, cases[k].until, 1);
    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
      seen look = {0};
      cap_observer observer = {see, &look};
      cap_stepper stepper;
      cap_data *d = run(s.m, &cap_ida_type, tolerance, cases[k].until, 2, &observer, &stepper);
      double off = test_distance(s.m, d->y, exact->y);
      print_message("  %-20s %.0e: off %.1e, residual %.1e m/s, gap %.1e m, energy %.1e, %d steps\n",
                    cases[k].name, tolerance, off, look.residual, look.gap, imbalance(s.m, d),
                    (int)d->steps[CAP_STEPS_STEPS]);
      assert_true(off < cases[k].factor * tolerance);
      assert_true(look.residual < 1e-12);
      assert_true(look.gap < 1e-14);
      assert_true(imbalance(s.m, d) < cases[k].energy * tolerance);
      cap_stepper_free(&stepper);
      cap_data_free(d);
    }
    cap_data_free(exact);
    test_system_close(&s);
  }
}

/* ---- failures, restart --------------------------------------------------------------------------------- */

/* Two blades under one point: they hold it until the first has turned to the second, `angle` away at 1 rad/s;
 * there one row depends on the other. */
static cap_model *crossed_blades(double angle)
{
  cap_builder *b = cap_builder_create(1);
  int x = cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.0), y = cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0);
  int front[3] = {x, y, cap_builder_dof(b, "front", "rad", 1.0, 0.0, 1.0)};
  int rear[3] = {x, y, cap_builder_dof(b, "rear", "rad", 1.0, angle, 0.0)};
  double weight = 1.0;
  cap_model *m = NULL;
  cap_builder_element(b, &cap_weight_type, "weight", x, CAP_GROUND, &weight, NULL);
  cap_builder_contact(b, &toy_knife, "front", front, NULL, NULL, &rigid);
  cap_builder_contact(b, &toy_knife, "rear", rear, NULL, NULL, &rigid);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  return m;
}

static void lost_rank_is_named(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    cap_model *m = crossed_blades(k ? 0.7 : 0.0);
    cap_data *d = cap_data_create(m);
    cap_stepper stepper;
    cap_error error = {0};
    cap_stepper_settings settings = {.tolerance = 1e-8};
    double t = 2.0;
    assert_int_equal(cap_stepper_create(&cap_ida_type, m, &settings, &stepper, &error), CAP_OK);
    assert_int_equal(cap_stepper_advance(&stepper, m, d, &t, NULL, &error), CAP_ERR_NUMERICS);
    print_message("  %s\n", error.text);
    assert_non_null(strstr(error.text, "rear.sideways"));
    assert_true(fabs(*d->t - (k ? 0.7 : 0.0)) < 1e-4);
    cap_stepper_free(&stepper);
    cap_data_free(d);
    cap_model_free(m);
  }
}

static void it_refuses_what_it_cannot_do(void **state)
{
  (void)state;
  test_system dahl = test_system_open(TEST_BELT TEST_DAHL TEST_ANY);
  assert_string_equal(cap_stepper_obstacle(&cap_ida_type, dahl.m), "it has a law that switches at reversals");
  test_system_close(&dahl);
  test_system masing = test_system_open(TEST_BELT TEST_MASING TEST_ANY);
  assert_non_null(cap_stepper_obstacle(&cap_ida_type, masing.m));
  test_system_close(&masing);
  cap_model *m = toy_knife_edge(rigid);
  cap_data *d = cap_data_create(m);
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.tolerance = 1e-8};
  double t = 1.0, tangent[36] = {0};
  assert_int_equal(cap_stepper_create(&cap_ida_type, m, &settings, &stepper, &error), CAP_OK);
  assert_int_equal(cap_stepper_advance(&stepper, m, d, &t, tangent, &error), CAP_ERR_UNSUPPORTED);
  d->v[1] = NAN;
  assert_int_equal(cap_stepper_advance(&stepper, m, d, &t, NULL, &error), CAP_ERR_NUMERICS);
  print_message("  %s\n", error.text);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
}

static void a_restart_gives_the_same_bits(void **state)
{
  (void)state;
  test_system s = open_example("rolling_disc"), other = open_example("rolling_disc");
  cap_stepper whole = test_stepper(&s, &cap_ida_type, 1, 1e-8, true);
  for (int k = 1; k <= 4; k++) {
    test_advance(&s, &whole, 0.25 * k, NULL);
    if (k == 2) cap_data_copy(s.m, other.d, s.d);
  }
  cap_stepper rest = test_stepper(&other, &cap_ida_type, 1, 1e-8, true);
  for (int k = 3; k <= 4; k++) test_advance(&other, &rest, 0.25 * k, NULL);
  assert_true(cap_data_hash(s.m, s.d) == cap_data_hash(other.m, other.d));
  cap_stepper_free(&whole);
  cap_stepper_free(&rest);
  test_system_close(&s);
  test_system_close(&other);
}

/* ---- imposed motion, and no ideal contacts ------------------------------------------------------------- */

/* A knife edge whose heading swings as it is told. */
static void imposed_heading(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(1);
  cap_motion swing = {.amplitude = 0.8, .angular_frequency = 3.0, .phase = 0.4};
  int dofs[3] = {cap_builder_dof(b, "x", "m", 2.0, 0.0, 0.0), cap_builder_dof(b, "y", "m", 2.0, 0.0, 0.0),
                 cap_builder_driven(b, "heading", "rad", &swing)};
  double weight = 3.0;
  cap_model *m = NULL;
  cap_builder_element(b, &cap_weight_type, "weight", dofs[0], CAP_GROUND, &weight, NULL);
  cap_builder_contact(b, &toy_knife, "blade", dofs, NULL, NULL, &rigid);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  cap_data *exact = run_plain(m, &cap_extrapolate_type, 1e-13, 5.0, 5);
  cap_data *d = run_plain(m, &cap_ida_type, 1e-11, 5.0, 5);
  double off = test_distance(m, d->y, exact->y);
  print_message("imposed heading: off %.1e, energy %.1e\n", off, imbalance(m, d));
  assert_true(off < 1e-9);
  assert_true(imbalance(m, d) < 1e-8);
  cap_data_free(exact);
  cap_data_free(d);
  cap_model_free(m);
}

/* Stiff contacts tend to the ideal one with the square of epsilon, at a cost that hardly grows. */
static void viscoelastic_contacts_by(const cap_stepper_type *type, double tolerance, double within)
{
  double x, y, force, factor = 0.0, first = 0.0;
  toy_knife_exact(4.0, &x, &y, &force);
  for (double epsilon = 1e-2; epsilon > 0.5e-6; epsilon *= 0.1) {
    cap_model *m = toy_knife_edge(soft(epsilon));
    assert_non_null(m);
    cap_data *d = run_plain(m, type, tolerance, 4.0, 1);
    double off = hypot(d->q[0] - x, d->q[1] - y), steps = (double)d->steps[CAP_STEPS_STEPS];
    print_message("  %-5s epsilon %.0e: off the ideal path by %.2e m, energy %.1e, %.0f steps\n", type->name,
                  epsilon, off, imbalance(m, d), steps);
    if (first == 0.0) factor = off / (epsilon * epsilon), first = steps;
    assert_true(fabs(off - factor * epsilon * epsilon) < 0.02 * factor * epsilon * epsilon + within);
    assert_true(imbalance(m, d) < 1e-6);
    assert_true(steps < 10.0 * first);
    cap_data_free(d);
    cap_model_free(m);
  }
}

static void viscoelastic_contacts(void **state)
{
  (void)state;
  viscoelastic_contacts_by(&cap_ida_type, 1e-10, 1e-6);
  viscoelastic_contacts_by(&cap_cvode_type, 1e-10, 1e-6);
  viscoelastic_contacts_by(&cap_cvode_type, 1e-12, 1e-8);
}

static void a_system_without_contacts(void **state)
{
  (void)state;
  static const char text[] = TEST_BELT "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N "
                                       "s/m, c_angular_frequency: 9.4 rad/s}\n" TEST_ANY;
  test_system s = test_system_open(text);
  cap_data *exact = run_plain(s.m, &cap_propagate_type, 1, 0.2, 2);
  cap_data *d = run_plain(s.m, &cap_ida_type, 1e-10, 0.2, 2);
  double off = test_distance(s.m, d->y, exact->y);
  print_message("belt and mass, linear: off %.1e, energy %.1e\n", off, imbalance(s.m, d));
  assert_true(off < 1e-7);
  assert_true(imbalance(s.m, d) < 1e-7);
  cap_data_free(exact);
  cap_data_free(d);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_turns_of_the_knife_edge),
      cmocka_unit_test(the_pendulum_keeps_its_length),
      cmocka_unit_test(ten_revolutions_of_the_disc),
      cmocka_unit_test(the_extrapolation_method_agrees),
      cmocka_unit_test(lost_rank_is_named),
      cmocka_unit_test(it_refuses_what_it_cannot_do),
      cmocka_unit_test(a_restart_gives_the_same_bits),
      cmocka_unit_test(imposed_heading),
      cmocka_unit_test(viscoelastic_contacts),
      cmocka_unit_test(a_system_without_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
