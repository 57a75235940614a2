/* drives/accessory/analyses/life.c — see life.h: the keys of the analysis, and what is wrong with them. */
#include "drives/accessory/analyses/life.h"
#include "analysis/analysis.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

typedef cap_life_spec spec;
typedef cap_life_reference reference;

#define REAL(type, key_, member, unit_, ...)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type, member), .unit = unit_, __VA_ARGS__        \
  }
#define REALS(type, key_, member, unit_, ...)                                                                \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REALS, .offset = offsetof(type, member), .unit = unit_, __VA_ARGS__       \
  }
#define GIVEN(type, member) .present = 1 + offsetof(type, member)
#define POSITIVE            .low = 0, .low_open = true, .high = INFINITY

static const char *const tensions[] = {"mean", "tight", NULL};

static const cap_field diameter_fields[] = {
    REAL(cap_belt_life_fatigue, "exponent", exponent, "", .low = 0, .high = 30, .fallback = "5.6",
         .example = "5.6", .doc = "exponent m: damage per pass is proportional to diameter^-m"),
    REAL(cap_belt_life_fatigue, "groove", groove, "", .low = 0, .high = 1e6, .fallback = "1", .example = "1",
         .doc = "weight of pulleys on the grooved side"),
    REAL(cap_belt_life_fatigue, "back", back, "", .low = 0, .high = 1e6, .fallback = "0.31",
         .example = "0.31", .doc = "weight of pulleys on the back"),
    REAL(cap_belt_life_fatigue, "tension_exponent", tension_exponent, "", .low = 0, .high = 30,
         .fallback = "1.13", .example = "1.13",
         .doc = "exponent of the tension: damage is proportional to (tension / ribs)^tension_exponent"),
    {.key = "tension",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_belt_life_fatigue, tension),
     .choices = tensions,
     .fallback = "mean",
     .example = "mean",
     .doc = "tension used: mean of all spans (the shares of the pulleys then depend on diameters only), or "
            "the larger of the two spans at each pulley"},
    REAL(cap_belt_life_fatigue, "halving", halving, "K", POSITIVE, .fallback = "23 K", .example = "23 K",
         .doc = "temperature rise that halves the life"),
    {0}};

static const cap_field stress_fields[] = {
    REAL(cap_belt_life_fatigue, "exponent", exponent, "", POSITIVE, .required = true, .example = "8",
         .doc = "exponent k: each pass over a pulley uses up (sigma / strength)^k of the life"),
    REAL(cap_belt_life_fatigue, "strength", strength, "Pa", POSITIVE, .required = true, .example = "200 MPa",
         .doc = "strength C: stress at which the belt survives one pass"),
    REAL(cap_belt_life_fatigue, "area", area, "m2", POSITIVE, .required = true, .example = "60 mm2",
         .doc = "cross-section A in sigma = T/A + E t/d, where T includes the centrifugal tension"),
    REAL(cap_belt_life_fatigue, "modulus", modulus, "Pa", POSITIVE, .required = true, .example = "100 MPa",
         .doc = "Young's modulus E in bending"),
    REAL(cap_belt_life_fatigue, "thickness", thickness, "m", POSITIVE, .required = true, .example = "4 mm",
         .doc = "belt thickness t"),
    {0}};

static const cap_variant laws[] = {
    {"diameter",
     "diameter: damage from diameter, side, tension per rib and temperature; life is relative, or absolute "
     "with a reference",
     diameter_fields},
    {"stress", "stress: damage from stress, with the fatigue curve of the belt", stress_fields},
    {0}};

static const cap_field reference_fields[] = {
    REAL(reference, "life", life, "s", POSITIVE, .required = true, .example = "5000 h",
         .doc = "known life: of this drive `at` a crank speed, or on a test rig (tension, speed, length, "
                "groove, back)"),
    REAL(reference, "at", at, "rad/s", POSITIVE, GIVEN(reference, at_given), .example = "3000 rpm",
         .doc = "crank speed of this drive"),
    REAL(reference, "temperature", temperature, "K", POSITIVE, GIVEN(reference, temperature_given),
         .example = "363 K", .doc = "temperature of the belt"),
    REAL(reference, "tension", tension, "N", POSITIVE, GIVEN(reference, tension_given), .example = "600 N",
         .doc = "test rig: belt tension"),
    REAL(reference, "speed", speed, "m/s", POSITIVE, GIVEN(reference, speed_given), .example = "30 m/s",
         .doc = "test rig: belt speed"),
    REAL(reference, "length", length, "m", POSITIVE, GIVEN(reference, length_given), .example = "1.2 m",
         .doc = "test rig: belt length"),
    {.key = "ribs",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(reference, ribs),
     GIVEN(reference, ribs_given),
     .low = 1,
     .high = 100,
     .example = "6",
     .doc = "test rig: number of ribs; default: that of this drive"},
    REALS(reference, "groove", groove, "m", POSITIVE, .most = CAP_BELT_PATH_MOST, .example = "[60 mm, 60 mm]",
          .doc = "test rig: effective diameters of the pulleys on the grooved side"),
    REALS(reference, "back", back, "m", POSITIVE, .most = CAP_BELT_PATH_MOST, .example = "[50 mm]",
          .doc = "test rig: diameters of the pulleys on the back"),
    {0}};

static const cap_field stribeck_fields[] = {
    CAPM_FRICTION_KEYS_RATIO(
        0, "kinetic",
        (.low = 0, .high = 1, .required = true, .example = "0.8",
         .doc = "ratio of kinetic to static friction"),
        "speed",
        (.required = true,
         .doc = "Stribeck velocity: sliding velocity over which friction falls from static to kinetic")),
    {0}};

const cap_field cap_life_fields[] = {
    REALS(spec, "speeds", speeds, "rad/s", POSITIVE, .least = 1, .most = 10000,
          .example = "[750 rpm, 2000 rpm, 4000 rpm, 6000 rpm]",
          .doc = "crank speeds of the duty cycle; default: crank speed at the start"),
    REALS(spec, "weights", weights, "", .low = 0, .high = INFINITY, .least = 1, .most = 10000,
          .example = "[30, 50, 18, 2]",
          .doc = "time at each speed, on any scale (shares, hours); default: equal"),
    REALS(spec, "temperature", temperature, "K", POSITIVE, .least = 1, .most = 10000, .example = "[363 K]",
          .doc = "temperature of the belt: one, or one for each speed; default: that of the reference"),
    REAL(spec, "target", target, "s", POSITIVE, GIVEN(spec, target_given), .example = "6000 h",
         .doc = "target life: the share used up is reported"),
    {.key = "fatigue",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, fatigue),
     .variants = laws,
     .tag_key = "law",
     .fallback = "{law: diameter}",
     .example = "{law: diameter, exponent: 5.6}",
     .doc = "fatigue law: damage per pass over a pulley"},
    {.key = "reference",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, reference),
     GIVEN(spec, reference_given),
     .fields = reference_fields,
     .doc = "known life as a reference; default: none, lives are relative to that at the first speed"},
    REALS(spec, "orders", orders, "", .low = 0, .low_open = true, .high = 1000, .least = 1,
          .most = CAP_LIFE_ORDERS, .example = "[2, 4]",
          .doc = "engine orders whose resonances with the spans are listed, including those at twice the "
                 "frequency of a span (parametric)"),
    {.key = "stribeck",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, stribeck),
     GIVEN(spec, stribeck_given),
     .fields = stribeck_fields,
     .doc = "friction that decreases with sliding velocity, for the squeal indicator"},
    REAL(spec, "slip_limit", slip_limit, "", .low = 0, .high = 1000, .fallback = "1", .example = "1.3",
         .doc = "slip safety below which squeal is reported"),
    REAL(spec, "entry_limit", entry_limit, "rad", POSITIVE, .fallback = "0.33 deg", .example = "0.33 deg",
         .doc = "entry angle of a misaligned span above which chirp is reported"),
    REAL(spec, "resonance_limit", resonance_limit, "", .low = 0, .high = 1, .fallback = "0.1",
         .example = "0.1",
         .doc = "relative distance of a speed of the duty cycle from a resonance below which the resonance "
                "is reported"),
    {0}};

static void finding(cap_diag *diag, const char *path, const char *key, const char *text)
{
  char place[512];
  snprintf(place, sizeof place, "%s.%s", path, key);
  cap_diag_at(diag, place, "%s", text);
}

static void count(cap_diag *diag, const char *path, const char *key, const char *wanted, int n, int got)
{
  char text[160];
  snprintf(text, sizeof text, "expected %s %d speeds, got %d", wanted, n, got);
  finding(diag, path, key, text);
}

static void check_reference(const spec *s, const char *path, cap_diag *diag)
{
  const reference *r = &s->reference;
  int pulleys = r->groove.n + r->back.n;
  bool some = r->tension_given || r->speed_given || r->length_given || r->ribs_given || pulleys;
  bool rig = r->tension_given && r->speed_given && r->length_given && pulleys;
  if (s->fatigue.law == CAP_BELT_LIFE_STRESS) {
    finding(diag, path, "reference",
            "conflicts with law: stress, which gives the life from its strength; remove reference or use "
            "law: diameter");
    return;
  }
  if (r->at_given ? some : !rig)
    finding(diag, path, "reference",
            "expected a crank speed of this drive (at), or a test rig: tension, speed, length and the "
            "diameters of its pulleys (groove, back)");
  if (pulleys > CAP_BELT_PATH_MOST) {
    char text[80];
    snprintf(text, sizeof text, "expected at most %d pulleys, got %d", CAP_BELT_PATH_MOST, pulleys);
    finding(diag, path, "reference", text);
  }
  if (s->temperature.n && !r->temperature_given)
    finding(diag, path, "reference",
            "incomplete; expected the temperature of the reference, as temperature is specified");
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time;
  const spec *s = self;
  int n = s->speeds.n ? s->speeds.n : 1;
  double sum = 0.0;
  if (!cap_belt_of(m)) {
    cap_diag_at(diag, path, "requires a belt drive; expected drive: accessory-drive");
    return;
  }
  for (int k = 0; k < s->weights.n; k++) sum += s->weights.v[k];
  if (s->weights.n && s->weights.n != n)
    count(diag, path, "weights", "one weight for each of the", n, s->weights.n);
  else if (s->weights.n && !(sum > 0.0))
    finding(diag, path, "weights", "expected at least one weight above 0, got only 0");
  if (s->temperature.n > 1 && s->temperature.n != n)
    count(diag, path, "temperature", "1 temperature or one for each of the", n, s->temperature.n);
  if (s->temperature.n && s->fatigue.law == CAP_BELT_LIFE_STRESS)
    finding(diag, path, "temperature",
            "conflicts with law: stress, which has no temperature; use law: diameter");
  if (s->reference_given) check_reference(s, path, diag);
  if (s->target_given && !s->reference_given && s->fatigue.law == CAP_BELT_LIFE_DIAMETER)
    finding(diag, path, "target", "requires a life in hours; expected reference, or law: stress");
}

static cap_status life(cap_run *run, const void *self)
{
  cap_life w = {.belt = cap_belt_of(run->model), .s = self};
  if (!w.belt)
    return cap_status_fail(run->error, CAP_ERR_UNSUPPORTED,
                           "life: requires a belt drive; expected drive: accessory-drive");
  cap_status status = cap_life_duty(run, &w);
  if (status == CAP_OK) status = cap_life_output(run, &w);
  if (status == CAP_OK) cap_life_output_tell(run, &w);
  cap_arena_free(&w.arena);
  return status;
}

const char cap_life_doc[] =
    "indicators for a belt drive over a duty cycle: belt life, hub loads, slip, span resonance, misalignment";

const cap_analysis cap_life_analysis = {
    .name = "life",
    .doc = cap_life_doc,
    .fields = cap_life_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = life,
};
