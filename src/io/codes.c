/* io/codes.c — see codes.h. */
#include "io/codes.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 1000 };

/* Behind "7 = ", "7: " or "7 " at `text`; NULL: another code is meant, or none. */
static const char *behind_number(const char *text, int code)
{
  char number[16];
  size_t n = (size_t)snprintf(number, sizeof number, "%d", code);
  if (strncmp(text, number, n) != 0) return NULL;
  text += n;
  if (strncmp(text, " = ", 3) == 0) return text + 3;
  if (strncmp(text, ": ", 2) == 0) return text + 2;
  return *text == ' ' && text[1] != '+' ? text + 1 : NULL;
}

/* The name of a list's first code: at the head, or behind ": ". */
static const char *name_of_first(const char *long_name, int code)
{
  const char *name = behind_number(long_name, code);
  for (const char *colon = strstr(long_name, ": "); !name && colon; colon = strstr(colon + 2, ": "))
    name = behind_number(colon + 2, code);
  return name;
}

/* Lists begin with 0, those of names that are counted with "1 = ". */
static const char *first_name(const char *long_name, int *code)
{
  const char *name = name_of_first(long_name, *code = 0);
  if (name) return name;
  name = name_of_first(long_name, *code = 1);
  return name && strncmp(name - 2, "= ", 2) == 0 ? name : NULL;
}

/* Where the name of the next code begins; NULL: the list ends. */
static const char *next_name(const char *name, int code)
{
  for (const char *comma = strstr(name, ", "); comma; comma = strstr(comma + 2, ", ")) {
    const char *next = behind_number(comma + 2, code);
    if (next) return next;
  }
  return NULL;
}

/* Bytes of a name that is followed by that of `code`, or by the end. */
static size_t name_length(const char *name, int code)
{
  for (const char *comma = strstr(name, ", "); comma; comma = strstr(comma + 2, ", "))
    if (behind_number(comma + 2, code)) return (size_t)(comma - name);
  return strcspn(name, ";,(");
}

bool cap_codes_listed(const char *long_name)
{
  int code;
  const char *name = first_name(long_name, &code);
  return name && next_name(name, code + 1);
}

const char *cap_codes_name(const char *long_name, double value, size_t *length)
{
  if (!(value >= 0.0 && value < MOST) || value != (double)(int)value || !cap_codes_listed(long_name))
    return NULL;
  int code;
  const char *name = first_name(long_name, &code);
  if (value < code) return NULL;
  for (; name && code < (int)value; code++) name = next_name(name, code + 1);
  if (!name) return NULL;
  *length = name_length(name, (int)value + 1);
  while (*length > 0 && name[*length - 1] == ' ') --*length;
  return name;
}
