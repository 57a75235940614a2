/* Bodies that start sliding with Coulomb friction and end rolling, against closed forms.
 *
 * A body of moment of inertia I = j m r^2 slides with v > r w under friction mu m g:
 *   v' = -mu g,  r w' = mu g / j,  so the contact's velocity falls by mu g (1 + 1/j) and vanishes at
 *   t1 = s0 / (mu g (1 + 1/j)), s0 = v0 - r w0, and the body rolls on with v1 = v0 - s0 / (1 + 1/j).
 * Wheel and disc (j = 1/2): 2/3 of v0, or 1/3 of r w0 when it starts with spin alone; ball (j = 2/5): 5/7 and
 * 2/7; hoop (j = 1): half. The angular momentum about a point of the ground, m v r + I w, is kept throughout,
 * and friction takes (m/2) s0^2 / (1 + 1/j). The final state does not depend on mu, nor on the contact's
 * stiffness. */
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

enum { BUFFER = 1000 };
static const double gravity = 9.81, mass = 2.0, radius = 0.1;

typedef struct throw
{
  const char *body;                 /* its line in the model, with velocities to fill in: v0, w0 */
  const char *v, *w, *slip, *force; /* channels */
  const char *name;
  double sense, j; /* sense of positive spin against positive v; I = j m r^2 */
  double v0, w0, mu;
}
throw;

#define WHEEL                                                                                                \
  "wheel: {mass: 2 kg, radius: 0.1 m, speed: %.17g m/s, spin: %.17g rad/s, turn: 0 rad/s"                    \
  "%s}"
#define DISC                                                                                                 \
  "disc: {mass: 2 kg, radius: 0.1 m, vx: %.17g m/s, vy: 0 m/s, vz: 0 m/s, spin: %.17g rad/s, turn: 0 "       \
  "rad/s, tilt_rate: 0 rad/s%s}"
#define BALL                                                                                                 \
  "ball: {mass: 2 kg, radius: 0.1 m, vx: %.17g m/s, vy: 0 m/s, vz: 0 m/s, wx: 0 rad/s, wy: %.17g rad/s, "    \
  "wz: 0 rad/s%s}"

static rolling slide(const throw *c, const char *extra, double epsilon)
{
  char body[BUFFER / 2], model[BUFFER];
  snprintf(body, sizeof body, c->body, c->v0, c->w0, extra);
  snprintf(
      model, sizeof model,
      "capstan: 1\nname: slide\ndrive: rolling-body\nbodies: [{%s}]\n"
      "contact: {epsilon: %g, start: loaded, friction: {static: %g}}\n"
      "analyses: [{transient: {until: 1.5 s, method: radau, tolerance: 1e-10}}]\noutputs: {every: 5 ms}\n",
      body, epsilon, c->mu);
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  return r;
}

/* Largest departures from the closed form. */
typedef struct departure {
  double sliding, grip, moment, last, spin, creep;
} departure;

static departure compare(rolling *r, const throw *c, double epsilon)
{
  const double *v = rolling_column(r, c->v), *w = rolling_column(r, c->w), *s = rolling_column(r, c->slip);
  double share = 1.0 / (1.0 + 1.0 / c->j), s0 = c->v0 - c->sense * radius * c->w0;
  double decay = c->mu * gravity * copysign(1.0, s0), t1 = s0 * share / decay, v1 = c->v0 - s0 * share;
  double moment = c->v0 + c->j * c->sense * radius * c->w0;
  departure d = {0};
  for (int64_t i = 0; i < r->n; i++) {
    double rim = c->sense * radius * w[i], t = r->t[i];
    d.moment = fmax(d.moment, fabs(v[i] + c->j * rim - moment));
    if (t < t1 - 10.0 * epsilon) {
      d.sliding = fmax(d.sliding, fabs(v[i] - c->v0 + decay * t));
      d.sliding = fmax(d.sliding, fabs(rim - c->sense * radius * c->w0 - decay / c->j * t));
      d.grip = fmax(d.grip, fabs(t + s[i] / decay * share - t1)); /* when the slip would vanish */
    }
    if (t > t1 + 30.0 * epsilon) d.creep = fmax(d.creep, fabs(s[i]));
  }
  d.last = fabs(v[r->n - 1] - v1);
  d.spin = fabs(c->sense * radius * w[r->n - 1] - v1);
  return d;
}

static void check_throw(const throw *c, const char *extra)
{
  static const double epsilons[] = {1e-2, 1e-3};
  for (int k = 0; k < 2; k++) {
    rolling r = slide(c, extra, epsilons[k]);
    departure d = compare(&r, c, epsilons[k]);
    const double *f = rolling_column(&r, c->force);
    double s0 = c->v0 - c->sense * radius * c->w0;
    print_message("%s, friction %g, epsilon %g\n", c->name, c->mu, epsilons[k]);
    /* the damper alone brings the contact to its limit, so that it slides from the first moment on */
    rolling_holds("  velocity and spin while it slides, m/s", d.sliding, 1e-12);
    rolling_holds("  time at which the slip vanishes, s", d.grip, 1e-12);
    rolling_holds("  friction, of mu m g", fabs(f[8] / (c->mu * mass * gravity) - copysign(1.0, s0)), 1e-12);
    rolling_holds("  moment of momentum about the ground, m/s", d.moment, 1e-12);
    rolling_holds("  velocity once it rolls, m/s", d.last, 1e-12);
    rolling_holds("  spin once it rolls, m/s", d.spin, 1e-12);
    rolling_holds("  slip once it rolls, m/s", d.creep, 1e-8);
    rolling_close(&r);
  }
}

#define WHEEL_CHANNELS "wheel.vx", "wheel.spin", "wheel.slip.rolling", "wheel.force.rolling"
#define DISC_CHANNELS  "disc.vx", "disc.w3", "disc.slip.x", "disc.force.x"
#define BALL_CHANNELS  "ball.vx", "ball.w2", "ball.slip.x", "ball.force.x"

static void test_wheel(void **state)
{
  (void)state;
  check_throw(&(throw){WHEEL, WHEEL_CHANNELS, "wheel: 2/3 of v0", 1.0, 0.5, 3.0, 0.0, 0.3}, "");
  check_throw(&(throw){WHEEL, WHEEL_CHANNELS, "wheel: 1/3 of r w0", 1.0, 0.5, 0.0, 30.0, 0.5}, "");
  check_throw(&(throw){WHEEL, WHEEL_CHANNELS, "hoop: half of v0", 1.0, 1.0, 3.0, 0.0, 0.3},
              ", inertia_axis: 0.02 kg m2, inertia: 0.01 kg m2");
}

static void test_disc(void **state)
{
  (void)state;
  check_throw(&(throw){DISC, DISC_CHANNELS, "disc: 2/3 of v0", -1.0, 0.5, 3.0, 0.0, 0.3}, "");
}

/* With backspin beyond 5/2 v0 / r the ball comes back. */
static void test_ball(void **state)
{
  (void)state;
  check_throw(&(throw){BALL, BALL_CHANNELS, "ball: 5/7 of v0", 1.0, 0.4, 3.0, 0.0, 0.3}, "");
  check_throw(&(throw){BALL, BALL_CHANNELS, "ball: comes back", 1.0, 0.4, 1.0, -40.0, 0.3}, "");
}

/* Thrown with a spin across: the slip s = (vx - r wy, vy + r wx) keeps its direction, so the path is a
 * parabola while the ball slides; then it rolls straight on with v0 - 2/7 s0. */
static void test_masse(void **state)
{
  (void)state;
  static const char model[] =
      "capstan: 1\nname: slide\ndrive: rolling-body\nbodies: [{ball: {mass: 2 kg, radius: 0.1 m, vx: 2 m/s, "
      "vy: "
      "0 m/s, vz: 0 m/s, wx: -30 rad/s, wy: -20 rad/s, wz: 5 rad/s}}]\n"
      "contact: {epsilon: 1e-3, start: loaded, friction: {static: 0.25}}\n"
      "analyses: [{transient: {until: 1.5 s, tolerance: 1e-12}}]\noutputs: {every: 5 ms}\n";
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  double s0[2] = {2.0 + 2.0, -3.0}, v0[2] = {2.0, 0.0}, slip = 5.0, off = 0.0, last = 0.0;
  double t1 = slip * 2.0 / 7.0 / (0.25 * gravity);
  for (int i = 0; i < 2; i++) {
    const double *p = rolling_column(&r, i ? "ball.y" : "ball.x"),
                 *v = rolling_column(&r, i ? "ball.vy" : "ball.vx");
    for (int64_t k = 0; k < r.n && r.t[k] < t1 - 0.03; k++)
      off = fmax(off, fabs(p[k] - v0[i] * r.t[k] + 0.125 * gravity * s0[i] / slip * r.t[k] * r.t[k]));
    last = fmax(last, fabs(v[r.n - 1] - v0[i] + 2.0 / 7.0 * s0[i]));
  }
  rolling_holds("ball with a spin across: parabola, m", off, 1e-9);
  rolling_holds("ball with a spin across: rolls on, m/s", last, 1e-9);
  rolling_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wheel),
      cmocka_unit_test(test_disc),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_masse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
