/* study/slurm_words.h — what Slurm's commands print, read: numbers of jobs, states of tasks, limits. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* A job array. */
typedef struct cap_slurm_job {
  char id[32];      /* "4711"; "" = none */
  char cluster[64]; /* "" = the one that the commands speak to by themselves */
} cap_slurm_job;

typedef enum cap_slurm_state {
  CAP_SLURM_UNKNOWN, /* Slurm has said nothing of it yet */
  CAP_SLURM_PENDING,
  CAP_SLURM_RUNNING,
  CAP_SLURM_COMPLETED,
  CAP_SLURM_ENDED, /* in another way than by itself and well */
  CAP_SLURM_GONE   /* it is not in the queue any more, and how it ended was not seen */
} cap_slurm_state;

/* A task of it; zeroed before Slurm is asked for the first time. */
typedef struct cap_slurm_task {
  cap_slurm_state state;
  char word[20];    /* Slurm's own: "TIMEOUT" */
  char reason[48];  /* of one that waits: "Resources" */
  int code, signal; /* that it ended with; -1 = not known */
} cap_slurm_task;

/* "4711" or "4711;cluster", as of sbatch --parsable and as kept in a file. */
bool cap_slurm_words_job(const char *text, cap_slurm_job *job);
/* The value of a line "NAME = VALUE" of `scontrol show config`; -1: it is not there. */
long cap_slurm_words_setting(const char *text, const char *name);

/* Lines "INDEX|STATE|REASON|COMMAND" of squeue, one a task. What was in the queue before and is not any more
 * is gone. Tasks of another script are none of these: numbers of jobs are used again some day. False: not
 * such lines. */
bool cap_slurm_words_queue(const char *text, const char *script, int ntask, cap_slurm_task *tasks);
/* Records of `scontrol show job --oneliner`: how tasks of array `id` ended. */
void cap_slurm_words_jobs(const char *text, const char *id, int ntask, cap_slurm_task *tasks);
/* Lines "4711_3|STATE|CODE:SIGNAL" of sacct: the same. */
void cap_slurm_words_accounts(const char *text, int ntask, cap_slurm_task *tasks);
/* Lines "ID|COMMAND" of squeue: the array that was submitted with this script. */
bool cap_slurm_words_find(const char *text, const char *script, cap_slurm_job *job);

/* Has it ended, however? */
bool cap_slurm_words_over(const cap_slurm_task *task);
/* Why a task is over, for a user: "time limit (TIMEOUT)". */
void cap_slurm_words_fate(const cap_slurm_task *task, char *text, size_t size);
