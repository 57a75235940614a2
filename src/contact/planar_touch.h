/* contact/planar_touch.h — rows of two planar bodies that touch in a point, shared by the types that find it.
 *
 * Maths: docs/theory.md §37.1. Bodies A (xa, ya, phia) and B (xb, yb, phib); n points from B to A, t = ez x
 * n. Arms lead from the bodies' centres to their material points of contact. Rows "normal" (rate of the gap)
 * and "tangential" (A over B, less the speed of B's surface).
 */
#pragma once
#include "model/contact.h"

enum { CAP_PLANAR_TOUCH_COORDS = 6, CAP_PLANAR_TOUCH_ROWS = 2 };
/* Measures of such types. */
enum {
  CAP_PLANAR_TOUCH_X, /* m: where they touch, on B */
  CAP_PLANAR_TOUCH_Y,
  CAP_PLANAR_TOUCH_GAP,    /* m */
  CAP_PLANAR_TOUCH_CLOSED, /* 1 where the gap is below CAP_PLANAR_TOUCH_SHUT, else 0 */
  CAP_PLANAR_TOUCH_NMEASURE
};
#define CAP_PLANAR_TOUCH_SHUT 1e-9 /* m */

typedef struct cap_planar_touch {
  double n[2];                 /* unit vector */
  double arm_a[2], arm_b[2];   /* m */
  double place[2], gap, speed; /* m: the point of B; m; m/s of B's surface along t */
} cap_planar_touch;

/* How these change along a direction. */
typedef struct cap_planar_touch_change {
  double n[2], arm_a[2], arm_b[2];
} cap_planar_touch_change;

/* J, b, gap and measures. */
void cap_planar_touch_rows(const cap_planar_touch *touch, cap_contact_rows *rows);

/* Their derivatives; at: the six coordinates, dq as in cap_contact_type.turn. */
void cap_planar_touch_turn(const cap_planar_touch *touch, const cap_planar_touch_change *change,
                           const cap_contact_rows *rows, const int *at, const double *dq, int stride,
                           cap_contact_rows *drows);
