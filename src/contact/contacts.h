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
 * body axes, and the angle from the body's heading to the blade. Row "sideways". Measures: x, y of the point.
 */
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
