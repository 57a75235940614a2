/* study/slurm_command.c — see slurm_command.h. */
#include "study/slurm_command.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct text {
  char *at;
  size_t length, room;
} text;

enum { NPIPE = 2, STEP_MS = 100 };

static void close_all(int pipes[NPIPE][2])
{
  for (int k = 0; k < NPIPE; k++)
    for (int end = 0; end < 2; end++)
      if (pipes[k][end] >= 0) close(pipes[k][end]);
}

static bool open_all(int pipes[NPIPE][2])
{
  for (int k = 0; k < NPIPE; k++) pipes[k][0] = pipes[k][1] = -1;
  for (int k = 0; k < NPIPE; k++)
    if (!cap_platform_pipe(pipes[k])) return false;
  return true;
}

/* The program hears what the terminal has to say to this one neither by its group nor by a mask. */
static int spawn(pid_t *child, const char *const *argv, int pipes[NPIPE][2])
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, usual;
  if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
  if (posix_spawnattr_init(&how) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return ENOMEM;
  }
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGTERM);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int code = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&files, pipes[0][1], STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&files, pipes[1][1], STDERR_FILENO);
  if (code == 0) code = posix_spawnp(child, argv[0], &files, &how, (char *const *)argv, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

/* What is there now; false at the end. */
static bool take(int from, text *to, bool *short_of_memory)
{
  if (to->room - to->length < 4096) {
    size_t room = 2 * to->room + 8192;
    char *grown = realloc(to->at, room);
    if (!grown) {
      *short_of_memory = true;
      return false;
    }
    to->at = grown;
    to->room = room;
  }
  ssize_t n = read(from, to->at + to->length, to->room - to->length - 1);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  to->length += (size_t)n;
  return n > 0;
}

/* All that it says until it has closed both ends. */
static cap_status listen_to(int pipes[NPIPE][2], text *said, const volatile sig_atomic_t *stop)
{
  bool short_of_memory = false;
  while (pipes[0][0] >= 0 || pipes[1][0] >= 0) {
    struct pollfd wait[NPIPE];
    for (int k = 0; k < NPIPE; k++) wait[k] = (struct pollfd){.fd = pipes[k][0], .events = POLLIN};
    int n = poll(wait, NPIPE, STEP_MS);
    if (stop && *stop) return CAP_STOPPED;
    if (n < 0 && errno != EINTR) return CAP_ERR_IO;
    for (int k = 0; n > 0 && k < NPIPE; k++)
      if (wait[k].revents && !take(pipes[k][0], &said[k], &short_of_memory)) {
        close(pipes[k][0]);
        pipes[k][0] = -1;
      }
    if (short_of_memory) return CAP_ERR_NOMEM;
  }
  return CAP_OK;
}

static int end_of(pid_t child)
{
  int end = 0;
  while (waitpid(child, &end, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
}

static char *keep(const text *said, cap_arena *arena)
{
  char *copy = cap_arena_alloc(arena, said->length + 1);
  if (copy && said->length) memcpy(copy, said->at, said->length);
  return copy;
}

static cap_status run(const char *const *argv, const volatile sig_atomic_t *stop, cap_arena *arena,
                      cap_slurm_command *result, cap_error *error)
{
  int pipes[NPIPE][2];
  text said[NPIPE] = {{0}};
  pid_t child = 0;
  *result = (cap_slurm_command){.output = "", .errors = ""};
  int code = open_all(pipes) ? spawn(&child, argv, pipes) : errno;
  if (code != 0) {
    close_all(pipes);
    if (code == ENOENT)
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "expected the program %s in the PATH", argv[0]);
    return cap_status_fail(error, CAP_ERR_IO, "%s cannot be started: %s", argv[0], strerror(code));
  }
  for (int k = 0; k < NPIPE; k++) {
    close(pipes[k][1]);
    pipes[k][1] = -1;
  }
  cap_status status = listen_to(pipes, said, stop);
  if (status != CAP_OK) kill(child, SIGKILL);
  result->code = end_of(child);
  close_all(pipes);
  char *output = keep(&said[0], arena), *errors = keep(&said[1], arena);
  for (int k = 0; k < NPIPE; k++) free(said[k].at);
  if (status == CAP_STOPPED) return status;
  if (status == CAP_ERR_IO)
    return cap_status_fail(error, status, "%s cannot be listened to: %s", argv[0], strerror(errno));
  if (status != CAP_OK || !output || !errors) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  result->output = output;
  result->errors = errors;
  return CAP_OK;
}

cap_status cap_slurm_command_run(const char *const *argv, const volatile sig_atomic_t *stop, cap_arena *arena,
                                 cap_slurm_command *result, cap_error *error)
{
  /* where SIGCHLD was ignored by whoever started this program, children leave no code to wait for */
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  struct sigaction before;
  sigaction(SIGCHLD, &usual, &before);
  cap_status status = run(argv, stop, arena, result, error);
  sigaction(SIGCHLD, &before, NULL);
  return status;
}
