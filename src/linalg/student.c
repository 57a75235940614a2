/* linalg/student.c — see student.h.
 *
 * P(|T| > t) = I_x(f/2, 1/2), x = f/(f + t^2), with the incomplete beta function by its continued fraction
 * (Abramowitz and Stegun 26.5.8 in Lentz's form); t by bisection in ln t, which cannot fail: it is asked for
 * once an interval, not in a loop over cases.
 */
#include "linalg/student.h"

#include <math.h>

/* Continued fraction of I_x(a, b), good for x < (a + 1)/(a + b + 2). */
static double fraction(double a, double b, double x)
{
  const double tiny = 1e-300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m < 100000; m++) {
    double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    for (int k = 0; k < 2; k++) {
      double term = k == 0 ? even : odd;
      d = 1.0 + term * d;
      d = 1.0 / (fabs(d) < tiny ? tiny : d);
      c = 1.0 + term / c;
      if (fabs(c) < tiny) c = tiny;
      value *= c * d;
    }
    if (fabs(c * d - 1.0) < 1e-15) break;
  }
  return value;
}

/* lgamma writes the sign into a global, from every thread. */
static double log_gamma(double x)
{
  int sign;
  return lgamma_r(x, &sign);
}

/* I_x(a, b) with y = 1 - x, which is handed in since 1 - x may have lost its digits. */
static double incomplete_beta(double a, double b, double x, double y)
{
  if (!(x > 0.0)) return 0.0;
  if (!(y > 0.0)) return 1.0;
  double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * fraction(a, b, x) / a;
  return 1.0 - front * fraction(b, a, y) / b;
}

static double outside(double t, double freedom)
{
  double sum = freedom + t * t;
  return incomplete_beta(0.5 * freedom, 0.5, freedom / sum, t * t / sum);
}

double capm_student_two_sided(double confidence, double freedom)
{
  double low = -30.0, high = 30.0; /* ln t; beyond e^30 a freedom of one holds all but 6e-14 */
  for (int k = 0; k < 100 && high - low > 1e-13; k++) {
    double middle = 0.5 * (low + high);
    if (outside(exp(middle), freedom) > 1.0 - confidence) low = middle;
    else high = middle;
  }
  return exp(0.5 * (low + high));
}
