/* A warm step allocates nothing: every stepper of the list, on all systems that it takes, with the derivative
 * of its flow and without; one that is added without a system that it takes fails here. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/allocations.h"
#include "../support/sanitized.h"
#include "../support/system.h"

#include "../support/systems.h"

enum { WARM = 30, ADVANCES = 6, NO_TANGENT = -1 };

/* Allocations of warm advances; NO_TANGENT: the stepper gives none of this system. */
static long count_of(const test_systems_entry *system, const cap_stepper_type *type, bool tangent)
{
  test_system s = test_system_open(system->text);
  bool staggered = type == &cap_leapfrog_type || type == &cap_multirate_type;
  cap_stepper stepper = test_stepper(&s, type, staggered ? 4e-6 : 2e-5, 1e-8, true);
  size_t n = (size_t)s.m->nstate;
  double *matrix = calloc(n * n, sizeof *matrix), *directions = tangent ? matrix : NULL;
  assert_non_null(matrix);
  for (size_t i = 0; i < n; i++) matrix[i * (n + 1)] = 1.0;
  double t = system->between;
  cap_status status = cap_stepper_advance(&stepper, s.m, s.d, &t, directions, NULL);
  assert_true(status == CAP_OK || tangent);
  long count = NO_TANGENT;
  if (status == CAP_OK) {
    for (int k = 2; k <= WARM; k++) test_advance(&s, &stepper, k * system->between, directions);
    long before = test_allocations;
    for (int k = 1; k <= ADVANCES; k++) test_advance(&s, &stepper, (WARM + k) * system->between, directions);
    count = test_allocations - before;
  }
  free(matrix);
  cap_stepper_free(&stepper);
  test_system_close(&s);
  return count;
}

static bool takes(const cap_stepper_type *type, const test_systems_entry *system)
{
  test_system s = test_system_open(system->text);
  bool can = !cap_stepper_obstacle(type, s.m);
  test_system_close(&s);
  return can;
}

static void *volatile keep; /* so that no compiler leaves an allocation out */

static void the_counter_counts(void **state)
{
  (void)state;
  test_count_allocations();
  long before = test_allocations;
  keep = malloc(10);
  free(keep);
  assert_true(test_allocations == before + 1);
}

/* The one exception: a belt in a sheave works in cap_eval.hints, which the staggered steppers alone bring;
 * for the others it takes memory of its own at each evaluation. */
static bool allocates(const cap_stepper_type *type, const test_systems_entry *system)
{
  return strcmp(system->name, "sheave") == 0 && type != &cap_leapfrog_type && type != &cap_multirate_type;
}

static void a_warm_step_allocates_nothing(void **state)
{
  (void)state;
  test_count_allocations();
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    int checked = 0, tangents = 0, taken = 0;
    for (int i = 0; i < TEST_SYSTEMS; i++) {
      const test_systems_entry *system = &test_systems_list[i];
      if (!takes(type, system) || (taken++ % test_stride()) != 0) continue;
      for (int tangent = 0; tangent <= type->tangents; tangent++) {
        long count = count_of(system, type, tangent);
        if (count == NO_TANGENT) continue;
        checked++, tangents += tangent;
        if ((count > 0) != allocates(type, system))
          fail_msg("%s, %s%s: %ld allocations in warm steps", type->name, system->name,
                   tangent ? ", with tangent" : "", count);
      }
    }
    print_message("  %-13s %d cases, %d with tangent\n", type->name, checked, tangents);
    if (!checked) fail_msg("%s takes none of the systems of support/systems.h: add one", type->name);
    assert_true(!type->tangents || tangents > 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_counter_counts),
                                     cmocka_unit_test(a_warm_step_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
