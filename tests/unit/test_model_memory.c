/* io/model_parse when memory runs out: every allocation fails once (udunits aside); nothing crashes, and the
 * failure is told.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../toy/toy_registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#if !defined(OWN_ALLOCATOR) && defined(__GLIBC__)
#define OWN_ALLOCATOR 1
#endif

static const char
    *const model = "capstan: 1\n"
                   "drive: toy\n"
                   "belt: {stiffness: 560 kN/m, length: 1940 mm}\n"
                   "pulleys: [{name: crank, radius: 80 mm}, {name: idler, radius: 35 mm}]\n"
                   "law: {kind: dahl, k: 0.35 N m/deg}\n"
                   "load: {pulsation: 60 rad/s, ramp: [[0 s, 2000 rpm], [0.5 s, 1000 rpm]]}\n"
                   "analyses:\n"
                   "  - response: {sweep: {parameter: load.pulsation, from: 1 rpm, to: 9 rpm, count: 5}}\n";

#if OWN_ALLOCATOR
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static long allocations, failing; /* count; which one fails, 0 = none */
static bool counting;

/* Only allocations of the library and of libyaml fail: udunits does not survive its own. */
static bool refuse(void *caller)
{
  Dl_info info;
  if (!failing && !counting) return false;
  if (!dladdr(caller, &info) || !info.dli_fname) return false;
  if (!strstr(info.dli_fname, "test_model_memory") && !strstr(info.dli_fname, "libyaml")) return false;
  if (++allocations != failing) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
  return refuse(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

static cap_status read_failing_at(long which, int *nerror)
{
  static const char *const settings[] = {"belt.wet=true"};
  static cap_diag diag;
  cap_model_file *file = NULL;
  allocations = 0;
  failing = which;
  counting = true;
  cap_status status = cap_model_parse_text(&toy_registry, "m.yaml", model, strlen(model), 1, settings, &file,
                                           &diag);
  failing = 0;
  counting = false;
  *nerror = diag.nerror;
  cap_model_parse_free(file);
  cap_diag_free(&diag);
  return status;
}

static void every_allocation(void **state)
{
  (void)state;
  int nerror;
  assert_int_equal(read_failing_at(0, &nerror), CAP_OK);
  long total = allocations;
  assert_true(total > 10);
  for (long k = 1; k <= total; k++) {
    cap_status status = read_failing_at(k, &nerror);
    if (status == CAP_OK ? nerror != 0 : nerror == 0) fail_msg("allocation %ld: status %d", k, status);
  }
  assert_int_equal(read_failing_at(0, &nerror), CAP_OK);
  print_message("%ld allocations failed in turn\n", total);
}
#else
static void every_allocation(void **state)
{
  (void)state;
  (void)model;
  (void)toy_registry;
  skip(); /* the sanitizer has its own allocator */
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
