/* The closed chain of a pushbelt: it is the single joints of drives/pushbelt/contact/press.h, it neither
 * makes momentum nor energy, and what friction and dampers take is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/push_chain.h"
#include "../support/system.h"
#include "drives/pushbelt/contact/press.h"
#include "model/builder.h"

enum { MOST = 64, STATES = 2 * MOST, STRAND = 8 };

typedef struct values {
  double h[3 * MOST], force[16 * MOST], power[2 * MOST], x[STATES], xdot[STATES];
} values;

static void evaluate(const cap_model *m, const double *q, const double *v, values *o)
{
  double t = 0.0;
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = v, .x = o->x, .h = o->h};
  e.xdot = o->xdot, e.force = o->force, e.power = o->power;
  assert_true(m->nv <= 3 * MOST && m->nx <= STATES && m->noutput <= 16 * MOST && m->nmech <= 2 * MOST);
  cap_model_rates(m, &e);
}

static double stored(const cap_model *m, const double *q, const double *v, const double *x)
{
  double energy = 0.0, t = 0.0;
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = v, .x = x};
  cap_model_energy(m, &e, &energy);
  return energy;
}

/* A pressed loop, shaken. */
static void shake(const cap_variator *v, double xi, double *q, double *speed, uint64_t *seed)
{
  push_chain_loop(v, STRAND, xi, q);
  for (int k = 0; k < v->simulated; k++) {
    q[v->x + k] += test_random(seed, -4e-7, 4e-7);
    q[v->y + k] += test_random(seed, -4e-7, 4e-7);
    q[v->pitch + k] += test_random(seed, -1e-4, 1e-4);
    speed[v->x + k] = test_random(seed, -0.1, 0.1);
    speed[v->y + k] = test_random(seed, -0.1, 0.1);
    speed[v->pitch + k] = test_random(seed, -20.0, 20.0);
  }
}

/* ---- as single joints ---------------------------------------------------------------------------------- */

static void set_place(const cap_variator *v, bool head, int i, int j, double *p)
{
  double (*thickness)(const cap_variator *, int) = head ? cap_variator_geometry_head_thickness
                                                        : cap_variator_geometry_edge_thickness;
  const cap_variator_press *law = head ? &v->contact.head : &v->contact.edge;
  const cap_variator_element *e = &v->element;
  p[CAP_PRESS_POINT_ALONG] = 0.5 * thickness(v, i) - (head ? 0.0 : e->edge_radius);
  p[CAP_PRESS_POINT_HEIGHT] = head ? e->head : e->edge;
  p[CAP_PRESS_POINT_RADIUS] = head ? 0.0 : e->edge_radius;
  p[CAP_PRESS_POINT_TURN] = head ? 0.0 : e->edge_turn;
  p[CAP_PRESS_POINT_BACK] = 0.5 * thickness(v, j);
  p[CAP_PRESS_POINT_THICKNESS] = 0.5 * (thickness(v, i) + thickness(v, j));
  p[CAP_PRESS_POINT_C] = law->c;
  p[CAP_PRESS_POINT_XI0] = law->xi0;
  p[CAP_PRESS_POINT_K] = law->k;
}

/* The same ring of single joints, whose friction jumps with the sign of the slip. */
static cap_model *joints_of(const cap_variator *v)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  cap_error error = {0};
  for (int k = 0; k < 3 * v->simulated; k++) cap_builder_dof(b, "q", "m", 1.0, 0.0, 0.0);
  for (int i = 0; i < v->simulated; i++) {
    int j = (i + 1) % v->simulated;
    double par[CAP_PRESS_NPARAM] = {0};
    set_place(v, false, i, j, par + CAP_PRESS_POINT);
    set_place(v, true, i, j, par + CAP_PRESS_POINT + CAP_PRESS_POINT_NPARAM);
    par[CAP_PRESS_DAMPING] = v->contact.press_damping;
    par[CAP_PRESS_FRICTION] = v->contact.press_friction;
    par[CAP_PRESS_VELOCITY] = 1e-30;
    cap_builder_element(b, &cap_press_type, "joint", 3 * i, 3 * j, par, NULL);
  }
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* The velocity with which the place of i slides over j along n_j: of the material points that touch. */
static double slip_of(const cap_variator *v, bool head, int i, int j, const double *q, const double *u)
{
  double par[CAP_PRESS_POINT_NPARAM], pi = q[v->pitch + i], pj = q[v->pitch + j], wj = u[v->pitch + j];
  set_place(v, head, i, j, par);
  double along = par[CAP_PRESS_POINT_ALONG], height = par[CAP_PRESS_POINT_HEIGHT];
  double to = pi - fmin(fmax(pi - pj, 0.0), par[CAP_PRESS_POINT_TURN]); /* from the centre of the arc */
  double px = along * cos(pi) - height * sin(pi) + par[CAP_PRESS_POINT_RADIUS] * cos(to);
  double py = along * sin(pi) + height * cos(pi) + par[CAP_PRESS_POINT_RADIUS] * sin(to);
  double rx = q[v->x + i] + px - q[v->x + j], ry = q[v->y + i] + py - q[v->y + j];
  double vx = u[v->x + i] - u[v->pitch + i] * py - u[v->x + j] + wj * ry;
  double vy = u[v->y + i] + u[v->pitch + i] * px - u[v->y + j] - wj * rx;
  return vy * cos(pj) - vx * sin(pj);
}

static double sum_powers(const cap_model *m, const values *o, int mechanism)
{
  double sum = 0.0;
  for (int k = mechanism; k < m->nmech; k += 2) sum += o->power[k];
  return sum;
}

static bool near(double a, double b, double size)
{
  return fabs(a - b) <= 1e-12 * size;
}

/* Bristles are drawn as far as may be, in the direction of the slip; then friction is that of the joints. */
static void compare(const cap_variator *v, uint64_t seed)
{
  cap_variator w = *v;
  cap_model *m = push_chain_model(&w), *joints = joints_of(&w);
  values o = {0}, p = {0};
  double q[3 * MOST], u[3 * MOST], q3[3 * MOST], u3[3 * MOST],
      size = 5e4; /* 1e-12 of it: 1.5e-17 m, the last bit of 5 cm */
  int n = w.simulated, edges = 0, heads = 0;
  shake(&w, 5e-4, q, u, &seed);
  for (int k = 0; k < n; k++) {
    for (int a = 0; a < 3; a++) q3[3 * k + a] = q[a * n + k], u3[3 * k + a] = u[a * n + k];
    for (int head = 0; head < 2; head++)
      o.x[head * n + k] = copysign(1e9, slip_of(&w, head, k, (k + 1) % n, q, u));
  }
  evaluate(m, q, u, &o);
  evaluate(joints, q3, u3, &p);
  for (int k = 0; k < n; k++) {
    const double *mine = o.force + m->batches[0].output_adr + k * CAP_PUSH_CHAIN_NOUTPUT;
    const double *other = p.force + joints->batches[0].output_adr + k * CAP_PRESS_NOUTPUT;
    edges += mine[CAP_PUSH_CHAIN_EDGE] > 0.0, heads += mine[CAP_PUSH_CHAIN_HEAD] > 0.0;
    assert_true(near(mine[CAP_PUSH_CHAIN_EDGE], other[CAP_PRESS_EDGE], size));
    assert_true(near(mine[CAP_PUSH_CHAIN_HEAD], other[CAP_PRESS_HEAD], size));
    assert_true(near(o.h[k], p.h[3 * k], size) && near(o.h[n + k], p.h[3 * k + 1], size));
    assert_true(near(o.h[2 * n + k], p.h[3 * k + 2], size * w.element.head));
  }
  assert_true(edges >= n - 4 && heads >= STRAND);
  double friction = sum_powers(m, &o, CAP_PUSH_CHAIN_LOSS_FRICTION);
  double damping = sum_powers(m, &o, CAP_PUSH_CHAIN_LOSS_DAMPING);
  assert_true(near(friction, sum_powers(joints, &p, CAP_PRESS_LOSS_FRICTION), size * 0.1 * n));
  assert_true(near(damping, sum_powers(joints, &p, CAP_PRESS_LOSS_DAMPING), size * 0.1 * n));
  assert_true(friction > 1.0 && damping > 1.0);
  cap_model_free(m);
  cap_model_free(joints);
}

static void the_chain_is_the_joints(void **state)
{
  (void)state;
  double thickness[MOST];
  uint64_t seed = 11;
  for (int n = 48; n <= MOST; n++) {
    cap_variator v = push_chain_variator(n, n);
    compare(&v, seed);
    v.element.edge_turn = 0.2; /* beyond what neighbours turn */
    compare(&v, seed + 1);
    for (int k = 0; k < n; k++) thickness[k] = 1.5e-3 + test_random(&seed, 0.0, 1e-7);
    v.thickness = thickness;
    compare(&v, seed + 2);
  }
}

/* ---- conservation -------------------------------------------------------------------------------------- */

/* Single elements, and stacks of three and a half; in both arcs their pins press. */
static cap_variator chain_of(bool stacked)
{
  cap_variator v = push_chain_variator(62, stacked ? 217 : 62);
  push_chain_pins(&v, 2e-6);
  v.stacked = stacked;
  return v;
}

static void cancel(bool stacked)
{
  cap_variator v = chain_of(stacked);
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], u[3 * MOST];
  uint64_t seed = 3;
  for (int trial = 0; trial < 20; trial++) {
    double x = 0.0, y = 0.0, moment = 0.0, size = 0.0;
    shake(&v, 6e-4, q, u, &seed);
    for (int k = 0; k < m->nx; k++) o.x[k] = test_random(&seed, -100.0, 100.0);
    evaluate(m, q, u, &o);
    for (int k = 0; k < v.simulated; k++) {
      double fx = o.h[v.x + k], fy = o.h[v.y + k];
      x += fx, y += fy, size += fabs(fx) + fabs(fy);
      moment += o.h[v.pitch + k] + q[v.x + k] * fy - q[v.y + k] * fx;
    }
    assert_true(fabs(x) <= 1e-14 * size && fabs(y) <= 1e-14 * size && fabs(moment) <= 1e-15 * size);
  }
  cap_model_free(m);
}

static void forces_cancel(void **state)
{
  (void)state;
  cancel(false);
  cancel(true);
}

/* What a joint gives is what acts: element k has that of the joint behind it less that of its own. */
static void compare_given(bool stacked)
{
  cap_variator v = chain_of(stacked);
  v.element.head_thickness = v.element.thickness - 1e-5; /* friction at the edges alone */
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], u[3 * MOST], given[2][3], pose[3][3];
  uint64_t seed = 6;
  shake(&v, 6e-4, q, u, &seed);
  evaluate(m, q, u, &o);
  const double *out = o.force + m->batches[0].output_adr;
  for (int k = 1; k + 1 < v.simulated; k++) {
    for (int i = 0; i < 3; i++) {
      const double at[3] = {q[v.x + k - 1 + i], q[v.y + k - 1 + i], q[v.pitch + k - 1 + i]};
      memcpy(pose[i], at, sizeof at);
    }
    for (int i = 0; i < 2; i++)
      cap_push_chain_give(&v, k - 1 + i, pose[i], pose[i + 1], out + (k - 1 + i) * CAP_PUSH_CHAIN_NOUTPUT,
                          given[i]);
    double dx = pose[0][0] - pose[1][0], dy = pose[0][1] - pose[1][1];
    double about = given[0][2] + dx * given[0][1] - dy * given[0][0]; /* about element k */
    assert_true(fabs(o.h[v.x + k] - (given[0][0] - given[1][0])) < 1e-8);
    assert_true(fabs(o.h[v.y + k] - (given[0][1] - given[1][1])) < 1e-8);
    assert_true(fabs(o.h[v.pitch + k] - (about - given[1][2])) < 1e-10);
  }
  cap_model_free(m);
}

static void what_joints_give_is_what_acts(void **state)
{
  (void)state;
  compare_given(false);
  compare_given(true);
}

/* Without friction and dampers the forces are the slopes of the stored energy. */
static void compare_slopes(bool stacked)
{
  cap_variator v = chain_of(stacked);
  v.contact.press_friction = v.contact.press_damping = 0.0;
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], u[3 * MOST], zeros[3 * MOST] = {0};
  uint64_t seed = 5;
  shake(&v, 6e-4, q, u, &seed);
  evaluate(m, q, u, &o);
  for (int k = 0; k < m->nv; k++) {
    double step = k < v.pitch ? 2e-9 : 2e-7, at = q[k];
    q[k] = at + step;
    double up = stored(m, q, zeros, o.x);
    q[k] = at - step;
    double down = stored(m, q, zeros, o.x);
    q[k] = at;
    double slope = (up - down) / (2.0 * step);
    if (!(fabs(slope + o.h[k]) <= (k < v.pitch ? 0.05 : 5e-4)))
      fail_msg("coordinate %d: %.10g, slope %.10g", k, o.h[k], -slope);
  }
  cap_model_free(m);
}

static void forces_are_slopes(void **state)
{
  (void)state;
  compare_slopes(false);
  compare_slopes(true);
}

/* Power told = what the forces take from the motion, beyond the growth of the stored energy. */
static void compare_powers(bool stacked)
{
  cap_variator v = chain_of(stacked);
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], u[3 * MOST], zeros[3 * MOST] = {0};
  uint64_t seed = 9;
  shake(&v, 6e-4, q, u, &seed);
  for (int k = 0; k < m->nx; k++) o.x[k] = test_random(&seed, -100.0, 100.0);
  evaluate(m, q, u, &o);
  double work = 0.0, up[3 * MOST], down[3 * MOST], step = 1e-8;
  for (int k = 0; k < m->nv; k++) {
    work += o.h[k] * u[k];
    up[k] = q[k] + step * u[k], down[k] = q[k] - step * u[k];
  }
  double growth = (stored(m, up, zeros, o.x) - stored(m, down, zeros, o.x)) / (2.0 * step);
  double lost = sum_powers(m, &o, 0) + sum_powers(m, &o, 1);
  assert_true(fabs(lost) > 1.0);
  assert_true(fabs(work + growth + lost) <= 1e-5 * (fabs(work) + fabs(growth)));
  cap_model_free(m);
}

static void powers_are_what_is_lost(void **state)
{
  (void)state;
  compare_powers(false);
  compare_powers(true);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

typedef struct motion {
  double start, end, lost; /* J */
} motion;

/* From a pressed loop on, `time` in `steps` steps; counted after `before` of them. */
static motion move(cap_variator *v, double xi, double time, int steps, int before, uint64_t seed)
{
  cap_model *m = push_chain_model(v);
  cap_data *d = cap_data_create(m);
  cap_stepper s = {0};
  cap_error error = {0};
  cap_stepper_settings settings = {.step = time / steps, .audit = true};
  motion r = {0};
  assert_non_null(d);
  shake(v, xi, d->q, d->v, &seed);
  if (cap_stepper_create(&cap_leapfrog_type, m, &settings, &s, &error) != CAP_OK) fail_msg("%s", error.text);
  double from = time / steps * before;
  if (before && cap_stepper_advance(&s, m, d, &from, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  for (int k = 0; k < m->nmech; k++) r.lost -= d->work[k];
  r.start = stored(m, d->q, d->v, d->x);
  if (cap_stepper_advance(&s, m, d, &time, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  r.end = stored(m, d->q, d->v, d->x);
  for (int k = 0; k < m->nmech; k++) r.lost += d->work[k];
  cap_stepper_free(&s);
  cap_data_free(d);
  cap_model_free(m);
  return r;
}

static void energy_stays_to_second_order(void **state)
{
  (void)state;
  cap_variator v = push_chain_variator(62, 62);
  push_chain_pins(&v, 2e-5);
  v.contact.press_friction = v.contact.press_damping = 0.0;
  motion coarse = move(&v, 8e-4, 4e-6, 50, 0, 1), fine = move(&v, 8e-4, 4e-6, 100, 0, 1),
         finer = move(&v, 8e-4, 4e-6, 200, 0, 1);
  double a = fabs(coarse.end - coarse.start), b = fabs(fine.end - fine.start),
         c = fabs(finer.end - finer.start);
  assert_true(a < 1e-3 * coarse.start);
  assert_true(a / b > 3.4 && a / b < 4.6 && b / c > 3.6 && b / c < 4.4);
}

/* What friction and dampers are told to take is what is missing. Staggered steps h keep m (h a)^2/8 aside,
 * which is much at the start, when the elements shake: counted after it. */
static void losses_are_what_is_missing(void **state)
{
  (void)state;
  cap_variator v = push_chain_variator(62, 62);
  push_chain_pins(&v, 2e-5);
  motion r = move(&v, 8e-4, 4e-5, 400, 20, 1), fine = move(&v, 8e-4, 4e-5, 1600, 80, 1);
  double missing = r.start - r.end - r.lost, less = fine.start - fine.end - fine.lost;
  print_message("  %g J at the start, %g J lost, missing %g J; finer: %g J\n", r.start, r.lost, missing,
                less);
  assert_true(r.lost > 0.05 * r.start);
  assert_true(fabs(missing) < 1e-3 * r.start && fabs(less) < fabs(missing) / 12.0); /* order 2: 16 */
}

/* Forces against small alternating motions of a straight stack that is pressed hard, over the mass: the
 * square of the angular frequency of the fastest one. */
static void the_angular_frequency_is_that_of_neighbours_against_each_other(void **state)
{
  (void)state;
  enum { N = 16, MIDDLE = 8 };
  cap_variator v = push_chain_variator(N, N);
  v.contact.press_damping = 0.0;
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST] = {0}, zeros[3 * MOST] = {0}, u[2] = {1.0, 100.0}, square = 0.0, t = 1.5e-3, xi = 1e-3;
  for (int sweep = 0; sweep < 200; sweep++) { /* power iteration: x and pitch of all, alternating */
    double size = 1e-9 / hypot(u[0], u[1] * v.element.head);
    for (int k = 0; k < N; k++) {
      q[v.x + k] = k * t * (1.0 - xi) + (k % 2 ? -size : size) * u[0];
      q[v.pitch + k] = (k % 2 ? -size : size) * u[1];
    }
    evaluate(m, q, zeros, &o);
    double a[2] = {-o.h[v.x + MIDDLE] / v.element.mass, -o.h[v.pitch + MIDDLE] / v.element.inertia};
    square = sqrt(v.element.mass * a[0] * a[0] + v.element.inertia * a[1] * a[1]) /
             (size * sqrt(v.element.mass * u[0] * u[0] + v.element.inertia * u[1] * u[1]));
    u[0] = a[0], u[1] = a[1];
  }
  assert_true(fabs(sqrt(square) / cap_push_chain_angular_frequency(&v) - 1.0) < 2e-3);
  v.contact.press_damping = 1e-7; /* the damper's velocity is of half a step before: X^2/4 + zeta X = 1 */
  double angular_frequency = sqrt(square), zeta = 0.5 * 1e-7 * angular_frequency,
         X = 2.0 * angular_frequency / cap_push_chain_angular_frequency(&v);
  assert_true(fabs(0.25 * X * X + zeta * X - 1.0) < 4e-3);
  cap_model_free(m);
}

static void advance(const cap_model *m, cap_data *d, double time)
{
  cap_stepper s = {0};
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 1e-7, .audit = true};
  if (cap_stepper_create(&cap_leapfrog_type, m, &settings, &s, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_stepper_advance(&s, m, d, &time, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_stepper_free(&s);
}

/* All that a later step needs is in the data: angles of before, too. */
static void a_restart_keeps_the_bits(void **state)
{
  (void)state;
  cap_variator v = push_chain_variator(62, 62);
  push_chain_pins(&v, 2e-5);
  cap_model *m = push_chain_model(&v);
  cap_data *d = cap_data_create(m), *copy = cap_data_create(m);
  uint64_t seed = 2;
  shake(&v, 6e-4, d->q, d->v, &seed);
  advance(m, d, 1e-5);
  cap_data_copy(m, copy, d);
  assert_true(m->nwarm > 0 && d->warm[0] == 1.0);
  advance(m, d, 3e-5);
  advance(m, copy, 3e-5);
  assert_memory_equal(copy->y, d->y, sizeof(double) * (size_t)m->nstate);
  cap_data_free(d);
  cap_data_free(copy);
  cap_model_free(m);
}

/* Angles that were turned on are those of the pitches. */
static void angles_are_turned_on_to_the_last_bits(void **state)
{
  (void)state;
  cap_variator v = push_chain_variator(62, 62);
  v.contact.press_damping = 0.0, v.contact.press_friction = 0.0;
  cap_model *m = push_chain_model(&v);
  double t = 0.0, q[3 * MOST], u[3 * MOST], warm[4 * MOST] = {0}, x[STATES] = {0}, h[2][3 * MOST];
  uint64_t seed = 4;
  assert_true(m->nwarm <= 4 * MOST);
  shake(&v, 6e-4, q, u, &seed);
  cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = u, .x = x, .x_march = x, .v_half = u, .march = 1e-9};
  for (int step = 0; step < 40; step++) { /* all turn together, by more than a block is turned on */
    for (int plain = 0; plain < 2; plain++) {
      e.h = h[plain], e.warm = plain ? NULL : warm;
      cap_model_rates(m, &e);
    }
    for (int k = 0; k < 3 * v.simulated; k++)
      assert_true(fabs(h[0][k] - h[1][k]) <= 1e-12 * 5e6); /* 1.5e-15 m */
    for (int k = 0; k < v.simulated; k++) {
      double c = cos(7e-4), s = sin(7e-4), qx = q[v.x + k], qy = q[v.y + k];
      q[v.x + k] = c * qx - s * qy, q[v.y + k] = s * qx + c * qy, q[v.pitch + k] += 7e-4;
    }
  }
  cap_model_free(m);
}

/* ---- scaling ------------------------------------------------------------------------------------------- */

/* Half as many elements, twice as thick, pressed alike: they push alike, and the loop stores as much. */
static void fewer_elements_push_alike(void **state)
{
  (void)state;
  double force[2], energy[2];
  for (int half = 0; half < 2; half++) {
    cap_variator v = push_chain_variator(half ? 30 : 60, 60);
    v.element.edge_turn = 0.5;
    v.element.head = 4.5e-3, v.element.head_thickness = v.element.thickness;
    cap_model *m = push_chain_model(&v);
    values o = {0};
    double q[3 * MOST], zeros[3 * MOST] = {0}, xi = 9e-4;
    push_chain_loop(&v, half ? 5 : 10, xi, q);
    evaluate(m, q, zeros, &o);
    const double *out = o.force + m->batches[0].output_adr;
    for (int k = 0; k < v.simulated; k++, out += CAP_PUSH_CHAIN_NOUTPUT) { /* all alike, the last one, too */
      if (k > 0) assert_true(fabs(out[CAP_PUSH_CHAIN_EDGE] - force[half]) <= 1e-9 * force[half]);
      force[half] = out[CAP_PUSH_CHAIN_EDGE];
    }
    energy[half] = stored(m, q, zeros, o.x);
    cap_model_free(m);
  }
  assert_true(force[0] > 1000.0 && fabs(force[0] - force[1]) <= 1e-9 * force[0]);
  assert_true(energy[0] > 0.01 && fabs(energy[0] - energy[1]) <= 1e-9 * energy[0]);
}

/* A circle of elements that all lean by psi, with a push force of about 2 kN: moment on each over the force
 * and the thickness, which is that of the stack it stands for, too. */
static double moment_of_lean(int simulated, int real, bool stacked, double psi)
{
  cap_variator v = push_chain_variator(simulated, real);
  v.stacked = stacked;
  v.contact.press_friction = 0.0, v.element.edge_turn = 0.5;
  v.element.edge_radius /= stacked ? 1.0 : v.iota; /* as kept elements had it best */
  cap_model *m = push_chain_model(&v);
  values o = {0};
  double q[3 * MOST], zeros[3 * MOST] = {0}, turn = 2.0 * M_PI / simulated, in = 5e-3, out = 60e-3,
                                push = 0.0;
  for (int pass = 0; pass < 60; pass++) {
    double r = 0.5 * (in + out);
    for (int k = 0; k < simulated; k++) {
      q[v.x + k] = r * sin(k * turn), q[v.y + k] = r * cos(k * turn), q[v.pitch + k] = psi - k * turn;
    }
    evaluate(m, q, zeros, &o);
    push = o.force[m->batches[0].output_adr + CAP_PUSH_CHAIN_EDGE];
    if (push > 2000.0) in = r;
    else out = r;
  }
  assert_true(fabs(push - 2000.0) < 1.0);
  double moment = o.h[v.pitch + 5] / (push * v.iota * v.element.thickness);
  cap_model_free(m);
  return moment;
}

/* Elements that lean are set up again by the push force, by N t psi, but for half of the turn of a joint: the
 * faces are those of the elements in front. A stack has the moment of its elements, where the turn of a joint
 * of theirs counts; one thick element has not. */
static void stacks_lean_as_their_elements(void **state)
{
  (void)state;
  for (int k = -1; k <= 1; k++) {
    double psi = 0.02 * k, one = moment_of_lean(60, 60, false, psi), many = moment_of_lean(20, 60, true, psi),
           thick = moment_of_lean(20, 60, false, psi);
    print_message("  leaning by %g rad: moment %.5f, stacks of three %.5f, three times as thick %.5f\n", psi,
                  one, many, thick);
    assert_true(fabs(many - one) < 0.002); /* second order in the turn of a stack, 0.31 rad */
    assert_true(fabs(thick - one) > 0.08);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_chain_is_the_joints),
      cmocka_unit_test(forces_cancel),
      cmocka_unit_test(what_joints_give_is_what_acts),
      cmocka_unit_test(forces_are_slopes),
      cmocka_unit_test(powers_are_what_is_lost),
      cmocka_unit_test(a_restart_keeps_the_bits),
      cmocka_unit_test(angles_are_turned_on_to_the_last_bits),
      cmocka_unit_test(energy_stays_to_second_order),
      cmocka_unit_test(losses_are_what_is_missing),
      cmocka_unit_test(the_angular_frequency_is_that_of_neighbours_against_each_other),
      cmocka_unit_test(fewer_elements_push_alike),
      cmocka_unit_test(stacks_lean_as_their_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
