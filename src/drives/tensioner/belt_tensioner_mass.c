/* drives/tensioner/belt_tensioner_mass.c — mass, belt, tensioner pulley, tensioner: eqs. (36) of Bastien et
 * al.
 *
 *   T = K (u1 - u2) + C (u1' - u2') + T0
 *   m1 u1'' = -T + f(t) + m1 g,   m2 u2'' = T - F + m2 g,   f = f0 + f1 sin(Omega t + phi)
 * u1 is the lower mass, u2 the tensioner pulley, both positive downward; F is the tensioner's law over u2.
 */
#include "drives/drive.h"
#include "drives/registry.h"
#include "drives/tensioner/tensioner_law.h"
#include "elements/elements.h"

#include <math.h>

typedef struct spec {
  struct {
    double mass, pulley;
  } masses;
  struct {
    double k, c, t0;
  } belt;
  struct {
    double mean, amplitude, angular_frequency, phase;
    cap_input_key input;
  } load;
  double gravity;
  cap_tensioner_law tensioner;
  struct {
    double t, u1, v1, u2, v2;
  } initial;
} spec;

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - BASE, .unit = unit_, __VA_ARGS__ \
  }

#define BASE offsetof(spec, masses)
static const cap_field masses_fields[] = {
    REAL("mass", masses.mass, "kg", .required = true, .low = 0, .low_open = true, .high = INFINITY,
         .example = "73.84 kg", .doc = "lower mass m1, to which the load is applied"),
    REAL("pulley", masses.pulley, "kg", .required = true, .low = 0, .low_open = true, .high = INFINITY,
         .example = "0.15 kg", .doc = "mass m2 of the tensioner pulley"),
    {0}};
#undef BASE
#define BASE offsetof(spec, belt)
static const cap_field belt_fields[] = {
    REAL("stiffness", belt.k, "N/m", .required = true, .low = 0, .low_open = true, .high = INFINITY,
         .example = "560 kN/m", .doc = "total stiffness K of both spans"),
    REAL("damping", belt.c, "N s/m", .fallback = "0 N s/m", .low = 0, .high = INFINITY,
         .example = "160 N s/m", .doc = "total viscous damping C of both spans"),
    REAL("tension", belt.t0, "N", .fallback = "0 N", .example = "0 N",
         .doc = "initial tension T0 (only shifts the rest position of the mass)"),
    {0}};
#undef BASE
#define BASE offsetof(spec, load)
static const cap_field load_fields[] = {
    REAL("mean", load.mean, "N", .input = 1 + offsetof(spec, load.input) - BASE, .fallback = "0 N",
         .example = "0 N", .doc = "mean force f0"),
    REAL("amplitude", load.amplitude, "N", .required = true, .low = 0, .high = INFINITY, .example = "100 N",
         .doc = "amplitude f1"),
    REAL("angular_frequency", load.angular_frequency, "rad/s", .required = true, .low = 0, .low_open = true,
         .high = INFINITY, .example = "60 rad/s", .was = "pulsation", .hertz = "frequency",
         .doc = "angular frequency Omega"),
    REAL("phase", load.phase, "rad", .fallback = "0 rad", .example = "0 rad", .doc = "phase phi"),
    {0}};
#undef BASE
#define BASE offsetof(spec, initial)
static const cap_field initial_fields[] = {
    REAL("time", initial.t, "s", .fallback = "0 s", .example = "1.6 ms", .doc = "start time"),
    REAL("mass_position", initial.u1, "m", .fallback = "0 m", .example = "0 mm",
         .doc = "initial position u1 of the mass"),
    REAL("mass_velocity", initial.v1, "m/s", .fallback = "0 m/s", .example = "0 m/s",
         .doc = "initial velocity u1' of the mass"),
    REAL("deflection", initial.u2, "m", .fallback = "0 m", .example = "0 mm",
         .doc = "initial deflection u2 of the tensioner"),
    REAL("velocity", initial.v2, "m/s", .fallback = "0 m/s", .example = "0 m/s",
         .doc = "initial velocity u2' of the tensioner"),
    {0}};
#undef BASE
#define BASE 0

#define SECTION(key_, member, fields_, required_, doc_)                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(spec, member), .fields = fields_,             \
    .required = required_, .doc = doc_                                                                       \
  }

static const cap_field fields[] = {
    SECTION("masses", masses, masses_fields, true, "the two masses"),
    SECTION("belt", belt, belt_fields, true,
            "belt between the mass and the tensioner pulley, as a spring and damper"),
    {.key = "tensioner",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, tensioner),
     .variants = cap_tensioner_law_variants,
     .tag_key = "law",
     .required = true,
     .doc = "hysteresis law: tensioner force vs pulley displacement"},
    SECTION("load", load, load_fields, true, "force on the lower mass: f0 + f1 sin(Omega t + phi)"),
    REAL("gravity", gravity, "m/s2", .fallback = "9.81 m/s2", .example = "9.81 m/s2",
         .doc = "acceleration of gravity"),
    SECTION("initial", initial, initial_fields, false, "initial state"),
    {0}};

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  cap_tensioner_law_check(&s->tensioner, "tensioner", diag);
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  cap_builder_start(b, s->initial.t);
  int mass = cap_builder_dof(b, "mass", "m", s->masses.mass, s->initial.u1, s->initial.v1);
  int pulley = cap_builder_dof(b, "pulley", "m", s->masses.pulley, s->initial.u2, s->initial.v2);
  double belt[CAP_LINK_NPARAM] = {s->belt.k, s->belt.c, s->belt.t0};
  double load[CAP_LOAD_NPARAM] = {s->load.input.name ? 0.0 : s->load.mean, s->load.amplitude,
                                  s->load.angular_frequency, s->load.phase};
  double weight_mass = s->masses.mass * s->gravity, weight_pulley = s->masses.pulley * s->gravity;
  int belt_element = cap_builder_element(b, &cap_link_type, "belt", mass, pulley, belt, NULL);
  int load_element = cap_builder_element(b, &cap_load_type, "load", mass, CAP_GROUND, load, NULL);
  cap_builder_element(b, &cap_weight_type, "mass.weight", mass, CAP_GROUND, &weight_mass, NULL);
  cap_builder_element(b, &cap_weight_type, "pulley.weight", pulley, CAP_GROUND, &weight_pulley, NULL);
  cap_tensioner_parts parts;
  CAP_TRY(cap_tensioner_law_build(&s->tensioner, b, "tensioner", pulley, s->initial.u2,
                                  s->load.angular_frequency, &parts, error));
  cap_builder_period(b, 2.0 * M_PI / s->load.angular_frequency);

  cap_term tension = {CAP_TERM_FORCE, belt_element, 1.0};
  cap_term applied[2] = {{CAP_TERM_FORCE, load_element, -1.0}};
  if (s->load.input.name)
    applied[1] = (cap_term){
        CAP_TERM_FORCE, cap_load_input_add(b, "load.input", mass, &s->load.input, s->load.mean, 1.0), -1.0};
  cap_term position = {CAP_TERM_Q, mass, 1.0}, velocity = {CAP_TERM_V, mass, 1.0};
  cap_builder_channel(b, "belt.tension", "N", "belt tension, sum of both spans", 1, &tension);
  cap_builder_film(b);
  CAP_TRY(cap_tensioner_law_channels(&s->tensioner, b, "tensioner", pulley, &parts, error));
  cap_builder_channel(b, "mass.position", "m", "position of the lower mass", 1, &position);
  cap_builder_film(b);
  cap_builder_channel(b, "mass.velocity", "m/s", "velocity of the lower mass", 1, &velocity);
  cap_builder_film(b);
  cap_builder_channel(b, "load.force", "N", "force on the lower mass", s->load.input.name ? 2 : 1, applied);
  cap_builder_film(b);
  cap_builder_scene_number(b, "mass.mass", "kg", "lower mass", s->masses.mass);
  cap_builder_scene_number(b, "pulley.mass", "kg", "mass of the tensioner pulley", s->masses.pulley);
  cap_builder_scene_number(b, "belt.stiffness", "N/m", "total stiffness of both spans", s->belt.k);
  return CAP_OK;
}

static void summarise(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  double weight = s->masses.mass * s->gravity;
  (void)description, (void)model;
  cap_summary_begin(out, "masses and belt");
  cap_summary_number(out, "lower mass", "kg", s->masses.mass);
  cap_summary_number(out, "mass of the tensioner pulley", "kg", s->masses.pulley);
  cap_summary_number(out, "stiffness of both spans", "N/mm", s->belt.k);
  cap_summary_number(out, "damping of both spans", "N s/m", s->belt.c);
  cap_summary_number(out, "weight of the lower mass", "N", weight);
  cap_summary_number(out, "natural frequency of the mass on the belt alone", "Hz",
                     sqrt(s->belt.k / s->masses.mass) / (2.0 * M_PI));
  cap_tensioner_law_summary(&s->tensioner, s->initial.u2, s->load.angular_frequency, out);
  cap_summary_begin(out, "load on the lower mass");
  cap_summary_number(out, "mean", "N", s->load.mean);
  cap_summary_number(out, "amplitude", "N", s->load.amplitude);
  cap_summary_number(out, "frequency", "Hz", s->load.angular_frequency / (2.0 * M_PI));
}

/* Lying on its side: the ground on the left, the mass that hangs on the right. */
static void draw(const void *self, const void *description, const cap_model *model, cap_drawing *d)
{
  const spec *s = self;
  (void)description, (void)model;
  d->scheme = true;
  cap_tensioner_law_summary_draw(&s->tensioner, 0.5, 3.1, d);
  cap_drawing_wall(d, 0.0, 0.6, 0.0, -0.6, -0.12);
  cap_drawing_line(d, CAP_DRAWING_ARM, 0.0, 0.0, 0.5, 0.0);
  cap_drawing_line(d, CAP_DRAWING_ARM, 3.1, 0.0, 3.5, 0.0);
  cap_drawing_circle(d, CAP_DRAWING_PART, 3.9, 0.0, 0.4);
  cap_drawing_text(d, 3.9, -0.4, 0.0, -1.0, "pulley\n%.4g kg", s->masses.pulley);
  cap_drawing_line(d, CAP_DRAWING_BELT, 3.9, 0.4, 5.6, 0.4);
  cap_drawing_line(d, CAP_DRAWING_BELT, 3.9, -0.4, 5.6, -0.4);
  cap_drawing_text(d, 4.9, 0.4, 0.0, 1.0, "belt\n%.4g N/mm", 1e-3 * s->belt.k);
  cap_drawing_box(d, CAP_DRAWING_PART, 5.6, -0.6, 1.0, 1.2);
  cap_drawing_text(d, 6.1, 0.0, 0.0, 0.0, "mass\n%.4g kg", s->masses.mass);
  cap_drawing_arrow(d, 6.6, 0.0, 7.2, 0.0);
  cap_drawing_text(d, 7.2, 0.0, 1.0, 0.0, "load\n%.4g ± %.4g N\n%.4g Hz", s->load.mean, s->load.amplitude,
                   s->load.angular_frequency / (2.0 * M_PI));
  cap_drawing_say(d, "gravity, %.4g m/s2, acts to the right", s->gravity);
}

const cap_drive cap_belt_tensioner_mass_drive = {
    .name = "belt-tensioner-mass",
    .doc = "mass suspended by a belt that runs over a tensioner pulley: two degrees of freedom, with any of "
           "the tensioner laws (Bastien et al., section 4)",
    .starter = "belt_tensioner_mass",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = summarise,
    .draw = draw,
};
