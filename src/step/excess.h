/* step/excess.h — how much the error of a step exceeds what is allowed, the same for several methods. */
#pragma once
#include "model/model.h"

/* A step of length h from y to end, [nstate] each. */
typedef struct cap_excess_ends {
  const double *y, *slope, *end; /* slope: at the start */
  const double *miss;            /* what the state at the end is wrong by, as far as is known */
  const double *base;            /* [nv] mean velocities beside those of the state, or NULL */
  double h;
} cap_excess_ends;

/* m: the size of the largest stick deflection, or 0. */
double cap_excess_least(const cap_model *m);
/* Error over what is allowed: relative to the largest of each kind of state at both ends and what it would
 * change by. Velocities at rest need not be better than what the rounding of positions makes of them, or ever
 * shorter steps would be chosen. INFINITY when something is not finite. */
double cap_excess_of(const cap_model *m, double tolerance, double least, const cap_excess_ends *s);
