/* Geometry of contacts: derivatives by differences, gaps against the rows that are their rates, velocities of
 * material points, and the motions that must not slip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "contact/contacts.h"
#include "drives/pushbelt/contact/press.h"
#include "linalg/quaternion.h"

/* Three contacts of one kind at scattered places of q and x. */
enum { N = 3, NQ = 24, NX = 16, PARAMS_MOST = 8, TRIALS = 100, STRIDE = 3 };

static const cap_contact_type *const TYPES[] = {&cap_blade_type,        &cap_wheel_type, &cap_rim_type,
                                                &cap_ball_type,         &cap_shoe_type,  &cap_hinge_type,
                                                &cap_press_contact_type};
enum { NTYPES = sizeof TYPES / sizeof *TYPES };

typedef struct scene {
  cap_contact_batch batch;
  int coord[N * CAP_CONTACT_COORDS], attitude[N];
  double par[N * PARAMS_MOST], q[NQ], v[NQ], x[NX], xdot[NX];
} scene;

/* A random body orientation that is not flat, of any norm. */
static void random_attitude(uint64_t *seed, double *e)
{
  double norm = test_random(seed, 0.5, 2);
  capm_quaternion_euler(test_random(seed, -3, 3), test_random(seed, 0.3, 2.8), test_random(seed, -3, 3), e);
  for (int k = 0; k < 4; k++) e[k] *= norm;
}

static void random_scene(const cap_contact_type *type, uint64_t *seed, scene *s)
{
  memset(s, 0, sizeof *s);
  assert_true(N * type->ncoord <= NQ && type->nparam <= PARAMS_MOST);
  for (int k = 0; k < N * type->ncoord; k++) s->coord[k] = (k * 7 + 3) % NQ; /* 7 and 24 share no factor */
  for (int k = 0; k < N; k++) s->attitude[k] = (2 - k) * 5 + 1;
  for (int k = 0; k < N * type->nparam; k++) s->par[k] = test_random(seed, 0.2, 1.5);
  for (int k = 0; k < NQ; k++) {
    s->q[k] = test_random(seed, -2, 2);
    s->v[k] = test_random(seed, -2, 2);
  }
  for (int k = 0; k < NX; k++) s->x[k] = s->xdot[k] = test_random(seed, -2, 2);
  for (int k = 0; type->nbody && k < N; k++) {
    double w[3];
    for (int i = 0; i < 3; i++) w[i] = s->v[s->coord[k * type->ncoord + 3 + i]];
    random_attitude(seed, s->x + s->attitude[k]);
    capm_quaternion_rate(s->x + s->attitude[k], w, s->xdot + s->attitude[k]);
  }
  s->batch = (cap_contact_batch){
      .type = type, .n = N, .coord = s->coord, .attitude = type->nbody ? s->attitude : NULL, .par = s->par};
}

static void rows_of(const scene *s, const double *q, const double *x, cap_contact_rows rows[N])
{
  memset(rows, 0, N * sizeof *rows);
  s->batch.type->rows(&s->batch, 0, N, 0.0, q, x, rows);
}

static void turn_of(const scene *s, const cap_contact_rows rows[N], const double *dq, const double *dx,
                    cap_contact_rows drows[N])
{
  double spread_q[NQ * STRIDE] = {0}, spread_x[NX * STRIDE] = {0};
  for (int k = 0; k < NQ; k++) spread_q[k * STRIDE] = dq[k];
  for (int k = 0; k < NX; k++) spread_x[k * STRIDE] = dx[k];
  memset(drows, 0, N * sizeof *drows);
  s->batch.type->turn(&s->batch, 0, N, 0.0, s->q, s->x, rows, 0.0, spread_q, spread_x, STRIDE, drows);
}

/* Velocity of row r of contact k. */
static double slip_of(const scene *s, const cap_contact_rows *rows, int k, int r, const double *v)
{
  const cap_contact_type *type = s->batch.type;
  double g = -rows[k].b[r];
  for (int c = 0; c < type->ncoord; c++) g += rows[k].J[r][c] * v[s->coord[k * type->ncoord + c]];
  return g;
}

/* Values that have derivatives: J, b, gap; the measures follow them in the struct. */
enum { VALUES = CAP_CONTACT_ROWS * (CAP_CONTACT_COORDS + 2) };

static const double *values_of(const cap_contact_rows *rows)
{
  return &rows->J[0][0];
}

/* Directional derivative by the five-point formula. */
static void differences(const scene *s, const double *dq, const double *dx, double slope[N][VALUES])
{
  const double h = 1e-3, place[4] = {-2, -1, 1, 2};
  static cap_contact_rows off[4][N];
  for (int p = 0; p < 4; p++) {
    double q[NQ], x[NX];
    for (int k = 0; k < NQ; k++) q[k] = s->q[k] + place[p] * h * dq[k];
    for (int k = 0; k < NX; k++) x[k] = s->x[k] + place[p] * h * dx[k];
    rows_of(s, q, x, off[p]);
  }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < VALUES; i++) {
      double far = values_of(&off[3][k])[i] - values_of(&off[0][k])[i];
      double near = values_of(&off[2][k])[i] - values_of(&off[1][k])[i];
      slope[k][i] = (8.0 * near - far) / (12.0 * h);
    }
}

static void derivatives_match_differences(void **state)
{
  (void)state;
  assert_int_equal(offsetof(cap_contact_rows, measure), VALUES * sizeof(double));
  for (int type = 0; type < NTYPES; type++) {
    uint64_t seed = 100 + (uint64_t)type;
    double worst = 0.0, size = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
      static scene s;
      static cap_contact_rows rows[N], drows[N];
      static double slope[N][VALUES];
      double dq[NQ], dx[NX];
      random_scene(TYPES[type], &seed, &s);
      for (int k = 0; k < NQ; k++) dq[k] = test_random(&seed, -1, 1);
      for (int k = 0; k < NX; k++) dx[k] = 0.5 * test_random(&seed, -1, 1);
      rows_of(&s, s.q, s.x, rows);
      turn_of(&s, rows, dq, dx, drows);
      differences(&s, dq, dx, slope);
      for (int k = 0; k < N; k++)
        for (int i = 0; i < VALUES; i++) {
          worst = fmax(worst, fabs(values_of(&drows[k])[i] - slope[k][i]));
          size = fmax(size, fabs(slope[k][i]));
        }
    }
    print_message("  %-6s derivatives up to %.1f, within %.1e of differences\n", TYPES[type]->name, size,
                  worst);
    assert_true(size > 0.5);
    assert_true(worst < 1e-7 * size);
  }
}

/* Ranges give the same rows as all at once. */
static void ranges_give_the_same(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (int type = 0; type < NTYPES; type++) {
    static scene s;
    static cap_contact_rows all[N], one, turned[N], turned_one;
    random_scene(TYPES[type], &seed, &s);
    rows_of(&s, s.q, s.x, all);
    memset(turned, 0, sizeof turned);
    TYPES[type]->turn(&s.batch, 0, N, 0.0, s.q, s.x, all, 0.0, s.v, s.xdot, 1, turned);
    for (int k = 0; k < N; k++) {
      memset(&one, 0, sizeof one);
      memset(&turned_one, 0, sizeof turned_one);
      TYPES[type]->rows(&s.batch, k, 1, 0.0, s.q, s.x, &one);
      TYPES[type]->turn(&s.batch, k, 1, 0.0, s.q, s.x, &all[k], 0.0, s.v, s.xdot, 1, &turned_one);
      assert_memory_equal(&one, &all[k], sizeof one);
      assert_memory_equal(&turned_one, &turned[k], sizeof one);
    }
  }
}

/* Along the motion q' = v, e' = 1/2 e o (0, w) a gap grows as its row says; the other rows have none. */
static void gaps_grow_as_their_rows_say(void **state)
{
  (void)state;
  for (int type = 0; type < NTYPES; type++) {
    uint64_t seed = 200 + (uint64_t)type;
    const cap_contact_type *own = TYPES[type];
    double worst = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
      static scene s;
      static cap_contact_rows rows[N], drows[N];
      random_scene(own, &seed, &s);
      rows_of(&s, s.q, s.x, rows);
      turn_of(&s, rows, s.v, s.xdot, drows);
      for (int k = 0; k < N; k++) {
        for (int r = 0; r < own->ngap; r++) {
          worst = fmax(worst, fabs(drows[k].gap[r] - slip_of(&s, rows, k, r, s.v)));
          assert_true(rows[k].b[r] == 0.0);
          if (own->lift[r] != CAP_CONTACT_SPREAD) /* a lift closes it at once */
            assert_true(rows[k].J[r][own->lift[r]] == 1.0);
        }
        for (int r = own->ngap; r < CAP_CONTACT_ROWS; r++)
          assert_true(rows[k].gap[r] == 0.0 && drows[k].gap[r] == 0.0);
      }
    }
    if (own->ngap) print_message("  %-6s gap rate within %.1e m/s\n", own->name, worst);
    assert_true(worst < 2e-14);
  }
}

static void the_norm_does_not_matter(void **state)
{
  (void)state;
  uint64_t seed = 300;
  const cap_contact_type *const space[] = {&cap_rim_type, &cap_ball_type};
  for (int trial = 0; trial < 2 * TRIALS; trial++) {
    static scene s;
    static cap_contact_rows rows[N], scaled[N], along[N];
    double x[NX], dq[NQ] = {0}, factor = test_random(&seed, 0.1, 9);
    random_scene(space[trial % 2], &seed, &s);
    for (int k = 0; k < NX; k++) x[k] = factor * s.x[k];
    rows_of(&s, s.q, s.x, rows);
    rows_of(&s, s.q, x, scaled);
    turn_of(&s, rows, dq, x, along);
    for (int k = 0; k < N; k++)
      for (int i = 0; i < VALUES; i++) {
        assert_true(fabs(values_of(&scaled[k])[i] - values_of(&rows[k])[i]) < 1e-13);
        assert_true(fabs(values_of(&along[k])[i]) < 1e-12); /* nothing turns */
      }
  }
}

/* One body in space: centre and quaternion in q and x, the coordinates in order. */
static void place(scene *s, const cap_contact_type *type, double radius, double omega, const double *centre,
                  const double *e)
{
  memset(s, 0, sizeof *s);
  for (int c = 0; c < CAP_CONTACT_COORDS; c++) s->coord[c] = c;
  memcpy(s->q, centre, 3 * sizeof *centre);
  memcpy(s->x, e, 4 * sizeof *e);
  s->par[0] = radius;
  s->par[1] = omega;
  s->batch = (cap_contact_batch){
      .type = type, .n = 1, .coord = s->coord, .attitude = type->nbody ? s->attitude : NULL, .par = s->par};
}

static cap_contact_rows rows_here(const scene *s)
{
  cap_contact_rows rows = {0};
  s->batch.type->rows(&s->batch, 0, 1, 0.0, s->q, s->x, &rows);
  return rows;
}

/* Where a point of the body that is at `point` now will be after the time h, at constant v and w. */
static void carried(const scene *s, const double *v, const double *w, double h, const double *point,
                    double *later)
{
  double R[3][3], S[3][3], body[3], turn[4], e[4], size = sqrt(capm_quaternion_dot(w, w));
  double arm[3] = {point[0] - s->q[0], point[1] - s->q[1], point[2] - s->q[2]};
  capm_quaternion_rotation(s->x, R);
  capm_quaternion_to_body(R, arm, body);
  capm_quaternion_axis_angle(w, size * h, turn); /* about an axis that is fixed in the body */
  capm_quaternion_product(s->x, turn, e);
  capm_quaternion_rotation(e, S);
  capm_quaternion_to_world(S, body, later);
  for (int i = 0; i < 3; i++) later[i] += s->q[i] + h * v[i];
}

/* The contact is the rim's lowest point, its height is the gap, and the rows are the velocity of the body's
 * material there less that of the turntable. */
static void rim_and_ball_touch_with_their_lowest_point(void **state)
{
  (void)state;
  uint64_t seed = 17;
  double worst = 0.0;
  for (int trial = 0; trial < 2 * TRIALS; trial++) {
    bool ball = trial % 2;
    double centre[3], v[6], e[4], R[3][3], radius = test_random(&seed, 0.2, 2), lowest = INFINITY;
    double omega = test_random(&seed, -3, 3);
    scene s;
    for (int i = 0; i < 3; i++) centre[i] = test_random(&seed, -2, 2);
    for (int i = 0; i < 6; i++) v[i] = test_random(&seed, -2, 2);
    random_attitude(&seed, e);
    place(&s, ball ? &cap_ball_type : &cap_rim_type, radius, omega, centre, e);
    cap_contact_rows rows = rows_here(&s);
    capm_quaternion_rotation(e, R);
    double point[3] = {rows.measure[0], rows.measure[1], rows.gap[0]}, before[3], after[3];
    double arm[3] = {point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]};
    double axis[3] = {R[0][2], R[1][2], R[2][2]};
    assert_true(fabs(capm_quaternion_dot(arm, arm) - radius * radius) < 1e-13);
    if (!ball) {
      assert_true(fabs(capm_quaternion_dot(arm, axis)) < 1e-14); /* in the disc's plane */
      for (int k = 0; k < 3600; k++) {
        double angle = k * M_PI / 1800.0;
        lowest = fmin(lowest, centre[2] + radius * (R[2][0] * cos(angle) + R[2][1] * sin(angle)));
      }
      assert_true(rows.gap[0] <= lowest + 1e-14 && rows.gap[0] > lowest - 1e-6 * radius);
      assert_true(fabs(cos(rows.measure[2]) - axis[2]) < 1e-14);
      assert_true(fabs(tan(rows.measure[3]) - axis[1] / axis[0]) < 1e-10 * (1.0 + pow(axis[1] / axis[0], 2)));
      assert_true((cos(rows.measure[3]) * arm[0] + sin(rows.measure[3]) * arm[1]) * axis[2] >= 0.0);
    }
    const double h = 1e-4;
    carried(&s, v, v + 3, -h, point, before);
    carried(&s, v, v + 3, h, point, after);
    const double table[3] = {-omega * point[1], omega * point[0], 0.0};
    for (int r = 0; r < 3; r++) {
      int direction = (r + 2) % 3; /* rows normal, x, y */
      double velocity = (after[direction] - before[direction]) / (2.0 * h) - table[direction];
      worst = fmax(worst, fabs(slip_of(&s, &rows, 0, r, v) - velocity));
    }
  }
  print_message("  material velocity within %.1e m/s of differences\n", worst);
  assert_true(worst < 1e-7);
}

static void check_slip(const scene *s, const double *v, int row, double expected)
{
  cap_contact_rows rows = rows_here(s);
  double g = slip_of(s, &rows, 0, row, v);
  if (!(fabs(g - expected) < 1e-14))
    fail_msg("%s, row %s slips with %.3g, not %.3g", s->batch.type->name, s->batch.type->row_name[row], g,
             expected);
}

/* What rolls does not slip. */
static void rolling_does_not_slip(void **state)
{
  (void)state;
  scene s;
  double e[4], R[3][3], r = 0.7, speed = 1.3;
  const double origin[3] = {0.2, -0.1, 0.7};
  /* upright disc: rolls along the line of nodes with w3 = -v / r; turning about the vertical is free */
  for (int k = 0; k < 5; k++) {
    double heading = 0.4 + k, spin = 1.1 * k, turn[3] = {0, 0, 2.5}, w[3];
    capm_quaternion_euler(heading, M_PI_2, spin, e);
    place(&s, &cap_rim_type, r, 0.0, origin, e);
    capm_quaternion_rotation(e, R);
    capm_quaternion_to_body(R, turn, w);
    double v[6] = {speed * cos(heading), speed * sin(heading), 0, w[0], w[1], w[2] - speed / r};
    for (int row = 0; row < 3; row++) check_slip(&s, v, row, 0.0);
  }
  /* inclined disc whose centre rests turns about the line from its centre to the contact */
  capm_quaternion_euler(0.9, 0.4, 2.0, e);
  place(&s, &cap_rim_type, r, 0.0, origin, e);
  capm_quaternion_rotation(e, R);
  cap_contact_rows rows = rows_here(&s);
  double w[3], arm[3] = {rows.measure[0] - origin[0], rows.measure[1] - origin[1], rows.gap[0] - origin[2]};
  capm_quaternion_to_body(R, arm, w);
  double v[6] = {0, 0, 0, w[0], w[1], w[2]};
  for (int row = 0; row < 3; row++) check_slip(&s, v, row, 0.0);
  /* ball: v = w x r ez, and any drilling */
  double world[3] = {0.8, -0.5, 3.0};
  place(&s, &cap_ball_type, r, 0.0, origin, e);
  capm_quaternion_to_body(R, world, w);
  double rolls[6] = {world[1] * r, -world[0] * r, 0, w[0], w[1], w[2]};
  for (int row = 0; row < 3; row++) check_slip(&s, rolls, row, 0.0);
}

/* Wheel, blade, shoe: along the heading only, and at rest on a turntable means turning with it. */
static void planar_contacts_know_their_directions(void **state)
{
  (void)state;
  scene s;
  double phi = 0.6, speed = 1.7, r = 0.3, omega = 2.0, none[4] = {0}, at[3] = {0.5, -0.8, phi};
  double ahead[4] = {speed * cos(phi), speed * sin(phi), 0.9, speed / r};
  double left[4] = {-speed * sin(phi), speed * cos(phi), 0.0, 0.0};
  place(&s, &cap_wheel_type, r, 0.0, at, none);
  check_slip(&s, ahead, 0, 0.0);
  check_slip(&s, ahead, 1, 0.0);
  check_slip(&s, left, 0, 0.0);
  check_slip(&s, left, 1, speed);
  double carried_along[4] = {-omega * at[1], omega * at[0], omega, 0.0};
  s.par[CAP_WHEEL_OMEGA] = omega;
  check_slip(&s, carried_along, 0, 0.0);
  check_slip(&s, carried_along, 1, 0.0);

  place(&s, &cap_shoe_type, omega, 0.0, at, none);
  check_slip(&s, carried_along, 0, 0.0);
  check_slip(&s, carried_along, 1, 0.0);

  /* the blade's point is a behind the centre, across the heading by c: row = left + a phi' */
  const double a = -0.4, c = 0.25;
  place(&s, &cap_blade_type, a, c, at, none);
  ahead[2] = 0.0;
  check_slip(&s, ahead, 0, 0.0);
  check_slip(&s, left, 0, speed);
  check_slip(&s, (double[4]){0, 0, 2.0}, 0, 2.0 * a);
  s.par[CAP_BLADE_ANGLE] = M_PI_2; /* now across: its point moves by -c phi' along the heading */
  check_slip(&s, ahead, 0, -speed);
  check_slip(&s, (double[4]){0, 0, 2.0}, 0, 2.0 * c);
  s.par[CAP_BLADE_ANGLE] = 0.3;
  s.par[CAP_BLADE_OMEGA] = omega;
  check_slip(&s, carried_along, 0, 0.0);
}

/* Two bodies on one pin: gap closed; both turning about the pin keep it closed. */
static void a_hinge_holds_two_points_together(void **state)
{
  (void)state;
  scene s;
  const double none[4] = {0}, pin[2] = {0.3, 0.4}, a[2] = {0.5, -0.2}, b[2] = {-0.7, 0.1};
  place(&s, &cap_hinge_type, a[0], a[1], (double[3]){0}, none);
  s.par[CAP_HINGE_BX] = b[0];
  s.par[CAP_HINGE_BY] = b[1];
  double phi[2] = {0.8, -0.3}, turn[2] = {1.5, -2.5}, v[6];
  for (int body = 0; body < 2; body++) {
    const double *own = body ? b : a, cs = cos(phi[body]), sn = sin(phi[body]);
    double arm[2] = {cs * own[0] - sn * own[1], sn * own[0] + cs * own[1]};
    s.q[3 * body] = pin[0] - arm[0];
    s.q[3 * body + 1] = pin[1] - arm[1];
    s.q[3 * body + 2] = phi[body];
    v[3 * body] = turn[body] * arm[1]; /* the pin rests */
    v[3 * body + 1] = -turn[body] * arm[0];
    v[3 * body + 2] = turn[body];
  }
  cap_contact_rows rows = rows_here(&s);
  for (int r = 0; r < 2; r++) {
    assert_true(fabs(rows.gap[r]) < 1e-15);
    assert_true(fabs(rows.measure[r] - pin[r]) < 1e-15);
    check_slip(&s, v, r, 0.0);
  }
  s.q[0] += 0.1;
  assert_true(fabs(rows_here(&s).gap[0] - 0.1) < 1e-15);
}

static double compliance(const cap_contact_rows *rows, int r, int n, const double *mass)
{
  double sum = 0.0;
  for (int c = 0; c < n; c++) sum += rows->J[r][c] * rows->J[r][c] / mass[c];
  return sum;
}

/* J M^-1 J' of a thin uniform disc and of a uniform ball. */
static void effective_masses(void **state)
{
  (void)state;
  scene s;
  const double m = 1.4, r = 0.6, centre[3] = {0}, tilt = 0.7;
  const double disc[6] = {m, m, m, m * r * r / 4, m * r * r / 4, m * r * r / 2};
  const double ball[6] = {m, m, m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r};
  double e[4];
  capm_quaternion_euler(0.0, tilt, 1.2, e);
  place(&s, &cap_rim_type, r, 0.0, centre, e);
  cap_contact_rows rows = rows_here(&s);
  double cc = cos(tilt) * cos(tilt), ss = sin(tilt) * sin(tilt);
  assert_true(fabs(compliance(&rows, 0, 6, disc) * m - (1.0 + 4.0 * cc)) < 1e-13); /* normal */
  assert_true(fabs(compliance(&rows, 1, 6, disc) * m - 3.0) < 1e-13); /* along the line of nodes: rolling */
  assert_true(fabs(compliance(&rows, 2, 6, disc) * m - (1.0 + 4.0 * ss)) < 1e-13); /* across */
  place(&s, &cap_ball_type, r, 0.0, centre, e);
  rows = rows_here(&s);
  assert_true(fabs(compliance(&rows, 0, 6, ball) * m - 1.0) < 1e-13);
  assert_true(fabs(compliance(&rows, 1, 6, ball) * m - 3.5) < 1e-13);
  assert_true(fabs(compliance(&rows, 2, 6, ball) * m - 3.5) < 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(ranges_give_the_same),
      cmocka_unit_test(gaps_grow_as_their_rows_say),
      cmocka_unit_test(the_norm_does_not_matter),
      cmocka_unit_test(rim_and_ball_touch_with_their_lowest_point),
      cmocka_unit_test(rolling_does_not_slip),
      cmocka_unit_test(planar_contacts_know_their_directions),
      cmocka_unit_test(a_hinge_holds_two_points_together),
      cmocka_unit_test(effective_masses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
