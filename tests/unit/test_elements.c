/* Force elements: tangents by differences, the same bits in every number of lanes, energy against power. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/lanes.h"
#include "drives/accessory/elements/belt_elements.h"
#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "model/builder.h"

enum { LANES_MOST = 8, NV = 4, NSTATE_MOST = 16, NELEM = 14 };

/* Parameters of lane `lane`: drawn from a seed of its own, so that a lane is the same in every ensemble. */
static void describe(cap_builder *b, int lane)
{
  uint64_t seed = 77 + 1000u * (uint64_t)lane, own = seed + 1, oil = seed + 2;
  for (int k = 0; k < 10; k++) test_random(&seed, 0, 1);
  cap_motion motion = {.mean = test_random(&seed, -1e-3, 1e-3),
                       .amplitude = test_random(&seed, 1e-4, 1e-3),
                       .angular_frequency = test_random(&seed, 5, 50),
                       .phase = test_random(&seed, -3, 3)};
  int dof[NV];
  for (int i = 0; i < NV - 1; i++)
    dof[i] = cap_builder_dof(b, "body", "m", test_random(&seed, 0.1, 10), 0.0, 0.0);
  dof[NV - 1] = cap_builder_driven(b, "rod", "m", &motion);
  for (int k = 0; k < 3;
       k++) { /* a chain of links from the ground to the rod, in another order than packed */
    double link[] = {test_random(&seed, 1e4, 1e6), test_random(&seed, 0, 1e4), test_random(&seed, -500, 500)};
    double load[] = {test_random(&seed, -100, 100), test_random(&seed, 0, 100), test_random(&seed, 10, 100),
                     test_random(&seed, -3, 3)};
    double weight = test_random(&seed, -1000, 1000);
    double gap = test_random(&seed, 50, 500), middle = test_random(&seed, -300, 300);
    double dahl[] = {test_random(&seed, 1e4, 9e4), middle + gap,
                     test_random(&seed, 1e4, 9e4), middle - gap,
                     test_random(&seed, 1e4, 2e5), test_random(&seed, 0.3, 1.5)};
    int j = k == 0 ? CAP_GROUND : dof[k - 1];
    cap_builder_element(b, &cap_link_type, "link", dof[k], j, link, NULL);
    cap_builder_element(b, &cap_load_type, "load", dof[k], j, load, NULL);
    if (k == 1) cap_builder_element(b, &cap_link_type, "driven", dof[NV - 1], dof[2], link, NULL);
    if (k < 2) cap_builder_element(b, &cap_dahl_type, "dahl", dof[k], k ? dof[NV - 1] : j, dahl, &middle);
    if (k == 2) {
      capm_clearance gap_law = {.kind = CAPM_SMOOTHING_G3,
                                .sigma = test_random(&seed, 1e3, 5e3),
                                .width = 1e-4,
                                .nstage = 2,
                                .h1 = 10.0,
                                .h2 = 40.0,
                                .low = -3e-4,
                                .high = 5e-4};
      double clearance[CAP_CLEARANCE_NPARAM];
      gap_law.at[0] = gap_law.low;
      gap_law.at[1] = gap_law.high;
      gap_law.jump[0] = -1e5;
      gap_law.jump[1] = 1e5;
      capm_clearance_finish(&gap_law, 1.2e5);
      cap_clearance_params(&gap_law, clearance);
      cap_builder_element(b, &cap_clearance_type, "clearance", dof[2], dof[0], clearance, NULL);
    }
    double powers[] = {test_random(&own, -1e8, 1e8), test_random(&own, 1e10, 1e11),
                       test_random(&own, 1e15, 1e16)};
    double chamber[] = {test_random(&oil, 1e5, 1e6), test_random(&oil, 1e4, 1e5), test_random(&oil, 1e2, 1e3),
                        test_random(&oil, 10, 50),   test_random(&oil, 10, 50),   k ? 1.0 : -1.0};
    double full = 30.0;
    if (k < 2) cap_builder_element(b, &cap_hydraulic_type, "oil", dof[k], j, chamber, &full);
    if (k == 1) cap_builder_element(b, &cap_polynomial_type, "powers", dof[1], dof[0], powers, NULL);
    if (k == 2) cap_builder_element(b, &cap_weight_type, "weight", dof[1], CAP_GROUND, &weight, NULL);
  }
}

static cap_model *ensemble(int nlane, int first)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_model *m = NULL;
  assert_non_null(b);
  for (int l = 0; l < nlane; l++) {
    cap_builder_lane(b, l);
    describe(b, first + l);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_int_equal(m->nelem, NELEM);
  assert_int_equal(m->nv, NV);
  return m;
}

/* One evaluation and all that it can give. */
typedef struct result {
  double t[LANES_MOST], y[NSTATE_MOST * LANES_MOST], dy[NSTATE_MOST * NSTATE_MOST * LANES_MOST];
  double ydot[NSTATE_MOST * LANES_MOST], dydot[NSTATE_MOST * NSTATE_MOST * LANES_MOST];
  double h[NV * LANES_MOST], dh[NV * NSTATE_MOST * LANES_MOST];
  double force[NELEM * LANES_MOST], power[64 * LANES_MOST], decay[8 * LANES_MOST], stored[LANES_MOST];
} result;

/* A state that depends on the lane's number only; the driven coordinate as its motion says. */
static void random_state(const cap_model *m, int first, result *r)
{
  for (int l = 0; l < m->nlane; l++) {
    uint64_t seed = 4242 + 17u * (uint64_t)(first + l);
    r->t[l] = test_random(&seed, 0, 2);
    for (int i = 0; i < m->nstate; i++) {
      double size = i < m->nv ? 1e-3 : i < 2 * m->nv ? 0.1 : 200.0;
      r->y[i * m->nlane + l] = test_random(&seed, -size, size);
    }
  }
  cap_model_drive(m, NULL, r->t, r->y, r->y + m->nv * m->nlane, NULL);
}

static void evaluate(const cap_model *m, result *r, bool tangent)
{
  int n = m->nstate, nlane = m->nlane;
  memset(r->dy, 0, sizeof r->dy);
  for (int i = 0; i < n; i++)
    for (int l = 0; l < nlane; l++) r->dy[(i * n + i) * nlane + l] = 1.0;
  cap_eval e = {.nlane = nlane,
                .ncol = tangent ? n : 0,
                .t = r->t,
                .h = r->h,
                .dh = r->dh,
                .force = r->force,
                .power = r->power,
                .decay = r->decay};
  cap_model_derivative(m, &e, r->y, r->dy, r->ydot, r->dydot);
  cap_model_energy(m, &e, r->stored);
}

static void tangents_match_differences(void **state)
{
  (void)state;
  static result at, off[2];
  double worst = 0.0;
  cap_model *m = ensemble(1, 0);
  assert_true(m->nstate <= NSTATE_MOST && m->nmech <= 64);
  for (int trial = 0; trial < 50; trial++) {
    random_state(m, trial, &at);
    evaluate(m, &at, true);
    for (int j = 0; j < m->nstate; j++) {
      double delta = j < m->nv ? 1e-9 : j < 2 * m->nv ? 1e-7 : 1e-4;
      for (int side = 0; side < 2; side++) {
        off[side] = at;
        off[side].y[j] += side ? delta : -delta;
        evaluate(m, &off[side], false);
      }
      for (int i = 0; i < m->nstate; i++) {
        double slope = (off[1].ydot[i] - off[0].ydot[i]) / (2.0 * delta), own = at.dydot[i * m->nstate + j];
        double rounding = 1e-15 * (fabs(at.ydot[i]) + 1e3) / delta; /* forces of kilonewtons cancel */
        double gap = fabs(slope - own) / (fabs(own) + 1e3 * rounding + 1e-3);
        worst = fmax(worst, gap);
        if (!(gap < 1e-5)) fail_msg("d ydot[%d] / d y[%d]: %.9g, by differences %.9g", i, j, own, slope);
      }
    }
  }
  print_message("  tangents within %.1e of differences\n", worst);
  cap_model_free(m);
}

/* 8 lanes have a kernel of their own, 3 take the general one, 1 is the scalar one. */
static void lanes_give_the_same_bits(void **state)
{
  (void)state;
  static result many, one;
  const int sizes[] = {8, 3};
  for (int k = 0; k < 2; k++) {
    int nlane = sizes[k];
    cap_model *m = ensemble(nlane, 0);
    random_state(m, 0, &many);
    evaluate(m, &many, true);
    for (int l = 0; l < nlane; l++) {
      cap_model *single = ensemble(1, l);
      random_state(single, l, &one);
      evaluate(single, &one, true);
      test_same_lane("y", many.y, one.y, m->nstate, nlane, l);
      test_same_lane("ydot", many.ydot, one.ydot, m->nstate, nlane, l);
      test_same_lane("dydot", many.dydot, one.dydot, m->nstate * m->nstate, nlane, l);
      test_same_lane("force", many.force, one.force, m->nelem, nlane, l);
      test_same_lane("power", many.power, one.power, m->nmech, nlane, l);
      test_same_lane("decay", many.decay, one.decay, m->nx, nlane, l);
      test_same_lane("stored", many.stored, one.stored, 1, nlane, l);
      cap_model_free(single);
    }
    cap_model_free(m);
  }
}

/* d(stored)/dt along the motion = power fed in - power lost, at random states. */
static void energy_grows_as_the_powers_say(void **state)
{
  (void)state;
  static result at, off[2];
  double worst = 0.0;
  cap_model *m = ensemble(1, 3);
  for (int trial = 0; trial < 200; trial++) {
    random_state(m, trial, &at);
    evaluate(m, &at, false);
    double balance = 0.0, turnover = 0.0, dt = 1e-8;
    for (int k = 0; k < m->nmech; k++) {
      balance += m->mechs[k].input ? at.power[k] : -at.power[k];
      turnover += fabs(at.power[k]);
    }
    for (int side = 0; side < 2; side++) {
      off[side] = at;
      for (int i = 0; i < m->nstate; i++) off[side].y[i] += (side ? dt : -dt) * at.ydot[i];
      evaluate(m, &off[side], false);
    }
    double growth = (off[1].stored[0] - off[0].stored[0]) / (2.0 * dt);
    double rounding = 1e-15 * fabs(at.stored[0]) / dt,
           gap = fabs(growth - balance) / (turnover + 1e3 * rounding);
    worst = fmax(worst, gap);
    if (!(gap < 1e-5))
      fail_msg("trial %d: energy grows by %.9g W, powers say %.9g W", trial, growth, balance);
  }
  print_message("  energy and power agree within %.1e of the turnover\n", worst);
  cap_model_free(m);
}

/* What an element pushes is what its force says: -force on i, +force on j; the sum of all is h. */
static void forces_act_on_both_ends(void **state)
{
  (void)state;
  static result at;
  cap_model *m = ensemble(1, 5);
  random_state(m, 9, &at);
  evaluate(m, &at, false);
  double h[NV] = {0};
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++) {
      double f = at.force[m->batches[b].elem_adr + k];
      h[m->batches[b].i[k]] -= f;
      if (m->batches[b].j[k] != CAP_GROUND) h[m->batches[b].j[k]] += f;
    }
  for (int i = 0; i < NV; i++) assert_true(fabs(h[i] - at.h[i]) <= 1e-12 * fabs(h[i]) + 1e-9);
  cap_model_free(m);
}

/* A sense fixed by an event decides which envelope the force is drawn to, not the sign of the velocity. */
static void a_fixed_sense_keeps_the_branch(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  double dahl[] = {7e4, 960, 5e4, 400, 117355, 0.37}, start = 700.0;
  assert_non_null(b);
  int i = cap_builder_dof(b, "body", "m", 1.0, 0.0, 0.0);
  cap_builder_element(b, &cap_dahl_type, "dahl", i, CAP_GROUND, dahl, &start);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  double t = 0.0, q = 0.0, v = 1e-9, x = 700.0, h, rate[3];
  for (int k = 0; k < 3; k++) {
    signed char sense = (signed char)(k - 1);
    cap_eval e = {.nlane = 1, .t = &t, .q = &q, .v = &v, .x = &x, .h = &h, .xdot = &rate[k], .sense = &sense};
    cap_model_rates(m, &e);
  }
  double up = 117355 * pow(260, 0.37) * v, down = 117355 * pow(300, 0.37) * v;
  assert_true(fabs(rate[0] - down) < 1e-9 * down); /* -1 */
  assert_true(fabs(rate[1] - up) < 1e-9 * up);     /* not fixed: by the velocity */
  assert_true(rate[2] == rate[1]);
  cap_model_free(m);
}

static void steady_loads_have_no_harmonic(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  double load[] = {5.0, 100.0, 20.0, 0.3};
  assert_non_null(b);
  int i = cap_builder_dof(b, "body", "m", 1.0, 0.0, 0.0);
  cap_builder_element(b, &cap_load_type, "load", i, CAP_GROUND, load, NULL);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  double t = 0.7, q = 0.0, v = 0.0, h;
  cap_eval e = {.nlane = 1, .t = &t, .q = &q, .v = &v, .h = &h};
  cap_model_rates(m, &e);
  assert_true(fabs(h - (5.0 + 100.0 * sin(20.0 * 0.7 + 0.3))) < 1e-12);
  e.steady = true;
  cap_model_rates(m, &e);
  assert_true(h == 5.0);
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_match_differences),     cmocka_unit_test(lanes_give_the_same_bits),
      cmocka_unit_test(energy_grows_as_the_powers_say), cmocka_unit_test(forces_act_on_both_ends),
      cmocka_unit_test(a_fixed_sense_keeps_the_branch), cmocka_unit_test(steady_loads_have_no_harmonic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
