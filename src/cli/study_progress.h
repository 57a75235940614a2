/* cli/study_progress.h — how far a study is: a line for all and one for each worker that are drawn again on a
 * terminal, a plain line now and then elsewhere. */
#pragma once
#include "base/progress.h"
#include "cli/terminal.h"
#include "study/workers.h"

typedef struct cap_study_progress {
  cap_progress progress; /* for the workers: notes that do not tear the drawing, the program's stop flag */
  int quiet, live;
  double last; /* s: wall clock of the last drawing or line */
  int drawn;   /* lines that stand there now */
  int told;    /* that it is stopping */
} cap_study_progress;

/* The terminal must be open: it has the stop flag. */
void cap_study_progress_open(cap_study_progress *p, const cap_terminal *terminal);
/* `self` is a cap_study_progress; for cap_workers_options.watch, and for whoever else knows how far it is. */
void cap_study_progress_watch(void *self, const cap_workers_view *view);
/* Wipe the drawing. */
void cap_study_progress_close(cap_study_progress *p);
