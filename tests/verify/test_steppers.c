/* Time steppers against closed forms, the exact propagator and themselves: orders, energy, friction,
 * tangents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/system.h"
#include "elements/elements.h"
#include "model/builder.h"

static const char MASING[] = TEST_BELT TEST_MASING TEST_ANY;
static const char DAHL[] = TEST_BELT TEST_DAHL TEST_ANY;
static const char LINEAR[] = TEST_BELT "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N "
                                       "s/m, c_angular_frequency: 9.4 rad/s}\n" TEST_ANY;

/* a pulley heavy enough that steps stand far above the rounding errors */
static const char HEAVY[] = "capstan: 1\nname: t\ndrive: belt-tensioner-mass\n"
                            "masses: {mass: 73.84 kg, pulley: 10 kg}\n"
                            "belt: {stiffness: 560 kN/m, damping: 160 N s/m}\n"
                            "load: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"
                            "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1e3 N s/m}\n" TEST_ANY;

/* ---- orders -------------------------------------------------------------------------------------------- */

/* Order over three halvings from `step`, by a fit through the errors at eight instants in (0, until]. */
static double observed_order(const char *text, const cap_stepper_type *type, double step, double until,
                             const cap_stepper_type *reference, double fine, double *smallest)
{
  enum { INSTANTS = 8, STEPS = 4 };
  double error[STEPS] = {0};
  test_system s = test_system_open(text), r = test_system_open(text);
  cap_stepper exact = test_stepper(&r, reference, fine, 1e-12, false), own[STEPS];
  cap_data *d[STEPS], *first = s.d;
  for (int k = 0; k < STEPS; k++) {
    own[k] = test_stepper(&s, type, ldexp(step, -k), 1e-10, false);
    assert_non_null(d[k] = cap_data_create(s.m));
  }
  for (int i = 1; i <= INSTANTS; i++) {
    double t = until * i / INSTANTS;
    test_advance(&r, &exact, t, NULL);
    for (int k = 0; k < STEPS; k++) {
      s.d = d[k];
      test_advance(&s, &own[k], t, NULL);
      error[k] += test_distance(s.m, s.d->y, r.d->y) / INSTANTS;
    }
  }
  s.d = first;
  for (int k = 0; k < STEPS; k++) {
    cap_stepper_free(&own[k]);
    cap_data_free(d[k]);
  }
  cap_stepper_free(&exact);
  test_system_close(&s);
  test_system_close(&r);
  /* slope of log2(error) over the halvings by least squares */
  double order = 0.0;
  for (int k = 0; k < STEPS; k++) order -= (k - 1.5) * log2(error[k]) / 5.0;
  *smallest = error[STEPS - 1];
  return order;
}

static void check_order(const char *name, const char *text, const cap_stepper_type *type, double step,
                        const cap_stepper_type *reference, double fine, double low, double high)
{
  double smallest, order = observed_order(text, type, step, 0.4, reference, fine, &smallest);
  print_message("  %-22s order %.3f, error %.2e at h = %.3g s\n", name, order, smallest, step / 8);
  if (!(order >= low && order <= high))
    fail_msg("%s: observed order %.3f is not within %g to %g", name, order, low, high);
}

static void orders_on_masing(void **state)
{
  (void)state;
  const cap_stepper_type *exact = &cap_propagate_type;
  check_order("euler, Masing", MASING, &cap_theta_euler_type, 4e-4, exact, 1, 0.9, 1.1);
  check_order("midpoint, Masing", MASING, &cap_theta_midpoint_type, 4e-4, exact, 1, 1.85, 2.15);
  check_order("moreau, Masing", MASING, &cap_moreau_type, 2e-5, exact, 1, 0.9, 1.1);
}

static void orders_on_a_linear_system(void **state)
{
  (void)state;
  const cap_stepper_type *exact = &cap_propagate_type;
  check_order("rk4, linear", HEAVY, &cap_rk4_type, 1e-3, exact, 1, 3.85, 4.15);
  check_order("midpoint, linear", LINEAR, &cap_theta_midpoint_type, 4e-4, exact, 1, 1.9, 2.1);
  check_order("euler, linear", LINEAR, &cap_theta_euler_type, 4e-4, exact, 1, 0.9, 1.1);
}

static void orders_on_dahl(void **state)
{
  (void)state;
  /* the reversals are located by the reference only: all methods but it are second order there at most */
  const cap_stepper_type *cvode = &cap_cvode_type;
  check_order("euler, Dahl", DAHL, &cap_theta_euler_type, 2e-5, cvode, 1, 0.85, 1.15);
  check_order("midpoint, Dahl", DAHL, &cap_theta_midpoint_type, 1e-4, cvode, 1, 1.7, 2.3);
  check_order("rk4, Dahl", DAHL, &cap_rk4_type, 4e-5, cvode, 1, 1.8, INFINITY);
  check_order("moreau, Dahl", DAHL, &cap_moreau_type, 1e-5, cvode, 1, 0.8, 1.2);
}

/* ---- energy -------------------------------------------------------------------------------------------- */

static double audit_of(const char *text, const cap_stepper_type *type, double step, double tolerance,
                       double *integrator)
{
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, type, step, tolerance, true);
  for (int k = 1; k <= 20; k++) test_advance(&s, &stepper, 0.02 * k, NULL);
  double residual = test_balance(&s, integrator);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return residual;
}

static void check_audit(const char *name, const char *text, const cap_stepper_type *type, double step,
                        double tolerance, double most, double integrator_low, double integrator_high)
{
  double integrator, residual = audit_of(text, type, step, tolerance, &integrator);
  print_message("  %-22s residual %.1e, integrator %.3e of the turnover\n", name, residual, integrator);
  if (!(residual <= most)) fail_msg("%s: residual %.3e, at most %.1e expected", name, residual, most);
  if (!(integrator >= integrator_low && integrator <= integrator_high))
    fail_msg("%s: integrator %.3e, expected within %.1e to %.1e", name, integrator, integrator_low,
             integrator_high);
}

static void energy_balances_close(void **state)
{
  (void)state;
  check_audit("exact, Masing", MASING, &cap_propagate_type, 1, 1, 1e-11, 0, 0);
  check_audit("midpoint, Masing", MASING, &cap_theta_midpoint_type, 1e-4, 1, 1e-11, 0, 0);
  check_audit("euler, Masing", MASING, &cap_theta_euler_type, 1e-4, 1, 1e-11, 1e-3, 0.3);
  check_audit("moreau, Masing", MASING, &cap_moreau_type, 2e-5, 1, 1e-11, -0.01, 0.01);
  check_audit("rk4, linear", HEAVY, &cap_rk4_type, 5e-5, 1, 1e-9, 0, 0);
  check_audit("cvode, linear", LINEAR, &cap_cvode_type, 1, 1e-9, 1e-6, 0, 0);
  check_audit("cvode, Dahl", DAHL, &cap_cvode_type, 1, 1e-9, 1e-6, 0, 0);
}

/* The force-deflection loop of the steady orbit at f1 = 100 N, Omega = 60 rad/s as the steps of at most h see
 * it: sum of the force at theta times the deflection of the step. */
static double loop_energy(const cap_stepper_type *type, double theta, double h)
{
  test_system s = test_system_open(MASING);
  cap_stepper stepper = test_stepper(&s, type, h, 1e-10, true);
  double period = s.m->period[0], steps = ceil(period / h), sum = 0.0;
  test_advance(&s, &stepper, 100.0 * period, NULL); /* 10 s: settled to far below 1e-6 */
  double force = test_value(&s, "tensioner.force"), u = test_value(&s, "tensioner.deflection");
  for (int k = 1; k <= (int)steps; k++) {
    test_advance(&s, &stepper, period * (100.0 + k / steps), NULL);
    double next = test_value(&s, "tensioner.force"), u1 = test_value(&s, "tensioner.deflection");
    sum += ((1.0 - theta) * force + theta * next) * (u1 - u);
    force = next;
    u = u1;
  }
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return sum;
}

static void integrators_lose_what_is_known(void **state)
{
  (void)state;
  /* exact: friction and damper of a period, from the audit */
  test_system s = test_system_open(MASING);
  cap_stepper stepper = test_stepper(&s, &cap_propagate_type, 1, 1, true);
  test_advance(&s, &stepper, 100.0 * s.m->period[0], NULL);
  cap_data_start_audit(s.m, s.d);
  test_advance(&s, &stepper, 101.0 * s.m->period[0], NULL);
  double exact = test_work(&s, "tensioner.slider.friction") + test_work(&s, "tensioner.viscous");
  cap_stepper_free(&stepper);
  test_system_close(&s);
  double euler = 1.0 - loop_energy(&cap_theta_euler_type, 1.0, 1e-4) / exact;
  double midpoint = 1.0 - loop_energy(&cap_theta_midpoint_type, 0.5, 1e-4) / exact;
  print_message("  loop energy %.6f J; at h = 1e-4 s Euler loses %.4f of it, the midpoint rule %.2e\n", exact,
                euler, midpoint);
  assert_true(euler > 0.0275 && euler < 0.0285);
  assert_true(fabs(midpoint) < 2e-5);
}

/* ---- dry friction -------------------------------------------------------------------------------------- */

/* A block of 2 kg on a spring (may be 0) with Coulomb friction of 3 N. */
static test_system block(double k, double q0, double v0)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  double spring[CAP_LINK_NPARAM] = {k, 0.0, 0.0};
  int i = cap_builder_dof(b, "block", "m", 2.0, q0, v0);
  cap_builder_element(b, &cap_link_type, "spring", i, CAP_GROUND, spring, NULL);
  cap_builder_slider(b, "floor", i, CAP_GROUND, INFINITY, 3.0, 0.0);
  assert_int_equal(cap_builder_finish(b, &s.m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static const cap_stepper_type *const SET_VALUED[] = {&cap_theta_euler_type, &cap_theta_midpoint_type,
                                                     &cap_moreau_type, NULL};

/* m v' = -3 N: stops after v0 m / 3 N = 0.5 s at v0^2 m / 6 N = 0.1875 m, and stays there. */
static void a_block_stops_and_stays(void **state)
{
  (void)state;
  for (int k = 0; SET_VALUED[k]; k++) {
    test_system s = block(0.0, 0.0, 0.75);
    double h = 7e-4;
    test_run(&s, SET_VALUED[k], h, 0.6131);
    double q = *s.d->q, v = *s.d->v;
    double lost = test_work(&s, "floor.friction");
    print_message(
        "  %-10s stops at %.6f m (0.1875), v = %g, friction took %.6f J of 0.5625, integrator %.1e\n",
        SET_VALUED[k]->name, q, v, lost, *s.d->integrator);
    assert_true(fabs(q - 0.1875) <= 0.75 * h);
    assert_true(fabs(lost + *s.d->integrator - 0.5625) < 1e-12);
    assert_true(fabs(v) < 1e-13);
    test_run(&s, SET_VALUED[k], h, 10.0);
    assert_true(fabs(*s.d->q - q) < 1e-13); /* no creep */
    assert_true(fabs(*s.d->v) < 1e-13);
    assert_true(s.d->regime[0] == 0);
    test_system_close(&s);
  }
}

/* On a spring of 800 N/m (20 rad/s) released at 0.1 m each half swing loses 2 * 3 N / k = 7.5 mm; it rests
 * when the spring no longer overcomes the friction: after 13 half swings, at 0.1 - 13 * 7.5e-3 = 2.5 mm. */
static void a_block_on_a_spring_decays_linearly(void **state)
{
  (void)state;
  for (int k = 0; SET_VALUED[k]; k++) {
    test_system s = block(800.0, 0.1, 0.0);
    cap_stepper stepper = test_stepper(&s, SET_VALUED[k], 2e-5, 1, true);
    double worst = 0.0, half = M_PI / 20.0;
    for (int swing = 1; swing <= 12; swing++) {
      test_advance(&s, &stepper, swing * half, NULL);
      double expected = 0.1 - swing * 7.5e-3;
      worst = fmax(worst, fabs(fabs(*s.d->q) - expected));
    }
    test_advance(&s, &stepper, 4.0, NULL);
    double rest = *s.d->q;
    test_advance(&s, &stepper, 6.0, NULL);
    print_message("  %-10s amplitudes within %.1e m, at rest at %.6f m (-0.0025), residual %.1e\n",
                  SET_VALUED[k]->name, worst, rest, test_balance(&s, NULL));
    double most = SET_VALUED[k] == &cap_theta_euler_type ? 5e-4 : 2e-5; /* Euler damps the swing itself */
    assert_true(worst < most);
    assert_true(fabs(rest + 2.5e-3) < most);
    assert_true(fabs(*s.d->q - rest) < 1e-13 && fabs(*s.d->v) < 1e-13);
    assert_true(test_balance(&s, NULL) < 1e-11);
    /* held against the spring: the friction carries exactly its force */
    assert_true(fabs(s.d->x[0] + 800.0 * rest) < 1e-9);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

static void friction_on_the_rig(void **state)
{
  (void)state;
  static const char text[] = TEST_RIG
      "tensioner: {law: coulomb, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, alpha: 163 N}\n" TEST_ANY;
  for (int k = 0; SET_VALUED[k]; k++) {
    test_system s = test_system_open(text);
    cap_stepper stepper = test_stepper(&s, SET_VALUED[k], 1e-4, 1, true);
    double period = s.m->period[0];
    for (int i = 1; i <= 1000; i++) {
      double t = period * i / 1000.0;
      test_advance(&s, &stepper, t, NULL);
      double u = 5.4e-4 + 5.2e-4 * sin(9.4 * t + 4.8), v = 5.2e-4 * 9.4 * cos(9.4 * t + 4.8);
      double expected = 2.34e5 * u + 1.93e4 * v + 573.0 + (v > 0.0 ? 163.0 : -163.0);
      if (fabs(v) < 5e-6) continue; /* the force jumps there */
      if (!(fabs(test_value(&s, "tensioner.force") - expected) < 1e-8))
        fail_msg("%s at %.6f s: %.9f N instead of %.9f N", SET_VALUED[k]->name, t,
                 test_value(&s, "tensioner.force"), expected);
    }
    double area = test_work(&s, "tensioner.slider.friction"), exact = 4.0 * 163.0 * 5.2e-4;
    assert_true(fabs(area / exact - 1.0) < 2e-3);
    assert_true(test_balance(&s, NULL) < 1e-3);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Any number of parallel branches: pulled slowly from rest, each spring holds up to its own limit. */
static void many_branches(void **state)
{
  (void)state;
  enum { BRANCHES = 24 };
  char text[4000] = TEST_RIG "tensioner: {law: masing, k0: 1e5 N/m, sliders: [";
  for (int k = 0; k < BRANCHES; k++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s{k: %d N/m, alpha: %d N}", k ? ", " : "", 20000 + 500 * k,
             1 + k);
  }
  strcat(text, "]}\nstart: 0 s\n" TEST_ANY);
  const cap_stepper_type *types[] = {&cap_propagate_type, &cap_theta_midpoint_type, &cap_moreau_type};
  static const double most[] = {1e-9, 1e-3, 0.5};
  for (int method = 0; method < 3; method++) {
    const char *settings[] = {"deflection.mean=0 mm", "deflection.phase=0 rad"};
    test_system s = test_system_with(text, 2, settings);
    test_run(&s, types[method], 1e-3, 0.1);
    double u = 0.52e-3 * sin(0.94), expected = 1e5 * u;
    for (int k = 0; k < BRANCHES; k++) expected += fmin((20000 + 500 * k) * u, 1 + k);
    double off = fabs(test_value(&s, "tensioner.force") - expected);
    if (!(off < most[method])) fail_msg("%s: off by %.3g N", types[method]->name, off);
    test_system_close(&s);
  }
}

/* A measured motion that starts and ends with a jump of its velocity: what follows is rest, and no stepper
 * may run on with the velocity of the last sample. */
static void a_measured_motion_ends(void **state)
{
  (void)state;
  static const char text[] =
      "capstan: 1\nname: t\ndrive: tensioner-rig\n"
      "deflection: {motion: measured, samples: [[0 s, 0 mm], [0.1 s, 0.1 mm], [0.2 s, 0.2 mm], "
      "[0.3 s, 0.3 mm], [0.4 s, 0.4 mm], [0.5 s, 0.5 mm], [0.6 s, 0.6 mm], [0.7 s, 0.7 mm]]}\n" TEST_DAHL
          TEST_ANY;
  const cap_stepper_type *types[] = {&cap_cvode_type, &cap_rk4_type, &cap_theta_midpoint_type};
  double force[3];
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_open(text);
    test_run(&s, types[k], 1e-4, 0.7);
    double before = test_value(&s, "tensioner.force");
    test_run(&s, types[k], 1e-4, 2.0);
    force[k] = test_value(&s, "tensioner.force");
    assert_true(fabs(test_value(&s, "tensioner.deflection") - 0.7e-3) < 1e-15);
    /* a fixed step feels the jump for a part of one step */
    assert_true(fabs(force[k] - before) < (k == 0 ? 1e-4 : 1e-2));
    assert_true(test_balance(&s, NULL) < (k == 0 ? 1e-7 : 1e-3));
    test_system_close(&s);
  }
  assert_true(fabs(force[1] - force[0]) < 1e-2 && fabs(force[2] - force[0]) < 1e-2);
}

/* Three sliders in parallel, and two of them between the bodies: exact against the midpoint rule. */
static void several_sliders(void **state)
{
  (void)state;
  static const char text[] = TEST_BELT
      "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, c_angular_frequency: 9.4 rad/s, "
      "sliders: [{k: 3e5 N/m, alpha: 50 N}, {k: 1e5 N/m, alpha: 80 N, w0: 0.3 mm}, "
      "{k: 8.4e4 N/m, alpha: 33 N, w0: -0.2 mm}]}\n" TEST_ANY;
  const cap_stepper_type *types[] = {&cap_theta_midpoint_type, &cap_moreau_type, &cap_theta_euler_type};
  const double steps[] = {2e-5, 2e-6, 2e-6}, most[] = {2e-5, 1e-3, 3e-3};
  test_system r = test_system_open(text);
  test_run(&r, &cap_propagate_type, 1, 0.5);
  assert_true(test_balance(&r, NULL) < 1e-11);
  assert_true(r.d->steps[CAP_STEPS_EVENTS] > 10);
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_open(text);
    test_run(&s, types[k], steps[k], 0.5);
    double gap = test_distance(s.m, s.d->y, r.d->y);
    print_message("  %-10s %.1e from exact after 0.5 s, residual %.1e\n", types[k]->name, gap,
                  test_balance(&s, NULL));
    assert_true(gap < most[k]);
    assert_true(test_balance(&s, NULL) < 1e-11);
    test_system_close(&s);
  }
  test_system_close(&r);
}

/* Chains of bodies with many sliders of random stiffness, limit and ends: implicit steps find their pattern
 * of stick and slip, and stay near the exact motion. */
static test_system random_chain(uint64_t *seed, int nslider)
{
  enum { BODIES = 4 };
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  for (int i = 0; i < BODIES; i++) {
    double k_l = test_random(seed, 1e3, 1e4), c_l = test_random(seed, 5, 50);
    double amplitude = test_random(seed, 0, 60), angular_frequency = test_random(seed, 5, 40);
    double link[] = {k_l, c_l, 0.0}, load[] = {0.0, amplitude, angular_frequency, test_random(seed, -3, 3)};
    double mass = test_random(seed, 0.5, 3), v0 = test_random(seed, -1, 1); /* drawn in this order */
    cap_builder_dof(b, "body", "m", mass, 0.0, v0);
    cap_builder_element(b, &cap_link_type, "link", i, i - 1, link, NULL);
    cap_builder_element(b, &cap_load_type, "load", i, CAP_GROUND, load, NULL);
  }
  for (int k = 0; k < nslider; k++) {
    int i = (int)test_random(seed, 0, BODIES), j = (int)test_random(seed, -1, BODIES);
    if (j == i) j = CAP_GROUND;
    double limit = test_random(seed, 1, 30), k_s = test_random(seed, 1e3, 2e4);
    double z0 = test_random(seed, -limit, limit);
    cap_builder_slider(b, "slider", i, j, k_s, limit, z0);
  }
  assert_int_equal(cap_builder_finish(b, &s.m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static void many_sliders_at_random(void **state)
{
  (void)state;
  const cap_stepper_type *types[] = {&cap_theta_midpoint_type, &cap_theta_euler_type, &cap_moreau_type};
  const double steps[3] = {1e-4, 1e-5, 5e-6};
  double worst[3] = {0}, residual[3] = {0};
  for (int trial = 0; trial < 6; trial++) {
    int nslider = 1 + 2 * trial; /* up to 11: more than there are kept factors for */
    uint64_t seed = 900 + (uint64_t)trial;
    test_system r = random_chain(&seed, nslider);
    test_run(&r, &cap_propagate_type, 1, 0.5);
    assert_true(test_balance(&r, NULL) < 1e-11);
    for (int k = 0; k < 3; k++) {
      seed = 900 + (uint64_t)trial;
      test_system s = random_chain(&seed, nslider);
      test_run(&s, types[k], steps[k], 0.5);
      worst[k] = fmax(worst[k], test_distance(s.m, s.d->y, r.d->y));
      residual[k] = fmax(residual[k], test_balance(&s, NULL));
      test_system_close(&s);
    }
    /* large steps: no accuracy is asked for, but an answer within the limits and a balance */
    for (int k = 0; k < 2; k++) {
      seed = 900 + (uint64_t)trial;
      test_system s = random_chain(&seed, nslider);
      test_run(&s, types[k], 2e-2, 0.5);
      for (int z = 0; z < nslider; z++) assert_true(fabs(s.d->x[z]) <= s.m->slider_limit[z] * (1.0 + 1e-12));
      assert_true(test_balance(&s, NULL) < 1e-10);
      test_system_close(&s);
    }
    test_system_close(&r);
  }
  for (int k = 0; k < 3; k++) {
    print_message("  %-10s within %.1e of exact, residual %.1e\n", types[k]->name, worst[k], residual[k]);
    assert_true(worst[k] < (k == 0 ? 1e-3 : 1e-2) && residual[k] < 1e-10);
  }
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Derivative of the flow from t0 to t1 by central differences against the stepper's own. */
static void check_tangent(const char *name, const char *text, const cap_stepper_type *type, double step,
                          double t0, double t1, double most)
{
  test_system s = test_system_open(text);
  int n = s.m->nstate;
  test_run(&s, type, step, t0);
  cap_data *start = cap_data_create(s.m);
  double *tangent = calloc((size_t)(n * n), sizeof *tangent), *plus = calloc((size_t)n, sizeof *plus);
  assert_true(start && tangent && plus);
  cap_data_copy(s.m, start, s.d);
  for (int i = 0; i < n; i++) tangent[i * (n + 1)] = 1.0;
  cap_stepper stepper = test_stepper(&s, type, step, 1e-10, true);
  test_advance(&s, &stepper, t1, tangent);
  /* a change of 1 mm, 0.06 m/s or 300 N counts as large */
  double worst = 0.0, size[3] = {1e-3, 6e-2, 300.0};
  for (int j = 0; j < n; j++) {
    double scale = size[j / s.m->nv < 2 ? j / s.m->nv : 2], delta = 1e-7 * scale;
    cap_data_copy(s.m, s.d, start);
    s.d->y[j] += delta;
    test_advance(&s, &stepper, t1, NULL);
    memcpy(plus, s.d->y, sizeof(double) * (size_t)n);
    cap_data_copy(s.m, s.d, start);
    s.d->y[j] -= delta;
    test_advance(&s, &stepper, t1, NULL);
    for (int i = 0; i < n; i++) {
      double slope = (plus[i] - s.d->y[i]) / (2.0 * delta);
      double rows = size[i / s.m->nv < 2 ? i / s.m->nv : 2];
      worst = fmax(worst, fabs(slope - tangent[i * n + j]) * scale / rows);
    }
  }
  print_message("  %-22s tangent within %.1e of differences\n", name, worst);
  if (!(worst < most)) fail_msg("%s: tangent off by %.3e", name, worst);
  cap_stepper_free(&stepper);
  cap_data_free(start);
  free(tangent);
  free(plus);
  test_system_close(&s);
}

static void tangents_are_those_of_the_discrete_flow(void **state)
{
  (void)state;
  static const char rig[] = TEST_RIG TEST_DAHL TEST_ANY;
  check_tangent("exact, Masing", MASING, &cap_propagate_type, 1, 0.11, 0.15, 1e-6);
  check_tangent("euler, Masing", MASING, &cap_theta_euler_type, 1e-4, 0.11, 0.15, 1e-6);
  check_tangent("midpoint, Masing", MASING, &cap_theta_midpoint_type, 1e-4, 0.11, 0.15, 1e-6);
  check_tangent("euler, Dahl", DAHL, &cap_theta_euler_type, 1e-4, 0.11, 0.13, 1e-5);
  check_tangent("midpoint, Dahl", DAHL, &cap_theta_midpoint_type, 5e-5, 0.11, 0.13, 1e-5);
  check_tangent("rk4, Dahl", DAHL, &cap_rk4_type, 4e-5, 0.11, 0.13, 1e-5);
  check_tangent("rk4, linear", LINEAR, &cap_rk4_type, 4e-5, 0.11, 0.15, 1e-7);
  check_tangent("rk4, Dahl on the rig", rig, &cap_rk4_type, 1e-4, 0.3, 0.5, 1e-5);
  check_tangent("midpoint, Dahl, rig", rig, &cap_theta_midpoint_type, 1e-4, 0.3, 0.5, 1e-5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_on_masing),
      cmocka_unit_test(orders_on_a_linear_system),
      cmocka_unit_test(orders_on_dahl),
      cmocka_unit_test(energy_balances_close),
      cmocka_unit_test(integrators_lose_what_is_known),
      cmocka_unit_test(a_block_stops_and_stays),
      cmocka_unit_test(a_block_on_a_spring_decays_linearly),
      cmocka_unit_test(friction_on_the_rig),
      cmocka_unit_test(many_branches),
      cmocka_unit_test(a_measured_motion_ends),
      cmocka_unit_test(several_sliders),
      cmocka_unit_test(many_sliders_at_random),
      cmocka_unit_test(tangents_are_those_of_the_discrete_flow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
