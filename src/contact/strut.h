/* contact/strut.h — spring and damper between points of two planar bodies.
 *
 * Maths: docs/theory.md §37.5. i and j are the first of the three consecutive coordinates (x, y, phi) of the
 * bodies; force = K (l - LENGTH) + C l', tension positive, along the line between the points (ax, ay) of the
 * first and (bx, by) of the second.
 */
#pragma once
#include "model/model.h"

enum {
  CAP_STRUT_AX,
  CAP_STRUT_AY,
  CAP_STRUT_BX,
  CAP_STRUT_BY,
  CAP_STRUT_K,
  CAP_STRUT_C,
  CAP_STRUT_LENGTH,
  CAP_STRUT_NPARAM
};
enum { CAP_STRUT_APART, CAP_STRUT_NOUTPUT }; /* it shows: distance of its points, m */
extern const cap_element_type cap_strut_type;
