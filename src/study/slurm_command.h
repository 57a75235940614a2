/* study/slurm_command.h — run another program and take what it says.
 *
 * No shell is between: an argument arrives as it is, with whatever spaces and quotes are in it. The program
 * gets a process group of its own, so that Ctrl-C on the terminal does not end it half way.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <signal.h>

typedef struct cap_slurm_command {
  int code;                    /* what it returned; 128 + the signal when one ended it */
  const char *output, *errors; /* what it wrote; never NULL, in the arena */
} cap_slurm_command;

/* Run argv[0] from the PATH to its end. CAP_OK whatever it returned; CAP_ERR_UNSUPPORTED when there is no
 * such program; CAP_STOPPED when `stop` (may be NULL) became set, then it is killed. */
cap_status cap_slurm_command_run(const char *const *argv, const volatile sig_atomic_t *stop, cap_arena *arena,
                                 cap_slurm_command *result, cap_error *error);
