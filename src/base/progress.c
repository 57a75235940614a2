/* base/progress.c — see progress.h. */
#include "base/progress.h"
#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>

void cap_progress_report(const cap_progress *progress, const char *what, double done, double total,
                         const char *detail)
{
  if (progress && progress->report) progress->report(progress->self, what, done, total, detail);
}

static void tell(const cap_progress *progress, void (*to)(void *, const char *), const char *format,
                 va_list args)
{
  char text[1024];
  vsnprintf(text, sizeof text, format, args);
  to(progress->self, text);
}

void cap_progress_note(const cap_progress *progress, const char *format, ...)
{
  if (!progress || !progress->note) return;
  va_list args;
  va_start(args, format);
  tell(progress, progress->note, format, args);
  va_end(args);
}

void cap_progress_warn(const cap_progress *progress, const char *format, ...)
{
  if (!progress || (!progress->warn && !progress->note)) return;
  va_list args;
  va_start(args, format);
  tell(progress, progress->warn ? progress->warn : progress->note, format, args);
  va_end(args);
}

bool cap_progress_late(const cap_progress *progress)
{
  return progress && progress->deadline > 0.0 && cap_clock_wall() > progress->deadline;
}

cap_progress cap_progress_silent(const cap_progress *progress)
{
  if (!progress) return (cap_progress){0};
  return (cap_progress){.stop = progress->stop, .deadline = progress->deadline, .heard = progress->heard};
}
