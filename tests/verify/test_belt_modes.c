/* verify/test_belt_modes.c — free vibration of belt drives against closed forms and known drives (theory
 * §26). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/belt.h"
#include "drives/accessory/belt/belt_modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TERMS = 16, FREE_SPAN = 2 /* of the three-pulley drive: does not end on the arm */ };

typedef struct drive {
  belt_case c;
  cap_belt_path path;
  cap_belt_modes_case modes;
} drive;

/* A drive at the arm angle of its layout, with the same effective tension in all spans. */
static void prepare(drive *d, cap_belt *(*make)(belt_case *), double tension, int terms)
{
  memset(d, 0, sizeof *d);
  cap_belt *belt = make(&d->c);
  double angle = belt->arm.angle;
  cap_error error = {0};
  if (belt->length0 > 0.0) {
    cap_belt_path_roots roots;
    assert_int_equal(cap_belt_path_arm_angle(belt, belt->length0, &roots, &error), CAP_OK);
    angle = roots.angle[0];
  }
  assert_int_equal(cap_belt_path_solve(belt, angle, &d->path, &error), CAP_OK);
  d->modes = (cap_belt_modes_case){.belt = belt, .path = &d->path, .terms = terms};
  for (int i = 0; i < belt->npulley; i++) d->modes.tension[i] = tension;
}

static cap_belt_modes solve(const drive *d)
{
  cap_belt_modes m;
  cap_error error = {0};
  if (cap_belt_modes_solve(&d->modes, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  return m;
}

/* Frequency of the n-th mode (from 1) that lies wholly in a span. */
static double of_span(const cap_belt_modes *m, int span, int n)
{
  for (int k = 0; k < m->nmode; k++)
    if (m->share[k * m->npart + CAP_BELT_MODES_SPANS + span] > 1.0 - 1e-9 && --n == 0) return m->frequency[k];
  fail_msg("span %d has too few modes", span);
  return 0.0;
}

static void near_part(double found, double expected, double part)
{
  if (!(fabs(found - expected) <= part * fabs(expected)))
    fail_msg("%.8g instead of %.8g: off by %.2g", found, expected, found / expected - 1.0);
}

/* ---- one span ------------------------------------------------------------------------------------------ */

static void test_moving_string(void **state)
{
  (void)state;
  static const double known[] = {48.924, 47.246, 42.212, 33.821, 22.074};
  for (int k = 0; k < 5; k++) {
    drive d;
    double v = 10.0 * k, T = 300.0;
    prepare(&d, belt_three_pulleys, T - 0.1029 * v * v, TERMS);
    d.modes.speed = v;
    cap_belt_modes m = solve(&d);
    double c = sqrt(T / 0.1029), L = d.path.span[FREE_SPAN].length;
    near_part((c * c - v * v) / (2.0 * L * c), known[k], 2e-5);
    for (int n = 1; n <= 3; n++) {
      double exact = n * (c * c - v * v) / (2.0 * L * c), found = of_span(&m, FREE_SPAN, n);
      print_message("  %2.0f m/s, mode %d: %.4f Hz, closed form %.4f (%+.1e)\n", v, n, found, exact,
                    found / exact - 1.0);
      near_part(found, exact, 2e-3);
    }
    assert_true(m.growth < 1e-6);
    cap_belt_modes_free(&m);
  }
}

/* Closed form of the shape: sin(pi x/L) cos(w t + pi v x/(c L)): points of the span are out of phase. */
static void test_moving_string_shape(void **state)
{
  (void)state;
  drive d;
  double v = 20.0, T = 300.0, c = sqrt(T / 0.1029);
  prepare(&d, belt_three_pulleys, T - 0.1029 * v * v, 32);
  d.modes.speed = v;
  cap_belt_modes m = solve(&d);
  int mode = 0, first = 4 + FREE_SPAN * 32;
  while (m.share[mode * m.npart + CAP_BELT_MODES_SPANS + FREE_SPAN] < 0.999) mode++;
  double phase[2];
  for (int k = 0; k < 2; k++) {
    double x = k ? 0.75 : 0.25, re = 0.0, im = 0.0;
    for (int n = 1; n <= 32; n++) {
      re += m.re[mode * m.n + first + n - 1] * sin(n * M_PI * x);
      im += m.im[mode * m.n + first + n - 1] * sin(n * M_PI * x);
    }
    phase[k] = atan2(im, re);
  }
  double lag = remainder(phase[1] - phase[0], 2.0 * M_PI);
  near_part(lag, 0.5 * M_PI * v / c, 2e-3);
  cap_belt_modes_free(&m);
}

static void test_tensioned_beam(void **state)
{
  (void)state;
  drive d;
  double T = 300.0, EI = 0.05;
  prepare(&d, belt_three_pulleys, T, TERMS);
  d.c.belt.EI = EI;
  cap_belt_modes m = solve(&d);
  double L = d.path.span[FREE_SPAN].length;
  for (int n = 1; n <= 10; n++) {
    double bent = n * n * M_PI * M_PI * EI / (T * L * L);
    near_part(of_span(&m, FREE_SPAN, n), n / (2.0 * L) * sqrt(T / 0.1029 * (1.0 + bent)), 1e-10);
  }
  cap_belt_modes_free(&m);
}

/* Where the string's own closed form is lost: the lowest frequency falls to 0 as the
 * effective tension does. */
static void test_critical_speed(void **state)
{
  (void)state;
  drive d;
  double T = 300.0, v = sqrt((T - 1e-3) / 0.1029);
  prepare(&d, belt_three_pulleys, 1e-3, TERMS);
  d.modes.speed = v;
  cap_belt_modes m = solve(&d);
  assert_true(of_span(&m, FREE_SPAN, 1) < 0.2);
  cap_belt_modes_free(&m);
  d.modes.tension[1] = 0.0;
  cap_error error = {0};
  assert_int_equal(cap_belt_modes_solve(&d.modes, &m, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "slack"));
  cap_belt_modes_free(&m);
}

/* ---- whole drives -------------------------------------------------------------------------------------- */

/* Frequencies, ascending, of all modes that are not of the free span alone. */
static int coupled_of(const cap_belt_modes *m, int span, int most, double *frequency)
{
  int n = 0;
  for (int k = 0; k < m->nmode && n < most; k++)
    if (m->share[k * m->npart + CAP_BELT_MODES_SPANS + span] < 1e-9) frequency[n++] = m->frequency[k];
  return n;
}

static void test_three_pulleys(void **state)
{
  (void)state;
  static const double known[] = {0, 50.49, 78.24, 152.62, 166.31, 181.01, 235.90};
  static const double span[] = {48.92, 97.85, 146.77};
  static const double tension[] = {200, 400, 600}, first[] = {50.29, 50.59, 50.75};
  static const double second[] = {64.18, 90.06, 109.53}, alone[] = {39.95, 56.49, 69.19};
  drive d;
  double found[7];
  prepare(&d, belt_three_pulleys, 300.0, 20);
  cap_belt_modes m = solve(&d);
  assert_int_equal(coupled_of(&m, FREE_SPAN, 7, found), 7);
  assert_true(found[0] == 0.0);
  for (int k = 0; k < 7; k++) near_part(found[k], known[k], 1e-4);
  for (int n = 1; n <= 3; n++) near_part(of_span(&m, FREE_SPAN, n), span[n - 1], 1e-4);
  cap_belt_modes_free(&m);
  for (int k = 0; k < 3; k++) {
    prepare(&d, belt_three_pulleys, tension[k], 20);
    m = solve(&d);
    coupled_of(&m, FREE_SPAN, 3, found);
    near_part(found[1], first[k], 2e-4);
    near_part(found[2], second[k], 2e-4);
    near_part(of_span(&m, FREE_SPAN, 1), alone[k], 2e-4);
    cap_belt_modes_free(&m);
  }
  prepare(&d, belt_three_pulleys, 300.0, 20); /* with a tenth of the accessory's inertia */
  static const double light[] = {0, 75.79, 93.80, 157.1, 174.8};
  d.c.pulleys[2].inertia = 0.000293;
  m = solve(&d);
  coupled_of(&m, FREE_SPAN, 5, found);
  for (int k = 0; k < 5; k++) near_part(found[k], light[k], 3e-4);
  cap_belt_modes_free(&m);
}

/* Determinant of the dynamic stiffness of the three-pulley drive, its strings solved exactly (26.10). */
static double exact_determinant(const drive *d, double w)
{
  const cap_belt *belt = &d->c.belt;
  double a[4][4] = {{0}}, mass = belt->mass, v = d->modes.speed, determinant = 1.0;
  a[3][3] = belt->arm.rate - w * w * belt->arm.inertia;
  for (int i = 0; i < 3; i++) {
    const cap_belt_path_span *s = &d->path.span[i];
    int next = (i + 1) % 3, who[3] = {i, next, 3};
    double by[3] = {-belt->pulleys[i].radius, belt->pulleys[next].radius, s->stretch},
           t = d->modes.tension[i];
    for (int k = 0; k < 9; k++) a[who[k / 3]][who[k % 3]] += belt->EA / s->length * by[k / 3] * by[k % 3];
    a[i][i] -= w * w * belt->pulleys[i].inertia;
    double c = sqrt(t / mass + v * v), b = s->length * s->ddirection; /* one end moves, by +-b */
    a[3][3] += t * (s->dstretch - b * b / s->length);
    if (b == 0.0) continue;
    double phase = w * c * s->length / (c * c - v * v);
    a[3][3] += mass * c * w * b * b / tan(phase);
    determinant *= sin(phase); /* takes the poles away */
  }
  for (int k = 0; k < 4; k++) {
    determinant *= a[k][k];
    for (int i = k + 1; i < 4; i++)
      for (int j = 3; j >= k; j--) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return determinant;
}

static double exact_root(const drive *d, double low, double high)
{
  double at_low = exact_determinant(d, low);
  if (at_low * exact_determinant(d, high) > 0.0) fail_msg("no root from %.3f to %.3f rad/s", low, high);
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    if (at_low * exact_determinant(d, middle) > 0.0) low = middle;
    else high = middle;
  }
  return low;
}

/* Coupled modes against the characteristic equation with exact strings, at rest and running. */
static void test_exact_strings(void **state)
{
  (void)state;
  for (int s = 0; s < 3; s++) {
    drive d;
    double found[7], v = 20.0 * s;
    prepare(&d, belt_three_pulleys, 300.0, 24);
    d.modes.speed = v;
    cap_belt_modes m = solve(&d);
    coupled_of(&m, FREE_SPAN, 7, found);
    assert_true(found[0] == 0.0 && m.growth < 1e-6);
    for (int k = 1; k < 7; k++) {
      double w = 2.0 * M_PI * found[k];
      double exact = exact_root(&d, 0.995 * w, 1.003 * w) / (2.0 * M_PI);
      print_message("  %2.0f m/s: %.4f Hz, exact %.4f (%+.1e)\n", v, found[k], exact, found[k] / exact - 1.0);
      near_part(found[k], exact, s ? 3e-4 : 1e-5);
    }
    cap_belt_modes_free(&m);
  }
}

static void test_six_pulleys(void **state)
{
  (void)state;
  static const double known[] = {0, 27.556, 127.52, 145.31, 229.69, 410.83, 496.15};
  drive d;
  prepare(&d, belt_6pk1940, 350.0, 0);
  d.modes.no_geometric = true;
  cap_belt_modes m = solve(&d);
  assert_int_equal(m.nmode, 7);
  assert_true(m.frequency[0] == 0.0 && m.ratio[0] == 0.0);
  for (int k = 1; k < 7; k++) near_part(m.frequency[k], known[k], 5e-5);
  cap_belt_modes_free(&m);
  d.modes.no_geometric = false;
  m = solve(&d);
  near_part(m.frequency[1], 28.027, 1e-4);
  cap_belt_modes_free(&m);
  static const double span[] = {168.8, 170.8, 139.9, 138.6, 71.2, 105.5}; /* first of each, at rest */
  prepare(&d, belt_6pk1940, 350.0, TERMS);
  m = solve(&d);
  for (int k = 2; k < 6; k++) near_part(of_span(&m, k, 1), span[k], 1e-3);
  assert_true(m.frequency[0] == 0.0);
  cap_belt_modes_free(&m);
}

/* Held crank: no rigid mode. Loads that grow with speed, and damping of the belt, damp; without them nothing
 * is damped at any speed. */
static void test_held_and_damped(void **state)
{
  (void)state;
  drive d;
  prepare(&d, belt_6pk1940, 350.0, 8);
  d.modes.speed = 30.0;
  d.modes.held = true;
  cap_belt_modes m = solve(&d);
  assert_true(m.frequency[0] > 1.0 && m.growth < 1e-6);
  for (int k = 0; k < m.nmode; k++) assert_true(fabs(m.ratio[k]) < 1e-10);
  cap_belt_modes_free(&m);
  d.c.belt.damping = 1e-5;
  d.modes.slope[BELT_ALT] = 0.01;
  m = solve(&d);
  for (int k = 0; k < m.nmode; k++) {
    bool alone = m.share[k * m.npart] < 1e-12; /* a span by itself */
    assert_true(alone ? fabs(m.ratio[k]) < 1e-10 : m.ratio[k] > 0.0);
  }
  double M = 0.0, C = 0.0, K = 0.0; /* skew and symmetric */
  for (int i = 0; i < m.n; i++)
    for (int j = 0; j < m.n; j++) {
      M = fmax(M, fabs(m.M[i * m.n + j] - m.M[j * m.n + i]));
      C = fmax(C, fabs(m.G[i * m.n + j] + m.G[j * m.n + i]));
      K = fmax(K, fabs(m.K[i * m.n + j] - m.K[j * m.n + i]));
    }
  assert_true(M == 0.0 && C == 0.0 && K == 0.0);
  cap_belt_modes_free(&m);
}

/* Weak damping of the arm: by first-order perturbation ratio = d psi^2/(2 w), shapes of unit modal mass. */
static void test_damped_arm(void **state)
{
  (void)state;
  drive d;
  prepare(&d, belt_6pk1940, 350.0, 0);
  cap_belt_modes plain = solve(&d);
  d.c.belt.arm.damping = 1e-3;
  cap_belt_modes m = solve(&d);
  assert_int_equal(m.nmode, plain.nmode);
  for (int k = 1; k < m.nmode; k++) {
    double psi = plain.re[k * plain.n + BELT_6PK_PULLEYS];
    near_part(m.ratio[k], 1e-3 * psi * psi / (4.0 * M_PI * plain.frequency[k]), 1e-3);
  }
  cap_belt_modes_free(&plain);
  cap_belt_modes_free(&m);
}

/* Steady running at the tensions of the statics: t is about the same at any speed with a free arm, so the
 * spans follow f = n t/(2 L sqrt(m (t + m v^2))) of the moving string with T = t + m v^2. */
static void test_about_statics(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *belt = belt_6pk1940(&c);
  belt->length0 /= 1.0 + 350.0 / belt->EA;
  for (int k = 0; k < 3; k++) {
    cap_belt_statics s;
    cap_error error = {0};
    cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = 2000.0 * k * M_PI / 30.0};
    assert_int_equal(cap_belt_statics_solve(belt, &which, &s, &error), CAP_OK);
    cap_belt_modes_case about = cap_belt_modes_about(belt, &s, TERMS);
    cap_belt_modes m;
    assert_int_equal(cap_belt_modes_solve(&about, &m, &error), CAP_OK);
    double t = s.spans[BELT_PS].effective, v = s.belt_speed, L = s.path.span[BELT_PS].length;
    near_part(of_span(&m, BELT_PS, 1), t / (2.0 * L * sqrt(belt->mass * (t + belt->mass * v * v))), 1e-3);
    cap_belt_modes_free(&m);
  }
}

/* Two pulleys without a tensioner: pulleys and spans vibrate apart. Both springs act between the same two
 * inertias: w^2 = 2 k r^2 (1/J + 1/J). */
static void test_fixed_centres(void **state)
{
  (void)state;
  cap_belt_pulley pulleys[2] = {
      {.name = "a", .radius = 0.1, .side = CAP_BELT_GROOVE, .inertia = 0.02},
      {.name = "b", .x = 0.5, .radius = 0.1, .side = CAP_BELT_GROOVE, .inertia = 0.02}};
  cap_belt belt = {.EA = 1e5, .mass = 0.1, .npulley = 2, .pulleys = pulleys};
  cap_belt_path path;
  cap_error error = {0};
  cap_belt_modes m;
  assert_int_equal(cap_belt_path_solve(&belt, 0.0, &path, &error), CAP_OK);
  cap_belt_modes_case c = {.belt = &belt, .path = &path, .tension = {400.0, 400.0}, .terms = 3};
  assert_int_equal(cap_belt_modes_solve(&c, &m, &error), CAP_OK);
  assert_int_equal(m.nmode, 2 + 2 * 3);
  double w = sqrt(2.0 * 1e5 / 0.5 * 0.01 * 2.0 / 0.02), nearest = INFINITY;
  for (int k = 0; k < m.nmode; k++)
    if (m.share[k * m.npart] > 0.999) nearest = m.frequency[k];
  near_part(nearest, w / (2.0 * M_PI), 1e-12);
  near_part(of_span(&m, 1, 1), sqrt(4000.0), 1e-12);
  cap_belt_modes_free(&m);
  pulleys[1].inertia = 0.0;
  assert_int_equal(cap_belt_modes_solve(&c, &m, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "'b'"));
  cap_belt_modes_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moving_string),  cmocka_unit_test(test_moving_string_shape),
      cmocka_unit_test(test_tensioned_beam), cmocka_unit_test(test_critical_speed),
      cmocka_unit_test(test_three_pulleys),  cmocka_unit_test(test_exact_strings),
      cmocka_unit_test(test_six_pulleys),    cmocka_unit_test(test_held_and_damped),
      cmocka_unit_test(test_damped_arm),     cmocka_unit_test(test_about_statics),
      cmocka_unit_test(test_fixed_centres),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
