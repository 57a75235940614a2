/* Out of memory while contacts are built, solved, corrected and their statistics written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/starve.h"

#define BALLS                                                                                                \
  "capstan: 1\nname: t\ndrive: bodies\nbodies:\n"                                                            \
  "  - disc: {name: a, mass: 1 kg, radius: 0.1 m, y: 0.1001 m}\n"                                            \
  "  - disc: {name: b, mass: 1 kg, radius: 0.1 m, x: 0.01 m, y: 0.3003 m}\n"                                 \
  "lines:\n  - line: {name: floor}\n"                                                                        \
  "contact: {law: set-valued, restitution: 0.5, friction: 0.3}\n"

static void newton(void **state)
{
  (void)state;
  test_starve(BALLS "analyses:\n  - transient: {until: 0.05 s, step: 1 ms}\n", 600, 7, 100, 0.2);
}

static void others(void **state)
{
  (void)state;
  test_starve(BALLS "analyses:\n  - transient: {until: 0.05 s, step: 1 ms, solver: gauss_seidel}\n"
                    "  - transient: {until: 0.1 s, step: 1 ms, solver: fixed_point}\n",
              60, 23, 50, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(newton), cmocka_unit_test(others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
