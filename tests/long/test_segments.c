/* Belts of segments over long runs: the two-pulley benchmark against creep theory, with and without gravity,
 * its convergence; the 6PK1940 drive through its ramp, at 6000 rpm, with half the step, and its first mode.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/run.h"
#include "../support/segments.h"

#include <time.h>

/* ---- two pulleys --------------------------------------------------------------------------------------- */

static const double EA = 7600.0, MASS = 0.872421052632, LENGTH = 1.193805208364, RADIUS = 0.1,
                    SPAN = 0.314159265359, MU = 0.5, SPEED = 12.0, WEIGHT = 9.81;

/* Creep theory with the belt's weight along its arcs: the tight span is on top. */
typedef struct theory {
  double gravity, g, t1, t2, lambda1, lambda2, omega2, arc[2];
} theory;

static double stretch(const theory *w, double t)
{
  return (EA + t) / (EA - MASS * w->g * w->g);
}

/* Slope of a span's ends by its weight. */
static double sag(const theory *w, double t)
{
  return MASS / stretch(w, t) * w->gravity * SPAN / (2.0 * t);
}

/* From the exit of pulley k backwards to where the tension is that of the entry: the slip arc, and the
 * unstretched length on the whole arc. k = 0: the driver, from top to bottom; 1: from bottom to top. The top
 * span sags inwards and touches more of the pulleys, the bottom span outwards and touches less. */
static double pass(theory *w, int k)
{
  const double step = 1e-5, top = sag(w, w->t1), bottom = sag(w, w->t2), wrap = M_PI + top - bottom;
  double t = k ? w->t1 : w->t2, to = k ? w->t2 : w->t1, held = 0.0, gone = 0.0;
  double angle = k ? 0.5 * M_PI + top : 1.5 * M_PI - bottom;
  while (gone < wrap && (k ? t > to : t < to)) {
    double lambda = stretch(w, t), weight = MASS / lambda * w->gravity * RADIUS;
    double normal = t + weight * sin(angle - 0.5 * step), along = weight * cos(angle - 0.5 * step);
    t -= step * ((k ? MU : -MU) * normal + along);
    held += step * RADIUS / lambda;
    gone += step, angle -= step;
  }
  w->arc[k] = gone;
  return held + (wrap - gone) * RADIUS / stretch(w, to);
}

/* Unstretched length in a span that is `inwards` (1, -1) bent. */
static double span_holds(const theory *w, double t, int inwards)
{
  double slope = sag(w, t);
  return (SPAN - inwards * 2.0 * RADIUS * slope + SPAN * slope * slope / 6.0) / stretch(w, t);
}

static theory solve(double gravity, double torque)
{
  theory w = {.gravity = gravity};
  double low = 50.0, high = 400.0;
  while (high - low > 1e-7) {
    w.t2 = 0.5 * (low + high);
    w.t1 = w.t2 + 400.0, w.lambda1 = 1.0;
    for (int k = 0; k < 60; k++) {
      w.g = RADIUS * SPEED / w.lambda1;
      w.lambda2 = stretch(&w, w.t2);
      w.omega2 = w.g * w.lambda2 / RADIUS;
      w.t1 = w.t2 + (torque + 2.0 * w.omega2) / RADIUS + 2.0 * MASS / w.lambda1 * gravity * RADIUS;
      w.lambda1 = stretch(&w, w.t1);
    }
    double holds = span_holds(&w, w.t1, 1) + span_holds(&w, w.t2, -1) + pass(&w, 0) + pass(&w, 1);
    *(holds > LENGTH ? &low : &high) = w.t2;
  }
  return w;
}

static double tension_of(const theory *w, double t)
{
  return EA * (stretch(w, t) - 1.0);
}

/* The raised cosine of the load. */
static void ramp(char *text, size_t size)
{
  size_t at = (size_t)snprintf(text, size, "torques: [[0 rad/s, 0 N m], [100 rad/s, 200 N m]], over_time: [");
  for (int k = 0; k <= 40; k++)
    at += (size_t)snprintf(text + at, size - at, "%s[%.6g s, %.9g N m]", k ? ", " : "", 1.0 + k / 80.0,
                           12.5 - 12.5 * cos(M_PI * k / 40.0));
  snprintf(text + at, size - at, "]");
}

typedef struct outcome {
  double t1, t2, omega2, torque, arc[2], seconds;
} outcome;

static outcome means(const test_result *r, const char *group, double from, double to)
{
  outcome o = {.t1 = segments_between(r, group, "span.driven.tension", from, to).mean,
               .t2 = segments_between(r, group, "span.driver.tension", from, to).mean,
               .omega2 = segments_between(r, group, "pulley.driven.speed", from, to).mean,
               .torque = segments_between(r, group, "pulley.driver.torque", from, to).mean};
  o.arc[0] = segments_between(r, group, "pulley.driver.slip_arc", from, to).mean;
  o.arc[1] = segments_between(r, group, "pulley.driven.slip_arc", from, to).mean;
  return o;
}

/* From rest through all that happens to 2.45 s, and a further turn of the belt over which is averaged. */
static outcome whole_transient(const char *belt)
{
  char load[3000];
  ramp(load, sizeof load);
  test_result r = segments_run(SEGMENTS_TWO, belt, load, "speeds: [[0.05 s, 0 rad/s], [0.6 s, 12 rad/s]]",
                               "{transient: {until: 2.45 s}}, {transient: {until: 3.497 s}}");
  outcome o = means(&r, "transient-2", 2.45, 3.497);
  const cap_results_balance *b = &test_group(&r, "transient")->balance;
  print_message("  energy residual %.1e of what passed through\n", b->relative);
  assert_true(fabs(b->relative) < 1e-4);
  test_result_close(&r);
  return o;
}

static double creep(double omega2)
{
  return 1.0 - omega2 / SPEED;
}

static void print_outcome(const char *what, const outcome *o, const theory *w)
{
  double degree = 180.0 / M_PI;
  print_message(
      "  %-34s T1 %.3f (%+.3f %%)  T2 %.3f (%+.3f %%)  creep %.4f %% (%+.2f %%)  arcs %.2f %.2f deg\n", what,
      o->t1, 100.0 * (o->t1 / tension_of(w, w->t1) - 1.0), o->t2,
      100.0 * (o->t2 / tension_of(w, w->t2) - 1.0), 100.0 * creep(o->omega2),
      100.0 * (creep(o->omega2) / creep(w->omega2) - 1.0), degree * o->arc[0], degree * o->arc[1]);
}

static void two_pulleys_against_creep_theory(void **state)
{
  (void)state;
  theory none = solve(0.0, 25.0), weight = solve(WEIGHT, 25.0);
  print_message("  theory: %.3f and %.3f N, %.4f rad/s (creep %.4f %%), slip arcs %.2f deg\n",
                tension_of(&none, none.t1), tension_of(&none, none.t2), none.omega2,
                100.0 * creep(none.omega2), none.arc[0] * 180.0 / M_PI);
  assert_true(fabs(tension_of(&none, none.t1) - 663.174) < 0.01 &&
              fabs(tension_of(&none, none.t2) - 186.939) < 0.01);
  assert_true(fabs(none.omega2 - 11.3084) < 1e-4);
  outcome free = whole_transient("segments: 240, contact: {tangential: 4}");
  print_outcome("240 segments", &free, &none);
  assert_true(fabs(free.t1 / tension_of(&none, none.t1) - 1.0) < 1e-3);
  assert_true(fabs(free.t2 / tension_of(&none, none.t2) - 1.0) < 1e-3);
  assert_true(fabs(creep(free.omega2) / creep(none.omega2) - 1.0) < 3e-3);
  for (int k = 0; k < 2; k++) assert_true(fabs(free.arc[k] - none.arc[k]) < 2.0 * M_PI / 180.0);
  outcome heavy = whole_transient("segments: 240, contact: {tangential: 4}, gravity: [0 m/s2, -9.81 m/s2]");
  print_outcome("with gravity", &heavy, &weight);
  print_message("  gravity raises T1 by %.3f N (theory %.3f), T2 by %.3f N (theory %.3f)\n",
                heavy.t1 - free.t1, tension_of(&weight, weight.t1) - tension_of(&none, none.t1),
                heavy.t2 - free.t2, tension_of(&weight, weight.t2) - tension_of(&none, none.t2));
  assert_true(fabs(heavy.t1 / tension_of(&weight, weight.t1) - 1.0) < 1e-3);
  assert_true(fabs(heavy.t2 / tension_of(&weight, weight.t2) - 1.0) < 1e-3);
}

/* Started in steady running under the full load; means over a turn of the belt. */
static outcome steady(const char *belt, const char *step)
{
  char analysis[200];
  snprintf(analysis, sizeof analysis, "{transient: {until: 1.297 s%s}}", step);
  clock_t began = clock();
  test_result r = segments_run(SEGMENTS_TWO, belt, "torques: [[0 rad/s, 25 N m], [100 rad/s, 225 N m]]",
                               "speeds: [[0 s, 12 rad/s], [9 s, 12 rad/s]]", analysis);
  outcome o = means(&r, "transient", 0.25, 1.297);
  o.seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  test_result_close(&r);
  return o;
}

static void two_pulleys_converge(void **state)
{
  (void)state;
  theory w = solve(0.0, 25.0);
  static const char *const cases[][2] = {{"segments: 60, contact: {tangential: 4}", ""},
                                         {"segments: 120, contact: {tangential: 4}", ""},
                                         {"segments: 240, contact: {tangential: 4}", ""},
                                         {"segments: 480, contact: {tangential: 4}", ""},
                                         {"segments: 240, contact: {tangential: 0.25}", ""},
                                         {"segments: 240, contact: {tangential: 1}", ""},
                                         {"segments: 240, contact: {tangential: 16}", ""},
                                         {"segments: 240, contact: {normal: 0.1, tangential: 4}", ""},
                                         {"segments: 240, contact: {normal: 4, tangential: 4}", ""},
                                         {"segments: 240, contact: {tangential: 4}", ", step: 10 us"},
                                         {"segments: 240, contact: {tangential: 4}", ", step: 5 us"}};
  double error[4] = {0};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char what[120];
    outcome o = steady(cases[k][0], cases[k][1]);
    snprintf(what, sizeof what, "%s%s", cases[k][0], cases[k][1]);
    print_outcome(what, &o, &w);
    if (k < 4) error[k] = fabs(o.t1 / tension_of(&w, w.t1) - 1.0) + fabs(o.t2 / tension_of(&w, w.t2) - 1.0);
    if (k == 2 || k == 9 || k == 10) assert_true(fabs(o.t2 / tension_of(&w, w.t2) - 1.0) < 1e-3);
  }
  assert_true(error[2] < error[1] && error[1] < error[0] && error[3] < 1e-3);
}

/* ---- six pulleys --------------------------------------------------------------------------------------- */

#define SEGMENTS "model: segments, segments: 194"

static double worst_difference(const test_result *a, const test_result *b, double from, double to)
{
  double worst = 0.0;
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) {
    segments_mean x = segments_of(a, "span", segments_names[k], "tension", from, to);
    segments_mean y = segments_of(b, "span", segments_names[k], "tension", from, to);
    worst = fmax(worst, fabs(x.mean / y.mean - 1.0));
  }
  return worst;
}

/* rms of the line at a frequency. */
static double line(const test_result *r, const char *channel, double from, double to, double frequency)
{
  int64_t n;
  double *t = test_values(r, "transient", "time", &n), *v = test_values(r, "transient", channel, NULL);
  double mean = segments_between(r, "transient", channel, from, to).mean, re = 0.0, im = 0.0, weight = 0.0;
  for (int64_t k = 0; k < n; k++) {
    if (t[k] < from || t[k] > to) continue;
    double window = 1.0 - cos(2.0 * M_PI * (t[k] - from) / (to - from)), a = 2.0 * M_PI * frequency * t[k];
    re += window * (v[k] - mean) * cos(a);
    im += window * (v[k] - mean) * sin(a);
    weight += window;
  }
  free(t);
  free(v);
  return sqrt(2.0) * hypot(re, im) / weight;
}

/* 2000 rpm, then the ramp to 1000 rpm: energy, the tension drop, what half the step changes. */
static void the_ramp(void **state)
{
  (void)state;
  const char *crank = "speeds: [[0.35 s, 2000 rpm], [0.55 s, 1000 rpm]]";
  clock_t began = clock();
  test_result r = segments_run(SEGMENTS_SIX, SEGMENTS, crank, "{transient: {until: 0.55 s}}");
  double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  test_result half = segments_run(SEGMENTS_SIX, SEGMENTS, crank,
                                  "{transient: {until: 0.55 s, step: 2.8 us}}");
  segments_mean before = segments_of(&r, "span", "compressor", "tension", 0.25, 0.35);
  segments_mean within = segments_of(&r, "span", "compressor", "tension", 0.40, 0.50);
  segments_mean torque = segments_of(&r, "pulley", "crank", "torque", 0.40, 0.50);
  print_message(
      "  0.35 s in %.2f s of processor time; residual %.2e of the load work (%.1f J), half step %.2e\n",
      seconds, segments_residual(&r), segments_energy(&r, ".load.work"), segments_residual(&half));
  print_message(
      "  behind the compressor %.1f N before, %.1f N within the ramp; crank torque there %.2f N m\n",
      before.mean, within.mean, torque.mean);
  print_message("  half the step changes mean tensions by %.1e (steady), %.1e (ramp)\n",
                worst_difference(&r, &half, 0.25, 0.35), worst_difference(&r, &half, 0.35, 0.55));
  assert_true(segments_residual(&r) < 1e-3);
  assert_true(within.mean < 0.85 * before.mean);
  assert_true(worst_difference(&r, &half, 0.25, 0.35) < 1e-3 &&
              worst_difference(&r, &half, 0.35, 0.55) < 1e-3);
  double rate = 17.5 / 10.0e-3;
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) {
    char channel[64];
    snprintf(channel, sizeof channel, "span.%s.midspan_tension", segments_names[k]);
    segments_mean m = segments_between(&r, "transient", channel, 0.21, 0.35);
    double most = 0.0;
    for (double f = rate - 15.0; f < rate + 15.0; f += 1.0)
      most = fmax(most, line(&r, channel, 0.21, 0.35, f));
    print_message("  %-26s rms %.2f N (%.2f %%), of it %.2f N at the passing of segments\n", channel,
                  m.deviation, 100.0 * m.deviation / m.mean, most);
    assert_true(m.deviation < 0.015 * m.mean);
  }
  double damped = segments_energy(&r, ".normal damping") / segments_energy(&r, ".load.work");
  print_message("  normal damping takes %.3f %% of the load work\n", 100.0 * damped);
  assert_true(damped < 3e-3);
  test_result_close(&r);
  test_result_close(&half);
}

static void six_thousand(void **state)
{
  (void)state;
  char text[8000];
  snprintf(text, sizeof text, SEGMENTS_SIX, SEGMENTS, "speeds: [[0 s, 6000 rpm], [1 s, 6000 rpm]]",
           "{transient: {until: 0.4 s}}");
  test_system s = test_system_open(text);
  cap_belt_statics statics = segments_statics(&s);
  test_result r = test_result_execute(s.file, "6000 rpm");
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) {
    segments_mean m = segments_of(&r, "span", segments_names[k], "tension", 0.25, 0.4);
    segments_mean middle = segments_of(&r, "span", segments_names[k], "midspan_tension", 0.25, 0.4);
    print_message("  %-13s %.2f N, statics %.2f N, rms %.2f N, in the middle %.2f N\n", segments_names[k],
                  m.mean, statics.spans[k].tension, m.deviation, middle.deviation);
    assert_true(fabs(m.mean / statics.spans[k].tension - 1.0) < 0.01);
  }
  double damped = segments_energy(&r, ".normal damping") / segments_energy(&r, "crank.motion");
  print_message("  residual %.2e of the load work, normal damping %.3f %% of the power\n",
                segments_residual(&r), 100.0 * damped);
  assert_true(segments_residual(&r) < 1e-3);
  test_result_close(&r);
  test_system_close(&s);
}

/* Frequency of the slow oscillation in a channel: crossings of its mean, after a mean over 1/127.5 s, which
 * leaves nothing of the second mode. */
static double slow_frequency(const test_result *r, const char *channel, double from)
{
  enum { OVER = 78 }; /* rows of 0.1 ms */
  int64_t n;
  double *t = test_values(r, "transient", "time", &n), *v = test_values(r, "transient", channel, NULL);
  double first = 0.0, last = 0.0, before = 0.0, mean = 0.0;
  int crossings = -1;
  int64_t begin = 0;
  while (t[begin] < from) begin++;
  for (int64_t k = begin; k < n; k++) mean += v[k] / (double)(n - begin);
  for (int64_t k = begin; k + OVER < n; k++) {
    double now = 0.0;
    for (int i = 0; i < OVER; i++) now += (v[k + i] - mean) / OVER;
    if (k > begin && (before < 0.0) != (now < 0.0)) {
      last = t[k] - 1e-4 * now / (now - before);
      if (++crossings == 0) first = last;
    }
    before = now;
  }
  free(t);
  free(v);
  assert_true(crossings > 8);
  return 0.5 * crossings / (last - first);
}

/* What the belt adds to the inertia of a pulley: the mass of its arc, and of half of each span. */
static double belt_inertia(const cap_belt *belt, const cap_belt_path *path, int k)
{
  double before = path->span[(k ? k : belt->npulley) - 1].length, after = path->span[k].length;
  double r = belt->pulleys[k].radius;
  return belt->mass * (path->pulley[k].arc + 0.5 * (before + after)) * r * r;
}

/* And to that of the arm: the arc, and a third of the spans that swing with it. */
static double arm_inertia(const cap_belt *belt, const cap_belt_path *path)
{
  double sum = 0.0;
  for (int k = 0; k < belt->npulley; k++) {
    if (!belt->pulleys[k].on_arm) continue;
    const double *moves = path->pulley[k].dcentre;
    sum += belt->mass * path->pulley[k].arc * (moves[0] * moves[0] + moves[1] * moves[1]);
    for (int i = 0; i < 2; i++) {
      const cap_belt_path_span *span = &path->span[i ? k : (k ? k : belt->npulley) - 1];
      double across = span->u[0] * moves[1] - span->u[1] * moves[0];
      sum += belt->mass * span->length / 3.0 * across * across;
    }
  }
  return sum;
}

/* Free length of all spans over that with the decay length of the contact, segment/sqrt(stiff),
 * at both ends. */
static double softening(const cap_belt *belt, const cap_belt_path *path, double stiff)
{
  double spans = 0.0;
  for (int k = 0; k < belt->npulley; k++) spans += path->span[k].length;
  return spans / (spans + 2.0 * belt->npulley * belt->length0 / 194.0 / sqrt(stiff));
}

/* A small jerk of the crank at rest rings the first rotational mode of both models; the springs get the
 * belt's mass with their pulleys and the arm. The belt gives way within the decay length of the contact
 * beyond the ends of the spans: springs that are softer by this agree with any contact, others with a stiff
 * one. */
static void first_rotational_mode(void **state)
{
  (void)state;
  const char *crank = "speeds: [[0.21 s, 0 rpm], [0.212 s, 1 rpm]]", *channel = "pulley.alternator.speed";
  char text[8000], setting[SEGMENTS_PULLEYS + 2][64];
  const char *settings[SEGMENTS_PULLEYS + 2];
  snprintf(text, sizeof text, SEGMENTS_IDLE, "model: springs", crank,
           "{transient: {until: 0.6 s, method: midpoint}}");
  test_system plain = test_system_open(text);
  cap_belt_statics statics = segments_statics(&plain);
  const cap_belt *belt = cap_belt_of(plain.m);
  for (int k = 0; k <= SEGMENTS_PULLEYS; k++) {
    settings[k] = setting[k];
    if (k < SEGMENTS_PULLEYS)
      snprintf(setting[k], sizeof setting[k], "pulleys[%d].inertia=%.9g kg m2", k,
               belt->pulleys[k].inertia + belt_inertia(belt, &statics.path, k));
    else
      snprintf(setting[k], sizeof setting[k], "tensioner.inertia=%.9g kg m2",
               belt->arm.inertia + arm_inertia(belt, &statics.path));
  }
  settings[SEGMENTS_PULLEYS + 1] = setting[SEGMENTS_PULLEYS + 1];
  test_system heavy = test_system_with(text, SEGMENTS_PULLEYS + 1, settings);
  test_result springs = test_result_execute(plain.file, "springs"),
              heavier = test_result_execute(heavy.file, "springs with the belt's mass");
  double light = slow_frequency(&springs, channel, 0.22), mass = slow_frequency(&heavier, channel, 0.22),
         full = 0.0;
  for (int stiff = 1; stiff <= 256; stiff *= 4) {
    char key[100];
    snprintf(key, sizeof key, SEGMENTS ", contact: {tangential: %d}", stiff);
    test_result r = segments_run(SEGMENTS_IDLE, key, crank, "{transient: {until: 0.6 s}}");
    full = slow_frequency(&r, channel, 0.22);
    snprintf(setting[SEGMENTS_PULLEYS + 1], sizeof *setting, "belt.stiffness=%.9g N",
             belt->EA * softening(belt, &statics.path, stiff));
    test_system soft = test_system_with(text, SEGMENTS_PULLEYS + 2, settings);
    test_result softer = test_result_execute(soft.file, "springs as soft as the contact makes them");
    double same = slow_frequency(&softer, channel, 0.22);
    print_message(
        "  tangential %d: %.3f Hz, springs with the belt's mass %.3f Hz (%+.2f %%), as soft %.3f Hz "
        "(%+.2f %%), without mass %.3f Hz\n",
        stiff, full, mass, 100.0 * (full / mass - 1.0), same, 100.0 * (full / same - 1.0), light);
    assert_true(fabs(full / same - 1.0) < 0.01);
    test_result_close(&r);
    test_result_close(&softer);
    test_system_close(&soft);
  }
  assert_true(fabs(full / mass - 1.0) < 0.01);
  test_result_close(&springs);
  test_result_close(&heavier);
  test_system_close(&plain);
  test_system_close(&heavy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_pulleys_against_creep_theory),
      cmocka_unit_test(two_pulleys_converge),
      cmocka_unit_test(the_ramp),
      cmocka_unit_test(six_thousand),
      cmocka_unit_test(first_rotational_mode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
