/* verify/test_hubs.c — pulleys on compliant hubs: statics, modes and transients against closed forms, and the
 * two ways to describe a hub against each other (theory §30.3). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/system.h"

#include "../support/belt.h"
#include "../support/tangents.h"
#include "analysis/statics/equilibrium.h"
#include "drives/accessory/belt/belt_modes.h"
#include "drives/accessory/belt/belt_statics.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>

#define assert_near(found, expected, tolerance) check_near(found, expected, tolerance, __LINE__)

static void check_near(double found, double expected, double tolerance, int line)
{
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("line %d: %.12g differs from %.12g by %.3g", line, found, expected, fabs(found - expected));
}

/* The six-pulley drive at 2000 rpm with a hub under the alternator. */
#define DRIVE(hub)                                                                                           \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, damping: 2e-5 s}\npulleys:\n"              \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {power: 2.2 "      \
  "kW}" hub "}\n"                                                                                            \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"           \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                  \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2, load: {power: 2.5 "     \
  "kW}}\n"                                                                                                   \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: 0.5 N m s/rad}\n"                                                         \
  "crank: {speed: 2000 rpm}\nanalyses: [{modes: {}}]\n"

enum { ALTERNATOR = 2, PULLEYS = 6 };

static const cap_belt_hub *hub_of(const test_system *s)
{
  assert_non_null(cap_belt_of(s->m)->pulleys[ALTERNATOR].hub);
  return cap_belt_of(s->m)->pulleys[ALTERNATOR].hub;
}

static void statics_of(const test_system *s, bool unloaded, cap_belt_statics *found)
{
  cap_error error = {0};
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = cap_belt_of(s->m)->speed};
  which.unloaded = unloaded;
  if (unloaded) which.speed = 0.0;
  if (cap_belt_statics_solve(cap_belt_of(s->m), &which, found, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* Frequencies (Hz) of the hub by itself, ascending. */
static int alone(const cap_belt_hub *hub, double *frequency)
{
  double K[81] = {0}, M[81] = {0}, vectors[81];
  int n = 0, at[9];
  for (int i = 0; i < hub->n; i++)
    if (i != 1 || !hub->straight) at[n++] = i;
  for (int i = 0; i < n; i++) {
    M[i * (n + 1)] = hub->mass[at[i]];
    for (int j = 0; j < n; j++) K[i * n + j] = hub->K[at[i]][at[j]];
  }
  assert_int_equal(capm_eigen_symmetric(n, K, M, frequency, vectors), CAP_OK);
  for (int k = 0; k < n; k++) frequency[k] = sqrt(frequency[k]) / (2.0 * M_PI);
  return n;
}

/* Two modes along x and y are the stiffness kx, ky with that mass; and turned by 30 deg kxx, kxy, kyy. */
static void test_two_modes_are_a_stiffness(void **state)
{
  (void)state;
  const char *pairs[][2] = {
      {DRIVE(", hub: {stiffness: [5 kN/mm, 3 kN/mm], damping: [200 N s/m, 100 N s/m], mass: 4 kg}"),
       DRIVE(", hub: {modes: [{frequency: 177.94063585429427 Hz, ratio: 0.022360679774997897, shape: [1, 0], "
             "mass: 4 "
             "kg}, {frequency: 137.832223855448 Hz, ratio: 0.014433756729740645, shape: [0, 2], mass: 16 "
             "kg}]}")},
      {DRIVE(", hub: {stiffness: [4.5 kN/mm, 0.8660254037844386 kN/mm, 3.5 kN/mm], mass: 4 kg}"),
       DRIVE(", hub: {modes: [{frequency: 177.94063585429427 Hz, shape: [0.8660254037844386, 0.5], mass: 4 "
             "kg}, "
             "{frequency: 137.832223855448 Hz, shape: [-0.5, 0.8660254037844386], mass: 4 kg}]}")}};
  for (int k = 0; k < 2; k++) {
    test_system s[2] = {test_system_open(pairs[k][0]), test_system_open(pairs[k][1])};
    const cap_belt_hub *a = hub_of(&s[0]), *b = hub_of(&s[1]);
    cap_belt_statics found[2];
    assert_int_equal(b->n, 2);
    assert_false(b->straight);
    assert_near(b->axis[0], 1.0, 1e-15);
    for (int i = 0; i < 2; i++) {
      assert_near(b->mass[i], a->mass[i], 1e-12);
      for (int j = 0; j < 2; j++) {
        assert_near(b->K[i][j], a->K[i][j], 2e-3);
        assert_near(b->C[i][j], a->C[i][j], 2e-6);
      }
    }
    for (int i = 0; i < 2; i++) statics_of(&s[i], false, &found[i]);
    assert_near(found[1].pulleys[ALTERNATOR].shift_x, found[0].pulleys[ALTERNATOR].shift_x, 1e-12);
    assert_near(found[1].pulleys[ALTERNATOR].shift_y, found[0].pulleys[ALTERNATOR].shift_y, 1e-12);
    for (int i = 0; i < s[0].m->nv; i++) assert_near(s[1].d->q[i], s[0].d->q[i], 1e-11);
    for (int i = 0; i < 2; i++) test_run(&s[i], &cap_theta_midpoint_type, 1e-4, 0.02);
    for (int i = 0; i < s[0].m->nv; i++) assert_near(s[1].d->q[i], s[0].d->q[i], 1e-9);
    for (int i = 0; i < 2; i++) test_system_close(&s[i]);
  }
}

/* Any number of modes in any direction: the hub has their frequencies, and under a force it gives way by
 * the sum of shape (shape . f)/(mass omega^2). */
static void check_table(const char *text, int nmode, const double (*modes)[4])
{
  test_system s = test_system_open(text);
  const cap_belt_hub *hub = hub_of(&s);
  double frequency[9], w[CAP_BELT_HUB_MOST], shift[2], sorted[9], force[2] = {300.0, -700.0}, want[2] = {0};
  assert_int_equal(alone(hub, frequency), nmode);
  for (int k = 0; k < nmode; k++) {
    double omega = 2.0 * M_PI * modes[k][0], part = modes[k][1] * force[0] + modes[k][2] * force[1];
    int at = k;
    for (; at > 0 && sorted[at - 1] > modes[k][0]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = modes[k][0];
    for (int a = 0; a < 2; a++) want[a] += modes[k][1 + a] * part / (modes[k][3] * omega * omega);
  }
  for (int k = 0; k < nmode; k++) assert_near(frequency[k], sorted[k], 1e-9 * sorted[k]);
  assert_true(cap_belt_hub_settle(hub, force[0], force[1], w, shift));
  for (int a = 0; a < 2; a++) assert_near(shift[a], want[a], 1e-12 * hypot(want[0], want[1]));
  /* the damping is that of the ratios: 2 * ratio * omega in each mode, as a whole by the traces */
  double trace = 0.0, sum = 0.0;
  for (int i = 0; i < hub->n; i++) trace += hub->C[i][i] / hub->mass[i];
  for (int k = 0; k < nmode; k++) sum += 2.0 * 0.03 * 2.0 * M_PI * modes[k][0];
  assert_near(trace, sum, 1e-9 * sum);
  test_tangents(&s, 1e-4);
  test_run(&s, &cap_theta_midpoint_type, 1e-4, 0.02);
  assert_near(test_value(&s, "pulley.alternator.shift_x"), cap_belt_of(s.m)->pulleys[ALTERNATOR].shift_x,
              1e-9);
  assert_near(test_value(&s, "pulley.alternator.shift_y"), cap_belt_of(s.m)->pulleys[ALTERNATOR].shift_y,
              1e-9);
  test_system_close(&s);
}

#define MODE(f, x, y, m) "{frequency: " f " Hz, ratio: 0.03, shape: [" x ", " y "], mass: " m " kg}"
#define MODES(list)      DRIVE(", hub: {modes: [" list "]}")

static void test_tables_of_modes(void **state)
{
  (void)state;
  static const double one[][4] = {{150, 0.6, -0.8, 3}}, two[][4] = {{150, 1, 0.3, 3}, {260, 0.2, -0.9, 2}},
                      four[][4] = {{90, 0.1, 0.7, 5},
                                   {150, 1, 0.3, 3},
                                   {260, 0.2, -0.9, 2},
                                   {400, 0, 0.5, 4}},
                      line[][4] = {{90, 0, 0.7, 5}, {150, 0, 1, 3}, {300, 0, 0, 2}};
  check_table(MODES(MODE("150", "0.6", "-0.8", "3")), 1, one);
  check_table(MODES(MODE("150", "1", "0.3", "3") ", " MODE("260", "0.2", "-0.9", "2")), 2, two);
  check_table(MODES(MODE("90", "0.1", "0.7", "5") ", " MODE("150", "1", "0.3", "3") ", " MODE(
                  "260", "0.2", "-0.9", "2") ", " MODE("400", "0", "0.5", "4")),
              4, four);
  check_table(
      MODES(MODE("90", "0", "0.7", "5") ", " MODE("150", "0", "1", "3") ", " MODE("300", "0", "0", "2")), 3,
      line);
}

/* Static deflection = hub load / stiffness, with the belt's geometry moved;
 * at rest the tension is as asked. */
static void test_static_deflection(void **state)
{
  (void)state;
  test_system s = test_system_open(DRIVE(", hub: {stiffness: [1 kN/mm, 0.3 kN/mm, 0.8 kN/mm], mass: 4 kg}"));
  cap_belt_statics found;
  statics_of(&s, false, &found);
  const cap_belt_statics_pulley *p = &found.pulleys[ALTERNATOR];
  double det = 1e6 * 0.8e6 - 0.3e6 * 0.3e6;
  assert_near(p->shift_x, (0.8e6 * p->hub_x - 0.3e6 * p->hub_y) / det, 1e-11);
  assert_near(p->shift_y, (1e6 * p->hub_y - 0.3e6 * p->hub_x) / det, 1e-11);
  assert_true(hypot(p->shift_x, p->shift_y) > 5e-4);
  assert_near(found.path.pulley[ALTERNATOR].centre[0], 0.235 + p->shift_x, 1e-15);
  statics_of(&s, true, &found);
  for (int k = 0; k < PULLEYS; k++) assert_near(found.spans[k].tension, 350.0, 1e-5);
  test_system_close(&s);
}

/* Fixed centres: two equal pulleys, a belt shorter than its path. T = EA (L - L0)/L0 with L less by 2 u, and
 * k u = 2 T. */
static void test_fixed_drive_on_a_soft_hub(void **state)
{
  (void)state;
  belt_case c;
  cap_belt_hub hub = {.n = 2, .axis = {1.0, 0.0}, .mass = {1.0, 1.0}, .coordinate = -1};
  cap_belt *b = &c.belt;
  cap_belt_statics s;
  cap_error error = {0};
  *b = (cap_belt){.EA = 100e3, .mass = 0.1, .npulley = 2, .pulleys = c.pulleys};
  c.pulleys[0] = belt_pulley("crank", 0.0, 0.0, 0.05, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("driven", 0.4, 0.0, 0.05, CAP_BELT_GROOVE);
  for (int i = 0; i < 2; i++) c.pulleys[i].friction = 0.8;
  c.pulleys[1].hub = &hub;
  double L = 0.8 + 2.0 * M_PI * 0.05;
  b->length0 = L / 1.004;
  const double stiff[] = {1e9, 1e6, 1e5, 1e4};
  for (int k = 0; k < 4; k++) {
    hub.K[0][0] = stiff[k], hub.K[1][1] = 1e6;
    cap_belt_statics_case rest = {.arm = CAP_BELT_STATICS_FREE, .unloaded = true};
    if (cap_belt_statics_solve(b, &rest, &s, &error) != CAP_OK) fail_msg("%s", error.text);
    double tension = b->EA * (L - b->length0) / b->length0 / (1.0 + 4.0 * b->EA / b->length0 / stiff[k]);
    assert_near(s.spans[0].tension, tension, 1e-6 * tension);
    assert_near(s.pulleys[1].shift_x, -2.0 * tension / stiff[k], 1e-8 * tension / stiff[k] + 1e-13);
  }
}

/* Pulleys of different size, the smaller on a hub: its motion across the centres is coupled with its
 * rotation, two degrees of freedom, the crank held. */
static void test_two_degrees_of_freedom(void **state)
{
  (void)state;
  belt_case c;
  cap_belt_hub hub = {.n = 2, .axis = {1.0, 0.0}, .mass = {2.0, 2.0}, .coordinate = -1};
  cap_belt *b = &c.belt;
  cap_error error = {0};
  cap_belt_path path;
  cap_belt_modes m;
  *b = (cap_belt){.EA = 100e3, .mass = 0.1, .npulley = 2, .pulleys = c.pulleys};
  c.pulleys[0] = belt_pulley("crank", 0.0, 0.0, 0.12, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("driven", 0.4, 0.0, 0.03, CAP_BELT_GROOVE);
  c.pulleys[1].inertia = 1e-3;
  c.pulleys[1].hub = &hub;
  hub.K[0][0] = 3e6, hub.K[1][1] = 0.2e6;
  assert_int_equal(cap_belt_path_solve(b, 0.0, &path, &error), CAP_OK);
  double L = path.span[0].length, sine = 0.09 / 0.4, k = b->EA / L, t = 500.0, r = 0.03;
  cap_belt_modes_case which = {.belt = b, .path = &path, .tension = {t, t}, .held = true};
  assert_int_equal(cap_belt_modes_solve(&which, &m, &error), CAP_OK);
  /* span 0 runs to the driven pulley below, rising by asin(sine); span 1 back above */
  double a = 2.0 * k * r * r / 1e-3,
         bb = (0.2e6 + 2.0 * k * sine * sine + 2.0 * t * (1.0 - sine * sine) / L) / 2.0;
  double cross = 2.0 * k * r * sine / sqrt(1e-3 * 2.0), mean = 0.5 * (a + bb);
  double spread = sqrt(0.25 * (a - bb) * (a - bb) + cross * cross);
  double along = (3e6 + 2.0 * k * (1.0 - sine * sine) + 2.0 * t * sine * sine / L) / 2.0;
  double want[3] = {sqrt(mean - spread) / (2.0 * M_PI), sqrt(mean + spread) / (2.0 * M_PI),
                    sqrt(along) / (2.0 * M_PI)};
  print_message("  %.3f, %.3f and %.3f Hz; alone %.3f (hub) and %.3f (rotation)\n", want[0], want[1], want[2],
                sqrt(bb) / (2.0 * M_PI), sqrt(a) / (2.0 * M_PI));
  assert_int_equal(m.nmode, 3);
  for (int i = 0; i < 3; i++) {
    double nearest = INFINITY;
    for (int j = 0; j < 3; j++) nearest = fmin(nearest, fabs(m.frequency[j] - want[i]));
    assert_near(nearest, 0.0, 1e-9 * want[i]);
  }
  assert_near(m.share[2 * m.npart + m.npart - 1] + m.share[m.npart + m.npart - 1] + m.share[m.npart - 1], 2.0,
              1e-9); /* two of three modes' worth are the hub's */
  cap_belt_modes_free(&m);
}

/* A hub that gives way hardly at all: tensions, modes of spans and rotations are those of
 * the fixed pulley. */
static void test_stiff_hub_is_fixed(void **state)
{
  (void)state;
  test_system s[2] = {test_system_open(DRIVE("")),
                      test_system_open(DRIVE(", hub: {stiffness: [1e12 N/m, 1e12 N/m], mass: 1 kg}"))};
  cap_belt_statics found[2];
  cap_belt_modes m[2];
  cap_error error = {0};
  for (int k = 0; k < 2; k++) {
    statics_of(&s[k], false, &found[k]);
    cap_belt_modes_case about = cap_belt_modes_about(cap_belt_of(s[k].m), &found[k], 8);
    assert_int_equal(cap_belt_modes_solve(&about, &m[k], &error), CAP_OK);
  }
  for (int k = 0; k < PULLEYS; k++)
    assert_near(found[1].spans[k].tension, found[0].spans[k].tension, 1e-6 * found[0].spans[k].tension);
  for (int k = 0; k < 40; k++)
    assert_near(m[1].frequency[k], m[0].frequency[k], 1e-5 * m[0].frequency[k] + 1e-9);
  for (int k = 0; k < 2; k++) {
    cap_belt_modes_free(&m[k]);
    test_system_close(&s[k]);
  }
}

/* Rotational modes of the drive with a soft hub: the analysis of the belt and the system of springs, which
 * has EA over the unstretched length. */
static void test_modes_of_belt_and_system(void **state)
{
  (void)state;
  test_system s = test_system_open(
      DRIVE(", hub: {modes: [" MODE("150", "1", "0.3", "3") ", " MODE("260", "0.2", "-0.9", "2") "]}"));
  cap_belt_statics found;
  cap_belt_modes m;
  cap_error error = {0};
  enum { N = 8 };
  double K[100], C[100], M[N * N] = {0}, values[N], vectors[N * N];
  statics_of(&s, false, &found);
  cap_belt_modes_case about = cap_belt_modes_about(cap_belt_of(s.m), &found, 0);
  about.held = true;
  assert_int_equal(cap_belt_modes_solve(&about, &m, &error), CAP_OK);
  assert_int_equal(cap_equilibrium_stiffness(s.m, s.d, false, K, C, &error), N);
  for (int i = 0, k = 0; i < s.m->nv; i++)
    if (s.m->driven[i] < 0) M[(k++) * (N + 1)] = s.m->mass[i];
  assert_int_equal(capm_eigen_symmetric(N, K, M, values, vectors), CAP_OK);
  assert_int_equal(m.nmode, N);
  for (int k = 0; k < N; k++) {
    double f = sqrt(values[k]) / (2.0 * M_PI);
    print_message("  %.3f Hz, of the springs %.3f Hz\n", m.frequency[k], f);
    assert_near(f, m.frequency[k], 0.01 * m.frequency[k]);
  }
  cap_belt_modes_free(&m);
  test_system_close(&s);
}

/* Shaken by the crank: the hub loads lose energy in the structure, and the audit closes. */
static void test_audit_of_a_shaken_hub(void **state)
{
  (void)state;
  const char *settings[] = {"crank.orders=[{order: 2, amplitude: 0.4 deg}]"};
  test_system s = test_system_with(
      DRIVE(", hub: {stiffness: [2 kN/mm, 3 kN/mm], damping: [300 N s/m, 200 N s/m], mass: 4 kg}"), 1,
      settings);
  test_run(&s, &cap_theta_midpoint_type, 2e-5, 0.2);
  print_message("  lost in the hub %.3f J, residual %.1e\n", test_work(&s, "pulley.alternator.hub.viscous"),
                test_balance(&s, NULL));
  assert_true(test_work(&s, "pulley.alternator.hub.viscous") > 1e-3);
  assert_true(test_balance(&s, NULL) < 1e-7);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_modes_are_a_stiffness), cmocka_unit_test(test_tables_of_modes),
      cmocka_unit_test(test_static_deflection),         cmocka_unit_test(test_fixed_drive_on_a_soft_hub),
      cmocka_unit_test(test_two_degrees_of_freedom),    cmocka_unit_test(test_stiff_hub_is_fixed),
      cmocka_unit_test(test_modes_of_belt_and_system),  cmocka_unit_test(test_audit_of_a_shaken_hub),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
