/* drives/pushbelt/description/pushbelt.h — keys that drives with elements of a pushbelt share: their shape,
 * their contact with each other by law (2.36), and the packs of their rings.
 *
 * Maths: docs/theory.md §40.1. Lengths in m, heights of the element over its bottom. */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "model/builder.h"

#include <math.h>
#include <stddef.h>

typedef struct cap_pushbelt_law {
  double c, xi0, k; /* N, 1, 1 */
} cap_pushbelt_law;

typedef struct cap_pushbelt_element {
  double thickness, head_thickness, taper;
  bool head_given;
  double edge, saddle, ear, head, centre, top; /* heights */
  double radius, chamfer;                      /* of the rocking edge: m, rad */
  double mass, inertia;                        /* of a real element */
} cap_pushbelt_element;

typedef struct cap_pushbelt_press {
  cap_pushbelt_law edge, head;
  bool head_given;
  double damping, friction; /* s, over the stiffness; mu */
} cap_pushbelt_press;

typedef struct cap_pushbelt_pack {
  double modulus, layer, width, density; /* Pa, m, m, kg/m3 */
  int layers, packs;
} cap_pushbelt_pack;

extern const cap_field cap_pushbelt_law_fields[];     /* of a cap_pushbelt_law */
extern const cap_field cap_pushbelt_element_fields[]; /* of a cap_pushbelt_element */

/* Keys edge, head and damping of a section in which a cap_pushbelt_press stands at `at`. */
#define CAP_PUSHBELT_PRESS_FIELDS(at, damping_, more)                                                        \
  {.key = "edge",                                                                                            \
   .kind = CAP_FIELD_SECTION,                                                                                \
   .offset = (at) + offsetof(cap_pushbelt_press, edge),                                                      \
   .fields = cap_pushbelt_law_fields,                                                                        \
   .doc = "contact law of the rocking edge, exponential then linear (eq. 2.36)"},                            \
      {.key = "head",                                                                                        \
       .kind = CAP_FIELD_SECTION,                                                                            \
       .offset = (at) + offsetof(cap_pushbelt_press, head),                                                  \
       .present = 1 + (at) + offsetof(cap_pushbelt_press, head_given),                                       \
       .fields = cap_pushbelt_law_fields,                                                                    \
       .doc = "contact law of the head; default: that of the rocking edge"},                                 \
  {                                                                                                          \
    .key = "damping", .kind = CAP_FIELD_REAL, .offset = (at) + offsetof(cap_pushbelt_press, damping),        \
    .unit = "s", .low = 0, .high = INFINITY, .fallback = damping_, .example = "0.1 us",                      \
    .doc = "damping of rocking edge and head over their stiffness" more                                      \
  }

/* Keys of the packs of rings, of a section in which a cap_pushbelt_pack stands at `at`. */
#define CAP_PUSHBELT_PACK_REAL(at, key_, unit_, value, doc_)                                                 \
  {                                                                                                          \
    .key = #key_, .kind = CAP_FIELD_REAL, .offset = (at) + offsetof(cap_pushbelt_pack, key_), .unit = unit_, \
    .low = 0, .low_open = true, .high = INFINITY, .fallback = value, .example = value, .doc = doc_           \
  }
#define CAP_PUSHBELT_PACK_INT(at, key_, most, value, doc_)                                                   \
  {                                                                                                          \
    .key = #key_, .kind = CAP_FIELD_INT, .offset = (at) + offsetof(cap_pushbelt_pack, key_), .low = 1,       \
    .high = most, .fallback = value, .example = value, .doc = doc_                                           \
  }
#define CAP_PUSHBELT_PACK_FIELDS(at)                                                                         \
  CAP_PUSHBELT_PACK_REAL(at, modulus, "Pa", "180 GPa", "Young's modulus"),                                   \
      CAP_PUSHBELT_PACK_INT(at, layers, 100, "9", "number of layers of a ring pack"),                        \
      CAP_PUSHBELT_PACK_INT(at, packs, 10, "2", "number of ring packs side by side"),                        \
      {.key = "layer_thickness",                                                                             \
       .kind = CAP_FIELD_REAL,                                                                               \
       .offset = (at) + offsetof(cap_pushbelt_pack, layer),                                                  \
       .unit = "m",                                                                                          \
       .low = 0,                                                                                             \
       .low_open = true,                                                                                     \
       .high = INFINITY,                                                                                     \
       .fallback = "0.185 mm",                                                                               \
       .example = "0.185 mm",                                                                                \
       .was = "layer",                                                                                       \
       .doc = "thickness of a layer; the layers slide on each other in bending"},                            \
      CAP_PUSHBELT_PACK_REAL(at, width, "m", "9.75 mm", "width of a ring pack"),                             \
      CAP_PUSHBELT_PACK_REAL(at, density, "kg/m3", "8000 kg/m3", "density")

/* The law of the heads. */
const cap_pushbelt_law *cap_pushbelt_head_law(const cap_pushbelt_press *p);
/* Thickness of a pack of rings, m. */
double cap_pushbelt_pack_thickness(const cap_pushbelt_pack *p);
/* Thickness of a real element at its head, m. */
double cap_pushbelt_head(const cap_pushbelt_element *e);
/* Laws that no number can hold, at `path`.edge and .head. */
void cap_pushbelt_check_press(const cap_pushbelt_press *p, const char *path, cap_diag *diag);
/* A length for a message: as cap_diag_quantity, but in mm where the file does not have the key. */
const char *cap_pushbelt_length(cap_diag *diag, const char *path, double length);
/* The end of a range for a message: to four digits, into the range; `low`: it is the lower end. */
double cap_pushbelt_inward(double end, bool low);

/* Heights that do not fit, at the keys of the sections "element" and "ring". */
void cap_pushbelt_check(const cap_pushbelt_element *e, const cap_pushbelt_pack *rings, cap_diag *diag);
/* What pictures of elements need, as facts of the scene: their outline (thicknesses of a simulated one, m),
 * and the pack of rings. */
void cap_pushbelt_scene(const cap_pushbelt_element *e, const cap_pushbelt_pack *rings, double thickness,
                        double head_thickness, cap_builder *b);
