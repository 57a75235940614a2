/* drives/pushbelt/ring/ring_rcm.c — see ring_rcm.h. */
#include "drives/pushbelt/ring/ring_rcm.h"
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_crowd.h"
#include "drives/pushbelt/ring/ring_gauge.h"
#include "drives/pushbelt/ring/ring_layout.h"
#include "elements/beam_frequency.h"
#include "elements/elements.h"
#include "laws/hermite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct chain {
  cap_ring ring;
  int n;           /* beams */
  int *node;       /* [n + 1] first coordinate of each node; of a closed one the last is the first */
  double *place;   /* [n + 1] xi of the nodes, from 0 to the length */
  double per_even; /* 1/m: beams over length */
  double stretch;  /* at the start: the centre line is as long between nodes */
  cap_ring_mesh mesh;
} chain;

/* ---- points -------------------------------------------------------------------------------------------- */

/* The beam with xi: where all were equal, or one near it. */
static int beam_at(const chain *c, double xi)
{
  int k = capm_whole_between(xi * c->per_even, 0, c->n - 1);
  while (k > 0 && xi < c->place[k]) k--;
  while (k < c->n - 1 && xi >= c->place[k + 1]) k++;
  return k;
}

static double share_at(const chain *c, int k, double xi)
{
  return fmin(fmax((xi - c->place[k]) / (c->place[k + 1] - c->place[k]), 0.0), 1.0);
}

/* A beam of the chain, and its centre line: the cubic with the nodes' directions. */
typedef struct curve {
  const double *first, *second; /* x, y, phi */
  double length;                /* m, undeformed */
  double e1[2], e2[2];          /* dr/dxi at the nodes */
  capm_hermite w;
} curve;

static void direction(double angle, double size, double e[2])
{
  sincos(angle, &e[1], &e[0]);
  e[0] *= size, e[1] *= size;
}

static double curve_at(const chain *c, const double *q, int k, double xi, curve *at)
{
  double z = share_at(c, k, xi);
  at->first = q + c->node[k];
  at->second = q + c->node[k + 1];
  at->length = c->place[k + 1] - c->place[k];
  direction(at->first[2], c->stretch, at->e1);
  direction(at->second[2], c->stretch, at->e2);
  capm_hermite_at(z, at->length, &at->w);
  return z;
}

static void sum(const curve *at, const double w[4], double r[2])
{
  for (int i = 0; i < 2; i++) r[i] = capm_hermite_sum(w, at->first[i], at->e1[i], at->second[i], at->e2[i]);
}

/* Strain and curvature (positive to the right of the travel), as the law of the beam has them. */
static double strain_of(const curve *at, double z, double *curvature)
{
  const capm_beam beam = {.length = at->length};
  capm_beam_state s;
  capm_beam_deform(&beam,
                   (capm_beam_ends){at->second[0] - at->first[0], at->second[1] - at->first[1], at->first[2],
                                    at->second[2]},
                   &s);
  *curvature = -((6.0 * z - 4.0) * s.th1 + (6.0 * z - 2.0) * s.th2) / (at->length * (1.0 + s.strain));
  return s.strain;
}

enum { COORDS = 6 };

/* Rows of a sum: columns x1, y1, phi1, x2, y2, phi2. */
static void rows_of(const curve *at, const double w[4], double J[2][CAP_RING_COORDS])
{
  J[0][0] = J[1][1] = w[0];
  J[0][3] = J[1][4] = w[2];
  J[0][1] = J[1][0] = J[0][4] = J[1][3] = 0.0;
  J[0][2] = -w[1] * at->e1[1], J[1][2] = w[1] * at->e1[0];
  J[0][5] = -w[3] * at->e2[1], J[1][5] = w[3] * at->e2[0];
}

static void point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *p)
{
  const chain *c = (const chain *)ring;
  int k = beam_at(c, xi);
  double slope[2], moved[2][CAP_RING_COORDS];
  curve at;
  double z = curve_at(c, q, k, xi, &at);
  sum(&at, at.w.value, p->r);
  sum(&at, at.w.first, slope);
  double square = slope[0] * slope[0] + slope[1] * slope[1], size = sqrt(square);
  p->t[0] = slope[0] / size, p->t[1] = slope[1] / size;
  double strain = strain_of(&at, z, &p->curvature);
  p->stretch = 1.0 + strain;
  p->tension = ring->section.EA * strain;
  p->ncoord = COORDS;
  rows_of(&at, at.w.value, p->J);
  rows_of(&at, at.w.first, moved);
  for (int i = 0; i < COORDS; i++) {
    p->coord[i] = c->node[k + i / 3] + i % 3;
    p->turn[i] = (slope[0] * moved[1][i] - slope[1] * moved[0][i]) / square;
  }
}

static void place_at(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  const chain *c = (const chain *)ring;
  curve at;
  curve_at(c, q, beam_at(c, xi), xi, &at);
  sum(&at, at.w.value, r);
  sum(&at, at.w.first, r1);
  sum(&at, at.w.second, r2);
}

static void vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride, double dr[2],
                 double dJ[2][CAP_RING_COORDS])
{
  const chain *c = (const chain *)ring;
  int k = beam_at(c, xi);
  double J[2][CAP_RING_COORDS];
  curve at;
  curve_at(c, q, k, xi, &at);
  rows_of(&at, at.w.value, J);
  for (int row = 0; row < 2; row++) {
    dr[row] = 0.0;
    for (int i = 0; i < COORDS; i++) {
      double along = dq[(c->node[k + i / 3] + i % 3) * stride];
      dr[row] += J[row][i] * along;
      dJ[row][i] = i == 2   ? -at.w.value[1] * at.e1[row] * along
                   : i == 5 ? -at.w.value[3] * at.e2[row] * along
                            : 0.0;
    }
  }
}

/* Slopes of the nodes are their directions, which turn with them. */
static bool crowd(const cap_ring *ring, const double *q, const double *v, cap_ring_crowd *to)
{
  const chain *c = (const chain *)ring;
  if (c->n > CAP_RING_CROWD_NODES || ring->open) return false;
  to->curve = (cap_ring_crowd_curve){.mesh = &c->mesh, .noded = true, .length = ring->length};
  for (int k = 0; k < c->n; k++) {
    const double *at = q + c->node[k], *moves = v + c->node[k];
    double e[2];
    direction(at[2], c->stretch, e);
    const double row[8] = {at[0], at[1], e[0], e[1], moves[0], moves[1], -moves[2] * e[1], moves[2] * e[0]};
    memcpy(to->node[k], row, sizeof row);
  }
  memcpy(to->node[c->n], to->node[0], sizeof to->node[0]);
  return true;
}

static void crowd_push(const cap_ring *ring, const double *q, const double (*force)[4], double travel,
                       double ratio, double *h)
{
  const chain *c = (const chain *)ring;
  (void)travel, (void)ratio;
  for (int k = 0; k < c->n; k++) {
    double e[2], *to = h + c->node[k];
    direction(q[c->node[k] + 2], c->stretch, e);
    to[0] += force[k][0];
    to[1] += force[k][1];
    to[2] += e[0] * force[k][3] - e[1] * force[k][2];
  }
}

/* ---- building ------------------------------------------------------------------------------------------ */

/* What the ring is to bear: tension, curvature. */
typedef struct bearing {
  double tension, curvature; /* N, 1/m */
} bearing;

/* Stiffness of a node's angle: of bending and stress, and as a curved beam cannot turn its ends against each
 * other without stretching. */
static double angle_stiffness(const cap_ring_section *s, double l, bearing bears)
{
  return 12.0 * s->EI / l + 0.4 * bears.tension * l;
}

static double curved_stiffness(const cap_ring_section *s, double l, bearing bears)
{
  return s->EA * l * l * l * bears.curvature * bears.curvature / 36.0;
}

/* The angle of a node must not be faster than half the waves along the ring: where it would be it gets as
 * much inertia (docs/theory.md §35.1). */
static double rotary_of(const cap_ring_section *s, double l, bearing bears)
{
  double along = 4.0 * s->EA / (s->mass * l * l), own = s->EI * s->mass / s->EA * l;
  return fmax(own, 4.0 * (angle_stiffness(s, l, bears) + curved_stiffness(s, l, bears)) / along);
}

/* rad/s; NAN: out of memory. */
static double pace_of(const cap_ring_section *s, const capm_beam *beam, bearing bears)
{
  double rotary = rotary_of(s, beam->length, bears);
  double straight = cap_beam_frequency_of(beam, bears.tension, s->mass, rotary, NULL);
  return sqrt(straight * straight + curved_stiffness(s, beam->length, bears) / rotary);
}

static chain *create(cap_builder *b, const char *name, const cap_ring_type *type,
                     const cap_ring_section *section, int n, double length)
{
  cap_arena *arena = cap_builder_arena(b);
  chain *c = CAP_ARENA_NEW(arena, chain, 1);
  if (!c) return NULL;
  *c = (chain){.ring = {.type = type, .section = *section, .length = length, .flow = -1},
               .n = n,
               .per_even = n / length};
  c->ring.name = cap_arena_copy_text(arena, name);
  c->node = CAP_ARENA_NEW(arena, int, n + 1);
  c->place = CAP_ARENA_NEW(arena, double, n + 1);
  return c->ring.name && c->node && c->place ? c : NULL;
}

/* Three coordinates of a node with the mass of `l` m of the ring. */
static int add_node(cap_builder *b, const chain *c, int k, double l, bearing bears, const double at[3],
                    const double rate[3])
{
  static const char *const names[3] = {"x", "y", "phi"};
  int first = 0;
  for (int i = 0; i < 3; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s.%d.%s", c->ring.name, k, names[i]);
    double mass = i < 2 ? c->ring.section.mass * l : rotary_of(&c->ring.section, l, bears);
    int dof = cap_builder_dof(b, name, i < 2 ? "m" : "rad", mass, at[i], rate ? rate[i] : 0.0);
    if (i == 0) first = dof;
  }
  return first;
}

/* Beams between the nodes, their losses counted as one, and the fastest motion of any of them. */
static bool add_beams(cap_builder *b, chain *c, bearing bears, bool even)
{
  const cap_ring_section *s = &c->ring.section;
  for (int k = 0; k < c->n; k++) {
    char name[160];
    /* equal to the last bit where they are equal: such beams are computed together */
    double l = even ? c->ring.length / c->n : c->place[k + 1] - c->place[k];
    capm_beam beam = {s->EA, s->EI, l, s->EA * s->damping, s->EI * s->damping, 0.0};
    double par[CAP_BEAM_NPARAM] = {beam.EA, beam.EI, beam.length, beam.axial, beam.bending, beam.curvature};
    double pace = pace_of(s, &beam, bears);
    if (isnan(pace)) return false;
    snprintf(name, sizeof name, "%s.%d", c->ring.name, k);
    int beam_handle = cap_builder_element(b, &cap_beam_type, name, c->node[k], c->node[k + 1], par, NULL);
    if (k == 0) c->ring.element = beam_handle;
    cap_builder_fastest(b, pace);
  }
  cap_builder_common(b, &cap_beam_type, 1, &c->ring.name, 0, NULL);
  return true;
}

/* The length that a beam sees: its chord and the bow. */
static double seen_length(const cap_ring_layout_point *a, const cap_ring_layout_point *b, double l,
                          double stretch)
{
  const capm_beam beam = {.length = l};
  capm_beam_state seen;
  (void)stretch;
  capm_beam_deform(&beam, (capm_beam_ends){b->r[0] - a->r[0], b->r[1] - a->r[1], a->angle, b->angle}, &seen);
  return l * (1.0 + seen.strain);
}

static cap_ring_fault obstacle(const cap_ring_shape *s)
{
  if (s->open)
    return (cap_ring_fault){"expected a closed ring; open strips have their own call", "open", 0.0};
  return cap_ring_layout_obstacle(s);
}

static cap_ring *build(cap_builder *b, const cap_ring_shape *s)
{
  double length = s->free_length > 0.0 ? s->free_length : s->length, strain = s->length / length - 1.0;
  cap_ring_layout layout = cap_ring_layout_of(s->length, s->centre_distance, s->theta);
  const bearing bears = {2.0 * fmax(s->section.EA * strain, s->section.mass * s->speed * s->speed),
                         1.5 / fmin(layout.r_p, layout.r_s)};
  chain *c = create(b, s->name, &cap_ring_rcm_type, &s->section, s->nodes, length);
  if (!c) return NULL;
  c->stretch = 1.0 + strain;
  c->ring.finest = length;
  for (int k = 0; k <= c->n; k++)
    c->place[k] = k == c->n ? length : s->mesh ? s->mesh[k] * length / s->length : length * k / c->n;
  double *along = CAP_ARENA_NEW(cap_builder_arena(b), double, c->n + 1);
  if (!along) return NULL;
  cap_ring_shape fitted = *s;
  cap_ring_layout_spread(&fitted, c->stretch, c->n, c->place, seen_length, along);
  for (int k = 0; k < c->n; k++) {
    cap_ring_layout_point at;
    cap_ring_layout_at(&fitted, along[k], &at);
    const double q[3] = {at.r[0], at.r[1], at.angle}, v[3] = {at.v[0], at.v[1], at.turn};
    double before = k > 0 ? c->place[k] - c->place[k - 1] : length - c->place[c->n - 1];
    c->ring.finest = fmin(c->ring.finest, before);
    c->node[k] = add_node(b, c, k, 0.5 * (before + c->place[k + 1] - c->place[k]), bears, q, v);
  }
  c->node[c->n] = c->node[0];
  c->ring.first = c->node[0];
  c->ring.ncoord = 3 * c->n;
  if (!cap_ring_mesh_create(&c->mesh, c->n, c->place, cap_builder_arena(b)) ||
      !add_beams(b, c, bears, !s->mesh))
    return NULL;
  return cap_ring_gauge_channels(b, &c->ring, true, s->outputs ? s->outputs : 8, cap_ring_gauge_points(s))
             ? &c->ring
             : NULL;
}

const cap_ring_type cap_ring_rcm_type = {
    .name = "rcm",
    .extensible = true,
    .no_rows = "its slopes are angles",
    .obstacle = obstacle,
    .build = build,
    .point_at = point_at,
    .place_at = place_at,
    .vary = vary,
    .crowd = crowd,
    .crowd_push = crowd_push,
};

/* ---- open strips --------------------------------------------------------------------------------------- */

static int add_clamp(cap_builder *b, const chain *c, int k, const double at[3])
{
  static const char *const names[3] = {"x", "y", "phi"};
  int first = 0;
  for (int i = 0; i < 3; i++) {
    char name[160];
    cap_motion rest = {.mean = at[i]};
    snprintf(name, sizeof name, "%s.%d.%s", c->ring.name, k, names[i]);
    int dof = cap_builder_driven(b, name, i < 2 ? "m" : "rad", &rest);
    if (i == 0) first = dof;
  }
  return first;
}

static bearing strip_bears(const cap_ring_rcm_strip *s, double *stretch)
{
  int last = s->nodes - 1;
  double chord = 0.0, turn = 0.0, l = s->free_length / last;
  for (int k = 0; k < last; k++) {
    chord += hypot(s->at[k + 1][0] - s->at[k][0], s->at[k + 1][1] - s->at[k][1]);
    turn = fmax(turn, fabs(s->at[k + 1][2] - s->at[k][2]));
  }
  *stretch = chord / s->free_length;
  return (bearing){2.0 * s->section.EA * fmax(*stretch - 1.0, 0.0), 1.5 * turn / l};
}

cap_ring *cap_ring_rcm_open(cap_builder *b, const cap_ring_rcm_strip *s, cap_error *error)
{
  if (s->nodes < 3 || !(s->free_length > 0.0)) {
    cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                    "expected an open strip with a length above 0 and at least 3 nodes");
    return NULL;
  }
  int last = s->nodes - 1, inner = -1;
  chain *c = create(b, s->name, &cap_ring_rcm_type, &s->section, last, s->free_length);
  double l = s->free_length / last, stretch;
  const bearing bears = strip_bears(s, &stretch);
  if (c) c->stretch = stretch;
  for (int k = 0; c && k <= last; k++) {
    int end = k == 0 ? 0 : k == last ? 1 : -1;
    c->place[k] = l * k;
    if (end >= 0 && s->ends[end] >= 0) c->node[k] = s->ends[end];
    else if (end >= 0) c->node[k] = add_clamp(b, c, k, s->at[k]);
    else c->node[k] = add_node(b, c, k, l, bears, s->at[k], s->velocity ? s->velocity[k] : NULL);
    if (k == 1) inner = c->node[k];
  }
  if (c) c->ring.first = inner, c->ring.ncoord = 3 * (last - 1), c->ring.open = true;
  if (!c || !add_beams(b, c, bears, true) ||
      !cap_ring_gauge_channels(b, &c->ring, true, s->outputs ? s->outputs : 8, last)) {
    cap_status_fail(error, CAP_ERR_NOMEM, "out of memory while building the strip");
    return NULL;
  }
  return &c->ring;
}
