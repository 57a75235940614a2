/* The start of a variator: the belt closes at every ratio, its joints carry the push that was estimated, the
 * rings their mean tension, the flanks their clamping; any contour of the sheaves; what cannot be is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "../support/variator_reference.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/variator/variator_start_belt.h"

#include <stdlib.h>
#include <string.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC };

static cap_variator_state start_of(const cap_variator *v, cap_arena *arena)
{
  cap_variator_state s;
  cap_error error = {0};
  if (cap_variator_start(v, arena, &s, &error) != CAP_OK) fail_msg("%s", error.text);
  return s;
}

/* Forces in all joints of the belt, the last one closing it. */
static void forces_of_joints(const cap_variator *v, const cap_variator_state *s, double *force)
{
  for (int k = 0; k < s->n; k++) {
    int j = (k + 1) % s->n;
    force[k] = cap_push_chain_joint(v, k, j, (double[]){s->x[k], s->y[k], s->pitch[k]},
                                    (double[]){s->x[j], s->y[j], s->pitch[j]});
  }
}

/* Joints press by what was estimated at their place, but for those of the endplay. */
static void check_joints(const cap_variator *v, const cap_variator_state *s)
{
  double *force = calloc((size_t)s->n, sizeof *force);
  assert_non_null(force);
  forces_of_joints(v, s, force);
  int open = 0;
  for (int k = 0; k < s->n; k++) {
    double push = fmax(cap_variator_start_belt_push(s, s->place[k]), 1.0);
    if (s->endplay > 0.0 && force[k] == 0.0) open++;
    else assert_near(force[k], push, 1e-3 + 1e-6 * push);
  }
  if (s->endplay > 1e-6) assert_in_range(open, 1, s->n / 4);
  else if (s->endplay == 0.0) assert_int_equal(open, 0);
  free(force);
}

static void check_geometry(const cap_variator *v, const cap_variator_state *s)
{
  const cap_variator_start_arc *p = &s->arc[PRI], *q = &s->arc[SEC];
  assert_near(2.0 * s->strand + p->ring * p->wrap + q->ring * q->wrap, s->ring_length, 1e-12);
  assert_near(s->ring_length, v->ring_length * (1.0 + s->strain), 1e-15);
  assert_near(p->wrap + q->wrap, 2.0 * M_PI, 1e-12);
  assert_near(s->strand, sqrt(pow(s->ring_distance, 2) - pow(q->ring - p->ring, 2)), 1e-12);
  assert_near(q->axis - p->axis, v->centre_distance, 1e-12);
  assert_near(q->mean / p->mean, v->load.ratio, 1e-12);
  assert_near(s->ring_theta, (q->ring - p->ring) / (q->ring + p->ring), 1e-12);
  assert_near(p->edge * p->wrap + q->edge * q->wrap + 2.0 * s->strand, s->edge_length, 1e-12);
  for (int k = 0; k < s->n; k++) { /* on its circle or its strand, along it, with the speed of the edges */
    int in = (int)s->section[k];
    double t[2] = {cos(s->pitch[k]), sin(s->pitch[k])}, n[2] = {-t[1], t[0]};
    double edge[2] = {s->x[k] + v->element.edge * n[0], s->y[k] + v->element.edge * n[1]};
    const cap_variator_start_arc *a = in == CAP_VARIATOR_IN_PRI || in == CAP_VARIATOR_IN_US ? p : q;
    double from[2] = {edge[0] - a->centre, edge[1]};
    bool arc = in == CAP_VARIATOR_IN_PRI || in == CAP_VARIATOR_IN_SEC;
    assert_near(from[0] * n[0] + from[1] * n[1], a->edge - (arc ? 0.0 : a->saddle_depth), 1e-12);
    if (arc) assert_near(from[0] * t[0] + from[1] * t[1], 0.0, 1e-12);
    double along = s->vx[k] * t[0] + s->vy[k] * t[1] - s->w[k] * v->element.edge;
    assert_near(along, s->speed, 1e-12);
    assert_near(s->w[k], arc ? -s->speed / a->edge : 0.0, 1e-9);
  }
}

static void belts_close_at_every_ratio(void **state)
{
  (void)state;
  static const int numbers[] = {437, 218, 110, 31};
  for (int k = 0; k <= 22; k++) {
    double ratio = 0.4 + 0.1 * k;
    cap_arena arena = {0};
    cap_variator v = variator_reference(ratio, -20.0 * ratio, 6000.0, numbers[k % 4]);
    v.ring_length = k % 2 ? 0.6666 : 0.6676; /* without and with endplay */
    if (k % 4 == 3) v.load.torque = 15.0;
    cap_variator_state s = start_of(&v, &arena);
    check_geometry(&v, &s);
    check_joints(&v, &s);
    assert_true(s.endplay == 0.0 || s.prestress == 0.0);
    for (int e = 1; e < s.n; e++) assert_true(s.place[e] > s.place[e - 1] && s.pitch[e] <= s.pitch[e - 1]);
    cap_arena_free(&arena);
  }
}

/* Another start of the same belt: all elements go along by a part of a space, and closed it stays; what is
 * drawn moves each by no more than the size, by the seed alone. */
static void starts_differ(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_variator v = variator_reference(0.47, -14.1, 2924.0, 110);
  v.ring_length = 0.668;
  cap_variator_state plain = start_of(&v, &arena);
  v.phase = 0.4;
  cap_variator_state along = start_of(&v, &arena);
  check_geometry(&v, &along);
  check_joints(&v, &along);
  double space = along.edge_length / along.n, most = 0.0;
  assert_near(along.place[0], 0.4 * space, 1e-12);
  /* joints across the ends of the arcs take another part of t^2/(8 r) each */
  assert_near(along.endplay, plain.endplay, 4.0 * space * space / (8.0 * along.arc[PRI].edge));
  v.disturbance = 1e-6;
  v.disturbances = 3;
  cap_variator_state one = start_of(&v, &arena), again = start_of(&v, &arena);
  v.disturbances = 4;
  cap_variator_state other = start_of(&v, &arena);
  bool differ = false;
  for (int k = 0; k < one.n; k++) {
    most = fmax(most, fmax(fabs(one.x[k] - along.x[k]), fabs(one.y[k] - along.y[k])));
    assert_true(one.x[k] == again.x[k] && one.y[k] == again.y[k]);
    differ = differ || one.x[k] != other.x[k];
  }
  assert_true(most <= 1e-6 * (1.0 + 1e-6) && most > 0.9e-6 && differ);
  cap_arena_free(&arena);
}

/* Forces: with no torque the arcs carry their share; the torque is there; strands that push; rings. */
static void forces_balance(void **state)
{
  (void)state;
  static const double loads[][3] = {{0.5, 0, 16000},  {2.4, 0, 16435},   {2.4, -170, 16435}, {0.5, 40, 15952},
                                    {1.0, -50, 6446}, {1.3, -30, 14884}, {0.47, -47, 9748}};
  for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(loads[k][0], loads[k][1], loads[k][2], 110);
    v.ring_length = 0.668; /* endplay */
    v.load.speed = 1e-3;
    cap_variator_state s = start_of(&v, &arena);
    const cap_variator_start_arc *p = &s.arc[PRI], *q = &s.arc[SEC];
    assert_false(s.slips);
    assert_near((s.net_ls - s.net_us) * q->mean_edge, -v.load.torque, 1e-9);
    assert_near(s.tension_us - s.push_us, s.net_us, 1e-9);
    assert_near(s.tension_ls - s.push_ls, s.net_ls, 1e-9);
    assert_true(fmin(s.push_us, s.push_ls) == 0.0 && s.endplay > 0.0);
    if (v.load.ratio < 0.9) assert_near(s.tension_us / s.tension_ls, exp(0.1 * q->wrap), 1e-9);
    if (v.load.ratio > 1.1) assert_near(s.tension_ls / s.tension_us, exp(0.1 * p->wrap), 1e-9);
    if (v.load.torque == 0.0) {
      assert_near(p->clamping / q->clamping, p->wrap / q->wrap, 1e-9);
      assert_true(v.load.ratio > 1.0 ? s.push_ls > s.push_us : s.push_us > s.push_ls);
      assert_near(s.net_us, 2.0 * tan(v.wedge) * v.load.clamping / q->wrap, 1e-6);
    }
    cap_arena_free(&arena);
  }
}

/* (2.43) by numbers along the ring: (2.44) without the lengths of its sections is four times as much. The
 * courses over arcs are taken as straight; with the capstan's exponential the mean changes little. */
static void strain_is_the_mean_along_the_ring(void **state)
{
  (void)state;
  for (double ratio = 0.4; ratio < 2.65; ratio += 0.55) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(ratio, -30.0 * ratio, 10000.0, 110);
    cap_variator_state s = start_of(&v, &arena);
    enum { N = 20000 };
    double sum = 0.0, bent = 0.0, factor = s.tension_us / s.tension_ls;
    for (int k = 0; k < N; k++) sum += cap_variator_start_belt_tension(&s, (k + 0.5) / N * s.edge_length) / N;
    assert_near(sum / v.ring.EA, s.strain, 1e-6 * s.strain);
    for (int k = 0; k < N; k++) bent += s.tension_ls * pow(factor, (k + 0.5) / N) / N;
    double arcs = 1.0 - 2.0 * s.strand / s.edge_length;
    double exact = (1.0 - arcs) * 0.5 * (s.tension_us + s.tension_ls) + arcs * bent;
    assert_near(exact / v.ring.EA, s.strain, 5e-3 * s.strain);
    double printed = 2.0 * (s.tension_us + s.tension_ls) / v.ring.EA;
    assert_near(printed, 4.0 * s.strain, 1e-15);
    cap_arena_free(&arena);
  }
}

/* (2.45) on rigid sheaves without torque, with the normal of the cone in place of its axis. What is printed
 * for the primary has a factor phi_P/phi_S too much: F_P is so much larger, and so is the
 * number of elements. */
static void flanks_press_by_their_clamping(void **state)
{
  (void)state;
  for (double ratio = 0.4; ratio < 2.65; ratio += 0.2) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(ratio, 0.0, 9000.0, 110);
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) memset(v.pulley[k].sheave, 0, sizeof v.pulley[k].sheave);
    cap_variator_state s = start_of(&v, &arena);
    const cap_variator_start_arc *p = &s.arc[PRI], *q = &s.arc[SEC];
    double c = v.contact.flank_stiffness, l = s.edge_length, F = v.load.clamping, nx = cos(v.wedge);
    assert_near(p->flank_depth * nx, F * l / (c * p->edge * q->wrap * v.real), 1e-15);
    assert_near(q->flank_depth * nx, F * l / (c * q->edge * q->wrap * v.real), 1e-15);
    assert_true(p->axis == 0.0 && q->axis == v.centre_distance);
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
      const cap_variator_start_arc *a = &s.arc[k];
      assert_near(a->gap, -a->flank_depth, 1e-18);
      assert_near(sin(v.wedge) * (a->flank - a->touch_radius), a->gap, 1e-16);
    }
    cap_arena_free(&arena);
  }
}

/* The same belt on a cone that is written as a polynomial, also with flanks that are spheres. */
static void contours_do_not_matter(void **state)
{
  (void)state;
  for (int trial = 0; trial < 6; trial++) {
    cap_arena arena = {0};
    cap_variator cone = variator_reference(0.45 + 0.4 * trial, -20.0, 9000.0, 110);
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) cone.pulley[k].flank_radius = trial % 2 ? 0.05 : 0.0;
    cap_variator curve = cone;
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
      curve.pulley[k].curved = true;
      curve.pulley[k].shape[0] = 0.06;
      curve.pulley[k].shape[1] = -1.0 / tan(cone.wedge);
      curve.pulley[k].shape_low = -0.002;
      curve.pulley[k].shape_high = 0.009;
    }
    cap_variator_state a = start_of(&cone, &arena), b = start_of(&curve, &arena);
    for (int k = 0; k < a.n; k++) {
      assert_near(a.x[k], b.x[k], 1e-12);
      assert_near(a.y[k], b.y[k], 1e-12);
      assert_near(a.pitch[k], b.pitch[k], 1e-11);
    }
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
      assert_near(a.arc[k].gap, b.arc[k].gap, 1e-15);
      assert_near(a.arc[k].touch_radius, b.arc[k].touch_radius, 1e-12);
      /* the polynomial's place 0 is where the radius is 60 mm */
      assert_near(b.arc[k].touch_place - a.arc[k].touch_place, 0.06 * tan(cone.wedge), 1e-12);
      /* bent contours only move the sheaves */
      curve.pulley[k].shape[2] = -20.0;
    }
    cap_variator_state c = start_of(&curve, &arena);
    check_geometry(&curve, &c);
    assert_true(fabs(c.arc[PRI].touch_place - b.arc[PRI].touch_place) +
                    fabs(c.arc[SEC].touch_place - b.arc[SEC].touch_place) >
                1e-6);
    cap_arena_free(&arena);
  }
}

/* Axial force of the flanks on one sheave at the start, coupled through the sheaves, without friction. */
static double clamping_at_start(const cap_variator *v, const cap_variator_state *s, int pulley, double *least,
                                double *most)
{
  cap_maxwell m = {.sheave = {v->pulley[pulley].sheave[0], v->pulley[pulley].sheave[1]}, .coupled = true};
  const cap_variator_start_arc *a = &s->arc[pulley];
  flanks f = flanks_create(&m, s->n);
  double sum = 0.0, reach = v->element.flank;
  f.n = 0;
  for (int k = 0; k < s->n; k++) {
    if (s->section[k] != (pulley == PRI ? CAP_VARIATOR_IN_PRI : CAP_VARIATOR_IN_SEC)) continue;
    double x = s->x[k] - reach * sin(s->pitch[k]) - a->axis, y = s->y[k] + reach * cos(s->pitch[k]);
    f.r[f.n] = hypot(x, y);
    f.phi[f.n] = atan2(y, pulley == PRI ? -x : x);
    f.compliance[f.n] = 2.0 / (v->iota * v->contact.flank_stiffness * pow(cos(v->wedge), 2));
    f.penetration[0][f.n] = -2.0 * tan(v->wedge) * (f.r[f.n] - a->touch_radius);
    f.n++;
  }
  cap_maxwell_result result;
  assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
  *least = INFINITY;
  *most = 0.0;
  for (int k = 0; k < f.n; k++) {
    sum += f.force[0][k];
    *least = fmin(*least, f.force[0][k] * f.n);
    *most = fmax(*most, f.force[0][k] * f.n);
  }
  flanks_free(&f);
  return sum;
}

static void sheaves_start_in_balance(void **state)
{
  (void)state;
  for (double ratio = 0.4; ratio < 2.65; ratio += 0.44) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(ratio, -20.0 * ratio, 9000.0, 437);
    cap_variator_state s = start_of(&v, &arena);
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
      double least, most, sum = clamping_at_start(&v, &s, k, &least, &most);
      assert_near(sum, s.arc[k].clamping, 0.02 * sum);    /* elements are whole ones */
      assert_true(least > 0.4 * sum && most < 2.0 * sum); /* spread over all of the arc */
    }
    cap_arena_free(&arena);
  }
}

static void older_starts(void **state)
{
  (void)state;
  for (double ratio = 0.5; ratio < 2.5; ratio += 0.9) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(ratio, -20.0, 9000.0, 218);
    v.begin = CAP_VARIATOR_BEGIN_PRESTRESS;
    cap_variator_state s = start_of(&v, &arena);
    check_geometry(&v, &s);
    check_joints(&v, &s);
    assert_true(s.strain > 1e-4 && s.arc[PRI].gap > 0.0 && s.arc[SEC].gap > 0.0);
    v.begin = CAP_VARIATOR_BEGIN_PRIOR;
    s = start_of(&v, &arena);
    check_geometry(&v, &s);
    check_joints(&v, &s);
    assert_true(s.strain == 0.0 && s.arc[PRI].gap > 0.0 && s.arc[SEC].gap > 0.0);
    assert_true(s.ring_length == v.ring_length);
    cap_arena_free(&arena);
  }
}

static void elements_of_different_thickness(void **state)
{
  (void)state;
  enum { N = 150 };
  double thickness[N];
  uint64_t seed = 5;
  cap_variator v = variator_reference(1.7, -40.0, 9000.0, N);
  for (int k = 0; k < N; k++) thickness[k] = v.iota * 1.5e-3 + 2e-5 * (flanks_draw(&seed) - 0.5);
  v.thickness = thickness;
  v.element.head_thickness = 1.518e-3;
  for (int k = 0; k < 2; k++) {
    cap_arena arena = {0};
    v.ring_length = k ? 0.671 : 0.6675;
    cap_variator_state s = start_of(&v, &arena);
    check_geometry(&v, &s);
    check_joints(&v, &s);
    cap_arena_free(&arena);
  }
}

static void refused(const cap_variator *v, const char *part, const char *other)
{
  cap_arena arena = {0};
  cap_variator_state s;
  cap_error error = {0};
  assert_int_equal(cap_variator_start(v, &arena, &s, &error), CAP_ERR_INPUT);
  if (!strstr(error.text, part) || !strstr(error.text, other)) fail_msg("said \"%s\"", error.text);
  cap_arena_free(&arena);
}

static void what_cannot_be_is_refused(void **state)
{
  (void)state;
  cap_variator v = variator_reference(4.0, 0.0, 9000.0, 110);
  refused(&v, "outside the sheaves of the primary at the start; expected a radius from 20 mm to 78 mm",
          "a ratio from 0.3");
  v = variator_reference(0.33, 0.0, 9000.0, 110);
  refused(&v, "mm at the ratio 0.33", "a ratio from 0.3");
  v = variator_reference(30.0, 0.0, 9000.0, 110);
  refused(&v, "ratio: ", "a ratio from 0.3");
  v = variator_reference(0.47, -45.0, 9748.0, 110);
  v.contact.saddle_stiffness = 1e4;
  refused(&v, "sheaves of the primary", "saddles (1e+04 N/m), flanks (2e+07 N/m) or rings are too compliant");
  v = variator_reference(1.0, 0.0, 9000.0, 110);
  v.ring_length = 0.3;
  refused(&v, "no loaded belt with the ratio 1", "at no ratio");
  v = variator_reference(1.0, 0.0, 9000.0, 110);
  v.real = 452;
  v.iota = 452.0 / 110.0;
  refused(&v, "elements.real: 452 elements of 1.5 mm are", "too long for the ring of 666.6 mm");
  v = variator_reference(1.0, 0.0, 9000.0, 0);
  refused(&v, "elements.simulated: expected at least 8, got 0", "");
  v = variator_reference(1.0, -50.0, 600e3, 60);
  refused(&v, "secondary.clamping: the ring is stretched", "at most 1 %");
}

/* More torque than the clamping carries: a start is there, and says so. */
static void macro_slip_is_told(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    cap_arena arena = {0};
    cap_variator v = variator_reference(1.0, k ? 300.0 : -300.0, 9000.0, 110);
    cap_variator_state s = start_of(&v, &arena);
    assert_true(s.slips);
    check_geometry(&v, &s);
    cap_arena_free(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_differ),
      cmocka_unit_test(belts_close_at_every_ratio),
      cmocka_unit_test(forces_balance),
      cmocka_unit_test(strain_is_the_mean_along_the_ring),
      cmocka_unit_test(flanks_press_by_their_clamping),
      cmocka_unit_test(contours_do_not_matter),
      cmocka_unit_test(sheaves_start_in_balance),
      cmocka_unit_test(older_starts),
      cmocka_unit_test(elements_of_different_thickness),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(macro_slip_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
