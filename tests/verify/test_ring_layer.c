/* The layer in which a ring runs onto an elastic pulley, against the closed form of the beam on an elastic
 * foundation (docs/theory.md §46.7): sink-in all along it, the force of the entry, its limit on a rigid
 * pulley, and what meshes make of it. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/ring/ring_layout.h"
#include "drives/pushbelt/ring/ring_mesh.h"
#include "drives/pushbelt/ring/ring_pulley.h"
#include "elements/elements.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"

#include "../support/ring.h"

static const double axes = 0.155;
enum { NODES_MOST = 400, POINTS = 2608 }; /* of contact, 0.2 mm apart */

/* ---- closed form --------------------------------------------------------------------------------------- */

/* EI w'''' - N w'' + k w = N/R where x > 0, inward; curvature 1/R + w'' falling as exp(x/l) where x < 0. */
typedef struct layer {
  double complex a[2], A[2];
  double EI, N, k, R, even;
} layer;

static layer layer_of(double EI, double N, double k, double R)
{
  layer y = {.EI = EI, .N = N, .k = k, .R = R, .even = N / (R * k)};
  double complex root = csqrt(N * N - 4.0 * EI * k);
  y.a[0] = csqrt((N + root) / (2.0 * EI));
  y.a[1] = csqrt((N - root) / (2.0 * EI));
  /* A_0 + A_1 = -even,  sum A (a^2 + l a^3) = -1/R */
  double l = sqrt(EI / N);
  double complex b[2];
  for (int i = 0; i < 2; i++) b[i] = y.a[i] * y.a[i] * (1.0 + l * y.a[i]);
  y.A[0] = (-1.0 / R + y.even * b[1]) / (b[0] - b[1]);
  y.A[1] = -y.even - y.A[0];
  return y;
}

static double sink(const layer *y, double x)
{
  return creal(y->even + y->A[0] * cexp(-y->a[0] * x) + y->A[1] * cexp(-y->a[1] * x));
}

/* What presses at the entry beyond N/R: EI w'''(0) - N w'(0). */
static double entry_force(const layer *y)
{
  double complex sum = 0.0;
  for (int i = 0; i < 2; i++) sum += y->A[i] * y->a[i] * (y->N - y->EI * y->a[i] * y->a[i]);
  return creal(sum);
}

/* The closed form against its equation and conditions, by differences. */
static void closed_form_solves_its_equation(void **state)
{
  (void)state;
  static const double stiffness[] = {1e7, 1.42e9, 7.1e9};
  for (int c = 0; c < 3; c++) {
    layer y = layer_of(0.01667, 2000.0, stiffness[c], 0.034);
    const double d = 2e-5, x = 1e-3, unit = y.N / y.R, l = sqrt(y.EI / y.N);
    double w[5], z[5];
    for (int i = 0; i < 5; i++) w[i] = sink(&y, x + (i - 2) * d), z[i] = sink(&y, (i - 2) * d);
    double w4 = (w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4]) / pow(d, 4.0);
    double w2 = (w[1] - 2.0 * w[2] + w[3]) / (d * d);
    double z2 = (z[1] - 2.0 * z[2] + z[3]) / (d * d);
    double z3 = (z[4] - 2.0 * z[3] + 2.0 * z[1] - z[0]) / (2.0 * pow(d, 3.0));
    assert_true(fabs(y.EI * w4 - y.N * w2 + y.k * w[2] - unit) < 1e-3 * unit);
    assert_true(fabs(z[2]) < 1e-15);
    assert_true(fabs(z3 - (z2 + 1.0 / y.R) / l) < 2e-3 * fabs(z3));
  }
}

/* ---- a ring on two equal pulleys ----------------------------------------------------------------------- */

typedef struct laid {
  test_system s;
  const cap_ring *ring;
  double radius, until; /* m: of the pulleys; xi at which the strand ends */
} laid;

static void add_pulley(cap_builder *b, const cap_ring *ring, double x, double radius, double k)
{
  double par[CAP_RING_PULLEY_NPARAM] = {
      [CAP_RING_PULLEY_X] = x,           [CAP_RING_PULLEY_SLIDE] = -1, [CAP_RING_PULLEY_ROTATION] = -1,
      [CAP_RING_PULLEY_RADIUS] = radius, [CAP_RING_PULLEY_NORMAL] = k, [CAP_RING_PULLEY_SLIP] = 1.0};
  assert_true(cap_ring_pulley_add(b, ring, x > 0.0 ? "primary" : "secondary", POINTS, par) >= 0);
}

/* Nothing else does, without friction: node 0, the last of the coordinates, is at the far end of the other
 * pulley. */
static void hold_from_turning(cap_builder *b, const cap_ring *ring)
{
  double par[CAP_LINK_NPARAM] = {[CAP_LINK_K] = 1e5};
  cap_builder_element(b, &cap_link_type, "held", ring->first + ring->ncoord - 3, CAP_GROUND, par, NULL);
}

/* Newton's method on a diagonal that is raised where a step would not help: a ring that turns by a hundredth
 * stretches itself by more than its tension. */
static void settle(laid *t)
{
  enum { STEPS_MOST = 60 };
  int n = t->s.m->nv, steps = 0;
  size_t each = sizeof(double) * (size_t)n;
  double *f = malloc(2 * each), *step = f + n, *q = malloc(each), *slopes = malloc(each * (size_t)n);
  double raised = 1e-3, least = INFINITY;
  int *pivot = malloc(sizeof *pivot * (size_t)n);
  cap_data *d = t->s.d;
  assert_true(f && q && slopes && pivot);
  memcpy(q, d->q, each);
  while (least > 1e-5 && steps++ < STEPS_MOST) {
    double most = 0.0;
    assert_int_equal(cap_equilibrium_forces(t->s.m, d, q, f, slopes, NULL), CAP_OK);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(f[i]));
    if (most < least) {
      least = most, raised *= 0.1;
      memcpy(d->q, q, each);
      for (int i = 0; i < n; i++) slopes[i * (n + 1)] *= 1.0 + raised;
      assert_int_equal(capm_lu_factor(n, slopes, pivot), 0);
      memcpy(step, f, each);
      capm_lu_solve(n, slopes, pivot, step);
    } else
      for (int i = 0; i < n; i++) step[i] *= 0.3;
    for (int i = 0; i < n; i++) q[i] = d->q[i] - step[i];
  }
  if (least > 1e-5) fail_msg("%d nodes, after %d steps %g N", n / 4, steps, least);
  free(f);
  free(q);
  free(slopes);
  free(pivot);
}

static laid lay(int nodes, double finest, double tension, double k)
{
  laid t = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  double mesh[NODES_MOST];
  cap_ring_shape shape = test_ring_reference("ale", nodes);
  shape.length = 2.0 * axes + 2.0 * M_PI * 0.034;
  shape.centre_distance = axes;
  shape.free_length = shape.length / (1.0 + tension / shape.section.EA);
  shape.lock_theta = shape.lock_travel = true;
  cap_ring_mesh_grade grade = {shape.length, axes, 0.0, nodes, finest, 6e-3};
  const char *obstacle = cap_ring_mesh_graded(&grade, mesh);
  if (obstacle) fail_msg("%s", obstacle);
  shape.mesh = mesh;
  cap_ring_layout l = cap_ring_layout_of(shape.length, axes, 0.0);
  t.radius = l.r_p;
  t.until = l.r_s * M_PI_2 + l.strand;
  if (!(t.ring = cap_ring_build(b, &shape, &error))) fail_msg("%s", error.text);
  hold_from_turning(b, t.ring);
  add_pulley(b, t.ring, 0.0, t.radius, k);
  add_pulley(b, t.ring, axes, t.radius, k);
  if (cap_builder_finish(b, &t.s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(t.s.d = cap_data_create(t.s.m));
  settle(&t);
  return t;
}

static void lift(laid *t)
{
  cap_data_free(t->s.d);
  cap_model_free(t->s.m);
}

static double depth_at(const laid *t, double xi, double *tension)
{
  cap_ring_point p;
  cap_ring_point_at(t->ring, t->s.d->q, xi, &p);
  if (tension) *tension = p.tension;
  return t->radius - hypot(p.r[0] - axes, p.r[1]);
}

/* Where the primary's arc begins. */
static double entry_of(const laid *t)
{
  double low = t->until - 8e-3, high = t->until + 8e-3;
  while (high - low > 1e-9) {
    double middle = 0.5 * (low + high);
    *(depth_at(t, middle, NULL) > 0.0 ? &high : &low) = middle;
  }
  return high;
}

typedef struct seen {
  double off;             /* largest difference of the sink-in from the closed form, over N/(R k) */
  double sunk;            /* largest sink-in, the same unit */
  double force, expected; /* N: what presses at the entry beyond N/R, by the ring, by the closed form */
} seen;

static seen look(const laid *t, double k)
{
  enum { PLACES = 400 };
  double entry = entry_of(t), step = 20e-3 / PLACES, EI = t->ring->section.EI, N;
  double far = depth_at(t, entry + 30e-3, NULL);
  depth_at(t, t->until - 0.5 * axes, &N);
  N -= 0.5 * EI / (t->radius * t->radius); /* on the pulley it is less than in the strand */
  layer y = layer_of(EI, N, k, t->radius);
  seen s = {.expected = entry_force(&y)};
  assert_true(fabs(far / y.even - 1.0) < 0.01);
  for (int i = 0; i < PLACES; i++) {
    double x = (i + 0.5) * step, w = depth_at(t, entry + x, NULL);
    s.off = fmax(s.off, fabs(w - far - sink(&y, x) + y.even) / y.even);
    s.sunk = fmax(s.sunk, w / y.even);
    s.force += step * k * (w - far);
  }
  return s;
}

static seen solve(int nodes, double finest, double tension, double k)
{
  laid t = lay(nodes, finest, tension, k);
  seen s = look(&t, k);
  lift(&t);
  print_message("  %d nodes, %.2f mm, T = %.0f N, k = %.3g N/m2: sink-in at most %.4f N/(R k), off by %.4f; "
                "entry force %.1f N, %.1f N by the closed form\n",
                nodes, 1e3 * finest, tension, k, s.sunk, s.off, s.force, s.expected);
  return s;
}

/* Flanks of 2e7 and 6e7 N/m; a mesh of 3 mm is longer than the layer, cubics see it all the same. */
static void a_ring_sinks_in_as_the_beam_does(void **state)
{
  (void)state;
  static const double N[] = {1500.0, 2500.0}, stiffness[] = {1.42e9, 4.26e9};
  for (int c = 0; c < 2; c++) {
    double unit = sqrt(0.01667 * N[c]) / 0.034;
    seen coarse = solve(72, 3e-3, N[c], stiffness[c]), fine = solve(110, 1e-3, N[c], stiffness[c]);
    assert_true(coarse.off < 0.02 && fine.off < 0.015);
    assert_true(fabs(coarse.sunk - fine.sunk) < 0.005);
    assert_true(fabs(fine.force - fine.expected) < 0.03 * unit);
  }
}

/* Where the pulley is rigid the entry's force is concentrated, sqrt(EI N)/R. */
static void the_entry_force_has_its_limit(void **state)
{
  (void)state;
  double N = 1283.0, limit = sqrt(0.01667 * N) / 0.034, before = 0.0;
  for (double k = 1e9; k < 1e22; k *= 100.0) {
    layer y = layer_of(0.01667, N, k, 0.034);
    double force = entry_force(&y);
    assert_true(force > before && force < limit);
    before = force;
  }
  assert_true(fabs(before / limit - 1.0) < 1e-3 && fabs(limit - 136.0) < 0.1);
  seen hard = solve(140, 0.7e-3, N, 4e10);
  print_message("  rigid: %.1f N\n", limit);
  assert_true(fabs(hard.force - hard.expected) < 0.03 * limit && hard.force > 0.6 * limit);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form_solves_its_equation),
                                     cmocka_unit_test(a_ring_sinks_in_as_the_beam_does),
                                     cmocka_unit_test(the_entry_force_has_its_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
