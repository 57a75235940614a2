/* study/pool.c — see pool.h. */
#include "study/pool.h"
#include "base/platform.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  CRASHES_IN_A_ROW = 3, /* without an item done between them: something is wrong with all of them */
  ATTEMPTS = 2,
  POLL_NANOSECONDS = 50 * 1000 * 1000
};

typedef struct desk {
  _Atomic int process; /* 0 = no one sits there */
  volatile sig_atomic_t heard;
  double spent;         /* s of its processor time when all were to stop; of the calling process */
  _Atomic int64_t item; /* the last that was taken there */
} desk;

typedef struct item_state {
  _Atomic int worker; /* that has it, from 1; 0 = no one had it */
  _Atomic signed char attempts, done;
} item_state;

/* All of it is shared memory; the arrays follow it. */
struct cap_pool {
  int64_t nitem;
  int nworker;
  size_t size;
  volatile sig_atomic_t stop;
  _Atomic int64_t next, nqueue, ndone;
  _Atomic int failed; /* the first worker with an error sets it and then writes `error` */
  _Atomic int told;
  cap_error error;
  desk *desks;       /* [nworker] */
  item_state *items; /* [nitem] */
  int64_t *queue;    /* [nitem] a ring: no item is in it twice */
};

void *cap_pool_share(size_t size)
{
  void *memory = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void cap_pool_unshare(void *memory, size_t size)
{
  if (memory) munmap(memory, size ? size : 1);
}

static size_t aligned(size_t size)
{
  return (size + 63) / 64 * 64;
}

static cap_pool *create(const cap_pool_work *work)
{
  size_t n = (size_t)work->nitem, head = aligned(sizeof(cap_pool)),
         desks = aligned((size_t)work->nworker * sizeof(desk)), items = aligned(n * sizeof(item_state)),
         size = head + desks + items + n * sizeof(int64_t);
  char *memory = cap_pool_share(size);
  if (!memory) return NULL;
  cap_pool *pool = (cap_pool *)(void *)memory;
  pool->nitem = work->nitem;
  pool->nworker = work->nworker;
  pool->size = size;
  pool->desks = (desk *)(void *)(memory + head);
  pool->items = (item_state *)(void *)(memory + head + desks);
  pool->queue = (int64_t *)(void *)(memory + head + desks + items);
  for (int64_t k = 0; k < work->nitem; k++) pool->queue[k] = k;
  atomic_store(&pool->nqueue, work->nitem);
  return pool;
}

volatile sig_atomic_t *cap_pool_stop(cap_pool *pool)
{
  return &pool->stop;
}

volatile sig_atomic_t *cap_pool_heard(cap_pool *pool, int worker)
{
  return &pool->desks[worker].heard;
}

int cap_pool_process(const cap_pool *pool, int worker)
{
  return atomic_load(&pool->desks[worker].process);
}

int64_t cap_pool_next(cap_pool *pool, int worker)
{
  int64_t at = atomic_load(&pool->next), item;
  do {
    if (cap_progress_signal(&pool->stop) || at >= atomic_load(&pool->nqueue)) {
      cap_progress_raise(&pool->desks[worker].heard, 1); /* what it still does is to write */
      return -1;
    }
    item = pool->queue[at % pool->nitem]; /* before it is taken: afterwards its place may be used again */
  } while (!atomic_compare_exchange_weak(&pool->next, &at, at + 1));
  atomic_store(&pool->desks[worker].item, item);
  atomic_store(&pool->items[item].worker, worker + 1); /* first: whoever is killed here has it */
  atomic_fetch_add(&pool->items[item].attempts, 1);
  return item;
}

void cap_pool_done(cap_pool *pool, int64_t item)
{
  if (atomic_exchange(&pool->items[item].done, 1) == 0) atomic_fetch_add(&pool->ndone, 1);
}

/* In a worker's process */

static void tell_error(cap_pool *pool, cap_status status, const cap_error *error)
{
  if (atomic_exchange(&pool->failed, 1) == 0) {
    pool->error = *error;
    pool->error.status = status;
    atomic_store(&pool->told, 1);
  }
  cap_progress_raise(&pool->stop, 1);
}

static _Noreturn void live(const cap_pool_work *work, cap_pool *pool, int worker, pid_t parent,
                           const sigset_t *mask)
{
  cap_platform_die_with(parent);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  sigprocmask(SIG_SETMASK, mask, NULL);
  cap_error error = {0};
  cap_status status = work->work(work->self, pool, worker, &error);
  if (status != CAP_OK && status != CAP_STOPPED) tell_error(pool, status, &error);
  _exit(0); /* nothing of the program that forked it is to be flushed or freed here */
}

/* In the calling process */

typedef struct overseer {
  const cap_pool_work *work;
  cap_pool *pool;
  cap_pool_outcome *outcome;
  sigset_t before;        /* signals that were blocked */
  struct sigaction ended; /* what was done about the end of a child */
  int alive, in_a_row;    /* crashes */
  int64_t done_at_crash;
  bool stopped; /* all are to stop, and their processor times are known */
} overseer;

static cap_status hire(overseer *o, int worker, cap_error *error)
{
  pid_t parent = getpid(), process = fork();
  if (process < 0)
    return cap_status_fail(error, CAP_ERR_NOMEM, "no process for a worker: %s", strerror(errno));
  if (process == 0) live(o->work, o->pool, worker, parent, &o->before);
  atomic_store(&o->pool->desks[worker].process, process);
  o->alive++;
  return CAP_OK;
}

static bool work_left(const cap_pool *pool)
{
  return !cap_progress_signal(&pool->stop) && atomic_load(&pool->next) < atomic_load(&pool->nqueue);
}

static cap_status hire_all(overseer *o, cap_error *error)
{
  for (int w = 0; w < o->pool->nworker && work_left(o->pool); w++) {
    if (cap_pool_process(o->pool, w)) continue;
    cap_status status = hire(o, w, error);
    if (status == CAP_OK) continue;
    if (o->alive > 0) return CAP_OK; /* the others do it, and room may come */
    return status;
  }
  return CAP_OK;
}

/* Give out once more what a killed worker had. Only the last item that it took may be what killed it; those
 * before were finished but for the disk. */
static void put_back(overseer *o, int worker)
{
  cap_pool *pool = o->pool;
  int64_t last = atomic_load(&pool->desks[worker].item);
  for (int64_t k = 0; k < pool->nitem; k++) {
    item_state *item = &pool->items[k];
    if (atomic_load(&item->worker) != worker + 1 || atomic_load(&item->done)) continue;
    atomic_store(&item->worker, 0);
    if (k != last) atomic_fetch_sub(&item->attempts, 1);
    if (atomic_load(&item->attempts) >= ATTEMPTS) continue;
    int64_t at = atomic_load(&pool->nqueue);
    pool->queue[at % pool->nitem] = k;
    atomic_store(&pool->nqueue, at + 1);
  }
}

static void bury(overseer *o, int worker, int status)
{
  cap_pool_outcome *outcome = o->outcome;
  atomic_store(&o->pool->desks[worker].process, 0);
  o->alive--;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (o->stopped && !cap_progress_signal(&o->pool->desks[worker].heard)) return; /* by end_deaf */
  if (WIFSIGNALED(status))
    snprintf(outcome->how, sizeof outcome->how, "killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else snprintf(outcome->how, sizeof outcome->how, "ended with code %d", WEXITSTATUS(status));
  int64_t done = atomic_load(&o->pool->ndone);
  o->in_a_row = outcome->ncrash && done == o->done_at_crash ? o->in_a_row + 1 : 1;
  o->done_at_crash = done;
  outcome->ncrash++;
  if (o->work->crashed) o->work->crashed(o->work->self, worker, outcome->how);
  put_back(o, worker);
  if (o->in_a_row >= CRASHES_IN_A_ROW) {
    outcome->given_up = true;
    cap_progress_raise(&o->pool->stop, 1);
  }
}

static void reap(overseer *o)
{
  for (int w = 0; w < o->pool->nworker; w++) {
    int status, process = cap_pool_process(o->pool, w);
    if (process && waitpid(process, &status, WNOHANG) == process) bury(o, w, status);
  }
}

/* Processor time of another process, s. */
static double time_of(pid_t process)
{
  clockid_t clock;
  struct timespec t = {0};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0.0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whoever has not heard after some work of its own, not waiting for a disk or for its turn, is not asked
 * again. */
static void end_deaf(overseer *o)
{
  if (!cap_progress_signal(&o->pool->stop)) return;
  for (int w = 0; w < o->pool->nworker; w++) {
    desk *d = &o->pool->desks[w];
    int process = cap_pool_process(o->pool, w);
    if (!process || cap_progress_signal(&d->heard)) continue;
    double spent = time_of(process);
    if (!o->stopped) d->spent = spent;
    else if (spent - d->spent > CAP_PROGRESS_UNHEARD) kill(process, SIGKILL);
  }
  o->stopped = true;
}

static void fire_all(overseer *o)
{
  for (int w = 0; w < o->pool->nworker; w++) {
    int process = cap_pool_process(o->pool, w);
    if (!process) continue;
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
  }
}

static cap_status oversee(overseer *o, cap_error *error)
{
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (;;) {
    if (cap_progress_stopped(o->work->progress)) cap_progress_raise(&o->pool->stop, 1);
    cap_status status = hire_all(o, error);
    if (status != CAP_OK) return status;
    end_deaf(o);
    if (o->work->watch) o->work->watch(o->work->self, o->pool);
    if (o->alive == 0) return CAP_OK;
    cap_platform_wait(&child,
                      POLL_NANOSECONDS); /* the end of a worker, a signal of the program, or the time */
    reap(o);
  }
}

static cap_status conclude(overseer *o, cap_status status, cap_error *error)
{
  cap_pool *pool = o->pool;
  o->outcome->ndone = atomic_load(&pool->ndone);
  if (status != CAP_OK) return status;
  if (atomic_load(&pool->told)) {
    if (error) *error = pool->error;
    return pool->error.status;
  }
  if (o->outcome->given_up) return CAP_OK;
  return cap_progress_signal(&pool->stop) ? CAP_STOPPED : CAP_OK;
}

/* The end of a worker is waited for. A program that was started with SIGCHLD ignored (by a daemon, say) would
 * never see it: its children leave nothing to wait for. */
static void expect_children(overseer *o)
{
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &o->before);
  sigaction(SIGCHLD, &usual, &o->ended);
}

static void expect_no_more(const overseer *o)
{
  sigaction(SIGCHLD, &o->ended, NULL);
  sigprocmask(SIG_SETMASK, &o->before, NULL);
}

cap_status cap_pool_run(const cap_pool_work *work, cap_pool_outcome *outcome, cap_error *error)
{
  *outcome = (cap_pool_outcome){0};
  cap_pool *pool = create(work);
  if (!pool) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for %d workers", work->nworker);
  overseer o = {.work = work, .pool = pool, .outcome = outcome};
  expect_children(&o);
  cap_status status = oversee(&o, error);
  if (status != CAP_OK) fire_all(&o);
  status = conclude(&o, status, error);
  expect_no_more(&o);
  cap_pool_unshare(pool, pool->size);
  return status;
}
