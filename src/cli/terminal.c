/* cli/terminal.c — see terminal.h. */
#include "cli/terminal.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "io/results_block.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10000 /* ms */, ROUND = 1000000000 /* ms after which the clock of signals begins again */ };

/* The mutable globals of the program: the signal that came and when, set by its handler, and how messages
 * look. */
static volatile sig_atomic_t stop, since, heard, deep;
static timer_t unheard;
static const char *colour_when = "auto";

static const char RED[] = "\033[1;31m", YELLOW[] = "\033[1;33m", BOLD[] = "\033[1m", PLAIN[] = "\033[0m";

/* ms of a clock that a handler can read and that fits into what it can store. */
static int clock_now(void)
{
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int)(now.tv_sec % (ROUND / 1000)) * 1000 + (int)(now.tv_nsec / 1000000);
}

static int clock_since(int then)
{
  return (clock_now() - then + ROUND) % ROUND;
}

/* Processor time of all threads together until give_up is asked. */
static void wait_to_be_heard(void)
{
  const long wait = (long)(1000.0 * CAP_PROGRESS_UNHEARD);
  const struct itimerspec after = {.it_value = {.tv_sec = wait / 1000, .tv_nsec = wait % 1000 * 1000000}};
  timer_settime(unheard, 0, &after, NULL);
}

/* What was computed is being written: another signal must not cut that off. Only where this has taken far
 * too long (a disk that does not answer) the next one ends the program at once. */
static void interrupt(int number)
{
  if (cap_progress_signal(&stop)) {
    if (clock_since(cap_progress_signal(&since)) > PATIENCE) _exit(128 + number);
    return;
  }
  cap_progress_raise(&since, clock_now());
  cap_progress_raise(&stop, number);
  if (cap_progress_signal(&deep)) wait_to_be_heard();
}

/* So much processor time after a signal, not waiting for a disk or for its turn, and as much on the wall, as
 * several threads may have used it up together: whoever has heard it is on the way out. Where no one has, the
 * program is within one call of a library, and the results up to the last checkpoint are on the disk. */
static void give_up(int number)
{
  static const char text[] =
      "capstan: interrupted within one long operation; what was computed up to the last "
      "checkpoint is in the .part file, and --resume continues from there\n";
  (void)number;
  if (!cap_progress_signal(&deep) || cap_progress_signal(&heard)) return;
  if (clock_since(cap_progress_signal(&since)) < (int)(1000.0 * CAP_PROGRESS_UNHEARD)) {
    wait_to_be_heard();
    return;
  }
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
  } /* there is no one to tell */
  _exit(128 + cap_progress_signal(&stop));
}

void cap_terminal_deep(bool computing)
{
  cap_progress_raise(&deep, computing);
}

/* ---- colour ---- */

void cap_terminal_colour(const char *when)
{
  colour_when = when;
}

static bool coloured(void)
{
  if (strcmp(colour_when, "auto") != 0) return strcmp(colour_when, "always") == 0;
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDERR_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

/* The escape sequence, or nothing where messages are plain. */
static const char *in(const char *sequence)
{
  return coloured() ? sequence : "";
}

void cap_terminal_error(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%scapstan:%s ", in(RED), in(PLAIN));
  cap_screen_vprint(format, args);
  fputc('\n', stderr);
  va_end(args);
}

void cap_terminal_warning(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%scapstan: warning:%s ", in(YELLOW), in(PLAIN));
  cap_screen_vprint(format, args);
  fputc('\n', stderr);
  va_end(args);
}

void cap_terminal_warn_unchecked(const char *path)
{
  if (cap_results_block_missing(path))
    cap_terminal_warning(
        "%s was written by an earlier version and has no digest: nothing shows whether it is whole", path);
}

/* ---- progress ---- */

static void end_line(cap_terminal *terminal)
{
  if (terminal->line_open) fputs("\r\033[K", stderr);
  terminal->line_open = 0;
}

/* Another piece of work than before, or the same kind from its beginning: time and amount count from here. */
static void follow_work(cap_terminal *terminal, const char *what, double done, double now)
{
  if (!terminal->what || strcmp(what, terminal->what) != 0 || done < terminal->last_done) {
    terminal->what = what;
    terminal->started = now;
    terminal->first_done = done;
  }
  terminal->last_done = done;
}

const char *cap_terminal_duration(char text[CAP_TERMINAL_DURATION], double seconds)
{
  const size_t size = CAP_TERMINAL_DURATION;
  if (seconds < 10.0) snprintf(text, size, "%.1f s", seconds);
  else if (seconds < 100.0) snprintf(text, size, "%.0f s", seconds);
  else if (seconds < 6000.0) snprintf(text, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
  else if (seconds < 360000.0)
    snprintf(text, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
  else snprintf(text, size, "%.1f d", seconds / 86400.0);
  return text;
}

static void print_progress(cap_terminal *terminal, const char *what, double done, double total,
                           const char *unit)
{
  double now = cap_clock_wall(), pause = terminal->live ? 0.1 : 10.0;
  follow_work(terminal, what, done, now);
  double passed = now - terminal->started;
  if (terminal->quiet || now - terminal->last < pause || !(passed > 0.0)) return;
  terminal->last = now;
  double rate = (done - terminal->first_done) / passed, left = rate > 0.0 ? (total - done) / rate : INFINITY;
  const char *before = terminal->live ? "\r" : "", *after = terminal->live ? "\033[K" : "\n";
  const char *motion = strcmp(unit, "s") == 0 ? " of motion"
                                              : ""; /* seconds of the model, not of the clock */
  char time[CAP_TERMINAL_DURATION];
  if (total > 0.0 && isfinite(left))
    fprintf(stderr, "%s%s: %5.1f %%  %.6g of %.6g %s%s  %.1g %s per second, %s left%s", before, what,
            100.0 * done / total, done, total, unit, motion, rate, unit, cap_terminal_duration(time, left),
            after);
  else if (total > 0.0) /* nothing done yet: nobody knows how long it takes */
    fprintf(stderr, "%s%s: %5.1f %%  %.6g of %.6g %s%s%s", before, what, 100.0 * done / total, done, total,
            unit, motion, after);
  else
    fprintf(stderr, "%s%s: %.6g %s%s  %.1g %s per second%s", before, what, done, unit, motion, rate, unit,
            after);
  terminal->line_open = terminal->live;
  fflush(stderr);
}

static void report(void *self, const char *what, double done, double total, const char *unit)
{
  cap_terminal *terminal = self;
  if (pthread_mutex_trylock(&terminal->lock))
    return; /* another thread is speaking: the next report will do */
  print_progress(terminal, what, done, total, unit);
  pthread_mutex_unlock(&terminal->lock);
}

static bool warns(const char *text)
{
  return strstr(text, "warning") || strstr(text, "WARNING");
}

static void warn(void *self, const char *text)
{
  cap_terminal *terminal = self;
  pthread_mutex_lock(&terminal->lock);
  end_line(terminal);
  fputs(warns(text) ? in(YELLOW) : "", stderr);
  cap_screen_print("%s", text);
  fprintf(stderr, "%s\n", warns(text) ? in(PLAIN) : "");
  pthread_mutex_unlock(&terminal->lock);
}

static void note(void *self, const char *text)
{
  const cap_terminal *terminal = self;
  if (!terminal->quiet || warns(text)) warn(self, text);
}

void cap_terminal_open(cap_terminal *terminal, int quiet)
{
  *terminal = (cap_terminal){.quiet = quiet, .live = isatty(STDERR_FILENO), .last = cap_clock_wall()};
  pthread_mutex_init(&terminal->lock, NULL);
  terminal->progress = (cap_progress){
      .report = report, .note = note, .self = terminal, .stop = &stop, .heard = &heard, .warn = warn};
  struct sigaction action = {.sa_handler = interrupt}, late = {.sa_handler = give_up, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  sigaction(SIGALRM, &late, NULL);
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &unheard) != 0) unheard = 0;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int cap_terminal_stopped(void)
{
  int number = cap_progress_signal(&stop);
  return number ? 128 + number : CAP_CLI_FAILED;
}

void cap_terminal_close(cap_terminal *terminal)
{
  end_line(terminal);
}

int cap_terminal_fail(const cap_error *error)
{
  cap_terminal_error("%s", error->text[0] ? error->text : cap_status_text(error->status));
  switch (error->status) {
  case CAP_STOPPED: /* by a signal, or by a time limit */
    return cap_progress_signal(&stop) ? cap_terminal_stopped() : CAP_CLI_LATE;
  case CAP_ERR_INPUT:
  case CAP_ERR_IO:
  case CAP_ERR_UNSUPPORTED:
    return CAP_CLI_USAGE;
  default:
    return CAP_CLI_FAILED;
  }
}

/* ---- findings ---- */

/* "drive.yaml:12:13: warning: path: text", as cap_diag_text has it. */
static void print_finding(const capstan_finding *item)
{
  const char *file = item->file;
  fprintf(stderr, "%s%s", BOLD, file);
  if (item->line > 0) fprintf(stderr, "%s%d", *file ? ":" : "", item->line);
  if (item->line > 0 && item->column > 0) fprintf(stderr, ":%d", item->column);
  fprintf(stderr, "%s%s ", *file || item->line > 0 ? ":" : "", PLAIN);
  if (item->warning) fprintf(stderr, "%swarning:%s ", YELLOW, PLAIN);
  if (*item->path) fprintf(stderr, "%s%s:%s ", item->warning ? BOLD : RED, item->path, PLAIN);
  fprintf(stderr, "%s\n", item->text);
}

int cap_terminal_sorted(const cap_diag *diag, capstan_finding findings[CAP_DIAG_MOST])
{
  const cap_diag_item *sorted[CAP_DIAG_MOST];
  int n = cap_diag_sort(diag, sorted);
  for (int k = 0; k < n; k++)
    findings[k] = (capstan_finding){.warning = sorted[k]->warning,
                                    .file = sorted[k]->file ? sorted[k]->file : "",
                                    .line = sorted[k]->line,
                                    .column = sorted[k]->column,
                                    .path = sorted[k]->path ? sorted[k]->path : "",
                                    .text = sorted[k]->text};
  return n;
}

/* What a text of findings, one a line, has behind `n` of them: that there are more. */
static const char *behind(const char *text, int n)
{
  while (*text && n > 0) n -= *text++ == '\n';
  return text;
}

void cap_terminal_tell(int n, const capstan_finding *findings, const char *text)
{
  if (n == 0) return;
  if (coloured()) {
    for (int k = 0; k < n; k++) print_finding(&findings[k]);
    fputs(behind(text, n), stderr);
  } else {
    fputs(text, stderr);
    size_t length = strlen(text);
    if (length && text[length - 1] != '\n') fputc('\n', stderr);
  }
}

int cap_terminal_findings(cap_diag *diag)
{
  capstan_finding findings[CAP_DIAG_MOST];
  if (diag->nerror + diag->nwarning == 0) return CAP_CLI_FINE;
  cap_terminal_tell(cap_terminal_sorted(diag, findings), findings, cap_diag_text(diag));
  return diag->nerror ? CAP_CLI_USAGE : CAP_CLI_FINE;
}

/* ---- the end ---- */

/* The other end of a pipe is closed: whoever read has seen enough. */
static bool reader_left(void)
{
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP));
}

int cap_terminal_end(int code)
{
  errno = 0;
  bool broken = fflush(stdout) != 0 || ferror(stdout);
  if (!broken || reader_left()) return code;
  cap_terminal_error("standard output could not be written: %s", errno ? strerror(errno) : "output error");
  return code == CAP_CLI_FINE ? CAP_CLI_USAGE : code;
}
