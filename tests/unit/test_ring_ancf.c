/* The strip by absolute nodal coordinates: forces as slopes of its energy, tangents, rigid motion, losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/lanes.h"
#include "../support/system.h"
#include "drives/pushbelt/ring/ring_ancf.h"
#include "model/builder.h"

#include "../support/tangents.h"

/* A closed chain of four nodes, bent and stretched. */
enum { NODES = 4, NV = 4 * NODES };

static test_system chain(double damping, double curvature)
{
  test_system s = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  uint64_t seed = 9;
  assert_non_null(b);
  for (int n = 0; n < NODES; n++) {
    double angle = M_PI_2 * n, stretch = 1.2;
    const double q[4] = {0.7 * cos(angle), 0.7 * sin(angle), -stretch * sin(angle), stretch * cos(angle)};
    for (int c = 0; c < 4; c++)
      cap_builder_dof(b, "coordinate", c < 2 ? "m" : "1", 1.0, q[c] + test_random(&seed, -0.1, 0.1),
                      test_random(&seed, -1.0, 1.0));
  }
  for (int n = 0; n < NODES; n++) {
    double par[CAP_RING_ANCF_NPARAM] = {test_random(&seed, 2, 9),
                                        test_random(&seed, 0.5, 3),
                                        test_random(&seed, 0.6, 1.4),
                                        damping * test_random(&seed, 0.2, 2),
                                        damping * test_random(&seed, 0.2, 2),
                                        curvature};
    cap_builder_element(b, &cap_ring_ancf_force_type, "strip", 4 * n, 4 * ((n + 1) % NODES), par, NULL);
  }
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static double energy_at(const test_system *s, const double *q)
{
  double still[NV] = {0}, stored;
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = q, .v = still};
  cap_model_energy(s->m, &e, &stored);
  return stored;
}

static void forces_at(const test_system *s, const double *q, const double *v, double *h, double *power)
{
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = q, .v = v, .h = h, .power = power};
  cap_model_rates(s->m, &e);
}

static void forces_are_slopes_of_the_energy(void **state)
{
  (void)state;
  test_system s = chain(1.0, 0.4);
  double still[NV] = {0}, h[NV], worst = 0.0;
  static const double weight[3] = {1.5, -0.6, 0.1};
  forces_at(&s, s.d->q, still, h, NULL);
  for (int i = 0; i < NV; i++) {
    double slope = 0.0, kept = s.d->q[i];
    for (int k = 1; k <= 3; k++)
      for (int side = -1; side <= 1; side += 2) {
        s.d->q[i] = kept + side * k * 0.003;
        slope += side * weight[k - 1] / (2.0 * k * 0.003) * energy_at(&s, s.d->q);
      }
    s.d->q[i] = kept;
    worst = fmax(worst, fabs(h[i] + slope));
  }
  print_message("  forces within %.1e of the slopes of the energy\n", worst);
  assert_true(worst < 1e-7);
  test_system_close(&s);
}

static void tangents_match_differences(void **state)
{
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    test_system s = chain(damped, -0.3);
    test_tangents_at(&s, s.d->y, 1.0);
    test_system_close(&s);
  }
}

/* Turned and moved, with a spin on top: the same forces, turned; no power beside. */
static void rigid_motion_changes_nothing(void **state)
{
  (void)state;
  test_system s = chain(1.0, 0.3);
  double q[NV], v[NV], h[NV], g[NV], power[NODES], turned[NODES];
  double a = 2.5, c = cos(a), si = sin(a), omega = 3.0;
  for (int n = 0; n < 2 * NODES; n++) {
    const double *from = s.d->q + 2 * n, *rate = s.d->v + 2 * n;
    q[2 * n] = c * from[0] - si * from[1];
    q[2 * n + 1] = si * from[0] + c * from[1];
    v[2 * n] = c * rate[0] - si * rate[1] - omega * q[2 * n + 1];
    v[2 * n + 1] = si * rate[0] + c * rate[1] + omega * q[2 * n];
    if (n % 2 == 0) q[2 * n] += 5.0, q[2 * n + 1] -= 3.0;
  }
  forces_at(&s, s.d->q, s.d->v, h, power);
  forces_at(&s, q, v, g, turned);
  for (int n = 0; n < 2 * NODES; n++) {
    assert_true(fabs(g[2 * n] - (c * h[2 * n] - si * h[2 * n + 1])) < 1e-12);
    assert_true(fabs(g[2 * n + 1] - (si * h[2 * n] + c * h[2 * n + 1])) < 1e-12);
  }
  for (int n = 0; n < NODES; n++) assert_true(power[n] > 0.0 && fabs(power[n] - turned[n]) < 1e-12);
  test_system_close(&s);
}

/* What the damping takes is what the forces do beyond the slope of the energy. */
static void power_is_what_damping_takes(void **state)
{
  (void)state;
  test_system s = chain(1.0, 0.0);
  double h[NV], elastic[NV], still[NV] = {0}, power[NODES], work = 0.0, lost = 0.0;
  forces_at(&s, s.d->q, s.d->v, h, power);
  forces_at(&s, s.d->q, still, elastic, NULL);
  for (int i = 0; i < NV; i++) work += (elastic[i] - h[i]) * s.d->v[i];
  for (int n = 0; n < NODES; n++) lost += power[n];
  assert_true(fabs(work - lost) < 1e-12 * lost);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_slopes_of_the_energy),
      cmocka_unit_test(tangents_match_differences),
      cmocka_unit_test(rigid_motion_changes_nothing),
      cmocka_unit_test(power_is_what_damping_takes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
