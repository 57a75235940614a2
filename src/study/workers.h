/* study/workers.h — the cases of a study computed, by one process or by several.
 *
 * The unit of work is a chain of cases (of one case where the study has no continuation). What is there
 * already is read, the rest computed. A case that fails in itself is a row with its reason; what leaves a
 * case missing (a full disk, an interruption) ends the work, and what is finished stays.
 */
#pragma once
#include "base/progress.h"
#include "study/collect.h"

typedef struct cap_workers_line { /* one worker */
  int64_t k;                      /* the case at hand; -1 = none */
  double fraction;                /* of it done; NaN = it does not say */
  double seconds;                 /* since it began */
  int64_t done, failed;
  char what[24]; /* the analysis at hand */
} cap_workers_line;

typedef struct cap_workers_view { /* how far it is */
  int64_t ncase;
  int64_t found;            /* of them, those that were there before (in `done` as well) */
  int64_t done, failed;     /* done: with a row, the failed ones among them */
  int64_t running, pending; /* pending: waiting in a queue of the cluster; -1 = there is none */
  double seconds;           /* since the beginning */
  int nline;
  const cap_workers_line *lines;
} cap_workers_view;

typedef struct cap_workers_options {
  int nworker;
  bool look_only;               /* read what is there, compute nothing */
  const cap_progress *progress; /* its stop flag and notes; may be NULL */
  /* About twenty times a second, in the calling process; may be NULL. */
  void (*watch)(void *self, const cap_workers_view *view);
  void *self;
} cap_workers_options;

typedef struct cap_workers_outcome {
  cap_workers_view view; /* at the end, without lines */
  int ncrash;            /* workers that were killed */
  bool given_up;         /* since they died one after the other */
  char how[64];          /* the last of them: "killed by signal 9 (Killed)" */
} cap_workers_outcome;

/* All cases by forked workers, rows to `collect`. CAP_OK: all were tried (some may be missing when workers
 * were killed), CAP_STOPPED: interrupted; else what ended it. The calling process must have no threads. */
cap_status cap_workers_run(const cap_study *study, const char *folder, cap_collect *collect,
                           const cap_workers_options *options, cap_workers_outcome *outcome,
                           cap_error *error);

typedef struct cap_workers_list_options {
  const cap_progress *progress; /* stop flag, reports of each case; may be NULL */
  const char *log;              /* where a line for each case is appended; NULL: FOLDER/study.log */
  cap_collect *collect;         /* gets the rows; may be NULL */
  /* Each case that has a row (found: it was there before), from any thread, one at a time; may be NULL. */
  void (*finished)(void *self, int64_t k, const cap_study_case_row *row, bool found);
  void *self;
} cap_workers_list_options;

/* These chains of the study, one after the other in this process: a task of a cluster. */
cap_status cap_workers_run_list(const cap_study *study, const char *folder, int64_t nchain,
                                const int64_t *chains, const cap_workers_list_options *options,
                                cap_error *error);
