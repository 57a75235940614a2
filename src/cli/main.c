/* cli/main.c — the program: what it is asked for, and how it ends. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "linalg/lapack.h"
#include "version.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool asks_for(const char *argument, const cap_option *option)
{
  return strcmp(argument, option->name) == 0 || (option->also && strcmp(argument, option->also) == 0);
}

static int call(int argc, char **argv)
{
  const cap_option *help = &cap_commands_program[0], *version = &cap_commands_program[1];
  if (argc < 2) {
    cap_help_program(stderr);
    return CAP_CLI_USAGE;
  }
  if (asks_for(argv[1], version)) {
    printf("capstan %s (%s, %s)\n", CAPSTAN_VERSION, CAPSTAN_GIT_HASH, CAPSTAN_COMPILER);
    return CAP_CLI_FINE;
  }
  if (asks_for(argv[1], help)) {
    cap_help_program(stdout);
    return CAP_CLI_FINE;
  }
  const cap_command *command = cap_command_find(argv[1]);
  return command ? cap_command_call(command, argc - 1, argv + 1) : cap_command_unknown(argv[1]);
}

/* What a library does to the program when its memory runs out, or by an error of ours: it calls exit, or
 * uses an address that is none. Neither goes without a sentence. */
static volatile sig_atomic_t ended;

static void say(const char *sentence)
{
  ssize_t n = write(STDERR_FILENO, sentence, strlen(sentence));
  (void)n;
}

static void at_exit(void)
{
  if (ended) return;
  say("capstan: a library has ended the program, as it does when it gets no memory\n");
  _exit(CAP_CLI_FAILED);
}

#ifndef __SANITIZE_ADDRESS__
static void at_fault(int number)
{
  say("capstan: stopped by a fault in the program or in a library, such as memory that ran out; files that "
      "are complete, "
      "and those of checkpoints, are as they were\n");
  signal(number, SIG_DFL); /* the instruction is run again, and ends the program as it would have */
}

/* On a stack of its own, since the usual one may be full. */
static void catch_faults(void)
{
  static char stack[1 << 16];
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_handler = at_fault, .sa_flags = SA_ONSTACK};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}
#endif

int main(int argc, char **argv)
{
  atexit(at_exit);
#ifndef __SANITIZE_ADDRESS__
  catch_faults();
#endif
  capm_lapack_one_thread(); /* the matrices are small: BLAS threads would only spin */
  signal(SIGPIPE, SIG_IGN); /* a reader that leaves early must not end a run before its result is written */
  int code = cap_terminal_end(call(argc, argv));
  ended = 1;
  return code;
}
