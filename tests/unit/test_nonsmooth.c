/* The solvers of set-valued contacts on problems by hand and at random: every solver finds the same impulses
 * where they are unique, the same velocities where they are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/solvers.h"
#include "../support/system.h"
#include "solve/nonsmooth_work.h"

enum { MOST = 240 };

typedef struct sample {
  int n, ncontact;
  cap_nonsmooth_contact contacts[MOST];
  int start[MOST + 1], column[MOST * MOST];
  double value[MOST * MOST], G[MOST * MOST], c[MOST], lambda[MOST];
} sample;

/* G = W' M^-1 W of dense rows w[n][nv], compressed. */
static void put_matrix(sample *s, int nv, const double *w, const double *mass)
{
  int at = 0, n = s->n;
  for (int r = 0; r < n; r++) {
    s->start[r] = at;
    for (int q = 0; q < n; q++) {
      double sum = 0.0;
      for (int i = 0; i < nv; i++) sum += w[r * nv + i] * w[q * nv + i] / mass[i];
      s->G[r * n + q] = sum;
      if (sum == 0.0) continue;
      s->column[at] = q;
      s->value[at++] = sum;
    }
  }
  s->start[n] = at;
}

static cap_nonsmooth_problem problem_of(sample *s)
{
  return (cap_nonsmooth_problem){s->ncontact, s->n,     s->contacts, s->start,
                                 s->column,   s->value, s->c,        s->lambda};
}

static void add_contact(sample *s, cap_nonsmooth_contact k)
{
  k.row = s->n;
  s->contacts[s->ncontact++] = k;
  s->n += k.nnormal + k.ntangent;
}

/* Impulses by a solver from a cold start (or the guess in s->lambda), its velocities in xi (or NULL). */
static cap_nonsmooth_stats solve(sample *s, const char *name, double tolerance, bool warm, double *xi)
{
  cap_nonsmooth *solver;
  cap_nonsmooth_stats stats;
  cap_error error = {0};
  if (cap_nonsmooth_create(name, &solver, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_nonsmooth_problem p = problem_of(s);
  if (!warm) memset(s->lambda, 0, sizeof s->lambda);
  cap_nonsmooth_settings settings = {tolerance, 2000000};
  cap_status status = cap_nonsmooth_solve(solver, &p, &settings, &stats);
  if (status == CAP_RETRY_NOCONV && strcmp(name, "siconos") == 0) {
    stats.iterations = -1; /* it happens */
    cap_nonsmooth_free(solver);
    return stats;
  }
  if (status != CAP_OK)
    fail_msg("%s: status %d, residual %g after %d", name, status, stats.residual, stats.iterations);
  assert_true(stats.residual <= tolerance);
  if (xi) cap_nonsmooth_velocities(&p, s->lambda, xi);
  cap_nonsmooth_free(solver);
  return stats;
}

static double apart(int n, const double *a, const double *b, double size)
{
  double most = 0.0;
  for (int r = 0; r < n; r++) {
    most = fmax(most, fabs(a[r] - b[r]));
    size = fmax(size, fabs(b[r]));
  }
  return size > 0.0 ? most / size : most;
}

/* ---- by hand ------------------------------------------------------------------------------------------- */

/* A block of mass m on the ground that moves with u, pushed down by N over a step. */
static void test_block(void **state)
{
  (void)state;
  static const struct {
    double u, mu, impulse;
  } cases[] = {{0.5, 0.3, -0.6}, {0.2, 0.3, -0.4}, {-0.5, 0.3, 0.6}, {0.0, 0.3, 0.0}, {1.0, 0.0, 0.0}};
  for (const char *const *name = cap_nonsmooth_names; *name; name++)
    for (int k = 0; test_solver_there(*name) && k < 5; k++) {
      static sample s;
      memset(&s, 0, sizeof s);
      add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1, .ntangent = 1, .mu = cases[k].mu});
      double w[4] = {1, 0, 0, 1}, mass[2] = {2, 2};
      put_matrix(&s, 2, w, mass);
      s.c[0] = -1.0; /* the normal impulse is 2 N s */
      s.c[1] = cases[k].u;
      solve(&s, *name, 1e-13, false, NULL);
      assert_near(s.lambda[0], 2.0, 1e-11);
      assert_near(s.lambda[1], cases[k].impulse, 1e-11);
    }
}

/* Nothing gives way along the first contact: it carries its load without friction, and Newton needs no other
 * way for it. Beside it one that slides and is coupled with it, so that no single sweep solves both. */
static void test_immovable_along(void **state)
{
  (void)state;
  for (int nt = 1; nt <= 2; nt++) {
    static sample s;
    memset(&s, 0, sizeof s);
    add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1, .ntangent = nt, .mu = 0.3});
    add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1, .ntangent = 1, .mu = 0.3});
    double w[15] = {1.0, 0.6, 0.2}, mass[3] = {2, 2, 2},
           by_sweeps[MOST]; /* normal, nt of zeros, normal, along */
    const double second[6] = {0.5, 1.0, 0.0, 0.0, 0.1, 1.0};
    memcpy(w + 3 * (1 + nt), second, sizeof second);
    put_matrix(&s, 3, w, mass);
    s.c[0] = s.c[1 + nt] = -1.0;
    s.c[1] = 0.7, s.c[2 + nt] = 0.9;
    solve(&s, "gauss_seidel", 1e-13, false, NULL);
    memcpy(by_sweeps, s.lambda, sizeof by_sweeps);
    cap_nonsmooth_stats stats = solve(&s, "newton", 1e-13, false, NULL);
    assert_int_equal(stats.fallbacks, 0);
    assert_in_range(stats.iterations, 1, 6);
    assert_true(s.lambda[0] > 0.5 && s.lambda[2 + nt] < -0.1);
    for (int r = 1; r <= nt; r++) assert_true(s.lambda[r] == 0.0);
    for (int r = 0; r < s.n; r++) assert_near(s.lambda[r], by_sweeps[r], 1e-11);
  }
}

/* Two directions, anisotropic: against a search over all angles of friction. */
static void test_anisotropic(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int trial = 0; trial < 200; trial++) {
    static sample s;
    memset(&s, 0, sizeof s);
    add_contact(&s,
                (cap_nonsmooth_contact){.nnormal = 1, .ntangent = 2, .mu = test_random(&seed, 0.05, 0.6)});
    double w[15], mass[5] = {1, 2, 0.5, 1, 3};
    for (int k = 0; k < 15; k++) w[k] = test_random(&seed, -1, 1);
    put_matrix(&s, 5, w, mass);
    s.c[0] = -1.0;
    s.c[1] = test_random(&seed, -1, 1);
    s.c[2] = test_random(&seed, -1, 1);
    double xi[3], mu = s.contacts[0].mu;
    solve(&s, "gauss_seidel", 1e-12, false, xi);
    double *lambda = s.lambda, limit = mu * lambda[0], friction = hypot(lambda[1], lambda[2]);
    assert_true(lambda[0] >= 0.0 && xi[0] >= -1e-11);
    assert_true(friction <= limit * (1.0 + 1e-11) + 1e-14);
    assert_true(lambda[0] == 0.0 || fabs(xi[0]) < 1e-10);
    if (friction < limit * (1.0 - 1e-9)) {
      assert_true(hypot(xi[1], xi[2]) < 1e-10);
    } else if (friction > 0.0) { /* against the slip */
      double slip = hypot(xi[1], xi[2]);
      assert_true(fabs(lambda[1] * xi[2] - lambda[2] * xi[1]) <= 1e-10 * friction * (slip + 1.0));
      assert_true(lambda[1] * xi[1] + lambda[2] * xi[2] <= 1e-10 * friction);
    }
  }
}

/* A block in a wedge of half angle a: N = m g h / (2 sin a) on each side. */
static void test_wedge(void **state)
{
  (void)state;
  double a = 0.4;
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name)) continue;
    static sample s;
    memset(&s, 0, sizeof s);
    for (int k = 0; k < 2; k++) add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1});
    double w[4] = {cos(a), sin(a), -cos(a), sin(a)}, mass[2] = {3, 3};
    put_matrix(&s, 2, w, mass);
    s.c[0] = s.c[1] = -9.81 * sin(a);
    solve(&s, *name, 1e-13, false, NULL);
    for (int k = 0; k < 2; k++) assert_near(s.lambda[k], 3 * 9.81 / (2 * sin(a)), 1e-9);
  }
}

/* A beam on five supports, two of which could carry it: the impulses are not unique, rest is. */
static void test_redundant(void **state)
{
  (void)state;
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name)) continue;
    static sample s;
    double w[5 * 2 * 3], xi[10], mass[3] = {4, 4, 0.3}, sum = 0.0, moment = 0.0;
    memset(&s, 0, sizeof s);
    for (int k = 0; k < 5; k++) {
      double x = -1.0 + 0.5 * k, rows[6] = {0, 1, x, 1, 0, 0.1};
      memcpy(w + 6 * k, rows, sizeof rows);
      add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1, .ntangent = 1, .mu = 0.4});
    }
    put_matrix(&s, 3, w, mass);
    for (int k = 0; k < 5; k++) s.c[2 * k] = -1.0, s.c[2 * k + 1] = 0.3;
    solve(&s, *name, 1e-12, false, xi);
    for (int k = 0; k < 5; k++) {
      sum += s.lambda[2 * k];
      moment += s.lambda[2 * k] * (-1.0 + 0.5 * k) + 0.1 * s.lambda[2 * k + 1];
      assert_true(fabs(xi[2 * k]) < 1e-10 && fabs(xi[2 * k + 1]) < 1e-10);
      assert_true(s.lambda[2 * k] >= 0.0 && fabs(s.lambda[2 * k + 1]) <= 0.4 * s.lambda[2 * k] + 1e-10);
    }
    assert_near(sum, 4.0, 1e-9);
    assert_near(moment, 0.0, 1e-9);
  }
}

/* ---- at random ----------------------------------------------------------------------------------------- */

enum { MIXED, UNILATERAL, FRICTIONLESS };

/* Contacts between bodies of six velocities, sparse rows; more velocities than rows: G is definite. */
static void draw(sample *s, uint64_t *seed, int ncontact, int kind, bool definite)
{
  static double w[MOST * 3 * MOST], mass[3 * MOST];
  memset(s, 0, sizeof *s);
  memset(w, 0, sizeof w);
  for (int k = 0; k < ncontact; k++) {
    int type = kind == MIXED ? (int)test_random(seed, 0, 6) : 0;
    cap_nonsmooth_contact c = {
        .nnormal = 1, .ntangent = (int)test_random(seed, 0, 3), .mu = test_random(seed, 0, 0.5)};
    if (kind == FRICTIONLESS) c.ntangent = 0;
    if (type == 3)
      c = (cap_nonsmooth_contact){.nnormal = 1, .bilateral = true, .ntangent = 2, .mu = INFINITY};
    if (type == 4) c = (cap_nonsmooth_contact){.ntangent = 2, .limit = test_random(seed, 0, 0.4)};
    if (type == 5) c = (cap_nonsmooth_contact){.ntangent = 1, .limit = test_random(seed, 0, 0.4)};
    add_contact(s, c);
  }
  int bodies = definite ? s->n : s->n / 8 + 1, width = 3, nv = bodies * width;
  if (nv > 3 * MOST) nv = 3 * MOST;
  for (int i = 0; i < nv; i++) mass[i] = test_random(seed, 0.5, 2.0);
  for (int r = 0; r < s->n; r++)
    for (int side = 0; side < 2; side++) {
      int body = (r * bodies / s->n + side) % bodies;
      for (int i = 0; i < width; i++) w[r * nv + body * width + i] = test_random(seed, -1, 1);
    }
  put_matrix(s, nv, w, mass);
  for (int r = 0; r < s->n; r++) /* from a motion of the bodies: then the contacts can be satisfied */
    for (int i = 0; i < nv; i++) s->c[r] += w[r * nv + i] * (0.3 * ((i * 7919) % 13) - 2.0);
}

/* Compare all solvers with Gauss-Seidel at the same tolerance. */
static void compare(int kind, bool definite, int trials, uint64_t seed)
{
  static sample s;
  int failed = 0;
  for (int trial = 0; trial < trials; trial++) {
    double lambda[MOST], xi[MOST], other[MOST];
    draw(&s, &seed, 4 + trial % 30, kind, definite);
    solve(&s, "newton", 1e-13, false, xi);
    memcpy(lambda, s.lambda, sizeof lambda);
    for (const char *const *name = cap_nonsmooth_names; *name; name++) {
      if (!test_solver_there(*name) || (kind == MIXED && strcmp(*name, "siconos") == 0)) continue;
      if (solve(&s, *name, 1e-12, false, other).iterations < 0) {
        failed++;
        continue;
      }
      if (definite && apart(s.n, s.lambda, lambda, 0.0) > 1e-8)
        fail_msg("trial %d: %s has other impulses, by %g", trial, *name, apart(s.n, s.lambda, lambda, 0.0));
      if (apart(s.n, other, xi, 1.0) > 1e-8)
        fail_msg("trial %d: %s has other velocities, by %g", trial, *name, apart(s.n, other, xi, 1.0));
    }
  }
  print_message("  %d problems; siconos did not get to 1e-12 in %d\n", trials, failed);
  assert_true(failed <= trials / 4);
}

static void test_unique(void **state)
{
  (void)state;
  compare(UNILATERAL, true, 60, 1);
  compare(MIXED, true, 60, 2);
  compare(FRICTIONLESS, true, 60, 3);
}

static void test_not_unique(void **state)
{
  (void)state;
  compare(FRICTIONLESS, false, 60, 4);
}

/* Warm: the solution itself needs no iteration; what is near it few. */
static void test_warm(void **state)
{
  (void)state;
  static sample s;
  uint64_t seed = 5;
  int most = 0;
  for (int trial = 0; trial < 40; trial++) {
    draw(&s, &seed, 30, UNILATERAL, true);
    solve(&s, "newton", 1e-12, false, NULL);
    assert_int_equal(solve(&s, "newton", 1e-11, true, NULL).iterations, 0);
    for (int r = 0; r < s.n; r++) s.c[r] *= 1.0 + 1e-3 * test_random(&seed, -1, 1);
    int iterations = solve(&s, "newton", 1e-12, true, NULL).iterations;
    most = iterations > most ? iterations : most;
  }
  print_message("  warm Newton: at most %d iterations\n", most);
  assert_true(most <= 6);
}

/* ---- what can go wrong --------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
  (void)state;
  cap_nonsmooth *s;
  cap_error error = {0};
  assert_int_equal(cap_nonsmooth_create("simplex", &s, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "gauss_seidel"));
  assert_null(s);
  cap_nonsmooth_free(NULL);
}

/* Rows on which nothing can move, no rows at all, a guess that is no number. */
static void test_degenerate(void **state)
{
  (void)state;
  for (const char *const *name = cap_nonsmooth_names; *name; name++) {
    if (!test_solver_there(*name) || strcmp(*name, "siconos") == 0) continue;
    static sample s;
    memset(&s, 0, sizeof s);
    solve(&s, *name, 1e-12, false, NULL);
    for (int k = 0; k < 2; k++)
      add_contact(&s, (cap_nonsmooth_contact){.nnormal = 1, .ntangent = 1, .mu = 0.2});
    double w[8] = {1, 0, 0, 1, 0, 0, 0, 0}, mass[2] = {1, 1};
    put_matrix(&s, 2, w, mass);
    for (int r = 0; r < 4; r++) s.c[r] = -1.0, s.lambda[r] = NAN;
    solve(&s, *name, 1e-12, true, NULL);
    assert_near(s.lambda[0], 1.0, 1e-12);
    assert_near(s.lambda[1], 0.2, 1e-12);
    assert_true(s.lambda[2] == 0.0 && s.lambda[3] == 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block),       cmocka_unit_test(test_immovable_along),
      cmocka_unit_test(test_anisotropic), cmocka_unit_test(test_wedge),
      cmocka_unit_test(test_redundant),   cmocka_unit_test(test_unique),
      cmocka_unit_test(test_not_unique),  cmocka_unit_test(test_warm),
      cmocka_unit_test(test_refusals),    cmocka_unit_test(test_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
