/* hb/hb_stability.h — stability of a periodic solution: Floquet multipliers along the balanced orbit.
 *
 * Maths: docs/theory.md §13. The monodromy matrix of the linearised motion over one base period, along the
 * orbit that the coefficients describe. Where every nonlinear law is piecewise linear it is a product of
 * exponentials between the crossings; with smooth laws a Magnus integrator of fourth order over the samples;
 * with laws that have memory the implicit midpoint rule over the samples, inner states and sliders with it.
 * Hill's method was not taken: its eigenvalues need sorting, and memory does not fit into it.
 *
 * Cost: N small matrix products that skip zeros (a chain of c masses: O(N c^2)), then all eigenvalues,
 * O(c^3): 10 us for an oscillator, 13 ms for 32 masses, 1.5 s for 200 (piecewise-linear laws 1.5 and 170 ms).
 */
#pragma once
#include "hb/hb.h"

typedef struct cap_hb_stability {
  int nstate;        /* 2 nfree + inner states and sliders with a spring, but for those left out */
  int nflow, *kept;  /* states of the flow; [nstate] which of them are there: not the position of what turns
                      * freely alone, upon which nothing depends, nor a velocity of what has no mass */
  double *re, *im;   /* [nstate] multipliers, largest modulus first */
  double *monodromy; /* [nstate][nstate] positions, velocities, inner states */
  double largest;    /* modulus */
  double *work;
  cap_arena arena;
} cap_hb_stability;

/* Memory for one harmonic balance; refused when there are too many states. */
cap_status cap_hb_stability_create(const cap_hb *hb, cap_hb_stability **stability, cap_error *error);
void cap_hb_stability_free(cap_hb_stability *stability); /* accepts NULL */

/* Multipliers of the solution x. */
cap_status cap_hb_stability_find(cap_hb_stability *stability, cap_hb *hb, const double *x,
                                 double angular_frequency, cap_error *error);
