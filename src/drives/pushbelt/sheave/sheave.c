/* drives/pushbelt/sheave/sheave.c — one pulley of a pushbelt variator: keys, checks, model.
 *
 *   m z'' = F(t) - d z' - sum of the axial forces of the flanks (z, t)
 * z closes the loose sheave towards the fixed one; elements run through the arc as prescribed. docs/theory.md
 * §33.4.
 */
#include "drives/pushbelt/sheave/sheave.h"
#include "analysis/observe/start_values.h"
#include "drives/drive.h"
#include "drives/pushbelt/description/pushbelt.h"
#include "drives/registry.h"
#include "elements/elements.h"
#include "model/builder.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef cap_sheave_spec spec;

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - BASE, .unit = unit_, __VA_ARGS__ \
  }
#define POSITIVE .low = 0, .low_open = true, .high = INFINITY
#define SECTION(key_, member, fields_, required_, ...)                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(spec, member) - BASE, .fields = fields_,      \
    .required = required_, .doc = __VA_ARGS__                                                                \
  }

#define BASE offsetof(spec, pulley)
static const cap_field pulley_fields[] = {
    REAL("half_wedge_angle", pulley.wedge, "rad", .fallback = "11 deg", .low = 0, .low_open = true,
         .high = 1.0, .example = "11 deg", .was = "wedge",
         .doc = "half wedge angle: half of the angle between the sheaves"),
    REAL("inner_radius", pulley.inner, "m", .fallback = "20 mm", POSITIVE, .example = "20 mm", .was = "inner",
         .doc = "inner radius of the sheaves, at which they are clamped; no bending inside"),
    REAL("outer_radius", pulley.outer, "m", .fallback = "78 mm", POSITIVE, .example = "78 mm", .was = "outer",
         .doc = "outer radius of the sheaves"),
    REAL("speed", pulley.speed, "rad/s", .required = true, .low = 0, .high = INFINITY, .example = "2000 rpm",
         .doc = "speed of the pulley and of the elements in the arc"),
    {0}};
#undef BASE

#define BASE offsetof(spec, belt.radius)
static const cap_field constant_fields[] = {REAL("radius", belt.radius.radius, "m", .required = true,
                                                 POSITIVE, .example = "75 mm",
                                                 .doc = "running radius of all elements in the arc"),
                                            {0}};
static const cap_field spiral_fields[] = {
    REAL("entry", belt.radius.entry, "m", .required = true, POSITIVE, .example = "75 mm",
         .doc = "running radius at the entry of the arc"),
    REAL("exit", belt.radius.exit, "m", .required = true, POSITIVE, .example = "74.8 mm",
         .doc = "running radius at the exit of the arc; linear in the angle between entry and exit"),
    {0}};
static const cap_field points_fields[] = {
    {.key = "points",
     .kind = CAP_FIELD_SERIES,
     .offset = offsetof(spec, belt.radius.points) - BASE,
     .unit = "m",
     .unit_x = "rad",
     .required = true,
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .least = 2,
     .most = 10000,
     .increasing = true,
     .example = "[[0 deg, 75 mm], [110 deg, 74.8 mm], [213 deg, 75 mm]]",
     .doc = "running radius vs angle from the entry, interpolated by a cubic spline"},
    {0}};
static const cap_variant shapes[] = {{"constant", "constant running radius", constant_fields},
                                     {"spiral", "running radius linear in the angle", spiral_fields},
                                     {"table", "running radius by points", points_fields},
                                     {0}};
#undef BASE

#define BASE offsetof(spec, belt)
static const cap_field belt_fields[] = {
    {.key = "elements",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, belt.elements) - BASE,
     .required = true,
     .low = 4,
     .high = 500,
     .example = "186",
     .doc = "number of elements in the arc, evenly spaced"},
    REAL("wrap_angle", belt.wrap, "rad", .required = true, .low = M_PI / 18.0, .high = M_PI * 300.0 / 180.0,
         .example = "213 deg", .was = "wrap", .doc = "wrap angle"),
    REAL("flank_stiffness", belt.stiffness, "N/m", .fallback = "2e7 N/m", POSITIVE, .example = "2e7 N/m",
         .doc = "axial stiffness c_ax of one flank of an element"),
    {.key = "radius",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, belt.radius) - BASE,
     .variants = shapes,
     .tag_key = "shape",
     .tag_default = "constant",
     .required = true,
     .doc =
         "running radius of the flanks; beyond the arc the elements are on its tangents at entry and exit"},
    {0}};
#undef BASE

#define BASE offsetof(spec, loose)
static const cap_field loose_fields[] = {REAL("mass", loose.mass, "kg", .fallback = "2.5 kg", POSITIVE,
                                              .example = "2.5 kg", .doc = "mass of the movable sheave"),
                                         REAL("damping", loose.damping, "N s/m", .fallback = "20000 N s/m",
                                              .low = 0, .high = INFINITY, .example = "20000 N s/m",
                                              .doc = "damping of the axial travel of the movable sheave"),
                                         {0}};
#undef BASE
#define BASE offsetof(spec, clamping)
static const cap_field clamping_fields[] = {
    REAL("force", clamping.force, "N", .required = true, .low = 0, .high = INFINITY, .example = "16.46 kN",
         .input = 1 + offsetof(spec, clamping.input) - BASE, .doc = "mean clamping force"),
    REAL("amplitude", clamping.amplitude, "N", .fallback = "0 N", .low = 0, .high = INFINITY,
         .example = "500 N", .doc = "amplitude of a harmonic part of the clamping force"),
    REAL("angular_frequency", clamping.angular_frequency, "rad/s", .fallback = "0 rad/s", .low = 0,
         .high = INFINITY, .example = "300 rad/s", .was = "pulsation", .hertz = "frequency",
         .doc = "angular frequency of the harmonic part"),
    REAL("phase", clamping.phase, "rad", .fallback = "0 rad", .example = "0 rad",
         .doc = "phase of the sine at t = 0"),
    {0}};
#undef BASE
#define BASE offsetof(spec, initial)
static const cap_field initial_fields[] = {
    REAL("axial_travel", initial.closing, "m", .present = 1 + offsetof(spec, initial.closing_given) - BASE,
         .fallback = "0 m", .example = "0.4 mm", .was = "closing",
         .doc = "axial travel of the movable sheave at the start; default: the value at which the flank "
                "forces balance the clamping force"),
    REAL("velocity", initial.velocity, "m/s", .fallback = "0 m/s", .example = "0 m/s",
         .doc = "axial velocity of the movable sheave at the start"),
    {0}};
#undef BASE

#define BASE 0
static const char *const flanks[] = {"coupled", "separate", NULL};
static const char *const solvers[] = {"newton", "lemke", NULL};

static const cap_field fields[] = {
    SECTION("pulley", pulley, pulley_fields, true, "groove between the sheaves"),
    SECTION("belt", belt, belt_fields, true, "elements in the arc"),
    {.key = "compliance",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, compliance),
     .variants = cap_compliance_variants,
     .tag_key = "kind",
     .required = true,
     .doc = "compliance of the sheaves under the flank forces"},
    SECTION("movable", loose, loose_fields, false, "movable sheave as a body", .was = "loose"),
    SECTION("clamping", clamping, clamping_fields, true, "clamping force on the movable sheave"),
    {.key = "flanks",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, flanks),
     .choices = flanks,
     .fallback = "coupled",
     .example = "coupled",
     .doc = "contact of the two flanks of an element: coupled, both carry the same force (eq. 2.35); "
            "separate, one contact problem for each sheave (eq. 2.34)"},
    {.key = "solver",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, solver),
     .choices = solvers,
     .fallback = "newton",
     .example = "newton",
     .doc = "solver of the contact problem: newton (semi-smooth Newton with warm start, on the amplitudes of "
            "the influence functions, or on all forces for a table; falls back to Lemke) or lemke (on all "
            "forces, as a reference)"},
    SECTION("initial", initial, initial_fields, false, "state at the start"),
    {0}};

/* ---- checks -------------------------------------------------------------------------------------------- */

static void check_radius(const spec *s, cap_diag *diag)
{
  double low = s->belt.radius.radius, high = low;
  const char *path = "belt.radius.radius", *unit = path;
  if (s->belt.radius.shape == CAP_SHEAVE_SPIRAL) {
    low = fmin(s->belt.radius.entry, s->belt.radius.exit),
    high = fmax(s->belt.radius.entry, s->belt.radius.exit);
    path = "belt.radius", unit = "belt.radius.entry";
  } else if (s->belt.radius.shape == CAP_SHEAVE_POINTS) {
    const cap_series *p = &s->belt.radius.points;
    low = high = p->y[0];
    for (int k = 1; k < p->n; k++) low = fmin(low, p->y[k]), high = fmax(high, p->y[k]);
    path = "belt.radius.points", unit = "belt.radius.points[0][1]";
    if (fabs(p->x[0]) > 1e-6 || fabs(p->x[p->n - 1] - s->belt.wrap) > 1e-6)
      cap_diag_at(diag, path, "expected angles from %s to %s (the wrap angle), got %s to %s",
                  cap_diag_quantity(diag, "belt.wrap_angle", 0.0, "rad"),
                  cap_diag_quantity(diag, "belt.wrap_angle", s->belt.wrap, "rad"),
                  cap_diag_quantity(diag, "belt.radius.points[0][0]", p->x[0], "rad"),
                  cap_diag_quantity(diag, "belt.radius.points[0][0]", p->x[p->n - 1], "rad"));
  }
  if (low < s->pulley.inner || high > s->pulley.outer)
    cap_diag_at(diag, path, "expected running radii on the sheaves (%s to %s), got %s%s%s",
                cap_pushbelt_length(diag, "pulley.inner_radius", s->pulley.inner),
                cap_pushbelt_length(diag, "pulley.outer_radius", s->pulley.outer),
                cap_pushbelt_length(diag, unit, low), high > low ? " to " : "",
                high > low ? cap_pushbelt_length(diag, unit, high) : "");
}

/* What shows only when the pulley is laid out: how many elements,
 * and whether they carry the clamping force. */
static void check_whole(const spec *s, cap_diag *diag)
{
  cap_arena arena = {0};
  cap_error error;
  cap_maxwell_pulley pulley;
  int count;
  double closing, force = s->clamping.force + s->clamping.amplitude, most;
  if (cap_sheave_pulley_lay(s, &arena, &pulley, &count, &error) != CAP_OK)
    cap_diag_at(diag, "belt.elements", "%s", error.text);
  else if (force > (most = cap_sheave_pulley_strongest(&pulley, count)))
    cap_diag_at(
        diag, "clamping.force",
        "too large for these flanks and sheaves; expected at most %s (with the amplitude), got %s; or "
        "increase the stiffness of flanks or sheaves",
        cap_diag_quantity(diag, "clamping.force", cap_pushbelt_inward(most, false), "N"),
        cap_diag_quantity(diag, "clamping.force", force, "N"));
  else if (cap_sheave_pulley_closing(&pulley, count, force, &closing, &error) != CAP_OK)
    cap_diag_at(diag, "clamping.force", "%s", error.text);
  cap_arena_free(&arena);
}

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  int before = diag->nerror;
  if (!(s->pulley.outer > s->pulley.inner))
    cap_diag_at(diag, "pulley.outer_radius", "expected more than the inner radius (%s), got %s",
                cap_pushbelt_length(diag, "pulley.inner_radius", s->pulley.inner),
                cap_pushbelt_length(diag, "pulley.outer_radius", s->pulley.outer));
  else check_radius(s, diag);
  if (s->clamping.amplitude > 0.0 && !(s->clamping.angular_frequency > 0.0))
    cap_diag_at(
        diag, "clamping.angular_frequency",
        "missing; expected an angular frequency above 0 rad/s for the amplitude of the clamping force");
  cap_compliance_check(&s->compliance, "compliance", diag);
  if (diag->nerror == before) check_whole(s, diag);
}

/* ---- model --------------------------------------------------------------------------------------------- */

/* input: a second load, or -1 */
static void add_channels(cap_builder *b, int z, int load, int input, int gauge)
{
  static const struct {
    const char *name, *unit, *text;
    int output;
  } shown[] = {
      {"sheave.movable.force", "N", "sum of the axial forces on the movable sheave", CAP_MAXWELL_GAUGE_LOOSE},
      {"sheave.fixed.force", "N", "sum of the axial forces on the fixed sheave", CAP_MAXWELL_GAUGE_FIXED},
      {"flank.largest", "N", "largest axial force of a flank", CAP_MAXWELL_GAUGE_LARGEST},
      {"flank.smallest", "N", "smallest axial force of a flank in the arc", CAP_MAXWELL_GAUGE_LEAST},
      {"flank.in_contact", "1", "number of flanks in contact", CAP_MAXWELL_GAUGE_TOUCHING},
      {"sheave.tilt", "rad", "equivalent tilt (Sattler) of both sheaves together", CAP_MAXWELL_GAUGE_TILT},
      {"sheave.tilt_centre", "rad", "angle from the entry at which the groove is widest",
       CAP_MAXWELL_GAUGE_CENTRE},
      {"sheave.plate", "m", "amplitude of the deflection in addition to the tilt", CAP_MAXWELL_GAUGE_PLATE},
      {"spiral.depth", "m",
       "spiral running: range of the running radius that the deflection over the arc causes",
       CAP_MAXWELL_GAUGE_SPIRAL},
      {"contact.iterations", "1", "iterations of the contact solver (Lemke: pivots) from a cold start",
       CAP_MAXWELL_GAUGE_ITERATIONS},
  };
  cap_term closing = {CAP_TERM_Q, z, 1.0}, speed = {CAP_TERM_V, z, 1.0},
           applied[2] = {{CAP_TERM_FORCE, load, -1.0}, {CAP_TERM_FORCE, input, -1.0}};
  cap_builder_channel(b, "sheave.axial_travel", "m", "axial travel of the movable sheave", 1, &closing);
  cap_builder_film(b);
  cap_builder_channel(b, "sheave.velocity", "m/s", "axial velocity of the movable sheave", 1, &speed);
  cap_builder_channel(b, "clamping.force", "N", "clamping force", input >= 0 ? 2 : 1, applied);
  cap_builder_film(b);
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
    cap_term term = {CAP_TERM_OUTPUT, gauge * CAP_OUTPUTS_MOST + shown[k].output, 1.0};
    cap_builder_channel(b, shown[k].name, shown[k].unit, shown[k].text, 1, &term);
    if (shown[k].output != CAP_MAXWELL_GAUGE_ITERATIONS) cap_builder_film(b);
  }
}

/* Each element on its way, as details. */
static void add_details(cap_builder *b, int count, const int *elements)
{
  static const struct {
    const char *name, *unit, *text;
    int output;
  } shown[] = {
      {"movable", "N", "axial force on the movable sheave of", CAP_MAXWELL_ELEMENT_LOOSE},
      {"fixed", "N", "axial force on the fixed sheave of", CAP_MAXWELL_ELEMENT_FIXED},
      {"angle", "rad", "angle from the entry of the arc of", CAP_MAXWELL_ELEMENT_ANGLE},
      {"radius", "m", "running radius of", CAP_MAXWELL_ELEMENT_RADIUS},
      {"overlap", "m", "axial overlap with the groove of rigid sheaves of", CAP_MAXWELL_ELEMENT_OVERLAP},
      {"deflection", "m", "axial deflection of the sheaves at", CAP_MAXWELL_ELEMENT_DEFLECTION},
  };
  for (int k = 0; k < count; k++)
    for (size_t n = 0; n < sizeof shown / sizeof *shown; n++) {
      char name[64], text[96];
      cap_term term = {CAP_TERM_OUTPUT, elements[k] * CAP_OUTPUTS_MOST + shown[n].output, 1.0};
      snprintf(name, sizeof name, "element.%d.%s", k + 1, shown[n].name);
      snprintf(text, sizeof text, "%s element %d", shown[n].text, k + 1);
      cap_builder_channel(b, name, shown[n].unit, text, 1, &term);
      cap_builder_detail(b);
      cap_builder_film_member(b);
    }
}

static void add_facts(const spec *s, const cap_maxwell_pulley *pulley, cap_builder *b)
{
  const struct {
    const char *name, *unit, *meaning;
    double value;
  } facts[] = {{"pulley.half_wedge_angle", "rad", "half wedge angle", s->pulley.wedge},
               {"pulley.inner_radius", "m", "inner radius of the sheaves", s->pulley.inner},
               {"pulley.outer_radius", "m", "outer radius of the sheaves", s->pulley.outer},
               {"pulley.speed", "rad/s", "speed of the pulley", s->pulley.speed},
               {"belt.wrap_angle", "rad", "wrap angle", s->belt.wrap},
               {"belt.pitch", "rad", "angular pitch of the elements", pulley->course.pitch}};
  for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
    cap_builder_scene_number(b, facts[k].name, facts[k].unit, facts[k].meaning, facts[k].value);
}

/* A step must resolve how an element passes its pitch, and the stiffest the loose sheave can be. */
static double fastest_of(const spec *s, const cap_maxwell_pulley *pulley, int count)
{
  double stiffness = 0.5 * count / pulley->course.compliance;
  return fmax(sqrt(stiffness / s->loose.mass), 8.0 * s->pulley.speed / pulley->course.pitch);
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  cap_arena *arena = cap_builder_arena(b);
  cap_maxwell_pulley *pulley = CAP_ARENA_NEW(arena, cap_maxwell_pulley, 1);
  int count = 0, elements[CAP_MAXWELL_ELEMENT_MOST];
  double closing = s->initial.closing;
  if (!pulley) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(cap_sheave_pulley_lay(s, arena, pulley, &count, error));
  if (!s->initial.closing_given) {
    double force = s->clamping.force + s->clamping.amplitude * sin(s->clamping.phase);
    CAP_TRY(cap_sheave_pulley_closing(pulley, count, force, &closing, error));
  }
  int z = cap_builder_dof(b, "movable", "m", s->loose.mass, closing, s->initial.velocity);
  double damper[CAP_LINK_NPARAM] = {0.0, s->loose.damping, 0.0};
  const cap_input_key *named = &s->clamping.input;
  double load[CAP_LOAD_NPARAM] = {named->name ? 0.0 : s->clamping.force, s->clamping.amplitude,
                                  s->clamping.angular_frequency, s->clamping.phase};
  cap_builder_element(b, &cap_link_type, "movable.damper", z, CAP_GROUND, damper, NULL);
  int applied = cap_builder_element(b, &cap_load_type, "clamping", z, CAP_GROUND, load, NULL);
  int input = named->name ? cap_load_input_add(b, "clamping.input", z, named, s->clamping.force, 1.0) : -1;
  bool full = s->compliance.kind == CAP_COMPLIANCE_TABLE || pulley->sheaves.form != CAP_MAXWELL_AUTO;
  const cap_element_type *type = full ? &cap_maxwell_element_full_type : &cap_maxwell_element_type;
  static const char *const part = "flanks";
  cap_builder_common(b, type, 1, &part, 0, NULL);
  for (int k = 0; k < count; k++) {
    const char *name = cap_arena_format(arena, "element.%d", k + 1);
    if (!name) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    elements[k] = cap_builder_element(b, type, name, z, CAP_GROUND, NULL, NULL);
    cap_builder_body(b, elements[k], pulley);
  }
  int gauge = cap_builder_element(b, &cap_maxwell_gauge_type, "flanks.gauge", z, CAP_GROUND, NULL, NULL);
  cap_builder_body(b, gauge, pulley);
  cap_builder_common(b, &cap_maxwell_gauge_type, 0, NULL, 0, NULL);
  cap_builder_reads(b, &cap_maxwell_gauge_type, 1, &type);
  cap_builder_fastest(b, fastest_of(s, pulley, count));
  if (s->clamping.angular_frequency > 0.0) cap_builder_period(b, 2.0 * M_PI / s->clamping.angular_frequency);
  add_channels(b, z, applied, input, gauge);
  add_details(b, count, elements);
  add_facts(s, pulley, b);
  return CAP_OK;
}

static void summarise(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  cap_start_values start;
  (void)description;
  cap_summary_begin(out, "pulley and arc");
  cap_summary_number(out, "speed", "rpm", s->pulley.speed);
  cap_summary_number(out, "half wedge angle", "deg", s->pulley.wedge);
  cap_summary_number(out, "inner radius", "mm", s->pulley.inner);
  cap_summary_number(out, "outer radius", "mm", s->pulley.outer);
  cap_summary_number(out, "wrap angle", "deg", s->belt.wrap);
  cap_summary_number(out, "elements in the arc", "", s->belt.elements);
  cap_summary_number(out, "angular pitch of the elements", "deg", s->belt.wrap / s->belt.elements);
  cap_summary_number(out, "axial stiffness of a flank", "N/mm", s->belt.stiffness);
  cap_summary_number(out, "mean clamping force", "kN", s->clamping.force);
  if (s->clamping.angular_frequency > 0.0)
    cap_summary_number(out, "frequency of the clamping force", "Hz",
                       s->clamping.angular_frequency / (2.0 * M_PI));
  if (s->pulley.speed > 0.0)
    cap_summary_number(out, "time of an element in the arc", "ms", s->belt.wrap / s->pulley.speed);
  cap_summary_begin(out, "at the start");
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  cap_start_values_tell(&start, "sheave.axial_travel", "axial travel of the movable sheave", "mm", out);
  cap_start_values_tell(&start, "flank.in_contact", "flanks in contact", "", out);
  cap_start_values_tell(&start, "flank.largest", "largest flank force", "N", out);
  cap_start_values_tell(&start, "flank.smallest", "smallest flank force in the arc", "N", out);
  cap_start_values_tell(&start, "sheave.tilt", "equivalent tilt of both sheaves", "deg", out);
  cap_start_values_tell(&start, "spiral.depth", "range of the radius by deflection", "um", out);
  cap_start_values_close(&start);
}

static void draw(const void *self, const void *description, const cap_model *model, cap_drawing *d)
{
  const spec *s = self;
  cap_arena arena = {0};
  cap_maxwell_pulley pulley;
  cap_error unused = {0};
  int count = 0;
  (void)description, (void)model;
  cap_drawing_circle(d, CAP_DRAWING_PART, 0.0, 0.0, s->pulley.outer);
  cap_drawing_circle(d, CAP_DRAWING_SECOND, 0.0, 0.0, s->pulley.inner);
  d->exhausted = d->exhausted || cap_sheave_pulley_lay(s, &arena, &pulley, &count, &unused) != CAP_OK;
  if (!d->exhausted) {
    /* symmetric about the upper side, running clockwise */
    double radius = pulley.course.reference, from = 0.5 * (M_PI + s->belt.wrap);
    cap_drawing_arc(d, CAP_DRAWING_BELT, 0.0, 0.0, radius, from, -s->belt.wrap);
    for (int k = 0; k < 2; k++) {
      double angle = from - k * s->belt.wrap;
      cap_drawing_line(d, CAP_DRAWING_GUIDE, 0.0, 0.0, 1.1 * s->pulley.outer * cos(angle),
                       1.1 * s->pulley.outer * sin(angle));
      cap_drawing_text(d, 1.1 * s->pulley.outer * cos(angle), 1.1 * s->pulley.outer * sin(angle), cos(angle),
                       sin(angle), "%s", k ? "exit" : "entry");
    }
    cap_drawing_arc_arrow(d, 0.0, 0.0, 0.75 * s->pulley.inner, 0.8 * M_PI, -0.6 * M_PI);
    cap_drawing_text(d, 0.0, s->pulley.outer, 0.0, 1.0, "arc\nwrap %.4g°\n%d elements\nradius %.4g mm",
                     s->belt.wrap * 180.0 / M_PI, s->belt.elements, 1e3 * radius);
  }
  cap_drawing_say(d, "sheaves %.4g to %.4g mm, %.5g rpm, clamping force %.4g kN", 1e3 * s->pulley.inner,
                  1e3 * s->pulley.outer, s->pulley.speed * 30.0 / M_PI, 1e-3 * s->clamping.force);
  cap_arena_free(&arena);
}

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"sheave.closing",
                                            "sheave.axial_travel",
                                            "sheave.loose.force",
                                            "sheave.movable.force",
                                            "flank.least",
                                            "flank.smallest",
                                            "flank.touching",
                                            "flank.in_contact",
                                            "element.#.loose",
                                            "element[#].movable",
                                            "element.#.*",
                                            "element[#].*",
                                            NULL};

const cap_drive cap_sheave_drive = {
    .name = "sheave",
    .doc =
        "one pulley of a pushbelt variator: elements run through its arc and press with their flanks on a "
        "fixed and a movable sheave, which tilt and bend under all flank forces together (coupled contact)",
    .starter = "sheave",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = summarise,
    .draw = draw,
};
