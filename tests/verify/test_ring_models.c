/* Rings of material nodes (rcm, ancf) against closed forms: energy of a circle, its bending and breathing
 * modes and how they converge, hoop tension of a spinning ring, energy over time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "linalg/eigen.h"

#include "../support/ring.h"

static const char *const models[] = {"rcm", "ancf"};
enum { NMODEL = sizeof models / sizeof models[0], MOST = 400 };

/* f_n = sqrt(EI/m)/(2 pi R^2) n (n^2 - 1)/sqrt(n^2 + 1), Hz */
static double bending_mode(const cap_ring_shape *s, int n)
{
  double radius = s->length / (2.0 * M_PI);
  return sqrt(s->section.EI / s->section.mass) / (2.0 * M_PI * radius * radius) * n * (n * n - 1.0) /
         sqrt(n * n + 1.0);
}

static double nearest(int n, const double *hertz, double wanted)
{
  double best = hertz[0];
  for (int k = 1; k < n; k++)
    if (fabs(hertz[k] - wanted) < fabs(best - wanted)) best = hertz[k];
  return best;
}

/* The numbers of the reference ring stand in its own words: 9.600, 27.15, 52.06, 84.19 Hz and 7111 Hz. */
static void circle_modes(void **state)
{
  (void)state;
  static const double told[] = {9.600, 27.15, 52.06, 84.19};
  static double hertz[MOST];
  for (int m = 0; m < NMODEL; m++) {
    cap_ring_shape shape = test_ring_reference(models[m], 40);
    test_ring t = test_ring_build(&shape);
    int n = test_ring_frequencies(&t, hertz);
    assert_true(n <= MOST);
    for (int k = 2; k <= 5; k++) {
      double exact = bending_mode(&shape, k), found = hertz[3 + 2 * (k - 2)];
      print_message("  %s, %d waves: %.4f Hz, closed form %.4f Hz (%+.1e)\n", models[m], k, found, exact,
                    found / exact - 1.0);
      assert_true(fabs(exact - told[k - 2]) < 0.006);
      assert_true(fabs(found / exact - 1.0) < 1e-3);
      assert_true(fabs(hertz[4 + 2 * (k - 2)] / found - 1.0) < 1e-6); /* twins */
    }
    double radius = shape.length / (2.0 * M_PI);
    double breathing = sqrt(shape.section.EA / shape.section.mass) / radius / (2.0 * M_PI);
    assert_true(fabs(breathing - 7111.0) < 1.0);
    assert_true(fabs(nearest(n, hertz, breathing) / breathing - 1.0) < 1e-6);
    test_system_close(&t.s);
  }
}

/* Halving the elements: masses lumped or not, the error of a bending mode falls with the fourth power. */
static void modes_converge(void **state)
{
  (void)state;
  static const int nodes[] = {16, 32, 64};
  static double hertz[MOST];
  for (int m = 0; m < NMODEL; m++) {
    double error[3][2];
    for (int k = 0; k < 3; k++) {
      cap_ring_shape shape = test_ring_reference(models[m], nodes[k]);
      test_ring t = test_ring_build(&shape);
      test_ring_frequencies(&t, hertz);
      for (int w = 0; w < 2; w++) error[k][w] = fabs(hertz[5 + 2 * w] / bending_mode(&shape, 3 + w) - 1.0);
      test_system_close(&t.s);
    }
    for (int w = 0; w < 2; w++) {
      double first = log2(error[0][w] / error[1][w]), second = log2(error[1][w] / error[2][w]);
      print_message("  %s, %d waves: errors %.1e %.1e %.1e, orders %.2f %.2f\n", models[m], 3 + w,
                    error[0][w], error[1][w], error[2][w], first, second);
      assert_true(first > 3.3 && second > 3.3);
    }
  }
}

/* A circle stores EI (2 pi)^2/(2 L) and nothing else; unstressed, it is at rest. */
static void energy_of_a_circle(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    cap_ring_shape shape = test_ring_reference(models[m], 40);
    test_ring t = test_ring_build(&shape);
    double *still = calloc((size_t)t.s.m->nv, sizeof *still), stored;
    assert_non_null(still);
    cap_eval e = {.nlane = 1, .t = t.s.d->t, .q = t.s.d->q, .v = still, .inertia_work = t.s.d->inertia_work};
    cap_model_energy(t.s.m, &e, &stored);
    double exact = 2.0 * M_PI * M_PI * shape.section.EI / shape.length;
    print_message("  %s: %.9f J, exact %.9f J\n", models[m], stored, exact);
    assert_true(fabs(stored / exact - 1.0) < 1e-5);
    free(still);
    test_system_close(&t.s);
  }
}

/* ---- hoop tension -------------------------------------------------------------------------------------- */

/* The ring as a circle of radius (1 + p[0]) R, slopes (1 + p[1]) of it, that spins at omega: sum of what is
 * out of balance along the radius, and along the slopes. */
static void out_of_balance(const test_ring *t, double radius, double stretch, double omega, const double p[2],
                           double f[2])
{
  const cap_model *m = t->s.m;
  int n = m->nv, node = strcmp(t->ring->type->name, "rcm") == 0 ? 3 : 4;
  double *q = t->s.d->q, *v = t->s.d->v, *h = calloc(2 * (size_t)n, sizeof *h), *inertia = h + n;
  assert_non_null(h);
  for (int i = 0; i < n; i += node) {
    double angle = M_PI - 2.0 * M_PI * i / n, r = radius * (1.0 + p[0]), g = stretch * (1.0 + p[1]);
    q[i] = r * cos(angle), q[i + 1] = r * sin(angle);
    v[i] = omega * q[i + 1], v[i + 1] = -omega * q[i]; /* clockwise */
    if (node == 3) q[i + 2] = angle - M_PI_2, v[i + 2] = -omega;
    else {
      q[i + 2] = g * sin(angle), q[i + 3] = -g * cos(angle);
      v[i + 2] = omega * q[i + 3], v[i + 3] = -omega * q[i + 2];
    }
  }
  cap_eval e = {.nlane = 1, .t = t->s.d->t, .q = q, .v = v, .h = h};
  cap_model_rates(m, &e);
  if (node == 3)
    for (int i = 0; i < n; i++) inertia[i] = i % 3 < 2 ? m->mass[i] * q[i] : 0.0;
  else {
    const cap_inertia *b = &m->inertias[0];
    b->type->multiply(b, t->s.d->inertia_work, q, inertia);
  }
  f[0] = f[1] = 0.0;
  for (int i = 0; i < n; i += node) {
    double angle = M_PI - 2.0 * M_PI * i / n;
    for (int c = 0; c < node; c++) h[i + c] += omega * omega * inertia[i + c];
    f[0] += h[i] * cos(angle) + h[i + 1] * sin(angle);
    if (node == 4) f[1] += h[i + 2] * sin(angle) - h[i + 3] * cos(angle);
  }
  free(h);
}

/* Newton by differences; rcm has no slopes. */
static void balance(const test_ring *t, double radius, double stretch, double omega, double p[2])
{
  bool slopes = strcmp(t->ring->type->name, "ancf") == 0;
  for (int k = 0; k < 30; k++) {
    double step = 1e-7, wide[2] = {p[0] + step, p[1]}, steep[2] = {p[0], p[1] + step};
    double f[2], by_radius[2], by_slope[2];
    out_of_balance(t, radius, stretch, omega, p, f);
    out_of_balance(t, radius, stretch, omega, wide, by_radius);
    out_of_balance(t, radius, stretch, omega, steep, by_slope);
    double a = (by_radius[0] - f[0]) / step, b = (by_slope[0] - f[0]) / step;
    double c = (by_radius[1] - f[1]) / step, d = slopes ? (by_slope[1] - f[1]) / step : 1.0;
    double det = a * d - b * c;
    p[0] -= (d * f[0] - b * f[1]) / det;
    p[1] -= slopes ? (a * f[1] - c * f[0]) / det : 0.0;
  }
  double f[2];
  out_of_balance(t, radius, stretch, omega, p, f); /* leaves the state in the data */
}

/* rho A s'^2 lambda, s' the travel of material: with v = omega r and lambda = 2 pi r/L0, s' = v/lambda. */
static void hoop_tension(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    cap_ring_shape shape = test_ring_reference(models[m], 64);
    test_ring t = test_ring_build(&shape);
    double radius = shape.length / (2.0 * M_PI), p[2] = {0}, omega = 30.0 / radius;
    balance(&t, radius, 1.0, omega, p);
    double r = radius * (1.0 + p[0]), lambda = 2.0 * M_PI * r / t.ring->length, travel = omega * r / lambda;
    double exact = shape.section.mass * travel * travel * lambda, worst = 0.0;
    for (int k = 0; k < 200; k++) {
      cap_ring_point point;
      cap_ring_point_at(t.ring, t.s.d->q, t.ring->length * k / 200.0, &point);
      worst = fmax(worst, fabs(point.tension / exact - 1.0));
    }
    print_message("  %s: hoop tension at 30 m/s %.6f N, off by at most %.1e\n", models[m], exact, worst);
    assert_true(worst < 1e-6);
    test_system_close(&t.s);
  }
}

/* ---- energy over time ---------------------------------------------------------------------------------- */

static double energy_of(const test_ring *t)
{
  double stored;
  cap_eval e = {
      .nlane = 1, .t = t->s.d->t, .q = t->s.d->q, .v = t->s.d->v, .inertia_work = t->s.d->inertia_work};
  cap_model_energy(t->s.m, &e, &stored);
  return stored;
}

/* Let go from the reference curve, without damping: the trend of the energy over time, as the means of its
 * two halves differ, per second, and its largest deviation; small steps, as the fast waves along the ring
 * cost accuracy. */
static void energy_stays(void **state)
{
  (void)state;
  const struct {
    const char *model;
    const cap_stepper_type *type;
    double step;
  } cases[] = {{"rcm", &cap_rk4_type, 1e-6},
               {"rcm", &cap_leapfrog_type, 2e-7},
               {"ancf", &cap_rk4_type, 1.5e-7},
               {"ancf", &cap_leapfrog_type, 1e-7}};
  enum { ROWS = 200 };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    cap_ring_shape shape = test_ring_reference(cases[c].model, 24);
    shape.centre_distance = 0.155;
    shape.theta = 0.4;
    test_ring t = test_ring_build(&shape);
    cap_stepper stepper = test_stepper(&t.s, cases[c].type, cases[c].step, 1e-8, false);
    double start = energy_of(&t), halves[2] = {0.0, 0.0}, worst = 0.0, until = 0.02;
    cap_error error = {0};
    for (int k = 0; k < ROWS; k++) {
      double to = until * (k + 1) / ROWS;
      if (cap_stepper_advance(&stepper, t.s.m, t.s.d, &to, NULL, &error) != CAP_OK)
        fail_msg("%s", error.text);
      double off = energy_of(&t) / start - 1.0;
      halves[k >= ROWS / 2] += off / (ROWS / 2);
      worst = fmax(worst, fabs(off));
    }
    double drift = (halves[1] - halves[0]) / (0.5 * until);
    print_message("  %s, %s: drift %.1e per second, at most %.1e off\n", cases[c].model, cases[c].type->name,
                  drift, worst);
    assert_true(fabs(drift) < 1e-6 &&
                worst < 1e-6 * until); /* nor does it swing by more than that drift makes */
    cap_stepper_free(&stepper);
    test_system_close(&t.s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(circle_modes), cmocka_unit_test(modes_converge), cmocka_unit_test(energy_of_a_circle),
      cmocka_unit_test(hoop_tension), cmocka_unit_test(energy_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
