/* Den Hartog's oscillator with dry friction by harmonic balance: amplitude, phase and the whole motion
 * against the closed form where it never stops, against the closed forms between events where it does;
 * multipliers; the same from a model file. */
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

enum { SAMPLES = 4096 };

/* ---- the motion itself: m = k = 1, load sin(b t), friction f ------------------------------------------- */

typedef struct flight {
  double b, f, t0, a, c, side; /* x = -side f + V sin(bt) + a cos(t - t0) + c sin(t - t0); side 0: at rest */
  double rest;
} flight;

static double gain(const flight *p)
{
  return 1.0 / (1.0 - p->b * p->b);
}

static double position(const flight *p, double t)
{
  if (p->side == 0.0) return p->rest;
  return -p->side * p->f + gain(p) * sin(p->b * t) + p->a * cos(t - p->t0) + p->c * sin(t - p->t0);
}

static double velocity(const flight *p, double t)
{
  if (p->side == 0.0) return 0.0;
  return gain(p) * p->b * cos(p->b * t) - p->a * sin(t - p->t0) + p->c * cos(t - p->t0);
}

/* Positive while the present flight goes on. */
static double goes_on(const flight *p, double t)
{
  if (p->side != 0.0) return p->side * velocity(p, t);
  return p->f - fabs(sin(p->b * t) - p->rest);
}

/* From standstill at x: stay, or go where load and spring pull. */
static void depart(flight *p, double t, double x, bool arrived)
{
  double pull = sin(p->b * t) - x;
  p->t0 = t;
  p->rest = x;
  p->side = arrived && fabs(pull) <= p->f ? 0.0 : pull > 0.0 ? 1.0 : -1.0;
  p->a = x + p->side * p->f - gain(p) * sin(p->b * t);
  p->c = -gain(p) * p->b * cos(p->b * t);
}

typedef struct truth {
  double rest;       /* share of the period */
  double multiplier; /* of motions with stops: what is left of a shift of the resting place */
  double x[SAMPLES]; /* over one period */
} truth;

/* The period after many. While it slides a shift of the resting place turns with the oscillator's own
 * angular frequency, and at each stop only its position is left. */
static void true_motion(double b, double f, truth *o)
{
  enum { PERIODS = 120 };
  const double period = 2 * M_PI / b, dt = 1e-3, start = PERIODS * period;
  flight p = {.b = b, .f = f};
  int seen = 0, resting = 0;
  o->multiplier = 1.0;
  depart(&p, 0.0, 0.0, true);
  for (double t = 0.0; seen < SAMPLES;) {
    double next = t + dt;
    bool ends = goes_on(&p, next) < 0.0;
    if (ends) {
      double low = t, high = next;
      for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (goes_on(&p, middle) < 0.0) high = middle;
        else low = middle;
      }
      next = high;
    }
    for (; seen < SAMPLES && start + period * seen / SAMPLES < next; seen++) {
      o->x[seen] = position(&p, start + period * seen / SAMPLES);
      resting += p.side == 0.0;
    }
    if (ends && next > start - 0.25 * period && next < start + 0.75 * period && p.side != 0.0)
      o->multiplier *= cos(next - p.t0);
    if (ends) depart(&p, next, position(&p, next), p.side != 0.0);
    t = next;
  }
  o->rest = (double)resting / SAMPLES;
}

/* Den Hartog: greatest displacement, and the phase of the load there. */
static double closed_form(double b, double f, double *phase)
{
  double v = 1 / (1 - b * b), u = sin(M_PI / b) / (b * (1 + cos(M_PI / b)));
  double amplitude = sqrt(v * v - f * f * u * u);
  *phase = atan2(-f * u / v, amplitude / v) + M_PI / 2;
  return amplitude;
}

/* Phase of the load at the largest value of samples, with a parabola through three of them. */
static double phase_of_top(const double *x)
{
  int top = 0;
  for (int n = 1; n < SAMPLES; n++)
    if (x[n] > x[top]) top = n;
  double before = x[(top + SAMPLES - 1) % SAMPLES], after = x[(top + 1) % SAMPLES];
  return 2 * M_PI / SAMPLES * (top + 0.5 * (before - after) / (before - 2 * x[top] + after));
}

/* ---- harmonic balance ---------------------------------------------------------------------------------- */

static cap_model *oscillator(double b, double limit)
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

typedef struct balanced {
  double amplitude;  /* largest displacement */
  double phase;      /* rad: of the first harmonic, from the true one */
  double motion;     /* largest distance from the true motion, relative to its amplitude */
  double multiplier; /* largest modulus */
  int iterations;
} balanced;

static balanced compare(const double *x, const truth *t)
{
  balanced out = {0};
  double most = 0.0, size, phase, own;
  for (int n = 0; n < SAMPLES; n++) {
    most = fmax(most, fabs(t->x[n]));
    out.motion = fmax(out.motion, fabs(x[n] - t->x[n]));
  }
  out.motion /= most;
  out.amplitude = cap_hb_output_of(SAMPLES, x).high;
  cap_hb_output_harmonic(SAMPLES, x, 1, &size, &own);
  cap_hb_output_harmonic(SAMPLES, t->x, 1, &size, &phase);
  out.phase = fabs(remainder(own - phase, 2 * M_PI));
  return out;
}

static balanced balance(const cap_model *m, int channel, double b, int harmonics, const truth *t)
{
  cap_hb *hb;
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, SAMPLES, 1};
  cap_hb_newton_report report;
  cap_hb_stability *stability;
  cap_hb_wave wave;
  if (cap_hb_create(m, 0, &settings, &hb, &error) != CAP_OK) fail_msg("%s", error.text);
  double *x = calloc((size_t)hb->nunknown, sizeof *x);
  if (cap_hb_newton_solve(hb, x, b, NULL, &report, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_hb_output_wave(hb, x, b, 1, &channel, &wave, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_int_equal(wave.nsample, SAMPLES);
  balanced out = compare(wave.values, t);
  assert_int_equal(cap_hb_stability_create(hb, &stability, &error), CAP_OK);
  assert_int_equal(cap_hb_stability_find(stability, hb, x, b, &error), CAP_OK);
  out.multiplier = stability->largest;
  out.iterations = report.iterations;
  cap_hb_stability_free(stability);
  cap_arena_free(&wave.arena);
  cap_hb_free(hb);
  free(x);
  return out;
}

/* Values printed elsewhere to the printed digit, and the order of convergence: the friction's argument knows
 * of the kink that the harmonics round off, so the error falls as 1/H^2. */
static void without_stops(void **state)
{
  (void)state;
  /* moduli of the multipliers: the closed-form motion between reversals, period map by differences */
  static const struct {
    double b, f, printed, modulus;
  } cases[] = {{0.7, 0.3, 1.8857, 0.50980},
               {1.5, 0.3, 0.7211, 0.68791},
               {0.9, 0.5, 0, 0},
               {1.2, 0.6, 0, 0},
               {2.5, 0.1, 0, 0},
               {0.6, 0.15, 0, 0}};
  truth *t = calloc(1, sizeof *t);
  for (int k = 0; k < 6; k++) {
    double b = cases[k].b, f = cases[k].f, phase;
    double amplitude = closed_form(b, f, &phase);
    cap_model *m = oscillator(b, f);
    true_motion(b, f, t);
    assert_true(t->rest == 0.0);
    assert_true(fabs(cap_hb_output_of(SAMPLES, t->x).high / amplitude - 1) < 1e-6);
    assert_true(fabs(remainder(phase_of_top(t->x) - phase, 2 * M_PI)) < 1e-3);
    for (int harmonics = 11; harmonics <= 41; harmonics = 2 * harmonics - 1) {
      balanced o = balance(m, 0, b, harmonics, t);
      double miss = fabs(o.amplitude / amplitude - 1), size = 11.0 / harmonics;
      print_message("  b %.1f, F/P %.2f, %d harmonics: amplitude %.6f (%.6f), off by %.1e; phase %.1e rad; "
                    "motion %.1e; multiplier %.5f; %d steps\n",
                    b, f, harmonics, o.amplitude, amplitude, miss, o.phase, o.motion, o.multiplier,
                    o.iterations);
      assert_true(o.motion < 2e-3 * size * size + 1e-5);
      assert_true(miss < 1e-3 * size * size + 1e-5 && o.phase < 1e-3 * size * size + 1e-5);
      if (cases[k].printed > 0.0) {
        if (harmonics > 21) assert_true(fabs(o.amplitude - cases[k].printed) < 5.1e-5);
        assert_true(fabs(o.multiplier - cases[k].modulus) < 3e-3);
      }
    }
    cap_model_free(m);
  }
  free(t);
}

/* Where it stops there is no closed form of the whole, but closed forms between the events. */
static void with_stops(void **state)
{
  (void)state;
  static const double cases[][2] = {{0.4, 0.3}, {0.3, 0.3}, {0.5, 0.7}, {0.22, 0.45}, {1.3, 0.85}};
  truth *t = calloc(1, sizeof *t);
  for (int k = 0; k < 5; k++) {
    double b = cases[k][0], f = cases[k][1], most = 0.0;
    cap_model *m = oscillator(b, f);
    true_motion(b, f, t);
    assert_true(t->rest > 0.2);
    for (int n = 0; n < SAMPLES; n++) most = fmax(most, t->x[n]);
    for (int harmonics = 11; harmonics <= 81; harmonics = 2 * harmonics - 1) {
      balanced o = balance(m, 0, b, harmonics, t);
      print_message(
          "  b %.2f, F/P %.2f, at rest %.1f %%, %d harmonics: amplitude %.6f (%.6f); phase %.1e rad; "
          "motion %.1e; multiplier %.4f (%.4f); %d steps\n",
          b, f, 100 * t->rest, harmonics, o.amplitude, most, o.phase, o.motion, o.multiplier,
          fabs(t->multiplier), o.iterations);
    }
    cap_model_free(m);
  }
  free(t);
}

/* The same oscillator as a model file: the pulley of a tensioner, pulled by a stiff belt without mass. */
static void from_a_model_file(void **state)
{
  (void)state;
  static const char text[] = "capstan: 1\nname: t\ndrive: belt-tensioner-mass\ngravity: 0 m/s2\n"
                             "masses: {mass: 1e-6 kg, pulley: 1 kg}\n"
                             "belt: {stiffness: 1e6 N/m, damping: 1 N s/m}\n"
                             "tensioner: {law: coulomb, k0: 1 N/m, alpha: 0.3 N}\n"
                             "load: {amplitude: 1 N, angular_frequency: 0.7 rad/s}\n" TEST_ANY;
  truth *t = calloc(1, sizeof *t);
  test_system s = test_system_open(text);
  double phase, amplitude = closed_form(0.7, 0.3, &phase);
  true_motion(0.7, 0.3, t);
  balanced o = balance(s.m, (int)(test_channel(s.m, "tensioner.deflection") - s.m->channels), 0.7, 41, t);
  print_message("  amplitude %.6f (%.6f), motion %.1e\n", o.amplitude, amplitude, o.motion);
  assert_true(fabs(o.amplitude - 1.8857) < 5.1e-5 && o.motion < 1e-4);
  test_system_close(&s);
  free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_stops),
      cmocka_unit_test(with_stops),
      cmocka_unit_test(from_a_model_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
