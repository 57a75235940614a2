/* Harmonic balance against shooting (Newton on the period map of a time stepper): orbits and Floquet
 * multipliers of the clearance oscillator of Kim, Rook and Singh and of the tensioner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/orbit.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"

/* Case 1 (amplitude 0.008) or case 2 (0.03) with its clearance law. */
static test_system oscillator(double amplitude, const char *law, double pulsation)
{
  char text[1024], speed[64];
  const char *settings[] = {speed};
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
           "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
           "springs: [{from: gear, damping: 0.05 N s/m}]\n"
           "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, %s}}]\n"
           "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: %g N}]}]\n"
           "forcing: {pulsation: 1 rad/s}\n" TEST_ANY,
           law, amplitude);
  snprintf(speed, sizeof speed, "forcing.pulsation=%.17g rad/s", pulsation);
  return test_system_with(text, 1, settings);
}

static cap_hb *create(const cap_model *m, int harmonics, int samples)
{
  cap_hb *hb;
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, samples, 1};
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  return hb;
}

static double rms_ac(const cap_hb *hb, const double *x)
{
  double sum = 0.0;
  for (int r = 1; r < hb->ncoef; r++) sum += 0.5 * x[r] * x[r];
  return sqrt(sum);
}

/* Case 1, exact law, at the frequencies where there is one answer, to the printed digit. */
static void case_1_at_fixed_frequencies(void **state)
{
  (void)state;
  static const double omega[] = {0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 1.1, 1.2, 1.4, 1.6},
                      printed[] = {.00589, .00622, .00673, .00754, .00883,
                                   .04934, .02606, .01274, .00588, .00362};
  for (int k = 0; k < 10; k++) {
    test_system s = oscillator(0.008, "smoothing: exact", omega[k]);
    cap_hb *hb = create(s.m, 12, 2048);
    cap_error error = {0};
    cap_hb_newton_report report;
    double *x = calloc((size_t)hb->nunknown, sizeof *x);
    cap_hb_start(hb, x);
    cap_status status = cap_hb_newton_solve(hb, x, omega[k], NULL, &report, &error);
    if (status != CAP_OK) fail_msg("%s", error.text);
    if (!(fabs(rms_ac(hb, x) - printed[k]) < 5.5e-6))
      fail_msg("Omega %g: rms_ac %.7f, expected %.5f", omega[k], rms_ac(hb, x), printed[k]);
    free(x);
    cap_hb_free(hb);
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_1_at_fixed_frequencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
