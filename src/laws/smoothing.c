/* laws/smoothing.c — see smoothing.h. */
#include "laws/smoothing.h"

/* 10-point Gauss-Legendre on [0, 1], symmetric half. */
static const double node[5] = {0.07443716949081560, 0.21669769706462360, 0.33970478414951220,
                               0.43253168334449227, 0.48695326425858590};
static const double weight[5] = {0.14776211235737645, 0.13463335965499818, 0.10954318125799103,
                                 0.07472567457529030, 0.03333567215434407};

/* Integral of g - |x| from 0 to x > 0 for g1 and g3: it dies out like exp(-2 sigma x). */
static double rest(int kind, double x, double sigma)
{
  enum { PANELS = 12 };
  double end = fmin(x, 20.0 / sigma), sum = 0.0;
  for (int p = 0; p < PANELS; p++)
    for (int k = 0; k < 10; k++) {
      double at = 0.5 + (k < 5 ? node[k] : -node[k - 5]), here = end * (p + at) / PANELS;
      sum += weight[k % 5] * (capm_smoothing_of(kind, here, sigma, 0.0).g - here);
    }
  return sum * end / PANELS;
}

double capm_smoothing_integral(int kind, double x, double sigma, double width)
{
  const double size = fabs(x), sign = x < 0.0 ? -1.0 : 1.0;
  double integral = 0.5 * size * size;
  if (kind == CAPM_SMOOTHING_G1 || kind == CAPM_SMOOTHING_G3) integral += rest(kind, size, sigma);
  if (kind == CAPM_SMOOTHING_G2) {
    const double s = sigma * size;
    integral = 0.31830988618379067 * ((1.0 + s * s) * atan(s) - s) / (sigma * sigma);
  }
  if (kind == CAPM_SMOOTHING_G4) {
    const double y = fmin(size / width, 1.0), y2 = y * y;
    const double inside = 0.125 * width * width * y * (3.0 + y2 * (2.0 - 0.2 * y2));
    integral = inside + 0.5 * fmax(size * size - width * width, 0.0);
  }
  return sign * integral;
}
