/* Response by harmonic balance and continuation: folds and peaks of the clearance oscillator, case 1 and 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

/* The paper's oscillator; twelve harmonics over 0.1 to 1.6 rad/s. */
static const char model[] = "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
                            "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
                            "springs: [{from: gear, damping: 0.05 N s/m}]\n"
                            "clearances:\n  - gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: "
                            "0.1745 m, smoothing: %s, sigma: %s}\n"
                            "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %s N}]}]\n"
                            "forcing: {angular_frequency: 1 rad/s}\n"
                            "analyses:\n  - response: {method: harmonic-balance, sweep: {parameter: "
                            "forcing.angular_frequency, values: [%s]}, "
                            "stability: false}\n"
                            "outputs: {channels: [gear.position]}\n";

typedef struct curve {
  int64_t n, other;
  double *p, *kind, *branch, *rms;
} curve;

static curve run(const char *smoothing, const char *sigma, const char *amplitude, const char *range)
{
  char text[2048];
  curve c = {0};
  snprintf(text, sizeof text, model, smoothing, sigma, amplitude, range);
  test_result r = test_result_run(text);
  c.p = test_values(&r, "response", "forcing.angular_frequency", &c.n);
  c.kind = test_values(&r, "response", "kind", &c.other);
  c.branch = test_values(&r, "response", "branch", &c.other);
  c.rms = test_values(&r, "response", "gear.position.rms_ac", &c.other);
  assert_int_equal(c.n, c.other);
  test_result_close(&r);
  return c;
}

static void release(curve *c)
{
  free(c->p);
  free(c->kind);
  free(c->branch);
  free(c->rms);
}

/* Peak by a parabola through the highest point and its neighbours, over the angular frequency. */
static void peak_of(const curve *c, double *value, double *at)
{
  int64_t k = 1;
  for (int64_t i = 1; i + 1 < c->n; i++)
    if (c->rms[i] > c->rms[k]) k = i;
  *value = c->rms[k];
  *at = c->p[k];
}

typedef struct reference {
  const char *smoothing, *sigma, *amplitude;
  double peak, at;
  int nfold;
  double folds[4];
} reference;

static void test_case_1(void **state)
{
  (void)state;
  static const reference list[] = {
      {"g1", "10", "0.008", 0.158180, 0.62970, 2, {0.89783, 0.62935}},
      {"g1", "50", "0.008", 0.165128, 0.61898, 2, {0.93223, 0.61813}},
      {"g1", "100", "0.008", 0.165572, 0.61774, 2, {0.92620, 0.61688}},
      {"exact", "1", "0.008", 0.165721, 0.61733, 2, {0.92132, 0.61647}},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    curve c = run(list[k].smoothing, list[k].sigma, list[k].amplitude, "0.1 rad/s, 1.6 rad/s");
    int found = 0;
    double peak, at, worst = 0;
    for (int64_t i = 0; i < c.n; i++) {
      assert_true(c.branch[i] == 1); /* both ends lie on one curve */
      if (c.kind[i] != 1) continue;
      assert_true(found < list[k].nfold);
      worst = fmax(worst, fabs(c.p[i] - list[k].folds[found++]));
    }
    peak_of(&c, &peak, &at);
    print_message("%s sigma=%s: folds within %.1e, peak %.6f at %.5f rad/s\n", list[k].smoothing,
                  list[k].sigma, worst, peak, at);
    assert_int_equal(found, list[k].nfold);
    assert_true(worst < 2e-4);
    assert_true(fabs(peak - list[k].peak) < 1e-4 * list[k].peak);
    release(&c);
  }
}

/* The same curve from the other end: the same folds in the other order. */
static void test_backwards(void **state)
{
  (void)state;
  curve a = run("exact", "1", "0.03", "0.2 rad/s, 1.6 rad/s"),
        b = run("exact", "1", "0.03", "1.6 rad/s, 0.2 rad/s");
  double up[8], down[8];
  int nup = 0, ndown = 0;
  for (int64_t i = 0; i < a.n; i++)
    if (a.kind[i] == 1 && nup < 8) up[nup++] = a.p[i];
  for (int64_t i = 0; i < b.n; i++)
    if (b.kind[i] == 1 && ndown < 8) down[ndown++] = b.p[i];
  assert_int_equal(nup, 4);
  assert_int_equal(ndown, 4);
  for (int k = 0; k < nup; k++) assert_true(fabs(up[k] - down[nup - 1 - k]) < 1e-8);
  release(&a);
  release(&b);
}

/* The response over one parameter at a fixed value of another, and the other way round: where the curves
 * cross, they are the same solution. */
static void test_other_parameter(void **state)
{
  (void)state;
  char text[2048], *at;
  snprintf(text, sizeof text, model, "g1", "50", "0.03", "0.01 N, 0.06 N");
  at = strstr(text, "parameter: forcing.angular_frequency");
  assert_non_null(at);
  char other[4096];
  snprintf(other, sizeof other, "%.*sparameter: \"loads[0].harmonics[0].amplitude\"%s", (int)(at - text),
           text, at + strlen("parameter: forcing.angular_frequency"));
  test_result r = test_result_run(other);
  int64_t n, m;
  double *p = test_values(&r, "response", "loads[0].harmonics[0].amplitude", &n);
  double *rms = test_values(&r, "response", "gear.position.rms_ac", &m);
  int compared = 0;
  for (int64_t i = 1; i + 1 < n; i += n / 3) {
    char amplitude[32];
    snprintf(amplitude, sizeof amplitude, "%.17g", p[i]);
    curve c = run("g1", "50", amplitude, "1 rad/s, 1.6 rad/s");
    double nearest = INFINITY;
    for (int64_t k = 0; k < c.n; k++)
      if (fabs(c.p[k] - 1.0) < 1e-12) nearest = fmin(nearest, fabs(c.rms[k] - rms[i]) / rms[i]);
    print_message("amplitude %.6f N: rms_ac %.9f m, over the angular_frequency within %.1e\n", p[i], rms[i],
                  nearest);
    assert_true(nearest < 1e-8);
    compared++;
    release(&c);
  }
  assert_true(compared >= 3);
  free(p);
  free(rms);
  test_result_close(&r);
}

static const char scaled[] =
    "capstan: 1\nname: t\ndrive: belt-tensioner-mass\nmasses: {mass: 73.84 kg, pulley: 0.15 kg}\n"
    "belt: {stiffness: 560 kN/m, damping: 160 N s/m}\n"
    "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, c_angular_frequency: 9.4 rad/s, "
    "sliders: [{k: 4.84e5 N/m, alpha: 163 N}]}\nload: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"
    "analyses: [{response: {method: harmonic-balance, stability: false, samples: 512, sweep: {parameter: "
    "load.angular_frequency, "
    "values: [%s]}}}]\noutputs: {channels: [mass.position]}\n";

/* A damper that is scaled by the angular frequency is followed: inside the curve it is what a model has
 * that is
 * built there. */
static void test_scaled_damper(void **state)
{
  (void)state;
  char text[2048], values[64];
  int64_t n, m, one;
  snprintf(text, sizeof text, scaled, "40 rad/s, 90 rad/s");
  test_result r = test_result_run(text);
  double *p = test_values(&r, "response", "load.angular_frequency", &n);
  double *rms = test_values(&r, "response", "mass.position.rms_ac", &m);
  for (int64_t i = n / 4; i < n; i += n / 4) {
    snprintf(values, sizeof values, "%.17g rad/s", p[i]);
    snprintf(text, sizeof text, scaled, values);
    test_result alone = test_result_run(text);
    double *here = test_values(&alone, "response", "mass.position.rms_ac", &one);
    assert_int_equal(one, 1);
    print_message("%.6f rad/s: rms_ac %.9e m, alone %.9e m\n", p[i], rms[i], here[0]);
    assert_true(fabs(here[0] - rms[i]) < 1e-8 * rms[i]);
    free(here);
    test_result_close(&alone);
  }
  free(p);
  free(rms);
  test_result_close(&r);
}

/* All that is written of a searched and verified response: columns, arrays of the branches, texts. */
static void test_result_of_branches(void **state)
{
  (void)state;
  char text[2048], more[4096], *at;
  snprintf(text, sizeof text, model, "exact", "1", "0.03", "0.4 rad/s, 1 rad/s");
  at = strstr(text, "stability: false");
  assert_non_null(at);
  snprintf(more, sizeof more, "%.*sorders: 2, verify: true, verify_every: 5, search: {states: 0}%s",
           (int)(at - text), text, at + strlen("stability: false"));
  test_result r = test_result_run(more);
  int64_t n, nbranch, m;
  double *branch = test_values(&r, "response", "branch", &n), *kind = test_values(&r, "response", "kind", &m);
  double *unstable = test_values(&r, "response", "unstable", &m);
  double *distance = test_values(&r, "response", "distance", &m);
  double *truncation = test_values(&r, "response", "truncation", &m);
  double *harmonics = test_values(&r, "response", "harmonics", &m);
  double *rms = test_values(&r, "response", "gear.position.rms_ac", &m);
  double *h1 = test_values(&r, "response", "gear.position.h1", &m);
  double *h2 = test_values(&r, "response", "gear.position.h2", &m);
  double *axis = test_values(&r, "response", "branches", &nbranch);
  double *period = test_values(&r, "response", "branch.period", &m),
         *parent = test_values(&r, "response", "branch.parent", &m);
  double *stable = test_values(&r, "response", "branch.stable", &m);
  int verified = 0;
  assert_true(nbranch >= 2 && m == nbranch);
  for (int64_t i = 0; i < n; i++) {
    int own = (int)branch[i] - 1;
    assert_true(own >= 0 && own < nbranch && axis[own] == branch[i]);
    assert_true(harmonics[i] == 12 && truncation[i] >= 0.0 && truncation[i] < 5e-3 && unstable[i] >= 0);
    if (period[own] == 1) assert_true(h1[i] * h1[i] + h2[i] * h2[i] < 2.0 * rms[i] * rms[i] * (1 + 1e-9));
    if (kind[i] != 0) assert_false(isnan(distance[i])); /* special points are always looked at */
    if (isnan(distance[i])) continue;
    verified++;
    assert_true(distance[i] < 2e-3);
  }
  bool doubled = false;
  for (int64_t b = 0; b < nbranch; b++) {
    assert_true(stable[b] >= 0.0 && stable[b] <= 1.0);
    if (period[b] == 2 && parent[b] == 1) doubled = true;
  }
  assert_true(doubled);
  print_message("%d points in %d branches, %d verified, largest distance %.1e\n", (int)n, (int)nbranch,
                verified, test_number(&r, "response", "distance.largest"));
  assert_true(test_number(&r, "response", "verified") == verified);
  assert_true(test_number(&r, "response", "confirmed") == verified);
  assert_string_equal(test_text(&r, "response", "branch.1.name"), "main");
  assert_string_equal(test_text(&r, "response", "branch.1.found"), "from the first value of the sweep");
  assert_non_null(strstr(test_text(&r, "response", "branch.1.ends"), "limit of the range at 1"));
  double *all[] = {branch, kind, unstable, distance, truncation, harmonics, rms,
                   h1,     h2,   axis,     period,   parent,     stable};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  test_result_close(&r);
}

/* Too many states for multipliers: the curve comes without them, and says so. */
static void test_without_stability(void **state)
{
  (void)state;
  enum { MASSES = 260, SIZE = 65536 };
  char *text = malloc(SIZE);
  assert_non_null(text);
  int at = snprintf(text, SIZE, "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies:\n");
  for (int k = 0; k < MASSES; k++)
    at += snprintf(text + at, (size_t)(SIZE - at), "  - {name: b%d, mass: 10 g, position: 0.2245 m}\n", k);
  at += snprintf(text + at, (size_t)(SIZE - at), "springs:\n  - {from: b0, damping: 0.05 N s/m}\n");
  for (int k = 1; k < MASSES; k++)
    at += snprintf(text + at, (size_t)(SIZE - at),
                   "  - {from: b%d, to: b%d, stiffness: 1000 N/m, damping: 1 N s/m}\n", k, k - 1);
  snprintf(text + at, (size_t)(SIZE - at),
           "clearances: [{gap: {from: b0, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
           "loads: [{on: b0, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\nforcing: {angular_frequency: "
           "1 rad/s}\n"
           "analyses: [{response: {method: harmonic-balance, harmonics: 3, sweep: {parameter: "
           "forcing.angular_frequency, "
           "values: [0.7 rad/s, 1.6 rad/s]}}}]\noutputs: {channels: [b0.position]}\n");
  test_result r = test_result_run(text);
  int64_t n;
  double *multiplier = test_values(&r, "response", "multiplier", &n);
  assert_true(n > 20);
  for (int64_t k = 0; k < n; k++) assert_true(isnan(multiplier[k]));
  assert_non_null(strstr(test_text(&r, "response", "family.1.stability"), "520 states"));
  free(multiplier);
  free(text);
  test_result_close(&r);
}

/* 64 samples tell 31 harmonics; those beyond are not the lower ones that they are taken for. */
static void test_orders_beyond_samples(void **state)
{
  (void)state;
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: a, mass: 1 kg}]\n"
      "springs: [{from: a, stiffness: 1 N/m, cubic: 1 N/m3, damping: 0.2 N s/m}]\n"
      "loads: [{on: a, mean: 0 N, harmonics: [{amplitude: 0.1 N}]}]\nforcing: {angular_frequency: 1 rad/s}\n"
      "analyses: [{response: {method: harmonic-balance, harmonics: 3, samples: 64, orders: 63, sweep: "
      "{parameter: forcing.angular_frequency, values: [0.5 rad/s, 0.7 rad/s]}}}]\noutputs: {channels: "
      "[a.position]}\n");
  int64_t n;
  double *first = test_values(&r, "response", "a.position.h1", &n);
  double *told = test_values(&r, "response", "a.position.h31", &n);
  double *beyond = test_values(&r, "response", "a.position.h63", &n);
  assert_true(n > 5);
  for (int64_t k = 0; k < n; k++)
    assert_true(first[k] > 0.05 && told[k] < 1e-12 * first[k] && isnan(beyond[k]));
  free(first), free(told), free(beyond);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_case_1),           cmocka_unit_test(test_orders_beyond_samples),
      cmocka_unit_test(test_backwards),        cmocka_unit_test(test_other_parameter),
      cmocka_unit_test(test_scaled_damper),    cmocka_unit_test(test_result_of_branches),
      cmocka_unit_test(test_without_stability)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
