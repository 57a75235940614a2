/* Impacts of bodies against closed forms: a ball that bounces to rest, rows of balls, a stack, a hanging
 * chain (docs/theory.md §36, §37.6). */
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

static const double g = 9.81;

enum { IMPACTS = 8 };

typedef struct bounces {
  double time[IMPACTS], height[IMPACTS]; /* s of an impact, m above rest of the flight after it */
} bounces;

/* Impacts are where the velocity turns upwards; the instant is the middle of the step. */
static bounces bounce(double e, double height, double h, double until, rolling *out)
{
  rolling r = bodies_run("bodies:\n  - disc: {name: ball, mass: 2 kg, radius: 50 mm, y: %.17g m}\n"
                         "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, restitution: %.17g}\n"
                         "analyses: [{transient: {until: %.17g s, method: timestepping, step: %.17g s}}]\n"
                         "outputs: {every: %.17g s}\n",
                         0.05 + height, e, until, h, h);
  const double *y = rolling_column(&r, "ball.y"), *v = rolling_column(&r, "ball.vy");
  bounces b = {{0}, {0}};
  int n = 0;
  for (int64_t i = 1; i < r.n; i++) {
    if (v[i] > 0.0 && v[i - 1] <= 0.0 && n < IMPACTS) b.time[n++] = r.t[i] - 0.5 * h;
    if (n > 0) b.height[n - 1] = fmax(b.height[n - 1], y[i] - 0.05);
  }
  assert_int_equal(n, IMPACTS);
  if (out) *out = r;
  else rolling_close(&r);
  return b;
}

static double impact_time(double e, double height, int n)
{
  double fall = sqrt(2.0 * height / g), t = fall, part = 1.0;
  for (int k = 0; k < n; k++) t += 2.0 * fall * (part *= e);
  return t;
}

static void ball_bounces(void **state)
{
  (void)state;
  const double e = 0.8, height = 0.5;
  double errors[4];
  print_message("bouncing ball, e = %.1f: largest error of the first %d impacts\n", e, IMPACTS);
  for (int k = 0; k < 4; k++) {
    double h = 8e-4 / (1 << k), off = 0.0, low = 0.0;
    bounces b = bounce(e, height, h, 2.7, NULL);
    for (int n = 0; n < IMPACTS; n++) {
      off = fmax(off, fabs(b.time[n] - impact_time(e, height, n)));
      low = fmax(low, fabs(b.height[n] / (height * pow(e, 2 * (n + 1))) - 1.0));
    }
    print_message("  step %.1e s: times %.2e s (%.2f steps), heights %.2e of themselves\n", h, off, off / h,
                  low);
    errors[k] = off;
    assert_true(off < 12.0 * h);
    assert_true(low < 60.0 * h);
  }
  double order = log2(errors[0] / errors[3]) / 3.0;
  print_message("  order %.2f\n", order);
  assert_true(order > 0.7 && order < 1.4);
}

/* Infinitely many impacts before t1 + 2 t1 e/(1 - e); then it lies still, and presses with its weight. */
static void ball_comes_to_rest(void **state)
{
  (void)state;
  const double e = 0.6, height = 0.3, h = 1e-4, fall = sqrt(2.0 * height / g);
  double end = fall * (1.0 + 2.0 * e / (1.0 - e));
  rolling r;
  bounce(e, height, h, h * ceil((end + 0.2) / h), &r);
  const double *y = rolling_column(&r, "ball.y"), *v = rolling_column(&r, "ball.vy");
  const double *force = rolling_column(&r, "'ball-floor'.force.normal");
  int64_t rest = r.n - 1;
  while (rest > 0 && fabs(v[rest - 1]) < 1e-12) rest--;
  print_message("comes to rest at %.5f s, accumulation at %.5f s\n", r.t[rest], end);
  assert_true(fabs(r.t[rest] - end) < 40 * h);
  rolling_holds("  height at rest, m", fabs(y[r.n - 1] - 0.05), 1e-9);
  rolling_holds("  force at rest over weight", fabs(force[r.n - 1] / (2.0 * g) - 1.0), 1e-12);
  double impulse = 0.0;
  for (int64_t i = 0; i < r.n; i++) impulse += h * force[i];
  rolling_holds("  impulse over that of the weight", fabs(impulse / (2.0 * g * r.t[r.n - 1]) - 1.0), 1e-9);
  rolling_close(&r);
}

/* n balls of mass 1 in a row without weight, `apart` between them; the first comes with 1 m/s. */
static void row_of_balls(int n, double e, double apart, double *v)
{
  char bodies[3000] = "", line[200], name[20];
  for (int k = 0; k < n; k++) {
    snprintf(line, sizeof line, "  - disc: {name: b%d, mass: 1 kg, radius: 10 mm, x: %.17g m, vx: %d m/s}\n",
             k, (k ? 0.02 * k + apart * (k - 1) : -0.001), k == 0);
    strcat(bodies, line);
  }
  rolling r = bodies_run("gravity: 0 m/s2\nbodies:\n%scontact: {law: set-valued, restitution: %.17g}\n"
                         "analyses: [{transient: {until: 30 ms, method: timestepping, step: 0.01 ms}}]\n"
                         "outputs: {every: 1 ms}\n",
                         bodies, e);
  for (int k = 0; k < n; k++) {
    snprintf(name, sizeof name, "b%d.vx", k);
    v[k] = bodies_last(&r, name);
  }
  rolling_close(&r);
}

static double momentum(int n, const double *v)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += v[k];
  return sum;
}

static double energy(int n, const double *v)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += v[k] * v[k];
  return sum;
}

/* Newton's law at all contacts at once: balls that touch, e = 1: ((1 - n)/(1 + n), 2/(1 + n), ...). */
static void balls_that_touch(void **state)
{
  (void)state;
  double v[8];
  for (int n = 1; n < 8; n += 2) {
    row_of_balls(1 + n, 1.0, 0.0, v);
    double off = fabs(v[0] - (1.0 - n) / (1.0 + n));
    for (int k = 1; k <= n; k++) off = fmax(off, fabs(v[k] - 2.0 / (1.0 + n)));
    print_message("one ball against %d that touch: %.6f", n, v[0]);
    for (int k = 1; k <= n; k++) print_message(" %.6f", v[k]);
    print_message("\n");
    rolling_holds("  velocities", off, 1e-9);
    rolling_holds("  momentum", fabs(momentum(1 + n, v) - 1.0), 1e-12);
    rolling_holds("  energy", fabs(energy(1 + n, v) - 1.0), 1e-9);
  }
  /* less than one: all of the impact at once, -(1 - e)/(1 + e) of lambda' G lambda / 2 */
  row_of_balls(3, 0.5, 0.0, v);
  rolling_holds("three balls, e = 0.5", fmax(fabs(v[0] - 0.0), fmax(fabs(v[1] - 0.5), fabs(v[2] - 0.5))),
                1e-9);
}

/* Balls that are apart: one impact after another, the cradle of Newton; e < 1: ((1 + e)/2)^n at the last. */
static void balls_that_are_apart(void **state)
{
  (void)state;
  double v[5], last = 1.0;
  row_of_balls(5, 1.0, 1e-3, v);
  double off = fabs(v[4] - 1.0);
  for (int k = 0; k < 4; k++) off = fmax(off, fabs(v[k]));
  rolling_holds("cradle of five balls, e = 1", off, 1e-9);
  row_of_balls(5, 0.9, 1e-3, v);
  for (int k = 0; k < 4; k++) last *= 0.95;
  rolling_holds("last of five balls, e = 0.9", fabs(v[4] - last), 1e-9);
  rolling_holds("  momentum", fabs(momentum(5, v) - 1.0), 1e-12);
}

/* Ten balls on each other: every contact carries the weights above it. */
static void a_stack_of_balls(void **state)
{
  (void)state;
  char bodies[2000] = "", line[200], name[40];
  for (int k = 0; k < 10; k++) {
    snprintf(line, sizeof line, "  - disc: {name: b%d, mass: %d kg, radius: 50 mm, y: %.17g m}\n", k,
             1 + k % 3, 0.05 + 0.1 * k);
    strcat(bodies, line);
  }
  rolling r = bodies_run(
      "bodies:\n%slines: [{line: {name: floor}}]\ncontact: {law: set-valued, friction: 0.2}\n"
      "analyses: [{transient: {until: 0.2 s, method: timestepping, step: 1 ms}}]\n",
      bodies);
  double above = 0.0, off = 0.0;
  for (int k = 9; k >= 0; k--) {
    above += g * (1 + k % 3);
    if (k) snprintf(name, sizeof name, "'b%d-b%d'.force.normal", k - 1, k);
    else snprintf(name, sizeof name, "'b0-floor'.force.normal");
    off = fmax(off, fabs(bodies_last(&r, name) / above - 1.0));
  }
  rolling_holds("stack of ten balls, forces over weights above", off, 1e-9);
  rolling_close(&r);
}

/* Points on ropes: every rope carries the weights below it; cut short and thrown up, they fall back. */
static void a_hanging_chain(void **state)
{
  (void)state;
  char bodies[2000] = "", ropes[2000] = "", line[200], name[40];
  for (int k = 0; k < 6; k++) {
    snprintf(line, sizeof line, "  - point: {name: p%d, mass: %d kg, y: %.17g m}\n", k, 1 + k,
             -0.1 * (k + 1));
    strcat(bodies, line);
    if (k) snprintf(line, sizeof line, "  - rope: {name: r%d, from: p%d, to: p%d}\n", k, k, k - 1);
    else snprintf(line, sizeof line, "  - rope: {name: r0, from: p0}\n");
    strcat(ropes, line);
  }
  rolling r = bodies_run("pairs: listed\nbodies:\n%sjoints:\n%s"
                         "analyses: [{transient: {until: 0.2 s, method: timestepping, step: 1 ms}}]\n",
                         bodies, ropes);
  double below = 0.0, off = 0.0;
  for (int k = 5; k >= 0; k--) {
    below += g * (1 + k);
    snprintf(name, sizeof name, "r%d.tension", k);
    off = fmax(off, fabs(bodies_last(&r, name) / below - 1.0));
  }
  rolling_holds("hanging chain, tensions over weights below", off, 1e-9);
  rolling_holds("  its end has sunk, m", fabs(bodies_last(&r, "p5.y") + 0.6), 1e-9);
  rolling_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_bounces),     cmocka_unit_test(ball_comes_to_rest),
      cmocka_unit_test(balls_that_touch), cmocka_unit_test(balls_that_are_apart),
      cmocka_unit_test(a_stack_of_balls), cmocka_unit_test(a_hanging_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
