/* drives/pushbelt/ring/ring_crowd.c — see ring_crowd.h. */
#include "drives/pushbelt/ring/ring_crowd.h"

#include "base/clones.h"
#include "drives/pushbelt/description/tuned.h"
#include "laws/sine.h"

#include <math.h>
#include <string.h>

enum { GROUP = CAP_RING_CROWD_GROUP, ROW = CAP_RING_CROWD_ROW, SUMS = CAP_RING_CROWD_SUMS, TURNS = 4 };

typedef double eight __attribute__((vector_size(ROW * sizeof(double))));

static int whole(int n)
{
  return (n + ROW - 1) / ROW * ROW;
}

/* ---- rows to lanes and back ---------------------------------------------------------------------------- */

/* Eight rows of eight numbers, turned round. */
CAP_INLINE void transpose(eight r[ROW])
{
  eight a[ROW], b[ROW];
  for (int k = 0; k < ROW; k += 2) {
    a[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < ROW; k += 4)
    for (int i = 0; i < 2; i++) {
      b[k + i] = __builtin_shufflevector(a[k + i], a[k + i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[k + i + 2] = __builtin_shufflevector(a[k + i], a[k + i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

typedef double lanes[GROUP];

/* Rows of the nodes at both ends of each contact's element, as arrays over the contacts. */
CAP_CLONES static void gather(const double (*restrict node)[ROW], int count, const int *restrict element,
                              lanes *restrict left, lanes *restrict right)
{
  for (int first = 0; first < count; first += ROW) {
    eight a[ROW], b[ROW];
    for (int k = 0; k < ROW; k++) {
      memcpy(&a[k], node[element[first + k]], sizeof a[k]);
      memcpy(&b[k], node[element[first + k] + 1], sizeof b[k]);
    }
    transpose(a);
    transpose(b);
    for (int k = 0; k < ROW; k++) {
      memcpy(left[k] + first, &a[k], sizeof a[k]);
      memcpy(right[k] + first, &b[k], sizeof b[k]);
    }
  }
}

/* Arrays over the contacts, added to the rows of their elements; neighbours, mostly of the same element, go
 * into different sums, so that they need not wait for each other. */
CAP_CLONES static void scatter(int count, const int *restrict element, const lanes *restrict force,
                               double (*restrict sum)[CAP_RING_CROWD_NODES][ROW])
{
  for (int first = 0; first < count; first += ROW) {
    eight a[ROW], to;
    for (int k = 0; k < ROW; k++) memcpy(&a[k], force[k] + first, sizeof a[k]);
    transpose(a);
    for (int k = 0; k < ROW; k++) {
      double *row = sum[k % SUMS][element[first + k]];
      memcpy(&to, row, sizeof to);
      to += a[k];
      memcpy(row, &to, sizeof to);
    }
  }
}

/* ---- meeting ------------------------------------------------------------------------------------------- */

/* What the kernel needs of the reference curve, for both kinds of arc and for strands. */
typedef struct shape {
  double L, distance, a, c, sine, cosine;
  double rS, rP, kS, kP, rS1, rP1, qS, qP; /* radii, curvatures, d/dTheta of the radii, over the radii */
  double psi1, B;                          /* d psi/dTheta; rS1 (pi/2 - psi) */
  double u, w;                             /* speeds of travel and ratio */
} shape;

static shape shape_of(const cap_ring_crowd_curve *c)
{
  const cap_ring_frame *f = &c->frame;
  shape s = {.L = c->length,
             .distance = c->distance,
             .a = f->a.d[0],
             .c = f->c.d[0],
             .sine = f->sine,
             .cosine = f->cosine,
             .rS = f->rS.d[0],
             .rP = f->rP.d[0],
             .rS1 = f->rS.d[1],
             .rP1 = f->rP.d[1],
             .psi1 = f->psi.d[1],
             .u = c->speed,
             .w = c->theta_speed};
  s.kS = 1.0 / s.rS, s.kP = 1.0 / s.rP;
  s.qS = s.rS1 * s.kS, s.qP = s.rP1 * s.kP;
  s.B = s.rS1 * (0.5 * M_PI - f->psi.d[0]);
  return s;
}

/* A point of the curve: place, derivatives to xi and Theta; velocity of the nodes' part, and of its slope. */
typedef struct point {
  double rx, ry, r1x, r1y, r2x, r2y;
  double rTx, rTy, r1Tx, r1Ty;
  double vx, vy, v1x, v1y;
} point;

/* Weights of the cubic: value, slope (that of the second place is less the first's), second derivative. */
typedef struct weights {
  double h0, h1, h2, h3, d0, d1, d3, c0, c1, c3;
} weights;

CAP_INLINE weights weights_at(double y, double l, double i)
{
  const double o = 1.0 - y, yo = y * o, h2 = y * y * (1.0 + 2.0 * o);
  return (weights){.h0 = 1.0 - h2,
                   .h1 = l * yo * o,
                   .h2 = h2,
                   .h3 = -l * yo * y,
                   .d0 = 6.0 * i * yo,
                   .d1 = o * (1.0 - 3.0 * y),
                   .d3 = y * (1.0 - 3.0 * o),
                   .c0 = i * i * (12.0 * y - 6.0),
                   .c1 = i * (6.0 * y - 4.0),
                   .c3 = i * (6.0 * y - 2.0)};
}

CAP_INLINE void add_nodes(const lanes *restrict left, const lanes *restrict right, int k, const weights *n,
                          point *p)
{
  const double x0 = left[0][k], y0 = left[1][k], u0 = left[2][k], v0 = left[3][k];
  const double x1 = right[0][k], y1 = right[1][k], u1 = right[2][k], v1 = right[3][k];
  const double dx = x1 - x0, dy = y1 - y0;
  p->rx = x0 + n->h2 * dx + n->h1 * u0 + n->h3 * u1;
  p->ry = y0 + n->h2 * dy + n->h1 * v0 + n->h3 * v1;
  p->r1x = n->d0 * dx + n->d1 * u0 + n->d3 * u1;
  p->r1y = n->d0 * dy + n->d1 * v0 + n->d3 * v1;
  p->r2x = n->c1 * u0 + n->c3 * u1 - n->c0 * dx;
  p->r2y = n->c1 * v0 + n->c3 * v1 - n->c0 * dy;
  const double a0 = left[4][k], b0 = left[5][k], e0 = left[6][k], f0 = left[7][k];
  const double e1 = right[6][k], f1 = right[7][k], da = right[4][k] - a0, db = right[5][k] - b0;
  p->vx = a0 + n->h2 * da + n->h1 * e0 + n->h3 * e1;
  p->vy = b0 + n->h2 * db + n->h1 * f0 + n->h3 * f1;
  p->v1x = n->d0 * da + n->d1 * e0 + n->d3 * e1;
  p->v1y = n->d0 * db + n->d1 * f0 + n->d3 * f1;
}

/* Where a vector of contacts lies: all on one part of the curve, in the order of xi, or on several. */
typedef enum part { FIRST_ARC, UPPER, PRIMARY, LOWER, LAST_ARC, MIXED } part;

/* With e = (-C, S) and f = (S, C), f = r', as in ring_ale_part.h. Where all lie on one part the compiler
 * knows which. */
CAP_INLINE void add_curve(const shape *restrict s, double x, part in, point *p)
{
  const double L = s->L;
  const bool mixed = in == MIXED;
  const bool primary = mixed ? (x >= s->c) & (x < L - s->c) : in == PRIMARY;
  const bool lower = mixed ? (x >= L - s->c) & (x < L - s->a) : in == LOWER;
  const bool strand = mixed ? lower | ((x >= s->a) & (x < s->c)) : in == UPPER || in == LOWER;
  const bool behind = mixed ? x > 0.5 * L : in == LAST_ARC;
  const double side = lower ? -1.0 : 1.0, sign = primary ? -1.0 : 1.0;
  const double k = primary ? s->kP : s->kS, rho = primary ? s->rP : s->rS, rho1 = primary ? s->rP1 : s->rS1;
  const double al = (x - (primary ? 0.5 * L : behind ? L : 0.0)) * k;
  const double z = (lower ? L - x : x) - s->a; /* along a strand */
  double cosine;
  const double sine = capm_sine_both(al, &cosine);
  const double C = strand ? s->sine : sign * cosine, S = strand ? side * s->cosine : sign * sine;
  const double out = strand ? rho1 + z * s->psi1 : rho1, on = strand ? -side * s->B : -rho1 * al;
  const double turned = strand ? side * s->psi1 : (primary ? s->qP : s->qS) * al;
  const double along = strand ? side * z : 0.0, bent = strand ? 0.0 : k;
  p->rx += (primary ? s->distance : 0.0) - rho * C + along * S;
  p->ry += rho * S + along * C;
  p->r1x += S;
  p->r1y += C;
  p->r2x += bent * C;
  p->r2y -= bent * S;
  p->rTx = on * S - out * C;
  p->rTy = out * S + on * C;
  p->r1Tx = -turned * C;
  p->r1Ty = turned * S;
}

/* One step of Newton's method, how long it was, and what is there. The slope of the place is moved along with
 * the foot; weights of the nodes are those before the step, the same here and when they are pushed. */
CAP_INLINE void meet_lane(const shape *restrict s, cap_ring_group *restrict g, const lanes *restrict left,
                          const lanes *restrict right, int k, bool curved, bool noded, part in,
                          double *restrict step)
{
  const double x = g->xi[k], most = 0.05 * s->L;
  point p = {0};
  if (noded) {
    const weights n = weights_at(g->share[k], g->size[k], g->inverse[k]);
    add_nodes(left, right, k, &n, &p);
  }
  if (curved) add_curve(s, x, in, &p);
  double dx = g->px[k] - p.rx, dy = g->py[k] - p.ry;
  const double square = p.r1x * p.r1x + p.r1y * p.r1y, per0 = 1.0 / sqrt(square), per2 = per0 * per0;
  /* 1/(1 - bow) is nearly 1 + bow + bow^2 near the ring: the step is as good as the true one, without a
   * division */
  const double bow = (dx * p.r2x + dy * p.r2y) * per2, less = bow < 0.5 ? bow : 0.0,
               near = less > -0.5 ? less : 0.0;
  double move = (dx * p.r1x + dy * p.r1y) * per2 * (1.0 + near * (1.0 + near));
  move = move > most ? most : move;
  move = move < -most ? -most : move;
  double to = x + move;
  to = to < 0.0 ? to + s->L : to;
  to = to >= s->L ? to - s->L : to;
  step[k] = move;
  const bool within = (to >= 0.0) & (to < s->L);
  g->xi[k] = within ? to : 0.0; /* places that are not finite have to be somewhere */
  dx -= move * (p.r1x + 0.5 * move * p.r2x);
  dy -= move * (p.r1y + 0.5 * move * p.r2y);
  p.r1x += move * p.r2x;
  p.r1y += move * p.r2y;
  const double now = p.r1x * p.r1x + p.r1y * p.r1y;
  const double per = per0 * (1.5 - 0.5 * now * per2), tx = p.r1x * per, ty = p.r1y * per; /* Newton again */
  g->tx[k] = tx;
  g->ty[k] = ty;
  g->d[k] = dy * tx - dx * ty;
  g->per[k] = per;
  if (curved) {
    const double u = s->u, w = s->w, swing = (tx * p.r2y - ty * p.r2x) * per;
    const double swing_ratio = (tx * p.r1Ty - ty * p.r1Tx) * per;
    g->swing[k] = swing;
    g->swing_ratio[k] = swing_ratio;
    g->rx[k] = p.rTx;
    g->ry[k] = p.rTy;
    g->stretch[k] = now * per;
    g->bend[k] = -u * u * (tx * p.r2y - ty * p.r2x);
    p.vx += u * p.r1x + w * p.rTx;
    p.vy += u * p.r1y + w * p.rTy;
    g->turn[k] = (tx * p.v1y - ty * p.v1x) * per + u * swing + w * swing_ratio;
  } else {
    g->turn[k] = (tx * p.v1y - ty * p.v1x) * per;
    g->bend[k] = 0.0;
  }
  g->ux[k] = p.vx;
  g->uy[k] = p.vy;
}

/* Of eight contacts. */
CAP_INLINE part part_of(const shape *restrict s, const double *restrict xi)
{
  double least = xi[0], most = xi[0];
  for (int k = 1; k < ROW; k++) {
    least = xi[k] < least ? xi[k] : least;
    most = xi[k] > most ? xi[k] : most;
  }
  if (least >= s->a) {
    if (most < s->c) return UPPER;
    if (least >= s->c && most < s->L - s->c) return PRIMARY;
    if (least >= s->L - s->c && most < s->L - s->a) return LOWER;
    return least >= s->L - s->a && least > 0.5 * s->L ? LAST_ARC : MIXED;
  }
  return most < s->a && most <= 0.5 * s->L ? FIRST_ARC : MIXED;
}

#define MEET(in) CAP_EACH_LANE(k, ROW) meet_lane(s, g, left, right, first + k, true, noded, in, step)

CAP_INLINE void meet_curved(const shape *restrict s, cap_ring_group *restrict g, const lanes *restrict left,
                            const lanes *restrict right, int count, bool noded, double *restrict step)
{
  for (int first = 0; first < count; first += ROW) {
    part in = part_of(s, g->xi + first);
    if (in == UPPER) MEET(UPPER);
    else if (in == PRIMARY) MEET(PRIMARY);
    else if (in == LOWER) MEET(LOWER);
    else if (in == FIRST_ARC) MEET(FIRST_ARC);
    else if (in == LAST_ARC) MEET(LAST_ARC);
    else MEET(MIXED);
  }
}

CAP_CLONES __attribute__((noinline)) static void
meet_both(const shape *restrict s, cap_ring_group *restrict g, const lanes *restrict left,
          const lanes *restrict right, int count, double *restrict step)
{
  meet_curved(s, g, left, right, count, true, step);
}

CAP_CLONES __attribute__((noinline)) static void
meet_curve(const shape *restrict s, cap_ring_group *restrict g, int count, double *restrict step)
{
  meet_curved(s, g, NULL, NULL, count, false, step);
}

CAP_CLONES __attribute__((noinline)) static void
meet_nodes(const shape *restrict s, cap_ring_group *restrict g, const lanes *restrict left,
           const lanes *restrict right, int count, double *restrict step)
{
  CAP_EACH_LANE(k, count) meet_lane(s, g, left, right, k, false, true, MIXED, step);
}

static void find_elements(const cap_ring_mesh *m, int count, cap_ring_group *g)
{
  for (int k = 0; k < count; k++) {
    int e = cap_ring_mesh_find(m, g->xi[k]);
    g->element[k] = e;
    g->size[k] = m->size[e];
    g->inverse[k] = m->inverse[e];
    g->share[k] = (g->xi[k] - m->node[e]) * m->inverse[e];
  }
}

CAP_CLONES static double largest(int count, const double *restrict x)
{
  double most[ROW] = {0.0};
  for (int first = 0; first < count; first += ROW) CAP_EACH_LANE(i, ROW)
    {
      const double size = fabs(x[first + i]);
      most[i] = size > most[i] ? size : most[i];
    }
  for (int i = 1; i < ROW; i++) most[0] = most[i] > most[0] ? most[i] : most[0];
  return most[0];
}

/* Returns the longest step. */
static double turn_group(cap_ring_crowd *c, const shape *s, cap_ring_group *g)
{
  _Alignas(64) lanes left[ROW], right[ROW];
  double step[GROUP];
  int count = whole(g->n);
  if (c->curve.noded) {
    find_elements(c->curve.mesh, count, g);
    gather(c->node, count, g->element, left, right);
  }
  if (!c->curve.noded) meet_curve(s, g, count, step);
  else if (c->curve.curved) meet_both(s, g, left, right, count, step);
  else meet_nodes(s, g, left, right, count, step);
  return largest(count, step);
}

static double velocity_of(const double *J, const int *coord, int n, const double *v)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += J[i] * v[coord[i]];
  return sum;
}

/* As the vector kernel, by the interface of all rings. */
static void meet_alone(const cap_ring_crowd *c, cap_ring_group *g)
{
  for (int k = 0; k < g->n; k++) {
    cap_ring_point p;
    const double place[2] = {g->px[k], g->py[k]};
    g->xi[k] = cap_ring_nearest(c->ring, c->q, place, g->xi[k]);
    cap_ring_point_at(c->ring, c->q, g->xi[k], &p);
    g->tx[k] = p.t[0], g->ty[k] = p.t[1];
    g->d[k] = (place[1] - p.r[1]) * p.t[0] - (place[0] - p.r[0]) * p.t[1];
    g->ux[k] = velocity_of(p.J[0], p.coord, p.ncoord, c->v);
    g->uy[k] = velocity_of(p.J[1], p.coord, p.ncoord, c->v);
    g->turn[k] = velocity_of(p.turn, p.coord, p.ncoord, c->v);
    double speed = c->ring->flow >= 0 ? c->v[c->ring->flow] * p.stretch : 0.0;
    g->bend[k] = speed * speed * p.curvature;
  }
}

/* What has not settled is far: all of it goes the general way. */
static void seek(const cap_ring_crowd *c, cap_ring_group *g)
{
  for (int k = 0; k < g->n; k++)
    g->xi[k] = cap_ring_nearest(c->ring, c->q, (const double[2]){g->px[k], g->py[k]}, g->xi[k]);
}

void cap_ring_crowd_meet(cap_ring_crowd *c, cap_ring_group *g)
{
  if (c->alone) {
    meet_alone(c, g);
    return;
  }
  for (int k = g->n; k < whole(g->n); k++)
    g->px[k] = g->px[g->n - 1], g->py[k] = g->py[g->n - 1], g->xi[k] = g->xi[g->n - 1];
  shape s = shape_of(&c->curve);
  double longest = INFINITY;
  for (int i = 0; i < TURNS && longest > CAP_TUNED_FOOT_SETTLED; i++) longest = turn_group(c, &s, g);
  if (longest <= CAP_TUNED_FOOT_SETTLED) return;
  seek(c, g);
  turn_group(c, &s, g);
}

/* ---- pushing ------------------------------------------------------------------------------------------- */

CAP_CLONES __attribute__((noinline)) static void spread(const cap_ring_group *restrict g, int count,
                                                        lanes *restrict force)
{
  CAP_EACH_LANE(k, count)
  {
    const weights n = weights_at(g->share[k], g->size[k], g->inverse[k]);
    const double m = g->moment[k] * g->per[k], mx = -m * g->ty[k], my = m * g->tx[k];
    const double fx = g->fx[k], fy = g->fy[k];
    force[0][k] = n.h0 * fx - n.d0 * mx;
    force[1][k] = n.h0 * fy - n.d0 * my;
    force[2][k] = n.h1 * fx + n.d1 * mx;
    force[3][k] = n.h1 * fy + n.d1 * my;
    force[4][k] = n.h2 * fx + n.d0 * mx;
    force[5][k] = n.h2 * fy + n.d0 * my;
    force[6][k] = n.h3 * fx + n.d3 * mx;
    force[7][k] = n.h3 * fy + n.d3 * my;
  }
}

/* On travel and ratio; eight sums, as the compiler must keep their order. */
CAP_CLONES __attribute__((noinline)) static void lead(const cap_ring_group *restrict g, int count,
                                                      double *restrict along, double *restrict ratio)
{
  for (int first = 0; first < count; first += ROW) CAP_EACH_LANE(i, ROW)
    {
      const int k = first + i;
      const double fx = g->fx[k], fy = g->fy[k], m = g->moment[k];
      along[i] += (fx * g->tx[k] + fy * g->ty[k]) * g->stretch[k] + m * g->swing[k];
      ratio[i] += fx * g->rx[k] + fy * g->ry[k] + m * g->swing_ratio[k];
    }
}

static void push_alone(const cap_ring_crowd *c, const cap_ring_group *g)
{
  for (int k = 0; k < g->n; k++) {
    cap_ring_point p;
    cap_ring_point_at(c->ring, c->q, g->xi[k], &p);
    cap_ring_push(&p, (const double[2]){g->fx[k], g->fy[k]}, g->moment[k], c->h);
  }
}

void cap_ring_crowd_push(cap_ring_crowd *c, cap_ring_group *g)
{
  _Alignas(64) lanes force[ROW];
  if (c->alone) {
    push_alone(c, g);
    return;
  }
  int count = whole(g->n);
  for (int k = g->n; k < count; k++) g->fx[k] = g->fy[k] = g->moment[k] = 0.0;
  if (c->curve.curved) lead(g, count, c->along, c->ratio);
  if (!c->curve.noded) return;
  spread(g, count, force);
  scatter(count, g->element, (const lanes *)force, c->sum);
}

/* Arrays over the contacts as rows of theirs. */
CAP_CLONES static void turn_rows(int count, const lanes *restrict force, double (*restrict row)[ROW])
{
  for (int first = 0; first < count; first += ROW) {
    eight a[ROW];
    for (int k = 0; k < ROW; k++) memcpy(&a[k], force[k] + first, sizeof a[k]);
    transpose(a);
    for (int k = 0; k < ROW; k++) memcpy(row[first + k], &a[k], sizeof a[k]);
  }
}

CAP_CLONES __attribute__((noinline)) static void lead_rows(const cap_ring_group *restrict g, int count,
                                                           double *restrict travel, double *restrict ratio)
{
  CAP_EACH_LANE(k, count)
  {
    const double fx = g->fx[k], fy = g->fy[k], m = g->moment[k];
    travel[k] = (fx * g->tx[k] + fy * g->ty[k]) * g->stretch[k] + m * g->swing[k];
    ratio[k] = fx * g->rx[k] + fy * g->ry[k] + m * g->swing_ratio[k];
  }
}

bool cap_ring_crowd_rows(const cap_ring_crowd *c, cap_ring_group *g, int *link,
                         double (*row)[CAP_RING_CROWD_ROW], double *travel, double *ratio)
{
  _Alignas(64) lanes force[ROW];
  if (c->alone) return false;
  int count = whole(g->n), nodes = c->curve.noded ? c->curve.mesh->n : 0;
  for (int k = g->n; k < count; k++) g->fx[k] = g->fy[k] = g->moment[k] = 0.0;
  if (c->curve.curved) lead_rows(g, count, travel, ratio);
  else {
    memset(travel, 0, sizeof(double) * (size_t)count);
    memset(ratio, 0, sizeof(double) * (size_t)count);
  }
  if (!c->curve.noded) {
    memset(link, 0, sizeof(int) * (size_t)count);
    memset(row, 0, sizeof(*row) * (size_t)count);
    return true;
  }
  spread(g, count, force);
  turn_rows(count, (const lanes *)force, row);
  for (int k = 0; k < count; k++) {
    int e = g->element[k], at = e + c->curve.block;
    link[k] = at < nodes ? at : at - nodes;
    if (!c->curve.pinned) continue;
    if (e == 0) row[k][0] = row[k][1] = 0.0;
    if (e == nodes - 1) row[k][ROW / 2] = row[k][ROW / 2 + 1] = 0.0;
  }
  return true;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

void cap_ring_crowd_open(cap_ring_crowd *c, const cap_ring *ring, const double *q, const double *v, double *h)
{
  c->ring = ring;
  c->q = q;
  c->v = v;
  c->h = h;
  c->curve = (cap_ring_crowd_curve){0};
  c->alone = !ring->type->crowd || !ring->type->crowd(ring, q, v, c);
  if (c->alone) return;
  memset(c->along, 0, sizeof c->along);
  memset(c->ratio, 0, sizeof c->ratio);
  if (!c->curve.noded || !h) return;
  for (int k = 0; k < SUMS; k++) memset(c->sum[k], 0, sizeof c->sum[k][0] * (size_t)c->curve.mesh->n);
}

static double total(const double x[ROW])
{
  double sum = 0.0;
  for (int k = 0; k < ROW; k++) sum += x[k];
  return sum;
}

void cap_ring_crowd_close(cap_ring_crowd *c)
{
  if (c->alone || !c->h) return;
  int n = c->curve.noded ? c->curve.mesh->n : 0;
  double(*force)[ROW / 2] = (double(*)[ROW / 2]) c->node; /* the nodes are not needed any more */
  for (int e = 0; e < n; e++)
    for (int k = 1; k < SUMS; k++)
      for (int i = 0; i < ROW; i++) c->sum[0][e][i] += c->sum[k][e][i];
  for (int e = 0; e < n; e++)
    for (int i = 0; i < ROW / 2; i++)
      force[e][i] = c->sum[0][e][i] + c->sum[0][e > 0 ? e - 1 : n - 1][ROW / 2 + i];
  c->ring->type->crowd_push(c->ring, c->q, (const double(*)[ROW / 2]) force, total(c->along), total(c->ratio),
                            c->h);
}

void cap_ring_crowd_scan(const cap_ring *ring, const double *q, int n, const double *px, const double *py,
                         double *xi)
{
  enum { MANY = 128 };
  double x[MANY], y[MANY];
  for (int i = 0; i < MANY; i++) {
    double r[2], r1[2], r2[2];
    ring->type->place_at(ring, q, ring->length * i / MANY, r, r1, r2);
    x[i] = r[0], y[i] = r[1];
  }
  for (int k = 0; k < n; k++) {
    double best = INFINITY;
    xi[k] = 0.0;
    for (int i = 0; i < MANY; i++) {
      double dx = px[k] - x[i], dy = py[k] - y[i], far = dx * dx + dy * dy;
      if (far < best) best = far, xi[k] = ring->length * i / MANY;
    }
  }
}
