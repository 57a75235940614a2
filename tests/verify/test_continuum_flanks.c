/* The continuum of a pushbelt variator with compliant flanks: numbers of an independent solution of the same
 * equations (an explicit integrator with steps of its own, Powell's method), closed forms, limits, powers,
 * and a second integration here. */
#include "drives/pushbelt/continuum/variator_continuum.h"
#include "drives/pushbelt/continuum/variator_continuum_entry.h"
#include "drives/pushbelt/continuum/variator_continuum_flank.h"

#include "../support/dormand_prince.h"
#include "../support/pushbelt.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef cap_variator_continuum_arc arc;
enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC };
static const double wedge = 11.0 * M_PI / 180.0, mu = 0.09, thickness = 1.5e-3, tilt = 1.4e-6;

static void assert_close(double is, double expected, double tolerance)
{
  if (!(fabs(is - expected) <= tolerance)) {
    print_message("is %.9g, expected %.9g +- %.3g\n", is, expected, tolerance);
    fail();
  }
}

/* ---- two arcs ------------------------------------------------------------------------------------------ */

typedef struct pair {
  cap_variator_line line; /* of the rocking edges */
  double stiffness;
  arc a[2];
  double thrust_ratio;
} pair;

/* 437 elements of 1.5 mm; `ring`: the ratio is that of the rings, 1.8325 mm outside. */
static cap_variator_line line_of(double ratio, bool ring)
{
  const double length = 0.6555, distance = 0.155, delta = 1.8325e-3;
  if (!ring) return cap_variator_geometry_line(length, distance, ratio);
  cap_variator_line outside = cap_variator_geometry_line(length + 2.0 * M_PI * delta, distance, ratio);
  return cap_variator_geometry_beside(&outside, -delta);
}

static pair pair_of(double ratio, bool ring, double stiffness)
{
  pair p = {.line = line_of(ratio, ring), .stiffness = stiffness};
  for (int k = 0; k < 2; k++) {
    p.a[k] = (arc){.wrap = p.line.wrap[k],
                   .wedge = wedge,
                   .friction = {mu, mu, 0.0, 0.0},
                   .flank = {.given = true, .harmonics = 1, .entry = -1.0}};
    p.a[k].flank.gain[1] = stiffness * cos(wedge) * pow(p.line.r[k], 3) * tilt / (2.0 * thickness);
  }
  return p;
}

static void settle(pair *p, double gain)
{
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  assert_true(cap_variator_continuum_arc_find(&rule, &p->a[SEC], CAP_VARIATOR_CONTINUUM_GAIN, gain));
  assert_true(
      cap_variator_continuum_arc_find(&rule, &p->a[PRI], CAP_VARIATOR_CONTINUUM_GROWTH, -p->a[SEC].growth));
  p->thrust_ratio = exp(p->a[SEC].growth) * p->a[PRI].clamp / p->a[SEC].clamp;
}

/* m a radian, the unit of the slips. */
static double unit_of(const pair *p, int pulley, double net)
{
  return net * thickness / (p->stiffness * p->line.r[pulley] * sin(wedge));
}

/* (2.49) with mu = 0.09 at this safety. */
static double gain_of(double safety)
{
  return 2.0 * 0.09 / (safety * cos(wedge));
}

static void test_numbers(void **state)
{
  (void)state;
  static const struct row {
    double ratio, torque, clamping, rpm, stiffness, thrust, growth, slip[2], loss[2];
  } rows[] = {
      {0.47, 47.0, 9748.0, 2000.0, 1e8, 1.907, 0.757, {-0.123, 0.059}, {113.9, 24.6}},
      {0.47, 47.0, 9748.0, 2000.0, 2e7, 1.894, 0.714, {-0.106, 0.108}, {105.7, 42.3}},
      {1.0, 100.0, 12893.0, 2000.0, 1e8, 1.348, 0.923, {-0.102, 0.132}, {64.7, 55.1}},
      {1.0, 100.0, 12893.0, 2000.0, 2e7, 1.364, 0.857, {-0.083, 0.128}, {61.1, 55.0}},
      {1.3, 130.0, 14884.0, 2000.0, 1e8, 1.198, 0.967, {-0.103, 0.174}, {54.1, 72.3}},
      {1.3, 130.0, 14884.0, 2000.0, 2e7, 1.203, 0.912, {-0.083, 0.165}, {49.5, 70.7}},
      {2.42, 121.0, 11440.0, 2000.0, 1e8, 0.939, 1.045, {-0.067, 0.163}, {10.7, 33.0}},
      {2.42, 121.0, 11440.0, 2000.0, 2e7, 0.974, 1.011, {-0.055, 0.158}, {10.5, 32.5}},
      {0.5, 0.0, 18000.0, 1000.0, 1e8, 1.535, 0.000, {-0.115, -0.034}, {109.9, 16.2}},
      {0.5, 0.0, 18000.0, 1000.0, 2e7, 1.652, 0.000, {-0.134, -0.017}, {111.5, 11.0}},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct row *r = &rows[k];
    pair p = pair_of(r->ratio, true, r->stiffness);
    settle(&p, r->torque / (p.line.r[SEC] * r->clamping));
    assert_close(p.thrust_ratio, r->thrust, 2e-3);
    assert_close(p.a[SEC].growth, r->growth, 1e-3);
    double net[2], speed[2] = {r->rpm * M_PI / 30.0};
    net[SEC] = r->clamping / p.a[SEC].clamp, net[PRI] = net[SEC] * exp(p.a[SEC].growth);
    speed[SEC] = speed[PRI] * p.line.r[PRI] / p.line.r[SEC];
    for (int q = 0; q < 2; q++) {
      double unit = unit_of(&p, q, net[q]);
      assert_close(100.0 * p.a[q].slip_mean * unit / p.line.r[q], r->slip[q], 1.1e-3);
      assert_close(net[q] * unit * speed[q] * (p.a[q].along + p.a[q].across), r->loss[q], 0.3);
    }
  }
}

/* c -> inf: creep with rigid flanks, here by another code. */
static void test_stiff_limit(void **state)
{
  (void)state;
  static const double rows[][3] = {{0.47, 1.7808, 1.7791},
                                   {0.8, 1.4766, 1.4764},
                                   {1.0, 1.3504, 1.3502},
                                   {1.3, 1.2115, 1.2113},
                                   {2.42, 0.9449, 0.9449}};
  for (int k = 0; k < 5; k++) {
    pair p = pair_of(rows[k][0], false, 1e10);
    settle(&p, gain_of(1.3));
    assert_close(p.thrust_ratio, rows[k][1], 2e-3);
    assert_close(p.thrust_ratio, rows[k][2], 2e-4);
    pair q = pair_of(rows[k][0], false, 1e12);
    settle(&q, gain_of(1.3));
    assert_close(q.thrust_ratio, rows[k][1], 3e-4);
  }
}

static void test_rings_that_bend(void **state)
{
  (void)state;
  static const double loads[][3] = {{0.47, -14.1, 2924.0}, {1.0, -30.0, 3868.0},   {2.42, -72.6, 6864.0},
                                    {0.47, -23.5, 4874.0}, {1.0, -50.0, 6446.0},   {2.42, -121.0, 11440.0},
                                    {0.47, -47.0, 9748.0}, {1.0, -100.0, 12893.0}, {1.3, -130.0, 14884.0},
                                    {0.5, 0.0, 18000.0}};
  static const double thrust[2][10] = {
      {1.776, 1.343, 0.948, 1.815, 1.343, 0.938, 1.875, 1.346, 1.197, 1.541},
      {1.726, 1.329, 1.018, 1.815, 1.349, 0.966, 1.873, 1.361, 1.201, 1.660}};
  static const double entry[10][2] = {{0.15, 0.67},   {0.02, 0.60},  {-0.31, 0.38},  {-0.23, 0.29},
                                      {-0.34, 0.25},  {-0.64, 0.03}, {-0.68, -0.22}, {-0.76, -0.23},
                                      {-0.81, -0.26}, {-0.86, -0.86}};
  cap_variator v = pushbelt_reference();
  v.ring_length = 0.66701;
  v.element.flank = v.element.edge;
  assert_close(v.ring.EI, 0.01667, 1e-5);
  for (int p = 0; p < 2; p++)
    for (int s = 0; s < 2; s++) memset(v.pulley[p].sheave[s].plate, 0, sizeof v.pulley[p].sheave[s].plate);
  for (int soft = 0; soft < 2; soft++) {
    cap_variator_continuum *c;
    v.contact.flank_stiffness = soft ? 2e7 : 1e8;
    assert_int_equal(cap_variator_continuum_create(&v, NULL, &c, NULL), CAP_OK);
    for (int k = 0; k < 10; k++) {
      cap_variator_loads load = {(k == 9 ? 1000.0 : 2000.0) * M_PI / 30.0, loads[k][0], loads[k][1],
                                 loads[k][2]};
      cap_variator_continuum_point p;
      assert_int_equal(cap_variator_continuum_solve(c, &load, 0.0, &p, NULL), CAP_OK);
      assert_close(p.thrust_ratio, thrust[soft][k], 2.5e-3);
      for (int q = 0; soft && q < 2; q++) assert_close(p.pulley[q].entry, entry[k][q], 0.012);
    }
    cap_variator_continuum_free(c);
  }
}

/* Overdrive without torque over the direction of slip at both entries. */
static void test_entry_direction(void **state)
{
  (void)state;
  static const double thrust[] = {1.652, 1.666, 1.694, 1.740, 1.643, 1.504, 1.365, 1.226, 1.089};
  for (int k = 0; k < 9; k++) {
    pair p = pair_of(0.5, true, 2e7);
    for (int q = 0; q < 2; q++) p.a[q].flank.entry = -1.0 + 0.2 * k;
    settle(&p, 0.0);
    assert_close(p.thrust_ratio, thrust[k], 3e-3);
  }
}

/* Of 18 kN at i = 0.5 without torque, c = 2e7: N of an element, direction of slip, radius in um. */
static void test_along_the_arcs(void **state)
{
  (void)state;
  enum { N = 401 };
  static const double rows[][9] = {{0.05, 168, -0.44, -0.90, 269, 309, -0.86, -0.50, 21},
                                   {0.10, 153, -0.53, -0.85, 234, 303, -0.86, -0.51, 15},
                                   {0.20, 130, -0.69, -0.72, 153, 286, -0.90, -0.43, 7},
                                   {0.30, 114, -0.83, -0.56, 66, 273, -0.95, -0.31, 1},
                                   {0.40, 104, -0.93, -0.37, -16, 264, -0.98, -0.21, -4},
                                   {0.50, 99, -0.99, -0.13, -80, 260, -0.97, -0.24, -6},
                                   {0.60, 100, -0.97, 0.26, -119, 266, -0.80, -0.56, -6},
                                   {0.70, 130, -0.43, 0.90, -134, 285, -0.43, -0.56, -6},
                                   {0.80, 232, 0.44, 0.90, -135, 319, -0.24, 0.87, -7},
                                   {0.90, 397, 0.97, 0.23, -122, 364, -0.18, 0.97, -7},
                                   {1.00, 394, 0.98, -0.20, -44, 418, -0.12, 0.99, -8}};
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  const double blunt = 1e-3; /* as there: slips in sticking zones go with it */
  pair p = pair_of(0.5, true, 2e7);
  for (int q = 0; q < 2; q++) p.a[q].flank.blunt = blunt;
  settle(&p, 0.0);
  for (int q = 0; q < 2; q++) {
    double normal[N], z[N], T[N], Y[N], net = 18000.0 / p.a[SEC].clamp;
    cap_variator_continuum_profile to = {.normal = normal, .slip_r = z, .slip_t = T, .sunk = Y};
    cap_variator_continuum_arc_curve(&rule, &p.a[q], N, &to);
    double eps = blunt * cap_variator_continuum_flank_scale(&rule, &p.a[q]), first = NAN;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      const double *r = rows[k] + 4 * q;
      int at = (int)lrint(rows[k][0] * (N - 1));
      double size = sqrt(z[at] * z[at] + T[at] * T[at] + eps * eps), way = 1e6 * Y[at] * unit_of(&p, q, net);
      if (k == 0) first = way - r[4]; /* the mean is another one */
      assert_close(normal[at] * net * thickness / p.line.r[q], r[1], 1.0);
      assert_close(z[at] / size, r[2], 0.03);
      assert_close(T[at] / size, r[3], 0.06);
      assert_close(way - first, r[4], 1.5);
    }
  }
}

/* ---- closed forms, bounds, levels ---------------------------------------------------------------------- */

/* Sheaves that do not open, no torque: p stays as it was at the entry. Of slips as small as eps the direction
 * still turns (N dips by a tenth and comes back): F is not quite that of friction which stays radial. */
static void test_locked_friction(void **state)
{
  (void)state;
  pair p = pair_of(0.5, false, 3e7);
  for (int q = 0; q < 2; q++) p.a[q].flank.harmonics = 0, p.a[q].flank.blunt = 1e-5;
  settle(&p, 0.0);
  for (int q = 0; q < 2; q++) {
    const arc *a = &p.a[q];
    assert_close(a->flank.force_in, 0.5 / (sin(wedge) + mu * cos(wedge)), 1e-12);
    assert_close(a->flank.force_out / a->flank.force_in, 1.0, 1e-3);
    assert_close(a->clamp / a->wrap * 2.0 * tan(wedge + atan(mu)), 1.0, 0.01);
  }
  assert_close(p.thrust_ratio, p.a[PRI].wrap / p.a[SEC].wrap, 0.01);
}

static void test_bounds(void **state)
{
  (void)state;
  enum { N = 401 };
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  for (double stiffness = 1e6; stiffness < 1e10; stiffness *= 10.0)
    for (double ratio = 0.45; ratio < 2.5; ratio *= 1.5) {
      pair p = pair_of(ratio, false, stiffness);
      settle(&p, 0.0);
      for (int q = 0; q < 2; q++) {
        double L[N], sum = 0.0;
        cap_variator_continuum_profile to = {.log_force = L};
        cap_variator_continuum_arc_curve(&rule, &p.a[q], N, &to);
        for (int k = 0; k < N; k++) sum += exp(L[k]) * (k == 0 || k == N - 1 ? 0.5 : 1.0) / (N - 1);
        double share = p.a[q].clamp / (p.a[q].wrap * sum);
        assert_true(share > 0.5 / tan(wedge + atan(mu)) && share < 0.5 / tan(wedge - atan(mu)));
      }
    }
}

/* Without bending stiffness of the rings the level of the forces is nothing; with it, Pi alone counts. */
static void test_levels(void **state)
{
  (void)state;
  double limp[3], scaled[3], bent[3];
  for (int k = 0; k < 3; k++)
    for (int way = 0; way < 3; way++) {
      cap_variator v = pushbelt_reference();
      const cap_variator_continuum_settings settings = {.limp = way == 0};
      cap_variator_continuum *c;
      cap_variator_continuum_point p;
      cap_variator_loads load = {0.0, 0.5, 0.0, 6000.0 * pow(1.7, k)};
      v.ring.EA = 1e12; /* the geometry stays */
      if (way == 1) v.ring.EI *= pow(1.7, 2 * k);
      assert_int_equal(cap_variator_continuum_create(&v, &settings, &c, NULL), CAP_OK);
      assert_int_equal(cap_variator_continuum_solve(c, &load, 0.0, &p, NULL), CAP_OK);
      (way == 0 ? limp : way == 1 ? scaled : bent)[k] = p.thrust_ratio;
      cap_variator_continuum_free(c);
    }
  for (int k = 1; k < 3; k++) {
    assert_close(limp[k], limp[0], 1e-6);
    assert_close(scaled[k], scaled[0], 1e-5);
    assert_true(fabs(bent[k] - bent[0]) > 1e-3);
  }
}

/* ---- powers -------------------------------------------------------------------------------------------- */

/* int N' s_t + 2 mu p e_s s_s = [N s_t] - (t/(c R)) [p^2] + 2 R'/omega tan F: sheaves take no power. */
static void test_powers(void **state)
{
  (void)state;
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  for (double ratio = 0.45; ratio < 2.5; ratio *= 1.6)
    for (int way = 0; way < 4; way++) {
      pair p = pair_of(ratio, false, 2e7 * (1 + way));
      for (int q = 0; q < 2; q++) {
        if (way > 1) { /* plates */
          p.a[q].flank.harmonics = 3;
          p.a[q].flank.gain[2] = 0.3 * p.a[q].flank.gain[1],
          p.a[q].flank.gain[3] = 0.1 * p.a[q].flank.gain[1];
        }
        p.a[q].flank.tolerance = 1e-8;
      }
      settle(&p, way % 2 ? gain_of(1.5) : 0.0);
      for (int q = 0; q < 2; q++) {
        arc *a = &p.a[q];
        for (int shifts = 0; shifts < 2; shifts++) {
          if (shifts) {
            a->shift = 0.1 * a->flank.gain[1] * (q ? 1.0 : -1.0);
            assert_true(cap_variator_continuum_arc_find(&rule, a, CAP_VARIATOR_CONTINUUM_GROWTH, a->growth));
          }
          double in = a->flank.force_in, out = a->flank.force_out;
          double brought = exp(a->growth) * a->slip_out - a->slip_in - sin(wedge) * (out * out - in * in) +
                           2.0 * a->shift * tan(wedge) * a->clamp;
          assert_close(a->along + a->across, brought, 1e-5 * (a->along + a->across));
          assert_true(a->across > 0.0 && a->flank.ends > 0.0);
        }
      }
    }
}

/* ---- numerics ------------------------------------------------------------------------------------------ */

static void test_blunt_friction(void **state)
{
  (void)state;
  static const double blunt[] = {3e-3, 1e-3, 3e-4, 1e-4};
  double thrust[4];
  for (int loaded = 0; loaded < 2; loaded++) {
    for (int k = 0; k < 4; k++) {
      pair p = pair_of(loaded ? 1.0 : 0.5, true, 2e7);
      for (int q = 0; q < 2; q++) p.a[q].flank.blunt = blunt[k];
      settle(&p, loaded ? gain_of(1.3) : 0.0);
      thrust[k] = p.thrust_ratio;
    }
    assert_close(thrust[1], thrust[3], 1e-3);
    assert_close(thrust[2], thrust[3], 3e-4);
  }
}

static void test_order(void **state)
{
  (void)state;
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  pair p = pair_of(1.3, true, 2e7);
  p.a[SEC].flank.entry = 0.0; /* no layer at the entry */
  p.a[SEC].flank.blunt = 0.03;
  settle(&p, gain_of(1.3));
  arc exact = p.a[SEC];
  exact.flank.tolerance = 1e-12;
  assert_true(cap_variator_continuum_flank_settle(&rule, &exact));
  double error[2], steps[2];
  for (int k = 0; k < 2; k++) {
    arc a = p.a[SEC];
    a.flank.tolerance = k ? 1e-8 : 1e-5;
    assert_true(cap_variator_continuum_flank_settle(&rule, &a));
    error[k] = fabs(a.clamp - exact.clamp) + fabs(a.growth - exact.growth), steps[k] = a.flank.steps;
  }
  double order = log(error[0] / error[1]) / log(steps[1] / steps[0]);
  print_message("order %.2f: %.3g with %g steps, %.3g with %g\n", order, error[0], steps[0], error[1],
                steps[1]);
  assert_true(order > 4.0 && error[0] < 1e-4);
}

/* The equations as they are written, in SI, with the explicit state (p, N, y); Dormand and Prince. */
typedef struct plain {
  double R, stiffness, S, even, odd, eps, clamp;
} plain;

enum { FORCE, NET, RADIUS, CLAMP, EVEN, ODD, STATES };

static void derivative(const void *of, double theta, const double *x, double *f)
{
  const plain *w = of;
  double sine = sin(wedge), cosine = cos(wedge), p = x[FORCE], N = x[NET];
  double slope = w->odd * cos(theta) - w->even * sin(theta); /* u' */
  double e_s = (sine - N / (2.0 * p)) / (mu * cosine);
  e_s = fmin(fmax(e_s, -1.0 + 1e-9), 1.0 - 1e-9);
  double s_t = w->S - x[RADIUS], size = hypot(s_t, w->eps), e_t = sqrt(1.0 - e_s * e_s) * s_t / size;
  double s_s = e_s / sqrt(1.0 - e_s * e_s) * size, q = p * (cosine + mu * e_s * sine);
  f[RADIUS] = (s_s + 0.5 * slope * sine) / cosine;
  f[FORCE] = -w->stiffness * cosine * w->R / thickness * (tan(wedge) * f[RADIUS] + 0.5 * slope);
  f[NET] = 2.0 * mu * p * e_t;
  f[CLAMP] = q, f[EVEN] = q * cos(theta), f[ODD] = q * sin(theta);
}

static void test_other_integration(void **state)
{
  (void)state;
  const double net = 1000.0;
  cap_variator_continuum_rule rule;
  cap_variator_continuum_arc_rule(&rule);
  for (int k = 0; k < 3; k++) {
    pair p = pair_of(k == 0 ? 0.5 : k == 1 ? 1.0 : 2.0, true, k == 2 ? 6e7 : 2e7);
    for (int q = 0; q < 2; q++) p.a[q].flank.blunt = 0.02, p.a[q].flank.entry = k == 1 ? 0.3 : -0.9;
    settle(&p, k == 0 ? 0.0 : gain_of(1.3));
    for (int q = 0; q < 2; q++) {
      const arc *a = &p.a[q];
      double unit = unit_of(&p, q, net), groove = 2.0 * tan(wedge) * unit;
      plain w = {.R = p.line.r[q],
                 .stiffness = p.stiffness,
                 .S = a->flank.offset * unit,
                 .even = a->flank.even[1] * groove,
                 .odd = a->flank.odd[1] * groove,
                 .eps = 0.02 * cap_variator_continuum_flank_scale(&rule, a) * unit};
      double x[STATES] = {net / (2.0 * (sin(wedge) - mu * cos(wedge) * a->flank.entry)), net};
      double scale[STATES] = {net, net, a->flank.gain[1] * unit, net, net, net};
      assert_true(test_dormand_prince(derivative, &w, STATES, a->wrap, 1e-6, scale, 1e-9, 400000, x) > 0);
      assert_close(log(x[NET] / net), a->growth, 2e-6);
      assert_close(x[CLAMP] / net, a->clamp, 1e-5);
      /* the closure: the groove opens as these forces have it */
      double opens = tilt * w.R * w.R;
      assert_close(opens * x[EVEN], w.even, 1e-5 * hypot(w.even, w.odd));
      assert_close(opens * x[ODD], w.odd, 1e-5 * hypot(w.even, w.odd));
    }
  }
}

/* ---- the entry ----------------------------------------------------------------------------------------- */

/* w'''' - w'' + Pi^2 w = Pi^2 backward from where it has settled, which its decaying parts survive; two of
 * them, joined to the free belt at 0. The largest depth. */
static double dip_by_integration(double Pi)
{
  enum { STEPS = 20000 };
  static double depth[2][STEPS + 1];
  double far = 30.0 / fmin(sqrt(Pi), 0.4), h = far / STEPS, end[2][4];
  for (int k = 0; k < 2; k++) {
    double x[4] = {k == 0 ? 1e-12 : 0.0, 0.0, k == 0 ? 0.0 : 1e-12, 0.0}; /* w - 1 and its derivatives */
    depth[k][STEPS] = x[0];
    for (int n = STEPS; n > 0; n--) {
      double f[4][4], at[4];
      memcpy(at, x, sizeof at);
      for (int s = 0; s < 4; s++) {
        f[s][0] = -at[1], f[s][1] = -at[2], f[s][2] = -at[3], f[s][3] = -(at[2] - Pi * Pi * at[0]);
        for (int i = 0; s < 3 && i < 4; i++) at[i] = x[i] + (s == 2 ? h : 0.5 * h) * f[s][i];
      }
      for (int i = 0; i < 4; i++) x[i] += h / 6.0 * (f[0][i] + 2.0 * f[1][i] + 2.0 * f[2][i] + f[3][i]);
      depth[k][n - 1] = x[0];
    }
    memcpy(end[k], x, sizeof x);
  }
  /* A e0 + B e1: w = 0, w''' - w'' = Pi^2 */
  double a = end[0][0], b = end[1][0], c = end[0][3] - end[0][2], d = end[1][3] - end[1][2],
         det = a * d - b * c;
  double A = (-d - b * Pi * Pi) / det, B = (a * Pi * Pi + c) / det, most = 0.0;
  for (int n = 0; n <= STEPS; n++) most = fmax(most, 1.0 + A * depth[0][n] + B * depth[1][n]);
  return most;
}

static void test_dip(void **state)
{
  (void)state;
  static const double Pi[] = {0.8, 1.5, 3.0, 6.0, 14.0};
  for (int k = 0; k < 5; k++)
    assert_close(cap_variator_continuum_entry_dip(Pi[k]), dip_by_integration(Pi[k]), 2e-5);
  assert_close(cap_variator_continuum_entry_dip(0.0), 1.0, 0.0);
  assert_close(cap_variator_continuum_entry_dip(0.3), 1.0, 1e-4);
  for (double at = 0.49; at < 0.51; at += 0.001) /* where both roots meet */
    assert_close(cap_variator_continuum_entry_dip(at + 5e-4), cap_variator_continuum_entry_dip(at), 1e-4);
  assert_close(cap_variator_continuum_entry_slip(mu, wedge, 1.0), -1.0, 1e-12);
  assert_close(cap_variator_continuum_entry_slip(mu, wedge, 100.0), 1.0, 0.0);
  double none = 1.0 + mu / tan(wedge);
  assert_close(cap_variator_continuum_entry_slip(mu, wedge, none), 0.0, 1e-12);
}

/* ---- a whole variator ---------------------------------------------------------------------------------- */

/* A point does not depend on which was found before it, nor macro slip on how it is approached. */
static void test_whatever_came_before(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  cap_variator_continuum *warm, *cold;
  v.contact.flank_stiffness = 6e7;
  assert_int_equal(cap_variator_continuum_create(&v, NULL, &warm, NULL), CAP_OK);
  for (double ratio = 0.45; ratio < 2.5; ratio *= 1.7)
    for (int k = -3; k <= 3; k++) {
      cap_variator_loads load = {100.0, ratio, 0.0, 12000.0};
      cap_variator_continuum_point a, b;
      load.torque = -0.32 * k * cap_variator_continuum_capacity(warm, ratio, load.clamping);
      assert_int_equal(cap_variator_continuum_create(&v, NULL, &cold, NULL), CAP_OK);
      assert_int_equal(cap_variator_continuum_solve(warm, &load, 0.0, &a, NULL), CAP_OK);
      assert_int_equal(cap_variator_continuum_solve(cold, &load, 0.0, &b, NULL), CAP_OK);
      cap_variator_continuum_free(cold);
      assert_int_equal(a.state, b.state);
      bool beyond = fabs(load.torque) > fabs(a.torque_limit);
      assert_int_equal(beyond, a.state != CAP_VARIATOR_CONTINUUM_HOLDS);
      if (!beyond) assert_close(a.thrust_ratio, b.thrust_ratio, 1e-5);
      if (!beyond) assert_close(a.efficiency, b.efficiency, 1e-6);
    }
  cap_variator_continuum_free(warm);
}

static void test_shifting(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  const cap_variator_continuum_settings creep = {.model = CAP_VARIATOR_CONTINUUM_CREEP};
  for (int p = 0; p < 2; p++)
    for (int s = 0; s < 2; s++) memset(v.pulley[p].sheave[s].plate, 0, sizeof v.pulley[p].sheave[s].plate);
  for (int k = 0; k < 2; k++) {
    cap_variator_continuum *stiff, *soft, *rigid;
    cap_variator_continuum_point a, b;
    cap_variator_loads load = {200.0, k ? 2.0 : 1.0, 0.0, 12000.0};
    v.contact.flank_stiffness = 1e10;
    assert_int_equal(cap_variator_continuum_create(&v, NULL, &stiff, NULL), CAP_OK);
    assert_int_equal(cap_variator_continuum_create(&v, &creep, &rigid, NULL), CAP_OK);
    assert_int_equal(cap_variator_continuum_shift(stiff, &load, k ? 0.9 : 1.1, &a, NULL), CAP_OK);
    assert_int_equal(cap_variator_continuum_shift(rigid, &load, k ? 0.9 : 1.1, &b, NULL), CAP_OK);
    assert_close(a.rate / b.rate, 1.0, k ? 0.05 : 5e-3);
    cap_variator_continuum_free(stiff);
    v.contact.flank_stiffness = 6e7;
    assert_int_equal(cap_variator_continuum_create(&v, NULL, &soft, NULL), CAP_OK);
    assert_int_equal(cap_variator_continuum_shift(soft, &load, k ? 0.7 : 1.1, &a, NULL), CAP_OK);
    assert_close(a.thrust_ratio, k ? 0.7 : 1.1, 1e-5);
    assert_int_equal(cap_variator_continuum_solve(soft, &load, a.rate, &b, NULL), CAP_OK);
    assert_close(b.thrust_ratio, a.thrust_ratio, 1e-4);
    load.speed *= 2.0; /* proportional to the speed, but for inertia in the geometry */
    assert_int_equal(cap_variator_continuum_shift(soft, &load, k ? 0.7 : 1.1, &b, NULL), CAP_OK);
    assert_close(b.rate / a.rate, 2.0, 1e-2);
    cap_variator_continuum_free(soft);
    cap_variator_continuum_free(rigid);
  }
}

/* Friction that falls or rises with the slip, a tilt that is given, rigid sheaves, flanks that lock. */
static void test_settings(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  cap_variator_continuum *c;
  cap_variator_continuum_point p;
  cap_error error;
  const cap_variator_loads load = {200.0, 0.7, -40.0, 9000.0};
  static const capm_friction friction[] = {{0.11, 0.08, 0.02, 0.0}, {0.07, 0.10, 0.02, 0.0}};
  for (int k = 0; k < 2; k++) {
    double thrust[2];
    for (int model = 0; model < 2; model++) {
      const cap_variator_continuum_settings settings = {.model = model ? CAP_VARIATOR_CONTINUUM_CREEP
                                                                       : CAP_VARIATOR_CONTINUUM_COMPLIANT};
      v.contact.flank_friction = friction[k], v.contact.flank_stiffness = 1e10;
      for (int q = 0; q < 4; q++)
        memset(v.pulley[q / 2].sheave[q % 2].plate, 0, sizeof v.pulley[q / 2].sheave[q % 2].plate);
      assert_int_equal(cap_variator_continuum_create(&v, &settings, &c, NULL), CAP_OK);
      assert_int_equal(cap_variator_continuum_solve(c, &load, 0.0, &p, NULL), CAP_OK);
      assert_int_equal(p.state, CAP_VARIATOR_CONTINUUM_HOLDS);
      thrust[model] = p.thrust_ratio;
      cap_variator_continuum_free(c);
    }
    print_message("friction %d: %.4f with stiff flanks, %.4f with rigid ones\n", k, thrust[0], thrust[1]);
    /* flanks as stiff as that, and mu along the arc to 0.3 %: near the other model's, whose slip drives mu */
    assert_close(thrust[0], thrust[1], k == 0 ? 0.02 : 0.004);
  }
  v = pushbelt_reference();
  const cap_variator_continuum_settings given = {.tilt = {1e-3, 1e-3}};
  assert_int_equal(cap_variator_continuum_create(&v, &given, &c, NULL), CAP_OK);
  assert_int_equal(cap_variator_continuum_solve(c, &load, 0.0, &p, NULL), CAP_OK);
  assert_close(p.pulley[PRI].tilt, 1e-3, 1e-12);
  assert_true(p.thrust_ratio > 1.0 && p.thrust_ratio < 2.0);
  cap_variator_continuum_free(c);
  memset(v.pulley[PRI].sheave, 0, sizeof v.pulley[PRI].sheave);
  memset(v.pulley[SEC].sheave, 0, sizeof v.pulley[SEC].sheave);
  assert_int_equal(cap_variator_continuum_create(&v, NULL, &c, NULL), CAP_OK);
  assert_int_equal(cap_variator_continuum_solve(c, &load, 0.0, &p, NULL), CAP_OK);
  assert_int_equal(p.state, CAP_VARIATOR_CONTINUUM_HOLDS);
  assert_close(p.pulley[PRI].tilt, 0.0, 0.0);
  cap_variator_continuum_free(c);
  v.contact.flank_friction.mu_static = v.contact.flank_friction.mu_kinetic = 1.01 * tan(v.wedge);
  assert_int_equal(cap_variator_continuum_create(&v, NULL, &c, &error), CAP_ERR_UNSUPPORTED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_stiff_limit),
      cmocka_unit_test(test_rings_that_bend),
      cmocka_unit_test(test_entry_direction),
      cmocka_unit_test(test_along_the_arcs),
      cmocka_unit_test(test_locked_friction),
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_powers),
      cmocka_unit_test(test_blunt_friction),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_other_integration),
      cmocka_unit_test(test_dip),
      cmocka_unit_test(test_whatever_came_before),
      cmocka_unit_test(test_shifting),
      cmocka_unit_test(test_settings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
