/* Saddle and ear on a ring: gaps and their rates, virtual power, action and reaction, turning together,
 * forces of the smooth element and its tangents; on a toy ring whose kinematics are closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "../support/tangents.h"

#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/contact/saddle.h"
#include "linalg/eigen.h"
#include "model/builder.h"

#include "../support/ring.h"

/* In double precision, unlike cmocka's own. */
static void check_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

/* ---- a round ring that moves, turns and grows: coordinates centre, angle, radius ----------------------- */

static const double toy_length = 0.667;

static double toy_angle(const cap_ring *ring, const double *q, double xi)
{
  return M_PI - 2.0 * M_PI * xi / ring->length + q[ring->first + 2]; /* xi grows clockwise */
}

static void toy_place(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  double a = toy_angle(ring, q, xi), R = q[ring->first + 3], k = -2.0 * M_PI / ring->length;
  for (int i = 0; i < 2; i++) {
    double e = i ? sin(a) : cos(a), f = i ? cos(a) : -sin(a);
    r[i] = q[ring->first + i] + R * e;
    r1[i] = k * R * f;
    r2[i] = -k * k * R * e;
  }
}

static void toy_point(const cap_ring *ring, const double *q, double xi, cap_ring_point *p)
{
  double a = toy_angle(ring, q, xi), R = q[ring->first + 3], c = cos(a), s = sin(a);
  *p = (cap_ring_point){.r = {q[ring->first] + R * c, q[ring->first + 1] + R * s},
                        .t = {s, -c},
                        .curvature = 1.0 / R,
                        .stretch = 2.0 * M_PI * R / ring->length,
                        .ncoord = 4,
                        .J = {{1.0, 0.0, -R * s, c}, {0.0, 1.0, R * c, s}},
                        .turn = {0.0, 0.0, 1.0, 0.0}};
  for (int i = 0; i < 4; i++) p->coord[i] = ring->first + i;
}

static const cap_ring_type toy_type = {.name = "toy", .point_at = toy_point, .place_at = toy_place};

/* Coordinates: ring 0 to 3, then x, y, pitch of the element. */
enum { NQ = 7 };
static const cap_ring toy = {.type = &toy_type, .name = "toy", .length = 0.667, .first = 0, .ncoord = 4};
static const double thickness = 1.665e-3;

static cap_saddle_point point_of(double side, double up)
{
  return (cap_saddle_point){
      .ring = &toy, .coord = {4, 5, 6}, .a = {0.0003, up}, .side = side, .half_thick = 0.5 * thickness};
}

/* The element somewhere on the ring, its saddle near the inner surface. */
static void random_state(uint64_t *seed, double side, double up, double *q, double *v)
{
  double R = toy_length / (2.0 * M_PI) * test_random(seed, 0.999, 1.001), phi = test_random(seed, -3, 3);
  double off = -side * (0.5 * thickness + test_random(seed, -2e-5, 2e-5)), pitch = phi - 0.5 * M_PI;
  q[0] = test_random(seed, -0.1, 0.1), q[1] = test_random(seed, -0.1, 0.1);
  q[2] = test_random(seed, -3, 3), q[3] = R;
  q[6] = pitch + test_random(seed, -0.1, 0.1);
  q[4] = q[0] + (R + off) * cos(phi) - (cos(q[6]) * 0.0003 - sin(q[6]) * up);
  q[5] = q[1] + (R + off) * sin(phi) - (sin(q[6]) * 0.0003 + cos(q[6]) * up);
  for (int i = 0; i < NQ; i++) v[i] = test_random(seed, -1, 1);
}

static void gaps_and_their_rates(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < 400; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], g[2], hint = 0.0;
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at, warm, next;
    random_state(&seed, side, up, q, v);
    cap_saddle_find(&p, q, &hint, &at);
    cap_saddle_find(&p, q, &hint, &warm);
    check_near(warm.xi, at.xi, 1e-12);
    double far = hypot(at.place[0] - q[0], at.place[1] - q[1]);
    check_near(at.gap, side * (q[3] - far) - 0.5 * thickness, 1e-15);
    cap_saddle_velocity(&p, &at, v, g);
    double h = 1e-6, gap[2];
    for (int s = 0; s < 2; s++) {
      double moved[NQ], own = hint;
      for (int i = 0; i < NQ; i++) moved[i] = q[i] + (s ? -h : h) * v[i];
      cap_saddle_find(&p, moved, &own, &next);
      gap[s] = next.gap;
    }
    check_near(g[0], (gap[0] - gap[1]) / (2.0 * h), 1e-8);
  }
}

/* f.g is the power of all forces; J gives both; no force and no moment from inside. */
static void forces_and_velocities_are_dual(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 400; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], g[2], h[NQ] = {0};
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at;
    random_state(&seed, side, up, q, v);
    cap_saddle_find(&p, q, NULL, &at);
    cap_saddle_velocity(&p, &at, v, g);
    double f[2] = {test_random(&seed, 0, 1000), test_random(&seed, -100, 100)}, power = 0.0;
    cap_saddle_push(&p, &at, f, h);
    for (int i = 0; i < NQ; i++) power += h[i] * v[i];
    check_near(power, f[0] * g[0] + f[1] * g[1], 1e-11);
    int coord[CAP_SADDLE_COORDS], n;
    double J[CAP_SADDLE_ROWS][CAP_SADDLE_COORDS];
    assert_int_equal(n = cap_saddle_jacobian(&p, &at, coord, J), NQ);
    for (int r = 0; r < 2; r++) {
      double own = 0.0;
      for (int i = 0; i < n; i++) own += J[r][i] * v[coord[i]];
      check_near(own, g[r], 1e-14);
    }
    for (int i = 0; i < n; i++) check_near(J[0][i] * f[0] + J[1][i] * f[1], h[coord[i]], 1e-10);
    /* the ring's centre and angle are those of a rigid body */
    check_near(h[0] + h[4], 0.0, 1e-10);
    check_near(h[1] + h[5], 0.0, 1e-10);
    double moment = q[0] * h[1] - q[1] * h[0] + h[2] + q[4] * h[5] - q[5] * h[4] + h[6];
    check_near(moment, 0.0, 1e-10);
  }
}

static void turning_together_does_not_slide(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int k = 0; k < 100; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], g[2];
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at;
    random_state(&seed, side, up, q, v);
    cap_saddle_find(&p, q, NULL, &at);
    double w = 209.0, rigid[NQ] = {-w * q[1], w * q[0], w, 0.0, -w * q[5], w * q[4], w};
    cap_saddle_velocity(&p, &at, rigid, g);
    check_near(g[0], 0.0, 1e-12);
    check_near(g[1], 0.0, 1e-12);
    /* the ring alone: its inner surface is slower than its centre line by the lever */
    double alone[NQ] = {0.0, 0.0, w, 0.0, 0.0, 0.0, 0.0};
    cap_saddle_velocity(&p, &at, alone, g);
    check_near(g[1], w * (q[3] - side * (0.5 * thickness + at.gap)), 1e-11);
  }
}

/* ---- the smooth element -------------------------------------------------------------------------------- */

static test_system system_of(double side, double up, double damping, const double *q, const double *v)
{
  static const char *const names[NQ] = {"cx", "cy", "angle", "radius", "x", "y", "pitch"};
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  for (int i = 0; i < NQ; i++) cap_builder_dof(b, names[i], i == 2 || i == 6 ? "rad" : "m", 1.0, q[i], v[i]);
  double par[CAP_SADDLE_NPARAM] = {5,       6,   0.0003, up,   side, thickness, 1e7, 1.5,
                                   damping, 8e6, 300.0,  0.12, 0.1,  0.5,       0.2},
         z = -1e-6;
  int element = cap_builder_element(b, &cap_saddle_type, "saddle", 4, CAP_GROUND, par, &z);
  cap_builder_body(b, element, &toy);
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Power of all forces = - growth of what is stored - what is lost, at any state; nothing is lost that is
 * negative. */
static void the_element_balances_its_power(void **state)
{
  (void)state;
  uint64_t seed = 11;
  int closed = 0, slides = 0;
  for (int k = 0; k < 200; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], t = 0.0;
    random_state(&seed, side, up, q, v);
    for (int i = 0; i < NQ; i++) v[i] *= 0.02;
    test_system s = system_of(side, up, 20.0, q, v);
    double h[NQ] = {0}, x = test_random(&seed, -1e-5, 1e-5), xdot = 0.0, power[8] = {0}, force[64],
           work = 0.0;
    cap_eval e = {
        .nlane = 1, .t = &t, .q = q, .v = v, .x = &x, .h = h, .xdot = &xdot, .power = power, .force = force};
    cap_model_rates(s.m, &e);
    for (int i = 0; i < NQ; i++) work += h[i] * v[i];
    double step = 1e-7, stored[2] = {0};
    for (int p = 0; p < 2; p++) {
      double moved[NQ], z = x + (p ? -step : step) * xdot;
      for (int i = 0; i < NQ; i++) moved[i] = q[i] + (p ? -step : step) * v[i];
      cap_eval there = {.nlane = 1, .t = &t, .q = moved, .v = v, .x = &z};
      s.m->batches[0].type->energy(&s.m->batches[0], &there, &stored[p]);
    }
    double growth = (stored[0] - stored[1]) / (2.0 * step), size = fabs(growth) + power[0] + power[1] + 1e-3;
    assert_true(power[0] >= 0.0 && power[1] >= 0.0);
    check_near(work, -growth - power[0] - power[1], 1e-6 * size);
    closed += force[s.m->batches[0].elem_adr] > 0.0;
    slides += power[1] > 0.0;
    cap_data_free(s.d);
    cap_model_free(s.m);
  }
  print_message("  %d of 200 closed, %d slide\n", closed, slides);
  assert_true(closed > 60 && closed < 140 && slides > 20);
}

static void tangents_match_differences(void **state)
{
  (void)state;
  uint64_t seed = 13;
  for (int k = 0; k < 40; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ];
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at;
    do {
      random_state(&seed, side, up, q, v);
      cap_saddle_find(&p, q, NULL, &at);
    } while (at.gap > -2e-6); /* away from the corner of the law */
    for (int i = 0; i < NQ; i++) v[i] *= 0.002;
    test_system s = system_of(side, up, 20.0, q, v);
    double y[2 * NQ + 1];
    memcpy(y, q, sizeof q);
    memcpy(y + NQ, v, sizeof v);
    y[2 * NQ] = k % 4 < 2 ? 0.0 : 5e-5; /* sticks, slides: outside the passage between them */
    test_tangents_at(&s, y, 1e-2);
    cap_data_free(s.d);
    cap_model_free(s.m);
  }
}

/* A run that goes on from copied data with a stepper that knows nothing gives the bits of one that was not
 * stopped: from where the search starts is in the data. */
static void a_resumed_run_has_the_same_bits(void **state)
{
  (void)state;
  enum { ADVANCES = 12, MIDDLE = 5 };
  uint64_t seed = 31;
  int closed = 0;
  for (int k = 0; k < 60; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ];
    random_state(&seed, side, up, q, v);
    for (int i = 0; i < NQ; i++) v[i] *= 0.02;
    test_system whole = system_of(side, up, 20.0, q, v), rest = system_of(side, up, 20.0, q, v);
    cap_stepper stepper = test_stepper(&whole, &cap_leapfrog_type, 1e-6, 1e-8, true), fresh;
    for (int a = 1; a <= ADVANCES; a++) {
      test_advance(&whole, &stepper, 2.3e-5 * a, NULL);
      if (a == MIDDLE) cap_data_copy(rest.m, rest.d, whole.d);
    }
    fresh = test_stepper(&rest, &cap_leapfrog_type, 1e-6, 1e-8, true);
    for (int a = MIDDLE + 1; a <= ADVANCES; a++) test_advance(&rest, &fresh, 2.3e-5 * a, NULL);
    assert_true(whole.d->warm[0] > 0.0);
    assert_memory_equal(whole.d->y, rest.d->y, sizeof(double) * (size_t)whole.m->nstate);
    assert_true(cap_data_hash(whole.m, whole.d) == cap_data_hash(rest.m, rest.d));
    closed += whole.d->v[4] != v[4];
    cap_stepper_free(&stepper);
    cap_stepper_free(&fresh);
    test_system_close(&whole);
    test_system_close(&rest);
  }
  assert_true(closed > 20);
}

/* ---- the contact type ---------------------------------------------------------------------------------- */

static void rows_of_the_contact_type(void **state)
{
  (void)state;
  uint64_t seed = 17;
  double worst = 0.0;
  for (int k = 0; k < 200; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], dq[NQ], g[2];
    const double par[CAP_SADDLE_CONTACT_NPARAM] = {0.0003, up, side, thickness};
    const int coord[CAP_SADDLE_COORDS] = {4, 5, 6};
    const void *const bodies[1] = {&toy};
    cap_contact_batch b = {
        .type = &cap_saddle_contact_type, .n = 1, .coord = coord, .par = par, .bodies = bodies};
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at;
    cap_contact_rows rows = {0}, drows = {0}, off[4] = {0};
    random_state(&seed, side, up, q, v);
    cap_saddle_find(&p, q, NULL, &at);
    cap_saddle_velocity(&p, &at, v, g);
    b.type->rows(&b, 0, 1, 0.0, q, NULL, &rows);
    check_near(rows.gap[0], at.gap, 1e-15);
    for (int r = 0; r < 2; r++) {
      double own = 0.0;
      for (int c = 0; c < CAP_SADDLE_COORDS; c++) own += rows.J[r][c] * v[rows.coord[c]];
      check_near(own, g[r], 1e-13);
    }
    const double h = 1e-5, place[4] = {-2, -1, 1, 2};
    for (int i = 0; i < NQ; i++) dq[i] = test_random(&seed, -1, 1) * (i == 2 || i == 6 ? 1.0 : 0.05);
    b.type->turn(&b, 0, 1, 0.0, q, NULL, &rows, 0.0, dq, NULL, 1, &drows);
    for (int s = 0; s < 4; s++) {
      double moved[NQ];
      for (int i = 0; i < NQ; i++) moved[i] = q[i] + place[s] * h * dq[i];
      b.type->rows(&b, 0, 1, 0.0, moved, NULL, &off[s]);
    }
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < NQ; c++) {
        double slope = (8.0 * (off[2].J[r][c] - off[1].J[r][c]) - (off[3].J[r][c] - off[0].J[r][c])) /
                       (12.0 * h);
        worst = fmax(worst, fabs(slope - drows.J[r][c]));
      }
    double slope = (8.0 * (off[2].gap[0] - off[1].gap[0]) - (off[3].gap[0] - off[0].gap[0])) / (12.0 * h);
    worst = fmax(worst, fabs(slope - drows.gap[0]));
  }
  print_message("  derivatives within %.1e\n", worst);
  assert_true(worst < 1e-6);
}

/* In a model, by the regularised law: forces do the work that is stored or lost. */
static void the_contact_type_in_a_model(void **state)
{
  (void)state;
  static const char *const names[NQ] = {"cx", "cy", "angle", "radius", "x", "y", "pitch"};
  uint64_t seed = 19;
  int closed = 0;
  for (int k = 0; k < 100; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], t = 0.0;
    const double par[CAP_SADDLE_CONTACT_NPARAM] = {0.0003, up, side, thickness};
    const int coord[CAP_SADDLE_COORDS] = {4, 5, 6};
    random_state(&seed, side, up, q, v);
    cap_builder *b = cap_builder_create(1);
    for (int i = 0; i < NQ; i++)
      cap_builder_dof(b, names[i], i == 2 || i == 6 ? "rad" : "m", 1.0, q[i], v[i]);
    cap_contact_law law = {.kind = CAP_LAW_REGULARISED,
                           .normal_stiffness = 1e7,
                           .friction = {.mu_static = 0.1, .mu_kinetic = 0.1},
                           .v_regular = 1e-3};
    int contact = cap_builder_contact(b, &cap_saddle_contact_type, "saddle", coord, NULL, par, &law);
    cap_builder_contact_body(b, contact, &toy);
    cap_model *m = NULL;
    cap_error error = {0};
    if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
    cap_builder_free(b);
    double h[NQ] = {0}, power[CAP_CONTACT_MECHS] = {0}, force[16] = {0}, work = 0.0;
    cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = v, .h = h, .power = power, .force = force};
    cap_model_rates(m, &e);
    for (int i = 0; i < NQ; i++) work += h[i] * v[i];
    const double *out = force + m->contacts[0].output_adr, normal = -out[0], rate = out[2];
    check_near(work, normal * rate - power[1], 1e-10 * (1.0 + fabs(work)));
    assert_true(power[1] >= 0.0 && normal >= 0.0);
    closed += normal > 0.0;
    cap_model_free(m);
  }
  assert_true(closed > 20);
}

/* The same by the set-valued law, over one step in which it strikes: what the element gains the ring loses,
 * and both part or stay together. */
static void impulses_act_on_element_and_ring(void **state)
{
  (void)state;
  static const char *const names[NQ] = {"cx", "cy", "angle", "radius", "x", "y", "pitch"};
  uint64_t seed = 29;
  int closed = 0;
  for (int k = 0; k < 100; k++) {
    double side = k % 2 ? 1.0 : -1.0, up = side > 0 ? 0.001 : 0.0032, q[NQ], v[NQ], change[NQ], g[2];
    const double par[CAP_SADDLE_CONTACT_NPARAM] = {0.0003, up, side, thickness};
    const int coord[CAP_SADDLE_COORDS] = {4, 5, 6};
    random_state(&seed, side, up, q, v);
    cap_builder *b = cap_builder_create(1);
    for (int i = 0; i < NQ; i++)
      cap_builder_dof(b, names[i], i == 2 || i == 6 ? "rad" : "m", 1.0, q[i], v[i]);
    cap_contact_law law = {.kind = CAP_LAW_SET_VALUED, .friction = {.mu_static = 0.1, .mu_kinetic = 0.1}};
    int contact = cap_builder_contact(b, &cap_saddle_contact_type, "saddle", coord, NULL, par, &law);
    cap_builder_contact_body(b, contact, &toy);
    test_system s = {0};
    cap_error error = {0};
    if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
    cap_builder_free(b);
    assert_non_null(s.d = cap_data_create(s.m));
    test_run(&s, &cap_timestepping_type, 1e-7, 1e-7);
    for (int i = 0; i < NQ; i++) change[i] = s.d->v[i] - v[i];
    check_near(change[0] + change[4], 0.0, 1e-14);
    check_near(change[1] + change[5], 0.0, 1e-14);
    cap_saddle_point p = point_of(side, up);
    cap_saddle_place at;
    cap_saddle_find(&p, s.d->q, NULL, &at);
    cap_saddle_velocity(&p, &at, s.d->v, g);
    if (change[4] != 0.0) {
      closed++;
      check_near(g[0], 0.0, 1e-4); /* positions are corrected after the impact */
    }
    test_system_close(&s);
  }
  assert_true(closed > 10);
}

/* ---- the ring models of the program -------------------------------------------------------------------- */

/* On each: an element on the upper strand, on an arc and beside a node, ring and element in arbitrary motion.
 * The gap's rate is that of the geometry, whatever xi means; forces and velocities are dual. */
static void on_every_ring_model(void **state)
{
  (void)state;
  for (int k = 0; cap_ring_types[k]; k++) {
    enum { NODES = 24, MOST = 4 * NODES + 8 };
    cap_ring_shape shape = test_ring_reference(cap_ring_types[k]->name, NODES);
    shape.centre_distance = 0.155;
    shape.theta = 0.1;
    test_ring t = test_ring_build(&shape);
    int nv = t.s.m->nv;
    uint64_t seed = 23;
    double worst = 0.0;
    assert_true(nv + 3 <= MOST);
    for (int trial = 0; trial < 60; trial++) {
      double q[MOST] = {0}, v[MOST] = {0}, h[MOST] = {0}, g[2], side = trial % 2 ? 1.0 : -1.0;
      memcpy(q, t.s.d->q, sizeof(double) * (size_t)nv);
      for (int i = 0; i < nv; i++) {
        bool length = strcmp(t.s.m->dof_unit[i], "m") == 0;
        q[i] += (length ? 1e-5 : 1e-4) * test_random(&seed, -1, 1);
      }
      for (int i = 0; i < nv + 3; i++) v[i] = test_random(&seed, -1, 1);
      cap_ring_point on;
      cap_ring_point_at(t.ring, q, t.ring->length * test_random(&seed, 0, 1), &on);
      double up = side > 0 ? 0.001 : 0.0032,
             off = -side * (0.5 * thickness + test_random(&seed, -2e-5, 2e-5));
      cap_saddle_point p = {.ring = t.ring,
                            .coord = {nv, nv + 1, nv + 2},
                            .a = {0.0003, up},
                            .side = side,
                            .half_thick = 0.5 * thickness};
      q[nv + 2] = atan2(on.t[1], on.t[0]) + test_random(&seed, -0.05, 0.05);
      double c = cos(q[nv + 2]), s = sin(q[nv + 2]);
      q[nv] = on.r[0] - on.t[1] * off - (c * 0.0003 - s * up);
      q[nv + 1] = on.r[1] + on.t[0] * off - (s * 0.0003 + c * up);
      cap_saddle_place at, next;
      double hint = 0.0, gap[2], step = 1e-7, power = 0.0;
      cap_saddle_find(&p, q, &hint, &at);
      check_near(at.d, off, 1e-9);
      cap_saddle_velocity(&p, &at, v, g);
      for (int side2 = 0; side2 < 2; side2++) {
        double moved[MOST];
        for (int i = 0; i < nv + 3; i++) moved[i] = q[i] + (side2 ? -step : step) * v[i];
        double own = hint;
        cap_saddle_find(&p, moved, &own, &next);
        gap[side2] = next.gap;
      }
      worst = fmax(worst, fabs(g[0] - (gap[0] - gap[1]) / (2.0 * step)));
      const double f[2] = {test_random(&seed, 0, 1000), test_random(&seed, -100, 100)};
      cap_saddle_push(&p, &at, f, h);
      for (int i = 0; i < nv + 3; i++) power += h[i] * v[i];
      check_near(power, f[0] * g[0] + f[1] * g[1], 1e-9 * (1.0 + fabs(power)));
    }
    print_message("  %s: rate of the gap within %.1e m/s of differences\n", cap_ring_types[k]->name, worst);
    assert_true(worst < 1e-5);
    cap_data_free(t.s.d);
    cap_model_free(t.s.m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_and_their_rates),
      cmocka_unit_test(forces_and_velocities_are_dual),
      cmocka_unit_test(turning_together_does_not_slide),
      cmocka_unit_test(the_element_balances_its_power),
      cmocka_unit_test(tangents_match_differences),
      cmocka_unit_test(a_resumed_run_has_the_same_bits),
      cmocka_unit_test(rows_of_the_contact_type),
      cmocka_unit_test(the_contact_type_in_a_model),
      cmocka_unit_test(impulses_act_on_element_and_ring),
      cmocka_unit_test(on_every_ring_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
