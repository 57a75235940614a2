/* The C library's own allocator behind a counter; under the sanitizers, their hooks. */
#include "allocations.h"

#include <stdlib.h>

_Thread_local volatile long test_allocations;
bool (*test_refuse)(void *caller);

#ifdef __SANITIZE_ADDRESS__
const bool test_refusals_work = false;

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));
static void on_malloc(const volatile void *at, size_t size)
{
  (void)at, (void)size;
  test_allocations++;
}

static void on_free(const volatile void *at)
{
  (void)at;
}

bool test_allocations_counted(void)
{
  static int installed;
  if (!installed) installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  return installed;
}
#else
const bool test_refusals_work = true;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool refused(void *caller)
{
  test_allocations++;
  return test_refuse && test_refuse(caller);
}

void *malloc(size_t size)
{
  return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
  return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(at, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

bool test_allocations_counted(void)
{
  return true;
}
#endif
