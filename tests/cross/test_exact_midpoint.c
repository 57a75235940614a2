/* Exact propagation against small fixed steps of another method: transients, orbits, and the map of Fig. 13.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/belt_mass.h"
#include "../support/midpoint.h"
#include "../support/random_system.h"
#include "step/exact/exact_range.h"

static cap_error error;

/* States at `until` by steps of h and h/2, extrapolated as a method of second order. */
static void midpoint_extrapolated(const cap_linear *l, double until, int nstep, const double *y0, double *y)
{
  int n = 2 * l->nv + l->nslider;
  double fine[32];
  memcpy(y, y0, (size_t)n * sizeof(double));
  memcpy(fine, y0, (size_t)n * sizeof(double));
  midpoint_advance(l, 0.0, until, nstep, y);
  midpoint_advance(l, 0.0, until, 2 * nstep, fine);
  for (int i = 0; i < n; i++) y[i] = (4 * fine[i] - y[i]) / 3;
}

static void random_transients_agree(void **state)
{
  (void)state;
  uint64_t seed = 7;
  long nevent = 0;
  double worst = 0.0;
  for (int trial = 0; trial < 12; trial++) {
    cap_arena arena = {0};
    cap_linear l;
    cap_exact *exact;
    int nv = 1 + trial % 3, ns = 1 + trial % 2, n = 2 * nv + ns, flags[2];
    assert_int_equal(cap_linear_create(&arena, nv, 1 + trial % 2, ns, &l), CAP_OK);
    random_system_fill(&seed, random_between(&seed, 10, 60), &l);
    assert_int_equal(cap_exact_create(&l, &exact, &error), CAP_OK);
    double y0[8] = {0}, y[8], other[8], scale = 0.0;
    for (int i = 0; i < nv; i++) {
      y0[i] = random_between(&seed, -5e-3, 5e-3);
      y0[nv + i] = random_between(&seed, -0.2, 0.2);
    }
    memcpy(y, y0, sizeof y);
    cap_exact_watch watch = {0};
    assert_int_equal(cap_exact_start(exact, 0.0, y, flags, &error), CAP_OK);
    assert_int_equal(cap_exact_advance(exact, 0.0, 1.0, y, flags, &watch, &error), CAP_OK);
    midpoint_extrapolated(&l, 1.0, 40000, y0, other);
    for (int i = 0; i < n; i++) scale = fmax(scale, fabs(y[i]));
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - other[i]) / scale);
    nevent += watch.nevent;
    cap_exact_free(exact);
    cap_arena_free(&arena);
  }
  printf("%ld events, largest difference %.2g\n", nevent, worst);
  assert_true(nevent > 200);
  assert_true(worst < 2e-6);
}

/* Run the orbit that was found for a period with the other method: it must come back. */
static void random_orbits_return(void **state)
{
  (void)state;
  uint64_t seed = 99;
  int nslipping = 0;
  double worst = 0.0;
  for (int trial = 0; trial < 12; trial++) {
    cap_arena arena = {0};
    cap_linear l;
    cap_exact *exact;
    cap_exact_orbit orbit;
    assert_int_equal(cap_linear_create(&arena, 3, 1 + trial % 2, 2, &l), CAP_OK);
    double w = random_between(&seed, 15, 60);
    random_system_fill(&seed, w, &l);
    assert_int_equal(cap_exact_create(&l, &exact, &error), CAP_OK);
    assert_int_equal(cap_exact_orbit_create(&arena, exact, &orbit), CAP_OK);
    if (cap_exact_orbit_find(exact, 2 * M_PI / w, NULL, &orbit, &error) != CAP_OK) fail_msg("%s", error.text);
    assert_true(orbit.residual < 1e-10);
    assert_true(orbit.fully_stuck == (orbit.nevent == 0));
    double back[8], scale = 0.0;
    midpoint_extrapolated(&l, orbit.period, 20000, orbit.y, back);
    for (int i = 0; i < 3; i++) scale = fmax(scale, fabs(orbit.y[i]));
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(back[i] - orbit.y[i]) / scale);
    for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(back[6 + i] - orbit.y[6 + i]) * l.k[i] / l.limit[i]);
    nslipping += !orbit.fully_stuck;
    cap_exact_free(exact);
    cap_arena_free(&arena);
  }
  printf("%d orbits with slip, largest difference %.2g\n", nslipping, worst);
  assert_true(nslipping >= 6);
  assert_true(worst < 2e-7);
}

/* |max T - min T| of the steady state, by the other method: start on the orbit found, run two periods. */
static void belt_mass_ranges_agree(void **state)
{
  (void)state;
  uint64_t seed = 5;
  double worst = 0.0;
  belt_mass system;
  cap_exact *exact = NULL;
  cap_exact_orbit orbit;
  assert_int_equal(belt_mass_create(&system), CAP_OK);
  for (int trial = 0; trial < 20; trial++) {
    double force = random_between(&seed, 60, 300), w = random_between(&seed, 35, 90), low, high;
    belt_mass_fill(&system, force, w);
    if (!exact) {
      assert_int_equal(cap_exact_create(&system.linear, &exact, &error), CAP_OK);
      assert_int_equal(cap_exact_orbit_create(&system.arena, exact, &orbit), CAP_OK);
    }
    assert_int_equal(cap_exact_reset(exact, &system.linear, &error), CAP_OK);
    assert_int_equal(cap_exact_orbit_find(exact, 2 * M_PI / w, NULL, &orbit, &error), CAP_OK);
    assert_int_equal(cap_exact_range(exact, &orbit, 1, &system.tension, &low, &high, NULL, NULL, &error),
                     CAP_OK);
    double y[5], top = -INFINITY, bottom = INFINITY;
    int slip[MIDPOINT_MOST], nstep = 20000;
    memcpy(y, orbit.y, sizeof y);
    for (int i = 0; i < 2 * nstep; i++) {
      midpoint_step(&system.linear, i * orbit.period / nstep, orbit.period / nstep, y, slip);
      double tension = BELT_MASS_K * (y[0] - y[1]) + BELT_MASS_C * (y[2] - y[3]);
      top = fmax(top, tension);
      bottom = fmin(bottom, tension);
    }
    worst = fmax(worst, fabs((top - bottom) / (high - low) - 1.0));
  }
  printf("largest difference of ranges %.2g\n", worst);
  assert_true(worst < 1e-6);
  cap_exact_free(exact);
  cap_arena_free(&system.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_transients_agree),
      cmocka_unit_test(random_orbits_return),
      cmocka_unit_test(belt_mass_ranges_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
