/* drives/pushbelt/ring/ring_ancf.c — see ring_ancf.h: the ring, its mass matrix, its points.
 *
 * The mass matrix is that of the cubics, the same for x and y and constant: a cyclic band of half-width 3
 * over (r, r') of the nodes, factored once. x and y stand side by side as two right sides.
 */
#include "drives/pushbelt/ring/ring_ancf.h"
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_crowd.h"
#include "drives/pushbelt/ring/ring_gauge.h"
#include "drives/pushbelt/ring/ring_layout.h"
#include "drives/pushbelt/ring/ring_stiff.h"
#include "laws/hermite.h"
#include "linalg/band.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct strip {
  cap_ring ring;
  int n;           /* nodes */
  double *place;   /* [n + 1] xi of the nodes, from 0 to the length */
  double per_even; /* 1/m: nodes over length */
  capm_band mass;
  cap_ring_mesh mesh;
} strip;

enum { NODE = 4, COORDS = 2 * NODE };

/* ---- mass ---------------------------------------------------------------------------------------------- */

static int nwork(const cap_inertia *b)
{
  (void)b;
  return 0;
}

static bool factor(const cap_inertia *b, const double *q, double *work)
{
  (void)b, (void)q, (void)work;
  return true; /* done when it was built */
}

static void solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  const strip *s = b->body;
  (void)work;
  for (int c = 0; c < ncol; c++) {
    capm_band_forward(&s->mass, 2, x + c * b->n);
    capm_band_backward(&s->mass, 2, x + c * b->n);
  }
}

static void half(const cap_inertia *b, const double *work, int ncol, double *x)
{
  const strip *s = b->body;
  (void)work;
  for (int c = 0; c < ncol; c++) capm_band_forward(&s->mass, 2, x + c * b->n);
}

static void multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  const strip *s = b->body;
  (void)work;
  capm_band_multiply(&s->mass, 2, v, p);
}

/* ---- mass and stiffness together ----------------------------------------------------------------------- */

static int stiff_nwork(const cap_inertia *b)
{
  const strip *s = b->body;
  return cap_ring_stiff_nwork(s->n) + b->n + s->n;
}

static bool stiff_set(const cap_inertia *b, const double *q, double step, double beta, double *added)
{
  const strip *s = b->body;
  double *size = added + cap_ring_stiff_nwork(s->n) + b->n;
  for (int k = 0; k < s->n; k++) size[k] = s->place[k + 1] - s->place[k];
  cap_ring_stiff ring = {.n = s->n,
                         .mass = s->ring.section.mass,
                         .EA = s->ring.section.EA,
                         .EI = s->ring.section.EI,
                         .gain = 1.0,
                         .share = beta * step * step + step * s->ring.section.damping,
                         .drag = step * fmax(s->ring.section.damping - step, 0.0),
                         .node = q + b->first,
                         .size = size};
  return cap_ring_stiff_set(&ring, added);
}

static bool stiff_factor(const cap_inertia *b, const double *q, double *added, double *work)
{
  (void)b, (void)q, (void)added, (void)work;
  return true; /* done when it was set: the mass is constant */
}

static void stiff_solve(const cap_inertia *b, const double *added, const double *work, double *x)
{
  const strip *s = b->body;
  capm_blocks whole = cap_ring_stiff_whole(s->n, (double *)added);
  double *z = (double *)added + cap_ring_stiff_nwork(s->n);
  (void)work;
  capm_blocks_forward(&whole, 1, x, z);
  capm_blocks_backward(&whole, z);
  memcpy(x, z, sizeof(double) * (size_t)b->n);
}

static double stiff_energy(const cap_inertia *b, const double *added, const double *v)
{
  const strip *s = b->body;
  capm_blocks more = cap_ring_stiff_added(s->n, (double *)added);
  return 0.5 * capm_blocks_square(&more, v);
}

static const cap_inertia_stiff stiff = {.nwork = stiff_nwork,
                                        .set = stiff_set,
                                        .factor = stiff_factor,
                                        .solve = stiff_solve,
                                        .energy = stiff_energy};

static int chain_nblock(const cap_inertia *b)
{
  const strip *s = b->body;
  return s->n;
}

/* Nothing stands beside the chain. */
static bool chain_load(const cap_inertia *b, const double *added, const double *work, const capm_bordered *to,
                       bool locked[2])
{
  const strip *s = b->body;
  size_t blocks = sizeof(double) * (size_t)(s->n * CAPM_BLOCKS_MATRIX);
  (void)work;
  if (!added) return false;
  capm_blocks whole = cap_ring_stiff_whole(s->n, (double *)added);
  memcpy(to->chain.diagonal, whole.diagonal, blocks);
  memcpy(to->chain.lower, whole.lower, blocks);
  memset(to->column, 0, 2 * sizeof(double) * (size_t)b->n);
  to->corner[0] = to->corner[to->m + 1] = 1.0;
  to->corner[1] = to->corner[to->m] = 0.0;
  locked[0] = locked[1] = true;
  return true;
}

static const cap_inertia_chain chain = {.nblock = chain_nblock, .load = chain_load};

static const cap_inertia_type inertia = {.name = "ancf",
                                         .nwork = nwork,
                                         .factor = factor,
                                         .solve = solve,
                                         .half = half,
                                         .multiply = multiply,
                                         .stiff = &stiff,
                                         .chain = &chain};

/* Entry (i, j) of the lower triangle of the whole matrix. */
static void add_mass(capm_band *m, int i, int j, double value)
{
  if (i < m->n) m->band[i * (m->k + 1) + i - j] += value;
  else if (j < m->n) m->rows[(i - m->n) * m->n + j] += value;
  else {
    m->corner[(i - m->n) * m->m + j - m->n] += value;
    if (i != j) m->corner[(j - m->n) * m->m + i - m->n] += value;
  }
}

/* Of the cubic between two nodes, over (r1, r1', r2, r2'). */
static void element_mass(double mass, double l, double m[4][4])
{
  const double unit = mass * l / 420.0, a = 22.0 * l, b = 13.0 * l, c = 4.0 * l * l, d = 3.0 * l * l;
  const double table[4][4] = {{156.0, a, 54.0, -b}, {a, c, b, -d}, {54.0, b, 156.0, -a}, {-b, -d, -a, c}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) m[i][j] = unit * table[i][j];
}

static bool make_mass(strip *s, cap_arena *arena)
{
  if (!capm_band_create(&s->mass, 2 * (s->n - 1), 3, 2, arena)) return false;
  for (int k = 0; k < s->n; k++) {
    double m[4][4];
    int at[4] = {2 * k, 2 * k + 1, (2 * k + 2) % (2 * s->n), (2 * k + 3) % (2 * s->n)};
    element_mass(s->ring.section.mass, s->place[k + 1] - s->place[k], m);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        if (at[j] <= at[i]) add_mass(&s->mass, at[i], at[j], m[i][j]);
  }
  return capm_band_factor(&s->mass);
}

/* ---- points -------------------------------------------------------------------------------------------- */

static int element_at(const strip *s, double xi)
{
  int k = capm_whole_between(xi * s->per_even, 0, s->n - 1);
  while (k > 0 && xi < s->place[k]) k--;
  while (k < s->n - 1 && xi >= s->place[k + 1]) k++;
  return k;
}

typedef struct curve {
  int first, second; /* coordinates of the nodes */
  double z, length;
  capm_hermite w;
} curve;

static curve curve_at(const strip *s, double xi)
{
  int k = element_at(s, xi);
  curve c = {.first = s->ring.first + NODE * k, .second = s->ring.first + NODE * ((k + 1) % s->n)};
  c.length = s->place[k + 1] - s->place[k];
  c.z = (xi - s->place[k]) / c.length;
  capm_hermite_at(c.z, c.length, &c.w);
  return c;
}

static void sum(const curve *c, const double *q, const double w[4], double r[2])
{
  const double *a = q + c->first, *b = q + c->second;
  for (int i = 0; i < 2; i++) r[i] = capm_hermite_sum(w, a[i], a[2 + i], b[i], b[2 + i]);
}

/* The mean over the element, and as it grows from end to end: between them it is higher or lower in the
 * middle by what the cubic costs, which says nothing of the ring (docs/theory.md §35.4). */
static double stretch_at(const curve *c, const double *q)
{
  const double *a = q + c->first, *b = q + c->second;
  double slope[2], z = c->z;
  for (int i = 0; i < 2; i++) slope[i] = 1.5 * (b[i] - a[i]) / c->length - 0.25 * (a[2 + i] + b[2 + i]);
  double s0 = hypot(a[2], a[3]), s1 = hypot(slope[0], slope[1]), s2 = hypot(b[2], b[3]);
  return (s0 + 4.0 * s1 + s2) / 6.0 + (s2 - s0) * (z - 0.5);
}

static void point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *p)
{
  const curve c = curve_at((const strip *)ring, xi);
  double a[2], b[2];
  sum(&c, q, c.w.value, p->r);
  sum(&c, q, c.w.first, a);
  sum(&c, q, c.w.second, b);
  double square = a[0] * a[0] + a[1] * a[1], size = sqrt(square);
  p->t[0] = a[0] / size, p->t[1] = a[1] / size;
  p->curvature = -(a[0] * b[1] - a[1] * b[0]) / (square * size);
  p->stretch = stretch_at(&c, q);
  p->tension = ring->section.EA * (p->stretch - 1.0);
  p->ncoord = COORDS;
  for (int i = 0; i < COORDS; i++) {
    int axis = i % 2, weight = i / 2;
    p->coord[i] = (i < NODE ? c.first : c.second) + i % NODE;
    p->J[axis][i] = c.w.value[weight];
    p->J[1 - axis][i] = 0.0;
    p->turn[i] = c.w.first[weight] * (axis == 0 ? -a[1] : a[0]) / square;
  }
}

static void place_at(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  const curve c = curve_at((const strip *)ring, xi);
  sum(&c, q, c.w.value, r);
  sum(&c, q, c.w.first, r1);
  sum(&c, q, c.w.second, r2);
}

static void vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride, double dr[2],
                 double dJ[2][CAP_RING_COORDS])
{
  const curve c = curve_at((const strip *)ring, xi);
  const double *a = dq + c.first * stride, *b = dq + c.second * stride;
  (void)q;
  for (int i = 0; i < 2; i++)
    dr[i] = capm_hermite_sum(c.w.value, a[i * stride], a[(2 + i) * stride], b[i * stride],
                             b[(2 + i) * stride]);
  memset(dJ, 0, 2 * sizeof dJ[0]);
}

static bool crowd(const cap_ring *ring, const double *q, const double *v, cap_ring_crowd *c)
{
  const strip *s = (const strip *)ring;
  if (s->n > CAP_RING_CROWD_NODES) return false;
  c->curve = (cap_ring_crowd_curve){.mesh = &s->mesh, .noded = true, .length = ring->length};
  for (int k = 0; k <= s->n; k++) {
    int first = ring->first + NODE * (k % s->n);
    memcpy(c->node[k], q + first, NODE * sizeof(double));
    memcpy(c->node[k] + NODE, v + first, NODE * sizeof(double));
  }
  return true;
}

static void crowd_push(const cap_ring *ring, const double *q, const double (*force)[4], double travel,
                       double ratio, double *h)
{
  const strip *s = (const strip *)ring;
  (void)q, (void)travel, (void)ratio;
  for (int k = 0; k < NODE * s->n; k++) h[ring->first + k] += force[k / NODE][k % NODE];
}

/* ---- building ------------------------------------------------------------------------------------------ */

static cap_ring_fault obstacle(const cap_ring_shape *s)
{
  if (s->open)
    return (cap_ring_fault){"open strips require the ring model rcm, got absolute nodal coordinates", "model",
                            0.0};
  return cap_ring_layout_obstacle(s);
}

/* The largest angular frequency of a straight element by itself, which bounds that of the chain, along or
   across. */
static double pace_of(const cap_ring_section *s, double l, bool across, double tension)
{
  static const double pull_at[3] = {0.0, 0.5, 1.0}, pull_weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  static const double bend_at[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
  static const double bend_weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double K[16] = {0}, M[4][4], squares[4];
  element_mass(s->mass, l, M);
  for (int k = 0; k < 6; k++) {
    capm_hermite w;
    bool pull = k < 3;
    capm_hermite_at(pull ? pull_at[k] : bend_at[k - 3], l, &w);
    double stiffness = pull ? (across ? tension : s->EA) : across ? s->EI : 0.0;
    double weight = l * stiffness * (pull ? pull_weight[k] : bend_weight[k - 3]);
    const double *b = pull ? w.first : w.second;
    for (int i = 0; i < 16; i++) K[i] += weight * b[i / 4] * b[i % 4];
  }
  if (capm_eigen_symmetric(4, K, M[0], squares, NULL) != CAP_OK) return NAN;
  return sqrt(fmax(squares[3], 0.0));
}

/* What the middle of an element says of its length. */
static double seen_length(const cap_ring_layout_point *a, const cap_ring_layout_point *b, double l,
                          double stretch)
{
  double slope[2];
  const double e1[2] = {cos(a->angle), sin(a->angle)}, e2[2] = {cos(b->angle), sin(b->angle)};
  for (int i = 0; i < 2; i++) slope[i] = 1.5 * (b->r[i] - a->r[i]) - 0.25 * l * stretch * (e1[i] + e2[i]);
  return hypot(slope[0], slope[1]);
}

/* On the curve of the shape, in the pace of its travel. along: [n + 1] scratch. */
static void lay(const strip *s, const cap_ring_shape *shape, double *q, double *v, double *along)
{
  double stretch = shape->length / s->ring.length;
  cap_ring_shape fitted = *shape;
  cap_ring_layout_spread(&fitted, stretch, s->n, s->place, seen_length, along);
  for (int k = 0; k < s->n; k++) {
    cap_ring_layout_point at;
    cap_ring_layout_at(&fitted, along[k], &at);
    double c = stretch * cos(at.angle), i = stretch * sin(at.angle);
    const double q0[NODE] = {at.r[0], at.r[1], c, i},
                 v0[NODE] = {at.v[0], at.v[1], -at.turn * i, at.turn * c};
    memcpy(q + NODE * k, q0, sizeof q0);
    memcpy(v + NODE * k, v0, sizeof v0);
  }
}

static void add_nodes(cap_builder *b, strip *s, const double *q, const double *v)
{
  static const char *const names[NODE] = {"x", "y", "slope_x", "slope_y"};
  for (int i = 0; i < NODE * s->n; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s.%d.%s", s->ring.name, i / NODE, names[i % NODE]);
    int dof = cap_builder_dof(b, name, i % NODE < 2 ? "m" : "1", 1.0, q[i], v[i]);
    if (i == 0) s->ring.first = dof;
  }
  s->ring.ncoord = NODE * s->n;
}

/* false: out of memory. */
static bool add_elements(cap_builder *b, strip *s, const cap_ring_shape *shape)
{
  const cap_ring_section *p = &s->ring.section;
  cap_ring_layout layout = cap_ring_layout_of(shape->length, shape->centre_distance, shape->theta);
  double tension = fmax(p->EA * (shape->length / s->ring.length - 1.0),
                        p->mass * shape->speed * shape->speed);
  double hoop = sqrt(p->EA / p->mass) / fmin(layout.r_p, layout.r_s);
  for (int k = 0; k < s->n; k++) {
    char name[160];
    /* equal to the last bit where they are equal: such elements are computed together */
    double l = shape->mesh ? s->place[k + 1] - s->place[k] : s->ring.length / s->n;
    double par[CAP_RING_ANCF_NPARAM] = {p->EA, p->EI, l, p->EA * p->damping, p->EI * p->damping, 0.0};
    int next = s->ring.first + NODE * ((k + 1) % s->n);
    double pace = fmax(pace_of(p, l, false, 0.0), pace_of(p, l, true, 2.0 * tension));
    if (isnan(pace)) return false;
    snprintf(name, sizeof name, "%s.%d", s->ring.name, k);
    int handle = cap_builder_element(b, &cap_ring_ancf_force_type, name, s->ring.first + NODE * k, next, par,
                                     NULL);
    if (k == 0) s->ring.element = handle;
    pace = sqrt(pace * pace + 2.0 * hoop * hoop);
    cap_builder_fastest_body(b,
                             0.5 * p->damping * pace * pace + pace); /* damping, as explicit steps feel it */
  }
  cap_builder_common(b, &cap_ring_ancf_force_type, 1, &s->ring.name, 0, NULL);
  return true;
}

static cap_ring *build(cap_builder *b, const cap_ring_shape *shape)
{
  cap_arena *arena = cap_builder_arena(b);
  double length = shape->free_length > 0.0 ? shape->free_length : shape->length;
  strip *s = CAP_ARENA_NEW(arena, strip, 1);
  if (!s) return NULL;
  *s = (strip){.ring = {.type = &cap_ring_ancf_type, .section = shape->section, .length = length, .flow = -1},
               .n = shape->nodes,
               .per_even = shape->nodes / length};
  s->ring.name = cap_arena_copy_text(arena, shape->name);
  s->place = CAP_ARENA_NEW(arena, double, s->n + 1);
  if (!s->ring.name || !s->place) return NULL;
  for (int k = 0; k <= s->n; k++)
    s->place[k] = k == s->n     ? length
                  : shape->mesh ? shape->mesh[k] * length / shape->length
                                : length * k / s->n;
  s->ring.finest = length;
  for (int k = 0; k < s->n; k++) s->ring.finest = fmin(s->ring.finest, s->place[k + 1] - s->place[k]);
  if (!make_mass(s, arena) || !cap_ring_mesh_create(&s->mesh, s->n, s->place, arena)) return NULL;
  double *q = CAP_ARENA_NEW(arena, double, NODE * s->n), *v = CAP_ARENA_NEW(arena, double, NODE * s->n);
  double *along = CAP_ARENA_NEW(arena, double, s->n + 1);
  if (!q || !v || !along) return NULL;
  lay(s, shape, q, v, along);
  add_nodes(b, s, q, v);
  if (!add_elements(b, s, shape)) return NULL;
  cap_builder_inertia(b, &inertia, s->ring.first, s->ring.ncoord, s);
  return cap_ring_gauge_channels(b, &s->ring, true, shape->outputs ? shape->outputs : 8,
                                 cap_ring_gauge_points(shape))
             ? &s->ring
             : NULL;
}

const cap_ring_type cap_ring_ancf_type = {
    .name = "ancf",
    .extensible = true,
    .stiffens = true,
    .obstacle = obstacle,
    .build = build,
    .point_at = point_at,
    .place_at = place_at,
    .vary = vary,
    .crowd = crowd,
    .crowd_push = crowd_push,
};
