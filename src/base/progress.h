/* base/progress.h — how far a long computation is, and whether it should stop.
 *
 * The library never prints: it calls `report` and `note`, which the program sets, from any thread. Whoever
 * steps, iterates or searches asks cap_progress_stopped once in each step, whatever a step costs: it is one
 * load as long as there is no deadline. `stop` is set by a signal handler or another process, and never taken
 * back, so that an answer of "stopped" remains true on the whole way out.
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

typedef struct cap_progress {
  void (*report)(void *self, const char *what, double done, double total, const char *detail);
  void (*note)(void *self, const char *text); /* a line worth knowing: a warning, a decision taken */
  void *self;
  volatile sig_atomic_t *stop; /* not 0: stop; read and written by the calls below alone. Or NULL */
  double deadline;             /* s of cap_clock_wall after which to stop, too; 0 = none */
  /* Set to 1 once someone was asked to stop: what it belongs to is not complete, whatever its caller makes of
   * that. Or NULL. */
  volatile sig_atomic_t *heard;
  /* A note that nobody may miss, also who wants none: results not to be trusted. NULL: `note`. */
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

/* Processor time in which every computation hears of a stop, but for single calls of libraries, s; with a
 * sanitizer, which makes it slower by as much. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAP_PROGRESS_UNHEARD 3.5
#else
#define CAP_PROGRESS_UNHEARD 0.35
#endif

/* The flag is read by threads while a handler or another thread sets it. */
static inline int cap_progress_signal(const volatile sig_atomic_t *stop)
{
  return __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static inline void cap_progress_raise(volatile sig_atomic_t *stop, int value)
{
  __atomic_store_n(stop, value, __ATOMIC_RELAXED);
}

/* Whether the time is over that a computation was given. Accepts NULL. */
bool cap_progress_late(const cap_progress *progress);

/* Whether to stop, for one reason or the other. Accepts NULL. */
static inline bool cap_progress_stopped(const cap_progress *progress)
{
  if (!progress || !((progress->stop && cap_progress_signal(progress->stop)) ||
                     (progress->deadline > 0.0 && cap_progress_late(progress))))
    return false;
  if (progress->heard) cap_progress_raise(progress->heard, 1);
  return true;
}

/* The same reasons to stop without messages, for work within other work. */
cap_progress cap_progress_silent(const cap_progress *progress);
