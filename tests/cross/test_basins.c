/* Basins of attraction: the same bytes for any number of threads, and each cell where an independent
 * integration goes.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/run.h"

static const char model[] =
    "capstan: 1\nname: t\nseed: 5\ndrive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.03 N}]}]\n"
    "forcing: {angular_frequency: 1.15 rad/s}\n"
    "analyses:\n  - basins:\n      grid:\n"
    "        - {state: gear.position, from: -600 mm, to: 0.8 m, count: 29}\n"
    "        - {state: gear.velocity, from: -0.6 m/s, to: 0.6 m/s, count: 25}\n"
    "outputs: {channels: [gear.*]}\n";

static test_result run_with(int threads, int nsetting, const char *const *settings)
{
  test_system s = test_system_with(model, nsetting, settings);
  char folder[] = "/tmp/capstan-basins-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  cap_error error = {0};
  cap_execute_options options = {.threads = threads};
  if (cap_execute_file(s.file, path, &options, NULL, 0, &error) != CAP_OK) fail_msg("%s", error.text);
  test_system_close(&s);
  return test_result_open(path);
}

static void assert_same(const test_result *a, const test_result *b, const char *name)
{
  int64_t n, m;
  double *x = test_values(a, "basins", name, &n), *y = test_values(b, "basins", name, &m);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, sizeof(double) * (size_t)n);
  free(x);
  free(y);
}

/* A softening spring lets go beyond its saddle: at rest there (x = 2 m, load small) motions to its left stay,
 * those to its right leave every bound and are counted, not an error. */
static void test_without_bound(void **state)
{
  (void)state;
  static const char softening[] =
      "springs=[{from: gear, stiffness: 1 N/m, cubic: -0.25 N/m^3, damping: 0.3 N s/m}]";
  static const char *const settings[] = {"bodies[0].position=0 m",
                                         "clearances=[]",
                                         softening,
                                         "loads=[{on: gear, harmonics: [{amplitude: 1 mN}]}]",
                                         "analyses[0].basins.grid[0].from=-3 m",
                                         "analyses[0].basins.grid[0].to=3 m",
                                         "analyses[0].basins.grid[0].count=25",
                                         "analyses[0].basins.grid[1].from=-1 mm/s",
                                         "analyses[0].basins.grid[1].to=1 mm/s",
                                         "analyses[0].basins.grid[1].count=2"};
  test_result r = run_with(1, sizeof settings / sizeof *settings, settings);
  int64_t n, m;
  double *which = test_values(&r, "basins", "attractor", &n);
  double *period = test_values(&r, "basins", "attractor.period", &m);
  assert_int_equal(n, 50);
  assert_int_equal(m, 2);
  assert_true(period[0] == 1.0 && period[1] == 0.0);
  for (int k = 0; k < 50; k++) {
    double x = -3.0 + 0.25 * (k % 25);
    if (fabs(fabs(x) - 2.0) > 0.1) assert_true(which[k] == (fabs(x) < 2.0 ? 1.0 : 2.0));
  }
  free(which);
  free(period);
  test_result_close(&r);
}

static void test_threads(void **state)
{
  (void)state;
  static const char *const names[] = {"attractor",       "attractor.period",     "attractor.multiplier",
                                      "attractor.share", "gear.position.rms_ac", "strobe.gear.velocity"};
  test_result one = run_with(1, 0, NULL), three = run_with(3, 0, NULL);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) assert_same(&one, &three, names[k]);
  test_result_close(&one);
  test_result_close(&three);
}

/* Another seed draws other scouts; what the grid shows is the same. */
static void test_seed(void **state)
{
  (void)state;
  test_result one = run_with(1, 0, NULL), other = run_with(1, 1, (const char *const[]){"seed=99"});
  assert_same(&one, &other, "attractor");
  assert_same(&one, &other, "attractor.period");
  test_result_close(&one);
  test_result_close(&other);
}

/* Every twentieth cell by CVODE over 150 periods: its motion is at one of the strobes of that attractor. */
static void test_against_cvode(void **state)
{
  (void)state;
  test_result r = run_with(1, 0, NULL);
  test_system s = test_system_open(model);
  cap_stepper stepper = test_stepper(&s, &cap_cvode_type, 1e-2, 1e-8, false);
  int64_t cells, nx, ny, nstrobe, listed;
  double *which = test_values(&r, "basins", "attractor", &cells), worst = 0.0;
  double *x = test_values(&r, "basins", "gear.position", &nx),
         *y = test_values(&r, "basins", "gear.velocity", &ny);
  double *who = test_values(&r, "basins", "strobe.attractor", &nstrobe);
  double *sx = test_values(&r, "basins", "strobe.gear.position", NULL);
  double *sy = test_values(&r, "basins", "strobe.gear.velocity", NULL);
  double *period = test_values(&r, "basins", "attractor.period", &listed);
  assert_int_equal(cells, nx * ny);
  assert_int_equal(listed, 3);
  assert_int_equal(nstrobe, 5);
  assert_true(period[0] == 1 && period[1] == 2 && period[2] == 2);
  assert_true(x[0] == -0.6 && x[nx - 1] == 0.8);
  int wrong = 0, seen = 0;
  for (int64_t c = 3; c < cells; c += 20) {
    double t_end = 150.0 * s.m->period[0], near = INFINITY, at = -1;
    cap_error error = {0};
    s.d->y[0] = x[c % nx];
    s.d->y[1] = y[c / nx];
    *s.d->t = 0.0;
    if (cap_stepper_advance(&stepper, s.m, s.d, &t_end, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
    for (int64_t k = 0; k < nstrobe; k++) {
      double gap = hypot(s.d->y[0] - sx[k], s.d->y[1] - sy[k]);
      if (gap < near) near = gap, at = who[k];
    }
    worst = fmax(worst, near);
    wrong += at != which[c];
    seen++;
  }
  print_message("%d of %d cells elsewhere by cvode, strobes within %.1e\n", wrong, seen, worst);
  assert_true(wrong <= 1); /* a cell on the border of two basins may fall to either side */
  assert_true(worst < 1e-3);
  free(which), free(x), free(y), free(who), free(sx), free(sy), free(period);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_bound), cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_seed), cmocka_unit_test(test_against_cvode)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
