/* laws/sine.h — the sine as straight-line code that the compiler can vectorise (see laws/pow.h for the
 * rules).
 *
 * A harmonic load is evaluated four times a Runge-Kutta step in every lane; libm's sine is a call each,
 * before which all vector registers are saved.
 *
 * Maths: x = n pi/2 + r with |r| <= pi/4, pi/2 in three parts so that r is known to the last bit for
 *        |x| < 1e6; then the Taylor series of sine or cosine.
 * Error: below 2.3e-16 for |x| < 1e6, beyond that 6e-17 |x| (half of the last bit of x itself); x must stay
 *        below 3e15.
 */
#pragma once
#include "laws/pow.h"

/* Both polynomials at r = x - n pi/2, and n in the low bits of the answer. */
static inline uint64_t capm_sine_parts(double x, double *sine, double *cosine)
{
  const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer in the low bits */
  const double shifted = x * 0x1.45f306dc9c883p-1 + magic, n = shifted - magic;
  const double r = ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
  const double z = r * r, z2 = z * z, z4 = z2 * z2;

  const double s12 = -0x1.5555555555555p-3 + 0x1.1111111111111p-7 * z;
  const double s34 = -0x1.a01a01a01a01ap-13 + 0x1.71de3a556c734p-19 * z;
  const double s56 = -0x1.ae64567f544e4p-26 + 0x1.6124613a86d09p-33 * z, s7 = -0x1.ae7f3e733b81fp-41;
  *sine = r + r * z * ((s12 + s34 * z2) + (s56 + s7 * z2) * z4);

  const double c23 = 0x1.5555555555555p-5 - 0x1.6c16c16c16c17p-10 * z;
  const double c45 = 0x1.a01a01a01a01ap-16 - 0x1.27e4fb7789f5cp-22 * z;
  const double c67 = 0x1.1eed8eff8d898p-29 - 0x1.93974a8c07c9dp-37 * z, c8 = 0x1.ae7f3e733b81fp-45;
  *cosine = (1.0 - 0.5 * z) + z2 * ((c23 + c45 * z2) + (c67 + c8 * z2) * z4);
  return capm_pow_bits(shifted);
}

static inline double capm_sine(double x)
{
  double sine, cosine;
  const uint64_t quarter = capm_sine_parts(x, &sine, &cosine);
  const double value = quarter & 1u ? cosine : sine;
  return quarter & 2u ? -value : value;
}

/* Sine and cosine at little more than the cost of one. */
static inline double capm_sine_both(double x, double *cosine)
{
  double s, c;
  const uint64_t quarter = capm_sine_parts(x, &s, &c);
  const double first = quarter & 1u ? c : s, second = quarter & 1u ? s : c;
  *cosine = (quarter + 1u) & 2u ? -second : second;
  return quarter & 2u ? -first : first;
}
