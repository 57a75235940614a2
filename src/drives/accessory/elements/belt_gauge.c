/* drives/accessory/elements/belt_gauge.c — what a belt of segments shows: of its spans, and of its pulleys.
 *
 * Maths: docs/theory.md §28.3. It exerts nothing, and works only where outputs are wanted: it reads the
 * tensions of the beams and the forces of the contacts, which stand before it, and sums them up by place. The
 * tangent points are those of the pitch line with the pulleys where they are; a segment belongs to a span
 * with the part of its length between them, so that nothing jumps when segments pass.
 */
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>

enum { PULLEYS = CAP_BELT_PULLEYS_MOST, BINS = CAP_BELT_GAUGE_BINS };

typedef struct vec {
  double x, y;
} vec;

static double dot(vec a, vec b)
{
  return a.x * b.x + a.y * b.y;
}
static double cross(vec a, vec b)
{
  return a.x * b.y - a.y * b.x;
}
static vec sub(vec a, vec b)
{
  return (vec){a.x - b.x, a.y - b.y};
}

/* A pulley, and the span that leaves it. */
typedef struct place {
  vec c;
  double radius, side, wrap;
  vec from, u; /* span: where it begins, its direction */
  double length;
  vec entry; /* unit, from the centre to where the belt comes in */
} place;

/* The belt: node k has its coordinates from node[k] on. */
typedef struct belt {
  const cap_eval *e;
  int n;
  const int *node;
  const double *tension, *touch; /* [n], [n][CAP_BELT_CONTACT_NOUTPUT] */
  const double *length;          /* [n] m, unstrained */
  double EA, mass;
} belt;

static vec node_at(const belt *b, int k)
{
  const double *q = b->e->q + b->node[k];
  return (vec){q[0], q[1]};
}
static int after(const belt *b, int k)
{
  return k + 1 == b->n ? 0 : k + 1;
}
static int before(const belt *b, int k)
{
  return k ? k - 1 : b->n - 1;
}

/* ---- places -------------------------------------------------------------------------------------------- */

/* (22.2): the tangent from pulley i to the next one. */
static void lay_span(place *i, const place *j)
{
  vec d = sub(j->c, i->c);
  double rho = i->side * i->radius - j->side * j->radius, square = dot(d, d);
  i->length = sqrt(fmax(square - rho * rho, 0.0));
  i->u = (vec){(i->length * d.x - rho * d.y) / square, (i->length * d.y + rho * d.x) / square};
  double R = i->side * i->radius;
  i->from = (vec){i->c.x + R * i->u.y, i->c.y - R * i->u.x};
}

static void lay_arc(place *p, vec enters)
{
  double turn = atan2(cross(enters, p->u), dot(enters, p->u)) * p->side;
  p->wrap = turn < 0.0 ? turn + 2.0 * M_PI : turn;
  p->entry = (vec){p->side * enters.y, -p->side * enters.x};
}

static void lay(const cap_batch *b, const cap_eval *e, place *places)
{
  for (int k = 0; k < b->n; k++) {
    const double *par = b->par + k * CAP_BELT_GAUGE_NPARAM;
    cap_mount_place at = cap_mount_at(par + CAP_BELT_GAUGE_MOUNT, e->q, 1);
    places[k] = (place){
        .c = {at.x, at.y}, .radius = par[CAP_BELT_GAUGE_RADIUS], .side = par[CAP_BELT_GAUGE_SIDE]};
  }
  for (int k = 0; k < b->n; k++) lay_span(&places[k], &places[(k + 1) % b->n]);
  for (int k = 0; k < b->n; k++) lay_arc(&places[k], places[(k ? k : b->n) - 1].u);
}

/* ---- spans --------------------------------------------------------------------------------------------- */

static int nearest_node(const belt *b, vec to)
{
  int found = 0;
  double least = INFINITY;
  for (int k = 0; k < b->n; k++) {
    vec d = sub(node_at(b, k), to);
    double square = dot(d, d);
    if (square < least) least = square, found = k;
  }
  return found;
}

static double along(const belt *b, const place *p, int k)
{
  return dot(sub(node_at(b, k), p->from), p->u);
}

/* Across, at s between node k and the next: a cubic through both with their slopes. */
static double across(const belt *b, const place *p, int k, double s)
{
  int next = after(b, k);
  double s1 = along(b, p, k), s2 = along(b, p, next), h = s2 - s1, t = (s - s1) / h;
  double w1 = cross(p->u, sub(node_at(b, k), p->from)), w2 = cross(p->u, sub(node_at(b, next), p->from));
  double a = atan2(p->u.y, p->u.x);
  double d1 = h * tan(b->e->q[b->node[k] + 2] - a), d2 = h * tan(b->e->q[b->node[next] + 2] - a);
  double r = 1.0 - t;
  return w1 * r * r * (1.0 + 2.0 * t) + w2 * t * t * (1.0 + 2.0 * r) + (d1 * r - d2 * t) * t * r;
}

/* Between the middles of the segments on either side of s. */
static double tension_at(const belt *b, const place *p, int k, double s)
{
  double s1 = along(b, p, k), s2 = along(b, p, after(b, k)), t = (s - s1) / (s2 - s1) - 0.5;
  int other = t < 0.0 ? before(b, k) : after(b, k);
  return b->tension[k] + fabs(t) * (b->tension[other] - b->tension[k]);
}

typedef struct sums {
  double weight, tension, speed;
} sums;

static void weigh(const belt *b, const place *p, int k, sums *a)
{
  int next = after(b, k);
  double s1 = fmax(along(b, p, k), 0.0), s2 = fmin(along(b, p, next), p->length), part = fmax(s2 - s1, 0.0);
  const double *v1 = b->e->v + b->node[k], *v2 = b->e->v + b->node[next];
  a->weight += part;
  a->tension += part * b->tension[k];
  a->speed += part * 0.5 * ((v1[0] + v2[0]) * p->u.x + (v1[1] + v2[1]) * p->u.y);
}

static void show_span(const belt *b, const place *p, double *out)
{
  vec middle = {p->from.x + 0.5 * p->length * p->u.x, p->from.y + 0.5 * p->length * p->u.y};
  int first = nearest_node(b, middle), at = first;
  sums a = {0};
  while (along(b, p, at) > 0.5 * p->length && before(b, at) != first) at = before(b, at);
  while (along(b, p, after(b, at)) <= 0.5 * p->length && after(b, at) != first) at = after(b, at);
  int k = at;
  do weigh(b, p, k, &a), k = after(b, k);
  while (along(b, p, k) < p->length && k != at);
  for (k = at; along(b, p, k) > 0.0 && before(b, k) != at;) k = before(b, k), weigh(b, p, k, &a);
  double tension = a.tension / a.weight, speed = a.speed / a.weight;
  out[CAP_BELT_GAUGE_TENSION] = tension;
  out[CAP_BELT_GAUGE_EFFECTIVE] = tension - b->mass * speed * speed / (1.0 + tension / b->EA);
  out[CAP_BELT_GAUGE_MIDDLE] = tension_at(b, p, at, 0.5 * p->length);
  out[CAP_BELT_GAUGE_MOTION] = across(b, p, at, 0.5 * p->length);
}

/* ---- pulleys ------------------------------------------------------------------------------------------- */

/* Angle of a node on the pulley from its entry, along the travel; from minus to plus half of what is free. */
static double turned(const belt *b, const place *p, int k)
{
  vec r = sub(node_at(b, k), p->c);
  double a = p->side * atan2(cross(p->entry, r), dot(p->entry, r));
  return a < 0.5 * p->wrap - M_PI ? a + 2.0 * M_PI : a;
}

/* A segment's share of each of the parts of the wrap. */
static void distribute(const place *p, double a1, double a2, double normal, double friction, double *out)
{
  double part = p->wrap / BINS, length = p->radius * part, span = fmax(a2 - a1, 1e-12);
  for (int k = 0; k < BINS; k++) {
    double low = k ? k * part : -INFINITY, high = k + 1 < BINS ? (k + 1) * part : INFINITY;
    double share = fmax(fmin(a2, high) - fmax(a1, low), 0.0) / (span * length);
    out[CAP_BELT_GAUGE_PRESSURE + k] += share * normal;
    out[CAP_BELT_GAUGE_FRICTION + k] += share * friction;
  }
}

static int pulley_of(const belt *b, int k)
{
  return (int)b->touch[k * CAP_BELT_CONTACT_NOUTPUT + CAP_BELT_CONTACT_PULLEY];
}

/* Of the segment at an end of the contact only a part touches: as much as its force is of its neighbour's,
 * which is wholly within. `outer`, `inner`: the segments on either side of it. */
static double part_of(const belt *b, int k, int outer, int inner)
{
  double own = b->touch[k * CAP_BELT_CONTACT_NOUTPUT + CAP_BELT_CONTACT_NORMAL];
  double full = b->touch[inner * CAP_BELT_CONTACT_NOUTPUT + CAP_BELT_CONTACT_NORMAL];
  return pulley_of(b, outer) != pulley_of(b, k) && full > own ? own / full : 1.0;
}

static void show_segment(const belt *b, const place *p, int k, int *touched, double *out)
{
  const double *c = b->touch + k * CAP_BELT_CONTACT_NOUTPUT;
  double normal = c[CAP_BELT_CONTACT_NORMAL], a1 = turned(b, p, k), a2 = turned(b, p, after(b, k));
  out[CAP_BELT_GAUGE_NORMAL] += normal;
  out[CAP_BELT_GAUGE_TORQUE] -= p->radius * c[CAP_BELT_CONTACT_FRICTION];
  out[CAP_BELT_GAUGE_X] += c[CAP_BELT_CONTACT_X];
  out[CAP_BELT_GAUGE_Y] += c[CAP_BELT_CONTACT_Y];
  out[CAP_BELT_GAUGE_SLIP] += c[CAP_BELT_CONTACT_SLIP];
  out[CAP_BELT_GAUGE_SLIDING] += c[CAP_BELT_CONTACT_SLIDING];
  double begins = a2 - part_of(b, k, before(b, k), after(b, k)) * (a2 - a1);
  double ends = a1 + part_of(b, k, after(b, k), before(b, k)) * (a2 - a1);
  out[CAP_BELT_GAUGE_SLIP_ARC] += c[CAP_BELT_CONTACT_SLIDING] / normal * fmin(ends - a1, a2 - begins);
  if (0.5 * (a1 + a2) < 0.25 * p->wrap || !*touched)
    out[CAP_BELT_GAUGE_IMPACT] = fmax(out[CAP_BELT_GAUGE_IMPACT], c[CAP_BELT_CONTACT_PEAK]);
  if (!*touched || begins < out[CAP_BELT_GAUGE_ENTRY]) out[CAP_BELT_GAUGE_ENTRY] = begins;
  if (!*touched || p->wrap - ends < out[CAP_BELT_GAUGE_EXIT]) out[CAP_BELT_GAUGE_EXIT] = p->wrap - ends;
  *touched += 1;
  distribute(p, a1, a2, normal, c[CAP_BELT_CONTACT_FRICTION], out);
}

/* Where nothing touches, all is 0. */
static void show_pulleys(const belt *b, const place *places, double *outputs)
{
  int touched[PULLEYS] = {0};
  for (int k = 0; k < b->n; k++) {
    int p = pulley_of(b, k);
    if (p >= 0) show_segment(b, &places[p], k, &touched[p], outputs + p * CAP_BELT_GAUGE_NOUTPUT);
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (!e->force) return;
  const cap_batch *beams = b + b->reads[0], *contacts = b + b->reads[1];
  place places[PULLEYS];
  belt w = {.e = e,
            .n = contacts->n,
            .node = contacts->i,
            .tension = e->force + beams->elem_adr,
            .touch = e->force + contacts->output_adr,
            .EA = b->common[CAP_BELT_GAUGE_EA],
            .mass = b->common[CAP_BELT_GAUGE_MASS]};
  double *outputs = e->force + b->output_adr;
  lay(b, e, places);
  for (int k = 0; k < b->n * CAP_BELT_GAUGE_NOUTPUT; k++) outputs[k] = 0.0;
  show_pulleys(&w, places, outputs);
  for (int k = 0; k < b->n; k++) {
    double *out = outputs + k * CAP_BELT_GAUGE_NOUTPUT, normal = out[CAP_BELT_GAUGE_NORMAL];
    show_span(&w, &places[k], out);
    e->force[b->elem_adr + k] = 0.0;
    if (!(normal > 0.0)) continue;
    out[CAP_BELT_GAUGE_SLIP] /= normal;
    out[CAP_BELT_GAUGE_SLIDING] /= normal;
  }
}

static const cap_param params[CAP_BELT_GAUGE_NPARAM] = {
    {"centre x", "m"},          {"centre y", "m"},    {"arm", "m"},
    {"direction x", "1"},       {"direction y", "1"}, {"coordinate of arm", "1"},
    {"coordinate of hub", "1"}, {"radius", "m"},      {"side", "1"}};

const cap_element_type cap_belt_gauge_type = {
    .name = "belt sensor",
    .doc = "sensor of a belt of segments: outputs of a pulley and of the span after it",
    .nparam = CAP_BELT_GAUGE_NPARAM,
    .params = params,
    .noutput = CAP_BELT_GAUGE_NOUTPUT,
    .wide = true,
    .rates = rates,
};
