/* step/exact/exact_run.h — the loop of exact.c with a look at each piece (inside of exact_orbit.c,
 * exact_range.c).
 */
#pragma once
#include "step/exact/exact_regime.h"

/* As cap_exact_advance; `each` (may be NULL) sees e->piece before it is left after tau. */
cap_status cap_exact_run(cap_exact *e, double t0, double t1, double *y, int *flags, cap_exact_watch *watch,
                         void (*each)(void *self, double tau), void *self, cap_error *error);
