/* cli/study_progress.c — see study_progress.h. */
#include "cli/study_progress.h"
#include "base/clock.h"
#include "cli/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE = 256 };

static void wipe(cap_study_progress *p)
{
  if (p->drawn > 0) fprintf(stderr, "\033[%dA\r\033[J", p->drawn);
  p->drawn = 0;
}

static void note(void *self, const char *text)
{
  cap_study_progress *p = self;
  if (p->quiet) return;
  wipe(p);
  cap_screen_print("%s\n", text);
  if (p->live) p->last = 0.0;
}

void cap_study_progress_open(cap_study_progress *p, const cap_terminal *terminal)
{
  *p = (cap_study_progress){.quiet = terminal->quiet, .live = terminal->live, .last = cap_clock_wall()};
  p->progress = (cap_progress){.note = note, .self = p, .stop = terminal->progress.stop};
}

void cap_study_progress_close(cap_study_progress *p)
{
  wipe(p);
  fflush(stderr);
}

static void summary(const cap_workers_view *v, const cap_study_progress *p, char text[LINE])
{
  char time[CAP_TERMINAL_DURATION];
  int64_t computed = v->done - v->found;
  double rate = v->seconds > 0.0 ? (double)computed / v->seconds : 0.0;
  int n = snprintf(text, LINE, "study: %lld of %lld cases (%.1f %%), %lld failed, %lld running",
                   (long long)v->done, (long long)v->ncase,
                   v->ncase ? 100.0 * (double)v->done / (double)v->ncase : 100.0, (long long)v->failed,
                   (long long)v->running);
  if (v->pending >= 0) n += snprintf(text + n, (size_t)(LINE - n), ", %lld pending", (long long)v->pending);
  if (rate > 0.0)
    n += snprintf(text + n, (size_t)(LINE - n), ", %.3g per second, %s left", rate,
                  cap_terminal_duration(time, (double)(v->ncase - v->done) / rate));
  if (p->told) snprintf(text + n, (size_t)(LINE - n), "; stopping");
}

static void worker_line(const cap_workers_line *line, int worker, char text[LINE])
{
  char time[CAP_TERMINAL_DURATION];
  int n = snprintf(text, LINE, "  worker %-3d", worker + 1);
  if (line->k < 0) n += snprintf(text + n, (size_t)(LINE - n), " waits");
  else {
    n += snprintf(text + n, (size_t)(LINE - n), " case %-6lld", (long long)line->k + 1);
    if (line->what[0]) n += snprintf(text + n, (size_t)(LINE - n), " %-12s", line->what);
    if (isfinite(line->fraction))
      n += snprintf(text + n, (size_t)(LINE - n), " %5.1f %%", 100.0 * line->fraction);
    n += snprintf(text + n, (size_t)(LINE - n), " %s", cap_terminal_duration(time, line->seconds));
  }
  n += snprintf(text + n, (size_t)(LINE - n), "  (%lld done", (long long)line->done);
  if (line->failed) n += snprintf(text + n, (size_t)(LINE - n), ", %lld failed", (long long)line->failed);
  snprintf(text + n, (size_t)(LINE - n), ")");
}

/* Lines that are as wide as the terminal would break, and the drawing could not be wiped. */
static void put_cut(const char *text, int width)
{
  cap_screen_print("%.*s", width > 1 ? width - 1 : 1, text);
  fputs("\033[K\n", stderr);
}

static void draw(cap_study_progress *p, const cap_workers_view *v)
{
  struct winsize window = {0};
  char text[LINE];
  ioctl(STDERR_FILENO, TIOCGWINSZ, &window);
  int width = window.ws_col ? window.ws_col : 80, height = window.ws_row ? window.ws_row : 24;
  int nline = v->nline;
  if (nline > height - 2) nline = height > 3 ? height - 3 : 0; /* and one that says how many more */
  if (p->drawn > 0) fprintf(stderr, "\033[%dA\r", p->drawn);
  summary(v, p, text);
  put_cut(text, width);
  for (int w = 0; w < nline; w++) {
    worker_line(&v->lines[w], w, text);
    put_cut(text, width);
  }
  int drawn = nline + 1;
  if (nline < v->nline) {
    snprintf(text, sizeof text, "  and %d more workers", v->nline - nline);
    put_cut(text, width);
    drawn++;
  }
  fputs("\033[J", stderr);
  p->drawn = drawn;
  fflush(stderr);
}

void cap_study_progress_watch(void *self, const cap_workers_view *view)
{
  cap_study_progress *p = self;
  double now = cap_clock_wall();
  if (!p->told && cap_progress_stopped(&p->progress)) {
    p->told = 1;
    note(p, "capstan: stopping; each worker ends at its next checkpoint (Ctrl-C again ends at once)");
  }
  if (p->quiet || now - p->last < (p->live ? 0.1 : 10.0)) return;
  p->last = now;
  if (p->live) {
    draw(p, view);
    return;
  }
  char text[LINE];
  summary(view, p, text);
  cap_screen_print("%s\n", text);
}
