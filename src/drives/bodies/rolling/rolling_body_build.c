/* drives/bodies/rolling/rolling_body_build.c — see rolling_body.h: coordinates, weights, contacts and
 * channels.
 *
 * Planar bodies have the coordinates (x, y, heading), a wheel its roll angle too, a block (x, y) alone;
 * bodies in space have (x, y, z) and the turned angles about their own axes, their orientation is a
 * quaternion.
 */
#include "contact/contacts.h"
#include "drives/bodies/rolling/rolling_body.h"
#include "elements/elements.h"
#include "linalg/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;

/* What is being described, and what a contact or channel needs of a body. */
typedef struct work {
  const spec *s;
  cap_builder *b;
  bool rigid;
  bool channels;
  const body *body;
  const char *name;
  int first;    /* its first coordinate */
  int attitude; /* element, or -1 */
} work;

/* ---- a body's numbers ---------------------------------------------------------------------------------- */

static bool spatial(const body *p)
{
  return p->kind == CAP_ROLLING_DISC || p->kind == CAP_ROLLING_BALL;
}

int cap_rolling_body_build_coords(const body *p)
{
  if (spatial(p)) return 6;
  return p->kind == CAP_ROLLING_BLOCK ? 2 : p->kind == CAP_ROLLING_WHEEL ? 4 : 3;
}

double cap_rolling_body_build_inertia(const body *p)
{
  double uniform = p->mass * p->radius * p->radius * (p->kind == CAP_ROLLING_BALL ? 0.4 : 0.25);
  bool own = p->kind != CAP_ROLLING_BALL && p->kind != CAP_ROLLING_DISC && p->kind != CAP_ROLLING_WHEEL;
  return own || p->inertia_given ? p->inertia : uniform;
}

double cap_rolling_body_build_inertia_axis(const body *p)
{
  if (p->kind == CAP_ROLLING_BALL) return cap_rolling_body_build_inertia(p);
  return p->axis_given ? p->inertia_axis : 0.5 * p->mass * p->radius * p->radius;
}

int cap_rolling_body_build_find(const spec *s, const char *name)
{
  const body *bodies = s->bodies.items;
  for (int k = 0; k < s->bodies.n; k++)
    if (strcmp(bodies[k].name, name) == 0) return k;
  return -1;
}

/* ---- places -------------------------------------------------------------------------------------------- */

static void place(const body *p, double q[CAP_ROLLING_COORDS], double e[4])
{
  memset(q, 0, CAP_ROLLING_COORDS * sizeof *q);
  q[0] = p->x, q[1] = p->y;
  capm_quaternion_euler(p->heading, 0.0, 0.0, e);
  if (p->kind == CAP_ROLLING_DISC) {
    q[2] = p->radius * sin(p->tilt);
    capm_quaternion_euler(p->heading, p->tilt, 0.0, e);
  } else if (p->kind == CAP_ROLLING_BALL) {
    q[2] = p->radius;
  } else if (p->kind != CAP_ROLLING_BLOCK) {
    q[2] = p->heading;
  }
}

static void attach(const cap_rolling_hinge *h, const double *from, double *to)
{
  double c = cos(from[2]), s = sin(from[2]), ct = cos(to[2]), st = sin(to[2]);
  to[0] = from[0] + c * h->from_x - s * h->from_y - (ct * h->to_x - st * h->to_y);
  to[1] = from[1] + s * h->from_x + c * h->from_y - (st * h->to_x + ct * h->to_y);
}

void cap_rolling_body_build_places(const spec *s, double (*q)[CAP_ROLLING_COORDS], double (*e)[4])
{
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  bool placed[CAP_ROLLING_BODIES] = {false};
  for (int k = 0; k < s->bodies.n; k++) {
    place(&bodies[k], q[k], e[k]);
    placed[k] = bodies[k].x_given || bodies[k].y_given;
  }
  for (int h = 0; h < s->hinges.n; h++) {
    int from = cap_rolling_body_build_find(s, hinges[h].from),
        to = cap_rolling_body_build_find(s, hinges[h].to);
    if (from < 0 || to < 0 || placed[to]) continue;
    attach(&hinges[h], q[from], q[to]);
    placed[from] = placed[to] = true;
  }
}

/* ---- channels ------------------------------------------------------------------------------------------ */

static void channel(const work *w, const char *end, const char *unit, const char *what, cap_term term)
{
  char name[200], label[300];
  if (!w->channels) return;
  snprintf(name, sizeof name, "%.80s.%.60s", w->name, end);
  snprintf(label, sizeof label, "%.80s: %.120s", w->name, what);
  cap_builder_channel(w->b, name, unit, w->s->bodies.n + w->s->hinges.n > 1 ? label : what, 1, &term);
}

/* The channel described last is drawn. */
static void drawn(const work *w)
{
  if (w->channels) cap_builder_film(w->b);
}

static void coordinate_channel(const work *w, const char *end, const char *unit, const char *what, int coord)
{
  channel(w, end, unit, what, (cap_term){CAP_TERM_Q, w->first + coord, 1.0});
  drawn(w);
}

static void rate_channel(const work *w, const char *end, const char *unit, const char *what, int coord)
{
  channel(w, end, unit, what, (cap_term){CAP_TERM_V, w->first + coord, 1.0});
}

static void motion_channels(const work *w)
{
  bool space = spatial(w->body);
  coordinate_channel(w, "x", "m", "centre, downhill", 0);
  coordinate_channel(w, "y", "m", "centre, across the slope", 1);
  if (space) coordinate_channel(w, "z", "m", "height of the centre above the ground", 2);
  else if (w->body->kind != CAP_ROLLING_BLOCK) coordinate_channel(w, "heading", "rad", "heading", 2);
  if (w->body->kind == CAP_ROLLING_WHEEL) coordinate_channel(w, "roll", "rad", "rolling angle", 3);
  rate_channel(w, "vx", "m/s", "velocity of the centre, downhill", 0);
  rate_channel(w, "vy", "m/s", "velocity of the centre, across the slope", 1);
  if (space) rate_channel(w, "vz", "m/s", "velocity of the centre, away from the ground", 2);
  else if (w->body->kind != CAP_ROLLING_BLOCK)
    rate_channel(w, "angular_velocity", "rad/s", "heading rate", 2);
  if (w->body->kind == CAP_ROLLING_WHEEL) rate_channel(w, "spin", "rad/s", "spin", 3);
}

static void attitude_channels(const work *w)
{
  static const char *const rates[3][2] = {{"w1", "angular velocity about body axis 1"},
                                          {"w2", "angular velocity about body axis 2"},
                                          {"w3", "angular velocity about body axis 3"}};
  static const char *const parts[4][2] = {{"e0", "quaternion (body to world), real part"},
                                          {"e1", "quaternion (body to world), part 1"},
                                          {"e2", "quaternion (body to world), part 2"},
                                          {"e3", "quaternion (body to world), part 3"}};
  for (int k = 0; k < 3; k++) rate_channel(w, rates[k][0], "rad/s", rates[k][1], 3 + k);
  for (int k = 0; k < 4; k++) {
    channel(w, parts[k][0], "1", parts[k][1], (cap_term){CAP_TERM_ATTITUDE, w->attitude * 4 + k, 1.0});
    drawn(w);
  }
}

static void row_channels(const work *w, int contact, const cap_contact_type *type)
{
  bool soft = !w->rigid && w->s->contact.epsilon > 0.0;
  for (int r = 0; r < type->nrow; r++) {
    char end[64], what[120];
    snprintf(end, sizeof end, "force.%s", type->row_name[r]);
    snprintf(what, sizeof what, "contact force opposing the velocity \"%s\"", type->row_name[r]);
    channel(w, end, "N", what, (cap_term){CAP_TERM_CONTACT_FORCE, contact * 4 + r, 1.0});
    drawn(w);
    snprintf(end, sizeof end, "slip.%s", type->row_name[r]);
    snprintf(what, sizeof what, "velocity of the contact, \"%s\"", type->row_name[r]);
    channel(w, end, "m/s", what, (cap_term){CAP_TERM_CONTACT_SPEED, contact * 4 + r, 1.0});
    drawn(w);
    if (!soft) continue;
    snprintf(end, sizeof end, "stick.%s", type->row_name[r]);
    snprintf(what, sizeof what, "elastic deflection of the contact, \"%s\"", type->row_name[r]);
    channel(w, end, "m", what, (cap_term){CAP_TERM_CONTACT_DEFLECTION, contact * 4 + r, 1.0});
  }
}

static void measure_channels(const work *w, int contact, const cap_contact_type *type)
{
  static const struct {
    const char *end, *unit, *what;
  } measures[CAP_CONTACT_MEASURES] = {{"contact.x", "m", "contact point, downhill"},
                                      {"contact.y", "m", "contact point, across the slope"},
                                      {"tilt", "rad", "angle between the disc's plane and the ground"},
                                      {"azimuth", "rad", "direction in which the disc leans"}};
  for (int r = 0; r < type->nmeasure; r++) {
    channel(w, measures[r].end, measures[r].unit, measures[r].what,
            (cap_term){CAP_TERM_CONTACT_MEASURE, contact * 4 + r, 1.0});
    drawn(w);
  }
}

/* ---- contacts ------------------------------------------------------------------------------------------ */

static cap_contact_law law_of(const work *w, double load)
{
  const spec *s = w->s;
  const cap_rolling_friction *f = &s->contact.friction;
  cap_contact_law law = {.epsilon = w->rigid ? 0.0 : s->contact.epsilon,
                         .stiffness = s->contact.stiffness,
                         .damping_ratio = s->contact.damping_ratio,
                         .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY},
                         .load = load,
                         .loaded = !w->rigid && s->contact.start == 1};
  if (s->contact.friction_given && load > 0.0) { /* a hinge has no load and never slips */
    law.friction = capm_friction_keys_of_pair(&f->mu);
    law.width = f->width;
  }
  return law;
}

static void add_contact(const work *w, const cap_contact_type *type, const double *par, double load)
{
  int coords[CAP_ROLLING_COORDS];
  for (int k = 0; k < type->ncoord; k++) coords[k] = w->first + k;
  cap_contact_law law = law_of(w, load);
  int contact = cap_builder_contact(w->b, type, w->name, coords, &w->attitude, par, &law);
  row_channels(w, contact, type);
  measure_channels(w, contact, type);
}

static void add_blades(work *w, double load)
{
  const cap_rolling_blade *blades = w->body->blades.items;
  const char *whole = w->name;
  for (int k = 0; k < w->body->blades.n; k++) {
    char name[200];
    double par[CAP_BLADE_NPARAM] = {blades[k].x, blades[k].y, blades[k].angle, w->s->ground.turning};
    if (blades[k].name) snprintf(name, sizeof name, "%.80s.%.80s", whole, blades[k].name);
    else snprintf(name, sizeof name, "%.80s.blade%d", whole, k + 1);
    w->name = name;
    add_contact(w, &cap_blade_type, par, load / w->body->blades.n);
  }
  w->name = whole;
}

static void add_contacts(work *w)
{
  const spec *s = w->s;
  const body *p = w->body;
  double turning = s->ground.turning, load = p->mass * s->ground.gravity * cos(s->ground.slope);
  double blade[CAP_BLADE_NPARAM] = {p->kind == CAP_ROLLING_SLEIGH ? -p->arm : 0.0, 0.0, 0.0, turning};
  double round[2] = {p->radius, turning};
  switch ((cap_rolling_kind)p->kind) {
  case CAP_ROLLING_KNIFE_EDGE:
  case CAP_ROLLING_SLEIGH:
    add_contact(w, &cap_blade_type, blade, load);
    break;
  case CAP_ROLLING_WHEEL:
    add_contact(w, &cap_wheel_type, round, load);
    break;
  case CAP_ROLLING_DISC:
    add_contact(w, &cap_rim_type, round, load);
    break;
  case CAP_ROLLING_BALL:
    add_contact(w, &cap_ball_type, round, load);
    break;
  case CAP_ROLLING_BLOCK:
    add_contact(w, &cap_shoe_type, &turning, load);
    break;
  case CAP_ROLLING_PLANAR:
    add_blades(w, load);
    break;
  }
}

static void add_hinge(work *w, const cap_rolling_hinge *h, const int *first)
{
  int from = first[cap_rolling_body_build_find(w->s, h->from)],
      to = first[cap_rolling_body_build_find(w->s, h->to)];
  int coords[6] = {from, from + 1, from + 2, to, to + 1, to + 2};
  int bodies[CAP_CONTACT_BODIES] = {-1, -1};
  double par[CAP_HINGE_NPARAM] = {h->from_x, h->from_y, h->to_x, h->to_y};
  cap_contact_law law = law_of(w, 0.0);
  w->name = h->name;
  int contact = cap_builder_contact(w->b, &cap_hinge_type, h->name, coords, bodies, par, &law);
  row_channels(w, contact, &cap_hinge_type);
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static const char *const coord_names[2][CAP_ROLLING_COORDS] = {
    {"x", "y", "heading", "roll"}, {"x", "y", "z", "turned1", "turned2", "turned3"}};

/* Coordinates with their masses; returns the first. */
static int add_coordinates(const work *w, const double *q, const double *v)
{
  const body *p = w->body;
  double I = cap_rolling_body_build_inertia(p), axis = cap_rolling_body_build_inertia_axis(p), m = p->mass;
  double planar[CAP_ROLLING_COORDS] = {m, m, I, axis}, space[CAP_ROLLING_COORDS] = {m, m, m, I, I, axis};
  bool in_space = spatial(p);
  int first = 0;
  for (int k = 0; k < cap_rolling_body_build_coords(p); k++) {
    char name[200];
    snprintf(name, sizeof name, "%.80s.%s", w->name, coord_names[in_space][k]);
    int dof = cap_builder_dof(w->b, name, k < 2 + in_space ? "m" : "rad", in_space ? space[k] : planar[k],
                              q[k], v ? v[k] : 0.0);
    if (k == 0) first = dof;
  }
  return first;
}

static void add_weight(const work *w, int coord, const char *end, double force)
{
  char name[200];
  snprintf(name, sizeof name, "%.80s.%s", w->name, end);
  if (force != 0.0)
    cap_builder_element(w->b, &cap_weight_type, name, w->first + coord, CAP_GROUND, &force, NULL);
}

static void add_forces(work *w, const double e[4])
{
  const body *p = w->body;
  double weight = p->mass * w->s->ground.gravity;
  add_weight(w, 0, "weight.x", weight * sin(w->s->ground.slope));
  w->attitude = -1;
  if (!spatial(p)) return;
  char name[200];
  double I = cap_rolling_body_build_inertia(p),
         par[CAP_ATTITUDE_NPARAM] = {I, I, cap_rolling_body_build_inertia_axis(p)};
  add_weight(w, 2, "weight.z", -weight * cos(w->s->ground.slope));
  snprintf(name, sizeof name, "%.80s.attitude", w->name);
  w->attitude = cap_builder_element(w->b, &cap_attitude_type, name, w->first + 3, CAP_GROUND, par, e);
}

cap_status cap_rolling_body_build_system(const spec *s, bool rigid, bool channels, const double *v,
                                         cap_builder *b, cap_error *error)
{
  (void)error;
  const body *bodies = s->bodies.items;
  const cap_rolling_hinge *hinges = s->hinges.items;
  double q[CAP_ROLLING_BODIES][CAP_ROLLING_COORDS], e[CAP_ROLLING_BODIES][4];
  int first[CAP_ROLLING_BODIES];
  work w = {.s = s, .b = b, .rigid = rigid, .channels = channels};
  cap_builder_start(b, s->start);
  cap_rolling_body_build_places(s, q, e);
  for (int k = 0, at = 0; k < s->bodies.n; k++) {
    w.body = &bodies[k], w.name = bodies[k].name;
    first[k] = w.first = add_coordinates(&w, q[k], v ? v + at : NULL);
    at += cap_rolling_body_build_coords(&bodies[k]);
    add_forces(&w, e[k]);
    motion_channels(&w);
    if (w.attitude >= 0) attitude_channels(&w);
    add_contacts(&w);
  }
  for (int h = 0; h < s->hinges.n; h++) add_hinge(&w, &hinges[h], first);
  return CAP_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

/* A value of each of n items of a list, by its place in them. */
static void draw_values(cap_builder *b, const char *name, const char *unit, const char *meaning, int n,
                        const void *items, size_t size, size_t offset)
{
  double values[CAP_ROLLING_BODIES];
  for (int k = 0; k < n; k++)
    values[k] = *(const double *)(const void *)((const char *)items + (size_t)k * size + offset);
  cap_builder_scene_array(b, name, unit, meaning, n, values);
}

static void draw_names(cap_builder *b, const char *name, int n, const void *items, size_t size, size_t offset)
{
  const char *names[CAP_ROLLING_BODIES];
  for (int k = 0; k < n; k++)
    names[k] = *(const char *const *)(const void *)((const char *)items + (size_t)k * size + offset);
  cap_builder_scene_names(b, name, n, names);
}

#define DRAW(b, name, unit, meaning, list, type, member)                                                     \
  draw_values(b, name, unit, meaning, (list)->n, (list)->items, sizeof(type), offsetof(type, member))

static void draw_bodies(const spec *s, cap_builder *b)
{
  const body *bodies = s->bodies.items;
  const char *kinds[CAP_ROLLING_BODIES];
  for (int k = 0; k < s->bodies.n; k++) kinds[k] = cap_rolling_body_kind(bodies[k].kind);
  draw_names(b, "bodies", s->bodies.n, bodies, sizeof *bodies, offsetof(body, name));
  cap_builder_scene_names(b, "kinds", s->bodies.n, kinds);
  DRAW(b, "body.radius", "m", "radius of each body; 0: none", &s->bodies, body, radius);
  DRAW(b, "body.arm", "m", "distance of the blade of a sleigh behind its centre; 0: none", &s->bodies, body,
       arm);
  DRAW(b, "body.mass", "kg", "mass of each body", &s->bodies, body, mass);
}

/* Blades of planar bodies, in the bodies' frames, by the names that their forces have. */
static cap_status draw_blades(const spec *s, cap_builder *b, cap_error *error)
{
  const body *bodies = s->bodies.items;
  cap_arena *arena = cap_builder_arena(b);
  int most = s->bodies.n * CAP_ROLLING_BLADES, n = 0;
  const char **names = CAP_ARENA_NEW(arena, const char *, 2 * most);
  double *values = CAP_ARENA_NEW(arena, double, 3 * most);
  if (!names || !values) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < s->bodies.n; k++)
    for (int i = 0; bodies[k].kind == CAP_ROLLING_PLANAR && i < bodies[k].blades.n; i++, n++) {
      const cap_rolling_blade *blade = (const cap_rolling_blade *)bodies[k].blades.items + i;
      names[n] = blade->name ? cap_arena_format(arena, "%.80s.%.80s", bodies[k].name, blade->name)
                             : cap_arena_format(arena, "%.80s.blade%d", bodies[k].name, i + 1);
      names[most + n] = bodies[k].name;
      values[n] = blade->x, values[most + n] = blade->y, values[2 * most + n] = blade->angle;
    }
  if (!n) return CAP_OK;
  cap_builder_scene_names(b, "blades", n, names);
  cap_builder_scene_names(b, "blade.body", n, names + most);
  cap_builder_scene_array(b, "blade.x", "m", "position of each blade in its body's frame, ahead", n, values);
  cap_builder_scene_array(b, "blade.y", "m", "position of each blade in its body's frame, to the left", n,
                          values + most);
  cap_builder_scene_array(b, "blade.angle", "rad", "direction of each blade relative to its body's heading",
                          n, values + 2 * most);
  return CAP_OK;
}

static void draw_hinges(const spec *s, cap_builder *b)
{
  const cap_rolling_hinge *hinges = s->hinges.items;
  int n = s->hinges.n;
  if (!n) return;
  draw_names(b, "hinges", n, hinges, sizeof *hinges, offsetof(cap_rolling_hinge, name));
  draw_names(b, "hinge.from", n, hinges, sizeof *hinges, offsetof(cap_rolling_hinge, from));
  draw_names(b, "hinge.to", n, hinges, sizeof *hinges, offsetof(cap_rolling_hinge, to));
  DRAW(b, "hinge.from_x", "m", "position of the hinge in the frame of its first body, x", &s->hinges,
       cap_rolling_hinge, from_x);
  DRAW(b, "hinge.from_y", "m", "position of the hinge in the same frame, y", &s->hinges, cap_rolling_hinge,
       from_y);
  DRAW(b, "hinge.to_x", "m", "position of the hinge in the frame of its second body, x", &s->hinges,
       cap_rolling_hinge, to_x);
  DRAW(b, "hinge.to_y", "m", "position of the hinge in the same frame, y", &s->hinges, cap_rolling_hinge,
       to_y);
}

static cap_status draw(const spec *s, cap_builder *b, cap_error *error)
{
  draw_bodies(s, b);
  draw_hinges(s, b);
  cap_builder_scene_number(b, "ground.slope", "rad", "slope of the ground along x", s->ground.slope);
  cap_builder_scene_number(b, "ground.angular_velocity", "rad/s", "angular velocity of the ground",
                           s->ground.turning);
  cap_builder_scene_number(b, "ground.gravity", "m/s2", "acceleration of gravity", s->ground.gravity);
  return draw_blades(s, b, error);
}

/* A parameter study builds without the check of the file: what rolls there may slip here. */
static cap_status refuse_slip(const spec *s, const cap_rolling_start *start, cap_error *error)
{
  int row = s->contact.epsilon == 0.0 && s->start_velocity == 0 ? cap_rolling_body_start_slipping(start) : -1;
  if (row < 0) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "initial velocities: expected rolling, got a slip of %.6g m/s at %s; set "
                         "start_velocity: project to project them on rolling",
                         start->slip[row], start->model->row_name[start->model->ideal_row[row]]);
}

cap_status cap_rolling_body_build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  cap_rolling_start start;
  cap_status status = cap_rolling_body_start_find(s, &start, error);
  if (status == CAP_OK) status = refuse_slip(s, &start, error);
  if (status == CAP_OK)
    status = cap_rolling_body_build_system(s, false, true, s->start_velocity == 1 ? start.nearest : start.v,
                                           b, error);
  if (status == CAP_OK) status = draw(s, b, error);
  cap_rolling_body_start_free(&start);
  return status;
}
