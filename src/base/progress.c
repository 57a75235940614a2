/* base/progress.c — see progress.h. */
#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>

void cap_progress_report(const cap_progress *progress, const char *what, double done, double total,
                         const char *detail)
{
  if (progress && progress->report) progress->report(progress->self, what, done, total, detail);
}

void cap_progress_note(const cap_progress *progress, const char *format, ...)
{
  if (!progress || !progress->note) return;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  progress->note(progress->self, text);
}

int cap_progress_stopped(const cap_progress *progress)
{
  return progress && progress->stop && *progress->stop;
}
