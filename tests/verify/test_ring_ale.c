/* The `ale` and `ale0` rings against closed forms and against Lagrange's equations by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/sanitized.h"
#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"

#include "../support/ring.h"
#include "drives/pushbelt/ring/ring_ale.h"

/* A state off the reference, all moving. */
static void shake(test_system *s, double size, double speed)
{
  uint64_t seed = 7;
  const cap_model *m = s->m;
  for (int i = 0; i < m->nv; i++) {
    bool slope = strstr(m->dof_name[i], "slope") != NULL, lead = i < 2 && !strstr(m->dof_name[i], ".x");
    s->d->q[i] += (slope ? 20.0 : lead ? 0.0 : 1.0) * size * test_random(&seed, -1.0, 1.0);
    s->d->v[i] += (slope ? 20.0 : lead ? 0.0 : 1.0) * speed * test_random(&seed, -1.0, 1.0);
  }
}

/* Tangents of the whole system against central differences, in a few directions. */
static void check_tangents(const cap_ring_shape *shape, double size, double speed)
{
  test_system s = test_ring_build(shape).s;
  shake(&s, size, speed);
  int n = s.m->nstate, ncol = 6;
  size_t bytes = (size_t)(n * ncol) * sizeof(double);
  double *dy = malloc(bytes), *dh = malloc(bytes), *dydot = malloc(bytes), *y = malloc(bytes),
         *h = malloc(bytes);
  double *up = malloc(bytes), *down = malloc(bytes);
  uint64_t seed = 3;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < ncol; c++) {
      bool slope = strstr(s.m->dof_name[i % s.m->nv], "slope") != NULL;
      bool on = c == 0 ? i == 1 : c == 1 ? i == s.m->nv : c == 2 ? i == s.m->nv + 1 : true;
      dy[i * ncol + c] = on ? (i < s.m->nv ? 1.0 : 1e3) *
                                  (slope   ? 20.0
                                   : i < 2 ? 10.0
                                           : 1.0) *
                                  test_random(&seed, -1.0, 1.0)
                            : 0.0;
    }
  cap_eval e = {.nlane = 1, .ncol = ncol, .t = s.d->t, .h = h, .dh = dh, .inertia_work = s.d->inertia_work};
  cap_model_derivative(s.m, &e, s.d->y, dy, up, dydot);
  for (int c = 0; c < ncol; c++) {
    double step = 1e-7, largest = 0.0, worst = 0.0;
    for (int side = -1; side <= 1; side += 2) {
      for (int i = 0; i < n; i++) y[i] = s.d->y[i] + side * step * dy[i * ncol + c];
      cap_eval plain = {.nlane = 1, .t = s.d->t, .h = h, .inertia_work = s.d->inertia_work};
      cap_model_derivative(s.m, &plain, y, NULL, side < 0 ? down : up, NULL);
    }
    for (int i = 0; i < n; i++) {
      double slope = (up[i] - down[i]) / (2.0 * step);
      largest = fmax(largest, fabs(slope));
      worst = fmax(worst, fabs(slope - dydot[i * ncol + c]));
    }
    assert_true(worst <= 1e-5 * largest);
  }
  free(dy), free(dh), free(dydot), free(y), free(h), free(up), free(down);
  test_system_close(&s);
}

static void tangents_are_derivatives(void **state)
{
  (void)state;
  cap_ring_shape s = test_ring_oval("ale", 12);
  s.theta = 0.2;
  s.speed = 9.0;
  s.theta_speed = 3.0;
  check_tangents(&s, 1e-4, 1.0);
  s.section.damping = 1e-5;
  s.free_length = 0.6666;
  check_tangents(&s, 1e-4, 1.0);
  s.curvature = CAP_RING_DOCUMENT;
  check_tangents(&s, 1e-4, 1.0);
}

/* Without damping the energy stays, with joints on their way through the elements; with damping what is lost
 * is what the audit says. */
static void energy_stays(void **state)
{
  (void)state;
  bool all = test_all("energy without damping by the exact curvature"); /* with damping: make test, too */
  for (int k = TEST_SANITIZED ? 2 : all ? 0 : 1; k < 3; k++) {
    cap_ring_shape shape = test_ring_oval("ale", 12);
    shape.curvature = k == 1 ? CAP_RING_DOCUMENT : CAP_RING_EXACT;
    shape.theta = 0.2;
    shape.speed = 9.0;
    shape.theta_speed = 10.0;
    shape.section.damping = k == 2 ? 1e-7 : 0.0;
    test_system s = test_ring_build(&shape).s;
    shake(&s, 1e-5, 0.1);
    cap_data_start_audit(s.m, s.d);
    double start = test_ring_energy(&s), ratio = s.d->q[1], time = 5e-3;
    test_run(&s, &cap_extrapolate_type, 0.0, time);
    double change = test_ring_energy(&s) - start;
    assert_true(fabs(s.d->q[1] - ratio) > 0.01); /* 5 mm of joint */
    if (k < 2) assert_true(fabs(change) < 1e-6 * time * start);
    else {
      assert_true(change < -1e-3 * start);
      assert_true(test_balance(&s, NULL) < 1e-6);
      assert_true(fabs(test_work(&s, "ring.damping") + change) < 1e-6 * start);
    }
    test_system_close(&s);
  }
}

/* With node 0 locked the mass matrix is positive definite; free, its place repeats what s and Theta do: the
 * part of r' and r_Theta that the deformation cannot make is next to nothing. */
static void mass_needs_the_lock(void **state)
{
  (void)state;
  cap_ring_shape shape = test_ring_oval("ale", 16);
  shape.theta = 0.25;
  test_ring locked = test_ring_build(&shape);
  assert_true(cap_inertia_factor(locked.s.m, locked.s.d->q, locked.s.d->inertia_work));
  shape.lock_theta = shape.lock_travel = true;
  test_ring open = test_ring_build(&shape);
  const cap_ring_ale *a = (const cap_ring_ale *)open.ring;
  int n = open.s.m->nv, points = 400;
  double rest[2][2] = {{0.0}}, *B = calloc((size_t)(4 * n), sizeof *B);
  cap_ring_frame f;
  cap_ring_reference_at(&a->ref, shape.theta, &f);
  for (int i = 0; i < points; i++) { /* rho int S r', rho int S r_Theta */
    double xi = shape.length * (i + 0.5) / points, w = shape.section.mass * shape.length / points;
    cap_ring_place p;
    cap_ring_point at;
    cap_ring_reference_place(&a->ref, &f, cap_ring_reference_part(&a->ref, &f, xi), xi, &p);
    cap_ring_point_at(open.ring, open.s.d->q, xi, &at);
    for (int c = 0; c < 2; c++) {
      const double *r = c ? p.rT : p.r1;
      rest[c][0] += w * (r[0] * r[0] + r[1] * r[1]);
      for (int k = 0; k < at.ncoord; k++)
        B[c * n + at.coord[k]] += w * (at.J[0][k] * r[0] + at.J[1][k] * r[1]);
    }
  }
  memcpy(B + 2 * n, B, sizeof(double) * (size_t)(2 * n));
  assert_true(cap_inertia_factor(open.s.m, open.s.d->q, open.s.d->inertia_work));
  for (int c = 0; c < 2; c++) {
    cap_inertia_solve(open.s.m, open.s.d->inertia_work, B + c * n);
    for (int k = 0; k < n; k++) rest[c][1] += B[c * n + k] * B[(2 + c) * n + k];
    assert_true(fabs(rest[c][0] - rest[c][1]) < 1e-3 * rest[c][0]);
  }
  free(B);
  test_system_close(&locked.s);
  test_system_close(&open.s);
}

/* Lowest bending frequency of a circle: the error falls with the fourth power of the mesh. */
static void modes_converge(void **state)
{
  (void)state;
  double error[2], R = TEST_RING_LENGTH / (2.0 * M_PI);
  for (int k = 0; k < 2; k++) {
    cap_ring_shape shape = test_ring_reference("ale", k ? 24 : 12);
    shape.lock_theta = shape.lock_travel = true;
    test_ring t = test_ring_build(&shape);
    double *hertz = calloc((size_t)t.s.m->nv, sizeof *hertz);
    double exact = sqrt(shape.section.EI / shape.section.mass) / (2.0 * M_PI * R * R) * 24.0 / sqrt(10.0);
    int n = test_ring_frequencies(&t, hertz);
    double best = hertz[0];
    for (int i = 1; i < n; i++)
      if (fabs(hertz[i] - exact) < fabs(best - exact)) best = hertz[i];
    error[k] = fabs(best - exact) / exact;
    free(hertz);
    test_system_close(&t.s);
  }
  assert_true(error[1] < 5e-3 && error[0] / error[1] > 8.0);
}

/* ---- the reference curve alone ------------------------------------------------------------------------- */

/* Time of the first return to rest at the other side, twice: the period. */
static double period_of(const cap_ring_shape *shape, double guess, double *most_travel)
{
  test_system s = test_ring_build(shape).s;
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 0.0, 1e-12, false);
  double t = 0.4 * guess, before = 0.0, at = 0.0;
  *most_travel = 0.0;
  for (int k = 0; k < 60 && at == 0.0; k++, t += 0.005 * guess) {
    test_advance(&s, &stepper, t, NULL);
    *most_travel = fmax(*most_travel, fabs(s.d->q[0]));
    if (before < 0.0 && s.d->v[1] >= 0.0) { /* the speed is straight there */
      at = t - 0.005 * guess * s.d->v[1] / (s.d->v[1] - before);
    }
    before = s.d->v[1];
  }
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return 2.0 * at;
}

static void check_reference(const char *model, cap_ring_shape shape, double frequency, double period)
{
  double M, K, C[4], mass[4], stiffness[4], most;
  cap_error error = {0};
  shape.model = model;
  shape.lock_deformation = true;
  test_system s = test_ring_build(&shape).s;
  assert_int_equal(cap_equilibrium_stiffness(s.m, s.d, false, stiffness, C, &error), 2);
  assert_int_equal(cap_equilibrium_mass(s.m, s.d, mass), CAP_OK);
  M = mass[3];
  K = stiffness[3];
  double found = sqrt(K / M) / (2.0 * M_PI);
  assert_true(fabs(found - frequency) < 1e-3 * frequency);
  if (shape.length < 0.7) {
    assert_true(fabs(test_ring_energy(&s) - 0.92157) < 1e-4 * 0.92157);
    assert_true(fabs(K - 1.4131) < 1e-4 * 1.4131);
    assert_true(fabs(M - 1.2737e-3) < 1e-4 * 1.2737e-3);
  }
  test_system_close(&s);
  shape.theta = 0.4;
  found = period_of(&shape, period, &most);
  assert_true(fabs(found - period) < 1e-3 * period);
  assert_true(most < 1e-9);
}

static void ratio_swings(void **state)
{
  (void)state;
  check_reference("ale0", test_ring_oval("ale0", 0), 5.301, 0.15586);
  check_reference("ale", test_ring_public("ale", 20), 114.286, 7.1241e-3);
}

/* ---- a circle ------------------------------------------------------------------------------------------ */

static cap_ring_shape circle(int nodes)
{
  cap_ring_shape shape = test_ring_reference("ale", nodes);
  shape.lock_theta = true;
  return shape;
}

/* The frequency of the spectrum nearest to `hertz`. */
static double nearest(int n, const double *spectrum, double hertz)
{
  double best = spectrum[0];
  for (int k = 1; k < n; k++)
    if (fabs(spectrum[k] - hertz) < fabs(best - hertz)) best = spectrum[k];
  return best;
}

/* Newton to the state where nothing but the travel moves, which keeps its speed. The circle may drift across
 * the x axis: next to no stiffness holds it there. */
static void settle(const test_ring *t)
{
  const cap_model *m = t->s.m;
  bool travels = strstr(m->dof_name[0], "travel") != NULL;
  int n = m->nv;
  size_t bytes = sizeof(double) * (size_t)n;
  double *K = malloc(bytes * (size_t)n), *C = malloc(bytes * (size_t)n), *h = malloc(bytes);
  int *pivot = malloc(sizeof(int) * (size_t)n);
  cap_error error = {0};
  for (int k = 0; k < 8; k++) {
    cap_eval e = {
        .nlane = 1, .t = t->s.d->t, .q = t->s.d->q, .v = t->s.d->v, .x = t->s.d->x, .h = h, .xdot = h};
    cap_model_rates(m, &e);
    assert_int_equal(cap_equilibrium_stiffness(m, t->s.d, false, K, C, &error), n);
    for (int i = 0; i < n && travels; i++) K[i] = 0.0;
    for (int i = 0; i < n; i++) K[i * (n + 1)] += i || !travels ? 1e-6 : 1.0;
    if (travels) h[0] = 0.0; /* the travel stays */
    assert_int_equal(capm_lu_factor(n, K, pivot), 0);
    capm_lu_solve(n, K, pivot, h);
    for (int i = 0; i < n; i++) t->s.d->q[i] += h[i];
  }
  free(K), free(C), free(h), free(pivot);
}

static void circle_has_its_modes(void **state)
{
  (void)state;
  static const double exact[] = {9.600, 27.15, 52.06, 84.19}, document[] = {8.31, 25.60, 50.41, 82.50};
  double R = TEST_RING_LENGTH / (2.0 * M_PI);
  for (int k = 0; k < 2; k++) {
    cap_ring_shape shape = circle(48);
    shape.curvature = k ? CAP_RING_DOCUMENT : CAP_RING_EXACT;
    shape.lock_travel = true;
    test_ring t = test_ring_build(&shape);
    settle(&t);
    double *hertz = calloc((size_t)t.s.m->nv, sizeof *hertz);
    int n = test_ring_frequencies(&t, hertz);
    for (int i = 0; i < 14; i++) print_message(" %.4g", hertz[i]);
    for (int i = 0; i < 4; i++) {
      double wanted = k ? document[i] : exact[i], found = nearest(n, hertz, wanted);
      assert_true(fabs(found - wanted) < (k ? 0.01 : 1e-3) * wanted);
    }
    cap_ring_point p;
    for (int i = 0; i < 48; i++) {
      cap_ring_point_at(t.ring, t.s.d->q, t.ring->length * i / 48, &p);
      double tension = k ? -shape.section.EI / (R * R) : 0.0;
      if (i == 5) print_message("tension %.6g of %.6g\n", p.tension, tension);
      assert_true(fabs(p.tension - tension) < 0.01 * shape.section.EI / (R * R));
    }
    free(hertz);
    test_system_close(&t.s);
  }
}

/* Stretching without bending: f = sqrt(EA/rho (1 + n^2)) / (2 pi R), with an error of the second order. */
static void circle_stretches(void **state)
{
  (void)state;
  double R = TEST_RING_LENGTH / (2.0 * M_PI), error[2];
  for (int fine = 0; fine < 2; fine++) {
    cap_ring_shape shape = circle(fine ? 48 : 24);
    shape.section.EI *= 1e-8;
    shape.lock_travel = true;
    test_ring t = test_ring_build(&shape);
    double *hertz = calloc((size_t)t.s.m->nv, sizeof *hertz);
    double breathing = sqrt(shape.section.EA / shape.section.mass) / (2.0 * M_PI * R);
    int n = test_ring_frequencies(&t, hertz);
    assert_true(fabs(breathing - 7111.0) < 1e-3 * 7111.0);
    for (int k = 0; k < 3; k++) {
      double wanted = breathing * sqrt(1.0 + k * k), found = nearest(n, hertz, wanted);
      error[fine] = fabs(found - wanted) / wanted;
      assert_true(error[fine] < (k ? fine ? 4e-3 : 1.5e-2 : 1e-5));
    }
    free(hertz);
    test_system_close(&t.s);
  }
  assert_true(error[0] / error[1] > 3.0 && error[0] / error[1] < 5.0);
}

/* Spinning: tension rho u^2 lambda, all over. */
static void spinning_circle_is_tight(void **state)
{
  (void)state;
  cap_ring_shape shape = circle(96);
  shape.speed = 40.0;
  for (int k = 0; k < 2; k++) {
    shape.free_length = k ? 0.9995 * shape.length : 0.0;
    test_ring t = test_ring_build(&shape);
    settle(&t);
    double worst = 0.0;
    for (int i = 0; i < 192; i++) { /* nodes and middles, where the strain is taken */
      cap_ring_point p;
      cap_ring_point_at(t.ring, t.s.d->q, t.ring->length * i / 192, &p);
      double gain = k ? 1.0 / 0.9995 : 1.0, stretch = gain * p.stretch;
      double tension = shape.section.mass * pow(shape.speed / gain, 2) * stretch;
      worst = fmax(worst, fabs(p.tension - tension) / tension);
      if (i == 7) print_message("tension %.9g, wanted %.9g\n", p.tension, tension);
    }
    assert_true(worst < 1e-6);
    test_system_close(&t.s);
  }
}

/* Many elements at once give what one by one do, on even and graded meshes, wherever the joints are. */
static void fast_way_is_the_same(void **state)
{
  (void)state;
  double mesh[70];
  for (int k = 0; k < 70; k++) mesh[k] = TEST_RING_LENGTH * (k + 0.3 * sin(0.5 * k)) / 70;
  for (int k = 0; k < 24; k++) {
    cap_ring_shape shape = test_ring_oval("ale", k % 3 ? 70 : 131);
    shape.mesh = k % 3 == 1 ? mesh : NULL;
    shape.theta = -0.6 + 0.05 * k;
    shape.speed = 9.0;
    shape.theta_speed = 3.0;
    shape.section.damping = k % 2 ? 1e-6 : 0.0;
    shape.free_length = k % 5 ? 0.0 : 0.6666;
    if (k % 7 == 6) shape.lock_theta = true, shape.lock_travel = k % 2;
    if (k == 20) shape.centre_distance = 0.0, shape.theta = 0.0, shape.lock_theta = true;
    test_ring t = test_ring_build(&shape);
    const cap_ring_ale *a = (const cap_ring_ale *)t.ring;
    shake(&t.s, 1e-5, 1.0);
    int n = t.s.m->nv;
    double *h = calloc((size_t)(2 * n), sizeof *h), *plain = h + n, size[2] = {0.0}, worst[2] = {0.0};
    double lost = cap_ring_ale_force_add(a, t.s.d->q, t.s.d->v, h);
    cap_ring_ale_force_plain(a, t.s.d->q, t.s.d->v, plain);
    cap_ring_ale_energies all = cap_ring_ale_force_energies(a, t.s.d->q, t.s.d->v);
    for (int i = 0; i < n; i++) {
      int kind = strstr(t.s.m->dof_name[i], "slope") != NULL;
      size[kind] = fmax(size[kind], fabs(plain[i]));
      worst[kind] = fmax(worst[kind], fabs(plain[i] - h[i]));
    }
    assert_true(worst[0] <= 1e-10 * size[0] && worst[1] <= 1e-10 * size[1]);
    assert_true(fabs(lost - all.lost) <= 1e-10 * all.lost);
    assert_true((lost > 0.0) == (shape.section.damping > 0.0));
    /* T by the matrix and by the points: the same mass */
    double stored;
    cap_eval e = {
        .nlane = 1, .t = t.s.d->t, .q = t.s.d->q, .v = t.s.d->v, .inertia_work = t.s.d->inertia_work};
    cap_model_energy(t.s.m, &e, &stored);
    assert_true(fabs(stored - all.tension - all.bending - all.kinetic) < 1e-6 * all.kinetic);
    free(h);
    test_system_close(&t.s);
  }
}

/* ---- Lagrange's equations by brute force --------------------------------------------------------------- */

static double kinetic_at(const cap_ring_ale *a, const double *q, const double *v)
{
  return cap_ring_ale_force_energies(a, q, v).kinetic;
}

static double elastic_at(const cap_ring_ale *a, const double *q, const double *v)
{
  cap_ring_ale_energies now = cap_ring_ale_force_energies(a, q, v);
  return now.tension + now.bending;
}

/* dT/dv_k, exact: T is a square in v. */
static double momentum(const cap_ring_ale *a, const double *q, double *v, int k, double step)
{
  double kept = v[k];
  v[k] = kept + step;
  double up = kinetic_at(a, q, v);
  v[k] = kept - step;
  double down = kinetic_at(a, q, v);
  v[k] = kept;
  return (up - down) / (2.0 * step);
}

/* h = d(T - V)/dq - (d/dq dT/dv) v by differences of the energies of five places each. */
static double lagrange(const cap_ring_ale *a, int n, double *q, double *v, int k, double dq, double dv,
                       double dt)
{
  static const double weight[5] = {1.0, -8.0, 0.0, 8.0, -1.0};
  double kept = q[k], slope = 0.0, drift = 0.0, along[400];
  assert_true(n <= 400);
  for (int i = 0; i < 5; i++) {
    if (i == 2) continue;
    q[k] = kept + (i - 2) * dq;
    slope += weight[i] * (kinetic_at(a, q, v) - elastic_at(a, q, v)) / (12.0 * dq);
    q[k] = kept;
    for (int j = 0; j < n; j++) along[j] = q[j] + (i - 2) * dt * v[j];
    drift += weight[i] * momentum(a, along, v, k, dv) / (12.0 * dt);
  }
  return slope - drift;
}

static void forces_are_those_of_lagrange(void **state)
{
  (void)state;
  double worst_lead = 0.0;
  for (int c = 0; c < 3; c++) {
    cap_ring_shape shape = test_ring_oval("ale", c == 2 ? 36 : 12);
    shape.theta = 0.3;
    shape.speed = 30.0;
    shape.theta_speed = 20.0;
    shape.curvature = c == 1 ? CAP_RING_DOCUMENT : CAP_RING_EXACT;
    test_ring t = test_ring_build(&shape);
    const cap_ring_ale *a = (const cap_ring_ale *)t.ring;
    shake(&t.s, 1e-5, 5.0);
    int n = t.s.m->nv;
    double *h = calloc((size_t)n, sizeof *h), size[2] = {0.0}, worst[2] = {0.0};
    cap_ring_ale_force_add(a, t.s.d->q, t.s.d->v, h);
    for (int k = 0; k < n; k++) {
      bool slope = strstr(t.s.m->dof_name[k], "slope") != NULL;
      double by = lagrange(a, n, t.s.d->q, t.s.d->v, k, slope ? 2e-5 : k < 2 ? 1e-4 : 1e-6, 1.0, 1e-7);
      size[slope] = fmax(size[slope], fabs(h[k]));
      worst[slope] = fmax(worst[slope], fabs(by - h[k]));
      if (k < 2) {
        worst_lead = fmax(worst_lead, fabs(by - h[k]) / (fabs(h[k]) + 1.0));
      }
    }
    assert_true(worst[0] < 1e-6 * size[0] && worst[1] < 1e-6 * size[1] && worst_lead < 1e-5);
    free(h);
    test_system_close(&t.s);
  }
}

/* Nearest points, one by one and many at once: on the normal, and the same. */
static void nearest_points_are_found(void **state)
{
  (void)state;
  enum { COUNT = 150 };
  for (int c = 0; c < 4; c++) {
    cap_ring_shape shape = test_ring_oval(c == 3 ? "ale0" : "ale", c == 3 ? 0 : 60);
    double mesh[60];
    for (int k = 0; k < 60; k++) mesh[k] = TEST_RING_LENGTH * (k + 0.3 * sin(0.5 * k)) / 60;
    shape.mesh = c == 1 ? mesh : NULL;
    shape.theta = c == 2 ? 0.0 : -0.3;
    if (c == 2) shape.centre_distance = 0.0, shape.lock_theta = true;
    test_ring t = test_ring_build(&shape);
    if (c != 3) shake(&t.s, 1e-5, 0.0);
    double places[COUNT][2], xi[COUNT], from[COUNT];
    uint64_t seed = 2;
    for (int k = 0; k < COUNT; k++) {
      cap_ring_point p;
      double at = shape.length * k / COUNT, off = test_random(&seed, -5e-3, 5e-3);
      cap_ring_point_at(t.ring, t.s.d->q, at, &p);
      places[k][0] = p.r[0] - off * p.t[1];
      places[k][1] = p.r[1] + off * p.t[0];
      xi[k] = from[k] = at + test_random(&seed, -2e-3, 2e-3);
    }
    cap_ring_nearest_all(t.ring, t.s.d->q, COUNT, (const double(*)[2])places, xi);
    for (int k = 0; k < COUNT; k++) {
      cap_ring_point p;
      double alone = cap_ring_nearest(t.ring, t.s.d->q, places[k], from[k]);
      cap_ring_point_at(t.ring, t.s.d->q, xi[k], &p);
      double along = (places[k][0] - p.r[0]) * p.t[0] + (places[k][1] - p.r[1]) * p.t[1];
      assert_true(xi[k] >= 0.0 && xi[k] < shape.length);
      assert_true(fabs(along) < 1e-12);
      assert_true(fabs(xi[k] - alone) < 1e-11 || fabs(fabs(xi[k] - alone) - shape.length) < 1e-11);
    }
    test_system_close(&t.s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_those_of_lagrange), cmocka_unit_test(fast_way_is_the_same),
      cmocka_unit_test(circle_has_its_modes),         cmocka_unit_test(circle_stretches),
      cmocka_unit_test(spinning_circle_is_tight),     cmocka_unit_test(ratio_swings),
      cmocka_unit_test(tangents_are_derivatives),     cmocka_unit_test(energy_stays),
      cmocka_unit_test(mass_needs_the_lock),          cmocka_unit_test(modes_converge),
      cmocka_unit_test(nearest_points_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
