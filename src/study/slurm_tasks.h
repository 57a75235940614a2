/* study/slurm_tasks.h — one submission of a study: FOLDER/slurm/001, 002, ...
 *
 *   list      which chains of cases each task has
 *   script    what the cluster runs; begins the program again with --task
 *   job       number of the job array, written as soon as Slurm has given it
 *   0.log     what task 0 said, and so on; 0.cases: its seconds, until they are in study.log
 */
#pragma once
#include "study/slurm_words.h"
#include "study/study.h"

typedef struct cap_slurm_tasks {
  char *folder; /* of the submission; absolute */
  int ntask;
  int64_t *chains; /* of all tasks */
  int64_t *begin;  /* [ntask + 1] in `chains` */
  cap_slurm_job job;
} cap_slurm_tasks;

void cap_slurm_tasks_free(cap_slurm_tasks *tasks); /* accepts a zeroed one */

/* Cases of a task when `nmissing` of them are to be computed: what the study asks for (0: nothing), or so
 * many that a task takes a minute when the seconds of a case are known (else 0), or that there are 256 tasks;
 * at least one for each of its cores then. In any case so many that no more than `limit` tasks come of it. */
int64_t cap_slurm_tasks_chunk(int64_t nmissing, int64_t asked, double seconds, int ncore, int limit);
/* Cut what is missing (states of the cases) into tasks of at least `chunk` cases; chains are not cut. */
cap_status cap_slurm_tasks_cut(const cap_study *study, const unsigned char *states, int64_t chunk,
                               cap_slurm_tasks *tasks, cap_error *error);

/* Make the next folder of a submission in the study's folder (absolute),
 * with list and script for `program`. */
cap_status cap_slurm_tasks_write(cap_slurm_tasks *tasks, const char *study_folder, const char *program,
                                 cap_error *error);
/* Take it away again: it was not submitted. */
void cap_slurm_tasks_remove(const cap_slurm_tasks *tasks);
/* Keep the job's number. */
cap_status cap_slurm_tasks_keep(const cap_slurm_tasks *tasks, cap_error *error);
/* The submission in `folder`, which is checked against the study; job.id is "" when it was never kept. */
cap_status cap_slurm_tasks_read(const char *folder, const cap_study *study, cap_slurm_tasks *tasks,
                                cap_error *error);
/* The folder of the newest submission (to be freed); NULL: there is none. */
char *cap_slurm_tasks_last(const char *study_folder);
/* FOLDER/NAME (to be freed); NULL: out of memory. */
char *cap_slurm_tasks_file(const cap_slurm_tasks *tasks, const char *name);
