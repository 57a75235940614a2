/* The Push-Force-Tester: its law when nothing gives way, numbers of elements, cat's and dog's back, energy, a
 * second way to the same equilibrium; and the quasi-static analysis on it and on a system that snaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/run.h"
#include "laws/compression.h"

#define TESTER                                                                                               \
  "capstan: 1\nname: t\ndrive: push-force-tester\nelements: {simulated: %d}\n%s\nanalyses: [{%s}]\n"

static test_result run(int n, const char *more, const char *analysis)
{
  char text[1500];
  snprintf(text, sizeof text, TESTER, n, more, analysis);
  return test_result_run(text);
}

typedef struct curve {
  int64_t n;
  double *force, *xi, *lift, *share, *iterations;
} curve;

static curve curve_of(const test_result *r, bool locked)
{
  curve c;
  c.force = test_values(r, "quasistatic", "clamp.force", &c.n);
  c.xi = test_values(r, "quasistatic", "clamp.compression", NULL);
  c.share = test_values(r, "quasistatic", "stack.head_share", NULL);
  c.lift = locked ? NULL : test_values(r, "quasistatic", "stack.lift", NULL);
  c.iterations = test_values(r, "quasistatic", "newton.iterations", NULL);
  return c;
}

static void drop(curve *c)
{
  free(c->force), free(c->xi), free(c->lift), free(c->share), free(c->iterations);
}

/* Claim 12 through the whole stack: with lateral motion locked the force is that of edge and head together,
 * for every number of elements. */
static void locked_is_the_law(void **state)
{
  (void)state;
  const int numbers[] = {2, 7, 30, 100};
  const capm_compression edge = capm_compression_of(5e6, 4e-4, 7500.0),
                         head = capm_compression_of(3e6, 2e-4, 9000.0);
  double first[101];
  for (int k = 0; k < 4; k++) {
    test_result r = run(numbers[k],
                        "lateral: locked\npress: {compression: 1.2e-3}\n"
                        "contact: {head: {stiffness: 3e6 N, transition: 2e-4, nonlinearity: 9000}}",
                        "quasistatic: {until: 1 s, steps: 100, tol_h: 1e-9 N}");
    curve c = curve_of(&r, true);
    assert_int_equal(c.n, 101);
    for (int i = 0; i < 101; i++) {
      /* the stack is seated by 1e-3 N at the start */
      double seat = log1p(1e-3 / edge.a) / edge.k, xi = c.xi[i] + seat;
      double law = capm_compression_at(&edge, xi).force + capm_compression_at(&head, xi).force;
      if (k == 0) first[i] = c.force[i];
      /* places of 0.15 m are rounded by 2e-17 m, over the thickness of 1.5 mm 2e-14, times 8 MN */
      assert_true(fabs(c.force[i] - law) <= 1e-6);
      assert_true(fabs(c.force[i] - first[i]) <= 1e-6);
    }
    drop(&c);
    test_result_close(&r);
  }
}

/* Force at which the middle has risen by `rise`, between two steps. */
static double force_at_lift(const curve *c, double rise)
{
  for (int64_t i = 1; i < c->n; i++)
    if (c->lift[i] >= rise) {
      double part = (rise - c->lift[i - 1]) / (c->lift[i] - c->lift[i - 1]);
      return c->force[i - 1] + part * (c->force[i] - c->force[i - 1]);
    }
  return INFINITY;
}

/* Claims 13 and 14: the fewer elements, the stiffer, and the later the cat's back; 30 are near enough. */
static void fewer_elements_are_stiffer(void **state)
{
  (void)state;
  const int numbers[] = {10, 15, 20, 30, 50, 100};
  const double rises[] = {0.2e-3, 0.5e-3, 1e-3};
  double force[6], load[6][3];
  for (int k = 0; k < 6; k++) {
    test_result r = run(numbers[k], "press: {compression: 1.2e-3}", "quasistatic: {until: 1 s, steps: 120}");
    curve c = curve_of(&r, false);
    force[k] = c.force[c.n - 1];
    for (int i = 0; i < 3; i++) load[k][i] = force_at_lift(&c, rises[i]);
    assert_true(c.lift[c.n - 1] > 1e-3); /* a cat's back */
    drop(&c);
    test_result_close(&r);
    if (k == 0) continue;
    assert_true(force[k] < force[k - 1]);
    for (int i = 0; i < 3; i++) assert_true(load[k][i] < load[k - 1][i]);
  }
  assert_true(force[3] < 1.04 * force[5] && force[0] > 1.004 * force[5]);
}

/* Claim 15: where all contacts are linear, extrapolated starts save more than half of the iterations. */
static void extrapolation_saves(void **state)
{
  (void)state;
  test_result with = run(30, "", "quasistatic: {until: 1 s, steps: 100, compare: true}");
  test_result without = run(30, "", "quasistatic: {until: 1 s, steps: 100, extrapolate: none}");
  test_result part = run(30, "",
                         "quasistatic: {until: 1 s, steps: 100, extrapolate: linear-part, "
                         "extrapolate_from: 0.5 s}");
  curve a = curve_of(&with, false), b = curve_of(&without, false), c = curve_of(&part, false);
  double *told = test_values(&with, "quasistatic", "newton.iterations_without", NULL);
  double sum[3] = {0}, all[2] = {0};
  for (int64_t i = 1; i < a.n; i++) {
    all[0] += a.iterations[i], all[1] += b.iterations[i];
    assert_true(told[i] == b.iterations[i]);
    assert_true(fabs(a.force[i] - b.force[i]) < 1e-6 * (1.0 + b.force[i]));
    assert_true(fabs(c.force[i] - b.force[i]) < 1e-6 * (1.0 + b.force[i]));
    if (i <= 50) assert_true(c.iterations[i] == b.iterations[i] || i == 50);
    if (i < 60) continue;
    sum[0] += a.iterations[i], sum[1] += b.iterations[i], sum[2] += c.iterations[i];
  }
  assert_true(sum[0] <= 0.5 * sum[1] && sum[2] <= 0.5 * sum[1] && all[0] < 0.6 * all[1]);
  assert_true(fabs(test_number(&with, "quasistatic", "saving") - (1.0 - all[0] / all[1])) < 1e-12);
  free(told);
  drop(&a), drop(&b), drop(&c);
  test_result_close(&with), test_result_close(&without), test_result_close(&part);
}

/* The work of the left end is the energy stored: the trapezoidal rule tends to it with the square of the
 * step. */
static void work_is_stored(void **state)
{
  (void)state;
  double off[3];
  for (int k = 0; k < 3; k++) {
    char text[80];
    snprintf(text, sizeof text, "quasistatic: {until: 1 s, steps: %d}", 100 << k);
    test_result r = run(12, "", text);
    int64_t n;
    double *stored = test_values(&r, "quasistatic", "energy.stored", &n), work = 0.0;
    curve c = curve_of(&r, false);
    for (int64_t i = 1; i < n; i++)
      work += 0.5 * (c.force[i] + c.force[i - 1]) * (c.xi[i] - c.xi[i - 1]) * 0.15;
    /* both ends turn and the line of force with them: what is measured at the right is what is done at the
     * left but for the rise of the pressed stack */
    off[k] = fabs(work - (stored[n - 1] - stored[0])) / stored[n - 1];
    free(stored);
    drop(&c);
    test_result_close(&r);
  }
  print_message("  work against energy: %.3e, %.3e, %.3e\n", off[0], off[1], off[2]);
  assert_true(off[0] < 3e-5);
  for (int k = 1; k < 3; k++) assert_true(off[k] < off[k - 1] / 3.5); /* 4 but for the rise of the stack */
}

/* Its own audit, by the reaction of the motion itself: the trapezoidal rule has second order. */
static void audit_closes_with_the_step(void **state)
{
  (void)state;
  double residual[2];
  for (int k = 0; k < 2; k++) {
    test_result r = run(12, "", k ? "quasistatic: {until: 1 s, steps: 400}" : "quasistatic: {until: 1 s}");
    const cap_results_group *g = test_group(&r, "quasistatic");
    double scale = NAN, off = NAN;
    for (int i = 0; i < g->balance.nline; i++) {
      if (strcmp(g->balance.lines[i].kind, "residual") == 0) off = g->balance.lines[i].energy;
      if (strcmp(g->balance.lines[i].kind, "scale") == 0) scale = g->balance.lines[i].energy;
    }
    residual[k] = fabs(off) / scale;
    test_result_close(&r);
  }
  assert_true(residual[0] < 1e-4 && residual[1] < 0.1 * residual[0]);
}

/* Second way: the damped motion, run until nothing moves any more. */
static void motion_settles_there(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip();
  const char *damped = "contact: {damping: 2 ms, guide_damping: 5 ms}\nring: {damping: 5 ms}\n"
                       "press: {compression: 8e-4, time: 0.1 s}\noutputs: {every: 50 ms}";
  test_result moved = run(6, damped, "transient: {until: 0.4 s, method: radau, tolerance: 1e-7}");
  test_result still = run(6, damped, "quasistatic: {until: 1 s, steps: 50}");
  curve c = curve_of(&still, false);
  int64_t n;
  double *force = test_values(&moved, "transient", "clamp.force", &n);
  double *lift = test_values(&moved, "transient", "stack.lift", NULL);
  assert_true(fabs(force[n - 1] - c.force[c.n - 1]) < 1e-7 * c.force[c.n - 1]);
  assert_true(fabs(lift[n - 1] - c.lift[c.n - 1]) < 1e-7 * c.lift[c.n - 1]);
  free(force), free(lift);
  drop(&c);
  test_result_close(&moved), test_result_close(&still);
}

/* Pressed on the head alone and below the ring, the stack goes down:
 * it depends on where edge and head are. */
static void cat_and_dog(void **state)
{
  (void)state;
  test_result cat = run(20, "press: {compression: 8e-4}", "quasistatic: {until: 1 s, steps: 80}");
  test_result dog = run(20, "press: {compression: 8e-4}\nelement: {edge: 2 mm, head: 8.5 mm}",
                        "quasistatic: {until: 1 s, steps: 80}");
  curve a = curve_of(&cat, false), b = curve_of(&dog, false);
  assert_true(a.lift[a.n - 1] > 1e-4 && a.share[a.n - 1] < 0.3);
  assert_true(b.lift[b.n - 1] < -1e-4 && b.share[b.n - 1] > 0.5);
  drop(&a), drop(&b);
  test_result_close(&cat), test_result_close(&dog);
}

/* ---- a system that snaps ------------------------------------------------------------------------------- */

/* The force u (u - 1) (u - 2) has its extremes 0.3849 N at u = 1 -+ 1/sqrt(3). */
#define ARCH                                                                                                 \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: crown, mass: 1 kg}]\n"                  \
  "springs: [{from: crown, stiffness: 2 N/m, quadratic: -3 N/m2, cubic: 1 N/m3}]\n"                          \
  "loads: [{on: crown, mean: 0 N, harmonics: [{amplitude: 0.6 N}]}]\nforcing: {angular_frequency: 1 "        \
  "rad/s}\n"                                                                                                 \
  "analyses: [{quasistatic: {until: 6.2 s, steps: 62, snap: %s}}]\n"

static void snapping_is_told(void **state)
{
  (void)state;
  char text[800];
  cap_error error = {0};
  cap_execute_options options = {.threads = 1};
  snprintf(text, sizeof text, ARCH, "stop");
  test_system s = test_system_open(text);
  assert_true(cap_execute_file(s.file, "/dev/null", &options, NULL, 0, &error) != CAP_OK);
  test_system_close(&s);

  snprintf(text, sizeof text, ARCH, "jump");
  test_result r = test_result_run(text);
  int64_t n;
  double *u = test_values(&r, "quasistatic", "crown.position", &n);
  double *f = test_values(&r, "quasistatic", "crown.load", NULL);
  int jumps = 0;
  for (int64_t i = 0; i < n; i++) {
    assert_true(fabs(u[i] * (u[i] - 1.0) * (u[i] - 2.0) - f[i]) < 2e-6);
    if (i && fabs(u[i] - u[i - 1]) > 1.0) jumps++;
    /* never on the falling part, and from one side to the other only at the extremes */
    assert_true(fabs(u[i] - 1.0) > 1.0 / sqrt(3.0) - 1e-6);
  }
  assert_int_equal(jumps, 2);
  assert_true(test_number(&r, "quasistatic", "jumps") == 2.0);
  free(u), free(f);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(locked_is_the_law),
                                     cmocka_unit_test(fewer_elements_are_stiffer),
                                     cmocka_unit_test(extrapolation_saves),
                                     cmocka_unit_test(work_is_stored),
                                     cmocka_unit_test(audit_closes_with_the_step),
                                     cmocka_unit_test(motion_settles_there),
                                     cmocka_unit_test(cat_and_dog),
                                     cmocka_unit_test(snapping_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
