/* contact/touch.h — a rigid body in space that touches the ground at one point.
 *
 * Maths: docs/theory.md §18. Coordinates: three velocities of the centre in the world, three angular
 * velocities in body axes; one quaternion. What differs from shape to shape is only the arm from the centre
 * to the touching point, and how it changes with the body's orientation.
 */
#pragma once
#include "model/contact.h"

enum { CAP_TOUCH_COORDS = 6, CAP_TOUCH_ROWS = 3 };

typedef struct cap_touch {
  double centre[3], R[3][3]; /* m; body to world */
  double arm[3];             /* m, world: centre to touching point; the shape fills it */
  double omega;              /* rad/s of the turntable */
} cap_touch;

/* A small change of it. */
typedef struct cap_touch_change {
  double centre[3], arm[3];
  double body[3], world[3]; /* rad: small rotation in body axes and in the world */
} cap_touch_change;

/* Centre and R of contact k; arm and omega are the caller's to fill. */
void cap_touch_pose(const cap_contact_batch *b, int k, const double *q, const double *x, cap_touch *at);
/* Its change along (dq, dx); arm is the caller's to fill. */
void cap_touch_move(const cap_contact_batch *b, int k, const double *x, const cap_touch *at, const double *dq,
                    const double *dx, int stride, cap_touch_change *change);

/* Rows normal, x, y with gap and surface velocity, and the measures x, y of the touching point. */
void cap_touch_rows(const cap_touch *at, cap_contact_rows *rows);
/* Their change. */
void cap_touch_turn(const cap_touch *at, const cap_touch_change *change, const cap_contact_rows *rows,
                    cap_contact_rows *drows);
