/* report/replace.c — see replace.h. */
#include "report/replace.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD = 1 << 16 /* bytes of a file that are searched for a mark */ };

/* A regular file with something in it; what else is there, the writer judges. */
static bool is_file(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

/* Whether a mark stands in the beginning of a file. */
static bool has_mark(const char *path, const char *mark)
{
  FILE *file = fopen(path, "rbe");
  char *head = malloc(HEAD);
  size_t n = file && head ? fread(head, 1, HEAD, file) : 0;
  bool found = head && memmem(head, n, mark, strlen(mark));
  if (file) fclose(file);
  free(head);
  return found;
}

cap_status cap_replace_marked(const char *path, const char *mark, const char *what, cap_error *error)
{
  if (!is_file(path) || has_mark(path, mark)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "%s is not %s and is not overwritten; remove it, or select another file", path,
                         what);
}

cap_status cap_replace_page(const char *path, cap_error *error)
{
  return cap_replace_marked(path, "<title>Capstan</title>", "a page of capstan", error);
}
