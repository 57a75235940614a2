/* study/study_check.h — what the model says to the values of a study, asked before anything runs. */
#pragma once
#include "study/study_reading.h"

/* Findings of the model's own diag, told in that of the study; settings of "set" at their lines. */
void cap_study_check_tell(cap_study_reading *r, const cap_diag *model);

/* The model at the lowest and the highest value that each factor takes, and at each level, the others
 * nominal: read, and where it is the first time, built. A value that it refuses is told at the factor.
 * Channels of responses. */
cap_status cap_study_check_values(cap_study_reading *r);
