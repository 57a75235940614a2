/* drives/bodies/rolling/rolling_body.c — bodies that roll or slide on a ground plane: knife edges, wheels,
 * discs, balls.
 *
 * Every contact forbids velocities (rows, docs/theory.md §18). With `contact.epsilon: 0` they are ideal
 * constraints with multipliers, else viscoelastic sticking contacts that tend to them (Deppler et al.). The
 * ground may be inclined (downhill is +x) or turn about the z axis. What a user does not say about the
 * velocities at the start follows from rolling (rolling_body_start.c).
 */
#include "drives/bodies/rolling/rolling_body.h"
#include "drives/drive.h"
#include "drives/registry.h"

#include <math.h>
#include <stddef.h>

typedef cap_rolling_body body;
typedef cap_rolling_blade blade;
typedef cap_rolling_hinge hinge;
typedef cap_rolling_friction friction;
typedef cap_rolling_spec spec;

#define REAL(type, key_, member, unit_, ...)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type, member), .unit = unit_, __VA_ARGS__        \
  }
#define TEXT(type, key_, member, ...)                                                                        \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_TEXT, .offset = offsetof(type, member), __VA_ARGS__                       \
  }
#define POSITIVE .low = 0, .low_open = true, .high = INFINITY
#define RATE(key_, member, unit_, example_, doc_)                                                            \
  REAL(body, key_, member.value, unit_, .present = 1 + offsetof(body, member.given), .example = example_,    \
       .doc = doc_)

#define NAME(default_)                                                                                       \
  TEXT(body, "name", name, .fallback = default_, .example = default_,                                        \
       .doc = "what channels and hinges call it")
#define MASS REAL(body, "mass", mass, "kg", .required = true, POSITIVE, .example = "1 kg", .doc = "mass")
#define RADIUS                                                                                               \
  REAL(body, "radius", radius, "m", .required = true, POSITIVE, .example = "0.1 m", .doc = "radius")
#define INERTIA(doc_)                                                                                        \
  REAL(body, "inertia", inertia, "kg m2", .required = true, POSITIVE, .example = "0.1 kg m2", .doc = doc_)
#define OWN_INERTIA(key_, member, flag, doc_)                                                                \
  REAL(body, key_, member, "kg m2", POSITIVE, .present = 1 + offsetof(body, flag), .example = "0.005 kg m2", \
       .doc = doc_)
#define PLACE                                                                                                \
  REAL(body, "x", x, "m", .present = 1 + offsetof(body, x_given), .example = "0 m",                          \
       .doc = "centre of mass at the start, downhill; 0 unless a hinge places the body"),                    \
      REAL(body, "y", y, "m", .present = 1 + offsetof(body, y_given), .example = "0 m",                      \
           .doc = "centre of mass at the start, across the slope")
#define HEADING                                                                                              \
  REAL(body, "heading", heading, "rad", .fallback = "0 rad", .example = "30 deg",                            \
       .doc = "direction at the start, from downhill, anticlockwise seen from above")
#define VELOCITY                                                                                             \
  RATE("vx", vx, "m/s", "0.5 m/s",                                                                           \
       "velocity of the centre at the start, downhill; not given = as rolling "                              \
       "wants it"),                                                                                          \
      RATE("vy", vy, "m/s", "0 m/s", "the same across the slope")
#define SPEED                                                                                                \
  RATE("speed", speed, "m/s", "1 m/s",                                                                       \
       "velocity of the centre along the heading at the start, instead of vx and vy")
#define TURN RATE("turn", turn, "rad/s", "2 rad/s", "rate of the heading at the start")

static const cap_field knife_edge_fields[] = {
    NAME("edge"), MASS, INERTIA("moment of inertia about the vertical"), PLACE, HEADING, SPEED, TURN,
    VELOCITY,     {0}};

static const cap_field sleigh_fields[] = {
    NAME("sleigh"),
    MASS,
    INERTIA("moment of inertia about the vertical through the centre of mass"),
    REAL(body, "arm", arm, "m", .required = true, .example = "0.2 m",
         .doc = "the centre of mass is so far ahead of the blade; negative = behind it"),
    PLACE,
    HEADING,
    SPEED,
    TURN,
    VELOCITY,
    {0}};

static const cap_field wheel_fields[] = {
    NAME("wheel"),
    MASS,
    RADIUS,
    OWN_INERTIA("inertia_axis", inertia_axis, axis_given,
                "moment of inertia about the axle; not given = uniform disc, m r^2 / 2"),
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about the vertical; not given = uniform disc, m r^2 / 4"),
    PLACE,
    HEADING,
    RATE("spin", spin, "rad/s", "5 rad/s", "rate of rolling at the start, positive along the heading"),
    SPEED,
    TURN,
    VELOCITY,
    {0}};

static const cap_field disc_fields[] = {
    NAME("disc"),
    MASS,
    RADIUS,
    OWN_INERTIA("inertia_axis", inertia_axis, axis_given,
                "moment of inertia about the symmetry axis; not given = uniform, m r^2 / 2"),
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about a diameter; not given = uniform, m r^2 / 4"),
    PLACE,
    REAL(body, "heading", heading, "rad", .fallback = "0 rad", .example = "30 deg",
         .doc = "direction of the disc's horizontal diameter at the start, from downhill"),
    REAL(
        body, "inclination", tilt, "rad", .fallback = "90 deg", .example = "20 deg",
        .doc =
            "angle between the disc's plane and the ground at the start, above 0 and below 180 deg; 90 deg = "
            "upright"),
    RATE("turn", turn, "rad/s", "2 rad/s", "precession: rate of the heading at the start"),
    RATE("spin", spin, "rad/s", "5 rad/s",
         "rate about the own axis at the start, relative to the horizontal diameter; an upright disc with "
         "positive spin rolls against its heading"),
    RATE("tilt_rate", tilt_rate, "rad/s", "0 rad/s", "rate of the inclination at the start"),
    REAL(body, "circle", circle, "m", .low = 0, .high = INFINITY, .present = 1 + offsetof(body, circle_given),
         .example = "0 m",
         .doc =
             "start in the steady precession whose centre runs on a circle of this radius, instead of rates; "
             "0 m = centre at rest (Euler's disc)"),
    VELOCITY,
    RATE("vz", vz, "m/s", "0 m/s", "the same away from the ground"),
    {0}};

static const cap_field ball_fields[] = {
    NAME("ball"),
    MASS,
    RADIUS,
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about any axis; not given = uniform, 2 m r^2 / 5"),
    PLACE,
    RATE("wx", wx, "rad/s", "0 rad/s", "angular velocity at the start about the direction downhill"),
    RATE("wy", wy, "rad/s", "5 rad/s", "the same about the direction across the slope"),
    RATE("wz", wz, "rad/s", "0 rad/s", "the same about the normal of the ground"),
    VELOCITY,
    RATE("vz", vz, "m/s", "0 m/s", "the same away from the ground"),
    {0}};

static const cap_field block_fields[] = {NAME("block"), MASS, PLACE, VELOCITY, {0}};

static const cap_field blade_fields[] = {
    TEXT(blade, "name", name, .example = "rear",
         .doc = "what channels call it; not given = blade1, blade2, ..."),
    REAL(blade, "x", x, "m", .fallback = "0 m", .example = "-0.5 m", .doc = "ahead of the centre of mass"),
    REAL(blade, "y", y, "m", .fallback = "0 m", .example = "0 m", .doc = "left of the centre of mass"),
    REAL(blade, "angle", angle, "rad", .fallback = "0 rad", .example = "10 deg",
         .doc = "direction of the blade, from the body's heading"),
    {0}};

static const cap_field planar_fields[] = {
    NAME("body"),
    MASS,
    INERTIA("moment of inertia about the vertical through the centre of mass"),
    {.key = "blades",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(body, blades),
     .fields = blade_fields,
     .item_size = sizeof(blade),
     .most = CAP_ROLLING_BLADES,
     .example = "[{name: rear, x: -1 m}, {name: front, x: 1 m, angle: 10 deg}]",
     .doc = "axles or skates: none of them moves across its own direction"},
    PLACE,
    HEADING,
    SPEED,
    TURN,
    VELOCITY,
    {0}};

/* In the order of cap_rolling_kind. */
static const cap_variant kinds[] = {
    {"knife-edge", "a blade under the centre of mass, moving in the plane", knife_edge_fields},
    {"sleigh", "Chaplygin's sleigh: a blade behind the centre of mass", sleigh_fields},
    {"wheel", "a wheel or disc that is held upright: rolls and turns", wheel_fields},
    {"disc", "a thin disc in space, on its rim: rolls, turns and tilts", disc_fields},
    {"ball", "a ball in space", ball_fields},
    {"block", "a block that does not turn, sticking or sliding", block_fields},
    {"planar", "a body in the plane on any number of blades", planar_fields},
    {0}};

static const cap_field hinge_fields[] = {
    TEXT(hinge, "name", name, .fallback = "hinge", .example = "hitch", .doc = "what channels call it"),
    TEXT(hinge, "from", from, .required = true, .example = "car", .doc = "one body"),
    TEXT(hinge, "to", to, .required = true, .example = "trailer",
         .doc = "the other body; placed by the hinge when it says neither x nor y"),
    REAL(hinge, "from_x", from_x, "m", .fallback = "0 m", .example = "-1.5 m",
         .doc = "the hinge on the first body, ahead of its centre of mass"),
    REAL(hinge, "from_y", from_y, "m", .fallback = "0 m", .example = "0 m", .doc = "the same, left of it"),
    REAL(hinge, "to_x", to_x, "m", .fallback = "0 m", .example = "2 m",
         .doc = "the hinge on the other body, ahead of its centre of mass"),
    REAL(hinge, "to_y", to_y, "m", .fallback = "0 m", .example = "0 m", .doc = "the same, left of it"),
    {0}};

static const cap_field friction_fields[] = {
    CAPM_FRICTION_KEYS_PAIR(
        offsetof(friction, mu), "static",
        (.required = true, .doc = "coefficient of friction up to which the contact sticks"),
        (.doc = "coefficient of friction of fast sliding; not given = the static one"),
        (.doc = "sliding speed over which the coefficient falls from static to kinetic")),
    REAL(friction, "width", width, "", .fallback = "0.01", .low = 0, .high = 1, .example = "0.01",
         .doc = "part of the limit over which sticking passes smoothly into slipping; below it the contact "
                "sticks exactly"),
    {0}};

static const char *const starts[] = {"unloaded", "loaded", NULL};

#define IN(section, member) (offsetof(spec, section.member) - offsetof(spec, section))

static const cap_field contact_fields[] = {
    {.key = "epsilon",
     .kind = CAP_FIELD_REAL,
     .offset = IN(contact, epsilon),
     .unit = "",
     .fallback = "0",
     .low = 0,
     .high = INFINITY,
     .example = "0.01",
     .doc = "0 = ideal rolling, by multipliers; above 0 = viscoelastic contact of stiffness over epsilon^2"},
    {.key = "stiffness",
     .kind = CAP_FIELD_REAL,
     .offset = IN(contact, stiffness),
     .unit = "N/m",
     .fallback = "0 N/m",
     .low = 0,
     .high = INFINITY,
     .example = "10 N/m",
     .doc = "stiffness at epsilon = 1; 0 = the effective mass times (1 rad/s)^2, so that the contact's own "
            "pulsation is 1/epsilon rad/s"},
    {.key = "damping_ratio",
     .kind = CAP_FIELD_REAL,
     .offset = IN(contact, damping_ratio),
     .unit = "",
     .fallback = "1",
     .low = 0,
     .high = INFINITY,
     .example = "1",
     .doc = "damping of the contact over the critical one"},
    {.key = "start",
     .kind = CAP_FIELD_CHOICE,
     .offset = IN(contact, start),
     .choices = starts,
     .fallback = "unloaded",
     .example = "loaded",
     .doc = "deflection of the contacts at the start: none, which makes an initial layer, or that of the "
            "ideal forces"},
    {.key = "friction",
     .kind = CAP_FIELD_SECTION,
     .offset = IN(contact, friction),
     .fields = friction_fields,
     .present = 1 + IN(contact, friction_given),
     .doc = "limit of the tangential force; not given = the contact never slips"},
    {0}};

static const cap_field ground_fields[] = {
    {.key = "slope",
     .kind = CAP_FIELD_REAL,
     .offset = IN(ground, slope),
     .unit = "rad",
     .fallback = "0 rad",
     .low = -M_PI_2,
     .high = M_PI_2,
     .low_open = true,
     .high_open = true,
     .example = "15 deg",
     .doc = "inclination of the ground; +x is downhill"},
    {.key = "gravity",
     .kind = CAP_FIELD_REAL,
     .offset = IN(ground, gravity),
     .unit = "m/s2",
     .fallback = "9.81 m/s2",
     .low = 0,
     .high = INFINITY,
     .example = "9.81 m/s2",
     .doc = "acceleration of gravity"},
    {.key = "turning",
     .kind = CAP_FIELD_REAL,
     .offset = IN(ground, turning),
     .unit = "rad/s",
     .fallback = "0 rad/s",
     .example = "3 rad/s",
     .doc = "angular speed of the ground about the z axis through x = y = 0: a turntable"},
    {0}};

static const char *const start_velocities[] = {"given", "project", NULL};

static const cap_field fields[] = {
    {.key = "ground",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, ground),
     .fields = ground_fields,
     .doc = "the plane on which all bodies move; level and at rest when not given"},
    {.key = "bodies",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, bodies),
     .variants = kinds,
     .item_size = sizeof(body),
     .required = true,
     .least = 1,
     .most = CAP_ROLLING_BODIES,
     .example = "[{knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, turn: 2 rad/s}}]",
     .doc = "what rolls"},
    {.key = "hinges",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, hinges),
     .fields = hinge_fields,
     .item_size = sizeof(hinge),
     .most = CAP_ROLLING_HINGES,
     .example = "[{from: car, to: trailer, from_x: -1.5 m, to_x: 2 m}]",
     .doc = "points of planar bodies that coincide"},
    {.key = "contact",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, contact),
     .fields = contact_fields,
     .doc = "what enforces rolling, of all contacts; ideal when not given"},
    {.key = "start_velocity",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, start_velocity),
     .choices = start_velocities,
     .fallback = "given",
     .example = "project",
     .doc =
         "given: velocities at the start that do not roll are refused; project: the nearest ones that roll "
         "are taken (nearest in the sense of kinetic energy)"},
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0 s", .doc = "time of the start"),
    {0}};

const char *cap_rolling_body_kind(int kind)
{
  return kinds[kind].name;
}

const cap_drive cap_rolling_body_drive = {
    .name = "rolling-body",
    .doc =
        "bodies that roll on a plane, ideally or on viscoelastic contacts: knife edge, sleigh, wheel, disc, "
        "ball, block, car and trailer (Deppler, Braun, Fidlin and Hochbruck)",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = cap_rolling_body_check,
    .build = cap_rolling_body_build,
};
