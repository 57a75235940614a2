/* step/exact/exact_stuck.h — the linear response with every slider stuck, and what a search for orbits takes
 * from it. */
#pragma once
#include "step/exact/exact_regime.h"

/* CAP_ERR_INPUT unless every angular frequency is a multiple of 2 pi / period. */
cap_status cap_exact_stuck_check_period(const cap_exact *e, double period, cap_error *error);

/* The state at t = 0 of the response with all sliders stuck. Their mean positions are those of `guess` (a
 * state at t = 0, or NULL for zero) moved into the admissible range. *fits: no limit is passed, the orbit is
 * a true one; otherwise y is a start for a search, with w within the limits. */
cap_status cap_exact_stuck_orbit(cap_exact *e, double period, const double *guess, double *y, bool *fits,
                                 cap_error *error);

/* Amplitudes by which deviations from a state near y are measured; all positive. */
void cap_exact_stuck_scales(cap_exact *e, const double *y, double *scale);

int cap_exact_stuck_first_slider(const cap_exact *e); /* index of w in y */
