/* study/study_print.h — the fingerprint of a study, and its design in words. */
#pragma once
#include "study/study.h"

/* Fill design_text and fingerprint from what is there otherwise. The fingerprint covers what decides the
 * cases and what they give: model, settings, values, chains, responses, data, and the program; not the
 * description, the analysis, the optimum and Slurm. */
cap_status cap_study_print_sign(cap_study *study);
