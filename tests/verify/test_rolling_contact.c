/* The viscoelastic contact in the drive rolling-body: sticking is sticking, sliding has the closed-form
 * acceleration, redundant contacts share the load, and every ready model tends to its ideal one like
 * epsilon^2. */
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

static const double gravity = 9.81;
/* What is at rest stays there to rounding; an explicit method keeps it so within its tolerance. */
#define EXACTLY "analyses[0].transient.method=radau"

static double angle(double degrees)
{
  return degrees * M_PI / 180.0;
}

/* Below the friction angle, 1000 s: beyond the elastic displacement m g sin(a) / k it moves less than 1e-12
 * m. */
static void test_block_sticks(void **state)
{
  (void)state;
  rolling r = ROLLING_RUN("rolling_block", "analyses[0].transient.until=1000 s", "outputs.every=0.5 s",
                          EXACTLY);
  const double *x = rolling_column(&r, "resting.x"), *z = rolling_column(&r, "resting.stick.x");
  const double *f = rolling_column(&r, "resting.force.x");
  double elastic = gravity * sin(angle(20.0)) * 1e-4, off = 0.0, slipped = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    slipped = fmax(slipped, fabs(x[i] - z[i]));
    if (r.t[i] >= 1.0) off = fmax(off, fabs(x[i] - elastic)); /* settled: 100 time constants */
  }
  assert_true(r.t[r.n - 1] == 1000.0);
  rolling_holds("block beyond its elastic displacement, m", off, 1e-12);
  rolling_holds("block, way without elastic part, m", slipped, 1e-12);
  rolling_holds("block, force", fabs(f[r.n - 1] / (gravity * sin(angle(20.0))) - 1.0), 1e-12);
  rolling_close(&r);
}

/* Above it, with the friction angle at 26.6 degrees: g (sin(a) - mu cos(a)). */
static void test_block_slides(void **state)
{
  (void)state;
  rolling r = ROLLING_RUN("rolling_block", "ground.slope=35 deg");
  const double *v = rolling_column(&r, "resting.vx"), *f = rolling_column(&r, "resting.force.x");
  double a = gravity * (sin(angle(35.0)) - 0.5 * cos(angle(35.0))), off = 0.0, wrong = 0.0;
  int64_t from = r.n / 4, to = r.n - 1;
  for (int64_t i = from; i <= to; i++) {
    off = fmax(off, fabs(v[i] - v[from] - a * (r.t[i] - r.t[from])));
    wrong = fmax(wrong, fabs(f[i] - 0.5 * gravity * cos(angle(35.0))));
  }
  rolling_holds("sliding block, velocity, m/s", off, 1e-12);
  rolling_holds("sliding block, force, N", wrong, 1e-12);
  rolling_close(&r);
}

/* The pushed block stops after v0 / (g (mu cos(a) - sin(a))) and sticks there. */
static void test_block_stops(void **state)
{
  (void)state;
  double slow = gravity * (0.5 * cos(angle(20.0)) - sin(angle(20.0))), way = 0.5 / slow, before = 0.0;
  static const char *const epsilons[] = {"contact.epsilon=0.01", "contact.epsilon=0.005"};
  for (int k = 0; k < 2; k++) {
    rolling r = ROLLING_RUN("rolling_block", epsilons[k]);
    const double *x = rolling_column(&r, "pushed.x"), *v = rolling_column(&r, "pushed.vx");
    double off = fabs(x[r.n - 1] - way);
    rolling_holds("pushed block, at rest, m/s", fabs(v[r.n - 1]), 1e-9);
    print_message("stops %.3e m from the rigid block\n", off);
    if (k == 1) assert_true(off < 0.3 * before); /* the layers at both ends are O(epsilon^2) */
    before = off;
    rolling_close(&r);
  }
}

/* A ball thrown without spin slides for 2 v / (7 mu g), then rolls with 5/7 of its speed. */
static void test_ball_takes_up_rolling(void **state)
{
  (void)state;
  static const char model[] =
      "capstan: 1\nname: bowling\ndrive: rolling-body\n"
      "bodies: [{ball: {mass: 7 kg, radius: 11 cm, vx: 8 m/s, vy: 0 m/s, wx: 0 rad/s, wy: 0 rad/s, wz: 0 "
      "rad/s}}]\n"
      "contact: {epsilon: 1e-3, start: loaded, friction: {static: 0.2}}\n"
      "analyses: [{transient: {until: 2 s, method: radau, tolerance: 1e-9}}]\noutputs: {every: 5 ms}\n";
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  const double *v = rolling_column(&r, "ball.vx"), *wy = rolling_column(&r, "ball.w2");
  const double *slip = rolling_column(&r, "ball.slip.x"), *n = rolling_column(&r, "ball.force.normal");
  double grip = 2.0 * 8.0 / (7.0 * 0.2 * gravity), sliding = 0.0, heavy = 0.0, creep = 0.0;
  for (int64_t i = 0; i < r.n; i++) {
    heavy = fmax(heavy, fabs(n[i] + 7.0 * gravity));
    if (r.t[i] < 0.98 * grip && r.t[i] > 0.05)
      sliding = fmax(sliding, fabs(v[i] - 8.0 + 0.2 * gravity * r.t[i]));
    if (r.t[i] > 1.02 * grip) creep = fmax(creep, fabs(slip[i]));
  }
  rolling_holds("ball, velocity while it slides, m/s", sliding, 1e-10);
  rolling_holds("ball, rolls at 5/7, part", fabs(v[r.n - 1] / (8.0 * 5.0 / 7.0) - 1.0), 1e-10);
  rolling_holds("ball, spin", fabs(wy[r.n - 1] * 0.11 / v[r.n - 1] - 1.0), 1e-10);
  rolling_holds("ball, slip once it rolls, m/s", creep, 1e-9);
  rolling_holds("ball, normal force, N", heavy, 1e-9);
  rolling_close(&r);
}

/* Three blades in a row: not for ideal contacts, but springs share the load. */
static void test_redundant_blades(void **state)
{
  (void)state;
  static const char model[] =
      "capstan: 1\nname: cart\ndrive: rolling-body\nground: {slope: 10 deg}\n"
      "bodies: [{planar: {name: cart, mass: 3 kg, inertia: 0.4 kg m2, heading: 90 deg, "
      "blades: [{x: -1 m}, {x: 1 m}, {x: 0 m}]}}]\n"
      "contact: {epsilon: 0.01}\n"
      "analyses: [{transient: {until: 3 s, method: radau, tolerance: 1e-10}}]\n";
  rolling r = {.result = test_result_run(model)};
  r.t = rolling_column(&r, "time");
  const double *f[3];
  for (int k = 0; k < 3; k++) {
    char name[60];
    snprintf(name, sizeof name, "cart.blade%d.force.sideways", k + 1);
    f[k] = rolling_column(&r, name);
  }
  double pull = -3.0 * gravity * sin(angle(10.0)); /* downhill is to the right of the heading */
  print_message("shares %.6f %.6f %.6f N\n", f[0][r.n - 1], f[1][r.n - 1], f[2][r.n - 1]);
  rolling_holds("redundant blades, sum of forces",
                fabs((f[0][r.n - 1] + f[1][r.n - 1] + f[2][r.n - 1]) / pull - 1.0), 1e-12);
  rolling_holds("redundant blades, equal outer shares", fabs(f[0][r.n - 1] / f[1][r.n - 1] - 1.0), 1e-12);
  rolling_close(&r);
}

/* Largest distance of the paths of two runs of an example. */
static double apart(rolling *a, rolling *b, const char *body)
{
  char name[2][40];
  double most = 0.0;
  snprintf(name[0], sizeof name[0], "%s.x", body);
  snprintf(name[1], sizeof name[1], "%s.y", body);
  for (int k = 0; k < 2; k++) {
    const double *p = rolling_column(a, name[k]), *q = rolling_column(b, name[k]);
    for (int64_t i = 0; i < a->n; i++) most = fmax(most, fabs(p[i] - q[i]));
  }
  return most;
}

static void tends_to_ideal(const char *example, const char *body)
{
  static const char *const epsilons[] = {"contact.epsilon=0.01", "contact.epsilon=0.005"};
  static const char until[] = "analyses[0].transient.until=0.4 s", every[] = "outputs.every=10 ms";
  double far[2];
  rolling ideal = ROLLING_RUN(example, until, every);
  for (int k = 0; k < 2; k++) {
    rolling soft = ROLLING_RUN(example, until, every, "contact.start=loaded", epsilons[k]);
    far[k] = apart(&ideal, &soft, body);
    rolling_close(&soft);
  }
  rolling_close(&ideal);
  print_message("%-20s distance of the paths %.3e m, with half epsilon %.3e m: ratio %.3f\n", example, far[0],
                far[1], far[0] / far[1]);
  assert_true(far[0] / far[1] > 3.6 && far[0] / far[1] < 4.4);
}

static void test_epsilon_squared(void **state)
{
  (void)state;
  tends_to_ideal("rolling_knife_edge", "edge");
  tends_to_ideal("rolling_sleigh", "sleigh");
  tends_to_ideal("rolling_disc", "disc");
  tends_to_ideal("rolling_turntable", "ball");
  tends_to_ideal("rolling_trailer", "trailer");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_sticks),     cmocka_unit_test(test_block_slides),
      cmocka_unit_test(test_block_stops),      cmocka_unit_test(test_ball_takes_up_rolling),
      cmocka_unit_test(test_redundant_blades), cmocka_unit_test(test_epsilon_squared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
