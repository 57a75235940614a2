/* Folds and period doublings over two parameters: Duffing's amplitude equation of one harmonic, whose folds
 * are those of a cubic; folds and doublings of the oscillator with clearance against responses of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#define LOAD "loads[0].harmonics[0].amplitude"

typedef struct table {
  int64_t n;
  double *curve, *p, *q, *kind, *bifurcation;
} table;

static table run(const char *text)
{
  table t = {0};
  test_result r = test_result_run(text);
  t.curve = test_values(&r, "folds", "curve", &t.n);
  t.p = test_values(&r, "folds", "forcing.angular_frequency", NULL);
  t.q = test_values(&r, "folds", LOAD, NULL);
  t.kind = test_values(&r, "folds", "kind", NULL);
  t.bifurcation = test_values(&r, "folds", "bifurcation", NULL);
  test_result_close(&r);
  return t;
}

static void release(table *t)
{
  free(t->curve), free(t->p), free(t->q), free(t->kind), free(t->bifurcation);
}

/* x'' + c x' + x + eps x^3 = F sin: with y = A^2 and b = 3 eps/4, F^2 = y ((1 - w^2 + b y)^2 + c^2 w^2), and
 * at a fold its derivative to y vanishes. The difference of F to the nearer of both. */
static double duffing_gap(double c, double eps, double w, double f)
{
  double a = 1.0 - w * w, b = 0.75 * eps, root = a * a - 3.0 * c * c * w * w, best = INFINITY;
  root = root > 0.0 ? sqrt(root) : 0.0;
  for (int sign = -1; sign <= 1; sign += 2) {
    double y = (-2.0 * a + sign * root) / (3.0 * b), slope = a + b * y;
    best = fmin(best, fabs(sqrt(y * (slope * slope + c * c * w * w)) / f - 1.0));
  }
  return best;
}

static void folds_of_duffing_are_those_of_a_cubic(void **state)
{
  (void)state;
  table t = run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nforcing: {angular_frequency: 1 rad/s}\n"
      "bodies: [{name: a, mass: 1 kg}]\n"
      "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3, damping: 0.1 N s/m}]\n"
      "loads: [{on: a, harmonics: [{amplitude: 0.1 N}]}]\n"
      "analyses: [{folds: {harmonics: 1, sweep: {parameter: forcing.angular_frequency, values: [0.5 rad/s, 2 "
      "rad/s]}, over: {parameter: \"" LOAD "\", values: [0.3 N, 0.01 N]}}}]\n");
  double worst = 0.0, c = 0.1, cusp_w = 0.5 * (sqrt(3.0) * c + sqrt(3.0 * c * c + 4.0));
  double y = 2.0 * (cusp_w * cusp_w - 1.0) / (3.0 * 0.375), slope = 1.0 - cusp_w * cusp_w + 0.375 * y;
  double cusp_f = sqrt(y * (slope * slope + c * c * cusp_w * cusp_w));
  int cusps = 0;
  for (int64_t i = 0; i < t.n; i++) {
    assert_true(t.curve[i] == 1 && t.bifurcation[i] == 1); /* both folds of the start lie on one curve */
    worst = fmax(worst, duffing_gap(c, 0.5, t.p[i], t.q[i]));
    if (t.kind[i] == 0) continue;
    assert_true(t.kind[i] == 1);
    cusps++;
    print_message("  cusp at %.9f rad/s, %.9f N; closed form %.9f, %.9f\n", t.p[i], t.q[i], cusp_w, cusp_f);
    assert_true(fabs(t.p[i] / cusp_w - 1.0) < 1e-6 && fabs(t.q[i] / cusp_f - 1.0) < 1e-8);
  }
  print_message("  %d points, load within %.1e of the closed form\n", (int)t.n, worst);
  assert_int_equal(cusps, 1);
  assert_true(t.n > 40 && worst < 1e-8);
  release(&t);
}

#define CLEARANCE                                                                                            \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nforcing: {angular_frequency: 1 rad/s}\n"                \
  "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"                                                 \
  "springs: [{from: gear, damping: 0.05 N s/m}]\n"                                                           \
  "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: %s, sigma: " \
  "50}}]\n"                                                                                                  \
  "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %.17g N}]}]\n"                                   \
  "outputs: {channels: [gear.position]}\n"

/* How far the point (p, kind) is from the special points of a response at the same load. */
static double response_gap(const char *smoothing, double load, double p, double kind)
{
  char text[2048];
  int64_t n;
  double best = INFINITY;
  snprintf(text, sizeof text,
           CLEARANCE "analyses: [{response: {method: harmonic-balance, stability: %s, sweep: {parameter: "
                     "forcing.angular_frequency, values: [0.1 rad/s, 1.6 rad/s]}}}]\n",
           smoothing, load, kind == 3 ? "true" : "false");
  test_result r = test_result_run(text);
  double *at = test_values(&r, "response", "forcing.angular_frequency", &n);
  double *what = test_values(&r, "response", "kind", NULL);
  for (int64_t i = 0; i < n; i++)
    if (what[i] == kind) best = fmin(best, fabs(at[i] - p));
  test_result_close(&r);
  free(at);
  free(what);
  return best;
}

/* Five points of each kind, evenly spread over those above the least load, against responses. */
static void compare(const char *smoothing, const char *keys, double start, double least, int bifurcation,
                    double tolerance, int turns)
{
  char text[2048];
  snprintf(text, sizeof text,
           CLEARANCE
           "analyses: [{folds: {sweep: {parameter: forcing.angular_frequency, values: [0.1 rad/s, 1.6 "
           "rad/s]}, over: {parameter: \"" LOAD "\", %s}}]\n",
           smoothing, start, keys);
  table t = run(text);
  int64_t count = 0, seen = 0;
  int met = 0, turned = 0;
  double worst = 0.0;
  for (int64_t i = 0; i < t.n; i++) {
    count += t.bifurcation[i] == bifurcation && t.kind[i] == 0 && t.q[i] >= least;
    turned += t.kind[i] > 0;
  }
  assert_true(count >= 20);
  for (int64_t i = 0; i < t.n; i++) {
    if (t.bifurcation[i] != bifurcation || t.kind[i] != 0 || t.q[i] < least) continue;
    if (seen++ % (count / 5) != count / 10 || met == 5) continue;
    double gap = response_gap(smoothing, t.q[i], t.p[i], bifurcation);
    print_message("  %s, load %.6f N: %.7f rad/s, a response has it within %.1e\n", smoothing, t.q[i], t.p[i],
                  gap);
    worst = fmax(worst, gap);
    met++;
  }
  assert_int_equal(met, 5);
  assert_int_equal(turned, turns);
  assert_true(worst < tolerance);
  release(&t);
}

static void folds_of_case_1_are_those_of_responses(void **state)
{
  (void)state;
  /* exact: over the load at which the motion begins to touch the other edge, 0.0092 N */
  compare("exact", "values: [0.008 N, 0.001 N, 0.02 N]}", 0.008, 0.0, 1, 1e-9, 1);
  compare("g1", "values: [0.008 N, 0.001 N, 0.02 N]}", 0.008, 0.0, 1, 1e-9, 1);
}

static void doublings_of_case_2_are_those_of_responses(void **state)
{
  (void)state;
  /* nearer to the turn of the curve at 0.0285 N two doublings fall into one step of a response */
  compare("g1", "values: [0.03 N, 0.028 N]}, points: 20, doublings: true", 0.03, 0.0292, 3, 1e-9, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folds_of_duffing_are_those_of_a_cubic),
      cmocka_unit_test(folds_of_case_1_are_those_of_responses),
      cmocka_unit_test(doublings_of_case_2_are_those_of_responses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
