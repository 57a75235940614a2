/* The force-deflection loops of section 3.3 of Bastien et al. on the rig: forces, areas, corners.
 *
 * Reference values, computed by two independent methods each: Masing's area 0.2735754 J = dry 0.1194615 +
 * viscous 0.1541139; forces at Omega t + phi = 0, pi/2, pi, 3 pi/2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#define RIG                                                                                                  \
  "capstan: 1\nname: t\ndrive: tensioner-rig\n"                                                              \
  "deflection: {motion: harmonic, mean: 0.54 mm, amplitude: 0.52 mm, angular_frequency: 9.4 rad/s}\n"
#define MASING                                                                                               \
  "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, sliders: [{k: 4.84e5 N/m, "         \
  "alpha: 163 N, w0: -0.324 mm}]}\n"
#define DAHL                                                                                                 \
  "tensioner: {law: dahl, a: 7.146e4 N/m, b: 959.6 N, d: 5.322e4 N/m, e: 397.2 N, lambda: 117355, "          \
  "mu: 0.37, force: 1009 N}\n"

static const double K = 4.84e5, K0 = 2.34e5, ALPHA = 163, F0 = -573, C = 1.93e4, X0 = 5.4e-4, X1 = 5.2e-4,
                    OMEGA = 9.4;
static const double MASING_FORCE[4] = {882.378, 984.040, 516.342, 414.680};
static const double DAHL_FORCE[4] = {895.060, 1035.086, 532.147, 398.382};

/* Forces at the quarters of the last period in the table. */
static double worst_force(const test_result *r, const char *group, int64_t per_period, const double *expected)
{
  int64_t n;
  double *force = test_values(r, group, "tensioner.force", &n), worst = 0.0;
  assert_true(n > per_period);
  for (int k = 0; k < 4; k++)
    worst = fmax(worst, fabs(force[n - 1 - per_period + k * per_period / 4] - expected[k]));
  free(force);
  return worst;
}

static void check_loop(const char *name, const char *text, const double *expected, double area,
                       double most_force, double most_area)
{
  test_result r = test_result_run(text);
  double force = worst_force(&r, "periodic", 1000, expected);
  double own = test_number(&r, "periodic", "tensioner.loop_area");
  print_message("  %-18s forces within %.1e N, area %.9f J\n", name, force, own);
  if (!(force < most_force)) fail_msg("%s: force off by %.3e N", name, force);
  if (area > 0.0 && !(fabs(own / area - 1.0) < most_area)) fail_msg("%s: area %.9g J", name, own);
  test_result_close(&r);
}

static void forces_and_areas_of_steady_loops(void **state)
{
  (void)state;
  double eta = ALPHA / K, dry = 4.0 * ALPHA * (X1 - eta), viscous = M_PI * X1 * X1 * OMEGA * C;
  assert_true(fabs(dry - 0.1194615) < 5e-8 && fabs(viscous - 0.1541139) < 5e-8);
  /* the reference has three decimals: half a unit of the last is all that may be missing */
  check_loop("Masing, exact", RIG MASING "analyses: [{periodic: {}}]\n", MASING_FORCE, dry + viscous, 6e-4,
             1e-10);
  check_loop("Masing, midpoint", RIG MASING "analyses: [{periodic: {method: midpoint, step: 0.1 ms}}]\n",
             MASING_FORCE, dry + viscous, 1e-3, 1e-5);
  check_loop("Dahl, cvode", RIG DAHL "analyses: [{periodic: {}}]\n", DAHL_FORCE, 0, 6e-4, 0);
  check_loop("Dahl, rk4", RIG DAHL "analyses: [{periodic: {method: rk4, step: 0.2 ms}}]\n", DAHL_FORCE, 0,
             1e-3, 0);
  check_loop("Dahl, midpoint", RIG DAHL "analyses: [{periodic: {method: midpoint, step: 0.05 ms}}]\n",
             DAHL_FORCE, 0, 1e-3, 0);
}

/* Area of Dahl's loop from its samples against the audit's own sum. */
static void the_area_is_that_of_the_samples(void **state)
{
  (void)state;
  test_result r = test_result_run(RIG DAHL "analyses: [{periodic: {samples: 4000}}]\n");
  int64_t n, m;
  double *u = test_values(&r, "periodic", "tensioner.deflection", &n),
         *f = test_values(&r, "periodic", "tensioner.force", &m);
  double area = 0.0, own = test_number(&r, "periodic", "tensioner.loop_area");
  assert_true(n == 4001 && m == n);
  for (int64_t i = 1; i < n; i++) area += 0.5 * (f[i] + f[i - 1]) * (u[i] - u[i - 1]);
  print_message("  Dahl: area %.9f J, from samples %.9f J\n", own, area);
  assert_true(fabs(area / own - 1.0) < 1e-5);
  free(u);
  free(f);
  test_result_close(&r);
}

/* A: the smallest deflection, B: slip begins going up, C: the largest, D: slip begins going down; from them
 * (24) gives the parameters back. */
static void corners_identify_the_law(void **state)
{
  (void)state;
  test_result r = test_result_run(RIG MASING "analyses: [{periodic: {}}]\n");
  double *u = test_values(&r, "periodic", "corner.deflection", NULL),
         *f = test_values(&r, "periodic", "corner.force", NULL),
         *t = test_values(&r, "periodic", "corner.time", NULL);
  const char *labels = test_text(&r, "periodic", "corner.label");
  double uc[4], fc[4], tc[4];
  int seen[4] = {0};
  for (int k = 0; labels[2 * k - (k > 0)] && k < 8; k++) {
    int which = labels[2 * k] - 'A';
    assert_in_range(which, 0, 3);
    uc[which] = u[k];
    fc[which] = f[k];
    tc[which] = t[k];
    seen[which]++;
    if (!labels[2 * k + 1]) break;
  }
  for (int k = 0; k < 4; k++) assert_int_equal(seen[k], 1);
  double eta = ALPHA / K;
  print_message("  u_B - u_A - 2 eta = %.1e m, u_C - u_D - 2 eta = %.1e m\n", uc[1] - uc[0] - 2.0 * eta,
                uc[2] - uc[3] - 2.0 * eta);
  assert_true(fabs(uc[0] - (X0 - X1)) < 1e-15 && fabs(uc[2] - (X0 + X1)) < 1e-15);
  assert_true(fabs(uc[1] - uc[0] - 2.0 * eta) < 1e-13);
  assert_true(fabs(uc[2] - uc[3] - 2.0 * eta) < 1e-13);
  /* (24d) to (24f); the viscous part vanishes at A and C */
  double alpha = 0.5 * K * (uc[1] - uc[0]), k0 = (fc[2] - fc[0] - 2.0 * alpha) / (uc[2] - uc[0]);
  double f0 = k0 * uc[0] - alpha - fc[0];
  print_message("  (24): alpha %.9f N, k0 %.6f N/m, F0 %.9f N\n", alpha, k0, f0);
  assert_true(fabs(alpha / ALPHA - 1.0) < 1e-9);
  assert_true(fabs(k0 / K0 - 1.0) < 1e-6);
  assert_true(fabs(f0 / F0 - 1.0) < 1e-6);
  assert_true(tc[0] > tc[2]); /* from phase 0 the deflection first rises to C */
  free(u);
  free(f);
  free(t);
  test_result_close(&r);
}

/* (24c): the slope of the force jumps by k at B. */
static void the_slope_jumps_by_k_at_B(void **state)
{
  (void)state;
  test_system s = test_system_open(RIG MASING TEST_ANY);
  cap_stepper stepper = test_stepper(&s, &cap_propagate_type, 1, 1, true);
  double period = 2.0 * M_PI / OMEGA, uB = X0 - X1 + 2.0 * ALPHA / K;
  double tB = 3.0 * period + asin((uB - X0) / X1) / OMEGA, h = 1e-5, force[4], u[4];
  const double at[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    test_advance(&s, &stepper, tB + at[k] * h, NULL);
    u[k] = test_value(&s, "tensioner.deflection");
    force[k] = test_value(&s, "tensioner.force");
  }
  double jump = (force[1] - force[0]) / (u[1] - u[0]) - (force[3] - force[2]) / (u[3] - u[2]);
  assert_true(fabs(jump / K - 1.0) < 1e-3); /* the viscous part bends between the two pairs */
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* Runs from the paper's start (32), (35) come to the steady loop. */
static void transients_converge_to_the_loop(void **state)
{
  (void)state;
  static const struct {
    const char *name, *law, *method;
    const double *expected;
    double most;
  } cases[] = {
      {"Masing, exact", MASING, "exact", MASING_FORCE, 6e-4},
      {"Masing, midpoint", MASING, "midpoint", MASING_FORCE, 1e-2},
      {"Masing, moreau", MASING, "moreau", MASING_FORCE, 0.1},
      {"Dahl, cvode", DAHL, "cvode", DAHL_FORCE, 6e-4},
      {"Dahl, rk4", DAHL, "rk4", DAHL_FORCE, 1e-3},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[1024];
    double period = 2.0 * M_PI / OMEGA;
    snprintf(text, sizeof text,
             "%s%sanalyses: [{transient: {until: %.17g s, method: %s, step: 0.05 ms}}]\n"
             "outputs: {every: %.17g s}\n",
             RIG, cases[k].law, 4.0 * period, cases[k].method, period / 40.0);
    test_result r = test_result_run(text);
    double worst = worst_force(&r, "transient", 40, cases[k].expected);
    print_message("  %-18s after three periods within %.1e N\n", cases[k].name, worst);
    if (!(worst < cases[k].most)) fail_msg("%s: force off by %.3e N", cases[k].name, worst);
    test_result_close(&r);
  }
}

/* A measured deflection with noise of 1990 Hz, sampled at 5000 Hz and taken at 400 Hz: without the filter
 * before it, the noise would come back as 10 Hz. The force follows the motion, not the noise. */
static void measured_motion_is_filtered_before_it_is_thinned(void **state)
{
  (void)state;
  char path[] = "/tmp/capstan-loop-XXXXXX", text[1024];
  int fd = mkstemp(path);
  FILE *csv = fd >= 0 ? fdopen(fd, "w") : NULL;
  assert_non_null(csv);
  fprintf(csv, "time [s],deflection [mm]\n");
  for (int k = 0; k <= 10000; k++) {
    double t = k / 5000.0;
    fprintf(csv, "%.17g,%.17g\n", t, 1e3 * (X0 + X1 * sin(OMEGA * t) + 2e-5 * sin(2.0 * M_PI * 1990.0 * t)));
  }
  assert_int_equal(fclose(csv), 0);
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: tensioner-rig\n" MASING
           "deflection: {motion: measured, samples: {file: %s, x: time, y: deflection}, cutoff: 60 Hz, rate: "
           "400 Hz}\nanalyses: [{transient: {until: 1.9 s}}]\noutputs: {every: 1 ms}\n",
           path);
  test_result r = test_result_run(text);
  int64_t n;
  double *time = test_values(&r, "transient", "time", &n),
         *u = test_values(&r, "transient", "tensioner.deflection", NULL),
         *v = test_values(&r, "transient", "tensioner.velocity", NULL), gap = 0.0, speed = 0.0;
  for (int64_t k = 0; k < n; k++) {
    if (time[k] < 0.1) continue; /* the filter's own start */
    gap = fmax(gap, fabs(u[k] - (X0 + X1 * sin(OMEGA * time[k]))));
    speed = fmax(speed, fabs(v[k] - X1 * OMEGA * cos(OMEGA * time[k])));
  }
  print_message("  deflection within %.1e m, velocity within %.1e m/s of the motion without noise\n", gap,
                speed);
  assert_true(gap < 1e-7 && speed < 1e-4);
  free(time);
  free(u);
  free(v);
  test_result_close(&r);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_and_areas_of_steady_loops),
      cmocka_unit_test(the_area_is_that_of_the_samples),
      cmocka_unit_test(corners_identify_the_law),
      cmocka_unit_test(the_slope_jumps_by_k_at_B),
      cmocka_unit_test(transients_converge_to_the_loop),
      cmocka_unit_test(measured_motion_is_filtered_before_it_is_thinned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
