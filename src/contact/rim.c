/* contact/rim.c — a thin disc on its rim. See contacts.h.
 *
 * Axis n = R e3 = (s m, c) with the horizontal unit vector m, c = n.ez, s = sin of the inclination. The
 * disc's steepest direction is u = (ez - c n) / s = (-c m, s), the lowest point of the rim is at -r u.
 */
#include "contact/contacts.h"
#include "contact/touch.h"
#include "linalg/quaternion.h"

#include <stddef.h>

/* Below this sine of the inclination the disc counts as flat: it has no single point of contact, and one that
 * falls over would otherwise be found on its other side. */
static const double flat = 1e-6;

typedef struct rim {
  cap_touch touch;
  double radius, m[2], c, s;
} rim;

static void read_rim(const cap_contact_batch *b, int k, const double *q, const double *x, rim *at)
{
  const double *par = b->par + k * CAP_RIM_NPARAM, r = par[CAP_RIM_RADIUS];
  cap_touch_pose(b, k, q, x, &at->touch);
  double nx = at->touch.R[0][2], ny = at->touch.R[1][2];
  at->radius = r;
  at->touch.omega = par[CAP_RIM_OMEGA];
  at->c = at->touch.R[2][2];
  at->s = sqrt(nx * nx + ny * ny); /* as sqrt(1 - c^2), but not cancelling as the disc gets flat */
  if (at->s < flat) at->s = NAN;
  at->m[0] = nx / at->s;
  at->m[1] = ny / at->s;
  at->touch.arm[0] = r * at->c * at->m[0];
  at->touch.arm[1] = r * at->c * at->m[1];
  at->touch.arm[2] = -r * at->s;
}

static void rim_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                     const double *x, cap_contact_rows *rows)
{
  (void)t;
  for (int k = 0; k < count; k++) {
    rim at;
    read_rim(b, first + k, q, x, &at);
    cap_touch_rows(&at.touch, &rows[k]);
    rows[k].measure[2] = atan2(at.s, at.c);
    rows[k].measure[3] = atan2(at.m[1], at.m[0]);
  }
}

/* dn = delta x n; n = (s m, c), |m| = 1 */
static void move_arm(const rim *at, cap_touch_change *change)
{
  double n[3] = {at->s * at->m[0], at->s * at->m[1], at->c}, dn[3];
  capm_quaternion_cross(change->world, n, dn);
  double ds = at->m[0] * dn[0] + at->m[1] * dn[1];
  for (int i = 0; i < 2; i++) {
    double dm = (dn[i] - at->m[i] * ds) / at->s;
    change->arm[i] = at->radius * (dn[2] * at->m[i] + at->c * dm);
  }
  change->arm[2] = -at->radius * ds;
}

static void rim_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                     const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                     const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)dt;
  for (int k = 0; k < count; k++) {
    rim at;
    cap_touch_change change;
    read_rim(b, first + k, q, x, &at);
    cap_touch_move(b, first + k, x, &at.touch, dq, dx, stride, &change);
    move_arm(&at, &change);
    cap_touch_turn(&at.touch, &change, &rows[k], &drows[k]);
  }
}

/* Steps that pass through flat are refused, as their rows are not finite: so the last one ends just above. */
static const char *rim_lost(const cap_contact_batch *b, int k, const double *q, const double *x)
{
  rim at;
  read_rim(b, k, q, x, &at);
  if (at.s > 1.1 * flat) return NULL;
  return "the disc has fallen flat and has no single point of contact; end the run earlier, or start the "
         "disc with more spin";
}

const cap_contact_type cap_rim_type = {
    .name = "rim",
    .doc = "thin disc on its rim",
    .nparam = CAP_RIM_NPARAM,
    .ncoord = CAP_TOUCH_COORDS,
    .nbody = 1,
    .nrow = CAP_TOUCH_ROWS,
    .nmeasure = 4,
    .normal = true,
    .ngap = 1,
    .lift = {2},
    .row_name = {"normal", "x", "y"},
    .rows = rim_rows,
    .turn = rim_turn,
    .lost = rim_lost,
};
