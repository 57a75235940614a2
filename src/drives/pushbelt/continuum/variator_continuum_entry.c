/* drives/pushbelt/continuum/variator_continuum_entry.c — see variator_continuum_entry.h. */
#include "drives/pushbelt/continuum/variator_continuum_entry.h"

#include <complex.h>
#include <math.h>

/* w = 1 + A_1 exp(-a_1 x) + A_2 exp(-a_2 x) */
typedef struct layer {
  double complex a[2], A[2];
} layer;

static double depth(const layer *d, double x)
{
  return 1.0 + creal(d->A[0] * cexp(-d->a[0] * x) + d->A[1] * cexp(-d->a[1] * x));
}

static double slope(const layer *d, double x)
{
  return -creal(d->a[0] * d->A[0] * cexp(-d->a[0] * x) + d->a[1] * d->A[1] * cexp(-d->a[1] * x));
}

/* a^4 - a^2 + Pi^2 = 0; w(0) = 0 and w''' = w'' + Pi^2 at 0. */
static layer layer_of(double Pi)
{
  double under = 1.0 - 4.0 * Pi * Pi;
  if (fabs(under) < 1e-8) under = 1e-8; /* a double root */
  double complex root = csqrt(under);
  layer d = {.a = {csqrt(0.5 * (1.0 + root)), csqrt(0.5 * (1.0 - root))}};
  double complex f = d.a[0] * d.a[0] * (1.0 + d.a[0]), g = d.a[1] * d.a[1] * (1.0 + d.a[1]);
  d.A[0] = (g - Pi * Pi) / (f - g);
  d.A[1] = -1.0 - d.A[0];
  return d;
}

double cap_variator_continuum_entry_dip(double Pi)
{
  if (!(Pi > 1e-6)) return 1.0;
  layer d = layer_of(Pi);
  double size = cabs(d.a[0]), step = 0.05 / size, low = 0.0, high = step;
  double slowest = fmin(creal(d.a[0]), creal(d.a[1]));
  for (; slope(&d, high) > 0.0; low = high, high += step)
    if (high * slowest > 40.0) return 1.0; /* it never dips deeper than it stays */
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    if (slope(&d, middle) > 0.0) low = middle;
    else high = middle;
  }
  return fmax(depth(&d, low), 1.0);
}

double cap_variator_continuum_entry_slip(double mu, double wedge, double dip)
{
  double sine = sin(wedge), rub = mu * cos(wedge);
  return fmin((sine - (sine + rub) / dip) / rub, 1.0);
}
