/* cli/terminal.h — what the program says: progress, notes, errors, interruption. */
#pragma once
#include "base/diag.h"
#include "base/progress.h"
#include "base/status.h"
#include <pthread.h>

typedef struct cap_terminal {
  cap_progress progress;
  int quiet, live;  /* live: standard error is a terminal, one line is rewritten */
  double last;      /* s: wall clock of the last line */
  const char *what; /* the work at hand, where it began, and when: its rate is that of itself alone */
  double started, first_done, last_done;
  int line_open;
  pthread_mutex_t lock; /* reports come from all threads */
} cap_terminal;

/* Progress to standard error; Ctrl-C sets the stop flag (a second one ends the program at once). */
void cap_terminal_open(cap_terminal *terminal, int quiet);
void cap_terminal_close(cap_terminal *terminal);
/* "capstan: ..." on standard error; the exit code that fits the status. */
int cap_terminal_fail(const cap_error *error);
/* All findings about the input on standard error, and exit code 2; 0 when there is no error among them. */
int cap_terminal_findings(cap_diag *diag);
