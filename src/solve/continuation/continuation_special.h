/* solve/continuation/continuation_special.h — folds and branch points by Newton on minimal extended systems.
 *
 * Second derivatives enter only as derivatives of psi^T [J Fp] along one vector, by central differences of
 * the Jacobian: two evaluations a vector, whatever n.
 */
#pragma once
#include "solve/continuation/continuation_work.h"

/* From at->z near a fold with tangent at->t: the fold itself, to rounding, with its tangent. */
cap_status cap_continuation_special_fold(cap_continuation *c, cap_continuation_state *at);
/* From at->z near a branch point, at->t roughly along the branch in hand: the branch point, the tangent of
 * this branch in at->t and that of the crossing one in other[n + 1]. CAP_RETRY_NOCONV when there is no
 * crossing. */
cap_status cap_continuation_special_branch(cap_continuation *c, cap_continuation_state *at, double *other);
