/* The tangential contact law at single points: derivatives, limit, smoothness of the passage from stick to
 * slip, rotation, power, and the edges of its domain. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../verify/loop_data.h"
#include "laws/stick.h"

static const capm_stick smooth = {1000.0, 7.0, {0.5, 0.3, 0.2, 0.0}, 0.2};
static const capm_stick sharp = {1000.0, 7.0, {0.5, 0.3, 0.2, 0.0}, 0.0};
static const capm_stick plain = {1000.0, 7.0, {0.4, 0.4, 0.0, 0.0}, 0.1};
static const capm_stick rising = {1000.0, 7.0, {0.2, 0.4, 0.5, 0.0}, 0.1};
static const capm_stick endless = {1000.0, 7.0, {INFINITY, INFINITY, 0.0, 0.0}, 0.1};
static const capm_stick *const laws[] = {&smooth, &sharp, &plain, &rising, &endless};
enum { LAWS = sizeof laws / sizeof *laws };
enum { RELAX, STICK, BLEND, SLIP, REGIMES };

typedef struct point {
  int n;
  double z[2], g[2], normal;
} point;

static double between(loop_random *r, double low, double high)
{
  return low + (high - low) * loop_uniform(r);
}

static point random_point(loop_random *r, int n)
{
  point x = {.n = n, .normal = between(r, -10.0, 50.0)};
  for (int i = 0; i < n; i++) x.z[i] = between(r, -0.02, 0.02), x.g[i] = between(r, -1.0, 1.0);
  return x;
}

static capm_stick_result at(const capm_stick *p, const point *x)
{
  capm_stick_result r;
  capm_stick_evaluate(p, x->n, x->z, x->g, x->normal, &r);
  return r;
}

static double size(const double *x)
{
  return hypot(x[0], x[1]);
}

static double limit_of(const capm_stick *p, const point *x)
{
  double slope, speed = size(x->g);
  return fmax(x->normal, 0.0) * capm_friction_square(&p->friction, speed * speed, &slope);
}

static double trial_of(const capm_stick *p, const point *x)
{
  double f[2] = {p->k * x->z[0] + p->d * x->g[0], p->k * x->z[1] + p->d * x->g[1]};
  return size(f);
}

static int regime_of(const capm_stick *p, const point *x)
{
  if (isinf(p->friction.mu_static)) return STICK;
  double limit = limit_of(p, x), trial = trial_of(p, x);
  if (limit <= 0.0) return RELAX;
  return trial <= (1.0 - p->width) * limit ? STICK : trial < (1.0 + p->width) * limit ? BLEND : SLIP;
}

/* Entry v of a point: deflections, velocities, normal force. */
static double *entry(point *x, int v)
{
  return v < x->n ? &x->z[v] : v < 2 * x->n ? &x->g[v - x->n] : &x->normal;
}

static double force_slope(const capm_stick_result *r, int n, int i, int v)
{
  return v < n ? r->force_z[i][v] : v < 2 * n ? r->force_g[i][v - n] : r->force_n[i];
}

static double rate_slope(const capm_stick_result *r, int n, int i, int v)
{
  return v < n ? r->rate_z[i][v] : v < 2 * n ? r->rate_g[i][v - n] : r->rate_n[i];
}

/* Largest difference of the derivatives to entry v from central differences;
 * -1 where a regime ends between. */
static double slope_error(const capm_stick *p, point x, int v)
{
  const double step[3] = {1e-8, 1e-6, 1e-5}, scale[3] = {p->k, p->d, 1.0};
  const int kind = v / x.n;
  const capm_stick_result r = at(p, &x);
  point up = x, down = x;
  *entry(&up, v) += step[kind], *entry(&down, v) -= step[kind];
  if (regime_of(p, &up) != regime_of(p, &x) || regime_of(p, &down) != regime_of(p, &x)) return -1.0;
  const capm_stick_result a = at(p, &up), b = at(p, &down);
  double worst = 0.0;
  for (int i = 0; i < x.n; i++) {
    double force = (a.force[i] - b.force[i]) / (2 * step[kind]) - force_slope(&r, x.n, i, v);
    double rate = (a.rate[i] - b.rate[i]) / (2 * step[kind]) - rate_slope(&r, x.n, i, v);
    worst = fmax(worst, fmax(fabs(force), p->d * fabs(rate)) / scale[kind]);
  }
  return worst;
}

static void test_derivatives(void **state)
{
  (void)state;
  loop_random random = loop_seed(1);
  int met[LAWS][3][REGIMES] = {{{0}}}, skipped = 0;
  double worst = 0.0;
  for (int l = 0; l < LAWS; l++)
    for (int c = 0; c < 40000; c++) {
      const point x = random_point(&random, 1 + c % 2);
      met[l][x.n][regime_of(laws[l], &x)]++;
      for (int v = 0; v < 2 * x.n + 1; v++) {
        const double error = slope_error(laws[l], x, v);
        if (error < 0.0) skipped++;
        worst = fmax(worst, error);
      }
    }
  print_message("derivatives within %.1e of differences, %d of 800000 across an edge\n", worst, skipped);
  assert_true(worst < 1e-7);
  assert_true(skipped < 100);
  for (int l = 0; l < LAWS; l++)
    for (int n = 1; n <= 2; n++)
      for (int k = 0; k < REGIMES; k++)
        if (laws[l] == &endless ? k == STICK : k != BLEND || laws[l] != &sharp)
          assert_true(met[l][n][k] > 100);
}

static void test_limit(void **state)
{
  (void)state;
  loop_random random = loop_seed(2);
  for (int l = 0; l < LAWS; l++)
    for (int c = 0; c < 40000; c++) {
      const capm_stick *p = laws[l];
      const point x = random_point(&random, 1 + c % 2);
      const capm_stick_result r = at(p, &x);
      const double force = size(r.force), trial = trial_of(p, &x), limit = limit_of(p, &x);
      const double trials[2] = {p->k * x.z[0] + p->d * x.g[0], p->k * x.z[1] + p->d * x.g[1]};
      assert_true(force <= trial * (1.0 + 1e-15));
      if (!isinf(p->friction.mu_static)) assert_true(force <= limit * (1.0 + 1e-15));
      if (regime_of(p, &x) == SLIP) assert_true(fabs(force - limit) <= 1e-15 * limit);
      if (regime_of(p, &x) == STICK)
        for (int i = 0; i < 2; i++) assert_true(r.force[i] == trials[i] && r.rate[i] == x.g[i]);
      /* along the trial force, never against it */
      assert_true(fabs(r.force[0] * trials[1] - r.force[1] * trials[0]) <= 1e-15 * force * trial);
      assert_true(r.force[0] * trials[0] + r.force[1] * trials[1] >= 0.0);
    }
}

/* |f| / limit and its first two derivatives to u = |f*| / limit, the second by differences of the first. */
static void passage(const capm_stick *p, double u, double out[3])
{
  const double h = 1e-7;
  double slope[2];
  point x = {.n = 1, .normal = 10.0};
  const double limit = limit_of(p, &x);
  for (int s = 0; s < 2; s++) {
    x.z[0] = (u + (2 * s - 1) * h) * limit / p->k;
    slope[s] = at(p, &x).force_z[0][0] / p->k;
  }
  x.z[0] = u * limit / p->k;
  const capm_stick_result r = at(p, &x);
  out[0] = r.force[0] / limit, out[1] = r.force_z[0][0] / p->k;
  out[2] = (slope[1] - slope[0]) / (2 * h);
}

/* Two continuous derivatives at both ends of the passage, monotone and concave between. */
static void test_passage(void **state)
{
  (void)state;
  const double width[] = {0.01, 0.1, 0.5, 0.9};
  for (int w = 0; w < 4; w++) {
    const capm_stick p = {1000.0, 7.0, {0.4, 0.4, 0.0, 0.0}, width[w]};
    for (int end = -1; end <= 1; end += 2) {
      const double edge = 1.0 + end * width[w], near = 1e-4 * width[w];
      double in[3], out[3];
      passage(&p, edge - end * near, in);
      passage(&p, edge + end * near, out);
      assert_true(fabs(in[0] - out[0]) <= 2.001 * near);
      assert_true(fabs(in[1] - out[1]) <= 1e-7);
      assert_true(fabs(in[2] - out[2]) * width[w] <= 1e-3); /* the third derivative is 3 / (2 width^2) */
      assert_true(fabs(out[0] - (end < 0 ? edge - near : 1.0)) < 1e-15);
    }
    double last = 0.0, value[3];
    for (int i = 0; i <= 4000; i++) {
      const double u = 1e-6 + i * 2.2 / 4000;
      passage(&p, u, value);
      assert_true(value[0] >= last && value[1] >= 0.0 && value[1] <= 1.0);
      assert_true(value[0] <= fmin(u, 1.0) * (1.0 + 1e-14));
      assert_true(value[2] <= 1e-6 && value[2] >= -0.75 / width[w] * (1.0 + 1e-6));
      last = value[0];
    }
  }
}

static void turn(double c, double s, const double *in, double *out)
{
  out[0] = c * in[0] - s * in[1];
  out[1] = s * in[0] + c * in[1];
}

static double turned_error(double c, double s, const double *in, const double *out)
{
  double expected[2];
  turn(c, s, in, expected);
  return fmax(fabs(out[0] - expected[0]), fabs(out[1] - expected[1]));
}

/* R A R' against B. */
static double turned_matrix_error(double c, double s, double in[2][2], double out[2][2])
{
  const double R[2][2] = {{c, -s}, {s, c}};
  double worst = 0.0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      double sum = 0.0;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) sum += R[i][a] * in[a][b] * R[j][b];
      worst = fmax(worst, fabs(sum - out[i][j]));
    }
  return worst;
}

static void test_rotation(void **state)
{
  (void)state;
  loop_random random = loop_seed(3);
  for (int l = 0; l < LAWS; l++)
    for (int k = 0; k < 10000; k++) {
      const capm_stick *p = laws[l];
      const point x = random_point(&random, 2);
      const double angle = between(&random, 0.0, 6.2832), c = cos(angle), s = sin(angle);
      point y = x;
      turn(c, s, x.z, y.z), turn(c, s, x.g, y.g);
      if (regime_of(p, &x) != regime_of(p, &y)) continue;
      capm_stick_result a = at(p, &x), b = at(p, &y);
      assert_true(turned_error(c, s, a.force, b.force) < 1e-13 * (1.0 + trial_of(p, &x)));
      assert_true(turned_error(c, s, a.rate, b.rate) < 1e-13 * (1.0 + trial_of(p, &x)));
      assert_true(turned_error(c, s, a.force_n, b.force_n) < 1e-12);
      assert_true(turned_error(c, s, a.rate_n, b.rate_n) < 1e-12);
      assert_true(turned_matrix_error(c, s, a.force_z, b.force_z) < 1e-12 * p->k);
      assert_true(turned_matrix_error(c, s, a.force_g, b.force_g) < 1e-12 * p->d);
      assert_true(turned_matrix_error(c, s, a.rate_z, b.rate_z) < 1e-12 * p->k / p->d);
      assert_true(turned_matrix_error(c, s, a.rate_g, b.rate_g) < 1e-12);
      assert_true(fabs(a.damping - b.damping) < 1e-12 * (1.0 + a.damping));
      assert_true(fabs(a.slip - b.slip) < 1e-12 * (1.0 + a.slip));
    }
}

/* Two directions with all along one of them are one direction. */
static void test_one_of_two(void **state)
{
  (void)state;
  loop_random random = loop_seed(4);
  for (int l = 0; l < LAWS; l++)
    for (int c = 0; c < 10000; c++) {
      const point x = random_point(&random, 1);
      for (int axis = 0; axis < 2; axis++) {
        point y = {.n = 2, .normal = x.normal};
        y.z[axis] = x.z[0], y.g[axis] = x.g[0];
        const capm_stick_result a = at(laws[l], &x), b = at(laws[l], &y);
        assert_true(fabs(a.force[0] - b.force[axis]) <= 1e-15 * fabs(a.force[0]) && b.force[1 - axis] == 0.0);
        assert_true(fabs(a.rate[0] - b.rate[axis]) <= 1e-13 && b.rate[1 - axis] == 0.0);
        assert_true(fabs(a.slip - b.slip) <= 1e-14 * a.slip);
        assert_true(fabs(a.force_g[0][0] - b.force_g[axis][axis]) <= 1e-13);
        assert_true(b.force_z[0][1] == 0.0 && b.force_g[1][0] == 0.0);
      }
    }
}

/* force.g = d(energy)/dt + damping + slip, both losses without sign. */
static void test_power(void **state)
{
  (void)state;
  loop_random random = loop_seed(5);
  double worst = 0.0;
  for (int l = 0; l < LAWS; l++)
    for (int c = 0; c < 40000; c++) {
      const capm_stick *p = laws[l];
      const point x = random_point(&random, 1 + c % 2);
      const capm_stick_result r = at(p, &x);
      double work = 0.0, stored = 0.0;
      for (int i = 0; i < x.n; i++) work += r.force[i] * x.g[i], stored += p->k * x.z[i] * r.rate[i];
      assert_true(r.damping >= 0.0 && r.slip >= 0.0);
      assert_true((r.slip > 0.0) == (regime_of(p, &x) >= BLEND));
      worst = fmax(worst,
                   fabs(work - stored - r.damping - r.slip) / (fabs(stored) + r.damping + r.slip + 1e-3));
      const double dt = 1e-7, z[2] = {x.z[0] + dt * r.rate[0], x.z[1] + dt * r.rate[1]};
      const double growth = (capm_stick_energy(p, x.n, z) - capm_stick_energy(p, x.n, x.z)) / dt;
      assert_true(fabs(growth - stored) < 1e-3 * (1.0 + fabs(stored)));
    }
  print_message("power closes within %.1e\n", worst);
  assert_true(worst < 1e-13);
}

static bool finite_result(const capm_stick_result *r)
{
  const double *value = (const double *)r;
  bool finite = true;
  for (size_t i = 0; i < sizeof *r / sizeof(double); i++) finite = finite && isfinite(value[i]);
  return finite;
}

/* Nothing is divided by zero: no force, no velocity, no load, no friction, a load next to nothing. */
static void test_edges(void **state)
{
  (void)state;
  const capm_stick ice = {1000.0, 7.0, {0.0, 0.0, 0.0, 0.0}, 0.1},
                   wide = {1000.0, 7.0, {0.4, 0.4, 0.0, 0.0}, 1.0};
  const capm_stick *all[] = {&smooth, &sharp, &plain, &rising, &endless, &ice, &wide};
  const double deflection[] = {0.0, 1e-300, -1e-6, 1e3}, velocity[] = {0.0, 1e-300, 1e6};
  const double normal[] = {-1e9, -0.0, 0.0, 5e-324, 1e-300, 1e-9, 1e12};
  for (int l = 0; l < 7; l++)
    for (int i = 0; i < 2 * 4 * 3 * 7; i++) {
      const point x = {.n = 1 + i % 2,
                       .z = {deflection[i / 2 % 4], i % 2 ? -deflection[i / 2 % 4] : 0.0},
                       .g = {velocity[i / 8 % 3], 0.0},
                       .normal = normal[i / 24]};
      const capm_stick_result r = at(all[l], &x);
      assert_true(finite_result(&r));
    }
  point x = {.n = 2, .z = {0.01, -0.02}, .g = {NAN, 0.0}, .normal = 10.0};
  assert_true(isnan(at(&smooth, &x).force[0]) && isnan(at(&sharp, &x).force[0]));
  x.g[0] = 0.0, x.normal = NAN; /* a state that is not finite is seen, not taken for lost contact */
  assert_true(isnan(at(&smooth, &x).force[0]) && isnan(at(&sharp, &x).force[0]));
}

/* Without normal force there is none, and the deflection relaxes; the force vanishes with the load. */
static void test_no_contact(void **state)
{
  (void)state;
  for (int n = 1; n <= 2; n++)
    for (int l = 0; l < LAWS - 1; l++) {
      const capm_stick *p = laws[l];
      point x = {.n = n, .z = {0.01, n == 2 ? -0.02 : 0.0}, .g = {0.3, n == 2 ? 0.1 : 0.0}, .normal = -1.0};
      const capm_stick_result r = at(p, &x);
      for (int i = 0; i < n; i++) {
        assert_true(r.force[i] == 0.0 && r.force_z[i][i] == 0.0 && r.force_g[i][i] == 0.0 &&
                    r.force_n[i] == 0.0);
        assert_true(fabs(r.rate[i] + p->k * x.z[i] / p->d) < 1e-14);
        assert_true(r.rate_z[i][i] == -p->k / p->d && r.rate_g[i][i] == 0.0);
      }
      assert_true(r.slip == 0.0 && r.damping > 0.0);
      for (x.normal = 1.0; x.normal > 1e-12; x.normal *= 0.1) {
        const capm_stick_result a = at(p, &x);
        assert_true(fabs(size(a.force) - limit_of(p, &x)) <= 1e-15 * x.normal);
        assert_true(fabs(a.rate[0] - r.rate[0]) <= x.normal / p->d + 1e-15);
      }
    }
}

/* Never slips: the force of a Kelvin-Voigt element, with or without load; a spring alone is allowed. */
static void test_endless(void **state)
{
  (void)state;
  const capm_stick spring = {1000.0, 0.0, {INFINITY, INFINITY, 0.0, 0.0}, 0.1};
  for (double normal = -1e6; normal <= 1e6; normal += 1e6) {
    const point x = {.n = 2, .z = {1.5, -2.0}, .g = {3.0, 40.0}, .normal = normal};
    const capm_stick_result a = at(&endless, &x), b = at(&spring, &x);
    for (int i = 0; i < 2; i++) {
      assert_true(a.force[i] == 1000.0 * x.z[i] + 7.0 * x.g[i] && a.rate[i] == x.g[i]);
      assert_true(b.force[i] == 1000.0 * x.z[i] && b.rate[i] == x.g[i]);
      assert_true(a.rate_g[i][i] == 1.0 && a.rate_z[i][i] == 0.0 && a.force_n[i] == 0.0);
    }
    assert_true(a.slip == 0.0 && b.slip == 0.0 && b.damping == 0.0);
  }
}

static void test_stribeck(void **state)
{
  (void)state;
  double slope, last = 1.0;
  for (double v = 0.0; v < 2.0; v += 0.01) {
    const double mu = capm_friction_square(&smooth.friction, v * v, &slope);
    assert_true(fabs(mu - (0.3 + 0.2 * exp(-v * v / 0.04))) < 1e-15);
    assert_true(mu <= last && slope <= 0.0);
    last = mu;
  }
  assert_true(capm_friction_square(&smooth.friction, 0.0, &slope) == 0.5 && last == 0.3);
  assert_true(capm_friction_square(&plain.friction, 1.0, &slope) == 0.4 && slope == 0.0);
  /* the steepest fall, sqrt(2/e) (mu_s - mu_k) / v_s at v_s / sqrt(2) */
  capm_friction_square(&smooth.friction, 0.02, &slope);
  assert_true(fabs(2.0 * slope * sqrt(0.02) + sqrt(2.0 / exp(1.0)) * 0.2 / 0.2) < 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_limit),
                                     cmocka_unit_test(test_passage),     cmocka_unit_test(test_rotation),
                                     cmocka_unit_test(test_one_of_two),  cmocka_unit_test(test_power),
                                     cmocka_unit_test(test_edges),       cmocka_unit_test(test_no_contact),
                                     cmocka_unit_test(test_endless),     cmocka_unit_test(test_stribeck)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
