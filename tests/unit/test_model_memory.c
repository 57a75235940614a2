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
#include "../support/allocations.h"
#include "../toy/toy_registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static const char *const model =
    "capstan: 1\n"
    "drive: toy\n"
    "belt: {stiffness: 560 kN/m, length: 1940 mm}\n"
    "pulleys: [{name: crank, radius: 80 mm}, {name: idler, radius: 35 mm}]\n"
    "law: {kind: dahl, k: 0.35 N m/deg}\n"
    "load: {angular_frequency: 60 rad/s, ramp: [[0 s, 2000 rpm], [0.5 s, 1000 rpm]]}\n"
    "analyses:\n"
    "  - response: {sweep: {parameter: load.angular_frequency, from: 1 rpm, to: 9 rpm, count: 5}}\n";

static long allocations, failing; /* count; which one fails, 0 = none */

/* Only allocations of the library and of libyaml fail: udunits does not survive its own. */
static bool refuse(void *caller)
{
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname) return false;
  if (!strstr(info.dli_fname, "tests_unit") && !strstr(info.dli_fname, "libyaml")) return false;
  if (++allocations != failing) return false;
  errno = ENOMEM;
  return true;
}

static cap_status read_failing_at(long which, int *nerror)
{
  static const char *const settings[] = {"belt.wet=true"};
  static cap_diag diag;
  cap_model_file *file = NULL;
  allocations = 0;
  failing = which;
  test_refuse = refuse;
  cap_status status = cap_model_parse_text(&toy_registry, "m.yaml", model, strlen(model), 1, settings, &file,
                                           &diag);
  test_refuse = NULL;
  *nerror = diag.nerror;
  cap_model_parse_free(file);
  cap_diag_free(&diag);
  return status;
}

static void every_allocation(void **state)
{
  (void)state;
  int nerror;
  if (!test_refusals_work) skip(); /* the sanitizer has its own allocator */
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
