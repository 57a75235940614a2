/* contact/disc_polygon.c — a disc, or a corner, on the faces of a convex body or on a line. See contacts.h.
 *
 * Maths: docs/theory.md §37.3. In the frame of B the centre P has the distance n_f . (P - p_f) from face f;
 * the largest of them, less the radius, is the gap: positive outside, negative inside. A disc beyond the end
 * of that face touches the corner there. A corner (radius 0) within a thousandth of its arm of two faces,
 * such as that of a block on an equal one, belongs to the face that it points against.
 */
#include "contact/contacts.h"
#include "contact/planar.h"
#include "contact/planar_touch.h"

static const double tie = 1e-3;

typedef struct resting {
  cap_planar_touch touch;
  double radius, a[2], b[2]; /* arms: of the centre, of the corner of B */
  bool corner;               /* touches the corner of B */
  double apart;              /* m, from that */
} resting;

typedef struct face {
  double px, py, nx, ny; /* a corner, the normal outwards; in the frame of B */
} face;

static face face_of(const double *par, int f)
{
  const double *p = par + CAP_DISC_POLYGON_CORNERS + 4 * f;
  return (face){p[0], p[1], p[3], -p[2]};
}

static double height(face f, const double P[2])
{
  return f.nx * (P[0] - f.px) + f.ny * (P[1] - f.py);
}

/* Where the face that P is farthest from is; `point`: direction in which a corner points, or 0. */
static int find_face(const double *par, int n, const double P[2], const double point[2], double slack)
{
  int best = 0;
  double most = height(face_of(par, 0), P);
  for (int f = 1; f < n; f++) {
    double h = height(face_of(par, f), P);
    if (h > most) most = h, best = f;
  }
  if (slack == 0.0) return best;
  double against = INFINITY;
  for (int f = 0; f < n; f++) {
    face own = face_of(par, f);
    double along = own.nx * point[0] + own.ny * point[1];
    if (height(own, P) >= most - slack && along < against) against = along, best = f;
  }
  return best;
}

/* The corner that a disc touches beyond the ends of the face, or -1. */
static int find_corner(const double *par, int n, int f, const double P[2])
{
  int next = (f + 1) % n;
  face own = face_of(par, f), end = face_of(par, next);
  if (-own.ny * (P[0] - own.px) + own.nx * (P[1] - own.py) < 0.0) return f;
  return -own.ny * (P[0] - end.px) + own.nx * (P[1] - end.py) > 0.0 ? next : -1;
}

/* (x, y) of B's frame to the world, and back with `back`. */
static void turned(double c, double s, bool back, double x, double y, double out[2])
{
  if (back) s = -s;
  out[0] = c * x - s * y;
  out[1] = s * x + c * y;
}

static void on_corner(resting *p, const double d[2])
{
  p->apart = sqrt(d[0] * d[0] + d[1] * d[1]);
  p->touch.gap = p->apart - p->radius;
  for (int i = 0; i < 2; i++) {
    p->touch.n[i] = d[i] / p->apart;
    p->touch.arm_b[i] = p->b[i];
  }
}

static void on_face(resting *p, face own, double c, double s, const double d[2], double above)
{
  p->touch.gap = above - p->radius;
  turned(c, s, false, own.nx, own.ny, p->touch.n);
  for (int i = 0; i < 2; i++) p->touch.arm_b[i] = d[i] - above * p->touch.n[i];
}

static void read_resting(const cap_contact_batch *b, int k, const double *q, resting *p)
{
  const int *at = b->coord + k * CAP_PLANAR_TOUCH_COORDS;
  const double *par = b->par + k * CAP_DISC_POLYGON_NPARAM;
  double c = cos(q[at[5]]), s = sin(q[at[5]]), d[2], P[2], point[2], from[2];
  cap_planar_arm(q[at[2]], par[CAP_DISC_POLYGON_AX], par[CAP_DISC_POLYGON_AY], p->a);
  p->radius = par[CAP_DISC_POLYGON_RADIUS];
  p->touch.speed = par[CAP_DISC_POLYGON_SPEED];
  for (int i = 0; i < 2; i++) d[i] = q[at[i]] + p->a[i] - q[at[3 + i]];
  turned(c, s, true, d[0], d[1], P);
  turned(c, s, true, p->a[0], p->a[1], point);
  int corners = (int)par[CAP_DISC_POLYGON_COUNT], n = corners > 2 ? corners : 1;
  double slack = p->radius > 0.0 ? 0.0 : tie * sqrt(point[0] * point[0] + point[1] * point[1]);
  int f = find_face(par, n, P, point, n > 1 ? slack : 0.0);
  face own = face_of(par, f);
  double above = height(own, P);
  int corner = n > 1 && p->radius > 0.0 && above > 0.0 ? find_corner(par, n, f, P) : -1;
  p->corner = corner >= 0;
  if (p->corner) {
    turned(c, s, false, face_of(par, corner).px, face_of(par, corner).py, p->b);
    for (int i = 0; i < 2; i++) from[i] = d[i] - p->b[i];
    on_corner(p, from);
  } else {
    on_face(p, own, c, s, d, above);
  }
  for (int i = 0; i < 2; i++) {
    p->touch.arm_a[i] = p->a[i] - p->radius * p->touch.n[i];
    p->touch.place[i] = q[at[3 + i]] + p->touch.arm_b[i];
  }
}

static void disc_polygon_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                              const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    resting p;
    read_resting(b, first + k, q, &p);
    cap_planar_touch_rows(&p.touch, &rows[k]);
  }
}

static void disc_polygon_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                              const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                              const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * CAP_PLANAR_TOUCH_COORDS;
    resting p;
    cap_planar_touch_change change;
    read_resting(b, first + k, q, &p);
    double turn_a = dq[at[2] * stride], turn_b = dq[at[5] * stride], move[2], along = 0.0, above = 0.0;
    const double *n = p.touch.n, tangent[2] = {-n[1], n[0]};
    const double da[2] = {-turn_a * p.a[1], turn_a * p.a[0]};
    for (int i = 0; i < 2; i++) move[i] = dq[at[i] * stride] + da[i] - dq[at[3 + i] * stride];
    if (p.corner) move[0] += turn_b * p.b[1], move[1] -= turn_b * p.b[0];
    for (int i = 0; i < 2; i++) along += tangent[i] * move[i];
    double swing = p.corner ? along / p.apart : turn_b;
    for (int i = 0; i < 2; i++) change.n[i] = swing * tangent[i];
    for (int c = 0; c < CAP_PLANAR_TOUCH_COORDS; c++) above += rows[k].J[0][c] * dq[at[c] * stride];
    for (int i = 0; i < 2; i++) {
      change.arm_a[i] = da[i] - p.radius * change.n[i];
      change.arm_b[i] = move[i] - above * n[i] - (p.touch.gap + p.radius) * change.n[i];
    }
    if (p.corner) change.arm_b[0] = -turn_b * p.b[1], change.arm_b[1] = turn_b * p.b[0];
    cap_planar_touch_turn(&p.touch, &change, &rows[k], at, dq, stride, &drows[k]);
  }
}

void cap_disc_polygon_shape(int n, const double (*corners)[2], double par[CAP_DISC_POLYGON_NPARAM])
{
  par[CAP_DISC_POLYGON_COUNT] = n;
  for (int f = 0; f < n; f++) {
    double *own = par + CAP_DISC_POLYGON_CORNERS + 4 * f;
    const double *from = corners[f], *to = corners[(f + 1) % n];
    double length = hypot(to[0] - from[0], to[1] - from[1]);
    own[0] = from[0];
    own[1] = from[1];
    own[2] = (to[0] - from[0]) / length;
    own[3] = (to[1] - from[1]) / length;
  }
}

const cap_contact_type cap_disc_polygon_type = {
    .name = "disc-polygon",
    .doc = "disc or corner on a line or on the faces of a convex body",
    .nparam = CAP_DISC_POLYGON_NPARAM,
    .ncoord = CAP_PLANAR_TOUCH_COORDS,
    .nrow = CAP_PLANAR_TOUCH_ROWS,
    .nmeasure = CAP_PLANAR_TOUCH_NMEASURE,
    .normal = true,
    .ngap = 1,
    .lift = {CAP_CONTACT_SPREAD},
    .row_name = {"normal", "tangential"},
    .rows = disc_polygon_rows,
    .turn = disc_polygon_turn,
};
