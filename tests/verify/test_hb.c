/* Harmonic balance: exact tangents of every law, linear systems in closed form, refusals. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "elements/elements.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "hb/hb_stability.h"
#include "model/builder.h"

static cap_hb *create(const cap_model *m, int harmonics, int samples, int sub)
{
  cap_hb *hb;
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, samples, sub};
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  return hb;
}

static cap_hb_newton_report solve(cap_hb *hb, double *x, double angular_frequency)
{
  cap_error error = {0};
  cap_hb_newton_report report;
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) != CAP_OK)
    fail_msg("%s", error.text);
  return report;
}

static test_system belt(const char *law, double f1, double angular_frequency)
{
  char text[1024], amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law, TEST_ANY);
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", f1);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  return test_system_with(text, 2, settings);
}

/* Largest difference between J, dr/dw and central differences,
 * relative to the largest entry of the column. */
static void check_tangent(cap_hb *hb, const double *x, double angular_frequency, double tolerance)
{
  int n = hb->nunknown;
  cap_error error = {0};
  double *J = calloc((size_t)(n * n + 5 * n), sizeof *J), *r = J + n * n, *w = r + n, *plus = w + n,
         *minus = plus + n, *y = minus + n, worst = 0.0;
  assert_int_equal(cap_hb_residual(hb, x, angular_frequency, r, J, w, &error), CAP_OK);
  for (int c = 0; c <= n; c++) {
    double d = c == n ? 1e-5 * angular_frequency : c < hb->nouter * hb->ncoef ? 1e-9 : 1e-4, most = 0.0;
    memcpy(y, x, sizeof(double) * (size_t)n);
    if (c < n) y[c] += d;
    assert_int_equal(
        cap_hb_residual(hb, y, c < n ? angular_frequency : angular_frequency + d, plus, NULL, NULL, &error),
        CAP_OK);
    if (c < n) y[c] -= 2 * d;
    assert_int_equal(
        cap_hb_residual(hb, y, c < n ? angular_frequency : angular_frequency - d, minus, NULL, NULL, &error),
        CAP_OK);
    for (int i = 0; i < n; i++) most = fmax(most, fabs((plus[i] - minus[i]) / (2 * d)));
    for (int i = 0; i < n; i++) {
      double exact = c < n ? J[i * n + c] : w[i], gap = fabs((plus[i] - minus[i]) / (2 * d) - exact) / most;
      worst = fmax(worst, gap);
      if (!(gap < tolerance))
        fail_msg("row %d, column %d: %.9g, by differences %.9g", i, c, exact, (plus[i] - minus[i]) / (2 * d));
    }
  }
  print_message("  tangent within %.1e of differences\n", worst);
  free(J);
}

static void tangents_of_all_laws(void **state)
{
  (void)state;
  static const char *const laws[] = {
      TEST_MASING, TEST_DAHL,
      "tensioner: {law: coulomb, k0: 2.34e5 N/m, F0: -573 N, c: 100 N s/m, alpha: 163 N}\n"};
  for (int law = 0; law < 3; law++) {
    test_system s = belt(laws[law], 120, 50);
    cap_hb *hb = create(s.m, 5, 256, 1);
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    uint64_t seed = 7;
    for (int i = 0; i < hb->nunknown; i++)
      x[i] = test_random(&seed, -1, 1) * (i < hb->nouter * hb->ncoef ? 1e-3 : 100);
    check_tangent(hb, x, 50.0, law == 1 ? 2e-3 : 1e-5);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

/* ---- linear systems ------------------------------------------------------------------------------------ */

/* A chain of n masses from wall to moving wall, forced at both ends by harmonics 1 and `high`; with `slider`
 * one spring is a slider that never slips, so that one coordinate is "nonlinear" and the
 * rest is condensed. */
enum { TOUCHED = 3, CHAIN_MOST = 200 };
static const double CHAIN_W = 9.0;

typedef struct chain {
  int n, high, motion; /* masses; harmonics of the second load and of the wall */
  bool slider;
} chain;

static cap_model *chain_model(const chain *p)
{
  cap_model *m;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  for (int i = 0; i < p->n; i++) cap_builder_dof(b, "q", "m", 1.0 + 0.01 * i, 0.0, 0.0);
  cap_motion motion = {
      .mean = 0.02, .amplitude = 0.01, .angular_frequency = p->motion * CHAIN_W, .phase = 0.4};
  int driven = cap_builder_driven(b, "base", "m", &motion);
  for (int i = 0; i <= p->n; i++) {
    double link[CAP_LINK_NPARAM] = {300.0 + 20 * i, 0.4 + 0.1 * i, 0.5};
    cap_builder_element(b, &cap_link_type, "link", i < p->n ? i : driven, i ? i - 1 : CAP_GROUND, link, NULL);
  }
  double first[CAP_LOAD_NPARAM] = {1.0, 2.0, CHAIN_W, 0.3};
  double second[CAP_LOAD_NPARAM] = {0, 1.5, p->high * CHAIN_W, 1};
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, first, NULL);
  cap_builder_element(b, &cap_load_type, "load", p->n - 1, CAP_GROUND, second, NULL);
  if (p->slider) cap_builder_slider(b, "slider", TOUCHED, CAP_GROUND, 50.0, 1e3, 0.0);
  cap_builder_period(b, 2 * M_PI / CHAIN_W);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* Response at harmonic h by elimination of the whole tridiagonal system. */
static void chain_response(const chain *c, int h, double complex *q)
{
  double complex diagonal[CHAIN_MOST] = {0}, below[CHAIN_MOST] = {0};
  double p = h * CHAIN_W;
  int n = c->n;
  for (int i = 0; i < n; i++) q[i] = 0.0;
  for (int i = 0; i <= n; i++) {
    double complex z = 300.0 + 20 * i + I * p * (0.4 + 0.1 * i);
    if (i < n) diagonal[i] += z;
    if (i > 0) diagonal[i - 1] += z;
    if (i > 0 && i < n) below[i] = -z;
    if (i < n && h == 0) q[i] -= 0.5; /* preload */
    if (i > 0 && h == 0) q[i - 1] += 0.5;
    if (i == n && h == 0) q[n - 1] += z * 0.02;
    if (i == n && h == c->motion) q[n - 1] += z * 0.01 * (sin(0.4) - I * cos(0.4));
  }
  for (int i = 0; i < n; i++) diagonal[i] -= p * p * (1.0 + 0.01 * i);
  if (h > 0 && c->slider) diagonal[TOUCHED] += 50.0; /* its mean force stays at rest */
  if (h == 0) q[0] += 1.0;
  if (h == 1) q[0] += 2.0 * (sin(0.3) - I * cos(0.3));
  if (h == c->high) q[n - 1] += 1.5 * (sin(1) - I * cos(1));
  for (int i = 1; i < n; i++) {
    double complex factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * below[i];
    q[i] -= factor * q[i - 1];
  }
  q[n - 1] /= diagonal[n - 1];
  for (int i = n - 2; i >= 0; i--) q[i] = (q[i] - below[i + 1] * q[i + 1]) / diagonal[i];
}

/* Largest distance of all coefficients of all coordinates from those of the elimination. */
static double chain_distance(const chain *p, cap_hb *hb, const double *x)
{
  int nc = hb->ncoef;
  cap_error error = {0};
  double *c = calloc((size_t)((p->n + 1) * nc), sizeof *c), worst = 0.0;
  if (cap_hb_coordinates(hb, x, CHAIN_W, c, NULL, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  for (int h = 0; h <= hb->nharmonic; h++) {
    double complex q[CHAIN_MOST] = {0};
    chain_response(p, h, q);
    for (int i = 0; i < p->n; i++) {
      double complex found = h ? c[i * nc + 2 * h - 1] - I * c[i * nc + 2 * h] : c[i * nc];
      worst = fmax(worst, cabs(found - q[i]));
    }
  }
  free(c);
  return worst;
}

/* Any number of coordinates, with as many harmonics as the loads have, even one; with and without one that
 * counts as nonlinear. */
static void linear_chains_are_exact(void **state)
{
  (void)state;
  static const struct {
    chain chain;
    int harmonics;
  } cases[] = {{{7, 3, 2, true}, 4},   {{4, 1, 1, true}, 1},    {{4, 1, 1, false}, 1},
               {{60, 5, 2, false}, 5}, {{200, 1, 1, false}, 1}, {{200, 11, 7, true}, 12}};
  for (int k = 0; k < 6; k++) {
    const chain *p = &cases[k].chain;
    cap_model *m = chain_model(p);
    cap_hb *hb = create(m, cases[k].harmonics, 0, 1);
    double *x = calloc((size_t)hb->nunknown + 1, sizeof *x);
    assert_int_equal(hb->nouter, p->slider);
    assert_int_equal(hb->nunknown, p->slider * hb->ncoef);
    cap_hb_start(hb, x);
    cap_hb_newton_report report = solve(hb, x, CHAIN_W);
    double worst = chain_distance(p, hb, x);
    print_message("  chain of %d, %d harmonics: within %.1e m after %d steps\n", p->n, cases[k].harmonics,
                  worst, report.iterations);
    assert_true(report.iterations <= 2 && worst < 1e-14);
    /* derivatives with condensed and driven coordinates */
    uint64_t seed = 3;
    for (int i = 0; i < hb->nunknown; i++) x[i] = test_random(&seed, -1, 1);
    if (p->slider && p->n < 100) check_tangent(hb, x, CHAIN_W, 1e-5);
    free(x);
    cap_hb_free(hb);
    cap_model_free(m);
  }
}

/* What cannot be balanced is refused with the reason. */
static void refusals(void **state)
{
  (void)state;
  static const struct {
    int harmonics;
    double period_factor;
    const char *reason;
  } cases[] = {{0, 1, "expected 1 to 1000 harmonics, got 0"},
               {5000, 1, "expected 1 to 1000 harmonics, got 5000"},
               {2, 1, "load acts at harmonic 3; expected at most harmonic 2; increase harmonics"},
               {4, 0, "no periodic forcing"},
               {4, 0.7, "expected a whole multiple"}};
  for (int k = 0; k < 5; k++) {
    cap_model *m = chain_model(&(chain){7, 3, 2, true});
    cap_hb *hb;
    cap_error error = {0};
    cap_hb_settings settings = {cases[k].harmonics, 0, 1};
    m->period[0] *= cases[k].period_factor;
    assert_true(cap_hb_create(m, 0, &settings, &hb, &error) < 0);
    assert_null(hb);
    if (!strstr(error.text, cases[k].reason)) fail_msg("\"%s\" without \"%s\"", error.text, cases[k].reason);
    cap_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_of_all_laws),
      cmocka_unit_test(linear_chains_are_exact),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
