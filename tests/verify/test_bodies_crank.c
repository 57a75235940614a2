/* The slider-crank against its closed form: with ideal joints, with joints of impulses, and with a clearance
 * in the joint of rod and slider that gets small (docs/theory.md §37). Numbers as published models of joints
 * with clearance have them. */
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

#include "../support/bodies.h"

static const double radius = 0.05, length = 0.12, rod = 0.21, gyration = 2.5e-4, slider = 0.14;

typedef struct crank {
  double x, v, a;  /* of the slider */
  double big[2];   /* force of the crank on the rod */
  double small[2]; /* of the rod on the slider */
  double across;   /* of the guide on the slider */
} crank;

/* Without weight, at the crank's angle w t. Rod angle b: L sin(b) = -r sin(wt). */
static crank closed_form(double w, double t)
{
  double th = w * t, sb = -radius / length * sin(th), cb = sqrt(1.0 - sb * sb);
  double db = -radius * w * cos(th) / (length * cb);
  double ddb = (radius * w * w * sin(th) / length + sb * db * db) / cb;
  crank c = {.x = radius * cos(th) + length * cb};
  c.v = -radius * w * sin(th) - length * sb * db;
  c.a = -radius * w * w * cos(th) - length * (cb * db * db + sb * ddb);
  double ax = -radius * w * w * cos(th) - 0.5 * length * (cb * db * db + sb * ddb);
  double ay = -radius * w * w * sin(th) + 0.5 * length * (cb * ddb - sb * db * db);
  c.small[0] = slider * c.a;
  c.big[0] = rod * ax + c.small[0];
  /* I b'' = -(L/2) (cb (big_y + small_y) - sb (big_x + small_x)), big_y = m ay + small_y */
  double sum = (-2.0 * gyration * ddb / length + sb * (c.big[0] + c.small[0])) / cb;
  c.small[1] = 0.5 * (sum - rod * ay);
  c.big[1] = rod * ay + c.small[1];
  c.across = -c.small[1];
  return c;
}

#define MECHANISM                                                                                            \
  "pairs: listed\ngravity: 0 m/s2\nbodies:\n"                                                                \
  "  - disc: {name: crank, mass: 1 kg, radius: 50 mm, x: 0 m, y: 0 m, hold: place, speed: %.17g rad/s}\n"    \
  "  - block: {name: rod, mass: 0.21 kg, inertia: 2.5e-4 kg m2, width: 0.12 m, height: 0.01 m, x: 0.11 m, "  \
  "y: 0 m}\n"                                                                                                \
  "  - block: {name: slider, mass: 0.14 kg, width: 0.04 m, height: 0.03 m, x: 0.17 m, y: 0 m, "              \
  "vx: 0 m/s}\n"                                                                                             \
  "joints:\n  - hinge: {name: big, from: rod, to: crank, from_x: -0.06 m, to_x: 0.05 m}\n"                   \
  "  - guide: {name: way, from: slider}\n"
#define SMALL "  - hinge: {name: small, from: slider, to: rod, to_x: 0.06 m}\n"

typedef struct errors {
  double place, speed, force; /* of the slider; over radius, radius w, and the largest force */
  double rms;                 /* of the speed */
} errors;

static errors compare(rolling *r, double w, bool forces)
{
  const double *x = rolling_column(r, "slider.x"), *v = rolling_column(r, "slider.vx");
  const double *f[5];
  static const char *const names[5] = {"big.force.x", "big.force.y", "small.force.x", "small.force.y",
                                       "way.force.across"};
  for (int k = 0; forces && k < 5; k++) f[k] = rolling_column(r, names[k]);
  errors off = {0};
  double most = 0.0;
  for (int64_t i = 5; i < r->n; i++) {
    crank c = closed_form(w, r->t[i]);
    const double want[5] = {c.big[0], c.big[1], c.small[0], c.small[1], c.across};
    off.place = fmax(off.place, fabs(x[i] - c.x) / radius);
    off.speed = fmax(off.speed, fabs(v[i] - c.v) / (radius * w));
    off.rms += pow((v[i] - c.v) / (radius * w), 2) / (double)r->n;
    for (int k = 0; forces && k < 5; k++) {
      off.force = fmax(off.force, fabs(f[k][i] - want[k]));
      most = fmax(most, fabs(want[k]));
    }
  }
  off.rms = sqrt(off.rms);
  if (forces) off.force /= most;
  return off;
}

static void with_ideal_joints(void **state)
{
  (void)state;
  const double w = 100.0;
  rolling r = bodies_run(MECHANISM SMALL
                         "joint_law: ideal\nanalyses: [{transient: {until: 0.2 s, tolerance: 1e-12}}]\n"
                         "outputs: {every: 1 ms}\n",
                         w);
  errors off = compare(&r, w, true);
  print_message("slider-crank with ideal joints\n");
  rolling_holds("  place of the slider", off.place, 1e-10);
  rolling_holds("  its speed", off.speed, 1e-10);
  rolling_holds("  forces of the joints", off.force, 1e-8);
  rolling_close(&r);
}

/* Joints of impulses: first order; the crank's angle is imposed, so that the places are exact but for the
 * correction. */
static void with_set_valued_joints(void **state)
{
  (void)state;
  const double w = 100.0;
  double forces[3];
  for (int k = 0; k < 3; k++) {
    double h = 4e-5 / (1 << k);
    rolling r = bodies_run(MECHANISM SMALL "joint_law: set-valued\nanalyses: [{transient: {until: 0.2 s, "
                                           "method: timestepping, step: %.17g s}}]\n"
                                           "outputs: {every: 1 ms}\n",
                           w, h);
    errors off = compare(&r, w, true);
    print_message("joints of impulses, step %.1e s: place %.2e, speed %.2e, forces %.2e\n", h, off.place,
                  off.speed, off.force);
    forces[k] = off.force;
    rolling_holds("  place of the slider", off.place, 1e-8);
    rolling_holds("  its speed, over the angle of a step", off.speed / (w * h), 2.0);
    rolling_close(&r);
  }
  double order = log2(forces[0] / forces[2]) / 2.0;
  print_message("  order of the forces %.2f\n", order);
  assert_true(order > 0.8 && order < 1.3);
}

/* The pin of the slider in a hole of the rod with clearance c; e = 0. The slider stays within what the
 * clearance lets it, and comes to the ideal motion as c does to 0. */
static void with_clearance(void **state)
{
  (void)state;
  const double w = 100.0, clearances[3] = {4e-4, 1e-4, 2.5e-5};
  double speed[3];
  for (int k = 0; k < 3; k++) {
    double c = clearances[k];
    rolling r = bodies_run(
        MECHANISM
        "contacts: [{pin: {name: pin, from: slider, to: rod, to_x: 0.06 m, radius: %.17g m, hole: 10 mm}}]\n"
        "contact: {law: set-valued, friction: 0.05}\n"
        "analyses: [{transient: {until: 0.2 s, method: timestepping, step: 2 us}}]\noutputs: {every: 0.1 "
        "ms}\n",
        w, 0.01 - c);
    errors off = compare(&r, w, false);
    const double *gap = rolling_column(&r, "pin.gap"), *force = rolling_column(&r, "pin.force.normal");
    double deepest = 0.0;
    int64_t closed = 0;
    for (int64_t i = 0; i < r.n; i++) {
      deepest = fmax(deepest, -gap[i]);
      closed += force[i] > 0.0;
    }
    print_message("clearance %3.0f um: slider off by %.4f clearances; speed off by %.2e, %.2e in the mean "
                  "square; deepest %.1e m, "
                  "closed %.1f %%\n",
                  1e6 * c, off.place * radius / c, off.speed, off.rms, deepest,
                  100.0 * (double)closed / (double)r.n);
    speed[k] = off.rms;
    /* a pin off by c in the worst direction shifts the slider by c / cos(b), up to squares of c */
    double most = 1.0 / sqrt(1.0 - pow(radius / length, 2));
    assert_true(off.place * radius / c < (1.0 + c / length) * most && off.place * radius / c > 0.9 * most);
    assert_true(deepest < 1e-11);
    assert_true(closed > r.n / 2);
    rolling_close(&r);
  }
  assert_true(speed[1] < 0.5 * speed[0] && speed[2] < 0.7 * speed[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_ideal_joints),
      cmocka_unit_test(with_set_valued_joints),
      cmocka_unit_test(with_clearance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
