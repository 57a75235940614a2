/* study/factor_path.h — the keys of a model that factors set, by their paths: any that --set reaches. */
#pragma once
#include "study/study_reading.h"

/* The field of `path`, whose dimension and limits its values have; *own: what the model has there where it is
 * a quantity, else NAN. False after a finding at the place `at` of the study file. */
bool cap_factor_path_find(cap_study_reading *r, const char *path, const char *at, cap_field *target,
                          double *own);
