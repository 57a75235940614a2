/* hb/hb_tangent.h — elements that harmonic balance takes by their tangent at the model's start: the inside of
 * hb_linear.
 *
 * Maths: docs/theory.md §29. Spans of a running belt couple rotations, mounts and inner states of the whole
 * loop; about the steady running, which is the model's start, they are nearly linear. Their rows of the
 * coordinates are those of any linear element; their inner states are unknowns beside the coordinates, x' - g
 * = 0.
 */
#pragma once
#include "hb/hb_linear.h"

/* Places of the inner states and which coordinates turn freely, after those of the coordinates are there. */
cap_status cap_hb_tangent_place(cap_hb_linear *linear, const cap_model *m);
/* Refused: a law that acts on what turns freely (a clutch), since its deflection is not periodic. */
cap_status cap_hb_tangent_check(const cap_hb_linear *linear, const cap_model *m, cap_error *error);
/* Add the tangents to entries and loads. */
cap_status cap_hb_tangent_read(cap_hb_linear *linear, const cap_model *m, int lane, cap_error *error);
/* What elements with inner states that are taken by their tangent show: force = value + slope (state -
 * start). Their nonlinear functions of a linear motion would tell more than there is. */
typedef struct cap_hb_tangent_shown {
  int n;         /* outputs */
  int *at;       /* [n] place in cap_eval.force */
  double *start; /* [nstate] */
  double *value; /* [n] */
  double *slope; /* [n][nstate] by central differences */
  cap_arena arena;
} cap_hb_tangent_shown;

cap_status cap_hb_tangent_show(const cap_model *m, int lane, cap_hb_tangent_shown *shown);
void cap_hb_tangent_hide(cap_hb_tangent_shown *shown);

/* Mean velocities in the place of mean positions, when all entries are there. */
void cap_hb_tangent_turn(cap_hb_linear *linear, const cap_model *m);
