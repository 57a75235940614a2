/* contact/planar.h — points of bodies in the plane (x, y, phi).
 *
 * Maths: docs/theory.md §18. P = (x, y) + A with the arm A = Rot(phi) a; P' = (x', y') + phi' ez x A.
 */
#pragma once
#include <math.h>

/* The arm A of the body-fixed point (ax, ay). */
static inline void cap_planar_arm(double phi, double ax, double ay, double arm[2])
{
  double c = cos(phi), s = sin(phi);
  arm[0] = c * ax - s * ay;
  arm[1] = s * ax + c * ay;
}
