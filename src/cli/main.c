/* cli/main.c — the program: what it is asked for, and how it ends. */
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/reserve.h"
#include "cli/screen.h"
#include "cli/space.h"
#include "cli/terminal.h"
#include "linalg/lapack.h"
#include "version.h"

#include <signal.h>
#include <string.h>

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

int main(int argc, char **argv)
{
  cap_space_ready(argv);
  cap_reserve_open();
  capm_lapack_one_thread(); /* the matrices are small: BLAS threads would only spin */
  signal(SIGPIPE, SIG_IGN); /* a reader that leaves early must not end a run before its result is written */
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of the write: nothing is left of it */
  cap_screen_guard();
  int code = cap_terminal_end(call(argc, argv));
  cap_reserve_leave();
  return code;
}
