/* verify/test_hydraulic.c — the oil chamber of a hydraulic tensioner against closed forms (theory §30.2). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"
#include "drives/accessory/elements/belt_elements.h"

#include "analysis/statics/equilibrium.h"
#include "elements/elements.h"
#include "laws/hydraulic.h"
#include "model/builder.h"

#include <math.h>

#define assert_near(found, expected, tolerance) check_near(found, expected, tolerance, __LINE__)

static void check_near(double found, double expected, double tolerance, int line)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("line %d: %.12g differs from %.12g by %.3g", line, found, expected, fabs(found - expected));
}

static const capm_hydraulic usual = {
    .stiffness = 2e6, .leak = 2e4, .valve = 200.0, .opening = 5.0, .blend = 5.0};

static void add_chamber(cap_builder *b, int i, const capm_hydraulic *p, int sense, double force)
{
  double par[CAP_HYDRAULIC_NPARAM] = {p->stiffness, p->leak, p->valve, p->opening, p->blend, sense};
  double x = -sense * force;
  cap_builder_element(b, &cap_hydraulic_type, "oil", i, CAP_GROUND, par, &x);
}

static test_system finish(cap_builder *b)
{
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* A plunger whose end is moved by Z sin(omega t). */
static test_system moved(const capm_hydraulic *p, int sense, double force, double Z, double omega)
{
  cap_builder *b = cap_builder_create(1);
  cap_motion motion = {.amplitude = Z, .angular_frequency = omega};
  assert_non_null(b);
  add_chamber(b, cap_builder_driven(b, "rod", "m", &motion), p, sense, force);
  return finish(b);
}

/* A mass on a spring and a chamber, pressed in by a load; the plunger comes out along `sense`. */
static test_system pressed(const capm_hydraulic *p, int sense, double mass, double spring, double load)
{
  cap_builder *b = cap_builder_create(1);
  double link[CAP_LINK_NPARAM] = {spring}, push[CAP_LOAD_NPARAM] = {-sense * load};
  assert_non_null(b);
  int i = cap_builder_dof(b, "body", "m", mass, 0.0, 0.0);
  if (spring > 0.0) cap_builder_element(b, &cap_link_type, "spring", i, CAP_GROUND, link, NULL);
  cap_builder_element(b, &cap_load_type, "load", i, CAP_GROUND, push, NULL);
  add_chamber(b, i, p, sense, 0.0);
  return finish(b);
}

static double force_of(const test_system *s, int sense)
{
  return -sense * s->d->x[0];
}

/* Pressed in and held there, the force decays with c_leak/k; sucked, far quicker until the valve is shut. */
static void test_leak_down(void **state)
{
  (void)state;
  for (int sense = -1; sense <= 1; sense += 2) {
    double tau = usual.leak / usual.stiffness;
    test_system s = moved(&usual, sense, 500.0, 0.0, 1.0);
    test_run(&s, &cap_cvode_type, 0.0, 0.5 * tau);
    assert_near(force_of(&s, sense), 500.0 * exp(-0.5), 1e-5);
    test_run(&s, &cap_theta_midpoint_type, tau / 2000.0, 3.0 * tau);
    assert_near(force_of(&s, sense), 500.0 * exp(-3.0), 2e-5);
    test_system_close(&s);
    /* above the blend: f' = -k f (1/c_leak + 1/c_valve) - k (opening + blend/2)/c_valve */
    s = moved(&usual, sense, -500.0, 0.0, 1.0);
    double rate = usual.stiffness * (1.0 / usual.leak + 1.0 / usual.valve);
    double rest = usual.stiffness * 7.5 / usual.valve / rate, t = 3.0 / rate;
    test_run(&s, &cap_cvode_type, 0.0, t);
    assert_near(force_of(&s, sense), -(500.0 - rest) * exp(-3.0) - rest, 1e-5);
    test_system_close(&s);
  }
}

/* A constant load: elastic at once, then it sinks at F/c_leak. */
static void test_load_sinks(void **state)
{
  (void)state;
  double F = 800.0, tau = usual.leak / usual.stiffness;
  test_system s = pressed(&usual, 1, 0.5, 0.0, F);
  double damping_time = 2.0 * 0.5 / (0.5 * usual.stiffness / usual.leak); /* of the mass on the oil */
  double t = 40.0 * fmax(damping_time, tau);
  test_run(&s, &cap_cvode_type, 0.0, t);
  assert_near(s.d->v[0], -F / usual.leak, 1e-9);
  /* mass on a Maxwell element from rest: the way ends as -F (t/c + 1/k - m/c^2) */
  assert_near(-s.d->q[0], F * (t / usual.leak + 1.0 / usual.stiffness - 0.5 / (usual.leak * usual.leak)),
              1e-9);
  assert_near(force_of(&s, 1), F, 1e-5);
  test_system_close(&s);
}

/* Energy lost in one cycle of the steady state, by leak and by valve; the largest and smallest force. */
typedef struct cycle {
  double leak, valve, most, least, mean;
} cycle;

static cycle steady_cycle(const capm_hydraulic *p, double Z, double omega, int before,
                          const cap_stepper_type *type)
{
  enum { N = 400 };
  test_system s = moved(p, -1, 0.0, Z, omega); /* positive deflection presses in */
  cap_stepper stepper = test_stepper(&s, type, 2.0 * M_PI / omega / N / 4, 1e-10, true);
  double period = 2.0 * M_PI / omega, start = before * period;
  test_advance(&s, &stepper, start, NULL);
  cycle c = {.leak = -test_work(&s, "oil.leak"),
             .valve = -test_work(&s, "oil.valve"),
             .least = INFINITY,
             .most = -INFINITY};
  for (int k = 1; k <= N; k++) {
    test_advance(&s, &stepper, start + k * period / N, NULL);
    c.most = fmax(c.most, force_of(&s, -1));
    c.least = fmin(c.least, force_of(&s, -1));
    c.mean += force_of(&s, -1) / N;
  }
  c.leak += test_work(&s, "oil.leak");
  c.valve += test_work(&s, "oil.valve");
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return c;
}

/* With the valve shut it is spring and damper in series: loss pi k Z^2 w/(1 + w^2), w = omega c/k. */
static void test_loss_with_the_valve_shut(void **state)
{
  (void)state;
  capm_hydraulic p = usual;
  p.opening = 1e9;
  const double w[] = {0.1, 1.0, 10.0};
  for (int k = 0; k < 3; k++) {
    double Z = 1e-4, omega = w[k] * p.stiffness / p.leak;
    cycle c = steady_cycle(&p, Z, omega, w[k] > 5.0 ? 16 : 4, &cap_theta_midpoint_type);
    double loss = M_PI * p.stiffness * Z * Z * w[k] / (1.0 + w[k] * w[k]);
    double force = p.stiffness * Z * w[k] / sqrt(1.0 + w[k] * w[k]);
    assert_near(c.leak, loss, 1e-4 * loss);
    assert_near(c.valve, 0.0, 0.0);
    assert_near(c.most, force, 1e-4 * force);
    assert_near(c.least, -force, 1e-4 * force);
  }
}

/* Slow: two dampers, c_leak pressed in, c_leak beside c_valve drawn out. */
static void test_slow_loop_is_asymmetric(void **state)
{
  (void)state;
  capm_hydraulic p = usual;
  p.opening = 0.0;
  p.blend = 1e-6;
  double Z = 1e-3, omega = 1e-3 * p.stiffness / p.leak, out = 1.0 / (1.0 / p.leak + 1.0 / p.valve);
  cycle c = steady_cycle(&p, Z, omega, 1, &cap_cvode_type);
  double loss = 0.5 * M_PI * omega * Z * Z * (p.leak + out);
  assert_near(c.most, p.leak * omega * Z, 1e-3 * p.leak * omega * Z);
  assert_near(c.least, -out * omega * Z, 1e-3 * out * omega * Z);
  assert_near(c.leak + c.valve, loss, 1e-3 * loss);
  assert_near(c.valve, 0.5 * M_PI * omega * Z * Z * out * out / p.valve, 2e-3 * c.valve);
}

/* Quick: the valve refills until the chamber is pressed nearly all the time: f = k Z (1 + sin) - d. In a
 * cycle the leak takes k Z/c_leak 2 pi/omega; drawn below 0 by the parabola's depth d for 2 sqrt(2 d/(k
 * Z))/omega the valve gives 2/3 d/c_valve for that long. */
static void test_vibration_pumps_up(void **state)
{
  (void)state;
  capm_hydraulic p = usual;
  p.valve = 5.0;
  p.opening = 0.0;
  p.blend = 1e-3;
  double Z = 1e-4, omega = 200.0 * p.stiffness / p.leak, kZ = p.stiffness * Z;
  cycle c = steady_cycle(&p, Z, omega, 200, &cap_theta_midpoint_type);
  double depth = pow(2.0 * M_PI * kZ / p.leak * 0.75 * p.valve / sqrt(2.0 / kZ), 2.0 / 3.0);
  print_message("  mean %.2f N of k Z = %.1f N, from %.3f (predicted %.3f) to %.2f N\n", c.mean, kZ, c.least,
                -depth, c.most);
  assert_near(c.least, -depth, 0.1 * depth);
  assert_near(c.mean, kZ - depth, 0.015 * kZ);
  assert_near(c.most, 2.0 * kZ - depth, 0.015 * kZ);
}

static void test_it_only_loses(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 10000; k++) {
    capm_hydraulic p = {.stiffness = 1.0, .leak = test_random(&seed, 1.0, 1e5)};
    p.valve = test_random(&seed, 1.0, 1e5);
    p.opening = test_random(&seed, 0.0, 100.0);
    p.blend = test_random(&seed, 1e-3, 100.0);
    double f = test_random(&seed, -300.0, 300.0), slope, flow = capm_hydraulic_flow(&p, f, &slope);
    assert_true(f * flow >= 0.0);
    assert_true(slope >= 1.0 / p.leak);
    /* slopes by differences, away from the two joints */
    double other, h = 1e-5, next = capm_hydraulic_flow(&p, f + h, &other);
    if (fabs(other - slope) < 1e-3 * slope)
      assert_near((next - flow) / h, 0.5 * (slope + other), 1e-5 * slope);
  }
}

/* Knocked in, a mass on spring and chamber comes back slowly; the audit closes. */
static void test_audit_closes(void **state)
{
  (void)state;
  test_system s = pressed(&usual, -1, 2.0, 8e3, 0.0);
  s.d->v[0] = 0.5;
  cap_data_start_audit(s.m, s.d);
  double integrator;
  test_run(&s, &cap_theta_midpoint_type, 2e-6, 0.2);
  assert_true(test_balance(&s, &integrator) < 1e-6);
  assert_true(fabs(integrator) < 1e-3);
  assert_true(test_work(&s, "oil.leak") > 0.0 && test_work(&s, "oil.valve") >= 0.0);
  test_system_close(&s);
}

/* Statics: only the spring acts. Stiffness: with the oil after a reversal, without it while it flows. */
static void test_statics_and_stiffness(void **state)
{
  (void)state;
  test_system s = pressed(&usual, 1, 2.0, 8e3, 400.0);
  cap_equilibrium found;
  cap_error error = {0};
  double K, C;
  s.d->x[0] = -50.0;
  assert_int_equal(cap_equilibrium_find(s.m, s.d, 1e-12, 50, &found, &error), CAP_OK);
  assert_near(s.d->q[0], -400.0 / 8e3, 1e-12);
  assert_near(s.d->x[0], 0.0, 0.0);
  assert_int_equal(cap_equilibrium_stiffness(s.m, s.d, false, &K, &C, &error), 1);
  assert_near(K, 8e3 + 2e6, 1e-6);
  assert_int_equal(cap_equilibrium_stiffness(s.m, s.d, true, &K, &C, &error), 1);
  assert_near(K, 8e3, 1e-6);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leak_down),
      cmocka_unit_test(test_load_sinks),
      cmocka_unit_test(test_loss_with_the_valve_shut),
      cmocka_unit_test(test_slow_loop_is_asymmetric),
      cmocka_unit_test(test_vibration_pumps_up),
      cmocka_unit_test(test_it_only_loses),
      cmocka_unit_test(test_audit_closes),
      cmocka_unit_test(test_statics_and_stiffness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
