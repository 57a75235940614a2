/* study/study_analysis.h — what the cases of a study tell, put into its collected file.
 *
 * Maths:   docs/theory.md §53 to §59.
 *
 * In the open group `study`, beside its rows. [nfactor] arrays are in the order of the factors, NaN where a
 * factor has none (a formula, a constant). Cases that failed, are missing or have no finite value are left
 * out and counted. Names:
 *   effect.RESPONSE.FACTOR, .low, .high      mean over the factor, with its confidence; axis effect.FACTOR.at
 *   sensitivity.kind (text), sensitivity.RESPONSE.first, .total, .regression [nfactor], each with .low, .high
 *     where there is a confidence; numbers sensitivity.RESPONSE.R2 (of the regression), .left_out_cases
 *   tornado.RESPONSE.low, .high, .least, .most [nfactor], number tornado.RESPONSE.nominal   one at a time
 *   surface.logarithmic (text), surface.RESPONSE.terms (text), .note (text), .coefficients, .centre, .scale,
 *     .predicted, .left_out [ncase], numbers .R2, .Q2, .rms, .rms_left_out, .left_out_cases
 *   pareto [ncase] 0/1, pareto.responses (text)
 *   scatter.RESPONSE   standard deviation between replicates of a point
 */
#pragma once
#include "base/sink.h"
#include "study/study.h"

cap_status cap_study_analysis_put(const cap_study *study, const cap_study_table *table, cap_sink *sink,
                                  cap_error *error);
