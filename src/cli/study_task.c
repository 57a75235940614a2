/* cli/study_task.c — capstan study --task FOLDER/slurm/001: a task of a cluster's job array. */
#include "cli/cli.h"
#include "cli/study.h"
#include "study/pool.h"
#include "study/slurm_tasks.h"
#include "study/study_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What came of the cases; in memory that the processes of a task share. */
typedef struct tally {
  _Atomic int64_t fine, failed, found;
} tally;

typedef struct share { /* of the study: a task's */
  const cap_study *study;
  const char *folder, *log;
  int64_t nchain, block; /* block: chains that a process takes at once */
  const int64_t *chains;
  tally *tally;
} share;

static void finished(void *self, int64_t k, const cap_study_case_row *row, bool found)
{
  tally *t = self;
  if (found) t->found++;
  else if (row->state == CAP_STUDY_FINE) t->fine++;
  else {
    t->failed++;
    printf("case %lld failed: %s\n", (long long)k + 1, row->reason);
  }
}

static cap_status run_block(const share *s, int64_t first, int64_t n, cap_progress progress, cap_error *error)
{
  const cap_workers_list_options options = {
      .progress = &progress, .log = s->log, .finished = finished, .self = s->tally};
  return cap_workers_run_list(s->study, s->folder, n, s->chains + first, &options, error);
}

static cap_status work(void *self, cap_pool *pool, int worker, cap_error *error)
{
  const share *s = self;
  const cap_progress progress = {.stop = cap_pool_stop(pool), .heard = cap_pool_heard(pool, worker)};
  int64_t item;
  while ((item = cap_pool_next(pool, worker)) >= 0) {
    int64_t first = item * s->block, n = s->nchain - first < s->block ? s->nchain - first : s->block;
    CAP_TRY(run_block(s, first, n, progress, error));
    cap_pool_done(pool, item);
  }
  return CAP_OK;
}

/* One process, or as many as --cpus-per-task gives cores. */
static cap_status run_share(share *s, int ncore, volatile sig_atomic_t *stop, cap_error *error)
{
  if (ncore > s->nchain) ncore = (int)s->nchain;
  const cap_progress progress = {.stop = stop};
  if (ncore <= 1) return run_block(s, 0, s->nchain, progress, error);
  s->block = s->nchain / (8 * ncore); /* few enough that all processes end at about the same time */
  if (s->block < 1) s->block = 1;
  const cap_pool_work all = {.nitem = (s->nchain + s->block - 1) / s->block,
                             .nworker = ncore,
                             .self = s,
                             .work = work,
                             .progress = &progress};
  cap_pool_outcome outcome;
  cap_status status = cap_pool_run(&all, &outcome, error);
  if (status == CAP_OK && outcome.ndone < all.nitem)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "%d processes of this task were lost; the last was %s",
                           outcome.ncrash, outcome.how);
  return status;
}

/* The study's folder from that of the submission, FOLDER/slurm/001. */
static char *folder_above(const char *folder)
{
  char *path = realpath(folder, NULL);
  for (int k = 0; path && k < 2; k++) {
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
      free(path);
      return NULL;
    }
    *slash = '\0';
  }
  return path;
}

/* The study as it was submitted; NULL: said why. */
static cap_study *load_study(const char *above, cap_error *error)
{
  cap_diag diag;
  cap_study *study = NULL;
  char *path = NULL;
  if (cap_study_folder_source(above, &path, error) != CAP_OK) return NULL;
  const cap_study_file_source source = {.path = path, .checked = true}; /* the same file: compared below */
  cap_status status = cap_study_file_parse(&source, &study, &diag);
  cap_terminal_findings(&diag);
  cap_diag_free(&diag);
  free(path);
  if (status == CAP_OK) status = cap_study_folder_check(above, study, error);
  else cap_status_fail(error, status, "the study can no longer be read");
  if (status == CAP_OK) return study;
  cap_study_free(study);
  return NULL;
}

static cap_status task_number(int *task, cap_error *error)
{
  const char *text = getenv("SLURM_ARRAY_TASK_ID");
  char *end = NULL;
  long number = text ? strtol(text, &end, 10) : -1;
  if (!text || end == text || *end || number < 0 || number > INT_MAX)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "--task is for tasks of a Slurm job array; expected a number in SLURM_ARRAY_TASK_ID, got %s",
        text ? text : "not set");
  *task = (int)number;
  return CAP_OK;
}

static int core_count(void)
{
  const char *text = getenv("SLURM_CPUS_PER_TASK"); /* set when it was asked for */
  long number = text ? strtol(text, NULL, 10) : 1;
  return number < 1 ? 1 : number > 4096 ? 4096 : (int)number;
}

static cap_status run_task(const cap_study *study, const char *above, const char *folder,
                           volatile sig_atomic_t *stop, tally *t, cap_error *error)
{
  cap_slurm_tasks tasks;
  int task = 0, ncore = core_count();
  char name[32], host[64] = "";
  CAP_TRY(task_number(&task, error));
  CAP_TRY(cap_slurm_tasks_read(folder, study, &tasks, error));
  cap_status status = CAP_OK;
  if (task >= tasks.ntask)
    status = cap_status_fail(error, CAP_ERR_INPUT, "there is no task %d in '%s'", task, folder);
  snprintf(name, sizeof name, "%d.cases", task);
  char *log = cap_slurm_tasks_file(&tasks, name);
  if (status == CAP_OK && !log) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) {
    gethostname(host, sizeof host - 1);
    printf("task %d of %d on %s, %d at a time\n", task, tasks.ntask, host, ncore);
    share s = {.study = study,
               .folder = above,
               .log = log,
               .nchain = tasks.begin[task + 1] - tasks.begin[task],
               .chains = tasks.chains + tasks.begin[task],
               .tally = t};
    status = run_share(&s, ncore, stop, error);
  }
  free(log);
  cap_slurm_tasks_free(&tasks);
  return status;
}

int cap_study_slurm_task(const char *folder)
{
  cap_terminal terminal;
  cap_error error = {0};
  tally *t = cap_pool_share(sizeof *t);
  cap_terminal_open(&terminal, 1); /* SIGTERM, of a time limit for example: to the next checkpoint */
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  char *above = folder_above(folder);
  cap_status status = CAP_ERR_INPUT;
  cap_study *study = NULL;
  if (!t) status = cap_status_fail(&error, CAP_ERR_NOMEM, "out of memory");
  else if (!above) cap_status_fail(&error, status, "'%s' is not a folder of tasks", folder);
  else study = load_study(above, &error);
  if (study) status = run_task(study, above, folder, terminal.progress.stop, t, &error);
  cap_study_free(study);
  free(above);
  if (t)
    printf("%lld cases fine, %lld failed, %lld were there before\n", (long long)t->fine, (long long)t->failed,
           (long long)t->found);
  cap_pool_unshare(t, sizeof *t);
  cap_terminal_close(&terminal);
  if (status == CAP_OK) return CAP_CLI_FINE;
  if (status == CAP_STOPPED) {
    printf("stopped by a signal; finished cases are kept\n");
    return cap_terminal_stopped();
  }
  error.status = status;
  return cap_terminal_fail(&error);
}
