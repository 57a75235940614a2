/* elements/ring_ale_fast.c — forces and mass border of the elements of an `ale` ring that no joint cuts.
 *
 * The same sums as ring_ale_element.h makes, for a run of elements at once, so that they fill vector
 * registers. On one part of the reference curve everything is a low polynomial of one coordinate z times two
 * directions: e = (-C, S) and f = (S, C), f = r'. On an arc z is the angle and (C, S) turn along with it, on
 * a strand z is the distance and they stand still.
 *
 * Reads: q, v. Cost: 37 ns an element for the forces, 33 ns for the border with its half solution, of
 * AVX-512.
 */
#include "elements/ring_ale_part.h"

#include "base/clones.h"
#include "laws/sine.h"

#include <math.h>
#include <string.h>

enum { RUN = 64, LINE = 8 }; /* elements of a run, of a vector register */
enum { AT_LEFT, AT_K0, AT_B0, AT_MID, AT_B1, AT_K2, AT_RIGHT, PLACES }; /* in ascending order */

#define GAUSS3 0.11270166537925831148
#define GAUSS2 0.21132486540518711775

static const double place_of[PLACES] = {0.0, GAUSS3, GAUSS2, 0.5, 1.0 - GAUSS2, 1.0 - GAUSS3, 1.0};

typedef struct law {
  double u, w, rho, EA, EI, gain, damping;
} law;

/* A run: values at its n + 1 nodes, and of its n elements. All rows begin at a cache line. */
typedef struct run {
  _Alignas(64) double q[4][RUN + LINE], v[4][RUN + LINE]; /* x, y, x', y' */
  double l[RUN], i[RUN], z[RUN];                          /* length, its inverse; z at its left end */
  double C[PLACES][RUN], S[PLACES][RUN];
  double left[4][RUN], right[4][RUN];             /* answers at both ends */
  double left_theta[4][RUN], right_theta[4][RUN]; /* of the border: those of Theta */
  double s[RUN], theta[RUN], lost[RUN];           /* of the border: M_ss, M_sT, M_TT */
  int n;                                          /* elements */
  int lane; /* the same, filled up to whole vectors; what is beyond n is finite and forgotten */
} run;

typedef struct two {
  double x, y;
} two;

CAP_INLINE two mix(double a, two u, double b, two v)
{
  return (two){a * u.x + b * v.x, a * u.y + b * v.y};
}

CAP_INLINE double dot(two a, two b)
{
  return a.x * b.x + a.y * b.y;
}

/* ---- preparing a run ----------------------------------------------------------------------------------- */

/* (C, S) at two places, by turning those of the middle there and back. */
CAP_INLINE void turn_places(run *restrict r, double radius_inverse, bool even, int before, int behind)
{
  const double *restrict Cm = r->C[AT_MID], *restrict Sm = r->S[AT_MID];
  double *restrict C0 = r->C[before], *restrict S0 = r->S[before], *restrict C1 = r->C[behind],
                   *restrict S1 = r->S[behind], off = (place_of[behind] - 0.5) * radius_inverse;
  double c0 = capm_sine(off * r->l[0] + 0.5 * M_PI), s0 = capm_sine(off * r->l[0]);
  CAP_EACH_LANE(e, r->lane)
  {
    double c = even ? c0 : capm_sine(off * r->l[e] + 0.5 * M_PI), s = even ? s0 : capm_sine(off * r->l[e]);
    double Cc = Cm[e] * c, Cs = Cm[e] * s, Sc = Sm[e] * c, Ss = Sm[e] * s;
    C0[e] = Cc + Ss;
    S0[e] = Sc - Cs;
    C1[e] = Cc - Ss;
    S1[e] = Sc + Cs;
  }
}

CAP_INLINE void turn_all(run *restrict r, double radius_inverse, bool even)
{
  turn_places(r, radius_inverse, even, AT_LEFT, AT_RIGHT);
  turn_places(r, radius_inverse, even, AT_K0, AT_K2);
  turn_places(r, radius_inverse, even, AT_B0, AT_B1);
}

CAP_CLONES static void turn_arc(run *r, double radius_inverse, double sign, bool even)
{
  double *restrict Cm = r->C[AT_MID], *restrict Sm = r->S[AT_MID];
  CAP_EACH_LANE(e, r->lane)
  {
    double al = r->z[e] + 0.5 * r->l[e] * radius_inverse;
    Cm[e] = sign * capm_sine(al + 0.5 * M_PI);
    Sm[e] = sign * capm_sine(al);
  }
  if (even) turn_all(r, radius_inverse, true);
  else turn_all(r, radius_inverse, false);
}

CAP_CLONES static void stand(run *r, double C, double S)
{
  for (int k = 0; k < PLACES; k++) CAP_EACH_LANE(e, r->lane)
    {
      r->C[k][e] = C;
      r->S[k][e] = S;
    }
}

static int fill_up(int n)
{
  return (n + 7) & ~7;
}

/* Inside a run no node is node 0. */
CAP_CLONES static void load_nodes(const cap_ring_ale *a, const double *q, int first, int n,
                                  double out[restrict 4][RUN + LINE])
{
  double end[2][4];
  const double *restrict from = q + a->deform + 4 * (first - 1);
  cap_ring_ale_node(a, q, first, end[0]);
  cap_ring_ale_node(a, q, first + n, end[1]);
  CAP_EACH_LANE(i, n - 1)
  {
    out[0][i + 1] = from[4 * i + 4];
    out[1][i + 1] = from[4 * i + 5];
    out[2][i + 1] = from[4 * i + 6];
    out[3][i + 1] = from[4 * i + 7];
  }
  for (int k = 0; k < 4; k++) {
    out[k][0] = end[0][k];
    out[k][n] = end[1][k];
    for (int i = n + 1; i <= fill_up(n); i++) out[k][i] = 0.0;
  }
}

/* Lengths of the elements and z at their left ends. */
CAP_CLONES static void load_mesh(const double *restrict node, const double *restrict size, double origin,
                                 double rate, run *restrict r)
{
  CAP_EACH_LANE(e, r->n)
  {
    r->l[e] = size[e];
    r->z[e] = (node[e] - origin) * rate;
  }
  for (int e = r->n; e < r->lane; e++) {
    r->l[e] = r->l[0];
    r->z[e] = r->z[0];
  }
  CAP_EACH_LANE(e, r->lane) r->i[e] = 1.0 / r->l[e];
}

/* Elements [first, first + n) of a part of the curve. */
static void load(const cap_ring_ale *a, const cap_ring_frame *f, int which, int first, int n, run *r, part *p)
{
  bool after = a->ref.table && a->node[first] > 0.5 * a->ref.length;
  double origin = part_load(a, f, which, after, p);
  r->n = n;
  r->lane = fill_up(n);
  load_mesh(a->node + first, a->size + first, origin, p->rate, r);
  if (which == CAP_RING_PART_S) turn_arc(r, p->rate, 1.0, a->even);
  else if (which == CAP_RING_PART_P) turn_arc(r, p->rate, -1.0, a->even);
  else stand(r, f->sine, which == CAP_RING_PART_UPPER ? f->cosine : -f->cosine);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

/* One element: ends i (left) and j (right) of place r, slope t; the same of the velocities. */
typedef struct local {
  two ri, ti, rj, tj;
} local;

CAP_INLINE local local_of(const double from[4][RUN + LINE], int e)
{
  return (local){{from[0][e], from[1][e]},
                 {from[2][e], from[3][e]},
                 {from[0][e + 1], from[1][e + 1]},
                 {from[2][e + 1], from[3][e + 1]}};
}

/* Hermite functions at a fixed place x, length l: n[0] (ri) + n[1] (ti) + n[2] (rj) + n[3] (tj). */
typedef struct four {
  double n[4];
} four;

CAP_INLINE two blend(four n, const local *q)
{
  return (two){n.n[0] * q->ri.x + n.n[1] * q->ti.x + n.n[2] * q->rj.x + n.n[3] * q->tj.x,
               n.n[0] * q->ri.y + n.n[1] * q->ti.y + n.n[2] * q->rj.y + n.n[3] * q->tj.y};
}

CAP_INLINE void spread(four n, two F, local *f)
{
  f->ri = mix(1.0, f->ri, n.n[0], F);
  f->ti = mix(1.0, f->ti, n.n[1], F);
  f->rj = mix(1.0, f->rj, n.n[2], F);
  f->tj = mix(1.0, f->tj, n.n[3], F);
}

/* The same of derivatives, whose n[0] is -n[2]. */
CAP_INLINE two blend_slope(four n, const local *q)
{
  return (two){n.n[2] * (q->rj.x - q->ri.x) + (n.n[1] * q->ti.x + n.n[3] * q->tj.x),
               n.n[2] * (q->rj.y - q->ri.y) + (n.n[1] * q->ti.y + n.n[3] * q->tj.y)};
}

CAP_INLINE void spread_slope(four n, two F, local *f)
{
  two across = {n.n[2] * F.x, n.n[2] * F.y};
  f->ri = (two){f->ri.x - across.x, f->ri.y - across.y};
  f->rj = (two){f->rj.x + across.x, f->rj.y + across.y};
  f->ti = mix(1.0, f->ti, n.n[1], F);
  f->tj = mix(1.0, f->tj, n.n[3], F);
}

CAP_INLINE four shape0(double x, double l)
{
  double y = 1.0 - x;
  return (four){{y * y * (1.0 + 2.0 * x), l * (x * y * y), x * x * (1.0 + 2.0 * y), -l * (x * x * y)}};
}

CAP_INLINE four shape1(double x, double i)
{
  double y = 1.0 - x;
  return (four){{-i * (6.0 * x * y), y * (1.0 - 3.0 * x), i * (6.0 * x * y), -x * (3.0 * y - 1.0)}};
}

CAP_INLINE four shape2(double x, double i)
{
  return (four){
      {i * i * (12.0 * x - 6.0), i * (6.0 * x - 4.0), i * i * (6.0 - 12.0 * x), i * (6.0 * x - 2.0)}};
}

CAP_INLINE four shape3(double i)
{
  return (four){{12.0 * i * i * i, 6.0 * i * i, -12.0 * i * i * i, 6.0 * i * i}};
}

CAP_INLINE void kinetic(const law *c, const part *p, double x, double weight, double l, double i, double z,
                        two e, two f, const local *q, const local *v, local *out, cap_ring_ale_fast_sums *sum)
{
  four n0 = shape0(x, l), n1 = shape1(x, i);
  double u = c->u, w = c->w, rho = c->rho * (weight * l);
  two rT = mix(p->rT_e[0] + z * p->rT_e[1], e, p->rT_f[0] + z * p->rT_f[1], f);
  two rTT = mix(p->rTT_e[0] + z * (p->rTT_e[1] + z * p->rTT_e[2]), e, p->rTT_f[0] + z * p->rTT_f[1], f);
  double r1T = p->r1T_e[0] + z * p->r1T_e[1];
  two r1 = mix(1.0, blend_slope(n1, q), 1.0, f), f1 = mix(1.0, blend_slope(n1, v), w * r1T, e);
  two y = mix(1.0, blend(n0, v), w, rT), a0 = mix(u, f1, w * w, rTT);
  spread(n0, (two){-rho * a0.x, -rho * a0.y}, out);
  spread_slope(n1, (two){rho * u * y.x, rho * u * y.y}, out);
  sum->s -= rho * (dot(f1, y) + w * w * dot(r1, rTT));
  sum->theta -= rho * (dot(a0, rT) - u * r1T * dot(y, e));
}

/* At an end (side -1: left, 1: right) the slope is that of the node, and the force is its alone. */
CAP_INLINE void strain(const law *c, const part *p, int side, double weight, double l, double i, double z,
                       two e, two f, const local *q, const local *v, local *out, cap_ring_ale_fast_sums *sum,
                       bool damped)
{
  four n1 = shape1(0.5, i);
  double u = c->u, r1T = p->r1T_e[0] + z * p->r1T_e[1], drag = 0.0, along = 0.0;
  two slope = side < 0 ? q->ti : side > 0 ? q->tj : blend_slope(n1, q);
  two speed = side < 0 ? v->ti : side > 0 ? v->tj : blend_slope(n1, v);
  two r1 = mix(1.0, slope, 1.0, f), f1 = mix(1.0, speed, c->w * r1T, e);
  double square = dot(r1, r1), inverse = 1.0 / sqrt(square), stretch = square * inverse;
  weight *= l;
  if (damped) {
    two r2 = mix(1.0, blend_slope(shape2(0.5 + 0.5 * side, i), q), -p->k, e);
    along = dot(r1, r2) * inverse;
    double faster = u * along + dot(r1, f1) * inverse;
    drag = c->EA * c->gain * c->damping * faster;
    sum->lost += weight * drag * faster;
  }
  double pull = weight * (c->EA * (c->gain * stretch - 1.0) + drag - c->rho * u * u * stretch) * inverse;
  two F = {-pull * r1.x, -pull * r1.y};
  if (side < 0) out->ti = mix(1.0, out->ti, 1.0, F);
  else if (side > 0) out->tj = mix(1.0, out->tj, 1.0, F);
  else spread_slope(n1, F, out);
  sum->s -= weight * (drag * along + 2.0 * c->rho * u * dot(r1, f1));
  sum->theta -= pull * r1T * dot(r1, e);
}

CAP_INLINE void bending(const law *c, const part *p, double x, double weight, double l, double i, double z,
                        two e, two f, const local *q, const local *v, local *out, cap_ring_ale_fast_sums *sum,
                        bool damped)
{
  four n1 = shape1(x, i), n2 = shape2(x, i);
  double r1T = p->r1T_e[0] + z * p->r1T_e[1];
  two r1 = mix(1.0, blend_slope(n1, q), 1.0, f), r2 = mix(1.0, blend_slope(n2, q), -p->k, e);
  double i2 = 1.0 / dot(r1, r1), k = (r1.x * r2.y - r1.y * r2.x) * i2, M = c->EI * k;
  two A = {(r2.y - 2.0 * k * r1.x) * i2, (-r2.x - 2.0 * k * r1.y) * i2}, B = {-r1.y * i2, r1.x * i2};
  two r2T = mix(p->kq, e, p->kq * z, f);
  double to_theta = r1T * dot(A, e) + dot(B, r2T);
  weight *= l;
  if (damped) {
    two r3 = mix(1.0, blend_slope(shape3(i), q), -p->k * p->k, f);
    double along = dot(A, r2) + dot(B, r3);
    double turns = c->u * along + c->w * to_theta + dot(A, blend_slope(n1, v)) + dot(B, blend_slope(n2, v));
    double drag = c->EI * c->damping * turns;
    M += drag;
    sum->s -= weight * drag * along;
    sum->lost += weight * drag * turns;
  }
  M *= weight;
  spread_slope(n1, (two){-M * A.x, -M * A.y}, out);
  spread_slope(n2, (two){-M * B.x, -M * B.y}, out);
  sum->theta -= M * to_theta;
}

/* One point at a time: what all need would not fit the registers. */
#define POINT(kind, first, at, where, weight, ...)                                                           \
  CAP_EACH_LANE(e, r->lane)                                                                                  \
  {                                                                                                          \
    double l = r->l[e], i = r->i[e], z = r->z[e] + p->rate * place_of[at] * l, C = r->C[at][e],              \
           S = r->S[at][e];                                                                                  \
    local q = local_of(r->q, e), v = local_of(r->v, e);                                                      \
    local out = {0};                                                                                         \
    cap_ring_ale_fast_sums sum = {0};                                                                        \
    if (!first) {                                                                                            \
      out = (local){{r->left[0][e], r->left[1][e]},                                                          \
                    {r->left[2][e], r->left[3][e]},                                                          \
                    {r->right[0][e], r->right[1][e]},                                                        \
                    {r->right[2][e], r->right[3][e]}};                                                       \
      sum = (cap_ring_ale_fast_sums){r->s[e], r->theta[e], r->lost[e]};                                      \
    }                                                                                                        \
    kind(c, p, where, weight, l, i, z, (two){-C, S}, (two){S, C}, &q, &v, &out, &sum __VA_ARGS__);           \
    r->left[0][e] = out.ri.x;                                                                                \
    r->left[1][e] = out.ri.y;                                                                                \
    r->left[2][e] = out.ti.x;                                                                                \
    r->left[3][e] = out.ti.y;                                                                                \
    r->right[0][e] = out.rj.x;                                                                               \
    r->right[1][e] = out.rj.y;                                                                               \
    r->right[2][e] = out.tj.x;                                                                               \
    r->right[3][e] = out.tj.y;                                                                               \
    r->s[e] = sum.s;                                                                                         \
    r->theta[e] = sum.theta;                                                                                 \
    r->lost[e] = sum.lost;                                                                                   \
  }

CAP_INLINE void forces_of(const law *c, const part *p, run *restrict r, bool damped){
    POINT(kinetic, true, AT_K0, GAUSS3, 5.0 / 18.0) POINT(kinetic, false, AT_MID, 0.5, 8.0 / 18.0)
        POINT(kinetic, false, AT_K2, 1.0 - GAUSS3, 5.0 / 18.0)
            POINT(strain, false, AT_LEFT, -1, 1.0 / 6.0, , damped)
                POINT(strain, false, AT_MID, 0, 4.0 / 6.0, , damped)
                    POINT(strain, false, AT_RIGHT, 1, 1.0 / 6.0, , damped)
                        POINT(bending, false, AT_B0, GAUSS2, 0.5, , damped)
                            POINT(bending, false, AT_B1, 1.0 - GAUSS2, 0.5, , damped)}
#undef POINT

CAP_CLONES static void run_forces(const law *c, const part *p, run *r)
{
  if (c->damping > 0.0) forces_of(c, p, r, true);
  else forces_of(c, p, r, false);
}

/* ---- border of the mass matrix ------------------------------------------------------------------------- */

CAP_INLINE void border_point(const law *c, const part *p, run *restrict r, bool first, int at, double weight)
{
  const double *restrict C = r->C[at], *restrict S = r->S[at];
  double x = place_of[at], rho = c->rho * weight;
  CAP_EACH_LANE(e, r->lane)
  {
    double l = r->l[e], i = r->i[e], z = r->z[e] + p->rate * x * l, w = rho * l;
    local q = local_of(r->q, e);
    two f = {S[e], C[e]}, g = {-C[e], S[e]};
    two r1 = mix(1.0, blend_slope(shape1(x, i), &q), 1.0, f);
    two rT = mix(p->rT_e[0] + z * p->rT_e[1], g, p->rT_f[0] + z * p->rT_f[1], f);
    four n = shape0(x, l);
    for (int d = 0; d < 4; d++) {
      double(*s)[RUN] = d < 2 ? r->left + 2 * d : r->right + 2 * d - 4, wn = w * n.n[d];
      double(*theta)[RUN] = d < 2 ? r->left_theta + 2 * d : r->right_theta + 2 * d - 4;
      s[0][e] = (first ? 0.0 : s[0][e]) + wn * r1.x;
      s[1][e] = (first ? 0.0 : s[1][e]) + wn * r1.y;
      theta[0][e] = (first ? 0.0 : theta[0][e]) + wn * rT.x;
      theta[1][e] = (first ? 0.0 : theta[1][e]) + wn * rT.y;
    }
    r->theta[e] = (first ? 0.0 : r->theta[e]) + w * dot(r1, rT);
    r->lost[e] = (first ? 0.0 : r->lost[e]) + w * dot(rT, rT);
  }
}

CAP_CLONES static void run_border(const law *c, const part *p, run *restrict r)
{
  border_point(c, p, r, true, AT_K0, 5.0 / 18.0);
  border_point(c, p, r, false, AT_MID, 8.0 / 18.0);
  border_point(c, p, r, false, AT_K2, 5.0 / 18.0);
  CAP_EACH_LANE(e, r->lane) /* M_ss: at the points of the strain */
  {
    local q = local_of(r->q, e);
    two left = {q.ti.x + r->S[AT_LEFT][e], q.ti.y + r->C[AT_LEFT][e]},
        right = {q.tj.x + r->S[AT_RIGHT][e], q.tj.y + r->C[AT_RIGHT][e]},
        mid = mix(1.0, blend_slope(shape1(0.5, r->i[e]), &q), 1.0, (two){r->S[AT_MID][e], r->C[AT_MID][e]});
    r->s[e] = c->rho * r->l[e] * ((dot(left, left) + dot(right, right)) + 4.0 * dot(mid, mid)) / 6.0;
  }
}

/* ---- the ring in runs ---------------------------------------------------------------------------------- */

static law law_of(const cap_ring_ale *a)
{
  const cap_ring_section *s = &a->ring.section;
  return (law){
      .rho = s->mass / a->gain, .EA = s->EA, .EI = s->EI * a->gain, .gain = a->gain, .damping = s->damping};
}

/* Where the answers of a node belong in q_f, and how many of x, y, x', y' it has. */
static double *node_answers(const cap_ring_ale *a, int node, double *base, int stride, int *from)
{
  int k = node % a->n;
  *from = k || a->released ? 0 : 2;
  return base + (k ? 4 * (k - 1) : 4 * (a->n - 1)) / 2 * stride;
}

/* Answers are laid out as [row][stride]: x, y of one row side by side, from `column` on. */
static void put_node(const cap_ring_ale *a, int node, const double *value, double *base, int stride,
                     int column)
{
  int from;
  double *to = node_answers(a, node, base, stride, &from);
  for (int k = from; k < 4; k++) to[(k - from) / 2 * stride + column + k % 2] += value[k];
}

CAP_INLINE void put(const cap_ring_ale *a, int first, const run *r, const double left[restrict 4][RUN],
                    const double right[restrict 4][RUN], double *restrict base, int stride, int column)
{
  double value[4];
  for (int k = 0; k < 4; k++) value[k] = left[k][0];
  put_node(a, first, value, base, stride, column);
  /* inside a run no node is node 0 */
  double *restrict to = base + 2 * first * stride + column;
  CAP_EACH_LANE(e, r->n - 1)
  {
    to[2 * stride * e] += left[0][e + 1] + right[0][e];
    to[2 * stride * e + 1] += left[1][e + 1] + right[1][e];
    to[2 * stride * e + stride] += left[2][e + 1] + right[2][e];
    to[2 * stride * e + stride + 1] += left[3][e + 1] + right[3][e];
  }
  for (int k = 0; k < 4; k++) value[k] = right[k][r->n - 1];
  put_node(a, first + r->n, value, base, stride, column);
}

CAP_CLONES static void put_forces(const cap_ring_ale *a, int first, const run *r, double *h)
{
  put(a, first, r, r->left, r->right, h, 2, 0);
}

CAP_CLONES static void put_border(const cap_ring_ale *a, int first, const run *r, double *border)
{
  put(a, first, r, r->left, r->right, border, 4, 0);
  put(a, first, r, r->left_theta, r->right_theta, border, 4, 2);
}

/* What is computed of each run. */
typedef struct job {
  const cap_ring_ale *a;
  const cap_ring_frame *f;
  const double *q, *v; /* v NULL: the border */
  law law;
  double *out; /* h of q_f, or the border */
  cap_ring_ale_fast_sums sums;
} job;

typedef double line __attribute__((vector_size(LINE * sizeof(double))));

/* In parts that do not wait for each other. */
CAP_INLINE double total(const run *r, double *restrict x)
{
  line sum = {0.0}, next;
  for (int e = r->n; e < r->lane; e++) x[e] = 0.0;
  for (int e = 0; e < r->lane; e += LINE) {
    memcpy(&next, x + e, sizeof next);
    sum += next;
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

CAP_CLONES static void add_totals(run *r, cap_ring_ale_fast_sums *sums)
{
  sums->s += total(r, r->s);
  sums->theta += total(r, r->theta);
  sums->lost += total(r, r->lost);
}

static void do_run(job *j, int which, int first, int n)
{
  run r;
  part p;
  load(j->a, j->f, which, first, n, &r, &p);
  load_nodes(j->a, j->q, first, n, r.q);
  if (j->v) {
    load_nodes(j->a, j->v, first, n, r.v);
    run_forces(&j->law, &p, &r);
    put_forces(j->a, first, &r, j->out);
  } else {
    run_border(&j->law, &p, &r);
    put_border(j->a, first, &r, j->out);
  }
  add_totals(&r, &j->sums);
}

static void do_part(job *j, int which, int first, int end)
{
  for (; first < end; first += RUN) do_run(j, which, first, end - first < RUN ? end - first : RUN);
}

/* All elements between joints; those that a joint cuts are listed. */
static int do_all(job *j, int cut[CAP_RING_PARTS])
{
  static const int parts[CAP_RING_PARTS + 1] = {CAP_RING_PART_S, CAP_RING_PART_UPPER, CAP_RING_PART_P,
                                                CAP_RING_PART_LOWER, CAP_RING_PART_S};
  const cap_ring_ale *a = j->a;
  double L = a->ref.length,
         joint[CAP_RING_PARTS] = {j->f->a.d[0], j->f->c.d[0], L - j->f->c.d[0], L - j->f->a.d[0]};
  int e = 0, ncut = 0;
  for (int k = 0; k < CAP_RING_PARTS && a->ref.table; k++) {
    int end = cap_ring_ale_find(a, joint[k]);
    do_part(j, parts[k], e, end);
    if (end > e) e = end;
    if (end == e && joint[k] > a->node[end]) cut[ncut++] = e++;
  }
  do_part(j, CAP_RING_PART_S, e, a->n);
  return ncut;
}

int cap_ring_ale_fast_forces(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, const double *v,
                             double *h, cap_ring_ale_fast_sums *sums, int cut[CAP_RING_PARTS])
{
  job j = {.a = a, .f = f, .q = q, .v = v, .law = law_of(a), .out = h + a->deform};
  j.law.u = cap_ring_ale_speed(a, v, &j.law.w);
  int n = do_all(&j, cut);
  *sums = j.sums;
  return n;
}

int cap_ring_ale_fast_border(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, double *border,
                             cap_ring_ale_fast_sums *sums, int cut[CAP_RING_PARTS])
{
  job j = {.a = a, .f = f, .q = q, .law = law_of(a), .out = border};
  int n = do_all(&j, cut);
  *sums = j.sums;
  return n;
}
