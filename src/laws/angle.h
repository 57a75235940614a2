/* laws/angle.h — the angle of a vector as straight-line code that the compiler can vectorise (see laws/pow.h
 * for the rules), and the turns that an angle counts too many.
 *
 * Maths: with lo <= hi the two of |x|, |y|, the angle to the nearer axis is atan(lo/hi), or
 *        pi/4 + atan((lo - hi)/(lo + hi)) beyond tan(pi/8); so |z| <= tan(pi/8) and atan z = z + z^3 P(z^2)
 *        with P of degree 10, found by Chebyshev approximation (5.5e-18 of the angle).
 * Error: below 4.5e-16 rad. The angle of (0, 0) is not a number.
 */
#pragma once
#include <math.h>

/* In [-pi, pi], as atan2. */
static inline double capm_angle_of(double y, double x)
{
  const double ax = fabs(x), ay = fabs(y);
  const double hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
  const double apart = lo - hi, both = lo + hi, edge = 0x1.a827999fcef32p-2 * hi;
  const double top = lo > edge ? apart : lo, bottom = lo > edge ? both : hi, base = lo > edge ? M_PI_4 : 0.0;
  const double z = top / bottom, u = z * z, u2 = u * u, u4 = u2 * u2;

  const double p01 = -0x1.5555555555555p-2 + 0x1.999999999934cp-3 * u;
  const double p23 = -0x1.24924924361fep-3 + 0x1.c71c71853d607p-4 * u;
  const double p45 = -0x1.745d0b28a2eeep-4 + 0x1.3b126305dc4dep-4 * u;
  const double p67 = -0x1.10fa77ab514f0p-4 + 0x1.dfe6491089bd5p-5 * u;
  const double p89 = -0x1.a0999a234950fp-5 + 0x1.4162b9ab69c5ap-5 * u, p10 = -0x1.3a31a1d5ffde0p-6;
  const double p = (p01 + p23 * u2) + ((p45 + p67 * u2) + (p89 + p10 * u2) * u4) * u4;

  const double near = base + (z + z * u * p), across = M_PI_2 - near;
  const double right = ay > ax ? across : near, left = M_PI - right;
  return copysign(x < 0.0 ? left : right, y);
}

/* The angle without its whole turns, in [-pi, pi]; 2 pi in two parts, so that thousands of turns cost no more
 * than the last bit of the angle itself. */
static inline double capm_angle_wrap(double angle)
{
  const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
  const double turns = (angle * 0x1.45f306dc9c883p-3 + magic) - magic;
  return (angle - turns * 0x1.921fb54400000p+2) - turns * 0x1.0b4611a626331p-32;
}
