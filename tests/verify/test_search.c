/* The search for what a single continuation misses: detached and sub-harmonic branches of the oscillator with
 * clearance, case 2 of Kim, Rook and Singh, found without being told where, the same for several seeds, and
 * true in time. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/sanitized.h"
#include "../support/search.h"

#include "../support/system.h"

#include "../support/run.h"
#include "analysis/search/attractors.h"
#include "hb/hb_output.h"

static const cap_search_spec usual = {.load = 30, .states = 32, .values = 30, .periods = 3};

/* The branch of a period whose range is nearest. */
static const test_branch *find(const test_search *t, int period, double low, double high)
{
  const test_branch *best = NULL;
  double nearest = 2e-3;
  for (int k = 0; k < t->n; k++) {
    double away = fmax(fabs(t->branches[k].low - low), fabs(t->branches[k].high - high));
    if (t->branches[k].period != period || away > nearest) continue;
    nearest = away;
    best = &t->branches[k];
  }
  return best;
}

/* The set as a scan of 75 000 states at 750 frequencies confirms it; three seeds. */
static void test_exact(void **state)
{
  (void)state;
  test_clearance exact = {0};
  test_search first, other;
  test_search_run(&first, &exact, &usual, 1);
  test_search_print(&first);
  const test_branch *detached = find(&first, 1, 0.3083, 0.4601);
  assert_non_null(detached);
  assert_true(detached->closed && detached->nfold == 2);
  assert_non_null(find(&first, 1, 0.1, 1.6));
  assert_non_null(find(&first, 2, 1.1343, 1.6));    /* two attractors of period 2 between 1.134 and 1.161 */
  assert_non_null(find(&first, 2, 0.6002, 0.6567)); /* between two period doublings of the main branch */
  assert_non_null(find(&first, 2, 0.4717, 0.5158));
  assert_int_equal(first.n, 5);
  for (uint64_t seed = 2; seed <= 3 && !TEST_SANITIZED; seed++) {
    test_search_run(&other, &exact, &usual, seed * 1000003);
    double away = test_search_difference(&first, &other);
    print_message("seed %d: the same within %.1e\n", (int)seed, away);
    assert_true(away < 1e-6);
    test_search_close(&other);
  }
  test_search_close(&first);
}

static void test_smooth(void **state)
{
  (void)state;
  test_clearance g1 = {.kind = CAPM_SMOOTHING_G1, .sigma = 100.0};
  test_search t;
  test_search_run(&t, &g1, &usual, 1);
  test_search_print(&t);
  int closed = 0, doubled = 0;
  for (int k = 0; k < t.n; k++) {
    closed += t.branches[k].period == 1 && t.branches[k].closed;
    doubled += t.branches[k].period == 2;
  }
  assert_int_equal(closed, 1); /* the detached branch, at this sigma */
  assert_true(doubled >= 2);
  test_search_close(&t);
}

/* Each part finds by itself what it is meant for. */
static void test_parts(void **state)
{
  (void)state;
  test_clearance exact = {0};
  static const struct {
    const char *name;
    cap_search_spec spec;
    int period;
    double low, high;
  } parts[] = {{"switching alone", {.values = 1, .periods = 2}, 2, 0.6002, 0.6567},
               {"load", {.load = 12, .values = 1, .periods = 1}, 1, 0.3083, 0.4601},
               {"states", {.states = 16, .values = 12, .periods = 1}, 1, 0.3083, 0.4601},
               {"deflation", {.values = 1, .periods = 2, .deflation = true}, 2, 1.1343, 1.6}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    test_search t;
    test_search_run(&t, &exact, &parts[k].spec, 1);
    print_message("%s: %d branches\n", parts[k].name, t.n);
    assert_non_null(find(&t, parts[k].period, parts[k].low, parts[k].high));
    test_search_close(&t);
  }
}

/* Folds over the load: that of the detached branch leads to its other fold, and to no branch that is not
 * there. */
static void test_folds(void **state)
{
  (void)state;
  test_clearance exact = {0};
  cap_search_spec spec = {.load = 12, .values = 1, .periods = 1}, with = spec;
  with.folds = true;
  test_search a, b;
  test_search_run(&a, &exact, &spec, 1);
  test_search_run(&b, &exact, &with, 1);
  assert_true(test_search_difference(&a, &b) < 1e-6);
  test_search_close(&a);
  test_search_close(&b);
}

/* Every tenth stable point of every branch is an attractor in time: integrated from the balance's own state
 * it stays, has the period, and is as near as twelve harmonics come. */
static void test_in_time(void **state)
{
  (void)state;
  test_clearance exact = {0};
  test_search t;
  cap_error error = {0};
  int seen = 0;
  double worst = 0.0;
  test_search_run(&t, &exact, &usual, 1);
  for (int b = 0; b < cap_hb_branches_count(t.set); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(t.set, b);
    cap_hb *hb = cap_hb_branches_hb_of(t.set, b);
    for (int k = 3; k < branch->npoint; k += 10) {
      const cap_hb_point *point = &branch->points[k];
      double y[2], angular_frequency, low[2] = {-1.0, -1.0}, high[2] = {1.5, 1.0};
      int which;
      if (point->unstable != 0 || point->largest > 0.99) continue;
      cap_model *m = NULL;
      cap_attractors *set = NULL;
      cap_attractors_settings settings = {
          .periods = 4, .step = 2.0 * M_PI / point->p / 800.0, .low = low, .high = high};
      assert_int_equal(test_clearance_build(&t.c, point->p, &m, &error), CAP_OK);
      assert_int_equal(cap_hb_branches_place(t.set, hb, point->p, &angular_frequency, &error), CAP_OK);
      assert_int_equal(cap_hb_output_state(hb, point->x, angular_frequency, y, &error), CAP_OK);
      assert_int_equal(cap_attractors_create(m, 0, &settings, &set, &error), CAP_OK);
      assert_int_equal(cap_attractors_reach(set, 0, 1, y, &which, &error), CAP_OK);
      const cap_attractor *a = &set->list[which];
      double away = INFINITY;
      for (int shift = 0; shift < a->period; shift++)
        away = fmin(away, cap_attractors_distance(m, a->y + 2 * shift, 1, y, 1, a->extent));
      if (a->period != branch->sub || away > 1e-3)
        print_message("%s at %.5f: period %d, away %.1e, multiplier %.4f (balance %.4f)\n", branch->name,
                      point->p, a->period, away, a->multiplier, point->largest);
      assert_int_equal(a->period, branch->sub);
      worst = fmax(worst, away);
      seen++;
      cap_attractors_free(set);
      cap_model_free(m);
    }
  }
  print_message("%d stable points are attractors, within %.1e of their extent\n", seen, worst);
  assert_true(seen > 25);
  assert_true(worst < 1e-3);
  test_search_close(&t);
}

/* A narrow sweep through the analysis: the orbit of period 3 that the whole range misses, with its fold, and
 * the remark that there are longer motions. */
static void test_period_three(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
      "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
      "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
      "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\nforcing: {angular_frequency: "
      "0.51 "
      "rad/s}\n"
      "analyses: [{response: {method: harmonic-balance, sweep: {parameter: forcing.angular_frequency, "
      "values: [0.508 "
      "rad/s, "
      "0.5115 rad/s]}, search: {load: 3, states: 200, values: 7}}}]\noutputs: {channels: "
      "[gear.position]}\n");
  int64_t nbranch, nrow;
  double *period = test_values(&r, "response", "branch.period", &nbranch), fold = 0.0;
  double *kind = test_values(&r, "response", "kind", &nrow),
         *branch = test_values(&r, "response", "branch", &nrow);
  double *p = test_values(&r, "response", "forcing.angular_frequency", &nrow);
  int third = 0;
  for (int64_t b = 0; b < nbranch; b++)
    if (period[b] == 3) third = (int)b + 1;
  assert_true(third > 0);
  for (int64_t k = 0; k < nrow; k++)
    if ((int)branch[k] == third && kind[k] == 1) fold = p[k];
  print_message("period 3: fold at %.5f; %s\n", fold, test_text(&r, "response", "family.1.search"));
  assert_true(fabs(fold - 0.5106) < 2e-4);
  assert_non_null(
      strstr(test_text(&r, "response", "family.1.search"), "motions that are not periodic within 3 periods"));
  free(period), free(kind), free(branch), free(p);
  test_result_close(&r);
}

/* Over the amplitude at 0.4 rad/s instead of the angular frequency: what is detached over the angular
 * frequency is one curve
 * with the rest here, and the search finds orbits of two and three periods. */
static void test_amplitude(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
      "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
      "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
      "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\nforcing: {angular_frequency: 0.4 "
      "rad/s}\n"
      "analyses: [{response: {method: harmonic-balance, sweep: {parameter: "
      "\"loads[0].harmonics[0].amplitude\", "
      "values: [0.005 N, 0.05 N]}, search: {folds: true}}}]\noutputs: {channels: [gear.position]}\n");
  int64_t nbranch, nrow;
  double *period = test_values(&r, "response", "branch.period", &nbranch);
  double *branch = test_values(&r, "response", "branch", &nrow);
  double *p = test_values(&r, "response", "loads[0].harmonics[0].amplitude", &nrow);
  int of_period[4] = {0}, crossings = 0;
  for (int64_t b = 0; b < nbranch; b++) of_period[(int)period[b]]++;
  for (int64_t k = 0; k + 1 < nrow; k++) /* solutions of the main branch at the amplitude of case 2 */
    crossings += branch[k] == 1 && branch[k + 1] == 1 && (p[k] - 0.03) * (p[k + 1] - 0.03) < 0.0;
  print_message(
      "amplitude at 0.4 rad/s: branches of period 1, 2, 3: %d, %d, %d; %d solutions on the first at 0.03 N\n",
      of_period[1], of_period[2], of_period[3], crossings);
  assert_int_equal(of_period[1], 1);
  assert_int_equal(crossings,
                   3); /* the main branch over the angular frequency, and both sides of the detached one */
  assert_true(of_period[2] >= 2 && of_period[3] >= 1);
  assert_non_null(strstr(test_text(&r, "response", "family.1.search"), "no folds over the load"));
  free(period), free(branch), free(p);
  test_result_close(&r);
}

/* A softening spring that breaks: beyond one metre it pushes, and states from there go on for ever. They are
 * told, and the branches are found nevertheless. */
static void test_boundless(void **state)
{
  (void)state;
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: crown, mass: 1 kg}]\n"
      "springs: [{from: crown, stiffness: 1 N/m, cubic: -1 N/m3, damping: 0.2 N s/m}]\n"
      "loads: [{on: crown, mean: 0 N, harmonics: [{amplitude: 0.05 N}]}]\nforcing: {angular_frequency: 1 "
      "rad/s}\n"
      "analyses: [{response: {method: harmonic-balance, sweep: {parameter: forcing.angular_frequency, "
      "values: [0.4 "
      "rad/s, 1.6 rad/s]}, search: {load: 3, states: 40, values: 5}}}]\n");
  int64_t nbranch;
  double *period = test_values(&r, "response", "branch.period", &nbranch);
  const char *left = test_text(&r, "response", "family.1.search");
  print_message("boundless: %d branches; %s\n", (int)nbranch, left);
  assert_true(nbranch >= 1 && period[0] == 1);
  assert_non_null(strstr(left, "unbounded or slow to settle at 5 of 5 values"));
  free(period);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact),     cmocka_unit_test(test_smooth),
                                     cmocka_unit_test(test_parts),     cmocka_unit_test(test_folds),
                                     cmocka_unit_test(test_in_time),   cmocka_unit_test(test_period_three),
                                     cmocka_unit_test(test_amplitude), cmocka_unit_test(test_boundless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
