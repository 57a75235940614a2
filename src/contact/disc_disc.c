/* contact/disc_disc.c — two discs, a pin in a hole, a rod or a rope. See contacts.h.
 *
 * Maths: docs/theory.md §37.2. d = Pa - Pb, n = +-d / |d| (- where the second is a hole), gap = n.d - ra - rb
 * with rb < 0 for a hole. The points of contact are Pa - ra n and Pb + rb n.
 */
#include "contact/contacts.h"
#include "contact/planar.h"
#include "contact/planar_touch.h"

typedef struct pair {
  cap_planar_touch touch;
  double ra, rb;     /* m, rb < 0: a hole */
  double a[2], b[2]; /* arms of the centres */
  double apart;      /* |d| with the sign of n.d; 0 where the direction is not known */
} pair;

static void read_pair(const cap_contact_batch *b, int k, const double *q, pair *p)
{
  const int *at = b->coord + k * CAP_PLANAR_TOUCH_COORDS;
  const double *par = b->par + k * CAP_DISC_DISC_NPARAM;
  double d[2];
  cap_planar_arm(q[at[2]], par[CAP_DISC_DISC_AX], par[CAP_DISC_DISC_AY], p->a);
  cap_planar_arm(q[at[5]], par[CAP_DISC_DISC_BX], par[CAP_DISC_DISC_BY], p->b);
  p->ra = par[CAP_DISC_DISC_RA];
  p->rb = par[CAP_DISC_DISC_RB];
  for (int i = 0; i < 2; i++) d[i] = q[at[i]] + p->a[i] - q[at[3 + i]] - p->b[i];
  double length = sqrt(d[0] * d[0] + d[1] * d[1]);
  p->apart = p->rb < 0.0 ? -length : length;
  p->touch.n[0] = length > 0.0 ? d[0] / p->apart : 1.0;
  p->touch.n[1] = length > 0.0 ? d[1] / p->apart : 0.0;
  p->touch.gap = p->apart - p->ra - p->rb;
  p->touch.speed = 0.0;
  for (int i = 0; i < 2; i++) {
    p->touch.arm_a[i] = p->a[i] - p->ra * p->touch.n[i];
    p->touch.arm_b[i] = p->b[i] + p->rb * p->touch.n[i];
    p->touch.place[i] = q[at[3 + i]] + p->touch.arm_b[i];
  }
}

static void disc_disc_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                           const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    pair p;
    read_pair(b, first + k, q, &p);
    cap_planar_touch_rows(&p.touch, &rows[k]);
  }
}

static void disc_disc_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                           const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                           const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * CAP_PLANAR_TOUCH_COORDS;
    pair p;
    cap_planar_touch_change change;
    read_pair(b, first + k, q, &p);
    double turn_a = dq[at[2] * stride], turn_b = dq[at[5] * stride];
    const double da[2] = {-turn_a * p.a[1], turn_a * p.a[0]}, db[2] = {-turn_b * p.b[1], turn_b * p.b[0]};
    const double *n = p.touch.n, tangent[2] = {-n[1], n[0]};
    double across = 0.0; /* of d, along the tangent */
    for (int i = 0; i < 2; i++)
      across += tangent[i] * (dq[at[i] * stride] + da[i] - dq[at[3 + i] * stride] - db[i]);
    double swing = p.apart != 0.0 ? across / p.apart : 0.0;
    for (int i = 0; i < 2; i++) {
      change.n[i] = swing * tangent[i];
      change.arm_a[i] = da[i] - p.ra * change.n[i];
      change.arm_b[i] = db[i] + p.rb * change.n[i];
    }
    cap_planar_touch_turn(&p.touch, &change, &rows[k], at, dq, stride, &drows[k]);
  }
}

/* One row: what there is of the second one is not looked at. */
#define ALONE(name_, doc_, normal_)                                                                          \
  {                                                                                                          \
    .name = name_, .doc = doc_, .nparam = CAP_DISC_DISC_NPARAM, .ncoord = CAP_PLANAR_TOUCH_COORDS,           \
    .nrow = 1, .nmeasure = CAP_PLANAR_TOUCH_NMEASURE, .normal = normal_, .ngap = 1,                          \
    .lift = {CAP_CONTACT_SPREAD}, .row_name = {"length"}, .rows = disc_disc_rows, .turn = disc_disc_turn,    \
  }

const cap_contact_type cap_disc_disc_rod_type = ALONE("rod", "two points at a constant distance", false);
const cap_contact_type cap_disc_disc_rope_type = ALONE("rope", "two points joined by a rope of given length",
                                                       true);

const cap_contact_type cap_disc_disc_type = {
    .name = "disc-disc",
    .doc = "two discs, a pin in a hole with clearance, or two points at a distance",
    .nparam = CAP_DISC_DISC_NPARAM,
    .ncoord = CAP_PLANAR_TOUCH_COORDS,
    .nrow = CAP_PLANAR_TOUCH_ROWS,
    .nmeasure = CAP_PLANAR_TOUCH_NMEASURE,
    .normal = true,
    .ngap = 1,
    .lift = {CAP_CONTACT_SPREAD},
    .row_name = {"normal", "tangential"},
    .rows = disc_disc_rows,
    .turn = disc_disc_turn,
};
