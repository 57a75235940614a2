/* drives/pushbelt/ring_drive/ring_pulleys.c — the two pulleys under a ring: keys, checks, coordinates,
 * contacts.
 *
 * Maths: docs/theory.md §35.6. The secondary's axis is the origin; the primary's stands at the centre
 * distance or, clamped by a force, slides along x. Rotations are counted with the travel.
 */
#include "drives/pushbelt/ring/ring_layout.h"
#include "drives/pushbelt/ring/ring_pulley.h"
#include "drives/pushbelt/ring_drive/ring.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>

typedef cap_ring_spec spec;
typedef struct cap_ring_wheel wheel;

#define WHEEL(key_, member, unit_, ...)                                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(wheel, member), .unit = unit_, __VA_ARGS__       \
  }
#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - BASE, .unit = unit_, __VA_ARGS__ \
  }
#define POSITIVE .low = 0, .low_open = true, .high = INFINITY

static const cap_field wheel_fields[] = {
    WHEEL("radius", radius, "m", .required = true, POSITIVE, .example = "55 mm",
          .doc = "radius of the circle on which the ring's centre line runs"),
    WHEEL("inertia", inertia, "kg m2", POSITIVE, .fallback = "0.014 kg m2", .example = "0.014 kg m2",
          .doc = "moment of inertia about the axis"),
    WHEEL("speed", speed, "rad/s", .present = 1 + offsetof(wheel, speed_given),
          .input = 1 + offsetof(wheel, speed_input), .example = "2000 rpm",
          .doc =
              "prescribed speed of the pulley, positive in the running direction; default without torque: 0"),
    WHEEL("torque", torque, "N m", .present = 1 + offsetof(wheel, torque_given),
          .input = 1 + offsetof(wheel, torque_input), .example = "-10 N m",
          .doc = "torque on a pulley without prescribed speed, positive in the running direction; 0 N m: "
                 "free to turn"),
    {0}};

#define BASE offsetof(spec, pulleys)
const cap_field cap_ring_pulleys_fields[] = {
    {.key = "secondary",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, pulleys.secondary) - BASE,
     .fields = wheel_fields,
     .required = true,
     .doc = "pulley at the origin"},
    {.key = "primary",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, pulleys.primary) - BASE,
     .fields = wheel_fields,
     .required = true,
     .doc = "pulley at (centre_distance, 0)"},
    REAL("stiffness", pulleys.stiffness, "N/m2", POSITIVE, .fallback = "1e10 N/m2", .example = "1e10 N/m2",
         .doc = "contact stiffness between pulley and ring, per length of ring"),
    REAL("damping", pulleys.damping, "s/m", .low = 0, .high = INFINITY, .fallback = "0 s/m",
         .example = "1 s/m", .doc = "relative increase of the normal force per penetration velocity"),
    REAL("friction", pulleys.friction, "", .low = 0, .high = 10, .fallback = "0", .example = "0.1",
         .doc = "coefficient of friction (regularised Coulomb friction)"),
    REAL("regularisation_velocity", pulleys.slip_speed, "m/s", POSITIVE, .fallback = "0.1 m/s",
         .example = "0.01 m/s", .was = "slip_speed",
         .doc = "regularisation velocity: sliding velocity at which friction reaches 71 % of its limit"),
    {.key = "points",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, pulleys.points) - BASE,
     .low = 1,
     .high = 64,
     .fallback = "4",
     .example = "4",
     .doc = "number of contact points per node of the ring"},
    REAL("clamping", pulleys.clamping, "N", .low = 0, .high = INFINITY,
         .present = 1 + offsetof(spec, pulleys.clamping_given) - BASE,
         .input = 1 + offsetof(spec, pulleys.clamping_input) - BASE, .example = "10 kN",
         .doc = "force that pushes the primary pulley away from the secondary; without this key both axes "
                "are fixed"),
    REAL("mass", pulleys.mass, "kg", POSITIVE, .fallback = "2.5 kg", .example = "2.5 kg",
         .doc = "mass of the primary pulley if it can slide"),
    REAL("sliding_damping", pulleys.drag, "N s/m", .low = 0, .high = INFINITY, .fallback = "0 N s/m",
         .example = "10 kN s/m", .was = "drag", .doc = "damping of the sliding motion of the primary pulley"),
    {0}};

double cap_ring_pulleys_tension(const spec *s, const cap_ring_section *section)
{
  double sine = (s->pulleys.primary.radius - s->pulleys.secondary.radius) / s->centre_distance;
  if (s->ring.prestress_given) return s->ring.prestress;
  if (!s->pulleys.clamping_given || s->ring.free_length_given) return 0.0;
  return s->pulleys.clamping / (2.0 * sqrt(1.0 - sine * sine)) +
         section->mass * s->start.speed * s->start.speed;
}

/* Length and ratio of the curve around the two pulleys, so deep in their surfaces that these carry the
 * tension. */
void cap_ring_pulleys_shape(const spec *s, cap_ring_shape *shape)
{
  double rp = s->pulleys.primary.radius, rs = s->pulleys.secondary.radius, d = s->centre_distance;
  double pressing = cap_ring_pulleys_tension(s, &shape->section) -
                    shape->section.mass * s->start.speed * s->start.speed;
  double per = fmax(pressing, 0.0) / s->pulleys.stiffness;
  rp -= per / rp;
  rs -= per / rs;
  double alpha = asin((rp - rs) / d);
  shape->centre_distance = d;
  shape->theta = (rp - rs) / (rp + rs);
  shape->length = 2.0 * d * cos(alpha) + M_PI * (rp + rs) + 2.0 * alpha * (rp - rs);
}

void cap_ring_pulleys_check(const spec *s, cap_diag *diag)
{
  const wheel *wheels[2] = {&s->pulleys.secondary, &s->pulleys.primary};
  const char *const names[2] = {"secondary", "primary"};
  if (s->ring.length_given)
    cap_diag_at(diag, "ring.length", "conflicts with pulleys, from which the length follows; remove length");
  if (s->start.theta_given)
    cap_diag_at(diag, "start.theta", "conflicts with pulleys, whose radii determine the ratio; remove theta");
  if (s->start.ratio_given)
    cap_diag_at(diag, "start.ratio", "conflicts with pulleys, whose radii determine the ratio; remove ratio");
  if (s->start.shape)
    cap_diag_at(diag, "start.shape", "expected reference for a ring on pulleys, got circle");
  for (int k = 0; k < 2; k++) {
    char path[64];
    snprintf(path, sizeof path, "pulleys.%s.torque", names[k]);
    if (wheels[k]->speed_given && wheels[k]->torque_given)
      cap_diag_at(diag, path, "conflicts with speed, which is prescribed; specify only one");
  }
  if (!(s->centre_distance > s->pulleys.secondary.radius + s->pulleys.primary.radius))
    cap_diag_at(diag, "centre_distance",
                "the pulleys overlap; expected more than the sum of their radii (%s), got %s",
                cap_diag_quantity(diag, "centre_distance",
                                  s->pulleys.secondary.radius + s->pulleys.primary.radius, "m"),
                cap_diag_quantity(diag, "centre_distance", s->centre_distance, "m"));
}

typedef struct parts {
  const spec *s;
  const cap_ring_shape *shape;
  const cap_ring *ring;
  cap_builder *b;
  int slide; /* -1 = none */
} parts;

/* Free when a torque acts on it, else at its speed. -1: out of memory. */
static int add_rotation(const parts *p, const wheel *w, const char *name)
{
  char text[64];
  double start = p->shape->speed / w->radius;
  snprintf(text, sizeof text, "pulley.%s", name);
  if (w->torque_given) return cap_builder_dof(p->b, text, "rad", w->inertia, 0.0, start);
  static const double start_time = 0.0;
  cap_motion motion;
  if (cap_motion_shaft(cap_builder_arena(p->b), 1, &start_time, &w->speed, 0, NULL, NULL, NULL, &motion) !=
      CAP_OK)
    return -1;
  if (w->speed_input.name) motion.input = 1 + cap_builder_input(p->b, &w->speed_input, w->speed, false);
  return cap_builder_driven(p->b, text, "rad", &motion);
}

static const struct {
  const char *what, *unit, *meaning;
  int output;
  bool film;
} shown[] = {{"torque", "N m", "torque of the ring on", CAP_RING_PULLEY_TORQUE, true},
             {"force_x", "N", "force in x direction of the ring on", CAP_RING_PULLEY_FX, true},
             {"force_y", "N", "force in y direction of the ring on", CAP_RING_PULLEY_FY, true},
             {"normal_force", "N", "sum of the normal forces of the ring on", CAP_RING_PULLEY_PRESSED, true},
             {"arc", "rad", "wrap angle in contact on", CAP_RING_PULLEY_ARC, false},
             {"peak", "N/m", "largest normal force per length on", CAP_RING_PULLEY_PEAK, false},
             {"slip", "m/s", "mean sliding velocity of the ring on", CAP_RING_PULLEY_GLIDE, true}};

static void channel(const parts *p, const char *name, const char *what, const char *unit, const char *meaning,
                    int nterm, const cap_term *terms)
{
  char text[96], long_name[128];
  snprintf(text, sizeof text, "pulley.%s.%s", name, what);
  snprintf(long_name, sizeof long_name, "%s the %s pulley", meaning, name);
  cap_builder_channel(p->b, text, unit, long_name, nterm, terms);
}

static void add_channels(const parts *p, const char *name, double x, int slide, int rotation, int contact)
{
  cap_term place[2] = {{CAP_TERM_CONSTANT, 0, x}, {CAP_TERM_Q, slide, 1.0}},
           level = {CAP_TERM_CONSTANT, 0, 0.0};
  cap_term speed = {CAP_TERM_V, rotation, 1.0};
  cap_term angle = {CAP_TERM_Q, rotation, -1.0}; /* pictures turn the other way round */
  channel(p, name, "speed", "rad/s", "speed, positive in the running direction, of", 1, &speed);
  cap_builder_film_member(p->b);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    cap_term term = {CAP_TERM_OUTPUT, contact * CAP_OUTPUTS_MOST + shown[i].output, 1.0};
    channel(p, name, shown[i].what, shown[i].unit, shown[i].meaning, 1, &term);
    if (shown[i].film) cap_builder_film_member(p->b);
  }
  channel(p, name, "x", "m", "x coordinate of the axis of", slide >= 0 ? 2 : 1, place);
  cap_builder_film_member(p->b);
  channel(p, name, "y", "m", "y coordinate of the axis of", 1, &level);
  cap_builder_detail(p->b);
  cap_builder_film_member(p->b);
  channel(p, name, "angle", "rad", "rotation angle, counterclockwise, of", 1, &angle);
  cap_builder_detail(p->b);
  cap_builder_film_member(p->b);
}

/* Constant, or an input. */
static void add_load(cap_builder *b, const char *name, int coordinate, const cap_input_key *input,
                     double value)
{
  double par[CAP_LOAD_NPARAM] = {[CAP_LOAD_MEAN] = value};
  if (input->name) cap_load_input_add(b, name, coordinate, input, value, 1.0);
  else cap_builder_element(b, &cap_load_type, name, coordinate, CAP_GROUND, par, NULL);
}

static cap_status add_wheel(const parts *p, const wheel *w, const char *name, double x, int slide,
                            cap_error *error)
{
  char text[64];
  int rotation = add_rotation(p, w, name);
  double par[CAP_RING_PULLEY_NPARAM] = {[CAP_RING_PULLEY_X] = x,
                                        [CAP_RING_PULLEY_SLIDE] = slide,
                                        [CAP_RING_PULLEY_ROTATION] = rotation,
                                        [CAP_RING_PULLEY_RADIUS] = w->radius,
                                        [CAP_RING_PULLEY_NORMAL] = p->s->pulleys.stiffness,
                                        [CAP_RING_PULLEY_DAMPING] = p->s->pulleys.damping,
                                        [CAP_RING_PULLEY_FRICTION] = p->s->pulleys.friction,
                                        [CAP_RING_PULLEY_SLIP] = p->s->pulleys.slip_speed};
  snprintf(text, sizeof text, "pulley.%s", name);
  if (rotation < 0) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int contact = cap_ring_pulley_add(p->b, p->ring, text, p->s->pulleys.points * p->s->ring.nodes, par);
  if (contact < 0) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  snprintf(text, sizeof text, "pulley.%s.torque", name);
  if (w->torque_given) add_load(p->b, text, rotation, &w->torque_input, w->torque);
  add_channels(p, name, x, slide, rotation, contact);
  return CAP_OK;
}

static int add_slide(cap_builder *b, const spec *s)
{
  double drag[CAP_LINK_NPARAM] = {[CAP_LINK_C] = s->pulleys.drag};
  int slide = cap_builder_dof(b, "slide", "m", s->pulleys.mass, 0.0, 0.0);
  add_load(b, "clamping", slide, &s->pulleys.clamping_input, s->pulleys.clamping);
  if (s->pulleys.drag > 0.0) cap_builder_element(b, &cap_link_type, "slide", slide, CAP_GROUND, drag, NULL);
  return slide;
}

/* How fast the contact makes a chain with lumped masses, with the ring itself or without it: friction is a
 * damper of mu p/v per length where it sticks, with the line load that the clamping makes. */
static double pace_of(const parts *p, bool ring)
{
  const spec *s = p->s;
  const cap_ring_section *section = &p->shape->section;
  double l = p->shape->free_length / p->shape->nodes,
         radius = fmin(s->pulleys.primary.radius, s->pulleys.secondary.radius);
  double strain = p->shape->length / p->shape->free_length - 1.0;
  double tension = 1.5 * fmax(section->EA * strain, s->pulleys.clamping_given ? s->pulleys.clamping : 0.0);
  double stretch = ring ? section->EA / (section->mass * l * l) : 0.0;
  double square = 4.4 * stretch + s->pulleys.stiffness / section->mass;
  double rate = s->pulleys.friction * tension / (radius * s->pulleys.slip_speed * section->mass) +
                4.0 * section->damping * stretch;
  return 0.5 * rate + sqrt(0.25 * rate * rate + square);
}

cap_status cap_ring_pulleys_build(const spec *s, const cap_ring_shape *shape, const cap_ring *ring,
                                  cap_builder *b, cap_error *error)
{
  parts p = {.s = s, .shape = shape, .ring = ring, .b = b, .slide = -1};
  if (s->pulleys.clamping_given) p.slide = add_slide(b, s);
  CAP_TRY(add_wheel(&p, &s->pulleys.secondary, "secondary", 0.0, -1, error));
  CAP_TRY(add_wheel(&p, &s->pulleys.primary, "primary", s->centre_distance, p.slide, error));
  cap_builder_fastest(b, pace_of(&p, false));
  cap_builder_fastest_body(b, pace_of(&p, true));
  return CAP_OK;
}
