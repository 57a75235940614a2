/* base/progress.h — how far a long computation is, and whether it should stop.
 *
 * The library never prints: it calls `report` and `note`, which the program sets, from any thread. `stop` is
 * read by the policy loops between steps; a signal handler of the program may set it.
 */
#pragma once
#include <signal.h>

typedef struct cap_progress {
  void (*report)(void *self, const char *what, double done, double total, const char *detail);
  void (*note)(void *self, const char *text); /* a line worth knowing: a warning, a decision taken */
  void *self;
  volatile sig_atomic_t *stop;
  /* A note that nobody may miss, also who wants no notes: a result that should not be trusted. NULL: `note`. */
  void (*warn)(void *self, const char *text);
} cap_progress;

/* Both accept NULL for the progress and for its functions. total = 0:
 * nobody knows how much there is to do. */
void cap_progress_report(const cap_progress *progress, const char *what, double done, double total,
                         const char *detail);
__attribute__((format(printf, 2, 3))) void cap_progress_note(const cap_progress *progress, const char *format,
                                                             ...);
__attribute__((format(printf, 2, 3))) void cap_progress_warn(const cap_progress *progress, const char *format,
                                                             ...);
int cap_progress_stopped(const cap_progress *progress);
