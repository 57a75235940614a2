/* The whole Masing half of Fig. 13 (16 amplitudes, 116 angular frequencies) by exact propagation: reference
 * values,
 * closed form of stuck points, and its processor time. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "../support/belt_mass.h"
#include "linalg/lapack.h"
#include "step/exact/exact_range.h"

enum { NFORCE = 16, NANGULAR_FREQUENCY = 116 };
static const double FORCES[NFORCE] = {13,  27,  41,  54,  67,  79,  90,  100,
                                      110, 120, 140, 160, 200, 230, 260, 300};

typedef struct map {
  double range[NFORCE][NANGULAR_FREQUENCY];
  bool stuck[NFORCE][NANGULAR_FREQUENCY];
  int nstuck, niteration, nrelaxed, most_iterations;
  double residual, seconds;
} map;

static map computed;

static double angular_frequency_at(int i)
{
  return 10.0 + i;
}

static void compute_point(belt_mass *system, cap_exact **exact, cap_exact_orbit *orbit, int f, int w, map *m)
{
  cap_error error = {0};
  double angular_frequency = angular_frequency_at(w), low, high;
  belt_mass_fill(system, FORCES[f], angular_frequency);
  if (!*exact) {
    assert_int_equal(cap_exact_create(&system->linear, exact, &error), CAP_OK);
    assert_int_equal(cap_exact_orbit_create(&system->arena, *exact, orbit), CAP_OK);
  }
  assert_int_equal(cap_exact_reset(*exact, &system->linear, &error), CAP_OK);
  if (cap_exact_orbit_find(*exact, 2 * M_PI / angular_frequency, w > 0 ? orbit->y : NULL, orbit, &error) !=
      CAP_OK)
    fail_msg("f1 = %g N, %g rad/s: %s", FORCES[f], angular_frequency, error.text);
  assert_int_equal(cap_exact_range(*exact, orbit, 1, &system->tension, &low, &high, NULL, NULL, &error),
                   CAP_OK);
  m->range[f][w] = high - low;
  m->stuck[f][w] = orbit->fully_stuck;
  m->nstuck += orbit->fully_stuck;
  m->niteration += orbit->iterations;
  m->nrelaxed += orbit->relaxed;
  m->residual = fmax(m->residual, orbit->residual);
  if (orbit->iterations > m->most_iterations) m->most_iterations = orbit->iterations;
}

static int compute_map(void **state)
{
  (void)state;
  capm_lapack_one_thread();
  map *m = &computed;
  double best = INFINITY;
  for (int repeat = 0; repeat < 3; repeat++) {
    *m = (map){0};
    clock_t start = clock();
    belt_mass system;
    cap_exact_orbit orbit;
    cap_exact *exact = NULL;
    if (belt_mass_create(&system) != CAP_OK) return 1;
    for (int f = 0; f < NFORCE; f++)
      for (int w = 0; w < NANGULAR_FREQUENCY; w++) compute_point(&system, &exact, &orbit, f, w, m);
    cap_exact_free(exact);
    cap_arena_free(&system.arena);
    best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  m->seconds = best;
  printf("map: %.4f s, %d stuck of %d, %d Newton steps (at most %d), %d periods run, residual %.2g\n",
         m->seconds, m->nstuck, NFORCE * NANGULAR_FREQUENCY, m->niteration, m->most_iterations, m->nrelaxed,
         m->residual);
  return 0;
}

static int force_index(double force)
{
  for (int f = 0; f < NFORCE; f++)
    if (FORCES[f] == force) return f;
  return -1;
}

static void reference_values(void **state)
{
  (void)state;
  FILE *file = fopen(CAPSTAN_SOURCE_DIR "/tests/data/tensioner_map.csv", "r");
  assert_non_null(file);
  char line[256];
  double force, angular_frequency, range, estimate, worst = 0.0;
  int stuck, count = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "masing,%lf,%lf,%lf,%lf,%d", &force, &angular_frequency, &range, &estimate, &stuck) != 5)
      continue;
    int f = force_index(force), w = (int)lrint(angular_frequency - angular_frequency_at(0));
    assert_true(f >= 0 && w >= 0 && w < NANGULAR_FREQUENCY);
    double miss = fabs(computed.range[f][w] / range - 1.0);
    worst = fmax(worst, miss);
    if (miss > 1e-6)
      fail_msg("%g N, %g rad/s: %.9g N, expected %.9g N", force, angular_frequency, computed.range[f][w],
               range);
    assert_int_equal(computed.stuck[f][w], stuck);
    count++;
  }
  fclose(file);
  assert_int_equal(count, 48);
  printf("largest deviation from the reference: %.2g\n", worst);
}

/* Range of the tension of the stuck system, straight from (36) in complex form. */
static double stuck_range(double force, double w)
{
  double complex belt = BELT_MASS_K + I * w * BELT_MASS_C;
  double complex tensioner = BELT_MASS_SLIDER + BELT_MASS_K0 + I * BELT_MASS_DAMPING;
  double complex arm = tensioner - w * w * BELT_MASS_M2;  /* u2 (arm + belt) = belt u1 */
  double complex transmitted = belt * arm / (arm + belt); /* T = transmitted u1 */
  return 2 * force * cabs(transmitted / (transmitted - w * w * BELT_MASS_M1));
}

static void stuck_points_have_the_closed_form(void **state)
{
  (void)state;
  double worst = 0.0;
  for (int f = 0; f < NFORCE; f++)
    for (int w = 0; w < NANGULAR_FREQUENCY; w++)
      if (computed.stuck[f][w])
        worst = fmax(worst,
                     fabs(computed.range[f][w] / stuck_range(FORCES[f], angular_frequency_at(w)) - 1.0));
  printf("largest deviation from the closed form: %.2g\n", worst);
  assert_true(worst < 1e-10);
  assert_int_equal(computed.nstuck, 1305);
}

static void orbits_close(void **state)
{
  (void)state;
  assert_true(computed.residual < 1e-9);
  assert_true(computed.most_iterations <= 25);
}

/* Orbits of a row of the map, once every regime has been met: neither reset nor orbit nor range allocates. */
static void warm_points_allocate_nothing(void **state)
{
  (void)state;
  static map scratch;
  belt_mass system;
  cap_exact_orbit orbit;
  cap_exact *exact = NULL;
  assert_int_equal(belt_mass_create(&system), CAP_OK);
  test_count_allocations();
  long before = test_allocations;
  for (int w = 0; w < NANGULAR_FREQUENCY; w++) compute_point(&system, &exact, &orbit, 9, w, &scratch);
  assert_true(test_allocations > before); /* the counter works */
  before = test_allocations;
  for (int w = 0; w < NANGULAR_FREQUENCY; w++) compute_point(&system, &exact, &orbit, 9, w, &scratch);
  assert_int_equal(test_allocations, before);
  assert_true(scratch.nstuck < 2 * NANGULAR_FREQUENCY);
  cap_exact_free(exact);
  cap_arena_free(&system.arena);
}

/* Generous: machines differ, and sanitizers slow everything down; the figure is printed. */
static void map_is_quick(void **state)
{
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  assert_true(computed.seconds < 20.0);
#else
  assert_true(computed.seconds < 1.0);
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_values), cmocka_unit_test(stuck_points_have_the_closed_form),
      cmocka_unit_test(orbits_close),     cmocka_unit_test(warm_points_allocate_nothing),
      cmocka_unit_test(map_is_quick),
  };
  return cmocka_run_group_tests(tests, compute_map, NULL);
}
