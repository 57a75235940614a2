/* study/sensitivity_given.h — sensitivities from a sample as it is: regression and classes.
 *
 * Maths:   docs/theory.md §56.
 */
#pragma once
#include "study/sensitivity.h"

typedef enum cap_sensitivity_given_kind {
  CAP_SENSITIVITY_GIVEN_NONE,   /* constant, or a formula of the others: no index */
  CAP_SENSITIVITY_GIVEN_NUMBER, /* a column of the regression, and classes */
  CAP_SENSITIVITY_GIVEN_LEVEL   /* no order among its values: indicators in the regression, and classes */
} cap_sensitivity_given_kind;

/* How the points lie; each includes what those before it have. */
typedef enum cap_sensitivity_given_spread {
  CAP_SENSITIVITY_GIVEN_ANY,   /* factors may depend on each other */
  CAP_SENSITIVITY_GIVEN_DRAWN, /* each factor independently of the others */
  CAP_SENSITIVITY_GIVEN_AXES,  /* the values of each factor as even as can be: a Latin hypercube */
  CAP_SENSITIVITY_GIVEN_NET    /* and those of several together: a Sobol' sequence */
} cap_sensitivity_given_spread;

typedef struct cap_sensitivity_given_sample {
  int n, nfactor, nresponse;
  const double *x; /* [nfactor][n] */
  const double *y; /* [nresponse][n] finite */
  const cap_sensitivity_given_kind *kinds;
  cap_sensitivity_given_spread spread;
} cap_sensitivity_given_sample;

/* first and regression are [nresponse][nfactor], r2[nresponse] is that of the regression. */
cap_status cap_sensitivity_given(const cap_sensitivity_given_sample *sample,
                                 const cap_sensitivity_confidence *by, cap_sensitivity_index *first,
                                 cap_sensitivity_index *regression, double *r2, cap_error *error);
