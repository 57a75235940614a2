/* Staggered steps in parts (docs/theory.md §47): a closed chain of bodies that press each other (fast), each
 * on a moving belt by dry friction and held by a soft spring (slow); and rings that are stiff within
 * themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/pushbelt/ring/ring.h"
#include "elements/elements.h"
#include "model/builder.h"

enum { BODIES = 24 };

typedef struct chain {
  int first;
  double mass, k, c;         /* kg; N/m, N s/m between neighbours */
  double soft;               /* N/m, to a place that moves along */
  double stick, drag, limit; /* N/m, N s/m, N of the friction */
  double speed[BODIES];      /* m/s of the belt under each body */
  double pace;               /* m/s of the places */
  double gap[BODIES];        /* m, to the next body at the start */
  double load[BODIES];       /* N */
  double coarsest;           /* s, as the model says it; 0: it does not */
  bool linear;               /* neighbours also pull, and nothing slides */
} chain;

/* ---- neighbours ---------------------------------------------------------------------------------------- */

static void press_rates(const cap_batch *b, cap_eval *e)
{
  const chain *s = b->bodies[0];
  double lost = 0.0;
  for (int k = 0; k < BODIES; k++) {
    int i = s->first + k, j = s->first + (k + 1) % BODIES;
    double gap = e->q[j] - e->q[i] + s->gap[k], rate = e->v[j] - e->v[i];
    double force = gap < 0.0 || s->linear ? -s->k * gap - s->c * rate : 0.0;
    if (force < 0.0 && !s->linear) force = 0.0;
    double elastic = gap < 0.0 || s->linear ? -s->k * gap : 0.0;
    e->h[i] -= force;
    e->h[j] += force;
    lost -= (force - elastic) * rate;
  }
  if (e->power) e->power[b->mech_adr] = lost;
}

static void press_energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const chain *s = b->bodies[0];
  for (int k = 0; k < BODIES; k++) {
    double gap = e->q[s->first + (k + 1) % BODIES] - e->q[s->first + k] + s->gap[k];
    if (gap < 0.0 || s->linear) *stored += 0.5 * s->k * gap * gap;
  }
}

static const cap_element_type press_type = {.name = "press",
                                            .nmech = 1,
                                            .mech_name = {"damping"},
                                            .wide = true,
                                            .fast = true,
                                            .rates = press_rates,
                                            .energy = press_energy};
/* the same for the method that knows no parts */
static const cap_element_type press_slow_type = {.name = "press",
                                                 .nmech = 1,
                                                 .mech_name = {"damping"},
                                                 .wide = true,
                                                 .rates = press_rates,
                                                 .energy = press_energy};

/* ---- belt ---------------------------------------------------------------------------------------------- */

enum { FRICTION, DRIVE };

static void rub_rates(const cap_batch *b, cap_eval *e)
{
  const chain *s = b->bodies[0];
  double fed = 0.0, lost = 0.0;
  for (int k = 0; k < BODIES; k++) {
    int i = s->first + k, x = b->x_adr + k;
    double z0 = e->x[x], drawn = e->march * (e->v_half[i] - s->speed[k]), z = z0 + drawn;
    double most = s->limit / s->stick;
    if (!s->linear) z = fmin(fmax(z, -most), most);
    if (e->march > 0.0) e->x_march[x] = z;
    if (e->march > 0.0 && e->jump)
      e->jump[b->mech_adr + FRICTION] += 0.5 * s->stick * ((z + z0) * drawn - (z * z - z0 * z0));
    double slip = e->v[i] - s->speed[k], drag = fabs(z) < most || s->linear ? s->drag * slip : 0.0;
    double force = -s->stick * z - drag, soft = -s->soft * (e->q[i] - s->pace * *e->t);
    e->h[i] += force + soft + s->load[k];
    fed += force * s->speed[k] + soft * s->pace + s->load[k] * e->v[i];
    lost += drag * slip;
  }
  if (e->power) e->power[b->mech_adr + FRICTION] = lost;
  if (e->power) e->power[b->mech_adr + DRIVE] = fed;
}

static void rub_energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const chain *s = b->bodies[0];
  for (int k = 0; k < BODIES; k++) {
    double z = e->x[b->x_adr + k], u = e->q[s->first + k] - s->pace * *e->t;
    *stored += 0.5 * s->stick * z * z + 0.5 * s->soft * u * u;
  }
}

static const cap_element_type rub_type = {.name = "rub",
                                          .nstate = BODIES,
                                          .state_unit = "m",
                                          .nmech = 2,
                                          .mech_name = {"friction", "drive"},
                                          .mech_input = {false, true},
                                          .wide = true,
                                          .marches = true,
                                          .march_only = true,
                                          .rates = rub_rates,
                                          .energy = rub_energy};

/* ---- the system ---------------------------------------------------------------------------------------- */

/* Of a pushbelt: bodies of a gram, neighbours that allow steps of 0.46 us, friction ten times slower. */
static chain belt_like(double damping, bool linear)
{
  chain s = {.mass = 1.1e-3, .soft = 1.5e6, .stick = 4e7, .limit = 30.0, .pace = 8.0, .linear = linear};
  s.k = s.mass * 2.175e6 * 2.175e6;
  s.c = damping * sqrt(s.k * s.mass);
  s.drag = 0.1 * sqrt(s.stick * s.mass);
  for (int k = 0; k < BODIES; k++) {
    double turn = 2.0 * M_PI * k / BODIES;
    s.speed[k] = s.pace * (1.0 + 0.004 * sin(turn));
    s.load[k] = -10.0 * cos(turn);
    s.gap[k] = linear ? 0.0 : -2e-7 * (1.0 + 0.5 * sin(7.0 * k));
  }
  return s;
}

static test_system build(const chain *from, bool fast, double rough)
{
  test_system s = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  chain *c = CAP_ARENA_NEW(cap_builder_arena(b), chain, 1);
  assert_non_null(c);
  *c = *from;
  for (int k = 0; k < BODIES; k++) {
    char name[32];
    snprintf(name, sizeof name, "body.%d", k);
    int dof = cap_builder_dof(b, name, "m", c->mass, 0.0, c->pace + rough * sin(11.0 * k * k));
    if (k == 0) c->first = dof;
  }
  const double rest[BODIES] = {0.0};
  int press = cap_builder_element(b, fast ? &press_type : &press_slow_type, "press", c->first, CAP_GROUND,
                                  NULL, NULL);
  int rub = cap_builder_element(b, &rub_type, "rub", c->first, CAP_GROUND, NULL, rest);
  cap_builder_body(b, press, c);
  cap_builder_body(b, rub, c);
  cap_builder_fastest(b, sqrt((c->stick + c->soft) / c->mass));
  cap_builder_fastest_inner(b, 2.0 * sqrt(c->k / c->mass));
  if (c->coarsest > 0.0) cap_builder_coarsest(b, c->coarsest);
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static void advance(test_system *s, const cap_stepper_type *type, double step, int substeps, double t)
{
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = step, .substeps = substeps, .audit = true};
  if (cap_stepper_create(type, s->m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_stepper_advance(&stepper, s->m, s->d, &t, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_stepper_free(&stepper);
}

/* ---- parts of a step ----------------------------------------------------------------------------------- */

static void one_part_is_leapfrog(void **state)
{
  (void)state;
  chain c = belt_like(0.05, false);
  test_system one = build(&c, true, 0.05), other = build(&c, false, 0.05);
  advance(&one, &cap_multirate_type, 2.5e-7, 1, 1e-4);
  advance(&other, &cap_leapfrog_type, 2.5e-7, 0, 1e-4);
  assert_memory_equal(one.d->y, other.d->y, sizeof(double) * (size_t)one.m->nstate);
  assert_memory_equal(one.d->work, other.d->work, sizeof(double) * (size_t)one.m->nmech);
  test_system_close(&one);
  test_system_close(&other);
}

/* Everything linear; errors of a step and of half of it, both in six parts, against very short ones. */
static void errors_fall_by_four(void **state)
{
  (void)state;
  chain c = belt_like(0.05, true);
  double error[3];
  test_system best = build(&c, false, 0.0);
  advance(&best, &cap_leapfrog_type, 1.25e-8, 0, 1e-4);
  for (int k = 0; k < 3; k++) {
    test_system s = build(&c, true, 0.0);
    advance(&s, &cap_multirate_type, 2e-6 / (1 << k), 6, 1e-4);
    error[k] = test_distance(s.m, s.d->y, best.d->y);
    print_message("  step %.3g s: error %.3g\n", 2e-6 / (1 << k), error[k]);
    test_system_close(&s);
  }
  assert_true(error[0] < 1e-3);
  for (int k = 0; k < 2; k++) assert_in_range((int)(100.0 * error[k] / error[k + 1]), 360, 440);
  test_system_close(&best);
}

/* Stick and slip, contacts that open: what parts of a step lose or gain is little, and what is lost in the
 * contacts is as with short steps. Scale: what friction could do at most, sliding at the
 * speed of the belt. */
static void energy_is_kept(void **state)
{
  (void)state;
  const struct {
    double step, residual, damping;
    int parts;
  } cases[] = {{2.5e-7, 2e-6, 1e-9, 1}, {1e-6, 2e-6, 0.03, 4}, {2e-6, 1e-5, 0.5, 6}, {3e-6, 2e-5, 0.7, 9}};
  chain c = belt_like(0.05, false);
  double lost = 0.0;
  for (int k = 0; k < 4; k++) {
    test_system s = build(&c, true, 0.05);
    cap_balance_line lines[16];
    double scale, most = BODIES * c.limit * c.pace * 4e-3;
    advance(&s, &cap_multirate_type, cases[k].step, cases[k].parts, 4e-3);
    int n = cap_data_balance(s.m, s.d, 0, lines, &scale);
    double residual = lines[n - 1].energy / most, damping = test_work(&s, "press.damping"),
           friction = test_work(&s, "rub.friction");
    print_message("  %.3g s in %d parts: residual %.2e, damping %.4g J, friction %.4g J\n", cases[k].step,
                  cases[k].parts, residual, damping, friction);
    if (k == 0) lost = damping;
    assert_true(fabs(residual) < cases[k].residual);
    assert_true(fabs(damping - lost) <= cases[k].damping * lost);
    assert_true(fabs(friction - 0.0579) < 1e-4);
    test_system_close(&s);
  }
}

static void momentum_is_kept(void **state)
{
  (void)state;
  chain c = belt_like(0.05, true);
  c.soft = c.drag = 0.0;
  c.stick = 1e-300;
  for (int k = 0; k < BODIES; k++) c.load[k] = 0.0;
  test_system s = build(&c, true, 1.0);
  double before = 0.0, after = 0.0;
  for (int k = 0; k < BODIES; k++) before += s.d->v[k];
  advance(&s, &cap_multirate_type, 2e-6, 6, 1e-3);
  for (int k = 0; k < BODIES; k++) after += s.d->v[k];
  assert_true(fabs(after - before) < 1e-11 * before);
  test_system_close(&s);
}

static void restart_gives_the_same_bits(void **state)
{
  (void)state;
  chain c = belt_like(0.05, false);
  test_system whole = build(&c, true, 0.05), rest = build(&c, true, 0.05);
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 2e-6, .audit = true};
  assert_int_equal(cap_stepper_create(&cap_multirate_type, whole.m, &settings, &stepper, &error), CAP_OK);
  test_advance(&whole, &stepper, 1.1e-4, NULL);
  cap_data_copy(rest.m, rest.d, whole.d);
  test_advance(&whole, &stepper, 2e-4, NULL);
  cap_stepper_free(&stepper);
  assert_int_equal(cap_stepper_create(&cap_multirate_type, rest.m, &settings, &stepper, &error), CAP_OK);
  test_advance(&rest, &stepper, 2e-4, NULL);
  cap_stepper_free(&stepper);
  assert_int_equal(cap_data_hash(whole.m, whole.d), cap_data_hash(rest.m, rest.d));
  test_system_close(&whole);
  test_system_close(&rest);
}

static void expect_refusal(const test_system *s, const cap_stepper_type *type, double step, int parts,
                           const char *words)
{
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = step, .substeps = parts, .tolerance = 1e-8};
  assert_int_not_equal(cap_stepper_create(type, s->m, &settings, &stepper, &error), CAP_OK);
  assert_non_null(strstr(error.text, words));
}

static void steps_are_chosen_and_checked(void **state)
{
  (void)state;
  chain c = belt_like(0.05, false);
  test_system s = build(&c, true, 0.05);
  cap_stepper stepper;
  cap_error error = {0};
  double step;
  int parts;
  assert_ptr_equal(cap_stepper_best(s.m), &cap_multirate_type);
  assert_int_equal(
      cap_stepper_create(&cap_multirate_type, s.m, &(cap_stepper_settings){.step = 2e-6}, &stepper, &error),
      CAP_OK);
  stepper.type->chosen(stepper.memory, &step, &parts);
  assert_true(step == 2e-6);
  assert_int_equal(parts, 5); /* 0.9 of 0.46 us */
  cap_stepper_free(&stepper);
  expect_refusal(&s, &cap_multirate_type, 1.2e-5, 0, "above the stability limit");
  expect_refusal(&s, &cap_multirate_type, 2e-6, 4, "at least 5 parts");
  expect_refusal(&s, &cap_leapfrog_type, 2e-6, 0, "above the stability limit");
  expect_refusal(&s, &cap_cvode_type, 0.0, 0, "needs explicit staggered steps");
  test_system_close(&s);
}

/* Slow forces that are held over a step feed motions of the chain of about half a turn in it. From a step
 * that follows from the damping of both on, (47.4), a chain that is left alone never comes to rest; below it
 * does.
 * Models that say so are given a shorter one, and longer ones are refused. */
static void held_forces_feed_the_chain(void **state)
{
  (void)state;
  chain c = belt_like(0.05, true);
  memset(c.load, 0, sizeof c.load);
  for (int k = 0; k < BODIES; k++) c.speed[k] = c.pace;
  double slow = (c.stick + c.soft) / c.mass, damped = c.drag / c.mass, low = 0.0, high = 1e-5;
  while (high - low > 1e-10) {
    double h = 0.5 * (low + high), least = 0.5 * pow(M_PI, 4.0) / (1.0 + sqrt(1.0 + 0.25 * M_PI * M_PI));
    if (h * h * (slow * h + 2.0 * damped) > least * c.c / c.k) high = h;
    else low = h;
  }
  /* the second and the third motion of the chain, half a turn a step less what a held force takes */
  double moving[2];
  for (int n = 2; n <= 3; n++) {
    double h = 3.03 / (2.0 * sqrt(c.k / c.mass) * sin(M_PI * n / BODIES));
    test_system s = build(&c, true, 0.05);
    assert_true(n == 2 ? h > high : h < high);
    advance(&s, &cap_multirate_type, h, 0, 1e-3);
    moving[n - 2] = 0.0;
    for (int k = 0; k < BODIES; k++) moving[n - 2] += pow(s.d->v[c.first + k] - c.pace, 2.0);
    print_message("  step %.3g us, limit %.3g us: %.2g m/s left\n", 1e6 * h, 1e6 * high, sqrt(moving[n - 2]));
    test_system_close(&s);
  }
  assert_true(moving[0] > 1.0 && moving[1] < 1e-12);

  c.coarsest = high;
  test_system s = build(&c, true, 0.05);
  cap_stepper stepper;
  cap_error error = {0};
  double step;
  int parts;
  assert_int_equal(cap_stepper_create(&cap_multirate_type, s.m, &(cap_stepper_settings){0}, &stepper, &error),
                   CAP_OK);
  stepper.type->chosen(stepper.memory, &step, &parts);
  assert_true(fabs(step - 0.8 * high) < 1e-3 * high && parts > 1);
  cap_stepper_free(&stepper);
  expect_refusal(&s, &cap_multirate_type, 1.01 * high, 0, "would feed");
  test_system_close(&s);
}

static void values_that_are_not_finite_are_named(void **state)
{
  (void)state;
  chain c = belt_like(0.05, false);
  test_system s = build(&c, true, 0.05);
  cap_error error = {0};
  cap_stepper stepper;
  cap_stepper_settings settings = {.step = 2e-6};
  double t = 1e-3;
  s.d->v[7] = NAN;
  assert_int_equal(cap_stepper_create(&cap_multirate_type, s.m, &settings, &stepper, &error), CAP_OK);
  assert_int_equal(cap_stepper_advance(&stepper, s.m, s.d, &t, NULL, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "body."));
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* ---- rings --------------------------------------------------------------------------------------------- */

/* A ring that leaves its shape over two pulleys, spinning: it widens towards a circle. */
static test_system build_ring(const char *model, int nodes, double damping)
{
  test_system s = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  cap_ring_shape shape = {.model = model,
                          .name = "ring",
                          .length = 0.6670139,
                          .centre_distance = 0.155,
                          .theta = 0.2,
                          .speed = 12.0,
                          .nodes = nodes};
  shape.section = (cap_ring_section){
      .layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11};
  cap_ring_section_fill(&shape.section, 8000.0);
  shape.section.damping = damping;
  assert_non_null(b);
  if (!cap_ring_build(b, &shape, &error)) fail_msg("%s", error.text);
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Ten times the step that the elastic motion of the ring would allow: nothing grows, the balance of energies
 * closes, and errors fall by four. */
static void rings_do_not_bound_the_step(void **state)
{
  (void)state;
  static const char *const models[] = {"ale", "ancf"};
  test_system bound = build_ring("ancf", 80, 1e-7);
  double limit = 2.0 / bound.m->fastest_body, longest = 10.0 * limit, until = 256.0 * longest;
  test_system_close(&bound);
  print_message("  limit of explicit steps %.3g s\n", limit);
  for (int k = 0; k < 2; k++) {
    double *y[4], error[3] = {0.0};
    for (int j = 0; j < 4; j++) {
      test_system s = build_ring(models[k], 80, 1e-7);
      double integrator;
      advance(&s, &cap_multirate_type, j < 3 ? longest / (1 << j) : longest / 32, 0, until);
      double residual = test_balance(&s, &integrator);
      print_message("  %s, step %.3g s: residual %.2e, of the method %.2e\n", models[k], longest / (1 << j),
                    residual, integrator);
      assert_true(residual < 1e-4);
      assert_non_null(y[j] = malloc(sizeof(double) * (size_t)s.m->nstate));
      memcpy(y[j], s.d->y, sizeof(double) * (size_t)s.m->nstate);
      if (j == 3)
        for (int i = 0; i < 3; i++) error[i] = test_distance(s.m, y[i], y[3]);
      test_system_close(&s);
    }
    print_message("  %s: errors %.3g %.3g %.3g\n", models[k], error[0], error[1], error[2]);
    for (int j = 0; j < 2; j++) assert_true(error[j] > 2.8 * error[j + 1]);
    for (int j = 0; j < 4; j++) free(y[j]);
  }
}

/* Nor does their damping, however large: half a step of it in the implicit part would do up to H/2 only. */
static void damping_of_rings_does_not_bound_the_step(void **state)
{
  (void)state;
  static const char *const models[] = {"ale", "ancf"};
  const double step = 1e-6;
  for (int k = 0; k < 2; k++)
    for (double damping = 0.4 * step; damping < 50.0 * step; damping *= 5.0) {
      test_system s = build_ring(models[k], 80, damping);
      double integrator;
      advance(&s, &cap_multirate_type, step, 0, 200.0 * step);
      double residual = test_balance(&s, &integrator);
      print_message("  %s, damping %.3g s: residual %.2e, of the method %.2e\n", models[k], damping, residual,
                    integrator);
      assert_true(residual < 1e-3);
      test_system_close(&s);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_part_is_leapfrog),
      cmocka_unit_test(errors_fall_by_four),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(restart_gives_the_same_bits),
      cmocka_unit_test(steps_are_chosen_and_checked),
      cmocka_unit_test(held_forces_feed_the_chain),
      cmocka_unit_test(values_that_are_not_finite_are_named),
      cmocka_unit_test(rings_do_not_bound_the_step),
      cmocka_unit_test(damping_of_rings_does_not_bound_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
