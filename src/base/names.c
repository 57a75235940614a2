/* base/names.c — see names.h. */
#include "base/names.h"

#include <ctype.h>
#include <string.h>

static bool first_letter(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static bool later_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

bool cap_names_is_word(const char *part, size_t length)
{
  if (length == 0 || !first_letter(part[0])) return false;
  for (size_t i = 1; i < length; i++)
    if (!later_letter(part[i])) return false;
  return true;
}

/* Bytes of "[12]", also of a pattern "[*]"; 0 = none. */
static size_t index_length(const char *text)
{
  if (*text != '[') return 0;
  size_t n = strspn(text + 1, "0123456789*?");
  return n && text[1 + n] == ']' ? n + 2 : 0;
}

/* Bytes of a quoted part; 0 = none. */
static size_t quoted_length(const char *text)
{
  const char *end = *text == '\'' ? strchr(text + 1, '\'') : NULL;
  return end ? (size_t)(end + 1 - text) : 0;
}

/* Bytes of a part up to the next "." that no quotes hold. */
static size_t part_length(const char *text)
{
  size_t quoted = quoted_length(text);
  return quoted ? quoted + strcspn(text + quoted, ".") : strcspn(text, ".");
}

static bool legal_part(const char *part, size_t length)
{
  size_t n = quoted_length(part);
  if (n == 0)
    while (n < length && later_letter(part[n])) n++;
  if (n == 0 || (part[0] != '\'' && !first_letter(part[0]))) return false;
  for (size_t more; n < length && (more = index_length(part + n)) > 0;) n += more;
  return n == length;
}

static size_t put(char *out, size_t n, const char *text, size_t length)
{
  if (out) memcpy(out + n, text, length);
  return n + length;
}

/* Bytes of the indices at the end of a part. */
static size_t indices_length(const char *part, size_t length)
{
  const char *open = memchr(part, '[', length);
  for (; open; open = memchr(open + 1, '[', (size_t)(part + length - open - 1))) {
    size_t n = (size_t)(part + length - open), taken = 0;
    for (size_t more; taken < n && (more = index_length(open + taken)) > 0;) taken += more;
    if (taken == n) return n;
  }
  return 0;
}

/* One part, at n of `out` (NULL: counted only). */
static size_t put_part(char *out, size_t n, const char *part, size_t length, bool numbers)
{
  bool digits = n > 0 && length > 0 && strspn(part, "0123456789") >= length;
  if (digits && !numbers) return put(out, put(out, n, ".", 1), part, length);
  if (digits) {
    n = put(out, n, "[", 1);
    n = put(out, n, part, length);
    return put(out, n, "]", 1);
  }
  if (n > 0) n = put(out, n, ".", 1);
  bool count = strspn(part, "0123456789") >= length; /* at the head of a name */
  if (count || memchr(part, '*', length) || memchr(part, '?', length) || memchr(part, '\'', length) ||
      legal_part(part, length))
    return put(out, n, part, length);
  size_t indices = indices_length(part, length);
  n = put(out, n, "'", 1);
  n = put(out, n, part, length - indices);
  n = put(out, n, "'", 1);
  return put(out, n, part + length - indices, indices);
}

static size_t write_name(char *out, const char *name, bool numbers)
{
  size_t n = 0;
  for (const char *part = name;; part++) {
    size_t length = part_length(part);
    n = put_part(out, n, part, length, numbers);
    part += length;
    if (!*part) return n;
  }
}

const char *cap_names_legal(const char *name, cap_arena *arena)
{
  char *copy = cap_arena_alloc(arena, write_name(NULL, name, true) + 1);
  if (copy) write_name(copy, name, true);
  return copy;
}

const char *cap_names_quoted(const char *name, cap_arena *arena)
{
  char *copy = cap_arena_alloc(arena, write_name(NULL, name, false) + 1);
  if (copy) write_name(copy, name, false);
  return copy;
}

bool cap_names_is(const char *legal, const char *name)
{
  char copy[512];
  if (strcmp(legal, name) == 0) return true;
  size_t length = write_name(NULL, name, true);
  if (length >= sizeof copy || length != strlen(legal)) return false;
  write_name(copy, name, true);
  return memcmp(copy, legal, length) == 0;
}

const char *cap_names_fault(const char *own)
{
  size_t length = strlen(own);
  if (length == 0) return "it is empty";
  if (length > CAP_NAMES_OWN) return "it is longer than 60 characters";
  if (strpbrk(own, ".,/'\"[]*?"))
    return "it has one of . , / ' \" [ ] * ?, which names of channels are made with";
  if (own[0] == ' ' || own[length - 1] == ' ') return "it begins or ends with a blank";
  for (const char *c = own; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) return "it has a control character";
  return NULL;
}

bool cap_names_fit(const char *pattern, const char *name)
{
  const char *star = NULL, *retry = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      retry = name;
    } else if (*pattern == '?' || *pattern == *name) {
      pattern++, name++;
    } else if (star) {
      pattern = star + 1;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return !*pattern;
}

size_t cap_names_length(const char *text)
{
  size_t n = 0;
  for (;;) {
    size_t part = quoted_length(text + n);
    if (part == 0 && first_letter(text[n]))
      while (later_letter(text[n + part])) part++;
    else if (part == 0 && n > 0) /* after the ".": parts of old names, "mode.1" */
      while (later_letter(text[n + part])) part++;
    if (part == 0) return n;
    n += part;
    for (size_t more; (more = index_length(text + n)) > 0;) n += more;
    if (text[n] != '.') return n;
    n++;
  }
}

bool cap_names_alike(const char *a, const char *b)
{
  for (; *a && *b; a++, b++)
    if (*a != *b && !(strchr(" _", *a) && strchr(" _", *b))) return false;
  return !*a && !*b;
}
