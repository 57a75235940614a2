/* Pressure under a ring on a crowned saddle: against the closed form of a beam on a foundation that lies on a
 * circle between two unknown points, against finite differences of the energy with a penalty, limits, signs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drives/pushbelt/tracking/tracking_solver.h"
#include "linalg/lu.h"

static const capm_tracking_ring document = {1.8e11, 0.3, 0.185e-3, 9.75e-3, 0.25, 0.25, INFINITY, 1.0};

static capm_tracking_ring bent_to(double radius)
{
  capm_tracking_ring ring = document;
  ring.radius = radius;
  return ring;
}

static double bending_of(const capm_tracking_ring *r)
{
  return r->modulus * pow(r->thickness, 3) / (12.0 * (1.0 - r->poisson * r->poisson));
}

static double hoop_of(const capm_tracking_ring *r)
{
  return r->modulus * r->thickness / (r->radius * r->radius);
}

static cap_tracking *create(const capm_tracking_ring *ring, int intervals)
{
  cap_tracking *t;
  assert_int_equal(cap_tracking_solver_create(ring, intervals, &t, NULL), CAP_OK);
  return t;
}

static cap_tracking_point at_force(cap_tracking *t, double place, double force)
{
  cap_tracking_point p;
  cap_error error = {0};
  if (cap_tracking_solver_at_force(t, place, force, &p, &error) != CAP_OK) fail_msg("%s", error.text);
  return p;
}

static cap_tracking_point at_tension(cap_tracking *t, double place, double tension)
{
  cap_tracking_point p;
  cap_error error = {0};
  if (cap_tracking_solver_at_tension(t, place, tension, &p, &error) != CAP_OK) fail_msg("%s", error.text);
  return p;
}

/* --- closed form --------------------------------------------------------------------------------------- */

/* The saddle over its crest, and four derivatives. */
static void saddle(double crown, double z, double s[5])
{
  double c = sqrt(crown * crown - z * z), r2 = crown * crown;
  s[0] = -z * z / (crown + c);
  s[1] = -z / c;
  s[2] = -r2 / pow(c, 3);
  s[3] = -3.0 * r2 * z / pow(c, 5);
  s[4] = -3.0 * r2 * (1.0 / pow(c, 5) + 5.0 * z * z / pow(c, 7));
}

/* A free part of length x from its edge to where it touches: w - a = A F1 + B F2 meets value and slope (into
 * the contact) there. Gives its second and third derivative there and the integral of w - a. */
typedef struct part {
  double second, third, area;
} part;

static part free_part(double decay, double x, double value, double slope)
{
  double u = decay * x, ch = cosh(u), sh = sinh(u), co = cos(u), si = sin(u);
  double f1 = ch * co, f1d = decay * (sh * co - ch * si), f2 = ch * si + sh * co, f2d = 2.0 * decay * ch * co;
  double det = f1 * f2d - f2 * f1d, a = (value * f2d - slope * f2) / det,
         b = (slope * f1 - value * f1d) / det;
  double d2 = decay * decay, d3 = d2 * decay;
  part p;
  p.second = a * (-2.0 * d2 * sh * si) + b * (2.0 * d2 * (sh * co - ch * si));
  p.third = a * (-2.0 * d3 * (ch * si + sh * co)) + b * (-4.0 * d3 * sh * si);
  /* w'''' = -4 decay^4 (w - a): the area is -(w''' - 0)/(4 decay^4) */
  p.area = -p.third / (4.0 * d2 * d2);
  return p;
}

/* One side: the length x of the free part whose moment meets that of the saddle. side = 1: towards +z. */
static part meet(const capm_tracking_ring *r, double place, double a, int side, double *touch)
{
  double decay = pow(hoop_of(r) / (4.0 * bending_of(r)), 0.25), edge = place + side * 0.5 * r->width;
  double low = 1e-3 * r->width, high = 0.0, s[5], before = 0.0;
  part p = {0};
  for (int k = 0; k <= 400 && high == 0.0; k++) { /* the shortest one */
    double x = low + k * (0.98 * r->width - low) / 400;
    saddle(r->crown, edge - side * x, s);
    p = free_part(decay, x, s[0] - a, -side * s[1]);
    double miss = p.second - s[2];
    if (k > 0 && before * miss <= 0.0) {
      high = x;
      low = x - (0.98 * r->width - 1e-3 * r->width) / 400;
    }
    before = k == 0 || high == 0.0 ? miss : before;
  }
  assert_true(high > 0.0);
  for (int k = 0; k < 100; k++) {
    double x = 0.5 * (low + high);
    saddle(r->crown, edge - side * x, s);
    p = free_part(decay, x, s[0] - a, -side * s[1]);
    if ((p.second - s[2]) * before > 0.0) low = x;
    else high = x;
  }
  *touch = edge - side * 0.5 * (low + high);
  return p;
}

/* Tension, F_n and F_t of the ring whose layer without tension lies at a over the crest. */
static cap_tracking_point closed_form(const capm_tracking_ring *r, double place, double a)
{
  enum { N = 2000 };
  cap_tracking_point c = {.place = place};
  double D = bending_of(r), k = hoop_of(r), s[5], area = 0.0;
  part left = meet(r, place, a, -1, &c.begin), right = meet(r, place, a, 1, &c.end);
  assert_true(c.begin < c.end);
  for (int i = 0; i <= N; i++) { /* Simpson */
    double z = c.begin + (c.end - c.begin) * i / N;
    double weight = (c.end - c.begin) / N / 3.0 * (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0);
    saddle(r->crown, z, s);
    double p = D * s[4] + k * (s[0] - a), sine = -z / r->crown;
    assert_true(p > 0.0);
    area += weight * (s[0] - a);
    c.normal += weight * p * sqrt(1.0 - sine * sine);
    c.tangential += weight * p * sine;
  }
  const double ends[2] = {c.begin, c.end};
  for (int e = 0; e < 2; e++) { /* line loads where the ring leaves the saddle */
    saddle(r->crown, ends[e], s);
    /* third derivatives towards +z: that of the left part is as it is, that of the right one turned */
    double force = e == 0 ? D * (s[3] - left.third) : D * (-right.third - s[3]), sine = -ends[e] / r->crown;
    assert_true(force > 0.0);
    c.normal += force * sqrt(1.0 - sine * sine);
    c.tangential += force * sine;
  }
  c.tension = r->radius * k * (area + left.area + right.area);
  return c;
}

static void agrees_with_the_closed_form(void **state)
{
  (void)state;
  const struct {
    double radius, place, pressed;
  } cases[] = {{0.25, 0.0, 100e-6},        {0.25, 0.0, 1e-3},     {0.25, 3e-3, 300e-6},
               {0.25, 9.75e-3, 700e-6},    {0.0568, 0.0, 100e-6}, {0.0568, 2e-3, 150e-6},
               {0.0568, 4.875e-3, 200e-6}, {0.031, 1e-3, 80e-6}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    capm_tracking_ring ring = bent_to(cases[k].radius);
    cap_tracking_point exact = closed_form(&ring, cases[k].place, -cases[k].pressed), p[2];
    for (int i = 0; i < 2; i++) {
      cap_tracking *t = create(&ring, i ? 200 : 50);
      p[i] = at_tension(t, cases[k].place, exact.tension);
      cap_tracking_solver_free(t);
    }
    double step = ring.width / 200;
    assert_true(fabs(p[1].tension / exact.tension - 1.0) < 1e-10);
    assert_true(fabs(p[1].normal / exact.normal - 1.0) < 1e-7);
    assert_true(fabs(p[1].begin - exact.begin) < 2.0 * step && fabs(p[1].end - exact.end) < 2.0 * step);
    double size = exact.normal * 0.5 * ring.width / ring.crown; /* F_t if the edge carried everything */
    double coarse = fabs(p[0].tangential - exact.tangential) / size;
    double fine = fabs(p[1].tangential - exact.tangential) / size;
    if (!(fine < 2e-5 && coarse < 4e-4))
      fail_msg("case %zu: F_t %.9g and %.9g, closed form %.9g: off by %.2g and %.2g", k, p[0].tangential,
               p[1].tangential, exact.tangential, coarse, fine);
  }
}

/* --- second method: finite differences of the energy, a penalty in the place of the contact condition --- */

static double by_penalty(const capm_tracking_ring *r, int n, double place, double tension)
{
  int m = n + 1;
  double dz = r->width / n, D = bending_of(r), k = hoop_of(r), stiff = 1e4 * D / (dz * dz * dz), force = 0.0;
  double *K = calloc((size_t)m * m, sizeof(double)), *A = calloc((size_t)m * m, sizeof(double));
  double *w = calloc((size_t)m, sizeof(double)), *s = calloc((size_t)m, sizeof(double)),
         *part_of = calloc((size_t)m, sizeof(double));
  bool *in = calloc((size_t)m, sizeof(bool));
  int *pivot = calloc((size_t)m, sizeof(int));
  assert_true(K && A && w && s && part_of && in && pivot);
  const double b[3] = {1.0, -2.0, 1.0};
  for (int i = 0; i < m; i++) {
    double d[5];
    part_of[i] = i == 0 || i == n ? 0.5 * dz : dz;
    saddle(r->crown, place - 0.5 * r->width + i * dz, d);
    s[i] = d[0];
    in[i] = true;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      K[i * m + j] = (i == j ? k * part_of[i] : 0.0) - k * part_of[i] * part_of[j] / r->width;
  for (int i = 0; i + 2 < m; i++)
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++) K[(i + p) * m + i + q] += D / (dz * dz * dz) * b[p] * b[q];
  bool changed = true;
  for (int turn = 0; turn < 500 && changed; turn++) {
    memcpy(A, K, (size_t)m * m * sizeof(double));
    for (int i = 0; i < m; i++) {
      w[i] = -tension / (r->width * r->radius) * part_of[i] + (in[i] ? stiff * s[i] : 0.0);
      if (in[i]) A[i * m + i] += stiff;
    }
    assert_int_equal(capm_lu_factor(m, A, pivot), 0);
    capm_lu_solve(m, A, pivot, w);
    changed = false;
    for (int i = 0; i < m; i++) {
      bool now = w[i] < s[i];
      /* one change at a time once the whole exchange has had its chance: it may go round in circles */
      if (now == in[i] || (turn > 20 && changed)) continue;
      in[i] = now;
      changed = true;
    }
  }
  assert_false(changed);
  for (int i = 0; i < m; i++)
    if (in[i]) force += stiff * (s[i] - w[i]) * -(place - 0.5 * r->width + i * dz) / r->crown;
  free(K);
  free(A);
  free(w);
  free(s);
  free(part_of);
  free(in);
  free(pivot);
  return force * r->depth;
}

static void agrees_with_finite_differences_and_a_penalty(void **state)
{
  (void)state;
  const double cases[][3] = {{0.25, 4.875e-3, 2500.0}, {0.25, 9.75e-3, 500.0}, {0.0568, 4.875e-3, 568.0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    capm_tracking_ring ring = bent_to(cases[k][0]);
    cap_tracking *t = create(&ring, 200);
    double exact = at_tension(t, cases[k][1], cases[k][2]).tangential;
    double coarse = fabs(by_penalty(&ring, 40, cases[k][1], cases[k][2]) / exact - 1.0);
    double fine = fabs(by_penalty(&ring, 80, cases[k][1], cases[k][2]) / exact - 1.0);
    if (!(fine < 3e-4 && fine < 0.5 * coarse)) fail_msg("case %zu: off by %.3g, then %.3g", k, coarse, fine);
    cap_tracking_solver_free(t);
  }
}

/* --- limits -------------------------------------------------------------------------------------------- */

static void a_flat_saddle_presses_everywhere_alike(void **state)
{
  (void)state;
  capm_tracking_ring ring = document;
  ring.crown = 1e3;
  cap_tracking *t = create(&ring, 100);
  double place[101], pressure[101], gap[101];
  cap_tracking_point p = at_tension(t, 0.0, 1000.0);
  double uniform = 1000.0 / (ring.width * ring.radius);
  cap_tracking_solver_profile(t, place, pressure, gap);
  for (int i = 8; i <= 92; i++) assert_true(fabs(pressure[i] / uniform - 1.0) < 1e-4);
  assert_true(fabs(p.normal - 1000.0 / ring.radius * ring.depth) < 1e-6 * p.normal);
  assert_true(fabs(p.tangential) < 1e-9 * p.normal);
  cap_tracking_solver_free(t);
}

/* A ring that is very stiff against its hoop (bent to 3 mm) and hardly loaded lies on the highest point of
 * the saddle that is below it: the crest, or its inner edge. */
static void a_stiff_ring_touches_the_highest_point(void **state)
{
  (void)state;
  capm_tracking_ring ring = bent_to(6e-3);
  cap_tracking *t = create(&ring, 100);
  double edge = 8e-3 - 0.5 * ring.width;
  cap_tracking_point p = at_force(t, 8e-3, 1.0);
  assert_true(p.begin == p.end && fabs(p.begin - edge) < 1e-12);
  assert_true(fabs(p.tangential / p.normal + edge / sqrt(ring.crown * ring.crown - edge * edge)) < 1e-12);
  p = at_force(t, 2.925e-3, 1.0);
  assert_true(fabs(p.begin) < 2e-4 && fabs(p.end) < 2e-4);
  cap_tracking_solver_free(t);
}

/* With the numbers of the document the force opposes the position,
 * grows with it and with the normal force. */
static void signs_and_growth(void **state)
{
  (void)state;
  cap_tracking *t = create(&document, 100);
  double field[21][21];
  for (int j = 0; j < 21; j++)
    for (int i = 0; i < 21; i++) {
      double z = (j - 10) * document.width / 10, force = i * 1e3;
      cap_tracking_point p = at_force(t, z, force);
      assert_true(fabs(p.normal - force) <= 1e-9 * force);
      assert_true(p.complementarity < 1e-10 && p.penetration < 1e-10);
      field[i][j] = p.tangential;
    }
  for (int i = 0; i < 21; i++)
    for (int j = 0; j < 21; j++) {
      double size = fabs(field[i][j]);
      assert_true(fabs(field[i][j] + field[i][20 - j]) < 1e-8 * (1.0 + size));
      if (i == 0) assert_true(field[i][j] == 0.0);
      if (i == 0 || j == 10) continue;
      assert_true(field[i][j] * (j - 10) < 0.0);
      assert_true(size > fabs(field[i - 1][j]));
      assert_true(size > fabs(field[i][j < 10 ? j + 1 : j - 1]));
      assert_true(size < i * 1e3 * 15e-3 / document.crown); /* the steepest place under the ring */
    }
  cap_tracking_solver_free(t);
}

/* A ring that is bent to 56.8 mm and loaded little near the crest is pushed away from it, by 0.012 % of the
 * normal force: no error of the nodes, the closed form says so too. */
static void near_the_crest_a_stiffer_ring_is_pushed_away(void **state)
{
  (void)state;
  capm_tracking_ring ring = bent_to(0.0568);
  cap_tracking *coarse = create(&ring, 100), *fine = create(&ring, 300);
  double one = at_force(coarse, 0.975e-3, 1e3).tangential, other = at_force(fine, 0.975e-3, 1e3).tangential;
  assert_true(one > 0.12 && fabs(one / other - 1.0) < 1e-3);
  cap_tracking_point exact = closed_form(&ring, 0.975e-3, -18e-6);
  assert_true(exact.normal > 800.0 && exact.normal < 1500.0);
  double same = at_tension(fine, 0.975e-3, exact.tension).tangential;
  assert_true(exact.tangential > 0.0 && fabs(same - exact.tangential) < 1e-5 * exact.normal * 0.02);
  cap_tracking_solver_free(coarse);
  cap_tracking_solver_free(fine);
}

static void a_narrow_saddle_carries_only_what_lies_on_it(void **state)
{
  (void)state;
  capm_tracking_ring ring = document;
  ring.saddle = 8e-3;
  cap_tracking *t = create(&ring, 100), *wide = create(&document, 100);
  double place[101], pressure[101], gap[101];
  cap_tracking_point p = at_force(t, 5e-3, 10e3), free_of_edges = at_force(wide, 5e-3, 10e3);
  assert_true(p.end <= 4e-3 + 1e-12 && p.begin > 0.0);
  assert_true(fabs(p.tangential) < fabs(free_of_edges.tangential));
  cap_tracking_solver_profile(t, place, pressure, gap);
  for (int i = 0; i <= 100; i++) {
    if (place[i] > 4e-3) assert_true(pressure[i] == 0.0);
    else assert_true(gap[i] > -1e-12);
  }
  assert_true(gap[100] < 0.0); /* beside the saddle the ring sinks below its continuation */
  ring.saddle = 40e-3;
  cap_tracking *enough = create(&ring, 100);
  assert_true(at_force(enough, 5e-3, 10e3).tangential == free_of_edges.tangential);
  cap_tracking_solver_free(enough);
  cap_error error;
  assert_int_equal(cap_tracking_solver_at_force(t, 10e-3, 1.0, &p, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "does not touch the saddle"));
  assert_int_equal(cap_tracking_solver_at_force(wide, 0.25, 1.0, &p, &error), CAP_ERR_INPUT);
  double again = at_force(wide, 5e-3, 10e3).tangential; /* goes on after it */
  assert_true(fabs(again / free_of_edges.tangential - 1.0) < 1e-9);
  cap_tracking_solver_free(t);
  cap_tracking_solver_free(wide);
}

static void rings_outside_of_the_theory_are_refused(void **state)
{
  (void)state;
  capm_tracking_ring ring = bent_to(200.0);
  cap_tracking *t;
  cap_error error;
  ring.thickness = 3e-3;
  assert_int_equal(cap_tracking_solver_create(&ring, 50, &t, &error), CAP_ERR_INPUT);
  assert_null(t);
  cap_tracking_solver_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_closed_form),
                                     cmocka_unit_test(agrees_with_finite_differences_and_a_penalty),
                                     cmocka_unit_test(a_flat_saddle_presses_everywhere_alike),
                                     cmocka_unit_test(a_stiff_ring_touches_the_highest_point),
                                     cmocka_unit_test(signs_and_growth),
                                     cmocka_unit_test(near_the_crest_a_stiffer_ring_is_pushed_away),
                                     cmocka_unit_test(a_narrow_saddle_carries_only_what_lies_on_it),
                                     cmocka_unit_test(rings_outside_of_the_theory_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
