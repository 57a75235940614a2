/* Bodies that roll in the plane against their closed forms (docs/theory.md §21): knife edge, Chaplygin's
 * sleigh, wheel, car and trailer. The models are the examples that users start from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/rolling.h"

/* Steppers that treat ideal rows, as far as this build has them. */
static const char *const methods[] = {"extrapolation", "ida", "radau"};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

static const double gravity = 9.81;

static double angle(double degrees)
{
  return degrees * M_PI / 180.0;
}

/* Ten turns of the knife edge by one method: the path over the size of a loop of the cycloid, which is the
 * strictest reading of "relative"; the residual of the constraint; the multiplier over its largest value. */
static void knife_edge(const char *method, double path, double residual, double force)
{
  char setting[80];
  snprintf(setting, sizeof setting, "analyses[0].transient.method=%s", method);
  /* IDA's error is about a thousand times its tolerance here, that of the methods of high order far below */
  rolling r = ROLLING_RUN("rolling_knife_edge", setting,
                          strcmp(method, "ida") == 0 ? "analyses[0].transient.tolerance=1e-13"
                                                     : "analyses[0].transient.tolerance=1e-12");
  const double *x = rolling_column(&r, "edge.x"), *y = rolling_column(&r, "edge.y");
  const double *lambda = rolling_column(&r, "edge.force.sideways");
  double w = 2.0, pull = gravity * sin(angle(15.0)), size = pull / (2.0 * w * w), off = 0.0, wrong = 0.0;
  assert_true(r.t[r.n - 1] * w >= 10.0 * 2.0 * M_PI * (1.0 - 1e-12));
  for (int64_t i = 0; i < r.n; i++) {
    double wt = w * r.t[i];
    off = fmax(off, hypot(x[i] - size * sin(wt) * sin(wt), y[i] - size * (wt - 0.5 * sin(2.0 * wt))));
    wrong = fmax(wrong, fabs(lambda[i] + 2.0 * pull * sin(wt)));
  }
  print_message("%s:\n", method);
  rolling_holds("  knife edge, path over its loop", off / size, path);
  rolling_holds("  residual of the constraint, m/s", rolling_largest(&r, "edge.slip.sideways"), residual);
  rolling_holds("  multiplier over 2 m g sin(a)", wrong / (2.0 * pull), force);
  rolling_close(&r);
}

static void test_knife_edge(void **state)
{
  (void)state;
  for (int k = 0; k < NMETHOD; k++)
    if (rolling_treats(methods[k])) knife_edge(methods[k], 1e-9, 1e-12, 1e-9);
}

/* Without the spin it runs straight down its own heading: v = g sin(a) cos(phi) t. */
static void test_knife_edge_straight(void **state)
{
  (void)state;
  rolling r = ROLLING_RUN("rolling_knife_edge", "bodies[0].knife-edge.heading_rate=0 rad/s",
                          "bodies[0].knife-edge.heading=40 deg", "analyses[0].transient.until=3 s");
  const double *x = rolling_column(&r, "edge.x"), *y = rolling_column(&r, "edge.y");
  double run = 0.5 * gravity * sin(angle(15.0)) * cos(angle(40.0)) * 9.0;
  rolling_holds("straight run",
                hypot(x[r.n - 1] - run * cos(angle(40.0)), y[r.n - 1] - run * sin(angle(40.0))), 1e-11);
  rolling_close(&r);
}

static double gudermann(double s)
{
  return 2.0 * atan(tanh(0.5 * s));
}

static void test_sleigh(void **state)
{
  (void)state;
  rolling r = ROLLING_PLAIN("rolling_sleigh");
  const double *vx = rolling_column(&r, "sleigh.vx"), *vy = rolling_column(&r, "sleigh.vy");
  const double *phi = rolling_column(&r, "sleigh.heading"),
               *turn = rolling_column(&r, "sleigh.angular_velocity");
  const double *lambda = rolling_column(&r, "sleigh.force.sideways");
  double m = 2.0, I = 0.3, l = 0.25, J = I + m * l * l, u0 = -1.0, w0 = 0.5;
  double U = sqrt(u0 * u0 + J / m * w0 * w0), W = U * sqrt(m / J), tau = J / (m * l * U), s0 = atanh(u0 / U);
  double off[4] = {0};
  for (int64_t i = 0; i < r.n; i++) {
    double s = s0 + r.t[i] / tau, u = vx[i] * cos(phi[i]) + vy[i] * sin(phi[i]);
    off[0] = fmax(off[0], fabs(u - U * tanh(s)));
    off[1] = fmax(off[1], fabs(turn[i] - W / cosh(s)));
    off[2] = fmax(off[2], fabs(phi[i] - W * tau * (gudermann(s) - gudermann(s0))));
    off[3] = fmax(off[3], fabs(lambda[i] + m * I / J * U * W * tanh(s) / cosh(s)));
  }
  rolling_holds("sleigh, speed along the blade, m/s", off[0], 1e-10);
  rolling_holds("sleigh, rate of turning, rad/s", off[1], 1e-10);
  rolling_holds("sleigh, heading, rad", off[2], 1e-10);
  rolling_holds("sleigh, force, N", off[3], 1e-10);
  rolling_holds("sleigh, residual, m/s", rolling_largest(&r, "sleigh.slip.sideways"), 1e-12);
  rolling_close(&r);
}

#define WHEEL                                                                                                \
  "capstan: 1\nname: wheel\ndrive: rolling-body\n"                                                           \
  "bodies: [{wheel: {mass: 2 kg, radius: 0.3 m, inertia_axis: 0.11 kg m2, x: 1 m, spin: 4 rad/s, turn: 0.8 " \
  "rad/s}}]\n"                                                                                               \
  "analyses: [{transient: {until: 16 s, tolerance: 1e-12}}]\n"

/* On the level: a circle of radius r * spin / turn, both rates constant, and the force to its centre. */
static void test_wheel_circle(void **state)
{
  (void)state;
  rolling r = {.result = test_result_run(WHEEL)};
  r.t = rolling_column(&r, "time");
  const double *x = rolling_column(&r, "wheel.x"), *y = rolling_column(&r, "wheel.y");
  const double *along = rolling_column(&r, "wheel.force.rolling");
  const double *across = rolling_column(&r, "wheel.force.sideways");
  double w = 0.8, radius = 0.3 * 4.0 / w, off = 0.0, wrong = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double wt = w * r.t[i];
    off = fmax(off, hypot(x[i] - 1.0 - radius * sin(wt), y[i] - radius * (1.0 - cos(wt))));
    wrong = fmax(wrong, fabs(along[i]) + fabs(across[i] + 2.0 * radius * w * w));
  }
  rolling_holds("wheel, circle, m", off, 1e-10);
  rolling_holds("wheel, forces, N", wrong, 1e-10);
  rolling_holds("wheel, residual, m/s",
                fmax(rolling_largest(&r, "wheel.slip.rolling"), rolling_largest(&r, "wheel.slip.sideways")),
                1e-12);
  rolling_close(&r);
}

/* On an incline: (I + m r^2) theta'' = m g r sin(a) cos(w t), and the force along the heading is I theta'' /
 * r. */
static void test_wheel_incline(void **state)
{
  (void)state;
  rolling r = {.result = test_result_run(WHEEL "ground: {slope: 12 deg}\n")};
  r.t = rolling_column(&r, "time");
  const double *spin = rolling_column(&r, "wheel.spin"), *along = rolling_column(&r, "wheel.force.rolling");
  double w = 0.8, m = 2.0, R = 0.3, I = 0.11, off = 0.0, wrong = 0.0;
  double pull = m * gravity * R * sin(angle(12.0)) / (I + m * R * R);
  for (int64_t i = 0; i < r.n; i++) {
    off = fmax(off, fabs(spin[i] - 4.0 - pull / w * sin(w * r.t[i])));
    wrong = fmax(wrong, fabs(along[i] - I * pull * cos(w * r.t[i]) / R));
  }
  rolling_holds("wheel on an incline, spin over its swing", off / (pull / w), 1e-10);
  rolling_holds("wheel on an incline, force over its swing", wrong / (I * pull / R), 1e-10);
  rolling_close(&r);
}

/* tan(phi/2) falls by exp(-s/L) with the way s of the car, whatever the masses; the speed follows from the
 * energy. */
static void trailer(double speed, double heading, const char *const *settings)
{
  rolling r = rolling_run("rolling_trailer", settings);
  const double *s = rolling_column(&r, "car.x"), *phi = rolling_column(&r, "trailer.heading");
  const double *v = rolling_column(&r, "car.vx");
  double L = 2.0, off = 0.0, energy0 = 0.0, lost = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double c = cos(phi[i]), n = sin(phi[i]), b = (L - 1.9) / L;
    double energy = 0.5 * v[i] * v[i] * (1000.0 + 400.0 * (c * c + b * b * n * n) + 300.0 * n * n / (L * L));
    if (i == 0) energy0 = energy;
    off = fmax(off, fabs(atan(tan(0.5 * heading) * exp(-s[i] / L)) - 0.5 * phi[i]));
    lost = fmax(lost, fabs(energy / energy0 - 1.0));
  }
  assert_true(fabs(v[0] - speed) < 1e-12);
  rolling_holds("trailer, half its angle, rad", off, 1e-11);
  rolling_holds("car and trailer, energy", lost, 1e-9);
  rolling_holds("car, off its line, m", rolling_largest(&r, "car.y"), 1e-11);
  rolling_holds("hitch, residual, m/s",
                fmax(rolling_largest(&r, "hitch.slip.x"), rolling_largest(&r, "hitch.slip.y")), 1e-12);
  rolling_close(&r);
}

static void test_trailer(void **state)
{
  (void)state;
  trailer(2.0, angle(60.0), (const char *const[]){NULL});
  trailer(-1.0, angle(1.0), /* backwards the angle grows: it jackknifes */
          (const char *const[]){"bodies[0].planar.speed=-1 m/s", "bodies[1].planar.heading=1 deg", NULL});
}

/* A car with its front axle turned by delta: one velocity is left, and the others follow from it. Both axles'
 * normals meet at the centre of a circle. */
static void test_car_steers(void **state)
{
  (void)state;
  static const char model[] =
      "capstan: 1\nname: car\ndrive: rolling-body\n"
      "bodies: [{planar: {name: car, mass: 1000 kg, inertia: 1500 kg m2, speed: 3 m/s, "
      "blades: [{name: rear}, {name: front, x: 2.5 m, angle: 20 deg}]}}]\n"
      "analyses: [{transient: {until: 10 s, tolerance: 1e-12}}]\n";
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  const double *x = rolling_column(&r, "car.x"), *y = rolling_column(&r, "car.y");
  double radius = 2.5 / tan(angle(20.0)), off = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double turned = 3.0 * r.t[i] / radius;
    off = fmax(off, hypot(x[i] - radius * sin(turned), y[i] - radius * (1.0 - cos(turned))));
  }
  rolling_holds("steered car, circle, m", off, 1e-9);
  rolling_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_knife_edge),    cmocka_unit_test(test_knife_edge_straight),
      cmocka_unit_test(test_sleigh),        cmocka_unit_test(test_wheel_circle),
      cmocka_unit_test(test_wheel_incline), cmocka_unit_test(test_trailer),
      cmocka_unit_test(test_car_steers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
