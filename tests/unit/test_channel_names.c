/* unit/test_channel_names.c — channels of format version 1 under their present names: alone, behind what
 * analyses put before them (means, spectra, frames) and before what they put behind (statistics, orders,
 * harmonics). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/channel_names.h"

static void expect(const char *const (*pairs)[2])
{
  cap_arena arena = {0};
  for (; (*pairs)[0]; pairs++)
    assert_string_equal(cap_channel_names_present((*pairs)[0], NULL, &arena), (*pairs)[1]);
  cap_arena_free(&arena);
}

static void names_alone(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {
      {"span.crank.effective", "span.crank.effective_tension"},
      {"pulley.ac.use", "pulley.ac.friction_use"},
      {"primary.closing", "primary.axial_travel"},
      {"ring.1.tension", "ring[1].tension"},
      {"span.crank.tension", "span.crank.tension"},
      {0},
  };
  expect(pairs);
}

static void names_behind_and_before(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {
      {"mean.primary.closing", "mean.primary.axial_travel"},
      {"error.primary.closing", "error.primary.axial_travel"},
      {"mean.ring.1.tension", "mean.ring[1].tension"},
      {"spectrum.span.crank.motion", "spectrum.span.crank.midspan"},
      {"span.crank.effective.max", "span.crank.effective_tension.max"},
      {"span.crank.effective.order.2.amplitude", "span.crank.effective_tension.order.2.amplitude"},
      {"pulley.ac.use.h3", "pulley.ac.friction_use.h3"},
      {"pulley.ac.use.range", "pulley.ac.friction_use.range"},
      {"film.element.*.touching", "film.element.*.touching"}, /* no drive has renamed it */
      {"span.crank.tension.order.2.phase", "span.crank.tension.order.2.phase"},
      {"gear.position.rms_ac", "gear.position.rms_ac"},
      {"mean.ratio.thrust", "mean.ratio.thrust"},
      {"crossing.order", "crossing.order"},
      {0},
  };
  expect(pairs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_alone),
      cmocka_unit_test(names_behind_and_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
