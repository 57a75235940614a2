/* base/printable.c — see printable.h. */
#include "base/printable.h"

#include <string.h>

/* Bytes that a character of UTF-8 announces by its first one; 0 = none begins with it. */
static size_t announced(unsigned char first)
{
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

size_t cap_printable_length(const char *at, size_t left, size_t *taken)
{
  const unsigned char *c = (const unsigned char *)at;
  size_t n = announced(*c);
  *taken = 1;
  if (n == 0 || n > left) return 0;
  if (n == 1) return (*c >= 0x20 && *c != 0x7f) || *c == '\n' || *c == '\t';
  for (size_t i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  *taken = n;
  return n == 2 && c[0] == 0xc2 && c[1] < 0xa0 ? 0 : n;
}

void cap_printable(char *text)
{
  char *to = text;
  for (size_t left = strlen(text); left;) {
    size_t taken, n = cap_printable_length(text, left, &taken);
    if (n) memmove(to, text, n);
    else *to = '?';
    to += n ? n : 1;
    text += taken, left -= taken;
  }
  *to = '\0';
}

static size_t whole(const char *text, size_t at)
{
  while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
  return at;
}

void cap_printable_shorten(char *text, size_t most)
{
  static const char gap[] = " ... ";
  size_t length = strlen(text);
  if (length <= most) return;
  size_t head = whole(text, most - most / 4 - (sizeof gap - 1)), tail = whole(text, length - most / 4);
  memcpy(text + head, gap, sizeof gap - 1);
  memmove(text + head + sizeof gap - 1, text + tail, length - tail + 1);
}
