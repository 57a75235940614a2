/* Equilibria over a parameter: the folds of a snap-through in closed form, two coordinates, a gap that
 * closes, dry friction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#define HEAD "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
#define SNAP                                                                                                 \
  "bodies: [{name: crown, mass: 1 kg}]\n"                                                                    \
  "springs: [{from: crown, stiffness: 2 N/m, quadratic: -3 N/m2, cubic: 1 N/m3, damping: 0.2 N s/m}]\n"      \
  "loads: [{on: crown, mean: 0 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: {angular_frequency: 1 "       \
  "rad/s}\n"

typedef struct table {
  test_result r;
  int64_t n;
  double *p, *branch, *kind, *growth, *unstable, *q;
} table;

static table run(const char *text, const char *parameter, const char *channel)
{
  table t = {.r = test_result_run(text)};
  int64_t n;
  t.p = test_values(&t.r, "statics", parameter, &t.n);
  t.branch = test_values(&t.r, "statics", "branch", &n);
  t.kind = test_values(&t.r, "statics", "kind", &n);
  t.growth = test_values(&t.r, "statics", "growth", &n);
  t.unstable = test_values(&t.r, "statics", "unstable", &n);
  t.q = test_values(&t.r, "statics", channel, &n);
  assert_int_equal(n, t.n);
  return t;
}

static void release(table *t)
{
  double *all[] = {t->p, t->branch, t->kind, t->growth, t->unstable, t->q};
  for (int k = 0; k < 6; k++) free(all[k]);
  test_result_close(&t->r);
}

/* u (u - 1)(u - 2) = p: folds at u = 1 -+ 1/sqrt 3, p = +-2/(3 sqrt 3); unstable between them with the growth
 * of lambda^2 + 0.2 lambda + 2 - 6 u + 3 u^2 = 0. Upwards and downwards. */
static void snaps_through(void **state)
{
  (void)state;
  const char *const ways[] = {"[-0.6 N, 0.6 N]", "[0.6 N, -0.6 N]"};
  for (int way = 0; way < 2; way++) {
    char text[1024];
    snprintf(text, sizeof text,
             HEAD SNAP "analyses: [{statics: {sweep: {parameter: \"loads[0].mean\", values: %s}}}]\n",
             ways[way]);
    if (way == 1) { /* from where the load has snapped it through */
      char *at = strstr(text, "mass: 1 kg");
      memmove(at + 26, at + 10, strlen(at + 10) + 1);
      memcpy(at, "mass: 1 kg, position: 2 m ", 26);
    }
    table t = run(text, "loads[0].mean", "crown.position");
    int nfold = 0;
    double place = 2.0 / (3.0 * sqrt(3.0)), before = 0.0;
    for (int64_t k = 0; k < t.n; k++) {
      double u = t.q[k], slope = 2.0 - 6.0 * u + 3.0 * u * u;
      double growth = slope > 0.01 ? -0.1 : -0.1 + sqrt(0.01 - slope);
      assert_true(fabs(u * (u - 1) * (u - 2) - t.p[k]) < 1e-9);
      assert_true(fabs(t.growth[k] - growth) < 1e-5);
      if (t.kind[k] == 0) assert_int_equal(t.unstable[k], slope < 0.0);
      if (k) assert_true(way ? u < before : u > before); /* one curve, all the way */
      before = u;
      if (t.kind[k] != 1) continue;
      double want = (nfold == 0) == (way == 0) ? place : -place;
      assert_true(fabs(t.p[k] - want) < 1e-10 && fabs(fabs(u - 1) - 1 / sqrt(3.0)) < 1e-6);
      nfold++;
    }
    print_message("  %s: %d points, folds %d, %s\n", ways[way], (int)t.n, nfold,
                  test_text(&t.r, "statics", "branch.1.ends"));
    assert_int_equal(nfold, 2);
    assert_true(fabs(t.p[0] - (way ? 0.6 : -0.6)) < 1e-12 && fabs(t.p[t.n - 1] + t.p[0]) < 1e-9);
    assert_true(t.branch[t.n - 1] == 1);
    double *folds = test_values(&t.r, "statics", "branch.folds", NULL);
    assert_true(folds[0] == 2);
    free(folds);
    release(&t);
  }
}

/* Two arches in series with a soft spring between them: the first carries the load of both. */
static void two_coordinates(void **state)
{
  (void)state;
  table t = run(
      HEAD
      "bodies: [{name: a, mass: 1 kg}, {name: b, mass: 2 kg}]\n"
      "springs: [{from: a, stiffness: 2 N/m, quadratic: -3 N/m2, cubic: 1 N/m3}, {from: b, to: a, "
      "stiffness: 0.5 N/m, damping: 0.1 N s/m}]\n"
      "loads: [{on: b, mean: 0 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: {angular_frequency: 1 rad/s}\n"
      "analyses: [{statics: {sweep: {parameter: \"loads[0].mean\", values: [-0.6 N, 0.6 N]}}}]\n",
      "loads[0].mean", "b.position");
  int nfold = 0;
  int64_t n;
  double *a = test_values(&t.r, "statics", "a.position", &n);
  for (int64_t k = 0; k < t.n; k++) {
    assert_true(fabs(a[k] * (a[k] - 1) * (a[k] - 2) - t.p[k]) < 1e-9);
    assert_true(fabs(0.5 * (t.q[k] - a[k]) - t.p[k]) < 1e-9);
    nfold += t.kind[k] == 1;
  }
  assert_int_equal(nfold, 2);
  free(a);
  release(&t);
}

/* A gap with a corner at each edge, over its stiffness and over the load: no fold, and no step lost at the
 * corners. */
static void gap_closes(void **state)
{
  (void)state;
  table t = run(HEAD
                "bodies: [{name: gear, mass: 1 kg}]\n"
                "clearances: [{gap: {from: gear, stiffness: 4 N/m, inner: 0.25, low: -0.1 m, high: 0.2 m}}]\n"
                "loads: [{on: gear, mean: 0 N, harmonics: [{amplitude: 0.01 N}]}]\nforcing: "
                "{angular_frequency: 1 rad/s}\n"
                "analyses: [{statics: {sweep: {parameter: \"loads[0].mean\", values: [-1 N, 1 N]}}}]\n",
                "loads[0].mean", "gear.position");
  for (int64_t k = 0; k < t.n; k++) {
    double f = t.p[k], want = f < -0.1 ? -0.1 + (f + 0.1) / 4 : f > 0.2 ? 0.2 + (f - 0.2) / 4 : f;
    assert_true(fabs(t.q[k] - want) < 1e-9 && t.kind[k] != 1);
  }
  assert_true(fabs(t.p[0] + 1) < 1e-12 && fabs(t.p[t.n - 1] - 1) < 1e-9);
  release(&t);
}

/* Masing's tensioner under its mean load: the slider carries its limit at most, as in statics at one load. */
static void slider(void **state)
{
  (void)state;
  const char model[] = TEST_BELT TEST_MASING
      "analyses: [{statics: {sweep: {parameter: tensioner.k0, values: [1.5e5 N/m, 3e5 N/m]}}}]\n";
  int64_t n;
  test_result r = test_result_run(model);
  double *p = test_values(&r, "statics", "tensioner.k0", &n), *kind = test_values(&r, "statics", "kind", &n);
  double *growth = test_values(&r, "statics", "growth", &n);
  double *force = test_values(&r, "statics", "tensioner.force", &n);
  double *dry = test_values(&r, "statics", "tensioner.dry_force", &n); /* a channel with k0 in it */
  assert_true(n > 5 && fabs(p[0] - 1.5e5) < 1e-6 && fabs(p[n - 1] - 3e5) < 1e-6);
  for (int64_t k = 0; k < n; k++) {
    assert_true(kind[k] == 0 && growth[k] < 0.0);
    assert_true(fabs(dry[k] - force[k]) < 1e-6 * fabs(force[k])); /* nothing moves */
  }
  free(p);
  free(kind);
  free(growth);
  free(force);
  free(dry);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(snaps_through), cmocka_unit_test(two_coordinates),
                                     cmocka_unit_test(gap_closes), cmocka_unit_test(slider)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
