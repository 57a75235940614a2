/* A block on an incline, the smallest system with the contact law: it rests below the friction angle without
 * creeping, slides above it, stops, turns and breaks away as closed forms say, and its energy is accounted
 * for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "contact/contacts.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "model/data.h"
#include "step/stepper.h"

enum { X, Y }; /* down the slope and across it */
static const double mass = 2.0, gravity = 9.81, mu = 0.3;

typedef struct incline {
  double part;                     /* tangent of the slope over mu */
  double vx, vy;                   /* m/s at the start */
  double shake, angular_frequency; /* N, rad/s along the slope */
  cap_contact_law law;
  double tolerance; /* of the stepper; 0 = 1e-9 */
} incline;

/* Angular frequency of the contact 1000 rad/s, so that its time is 1 ms and its deflections are
   micrometres. */
static cap_contact_law coulomb(double width, bool loaded)
{
  return (cap_contact_law){.epsilon = 1e-3,
                           .damping_ratio = 1.0,
                           .friction = {.mu_static = mu, .mu_kinetic = mu},
                           .width = width,
                           .loaded = loaded};
}

typedef struct block {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  double pull, limit, k; /* N along the slope, N that friction can hold, N/m */
} block;

static const cap_stepper_type *stepper_named(const char *name)
{
  for (int i = 0; cap_stepper_types[i]; i++)
    if (!strcmp(cap_stepper_types[i]->name, name)) return cap_stepper_types[i];
  fail_msg("no stepper %s", name);
  return NULL;
}

static block place(const incline *c, const char *stepper)
{
  const double slope = atan(c->part * mu), omega = 0.0, weight = mass * gravity * sin(slope);
  const double shake[CAP_LOAD_NPARAM] = {0.0, c->shake, c->angular_frequency, 0.0};
  cap_contact_law law = c->law;
  law.load = mass * gravity * cos(slope);
  cap_builder *b = cap_builder_create(1);
  const int coords[2] = {cap_builder_dof(b, "block.x", "m", mass, 0.0, c->vx),
                         cap_builder_dof(b, "block.y", "m", mass, 0.0, c->vy)};
  cap_builder_element(b, &cap_weight_type, "weight", X, CAP_GROUND, &weight, NULL);
  if (c->shake > 0.0) cap_builder_element(b, &cap_load_type, "shake", X, CAP_GROUND, shake, NULL);
  cap_builder_contact(b, &cap_shoe_type, "shoe", coords, NULL, &omega, &law);
  block r = {.pull = weight, .limit = mu * law.load};
  cap_error error = {0};
  if (cap_builder_finish(b, &r.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  r.k = r.m->contacts[0].stick[0].k;
  const cap_stepper_settings settings = {
      .step = 1e-4, .tolerance = c->tolerance > 0.0 ? c->tolerance : 1e-9, .audit = true};
  if (cap_stepper_create(stepper_named(stepper), r.m, &settings, &r.stepper, &error) != CAP_OK)
    fail_msg("%s", error.text);
  r.d = cap_data_create(r.m);
  assert_non_null(r.d);
  cap_data_start_audit(r.m, r.d);
  return r;
}

static void advance(block *b, double t)
{
  cap_error error = {0};
  if (cap_stepper_advance(&b->stepper, b->m, b->d, &t, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* The residual of the energy balance over what passed through,
 * or what the contact stores if nothing moved. */
static void lift(block *b, double most)
{
  cap_balance_line lines[16];
  double scale;
  const int n = cap_data_balance(b->m, b->d, 0, lines, &scale);
  scale = fmax(scale, 0.5 * b->pull * b->pull / b->k);
  if (!(fabs(lines[n - 1].energy) <= most * scale))
    fail_msg("energy residual %g J of %g J", lines[n - 1].energy, scale);
  cap_stepper_free(&b->stepper);
  cap_data_free(b->d);
  cap_model_free(b->m);
}

/* Where a block at `part` of the friction angle comes to rest that was put down with an unloaded contact,
 * width 0 and damping ratio 1. With tau = sqrt(k/m) t it sticks until f = pull (1 - (1 - tau) exp(-tau)) has
 * reached the limit, then slides with what velocity it has, and springs back. */
static double rest_after_layer(const block *b, double part)
{
  const double elastic = b->pull / b->k;
  double tau = 1.0;
  if (part * (1.0 + exp(-2.0)) <= 1.0) return elastic;
  for (int i = 0; i < 50; i++)
    tau -= (1.0 - (1.0 - tau) * exp(-tau) - 1.0 / part) / ((2.0 - tau) * exp(-tau));
  const double speed = elastic * sqrt(b->k / mass) * tau * exp(-tau);
  return elastic * (1.0 - (1.0 + tau) * exp(-tau)) + 0.5 * mass * speed * speed / (b->limit - b->pull) -
         (b->limit - b->pull) / b->k;
}

static const char *const steppers[] = {"cvode", "midpoint", "radau", "ida"};
enum { STEPPERS = sizeof steppers / sizeof *steppers };

/* Seconds, after one that it settles in, that a block is watched: explicit and fixed steps are short. */
static double watch(const cap_stepper_type *type)
{
  return type->fixed || type == &cap_extrapolate_type ? 1.0 : 1000.0;
}

static void rests_with(const cap_stepper_type *type, double part, double width, bool loaded)
{
  const incline slope = {.part = part, .law = coulomb(width, loaded)};
  block b = place(&slope, type->name);
  advance(&b, 1.0);
  const double settled = b.d->q[X], elastic = b.pull / b.k;
  double moved = 0.0;
  for (int i = 1; i <= 500; i++) {
    advance(&b, 1.0 + i * watch(type) / 500.0);
    moved = fmax(moved, hypot(b.d->q[X] - settled, b.d->q[Y]));
  }
  const double expected = loaded ? 0.0 : rest_after_layer(&b, part);
  const bool known = loaded || part == 0.5 || width == 0.0;
  print_message("%s, %.4f of the friction angle, width %.1f, %s: rests at %.4e m, off by %.1e m, moved %.1e "
                "m in %g s\n",
                type->name, part, width, loaded ? "loaded" : "unloaded", settled,
                known ? settled - expected : NAN, moved, watch(type));
  assert_true(moved < 1e-12);
  assert_true(fabs(b.d->x[X] - elastic) < 1e-12);
  if (loaded || part == 0.5) assert_true(fabs(settled - expected) < 1e-12);
  else if (width == 0.0) assert_true(fabs(settled / expected - 1.0) < (type->fixed ? 0.3 : 1e-5));
  lift(&b, type->fixed ? 0.15 : 1e-6); /* the layer is ten steps long */
}

/* Below the friction angle: after settling nothing moves, in a thousand seconds, up to 0.999 of what is held,
 * and with every stepper. */
static void rests(void **state)
{
  (void)state;
  const incline any = {.part = 0.5, .law = coulomb(0.0, false)};
  block b = place(&any, "cvode");
  for (int i = 0; cap_stepper_types[i]; i++) {
    const cap_stepper_type *type = cap_stepper_types[i];
    if (cap_stepper_obstacle(type, b.m)) continue;
    for (int loaded = 0; loaded < 2; loaded++) {
      rests_with(type, 0.5, 0.1, loaded);
      rests_with(type, 0.999, 0.0, loaded);
      rests_with(type, 0.999 * 0.9, 0.1, loaded);
    }
  }
  lift(&b, 1e-6);
}

/* A loose tolerance is no reason to creep: once at rest it rests, loaded or not. */
static void rests_at_a_loose_tolerance(void **state)
{
  (void)state;
  const char *const names[] = {"cvode", "ida", "radau"};
  for (int s = 0; s < 3; s++)
    for (int loaded = 0; loaded < 2; loaded++) {
      const incline slope = {.part = 0.8, .law = coulomb(0.1, loaded), .tolerance = 1e-3};
      block b = place(&slope, names[s]);
      advance(&b, 1.0);
      const double settled = b.d->q[X];
      for (int i = 1; i <= 100; i++) advance(&b, 1.0 + 10.0 * i);
      print_message("%s, tolerance 1e-3, %s: moved %.1e m in 1000 s\n", names[s],
                    loaded ? "loaded" : "unloaded", b.d->q[X] - settled);
      assert_true(hypot(b.d->q[X] - settled, b.d->q[Y]) < 1e-12);
      assert_true(fabs(b.d->x[X] - b.pull / b.k) < 1e-12);
      lift(&b, 1e-2);
    }
}

/* Loose tolerances must not step over the instants where it breaks away and where it stops: while it slides
 * its motion is a parabola, which any method takes in steps as long as it likes. */
static void stops_at_every_tolerance(void **state)
{
  (void)state;
  const char *const names[] = {"cvode", "extrapolation", "ida", "radau"};
  for (int s = 0; s < 4; s++)
    for (int k = s == 0 ? 4 : 3; k <= 8; k++) /* at 1e-3 CVODE does step over them, see docs/theory.md §17 */
      for (int soft = 0; soft < 2; soft++) {
        incline slope = {.part = 0.999, .law = coulomb(0.0, false), .tolerance = pow(10.0, -k)};
        if (soft) slope.law.epsilon = 3e-3;
        block b = place(&slope, names[s]);
        advance(&b, 2.0);
        const double off = b.d->q[X] / rest_after_layer(&b, slope.part) - 1.0;
        print_message("%s, epsilon %.0e, tolerance 1e-%d: rest off by %.1e\n", names[s], slope.law.epsilon, k,
                      off);
        assert_true(fabs(off) < pow(10.0, -0.5 * k));
        lift(&b, pow(10.0, -0.5 * k));
      }
}

/* Shaken, the force between 40 and 60 % of the limit: the contact follows and does not slip. */
static void shaken_stays(void **state)
{
  (void)state;
  const incline slope = {.part = 0.5, .shake = 0.5, .angular_frequency = 50.0, .law = coulomb(0.1, true)};
  block b = place(&slope, "cvode");
  double slipped = 0.0;
  for (int i = 1; i <= 100; i++) {
    advance(&b, i);
    slipped = fmax(slipped, fabs(b.d->q[X] - (b.d->x[X] - b.pull / b.k)));
  }
  print_message("shaken for 800 cycles: slipped %.1e m\n", slipped);
  assert_true(slipped < 1e-15);
  lift(&b, 1e-6);
}

/* In the passage of the smooth law creep is the solution: at 0.95 of the limit with width 0.1, a velocity
 * L (u - phi) / d with phi(u) = 0.95. */
static void creeps_in_the_passage(void **state)
{
  (void)state;
  const incline slope = {.part = 0.95, .law = coulomb(0.1, true)};
  block b = place(&slope, "cvode");
  double t = 0.5;
  for (int i = 0; i < 60; i++) /* phi(u) = 0.9 + 0.2 (t - t^3 + t^4/2) */
    t -= (0.9 + 0.2 * (t - t * t * t + 0.5 * t * t * t * t) - 0.95) /
         (0.2 * (1.0 - 3.0 * t * t + 2.0 * t * t * t));
  advance(&b, 1.0);
  const double creep = 0.2 * t * t * t * (1.0 - 0.5 * t) * b.limit / b.m->contacts[0].stick[0].d;
  assert_true(fabs(b.d->v[X] / creep - 1.0) < 1e-6);
  lift(&b, 1e-6);
}

/* Above the friction angle: x'' = g (sin a - mu cos a), and mu_k where friction falls with the velocity. */
static void slides(void **state)
{
  (void)state;
  for (int s = 0; s < STEPPERS; s++)
    for (int falling = 0; falling < 2; falling++) {
      incline slope = {.part = 2.0, .law = coulomb(0.1, false)};
      if (falling) slope.law.friction.mu_static = 0.4, slope.law.friction.v_stribeck = 0.02;
      block b = place(&slope, steppers[s]);
      advance(&b, 0.5);
      const double from = b.d->v[X], expected = (b.pull - b.limit) / mass;
      advance(&b, 2.0);
      const double acceleration = (b.d->v[X] - from) / 1.5;
      print_message("%s: acceleration off by %.1e\n", steppers[s], acceleration / expected - 1.0);
      assert_true(fabs(acceleration / expected - 1.0) < 1e-8);
      if (!falling) assert_true(fabs(b.d->q[X] - 2.0 * expected) < 1e-2 * expected); /* x = a t^2 / 2 */
      assert_true(fabs(b.d->x[X] - b.limit / b.k) < 1e-12);
      lift(&b, 1e-6);
    }
}

/* Pushed down a shallow slope it stops after v^2 / (2 (mu g cos a - g sin a)), springs back by what the
 * contact was stretched beyond the pull, (limit - pull) / k, and stays there. */
static void stops(void **state)
{
  (void)state;
  for (int s = 0; s < STEPPERS; s++)
    for (int smooth = 0; smooth < 2; smooth++) {
      const incline slope = {.part = 0.4, .vx = 1.0, .law = coulomb(smooth ? 0.1 : 0.0, false)};
      block b = place(&slope, steppers[s]);
      const double distance = 0.5 * mass / (b.limit - b.pull), elastic = b.limit / b.k;
      advance(&b, 3.0);
      const double miss = b.d->q[X] - (distance - (b.limit - b.pull) / b.k), stopped = b.d->q[X];
      advance(&b, 4.0);
      print_message("%s, %s: stops after %.6f m, off by %.1e m, elastic scale %.1e m\n", steppers[s],
                    smooth ? "smooth" : "sharp", stopped, miss, elastic);
      assert_true(fabs(miss) < (smooth ? 1.0 : 0.02) * elastic);
      assert_true(fabs(b.d->q[X] - stopped) < 1e-12);
      lift(&b, 1e-6);
    }
}

/* Thrown across a slope at the friction angle: |v| + v_x stays what it was, so it ends at half its speed,
 * straight down. The friction of two directions acts against the velocity, whatever way that points, but for
 * a lag of the contact's deflection, of second order in epsilon. */
static void turns_downhill(void **state)
{
  (void)state;
  double worst[2] = {0.0};
  for (int fine = 0; fine < 2; fine++) {
    incline slope = {.part = 1.0, .vy = 2.0, .law = coulomb(0.0, false), .tolerance = 1e-11};
    slope.law.epsilon = fine ? 1e-3 : 2e-3;
    block b = place(&slope, "cvode");
    for (int i = 1; i <= 400; i++) {
      advance(&b, 0.02 * i);
      worst[fine] = fmax(worst[fine], fabs(hypot(b.d->v[X], b.d->v[Y]) + b.d->v[X] - 2.0));
    }
    assert_true(fabs(b.d->v[X] - 1.0) < worst[fine] && fabs(b.d->v[Y]) < 1e-8);
    lift(&b, 1e-8);
  }
  print_message("thrown across: |v| + v_x within %.1e m/s of 2 m/s, order %.2f\n", worst[1],
                log2(worst[0] / worst[1]));
  assert_true(worst[1] < 1e-5 && fabs(log2(worst[0] / worst[1]) - 2.0) < 0.1);
}

/* Between mu_k and mu_s it rests when put there gently or pushed a little, and runs away when pushed beyond
 * v_s. */
static void holds_until_pushed(void **state)
{
  (void)state;
  const double push[3] = {0.0, 2e-3, 0.2};
  for (int c = 0; c < 3; c++) {
    incline slope = {.part = 1.1, .vx = push[c], .law = coulomb(0.0, true)};
    slope.law.friction.mu_static = 0.4, slope.law.friction.v_stribeck = 0.05;
    block b = place(&slope, "cvode");
    advance(&b, 1.0);
    const double settled = b.d->q[X], speed = b.d->v[X];
    advance(&b, 2.0);
    if (c < 2) {
      assert_true(fabs(b.d->q[X] - settled) < 1e-12);
    } else {
      assert_true(fabs((b.d->v[X] - speed) * mass / (b.pull - b.limit) - 1.0) < 1e-6);
    }
    if (c == 0) assert_true(fabs(settled) < 1e-12);
    lift(&b, 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rests),
      cmocka_unit_test(rests_at_a_loose_tolerance),
      cmocka_unit_test(stops_at_every_tolerance),
      cmocka_unit_test(shaken_stays),
      cmocka_unit_test(creeps_in_the_passage),
      cmocka_unit_test(slides),
      cmocka_unit_test(stops),
      cmocka_unit_test(turns_downhill),
      cmocka_unit_test(holds_until_pushed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
