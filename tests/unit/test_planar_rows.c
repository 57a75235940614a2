/* Geometry of planar bodies that touch: derivatives by differences, gaps against the rows that are their
 * rates, material velocities, faces and corners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "contact/contacts.h"
#include "contact/planar_touch.h"

enum { N = 3, NQ = 24, TRIALS = 400, STRIDE = 3, MOST = CAP_DISC_POLYGON_NPARAM };

typedef struct scene {
  cap_contact_batch batch;
  int coord[N * 6];
  double par[N * MOST], q[NQ], v[NQ];
} scene;

typedef void (*shape)(uint64_t *seed, double *par);

static void random_discs(uint64_t *seed, double *par)
{
  for (int i = 0; i < CAP_DISC_DISC_NPARAM; i++) par[i] = test_random(seed, 0.2, 1.5);
}

static void random_hole(uint64_t *seed, double *par)
{
  random_discs(seed, par);
  par[CAP_DISC_DISC_RB] *= -1.0;
}

static void random_line(uint64_t *seed, double *par)
{
  double a = test_random(seed, -3, 3);
  const double two[2][2] = {{0.3, -0.2}, {0.3 + cos(a), -0.2 + sin(a)}};
  for (int i = 0; i < CAP_DISC_POLYGON_COUNT; i++) par[i] = test_random(seed, 0.2, 1.5);
  cap_disc_polygon_shape(2, two, par);
}

static void random_block(uint64_t *seed, double *par)
{
  double w = test_random(seed, 0.2, 1), h = test_random(seed, 0.2, 1);
  const double box[4][2] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
  random_line(seed, par);
  cap_disc_polygon_shape(4, box, par);
}

static void random_corner(uint64_t *seed, double *par)
{
  random_block(seed, par);
  par[CAP_DISC_POLYGON_RADIUS] = 0.0;
}

static void random_triangle(uint64_t *seed, double *par)
{
  const double three[3][2] = {{-0.6, -0.4}, {0.9, -0.1}, {0.1, 0.7}};
  random_line(seed, par);
  cap_disc_polygon_shape(3, three, par);
}

static void random_guide(uint64_t *seed, double *par)
{
  for (int i = 0; i < CAP_GUIDE_NPARAM; i++) par[i] = test_random(seed, 0.2, 1.5);
}

static const struct {
  const cap_contact_type *type;
  shape shape;
  const char *what;
} CASES[] = {
    {&cap_disc_disc_type, random_discs, "discs"},      {&cap_disc_disc_type, random_hole, "hole"},
    {&cap_disc_polygon_type, random_line, "line"},     {&cap_disc_polygon_type, random_block, "block"},
    {&cap_disc_polygon_type, random_corner, "corner"}, {&cap_disc_polygon_type, random_triangle, "triangle"},
    {&cap_guide_slot_type, random_guide, "slot"},      {&cap_guide_type, random_guide, "guide"},
    {&cap_hinge_pin_type, random_guide, "pin"},
};
enum { NCASES = sizeof CASES / sizeof *CASES };

static void random_scene(int which, uint64_t *seed, scene *s)
{
  const cap_contact_type *type = CASES[which].type;
  memset(s, 0, sizeof *s);
  for (int k = 0; k < N * 6; k++) s->coord[k] = (k * 7 + 3) % NQ;
  for (int k = 0; k < N; k++) {
    double par[MOST] = {0};
    CASES[which].shape(seed, par);
    memcpy(s->par + k * type->nparam, par, sizeof *par * (size_t)type->nparam);
  }
  for (int k = 0; k < NQ; k++) {
    s->q[k] = test_random(seed, -2, 2);
    s->v[k] = test_random(seed, -2, 2);
  }
  s->batch = (cap_contact_batch){.type = type, .n = N, .coord = s->coord, .par = s->par};
}

static void rows_of(const scene *s, const double *q, cap_contact_rows rows[N])
{
  memset(rows, 0, N * sizeof *rows);
  s->batch.type->rows(&s->batch, 0, N, 0.0, q, NULL, rows);
}

static void turn_of(const scene *s, const cap_contact_rows rows[N], const double *dq,
                    cap_contact_rows drows[N])
{
  double spread[NQ * STRIDE] = {0};
  for (int k = 0; k < NQ; k++) spread[k * STRIDE] = dq[k];
  memset(drows, 0, N * sizeof *drows);
  s->batch.type->turn(&s->batch, 0, N, 0.0, s->q, NULL, rows, 0.0, spread, NULL, STRIDE, drows);
}

static double speed_of(const scene *s, const cap_contact_rows *rows, int k, int r, const double *v)
{
  double g = -rows[k].b[r];
  for (int c = 0; c < 6; c++) g += rows[k].J[r][c] * v[s->coord[k * 6 + c]];
  return g;
}

enum { VALUES = CAP_CONTACT_ROWS * (CAP_CONTACT_COORDS + 2) };

static const double *values_of(const cap_contact_rows *rows)
{
  return &rows->J[0][0];
}

static void differences(const scene *s, const double *dq, double h, double slope[N][VALUES])
{
  const double place[4] = {-2, -1, 1, 2};
  static cap_contact_rows off[4][N];
  for (int p = 0; p < 4; p++) {
    double q[NQ];
    for (int k = 0; k < NQ; k++) q[k] = s->q[k] + place[p] * h * dq[k];
    rows_of(s, q, off[p]);
  }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < VALUES; i++) {
      double far = values_of(&off[3][k])[i] - values_of(&off[0][k])[i];
      double near = values_of(&off[2][k])[i] - values_of(&off[1][k])[i];
      slope[k][i] = (8.0 * near - far) / (12.0 * h);
    }
}

/* Where a face passes into another there is no derivative: two lengths of step then disagree. Few are so. */
static void derivatives_match_differences(void **state)
{
  (void)state;
  for (int which = 0; which < NCASES; which++) {
    uint64_t seed = 100 + (uint64_t)which;
    double worst = 0.0, size = 0.0;
    int left_out = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      static scene s;
      static cap_contact_rows rows[N], drows[N];
      static double slope[N][VALUES], finer[N][VALUES];
      double dq[NQ];
      random_scene(which, &seed, &s);
      for (int k = 0; k < NQ; k++) dq[k] = test_random(&seed, -1, 1);
      rows_of(&s, s.q, rows);
      turn_of(&s, rows, dq, drows);
      differences(&s, dq, 4e-4, slope);
      differences(&s, dq, 3e-4, finer);
      for (int k = 0; k < N; k++) {
        double kink = 0.0, off = 0.0, own = 0.0;
        for (int i = 0; i < VALUES; i++) {
          kink = fmax(kink, fabs(slope[k][i] - finer[k][i]));
          off = fmax(off, fabs(values_of(&drows[k])[i] - slope[k][i]));
          own = fmax(own, fabs(slope[k][i]));
        }
        if (kink > 1e-6 * (1.0 + own * own)) {
          left_out++;
          continue;
        }
        worst = fmax(worst, off / (1.0 + own * own));
        size = fmax(size, own);
      }
    }
    print_message("  %-8s derivatives up to %.1f, within %.1e of differences, %d of %d left out\n",
                  CASES[which].what, size, worst, left_out, N * TRIALS);
    assert_true(size > 0.5);
    assert_true(worst < 1e-6);
    assert_true(left_out < N * TRIALS / 20);
  }
}

static void gaps_grow_as_their_rows_say(void **state)
{
  (void)state;
  for (int which = 0; which < NCASES; which++) {
    uint64_t seed = 200 + (uint64_t)which;
    double worst = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
      static scene s;
      static cap_contact_rows rows[N], drows[N];
      random_scene(which, &seed, &s);
      rows_of(&s, s.q, rows);
      turn_of(&s, rows, s.v, drows);
      for (int k = 0; k < N; k++)
        for (int r = 0; r < CAP_CONTACT_ROWS; r++) {
          if (r < s.batch.type->ngap)
            worst = fmax(worst, fabs(drows[k].gap[r] - speed_of(&s, rows, k, r, s.v)));
          else assert_true(rows[k].gap[r] == 0.0 && drows[k].gap[r] == 0.0);
        }
    }
    assert_true(worst < 2e-14);
  }
}

/* A point that body `at` (its three coordinates) carries along for the time h. */
static void carried(const double *q, const double *v, double h, const double point[2], double later[2])
{
  double c = cos(h * v[2]), s = sin(h * v[2]), x = point[0] - q[0], y = point[1] - q[1];
  later[0] = q[0] + h * v[0] + c * x - s * y;
  later[1] = q[1] + h * v[1] + s * x + c * y;
}

/* Rows are the velocities of the material of A less that of B, where they touch; forces in the rows are
 * equal and opposite, and act along one line. */
static void rows_are_material_velocities(void **state)
{
  (void)state;
  double worst = 0.0, moment = 0.0;
  for (int which = 0; which < 6; which++) {
    uint64_t seed = 300 + (uint64_t)which;
    for (int trial = 0; trial < TRIALS; trial++) {
      scene s;
      cap_contact_rows rows[N];
      random_scene(which, &seed, &s);
      rows_of(&s, s.q, rows);
      for (int k = 0; k < N; k++) {
        double q[6], v[6], at[2][2], after[2][2], before[2][2];
        for (int c = 0; c < 6; c++) q[c] = s.q[s.coord[6 * k + c]], v[c] = s.v[s.coord[6 * k + c]];
        const double *n = rows[k].J[0];
        for (int i = 0; i < 2; i++) {
          at[1][i] = rows[k].measure[i];
          at[0][i] = at[1][i] + rows[k].gap[0] * n[i];
        }
        for (int body = 0; body < 2; body++) {
          carried(q + 3 * body, v + 3 * body, 1e-5, at[body], after[body]);
          carried(q + 3 * body, v + 3 * body, -1e-5, at[body], before[body]);
        }
        for (int r = 0; r < 2; r++) {
          const double d[2] = {r ? n[1] : n[0], r ? -n[0] : n[1]};
          double g = -rows[k].b[r];
          for (int i = 0; i < 2; i++)
            g += d[i] * (after[0][i] - before[0][i] - after[1][i] + before[1][i]) / 2e-5;
          worst = fmax(worst, fabs(g - speed_of(&s, rows, k, r, s.v)));
        }
        /* a force along n has the same moment on both about the origin */
        double about_a = rows[k].J[0][2] + q[0] * n[1] - q[1] * n[0];
        double about_b = -rows[k].J[0][5] + q[3] * n[1] - q[4] * n[0];
        moment = fmax(moment, fabs(about_a - about_b));
      }
    }
  }
  print_message("  velocities within %.1e m/s of differences, moments %.1e\n", worst, moment);
  assert_true(worst < 1e-8);
  assert_true(moment < 1e-13);
}

static cap_contact_rows rows_at(const cap_contact_type *type, const double *par, const double q[6])
{
  static const int coord[6] = {0, 1, 2, 3, 4, 5};
  cap_contact_rows rows = {0};
  const cap_contact_batch b = {.type = type, .n = 1, .coord = coord, .par = par};
  type->rows(&b, 0, 1, 0.0, q, NULL, &rows);
  return rows;
}

/* Signed distance from a convex polygon, by brute force over points of its edge. */
static double distance(int n, const double (*p)[2], const double P[2])
{
  double nearest = INFINITY;
  bool inside = true;
  for (int f = 0; f < n; f++) {
    const double *a = p[f], *b = p[(f + 1) % n];
    double ex = b[0] - a[0], ey = b[1] - a[1];
    double s = ((P[0] - a[0]) * ex + (P[1] - a[1]) * ey) / (ex * ex + ey * ey);
    s = fmin(1.0, fmax(0.0, s));
    nearest = fmin(nearest, hypot(P[0] - a[0] - s * ex, P[1] - a[1] - s * ey));
    inside = inside && (P[0] - a[0]) * ey - (P[1] - a[1]) * ex < 0.0;
  }
  return inside ? -nearest : nearest;
}

/* A disc's gap is the distance from the polygon, wherever it is; that of a corner has the same sign. */
static void gaps_are_distances(void **state)
{
  (void)state;
  const double house[5][2] = {{-0.6, -0.4}, {0.5, -0.5}, {0.9, 0.1}, {0.1, 0.7}, {-0.5, 0.4}};
  uint64_t seed = 5;
  double worst = 0.0, par[MOST] = {0};
  cap_disc_polygon_shape(5, house, par);
  for (int trial = 0; trial < 20000; trial++) {
    double q[6] = {test_random(&seed, -2, 2), test_random(&seed, -2, 2), test_random(&seed, -3, 3), 0, 0, 0};
    par[CAP_DISC_POLYGON_RADIUS] = 0.25;
    double gap = rows_at(&cap_disc_polygon_type, par, q).gap[0], is = distance(5, house, q);
    worst = fmax(worst, fabs(gap + 0.25 - is));
    par[CAP_DISC_POLYGON_RADIUS] = 0.0;
    double corner = rows_at(&cap_disc_polygon_type, par, q).gap[0];
    assert_true((corner < 0.0) == (is < 0.0) && corner <= is + 1e-14);
  }
  print_message("  gaps within %.1e m of distances\n", worst);
  assert_true(worst < 1e-14);
}

/* Corners of a block on an equal one belong to the faces that lie on each other, whatever the rounding. */
static void corners_of_equal_blocks_stand_upright(void **state)
{
  (void)state;
  const double w = 0.2, h = 0.1, box[4][2] = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
  uint64_t seed = 6;
  for (int trial = 0; trial < 2000; trial++) {
    double q[6] = {0.3, 0.7, 0.0, 0.3, 0.5, 0.0};
    for (int c = 0; c < 6; c++) q[c] += 1e-6 * test_random(&seed, -1, 1);
    for (int upper = 0; upper < 2; upper++)
      for (int side = -1; side < 2; side += 2) {
        double par[MOST] = {side * w, upper ? -h : h};
        const double swapped[6] = {q[3], q[4], q[5], q[0], q[1], q[2]};
        cap_disc_polygon_shape(4, box, par);
        cap_contact_rows rows = rows_at(&cap_disc_polygon_type, par, upper ? q : swapped);
        assert_true(fabs(rows.J[0][1] - (upper ? 1.0 : -1.0)) < 1e-11);
        assert_true(fabs(rows.gap[0]) < 1e-5);
      }
  }
  /* beyond the edge there is nothing */
  double par[MOST] = {w, -h}, q[6] = {0.01, 2 * h, 0.0};
  cap_disc_polygon_shape(4, box, par);
  assert_true(fabs(rows_at(&cap_disc_polygon_type, par, q).gap[0] - 0.01) < 1e-15);
}

static void a_pin_has_its_clearance(void **state)
{
  (void)state;
  const double R = 0.02, r = 0.0195, q[6] = {0.0003, 0.0004, 1.0, 0.0, 0.0, 2.0};
  const double par[CAP_DISC_DISC_NPARAM] = {0, 0, 0, 0, r, -R};
  cap_contact_rows rows = rows_at(&cap_disc_disc_type, par, q);
  assert_true(fabs(rows.gap[0]) < 1e-17);                                            /* touches at 0.5 mm */
  assert_true(fabs(rows.J[0][0] + 0.6) < 1e-12 && fabs(rows.J[0][1] + 0.8) < 1e-12); /* pushed inwards */
  assert_true(fabs(rows.measure[0] - 0.6 * R) < 1e-15 && fabs(rows.measure[1] - 0.8 * R) < 1e-15);
  assert_true(fabs(rows.J[1][2] - r) < 1e-15 &&
              fabs(rows.J[1][5] + R) < 1e-15); /* rolls as a pin in a hole */
  const double centred[6] = {0};
  rows = rows_at(&cap_disc_disc_type, par, centred);
  assert_true(fabs(rows.gap[0] - (R - r)) < 1e-17 && isfinite(rows.J[0][0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_match_differences),         cmocka_unit_test(gaps_grow_as_their_rows_say),
      cmocka_unit_test(rows_are_material_velocities),          cmocka_unit_test(gaps_are_distances),
      cmocka_unit_test(corners_of_equal_blocks_stand_upright), cmocka_unit_test(a_pin_has_its_clearance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
