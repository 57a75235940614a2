/* The allocator of the kind "fault": the C library's, which refuses when the countdown says so. */
#include "failing.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);

long countdown = -1;
bool struck;

static bool runs_out(void)
{
  if (countdown < 0 || countdown-- > 0) return false;
  struck = true;
  return true;
}

void *__wrap_malloc(size_t size)
{
  return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
  return runs_out() ? NULL : __real_realloc(block, size);
}

char *__wrap_strdup(const char *text)
{
  return runs_out() ? NULL : __real_strdup(text);
}
