/* cli/load.h — a model file read and checked for a subcommand, findings printed. */
#pragma once
#include "cli/options.h"
#include "io/model_file.h"

/* Exit code 0, *file and its system *model, or what went wrong (already said). */
int cap_load_model(const char *path, const cap_option_texts *settings, cap_model_file **file,
                   cap_model **model);
