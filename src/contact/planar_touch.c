/* contact/planar_touch.c — see planar_touch.h. */
#include "contact/planar_touch.h"

/* d . (ez x arm): what a rotation of the body adds to the velocity of its point along d. */
static double lever(const double d[2], const double arm[2])
{
  return d[1] * arm[0] - d[0] * arm[1];
}

static void fill(const double d[2], const double arm_a[2], const double arm_b[2], double *J)
{
  J[0] = d[0];
  J[1] = d[1];
  J[2] = lever(d, arm_a);
  J[3] = -d[0];
  J[4] = -d[1];
  J[5] = -lever(d, arm_b);
}

void cap_planar_touch_rows(const cap_planar_touch *touch, cap_contact_rows *rows)
{
  const double t[2] = {touch->n[1], -touch->n[0]};
  fill(touch->n, touch->arm_a, touch->arm_b, rows->J[0]);
  fill(t, touch->arm_a, touch->arm_b, rows->J[1]);
  rows->b[1] = touch->speed;
  rows->gap[0] = touch->gap;
  rows->measure[CAP_PLANAR_TOUCH_X] = touch->place[0];
  rows->measure[CAP_PLANAR_TOUCH_Y] = touch->place[1];
  rows->measure[CAP_PLANAR_TOUCH_GAP] = touch->gap;
  rows->measure[CAP_PLANAR_TOUCH_CLOSED] = touch->gap < CAP_PLANAR_TOUCH_SHUT ? 1.0 : 0.0;
}

void cap_planar_touch_turn(const cap_planar_touch *touch, const cap_planar_touch_change *change,
                           const cap_contact_rows *rows, const int *at, const double *dq, int stride,
                           cap_contact_rows *drows)
{
  for (int r = 0; r < CAP_PLANAR_TOUCH_ROWS; r++) {
    const double *n = touch->n, *dn = change->n;
    const double d[2] = {r ? n[1] : n[0], r ? -n[0] : n[1]};
    const double dd[2] = {r ? dn[1] : dn[0], r ? -dn[0] : dn[1]};
    fill(dd, touch->arm_a, touch->arm_b, drows->J[r]);
    drows->J[r][2] += lever(d, change->arm_a);
    drows->J[r][5] -= lever(d, change->arm_b);
  }
  for (int c = 0; c < CAP_PLANAR_TOUCH_COORDS; c++) drows->gap[0] += rows->J[0][c] * dq[at[c] * stride];
}
