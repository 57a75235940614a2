/* Sets of branches of periodic solutions: recognised solutions, period doublings, broken symmetry, other
 * parameters, accuracy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/orbit/confirm.h"
#include "hb/hb_branches_work.h"

#include <stdio.h>

static const char model[] = "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
                            "bodies: [{name: gear, mass: 1 kg, position: %s m}]\n"
                            "springs: [{from: gear, damping: 0.05 N s/m}]\n"
                            "clearances:\n  - gap: {from: gear, stiffness: 1 N/m, inner: %s, low: -0.1745 m, "
                            "high: 0.1745 m, smoothing: %s}\n"
                            "loads: [{on: gear, mean: %s N, harmonics: [{amplitude: %s N}]}]\n"
                            "forcing: {angular_frequency: %s rad/s}\n" TEST_ANY;

static test_system oscillator(const char *position, const char *inner, const char *smoothing,
                              const char *mean, const char *amplitude, const char *angular_frequency)
{
  char text[1024];
  snprintf(text, sizeof text, model, position, inner, smoothing, mean, amplitude, angular_frequency);
  return test_system_open(text);
}

/* The paper's oscillator, case 2. */
static test_system case_2(const char *angular_frequency)
{
  return oscillator("0.2245", "0", "exact", "0.05", "0.03", angular_frequency);
}

static cap_hb_branches *open_set(const test_system *s, const cap_hb_branches_settings *settings)
{
  cap_hb_branches *set;
  cap_error error = {0};
  char note[2][400];
  if (cap_hb_branches_create(s->m, settings, &set, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_hb_branches_follow_ends(set, note, &error) != CAP_OK) fail_msg("%s", error.text);
  return set;
}

static const cap_hb_branches_settings over_angular_frequency = {.parameter = CAP_HB_CURVE_ANGULAR_FREQUENCY,
                                                                .first = 0.1,
                                                                .last = 1.6,
                                                                .harmonics = 12,
                                                                .stability = true};

static int find_kind(const cap_hb_branch *b, cap_hb_point_kind kind, int from)
{
  for (int k = from; k < b->npoint; k++)
    if (b->points[k].kind == kind) return k;
  return -1;
}

/* The first period doubling below a value of the parameter. */
static int doubling_below(const cap_hb_branch *b, double p)
{
  int k = find_kind(b, CAP_HB_DOUBLING, 0);
  while (k >= 0 && b->points[k].p > p) k = find_kind(b, CAP_HB_DOUBLING, k + 1);
  return k;
}

static int count_kind(const cap_hb_branch *b, cap_hb_point_kind kind)
{
  int count = 0;
  for (int k = 0; k < b->npoint; k++) count += b->points[k].kind == kind;
  return count;
}

static int switch_at(cap_hb_branches *set, int branch, int point)
{
  int other;
  cap_error error = {0};
  if (cap_hb_branches_switch_at(set, branch, point, &other, &error) != CAP_OK) fail_msg("%s", error.text);
  return other;
}

static int known(cap_hb_branches *set, int sub, const double *x, double p)
{
  int branch;
  cap_error error = {0};
  if (cap_hb_branches_known(set, sub, x, p, &branch, &error) != CAP_OK) fail_msg("%s", error.text);
  return branch;
}

/* ---- what is known ------------------------------------------------------------------------------------- */

/* Solutions between stored points are recognised on the branch that they lie on, wherever it is folded, and
 * solutions beside it are not. */
static void test_identity(void **state)
{
  (void)state;
  test_system s = case_2("0.1");
  cap_hb_branches *set = open_set(&s, &over_angular_frequency);
  assert_int_equal(cap_hb_branches_count(set), 1);
  const cap_hb_branch *main_branch = cap_hb_branches_get(set, 0);
  int n = cap_hb_branches_hb_of(set, 0)->nunknown, tried = 0;
  double *x = calloc((size_t)n, sizeof *x);
  for (int k = 5; k + 1 < main_branch->npoint; k += 17) {
    const cap_hb_point *a = &main_branch->points[k], *b = a + 1;
    for (int i = 0; i < n; i++) x[i] = 0.4 * a->x[i] + 0.6 * b->x[i];
    assert_int_equal(known(set, 1, x, 0.4 * a->p + 0.6 * b->p), 0);
    tried++;
  }
  assert_true(tried > 8);
  /* following it gives the same branch and no new one */
  int branch;
  cap_error error = {0};
  assert_int_equal(cap_hb_branches_follow(set, 1, main_branch->points[40].x, main_branch->points[40].p,
                                          "again", 0, &branch, &error),
                   CAP_OK);
  assert_int_equal(branch, 0);
  assert_int_equal(cap_hb_branches_count(set), 1);
  /* outside the range there is nothing */
  assert_int_equal(cap_hb_branches_follow(set, 1, x, 2.0, "outside", 0, &branch, &error), CAP_ERR_INPUT);
  free(x);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* At 0.65 rad/s the main branch has five solutions, two of which meet at the fold at 0.646. In a range that
 * has no other fold these are four branches: the load raised from rest finds one, the others are new. */
static void test_unknown(void **state)
{
  (void)state;
  test_system s = case_2("0.62");
  cap_hb_branches_settings whole = over_angular_frequency, part = over_angular_frequency;
  part.first = 0.62, part.last = 0.68;
  cap_hb_branches *all = open_set(&s, &whole), *few = open_set(&s, &part);
  const cap_hb_branch *b = cap_hb_branches_get(all, 0);
  int fresh = 0, before = cap_hb_branches_count(few), n = cap_hb_branches_hb_of(all, 0)->nunknown;
  double *x = calloc((size_t)n, sizeof *x);
  for (int k = 0; k + 1 < b->npoint; k++) {
    const cap_hb_point *low = &b->points[k], *high = low + 1;
    if ((low->p - 0.65) * (high->p - 0.65) > 0.0) continue;
    double share = (0.65 - low->p) / (high->p - low->p);
    for (int i = 0; i < n; i++) x[i] = low->x[i] + share * (high->x[i] - low->x[i]);
    int branch, count = cap_hb_branches_count(few);
    cap_error error = {0};
    assert_int_equal(cap_hb_branches_follow(few, 1, x, 0.65, "a candidate", 0, &branch, &error), CAP_OK);
    fresh += cap_hb_branches_count(few) > count;
    assert_int_equal(known(few, 1, x, 0.65), branch);
  }
  print_message("  %d branches, %d more from candidates\n", before, fresh);
  assert_int_equal(before, 1);
  assert_int_equal(fresh, 3);
  for (int k = before; k < cap_hb_branches_count(few); k++)
    assert_int_equal(strncmp(cap_hb_branches_get(few, k)->name, "detached-", 9), 0);
  free(x);
  cap_hb_branches_free(all);
  cap_hb_branches_free(few);
  test_system_close(&s);
}

/* ---- period doubling ----------------------------------------------------------------------------------- */

/* x of `hb` a quarter of its way: value of the first coordinate at angle theta of its base period. */
static double value_at(const cap_hb *hb, const double *x, double theta)
{
  double sum = x[0];
  for (int h = 1; h <= hb->nharmonic; h++) sum += x[2 * h - 1] * cos(h * theta) + x[2 * h] * sin(h * theta);
  return sum;
}

static void test_doubling(void **state)
{
  (void)state;
  test_system s = case_2("0.1");
  cap_hb_branches *set = open_set(&s, &over_angular_frequency);
  int first = doubling_below(cap_hb_branches_get(set, 0), 0.5);
  int second = find_kind(cap_hb_branches_get(set, 0), CAP_HB_DOUBLING, first + 1);
  assert_true(first > 0 && second > first);
  int twice = switch_at(set, 0, first);
  assert_int_equal(twice, 1);
  assert_int_equal(switch_at(set, 0, second), twice); /* the same branch joins both */
  assert_int_equal(cap_hb_branches_count(set), 2);
  const cap_hb_branch *b = cap_hb_branches_get(set, twice);
  assert_int_equal(b->sub, 2);
  assert_int_equal(b->parent, 0);
  assert_string_equal(b->name, "period-2-1");
  assert_non_null(strstr(b->found, "period doubling of main at 0.47"));
  assert_non_null(strstr(b->end[1], "fewer periods"));
  /* a stable orbit of it: the other period first is the same, one period of main twice is not of two */
  const cap_hb *hb = cap_hb_branches_hb_of(set, twice);
  int n = hb->nunknown, branch, stable = -1;
  for (int k = 2; k + 2 < b->npoint; k++)
    if (b->points[k].unstable == 0 && b->points[k].kind == CAP_HB_POINT) stable = k;
  assert_true(stable > 0);
  const cap_hb_point *point = &b->points[stable];
  double *y = calloc((size_t)n, sizeof *y);
  cap_hb_branches_known_shift(hb, point->x, 1, y);
  for (int k = 0; k < 7; k++)
    assert_true(fabs(value_at(hb, y, 0.7 * k) - value_at(hb, point->x, 0.7 * k + M_PI)) < 1e-12);
  assert_int_equal(known(set, 2, y, point->p), twice);
  const cap_hb_point *single = &cap_hb_branches_get(set, 0)->points[first];
  cap_hb_transfer(cap_hb_branches_hb_of(set, 0), single[-8].x, hb, y);
  cap_error error = {0};
  assert_int_equal(cap_hb_branches_follow(set, 2, y, single[-8].p, "main twice", 0, &branch, &error),
                   CAP_RETRY_NOCONV);
  assert_non_null(strstr(error.text, "is 1 of the 2 periods"));
  assert_int_equal(branch, -1);
  assert_int_equal(cap_hb_branches_switch_at(set, twice, b->npoint - 1, &branch, &error), CAP_RETRY_NOCONV);
  free(y);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* The orbits of two periods are orbits of the oscillator: found again by integration over time, of least
 * period two, with the same stability. */
static void test_doubling_confirmed(void **state)
{
  (void)state;
  test_system s = case_2("0.1");
  cap_hb_branches *set = open_set(&s, &over_angular_frequency);
  int twice = switch_at(set, 0, doubling_below(cap_hb_branches_get(set, 0), 0.5)), tried = 0;
  const cap_hb_branch *b = cap_hb_branches_get(set, twice);
  double worst = 0.0;
  for (int k = b->npoint / 4; k < 3 * b->npoint / 4; k += 6) {
    const cap_hb_point *point = &b->points[k];
    char angular_frequency[32];
    cap_error error = {0};
    cap_confirm *confirm;
    cap_confirm_result result;
    snprintf(angular_frequency, sizeof angular_frequency, "%.17g", point->p);
    test_system there = case_2(angular_frequency);
    assert_int_equal(cap_confirm_create(there.m, NULL, &confirm, &error), CAP_OK);
    if (cap_confirm_balance(confirm, there.m, cap_hb_branches_hb_of(set, twice), point->x, point->p, &result,
                            &error) != CAP_OK)
      fail_msg("%s", error.text);
    assert_true(result.same);
    assert_int_equal(result.period, 2);
    if (point->kind == CAP_HB_POINT) assert_int_equal(result.unstable, point->unstable);
    worst = fmax(worst, result.position);
    tried++;
    cap_confirm_free(confirm);
    test_system_close(&there);
  }
  print_message("  %d orbits of two periods within %.1e of shooting\n", tried, worst);
  assert_true(tried >= 4 && worst < 2e-3);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* With hysteresis and g4, sigma 10, the multipliers of 12 harmonics pass -1 at 0.5043 and come back at
 * 0.5062, those of 16 harmonics never do, and the doubled balance is not singular with 12 either: nothing of
 * two periods starts there, and main is not taken for it. */
static void test_no_doubling(void **state)
{
  (void)state;
  test_system s = oscillator("0.2245", "0", "g4, sigma: 10, H1: 0.005 N, H2: 0.02 N", "0.05", "0.03", "0.1");
  cap_hb_branches_settings settings = over_angular_frequency;
  settings.samples = 2048;
  cap_hb_branches *set = open_set(&s, &settings);
  int tried = 0;
  for (int k = 0; k < cap_hb_branches_get(set, 0)->npoint; k++) {
    int other;
    cap_error error = {0};
    if (cap_hb_branches_get(set, 0)->points[k].kind != CAP_HB_DOUBLING) continue;
    assert_int_equal(cap_hb_branches_switch_at(set, 0, k, &other, &error), CAP_RETRY_NOCONV);
    assert_non_null(strstr(error.text, "no orbit of 2 periods emanates there"));
    tried++;
  }
  assert_int_equal(tried, 2);
  assert_int_equal(cap_hb_branches_count(set), 1);
  cap_hb_branches_free(set);
  settings.harmonics = 16;
  set = open_set(&s, &settings);
  assert_int_equal(count_kind(cap_hb_branches_get(set, 0), CAP_HB_DOUBLING), 0);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* A smooth law needs few samples on branches that start where others pass, too: the estimate leaves out the
 * crossing itself, where it is infinite whatever the samples. */
static void test_doubling_samples(void **state)
{
  (void)state;
  test_system s = oscillator("0.2245", "0", "g1, sigma: 10", "0.05", "0.03", "0.1");
  cap_hb_branches *set = open_set(&s, &over_angular_frequency);
  int twice = switch_at(set, 0, doubling_below(cap_hb_branches_get(set, 0), 0.45));
  const cap_hb_branch *b = cap_hb_branches_get(set, twice);
  print_message("  %d samples, error %.1e; %s; %s\n", b->samples, b->sampling, b->end[0], b->end[1]);
  assert_true(b->samples <= 512 && b->sampling < 1e-6);
  assert_int_equal(b->shortfall[0], 0);
  assert_true(b->points[0].crossing && b->points[b->npoint - 1].crossing);
  assert_non_null(strstr(b->end[1], "merges with an orbit of fewer periods at 0.5049"));
  const cap_hb *hb = cap_hb_branches_hb_of(set, twice);
  for (int k = 1; k + 1 < b->npoint; k++) {
    assert_false(b->points[k].crossing);
    assert_int_equal(cap_hb_branches_known_period(set, hb, b->points[k].x), 2);
  }
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* ---- broken symmetry ----------------------------------------------------------------------------------- */

/* A symmetric clearance without mean load: between two branch points orbits with a mean exist, in mirrored
 * pairs on one closed curve. */
static void test_pitchfork(void **state)
{
  (void)state;
  test_system s = oscillator("0", "0.18", "exact", "0", "0.05", "0.25");
  cap_hb_branches_settings settings = over_angular_frequency;
  settings.first = 0.25, settings.last = 0.5;
  cap_hb_branches *set = open_set(&s, &settings);
  assert_int_equal(cap_hb_branches_count(set), 1);
  int first = find_kind(cap_hb_branches_get(set, 0), CAP_HB_BRANCH_POINT, 0);
  int second = find_kind(cap_hb_branches_get(set, 0), CAP_HB_BRANCH_POINT, first + 1);
  assert_true(first > 0 && second > first);
  int other = switch_at(set, 0, first);
  assert_int_equal(switch_at(set, 0, second), other);
  const cap_hb_branch *main_branch = cap_hb_branches_get(set, 0), *b = cap_hb_branches_get(set, other);
  assert_string_equal(b->name, "bifurcated-1");
  assert_true(b->closed);
  double low = 0.0, high = 0.0, from = INFINITY, to = -INFINITY;
  for (int k = 0; k < b->npoint; k++) {
    low = fmin(low, b->points[k].x[0]);
    high = fmax(high, b->points[k].x[0]);
    from = fmin(from, b->points[k].p);
    to = fmax(to, b->points[k].p);
  }
  print_message("  means %.6f to %.6f m between %.6f and %.6f rad/s\n", low, high, from, to);
  assert_true(high > 0.02 && fabs(high + low) < 2e-3 * high);
  assert_true(fabs(from - main_branch->points[first].p) < 1e-6);
  assert_true(fabs(to - main_branch->points[second].p) < 1e-6);
  for (int k = 0; k < main_branch->npoint; k++) assert_true(fabs(main_branch->points[k].x[0]) < 1e-6);
  /* the mirrored orbit, half a period later, is on the curve too */
  const cap_hb *hb = cap_hb_branches_hb_of(set, other);
  double *y = calloc((size_t)hb->nunknown, sizeof *y);
  for (int k = 10; k < b->npoint; k += 23) {
    if (b->points[k].kind != CAP_HB_POINT) continue;
    for (int i = 0; i < hb->nunknown; i++) y[i] = ((i + 1) / 2 % 2 ? 1.0 : -1.0) * b->points[k].x[i];
    assert_int_equal(known(set, 1, y, b->points[k].p), other);
  }
  free(y);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* ---- the load ------------------------------------------------------------------------------------------ */

static void test_over_load(void **state)
{
  (void)state;
  test_system s = case_2("0.65");
  cap_hb_branches_settings settings = {
      .parameter = CAP_HB_CURVE_LOAD, .first = 0.05, .last = 1.0, .harmonics = 12, .stability = true};
  cap_hb_branches *loads = open_set(&s, &settings),
                  *angular_frequencies = open_set(&s, &over_angular_frequency);
  int ends = 0;
  for (int b = 0; b < cap_hb_branches_count(loads); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(loads, b);
    for (int k = 0; k < branch->npoint; k++) {
      if (branch->points[k].p != 1.0) continue;
      assert_int_equal(known(angular_frequencies, 1, branch->points[k].x, 0.65), 0);
      ends++;
    }
  }
  assert_true(ends > 0);
  cap_hb_branches_free(loads);
  cap_hb_branches_free(angular_frequencies);
  test_system_close(&s);
}

/* ---- accuracy ------------------------------------------------------------------------------------------ */

/* Narrow transitions need samples: too few make folds of their own, the chosen number none. */
static void test_samples(void **state)
{
  (void)state;
  test_system s = oscillator("0.2245", "0", "g4, sigma: 100", "0.05", "0.008", "0.1");
  cap_hb_branches_settings settings = over_angular_frequency, coarse = over_angular_frequency;
  coarse.samples = 256;
  cap_hb_branches *set = open_set(&s, &settings), *bad = open_set(&s, &coarse);
  const cap_hb_branch *b = cap_hb_branches_get(set, 0);
  print_message("  %d samples, error %.1e, %d folds; with 256 %d folds\n", b->samples, b->sampling,
                count_kind(b, CAP_HB_FOLD), count_kind(cap_hb_branches_get(bad, 0), CAP_HB_FOLD));
  assert_true(b->samples >= 1024 && b->sampling < 1e-6);
  assert_int_equal(b->shortfall[0], 0);
  assert_int_equal(count_kind(b, CAP_HB_FOLD), 2);
  assert_true(count_kind(cap_hb_branches_get(bad, 0), CAP_HB_FOLD) > 2);
  cap_hb_branches_free(set);
  cap_hb_branches_free(bad);
  test_system_close(&s);
}

static void test_harmonics(void **state)
{
  (void)state;
  test_system s = oscillator("0.2245", "0.18", "exact", "0.05", "0.008", "0.1");
  cap_hb_branches_settings settings = over_angular_frequency;
  settings.harmonics_most = 60;
  settings.tolerance = 1e-5;
  cap_hb_branches *set = open_set(&s, &settings);
  const cap_hb_branch *b = cap_hb_branches_get(set, 0);
  double worst = 0.0;
  for (int k = 0; k < b->npoint; k++) worst = fmax(worst, b->points[k].truncation);
  print_message("  %d harmonics, truncation %.1e\n", b->harmonics, worst);
  assert_true(b->harmonics > 12 && b->harmonics < 60 && worst <= 1e-5);
  assert_int_equal(b->shortfall[0], 0);
  assert_int_equal(b->points[3].harmonics, b->harmonics);
  cap_hb_branches_free(set);
  settings.harmonics_most = 14;
  set = open_set(&s, &settings);
  b = cap_hb_branches_get(set, 0);
  print_message("  %s\n", b->shortfall);
  assert_int_equal(b->harmonics, 14);
  assert_non_null(strstr(b->shortfall, "maximum number of harmonics reached"));
  assert_int_equal(count_kind(b, CAP_HB_FOLD), 2); /* what was found stays */
  cap_hb_branches_free(set);
  test_system_close(&s);
}

/* A nonlinear absorber on a Duffing oscillator (Detroux, Habib, Masset, Kerschen 2015): two Neimark-Sacker
 * points on its main branch, before its two folds, where a complex pair leaves the circle and comes back. */
static void test_torus(void **state)
{
  (void)state;
  test_system s = test_system_open(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: a, mass: 1 kg}, {name: b, mass: "
      "0.05 kg}]\n"
      "springs: [{from: a, stiffness: 1 N/m, damping: 0.002 N s/m, cubic: 1 N/m3}, {from: b, to: a, "
      "stiffness: 0.0454 N/m, damping: 0.0128 N s/m, cubic: 0.0042 N/m3}]\n"
      "loads: [{on: a, harmonics: [{amplitude: 0.11 N}]}]\nforcing: {angular_frequency: 0.5 "
      "rad/s}\n" TEST_ANY);
  cap_hb_branches_settings settings = {.parameter = CAP_HB_CURVE_ANGULAR_FREQUENCY,
                                       .first = 0.5,
                                       .last = 2.0,
                                       .harmonics = 5,
                                       .stability = true};
  cap_hb_branches *set = open_set(&s, &settings);
  const cap_hb_branch *b = cap_hb_branches_get(set, 0);
  int first = find_kind(b, CAP_HB_TORUS, 0), second = find_kind(b, CAP_HB_TORUS, first + 1);
  assert_int_equal(count_kind(b, CAP_HB_TORUS), 2);
  assert_int_equal(count_kind(b, CAP_HB_FOLD), 2);
  print_message("  Neimark-Sacker points at %.6f and %.6f rad/s\n", b->points[first].p, b->points[second].p);
  assert_int_equal(b->points[first - 1].unstable, 0);
  assert_int_equal(b->points[(first + second) / 2].unstable, 2);
  assert_int_equal(b->points[second + 1].unstable, 0);
  assert_true(fabs(b->points[first].largest - 1.0) < 1e-8 && fabs(b->points[second].largest - 1.0) < 1e-8);
  cap_hb_branches_free(set);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_identity),    cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_doubling),    cmocka_unit_test(test_doubling_confirmed),
      cmocka_unit_test(test_pitchfork),   cmocka_unit_test(test_over_load),
      cmocka_unit_test(test_samples),     cmocka_unit_test(test_harmonics),
      cmocka_unit_test(test_no_doubling), cmocka_unit_test(test_doubling_samples),
      cmocka_unit_test(test_torus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
