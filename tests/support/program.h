/* The program as a user runs it: a folder of its own, commands with their exit code and what they print.
 * Include after cmocka.h. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAM_TEXT = 1 << 16, PROGRAM_ARGUMENTS = 32 };

typedef struct program_result {
  int code;               /* exit code; 128 + number when a signal ended it */
  char out[PROGRAM_TEXT]; /* the beginning of stdout and stderr */
  char err[PROGRAM_TEXT];
} program_result;

static char program_folder[64];

/* A fresh folder that is the present one while the test runs; for cmocka's set-up. */
static inline int program_enter(void **state)
{
  (void)state;
  strcpy(program_folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-XXXXXX" : "/tmp/capstan-XXXXXX");
  return mkdtemp(program_folder) && chdir(program_folder) == 0 ? 0 : -1;
}

static inline int program_leave(void **state)
{
  (void)state;
  char command[128];
  if (chdir("/") != 0) return -1;
  snprintf(command, sizeof command, "rm -rf '%s'", program_folder);
  return system(command);
}

static inline void program_write(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline bool program_exists(const char *path)
{
  return access(path, F_OK) == 0;
}

/* Start it with its outputs in the files .out and .err; `arguments` ends with NULL. */
static inline pid_t program_start(const char *const *arguments)
{
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid) return pid;
  char *argv[PROGRAM_ARGUMENTS + 2] = {(char *)(uintptr_t)CAPSTAN_PROGRAM};
  for (int k = 0; arguments[k] && k < PROGRAM_ARGUMENTS; k++) argv[k + 1] = (char *)(uintptr_t)arguments[k];
  int out = open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0666),
      err = open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(99);
  execv(CAPSTAN_PROGRAM, argv);
  _exit(98);
}

static inline int program_wait(pid_t pid)
{
  int status;
  while (waitpid(pid, &status, 0) < 0) assert_int_equal(errno, EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void program_read(const char *path, char text[PROGRAM_TEXT])
{
  FILE *file = fopen(path, "r");
  size_t n = file ? fread(text, 1, PROGRAM_TEXT - 1, file) : 0;
  text[n] = 0;
  if (file) fclose(file);
}

/* Run it to its end. */
static inline int program_run(program_result *r, const char *const *arguments)
{
  r->code = program_wait(program_start(arguments));
  program_read(".out", r->out);
  program_read(".err", r->err);
  return r->code;
}

#define PROGRAM(result, ...) program_run((result), (const char *const[]){__VA_ARGS__, NULL})

static inline void program_sleep(double seconds)
{
  struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&pause, &pause) != 0) assert_int_equal(errno, EINTR);
}

/* Compare two files byte for byte. */
static inline void program_same(const char *a, const char *b)
{
  FILE *one = fopen(a, "rb"), *two = fopen(b, "rb");
  if (!one || !two) fail_msg("%s or %s is not there", a, b);
  for (long at = 0;; at++) {
    int x = getc(one), y = getc(two);
    if (x != y) fail_msg("%s and %s differ at byte %ld", a, b, at);
    if (x == EOF) break;
  }
  fclose(one);
  fclose(two);
}
