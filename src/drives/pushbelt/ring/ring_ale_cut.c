/* drives/pushbelt/ring/ring_ale_cut.c — forces and mass border of the elements of an `ale` ring that joints
 * cut.
 *
 * Four joints make at most eight pieces of elements: each is a number of a vector, and all are done at once,
 * by the same code as a single element (ring_ale_element.h).
 *
 * Reads: q, v.
 * Cost:  1 us for the forces, 0.6 us for the border, of AVX-512.
 */
#include "drives/pushbelt/ring/ring_ale_part.h"

#include "base/clones.h"
#include "laws/sine.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };
typedef double eight __attribute__((vector_size(LANES * sizeof(double))));

CAP_INLINE eight root(eight x)
{
  eight y;
  for (int k = 0; k < LANES; k++) y[k] = sqrt(x[k]);
  return y;
}

#define NUM         eight
#define NUM_LANES   LANES
#define NUM_SIZE    eight
#define NUM_INLINE  CAP_INLINE
#define NUM_NAME(x) lane_##x
#define NUM_SQRT    root
#include "drives/pushbelt/ring/ring_ale_element.h"

/* Coefficients of each piece: those of its part. */
enum {
  RT_E0,
  RT_E1,
  RT_F0,
  RT_F1,
  R1T_E0,
  R1T_E1,
  RTT_E0,
  RTT_E1,
  RTT_E2,
  RTT_F0,
  RTT_F1,
  K,
  KQ,
  RATE, /* part */
  ORIGIN,
  TURNING,
  STILL_C,
  STILL_S, /* (C, S) = turning (cos z, sin z) + still */
  FROM,
  SIZE, /* its element */
  START,
  WIDTH,
  START_SLOPE,
  WIDTH_SLOPE, /* along xi, and their derivatives over Theta */
  COEFFICIENTS
};

enum { MOST_POINTS = 8 }; /* 3 + 3 + 2 */

typedef struct pieces {
  _Alignas(64) double at[COEFFICIENTS][LANES];
  double q[CAP_RING_ALE_LOCAL][LANES], v[CAP_RING_ALE_LOCAL][LANES];
  double C[MOST_POINTS][LANES], S[MOST_POINTS][LANES];
  double answer[2 * CAP_RING_ALE_LOCAL][LANES], s[LANES], theta[LANES], lost[LANES];
  int n, element[LANES];
} pieces;

CAP_INLINE eight get(const double from[LANES])
{
  eight x;
  memcpy(&x, from, sizeof x);
  return x;
}

CAP_INLINE void set(double to[LANES], eight x)
{
  memcpy(to, &x, sizeof x);
}

/* ---- the pieces ---------------------------------------------------------------------------------------- */

static void add_piece(const cap_ring_ale *a, const cap_ring_frame *f, int which, bool after, int e,
                      const double start[2], const double stop[2], pieces *c)
{
  part p;
  double origin = part_load(a, f, which, after, &p), still = which == CAP_RING_PART_LOWER ? -1.0 : 1.0;
  bool arc = which == CAP_RING_PART_S || which == CAP_RING_PART_P;
  const double value[COEFFICIENTS] = {[RT_E0] = p.rT_e[0],
                                      [RT_E1] = p.rT_e[1],
                                      [RT_F0] = p.rT_f[0],
                                      [RT_F1] = p.rT_f[1],
                                      [R1T_E0] = p.r1T_e[0],
                                      [R1T_E1] = p.r1T_e[1],
                                      [RTT_E0] = p.rTT_e[0],
                                      [RTT_E1] = p.rTT_e[1],
                                      [RTT_E2] = p.rTT_e[2],
                                      [RTT_F0] = p.rTT_f[0],
                                      [RTT_F1] = p.rTT_f[1],
                                      [K] = p.k,
                                      [KQ] = p.kq,
                                      [RATE] = p.rate,
                                      [ORIGIN] = origin,
                                      [TURNING] = !arc                       ? 0.0
                                                  : which == CAP_RING_PART_S ? 1.0
                                                                             : -1.0,
                                      [STILL_C] = arc ? 0.0 : f->sine,
                                      [STILL_S] = arc ? 0.0 : still * f->cosine,
                                      [FROM] = a->node[e],
                                      [SIZE] = a->size[e],
                                      [START] = start[0],
                                      [WIDTH] = stop[0] - start[0],
                                      [START_SLOPE] = start[1],
                                      [WIDTH_SLOPE] = stop[1] - start[1]};
  int lane = c->n++;
  c->element[lane] = e;
  for (int k = 0; k < COEFFICIENTS; k++) c->at[k][lane] = value[k];
}

/* As points_of in ring_ale_points.h has them. */
static void cut_element(const cap_ring_ale *a, const cap_ring_frame *f, int e, pieces *c)
{
  static const int before[CAP_RING_PARTS + 1] = {CAP_RING_PART_S, CAP_RING_PART_UPPER, CAP_RING_PART_P,
                                                 CAP_RING_PART_LOWER, CAP_RING_PART_S};
  double L = a->ref.length, from = a->node[e], end = from + a->size[e];
  const double joint[CAP_RING_PARTS][2] = {{f->a.d[0], f->a.d[1]},
                                           {f->c.d[0], f->c.d[1]},
                                           {L - f->c.d[0], -f->c.d[1]},
                                           {L - f->a.d[0], -f->a.d[1]}};
  double start[2] = {from, 0.0};
  int next = 0;
  while (next < CAP_RING_PARTS && joint[next][0] <= from) next++;
  for (bool last = false; !last; next++) {
    last = next == CAP_RING_PARTS || joint[next][0] >= end;
    double stop[2] = {last ? end : joint[next][0], last ? 0.0 : joint[next][1]};
    if (stop[0] > start[0] && c->n < LANES)
      add_piece(a, f, before[next], next == CAP_RING_PARTS, e, start, stop, c);
    memcpy(start, stop, sizeof start);
  }
}

static void load_local(const cap_ring_ale *a, const double *q, const pieces *c, double to[][LANES])
{
  double local[CAP_RING_ALE_LOCAL];
  for (int lane = 0; lane < LANES; lane++) {
    if (lane < c->n && (lane == 0 || c->element[lane] != c->element[lane - 1]))
      cap_ring_ale_local(a, q, c->element[lane], local);
    for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) to[k][lane] = local[k];
  }
}

/* Lanes without a piece repeat others; what they answer is forgotten. */
static void load(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, const double *v, int n,
                 const int *cut, pieces *c)
{
  c->n = 0;
  for (int k = 0; k < n; k++) cut_element(a, f, cut[k], c);
  for (int lane = c->n; lane < LANES; lane++)
    for (int k = 0; k < COEFFICIENTS; k++) c->at[k][lane] = c->at[k][0];
  load_local(a, q, c, c->q);
  if (v) load_local(a, v, c, c->v);
}

/* ---- points -------------------------------------------------------------------------------------------- */

/* (C, S) at the points of a rule, kept from `first` on. */
CAP_INLINE void turn(const lane_rule *rule, int first, pieces *restrict c)
{
  for (int k = 0; k < rule->n; k++) {
    double *restrict C = c->C[first + k], *restrict S = c->S[first + k];
    double at = rule->at[k];
    CAP_EACH_LANE(l, LANES)
    {
      double xi = c->at[START][l] + at * c->at[WIDTH][l], z = (xi - c->at[ORIGIN][l]) * c->at[RATE][l];
      C[l] = c->at[TURNING][l] * capm_sine(z + 0.5 * M_PI) + c->at[STILL_C][l];
      S[l] = c->at[TURNING][l] * capm_sine(z) + c->at[STILL_S][l];
    }
  }
}

CAP_INLINE void place(const pieces *c, eight z, eight C, eight S, lane_place *p)
{
  eight e[2] = {-C, S}, f[2] = {S, C}, k = get(c->at[K]), kq = get(c->at[KQ]);
  eight rT_e = get(c->at[RT_E0]) + z * get(c->at[RT_E1]), rT_f = get(c->at[RT_F0]) + z * get(c->at[RT_F1]);
  eight r1T_e = get(c->at[R1T_E0]) + z * get(c->at[R1T_E1]);
  eight rTT_e = get(c->at[RTT_E0]) + z * (get(c->at[RTT_E1]) + z * get(c->at[RTT_E2]));
  eight rTT_f = get(c->at[RTT_F0]) + z * get(c->at[RTT_F1]);
  for (int i = 0; i < 2; i++) {
    p->r1[i] = f[i];
    p->r2[i] = -k * e[i];
    p->r3[i] = -k * k * f[i];
    p->rT[i] = rT_e * e[i] + rT_f * f[i];
    p->r1T[i] = r1T_e * e[i];
    p->r2T[i] = kq * (e[i] + z * f[i]);
    p->rTT[i] = rTT_e * e[i] + rTT_f * f[i];
  }
}

CAP_INLINE void point_of(const lane_rule *rule, int k, int first, const pieces *c, lane_point *p)
{
  eight start = get(c->at[START]), width = get(c->at[WIDTH]), size = get(c->at[SIZE]);
  eight xi = start + rule->at[k] * width, z = (xi - get(c->at[ORIGIN])) * get(c->at[RATE]);
  eight grow = get(c->at[WIDTH_SLOPE]);
  place(c, z, get(c->C[first + k]), get(c->S[first + k]), &p->place);
  lane_shape_at((xi - get(c->at[FROM])) / size, size, &p->shape);
  p->weight = rule->weight[k] * width;
  p->growth = rule->weight[k] * grow;
  p->shift = get(c->at[START_SLOPE]) + rule->at[k] * grow;
}

/* ---- forces -------------------------------------------------------------------------------------------- */

CAP_CLONES static void forces_of(const cap_ring_ale *a, double u, double w, pieces *c)
{
  const lane_rule *kinetic = lane_rule_of(CAP_RING_ALE_KINETIC, false),
                  *strain = lane_rule_of(CAP_RING_ALE_STRAIN, false),
                  *bending = lane_rule_of(CAP_RING_ALE_BENDING, false);
  eight zero = {0.0};
  lane_motion m = {.u = zero + u, .w = zero + w};
  lane_answer out = {0};
  lane_point p;
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    m.q[k] = get(c->q[k]);
    m.v[k] = get(c->v[k]);
  }
  turn(kinetic, 0, c);
  turn(strain, 3, c);
  turn(bending, 6, c);
  for (int k = 0; k < 3; k++) {
    point_of(kinetic, k, 0, c, &p);
    lane_add_kinetic(a, &p, &m, &out);
  }
  for (int k = 0; k < 3; k++) {
    point_of(strain, k, 3, c, &p);
    lane_add_strain(a, &p, &m, &out);
  }
  for (int k = 0; k < 2; k++) {
    point_of(bending, k, 6, c, &p);
    lane_add_bending(a, &p, &m, &out);
  }
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) set(c->answer[k], out.f[k]);
  set(c->s, out.s);
  set(c->theta, out.theta);
  set(c->lost, out.lost);
}

static void add_sums(const pieces *c, cap_ring_ale_fast_sums *sums)
{
  for (int lane = 0; lane < c->n; lane++) {
    sums->s += c->s[lane];
    sums->theta += c->theta[lane];
    sums->lost += c->lost[lane];
  }
}

void cap_ring_ale_cut_forces(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, const double *v,
                             int n, const int *cut, double *h, cap_ring_ale_fast_sums *sums)
{
  pieces c;
  if (n == 0) return;
  load(a, f, q, v, n, cut, &c);
  double w, u = cap_ring_ale_speed(a, v, &w);
  forces_of(a, u, w, &c);
  for (int lane = 0; lane < c.n; lane++)
    for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
      int i = cap_ring_ale_coordinate(a, c.element[lane], k);
      if (i >= 0) h[i] += c.answer[k][lane];
    }
  add_sums(&c, sums);
}

/* ---- border of the mass matrix ------------------------------------------------------------------------- */

CAP_CLONES static void border_of(const cap_ring_ale *a, pieces *c)
{
  const lane_rule *kinetic = lane_rule_of(CAP_RING_ALE_KINETIC, false),
                  *strain = lane_rule_of(CAP_RING_ALE_STRAIN, false);
  double rho = a->ring.section.mass / a->gain;
  eight q[CAP_RING_ALE_LOCAL], B[2 * CAP_RING_ALE_LOCAL] = {{0.0}}, ss = {0.0}, st = {0.0}, tt = {0.0}, r1[2];
  lane_point p;
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) q[k] = get(c->q[k]);
  turn(kinetic, 0, c);
  turn(strain, 3, c);
  for (int k = 0; k < 3; k++) {
    point_of(kinetic, k, 0, c, &p);
    eight w = rho * p.weight;
    lane_blend(p.shape.n1, q, r1);
    for (int i = 0; i < 2; i++) r1[i] += p.place.r1[i];
    for (int j = 0; j < CAP_RING_ALE_LOCAL; j++) {
      B[2 * j] += w * p.shape.n0[j / 2] * r1[j % 2];
      B[2 * j + 1] += w * p.shape.n0[j / 2] * p.place.rT[j % 2];
    }
    st += w * lane_dot(r1, p.place.rT);
    tt += w * lane_dot(p.place.rT, p.place.rT);
  }
  for (int k = 0; k < 3; k++) {
    point_of(strain, k, 3, c, &p);
    lane_blend(p.shape.n1, q, r1);
    for (int i = 0; i < 2; i++) r1[i] += p.place.r1[i];
    ss += rho * p.weight * lane_dot(r1, r1);
  }
  for (int k = 0; k < 2 * CAP_RING_ALE_LOCAL; k++) set(c->answer[k], B[k]);
  set(c->s, ss);
  set(c->theta, st);
  set(c->lost, tt);
}

void cap_ring_ale_cut_border(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, int n,
                             const int *cut, double *border, cap_ring_ale_fast_sums *sums)
{
  pieces c;
  if (n == 0) return;
  load(a, f, q, NULL, n, cut, &c);
  border_of(a, &c);
  for (int lane = 0; lane < c.n; lane++)
    for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
      int i = cap_ring_ale_coordinate(a, c.element[lane], k) - a->deform;
      if (i < 0) continue;
      border[(i / 2) * 4 + i % 2] += c.answer[2 * k][lane];
      border[(i / 2) * 4 + 2 + i % 2] += c.answer[2 * k + 1][lane];
    }
  add_sums(&c, sums);
}
