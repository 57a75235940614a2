/* The accessory drive with its belt as segments: start, steady running against statics and springs, losses,
 * rest. The long runs are in tests/long/test_segments.c.
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

#define AT_2000  "speed: 2000 rpm"
#define SEGMENTS "model: segments, segments: 194"

/* The belt is laid along the path of steady running with its own length, the tension of statics in every
 * segment of a span, and its speed. */
static void it_is_laid_along_the_path(void **state)
{
  (void)state;
  char text[8000];
  snprintf(text, sizeof text, SEGMENTS_SIX, SEGMENTS, AT_2000, "{transient: {until: 1 s}}");
  test_system s = test_system_open(text);
  cap_belt_statics statics = segments_statics(&s);
  const cap_belt *belt = cap_belt_of(s.m);
  int count = 0, first = s.m->nv - 3 * 194;
  for (int k = 0; k < 194; k++) {
    const double *a = s.d->q + first + 3 * k, *b = s.d->q + first + 3 * ((k + 1) % 194);
    const double *v = s.d->v + first + 3 * k;
    double chord = hypot(b[0] - a[0], b[1] - a[1]), l = belt->length0 / 194,
           tension = belt->EA * (chord / l - 1.0);
    double speed = hypot(v[0], v[1]), along = v[0] * cos(a[2]) + v[1] * sin(a[2]);
    assert_true(fabs(along - speed) < 1e-9 && fabs(speed / statics.belt_speed - 1.0) < 5e-3);
    for (int i = 0; i < belt->npulley; i++) { /* both nodes between the tangent points of span i */
      const cap_belt_path_span *p = &statics.path.span[i];
      double s1 = (a[0] - p->from[0]) * p->u[0] + (a[1] - p->from[1]) * p->u[1];
      double w1 = (a[1] - p->from[1]) * p->u[0] - (a[0] - p->from[0]) * p->u[1];
      if (fabs(w1) > 1e-9 || s1 < 0.0 || s1 + chord > p->length) continue;
      assert_true(fabs(tension / statics.spans[i].tension - 1.0) < 1e-6);
      count++;
    }
  }
  print_message("  %d of 194 segments lie in spans, as tense as statics has them\n", count);
  assert_true(count > 120);
  test_system_close(&s);
}

/* After settling nothing of the start is left: tensions, hub loads and speeds are those of statics, from the
 * first row on. Tensions swing by less than 1.5 % in the middle of spans as segments pass, the normal
 * contact's damper takes less than 0.3 % of the power, and the energy balance closes. */
static void steady_running(void **state)
{
  (void)state;
  char text[8000];
  snprintf(text, sizeof text, SEGMENTS_SIX, SEGMENTS, AT_2000, "{transient: {until: 0.28 s}}");
  test_system s = test_system_open(text);
  cap_belt_statics statics = segments_statics(&s);
  test_result r = test_result_execute(s.file, "six pulleys");
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) {
    const char *name = segments_names[k];
    double theory = statics.spans[k].tension;
    segments_mean early = segments_of(&r, "span", name, "tension", 0.2, 0.205);
    segments_mean late = segments_of(&r, "span", name, "tension", 0.22, 0.28);
    segments_mean middle = segments_of(&r, "span", name, "midspan_tension", 0.22, 0.28);
    segments_mean hub_x = segments_of(&r, "pulley", name, "hub_x", 0.22, 0.28);
    segments_mean hub_y = segments_of(&r, "pulley", name, "hub_y", 0.22, 0.28);
    segments_mean speed = segments_of(&r, "pulley", name, "speed", 0.22, 0.28);
    segments_mean motion = segments_of(&r, "span", name, "midspan", 0.2, 0.28);
    const cap_belt_statics_pulley *p = &statics.pulleys[k];
    double hub = hypot(p->hub_x, p->hub_y), off = hypot(hub_x.mean - p->hub_x, hub_y.mean - p->hub_y);
    print_message(
        "  %-13s %.2f N (statics %+.2f), first 5 ms %+.2f N, rms %.2f N, in the middle %.2f N; hub off by "
        "%.2f of %.1f N; across %.0f um, rms %.1f um\n",
        name, late.mean, theory - late.mean, early.mean - late.mean, late.deviation, middle.deviation, off,
        hub, 1e6 * motion.mean, 1e6 * motion.deviation);
    assert_true(fabs(late.mean / theory - 1.0) < 0.01 && off < 0.01 * hub);
    assert_true(fabs(early.mean - late.mean) < 0.002 * theory && early.most - early.least < 0.012 * theory);
    assert_true(middle.deviation < 0.015 * theory);
    assert_true(fabs(speed.mean / p->speed - 1.0) < 2e-4);
    assert_true(motion.deviation < 20e-6);
  }
  double given = segments_energy(&r, "crank.motion");
  double normal = segments_energy(&r, ".normal damping") / given, slip = segments_energy(&r, ".slip") / given;
  double loss = 0.0;
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) loss += statics.pulleys[k].loss;
  print_message(
      "  normal damping %.3f %%, slip %.3f %% (creep theory %.3f %%), residual %.1e of the load work\n",
      100.0 * normal, 100.0 * slip, 100.0 * loss * 0.08 / given, segments_residual(&r));
  assert_true(normal > 0.0 && normal < 3e-3);
  assert_true(segments_residual(&r) < 1e-3);
  test_result_close(&r);
  test_system_close(&s);
}

/* A pulley held, the other one pulled backwards with 25 N m: 250 N between the spans. Nothing creeps. */
static void at_rest_nothing_creeps(void **state)
{
  (void)state;
  test_result r = segments_run(SEGMENTS_TWO, "segments: 60",
                               "torques: [[0 rad/s, 0 N m], [100 rad/s, 2000 N m]], over_time: [[0.01 s, 0 N "
                               "m], [0.2 s, 25 N m]]",
                               "speeds: [[0 s, 0 rad/s], [1 s, 0 rad/s]]", "{transient: {until: 2 s}}");
  segments_mean tight = segments_of(&r, "span", "driven", "tension", 1.0, 2.0);
  segments_mean slack = segments_of(&r, "span", "driver", "tension", 1.0, 2.0);
  int64_t n;
  double *angle = test_values(&r, "transient", "pulley.driven.angle", &n);
  double turned = angle[n - 1] - angle[n / 2], all = angle[n - 1];
  print_message("  tensions %.2f and %.2f N; the pulley turned by %.4g rad, from 1 s to 2 s by %.2g rad\n",
                tight.mean, slack.mean, all, turned);
  assert_true(fabs(tight.mean - slack.mean - 250.0) < 2.0);
  assert_true(fabs(all) > 1e-3 && fabs(turned) < 2e-6);
  free(angle);
  test_result_close(&r);
}

/* The same model file with springs, one key away. */
static void springs_agree(void **state)
{
  (void)state;
  test_result r[2] = {segments_run(SEGMENTS_SIX, SEGMENTS, AT_2000, "{transient: {until: 0.26 s}}"),
                      segments_run(SEGMENTS_SIX, "model: springs, segments: 194", AT_2000,
                                   "{transient: {until: 0.26 s, method: midpoint}}")};
  for (int k = 0; k < SEGMENTS_PULLEYS; k++) {
    const char *name = segments_names[k];
    segments_mean tension[2], x[2], y[2];
    for (int i = 0; i < 2; i++) {
      tension[i] = segments_of(&r[i], "span", name, "tension", 0.21, 0.26);
      x[i] = segments_of(&r[i], "pulley", name, "hub_x", 0.21, 0.26);
      y[i] = segments_of(&r[i], "pulley", name, "hub_y", 0.21, 0.26);
    }
    double hub = hypot(x[1].mean, y[1].mean), off = hypot(x[0].mean - x[1].mean, y[0].mean - y[1].mean);
    print_message("  %-13s segments %.2f N, springs %.2f N; hubs differ by %.2f of %.1f N\n", name,
                  tension[0].mean, tension[1].mean, off, hub);
    assert_true(fabs(tension[0].mean / tension[1].mean - 1.0) < 0.01 && off < 0.01 * hub);
  }
  test_result_close(&r[0]);
  test_result_close(&r[1]);
}

/* A pulley that weighs next to nothing is stopped and driven by the dampers of the contact, far above
 * critical: the step follows them, and the balance closes. */
static void light_pulleys_are_balanced(void **state)
{
  (void)state;
  static const char heavy[] = "diameter: 130 mm, inertia: 1e-3 kg m2";
  static const char *const light[] = {"1e-5", "3e-6", "1e-6", "1e-7"};
  char text[8000];
  snprintf(text, sizeof text, SEGMENTS_SIX, SEGMENTS, AT_2000, "{transient: {until: 0.21 s}}");
  char *at = strstr(text, heavy);
  assert_non_null(at);
  for (int k = 0; k < 4; k++) {
    memcpy(at + sizeof heavy - sizeof "1e-3 kg m2", light[k], 4);
    test_result r = test_result_run(text);
    print_message("  a pulley of %s kg m2: residual %.1e of the load work\n", light[k],
                  segments_residual(&r));
    assert_true(segments_residual(&r) < 1e-3);
    test_result_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_laid_along_the_path),  cmocka_unit_test(steady_running),
      cmocka_unit_test(at_rest_nothing_creeps),     cmocka_unit_test(springs_agree),
      cmocka_unit_test(light_pulleys_are_balanced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
