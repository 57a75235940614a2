/* cli/study_optimise.c — capstan study --optimize: the best values of the factors, after the cases.
 *
 * Evaluations are runs in DIR/optimise/START-NUMBER.h5. Starts are computed by forked workers, each start by
 * one of them, which leave nothing but those files; then this process goes through all starts once more, and
 * every answer is there (study/optimise.h says why that is the same). So an interrupted search is gone on
 * with by beginning it anew, and study.h5 does not depend on who computed what.
 */
#include "cli/screen.h"
#include "cli/study.h"
#include "io/durable.h"
#include "study/optimise.h"
#include "study/pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { QUEUE = 64 /* files on their way to the disk */, REASONS_SHOWN = 5 };

typedef struct hunt {
  const cap_study *study;
  char *folder; /* DIR/optimise */
  cap_optimise_problem problem;
  int ntrace;
  cap_optimise_trace *traces;
  cap_optimise_best best; /* known when it has been written */
  /* evaluations */
  bool look_only;
  const cap_progress *progress, *notes; /* notes: who is told why evaluations failed; may be NULL */
  int nnote;
  cap_study_case_memory *memory;
  cap_durable *durable;  /* brings files to the disk while the next evaluation is computed */
  _Atomic int64_t *done; /* shared by the workers; NULL: nobody counts */
} hunt;

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the optimum");
}

/* An evaluation, from its file or into it. */
static cap_status evaluate(void *self, int start, int n, const double *values, double *responses,
                           bool *failed, cap_error *error)
{
  hunt *h = self;
  char *path = NULL;
  cap_study_case_row row = {.responses = responses};
  if (asprintf(&path, "%s/%d-%04d.h5", h->folder, start + 1, n) < 0) return no_memory(error);
  cap_status status = cap_study_case_read_at(h->study, path, values, -1, &row, error);
  if (status == CAP_OK && row.state == CAP_STUDY_MISSING) {
    const cap_study_case_options options = {
        .progress = h->progress, .resume = true, .memory = h->memory, .durable = h->durable, .row = &row};
    if (h->look_only) status = cap_status_fail(error, CAP_STOPPED, "%s does not exist yet", path);
    else status = cap_study_case_run_at(h->study, path, values, -1, &options, error);
    if (status == CAP_OK && row.state == CAP_STUDY_MISSING)
      status = cap_status_fail(error, CAP_ERR_IO, "%s: the evaluation wrote no file", path);
  } else if (status == CAP_ERR_INPUT) {
    cap_error inner = *error;
    cap_status_fail(error, CAP_ERR_INPUT,
                    "%.500s; %s belongs to another optimisation; expected the one of this study; remove that "
                    "folder to start over",
                    inner.text, h->folder);
  }
  *failed = row.state == CAP_STUDY_FAILED;
  if (status == CAP_OK && *failed && h->notes && h->nnote++ < REASONS_SHOWN)
    cap_progress_note(h->notes, "capstan: evaluation %d of start %d failed: %s", n, start + 1, row.reason);
  if (status == CAP_OK && h->done) atomic_fetch_add(h->done, 1);
  free(path);
  return status;
}

/* A worker's life: a start, then the next one. */
static cap_status live(void *self, cap_pool *pool, int worker, cap_error *error)
{
  hunt *h = self;
  const cap_progress progress = {.stop = cap_pool_stop(pool), .heard = cap_pool_heard(pool, worker)};
  cap_status status = CAP_OK;
  int64_t start;
  h->progress = &progress;
  h->memory = cap_study_case_memory_create();
  status = cap_durable_create(QUEUE, NULL, NULL, &h->durable, error);
  while (status == CAP_OK && (start = cap_pool_next(pool, worker)) >= 0) {
    cap_optimise_trace trace;
    status = cap_optimise_start(&h->problem, (int)start, &trace, error);
    cap_optimise_trace_free(&trace);
    if (status == CAP_OK) status = cap_durable_wait(h->durable, error);
    if (status == CAP_OK) cap_pool_done(pool, start);
  }
  cap_durable_free(h->durable);
  cap_study_case_memory_free(h->memory);
  return status;
}

typedef struct watcher {
  hunt *h;
  const cap_progress *progress;
} watcher;

static cap_status live_watched(void *self, cap_pool *pool, int worker, cap_error *error)
{
  return live(((watcher *)self)->h, pool, worker, error);
}

static void watch(void *self, const cap_pool *pool)
{
  (void)pool;
  const watcher *w = self;
  const cap_study *study = w->h->study;
  cap_progress_report(w->progress, "optimise", (double)atomic_load(w->h->done),
                      (double)study->evaluations * study->starts, "evaluations");
}

static void crashed(void *self, int worker, const char *how)
{
  const watcher *w = self;
  cap_progress_note(w->progress, "capstan: worker %d of the optimisation was %s", worker + 1, how);
}

/* All starts by workers. */
static cap_status compute(hunt *h, cap_study_job *job, cap_error *error)
{
  const cap_study *study = h->study;
  watcher w = {h, &job->terminal->progress};
  cap_pool_outcome outcome;
  if (!(h->done = cap_pool_share(sizeof *h->done))) return no_memory(error);
  const cap_progress stop = cap_progress_silent(job->progress ? &job->progress->progress
                                                              : &job->terminal->progress);
  const cap_pool_work work = {.nitem = study->starts,
                              .nworker = job->nworker < study->starts ? job->nworker : study->starts,
                              .self = &w,
                              .work = live_watched,
                              .watch = watch,
                              .crashed = crashed,
                              .progress = &stop};
  cap_status status = cap_pool_run(&work, &outcome, error);
  cap_terminal_close(job->terminal); /* wipes the line of progress */
  cap_pool_unshare(h->done, sizeof *h->done);
  h->done = NULL;
  if (status == CAP_OK && outcome.ndone < study->starts)
    status = cap_status_fail(error, CAP_ERR_NUMERICS, "the optimisation did not finish: a worker was %s",
                             outcome.how);
  return status;
}

static cap_status put(void *self, const char *const *units, cap_sink *sink, cap_error *error)
{
  hunt *h = self;
  cap_optimise_find(&h->problem, h->ntrace, h->traces, units, &h->best);
  return cap_optimise_put(&h->problem, h->ntrace, h->traces, units, sink, error);
}

void cap_study_optimise_free(cap_study_job *job)
{
  hunt *h = job->more.put == put ? job->more.self : NULL;
  if (!h) return;
  for (int t = 0; t < h->ntrace; t++) cap_optimise_trace_free(h->traces + t);
  free(h->traces);
  free(h->folder);
  free(h);
  job->more = (cap_collect_more){0};
}

/* All starts from their files. */
static cap_status recall(hunt *h, cap_error *error)
{
  cap_status status = CAP_OK;
  h->look_only = true;
  h->memory = NULL;
  h->progress = NULL;
  for (int t = 0; t < h->study->starts && status == CAP_OK; t++)
    status = cap_optimise_start(&h->problem, t, &h->traces[h->ntrace++], error);
  return status;
}

cap_status cap_study_optimise_run(cap_study_job *job, bool look_only, cap_error *error)
{
  const cap_study *study = job->study;
  hunt *h = calloc(1, sizeof *h);
  if (!h) return no_memory(error);
  job->more = (cap_collect_more){put, h};
  h->study = study;
  h->problem = (cap_optimise_problem){study, &job->collect->table, evaluate, h};
  h->folder = cap_study_folder_file(job->folder, "optimise");
  h->traces = calloc((size_t)study->starts + 1, sizeof *h->traces);
  cap_status status = h->folder && h->traces ? CAP_OK : no_memory(error);
  if (status == CAP_OK && !look_only && mkdir(h->folder, 0777) != 0 && errno != EEXIST)
    status = cap_status_fail(error, CAP_ERR_IO, "%s: %s", h->folder, strerror(errno));
  if (status == CAP_OK && !look_only) status = compute(h, job, error);
  h->notes = look_only ? NULL : &job->terminal->progress;
  if (status == CAP_OK) status = recall(h, error);
  if (status != CAP_OK) cap_study_optimise_free(job);
  return status;
}

bool cap_study_optimise_begun(const cap_study_job *job)
{
  struct stat about;
  char *folder = cap_study_folder_file(job->folder, "optimise");
  const bool there = folder && stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
  free(folder);
  return there;
}

void cap_study_optimise_tell(const cap_study_job *job)
{
  const hunt *h = job->more.put == put ? job->more.self : NULL;
  if (h) cap_screen_print("optimum: %s\n", h->best.words);
}
