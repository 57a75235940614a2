/* step/exact/exact_search.h — the first event on a piece (inside of exact.c).
 *
 * An event is where one of the gaps f >= 0 reaches zero: limit/k -+ w of a sticking slider, +-s' of a
 * slipping one. With |f''| <= B from here on, f(tau + h) >= f + f' h - B h^2/2, and the step to the zero of
 * that parabola passes over nothing, however short a double crossing may be. Close to a simple zero it is
 * Newton's step, so the search ends as fast as Newton's method, always from the left. Where f starts or
 * touches at zero (a slider has just been caught, or grazes its limit), the first derivative that does not
 * vanish decides.
 */
#pragma once
#include "step/exact/exact_regime.h"

/* The first event of e->piece within its length: *tau and *slider; *slider = -1 and *tau = length without
 * one. */
cap_status cap_exact_search_first(cap_exact *e, const int *flags, double *tau, int *slider, cap_error *error);

/* The flag of a slider after its event, w being on the limit for those that start to slip. */
int cap_exact_search_switch(int flag, double w);
