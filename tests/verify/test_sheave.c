/* The drive `sheave`: equilibrium, the tilts of the public influence numbers under a uniform load, energy,
 * flanks coupled and separate, solvers, tables, restart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/flanks.h"
#include "../support/system.h"
#include "drives/pushbelt/contact/maxwell_element.h"

#define HEAD "capstan: 1\nname: t\ndrive: sheave\n"
#define TAIL "analyses: [{transient: {until: 1 ms}}]\n"

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.12g, expected %.12g +- %g", value, expected, tolerance);
}

static test_system open(const char *format, ...)
{
  char text[20000];
  va_list parts;
  va_start(parts, format);
  int n = vsnprintf(text, sizeof text, format, parts);
  va_end(parts);
  assert_true(n > 0 && (size_t)n < sizeof text);
  return test_system_open(text);
}

/* ---- the public influence numbers ---------------------------------------------------------------------- */

enum { POINTS = 41 };

/* Deflection of both sheaves under F, spread evenly over the arc of n elements at radius r. */
static double deflection(double r, double wrap, int n, double F, double phi)
{
  cap_influence loose = flanks_sheave(false), fixed = flanks_sheave(true);
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    double at = wrap * ((k + 0.5) / n - 0.5);
    sum += F / n * (cap_influence_at(&loose, r, phi, r, at) + cap_influence_at(&fixed, r, phi, r, at));
  }
  return sum;
}

/* A course on which all flanks carry the same: each radius is larger by what the sheaves give way less there
 * than in the middle. */
static test_system uniform(double radius, double wrap, int n, double F)
{
  char points[POINTS * 48] = "";
  double middle = deflection(radius, wrap, n, F, 0.0);
  for (int k = 0; k < POINTS; k++) {
    double at = wrap * k / (POINTS - 1), u = deflection(radius, wrap, n, F, at - 0.5 * wrap);
    double r = radius + (middle - u) / (2.0 * tan(11.0 * M_PI / 180.0));
    snprintf(points + strlen(points), sizeof points - strlen(points), "%s[%.12g rad, %.12g m]", k ? ", " : "",
             at, r);
  }
  return open(HEAD "pulley: {speed: 2000 rpm}\n"
                   "belt: {elements: %d, wrap: %.15g rad, radius: {shape: table, points: [%s]}}\n"
                   "compliance: {kind: tilt+plate}\nclamping: {force: %.6g N}\n" TAIL,
              n, wrap, points, F);
}

/* Size of the tilt in the plane that fits an even load's deflection best, over the arc. */
static double fitted_tilt(double r, double wrap, int n, double F)
{
  double sum_u = 0.0, sum_c = 0.0, uc = 0.0, cc = 0.0;
  for (int k = 0; k < n; k++) {
    double phi = wrap * ((k + 0.5) / n - 0.5), u = deflection(r, wrap, n, F, phi), c = cos(phi);
    sum_u += u, sum_c += c, uc += u * c, cc += c * c;
  }
  return (uc - sum_u * sum_c / n) / (cc - sum_c * sum_c / n) / r;
}

/* Under an even load of 16.46 kN the public numbers have an equivalent Sattler tilt of 1.26e-3 rad at 75 mm,
 * 0.97e-3 at 55 mm and 0.54e-3 at 31 mm, and 0.31 mm and 0.03 mm of spiral running at the first and the last,
 * printed with two or three digits. In the drive some elements on the tangents carry too: there is less
 * within the arc, and the tilt is up to 3 % smaller. */
static void tilts_under_an_even_load(void **state)
{
  (void)state;
  static const struct {
    double r, wrap, tilt, spiral, apart;
    int n;
  } cases[] = {{0.075, 212.98, 1.26e-3, 0.31e-3, 0.01e-3, 186},
               {0.055, 180.0, 0.97e-3, 0.0, 0.0, 115},
               {0.031, 147.02, 0.54e-3, 0.03e-3, 0.001e-3, 53}};
  for (int k = 0; k < 3; k++) {
    double wrap = cases[k].wrap * M_PI / 180.0, fitted = fitted_tilt(cases[k].r, wrap, cases[k].n, 16460.0);
    test_system s = uniform(cases[k].r, wrap, cases[k].n, 16460.0);
    double tilt = test_value(&s, "sheave.tilt"), spiral = test_value(&s, "spiral.depth");
    double least = test_value(&s, "flank.smallest"), most = test_value(&s, "flank.largest");
    print_message("r = %.0f mm: tilt %.4g rad, in the drive %.4g, spiral %.4g mm, flanks %.1f to %.1f N\n",
                  cases[k].r * 1e3, fitted, tilt, spiral * 1e3, least, most);
    assert_near(fitted, cases[k].tilt, 0.006 * cases[k].tilt);
    assert_true(tilt < fitted && tilt > 0.97 * fitted);
    if (cases[k].spiral > 0.0) assert_near(spiral, cases[k].spiral, cases[k].apart);
    test_system_close(&s);
  }
}

/* ---- motion -------------------------------------------------------------------------------------------- */

#define LARGE                                                                                                \
  HEAD "pulley: {speed: %s}\n"                                                                               \
       "belt: {elements: %d, wrap: 213 deg, radius: {%s}}\n"                                                 \
       "compliance: {%s}\nclamping: {%s}\nflanks: %s\nsolver: %s\ninitial: {%s}\n" TAIL
#define CONSTANT "shape: constant, radius: 75 mm"
#define SPIRAL   "shape: spiral, entry: 75 mm, exit: 74.85 mm"

/* The run starts where the flanks carry the clamping force, and stays there while nothing turns. */
static void starts_at_rest(void **state)
{
  (void)state;
  static const char *const kinds[] = {"kind: none", "kind: tilt", "kind: tilt+plate"};
  double closing[3];
  for (int k = 0; k < 3; k++) {
    test_system s = open(LARGE, "0 rpm", 100, CONSTANT, kinds[k], "force: 16.46 kN", "coupled", "newton", "");
    assert_near(test_value(&s, "sheave.movable.force"), 16460.0, 1e-6);
    closing[k] = s.d->q[0];
    test_run(&s, &cap_leapfrog_type, 5e-6, 5e-3);
    assert_near(s.d->q[0], closing[k], 1e-12);
    test_system_close(&s);
  }
  assert_true(closing[0] < closing[1] && closing[1] < closing[2]);
}

/* What the prescribed motion feeds in, what is stored and what the damper takes close,
 * the better the finer. */
static void energy_closes(void **state)
{
  (void)state;
  static const char *const kinds[] = {"kind: none", "kind: tilt", "kind: tilt+plate"};
  for (int kind = 0; kind < 3; kind++)
    for (int separate = 0; separate < 2; separate++) {
      double residual[2];
      for (int k = 0; k < 2; k++) {
        test_system s = open(LARGE, "2000 rpm", 60, SPIRAL, kinds[kind],
                             "force: 10 kN, amplitude: 2 kN, angular_frequency: 3000 rad/s",
                             separate ? "separate" : "coupled", "newton", "");
        cap_data_start_audit(s.m, s.d);
        test_run(&s, &cap_leapfrog_type, k ? 1e-6 : 4e-6, 2e-3);
        residual[k] = test_balance(&s, NULL);
        test_system_close(&s);
      }
      print_message("%s, %s: residual %.2g and %.2g\n", kinds[kind], separate ? "separate" : "coupled",
                    residual[0], residual[1]);
      assert_true(residual[1] < 1e-4 && residual[1] < 0.25 * residual[0] + 1e-6);
    }
}

/* The power of the prescribed motion is the growth of what is stored while the sheave stands still. */
static void power_of_the_motion(void **state)
{
  (void)state;
  static const char *const kinds[] = {"kind: none", "kind: tilt", "kind: tilt+plate"};
  for (int kind = 0; kind < 3; kind++)
    for (int way = 0; way < 3; way++) {
      test_system s = open(LARGE, "2000 rpm", 60, SPIRAL, kinds[kind], "force: 10 kN",
                           way == 1 ? "separate" : "coupled", way == 2 ? "lemke" : "newton", "");
      const double step = 1e-7;
      double q = s.d->q[0], v = 0.0, h, power[8] = {0}, stored[3] = {0}, largest = 0.0;
      for (int k = 0; k < 5; k++) {
        for (int end = 0; end < 3; end++) {
          double t = 1e-4 * k + (end - 1) * step;
          cap_eval e = {.nlane = 1, .t = &t, .q = &q, .v = &v, .h = &h, .power = power};
          stored[end] = 0.0;
          cap_model_energy(s.m, &e, &stored[end]);
          if (end == 1) cap_model_rates(s.m, &e);
        }
        int mech = 0;
        while (strcmp(s.m->mechs[mech].name, "flanks.motion") != 0) mech++;
        double growth = (stored[2] - stored[0]) / (2.0 * step);
        largest = fmax(largest, fabs(growth));
        assert_near(power[mech], growth, 1e-4 * largest + 1e-4);
      }
      assert_true(largest > 0.1);
      test_system_close(&s);
    }
}

/* The same motion by all steppers that take the drive. */
static void steppers_agree(void **state)
{
  (void)state;
  const cap_stepper_type *const types[] = {&cap_leapfrog_type, &cap_cvode_type, &cap_radau_type,
                                           &cap_rk4_type};
  double z[4];
  for (int k = 0; k < 4; k++) {
    test_system s = open(LARGE, "2000 rpm", 40, SPIRAL, "kind: tilt+plate",
                         "force: 10 kN, amplitude: 2 kN, angular_frequency: 3000 rad/s", "coupled", "newton",
                         "");
    test_run(&s, types[k], 1e-6, 2e-3);
    z[k] = s.d->q[0];
    test_system_close(&s);
  }
  for (int k = 1; k < 4; k++) assert_near(z[k], z[0], 2e-5 * z[0]);
}

/* Newton on amplitudes and Lemke on all forces make the same motion. */
static void solvers_agree(void **state)
{
  (void)state;
  double z[2];
  for (int k = 0; k < 2; k++) {
    test_system s = open(LARGE, "2000 rpm", 30, SPIRAL, "kind: tilt+plate", "force: 10 kN", "separate",
                         k ? "lemke" : "newton", "closing: 0.05 mm");
    test_run(&s, &cap_leapfrog_type, 5e-6, 5e-4);
    z[k] = s.d->q[0];
    test_system_close(&s);
  }
  assert_near(z[1], z[0], 1e-12 * z[0]);
}

/* (2.35): both sheaves carry the same, flank by flank; (2.34):
 * the softer one carries less of each element. */
static void coupled_and_separate(void **state)
{
  (void)state;
  for (int separate = 0; separate < 2; separate++) {
    test_system s = open(LARGE, "2000 rpm", 60, CONSTANT, "kind: tilt+plate", "force: 16.46 kN",
                         separate ? "separate" : "coupled", "newton", "");
    double loose = test_value(&s, "sheave.movable.force"), fixed = test_value(&s, "sheave.fixed.force");
    assert_near(0.5 * (loose + fixed), 16460.0, 1e-6);
    if (!separate) {
      assert_true(loose == fixed);
      assert_true(test_value(&s, "element[30].movable") == test_value(&s, "element[30].fixed"));
    } else assert_true(loose < 0.99 * fixed);
    test_system_close(&s);
  }
}

static void tangent_is_exact(void **state)
{
  (void)state;
  for (int lemke = 0; lemke < 2; lemke++) {
    test_system s = open(LARGE, "2000 rpm", 30, SPIRAL, "kind: tilt+plate", "force: 10 kN", "separate",
                         lemke ? "lemke" : "newton", "");
    double q = s.d->q[0], v = 0.0, h[3], dh = 0.0, one = 1.0, none = 0.0, t = 1e-4, step = 1e-9;
    for (int k = 0; k < 3; k++) {
      double at = q + (k - 1) * step;
      h[k] = 0.0;
      cap_eval e = {.nlane = 1, .t = &t, .q = &at, .v = &v, .h = &h[k]};
      if (k == 1) e.ncol = 1, e.dq = &one, e.dv = &none, e.dh = &dh;
      cap_model_rates(s.m, &e);
    }
    assert_near(dh, (h[2] - h[0]) / (2.0 * step), 1e-6 * fabs(dh));
    test_system_close(&s);
  }
}

/* A run in two halves is that in one, with what warms the solver and the histogram. */
static void restart_is_exact(void **state)
{
  (void)state;
  uint64_t hash[2];
  for (int halves = 0; halves < 2; halves++) {
    test_system s = open(LARGE, "2000 rpm", 40, SPIRAL, "kind: tilt+plate",
                         "force: 10 kN, amplitude: 9 kN, angular_frequency: 3000 rad/s", "coupled", "newton",
                         "");
    cap_stepper stepper = test_stepper(&s, &cap_leapfrog_type, 1e-5, 0.0, true);
    test_advance(&s, &stepper, 1e-3, NULL);
    if (halves) { /* another stepper, the data alone go on */
      cap_stepper_free(&stepper);
      stepper = test_stepper(&s, &cap_leapfrog_type, 1e-5, 0.0, true);
    }
    test_advance(&s, &stepper, 2e-3, NULL);
    cap_stepper_free(&stepper);
    hash[halves] = cap_data_hash(s.m, s.d);
    int64_t solved = 0;
    for (int k = 0; k < CAP_SOLVES_NCOUNT; k++) solved += s.d->solves[k];
    assert_true(solved >= 200);
    test_system_close(&s);
  }
  assert_true(hash[0] == hash[1]);
}

/* Clamping that lets go: the flanks open, none pulls, and the closing comes back. */
static void flanks_open(void **state)
{
  (void)state;
  test_system s = open(LARGE, "2000 rpm", 40, CONSTANT, "kind: tilt+plate", "force: 100 N", "coupled",
                       "newton", "closing: -0.1 mm");
  assert_true(test_value(&s, "flank.in_contact") == 0.0);
  assert_true(test_value(&s, "sheave.movable.force") == 0.0);
  test_run(&s, &cap_leapfrog_type, 5e-6, 0.06);
  assert_true(test_value(&s, "flank.in_contact") > 40.0);
  assert_near(test_value(&s, "sheave.movable.force"), 100.0, 10.0);
  test_system_close(&s);
}

/* A table of the functions moves the sheave as the functions do. */
static void table_in_the_place_of_functions(void **state)
{
  (void)state;
  char path[2][64];
  double z[2];
  for (int side = 0; side < 2; side++) {
    cap_influence c = flanks_sheave(side);
    strcpy(path[side], "/tmp/capstan-sheave-XXXXXX");
    int file = mkstemp(path[side]);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fprintf(out, side ? "r [mm], r0 [mm], phi [deg], phi0 [deg], influence [m/N]\n"
                      : "r [mm], r0 [mm], angle [deg], influence [um/kN]\n");
    for (int i = 0; i < 16; i++)
      for (int j = 0; j <= i; j++)
        for (int k = 0; k <= 90; k++) {
          double r = 20.0 + 4.0 * i, r0 = 20.0 + 4.0 * j, angle = 2.0 * k;
          double value = cap_influence_at(&c, 1e-3 * r, angle * M_PI / 180.0, 1e-3 * r0, 0.0);
          if (side) fprintf(out, "%g, %g, %g, %g, %.12g\n", r, r0, angle + 10.0, 10.0, value);
          else fprintf(out, "%g, %g, %g, %.12g\n", r, r0, angle, value * 1e9);
        }
    fclose(out);
  }
  for (int k = 0; k < 2; k++) {
    char compliance[300] = "kind: tilt+plate";
    if (k) snprintf(compliance, sizeof compliance, "kind: table, loose: %s, fixed: %s", path[0], path[1]);
    test_system s = open(LARGE, "2000 rpm", 40, SPIRAL, compliance, "force: 16.46 kN", "coupled", "newton",
                         "");
    test_run(&s, &cap_leapfrog_type, 1e-5, 5e-4);
    z[k] = s.d->q[0];
    assert_true(test_balance(&s, NULL) < 0.05);
    test_system_close(&s);
  }
  assert_near(z[1], z[0], 0.005 * z[0]);
  for (int side = 0; side < 2; side++) assert_int_equal(unlink(path[side]), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tilts_under_an_even_load),
      cmocka_unit_test(starts_at_rest),
      cmocka_unit_test(energy_closes),
      cmocka_unit_test(power_of_the_motion),
      cmocka_unit_test(steppers_agree),
      cmocka_unit_test(solvers_agree),
      cmocka_unit_test(coupled_and_separate),
      cmocka_unit_test(tangent_is_exact),
      cmocka_unit_test(restart_is_exact),
      cmocka_unit_test(flanks_open),
      cmocka_unit_test(table_in_the_place_of_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
