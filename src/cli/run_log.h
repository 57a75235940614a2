/* cli/run_log.h — what happened in a run, for --json: its analyses with their times, and the notes. */
#pragma once
#include "base/arena.h"
#include "base/progress.h"
#include "io/execute.h"

#include <pthread.h>
#include <stdio.h>

typedef struct cap_run_log_analysis {
  const char *name, *status;
  double wall, processor; /* s; while it runs, when it began */
  int ngroup;             /* that it has opened */
  const char **groups;    /* [ngroup] */
} cap_run_log_analysis;

typedef struct cap_run_log {
  const char *status; /* "refused", "complete", "failed", "interrupted" */
  char where[4096];   /* the result; "" = none */
  double wall, processor;
  int nanalysis, nnote, nseen;
  cap_run_log_analysis *analyses;
  const char **notes;
  const cap_progress *to; /* who is told, too */
  cap_arena arena;
  pthread_mutex_t lock; /* notes come from all threads */
} cap_run_log;

cap_run_log *cap_run_log_create(void);   /* NULL: out of memory */
void cap_run_log_free(cap_run_log *log); /* accepts NULL */
/* *progress: what passes everything on to `to` and keeps the notes. */
void cap_run_log_open(cap_run_log *log, const cap_progress *to, cap_progress *progress);
/* For cap_execute_options. */
void cap_run_log_stage(void *self, const cap_execute_stage *stage);
/* result, wall_time, processor_time, analyses, notes */
void cap_run_log_answer(const cap_run_log *log, FILE *to);
