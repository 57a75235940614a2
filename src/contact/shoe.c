/* contact/shoe.c — a block that slides or sticks without turning. See contacts.h. */
#include "contact/contacts.h"

static void shoe_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 2;
    double omega = b->par[(first + k) * CAP_SHOE_NPARAM + CAP_SHOE_OMEGA];
    rows[k].J[0][0] = 1.0;
    rows[k].J[1][1] = 1.0;
    rows[k].b[0] = -omega * q[at[1]];
    rows[k].b[1] = omega * q[at[0]];
  }
}

static void shoe_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                      const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)q, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * 2;
    double omega = b->par[(first + k) * CAP_SHOE_NPARAM + CAP_SHOE_OMEGA];
    drows[k].b[0] = -omega * dq[at[1] * stride];
    drows[k].b[1] = omega * dq[at[0] * stride];
  }
}

const cap_contact_type cap_shoe_type = {
    .name = "shoe",
    .doc = "block on the ground, without rotation",
    .nparam = CAP_SHOE_NPARAM,
    .ncoord = 2,
    .nrow = 2,
    .row_name = {"x", "y"},
    .rows = shoe_rows,
    .turn = shoe_turn,
};
