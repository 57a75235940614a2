/* Pins in their holes: the force of each is that of a point in a slot, they limit how far elements lean, and
 * neither momentum nor energy comes from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/push_chain.h"
#include "../support/system.h"
#include "model/builder.h"

enum { MOST = 64 };

typedef struct values {
  double h[3 * MOST], force[16 * MOST], power[2 * MOST], x[2 * MOST], xdot[2 * MOST];
} values;

static void evaluate(const cap_model *m, const double *q, const double *v, values *o)
{
  double t = 0.0;
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = v, .x = o->x, .h = o->h};
  e.xdot = o->xdot, e.force = o->force, e.power = o->power;
  assert_true(m->nv <= 3 * MOST && m->nx <= 2 * MOST && m->noutput <= 16 * MOST && m->nmech <= 2 * MOST);
  cap_model_rates(m, &e);
}

static double output_of(const cap_model *m, const values *o, int joint, int which)
{
  return o->force[m->batches[0].output_adr + joint * CAP_PUSH_CHAIN_NOUTPUT + which];
}

static cap_variator pinned(int simulated, int real, double clearance)
{
  cap_variator v = push_chain_variator(simulated, real);
  push_chain_pins(&v, clearance);
  return v;
}

/* ---- the force ----------------------------------------------------------------------------------------- */

/* A loop, shaken so that some pins are at the one side of their holes, some at the other. */
static void shake(const cap_variator *v, double *q, double *u, uint64_t *seed)
{
  push_chain_loop(v, 8, 6e-4, q);
  for (int k = 0; k < v->simulated; k++) {
    q[v->y + k] += test_random(seed, -8e-5, 8e-5);
    q[v->pitch + k] += test_random(seed, -0.02, 0.02);
    u[v->x + k] = test_random(seed, -1.0, 1.0);
    u[v->y + k] = test_random(seed, -1.0, 1.0);
    u[v->pitch + k] = test_random(seed, -50.0, 50.0);
  }
}

typedef struct body {
  double x, y, pitch, vx, vy, w, px, py; /* px, py: the root of the pin, or the middle of the hole */
} body;

/* A point that is fixed to a body, along and over its origin. */
static body body_of(const cap_variator *v, const double *q, const double *u, int k, double along)
{
  body b = {q[v->x + k], q[v->y + k], q[v->pitch + k], u[v->x + k], u[v->y + k], u[v->pitch + k], 0.0, 0.0};
  b.px = b.x + along * cos(b.pitch) - v->element.pin * sin(b.pitch);
  b.py = b.y + along * sin(b.pitch) + v->element.pin * cos(b.pitch);
  return b;
}

/* A pin of i in a slot along t_j: a spring with a damper beyond the clearance. Adds the forces; +1 or -1: at
 * which wall it is. */
static int hold(const cap_variator *v, const double *q, const double *u, int i, int j, double *h)
{
  const double half = 0.5 * v->element.thickness, k = v->contact.pin_stiffness;
  const body a = body_of(v, q, u, i, half), b = body_of(v, q, u, j, -half);
  const double nx = -sin(b.pitch), ny = cos(b.pitch);
  const double offset = (a.px - b.px) * nx + (a.py - b.py) * ny;
  /* the velocity of the pin over the point of j where it is */
  const double vx = a.vx - a.w * (a.py - a.y) - b.vx + b.w * (a.py - b.y);
  const double vy = a.vy + a.w * (a.px - a.x) - b.vy - b.w * (a.px - b.x);
  const double side = copysign(1.0, offset), deep = fabs(offset) - v->contact.pin_clearance;
  if (!(deep > 0.0)) return 0;
  const double force = side * fmax(k * (deep + v->contact.press_damping * side * (vx * nx + vy * ny)), 0.0);
  const double fx = -force * nx, fy = -force * ny;
  h[v->x + i] += fx, h[v->y + i] += fy, h[v->x + j] -= fx, h[v->y + j] -= fy;
  h[v->pitch + i] += (a.px - a.x) * fy - (a.py - a.y) * fx;
  h[v->pitch + j] -= (a.px - b.x) * fy - (a.py - b.y) * fx;
  return (int)side;
}

/* The chain with pins less that without is what single pins do, whatever the number of elements is modulo
 * eight. */
static void the_force_is_that_of_a_point_in_a_slot(void **state)
{
  (void)state;
  uint64_t seed = 7;
  int sides[3] = {0}; /* inside, free, outside */
  for (int n = 48; n <= MOST; n++) {
    cap_variator v = pinned(n, n, 3e-5), without = v;
    without.contact.pin_stiffness = 0.0;
    cap_model *m = push_chain_model(&v), *free = push_chain_model(&without);
    values o = {0}, p = {0};
    double q[3 * MOST], u[3 * MOST], h[3 * MOST] = {0};
    shake(&v, q, u, &seed);
    evaluate(m, q, u, &o);
    evaluate(free, q, u, &p);
    for (int i = 0; i < n; i++) sides[1 + hold(&v, q, u, i, (i + 1) % n, h)]++;
    for (int k = 0; k < 3 * n; k++) { /* pushes of up to 1e6 N cancel */
      const double size = k < v.pitch ? 1e6 : 1e4;
      assert_true(fabs(o.h[k] - p.h[k] - h[k]) <= 1e-12 * size + 1e-11 * fabs(h[k]));
    }
    for (int i = 0; i < n; i++)
      assert_true(fabs(output_of(m, &o, i, CAP_PUSH_CHAIN_FRICTION) -
                       output_of(free, &p, i, CAP_PUSH_CHAIN_FRICTION)) < 1e-9);
    cap_model_free(m);
    cap_model_free(free);
  }
  print_message("  pins inside, free and outside: %d, %d, %d\n", sides[0], sides[1], sides[2]);
  assert_true(sides[0] > 20 && sides[1] > 100 && sides[2] > 100);
}

/* Without a damper a way there and back costs nothing; with one it costs what is told. */
static void a_way_there_and_back_gives_no_energy(void **state)
{
  (void)state;
  enum { STEPS = 4000, MOVED = 20 };
  for (int damped = 0; damped < 2; damped++) {
    cap_variator v = pinned(62, 62, 2e-5);
    v.contact.press_friction = 0.0, v.contact.press_damping = damped ? 1e-7 : 0.0;
    cap_model *m = push_chain_model(&v);
    values o = {0};
    double q[3 * MOST], u[3 * MOST] = {0}, work = 0.0, lost = 0.0, dt = 1e-3 / STEPS, most = 0.0;
    push_chain_loop(&v, 8, 6e-4, q);
    double middle = q[v.y + MOVED];
    for (int k = 0; k < STEPS; k++) { /* one element goes in and out by 60 um, a hundred times a second */
      double w = 2.0 * M_PI / 1e-3, t = (k + 0.5) * dt;
      q[v.y + MOVED] = middle + 6e-5 * sin(w * t);
      u[v.y + MOVED] = 6e-5 * w * cos(w * t);
      evaluate(m, q, u, &o);
      work += o.h[v.y + MOVED] * u[v.y + MOVED] * dt;
      for (int i = CAP_PUSH_CHAIN_LOSS_DAMPING; i < m->nmech; i += CAP_PUSH_CHAIN_NLOSS)
        lost += o.power[i] * dt;
      most = fmax(most, fabs(output_of(m, &o, MOVED, CAP_PUSH_CHAIN_PIN)));
    }
    assert_true(most > 500.0);
    if (damped) assert_true(lost > 1e-5 && fabs(work + lost) < 1e-3 * lost);
    else assert_true(lost == 0.0 && fabs(work) < 1e-9);
    cap_model_free(m);
  }
}

/* ---- leaning ------------------------------------------------------------------------------------------- */

/* A straight stack of elements that lean by psi forward or back, faces closed. */
static void lean(const cap_variator *v, double psi, double *q)
{
  const double t = v->iota * v->element.thickness;
  for (int k = 0; k < v->simulated; k++)
    q[v->x + k] = k * t / cos(psi), q[v->y + k] = 0.0, q[v->pitch + k] = psi;
}

/* The least angle at which a pin presses, by halving. */
static double limit_of(cap_variator *v, double sign)
{
  enum { MIDDLE = 6 };
  cap_model *m = push_chain_model(v);
  values o = {0};
  double q[3 * MOST], zeros[3 * MOST] = {0}, low = 0.0, high = 0.2;
  for (int pass = 0; pass < 50; pass++) {
    const double psi = 0.5 * (low + high);
    lean(v, sign * psi, q);
    evaluate(m, q, zeros, &o);
    *(output_of(m, &o, MIDDLE, CAP_PUSH_CHAIN_PIN) != 0.0 ? &high : &low) = psi;
  }
  cap_model_free(m);
  return high;
}

/* atan(c_p/t), whatever joints stand for those of the real elements; 1.909 degrees of the reference belt. */
static void a_stack_leans_as_far_as_the_clearance_lets_it(void **state)
{
  (void)state;
  const double limit = atan(0.05 / 1.5);
  assert_true(fabs(limit * 180.0 / M_PI - 1.909) < 5e-4);
  for (int stacked = 0; stacked < 2; stacked++)
    for (int real = 16; real <= 56; real += 20) {
      cap_variator v = pinned(16, real, 5e-5);
      v.element.head_thickness = v.element.thickness;
      v.stacked = stacked;
      assert_true(fabs(limit_of(&v, 1.0) - limit) < 1e-10);
      assert_true(fabs(limit_of(&v, -1.0) - limit) < 1e-10);
    }
}

/* Beyond it the pin is a spring: the moment on an element is P t; and each takes t/cos psi of the length. */
static void it_yields_by_the_compliance_of_the_pin(void **state)
{
  (void)state;
  enum { MIDDLE = 6 };
  const double clearance = 5e-5, more = 1e-3, limit = atan(0.05 / 1.5), psi = limit + more;
  for (int real = 16; real <= 56; real += 20) {
    cap_variator v = pinned(16, real, clearance);
    const double t = v.element.thickness, k = v.contact.pin_stiffness;
    v.stacked = real > 16;
    v.element.head_thickness = t - 1e-6; /* edges touch alone */
    cap_model *m = push_chain_model(&v);
    values o = {0};
    double q[3 * MOST], zeros[3 * MOST] = {0};
    lean(&v, psi, q);
    evaluate(m, q, zeros, &o);
    const double want = k * (t * tan(psi) - clearance), pin = output_of(m, &o, MIDDLE, CAP_PUSH_CHAIN_PIN);
    assert_true(fabs(fabs(pin) - want) < 1e-6 * want && want > 20.0);
    assert_true(fabs(fabs(o.h[v.pitch + MIDDLE]) - want * v.iota * t) < 1e-6 * want * v.iota * t);
    assert_true(o.h[v.pitch + MIDDLE] < 0.0); /* it sets them up */
    const double spread = (q[v.x + 15] - q[v.x]) / (15.0 * v.iota * t) - 1.0;
    assert_true(fabs(spread - (1.0 / cos(psi) - 1.0)) < 1e-12);
    cap_model_free(m);
  }
  assert_true(fabs(1.0 / cos(limit) - 1.0 - 5.6e-4) < 1e-5);
}

/* How far the pins of a circle of elements are off, by their forces when the clearance is next to nothing. */
static double offset_in_circle(int simulated, int real, bool stacked, double psi)
{
  cap_variator v = pinned(simulated, real, 1e-12);
  v.stacked = stacked;
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], zeros[3 * MOST] = {0}, turn = 2.0 * M_PI / simulated,
                                r = v.iota * v.element.thickness / (2.0 * tan(0.5 * turn));
  for (int k = 0; k < simulated; k++) {
    const double a = -k * turn, origin = r - v.element.edge; /* edges at r */
    q[v.x + k] = -origin * sin(a), q[v.y + k] = origin * cos(a), q[v.pitch + k] = a + psi;
  }
  evaluate(m, q, zeros, &o);
  const double off = -output_of(m, &o, 5, CAP_PUSH_CHAIN_PIN) / v.contact.pin_stiffness;
  cap_model_free(m);
  return off;
}

/* In an arc the pins go down in their holes by h delta^2/2 of a real joint, h over the edges; stacks of three
 * alike but for the square of the turn of a stack, 0.31 rad, where elements three times as thick go down nine
 * times as far, for three times the thickness. Leaning adds t sin psi in each. */
static void on_an_arc_stacks_are_as_their_elements(void **state)
{
  (void)state;
  const double down = 5.4e-3 * 0.5 * pow(2.0 * M_PI / 60, 2), t = 1.5e-3;
  const double one = offset_in_circle(60, 60, false, 0.0), many = offset_in_circle(20, 60, true, 0.0),
               thick = offset_in_circle(20, 60, false, 0.0);
  print_message(
      "  pins on an arc: %.3f um, stacks of three %.3f um, three times as thick %.3f um a real one\n",
      1e6 * one, 1e6 * many, 1e6 * thick);
  assert_true(fabs(one + down) < 0.01 * down && fabs(many + down) < 0.05 * down);
  assert_true(fabs(thick + 3.0 * down) < 0.05 * 3.0 * down);
  for (int k = -1; k <= 1; k += 2) { /* about the origins, whose chord is a little more than t */
    const double psi = 0.03 * k, a = M_PI / 60, chord = t * (1.0 + 0.97e-3 * 2.0 * tan(a) / t);
    const double lent = offset_in_circle(60, 60, false, psi) - one;
    const double stack = offset_in_circle(20, 60, true, psi) - many;
    assert_true(fabs(lent - chord * sin(psi)) < 0.005 * chord * fabs(sin(psi)));
    assert_true(fabs(stack - lent) < 0.015 * fabs(lent));
  }
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* Pins so hard that they make the fastest motion: every other element goes up, the rest down. */
static void the_angular_frequency_counts_the_pins(void **state)
{
  (void)state;
  enum { N = 16, MIDDLE = 8 };
  for (int real = N; real <= 2 * N; real += N) {
    cap_variator v = pinned(N, real, 1e-15);
    v.stacked = real > N;
    v.contact.pin_stiffness = 1e11;
    v.contact.press_friction = v.contact.press_damping = 0.0;
    cap_model *m = push_chain_model(&v);
    values o = {0};
    double q[3 * MOST] = {0}, zeros[3 * MOST] = {0}, size = 1e-9;
    lean(&v, 0.0, q);
    for (int k = 0; k < N; k++) q[v.y + k] = k % 2 ? -size : size;
    evaluate(m, q, zeros, &o);
    const double square = fabs(o.h[v.y + MIDDLE]) / (size * v.iota * v.element.mass);
    assert_true(fabs(sqrt(square) / cap_push_chain_angular_frequency(&v) - 1.0) < 1e-5);
    cap_model_free(m);
  }
}

/* What is missing of the energy after a flight of elements between the walls of their holes, over what there
 * was, without friction and dampers. */
static double missing(cap_variator *v, int steps)
{
  cap_model *m = push_chain_model(v);
  cap_data *d = cap_data_create(m);
  cap_stepper s = {0};
  cap_error error = {0};
  const double time = 4e-4;
  cap_stepper_settings settings = {.step = time / steps, .audit = true};
  uint64_t seed = 5;
  assert_non_null(d);
  push_chain_loop(v, 8, 6e-4, d->q);
  for (int k = 0; k < v->simulated; k++) {
    d->v[v->x + k] = test_random(&seed, -0.05, 0.05);
    d->v[v->y + k] = test_random(&seed, -0.5, 0.5);
  }
  double t = 0.0, energies[2] = {0.0, 0.0};
  for (int end = 0; end < 2; end++) {
    cap_eval e = {.nlane = 1, .t = &t, .q = d->q, .v = d->v, .x = d->x};
    cap_model_energy(m, &e, &energies[end]);
    if (end) break;
    if (cap_stepper_create(&cap_leapfrog_type, m, &settings, &s, &error) != CAP_OK)
      fail_msg("%s", error.text);
    if (cap_stepper_advance(&s, m, d, &time, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  }
  double gone = energies[0] - energies[1];
  for (int k = 0; k < m->nmech; k++) gone -= d->work[k];
  cap_stepper_free(&s);
  cap_data_free(d);
  cap_model_free(m);
  return fabs(gone) / energies[0];
}

/* Strikes on the walls, hundreds of them, leave the balance of energy closed, dampers counted. */
static void strikes_keep_the_balance(void **state)
{
  (void)state;
  cap_variator v = pinned(62, 62, 2e-5);
  v.contact.press_damping = 1e-7;
  const double coarse = missing(&v, 1600), fine = missing(&v, 6400);
  print_message("  missing of the energy: %.2e, with a quarter of the step %.2e\n", coarse, fine);
  assert_true(coarse < 1e-2 && fine < 0.25 * coarse);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_force_is_that_of_a_point_in_a_slot),
      cmocka_unit_test(a_way_there_and_back_gives_no_energy),
      cmocka_unit_test(a_stack_leans_as_far_as_the_clearance_lets_it),
      cmocka_unit_test(it_yields_by_the_compliance_of_the_pin),
      cmocka_unit_test(on_an_arc_stacks_are_as_their_elements),
      cmocka_unit_test(the_angular_frequency_counts_the_pins),
      cmocka_unit_test(strikes_keep_the_balance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
