/* study/factor_formula.h — factors that follow from others: what they need, and in which order they come. */
#pragma once
#include "study/study_reading.h"

/* Fill independent and formulas of the study; findings for unknown names and circles. */
cap_status cap_factor_formula_order(cap_study_reading *r);
/* What formulas give at the nominal values of the others. */
cap_status cap_factor_formula_nominal(cap_study_reading *r);
