/* Many random systems of all kinds, from stiff to undamped, with and without springs, sliders from none to
 * five that start anywhere: the energy balance closes, no limit is passed, and damped ones have periodic
 * orbits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/random_system.h"
#include "step/exact/exact_orbit.h"

enum { NSYSTEM = 400, MOST_VELOCITIES = 5, MOST_SLIDERS = 5 };

typedef struct balance {
  const cap_linear *l;
  double input, damped, excess;
} balance;

static double random_log(uint64_t *seed, double low, double high)
{
  return low * pow(high / low, random_unit(seed));
}

static void add_powers(void *self, const cap_exact_node *node)
{
  balance *e = self;
  const cap_linear *l = e->l;
  int nv = l->nv, nh = l->nharmonic;
  for (int i = 0; i < nv; i++) {
    double force = l->f0[i];
    for (int h = 0; h < nh; h++)
      force += l->fc[h * nv + i] * cos(l->angular_frequency[h] * node->t) +
               l->fs[h * nv + i] * sin(l->angular_frequency[h] * node->t);
    e->input += node->weight * force * node->v[i];
    for (int j = 0; j < nv; j++) e->damped += node->weight * node->v[i] * l->damping[i * nv + j] * node->v[j];
  }
  for (int s = 0; s < l->nslider; s++) {
    for (int h = 0; h < nh; h++) {
      double w = l->angular_frequency[h];
      e->input += node->weight * node->z[s] * w *
                  (l->ds[s * nh + h] * cos(w * node->t) - l->dc[s * nh + h] * sin(w * node->t));
    }
    if (l->limit[s] > 0.0) e->excess = fmax(e->excess, fabs(node->z[s]) / l->limit[s] - 1.0);
  }
}

static double stored(const cap_linear *l, const double *y)
{
  int nv = l->nv;
  double sum = 0.0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      sum += 0.5 * (y[nv + i] * l->mass[i * nv + j] * y[nv + j] + y[i] * l->stiffness[i * nv + j] * y[j]);
  for (int s = 0; s < l->nslider; s++) sum += 0.5 * l->k[s] * y[2 * nv + s] * y[2 * nv + s];
  return sum;
}

typedef struct draw {
  double angular_frequency, damping;
  bool springs;
} draw;

static draw draw_system(uint64_t *seed, cap_linear *l)
{
  draw d = {.angular_frequency = random_log(seed, 1, 200)};
  int nv = l->nv;
  random_system_fill(seed, d.angular_frequency, l);
  bool unequal = random_unit(seed) < 0.5;
  for (int i = 0; unequal && i < nv; i++) l->mass[i * nv + i] *= random_log(seed, 1e-3, 1e2);
  d.damping = random_unit(seed) < 0.15 ? 0.0 : random_log(seed, 1e-3, 1e3);
  d.springs = random_unit(seed) > 0.15;
  for (int i = 0; i < nv * nv; i++) {
    l->damping[i] *= d.damping;
    if (!d.springs) l->stiffness[i] = 0.0;
  }
  for (int s = 0; s < l->nslider; s++) {
    l->limit[s] *= random_unit(seed) < 0.05 ? 0.0 : random_log(seed, 1e-3, 1e2);
    l->k[s] *= random_log(seed, 1e-2, 1e3);
  }
  return d;
}

static void draw_state(uint64_t *seed, const cap_linear *l, double *y)
{
  for (int i = 0; i < 2 * l->nv; i++) y[i] = random_between(seed, -1e-2, 1e-2);
  for (int s = 0; s < l->nslider; s++) {
    double where = random_unit(seed);
    y[2 * l->nv + s] = where < 0.3 ? 0.0 : copysign(l->limit[s] / l->k[s], 0.65 - where);
  }
}

/* What the balance misses, relative to the energies at play. */
static double run(cap_exact *exact, const cap_linear *l, double until, double *y, long *nevent,
                  double *excess)
{
  int flags[MOST_SLIDERS];
  double slip[MOST_SLIDERS] = {0}, rubbed = 0.0;
  cap_error error = {0};
  balance e = {.l = l};
  cap_exact_watch watch = {.slip = slip, .node = add_powers, .self = &e};
  assert_int_equal(cap_exact_start(exact, 0.0, y, flags, &error), CAP_OK);
  double before = stored(l, y);
  if (cap_exact_advance(exact, 0.0, until, y, flags, &watch, &error) != CAP_OK) fail_msg("%s", error.text);
  for (int s = 0; s < l->nslider; s++) rubbed += l->limit[s] * slip[s];
  double after = stored(l, y), size = e.damped + rubbed + fabs(e.input) + before + after;
  *nevent += watch.nevent;
  *excess = e.excess;
  return fabs(e.input - e.damped - rubbed - after + before) / size;
}

static void random_systems(void **state)
{
  (void)state;
  uint64_t seed = 2024;
  long nevent = 0;
  int norbit = 0, nstuck = 0;
  double worst = 0.0, worst_excess = 0.0;
  for (int trial = 0; trial < NSYSTEM; trial++) {
    uint64_t here = seed;
    int nv = 1 + (int)(random_unit(&seed) * MOST_VELOCITIES), nh = (int)(random_unit(&seed) * 4);
    int ns = (int)(random_unit(&seed) * (MOST_SLIDERS + 1));
    cap_arena arena = {0};
    cap_linear l;
    cap_exact *exact;
    cap_error error = {0};
    double y[2 * MOST_VELOCITIES + MOST_SLIDERS], excess;
    assert_int_equal(cap_linear_create(&arena, nv, nh, ns, &l), CAP_OK);
    draw d = draw_system(&seed, &l);
    draw_state(&seed, &l, y);
    assert_int_equal(cap_exact_create(&l, &exact, &error), CAP_OK);
    double missing = run(exact, &l, random_between(&seed, 0.3, 1.5), y, &nevent, &excess);
    if (!(missing < 1e-8) || !(excess < 1e-8))
      fail_msg("system %d, seed %llu: balance %g, excess %g", trial, (unsigned long long)here, missing,
               excess);
    worst = fmax(worst, missing);
    worst_excess = fmax(worst_excess, excess);
    if (nh > 0 && d.damping > 0.0 && d.springs) {
      cap_exact_orbit orbit;
      assert_int_equal(cap_exact_orbit_create(&arena, exact, &orbit), CAP_OK);
      if (cap_exact_orbit_find(exact, 2 * M_PI / d.angular_frequency, NULL, &orbit, &error) != CAP_OK)
        fail_msg("system %d, seed %llu: %s", trial, (unsigned long long)here, error.text);
      norbit++;
      nstuck += orbit.fully_stuck;
    }
    cap_exact_free(exact);
    cap_arena_free(&arena);
  }
  printf("%d systems, %ld events, %d orbits (%d stuck); balance closes to %.2g, limits hold to %.2g\n",
         NSYSTEM, nevent, norbit, nstuck, worst, worst_excess);
  assert_true(nevent > 20000 && norbit > 100 && nstuck < norbit / 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
