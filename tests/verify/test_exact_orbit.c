/* Periodic orbits and their ranges: closed forms, families, multipliers, long runs, dense sampling. */
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
#include "linalg/eigen.h"
#include "step/exact/exact_range.h"

enum { MOST = 16 };

typedef struct fixture {
  cap_arena arena;
  cap_linear l;
  cap_exact *exact;
  cap_exact_orbit orbit;
  cap_error error;
} fixture;

static void open_fixture(fixture *f, int nv, int nharmonic, int nslider)
{
  *f = (fixture){0};
  assert_int_equal(cap_linear_create(&f->arena, nv, nharmonic, nslider, &f->l), CAP_OK);
}

static void find(fixture *f, double period, const double *guess)
{
  if (!f->exact) {
    if (cap_exact_create(&f->l, &f->exact, &f->error) != CAP_OK) fail_msg("%s", f->error.text);
    assert_int_equal(cap_exact_orbit_create(&f->arena, f->exact, &f->orbit), CAP_OK);
  }
  assert_int_equal(cap_exact_reset(f->exact, &f->l, &f->error), CAP_OK);
  if (cap_exact_orbit_find(f->exact, period, guess, &f->orbit, &f->error) != CAP_OK)
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

/* One mass on a spring, with a slider beside it; forced at w. */
static void oscillator(fixture *f, double force, double w, double limit)
{
  open_fixture(f, 1, 1, 1);
  f->l.mass[0] = 2.0;
  f->l.damping[0] = 1.5;
  f->l.stiffness[0] = 300.0;
  f->l.f0[0] = 7.0;
  f->l.angular_frequency[0] = w;
  f->l.fc[0] = force;
  f->l.b[0] = 1.0;
  f->l.k[0] = 500.0;
  f->l.limit[0] = limit;
}

static void stuck_orbit_is_the_linear_response(void **state)
{
  (void)state;
  fixture f;
  const double w = 11.0, force = 3.0;
  oscillator(&f, force, w, 10.0);
  find(&f, 2 * M_PI / w, NULL);
  assert_true(f.orbit.fully_stuck);
  double re = 800.0 - 2.0 * w * w, im = 1.5 * w, amplitude = force / hypot(re, im), low[2], high[2], mean[2],
         rms[2];
  double one = 1.0;
  cap_functional outputs[2] = {{.cq = &one}, {.c0 = 5.0, .cz = &one, .cv = &one}};
  assert_int_equal(cap_exact_range(f.exact, &f.orbit, 2, outputs, low, high, mean, rms, &f.error), CAP_OK);
  assert_near(high[0] - low[0], 2 * amplitude, 1e-15);
  assert_near(mean[0], 7.0 / 300.0, 1e-16); /* w has mean zero, so the slider carries no mean force */
  assert_near(rms[0], hypot(mean[0], amplitude / sqrt(2)), 1e-15);
  assert_near(mean[1], 5.0, 1e-12);
  assert_near(high[1] - low[1], 2 * amplitude * hypot(500.0, w), 1e-12);

  /* multipliers: those of the oscillator, and one for the free mean of the slider */
  double re_m[3], im_m[3], period = 2 * M_PI / w, decay = exp(-1.5 / 4.0 * period);
  assert_int_equal(cap_exact_orbit_multipliers(f.exact, &f.orbit, re_m, im_m, &f.error), CAP_OK);
  int ones = 0, pair = 0;
  for (int i = 0; i < 3; i++) {
    ones += fabs(re_m[i] - 1.0) < 1e-12 && im_m[i] == 0.0;
    pair += fabs(hypot(re_m[i], im_m[i]) - decay) < 1e-12;
  }
  assert_int_equal(ones, 1);
  assert_int_equal(pair, 2);
  close_fixture(&f);
}

/* A stuck orbit keeps the mean of its slider where the guess has it, as far as the limit allows. */
static void stuck_family_stays_near_the_guess(void **state)
{
  (void)state;
  fixture f;
  const double w = 11.0;
  oscillator(&f, 3.0, w, 10.0);
  double amplitude = 3.0 / hypot(800.0 - 2.0 * w * w, 1.5 * w), one = 1.0, low, high, mean;
  cap_functional slider = {.cz = &one};
  static const double means[] = {0.0, 1e-3, -2e-3, 0.5};
  for (int i = 0; i < 4; i++) {
    find(&f, 2 * M_PI / w, NULL);
    double guess[3] = {f.orbit.y[0], f.orbit.y[1], f.orbit.y[2] + means[i]};
    find(&f, 2 * M_PI / w, guess);
    assert_true(f.orbit.fully_stuck);
    assert_int_equal(cap_exact_range(f.exact, &f.orbit, 1, &slider, &low, &high, &mean, NULL, NULL), CAP_OK);
    assert_near(mean / 500.0, fmin(means[i], 10.0 / 500.0 - amplitude), 1e-15);
    /* it is an orbit indeed */
    double y[3];
    int flags[1];
    memcpy(y, f.orbit.y, sizeof y);
    memcpy(flags, f.orbit.flags, sizeof flags);
    assert_int_equal(cap_exact_advance(f.exact, 0.0, f.orbit.period, y, flags, NULL, NULL), CAP_OK);
    for (int k = 0; k < 3; k++) assert_near(y[k], f.orbit.y[k], 1e-14);
  }
  close_fixture(&f);
}

/* Whether an orbit is stuck changes exactly where the amplitude of the linear response meets the limit. */
static void slip_starts_at_the_limit(void **state)
{
  (void)state;
  const double w = 11.0, amplitude = 3.0 / hypot(800.0 - 2.0 * w * w, 1.5 * w);
  for (int side = -1; side <= 1; side += 2) {
    fixture f;
    oscillator(&f, 3.0, w, 500.0 * amplitude * (1.0 + side * 1e-6));
    find(&f, 2 * M_PI / w, NULL);
    assert_int_equal(f.orbit.fully_stuck, side > 0);
    assert_int_equal(f.orbit.nevent, side > 0 ? 0 : 4);
    close_fixture(&f);
  }
}

/* A long run settles on the orbit that Newton's method finds. */
static void long_run_settles_on_the_orbit(void **state)
{
  (void)state;
  belt_mass b;
  cap_exact *exact;
  cap_exact_orbit orbit;
  assert_int_equal(belt_mass_create(&b), CAP_OK);
  belt_mass_fill(&b, 120.0, 60.0);
  assert_int_equal(cap_exact_create(&b.linear, &exact, NULL), CAP_OK);
  assert_int_equal(cap_exact_orbit_create(&b.arena, exact, &orbit), CAP_OK);
  assert_int_equal(cap_exact_orbit_find(exact, 2 * M_PI / 60.0, NULL, &orbit, NULL), CAP_OK);
  double y[5] = {0}, period = 2 * M_PI / 60.0, re[5], im[5], largest = 0.0;
  int flags[1];
  assert_int_equal(cap_exact_start(exact, 0.0, y, flags, NULL), CAP_OK);
  assert_int_equal(cap_exact_advance(exact, 0.0, 400 * period, y, flags, NULL, NULL), CAP_OK);
  for (int i = 0; i < 5; i++) assert_near(y[i], orbit.y[i], 1e-11);
  assert_int_equal(flags[0], orbit.flags[0]);
  assert_int_equal(orbit.nevent, 4);
  assert_int_equal(cap_exact_orbit_multipliers(exact, &orbit, re, im, NULL), CAP_OK);
  for (int i = 0; i < 5; i++) largest = fmax(largest, hypot(re[i], im[i]));
  assert_true(largest < 0.9); /* attracting */
  cap_exact_free(exact);
  cap_arena_free(&b.arena);
}

/* Two sliders, of which one never slips: the orbit is found although its mean is free. */
static void one_slider_slips_the_other_never(void **state)
{
  (void)state;
  fixture f;
  open_fixture(&f, 2, 1, 2);
  const double w = 9.0;
  for (int i = 0; i < 2; i++) {
    f.l.mass[i * 3] = 1.0;
    f.l.stiffness[i * 3] = 150.0;
    f.l.damping[i * 3] = 1.0;
    f.l.b[i * 2 + i] = 1.0;
    f.l.k[i] = 100.0;
  }
  f.l.stiffness[1] = f.l.stiffness[2] = -50.0;
  f.l.angular_frequency[0] = w;
  f.l.fs[0] = 10.0;
  f.l.limit[0] = 1.0;
  f.l.limit[1] = 1e3;
  double guess[6] = {0};
  for (int trial = 0; trial < 2; trial++) {
    guess[5] = trial * 0.3; /* where the second slider is anchored */
    find(&f, 2 * M_PI / w, guess);
    assert_false(f.orbit.fully_stuck);
    assert_true(f.orbit.residual < 1e-10);
    double re[6], im[6], one[2] = {0, 1}, low, high, mean;
    int ones = 0;
    assert_int_equal(cap_exact_orbit_multipliers(f.exact, &f.orbit, re, im, NULL), CAP_OK);
    for (int i = 0; i < 6; i++) ones += fabs(re[i] - 1.0) < 1e-9 && im[i] == 0.0;
    assert_int_equal(ones, 1);
    cap_functional second = {.cz = one};
    assert_int_equal(cap_exact_range(f.exact, &f.orbit, 1, &second, &low, &high, &mean, NULL, NULL), CAP_OK);
    /* the anchor of a slider that sticks is free; in balance, 0.3 m of it leave 0.18 m in the slider */
    if (trial == 0) assert_near(mean / 100.0, 0.0, 1e-2);
    else assert_true(mean / 100.0 > 0.1 && mean / 100.0 < 0.3);
  }
  close_fixture(&f);
}

/* The rig: nothing moves but the imposed deflection. */
static void orbit_of_the_rig(void **state)
{
  (void)state;
  fixture f;
  open_fixture(&f, 0, 1, 1);
  const double x1 = 5.2e-4, w = 9.4, reach = BELT_MASS_LIMIT / BELT_MASS_SLIDER;
  f.l.angular_frequency[0] = w;
  f.l.ds[0] = x1;
  f.l.k[0] = BELT_MASS_SLIDER;
  f.l.limit[0] = BELT_MASS_LIMIT;
  find(&f, 2 * M_PI / w, NULL);
  assert_false(f.orbit.fully_stuck);
  assert_near(f.orbit.y[0], fmin(reach, x1 - reach), 1e-15); /* rising through u = 0: w = x1 - reach */
  double one = 1.0, sine = 2.34e5 * x1, cosine = 1.93e4 * x1 * w, low, high, mean, rms;
  cap_functional force = {.cz = &one, .cs = &sine, .cc = &cosine};
  assert_int_equal(cap_exact_range(f.exact, &f.orbit, 1, &force, &low, &high, &mean, &rms, NULL), CAP_OK);
  double top = -INFINITY;
  for (int i = 0; i <= 200000; i++) { /* on the rising branch */
    double angle = -M_PI / 2 + M_PI * i / 200000, u = x1 * sin(angle), z = fmin(reach, -reach + u + x1);
    top = fmax(top, BELT_MASS_SLIDER * z + 2.34e5 * u + cosine * cos(angle));
  }
  assert_near(high, top, 1e-6);
  assert_near(low, -top, 1e-6);
  assert_near(mean, 0.0, 1e-9);
  close_fixture(&f);
}

/* Extremes, mean and rms against 2000 samples a period, refined; several harmonics, several outputs. */
static void ranges_agree_with_sampling(void **state)
{
  (void)state;
  uint64_t seed = 31;
  for (int trial = 0; trial < 6; trial++) {
    fixture f;
    open_fixture(&f, 3, 2, 2);
    const double w = random_between(&seed, 15, 50);
    random_system_fill(&seed, w, &f.l);
    if (trial == 5) f.l.limit[0] = f.l.limit[1] = 1e6; /* stuck, with two harmonics */
    find(&f, 2 * M_PI / w, NULL);
    assert_int_equal(f.orbit.fully_stuck, trial == 5);
    double cq[3], cv[3], cz[2], cc[2], cs[2], low, high, mean, rms;
    for (int i = 0; i < 3; i++)
      cq[i] = random_between(&seed, -1e3, 1e3), cv[i] = random_between(&seed, -10, 10);
    for (int i = 0; i < 2; i++)
      cz[i] = random_unit(&seed), cc[i] = random_unit(&seed), cs[i] = random_unit(&seed);
    cap_functional output = {.c0 = 2.0, .cq = cq, .cv = cv, .cz = cz, .cc = cc, .cs = cs};
    assert_int_equal(cap_exact_range(f.exact, &f.orbit, 1, &output, &low, &high, &mean, &rms, NULL), CAP_OK);
    enum { N = 20000 };
    double y[8], bottom = INFINITY, top = -INFINITY, sum = 0.0, squares = 0.0;
    int flags[2];
    memcpy(y, f.orbit.y, sizeof y);
    memcpy(flags, f.orbit.flags, sizeof flags);
    for (int i = 0; i < N; i++) {
      double t = i * f.orbit.period / N, value = 2.0;
      for (int k = 0; k < 3; k++) value += cq[k] * y[k] + cv[k] * y[3 + k];
      for (int k = 0; k < 2; k++)
        value += cz[k] * f.l.k[k] * y[6 + k] + cc[k] * cos((k + 1) * w * t) + cs[k] * sin((k + 1) * w * t);
      bottom = fmin(bottom, value), top = fmax(top, value);
      sum += value / N, squares += value * value / N;
      assert_int_equal(cap_exact_advance(f.exact, t, (i + 1) * f.orbit.period / N, y, flags, NULL, NULL),
                       CAP_OK);
    }
    double size = high - low;
    assert_true(high >= top - 1e-12 * size && low <= bottom + 1e-12 * size);
    assert_near(high, top, 3e-5 * size); /* the output has corners between the samples */
    assert_near(low, bottom, 3e-5 * size);
    assert_near(mean, sum, 1e-6 * size);
    assert_near(rms, sqrt(squares), 1e-6 * size);
    close_fixture(&f);
  }
}

/* A chain that only its sliders hold in place: the mean forces must balance the load. */
static void sliders_carry_the_mean_load(void **state)
{
  (void)state;
  fixture f;
  open_fixture(&f, 1, 1, 1);
  f.l.mass[0] = 1.0;
  f.l.damping[0] = 2.0;
  f.l.f0[0] = 3.0;
  f.l.angular_frequency[0] = 5.0;
  f.l.fs[0] = 1.0;
  f.l.b[0] = 1.0;
  f.l.k[0] = 200.0;
  f.l.limit[0] = 5.0;
  find(&f, 2 * M_PI / 5.0, NULL);
  assert_true(f.orbit.fully_stuck);
  double one = 1.0, low, high, mean;
  cap_functional slider = {.cz = &one};
  assert_int_equal(cap_exact_range(f.exact, &f.orbit, 1, &slider, &low, &high, &mean, NULL, NULL), CAP_OK);
  assert_near(mean, 3.0, 1e-12);
  f.l.f0[0] = 6.0; /* more than the slider bears: the mass runs away, no orbit */
  assert_int_equal(cap_exact_reset(f.exact, &f.l, NULL), CAP_OK);
  assert_int_equal(cap_exact_orbit_find(f.exact, 2 * M_PI / 5.0, NULL, &f.orbit, &f.error), CAP_RETRY_NOCONV);
  assert_non_null(strstr(f.error.text, "no periodic orbit"));
  close_fixture(&f);
}

static void foreign_periods_are_refused(void **state)
{
  (void)state;
  fixture f;
  oscillator(&f, 3.0, 11.0, 10.0);
  find(&f, 3 * 2 * M_PI / 11.0, NULL); /* a multiple is fine */
  assert_int_equal(cap_exact_orbit_find(f.exact, 0.5, NULL, &f.orbit, &f.error), CAP_ERR_INPUT);
  assert_non_null(strstr(f.error.text, "expected a forcing with the period 0.5 s, got one of 11 rad/s"));
  assert_int_equal(cap_exact_orbit_find(f.exact, -1.0, NULL, &f.orbit, &f.error), CAP_ERR_INPUT);
  close_fixture(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stuck_orbit_is_the_linear_response),
      cmocka_unit_test(stuck_family_stays_near_the_guess),
      cmocka_unit_test(slip_starts_at_the_limit),
      cmocka_unit_test(long_run_settles_on_the_orbit),
      cmocka_unit_test(one_slider_slips_the_other_never),
      cmocka_unit_test(orbit_of_the_rig),
      cmocka_unit_test(ranges_agree_with_sampling),
      cmocka_unit_test(sliders_carry_the_mean_load),
      cmocka_unit_test(foreign_periods_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
