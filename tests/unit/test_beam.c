/* The beam element: forces as slopes of its energy, tangents, what rigid motion leaves alone, power, and the
 * same bits in every number of lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/lanes.h"
#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "model/builder.h"

/* A chain of four nodes, with a coordinate of another kind before it, and its closing element. */
enum { NODES = 4, NV = 1 + 3 * NODES, NSTATE = 2 * NV, NBEAM = NODES, LANES = 11 };

static void describe(cap_builder *b, int lane, double damping, double curvature)
{
  uint64_t seed = 5 + 100u * (uint64_t)lane;
  cap_builder_dof(b, "other", "m", 1.0, 0.0, 0.0);
  for (int n = 0; n < NODES; n++) {
    cap_builder_dof(b, "x", "m", 1.0, 0.0, 0.0);
    cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0);
    cap_builder_dof(b, "phi", "rad", 1.0, 0.0, 0.0);
  }
  for (int n = 0; n < NBEAM; n++) {
    double par[CAP_BEAM_NPARAM] = {test_random(&seed, 2, 9),
                                   test_random(&seed, 0.5, 3),
                                   test_random(&seed, 0.6, 1.4),
                                   damping * test_random(&seed, 0.2, 2),
                                   damping * test_random(&seed, 0.2, 2),
                                   curvature};
    cap_builder_element(b, &cap_beam_type, "beam", 1 + 3 * n, 1 + 3 * ((n + 1) % NODES), par, NULL);
  }
}

static cap_model *chain(int nlane, int first, double damping, double curvature)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_model *m = NULL;
  assert_non_null(b);
  for (int l = 0; l < nlane; l++) {
    cap_builder_lane(b, l);
    describe(b, first + l, damping, curvature);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_int_equal(m->nstate, NSTATE);
  return m;
}

typedef struct result {
  double t[LANES], y[NSTATE * LANES], dy[NSTATE * NSTATE * LANES];
  double ydot[NSTATE * LANES], dydot[NSTATE * NSTATE * LANES];
  double h[NV * LANES], dh[NV * NSTATE * LANES], force[NBEAM * LANES], power[NBEAM * LANES], stored[LANES];
} result;

/* A bent square, its nodes turned by whole turns too; random rates. */
static void random_state(int nlane, int first, result *r)
{
  memset(r, 0, sizeof *r);
  for (int l = 0; l < nlane; l++) {
    uint64_t seed = 77 + 13u * (uint64_t)(first + l);
    for (int n = 0; n < NODES; n++) {
      double angle = M_PI_2 * n, *at = r->y + (1 + 3 * n) * nlane + l;
      at[0] = 0.7 * cos(angle) + test_random(&seed, -0.15, 0.15);
      at[nlane] = 0.7 * sin(angle) + test_random(&seed, -0.15, 0.15);
      at[2 * nlane] = angle + M_PI_2 + test_random(&seed, -0.5, 0.5) + 2.0 * M_PI * (n - 1) * (first + l);
    }
    for (int i = NV; i < NSTATE; i++) r->y[i * nlane + l] = test_random(&seed, -2, 2);
  }
}

static void evaluate(const cap_model *m, result *r, bool tangent)
{
  int nlane = m->nlane;
  memset(r->dy, 0, sizeof r->dy);
  for (int i = 0; i < NSTATE; i++)
    for (int l = 0; l < nlane; l++) r->dy[(i * NSTATE + i) * nlane + l] = 1.0;
  for (int k = 0; k < NBEAM * LANES; k++) r->force[k] = r->power[k] = 777.0; /* must be set */
  cap_eval e = {.nlane = nlane,
                .ncol = tangent ? NSTATE : 0,
                .t = r->t,
                .h = r->h,
                .dh = r->dh,
                .force = r->force,
                .power = r->power};
  cap_model_derivative(m, &e, r->y, r->dy, r->ydot, r->dydot);
  /* without the kinetic energy, which is not the beam's */
  double still[NV * LANES] = {0};
  e.v = still;
  cap_model_energy(m, &e, r->stored);
}

/* Angles: of a vector against libm's, over all directions and lengths; and without their turns. */
static void angles(void **state)
{
  (void)state;
  double worst = 0.0, wrapped = 0.0;
  for (int k = -4000; k <= 4000; k++)
    for (int size = -3; size <= 3; size++) {
      double a = k * M_PI / 4000.0, x = cos(a) * pow(10, size), y = sin(a) * pow(10, size);
      worst = fmax(worst, fabs(capm_angle_of(y, x) - atan2(y, x)));
    }
  for (int turns = -1000; turns <= 1000; turns++)
    for (double a = -3.1; a < 3.15; a += 0.1)
      wrapped = fmax(wrapped, fabs(capm_angle_wrap(a + 2.0 * M_PI * turns) - a));
  print_message("  angle within %.1e rad of libm, %.1e after 1000 turns\n", worst, wrapped);
  assert_true(worst < 4.5e-16);
  assert_true(wrapped < 2e-12); /* half of the last bit of 6283, and of its products */
  assert_true(capm_angle_of(0.0, 1.0) == 0.0 && capm_angle_of(1.0, 0.0) == M_PI_2);
  assert_true(capm_angle_of(0.0, -2.0) == M_PI && capm_angle_of(-3.0, 0.0) == -M_PI_2);
  for (double tiny = 1e-300; tiny < 1e-3; tiny *= 1e3)
    assert_true(fabs(capm_angle_of(tiny, 1.0) / tiny - 1.0) < 1e-6);
}

/* A central difference of sixth order. */
static double slope_of(double (*value)(const cap_model *, result *, int), const cap_model *m,
                       const result *at, int j, int i, double step)
{
  static result off;
  static const double weight[3] = {1.5, -0.6, 0.1};
  double sum = 0.0;
  for (int k = 1; k <= 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      off = *at;
      off.y[j] += side * k * step;
      evaluate(m, &off, false);
      sum += side * weight[k - 1] / (2.0 * k * step) * value(m, &off, i);
    }
  return sum;
}

static double stored_energy(const cap_model *m, result *r, int i)
{
  (void)m, (void)i;
  return r->stored[0];
}

static double force_of(const cap_model *m, result *r, int i)
{
  (void)m;
  return r->h[i];
}

static void forces_are_slopes_of_the_energy(void **state)
{
  (void)state;
  static result at;
  double worst = 0.0;
  cap_model *m = chain(1, 2, 0.0, 0.4);
  for (int trial = 0; trial < 10; trial++) {
    random_state(1, trial, &at);
    evaluate(m, &at, false);
    for (int i = 0; i < NV; i++) {
      double slope = slope_of(stored_energy, m, &at, i, 0, 0.02);
      worst = fmax(worst, fabs(at.h[i] + slope));
    }
    assert_true(at.h[0] == 0.0);
  }
  print_message("  forces within %.1e of the slopes of the energy\n", worst);
  assert_true(worst < 1e-6);
  cap_model_free(m);
}

static void tangents_match_differences(void **state)
{
  (void)state;
  static result at;
  double worst = 0.0, size = 0.0;
  cap_model *m = chain(1, 3, 1.0, -0.3);
  for (int trial = 0; trial < 4; trial++) {
    random_state(1, trial, &at);
    evaluate(m, &at, true);
    for (int j = 0; j < NSTATE; j++)
      for (int i = 0; i < NV; i++) {
        double own = at.dh[i * NSTATE + j], gap = fabs(slope_of(force_of, m, &at, j, i, 0.01) - own);
        size = fmax(size, fabs(own));
        worst = fmax(worst, gap);
      }
  }
  print_message("  tangents within %.1e of differences, largest %.3g\n", worst, size);
  assert_true(worst < 1e-7 * size);
  cap_model_free(m);
}

static void stiffness_is_symmetric(void **state)
{
  (void)state;
  static result at;
  cap_model *m = chain(1, 3, 0.0, 0.2);
  random_state(1, 6, &at);
  evaluate(m, &at, true);
  for (int i = 0; i < NV; i++)
    for (int j = 0; j < i; j++) assert_true(fabs(at.dh[i * NSTATE + j] - at.dh[j * NSTATE + i]) < 1e-13);
  cap_model_free(m);
}

/* The whole motion seen from a frame that has turned: places, angles and velocities. */
static void turn(const result *from, double angle, double x, double y, result *to)
{
  double c = cos(angle), s = sin(angle);
  *to = *from;
  for (int n = 0; n < NODES; n++) {
    int at = 1 + 3 * n;
    to->y[at] = x + c * from->y[at] - s * from->y[at + 1];
    to->y[at + 1] = y + s * from->y[at] + c * from->y[at + 1];
    to->y[at + 2] += angle;
    to->y[NV + at] = c * from->y[NV + at] - s * from->y[NV + at + 1];
    to->y[NV + at + 1] = s * from->y[NV + at] + c * from->y[NV + at + 1];
  }
}

static void rigid_motion_changes_nothing(void **state)
{
  (void)state;
  static result at, turned;
  static const double angles_of_frame[] = {0.1, 1.0, M_PI_2, 3.0, -2.5, M_PI, 40.0, -1000.0};
  double worst = 0.0;
  cap_model *m = chain(1, 1, 1.0, 0.3);
  for (int k = 0; k < 8; k++) {
    double a = angles_of_frame[k], c = cos(a), s = sin(a);
    random_state(1, k, &at);
    turn(&at, a, 5.0, -3.0, &turned);
    evaluate(m, &at, false);
    evaluate(m, &turned, false);
    worst = fmax(worst, fabs(turned.stored[0] - at.stored[0]));
    for (int n = 0; n < NODES; n++) {
      const double *h = at.h + 1 + 3 * n, *g = turned.h + 1 + 3 * n;
      worst = fmax(worst, fabs(g[0] - (c * h[0] - s * h[1])));
      worst = fmax(worst, fabs(g[1] - (s * h[0] + c * h[1])));
      worst = fmax(worst, fabs(g[2] - h[2]));
      worst = fmax(worst, fabs(turned.power[n] - at.power[n]));
    }
  }
  print_message("  after turns of up to 1000 rad: within %.1e\n", worst);
  assert_true(worst < 1e-11);
  cap_model_free(m);
}

/* A straight or curved unstrained chain, in rigid motion of any size, feels no force at all and loses no
 * power. The element with initial curvature is unstrained in the shape of a shallow arch. */
static void unstrained_beams_feel_nothing(void **state)
{
  (void)state;
  for (int curved = 0; curved < 2; curved++) {
    double kappa = curved ? 0.35 : 0.0, l = 0.8;
    capm_beam p = {5.0, 2.0, l, 3.0, 1.0, kappa};
    for (double angle = -30.0; angle < 30.0; angle += 0.37) {
      double bow = kappa * kappa * l * l / 24.0, chord = l / (1.0 + bow + 0.7 * bow * bow), omega = 3.0;
      capm_beam_ends q = {chord * cos(angle), chord * sin(angle), angle - 0.5 * kappa * l,
                          angle + 0.5 * kappa * l + 4.0 * M_PI};
      capm_beam_ends v = {-omega * q.y, omega * q.x, omega, omega};
      capm_beam_state s;
      capm_beam_deform(&p, q, &s);
      capm_beam_flow(v, &s);
      capm_beam_ends f = capm_beam_forces(&p, &s);
      assert_true(fabs(f.x) + fabs(f.y) + fabs(f.phi1) + fabs(f.phi2) < 1e-12);
      assert_true(fabs(capm_beam_energy(&p, &s)) < 1e-25 && capm_beam_loss(&p, &s) < 1e-25);
    }
  }
}

/* What the forces do is what the energy loses and the dampers take. */
static void power_balances(void **state)
{
  (void)state;
  static result damped, undamped;
  double worst = 0.0, taken = 0.0;
  for (int trial = 0; trial < 20; trial++) {
    cap_model *with = chain(1, trial, 1.0, 0.3), *without = chain(1, trial, 0.0, 0.3);
    for (int p = 0; p < NBEAM; p++) /* the same beams */
      for (int k = 0; k < 3; k++)
        assert_true(with->batches[0].par[p * CAP_BEAM_NPARAM + k] ==
                    without->batches[0].par[p * CAP_BEAM_NPARAM + k]);
    random_state(1, trial, &damped);
    undamped = damped;
    evaluate(with, &damped, false);
    evaluate(without, &undamped, false);
    double power = 0.0, loss = 0.0;
    for (int i = 0; i < NV; i++) power += (damped.h[i] - undamped.h[i]) * damped.y[NV + i];
    for (int k = 0; k < NBEAM; k++) {
      assert_true(damped.power[k] >= 0.0 && undamped.power[k] == 0.0);
      loss += damped.power[k];
    }
    worst = fmax(worst, fabs(power + loss) / loss);
    taken = fmax(taken, loss);
    cap_model_free(with);
    cap_model_free(without);
  }
  print_message("  power of the dampers (up to %.3g W) within %.1e\n", taken, worst);
  assert_true(worst < 1e-13 && taken > 1.0);
}

static void force_is_the_tension(void **state)
{
  (void)state;
  cap_model *m = chain(1, 0, 0.0, 0.0);
  static result r;
  const double *par = m->batches[0].par;
  r.y[4] = 1.02 * par[CAP_BEAM_LENGTH]; /* second node along x, all angles zero */
  evaluate(m, &r, false);
  assert_true(fabs(r.force[0] - 0.02 * par[CAP_BEAM_EA]) < 1e-14);
  assert_string_equal(m->mechs[0].name, "beam.viscous");
  assert_false(m->linear);
  cap_model_free(m);
}

static void lanes_give_the_same_bits(void **state)
{
  (void)state;
  static result many, one;
  const int sizes[] = {8, 3, 11};
  for (int k = 0; k < 3; k++) {
    int nlane = sizes[k];
    cap_model *m = chain(nlane, 0, 1.0, 0.2);
    random_state(nlane, 0, &many);
    evaluate(m, &many, true);
    for (int l = 0; l < nlane; l++) {
      cap_model *single = chain(1, l, 1.0, 0.2);
      random_state(1, l, &one);
      evaluate(single, &one, true);
      test_same_lane("ydot", many.ydot, one.ydot, NSTATE, nlane, l);
      test_same_lane("dydot", many.dydot, one.dydot, NSTATE * NSTATE, nlane, l);
      test_same_lane("force", many.force, one.force, NBEAM, nlane, l);
      test_same_lane("power", many.power, one.power, NBEAM, nlane, l);
      test_same_lane("stored", many.stored, one.stored, 1, nlane, l);
      cap_model_free(single);
    }
    cap_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles),
      cmocka_unit_test(forces_are_slopes_of_the_energy),
      cmocka_unit_test(tangents_match_differences),
      cmocka_unit_test(stiffness_is_symmetric),
      cmocka_unit_test(rigid_motion_changes_nothing),
      cmocka_unit_test(unstrained_beams_feel_nothing),
      cmocka_unit_test(power_balances),
      cmocka_unit_test(force_is_the_tension),
      cmocka_unit_test(lanes_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
