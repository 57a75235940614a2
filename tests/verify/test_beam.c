/* The beam element against closed forms: the stiffness numbers of the elastic-belt document, stress
 * stiffening, cantilever and elastica, the full circle, frequencies of a tensioned beam and of a ring, and
 * what a beam in free flight conserves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "elements/elements.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "model/builder.h"
#include "step/stepper.h"

enum { MOST = 64, NV_MOST = 3 * (MOST + 1) };

/* A chain of n equal beams, open (n + 1 nodes) or closed (n nodes). */
typedef struct chain {
  int n;
  bool closed;
  capm_beam beam;                  /* of one element */
  double mass, rotary;             /* kg/m, kg m2 of a node */
  double q[NV_MOST], v[NV_MOST];   /* where it starts */
  bool held[NV_MOST];              /* coordinates that do not move */
  double load_x, load_y, load_phi; /* on the last node */
} chain;

static int nodes_of(const chain *c)
{
  return c->closed ? c->n : c->n + 1;
}

static void add_coordinate(cap_builder *b, const chain *c, int at, const char *name, const char *unit,
                           double mass)
{
  cap_motion rest = {.mean = c->q[at]};
  if (c->held[at]) cap_builder_driven(b, name, unit, &rest);
  else cap_builder_dof(b, name, unit, mass, c->q[at], c->v[at]);
}

static test_system build(const chain *c)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  assert_non_null(b);
  int nodes = nodes_of(c), last = 3 * (nodes - 1);
  for (int k = 0; k < nodes; k++) {
    double whole = c->mass * c->beam.length, mass = !c->closed && k % c->n == 0 ? 0.5 * whole : whole;
    add_coordinate(b, c, 3 * k, "x", "m", mass);
    add_coordinate(b, c, 3 * k + 1, "y", "m", mass);
    add_coordinate(b, c, 3 * k + 2, "phi", "rad", c->rotary == 0.0 ? 1.0 : mass / whole * c->rotary);
  }
  const capm_beam *p = &c->beam;
  const double par[CAP_BEAM_NPARAM] = {p->EA, p->EI, p->length, p->axial, p->bending, p->curvature};
  for (int k = 0; k < c->n; k++)
    cap_builder_element(b, &cap_beam_type, "beam", 3 * k, 3 * ((k + 1) % nodes), par, NULL);
  const double load[3] = {c->load_x, c->load_y, c->load_phi};
  for (int k = 0; k < 3; k++)
    if (load[k] != 0.0)
      cap_builder_element(b, &cap_weight_type, "load", last + k, CAP_GROUND, &load[k], NULL);
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* A straight chain of the length `total` along x, its elements pulled by `tension`. */
static chain straight(int n, double total, double EA, double EI, double tension)
{
  chain c = {.n = n, .mass = 1.0, .rotary = 1.0};
  c.beam = (capm_beam){.EA = EA, .EI = EI, .length = total / n / (1.0 + tension / EA)};
  for (int k = 0; k <= n; k++) c.q[3 * k] = total * k / n;
  return c;
}

static void clamp(chain *c)
{
  c->held[0] = c->held[1] = c->held[2] = true;
}

/* Its equilibrium, which replaces c->q: plain Newton, until its step is rounding. */
static void settle(chain *c)
{
  static double f[NV_MOST], slopes[NV_MOST * NV_MOST];
  int pivot[NV_MOST];
  test_system s = build(c);
  double step = 1.0;
  for (int k = 0; k < 40 && step > 1e-11; k++) {
    assert_int_equal(cap_equilibrium_forces(s.m, s.d, c->q, f, slopes, NULL), CAP_OK);
    assert_int_equal(capm_lu_factor(s.m->nv, slopes, pivot), 0);
    capm_lu_solve(s.m->nv, slopes, pivot, f);
    step = 0.0;
    for (int i = 0; i < s.m->nv; i++) {
      c->q[i] -= f[i];
      step = fmax(step, fabs(f[i]));
    }
  }
  if (!(step <= 1e-11)) fail_msg("no equilibrium: the last step was %.1e", step);
  test_system_close(&s);
}

static int stiffness_of(const chain *c, double *K)
{
  test_system s = build(c);
  static double C[NV_MOST * NV_MOST];
  cap_error error = {0};
  int n = cap_equilibrium_stiffness(s.m, s.d, false, K, C, &error);
  if (n < 0) fail_msg("%s", error.text);
  test_system_close(&s);
  return n;
}

/* K without the rows of angles, which have no mass and follow: returns the number of places. */
static int condense(const test_system *s, int n, double *K, double *M)
{
  static double angles[NV_MOST * NV_MOST], mixed[NV_MOST * NV_MOST], reduced[NV_MOST * NV_MOST];
  int pivot[NV_MOST], place[NV_MOST], angle[NV_MOST], np = 0, na = 0, k = 0;
  for (int i = 0; i < s->m->nv; i++) {
    if (s->m->driven[i] >= 0) continue;
    if (i % 3 == 2) angle[na++] = k++;
    else M[np] = s->m->mass[i], place[np++] = k++;
  }
  for (int i = 0; i < na; i++) {
    for (int j = 0; j < na; j++) angles[i * na + j] = K[angle[i] * n + angle[j]];
    for (int j = 0; j < np; j++) mixed[i * np + j] = K[angle[i] * n + place[j]];
  }
  assert_int_equal(capm_lu_factor(na, angles, pivot), 0);
  capm_lu_solve_rows(na, angles, pivot, np, mixed);
  for (int i = 0; i < np; i++)
    for (int j = 0; j < np; j++) {
      double sum = K[place[i] * n + place[j]];
      for (int a = 0; a < na; a++) sum -= K[place[i] * n + angle[a]] * mixed[a * np + j];
      reduced[i * np + j] = sum;
    }
  memcpy(K, reduced, sizeof(double) * (size_t)(np * np));
  return np;
}

/* Squares of the natural angular frequencies about c->q, ascending; rotary = 0: of angles without inertia. */
static void angular_frequencies_of(const chain *c, double *squares)
{
  static double K[NV_MOST * NV_MOST], M[NV_MOST * NV_MOST];
  double masses[NV_MOST];
  int n = stiffness_of(c, K), k = 0;
  test_system s = build(c);
  if (c->rotary == 0.0) n = condense(&s, n, K, masses);
  else
    for (int i = 0; i < s.m->nv; i++)
      if (s.m->driven[i] < 0) masses[k++] = s.m->mass[i];
  memset(M, 0, sizeof M);
  for (int i = 0; i < n; i++) M[i * (n + 1)] = masses[i];
  test_system_close(&s);
  assert_int_equal(capm_eigen_symmetric(n, K, M, squares, NULL), CAP_OK);
}

static void near(const char *what, double value, double expected, double relative)
{
  if (!(fabs(value - expected) <= relative * fabs(expected)))
    fail_msg("%s: %.10g, expected %.10g", what, value, expected);
}

/* ---- stiffness ----------------------------------------------------------------------------------------- */

/* 1200 N per 1 %, EI = 4800 N mm2, 10 mm: the document's numbers, in which k56 is printed 28.8 N. */
static void stiffness_of_the_document(void **state)
{
  (void)state;
  chain c = straight(1, 0.01, 120e3, 4800e-6, 0.0);
  double K[36];
  assert_int_equal(stiffness_of(&c, K), 6);
  const double axial = 12000e3, side = 57.6e3, mixed = 288.0, turn = 1920e-3; /* N/m, N/m, N, N m */
  const double expected[36] = {
      axial,  0, 0, -axial, 0, 0, 0, side,  mixed,  0, -side, mixed,  0, mixed, turn,     0, -mixed, turn / 2,
      -axial, 0, 0, axial,  0, 0, 0, -side, -mixed, 0, side,  -mixed, 0, mixed, turn / 2, 0, -mixed, turn};
  for (int i = 0; i < 36; i++)
    if (!(fabs(K[i] - expected[i]) < 1e-12 * (expected[i] == 0.0 ? axial : fabs(expected[i]))))
      fail_msg("K[%d][%d] = %.9g, expected %.9g", i / 6 + 1, i % 6 + 1, K[i], expected[i]);
  print_message("  k11 %.6g N/mm, k55 %.6g N/mm, k56 %.6g N, k66 %.6g N mm\n", K[21] * 1e-3, K[28] * 1e-3,
                K[29], K[35] * 1e3);
}

/* Of P w_x^2/2 with cubic w: P/30 l (36, 3 l, 4 l^2, -l^2). The strain P/EA of the element itself changes
 * its length, which is the allowance. */
static void stress_stiffening(void **state)
{
  (void)state;
  const double l = 0.01, EA = 120e3, P[2] = {600.0, -30.0};
  for (int k = 0; k < 2; k++) {
    chain slack = straight(1, l, EA, 0.0, 0.0), taut = straight(1, l, EA, 0.0, P[k]);
    double K0[36], K[36], g = P[k] / (30.0 * l);
    const double expected[16] = {36 * g,    3 * l * g,     -36 * g,    3 * l * g, /* y1 phi1 y2 phi2 */
                                 3 * l * g, 4 * l * l * g, -3 * l * g, -l * l * g, -36 * g,    -3 * l * g,
                                 36 * g,    -3 * l * g,    3 * l * g,  -l * l * g, -3 * l * g, 4 * l * l * g};
    static const int at[4] = {1, 2, 4, 5};
    stiffness_of(&slack, K0);
    stiffness_of(&taut, K);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        near("geometric stiffness", K[6 * at[i] + at[j]] - K0[6 * at[i] + at[j]], expected[4 * i + j],
             1.5 * fabs(P[k]) / EA);
  }
}

/* ---- statics ------------------------------------------------------------------------------------------- */

static void cantilever(void **state)
{
  (void)state;
  for (int n = 1; n <= 4; n *= 4) {
    chain c = straight(n, 2.0, 1e3, 5.0, 0.0);
    clamp(&c);
    c.load_y = 1e-5;
    settle(&c);
    near("deflection", c.q[3 * n + 1], 1e-5 * 8.0 / (3.0 * 5.0), 1e-9);
    near("slope", c.q[3 * n + 2], 1e-5 * 4.0 / (2.0 * 5.0), 1e-9);
  }
}

/* The elastica under a tip force across, unit length and EI, by its own equations: th' = M, M' = -P x',
 * x' = (1 + P sin th/EA) cos th; the root moment that leaves none at the tip. */
typedef struct elastica {
  double P, EA, x, y, th, moment; /* of the tip */
} elastica;

static void elastica_slope(const elastica *e, const double s[4], double slope[4])
{
  double stretch = 1.0 + e->P * sin(s[2]) / e->EA;
  slope[0] = stretch * cos(s[2]);
  slope[1] = stretch * sin(s[2]);
  slope[2] = s[3];
  slope[3] = -e->P * slope[0];
}

static double elastica_end(elastica *e, double root)
{
  enum { STEPS = 1000 };
  double s[4] = {0, 0, 0, root}, h = 1.0 / STEPS, k[4][4], at[4];
  static const double part[4] = {0.0, 0.5, 0.5, 1.0};
  for (int n = 0; n < STEPS; n++) {
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < 4; i++) at[i] = s[i] + (stage ? h * part[stage] * k[stage - 1][i] : 0.0);
      elastica_slope(e, at, k[stage]);
    }
    for (int i = 0; i < 4; i++) s[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  }
  e->x = s[0], e->y = s[1], e->th = s[2], e->moment = s[3];
  return s[3];
}

static void elastica_solve(elastica *e)
{
  double low = 0.0, high = e->P; /* moment of a beam that does not give way */
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    if (elastica_end(e, middle) > 0.0) high = middle;
    else low = middle;
  }
}

static void elastica_by_tip_force(void **state)
{
  (void)state;
  elastica known = {.P = 1.0, .EA = 1e300};
  elastica_solve(&known); /* the reference itself: printed values of the inextensible elastica */
  assert_true(fabs(known.y - 0.30172) < 1e-5 && fabs(1.0 - known.x - 0.05643) < 1e-5);
  elastica e = {.P = 10.0, .EA = 1e7}; /* strains that vary along an element leave strain h^2 */
  elastica_solve(&e);
  double before = 0.0;
  for (int n = 4; n <= 32; n *= 2) {
    chain c = straight(n, 1.0, e.EA, 1.0, 0.0);
    clamp(&c);
    for (int stage = 1; stage <= 10; stage++) {
      c.load_y = e.P * stage / 10.0;
      settle(&c);
    }
    double error = hypot(c.q[3 * n] - e.x, c.q[3 * n + 1] - e.y);
    double order = before > 0.0 ? log2(before / error) : 0.0;
    print_message("  %2d elements: tip %.7f %.7f (%.7f %.7f), off %.2e, order %.2f\n", n, c.q[3 * n],
                  c.q[3 * n + 1], e.x, e.y, error, order);
    if (n >= 16) assert_true(order > 3.8);
    before = error;
  }
  assert_true(before < 2e-7);
}

/* A moment 2 pi EI/L bends the beam to a full circle. The chord of an element that turns by th is
 * l/(1 + b + 0.7 b^2), b = th^2/24, instead of l sin(th/2)/(th/2): right up to th^6. */
static void full_circle(void **state)
{
  (void)state;
  double before = 0.0;
  for (int n = 4; n <= 32; n *= 2) {
    chain c = straight(n, 1.0, 1e3, 1.0, 0.0);
    clamp(&c);
    for (int stage = 1; stage <= 16; stage++) {
      c.load_phi = 2.0 * M_PI * stage / 16.0;
      settle(&c);
    }
    double half = 2.0 * M_PI / n, height = c.q[3 * (n / 2) + 1] * M_PI - 1.0;
    double gap = hypot(c.q[3 * n], c.q[3 * n + 1]), order = before > 0.0 ? log2(before / fabs(height)) : 0.0;
    print_message("  %2d elements: ends %.1e apart, diameter %+.2e off, order %.2f\n", n, gap, height, order);
    assert_true(gap < 1e-9);
    near("end angle", c.q[3 * n + 2], 2.0 * M_PI, 1e-10);
    double bow = half * half / 24.0, chord = 1.0 / (1.0 + bow + 0.7 * bow * bow);
    near("diameter", 1.0 + height, chord / (sin(half / 2.0) / (half / 2.0)), 1e-9);
    if (n >= 16) assert_true(order > 5.8 && order < 6.2);
    before = fabs(height);
  }
}

/* ---- vibration ----------------------------------------------------------------------------------------- */

/* Pinned beam under tension. Bending acts on the unstrained length, hence EI (1 + T/EA) on the strained. */
static double tensioned_angular_frequency(int mode, double L, double T, double EA, double EI, double mass)
{
  double wave = mode * M_PI / L;
  return wave * sqrt(T / mass) * sqrt(1.0 + wave * wave * EI * (1.0 + T / EA) / T);
}

static void tensioned_beam(void **state)
{
  (void)state;
  const double L = 0.3, T = 350.0, EI = 0.5, mass = 0.111;
  /* Angles of the nodes without inertia, then with m l^3/24. */
  for (int heavy = 0; heavy < 2; heavy++) {
    double before[3] = {0}, EA = 120e3;
    for (int n = 4; n <= 32; n *= 2) {
      chain c = straight(n, L, EA, EI, T);
      double l = L / n, squares[NV_MOST], error[3];
      c.mass = mass * l / c.beam.length; /* of the strained length */
      c.rotary = mass * l * l * l * (heavy ? 1.0 / 24.0 : 0.0);
      c.held[0] = c.held[1] = c.held[3 * n] = c.held[3 * n + 1] = true;
      angular_frequencies_of(&c, squares);
      for (int k = 0; k < 3; k++)
        error[k] = sqrt(squares[k]) / tensioned_angular_frequency(k + 1, L, T, EA, EI, mass) - 1.0;
      print_message("  %2d elements%s: %+.2e %+.2e %+.2e, orders %.2f %.2f %.2f\n", n,
                    heavy ? ", rotary inertia" : "", error[0], error[1], error[2],
                    log2(fabs(before[0] / error[0])), log2(fabs(before[1] / error[1])),
                    log2(fabs(before[2] / error[2])));
      for (int k = 0; n >= 32 && k < 3; k++) {
        double wave = (k + 1) * M_PI / n, slowed = heavy ? 1.0 / sqrt(1.0 + wave * wave / 24.0) : 1.0;
        assert_true(fabs(log2(fabs(before[k] / error[k])) - (heavy ? 2.0 : 4.0)) < 0.3);
        near("angular_frequency, slowed by rotary inertia", 1.0 + error[k], slowed, 2e-5);
      }
      memcpy(before, error, sizeof error);
    }
  }
}

/* In-plane bending of a free ring, w^2 = n^2 (n^2 - 1)^2/(n^2 + 1) EI/(m R^4), in pairs;
 * three rigid modes. */
static void free_ring(void **state)
{
  (void)state;
  const double EI = 1.0, mass = 1.0;
  double before[3] = {0};
  for (int n = 16; n <= 64; n *= 2) {
    double l = 2.0 * M_PI / n, bow = l * l / 24.0, chord = l / (1.0 + bow + 0.7 * bow * bow),
           radius = 0.5 * chord / sin(M_PI / n);
    chain c = {.n = n, .closed = true, .mass = mass};
    c.beam = (capm_beam){.EA = 1e7, .EI = EI, .length = l, .curvature = 1.0};
    for (int k = 0; k < n; k++) {
      c.q[3 * k] = radius * cos(k * l);
      c.q[3 * k + 1] = radius * sin(k * l);
      c.q[3 * k + 2] = k * l + M_PI_2;
    }
    double squares[NV_MOST], error[3];
    angular_frequencies_of(&c, squares);
    for (int k = 0; k < 3; k++) {
      int w = (k + 2) * (k + 2);
      double exact = sqrt(w * (w - 1.0) * (w - 1.0) / (w + 1.0) * EI / mass);
      assert_true(fabs(squares[k]) < 1e-5); /* rigid; of 7.2 */
      near("pair", squares[3 + 2 * k], squares[4 + 2 * k], 1e-6);
      error[k] = sqrt(squares[3 + 2 * k]) / exact - 1.0;
    }
    print_message("  %2d elements: %+.2e %+.2e %+.2e, orders %.2f %.2f %.2f\n", n, error[0], error[1],
                  error[2], log2(fabs(before[0] / error[0])), log2(fabs(before[1] / error[1])),
                  log2(fabs(before[2] / error[2])));
    for (int k = 1; n == 64 && k < 3; k++) assert_true(fabs(log2(fabs(before[k] / error[k])) - 4.0) < 0.3);
    memcpy(before, error, sizeof error);
  }
  for (int k = 0; k < 3; k++) assert_true(fabs(before[k]) < 2e-5);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* Thrown, turning and bent: momentum and angular momentum stay, the energy goes into the dampers alone. */
static void free_flight(void **state)
{
  (void)state;
  chain c = straight(6, 1.0, 200.0, 0.5, 0.0);
  c.beam.axial = 0.05;
  c.beam.bending = 1e-3;
  c.rotary = 2e-3;
  for (int k = 0; k <= c.n; k++) {
    c.q[3 * k + 1] = 0.1 * sin(3.0 * c.q[3 * k]);
    c.q[3 * k + 2] = 0.5;
    c.v[3 * k] = 1.0 - 9.0 * c.q[3 * k + 1];
    c.v[3 * k + 1] = 9.0 * c.q[3 * k];
    c.v[3 * k + 2] = 9.0;
  }
  test_system s = build(&c);
  double momentum[2][3];
  cap_data_start_audit(s.m, s.d);
  for (int end = 0; end < 2; end++) {
    if (end) test_run(&s, &cap_rk4_type, 2e-4, 3.0);
    double *p = momentum[end];
    memset(p, 0, sizeof momentum[end]);
    for (int k = 0; k <= c.n; k++) {
      const double *q = s.d->q + 3 * k, *v = s.d->v + 3 * k, *mass = s.m->mass + 3 * k;
      p[0] += mass[0] * v[0];
      p[1] += mass[1] * v[1];
      p[2] += mass[0] * (q[0] * v[1] - q[1] * v[0]) + mass[2] * v[2];
    }
  }
  double lost = 0.0;
  for (int k = 0; k < s.m->nmech; k++) lost += s.d->work[k];
  print_message("  %.2f turns: energy balance %.1e, lost %.3g J, momenta %.1e %.1e %.1e\n",
                s.d->q[2] / (2.0 * M_PI), test_balance(&s, NULL), lost, momentum[1][0] - momentum[0][0],
                momentum[1][1] - momentum[0][1], momentum[1][2] - momentum[0][2]);
  assert_true(s.d->q[2] > 20.0);
  for (int k = 0; k < 3; k++) assert_true(fabs(momentum[1][k] - momentum[0][k]) < 1e-8);
  assert_true(lost > 0.1 && test_balance(&s, NULL) < 1e-6);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiffness_of_the_document),
      cmocka_unit_test(stress_stiffening),
      cmocka_unit_test(cantilever),
      cmocka_unit_test(elastica_by_tip_force),
      cmocka_unit_test(full_circle),
      cmocka_unit_test(tensioned_beam),
      cmocka_unit_test(free_ring),
      cmocka_unit_test(free_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
