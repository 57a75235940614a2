/* Bodies on springs: struts, compliant and regularised contacts against closed forms, and their tangents
 * against differences (docs/theory.md §36, §37.5). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/rolling.h"

#include "../support/bodies.h"

#include "../support/tangents.h"

static const double g = 9.81;

/* A ball on an undamped spring contact: from the touch on y = -v sin(w t)/w - g/w^2 (1 - cos(w t)); it leaves
 * with the speed that it came with. */
static void a_ball_bounces_on_a_spring(void **state)
{
  (void)state;
  const double k = 4e4, m = 0.5, w = sqrt(k / m), height = 0.2, v = sqrt(2 * g * height),
               fall = sqrt(2 * height / g);
  rolling r = bodies_run("bodies: [{disc: {name: ball, mass: 0.5 kg, radius: 50 mm, y: 0.25 m}}]\nlines: "
                         "[{line: {name: floor}}]\n"
                         "contact: {law: regularised, stiffness: 4e4 N/m}\n"
                         "analyses: [{transient: {until: 0.5 s, method: cvode, tolerance: "
                         "1e-12}}]\noutputs: {every: 0.1 ms}\n");
  const double *y = rolling_column(&r, "ball.y"), *f = rolling_column(&r, "'ball-floor'.force.normal");
  double off = 0.0, wrong = 0.0, leave = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double t = r.t[i] - fall, want = 0.2 - 0.5 * g * r.t[i] * r.t[i];
    if (t > 0.0) want = -v * sin(w * t) / w - g / (w * w) * (1.0 - cos(w * t));
    if (t > 0.0 && want > 0.0 && leave == 0.0) leave = r.t[i];
    if (leave > 0.0) break;
    off = fmax(off, fabs(y[i] - 0.05 - want));
    wrong = fmax(wrong, fabs(f[i] - (t > 0.0 ? -k * want : 0.0)));
  }
  assert_true(leave > fall);
  rolling_holds("ball on a spring: place, m", off, 1e-8);
  rolling_holds("  force, N", wrong, 1e-3);
  double most = 0.0;
  for (int64_t i = 0; i < r.n; i++)
    if (r.t[i] > leave) most = fmax(most, y[i]);
  rolling_holds("  height of the return, m", fabs(most - 0.25), 1e-6);
  rolling_close(&r);
}

/* At rest on two corners of k each the block sits m g/(2 k) deep; friction brings it to rest as on rigid
 * ground. */
static void a_block_slides_on_springs(void **state)
{
  (void)state;
  const double k = 1e5, m = 2.0, mu = 0.25, v = 1.0, sink = m * g / (2 * k);
  rolling r = bodies_run(
      "bodies: [{block: {mass: 2 kg, width: 0.2 m, height: 0.1 m, y: %.17g m, vx: 1 m/s, hold: angle}}]\n"
      "lines: [{line: {name: floor}}]\n"
      "contact: {law: compliant, stiffness: 1e5 N/m, damping: 200 N s/m, friction: 0.25}\n"
      "analyses: [{transient: {until: 0.6 s, method: timestepping, step: 0.1 ms}}]\noutputs: {every: 1 ms}\n",
      0.05 - sink);
  const double *vx = rolling_column(&r, "block.vx"), *y = rolling_column(&r, "block.y");
  double off = 0.0;
  for (int64_t i = 0; i < r.n; i++) off = fmax(off, fabs(vx[i] - fmax(0.0, v - mu * g * r.t[i])));
  rolling_holds("block on compliant contacts: speed, m/s", off, 1e-9);
  rolling_holds("  depth, m", fabs(y[r.n - 1] - 0.05 + sink), 1e-12);
  rolling_close(&r);
}

/* A block held by two struts at its sides, 45 deg: stiffness upwards 2 k sin^2, w = sqrt(2 k sin^2 / m) for
 * small motions. */
static void a_block_hangs_on_struts(void **state)
{
  (void)state;
  const double k = 2e4, fade = 0.5 * 20.0, w = sqrt(k - fade * fade); /* 1 kg */
  rolling r = bodies_run(
      "gravity: 0 m/s2\npairs: listed\n"
      "bodies: [{block: {mass: 1 kg, width: 0.2 m, height: 0.1 m, x: 0 m, y: 0 m, vy: 1 mm/s}}]\n"
      "springs: [{name: left, from: block, from_x: -0.1 m, to_x: -0.6 m, to_y: 0.5 m, stiffness: 2e4 N/m, "
      "damping: 20 N s/m},\n"
      "  {name: right, from: block, from_x: 0.1 m, to_x: 0.6 m, to_y: 0.5 m, stiffness: 2e4 N/m, damping: 20 "
      "N s/m}]\n"
      "analyses: [{transient: {until: 0.1 s, method: extrapolation, tolerance: 1e-11}}]\noutputs: {every: 1 "
      "ms}\n");
  const double *y = rolling_column(&r, "block.y");
  double off = 0.0;
  for (int64_t i = 0; i < r.n; i++)
    off = fmax(off, fabs(y[i] - 1e-3 / w * exp(-fade * r.t[i]) * sin(w * r.t[i])));
  rolling_holds("block on struts, over its amplitude", off * w / 1e-3, 1e-4);
  rolling_holds("  energy residual", fabs(test_group(&r.result, "transient")->balance.relative), 1e-9);
  rolling_close(&r);
}

/* Swing, springs and contacts that are closed: every derivative of the whole system. */
static void tangents_match_differences(void **state)
{
  (void)state;
  static const char text[] =
      "capstan: 1\ndrive: bodies\nbodies:\n"
      "  - block: {name: a, mass: 1 kg, width: 0.2 m, height: 0.1 m, x: 0.01 m, y: 0.045 m, angle: 0.02 rad, "
      "vx: 0.3 m/s, turn: 1 rad/s}\n"
      "  - disc: {name: b, mass: 2 kg, radius: 0.1 m, x: 0.02 m, y: 0.193 m, vx: -0.2 m/s, turn: 2 rad/s}\n"
      "  - disc: {name: c, mass: 2 kg, radius: 0.1 m, x: 0.21 m, y: 0.192 m, vy: -0.2 m/s, turn: -1 rad/s}\n"
      "lines: [{line: {name: floor, speed: 0.1 m/s}}]\n"
      "contact: {law: regularised, stiffness: 1e4 N/m, damping: 5 N s/m, friction: 0.3, kinetic: 0.2, "
      "stribeck: 0.2 m/s, regular: 0.1 m/s}\n"
      "springs: [{from: a, to: c, from_x: 0.1 m, from_y: 0.03 m, to_x: 0.05 m, to_y: -0.02 m, stiffness: 1e3 "
      "N/m, damping: 20 N s/m, "
      "length: 0.1 m}]\n"
      "analyses: [{transient: {until: 1 s}}]\n";
  test_system s = test_system_open(text);
  double y[TANGENTS_MOST];
  assert_true(s.m->nstate <= TANGENTS_MOST);
  memcpy(y, s.d->y, sizeof(double) * (size_t)s.m->nstate);
  test_tangents_at(&s, y, 1e-2);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_on_a_spring),
      cmocka_unit_test(a_block_slides_on_springs),
      cmocka_unit_test(a_block_hangs_on_struts),
      cmocka_unit_test(tangents_match_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
