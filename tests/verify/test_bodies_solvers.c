/* All contact solvers find the same forces; joints and contacts do not drift; the energy is accounted for
 * (docs/theory.md §36, §37). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/system.h"

#include "../support/run.h"

#include "../support/rolling.h"

#include "../support/bodies.h"

#include "../support/solvers.h"

/* With sanitizers a step takes ten times as long, and what Siconos itself does not free would be counted. */
#if defined(__SANITIZE_ADDRESS__)
enum { MILLION = 50000, PEERS = 2 };
#else
enum { MILLION = 1000000, PEERS = 3 };
#endif

/* ---- the same forces ----------------------------------------------------------------------------------- */

#define SOLVED                                                                                               \
  "analyses: [{transient: {until: %.17g s, method: timestepping, step: %.17g s, solver: %s, tolerance: "     \
  "1e-13}}]\n"                                                                                               \
  "outputs: {every: %.17g s, channels: ['*']}\n"

typedef struct scene {
  const char *what, *model;
  double until, step, every;
  bool unique;     /* every force is; else the sums over pairs, whose names have no number */
  bool unilateral; /* siconos knows it */
} scene;

static const scene SCENES[] = {
    {"a block that slides down",
     "bodies: [{block: {mass: 2 kg, width: 0.2 m, height: 0.1 m, x: 0.0211309131 m, y: 0.0453153894 m, "
     "angle: -25 deg}}]\n"
     "lines: [{line: {name: floor, angle: -25 deg}}]\ncontact: {law: set-valued, friction: 0.3}\n",
     0.1, 1e-3, 1e-3, true, true},
    {"blocks pulled apart",
     "bodies:\n  - block: {name: lower, mass: 2 kg, width: 2 m, height: 0.1 m, y: 0.05 m}\n"
     "  - block: {name: upper, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.15 m}\n"
     "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, friction: 0.2}\n"
     "loads: [{force: {on: lower, mean: 20 N}}]\n",
     0.1, 1e-3, 1e-3, true, true},
    {"a pile of discs between walls",
     "bodies:\n  - disc: {name: a, mass: 1 kg, radius: 0.1 m, x: 0.1 m, y: 0.1 m}\n"
     "  - disc: {name: b, mass: 2 kg, radius: 0.1 m, x: 0.32 m, y: 0.1 m}\n"
     "  - disc: {name: c, mass: 3 kg, radius: 0.1 m, x: 0.21 m, y: 0.27 m}\n"
     "lines: [{line: {name: floor}}, {line: {name: left, angle: -90 deg}}, {line: {name: right, x: 0.42 m, "
     "angle: 90 deg}}]\n"
     "contact: {law: set-valued}\n",
     0.3, 1e-3, 1e-3, true, true},
    {"a stack that sticks",
     "bodies:\n  - block: {name: a, mass: 4 kg, width: 0.4 m, height: 0.1 m, y: 0.05 m}\n"
     "  - block: {name: b, mass: 2 kg, width: 0.3 m, height: 0.1 m, x: 0.02 m, y: 0.15 m}\n"
     "  - block: {name: c, mass: 1 kg, width: 0.2 m, height: 0.2 m, x: 0.06 m, y: 0.3 m}\n"
     "lines: [{line: {name: floor, angle: 0 deg}}]\ncontact: {law: set-valued, friction: 0.3}\n"
     "loads: [{force: {on: b, mean: 5 N}}]\n",
     0.1, 1e-3, 1e-3, false, true},
    {"a slider-crank with clearance",
     "pairs: listed\nbodies:\n"
     "  - disc: {name: crank, mass: 1 kg, radius: 50 mm, x: 0 m, y: 0 m, hold: place, speed: 100 rad/s}\n"
     "  - block: {name: rod, mass: 0.21 kg, inertia: 2.5e-4 kg m2, width: 0.12 m, height: 0.01 m, x: 0.11 m, "
     "y: 0 m}\n"
     "  - block: {name: slider, mass: 0.14 kg, width: 0.04 m, height: 0.03 m, x: 0.17 m, y: 0 m}\n"
     "joints:\n  - hinge: {name: big, from: rod, to: crank, from_x: -0.06 m, to_x: 0.05 m}\n"
     "  - guide: {name: way, from: slider}\n"
     "contacts: [{pin: {name: pin, from: slider, to: rod, to_x: 0.06 m, radius: 9.5 mm, hole: 10 mm}}]\n"
     "contact: {law: set-valued, friction: 0.05}\n",
     0.05, 1e-5, 1e-4, true, false},
};
enum { NSCENES = sizeof SCENES / sizeof *SCENES, FORCES_MOST = 60 };

typedef struct forces {
  int n;
  int64_t nrow;
  char name[FORCES_MOST][64];
  double *values[FORCES_MOST];
} forces;

/* "'a-b'[3].force.normal" is a point of a pair, "'a-b'.force.normal" the pair. */
static bool numbered(const char *name)
{
  return strstr(name, "].force.") != NULL;
}

/* Forces of points that slide are unique; of those that stick their normal parts and the sums are. */
static forces forces_of(const scene *s, const char *solver)
{
  char text[BODIES_TEXT];
  snprintf(text, sizeof text, "%s" SOLVED, s->model, s->until, s->step, solver, s->every);
  rolling r = bodies_run("%s", text);
  const cap_results_group *g = test_group(&r.result, "transient");
  forces f = {0};
  for (int k = 0; k < g->ncolumn; k++) {
    const cap_results_dataset *d = &g->columns[k];
    if (!strstr(d->name, ".force.") && !strstr(d->name, ".moment")) continue;
    if (!s->unique && numbered(d->name) && strstr(d->name, "tangential")) continue;
    assert_true(f.n < FORCES_MOST);
    snprintf(f.name[f.n], sizeof f.name[0], "%s", d->name);
    f.values[f.n++] = test_values(&r.result, "transient", d->name, &f.nrow);
  }
  assert_true(f.n > 0);
  rolling_close(&r);
  return f;
}

static void release(forces *f)
{
  for (int k = 0; k < f->n; k++) free(f->values[k]);
}

static void solvers_agree(void **state)
{
  (void)state;
  static const char *const others[] = {"gauss_seidel", "fixed_point", "siconos"};
  for (int s = 0; s < NSCENES; s++) {
    forces newton = forces_of(&SCENES[s], "newton");
    double most = 0.0;
    for (int k = 0; k < newton.n; k++)
      for (int64_t i = 0; i < newton.nrow; i++) most = fmax(most, fabs(newton.values[k][i]));
    print_message("%s: forces up to %.4g N\n", SCENES[s].what, most);
    for (int o = 0; o < PEERS; o++) {
      if (!test_solver_there(others[o]) || (o == 2 && !SCENES[s].unilateral)) continue;
      forces f = forces_of(&SCENES[s], others[o]);
      char what[80];
      double off = 0.0;
      assert_int_equal(f.n, newton.n);
      for (int k = 0; k < f.n; k++)
        for (int64_t i = 0; i < f.nrow; i++) off = fmax(off, fabs(f.values[k][i] - newton.values[k][i]));
      snprintf(what, sizeof what, "  %s against newton, of the largest", others[o]);
      rolling_holds(what, off / most, 1e-8);
      release(&f);
    }
    release(&newton);
  }
}

/* ---- drift --------------------------------------------------------------------------------------------- */

/* A slider-crank whose pin runs round in its hole, held by joints of impulses, and a disc that rolls over a
 * hill. */
static double drift_of(int64_t steps, bool correction, double *seen)
{
  const double h = 2e-5;
  double until = h * (double)steps;
  rolling r = bodies_run(
      "pairs: listed\ngravity: 9.81 m/s2\nbodies:\n"
      "  - disc: {name: crank, mass: 1 kg, radius: 50 mm, x: 0 m, y: 0 m, hold: place, speed: 20 rad/s}\n"
      "  - block: {name: rod, mass: 0.21 kg, width: 0.12 m, height: 0.01 m, x: 0.11 m, y: 0 m}\n"
      "  - block: {name: slider, mass: 0.14 kg, width: 0.04 m, height: 0.03 m, x: 0.17 m, y: 0 m}\n"
      "  - disc: {name: roller, mass: 0.1 kg, radius: 10 mm, x: 0.3 m, y: -0.04 m, vx: 0.2 m/s}\n"
      "joints:\n  - hinge: {name: big, from: rod, to: crank, from_x: -0.06 m, to_x: 0.05 m}\n"
      "  - hinge: {name: small, from: slider, to: rod, to_x: 0.06 m}\n"
      "  - guide: {name: way, from: slider}\n"
      "contacts: [{pin: {name: bowl, from: roller, to_x: 0.3 m, radius: 10 mm, hole: 50 mm}}]\n"
      "contact: {law: set-valued, friction: 0.5}\n"
      "analyses: [{transient: {until: %.17g s, method: timestepping, step: %.17g s, correction: %s}}]\n"
      "outputs: {every: %.17g s}\n",
      until, h, correction ? "true" : "false", until / 2000.0);
  const double *gap = rolling_column(&r, "bowl.gap");
  const double *x = rolling_column(&r, "rod.x"), *y = rolling_column(&r, "rod.y"),
               *b = rolling_column(&r, "rod.angle");
  const double *s = rolling_column(&r, "slider.x"), *up = rolling_column(&r, "slider.y"),
               *a = rolling_column(&r, "crank.angle");
  *seen = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double open[] = {x[i] - 0.06 * cos(b[i]) - 0.05 * cos(a[i]),
                     y[i] - 0.06 * sin(b[i]) - 0.05 * sin(a[i]),
                     x[i] + 0.06 * cos(b[i]) - s[i],
                     y[i] + 0.06 * sin(b[i]) - up[i],
                     up[i],
                     gap[i]};
    for (size_t k = 0; k < sizeof open / sizeof *open; k++) *seen = fmax(*seen, fabs(open[k]));
  }
  double told = test_number(&r.result, "transient", "contact.drift");
  rolling_close(&r);
  return told;
}

static void nothing_drifts(void **state)
{
  (void)state;
  const int steps = test_all("a million steps without drift instead of 200 000") ? MILLION : MILLION / 5;
  double seen, told = drift_of(steps, true, &seen);
  print_message("%d steps: drift told %.2e m, seen in rows %.2e m\n", steps, told, seen);
  rolling_holds("  drift, corrected", fmax(told, seen), 1e-9);
  told = drift_of(MILLION / 10, false, &seen);
  print_message("without the correction, %d steps: told %.2e m, seen %.2e m\n", MILLION / 10, told, seen);
  assert_true(seen > 1e-5);
}

/* ---- energy -------------------------------------------------------------------------------------------- */

static void energy_is_accounted_for(void **state)
{
  (void)state;
  for (int s = 0; s < NSCENES; s++) {
    char text[BODIES_TEXT];
    snprintf(text, sizeof text, "%s" SOLVED, SCENES[s].model, SCENES[s].until, SCENES[s].step, "newton",
             SCENES[s].every);
    rolling r = bodies_run("%s", text);
    const cap_results_balance *b = &test_group(&r.result, "transient")->balance;
    print_message("%s: residual %.2e J of %.3g J\n", SCENES[s].what, b->residual, b->scale);
    assert_true(fabs(b->residual) < 1e-10 * b->scale + 1e-14);
    rolling_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solvers_agree),
      cmocka_unit_test(nothing_drifts),
      cmocka_unit_test(energy_is_accounted_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
