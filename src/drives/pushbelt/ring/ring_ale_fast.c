/* drives/pushbelt/ring/ring_ale_fast.c — forces and mass border of the elements of an `ale` ring that no
 * joint cuts.
 *
 * The same sums as ring_ale_element.h makes, for a run of elements at once, so that they fill vector
 * registers. On one part of the reference curve everything is a low polynomial of one coordinate z times two
 * directions: e = (-C, S) and f = (S, C), f = r'. On an arc z is the angle and (C, S) turn along with it, on
 * a strand z is the distance and they stand still.
 *
 * Reads: q, v.
 * Cost:  22 ns an element for the forces, 20 ns for the border with its half solution, of AVX-512.
 */
#include "drives/pushbelt/ring/ring_ale_part.h"

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

/* Its cubic as a polynomial of X = x - 1/2: the slope is m0 + m1 X + m2 X^2, its value c + l (m0 X + m1 X^2/2
 * + m2 X^3/3). At the middle and at the ends most of it is known at once. */
typedef struct poly {
  two c, m0, m1, m2;
} poly;

CAP_INLINE poly poly_of(const local *q, double l, double i)
{
  two D = {i * (q->rj.x - q->ri.x), i * (q->rj.y - q->ri.y)}, T = mix(1.0, q->ti, 1.0, q->tj);
  two m1 = {q->tj.x - q->ti.x, q->tj.y - q->ti.y};
  return (poly){
      .c = {0.5 * (q->ri.x + q->rj.x) - 0.125 * l * m1.x, 0.5 * (q->ri.y + q->rj.y) - 0.125 * l * m1.y},
      .m0 = mix(1.5, D, -0.25, T),
      .m1 = m1,
      .m2 = mix(-6.0, D, 3.0, T)};
}

/* Its transpose: what forces on the coefficients are to the nodes. */
CAP_INLINE void poly_spread(const poly *g, double l, double i, local *f)
{
  two D = mix(1.5 * i, g->m0, -6.0 * i, g->m2), T = mix(-0.25, g->m0, 3.0, g->m2);
  two turn = mix(1.0, g->m1, -0.125 * l, g->c);
  f->ri = mix(0.5, g->c, -1.0, D);
  f->rj = mix(0.5, g->c, 1.0, D);
  f->ti = (two){f->ti.x + (T.x - turn.x), f->ti.y + (T.y - turn.y)};
  f->tj = (two){f->tj.x + (T.x + turn.x), f->tj.y + (T.y + turn.y)};
}

CAP_INLINE two value_at(const poly *p, double X, double l)
{
  if (X == 0.0) return p->c;
  two m = mix(1.0, p->m0, 0.5 * X, p->m1);
  return mix(1.0, p->c, X * l, mix(1.0, m, X * X / 3.0, p->m2));
}

CAP_INLINE two slope_at(const poly *p, double X)
{
  return X == 0.0 ? p->m0 : mix(1.0, mix(1.0, p->m0, X, p->m1), X * X, p->m2);
}

CAP_INLINE two second_at(const poly *p, double X, double i)
{
  two m = mix(1.0, p->m1, 2.0 * X, p->m2);
  return (two){i * m.x, i * m.y};
}

/* A force on the value, on the slope, on the second derivative. */
CAP_INLINE void push_value(poly *g, double X, double l, two F)
{
  g->c = mix(1.0, g->c, 1.0, F);
  if (X == 0.0) return;
  two lF = {X * l * F.x, X * l * F.y};
  g->m0 = mix(1.0, g->m0, 1.0, lF);
  g->m1 = mix(1.0, g->m1, 0.5 * X, lF);
  g->m2 = mix(1.0, g->m2, X * X / 3.0, lF);
}

CAP_INLINE void push_slope(poly *g, double X, two F)
{
  g->m0 = mix(1.0, g->m0, 1.0, F);
  if (X == 0.0) return;
  g->m1 = mix(1.0, g->m1, X, F);
  g->m2 = mix(1.0, g->m2, X * X, F);
}

CAP_INLINE void push_second(poly *g, double X, double i, two F)
{
  two iF = {i * F.x, i * F.y};
  g->m1 = mix(1.0, g->m1, 1.0, iF);
  g->m2 = mix(1.0, g->m2, 2.0 * X, iF);
}

/* One element of the run, and what has been found of it. */
typedef struct bit {
  double l, i;
  local q, v, out; /* of out the slopes only, until the end */
  poly qp, vp, push;
  cap_ring_ale_fast_sums sum;
} bit;

CAP_INLINE void kinetic(const law *c, const part *p, double X, double weight, double z, two e, two f, bit *b)
{
  double u = c->u, w = c->w, rho = c->rho * (weight * b->l);
  two rT = mix(p->rT_e[0] + z * p->rT_e[1], e, p->rT_f[0] + z * p->rT_f[1], f);
  two rTT = mix(p->rTT_e[0] + z * (p->rTT_e[1] + z * p->rTT_e[2]), e, p->rTT_f[0] + z * p->rTT_f[1], f);
  double r1T = p->r1T_e[0] + z * p->r1T_e[1];
  two r1 = mix(1.0, slope_at(&b->qp, X), 1.0, f), f1 = mix(1.0, slope_at(&b->vp, X), w * r1T, e);
  two y = mix(1.0, value_at(&b->vp, X, b->l), w, rT), a0 = mix(u, f1, w * w, rTT);
  push_value(&b->push, X, b->l, (two){-rho * a0.x, -rho * a0.y});
  push_slope(&b->push, X, (two){rho * u * y.x, rho * u * y.y});
  b->sum.s -= rho * (dot(f1, y) + w * w * dot(r1, rTT));
  b->sum.theta -= rho * (dot(a0, rT) - u * r1T * dot(y, e));
}

/* At an end (side -1: left, 1: right) the slope is that of the node, and the force is its alone. */
CAP_INLINE void strain(const law *c, const part *p, int side, double weight, double z, two e, two f, bit *b,
                       bool damped)
{
  double u = c->u, r1T = p->r1T_e[0] + z * p->r1T_e[1], drag = 0.0, along = 0.0;
  two slope = side < 0 ? b->q.ti : side > 0 ? b->q.tj : b->qp.m0;
  two speed = side < 0 ? b->v.ti : side > 0 ? b->v.tj : b->vp.m0;
  two r1 = mix(1.0, slope, 1.0, f), f1 = mix(1.0, speed, c->w * r1T, e);
  double square = dot(r1, r1), inverse = 1.0 / sqrt(square), stretch = square * inverse;
  weight *= b->l;
  if (damped) {
    two r2 = mix(1.0, second_at(&b->qp, 0.5 * side, b->i), -p->k, e);
    along = dot(r1, r2) * inverse;
    double faster = u * along + dot(r1, f1) * inverse;
    drag = c->EA * c->gain * c->damping * faster;
    b->sum.lost += weight * drag * faster;
  }
  double pull = weight * (c->EA * (c->gain * stretch - 1.0) + drag - c->rho * u * u * stretch) * inverse;
  two F = {-pull * r1.x, -pull * r1.y};
  if (side < 0) b->out.ti = F;
  else if (side > 0) b->out.tj = F;
  else push_slope(&b->push, 0.0, F);
  b->sum.s -= weight * (drag * along + 2.0 * c->rho * u * dot(r1, f1));
  b->sum.theta -= pull * r1T * dot(r1, e);
}

CAP_INLINE void bending(const law *c, const part *p, double X, double weight, double z, two e, two f, bit *b,
                        bool damped)
{
  double r1T = p->r1T_e[0] + z * p->r1T_e[1];
  two r1 = mix(1.0, slope_at(&b->qp, X), 1.0, f), r2 = mix(1.0, second_at(&b->qp, X, b->i), -p->k, e);
  double i2 = 1.0 / dot(r1, r1), k = (r1.x * r2.y - r1.y * r2.x) * i2, M = c->EI * k;
  two A = {(r2.y - 2.0 * k * r1.x) * i2, (-r2.x - 2.0 * k * r1.y) * i2}, B = {-r1.y * i2, r1.x * i2};
  two r2T = mix(p->kq, e, p->kq * z, f);
  double to_theta = r1T * dot(A, e) + dot(B, r2T);
  weight *= b->l;
  if (damped) {
    two r3 = mix(2.0 * b->i * b->i, b->qp.m2, -p->k * p->k, f);
    double along = dot(A, r2) + dot(B, r3);
    double turns = c->u * along + c->w * to_theta + dot(A, slope_at(&b->vp, X)) +
                   dot(B, second_at(&b->vp, X, b->i));
    double drag = c->EI * c->damping * turns;
    M += drag;
    b->sum.s -= weight * drag * along;
    b->sum.lost += weight * drag * turns;
  }
  M *= weight;
  push_slope(&b->push, X, (two){-M * A.x, -M * A.y});
  push_second(&b->push, X, b->i, (two){-M * B.x, -M * B.y});
  b->sum.theta -= M * to_theta;
}

#define POINT(kind, at, where, weight, ...)                                                                  \
  kind(c, p, where, weight, r->z[e] + p->rate * place_of[at] * b.l, (two){-r->C[at][e], r->S[at][e]},        \
       (two){r->S[at][e], r->C[at][e]}, &b __VA_ARGS__);

CAP_INLINE void forces_of(const law *c, const part *p, run *restrict r, bool damped)
{
  CAP_EACH_LANE(e, r->lane)
  {
    bit b = {.l = r->l[e], .i = r->i[e], .q = local_of(r->q, e), .v = local_of(r->v, e)};
    b.qp = poly_of(&b.q, b.l, b.i);
    b.vp = poly_of(&b.v, b.l, b.i);
    POINT(kinetic, AT_K0, GAUSS3 - 0.5, 5.0 / 18.0)
    POINT(kinetic, AT_MID, 0.0, 8.0 / 18.0)
    POINT(kinetic, AT_K2, 0.5 - GAUSS3, 5.0 / 18.0)
    POINT(strain, AT_LEFT, -1, 1.0 / 6.0, , damped)
    POINT(strain, AT_MID, 0, 4.0 / 6.0, , damped)
    POINT(strain, AT_RIGHT, 1, 1.0 / 6.0, , damped)
    POINT(bending, AT_B0, GAUSS2 - 0.5, 0.5, , damped)
    POINT(bending, AT_B1, 0.5 - GAUSS2, 0.5, , damped)
    poly_spread(&b.push, b.l, b.i, &b.out);
    r->left[0][e] = b.out.ri.x;
    r->left[1][e] = b.out.ri.y;
    r->left[2][e] = b.out.ti.x;
    r->left[3][e] = b.out.ti.y;
    r->right[0][e] = b.out.rj.x;
    r->right[1][e] = b.out.rj.y;
    r->right[2][e] = b.out.tj.x;
    r->right[3][e] = b.out.tj.y;
    r->s[e] = b.sum.s;
    r->theta[e] = b.sum.theta;
    r->lost[e] = b.sum.lost;
  }
}
#undef POINT

CAP_CLONES static void run_forces(const law *c, const part *p, run *r)
{
  if (c->damping > 0.0) forces_of(c, p, r, true);
  else forces_of(c, p, r, false);
}

/* ---- border of the mass matrix ------------------------------------------------------------------------- */

/* Of one element: forces that M would take for the accelerations s'' = 1 and Theta'' = 1. */
typedef struct columns {
  poly s, theta;
  double st, tt;
} columns;

CAP_INLINE void border_point(const law *c, const part *p, double X, double weight, double l, double z, two e,
                             two f, const poly *q, columns *b)
{
  double w = c->rho * (weight * l);
  two r1 = mix(1.0, slope_at(q, X), 1.0, f);
  two rT = mix(p->rT_e[0] + z * p->rT_e[1], e, p->rT_f[0] + z * p->rT_f[1], f);
  push_value(&b->s, X, l, (two){w * r1.x, w * r1.y});
  push_value(&b->theta, X, l, (two){w * rT.x, w * rT.y});
  b->st += w * dot(r1, rT);
  b->tt += w * dot(rT, rT);
}

#define POINT(at, X, weight)                                                                                 \
  border_point(c, p, X, weight, l, r->z[e] + p->rate * place_of[at] * l, (two){-r->C[at][e], r->S[at][e]},   \
               (two){r->S[at][e], r->C[at][e]}, &qp, &b);

CAP_CLONES static void run_border(const law *c, const part *p, run *restrict r)
{
  CAP_EACH_LANE(e, r->lane)
  {
    double l = r->l[e], i = r->i[e];
    local q = local_of(r->q, e), s = {0}, theta = {0};
    poly qp = poly_of(&q, l, i);
    columns b = {0};
    POINT(AT_K0, GAUSS3 - 0.5, 5.0 / 18.0)
    POINT(AT_MID, 0.0, 8.0 / 18.0)
    POINT(AT_K2, 0.5 - GAUSS3, 5.0 / 18.0)
    poly_spread(&b.s, l, i, &s);
    poly_spread(&b.theta, l, i, &theta);
    /* M_ss: at the points of the strain */
    two left = {q.ti.x + r->S[AT_LEFT][e], q.ti.y + r->C[AT_LEFT][e]},
        right = {q.tj.x + r->S[AT_RIGHT][e], q.tj.y + r->C[AT_RIGHT][e]},
        mid = {qp.m0.x + r->S[AT_MID][e], qp.m0.y + r->C[AT_MID][e]};
    r->s[e] = c->rho * l * ((dot(left, left) + dot(right, right)) + 4.0 * dot(mid, mid)) * (1.0 / 6.0);
    r->theta[e] = b.st;
    r->lost[e] = b.tt;
    r->left[0][e] = s.ri.x;
    r->left[1][e] = s.ri.y;
    r->left[2][e] = s.ti.x;
    r->left[3][e] = s.ti.y;
    r->right[0][e] = s.rj.x;
    r->right[1][e] = s.rj.y;
    r->right[2][e] = s.tj.x;
    r->right[3][e] = s.tj.y;
    r->left_theta[0][e] = theta.ri.x;
    r->left_theta[1][e] = theta.ri.y;
    r->left_theta[2][e] = theta.ti.x;
    r->left_theta[3][e] = theta.ti.y;
    r->right_theta[0][e] = theta.rj.x;
    r->right_theta[1][e] = theta.rj.y;
    r->right_theta[2][e] = theta.tj.x;
    r->right_theta[3][e] = theta.tj.y;
  }
}
#undef POINT

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

/* Both ends of a run; inside it no node is node 0. */
static void put_ends(const cap_ring_ale *a, int first, const run *r, const double left[4][RUN],
                     const double right[4][RUN], double *base, int stride, int column)
{
  double start[4], end[4];
  for (int k = 0; k < 4; k++) {
    start[k] = left[k][0];
    end[k] = right[k][r->n - 1];
  }
  put_node(a, first, start, base, stride, column);
  put_node(a, first + r->n, end, base, stride, column);
}

CAP_CLONES static void put_forces(const cap_ring_ale *a, int first, const run *restrict r, double *h)
{
  double *restrict to = h + 4 * first;
  CAP_EACH_LANE(e, r->n - 1)
  {
    to[4 * e] += r->left[0][e + 1] + r->right[0][e];
    to[4 * e + 1] += r->left[1][e + 1] + r->right[1][e];
    to[4 * e + 2] += r->left[2][e + 1] + r->right[2][e];
    to[4 * e + 3] += r->left[3][e + 1] + r->right[3][e];
  }
  put_ends(a, first, r, r->left, r->right, h, 2, 0);
}

CAP_CLONES static void put_border(const cap_ring_ale *a, int first, const run *restrict r, double *border)
{
  double *restrict to = border + 8 * first;
  CAP_EACH_LANE(e, r->n - 1)
  {
    to[8 * e] = r->left[0][e + 1] + r->right[0][e];
    to[8 * e + 1] = r->left[1][e + 1] + r->right[1][e];
    to[8 * e + 2] = r->left_theta[0][e + 1] + r->right_theta[0][e];
    to[8 * e + 3] = r->left_theta[1][e + 1] + r->right_theta[1][e];
    to[8 * e + 4] = r->left[2][e + 1] + r->right[2][e];
    to[8 * e + 5] = r->left[3][e + 1] + r->right[3][e];
    to[8 * e + 6] = r->left_theta[2][e + 1] + r->right_theta[2][e];
    to[8 * e + 7] = r->left_theta[3][e + 1] + r->right_theta[3][e];
  }
  put_ends(a, first, r, r->left, r->right, border, 4, 0);
  put_ends(a, first, r, r->left_theta, r->right_theta, border, 4, 2);
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
