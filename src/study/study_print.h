/* study/study_print.h — the fingerprint of a study, what it read, and its design in words. */
#pragma once
#include "io/model_file.h"
#include "study/study.h"

/* Fill design_text, inputs (the study file, the model file, then data) and fingerprint. `table` without path:
 * the design has no file. The fingerprint covers what decides the cases and what they give: model, settings,
 * values, chains, responses, data, and the program; not the description, the analysis, the optimum and Slurm.
 */
cap_status cap_study_print_sign(cap_study *study, const cap_model_file *model, const cap_study_input *table);
