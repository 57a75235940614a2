/* Geometry of a pushbelt: radii, wraps and strands of four ratios; lines beside them; scaled elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drives/pushbelt/description/pushbelt.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "laws/compression.h"

#include <math.h>

static const double distance = 155e-3, stack = 437 * 1.5e-3, over = 1.8325e-3;
static const double degree = M_PI / 180.0;

/* A belt of 437 elements of 1.5 mm about axes 155 mm apart, figures to their last digit. */
static const struct {
  double ratio, edge[2], wrap[2], strand, in_arc[2], ring[2]; /* mm, deg */
} rows[] = {{0.47, {72.727, 34.182}, {208.80, 151.20}, 150.131, {176.7, 60.1}, {75.082, 35.289}},
            {1.00, {54.988, 54.988}, {180.0, 180.0}, 155.000, {115.2, 115.2}, {56.821, 56.821}},
            {1.30, {47.633, 61.923}, {169.42, 190.58}, 154.340, {93.9, 137.3}, {49.214, 63.979}},
            {2.42, {30.986, 74.987}, {147.02, 212.98}, 148.624, {53.0, 185.8}, {31.981, 77.394}}};

static void lines_of_four_ratios(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cap_variator_line edge = cap_variator_geometry_line(stack, distance, rows[k].ratio);
    cap_variator_line ring = cap_variator_geometry_line(stack + 2.0 * M_PI * over, distance, rows[k].ratio);
    assert_true(fabs(cap_variator_geometry_length(&edge) - stack) < 1e-14);
    assert_true(fabs(edge.strand * 1e3 - rows[k].strand) < 6e-4);
    for (int p = 0; p < 2; p++) {
      assert_true(fabs(edge.r[p] * 1e3 - rows[k].edge[p]) < 6e-4);
      assert_true(fabs(edge.wrap[p] / degree - rows[k].wrap[p]) < 6e-3);
      assert_true(fabs(edge.r[p] * edge.wrap[p] / 1.5e-3 - rows[k].in_arc[p]) < 0.06);
      assert_true(fabs(ring.r[p] * 1e3 - rows[k].ring[p]) < 6e-4);
    }
  }
}

/* All lines of a belt have the same wraps and strands; their lengths differ by 2 pi times the distance. */
static void lines_beside_each_other(void **state)
{
  (void)state;
  cap_variator_line edge = cap_variator_geometry_line(stack, distance, 1.7);
  cap_variator_line ring = cap_variator_geometry_beside(&edge, over);
  cap_variator_line same = cap_variator_geometry_around(ring.r[0], ring.r[1], distance);
  assert_true(fabs(cap_variator_geometry_length(&ring) - stack - 2.0 * M_PI * over) < 1e-15);
  assert_true(fabs(same.strand - edge.strand) < 1e-15 && fabs(same.wrap[0] - edge.wrap[0]) < 1e-14);
}

static void no_line_where_there_is_none(void **state)
{
  (void)state;
  assert_false(isfinite(cap_variator_geometry_line(2.0, distance, 60.0).strand));
  assert_false(isfinite(cap_variator_geometry_around(20e-3, 200e-3, distance).strand));
}

/* N_E t_s = N_E0 t - nu (N_E0 - N_E): what a few thick elements take more room in the arcs is taken off. */
static void elements_are_scaled(void **state)
{
  (void)state;
  const int counts[] = {110, 218, 300, 437};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    cap_variator v = {.simulated = counts[k],
                      .real = 437,
                      .edge_correction = 2e-6,
                      .ring_length = 666.6e-3,
                      .ring_thickness = 9 * 0.185e-3};
    v.iota = capm_compression_iota(v.real, v.simulated);
    v.element.thickness = 1.5e-3;
    v.element.head_thickness = 1.515e-3;
    v.element.edge = -0.97e-3;
    v.element.saddle = 0.03e-3;
    assert_true(fabs(cap_variator_geometry_stack(&v) - stack + 2e-6 * (437 - counts[k])) < 1e-14);
    assert_true(fabs(cap_variator_geometry_head_thickness(&v, 0) -
                     cap_variator_geometry_edge_thickness(&v, 0) - v.iota * 15e-6) < 1e-17);
    assert_true(fabs(cap_variator_geometry_ring_over_edge(&v) - over) < 1e-15);
    assert_true(fabs(cap_variator_geometry_endplay(&v) - (666.6e-3 - 2.0 * M_PI * over - stack) -
                     2e-6 * (437 - counts[k])) < 1e-14);
  }
}

/* Nine basis cases: S = 1.3, mu = 0.09, wedge 11 deg. */
static void clamping_carries_the_torque(void **state)
{
  (void)state;
  const double cases[][3] = {{0.47, 30, 2924},  {1.0, 30, 3868},   {2.42, 30, 6864},
                             {0.47, 50, 4874},  {1.0, 50, 6446},   {2.42, 50, 11440},
                             {0.47, 100, 9748}, {1.0, 100, 12893}, {1.3, 100, 14884}};
  for (int k = 0; k < 9; k++) {
    cap_variator_line edge = cap_variator_geometry_line(stack, distance, cases[k][0]);
    double force = cap_variator_geometry_clamping(1.3, cases[k][1], edge.r[0], 11.0 * degree, 0.09);
    assert_true(fabs(force - cases[k][2]) < 0.6);
  }
}

/* Rocking edge, head, saddle and ear, and the points of two flanks. */
static void places_are_counted(void **state)
{
  (void)state;
  cap_variator v = {.simulated = 160, .contact.flank_points = 1};
  assert_int_equal(cap_variator_geometry_places(&v), 960);
  v.contact.flank_points = 2;
  assert_int_equal(cap_variator_geometry_places(&v), 1280);
}

/* At the least ratio the flanks run at the outer radius of the primary; the most is that of the mirror. */
static void ratios_are_those_that_fit(void **state)
{
  (void)state;
  double least, most;
  cap_variator v = {.centre_distance = distance,
                    .inner = 20e-3,
                    .outer = 78e-3,
                    .ring_length = 668e-3,
                    .ring_thickness = 9 * 0.185e-3};
  v.element.saddle = 0.03e-3;
  v.element.flank = -0.9e-3;
  assert_true(cap_variator_geometry_ratios(&v, &least, &most));
  cap_variator_line line = cap_variator_geometry_line(v.ring_length, distance, least);
  double drop = cap_variator_geometry_ring_height(&v) - v.element.flank;
  assert_true(line.r[0] - drop <= v.outer && line.r[0] - drop > v.outer - 0.15e-3);
  assert_true(fabs(least * most - 1.0) < 1e-9);
  v.outer = 50e-3;
  assert_false(cap_variator_geometry_ratios(&v, &least, &most));
}

/* At the ends of the range the flanks run at the inner radius, or at the outer one, or the arcs touch; the
 * ends of a message's range are inside of it. */
static void distances_are_those_that_fit(void **state)
{
  (void)state;
  const struct {
    double ratio, outer;
  } cases[] = {{1.0, 78e-3}, {1.0, 50e-3}, {0.5, 78e-3}, {3.2, 78e-3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double least, most;
    cap_variator v = {.inner = 20e-3, .outer = cases[k].outer, .ring_length = 668e-3};
    v.ring_thickness = 9 * 0.185e-3;
    v.element.saddle = 0.03e-3;
    v.element.flank = -0.9e-3;
    double drop = cap_variator_geometry_ring_height(&v) - v.element.flank;
    assert_true(cap_variator_geometry_distances(&v, cases[k].ratio, &least, &most));
    cap_variator_line near = cap_variator_geometry_line(v.ring_length, least, cases[k].ratio);
    cap_variator_line far = cap_variator_geometry_line(v.ring_length, most, cases[k].ratio);
    double large = fmax(near.r[0], near.r[1]) - drop, both = near.r[0] + near.r[1] - 2.0 * drop;
    assert_true(large < v.outer + 1e-12 && both < least + 1e-12);
    assert_true(fabs(large - v.outer) < 1e-12 || fabs(both - least) < 1e-12);
    assert_true(fabs(fmin(far.r[0], far.r[1]) - drop - v.inner) < 1e-12);
    double inside = cap_pushbelt_inward(least, true), too = cap_pushbelt_inward(most, false);
    assert_true(inside >= least && inside < least * 1.001 && too <= most && too > most * 0.999);
  }
  cap_variator v = {.inner = 70e-3, .outer = 78e-3, .ring_length = 668e-3, .ring_thickness = 1.6e-3};
  double least, most;
  assert_false(cap_variator_geometry_distances(&v, 1.0, &least, &most));
}

static void ends_of_ranges_are_inside(void **state)
{
  (void)state;
  assert_true(cap_pushbelt_inward(0.0 / 1.0, true) == 0.0 && isinf(cap_pushbelt_inward(INFINITY, false)));
  assert_true(fabs(cap_pushbelt_inward(0.12761, true) - 0.1277) < 1e-12);
  assert_true(fabs(cap_pushbelt_inward(0.12769, false) - 0.1276) < 1e-12);
  assert_true(fabs(cap_pushbelt_inward(-2.30051, true) + 2.3) < 1e-12);
  assert_true(fabs(cap_pushbelt_inward(-2.30051, false) + 2.301) < 1e-12);
  assert_true(fabs(cap_pushbelt_inward(265e-3, false) - 265e-3) < 1e-15); /* rounding errors do not count */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_four_ratios),        cmocka_unit_test(lines_beside_each_other),
      cmocka_unit_test(no_line_where_there_is_none), cmocka_unit_test(elements_are_scaled),
      cmocka_unit_test(clamping_carries_the_torque), cmocka_unit_test(places_are_counted),
      cmocka_unit_test(ratios_are_those_that_fit),   cmocka_unit_test(distances_are_those_that_fit),
      cmocka_unit_test(ends_of_ranges_are_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
