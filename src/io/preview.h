/* io/preview.h — what a model file describes and what would be run, as quantities for a person: the sections
 * of its drive, one for each analysis, and as details the equations and channels behind them. */
#pragma once
#include "base/drawing.h"
#include "base/summary.h"
#include "io/model_file.h"
#include "model/model.h"

#include <stdio.h>

/* CAP_ERR_NOMEM when memory is exhausted. `model`: the system of `file`. */
cap_status cap_preview_make(const cap_model_file *file, const cap_model *model, cap_summary *summary);

/* The summary as text, as `capstan check` prints it. `details`: sections of details, too. */
void cap_preview_print(const cap_model_file *file, const cap_summary *summary, bool details, FILE *to);

/* The drive as a drawing; empty where the drive has nothing to draw. */
cap_status cap_preview_draw(const cap_model_file *file, const cap_model *model, cap_drawing *drawing);
