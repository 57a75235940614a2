/* drives/accessory/accessory_drive.c — the keys of the accessory drive: belt, pulleys, tensioner, crank.
 *
 * Maths: docs/theory.md §22 (layout) and §24 (the belt as springs). The model file is turned into the belt
 * drive of drives/accessory/belt/belt.h by accessory_drive_belt.c and into a system by
 * accessory_drive_build.c.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/elements/belt_elements.h"
#include "drives/drive.h"
#include "drives/registry.h"
#include "elements/elements.h"

#include <math.h>
#include <stddef.h>

typedef cap_accessory_spec spec;
typedef cap_accessory_load load;
typedef cap_accessory_pulley pulley;
typedef cap_accessory_order order;

#define FIELD(type, key_, kind_, member, ...)                                                                \
  {                                                                                                          \
    .key = key_, .kind = kind_, .offset = offsetof(type, member), __VA_ARGS__                                \
  }
#define REAL(type, key_, member, unit_, ...)                                                                 \
  FIELD(type, key_, CAP_FIELD_REAL, member, .unit = unit_, __VA_ARGS__)
#define POSITIVE            .low = 0, .low_open = true, .high = INFINITY
#define NOT_NEGATIVE        .low = 0, .high = INFINITY
#define GIVEN(type, member) .present = 1 + offsetof(type, member)
#define BELT(member)        (offsetof(spec, belt.member) - offsetof(spec, belt))
#define BELT_REAL(key_, member, unit_, ...)                                                                  \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = BELT(member), .unit = unit_, __VA_ARGS__                  \
  }

static const char *const kinds[] = {"PK", "flat", "V", NULL},
                         *const length_kinds[] = {"effective", "pitch", NULL},
                         *const models[] = {"springs", "segments", NULL};

#define FRICTION(member) (offsetof(spec, belt.friction.member) - offsetof(spec, belt.friction))

static const cap_field friction_fields[] = {
    {.key = "groove",
     .kind = CAP_FIELD_REAL,
     .offset = FRICTION(groove),
     .present = 1 + FRICTION(groove_given),
     .unit = "",
     NOT_NEGATIVE,
     .fallback = "0.9",
     .example = "0.9",
     .doc = "effective coefficient of friction between the grooved (inner) side and a pulley; with "
            "groove_angle, that of the groove flanks; default for a flat belt: `back`"},
    {.key = "back",
     .kind = CAP_FIELD_REAL,
     .offset = FRICTION(back),
     .unit = "",
     NOT_NEGATIVE,
     .fallback = "0.35",
     .example = "0.35",
     .doc = "coefficient of friction between the back of the belt and a pulley"},
    {0}};

static const cap_field belt_fields[] = {
    {.key = "kind",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(kind),
     .choices = kinds,
     .fallback = "PK",
     .example = "PK",
     .doc = "belt section: PK (V-ribbed; stiffness, mass and offsets default to values per rib), flat, or V "
            "(stiffness, mass, hb, groove_angle and friction.groove depend on the section and are required)"},
    {.key = "ribs",
     .kind = CAP_FIELD_INT,
     .offset = BELT(ribs),
     .present = 1 + BELT(ribs_given),
     .low = 1,
     .high = 100,
     .fallback = "1",
     .example = "6",
     .doc = "number of ribs of a PK belt"},
    BELT_REAL("length", length, "m", POSITIVE, .required = true, .example = "1940 mm",
              .doc = "length of the belt"),
    {.key = "length_type",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(length_is),
     .choices = length_kinds,
     .fallback = "effective",
     .example = "effective",
     .was = "length_is",
     .doc = "type of the length: effective (shorter than the pitch length by 2 pi hb) or pitch"},
    BELT_REAL("measured_at", measured_at, "N", NOT_NEGATIVE, .fallback = "0 N", .example = "350 N",
              .doc = "tension at which the length is measured"),
    BELT_REAL("stiffness", EA, "N", POSITIVE, .present = 1 + BELT(EA_given), .example = "120 kN",
              .doc = "axial stiffness EA; default for PK: 20 kN per rib"),
    BELT_REAL("bending_stiffness", EI, "N m2", NOT_NEGATIVE, .present = 1 + BELT(EI_given),
              .example = "4.8e-3 N m2", .was = "bending",
              .doc = "bending stiffness EI, for the modes of the spans; default for PK: 8e-4 N m2 per rib"),
    BELT_REAL("mass", mass, "kg/m", POSITIVE, .present = 1 + BELT(mass_given), .example = "0.111 kg/m",
              .doc = "mass per length; default for PK: 0.0185 kg/m per rib"),
    BELT_REAL("damping", damping, "s", NOT_NEGATIVE, .present = 1 + BELT(damping_given), .fallback = "0 s",
              .example = "2e-5 s",
              .doc = "ratio of damping to stiffness: the tension is EA (strain + damping * strain rate); "
                     "default with segments: 1/20 of the critical damping of one segment"),
    BELT_REAL("hb", hb, "m", NOT_NEGATIVE, .present = 1 + BELT(hb_given), .example = "1.2 mm",
              .doc = "distance from the effective radius of a grooved pulley to the pitch line; default: 1.2 "
                     "mm for PK, 0 for flat"),
    BELT_REAL(
        "hr", hr, "m", NOT_NEGATIVE, .present = 1 + BELT(hr_given), .example = "1.1 mm",
        .doc = "distance from the back of the belt to its pitch line; default: 1.1 mm for PK, 0 for flat"),
    BELT_REAL("groove_angle", groove_angle, "rad", .low = 0, .low_open = true, .high = 3.1415926535897932,
              .present = 1 + BELT(groove_angle_given), .example = "36 deg",
              .doc = "included angle of a groove: the effective coefficient of friction is that of the "
                     "flanks divided by the sine of half this angle"),
    {.key = "friction",
     .kind = CAP_FIELD_SECTION,
     .offset = BELT(friction),
     .fields = friction_fields,
     .doc = "friction between belt and pulleys, for slip safety and gross slip"},
    {.key = "model",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(model),
     .choices = models,
     .fallback = "springs",
     .example = "springs",
     .doc = "belt model: springs (each span is a spring, with creep over the pulleys) or segments (the whole "
            "belt as beam segments, with contact, slip and span vibration)"},
    {.key = "segments",
     .kind = CAP_FIELD_INT,
     .offset = BELT(segments),
     .present = 1 + BELT(segments_given),
     .low = 8,
     .high = 20000,
     .fallback = "8",
     .example = "194",
     .doc =
         "number of segments, for model: segments, as are the keys below; default: segments of about 10 mm"},
    {.key = "contact",
     .kind = CAP_FIELD_SECTION,
     .offset = BELT(contact),
     .fields = cap_accessory_drive_segments_contact,
     .doc = "contact between the segments and the pulleys"},
    BELT_REAL("transverse_damping", drag, "1/s", NOT_NEGATIVE, .fallback = "0 s-1", .example = "5 s-1",
              .was = "drag", .doc = "damping of the transverse motion of the belt, per mass"),
    {.key = "gravity",
     .kind = CAP_FIELD_REALS,
     .offset = BELT(gravity),
     .unit = "m/s2",
     .least = 2,
     .most = 2,
     .example = "[0 m/s2, -9.81 m/s2]",
     .doc = "gravity x, y acting on the belt's own mass; default: none"},
    {0}};

static const char *const speed_owners[] = {"pulley", "crank", NULL},
                         *const diameter_kinds[] = {"effective", "outside", "pitch", NULL},
                         *const sides[] = {"groove", "back", NULL};

static const cap_field load_fields[] = {
    REAL(load, "torque", torque, "N m", GIVEN(load, torque_given), .example = "5 N m",
         .doc = "constant braking torque"),
    REAL(load, "power", power, "W", GIVEN(load, power_given), .example = "1.5 kW",
         .doc = "constant power consumed by the accessory"),
    FIELD(load, "torque_vs_speed", CAP_FIELD_SERIES, torques, .unit = "N m", .unit_x = "rad/s",
          .increasing = true, .least = 2, .most = CAP_BRAKE_POINTS,
          .example = "[[1000 rpm, 5 N m], [6000 rpm, 8 N m]]", .was = "torques",
          .doc = "torque vs speed, pairs or a CSV file; linear interpolation, constant extrapolation"),
    FIELD(load, "power_vs_speed", CAP_FIELD_SERIES, powers, .unit = "W", .unit_x = "rad/s",
          .increasing = true, .least = 2, .most = 32, .example = "[[750 rpm, 1.5 kW], [6000 rpm, 2.8 kW]]",
          .was = "powers",
          .doc = "power vs speed, pairs or a CSV file; power interpolated linearly, torque extrapolated as a "
                 "constant"),
    FIELD(
        load, "torque_over_time", CAP_FIELD_SERIES, over_time, .unit = "N m", .unit_x = "s",
        .increasing = true, .least = 2, .most = CAP_SCHEDULE_POINTS,
        .example = "[[1 s, 0 N m], [1.5 s, 25 N m]]", .was = "over_time", .input = 1 + offsetof(load, input),
        .doc = "additional torque vs time against the direction of belt travel, at any speed; pairs or a CSV "
               "file, linear interpolation, constant extrapolation. Statics use its value at the start"),
    FIELD(load, "speed_of", CAP_FIELD_CHOICE, speed_of, .choices = speed_owners, .fallback = "pulley",
          .example = "crank", .doc = "speed to which the tables refer: that of the pulley or of the crank"),
    {0}};

static const cap_field bearing_fields[] = {
    REAL(cap_belt_bearing, "peak_load", static_load, "N", POSITIVE, .example = "4 kN", .was = "static",
         .doc = "permissible peak hub load"),
    REAL(cap_belt_bearing, "continuous_load", dynamic_load, "N", POSITIVE, .example = "1.5 kN",
         .was = "dynamic", .doc = "permissible continuous hub load"),
    REAL(cap_belt_bearing, "C", C, "N", POSITIVE, .example = "9.5 kN",
         .doc = "dynamic load rating: load at which 90 % of such ball bearings survive 1e6 revolutions"),
    REAL(cap_belt_bearing, "C0", C0, "N", POSITIVE, .example = "4.8 kN", .doc = "static load rating"),
    {0}};

static const cap_field pulley_fields[] = {
    FIELD(pulley, "name", CAP_FIELD_TEXT, name, .means = CAP_MEANS_NAME, .required = true,
          .example = "alternator", .doc = "name of the pulley, used in channel names"),
    FIELD(pulley, "at", CAP_FIELD_REALS, at, .unit = "m", .least = 2, .most = 2,
          .example = "[235 mm, 300 mm]",
          .doc = "centre x, y; viewed so that the belt runs counter-clockwise"),
    FIELD(pulley, "on", CAP_FIELD_TEXT, on, .example = "arm",
          .doc = "arm (rotary tensioner) or slide (linear tensioner): the pulley is mounted on it, instead "
                 "of `at`"),
    REAL(pulley, "diameter", diameter, "m", POSITIVE, .required = true, .example = "56 mm",
         .doc = "diameter"),
    FIELD(pulley, "diameter_type", CAP_FIELD_CHOICE, diameter_is, .choices = diameter_kinds,
          .fallback = "effective", .example = "effective", .was = "diameter_is",
          .doc = "type of the diameter: effective or outside (the pitch line lies outside it by hb, on the "
                 "back by hr), or pitch"),
    FIELD(pulley, "side", CAP_FIELD_CHOICE, side, .choices = sides, .fallback = "groove", .example = "back",
          .doc = "side of the belt in contact with the pulley: groove (inside) or back"),
    REAL(pulley, "inertia", inertia, "kg m2", POSITIVE, .required = true, .example = "3e-3 kg m2",
         .doc = "moment of inertia of the pulley and its accessory; the part behind a clutch or decoupler is "
                "shaft_inertia"),
    REAL(pulley, "mass", mass, "kg", NOT_NEGATIVE, .fallback = "0 kg", .example = "0.35 kg",
         .doc = "mass of the pulley, for a pulley on the tensioner or on a hub"),
    REAL(pulley, "friction", friction, "", NOT_NEGATIVE, GIVEN(pulley, friction_given), .example = "0.9",
         .doc = "effective coefficient of friction on this pulley; default: from belt.friction"),
    FIELD(pulley, "load", CAP_FIELD_SECTION, load, .fields = load_fields,
          .doc = "load on the pulley: one of torque, power, torque_vs_speed and power_vs_speed"),
    REAL(pulley, "offset", offset, "m", .low = -INFINITY, .high = INFINITY, .fallback = "0 m",
         .example = "0.4 mm",
         .doc = "misalignment: axial offset from the plane of the drive, positive towards the viewer"),
    FIELD(pulley, "tilt", CAP_FIELD_REALS, tilt, .unit = "rad", .least = 2, .most = 2, .low = -0.2,
          .high = 0.2, .example = "[0.1 deg, 0 deg]",
          .doc = "misalignment: small rotations of the pulley's plane about the axes x and y"),
    FIELD(pulley, "bearing", CAP_FIELD_SECTION, bearing, .fields = bearing_fields,
          .doc = "load limits and ratings of the bearing, for the analysis life"),
    REAL(pulley, "groove_angle", groove_angle, "rad", .low = 0, .low_open = true, .high = 3.1415926535897932,
         GIVEN(pulley, groove_angle_given), .example = "34 deg",
         .doc = "included angle of the pulley's groove; default: belt.groove_angle"),
    FIELD(pulley, "clutch", CAP_FIELD_SECTION, clutch, .fields = cap_accessory_drive_shaft_clutch,
          GIVEN(pulley, clutch_given), .doc = "one-way clutch between the rim and the driven shaft"),
    FIELD(pulley, "decoupler", CAP_FIELD_SECTION, decoupler, .fields = cap_accessory_drive_shaft_decoupler,
          GIVEN(pulley, decoupler_given),
          .doc = "overrunning decoupler: spring and one-way clutch in series between rim and shaft"),
    REAL(pulley, "shaft_inertia", shaft_inertia, "kg m2", POSITIVE, GIVEN(pulley, shaft_inertia_given),
         .example = "2.8e-3 kg m2", .doc = "moment of inertia behind a clutch or decoupler"),
    FIELD(pulley, "hub", CAP_FIELD_SECTION, hub, .fields = cap_accessory_drive_hub_fields,
          GIVEN(pulley, hub_given), .doc = "compliant support of the pulley's centre; default: rigid"),
    {0}};

static const cap_field order_fields[] = {REAL(order, "order", order, "", POSITIVE, .required = true,
                                              .example = "2", .doc = "oscillations per crank revolution"),
                                         REAL(order, "amplitude", amplitude, "rad", .required = true,
                                              .example = "0.4 deg", .doc = "amplitude of the crank angle"),
                                         REAL(order, "phase", phase, "rad", .fallback = "0 rad",
                                              .example = "0 rad",
                                              .doc = "phase of the sine at crank angle 0"),
                                         {0}};

#define CRANK(member) (offsetof(spec, crank.member) - offsetof(spec, crank))

static const cap_field crank_fields[] = {
    {.key = "pulley",
     .kind = CAP_FIELD_TEXT,
     .offset = CRANK(pulley),
     .fallback = "crank",
     .example = "crank",
     .doc = "name of the driving pulley"},
    {.key = "speed",
     .kind = CAP_FIELD_REAL,
     .offset = CRANK(speed),
     .unit = "rad/s",
     POSITIVE,
     .input = 1 + CRANK(speed_input),
     .example = "2000 rpm",
     .doc = "constant crank speed; that at the start when the crank rotates freely"},
    {.key = "speed_over_time",
     .kind = CAP_FIELD_SERIES,
     .offset = CRANK(speeds),
     .unit = "rad/s",
     .unit_x = "s",
     .increasing = true,
     .least = 2,
     .most = 10000,
     .example = "[[0.35 s, 2000 rpm], [0.55 s, 1000 rpm]]",
     .was = "speeds",
     .doc = "crank speed vs time, pairs or a CSV file; linear interpolation, constant extrapolation"},
    {.key = "orders",
     .kind = CAP_FIELD_LIST,
     .offset = CRANK(orders),
     .fields = order_fields,
     .item_size = sizeof(order),
     .most = CAP_ACCESSORY_DRIVE_ORDERS,
     .example = "[{order: 2, amplitude: 0.4 deg}]",
     .doc = "speed irregularity: harmonics of the crank angle"},
    {.key = "prescribed",
     .kind = CAP_FIELD_BOOL,
     .offset = CRANK(held),
     .fallback = "true",
     .example = "true",
     .was = "held",
     .doc =
         "true: prescribed motion; false: free rotation with its inertia, driven by `torque` (modes with a "
         "free crank)"},
    {.key = "torque",
     .kind = CAP_FIELD_REAL,
     .offset = CRANK(torque),
     .unit = "N m",
     .present = 1 + CRANK(torque_given),
     .input = 1 + CRANK(torque_input),
     .example = "40 N m",
     .doc = "driving torque of a crank that rotates freely; default: the constant torque that balances the "
            "loads at the start"},
    {0}};

static const cap_field fields[] = {
    FIELD(spec, "belt", CAP_FIELD_SECTION, belt, .fields = belt_fields, .required = true, .doc = "the belt"),
    FIELD(spec, "pulleys", CAP_FIELD_LIST, pulleys, .fields = pulley_fields, .item_size = sizeof(pulley),
          .required = true, .least = 2, .most = CAP_ACCESSORY_DRIVE_PULLEYS,
          .example = "[{name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.2 kg m2}]",
          .doc = "the pulleys in the order of belt travel, counter-clockwise"),
    FIELD(
        spec, "tensioner", CAP_FIELD_VARIANT, tensioner, .variants = cap_accessory_drive_tensioner_kinds,
        .tag_key = "kind", .tag_default = "rotary", GIVEN(spec, tensioner_given),
        .doc =
            "tensioner: an arm or a slide with a pulley and a spring; default: none, all centres are fixed"),
    FIELD(spec, "crank", CAP_FIELD_SECTION, crank, .fields = crank_fields, .required = true,
          .doc = "the driving pulley and its motion"),
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0.2 s", .doc = "start time"),
    {0}};

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"span.*.effective",
                                            "span.*.effective_tension",
                                            "span.*.middle",
                                            "span.*.midspan_tension",
                                            "span.*.motion",
                                            "span.*.midspan",
                                            "pulley.*.use",
                                            "pulley.*.friction_use",
                                            "pulley.*.normal",
                                            "pulley.*.normal_force",
                                            "segment.#.normal",
                                            "segment[#].normal_force",
                                            "segment.#.*",
                                            "segment[#].*",
                                            "node.#.*",
                                            "node[#].*",
                                            NULL};

const cap_drive cap_accessory_drive_drive = {
    .name = "accessory-drive",
    .doc = "front-end accessory drive of an engine: a belt over any number of pulleys, with a tensioner; "
           "spans as springs or the belt as segments",
    .starter = "accessory_drive",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = cap_accessory_drive_check,
    .describe = cap_accessory_drive_check_describe,
    .build = cap_accessory_drive_build,
    .summarise = cap_accessory_drive_summary,
    .draw = cap_accessory_drive_draw,
};
