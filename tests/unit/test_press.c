/* Element to element, element to ring, and the clamp: geometry, action and reaction, tangents, energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/pushbelt/contact/press.h"
#include "drives/pushbelt/contact/slot.h"
#include "drives/pushbelt/ring/clamp.h"
#include "elements/elements.h"
#include "model/builder.h"

enum { MOST = 32 };

static const double thickness = 1.5e-3, radius = 4e-3, chamfer = 0.0855;

static void set_point(double *p, double along, double height, double rho, double turn)
{
  p[CAP_PRESS_POINT_ALONG] = along;
  p[CAP_PRESS_POINT_HEIGHT] = height;
  p[CAP_PRESS_POINT_RADIUS] = rho;
  p[CAP_PRESS_POINT_TURN] = turn;
  p[CAP_PRESS_POINT_BACK] = 0.5 * thickness;
  p[CAP_PRESS_POINT_THICKNESS] = thickness;
  p[CAP_PRESS_POINT_C] = 5e6;
  p[CAP_PRESS_POINT_XI0] = 4e-4;
  p[CAP_PRESS_POINT_K] = 7500.0;
}

static void set_joint(double par[CAP_PRESS_NPARAM], double damping, double mu)
{
  memset(par, 0, sizeof(double) * CAP_PRESS_NPARAM);
  set_point(par + CAP_PRESS_POINT, 0.5 * thickness - radius, -0.97e-3, radius, chamfer);
  set_point(par + CAP_PRESS_POINT + CAP_PRESS_POINT_NPARAM, 0.5 * thickness + 2e-6, 4.93e-3, 0.0, 0.0);
  par[CAP_PRESS_DAMPING] = damping;
  par[CAP_PRESS_FRICTION] = mu;
  par[CAP_PRESS_VELOCITY] = 0.02;
}

static void set_hinge(double *pose, double x, double side)
{
  pose[CAP_POSE_HINGED] = 1.0;
  pose[CAP_POSE_X] = x;
  pose[CAP_POSE_Y] = 1e-3;
  pose[CAP_POSE_SIDE] = side;
  pose[CAP_POSE_OFFSET] = -2e-3;
}

static cap_model *finish(cap_builder *b)
{
  cap_model *m = NULL;
  cap_error error = {0};
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

static int add_body(cap_builder *b, const char *name, bool hinged)
{
  int first = cap_builder_dof(b, name, "m", 1.0, 0.0, 0.0);
  for (int c = 1; c < (hinged ? 2 : 3); c++) cap_builder_dof(b, name, "m", 1.0, 0.0, 0.0);
  return first;
}

/* Two bodies; hinged & 1: the first, & 2: the second. */
static cap_model *pair_of(int hinged, double damping, double mu)
{
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  double par[CAP_PRESS_NPARAM];
  set_joint(par, damping, mu);
  if (hinged & 1) set_hinge(par + CAP_PRESS_POSE_I, -30e-3, 1.0);
  if (hinged & 2) set_hinge(par + CAP_PRESS_POSE_J, 31.5e-3, -1.0);
  int i = add_body(b, "i", hinged & 1), j = add_body(b, "j", hinged & 2);
  cap_builder_element(b, &cap_press_type, "joint", i, j, par, NULL);
  return finish(b);
}

typedef struct evaluation {
  double h[MOST], force[MOST], power[MOST], dh[MOST];
} evaluation;

static void evaluate(const cap_model *m, const double *q, const double *v, const double *dq, const double *dv,
                     evaluation *e)
{
  double t = 0.0;
  cap_eval eval = {.nlane = 1,
                   .ncol = dq ? 1 : 0,
                   .t = &t,
                   .q = q,
                   .v = v,
                   .dq = dq,
                   .dv = dv,
                   .h = e->h,
                   .dh = e->dh,
                   .force = e->force,
                   .power = e->power};
  assert_true(m->nv <= MOST && m->noutput <= MOST && m->nmech <= MOST);
  cap_model_rates(m, &eval);
}

static double stored(const cap_model *m, const double *q)
{
  double energy = 0.0, zeros[MOST] = {0}, t = 0.0;
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = zeros};
  cap_model_energy(m, &e, &energy);
  return energy;
}

/* dh along random directions of the given sizes against central differences. */
static void check_tangents(const cap_model *m, const double *q, const double *v, const double *size,
                           uint64_t *seed)
{
  evaluation at, up, down;
  double dq[MOST], dv[MOST], most = 0.0, step = 1e-3;
  for (int i = 0; i < m->nv; i++) {
    dq[i] = size[i] * test_random(seed, -1.0, 1.0);
    dv[i] = size[i] * 1e3 * test_random(seed, -1.0, 1.0);
  }
  evaluate(m, q, v, dq, dv, &at);
  double qs[2][MOST], vs[2][MOST];
  for (int i = 0; i < m->nv; i++) {
    qs[0][i] = q[i] + step * dq[i], qs[1][i] = q[i] - step * dq[i];
    vs[0][i] = v[i] + step * dv[i], vs[1][i] = v[i] - step * dv[i];
  }
  evaluate(m, qs[0], vs[0], NULL, NULL, &up);
  evaluate(m, qs[1], vs[1], NULL, NULL, &down);
  for (int i = 0; i < m->nv; i++) most = fmax(most, fabs(at.h[i]) + fabs(at.dh[i]));
  for (int i = 0; i < m->nv; i++) {
    double slope = (up.h[i] - down.h[i]) / (2.0 * step);
    if (!(fabs(slope - at.dh[i]) <= 3e-6 * (most + 1e-6)))
      fail_msg("force %d: %.10g, by differences %.10g (of %.3g)", i, at.dh[i], slope, most);
  }
}

/* State of a pair: the front of i into the back of j by `in`, pitches p and p + delta. */
static void set_state(int hinged, double in, double p, double delta, double *q)
{
  int n = 0;
  double x[2] = {0.3e-3, 0.3e-3 + thickness - in}, y[2] = {0.1e-3, 0.12e-3}, pitch[2] = {p, p + delta};
  for (int k = 0; k < 2; k++) {
    if (hinged >> k & 1) {
      q[n++] = k ? 31.5e-3 - x[1] : 30e-3 + x[0];
      q[n++] = pitch[k];
    } else {
      q[n++] = x[k], q[n++] = y[k], q[n++] = pitch[k];
    }
  }
}

/* The first point of the contour of i behind the back plane of j, by walking along it. */
static double deepest(const double *q)
{
  double most = -INFINITY, c = cos(q[5]), s = sin(q[5]);
  for (int k = 0; k <= 100000; k++) {
    double angle = chamfer * k / 100000.0; /* from the front face down the arc */
    double a = 0.5 * thickness - radius * (1.0 - cos(angle)), b = -0.97e-3 - radius * sin(angle);
    double x = q[0] + a * cos(q[2]) - b * sin(q[2]) - q[3], y = q[1] + a * sin(q[2]) + b * cos(q[2]) - q[4];
    most = fmax(most, x * c + y * s + 0.5 * thickness);
  }
  return most;
}

static void the_edge_rolls_on_its_arc(void **state)
{
  (void)state;
  cap_model *m = pair_of(0, 0.0, 0.0);
  const double deltas[] = {0.06, 1e-3, 0.0, -1e-3, -0.02, -0.08, -0.0855, -0.12};
  double zeros[MOST] = {0};
  for (int k = 0; k < 8; k++) {
    double q[6];
    evaluation e;
    set_state(0, 3e-6, 0.01, deltas[k], q);
    evaluate(m, q, zeros, NULL, NULL, &e);
    double g = e.force[m->batches[0].output_adr + CAP_PRESS_EDGE_XI] * thickness;
    assert_true(fabs(g - deepest(q)) < 1e-13);
  }
  cap_model_free(m);
}

/* Forces along and across are opposite, and moments about any point cancel. */
static void acts_and_reacts(void **state)
{
  (void)state;
  cap_model *m = pair_of(0, 1e-6, 0.1);
  uint64_t seed = 3;
  for (int k = 0; k < 50; k++) {
    double q[6], v[6];
    evaluation e;
    set_state(0, test_random(&seed, 0.0, 3e-6), 0.3, test_random(&seed, -2e-3, 1e-3), q);
    for (int i = 0; i < 6; i++) v[i] = test_random(&seed, -0.01, 0.01);
    evaluate(m, q, v, NULL, NULL, &e);
    double size = fabs(e.h[0]) + fabs(e.h[1]) + 1e-9;
    double moment = e.h[2] + e.h[5] + q[0] * e.h[1] - q[1] * e.h[0] + q[3] * e.h[4] - q[4] * e.h[3];
    assert_true(fabs(e.h[0] + e.h[3]) <= 1e-14 * size && fabs(e.h[1] + e.h[4]) <= 1e-14 * size);
    assert_true(fabs(moment) <= 1e-14 * size);
  }
  cap_model_free(m);
}

static void press_tangents(void **state)
{
  (void)state;
  uint64_t seed = 17;
  const double ins[] = {1e-7, 4e-7, 2e-6}, deltas[] = {2e-4, -1e-4, -2e-3, -0.0857};
  for (int hinged = 0; hinged < 4; hinged++)
    for (int kind = 0; kind < 3; kind++) {
      cap_model *m = pair_of(hinged, kind ? 1e-6 : 0.0, kind == 2 ? 0.1 : 0.0);
      for (int k = 0; k < 12; k++) {
        double q[6], v[6], size[6];
        set_state(hinged, ins[k % 3], 0.2, deltas[k / 3], q);
        for (int i = 0; i < m->nv; i++) v[i] = kind ? test_random(&seed, -0.02, 0.02) : 0.0;
        for (int i = 0; i < m->nv; i++) size[i] = 1e-6;
        check_tangents(m, q, v, size, &seed);
      }
      cap_model_free(m);
    }
}

/* What the forces take from the motion is stored or lost. */
static void press_keeps_the_energy(void **state)
{
  (void)state;
  uint64_t seed = 8;
  for (int hinged = 0; hinged < 4; hinged++) {
    cap_model *m = pair_of(hinged, 1e-6, 0.1);
    for (int k = 0; k < 20; k++) {
      double q[6], v[6], up[6], down[6], power = 0.0, h = 1e-7;
      evaluation e;
      set_state(hinged, 1.3e-6, 0.2, test_random(&seed, -2e-3, 1e-4), q);
      for (int i = 0; i < m->nv; i++) v[i] = test_random(&seed, -0.01, 0.01);
      for (int i = 0; i < m->nv; i++) up[i] = q[i] + h * v[i], down[i] = q[i] - h * v[i];
      evaluate(m, q, v, NULL, NULL, &e);
      for (int i = 0; i < m->nv; i++) power -= e.h[i] * v[i];
      double rate = (stored(m, up) - stored(m, down)) / (2.0 * h), lost = e.power[0] + e.power[1];
      assert_true(e.power[1] >= 0.0);
      assert_true(fabs(power - rate - lost) <= 1e-5 * (fabs(power) + fabs(rate) + fabs(lost)));
    }
    cap_model_free(m);
  }
}

/* ---- ring and clamp ------------------------------------------------------------------------------------ */

static cap_model *seat_of(bool hinged, double damping)
{
  cap_builder *b = cap_builder_create(1);
  double par[CAP_SLOT_NPARAM] = {0};
  par[CAP_SLOT_HEIGHT] = 0.5e-3;
  par[CAP_SLOT_HALF] = 0.8e-3;
  par[CAP_SLOT_PLAY] = 0.5e-3;
  par[CAP_SLOT_SADDLE] = 1e7;
  par[CAP_SLOT_EAR] = 2e7;
  par[CAP_SLOT_HOLD] = 1e4;
  par[CAP_SLOT_WIDTH] = 1e-5;
  par[CAP_SLOT_DAMPING] = damping;
  par[CAP_SLOT_LENGTH] = 5e-3;
  if (hinged) set_hinge(par + CAP_SLOT_POSE, -30e-3, 1.0);
  int body = add_body(b, "body", hinged), ring = add_body(b, "A", false);
  add_body(b, "B", false);
  cap_builder_element(b, &cap_slot_type, "guide", body, ring, par, NULL);
  return finish(b);
}

/* Ring over the saddle by z, bent and slanted. */
static void set_seat(bool hinged, double z, double *q)
{
  int n = 0;
  double y = hinged ? 1e-3 - 2e-3 : -1e-3;
  if (hinged) q[n++] = 30e-3, q[n++] = 0.01;
  else q[n++] = 0.0, q[n++] = y, q[n++] = 0.01;
  double level = y + (hinged ? 30e-3 * sin(0.01) : 0.0) + 0.5e-3 + 0.8e-3 + z;
  q[n++] = -2.4e-3, q[n++] = level - 2e-5, q[n++] = 0.03;
  q[n++] = 2.6e-3, q[n++] = level, q[n++] = -0.01;
}

static void guide_tangents_and_energy(void **state)
{
  (void)state;
  uint64_t seed = 4;
  const double zs[] = {-1e-4, -2.5e-5, 1e-4, 4.8e-4, 6e-4};
  for (int hinged = 0; hinged < 2; hinged++) {
    cap_model *m = seat_of(hinged, 1e-5);
    for (int k = 0; k < 25; k++) {
      double q[9], v[9], size[9], up[9], down[9], power = 0.0, step = 1e-7;
      evaluation e;
      set_seat(hinged, zs[k % 5], q);
      for (int i = 0; i < m->nv; i++) size[i] = 1e-4, v[i] = test_random(&seed, -0.1, 0.1);
      check_tangents(m, q, v, size, &seed);
      evaluate(m, q, v, NULL, NULL, &e);
      for (int i = 0; i < m->nv; i++) up[i] = q[i] + step * v[i], down[i] = q[i] - step * v[i];
      for (int i = 0; i < m->nv; i++) power -= e.h[i] * v[i];
      double rate = (stored(m, up) - stored(m, down)) / (2.0 * step);
      if (!(fabs(power - rate - e.power[0]) <= 1e-5 * (fabs(power) + fabs(rate) + e.power[0])))
        fail_msg("at z = %g: %.9g W taken, %.9g W stored, %.9g W lost", zs[k % 5], power, rate, e.power[0]);
    }
    cap_model_free(m);
  }
}

/* Nothing at z = 0, the saddle below, the ear above, a weak spring between. */
static void saddle_and_ear_have_play(void **state)
{
  (void)state;
  cap_model *m = seat_of(false, 0.0);
  const double zs[] = {0.0, -1e-3, 2.5e-4, 1.5e-3},
               forces[] = {0.0, 1e7 * (1e-3 - 1e-5) + 10.0, -2.5, -2e7 * (1e-3 - 1e-5) - 15.0};
  for (int k = 0; k < 4; k++) {
    double q[9] = {0.0, -1.3e-3, 0.0, -2.5e-3, zs[k], 0.0, 2.5e-3, zs[k], 0.0}, zeros[9] = {0};
    evaluation e;
    evaluate(m, q, zeros, NULL, NULL, &e);
    assert_true(fabs(e.force[0] - forces[k]) <= 1e-9 * fabs(forces[k]) + 1e-12);
    assert_true(fabs(e.force[m->batches[0].output_adr + CAP_SLOT_PLACE] - 0.5) < 1e-12);
  }
  cap_model_free(m);
}

static void clamp_tangents_and_energy(void **state)
{
  (void)state;
  uint64_t seed = 6;
  cap_builder *b = cap_builder_create(1);
  double par[CAP_CLAMP_NPARAM] = {0.1, 0.02, -0.03, 1e6, 2e6, 50.0};
  int lever = cap_builder_dof(b, "lever", "rad", 1.0, 0.0, 0.0), node = add_body(b, "node", false);
  cap_builder_element(b, &cap_clamp_type, "clamp", lever, node, par, NULL);
  cap_model *m = finish(b);
  for (int k = 0; k < 20; k++) {
    double q[4] = {0.2, 0.1 - 0.029, 0.02 - 0.006, 0.25}, v[4], size[4] = {1e-3, 1e-3, 1e-3, 1e-3}, up[4],
           down[4];
    double power = 0.0, step = 1e-5;
    evaluation e;
    for (int i = 0; i < 4; i++)
      q[i] += 1e-3 * test_random(&seed, -1.0, 1.0), v[i] = test_random(&seed, -1.0, 1.0);
    check_tangents(m, q, v, size, &seed);
    evaluate(m, q, v, NULL, NULL, &e);
    for (int i = 0; i < 4; i++)
      power -= e.h[i] * v[i], up[i] = q[i] + step * v[i], down[i] = q[i] - step * v[i];
    assert_true(fabs(power - (stored(m, up) - stored(m, down)) / (2.0 * step)) <= 1e-5 * fabs(power) + 1e-6);
  }
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_edge_rolls_on_its_arc),
                                     cmocka_unit_test(acts_and_reacts),
                                     cmocka_unit_test(press_tangents),
                                     cmocka_unit_test(press_keeps_the_energy),
                                     cmocka_unit_test(guide_tangents_and_energy),
                                     cmocka_unit_test(saddle_and_ear_have_play),
                                     cmocka_unit_test(clamp_tangents_and_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
