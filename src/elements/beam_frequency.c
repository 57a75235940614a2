/* elements/beam_frequency.c — see beam_frequency.h.
 *
 * Maths: docs/theory.md §27.6. The largest eigenvalue of a system is at most the largest one of its elements,
 * each with its share of the masses. Along the chord the segment has two coordinates, across it four.
 */
#include "elements/beam_frequency.h"
#include "linalg/eigen.h"

#include <math.h>

typedef struct stiffness {
  double axial, bending, tension; /* EA, EI, N, or the dampers in their place */
  double along, across;           /* of the bed, per length */
  int npoint;
} stiffness;

static double largest(int n, double *matrix, const double *masses)
{
  double M[16] = {0}, squares[4];
  for (int i = 0; i < n; i++) M[i * (n + 1)] = masses[i];
  if (capm_eigen_symmetric(n, matrix, M, squares, NULL) != CAP_OK) return NAN;
  return fmax(squares[n - 1], 0.0);
}

/* Sum over the points of weight s s^T. */
static void add_points(int n, double weight, void (*shape)(double xi, double l, double *s), double l,
                       int npoint, double *matrix)
{
  for (int point = 0; point < npoint; point++) {
    double s[4];
    shape((point + 0.5) / npoint, l, s);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) matrix[i * n + j] += weight / npoint * s[i] * s[j];
  }
}

static void shape_along(double xi, double l, double *s)
{
  (void)l;
  s[0] = 1.0 - xi;
  s[1] = xi;
}

/* Of (w1, phi1, w2, phi2). */
static void shape_across(double xi, double l, double *s)
{
  double rest = 1.0 - xi, h1 = xi * rest * rest, h2 = -xi * xi * rest;
  s[0] = rest + h1 + h2;
  s[1] = l * h1;
  s[2] = xi - h1 - h2;
  s[3] = l * h2;
}

static double largest_along(const stiffness *k, double l, double mass)
{
  double a = k->axial / l, matrix[4] = {a, -a, -a, a}, masses[2] = {0.5 * mass * l, 0.5 * mass * l};
  add_points(2, k->along * l, shape_along, l, k->npoint, matrix);
  return largest(2, matrix, masses);
}

static double largest_across(const stiffness *k, double l, double mass, double rotary)
{
  double b = k->bending / (l * l * l), g = k->tension / (30.0 * l);
  double side = 12.0 * b + 36.0 * g, mixed = (6.0 * b + 3.0 * g) * l, own = (4.0 * b + 4.0 * g) * l * l,
         other = (2.0 * b - g) * l * l;
  double matrix[16] = {side,  mixed,  -side, mixed,  mixed, own,   -mixed, other,
                       -side, -mixed, side,  -mixed, mixed, other, -mixed, own};
  double half = 0.5 * mass * l, masses[4] = {half, 0.5 * rotary, half, 0.5 * rotary};
  add_points(4, k->across * l, shape_across, l, k->npoint, matrix);
  return largest(4, matrix, masses);
}

/* x'' + (beam + bed) x' + square x = 0 is as fast for leapfrog as this angular frequency without damping,
 * where
 * it takes the damper of the beam at the predicted velocity, that of the bed at the one of half a step
 * before. */
static double with_damping(double square, double beam, double bed)
{
  double rate = beam + 0.5 * bed;
  return sqrt(square + rate * rate) + rate;
}

double cap_beam_frequency_of(const capm_beam *beam, double tension, double mass, double rotary,
                             const cap_beam_bed *bed)
{
  stiffness k = {.axial = beam->EA, .bending = beam->EI, .tension = fmax(tension, 0.0)};
  const stiffness c = {.axial = beam->axial, .bending = beam->bending};
  stiffness d = {0};
  if (bed) {
    k.npoint = d.npoint = bed->npoint;
    k.along = bed->tangential, k.across = bed->normal;
    d.along = bed->shear, d.across = bed->damping;
  }
  double l = beam->length;
  double along = with_damping(largest_along(&k, l, mass), largest_along(&c, l, mass),
                              largest_along(&d, l, mass));
  double across = with_damping(largest_across(&k, l, mass, rotary), largest_across(&c, l, mass, rotary),
                               largest_across(&d, l, mass, rotary));
  return along > across || isnan(along) ? along : across;
}
