/* An allocator for LD_PRELOAD that fails once: the TORTURE_FAIL-th allocation of the program and of all of
 * its libraries, counted from main on. How many there were goes to the file TORTURE_COUNT. For glibc. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <dlfcn.h>

/* The C library's, behind the names above. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

typedef int main_function(int argc, char **argv, char **environment);
int __libc_start_main(main_function *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static atomic_long counted;
static atomic_bool counting;
static long fails = -1; /* the one that fails, from 1 */
static main_function *real_main;

static bool runs_out(void)
{
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return false;
  if (atomic_fetch_add(&counted, 1) + 1 != fails) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  return runs_out() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return runs_out() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
  return runs_out() ? NULL : __libc_realloc(block, size);
}

static void *aligned(size_t alignment, size_t size)
{
  return runs_out() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return aligned(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
  *block = aligned(alignment, size);
  return *block ? 0 : ENOMEM;
}

static int main_counted(int argc, char **argv, char **environment)
{
  const char *which = getenv("TORTURE_FAIL");
  fails = which ? atol(which) : -1;
  atomic_store(&counting, true);
  return real_main(argc, argv, environment);
}

__attribute__((destructor)) static void tell(void)
{
  atomic_store(&counting, false);
  const char *path = getenv("TORTURE_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&counted));
  fclose(file);
}

int __libc_start_main(main_function *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
  void *next = dlsym(RTLD_NEXT, "__libc_start_main");
  __typeof__(&__libc_start_main) start;
  *(void **)&start = next;
  real_main = begin;
  return start(main_counted, argc, argv, init, fini, rtld_fini, stack_end);
}
