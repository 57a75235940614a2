/* The attitude element: torque and rates, tangents, and the same bits in every number of lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "../support/lanes.h"
#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "linalg/quaternion.h"
#include "model/builder.h"

/* Two bodies, and a coordinate of another kind before and between them. */
enum { NV = 8, NX = 8, NSTATE = 2 * NV + NX, LANES = 8 };
static const int BODY[2] = {1, 5};

static void describe(cap_builder *b, int lane)
{
  uint64_t seed = 31 + 100u * (uint64_t)lane;
  for (int i = 0; i < NV; i++)
    cap_builder_dof(b, "c", i == 0 || i == 4 ? "m" : "rad", test_random(&seed, 1, 4), 0, 0);
  for (int k = 0; k < 2; k++) {
    double inertia[CAP_ATTITUDE_NPARAM], e[4] = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) inertia[i] = test_random(&seed, 0.1, 3);
    cap_builder_element(b, &cap_attitude_type, "body", BODY[k], CAP_GROUND, inertia, e);
  }
}

static cap_model *bodies(int nlane, int first)
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
  assert_int_equal(m->nstate, NSTATE);
  return m;
}

typedef struct result {
  double t[LANES], y[NSTATE * LANES], dy[NSTATE * NSTATE * LANES];
  double ydot[NSTATE * LANES], dydot[NSTATE * NSTATE * LANES];
  double h[NV * LANES], dh[NV * NSTATE * LANES], force[2 * LANES], power[LANES], decay[NX * LANES];
} result;

static void random_state(int nlane, int first, result *r)
{
  memset(r, 0, sizeof *r);
  for (int l = 0; l < nlane; l++) {
    uint64_t seed = 900 + 17u * (uint64_t)(first + l);
    for (int i = 0; i < NSTATE; i++) r->y[i * nlane + l] = test_random(&seed, -2, 2);
  }
}

static void evaluate(const cap_model *m, result *r, bool tangent)
{
  int nlane = m->nlane;
  memset(r->dy, 0, sizeof r->dy);
  for (int i = 0; i < NSTATE; i++)
    for (int l = 0; l < nlane; l++) r->dy[(i * NSTATE + i) * nlane + l] = 1.0;
  for (int k = 0; k < 2 * LANES; k++) r->force[k] = 77.0; /* must be set */
  for (int k = 0; k < NX * LANES; k++) r->decay[k] = 77.0;
  cap_eval e = {.nlane = nlane,
                .ncol = tangent ? NSTATE : 0,
                .t = r->t,
                .h = r->h,
                .dh = r->dh,
                .force = r->force,
                .power = r->power,
                .decay = r->decay};
  cap_model_derivative(m, &e, r->y, r->dy, r->ydot, r->dydot);
}

static void torque_and_rates(void **state)
{
  (void)state;
  static result r;
  cap_model *m = bodies(1, 4);
  random_state(1, 4, &r);
  evaluate(m, &r, false);
  assert_int_equal(m->nmech, 0);
  const double *v = r.y + NV, *x = r.y + 2 * NV, *xdot = r.ydot + 2 * NV;
  assert_true(r.h[0] == 0.0 && r.h[4] == 0.0); /* the other coordinates feel nothing */
  for (int k = 0; k < 2; k++) {
    const double *inertia = m->batches[0].par + k * CAP_ATTITUDE_NPARAM, *w = v + BODY[k], *h = r.h + BODY[k];
    double momentum[3], torque[3], rate[4], size = 0.0;
    for (int i = 0; i < 3; i++) momentum[i] = inertia[i] * w[i];
    capm_quaternion_cross(momentum, w, torque);
    capm_quaternion_rate(x + 4 * k, w, rate);
    for (int i = 0; i < 3; i++) {
      size = fmax(size, fabs(h[i]));
      assert_true(fabs(h[i] - torque[i]) < 1e-14);
    }
    for (int i = 0; i < 4; i++) assert_true(fabs(xdot[4 * k + i] - rate[i]) < 1e-15);
    assert_true(size > 0.01);
    assert_true(fabs(capm_quaternion_dot(h, w)) < 1e-14); /* no power */
    assert_true(r.force[k] == 0.0);
    for (int i = 0; i < 4; i++) assert_true(r.decay[4 * k + i] == 0.0);
  }
  cap_model_free(m);
}

/* The rates are of second degree, so central differences are exact but for rounding. */
static void tangents_match_differences(void **state)
{
  (void)state;
  static result at, off[2];
  double worst = 0.0;
  cap_model *m = bodies(1, 0);
  for (int trial = 0; trial < 20; trial++) {
    random_state(1, trial, &at);
    evaluate(m, &at, true);
    for (int j = 0; j < NSTATE; j++) {
      for (int side = 0; side < 2; side++) {
        off[side] = at;
        off[side].y[j] += side ? 0.25 : -0.25;
        evaluate(m, &off[side], false);
      }
      for (int i = 0; i < NSTATE; i++) {
        double slope = (off[1].ydot[i] - off[0].ydot[i]) / 0.5, own = at.dydot[i * NSTATE + j];
        worst = fmax(worst, fabs(slope - own));
        if (!(fabs(slope - own) < 1e-13)) fail_msg("d ydot[%d] / d y[%d]: %.9g, not %.9g", i, j, own, slope);
      }
    }
  }
  print_message("  tangents within %.1e of differences\n", worst);
  cap_model_free(m);
}

static void lanes_give_the_same_bits(void **state)
{
  (void)state;
  static result many, one;
  const int sizes[] = {8, 3};
  for (int k = 0; k < 2; k++) {
    int nlane = sizes[k];
    cap_model *m = bodies(nlane, 0);
    random_state(nlane, 0, &many);
    evaluate(m, &many, true);
    for (int l = 0; l < nlane; l++) {
      cap_model *single = bodies(1, l);
      random_state(1, l, &one);
      evaluate(single, &one, true);
      test_same_lane("ydot", many.ydot, one.ydot, NSTATE, nlane, l);
      test_same_lane("dydot", many.dydot, one.dydot, NSTATE * NSTATE, nlane, l);
      cap_model_free(single);
    }
    cap_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torque_and_rates),
      cmocka_unit_test(tangents_match_differences),
      cmocka_unit_test(lanes_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
