/* The reference curve of a ring: up to which ratio it exists, and that it closes there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drives/pushbelt/ring/ring_ale.h"
#include "drives/pushbelt/ring/ring_layout.h"

#include <math.h>
#include <string.h>

/* Length over distance of the axes on both sides of pi, where what ends the range changes. */
static const struct {
  double length, distance, most;
} rings[] = {{667e-3, 155e-3, 0.99},   {668e-3, 250e-3, 0.99},    {668e-3, 320e-3, 0.99},
             {668e-3, 212.6e-3, 0.99}, {667e-3, 70e-3, 0.486599}, {2.0, 10e-3, 0.0157911}};

static double length_of(const cap_ring_frame *f)
{
  double strands = 4.0 * (f->c.d[0] - f->a.d[0]) / 2.0, psi = f->psi.d[0];
  return strands + 2.0 * f->rS.d[0] * (M_PI_2 - psi) + 2.0 * f->rP.d[0] * (M_PI_2 + psi);
}

static void curves_close_up_to_the_largest_ratio(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof rings / sizeof *rings; k++) {
    cap_arena arena = {0};
    cap_ring_reference ref;
    assert_true(cap_ring_reference_create(&ref, rings[k].length, rings[k].distance, &arena));
    assert_true(fabs(ref.theta_most / rings[k].most - 1.0) < 1e-5);
    for (int i = -40; i <= 40; i++) {
      double theta = ref.theta_most * i / 40.0;
      cap_ring_frame f;
      cap_ring_reference_at(&ref, theta, &f);
      assert_true(f.rS.d[0] > 0.0 && f.rP.d[0] > 0.0 && f.c.d[0] > f.a.d[0]);
      assert_true(fabs(length_of(&f) - ref.length) < 1e-12);
      assert_true(fabs((f.rP.d[0] - f.rS.d[0]) / (f.rP.d[0] + f.rS.d[0]) - theta) < 1e-12);
      if (rings[k].most < 0.99) continue; /* whose first guess of the strands' angle is beyond 90 deg */
      cap_ring_layout l = cap_ring_layout_of(ref.length, ref.distance, theta);
      assert_true(fabs(l.r_s - f.rS.d[0]) < 1e-10 && fabs(l.r_p - f.rP.d[0]) < 1e-10);
    }
    cap_arena_free(&arena);
  }
}

static cap_ring_shape ring_of(double distance, double theta)
{
  return (cap_ring_shape){.model = "ale",
                          .name = "ring",
                          .section = {.EA = 1e6, .EI = 1.0, .mass = 0.1},
                          .length = 668e-3,
                          .centre_distance = distance,
                          .theta = theta,
                          .nodes = 40};
}

/* Axes farther apart than length/pi were refused at every ratio. */
static void the_range_of_ratios_is_told(void **state)
{
  (void)state;
  cap_ring_shape shape = ring_of(250e-3, 0.0);
  assert_null(cap_ring_obstacle(&shape).text);
  shape = ring_of(250e-3, 0.985);
  assert_null(cap_ring_obstacle(&shape).text);
  const double distances[] = {70e-3, 155e-3, 250e-3};
  for (int k = 0; k < 3; k++) {
    shape = ring_of(distances[k], 0.999);
    cap_ring_fault fault = cap_ring_obstacle(&shape);
    assert_string_equal(fault.member, "theta");
    shape.theta = 0.9999 * fault.most;
    assert_null(cap_ring_obstacle(&shape).text);
    shape.theta = -1.0001 * fault.most;
    assert_string_equal(cap_ring_obstacle(&shape).member, "theta");
  }
}

static void faults_name_their_member(void **state)
{
  (void)state;
  cap_ring_shape shape = ring_of(334e-3, 0.0);
  assert_string_equal(cap_ring_obstacle(&shape).member, "centre_distance");
  shape = ring_of(155e-3, 0.0);
  shape.nodes = 3;
  assert_string_equal(cap_ring_obstacle(&shape).member, "nodes");
  shape.model = "none";
  assert_string_equal(cap_ring_obstacle(&shape).member, "model");
  shape = ring_of(0.0, 0.0);
  assert_string_equal(cap_ring_obstacle(&shape).member, "lock_theta");
  shape.lock_theta = shape.lock_travel = shape.lock_deformation = true;
  assert_string_equal(cap_ring_obstacle(&shape).member, "lock");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_close_up_to_the_largest_ratio),
      cmocka_unit_test(the_range_of_ratios_is_told),
      cmocka_unit_test(faults_name_their_member),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
