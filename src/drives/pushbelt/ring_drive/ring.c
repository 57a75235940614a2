/* drives/pushbelt/ring_drive/ring.c — a ring of a pushbelt: keys, checks, system.
 *
 * Maths: docs/theory.md §34, §35. The ring is one of drives/pushbelt/ring/ring.h.
 */
#include "drives/pushbelt/ring_drive/ring.h"
#include "drives/drive.h"
#include "drives/pushbelt/description/pushbelt.h"
#include "drives/pushbelt/ring/ring_gauge.h"
#include "drives/registry.h"

#include <math.h>
#include <string.h>

typedef cap_ring_spec spec;

enum { REFERENCE, CIRCLE };
static const char *const curvatures[] = {"exact", "document", NULL}; /* as cap_ring_curvature */
static const char *const start_shapes[] = {"reference", "circle", NULL};

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - BASE, .unit = unit_, __VA_ARGS__ \
  }
#define INT(key_, member, ...)                                                                               \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_INT, .offset = offsetof(spec, member) - BASE, __VA_ARGS__                 \
  }
#define BOOL(key_, member, ...)                                                                              \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_BOOL, .offset = offsetof(spec, member) - BASE, .fallback = "false",       \
    .example = "true", __VA_ARGS__                                                                           \
  }
#define POSITIVE .low = 0, .low_open = true, .high = INFINITY

#define BASE offsetof(spec, ring.section)
static const cap_field section_fields[] = {
    INT("layers", ring.section.layers, .fallback = "9", .low = 1, .high = 100, .example = "9",
        .doc =
            "number of nested thin layers, which slide on each other: each bends about its own centre line"),
    INT("packs", ring.section.packs, .fallback = "2", .low = 1, .high = 100, .example = "2",
        .doc = "number of ring packs side by side"),
    REAL("thickness", ring.section.thickness, "m", .required = true, POSITIVE, .example = "0.185 mm",
         .doc = "thickness of one layer"),
    REAL("width", ring.section.width, "m", .required = true, POSITIVE, .example = "9.75 mm",
         .doc = "width of one layer"),
    REAL("modulus", ring.section.modulus, "N/m2", .required = true, POSITIVE, .example = "1.8e11 N/m2",
         .doc = "Young's modulus"),
    REAL("density", ring.section.density, "kg/m3", .required = true, POSITIVE, .example = "8000 kg/m3",
         .doc = "density"),
    {0}};
#undef BASE
#define BASE offsetof(spec, ring)
static const cap_field ring_fields[] = {
    {.key = "model",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, ring.model) - BASE,
     .choices = cap_ring_names,
     .fallback = "rcm",
     .example = "ale",
     .doc = CAP_RING_MODELS_DOC("running, ratio and ")},
    INT("nodes", ring.nodes, .fallback = "40", .low = 2, .high = 4096, .example = "40",
        .doc = "number of evenly spaced nodes; ale0 has none"),
    REAL("length", ring.length, "m", POSITIVE, .present = 1 + offsetof(spec, ring.length_given) - BASE,
         .example = "667.0139 mm",
         .doc = "length of the closed centre line at the start; with pulleys it follows from their radii and "
                "distance"),
    REAL("free_length", ring.free_length, "m", POSITIVE,
         .present = 1 + offsetof(spec, ring.free_length_given) - BASE, .example = "666.6 mm",
         .doc = "length of the unloaded centre line; default without prestress: length, or, with clamped "
                "pulleys, the value in equilibrium with the clamping force"),
    REAL("prestress", ring.prestress, "N", .low = 0, .high = INFINITY,
         .present = 1 + offsetof(spec, ring.prestress_given) - BASE, .example = "500 N",
         .doc = "tension at the start, instead of free_length"),
    {.key = "section",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, ring.section) - BASE,
     .fields = section_fields,
     .required = true,
     .doc = "cross-section and material of the ring"},
    REAL("damping", ring.damping, "s", .fallback = "0 s", .low = 0, .high = INFINITY, .example = "1e-7 s",
         .doc = "material damping: stress = modulus (strain + damping strain rate)"),
    {.key = "curvature",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, ring.curvature) - BASE,
     .choices = curvatures,
     .fallback = "exact",
     .example = "exact",
     .doc = "curvature in the model ale: exact, that of the true centre line; document, linearised as "
            "published (eq. 2.18)"},
    INT("outputs", ring.outputs, .fallback = "8", .low = 1, .high = 256, .example = "8",
        .doc =
            "number of evenly spaced points along the ring with channels for tension, curvature and stress"),
    {0}};
#undef BASE
#define BASE offsetof(spec, start)
static const cap_field start_fields[] = {
    {.key = "shape",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, start.shape) - BASE,
     .choices = start_shapes,
     .fallback = "reference",
     .example = "circle",
     .doc = "shape at the start: reference (two arcs and two strands at the centre distance) or circle"},
    REAL("theta", start.theta, "", .low = -1, .low_open = true, .high = 1, .high_open = true, .fallback = "0",
         .present = 1 + offsetof(spec, start.theta_given) - BASE, .example = "0.4",
         .doc = "ratio parameter Theta = (1 - i)/(1 + i) at the start, with the geometric ratio i = r_S/r_P"),
    REAL("ratio", start.ratio, "", POSITIVE, .present = 1 + offsetof(spec, start.ratio_given) - BASE,
         .example = "0.4286", .doc = "geometric ratio i = r_S/r_P at the start, instead of theta"),
    REAL("speed", start.speed, "m/s", .fallback = "0 m/s", .example = "10 m/s",
         .doc = "running speed of the ring at the start; positive when the upper strand runs from the "
                "secondary to the primary"),
    REAL("theta_rate", start.theta_speed, "1/s", .fallback = "0 1/s", .example = "0 1/s",
         .was = "theta_speed", .doc = "rate of Theta at the start; ale and ale0 only"),
    {0}};
#undef BASE
#define BASE offsetof(spec, locks)
static const cap_field locks_fields[] = {
    BOOL("deformation", locks.deformation, .doc = "no superimposed deformation, as in ale0"),
    BOOL("theta", locks.theta, .doc = "constant ratio"),
    BOOL("travel", locks.travel, .doc = "no running along the curve"),
    {0}};
#undef BASE
#define BASE 0

#define SECTION(key_, member, fields_, required_, doc_)                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(spec, member), .fields = fields_,             \
    .required = required_, .doc = doc_                                                                       \
  }

static const cap_field fields[] = {
    SECTION("ring", ring, ring_fields, true, "ring and ring model"),
    REAL("centre_distance", centre_distance, "m", .fallback = "0 m", .low = 0, .high = INFINITY,
         .example = "155 mm",
         .doc = "distance of the axes of the reference curve's arcs: the secondary axis is at the origin, "
                "the primary axis at (centre_distance, 0)"),
    SECTION("start", start, start_fields, false, "shape and motion at the start"),
    SECTION("locks", locks, locks_fields, false, "locked motions, of ale and ale0 only"),
    {.key = "pulleys",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, pulleys),
     .present = 1 + offsetof(spec, pulleys_given),
     .fields = cap_ring_pulleys_fields,
     .doc = "two round pulleys on which the ring runs"},
    {0}};

cap_ring_shape cap_ring_drive_shape(const spec *s)
{
  cap_ring_shape shape = {.model = cap_ring_names[s->ring.model],
                          .name = "ring",
                          .section = {.damping = s->ring.damping,
                                      .layers = s->ring.section.layers,
                                      .packs = s->ring.section.packs,
                                      .thickness = s->ring.section.thickness,
                                      .width = s->ring.section.width,
                                      .modulus = s->ring.section.modulus},
                          .length = s->ring.length,
                          .free_length = s->ring.free_length,
                          .centre_distance = s->start.shape == CIRCLE ? 0.0 : s->centre_distance,
                          .theta = s->start.theta,
                          .theta_speed = s->start.theta_speed,
                          .speed = s->start.speed,
                          .nodes = s->ring.nodes,
                          .curvature = (cap_ring_curvature)s->ring.curvature,
                          .lock_deformation = s->locks.deformation,
                          .lock_theta = s->locks.theta,
                          .lock_travel = s->locks.travel,
                          .outputs = s->ring.outputs};
  cap_ring_section_fill(&shape.section, s->ring.section.density);
  if (s->pulleys_given) cap_ring_pulleys_shape(s, &shape);
  if (!s->ring.free_length_given) shape.free_length = shape.length;
  double tension = s->ring.prestress_given ? s->ring.prestress : 0.0;
  if (s->pulleys_given) tension = cap_ring_pulleys_tension(s, &shape.section);
  if (tension > 0.0) shape.free_length = shape.length / (1.0 + tension / shape.section.EA);
  if (s->start.ratio_given) shape.theta = (1.0 - s->start.ratio) / (1.0 + s->start.ratio);
  return shape;
}

static bool is(const cap_ring_fault *fault, const char *member)
{
  return strcmp(fault->member, member) == 0;
}

/* The key that stands for a member of the ring's shape. */
static const char *key_of(const spec *s, const cap_ring_fault *fault)
{
  static const char *const keys[][2] = {{"model", "ring.model"},
                                        {"length", "ring.length"},
                                        {"free_length", "ring.free_length"},
                                        {"section", "ring.section"},
                                        {"damping", "ring.damping"},
                                        {"centre_distance", "centre_distance"},
                                        {"nodes", "ring.nodes"},
                                        {"curvature", "ring.curvature"},
                                        {"theta_speed", "start.theta_rate"},
                                        {"lock", "locks"}};
  if (is(fault, "theta"))
    return s->pulleys_given ? "pulleys" : s->start.ratio_given ? "start.ratio" : "start.theta";
  if (is(fault, "lock_theta")) return s->start.shape ? "start.shape" : "centre_distance";
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (is(fault, keys[k][0])) return keys[k][1];
  return "ring";
}

static void check_shape(const spec *s, cap_diag *diag)
{
  cap_ring_shape shape = cap_ring_drive_shape(s);
  cap_ring_fault fault = cap_ring_obstacle(&shape);
  if (!fault.text) return;
  const char *key = key_of(s, &fault);
  double most = fault.most;
  if (is(&fault, "theta") && s->start.ratio_given)
    cap_diag_at(diag, key, "%s; expected a ratio from %.4g to %.4g, got %.6g", fault.text,
                cap_pushbelt_inward((1.0 - most) / (1.0 + most), true),
                cap_pushbelt_inward((1.0 + most) / (1.0 - most), false), s->start.ratio);
  else if (is(&fault, "theta"))
    cap_diag_at(diag, key, "%s; expected a Theta from %.4g to %.4g, got %.6g", fault.text,
                -cap_pushbelt_inward(most, false), cap_pushbelt_inward(most, false), shape.theta);
  else if (is(&fault, "nodes")) cap_diag_at(diag, key, "%s, got %d", fault.text, shape.nodes);
  else if (is(&fault, "centre_distance"))
    cap_diag_at(diag, key, "%s; expected less than half of the length (%s), got %s", fault.text,
                cap_diag_quantity(diag, key, 0.5 * shape.length, "m"),
                cap_diag_quantity(diag, key, shape.centre_distance, "m"));
  else cap_diag_at(diag, key, "%s", fault.text);
}

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  if (s->ring.free_length_given && s->ring.prestress_given)
    cap_diag_at(diag, "ring.prestress", "conflicts with free_length; specify only one");
  if (s->start.theta_given && s->start.ratio_given)
    cap_diag_at(diag, "start.ratio", "conflicts with theta; specify only one");
  if (!s->ring.length_given && !s->pulleys_given)
    cap_diag_at(
        diag, "ring.length",
        "missing; expected a length such as \"667 mm\", or the section pulleys, from which it follows");
  if (s->pulleys_given) cap_ring_pulleys_check(s, diag);
  if (diag->nerror == 0) check_shape(s, diag);
}

/* The ring as links between its points. */
static cap_status add_scene(cap_builder *b, int points, const spec *s)
{
  cap_arena *arena = cap_builder_arena(b);
  int wheels = s->pulleys_given ? 2 : 0;
  cap_scene_shape *shapes = CAP_ARENA_NEW(arena, cap_scene_shape, points + wheels);
  if (!shapes) return CAP_ERR_NOMEM;
  for (int k = 0; k < wheels; k++)
    shapes[k] = (cap_scene_shape){.body = k ? "pulley.primary" : "pulley.secondary",
                                  .radius = k ? s->pulleys.primary.radius : s->pulleys.secondary.radius};
  for (int k = 0; k < points; k++) {
    cap_scene_shape *link = &shapes[wheels + k];
    link->body = cap_arena_format(arena, "node.%d", k);
    link->to = cap_arena_format(arena, "node.%d", (k + 1) % points);
    if (!link->body || !link->to) return CAP_ERR_NOMEM;
  }
  cap_builder_scene(b, points + wheels, shapes);
  cap_builder_scene_number(b, "centre_distance", "m", "distance of the pulley axes", s->centre_distance);
  cap_builder_scene_number(b, "ring.thickness", "m", "thickness of a ring pack",
                           s->ring.section.layers * s->ring.section.thickness);
  return CAP_OK;
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  cap_ring_shape shape = cap_ring_drive_shape(s);
  const cap_ring *ring = cap_ring_build(b, &shape, error);
  if (!ring) return error ? error->status : CAP_ERR_UNSUPPORTED;
  if (s->pulleys_given) CAP_TRY(cap_ring_pulleys_build(s, &shape, ring, b, error));
  if (add_scene(b, cap_ring_gauge_points(&shape), s) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return CAP_OK;
}

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"ring.#.*", "ring[#].*", "pulley.*.normal",
                                            "pulley.*.normal_force", NULL};

const cap_drive cap_ring_drive = {
    .name = "ring",
    .doc = "one ring of a pushbelt in the plane, free or on two pulleys, by one of four ring models",
    .starter = "ring_pulleys",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = cap_ring_summary,
    .draw = cap_ring_summary_draw,
};
