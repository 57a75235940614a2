/* io/execute.h — a model file computed from end to end, into a result file.
 *
 * The one way in which the program, the atlas and the tests run a model. Nothing is written before the model
 * is built; what fails or is interrupted leaves a result that says that it is not complete and can be
 * resumed.
 */
#pragma once
#include "base/progress.h"
#include "io/model_file.h"
#include "model/model.h"

typedef struct cap_execute_options {
  bool resume;
  int threads;
  const cap_progress *progress; /* may be NULL */
} cap_execute_options;

/* Run all analyses of `file` into `output`. `where` (may be NULL, of `size` bytes) gets the path of the file
 * that was written, also when it is incomplete; empty when there is none. */
cap_status cap_execute_file(cap_model_file *file, const char *output, const cap_execute_options *options,
                            char *where, size_t size, cap_error *error);

/* What only the built system can tell: analyses that do not suit it, channels that it does not have. Findings
 * go to `diag` with their places in the file; CAP_ERR_INPUT when there are any. */
cap_status cap_execute_check(const cap_model_file *file, cap_diag *diag, cap_error *error);

/* The system of a model file, one lane. */
cap_status cap_execute_build(const cap_model_file *file, cap_model **model, cap_error *error);
