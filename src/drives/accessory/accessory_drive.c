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
     .doc = "effective coefficient between grooved (inner) side and pulley; with groove_angle that of the "
            "flanks themselves; flat: `back` when not given"},
    {.key = "back",
     .kind = CAP_FIELD_REAL,
     .offset = FRICTION(back),
     .unit = "",
     NOT_NEGATIVE,
     .fallback = "0.35",
     .example = "0.35",
     .doc = "coefficient between back and pulley"},
    {0}};

static const cap_field belt_fields[] = {
    {.key = "kind",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(kind),
     .choices = kinds,
     .fallback = "PK",
     .example = "PK",
     .doc = "PK (V-ribbed: stiffness, mass and offsets have defaults by the number of ribs), flat, or V "
            "(stiffness, mass, hb, groove_angle and friction.groove are those of its section and must be "
            "given)"},
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
    {.key = "length_is",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(length_is),
     .choices = length_kinds,
     .fallback = "effective",
     .example = "effective",
     .doc = "which length: the effective one (2 pi hb less than that of the pitch line), or the pitch "
            "line's"},
    BELT_REAL("measured_at", measured_at, "N", NOT_NEGATIVE, .fallback = "0 N", .example = "350 N",
              .doc = "tension at which the length was measured"),
    BELT_REAL("stiffness", EA, "N", POSITIVE, .present = 1 + BELT(EA_given), .example = "120 kN",
              .doc = "axial stiffness EA; PK: 20 kN a rib when not given"),
    BELT_REAL("bending", EI, "N m2", NOT_NEGATIVE, .present = 1 + BELT(EI_given), .example = "4.8e-3 N m2",
              .doc = "bending stiffness EI, for the modes of the spans; PK: 8e-4 N m2 a rib when not given"),
    BELT_REAL("mass", mass, "kg/m", POSITIVE, .present = 1 + BELT(mass_given), .example = "0.111 kg/m",
              .doc = "mass per length; PK: 0.0185 kg/m a rib when not given"),
    BELT_REAL(
        "damping", damping, "s", NOT_NEGATIVE, .present = 1 + BELT(damping_given), .fallback = "0 s",
        .example = "2e-5 s",
        .doc = "damping over stiffness: the tension is EA (strain + damping * rate of strain); segments: "
               "when not given, a twentieth of the critical damping of one segment"),
    BELT_REAL("hb", hb, "m", NOT_NEGATIVE, .present = 1 + BELT(hb_given), .example = "1.2 mm",
              .doc = "from the effective radius of a grooved pulley out to the pitch line; PK: 1.2 mm when "
                     "not given, flat: 0"),
    BELT_REAL("hr", hr, "m", NOT_NEGATIVE, .present = 1 + BELT(hr_given), .example = "1.1 mm",
              .doc = "from the back of the belt to its pitch line; PK: 1.1 mm when not given, flat: 0"),
    BELT_REAL("groove_angle", groove_angle, "rad", .low = 0, .low_open = true, .high = 3.1415926535897932,
              .present = 1 + BELT(groove_angle_given), .example = "36 deg",
              .doc = "angle between the flanks of a groove: the effective coefficient of friction is that of "
                     "the flanks over the sine of its half"),
    {.key = "friction",
     .kind = CAP_FIELD_SECTION,
     .offset = BELT(friction),
     .fields = friction_fields,
     .doc = "between belt and pulleys, for the slip safety and gross slip"},
    {.key = "model",
     .kind = CAP_FIELD_CHOICE,
     .offset = BELT(model),
     .choices = models,
     .fallback = "springs",
     .example = "springs",
     .doc = "how the belt is computed: its spans as springs, with creep over the pulleys; or the whole of it "
            "as segments of a beam, with contact, slip and vibration of the spans"},
    {.key = "segments",
     .kind = CAP_FIELD_INT,
     .offset = BELT(segments),
     .present = 1 + BELT(segments_given),
     .low = 8,
     .high = 20000,
     .fallback = "8",
     .example = "194",
     .doc = "number of segments; when not given, as many as are 10 mm long. This and the keys below are for "
            "model: segments"},
    {.key = "contact",
     .kind = CAP_FIELD_SECTION,
     .offset = BELT(contact),
     .fields = cap_accessory_drive_segments_contact,
     .doc = "contact of the segments with the pulleys"},
    BELT_REAL("drag", drag, "1/s", NOT_NEGATIVE, .fallback = "0 s-1", .example = "5 s-1",
              .doc = "damping of the motion across the belt, over its mass"),
    {.key = "gravity",
     .kind = CAP_FIELD_REALS,
     .offset = BELT(gravity),
     .unit = "m/s2",
     .least = 2,
     .most = 2,
     .example = "[0 m/s2, -9.81 m/s2]",
     .doc = "acceleration x, y by which the belt's own weight acts on it; none when not given"},
    {0}};

static const char *const speed_owners[] = {"pulley", "crank", NULL},
                         *const diameter_kinds[] = {"effective", "outside", "pitch", NULL},
                         *const sides[] = {"groove", "back", NULL};

static const cap_field load_fields[] = {
    REAL(load, "torque", torque, "N m", GIVEN(load, torque_given), .example = "5 N m",
         .doc = "constant torque that brakes"),
    REAL(load, "power", power, "W", GIVEN(load, power_given), .example = "1.5 kW",
         .doc = "constant power that the accessory takes"),
    FIELD(load, "torques", CAP_FIELD_SERIES, torques, .unit = "N m", .unit_x = "rad/s", .increasing = true,
          .least = 2, .most = CAP_BRAKE_POINTS, .example = "[[1000 rpm, 5 N m], [6000 rpm, 8 N m]]",
          .doc = "torque over speed, pairs or a CSV file; linear between, constant beyond"),
    FIELD(load, "powers", CAP_FIELD_SERIES, powers, .unit = "W", .unit_x = "rad/s", .increasing = true,
          .least = 2, .most = 32, .example = "[[750 rpm, 1.5 kW], [6000 rpm, 2.8 kW]]",
          .doc = "power over speed, pairs or a CSV file; the power is linear between, the torque constant "
                 "beyond"),
    FIELD(load, "over_time", CAP_FIELD_SERIES, over_time, .unit = "N m", .unit_x = "s", .increasing = true,
          .least = 2, .most = CAP_SCHEDULE_POINTS, .example = "[[1 s, 0 N m], [1.5 s, 25 N m]]",
          .doc = "a further torque over time, against the belt's travel whatever the speed; pairs or a CSV "
                 "file, linear between, constant beyond. Statics have it as it is at the start"),
    FIELD(load, "speed_of", CAP_FIELD_CHOICE, speed_of, .choices = speed_owners, .fallback = "pulley",
          .example = "crank", .doc = "whose speed the tables mean"),
    {0}};

static const cap_field bearing_fields[] = {
    REAL(cap_belt_bearing, "static", static_load, "N", POSITIVE, .example = "4 kN",
         .doc = "hub load that it may carry at any time"),
    REAL(cap_belt_bearing, "dynamic", dynamic_load, "N", POSITIVE, .example = "1.5 kN",
         .doc = "hub load that it may carry for its whole life"),
    REAL(cap_belt_bearing, "C", C, "N", POSITIVE, .example = "9.5 kN",
         .doc = "dynamic load rating: 90 % of such ball bearings last a million turns under it"),
    REAL(cap_belt_bearing, "C0", C0, "N", POSITIVE, .example = "4.8 kN", .doc = "static load rating"),
    {0}};

static const cap_field pulley_fields[] = {
    FIELD(pulley, "name", CAP_FIELD_TEXT, name, .required = true, .example = "alternator",
          .doc = "what channels call it"),
    FIELD(pulley, "at", CAP_FIELD_REALS, at, .unit = "m", .least = 2, .most = 2,
          .example = "[235 mm, 300 mm]", .doc = "centre x, y; seen so that the belt runs counter-clockwise"),
    FIELD(pulley, "on", CAP_FIELD_TEXT, on, .example = "arm",
          .doc = "arm (slide): it sits on the rotary (linear) tensioner, instead of `at`"),
    REAL(pulley, "diameter", diameter, "m", POSITIVE, .required = true, .example = "56 mm",
         .doc = "diameter"),
    FIELD(pulley, "diameter_is", CAP_FIELD_CHOICE, diameter_is, .choices = diameter_kinds,
          .fallback = "effective", .example = "effective",
          .doc = "which diameter: effective or outside (the pitch line lies hb further out, on the back hr), "
                 "or that of the pitch line itself"),
    FIELD(pulley, "side", CAP_FIELD_CHOICE, side, .choices = sides, .fallback = "groove", .example = "back",
          .doc = "side of the belt that touches it: grooves (inside) or back"),
    REAL(pulley, "inertia", inertia, "kg m2", POSITIVE, .required = true, .example = "3e-3 kg m2",
         .doc = "moment of inertia, with what it drives; behind a clutch or decoupler that has its own, "
                "shaft_inertia"),
    REAL(pulley, "mass", mass, "kg", NOT_NEGATIVE, .fallback = "0 kg", .example = "0.35 kg",
         .doc = "mass, which moves with the tensioner"),
    REAL(pulley, "friction", friction, "", NOT_NEGATIVE, GIVEN(pulley, friction_given), .example = "0.9",
         .doc = "effective coefficient here; belt.friction when not given"),
    FIELD(pulley, "load", CAP_FIELD_SECTION, load, .fields = load_fields,
          .doc = "what brakes it: one of torque, power, torques, powers"),
    REAL(pulley, "offset", offset, "m", .low = -INFINITY, .high = INFINITY, .fallback = "0 m",
         .example = "0.4 mm", .doc = "misalignment: its plane out of that of the drive, towards the viewer"),
    FIELD(pulley, "tilt", CAP_FIELD_REALS, tilt, .unit = "rad", .least = 2, .most = 2, .low = -0.2,
          .high = 0.2, .example = "[0.1 deg, 0 deg]",
          .doc = "misalignment: small turns of its plane about the axes x and y"),
    FIELD(pulley, "bearing", CAP_FIELD_SECTION, bearing, .fields = bearing_fields,
          .doc = "what its bearing carries, for the analysis life"),
    REAL(pulley, "groove_angle", groove_angle, "rad", .low = 0, .low_open = true, .high = 3.1415926535897932,
         GIVEN(pulley, groove_angle_given), .example = "34 deg",
         .doc = "angle between the flanks of its groove; belt.groove_angle when not given"),
    FIELD(pulley, "clutch", CAP_FIELD_SECTION, clutch, .fields = cap_accessory_drive_shaft_clutch,
          GIVEN(pulley, clutch_given), .doc = "one-way clutch between the rim and the shaft that it drives"),
    FIELD(pulley, "decoupler", CAP_FIELD_SECTION, decoupler, .fields = cap_accessory_drive_shaft_decoupler,
          GIVEN(pulley, decoupler_given),
          .doc = "overrunning decoupler: spring and one-way clutch in series between rim and shaft"),
    REAL(pulley, "shaft_inertia", shaft_inertia, "kg m2", POSITIVE, GIVEN(pulley, shaft_inertia_given),
         .example = "2.8e-3 kg m2", .doc = "moment of inertia behind a clutch or decoupler"),
    FIELD(pulley, "hub", CAP_FIELD_SECTION, hub, .fields = cap_accessory_drive_hub_fields,
          GIVEN(pulley, hub_given),
          .doc =
              "what its centre sits on, when that gives way under the hub load; when not given, it is fixed"),
    {0}};

static const cap_field order_fields[] = {REAL(order, "order", order, "", POSITIVE, .required = true,
                                              .example = "2", .doc = "oscillations per turn of the crank"),
                                         REAL(order, "amplitude", amplitude, "rad", .required = true,
                                              .example = "0.4 deg", .doc = "amplitude of the crank's angle"),
                                         REAL(order, "phase", phase, "rad", .fallback = "0 rad",
                                              .example = "0 rad",
                                              .doc = "phase of the sine at angle 0 of the crank"),
                                         {0}};

#define CRANK(member) (offsetof(spec, crank.member) - offsetof(spec, crank))

static const cap_field crank_fields[] = {
    {.key = "pulley",
     .kind = CAP_FIELD_TEXT,
     .offset = CRANK(pulley),
     .fallback = "crank",
     .example = "crank",
     .doc = "name of the pulley that drives"},
    {.key = "speed",
     .kind = CAP_FIELD_REAL,
     .offset = CRANK(speed),
     .unit = "rad/s",
     POSITIVE,
     .example = "2000 rpm",
     .doc = "constant speed of the crank"},
    {.key = "speeds",
     .kind = CAP_FIELD_SERIES,
     .offset = CRANK(speeds),
     .unit = "rad/s",
     .unit_x = "s",
     .increasing = true,
     .least = 2,
     .most = 10000,
     .example = "[[0.35 s, 2000 rpm], [0.55 s, 1000 rpm]]",
     .doc = "its speed over time, pairs or a CSV file; linear between, constant beyond"},
    {.key = "orders",
     .kind = CAP_FIELD_LIST,
     .offset = CRANK(orders),
     .fields = order_fields,
     .item_size = sizeof(order),
     .most = CAP_ACCESSORY_DRIVE_ORDERS,
     .example = "[{order: 2, amplitude: 0.4 deg}]",
     .doc = "irregularity of its angle, over the turned angle"},
    {.key = "held",
     .kind = CAP_FIELD_BOOL,
     .offset = CRANK(held),
     .fallback = "true",
     .example = "true",
     .doc = "true: its motion is imposed; false: it turns freely with its inertia, driven by the constant "
            "torque that balances the loads at the start (modes with a free crank)"},
    {0}};

static const cap_field fields[] = {
    FIELD(spec, "belt", CAP_FIELD_SECTION, belt, .fields = belt_fields, .required = true, .doc = "the belt"),
    FIELD(spec, "pulleys", CAP_FIELD_LIST, pulleys, .fields = pulley_fields, .item_size = sizeof(pulley),
          .required = true, .least = 2, .most = CAP_ACCESSORY_DRIVE_PULLEYS,
          .example = "[{name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.2 kg m2}]",
          .doc = "the pulleys in the order in which the belt runs over them, counter-clockwise"),
    FIELD(spec, "tensioner", CAP_FIELD_VARIANT, tensioner, .variants = cap_accessory_drive_tensioner_kinds,
          .tag_key = "kind", .tag_default = "rotary", GIVEN(spec, tensioner_given),
          .doc = "arm or slide with a pulley and a spring; when not given, all centres are fixed"),
    FIELD(spec, "crank", CAP_FIELD_SECTION, crank, .fields = crank_fields, .required = true,
          .doc = "what drives"),
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0.2 s", .doc = "time of the start"),
    {0}};

const cap_drive cap_accessory_drive_drive = {
    .name = "accessory-drive",
    .doc = "a belt over any number of pulleys with a tensioner: the front-end accessory drive of an "
           "engine, with its spans as springs or its belt as segments",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = cap_accessory_drive_check,
    .describe = cap_accessory_drive_check_describe,
    .build = cap_accessory_drive_build,
};
