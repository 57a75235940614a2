/* study/sensitivity_classes.h — first-order indices from a sample as it is, by classes of each factor's
 * values.
 *
 * Maths:   docs/theory.md §56.
 *
 * Made once for a sample; then estimated with any weights of the points, for the bootstrap.
 */
#pragma once
#include "study/sensitivity_given.h"
#include <stdbool.h>

enum { CAP_SENSITIVITY_CLASSES = 100, CAP_SENSITIVITY_DEGREES = 10 };

/* A factor's points by class, sorted by it. */
typedef struct cap_sensitivity_class {
  int nclass, starts[CAP_SENSITIVITY_CLASSES + 1];
  int *order;                                                          /* [n] points */
  double at[CAP_SENSITIVITY_CLASSES], spread[CAP_SENSITIVITY_CLASSES]; /* mean and variance of its values */
  double *y;       /* [n][nresponse] responses without what the other factors do, in that order */
  double *means;   /* [nclass][nresponse] of the points as they are */
  int ndegree;     /* polynomials over the classes, without the constant */
  double *degrees; /* [ndegree][nclass] orthonormal with the shares of the classes as weights */
  bool every;      /* all differences between classes are signal: levels, or few values */
  int nfit;        /* of the polynomials, for what the factor does by itself; the others see y without it */
  bool *rough;     /* [nresponse] what the polynomials do not give is too large to be noise */
} cap_sensitivity_class;

/* What the means of the classes come to. */
typedef struct cap_sensitivity_parts {
  double signal, count; /* squares that are signal, and how many */
  double rest;          /* mean square of the others; NaN: there are none */
  double drawn;         /* what that is for independent draws */
} cap_sensitivity_parts;

typedef struct cap_sensitivity_classes {
  const cap_sensitivity_given_sample *s;
  const double *z; /* [nresponse][n] standardised responses */
  bool *constant;  /* [nresponse] */
  cap_sensitivity_class *factors;
  cap_sensitivity_parts *parts; /* [nresponse][nfactor] */
  double *row;                  /* [nfactor] */
  int nfit;                     /* of all factors */
  bool summed;                  /* the variance is the sum of those of the factors and of what is left */
  double *left;                 /* [nresponse][n] responses without what all factors do */
  double *inner;                /* [nresponse][nfactor] variance of what a factor does inside its classes */
} cap_sensitivity_classes;

/* False: out of memory. To be freed in any case. */
bool cap_sensitivity_classes_init(cap_sensitivity_classes *c, const cap_sensitivity_given_sample *s,
                                  const double *z, const bool *constant);
void cap_sensitivity_classes_free(cap_sensitivity_classes *c);
/* Indices to[nresponse][nfactor] with weights[n], which are n draws. `whole`: the points as they are; to be
 * called first. */
void cap_sensitivity_classes_estimate(cap_sensitivity_classes *c, const double *weights, bool whole,
                                      double *to);
