/* A pulley whose allocations fail one after the other, by functions and by all forces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

#define PULLEY                                                                                               \
  "capstan: 1\nname: t\ndrive: sheave\n"                                                                     \
  "pulley: {speed: 2000 rpm}\n"                                                                              \
  "belt: {elements: 12, wrap: 180 deg, radius: {shape: spiral, entry: 55 mm, exit: 54.9 mm}}\n"              \
  "compliance: {kind: tilt+plate}\nclamping: {force: 10 kN}\nsolver: %s\n"                                   \
  "analyses: [{transient: {until: 0.1 ms, step: 20 us}}]\n"                                                  \
  "outputs: {every: 0.05 ms, balance: ignore, channels: [\"sheave.*\", \"flank.*\"]}\n"

static void starve(const char *solver)
{
  char text[1000];
  snprintf(text, sizeof text, PULLEY, solver);
  test_starve(text, 400, 37, 40, 0.05);
}

static void by_functions(void **state)
{
  (void)state;
  starve("newton");
}

static void by_all_forces(void **state)
{
  (void)state;
  starve("lemke");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_functions), cmocka_unit_test(by_all_forces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
