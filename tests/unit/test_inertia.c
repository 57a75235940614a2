/* A double pendulum as one block of inertia: energy, tangents, modes, and who refuses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/system.h"
#include "../support/tangents.h"
#include "analysis/statics/equilibrium.h"
#include "elements/elements.h"
#include "linalg/eigen.h"
#include "model/builder.h"
#include "step/stepper.h"

/* Two rods without mass, l = 1 m, with 1 kg each at their ends; absolute angles q0, q1 from below.
 *   M = [2, c; c, 1] with c = cos(q0 - q1);
 *   h0 = -sin(q0 - q1) v1^2 - 2 g sin q0,  h1 = + sin v0^2 - g sin q1 */
static const double gravity = 9.81;

typedef struct pendulum {
  int first;
} pendulum;

static int pendulum_nwork(const cap_inertia *b)
{
  (void)b;
  return 4;
}

static bool pendulum_factor(const cap_inertia *b, const double *q, double *work)
{
  double c = cos(q[b->first] - q[b->first + 1]);
  work[0] = sqrt(2.0);
  work[1] = c / work[0];
  work[2] = sqrt(1.0 - work[1] * work[1]);
  work[3] = c;
  return true;
}

static void pendulum_half(const cap_inertia *b, const double *work, int ncol, double *x)
{
  for (int k = 0; k < ncol; k++) {
    double *y = x + k * b->n;
    y[0] /= work[0];
    y[1] = (y[1] - work[1] * y[0]) / work[2];
  }
}

static void pendulum_solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  pendulum_half(b, work, ncol, x);
  for (int k = 0; k < ncol; k++) {
    double *y = x + k * b->n;
    y[1] /= work[2];
    y[0] = (y[0] - work[1] * y[1]) / work[0];
  }
}

static void pendulum_multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  (void)b;
  p[0] = 2.0 * v[0] + work[3] * v[1];
  p[1] = work[3] * v[0] + v[1];
}

static void pendulum_turn(const cap_inertia *b, const double *q, const double *a, const double *dq,
                          int stride, double *out)
{
  double d = q[b->first] - q[b->first + 1];
  double dc = -sin(d) * (dq[b->first * stride] - dq[(b->first + 1) * stride]);
  out[0] = dc * a[1];
  out[1] = dc * a[0];
}

static const cap_inertia_type pendulum_inertia = {"double pendulum", pendulum_nwork, pendulum_factor,
                                                  pendulum_solve,    pendulum_half,  pendulum_multiply,
                                                  pendulum_turn,     NULL,           NULL};

static void pendulum_rates(const cap_batch *b, cap_eval *e)
{
  const pendulum *p = b->bodies[0];
  int i = p->first, j = i + 1, n = e->ncol;
  double d = e->q[i] - e->q[j], s = sin(d), c = cos(d), v0 = e->v[i], v1 = e->v[j];
  e->h[i] += -s * v1 * v1 - 2.0 * gravity * sin(e->q[i]);
  e->h[j] += s * v0 * v0 - gravity * sin(e->q[j]);
  for (int k = 0; k < n; k++) {
    double dd = e->dq[i * n + k] - e->dq[j * n + k];
    e->dh[i * n + k] += -c * dd * v1 * v1 - 2.0 * s * v1 * e->dv[j * n + k] -
                        2.0 * gravity * cos(e->q[i]) * e->dq[i * n + k];
    e->dh[j * n + k] += c * dd * v0 * v0 + 2.0 * s * v0 * e->dv[i * n + k] -
                        gravity * cos(e->q[j]) * e->dq[j * n + k];
  }
}

static void pendulum_energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const pendulum *p = b->bodies[0];
  stored[0] -= gravity * (2.0 * cos(e->q[p->first]) + cos(e->q[p->first + 1]));
}

static const cap_element_type pendulum_element = {
    .name = "pendulum", .wide = true, .rates = pendulum_rates, .energy = pendulum_energy};

static cap_status describe(double q0, double q1, double base, bool driven, cap_model **m, cap_error *error)
{
  cap_builder *b = cap_builder_create(1);
  static const cap_motion still = {.mean = 0.0};
  assert_non_null(b);
  int mass = cap_builder_dof(b, "mass", "m", 2.0, 0.1, 0.0); /* something else beside it */
  pendulum *p = CAP_ARENA_NEW(cap_builder_arena(b), pendulum, 1);
  p->first = driven ? cap_builder_driven(b, "upper", "rad", &still)
                    : cap_builder_dof(b, "upper", "rad", 1.0, q0, 0.0);
  int lower = cap_builder_dof(b, "lower", "rad", 1.0, q1, 0.0);
  if (base != 0.0) cap_builder_turn(b, lower, base, -1);
  cap_builder_inertia(b, &pendulum_inertia, p->first, 2, p);
  int element = cap_builder_element(b, &pendulum_element, "pendulum", p->first, CAP_GROUND, NULL, NULL);
  cap_builder_body(b, element, p);
  double par[CAP_LINK_NPARAM] = {3.0, 0.0, 0.0};
  cap_builder_element(b, &cap_link_type, "spring", mass, CAP_GROUND, par, NULL);
  cap_status status = cap_builder_finish(b, m, error);
  cap_builder_free(b);
  return status;
}

static test_system build(double q0, double q1)
{
  test_system s = {0};
  cap_error error = {0};
  if (describe(q0, q1, 0.0, false, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static double energy(const test_system *s)
{
  double stored;
  cap_eval e = {.nlane = 1, .q = s->d->q, .v = s->d->v, .x = s->d->x, .inertia_work = s->d->inertia_work};
  cap_model_energy(s->m, &e, &stored);
  return stored;
}

/* A fast swing over the top, by every stepper that takes it: the energy stays, and they agree. */
static void energy_stays(void **state)
{
  (void)state;
  static const struct {
    const cap_stepper_type *type;
    double step, bound;
  } cases[] = {{&cap_rk4_type, 1e-4, 1e-9},
               {&cap_cvode_type, 0.0, 1e-6},
               {&cap_extrapolate_type, 0.0, 1e-10},
               {&cap_radau_type, 0.0, 1e-8}};
  double first[2] = {0.0};
  for (int k = 0; k < 4; k++) {
    test_system s = build(2.0, 2.5);
    double start = energy(&s);
    test_run(&s, cases[k].type, cases[k].step, 2.0);
    assert_true(fabs(energy(&s) - start) < cases[k].bound * 30.0);
    assert_true(fabs(s.d->v[2]) > 0.1);
    for (int i = 0; i < 2; i++) {
      if (k == 0) first[i] = s.d->q[1 + i];
      assert_true(fabs(s.d->q[1 + i] - first[i]) < 1e-4);
    }
    assert_true(fabs(s.d->q[0] - 0.1 * cos(sqrt(1.5) * 2.0)) < 1e-6); /* what is beside it */
    test_system_close(&s);
  }
}

static void tangents_are_derivatives(void **state)
{
  (void)state;
  test_system s = build(0.7, -0.4);
  double y[6] = {0.1, 0.7, -0.4, 0.3, 2.0, -3.0};
  test_tangents_at(&s, y, 1e-2);
  test_system_close(&s);
}

/* About rest: w^2 = g (2 -+ sqrt 2) of the masses of 1 kg; and M L L' parts agree with each other. */
static void modes_are_known(void **state)
{
  (void)state;
  test_system s = build(0.0, 0.0);
  double K[9], C[9], M[9], values[3], vectors[9], re[6], im[6];
  cap_error error = {0};
  assert_int_equal(cap_equilibrium_stiffness(s.m, s.d, false, K, C, &error), 3);
  assert_int_equal(cap_equilibrium_mass(s.m, s.d, M), CAP_OK);
  assert_int_equal(capm_eigen_symmetric(3, K, M, values, vectors), CAP_OK);
  assert_true(fabs(values[0] - 1.5) < 1e-12);
  assert_true(fabs(values[1] - gravity * (2.0 - sqrt(2.0))) < 1e-10);
  assert_true(fabs(values[2] - gravity * (2.0 + sqrt(2.0))) < 1e-10);
  assert_int_equal(cap_equilibrium_eigenvalues(s.m, s.d, false, re, im, &error), 6);
  double fastest = 0.0;
  for (int k = 0; k < 6; k++) fastest = fmax(fastest, im[k]);
  assert_true(fabs(fastest * fastest - values[2]) < 1e-9);
  double x[3] = {7.0, 1.0, -2.0}, half[2] = {1.0, -2.0}, work[16], b[3] = {7.0, 1.0, -2.0};
  assert_true(s.m->ninertia_work <= 16 && cap_inertia_factor(s.m, s.d->q, work));
  cap_inertia_solve(s.m, work, x);
  pendulum_inertia.half(&s.m->inertias[0], work, 1, half);
  assert_true(x[0] == 7.0);
  assert_true(fabs(half[0] * half[0] + half[1] * half[1] - (b[1] * x[1] + b[2] * x[2])) < 1e-12);
  test_system_close(&s);
}

static void others_refuse(void **state)
{
  (void)state;
  static const cap_stepper_type *const types[] = {&cap_theta_euler_type, &cap_theta_midpoint_type,
                                                  &cap_moreau_type,      &cap_leapfrog_type,
                                                  &cap_propagate_type,   &cap_ida_type};
  test_system s = build(0.3, 0.2);
  for (int k = 0; k < 6; k++) assert_non_null(cap_stepper_obstacle(types[k], s.m));
  assert_ptr_equal(cap_stepper_best(s.m), &cap_cvode_type);
  test_system_close(&s);
  cap_model *m;
  cap_error error = {0};
  assert_int_equal(describe(0.0, 0.0, 1.0, false, &m, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "moving frame"));
  assert_int_equal(describe(0.0, 0.0, 0.0, true, &m, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "prescribed"));
}

/* A block whose matrix is constant goes by leapfrog, dry friction beside it too, but not on it: the kick
 * finds friction with diagonal masses. */
static bool constant_factor(const cap_inertia *b, const double *q, double *work)
{
  (void)q;
  const double there[3] = {0.0, 0.7, 0.0};
  cap_inertia at_zero = *b;
  at_zero.first = 0;
  return pendulum_factor(&at_zero, there, work);
}

static void friction_on_a_block_is_refused_by_leapfrog(void **state)
{
  (void)state;
  static const cap_inertia_type constant = {"constant",     pendulum_nwork, constant_factor,
                                            pendulum_solve, pendulum_half,  pendulum_multiply,
                                            NULL,           NULL,           NULL};
  const struct {
    int i, j;
    double k;
    bool refused;
  } cases[] = {{0, CAP_GROUND, INFINITY, false},
               {2, CAP_GROUND, INFINITY, true},
               {1, CAP_GROUND, 100.0, true},
               {0, 2, INFINITY, true}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    cap_builder *b = cap_builder_create(1);
    cap_builder_dof(b, "mass", "m", 2.0, 0.1, 0.0);
    int first = cap_builder_dof(b, "upper", "m", 1.0, 0.1, 0.0);
    cap_builder_dof(b, "lower", "m", 1.0, 0.0, 0.0);
    cap_builder_inertia(b, &constant, first, 2, NULL);
    cap_builder_slider(b, "friction", cases[c].i, cases[c].j, cases[c].k, 1.0, 0.0);
    cap_model *m = NULL;
    cap_error error = {0};
    if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
    cap_builder_free(b);
    const char *obstacle = cap_stepper_obstacle(&cap_leapfrog_type, m);
    if (!cases[c].refused) assert_null(obstacle);
    else assert_string_equal(obstacle, "dry friction acts on a body with a non-diagonal mass matrix");
    cap_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stays),
      cmocka_unit_test(tangents_are_derivatives),
      cmocka_unit_test(modes_are_known),
      cmocka_unit_test(others_refuse),
      cmocka_unit_test(friction_on_a_block_is_refused_by_leapfrog),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
