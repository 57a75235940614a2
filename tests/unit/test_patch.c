/* Friction of an evenly pressed rectangle that slides and spins (laws/patch.h), against closed forms and
 * against Gauss' quadrature of |g + Omega x r|. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "laws/patch.h"

#include <math.h>
#include <string.h>

enum { LANES = CAPM_PATCH_LANES, MANY = CAPM_PATCH_MANY };

static const double rectangles[][2] = {
    {1.5e-3, 4.5e-3}, {1.5e-3, 5.0e-3}, {1.5e-3, 1.5e-3}, {0.75e-3, 4.5e-3}, {4.7e-3, 1e-4}};
enum { RECTANGLES = sizeof rectangles / sizeof *rectangles };

static double random_in(uint64_t *state, double low, double high)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static void near_to(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.9g, expected %.9g +- %.2g", value, expected, tolerance);
}

/* Of a flank's own directions: moment over the limit, m, with slip (g1, g2) in m/s and a spin in rad/s. */
static double moment_of(const capm_patch *p, double g1, double g2, double spin)
{
  capm_patch_slope s;
  capm_patch_power(p, (const double[]){g1, g2, p->gyration * spin}, &s);
  return p->gyration * s.n[2];
}

/* d/6 + t^2/(12 H) ln((H + d)/t) + H^2/(12 t) ln((t + d)/H). */
static void pure_drilling(void **state)
{
  (void)state;
  const double known[] = {1.23472e-3, 1.35264e-3, 0.57390e-3};
  for (int k = 0; k < RECTANGLES; k++) {
    const double t = rectangles[k][0], H = rectangles[k][1], d = hypot(t, H);
    const double closed = d / 6.0 + t * t / (12.0 * H) * log((H + d) / t) +
                          H * H / (12.0 * t) * log((t + d) / H);
    capm_patch p = capm_patch_of(t, H);
    near_to(moment_of(&p, 0.0, 0.0, 3.0), closed, 1e-9 * closed);
    near_to(moment_of(&p, 0.0, 0.0, -3.0), -closed, 1e-9 * closed);
    if (k < 3) near_to(closed, known[k], 1e-3 * known[k]);
  }
  capm_patch line = capm_patch_of(0.0, 4.5e-3);
  near_to(moment_of(&line, 0.0, 0.0, 1.0), 4.5e-3 / 4.0, 1e-5 * 4.5e-3);
}

/* M = limit (Omega/|g|) (t^2 e_t^2 + H^2 e_s^2)/12: only the extent along the slip resists. */
static void slow_spin(void **state)
{
  (void)state;
  for (int k = 0; k < RECTANGLES; k++)
    for (int i = 0; i <= 6; i++) {
      const double t = rectangles[k][0], H = rectangles[k][1], turn = M_PI * i / 12.0, g = 0.05, spin = 0.2;
      const double e1 = cos(turn), e2 = sin(turn);
      const double expected = spin / g * (t * t * e1 * e1 + H * H * e2 * e2) / 12.0;
      capm_patch p = capm_patch_of(t, H);
      near_to(moment_of(&p, g * e1, g * e2, spin), expected, 1e-3 * expected);
    }
}

/* Moments of 1.5 x 4.5 mm in mm by an independent quadrature; spin over slip in 1/mm. */
static void between_both(void **state)
{
  (void)state;
  const double ratio[] = {0.05, 0.2, 0.5, 1.0, 2.0, 5.0};
  const double along[] = {0.0095, 0.0432, 0.4085, 1.0177, 1.1802, 1.2260};
  const double across[] = {0.0841, 0.3230, 0.6732, 0.9495, 1.1393, 1.2187};
  const double half[] = {0.0470, 0.1981, 0.5720, 0.9621, 1.1592, 1.2223};
  capm_patch p = capm_patch_of(1.5e-3, 4.5e-3);
  for (int i = 0; i < 6; i++) {
    const double spin = 1e3 * ratio[i];
    near_to(1e3 * moment_of(&p, 1.0, 0.0, spin), along[i], 6e-5);
    near_to(1e3 * moment_of(&p, 0.0, 1.0, spin), across[i], 6e-5);
    near_to(1e3 * moment_of(&p, M_SQRT1_2, M_SQRT1_2, spin), half[i], 6e-5);
  }
}

/* Mean of |g + Omega x r|, in units of the radius of gyration, and forces: midpoints. */
static double by_quadrature(const capm_patch *p, const double v[3], double force[3])
{
  enum { N = 400 };
  double sum = 0.0;
  memset(force, 0, 3 * sizeof *force);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double a = p->half[0] * ((2.0 * i + 1.0) / N - 1.0), b = p->half[1] * ((2.0 * j + 1.0) / N - 1.0);
      double s1 = v[0] - v[2] * b, s2 = v[1] + v[2] * a, r = hypot(s1, s2) + 1e-300;
      sum += r / ((double)N * N);
      force[0] += s1 / r / ((double)N * N), force[1] += s2 / r / ((double)N * N);
      force[2] += (a * s2 - b * s1) / r / ((double)N * N);
    }
  return sum;
}

static void anywhere(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int k = 0; k < 30; k++) {
    capm_patch p = capm_patch_of(rectangles[k % 4][0], rectangles[k % 4][1]);
    const double most = k < 20 ? 1.0 : 0.3;
    double v[3] = {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -most, most)}, force[3];
    capm_patch_slope s;
    const double power = capm_patch_power(&p, v, &s);
    near_to(power, by_quadrature(&p, v, force), 1e-5);
    for (int i = 0; i < 3; i++) near_to(s.n[i], force[i], 2e-5);
  }
}

/* Forces are the gradient of W, H is theirs, symmetric; W is never negative, and convex. */
static void one_potential(void **state)
{
  (void)state;
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  uint64_t seed = 2;
  for (int k = 0; k < 4000; k++) {
    capm_patch p = capm_patch_of(rectangles[k % RECTANGLES][0], rectangles[k % RECTANGLES][1]);
    const double most = pow(10.0, random_in(&seed, -2.0, 1.0));
    double v[3] = {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -most, most)};
    double w[3] = {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -most, most)}, sum[3];
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), h = 1e-5 * size;
    const double ratio = hypot(v[0], v[1]) / fabs(v[2]);
    capm_patch_slope s, up, down;
    const double power = capm_patch_power(&p, v, &s);
    assert_true(power > 0.0);
    for (int i = 0; i < 3; i++) sum[i] = v[i] + w[i];
    assert_true(capm_patch_power(&p, sum, NULL) <= (1.0 + 1e-4) * (power + capm_patch_power(&p, w, NULL)));
    if (k % RECTANGLES == 4 || fabs(ratio - 5.0) < 1e-3) continue; /* kinks of a line; the seam */
    for (int i = 0; i < 3; i++) {
      double more[3] = {v[0], v[1], v[2]}, less[3] = {v[0], v[1], v[2]};
      more[i] += h, less[i] -= h;
      const double rise = capm_patch_power(&p, more, &up) - capm_patch_power(&p, less, &down);
      near_to(s.n[i], rise / (2.0 * h), ratio > 5.0 ? 1e-7 : 1e-8);
      for (int j = 0; j < 3; j++)
        near_to(s.H[at[i][j]] * size, (up.n[j] - down.n[j]) / (2.0 * h) * size, 1e-4);
    }
  }
}

/* At the seam between series and integral nothing jumps by more than 3e-5 of the limit. */
static void the_seam_is_smooth(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i <= 40; i++) {
      capm_patch p = capm_patch_of(rectangles[k][0], rectangles[k][1]);
      const double turn = 0.5 * M_PI * i / 40, v1 = 5.0 * cos(turn), v2 = 5.0 * sin(turn);
      capm_patch_slope in, out;
      capm_patch_power(&p, (const double[]){v1, v2, 1.0 + 1e-9}, &in);
      capm_patch_power(&p, (const double[]){v1, v2, 1.0 - 1e-9}, &out);
      for (int j = 0; j < 3; j++) near_to(in.n[j], out.n[j], 3e-5);
    }
}

/* Spin takes from the force that resists sliding, and the direction along which it does more is the short
 * one. */
static void spin_takes_from_sliding(void **state)
{
  (void)state;
  capm_patch p = capm_patch_of(1.5e-3, 4.5e-3);
  double before = 1.0;
  for (double spin = 0.1; spin < 4.0; spin += 0.1) {
    capm_patch_slope along, across;
    capm_patch_power(&p, (const double[]){1.0, 0.0, spin}, &along);
    capm_patch_power(&p, (const double[]){0.0, 1.0, spin}, &across);
    assert_true(along.n[0] < before && along.n[0] > 0.0);
    before = along.n[0];
    if (spin > 0.2 && spin < 0.6) assert_true(along.n[0] > across.n[1]);
    assert_true(along.n[1] == 0.0 && across.n[0] == 0.0);
  }
}

/* ---- bristles ------------------------------------------------------------------------------------------ */

typedef struct contacts {
  capm_patch_lanes trial[3], slip[3], force[3], limit, slides;
} contacts;

static void draw(const capm_patch *p, contacts *c, uint64_t *seed)
{
  for (int l = 0; l < MANY; l++) {
    const double filled = random_in(seed, 0.0, 1.1), moved = pow(10.0, random_in(seed, -3.0, 1.0));
    double z[3] = {random_in(seed, -1, 1), random_in(seed, -1, 1), random_in(seed, -1, 1) * p->pure};
    const double third = z[2] / p->pure, size = sqrt(z[0] * z[0] + z[1] * z[1] + third * third);
    c->limit[l] = 2.0;
    for (int i = 0; i < 3; i++) {
      c->slip[i][l] = random_in(seed, -moved, moved);
      c->trial[i][l] = 2.0 * filled * z[i] / size + c->slip[i][l];
    }
  }
}

static void turn_back(const capm_patch *p, contacts *c, int count)
{
  capm_patch_return(p, count, (const capm_patch_lanes *)c->trial, (const capm_patch_lanes *)c->slip, c->limit,
                    c->force, c->slides);
}

/* What slides is on the surface where it moves, force = limit n(trial - force); what sticks is left alone,
 * and no direction of slip shows that it should not. Of what is drawn, as no drive would, one in 1000 may be
 * worse. */
static void returns_to_the_surface(void **state)
{
  (void)state;
  enum { ROUNDS = 400 };
  uint64_t seed = 3;
  int slid = 0, stuck = 0, off = 0;
  for (int round = 0; round < ROUNDS; round++) {
    contacts c;
    capm_patch p = capm_patch_of(rectangles[round % 4][0], rectangles[round % 4][1]);
    draw(&p, &c, &seed);
    turn_back(&p, &c, MANY);
    for (int l = 0; l < MANY; l++) {
      const double v[3] = {c.trial[0][l] - c.force[0][l], c.trial[1][l] - c.force[1][l],
                           c.trial[2][l] - c.force[2][l]};
      double error = 0.0, third = c.force[2][l] / p.pure, out = 0.0;
      out = sqrt(c.force[0][l] * c.force[0][l] + c.force[1][l] * c.force[1][l] + third * third);
      assert_true(out < 1.03 * p.outside * c.limit[l]);
      if (c.slides[l] > 0.0) {
        capm_patch_slope s;
        capm_patch_power(&p, v, &s);
        for (int i = 0; i < 3; i++) error = fmax(error, fabs(c.force[i][l] - c.limit[l] * s.n[i]));
        off += error > 0.03 * c.limit[l];
        slid++;
        assert_true(c.force[0][l] * v[0] + c.force[1][l] * v[1] + c.force[2][l] * v[2] > 0.0);
        continue;
      }
      stuck++;
      for (int k = 0; k < 30; k++) {
        const double u[3] = {random_in(&seed, -1, 1), random_in(&seed, -1, 1), random_in(&seed, -1, 1)};
        const double along = u[0] * c.trial[0][l] + u[1] * c.trial[1][l] + u[2] * c.trial[2][l];
        assert_true(along <= 1.03 * c.limit[l] * capm_patch_power(&p, u, NULL));
      }
      for (int i = 0; i < 3; i++) assert_true(c.force[i][l] == c.trial[i][l]);
    }
  }
  print_message("  %d slide, %d stick, %d not to 3 %%\n", slid, stuck, off);
  assert_true(slid > 5000 && stuck > 5000 && off * 10000 <= slid * 10);
}

/* A contact has the same bits alone and in company, whatever the others do. */
static void company_changes_nothing(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (int round = 0; round < 50; round++) {
    contacts c, one;
    capm_patch p = capm_patch_of(1.5e-3, 4.5e-3);
    draw(&p, &c, &seed);
    turn_back(&p, &c, MANY);
    for (int l = 0; l < MANY; l += 5) {
      memset(&one, 0, sizeof one);
      for (int i = 0; i < 3; i++) one.trial[i][3] = c.trial[i][l], one.slip[i][3] = c.slip[i][l];
      one.limit[3] = c.limit[l];
      turn_back(&p, &one, LANES);
      assert_true(one.slides[3] == c.slides[l]);
      for (int i = 0; i < 3; i++) assert_memory_equal(&one.force[i][3], &c.force[i][l], sizeof(double));
    }
  }
}

/* Steady slip: bristles come to the force of exactly that slip, from rest, step by step. */
static void steady_slip_has_its_own_force(void **state)
{
  (void)state;
  uint64_t seed = 5;
  capm_patch p = capm_patch_of(1.5e-3, 4.5e-3);
  contacts c;
  double z[3][MANY] = {{0}};
  draw(&p, &c, &seed);
  for (int l = 0; l < MANY; l++) {
    const double size = hypot(hypot(c.slip[0][l], c.slip[1][l]), c.slip[2][l]);
    for (int i = 0; i < 3; i++) c.slip[i][l] *= 0.5 / size;
  }
  for (int step = 0; step < 200; step++) {
    for (int i = 0; i < 3; i++)
      for (int l = 0; l < MANY; l++) c.trial[i][l] = z[i][l] + c.slip[i][l];
    turn_back(&p, &c, MANY);
    for (int i = 0; i < 3; i++) memcpy(z[i], c.force[i], sizeof z[i]);
  }
  for (int l = 0; l < MANY; l++) {
    const double v[3] = {c.slip[0][l], c.slip[1][l], c.slip[2][l]};
    capm_patch_slope s;
    capm_patch_power(&p, v, &s);
    for (int i = 0; i < 3; i++) near_to(c.force[i][l], c.limit[l] * s.n[i], 1e-6 * c.limit[l]);
  }
}

/* Without extent it is Coulomb's friction in two directions. */
static void a_point(void **state)
{
  (void)state;
  uint64_t seed = 6;
  capm_patch p = capm_patch_of(0.0, 0.0);
  contacts c;
  draw(&p, &c, &seed);
  for (int l = 0; l < MANY; l++) c.trial[2][l] = c.slip[2][l] = 0.0;
  turn_back(&p, &c, MANY);
  for (int l = 0; l < MANY; l++) {
    const double size = hypot(c.trial[0][l], c.trial[1][l]), part = size > 2.0 ? 2.0 / size : 1.0;
    for (int i = 0; i < 2; i++) near_to(c.force[i][l], part * c.trial[i][l], 2e-2);
    assert_true(c.force[2][l] == 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pure_drilling),
                                     cmocka_unit_test(slow_spin),
                                     cmocka_unit_test(between_both),
                                     cmocka_unit_test(anywhere),
                                     cmocka_unit_test(one_potential),
                                     cmocka_unit_test(the_seam_is_smooth),
                                     cmocka_unit_test(spin_takes_from_sliding),
                                     cmocka_unit_test(returns_to_the_surface),
                                     cmocka_unit_test(company_changes_nothing),
                                     cmocka_unit_test(steady_slip_has_its_own_force),
                                     cmocka_unit_test(a_point)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
