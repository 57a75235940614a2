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
#define RATE(key_, member, unit_, example_, ...)                                                             \
  REAL(body, key_, member.value, unit_, .present = 1 + offsetof(body, member.given), .example = example_,    \
       .doc = __VA_ARGS__)

#define NAME(default_)                                                                                       \
  TEXT(body, "name", name, .means = CAP_MEANS_NAME, .fallback = default_, .example = default_,               \
       .doc = "name of the body, used by channels and hinges")
#define MASS REAL(body, "mass", mass, "kg", .required = true, POSITIVE, .example = "1 kg", .doc = "mass")
#define RADIUS                                                                                               \
  REAL(body, "radius", radius, "m", .required = true, POSITIVE, .example = "0.1 m", .doc = "radius")
#define INERTIA(doc_)                                                                                        \
  REAL(body, "inertia", inertia, "kg m2", .required = true, POSITIVE, .example = "0.1 kg m2", .doc = doc_)
#define OWN_INERTIA(key_, member, flag, doc_)                                                                \
  REAL(body, key_, member, "kg m2", POSITIVE, .present = 1 + offsetof(body, flag), .example = "0.005 kg m2", \
       .doc = doc_)
#define PLACE                                                                                                \
  REAL(                                                                                                      \
      body, "x", x, "m", .present = 1 + offsetof(body, x_given), .example = "0 m",                           \
      .doc =                                                                                                 \
          "initial position of the centre of mass, downhill; default: 0, or the position given by a hinge"), \
      REAL(body, "y", y, "m", .present = 1 + offsetof(body, y_given), .example = "0 m",                      \
           .doc = "initial position of the centre of mass, across the slope")
#define HEADING                                                                                              \
  REAL(body, "heading", heading, "rad", .fallback = "0 rad", .example = "30 deg",                            \
       .doc = "initial heading, from downhill, anticlockwise seen from above")
#define VELOCITY                                                                                             \
  RATE("vx", vx, "m/s", "0.5 m/s",                                                                           \
       "initial velocity of the centre, downhill; default: as required by rolling"),                         \
      RATE("vy", vy, "m/s", "0 m/s", "initial velocity of the centre, across the slope")
#define SPEED                                                                                                \
  RATE("speed", speed, "m/s", "1 m/s",                                                                       \
       "initial velocity of the centre along the heading, instead of vx and vy")
#define TURN RATE("heading_rate", turn, "rad/s", "2 rad/s", "initial heading rate", .was = "turn")

static const cap_field knife_edge_fields[] = {
    NAME("edge"), MASS, INERTIA("moment of inertia about the vertical"), PLACE, HEADING, SPEED, TURN,
    VELOCITY,     {0}};

static const cap_field sleigh_fields[] = {
    NAME("sleigh"),
    MASS,
    INERTIA("moment of inertia about the vertical through the centre of mass"),
    REAL(body, "arm", arm, "m", .required = true, .example = "0.2 m",
         .doc = "distance of the centre of mass ahead of the blade; negative = behind it"),
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
                "moment of inertia about the axle; default: uniform disc, m r^2 / 2"),
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about the vertical; default: uniform disc, m r^2 / 4"),
    PLACE,
    HEADING,
    RATE("spin", spin, "rad/s", "5 rad/s",
         "initial spin about the axle, positive for rolling along the heading"),
    SPEED,
    TURN,
    VELOCITY,
    {0}};

static const cap_field disc_fields[] = {
    NAME("disc"),
    MASS,
    RADIUS,
    OWN_INERTIA("inertia_axis", inertia_axis, axis_given,
                "moment of inertia about the symmetry axis; default: uniform, m r^2 / 2"),
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about a diameter; default: uniform, m r^2 / 4"),
    PLACE,
    REAL(body, "heading", heading, "rad", .fallback = "0 rad", .example = "30 deg",
         .doc = "initial direction of the disc's horizontal diameter, from downhill"),
    REAL(body, "inclination", tilt, "rad", .fallback = "90 deg", .example = "20 deg",
         .doc = "initial angle between the disc's plane and the ground, above 0 deg and below 180 deg; 90 "
                "deg = upright"),
    RATE("heading_rate", turn, "rad/s", "2 rad/s", "initial precession: heading rate", .was = "turn"),
    RATE("spin", spin, "rad/s", "5 rad/s",
         "initial spin about its own axis, relative to the horizontal diameter; an upright disc with "
         "positive spin rolls against its heading"),
    RATE("tilt_rate", tilt_rate, "rad/s", "0 rad/s", "initial rate of the inclination"),
    REAL(body, "circle", circle, "m", .low = 0, .high = INFINITY, .present = 1 + offsetof(body, circle_given),
         .example = "0 m",
         .doc = "start in the steady precession with the centre on a circle of this radius, instead of "
                "rates; 0 m = centre at rest (Euler's disc)"),
    VELOCITY,
    RATE("vz", vz, "m/s", "0 m/s", "initial velocity of the centre, away from the ground"),
    {0}};

static const cap_field ball_fields[] = {
    NAME("ball"),
    MASS,
    RADIUS,
    OWN_INERTIA("inertia", inertia, inertia_given,
                "moment of inertia about any axis; default: uniform, 2 m r^2 / 5"),
    PLACE,
    RATE("wx", wx, "rad/s", "0 rad/s", "initial angular velocity about the downhill direction"),
    RATE("wy", wy, "rad/s", "5 rad/s", "initial angular velocity about the direction across the slope"),
    RATE("wz", wz, "rad/s", "0 rad/s", "initial angular velocity about the normal of the ground"),
    VELOCITY,
    RATE("vz", vz, "m/s", "0 m/s", "initial velocity of the centre, away from the ground"),
    {0}};

static const cap_field block_fields[] = {NAME("block"), MASS, PLACE, VELOCITY, {0}};

static const cap_field blade_fields[] = {
    TEXT(blade, "name", name, .means = CAP_MEANS_NAME, .example = "rear",
         .doc = "name used in channels; default: blade1, blade2, ..."),
    REAL(blade, "x", x, "m", .fallback = "0 m", .example = "-0.5 m",
         .doc = "distance ahead of the centre of mass"),
    REAL(blade, "y", y, "m", .fallback = "0 m", .example = "0 m",
         .doc = "distance to the left of the centre of mass"),
    REAL(blade, "angle", angle, "rad", .fallback = "0 rad", .example = "10 deg",
         .doc = "direction of the blade, relative to the body's heading"),
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
     .doc = "axles or skates, none of which moves transversely to its own direction"},
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
    {"wheel", "a wheel or disc held upright: rolls and turns", wheel_fields},
    {"disc", "a thin disc in space, on its rim: rolls, turns and tilts", disc_fields},
    {"ball", "a ball in space", ball_fields},
    {"block", "a block that does not turn, sticking or sliding", block_fields},
    {"planar", "a body in the plane on any number of blades", planar_fields},
    {0}};

static const cap_field hinge_fields[] = {
    TEXT(hinge, "name", name, .means = CAP_MEANS_NAME, .fallback = "hinge", .example = "hitch",
         .doc = "name used in channels"),
    TEXT(hinge, "from", from, .required = true, .example = "car", .doc = "one body"),
    TEXT(hinge, "to", to, .required = true, .example = "trailer",
         .doc = "second body; positioned by the hinge if it has neither x nor y"),
    REAL(hinge, "from_x", from_x, "m", .fallback = "0 m", .example = "-1.5 m",
         .doc = "position of the hinge on the first body, ahead of its centre of mass"),
    REAL(hinge, "from_y", from_y, "m", .fallback = "0 m", .example = "0 m",
         .doc = "position of the hinge to the left of that centre of mass"),
    REAL(hinge, "to_x", to_x, "m", .fallback = "0 m", .example = "2 m",
         .doc = "position of the hinge on the second body, ahead of its centre of mass"),
    REAL(hinge, "to_y", to_y, "m", .fallback = "0 m", .example = "0 m",
         .doc = "position of the hinge to the left of that centre of mass"),
    {0}};

static const cap_field friction_fields[] = {
    CAPM_FRICTION_KEYS_PAIR(
        offsetof(friction, mu), "static", (.required = true, .doc = "static coefficient of friction"),
        "kinetic", (.doc = "kinetic coefficient of friction; default: the static one"),
        (.doc =
             "Stribeck velocity: sliding velocity over which the coefficient falls from static to kinetic")),
    REAL(friction, "width", width, "", .fallback = "0.01", .low = 0, .high = 1, .example = "0.01",
         .doc = "width of the smooth transition from stick to slip, as a fraction of the friction limit; "
                "below it the contact sticks exactly"),
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
     .doc = "0 = ideal rolling, by multipliers; above 0 = viscoelastic contact with stiffness / epsilon^2"},
    {.key = "stiffness",
     .kind = CAP_FIELD_REAL,
     .offset = IN(contact, stiffness),
     .unit = "N/m",
     .fallback = "0 N/m",
     .low = 0,
     .high = INFINITY,
     .example = "10 N/m",
     .doc = "stiffness at epsilon = 1; 0 = effective mass times (1 rad/s)^2, for a natural angular frequency "
            "of the contact of 1/epsilon rad/s"},
    {.key = "damping_ratio",
     .kind = CAP_FIELD_REAL,
     .offset = IN(contact, damping_ratio),
     .unit = "",
     .fallback = "1",
     .low = 0,
     .high = INFINITY,
     .example = "1",
     .doc = "damping ratio of the contact (1 = critical)"},
    {.key = "start",
     .kind = CAP_FIELD_CHOICE,
     .offset = IN(contact, start),
     .choices = starts,
     .fallback = "unloaded",
     .example = "loaded",
     .doc = "initial deflection of the contacts: none (unloaded, with an initial layer) or that of the ideal "
            "forces"},
    {.key = "friction",
     .kind = CAP_FIELD_SECTION,
     .offset = IN(contact, friction),
     .fields = friction_fields,
     .present = 1 + IN(contact, friction_given),
     .doc = "limit of the tangential force; default: none, the contact never slips"},
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
    {.key = "angular_velocity",
     .kind = CAP_FIELD_REAL,
     .offset = IN(ground, turning),
     .unit = "rad/s",
     .fallback = "0 rad/s",
     .example = "3 rad/s",
     .was = "turning",
     .doc = "angular velocity of the ground about the z axis through x = y = 0, as of a turntable"},
    {0}};

static const char *const start_velocities[] = {"given", "project", NULL};

static const cap_field fields[] = {
    {.key = "ground",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, ground),
     .fields = ground_fields,
     .doc = "plane on which all bodies move; default: level and at rest"},
    {.key = "bodies",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, bodies),
     .variants = kinds,
     .item_size = sizeof(body),
     .required = true,
     .least = 1,
     .most = CAP_ROLLING_BODIES,
     .example = "[{knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, heading_rate: 2 rad/s}}]",
     .doc = "rolling bodies"},
    {.key = "hinges",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, hinges),
     .fields = hinge_fields,
     .item_size = sizeof(hinge),
     .most = CAP_ROLLING_HINGES,
     .example = "[{from: car, to: trailer, from_x: -1.5 m, to_x: 2 m}]",
     .doc = "hinges: coincident points of planar bodies"},
    {.key = "contact",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, contact),
     .fields = contact_fields,
     .doc = "enforcement of rolling at all contacts; default: ideal"},
    {.key = "start_velocity",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, start_velocity),
     .choices = start_velocities,
     .fallback = "given",
     .example = "project",
     .doc = "given: initial velocities must satisfy rolling; project: they are projected on rolling, with "
            "the smallest change in the kinetic metric"},
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0 s", .doc = "start time"),
    {0}};

const char *cap_rolling_body_kind(int kind)
{
  return kinds[kind].name;
}

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"*.turn", "*.angular_velocity", NULL};

const cap_drive cap_rolling_body_drive = {
    .name = "rolling-body",
    .doc = "bodies rolling on a plane, ideally or with viscoelastic contacts: knife edge, sleigh, wheel, "
           "disc, ball, block, car and trailer (Deppler, Braun, Fidlin and Hochbruck)",
    .starter = "rolling_disc",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = cap_rolling_body_check,
    .build = cap_rolling_body_build,
    .summarise = cap_rolling_body_summary,
    .draw = cap_rolling_body_summary_draw,
};
