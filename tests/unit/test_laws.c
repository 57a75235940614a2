/* Laws: the vectorisable power against libm, tangents against finite differences, loops against closed forms
 * and the reference values of section 3.3 of the tensioner document. */
#include "laws/dahl.h"
#include "laws/dahl_lanes.h"
#include "laws/masing.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const double X0 = 5.4e-4, X1 = 5.2e-4, OMEGA = 9.4, PI = 3.14159265358979323846;
static const capm_masing_slider SLIDER = {4.84e5, 163.0};
static const capm_masing MASING = {1, &SLIDER, 2.34e5, 1.93e4, -573.0};

static capm_dahl document_dahl(void)
{
  return capm_dahl_straight(7.146e4, 959.6, 5.322e4, 397.2, 117355.0, 0.37);
}

/* Numbers in [0, 1), the same on every machine (xorshift64*). */
static double uniform(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static void close_to(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.12g, expected %.12g within %g", found, expected, tolerance);
}

static void power_agrees_with_libm(void **state)
{
  (void)state;
  uint64_t seed = 12345;
  double worst = 0.0, worst_short = 0.0;
  for (int i = 0; i < 300000; i++) {
    const double spread = i % 2 ? 996.0 : 1.5;
    const double x = exp2((2.0 * uniform(&seed) - 1.0) * spread) * (1.0 + 1e-7 * uniform(&seed));
    const double exponent = (2.0 * uniform(&seed) - 1.0) * (i % 3 ? 995.0 : 60.0), y = exponent / log2(x);
    if (!isfinite(y)) continue;
    const double exact = pow(x, y);
    worst = fmax(worst, fabs(capm_pow(x, y) / exact - 1.0));
    if (fabs(exponent) <= 60.0) worst_short = fmax(worst_short, fabs(capm_pow_short(x, y) / exact - 1.0));
    close_to(capm_pow_log2(x), log2(x), 4e-16 * fabs(log2(x)));
    close_to(capm_pow_exp2(exponent) / exp2(exponent), 1.0, 1e-15);
  }
  print_message("power: worst relative error %.2g, short form %.2g\n", worst, worst_short);
  close_to(worst, 0.0, 1e-14);
  close_to(worst_short, 0.0, 2e-14);
}

static void power_at_its_edges(void **state)
{
  (void)state;
  assert_true(capm_pow(0.0, 0.37) == 0.0 && capm_pow_short(0.0, 0.37) == 0.0);
  assert_true(capm_pow(1e-310, 0.37) == 0.0);
  assert_true(capm_pow(1.0, 123.4) == 1.0 && capm_pow(7.5, 0.0) == 1.0);
  close_to(capm_pow(4.0, 0.5), 2.0, 1e-15);
  assert_true(isfinite(capm_pow(1e300, 100.0)) && capm_pow(1e-300, 100.0) > 0.0);
}

/* The rule in laws/pow.h holds: gcc reports vector code for a loop over lanes, for both register widths. */
static void lanes_vectorise(void **state)
{
  (void)state;
  if (system("gcc --version > /dev/null 2>&1") != 0) skip();
  char name[] = "/tmp/capstan_lanes_XXXXXX.c", command[1024], line[512];
  const int handle = mkstemps(name, 2);
  assert_true(handle >= 0);
  FILE *file = fdopen(handle, "w");
  fputs("#include \"laws/dahl.h\"\n"
        "void f(int n, const double *restrict h, const double *restrict v, const double *restrict F,\n"
        "       const double *restrict mu, double *restrict y)\n"
        "{ for (int l = 0; l < n; l++) y[l] = v[l] * capm_dahl_slope(h[l], 0.0, v[l], F[l], 1e5, mu[l]); }\n"
        "void g(int n, const double *restrict x, const double *restrict mu, double *restrict y)\n"
        "{ for (int l = 0; l < n; l++) y[l] = capm_pow(x[l], mu[l]); }\n",
        file);
  fclose(file);
  for (int width = 32; width <= 64; width *= 2) {
    snprintf(
        command, sizeof command,
        "gcc -std=gnu17 -O3 -march=x86-64-v%d -ffp-contract=off -fno-math-errno -fno-trapping-math -I%s/src "
        "-fopt-info-vec -c %s -o /dev/null 2>&1",
        width == 32 ? 3 : 4, CAPSTAN_SOURCE_DIR, name);
    char expected[64];
    int found = 0;
    snprintf(expected, sizeof expected, "loop vectorized using %d byte vectors", width);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) found += strstr(line, expected) != NULL;
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(found, 2);
  }
  unlink(name);
}

/* ---- Dahl ---- */

static double dahl_loop(const capm_dahl *p, double forces[4], double *dissipated)
{
  double force = 700.0;
  enum { HALF = 2000 };
  double area = 0.0;
  *dissipated = 0.0;
  for (int cycle = 0; cycle < 4; cycle++) {
    area = *dissipated = 0.0;
    for (int i = 0; i < 2 * HALF; i++) { /* from the lowest deflection up and back */
      const double u0 = X0 - X1 * cos(PI * i / HALF), u1 = X0 - X1 * cos(PI * (i + 1) / HALF);
      const double before = force, v = i < HALF ? 1.0 : -1.0;
      assert_int_equal(capm_dahl_path(p, u0, u1, &force), CAP_OK);
      /* trapezoid with the end correction of the known slopes */
      const double s0 = capm_dahl_rate(p, u0, v, before) * v, s1 = capm_dahl_rate(p, u1, v, force) * v,
                   du = u1 - u0;
      const double work = 0.5 * (before + force) * du - (s1 - s0) * du * du / 12.0;
      area += work;
      *dissipated += work - capm_dahl_energy(p, u1, force) + capm_dahl_energy(p, u0, before);
      if ((i + 1) % (HALF / 2) == 0) forces[((i + 1) / (HALF / 2) + 3) % 4] = force;
    }
  }
  return area;
}

static void dahl_loop_of_section_3_3(void **state)
{
  (void)state;
  const capm_dahl p = document_dahl();
  const double expected[4] = {895.060, 1035.086, 532.147,
                              398.382}; /* at Omega t + phi = 0, pi/2, pi, 3 pi/2 */
  double forces[4], dissipated;
  const double area = dahl_loop(&p, forces, &dissipated);
  for (int i = 0; i < 4; i++) close_to(forces[i], expected[i], 1e-3);
  close_to(dissipated, area, 1e-9);
  print_message("dahl: F = %.4f %.4f %.4f %.4f N, area %.7f J\n", forces[0], forces[1], forces[2], forces[3],
                area);
}

static void dahl_path_is_exact_for_mu_one(void **state)
{
  (void)state;
  /* mu = 1: dq/du = a - Lambda q, an exponential; also far into the stiff regime */
  for (double lambda = 1e3; lambda < 1e9; lambda *= 10.0) {
    const capm_dahl p = capm_dahl_straight(7e4, 960.0, 5e4, 400.0, lambda, 1.0);
    double force = 450.0;
    assert_int_equal(capm_dahl_path(&p, 1e-4, 9e-4, &force), CAP_OK);
    const double fixed = 7e4 / lambda, q0 = 960.0 + 7.0 - 450.0;
    close_to(force, 960.0 + 63.0 - (fixed + (q0 - fixed) * exp(-lambda * 8e-4)), 1e-7);
    force = 1000.0;
    assert_int_equal(capm_dahl_path(&p, 9e-4, 1e-4, &force), CAP_OK);
    const double low = 5e4 / lambda, p0 = 1000.0 - 400.0 - 45.0;
    close_to(force, 400.0 + 5.0 + (low + (p0 - low) * exp(-lambda * 8e-4)), 1e-7);
  }
}

static void dahl_path_reaches_the_offset(void **state)
{
  (void)state;
  const double mus[] = {0.1, 0.37, 1.0, 2.5};
  for (int i = 0; i < 4; i++) {
    const capm_dahl p = capm_dahl_straight(7.146e4, 959.6, 5.322e4, 397.2, 2e5, mus[i]);
    double force = 300.0; /* below both envelopes: allowed */
    assert_int_equal(capm_dahl_path(&p, 0.0, 1.0, &force), CAP_OK);
    close_to(7.146e4 + 959.6 - force, capm_dahl_offset(&p, 7.146e4), 2e-7);
  }
}

static void dahl_path_agrees_with_small_steps(void **state)
{
  (void)state;
  capm_dahl p = document_dahl();
  p.upper[2] = 3e7, p.lower[2] = -2e7, p.upper[3] = 1e10;
  double coarse = 420.0, fine = 420.0;
  assert_int_equal(capm_dahl_path(&p, 0.0, 8e-4, &coarse), CAP_OK);
  const int n = 400000;
  const double h = 8e-4 / n;
  for (int i = 0; i < n; i++) {
    const double u = i * h, k1 = capm_dahl_rate(&p, u, 1.0, fine);
    const double k2 = capm_dahl_rate(&p, u + h / 2, 1.0, fine + h / 2 * k1);
    const double k3 = capm_dahl_rate(&p, u + h / 2, 1.0, fine + h / 2 * k2);
    fine += h / 6 * (k1 + 2 * k2 + 2 * k3 + capm_dahl_rate(&p, u + h, 1.0, fine + h * k3));
  }
  close_to(coarse, fine, 1e-7);
}

static void dahl_path_refuses_nan(void **state)
{
  (void)state;
  const capm_dahl p = document_dahl();
  double force = NAN;
  assert_int_equal(capm_dahl_path(&p, 0.0, 1e-3, &force), CAP_RETRY_NONFINITE);
}

static void dahl_lanes_agree_with_path(void **state)
{
  (void)state;
  enum { NODES = 161 };
  capm_dahl_lanes p;
  static double u[NODES], force[NODES][CAPM_DAHL_LANES], slope[NODES][CAPM_DAHL_LANES];
  for (int l = 0; l < CAPM_DAHL_LANES;
       l++) { /* from sharp corners to slow rounding, and a falling envelope */
    p.a[l] = l == 7 ? -2e4 : 7.146e4, p.b[l] = 959.6, p.d[l] = 5.322e4, p.e[l] = 397.2;
    p.mu[l] = 0.2 + 0.25 * l;
    p.lambda[l] = 1.5e6 / pow(280.0, p.mu[l]);
  }
  for (int up = 0; up < 2; up++) {
    for (int i = 0; i < NODES; i++) {
      const double part = pow(i / (NODES - 1.0), 1.5);
      u[i] = up ? 2e-5 + 1.04e-3 * part : 1.06e-3 - 1.04e-3 * part;
    }
    for (int l = 0; l < CAPM_DAHL_LANES; l++) force[0][l] = up ? 400.0 : 900.0;
    capm_dahl_lanes_march(&p, NODES - 1, u, force, slope);
    for (int l = 0; l < CAPM_DAHL_LANES; l++) {
      const capm_dahl one = capm_dahl_straight(p.a[l], p.b[l], p.d[l], p.e[l], p.lambda[l], p.mu[l]);
      double at = force[0][l];
      for (int i = 1; i < NODES; i++) {
        assert_int_equal(capm_dahl_path(&one, u[i - 1], u[i], &at), CAP_OK);
        close_to(force[i][l], at, 2e-3); /* the floor of the lanes is 6e-4 N */
        if (fabs(at - capm_dahl_envelope(up ? one.upper : one.lower, u[i])) > 1.0)
          close_to(slope[i][l], capm_dahl_rate(&one, u[i], up ? 1.0 : -1.0, at) * (up ? 1.0 : -1.0),
                   1e-3 * slope[i][l]);
      }
    }
  }
}

static void dahl_tangents(void **state)
{
  (void)state;
  uint64_t seed = 7;
  capm_dahl p = document_dahl();
  p.upper[2] = 3e7, p.lower[3] = 1e10;
  for (int i = 0; i < 2000; i++) {
    const double u = uniform(&seed) * 1e-3, v = (uniform(&seed) - 0.5) * 0.1,
                 force = 350.0 + 750.0 * uniform(&seed);
    const capm_dahl_tangent t = capm_dahl_rate_tangent(&p, u, v, force);
    const double q = v < 0.0 ? force - capm_dahl_envelope(p.lower, u)
                             : capm_dahl_envelope(p.upper, u) - force;
    if (fabs(q) < 0.1) continue; /* the tangent itself is checked there, differences are not accurate */
    const double hu = 1e-8, hv = 1e-7 * fabs(v), hf = 1e-3;
    const double du = (capm_dahl_rate(&p, u + hu, v, force) - capm_dahl_rate(&p, u - hu, v, force)) /
                      (2 * hu);
    const double dv = (capm_dahl_rate(&p, u, v + hv, force) - capm_dahl_rate(&p, u, v - hv, force)) /
                      (2 * hv);
    const double df = (capm_dahl_rate(&p, u, v, force + hf) - capm_dahl_rate(&p, u, v, force - hf)) /
                      (2 * hf);
    assert_true(t.rate == capm_dahl_rate(&p, u, v, force));
    close_to(t.rate_u, du, 2e-4 * fabs(du) + 1e-3);
    close_to(t.rate_v, dv, 1e-6 * fabs(dv) + 1e-6);
    close_to(t.rate_force, df, 2e-4 * fabs(df) + 1e-6);
  }
}

static void dahl_is_finite_on_the_envelope(void **state)
{
  (void)state;
  const capm_dahl p = document_dahl();
  for (int side = -1; side <= 1; side += 2) {
    const double on = side > 0 ? capm_dahl_envelope(p.upper, 1e-4) : capm_dahl_envelope(p.lower, 1e-4);
    const capm_dahl_tangent t = capm_dahl_rate_tangent(&p, 1e-4, 0.01 * side, on);
    assert_true(t.rate == 0.0 && isfinite(t.rate_u) && isfinite(t.rate_force) && t.rate_force < 0.0);
    /* odd about the envelope, and continuous across the floor */
    const double near = 4e-7, inside = capm_dahl_rate(&p, 1e-4, 0.01 * side, on - side * near);
    const double outside = capm_dahl_rate(&p, 1e-4, 0.01 * side, on + side * near);
    close_to(inside + outside, 0.0, 1e-6 * fabs(inside));
  }
}

static void dahl_dissipation_is_the_power_balance(void **state)
{
  (void)state;
  capm_dahl p = document_dahl();
  uint64_t seed = 11;
  for (int i = 0; i < 500; i++) {
    p.upper[2] = i % 2 ? 2e7 : 0.0;
    const double u = 1e-3 * uniform(&seed), v = uniform(&seed) - 0.5, force = 450.0 + 450.0 * uniform(&seed);
    const double h = 1e-8, rate = capm_dahl_rate(&p, u, v, force);
    const double growth = (capm_dahl_energy(&p, u + h * v, force + h * rate) -
                           capm_dahl_energy(&p, u - h * v, force - h * rate)) /
                          (2 * h);
    close_to(capm_dahl_dissipation(&p, u, v, force), force * v - growth, 2e-5 * (1.0 + fabs(force * v)));
  }
  /* parallel envelopes: never negative inside them */
  const capm_dahl parallel = capm_dahl_straight(6e4, 960.0, 6e4, 400.0, 117355.0, 0.37);
  for (int i = 0; i < 2000; i++) {
    const double u = 1e-3 * uniform(&seed), force = 400.0 + 6e4 * u + 560.0 * uniform(&seed);
    assert_true(capm_dahl_dissipation(&parallel, u, uniform(&seed) - 0.5, force) >= -1e-12);
  }
}

/* ---- Masing, Coulomb, linear ---- */

static void masing_loop_of_section_3_3(void **state)
{
  (void)state;
  enum { N = 4000 };
  const double expected[4] = {882.378, 984.040, 516.342, 414.680};
  double w[1] = {0.0}, forces[4], dissipated = 0.0, work = 0.0, stored = 0.0;
  for (int i = 0; i < 3 * N; i++) {
    const double phase0 = 2 * PI * i / N, phase = 2 * PI * (i + 1) / N;
    const double u0 = X0 + X1 * sin(phase0), u = X0 + X1 * sin(phase), v = X1 * OMEGA * cos(phase);
    if (i == 2 * N) dissipated = work = 0.0, stored = capm_masing_energy(&MASING, w, u0);
    const double before = capm_masing_force(&MASING, w, u0, 0.0);
    const capm_masing_step step = capm_masing_advance(&MASING, w, u - u0, u, v);
    dissipated += step.dissipation;
    work += 0.5 * (before + capm_masing_force(&MASING, w, u, 0.0)) * (u - u0);
    if ((i + 1) % (N / 4) == 0) forces[(i + 1) / (N / 4) % 4] = step.force;
    close_to(step.force, capm_masing_force(&MASING, w, u, v), 1e-9);
  }
  for (int i = 0; i < 4; i++) close_to(forces[i], expected[i], 1e-3);
  close_to(dissipated, 0.1194615, 1e-6);
  close_to(dissipated, capm_masing_dry_area(&MASING, X1), 1e-9);
  close_to(capm_masing_viscous_area(&MASING, X1, OMEGA), 0.1541139, 1e-6);
  close_to(work - dissipated, capm_masing_energy(&MASING, w, X0) - stored,
           1e-5); /* trapezoid over the corner */
}

static void masing_increments_need_no_small_steps(void **state)
{
  (void)state;
  const capm_masing_slider sliders[3] = {{1e5, 20.0}, {2e5, 90.0}, {4e5, INFINITY}};
  const capm_masing p = {3, sliders, 5e4, 0.0, 10.0};
  double one[3] = {1e-5, -2e-4, 0.0}, many[3] = {1e-5, -2e-4, 0.0}, slipped = 0.0;
  const capm_masing_step whole = capm_masing_advance(&p, one, 7e-4, 7e-4, 0.0);
  for (int i = 0; i < 1000; i++)
    slipped += capm_masing_advance(&p, many, 7e-7, 7e-7 * (i + 1), 0.0).dissipation;
  for (int i = 0; i < 3; i++) close_to(one[i], many[i], 1e-15);
  close_to(whole.dissipation, slipped, 1e-12);
  close_to(whole.force_u, 5e4 + 4e5, 1e-9); /* two slip, the infinite one holds */
}

static void masing_tangent(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 1000; i++) {
    const double w0 = (uniform(&seed) - 0.5) * 6e-4, du = (uniform(&seed) - 0.5) * 1e-3,
                 u = 1e-3 * uniform(&seed);
    if (fabs(fabs(w0 + du) - 163.0 / 4.84e5) < 1e-8) continue;
    double a[1] = {w0}, b[1] = {w0}, c[1] = {w0};
    const double h = 1e-9, v = 0.003;
    const capm_masing_step at = capm_masing_advance(&MASING, a, du, u, v);
    const double up = capm_masing_advance(&MASING, b, du + h, u + h, v).force;
    const double down = capm_masing_advance(&MASING, c, du - h, u - h, v).force;
    close_to(at.force_u, (up - down) / (2 * h), 1e-5 * 7e5);
    assert_true(at.force_v == MASING.c && at.dissipation >= 0.0);
  }
}

static void coulomb_projection(void **state)
{
  (void)state;
  double to_f, to_v;
  assert_true(capm_coulomb_residual(3.0, 0.0, 2.0, 5.0, &to_f, &to_v) == 0.0); /* stuck */
  assert_true(to_f == 0.0 && to_v == -2.0);
  assert_true(capm_coulomb_residual(5.0, 0.1, 2.0, 5.0, &to_f, &to_v) == 0.0); /* sliding */
  assert_true(to_f == 1.0 && to_v == 0.0);
  assert_true(capm_coulomb_residual(-5.0, 0.1, 2.0, 5.0, &to_f, &to_v) != 0.0);
  assert_true(capm_coulomb_residual(4.0, 0.1, 2.0, 5.0, &to_f, &to_v) != 0.0);
  uint64_t seed = 5;
  for (int i = 0; i < 500; i++) {
    const double f = (uniform(&seed) - 0.5) * 20.0, v = uniform(&seed) - 0.5, h = 1e-7;
    if (fabs(fabs(f + 2.0 * v) - 5.0) < 1e-5) continue;
    double df, dv, skip;
    capm_coulomb_residual(f, v, 2.0, 5.0, &df, &dv);
    const double ff = capm_coulomb_residual(f + h, v, 2.0, 5.0, &skip, &skip) -
                      capm_coulomb_residual(f - h, v, 2.0, 5.0, &skip, &skip);
    const double fv = capm_coulomb_residual(f, v + h, 2.0, 5.0, &skip, &skip) -
                      capm_coulomb_residual(f, v - h, 2.0, 5.0, &skip, &skip);
    close_to(df, ff / (2 * h), 1e-6);
    close_to(dv, fv / (2 * h), 1e-6);
  }
  assert_true(capm_coulomb_force(0.2, 1.0, 5.0) == 5.0 && capm_coulomb_force(-0.2, 1.0, 5.0) == -5.0);
  assert_true(capm_coulomb_force(0.0, 1.0, 5.0) == 1.0 && capm_coulomb_force(0.0, 9.0, 5.0) == 5.0);
  assert_true(capm_coulomb_dissipation(-0.2, 5.0) == 1.0);
}

static void linear_and_scaled_damper(void **state)
{
  (void)state;
  assert_true(capm_linear_force(3.0, 2.0, 1.0, 0.5, -1.0) == 0.5);
  const double h = 1e-6,
               slope = (capm_linear_energy(3.0, 1.0, 0.5 + h) - capm_linear_energy(3.0, 1.0, 0.5 - h)) /
                       (2 * h);
  close_to(slope, capm_linear_force(3.0, 0.0, 1.0, 0.5, 0.0), 1e-9);
  assert_true(capm_linear_dissipation(2.0, -3.0) == 18.0);
  for (double angular_frequency = 10.0; angular_frequency < 126.0; angular_frequency += 23.0)
    close_to(capm_linear_scaled_damping(1.93e4, 9.4, angular_frequency) * angular_frequency, 181420.0, 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_agrees_with_libm),
      cmocka_unit_test(power_at_its_edges),
      cmocka_unit_test(lanes_vectorise),
      cmocka_unit_test(dahl_loop_of_section_3_3),
      cmocka_unit_test(dahl_path_is_exact_for_mu_one),
      cmocka_unit_test(dahl_path_reaches_the_offset),
      cmocka_unit_test(dahl_path_agrees_with_small_steps),
      cmocka_unit_test(dahl_path_refuses_nan),
      cmocka_unit_test(dahl_lanes_agree_with_path),
      cmocka_unit_test(dahl_tangents),
      cmocka_unit_test(dahl_is_finite_on_the_envelope),
      cmocka_unit_test(dahl_dissipation_is_the_power_balance),
      cmocka_unit_test(masing_loop_of_section_3_3),
      cmocka_unit_test(masing_increments_need_no_small_steps),
      cmocka_unit_test(masing_tangent),
      cmocka_unit_test(coulomb_projection),
      cmocka_unit_test(linear_and_scaled_damper),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
