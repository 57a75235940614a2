/* Memory that runs out while contacts are compared with ideal rolling: an error, no crash, no leak (with the
 * sanitizers), and no result that pretends to be one. */
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
      "capstan: 1\nname: t\ndrive: rolling-body\n"
      "bodies: [{sleigh: {mass: 2 kg, inertia: 0.3 kg m2, arm: 0.25 m, speed: 1 m/s, turn: 0.5 rad/s}}]\n"
      "analyses: [{convergence: {until: 2 s, tolerance: 1e-5, samples: 2, epsilons: {parameter: "
      "contact.epsilon, values: [0.01, 0.005]}, damping_ratios: {parameter: contact.damping_ratio, "
      "values: [0.5]}}}]\n",
      300, 7, 150, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
