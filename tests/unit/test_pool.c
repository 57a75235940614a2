/* study/pool.c — items over forked workers: each done once, whatever happens to the workers. */
#include "study/pool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/sanitized.h"

enum { NITEM = 40 };

typedef struct board { /* shared */
  _Atomic int done[NITEM], tries[NITEM], total, workers;
  int deadly, deadly_tries; /* item that kills its worker, as often as that */
  int wrong;                /* item that ends in an error, -1 = none */
  int slow;                 /* microseconds of an item */
  int seen;                 /* calls of watch */
  int crashes;
  int deaf; /* whether the first item never ends */
  volatile sig_atomic_t stop;
  int stop_after; /* items until the program is told to stop; 0 = never */
} board;

static cap_status work(void *self, cap_pool *pool, int worker, cap_error *error)
{
  board *b = self;
  atomic_fetch_add(&b->workers, 1);
  int64_t k;
  while ((k = cap_pool_next(pool, worker)) >= 0) {
    int tries = atomic_fetch_add(&b->tries[k], 1);
    if (b->deadly_tries && (b->deadly == k || b->deadly == NITEM) && tries < b->deadly_tries)
      kill(getpid(), SIGKILL);
    if (k == b->wrong) return cap_status_fail(error, CAP_ERR_IO, "item %d: no space left", (int)k);
    for (time_t end = time(NULL) + 60; b->deaf && k == 0 && time(NULL) < end;) {
    } /* as deep in a library, where no one asks */
    if (b->slow) usleep((useconds_t)b->slow);
    atomic_fetch_add(&b->done[k], 1);
    cap_pool_done(pool, k);
    if (atomic_fetch_add(&b->total, 1) + 1 == b->stop_after) b->stop = 1;
  }
  return *cap_pool_stop(pool) ? CAP_STOPPED : CAP_OK;
}

static void watch(void *self, const cap_pool *pool)
{
  (void)pool;
  ((board *)self)->seen++;
}

static void crashed(void *self, int worker, const char *how)
{
  (void)worker;
  assert_string_equal(how, "killed by signal 9 (Killed)");
  ((board *)self)->crashes++;
}

static board *make(void)
{
  board *b = cap_pool_share(sizeof *b);
  assert_non_null(b);
  b->wrong = b->deadly = -1;
  return b;
}

static cap_status run(board *b, int nworker, cap_pool_outcome *outcome, cap_error *error)
{
  const cap_progress progress = {.stop = &b->stop};
  return cap_pool_run(&(cap_pool_work){.nitem = NITEM,
                                       .nworker = nworker,
                                       .self = b,
                                       .work = work,
                                       .watch = watch,
                                       .crashed = crashed,
                                       .progress = &progress},
                      outcome, error);
}

static int done_once(const board *b)
{
  int n = 0;
  for (int k = 0; k < NITEM; k++) n += b->done[k] == 1;
  return n;
}

static void each_item_is_done_once(void **state)
{
  (void)state;
  for (int nworker = 1; nworker <= 3; nworker++) {
    cap_pool_outcome outcome;
    board *b = make();
    b->slow = 500;
    assert_int_equal(run(b, nworker, &outcome, NULL), CAP_OK);
    assert_int_equal(done_once(b), NITEM);
    assert_int_equal(outcome.ndone, NITEM);
    assert_int_equal(outcome.ncrash, 0);
    assert_int_equal(b->workers, nworker);
    assert_true(b->seen > 0);
    cap_pool_unshare(b, sizeof *b);
  }
}

static void a_killed_worker_is_replaced_and_its_item_done(void **state)
{
  (void)state;
  for (int nworker = 1; nworker <= 2; nworker++) {
    cap_pool_outcome outcome;
    board *b = make();
    b->deadly = 7;
    b->deadly_tries = 1;
    assert_int_equal(run(b, nworker, &outcome, NULL), CAP_OK);
    assert_int_equal(done_once(b), NITEM);
    assert_int_equal(b->tries[7], 2);
    assert_int_equal(outcome.ncrash, 1);
    assert_int_equal(b->crashes, 1);
    assert_true(b->workers > nworker);
    cap_pool_unshare(b, sizeof *b);
  }
}

static void an_item_that_kills_twice_is_left_alone(void **state)
{
  (void)state;
  cap_pool_outcome outcome;
  board *b = make();
  b->deadly = NITEM - 1; /* the last: its second try comes when the others have no work left */
  b->deadly_tries = 99;
  assert_int_equal(run(b, 2, &outcome, NULL), CAP_OK);
  assert_int_equal(done_once(b), NITEM - 1);
  assert_int_equal(b->tries[NITEM - 1], 2);
  assert_int_equal(outcome.ndone, NITEM - 1);
  assert_false(outcome.given_up);
  cap_pool_unshare(b, sizeof *b);
}

/* Items are done in the world only some time after the next ones were taken:
 * files on their way to the disk. */
static cap_status work_behind(void *self, cap_pool *pool, int worker, cap_error *error)
{
  enum { BEHIND = 6 };
  board *b = self;
  int64_t k, taken[NITEM + BEHIND];
  int n = 0, done = 0;
  (void)error;
  while ((k = cap_pool_next(pool, worker)) >= 0) {
    atomic_fetch_add(&b->tries[k], 1);
    if (b->deadly == k) kill(getpid(), SIGKILL);
    taken[n++] = k;
    if (n - done == BEHIND) cap_pool_done(pool, taken[done++]);
  }
  while (done < n) cap_pool_done(pool, taken[done++]);
  return CAP_OK;
}

static void only_the_last_item_is_blamed(void **state)
{
  (void)state;
  for (int deadly = 0; deadly < NITEM; deadly += 13) {
    cap_pool_outcome outcome;
    board *b = make();
    b->deadly = deadly;
    const cap_pool_work behind = {.nitem = NITEM, .nworker = 1, .self = b, .work = work_behind};
    assert_int_equal(cap_pool_run(&behind, &outcome, NULL), CAP_OK);
    assert_int_equal(outcome.ndone, NITEM - 1);
    assert_int_equal(b->tries[deadly], 2);
    assert_int_equal(outcome.ncrash, 2);
    cap_pool_unshare(b, sizeof *b);
  }
}

static void when_all_die_it_is_given_up(void **state)
{
  (void)state;
  cap_pool_outcome outcome;
  board *b = make();
  b->deadly = NITEM; /* each of them */
  b->deadly_tries = 99;
  assert_int_equal(run(b, 2, &outcome, NULL), CAP_OK);
  assert_true(outcome.given_up);
  assert_int_equal(outcome.ndone, 0);
  assert_in_range(outcome.ncrash, 3, 4);
  assert_string_equal(outcome.how, "killed by signal 9 (Killed)");
  cap_pool_unshare(b, sizeof *b);
}

static void the_first_error_ends_all(void **state)
{
  (void)state;
  cap_pool_outcome outcome;
  cap_error error = {0};
  board *b = make();
  b->wrong = 5;
  b->slow = 2000;
  assert_int_equal(run(b, 2, &outcome, &error), CAP_ERR_IO);
  assert_string_equal(error.text, "item 5: no space left");
  assert_true(outcome.ndone < NITEM - 1);
  cap_pool_unshare(b, sizeof *b);
}

static void the_program_can_stop_it(void **state)
{
  (void)state;
  cap_pool_outcome outcome;
  board *b = make();
  b->slow = 10000;
  b->stop_after = 6;
  assert_int_equal(run(b, 2, &outcome, NULL), CAP_STOPPED);
  assert_in_range(outcome.ndone, 6, NITEM - 1);
  assert_int_equal(done_once(b), outcome.ndone);
  cap_pool_unshare(b, sizeof *b);
}

/* As a daemon may start a program: it must not wait for ever for children of which nothing is left. */
static void the_end_of_workers_is_seen_where_it_was_ignored(void **state)
{
  (void)state;
  struct sigaction ignored = {.sa_handler = SIG_IGN}, before, after;
  cap_pool_outcome outcome;
  board *b = make();
  sigaction(SIGCHLD, &ignored, &before);
  alarm(20); /* ends the test where nothing else does */
  assert_int_equal(run(b, 3, &outcome, NULL), CAP_OK);
  alarm(0);
  sigaction(SIGCHLD, &before, &after);
  assert_int_equal(outcome.ndone, NITEM);
  assert_ptr_equal(after.sa_handler, SIG_IGN); /* as it was */
  cap_pool_unshare(b, sizeof *b);
}

static void workers_die_with_the_process_that_forked_them(void **state)
{
  (void)state;
  board *b = make();
  b->slow = 20000;
  pid_t parent = fork();
  assert_true(parent >= 0);
  if (parent == 0) {
    cap_pool_outcome outcome;
    run(b, 2, &outcome, NULL);
    _exit(0);
  }
  while (b->total < 2) usleep(1000);
  kill(parent, SIGKILL);
  assert_int_equal(waitpid(parent, NULL, 0), parent);
  usleep(40000);
  int total = b->total;
  usleep(60000);
  assert_int_equal(b->total, total);
  assert_true(total < NITEM);
  cap_pool_unshare(b, sizeof *b);
}

/* A worker that does not hear that all are to stop is ended; that is no crash. */
static void deaf_worker_is_ended(void **state)
{
  (void)state;
  if (TEST_SANITIZED) skip(); /* seconds of the processor, and no memory */
  board *b = make();
  cap_pool_outcome outcome;
  cap_error error = {0};
  b->deaf = 1;
  b->slow = 1000;
  b->stop_after = 5;
  time_t began = time(NULL);
  assert_int_equal(run(b, 2, &outcome, &error), CAP_STOPPED);
  assert_true(time(NULL) - began < 40);
  assert_int_equal(outcome.ncrash, 0);
  assert_int_equal(b->crashes, 0);
  assert_false(outcome.given_up);
  cap_pool_unshare(b, sizeof *b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_item_is_done_once),
      cmocka_unit_test(a_killed_worker_is_replaced_and_its_item_done),
      cmocka_unit_test(an_item_that_kills_twice_is_left_alone),
      cmocka_unit_test(only_the_last_item_is_blamed),
      cmocka_unit_test(when_all_die_it_is_given_up),
      cmocka_unit_test(the_first_error_ends_all),
      cmocka_unit_test(the_program_can_stop_it),
      cmocka_unit_test(deaf_worker_is_ended),
      cmocka_unit_test(the_end_of_workers_is_seen_where_it_was_ignored),
      cmocka_unit_test(workers_die_with_the_process_that_forked_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
