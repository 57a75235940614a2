/* One short run of each stepper through the program: what the sanitizers see of every stepper at each `make
 * test`. A stepper that takes none of the systems of support/systems.h fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/program.h"

#include "../support/system.h"

#include "../support/systems.h"

static bool takes(const cap_stepper_type *type, const char *text)
{
  test_system s = test_system_open(text);
  bool can = !cap_stepper_obstacle(type, s.m);
  test_system_close(&s);
  return can;
}

/* The system with one transient by this method in place of its analyses. */
static void write_model(const test_systems_entry *system, const cap_stepper_type *type)
{
  char text[4096];
  const char *analyses = strstr(system->text, "analyses:");
  assert_non_null(analyses);
  snprintf(text, sizeof text, "%.*sanalyses: [{transient: {until: %g s, method: %s%s}}]\n",
           (int)(analyses - system->text), system->text, 3.0 * system->between, type->name,
           type->fixed ? ", step: 4 us" : "");
  program_write("model.yaml", text);
}

static void every_stepper_runs(void **state)
{
  (void)state;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    int runs = 0;
    for (int i = 0; i < TEST_SYSTEMS; i++) {
      const test_systems_entry *system = &test_systems_list[i];
      if (!takes(type, system->text)) continue;
      program_result r;
      write_model(system, type);
      PROGRAM(&r, "run", "model.yaml", "-o", "short.h5", "--quiet");
      if (r.code != 0) fail_msg("%s, %s ends with %d: %s", type->name, system->name, r.code, r.err);
      assert_int_equal(unlink("short.h5"), 0);
      runs++;
    }
    print_message("  %-13s %d systems\n", type->name, runs);
    if (!runs) fail_msg("%s takes none of the systems of support/systems.h: add one", type->name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_stepper_runs, program_enter, program_leave)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
