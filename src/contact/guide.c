/* contact/guide.c — a body that slides along a line of another without turning against it, or whose point
 * does. See contacts.h.
 *
 * Maths: docs/theory.md §37.4. Gap n.(Pa - Pb) with the normal n of B's line; row "across" its rate, row
 * "turn" lever (phia' - phib'), the rate of lever (phia - phib - angle).
 */
#include "contact/contacts.h"
#include "contact/planar.h"
#include "contact/planar_touch.h"

typedef struct sliding {
  cap_planar_touch touch;
  double a[2], d[2];
} sliding;

static void read_sliding(const cap_contact_batch *b, int k, const double *q, sliding *p)
{
  const int *at = b->coord + k * CAP_PLANAR_TOUCH_COORDS;
  const double *par = b->par + k * CAP_GUIDE_NPARAM;
  double from[2];
  cap_planar_arm(q[at[2]], par[CAP_GUIDE_AX], par[CAP_GUIDE_AY], p->a);
  cap_planar_arm(q[at[5]], par[CAP_GUIDE_BX], par[CAP_GUIDE_BY], from);
  cap_planar_arm(q[at[5]] + par[CAP_GUIDE_DIRECTION], 0.0, 1.0, p->touch.n);
  p->touch.gap = 0.0;
  p->touch.speed = 0.0;
  for (int i = 0; i < 2; i++) {
    p->d[i] = q[at[i]] + p->a[i] - q[at[3 + i]];
    p->touch.arm_a[i] = p->a[i];
    p->touch.arm_b[i] = p->d[i];
    p->touch.place[i] = q[at[i]] + p->a[i];
    p->touch.gap += p->touch.n[i] * (p->d[i] - from[i]);
  }
}

static void read_rows(const cap_contact_batch *b, int k, const double *q, cap_contact_rows *rows)
{
  sliding p;
  cap_contact_rows both = {0};
  read_sliding(b, k, q, &p);
  cap_planar_touch_rows(&p.touch, &both);
  for (int c = 0; c < CAP_PLANAR_TOUCH_COORDS; c++) rows->J[0][c] = both.J[0][c];
  rows->gap[0] = both.gap[0];
  rows->measure[0] = both.measure[CAP_PLANAR_TOUCH_X];
  rows->measure[1] = both.measure[CAP_PLANAR_TOUCH_Y];
}

static void turn_row(const cap_contact_batch *b, int k, const double *q, const cap_contact_rows *rows,
                     const double *dq, int stride, cap_contact_rows *drows)
{
  const int *at = b->coord + k * CAP_PLANAR_TOUCH_COORDS;
  sliding p;
  cap_planar_touch_change change;
  cap_contact_rows both = {0};
  read_sliding(b, k, q, &p);
  double turn_a = dq[at[2] * stride], turn_b = dq[at[5] * stride];
  const double da[2] = {-turn_a * p.a[1], turn_a * p.a[0]};
  change.n[0] = -turn_b * p.touch.n[1];
  change.n[1] = turn_b * p.touch.n[0];
  for (int i = 0; i < 2; i++) {
    change.arm_a[i] = da[i];
    change.arm_b[i] = dq[at[i] * stride] + da[i] - dq[at[3 + i] * stride];
  }
  cap_planar_touch_turn(&p.touch, &change, rows, at, dq, stride, &both);
  for (int c = 0; c < CAP_PLANAR_TOUCH_COORDS; c++) drows->J[0][c] = both.J[0][c];
  drows->gap[0] = both.gap[0];
}

static void slot_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) read_rows(b, first + k, q, &rows[k]);
}

static void slot_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                      const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) turn_row(b, first + k, q, &rows[k], dq, stride, &drows[k]);
}

static void guide_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  slot_rows(b, first, count, t, q, x, rows);
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * CAP_PLANAR_TOUCH_COORDS;
    const double *par = b->par + (first + k) * CAP_GUIDE_NPARAM;
    rows[k].J[1][2] = par[CAP_GUIDE_LEVER];
    rows[k].J[1][5] = -par[CAP_GUIDE_LEVER];
    rows[k].gap[1] = par[CAP_GUIDE_LEVER] * (q[at[2]] - q[at[5]] - par[CAP_GUIDE_ANGLE]);
  }
}

static void guide_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                       const double *dx, int stride, cap_contact_rows *drows)
{
  slot_turn(b, first, count, t, q, x, rows, dt, dq, dx, stride, drows);
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * CAP_PLANAR_TOUCH_COORDS;
    drows[k].gap[1] = rows[k].J[1][2] * dq[at[2] * stride] + rows[k].J[1][5] * dq[at[5] * stride];
  }
}

const cap_contact_type cap_guide_slot_type = {
    .name = "slot",
    .doc = "point of one body sliding along a line of another",
    .nparam = CAP_GUIDE_NPARAM,
    .ncoord = CAP_PLANAR_TOUCH_COORDS,
    .nrow = 1,
    .nmeasure = 2,
    .ngap = 1,
    .lift = {CAP_CONTACT_SPREAD},
    .row_name = {"across"},
    .rows = slot_rows,
    .turn = slot_turn,
};

const cap_contact_type cap_guide_type = {
    .name = "guide",
    .doc = "body sliding along a line of another without relative rotation",
    .nparam = CAP_GUIDE_NPARAM,
    .ncoord = CAP_PLANAR_TOUCH_COORDS,
    .nrow = 2,
    .nmeasure = 2,
    .ngap = 2,
    .lift = {CAP_CONTACT_SPREAD, CAP_CONTACT_SPREAD},
    .row_name = {"across", "turn"},
    .rows = guide_rows,
    .turn = guide_turn,
};
