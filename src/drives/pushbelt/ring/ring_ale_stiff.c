/* drives/pushbelt/ring/ring_ale_stiff.c — the `ale` ring for steps that take its elastic motion implicitly:
 * M + share K.
 *
 * Maths: docs/theory.md §47.4. K is that of q_f alone (ring_stiff.h): along s nothing is stiff, and what
 * Theta bends is slow. So the border of M stays as it is (ring_ale_inertia.c), with its elimination through
 * M_ff + share K in the place of M_ff. K belongs to the cubics through the nodes where they are.
 */
#include "base/clones.h"
#include "drives/pushbelt/ring/ring_ale.h"
#include "drives/pushbelt/ring/ring_stiff.h"

#include <math.h>
#include <string.h>

/* Scratch: systems of blocks, both columns of the border in blocks, after L^-1 and after D^-1 of it. */
typedef struct space {
  double *blocks;
  double *border; /* [rows][4] */
  double *y, *z;  /* [2][4 n] */
  double *column; /* [2][4 n] */
  double *own;    /* [3] M_ss, M_sT, M_TT */
  double *corner; /* [3] the same without q_f */
  double *node;   /* [4 n] */
  double *size;   /* [n] */
} space;

static int rows_of(const cap_ring_ale *a)
{
  return a->mass.n + a->mass.m;
}

static space space_of(const cap_ring_ale *a, const double *added)
{
  double *at = (double *)added; /* the one who sets and factors writes */
  int each = 4 * a->n;
  space s = {.blocks = at};
  s.border = at + cap_ring_stiff_nwork(a->n);
  s.y = s.border + 4 * rows_of(a);
  s.z = s.y + 2 * each;
  s.column = s.z + 2 * each;
  s.node = s.column + 2 * each;
  s.size = s.node + each;
  s.own = s.size + a->n;
  s.corner = s.own + 3;
  return s;
}

static int nwork(const cap_inertia *b)
{
  const cap_ring_ale *a = b->body;
  return cap_ring_stiff_nwork(a->n) + 4 * rows_of(a) + 7 * 4 * a->n + a->n + 6;
}

/* Blocks are the nodes 1 .. n - 1, then node 0. */
static void load_nodes(const cap_ring_ale *a, const double *q, space *s)
{
  cap_ring_frame f;
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &f);
  for (int k = 0; k < a->n; k++) {
    cap_ring_place p;
    int node = k + 1 == a->n ? 0 : k + 1;
    double *at = s->node + 4 * k, xi = a->node[node];
    cap_ring_ale_node(a, q, node, at);
    cap_ring_reference_place(&a->ref, &f, cap_ring_reference_part(&a->ref, &f, xi), xi, &p);
    for (int i = 0; i < 2; i++) {
      at[i] += p.r[i];
      at[2 + i] += p.r1[i];
    }
    s->size[k] = a->size[node];
  }
}

/* Damping acts by velocities that were extrapolated; a step of it, implicitly, keeps it stable whatever it
 * is. */
static bool set(const cap_inertia *b, const double *q, double step, double beta, double *added)
{
  const cap_ring_ale *a = b->body;
  const cap_ring_section *section = &a->ring.section;
  space s = space_of(a, added);
  load_nodes(a, q, &s);
  cap_ring_stiff ring = {.n = a->n,
                         .mass = section->mass / a->gain,
                         .EA = section->EA * a->gain,
                         .EI = section->EI * a->gain,
                         .gain = a->gain,
                         .share = beta * step * step + step * section->damping,
                         .drag = step * fmax(section->damping - step, 0.0),
                         .node = s.node,
                         .size = s.size,
                         .pinned = !a->released};
  return cap_ring_stiff_set(&ring, s.blocks);
}

/* q_f in blocks: a pinned node 0 has slopes only. */
static void widen(const cap_ring_ale *a, const double *f, double *x)
{
  int inner = 4 * (a->n - 1);
  memcpy(x, f, sizeof(double) * (size_t)inner);
  double *last = x + inner;
  if (a->released) memcpy(last, f + inner, 4 * sizeof(double));
  else last[0] = last[1] = 0.0, last[2] = f[inner], last[3] = f[inner + 1];
}

static void narrow(const cap_ring_ale *a, const double *x, double *f)
{
  int inner = 4 * (a->n - 1);
  memcpy(f, x, sizeof(double) * (size_t)inner);
  memcpy(f + inner, x + inner + (a->released ? 0 : 2), sizeof(double) * (a->released ? 4 : 2));
}

/* Columns of the border, [rows][4], one by one. */
CAP_CLONES static void part_columns(int rows, const double *restrict border, double *restrict s,
                                    double *restrict theta)
{
  for (int i = 0; i < rows; i++) {
    s[2 * i] = border[4 * i];
    s[2 * i + 1] = border[4 * i + 1];
    theta[2 * i] = border[4 * i + 2];
    theta[2 * i + 1] = border[4 * i + 3];
  }
}

/* In parts that do not wait for each other. */
CAP_CLONES static double dot(int n, const double *restrict x, const double *restrict y)
{
  enum { WAYS = 8 };
  double part[WAYS] = {0.0};
  int even = n - n % WAYS;
  for (int i = 0; i < even; i += WAYS)
    for (int k = 0; k < WAYS; k++) part[k] += x[i + k] * y[i + k];
  double sum = 0.0;
  for (int i = even; i < n; i++) sum += x[i] * y[i];
  for (int k = 0; k < WAYS; k++) sum += part[k];
  return sum;
}

CAP_CLONES static void eliminate(int n, double s, double theta, const double *restrict z, double *restrict x)
{
  CAP_EACH_LANE(i, n) x[i] -= s * z[i] + theta * z[n + i];
}

static int leading(const cap_ring_ale *a)
{
  return (a->travel >= 0) + (a->ratio >= 0);
}

static bool factor(const cap_inertia *b, const double *q, double *added, double *work)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, added);
  int size = 4 * a->n;
  double *own = s.own;
  (void)work;
  cap_ring_ale_inertia_border(a, q, s.border, own);
  part_columns(rows_of(a), s.border, s.column, s.column + size);
  widen(a, s.column, s.y);
  widen(a, s.column + size, s.y + size);
  capm_blocks whole = cap_ring_stiff_whole(a->n, s.blocks);
  capm_blocks_forward(&whole, 2, s.y, s.z);
  s.corner[0] = own[0] - dot(size, s.y, s.z);
  s.corner[1] = own[1] - dot(size, s.y, s.z + size);
  s.corner[2] = own[2] - dot(size, s.y + size, s.z + size);
  return s.corner[0] > 1e-14 * own[0] && s.corner[2] > 1e-14 * own[2] &&
         s.corner[0] * s.corner[2] > s.corner[1] * s.corner[1];
}

static void solve(const cap_inertia *b, const double *added, const double *work, double *x)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, added);
  int size = 4 * a->n;
  double lead[2] = {a->travel >= 0 ? x[0] : 0.0, a->ratio >= 0 ? x[a->travel >= 0] : 0.0};
  double *y = s.column, *z = s.column + size, *f = x + leading(a);
  (void)work;
  capm_blocks whole = cap_ring_stiff_whole(a->n, s.blocks);
  widen(a, f, y);
  capm_blocks_forward(&whole, 1, y, z);
  double r = lead[0] - dot(size, s.y, z), t = lead[1] - dot(size, s.y + size, z);
  double det = s.corner[0] * s.corner[2] - s.corner[1] * s.corner[1];
  lead[0] = (s.corner[2] * r - s.corner[1] * t) / det;
  lead[1] = (s.corner[0] * t - s.corner[1] * r) / det;
  eliminate(size, lead[0], lead[1], s.z, z);
  capm_blocks_backward(&whole, z);
  narrow(a, z, f);
  if (a->travel >= 0) x[0] = lead[0];
  if (a->ratio >= 0) x[a->travel >= 0] = lead[1];
}

static double energy(const cap_inertia *b, const double *added, const double *v)
{
  const cap_ring_ale *a = b->body;
  space s = space_of(a, added);
  capm_blocks more = cap_ring_stiff_added(a->n, s.blocks);
  widen(a, v + leading(a), s.column);
  return 0.5 * capm_blocks_square(&more, s.column);
}

const cap_inertia_stiff cap_ring_ale_stiff = {
    .nwork = nwork, .set = set, .factor = factor, .solve = solve, .energy = energy};

/* ---- as a chain ---------------------------------------------------------------------------------------- */

static int nblock(const cap_inertia *b)
{
  const cap_ring_ale *a = b->body;
  return a->n;
}

static bool load(const cap_inertia *b, const double *added, const double *work, const capm_bordered *to,
                 bool locked[2])
{
  const cap_ring_ale *a = b->body;
  if (!added) return false;
  space s = space_of(a, added);
  int size = 4 * a->n;
  size_t blocks = sizeof(double) * (size_t)(a->n * CAPM_BLOCKS_MATRIX);
  (void)work;
  capm_blocks whole = cap_ring_stiff_whole(a->n, s.blocks);
  memcpy(to->chain.diagonal, whole.diagonal, blocks);
  memcpy(to->chain.lower, whole.lower, blocks);
  part_columns(rows_of(a), s.border, s.column, s.column + size);
  widen(a, s.column, to->column);
  widen(a, s.column + size, to->column + size);
  to->corner[0] = s.own[0];
  to->corner[1] = to->corner[to->m] = s.own[1];
  to->corner[to->m + 1] = s.own[2];
  locked[0] = a->travel < 0;
  locked[1] = a->ratio < 0;
  return true;
}

const cap_inertia_chain cap_ring_ale_stiff_chain = {.nblock = nblock, .load = load};
