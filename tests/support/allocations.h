/* Counter of allocations: a computation that must not allocate is seen not to. To be included by one file of
 * a program, after cmocka.h; call test_count_allocations() once, then compare test_allocations.
 */
#pragma once
#include <stdlib.h>

/* Of this thread, since a BLAS starts threads of its own when it is loaded; volatile, since the compiler
 * thinks that malloc changes no variable. */
static _Thread_local volatile long test_allocations;

#ifdef __SANITIZE_ADDRESS__
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));
static void test_on_malloc(const volatile void *at, size_t size)
{
  (void)at, (void)size;
  test_allocations++;
}
static void test_on_free(const volatile void *at)
{
  (void)at;
}
static void test_count_allocations(void)
{
  static int installed;
  if (!installed) installed = __sanitizer_install_malloc_and_free_hooks(test_on_malloc, test_on_free);
  assert_true(installed);
}
#else
/* The C library's own allocator behind a counter. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size)
{
  test_allocations++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
  test_allocations++;
  return __libc_calloc(count, size);
}
void *realloc(void *at, size_t size)
{
  test_allocations++;
  return __libc_realloc(at, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
  test_allocations++;
  return __libc_memalign(alignment, size);
}
static void test_count_allocations(void)
{
}
#endif
