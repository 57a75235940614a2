/* contact/hinge.c — a pin between two planar bodies. See contacts.h.
 *
 * Gap Pa - Pb with the arms A, B: rows x: xa' - phia' A_y - xb' + phib' B_y, y: ya' + phia' A_x - yb' - phib'
 * B_x.
 */
#include "contact/contacts.h"
#include "contact/planar.h"

static void hinge_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 6;
    const double *par = b->par + (first + k) * CAP_HINGE_NPARAM;
    double arm[2][2];
    cap_planar_arm(q[at[2]], par[CAP_HINGE_AX], par[CAP_HINGE_AY], arm[0]);
    cap_planar_arm(q[at[5]], par[CAP_HINGE_BX], par[CAP_HINGE_BY], arm[1]);
    for (int r = 0; r < 2; r++) {
      rows[k].J[r][r] = 1.0;
      rows[k].J[r][3 + r] = -1.0;
      rows[k].measure[r] = q[at[r]] + arm[0][r];
      rows[k].gap[r] = rows[k].measure[r] - (q[at[3 + r]] + arm[1][r]);
    }
    rows[k].J[0][2] = -arm[0][1];
    rows[k].J[1][2] = arm[0][0];
    rows[k].J[0][5] = arm[1][1];
    rows[k].J[1][5] = -arm[1][0];
  }
}

static void hinge_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                       const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)q, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 6;
    for (int body = 0; body < 6; body += 3) { /* an arm turns into what the other row has of it */
      double dphi = dq[at[body + 2] * stride];
      drows[k].J[0][body + 2] = -rows[k].J[1][body + 2] * dphi;
      drows[k].J[1][body + 2] = rows[k].J[0][body + 2] * dphi;
    }
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < 6; c++) drows[k].gap[r] += rows[k].J[r][c] * dq[at[c] * stride];
  }
}

const cap_contact_type cap_hinge_type = {
    .name = "hinge",
    .doc = "pin that joins a point of one planar body to a point of another",
    .nparam = CAP_HINGE_NPARAM,
    .ncoord = 6,
    .nrow = 2,
    .nmeasure = 2,
    .ngap = 2,
    .lift = {0, 1},
    .row_name = {"x", "y"},
    .rows = hinge_rows,
    .turn = hinge_turn,
};

/* Between bodies that other contacts hold, too: the gap closes by moving both as their masses have it. */
const cap_contact_type cap_hinge_pin_type = {
    .name = "pin",
    .doc = "pin between two bodies of a system of bodies",
    .nparam = CAP_HINGE_NPARAM,
    .ncoord = 6,
    .nrow = 2,
    .nmeasure = 2,
    .ngap = 2,
    .lift = {CAP_CONTACT_SPREAD, CAP_CONTACT_SPREAD},
    .row_name = {"x", "y"},
    .rows = hinge_rows,
    .turn = hinge_turn,
};
