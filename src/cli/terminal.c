/* cli/terminal.c — see terminal.h. */
#include "cli/terminal.h"
#include "base/clock.h"
#include "cli/cli.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop; /* set by the signal handler: the one mutable global of the program */

static void interrupt(int number)
{
  if (stop) _exit(128 + number);
  stop = 1;
}

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

static void print_progress(cap_terminal *terminal, const char *what, double done, double total,
                           const char *unit)
{
  double now = cap_clock_wall(), pause = terminal->live ? 0.1 : 10.0;
  follow_work(terminal, what, done, now);
  double since = now - terminal->started;
  if (terminal->quiet || now - terminal->last < pause || !(since > 0.0)) return;
  terminal->last = now;
  double rate = (done - terminal->first_done) / since, left = rate > 0.0 ? (total - done) / rate : INFINITY;
  const char *before = terminal->live ? "\r" : "", *after = terminal->live ? "\033[K" : "\n";
  if (total > 0.0 && isfinite(left))
    fprintf(stderr, "%s%s: %5.1f %%  %.6g of %.6g %s  %.3g %s per second of wall time, %.0f s left%s", before,
            what, 100.0 * done / total, done, total, unit, rate, unit, left, after);
  else if (total > 0.0) /* nothing done yet: nobody knows how long it takes */
    fprintf(stderr, "%s%s: %5.1f %%  %.6g of %.6g %s%s", before, what, 100.0 * done / total, done, total,
            unit, after);
  else
    fprintf(stderr, "%s%s: %.6g %s  %.3g %s per second of wall time%s", before, what, done, unit, rate, unit,
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

static void note(void *self, const char *text)
{
  cap_terminal *terminal = self;
  if (terminal->quiet) return;
  pthread_mutex_lock(&terminal->lock);
  end_line(terminal);
  fprintf(stderr, "%s\n", text);
  pthread_mutex_unlock(&terminal->lock);
}

void cap_terminal_open(cap_terminal *terminal, int quiet)
{
  *terminal = (cap_terminal){.quiet = quiet, .live = isatty(STDERR_FILENO), .last = cap_clock_wall()};
  pthread_mutex_init(&terminal->lock, NULL);
  terminal->progress = (cap_progress){report, note, terminal, &stop};
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of the write, not the end */
}

void cap_terminal_close(cap_terminal *terminal)
{
  end_line(terminal);
}

int cap_terminal_fail(const cap_error *error)
{
  fprintf(stderr, "capstan: %s\n", error->text[0] ? error->text : cap_status_text(error->status));
  switch (error->status) {
  case CAP_ERR_INPUT:
  case CAP_ERR_IO:
  case CAP_ERR_UNSUPPORTED:
    return CAP_CLI_USAGE;
  default:
    return CAP_CLI_FAILED;
  }
}

int cap_terminal_findings(cap_diag *diag)
{
  if (diag->nerror + diag->nwarning == 0) return CAP_CLI_FINE;
  const char *text = cap_diag_text(diag);
  fputs(text, stderr);
  size_t length = strlen(text);
  if (length && text[length - 1] != '\n') fputc('\n', stderr);
  return diag->nerror ? CAP_CLI_USAGE : CAP_CLI_FINE;
}
