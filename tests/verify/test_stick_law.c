/* The tangential contact law over time: nothing drifts below the limit, where Dahl's, LuGre's and a viscous
 * regularisation do (closed forms); sliding, break-away, falling load and energy against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "laws/stick.h"
#include "loop_data.h"

/* m = 1 kg, sqrt(k / m) = 100 rad/s, critical damping, load 10 N */
enum { X, V, Z, STATES }; /* a block: displacement, velocity, deflection of its contact */
static const double load = 10.0;
static const capm_stick coulomb = {1e4, 200.0, {0.5, 0.5, 0.0, 0.0}, 0.1};
static const capm_stick sharp = {1e4, 200.0, {0.5, 0.5, 0.0, 0.0}, 0.0};
static const capm_stick stribeck = {1e4, 200.0, {0.5, 0.3, 0.02, 0.0}, 0.0};

typedef struct block {
  const capm_stick *p;
  double mean, swing, angular_frequency, ramp; /* pull: mean + swing cos(angular frequency t) + ramp t, N */
  void (*rates)(const struct block *b, double t, const double *y, double *rate);
} block;

static double pull(const block *b, double t)
{
  return b->mean + b->swing * cos(b->angular_frequency * t) + b->ramp * t;
}

/* Classical Runge-Kutta: X and Z get the same increments, bit for bit,
 * as long as their rates are the same. */
static void advance(const block *b, double t, double h, double *y)
{
  double k[4][STATES], at[STATES];
  const double part[4] = {0.0, 0.5, 0.5, 1.0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < STATES; i++) at[i] = s ? y[i] + part[s] * h * k[s - 1][i] : y[i];
    b->rates(b, t + part[s] * h, at, k[s]);
  }
  for (int i = 0; i < STATES; i++) y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
}

static void stick_rates(const block *b, double t, const double *y, double *rate)
{
  capm_stick_result r;
  capm_stick_evaluate(b->p, 1, &y[Z], &y[V], load, &r);
  rate[X] = y[V], rate[V] = pull(b, t) - r.force[0], rate[Z] = r.rate[0];
}

/* z' = v - |v| k z / limit, f = k z + d z': LuGre's law, and Dahl's with d = 0. */
static void lugre_rates(const block *b, double t, const double *y, double *rate)
{
  double slope, limit = load * capm_friction_square(&b->p->friction, y[V] * y[V], &slope);
  rate[X] = y[V];
  rate[Z] = y[V] - fabs(y[V]) * b->p->k * y[Z] / limit;
  rate[V] = pull(b, t) - b->p->k * y[Z] - b->p->d * rate[Z];
}

/* f = limit tanh(v / 1 mm/s), the friction of most programs. */
static const double creep_scale = 1e-3;

static void viscous_rates(const block *b, double t, const double *y, double *rate)
{
  rate[X] = y[V], rate[Z] = 0.0;
  rate[V] = pull(b, t) - b->p->friction.mu_kinetic * load * tanh(y[V] / creep_scale);
}

/* A million cycles of a force between 30 and 70 % of the limit, shaken at half the contact's angular
   frequency. */
static void test_no_drift(void **state)
{
  (void)state;
  enum { CYCLES = 1000000, STEPS = 16 };
  const block b = {.p = &coulomb, .mean = 2.5, .swing = 1.0, .angular_frequency = 50.0, .rates = stick_rates};
  const double h = 2.0 * M_PI / b.angular_frequency / STEPS;
  double y[STATES] = {[X] = 2.5e-4, [Z] = 2.5e-4}, settled = 0.0;
  for (int c = 0; c < CYCLES; c++) {
    for (int s = 0; s < STEPS; s++) advance(&b, s * h, h, y);
    if (c == 20) settled = y[Z];
  }
  assert_true(fabs(settled - 2.5e-4) < 1e-4 && settled != 2.5e-4);
  assert_true(y[X] == y[Z]);                  /* the contact has not slipped at all */
  assert_true(fabs(y[Z] - settled) <= 1e-18); /* and stands where it stood after 20 cycles */
}

/* At rest under a constant force the velocity of slip is zero, not small. */
static void test_holding(void **state)
{
  (void)state;
  for (double part = 0.0; part < 1.0; part += 0.0625) {
    double z = part * 5.0 / sharp.k, g = 0.0;
    capm_stick_result r;
    capm_stick_evaluate(&sharp, 1, &z, &g, load, &r);
    assert_true(r.force[0] == sharp.k * z && r.rate[0] == 0.0 && r.slip == 0.0 && r.damping == 0.0);
  }
}

/* Slow cycles of the force between a and b times the limit move Dahl's and LuGre's contact by
 * (limit / k) ln((1 - a^2) / (1 - b^2)) each, for ever; this one not. */
static void test_others_drift(void **state)
{
  (void)state;
  enum { CYCLES = 30, STEPS = 4000 };
  const double low = 0.3, high = 0.7, limit = 5.0;
  const double expected = limit / coulomb.k * log((1.0 - low * low) / (1.0 - high * high));
  capm_stick dahl = coulomb;
  dahl.d = 0.0;
  block b[3] = {{.p = &coulomb, .rates = lugre_rates},
                {.p = &dahl, .rates = lugre_rates},
                {.p = &coulomb, .rates = stick_rates}};
  const char *name[3] = {"LuGre", "Dahl", "stick"};
  for (int l = 0; l < 3; l++) {
    b[l].mean = 0.5 * (low + high) * limit, b[l].swing = 0.5 * (high - low) * limit,
    b[l].angular_frequency = 2.0;
    const double h = 2.0 * M_PI / b[l].angular_frequency / STEPS;
    double y[STATES] = {[Z] = high * limit / coulomb.k}, start = 0.0;
    for (int c = 0; c < CYCLES; c++) {
      if (c == CYCLES / 2) start = y[X];
      for (int s = 0; s < STEPS; s++) advance(&b[l], s * h, h, y);
    }
    const double drift = (y[X] - start) / (CYCLES - CYCLES / 2);
    print_message("%s: %.4g of the elastic displacement a cycle\n", name[l], drift / (limit / coulomb.k));
    if (b[l].rates == lugre_rates) assert_true(fabs(drift / expected - 1.0) < 0.02);
    else assert_true(fabs(drift) < 1e-18);
  }
}

/* A viscous regularisation creeps under any force, at its scale times atanh(force / limit). */
static void test_viscous_creeps(void **state)
{
  (void)state;
  const block b = {.p = &coulomb, .mean = 2.5, .rates = viscous_rates};
  double y[STATES] = {0.0}, h = 1e-4;
  for (int s = 0; s < 5000; s++) advance(&b, 0.0, h, y);
  assert_true(fabs(y[V] / (creep_scale * atanh(0.5)) - 1.0) < 1e-9);
}

/* In the passage from stick to slip a constant force makes the block creep: u - phi(u) times limit / d. */
static void test_creep_in_the_passage(void **state)
{
  (void)state;
  const double limit = 5.0, h = 1e-3;
  for (double t = 0.1; t < 1.0; t += 0.2) {
    const double rest = 0.2 * t * t * t * (1.0 - 0.5 * t), u = 0.9 + 0.2 * t;
    const block b = {.p = &coulomb, .mean = limit * (u - rest), .rates = stick_rates};
    double y[STATES] = {[V] = 0.0, [Z] = b.mean / coulomb.k};
    for (int s = 0; s < 4000; s++) advance(&b, 0.0, h, y);
    assert_true(fabs(y[V] / (rest * limit / coulomb.d) - 1.0) < 1e-9);
  }
}

/* At a constant velocity in any direction: force mu(v) N against it, deflection at rest,
 * after a time d / k. */
static void test_steady_sliding(void **state)
{
  (void)state;
  for (double speed = 1e-3; speed < 0.2; speed *= 1.3)
    for (double angle = 0.0; angle < 6.0; angle += 0.7) {
      const double g[2] = {speed * cos(angle), speed * sin(angle)}, h = 1e-3;
      const double settling = 40.0 * (5.0 / (stribeck.k * speed) + stribeck.d / stribeck.k);
      double z[2] = {1e-4, -2e-4}, slope;
      capm_stick_result r;
      for (int s = 0; s * h < settling; s++) {
        capm_stick_evaluate(&stribeck, 2, z, g, load, &r);
        for (int i = 0; i < 2; i++) z[i] += h * r.rate[i];
      }
      const double force = load * capm_friction_square(&stribeck.friction, speed * speed, &slope);
      assert_true(fabs(r.force[0] - force * cos(angle)) < 1e-12 &&
                  fabs(r.force[1] - force * sin(angle)) < 1e-12);
      assert_true(hypot(r.rate[0], r.rate[1]) < 1e-12);
      assert_true(fabs(r.slip - force * speed) < 1e-12 && r.damping < 1e-12);
    }
}

/* A force that grows slowly: elastic up to mu_s N, no more than that ever, then the block runs away. */
static void test_break_away(void **state)
{
  (void)state;
  const double limit = 5.0, h = 1e-4;
  const block b = {.p = &stribeck, .ramp = 0.5, .rates = stick_rates};
  double y[STATES] = {0.0}, most = 0.0, broke = 0.0;
  capm_stick_result r;
  for (int s = 0; s < 120000; s++) {
    advance(&b, s * h, h, y);
    capm_stick_evaluate(b.p, 1, &y[Z], &y[V], load, &r);
    most = fmax(most, r.force[0]);
    if (broke == 0.0 && r.slip > 0.0) broke = pull(&b, (s + 1) * h);
    if (broke == 0.0) assert_true(y[X] == y[Z]);
  }
  print_message("breaks away at %.8f of the static limit, holds %.8f of it\n", broke / limit, most / limit);
  assert_true(fabs(broke / limit - 1.0) < 1e-4 && most <= limit && most > 0.9999 * limit);
  assert_true(fabs(r.force[0] / (0.3 * load) - 1.0) < 1e-6 && y[V] > 1.0);
}

/* A block that is held while its load falls to a half and comes back: the force falls at once and stays
 * there, the deflection relaxes with d / k, and what was stored is lost, two thirds of it by slip. */
static void test_load_drops(void **state)
{
  (void)state;
  const double g = 0.0, h = 1e-5, low = 2.5;
  double z = 5.0 / sharp.k, damping = 0.0, slip = 0.0, stored = capm_stick_energy(&sharp, 1, &z);
  capm_stick_result r;
  for (int s = 0; s < 100000; s++) {
    const double expected = low / sharp.k * (1.0 + exp(-sharp.k / sharp.d * s * h));
    capm_stick_evaluate(&sharp, 1, &z, &g, 0.5 * load, &r);
    assert_true(fabs(z - expected) < 1e-3 * low / sharp.k && fabs(r.force[0] - low) < 1e-12);
    z += h * r.rate[0], damping += h * r.damping, slip += h * r.slip;
  }
  capm_stick_evaluate(&sharp, 1, &z, &g, load, &r);
  assert_true(fabs(r.force[0] - low) < 1e-9 && r.slip == 0.0);
  stored -= capm_stick_energy(&sharp, 1, &z);
  assert_true(fabs((damping + slip) / stored - 1.0) < 1e-3);
  assert_true(fabs(slip / stored - 2.0 / 3.0) < 1e-3); /* limit (z0 - z1) of k (z0^2 - z1^2) / 2 */
}

/* Velocities and loads at random (sums of sines), in two directions, with lift-off: the energy that the
 * contact has taken is what it stores and has lost, and both losses only grow. */
static void test_passive(void **state)
{
  (void)state;
  const capm_stick p = {1e4, 200.0, {0.5, 0.3, 0.05, 0.0}, 0.2};
  loop_random random = loop_seed(7);
  for (int run = 0; run < 8; run++) {
    double a[3][4], w[3][4], z[2] = {0.0}, balance[2] = {0.0}, lost = 0.0, most = 0.0;
    for (int i = 0; i < 12; i++)
      a[i / 4][i % 4] = loop_gauss(&random), w[i / 4][i % 4] = 30.0 * loop_uniform(&random);
    for (int fine = 0; fine < 2; fine++) {
      const int steps = fine ? 80000 : 40000;
      const double h = 4.0 / steps;
      double work = 0.0;
      lost = z[0] = z[1] = 0.0;
      for (int s = 0; s < steps; s++) { /* midpoint rule for all of it */
        double g[2] = {0.0}, normal = 5.0, middle[2];
        capm_stick_result r;
        for (int i = 0; i < 4; i++) {
          const double t = (s + 0.5) * h;
          for (int k = 0; k < 2; k++) g[k] += 0.03 * a[k][i] * sin(w[k][i] * t);
          normal += 5.0 * a[2][i] * sin(w[2][i] * t);
        }
        most = fmax(most, p.friction.mu_static * normal);
        assert_true(p.k * hypot(z[0], z[1]) <= most);
        capm_stick_evaluate(&p, 2, z, g, normal, &r);
        for (int k = 0; k < 2; k++) middle[k] = z[k] + 0.5 * h * r.rate[k];
        capm_stick_evaluate(&p, 2, middle, g, normal, &r);
        assert_true(r.damping >= 0.0 && r.slip >= 0.0);
        for (int k = 0; k < 2; k++) work += h * r.force[k] * g[k], z[k] += h * r.rate[k];
        lost += h * (r.damping + r.slip);
      }
      balance[fine] = fabs(work - lost - capm_stick_energy(&p, 2, z));
    }
    assert_true(lost > 0.05);
    assert_true(balance[1] < 1e-6 * lost && balance[1] < 0.35 * balance[0] + 1e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_drift),
                                     cmocka_unit_test(test_holding),
                                     cmocka_unit_test(test_others_drift),
                                     cmocka_unit_test(test_viscous_creeps),
                                     cmocka_unit_test(test_creep_in_the_passage),
                                     cmocka_unit_test(test_steady_sliding),
                                     cmocka_unit_test(test_break_away),
                                     cmocka_unit_test(test_load_drops),
                                     cmocka_unit_test(test_passive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
