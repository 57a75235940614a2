/* study/chain_runner.c — see chain_runner.h. */
#include "study/chain_runner.h"
#include "base/clock.h"
#include "io/durable.h"
#include "study/study_folder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  QUEUE = 16,          /* files on their way to the disk */
  ROOM = 2 * QUEUE + 2 /* as many again are at hand there, and one is being computed */
};

/* A case that is being computed or on its way to the disk. */
typedef struct pending {
  bool used, computed, there;
  int64_t k, chain;
  double seconds, core;
  cap_study_case_row row;
} pending;

struct cap_chain_runner {
  const cap_study *study;
  const char *folder;
  cap_chain_runner_options options;
  cap_study_case_memory *memory;
  cap_durable *durable; /* NULL when it only looks */
  int log;
  char host[64];
  cap_study_case_row row; /* of what was found */
  double *responses;      /* of all rows */
  /* what both threads touch */
  pthread_mutex_t lock;
  pending waiting[ROOM];
  int64_t chain; /* that is being gone through; -1 = none */
  cap_error log_error;
};

static double core_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The log: one line a case, appended in one write, so that lines of several processes do not mix. */

static cap_status open_log(const char *folder, const char *path, int *log, cap_error *error)
{
  static const char head[] = "case\tstate\tseconds\tcore seconds\tworker\tprocess\thost\tended\n";
  char *own = path ? NULL : cap_study_folder_file(folder, "study.log");
  *log = -1;
  if (!path && !own) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int fd = open(path ? path : own, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  bool fine = fd >= 0;
  if (fine && lseek(fd, 0, SEEK_END) == 0)
    fine = write(fd, head, sizeof head - 1) == (ssize_t)sizeof head - 1;
  cap_status status = CAP_OK;
  if (!fine)
    status = cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path ? path : own, strerror(errno));
  free(own);
  if (fine) *log = fd;
  else if (fd >= 0) close(fd);
  return status;
}

cap_status cap_chain_runner_log(const char *folder, cap_error *error)
{
  int log;
  CAP_TRY(open_log(folder, NULL, &log, error));
  close(log);
  return CAP_OK;
}

static void note_in_log(cap_chain_runner *r, const pending *p)
{
  static const char *const names[] = {"fine", "failed", "missing"};
  char line[256], date[32];
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  int n = snprintf(line, sizeof line, "%lld\t%s\t%.6f\t%.6f\t%d\t%ld\t%s\t%s\n", (long long)p->k + 1,
                   names[p->row.state], p->seconds, p->core, r->options.worker, (long)getpid(), r->host,
                   date);
  if (write(r->log, line, (size_t)n) != n && r->log_error.status == CAP_OK)
    cap_status_fail(&r->log_error, CAP_ERR_IO, "cannot write '%s': %s",
                    r->options.log ? r->options.log : "study.log", strerror(errno));
}

/* Cases that have become a fact; all with the lock */

static void tell(cap_chain_runner *r, int64_t k, const cap_study_case_row *row, bool found)
{
  /* a chain whose worker was killed is gone through again: its first cases are known already */
  bool fresh = !r->options.collect || cap_collect_put(r->options.collect, k, row);
  if (fresh && r->options.finished) r->options.finished(r->options.self, k, row, found);
}

/* A chain is done when it was gone through and nothing of it is on its way. */
static void tell_chain(cap_chain_runner *r, int64_t chain)
{
  if (chain == r->chain) return;
  for (int i = 0; i < ROOM; i++)
    if (r->waiting[i].used && r->waiting[i].chain == chain) return;
  if (r->options.chain_done) r->options.chain_done(r->options.self, chain);
}

static void deliver(cap_chain_runner *r, pending *p)
{
  if (!p->computed || !p->there) return;
  note_in_log(r, p);
  tell(r, p->k, &p->row, false);
  p->used = false;
  tell_chain(r, p->chain);
}

/* From the thread of the durable files. What failed is told by it to whoever computes. */
static void arrived(void *self, int64_t tag, const char *target, cap_status status, const char *reason)
{
  cap_chain_runner *r = self;
  (void)target;
  (void)reason;
  pthread_mutex_lock(&r->lock);
  for (int i = 0; i < ROOM && status == CAP_OK; i++) {
    pending *p = &r->waiting[i];
    if (!p->used || p->k != tag) continue;
    p->there = true;
    deliver(r, p);
    break;
  }
  pthread_mutex_unlock(&r->lock);
}

/* Computing */

static pending *reserve(cap_chain_runner *r, int64_t k)
{
  pending *p = NULL;
  pthread_mutex_lock(&r->lock);
  for (int i = 0; i < ROOM && !p; i++)
    if (!r->waiting[i].used) p = &r->waiting[i];
  if (p) {
    p->used = true;
    p->computed = p->there = false;
    p->k = k;
    p->chain = r->chain;
  }
  pthread_mutex_unlock(&r->lock);
  return p;
}

static cap_status compute(cap_chain_runner *r, int64_t k, int64_t before, cap_error *error)
{
  double began = cap_clock_wall(), core = core_clock();
  pending *p = reserve(r, k);
  if (!p) {
    CAP_TRY(cap_chain_runner_wait(r, error));
    p = reserve(r, k);
    assert(p);
  }
  const cap_study_case_options options = {.progress = r->options.progress,
                                          .resume = true,
                                          .memory = r->memory,
                                          .durable = r->durable,
                                          .row = &p->row};
  cap_status status = cap_study_case_run(r->study, r->folder, k, before, &options, error);
  pthread_mutex_lock(&r->lock);
  p->seconds = cap_clock_wall() - began;
  p->core = core_clock() - core;
  p->computed = true;
  if (status == CAP_OK) deliver(r, p);
  else p->used = false;
  if (status == CAP_OK && r->log_error.status != CAP_OK) {
    status = r->log_error.status;
    if (error) *error = r->log_error;
  }
  pthread_mutex_unlock(&r->lock);
  return status;
}

/* What is there of it. A file that cannot be read or is another case's is for the user to judge. */
static cap_status look_up(cap_chain_runner *r, int64_t k, cap_error *error)
{
  cap_error own = {0};
  cap_status status = cap_study_case_read(r->study, r->folder, k, &r->row, &own);
  if (status == CAP_ERR_INPUT || status == CAP_ERR_IO)
    return cap_status_fail(error, status, "%.900s; when it is removed, --resume computes case %lld again",
                           own.text, (long long)k + 1);
  if (error && status != CAP_OK) *error = own;
  return status;
}

static cap_status run_case(cap_chain_runner *r, int64_t k, int64_t before, cap_error *error)
{
  const cap_chain_runner_options *o = &r->options;
  if (o->look_only && cap_collect_state(o->collect, k) != CAP_STUDY_MISSING) return CAP_OK;
  if (o->began) o->began(o->self, k);
  CAP_TRY(look_up(r, k, error));
  if (r->row.state == CAP_STUDY_MISSING) return o->look_only ? CAP_OK : compute(r, k, before, error);
  pthread_mutex_lock(&r->lock);
  tell(r, k, &r->row, true);
  pthread_mutex_unlock(&r->lock);
  return CAP_OK;
}

cap_status cap_chain_runner_run(cap_chain_runner *r, int64_t chain, cap_error *error)
{
  const cap_study *s = r->study;
  cap_status status = CAP_OK;
  int64_t before = -1;
  pthread_mutex_lock(&r->lock);
  r->chain = chain;
  pthread_mutex_unlock(&r->lock);
  for (int64_t i = s->chains[chain]; i < s->chains[chain + 1] && status == CAP_OK; i++) {
    if (cap_progress_stopped(r->options.progress)) return CAP_STOPPED;
    status = run_case(r, s->order[i], before, error);
    before = s->order[i]; /* also when it failed: its file then has the last good state before it */
  }
  pthread_mutex_lock(&r->lock);
  r->chain = -1;
  if (status == CAP_OK) tell_chain(r, chain);
  pthread_mutex_unlock(&r->lock);
  return status;
}

cap_status cap_chain_runner_wait(cap_chain_runner *r, cap_error *error)
{
  if (!r->durable) return CAP_OK;
  CAP_TRY(cap_durable_wait(r->durable, error));
  pthread_mutex_lock(&r->lock);
  for (int i = 0; i < ROOM; i++) { /* nothing is on its way any more: whoever waits never went there */
    pending *p = &r->waiting[i];
    if (!p->used || !p->computed) continue;
    p->there = true;
    deliver(r, p);
  }
  cap_status status = r->log_error.status;
  if (status != CAP_OK && error) *error = r->log_error;
  pthread_mutex_unlock(&r->lock);
  return status;
}

/* Beginning and end */

cap_status cap_chain_runner_create(const cap_study *study, const char *folder,
                                   const cap_chain_runner_options *options, cap_chain_runner **runner,
                                   cap_error *error)
{
  *runner = NULL;
  size_t n = (size_t)study->nresponse;
  cap_chain_runner *r = calloc(1, sizeof *r);
  if (!r) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  pthread_mutex_init(&r->lock, NULL);
  r->study = study;
  r->folder = folder;
  r->options = *options;
  r->log = -1;
  r->chain = -1;
  gethostname(r->host, sizeof r->host - 1);
  r->memory = cap_study_case_memory_create();
  r->responses = calloc((ROOM + 1) * n + 1, sizeof *r->responses);
  cap_status status = CAP_OK;
  if (!r->memory || !r->responses) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  else {
    r->row.responses = r->responses + ROOM * n;
    for (size_t i = 0; i < ROOM; i++) r->waiting[i].row.responses = r->responses + i * n;
  }
  if (status == CAP_OK && !options->look_only) status = open_log(folder, options->log, &r->log, error);
  if (status == CAP_OK && !options->look_only)
    status = cap_durable_create(QUEUE, arrived, r, &r->durable, error);
  if (status == CAP_OK) *runner = r;
  else cap_chain_runner_free(r);
  return status;
}

void cap_chain_runner_free(cap_chain_runner *r)
{
  if (!r) return;
  cap_durable_free(r->durable);
  cap_study_case_memory_free(r->memory);
  if (r->log >= 0) close(r->log);
  pthread_mutex_destroy(&r->lock);
  free(r->responses);
  free(r);
}
