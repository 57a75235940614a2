/* study/surface.h — a response as a quadratic of the factors, and how far it can be trusted.
 *
 * Maths:   docs/theory.md §58.
 *
 * Terms are offered in the order 1, factors, squares, products; one that the points cannot tell from those
 * before it is left out. Factors without an order of their values (levels) shift the surface: an indicator
 * for every level but the lowest, without squares and products.
 */
#pragma once
#include "base/status.h"
#include "linalg/qr.h"
#include "study/sensitivity_given.h"

enum { CAP_SURFACE_CLASSES = 3 }; /* linear; with squares; with products, too */

typedef struct cap_surface_term {
  int a, b;     /* factors; -1 = none: "1" has neither, a factor has a, a product both, a square a = b */
  double level; /* of an indicator "a = level", which has b = -2 */
} cap_surface_term;

/* The terms over a set of points: one for all responses that have values at the same points. */
typedef struct cap_surface_design {
  int n, nfactor;
  double *centre, *scale; /* [nfactor] z = (x - centre)/scale; NaN of factors that are not in it */
  int noffered, nterm;
  cap_surface_term *offered;      /* [noffered] */
  int *terms;                     /* [nterm] of those, the ones that are told apart */
  int cut[CAP_SURFACE_CLASSES];   /* terms of each class of surfaces */
  int limit[CAP_SURFACE_CLASSES]; /* offered up to it; 0: not tried, see `large` */
  bool large; /* products, or squares, were not tried: too many terms for as many points */
  capm_qr qr;
  double *leverages[CAP_SURFACE_CLASSES]; /* [n] */
} cap_surface_design;

/* x[nfactor][n] as the surface sees it (logarithms taken). */
cap_status cap_surface_design_init(cap_surface_design *design, int n, int nfactor, const double *x,
                                   const cap_sensitivity_given_kind *kinds, cap_error *error);
void cap_surface_design_free(cap_surface_design *design);

typedef struct cap_surface {
  int kind;  /* 0 .. 2; -1: there are too few points for any, or too many terms */
  int nterm; /* the first of design.terms */
  double r2, q2, rms, rms_left_out;
} cap_surface;

/* Fit y[n]: coefficients[nterm of the design], fitted[n], and left_out[n], what the other points say of each
 * (NaN where they do not). The surface with all terms, unless a smaller one has a Q2 that is better by more
 * than 0.01. */
cap_status cap_surface_fit(const cap_surface_design *design, const double *y, cap_surface *surface,
                           double *coefficients, double *fitted, double *left_out, cap_error *error);
