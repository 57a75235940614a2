/* unit/test_film.c — films: which rows are frames, families and their members, and that they hold what the
 * table holds. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/run.h"

#define MASS TEST_BELT TEST_MASING
/* 1001 rows */
#define RUN "analyses: [{transient: {until: 1 s, method: midpoint, step: 1 ms}}]\n"

/* Two pulleys, one on a hub that gives way. */
#define SEGMENTS(model)                                                                                      \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1.1938 m, length_is: pitch, stiffness: 7600 N, mass: 0.872 kg/m, bending: "    \
  "1.27e-3 N m2, friction: {groove: 0.5}, model: " model "}\npulleys:\n"                                     \
  "- {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2}\n"             \
  "- {name: driven, at: [0.314 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2, mass: 1 "  \
  "kg, hub: {stiffness: [1e6 N/m, 1e6 N/m]}, load: {torque: 5 N m}}\n"                                       \
  "crank: {pulley: driver, speed: 12 rad/s}\n"

#define VARIATOR                                                                                             \
  "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 40}\nprimary: {speed: 2000 "      \
  "rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n"

static const cap_results_dataset *dataset(const test_result *r, const char *group, const char *name)
{
  return cap_results_tree_dataset(test_group(r, group), name);
}

/* Frames of a film: rows 0, stride, 2 stride ... and the last one, of a column that both have. */
static void check_frames(const test_result *r, const char *group, const char *column, int64_t nframe,
                         int64_t stride)
{
  int64_t nrow, n, ntime;
  char name[128];
  snprintf(name, sizeof name, "film.%s", column);
  double *rows = test_values(r, group, column, &nrow), *film = test_values(r, group, name, &n);
  double *time = test_values(r, group, "time", NULL), *when = test_values(r, group, "film.time", &ntime);
  assert_int_equal(n, nframe);
  assert_int_equal(ntime, nframe);
  for (int64_t f = 0; f < n; f++) {
    int64_t row = f + 1 == n ? nrow - 1 : f * stride;
    assert_true(row < nrow && film[f] == rows[row] && when[f] == time[row]);
  }
  free(rows), free(film), free(time), free(when);
}

static void frames_are_rows(void **state)
{
  (void)state;
  static const struct {
    const char *outputs;
    int64_t nframe, stride;
  } cases[] = {{"", 1001, 1}, /* as many rows as there are, below 4000 */
               {"outputs: {film: 5000}\n", 1001, 1},
               {"outputs: {film: 1001}\n", 1001, 1},
               {"outputs: {film: 1000}\n", 501, 2},
               {"outputs: {film: 300}\n", 251, 4},
               {"outputs: {film: 8}\n", 8, 143}, /* 143 * 7 = 1001: the last is a row nearer */
               {"outputs: {film: 2}\n", 2, 1000},
               {"outputs: {film: 1}\n", 2, 1000}, /* first and last in any case */
               {"outputs: {every: 0.1 ms}\n", 3335, 3},
               {"outputs: {every: 2 s}\n", 2, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2048];
    snprintf(text, sizeof text, MASS RUN "%s", cases[k].outputs);
    test_result r = test_result_run(text);
    check_frames(&r, "transient", "belt.tension", cases[k].nframe, cases[k].stride);
    check_frames(&r, "transient", "mass.position", cases[k].nframe, cases[k].stride);
    test_result_close(&r);
  }
}

static void none_when_none_is_asked_for(void **state)
{
  (void)state;
  test_result r = test_result_run(MASS RUN "outputs: {film: 0}\n");
  assert_null(dataset(&r, "transient", "film.time"));
  assert_null(dataset(&r, "transient", "film.belt.tension"));
  test_result_close(&r);
}

/* Whatever channels were asked for. */
static void a_film_needs_no_columns(void **state)
{
  (void)state;
  test_result all = test_result_run(MASS RUN);
  test_result few = test_result_run(MASS RUN "outputs: {channels: [load.force]}\n");
  assert_null(dataset(&few, "transient", "belt.tension"));
  int64_t n, m;
  double *a = test_values(&all, "transient", "film.belt.tension", &n);
  double *b = test_values(&few, "transient", "film.belt.tension", &m);
  assert_int_equal(n, m);
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
  free(a), free(b);
  test_result_close(&all);
  test_result_close(&few);
}

static void one_period_and_equilibria_have_films(void **state)
{
  (void)state;
  test_result r = test_result_run(MASS "analyses: [{periodic: {samples: 100}}]\n");
  check_frames(&r, "periodic", "tensioner.deflection", 101, 1);
  test_result_close(&r);
  r = test_result_run("capstan: 1\nname: t\ndrive: push-force-tester\nelements: {simulated: 10}\n"
                      "press: {compression: 0.005, time: 1 s}\n"
                      "analyses: [{quasistatic: {until: 1 s, steps: 6}}]\noutputs: {film: 4}\n");
  check_frames(&r, "quasistatic", "clamp.force", 4, 2);
  const cap_results_dataset *x = dataset(&r, "quasistatic", "film.element.*.x");
  assert_non_null(x);
  assert_int_equal(x->dims[1], 11);
  test_result_close(&r);
}

/* ---- interrupted runs ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop;

/* Stops a run behind a half of it. */
static void stop_half_way(void *self, const char *what, double done, double total, const char *detail)
{
  (void)self, (void)what, (void)detail;
  if (done > 0.4995 * total) stop = 1;
}

/* What was computed so far can be looked at. */
static void an_interrupted_run_has_its_film_so_far(void **state)
{
  (void)state;
  char folder[] = "/tmp/capstan-film-XXXXXX", path[64];
  cap_progress progress = {.report = stop_half_way, .stop = &stop};
  cap_execute_options options = {.threads = 1, .progress = &progress};
  cap_error error = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  test_system s = test_system_open(MASS RUN "outputs: {film: 101}\n");
  stop = 0;
  assert_int_equal(cap_execute_file(s.file, path, &options, NULL, 0, &error), CAP_STOPPED);
  assert_non_null(strstr(error.text, "interrupted"));
  test_system_close(&s);
  test_result r = test_result_open(path);
  int64_t nrow, nframe;
  double *rows = test_values(&r, "transient", "belt.tension", &nrow);
  double *film = test_values(&r, "transient", "film.belt.tension", &nframe);
  assert_int_equal(nrow, 501);
  assert_int_equal(nframe, 51);
  for (int64_t f = 0; f < nframe; f++) assert_true(film[f] == rows[10 * f]);
  free(rows), free(film);
  test_result_close(&r);
}

/* ---- families ------------------------------------------------------------------------------------------ */

/* Column c of a family against a column of the table. */
static void check_member(const test_result *r, const char *family, int c, int members, const char *column)
{
  int64_t n, nrow;
  const cap_results_dataset *d = dataset(r, "transient", family);
  if (!d) fail_msg("no %s", family);
  double *film = test_values(r, "transient", family, &n), *rows = test_values(r, "transient", column, &nrow);
  assert_int_equal(d->rank, 2);
  assert_int_equal(d->dims[1], members);
  assert_string_equal(d->axes, "film.time,");
  assert_string_equal(d->unit, dataset(r, "transient", column)->unit);
  assert_int_equal(d->dims[0], nrow);
  for (int64_t k = 0; k < nrow; k++)
    if (film[k * members + c] != rows[k]) fail_msg("%s of %s differs at row %d", family, column, (int)k);
  free(film), free(rows);
}

static void members_stand_side_by_side(void **state)
{
  (void)state;
  test_result r = test_result_run(
      SEGMENTS("segments, segments: 30") "analyses: [{transient: {until: 10 ms, settle: 0 s}}]\n"
                                         "outputs: {every: 1 ms, channels: [\"*\"]}\n");
  check_member(&r, "film.span.*.tension", 1, 2, "span.driven.tension");
  check_member(&r, "film.pulley.*.hub_x", 0, 2, "pulley.driver.hub_x");
  check_member(&r, "film.pulley.*.shift_x", 0, 1, "pulley.driven.shift_x"); /* a family of one is one, too */
  check_member(&r, "film.node.*.y", 29, 30, "node[29].y");
  check_member(&r, "film.segment.*.slip", 7, 30, "segment[7].slip");
  check_member(&r, "film.segment.*.normal_force", 3, 30, "segment[3].normal_force");
  assert_string_equal(test_text(&r, "transient", "film.members.pulley"), "driver,driven");
  assert_string_equal(test_text(&r, "transient", "film.members.pulley.shift_x"), "driven");
  assert_string_equal(test_text(&r, "transient", "film.members.span"), "driver,driven");
  assert_null(dataset(&r, "transient", "film.members.pulley.hub_x")); /* those of its kind */
  assert_null(dataset(&r, "transient", "film.members.node"));         /* 0, 1, 2 ... */
  assert_string_equal(dataset(&r, "transient", "film.span.*.tension")->long_name,
                      "tension of the span after *");
  assert_string_equal(dataset(&r, "transient", "film.node.*.x")->long_name, "position along x of node *");
  test_result_close(&r);
}

/* The angle of steady running is not in the coordinate: the layout has its speed. */
static void steady_pulleys_say_from_what_they_count(void **state)
{
  (void)state;
  test_result r = test_result_run(SEGMENTS("springs") "analyses: [{transient: {until: 1 ms}}]\n");
  double *base = test_values(&r, "layout", "pulley.base", NULL);
  assert_true(fabs(base[0] - 12.0) < 1e-12 && base[1] < 12.0 && base[1] > 11.8); /* creep */
  free(base);
  test_result_close(&r);
  r = test_result_run(
      SEGMENTS("segments, segments: 30") "analyses: [{transient: {until: 1 ms, settle: 0 s}}]\n");
  base = test_values(&r, "layout", "pulley.base", NULL);
  assert_true(base[0] == 0.0 && base[1] == 0.0);
  free(base);
  test_result_close(&r);
}

/* ---- stationary points --------------------------------------------------------------------------------- */

static void a_point_is_a_frame(void **state)
{
  (void)state;
  int64_t n, last;
  test_result r = test_result_run(
      VARIATOR "analyses: [{stationary: {lead: 0, average: 0.05, until: 0.05, cases: [{name: a}, "
               "{name: fewer, set: [elements.simulated=30]}, {name: b, set: [secondary.torque=-30 N m]}]}}]\n"
               "outputs: {channels: [ratio.*, element.3.x]}\n");
  const cap_results_dataset *x = dataset(&r, "stationary", "film.element.*.x");
  assert_non_null(x);
  assert_int_equal(x->dims[0], 3);
  assert_int_equal(x->dims[1], 40);
  double *film = test_values(&r, "stationary", "film.element.*.x", &n);
  double *time = test_values(&r, "stationary", "film.time", NULL);
  double *course = test_values(&r, "stationary", "time", &last);
  double *rows = test_values(&r, "stationary", "element[3].x", NULL);
  double *points = test_values(&r, "stationary", "point", NULL);
  for (int k = 0; k < 3; k++) {
    int64_t row = last - 1;
    while (points[row] > k) row--;
    assert_true(time[k] == course[row]);
    if (k == 1) assert_true(isnan(film[k * 40 + 3])); /* of another structure */
    else assert_true(film[k * 40 + 3] == rows[row]);
  }
  free(film);
  film = test_values(&r, "fewer", "film.element.*.x", &n); /* its own group has it */
  assert_int_equal(n, 30);
  assert_true(isfinite(film[0]));
  free(film), free(time), free(course), free(rows), free(points);
  test_result_close(&r);
}

/* ---- modes --------------------------------------------------------------------------------------------- */

/* Small motions of what a picture shows, by mode. */
static void modes_swing_about_the_rest(void **state)
{
  (void)state;
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: a, mass: 1 kg, position: 0.3 m}, "
      "{name: b, mass: 2 kg}]\nsprings: [{from: a, stiffness: 5 N/m}, {from: a, to: b, stiffness: 7 N/m}]\n"
      "clearances: [{gap: {from: b, stiffness: 4 N/m, inner: 1, low: -1 m, high: 1 m}}]\n"
      "loads: [{on: a, harmonics: [{amplitude: 0.3 N}]}]\nforcing: {angular_frequency: 20 rad/s}\n"
      "analyses: [{modes: {}}]\n");
  double *shape = test_values(&r, "modes", "shape", NULL),
         *mode = test_values(&r, "modes", "swing.mode", NULL);
  double *a = test_values(&r, "modes", "swing.a.position", NULL);
  double *b = test_values(&r, "modes", "swing.b.position", NULL);
  double *force = test_values(&r, "modes", "swing.clearance.force", NULL);
  assert_true(a[0] == 0.3 && b[0] == 0.0 && mode[0] == 0.0); /* as they are */
  for (int k = 0; k < 2; k++) {
    assert_true(mode[k + 1] == k + 1);
    assert_true(fabs(a[k + 1] - shape[k]) < 1e-8 && fabs(b[k + 1] - shape[2 + k]) < 1e-8);
    assert_true(fabs(force[k + 1] - 4.0 * shape[2 + k]) < 1e-6);
  }
  free(shape), free(mode), free(a), free(b), free(force);
  test_result_close(&r);
}

/* ---- drives -------------------------------------------------------------------------------------------- */

/* What pictures of a drive are drawn from, in its film. */
static void drives_have_what_pictures_need(void **state)
{
  (void)state;
  static const struct {
    const char *text, *film[6], *facts[6];
  } drives[] = {
      {VARIATOR "analyses: [{transient: {until: 0.1 ms}}]\n",
       {"film.element.*.push", "film.element.*.slide", "film.segment.*.tension", "film.primary.angle",
        "film.element.*.ring_slide"},
       {"element.saddle_height", "pulley.half_wedge_angle", "pulley.primary.radius", "ring.thickness",
        "elements.real"}},
      {"capstan: 1\nname: t\ndrive: sheave\npulley: {speed: 2000 rpm}\nbelt: {elements: 16, wrap: 200 deg, "
       "flank_stiffness: 5.46e7 N/m, radius: {shape: constant, radius: 73 mm}}\n"
       "compliance: {kind: tilt+plate}\nclamping: {force: 8 kN}\n"
       "analyses: [{transient: {until: 0.1 ms}}]\n",
       {"film.element.*.movable", "film.sheave.axial_travel", "film.sheave.tilt_centre"},
       {"pulley.outer_radius", "belt.wrap_angle"}},
      {"capstan: 1\nname: t\ndrive: rolling-body\n"
       "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, circle: 0.5 m}}]\n"
       "analyses: [{transient: {until: 0.1 s}}]\n",
       {"film.disc.x", "film.disc.e3", "film.disc.contact.y", "film.disc.force.normal"},
       {"kinds", "body.radius", "ground.slope"}},
      {"capstan: 1\nname: t\ndrive: bodies\nbodies:\n"
       "  - disc: {name: ball, mass: 1 kg, radius: 50 mm, y: 0.06 m, vx: 1 m/s}\n"
       "lines: [{line: {name: floor}}]\ncontact: {law: set-valued, restitution: 0.5, friction: 0.3}\n"
       "analyses: [{transient: {until: 0.1 s}}]\n",
       {"film.ball.angle", "film.'ball-floor'.contact.x", "film.'ball-floor'.force.normal"},
       {"contact.names", "shape.radius"}},
      {"capstan: 1\nname: t\ndrive: clearance-oscillator\n"
       "bodies: [{name: gear, mass: 1 g}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
       "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1 m, high: 0.2 m}}]\n"
       "loads: [{on: gear, harmonics: [{amplitude: 0.3 N}]}]\nforcing: {angular_frequency: 20 rad/s}\n"
       "analyses: [{transient: {until: 0.1 s}}]\n",
       {"film.gear.position", "film.clearance.force"},
       {"clearance.low", "clearance.high", "spring.to", "body.mass"}},
      {TEST_RIG TEST_DAHL "analyses: [{transient: {until: 0.1 s}}]\n",
       {"film.tensioner.force", "film.tensioner.deflection"},
       {"law", "law.a", "law.e"}}};
  for (size_t k = 0; k < sizeof drives / sizeof *drives; k++) {
    test_result r = test_result_run(drives[k].text);
    for (int i = 0; i < 6 && drives[k].film[i]; i++)
      if (!dataset(&r, "transient", drives[k].film[i])) fail_msg("no %s", drives[k].film[i]);
    for (int i = 0; i < 6 && drives[k].facts[i]; i++)
      if (!dataset(&r, "scene", drives[k].facts[i])) fail_msg("no %s", drives[k].facts[i]);
    test_result_close(&r);
  }
}

static void gaps_of_clearances_are_where_they_are_soft(void **state)
{
  (void)state;
  test_result r = test_result_run(
      "capstan: 1\nname: t\ndrive: clearance-oscillator\nbodies: [{name: a, mass: 1 kg}, {name: b, mass: 2 "
      "kg}]\nclearances:\n"
      "- gap: {from: a, to: b, stiffness: 3 N/m, low: -0.1 m, high: 0.2 m}\n"
      "- stages: {from: b, left: 0 N/m, stages: [{at: 0.3 m, stiffness: 5 N/m}]}\n"
      "loads: [{on: a, harmonics: [{amplitude: 0.3 N}]}]\nforcing: {angular_frequency: 20 rad/s}\n"
      "analyses: [{transient: {until: 0.1 s}}]\n");
  double *low = test_values(&r, "scene", "clearance.low", NULL);
  double *high = test_values(&r, "scene", "clearance.high", NULL);
  double *right = test_values(&r, "scene", "clearance.right", NULL);
  assert_true(low[0] == -0.1 && high[0] == 0.2 && isnan(low[1]) && high[1] == 0.3);
  assert_true(right[0] == 3.0 && right[1] == 5.0);
  assert_string_equal(test_text(&r, "scene", "clearance.to"), "b,-");
  assert_string_equal(test_text(&r, "scene", "clearance.names"), "clearance1,clearance2");
  free(low), free(high), free(right);
  test_result_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_rows),
      cmocka_unit_test(none_when_none_is_asked_for),
      cmocka_unit_test(a_film_needs_no_columns),
      cmocka_unit_test(one_period_and_equilibria_have_films),
      cmocka_unit_test(an_interrupted_run_has_its_film_so_far),
      cmocka_unit_test(members_stand_side_by_side),
      cmocka_unit_test(steady_pulleys_say_from_what_they_count),
      cmocka_unit_test(a_point_is_a_frame),
      cmocka_unit_test(modes_swing_about_the_rest),
      cmocka_unit_test(drives_have_what_pictures_need),
      cmocka_unit_test(gaps_of_clearances_are_where_they_are_soft),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
