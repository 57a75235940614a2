/* verify/test_belt_shape.c — spans as beams: clamped ones against limits, expansions, quadrature and finite
 * elements, at rest and moving (theory §31.3). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "../support/belt.h"
#include "drives/accessory/belt/belt_modes.h"
#include "drives/accessory/belt/belt_shape.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frequency of a shape over that of the string, n pi/L sqrt(t/m). */
static double over_string(const cap_belt_shape *s, double L, double t)
{
  return sqrt(s->stiffness / s->mass / t) * L / (s->n * M_PI);
}

/* Without tension the clamped beam of the textbooks: (b L)^2 = 22.3733, 61.6728, 120.9034, ... */
static void clamped_without_tension(void **state)
{
  (void)state;
  const double known[] = {4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464};
  for (int n = 1; n <= 4; n++) {
    cap_belt_shape s = cap_belt_shape_of(n, 0.8, 1e-12, 0.05, true);
    assert_true(fabs(s.wave * 0.8 / known[n - 1] - 1.0) < 1e-11);
  }
}

/* string (1 + 2 eps + (4 + n^2 pi^2/2) eps^2), eps = sqrt(EI/(t L^2)): what is left falls with eps^3. */
static void clamped_with_little_bending(void **state)
{
  (void)state;
  double L = 0.5, t = 300.0;
  for (int n = 1; n <= 5; n++) {
    double left[2];
    for (int k = 0; k < 2; k++) {
      double eps = k ? 5e-4 : 1e-3;
      cap_belt_shape s = cap_belt_shape_of(n, L, t, eps * eps * t * L * L, true);
      double series = 1.0 + 2.0 * eps + (4.0 + 0.5 * n * n * M_PI * M_PI) * eps * eps;
      left[k] = over_string(&s, L, t) - series;
    }
    double order = log(left[0] / left[1]) / log(2.0);
    print_message("  mode %d at eps 1e-3: series off by %.1e, order %.2f\n", n, left[0], order);
    assert_true(fabs(left[0]) < 2e-6 * n * n && order > 2.9 && order < 3.1);
  }
  cap_belt_shape s = cap_belt_shape_of(3, L, t, 0.0, true), p = cap_belt_shape_of(3, L, t, 0.0, false);
  assert_true(memcmp(&s, &p, sizeof s) == 0); /* a string has no clamped ends */
}

/* As bending vanishes, a clamped shape becomes the sine, sign included. */
static void clamped_becomes_pinned(void **state)
{
  (void)state;
  for (int n = 1; n <= 8; n++) {
    cap_belt_shape c = cap_belt_shape_of(n, 0.5, 300.0, 1e-10, true),
                   p = cap_belt_shape_of(n, 0.5, 300.0, 0.0, false);
    assert_true(fabs(c.mass / p.mass - 1.0) < 1e-4 && fabs(c.stiffness / p.stiffness - 1.0) < 1e-4);
    assert_true(fabs(c.sum - p.sum) < 1e-4 * p.mass && fabs(c.moment - p.moment) < 1e-4 * p.mass);
    for (int l = 1; l <= 8; l++) {
      cap_belt_shape cl = cap_belt_shape_of(l, 0.5, 300.0, 1e-10, true),
                     pl = cap_belt_shape_of(l, 0.5, 300.0, 0.0, false);
      double found = cap_belt_shape_flow(&c, &cl), known = cap_belt_shape_flow(&p, &pl);
      assert_true(fabs(found - known) <= 1e-3 * fabs(known));
    }
  }
}

typedef struct point {
  double w, slope, bent;
} point;

/* The shape itself, from its wave number. */
static point shape_at(const cap_belt_shape *s, double L, double t, double EI, double x)
{
  double h = 0.5 * L, y = x - h, b = s->wave, a = sqrt(b * b + t / EI), sign = (s->n / 2) % 2 ? -1.0 : 1.0;
  if (s->n % 2) {
    double c = cos(b * h), hyp = cosh(a * y) / cosh(a * h), odd = sinh(a * y) / cosh(a * h);
    return (point){sign * (cos(b * y) - c * hyp), sign * (-b * sin(b * y) - c * a * odd),
                   sign * (-b * b * cos(b * y) - c * a * a * hyp)};
  }
  double c = sin(b * h), hyp = sinh(a * y) / sinh(a * h), even = cosh(a * y) / sinh(a * h);
  return (point){sign * (sin(b * y) - c * hyp), sign * (b * cos(b * y) - c * a * even),
                 sign * (-b * b * sin(b * y) - c * a * a * hyp)};
}

static void near_size(double found, double known, double size)
{
  if (!(fabs(found - known) <= 1e-9 * size)) fail_msg("%.12g instead of %.12g", found, known);
}

/* Closed forms of the integrals against Simpson's rule; ends at rest and level. */
static void integrals(void **state)
{
  (void)state;
  enum { N = 20000 };
  double L = 0.4, t = 250.0;
  for (int k = 0; k < 3; k++) {
    double EI = k == 0 ? 0.004 : k == 1 ? 0.1 : 5.0;
    for (int n = 1; n <= 6; n++)
      for (int l = 1; l <= 6; l++) {
        cap_belt_shape s = cap_belt_shape_of(n, L, t, EI, true), o = cap_belt_shape_of(l, L, t, EI, true);
        double mass = 0, stiff = 0, sum = 0, moment = 0, flow = 0, cross = 0;
        for (int i = 0; i <= N; i++) {
          double x = L * i / N, weight = L / N / 3.0 * (i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
          point p = shape_at(&s, L, t, EI, x), q = shape_at(&o, L, t, EI, x);
          mass += weight * p.w * p.w;
          stiff += weight * (t * p.slope * p.slope + EI * p.bent * p.bent);
          sum += weight * p.w;
          moment += weight * p.w * x / L;
          flow += weight * p.w * q.slope;
          cross += weight * p.w * q.w;
        }
        point end = shape_at(&s, L, t, EI, L);
        near_size(end.w, 0.0, 1.0);
        near_size(end.slope, 0.0, s.wave);
        near_size(s.curvature, end.bent, fabs(end.bent));
        near_size(s.mass, mass, mass);
        near_size(s.stiffness, stiff, stiff);
        near_size(s.sum, sum, L);
        near_size(s.moment, moment, L);
        near_size(cap_belt_shape_flow(&s, &o), flow, 10.0);
        if (l != n) near_size(cross, 0.0, L);
      }
  }
}

/* ---- finite elements ----------------------------------------------------------------------------------- */

enum { ELEMENTS = 56, UNKNOWNS = 2 * (ELEMENTS - 1) };

/* Hermite's cubics on an element of length h: mass, string, bending and flow, over m, t, EI, m. */
static void element_of(double h, double M[16], double T[16], double B[16], double F[16])
{
  const double mass[16] = {156, 22, 54, -13, 22, 4, 13, -3, 54, 13, 156, -22, -13, -3, -22, 4};
  const double pull[16] = {36, 3, -36, 3, 3, 4, -3, -1, -36, -3, 36, -3, 3, -1, -3, 4};
  const double bend[16] = {12, 6, -12, 6, 6, 4, -6, 2, -12, -6, 12, -6, 6, 2, -6, 4};
  const double flow[16] = {-30, 6, 30, -6, -6, 0, 6, -1, -30, -6, 30, 6, 6, 1, -6, 0}; /* N_i dN_j/dx */
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double turn = (i % 2 ? h : 1.0) * (j % 2 ? h : 1.0);
      M[i * 4 + j] = mass[i * 4 + j] * h / 420.0 * turn;
      T[i * 4 + j] = pull[i * 4 + j] / (30.0 * h) * turn;
      B[i * 4 + j] = bend[i * 4 + j] / (h * h * h) * turn;
      F[i * 4 + j] = flow[i * 4 + j] / 60.0 * turn;
    }
}

/* First frequencies (Hz) of a clamped beam that moves with v under the effective tension t. */
static void finite_elements(double L, double m, double t, double EI, double v, int count, double *frequency)
{
  enum { N = UNKNOWNS, SIZE = 2 * UNKNOWNS };
  double M[16], T[16], B[16], F[16];
  double *a = calloc((size_t)SIZE * SIZE, sizeof *a), *b = calloc((size_t)SIZE * SIZE, sizeof *b);
  double wr[SIZE], wi[SIZE];
  assert_true(a && b);
  for (int e = 0; e < ELEMENTS; e++) {
    /* short ones where the shape bends, at the ends */
    double from = cos(M_PI * e / ELEMENTS), to = cos(M_PI * (e + 1) / ELEMENTS);
    element_of(0.5 * L * (from - to), M, T, B, F);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        int row = 2 * (e - 1) + i, column = 2 * (e - 1) + j;
        if (row < 0 || row >= N || column < 0 || column >= N) continue;
        b[(N + row) * SIZE + N + column] += m * M[i * 4 + j];
        a[(N + row) * SIZE + column] -= t * T[i * 4 + j] + EI * B[i * 4 + j];
        a[(N + row) * SIZE + N + column] -= m * v * (F[i * 4 + j] - F[j * 4 + i]);
      }
  }
  for (int i = 0; i < N; i++) a[i * SIZE + N + i] = b[i * SIZE + i] = 1.0;
  assert_int_equal(capm_eigen_pencil(SIZE, a, b, wr, wi, NULL), CAP_OK);
  double last = 0.0;
  for (int k = 0; k < count; k++) {
    frequency[k] = INFINITY;
    for (int i = 0; i < SIZE; i++)
      if (isfinite(wi[i]) && wi[i] > last * (1.0 + 1e-6) + 1e-6) frequency[k] = fmin(frequency[k], wi[i]);
    last = frequency[k];
    frequency[k] /= 2.0 * M_PI;
  }
  free(a);
  free(b);
}

/* The span of the three-pulley drive that does not end on the arm, as a clamped beam. */
static void moving_clamped_beam(void **state)
{
  (void)state;
  enum { TERMS = 24, SPAN = 2 };
  belt_case c;
  cap_belt *belt = belt_three_pulleys(&c);
  cap_belt_path path;
  cap_error error = {0};
  belt->EI = 0.05;
  assert_int_equal(cap_belt_path_solve(belt, belt->arm.angle, &path, &error), CAP_OK);
  for (int k = 0; k < 3; k++) {
    double v = 20.0 * k, t = 300.0 - belt->mass * v * v, known[4], pinned = 0.0;
    finite_elements(path.span[SPAN].length, belt->mass, t, belt->EI, v, 4, known);
    for (int ends = 0; ends < 2; ends++) {
      cap_belt_modes_case about = {.belt = belt, .path = &path, .speed = v, .terms = TERMS, .clamped = ends};
      for (int i = 0; i < 3; i++) about.tension[i] = t;
      cap_belt_modes m;
      if (cap_belt_modes_solve(&about, &m, &error) != CAP_OK) fail_msg("%s", error.text);
      for (int i = 0, n = 0; i < m.nmode && n < 4; i++) {
        if (m.share[i * m.npart + CAP_BELT_MODES_SPANS + SPAN] < 1.0 - 1e-9) continue;
        if (ends) {
          print_message("  %2.0f m/s, mode %d: %.5f Hz, finite elements %.5f (%+.1e)\n", v, n + 1,
                        m.frequency[i], known[n], m.frequency[i] / known[n] - 1.0);
          assert_true(fabs(m.frequency[i] / known[n] - 1.0) < (v > 0.0 ? 3e-5 : 2e-6));
          if (n == 0) assert_true(m.frequency[i] > pinned * 1.02);
        } else if (n == 0) {
          pinned = m.frequency[i];
        }
        n++;
      }
      cap_belt_modes_free(&m);
    }
  }
}

/* The coupled modes feel the clamped ends, and go over to those of strings without bending stiffness. */
static void coupled_modes(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *belt = belt_three_pulleys(&c);
  cap_belt_path path;
  cap_error error = {0};
  double frequency[3][8];
  assert_int_equal(cap_belt_path_solve(belt, belt->arm.angle, &path, &error), CAP_OK);
  const double EI[3] = {0.0, 1e-12, 0.05};
  for (int k = 0; k < 3; k++) {
    belt->EI = EI[k];
    cap_belt_modes_case about = {.belt = belt, .path = &path, .speed = 20.0, .terms = 20, .clamped = k > 0};
    for (int i = 0; i < 3; i++) about.tension[i] = 300.0;
    cap_belt_modes m;
    if (cap_belt_modes_solve(&about, &m, &error) != CAP_OK) fail_msg("%s", error.text);
    memcpy(frequency[k], m.frequency, sizeof frequency[k]);
    assert_true(m.frequency[0] == 0.0 && m.growth < 1e-6);
    cap_belt_modes_free(&m);
  }
  for (int i = 1; i < 8; i++) {
    print_message("  mode %d: string %.4f Hz, clamped beam %.4f Hz\n", i, frequency[0][i], frequency[2][i]);
    assert_true(fabs(frequency[1][i] / frequency[0][i] - 1.0) < 1e-4);
    assert_true(frequency[2][i] > frequency[0][i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clamped_without_tension), cmocka_unit_test(clamped_with_little_bending),
      cmocka_unit_test(clamped_becomes_pinned),  cmocka_unit_test(integrals),
      cmocka_unit_test(moving_clamped_beam),     cmocka_unit_test(coupled_modes),
  };
  return cmocka_run_group_tests_name("shapes of spans", tests, NULL, NULL);
}
