/* 8000 problems of coupled contact, of dimension 20 to 400: recorded from runs of the drive `sheave`, and
 * random ones that drift. Newton with a warm start takes at most five iterations in 99 % of the steps (claim
 * 21 of the source); amplitudes, Newton on all forces and Lemke agree; (2.35) has equal forces on both
 * flanks; Lemke's effort grows with the third power of the dimension (claim 22). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/flanks.h"
#include "../support/system.h"
#include "drives/pushbelt/contact/maxwell_element.h"

enum { FEW = 5, SIZES = 7, WALKS = 320, WALK = 12 };

static const struct {
  int elements, steps;
} recorded[SIZES] = {{16, 1300}, {26, 1200}, {48, 900}, {80, 500}, {140, 200}, {220, 60}, {324, 25}};

typedef struct tally {
  long problems, warm, few[2]; /* few: within FEW iterations, of amplitudes and of all forces */
  int most[2];
  double worst_form, worst_lemke; /* relative differences of forces */
  long fallbacks, compared;
} tally;

static double largest_of(int n, const double *x)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double distance(int n, const double *a, const double *b)
{
  double worst = 0.0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst / fmax(largest_of(n, b), 1e-300);
}

/* The three ways with their own contacts and memories. */
typedef struct ways {
  cap_maxwell m[3];
  flanks f[3];
} ways;

static ways ways_open(int n)
{
  ways w;
  for (int k = 0; k < 3; k++) {
    w.m[k] = flanks_pulley(true, (cap_maxwell_form)k);
    w.f[k] = flanks_create(&w.m[k], n);
  }
  return w;
}

static void ways_close(ways *w)
{
  for (int k = 0; k < 3; k++) flanks_free(&w->f[k]);
}

static void solve(const cap_maxwell *m, flanks *f, cap_maxwell_result *result)
{
  cap_maxwell_contacts c = flanks_contacts(f);
  *result = (cap_maxwell_result){.force = {f->force[0], f->force[1]}};
  assert_int_equal(cap_maxwell_solve(m, &c, f->n, f->memory, result), CAP_OK);
}

/* One problem, by amplitudes and on all forces from where the last one ended, and by Lemke where that is
 * wanted. Returns the pivots. */
static int take(tally *t, ways *w, bool warm, bool lemke)
{
  cap_maxwell_result result;
  int n = w->f[0].n;
  t->problems++;
  t->warm += warm;
  for (int k = 0; k < 2; k++) {
    solve(&w->m[k], &w->f[k], &result);
    t->fallbacks += result.fallback;
    if (!warm) continue;
    t->few[k] += result.iterations[0] <= FEW;
    if (result.iterations[0] > t->most[k]) t->most[k] = result.iterations[0];
  }
  assert_memory_equal(w->f[0].force[0], w->f[0].force[1], sizeof(double) * (size_t)n);
  assert_memory_equal(w->f[1].force[0], w->f[1].force[1], sizeof(double) * (size_t)n);
  t->worst_form = fmax(t->worst_form, distance(n, w->f[0].force[0], w->f[1].force[0]));
  if (!lemke) return 0;
  solve(&w->m[2], &w->f[2], &result);
  t->compared++;
  for (int k = 0; k < 2; k++)
    t->worst_lemke = fmax(t->worst_lemke, distance(n, w->f[k].force[0], w->f[2].force[0]));
  return result.pivots;
}

static void check(const tally *t, const char *what)
{
  print_message("%s: %ld problems; within %d iterations: %.3f %% by amplitudes (at most %d), %.3f %% on all "
                "forces (at most %d); forms differ by %.2g, from Lemke (%ld) by %.2g; %ld fallbacks\n",
                what, t->problems, FEW, 100.0 * (double)t->few[0] / (double)t->warm, t->most[0],
                100.0 * (double)t->few[1] / (double)t->warm, t->most[1], t->worst_form, t->compared,
                t->worst_lemke, t->fallbacks);
  for (int k = 0; k < 2; k++) assert_true((double)t->few[k] >= 0.99 * (double)t->warm);
  assert_true(t->worst_form < 1e-10);
  assert_true(t->worst_lemke < 1e-8);
  assert_int_equal(t->fallbacks, 0);
}

/* ---- recorded ------------------------------------------------------------------------------------------ */

#define PULLEY                                                                                               \
  "capstan: 1\nname: t\ndrive: sheave\n"                                                                     \
  "pulley: {speed: 2000 rpm}\n"                                                                              \
  "belt: {elements: %d, wrap: 209 deg, radius: {shape: table, points: [[0 deg, 72.7 mm], [60 deg, 72.55 "    \
  "mm], "                                                                                                    \
  "[140 deg, 72.35 mm], [209 deg, 72.6 mm]]}}\n"                                                             \
  "compliance: {kind: tilt+plate}\n"                                                                         \
  "clamping: {force: 8 kN, amplitude: 7 kN, angular_frequency: 900 rad/s}\n"                                 \
  "analyses: [{transient: {until: 1 ms}}]\n"

/* What an observer sees goes to the solvers at once. */
typedef struct recorder {
  tally *t;
  ways w;
  const cap_batch *elements;
  int seen, every;
  double sum_pivots, problems;
} recorder;

static void see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                const double *decay)
{
  recorder *r = self;
  (void)m, (void)t, (void)y, (void)decay;
  for (int k = 0; k < r->elements->n; k++) {
    const double *out = force + r->elements->output_adr + k * CAP_MAXWELL_ELEMENT_NOUTPUT;
    for (int way = 0; way < 3; way++) {
      flanks *f = &r->w.f[way];
      f->r[k] = out[CAP_MAXWELL_ELEMENT_RADIUS];
      f->phi[k] = out[CAP_MAXWELL_ELEMENT_ANGLE] - 0.5 * 209.0 * M_PI / 180.0;
      f->penetration[0][k] = out[CAP_MAXWELL_ELEMENT_OVERLAP];
      f->compliance[k] = 2.0 / 2e7;
    }
  }
  bool lemke = r->seen % r->every == 0;
  int pivots = take(r->t, &r->w, r->seen > 0, lemke);
  if (lemke) r->sum_pivots += pivots, r->problems += 1.0;
  for (int k = 0; k < r->elements->n; k++) { /* and they are those of the run itself */
    const double *out = force + r->elements->output_adr + k * CAP_MAXWELL_ELEMENT_NOUTPUT;
    assert_true(fabs(out[CAP_MAXWELL_ELEMENT_LOOSE] - r->w.f[0].force[0][k]) <
                1e-9 * (1.0 + largest_of(r->w.f[0].n, r->w.f[0].force[0])));
  }
  r->seen++;
}

/* Mean pivots of a run; *n its dimension. */
static double record(tally *t, int elements, int steps, int *n)
{
  char text[1200];
  cap_error error = {0};
  cap_stepper stepper;
  snprintf(text, sizeof text, PULLEY, elements);
  test_system s = test_system_open(text);
  recorder r = {.t = t, .every = elements < 40 ? 5 : elements < 200 ? 20 : 8};
  for (int b = 0; b < s.m->nbatch; b++)
    if (s.m->batches[b].type == &cap_maxwell_element_type) r.elements = &s.m->batches[b];
  assert_non_null(r.elements);
  *n = r.elements->n;
  r.w = ways_open(*n);
  cap_observer observer = {see, &r};
  double until = steps * 12e-6;
  cap_stepper_settings settings = {.step = 12e-6, .observer = &observer};
  if (cap_stepper_create(&cap_leapfrog_type, s.m, &settings, &stepper, &error) != CAP_OK)
    fail_msg("%s", error.text);
  if (cap_stepper_advance(&stepper, s.m, s.d, &until, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_int_equal(r.seen, steps + 1);
  cap_stepper_free(&stepper);
  ways_close(&r.w);
  test_system_close(&s);
  return r.sum_pivots / r.problems;
}

static double exponent(int count, const double *x, const double *y)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < count; k++) {
    double a = log(x[k]), b = log(y[k]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void recorded_problems(void **state)
{
  (void)state;
  tally t = {0};
  double sizes[SIZES], pivots[SIZES], effort[SIZES];
  for (int k = 0; k < SIZES; k++) {
    int n;
    pivots[k] = record(&t, recorded[k].elements, recorded[k].steps, &n);
    sizes[k] = n;
    effort[k] = pivots[k] * 2.0 * n * (n + 2.0);
    print_message("dimension %3d: %.1f pivots, %.3g operations\n", n, pivots[k], effort[k]);
  }
  check(&t, "recorded");
  assert_true(t.problems >= 4000 && sizes[0] <= 20 && sizes[SIZES - 1] >= 400);
  double power = exponent(SIZES, sizes, effort);
  print_message("Lemke's effort grows with the power %.3f of the dimension\n", power);
  assert_true(power > 2.5 && power < 3.5);
}

/* ---- random -------------------------------------------------------------------------------------------- */

/* Contacts of a random arc that drift: penetrations by 2 % of their size a step,
 * angles and radii a little. */
static void drift(flanks *f, uint64_t *seed, double size)
{
  double turn = 2e-3 * flanks_draw(seed);
  for (int i = 0; i < f->n; i++) {
    f->phi[i] += turn;
    f->r[i] *= 1.0 + 1e-4 * (flanks_draw(seed) - 0.5);
    f->penetration[0][i] += 0.02 * size * (2.0 * flanks_draw(seed) - 1.0);
  }
}

static void random_problems(void **state)
{
  (void)state;
  tally t = {0};
  for (uint64_t walk = 0; walk < WALKS; walk++) {
    uint64_t seed = 1000 + walk;
    int n = (int)lround(20.0 * pow(20.0, pow(flanks_draw(&seed), 2.5)));
    double mean = 5e-4 * flanks_draw(&seed), spread = 5e-4 * (0.2 + flanks_draw(&seed));
    ways w = ways_open(n);
    for (int k = 0; k < 3; k++) {
      uint64_t same = seed;
      flanks_scatter(&w.m[k], &w.f[k], &same, mean, spread);
    }
    for (int step = 0; step <= WALK; step++) {
      take(&t, &w, step > 0, n < 60 || step == WALK);
      for (int k = 0; k < 3; k++) {
        uint64_t same = seed + 7919u * (uint64_t)(step + 1);
        drift(&w.f[k], &same, spread);
      }
    }
    ways_close(&w);
  }
  check(&t, "random");
  assert_true(t.problems >= 4000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_problems), cmocka_unit_test(random_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
