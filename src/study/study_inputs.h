/* study/study_inputs.h — the files that a study read. */
#pragma once
#include "study/study_reading.h"

/* Fill inputs: the study file, the model file, the data of the model (also of levels that name other files),
 * and `table`, which has no path where the design has no file. */
cap_status cap_study_inputs_list(cap_study_reading *r, const cap_study_input *table);
