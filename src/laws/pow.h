/* laws/pow.h — x^y, log2 and 2^x that the compiler can vectorise.
 *
 * libm's pow is exact to half an ulp but a call per lane; a law with a real exponent (Dahl, |q|^mu) spends
 * most of its time there. These are straight-line code without table, call or branch, so a loop over lanes
 * becomes vector code in gcc 12 and clang 14 (-O3, AVX2 and AVX-512) and the same bytes come out for every
 * vector width.
 *
 * The vectorisation rule, for callers too:
 *   - arrays are `restrict` parameters of the function that holds the loop, nothing is loaded through
 *     structs;
 *   - compute both sides, then select (c ? a : b) on doubles; needs -fno-trapping-math, which the build sets;
 *   - only logical 64-bit shifts: AVX2 has no arithmetic one, and no conversion between int64 and double.
 *     Small integers go through the low bits of 2^52 + n instead;
 *   - no fma is required or formed (-ffp-contract=off).
 * tests/unit/test_laws.c compares with libm; `gcc -O3 -march=x86-64-v3 -fopt-info-vec` names the loop.
 *
 * Maths: x = 2^k m, m in [1/sqrt2, sqrt2); log2 m = (2/ln2) atanh(s), s = (m-1)/(m+1). The sum is kept in two
 *        doubles with 26 leading bits in the first, so products by the split exponent are exact and the error
 *        of y log2 x stays near 1e-15 even where that is 1000.
 * Error: below 1e-14 relative for x in 1e-300..1e300 and |y log2 x| < 1000 (measured 6.5e-15; 3e-16 for
 *        |y log2 x| < 60).
 */
#pragma once
#include <float.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t capm_pow_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double capm_pow_from_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The 26 leading bits of x: the product of two such numbers is exact. */
static inline double capm_pow_head(double x)
{
  return capm_pow_from_bits(capm_pow_bits(x) & 0xFFFFFFFFF8000000u);
}

/* A normal x > 0 as 2^k m with m in [1/sqrt2, sqrt2). */
static inline void capm_pow_frexp(double x, double *k, double *m)
{
  /* 1.0 - sqrt(1/2) in bits: carries into the exponent field when the mantissa reaches sqrt2 */
  const uint64_t bits = capm_pow_bits(x), shift = 0x3FF0000000000000u - 0x3FE6A09E667F3BCDu;
  const uint64_t biased = (bits + shift) >> 52;
  *k = capm_pow_from_bits(biased | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  *m = capm_pow_from_bits(bits + 0x3FF0000000000000u - (biased << 52));
}

/* (2/ln2) (atanh(s)/s - 1)/z with z = s^2 <= 0.0295: Chebyshev interpolation, 5e-17. */
static inline double capm_pow_atanh_tail(double z)
{
  const double z2 = z * z, z4 = z2 * z2;
  const double p01 = 0x1.ec709dc3a03fdp-1 + 0x1.2776c50ef9c71p-1 * z;
  const double p23 = 0x1.a61762a78639cp-2 + 0x1.484b1401cd77ep-2 * z;
  const double p45 = 0x1.0c9a6ec1a35f6p-2 + 0x1.c69ba1c09ec52p-3 * z;
  const double p67 = 0x1.880b29f2006b0p-3 + 0x1.82abc2e1fdc5ap-3 * z;
  return (p01 + p23 * z2) + (p45 + p67 * z2) * z4; /* Estrin: short chains overlap */
}

/* log2 of a normal x > 0 as head (26 bits) + tail. */
static inline void capm_pow_log2_parts(double x, double *head, double *tail)
{
  double k, m;
  capm_pow_frexp(x, &k, &m);

  /* s = f / (m + 1) with its remainder, so that s is known to twice the working precision */
  const double f = m - 1.0, sum = m + 1.0, sum_head = capm_pow_head(sum), sum_tail = m - (sum_head - 1.0);
  const double inverse = 1.0 / sum, s = f * inverse, s_head = capm_pow_head(s);
  const double s_tail = ((f - s_head * sum_head) - s_head * sum_tail) * inverse;

  const double z = s * s, p = capm_pow_atanh_tail(z);
  const double c_head = 0x1.7154760000000p+1, c_tail = 0x1.4ae0bf85ddf44p-25; /* 2/ln2 */
  const double large = c_head * s_head, small = c_head * s_tail + (c_tail * s + s * z * p);
  *head = capm_pow_head(k + (large + small));
  *tail = (large - (*head - k)) + small;
}

/* (2^r - 1)/r on |r| <= 1/2: Chebyshev interpolation, 2e-17. */
static inline double capm_pow_exp2_tail(double r)
{
  const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const double q01 = 0x1.62e42fefa39efp-1 + 0x1.ebfbdff82c58fp-3 * r;
  const double q23 = 0x1.c6b08d704a0c6p-5 + 0x1.3b2ab6fba4e79p-7 * r;
  const double q45 = 0x1.5d87fe78a3f8cp-10 + 0x1.430912f86b7d4p-13 * r;
  const double q67 = 0x1.ffcbfc6dad6adp-17 + 0x1.62c02242bb0bdp-20 * r;
  const double q89 = 0x1.b524ebc089f66p-24 + 0x1.e4cf10d1896bep-28 * r;
  const double qab = 0x1.e9ec3d7558475p-32 + 0x1.c4a2aaa2b01d9p-36 * r;
  return ((q01 + q23 * r2) + (q45 + q67 * r2) * r4) + (q89 + qab * r2) * r8;
}

/* 2^(head + tail); the sum is held within +-1020, so the result is neither zero nor infinite. */
static inline double capm_pow_exp2_parts(double head, double tail)
{
  const double total = head + tail, low = -1020.0, high = 1020.0;
  const double over = total > high ? high : total, within = over < low ? low : over;
  const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer in the low bits */
  const double shifted = within + magic, n = shifted - magic;
  const double remainder = (head - n) + tail;
  const double r = within == total ? remainder : 0.0;

  const double scale = capm_pow_from_bits((capm_pow_bits(shifted) << 52) + 0x3FF0000000000000u);
  return (1.0 + r * capm_pow_exp2_tail(r)) * scale;
}

/* 2^x for |x| <= 1020, to which it is not held. */
static inline double capm_pow_exp2_within(double x)
{
  const double magic = 6755399441055744.0, shifted = x + magic, r = x - (shifted - magic);
  const double scale = capm_pow_from_bits((capm_pow_bits(shifted) << 52) + 0x3FF0000000000000u);
  return (1.0 + r * capm_pow_exp2_tail(r)) * scale;
}

/* x^y for x >= 0. Zero and subnormal x give 0, whatever y; results are held within 2^+-1020. */
static inline double capm_pow(double x, double y)
{
  const double normal = x < DBL_MIN ? 1.0 : x;
  double head, tail;
  capm_pow_log2_parts(normal, &head, &tail);
  const double y_head = capm_pow_head(y);
  const double power = capm_pow_exp2_parts(y_head * head, (y - y_head) * head + y * tail);
  return x < DBL_MIN ? 0.0 : power;
}

/* The same with one double for the logarithm, in 60 % of the time: error 2.3e-16 (1 + |y log2 x|) for |y log2
 * x| <= 1000. */
static inline double capm_pow_short(double x, double y)
{
  const double normal = x < DBL_MIN ? 1.0 : x;
  double k, m;
  capm_pow_frexp(normal, &k, &m);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  const double p = y * (k + s * (0x1.71547652b82fep+1 + z * capm_pow_atanh_tail(z)));
  const double power = capm_pow_exp2_within(p);
  return x < DBL_MIN ? 0.0 : power;
}

/* log2 of a normal x > 0. */
static inline double capm_pow_log2(double x)
{
  double head, tail;
  capm_pow_log2_parts(x, &head, &tail);
  return head + tail;
}

/* 2^x, held within 2^+-1020. */
static inline double capm_pow_exp2(double x)
{
  return capm_pow_exp2_parts(x, 0.0);
}
