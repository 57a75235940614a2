/* Exact propagation against closed forms, matrix exponentials, energy, finite differences, and its edge
 * cases. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/belt_mass.h"
#include "../support/random_system.h"
#include "linalg/expm.h"
#include "step/exact/exact_regime.h"

enum { MOST = 16 };

typedef struct fixture {
  cap_arena arena;
  cap_linear l;
  cap_exact *exact;
  cap_error error;
  double y[MOST];
  int flags[MOST];
  cap_exact_watch watch;
  double slip[MOST];
} fixture;

static void open_fixture(fixture *f, int nv, int nharmonic, int nslider)
{
  *f = (fixture){0};
  f->watch.slip = f->slip;
  assert_int_equal(cap_linear_create(&f->arena, nv, nharmonic, nslider, &f->l), CAP_OK);
}

static void start(fixture *f)
{
  if (!f->exact && cap_exact_create(&f->l, &f->exact, &f->error) != CAP_OK) fail_msg("%s", f->error.text);
  assert_int_equal(cap_exact_start(f->exact, 0.0, f->y, f->flags, &f->error), CAP_OK);
}

static void advance(fixture *f, double t0, double t1)
{
  if (cap_exact_advance(f->exact, t0, t1, f->y, f->flags, &f->watch, &f->error) != CAP_OK)
    fail_msg("%s", f->error.text);
}

static void close_fixture(fixture *f)
{
  cap_exact_free(f->exact);
  cap_arena_free(&f->arena);
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

/* One mass; k < 0 gives no slider. */
static void single_mass(fixture *f, double m, double c, double k, double force, double w)
{
  open_fixture(f, 1, 1, 0);
  f->l.mass[0] = m;
  f->l.damping[0] = c;
  f->l.stiffness[0] = k;
  f->l.angular_frequency[0] = w;
  f->l.fs[0] = force;
}

/* ---- motions without usable modes, against their closed forms ---- */

static void critical_damping(void **state)
{
  (void)state;
  fixture f;
  single_mass(&f, 1.0, 20.0, 100.0, 0.0, 3.0);
  f.y[0] = 1.0;
  f.y[1] = -2.0;
  start(&f);
  advance(&f, 0.0, 0.7);
  double b = -2.0 + 10.0, x = (1.0 + b * 0.7) * exp(-7.0); /* (x0 + (v0 + w x0) t) e^(-w t) */
  assert_near(f.y[0], x, 1e-15);
  assert_near(f.y[1], b * exp(-7.0) - 10.0 * x, 1e-14);
  close_fixture(&f);
}

static void undamped_resonance(void **state)
{
  (void)state;
  fixture f;
  single_mass(&f, 2.0, 0.0, 2.0 * 49.0, 3.0, 7.0);
  start(&f);
  advance(&f, 0.0, 5.0); /* x = F/(2 m w^2) (sin wt - wt cos wt) */
  assert_near(f.y[0], 3.0 / (2 * 2.0 * 49.0) * (sin(35.0) - 35.0 * cos(35.0)), 1e-13);
  assert_near(f.y[1], 3.0 / (2 * 2.0 * 7.0) * 35.0 * sin(35.0), 1e-12);
  close_fixture(&f);
}

static void free_mass_under_constant_force(void **state)
{
  (void)state;
  fixture f;
  open_fixture(&f, 1, 0, 0);
  f.l.mass[0] = 4.0;
  f.l.f0[0] = -2.0;
  f.y[0] = 1.0;
  f.y[1] = 3.0;
  start(&f);
  advance(&f, 0.0, 10.0);
  assert_near(f.y[0], 1.0 + 30.0 - 25.0, 1e-13);
  assert_near(f.y[1], 3.0 - 5.0, 1e-14);
  close_fixture(&f);
}

/* A free mass that brakes on a slider: uniform deceleration limit/m once the spring is at its limit, then it
 * rings on the spring for ever (no damping), between known turning points. */
static void mass_brakes_on_a_slider(void **state)
{
  (void)state;
  fixture f;
  open_fixture(&f, 1, 0, 1);
  const double m = 2.0, k = 800.0, limit = 4.0, v0 = 1.5, reach = limit / k, w = sqrt(k / m);
  f.l.mass[0] = m;
  f.l.b[0] = 1.0;
  f.l.k[0] = k;
  f.l.limit[0] = limit;
  f.y[1] = v0;
  start(&f);
  double v_slip = sqrt(v0 * v0 - w * w * reach * reach), t_slip = asin(w * reach / v0) / w;
  double t_stop = t_slip + v_slip * m / limit, way = 0.5 * v_slip * v_slip * m / limit;
  advance(&f, 0.0, t_stop);
  assert_near(f.y[0], reach + way, 1e-13);
  assert_near(f.y[1], 0.0, 1e-12);
  advance(&f, t_stop, t_stop + 50.0);
  assert_near(f.slip[0], way, 1e-12); /* ringing up to the limit again is no slip */
  assert_near(f.y[0], way + reach * cos(w * 50.0), 1e-12);
  close_fixture(&f);
}

/* ---- modes and series against the matrix exponential of the augmented system ---- */

/* x' = a x for x = (q, v, w of sticking sliders, 1, cos, sin) */
static void augmented_matrix(const cap_linear *l, double *a, int n)
{
  int nv = l->nv, ns = l->nslider, nh = l->nharmonic, one = 2 * nv + ns;
  memset(a, 0, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < nv; i++) { /* the masses are diagonal here */
    double *row = a + (nv + i) * n, m = l->mass[i * nv + i];
    a[i * n + nv + i] = 1.0;
    for (int j = 0; j < nv; j++) {
      row[j] = -l->stiffness[i * nv + j] / m;
      row[nv + j] = -l->damping[i * nv + j] / m;
    }
    for (int s = 0; s < ns; s++) row[2 * nv + s] = -l->k[s] * l->b[s * nv + i] / m;
    row[one] = l->f0[i] / m;
    for (int h = 0; h < nh; h++) {
      row[one + 1 + 2 * h] = l->fc[h * nv + i] / m;
      row[one + 2 + 2 * h] = l->fs[h * nv + i] / m;
    }
  }
  for (int s = 0; s < ns; s++) {
    double *row = a + (2 * nv + s) * n;
    for (int i = 0; i < nv; i++) row[nv + i] = l->b[s * nv + i];
    for (int h = 0; h < nh; h++) {
      row[one + 1 + 2 * h] = l->angular_frequency[h] * l->ds[s * nh + h];
      row[one + 2 + 2 * h] = -l->angular_frequency[h] * l->dc[s * nh + h];
    }
  }
  for (int h = 0; h < nh; h++) {
    a[(one + 1 + 2 * h) * n + one + 2 + 2 * h] = -l->angular_frequency[h];
    a[(one + 2 + 2 * h) * n + one + 1 + 2 * h] = l->angular_frequency[h];
  }
}

static double exponential_difference(fixture *f, double until)
{
  const cap_linear *l = &f->l;
  int ny = 2 * l->nv + l->nslider, n = ny + 1 + 2 * l->nharmonic;
  double a[20 * 20], e[20 * 20], x[20] = {0}, tangent[MOST * MOST] = {0}, worst = 0.0, size = 0.0;
  assert_true(n <= 20);
  start(f);
  memcpy(x, f->y, (size_t)ny * sizeof(double));
  x[ny] = 1.0;
  for (int h = 0; h < l->nharmonic; h++) x[ny + 1 + 2 * h] = 1.0;
  for (int i = 0; i < ny; i++) tangent[i * ny + i] = 1.0;
  f->watch.tangent = tangent;
  advance(f, 0.0, until);
  f->watch.tangent = NULL;
  augmented_matrix(l, a, n);
  assert_int_equal(capm_expm(n, a, until, e), CAP_OK);
  for (int i = 0; i < ny; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += e[i * n + j] * x[j];
    size = fmax(size, fabs(sum));
    worst = fmax(worst, fabs(sum - f->y[i]));
    for (int j = 0; j < ny; j++) worst = fmax(worst, fabs(e[i * n + j] - tangent[i * ny + j]) * size / 100);
  }
  return worst / size;
}

static void modes_agree_with_the_exponential(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 10; trial++) {
    fixture f;
    open_fixture(&f, 3, 2, 2);
    random_system_fill(&seed, random_between(&seed, 10, 50), &f.l);
    f.l.limit[0] = INFINITY;
    f.l.limit[1] = 1e9; /* neither is ever reached */
    for (int i = 0; i < 8; i++) f.y[i] = random_between(&seed, -1e-2, 1e-2);
    double difference = exponential_difference(&f, 0.3);
    if (difference > 1e-11) fail_msg("trial %d: %g", trial, difference);
    assert_int_equal(f.watch.nevent, 0);
    assert_false(f.exact->piece.series);
    close_fixture(&f);
  }
}

/* Independent oscillators, all critically damped with their sliders stuck: defective, so Taylor series. */
static void series_agree_with_the_exponential(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 4; trial++) {
    fixture f;
    open_fixture(&f, 3, 2, 2);
    random_system_fill(&seed, random_between(&seed, 10, 50), &f.l);
    for (int i = 0; i < 9; i++) f.l.damping[i] = f.l.stiffness[i] = 0.0;
    for (int i = 0; i < 3; i++) {
      double rate = 10.0 * (i + 1);
      f.l.mass[i * 4] = 1.0;
      f.l.damping[i * 4] = 2 * rate;
      f.l.stiffness[i * 4] = rate * rate - (i < 2 ? 50.0 : 0.0);
    }
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) f.l.b[i * 3 + j] = j == i;
      f.l.k[i] = 50.0;
      f.l.limit[i] = 1e9;
    }
    for (int i = 0; i < 8; i++) f.y[i] = random_between(&seed, -1e-2, 1e-2);
    double difference = exponential_difference(&f, 0.3);
    if (difference > 1e-11) fail_msg("trial %d: %g", trial, difference);
    assert_true(f.exact->piece.series);
    close_fixture(&f);
  }
}

static void rigid_motion_agrees_with_the_exponential(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (int trial = 0; trial < 6; trial++) {
    fixture f;
    open_fixture(&f, 3, 2, 2);
    random_system_fill(&seed, random_between(&seed, 10, 50), &f.l);
    /* a floating chain, held together by sliders between its masses: rigid motion is a double zero without
     * dampers to ground (first four trials), a simple one with them */
    for (int i = 0; i < 9; i++) f.l.stiffness[i] = 0.0;
    for (int i = 0; i < 9 && trial < 2; i++) f.l.damping[i] = 0.0;
    for (int i = 0; i < 9 && (trial == 2 || trial == 3); i++) /* stiff dampers within the chain */
      f.l.damping[i] = 1e3 * (i == 4 ? 2 : i == 0 || i == 8 ? 1 : i == 2 || i == 6 ? 0 : -1);
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) f.l.b[i * 3 + j] = (j == i) - (j == i + 1);
      f.l.limit[i] = 1e9;
    }
    for (int i = 0; i < 8; i++) f.y[i] = random_between(&seed, -1e-2, 1e-2);
    double difference = exponential_difference(&f, 0.3);
    if (difference > 1e-11) fail_msg("trial %d: %g", trial, difference);
    assert_false(f.exact->piece.series);
    close_fixture(&f);
  }
}

/* Critical damping to rounding forces the series; damping off by 1e-5 leaves usable modes. Both with slip. */
static void series_and_modes_meet(void **state)
{
  (void)state;
  double end[3][3];
  for (int i = 0; i < 3; i++) {
    fixture f;
    open_fixture(&f, 1, 1, 1);
    f.l.mass[0] = 1.0;
    f.l.stiffness[0] = 100.0;
    f.l.damping[0] = 20.0 * (1.0 + (i - 1) * 1e-5); /* critical while slipping */
    f.l.angular_frequency[0] = 8.0;
    f.l.fs[0] = 20.0;
    f.l.b[0] = 1.0;
    f.l.k[0] = 50.0;
    f.l.limit[0] = 1.5;
    start(&f);
    advance(&f, 0.0, 4.0);
    assert_true(f.watch.nevent > 8);
    memcpy(end[i], f.y, sizeof end[i]);
    close_fixture(&f);
  }
  /* the middle one is the mean of its neighbours but for the second difference */
  for (int j = 0; j < 3; j++) assert_near(end[1][j], 0.5 * (end[0][j] + end[2][j]), 1e-9 * fabs(end[1][1]));
}

/* ---- energy ---- */

typedef struct energies {
  const cap_linear *l;
  double input, damped, time;
} energies;

static void add_powers(void *self, const cap_exact_node *node)
{
  energies *e = self;
  const cap_linear *l = e->l;
  int nv = l->nv;
  e->time += node->weight;
  for (int i = 0; i < nv; i++) {
    double force = l->f0[i];
    for (int h = 0; h < l->nharmonic; h++)
      force += l->fc[h * nv + i] * cos(l->angular_frequency[h] * node->t) +
               l->fs[h * nv + i] * sin(l->angular_frequency[h] * node->t);
    e->input += node->weight * force * node->v[i];
    for (int j = 0; j < nv; j++) e->damped += node->weight * node->v[i] * l->damping[i * nv + j] * node->v[j];
  }
  for (int s = 0; s < l->nslider; s++) { /* imposed motion works on the slider */
    double rate = 0.0;
    for (int h = 0; h < l->nharmonic; h++) {
      double w = l->angular_frequency[h];
      rate += w * (l->ds[s * l->nharmonic + h] * cos(w * node->t) -
                   l->dc[s * l->nharmonic + h] * sin(w * node->t));
    }
    e->input += node->weight * node->z[s] * rate;
    assert_near(node->z[s], l->k[s] * node->w[s], 0.0);
    assert_true(fabs(node->z[s]) <= l->limit[s] * (1 + 1e-12));
  }
}

static double stored(const cap_linear *l, const double *y)
{
  int nv = l->nv;
  double sum = 0.0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      sum += 0.5 * (y[nv + i] * l->mass[i * nv + j] * y[nv + j] + y[i] * l->stiffness[i * nv + j] * y[j]);
  for (int s = 0; s < l->nslider; s++) sum += 0.5 * l->k[s] * y[2 * nv + s] * y[2 * nv + s];
  return sum;
}

/* What is missing from the balance, relative to the energy dissipated. */
static double unbalanced(fixture *f, double until)
{
  energies e = {.l = &f->l};
  f->watch.node = add_powers;
  f->watch.self = &e;
  start(f);
  double before = stored(&f->l, f->y), rubbed = 0.0;
  advance(f, 0.0, until);
  for (int s = 0; s < f->l.nslider; s++) rubbed += f->l.limit[s] * f->slip[s];
  assert_near(e.time, until, 1e-12 * until);
  assert_true(f->watch.nevent > 20 && rubbed > 0.0);
  return fabs(e.input - e.damped - rubbed - stored(&f->l, f->y) + before) / (rubbed + e.damped);
}

static void energy_balance_closes(void **state)
{
  (void)state;
  uint64_t seed = 11;
  double worst = 0.0;
  for (int trial = 0; trial < 6; trial++) {
    fixture f;
    open_fixture(&f, 3, 2, 2);
    random_system_fill(&seed, random_between(&seed, 10, 50), &f.l);
    worst = fmax(worst, unbalanced(&f, 4.0));
    close_fixture(&f);
  }
  fixture f = {.watch.slip = f.slip};
  belt_mass b;
  assert_int_equal(belt_mass_create(&b), CAP_OK);
  belt_mass_fill(&b, 100.0, 60.0);
  f.l = b.linear;
  worst = fmax(worst, unbalanced(&f, 20.0));
  close_fixture(&f);
  cap_arena_free(&b.arena);
  printf("energy balance closes to %.2g\n", worst);
  assert_true(worst < 1e-11);
}

/* ---- the derivative of the flow ---- */

static void tangent_error(fixture *f, double until, double *worst)
{
  int n = cap_exact_size(f->exact), flags[MOST];
  double tangent[MOST * MOST] = {0}, y0[MOST], ahead[MOST], behind[MOST], largest = 0.0, miss = 0.0;
  memcpy(y0, f->y, sizeof y0);
  for (int i = 0; i < n; i++) tangent[i * n + i] = 1.0;
  f->watch.tangent = tangent;
  advance(f, 0.0, until);
  for (int j = 0; j < n; j++) {
    double h = j < f->l.nv ? 1e-8 : j < 2 * f->l.nv ? 1e-7 : 1e-9;
    memcpy(ahead, y0, sizeof y0);
    memcpy(behind, y0, sizeof y0);
    ahead[j] += h;
    behind[j] -= h;
    cap_exact_start(f->exact, 0.0, ahead, flags, NULL);
    assert_int_equal(cap_exact_advance(f->exact, 0.0, until, ahead, flags, NULL, NULL), CAP_OK);
    cap_exact_start(f->exact, 0.0, behind, flags, NULL);
    assert_int_equal(cap_exact_advance(f->exact, 0.0, until, behind, flags, NULL, NULL), CAP_OK);
    for (int i = 0; i < n; i++) {
      largest = fmax(largest, fabs(tangent[i * n + j]));
      miss = fmax(miss, fabs((ahead[i] - behind[i]) / (2 * h) - tangent[i * n + j]));
    }
  }
  *worst = fmax(*worst, miss / largest);
}

static void tangent_agrees_with_differences(void **state)
{
  (void)state;
  uint64_t seed = 21;
  double worst = 0.0;
  for (int trial = 0; trial < 8; trial++) {
    fixture f;
    open_fixture(&f, 2, 1, 2);
    random_system_fill(&seed, random_between(&seed, 10, 50), &f.l);
    if (trial >= 6) { /* no modes: a free pair of masses without dampers */
      for (int i = 0; i < 4; i++) f.l.damping[i] = 0.0;
      f.l.stiffness[0] = f.l.stiffness[3] = 300.0;
      f.l.stiffness[1] = f.l.stiffness[2] = -300.0;
    }
    for (int i = 0; i < 4; i++) f.y[i] = random_between(&seed, -5e-3, 5e-3);
    start(&f);
    tangent_error(&f, 0.4, &worst);
    assert_true(f.watch.nevent > 2);
    close_fixture(&f);
  }
  printf("tangent and differences agree to %.2g\n", worst);
  assert_true(worst < 1e-5);
}

/* ---- imposed motion only ---- */

/* The rig of section 3.3: u = x0 + x1 sin(W t + phi), F = k w + k0 u + c u' - F0 (eqs. 8, 27, 30, 35). */
static void rig_loop(void **state)
{
  (void)state;
  const double x0 = 5.4e-4, x1 = 5.2e-4, w = 9.4, phase = 4.8, c = 1.93e4;
  static const double expected[4] = {882.378, 984.040, 516.342, 414.680};
  fixture f;
  open_fixture(&f, 0, 1, 1);
  f.l.angular_frequency[0] = w;
  f.l.dc[0] = x1 * sin(phase);
  f.l.ds[0] = x1 * cos(phase);
  f.l.k[0] = BELT_MASS_SLIDER;
  f.l.limit[0] = BELT_MASS_LIMIT;
  start(&f);
  double t = 0.0;
  for (int i = 0; i < 12; i++) {
    double next = ((i + 4) * M_PI / 2 - phase) / w, angle = i * M_PI / 2;
    advance(&f, t, next);
    t = next;
    double u = x0 + x1 * sin(angle), rate = x1 * w * cos(angle);
    double force = BELT_MASS_SLIDER * f.y[0] + BELT_MASS_K0 * u + c * rate - BELT_MASS_F0;
    if (i >= 4) assert_near(force, expected[i % 4], 1e-3);
    if (i == 7) f.slip[0] = 0.0;
  }
  /* one more turn was slid through since: 4 (x1 - reach) a turn */
  double reach = BELT_MASS_LIMIT / BELT_MASS_SLIDER;
  assert_near(f.slip[0], 4 * (x1 - reach), 1e-15);
  assert_near(f.slip[0] * BELT_MASS_LIMIT, 0.1194615, 1e-7);
  close_fixture(&f);
}

/* A slider driven by sin(W t) whose limit is touched or passed by a hair. */
static void grazing(void **state)
{
  (void)state;
  static const double excess[] = {-1e-9, 0.0, 1e-12, 1e-9, 1e-6};
  for (int i = 0; i < 5; i++) {
    fixture f;
    open_fixture(&f, 0, 1, 1);
    f.l.angular_frequency[0] = 2 * M_PI;
    f.l.ds[0] = 1e-3;
    f.l.k[0] = 1e5;
    f.l.limit[0] = 1e2 / (1.0 + excess[i]);
    start(&f);
    advance(&f, 0.0, 10.0);
    double reach = f.l.limit[0] / f.l.k[0], passed = fmax(0.0, 1e-3 - reach);
    /* the first touch shifts the loop, the second shifts it back by twice as much, and so on */
    assert_near(f.slip[0], passed * (1 + 2 * 19), 1e-16);
    if (excess[i] > 1e-10) assert_int_equal(f.watch.nevent, 40);
    close_fixture(&f);
  }
}

/* A narrow peak, far shorter than the period of the forcing that carries it, must not be stepped over. */
static void narrow_peak(void **state)
{
  (void)state;
  enum { N = 40 };
  fixture f;
  open_fixture(&f, 0, N, 1);
  double top = 0.0;
  for (int h = 0; h < N; h++) { /* Fejer kernel, peak at t = pi */
    f.l.angular_frequency[h] = h + 1;
    f.l.dc[h] = 1e-3 * (1.0 - (h + 1.0) / (N + 1)) * (h % 2 ? 1 : -1);
    top += fabs(f.l.dc[h]);
  }
  double rest = 0.0;
  for (int h = 0; h < N; h++) rest += f.l.dc[h];
  f.l.k[0] = 1.0;
  f.l.limit[0] = (top - rest) * (1 - 1e-7); /* w starts at 0 where the kernel has its value `rest` */
  start(&f);
  advance(&f, 0.0, 2 * M_PI);
  assert_int_equal(f.watch.nevent, 2);
  assert_near(f.slip[0], (top - rest) * 1e-7, 1e-15);
  close_fixture(&f);
}

/* ---- where sliders start, stay, and restart ---- */

static void slider_on_its_limit(void **state)
{
  (void)state;
  for (int side = -1; side <= 1; side += 2)
    for (int outwards = 0; outwards <= 1; outwards++) {
      fixture f;
      open_fixture(&f, 1, 0, 1);
      f.l.mass[0] = 1.0;
      f.l.stiffness[0] = 10.0;
      f.l.damping[0] = 0.3;
      f.l.b[0] = 1.0;
      f.l.k[0] = 100.0;
      f.l.limit[0] = 2.0;
      f.y[1] = (outwards ? 1 : -1) * side * 0.5;
      f.y[2] = side * 0.02;
      start(&f);
      assert_int_equal(f.flags[0], outwards ? side : CAP_EXACT_STICK);
      advance(&f, 0.0, 1e-3);
      if (outwards) assert_near(f.y[2], side * 0.02, 0.0);
      else assert_near(f.y[2], side * 0.02 + f.y[0], 1e-15);
      close_fixture(&f);
    }
  /* at rest on the limit: the force that acts decides */
  for (int pushed = -1; pushed <= 1; pushed += 2) {
    fixture f;
    open_fixture(&f, 1, 0, 1);
    f.l.mass[0] = 1.0;
    f.l.f0[0] = 2.0 + pushed; /* 2 N balance the slider */
    f.l.b[0] = 1.0;
    f.l.k[0] = 100.0;
    f.l.limit[0] = 2.0;
    f.y[2] = 0.02;
    start(&f);
    advance(&f, 0.0, 0.1);
    if (pushed > 0) assert_near(f.y[0], 0.5 * 0.01, 1e-16);  /* slides with 1 m/s2 */
    else assert_near(f.y[0], -0.01 * (1 - cos(1.0)), 1e-15); /* swings back on the spring */
    close_fixture(&f);
  }
  /* in balance on the limit: stays for ever */
  fixture f;
  open_fixture(&f, 1, 0, 1);
  f.l.mass[0] = 1.0;
  f.l.f0[0] = 2.0;
  f.l.damping[0] = 1.0;
  f.l.b[0] = 1.0;
  f.l.k[0] = 100.0;
  f.l.limit[0] = 2.0;
  f.y[2] = 0.02;
  start(&f);
  advance(&f, 0.0, 100.0);
  assert_near(f.y[0], 0.0, 1e-12);
  close_fixture(&f);
}

/* Two equal sliders side by side are one of twice the stiffness and limit; their events coincide. */
static void simultaneous_events(void **state)
{
  (void)state;
  double end[2][2];
  for (int n = 1; n <= 2; n++) {
    fixture f;
    open_fixture(&f, 1, 1, n);
    f.l.mass[0] = 1.3;
    f.l.stiffness[0] = 70.0;
    f.l.damping[0] = 0.8;
    f.l.angular_frequency[0] = 6.0;
    f.l.fc[0] = 9.0;
    for (int s = 0; s < n; s++) {
      f.l.b[s] = 1.0;
      f.l.k[s] = 90.0 / n;
      f.l.limit[s] = 3.0 / n;
    }
    start(&f);
    advance(&f, 0.0, 20.0);
    assert_true(f.watch.nevent > 40 * n);
    memcpy(end[n - 1], f.y, sizeof end[0]);
    close_fixture(&f);
  }
  assert_near(end[0][0], end[1][0], 1e-12);
  assert_near(end[0][1], end[1][1], 1e-11);
}

/* A slider of limit zero transmits nothing. */
static void slider_without_limit_force(void **state)
{
  (void)state;
  double end[2][2];
  for (int n = 0; n <= 1; n++) {
    fixture f;
    open_fixture(&f, 1, 1, n);
    f.l.mass[0] = 1.0;
    f.l.stiffness[0] = 50.0;
    f.l.damping[0] = 0.4;
    f.l.angular_frequency[0] = 5.0;
    f.l.fs[0] = 1.0;
    if (n) f.l.b[0] = 1.0;
    if (n) f.l.k[0] = 1e4;
    start(&f);
    advance(&f, 0.0, 3.0);
    memcpy(end[n], f.y, sizeof end[0]);
    close_fixture(&f);
  }
  assert_near(end[0][0], end[1][0], 0.0);
  assert_near(end[0][1], end[1][1], 0.0);
}

static void restart_is_bit_identical(void **state)
{
  (void)state;
  uint64_t seed = 77;
  for (int trial = 0; trial < 4; trial++) {
    fixture f;
    open_fixture(&f, 3, 1, 2);
    random_system_fill(&seed, 30.0, &f.l);
    start(&f);
    advance(&f, 0.0, 0.5);
    double y[8];
    int flags[2];
    memcpy(y, f.y, sizeof y);
    memcpy(flags, f.flags, sizeof flags);
    advance(&f, 0.5, 1.5);
    cap_exact *fresh;
    assert_int_equal(cap_exact_create(&f.l, &fresh, NULL), CAP_OK);
    assert_int_equal(cap_exact_advance(fresh, 0.5, 1.5, y, flags, NULL, NULL), CAP_OK);
    assert_memory_equal(y, f.y, sizeof y);
    assert_memory_equal(flags, f.flags, sizeof flags);
    cap_exact_free(fresh);
    close_fixture(&f);
  }
}

/* Stops at many output times must not change the motion beyond rounding, even on the events themselves. */
static void stops_do_not_matter(void **state)
{
  (void)state;
  uint64_t seed = 78;
  fixture a, b;
  open_fixture(&a, 2, 1, 2);
  random_system_fill(&seed, 30.0, &a.l);
  open_fixture(&b, 2, 1, 2);
  seed = 78;
  random_system_fill(&seed, 30.0, &b.l);
  start(&a);
  start(&b);
  advance(&a, 0.0, 1.0);
  for (int i = 0; i < 5000; i++) advance(&b, i * 2e-4, (i + 1) * 2e-4);
  assert_int_equal(a.watch.nevent, b.watch.nevent);
  for (int i = 0; i < 6; i++) assert_near(a.y[i], b.y[i], 1e-12);
  for (int i = 0; i < 2; i++) assert_near(a.slip[i], b.slip[i], 1e-13);
  close_fixture(&a);
  close_fixture(&b);
}

/* An object that is reset gives the same as a new one. */
static void reset_is_like_new(void **state)
{
  (void)state;
  belt_mass b;
  cap_exact *used, *fresh;
  assert_int_equal(belt_mass_create(&b), CAP_OK);
  belt_mass_fill(&b, 50.0, 20.0);
  assert_int_equal(cap_exact_create(&b.linear, &used, NULL), CAP_OK);
  static const double points[][2] = {{150, 60}, {300, 60}, {300, 61}, {20, 61}};
  for (int i = 0; i < 4; i++) {
    belt_mass_fill(&b, points[i][0], points[i][1]);
    double y[2][5] = {{0}};
    int flags[2][1];
    assert_int_equal(cap_exact_create(&b.linear, &fresh, NULL), CAP_OK);
    assert_int_equal(cap_exact_reset(used, &b.linear, NULL), CAP_OK);
    for (int k = 0; k < 2; k++) {
      cap_exact *e = k ? used : fresh;
      assert_int_equal(cap_exact_start(e, 0.0, y[k], flags[k], NULL), CAP_OK);
      assert_int_equal(cap_exact_advance(e, 0.0, 0.5, y[k], flags[k], NULL, NULL), CAP_OK);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    cap_exact_free(fresh);
  }
  cap_exact_free(used);
  cap_arena_free(&b.arena);
}

/* ---- refusals ---- */

static void assert_refused(cap_linear *l, double *place, double value, const char *word)
{
  cap_error error = {0};
  cap_exact *exact;
  double keep = *place;
  *place = value;
  assert_true(cap_exact_create(l, &exact, &error) < 0);
  assert_null(exact);
  if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  *place = keep;
}

static void bad_systems_are_refused(void **state)
{
  (void)state;
  belt_mass b;
  assert_int_equal(belt_mass_create(&b), CAP_OK);
  belt_mass_fill(&b, 50.0, 20.0);
  assert_refused(&b.linear, &b.linear.mass[3], 0.0, "mass matrix is singular");
  assert_refused(&b.linear, &b.linear.stiffness[0], NAN, "expected finite coefficients");
  assert_refused(&b.linear, &b.linear.angular_frequency[0], -1.0, "angular frequency 0");
  assert_refused(&b.linear, &b.linear.k[0], 0.0, "friction element 0");
  assert_refused(&b.linear, &b.linear.limit[0], -1.0, "friction element 0");
  assert_refused(&b.linear, &b.linear.limit[0], NAN, "friction element 0");
  cap_arena_free(&b.arena);
}

static void overflow_is_reported_with_time_and_quantity(void **state)
{
  (void)state;
  fixture f;
  single_mass(&f, 1.0, -50.0, 100.0, 1.0, 3.0); /* a damper that drives */
  f.y[0] = 1.0;
  start(&f);
  assert_int_equal(cap_exact_advance(f.exact, 0.0, 100.0, f.y, f.flags, NULL, &f.error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(f.error.text, "not finite at t = 100"));
  f.y[1] = NAN;
  assert_int_equal(cap_exact_advance(f.exact, 2.5, 3.0, f.y, f.flags, NULL, &f.error), CAP_ERR_NUMERICS);
  f.y[0] = 0.0;
  assert_int_equal(cap_exact_advance(f.exact, 2.5, 3.0, f.y, f.flags, NULL, &f.error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(f.error.text, "v[0] is not finite at t = 2.5 s"));
  f.y[1] = 0.0;
  assert_int_equal(cap_exact_advance(f.exact, 2.5, 2.0, f.y, f.flags, NULL, &f.error), CAP_ERR_INPUT);
  close_fixture(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(critical_damping),
      cmocka_unit_test(undamped_resonance),
      cmocka_unit_test(free_mass_under_constant_force),
      cmocka_unit_test(mass_brakes_on_a_slider),
      cmocka_unit_test(modes_agree_with_the_exponential),
      cmocka_unit_test(series_agree_with_the_exponential),
      cmocka_unit_test(rigid_motion_agrees_with_the_exponential),
      cmocka_unit_test(series_and_modes_meet),
      cmocka_unit_test(energy_balance_closes),
      cmocka_unit_test(tangent_agrees_with_differences),
      cmocka_unit_test(rig_loop),
      cmocka_unit_test(grazing),
      cmocka_unit_test(narrow_peak),
      cmocka_unit_test(slider_on_its_limit),
      cmocka_unit_test(simultaneous_events),
      cmocka_unit_test(slider_without_limit_force),
      cmocka_unit_test(restart_is_bit_identical),
      cmocka_unit_test(stops_do_not_matter),
      cmocka_unit_test(reset_is_like_new),
      cmocka_unit_test(bad_systems_are_refused),
      cmocka_unit_test(overflow_is_reported_with_time_and_quantity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
