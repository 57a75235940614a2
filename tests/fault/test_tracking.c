/* A tracking field whose allocations fail one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

static void every_allocation_of_a_run_may_fail(void **state)
{
  (void)state;
  test_starve("capstan: 1\nname: t\ndrive: ring-tracking\n"
              "ring: {thickness: 0.185 mm, width: 9.75 mm, radius: 250 mm}\nsaddle: {crown: 250 mm}\n"
              "analyses: [{tracking: {forces: [0 N, 1 kN], positions: [1 mm], intervals: 10,\n"
              "  profiles: [{force: 1 kN, position: 1 mm}]}}]\n",
              200, 7, 50, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_run_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
