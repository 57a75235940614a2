/* Bodies that roll in space against their closed forms (docs/theory.md §21): steady precession of a disc,
 * Euler's disc, a ball on a turntable. The models are the examples that users start from, or variations of
 * them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/run.h"

#include "../support/rolling.h"

/* Steppers that treat ideal rows and are accurate enough for a hundred revolutions; IDA, which loses energy
 * at the rate of its tolerance, has ten of its own in test_ida.c. */
static const char *const methods[] = {"extrapolation", "radau"};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

static const double gravity = 9.81;

static double angle(double degrees)
{
  return degrees * M_PI / 180.0;
}

typedef struct disc {
  double m, r, I, axis, tilt, circle; /* circle: of the centre */
} disc;

/* Rate of the steady precession, theory (21.4). */
static double precession(const disc *d)
{
  double c = fabs(cos(d->tilt)), lever = (d->axis + d->m * d->r * d->r) * d->circle / d->r;
  return sqrt(d->m * gravity * d->r * c / (sin(d->tilt) * (lever + d->I * c)));
}

static double largest_slip(rolling *r, const char *body)
{
  static const char *const rows[] = {"normal", "x", "y"};
  double most = 0.0;
  for (int k = 0; k < 3; k++) {
    char name[80];
    snprintf(name, sizeof name, "%s.slip.%s", body, rows[k]);
    most = fmax(most, rolling_largest(r, name));
  }
  return most;
}

/* Largest change of the energy over the kinetic energy at the start. */
static double energy_lost(rolling *r, const disc *d)
{
  static const char *const names[] = {"disc.vx", "disc.vy", "disc.vz", "disc.w1", "disc.w2", "disc.w3"};
  const double mass[] = {d->m, d->m, d->m, d->I, d->I, d->axis}, *v[6], *z = rolling_column(r, "disc.z");
  double first = 0.0, kinetic = 0.0, most = 0.0;
  for (int k = 0; k < 6; k++) v[k] = rolling_column(r, names[k]);
  for (int64_t i = 0; i < r->n; i++) {
    double energy = d->m * gravity * z[i], moving = 0.0;
    for (int k = 0; k < 6; k++) moving += 0.5 * mass[k] * v[k][i] * v[k][i];
    energy += moving;
    if (i == 0) first = energy, kinetic = moving;
    most = fmax(most, fabs(energy - first));
  }
  return most / kinetic;
}

/* A hundred revolutions of the disc about the circle's axis: path, all three rows of the contact's force,
 * energy. */
static void precesses(const disc *d, const char *method, const char *inclination, const char *axis,
                      const char *diameter)
{
  double Om = precession(d), sense = cos(d->tilt) < 0.0 ? -1.0 : 1.0, off = 0.0, wrong[3] = {0}, lean = 0.0,
         round = 0.0;
  char settings[8][100];
  snprintf(settings[0], sizeof settings[0], "analyses[0].transient.method=%s", method);
  snprintf(settings[1], sizeof settings[1], "analyses[0].transient.until=%.17g s", 100.0 * 2.0 * M_PI / Om);
  snprintf(settings[2], sizeof settings[2], "outputs.every=%.17g s", 2.0 * M_PI / Om / 50.0);
  snprintf(settings[3], sizeof settings[3], "bodies[0].disc.inclination=%s", inclination);
  snprintf(settings[4], sizeof settings[4], "bodies[0].disc.inertia_axis=%s", axis);
  snprintf(settings[5], sizeof settings[5], "bodies[0].disc.inertia=%s", diameter);
  rolling r = ROLLING_RUN("rolling_disc", settings[0], settings[1], settings[2], settings[3], settings[4],
                          settings[5]);
  const double *x = rolling_column(&r, "disc.x"), *y = rolling_column(&r, "disc.y");
  const double *tilt = rolling_column(&r, "disc.tilt"), *normal = rolling_column(&r, "disc.force.normal");
  const double *fx = rolling_column(&r, "disc.force.x"), *fy = rolling_column(&r, "disc.force.y");
  double pull = d->m * Om * Om * d->circle, centre = -d->circle + sense * d->circle;
  for (int64_t i = 0; i < r.n; i++) {
    double c = sense * cos(Om * r.t[i]), s = sense * sin(Om * r.t[i]); /* centre of mass: circle (s, -c) */
    double dx = x[i], dy = y[i] - centre, far = hypot(dx, dy);
    off = fmax(off, hypot(dx - d->circle * s, dy + d->circle * c));
    round = fmax(round, fabs(far / d->circle - 1.0));
    lean = fmax(lean, fabs(tilt[i] - d->tilt));
    wrong[0] = fmax(wrong[0], fabs(normal[i] + d->m * gravity));
    wrong[1] = fmax(wrong[1], fabs(fx[i] - pull * dx / far)); /* of the disc on the ground: outwards */
    wrong[2] = fmax(wrong[2], fabs(fy[i] - pull * dy / far));
  }
  print_message("%s, %s:\n", inclination, method);
  rolling_holds("  place of the centre over the way it has gone", off / (d->circle * Om * r.t[r.n - 1]),
                1e-10);
  rolling_holds("  radius of its circle, part", round, 1e-9);
  rolling_holds("  inclination, rad", lean, 1e-9);
  rolling_holds("  normal force over the weight", wrong[0] / (d->m * gravity), 1e-9);
  rolling_holds("  tangential force x over the centripetal one", wrong[1] / pull, 1e-9);
  rolling_holds("  tangential force y over the centripetal one", wrong[2] / pull, 1e-9);
  rolling_holds("  energy over 100 revolutions", energy_lost(&r, d), 1e-9);
  rolling_holds("  residual of the constraints, m/s", largest_slip(&r, "disc"), 1e-12);
  rolling_close(&r);
}

static void test_precession(void **state)
{
  (void)state;
  disc uniform = {0.5, 0.1, 0.00125, 0.0025, angle(70.0), 0.5};
  disc hoop = {0.5, 0.1, 0.0022, 0.0041, angle(115.0), 0.5}; /* leans to the other side */
  for (int k = 0; k < NMETHOD; k++) {
    if (!rolling_treats(methods[k]) || (TEST_SANITIZED && k)) continue;
    precesses(&uniform, methods[k], "70 deg", "0.0025 kg m2", "0.00125 kg m2");
    if (k == 0) precesses(&hoop, methods[k], "115 deg", "0.0041 kg m2", "0.0022 kg m2");
  }
}

/* No closed form: pushed off its steady motion, the disc nods; the energy stays. */
static void test_nodding_disc(void **state)
{
  (void)state;
  static const char model[] =
      "capstan: 1\nname: nodding\ndrive: rolling-body\n"
      "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 65 deg, turn: 2 rad/s, spin: -9 rad/s, "
      "tilt_rate: 0.7 rad/s}}]\n"
      "analyses: [{transient: {until: 100 s, tolerance: 1e-12}}]\noutputs: {every: 20 ms}\n";
  disc d = {0.5, 0.1, 0.00125, 0.0025, angle(65.0), 0.0};
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  const double *tilt = rolling_column(&r, "disc.tilt");
  double low = 10.0, high = 0.0;
  for (int64_t i = 0; i < r.n; i++) low = fmin(low, tilt[i]), high = fmax(high, tilt[i]);
  print_message("nods between %.2f and %.2f deg\n", low * 180.0 / M_PI, high * 180.0 / M_PI);
  assert_true(high - low > 0.1);
  rolling_holds("nodding disc, energy", energy_lost(&r, &d), 1e-9);
  rolling_holds("nodding disc, residual, m/s", largest_slip(&r, "disc"), 1e-12);
  rolling_close(&r);
}

/* A disc that is let go falls over until it lies flat and has no single point of contact: every stepper stops
 * there with an error, and none goes on for ever or comes out on the other side. */
static void test_falls_flat(void **state)
{
  (void)state;
  static const char model[] = "capstan: 1\nname: falls\ndrive: rolling-body\n"
                              "bodies: [{disc: {mass: 1 kg, radius: 0.1 m, inclination: 20 deg}}]\n"
                              "analyses: [{transient: {until: 0.2 s}}]\n";
  for (int k = 0; k < NMETHOD; k++) {
    if (!rolling_treats(methods[k])) continue;
    test_system s = test_system_open(model);
    cap_stepper stepper = test_stepper(&s, cap_stepping_find(methods[k]), 1e-3, 1e-8, true);
    double t = 0.2;
    cap_error error = {0};
    cap_status status = cap_stepper_advance(&stepper, s.m, s.d, &t, NULL, &error);
    print_message("%s: %s\n", methods[k], error.text);
    assert_true(status != CAP_OK && fabs(*s.d->t - 0.0964844) < 1e-6);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Turned angle of the contact: the azimuth without its jumps. */
static double way_round(const rolling *r, const double *azimuth)
{
  double sum = 0.0;
  for (int64_t i = 1; i < r->n; i++) sum += remainder(azimuth[i] - azimuth[i - 1], 2.0 * M_PI);
  return sum;
}

/* Om^2 sin(al) = 4 g / r down to one degree; the centre rests, the force is the weight alone. */
static void test_euler_disc(void **state)
{
  (void)state;
  static const double inclinations[] = {40.0, 10.0, 3.0, 1.0};
  for (int k = 0; k < 4; k++) {
    char setting[80], what[80];
    snprintf(setting, sizeof setting, "bodies[0].disc.inclination=%g deg", inclinations[k]);
    rolling r = ROLLING_RUN("rolling_euler_disc", setting);
    const double *azimuth = rolling_column(&r, "disc.azimuth"), *tilt = rolling_column(&r, "disc.tilt");
    const double *normal = rolling_column(&r, "disc.force.normal");
    double al = angle(inclinations[k]), Om = sqrt(4.0 * gravity / (0.038 * sin(al))), lean = 0.0, wrong = 0.0;
    for (int64_t i = 0; i < r.n; i++) {
      lean = fmax(lean, fabs(tilt[i] - al));
      wrong = fmax(wrong, fabs(normal[i] / (0.44 * gravity) + 1.0));
    }
    assert_true(Om * (r.t[1] - r.t[0]) < 1.0); /* the azimuth can be followed from row to row */
    snprintf(what, sizeof what, "Euler's disc at %g deg, %.1f rad/s", inclinations[k], Om);
    rolling_holds(what, fabs(way_round(&r, azimuth) / (Om * r.t[r.n - 1]) - 1.0), 1e-10);
    rolling_holds("  its inclination, part", lean / al, 1e-9);
    rolling_holds("  its normal force, part", wrong, 1e-9);
    rolling_holds("  its centre, m", fmax(rolling_largest(&r, "disc.x"), rolling_largest(&r, "disc.y")),
                  1e-12);
    rolling_close(&r);
  }
}

/* v' = kappa Omega ez x v + (1 - kappa) g sin(a) ex with kappa = I / (I + m r^2): a circle that drifts across
 * the slope by m r^2 / I * g sin(a) / Omega. */
static void turntable(double share, double slope, const char *const *settings)
{
  rolling r = rolling_run("rolling_turntable", settings);
  const double *x = rolling_column(&r, "ball.x"), *y = rolling_column(&r, "ball.y");
  const double *fx = rolling_column(&r, "ball.force.x"), *fy = rolling_column(&r, "ball.force.y");
  double kappa = share / (1.0 + share), w = kappa * 3.0, pull = gravity * sin(slope);
  double drift = (1.0 - kappa) * pull / w, u = 0.2 - drift, off = 0.0, wrong = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double t = r.t[i], c = cos(w * t), s = sin(w * t);
    off = fmax(off, hypot(x[i] - 0.3 - u / w * (c - 1.0), y[i] - drift * t - u / w * s));
    /* m v' = m g sin(a) - Lambda */
    wrong = fmax(wrong, hypot(fx[i] - 0.1 * (pull + w * u * c), fy[i] - 0.1 * w * u * s));
  }
  rolling_holds("ball on the turntable, way of the centre, m", off, 1e-10);
  rolling_holds("ball on the turntable, force, N", wrong, 1e-10);
  rolling_holds("ball on the turntable, residual, m/s", largest_slip(&r, "ball"), 1e-12);
  rolling_close(&r);
}

static void test_turntable(void **state)
{
  (void)state;
  turntable(0.4, 0.0, (const char *const[]){NULL}); /* 2/7 */
  turntable(2.0 / 3.0, 0.0,
            (const char *const[]){"bodies[0].ball.inertia=2.6666666666666667e-5 kg m2", NULL}); /* 2/5 */
  turntable(0.4, angle(1.0), (const char *const[]){"ground.slope=1 deg", NULL});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_precession), cmocka_unit_test(test_nodding_disc),
      cmocka_unit_test(test_falls_flat), cmocka_unit_test(test_euler_disc),
      cmocka_unit_test(test_turntable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
