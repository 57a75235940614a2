/* drives/accessory/accessory_drive_tensioner.c — the tensioner of an accessory drive: its keys, what is
 * wrong with them, and its place and spring in the belt drive of drives/accessory/belt/belt.h.
 *
 * Maths: docs/theory.md §22.3 (rotary) and §30.1 (linear).
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/accessory_drive_tuned.h"
#include "drives/accessory/elements/belt_elements.h"
#include "drives/accessory/elements/mount.h"
#include "elements/elements.h"

#include <math.h>
#include <stddef.h>

typedef cap_accessory_spec spec;
typedef cap_accessory_tensioner tensioner;

#define FIELD(key_, kind_, member, ...)                                                                      \
  {                                                                                                          \
    .key = key_, .kind = kind_, .offset = offsetof(tensioner, member), __VA_ARGS__                           \
  }
#define REAL(key_, member, unit_, ...) FIELD(key_, CAP_FIELD_REAL, member, .unit = unit_, __VA_ARGS__)
#define POSITIVE                       .low = 0, .low_open = true, .high = INFINITY
#define NOT_NEGATIVE                   .low = 0, .high = INFINITY
#define GIVEN(member)                  .present = 1 + offsetof(tensioner, member)
#define LAW_REAL(key_, member, unit_, example_, doc_)                                                        \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL,                                                                     \
    .offset = offsetof(tensioner, hysteresis.member) - offsetof(tensioner, hysteresis), .unit = unit_,       \
    POSITIVE, .required = true, .example = example_, .doc = doc_                                             \
  }

/* ---- hysteresis ---------------------------------------------------------------------------------------- */

#define ROTARY_FRICTION LAW_REAL("friction", friction, "N m", "5 N m", "friction torque of the arm")
#define LINEAR_FRICTION LAW_REAL("friction", friction, "N", "60 N", "friction force of the slide")
#define STIFFNESS_DOC                                                                                        \
  "stiffness of the spring in series with the friction (masing); slope of the Dahl curve at zero torque "    \
  "(dahl)"

static const cap_field rotary_coulomb[] = {ROTARY_FRICTION, {0}};
static const cap_field linear_coulomb[] = {LINEAR_FRICTION, {0}};
static const cap_field rotary_masing[] = {
    ROTARY_FRICTION, LAW_REAL("stiffness", stiffness, "N m/rad", "10 N m/deg", STIFFNESS_DOC), {0}};
static const cap_field linear_masing[] = {
    LINEAR_FRICTION, LAW_REAL("stiffness", stiffness, "N/m", "500 N/mm", STIFFNESS_DOC), {0}};

#define LAWS(coulomb, masing)                                                                                \
  {                                                                                                          \
    {"none", "no dry friction: spring and viscous damper only", NULL},                                       \
        {"coulomb", "Coulomb friction", coulomb},                                                            \
        {"masing", "Masing: Coulomb friction in series with a spring (Jenkins element)", masing},            \
        {"dahl",                                                                                             \
         "Dahl: after a reversal the torque tends exponentially to the friction of the new direction",       \
         masing},                                                                                            \
    {                                                                                                        \
      0                                                                                                      \
    }                                                                                                        \
  }

static const cap_variant rotary_laws[] = LAWS(rotary_coulomb, rotary_masing);
static const cap_variant linear_laws[] = LAWS(linear_coulomb, linear_masing);

/* ---- hydraulic ----------------------------------------------------------------------------------------- */

#define CHAMBER_REAL(key_, member, unit_, ...)                                                               \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL,                                                                     \
    .offset = offsetof(tensioner, hydraulic.member) - offsetof(tensioner, hydraulic), .unit = unit_,         \
    __VA_ARGS__                                                                                              \
  }
#define CHAMBER                                                                                              \
  CHAMBER_REAL("stiffness", stiffness, "N/m", POSITIVE, .required = true, .example = "2 kN/mm",              \
               .doc = "stiffness of the oil in the chamber, at the plunger"),                                \
      CHAMBER_REAL(                                                                                          \
          "leak_damping", leak, "N s/m", POSITIVE, .required = true, .example = "20 N s/mm", .was = "leak",  \
          .doc = "plunger force per velocity on compression, with the oil leaving through the leak gap"),    \
      CHAMBER_REAL("valve_damping", valve, "N s/m", POSITIVE, .required = true, .example = "0.2 N s/mm",     \
                   .was = "valve",                                                                           \
                   .doc = "plunger force per velocity on extension, with the oil entering through the "      \
                          "check valve; less than leak_damping"),                                            \
      CHAMBER_REAL("valve_opening_force", opening, "N", NOT_NEGATIVE, .fallback = "1 N", .example = "5 N",   \
                   .was = "opening",                                                                         \
                   .doc = "opening force of the check valve: suction at the plunger (pressure times area) "  \
                          "at which it opens")
#define HYDRAULIC(table)                                                                                     \
  FIELD("hydraulic", CAP_FIELD_SECTION, hydraulic, .fields = table, GIVEN(hydraulic_given),                  \
        .doc = "oil chamber parallel to the spring: stiff with slow leakage on compression, refilled "       \
               "through a check valve")

static const cap_field rotary_chamber[] = {
    CHAMBER,
    CHAMBER_REAL("lever", lever, "m", POSITIVE, .required = true, .example = "50 mm",
                 .doc = "lever: distance from the arm pivot to the line of action of the plunger"),
    {0}};
static const cap_field linear_chamber[] = {CHAMBER, {0}};

/* ---- keys ---------------------------------------------------------------------------------------------- */

static const cap_field rotary_fields[] = {
    FIELD("pivot", CAP_FIELD_REALS, pivot, .unit = "m", .least = 2, .most = 2, .required = true,
          .example = "[140 mm, 245 mm]", .doc = "pivot of the arm: x, y"),
    REAL("arm", arm, "m", POSITIVE, .required = true, .example = "80 mm",
         .doc = "arm length, from the pivot to the centre of its pulley"),
    REAL("angle", angle, "rad", .required = true, .example = "253 deg",
         .doc = "approximate angle of the arm, counter-clockwise from x: initial guess of the equilibrium"),
    REAL("spring_rate", rate, "N m/rad", NOT_NEGATIVE, .required = true, .example = "0.35 N m/deg",
         .was = "rate", .doc = "spring rate"),
    REAL("tension", tension, "N", POSITIVE, GIVEN(tension_given), .example = "350 N",
         .doc = "static tension in the two spans at the tensioner with this belt; alternatively specify "
                "torque or free_angle"),
    REAL("torque", torque, "N m", POSITIVE, GIVEN(torque_given), .example = "29 N m",
         .doc = "spring torque at torque_angle"),
    REAL("torque_angle", torque_angle, "rad", GIVEN(torque_angle_given), .example = "253 deg",
         .doc = "angle at which the spring has `torque`"),
    REAL("free_angle", free_angle, "rad", GIVEN(free_angle_given), .example = "170 deg",
         .doc = "angle at which the spring is relaxed"),
    FIELD("stops", CAP_FIELD_REALS, stops, .unit = "rad", .least = 2, .most = 2, .increasing = true,
          GIVEN(stops_given), .example = "[220 deg, 280 deg]",
          .doc = "lower and upper stop angle of the arm; default: none"),
    REAL("stop_stiffness", stop_stiffness, "N m/rad", POSITIVE, .fallback = "5000 N m/rad",
         .example = "5000 N m/rad", .doc = "stiffness of the stops"),
    REAL("inertia", inertia, "kg m2", POSITIVE, .required = true, .example = "1.2e-3 kg m2",
         .doc = "moment of inertia of the arm about the pivot, without its pulley"),
    REAL("damping", damping, "N m s/rad", NOT_NEGATIVE, .fallback = "0 N m s/rad", .example = "0.1 N m s/rad",
         .doc = "viscous damping of the arm"),
    FIELD("hysteresis", CAP_FIELD_VARIANT, hysteresis, .variants = rotary_laws, .tag_key = "law",
          .example = "{law: none}", .doc = "dry friction of the arm"),
    HYDRAULIC(rotary_chamber),
    {0}};

static const cap_field linear_fields[] = {
    FIELD("base", CAP_FIELD_REALS, pivot, .unit = "m", .least = 2, .most = 2, .required = true,
          .example = "[110 mm, 175 mm]", .doc = "centre of its pulley at position 0: x, y"),
    REAL("direction", direction, "rad", .required = true, .example = "160 deg",
         .doc = "sliding direction for increasing position, counter-clockwise from x"),
    REAL("position", angle, "m", .fallback = "0 m", .example = "5 mm",
         .doc = "approximate position of the slide: initial guess of the equilibrium"),
    REAL("spring_rate", rate, "N/m", NOT_NEGATIVE, .required = true, .example = "8 N/mm", .was = "rate",
         .doc = "spring rate"),
    REAL("tension", tension, "N", POSITIVE, GIVEN(tension_given), .example = "350 N",
         .doc = "static tension in the two spans at the tensioner with this belt; alternatively specify "
                "force or free_position"),
    REAL("force", torque, "N", POSITIVE, GIVEN(torque_given), .example = "380 N",
         .doc = "spring force at force_position"),
    REAL("force_position", torque_angle, "m", GIVEN(torque_angle_given), .example = "0 mm",
         .doc = "position at which the spring has `force`"),
    REAL("free_position", free_angle, "m", GIVEN(free_angle_given), .example = "45 mm",
         .doc = "position at which the spring is relaxed"),
    FIELD("stops", CAP_FIELD_REALS, stops, .unit = "m", .least = 2, .most = 2, .increasing = true,
          GIVEN(stops_given), .example = "[-15 mm, 15 mm]",
          .doc = "lower and upper stop position of the slide; default: none"),
    REAL("stop_stiffness", stop_stiffness, "N/m", POSITIVE, .fallback = "1e6 N/m", .example = "1000 N/mm",
         .doc = "stiffness of the stops"),
    REAL("mass", inertia, "kg", POSITIVE, .required = true, .example = "0.3 kg",
         .doc = "mass of the slide, without its pulley"),
    REAL("damping", damping, "N s/m", NOT_NEGATIVE, .fallback = "0 N s/m", .example = "20 N s/m",
         .doc = "viscous damping of the slide"),
    FIELD("hysteresis", CAP_FIELD_VARIANT, hysteresis, .variants = linear_laws, .tag_key = "law",
          .example = "{law: none}", .doc = "dry friction of the slide"),
    HYDRAULIC(linear_chamber),
    {0}};

const cap_variant cap_accessory_drive_tensioner_kinds[] = {
    {"rotary", "rotary: an arm on a pivot, with its pulley at the end", rotary_fields},
    {"linear", "linear: a slide that moves along a straight line with its pulley", linear_fields},
    {0}};

/* ---- findings ------------------------------------------------------------------------------------------ */

static void check_spring(const tensioner *t, cap_diag *diag)
{
  bool slides = t->kind == CAP_ACCESSORY_LINEAR;
  int given = t->tension_given + t->torque_given + t->free_angle_given;
  if (given != 1)
    cap_diag_at(diag, "tensioner", "expected exactly one of tension, %s and %s, got %d",
                slides ? "force (with force_position)" : "torque (with torque_angle)",
                slides ? "free_position" : "free_angle", given);
  if (t->torque_given != t->torque_angle_given)
    cap_diag_at(diag, "tensioner", "expected %s together, got only one of the two",
                slides ? "force and force_position" : "torque and torque_angle");
  if (t->free_angle_given && t->rate == 0.0)
    cap_diag_at(diag, "tensioner.spring_rate",
                slides ? "expected a spring rate above 0 with free_position, got 0"
                       : "expected a spring rate above 0 with free_angle, got 0");
}

void cap_accessory_drive_tensioner_check(const spec *s, cap_diag *diag)
{
  const tensioner *t = &s->tensioner;
  const cap_accessory_pulley *pulleys = s->pulleys.items;
  bool slides = t->kind == CAP_ACCESSORY_LINEAR;
  const char *unit = slides ? "m" : "rad";
  int carried = 0;
  for (int k = 0; k < s->pulleys.n; k++) carried += pulleys[k].on != NULL;
  if (carried != 1)
    cap_diag_at(diag, "tensioner", "expected one pulley with on: %s, got %d",
                cap_accessory_drive_tensioner_part(s), carried);
  check_spring(t, diag);
  if (t->hydraulic_given && !(t->hydraulic.valve < t->hydraulic.leak))
    cap_diag_at(diag, "tensioner.hydraulic.valve_damping",
                "expected less than leak_damping (%s), since oil enters more easily than it leaves, got %s",
                cap_diag_quantity(diag, "tensioner.hydraulic.leak_damping", t->hydraulic.leak, "N s/m"),
                cap_diag_quantity(diag, "tensioner.hydraulic.valve_damping", t->hydraulic.valve, "N s/m"));
  const char *start = slides ? "tensioner.position" : "tensioner.angle";
  if (t->stops_given && !(t->angle >= t->stops.v[0] && t->angle <= t->stops.v[1]))
    cap_diag_at(diag, start, "expected %s between the stops (%s to %s), got %s",
                slides ? "a position" : "an angle",
                cap_diag_quantity(diag, "tensioner.stops", t->stops.v[0], unit),
                cap_diag_quantity(diag, "tensioner.stops", t->stops.v[1], unit),
                cap_diag_quantity(diag, start, t->angle, unit));
}

const char *cap_accessory_drive_tensioner_part(const spec *s)
{
  return s->tensioner.kind == CAP_ACCESSORY_LINEAR ? "slide" : "arm";
}

/* ---- in the belt drive --------------------------------------------------------------------------------- */

/* m of the plunger's way for each radian (m) of the tensioner's. */
static double lever_of(const tensioner *t)
{
  return t->kind == CAP_ACCESSORY_LINEAR ? 1.0 : t->hydraulic.lever;
}

void cap_accessory_drive_tensioner_chamber(const spec *s, const cap_belt_arm *arm, double *par)
{
  const tensioner *t = &s->tensioner;
  double lever = lever_of(t);
  par[CAP_HYDRAULIC_STIFFNESS] = t->hydraulic.stiffness * lever * lever;
  par[CAP_HYDRAULIC_LEAK] = t->hydraulic.leak * lever * lever;
  par[CAP_HYDRAULIC_VALVE] = t->hydraulic.valve * lever * lever;
  par[CAP_HYDRAULIC_OPENING] = t->hydraulic.opening * lever;
  par[CAP_HYDRAULIC_BLEND] = fmax(t->hydraulic.opening, CAP_ACCESSORY_TUNED_VALVE_BLEND) * lever;
  par[CAP_HYDRAULIC_SENSE] = arm->sense;
}

void cap_accessory_drive_tensioner_fill(const spec *s, cap_belt *b)
{
  const tensioner *t = &s->tensioner;
  b->arm = (cap_belt_arm){.coordinate = -1};
  if (!s->tensioner_given) return;
  bool slides = t->kind == CAP_ACCESSORY_LINEAR;
  b->arm = (cap_belt_arm){.pivot_x = t->pivot.v[0],
                          .pivot_y = t->pivot.v[1],
                          .length = slides ? 0.0 : t->arm,
                          .slide_x = slides ? cos(t->direction) : 0.0,
                          .slide_y = slides ? sin(t->direction) : 0.0,
                          .angle = t->angle,
                          .rate = t->rate,
                          .stop_low = t->stops_given ? t->stops.v[0] : -INFINITY,
                          .stop_high = t->stops_given ? t->stops.v[1] : INFINITY,
                          .friction = t->hysteresis.law == CAP_ACCESSORY_NONE ? 0.0 : t->hysteresis.friction,
                          .inertia = t->inertia,
                          .damping = t->damping,
                          .coordinate = -1};
  if (t->hydraulic_given) b->arm.oil = t->hydraulic.stiffness * lever_of(t) * lever_of(t);
}

void cap_accessory_drive_tensioner_place(cap_belt *b, double angle)
{
  b->arm.angle = angle;
  for (int k = 0; k < b->npulley; k++) {
    if (!b->pulleys[k].on_arm) continue;
    cap_mount_place p = cap_mount_with(b, k, angle);
    b->pulleys[k].x = p.x;
    b->pulleys[k].y = p.y;
  }
}

/* The spring holds `tension` in the two spans of the pulley, at rest, with the belt as long as that tension
 * makes it: the tensioner stands where the path has this length, its push is the tension
 * times the take-up. */
static cap_status hold_tension(const spec *s, cap_belt *b, cap_belt_path *path, cap_error *error)
{
  double tension = s->tensioner.tension;
  cap_belt_path_roots roots;
  for (int k = 0; k == 0 || (k < 50 && cap_accessory_drive_hub_shift(b, path, tension) > 1e-14); k++) {
    CAP_TRY(cap_belt_path_arm_angle(b, b->length0 * (1.0 + tension / b->EA), &roots, error));
    cap_accessory_drive_tensioner_place(b, roots.angle[0]);
    CAP_TRY(cap_belt_path_solve(b, b->arm.angle, path, error));
  }
  b->arm.torque_at = tension * fabs(path->take_up);
  b->arm.torque_angle = b->arm.angle;
  return CAP_OK;
}

cap_status cap_accessory_drive_tensioner_spring(const spec *s, cap_belt *b, cap_belt_path *path,
                                                cap_error *error)
{
  const tensioner *t = &s->tensioner;
  b->arm.sense = path->take_up >= 0.0 ? 1 : -1;
  if (t->tension_given) return hold_tension(s, b, path, error);
  b->arm.torque_at = t->torque_given ? t->torque : 0.0;
  b->arm.torque_angle = t->torque_given ? t->torque_angle : t->free_angle;
  return CAP_OK;
}
