/* base/selector.c — see selector.h. */
#include "base/selector.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MOST = 6 };

static bool plain(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* The name between `from` and `to`; false when it is empty or too long. */
static bool store_name(const char *from, const char *to, cap_selector *out)
{
  size_t length = (size_t)(to - from);
  if (length == 0 || length >= sizeof out->name) return false;
  *out = (cap_selector){.index = -1};
  memcpy(out->name, from, length);
  return true;
}

static bool store_index(const char *from, const char *to, cap_selector *out)
{
  if (to - from > DIGITS_MOST) return false;
  *out = (cap_selector){0};
  for (; from < to; from++) out->index = 10 * out->index + (*from - '0');
  return true;
}

bool cap_selector_take(const char **path, const char *end, cap_selector *out)
{
  const char *at = *path, *from;
  if (at >= end || *at != '[') return false;
  at++;
  if (at < end && (*at == '"' || *at == '\'')) {
    char quote = *at++;
    from = at;
    while (at < end && *at != quote) at++;
    if (at + 1 >= end || at[1] != ']' || !store_name(from, at, out)) return false;
    *path = at + 2;
    return true;
  }
  bool digits = true;
  for (from = at; at < end && plain(*at); at++) digits = digits && isdigit((unsigned char)*at);
  if (at >= end || *at != ']' || at == from) return false;
  if (!(digits ? store_index : store_name)(from, at, out)) return false;
  *path = at + 1;
  return true;
}

/* "crank, tensioner, bsg", as many as fit. */
static void list_names(int n, cap_selector_name_of *name_of, const void *self, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < n; k++) {
    const char *name = name_of(self, k);
    if (!name || !*name) continue;
    int more = snprintf(text + used, size - used, "%s%.63s", used ? ", " : "", name);
    if (more < 0 || (size_t)more >= size - used - 5) {
      snprintf(text + used, size - used, ", ...");
      return;
    }
    used += (size_t)more;
  }
}

static void refuse_name(const cap_selector *selector, int n, cap_selector_name_of *name_of, const void *self,
                        char *reason, size_t size)
{
  char names[200];
  cap_nearest nearest;
  cap_nearest_start(&nearest, selector->name);
  for (int k = 0; k < n; k++)
    if (name_of(self, k)) cap_nearest_offer(&nearest, name_of(self, k));
  list_names(n, name_of, self, names, sizeof names);
  if (!names[0])
    snprintf(reason, size, "has no items with a name; expected an index from [0], got [%s]", selector->name);
  else
    snprintf(reason, size, "has no item named \"%s\"; expected one of: %s%s%s%s", selector->name, names,
             nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
             nearest.best ? "\"?" : "");
}

int cap_selector_find(const cap_selector *selector, int n, cap_selector_name_of *name_of, const void *self,
                      char *reason, size_t size)
{
  int found = -1;
  reason[0] = '\0';
  if (!selector->name[0]) {
    if (selector->index < n) return selector->index;
    snprintf(reason, size, "has %d item%s, counted from [0]", n, n == 1 ? "" : "s");
    return -1;
  }
  for (int k = 0; k < n; k++) {
    const char *name = name_of(self, k);
    if (!name || strcmp(name, selector->name) != 0) continue;
    if (found >= 0) {
      snprintf(reason, size, "has two items named \"%s\", [%d] and [%d]; expected an index", selector->name,
               found, k);
      return -1;
    }
    found = k;
  }
  if (found < 0) refuse_name(selector, n, name_of, self, reason, size);
  return found;
}
