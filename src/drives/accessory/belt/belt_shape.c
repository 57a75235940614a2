/* drives/accessory/belt/belt_shape.c — see belt_shape.h. */
#include "drives/accessory/belt/belt_shape.h"

#include <math.h>

#define PI 3.14159265358979323846

static cap_belt_shape pinned(int n, double L, double t, double EI)
{
  double wave = n * PI / L, sign = n % 2 ? -1.0 : 1.0; /* (-1)^n */
  return (cap_belt_shape){.n = n,
                          .mass = 0.5 * L,
                          .stiffness = 0.5 * L * wave * wave * (t + EI * wave * wave),
                          .sum = (1.0 - sign) / wave,
                          .moment = -sign / wave,
                          .wave = wave};
}

/* Wave number b of the trigonometric part, half-length h, a^2 = b^2 + t/EI: b h = n pi/2 + atan(r), where r
 * is b/(a tanh(a h)) for shapes that are even about the middle and b tanh(a h)/a for odd ones. The right side
 * changes by less than a fifth of what the left does, so that it is its own iteration. */
static double wave_of(int n, double h, double pull)
{
  double b = n * PI / (2.0 * h);
  for (int k = 0; k < 60; k++) {
    double a = sqrt(b * b + pull), bend = tanh(a * h), r = n % 2 ? b / (a * bend) : b * bend / a;
    double next = (n * PI / 2.0 + atan(r)) / h;
    if (fabs(next - b) <= 1e-16 * next) return next;
    b = next;
  }
  return b;
}

/* phi = cos(b y) - cos(b h) cosh(a y)/cosh(a h) for odd n, with sines for even n; y from the middle. The
 * trigonometric part is orthogonal to the hyperbolic one. */
static cap_belt_shape clamped(int n, double L, double t, double EI)
{
  double h = 0.5 * L, b = wave_of(n, h, t / EI), a = sqrt(b * b + t / EI), bend = tanh(a * h);
  double c = cos(b * h), s = sin(b * h), square = a * a * (b * b) * EI; /* m omega^2, N/m2 */
  cap_belt_shape shape = {.n = n, .wave = b, .bending = EI};
  double sign = (n / 2) % 2 ? -1.0 : 1.0; /* as the sine that it becomes without bending */
  if (n % 2) {
    double even = 2.0 * (s / b - c * bend / a);
    shape.mass = h + s * c / b + c * c * (h * (1.0 - bend * bend) + bend / a);
    shape.sum = sign * even;
    shape.moment = 0.5 * sign * even;
    shape.curvature = -sign * (a * a + b * b) * c;
  } else {
    double odd = 2.0 * (s / (b * b) - h * c / b) - 2.0 * s * (h / (a * bend) - 1.0 / (a * a));
    shape.mass = h - s * c / b + s * s * (1.0 / (a * bend) - h * (1.0 / (bend * bend) - 1.0));
    shape.moment = sign * odd / L;
    shape.curvature = -sign * (a * a + b * b) * s;
  }
  shape.stiffness = square * shape.mass;
  return shape;
}

cap_belt_shape cap_belt_shape_of(int n, double L, double t, double EI, bool is_clamped)
{
  return is_clamped && EI > 0.0 ? clamped(n, L, t, EI) : pinned(n, L, t, EI);
}

/* Clamped: from EI phi'''' - t phi'' = m omega^2 phi of both, integrated by parts. */
double cap_belt_shape_flow(const cap_belt_shape *k, const cap_belt_shape *l)
{
  if ((k->n + l->n) % 2 == 0) return 0.0;
  if (k->bending == 0.0) return 2.0 * k->wave * l->wave / (k->wave * k->wave - l->wave * l->wave);
  /* the curvatures at x = 0 are those at L, of one of the two with the other sign */
  double part = k->stiffness / k->mass - l->stiffness / l->mass;
  return -2.0 * k->bending * k->curvature * l->curvature / part;
}
