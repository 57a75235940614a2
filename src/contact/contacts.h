/* contact/contacts.h — the kinds of contact of the program, one type each: where bodies touch and how fast
 * the touching points pass each other.
 *
 * Maths: docs/theory.md §18. Interface: model/contact.h. The ground is the plane z = 0 with its normal along
 * +z; it may turn with Omega about the z axis through the origin (a turntable), then rows are velocities
 * relative to it. Parameters stand in the order of the enums, coordinates in the order told; SI units. None
 * of them depends on time.
 */
#pragma once
#include "model/contact.h"

/* Blade, or any guide that moves along itself alone: planar body (x, y, phi); the blade's point (ax, ay) in
 * body axes, and the angle from the body's heading to the blade. Row "sideways". Measures:
 * x, y of the point. */
enum { CAP_BLADE_AX, CAP_BLADE_AY, CAP_BLADE_ANGLE, CAP_BLADE_OMEGA, CAP_BLADE_NPARAM };
extern const cap_contact_type cap_blade_type;

/* Upright wheel under its own centre: (x, y, phi, theta), theta grows as it rolls forward. Rows "rolling"
 * (along the heading) and "sideways" (to the left). Measures: x, y of the contact. */
enum { CAP_WHEEL_RADIUS, CAP_WHEEL_OMEGA, CAP_WHEEL_NPARAM };
extern const cap_contact_type cap_wheel_type;

/* Thin disc that stands on its rim: three velocities of the centre, three angular velocities in body axes,
 * body axis 3 is the disc's axis. Rows "normal" (rate of the gap), "x", "y" (world). Measures: x, y of the
 * contact; angle in (0, pi) from the world's z to the disc's axis, whose sine is that of the disc's
 * inclination to the ground; azimuth of the axis, in (-pi, pi]: seen from the centre the contact lies in this
 * direction while that angle is below pi/2, in the opposite one above it. Not finite when flat (sine of the
 * inclination below 1e-6). */
enum { CAP_RIM_RADIUS, CAP_RIM_OMEGA, CAP_RIM_NPARAM };
extern const cap_contact_type cap_rim_type;

/* Ball about its centre of mass; coordinates and rows of the rim. Measures: x, y of the contact. */
enum { CAP_BALL_RADIUS, CAP_BALL_OMEGA, CAP_BALL_NPARAM };
extern const cap_contact_type cap_ball_type;

/* Block that does not turn: (x, y). Rows "x", "y". No measures. */
enum { CAP_SHOE_OMEGA, CAP_SHOE_NPARAM };
extern const cap_contact_type cap_shoe_type;

/* Pin between two planar bodies (xa, ya, phia, xb, yb, phib): the point (ax, ay) of the first and (bx, by) of
 * the second, in their body axes, coincide. Rows "x", "y", both rates of gaps (first less second). Measures:
 * x, y of the first body's point. */
enum { CAP_HINGE_AX, CAP_HINGE_AY, CAP_HINGE_BX, CAP_HINGE_BY, CAP_HINGE_NPARAM };
extern const cap_contact_type cap_hinge_type;
extern const cap_contact_type cap_hinge_pin_type; /* the same; a gap is closed by moving both bodies */

/* ---- planar bodies (x, y, phi) that touch each other, docs/theory.md §37: coordinates xa, ya, phia, xb, yb,
 * phib. Rows "normal" and "tangential", measures as in planar_touch.h. ---- */

/* Two discs about the points (ax, ay) and (bx, by) of their bodies. rb < 0: the second is a hole of radius
 * -rb, the first a pin in it. */
enum {
  CAP_DISC_DISC_AX,
  CAP_DISC_DISC_AY,
  CAP_DISC_DISC_BX,
  CAP_DISC_DISC_BY,
  CAP_DISC_DISC_RA,
  CAP_DISC_DISC_RB,
  CAP_DISC_DISC_NPARAM
};
extern const cap_contact_type cap_disc_disc_type;
/* The first row alone, "length", of two points whose distance is -rb: a rod keeps it, a rope (a normal row)
 * does not exceed it. */
extern const cap_contact_type cap_disc_disc_rod_type;
extern const cap_contact_type cap_disc_disc_rope_type;

/* Disc about the point (ax, ay) of A, with radius 0 its corner, on a convex polygon of B: COUNT corners
 * counterclockwise, or two: the line through them, with B's material on its left. The surface moves with
 * SPEED along t, clockwise. cap_disc_polygon_shape fills COUNT and CORNERS. */
enum { CAP_DISC_POLYGON_MOST = 8 };
enum {
  CAP_DISC_POLYGON_AX,
  CAP_DISC_POLYGON_AY,
  CAP_DISC_POLYGON_RADIUS,
  CAP_DISC_POLYGON_SPEED, /* m/s */
  CAP_DISC_POLYGON_COUNT,
  CAP_DISC_POLYGON_CORNERS, /* x, y in the frame of B, unit vector from it to the next */
  CAP_DISC_POLYGON_NPARAM = CAP_DISC_POLYGON_CORNERS + 4 * CAP_DISC_POLYGON_MOST
};
extern const cap_contact_type cap_disc_polygon_type;
void cap_disc_polygon_shape(int n, const double (*corners)[2], double par[CAP_DISC_POLYGON_NPARAM]);

/* The point (ax, ay) of A slides along the line of B through (bx, by) in the DIRECTION (rad, in B's frame).
 * Row "across", a gap. The guide has a second row, "turn", a gap, too: LEVER (m) times the angle of A against
 * B, less ANGLE. Measures: x, y of the point. */
enum {
  CAP_GUIDE_AX,
  CAP_GUIDE_AY,
  CAP_GUIDE_BX,
  CAP_GUIDE_BY,
  CAP_GUIDE_DIRECTION,
  CAP_GUIDE_ANGLE,
  CAP_GUIDE_LEVER,
  CAP_GUIDE_NPARAM
};
extern const cap_contact_type cap_guide_slot_type;
extern const cap_contact_type cap_guide_type;
