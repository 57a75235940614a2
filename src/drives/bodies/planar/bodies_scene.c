/* drives/bodies/planar/bodies_scene.c — see bodies.h: what is where at the start, and which points may
 * touch. */
#include "contact/planar.h"
#include "drives/bodies/planar/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_bodies_spec spec;
typedef cap_bodies_body body;
typedef cap_bodies_scene scene;
typedef cap_bodies_point point;

enum { POINTS_MOST = 4000 };

int cap_bodies_scene_find(const spec *s, const char *name)
{
  const body *bodies = s->bodies.items;
  if (!name) return CAP_BODIES_GROUND;
  for (int k = 0; k < s->bodies.n; k++)
    if (strcmp(bodies[k].name, name) == 0) return k;
  return -2;
}

int cap_bodies_scene_find_line(const spec *s, const char *name)
{
  const cap_bodies_line *lines = s->lines.items;
  for (int k = 0; k < s->lines.n; k++)
    if (strcmp(lines[k].name, name) == 0) return k;
  return -2;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

int cap_bodies_scene_corners(const body *p, double corners[CAP_DISC_POLYGON_MOST][2])
{
  static const double sides[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  const cap_bodies_corner *own = p->corners.items;
  int n = p->kind == CAP_BODIES_BLOCK ? 4 : p->kind == CAP_BODIES_POLYGON ? p->corners.n : 0;
  for (int k = 0; k < n; k++) {
    corners[k][0] = p->kind == CAP_BODIES_BLOCK ? sides[k][0] * p->width : own[k].x;
    corners[k][1] = p->kind == CAP_BODIES_BLOCK ? sides[k][1] * p->height : own[k].y;
  }
  return n;
}

/* Of a uniform polygon about its frame's origin, per mass: sum over triangles with the origin. */
static double polygon_inertia(int n, const double (*p)[2])
{
  double area = 0.0, moment = 0.0;
  for (int k = 0; k < n; k++) {
    const double *a = p[k], *b = p[(k + 1) % n];
    double twice = a[0] * b[1] - a[1] * b[0];
    area += 0.5 * twice;
    moment += twice * (a[0] * a[0] + a[1] * a[1] + a[0] * b[0] + a[1] * b[1] + b[0] * b[0] + b[1] * b[1]) /
              12.0;
  }
  return moment / area;
}

double cap_bodies_scene_inertia(const body *p)
{
  double corners[CAP_DISC_POLYGON_MOST][2];
  if (p->inertia_given) return p->inertia;
  if (p->kind == CAP_BODIES_DISC) return 0.5 * p->mass * p->radius * p->radius;
  if (p->kind == CAP_BODIES_POINT) return p->mass; /* its angle is held: any value will do */
  int n = cap_bodies_scene_corners(p, corners);
  return p->mass * polygon_inertia(n, (const double(*)[2])corners);
}

void cap_bodies_scene_world(const scene *c, int k, double x, double y, double at[2])
{
  if (k < 0) {
    at[0] = x, at[1] = y;
    return;
  }
  cap_planar_arm(c->q[k][2], x, y, at);
  at[0] += c->q[k][0];
  at[1] += c->q[k][1];
}

/* Body k so that its point (x, y) is at `at`. */
static void put_at(scene *c, int k, double x, double y, const double at[2])
{
  double arm[2];
  cap_planar_arm(c->q[k][2], x, y, arm);
  c->q[k][0] = at[0] - arm[0];
  c->q[k][1] = at[1] - arm[1];
  c->placed[k] = true;
}

/* One end of a hinge that has its place gives the other its own. */
static bool place_by(scene *c, const cap_bodies_joint *h)
{
  int from = cap_bodies_scene_find(c->s, h->from), to = cap_bodies_scene_find(c->s, h->to);
  bool has_from = from < 0 || c->placed[from], has_to = to < 0 || c->placed[to];
  double at[2];
  if (h->kind != CAP_BODIES_HINGE || has_from == has_to) return false;
  if (has_from) {
    cap_bodies_scene_world(c, from, h->from_x, h->from_y, at);
    put_at(c, to, h->to_x, h->to_y, at);
  } else {
    cap_bodies_scene_world(c, to, h->to_x, h->to_y, at);
    put_at(c, from, h->from_x, h->from_y, at);
  }
  return true;
}

static bool hinged(const spec *s, int k)
{
  const cap_bodies_joint *joints = s->joints.items;
  for (int j = 0; j < s->joints.n; j++)
    if (joints[j].kind == CAP_BODIES_HINGE &&
        (cap_bodies_scene_find(s, joints[j].from) == k || cap_bodies_scene_find(s, joints[j].to) == k))
      return true;
  return false;
}

static void place_bodies(scene *c)
{
  const spec *s = c->s;
  const body *bodies = s->bodies.items;
  const cap_bodies_joint *joints = s->joints.items;
  for (int k = 0; k < s->bodies.n; k++) {
    const body *p = &bodies[k];
    c->q[k][0] = p->x, c->q[k][1] = p->y, c->q[k][2] = p->kind == CAP_BODIES_POINT ? 0.0 : p->angle;
    if (p->shake_given) {
      double swing = p->shake.amplitude * sin(p->shake.angular_frequency * s->start + p->shake.phase);
      c->q[k][0] += swing * cos(p->shake.direction);
      c->q[k][1] += swing * sin(p->shake.direction);
    }
    c->placed[k] = p->x_given || p->y_given || p->hold == CAP_BODIES_PLACE || !hinged(s, k);
  }
  for (bool more = true; more;) {
    more = false;
    for (int j = 0; j < s->joints.n; j++) more = place_by(c, &joints[j]) || more;
  }
}

/* ---- points that touch --------------------------------------------------------------------------------- */

typedef struct pairing {
  int a, b; /* bodies */
  const char *name;
  const cap_bodies_law *law;
  int count; /* points so far */
} pairing;

static cap_status add_point(scene *c, pairing *p, const cap_contact_type *type, int a, int b,
                            const double *par, cap_error *error)
{
  if (c->npoint == POINTS_MOST)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "too many contact points; expected at most %d; set pairs: listed and list the pairs in contacts",
        POINTS_MOST);
  if (c->npoint == c->capacity) {
    int capacity = c->capacity ? 2 * c->capacity : 16;
    point *more = realloc(c->points, (size_t)capacity * sizeof *more);
    if (!more) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    c->points = more;
    c->capacity = capacity;
  }
  point *own = &c->points[c->npoint++];
  *own = (point){.type = type, .a = a, .b = b, .pair = p->name, .number = p->count++, .law = p->law};
  memcpy(own->par, par, (size_t)type->nparam * sizeof *par);
  return CAP_OK;
}

/* The disc or point `a`, or each corner of it, on a polygon or line of b that stands in par. */
static cap_status add_on(scene *c, pairing *p, int a, int b, double *par, cap_error *error)
{
  const body *own = (const body *)c->s->bodies.items + a;
  double corners[CAP_DISC_POLYGON_MOST][2];
  int n = cap_bodies_scene_corners(own, corners);
  par[CAP_DISC_POLYGON_RADIUS] = own->kind == CAP_BODIES_DISC ? own->radius : 0.0;
  if (n == 0) return add_point(c, p, &cap_disc_polygon_type, a, b, par, error);
  for (int k = 0; k < n; k++) {
    par[CAP_DISC_POLYGON_AX] = corners[k][0];
    par[CAP_DISC_POLYGON_AY] = corners[k][1];
    CAP_TRY(add_point(c, p, &cap_disc_polygon_type, a, b, par, error));
  }
  return CAP_OK;
}

static cap_status add_on_body(scene *c, pairing *p, int a, int b, cap_error *error)
{
  double corners[CAP_DISC_POLYGON_MOST][2], par[CAP_DISC_POLYGON_NPARAM] = {0};
  int n = cap_bodies_scene_corners((const body *)c->s->bodies.items + b, corners);
  cap_disc_polygon_shape(n, (const double(*)[2])corners, par);
  return add_on(c, p, a, b, par, error);
}

static cap_status add_bodies(scene *c, pairing *p, cap_error *error)
{
  const body *bodies = c->s->bodies.items;
  double unused[CAP_DISC_POLYGON_MOST][2];
  bool flat_a = cap_bodies_scene_corners(&bodies[p->a], unused) > 0;
  bool flat_b = cap_bodies_scene_corners(&bodies[p->b], unused) > 0;
  if (!flat_a && !flat_b) {
    const body *a = &bodies[p->a], *b = &bodies[p->b];
    double ra = a->kind == CAP_BODIES_DISC ? a->radius : 0.0,
           rb = b->kind == CAP_BODIES_DISC ? b->radius : 0.0;
    const double par[CAP_DISC_DISC_NPARAM] = {0, 0, 0, 0, ra, rb};
    if (ra + rb == 0.0) return CAP_OK; /* two points pass each other */
    return add_point(c, p, &cap_disc_disc_type, p->a, p->b, par, error);
  }
  if (flat_b) CAP_TRY(add_on_body(c, p, p->a, p->b, error));
  return flat_a ? add_on_body(c, p, p->b, p->a, error) : CAP_OK;
}

/* One wall: through the point that is `up` to the left of the line's, facing left, or right with `back`. */
static cap_status add_wall(scene *c, pairing *p, const cap_bodies_line *l, double up, bool back,
                           cap_error *error)
{
  double along[2] = {cos(l->angle), sin(l->angle)}, sign = back ? -1.0 : 1.0;
  const double at[2] = {l->x - up * along[1], l->y + up * along[0]};
  const double two[2][2] = {{at[0], at[1]}, {at[0] - sign * along[0], at[1] - sign * along[1]}};
  double par[CAP_DISC_POLYGON_NPARAM] = {0};
  par[CAP_DISC_POLYGON_SPEED] = sign * l->speed;
  cap_disc_polygon_shape(2, two, par);
  return add_on(c, p, p->a, p->b, par, error);
}

static cap_status add_line(scene *c, pairing *p, const cap_bodies_line *l, cap_error *error)
{
  if (l->kind == CAP_BODIES_LINE) return add_wall(c, p, l, 0.0, false, error);
  CAP_TRY(add_wall(c, p, l, -0.5 * l->width, false, error));
  return add_wall(c, p, l, 0.5 * l->width, true, error);
}

static cap_status name_pair(scene *c, pairing *p, const char *name, const char *from, const char *to,
                            cap_error *error)
{
  p->name = name ? name : cap_arena_format(&c->arena, "%s-%s", from, to ? to : "ground");
  return p->name ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status add_listed(scene *c, const cap_bodies_contact *l, cap_error *error)
{
  const spec *s = c->s;
  pairing p = {.law = l->law_given ? &l->law : &s->contact};
  CAP_TRY(name_pair(c, &p, l->name, l->from, l->to, error));
  p.a = cap_bodies_scene_find(s, l->from);
  p.b = cap_bodies_scene_find(s, l->to);
  if (l->kind == CAP_BODIES_PIN) {
    const double par[CAP_DISC_DISC_NPARAM] = {l->from_x, l->from_y, l->to_x, l->to_y, l->radius, -l->hole};
    return add_point(c, &p, &cap_disc_disc_type, p.a, p.b, par, error);
  }
  if (p.b >= 0) return add_bodies(c, &p, error);
  const cap_bodies_line *line = (const cap_bodies_line *)s->lines.items +
                                cap_bodies_scene_find_line(s, l->to);
  p.b = cap_bodies_scene_find(s, line->of);
  return add_line(c, &p, line, error);
}

/* Of bodies with a pin in a hole the outlines overlap: their pin is all of their contact. */
static bool listed(const spec *s, const char *a, const char *b)
{
  const cap_bodies_contact *contacts = s->contacts.items;
  for (int k = 0; k < s->contacts.n; k++) {
    const char *from = contacts[k].from, *to = contacts[k].to ? contacts[k].to : "";
    if ((strcmp(from, a) == 0 && strcmp(to, b) == 0) || (strcmp(from, b) == 0 && strcmp(to, a) == 0))
      return true;
  }
  return false;
}

static bool joined(const spec *s, int a, int b)
{
  const cap_bodies_joint *joints = s->joints.items;
  for (int j = 0; j < s->joints.n; j++) {
    int from = cap_bodies_scene_find(s, joints[j].from), to = cap_bodies_scene_find(s, joints[j].to);
    if (joints[j].kind != CAP_BODIES_ROPE && ((from == a && to == b) || (from == b && to == a))) return true;
  }
  return false;
}

static bool held(const body *p)
{
  return p->hold == CAP_BODIES_PLACE;
}

static cap_status add_all(scene *c, cap_error *error)
{
  const spec *s = c->s;
  const body *bodies = s->bodies.items;
  const cap_bodies_line *lines = s->lines.items;
  for (int a = 0; a < s->bodies.n; a++) {
    for (int l = 0; l < s->lines.n; l++) {
      int b = cap_bodies_scene_find(s, lines[l].of);
      pairing p = {.a = a, .b = b, .law = &s->contact};
      if (b == a || (held(&bodies[a]) && (b < 0 || held(&bodies[b])))) continue;
      if (listed(s, bodies[a].name, lines[l].name) || joined(s, a, b)) continue;
      CAP_TRY(name_pair(c, &p, NULL, bodies[a].name, lines[l].name, error));
      CAP_TRY(add_line(c, &p, &lines[l], error));
    }
    for (int b = a + 1; b < s->bodies.n; b++) {
      pairing p = {.a = a, .b = b, .law = &s->contact};
      if ((held(&bodies[a]) && held(&bodies[b])) || joined(s, a, b)) continue;
      if (listed(s, bodies[a].name, bodies[b].name)) continue;
      CAP_TRY(name_pair(c, &p, NULL, bodies[a].name, bodies[b].name, error));
      CAP_TRY(add_bodies(c, &p, error));
    }
  }
  return CAP_OK;
}

double cap_bodies_scene_gap(const scene *c, const point *p)
{
  static const int coord[6] = {0, 1, 2, 3, 4, 5};
  double q[6] = {0};
  cap_contact_rows rows = {0};
  const cap_contact_batch batch = {.type = p->type, .n = 1, .coord = coord, .par = p->par};
  if (p->a >= 0) memcpy(q, c->q[p->a], sizeof c->q[0]);
  if (p->b >= 0) memcpy(q + 3, c->q[p->b], sizeof c->q[0]);
  p->type->rows(&batch, 0, 1, 0.0, q, NULL, &rows);
  return rows.gap[0];
}

cap_status cap_bodies_scene_make(const spec *s, scene *c, cap_error *error)
{
  const cap_bodies_contact *contacts = s->contacts.items;
  *c = (scene){.s = s};
  place_bodies(c);
  for (int k = 0; k < s->contacts.n; k++) CAP_TRY(add_listed(c, &contacts[k], error));
  return s->pairs == 0 ? add_all(c, error) : CAP_OK;
}

void cap_bodies_scene_free(scene *c)
{
  free(c->points);
  cap_arena_free(&c->arena);
  c->points = NULL;
}
