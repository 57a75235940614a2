/* Equal answers by different ways: orbits of the map by two steppers each, stuck orbits against the linear
 * response, Floquet multipliers against eigenvalues, the start of a search against its result. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"
#include "analysis/observe/extremes.h"
#include "analysis/orbit/orbit.h"
#include "linalg/eigen.h"

enum { POINTS = 20 };
static const double FORCES[] = {13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300};

/* Random points of Fig. 13. */
static void draw_point(uint64_t *seed, double *f1, double *angular_frequency)
{
  *f1 = FORCES[(int)test_random(seed, 0, 16)];
  *angular_frequency = 10.0 + floor(test_random(seed, 0, 116));
}

static test_system system_at(const char *law, double f1, double angular_frequency)
{
  char text[1024], amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law, TEST_ANY);
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", f1);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  return test_system_with(text, 2, settings);
}

/* A steady orbit by Newton on the period map of a stepper, and the tension range that its steps see. */
typedef struct found_orbit {
  double range, residual, y[8], re[8], im[8];
  int passes;
} found_orbit;

static found_orbit find_orbit(const test_system *s, const cap_stepper_type *type, double step,
                              double tolerance, const double *guess)
{
  found_orbit found = {0};
  cap_channels channels;
  cap_extremes extremes;
  cap_orbit *orbit;
  cap_stepper stepper;
  cap_error error = {0};
  const char *pattern = "belt.tension";
  cap_texts patterns = {1, &pattern};
  assert_int_equal(cap_channels_select(&channels, s->m, &patterns, &error), CAP_OK);
  assert_int_equal(cap_extremes_create(&channels, 1, &extremes), CAP_OK);
  assert_int_equal(cap_orbit_create(s->m, &orbit), CAP_OK);
  if (guess) memcpy(orbit->y, guess, sizeof(double) * (size_t)s->m->nstate);
  cap_observer observer = {cap_extremes_see, &extremes};
  cap_stepper_settings settings = {.step = step, .tolerance = tolerance, .observer = &observer};
  assert_int_equal(cap_stepper_create(type, s->m, &settings, &stepper, &error), CAP_OK);
  cap_orbit_settings search = {.tolerance = type->tangents ? 1e-7 : 3e-6,
                               .most = 400,
                               .multipliers = true,
                               .begin = cap_extremes_begin,
                               .self = &extremes};
  if (cap_orbit_find(&stepper, s->m, s->d, &search, orbit, &error) != CAP_OK) fail_msg("%s", error.text);
  if (!orbit->converged[0]) fail_msg("%s did not converge: residual %.3e", type->name, orbit->residual[0]);
  /* once more along the orbit found */
  double t = s->m->period[0];
  cap_extremes_begin(&extremes);
  *s->d->t = 0.0;
  memcpy(s->d->y, orbit->y, sizeof(double) * (size_t)s->m->nstate);
  cap_model_drive(s->m, s->d->input, s->d->t, s->d->q, s->d->v, NULL);
  assert_int_equal(cap_stepper_advance(&stepper, s->m, s->d, &t, NULL, &error), CAP_OK);
  found.range = extremes.high[0] - extremes.low[0];
  found.residual = orbit->residual[0];
  found.passes = orbit->passes;
  memcpy(found.y, orbit->y, sizeof(double) * (size_t)s->m->nstate);
  assert_int_equal(cap_orbit_multipliers(orbit, 0, found.re, found.im), CAP_OK);
  cap_stepper_free(&stepper);
  cap_orbit_free(orbit);
  cap_extremes_free(&extremes);
  cap_channels_free(&channels);
  return found;
}

/* The same by the program's analysis "response" with its own choice of method. */
static double response_range(const char *law, double f1, double angular_frequency, const char *method,
                             double *stuck, double *multiplier)
{
  char text[1400];
  snprintf(text, sizeof text,
           "%s%sanalyses: [{response: {method: %s, sweep: {parameter: load.angular_frequency, values: [%.17g "
           "rad/s]}, "
           "family: {parameter: load.amplitude, values: [%.17g N]}}}]\noutputs: {channels: [belt.tension]}\n",
           TEST_BELT, law, method, angular_frequency, f1);
  test_result r = test_result_run(text);
  double range = test_number(&r, "response", "belt.tension.range");
  assert_true(test_number(&r, "response", "converged") == 1.0);
  if (stuck) *stuck = test_number(&r, "response", "stuck");
  if (multiplier) *multiplier = test_number(&r, "response", "multiplier");
  test_result_close(&r);
  return range;
}

static void masing_exact_and_midpoint(void **state)
{
  (void)state;
  uint64_t seed = 20240601;
  double worst = 0.0;
  for (int k = 0; k < POINTS; k++) {
    double f1, angular_frequency;
    draw_point(&seed, &f1, &angular_frequency);
    test_system s = system_at(TEST_MASING, f1, angular_frequency);
    double exact = response_range(TEST_MASING, f1, angular_frequency, "exact", NULL, NULL);
    double other = find_orbit(&s, &cap_theta_midpoint_type, 4e-5, 1, NULL).range,
           gap = fabs(other / exact - 1.0);
    worst = fmax(worst, gap);
    if (!(gap < 1e-4))
      fail_msg("f1 = %g N, %g rad/s: exact %.9g N, midpoint %.9g N", f1, angular_frequency, exact, other);
    test_system_close(&s);
  }
  print_message("  Masing: exact and midpoint within %.1e at %d points\n", worst, POINTS);
}

static void dahl_rk4_and_cvode(void **state)
{
  (void)state;
  uint64_t seed = 20240602;
  double worst = 0.0, worst_own = 0.0;
  for (int k = 0; k < POINTS; k++) {
    double f1, angular_frequency;
    draw_point(&seed, &f1, &angular_frequency);
    test_system s = system_at(TEST_DAHL, f1, angular_frequency);
    double map = response_range(TEST_DAHL, f1, angular_frequency, "auto", NULL, NULL);
    found_orbit rk4 = find_orbit(&s, &cap_rk4_type, 4e-5, 1, NULL);
    found_orbit cvode = find_orbit(&s, &cap_cvode_type, 1, 1e-9, rk4.y);
    double gap = fabs(rk4.range / cvode.range - 1.0), own = fabs(map / cvode.range - 1.0);
    worst = fmax(worst, gap);
    worst_own = fmax(worst_own, own);
    if (!(gap < 1e-4 && own < 1e-4))
      fail_msg("f1 = %g N, %g rad/s: rk4 %.9g N, cvode %.9g N, response %.9g N", f1, angular_frequency,
               rk4.range, cvode.range, map);
    test_system_close(&s);
  }
  print_message("  Dahl: rk4 and cvode within %.1e, response and cvode within %.1e at %d points\n", worst,
                worst_own, POINTS);
}

/* ---- stuck orbits -------------------------------------------------------------------------------------- */

/* Tension amplitude and friction force for f1 = 1 of the system with a stuck slider,
 * by complex amplitudes. */
static double linear_gain(double w, double *friction)
{
  const double complex p = I * w, belt = 560e3 + 160.0 * p,
                       tensioner = 2.34e5 + 4.84e5 + 1.93e4 * 9.4 / w * p;
  const double complex pulley = 0.15 * p * p + belt + tensioner, mass = 73.84 * p * p + belt;
  const double complex u2 = belt / (mass * pulley - belt * belt), u1 = u2 * pulley / belt;
  *friction = 4.84e5 * cabs(u2);
  return cabs(belt * (u1 - u2));
}

static void stuck_masing_orbits_are_linear(void **state)
{
  (void)state;
  uint64_t seed = 20240603;
  double worst = 0.0;
  int nstuck = 0, nslip = 0;
  while (nstuck < POINTS) {
    double f1, angular_frequency, friction, stuck, multiplier;
    draw_point(&seed, &f1, &angular_frequency);
    double linear = 2.0 * f1 * linear_gain(angular_frequency, &friction);
    double range = response_range(TEST_MASING, f1, angular_frequency, "exact", &stuck, &multiplier);
    /* sticks for ever exactly when some mean fits the swing of its force into the limits */
    assert_true((stuck == 1.0) == (f1 * friction <= 163.0));
    if (stuck != 1.0) {
      nslip++;
      assert_true(multiplier < 1.0);
      continue;
    }
    nstuck++;
    worst = fmax(worst, fabs(range / linear - 1.0));
    if (!(fabs(range / linear - 1.0) < 1e-6))
      fail_msg("f1 = %g N, %g rad/s: %.9g N, linear %.9g N", f1, angular_frequency, range, linear);
    assert_true(fabs(multiplier - 1.0) < 1e-9); /* its mean is free */
  }
  print_message("  %d stuck orbits within %.1e of the linear response (%d others slip)\n", nstuck, worst,
                nslip);
  assert_true(nslip > 0);
}

/* ---- multipliers --------------------------------------------------------------------------------------- */

static void multipliers_of_a_linear_system(void **state)
{
  (void)state;
  static const char law[] = "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 2e3 N s/m}\n";
  double a[16] = {0}, re[4], im[4], w = 60.0, period = 2.0 * M_PI / w;
  const double m[2] = {73.84, 0.15}, k[4] = {560e3, -560e3, -560e3, 560e3 + 2.34e5},
               c[4] = {160, -160, -160, 160 + 2e3};
  for (int i = 0; i < 2; i++) {
    a[i * 4 + 2 + i] = 1.0;
    for (int j = 0; j < 2; j++) {
      a[(2 + i) * 4 + j] = -k[i * 2 + j] / m[i];
      a[(2 + i) * 4 + 2 + j] = -c[i * 2 + j] / m[i];
    }
  }
  assert_int_equal(capm_eigen_general(4, a, re, im, NULL, NULL), CAP_OK);
  const cap_stepper_type *types[] = {&cap_propagate_type, &cap_rk4_type, &cap_theta_midpoint_type,
                                     &cap_cvode_type};
  const double most[] = {1e-10, 1e-7, 1e-5, 1e-5};
  for (int t = 0; t < 4; t++) {
    test_system s = system_at(law, 100.0, w);
    found_orbit found = find_orbit(&s, types[t], 2e-5, 1e-10, NULL);
    double worst = 0.0;
    for (int i = 0; i < 4; i++) { /* each exp(lambda T) is among the multipliers */
      double complex expected = cexp((re[i] + I * im[i]) * period);
      double nearest = INFINITY;
      for (int j = 0; j < 4; j++) nearest = fmin(nearest, cabs(found.re[j] + I * found.im[j] - expected));
      worst = fmax(worst, nearest);
    }
    print_message("  %-8s multipliers within %.1e of exp(lambda T)\n", types[t]->name, worst);
    if (!(worst < most[t])) fail_msg("%s: multipliers off by %.3e", types[t]->name, worst);
    assert_true(hypot(found.re[0], found.im[0]) >= hypot(found.re[1], found.im[1]));
    test_system_close(&s);
  }
}

/* Slipping orbits: the largest multiplier by the exact tangent, by the midpoint rule's, and as computed
 * beside the map. */
static void multipliers_of_slipping_orbits(void **state)
{
  (void)state;
  const double points[][2] = {{120, 60}, {300, 45}, {200, 50}};
  for (int k = 0; k < 3; k++) {
    double multiplier, stuck;
    response_range(TEST_MASING, points[k][0], points[k][1], "exact", &stuck, &multiplier);
    assert_true(stuck == 0.0);
    test_system s = system_at(TEST_MASING, points[k][0], points[k][1]);
    found_orbit exact = find_orbit(&s, &cap_propagate_type, 1, 1, NULL);
    found_orbit midpoint = find_orbit(&s, &cap_theta_midpoint_type, 2e-5, 1, NULL);
    double a = hypot(exact.re[0], exact.im[0]), b = hypot(midpoint.re[0], midpoint.im[0]);
    print_message("  f1 = %g N, %g rad/s: %.9f, %.9f, midpoint %.9f\n", points[k][0], points[k][1],
                  multiplier, a, b);
    assert_true(fabs(a - multiplier) < 1e-7);
    assert_true(fabs(b - a) < 2e-3);
    test_system_close(&s);
  }
}

/* The steady orbit is where a long run ends up. */
static void orbits_are_where_transients_end(void **state)
{
  (void)state;
  const char *laws[] = {TEST_MASING, TEST_DAHL};
  const cap_stepper_type *types[] = {&cap_propagate_type, &cap_rk4_type};
  for (int k = 0; k < 2; k++) {
    test_system s = system_at(laws[k], 200.0, 50.0), r = system_at(laws[k], 200.0, 50.0);
    found_orbit found = find_orbit(&s, types[k], 5e-5, 1, NULL);
    cap_stepper stepper = test_stepper(&r, types[k], 5e-5, 1, false);
    double period = r.m->period[0], worst = 0.0;
    for (int i = 1; i <= 120; i++) test_advance(&r, &stepper, i * period, NULL);
    for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(560e3 * (r.d->q[i] - found.y[i])));
    print_message("  after 120 periods the belt is %.1e N from the orbit\n", worst);
    assert_true(worst < 1e-3);
    cap_stepper_free(&stepper);
    test_system_close(&s);
    test_system_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masing_exact_and_midpoint),      cmocka_unit_test(dahl_rk4_and_cvode),
      cmocka_unit_test(stuck_masing_orbits_are_linear), cmocka_unit_test(multipliers_of_a_linear_system),
      cmocka_unit_test(multipliers_of_slipping_orbits), cmocka_unit_test(orbits_are_where_transients_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
