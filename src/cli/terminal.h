/* cli/terminal.h — what the program says: progress, notes, errors, interruption. */
#pragma once
#include "base/diag.h"
#include "base/progress.h"
#include "base/status.h"
#include "capstan/capstan.h"

#include <pthread.h>

enum { CAP_TERMINAL_DURATION = 48 };

typedef struct cap_terminal {
  cap_progress progress;
  int quiet, live;  /* live: standard error is a terminal, one line is rewritten */
  double last;      /* s: wall clock of the last line */
  const char *what; /* the work at hand, where it began, and when: its rate is that of itself alone */
  double started, first_done, last_done;
  int line_open;
  pthread_mutex_t lock; /* reports come from all threads */
} cap_terminal;

/* Progress to standard error; Ctrl-C and SIGTERM set the stop flag (a second one ends the program). */
void cap_terminal_open(cap_terminal *terminal, int quiet);
void cap_terminal_close(cap_terminal *terminal);
/* Whether something is computed that is stored at its checkpoints. A computation that does not hear a signal
 * then, deep in a decomposition of a library for instance, ends with the program, as if it had been
 * killed. */
void cap_terminal_deep(bool computing);

/* "always", "never", or "auto": in colour on a terminal that can, when NO_COLOR is not set. */
void cap_terminal_colour(const char *when);
/* "capstan: ..." on standard error, the name in red. */
__attribute__((format(printf, 1, 2))) void cap_terminal_error(const char *format, ...);
/* "warning: ..." on standard error; --quiet does not hide it. */
__attribute__((format(printf, 1, 2))) void cap_terminal_warning(const char *format, ...);
/* The warning of a result that was written before results had a digest; nothing for others. */
void cap_terminal_warn_unchecked(const char *path);
/* As an error, of a status; the exit code that fits it. */
int cap_terminal_fail(const cap_error *error);
/* The exit code of what was stopped: that of the signal. */
int cap_terminal_stopped(void);
/* Findings of a diag in the order of their places; returns how many. */
int cap_terminal_sorted(const cap_diag *diag, capstan_finding findings[CAP_DIAG_MOST]);
/* Findings on standard error; `text`: the same as plain lines, and how many more there are. */
void cap_terminal_tell(int n, const capstan_finding *findings, const char *text);
/* All findings about the input on standard error, and exit code 2; 0 when there is no error among them. */
int cap_terminal_findings(cap_diag *diag);
/* "1.2 s", "12 s", "3 min 20 s", "5 h 12 min" */
const char *cap_terminal_duration(char text[CAP_TERMINAL_DURATION], double seconds);
/* At the end of the program: whether standard output took everything. A pipe whose reader has left is no
 * error; `code`, or what to end with instead. */
int cap_terminal_end(int code);
