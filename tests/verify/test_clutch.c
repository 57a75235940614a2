/* One-way clutch and decoupler in motion against closed forms, by every stepper for such laws: coasting,
 * engaged oscillation, impact and rebound, isolation; and in the accessory drive. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"
#include "drives/accessory/elements/belt_elements.h"

#include "analysis/statics/equilibrium.h"
#include "drives/accessory/belt/belt_modes.h"
#include "elements/elements.h"
#include "linalg/eigen.h"
#include "model/builder.h"

#include <stdio.h>

typedef struct pair {
  double rim, shaft; /* kg m2; rim = 0: its motion is imposed */
  double k, d, drag; /* of the clutch */
  double z0, v_rim, v_shaft;
  double torque;     /* N m that drives the rim and brakes the shaft */
  cap_motion motion; /* of a rim that is driven */
} pair;

enum { RIM, SHAFT };

static test_system couple(const pair *p)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  if (p->rim > 0.0) cap_builder_dof(b, "rim", "rad", p->rim, 0.0, p->v_rim);
  else cap_builder_driven(b, "rim", "rad", &p->motion);
  cap_builder_dof(b, "shaft", "rad", p->shaft, -p->z0, p->v_shaft);
  double par[CAP_CLUTCH_NPARAM] = {p->k, p->d, p->drag, INFINITY}, z = p->z0;
  cap_builder_element(b, &cap_clutch_type, "clutch", RIM, SHAFT, par, &z);
  double drives[CAP_LOAD_NPARAM] = {p->torque}, brakes[CAP_LOAD_NPARAM] = {-p->torque};
  if (p->torque != 0.0) {
    cap_builder_element(b, &cap_load_type, "drive", RIM, CAP_GROUND, drives, NULL);
    cap_builder_element(b, &cap_load_type, "load", SHAFT, CAP_GROUND, brakes, NULL);
  }
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

typedef struct method {
  const cap_stepper_type *type;
  double step, tolerance;
  double error; /* what is expected of it, relative */
} method;

static const method methods[] = {{&cap_theta_midpoint_type, 1e-5, 1e-10, 2e-5},
                                 {&cap_radau_type, 1e-3, 1e-10, 2e-8},
                                 {&cap_cvode_type, 1e-3, 1e-11, 2e-8},
                                 {&cap_leapfrog_type, 1e-5, 1e-10, 2e-5}};
enum { METHODS = sizeof methods / sizeof *methods };

/* The rim stands, the rotor coasts: its speed falls linearly, drag/J. Then drag holds it. */
static void coasting_is_linear(void **state)
{
  (void)state;
  const pair p = {
      .shaft = 2.8e-3, .k = 2000.0, .d = 0.5, .drag = 0.14, .z0 = -0.14 / 2000.0, .v_shaft = 100.0};
  for (int n = 0; n < METHODS; n++) {
    test_system s = couple(&p);
    cap_stepper stepper = test_stepper(&s, methods[n].type, 10.0 * methods[n].step, methods[n].tolerance,
                                       true);
    double worst = 0.0, stops = p.v_shaft * p.shaft / p.drag;
    for (int k = 1; k <= 15; k++) {
      double t = 0.1 * k;
      test_advance(&s, &stepper, t, NULL);
      worst = fmax(worst, fabs(s.d->v[SHAFT] - (p.v_shaft - p.drag / p.shaft * t)));
    }
    assert_true(fabs(stops - 2.0) < 1e-12);
    print_message("  %-8s coasts 1.5 s: speed off by %.1e rad/s\n", methods[n].type->name, worst);
    assert_true(worst < 1e-9);
    test_advance(&s, &stepper, 2.2, NULL);
    assert_true(fabs(s.d->v[SHAFT]) < 1e-3 && fabs(s.d->q[SHAFT] - 100.0) < 1e-3);
    assert_true(fabs(test_work(&s, "clutch.overrun") - 0.5 * p.shaft * 1e4) < 1e-3);
    assert_true(test_balance(&s, NULL) < 1e-7);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Engaged under a torque: z - M/k swings with sqrt(k (1/J1 + 1/J2)), damped by d. */
static void engaged_it_swings(void **state)
{
  (void)state;
  const pair p = {.rim = 2e-4,
                  .shaft = 2.8e-3,
                  .k = 30.0,
                  .d = 2e-3,
                  .z0 = 0.25,
                  .v_rim = 240.0,
                  .v_shaft = 240.0,
                  .torque = 6.0};
  double inverse = 1.0 / p.rim + 1.0 / p.shaft, own = sqrt(p.k * inverse), a = 0.5 * p.d * inverse;
  double w = sqrt(own * own - a * a), A = p.z0 - p.torque / p.k;
  for (int n = 0; n < METHODS; n++) {
    test_system s = couple(&p);
    cap_stepper stepper = test_stepper(&s, methods[n].type, methods[n].step, methods[n].tolerance, true);
    double worst = 0.0;
    for (int k = 1; k <= 40; k++) {
      double t = 2e-3 * k, fade = A * exp(-a * t);
      test_advance(&s, &stepper, t, NULL);
      worst = fmax(worst, fabs(s.d->x[0] - p.torque / p.k - fade * (cos(w * t) + a / w * sin(w * t))) / A);
      double rate = s.d->v[RIM] - s.d->v[SHAFT];
      worst = fmax(worst, fabs(rate + fade * (w + a * a / w) * sin(w * t)) / (A * w));
    }
    print_message("  %-8s %.3f Hz over %.1f periods: off by %.1e of the amplitude\n", methods[n].type->name,
                  w / (2.0 * M_PI), 0.08 * w / (2.0 * M_PI), worst);
    assert_true(worst < 10.0 * methods[n].error);
    assert_true(test_balance(&s, NULL) < 1e-8);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* The rim is faster by g0 when it meets the shaft: the clutch winds up and unwinds once, and lets go when its
 * torque is gone. The torque is finite, g0 sqrt(k Jr) at most, and what is left of the momentum is exact. */
static void impact_and_rebound(void **state)
{
  (void)state;
  const pair p = {.rim = 2e-4, .shaft = 2.8e-3, .k = 2000.0, .d = 0.2, .v_rim = 260.0, .v_shaft = 240.0};
  double inverse = 1.0 / p.rim + 1.0 / p.shaft, own = sqrt(p.k * inverse), a = 0.5 * p.d * inverse;
  double w = sqrt(own * own - a * a), g0 = 20.0, low = 0.5 * M_PI / w, high = M_PI / w;
  for (int k = 0; k < 80; k++) { /* torque k z + d z' = 0 on the way back */
    double t = 0.5 * (low + high);
    double f = p.k * sin(w * t) / w + p.d * (cos(w * t) - a / w * sin(w * t));
    if (f > 0.0) low = t;
    else high = t;
  }
  double after = g0 * exp(-a * low) * (cos(w * low) - a / w * sin(w * low));
  double momentum = p.rim * p.v_rim + p.shaft * p.v_shaft;
  for (int n = 0; n < METHODS; n++) {
    test_system s = couple(&p);
    cap_stepper stepper = test_stepper(&s, methods[n].type, 0.1 * methods[n].step, methods[n].tolerance,
                                       true);
    double peak = 0.0;
    for (int k = 1; k <= 300; k++) {
      double torque;
      test_advance(&s, &stepper, 1e-5 * k, NULL);
      torque = p.k * s.d->x[0] + p.d * (s.d->v[RIM] - s.d->v[SHAFT]);
      peak = fmax(peak, torque);
    }
    double rate = s.d->v[RIM] - s.d->v[SHAFT], held = p.rim * s.d->v[RIM] + p.shaft * s.d->v[SHAFT];
    print_message("  %-8s rebound %.8f rad/s, closed form %.8f; peak %.3f N m, undamped limit %.3f\n",
                  methods[n].type->name, rate, after, peak, g0 * sqrt(p.k / inverse));
    assert_true(fabs(rate - after) < 20.0 * methods[n].error * g0);
    assert_true(fabs(held / momentum - 1.0) < 1e-9);
    assert_true(peak > 0.7 * g0 * sqrt(p.k / inverse) && peak < g0 * sqrt(p.k / inverse));
    assert_true(fabs(s.d->x[0]) < 1e-6); /* unwound */
    assert_true(test_balance(&s, NULL) < 1e-6);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* A decoupler that stays engaged passes a swing of its rim on by
 * |1 + 2 i zeta r| / |1 - r^2 + 2 i zeta r|, r = w sqrt(J/k): more below sqrt(2), less above. */
static void isolates_above_its_frequency(void **state)
{
  (void)state;
  const double ratios[] = {0.5, 1.0, sqrt(2.0), 2.0, 4.0};
  pair p = {.shaft = 2.8e-3, .k = 30.0, .d = 0.08, .torque = 6.0, .z0 = 0.2};
  double own = sqrt(p.k / p.shaft), zeta = 0.5 * p.d / sqrt(p.k * p.shaft);
  for (int n = 0; n < 5; n++) {
    double r = ratios[n], w = r * own, period = 2.0 * M_PI / w, c = 0.0, sn = 0.0;
    p.motion = (cap_motion){.amplitude = 0.02, .angular_frequency = w};
    test_system s = couple(&p);
    cap_stepper stepper = test_stepper(&s, &cap_radau_type, 0.01 * period, 1e-9, false);
    double start = ceil(60.0 / (zeta * own) / period) * period;
    enum { SAMPLES = 32 };
    for (int k = 1; k <= SAMPLES; k++) {
      double t = start + period * k / SAMPLES;
      test_advance(&s, &stepper, t, NULL);
      assert_true(s.d->x[0] > 0.0);
      c += s.d->v[SHAFT] * cos(w * t) * 2.0 / SAMPLES;
      sn += s.d->v[SHAFT] * sin(w * t) * 2.0 / SAMPLES;
    }
    double passed = hypot(c, sn) / (0.02 * w);
    double known = hypot(1.0, 2.0 * zeta * r) / hypot(1.0 - r * r, 2.0 * zeta * r);
    print_message("  r = %.3f: transmissibility %.6f, closed form %.6f\n", r, passed, known);
    assert_true(fabs(passed / known - 1.0) < 1e-5);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* Leapfrog is stable up to 2 over the angular frequency that the drive tells it, damping counted in: w
 * (zeta +
 * sqrt(1 + zeta^2)). Its default takes 0.9 of that. */
static void explicit_steps(void **state)
{
  (void)state;
  const double ratios[] = {0.003, 0.1, 0.5, 2.0};
  for (int n = 0; n < 4; n++) {
    pair p = {.rim = 2e-4, .shaft = 2.8e-3, .k = 30.0, .z0 = 0.25, .torque = 6.0};
    double inverse = 1.0 / p.rim + 1.0 / p.shaft, own = sqrt(p.k * inverse), zeta = ratios[n];
    p.d = 2.0 * zeta * own / inverse;
    double step = 0.9 * 2.0 / (own * (zeta + sqrt(1.0 + zeta * zeta))), most = 0.0;
    test_system s = couple(&p);
    cap_stepper stepper = test_stepper(&s, &cap_leapfrog_type, step, 1e-10, false);
    for (int k = 1; k <= 5000; k++) {
      test_advance(&s, &stepper, k * step, NULL);
      most = fmax(most, fabs(s.d->x[0] - 0.2));
    }
    print_message("  zeta %.3f, step %.2e s: at most %.4f rad from rest, at the end %.1e\n", zeta, step, most,
                  fabs(s.d->x[0] - 0.2));
    assert_true(most < 0.2);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

/* ---- the accessory drive ------------------------------------------------------------------------------- */

#define DRIVE(alternator, load)                                                                              \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\npulleys:\n"              \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, " alternator load "}\n"                       \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"           \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                  \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"                      \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: 0.2 N m s/rad}\n"                                                         \
  "analyses: [{modes: {}}]\n"
#define LOAD   ", load: {torque: 6.4 N m}"
#define SOLID  "inertia: 3e-3 kg m2"
#define BEHIND "inertia: 2e-4 kg m2, shaft_inertia: 2.8e-3 kg m2, "
#define CLUTCH BEHIND "clutch: {stiffness: 2000 N m/rad, damping: 0.5 N m s/rad, drag: 0.1 N m}"
#define STIFF  BEHIND "clutch: {stiffness: 1e8 N m/rad, damping: 1 N m s/rad}"
#define OAD    BEHIND "decoupler: {spring: 30 N m/rad, damping: 0.05 N m s/rad, drag: 0.1 N m}"
#define BARE   BEHIND "decoupler: {spring: 30 N m/rad, damping: 1e-9 N m s/rad}"
#define FREE   "crank: {speed: 1e-6 rpm, held: false}\n"
#define STEADY "crank: {speed: 800 rpm}\n"
#define IDLE   "crank: {speed: 800 rpm, orders: [{order: 2, amplitude: 2.3 deg}]}\n"

enum { ALTERNATOR = 2, ARM = 6, BEHIND_IT = 7, MOST = 8 };

/* The torque passes: tensions as without a clutch, wind-up M/k, and the drive stays in steady running. */
static void statics_pass_the_torque(void **state)
{
  (void)state;
  test_system solid = test_system_open(DRIVE(SOLID, LOAD) STEADY),
              s = test_system_open(DRIVE(OAD, LOAD) STEADY);
  assert_true(fabs(test_value(&s, "pulley.alternator.windup") - 6.4 / 30.0) < 1e-9);
  assert_true(fabs(test_value(&s, "pulley.alternator.clutch") - 6.4) < 1e-9);
  assert_true(test_value(&s, "span.alternator.tension") == test_value(&solid, "span.alternator.tension"));
  double before = test_value(&s, "span.alternator.tension");
  test_run(&s, &cap_theta_midpoint_type, 5e-5, 0.2);
  assert_true(fabs(test_value(&s, "span.alternator.tension") - before) < 0.01);
  assert_true(fabs(test_value(&s, "pulley.alternator.overrun")) < 1e-4);
  test_system_close(&solid);
  test_system_close(&s);
}

static int frequencies(const test_system *s, double *frequency)
{
  double K[MOST * MOST], C[MOST * MOST], M[MOST * MOST] = {0}, vectors[MOST * MOST];
  cap_error error = {0};
  int n = cap_equilibrium_stiffness(s->m, s->d, false, K, C, &error);
  for (int i = 0; i < n; i++) M[i * (n + 1)] = s->m->mass[i];
  assert_int_equal(capm_eigen_symmetric(n, K, M, frequency, vectors), CAP_OK);
  for (int i = 0; i < n; i++) frequency[i] = sqrt(fmax(frequency[i], 0.0)) / (2.0 * M_PI);
  return n;
}

/* `modes` of the system and the modes of the belt drive agree (without tension, whose stretch they count
 * differently); a stiff clutch is none. */
static void modes_are_those_engaged(void **state)
{
  (void)state;
  const char *settings[] = {"tensioner.tension=0.1 N", "belt.measured_at=0.1 N", "belt.damping=0 s",
                            "tensioner.damping=0 N m s/rad"};
  const char *const drives[] = {DRIVE(SOLID, "") FREE, DRIVE(STIFF, "") FREE, DRIVE(BARE, "") FREE};
  double f[3][MOST];
  for (int k = 0; k < 3; k++) {
    test_system s = test_system_with(drives[k], 4, settings);
    int n = frequencies(&s, f[k]);
    assert_int_equal(n, k ? 8 : 7);
    cap_belt_statics at;
    cap_belt_modes modes;
    cap_error error = {0};
    cap_belt_statics_case rest = {.arm = CAP_BELT_STATICS_FREE, .speed = cap_belt_of(s.m)->speed};
    if (cap_belt_statics_solve(cap_belt_of(s.m), &rest, &at, &error) != CAP_OK) fail_msg("%s", error.text);
    cap_belt_modes_case about = cap_belt_modes_about(cap_belt_of(s.m), &at, 0);
    if (cap_belt_modes_solve(&about, &modes, &error) != CAP_OK) fail_msg("%s", error.text);
    for (int i = 1; i < n - (k == 1); i++) {
      print_message("  %s mode %d: %.4f Hz, of the belt drive %.4f Hz\n",
                    k == 0   ? "solid"
                    : k == 1 ? "stiff"
                             : "OAD",
                    i, f[k][i], modes.frequency[i]);
      assert_true(fabs(modes.frequency[i] / f[k][i] - 1.0) < 1e-5);
    }
    cap_belt_modes_free(&modes);
    test_system_close(&s);
  }
  for (int i = 1; i < 7; i++) assert_true(fabs(f[1][i] / f[0][i] - 1.0) < 1e-5);
  assert_true(f[2][1] < 0.7 * f[0][1]); /* the soft spring takes the first mode out of the range of idle */
}

typedef struct swing {
  double low, high;
} swing;

static void note(swing *s, double value)
{
  s->low = fmin(s->low, value);
  s->high = fmax(s->high, value);
}

/* Idle at 800 rpm with order 2: ranges after the transient. */
static void idle(const char *text, swing *tension, swing *arm, swing *overrun)
{
  test_system s = test_system_open(text);
  cap_stepper stepper = test_stepper(&s, &cap_theta_midpoint_type, 1e-4, 1e-10, true);
  *tension = *arm = *overrun = (swing){INFINITY, -INFINITY};
  for (int k = 1; k <= 3000; k++) {
    test_advance(&s, &stepper, 4e-4 * k, NULL);
    if (k < 2250) continue;
    note(tension, test_value(&s, "span.compressor.tension"));
    note(arm, s.d->q[ARM] * 180.0 / M_PI);
    if (s.m->nv > BEHIND_IT) note(overrun, test_value(&s, "pulley.alternator.overrun"));
  }
  assert_true(test_balance(&s, NULL) < 1e-4);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* At idle the drive without a clutch is near its first mode; clutch and decoupler take swing from belt and
 * arm (Zeng and Shangguan: an OAD reduces arm motion, tension and slip). */
static void a_decoupler_calms_the_drive(void **state)
{
  (void)state;
  swing tension[3], arm[3], overrun[3];
  idle(DRIVE(SOLID, LOAD) IDLE, &tension[0], &arm[0], &overrun[0]);
  idle(DRIVE(CLUTCH, LOAD) IDLE, &tension[1], &arm[1], &overrun[1]);
  idle(DRIVE(OAD, LOAD) IDLE, &tension[2], &arm[2], &overrun[2]);
  const char *const names[] = {"solid", "one-way", "OAD"};
  for (int k = 0; k < 3; k++)
    print_message("  %-8s tension of the tight span %.1f to %.1f N, arm %.3f deg, overrun up to %.1f rad/s\n",
                  names[k], tension[k].low, tension[k].high, arm[k].high - arm[k].low, overrun[k].high);
  assert_true(overrun[1].high > 10.0);
  assert_true(tension[1].high < 0.8 * tension[0].high && tension[2].high < 0.8 * tension[1].high);
  assert_true(arm[2].high - arm[2].low < 0.2 * (arm[0].high - arm[0].low));
}

/* The steppers agree on a run in which the clutch overruns and engages once a firing, and close the audit. */
static void steppers_agree(void **state)
{
  (void)state;
  double end[METHODS][16];
  for (int n = 0; n < METHODS; n++) {
    test_system s = test_system_open(DRIVE(CLUTCH, LOAD) IDLE);
    bool fixed = methods[n].type == &cap_leapfrog_type || methods[n].type == &cap_theta_midpoint_type;
    double step = fixed ? 4e-6 : methods[n].step;
    cap_stepper stepper = test_stepper(&s, methods[n].type, step, 1e-9, true);
    double ahead = 0.0;
    for (int k = 1; k <= 100; k++) {
      test_advance(&s, &stepper, 1e-3 * k, NULL);
      ahead = fmax(ahead, test_value(&s, "pulley.alternator.overrun"));
    }
    memcpy(end[n], s.d->v, 8 * sizeof(double));
    double balance = test_balance(&s, NULL);
    print_message("  %-8s overrun up to %.3f rad/s, alternator %.6f, shaft %.6f rad/s; balance %.1e\n",
                  methods[n].type->name, ahead, end[n][ALTERNATOR], end[n][BEHIND_IT], balance);
    assert_true(ahead > 5.0 && balance < 1e-6);
    for (int i = 0; i < 8; i++) assert_true(fabs(end[n][i] - end[0][i]) < 2e-3);
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coasting_is_linear),      cmocka_unit_test(engaged_it_swings),
      cmocka_unit_test(impact_and_rebound),      cmocka_unit_test(isolates_above_its_frequency),
      cmocka_unit_test(explicit_steps),          cmocka_unit_test(statics_pass_the_torque),
      cmocka_unit_test(modes_are_those_engaged), cmocka_unit_test(a_decoupler_calms_the_drive),
      cmocka_unit_test(steppers_agree),
  };
  return cmocka_run_group_tests_name("clutch in motion", tests, NULL, NULL);
}
