/* Points of rings: place, tangent, rows and their changes against differences; search; push. Every model
 * whose points are pieces of material. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/lanes.h"
#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/ring/ring_rcm.h"
#include "linalg/eigen.h"

#include "../support/ring.h"

enum { NODES = 7, NV_MOST = 4 * NODES };
static const char *const models[] = {"rcm", "ancf"};
enum { NMODEL = sizeof models / sizeof models[0] };

/* Over two pulleys, disturbed. */
static test_ring disturbed(const char *model)
{
  cap_ring_shape shape = test_ring_reference(model, NODES);
  shape.centre_distance = 0.155;
  shape.theta = 0.2;
  test_ring t = test_ring_build(&shape);
  uint64_t seed = 3;
  for (int i = 0; i < t.s.m->nv; i++) {
    double size = strcmp(t.s.m->dof_unit[i], "m") == 0 ? 0.01 : 0.15;
    t.s.d->q[i] += size * test_random(&seed, -1.0, 1.0);
  }
  return t;
}

/* Central differences of fourth order along coordinate i. */
static void differ(const test_ring *t, double xi, int i, double step, double dr[2], double *angle,
                   double dJ[2][CAP_RING_COORDS])
{
  static const double weight[2] = {4.0 / 3.0, -1.0 / 3.0};
  double kept = t->s.d->q[i];
  cap_ring_point ahead;
  cap_ring_point_at(t->ring, t->s.d->q, xi, &ahead);
  memset(dr, 0, 2 * sizeof(double));
  memset(dJ, 0, 2 * sizeof dJ[0]);
  *angle = 0.0;
  for (int k = 1; k <= 2; k++)
    for (int side = -1; side <= 1; side += 2) {
      cap_ring_point p;
      double w = side * weight[k - 1] / (2.0 * k * step);
      t->s.d->q[i] = kept + side * k * step;
      cap_ring_point_at(t->ring, t->s.d->q, xi, &p);
      *angle += w *
                atan2(p.t[1] * ahead.t[0] - p.t[0] * ahead.t[1], p.t[0] * ahead.t[0] + p.t[1] * ahead.t[1]);
      for (int row = 0; row < 2; row++) {
        dr[row] += w * p.r[row];
        for (int c = 0; c < p.ncoord; c++) dJ[row][c] += w * p.J[row][c];
      }
    }
  t->s.d->q[i] = kept;
}

static int column_of(const cap_ring_point *p, int coord)
{
  for (int c = 0; c < p->ncoord; c++)
    if (p->coord[c] == coord) return c;
  return -1;
}

static void check_rows(const test_ring *t, double xi, double *worst)
{
  cap_ring_point p;
  int nv = t->s.m->nv;
  cap_ring_point_at(t->ring, t->s.d->q, xi, &p);
  for (int i = 0; i < nv; i++) {
    double dr[2], angle, dJ[2][CAP_RING_COORDS], own_dr[2], own_dJ[2][CAP_RING_COORDS], unit[NV_MOST] = {0};
    int c = column_of(&p, i);
    differ(t, xi, i, 1e-4, dr, &angle, dJ);
    unit[i] = 1.0;
    t->ring->type->vary(t->ring, t->s.d->q, xi, unit, 1, own_dr, own_dJ);
    for (int row = 0; row < 2; row++) {
      *worst = fmax(*worst, fabs(dr[row] - (c >= 0 ? p.J[row][c] : 0.0)));
      *worst = fmax(*worst, fabs(dr[row] - own_dr[row]));
      for (int k = 0; k < p.ncoord; k++) *worst = fmax(*worst, 1e-2 * fabs(dJ[row][k] - own_dJ[row][k]));
    }
    *worst = fmax(*worst, 1e-2 * fabs(angle - (c >= 0 ? p.turn[c] : 0.0)));
  }
}

static void rows_match_differences(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    test_ring t = disturbed(models[m]);
    double worst = 0.0;
    for (int k = 0; k < 23; k++) check_rows(&t, t.ring->length * k / 23.0, &worst);
    print_message("  %s: rows within %.1e of differences\n", models[m], worst);
    assert_true(worst < 1e-8);
    test_system_close(&t.s);
  }
}

/* Derivatives over xi: place_at against differences, the tangent along them, and curvature as ring.h says. */
static void places_match_differences(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    test_ring t = disturbed(models[m]);
    const double *q = t.s.d->q;
    for (int k = 0; k < 31; k++) {
      double xi = t.ring->length * (k + 0.37) / 31.0, h = 1e-4, r[2], r1[2], r2[2], up[2], down[2], a[2],
             b[2];
      cap_ring_point p;
      t.ring->type->place_at(t.ring, q, xi, r, r1, r2);
      t.ring->type->place_at(t.ring, q, xi + h, up, a, b);
      t.ring->type->place_at(t.ring, q, xi - h, down, a, b);
      cap_ring_point_at(t.ring, q, xi, &p);
      for (int row = 0; row < 2; row++) {
        assert_true(fabs((up[row] - down[row]) / (2.0 * h) - r1[row]) < 1e-4);
        assert_true(fabs((up[row] + down[row] - 2.0 * r[row]) / (h * h) - r2[row]) <
                    1e-3 * (fabs(r2[row]) + 1));
        assert_true(fabs(r[row] - p.r[row]) < 1e-15);
      }
      assert_true(fabs(p.t[0] * r1[1] - p.t[1] * r1[0]) < 1e-13 && fabs(hypot(p.t[0], p.t[1]) - 1.0) < 1e-14);
    }
    test_system_close(&t.s);
  }
}

/* On a circle: curvature, stretch and tension, in the directions that ring.h says. */
static void circles(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    cap_ring_shape shape = test_ring_reference(models[m], 24);
    shape.free_length = shape.length / 1.001;
    test_ring t = test_ring_build(&shape);
    double radius = shape.length / (2.0 * M_PI);
    for (int k = 0; k < 50; k++) {
      double xi = t.ring->length * k / 50.0, angle = M_PI - 2.0 * M_PI * k / 50.0;
      cap_ring_point p;
      cap_ring_point_at(t.ring, t.s.d->q, xi, &p);
      /* rcm: R a^2/8 (a^2/48 + strain) within a beam that turns by a */
      assert_true(hypot(p.r[0] - radius * cos(angle), p.r[1] - radius * sin(angle)) < 2.5e-6);
      assert_true(hypot(p.t[0] - sin(angle), p.t[1] + cos(angle)) < 2e-4);
      assert_true(fabs(p.curvature * radius - 1.0) < 6e-3 && fabs(p.stretch - 1.001) < 1e-6);
      assert_true(fabs(p.tension - 1e-3 * shape.section.EA) < 1e-3 * shape.section.EA * 1e-3);
    }
    test_system_close(&t.s);
  }
}

/* The nearest point, from a start some elements away; forces there have the power of the point. */
static void search_and_push(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    cap_ring_shape shape = test_ring_reference(models[m], 24);
    shape.centre_distance = 0.155;
    test_ring t = test_ring_build(&shape);
    for (int k = 0; k < 50; k++) {
      double xi = t.ring->length * k / 50.0, force[2] = {3.0, -2.0}, moment = 0.3, power = 0.0;
      double h[NV_MOST * 4] = {0}, v[NV_MOST * 4], place[2];
      cap_ring_point p;
      uint64_t seed = 11;
      cap_ring_point_at(t.ring, t.s.d->q, xi, &p);
      place[0] = p.r[0] - 2e-3 * p.t[1], place[1] = p.r[1] + 2e-3 * p.t[0]; /* out of it */
      double found = cap_ring_nearest(t.ring, t.s.d->q, place, xi + 0.02);
      double miss = fabs(found - xi);
      if (!(fmin(miss, t.ring->length - miss) < 1e-11)) fail_msg("from %.9g m found %.9g m", xi, found);
      cap_ring_push(&p, force, moment, h);
      for (int i = 0; i < t.s.m->nv; i++) v[i] = test_random(&seed, -1.0, 1.0);
      for (int i = 0; i < t.s.m->nv; i++) power += h[i] * v[i];
      for (int c = 0; c < p.ncoord; c++)
        power -= (force[0] * p.J[0][c] + force[1] * p.J[1][c] + moment * p.turn[c]) * v[p.coord[c]];
      assert_true(fabs(power) < 1e-13);
    }
    test_system_close(&t.s);
  }
}

/* A strip clamped to a body at one end and to the ground at the other. */
static void open_strips(void **state)
{
  (void)state;
  enum { N = 9 };
  double at[N][3];
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  test_system s = {0};
  assert_non_null(b);
  for (int k = 0; k < N; k++) at[k][0] = 0.1 * k / (N - 1), at[k][1] = at[k][2] = 0.0;
  int body = cap_builder_dof(b, "x", "m", 1.0, 0.1, 0.0);
  cap_builder_dof(b, "y", "m", 1.0, 0.0, 0.0);
  cap_builder_dof(b, "phi", "rad", 1.0, 0.0, 0.0);
  cap_ring_rcm_strip strip = {.name = "strip",
                              .section = test_ring_reference("rcm", 4).section,
                              .nodes = N,
                              .free_length = 0.0999,
                              .at = at,
                              .ends = {-1, body}};
  const cap_ring *ring = cap_ring_rcm_open(b, &strip, &error);
  if (!ring) fail_msg("%s", error.text);
  assert_int_equal(cap_builder_finish(b, &s.m, &error), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  cap_ring_point p;
  cap_ring_point_at(ring, s.d->q, 1.0, &p); /* beyond the end: at the end */
  assert_true(fabs(p.r[0] - 0.1) < 1e-15 && p.coord[3] == body);
  double expected = ring->section.EA * (0.1 / 0.0999 - 1.0), h[64], v[64] = {0};
  assert_true(fabs(p.tension - expected) < 1e-6 * expected);
  cap_eval e = {.nlane = 1, .t = s.d->t, .q = s.d->q, .v = v, .h = h};
  cap_model_rates(s.m, &e);
  assert_true(fabs(h[body] + expected) < 1e-6 * expected);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_match_differences),
      cmocka_unit_test(places_match_differences),
      cmocka_unit_test(circles),
      cmocka_unit_test(search_and_push),
      cmocka_unit_test(open_strips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
