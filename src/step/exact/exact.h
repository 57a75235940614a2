/* step/exact/exact.h — exact propagation of a system that is linear between stick and slip (model/linear.h).
 *
 * Maths: docs/theory.md §5. While the set of sticking sliders does not change, (q, v) obeys linear equations
 * with constant coefficients and harmonic forcing. They are solved by eigenmodes (one decomposition per set,
 * kept), or by Taylor series where the modes do not serve (defective or resonant systems); rigid motion is a
 * parabola. A piece ends where a slider starts to slip (|k w| reaches its limit) or to stick (its sliding
 * velocity reaches zero); that instant is found without the risk of passing over it, because the search steps
 * by bounds on the second derivative.
 *
 * State: y[n] = (q[nv], v[nv], w[nslider]) and one flag a slider; these two arrays are all that a restart
 * needs to continue bit for bit. The object keeps decompositions and scratch only; one object serves one
 * thread.
 *
 * Cost: no allocation once every regime has been met (tangent included).
 */
#pragma once
#include "base/status.h"
#include "model/linear.h"

typedef struct cap_exact cap_exact;

/* What a slider does. CAUGHT: it sticks, and stopped sliding on its limit at this very instant. */
enum {
  CAP_EXACT_CAUGHT_DOWN = -2,
  CAP_EXACT_SLIP_DOWN = -1,
  CAP_EXACT_STICK = 0,
  CAP_EXACT_SLIP_UP = 1,
  CAP_EXACT_CAUGHT_UP = 2
};

enum { CAP_EXACT_MOST_SLIDERS = 64 };

/* A Gauss-Legendre node: the integral of any g over the time advanced is the sum of weight * g(node). */
typedef struct cap_exact_node {
  double t, weight;    /* s */
  const double *q, *v; /* [nv] */
  const double *w, *z; /* [nslider] m, N */
  const int *flags;    /* [nslider] */
} cap_exact_node;

/* What an advance shall tell beside the state; all of it optional. */
typedef struct cap_exact_watch {
  double *tangent; /* [n][n], multiplied from the left by the derivative of the flow */
  double *slip;    /* [nslider] m, grows by the distance slid; times the limit it is the energy dissipated */
  long nevent;     /* grows by the number of changes between stick and slip */
  void (*node)(void *self, const cap_exact_node *node);
  void *self;
} cap_exact_watch;

/* Copies what it needs of `linear`. CAP_ERR_INPUT with the reason when it cannot be propagated. */
cap_status cap_exact_create(const cap_linear *linear, cap_exact **exact, cap_error *error);
/* The same object for other numbers and the same sizes; decompositions stay when the matrices do. */
cap_status cap_exact_reset(cap_exact *exact, const cap_linear *linear, cap_error *error);
void cap_exact_free(cap_exact *exact); /* accepts NULL */

int cap_exact_size(const cap_exact *exact); /* n = 2 nv + nslider */

/* Flags that belong to a state at time t; w beyond its limit is set to the limit. A slider on its limit
 * starts to slip when it moves outwards and sticks when it moves inwards. */
cap_status cap_exact_start(cap_exact *exact, double t, double *y, int *flags, cap_error *error);

/* Carry the state from t0 to t1 >= t0. `watch` may be NULL. */
cap_status cap_exact_advance(cap_exact *exact, double t0, double t1, double *y, int *flags,
                             cap_exact_watch *watch, cap_error *error);
