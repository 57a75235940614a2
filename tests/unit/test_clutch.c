/* The one-way clutch: limits, memory, passivity, tangents of law and element, lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/lanes.h"
#include "drives/accessory/elements/belt_elements.h"
#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "laws/clutch.h"
#include "model/builder.h"

static const capm_clutch plain = {.k = 2000.0, .d = 0.5, .drag = 0.2, .capacity = INFINITY};

static capm_stick_result at(const capm_clutch *p, double z, double g)
{
  capm_stick_result r;
  capm_clutch_evaluate(p, z, g, &r);
  return r;
}

/* Engaged it is spring and damper; overrunning it has its drag, and the wind-up goes to -drag/k whatever the
 * speed: nothing tells how far it overran. */
static void engages_and_overruns(void **state)
{
  (void)state;
  capm_stick_result r = at(&plain, 3e-3, 0.4);
  assert_true(fabs(r.force[0] - (2000.0 * 3e-3 + 0.5 * 0.4)) < 1e-14 && r.rate[0] == 0.4 && r.slip == 0.0);
  r = at(&plain, 3e-3, -50.0);
  assert_true(r.force[0] == -0.2);
  for (double g = -1.0; g > -1000.0; g *= 2.0) {
    r = at(&plain, -1e-4, g);
    assert_true(r.force[0] == -0.2 && fabs(r.rate[0]) < 1e-15);
    assert_true(fabs(r.slip + 0.2 * g) < 1e-12 * -g);
  }
  r = at(&plain, -1e-4, 1e-3); /* it engages as soon as the rim is faster */
  assert_true(r.force[0] > -0.2 && r.rate[0] == 1e-3);
}

/* Without drag it transmits nothing backwards. */
static void without_drag(void **state)
{
  (void)state;
  capm_clutch free = plain;
  free.drag = 0.0;
  capm_stick_result r = at(&free, 1e-3, -20.0);
  assert_true(r.force[0] == 0.0 && r.slip == 0.0 && fabs(r.rate[0] + 2000.0 / 0.5 * 1e-3) < 1e-12);
  r = at(&free, 0.0, -20.0);
  assert_true(r.force[0] == 0.0 && r.rate[0] == 0.0);
  r = at(&free, 0.0, 0.0); /* at rest and without torque it counts as engaged: modes see its spring */
  assert_true(r.force[0] == 0.0 && r.force_z[0][0] == 2000.0 && r.force_g[0][0] == 0.5);
}

static void slips_at_its_capacity(void **state)
{
  (void)state;
  capm_clutch weak = plain;
  weak.capacity = 10.0;
  capm_stick_result r = at(&weak, 4e-3, 30.0);
  assert_true(r.force[0] == 10.0 && fabs(r.rate[0] - (10.0 - 8.0) / 0.5) < 1e-12);
  r = at(&weak, 5e-3, 30.0);
  assert_true(r.rate[0] == 0.0 && fabs(r.slip - 300.0) < 1e-9);
}

/* Neither force nor rate jumps anywhere. */
static void is_continuous(void **state)
{
  (void)state;
  const capm_clutch laws[] = {
      plain, {2000.0, 0.5, 0.0, INFINITY}, {30.0, 0.02, 0.1, 12.0}, {30.0, 0.02, 0.0, 12.0}};
  for (int k = 0; k < 4; k++) {
    const capm_clutch *p = &laws[k];
    double steepest = p->k + p->d, z0 = 20.0 / p->k, step = 1e-5;
    for (int i = 0; i < 4000; i++) {
      double z = z0 * (i / 2000.0 - 1.0), before = at(p, z, -40.0).force[0], rate = at(p, z, -40.0).rate[0];
      for (double g = -40.0 + step; g < -40.0 + 40.0 * step; g += step) {
        capm_stick_result r = at(p, z + (g + 40.0), g);
        assert_true(fabs(r.force[0] - before) <= 1.001 * steepest * step + 1e-12);
        assert_true(fabs(r.rate[0] - rate) <= 1.001 * (1.0 + steepest / p->d) * step + 1e-12);
        before = r.force[0], rate = r.rate[0];
      }
    }
  }
}

/* f g = d/dt (k z^2/2) + damping + slip, neither of the two below 0. */
static void takes_energy_only(void **state)
{
  (void)state;
  uint64_t seed = 31;
  double worst = 0.0;
  for (int n = 0; n < 200000; n++) {
    capm_clutch p = {test_random(&seed, 1, 5000), test_random(&seed, 1e-3, 5), test_random(&seed, -1, 1),
                     INFINITY};
    p.drag = fmax(p.drag, 0.0);
    if (n % 3 == 0) p.capacity = test_random(&seed, 1, 20);
    double z = test_random(&seed, -10, 20) / p.k, g = test_random(&seed, -20, 20);
    capm_stick_result r = at(&p, z, g);
    double gap = r.force[0] * g - p.k * z * r.rate[0] - r.damping - r.slip;
    double turnover = fabs(r.force[0] * g) + fabs(p.k * z * r.rate[0]) + r.damping + r.slip + 1e-12;
    worst = fmax(worst, fabs(gap) / turnover);
    assert_true(r.damping >= 0.0 && r.slip >= 0.0);
    assert_true(r.force[0] >= -p.drag && r.force[0] <= p.capacity);
  }
  print_message("  power within %.1e of the turnover\n", worst);
  assert_true(worst < 1e-12);
}

static void settles(void **state)
{
  (void)state;
  double slope, z = capm_clutch_settle(&plain, 1e-3, 2e-3, &slope);
  assert_true(fabs(z - 3e-3) < 1e-16 && slope == 1.0);
  z = capm_clutch_settle(&plain, 1e-3, -2.0, &slope);
  assert_true(z == -1e-4 && slope == 0.0);
  capm_clutch weak = plain;
  weak.capacity = 10.0;
  z = capm_clutch_settle(&weak, 1e-3, 2.0, &slope);
  assert_true(z == 5e-3 && slope == 0.0);
}

/* ---- the element --------------------------------------------------------------------------------------- */

enum { NV = 3, NX = 2, N = 2 * NV + NX, LANES = 4 };

/* Rim, shaft, and a second clutch from the shaft to the ground. */
static cap_model *chain(int nlane, int first)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_model *m = NULL;
  assert_non_null(b);
  for (int l = 0; l < nlane; l++) {
    uint64_t seed = 9 + (uint64_t)(first + l);
    cap_builder_lane(b, l);
    double one[CAP_CLUTCH_NPARAM] = {test_random(&seed, 20, 40), test_random(&seed, 0.01, 0.1),
                                     test_random(&seed, 0, 0.2), INFINITY};
    double two[CAP_CLUTCH_NPARAM] = {test_random(&seed, 20, 40), test_random(&seed, 0.01, 0.1), 0.0, 15.0};
    double z = test_random(&seed, 0, 0.1);
    int rim = cap_builder_dof(b, "rim", "rad", 2e-4, 0, 0),
        shaft = cap_builder_dof(b, "shaft", "rad", 3e-3, 0, 0);
    cap_builder_dof(b, "idle", "rad", 1.0, 0, 0);
    cap_builder_element(b, &cap_clutch_type, "one", rim, shaft, one, &z);
    cap_builder_element(b, &cap_clutch_type, "two", shaft, CAP_GROUND, two, &z);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_true(m->nstate == N && m->nx == NX && m->nmech == 4 && strcmp(m->x_unit[0], "rad") == 0);
  return m;
}

typedef struct values {
  double t[LANES], y[N * LANES], dy[N * N * LANES], ydot[N * LANES], dydot[N * N * LANES];
  double h[NV * LANES], dh[NV * N * LANES], force[2 * LANES], power[4 * LANES], decay[NX * LANES],
      stored[LANES];
} values;

static void draw(const cap_model *m, int first, int trial, values *r)
{
  for (int l = 0; l < m->nlane; l++) {
    uint64_t seed = 1000u * (uint64_t)trial + (uint64_t)(first + l);
    for (int i = 0; i < N; i++)
      r->y[i * m->nlane + l] = test_random(&seed, -1, 1) * (i < NV ? 10.0 : i < 2 * NV ? 20.0 : 0.5);
  }
}

static void evaluate(const cap_model *m, values *r)
{
  memset(r->dy, 0, sizeof r->dy);
  for (int i = 0; i < N; i++)
    for (int l = 0; l < m->nlane; l++) r->dy[(i * N + i) * m->nlane + l] = 1.0;
  cap_eval e = {.nlane = m->nlane,
                .ncol = N,
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
  static values r, off[2];
  cap_model *m = chain(1, 0);
  double worst = 0.0;
  for (int trial = 0; trial < 300; trial++) {
    draw(m, 0, trial, &r);
    evaluate(m, &r);
    for (int j = 0; j < N; j++) {
      double step = 1e-6;
      for (int side = 0; side < 2; side++) {
        off[side] = r;
        off[side].y[j] += side ? step : -step;
        evaluate(m, &off[side]);
      }
      for (int i = 0; i < N; i++) {
        double slope = (off[1].ydot[i] - off[0].ydot[i]) / (2.0 * step), own = r.dydot[i * N + j];
        worst = fmax(worst, fabs(slope - own) / (fabs(own) + 1e3));
      }
    }
  }
  print_message("  tangents within %.1e of differences\n", worst);
  assert_true(worst < 1e-7);
  cap_model_free(m);
}

static void lanes_give_the_same_bits(void **state)
{
  (void)state;
  static values many, one;
  cap_model *m = chain(LANES, 0);
  for (int trial = 0; trial < 20; trial++) {
    draw(m, 0, trial, &many);
    evaluate(m, &many);
    for (int l = 0; l < LANES; l++) {
      cap_model *single = chain(1, l);
      draw(single, l, trial, &one);
      evaluate(single, &one);
      test_same_lane("ydot", many.ydot, one.ydot, N, LANES, l);
      test_same_lane("dydot", many.dydot, one.dydot, N * N, LANES, l);
      test_same_lane("force", many.force, one.force, 2, LANES, l);
      test_same_lane("power", many.power, one.power, 4, LANES, l);
      test_same_lane("decay", many.decay, one.decay, NX, LANES, l);
      test_same_lane("stored", many.stored, one.stored, 1, LANES, l);
      cap_model_free(single);
    }
  }
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(engages_and_overruns),       cmocka_unit_test(without_drag),
      cmocka_unit_test(slips_at_its_capacity),      cmocka_unit_test(is_continuous),
      cmocka_unit_test(takes_energy_only),          cmocka_unit_test(settles),
      cmocka_unit_test(tangents_match_differences), cmocka_unit_test(lanes_give_the_same_bits),
  };
  return cmocka_run_group_tests_name("clutch", tests, NULL, NULL);
}
