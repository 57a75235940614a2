/* cli/cli.h — the subcommands of the program and their exit codes. */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include "cli/command.h"
#include "io/model_file.h"

/* X(name, code, what it says) */
#define CAP_CLI_EXITS(X)                                                                                     \
  X(FINE, 0, "success")                                                                                      \
  X(FAILED, 1,                                                                                               \
    "the computation failed; cases of a study are missing, or all failed; a result is damaged or cannot be " \
    "used")                                                                                                  \
  X(USAGE, 2, "bad input or usage, or a file that cannot be read or written")                                \
  X(CLAIM, 3, "a claim of the atlas does not hold, or holds against what its entry says")                    \
  X(LATE, 124, "the time limit is over; what was computed so far is kept")                                   \
  X(INTERRUPTED, 130, "interrupted by Ctrl-C (SIGINT); what was computed so far is kept")                    \
  X(TERMINATED, 143, "ended by SIGTERM; what was computed so far is kept")

enum {
#define CAP_CLI_CODE(name, code, text) CAP_CLI_##name = code,
  CAP_CLI_EXITS(CAP_CLI_CODE)
#undef CAP_CLI_CODE
};

/* X(name): cap_cli_<name>_command in its own file, in the order of the help. */
#define CAP_CLI_COMMANDS(X)                                                                                  \
  X(new)                                                                                                     \
  X(check) X(run) X(report) X(export) X(verify) X(identify) X(study) X(atlas) X(migrate) X(schema) X(help)

#define CAP_CLI_DECLARE(name) extern const cap_command cap_cli_##name##_command;
CAP_CLI_COMMANDS(CAP_CLI_DECLARE)
#undef CAP_CLI_DECLARE

/* cli/atlas.c: the entries that capstan atlas finds, one a line. */
void cap_cli_atlas_ids(FILE *to);
