/* base/selector.h — which item of a list a path means: "[2]", counted from 0, or by its key `name`, "[bsg]",
 * and in quotes where a name has other characters than letters, digits, "_" and "-": "['water pump']".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CAP_SELECTOR_LONGEST = 64 };

typedef struct cap_selector {
  int index;                       /* -1: by name */
  char name[CAP_SELECTOR_LONGEST]; /* "": by index */
} cap_selector;

/* Take "[...]" off *path, which ends at `end`; false, and *path as it was, when there is none. */
bool cap_selector_take(const char **path, const char *end, cap_selector *out);

/* The item that is meant among n, whose names `name_of` tells (NULL: an item has none). -1: there is none;
 * then `reason` has the end of a sentence that begins with the list: "has no item named ...". */
typedef const char *cap_selector_name_of(const void *self, int index);
int cap_selector_find(const cap_selector *selector, int n, cap_selector_name_of *name_of, const void *self,
                      char *reason, size_t size);
