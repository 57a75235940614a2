/* drives/pushbelt/ring/ring_stiff.h — a ring of cubics between nodes with slopes, its mass and stiffness
 * together.
 *
 * Maths: docs/theory.md §47.4. For steps that take the elastic motion of a ring within itself implicitly:
 *     M + share K,
 *     K = sum over points  w (EA (t . S')(t . S')' + T/|r'| (n . S')(n . S')' + EI (A . S' + B . S'')(...)')
 * positive semidefinite, at the shape and tension T that the ring has. Blocks are the nodes, x, y, x', y'
 * each, in the order in which the coordinates stand, the last beside the first.
 */
#pragma once
#include "linalg/blocks.h"

typedef struct cap_ring_stiff {
  int n;              /* nodes */
  double mass;        /* kg/m */
  double EA, EI;      /* N, N m2 */
  double gain;        /* stretch is gain |r'| */
  double share, drag; /* s2; the part of it that is due to damping, as far as that is longer than a step */
  const double *node; /* [n][4] where they are: r, r' */
  const double *size; /* [n] length of the element after each of them */
  bool pinned;        /* the place of the last node is locked */
} cap_ring_stiff;

/* Memory for a ring of n nodes, and the systems in it: M + share K, share K. */
int cap_ring_stiff_nwork(int n);
capm_blocks cap_ring_stiff_whole(int n, double *memory);
capm_blocks cap_ring_stiff_added(int n, double *memory);
/* Both filled, the whole factored. false: not positive definite, or not finite. */
bool cap_ring_stiff_set(const cap_ring_stiff *r, double *memory);
