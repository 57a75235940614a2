/* contact/wheel.c — an upright wheel. See contacts.h.
 *
 * Heading t = (cos phi, sin phi), left n = ez x t: rows t.(x', y') - r theta' and n.(x', y'); the turntable
 * has t.(Omega ez x p) = -Omega n.p and n.(Omega ez x p) = Omega t.p.
 */
#include "contact/contacts.h"

#include <math.h>

static void wheel_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 4;
    const double *par = b->par + (first + k) * CAP_WHEEL_NPARAM;
    double px = q[at[0]], py = q[at[1]], c = cos(q[at[2]]), s = sin(q[at[2]]), omega = par[CAP_WHEEL_OMEGA];
    rows[k].J[0][0] = c;
    rows[k].J[0][1] = s;
    rows[k].J[0][3] = -par[CAP_WHEEL_RADIUS];
    rows[k].J[1][0] = -s;
    rows[k].J[1][1] = c;
    rows[k].b[0] = omega * (s * px - c * py);
    rows[k].b[1] = omega * (c * px + s * py);
    rows[k].measure[0] = px;
    rows[k].measure[1] = py;
  }
}

static void wheel_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                       const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)q, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 4;
    double omega = b->par[(first + k) * CAP_WHEEL_NPARAM + CAP_WHEEL_OMEGA];
    double dpx = dq[at[0] * stride], dpy = dq[at[1] * stride], dphi = dq[at[2] * stride];
    double c = rows[k].J[0][0], s = rows[k].J[0][1];
    drows[k].J[0][0] = -s * dphi;
    drows[k].J[0][1] = c * dphi;
    drows[k].J[1][0] = -c * dphi;
    drows[k].J[1][1] = -s * dphi;
    drows[k].b[0] = omega * (s * dpx - c * dpy) + rows[k].b[1] * dphi;
    drows[k].b[1] = omega * (c * dpx + s * dpy) - rows[k].b[0] * dphi;
  }
}

const cap_contact_type cap_wheel_type = {
    .name = "wheel",
    .doc = "upright wheel that rolls without slip",
    .nparam = CAP_WHEEL_NPARAM,
    .ncoord = 4,
    .nrow = 2,
    .nmeasure = 2,
    .row_name = {"rolling", "sideways"},
    .rows = wheel_rows,
    .turn = wheel_turn,
};
