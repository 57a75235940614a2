/* verify/test_drive_power.c — power channels of an accessory drive against the energy audit, what a transient
 * watches, and both after a stop in the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#define DRIVE(friction)                                                                                      \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\n"                        \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {torque: 4 N m}, " \
  "bearing: {static: 3 kN, C: 9.5 kN}}\n"                                                                    \
  "- {name: pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"                 \
  "- {name: steering, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2, load: {torque: 2 N m}}"  \
  "\n"                                                                                                       \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2, load: {torque: 8 N "    \
  "m}}\n"                                                                                                    \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: 0.1 N m s/rad" friction "}\n"                                             \
  "crank: {speed: 900 rpm, orders: [{order: 2, amplitude: 1 deg}]}\n"

static const char *const lossy[] = {"power.lost.creep", "power.lost.belt", "power.lost.tensioner"};

enum { NLOSSY = 3, STEPS = 4000 };

static double stored(const test_system *s)
{
  double h[64], xdot[64], energy;
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = s->d->q, .v = s->d->v, .x = s->d->x, .h = h, .xdot = xdot};
  cap_model_energy(s->m, &e, &energy);
  return energy;
}

/* Works of the audit whose names end so. */
static double works(const test_system *s, const char *end)
{
  double sum = 0.0;
  for (int k = 0; k < s->m->nmech; k++) {
    const char *name = s->m->mechs[k].name;
    size_t n = strlen(name), m = strlen(end);
    if (n >= m && strcmp(name + n - m, end) == 0) sum += s->d->work[k];
  }
  return sum;
}

static void check_near(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%.12g is not %.12g", found, expected);
}

/* Integrals of the power channels are the works of the audit, and close the balance: with viscous damping
 * alone, with dry friction that sticks and slips, and with Dahl's law. */
static void test_powers_are_the_audit(void **state)
{
  (void)state;
  static const char *const texts[] = {
      DRIVE("") TEST_ANY, DRIVE(", hysteresis: {law: coulomb, friction: 2 N m}") TEST_ANY,
      DRIVE(", hysteresis: {law: dahl, friction: 2 N m, stiffness: 20 N m/deg}") TEST_ANY};
  for (int t = 0; t < 3; t++) {
    test_system s = test_system_open(texts[t]);
    double in = 0.0, momentum = 0.0, out = 0.0, lost[NLOSSY] = {0}, dt = 5e-5, before = stored(&s);
    cap_data_start_audit(s.m, s.d);
    cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 1.25e-5, 1e-10, true);
    for (int k = 0; k <= STEPS; k++) {
      double weight = k == 0 || k == STEPS ? 0.5 * dt : dt;
      if (k) test_advance(&s, &stepper, k * dt, NULL);
      in += weight * test_value(&s, "power.in");
      momentum += weight * test_value(&s, "power.momentum");
      out += weight * test_value(&s, "power.out");
      for (int m = 0; m < NLOSSY; m++) lost[m] += weight * test_value(&s, lossy[m]);
    }
    double scale = out, all = lost[0] + lost[1] + lost[2];
    print_message("  in %.4f J, out %.4f J, creep %.4f J, belt %.5f J, tensioner %.5f J, open %.1e\n", in,
                  out, lost[0], lost[1], lost[2],
                  (in + momentum - out - all - (stored(&s) - before)) / scale);
    check_near(in, works(&s, ".motion"), 1e-5 * scale);
    check_near(out, works(&s, ".load.work"), 1e-5 * scale);
    check_near(lost[0], works(&s, ".creep") + works(&s, ".slip"), 1e-5 * scale);
    check_near(lost[1], works(&s, ".damping"), 1e-5 * scale);
    check_near(lost[2], works(&s, "arm.viscous") + works(&s, ".friction") + works(&s, ".hysteresis"),
               1e-4 * scale);
    check_near(in + momentum - out - all, stored(&s) - before, 1e-4 * scale);
    assert_true(lost[2] > 1e-3 * scale);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Least, mean and most of the rows, with the channels kept or not. */
static void test_watch(void **state)
{
  (void)state;
  test_result r = test_result_run(DRIVE("") "analyses:\n- transient: {until: 0.1 s, method: midpoint}\n"
                                            "outputs: {every: 0.5 ms, channels: [pulley.alternator.hub_x, "
                                            "pulley.alternator.hub_y, span.pump.tension]}\n");
  int64_t n;
  double *x = test_values(&r, "transient", "pulley.alternator.hub_x", &n);
  double *y = test_values(&r, "transient", "pulley.alternator.hub_y", &n);
  double *t = test_values(&r, "transient", "span.pump.tension", &n);
  double most = 0.0, sum = 0.0, cubes = 0.0, least = INFINITY;
  assert_int_equal(n, 201);
  for (int k = 0; k < n; k++) {
    double load = hypot(x[k], y[k]);
    most = fmax(most, load);
    sum += load / (double)n;
    cubes += load * load * load / (double)n;
    least = fmin(least, t[k]);
  }
  double *found[5];
  static const char *const names[] = {"watch.hub_most", "watch.hub_mean", "watch.static_safety",
                                      "watch.dynamic_safety", "watch.tension_least"};
  for (int k = 0; k < 5; k++) found[k] = test_values(&r, "transient", names[k], &n);
  assert_int_equal(n, 6);
  check_near(found[0][2], most, 1e-9);
  check_near(found[1][2], sum, 1e-9);
  check_near(found[2][2], 3000.0 / most, 1e-12);
  check_near(found[3][2], 9500.0 / cbrt(cubes), 1e-9);
  check_near(found[4][3], least, 1e-9);
  assert_true(isnan(found[2][0]) && most > 1.01 * sum);
  for (int k = 0; k < 5; k++) free(found[k]);
  free(x);
  free(y);
  free(t);
  test_result_close(&r);
}

/* Gross slip of the rows: the pump in this drive slips under the orders of the crank. */
static void test_watch_slip(void **state)
{
  (void)state;
  test_result r = test_result_run(DRIVE("") "analyses:\n- transient: {until: 0.2 s, method: midpoint}\n"
                                            "outputs: {every: 0.5 ms, channels: [pulley.pump.slip]}\n");
  int64_t n, npulley;
  double *slip = test_values(&r, "transient", "pulley.pump.slip", &n);
  double *share = test_values(&r, "transient", "watch.slipping", &npulley);
  double *fastest = test_values(&r, "transient", "watch.slip_most", &npulley);
  double rows = 0.0, most = 0.0;
  for (int k = 0; k < n; k++) {
    rows += slip[k] != 0.0;
    most = fmax(most, fabs(slip[k]));
  }
  print_message("  slips in %.0f of %d rows, by up to %.4f m/s\n", rows, (int)n, most);
  assert_true(rows > 0.0 && rows < (double)n && npulley == 6);
  check_near(share[3], rows / (double)n, 1e-12);
  check_near(fastest[3], most, 1e-12);
  free(slip);
  free(share);
  free(fastest);
  test_result_close(&r);
}

/* ---- stopped and resumed ------------------------------------------------------------------------------- */

typedef struct stopper {
  volatile sig_atomic_t stop;
  int left;
} stopper;

static void count_down(void *self, const char *what, double done, double all, const char *unit)
{
  (void)what, (void)done, (void)all, (void)unit;
  stopper *s = self;
  if (--s->left == 0) s->stop = 1;
}

static void execute(cap_model_file *file, const char *path, stopper *by, bool resume, cap_status expected)
{
  cap_error error = {0};
  cap_progress progress = {.report = count_down, .self = by, .stop = &by->stop};
  cap_execute_options options = {.threads = 1, .resume = resume, .progress = &progress};
  char where[128];
  cap_status status = cap_execute_file(file, path, &options, where, sizeof where, &error);
  if (status != expected) fail_msg("%d: %s", status, error.text);
}

/* Spectra and sums of a run that was stopped are those of one that was not, to the bit. */
static void test_resumed(void **state)
{
  (void)state;
  static const char text[] = DRIVE(
      "") "analyses:\n- transient: {until: 0.1 s, method: midpoint, spectrum: {channels: "
          "[\"span.*.tension\"], from: 0.02 s}}\noutputs: {every: 0.5 ms, checkpoint: 5 ms}\n";
  static const char *const names[] = {"spectrum.span.pump.tension", "spectrum.span.crank.tension",
                                      "watch.hub_equivalent", "watch.tension_mean"};
  test_system s = test_system_open(text);
  char folder[] = "/tmp/capstan-power-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  stopper never = {0}, once = {.left = 120};
  execute(s.file, path, &once, false, CAP_STOPPED);
  execute(s.file, path, &never, true, CAP_OK);
  test_result resumed = test_result_open(path), whole = test_result_execute(s.file, "model");
  for (int k = 0; k < 4; k++) {
    int64_t n, m;
    double *a = test_values(&resumed, "transient", names[k], &n);
    double *b = test_values(&whole, "transient", names[k], &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
    free(a);
    free(b);
  }
  test_result_close(&resumed);
  test_result_close(&whole);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers_are_the_audit),
                                     cmocka_unit_test(test_watch), cmocka_unit_test(test_watch_slip),
                                     cmocka_unit_test(test_resumed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
