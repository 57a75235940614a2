/* cli/screen.c — see screen.h. */
#include "cli/screen.h"
#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELD = 4 };

/* Of a character whose bytes come in two writes. */
typedef struct guard {
  char held[HELD];
  size_t n;
} guard;

static int write_all(const char *bytes, size_t size)
{
  while (size) {
    ssize_t n = write(STDOUT_FILENO, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    bytes += n, size -= (size_t)n;
  }
  return 0;
}

/* The beginning of a character, whose rest is to come. */
static int is_beginning(const char *at, size_t left)
{
  unsigned char first = (unsigned char)*at;
  if (first == '\r')
    return left == 1; /* before the end of a line it is a part of that, as some files have it */
  size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || left >= n) return 0;
  for (size_t i = 1; i < left; i++)
    if (((unsigned char)at[i] & 0xc0) != 0x80) return 0;
  return 1;
}

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
  guard *g = cookie;
  char *text = malloc(g->n + size + 1);
  if (!text) return 0;
  memcpy(text, g->held, g->n);
  memcpy(text + g->n, bytes, size);
  size_t left = g->n + size, used = 0;
  g->n = 0;
  for (const char *at = text; left;) {
    size_t taken, n = cap_printable_length(at, left, &taken);
    if (*at == '\r' && left > 1 && at[1] == '\n') n = 1;
    if (!n && is_beginning(at, left)) {
      memcpy(g->held, at, g->n = left);
      break;
    }
    if (n) memmove(text + used, at, n);
    else text[used] = '?';
    used += n ? n : 1;
    at += taken, left -= taken;
  }
  int failed = write_all(text, used), reason = errno;
  free(text);
  errno = reason;
  return failed ? 0 : (ssize_t)size;
}

void cap_screen_guard(void)
{
  static guard standard_output; /* of the program, as the stream is */
  FILE *guarded = fopencookie(&standard_output, "w", (cookie_io_functions_t){.write = put});
  if (!guarded) return;
  if (isatty(STDOUT_FILENO)) setvbuf(guarded, NULL, _IOLBF, BUFSIZ);
  stdout = guarded;
}

int cap_screen_file(const char *text)
{
  if (isatty(STDOUT_FILENO)) return fputs(text, stdout) < 0;
  return fflush(stdout) != 0 || write_all(text, strlen(text)) != 0;
}

void cap_screen_vprint(const char *format, va_list args)
{
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0) return;
  cap_printable(text);
  fputs(text, stderr);
  free(text);
}

void cap_screen_print(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  cap_screen_vprint(format, args);
  va_end(args);
}
