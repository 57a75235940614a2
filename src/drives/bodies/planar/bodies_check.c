/* drives/bodies/planar/bodies_check.c — see bodies.h: what no single key shows. */
#include "base/nearest.h"
#include "drives/bodies/planar/bodies.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef cap_bodies_spec spec;
typedef cap_bodies_body body;
typedef cap_bodies_scene scene;

/* Parts of the size of the bodies: joints that are open by more are refused, less is closed; bodies that
 * overlap by more. */
static const double open_joint = 1e-4, overlap = 1e-6;

static const char *const line_kinds[] = {"line", "slot"};
static const char *const contact_kinds[] = {"touch", "pin"};
static const char *const joint_kinds[] = {"hinge", "guide", "slide", "rod", "rope"};
static const char *const load_kinds[] = {"force", "torque"};

typedef struct checking {
  const spec *s;
  cap_diag *diag;
  char path[CAP_BODIES_PATH];
} checking;

__attribute__((format(printf, 2, 3))) static const char *path_of(checking *c, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(c->path, sizeof c->path, format, list);
  va_end(list);
  return c->path;
}

static const char *body_path(checking *c, int k, const char *key)
{
  const body *bodies = c->s->bodies.items;
  return path_of(c, "bodies[%d].%s%s%s", k, cap_bodies_kind_name(bodies[k].kind), *key ? "." : "", key);
}

/* ---- names --------------------------------------------------------------------------------------------- */

typedef struct named {
  const char *list, *kind; /* kind NULL: a plain list */
  int item;
  const char *name;
} named;

/* Everything that has a name, in turn; false after the last. */
static bool name_at(const spec *s, int k, named *out)
{
  const body *bodies = s->bodies.items;
  const cap_bodies_line *lines = s->lines.items;
  const cap_bodies_contact *contacts = s->contacts.items;
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_spring *springs = s->springs.items;
  const cap_bodies_load *loads = s->loads.items;
  const int counts[] = {s->bodies.n, s->lines.n, s->contacts.n, s->joints.n, s->springs.n, s->loads.n};
  int list = 0;
  while (list < 6 && k >= counts[list]) k -= counts[list++];
  switch (list) {
  case 0:
    *out = (named){"bodies", cap_bodies_kind_name(bodies[k].kind), k, bodies[k].name};
    return true;
  case 1:
    *out = (named){"lines", line_kinds[lines[k].kind], k, lines[k].name};
    return true;
  case 2:
    *out = (named){"contacts", contact_kinds[contacts[k].kind], k, contacts[k].name};
    return true;
  case 3:
    *out = (named){"joints", joint_kinds[joints[k].kind], k, joints[k].name};
    return true;
  case 4:
    *out = (named){"springs", NULL, k, springs[k].name};
    return true;
  case 5:
    *out = (named){"loads", load_kinds[loads[k].kind], k, loads[k].name};
    return true;
  default:
    return false;
  }
}

static void check_names(checking *c)
{
  named own, other;
  for (int k = 0; name_at(c->s, k, &own); k++) {
    if (!own.name) continue; /* a contact that is called after its bodies */
    path_of(c, "%s[%d]%s%s.name", own.list, own.item, own.kind ? "." : "", own.kind ? own.kind : "");
    if (!*own.name || strlen(own.name) > 60 || strpbrk(own.name, ".*?[] \t") ||
        strcmp(own.name, "ground") == 0 || strcmp(own.name, "contacts") == 0) {
      cap_diag_at(c->diag, c->path,
                  "expected a name of 1 to 60 characters without blanks, dots, brackets, * and ?, other than "
                  "\"ground\" and \"contacts\", got \"%.60s\"",
                  own.name);
      continue;
    }
    for (int i = 0; i < k; i++)
      if (name_at(c->s, i, &other) && other.name && strcmp(own.name, other.name) == 0) {
        cap_diag_at(c->diag, c->path,
                    "duplicate name; expected a unique name, got \"%s\", which is also in %s", own.name,
                    other.list);
        break;
      }
  }
}

/* Index of the body that a key names; -1 = the ground; -2 = none, which is told. */
static int body_named(checking *c, const char *name, const char *key, bool or_line)
{
  int k = cap_bodies_scene_find(c->s, name);
  if (k != -2 || (or_line && cap_bodies_scene_find_line(c->s, name) >= 0)) return k;
  char full[CAP_BODIES_PATH + 20];
  snprintf(full, sizeof full, "%s.%s", c->path, key);
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  const body *bodies = c->s->bodies.items;
  const cap_bodies_line *lines = c->s->lines.items;
  for (int i = 0; i < c->s->bodies.n; i++) cap_nearest_offer(&nearest, bodies[i].name);
  for (int i = 0; or_line && i < c->s->lines.n; i++) cap_nearest_offer(&nearest, lines[i].name);
  cap_diag_at(c->diag, full, "unknown body; expected the name of a body%s, got \"%s\"%s%s%s",
              or_line ? " or line" : "", name, nearest.best ? "; did you mean \"" : "",
              nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
  return k;
}

static bool is_held(const spec *s, int k)
{
  return k < 0 || ((const body *)s->bodies.items)[k].hold == CAP_BODIES_PLACE;
}

/* The two ends of what joins or touches; something of it must be able to move. */
static void check_ends(checking *c, const char *from, const char *to, bool or_line)
{
  int a = body_named(c, from, "from", false), b = to ? body_named(c, to, "to", or_line) : CAP_BODIES_GROUND;
  const cap_bodies_line *lines = c->s->lines.items;
  int line = or_line && b == -2 ? cap_bodies_scene_find_line(c->s, to) : -2;
  if (line >= 0) b = cap_bodies_scene_find(c->s, lines[line].of);
  if (a == -2 || b == -2) return;
  if (a == b) cap_diag_at(c->diag, c->path, "expected two different bodies, got \"%s\" twice", from);
  else if (is_held(c->s, a) && is_held(c->s, b))
    cap_diag_at(
        c->diag, c->path,
        "expected at least one body that can move, got prescribed motion (motion: prescribed) or the ground "
        "at both ends");
}

static void check_references(checking *c)
{
  const spec *s = c->s;
  const cap_bodies_line *lines = s->lines.items;
  const cap_bodies_contact *contacts = s->contacts.items;
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_spring *springs = s->springs.items;
  const cap_bodies_load *loads = s->loads.items;
  for (int k = 0; k < s->lines.n; k++) {
    path_of(c, "lines[%d].%s", k, line_kinds[lines[k].kind]);
    if (lines[k].of) body_named(c, lines[k].of, "of", false);
  }
  for (int k = 0; k < s->contacts.n; k++) {
    path_of(c, "contacts[%d].%s", k, contact_kinds[contacts[k].kind]);
    check_ends(c, contacts[k].from, contacts[k].to, contacts[k].kind == CAP_BODIES_TOUCH);
  }
  for (int k = 0; k < s->joints.n; k++) {
    path_of(c, "joints[%d].%s", k, joint_kinds[joints[k].kind]);
    check_ends(c, joints[k].from, joints[k].to, false);
  }
  for (int k = 0; k < s->springs.n; k++) {
    path_of(c, "springs[%d]", k);
    check_ends(c, springs[k].from, springs[k].to, false);
  }
  for (int k = 0; k < s->loads.n; k++) {
    path_of(c, "loads[%d].%s", k, load_kinds[loads[k].kind]);
    int on = body_named(c, loads[k].on, "on", false);
    const body *p = on < 0 ? NULL : (const body *)s->bodies.items + on;
    if (p && p->hold == CAP_BODIES_PLACE)
      cap_diag_at(c->diag, c->path,
                  "expected a body that can move, got \"%s\" with prescribed motion (motion: prescribed)",
                  loads[k].on);
    else if (p && loads[k].kind == CAP_BODIES_TORQUE &&
             (p->hold == CAP_BODIES_ANGLE || p->kind == CAP_BODIES_POINT))
      cap_diag_at(c->diag, c->path, "expected a body that can rotate, got \"%s\"", loads[k].on);
  }
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

/* A coordinate in the unit of the first corner; a block has none. */
static const char *corner_text(checking *c, const char *key, const char *axis, double value)
{
  char first[CAP_BODIES_PATH + 20];
  snprintf(first, sizeof first, "%s[0].%s", key, axis);
  return cap_diag_quantity(c->diag, first, value, "m");
}

static void check_outline(checking *c, int k)
{
  const body *p = (const body *)c->s->bodies.items + k;
  double at[CAP_DISC_POLYGON_MOST][2], area = 0.0, centre[2] = {0, 0}, size = 0.0;
  int n = cap_bodies_scene_corners(p, at);
  for (int i = 0; i < n; i++) {
    const double *a = at[i], *b = at[(i + 1) % n], *d = at[(i + 2) % n];
    double bend = (b[0] - a[0]) * (d[1] - b[1]) - (b[1] - a[1]) * (d[0] - b[0]);
    double twice = a[0] * b[1] - a[1] * b[0];
    if (!(bend > 0.0)) {
      const char *key = body_path(c, k, "corners");
      cap_diag_at(
          c->diag, key,
          "expected the corners of a convex outline in counterclockwise order, got no left turn at (%s, %s)",
          corner_text(c, key, "x", b[0]), corner_text(c, key, "y", b[1]));
      return;
    }
    area += 0.5 * twice;
    for (int j = 0; j < 2; j++) centre[j] += twice * (a[j] + b[j]) / 6.0;
    size = fmax(size, hypot(a[0], a[1]));
  }
  if (!p->inertia_given && hypot(centre[0], centre[1]) > 1e-6 * size * area) {
    const char *key = body_path(c, k, "corners");
    cap_diag_at(c->diag, key,
                "the corners are not relative to the centre of mass; expected (0, 0) for that of a uniform "
                "body of this outline, got (%s, %s); shift the corners, or specify inertia",
                corner_text(c, key, "x", centre[0] / area), corner_text(c, key, "y", centre[1] / area));
  }
}

static void check_bodies(checking *c)
{
  const body *bodies = c->s->bodies.items;
  bool moves = false;
  for (int k = 0; k < c->s->bodies.n; k++) {
    const body *p = &bodies[k];
    bool place = p->hold == CAP_BODIES_PLACE;
    moves = moves || !place;
    if (p->kind == CAP_BODIES_POLYGON) check_outline(c, k);
    if (!place && (p->speed != 0.0 || p->speed_input.name))
      cap_diag_at(c->diag, body_path(c, k, "speed"),
                  "requires prescribed motion; set motion: prescribed, or use angular_velocity for the "
                  "initial angular velocity");
    if (!place && p->shake_given)
      cap_diag_at(c->diag, body_path(c, k, "oscillation"),
                  "requires prescribed motion; set motion: prescribed");
    if (place && (p->vx != 0.0 || p->vy != 0.0 || p->turn != 0.0))
      cap_diag_at(
          c->diag, body_path(c, k, "motion"),
          "conflicts with motion: prescribed; expected no initial velocity (use speed and oscillation for "
          "prescribed motion)");
    if (p->hold == CAP_BODIES_ANGLE && p->turn != 0.0)
      cap_diag_at(c->diag, body_path(c, k, "angular_velocity"),
                  "conflicts with motion: translation; expected no initial angular velocity");
  }
  if (!moves)
    cap_diag_at(
        c->diag, "bodies",
        "expected at least one body that can move, got prescribed motion (motion: prescribed) for all");
}

/* ---- laws ---------------------------------------------------------------------------------------------- */

static void check_law(checking *c, const cap_bodies_law *law, const char *path)
{
  char full[CAP_BODIES_PATH + 20];
  snprintf(full, sizeof full, "%s.kinetic_friction", path);
  const capm_friction_keys_pair *mu = &law->friction;
  if (mu->sliding_given && mu->sliding != mu->rest && mu->stribeck == 0.0)
    cap_diag_at(c->diag, full,
                "requires a Stribeck velocity, as it differs from friction; expected stribeck_velocity such "
                "as \"0.01 m/s\"");
  if (mu->sliding_given && mu->sliding > mu->rest)
    cap_diag_at(c->diag, full, "expected at most the static coefficient friction (%.6g), got %.6g", mu->rest,
                mu->sliding);
}

static void check_contacts(checking *c)
{
  const spec *s = c->s;
  const cap_bodies_contact *contacts = s->contacts.items;
  check_law(c, &s->contact, "contact");
  for (int k = 0; k < s->contacts.n; k++) {
    const cap_bodies_contact *p = &contacts[k];
    char path[CAP_BODIES_PATH];
    path_of(c, "contacts[%d].%s", k, contact_kinds[p->kind]);
    snprintf(path, sizeof path, "%.100s.contact", c->path);
    if (p->law_given) check_law(c, &p->law, path);
    snprintf(path, sizeof path, "%.100s.hole_radius", c->path);
    if (p->kind == CAP_BODIES_PIN && !(p->radius < p->hole))
      cap_diag_at(c->diag, path, "expected more than the radius of the pin (%s), got %s",
                  cap_diag_quantity(c->diag, path, p->radius, "m"),
                  cap_diag_quantity(c->diag, path, p->hole, "m"));
    for (int i = 0; i < k && p->kind == CAP_BODIES_TOUCH; i++)
      if (contacts[i].kind == CAP_BODIES_TOUCH &&
          ((strcmp(contacts[i].from, p->from) == 0 && strcmp(contacts[i].to, p->to) == 0) ||
           (strcmp(contacts[i].from, p->to) == 0 && strcmp(contacts[i].to, p->from) == 0)))
        cap_diag_at(c->diag, c->path,
                    "duplicate contact; expected each pair once, got \"%s\" and \"%s\" twice", p->from,
                    p->to);
    for (int i = 0; i < k && p->kind == CAP_BODIES_PIN && !p->name; i++)
      if (!contacts[i].name && strcmp(contacts[i].from, p->from) == 0 &&
          strcmp(contacts[i].to ? contacts[i].to : "", p->to ? p->to : "") == 0)
        cap_diag_at(c->diag, c->path,
                    "duplicate name; expected names for several contacts of \"%s\" with the same body",
                    p->from);
  }
}

/* ---- the start ----------------------------------------------------------------------------------------- */

static double size_of(const scene *c)
{
  const body *bodies = c->s->bodies.items;
  double size = 0.0;
  for (int k = 0; k < c->s->bodies.n; k++) {
    double at[CAP_DISC_POLYGON_MOST][2];
    int n = cap_bodies_scene_corners(&bodies[k], at);
    size = fmax(size, bodies[k].radius);
    for (int i = 0; i < n; i++) size = fmax(size, hypot(at[i][0], at[i][1]));
  }
  return size > 0.0 ? size : 1.0;
}

static void check_joint(checking *k, const scene *c, int j, double size)
{
  const cap_bodies_joint *p = (const cap_bodies_joint *)c->s->joints.items + j;
  int from = cap_bodies_scene_find(c->s, p->from), to = cap_bodies_scene_find(c->s, p->to);
  double a[2], b[2];
  cap_bodies_scene_world(c, from, p->from_x, p->from_y, a);
  cap_bodies_scene_world(c, to, p->to_x, p->to_y, b);
  double apart = hypot(a[0] - b[0], a[1] - b[1]), open = 0.0;
  double along = p->angle + (to < 0 ? 0.0 : c->q[to][2]);
  if (p->kind == CAP_BODIES_HINGE) open = apart;
  else if (p->kind == CAP_BODIES_GUIDE || p->kind == CAP_BODIES_SLIDE)
    open = fabs((a[1] - b[1]) * cos(along) - (a[0] - b[0]) * sin(along));
  path_of(k, "joints[%d].%s", j, joint_kinds[p->kind]);
  if (open > open_joint * fmax(size, hypot(p->from_x, p->from_y)))
    cap_diag_at(k->diag, k->path,
                "the joint is open at the start; expected coincident points, got a distance of %.4g m: "
                "(%.6g, %.6g) m on \"%s\", (%.6g, %.6g) m on \"%s\"%s",
                open, a[0], a[1], p->from, b[0], b[1], p->to ? p->to : "the ground",
                p->kind == CAP_BODIES_HINGE ? "; omit x and y of one body, and the hinge positions it" : "");
  if ((p->kind == CAP_BODIES_ROD || p->kind == CAP_BODIES_ROPE) && apart == 0.0)
    cap_diag_at(k->diag, k->path,
                "expected two points at a distance, got coincident points at the start; use a hinge");
  if (p->kind == CAP_BODIES_ROPE && p->length_given && apart > p->length * (1.0 + overlap)) {
    char length[CAP_BODIES_PATH + 20];
    snprintf(length, sizeof length, "%s.length", k->path);
    cap_diag_at(
        k->diag, k->path,
        "the rope is too short; expected at least the distance of its points at the start (%s), got %s",
        cap_diag_quantity(k->diag, length, apart, "m"), cap_diag_quantity(k->diag, length, p->length, "m"));
  }
  if (p->kind == CAP_BODIES_ROPE && c->s->joint_law == 1)
    cap_diag_at(k->diag, k->path, "a rope is set-valued; expected joint_law: auto or set-valued, got ideal");
}

static void check_start(checking *k)
{
  scene c;
  cap_error error = {0};
  cap_status status = cap_bodies_scene_make(k->s, &c, &error);
  double size = size_of(&c);
  if (status != CAP_OK) cap_diag_at(k->diag, "contacts", "%s", error.text);
  for (int j = 0; j < k->s->joints.n; j++) check_joint(k, &c, j, size);
  const char *told = NULL;
  for (int p = 0; status == CAP_OK && p < c.npoint; p++) {
    double gap = cap_bodies_scene_gap(&c, &c.points[p]);
    if (!(gap < -overlap * size) || c.points[p].pair == told) continue;
    if (c.points[p].law->kind != CAP_BODIES_SET_VALUED) continue; /* springs may start pressed */
    told = c.points[p].pair;
    cap_diag_at(k->diag, "bodies",
                "the bodies of the contact \"%s\" overlap at the start; expected a gap of at least 0 m, got "
                "%.4g m; move them apart, or exclude this contact (pairs: listed)",
                told, -gap);
  }
  cap_bodies_scene_free(&c);
}

void cap_bodies_check(const void *self, cap_diag *diag)
{
  checking c = {.s = self, .diag = diag};
  int before = diag->nerror;
  check_names(&c);
  check_bodies(&c);
  check_references(&c);
  check_contacts(&c);
  if (diag->nerror == before) check_start(&c);
}
