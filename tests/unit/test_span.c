/* Spans between pulleys on every kind of mount: fixed, rotary arm, linear guide, compliant hub, and arm and
 * hub together. Tangents against differences, and the energy of a free motion.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"
#include "../support/tangents.h"
#include "drives/accessory/elements/belt_elements.h"

#include "elements/elements.h"
#include "model/builder.h"

#include <stdio.h>

enum { PULLEYS = 4, MOST = 64 };

static const double at[PULLEYS][2] = {{0.0, 0.0}, {0.3, 0.05}, {0.25, 0.4}, {-0.1, 0.3}};
static const double radius[PULLEYS] = {0.05, 0.04, 0.06, 0.03};
static const double start_arm = 0.4, arm_length = 0.07, guide[2] = {0.8, -0.6};

/* Springs and dampers that hold a coordinate where it starts. */
static void hold(cap_builder *b, const char *name, int dof, double k, double q0)
{
  double par[CAP_LINK_NPARAM] = {[CAP_LINK_K] = k, [CAP_LINK_C] = 1e-4 * k, [CAP_LINK_F0] = -k * q0};
  cap_builder_element(b, &cap_link_type, name, dof, CAP_GROUND, par, NULL);
}

/* Length and direction of the span from pulley i to j, all on the inside of the loop. */
static void tangent(int i, int j, double *length, double *direction)
{
  double dx = at[j][0] - at[i][0], dy = at[j][1] - at[i][1], R = radius[i] - radius[j];
  *length = sqrt(dx * dx + dy * dy - R * R);
  *direction = atan2(dy, dx) + asin(R / hypot(dx, dy));
}

/* Pulley 1 sits on a rotary arm and a hub, 2 on a hub, 3 on a linear guide. The frame of the rotations has a
 * part of their speeds. */
static test_system open_loop(double part, double friction)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  int rotation[PULLEYS];
  assert_non_null(b);
  for (int k = 0; k < PULLEYS; k++) {
    double speed = 5.0 / radius[k];
    rotation[k] = cap_builder_dof(b, "pulley", "rad", 1e-3, 0.0, speed * (1.0 + 1e-3 * k - part));
    cap_builder_turn(b, rotation[k], speed * part, k);
  }
  int arm = cap_builder_dof(b, "arm", "rad", 2e-3, start_arm, 0.3);
  int slide = cap_builder_dof(b, "guide", "m", 0.5, 1e-4, -0.05);
  int hubs[2][2];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) hubs[k][i] = cap_builder_dof(b, "hub", "m", 0.7, 1e-5 * (i + k), 0.02);
  double mounts[PULLEYS][CAP_MOUNT_NPARAM] = {{at[0][0], at[0][1], 0.0, 0.0, 0.0, -1, -1},
                                              {at[1][0] - arm_length * cos(start_arm),
                                               at[1][1] - arm_length * sin(start_arm), arm_length, 0.0, 0.0,
                                               arm, hubs[0][0]},
                                              {at[2][0], at[2][1], 0.0, 0.0, 0.0, -1, hubs[1][0]},
                                              {at[3][0], at[3][1], 0.0, guide[0], guide[1], slide, -1}};
  for (int k = 0; k < PULLEYS; k++) {
    double length, direction, before, stretch = 1.004 + 1e-3 * k;
    tangent((k + 3) % PULLEYS, k, &length, &before);
    tangent(k, (k + 1) % PULLEYS, &length, &direction);
    double arc = radius[k] * fmod(direction - before + 4.0 * M_PI, 2.0 * M_PI);
    double par[CAP_SPAN_NPARAM] = {[CAP_SPAN_R] = radius[k],
                                   [CAP_SPAN_SIDE] = 1.0,
                                   [CAP_SPAN_BASE] = 5.0 / radius[k] * part,
                                   [CAP_SPAN_EA] = 1e5,
                                   [CAP_SPAN_MASS] = 0.1,
                                   [CAP_SPAN_DAMPING] = 2e-5,
                                   [CAP_SPAN_STRETCH] = stretch,
                                   [CAP_SPAN_DIRECTION] = direction,
                                   [CAP_SPAN_ARC] = arc,
                                   [CAP_SPAN_FRICTION] = friction,
                                   [CAP_SPAN_LEAD] = 2e-5};
    memcpy(&par[CAP_SPAN_MOUNT], mounts[k], sizeof mounts[k]);
    double x0[2] = {length / stretch, arc / 1.0045};
    cap_builder_element(b, &cap_span_type, "span", rotation[k], rotation[(k + 1) % PULLEYS], par, x0);
  }
  hold(b, "arm", arm, 100.0, start_arm + 0.2);
  hold(b, "guide", slide, 1e5, -0.002);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) hold(b, "hub", hubs[k][i], 1e6, 0.0);
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static void tangents_with(double friction)
{
  test_system s = open_loop(0.6, friction);
  double y[TANGENTS_MOST];
  assert_true(s.m->nstate <= TANGENTS_MOST);
  memcpy(y, s.d->y, sizeof(double) * (size_t)s.m->nstate);
  test_tangents_at(&s, y, 0.1);
  cap_data_free(s.d);
  cap_model_free(s.m);
}

/* All stick; one slips; all slip, with little friction, and none. */
static void tangents(void **state)
{
  (void)state;
  const double friction[] = {9.0, 0.3, 0.05, 0.0};
  for (int k = 0; k < 4; k++) tangents_with(friction[k]);
}

/* What goes in and is not lost is stored, at any state, with slip and without. */
static void powers(void **state)
{
  (void)state;
  const double friction[] = {9.0, 0.3, 0.05, 0.0};
  for (int f = 0; f < 4; f++) {
    test_system s = open_loop(0.6, friction[f]);
    int n = s.m->nstate;
    double rate[MOST], h[MOST], power[MOST], y[MOST], stored[2], net = 0.0, most = 0.0, step = 1e-8;
    cap_eval e = {.nlane = 1, .t = s.d->t, .h = h, .power = power};
    cap_model_derivative(s.m, &e, s.d->y, NULL, rate, NULL);
    for (int k = 0; k < s.m->nmech; k++) {
      net += s.m->mechs[k].input ? power[k] : -power[k];
      most = fmax(most, fabs(power[k]));
      if (strstr(s.m->mechs[k].name, ".slip")) assert_true(power[k] >= -1e-9);
    }
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < n; i++) y[i] = s.d->y[i] + (side ? step : -step) * rate[i];
      cap_eval then = {.nlane = 1, .q = y, .v = y + s.m->nv, .x = y + 2 * s.m->nv};
      cap_model_energy(s.m, &then, &stored[side]);
    }
    double growth = (stored[1] - stored[0]) / (2.0 * step);
    print_message("  friction %g: net power %.4f W, stored %.4f W, largest %.1f W\n", friction[f], net,
                  growth, most);
    assert_true(fabs(net - growth) < 1e-5 * most);
    cap_data_free(s.d);
    cap_model_free(s.m);
  }
}

/* Forces on arms and hubs belong to the work that the spans do: the balance closes to second order of the
 * step, whatever the frame in which the rotations are counted, and the belt keeps its length. */
static void energy(void **state)
{
  (void)state;
  double residual[2], last[2];
  for (int frame = 0; frame < 2; frame++)
    for (int fine = 0; fine < 2; fine++) {
      test_system s = open_loop(0.8 * frame, 0.5);
      double length = 0.0;
      for (int k = 0; k < s.m->nx; k++) length += s.d->x[k];
      cap_data_start_audit(s.m, s.d);
      test_run(&s, &cap_theta_midpoint_type, fine ? 1e-5 : 2e-5, 0.02);
      residual[fine] = test_balance(&s, NULL);
      last[frame] = s.d->q[PULLEYS + 1];
      for (int k = 0; k < s.m->nx; k++) length -= s.d->x[k];
      print_message("  frame at %.0f rad/s: residual %.2e, guide at %.9f m, length changed by %.1e m\n",
                    s.m->base[0], residual[fine], last[frame], length);
      assert_true(fabs(length) < 1e-12 && residual[fine] < 1e-3);
      if (fine) assert_true(residual[1] < 0.3 * residual[0] + 1e-10);
      cap_data_free(s.d);
      cap_model_free(s.m);
    }
  assert_true(fabs(last[0] - last[1]) < 1e-10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tangents), cmocka_unit_test(powers),
                                     cmocka_unit_test(energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
