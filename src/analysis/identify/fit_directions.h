/* analysis/identify/fit_directions.h — what data tell of parameters, and what they do not.
 *
 * Maths: docs/theory.md §42.3. From the Jacobian of the residuals (in standard deviations of the noise) to
 * relative changes of the parameters: singular directions, the ones along which the data leave more than a
 * limit open, these as readable combinations, and intervals of what is left.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>

typedef struct cap_fit_directions {
  int n;
  double quantile;  /* of the 95 % intervals */
  double *singular; /* [n] descending, per relative change */
  double *vector;   /* [n][n] vector[k * n + j]: weight of parameter j in direction k */
  int nopen;        /* the last nopen of them are open: +- quantile / singular exceeds the limit */
  double
      *combination; /* [nopen][n] the open ones again, as combinations of few parameters: largest weight 1 */
  double *reach;    /* [nopen] 95 %: how far along each the data let the parameters go, relative; may be
                       INFINITY */
  double *error;    /* [n] relative standard error */
  bool *known;      /* [n] its interval is within the limit */
  double *correlation; /* [n][n] of the known directions' covariance */
} cap_fit_directions;

/* J[m][n]: change of each residual, over its standard deviation, per relative change of a parameter. limit:
 * widest half interval, relative. Arrays from `arena`. */
cap_status cap_fit_directions_find(int m, int n, const double *J, double quantile, double limit,
                                   cap_arena *arena, cap_fit_directions *d);

/* Combination k in words: "edge.stiffness up by 1 % with head.stiffness down by 0.97 %". */
void cap_fit_directions_tell(const cap_fit_directions *d, int k, const char *const *names, char *text,
                             int size);
