/* drives/accessory/belt/belt_shape.h — how a span of belt vibrates across: modes of a string or beam at
 * rest, pinned or clamped, and their integrals.
 *
 * Maths:   docs/theory.md §26 (pinned), §31.3 (clamped). phi_n(x), 0 <= x <= L, scaled so that a beam without
 *          bending stiffness has phi_n = sin(n pi x/L) whatever its ends.
 * Cost:    closed forms; clamped: a few tens of evaluations of tanh and atan.
 */
#pragma once
#include <stdbool.h>

typedef struct cap_belt_shape {
  int n;
  double mass;      /* m: integral of phi^2 */
  double stiffness; /* N/m: integral of t phi_x^2 + EI phi_xx^2 */
  double sum;       /* m: integral of phi */
  double moment;    /* m: integral of (x/L) phi */
  double wave;      /* 1/m: wave number of its trigonometric part */
  double curvature; /* 1/m2: phi_xx at x = L; 0 of a pinned one */
  double bending;   /* N m2: EI of a clamped one, 0 of a pinned one */
} cap_belt_shape;

/* Shape n = 1, 2, ... of a span of length L (m) under the tension t > 0 (N), with the bending stiffness EI >=
 * 0 (N m2). */
cap_belt_shape cap_belt_shape_of(int n, double L, double t, double EI, bool clamped);

/* Integral of phi_k dphi_l/dx, for two shapes of the same span. */
double cap_belt_shape_flow(const cap_belt_shape *k, const cap_belt_shape *l);
