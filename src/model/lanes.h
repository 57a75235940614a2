/* model/lanes.h — one lane of a model, copied side by side.
 *
 * Samples of one motion (instants of a period, points of a path) are evaluated as lanes of such a copy, so
 * that the elements' vector kernels serve them.
 */
#pragma once
#include "model/model.h"

/* A model of nlane equal lanes (at most CAP_LANES_MOST), all with the parameters of `lane` of m. Names,
 * samples of motions and element types are those of m, which must outlive the copy. Free
 * with cap_model_free. */
cap_status cap_lanes_copy(const cap_model *m, int lane, int nlane, cap_model **copy);

/* par[count][nlane] := from[count][from_lanes] of one lane. */
void cap_lanes_spread(int count, int from_lanes, int lane, const double *from, int nlane, double *par);
