/* drives/pushbelt/contact/flank.c — see flank.h.
 *
 * Both types share rows and their derivatives; they differ only in how the place follows from (rho, m). Of a
 * cone n is constant. Of a curve (2.33) gives dx = (dm + r' drho) / (1 + r'^2 + r'' (r - rho)) and with it
 * dn.
 */
#include "drives/pushbelt/contact/flank.h"

#include <stdbool.h>

enum { X, Y, PITCH, ROTATION, CLOSING, COORDS };

/* ---- the foot ------------------------------------------------------------------------------------------ */

/* (2.33) at x, and its slope. */
static double miss(const cap_flank_curve *c, double m, double rho, double x, double *slope)
{
  double r[3];
  cap_flank_contour(c, x, r);
  *slope = 1.0 + r[1] * r[1] + r[2] * (r[0] - rho);
  return x - m + r[1] * (r[0] - rho);
}

/* Ends of an interval in which (2.33) changes its sign: it does so at the latest on the tangents beyond the
 * contour, whose slope is at least one. */
static void bracket(const cap_flank_curve *c, double m, double rho, double *low, double *high)
{
  double slope, at_low = miss(c, m, rho, c->low, &slope), at_high = miss(c, m, rho, c->high, &slope);
  *low = at_low > 0.0 ? c->low - 1.001 * at_low : c->low;
  *high = at_high < 0.0 ? c->high - 1.001 * at_high : c->high;
}

/* Newton within a shrinking bracket. */
static int guarded(const cap_flank_curve *c, double m, double rho, double *x)
{
  double low, high, at = *x;
  int iteration = 0;
  bracket(c, m, rho, &low, &high);
  if (!(at > low && at < high)) at = 0.5 * (low + high);
  for (; iteration < 200; iteration++) {
    double slope, f = miss(c, m, rho, at, &slope), next = at - f / slope;
    if (f == 0.0) break;
    if (f < 0.0) low = at;
    else high = at;
    if (!(slope > 0.0 && next > low && next < high)) next = 0.5 * (low + high);
    if (next == at || !(high - low > 0.0)) break;
    bool small = fabs(next - at) < 1e-16 * (fabs(at) + fabs(m) + rho);
    at = next;
    if (small) break;
  }
  *x = at;
  return iteration;
}

int cap_flank_foot(const cap_flank_curve *c, double m, double rho, double *x)
{
  double at = *x, before = INFINITY, size = fabs(m) + rho;
  for (int iteration = 1; iteration <= 12; iteration++) {
    double slope, f = miss(c, m, rho, at, &slope), step = f / slope;
    if (!(slope > 0.0) || !(fabs(step) < before)) break;
    at -= step;
    if (fabs(step) < 1e-9 * size) { /* the next one would be its square */
      *x = at - miss(c, m, rho, at, &slope) / slope;
      return iteration;
    }
    before = 0.7 * fabs(step);
  }
  return guarded(c, m, rho, x);
}

double cap_flank_guess(const cap_flank_curve *c, double m, double rho, double radius)
{
  double r[3];
  cap_flank_contour(c, m - radius, r);
  double nx = -r[1] / sqrt(1.0 + r[1] * r[1]);
  return cap_flank_step(c, m, rho, m - radius * nx);
}

void cap_flank_sphere(double up, double half_width, double beta, double radius, double *centre_up,
                      double *centre_width)
{
  *centre_up = up +
               radius * sin(beta); /* the flank's outward normal is (-sin beta, cos beta) in (up, width) */
  *centre_width = half_width - radius * cos(beta);
}

/* ---- place and its change ------------------------------------------------------------------------------ */

typedef struct flank {
  cap_flank_place place;
  double arm[2], radius;
  double m, x, r[3]; /* curve */
} flank;

static void arm_of(const double *par, const int *at, const double *q, flank *f, double from[2])
{
  double c = cos(q[at[PITCH]]), s = sin(q[at[PITCH]]);
  f->arm[0] = c * par[CAP_FLANK_CONE_AX] - s * par[CAP_FLANK_CONE_AY];
  f->arm[1] = s * par[CAP_FLANK_CONE_AX] + c * par[CAP_FLANK_CONE_AY];
  from[0] = q[at[X]] + f->arm[0] - par[CAP_FLANK_CONE_CX];
  from[1] = q[at[Y]] + f->arm[1] - par[CAP_FLANK_CONE_CY];
}

static void place_on_cone(const double *par, const int *at, const double *q, flank *f)
{
  double from[2], angle = par[CAP_FLANK_CONE_ANGLE];
  arm_of(par, at, q, f, from);
  f->radius = par[CAP_FLANK_CONE_RADIUS];
  f->place = cap_flank_on_cone(sin(angle), cos(angle), par[CAP_FLANK_CONE_RHO0], f->radius, from[0], from[1],
                               q[at[CLOSING]]);
}

_Static_assert((int)CAP_FLANK_CURVE_AX == (int)CAP_FLANK_CONE_AX &&
                   (int)CAP_FLANK_CURVE_CY == (int)CAP_FLANK_CONE_CY,
               "arm_of serves both");

static cap_flank_curve curve_of(const double *par)
{
  cap_flank_curve c = {.low = par[CAP_FLANK_CURVE_LOW], .high = par[CAP_FLANK_CURVE_HIGH]};
  for (int i = 0; i <= CAP_FLANK_ORDER; i++) c.a[i] = par[CAP_FLANK_CURVE_A + i];
  return c;
}

static void place_on_curve(const double *par, const int *at, const double *q, flank *f)
{
  double from[2];
  cap_flank_curve c = curve_of(par);
  arm_of(par, at, q, f, from);
  double rho = sqrt(from[0] * from[0] + from[1] * from[1]);
  f->radius = par[CAP_FLANK_CURVE_RADIUS];
  f->m = par[CAP_FLANK_CURVE_M0] - 0.5 * q[at[CLOSING]];
  f->x = cap_flank_guess(&c, f->m, rho, f->radius);
  cap_flank_foot(&c, f->m, rho, &f->x);
  cap_flank_contour(&c, f->x, f->r);
  f->place = cap_flank_on_curve(&c, f->radius, from[0], from[1], f->m, f->x);
}

/* Changes along a direction. */
typedef struct change {
  double arm[2], phi, rho, nx, nr, closing;
} change;

static void move(const flank *f, const int *at, const double *dq, int stride, change *d)
{
  double turn = dq[at[PITCH] * stride];
  d->arm[0] = -turn * f->arm[1];
  d->arm[1] = turn * f->arm[0];
  double dx = dq[at[X] * stride] + d->arm[0], dy = dq[at[Y] * stride] + d->arm[1];
  const double *e = f->place.e;
  d->rho = e[0] * dx + e[1] * dy;
  d->phi = (e[0] * dy - e[1] * dx) / f->place.rho;
  d->closing = dq[at[CLOSING] * stride];
  d->nx = d->nr = 0.0;
}

static void bend(const flank *f, change *d)
{
  double slope = f->r[1], w3 = f->place.nr * f->place.nr * f->place.nr;
  double dx = (slope * d->rho - 0.5 * d->closing) /
              (1.0 + slope * slope + f->r[2] * (f->r[0] - f->place.rho));
  d->nx = -f->r[2] * dx * w3;
  d->nr = -slope * f->r[2] * dx * w3;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void fill(const flank *f, cap_contact_rows *rows)
{
  const cap_flank_place *p = &f->place;
  const double *e = p->e, *a = f->arm, lever = a[0] * e[1] - a[1] * e[0];
  const double along[2] = {-e[1], e[0]};
  for (int i = 0; i < 2; i++) {
    rows->J[0][i] = p->nr * e[i];
    rows->J[1][i] = along[i];
    rows->J[2][i] = p->nx * e[i];
  }
  rows->J[0][PITCH] = p->nr * lever;
  rows->J[1][PITCH] = a[0] * e[0] + a[1] * e[1] - (p->rho - p->reach);
  rows->J[2][PITCH] = p->nx * lever;
  rows->J[1][ROTATION] = -p->reach;
  rows->J[0][CLOSING] = -0.5 * p->nx;
  rows->J[2][CLOSING] = 0.5 * p->nr;
  rows->gap[0] = p->gap;
  rows->measure[0] = p->reach;
  rows->measure[1] = atan2(e[1], e[0]);
}

static void turn_rows(const flank *f, const change *d, cap_contact_rows *drows)
{
  const cap_flank_place *p = &f->place;
  const double *e = p->e, *a = f->arm, de[2] = {-e[1] * d->phi, e[0] * d->phi};
  const double lever = a[0] * e[1] - a[1] * e[0];
  const double dlever = d->arm[0] * e[1] - d->arm[1] * e[0] + a[0] * de[1] - a[1] * de[0];
  const double dreach = d->rho - f->radius * d->nr;
  for (int i = 0; i < 2; i++) {
    drows->J[0][i] = d->nr * e[i] + p->nr * de[i];
    drows->J[2][i] = d->nx * e[i] + p->nx * de[i];
  }
  drows->J[1][0] = -de[1];
  drows->J[1][1] = de[0];
  drows->J[0][PITCH] = d->nr * lever + p->nr * dlever;
  drows->J[1][PITCH] = d->arm[0] * e[0] + d->arm[1] * e[1] + a[0] * de[0] + a[1] * de[1] - f->radius * d->nr;
  drows->J[2][PITCH] = d->nx * lever + p->nx * dlever;
  drows->J[1][ROTATION] = -dreach;
  drows->J[0][CLOSING] = -0.5 * d->nx;
  drows->J[2][CLOSING] = 0.5 * d->nr;
  drows->gap[0] = p->nr * d->rho - 0.5 * p->nx * d->closing; /* the foot's own motion does not count */
}

static void cone_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    flank f = {0};
    place_on_cone(b->par + (first + k) * CAP_FLANK_CONE_NPARAM, b->coord + (first + k) * COORDS, q, &f);
    fill(&f, &rows[k]);
  }
}

static void cone_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                      const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * COORDS;
    flank f = {0};
    change d;
    place_on_cone(b->par + (first + k) * CAP_FLANK_CONE_NPARAM, at, q, &f);
    move(&f, at, dq, stride, &d);
    turn_rows(&f, &d, &drows[k]);
  }
}

static void curve_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    flank f;
    place_on_curve(b->par + (first + k) * CAP_FLANK_CURVE_NPARAM, b->coord + (first + k) * COORDS, q, &f);
    fill(&f, &rows[k]);
    rows[k].measure[2] = f.x;
  }
}

static void curve_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                       const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * COORDS;
    flank f;
    change d;
    place_on_curve(b->par + (first + k) * CAP_FLANK_CURVE_NPARAM, at, q, &f);
    move(&f, at, dq, stride, &d);
    bend(&f, &d);
    turn_rows(&f, &d, &drows[k]);
  }
}

const cap_contact_type cap_flank_cone_type = {
    .name = "flank_cone",
    .doc = "flanks of an element on the conical sheaves of a pulley",
    .nparam = CAP_FLANK_CONE_NPARAM,
    .ncoord = COORDS,
    .nrow = CAP_FLANK_ROWS,
    .nmeasure = 2,
    .normal = true,
    .ngap = 1,
    .lift = {CLOSING},
    .row_name = {"normal", "tangential", "generatrix"},
    .rows = cone_rows,
    .turn = cone_turn,
};

const cap_contact_type cap_flank_curve_type = {
    .name = "flank_curve",
    .doc = "flanks of an element, as points or spheres, on curved sheaves of a pulley",
    .nparam = CAP_FLANK_CURVE_NPARAM,
    .ncoord = COORDS,
    .nrow = CAP_FLANK_ROWS,
    .nmeasure = 3,
    .normal = true,
    .ngap = 1,
    .lift = {CLOSING},
    .row_name = {"normal", "tangential", "generatrix"},
    .rows = curve_rows,
    .turn = curve_turn,
};
