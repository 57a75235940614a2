/* Memory that runs out while a stack is built and pressed: an error, no crash, no leak (with the sanitizers),
 * and no result that pretends to be one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/starve.h"

static void memory_may_run_out(void **state)
{
  (void)state;
  test_starve(
      "capstan: 1\nname: t\ndrive: push-force-tester\nelements: {simulated: 6}\n"
      "press: {compression: 5e-4}\n"
      "analyses: [{quasistatic: {until: 1 s, steps: 3, compare: true}}]\noutputs: {balance: ignore}\n",
      300, 7, 60, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
