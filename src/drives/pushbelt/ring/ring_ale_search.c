/* drives/pushbelt/ring/ring_ale_search.c — nearest points of a ring with a reference curve, many at once.
 *
 * Newton's method of cap_ring_nearest, without branches: both an arc and a strand are computed for each place
 * and one of them is taken. The radii are found once for all places. Even meshes; what has not settled after
 * a few turns (a far start) goes the general way.
 *
 * Cost: 10 to 20 ns a place and turn of AVX-512; a warm search takes two turns.
 */
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_ale.h"

#include "base/clones.h"
#include "laws/sine.h"

#include <math.h>
#include <string.h>

enum { GROUP = 64, TURNS = 4, NODES_MOST = 1024 };

/* What a turn needs of the curve. */
typedef struct curve {
  double L, d, rS, rP, kS, kP, a, c, sine, cosine;
  int n;                             /* elements; 1 and no deformation for ale0 */
  double node[4 * (NODES_MOST + 1)]; /* x, y, x', y' of the nodes, the first again at the end */
} curve;

static bool load(const cap_ring_reference *ref, double theta, curve *s)
{
  cap_ring_frame f;
  cap_ring_reference_at(ref, theta, &f);
  s->L = ref->length;
  s->d = ref->distance;
  s->rS = f.rS.d[0];
  s->rP = f.rP.d[0];
  s->kS = 1.0 / s->rS;
  s->kP = 1.0 / s->rP;
  s->a = f.a.d[0];
  s->c = f.c.d[0];
  s->sine = f.sine;
  s->cosine = f.cosine;
  return isfinite(s->a) && isfinite(s->rS);
}

static void load_nodes(const cap_ring_ale *a, const double *q, curve *s)
{
  double local[CAP_RING_ALE_LOCAL];
  s->n = a->n;
  memcpy(s->node + 4, q + a->deform, sizeof(double) * 4 * (size_t)(a->n - 1));
  cap_ring_ale_local(a, q, 0, local);
  memcpy(s->node, local, 4 * sizeof(double));
  memcpy(s->node + (ptrdiff_t)(4 * a->n), local, 4 * sizeof(double));
}

/* One step for all places of a group: xi moves, step[] is how far. */
CAP_CLONES static void turn(const curve *restrict s, int count, const double *restrict px,
                            const double *restrict py, double *restrict xi, double *restrict step)
{
  const double L = s->L, longest = 0.05 * L, l = L / s->n, inverse = s->n / L;
  CAP_EACH_LANE(k, count)
  {
    double x = xi[k];
    bool primary = (x >= s->c) & (x < L - s->c), lower = (x >= L - s->c) & (x < L - s->a);
    bool strand = lower | ((x >= s->a) & (x < s->c));
    double from = primary ? 0.5 * L : x > 0.5 * L ? L : 0.0, rho = primary ? s->rP : s->rS;
    double curvature = primary ? s->kP : s->kS, sign = primary ? -1.0 : 1.0, al = (x - from) * curvature;
    double C = sign * capm_sine(al + 0.5 * M_PI), S = sign * capm_sine(al);
    double side = lower ? -1.0 : 1.0, z = (lower ? L - x : x) - s->a;
    double rx = strand ? z * s->cosine - s->rS * s->sine : (primary ? s->d : 0.0) - rho * C;
    double ry = strand ? side * (s->rS * s->cosine + z * s->sine) : rho * S;
    double tx = strand ? side * s->cosine : S, ty = strand ? s->sine : C;
    double cx = strand ? 0.0 : curvature * C, cy = strand ? 0.0 : -curvature * S;
    int e = capm_whole_between(x * inverse, 0, s->n - 1);
    const double *restrict p = s->node;
    double y = x * inverse - e, o = 1.0 - y;
    double h0 = o * o * (1.0 + 2.0 * y), h1 = l * y * o * o, h2 = 1.0 - h0, h3 = -l * y * y * o;
    double d0 = 6.0 * inverse * y * o, d1 = o * (1.0 - 3.0 * y), d3 = -y * (3.0 * o - 1.0);
    double c0 = inverse * inverse * (12.0 * y - 6.0), c1 = inverse * (6.0 * y - 4.0),
           c3 = inverse * (6.0 * y - 2.0);
    double x0 = p[4 * e], y0 = p[4 * e + 1], u0 = p[4 * e + 2], v0 = p[4 * e + 3];
    double x1 = p[4 * e + 4], y1 = p[4 * e + 5], u1 = p[4 * e + 6], v1 = p[4 * e + 7];
    rx += h0 * x0 + h1 * u0 + h2 * x1 + h3 * u1;
    ry += h0 * y0 + h1 * v0 + h2 * y1 + h3 * v1;
    tx += d0 * (x1 - x0) + d1 * u0 + d3 * u1;
    ty += d0 * (y1 - y0) + d1 * v0 + d3 * v1;
    cx += c0 * (x0 - x1) + c1 * u0 + c3 * u1;
    cy += c0 * (y0 - y1) + c1 * v0 + c3 * v1;
    double dx = px[k] - rx, dy = py[k] - ry, square = tx * tx + ty * ty, slope = square - (dx * cx + dy * cy);
    double move = (dx * tx + dy * ty) / (slope > 0.1 * square ? slope : square);
    move = move > longest ? longest : move;
    move = move < -longest ? -longest : move;
    x += move;
    x = x < 0.0 ? x + L : x;
    x = x >= L ? x - L : x;
    xi[k] = x < L ? x : 0.0;
    step[k] = move;
  }
}

static double largest(int n, const double *x)
{
  double most = 0.0;
  for (int k = 0; k < n; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
  return most;
}

/* The error after a step is its square over the radius. */
static void search(const cap_ring *ring, const double *q, const curve *s, int n, const double (*places)[2],
                   double *xi)
{
  double px[GROUP], py[GROUP], step[GROUP], settled = 1e-7 * s->L;
  for (int first = 0; first < n; first += GROUP) {
    int count = n - first < GROUP ? n - first : GROUP;
    for (int k = 0; k < count; k++) {
      px[k] = places[first + k][0];
      py[k] = places[first + k][1];
    }
    double most = INFINITY;
    for (int i = 0; i < TURNS && most > settled; i++) {
      turn(s, count, px, py, xi + first, step);
      most = largest(count, step);
    }
    for (int k = 0; k < count && most > settled; k++)
      if (fabs(step[k]) > settled)
        xi[first + k] = cap_ring_nearest(ring, q, places[first + k], xi[first + k]);
  }
}

bool cap_ring_ale_search_all(const cap_ring_ale *a, const double *q, int n, const double (*places)[2],
                             double *xi)
{
  curve s;
  if (!a->even || a->n > NODES_MOST || !load(&a->ref, cap_ring_ale_theta(a, q), &s)) return false;
  load_nodes(a, q, &s);
  search(&a->ring, q, &s, n, places, xi);
  return true;
}

bool cap_ring_ale_search_reference(const cap_ring *ring, const cap_ring_reference *ref, double theta,
                                   const double *q, int n, const double (*places)[2], double *xi)
{
  curve s;
  if (!load(ref, theta, &s)) return false;
  s.n = 1;
  memset(s.node, 0, 8 * sizeof(double));
  search(ring, q, &s, n, places, xi);
  return true;
}
