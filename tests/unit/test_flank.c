/* Flanks on sheaves: closed form of the cone, foot on curved sheaves against searches in space, virtual
 * power, rigid turning, derivatives by differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/pushbelt/contact/flank.h"

/* In double precision, unlike cmocka's own. */
static void check_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

enum { TRIALS = 300, NQ = 5 };
static const double BETA = 11.0 * M_PI / 180.0, SHEAVE_LOW = -0.002, SHEAVE_HIGH = 0.009;

/* A convex sheave whose flank angle changes by some degrees over its height; `bend` 0: the cone. */
static cap_flank_curve sheave(double bend)
{
  return (cap_flank_curve){.a = {0.06, -1.0 / tan(BETA), -60.0 * bend, 1.5e3 * bend, 8e4 * bend, -3e6 * bend},
                           .low = SHEAVE_LOW,
                           .high = SHEAVE_HIGH};
}

static double residual(const cap_flank_curve *c, double m, double rho, double x)
{
  double r[3];
  cap_flank_contour(c, x, r);
  return x - m + r[1] * (r[0] - rho);
}

static void contour_has_its_derivatives(void **state)
{
  (void)state;
  cap_flank_curve c = sheave(1.0);
  uint64_t seed = 3;
  for (int k = 0; k < TRIALS; k++) {
    double x = test_random(&seed, SHEAVE_LOW, SHEAVE_HIGH), h = 1e-6, r[3], up[3], down[3], direct = 0.0;
    cap_flank_contour(&c, x, r);
    cap_flank_contour(&c, x + h, up);
    cap_flank_contour(&c, x - h, down);
    for (int i = 0; i <= CAP_FLANK_ORDER; i++) direct += c.a[i] * pow(x, i);
    check_near(r[0], direct, 1e-15);
    check_near(r[1], (up[0] - down[0]) / (2.0 * h), 1e-8 * fabs(r[1]));
    check_near(r[2], (up[1] - down[1]) / (2.0 * h), 1e-6 * (fabs(r[2]) + 1.0));
  }
  double at[3], beyond[3];
  cap_flank_contour(&c, SHEAVE_HIGH, at);
  cap_flank_contour(&c, SHEAVE_HIGH + 0.01, beyond);
  check_near(beyond[0], at[0] + 0.01 * at[1], 1e-15);
  assert_true(beyond[1] == at[1] && beyond[2] == 0.0);
}

/* (2.33): the root, from warm and from distant starts. */
static void the_foot_solves_the_planar_equation(void **state)
{
  (void)state;
  uint64_t seed = 7;
  double worst = 0.0;
  int most_warm = 0, most_cold = 0;
  for (int k = 0; k < 20 * TRIALS; k++) {
    cap_flank_curve c = sheave(test_random(&seed, -0.3, 1.5));
    double radius = k % 3 ? test_random(&seed, 0.0, 0.3) : 0.0, r[3];
    double on = test_random(&seed, 0.9 * SHEAVE_LOW, 0.9 * SHEAVE_HIGH),
           off = test_random(&seed, -1e-4, 1e-3);
    cap_flank_contour(&c, on, r); /* the centre that has this foot */
    double w = sqrt(1.0 + r[1] * r[1]), m = on - (radius + off) * r[1] / w, rho = r[0] + (radius + off) / w;
    double x = cap_flank_guess(&c, m, rho, radius);
    int cold = cap_flank_foot(&c, m, rho, &x);
    worst = fmax(worst, fabs(residual(&c, m, rho, x)));
    check_near(x, on, 1e-13);
    double warm_x = on + test_random(&seed, -1e-6, 1e-6), wild = test_random(&seed, -0.05, 0.05);
    int warm = cap_flank_foot(&c, m, rho, &warm_x);
    check_near(warm_x, on, 1e-13);
    cap_flank_foot(&c, m, rho, &wild);
    check_near(wild, on, 1e-13);
    worst = fmax(worst, fmax(fabs(residual(&c, m, rho, warm_x)), fabs(residual(&c, m, rho, wild))));
    most_warm = warm > most_warm ? warm : most_warm;
    most_cold = cold > most_cold ? cold : most_cold;
  }
  print_message("  residual of (2.33) up to %.1e m; iterations warm %d, cold %d\n", worst, most_warm,
                most_cold);
  assert_true(worst < 1e-12);
  assert_true(most_warm <= 2 && most_cold <= 8);
}

/* Distance of a point in space from the surface of revolution about the first axis, by scanning it. */
static double distance_in_space(const cap_flank_curve *c, const double p[3])
{
  double x0 = SHEAVE_LOW, x1 = SHEAVE_HIGH, f0 = -M_PI, f1 = M_PI, best = INFINITY, bx = 0.0, bf = 0.0;
  for (int zoom = 0; zoom < 24; zoom++) {
    enum { N = 24 };
    for (int i = 0; i <= N; i++)
      for (int j = 0; j <= N; j++) {
        double x = x0 + (x1 - x0) * i / N, f = f0 + (f1 - f0) * j / N, r[3];
        cap_flank_contour(c, x, r);
        double d = hypot(hypot(p[0] - x, p[1] - r[0] * cos(f)), p[2] - r[0] * sin(f));
        if (d < best) best = d, bx = x, bf = f;
      }
    double wx = (x1 - x0) * 0.15, wf = (f1 - f0) * 0.15;
    x0 = fmax(SHEAVE_LOW, bx - wx), x1 = fmin(SHEAVE_HIGH, bx + wx), f0 = bf - wf, f1 = bf + wf;
  }
  return best;
}

/* The gap is the distance in space of the sphere's centre from the sheave less the radius; R = 0: of the
 * point. */
static void the_gap_is_the_distance_in_space(void **state)
{
  (void)state;
  uint64_t seed = 11;
  double worst = 0.0;
  for (int k = 0; k < 40; k++) {
    cap_flank_curve c = sheave(test_random(&seed, 0.0, 1.0));
    double radius = k % 2 ? test_random(&seed, 0.001, 0.02) : 0.0, r[3], on = test_random(&seed, 0.0, 0.007);
    cap_flank_contour(&c, on, r);
    double w = sqrt(1.0 + r[1] * r[1]), d = radius + test_random(&seed, 1e-5, 1e-3);
    double m = on - d * r[1] / w, rho = r[0] + d / w, phi = test_random(&seed, -3, 3);
    double x = cap_flank_guess(&c, m, rho, radius), p[3] = {m, rho * cos(phi), rho * sin(phi)};
    cap_flank_foot(&c, m, rho, &x);
    cap_flank_place place = cap_flank_on_curve(&c, radius, p[1], p[2], m, x);
    worst = fmax(worst, fabs(place.gap - (distance_in_space(&c, p) - radius)));
  }
  print_message("  gap within %.1e m of the search in space\n", worst);
  assert_true(worst < 1e-9);
}

/* A linear polynomial is the cone in closed form: gap sin b (rho - rho0) - cos b z / 2. */
static void a_straight_contour_is_the_cone(void **state)
{
  (void)state;
  uint64_t seed = 13;
  cap_flank_curve c = sheave(0.0);
  double sin_b = sin(BETA), cos_b = cos(BETA), worst = 0.0;
  for (int k = 0; k < TRIALS; k++) {
    double radius = k % 2 ? test_random(&seed, 0.0, 0.3) : 0.0, m0 = 0.004 + radius * cos_b;
    double z = test_random(&seed, -1e-3, 1e-3), rho = test_random(&seed, 0.03, 0.08) + radius * sin_b;
    double phi = test_random(&seed, -3, 3), from[2] = {rho * cos(phi), rho * sin(phi)};
    /* touches at z = 0 where nx (m0 - x) + nr (rho - r(x)) = R */
    double rho0 = c.a[0] + c.a[1] * m0 + radius / sin_b;
    cap_flank_place cone = cap_flank_on_cone(sin_b, cos_b, rho0, radius, from[0], from[1], z);
    double m = m0 - 0.5 * z, x = cap_flank_guess(&c, m, rho, radius);
    cap_flank_foot(&c, m, rho, &x);
    cap_flank_place curve = cap_flank_on_curve(&c, radius, from[0], from[1], m, x);
    worst = fmax(worst, fmax(fabs(cone.gap - curve.gap), fabs(cone.reach - curve.reach)));
    worst = fmax(worst, fmax(fabs(cone.nx - curve.nx), fabs(cone.nr - curve.nr)));
    check_near(cone.gap, sin_b * (rho - rho0) - 0.5 * cos_b * z, 1e-16);
  }
  print_message("  cone by a linear polynomial within %.1e\n", worst);
  assert_true(worst < 1e-15);
}

/* The point of a flat flank stays on the sphere that takes its place. */
static void the_sphere_touches_the_flank_at_its_point(void **state)
{
  (void)state;
  double up, width;
  cap_flank_sphere(-0.001, 0.012, BETA, 0.25, &up, &width);
  check_near(hypot(up + 0.001, width - 0.012), 0.25, 1e-15);
  check_near((up + 0.001) / 0.25, sin(BETA), 1e-15);
  cap_flank_sphere(-0.001, 0.012, BETA, 0.0, &up, &width);
  assert_true(up == -0.001 && width == 0.012);
}

/* ---- rows of the contact types ------------------------------------------------------------------------- */

typedef struct scene {
  cap_contact_batch batch;
  int coord[NQ];
  double par[32], q[NQ], v[NQ];
} scene;

static void random_scene(const cap_contact_type *type, uint64_t *seed, scene *s)
{
  memset(s, 0, sizeof *s);
  double radius = test_random(seed, 0, 1) > 0.5 ? test_random(seed, 0.0, 0.3) : 0.0;
  double up = radius * sin(BETA) - 0.001, m0 = 0.004 + radius * cos(BETA), phi = test_random(seed, -3, 3);
  s->par[0] = test_random(seed, -1e-3, 1e-3);
  s->par[1] = up;
  s->par[2] = test_random(seed, -0.2, 0.2);
  s->par[3] = test_random(seed, -0.2, 0.2);
  if (type == &cap_flank_cone_type) {
    s->par[CAP_FLANK_CONE_RHO0] = 0.05 + radius * sin(BETA);
    s->par[CAP_FLANK_CONE_ANGLE] = BETA;
    s->par[CAP_FLANK_CONE_RADIUS] = radius;
  } else {
    cap_flank_curve c = sheave(test_random(seed, 0.0, 1.5));
    s->par[CAP_FLANK_CURVE_M0] = m0;
    s->par[CAP_FLANK_CURVE_RADIUS] = radius;
    s->par[CAP_FLANK_CURVE_LOW] = c.low;
    s->par[CAP_FLANK_CURVE_HIGH] = c.high;
    memcpy(s->par + CAP_FLANK_CURVE_A, c.a, sizeof c.a);
  }
  double rho = test_random(seed, 0.03, 0.07), pitch = phi - 0.5 * M_PI + test_random(seed, -0.2, 0.2);
  s->q[0] = s->par[2] + rho * cos(phi);
  s->q[1] = s->par[3] + rho * sin(phi);
  s->q[2] = pitch;
  s->q[3] = test_random(seed, -3, 3);
  s->q[4] = test_random(seed, -2e-4, 2e-4);
  for (int i = 0; i < NQ; i++) s->coord[i] = i, s->v[i] = test_random(seed, -1, 1);
  s->batch = (cap_contact_batch){.type = type, .n = 1, .coord = s->coord, .par = s->par};
}

static cap_contact_rows rows_at(const scene *s, const double *q)
{
  cap_contact_rows rows = {0};
  s->batch.type->rows(&s->batch, 0, 1, 0.0, q, NULL, &rows);
  return rows;
}

static const cap_contact_type *const TYPES[2] = {&cap_flank_cone_type, &cap_flank_curve_type};

static void derivatives_match_differences(void **state)
{
  (void)state;
  enum { VALUES = CAP_CONTACT_ROWS * (CAP_CONTACT_COORDS + 2) };
  for (int type = 0; type < 2; type++) {
    uint64_t seed = 17;
    double worst = 0.0, size = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
      scene s;
      random_scene(TYPES[type], &seed, &s);
      double dq[NQ], h = 2e-5;
      for (int i = 0; i < NQ; i++) dq[i] = test_random(&seed, -1, 1) * (i == 2 || i == 3 ? 1.0 : 0.05);
      cap_contact_rows rows = rows_at(&s, s.q), drows = {0}, off[4];
      s.batch.type->turn(&s.batch, 0, 1, 0.0, s.q, NULL, &rows, 0.0, dq, NULL, 1, &drows);
      for (int p = 0; p < 4; p++) {
        double q[NQ];
        for (int i = 0; i < NQ; i++) q[i] = s.q[i] + (p < 2 ? p - 2 : p - 1) * h * dq[i];
        off[p] = rows_at(&s, q);
      }
      for (int i = 0; i < VALUES; i++) {
        double near = (&off[2].J[0][0])[i] - (&off[1].J[0][0])[i],
               far = (&off[3].J[0][0])[i] - (&off[0].J[0][0])[i];
        double slope = (8.0 * near - far) / (12.0 * h);
        worst = fmax(worst, fabs(slope - (&drows.J[0][0])[i]));
        size = fmax(size, fabs(slope));
      }
    }
    print_message("  %-12s derivatives up to %.2f, within %.1e of differences\n", TYPES[type]->name, size,
                  worst);
    assert_true(size > 0.5 && worst < 1e-8 * size);
  }
}

/* The gap's rate is the row; the kernels give the rows' velocities; forces along the rows do on all bodies
 * together the power f . g, each with random velocities. */
static void forces_and_velocities_are_dual(void **state)
{
  (void)state;
  for (int type = 0; type < 2; type++) {
    uint64_t seed = 19;
    for (int trial = 0; trial < TRIALS; trial++) {
      scene s;
      random_scene(TYPES[type], &seed, &s);
      cap_contact_rows rows = rows_at(&s, s.q), drows = {0};
      s.batch.type->turn(&s.batch, 0, 1, 0.0, s.q, NULL, &rows, 0.0, s.v, NULL, 1, &drows);
      double g[3] = {0}, kernel[3], f[3], arm[2], power = 0.0, direct = 0.0;
      for (int r = 0; r < 3; r++)
        for (int i = 0; i < NQ; i++) g[r] += rows.J[r][i] * s.v[i];
      check_near(drows.gap[0], g[0], 1e-14);
      double c = cos(s.q[2]), si = sin(s.q[2]);
      arm[0] = c * s.par[0] - si * s.par[1], arm[1] = si * s.par[0] + c * s.par[1];
      double from[2] = {s.q[0] + arm[0] - s.par[2], s.q[1] + arm[1] - s.par[3]};
      cap_flank_place p;
      if (type == 0) {
        p = cap_flank_on_cone(sin(BETA), cos(BETA), s.par[CAP_FLANK_CONE_RHO0], s.par[CAP_FLANK_CONE_RADIUS],
                              from[0], from[1], s.q[4]);
      } else {
        cap_flank_curve curve = {.low = s.par[CAP_FLANK_CURVE_LOW], .high = s.par[CAP_FLANK_CURVE_HIGH]};
        memcpy(curve.a, s.par + CAP_FLANK_CURVE_A, sizeof curve.a);
        p = cap_flank_on_curve(&curve, s.par[CAP_FLANK_CURVE_RADIUS], from[0], from[1],
                               s.par[CAP_FLANK_CURVE_M0] - 0.5 * s.q[4], rows.measure[2]);
      }
      cap_flank_velocity(&p, arm[0], arm[1], s.v[0], s.v[1], s.v[2], s.v[3], s.v[4], kernel);
      for (int r = 0; r < 3; r++) {
        check_near(kernel[r], g[r], 1e-14);
        f[r] = test_random(&seed, -1000, 1000);
        power += f[r] * g[r];
      }
      cap_flank_push push = cap_flank_pushes(&p, arm[0], arm[1], f);
      direct = push.force[0] * s.v[0] + push.force[1] * s.v[1] + push.moment * s.v[2] + push.torque * s.v[3] +
               push.closing * s.v[4];
      check_near(direct, power, 1e-11);
      /* no moment about the pulley's axis from inside: action and reaction at one point */
      double about = (s.q[0] - s.par[2]) * push.force[1] - (s.q[1] - s.par[3]) * push.force[0] + push.moment +
                     push.torque;
      check_near(about, 0.0, 1e-11);
    }
  }
}

/* Turning together about the pulley's axis is no sliding. */
static void turning_together_does_not_slide(void **state)
{
  (void)state;
  for (int type = 0; type < 2; type++) {
    uint64_t seed = 23;
    for (int trial = 0; trial < TRIALS; trial++) {
      scene s;
      random_scene(TYPES[type], &seed, &s);
      cap_contact_rows rows = rows_at(&s, s.q);
      double v[NQ] = {-(s.q[1] - s.par[3]), s.q[0] - s.par[2], 1.0, 1.0, 0.0};
      for (int r = 0; r < 3; r++) {
        double g = 0.0;
        for (int i = 0; i < NQ; i++) g += rows.J[r][i] * v[i];
        check_near(g, 0.0, 1e-15);
      }
    }
  }
}

/* Projections of the cone: radial 2 N sin b + f cos b, axial on one sheave N cos b - f / 2 sin b. */
static void projections_of_the_cone(void **state)
{
  (void)state;
  double n = 700.0, along = 90.0, tangential = -40.0, f[3] = {2.0 * n, tangential, along};
  cap_flank_place p = cap_flank_on_cone(sin(BETA), cos(BETA), 0.05, 0.0, 0.0, 0.0499, 0.0);
  cap_flank_push push = cap_flank_pushes(&p, 0.0, -0.001, f);
  check_near(push.force[1], 2.0 * n * sin(BETA) + along * cos(BETA), 1e-11);
  check_near(-push.closing, n * cos(BETA) - 0.5 * along * sin(BETA), 1e-11);
  check_near(push.torque, -tangential * 0.0499, 1e-12);
  check_near(p.gap, -1e-4 * sin(BETA), 1e-17);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contour_has_its_derivatives),
      cmocka_unit_test(the_foot_solves_the_planar_equation),
      cmocka_unit_test(the_gap_is_the_distance_in_space),
      cmocka_unit_test(a_straight_contour_is_the_cone),
      cmocka_unit_test(the_sphere_touches_the_flank_at_its_point),
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(forces_and_velocities_are_dual),
      cmocka_unit_test(turning_together_does_not_slide),
      cmocka_unit_test(projections_of_the_cone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
