/* drives/pushbelt/ring/ring_reference.h — the reference curve of a ring over two pulleys, and its
 * derivatives.
 *
 * Maths: docs/theory.md §34.2, (2.23)-(2.26) of the document with its misprints removed. The curve of length
 * L around two axes a distance d apart has the radii r_S = R (1 - Theta), r_P = R (1 + Theta) and strands
 * that rise by the angle psi. With psi as the parameter the closing condition (2.24) is explicit,
 *   R = (L/2 - d (cos psi + psi sin psi)) / pi,    Theta = d sin psi / (2 R),
 * so that psi(Theta) is found by Newton's method from a table, and all derivatives follow exactly. Along the
 * curve there are four parts, in ascending xi: the secondary arc [-a, a], the upper strand [a, c], the
 * primary arc [c, L - c], the lower strand [L - c, L - a], with a = r_S (pi/2 - psi), c = a + d cos psi.
 *
 * Cost: 60 ns for the radii and their three derivatives.
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

/* A function of Theta: value and derivatives of the orders 1 to 3. */
enum { CAPM_RING_ORDERS = 4 };
typedef struct capm_ring_jet {
  double d[CAPM_RING_ORDERS];
} capm_ring_jet;

typedef struct cap_ring_reference {
  double length, distance; /* m */
  double theta_most;       /* |Theta| stays below it: no arc or strand vanishes there */
  int ncell;
  const double
      *table; /* [ncell + 1][2] psi and its slope, evenly over [-theta_most, theta_most]; NULL: d = 0 */
} cap_ring_reference;

/* The curve at one Theta. */
typedef struct cap_ring_frame {
  capm_ring_jet psi;    /* angle of the upper strand */
  capm_ring_jet rS, rP; /* radii */
  capm_ring_jet a, c;   /* the first two joints; the others are at L - c, L - a */
  double sine, cosine;  /* of psi */
} cap_ring_frame;

enum { CAP_RING_PART_S, CAP_RING_PART_UPPER, CAP_RING_PART_P, CAP_RING_PART_LOWER, CAP_RING_PARTS };

/* r and its derivatives over xi (1, 2, 3) and Theta (T) at one place; per component x, y. */
typedef struct cap_ring_place {
  double r[2], r1[2], r2[2], r3[2], rT[2], r1T[2], r2T[2], rTT[2];
} cap_ring_place;

/* false: out of memory. distance < length/2; 0 makes a circle, of which Theta can only be 0. */
bool cap_ring_reference_create(cap_ring_reference *ref, double length, double distance, cap_arena *arena);
/* Everything is NAN beyond theta_most. */
void cap_ring_reference_at(const cap_ring_reference *ref, double theta, cap_ring_frame *frame);
/* The part where xi in [0, L) lies; joints belong to the part after them. */
int cap_ring_reference_part(const cap_ring_reference *ref, const cap_ring_frame *f, double xi);
/* The analytic continuation of `part` at xi. */
void cap_ring_reference_place(const cap_ring_reference *ref, const cap_ring_frame *f, int part, double xi,
                              cap_ring_place *place);
