/* laws/smoothing.h — smooth stand-ins for |x| and sign(x), eqs. (4) to (7) of Kim, Rook and Singh.
 *
 * Maths: docs/theory.md §3. g approximates |x|, its first derivative the sign, for a factor sigma (1/m):
 *   g1 = x tanh(sigma x),  g2 = (2/pi) x atan(sigma x),  g3 = ln(2 cosh(sigma x))/sigma,
 *   g4 = the quartic that meets |x| with two derivatives at +-width (called quintic spline in the paper),
 *   abs = |x| itself, with slope 0 and curvature 0 at x = 0.
 * Written through e = exp(-2 sigma |x|), so nothing overflows for any sigma x. (4c) and (5c) are printed with
 * a wrong sign of their second terms; the derivatives here are checked by finite differences. g1' overshoots:
 * its largest value is 1.19968 at sigma x = 1.19968 (the root of s tanh s = 1).
 *
 * Cost: one exponential; branch-free but for g2 (libm atan) and g3 (one logarithm).
 */
#pragma once
#include "laws/pow.h"
#include <math.h>

typedef enum capm_smoothing_kind {
  CAPM_SMOOTHING_ABS,
  CAPM_SMOOTHING_G1,
  CAPM_SMOOTHING_G2,
  CAPM_SMOOTHING_G3,
  CAPM_SMOOTHING_G4
} capm_smoothing_kind;

typedef struct capm_smoothing {
  double g, d1, d2; /* value, first and second derivative to x */
} capm_smoothing;

/* exp(-2 |s|), tanh(s) and 1 - tanh(s)^2, exact to rounding for any s. */
static inline void capm_smoothing_tanh(double s, double *e, double *tanh_s, double *sech2)
{
  const double size = fabs(s), ln2_inverse = 1.4426950408889634;
  *e = capm_pow_exp2(-2.0 * ln2_inverse * size);
  const double t = (1.0 - *e) / (1.0 + *e);
  *tanh_s = s < 0.0 ? -t : t;
  *sech2 = 4.0 * *e / ((1.0 + *e) * (1.0 + *e));
}

static inline capm_smoothing capm_smoothing_abs(double x)
{
  const double sign = x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
  return (capm_smoothing){fabs(x), sign, 0.0};
}

static inline capm_smoothing capm_smoothing_g1(double x, double sigma)
{
  double e, t, c;
  capm_smoothing_tanh(sigma * x, &e, &t, &c);
  return (capm_smoothing){x * t, t + sigma * x * c, 2.0 * sigma * c * (1.0 - sigma * x * t)};
}

static inline capm_smoothing capm_smoothing_g2(double x, double sigma)
{
  const double s = sigma * x, two_over_pi = 0.63661977236758134, angle = two_over_pi * atan(s);
  const double r = 1.0 / (1.0 + s * s);
  return (capm_smoothing){x * angle, angle + two_over_pi * s * r, 2.0 * two_over_pi * sigma * r * r};
}

static inline capm_smoothing capm_smoothing_g3(double x, double sigma)
{
  double e, t, c;
  const double ln2 = 0.69314718055994531;
  capm_smoothing_tanh(sigma * x, &e, &t, &c);
  return (capm_smoothing){fabs(x) + ln2 * capm_pow_log2(1.0 + e) / sigma, t, sigma * c};
}

static inline capm_smoothing capm_smoothing_g4(double x, double width)
{
  const double y = x / width, y2 = y * y;
  const capm_smoothing inside = {0.125 * width * (3.0 + y2 * (6.0 - y2)), 0.5 * y * (3.0 - y2),
                                 1.5 / width * (1.0 - y2)};
  const capm_smoothing outside = capm_smoothing_abs(x);
  const int within = fabs(y) <= 1.0;
  return (capm_smoothing){within ? inside.g : outside.g, within ? inside.d1 : outside.d1,
                          within ? inside.d2 : outside.d2};
}

/* Any of them; `width` serves g4 only. */
static inline capm_smoothing capm_smoothing_of(int kind, double x, double sigma, double width)
{
  switch (kind) {
  case CAPM_SMOOTHING_G1:
    return capm_smoothing_g1(x, sigma);
  case CAPM_SMOOTHING_G2:
    return capm_smoothing_g2(x, sigma);
  case CAPM_SMOOTHING_G3:
    return capm_smoothing_g3(x, sigma);
  case CAPM_SMOOTHING_G4:
    return capm_smoothing_g4(x, width);
  default:
    return capm_smoothing_abs(x);
  }
}

/* Integral of g from 0 to x, for energies; by quadrature where there is no closed form (smoothing.c). */
double capm_smoothing_integral(int kind, double x, double sigma, double width);
