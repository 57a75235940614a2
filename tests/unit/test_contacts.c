/* Assembly of contacts: rows, forces and their tangents; multipliers, projection and rank of ideal ones. */
#include "../reference/reference.h"
#include "../support/toy_contact.h"
#include "model/constraints.h"
#include "model/data.h"
#include "step/stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const cap_contact_law rigid = {.epsilon = 0.0,
                                      .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};

static cap_contact_law soft(double epsilon)
{
  return (cap_contact_law){
      .epsilon = epsilon, .damping_ratio = 1.0, .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
}

/* dydot along one direction against a central difference. */
static void check_tangent(const cap_model *m, const double *y)
{
  enum { MOST = 16 };
  double ydot[MOST], other[MOST], h[MOST], dh[MOST * MOST], dy[MOST * MOST] = {0}, dydot[MOST * MOST],
                                                                      t = 0.3;
  int n = m->nstate;
  assert_true(n <= MOST);
  for (int i = 0; i < n; i++) dy[i * (n + 1)] = 1.0;
  cap_eval e = {.nlane = 1, .ncol = n, .t = &t, .h = h, .dh = dh};
  cap_model_derivative(m, &e, y, dy, ydot, dydot);
  for (int c = 0; c < n; c++) {
    double moved[MOST], step = 1e-6 * fmax(1.0, fabs(y[c]));
    if (c >= 2 * m->nv) step = 1e-6 * m->x_size[c - 2 * m->nv];
    cap_eval plain = {.nlane = 1, .t = &t, .h = h};
    memcpy(moved, y, sizeof(double) * (size_t)n);
    moved[c] += step;
    cap_model_derivative(m, &plain, moved, NULL, ydot, NULL);
    moved[c] -= 2.0 * step;
    cap_model_derivative(m, &plain, moved, NULL, other, NULL);
    for (int i = 0; i < n; i++) {
      double expected = (ydot[i] - other[i]) / (2.0 * step);
      assert_true(fabs(dydot[i * n + c] - expected) <= 1e-6 * (1.0 + fabs(expected)));
    }
  }
}

static void tangent_of_a_viscoelastic_contact(void **state)
{
  (void)state;
  cap_model *m = toy_knife_edge(soft(0.05));
  assert_non_null(m);
  double y[7] = {0.1, -0.2, 0.7, 0.5, -0.3, 1.2, 0.004};
  assert_int_equal(m->nstate, 7);
  check_tangent(m, y);
  cap_model_free(m);
}

static void the_scaling_is_that_of_the_effective_mass(void **state)
{
  (void)state;
  cap_model *m = toy_knife_edge(soft(0.01));
  assert_non_null(m);
  /* one row of unit length: the effective mass is the mass, and the angular frequency 1/epsilon */
  assert_float_equal(m->contacts[0].stick[0].k, toy_mass / 1e-4, 1e-9);
  assert_float_equal(m->contacts[0].stick[0].d, 2.0 * toy_mass / 0.01, 1e-9);
  assert_float_equal(m->fastest, 100.0, 1e-9);
  cap_model_free(m);
}

static void a_loaded_start_carries_the_ideal_force(void **state)
{
  (void)state;
  cap_contact_law law = soft(0.01);
  law.loaded = true;
  cap_model *m = toy_pendulum(law);
  assert_non_null(m);
  double z = m->initial[2 * m->nv], k = m->contacts[0].stick[0].k;
  /* at rest the rod carries the weight's part along it: the row resists outward motion */
  assert_float_equal(k * z, 9.81 * toy_mass * sqrt(0.75), 1e-9);
  cap_model_free(m);
}

static void multipliers_make_the_row_acceleration_vanish(void **state)
{
  (void)state;
  cap_model *m = toy_knife_edge(rigid);
  assert_non_null(m);
  double y[6] = {0.1, -0.2, 0.7, 0.5, -0.3, 1.2}, ydot[6], h[3], lambda, t = 0.0, step = 1e-5;
  double *workspace = calloc((size_t)m->nworkspace, sizeof(double));
  cap_error error = {0};
  assert_int_equal(cap_constraints_project(m, t, y, workspace, &error), CAP_OK);
  assert_true(cap_constraints_residual(m, t, y, workspace, NULL) < 1e-15);
  assert_int_equal(cap_constraints_multipliers(m, t, y, workspace, &lambda, &error), CAP_OK);
  cap_eval e = {.nlane = 1, .t = &t, .h = h, .workspace = workspace};
  cap_model_derivative(m, &e, y, NULL, ydot, NULL);
  double slip[2];
  for (int side = 0; side < 2; side++) {
    double moved[6];
    for (int i = 0; i < 6; i++) moved[i] = y[i] + (side ? -step : step) * ydot[i];
    slip[side] = -sin(moved[2]) * moved[3] + cos(moved[2]) * moved[4];
  }
  assert_true(fabs(slip[0] - slip[1]) / (2.0 * step) < 1e-9);
  /* Lambda = J h - m phi' v, with v along the heading */
  double v = cos(y[2]) * y[3] + sin(y[2]) * y[4];
  assert_float_equal(lambda, -sin(y[2]) * toy_pull - toy_mass * y[5] * v, 1e-12);
  free(workspace);
  cap_model_free(m);
}

static void dependent_rows_are_named(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(1);
  int dofs[3] = {cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.0), cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0),
                 cap_builder_dof(b, "phi", "rad", 1.0, 0.0, 0.0)};
  cap_builder_contact(b, &toy_knife, "front", dofs, NULL, NULL, &rigid);
  cap_builder_contact(b, &toy_knife, "rear", dofs, NULL, NULL, &rigid);
  cap_model *m = NULL;
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(b, &m, &error), CAP_OK);
  cap_builder_free(b);
  double *workspace = calloc((size_t)m->nworkspace, sizeof(double)), y[6] = {0};
  int dependent;
  assert_int_equal(cap_constraints_rank(m, 0.0, y, workspace, &dependent), 1);
  assert_int_equal(dependent, 1);
  assert_int_equal(cap_constraints_project(m, 0.25, y, workspace, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "rear.sideways"));
  assert_non_null(strstr(error.text, "0.25 s"));
  free(workspace);
  cap_model_free(m);
}

/* ---- stepping ------------------------------------------------------------------------------------------ */

static cap_data *run(const cap_model *m, const cap_stepper_type *type, double tolerance, double until,
                     int rows, void (*see)(const cap_model *m, const cap_data *d, void *self), void *self)
{
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 1e-3, .tolerance = tolerance, .audit = true};
  assert_int_equal(cap_stepper_create(type, m, &settings, &stepper, &error), CAP_OK);
  cap_data *d = cap_data_create(m);
  cap_data_start_audit(m, d);
  for (int k = 1; k <= rows; k++) {
    double t = until * k / rows;
    if (cap_stepper_advance(&stepper, m, d, &t, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
    if (see) see(m, d, self);
  }
  cap_stepper_free(&stepper);
  return d;
}

typedef struct worst {
  double path, residual, force;
  double *workspace;
} worst;

static void see_knife(const cap_model *m, const cap_data *d, void *self)
{
  worst *w = self;
  double x, y, exact, lambda, size = 0.5 * toy_pull / toy_mass / (toy_spin * toy_spin);
  cap_error error = {0};
  toy_knife_exact(*d->t, &x, &y, &exact);
  w->path = fmax(w->path, hypot(d->q[0] - x, d->q[1] - y) / size);
  w->residual = fmax(w->residual, cap_constraints_residual(m, *d->t, d->y, w->workspace, NULL));
  assert_int_equal(cap_constraints_multipliers(m, *d->t, d->y, w->workspace, &lambda, &error), CAP_OK);
  w->force = fmax(w->force, fabs(lambda - exact) / toy_pull);
}

static void knife_edge_runs_on_its_cycloid(void **state)
{
  (void)state;
  cap_model *m = toy_knife_edge(rigid);
  worst w = {.workspace = calloc((size_t)m->nworkspace, sizeof(double))};
  cap_data *d = run(m, &cap_extrapolate_type, 1e-13, 20.0 * M_PI / toy_spin, 500, see_knife, &w);
  print_message("knife edge over ten turns: path %.2e, residual %.2e m/s, force %.2e\n", w.path, w.residual,
                w.force);
  assert_true(w.path < 1e-9);
  assert_true(w.residual < 1e-12);
  assert_true(w.force < 1e-9);
  cap_balance_line lines[16];
  double scale;
  int n = cap_data_balance(m, d, 0, lines, &scale);
  assert_true(fabs(lines[n - 1].energy) < 1e-9 * toy_pull);
  cap_data_free(d);
  free(w.workspace);
  cap_model_free(m);
}

static void see_rod(const cap_model *m, const cap_data *d, void *self)
{
  (void)m;
  double *gap = self;
  *gap = fmax(*gap, fabs(hypot(d->q[0], d->q[1]) - 1.0));
}

static void gaps_stay_closed(void **state)
{
  (void)state;
  cap_model *m = toy_pendulum(rigid);
  double widest = 0.0;
  cap_data *d = run(m, &cap_extrapolate_type, 1e-12, 100.0, 200, see_rod, &widest);
  assert_true(widest < 1e-14);
  /* energy of a conservative system */
  double energy = 0.5 * (d->v[0] * d->v[0] + d->v[1] * d->v[1]) + 9.81 * (d->q[1] + sqrt(0.75));
  assert_true(fabs(energy) < 1e-10);
  cap_data_free(d);
  cap_model_free(m);
}

static void viscoelastic_contact_follows_the_ideal_one(void **state)
{
  (void)state;
  double before = 0.0;
  for (int k = 0; k < 3; k++) {
    double epsilon = 0.03 * pow(0.1, k), x, y, exact;
    cap_model *m = toy_knife_edge(soft(epsilon));
    cap_data *d = run(m, &cap_cvode_type, 1e-11, 4.0, 4, NULL, NULL);
    toy_knife_exact(4.0, &x, &y, &exact);
    double miss = hypot(d->q[0] - x, d->q[1] - y);
    print_message("epsilon %.0e: miss %.3e m\n", epsilon, miss);
    if (k) assert_true(fabs(log10(before / miss) - 2.0) < 0.1);
    before = miss;
    cap_balance_line lines[16];
    double scale;
    int n = cap_data_balance(m, d, 0, lines, &scale);
    assert_true(fabs(lines[n - 1].energy) < 1e-8 * scale);
    cap_data_free(d);
    cap_model_free(m);
  }
}

static void all_steppers_agree_on_a_viscoelastic_contact(void **state)
{
  (void)state;
  const struct {
    const cap_stepper_type *type;
    double miss;
  } cases[] = {{&cap_theta_midpoint_type, 1e-5},
               {&cap_theta_euler_type, 2e-2},
               {&cap_moreau_type, 2e-2},
               {&cap_rk4_type, 1e-8},
               {&cap_extrapolate_type, 1e-9}};
  cap_model *m = toy_knife_edge(soft(0.03));
  cap_data *exact = run(m, &cap_cvode_type, 1e-12, 4.0, 1, NULL, NULL);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cap_data *d = run(m, cases[k].type, 1e-12, 4.0, 1, NULL, NULL);
    double miss = hypot(d->q[0] - exact->q[0], d->q[1] - exact->q[1]), scale;
    cap_balance_line lines[16];
    int n = cap_data_balance(m, d, 0, lines, &scale);
    print_message("%s: %.2e m, residual of the audit %.1e\n", cases[k].type->name, miss,
                  lines[n - 1].energy / scale);
    assert_true(miss < cases[k].miss);
    cap_data_free(d);
  }
  cap_data_free(exact);
  cap_model_free(m);
}

static void steppers_without_constraints_are_refused(void **state)
{
  (void)state;
  cap_model *m = toy_knife_edge(rigid);
  assert_string_equal(cap_stepper_obstacle(&cap_cvode_type, m), "it has ideal rolling constraints");
  assert_string_equal(cap_stepper_obstacle(&cap_rk4_type, m), "it has ideal rolling constraints");
  assert_ptr_equal(cap_stepper_best(m), &cap_extrapolate_type);
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangent_of_a_viscoelastic_contact),
      cmocka_unit_test(the_scaling_is_that_of_the_effective_mass),
      cmocka_unit_test(a_loaded_start_carries_the_ideal_force),
      cmocka_unit_test(multipliers_make_the_row_acceleration_vanish),
      cmocka_unit_test(dependent_rows_are_named),
      cmocka_unit_test(knife_edge_runs_on_its_cycloid),
      cmocka_unit_test(gaps_stay_closed),
      cmocka_unit_test(viscoelastic_contact_follows_the_ideal_one),
      cmocka_unit_test(all_steppers_agree_on_a_viscoelastic_contact),
      cmocka_unit_test(steppers_without_constraints_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
