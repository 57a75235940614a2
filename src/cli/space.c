/* cli/space.c — see space.h.
 *
 * OpenBLAS asks for its buffer until it gets it: where the address space is limited (ulimit -v, a batch
 * system), a program that uses it hangs for ever, in its idle threads even at exit(), and no signal helps. So
 * it gets no threads there, which it makes before main begins, and the space for its buffer is looked for
 * beforehand.
 */
#include "cli/space.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* OpenBLAS's buffer is 128 MB and the models of the examples need up to 60 MB beside it; with threads of its
 * own, 350 MB were needed in all, now 280 MB are. */
static const size_t ROOM = (size_t)192 << 20;

static const char THREADS[] = "OPENBLAS_NUM_THREADS";

void cap_space_ready(char **argv)
{
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
  const char *threads = getenv(THREADS);
  if ((!threads || strcmp(threads, "1") != 0) && setenv(THREADS, "1", 1) == 0)
    cap_platform_start_anew(argv); /* where that cannot be done, the probe still tells most of it */
  void *probe = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe != MAP_FAILED) {
    munmap(probe, ROOM);
    return;
  }
  cap_terminal_error("too little address space: %zu MB are not free below the limit of %.0f MB (ulimit -v); "
                     "expected a limit of at least 350 MB",
                     ROOM >> 20, (double)space.rlim_cur / (1 << 20));
  _exit(CAP_CLI_FAILED); /* exit() would wait for threads that wait for memory */
}
