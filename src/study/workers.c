/* study/workers.c — see workers.h. */
#include "study/workers.h"
#include "study/pool.h"
#include "study/study_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double wall_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int64_t cores_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* The log: one line a case, appended in one write, so that lines of several processes do not mix. */

static const char *const state_names[] = {"fine", "failed", "missing"};

static int open_log(const char *folder, const char *path, cap_error *error)
{
  static const char head[] = "case\tstate\tseconds\tcore seconds\tworker\tprocess\thost\tended\n";
  char *own = path ? NULL : cap_study_folder_file(folder, "study.log");
  if (!path) path = own;
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  bool fine = fd >= 0;
  if (fine && lseek(fd, 0, SEEK_END) == 0)
    fine = write(fd, head, sizeof head - 1) == (ssize_t)sizeof head - 1;
  if (!fine && path) cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  else if (!fine) cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  free(own);
  if (fine || fd < 0) return fd;
  close(fd);
  return -1;
}

/* A process that runs chains, with what it keeps from one to the next */

typedef struct bench {
  const cap_study *study;
  const char *folder;
  const cap_progress *progress;
  cap_collect *collect; /* may be NULL, unless it only looks */
  bool look_only;
  int worker; /* from 1; 0 = the only one */
  int log;
  char host[64];
  cap_study_case_memory *memory;
  cap_study_case_row row;
  void (*began)(void *self, int64_t k);
  void (*finished)(void *self, int64_t k, const cap_study_case_row *row, bool found);
  void *self;
} bench;

static void close_bench(bench *b)
{
  cap_study_case_memory_free(b->memory);
  free(b->row.responses);
  if (b->log >= 0) close(b->log);
}

static cap_status open_bench(bench *b, const char *log, cap_error *error)
{
  b->log = -1;
  gethostname(b->host, sizeof b->host - 1);
  b->memory = cap_study_case_memory_create();
  b->row.responses = calloc((size_t)b->study->nresponse + 1, sizeof(double));
  if (!b->memory || !b->row.responses) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (b->look_only) return CAP_OK;
  b->log = open_log(b->folder, log, error);
  return b->log < 0 ? CAP_ERR_IO : CAP_OK;
}

static cap_status note_in_log(const bench *b, int64_t k, double seconds, double core, cap_error *error)
{
  char line[256], date[32];
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  int n = snprintf(line, sizeof line, "%lld\t%s\t%.6f\t%.6f\t%d\t%ld\t%s\t%s\n", (long long)k + 1,
                   state_names[b->row.state], seconds, core, b->worker, (long)getpid(), b->host, date);
  if (write(b->log, line, (size_t)n) == n) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s/study.log': %s", b->folder, strerror(errno));
}

static cap_status compute(bench *b, int64_t k, int64_t before, cap_error *error)
{
  double began = wall_clock();
  int64_t core = cores_time();
  const cap_study_case_options options = {.progress = b->progress, .resume = true, .memory = b->memory};
  CAP_TRY(cap_study_case_run(b->study, b->folder, k, before, &options, error));
  CAP_TRY(cap_study_case_read(b->study, b->folder, k, &b->row, error));
  return note_in_log(b, k, wall_clock() - began, 1e-6 * (double)(cores_time() - core), error);
}

/* What is there of it. A file that cannot be read or is another case's is for the user to judge. */
static cap_status look_up(bench *b, int64_t k, cap_error *error)
{
  cap_error own = {0};
  cap_status status = cap_study_case_read(b->study, b->folder, k, &b->row, &own);
  if (status == CAP_ERR_INPUT || status == CAP_ERR_IO)
    return cap_status_fail(error, status, "%.900s; when it is removed, --resume computes case %lld again",
                           own.text, (long long)k + 1);
  if (error && status != CAP_OK) *error = own;
  return status;
}

static cap_status run_case(bench *b, int64_t k, int64_t before, cap_error *error)
{
  if (b->look_only && cap_collect_state(b->collect, k) != CAP_STUDY_MISSING) return CAP_OK;
  if (b->began) b->began(b->self, k);
  CAP_TRY(look_up(b, k, error));
  bool found = b->row.state != CAP_STUDY_MISSING;
  if (!found && b->look_only) return CAP_OK;
  if (!found) CAP_TRY(compute(b, k, before, error));
  if (b->row.state == CAP_STUDY_MISSING) /* it was there a moment ago */
    return cap_status_fail(error, CAP_ERR_IO, "the file of case %lld has gone from '%s/runs'",
                           (long long)k + 1, b->folder);
  /* a chain whose worker was killed is gone through again: its first cases are known already */
  bool fresh = !b->collect || cap_collect_put(b->collect, k, &b->row);
  if (b->finished && fresh) b->finished(b->self, k, &b->row, found);
  return CAP_OK;
}

static cap_status run_chain(bench *b, int64_t chain, cap_error *error)
{
  const cap_study *s = b->study;
  int64_t before = -1;
  for (int64_t i = s->chains[chain]; i < s->chains[chain + 1]; i++) {
    if (cap_progress_stopped(b->progress)) return CAP_STOPPED;
    CAP_TRY(run_case(b, s->order[i], before, error));
    before = s->order[i]; /* also when it failed: its file then has the last good state before it */
  }
  return CAP_OK;
}

cap_status cap_workers_run_list(const cap_study *study, const char *folder, int64_t nchain,
                                const int64_t *chains, const cap_workers_list_options *options,
                                cap_error *error)
{
  bench b = {.study = study,
             .folder = folder,
             .progress = options->progress,
             .collect = options->collect,
             .finished = options->finished,
             .self = options->self};
  cap_status status = open_bench(&b, options->log, error);
  for (int64_t i = 0; i < nchain && status == CAP_OK; i++) status = run_chain(&b, chains[i], error);
  close_bench(&b);
  return status;
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

static void desk_began(void *self, int64_t k)
{
  desk *d = self;
  atomic_store(&d->fraction, NAN);
  atomic_store(&d->began, wall_clock());
  d->what[0] = '\0';
  atomic_store(&d->k, k);
}

static void desk_finished(void *self, int64_t k, const cap_study_case_row *row, bool found)
{
  desk *d = self;
  (void)k;
  if (row->state == CAP_STUDY_FAILED) atomic_fetch_add(&d->failed, 1);
  if (found) atomic_fetch_add(&d->found, 1);
  atomic_fetch_add(&d->done, 1);
}

static void desk_report(void *self, const char *what, double done, double total, const char *detail)
{
  desk *d = self;
  (void)detail;
  strncpy(d->what, what, sizeof d->what - 1);
  atomic_store(&d->fraction, total > 0.0 ? done / total : NAN);
}

static cap_status live(void *self, cap_pool *pool, int worker, cap_error *error)
{
  hall *h = self;
  desk *d = &h->desks[worker];
  const cap_progress progress = {.report = desk_report, .self = d, .stop = cap_pool_stop(pool)};
  bench b = {.study = h->study,
             .folder = h->folder,
             .progress = &progress,
             .collect = h->collect,
             .look_only = h->options->look_only,
             .worker = worker + 1,
             .began = desk_began,
             .finished = desk_finished,
             .self = d};
  cap_status status = open_bench(&b, NULL, error);
  int64_t chain;
  while (status == CAP_OK && (chain = cap_pool_next(pool, worker)) >= 0) {
    status = run_chain(&b, chain, error);
    if (status == CAP_OK) cap_pool_done(pool, chain);
  }
  close_bench(&b);
  atomic_store(&d->k, -1);
  return status;
}

/* In the calling process */

static void look_around(hall *h)
{
  cap_workers_view *v = &h->view;
  double now = wall_clock();
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
  const cap_progress *progress = h->options->progress;
  const cap_pool_work work = {.nitem = h->study->nchain,
                              .nworker = h->nworker,
                              .self = h,
                              .work = live,
                              .watch = watch,
                              .crashed = crashed,
                              .stop = progress ? progress->stop : NULL};
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
            .began = wall_clock()};
  *outcome = (cap_workers_outcome){0};
  h.view = (cap_workers_view){.ncase = study->ncase, .pending = -1, .nline = nworker, .lines = h.lines};
  cap_status status = CAP_OK;
  if (!h.desks || !h.lines)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for %d workers", nworker);
  for (int w = 0; w < nworker && status == CAP_OK; w++) atomic_store(&h.desks[w].k, -1);
  if (status == CAP_OK && !options->look_only) { /* its first line, before several may write it */
    int log = open_log(folder, NULL, error);
    if (log >= 0) close(log);
    else status = CAP_ERR_IO;
  }
  if (status == CAP_OK) status = run_hall(&h, outcome, error);
  free(h.lines);
  cap_pool_unshare(h.desks, size);
  return status;
}
