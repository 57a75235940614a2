/* Harmonic balance against closed forms: linear systems, Den Hartog's oscillator with dry friction; exact
 * tangents of every law; the tensioner map. */
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

static cap_hb_newton_report solve(cap_hb *hb, double *x, double pulsation)
{
  cap_error error = {0};
  cap_hb_newton_report report;
  if (cap_hb_newton_solve(hb, x, pulsation, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
  return report;
}

static test_system belt(const char *law, double f1, double pulsation)
{
  char text[1024], amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law, TEST_ANY);
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", f1);
  snprintf(speed, sizeof speed, "load.pulsation=%.17g rad/s", pulsation);
  return test_system_with(text, 2, settings);
}

/* Largest difference between J, dr/dw and central differences, relative to the largest entry of the column.
 */
static void check_tangent(cap_hb *hb, const double *x, double pulsation, double tolerance)
{
  int n = hb->nunknown;
  cap_error error = {0};
  double *J = calloc((size_t)(n * n + 5 * n), sizeof *J), *r = J + n * n, *w = r + n, *plus = w + n,
         *minus = plus + n, *y = minus + n, worst = 0.0;
  assert_int_equal(cap_hb_residual(hb, x, pulsation, r, J, w, &error), CAP_OK);
  for (int c = 0; c <= n; c++) {
    double d = c == n ? 1e-5 * pulsation : c < hb->nouter * hb->ncoef ? 1e-9 : 1e-4, most = 0.0;
    memcpy(y, x, sizeof(double) * (size_t)n);
    if (c < n) y[c] += d;
    assert_int_equal(cap_hb_residual(hb, y, c < n ? pulsation : pulsation + d, plus, NULL, NULL, &error),
                     CAP_OK);
    if (c < n) y[c] -= 2 * d;
    assert_int_equal(cap_hb_residual(hb, y, c < n ? pulsation : pulsation - d, minus, NULL, NULL, &error),
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

/* ---- closed forms ---------------------------------------------------------------------------------------
 */

/* A mass on a spring with Coulomb friction (limit), under p sin(b t), k = m = 1. */
static cap_model *den_hartog(double b, double limit)
{
  cap_model *m;
  cap_error error = {0};
  cap_builder *builder = cap_builder_create(1);
  double link[CAP_LINK_NPARAM] = {1.0, 0.0, 0.0}, load[CAP_LOAD_NPARAM] = {0.0, 1.0, b, 0.0};
  assert_non_null(builder);
  int dof = cap_builder_dof(builder, "q", "m", 1.0, 0.0, 0.0);
  cap_term position = {CAP_TERM_Q, dof, 1.0};
  cap_builder_element(builder, &cap_link_type, "spring", dof, CAP_GROUND, link, NULL);
  cap_builder_element(builder, &cap_load_type, "load", dof, CAP_GROUND, load, NULL);
  cap_builder_slider(builder, "friction", dof, CAP_GROUND, INFINITY, limit, 0.0);
  cap_builder_channel(builder, "position", "m", "position", 1, &position);
  cap_builder_period(builder, 2 * M_PI / b);
  if (cap_builder_finish(builder, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(builder);
  return m;
}

static cap_hb_output output_of(cap_hb *hb, const double *x, double pulsation, int channel)
{
  cap_hb_wave wave;
  cap_error error = {0};
  if (cap_hb_output_wave(hb, x, pulsation, 1, &channel, &wave, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_hb_output o = cap_hb_output_of(wave.nsample, wave.values);
  cap_arena_free(&wave.arena);
  return o;
}

static void check_modulus(cap_hb *hb, const double *x, double pulsation, double expected)
{
  cap_hb_stability *stability;
  cap_error error = {0};
  assert_int_equal(cap_hb_stability_create(hb, &stability, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_find(stability, hb, x, pulsation, &error), CAP_OK);
  if (!(fabs(stability->largest - expected) < 5e-3))
    fail_msg("multiplier %.5f, expected %.5f", stability->largest, expected);
  cap_hb_stability_free(stability);
}

/* The kink of the velocity at a reversal is rounded over 1/H, which shifts the force's sign: the error falls
 * as 1/H, so two sizes extrapolate. */
static void den_hartog_amplitudes(void **state)
{
  (void)state;
  /* moduli of the multipliers: the closed-form motion between reversals, period map by differences */
  static const double b[] = {0.7, 1.5}, printed[] = {1.8857, 0.7211}, modulus[] = {0.50980, 0.68791};
  for (int k = 0; k < 2; k++) {
    double v = 1 / (1 - b[k] * b[k]), u = sin(M_PI / b[k]) / (b[k] * (1 + cos(M_PI / b[k]))),
           amplitude = sqrt(v * v - 0.09 * u * u), found[2];
    cap_model *m = den_hartog(b[k], 0.3);
    assert_true(fabs(amplitude - printed[k]) < 5.1e-5);
    for (int size = 0; size < 2; size++) {
      cap_hb *hb = create(m, size ? 81 : 41, 4096, 1);
      double *x = calloc((size_t)hb->nunknown, sizeof *x);
      x[2] = v;
      solve(hb, x, b[k]);
      found[size] = output_of(hb, x, b[k], 0).high;
      check_modulus(hb, x, b[k], modulus[k]);
      free(x);
      cap_hb_free(hb);
    }
    double limit = found[1] + (found[1] - found[0]) * 41 / 40;
    print_message("  b = %.1f: amplitude %.5f, %.5f, extrapolated %.5f, exact %.5f\n", b[k], found[0],
                  found[1], limit, amplitude);
    assert_true(fabs(found[0] / amplitude - 1) < 3e-3 && fabs(found[1] / amplitude - 1) < 1.5e-3);
    assert_true(fabs(limit / amplitude - 1) < 3e-4);
    cap_model_free(m);
  }
}

/* ---- linear systems -------------------------------------------------------------------------------------
 */

/* A chain of masses from wall to wall, forced at both ends by harmonics 1 and 3; one spring is a slider that
 * never slips, so that one coordinate is "nonlinear" and the rest is condensed. */
enum { CHAIN = 7, TOUCHED = 3 };
static const double CHAIN_W = 9.0;

static cap_model *chain(void)
{
  cap_model *m;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  for (int i = 0; i < CHAIN; i++) cap_builder_dof(b, "q", "m", 1.0 + 0.1 * i, 0.0, 0.0);
  cap_motion motion = {0.02, 0.01, 2 * CHAIN_W, 0.4, 0, NULL, NULL, NULL};
  int driven = cap_builder_driven(b, "base", "m", &motion);
  for (int i = 0; i <= CHAIN; i++) {
    double link[CAP_LINK_NPARAM] = {300.0 + 20 * i, 0.4 + 0.1 * i, 0.5};
    cap_builder_element(b, &cap_link_type, "link", i < CHAIN ? i : driven, i ? i - 1 : CAP_GROUND, link,
                        NULL);
  }
  double first[CAP_LOAD_NPARAM] = {1.0, 2.0, CHAIN_W, 0.3}, third[CAP_LOAD_NPARAM] = {0, 1.5, 3 * CHAIN_W, 1};
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, first, NULL);
  cap_builder_element(b, &cap_load_type, "load", CHAIN - 1, CAP_GROUND, third, NULL);
  cap_builder_slider(b, "slider", TOUCHED, CAP_GROUND, 50.0, 1e3, 0.0);
  cap_builder_period(b, 2 * M_PI / CHAIN_W);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* Response at harmonic h by elimination of the whole tridiagonal system. */
static void chain_response(int h, double complex q[CHAIN])
{
  double complex a[CHAIN][CHAIN + 1] = {0};
  double p = h * CHAIN_W;
  for (int i = 0; i <= CHAIN; i++) {
    double complex z = 300.0 + 20 * i + I * p * (0.4 + 0.1 * i);
    if (i < CHAIN) a[i][i] += z;
    if (i > 0) a[i - 1][i - 1] += z;
    if (i > 0 && i < CHAIN) a[i][i - 1] -= z, a[i - 1][i] -= z;
    if (i < CHAIN && h == 0) a[i][CHAIN] -= 0.5; /* preload */
    if (i > 0 && h == 0) a[i - 1][CHAIN] += 0.5;
    double complex base = h == 0 ? 0.02 : h == 2 ? 0.01 * (sin(0.4) - I * cos(0.4)) : 0;
    if (i == CHAIN) a[CHAIN - 1][CHAIN] += z * base;
  }
  for (int i = 0; i < CHAIN; i++) a[i][i] -= p * p * (1.0 + 0.1 * i);
  if (h > 0) a[TOUCHED][TOUCHED] += 50.0; /* its mean force stays at rest */
  if (h == 0) a[0][CHAIN] += 1.0;
  if (h == 1) a[0][CHAIN] += 2.0 * (sin(0.3) - I * cos(0.3));
  if (h == 3) a[CHAIN - 1][CHAIN] += 1.5 * (sin(1) - I * cos(1));
  for (int k = 0; k < CHAIN; k++)
    for (int i = 0; i < CHAIN; i++) {
      if (i == k) continue;
      double complex factor = a[i][k] / a[k][k];
      for (int c = k; c <= CHAIN; c++) a[i][c] -= factor * a[k][c];
    }
  for (int i = 0; i < CHAIN; i++) q[i] = a[i][CHAIN] / a[i][i];
}

static void linear_chain_is_exact(void **state)
{
  (void)state;
  cap_model *m = chain();
  cap_hb *hb = create(m, 4, 0, 1);
  cap_error error = {0};
  double x[9], c[(CHAIN + 1) * 9], worst = 0.0;
  assert_int_equal(hb->nouter, 1);
  assert_int_equal(hb->nunknown, 9);
  cap_hb_start(hb, x);
  cap_hb_newton_report report = solve(hb, x, CHAIN_W);
  assert_true(report.iterations <= 2);
  assert_int_equal(cap_hb_coordinates(hb, x, CHAIN_W, c, &error), CAP_OK);
  for (int h = 0; h <= 4; h++) {
    double complex q[CHAIN];
    chain_response(h, q);
    for (int i = 0; i < CHAIN; i++) {
      double complex found = h ? c[i * 9 + 2 * h - 1] - I * c[i * 9 + 2 * h] : c[i * 9];
      worst = fmax(worst, cabs(found - q[i]));
    }
  }
  print_message("  chain of %d: within %.1e m\n", CHAIN, worst);
  assert_true(worst < 1e-14);
  /* derivatives with condensed and driven coordinates */
  uint64_t seed = 3;
  for (int i = 0; i < 9; i++) x[i] = test_random(&seed, -1, 1);
  check_tangent(hb, x, CHAIN_W, 1e-5);
  cap_hb_free(hb);
  cap_model_free(m);
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
               {2, 1, "load acts at harmonic 3, but only 2 harmonics are balanced"},
               {4, 0, "there is no periodic forcing"},
               {4, 0.7, "not periodic"}};
  for (int k = 0; k < 5; k++) {
    cap_model *m = chain();
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

/* ---- the tensioner map ----------------------------------------------------------------------------------
 */

static double tension_range(const char *law, double f1, double pulsation, int harmonics, int samples)
{
  test_system s = belt(law, f1, pulsation);
  cap_hb *hb = create(s.m, harmonics, samples, 1);
  double *x = calloc((size_t)hb->nunknown, sizeof *x);
  cap_hb_start(hb, x);
  solve(hb, x, pulsation);
  cap_hb_output o = output_of(hb, x, pulsation, 0);
  free(x);
  cap_hb_free(hb);
  test_system_close(&s);
  return o.high - o.low;
}

static void map_of(const char *name, const char *law, int harmonics, int samples, double tolerance)
{
  FILE *file = fopen(CAPSTAN_SOURCE_DIR "/tests/data/tensioner_map.csv", "r");
  char line[256], model[16];
  double force, pulsation, range, worst = 0.0;
  int count = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%15[a-z],%lf,%lf,%lf", model, &force, &pulsation, &range) != 4) continue;
    if (strcmp(model, name)) continue;
    double found = tension_range(law, force, pulsation, harmonics, samples), miss = fabs(found / range - 1);
    worst = fmax(worst, miss);
    if (!(miss < tolerance))
      fail_msg("%s, %g N, %g rad/s: %.9g N, expected %.9g N", name, force, pulsation, found, range);
    count++;
  }
  fclose(file);
  assert_int_equal(count, 48);
  print_message("  %s: %d points by %d harmonics within %.1e\n", name, count, harmonics, worst);
}

static void masing_map(void **state)
{
  (void)state;
  map_of("masing", TEST_MASING, 11, 1024, 1e-3);
}

static void dahl_map(void **state)
{
  (void)state;
  map_of("dahl", TEST_DAHL, 47, 1024, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_of_all_laws),
      cmocka_unit_test(den_hartog_amplitudes),
      cmocka_unit_test(linear_chain_is_exact),
      cmocka_unit_test(refusals),
      cmocka_unit_test(masing_map),
      cmocka_unit_test(dahl_map),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
