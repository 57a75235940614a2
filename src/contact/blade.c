/* contact/blade.c — a blade that does not move sideways. See contacts.h.
 *
 * psi = phi + angle, blade t = (cos psi, sin psi), its normal n = ez x t. The point's velocity along n is
 * n.(x', y') + phi' t.A, and t.A is constant; the turntable's there is n.(Omega ez x P) = Omega t.P.
 */
#include "contact/contacts.h"
#include "contact/planar.h"

static void blade_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 3;
    const double *par = b->par + (first + k) * CAP_BLADE_NPARAM;
    double phi = q[at[2]], c = cos(phi + par[CAP_BLADE_ANGLE]), s = sin(phi + par[CAP_BLADE_ANGLE]), arm[2];
    cap_planar_arm(phi, par[CAP_BLADE_AX], par[CAP_BLADE_AY], arm);
    double px = q[at[0]] + arm[0], py = q[at[1]] + arm[1];
    rows[k].J[0][0] = -s;
    rows[k].J[0][1] = c;
    rows[k].J[0][2] = c * arm[0] + s * arm[1];
    rows[k].b[0] = par[CAP_BLADE_OMEGA] * (c * px + s * py);
    rows[k].measure[0] = px;
    rows[k].measure[1] = py;
  }
}

static void blade_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                       const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 3;
    double omega = b->par[(first + k) * CAP_BLADE_NPARAM + CAP_BLADE_OMEGA];
    double c = rows[k].J[0][1], s = -rows[k].J[0][0], dphi = dq[at[2] * stride];
    drows[k].J[0][0] = -c * dphi;
    drows[k].J[0][1] = -s * dphi;
    /* t.P = t.(x, y) + constant */
    drows[k].b[0] = omega *
                    (c * dq[at[0] * stride] + s * dq[at[1] * stride] + dphi * (c * q[at[1]] - s * q[at[0]]));
  }
}

const cap_contact_type cap_blade_type = {
    .name = "blade",
    .doc = "blade of a planar body, which prevents sideways motion",
    .nparam = CAP_BLADE_NPARAM,
    .ncoord = 3,
    .nrow = 1,
    .nmeasure = 2,
    .row_name = {"sideways"},
    .rows = blade_rows,
    .turn = blade_turn,
};
