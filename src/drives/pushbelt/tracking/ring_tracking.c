/* drives/pushbelt/tracking/ring_tracking.c — one layer of a ring on the crowned saddle of an element: no
 * motion, a field of forces.
 *
 * Maths: docs/theory.md §39. The analysis `tracking` computes the field.
 */
#include "drives/pushbelt/tracking/ring_tracking.h"
#include "drives/drive.h"
#include "drives/pushbelt/tracking/tracking_table.h"
#include "drives/registry.h"
#include "model/builder.h"

#include <math.h>
#include <stddef.h>

typedef struct spec {
  struct {
    double modulus, poisson, thickness, width, radius;
  } ring;
  struct {
    double crown, width;
  } saddle;
  double depth;
} spec;

#define REAL(key_, base, member, unit_, ...)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - offsetof(spec, base),            \
    .unit = unit_, __VA_ARGS__                                                                               \
  }

static const cap_field ring_fields[] = {
    REAL("modulus", ring, ring.modulus, "Pa", .fallback = "180 GPa", .low = 0, .low_open = true,
         .high = INFINITY, .example = "180 GPa", .doc = "Young's modulus E"),
    REAL("poisson", ring, ring.poisson, "", .fallback = "0.3", .low = -1, .low_open = true, .high = 0.5,
         .example = "0.3", .doc = "Poisson's ratio nu"),
    REAL("thickness", ring, ring.thickness, "m", .required = true, .low = 0, .low_open = true, .high = 1,
         .example = "0.185 mm", .doc = "thickness h of the ring layer"),
    REAL("width", ring, ring.width, "m", .required = true, .low = 0, .low_open = true, .high = 10,
         .example = "9.75 mm", .doc = "width L of the ring layer"),
    REAL("radius", ring, ring.radius, "m", .required = true, .low = 0, .low_open = true, .high = 1e3,
         .example = "56.8 mm", .doc = "radius R to which the ring is bent around the pulley"),
    {0}};

static const cap_field saddle_fields[] = {
    REAL("crown", saddle, saddle.crown, "m", .required = true, .low = 0, .low_open = true, .high = 1e3,
         .example = "250 mm", .doc = "crown radius R_S of the saddle across the ring"),
    REAL("width", saddle, saddle.width, "m", .fallback = "0 m", .low = 0, .high = 10, .example = "10.2 mm",
         .doc = "width of the saddle, with its crest in the middle; 0: wider than the ring"),
    {0}};

static const cap_field fields[] = {
    {.key = "ring",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, ring),
     .fields = ring_fields,
     .required = true,
     .doc = "ring layer on the saddle"},
    {.key = "saddle",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, saddle),
     .fields = saddle_fields,
     .required = true,
     .doc = "crowned saddle of the element"},
    {.key = "depth",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, depth),
     .unit = "m",
     .fallback = "1 m",
     .low = 0,
     .low_open = true,
     .high = 1e3,
     .example = "1.5 mm",
     .doc = "length b of the contact along the ring, such as the thickness of an element"},
    {0}};

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  if (s->ring.thickness >= s->ring.width)
    cap_diag_at(diag, "ring.thickness", "expected less than the width (%s), got %s",
                cap_diag_quantity(diag, "ring.width", s->ring.width, "m"),
                cap_diag_quantity(diag, "ring.thickness", s->ring.thickness, "m"));
  if (s->ring.thickness > 0.1 * s->ring.radius)
    cap_diag_at(diag, "ring.thickness",
                "too thick for a thin ring; expected at most a tenth of its radius (%s), got %s",
                cap_diag_quantity(diag, "ring.radius", 0.1 * s->ring.radius, "m"),
                cap_diag_quantity(diag, "ring.thickness", s->ring.thickness, "m"));
  if (s->ring.width >= 2.0 * s->saddle.crown)
    cap_diag_at(diag, "saddle.crown", "expected more than half the width of the ring (%s), got %s",
                cap_diag_quantity(diag, "ring.width", 0.5 * s->ring.width, "m"),
                cap_diag_quantity(diag, "saddle.crown", s->saddle.crown, "m"));
}

const cap_subject_type cap_ring_tracking_subject = {
    .name = "ring on a crowned saddle",
    .alone = "a ring on a saddle is not computed in a batch of several models"};

const capm_tracking_ring *cap_ring_tracking_of(const cap_model *m)
{
  return cap_subject_of(m, &cap_ring_tracking_subject);
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  (void)error;
  capm_tracking_ring ring = {.modulus = s->ring.modulus,
                             .poisson = s->ring.poisson,
                             .thickness = s->ring.thickness,
                             .width = s->ring.width,
                             .radius = s->ring.radius,
                             .crown = s->saddle.crown,
                             .saddle = s->saddle.width > 0.0 ? s->saddle.width : INFINITY,
                             .depth = s->depth};
  capm_tracking_ring *copy = CAP_ARENA_NEW(cap_builder_arena(b), capm_tracking_ring, 1);
  if (copy) *copy = ring;
  cap_builder_subject(b, &cap_ring_tracking_subject, copy);
  return CAP_OK;
}

static void summarise(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  (void)description, (void)model;
  cap_summary_begin(out, "ring layer on the saddle");
  cap_summary_number(out, "width of the layer", "mm", s->ring.width);
  cap_summary_number(out, "thickness of the layer", "mm", s->ring.thickness);
  cap_summary_number(out, "bending radius of the ring", "mm", s->ring.radius);
  cap_summary_number(out, "Young's modulus", "MPa", s->ring.modulus);
  cap_summary_number(out, "crown radius of the saddle", "mm", s->saddle.crown);
  if (s->saddle.width > 0.0) cap_summary_number(out, "width of the saddle", "mm", s->saddle.width);
  else cap_summary_text(out, "width of the saddle", "wider than the ring layer");
  cap_summary_number(out, "length of the contact along the ring", "mm", s->depth);
  cap_summary_number(out, "height of the crown over the width of the layer", "um",
                     s->saddle.crown -
                         sqrt(s->saddle.crown * s->saddle.crown - 0.25 * s->ring.width * s->ring.width));
}

/* Across the ring, with the layer in the middle of the crest. */
static void draw(const void *self, const void *description, const cap_model *model, cap_drawing *d)
{
  const spec *s = self;
  double half = 0.5 * (s->saddle.width > 0.0 ? s->saddle.width : 1.3 * s->ring.width), r = s->saddle.crown;
  double w = 0.5 * s->ring.width, h = s->ring.thickness, depth = 0.12 * s->ring.width, points[43][2];
  (void)description, (void)model;
  if (half > 0.9 * r) half = 0.9 * r;
  for (int k = 0; k <= 40; k++) {
    double x = half * (k - 20) / 20.0;
    points[k][0] = x;
    points[k][1] = sqrt(r * r - x * x) - r;
  }
  points[41][0] = half, points[41][1] = points[40][1] - depth;
  points[42][0] = -half, points[42][1] = points[0][1] - depth;
  cap_drawing_polyline(d, CAP_DRAWING_SECOND, 43, (const double(*)[2])points, true);
  cap_drawing_box(d, CAP_DRAWING_PART, -w, 0.0, 2.0 * w, h);
  cap_drawing_text(d, 0.0, h, 0.0, 1.0, "ring layer\n%.4g mm x %.4g mm", 1e3 * s->ring.width, 1e3 * h);
  cap_drawing_text(d, 0.0, points[41][1], 0.0, -1.0, "saddle\ncrown radius %.4g mm", 1e3 * r);
}

const cap_drive cap_ring_tracking_drive = {
    .name = "ring-tracking",
    .doc =
        "ring layer on the crowned saddle of an element: tracking force that centres the ring on the crest",
    .starter = "ring_tracking",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = summarise,
    .draw = draw,
};
