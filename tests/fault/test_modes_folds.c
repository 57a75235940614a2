/* Memory that runs out while nonlinear modes and fold curves are followed: an error, no crash, no leak (with
 * the sanitizers), and no result that pretends to be one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/starve.h"

#define DUFFING                                                                                              \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nforcing: {angular_frequency: 1 rad/s}\n"                \
  "bodies: [{name: a, mass: 1 kg}]\n"                                                                        \
  "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3, damping: 0.1 N s/m}]\n"                            \
  "loads: [{on: a, harmonics: [{amplitude: 0.1 N}]}]\noutputs: {channels: [a.position]}\n"

static void modes_may_run_out(void **state)
{
  (void)state;
  test_starve(DUFFING
              "analyses: [{backbone: {from: 0.1 m, to: 1 m, harmonics: 3, points: 4, stability: true}}]\n",
              250, 7, 150, 0.1);
}

static void fold_curves_may_run_out(void **state)
{
  (void)state;
  test_starve(DUFFING "analyses: [{folds: {harmonics: 1, points: 4, doublings: true, sweep: {parameter: "
                      "forcing.angular_frequency, values: "
                      "[0.8 rad/s, 1.4 rad/s]}, over: {parameter: 'loads[0].harmonics[0].amplitude', values: "
                      "[0.1 N, 0.12 N]}}}]\n",
              250, 997, 150, 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(modes_may_run_out),
                                     cmocka_unit_test(fold_curves_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
