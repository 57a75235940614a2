/* Velocities at the start of the drive rolling-body: what is not given follows from rolling, what does not
 * roll is projected when asked; warnings that do not stop a run. (What is refused: tests/bad/rolling.cases.)
 */
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

#define HEAD "capstan: 2\nname: start\ndrive: rolling-body\n"
#define TAIL "analyses: [{transient: {until: 1 s}}]\n"

static double rate(const test_system *s, const char *dof)
{
  for (int i = 0; i < s->m->nv; i++)
    if (strcmp(s->m->dof_name[i], dof) == 0) return s->d->v[i];
  fail_msg("no coordinate %s", dof);
  return NAN;
}

static void rate_is(const test_system *s, const char *dof, double value)
{
  if (!(fabs(rate(s, dof) - value) <= 1e-14 * (1.0 + fabs(value))))
    fail_msg("%s: %.17g instead of %.17g", dof, rate(s, dof), value);
}

/* A steered car with its trailer: the speed alone fixes all other velocities. */
static void test_what_is_not_given(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "bodies:\n"
           "  - planar: {name: car, mass: 1000 kg, inertia: 1500 kg m2, x: 0 m, speed: 3 m/s, "
           "blades: [{name: rear}, {name: front, x: 2.5 m, angle: 20 deg}]}\n"
           "  - planar: {name: trailer, mass: 300 kg, inertia: 200 kg m2, heading: 30 deg, blades: [{}]}\n"
           "hinges: [{name: hitch, from: car, to: trailer, to_x: 2 m}]\n" TAIL);
  double turn = 3.0 / 2.5 * tan(M_PI / 9.0), c = cos(M_PI / 6.0), n = sin(M_PI / 6.0);
  rate_is(&s, "car.x", 3.0);
  rate_is(&s, "car.y", 0.0);
  rate_is(&s, "car.heading", turn);
  rate_is(&s, "trailer.heading", -3.0 / 2.0 * n);
  rate_is(&s, "trailer.x", 3.0 * c * c); /* its axle goes along its heading */
  rate_is(&s, "trailer.y", 3.0 * c * n);
  test_system_close(&s);
}

/* A sleigh that is told to turn: its blade stays where it is, the centre moves. */
static void test_least_energy(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "bodies: [{sleigh: {mass: 2 kg, inertia: 0.3 kg m2, arm: 0.25 m, heading_rate: 2 rad/s}}]\n" TAIL);
  rate_is(&s, "sleigh.x", 0.0);
  rate_is(&s, "sleigh.y", 0.5);
  rate_is(&s, "sleigh.heading", 2.0);
  test_system_close(&s);
}

static void test_ball_follows(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "ground: {angular_velocity: 2 rad/s}\n"
           "bodies: [{ball: {mass: 1 kg, radius: 0.1 m, x: 0.5 m, vx: 1 m/s, vy: 0 m/s}}]\n" TAIL);
  rate_is(&s, "ball.turned1", 10.0); /* the ground moves with 1 m/s along y: r wx = 1 m/s */
  rate_is(&s, "ball.turned2", 10.0);
  rate_is(&s, "ball.turned3", 0.0);
  rate_is(&s, "ball.z", 0.0);
  test_system_close(&s);
}

/* The disc of "disc-velocity" in tests/bad/rolling.cases, with the projection: m (v - 1)^2 + I (w + 5)^2
 * least along v = -r w. */
static void test_projected(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "start_velocity: project\n"
           "bodies: [{disc: {mass: 1 kg, radius: 0.1 m, spin: -5 rad/s, vx: 1 m/s}}]\n" TAIL);
  rate_is(&s, "disc.x", 5.0 / 6.0);
  rate_is(&s, "disc.turned3", -50.0 / 6.0);
  rate_is(&s, "disc.z", 0.0);
  test_system_close(&s);
}

/* With friction a start that slips is what is wanted: nothing is said, nothing is changed. */
static void test_slipping_start(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "contact: {epsilon: 0.01, friction: {static: 0.3}}\n"
           "bodies: [{wheel: {mass: 1 kg, radius: 0.1 m, spin: 0 rad/s, vx: 1 m/s, vy: 0 "
           "m/s, heading_rate: 0 rad/s}}]\n" TAIL);
  rate_is(&s, "wheel.x", 1.0);
  rate_is(&s, "wheel.roll", 0.0);
  test_system_close(&s);
}

/* The only warning of a model, to be compared with what is expected in it. */
static void warns(const char *text, int count, const char *part)
{
  cap_model_file *file = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  assert_non_null(diag);
  if (cap_model_file_parse("test.yaml", text, strlen(text), 0, NULL, &file, diag) != CAP_OK)
    fail_msg("%s", cap_diag_text(diag));
  if (diag->nwarning != count || !strstr(cap_diag_text(diag), part))
    fail_msg("said: %s", cap_diag_text(diag));
  cap_model_file_free(file);
  cap_diag_free(diag);
  free(diag);
}

#define SLIPS                                                                                                \
  "bodies: [{knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, vx: 1 m/s, vy: 0.5 m/s, heading_rate: 0 "          \
  "rad/s}}]\n" TAIL
#define EDGE                                                                                                 \
  "ground: {slope: 15 deg}\nbodies: [{knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, heading_rate: 2 "         \
  "rad/s}}]\n" TAIL

static void test_warnings(void **state)
{
  (void)state;
  warns(HEAD "contact: {epsilon: 0.001}\n" SLIPS, 1,
        "warning: bodies[0].knife-edge.vy: the contact starts with a slip; expected 0 m/s at edge.sideways, "
        "got 0.5 m/s");
  warns(HEAD "start_velocity: project\ncontact: {epsilon: 0.001}\n" SLIPS, 0, "");
  warns(HEAD "contact: {epsilon: 1e-6}\n" EDGE, 0, "");
  warns(HEAD "contact: {epsilon: 1e-10}\n" EDGE, 1,
        "warning: contact.epsilon: 1e-10 is too small: rounding of the velocities (2.54 m/s)");
}

/* A disc's key circle: the rates that make it steady, at any inclination. */
static void test_circle(void **state)
{
  (void)state;
  test_system s = test_system_open(
      HEAD "bodies: [{disc: {mass: 0.44 kg, radius: 38 mm, inclination: 5 deg, circle: 0 m}}]\n" TAIL);
  double al = 5.0 * M_PI / 180.0, Om = sqrt(4.0 * 9.81 / (0.038 * sin(al)));
  rate_is(&s, "disc.x", 0.0);
  rate_is(&s, "disc.y", 0.0);
  rate_is(&s, "disc.turned1", 0.0);
  rate_is(&s, "disc.turned2", Om * sin(al));
  if (!(fabs(rate(&s, "disc.turned3")) < 1e-13 * Om)) fail_msg("w3 = %g", rate(&s, "disc.turned3"));
  test_system_close(&s);
}

/* A study that leaves rolling on its way says so. */
static void test_built_without_check(void **state)
{
  (void)state;
  test_system s = test_system_open(HEAD "bodies: [{knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, vx: 1 m/s, "
                                        "vy: 0 m/s, heading_rate: 0 rad/s}}]\n" TAIL);
  double *place = NULL;
  cap_error error = {0};
  cap_model *model = NULL;
  const cap_drive *drive = s.file->drive;
  assert_non_null(cap_fields_locate(drive->fields, s.file->spec, "bodies[0].knife-edge.vy", &place));
  *place = 0.25;
  assert_int_equal(cap_execute_build(s.file, &model, &error), CAP_ERR_INPUT);
  if (!strstr(error.text, "got a slip of 0.25 m/s at edge.sideways")) fail_msg("%s", error.text);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_not_given),
      cmocka_unit_test(test_least_energy),
      cmocka_unit_test(test_ball_follows),
      cmocka_unit_test(test_projected),
      cmocka_unit_test(test_slipping_start),
      cmocka_unit_test(test_warnings),
      cmocka_unit_test(test_circle),
      cmocka_unit_test(test_built_without_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
