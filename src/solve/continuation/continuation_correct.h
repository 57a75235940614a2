/* solve/continuation/continuation_correct.h — from a predicted point onto the curve, and the tangent
 * there. */
#pragma once
#include "solve/continuation/continuation_work.h"

/* F, J and dF/dp at z into the handle. CAP_RETRY_NONFINITE when F or dF/dp is not finite. */
cap_status cap_continuation_correct_evaluate(cap_continuation *c, const double *z);
/* Largest |f_i / f_scale_i| of f[n]. */
double cap_continuation_correct_residual(const cap_continuation *c, const double *f);
/* Newton in the hyperplane through `from` with normal `normal` (both [n + 1]); fills `to` with the point, its
 * tangent (on the normal's side), determinant and iteration count, not the tests. `from` is not to->z. */
cap_status cap_continuation_correct(cap_continuation *c, const double *from, const double *normal,
                                    double tolerance, cap_continuation_state *to);
/* Values of the test functions at the state. */
cap_status cap_continuation_correct_tests(cap_continuation *c, cap_continuation_state *at);
/* Scale t[n + 1] to norm one; false when it has none. */
bool cap_continuation_correct_normalise(const cap_continuation *c, double *t);
