/* drives/accessory/analyses/campbell.h — modes of a belt drive over the speed of its crank, and where engine
 * orders meet them.
 *
 * Maths:   docs/theory.md §26; drives/accessory/belt/belt_statics.h gives the tensions,
 *          drives/accessory/belt/belt_modes.h the modes.
 * Reads:   cap_belt_of(model).
 */
#pragma once
#include "analysis/analysis.h"

typedef struct cap_campbell_spec {
  int kind;
  cap_reals speeds; /* rad/s of the crank; none: the one at the start */
  cap_reals orders; /* per turn of the crank */
  int terms, count; /* sine terms of a span; modes to follow */
  int crank;        /* cap_campbell_crank */
  int ends;         /* cap_campbell_ends */
} cap_campbell_spec;

typedef enum cap_campbell_crank { CAP_CAMPBELL_HELD, CAP_CAMPBELL_FREE } cap_campbell_crank;
typedef enum cap_campbell_ends { CAP_CAMPBELL_PINNED, CAP_CAMPBELL_CLAMPED } cap_campbell_ends;
