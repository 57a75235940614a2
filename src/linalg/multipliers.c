/* linalg/multipliers.c — see multipliers.h. */
#include "linalg/multipliers.h"

#include <math.h>

void capm_multipliers_sort(int n, double *re, double *im)
{
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (hypot(re[j], im[j]) > hypot(re[i], im[i])) {
        double r = re[i], m = im[i];
        re[i] = re[j], im[i] = im[j];
        re[j] = r, im[j] = m;
      }
}

int capm_multipliers_outside(int n, const double *re, const double *im, double radius)
{
  int count = 0;
  for (int i = 0; i < n; i++) count += hypot(re[i], im[i]) > radius;
  return count;
}

/* Products of complex numbers that come in conjugate pairs: the real part is all there is. */
void capm_multipliers_tests(int n, const double *re, const double *im, double *doubling, double *torus)
{
  double one_re = 1.0, one_im = 0.0, pair_re = 1.0, pair_im = 0.0;
  for (int i = 0; i < n; i++) {
    double a = 1.0 + re[i], b = im[i], keep = one_re;
    one_re = one_re * a - one_im * b;
    one_im = keep * b + one_im * a;
    for (int j = 0; j < i; j++) {
      double c = 1.0 - (re[i] * re[j] - im[i] * im[j]), d = -(re[i] * im[j] + im[i] * re[j]);
      keep = pair_re;
      pair_re = pair_re * c - pair_im * d;
      pair_im = keep * d + pair_im * c;
    }
  }
  *doubling = one_re;
  *torus = pair_re;
}
