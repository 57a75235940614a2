/* The `ale` and `ale0` rings against closed forms and against Lagrange's equations by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/equilibrium.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"

#include "../support/ring.h"
#include "elements/ring_ale.h"

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
    print_message("column %d: %.3g of %.3g\n", c, worst, largest);
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

static void energy_stays(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    cap_ring_shape shape = test_ring_oval("ale", k < 2 ? 12 : 40);
    shape.curvature = k == 1;
    shape.theta = 0.2;
    shape.speed = 9.0;
    shape.theta_speed = 3.0;
    test_system s = test_ring_build(&shape).s;
    shake(&s, 1e-5, 0.1);
    double start = test_ring_energy(&s);
    double before = s.d->q[1];
    test_run(&s, &cap_extrapolate_type, 0.0, k == 2 ? 2e-3 : 1e-2);
    print_message("energy %.12g -> %.12g (%.2g); Theta %.6g -> %.6g\n", start, test_ring_energy(&s),
                  (test_ring_energy(&s) - start) / start, before, s.d->q[1]);
    test_system_close(&s);
  }
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
  print_message("V %.6g V'' %.6g M %.6g f %.6g\n", test_ring_energy(&s), K, M, found);
  assert_true(fabs(found - frequency) < 1e-3 * frequency);
  if (shape.length < 0.7) {
    assert_true(fabs(test_ring_energy(&s) - 0.92157) < 1e-4 * 0.92157);
    assert_true(fabs(K - 1.4131) < 1e-4 * 1.4131);
    assert_true(fabs(M - 1.2737e-3) < 1e-4 * 1.2737e-3);
  }
  test_system_close(&s);
  shape.theta = 0.4;
  found = period_of(&shape, period, &most);
  print_message("period %.6g, s at most %.2g\n", found, most);
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
    print_message("\n");
    for (int i = 0; i < 4; i++) {
      double wanted = k ? document[i] : exact[i], found = nearest(n, hertz, wanted);
      print_message("%s n = %d: %.4f Hz, wanted %.4f\n", k ? "document" : "exact", i + 2, found, wanted);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fast_way_is_the_same), cmocka_unit_test(circle_has_its_modes),
      cmocka_unit_test(circle_stretches),     cmocka_unit_test(spinning_circle_is_tight),
      cmocka_unit_test(ratio_swings),         cmocka_unit_test(tangents_are_derivatives),
      cmocka_unit_test(energy_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
