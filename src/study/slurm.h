/* study/slurm.h — a job array on the cluster, by Slurm's own commands.
 *
 * sbatch submits, squeue tells how far it is, scontrol and sacct how tasks ended, scancel ends it. Slurm is
 * the only scheduler: nothing here decides what runs when. An error says what the command said.
 */
#pragma once
#include "base/status.h"
#include "study/slurm_words.h"
#include <signal.h>

typedef struct cap_slurm_order {
  const char *script; /* absolute path */
  const char *folder; /* where tasks begin and put their logs, 0.log, 1.log, ...; absolute */
  const char *name;   /* of the job */
  int ntask, at_once; /* at_once 0: as many as the cluster gives */
  int noption;
  const char *const *options; /* the user's, for sbatch */
} cap_slurm_order;

/* What is wrong with an option for sbatch (it takes the array out of these hands, or is none);
 * NULL: nothing. */
const char *cap_slurm_refusal(const char *option);
/* Cores of a task, by --cpus-per-task or -c among the options; 1 when it is not said. */
int cap_slurm_cpus(int noption, const char *const *options);
/* The most tasks that an array may have here. Also says whether there is a cluster at all. */
cap_status cap_slurm_limit(int *ntask, cap_error *error);
cap_status cap_slurm_submit(const cap_slurm_order *order, cap_slurm_job *job, cap_error *error);
/* The array that was submitted with this script, if it is still known; else job->id is "". */
cap_status cap_slurm_find(const char *script, cap_slurm_job *job, cap_error *error);
/* Bring the tasks of this script up to date. CAP_ERR_IO: the cluster does not answer (now); CAP_STOPPED:
 * `stop` (may be NULL) was set. */
cap_status cap_slurm_look(const cap_slurm_job *job, const char *script, int ntask, cap_slurm_task *tasks,
                          const volatile sig_atomic_t *stop, cap_error *error);
/* How those ended that did not end well, as far as Slurm tells: accounts may be switched off. */
void cap_slurm_ask(const cap_slurm_job *job, int ntask, cap_slurm_task *tasks,
                   const volatile sig_atomic_t *stop);
cap_status cap_slurm_cancel(const cap_slurm_job *job, cap_error *error);
