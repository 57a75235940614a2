/* drives/pushbelt.h — keys that drives with elements of a pushbelt share: their shape, and law (2.36).
 *
 * Maths: docs/theory.md §40.1. Lengths in m, heights of the element over its bottom. */
#pragma once
#include "base/diag.h"
#include "base/fields.h"

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

extern const cap_field cap_pushbelt_law_fields[];     /* of a cap_pushbelt_law */
extern const cap_field cap_pushbelt_element_fields[]; /* of a cap_pushbelt_element */

/* Thickness of a real element at its head, m. */
double cap_pushbelt_head(const cap_pushbelt_element *e);
/* Heights that do not fit, at the keys of the section "element"; `pack` is the thickness of the rings, which
 * have `layers` layers. */
void cap_pushbelt_check(const cap_pushbelt_element *e, double pack, const char *layers_path, int layers,
                        cap_diag *diag);
