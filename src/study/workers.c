/* study/workers.c — see workers.h. */
#include "study/workers.h"
#include "base/clock.h"
#include "study/chain_runner.h"
#include "study/pool.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that was computed comes to the disk, also after an interruption; then its error is the news. */
static cap_status wind_up(cap_chain_runner *runner, cap_status status, cap_error *error)
{
  cap_error own = {0};
  cap_status waited = runner ? cap_chain_runner_wait(runner, &own) : CAP_OK;
  cap_chain_runner_free(runner);
  if (waited == CAP_OK || (status != CAP_OK && status != CAP_STOPPED)) return status;
  if (error) *error = own;
  return waited;
}

cap_status cap_workers_run_list(const cap_study *study, const char *folder, int64_t nchain,
                                const int64_t *chains, const cap_workers_list_options *options,
                                cap_error *error)
{
  cap_chain_runner *runner = NULL;
  const cap_chain_runner_options o = {.progress = options->progress,
                                      .collect = options->collect,
                                      .log = options->log,
                                      .finished = options->finished,
                                      .self = options->self};
  cap_status status = cap_chain_runner_create(study, folder, &o, &runner, error);
  for (int64_t i = 0; i < nchain && status == CAP_OK; i++)
    status = cap_chain_runner_run(runner, chains[i], error);
  return wind_up(runner, status, error);
}

/* Several processes */

typedef struct desk { /* of a worker, in shared memory */
  _Atomic int64_t k;
  _Atomic int64_t done, failed, found;
  _Atomic double fraction, began;
  char what[24]; /* its last byte stays 0 */
} desk;

typedef struct hall {
  const cap_study *study;
  const char *folder;
  cap_collect *collect;
  const cap_workers_options *options;
  int nworker;
  desk *desks; /* shared */
  cap_workers_line *lines;
  cap_workers_view view;
  double began;
} hall;

/* In a worker */

typedef struct seat {
  cap_pool *pool;
  desk *desk;
} seat;

static void case_began(void *self, int64_t k)
{
  desk *d = ((seat *)self)->desk;
  atomic_store(&d->fraction, NAN);
  atomic_store(&d->began, cap_clock_wall());
  d->what[0] = '\0';
  atomic_store(&d->k, k);
}

static void case_finished(void *self, int64_t k, const cap_study_case_row *row, bool found)
{
  desk *d = ((seat *)self)->desk;
  (void)k;
  if (row->state == CAP_STUDY_FAILED) atomic_fetch_add(&d->failed, 1);
  if (found) atomic_fetch_add(&d->found, 1);
  atomic_fetch_add(&d->done, 1);
}

static void chain_done(void *self, int64_t chain)
{
  cap_pool_done(((seat *)self)->pool, chain);
}

static void case_report(void *self, const char *what, double done, double total, const char *detail)
{
  desk *d = ((seat *)self)->desk;
  (void)detail;
  strncpy(d->what, what, sizeof d->what - 1);
  atomic_store(&d->fraction, total > 0.0 ? done / total : NAN);
}

static cap_status live(void *self, cap_pool *pool, int worker, cap_error *error)
{
  hall *h = self;
  seat s = {pool, &h->desks[worker]};
  cap_chain_runner *runner = NULL;
  const cap_progress progress = {
      .report = case_report, .self = &s, .stop = cap_pool_stop(pool), .heard = cap_pool_heard(pool, worker)};
  const cap_chain_runner_options options = {.progress = &progress,
                                            .collect = h->collect,
                                            .look_only = h->options->look_only,
                                            .worker = worker + 1,
                                            .began = case_began,
                                            .finished = case_finished,
                                            .chain_done = chain_done,
                                            .self = &s};
  cap_status status = cap_chain_runner_create(h->study, h->folder, &options, &runner, error);
  int64_t chain;
  while (status == CAP_OK && (chain = cap_pool_next(pool, worker)) >= 0)
    status = cap_chain_runner_run(runner, chain, error);
  status = wind_up(runner, status, error);
  atomic_store(&s.desk->k, -1);
  return status;
}

/* In the calling process */

static void look_around(hall *h)
{
  cap_workers_view *v = &h->view;
  double now = cap_clock_wall();
  v->done = v->failed = v->found = v->running = 0;
  for (int w = 0; w < h->nworker; w++) {
    const desk *d = &h->desks[w];
    cap_workers_line *line = &h->lines[w];
    line->k = atomic_load(&d->k);
    line->done = atomic_load(&d->done);
    line->failed = atomic_load(&d->failed);
    line->fraction = atomic_load(&d->fraction);
    line->seconds = now - atomic_load(&d->began);
    memcpy(line->what, d->what, sizeof line->what - 1);
    v->done += line->done;
    v->failed += line->failed;
    v->found += atomic_load(&d->found);
    v->running += line->k >= 0;
  }
  v->seconds = now - h->began;
}

static void watch(void *self, const cap_pool *pool)
{
  hall *h = self;
  (void)pool;
  look_around(h);
  if (h->options->watch) h->options->watch(h->options->self, &h->view);
}

static void crashed(void *self, int worker, const char *how)
{
  hall *h = self;
  int64_t k = atomic_exchange(&h->desks[worker].k, -1);
  if (k >= 0)
    cap_progress_note(h->options->progress, "capstan: worker %d was %s at case %lld", worker + 1, how,
                      (long long)k + 1);
}

static cap_status run_hall(hall *h, cap_workers_outcome *outcome, cap_error *error)
{
  const cap_pool_work work = {.nitem = h->study->nchain,
                              .nworker = h->nworker,
                              .self = h,
                              .work = live,
                              .watch = watch,
                              .crashed = crashed,
                              .progress = h->options->progress};
  cap_pool_outcome ended;
  cap_status status = cap_pool_run(&work, &ended, error);
  look_around(h);
  outcome->view = h->view;
  outcome->view.nline = 0;
  outcome->view.lines = NULL;
  outcome->ncrash = ended.ncrash;
  outcome->given_up = ended.given_up;
  snprintf(outcome->how, sizeof outcome->how, "%s", ended.how);
  return status;
}

cap_status cap_workers_run(const cap_study *study, const char *folder, cap_collect *collect,
                           const cap_workers_options *options, cap_workers_outcome *outcome, cap_error *error)
{
  int nworker = options->nworker < study->nchain ? options->nworker : (int)study->nchain;
  size_t size = (size_t)nworker * sizeof(desk);
  hall h = {.study = study,
            .folder = folder,
            .collect = collect,
            .options = options,
            .nworker = nworker,
            .desks = cap_pool_share(size),
            .lines = calloc((size_t)nworker + 1, sizeof *h.lines),
            .began = cap_clock_wall()};
  *outcome = (cap_workers_outcome){0};
  h.view = (cap_workers_view){.ncase = study->ncase, .pending = -1, .nline = nworker, .lines = h.lines};
  cap_status status = CAP_OK;
  if (!h.desks || !h.lines)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for %d workers", nworker);
  for (int w = 0; w < nworker && status == CAP_OK; w++) atomic_store(&h.desks[w].k, -1);
  if (status == CAP_OK && !options->look_only) status = cap_chain_runner_log(folder, error);
  if (status == CAP_OK) status = run_hall(&h, outcome, error);
  free(h.lines);
  cap_pool_unshare(h.desks, size);
  return status;
}
