/* drives/pushbelt/description/pushbelt.c — see pushbelt.h. */
#include "drives/pushbelt/description/pushbelt.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef cap_pushbelt_law law;
typedef cap_pushbelt_element element;

#define REAL(type_, key_, member, unit_, ...)                                                                \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type_, member), .unit = unit_, .low = 0,         \
    .high = INFINITY, __VA_ARGS__                                                                            \
  }

const cap_field cap_pushbelt_law_fields[] = {
    REAL(law, "stiffness", c, "N", .low_open = true, .fallback = "5 MN", .example = "5 MN",
         .doc = "stiffness c of the linear part: force per compressive strain of the thickness"),
    {.key = "transition",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(law, xi0),
     .unit = "",
     .low = 0,
     .high = 1,
     .fallback = "4e-4",
     .example = "4e-4",
     .doc = "compressive strain xi0 at which the linear part begins"},
    REAL(law, "nonlinearity", k, "", .low_open = true, .fallback = "7500", .example = "7500",
         .doc = "nonlinearity k of the exponential part"),
    {0}};

const cap_field cap_pushbelt_element_fields[] = {
    REAL(element, "thickness", thickness, "m", .low_open = true, .fallback = "1.5 mm", .example = "1.5 mm",
         .doc = "thickness at the rocking edge and above"),
    REAL(element, "head_thickness", head_thickness, "m", .low_open = true,
         .present = 1 + offsetof(element, head_given), .example = "1.515 mm",
         .doc = "thickness at the head; default: that at the rocking edge"),
    {.key = "taper",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(element, taper),
     .unit = "rad",
     .low = -0.1,
     .high = 0.1,
     .fallback = "0 rad",
     .example = "1e-3 rad",
     .doc = "decrease of the thickness from rocking edge to head, as the angle between front and back face"},
    REAL(element, "edge_height", edge, "m", .fallback = "4.6 mm", .example = "4.6 mm", .was = "edge",
         .doc = "height of the rocking edge above the bottom"),
    REAL(element, "saddle_height", saddle, "m", .fallback = "5.6 mm", .example = "5.6 mm", .was = "saddle",
         .doc = "height of the saddle above the bottom"),
    REAL(element, "ear_height", ear, "m", .fallback = "7.8 mm", .example = "7.8 mm", .was = "ear",
         .doc = "height of the ear above the bottom"),
    REAL(element, "head_height", head, "m", .fallback = "10.5 mm", .example = "10.5 mm", .was = "head",
         .doc = "height of the contact point at the head above the bottom"),
    REAL(element, "cog_height", centre, "m", .fallback = "5.57 mm", .example = "5.57 mm", .was = "centre",
         .doc = "height of the centre of gravity above the bottom"),
    REAL(element, "total_height", top, "m", .fallback = "12.6 mm", .example = "12.6 mm", .was = "top",
         .doc = "total height of the element, for the drawing only"),
    REAL(element, "edge_radius", radius, "m", .fallback = "4 mm", .example = "4 mm",
         .doc = "radius of the rocking edge"),
    {.key = "chamfer",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(element, chamfer),
     .unit = "rad",
     .low = 0,
     .high = 1.5,
     .fallback = "4.9 deg",
     .example = "4.9 deg",
     .doc = "angle of the chamfer below the rocking edge"},
    REAL(element, "mass", mass, "kg", .low_open = true, .fallback = "2.25 g", .example = "2.25 g",
         .doc = "mass of a real element"),
    REAL(element, "inertia", inertia, "kg m2", .low_open = true, .fallback = "2.93e-8 kg m2",
         .example = "2.93e-8 kg m2", .doc = "moment of inertia of a real element in pitch"),
    {0}};

const law *cap_pushbelt_head_law(const cap_pushbelt_press *p)
{
  return p->head_given ? &p->head : &p->edge;
}

double cap_pushbelt_pack_thickness(const cap_pushbelt_pack *p)
{
  return p->layers * p->layer;
}

double cap_pushbelt_head(const element *e)
{
  double head = e->head_given ? e->head_thickness : e->thickness;
  return head - e->taper * (e->head - e->edge);
}

const char *cap_pushbelt_length(cap_diag *diag, const char *path, double length)
{
  if (diag->written && diag->written(diag->locate_self, path))
    return cap_diag_quantity(diag, path, length, "m");
  const char *text = cap_arena_format(&diag->arena, "%.6g mm", 1e3 * length);
  return text ? text : "(out of memory)";
}

double cap_pushbelt_inward(double end, bool low)
{
  if (end == 0.0 || !isfinite(end)) return end;
  double unit = pow(10.0, floor(log10(fabs(end))) - 3.0), digits = end / unit;
  double near = round(digits);
  if (fabs(digits - near) < 1e-9 * near) return near * unit;
  return (low ? ceil(digits) : floor(digits)) * unit;
}

static void check_law(const law *l, const char *path, const char *place, cap_diag *diag)
{
  char key[96];
  const double most = 100.0; /* exp(100): a law of 43 decades */
  snprintf(key, sizeof key, "%s.%s.transition", path, place);
  if (l->k * l->xi0 > most)
    cap_diag_at(diag, key, "expected at most %.4g (%.4g over the nonlinearity %.6g), got %.6g",
                cap_pushbelt_inward(most / l->k, false), most, l->k, l->xi0);
}

void cap_pushbelt_check_press(const cap_pushbelt_press *p, const char *path, cap_diag *diag)
{
  check_law(&p->edge, path, "edge", diag);
  if (p->head_given) check_law(&p->head, path, "head", diag);
}

void cap_pushbelt_check(const cap_pushbelt_element *e, const cap_pushbelt_pack *rings, cap_diag *diag)
{
  double pack = cap_pushbelt_pack_thickness(rings);
  if (!(e->saddle < e->ear))
    cap_diag_at(diag, "element.ear_height", "expected a height above the saddle (%s), got %s",
                cap_pushbelt_length(diag, "element.saddle_height", e->saddle),
                cap_pushbelt_length(diag, "element.ear_height", e->ear));
  else if (!(pack < e->ear - e->saddle))
    cap_diag_at(
        diag, "ring.layers",
        "the ring pack does not fit between saddle and ear; expected a thickness below %s, got %s with "
        "%d layers",
        cap_pushbelt_length(diag, "ring.layer_thickness", e->ear - e->saddle),
        cap_pushbelt_length(diag, "ring.layer_thickness", pack), rings->layers);
  if (!(e->edge < e->head))
    cap_diag_at(diag, "element.head_height", "expected a height above the rocking edge (%s), got %s",
                cap_pushbelt_length(diag, "element.edge_height", e->edge),
                cap_pushbelt_length(diag, "element.head_height", e->head));
  else if (!(cap_pushbelt_head(e) > 0.0))
    cap_diag_at(diag, "element.taper", "no thickness is left at the head; expected less than %s, got %s",
                cap_diag_quantity(diag, "element.taper",
                                  e->taper + cap_pushbelt_head(e) / (e->head - e->edge), "rad"),
                cap_diag_quantity(diag, "element.taper", e->taper, "rad"));
}

void cap_pushbelt_scene(const cap_pushbelt_element *e, const cap_pushbelt_pack *rings, double thickness,
                        double head_thickness, cap_builder *b)
{
  const struct {
    const char *name, *unit, *meaning;
    double value;
  } facts[] = {
      {"element.thickness", "m", "thickness of a simulated element at the rocking edge", thickness},
      {"element.head_thickness", "m", "thickness of a simulated element at the head", head_thickness},
      {"element.edge_height", "m", "height of the rocking edge above the bottom", e->edge},
      {"element.saddle_height", "m", "height of the saddle above the bottom", e->saddle},
      {"element.ear_height", "m", "height of the ear above the bottom", e->ear},
      {"element.head_height", "m", "height of the contact point of the heads above the bottom", e->head},
      {"element.cog_height", "m", "height of the centre of gravity above the bottom", e->centre},
      {"element.total_height", "m", "total height of an element", e->top},
      {"element.edge_radius", "m", "radius of the rocking edge", e->radius},
      {"element.chamfer", "rad", "angle of the chamfer below the rocking edge", e->chamfer},
      {"ring.thickness", "m", "thickness of a ring pack", cap_pushbelt_pack_thickness(rings)},
      {"ring.width", "m", "width of a ring pack", rings->width},
      {"ring.layers", "1", "number of layers of a ring pack", rings->layers},
      {"ring.packs", "1", "number of ring packs side by side", rings->packs}};
  for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
    cap_builder_scene_number(b, facts[k].name, facts[k].unit, facts[k].meaning, facts[k].value);
}
