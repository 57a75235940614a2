/* drives/bodies/planar/bodies_build.c — see bodies.h: coordinates, forces, joints, contacts and channels of
 * the scene. */
#include "contact/planar_touch.h"
#include "contact/strut.h"
#include "drives/bodies/planar/bodies.h"
#include "elements/elements.h"
#include "model/constraints.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_bodies_spec spec;
typedef cap_bodies_body body;
typedef cap_bodies_scene scene;

enum { NAME = 200, TERM_STEP = 4 };

typedef struct work {
  const spec *s;
  const scene *c;
  cap_builder *b;
  bool joints_alone;   /* ideal, to find the start */
  const double *start; /* [2][bodies][3] places and velocities, or NULL: as given */
  int first[CAP_BODIES_MOST], ground;
} work;

static int first_of(const work *w, int k)
{
  return k < 0 ? w->ground : w->first[k];
}

__attribute__((format(printf, 6, 7))) static void channel(const work *w, const char *unit, const char *what,
                                                          int nterm, const cap_term *terms,
                                                          const char *format, ...)
{
  char name[NAME];
  va_list list;
  if (w->joints_alone) return;
  va_start(list, format);
  vsnprintf(name, sizeof name, format, list);
  va_end(list);
  cap_builder_channel(w->b, name, unit, what, nterm, terms);
}

/* The channel described last is drawn. */
static void drawn(const work *w)
{
  if (!w->joints_alone) cap_builder_film(w->b);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static const char *const coord_name[3] = {"x", "y", "angle"};
static const char *const coord_unit[3] = {"m", "m", "rad"};

static int add_held(const work *w, const char *name, int c, cap_motion motion)
{
  char full[NAME];
  snprintf(full, sizeof full, "%.80s.%s", name, coord_name[c]);
  return cap_builder_driven(w->b, full, coord_unit[c], &motion);
}

/* The motion of coordinate c of a body that is held. */
static cap_status held_motion(const work *w, const body *p, int c, double place, cap_motion *motion)
{
  *motion = (cap_motion){.mean = place};
  if (p->hold != CAP_BODIES_PLACE) return CAP_OK;
  if (c == 2 && p->speed_input.name) {
    CAP_TRY(
        cap_motion_shaft(cap_builder_arena(w->b), 1, &w->s->start, &p->speed, 0, NULL, NULL, NULL, motion));
    motion->input = 1 + cap_builder_input(w->b, &p->speed_input, p->speed, false);
    motion->base = place;
    return CAP_OK;
  }
  if (c == 2 && p->speed != 0.0) {
    double since = w->s->start - place / p->speed;
    return cap_motion_shaft(cap_builder_arena(w->b), 1, &since, &p->speed, 0, NULL, NULL, NULL, motion);
  }
  if (c < 2 && p->shake_given)
    *motion = (cap_motion){.mean = c ? p->y : p->x,
                           .amplitude = p->shake.amplitude *
                                        (c ? sin(p->shake.direction) : cos(p->shake.direction)),
                           .angular_frequency = p->shake.angular_frequency,
                           .phase = p->shake.phase};
  return CAP_OK;
}

static bool coordinate_held(const body *p, int c)
{
  bool angle = p->hold == CAP_BODIES_ANGLE || p->kind == CAP_BODIES_POINT;
  return p->hold == CAP_BODIES_PLACE || (c == 2 && angle);
}

static cap_status add_coordinates(work *w, int k)
{
  const body *p = (const body *)w->s->bodies.items + k;
  const double mass[3] = {p->mass, p->mass, cap_bodies_scene_inertia(p)}, given[3] = {p->vx, p->vy, p->turn};
  for (int c = 0; c < 3; c++) {
    double q = w->start ? w->start[3 * k + c] : w->c->q[k][c];
    double v = w->start ? w->start[3 * (w->s->bodies.n + k) + c] : given[c];
    char name[NAME];
    cap_motion motion;
    int dof;
    if (coordinate_held(p, c)) {
      CAP_TRY(held_motion(w, p, c, w->c->q[k][c], &motion));
      dof = add_held(w, p->name, c, motion);
    } else {
      snprintf(name, sizeof name, "%.80s.%s", p->name, coord_name[c]);
      dof = cap_builder_dof(w->b, name, coord_unit[c], mass[c], q, v);
    }
    if (c == 0) w->first[k] = dof;
  }
  return CAP_OK;
}

static void body_channels(const work *w, int k)
{
  static const struct {
    const char *end, *unit, *what;
  } shown[6] = {
      {"x", "m", "centre of mass, to the right"},       {"y", "m", "centre of mass, upwards"},
      {"angle", "rad", "angle, counterclockwise"},      {"vx", "m/s", "velocity of the centre, to the right"},
      {"vy", "m/s", "velocity of the centre, upwards"}, {"angular_velocity", "rad/s", "angular velocity"}};
  const body *p = (const body *)w->s->bodies.items + k;
  bool point = p->kind == CAP_BODIES_POINT;
  for (int i = 0; i < 6; i++) {
    cap_term term = {i < 3 ? CAP_TERM_Q : CAP_TERM_V, w->first[k] + i % 3, 1.0};
    if (point && i % 3 == 2) continue;
    channel(w, shown[i].unit, shown[i].what, 1, &term, "%.80s.%s", p->name, shown[i].end);
    if (i < 3) drawn(w);
  }
}

static void add_weight(const work *w, int k)
{
  const body *p = (const body *)w->s->bodies.items + k;
  char name[NAME];
  double force = -p->mass * w->s->gravity;
  if (p->hold == CAP_BODIES_PLACE || force == 0.0) return;
  snprintf(name, sizeof name, "%.80s.weight", p->name);
  cap_builder_element(w->b, &cap_weight_type, name, w->first[k] + 1, CAP_GROUND, &force, NULL);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

bool cap_bodies_build_set_valued(const spec *s)
{
  const cap_bodies_contact *contacts = s->contacts.items;
  const cap_bodies_joint *joints = s->joints.items;
  if (s->joint_law) return s->joint_law == 2;
  bool hard = false, listed = s->pairs == 1;
  for (int k = 0; k < s->joints.n; k++) hard = hard || joints[k].kind == CAP_BODIES_ROPE;
  for (int k = 0; k < s->contacts.n; k++) {
    const cap_bodies_law *law = contacts[k].law_given ? &contacts[k].law : &s->contact;
    hard = hard || law->kind != CAP_BODIES_REGULARISED;
  }
  return hard || (!listed && s->contact.kind != CAP_BODIES_REGULARISED);
}

static cap_contact_law joint_law(const work *w, const cap_bodies_joint *j)
{
  bool hard = !w->joints_alone && cap_bodies_build_set_valued(w->s);
  cap_contact_law law = {.kind = hard ? CAP_LAW_SET_VALUED : CAP_LAW_IDEAL,
                         .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
  if (j->kind == CAP_BODIES_ROPE) {
    law.friction.mu_static = law.friction.mu_kinetic = 0.0;
    law.restitution = j->restitution;
  }
  return law;
}

/* Between a point of the one body and a point of the other, at the start. */
static double distance(const scene *c, int from, double fx, double fy, int to, double tx, double ty)
{
  double a[2], b[2];
  cap_bodies_scene_world(c, from, fx, fy, a);
  cap_bodies_scene_world(c, to, tx, ty, b);
  return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Radius of gyration of the body that is not held, m: what rotations of a guide are measured with. */
static double lever_of(const spec *s, int from, int to)
{
  const body *bodies = s->bodies.items;
  const body *p = from >= 0 && bodies[from].hold != CAP_BODIES_PLACE ? &bodies[from] : &bodies[to];
  return sqrt(cap_bodies_scene_inertia(p) / p->mass);
}

static void joint_channels(const work *w, const cap_bodies_joint *j, int contact, double lever)
{
  int at = contact * TERM_STEP;
  const cap_term first = {CAP_TERM_CONTACT_FORCE, at, -1.0},
                 second = {CAP_TERM_CONTACT_FORCE, at + 1, -lever};
  if (j->kind == CAP_BODIES_HINGE) {
    const cap_term y = {CAP_TERM_CONTACT_FORCE, at + 1, -1.0};
    channel(w, "N", "joint force on the first body, to the right", 1, &first, "%.80s.force.x", j->name);
    channel(w, "N", "joint force on the first body, upwards", 1, &y, "%.80s.force.y", j->name);
  } else if (j->kind == CAP_BODIES_ROD || j->kind == CAP_BODIES_ROPE) {
    channel(w, "N", "tension", 1, &first, "%.80s.tension", j->name);
  } else {
    channel(w, "N", "joint force on the first body, to the left of the line", 1, &first, "%.80s.force.across",
            j->name);
    if (j->kind == CAP_BODIES_GUIDE)
      channel(w, "N m", "joint moment on the first body", 1, &second, "%.80s.moment", j->name);
  }
}

static void add_joint(const work *w, const cap_bodies_joint *j)
{
  int from = cap_bodies_scene_find(w->s, j->from), to = cap_bodies_scene_find(w->s, j->to);
  int a = first_of(w, from), b = first_of(w, to), coords[6] = {a, a + 1, a + 2, b, b + 1, b + 2};
  int none[CAP_CONTACT_BODIES] = {-1, -1};
  cap_contact_law law = joint_law(w, j);
  const cap_contact_type *type = &cap_hinge_pin_type;
  double par[CAP_GUIDE_NPARAM] = {j->from_x, j->from_y, j->to_x, j->to_y}, lever = 1.0;
  if (j->kind == CAP_BODIES_ROPE && w->joints_alone) return;
  if (j->kind == CAP_BODIES_GUIDE || j->kind == CAP_BODIES_SLIDE) {
    double before = (from < 0 ? 0.0 : w->c->q[from][2]) - (to < 0 ? 0.0 : w->c->q[to][2]);
    type = j->kind == CAP_BODIES_GUIDE ? &cap_guide_type : &cap_guide_slot_type;
    par[CAP_GUIDE_DIRECTION] = j->angle;
    par[CAP_GUIDE_ANGLE] = before;
    par[CAP_GUIDE_LEVER] = lever = lever_of(w->s, from, to);
  } else if (j->kind != CAP_BODIES_HINGE) {
    double now = distance(w->c, from, j->from_x, j->from_y, to, j->to_x, j->to_y);
    type = j->kind == CAP_BODIES_ROD ? &cap_disc_disc_rod_type : &cap_disc_disc_rope_type;
    par[CAP_DISC_DISC_RA] = 0.0;
    par[CAP_DISC_DISC_RB] = -(j->length_given ? j->length : now);
  }
  int contact = cap_builder_contact(w->b, type, j->name, coords, none, par, &law);
  joint_channels(w, j, contact, lever);
}

/* ---- springs and loads --------------------------------------------------------------------------------- */

static void add_spring(const work *w, const cap_bodies_spring *p)
{
  int from = cap_bodies_scene_find(w->s, p->from), to = cap_bodies_scene_find(w->s, p->to);
  double now = distance(w->c, from, p->from_x, p->from_y, to, p->to_x, p->to_y);
  const double par[CAP_STRUT_NPARAM] = {
      p->from_x, p->from_y, p->to_x, p->to_y, p->stiffness, p->damping, p->length_given ? p->length : now};
  int element = cap_builder_element(w->b, &cap_strut_type, p->name, first_of(w, from), first_of(w, to), par,
                                    NULL);
  const cap_term force = {CAP_TERM_FORCE, element, 1.0};
  const cap_term length = {CAP_TERM_OUTPUT, element * CAP_OUTPUTS_MOST + CAP_STRUT_APART, 1.0};
  channel(w, "N", "tension of spring and damper", 1, &force, "%.80s.force", p->name);
  channel(w, "m", "distance between its end points", 1, &length, "%.80s.length", p->name);
}

static void add_load(const work *w, const cap_bodies_load *p)
{
  int at = w->first[cap_bodies_scene_find(w->s, p->on)];
  for (int c = 0; c < 3; c++) {
    double part = c == 0 ? cos(p->direction) : sin(p->direction);
    bool torque = p->kind == CAP_BODIES_TORQUE;
    char name[NAME];
    if (torque != (c == 2)) continue;
    if (torque) part = 1.0;
    else if (fabs(part) < 1e-15) continue; /* rounding of a quarter turn */
    const cap_input_key *input = &p->mean_input;
    const double par[CAP_LOAD_NPARAM] = {input->name ? 0.0 : part * p->mean, part * p->amplitude,
                                         p->angular_frequency, p->phase};
    snprintf(name, sizeof name, "%.80s.%s", p->name, coord_name[c]);
    int element = cap_builder_element(w->b, &cap_load_type, name, at + c, CAP_GROUND, par, NULL);
    cap_term terms[2] = {{CAP_TERM_FORCE, element, -1.0}};
    if (input->name) {
      snprintf(name, sizeof name, "%.80s.%s_input", p->name, coord_name[c]);
      element = cap_load_input_add(w->b, name, at + c, input, p->mean, part);
      terms[1] = (cap_term){CAP_TERM_FORCE, element, -1.0};
    }
    channel(w, torque ? "N m" : "N",
            torque ? "torque"
            : c    ? "force upwards"
                   : "force to the right",
            input->name ? 2 : 1, terms,
            torque ? "%.80s.torque"
            : c    ? "%.80s.force.y"
                   : "%.80s.force.x",
            p->name);
  }
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static cap_contact_law law_of(const cap_bodies_law *l)
{
  return (cap_contact_law){
      .kind = l->kind == CAP_BODIES_REGULARISED ? CAP_LAW_REGULARISED : CAP_LAW_SET_VALUED,
      .normal = l->kind == CAP_BODIES_SET_VALUED ? CAP_NORMAL_UNILATERAL : CAP_NORMAL_COMPLIANT,
      .restitution = l->restitution,
      .restitution_speed = l->restitution_speed,
      .normal_stiffness = l->stiffness,
      .normal_damping = l->damping,
      .friction = capm_friction_keys_of_pair(&l->friction),
      .v_regular = l->regular};
}

enum { DRAWN_MOST = 64 }; /* points of contact: pictures of more show bodies alone */

static void point_channels(const work *w, const char *name, int contact, bool detail)
{
  int at = contact * TERM_STEP;
  const struct {
    const char *end, *unit, *what;
    cap_term term;
  } shown[] = {
      {"force.normal", "N", "normal force, positive in compression", {CAP_TERM_CONTACT_FORCE, at, -1.0}},
      {"force.tangential",
       "N",
       "friction force on the first body, to the right as seen from the second",
       {CAP_TERM_CONTACT_FORCE, at + 1, -1.0}},
      {"slip",
       "m/s",
       "slip velocity of the first body relative to the second, also without contact",
       {CAP_TERM_CONTACT_SPEED, at + 1, 1.0}},
      {"gap",
       "m",
       "gap, negative in penetration",
       {CAP_TERM_CONTACT_MEASURE, at + CAP_PLANAR_TOUCH_GAP, 1.0}},
  };
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
    channel(w, shown[k].unit, shown[k].what, 1, &shown[k].term, "%.160s.%s", name, shown[k].end);
    if (detail && !w->joints_alone) cap_builder_detail(w->b);
    if (k < 2 && w->c->npoint <= DRAWN_MOST) drawn(w);
  }
  for (int k = 0; k < 2 && !w->joints_alone; k++) {
    const cap_term place = {CAP_TERM_CONTACT_MEASURE, contact * TERM_STEP + CAP_PLANAR_TOUCH_X + k, 1.0};
    channel(w, "m", k ? "point of contact, upwards" : "point of contact, to the right", 1, &place,
            "%.160s.contact.%s", name, k ? "y" : "x");
    cap_builder_detail(w->b);
    if (w->c->npoint <= DRAWN_MOST) drawn(w);
  }
}

/* Sums over the points of a pair. */
static void pair_channels(const work *w, const char *name, int n, const int *contacts, cap_term *terms)
{
  static const char *const ends[3] = {"force.normal", "force.tangential", "closed"};
  static const char *const what[3] = {"total normal force at the contact points",
                                      "total friction force on the bodies whose corners are in contact",
                                      "number of closed contact points"};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) {
      int at = contacts[i] * TERM_STEP;
      terms[i] = k < 2 ? (cap_term){CAP_TERM_CONTACT_FORCE, at + k, -1.0}
                       : (cap_term){CAP_TERM_CONTACT_MEASURE, at + CAP_PLANAR_TOUCH_CLOSED, 1.0};
    }
    channel(w, k < 2 ? "N" : "1", what[k], n, terms, "%.160s.%s", name, ends[k]);
  }
}

static int points_of_pair(const scene *c, int first)
{
  int n = 1;
  while (first + n < c->npoint && c->points[first + n].number == n) n++;
  return n;
}

/* "ball.floor", "block.floor.2" */
static void name_point(const scene *c, int k, char name[NAME])
{
  const cap_bodies_point *p = &c->points[k];
  if (points_of_pair(c, k - p->number) == 1) snprintf(name, NAME, "%.160s", p->pair);
  else snprintf(name, NAME, "%.160s.%d", p->pair, p->number + 1);
}

static cap_status add_contacts(const work *w)
{
  const scene *c = w->c;
  cap_arena *arena = cap_builder_arena(w->b);
  int *contacts = CAP_ARENA_NEW(arena, int, c->npoint + 1), none[CAP_CONTACT_BODIES] = {-1, -1};
  cap_term *terms = CAP_ARENA_NEW(arena, cap_term, c->npoint + 1);
  if (!contacts || !terms) return CAP_ERR_NOMEM;
  for (int k = 0; k < c->npoint; k++) {
    const cap_bodies_point *p = &c->points[k];
    int a = first_of(w, p->a), b = first_of(w, p->b), coords[6] = {a, a + 1, a + 2, b, b + 1, b + 2};
    int count = points_of_pair(c, k - p->number);
    char name[NAME];
    cap_contact_law law = law_of(p->law);
    name_point(c, k, name);
    contacts[k] = cap_builder_contact(w->b, p->type, name, coords, none, p->par, &law);
    if (p->number + 1 == count && count > 1)
      pair_channels(w, p->pair, count, contacts + k - p->number, terms);
    point_channels(w, name, contacts[k], count > 1);
  }
  for (int k = 0; k < c->npoint; k++)
    terms[k] = (cap_term){CAP_TERM_CONTACT_MEASURE, contacts[k] * TERM_STEP + CAP_PLANAR_TOUCH_CLOSED, 1.0};
  if (c->npoint) channel(w, "1", "number of closed contact points", c->npoint, terms, "contacts.closed");
  return CAP_OK;
}

/* ---- what it looks like -------------------------------------------------------------------------------- */

static const char *shown_name(const char *name)
{
  return name ? name : "-";
}

static cap_scene_shape body_shape(const body *p)
{
  cap_scene_shape shape = {.body = p->name, .radius = p->kind == CAP_BODIES_DISC ? p->radius : 0.0};
  shape.ncorner = cap_bodies_scene_corners(p, shape.corner);
  return shape;
}

/* Walls of a line or slot; `back`: its second. */
static cap_scene_shape wall_shape(const cap_bodies_line *l, bool back)
{
  double c = cos(l->angle), s = sin(l->angle), sign = back ? -1.0 : 1.0;
  double up = l->kind == CAP_BODIES_SLOT ? -0.5 * sign * l->width : 0.0, x = l->x - up * s, y = l->y + up * c;
  return (cap_scene_shape){
      .body = shown_name(l->of), .ncorner = 2, .corner = {{x, y}, {x + sign * c, y + sign * s}}};
}

static cap_scene_shape link_shape(const char *from, const char *to, double fx, double fy, double tx,
                                  double ty)
{
  return (cap_scene_shape){
      .body = shown_name(from), .to = shown_name(to), .x = fx, .y = fy, .to_x = tx, .to_y = ty};
}

/* Points of contact by the names that their channels have, and the bodies at them. */
static cap_status draw_contacts(const work *w)
{
  const scene *c = w->c;
  const body *bodies = w->s->bodies.items;
  cap_arena *arena = cap_builder_arena(w->b);
  const char **names = CAP_ARENA_NEW(arena, const char *, 3 * c->npoint);
  if (!names) return CAP_ERR_NOMEM;
  if (!c->npoint || c->npoint > DRAWN_MOST) return CAP_OK;
  const char **from = names + c->npoint, **to = names + 2 * c->npoint;
  for (int k = 0; k < c->npoint; k++) {
    char name[NAME];
    name_point(c, k, name);
    names[k] = cap_arena_copy_text(arena, name);
    from[k] = c->points[k].a < 0 ? NULL : bodies[c->points[k].a].name;
    to[k] = c->points[k].b < 0 ? NULL : bodies[c->points[k].b].name;
  }
  cap_builder_scene_names(w->b, "contact.names", c->npoint, names);
  cap_builder_scene_names(w->b, "contact.from", c->npoint, from);
  cap_builder_scene_names(w->b, "contact.to", c->npoint, to);
  return CAP_OK;
}

static cap_status add_scene(const work *w)
{
  const spec *s = w->s;
  const body *bodies = s->bodies.items;
  const cap_bodies_line *lines = s->lines.items;
  const cap_bodies_contact *contacts = s->contacts.items;
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_spring *springs = s->springs.items;
  int most = s->bodies.n + 2 * s->lines.n + 2 * s->contacts.n + s->joints.n + s->springs.n, n = 0;
  cap_scene_shape *shapes = CAP_ARENA_NEW(cap_builder_arena(w->b), cap_scene_shape, most);
  if (!shapes) return CAP_ERR_NOMEM;
  for (int k = 0; k < s->bodies.n; k++) shapes[n++] = body_shape(&bodies[k]);
  for (int k = 0; k < s->lines.n; k++) {
    shapes[n++] = wall_shape(&lines[k], false);
    if (lines[k].kind == CAP_BODIES_SLOT) shapes[n++] = wall_shape(&lines[k], true);
  }
  for (int k = 0; k < s->contacts.n; k++) {
    const cap_bodies_contact *p = &contacts[k];
    if (p->kind != CAP_BODIES_PIN) continue;
    shapes[n++] = (cap_scene_shape){.body = p->from, .x = p->from_x, .y = p->from_y, .radius = p->radius};
    shapes[n++] = (cap_scene_shape){.body = shown_name(p->to), .x = p->to_x, .y = p->to_y, .radius = p->hole};
  }
  for (int k = 0; k < s->joints.n; k++) {
    const cap_bodies_joint *p = &joints[k];
    if (p->kind == CAP_BODIES_ROD || p->kind == CAP_BODIES_ROPE || p->kind == CAP_BODIES_HINGE)
      shapes[n++] = link_shape(p->from, p->to, p->from_x, p->from_y, p->to_x, p->to_y);
  }
  for (int k = 0; k < s->springs.n; k++) {
    const cap_bodies_spring *p = &springs[k];
    shapes[n++] = link_shape(p->from, p->to, p->from_x, p->from_y, p->to_x, p->to_y);
  }
  cap_builder_scene(w->b, n, shapes);
  return draw_contacts(w);
}

/* ---- the system ---------------------------------------------------------------------------------------- */

static void add_ground(work *w)
{
  const spec *s = w->s;
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_spring *springs = s->springs.items;
  bool needed = false;
  for (int k = 0; k < w->c->npoint; k++) needed = needed || w->c->points[k].b < 0;
  for (int k = 0; k < s->joints.n; k++) needed = needed || !joints[k].to;
  for (int k = 0; k < s->springs.n; k++) needed = needed || !springs[k].to;
  for (int c = 0; needed && c < 3; c++) {
    int dof = add_held(w, "ground", c, (cap_motion){0});
    if (c == 0) w->ground = dof;
  }
}

static cap_status build_system(work *w)
{
  const spec *s = w->s;
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_spring *springs = s->springs.items;
  const cap_bodies_load *loads = s->loads.items;
  cap_builder_start(w->b, s->start);
  for (int k = 0; k < s->bodies.n; k++) {
    CAP_TRY(add_coordinates(w, k));
    add_weight(w, k);
    body_channels(w, k);
  }
  add_ground(w);
  for (int k = 0; k < s->joints.n; k++) add_joint(w, &joints[k]);
  if (w->joints_alone) return CAP_OK;
  for (int k = 0; k < s->springs.n; k++) add_spring(w, &springs[k]);
  for (int k = 0; k < s->loads.n; k++) add_load(w, &loads[k]);
  CAP_TRY(add_contacts(w));
  return add_scene(w);
}

/* ---- the start ----------------------------------------------------------------------------------------- */

/* Places and velocities nearest to those given (in the sense of kinetic energy) that the joints allow. Where
 * joints are redundant, those given. */
static cap_status project(const work *w, const cap_model *m, double *start, cap_error *error)
{
  double *y = calloc((size_t)(m->nstate + m->nworkspace), sizeof *y);
  int n = w->s->bodies.n;
  cap_error lost = {0};
  if (!y) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(y, m->initial, (size_t)m->nstate * sizeof *y);
  cap_model_drive(m, NULL, &m->t0, y, y + m->nv, NULL);
  if (cap_constraints_project(m, m->t0, y, y + m->nstate, &lost) != CAP_OK)
    memcpy(y, m->initial, (size_t)m->nstate * sizeof *y);
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 3; c++) {
      start[3 * k + c] = y[w->first[k] + c];
      start[3 * (n + k) + c] = y[m->nv + w->first[k] + c];
    }
  free(y);
  return CAP_OK;
}

static cap_status find_start(const spec *s, const scene *c, double *start, cap_error *error)
{
  work w = {.s = s, .c = c, .b = cap_builder_create(1), .joints_alone = true};
  cap_model *m = NULL;
  if (!w.b) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = build_system(&w);
  if (status == CAP_OK) status = cap_builder_finish(w.b, &m, error);
  if (status == CAP_OK) status = project(&w, m, start, error);
  cap_model_free(m);
  cap_builder_free(w.b);
  return status;
}

cap_status cap_bodies_build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  scene c;
  work w = {.s = s, .c = &c, .b = b};
  double *start = NULL;
  cap_status status = cap_bodies_scene_make(s, &c, error);
  if (status == CAP_OK && s->joints.n) {
    start = calloc((size_t)(6 * s->bodies.n), sizeof *start);
    status = start ? find_start(s, &c, start, error) : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    w.start = start;
  }
  if (status == CAP_OK) status = build_system(&w);
  cap_bodies_scene_free(&c);
  free(start);
  return status;
}
