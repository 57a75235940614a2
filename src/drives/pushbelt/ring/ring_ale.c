/* drives/pushbelt/ring/ring_ale.c — the `ale` ring: how it is built, and where its points are; see
 * ring_ale.h. */
#include "drives/pushbelt/ring/ring_ale.h"
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_gauge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double cap_ring_ale_theta(const cap_ring_ale *a, const double *q)
{
  return a->ratio >= 0 ? q[a->ratio] : a->theta;
}

double cap_ring_ale_speed(const cap_ring_ale *a, const double *v, double *theta_speed)
{
  *theta_speed = a->ratio >= 0 ? v[a->ratio] : 0.0;
  return a->travel >= 0 ? v[a->travel] : 0.0;
}

int cap_ring_ale_coordinate(const cap_ring_ale *a, int e, int k)
{
  int node = e + k / 4, part = k % 4;
  if (node == a->n) node = 0;
  if (node == 0 && !a->released) return part < 2 ? -1 : a->deform + 4 * (a->n - 1) + part - 2;
  if (node == 0) node = a->n;
  return a->deform + 4 * (node - 1) + part;
}

void cap_ring_ale_node(const cap_ring_ale *a, const double *q, int node, double value[4])
{
  const double *from = q + a->deform, *last = from + 4 * (a->n - 1);
  bool closing = node == 0 || node == a->n;
  if (!closing || a->released) memcpy(value, closing ? last : from + 4 * (node - 1), 4 * sizeof(double));
  else {
    value[0] = value[1] = 0.0;
    value[2] = last[0];
    value[3] = last[1];
  }
}

void cap_ring_ale_local(const cap_ring_ale *a, const double *q, int e, double local[CAP_RING_ALE_LOCAL])
{
  cap_ring_ale_node(a, q, e, local);
  cap_ring_ale_node(a, q, e + 1, local + 4);
}

int cap_ring_ale_find(const cap_ring_ale *a, double xi)
{
  /* an even mesh is hit at once, a graded one is searched from there */
  int e = capm_whole_between(xi / a->ref.length * a->n, 0, a->n - 1);
  while (e > 0 && xi < a->node[e]) e--;
  while (e + 1 < a->n && xi >= a->node[e + 1]) e++;
  return e;
}

/* ---- points -------------------------------------------------------------------------------------------- */

typedef struct hermite {
  double n0[4], n1[4], n2[4];
} hermite;

static hermite hermite_at(double x, double l)
{
  double y = 1.0 - x, i = 1.0 / l;
  return (hermite){
      {y * y * (1.0 + 2.0 * x), l * x * y * y, x * x * (1.0 + 2.0 * y), -l * x * x * y},
      {-6.0 * i * x * y, y * (1.0 - 3.0 * x), 6.0 * i * x * y, -x * (3.0 * y - 1.0)},
      {i * i * (12.0 * x - 6.0), i * (6.0 * x - 4.0), i * i * (6.0 - 12.0 * x), i * (6.0 * x - 2.0)}};
}

/* The reference curve at xi, to which the deformation is added in r, r', r''. */
static int deformed(const cap_ring_ale *a, const double *q, double xi, cap_ring_place *p, hermite *s)
{
  cap_ring_frame f;
  double local[CAP_RING_ALE_LOCAL];
  int e = cap_ring_ale_find(a, xi);
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &f);
  cap_ring_reference_place(&a->ref, &f, cap_ring_reference_part(&a->ref, &f, xi), xi, p);
  *s = hermite_at((xi - a->node[e]) / a->size[e], a->size[e]);
  cap_ring_ale_local(a, q, e, local);
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    p->r[k % 2] += s->n0[k / 2] * local[k];
    p->r1[k % 2] += s->n1[k / 2] * local[k];
    p->r2[k % 2] += s->n2[k / 2] * local[k];
  }
  return e;
}

static void place_at(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  cap_ring_place p;
  hermite s;
  deformed((const cap_ring_ale *)ring, q, xi, &p, &s);
  for (int i = 0; i < 2; i++) {
    r[i] = p.r[i];
    r1[i] = p.r1[i];
    r2[i] = p.r2[i];
  }
}

/* A coordinate that moves the place by (x, y) and its slope by (x1, y1); the angle turns by t x r1 / |r'|. */
static void add_coordinate(cap_ring_point *p, int coord, const double place[2], const double slope[2])
{
  if (coord < 0) return;
  int k = p->ncoord++;
  p->coord[k] = coord;
  p->J[0][k] = place[0];
  p->J[1][k] = place[1];
  p->turn[k] = (p->t[0] * slope[1] - p->t[1] * slope[0]) / p->stretch;
}

static void point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *point)
{
  const cap_ring_ale *a = (const cap_ring_ale *)ring;
  cap_ring_place p;
  hermite s;
  int e = deformed(a, q, xi, &p, &s);
  *point = (cap_ring_point){.stretch = hypot(p.r1[0], p.r1[1])};
  for (int i = 0; i < 2; i++) {
    point->r[i] = p.r[i];
    point->t[i] = p.r1[i] / point->stretch;
  }
  point->curvature = -(point->t[0] * p.r2[1] - point->t[1] * p.r2[0]) / (point->stretch * point->stretch);
  point->tension = a->ring.section.EA * (a->gain * point->stretch - 1.0);
  add_coordinate(point, a->travel, p.r1, p.r2); /* the material turns as it follows the curve */
  add_coordinate(point, a->ratio, p.rT, p.r1T);
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    double place[2] = {0.0}, slope[2] = {0.0};
    place[k % 2] = s.n0[k / 2];
    slope[k % 2] = s.n1[k / 2];
    add_coordinate(point, cap_ring_ale_coordinate(a, e, k), place, slope);
  }
}

static void add_channel(cap_builder *b, const cap_ring *ring, const char *what, const char *unit,
                        const char *meaning, cap_term term)
{
  char name[160], text[160];
  snprintf(name, sizeof name, "%s.%s", ring->name, what);
  snprintf(text, sizeof text, "%s of %s", meaning, ring->name);
  cap_builder_channel(b, name, unit, text, 1, &term);
}

bool cap_ring_ale_channels(cap_builder *b, const cap_ring *ring, const cap_ring_shape *s, int travel,
                           int ratio)
{
  static const char *const names[] = {"energy.tension", "energy.bending", "energy.motion"},
                           *const texts[] = {"elastic energy of stretching", "elastic energy of bending",
                                             "kinetic energy"};
  bool stretches = ring->type->extensible;
  if (ratio >= 0)
    add_channel(b, ring, "theta", "1", "ratio parameter Theta", (cap_term){CAP_TERM_Q, ratio, 1.0});
  if (travel >= 0) {
    add_channel(b, ring, "travel", "m", "distance run", (cap_term){CAP_TERM_Q, travel, 1.0});
    add_channel(b, ring, "speed", "m/s", "running speed", (cap_term){CAP_TERM_V, travel, 1.0});
  }
  for (int k = stretches ? 0 : 1; k < CAP_RING_ALE_NOUTPUT; k++)
    add_channel(b, ring, names[k], "J", texts[k],
                (cap_term){CAP_TERM_OUTPUT, ring->element * CAP_OUTPUTS_MOST + k, 1.0});
  return cap_ring_gauge_channels(b, ring, stretches, s->outputs ? s->outputs : 8,
                                 s->nodes > 40 ? s->nodes : 40);
}

/* ---- building ------------------------------------------------------------------------------------------ */

cap_ring_fault cap_ring_ale_obstacle(const cap_ring_shape *s)
{
  if (s->open)
    return (cap_ring_fault){"open strips require the ring model rcm, got one with a reference curve", "model",
                            0.0};
  if (s->centre_distance == 0.0 && !s->lock_theta)
    return (cap_ring_fault){
        "a circular ring (centre distance 0) has no ratio; expected locks.theta: true, got "
        "false",
        "lock_theta", 0.0};
  cap_arena arena = {0};
  cap_ring_reference ref;
  bool made = cap_ring_reference_create(&ref, s->length, s->centre_distance, &arena);
  cap_arena_free(&arena);
  if (made && !(fabs(s->theta) <= ref.theta_most))
    return (cap_ring_fault){"an arc or the strands of the ring vanish", "theta", ref.theta_most};
  return (cap_ring_fault){0};
}

static cap_ring_fault obstacle(const cap_ring_shape *s)
{
  if (s->lock_deformation) return cap_ring_ale0_type.obstacle(s);
  if (s->nodes < 4) return (cap_ring_fault){"expected at least 4 nodes", "nodes", 0.0};
  return cap_ring_ale_obstacle(s);
}

/* int N_i N_j of an element of length l, exactly. */
static void element_mass(double l, double m[4][4])
{
  double l2 = l * l;
  double own[4][4] = {{156.0, 22.0 * l, 54.0, -13.0 * l},
                      {22.0 * l, 4.0 * l2, 13.0 * l, -3.0 * l2},
                      {54.0, 13.0 * l, 156.0, -22.0 * l},
                      {-13.0 * l, -3.0 * l2, -22.0 * l, 4.0 * l2}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) m[i][j] = own[i][j] * l / 420.0;
}

/* Scalar row of place or slope at an end of element e, or -1: locked. The slope of node 0 is the last. */
static int mass_row(const cap_ring_ale *a, int e, int k)
{
  int node = (e + k / 2) % a->n;
  if (node == 0 && !a->released) return k % 2 ? 2 * (a->n - 1) : -1;
  if (node == 0) node = a->n;
  return 2 * (node - 1) + k % 2;
}

static bool build_mass(cap_ring_ale *a, cap_arena *arena)
{
  int n = 2 * (a->n - 1), m = a->released ? 2 : 1;
  double rho = a->ring.section.mass / a->gain, own[4][4];
  if (!capm_band_create(&a->mass, n, 3, m, arena)) return false;
  for (int e = 0; e < a->n; e++) {
    element_mass(a->size[e], own);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        int r = mass_row(a, e, i), c = mass_row(a, e, j);
        if (r < 0 || c < 0) continue;
        if (r < n && c <= r) a->mass.band[r * 4 + r - c] += rho * own[i][j];
        else if (r >= n && c < n) a->mass.rows[(r - n) * n + c] += rho * own[i][j];
        else if (r >= n) a->mass.corner[(r - n) * m + c - n] += rho * own[i][j];
      }
  }
  return capm_band_factor(&a->mass);
}

static bool build_mesh(cap_ring_ale *a, const cap_ring_shape *s, cap_arena *arena)
{
  double *node = CAP_ARENA_NEW(arena, double, a->n + 1), *size = CAP_ARENA_NEW(arena, double, a->n);
  if (!node || !size) return false;
  for (int k = 0; k < a->n; k++) node[k] = s->mesh ? s->mesh[k] : s->length * k / a->n;
  node[a->n] = s->length;
  double longest = 0.0;
  a->ring.finest = s->length;
  for (int k = 0; k < a->n; k++) {
    size[k] = node[k + 1] - node[k];
    longest = fmax(longest, size[k]);
    a->ring.finest = fmin(a->ring.finest, size[k]);
  }
  a->node = node;
  a->size = size;
  a->even = !s->mesh;
  a->coarse = longest > s->length / 30.0;
  return cap_ring_mesh_create(&a->mesh, a->n, node, arena);
}

static void describe(cap_builder *b, cap_ring_ale *a, const cap_ring_shape *s)
{
  static const char *const kinds[] = {"x", "y", "slope.x", "slope.y"}, *const units[] = {"m", "m", "1", "1"};
  char name[128];
  a->travel = a->ratio = -1;
  snprintf(name, sizeof name, "%s.travel", s->name);
  if (!s->lock_travel) a->travel = cap_builder_dof(b, name, "m", 1.0, 0.0, s->speed);
  snprintf(name, sizeof name, "%s.ratio", s->name);
  if (!s->lock_theta) a->ratio = cap_builder_dof(b, name, "1", 1.0, s->theta, s->theta_speed);
  int count = 2 * (a->mass.n + a->mass.m);
  for (int k = 0; k < count; k++) {
    bool closing = k >= 4 * (a->n - 1);
    int kind = closing && !a->released ? k % 4 + 2 : k % 4;
    snprintf(name, sizeof name, "%s.%s.%d", s->name, kinds[kind], closing ? 0 : 1 + k / 4);
    int coord = cap_builder_dof(b, name, units[kind], 1.0, 0.0, 0.0);
    if (k == 0) a->deform = coord;
  }
  a->ring.first = a->travel >= 0 ? a->travel : a->ratio >= 0 ? a->ratio : a->deform;
  a->ring.flow = a->travel;
  a->ring.ncoord = count + a->deform - a->ring.first;
  cap_builder_inertia(b, &cap_ring_ale_inertia_type, a->ring.first, a->ring.ncoord, a);
  a->ring.element = cap_builder_element(b, &cap_ring_ale_force_type, s->name, a->ring.first, CAP_GROUND, NULL,
                                        NULL);
  cap_builder_body(b, a->ring.element, a);
}

static cap_ring *build(cap_builder *b, const cap_ring_shape *s)
{
  if (s->lock_deformation) return cap_ring_ale0_type.build(b, s); /* what is left is just that */
  cap_arena *arena = cap_builder_arena(b);
  cap_ring_ale *a = CAP_ARENA_NEW(arena, cap_ring_ale, 1);
  if (!a) return NULL;
  a->ring = (cap_ring){.type = &cap_ring_ale_type,
                       .section = s->section,
                       .name = cap_arena_copy_text(arena, s->name),
                       .length = s->length};
  a->gain = s->free_length > 0.0 ? s->length / s->free_length : 1.0;
  a->document = s->curvature == CAP_RING_DOCUMENT;
  a->theta = s->theta;
  a->released = s->lock_theta && s->lock_travel;
  a->n = s->nodes;
  if (!a->ring.name || !cap_ring_reference_create(&a->ref, s->length, s->centre_distance, arena) ||
      !build_mesh(a, s, arena) || !build_mass(a, arena))
    return NULL;
  describe(b, a, s);
  return cap_ring_ale_channels(b, &a->ring, s, a->travel, a->ratio) ? &a->ring : NULL;
}

static bool nearest_all(const cap_ring *ring, const double *q, int n, const double (*places)[2], double *xi)
{
  return cap_ring_ale_search_all((const cap_ring_ale *)ring, q, n, places, xi);
}

static bool crowd(const cap_ring *ring, const double *q, const double *v, cap_ring_crowd *c)
{
  const cap_ring_ale *a = (const cap_ring_ale *)ring;
  cap_ring_crowd_curve *to = &c->curve;
  if (a->n > CAP_RING_CROWD_NODES) return false;
  *to = (cap_ring_crowd_curve){.mesh = &a->mesh,
                               .curved = true,
                               .noded = true,
                               .length = ring->length,
                               .distance = a->ref.distance,
                               .block = a->n - 1,
                               .pinned = !a->released};
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &to->frame);
  to->speed = cap_ring_ale_speed(a, v, &to->theta_speed);
  cap_ring_ale_node(a, q, 0, c->node[0]);
  cap_ring_ale_node(a, v, 0, c->node[0] + 4);
  for (int k = 1; k < a->n; k++) {
    memcpy(c->node[k], q + a->deform + (ptrdiff_t)4 * (k - 1), 4 * sizeof(double));
    memcpy(c->node[k] + 4, v + a->deform + (ptrdiff_t)4 * (k - 1), 4 * sizeof(double));
  }
  memcpy(c->node[a->n], c->node[0], sizeof c->node[0]);
  return isfinite(to->frame.a.d[0]);
}

static void crowd_push(const cap_ring *ring, const double *q, const double (*force)[4], double travel,
                       double ratio, double *h)
{
  const cap_ring_ale *a = (const cap_ring_ale *)ring;
  (void)q;
  if (a->travel >= 0) h[a->travel] += travel;
  if (a->ratio >= 0) h[a->ratio] += ratio;
  for (int k = 1; k < a->n; k++)
    for (int i = 0; i < 4; i++) h[a->deform + 4 * (k - 1) + i] += force[k][i];
  for (int i = 0; i < 4; i++) {
    int coord = cap_ring_ale_coordinate(a, 0, i);
    if (coord >= 0) h[coord] += force[0][i];
  }
}

const cap_ring_type cap_ring_ale_type = {
    .name = "ale",
    .extensible = true,
    .flows = true,
    .stiffens = true,
    .grades = true,
    .obstacle = obstacle,
    .build = build,
    .point_at = point_at,
    .place_at = place_at,
    .vary = cap_ring_ale_vary,
    .nearest_all = nearest_all,
    .crowd = crowd,
    .crowd_push = crowd_push,
};
