/* What the program asks of the system, in the way of Linux and in the plain way of other systems. */
#include "base/clock.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct way {
  const char *name;
  bool on_linux;
  int (*cores)(void);
  bool (*program)(char *path, size_t size);
  void (*libc)(char *text, size_t size);
  void (*die_with)(pid_t parent);
  void (*wait)(const sigset_t *blocked, int64_t nanoseconds);
  bool (*pipe)(int ends[2]);
  int (*lock)(int fd);
  bool (*locked)(int fd);
  int (*sync_data)(int fd);
  bool (*sync_all)(int fd);
  int (*ask_for_room)(int fd, int64_t size);
  int (*unnamed)(void);
  void *(*pages)(size_t size);
  void *(*grow)(void *pages, size_t size, size_t larger);
  void (*free_pages)(void *pages, size_t size);
} way;

#define WAY(text, linux_way)                                                                                 \
  {                                                                                                          \
    .name = text, .on_linux = linux_way, .cores = cap_platform_cores, .program = cap_platform_program,       \
    .libc = cap_platform_libc, .die_with = cap_platform_die_with, .wait = cap_platform_wait,                 \
    .pipe = cap_platform_pipe, .lock = cap_platform_lock, .locked = cap_platform_locked,                     \
    .sync_data = cap_platform_sync_data, .sync_all = cap_platform_sync_all,                                  \
    .ask_for_room = cap_platform_ask_for_room, .unnamed = cap_platform_unnamed_file,                         \
    .pages = cap_platform_pages, .grow = cap_platform_grow_pages, .free_pages = cap_platform_free_pages      \
  }

#ifdef __linux__
enum { HERE = true };
#else
enum { HERE = false };
#endif
static const way own = WAY("of this system", HERE);

/* The same file once more, with other names. */
#define CAPSTAN_PLAIN_PLATFORM
#define cap_platform_cores        plain_cores
#define cap_platform_program      plain_program
#define cap_platform_start_anew   plain_start_anew
#define cap_platform_libc         plain_libc
#define cap_platform_die_with     plain_die_with
#define cap_platform_wait         plain_wait
#define cap_platform_pipe         plain_pipe
#define cap_platform_lock         plain_lock
#define cap_platform_locked       plain_locked
#define cap_platform_sync_data    plain_sync_data
#define cap_platform_sync_all     plain_sync_all
#define cap_platform_unnamed_file plain_unnamed_file
#define cap_platform_ask_for_room plain_ask_for_room
#define cap_platform_pages        plain_pages
#define cap_platform_grow_pages   plain_grow_pages
#define cap_platform_free_pages   plain_free_pages
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "base/platform.c"

static const way plain = WAY("plain", false);
static const way *const ways[] = {&own, &plain};
enum { NWAY = sizeof ways / sizeof *ways };

static char place[] = "/tmp/capstan_platform_XXXXXX";

static int make_folder(void **state)
{
  (void)state;
  return mkdtemp(place) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  return rmdir(place);
}

/* A new file of this name in the folder, open. */
static int open_file(const char *name, char path[128])
{
  snprintf(path, 128, "%s/%s", place, name);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  return fd;
}

static void the_program_knows_itself(void **state)
{
  (void)state;
  for (int k = 0; k < NWAY; k++) {
    char path[4096], little[4], libc[64] = "";
    struct stat about;
    assert_true(ways[k]->cores() >= 1);
    assert_true(ways[k]->cores() <= sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(ways[k]->program(path, sizeof path), ways[k]->on_linux);
    if (ways[k]->on_linux) {
      assert_int_equal(stat(path, &about), 0);
      assert_true(S_ISREG(about.st_mode) && access(path, X_OK) == 0);
    }
    assert_false(ways[k]->program(little, sizeof little)); /* no room: no half of a path */
    ways[k]->libc(libc, sizeof libc);
    assert_true(strlen(libc) > 0);
  }
}

/* 0, or what the process ended with. */
static int ended(pid_t process)
{
  int status = 0;
  assert_int_equal(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_child_whose_parent_is_gone_ends(void **state)
{
  (void)state;
  for (int k = 0; k < NWAY; k++) {
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
      ways[k]->die_with(parent);
      _exit(0);
    }
    assert_int_equal(ended(child), 0);
    child = fork();
    if (child == 0) {
      ways[k]->die_with(getpid()); /* which is not its parent */
      _exit(0);
    }
    assert_int_equal(ended(child), 1);
  }
}

/* The grandchild has the writing end; when it is gone, the reader sees the end of the pipe. */
static void a_child_is_killed_with_its_parent(void **state)
{
  (void)state;
  if (!own.on_linux) skip();
  int ends[2];
  assert_true(own.pipe(ends));
  pid_t child = fork();
  if (child == 0) {
    pid_t parent = getpid();
    if (fork() == 0) {
      own.die_with(parent);
      if (write(ends[1], "x", 1) != 1) _exit(1);
      sleep(20);
      _exit(0);
    }
    for (;;) pause();
  }
  close(ends[1]);
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  double before = cap_clock_wall();
  kill(child, SIGKILL);
  assert_int_equal(ended(child), 128 + SIGKILL);
  assert_int_equal(read(ends[0], &byte, 1), 0);
  assert_true(cap_clock_wall() - before < 10.0);
  close(ends[0]);
}

static void waiting_ends_with_the_time_or_a_signal(void **state)
{
  (void)state;
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  for (int k = 0; k < NWAY; k++) {
    double start = cap_clock_wall();
    ways[k]->wait(&child, 20 * 1000 * 1000);
    assert_true(cap_clock_wall() - start >= 0.019);
    raise(SIGCHLD);
    start = cap_clock_wall();
    ways[k]->wait(&child, ways[k]->on_linux ? (int64_t)20 * 1000 * 1000 * 1000 : 1000 * 1000);
    assert_true(cap_clock_wall() - start < 15.0);
  }
  const struct timespec none = {0};
  while (sigtimedwait(&child, NULL, &none) > 0) continue;
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static void pipes_are_not_inherited(void **state)
{
  (void)state;
  for (int k = 0; k < NWAY; k++) {
    int ends[2];
    char byte = 0;
    assert_true(ways[k]->pipe(ends));
    for (int end = 0; end < 2; end++) assert_true(fcntl(ends[end], F_GETFD) & FD_CLOEXEC);
    assert_int_equal(write(ends[1], "a", 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'a');
    close(ends[0]);
    close(ends[1]);
  }
}

/* What another process gets to know of the lock: 10 * free to it + seen as locked. */
static int seen_elsewhere(const way *w, const char *path)
{
  pid_t child = fork();
  if (child == 0) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool locked = w->locked(fd);
    _exit(10 * w->lock(fd) + locked);
  }
  return ended(child);
}

static void a_lock_keeps_others_out(void **state)
{
  (void)state;
  for (int k = 0; k < NWAY; k++) {
    char path[128];
    int fd = open_file("lock", path);
    assert_int_equal(seen_elsewhere(ways[k], path), 10);
    assert_int_equal(ways[k]->lock(fd), 1);
    assert_false(ways[k]->locked(fd)); /* by another */
    assert_int_equal(seen_elsewhere(ways[k], path), 1);
    int again = open(path, O_RDWR | O_CLOEXEC);
    if (ways[k]->on_linux) { /* the same process that opens it anew is another, too */
      assert_true(ways[k]->locked(again));
      assert_int_equal(ways[k]->lock(again), 0);
    }
    close(again);
    if (ways[k]->on_linux) assert_int_equal(seen_elsewhere(ways[k], path), 1);
    close(fd);
    assert_int_equal(seen_elsewhere(ways[k], path), 10);
    unlink(path);
    assert_int_equal(ways[k]->lock(-1), -1);
  }
}

static void contents_reach_the_disk(void **state)
{
  (void)state;
  for (int k = 0; k < NWAY; k++) {
    char path[128];
    int fd = open_file("data", path);
    struct stat about;
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(ways[k]->sync_data(fd), 0);
    assert_int_equal(ways[k]->sync_all(fd), ways[k]->on_linux);
    char read_back[4] = "";
    int unnamed = ways[k]->unnamed();
    assert_true(unnamed >= 0 && fcntl(unnamed, F_GETFD) == FD_CLOEXEC);
    assert_int_equal(pwrite(unnamed, "abc", 3, 5), 3);
    assert_int_equal(pread(unnamed, read_back, 3, 5), 3);
    assert_string_equal(read_back, "abc");
    struct stat nameless;
    assert_int_equal(fstat(unnamed, &nameless), 0);
    assert_true(nameless.st_nlink == 0 && nameless.st_size == 8);
    close(unnamed);
    assert_int_equal(ways[k]->ask_for_room(fd, 100000), 0);
    assert_int_equal(fstat(fd, &about), 0);
    assert_true(about.st_size == (ways[k]->on_linux ? 100000 : 3));
    assert_int_equal(close(fd), 0);
    unlink(path);
    assert_int_equal(ways[k]->sync_data(fd), -1);
    assert_false(ways[k]->sync_all(fd));
  }
  if (own.on_linux) assert_int_equal(own.ask_for_room(-1, 10), EBADF);
}

static void pages_grow_and_keep_what_they_have(void **state)
{
  (void)state;
  const size_t size = (size_t)1 << 20, larger = 5 * size, no_room = (size_t)1 << 62;
  for (int k = 0; k < NWAY; k++) {
    unsigned char *pages = ways[k]->pages(size);
    assert_non_null(pages);
    for (size_t i = 0; i < size; i += 4096) assert_int_equal(pages[i], 0);
    for (size_t i = 0; i < size; i++) pages[i] = (unsigned char)(i * 7);
    assert_null(ways[k]->grow(pages, size, no_room));
    pages = ways[k]->grow(pages, size, larger);
    assert_non_null(pages);
    for (size_t i = 0; i < size; i++) assert_int_equal(pages[i], (unsigned char)(i * 7));
    for (size_t i = size; i < larger; i += 4096) assert_int_equal(pages[i], 0);
    pages[larger - 1] = 1;
    ways[k]->free_pages(pages, larger);
    ways[k]->free_pages(NULL, 0);
    assert_null(ways[k]->pages(no_room));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_program_knows_itself),
      cmocka_unit_test(a_child_whose_parent_is_gone_ends),
      cmocka_unit_test(a_child_is_killed_with_its_parent),
      cmocka_unit_test(waiting_ends_with_the_time_or_a_signal),
      cmocka_unit_test(pipes_are_not_inherited),
      cmocka_unit_test(a_lock_keeps_others_out),
      cmocka_unit_test(contents_reach_the_disk),
      cmocka_unit_test(pages_grow_and_keep_what_they_have),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
