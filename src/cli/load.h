/* cli/load.h — a model file read and checked for a subcommand, findings printed. */
#pragma once
#include "base/diag.h"
#include "cli/command.h"
#include "io/model_file.h"
#include "model/model.h"

typedef struct cap_load {
  cap_model_file *file; /* NULL: it cannot be used */
  cap_model *model;     /* its system; whoever hands it on sets it to NULL */
  cap_diag *diag;       /* all findings, warnings too */
  cap_error error;      /* what went wrong without a finding; else its text is "" */
} cap_load;

/* CSV files that feed inputs (io/feed_file.h); all zero: none. */
typedef struct cap_load_inputs {
  cap_option_texts linear, held;
} cap_load_inputs;

/* Exit code 0 with file and model, or what went wrong (already said). inputs: NULL = none. */
int cap_load_model(cap_load *load, const char *path, const cap_option_texts *settings,
                   const cap_load_inputs *inputs);
void cap_load_free(cap_load *load);
