/* study/effects.h — the mean of a response over a factor, with its confidence.
 *
 * Maths:   docs/theory.md §53.
 */
#pragma once
#include "study/sample.h"

enum { CAP_EFFECTS_BINS = 10 }; /* of a factor that is not listed */

/* Where the points of a factor are, the same for all responses. */
typedef struct cap_effects {
  int nclass;
  double *at;   /* [nclass] mean value of the factor (geometric of a logarithmic one) */
  int *members; /* [npoint] class of a point; -1 = none */
} cap_effects;

cap_status cap_effects_init(cap_effects *effects, const cap_sample *sample, const cap_study *study,
                            int factor, cap_error *error);
void cap_effects_free(cap_effects *effects);

/* Mean of y[npoint] (NaN: left out) by class and Student's interval of it; NaN where the class has no point,
 * and fewer than two for an interval. */
void cap_effects_means(const cap_effects *effects, int npoint, const double *y, double confidence,
                       double *mean, double *low, double *high);
