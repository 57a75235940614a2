/* drives/bodies/planar/bodies.c — a small system of planar bodies that touch, part, stick and slide.
 *
 * Discs, blocks, polygons and points in a vertical plane, lines and slots, joints, springs and loads.
 * Contacts are set-valued (impacts and dry friction as such, for the stepper `timestepping`), compliant (the
 * same with a spring and damper in the normal direction) or regularised (smooth, for every stepper). The
 * ground, held bodies and driven cranks are bodies whose coordinates have an imposed motion.
 */
#include "drives/bodies/planar/bodies.h"
#include "drives/drive.h"
#include "drives/registry.h"

#include <math.h>
#include <stddef.h>

typedef cap_bodies_body body;
typedef cap_bodies_line line;
typedef cap_bodies_law law;
typedef cap_bodies_contact contact;
typedef cap_bodies_joint joint;
typedef cap_bodies_spring spring;
typedef cap_bodies_load load;
typedef cap_bodies_spec spec;

#define REAL(type, key_, member, unit_, ...)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type, member), .unit = unit_, __VA_ARGS__        \
  }
#define TEXT(type, key_, member, ...)                                                                        \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_TEXT, .offset = offsetof(type, member), __VA_ARGS__                       \
  }
#define POSITIVE     .low = 0, .low_open = true, .high = INFINITY
#define NOT_NEGATIVE .low = 0, .high = INFINITY

/* ---- bodies -------------------------------------------------------------------------------------------- */

static const cap_field corner_fields[] = {
    REAL(cap_bodies_corner, "x", x, "m", .required = true, .example = "0.1 m", .doc = "in the body's frame"),
    REAL(cap_bodies_corner, "y", y, "m", .required = true, .example = "0 m", .doc = "in the body's frame"),
    {0}};

static const cap_field shake_fields[] = {
    REAL(cap_bodies_shake, "direction", direction, "rad", .fallback = "90 deg", .example = "90 deg",
         .doc = "direction of the oscillation, from +x"),
    REAL(cap_bodies_shake, "amplitude", amplitude, "m", .required = true, NOT_NEGATIVE, .example = "5 mm",
         .doc = "amplitude of the oscillation"),
    REAL(cap_bodies_shake, "angular_frequency", angular_frequency, "rad/s", .required = true, POSITIVE,
         .example = "60 rad/s", .was = "pulsation", .hertz = "frequency",
         .doc = "angular frequency of the oscillation"),
    REAL(cap_bodies_shake, "phase", phase, "rad", .fallback = "0 rad", .example = "0 rad",
         .doc = "phase of the sine at t = 0"),
    {0}};

static const char *const motions[] = {"free", "translation", "prescribed", NULL};
static const char *const motions_were[] = {"angle", "translation", "place", "prescribed", NULL};

#define NAME(default_)                                                                                       \
  TEXT(body, "name", name, .means = CAP_MEANS_NAME, .fallback = default_, .example = default_,               \
       .doc = "name of the body, used by channels, contacts and joints")
#define MASS REAL(body, "mass", mass, "kg", .required = true, POSITIVE, .example = "1 kg", .doc = "mass")
#define INERTIA(doc_)                                                                                        \
  REAL(body, "inertia", inertia, "kg m2", POSITIVE, .present = 1 + offsetof(body, inertia_given),            \
       .example = "0.01 kg m2", .doc = doc_)
#define PLACE                                                                                                \
  REAL(body, "x", x, "m", .present = 1 + offsetof(body, x_given), .example = "0 m",                          \
       .doc = "initial position of the centre of mass, to the right; default: 0, or the position given by "  \
              "a hinge"),                                                                                    \
      REAL(body, "y", y, "m", .present = 1 + offsetof(body, y_given), .example = "1 m",                      \
           .doc = "initial position of the centre of mass, upwards"),                                        \
      REAL(body, "vx", vx, "m/s", .fallback = "0 m/s", .example = "0.5 m/s",                                 \
           .doc = "initial velocity of the centre of mass, to the right"),                                   \
      REAL(body, "vy", vy, "m/s", .fallback = "0 m/s", .example = "0 m/s",                                   \
           .doc = "initial velocity of the centre of mass, upwards")
#define ANGLE                                                                                                \
  REAL(body, "angle", angle, "rad", .fallback = "0 rad", .example = "30 deg",                                \
       .doc = "initial angle, counterclockwise"),                                                            \
      REAL(body, "angular_velocity", turn, "rad/s", .fallback = "0 rad/s", .example = "0 rad/s",             \
           .was = "turn", .doc = "initial angular velocity")
#define HOLD                                                                                                 \
  {.key = "motion",                                                                                          \
   .kind = CAP_FIELD_CHOICE,                                                                                 \
   .offset = offsetof(body, hold),                                                                           \
   .choices = motions,                                                                                       \
   .names_were = motions_were,                                                                               \
   .fallback = "free",                                                                                       \
   .example = "translation",                                                                                 \
   .was = "hold",                                                                                            \
   .doc = "free; translation: no rotation; prescribed: at rest except for `speed` and `oscillation`"},       \
      REAL(body, "speed", speed, "rad/s", .fallback = "0 rad/s", .example = "300 rpm",                       \
           .input = 1 + offsetof(body, speed_input),                                                         \
           .doc = "prescribed speed of rotation about the centre, as of a crank; for motion: prescribed"),   \
  {                                                                                                          \
    .key = "oscillation", .kind = CAP_FIELD_SECTION, .offset = offsetof(body, shake),                        \
    .fields = shake_fields, .present = 1 + offsetof(body, shake_given),                                      \
    .example = "{amplitude: 5 mm, angular_frequency: 60 rad/s}", .was = "shake",                             \
    .doc = "prescribed harmonic oscillation of the position; for motion: prescribed"                         \
  }

static const cap_field disc_fields[] = {
    NAME("disc"),
    MASS,
    REAL(body, "radius", radius, "m", .required = true, POSITIVE, .example = "0.05 m", .doc = "radius"),
    INERTIA("moment of inertia about the centre; default: uniform disc, m r^2 / 2"),
    PLACE,
    ANGLE,
    HOLD,
    {0}};

static const cap_field block_fields[] = {
    NAME("block"),
    MASS,
    REAL(body, "width", width, "m", .required = true, POSITIVE, .example = "0.2 m",
         .doc = "width, along the body's x axis"),
    REAL(body, "height", height, "m", .required = true, POSITIVE, .example = "0.1 m",
         .doc = "height, along the body's y axis"),
    INERTIA("moment of inertia about the centre; default: uniform, m (w^2 + h^2) / 12"),
    PLACE,
    ANGLE,
    HOLD,
    {0}};

static const cap_field polygon_fields[] = {
    NAME("polygon"),
    MASS,
    {.key = "corners",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(body, corners),
     .fields = corner_fields,
     .item_size = sizeof(cap_bodies_corner),
     .required = true,
     .least = 3,
     .most = CAP_DISC_POLYGON_MOST,
     .example = "[{x: -0.1 m, y: -0.05 m}, {x: 0.1 m, y: -0.05 m}, {x: 0 m, y: 0.1 m}]",
     .doc = "corners of the convex outline, counterclockwise, relative to the centre of mass"},
    INERTIA("moment of inertia about the centre of mass; default: uniform"),
    PLACE,
    ANGLE,
    HOLD,
    {0}};

static const cap_field point_fields[] = {NAME("point"), MASS, PLACE, {0}};

/* In the order of cap_bodies_kind. */
static const cap_variant kinds[] = {{"disc", "a disc", disc_fields},
                                    {"block", "a rectangle", block_fields},
                                    {"polygon", "a convex body of three to eight corners", polygon_fields},
                                    {"point", "a point mass", point_fields},
                                    {0}};

/* ---- lines --------------------------------------------------------------------------------------------- */

#define LINE(default_)                                                                                       \
  TEXT(line, "name", name, .means = CAP_MEANS_NAME, .fallback = default_, .example = default_,               \
       .doc = "name of the line, used by contacts"),                                                         \
      TEXT(line, "of", of, .example = "table", .doc = "body to which it is fixed; default: the ground"),     \
      REAL(line, "x", x, "m", .fallback = "0 m", .example = "0 m",                                           \
           .doc = "coordinate of a point on the line"),                                                      \
      REAL(line, "y", y, "m", .fallback = "0 m", .example = "0 m",                                           \
           .doc = "coordinate of a point on the line"),                                                      \
      REAL(line, "angle", angle, "rad", .fallback = "0 rad", .example = "-20 deg",                           \
           .doc = "direction, from +x; bodies are on its left, which is above a line of angle 0"),           \
      REAL(line, "speed", speed, "m/s", .fallback = "0 m/s", .example = "0.5 m/s",                           \
           .doc = "speed of its surface along the direction, as of a conveyor")

static const cap_field line_fields[] = {LINE("line"), {0}};
static const cap_field slot_fields[] = {
    LINE("slot"),
    REAL(line, "width", width, "m", .required = true, POSITIVE, .example = "51 mm",
         .doc = "distance between its two walls; the point is on the centre line"),
    {0}};

static const cap_variant line_kinds[] = {{"line", "a straight surface without ends", line_fields},
                                         {"slot", "two parallel lines that face each other", slot_fields},
                                         {0}};

/* ---- contacts ------------------------------------------------------------------------------------------ */

#define FRICTION                                                                                             \
  CAPM_FRICTION_KEYS_PAIR(                                                                                   \
      offsetof(law, friction), "friction", (.fallback = "0", .doc = "static coefficient of friction"),       \
      "kinetic_friction",                                                                                    \
      (.was = "kinetic", .doc = "kinetic coefficient of friction; default: the static one"),                 \
      (.doc = "Stribeck velocity: sliding velocity over which the coefficient falls "                        \
              "from static to kinetic; 0 = immediately"))
#define SPRING                                                                                               \
  REAL(law, "stiffness", stiffness, "N/m", .required = true, POSITIVE, .example = "1e6 N/m",                 \
       .doc = "normal stiffness at each contact point"),                                                     \
      REAL(law, "damping", damping, "N s/m", .fallback = "0 N s/m", NOT_NEGATIVE, .example = "100 N s/m",    \
           .doc = "normal damping; the contact force is never tensile")

static const cap_field set_valued_fields[] = {
    REAL(law, "restitution", restitution, "", .fallback = "0", .low = 0, .high = 1, .example = "0.8",
         .doc = "Newton's coefficient of restitution: separation velocity / approach velocity of an impact"),
    REAL(law, "restitution_speed", restitution_speed, "m/s", .fallback = "0 m/s", NOT_NEGATIVE,
         .example = "1 mm/s", .doc = "approach velocity below which an impact has no rebound"),
    FRICTION,
    {0}};
static const cap_field compliant_fields[] = {SPRING, FRICTION, {0}};
static const cap_field regularised_fields[] = {
    SPRING,
    FRICTION,
    REAL(law, "regularisation_velocity", regular, "m/s", .fallback = "1 mm/s", POSITIVE, .example = "1 mm/s",
         .was = "regular", .doc = "regularisation velocity: slip velocity over which friction changes sign"),
    {0}};

/* In the order of cap_bodies_law_kind. */
static const cap_variant laws[] = {
    {"set-valued", "rigid: impacts with Newton's restitution, set-valued dry friction", set_valued_fields},
    {"compliant", "spring and damper in the normal direction, set-valued dry friction", compliant_fields},
    {"regularised", "spring and damper in the normal direction, regularised friction; for every stepper",
     regularised_fields},
    {0}};

#define CONTACT_LAW(type, member, ...)                                                                       \
  {                                                                                                          \
    .key = "contact", .kind = CAP_FIELD_VARIANT, .offset = offsetof(type, member), .variants = laws,         \
    .tag_key = "law", .tag_default = "set-valued", .example = "{law: set-valued, restitution: 0.8}",         \
    __VA_ARGS__                                                                                              \
  }

#define POINTS(type)                                                                                         \
  REAL(type, "from_x", from_x, "m", .fallback = "0 m", .example = "0.1 m",                                   \
       .doc = "attachment point on the first body, x in its frame"),                                         \
      REAL(type, "from_y", from_y, "m", .fallback = "0 m", .example = "0 m",                                 \
           .doc = "attachment point, y in the same frame"),                                                  \
      REAL(type, "to_x", to_x, "m", .fallback = "0 m", .example = "0 m",                                     \
           .doc = "attachment point on the second body, x in its frame (or on the ground)"),                 \
      REAL(type, "to_y", to_y, "m", .fallback = "0 m", .example = "0 m",                                     \
           .doc = "attachment point, y in the same frame")
#define FROM_TO(type)                                                                                        \
  TEXT(type, "from", from, .required = true, .example = "rod", .doc = "one body"),                           \
      TEXT(type, "to", to, .example = "crank", .doc = "second body; default: the ground")

static const cap_field touch_fields[] = {
    TEXT(contact, "name", name, .means = CAP_MEANS_NAME, .example = "seat",
         .doc = "name used in channels; default: from-to"),
    TEXT(contact, "from", from, .required = true, .example = "block", .doc = "a body"),
    TEXT(contact, "to", to, .required = true, .example = "floor", .doc = "another body, a line or a slot"),
    CONTACT_LAW(contact, law, .present = 1 + offsetof(contact, law_given),
                .doc = "law of this contact; default: the common contact law"),
    {0}};
static const cap_field pin_fields[] = {
    TEXT(contact, "name", name, .means = CAP_MEANS_NAME, .example = "journal",
         .doc = "name used in channels; default: from-to"),
    FROM_TO(contact),
    POINTS(contact),
    REAL(contact, "radius", radius, "m", .required = true, NOT_NEGATIVE, .example = "10 mm",
         .doc = "radius of the pin on the first body"),
    REAL(contact, "hole_radius", hole, "m", .required = true, POSITIVE, .example = "10.5 mm", .was = "hole",
         .doc = "radius of the hole in the second body; the clearance is the difference of the radii"),
    CONTACT_LAW(contact, law, .present = 1 + offsetof(contact, law_given),
                .doc = "law of this contact; default: the common contact law"),
    {0}};

static const cap_variant contact_kinds[] = {
    {"touch", "two bodies, or a body and a line or slot", touch_fields},
    {"pin", "a pin of one body in a hole of another, with clearance", pin_fields},
    {0}};

/* ---- joints, springs, loads ---------------------------------------------------------------------------- */

#define JOINT(default_)                                                                                      \
  TEXT(joint, "name", name, .means = CAP_MEANS_NAME, .fallback = default_, .example = default_,              \
       .doc = "name used in channels"),                                                                      \
      FROM_TO(joint), POINTS(joint)
#define DIRECTION                                                                                            \
  REAL(joint, "angle", angle, "rad", .fallback = "0 rad", .example = "0 deg",                                \
       .doc = "direction of the line through the point on the second body, in its frame")

static const cap_field hinge_fields[] = {JOINT("hinge"), {0}};
static const cap_field guide_fields[] = {JOINT("guide"), DIRECTION, {0}};
static const cap_field slide_fields[] = {JOINT("slide"), DIRECTION, {0}};
static const cap_field rod_fields[] = {JOINT("rod"), {0}};
static const cap_field rope_fields[] = {
    JOINT("rope"),
    REAL(joint, "length", length, "m", POSITIVE, .present = 1 + offsetof(joint, length_given),
         .example = "1 m", .doc = "length of the rope; default: taut at the start"),
    REAL(joint, "restitution", restitution, "", .fallback = "0", .low = 0, .high = 1, .example = "0",
         .doc = "coefficient of restitution of the impact when the rope becomes taut"),
    {0}};

static const cap_variant joint_kinds[] = {
    {"hinge", "two points that coincide", hinge_fields},
    {"guide", "a body that slides along a line without relative rotation", guide_fields},
    {"slide", "a point that slides along a line", slide_fields},
    {"rod", "two points at a constant distance, that at the start", rod_fields},
    {"rope", "two points whose distance does not exceed its length; for set-valued systems", rope_fields},
    {0}};

static const cap_field spring_fields[] = {
    TEXT(spring, "name", name, .means = CAP_MEANS_NAME, .fallback = "spring", .example = "spring",
         .doc = "name used in channels"),
    FROM_TO(spring),
    POINTS(spring),
    REAL(spring, "stiffness", stiffness, "N/m", .fallback = "0 N/m", NOT_NEGATIVE, .example = "1e3 N/m",
         .doc = "stiffness of the spring"),
    REAL(spring, "damping", damping, "N s/m", .fallback = "0 N s/m", NOT_NEGATIVE, .example = "1 N s/m",
         .doc = "damping parallel to the spring"),
    REAL(spring, "free_length", length, "m", .low = 0, .high = INFINITY,
         .present = 1 + offsetof(spring, length_given), .example = "0.2 m", .was = "length",
         .doc = "free length; default: relaxed at the start"),
    {0}};

#define LOAD(unit_, example_)                                                                                \
  TEXT(load, "name", name, .means = CAP_MEANS_NAME, .fallback = "load", .example = "push",                   \
       .doc = "name used in channels"),                                                                      \
      TEXT(load, "on", on, .required = true, .example = "block",                                             \
           .doc = "body to which the load is applied, at its centre of mass"),                               \
      REAL(load, "mean", mean, unit_, .fallback = "0 " unit_, .example = example_,                           \
           .input = 1 + offsetof(load, mean_input), .doc = "mean value"),                                    \
      REAL(load, "amplitude", amplitude, unit_, .fallback = "0 " unit_, .example = "0 " unit_,               \
           .doc = "amplitude of the harmonic part"),                                                         \
      REAL(load, "angular_frequency", angular_frequency, "rad/s", .fallback = "0 rad/s", NOT_NEGATIVE,       \
           .example = "10 rad/s", .was = "pulsation", .hertz = "frequency",                                  \
           .doc = "angular frequency of the harmonic part"),                                                 \
      REAL(load, "phase", phase, "rad", .fallback = "0 rad", .example = "0 rad",                             \
           .doc = "phase of the sine at t = 0")

static const cap_field force_fields[] = {LOAD("N", "5 N"),
                                         REAL(load, "direction", direction, "rad", .fallback = "0 rad",
                                              .example = "0 deg",
                                              .doc = "direction, from +x; fixed in space"),
                                         {0}};
static const cap_field torque_fields[] = {LOAD("N m", "1 N m"), {0}};

static const cap_variant load_kinds[] = {{"force", "a force through the centre of mass", force_fields},
                                         {"torque", "a torque, counterclockwise", torque_fields},
                                         {0}};

/* ---- the drive ----------------------------------------------------------------------------------------- */

static const char *const pairs[] = {"all", "listed", NULL};
static const char *const joint_laws[] = {"auto", "ideal", "set-valued", NULL};

static const cap_field fields[] = {
    REAL(spec, "gravity", gravity, "m/s2", .fallback = "9.81 m/s2", NOT_NEGATIVE, .example = "9.81 m/s2",
         .doc = "acceleration of gravity, downwards (-y)"),
    {.key = "bodies",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, bodies),
     .variants = kinds,
     .item_size = sizeof(body),
     .required = true,
     .least = 1,
     .most = CAP_BODIES_MOST,
     .example = "[{disc: {name: ball, mass: 1 kg, radius: 0.05 m, y: 1 m}}]",
     .doc = "bodies, free or with prescribed motion"},
    {.key = "lines",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, lines),
     .variants = line_kinds,
     .item_size = sizeof(line),
     .most = CAP_BODIES_LINES,
     .example = "[{line: {name: floor}}]",
     .doc = "straight surfaces: floors, inclines, walls, guides"},
    CONTACT_LAW(spec, contact,
                .doc = "common contact law, for all contacts without a law of their own; default: rigid, "
                       "without restitution and friction"),
    {.key = "pairs",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, pairs),
     .choices = pairs,
     .fallback = "all",
     .example = "listed",
     .doc = "pairs checked for contact: all (every pair of bodies, and of a body and a line, unless joined "
            "or both prescribed) or listed (only those in `contacts`)"},
    {.key = "contacts",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, contacts),
     .variants = contact_kinds,
     .item_size = sizeof(contact),
     .most = CAP_BODIES_CONTACTS,
     .example = "[{touch: {from: block, to: floor, contact: {law: set-valued, friction: 0.3}}}]",
     .doc = "contacts with their own law or name, and pins with clearance"},
    {.key = "joints",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, joints),
     .variants = joint_kinds,
     .item_size = sizeof(joint),
     .most = CAP_BODIES_JOINTS,
     .example = "[{hinge: {from: rod, to: crank, from_x: -0.1 m, to_x: 0.05 m}}]",
     .doc = "ideal joints, without clearance or friction"},
    {.key = "joint_law",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, joint_law),
     .choices = joint_laws,
     .fallback = "auto",
     .example = "ideal",
     .doc = "enforcement of joints: multipliers of a smooth motion (ideal) or impulses per step "
            "(set-valued); auto: set-valued if any contact is set-valued or compliant, or with a rope"},
    {.key = "springs",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, springs),
     .fields = spring_fields,
     .item_size = sizeof(spring),
     .most = CAP_BODIES_SPRINGS,
     .example = "[{from: block, stiffness: 1e3 N/m}]",
     .doc = "springs and dampers between points"},
    {.key = "loads",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, loads),
     .variants = load_kinds,
     .item_size = sizeof(load),
     .most = CAP_BODIES_LOADS,
     .example = "[{force: {on: block, mean: 5 N}}]",
     .doc = "forces and torques vs time"},
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0 s", .doc = "start time"),
    {0}};

const char *cap_bodies_kind_name(int kind)
{
  return kinds[kind].name;
}

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {
    "*.turn",  "*.angular_velocity", "*.#.contact.*", "*[#].contact.*", "*.#.force.*", "*[#].force.*",
    "*.#.gap", "*[#].gap",           "*.#.slip",      "*[#].slip",      NULL};

const cap_drive cap_bodies_drive = {
    .name = "bodies",
    .doc = "planar bodies with unilateral contact, stick and slip: discs, blocks and points on lines, with "
           "joints, clearances, springs and prescribed cranks",
    .starter = "bouncing_ball",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = cap_bodies_check,
    .build = cap_bodies_build,
    .summarise = cap_bodies_summary,
    .draw = cap_bodies_summary_draw,
};
