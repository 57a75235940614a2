/* Multipliers of long chains with one clearance: against the eigenvalues of the linear system while the
 * clearance is closed, against Liouville's formula when it rattles; what is too large is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "elements/elements.h"
#include "hb/hb_newton.h"
#include "hb/hb_stability.h"
#include "linalg/eigen.h"
#include "linalg/lapack.h"
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HARMONICS = 12, SAMPLES = 512 };
static const double SPRING = 100.0, DAMPER = 0.1, BASE = 0.05, GAP = 0.1745;

/* The oscillator of Kim, Rook and Singh with n - 1 masses behind it. */
static cap_model *chain(int n, int kind, double mean, double amplitude, double angular_frequency)
{
  cap_model *m = NULL;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  capm_clearance law = {.kind = kind, .sigma = 50, .width = GAP / 50, .nstage = 2};
  double par[CAP_CLEARANCE_NPARAM], base[CAP_LINK_NPARAM] = {0.0, BASE, 0.0};
  double link[CAP_LINK_NPARAM] = {SPRING, DAMPER, 0.0},
         load[CAP_LOAD_NPARAM] = {mean, amplitude, angular_frequency, 0.0};
  assert_non_null(b);
  law.at[0] = law.low = -GAP;
  law.at[1] = law.high = GAP;
  law.jump[0] = -1.0;
  law.jump[1] = 1.0;
  capm_clearance_finish(&law, 1.0);
  cap_clearance_params(&law, par);
  for (int i = 0; i < n; i++) cap_builder_dof(b, "q", "m", 1.0, GAP + mean, 0.0);
  cap_builder_element(b, &cap_clearance_type, "gap", 0, CAP_GROUND, par, NULL);
  cap_builder_element(b, &cap_link_type, "damper", 0, CAP_GROUND, base, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  for (int i = 1; i < n; i++) cap_builder_element(b, &cap_link_type, "link", i, i - 1, link, NULL);
  cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* Largest modulus, and the logarithm of the product of all, over one period. */
static double multipliers(cap_model *m, double angular_frequency, double *logarithm)
{
  cap_hb *hb;
  cap_hb_stability *s = NULL;
  cap_error error = {0};
  cap_hb_settings settings = {HARMONICS, SAMPLES, 1};
  cap_hb_newton_report report;
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  double *x = calloc((size_t)hb->nunknown, sizeof *x);
  cap_hb_start(hb, x);
  if (cap_hb_newton_solve(hb, x, angular_frequency, NULL, &report, &error) != CAP_OK ||
      cap_hb_stability_create(hb, &s, &error) != CAP_OK ||
      cap_hb_stability_find(s, hb, x, angular_frequency, &error) != CAP_OK)
    fail_msg("%s", error.text);
  *logarithm = 0.0;
  for (int i = 0; i < s->nstate; i++) *logarithm += log(hypot(s->re[i], s->im[i]));
  double largest = s->largest;
  cap_hb_stability_free(s);
  cap_hb_free(hb);
  cap_model_free(m);
  free(x);
  return largest;
}

/* Largest real part of the eigenvalues of the linear chain with its first spring closed. */
static double slowest_decay(int n)
{
  int states = 2 * n;
  double *a = calloc((size_t)(states * states + 2 * states), sizeof *a), *re = a + states * states,
         *im = re + states, *work = calloc(capm_eigen_general_work(states), sizeof *work), most = -INFINITY;
  for (int i = 0; i < n; i++) {
    double *row = a + (n + i) * states;
    a[i * states + n + i] = 1.0;
    for (int side = -1; side <= 1; side += 2) {
      int other = i + side;
      if (other < 0 || other >= n) continue;
      row[i] -= SPRING, row[other] += SPRING;
      row[n + i] -= DAMPER, row[n + other] += DAMPER;
    }
  }
  a[n * states] -= 1.0;
  a[n * states + n] -= BASE;
  assert_int_equal(capm_eigen_general(states, a, re, im, NULL, work), CAP_OK);
  for (int i = 0; i < states; i++) most = fmax(most, re[i]);
  free(a);
  free(work);
  return most;
}

static void closed_clearances(void **state)
{
  (void)state;
  static const int sizes[] = {3, 20, 60, 200};
  const double angular_frequency = 1.1;
  capm_lapack_one_thread();
  for (int k = 0; k < 4; k++) {
    double logarithm, found = multipliers(chain(sizes[k], CAPM_SMOOTHING_ABS, 0.5, 0.01, angular_frequency),
                                          angular_frequency, &logarithm);
    double expected = exp(slowest_decay(sizes[k]) * 2 * M_PI / angular_frequency);
    print_message("  chain of %d: largest multiplier %.10f, expected %.10f\n", sizes[k], found, expected);
    assert_true(fabs(found - expected) < 1e-8);
  }
}

/* The determinant of the monodromy matrix knows the dampers only, whatever the law. */
static void rattling_clearances(void **state)
{
  (void)state;
  static const int kinds[] = {CAPM_SMOOTHING_ABS, CAPM_SMOOTHING_G1}, sizes[] = {2, 10, 50};
  const double angular_frequency = 1.1;
  for (int k = 0; k < 3; k++) {
    double largest[2];
    for (int law = 0; law < 2; law++) {
      int n = sizes[k];
      double logarithm, expected = -(BASE + 2 * (n - 1) * DAMPER) * 2 * M_PI / angular_frequency;
      largest[law] = multipliers(chain(n, kinds[law], 0.05, 0.3, angular_frequency), angular_frequency,
                                 &logarithm);
      print_message("  chain of %d, %s: largest multiplier %.6f, logarithm of all %.9f, expected %.9f\n", n,
                    law ? "g1" : "exact", largest[law], logarithm, expected);
      /* exponentials are exact, the samples' Pade approximants are not */
      assert_true(fabs(logarithm / expected - 1) < (law ? 1e-3 : 1e-9));
    }
    assert_true(fabs(largest[0] / largest[1] - 1) < 2e-2);
  }
}

static void too_many_states(void **state)
{
  (void)state;
  cap_model *m = chain(300, CAPM_SMOOTHING_ABS, 0.5, 0.01, 1.1);
  cap_hb *hb;
  cap_hb_stability *s;
  cap_error error = {0};
  cap_hb_settings settings = {3, 64, 1};
  assert_int_equal(cap_hb_create(m, 0, &settings, &hb, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_create(hb, &s, &error), CAP_ERR_UNSUPPORTED);
  assert_null(s);
  if (!strstr(error.text, "600 states") || !strstr(error.text, "at most 512")) fail_msg("%s", error.text);
  cap_hb_free(hb);
  cap_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_clearances),
      cmocka_unit_test(rattling_clearances),
      cmocka_unit_test(too_many_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
