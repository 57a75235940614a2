/* Rings as a closed chain of blocks with travel and ratio beside it (cap_inertia_chain): the matrix is that
 * of the step, and the rows of contacts (cap_ring_crowd_rows) are what moves them and what they push. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/impulses/leaves.h"
#include "drives/pushbelt/ring/ring_crowd.h"
#include "linalg/eigen.h"

#include "../support/ring.h"

enum { NODES = 12, CONTACTS = 37, SIZE = 4 * NODES + CAP_LEAVES_BORDER };
static const char *const models[] = {"ale", "ancf", "ale0"};

/* A ring that is bent a little and moves. */
static test_ring ring_of(const char *model, bool lock_travel, bool lock_theta, uint64_t *seed)
{
  cap_ring_shape shape = test_ring_reference(model, NODES);
  shape.centre_distance = 0.155;
  shape.theta = 0.1;
  shape.speed = 10.0;
  shape.free_length = TEST_RING_LENGTH - 3e-4;
  shape.lock_travel = lock_travel;
  shape.lock_theta = lock_theta;
  test_ring t = test_ring_build(&shape);
  for (int i = 0; i < t.s.m->nv; i++) {
    if (i != t.ring->flow) t.s.d->q[i] += test_random(seed, -1, 1) * 1e-5;
    t.s.d->v[i] += test_random(seed, -1, 1) * 0.05;
  }
  return t;
}

/* Coordinates of the model in the order of the trunk; what is locked is 0. */
static void to_trunk(const test_ring *t, bool travel, bool ratio, const double *v, double x[SIZE])
{
  const char *model = t->ring->type->name;
  int nblock = strcmp(model, "ale0") == 0 ? 0 : NODES, lead = 0, first = t->ring->first;
  memset(x, 0, sizeof(double) * SIZE);
  if (strcmp(model, "ancf") == 0) {
    memcpy(x, v + first, sizeof(double) * 4 * NODES);
    return;
  }
  if (travel) x[4 * nblock] = v[first + lead++];
  if (ratio) x[4 * nblock + 1] = v[first + lead++];
  if (nblock == 0) return;
  bool released = !travel && !ratio;
  memcpy(x, v + first + lead, sizeof(double) * 4 * (NODES - 1));
  memcpy(x + 4 * (NODES - 1) + (released ? 0 : 2), v + first + lead + 4 * (NODES - 1),
         sizeof(double) * (released ? 4 : 2));
}

static void check_matrix(const test_ring *t, bool travel, bool ratio, uint64_t *seed)
{
  const cap_model *m = t->s.m;
  const cap_inertia *b = &m->inertias[0];
  const cap_inertia_stiff *stiff = b->type->stiff;
  int nblock = cap_leaves_nblock(b);
  double work[4096] = {0.0}, expected[SIZE], x[SIZE];
  double *f = calloc((size_t)m->nv, sizeof(double));
  double *added = stiff ? calloc((size_t)stiff->nwork(b), sizeof(double)) : NULL;
  cap_leaves_settings settings = cap_leaves_settings_default();
  cap_leaves *s = cap_leaves_create(0, nblock, (cap_leaves_kinds){false, true, false}, &settings);
  assert_non_null(f);
  assert_non_null(s);
  assert_true(!stiff || added);
  assert_true(m->ninertia_work <= 4096);
  if (stiff) {
    assert_int_equal(cap_leaves_open(s, b, NULL, work, (double[4]){0}), CAP_ERR_UNSUPPORTED);
    assert_true(stiff->set(b, t->s.d->q, 3e-6, 0.5, added));
    assert_true(stiff->factor(b, t->s.d->q, added, work));
  } else assert_true(b->type->factor(b, t->s.d->q, work));
  assert_int_equal(cap_leaves_open(s, b, added, work, (double[4]){2.0, 0.0, INFINITY, 3.0}), CAP_OK);
  assert_true(s->locked[0] == !travel && s->locked[1] == !ratio);
  assert_true(!s->locked[2] && s->locked[3] && s->locked[4] && !s->locked[5]);
  for (int i = 0; i < b->n; i++) f[b->first + i] = test_random(seed, -1, 1);
  to_trunk(t, travel, ratio, f, x);
  if (stiff) stiff->solve(b, added, work, f + b->first);
  else b->type->solve(b, work, 1, f + b->first);
  to_trunk(t, travel, ratio, f, expected);
  x[4 * nblock + CAP_LEAVES_ROTATION] = 1.0, expected[4 * nblock + CAP_LEAVES_ROTATION] = 0.5;
  x[4 * nblock + CAP_LEAVES_CLOSING + 2] = 1.0, expected[4 * nblock + CAP_LEAVES_CLOSING + 2] = 1.0 / 3.0;
  assert_true(capm_bordered_factor(&s->trunk));
  capm_bordered_solve(&s->trunk, x);
  double most = 0.0;
  for (int i = 0; i < 4 * nblock + CAP_LEAVES_BORDER; i++) most = fmax(most, fabs(expected[i]));
  for (int i = 0; i < 4 * nblock + CAP_LEAVES_BORDER; i++) assert_near(x[i], expected[i], 1e-9 * most);
  cap_leaves_free(s);
  free(added);
  free(f);
}

static void matrices_are_those_of_the_step(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 3; k++)
    for (int locks = 0; locks < 4; locks++) {
      bool travel = !(locks & 1), ratio = !(locks & 2);
      if ((k == 2 && locks == 3) || (k == 1 && locks > 0)) continue;
      test_ring t = ring_of(models[k], !travel, !ratio, &seed);
      check_matrix(&t, travel && k != 1, ratio && k != 1, &seed);
      cap_data_free(t.s.d);
      cap_model_free(t.s.m);
    }
}

/* J v = force . velocity + moment rate of the angle; J' 1 = what pushing gives. */
static void check_rows(const test_ring *t, bool travel, bool ratio, uint64_t *seed)
{
  static cap_ring_crowd crowd;
  static cap_ring_group g;
  double row[CAP_RING_CROWD_GROUP][CAP_RING_CROWD_ROW], of_travel[CAP_RING_CROWD_GROUP];
  double of_ratio[CAP_RING_CROWD_GROUP], v[SIZE], f[SIZE] = {0.0}, expected[SIZE];
  double *h = calloc((size_t)t->s.m->nv, sizeof(double));
  int link[CAP_RING_CROWD_GROUP], nblock = cap_leaves_nblock(&t->s.m->inertias[0]);
  assert_non_null(h);
  g.n = CONTACTS;
  for (int k = 0; k < CONTACTS; k++) {
    cap_ring_point p;
    g.xi[k] = TEST_RING_LENGTH * (k + 0.5) / CONTACTS;
    cap_ring_point_at(t->ring, t->s.d->q, g.xi[k], &p);
    g.px[k] = p.r[0] + 1e-4 * p.t[1];
    g.py[k] = p.r[1] - 1e-4 * p.t[0];
  }
  cap_ring_crowd_open(&crowd, t->ring, t->s.d->q, t->s.d->v, h);
  cap_ring_crowd_meet(&crowd, &g);
  for (int k = 0; k < CONTACTS; k++) {
    g.fx[k] = test_random(seed, -1, 1);
    g.fy[k] = test_random(seed, -1, 1);
    g.moment[k] = test_random(seed, -1, 1) * 1e-3;
  }
  assert_true(cap_ring_crowd_rows(&crowd, &g, link, row, of_travel, of_ratio));
  cap_ring_crowd_push(&crowd, &g);
  cap_ring_crowd_close(&crowd);
  to_trunk(t, travel, ratio, t->s.d->v, v);
  to_trunk(t, travel, ratio, h, expected);
  for (int k = 0; k < CONTACTS; k++) {
    double seen = of_travel[k] * v[4 * nblock] + of_ratio[k] * v[4 * nblock + 1];
    for (int i = 0; i < 8 && nblock > 0; i++) {
      int at = 4 * (i < 4 ? link[k] : (link[k] + 1) % nblock) + i % 4;
      seen += row[k][i] * v[at];
      f[at] += row[k][i];
    }
    if (travel) f[4 * nblock] += of_travel[k];
    if (ratio) f[4 * nblock + 1] += of_ratio[k];
    assert_near(seen, g.fx[k] * g.ux[k] + g.fy[k] * g.uy[k] + g.moment[k] * g.turn[k], 1e-12);
  }
  for (int i = 0; i < 4 * nblock + 2; i++) assert_near(f[i], expected[i], 1e-12);
  free(h);
}

static void rows_are_those_of_the_crowd(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (int k = 0; k < 3; k++)
    for (int locks = 0; locks < 4; locks++) {
      bool travel = !(locks & 1), ratio = !(locks & 2);
      if ((k == 2 && locks == 3) || (k == 1 && locks > 0)) continue;
      test_ring t = ring_of(models[k], !travel, !ratio, &seed);
      check_rows(&t, travel && k != 1, ratio && k != 1, &seed);
      cap_data_free(t.s.d);
      cap_model_free(t.s.m);
    }
}

static void beams_are_no_chain(void **state)
{
  (void)state;
  uint64_t seed = 3;
  test_ring t = ring_of("rcm", false, false, &seed);
  for (int k = 0; k < t.s.m->ninertia; k++) assert_int_equal(cap_leaves_nblock(&t.s.m->inertias[k]), -1);
  cap_data_free(t.s.d);
  cap_model_free(t.s.m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_those_of_the_step),
      cmocka_unit_test(rows_are_those_of_the_crowd),
      cmocka_unit_test(beams_are_no_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
