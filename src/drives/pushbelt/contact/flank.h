/* drives/pushbelt/contact/flank.h — flanks of an element against the two sheaves of a pulley: cone or curved
 * sheave.
 *
 * Maths: docs/theory.md §41. The element is planar (x, y, pitch); the pulley stands at C, turns by its
 * rotation (positive as pitch is) and its loose sheave has come nearer by the closing z. Both flanks of an
 * element are alike, (2.35), and the element keeps to the middle of the groove, so each sheave comes nearer
 * by z / 2. All forces are those of both flanks together.
 *
 * A flank is a sphere of radius R about a point of the element (R = 0: a point). The sheave's contour is
 * r(x), x along its axis towards the groove: a line (cone) or a polynomial, (2.31). In the plane of axis and
 * centre of the sphere: centre (m, rho), foot (x, r(x)) with (2.33),
 *   normal n = (nx, nr) = (-r', 1) / sqrt(1 + r'^2).
 * Rows:  0 gap's rate   1 tangential (counter-clockwise)   2 along the generatrix (outward).
 *
 * The kernels are inline, without branches on data, and made for loops over many elements.
 */
#pragma once
#include "base/clones.h"
#include "model/contact.h"
#include <math.h>

enum { CAP_FLANK_ORDER = 5, CAP_FLANK_ROWS = 3 };

/* Contour of a sheave: r(x) = sum a_i x^i on [low, high], continued by its tangents beyond. */
typedef struct cap_flank_curve {
  double a[CAP_FLANK_ORDER + 1]; /* m^(1 - i) */
  double low, high;              /* m */
} cap_flank_curve;

/* Where a flank is on its sheave. */
typedef struct cap_flank_place {
  double e[2];   /* from the pulley's axis to the sphere's centre, in the plane, unit */
  double rho;    /* m, its distance from the axis */
  double reach;  /* m, that of the point of contact, on the element's surface: rho - R nr */
  double nx, nr; /* normal of the sheave at the foot */
  double gap;    /* m, > 0 open */
} cap_flank_place;

/* ---- kernels ------------------------------------------------------------------------------------------ */

/* Sphere's centre at `from` relative to the pulley's axis, closing z; the sphere touches at rho = rho0 when
 * z = 0; sin_b, cos_b of the cone's angle to the plane of the pulley. */
CAP_INLINE cap_flank_place cap_flank_on_cone(double sin_b, double cos_b, double rho0, double radius,
                                             double from_x, double from_y, double z)
{
  double rho = sqrt(from_x * from_x + from_y * from_y), per = 1.0 / rho;
  return (cap_flank_place){.e = {from_x * per, from_y * per},
                           .rho = rho,
                           .reach = rho - radius * sin_b,
                           .nx = cos_b,
                           .nr = sin_b,
                           .gap = sin_b * (rho - rho0) - 0.5 * cos_b * z};
}

/* r, r', r'' at x. */
CAP_INLINE void cap_flank_contour(const cap_flank_curve *c, double x, double r[3])
{
  const double *a = c->a, above = x < c->low ? c->low : x, in = above > c->high ? c->high : above;
  const double out = x - in; /* Horner, written out so that loops over elements stay the only ones */
  const double v4 = a[5] * in + a[4], v3 = v4 * in + a[3], v2 = v3 * in + a[2], v1 = v2 * in + a[1];
  const double s3 = a[5] * in + v4, s2 = s3 * in + v3, s1 = s2 * in + v2, slope = s1 * in + v1;
  const double h2 = a[5] * in + s3, h1 = h2 * in + s2, half = h1 * in + s1;
  r[0] = v1 * in + a[0] + slope * out;
  r[1] = slope;
  r[2] = out == 0.0 ? 2.0 * half : 0.0;
}
_Static_assert(CAP_FLANK_ORDER == 5, "Horner's scheme above");

/* One step of Newton's method on (2.33), x - m + r' (r - rho) = 0, from x. */
CAP_INLINE double cap_flank_step(const cap_flank_curve *c, double m, double rho, double x)
{
  double r[3];
  cap_flank_contour(c, x, r);
  return x - (x - m + r[1] * (r[0] - rho)) / (1.0 + r[1] * r[1] + r[2] * (r[0] - rho));
}

/* Sphere's centre at `from` in the plane and m along the axis, whose foot is x. An error of x moves the gap
 * only by its square. */
CAP_INLINE cap_flank_place cap_flank_on_curve(const cap_flank_curve *c, double radius, double from_x,
                                              double from_y, double m, double x)
{
  double r[3];
  cap_flank_contour(c, x, r);
  double rho = sqrt(from_x * from_x + from_y * from_y), per = 1.0 / rho;
  double length = 1.0 / sqrt(1.0 + r[1] * r[1]), nx = -r[1] * length, nr = length;
  return (cap_flank_place){.e = {from_x * per, from_y * per},
                           .rho = rho,
                           .reach = rho - radius * nr,
                           .nx = nx,
                           .nr = nr,
                           .gap = nx * (m - x) + nr * (rho - r[0]) - radius};
}

/* Velocities g of the rows: v, w of the element, whose centre is `arm` away from the sphere's centre; omega
 * of the pulley, closing speed. */
CAP_INLINE void cap_flank_velocity(const cap_flank_place *p, double arm_x, double arm_y, double vx, double vy,
                                   double w, double omega, double closing, double g[CAP_FLANK_ROWS])
{
  double ux = vx - w * arm_y, uy = vy + w * arm_x;
  double radial = p->e[0] * ux + p->e[1] * uy, along = p->e[0] * uy - p->e[1] * ux;
  g[0] = p->nr * radial - 0.5 * p->nx * closing;
  g[1] = along - w * (p->rho - p->reach) - omega * p->reach;
  g[2] = p->nx * radial + 0.5 * p->nr * closing;
}

/* What forces f along the rows (both flanks together, as they act on the element) do. */
typedef struct cap_flank_push {
  double force[2], moment; /* on the element, N and N m about its centre */
  double torque;           /* on the pulley, N m */
  double closing;          /* on the closing coordinate, N: less the axial force on one sheave */
} cap_flank_push;

CAP_INLINE cap_flank_push cap_flank_pushes(const cap_flank_place *p, double arm_x, double arm_y,
                                           const double f[CAP_FLANK_ROWS])
{
  double radial = p->nr * f[0] + p->nx * f[2];
  double fx = p->e[0] * radial - p->e[1] * f[1], fy = p->e[1] * radial + p->e[0] * f[1];
  return (cap_flank_push){.force = {fx, fy},
                          .moment = arm_x * fy - arm_y * fx - (p->rho - p->reach) * f[1],
                          .torque = -p->reach * f[1],
                          .closing = 0.5 * (p->nr * f[2] - p->nx * f[0])};
}

/* ---- one flank ---------------------------------------------------------------------------------------- */

/* The foot, by Newton's method from *x, safeguarded by bisection where the contour bends so much that it
 * goes astray. |x - m + r' (r - rho)| is then at rounding (below 1e-15 of the sizes). Returns iterations. */
int cap_flank_foot(const cap_flank_curve *c, double m, double rho, double *x);

/* A start for it without a neighbour in time. */
double cap_flank_guess(const cap_flank_curve *c, double m, double rho, double radius);

/* Sphere of radius R that touches a flat flank of angle beta from inside at a point of it: `up` above the
 * element's centre (along its outward axis) and `half_width` off the middle plane. */
void cap_flank_sphere(double up, double half_width, double beta, double radius, double *centre_up,
                      double *centre_width);

/* ---- contact types ------------------------------------------------------------------------------------- */

/* Coordinates (x, y, pitch) of the element, rotation of the pulley, closing. Rows "normal", "tangential",
 * "generatrix"; forces of both flanks together. (AX, AY): the sphere's centre in body axes; (CX, CY): the
 * pulley's axis. Measures: radius of the point of contact, angle of the flank about the pulley's axis, and of
 * the curved sheave the foot x. An element with a front and a rear point has two such contacts. */
enum {
  CAP_FLANK_CONE_AX,
  CAP_FLANK_CONE_AY,
  CAP_FLANK_CONE_CX,
  CAP_FLANK_CONE_CY,
  CAP_FLANK_CONE_RHO0, /* m, of the sphere's centre where it touches when z = 0 */
  CAP_FLANK_CONE_ANGLE,
  CAP_FLANK_CONE_RADIUS,
  CAP_FLANK_CONE_NPARAM
};
extern const cap_contact_type cap_flank_cone_type;

enum {
  CAP_FLANK_CURVE_AX,
  CAP_FLANK_CURVE_AY,
  CAP_FLANK_CURVE_CX,
  CAP_FLANK_CURVE_CY,
  CAP_FLANK_CURVE_M0, /* m, place of the sphere's centre along the sheave's axis when z = 0 */
  CAP_FLANK_CURVE_RADIUS,
  CAP_FLANK_CURVE_LOW,
  CAP_FLANK_CURVE_HIGH,
  CAP_FLANK_CURVE_A,
  CAP_FLANK_CURVE_NPARAM = CAP_FLANK_CURVE_A + CAP_FLANK_ORDER + 1
};
extern const cap_contact_type cap_flank_curve_type;
