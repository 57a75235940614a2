/* contact/touch.c — see touch.h. */
#include "contact/touch.h"
#include "linalg/quaternion.h"

#include <string.h>

static const double direction[CAP_TOUCH_ROWS][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};

void cap_touch_pose(const cap_contact_batch *b, int k, const double *q, const double *x, cap_touch *at)
{
  const int *coord = b->coord + k * CAP_TOUCH_COORDS;
  for (int i = 0; i < 3; i++) at->centre[i] = q[coord[i]];
  capm_quaternion_rotation(x + b->attitude[k], at->R);
}

void cap_touch_move(const cap_contact_batch *b, int k, const double *x, const cap_touch *at, const double *dq,
                    const double *dx, int stride, cap_touch_change *change)
{
  const int *coord = b->coord + k * CAP_TOUCH_COORDS;
  double de[4];
  for (int i = 0; i < 3; i++) change->centre[i] = dq[coord[i] * stride];
  for (int i = 0; i < 4; i++) de[i] = dx[(b->attitude[k] + i) * stride];
  capm_quaternion_turn(x + b->attitude[k], de, change->body);
  capm_quaternion_to_world(at->R, change->body, change->world);
}

/* d.(v + w x arm) = d.v + w.(arm x d) */
void cap_touch_rows(const cap_touch *at, cap_contact_rows *rows)
{
  for (int r = 0; r < CAP_TOUCH_ROWS; r++) {
    double lever[3];
    memcpy(rows->J[r], direction[r], sizeof direction[r]);
    capm_quaternion_cross(at->arm, direction[r], lever);
    capm_quaternion_to_body(at->R, lever, rows->J[r] + 3);
  }
  rows->gap[0] = at->centre[2] + at->arm[2];
  for (int i = 0; i < 2; i++) rows->measure[i] = at->centre[i] + at->arm[i];
  rows->b[1] = -at->omega * rows->measure[1];
  rows->b[2] = at->omega * rows->measure[0];
}

void cap_touch_turn(const cap_touch *at, const cap_touch_change *change, const cap_contact_rows *rows,
                    cap_contact_rows *drows)
{
  for (int r = 0; r < CAP_TOUCH_ROWS; r++) { /* d(R' c) = R' dc - delta x (R' c) */
    double lever[3], turned[3], *into = drows->J[r] + 3;
    capm_quaternion_cross(change->arm, direction[r], lever);
    capm_quaternion_to_body(at->R, lever, into);
    capm_quaternion_cross(change->body, rows->J[r] + 3, turned);
    for (int i = 0; i < 3; i++) into[i] -= turned[i];
  }
  drows->gap[0] = change->centre[2] + change->arm[2];
  drows->b[1] = -at->omega * (change->centre[1] + change->arm[1]);
  drows->b[2] = at->omega * (change->centre[0] + change->arm[0]);
}
