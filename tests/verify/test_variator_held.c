/* Set-valued contacts of the drive `variator` (table 3.2 of the variator document): what sticks does not move,
 * what slides is at its limit, energy is kept, a restart repeats its bits, and what is not there is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/system.h"
#include "contact/groove.h"
#include "contact/ring_guide.h"
#include "contact/variator.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNTIL 0.0005
#else
#define UNTIL 0.006
#endif

#define POWER (48.0 * 2000.0 * M_PI / 30.0)
#define NSSA  "guide: {sticking: set-valued}\n"
#define NSRI  "guide: {sticking: set-valued, normal: set-valued}\n"
#define NSFL  "flank: {sticking: set-valued}\n"
#define NSFRI NSSA NSFL
#define NSALL NSRI NSFL

static test_system open_belt(const char *more)
{
  static char text[2000];
  snprintf(text, sizeof text,
           "capstan: 1\nname: t\ndrive: variator\nratio: 1.0\nelements: {simulated: 110}\n%s"
           "primary: {speed: 2000 rpm}\nsecondary: {torque: -48 N m, clamping: 6446 N}\n"
           "analyses: [{transient: {until: 1 s}}]\n",
           more);
  return test_system_open(text);
}

static const char *const rows[] = {NSSA, NSRI, NSFL, NSFRI, NSALL};
enum { NROW = sizeof rows / sizeof *rows };

/* Over the power that goes through; and every step finds its forces. */
static void energy_is_kept(void **state)
{
  (void)state;
  for (int k = 0; k < NROW; k++) {
    test_system s = open_belt(rows[k]);
    double scale = 0.0;
    test_run(&s, &cap_multirate_type, 0.0, UNTIL);
    cap_balance_line *lines = calloc((size_t)s.m->nmech + 3, sizeof *lines);
    assert_non_null(lines);
    int n = cap_data_balance(s.m, s.d, 0, lines, &scale);
    assert_true(fabs(lines[n - 1].energy) < 1e-3 * POWER * UNTIL);
    assert_true(s.d->impacts[CAP_IMPACTS_STEPS] == s.d->steps[CAP_STEPS_STEPS]);
    assert_true(s.d->impacts[CAP_IMPACTS_MISSED] == 0);
    free(lines);
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
