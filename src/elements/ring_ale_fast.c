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

enum { RUN = 64 };                                                      /* elements of a run */
enum { AT_LEFT, AT_K0, AT_B0, AT_MID, AT_B1, AT_K2, AT_RIGHT, PLACES }; /* in ascending order */

#define GAUSS3 0.11270166537925831148
#define GAUSS2 0.21132486540518711775

static const double place_of[PLACES] = {0.0, GAUSS3, GAUSS2, 0.5, 1.0 - GAUSS2, 1.0 - GAUSS3, 1.0};

typedef struct law {
  double u, w, rho, EA, EI, gain, damping;
} law;

/* A run: values at its n + 1 nodes, and of its n elements. */
typedef struct run {
  int n;    /* elements */
  int lane; /* the same, filled up to whole vectors; what is beyond n is finite and forgotten */
  double q[4][RUN + 1], v[4][RUN + 1]; /* x, y, x', y' */
  double l[RUN], i[RUN], z[RUN];       /* length, its inverse; z at its left end */
  double C[PLACES][RUN], S[PLACES][RUN];
  double left[4][RUN], right[4][RUN];             /* answers at both ends */
  double left_theta[4][RUN], right_theta[4][RUN]; /* of the border: those of Theta */
  double s[RUN], theta[RUN], lost[RUN];           /* of the border: M_ss, M_sT, M_TT */
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

/* (C, S) at all places of the elements, by turning those of their middles. */
CAP_CLONES static void turn_arc(run *r, double radius_inverse, double sign, bool even)
{
  int n = r->lane;
  double *restrict Cm = r->C[AT_MID], *restrict Sm = r->S[AT_MID];
  for (int e = 0; e < n; e++) {
    double al = r->z[e] + 0.5 * r->l[e] * radius_inverse;
    Cm[e] = sign * capm_sine(al + 0.5 * M_PI);
    Sm[e] = sign * capm_sine(al);
  }
  for (int k = 0; k < PLACES; k++) {
    double *restrict C = r->C[k], *restrict S = r->S[k], off = (place_of[k] - 0.5) * radius_inverse;
    if (k == AT_MID) continue;
    double c0 = cos(off * r->l[0]), s0 = sin(off * r->l[0]);
    if (even) CAP_EACH_LANE(e, n)
      {
        C[e] = Cm[e] * c0 - Sm[e] * s0;
        S[e] = Sm[e] * c0 + Cm[e] * s0;
      }
    else CAP_EACH_LANE(e, n)
      {
        double c = capm_sine(off * r->l[e] + 0.5 * M_PI), s = capm_sine(off * r->l[e]);
        C[e] = Cm[e] * c - Sm[e] * s;
        S[e] = Sm[e] * c + Cm[e] * s;
      }
  }
}

static void stand(run *r, double C, double S)
{
  for (int k = 0; k < PLACES; k++)
    for (int e = 0; e < r->lane; e++) {
      r->C[k][e] = C;
      r->S[k][e] = S;
    }
}

static int fill_up(int n)
{
  return (n + 7) & ~7;
}

static void load_node(const cap_ring_ale *a, const double *q, int node, double *to)
{
  int k = node % a->n;
  if (k) memcpy(to, q + a->deform + 4 * (k - 1), 4 * sizeof(double));
  else {
    const double *last = q + a->deform + 4 * (a->n - 1);
    to[0] = a->released ? last[0] : 0.0;
    to[1] = a->released ? last[1] : 0.0;
    to[2] = last[a->released ? 2 : 0];
    to[3] = last[a->released ? 3 : 1];
  }
}

static void load_nodes(const cap_ring_ale *a, const double *q, int first, int n, double out[4][RUN + 1])
{
  for (int i = 0; i <= n; i++) {
    double value[4];
    load_node(a, q, first + i, value);
    for (int k = 0; k < 4; k++) out[k][i] = value[k];
  }
  for (int k = 0; k < 4; k++)
    for (int i = n + 1; i <= fill_up(n); i++) out[k][i] = 0.0;
}

/* Elements [first, first + n) of a part of the curve. */
static void load(const cap_ring_ale *a, const cap_ring_frame *f, int which, int first, int n, run *r, part *p)
{
  bool after = a->ref.table && a->node[first] > 0.5 * a->ref.length;
  double origin = part_load(a, f, which, after, p);
  r->n = n;
  r->lane = fill_up(n);
  for (int e = 0; e < n; e++) {
    r->l[e] = a->size[first + e];
    r->z[e] = (a->node[first + e] - origin) * p->rate;
  }
  for (int e = n; e < r->lane; e++) {
    r->l[e] = r->l[0];
    r->z[e] = r->z[0];
  }
  for (int e = 0; e < r->lane; e++) r->i[e] = 1.0 / r->l[e];
  if (which == CAP_RING_PART_S) turn_arc(r, p->rate, 1.0, a->even);
  else if (which == CAP_RING_PART_P) turn_arc(r, p->rate, -1.0, a->even);
  else stand(r, f->sine, which == CAP_RING_PART_UPPER ? f->cosine : -f->cosine);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

/* One element: ends i (left) and j (right) of place r, slope t; the same of the velocities. */
typedef struct local {
  two ri, ti, rj, tj;
} local;

CAP_INLINE local local_of(const double from[4][RUN + 1], int e)
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
  two r1 = mix(1.0, blend(n1, q), 1.0, f), f1 = mix(1.0, blend(n1, v), w * r1T, e);
  two y = mix(1.0, blend(n0, v), w, rT), a0 = mix(u, f1, w * w, rTT);
  spread(n0, (two){-rho * a0.x, -rho * a0.y}, out);
  spread(n1, (two){rho * u * y.x, rho * u * y.y}, out);
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
  two slope = side < 0 ? q->ti : side > 0 ? q->tj : blend(n1, q);
  two speed = side < 0 ? v->ti : side > 0 ? v->tj : blend(n1, v);
  two r1 = mix(1.0, slope, 1.0, f), f1 = mix(1.0, speed, c->w * r1T, e);
  double square = dot(r1, r1), inverse = 1.0 / sqrt(square), stretch = square * inverse;
  weight *= l;
  if (damped) {
    two r2 = mix(1.0, blend(shape2(0.5 + 0.5 * side, i), q), -p->k, e);
    along = dot(r1, r2) * inverse;
    double faster = u * along + dot(r1, f1) * inverse;
    drag = c->EA * c->gain * c->damping * faster;
    sum->lost += weight * drag * faster;
  }
  double pull = weight * (c->EA * (c->gain * stretch - 1.0) + drag - c->rho * u * u * stretch) * inverse;
  two F = {-pull * r1.x, -pull * r1.y};
  if (side < 0) out->ti = mix(1.0, out->ti, 1.0, F);
  else if (side > 0) out->tj = mix(1.0, out->tj, 1.0, F);
  else spread(n1, F, out);
  sum->s -= weight * (drag * along + 2.0 * c->rho * u * dot(r1, f1));
  sum->theta -= pull * r1T * dot(r1, e);
}

CAP_INLINE void bending(const law *c, const part *p, double x, double weight, double l, double i, double z,
                        two e, two f, const local *q, const local *v, local *out, cap_ring_ale_fast_sums *sum,
                        bool damped)
{
  four n1 = shape1(x, i), n2 = shape2(x, i);
  double r1T = p->r1T_e[0] + z * p->r1T_e[1];
  two r1 = mix(1.0, blend(n1, q), 1.0, f), r2 = mix(1.0, blend(n2, q), -p->k, e);
  double i2 = 1.0 / dot(r1, r1), k = (r1.x * r2.y - r1.y * r2.x) * i2, M = c->EI * k;
  two A = {(r2.y - 2.0 * k * r1.x) * i2, (-r2.x - 2.0 * k * r1.y) * i2}, B = {-r1.y * i2, r1.x * i2};
  two r2T = mix(p->kq, e, p->kq * z, f);
  double to_theta = r1T * dot(A, e) + dot(B, r2T);
  weight *= l;
  if (damped) {
    two r3 = mix(1.0, blend(shape3(i), q), -p->k * p->k, f);
    double along = dot(A, r2) + dot(B, r3);
    double turns = c->u * along + c->w * to_theta + dot(A, blend(n1, v)) + dot(B, blend(n2, v));
    double drag = c->EI * c->damping * turns;
    M += drag;
    sum->s -= weight * drag * along;
    sum->lost += weight * drag * turns;
  }
  M *= weight;
  spread(n1, (two){-M * A.x, -M * A.y}, out);
  spread(n2, (two){-M * B.x, -M * B.y}, out);
  sum->theta -= M * to_theta;
}

/* One point at a time: what all need would not fit the registers. */
#define POINT(kind, at, where, weight, ...)                                                                  \
  CAP_EACH_LANE(e, r->lane)                                                                                  \
  {                                                                                                          \
    double l = r->l[e], i = r->i[e], z = r->z[e] + p->rate * place_of[at] * l, C = r->C[at][e],              \
           S = r->S[at][e];                                                                                  \
    local q = local_of(r->q, e), v = local_of(r->v, e);                                                      \
    local out = {{r->left[0][e], r->left[1][e]},                                                             \
                 {r->left[2][e], r->left[3][e]},                                                             \
                 {r->right[0][e], r->right[1][e]},                                                           \
                 {r->right[2][e], r->right[3][e]}};                                                          \
    cap_ring_ale_fast_sums sum = {r->s[e], r->theta[e], r->lost[e]};                                         \
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
    POINT(kinetic, AT_K0, GAUSS3, 5.0 / 18.0) POINT(kinetic, AT_MID, 0.5, 8.0 / 18.0)
        POINT(kinetic, AT_K2, 1.0 - GAUSS3, 5.0 / 18.0) POINT(strain, AT_LEFT, -1, 1.0 / 6.0, , damped)
            POINT(strain, AT_MID, 0, 4.0 / 6.0, , damped) POINT(strain, AT_RIGHT, 1, 1.0 / 6.0, , damped)
                POINT(bending, AT_B0, GAUSS2, 0.5, , damped)
                    POINT(bending, AT_B1, 1.0 - GAUSS2, 0.5, , damped)}
#undef POINT

CAP_CLONES static void run_forces(const law *c, const part *p, run *r)
{
  if (c->damping > 0.0) forces_of(c, p, r, true);
  else forces_of(c, p, r, false);
}

/* ---- border of the mass matrix ------------------------------------------------------------------------- */

CAP_CLONES static void run_border(const law *c, const part *p, run *restrict r)
{
  static const double weights[] = {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778};
  static const double s_weight[] = {0.16666666666666666667, 0.66666666666666666667, 0.16666666666666666667};
  static const int at[] = {AT_K0, AT_MID, AT_K2}, s_at[] = {AT_LEFT, AT_MID, AT_RIGHT};
  for (int k = 0; k < 3; k++) {
    const double *restrict C = r->C[at[k]], *restrict S = r->S[at[k]];
    double x = place_of[at[k]], weight = c->rho * weights[k];
    CAP_EACH_LANE(e, r->lane)
    {
      double l = r->l[e], i = r->i[e], z = r->z[e] + p->rate * x * l, w = weight * l;
      local q = local_of(r->q, e);
      two f = {S[e], C[e]}, g = {-C[e], S[e]};
      two r1 = mix(1.0, blend(shape1(x, i), &q), 1.0, f);
      two rT = mix(p->rT_e[0] + z * p->rT_e[1], g, p->rT_f[0] + z * p->rT_f[1], f);
      four n = shape0(x, l);
      for (int d = 0; d < 2; d++) {
        r->left[2 * d][e] += w * n.n[d] * r1.x;
        r->left[2 * d + 1][e] += w * n.n[d] * r1.y;
        r->right[2 * d][e] += w * n.n[2 + d] * r1.x;
        r->right[2 * d + 1][e] += w * n.n[2 + d] * r1.y;
        r->left_theta[2 * d][e] += w * n.n[d] * rT.x;
        r->left_theta[2 * d + 1][e] += w * n.n[d] * rT.y;
        r->right_theta[2 * d][e] += w * n.n[2 + d] * rT.x;
        r->right_theta[2 * d + 1][e] += w * n.n[2 + d] * rT.y;
      }
      r->theta[e] += w * dot(r1, rT);
      r->lost[e] += w * dot(rT, rT);
    }
  }
  for (int k = 0; k < 3; k++) {
    const double *restrict C = r->C[s_at[k]], *restrict S = r->S[s_at[k]];
    double x = place_of[s_at[k]], weight = c->rho * s_weight[k];
    CAP_EACH_LANE(e, r->lane)
    {
      local q = local_of(r->q, e);
      two r1 = mix(1.0, blend(shape1(x, r->i[e]), &q), 1.0, (two){S[e], C[e]});
      r->s[e] += weight * r->l[e] * dot(r1, r1);
    }
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

static void put(const cap_ring_ale *a, int first, const run *r, const double left[4][RUN],
                const double right[4][RUN], double *base, int stride, int column)
{
  double value[4];
  for (int k = 0; k < 4; k++) value[k] = left[k][0];
  put_node(a, first, value, base, stride, column);
  /* inside a run no node is node 0 */
  double *to = base + 2 * first * stride + column;
  for (int e = 1; e < r->n; e++, to += 2 * stride) {
    to[0] += left[0][e] + right[0][e - 1];
    to[1] += left[1][e] + right[1][e - 1];
    to[stride] += left[2][e] + right[2][e - 1];
    to[stride + 1] += left[3][e] + right[3][e - 1];
  }
  for (int k = 0; k < 4; k++) value[k] = right[k][r->n - 1];
  put_node(a, first + r->n, value, base, stride, column);
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

static void clear(run *r, int lane)
{
  size_t bytes = sizeof(double) * (size_t)lane;
  for (int k = 0; k < 4; k++) {
    memset(r->left[k], 0, bytes);
    memset(r->right[k], 0, bytes);
    memset(r->left_theta[k], 0, bytes);
    memset(r->right_theta[k], 0, bytes);
  }
  memset(r->s, 0, bytes);
  memset(r->theta, 0, bytes);
  memset(r->lost, 0, bytes);
}

static double total(int n, const double *x)
{
  double sum[4] = {0.0};
  for (int e = 0; e < n; e++) sum[e & 3] += x[e];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void do_run(job *j, int which, int first, int n)
{
  run r;
  part p;
  clear(&r, fill_up(n));
  load(j->a, j->f, which, first, n, &r, &p);
  load_nodes(j->a, j->q, first, n, r.q);
  if (j->v) {
    load_nodes(j->a, j->v, first, n, r.v);
    run_forces(&j->law, &p, &r);
    put(j->a, first, &r, r.left, r.right, j->out, 2, 0);
  } else {
    run_border(&j->law, &p, &r);
    put(j->a, first, &r, r.left, r.right, j->out, 4, 0);
    put(j->a, first, &r, r.left_theta, r.right_theta, j->out, 4, 2);
  }
  j->sums.s += total(n, r.s);
  j->sums.theta += total(n, r.theta);
  j->sums.lost += total(n, r.lost);
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
