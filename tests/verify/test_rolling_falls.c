/* A disc that is let go at rest falls about the tangent at its lowest point, which stays where it is:
 *   (5/4) m r^2 th'^2 / 2 = m g r (sin th0 - sin th),  so that it lies flat at the time
 *   T = int dth / sqrt((8/5) (g/r) (sin th0 - sin th)),
 * and the ground presses with N = m g (1 - (4/5) cos^2 th - (8/5) sin th (sin th0 - sin th)). Started almost
 * upright N is negative for 1/6 < sin th < 1/2: a real disc would lift off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"

#include "../support/program.h"

#include "../support/rolling.h"

static const double gravity = 9.81, mass = 2.0, radius = 0.1;

#define FALLING(inclination, until, contact)                                                                 \
  "capstan: 1\nname: falls\ndrive: rolling-body\nbodies: [{disc: {mass: 2 kg, radius: 0.1 m, "               \
  "inclination: " inclination "}}]\n" contact "analyses: [{transient: {until: " until                        \
  ", tolerance: 1e-11}}]\noutputs: {every: 2 ms}\n"

/* Midpoint rule; th = th0 - u^2 takes the singularity at the start away. */
static double fall_time(double from, double to)
{
  enum { N = 20000 };
  double h = sqrt(from - to) / N, sum = 0.0;
  for (int i = 0; i < N; i++) {
    double u = (i + 0.5) * h;
    sum += 2.0 * u * h / sqrt(1.6 * gravity / radius * (sin(from) - sin(from - u * u)));
  }
  return sum;
}

static void test_fall(void **state)
{
  (void)state;
  rolling r = {.result = test_result_run(FALLING("80 deg", "0.33 s", ""))};
  r.t = rolling_column(&r, "time");
  const double *tilt = rolling_column(&r, "disc.tilt"), *n = rolling_column(&r, "disc.force.normal");
  const double *px = rolling_column(&r, "disc.contact.x"), *py = rolling_column(&r, "disc.contact.y");
  double from = 80.0 * M_PI / 180.0, late = 0.0, heavy = 0.0, walked = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    double s = sin(tilt[i]), c = cos(tilt[i]);
    double press = mass * gravity * (1.0 - 0.8 * c * c - 1.6 * s * (sin(from) - s));
    heavy = fmax(heavy, fabs(n[i] + press) / (mass * gravity));
    walked = fmax(walked, hypot(px[i] - px[0], py[i] - py[0]));
    if (i % 15 == 14) late = fmax(late, fabs(fall_time(from, tilt[i]) - r.t[i]));
  }
  rolling_holds("falling disc, time, s", late, 1e-9);
  rolling_holds("falling disc, normal force", heavy, 1e-9);
  rolling_holds("falling disc, way of the contact, m", walked, 1e-12);
  rolling_close(&r);
}

/* Flat at 0.33254 s: whatever the method, the run ends soon after and says why. */
static void test_flat(void **state)
{
  (void)state;
  static const char *const settings[][2] = {{"contact.epsilon=0", "analyses[0].transient.method=auto"},
                                            {"contact.epsilon=0", "analyses[0].transient.method=radau"},
                                            {"contact.epsilon=1e-3", "analyses[0].transient.method=cvode"},
                                            {"contact.epsilon=1e-2", "analyses[0].transient.method=radau"}};
  program_result *r = calloc(1, sizeof *r);
  assert_non_null(r);
  program_write("falls.yaml", FALLING("80 deg", "1 s", ""));
  for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
    PROGRAM(r, "run", "falls.yaml", "-o", "falls.h5", "--force", "--set", settings[k][0], "--set",
            settings[k][1]);
    print_message("%s", r->err);
    assert_int_not_equal(r->code, 0);
    assert_non_null(strstr(r->err, "the contact of disc is lost: the disc has fallen flat"));
    const char *time = strstr(r->err, "at t = 0.3");
    assert_non_null(time);
    assert_true(fabs(atof(time + strlen("at t = ")) - 0.35) < 0.03);
  }
  free(r);
}

/* Almost upright it would lift off: said, with the time; below 60 degrees it does not. */
static void test_lifts(void **state)
{
  (void)state;
  program_result *r = calloc(1, sizeof *r);
  assert_non_null(r);
  double from = 89.0 * M_PI / 180.0, lifts = 0.0;
  program_write("lifts.yaml", FALLING("89 deg", "0.57 s", ""));
  PROGRAM(r, "run", "lifts.yaml", "-o", "lifts.h5");
  print_message("%s", r->err);
  assert_int_equal(r->code, 0);
  const char *time = strstr(r->err, "transient: from t = ");
  assert_non_null(time);
  assert_non_null(strstr(time, "the contact disc temporarily carries tension"));
  /* 1 - (4/5) (1 - s^2) - (8/5) s s0 + (8/5) s^2 = 0, the larger root */
  double s0 = sin(from), s = (1.6 * s0 + sqrt(2.56 * s0 * s0 - 1.92)) / 4.8;
  lifts = fall_time(from, asin(s));
  rolling_holds("lifts off, s", fabs(atof(time + strlen("transient: from t = ")) - lifts - 0.001), 0.00101);
  program_write("stays.yaml", FALLING("55 deg", "0.15 s", ""));
  PROGRAM(r, "run", "stays.yaml", "-o", "stays.h5");
  assert_null(strstr(r->err, "pulls"));
  free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fall),
      cmocka_unit_test_setup_teardown(test_flat, program_enter, program_leave),
      cmocka_unit_test_setup_teardown(test_lifts, program_enter, program_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
