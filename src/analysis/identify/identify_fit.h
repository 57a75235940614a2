/* analysis/identify/identify_fit.h — least squares on all parameters of a law, with their intervals.
 *
 * Levenberg-Marquardt with the damping chosen among eight trial steps at once (lanes of identify_law),
 * Jacobian by differences of lanes. Covariance = variance of the residuals times the inverse of J^T J;
 * intervals with Student's t.
 */
#pragma once
#include "analysis/identify/identify.h"

/* Fill `fit` for the law; refusals are not errors (fit->done stays false). CAP_ERR_NOMEM only. */
cap_status cap_identify_fit_law(const cap_identify_cycle *cycle, cap_identify_law law, cap_arena *arena,
                                cap_identify_fit *fit);
