/* cli/reserve.c — see reserve.h. The program's malloc stands before that of the C library, and calls it. */
#include "cli/reserve.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

static atomic_bool left;

/* HDF5 calls exit(-1) where it cannot go on. */
static void unasked(void)
{
  static const char text[] = "capstan: a library ended the program, most likely because memory ran out; "
                             "files that were there are as "
                             "they were\n";
  if (atomic_load(&left)) return;
  ssize_t written = write(2, text, sizeof text - 1);
  (void)written;
  _exit(1);
}

void cap_reserve_leave(void)
{
  atomic_store(&left, true);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

#if defined(__GLIBC__) && !SANITIZED
#include <dlfcn.h>
#include <sys/mman.h>

enum { RESERVE = 32 << 20 /* bytes; no page of it is used before it is needed */ };

extern const char __executable_start[], etext[];
/* HDF5 where it is a part of the program (cmake/dependencies.cmake); elsewhere there is no such section. */
extern const char __start_hdf5_text[] __attribute__((weak)), __stop_hdf5_text[] __attribute__((weak));

static _Atomic(void *) reserve;
static atomic_bool spent; /* memory has run out within a library */

static bool own(const void *caller)
{
  uintptr_t library = (uintptr_t)__start_hdf5_text, end = (uintptr_t)__stop_hdf5_text;
  if (library && (uintptr_t)caller >= library && (uintptr_t)caller < end) return false;
  return (uintptr_t)caller >= (uintptr_t)__executable_start && (uintptr_t)caller < (uintptr_t)etext;
}

/* Whether to try once more. */
static bool give(void)
{
  int before = errno;
  void *block = atomic_exchange(&reserve, NULL);
  atomic_store(&spent, true);
  if (block) munmap(block, RESERVE);
  errno = before;
  return block != NULL;
}

/* The next function of that name in the order of libraries, the C library's as a rule. A write of the pointer
 * by two threads at once writes the same. */
static void *next_of(_Atomic(void *) *place, const char *name)
{
  void *there = atomic_load_explicit(place, memory_order_relaxed);
  if (there) return there;
  there = dlsym(RTLD_NEXT, name);
  if (!there) _exit(1); /* there is no C library */
  atomic_store_explicit(place, there, memory_order_relaxed);
  return there;
}

/* Call `next`; where it fails for a library that does not ask for more than there can be, once more. */
#define SERVE(name, type, bytes, ...)                                                                        \
  static _Atomic(void *) place;                                                                              \
  const void *caller = __builtin_return_address(0);                                                          \
  if (atomic_load_explicit(&spent, memory_order_relaxed) && own(caller)) {                                   \
    errno = ENOMEM;                                                                                          \
    return NULL;                                                                                             \
  }                                                                                                          \
  type next;                                                                                                 \
  void *address = next_of(&place, name);                                                                     \
  memcpy(&next, &address, sizeof next);                                                                      \
  void *block = next(__VA_ARGS__);                                                                           \
  return block || (bytes) > RESERVE || own(caller) || !give() ? block : next(__VA_ARGS__)

void *malloc(size_t size)
{
  SERVE("malloc", __typeof__(&malloc), size, size);
}

void *calloc(size_t count, size_t size)
{
  SERVE("calloc", __typeof__(&calloc), count > RESERVE ? count : count * (size > RESERVE ? RESERVE : size),
        count, size);
}

void *realloc(void *at, size_t size)
{
  if (at && !size) {
    free(at); /* as the C library does it: no allocation, and none that fails */
    return NULL;
  }
  SERVE("realloc", __typeof__(&realloc), size, at, size);
}

/* Pages and not an allocation: with MALLOC_PERTURB_ the C library would write to all of one. */
static void set_aside(void)
{
  void *block = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  atomic_store(&reserve, block == MAP_FAILED ? NULL : block);
}
#else
static void set_aside(void)
{
} /* the allocator of a sanitizer, or of another C library */
#endif

void cap_reserve_open(void)
{
  set_aside();
  H5dont_atexit(); /* it walks over its own ruins when memory ran out within it */
  atexit(unasked);
}
