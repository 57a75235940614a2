/* linalg/quaternion.h — vectors and rotations in space.
 *
 * Maths: docs/theory.md §18. A quaternion e = (e0, e1, e2, e3) not zero stands for the rotation R(e) that
 * maps body axes to the world: v_world = R v_body. R is homogeneous of degree 0 in e, so its norm does not
 * matter. A small change de of e turns the body by the small angles delta (about its own axes),
 *
 *     delta = 2 Im(conj(e) o de) / |e|^2,     dR = R [delta]x,     d(R' c) = -delta x (R' c) + R' dc
 *
 * and only that part of de matters which is not along e. Everything here is inline: it is a few dozen
 * operations inside the innermost loops.
 */
#pragma once
#include <math.h>

static inline double capm_quaternion_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c := a x b; c is neither of them. */
static inline void capm_quaternion_cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double capm_quaternion_norm2(const double e[4])
{
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
}

/* c := a o b (first b turns, then a); c is neither of them. */
static inline void capm_quaternion_product(const double a[4], const double b[4], double c[4])
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* e' = 1/2 e o (0, w), w in body axes, rad/s. Linear in e and in w. */
static inline void capm_quaternion_rate(const double e[4], const double w[3], double edot[4])
{
  edot[0] = 0.5 * (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]);
  edot[1] = 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
  edot[2] = 0.5 * (e[0] * w[1] - e[1] * w[2] + e[3] * w[0]);
  edot[3] = 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

/* Rotation matrix, body to world. */
static inline void capm_quaternion_rotation(const double e[4], double R[3][3])
{
  const double s = 2.0 / capm_quaternion_norm2(e);
  const double xx = s * e[1] * e[1], yy = s * e[2] * e[2], zz = s * e[3] * e[3];
  const double xy = s * e[1] * e[2], yz = s * e[2] * e[3], zx = s * e[3] * e[1];
  const double wx = s * e[0] * e[1], wy = s * e[0] * e[2], wz = s * e[0] * e[3];
  R[0][0] = 1.0 - (yy + zz);
  R[0][1] = xy - wz;
  R[0][2] = zx + wy;
  R[1][0] = xy + wz;
  R[1][1] = 1.0 - (zz + xx);
  R[1][2] = yz - wx;
  R[2][0] = zx - wy;
  R[2][1] = yz + wx;
  R[2][2] = 1.0 - (xx + yy);
}

/* Small rotation about the body axes that the change de of e makes, rad. */
static inline void capm_quaternion_turn(const double e[4], const double de[4], double delta[3])
{
  const double s = 2.0 / capm_quaternion_norm2(e);
  delta[0] = s * (e[0] * de[1] - e[1] * de[0] - e[2] * de[3] + e[3] * de[2]);
  delta[1] = s * (e[0] * de[2] + e[1] * de[3] - e[2] * de[0] - e[3] * de[1]);
  delta[2] = s * (e[0] * de[3] - e[1] * de[2] + e[2] * de[1] - e[3] * de[0]);
}

/* dR = R [delta]x: the change of R by a small rotation about the body axes. */
static inline void capm_quaternion_rotation_turn(const double R[3][3], const double delta[3], double dR[3][3])
{
  for (int i = 0; i < 3; i++) capm_quaternion_cross(R[i], delta, dR[i]);
}

/* world := R body. */
static inline void capm_quaternion_to_world(const double R[3][3], const double body[3], double world[3])
{
  for (int i = 0; i < 3; i++) world[i] = capm_quaternion_dot(R[i], body);
}

/* body := R' world. */
static inline void capm_quaternion_to_body(const double R[3][3], const double world[3], double body[3])
{
  for (int i = 0; i < 3; i++) body[i] = R[0][i] * world[0] + R[1][i] * world[1] + R[2][i] * world[2];
}

/* To norm one; a zero quaternion becomes NaN. */
static inline void capm_quaternion_normalise(double e[4])
{
  const double norm = sqrt(capm_quaternion_norm2(e));
  for (int k = 0; k < 4; k++) e[k] /= norm;
}

/* Turned by `angle` about an axis of any length but zero. */
static inline void capm_quaternion_axis_angle(const double axis[3], double angle, double e[4])
{
  const double s = sin(0.5 * angle) / sqrt(capm_quaternion_dot(axis, axis));
  e[0] = cos(0.5 * angle);
  for (int k = 0; k < 3; k++) e[k + 1] = s * axis[k];
}

/* Euler's angles z-x-z: first `spin` about the symmetry axis (body axis 3), then this axis is tilted by
 * `tilt` about the line of nodes, then all is turned by `heading` about the world's z: the line of nodes ends
 * up in the direction (cos heading, sin heading, 0), the symmetry axis in (sin tilt sin heading, -sin tilt
 * cos heading, cos tilt). */
static inline void capm_quaternion_euler(double heading, double tilt, double spin, double e[4])
{
  const double c = cos(0.5 * tilt), s = sin(0.5 * tilt);
  const double sum = 0.5 * (heading + spin), difference = 0.5 * (heading - spin);
  e[0] = c * cos(sum);
  e[1] = s * cos(difference);
  e[2] = s * sin(difference);
  e[3] = c * sin(sum);
}
