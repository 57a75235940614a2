/* study/chain_runner.h — one process that computes chains of cases one after the other.
 *
 * What is there already is read, the rest computed. While the next case is computed, a thread brings the file
 * of the one before to the disk: a case counts (it is put into the collector, has its line in the log, is
 * told as finished) when its file has its name.
 */
#pragma once
#include "base/progress.h"
#include "study/collect.h"

typedef struct cap_chain_runner cap_chain_runner;

typedef struct cap_chain_runner_options {
  const cap_progress *progress; /* may be NULL */
  cap_collect *collect;         /* may be NULL, unless it only looks */
  bool look_only;               /* read what is there, compute nothing */
  int worker;                   /* for the log */
  const char *log;              /* NULL: FOLDER/study.log */
  /* All may be NULL. `finished` and `chain_done` come from another thread, one at a time. */
  void (*began)(void *self, int64_t k);
  void (*finished)(void *self, int64_t k, const cap_study_case_row *row, bool found);
  void (*chain_done)(void *self, int64_t chain);
  void *self;
} cap_chain_runner_options;

cap_status cap_chain_runner_create(const cap_study *study, const char *folder,
                                   const cap_chain_runner_options *options, cap_chain_runner **runner,
                                   cap_error *error);
cap_status cap_chain_runner_run(cap_chain_runner *runner, int64_t chain, cap_error *error);
/* Until all that was computed is on the disk. */
cap_status cap_chain_runner_wait(cap_chain_runner *runner, cap_error *error);
void cap_chain_runner_free(cap_chain_runner *runner); /* waits as well; accepts NULL */

/* The log is there, with its first line: for a process that forks others which write to it. */
cap_status cap_chain_runner_log(const char *folder, cap_error *error);
