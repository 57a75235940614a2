/* cli/run_log.h — what happened in a run, for --json: its analyses with their times, and the notes. */
#pragma once
#include "base/arena.h"
#include "capstan/capstan.h"

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
  const char *where;  /* the result; "" = none; the model's */
  char error[1024];   /* reason of the failure; "" = none */
  double wall, processor;
  int nanalysis, nnote, nseen, nfinding;
  cap_run_log_analysis *analyses;
  const char **notes;
  capstan_finding *findings; /* about the input */
  cap_arena arena;
  pthread_mutex_t lock; /* notes come from all threads */
} cap_run_log;

cap_run_log *cap_run_log_create(void);   /* NULL: out of memory */
void cap_run_log_free(cap_run_log *log); /* accepts NULL */
void cap_run_log_findings(cap_run_log *log, int n, const capstan_finding *findings);
void cap_run_log_note(cap_run_log *log, const char *text);
void cap_run_log_stage(cap_run_log *log, const capstan_analysis_stage *stage);
/* result, wall_time, processor_time, analyses, notes */
void cap_run_log_answer(const cap_run_log *log, FILE *to);
