/* Twenty seeds find the same branches: the oscillator with clearance, case 2, exact and smoothed, alpha 0 and
 * 0.18. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../support/search.h"

static const cap_search_spec usual = {.load = 30, .states = 32, .values = 30, .periods = 3};

static void agree(const char *name, const test_clearance *c)
{
  test_search first, other;
  double worst = 0.0;
  test_search_run(&first, c, &usual, 1);
  print_message("%s:\n", name);
  test_search_print(&first);
  for (uint64_t seed = 2; seed <= 20; seed++) {
    test_search_run(&other, c, &usual, seed);
    double away = test_search_difference(&first, &other);
    if (!(away < 1e-6)) {
      print_message("seed %d:\n", (int)seed);
      test_search_print(&other);
    }
    worst = fmax(worst, away);
    test_search_close(&other);
  }
  print_message("  20 seeds agree within %.1e\n", worst);
  assert_true(worst < 1e-6);
  test_search_close(&first);
}

static void test_exact(void **state)
{
  (void)state;
  agree("exact", &(test_clearance){0});
}

static void test_smooth(void **state)
{
  (void)state;
  agree("g1 sigma 100", &(test_clearance){.kind = CAPM_SMOOTHING_G1, .sigma = 100.0});
}

static void test_stiff_gap(void **state)
{
  (void)state;
  agree("exact, alpha 0.18", &(test_clearance){.alpha = 0.18});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_smooth),
                                     cmocka_unit_test(test_stiff_gap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
