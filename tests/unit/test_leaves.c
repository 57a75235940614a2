/* Set-valued forces of leaves on a trunk (drives/pushbelt/impulses/leaves.h): against the laws themselves
 * with a dense G, against the general solvers, by hand, and where there is nothing to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/leaves.h"
#include "../support/near.h"
#include "drives/pushbelt/impulses/leaves_work.h"
#include "solve/nonsmooth.h"

static const cap_leaves_kinds all_kinds[] = {
    {false, true, false}, {true, true, false}, {false, false, true}, {false, true, true}, {true, true, true}};
enum { NKINDS = 5, ROWS_MOST = 5 * 48 };

/* Limits from far too low to far more than needed, few and many leaves, with and without a chain. */
static leaves_case draw_case(int kind, unsigned seed)
{
  return (leaves_case){.n = 1 + (int)(seed % 40),
                       .nblock = seed % 4 == 0 ? 0 : 3 + (int)(seed % 5),
                       .kinds = all_kinds[kind],
                       .seed = seed,
                       .limits = 0.05 * pow(10.0, (seed % 7) / 3.0),
                       .mu = 0.1 + 0.1 * (seed % 4),
                       .driven = seed % 5 == 0,
                       .ring = seed % 2 ? 1.0 : 0.2};
}

/* xi of flanks that do not touch is nobody's. */
static bool rubs(const cap_leaves *s, const leaves_dense *d, int a)
{
  return d->kind[a] < CAP_LEAVES_FLANK || s->limit_flank[d->leaf[a]] > 0.0;
}

static void laws_hold_at_random(void **state)
{
  (void)state;
  for (int kind = 0; kind < NKINDS; kind++) {
    int fallbacks = 0;
    for (unsigned seed = 0; seed < 80; seed++) {
      leaves_case p = draw_case(kind, seed);
      double lambda[ROWS_MOST], xi[ROWS_MOST], told[ROWS_MOST];
      cap_leaves *s = leaves_make(&p);
      cap_leaves_stats stats;
      leaves_dense d;
      assert_non_null(s);
      if (leaves_solve(s, &stats) != CAP_OK) fail_msg("kind %d, seed %u: %g", kind, seed, stats.residual);
      assert_true(stats.residual <= 1e-8 && stats.iterations > 0);
      fallbacks += stats.fallbacks;
      assert_true(leaves_to_dense(s, &d));
      leaves_gather(s, &d, s->lambda, lambda);
      leaves_gather(s, &d, s->xi, told);
      leaves_dense_xi(&d, lambda, xi);
      if (!(leaves_violation(s, &d, lambda, xi) < 1e-7)) fail_msg("kind %d, seed %u", kind, seed);
      for (int a = 0; a < d.n; a++)
        if (rubs(s, &d, a)) assert_near(told[a], xi[a], 2e-7);
      leaves_dense_free(&d);
      cap_leaves_free(s);
    }
    if (kind == 1 || kind > 2) assert_true(fallbacks > 0); /* the safe way has been gone, too */
  }
}

/* As contacts of solve/nonsmooth.h. */
static int list_contacts(const cap_leaves *s, cap_nonsmooth_contact *contacts)
{
  int row = 0, n = 0;
  for (int k = 0; k < s->n; k++) {
    if (s->kinds.tangent) {
      int normal = s->kinds.normal;
      contacts[n++] = (cap_nonsmooth_contact){.row = row,
                                              .nnormal = normal,
                                              .ntangent = 1,
                                              .mu = normal ? s->limit_ring[k] : 0.0,
                                              .limit = s->limit_ring[k]};
      row += normal + 1;
    }
    if (s->kinds.flank) {
      contacts[n++] = (cap_nonsmooth_contact){.row = row, .ntangent = 2, .limit = s->limit_flank[k]};
      row += 2;
    }
  }
  return n;
}

/* Without the rows of drilling, which are 0 here and which the general solvers do not know. */
static void drop_drilling(leaves_dense *d)
{
  int n = 0, keep[ROWS_MOST];
  for (int a = 0; a < d->n; a++)
    if (d->kind[a] != 4) keep[n++] = a;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) d->G[a * n + b] = d->G[keep[a] * d->n + keep[b]];
    d->kind[a] = d->kind[keep[a]];
    d->leaf[a] = d->leaf[keep[a]];
    d->c[a] = d->c[keep[a]];
  }
  d->n = n;
}

/* Velocities are unique, impulses need not be. */
static void compare(const leaves_case *p, const char *name)
{
  double lambda[ROWS_MOST] = {0.0}, xi[ROWS_MOST];
  int start[ROWS_MOST + 1], *column;
  cap_nonsmooth_contact contacts[2 * 48];
  cap_leaves *s = leaves_make(p);
  cap_leaves_stats told;
  cap_nonsmooth_stats stats;
  cap_nonsmooth *solver;
  cap_error error = {0};
  leaves_dense d;
  assert_non_null(s);
  assert_int_equal(leaves_solve(s, &told), CAP_OK);
  assert_true(leaves_to_dense(s, &d));
  drop_drilling(&d);
  column = malloc(sizeof(int) * (size_t)(d.n * d.n));
  assert_non_null(column);
  for (int a = 0; a <= d.n; a++) start[a] = a * d.n;
  for (int a = 0; a < d.n * d.n; a++) column[a] = a % d.n;
  cap_nonsmooth_problem q = {list_contacts(s, contacts), d.n, contacts, start, column, d.G, d.c, lambda};
  assert_int_equal(cap_nonsmooth_create(name, &solver, &error), CAP_OK);
  assert_int_equal(cap_nonsmooth_solve(solver, &q, &(cap_nonsmooth_settings){1e-9, 200000}, &stats), CAP_OK);
  leaves_dense_xi(&d, lambda, xi);
  for (int a = 0; a < d.n; a++)
    if (rubs(s, &d, a)) assert_near(s->xi[d.kind[a]][d.leaf[a]], xi[a], 1e-6);
  cap_nonsmooth_free(solver);
  free(column);
  leaves_dense_free(&d);
  cap_leaves_free(s);
}

static void general_solvers_agree(void **state)
{
  (void)state;
  for (int kind = 0; kind < NKINDS; kind++)
    for (unsigned seed = 0; seed < 14; seed++) {
      leaves_case p = draw_case(kind, seed);
      p.flat = true;
      p.mu = 0.1;
      compare(&p, "gauss_seidel");
      compare(&p, "newton");
    }
}

static void keep(const cap_leaves *s, double rows[2][CAP_LEAVES_ROWS][16])
{
  for (int i = 0; i < CAP_LEAVES_ROWS; i++)
    for (int k = 0; k < s->n; k++) rows[0][i][k] = s->lambda[i][k], rows[1][i][k] = s->xi[i][k];
}

static void put_back(cap_leaves *s, double rows[2][CAP_LEAVES_ROWS][16])
{
  for (int i = 0; i < CAP_LEAVES_ROWS; i++)
    for (int k = 0; k < s->n; k++) s->lambda[i][k] = rows[0][i][k], s->xi[i][k] = rows[1][i][k];
}

/* D = - d lambda / d y: on a trunk too heavy to move c takes the place of y. */
static void derivatives_fit(void **state)
{
  (void)state;
  const double step = 1e-7;
  for (int kind = 0; kind < NKINDS; kind++) {
    leaves_case p = draw_case(kind, 17);
    p.n = 13;
    p.ring = 1e14;
    p.mu = 0.0; /* limits that go along are not in D */
    cap_leaves *s = leaves_make(&p);
    cap_leaves_stats stats;
    double base[2][CAP_LEAVES_ROWS][16], low[2][CAP_LEAVES_ROWS][16], high[2][CAP_LEAVES_ROWS][16];
    int compared = 0;
    assert_non_null(s);
    s->settings.compliance = 1e-2;
    s->settings.tolerance = 1e-13;
    assert_int_equal(leaves_solve(s, &stats), CAP_OK);
    keep(s, base);
    for (int j = 0; j < CAP_LEAVES_ROWS; j++) {
      if (!leaves_has(s, j)) continue;
      for (int side = -1; side <= 1; side += 2) {
        put_back(s, base);
        for (int k = 0; k < p.n; k++) s->c[j][k] += side * step;
        assert_true(cap_leaves_solve(s, &stats) >= 0);
        keep(s, side < 0 ? low : high);
        for (int k = 0; k < p.n; k++) s->c[j][k] -= side * step;
      }
      put_back(s, base);
      assert_true(cap_leaves_solve(s, &stats) >= 0);
      cap_leaves_local_straighten(s, (cap_leaves_way){false, 1e-2, 1, 0.0});
      for (int i = 0; i < CAP_LEAVES_ROWS; i++)
        for (int k = 0; k < p.n && leaves_has(s, i); k++, compared++) {
          double D = s->work->D[CAP_LEAVES_PAIR(i, j)][k];
          assert_near((high[0][i][k] - low[0][i][k]) / (2.0 * step), -D, 1e-4 * (1.0 + fabs(D)));
        }
    }
    assert_true(compared >= p.n);
    cap_leaves_free(s);
  }
}

static void warm_starts_are_one_step(void **state)
{
  (void)state;
  for (int kind = 0; kind < NKINDS; kind++)
    for (unsigned seed = 1; seed < 20; seed += 3) {
      leaves_case p = draw_case(kind, seed);
      cap_leaves *s = leaves_make(&p), *other = leaves_make(&p);
      cap_leaves_stats stats;
      assert_non_null(s);
      assert_non_null(other);
      assert_int_equal(leaves_solve(s, &stats), CAP_OK);
      for (int i = 0; i < CAP_LEAVES_ROWS; i++) {
        memcpy(other->lambda[i], s->lambda[i], sizeof(double) * (size_t)p.n);
        memcpy(other->xi[i], s->xi[i], sizeof(double) * (size_t)p.n);
      }
      assert_int_equal(cap_leaves_solve(s, &stats), CAP_OK);
      assert_true(stats.iterations <= 2);
      assert_int_equal(cap_leaves_solve(other, &stats), CAP_OK);
      for (int i = 0; i < CAP_LEAVES_ROWS; i++) /* nothing else is kept: the same bits */
        assert_memory_equal(other->lambda[i], s->lambda[i], sizeof(double) * (size_t)p.n);
      cap_leaves_free(s);
      cap_leaves_free(other);
    }
}

/* One leaf of the mass 2 beside a ring that travels, of the mass 6: stopped by 3/2 of its relative velocity,
 * or by the limit. */
static void one_leaf_by_hand(void **state)
{
  (void)state;
  const double limits[] = {100.0, 2.0, 0.0}, found[] = {-4.5, -2.0, 0.0};
  for (int t = 0; t < 3; t++) {
    cap_leaves_settings settings = cap_leaves_settings_default();
    settings.tolerance = 1e-9;
    cap_leaves *s = cap_leaves_create(1, 0, all_kinds[0], &settings);
    cap_leaves_stats stats;
    assert_non_null(s);
    for (int i = 0; i < CAP_LEAVES_BORDER; i++) s->trunk.corner[i * (CAP_LEAVES_BORDER + 1)] = 6.0;
    s->inverse_mass[0] = 0.5;
    s->arm[CAP_LEAVES_TANGENT][0][0] = 1.0;
    s->travel[CAP_LEAVES_TANGENT][0] = -1.0;
    s->c[CAP_LEAVES_TANGENT][0] = 3.0;
    s->limit_ring[0] = limits[t];
    assert_int_equal(leaves_solve(s, &stats), CAP_OK);
    assert_near(s->lambda[CAP_LEAVES_TANGENT][0], found[t], 1e-7);
    assert_near(s->u[CAP_LEAVES_TRAVEL], -found[t] / 6.0, 1e-7);
    assert_near(s->xi[CAP_LEAVES_TANGENT][0], 3.0 + found[t] * (0.5 + 1.0 / 6.0), 1e-7);
    cap_leaves_free(s);
  }
}

static void nothing_to_do(void **state)
{
  (void)state;
  cap_leaves_settings settings = cap_leaves_settings_default();
  cap_leaves_stats stats;
  cap_leaves *none = cap_leaves_create(0, 4, all_kinds[4], &settings);
  assert_non_null(none);
  assert_int_equal(cap_leaves_solve(none, &stats), CAP_OK);
  cap_leaves_free(none);
  cap_leaves_free(NULL);
  for (int kind = 0; kind < NKINDS; kind++) { /* all limits 0, all apart */
    leaves_case p = draw_case(kind, 9);
    p.limits = 0.0;
    cap_leaves *s = leaves_make(&p);
    assert_non_null(s);
    for (int k = 0; k < p.n; k++) s->c[CAP_LEAVES_NORMAL][k] = 1.0 + fabs(s->c[CAP_LEAVES_NORMAL][k]);
    assert_int_equal(cap_leaves_solve(s, &stats), CAP_OK);
    for (int i = 0; i < CAP_LEAVES_ROWS; i++)
      for (int k = 0; k < p.n; k++) assert_true(s->lambda[i][k] == 0.0);
    for (int i = 0; i < 4 * p.nblock + CAP_LEAVES_BORDER; i++) assert_true(s->u[i] == 0.0);
    cap_leaves_free(s);
  }
}

static void what_is_not_finite_is_told(void **state)
{
  (void)state;
  for (int kind = 0; kind < NKINDS; kind++) {
    leaves_case p = draw_case(kind, 9);
    cap_leaves *s = leaves_make(&p);
    cap_leaves_stats stats;
    assert_non_null(s);
    s->c[kind < 2 ? CAP_LEAVES_TANGENT : CAP_LEAVES_FLANK][1] = NAN;
    assert_int_equal(cap_leaves_solve(s, &stats), CAP_ERR_NUMERICS);
    cap_leaves_free(s);
    s = leaves_make(&p);
    assert_non_null(s);
    for (int i = 0; i < CAP_LEAVES_BORDER; i++) s->trunk.corner[i * (CAP_LEAVES_BORDER + 1)] = -1e6;
    assert_int_equal(cap_leaves_solve(s, &stats), CAP_ERR_NUMERICS);
    cap_leaves_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_hold_at_random),
      cmocka_unit_test(general_solvers_agree),
      cmocka_unit_test(derivatives_fit),
      cmocka_unit_test(warm_starts_are_one_step),
      cmocka_unit_test(one_leaf_by_hand),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(what_is_not_finite_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
