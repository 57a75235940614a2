/* io/recall.h — arrays of an earlier result, for a run that goes on from there (cap_run.recall). */
#pragma once
#include "base/status.h"
#include <stdint.h>

/* The path counts from the folder of the model file `model`. values: for the caller to free. */
cap_status cap_recall_arrays(const char *model, const char *path, const char *group, const char *prefer,
                             int narray, const char *const *names, double **values, int64_t *counts,
                             cap_error *error);
