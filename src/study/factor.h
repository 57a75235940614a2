/* study/factor.h — factors as a study file writes them, in the dimension of the keys that they set. */
#pragma once
#include "study/study_reading.h"

/* Fill factors[], independent, formulas and their order; findings go to the diag. The design's kind is known,
 * the rows of a table are not: a factor without values may get them from there. */
cap_status cap_factor_read_all(cap_study_reading *r);
/* Values, nominal and formulas that needed the rows of a table. */
cap_status cap_factor_complete(cap_study_reading *r);
/* The index of a factor; -1 after a finding at `path`. */
int cap_factor_named(const cap_study_reading *r, const char *name, const char *path);
