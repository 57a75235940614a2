/* cli/study.h — what the parts of `capstan study` hand to each other. */
#pragma once
#include "cli/study_progress.h"
#include "study/collect.h"
#include "study/study_folder.h"
#include "study/workers.h"

typedef struct cap_study_job {
  const cap_study *study;
  const char *folder;
  bool begun; /* the folder was there before: --resume */
  int nworker;
  cap_terminal *terminal; /* open; its stop flag is set by Ctrl-C */
  cap_study_progress *progress;
  cap_collect *collect;
  cap_workers_outcome outcome;
  cap_collect_more more; /* what goes into study.h5 beside the cases; zeroed = nothing */
} cap_study_job;

/* cli/study_slurm.c: is there a cluster that takes job arrays? */
cap_status cap_study_slurm_ready(cap_error *error);
/* Hand what is missing in job->collect to the cluster and follow it. CAP_OK: all tasks have ended; what they
 * left is read by the caller, cases may be missing. CAP_STOPPED: the user left, the tasks go on, and that was
 * said. */
cap_status cap_study_slurm_run(cap_study_job *job, cap_error *error);
/* For work that is not the cluster's: refuse while an array of this study is in its queue. */
cap_status cap_study_slurm_absent(cap_study_job *job, cap_error *error);
/* cli/study_task.c: a task of the cluster, `capstan study --task DIR/slurm/001`; the exit code. */
int cap_study_slurm_task(const char *folder);

/* cli/study_optimise.c: look for the optimum into job->more, in files of DIR/optimise; all cases must be
 * there. look_only: from the files alone; CAP_STOPPED when there are not all of them, or interrupted. */
cap_status cap_study_optimise_run(cap_study_job *job, bool look_only, cap_error *error);
/* Whether DIR/optimise is there. */
bool cap_study_optimise_begun(const cap_study_job *job);
/* One line about it, after study.h5 has been written. */
void cap_study_optimise_tell(const cap_study_job *job);
void cap_study_optimise_free(cap_study_job *job); /* accepts a job without */
