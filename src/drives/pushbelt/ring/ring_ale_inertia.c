/* drives/pushbelt/ring/ring_ale_inertia.c — the mass matrix of the `ale` ring; see ring_ale.h.
 *
 * M = rho int P' P with P = [r', r_Theta, S]. That of q_f is constant, the same in x and y: it is factored
 * once. The columns of s and Theta are a border, whose Schur complement is factored each time: M = L L' in
 * the order q_f, s, Theta. A locked one of these is kept with the mass 1 and no coupling.
 */
#include "base/clones.h"
#include "laws/sine.h"

#include <math.h>
#include <string.h>

#define NUM         double
#define NUM_NAME(x) real_##x
#define NUM_SIN     capm_sine
#define NUM_COS(x)  capm_sine((x) + 0.5 * M_PI)
#define NUM_REAL(x) (x)
#include "drives/pushbelt/ring/ring_ale_points.h"

/* Scratch of a block. */
typedef struct space {
  double *border; /* [rows][4] M of q_f with s (x, y) and with Theta (x, y) */
  double *half;   /* the same times L^-1 */
  double *own;    /* [3] M_ss, M_sT, M_TT */
  double *corner; /* [3] its factor after elimination of q_f */
} space;

static int rows_of(const cap_ring_ale *a)
{
  return a->mass.n + a->mass.m;
}

static space space_of(const cap_ring_ale *a, const double *work)
{
  double *at = (double *)work; /* the one who factors writes */
  int n = rows_of(a);
  return (space){at, at + 4 * n, at + 8 * n, at + 8 * n + 3};
}

static int nwork(const cap_inertia *b)
{
  return 8 * rows_of(b->body) + 6;
}

/* Coordinates of the block before q_f. */
static int leading(const cap_ring_ale *a)
{
  return (a->travel >= 0) + (a->ratio >= 0);
}

/* ---- the border ---------------------------------------------------------------------------------------- */

static void add_point(const cap_ring_ale *a, const real_point *p, const double q[CAP_RING_ALE_LOCAL],
                      double B[CAP_RING_ALE_LOCAL][2], double own[3])
{
  double w = a->ring.section.mass / a->gain * p->weight, r1[2];
  real_blend(p->shape.n1, q, r1);
  for (int i = 0; i < 2; i++) r1[i] += p->place.r1[i];
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      B[2 * k + i][0] += w * p->shape.n0[k] * r1[i];
      B[2 * k + i][1] += w * p->shape.n0[k] * p->place.rT[i];
    }
  own[1] += w * real_dot(r1, p->place.rT);
  own[2] += w * real_dot(p->place.rT, p->place.rT);
}

/* The part of a point in M_ss; at the points of the strain (ring_ale_element.h). */
static double square_of(const cap_ring_ale *a, const real_point *p, const double q[CAP_RING_ALE_LOCAL])
{
  double r1[2];
  real_blend(p->shape.n1, q, r1);
  for (int i = 0; i < 2; i++) r1[i] += p->place.r1[i];
  return a->ring.section.mass / a->gain * p->weight * real_dot(r1, r1);
}

static void add_border(const cap_ring_ale *a, const real_frame *f, const double *q, int e, space *s)
{
  real_point points[real_POINTS_MOST];
  double local[CAP_RING_ALE_LOCAL], B[CAP_RING_ALE_LOCAL][2] = {{0.0}};
  int n = real_points_of(a, f, CAP_RING_ALE_KINETIC, e, points);
  cap_ring_ale_local(a, q, e, local);
  for (int k = 0; k < n; k++) add_point(a, &points[k], local, B, s->own);
  n = real_points_of(a, f, CAP_RING_ALE_STRAIN, e, points);
  for (int k = 0; k < n; k++) s->own[0] += square_of(a, &points[k], local);
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    int i = cap_ring_ale_coordinate(a, e, k) - a->deform;
    if (i < 0) continue;
    s->border[(i / 2) * 4 + i % 2] += B[k][0];
    s->border[(i / 2) * 4 + 2 + i % 2] += B[k][1];
  }
}

static void fill_border(const cap_ring_ale *a, const double *q, space *s)
{
  cap_ring_frame frame;
  real_frame f;
  int n = rows_of(a);
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &frame);
  real_load_frame(&frame, 0.0, &f);
  memset(s->border, 0, sizeof(double) * (size_t)(4 * n));
  memset(s->own, 0, sizeof(double) * 3);
  if (a->coarse || !isfinite(frame.a.d[0])) {
    for (int e = 0; e < a->n; e++) add_border(a, &f, q, e, s);
    return;
  }
  int cut[CAP_RING_PARTS];
  cap_ring_ale_fast_sums fast;
  int left = cap_ring_ale_fast_border(a, &frame, q, s->border, &fast, cut);
  cap_ring_ale_cut_border(a, &frame, q, left, cut, s->border, &fast);
  s->own[0] = fast.s;
  s->own[1] = fast.theta;
  s->own[2] = fast.lost;
}

/* What is locked has no coupling. */
static void lock(const cap_ring_ale *a, space *s)
{
  if (a->travel >= 0 && a->ratio >= 0) return;
  for (int i = 0; i < rows_of(a); i++) {
    if (a->travel < 0) s->border[4 * i] = s->border[4 * i + 1] = 0.0;
    if (a->ratio < 0) s->border[4 * i + 2] = s->border[4 * i + 3] = 0.0;
  }
  s->own[1] = 0.0;
  if (a->travel < 0) s->own[0] = 1.0;
  if (a->ratio < 0) s->own[2] = 1.0;
}

void cap_ring_ale_inertia_border(const cap_ring_ale *a, const double *q, double *border, double own[3])
{
  space s = {.border = border, .own = own};
  fill_border(a, q, &s);
  lock(a, &s);
}

/* Products of the columns of half[n][4], summed in parts that do not wait for each other. */
CAP_CLONES static void squares(int n, const double *restrict half, double out[3])
{
  enum { WAYS = 8 };
  double ss[WAYS] = {0.0}, st[WAYS] = {0.0}, tt[WAYS] = {0.0};
  int even = n - n % WAYS;
  for (int i = 0; i < even; i += WAYS)
    for (int k = 0; k < WAYS; k++) {
      const double *h = half + 4 * (i + k);
      ss[k] += h[0] * h[0] + h[1] * h[1];
      st[k] += h[0] * h[2] + h[1] * h[3];
      tt[k] += h[2] * h[2] + h[3] * h[3];
    }
  out[0] = out[1] = out[2] = 0.0;
  for (int i = even; i < n; i++) {
    const double *h = half + 4 * i;
    out[0] += h[0] * h[0] + h[1] * h[1];
    out[1] += h[0] * h[2] + h[1] * h[3];
    out[2] += h[2] * h[2] + h[3] * h[3];
  }
  for (int k = 0; k < WAYS; k++) {
    out[0] += ss[k];
    out[1] += st[k];
    out[2] += tt[k];
  }
}

/* sum[k] = half[.][k] f[.][k % 2] */
CAP_CLONES static void project(int n, const double *restrict half, const double *restrict f, double sum[4])
{
  enum { WAYS = 8 };
  double part[WAYS][4] = {{0.0}};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) part[i % WAYS][k] += half[4 * i + k] * f[2 * i + k % 2];
  for (int k = 0; k < 4; k++) {
    sum[k] = 0.0;
    for (int p = 0; p < WAYS; p++) sum[k] += part[p][k];
  }
}

/* f[.][k] -= half[.][k] lead[0] + half[.][2 + k] lead[1] */
CAP_CLONES static void eliminate(int n, const double *restrict half, const double lead[2], double *restrict f)
{
  double s = lead[0], t = lead[1];
  CAP_EACH_LANE(i, n)
  {
    f[2 * i] -= half[4 * i] * s + half[4 * i + 2] * t;
    f[2 * i + 1] -= half[4 * i + 1] * s + half[4 * i + 3] * t;
  }
}

static bool factor(const cap_inertia *b, const double *q, double *work)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, work);
  int n = rows_of(a);
  cap_ring_ale_inertia_border(a, q, s.border, s.own);
  memcpy(s.half, s.border, sizeof(double) * (size_t)(4 * n));
  capm_band_forward(&a->mass, 4, s.half);
  double square[3];
  squares(n, s.half, square);
  double ss = s.own[0] - square[0], st = s.own[1] - square[1], tt = s.own[2] - square[2];
  if (!(ss > 1e-14 * s.own[0])) return false;
  s.corner[0] = sqrt(ss);
  s.corner[1] = st / s.corner[0];
  double rest = tt - s.corner[1] * s.corner[1];
  if (!(rest > 1e-14 * s.own[2])) return false;
  s.corner[2] = sqrt(rest);
  return true;
}

/* ---- solution ------------------------------------------------------------------------------------------ */

/* The parts of a column of the block: x_s, x_T (0 where locked). */
static void split(const cap_ring_ale *a, const double *x, double lead[2])
{
  lead[0] = a->travel >= 0 ? x[0] : 0.0;
  lead[1] = a->ratio >= 0 ? x[a->travel >= 0] : 0.0;
}

static void join(const cap_ring_ale *a, const double lead[2], double *x)
{
  if (a->travel >= 0) x[0] = lead[0];
  if (a->ratio >= 0) x[a->travel >= 0] = lead[1];
}

static void half_column(const cap_ring_ale *a, const space *s, double *x)
{
  double lead[2], sum[4], *f = x + leading(a);
  int n = rows_of(a);
  split(a, x, lead);
  capm_band_forward(&a->mass, 2, f);
  project(n, s->half, f, sum);
  lead[0] = (lead[0] - (sum[0] + sum[1])) / s->corner[0];
  lead[1] = (lead[1] - (sum[2] + sum[3]) - s->corner[1] * lead[0]) / s->corner[2];
  join(a, lead, x);
}

static void half(const cap_inertia *b, const double *work, int ncol, double *x)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, work);
  for (int c = 0; c < ncol; c++) half_column(a, &s, x + c * b->n);
}

static void solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, work);
  int n = rows_of(a);
  for (int c = 0; c < ncol; c++) {
    double *column = x + c * b->n, *f = column + leading(a), lead[2];
    half_column(a, &s, column);
    split(a, column, lead);
    lead[1] /= s.corner[2];
    lead[0] = (lead[0] - s.corner[1] * lead[1]) / s.corner[0];
    eliminate(n, s.half, lead, f);
    capm_band_backward(&a->mass, 2, f);
    join(a, lead, column);
  }
}

static void multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, work);
  int n = rows_of(a);
  const double *vf = v + leading(a);
  double lead[2], *pf = p + leading(a), sum[2] = {0.0};
  split(a, v, lead);
  capm_band_multiply(&a->mass, 2, vf, pf);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) {
      const double *border = s.border + 4 * i + k;
      pf[2 * i + k] += border[0] * lead[0] + border[2] * lead[1];
      sum[0] += border[0] * vf[2 * i + k];
      sum[1] += border[2] * vf[2 * i + k];
    }
  double out[2] = {sum[0] + s.own[0] * lead[0] + s.own[1] * lead[1],
                   sum[1] + s.own[1] * lead[0] + s.own[2] * lead[1]};
  join(a, out, p);
}

/* ---- derivative ---------------------------------------------------------------------------------------- */

/* Directions of a column, and where its answers go. */
typedef struct turning {
  const cap_ring_ale *a;
  const double *q, *dq;
  int stride;
  double a_s, a_T, dT; /* accelerations, d Theta */
  double s, T;         /* answers */
} turning;

/* Derivative of square_of. */
static double turn_square(const cap_ring_ale *a, const real_point *point, const double *q, const double *dq,
                          double dT)
{
  const real_place *p = &point->place;
  double r1[2], r2[2], dr1[2];
  real_blend(point->shape.n1, q, r1);
  real_blend(point->shape.n2, q, r2);
  real_blend(point->shape.n1, dq, dr1);
  for (int i = 0; i < 2; i++) {
    r1[i] += p->r1[i];
    dr1[i] += dT * (p->r1T[i] + point->shift * (r2[i] + p->r2[i]));
  }
  return a->ring.section.mass / a->gain *
         (2.0 * point->weight * real_dot(r1, dr1) + dT * point->growth * real_dot(r1, r1));
}

static void turn_element(turning *t, const real_frame *f, int e, const double *acceleration, double *out)
{
  const cap_ring_ale *a = t->a;
  real_point points[real_POINTS_MOST];
  double q[CAP_RING_ALE_LOCAL], dq[CAP_RING_ALE_LOCAL], af[CAP_RING_ALE_LOCAL];
  int n = real_points_of(a, f, CAP_RING_ALE_KINETIC, e, points);
  cap_ring_ale_local(a, t->q, e, q);
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    int i = cap_ring_ale_coordinate(a, e, k);
    dq[k] = i < 0 ? 0.0 : t->dq[i * t->stride];
    af[k] = i < 0 ? 0.0 : acceleration[i - a->deform];
  }
  for (int k = 0; k < n; k++) {
    const real_place *p = &points[k].place;
    const real_shape *s = &points[k].shape;
    double w = a->ring.section.mass / a->gain * points[k].weight, r1[2], dr1[2], all[2], dall[2], rest[2],
           drest[2];
    real_blend(s->n1, q, r1);
    real_blend(s->n1, dq, dr1);
    real_blend(s->n0, af, all);
    for (int i = 0; i < 2; i++) {
      r1[i] += p->r1[i];
      dr1[i] += p->r1T[i] * t->dT;
      all[i] += r1[i] * t->a_s + p->rT[i] * t->a_T;
      dall[i] = dr1[i] * t->a_s + p->rTT[i] * t->dT * t->a_T;
    }
    for (int i = 0; i < 2; i++) { /* the square of s' stands elsewhere */
      rest[i] = all[i] - r1[i] * t->a_s;
      drest[i] = dall[i] - dr1[i] * t->a_s;
    }
    t->s += w * (real_dot(dr1, rest) + real_dot(r1, drest));
    t->T += w * (real_dot(p->rTT, all) * t->dT + real_dot(p->rT, dall));
    for (int j = 0; j < CAP_RING_ALE_LOCAL; j++) {
      int at = cap_ring_ale_coordinate(a, e, j);
      if (at >= 0) out[at - a->deform] += w * s->n0[j / 2] * dall[j % 2];
    }
  }
  n = real_points_of(a, f, CAP_RING_ALE_STRAIN, e, points);
  for (int k = 0; k < n; k++) t->s += t->a_s * turn_square(a, &points[k], q, dq, t->dT);
}

static void turn(const cap_inertia *b, const double *q, const double *acceleration, const double *dq,
                 int stride, double *out)
{
  const cap_ring_ale *a = b->body;
  turning t = {.a = a, .q = q, .dq = dq, .stride = stride};
  double lead[2];
  bool still = true;
  memset(out, 0, sizeof(double) * (size_t)b->n);
  for (int i = 0; i < b->n && still; i++) still = dq[(b->first + i) * stride] == 0.0;
  if (still) return;
  split(a, acceleration, lead);
  t.a_s = lead[0];
  t.a_T = lead[1];
  t.dT = a->ratio >= 0 ? dq[a->ratio * stride] : 0.0;
  cap_ring_frame frame;
  real_frame f;
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &frame);
  real_load_frame(&frame, 0.0, &f);
  for (int e = 0; e < a->n; e++) turn_element(&t, &f, e, acceleration + leading(a), out + leading(a));
  lead[0] = t.s;
  lead[1] = t.T;
  join(a, lead, out);
}

const cap_inertia_type cap_ring_ale_inertia_type = {
    .name = "ring-ale",
    .nwork = nwork,
    .factor = factor,
    .solve = solve,
    .half = half,
    .multiply = multiply,
    .turn = turn,
    .stiff = &cap_ring_ale_stiff,
    .chain = &cap_ring_ale_stiff_chain,
};
