/* drives/pushbelt/variator/variator.c — the pushbelt variator: its keys.
 *
 * Maths: docs/theory.md §43. Checks are in variator_check.c, what the keys mean together in
 * variator_describe.c, the system in variator_build.c. Defaults are a public set of parameters: a belt of 437
 * elements on axes 155 mm apart.
 */
#include "drives/pushbelt/variator/variator.h"
#include "drives/registry.h"

#include <math.h>
#include <stddef.h>

typedef cap_variator_spec spec;
typedef cap_variator_side side;

#define REAL_IN(type_, base_, key_, member, unit_, ...)                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type_, member) - (base_), .unit = unit_,         \
    .low = 0, .high = INFINITY, __VA_ARGS__                                                                  \
  }
#define REAL(key_, member, unit_, ...) REAL_IN(spec, BASE, key_, member, unit_, __VA_ARGS__)
#define INT(key_, member, low_, high_, ...)                                                                  \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_INT, .offset = offsetof(spec, member) - BASE, .low = low_, .high = high_, \
    __VA_ARGS__                                                                                              \
  }
#define CHOICE(key_, member, choices_, ...)                                                                  \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_CHOICE, .offset = offsetof(spec, member) - BASE, .choices = choices_,     \
    __VA_ARGS__                                                                                              \
  }
#define SECTION(key_, member, fields_, doc_)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(spec, member) - BASE, .fields = fields_,      \
    .doc = doc_                                                                                              \
  }
#define VARIANT(key_, member, variants_, tag_, default_, ...)                                                \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_VARIANT, .offset = offsetof(spec, member) - BASE, .variants = variants_,  \
    .tag_key = tag_, .tag_default = default_, .fallback = "{" tag_ ": " default_ "}", __VA_ARGS__            \
  }
#define POSITIVE .low_open = true

/* ---- belt ---------------------------------------------------------------------------------------------- */

#define BASE offsetof(spec, elements.thicknesses)
static const cap_field random_fields[] = {
    REAL("spread", elements.thicknesses.spread, "m", .fallback = "2 um", .example = "2 um",
         .doc = "standard deviation of a real element's thickness, normally distributed"),
    INT("seed", elements.thicknesses.seed, 0, 1000000000, .fallback = "1", .example = "1",
        .doc = "of the random numbers: the same seed gives the same belt"),
    {0}};
static const cap_field alternating_fields[] = {
    REAL("difference", elements.thicknesses.difference, "m", .fallback = "2 um", .example = "2 um",
         .doc = "between neighbouring simulated elements; the mean stays"),
    {0}};
static const cap_field list_fields[] = {
    {.key = "values",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, elements.thicknesses.list) - BASE,
     .unit = "m",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .least = 1,
     .most = CAP_VARIATOR_ELEMENTS,
     .required = true,
     .example = "[1.5 mm, 1.502 mm, 1.498 mm]",
     .doc = "thickness of a real element at the place of each simulated one, in the order of travel; "
            "a shorter list is repeated"},
    {0}};
static const cap_variant orders[] = {{"uniform", "all alike", NULL},
                                     {"random", "normally distributed", random_fields},
                                     {"alternating", "thick, thin, thick, thin", alternating_fields},
                                     {"list", "as told", list_fields},
                                     {0}};
#undef BASE
static const char *const edges[] = {"kept", "scaled", "stacked", NULL};
#define BASE offsetof(spec, elements)
static const cap_field elements_fields[] = {
    INT("simulated", elements.simulated, 8, CAP_VARIATOR_ELEMENTS, .fallback = "218", .example = "437",
        .doc = "N_E, number of simulated elements"),
    INT("real", elements.real, 8, 100000, .fallback = "437", .example = "437",
        .doc = "N_E0, number of elements of the belt"),
    REAL("correction", elements.correction, "m", .fallback = "2 um", .example = "0 m",
         .doc = "nu_corr of (3.1): by how much each left-out element makes the stack shorter, as thick "
                "elements take more room in the arcs; where the edge is kept"),
    CHOICE(
        "edge", elements.edge, edges, .fallback = "stacked", .example = "kept",
        .doc = "joints of simulated elements: stacked, as many real joints one behind the other as there "
               "are real elements to one; or those of thick elements whose rocking edge is kept as that of "
               "a real one (2.30), or scaled so that it takes as much room in the arcs"),
    VARIANT("thicknesses", elements.thicknesses, orders, "order", "uniform",
            .doc = "of elements that are not all alike"),
    {0}};
#undef BASE

/* ---- contacts ------------------------------------------------------------------------------------------ */

CAPM_FRICTION_KEYS_LAWS(flank_laws, "0.09");
CAPM_FRICTION_KEYS_LAWS(ring_laws, "0.1");

static const char *const normals[] = {"compliant", "set-valued", NULL};
static const char *const stickings[] = {"bristle", "set-valued", NULL};
#define STICKING                                                                                             \
  "below its limit: a bristle gives way like a spring, or nothing slides at all (set-valued, found anew "    \
  "each step)"
static const char *const couplings[] = {"coupled", "separate", NULL};

#define BASE offsetof(spec, flank)
static const cap_field flank_fields[] = {
    REAL("height", flank.height, "m", .fallback = "4.48 mm", .example = "4.48 mm",
         .doc = "h_F of its point of contact over the bottom of the element"),
    REAL("length", flank.length, "m", .fallback = "1.5 mm", .example = "1.5 mm",
         .doc = "along the belt, for the torque by which it resists pitching in the groove; 0: none"),
    REAL("sphere", flank.sphere, "m", .fallback = "0 m", .example = "1 m",
         .doc = "radius of a spherical flank; 0: a point"),
    REAL("stiffness", flank.stiffness, "N/m", POSITIVE, .fallback = "2e7 N/m", .example = "2e7 N/m",
         .doc = "axial stiffness c_ax of one flank of a real element"),
    REAL("damping", flank.damping, "s", .fallback = "0.5 us", .example = "0.5 us",
         .doc = "damper over stiffness"),
    REAL("shear", flank.shear, "", POSITIVE, .fallback = "1", .example = "2",
         .doc = "stiffness along the face, by which friction sticks, over that along the normal"),
    INT("points", flank.points, 1, 2, .fallback = "1", .example = "1",
        .doc = "of contact of a flank: one, or one in front and one behind"),
    {.key = "whole",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, flank.whole) - BASE,
     .fallback = "false",
     .example = "true",
     .doc = "of two points: the flank deforms as a whole, the deeper point carries all; else each half by "
            "itself"},
    CHOICE(
        "coupling", flank.coupling, couplings, .fallback = "coupled", .example = "separate",
        .doc = "coupled: both flanks of an element carry the same force (2.35); separate: each sheave has a "
               "contact problem of its own (2.34)"),
    CHOICE("sticking", flank.sticking, stickings, .fallback = "bristle", .example = "set-valued",
           .doc = "friction of the flanks " STICKING),
    VARIANT("friction", flank.friction, flank_laws, "law", "coulomb", .doc = "between flank and sheave"),
    {0}};
#undef BASE
#define BASE offsetof(spec, press)
static const cap_field press_fields[] = {
    CAP_PUSHBELT_PRESS_FIELDS(offsetof(spec, press.contact) - BASE, "0.1 us", ""),
    REAL("friction", press.contact.friction, "", .fallback = "0.1", .example = "0.1",
         .doc = "between elements"),
    REAL("shear", press.shear, "", POSITIVE, .fallback = "0.385", .example = "0.77",
         .doc = "stiffness along the face, by which friction sticks, over that along the normal"),
    {0}};
#undef BASE
#define BASE offsetof(spec, guide)
static const cap_field guide_fields[] = {
    REAL("saddle", guide.saddle, "N/m", POSITIVE, .fallback = "1e7 N/m", .example = "1e7 N/m",
         .doc = "stiffness of saddle to ring, of a real element"),
    REAL("ear", guide.ear, "N/m", POSITIVE, .present = 1 + offsetof(spec, guide.ear_given) - BASE,
         .example = "1e7 N/m", .doc = "stiffness of ear to ring; as of the saddle when not given"),
    REAL("damping", guide.damping, "s", .fallback = "1 us", .example = "1 us",
         .doc = "of saddle and ear, over their stiffness"),
    CHOICE("normal", guide.normal, normals, .fallback = "compliant", .example = "set-valued",
           .doc = "saddle and ear: springs, or rigid (set-valued: they touch or part); needs sticking: "
                  "set-valued"),
    CHOICE("sticking", guide.sticking, stickings, .fallback = "bristle", .example = "set-valued",
           .doc = "friction on the ring " STICKING),
    REAL("shear", guide.shear, "", POSITIVE, .fallback = "1", .example = "2",
         .doc = "stiffness along the face, by which friction sticks, over that along the normal"),
    VARIANT("friction", guide.friction, ring_laws, "law", "coulomb", .doc = "between elements and ring"),
    {0}};
#undef BASE

/* ---- ring ---------------------------------------------------------------------------------------------- */

static const char *const meshes[] = {"graded", "uniform", NULL};

#define BASE offsetof(spec, ring)
static const cap_field ring_fields[] = {
    CHOICE("model", ring.model, cap_ring_names, .fallback = "ale", .example = "ale",
           .doc = CAP_RING_MODELS_DOC("")),
    INT("nodes", ring.nodes, 8, 4096, .fallback = "72", .example = "72", .doc = "of the ring; ale0 has none"),
    CHOICE("mesh", ring.mesh, meshes, .fallback = "graded", .example = "uniform",
           .doc = "graded: nodes stand closer where arcs begin and end (ale), uniform: evenly"),
    REAL("finest", ring.finest, "m", POSITIVE, .fallback = "3 mm", .example = "1.5 mm",
         .doc = "of a graded mesh: distance of the nodes where arcs begin and end"),
    CAP_PUSHBELT_PACK_FIELDS(offsetof(spec, ring.pack) - BASE),
    REAL("damping", ring.damping, "s", .fallback = "0.1 us", .example = "1e-7 s",
         .doc = "of the material: stress = modulus (strain + damping strain rate)"),
    REAL("free_length", ring.free_length, "m", POSITIVE,
         .present = 1 + offsetof(spec, ring.free_length_given) - BASE, .fallback = "668 mm",
         .example = "668 mm", .doc = "L0 of the centre line without load"),
    {.key = "endplay",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, ring.endplay) - BASE,
     .unit = "m",
     .low = -0.01,
     .high = 0.05,
     .present = 1 + offsetof(spec, ring.endplay_given) - BASE,
     .example = "0.2 mm",
     .doc = "in the place of free_length: what is left between the real elements while the ring is not "
            "stretched; < 0: prestressed"},
    {0}};
#undef BASE

/* ---- pulleys ------------------------------------------------------------------------------------------- */

#define BASE offsetof(spec, contour)
static const cap_field curved_fields[] = {
    {.key = "polynomial",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, contour.shape) - BASE,
     .unit = "",
     .low = -INFINITY,
     .high = INFINITY,
     .least = 2,
     .most = CAP_VARIATOR_SHAPE_ORDER + 1,
     .required = true,
     .example = "[0.078, -5.1446, 0.5]",
     .doc = "a_i of r(x) = sum a_i x^i, (2.31), in m: x along the axis towards the groove, r the radius of "
            "the sheave"},
    {.key = "low",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, contour.low) - BASE,
     .unit = "m",
     .required = true,
     .example = "0 mm",
     .doc = "where the polynomial begins; beyond it goes on straight"},
    {.key = "high",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, contour.high) - BASE,
     .unit = "m",
     .required = true,
     .example = "12 mm",
     .doc = "where it ends"},
    {0}};
static const cap_variant contours[] = {
    {"flat", "cones of the wedge angle", NULL}, {"curved", "a polynomial", curved_fields}, {0}};
#undef BASE

#define SIDE(key_, member, unit_, ...) REAL_IN(side, 0, key_, member, unit_, __VA_ARGS__)
#define PATH(key_, member, flag, unit_, sample, doc_)                                                        \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SERIES, .offset = offsetof(side, member),                                 \
    .present = 1 + offsetof(side, flag), .unit = unit_, .unit_x = "s", .least = 1, .most = 100000,           \
    .increasing = true, .example = sample, .doc = doc_                                                       \
  }
#define GIVEN(key_, member, unit_, ...)                                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(side, member.value), .unit = unit_,              \
    .present = 1 + offsetof(side, member.value_given), __VA_ARGS__                                           \
  }
#define SPEED                                                                                                \
  GIVEN("speed", speed, "rad/s", .low = 0, .high = INFINITY, .example = "2000 rpm",                          \
        .doc = "with which the pulley is turned; one of the two pulleys needs it"),                          \
      PATH("speed_path", speed.path, speed.path_given, "rad/s", "[[0 s, 1000 rpm], [0.1 s, 2000 rpm]]",      \
           "instead: speed over time, linear between the points")
#define TORQUE                                                                                               \
  GIVEN("torque", torque, "N m", .example = "-48 N m",                                                       \
        .doc = "on a pulley that is not turned at a given speed; negative brakes; 0 when not given"),        \
      PATH("torque_path", torque.path, torque.path_given, "N m", "[[0 s, 0 N m], [0.1 s, -50 N m]]",         \
           "instead: torque over time, linear between the points")
#define CLAMPING                                                                                             \
  GIVEN("clamping", clamping, "N", .low = 0, .high = INFINITY, .example = "6446 N",                          \
        .doc = "force that closes the loose sheave"),                                                        \
      PATH("clamping_path", clamping.path, clamping.path_given, "N", "[[0 s, 6 kN], [0.1 s, 8 kN]]",         \
           "instead: force over time, linear between the points")
#define BODY                                                                                                 \
  SIDE("inertia", inertia, "kg m2", .low_open = true, .fallback = "0.014 kg m2", .example = "0.014 kg m2",   \
       .doc = "of both sheaves and what turns with them"),                                                   \
      SIDE("loose_mass", loose_mass, "kg", .low_open = true, .fallback = "2.5 kg", .example = "2.5 kg",      \
           .doc = "of the loose sheave"),                                                                    \
      SIDE("loose_damping", loose_damping, "N s/m", .fallback = "20000 N s/m", .example = "20000 N s/m",     \
           .doc = "of its axial motion")

static const cap_field control_fields[] = {
    GIVEN("speed_ratio", control, "", .low = 0, .low_open = true, .high = INFINITY, .example = "1.2",
          .doc = "i_s = omega_P / omega_S that is wanted"),
    PATH("speed_ratio_path", control.path, control.path_given, "", "[[0 s, 1], [0.2 s, 1.2]]",
         "instead: over time, linear between the points"),
    SIDE("gain", gain, "N", .fallback = "200 kN", .example = "200 kN",
         .doc = "clamping force for each unit that the speed ratio is too high"),
    SIDE("integral", integral, "N/s", .fallback = "10 MN/s", .example = "10 MN/s",
         .doc = "rate of the force for each unit"),
    SIDE("most", most, "N", .low_open = true, .fallback = "80 kN", .example = "80 kN",
         .doc = "largest force that it gives"),
    {0}};

static const cap_field primary_fields[] = {
    SPEED,
    TORQUE,
    CLAMPING,
    GIVEN("thrust_ratio", share, "", .low = 0, .high = INFINITY, .example = "1.3",
          .doc = "clamping force as a multiple of the secondary's: shifts where it is not that of "
                 "equilibrium"),
    PATH("thrust_ratio_path", share.path, share.path_given, "", "[[0 s, 1.3], [0.05 s, 1.3], [0.06 s, 1.5]]",
         "instead: over time, linear between the points"),
    {.key = "control",
     .kind = CAP_FIELD_SECTION,
     .offset = 0,
     .fields = control_fields,
     .doc = "clamping force by a controller of the speed ratio; without any of these the sheaves keep their "
            "distance"},
    PATH("closing_path", closing, closing_given, "m", "[[0 s, 0 mm], [0.1 s, 0.2 mm]]",
         "how far the loose sheave is moved towards the fixed one since the start, a smooth curve (cubic "
         "spline) through the points"),
    BODY,
    {0}};
static const cap_field secondary_fields[] = {SPEED,
                                             TORQUE,
                                             CLAMPING,
                                             {.key = "safety",
                                              .kind = CAP_FIELD_REAL,
                                              .offset = offsetof(side, safety),
                                              .unit = "",
                                              .low = 0,
                                              .low_open = true,
                                              .high = 1000,
                                              .present = 1 + offsetof(side, safety_given),
                                              .example = "1.3",
                                              .doc = "in the place of clamping: S of (2.49) for the largest "
                                                     "torque and the radii of the start, the lesser of "
                                                     "both pulleys"},
                                             BODY,
                                             {0}};

/* ---- the whole ----------------------------------------------------------------------------------------- */

#define BASE 0
static const char *const starts[] = {"new", "prestress", "prior", NULL}; /* as cap_variator_begin */

const cap_field cap_variator_fields[] = {
    {.key = "ratio",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, ratio),
     .unit = "",
     .low = 0.1,
     .high = 10,
     .required = true,
     .example = "1.0",
     .doc = "i_g = r_S / r_P of the line of the ring at the start"},
    SECTION("primary", primary, primary_fields, "what is done at the primary pulley"),
    SECTION("secondary", secondary, secondary_fields, "what is done at the secondary pulley"),
    SECTION("elements", elements, elements_fields, "how many there are"),
    SECTION("element", element, cap_pushbelt_element_fields,
            "shape and mass of a real element, heights over its bottom"),
    SECTION("flank", flank, flank_fields, "flanks of the elements on the sheaves"),
    SECTION("press", press, press_fields, "contact between elements"),
    SECTION("guide", guide, guide_fields, "saddle and ear of the elements on the ring"),
    SECTION("ring", ring, ring_fields, "the rings, as one"),
    VARIANT("compliance", compliance, cap_compliance_variants, "kind", "tilt",
            .doc = "how the sheaves give way under the flanks"),
    VARIANT("contour", contour, contours, "kind", "flat", .doc = "of the sheaves"),
    REAL("centre_distance", centre_distance, "m", POSITIVE, .fallback = "155 mm", .example = "155 mm",
         .doc = "between the axes"),
    {.key = "wedge",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, wedge),
     .unit = "rad",
     .low = 0,
     .low_open = true,
     .high = 1.0,
     .fallback = "11 deg",
     .example = "11 deg",
     .doc = "half of the angle between the sheaves"},
    REAL("inner", inner, "m", POSITIVE, .fallback = "20 mm", .example = "20 mm",
         .doc = "radius at which the sheaves begin"),
    REAL("outer", outer, "m", POSITIVE, .fallback = "78 mm", .example = "78 mm",
         .doc = "radius of their rim"),
    CHOICE("start", start, starts, .fallback = "new", .example = "prior",
           .doc = "new: with stretched rings and flanks that press; prestress: the same with open flanks; "
                  "prior: with neither, as older models had it"),
    {0}};

const cap_drive cap_variator_drive = {
    .name = "variator",
    .doc = "pushbelt variator in the plane: every element of the belt a body of its own between two pulleys "
           "with a fixed and a loose sheave, and on a ring",
    .fields = cap_variator_fields,
    .spec_size = sizeof(spec),
    .check = cap_variator_check,
    .describe = cap_variator_check_describe,
    .build = cap_variator_build,
};
