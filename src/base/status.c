/* base/status.c — see status.h. */
#include "base/status.h"
#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cap_status_text(cap_status status)
{
  switch (status) {
#define CAP_STATUS_CASE(name, value, text)                                                                   \
  case name:                                                                                                 \
    return text;
    CAP_STATUS_LIST(CAP_STATUS_CASE)
#undef CAP_STATUS_CASE
  }
  return "unknown status";
}

cap_status cap_status_fail(cap_error *error, cap_status status, const char *format, ...)
{
  if (!error) return status;
  error->status = status;
  error->key = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  cap_printable(error->text); /* names of files and of others stand in it */
  return status;
}

cap_status cap_status_fail_at(cap_error *error, cap_status status, const char *path, const char *format, ...)
{
  char text[sizeof error->text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_status_fail(error, status, "%s: %s", path, text);
  if (error) error->key = (int)strlen(path);
  return status;
}
