/* study/pool.h — the same work by several processes that are forked from this one.
 *
 * There are `nitem` items. A worker takes the next one that no one has (cap_pool_next), and says when it is
 * done (cap_pool_done), which may be later than the next take. What they have to tell each other lies in
 * memory that all of them share. A worker that is killed does not take the others with it: another one is
 * forked, and what it had in its hands is given out once more; what kills a worker twice is left alone.
 * Processes and not threads, since a crash, a leak or a library's lock then stays with one case.
 *
 * Workers ignore SIGINT and SIGTERM: they are told to stop by this process, which a terminal or a batch
 * system signals as well; they are killed when it is. The calling process must have no threads of its own.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cap_pool cap_pool;

typedef struct cap_pool_work {
  int64_t nitem;
  int nworker;
  void *self;
  /* A worker's life, in its process: take items until there is none. An error other than CAP_STOPPED ends the
   * work of all. */
  cap_status (*work)(void *self, cap_pool *pool, int worker, cap_error *error);
  /* In the calling process, some twenty times a second and once at the end; may be NULL. */
  void (*watch)(void *self, const cap_pool *pool);
  /* In the calling process: a worker has been killed, in words ("killed by signal 9 (Killed)");
   * may be NULL. */
  void (*crashed)(void *self, int worker, const char *how);
  const cap_progress *progress; /* of the program: when all are to stop; may be NULL */
} cap_pool_work;

typedef struct cap_pool_outcome {
  int64_t ndone; /* items */
  int ncrash;    /* workers that were killed */
  bool given_up; /* too many of them one after the other */
  char how[64];  /* the last of them */
} cap_pool_outcome;

/* Do all of it. CAP_OK: all items were handed out, and those are done that no worker died of; CAP_STOPPED:
 * interrupted; else the first error of a worker, or that no process could be made. */
cap_status cap_pool_run(const cap_pool_work *work, cap_pool_outcome *outcome, cap_error *error);

/* In a worker: the next item, -1 when there is none or all are to stop. */
int64_t cap_pool_next(cap_pool *pool, int worker);
/* In a worker, from any of its threads. */
void cap_pool_done(cap_pool *pool, int64_t item);
/* Set when all are to stop; for a cap_progress. */
volatile sig_atomic_t *cap_pool_stop(cap_pool *pool);
/* The same of a worker's cap_progress.heard: one that does not hear of it in time, deep in a call of a
 * library, is killed, as its cases are stored at their checkpoints. */
volatile sig_atomic_t *cap_pool_heard(cap_pool *pool, int worker);
/* Process of a worker; 0 = it is not there. */
int cap_pool_process(const cap_pool *pool, int worker);

/* Zeroed memory that forked processes share; NULL: there is none. */
void *cap_pool_share(size_t size);
void cap_pool_unshare(void *memory, size_t size); /* accepts NULL */
