/* contact/ball.c — a ball on the ground: its lowest point is right below the centre. See contacts.h. */
#include "contact/contacts.h"
#include "contact/touch.h"

static void read_ball(const cap_contact_batch *b, int k, const double *q, const double *x, cap_touch *at)
{
  const double *par = b->par + k * CAP_BALL_NPARAM;
  cap_touch_pose(b, k, q, x, at);
  at->arm[0] = at->arm[1] = 0.0;
  at->arm[2] = -par[CAP_BALL_RADIUS];
  at->omega = par[CAP_BALL_OMEGA];
}

static void ball_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, cap_contact_rows *rows)
{
  (void)t;
  for (int k = 0; k < count; k++) {
    cap_touch at;
    read_ball(b, first + k, q, x, &at);
    cap_touch_rows(&at, &rows[k]);
  }
}

static void ball_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                      const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)dt;
  for (int k = 0; k < count; k++) {
    cap_touch at;
    cap_touch_change change = {0};
    read_ball(b, first + k, q, x, &at);
    cap_touch_move(b, first + k, x, &at, dq, dx, stride, &change);
    cap_touch_turn(&at, &change, &rows[k], &drows[k]);
  }
}

const cap_contact_type cap_ball_type = {
    .name = "ball",
    .doc = "ball rolling or sliding on the ground",
    .nparam = CAP_BALL_NPARAM,
    .ncoord = CAP_TOUCH_COORDS,
    .nbody = 1,
    .nrow = CAP_TOUCH_ROWS,
    .nmeasure = 2,
    .normal = true,
    .ngap = 1,
    .lift = {2},
    .row_name = {"normal", "x", "y"},
    .rows = ball_rows,
    .turn = ball_turn,
};
