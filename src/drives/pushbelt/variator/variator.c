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
         .doc = "standard deviation of the thickness of a real element"),
    INT("seed", elements.thicknesses.seed, 0, 1000000000, .fallback = "1", .example = "1",
        .doc = "seed of the random numbers: the same seed gives the same belt"),
    {0}};
static const cap_field alternating_fields[] = {
    REAL("difference", elements.thicknesses.difference, "m", .fallback = "2 um", .example = "2 um",
         .doc = "difference of thickness between neighbouring simulated elements; the mean is kept"),
    {0}};
static const cap_field list_fields[] = {{.key = "values",
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
                                         .doc = "thickness of a real element for each simulated element, in "
                                                "the running direction; a shorter list is repeated"},
                                        {0}};
static const cap_variant orders[] = {
    {"uniform", "all elements of the same thickness", NULL},
    {"random", "normally distributed thicknesses", random_fields},
    {"alternating", "alternately thick and thin elements", alternating_fields},
    {"list", "thicknesses by a list", list_fields},
    {0}};
#undef BASE
static const char *const edges[] = {"kept", "scaled", "stacked", NULL};
#define BASE offsetof(spec, elements)
static const cap_field elements_fields[] = {
    INT("simulated", elements.simulated, 8, CAP_VARIATOR_ELEMENTS,
        .present = 1 + offsetof(spec, elements.simulated_given) - BASE, .example = "218",
        .doc = "number of simulated elements N_E; default: all real ones"),
    INT("real", elements.real, 8, 100000, .fallback = "437", .example = "437",
        .doc = "number of real elements of the belt N_E0"),
    REAL(
        "correction", elements.correction, "m", .fallback = "2 um", .example = "0 m",
        .doc =
            "correction nu_corr (eq. 3.1): reduction of the stack length for each element that is not "
            "simulated, because thicker elements take more room in the arcs; applies with joint_model: kept"),
    CHOICE("joint_model", elements.edge, edges, .fallback = "stacked", .example = "kept", .was = "edge",
           .doc = "joints between simulated elements: stacked, as many real joints in series as a simulated "
                  "element stands for; kept, one joint with the rocking edge of a real element (eq. 2.30); "
                  "scaled, one joint with a rocking edge that takes as much room in the arcs"),
    VARIANT("thicknesses", elements.thicknesses, orders, "order", "uniform",
            .doc = "distribution of element thickness along the belt"),
    {0}};
#undef BASE

/* ---- contacts ------------------------------------------------------------------------------------------ */

CAPM_FRICTION_KEYS_LAWS(flank_laws, "0.09");
CAPM_FRICTION_KEYS_LAWS(ring_laws, "0.1");

static const char *const normals[] = {"compliant", "set-valued", NULL};
static const char *const stickings[] = {"bristle", "set-valued", NULL};
#define STICKING                                                                                             \
  "below the limit: bristle (compliant, deflects like a spring) or set-valued (no sliding at all, solved "   \
  "in each time step)"
static const char *const stiff_parts[] = {"flank", "element", NULL};
static const char *const couplings[] = {"coupled", "separate", NULL};

#define BASE offsetof(spec, flank)
static const cap_field flank_fields[] = {
    REAL("height", flank.height, "m", .fallback = "4.48 mm", .example = "4.48 mm",
         .doc = "height h_F of the flank's contact point above the bottom of the element"),
    REAL("length", flank.length, "m", .present = 1 + offsetof(spec, flank.length_given) - BASE,
         .example = "1.5 mm",
         .doc = "extent of the flank's contact patch along the belt; default: thickness of the element"),
    REAL("breadth", flank.breadth, "m", .fallback = "4.5 mm", .example = "4.5 mm",
         .doc = "extent of the flank's contact patch along the generatrix of the sheave, which with length "
                "determines its resisting torque against pitch in the groove; length and breadth 0: none"),
    REAL("sphere", flank.sphere, "m", .fallback = "0 m", .example = "1 m",
         .doc = "radius of a spherical flank; 0: point contact"),
    {.key = "stiffness",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, flank.stiffness) - BASE,
     .unit = "N/m",
     .low = 1e6,
     .high = 1e10,
     .fallback = "6e7 N/m",
     .example = "6e7 N/m",
     .doc = "stiffness of a real element's flank along its normal: body, sheave and roughness in series"},
    CHOICE("stiffness_of", flank.of, stiff_parts, .fallback = "flank", .example = "element",
           .doc = "what stiffness belongs to: flank, one of the two (C_ax of eq. 2.34); element, both in "
                  "series (C_ax of eq. 2.35), so that a flank is twice as stiff"),
    REAL("damping", flank.damping, "s", .fallback = "0.5 us", .example = "0.5 us",
         .doc = "damping of the flank over its stiffness"),
    REAL("tangential_stiffness_ratio", flank.shear, "", POSITIVE, .fallback = "1", .example = "2",
         .was = "shear",
         .doc = "tangential stiffness ratio: stiffness of the bristles over that in normal direction"),
    INT("points", flank.points, 1, 2, .fallback = "1", .example = "1",
        .doc = "number of contact points of a flank: one, or one at the front and one at the rear"),
    {.key = "whole",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, flank.whole) - BASE,
     .fallback = "false",
     .example = "true",
     .doc = "with two points: true, the flank deforms as a whole and its deeper point carries the load; "
            "false, each half deforms by itself"},
    CHOICE("coupling", flank.coupling, couplings, .fallback = "coupled", .example = "separate",
           .doc = "contact of the two flanks of an element: coupled, both carry the same force (eq. 2.35); "
                  "separate, one contact problem for each sheave (eq. 2.34)"),
    CHOICE("stick_model", flank.sticking, stickings, .fallback = "bristle", .example = "set-valued",
           .was = "sticking", .doc = "friction of the flanks " STICKING),
    VARIANT("friction", flank.friction, flank_laws, "law", "coulomb",
            .doc = "friction law between flank and sheave"),
    {0}};
#undef BASE
#define BASE offsetof(spec, press)
static const cap_field press_fields[] = {
    CAP_PUSHBELT_PRESS_FIELDS(offsetof(spec, press.contact) - BASE, "0.1 us", ""),
    REAL("friction", press.contact.friction, "", .fallback = "0.1", .example = "0.1",
         .doc = "coefficient of friction between elements"),
    REAL("tangential_stiffness_ratio", press.shear, "", POSITIVE, .fallback = "0.385", .example = "0.77",
         .was = "shear",
         .doc = "tangential stiffness ratio: stiffness of the bristles over that in normal direction"),
    {0}};
#undef BASE
#define BASE offsetof(spec, pin)
static const cap_field pin_fields[] = {
    REAL("clearance", pin.clearance, "m", POSITIVE, .fallback = "0.05 mm", .example = "0.03 mm",
         .doc =
             "radial clearance c_p of the pin in its hole, in each direction; neighbouring elements lean by "
             "atan(c_p/thickness) at most"),
    REAL("height", pin.height, "m", .fallback = "10 mm", .example = "10 mm",
         .doc = "height of the pin's axis above the bottom of the element"),
    REAL("length", pin.length, "m", POSITIVE, .fallback = "1 mm", .example = "1 mm",
         .doc = "length of the pin along the belt: joints that are open further are counted (belt.pins_out)"),
    {.key = "stiffness",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, pin.stiffness) - BASE,
     .unit = "N/m",
     .low = 0,
     .low_open = true,
     .high = 1e10,
     .fallback = "2e7 N/m",
     .example = "2e7 N/m",
     .doc =
         "stiffness of a real pin at the wall of its hole, bending and contact in series; its damping over "
         "it is that of press"},
    {0}};
static const cap_variant pins[] = {
    {"none", "no pins: neighbours hold each other across their faces by friction alone", NULL},
    {"round", "a pin on the front of each element, with clearance in a hole in the back of the one ahead",
     pin_fields},
    {0}};
#undef BASE
#define BASE offsetof(spec, guide)
static const cap_field guide_fields[] = {
    REAL("saddle_stiffness", guide.saddle, "N/m", POSITIVE, .fallback = "1e7 N/m", .example = "1e7 N/m",
         .was = "saddle", .doc = "contact stiffness between saddle and ring, of a real element"),
    REAL("ear_stiffness", guide.ear, "N/m", POSITIVE, .present = 1 + offsetof(spec, guide.ear_given) - BASE,
         .example = "1e7 N/m", .was = "ear",
         .doc = "contact stiffness between ear and ring; default: that of the saddle"),
    REAL("damping", guide.damping, "s", .fallback = "1 us", .example = "1 us",
         .doc = "damping of saddle and ear over their stiffness"),
    CHOICE("normal_contact", guide.normal, normals, .fallback = "compliant", .example = "set-valued",
           .was = "normal",
           .doc = "normal contact of saddle and ear: compliant (springs) or set-valued (rigid; requires "
                  "stick_model: set-valued)"),
    CHOICE("stick_model", guide.sticking, stickings, .fallback = "bristle", .example = "set-valued",
           .was = "sticking", .doc = "friction between elements and ring " STICKING),
    REAL("tangential_stiffness_ratio", guide.shear, "", POSITIVE, .fallback = "1", .example = "2",
         .was = "shear",
         .doc = "tangential stiffness ratio: stiffness of the bristles over that in normal direction"),
    VARIANT("friction", guide.friction, ring_laws, "law", "coulomb",
            .doc = "friction law between elements and ring"),
    {0}};
#undef BASE

/* ---- ring ---------------------------------------------------------------------------------------------- */

static const char *const meshes[] = {"graded", "uniform", NULL};

#define BASE offsetof(spec, ring)
static const cap_field ring_fields[] = {
    CHOICE("model", ring.model, cap_ring_names, .fallback = "ale", .example = "ale",
           .doc = CAP_RING_MODELS_DOC("")),
    INT("nodes", ring.nodes, 8, 4096, .present = 1 + offsetof(spec, ring.nodes_given) - BASE,
        .example = "160",
        .doc = "number of nodes of the ring; ale0 has none; default: 160, graded, or 72, uniform"),
    CHOICE("mesh", ring.mesh, meshes, .fallback = "graded", .example = "uniform",
           .doc = "spacing of the nodes: graded, closer at the ends of the arcs (ale); uniform"),
    REAL(
        "finest_spacing", ring.finest, "m", POSITIVE, .present = 1 + offsetof(spec, ring.finest_given) - BASE,
        .example = "1 mm", .was = "finest",
        .doc =
            "distance of the nodes at the ends of the arcs, of a graded mesh; default: a third of the length "
            "over which the ring sinks into the arc, (4 EI/k)^(1/4), as far as the nodes suffice"),
    CAP_PUSHBELT_PACK_FIELDS(offsetof(spec, ring.pack) - BASE),
    REAL("damping", ring.damping, "s", .fallback = "0.1 us", .example = "1e-7 s",
         .doc = "material damping: stress = modulus (strain + damping strain rate)"),
    REAL("free_length", ring.free_length, "m", POSITIVE,
         .present = 1 + offsetof(spec, ring.free_length_given) - BASE, .fallback = "667.2 mm",
         .example = "667.2 mm", .doc = "length L0 of the unloaded centre line"),
    {.key = "endplay",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, ring.endplay) - BASE,
     .unit = "m",
     .low = -0.01,
     .high = 0.05,
     .present = 1 + offsetof(spec, ring.endplay_given) - BASE,
     .example = "0.2 mm",
     .doc = "instead of free_length: endplay of the real elements on the unstretched ring; negative: "
            "prestressed belt"},
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
     .doc = "coefficients a_i of the contour r(x) = sum a_i x^i (eq. 2.31), in m: x is the axial coordinate "
            "towards the groove, r the radius on the sheave"},
    {.key = "low",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, contour.low) - BASE,
     .unit = "m",
     .required = true,
     .example = "0 mm",
     .doc = "axial coordinate at which the polynomial begins; straight beyond"},
    {.key = "high",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, contour.high) - BASE,
     .unit = "m",
     .required = true,
     .example = "12 mm",
     .doc = "axial coordinate at which the polynomial ends"},
    {0}};
static const cap_variant contours[] = {
    {"flat", "cones with the half wedge angle", NULL}, {"curved", "polynomial contour", curved_fields}, {0}};
#undef BASE

#define SIDE(key_, member, unit_, ...) REAL_IN(side, 0, key_, member, unit_, __VA_ARGS__)
#define PATH(key_, member, flag, unit_, sample, ...)                                                         \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SERIES, .offset = offsetof(side, member),                                 \
    .present = 1 + offsetof(side, flag), .unit = unit_, .unit_x = "s", .least = 1, .most = 100000,           \
    .increasing = true, .example = sample, .doc = __VA_ARGS__                                                \
  }
#define GIVEN(key_, member, unit_, ...)                                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(side, member.value), .unit = unit_,              \
    .present = 1 + offsetof(side, member.value_given), .input = 1 + offsetof(side, member.input),            \
    __VA_ARGS__                                                                                              \
  }
#define SPEED                                                                                                \
  GIVEN("speed", speed, "rad/s", .low = 0, .high = INFINITY, .example = "2000 rpm",                          \
        .doc = "prescribed speed of the pulley; required for one of the two pulleys"),                       \
      PATH("speed_path", speed.path, speed.path_given, "rad/s", "[[0 s, 1000 rpm], [0.1 s, 2000 rpm]]",      \
           "instead of speed: prescribed speed vs time, linear between the points")
#define TORQUE                                                                                               \
  GIVEN("torque", torque, "N m", .example = "-48 N m",                                                       \
        .doc = "torque on a pulley without prescribed speed; negative: braking; default: 0"),                \
      PATH("torque_path", torque.path, torque.path_given, "N m", "[[0 s, 0 N m], [0.1 s, -50 N m]]",         \
           "instead of torque: torque vs time, linear between the points")
#define CLAMPING                                                                                             \
  GIVEN("clamping", clamping, "N", .low = 0, .high = INFINITY, .example = "6446 N",                          \
        .doc = "clamping force on the movable sheave"),                                                      \
      PATH("clamping_path", clamping.path, clamping.path_given, "N", "[[0 s, 6 kN], [0.1 s, 8 kN]]",         \
           "instead of clamping: clamping force vs time, linear between the points")
#define BODY                                                                                                 \
  SIDE("inertia", inertia, "kg m2", .low_open = true, .fallback = "0.014 kg m2", .example = "0.014 kg m2",   \
       .doc = "moment of inertia of both sheaves and the parts that turn with them"),                        \
      SIDE("movable_mass", loose_mass, "kg", .low_open = true, .fallback = "2.5 kg", .example = "2.5 kg",    \
           .was = "loose_mass", .doc = "mass of the movable sheave"),                                        \
      SIDE("movable_damping", loose_damping, "N s/m", .fallback = "20000 N s/m", .example = "20000 N s/m",   \
           .was = "loose_damping", .doc = "damping of the axial travel of the movable sheave")

static const cap_field control_fields[] = {
    GIVEN("speed_ratio", control, "", .low = 0, .low_open = true, .high = INFINITY, .example = "1.2",
          .doc = "set point of the speed ratio i_s = omega_P/omega_S"),
    PATH("speed_ratio_path", control.path, control.path_given, "", "[[0 s, 1], [0.2 s, 1.2]]",
         "instead of speed_ratio: set point vs time, linear between the points"),
    SIDE("gain", gain, "N", .fallback = "200 kN", .example = "200 kN",
         .doc = "proportional gain: clamping force per excess of the speed ratio"),
    SIDE("integral", integral, "N/s", .fallback = "10 MN/s", .example = "10 MN/s",
         .doc = "integral gain: rate of the clamping force per excess of the speed ratio"),
    SIDE("max_force", most, "N", .low_open = true, .fallback = "80 kN", .example = "80 kN", .was = "most",
         .doc = "upper limit of the clamping force"),
    {0}};

static const cap_field primary_fields[] = {
    SPEED,
    TORQUE,
    CLAMPING,
    GIVEN("thrust_ratio", share, "", .low = 0, .high = INFINITY, .example = "1.3",
          .doc = "clamping force as a multiple of that of the secondary; a value other than the equilibrium "
                 "thrust ratio shifts the ratio"),
    PATH("thrust_ratio_path", share.path, share.path_given, "", "[[0 s, 1.3], [0.05 s, 1.3], [0.06 s, 1.5]]",
         "instead of thrust_ratio: multiple vs time, linear between the points"),
    {.key = "control",
     .kind = CAP_FIELD_SECTION,
     .offset = 0,
     .fields = control_fields,
     .doc = "controller of the speed ratio, which sets the clamping force; without clamping, thrust ratio, "
            "controller or prescribed axial travel the sheaves keep their distance"},
    PATH("axial_travel_path", closing, closing_given, "m", "[[0 s, 0 mm], [0.1 s, 0.2 mm]]",
         "prescribed axial travel of the movable sheave since the start, positive towards the fixed sheave, "
         "vs time; cubic spline through the points",
         .was = "closing_path", .input = 1 + offsetof(side, closing_input)),
    BODY,
    {0}};
static const cap_field secondary_fields[] = {
    SPEED,
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
     .doc = "instead of clamping: clamping safety S (eq. 2.49) at the largest torque and the running radii "
            "of the start, the smaller value of both pulleys"},
    BODY,
    {0}};

#define BASE offsetof(spec, disturbance)
static const cap_field disturbance_fields[] = {
    {.key = "size",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, disturbance.size) - BASE,
     .unit = "m",
     .low = 0,
     .high = 1e-4,
     .fallback = "0 m",
     .example = "1 um",
     .doc = "largest displacement of an element from its place at the start, each way in x and y"},
    {.key = "phase",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, disturbance.phase) - BASE,
     .unit = "",
     .low = 0,
     .high = 1,
     .present = 1 + offsetof(spec, disturbance.phase_given) - BASE,
     .example = "0.5",
     .doc = "place of element 0 beyond the start of the lower strand, in spaces between elements; default: "
            "drawn "
            "by the seed; without a seed 0"},
    INT("seed", disturbance.seed, 0, 1000000000, .fallback = "0", .example = "1",
        .doc = "seed of what is drawn at random: the same seed gives the same start"),
    {0}};
#undef BASE

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
     .doc = "geometric ratio i_g = r_S/r_P of the ring's centre line at the start"},
    SECTION("primary", primary, primary_fields, "primary pulley: loads and inertia"),
    SECTION("secondary", secondary, secondary_fields, "secondary pulley: loads and inertia"),
    SECTION("elements", elements, elements_fields, "number, joints and thicknesses of the elements"),
    SECTION("element", element, cap_pushbelt_element_fields,
            "shape and mass of a real element; heights are measured from its bottom"),
    SECTION("flank", flank, flank_fields, "contact of the element flanks with the sheaves"),
    SECTION("press", press, press_fields, "contact between elements"),
    VARIANT("pin", pin, pins, "kind", "round",
            .doc = "pins and holes, which limit the offset of neighbouring elements along their faces"),
    SECTION("guide", guide, guide_fields, "contact of saddle and ear with the ring"),
    SECTION("ring", ring, ring_fields, "rings, modelled as one"),
    VARIANT("compliance", compliance, cap_compliance_variants, "kind", "tilt",
            .doc = "compliance of the sheaves under the flank forces"),
    VARIANT("contour", contour, contours, "kind", "flat", .doc = "contour of the sheaves"),
    REAL("centre_distance", centre_distance, "m", POSITIVE, .fallback = "155 mm", .example = "155 mm",
         .doc = "distance of the pulley axes"),
    {.key = "half_wedge_angle",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, wedge),
     .unit = "rad",
     .low = 0,
     .low_open = true,
     .high = 1.0,
     .fallback = "11 deg",
     .example = "11 deg",
     .was = "wedge",
     .doc = "half wedge angle: half of the angle between the sheaves"},
    REAL("inner_radius", inner, "m", POSITIVE, .fallback = "20 mm", .example = "20 mm", .was = "inner",
         .doc = "inner radius of the sheaves"),
    REAL("outer_radius", outer, "m", POSITIVE, .fallback = "78 mm", .example = "78 mm", .was = "outer",
         .doc = "outer radius of the sheaves"),
    CHOICE("start", start, starts, .fallback = "new", .example = "prior",
           .doc = "initial state: new, with stretched rings and loaded flanks; prestress, with stretched "
                  "rings and unloaded flanks; prior, with neither, as in older models"),
    SECTION("disturbance", disturbance, disturbance_fields,
            "another start of the same belt, drawn at random, to compare means"),
    {0}};

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"primary.closing",
                                            "primary.axial_travel",
                                            "primary.touching",
                                            "primary.in_contact",
                                            "secondary.closing",
                                            "secondary.axial_travel",
                                            "secondary.touching",
                                            "secondary.in_contact",
                                            "element.#.*",
                                            "element[#].*",
                                            "ring.#.*",
                                            "ring[#].*",
                                            "power.*.primary.closing.motion",
                                            "power.*.primary.axial_travel.motion",
                                            "pulley.wedge",
                                            "pulley.half_wedge_angle",
                                            "pulley.inner",
                                            "pulley.inner_radius",
                                            "pulley.outer",
                                            "pulley.outer_radius",
                                            NULL};

const cap_drive cap_variator_drive = {
    .name = "variator",
    .doc = "pushbelt variator in the plane: each element of the belt is a body in contact with its "
           "neighbours, the ring and two pulleys with a fixed and a movable sheave",
    .starter = "variator",
    .fields = cap_variator_fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = cap_variator_check,
    .describe = cap_variator_check_describe,
    .build = cap_variator_build,
    .summarise = cap_variator_summary,
    .draw = cap_variator_summary_draw,
};
