/* Bodies that stick and slide against closed forms: blocks and discs on an incline, on the flat and on a
 * conveyor, stacked blocks, a block pulled out from under another, a puck whose friction has two directions
 * (docs/theory.md §36, §37). */
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

#include "contact/contacts.h"
#include "model/builder.h"
#include "step/stepper.h"

static const double g = 9.81;

/* A block of 2 kg, 0.2 m x 0.1 m, that lies on a line of this angle through the origin, `along` it. */
static rolling on_a_line(double angle, double along, double mu, double speed, double belt, double h,
                         double until)
{
  double c = cos(angle), s = sin(angle);
  return bodies_run(
      "bodies:\n  - block: {mass: 2 kg, width: 0.2 m, height: 0.1 m, x: %.17g m, y: %.17g m, angle: %.17g "
      "rad, "
      "vx: %.17g m/s, vy: %.17g m/s}\nlines: [{line: {name: floor, angle: %.17g rad, speed: %.17g m/s}}]\n"
      "contact: {law: set-valued, friction: %.17g}\n"
      "analyses: [{transient: {until: %.17g s, method: timestepping, step: %.17g s}}]\n"
      "outputs: {every: 10 ms, channels: ['*']}\n",
      along * c - 0.05 * s, along * s + 0.05 * c, angle, speed * c, speed * s, angle, belt, mu, until, h);
}

/* Below the angle of friction it does not creep; forces are the weight's, at each corner. */
static void a_block_sticks(void **state)
{
  (void)state;
  const double angle = -20.0 * M_PI / 180.0, weight = 2.0 * g;
  rolling r = on_a_line(angle, 0.0, 0.4, 0.0, 0.0, 1e-3, 5.0);
  const double *x = rolling_column(&r, "block.x"), *y = rolling_column(&r, "block.y");
  rolling_holds("block on an incline creeps in 5 s, m", hypot(x[r.n - 1] - x[0], y[r.n - 1] - y[0]), 1e-12);
  rolling_holds("  normal force",
                fabs(bodies_last(&r, "'block-floor'.force.normal") / (weight * cos(angle)) - 1.0), 1e-10);
  rolling_holds("  friction",
                fabs(bodies_last(&r, "'block-floor'.force.tangential") / (weight * sin(angle)) - 1.0), 1e-10);
  /* about the middle: the lower corner carries more */
  double first = bodies_last(&r, "'block-floor'[1].force.normal"),
         second = bodies_last(&r, "'block-floor'[2].force.normal");
  double half = 0.5 * weight * cos(angle), lean = 0.5 * weight * sin(-angle) * 0.1 / 0.2;
  rolling_holds("  normal force of the upper corner", fabs(first / (half - lean) - 1.0), 1e-8);
  rolling_holds("  normal force of the lower corner", fabs(second / (half + lean) - 1.0), 1e-8);
  rolling_close(&r);
}

/* Above it: v = a t, exactly; the position lags by half a step: x = a t (t - h)/2. */
static void a_block_slides(void **state)
{
  (void)state;
  const double angle = -25.0 * M_PI / 180.0, mu = 0.3, a = g * (sin(-angle) - mu * cos(angle)), t = 1.0;
  for (int k = 0; k < 3; k++) {
    double h = 1e-3 / (1 << k);
    rolling r = on_a_line(angle, 0.0, mu, 0.0, 0.0, h, t);
    double v = hypot(bodies_last(&r, "block.vx"), bodies_last(&r, "block.vy"));
    const double *x = rolling_column(&r, "block.x"), *y = rolling_column(&r, "block.y");
    double way = hypot(x[r.n - 1] - x[0], y[r.n - 1] - y[0]);
    print_message("step %.1e s: way %.2e m off the closed form, which is the first order of the step\n", h,
                  way - 0.5 * a * t * t);
    rolling_holds("  speed over a t", fabs(v / (a * t) - 1.0), 1e-10);
    rolling_holds("  way over a t (t - h)/2", fabs(way / (0.5 * a * t * (t - h)) - 1.0), 1e-9);
    rolling_close(&r);
  }
}

/* On the flat it stops at v/(mu g) after v^2/(2 mu g), and stays. */
static void a_block_stops(void **state)
{
  (void)state;
  const double mu = 0.25, v = 1.5, h = 1e-4, stop = v / (mu * g);
  rolling r = on_a_line(0.0, 0.0, mu, v, 0.0, h, 1.0);
  const double *x = rolling_column(&r, "block.x"), *vx = rolling_column(&r, "block.vx");
  int64_t before = bodies_row(&r, stop) - 1;
  rolling_holds("speed in the row before it stops", fabs(vx[before] - (v - mu * g * r.t[before])), 1e-9);
  rolling_holds("speed after that", fabs(vx[before + 2]), 1e-12);
  rolling_holds("way of a block that stops, over steps", fabs(x[r.n - 1] - v * v / (2.0 * mu * g)) / (v * h),
                1.0);
  rolling_close(&r);
}

/* A conveyor takes it along: v = mu g t up to its speed. */
static void a_conveyor_takes_along(void **state)
{
  (void)state;
  const double mu = 0.3, belt = 0.8, h = 1e-4;
  rolling r = on_a_line(0.0, 0.0, mu, 0.0, belt, h, 0.6);
  const double *vx = rolling_column(&r, "block.vx");
  double off = 0.0;
  for (int64_t i = 0; i < r.n; i++) off = fmax(off, fabs(vx[i] - fmin(belt, mu * g * r.t[i])));
  rolling_holds("block on a conveyor, m/s", off, 1e-9);
  rolling_close(&r);
}

/* A disc rolls down while tan(a) < 3 mu: a = 2/3 g sin(a); above it slips: g (sin(a) - mu cos(a)). */
static void a_disc_rolls_or_slips(void **state)
{
  (void)state;
  const double mu = 0.2, t = 0.5, h = 1e-4;
  for (int k = 0; k < 2; k++) {
    double angle = -(k ? 45.0 : 25.0) * M_PI / 180.0, s = sin(-angle), c = cos(angle);
    rolling r = bodies_run(
        "bodies: [{disc: {mass: 3 kg, radius: 0.1 m, x: %.17g m, y: %.17g m}}]\n"
        "lines: [{line: {name: floor, angle: %.17g rad}}]\ncontact: {law: set-valued, friction: %.17g}\n"
        "analyses: [{transient: {until: %.17g s, method: timestepping, step: %.17g s}}]\n",
        0.1 * s, 0.1 * c, angle, mu, t, h);
    double a = k ? g * (s - mu * c) : 2.0 / 3.0 * g * s, turn = k ? -2.0 * mu * g * c / 0.1 : -a / 0.1;
    double v = hypot(bodies_last(&r, "disc.vx"), bodies_last(&r, "disc.vy"));
    print_message("disc on an incline that %s\n", k ? "slips" : "rolls");
    rolling_holds("  speed", fabs(v / (a * t) - 1.0), 1e-9);
    rolling_holds("  rate of turning", fabs(bodies_last(&r, "disc.angular_velocity") / (turn * t) - 1.0),
                  1e-9);
    rolling_close(&r);
  }
  /* thrown without spin: rolls from v0/(3 mu g) on with 2/3 of its speed */
  rolling r = bodies_run(
      "bodies: [{disc: {mass: 3 kg, radius: 0.1 m, y: 0.1 m, vx: 2 m/s}}]\nlines: [{line: {name: floor}}]\n"
      "contact: {law: set-valued, friction: 0.2}\n"
      "analyses: [{transient: {until: 0.5 s, method: timestepping, step: 0.1 ms}}]\n"
      "outputs: {every: 0.1 ms}\n");
  const double *vx = rolling_column(&r, "disc.vx"), *slip = rolling_column(&r, "'disc-floor'.slip");
  int64_t first = 0;
  while (first < r.n && fabs(slip[first]) > 1e-9) first++;
  rolling_holds("a thrown disc rolls at, off by steps", fabs(r.t[first] - 2.0 / (3.0 * 0.2 * g)) / 1e-4, 1.0);
  rolling_holds("  speed", fabs(vx[r.n - 1] - 4.0 / 3.0), 1e-9);
  rolling_close(&r);
}

/* ---- stacks -------------------------------------------------------------------------------------------- */

/* Blocks on each other; every contact carries the weights above, at each of its two corners what the moments
 * want. */
static void a_stack_of_blocks(void **state)
{
  (void)state;
  rolling r = bodies_run(
      "bodies:\n"
      "  - block: {name: a, mass: 4 kg, width: 0.4 m, height: 0.1 m, y: 0.05 m}\n"
      "  - block: {name: b, mass: 2 kg, width: 0.3 m, height: 0.1 m, x: 0.02 m, y: 0.15 m}\n"
      "  - block: {name: c, mass: 1 kg, width: 0.2 m, height: 0.2 m, x: 0.06 m, y: 0.3 m}\n"
      "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, friction: 0.3}\n"
      "analyses: [{transient: {until: 1 s, method: timestepping, step: 1 ms, tolerance: 1e-13}}]\n"
      "outputs: {every: 0.1 s, channels: ['*']}\n");
  rolling_holds("stack: force on the floor over the weight",
                fabs(bodies_last(&r, "'a-floor'.force.normal") / (7 * g) - 1.0), 1e-10);
  rolling_holds("  second contact", fabs(bodies_last(&r, "'a-b'.force.normal") / (3 * g) - 1.0), 1e-10);
  rolling_holds("  third contact", fabs(bodies_last(&r, "'b-c'.force.normal") / g - 1.0), 1e-10);
  /* points of a pair: corners of the first on the second, then those of the second on the first */
  double left = bodies_last(&r, "'b-c'[5].force.normal"), right = bodies_last(&r, "'b-c'[6].force.normal");
  rolling_holds("  corners of the upper block",
                fmax(fabs(left / (0.5 * g) - 1.0), fabs(right / (0.5 * g) - 1.0)), 1e-8);
  /* b carries c at x = 0.06: moments about its own corners at -0.13 and 0.17 */
  double want = (2 * g * (0.02 + 0.13) + g * (0.06 + 0.13)) / 0.3;
  rolling_holds("  right corner of the middle block",
                fabs(bodies_last(&r, "'a-b'[6].force.normal") / want - 1.0), 1e-8);
  want = (4 * g * 0.2 + 2 * g * 0.22 + g * 0.26) / 0.4;
  rolling_holds("  right corner of the lowest block",
                fabs(bodies_last(&r, "'a-floor'[2].force.normal") / want - 1.0), 1e-8);
  rolling_holds("  nothing moves, m/s",
                fmax(rolling_largest(&r, "c.vx"),
                     fmax(rolling_largest(&r, "c.vy"), rolling_largest(&r, "c.angular_velocity"))),
                1e-12);
  rolling_close(&r);
}

/* Equal blocks, aligned: corners meet corners, and forces are not unique; sum and moment are. */
static void a_stack_of_equal_blocks(void **state)
{
  (void)state;
  rolling r = bodies_run(
      "bodies:\n"
      "  - block: {name: a, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.05 m}\n"
      "  - block: {name: b, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.15 m}\n"
      "  - block: {name: c, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.25 m}\n"
      "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, friction: 0.3}\n"
      "loads: [{force: {on: c, mean: 1 N}}]\n"
      "analyses: [{transient: {until: 1 s, method: timestepping, step: 1 ms, tolerance: 1e-13}}]\n"
      "outputs: {every: 0.1 s, channels: ['*']}\n");
  rolling_holds("equal blocks: force on the floor",
                fabs(bodies_last(&r, "'a-floor'.force.normal") / (3 * g) - 1.0), 1e-9);
  rolling_holds("  second contact", fabs(bodies_last(&r, "'a-b'.force.normal") / (2 * g) - 1.0), 1e-9);
  rolling_holds("  third contact", fabs(bodies_last(&r, "'b-c'.force.normal") / g - 1.0), 1e-9);
  double moment = 0.0; /* of the third contact about the middle: 1 N pushes 0.05 m above it */
  for (int k = 1; k <= 8; k++) {
    char name[40];
    snprintf(name, sizeof name, "'b-c'[%d].force.normal", k);
    int corner = (k - 1) % 4; /* from the lower left one, counterclockwise */
    moment += (corner == 1 || corner == 2 ? 0.1 : -0.1) * bodies_last(&r, name);
  }
  rolling_holds("  moment of the third contact", fabs(moment / 0.05 - 1.0), 1e-8);
  rolling_holds("  friction on the floor", fabs(bodies_last(&r, "'a-floor'.force.tangential") + 1.0), 1e-9);
  rolling_holds("  nothing moves, m/s",
                fmax(rolling_largest(&r, "c.vx"), rolling_largest(&r, "c.angular_velocity")), 1e-11);
  rolling_close(&r);
}

/* A block of 1 kg on one of 2 kg that is pulled: mu1 = 0.3 between them, mu2 = 0.1 on the floor. They move
 * beyond mu2 (m1 + m2) g = 2.943 N, and the lower one leaves beyond (mu1 + mu2) (m1 + m2) g = 11.772 N. */
static void pulled(double force, double upper, double lower)
{
  const double t = 0.3;
  rolling r = bodies_run(
      "bodies:\n"
      "  - block: {name: lower, mass: 2 kg, width: 2 m, height: 0.1 m, y: 0.05 m}\n"
      "  - block: {name: upper, mass: 1 kg, width: 0.2 m, height: 0.1 m, y: 0.15 m}\n"
      "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, friction: 0.1}\n"
      "contacts: [{touch: {from: upper, to: lower, contact: {law: set-valued, friction: 0.3}}}]\n"
      "loads: [{force: {on: lower, mean: %.17g N}}]\n"
      "analyses: [{transient: {until: %.17g s, method: timestepping, step: 0.1 ms}}]\n"
      "outputs: {every: 10 ms}\n",
      force, t);
  print_message("pulled with %.3f N: upper %.4f, lower %.4f m/s2\n", force, bodies_last(&r, "upper.vx") / t,
                bodies_last(&r, "lower.vx") / t);
  rolling_holds("  upper block, m/s", fabs(bodies_last(&r, "upper.vx") - upper * t), 1e-9);
  rolling_holds("  lower block, m/s", fabs(bodies_last(&r, "lower.vx") - lower * t), 1e-9);
  rolling_close(&r);
}

static void a_block_is_pulled_out(void **state)
{
  (void)state;
  const double first = 0.1 * 3 * g, second = 0.4 * 3 * g;
  pulled(0.999 * first, 0.0, 0.0);
  pulled(1.001 * first, 0.001 * first / 3.0, 0.001 * first / 3.0);
  pulled(0.999 * second, 0.999 * second / 3.0 - 0.1 * g, 0.999 * second / 3.0 - 0.1 * g);
  pulled(1.5 * second, 0.3 * g, (1.5 * second - 0.3 * g - 0.1 * 3 * g) / 2.0);
}

/* ---- two directions ------------------------------------------------------------------------------------ */

/* A puck slides straight, whatever its direction, and stops after |v|/(mu g). */
static void a_puck_slides_straight(void **state)
{
  (void)state;
  const double mu = 0.2, mass = 0.7, vx = 1.2, vy = -0.9, h = 1e-4, omega = 0.0;
  cap_builder *b = cap_builder_create(1);
  cap_contact_law law = {
      .kind = CAP_LAW_SET_VALUED, .friction = {.mu_static = mu, .mu_kinetic = mu}, .load = mass * g};
  int coords[2] = {cap_builder_dof(b, "x", "m", mass, 0.0, vx), cap_builder_dof(b, "y", "m", mass, 0.0, vy)},
      none = -1;
  cap_builder_contact(b, &cap_shoe_type, "puck", coords, &none, &omega, &law);
  cap_model *m = NULL;
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(b, &m, &error), CAP_OK);
  cap_builder_free(b);
  cap_data *d = cap_data_create(m);
  assert_non_null(d);
  cap_stepper stepper = {0};
  const cap_stepper_settings settings = {.step = h, .audit = true};
  assert_int_equal(cap_stepper_create(cap_stepping_find("timestepping"), m, &settings, &stepper, &error),
                   CAP_OK);
  double speed = hypot(vx, vy), stop = speed / (mu * g), bent = 0.0, off = 0.0;
  for (int k = 1; k * 0.01 < stop + 0.1; k++) {
    double t = 0.01 * k, v = fmax(0.0, speed - mu * g * t);
    assert_int_equal(cap_stepper_advance(&stepper, m, d, &t, NULL, &error), CAP_OK);
    bent = fmax(bent, fabs(d->q[1] * vx - d->q[0] * vy) / speed);
    off = fmax(off, fabs(hypot(d->v[0], d->v[1]) - v));
  }
  rolling_holds("puck: off its line, m", bent, 1e-12);
  rolling_holds("  speed, m/s", off, 1e-9);
  rolling_holds("  way, over steps", fabs(hypot(d->q[0], d->q[1]) - 0.5 * speed * stop) / (speed * h), 1.0);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sticks),          cmocka_unit_test(a_block_slides),
      cmocka_unit_test(a_block_stops),           cmocka_unit_test(a_conveyor_takes_along),
      cmocka_unit_test(a_disc_rolls_or_slips),   cmocka_unit_test(a_stack_of_blocks),
      cmocka_unit_test(a_stack_of_equal_blocks), cmocka_unit_test(a_block_is_pulled_out),
      cmocka_unit_test(a_puck_slides_straight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
