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

/* Largest difference between J, dr/dw and central differences, relative to the largest entry of the row. */
static void check_tangent(cap_hb *hb, const double *x, double pulsation, double step, double tolerance)
{
  int n = hb->nunknown;
  cap_error error = {0};
  double *J = calloc((size_t)(n * n + 5 * n), sizeof *J), *r = J + n * n, *w = r + n, *plus = w + n,
         *minus = plus + n, *y = minus + n, worst = 0.0;
  assert_int_equal(cap_hb_residual(hb, x, pulsation, r, J, w, &error), CAP_OK);
  for (int c = 0; c <= n; c++) {
    double d = c < n ? step : 1e-5 * pulsation, most = 0.0;
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
    check_tangent(hb, x, 50.0, 1e-9, law == 1 ? 1e-3 : 1e-5);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

/* ---- closed forms --------------------------------------------------------------------------------------- */

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

static void den_hartog_amplitudes(void **state)
{
  (void)state;
  static const double b[] = {0.7, 1.5};
  for (int k = 0; k < 2; k++) {
    double limit = 0.3, v = 1 / (1 - b[k] * b[k]),
           u = sin(M_PI / b[k]) / (b[k] * (1 + cos(M_PI / b[k]))), amplitude = sqrt(v * v - u * u * limit * limit);
    cap_model *m = den_hartog(b[k], limit);
    double before = INFINITY;
    for (int h = 5; h <= 81; h = 2 * h + 1) {
      cap_hb *hb = create(m, h, 4096, 1);
      double *x = calloc((size_t)hb->nunknown, sizeof *x);
      x[2] = v;
      cap_hb_newton_report report = solve(hb, x, b[k]);
      cap_hb_output o = output_of(hb, x, b[k], 0);
      double gap = fabs(o.high / amplitude - 1);
      print_message("  b = %.1f, %2d harmonics: amplitude %.6f, exact %.6f, %d iterations\n", b[k], h, o.high,
                    amplitude, report.iterations);
      assert_true(gap < before);
      before = gap;
      free(x);
      cap_hb_free(hb);
    }
    assert_true(before < 2e-4);
    cap_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_of_all_laws),
      cmocka_unit_test(den_hartog_amplitudes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
