/* analysis/identify/identify_start.h — first parameters of a law from the geometry of the loop.
 *
 * Dahl:   envelopes by least squares on the last fifth of the strokes; Lambda and mu on a coarse grid, then
 *         by NLopt (BOBYQA, deterministic) with the envelopes held.
 * Masing: corners B and D by a search over their common distance 2 eta from the reversals, (19c): for each
 *         eta the loop is linear in the other parameters, and the smallest sum of squares wins. Then (24),
 *         and c by (26), (28).
 */
#pragma once
#include "analysis/identify/identify_law.h"

/* a b d e Lambda mu, and the force at the first sample. `work` has room for LANES * npoint doubles.
 * *evaluations is increased. */
cap_status cap_identify_start_dahl(cap_identify_model *model, double *work, double *parameters,
                                   int *evaluations);

typedef struct cap_identify_corner {
  double unknowns[CAP_IDENTIFY_LAW_UNKNOWNS]; /* k k0 alpha F0 c, and w at the first sample */
  double eta;                                 /* m */
  double squares;                             /* N2: sum of squares at the best corner */
  double squares_stuck;                       /* ... of a loop that never slips: k0 u + c v - F0 alone */
} cap_identify_corner;

/* `work` has room for npoint doubles. */
cap_status cap_identify_start_masing(cap_identify_model *model, double *work, cap_identify_corner *corner);
