/* One short run of each drive through the program, from the text of an example to a finished result: what the
 * sanitizers see of every drive at each `make test`. A drive without a line here fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/program.h"
#include "drives/registry.h"

/* An example of a drive, and what makes it short. */
static const struct {
  const char *drive, *example, *setting;
} SHORT[] = {
    {"tensioner-rig", "tensioner_rig", NULL},
    {"belt-tensioner-mass", "belt_tensioner_mass", NULL},
    {"clearance-oscillator", "clearance_oscillator", NULL},
    {"clearance-oscillator", "clearance_folds", NULL},
    {"rolling-body", "rolling_sleigh", NULL},
    {"accessory-drive", "accessory_slip", NULL},
    {"accessory-drive", "two_pulley", NULL},
    {"accessory-drive", "accessory_drive_segments", "analyses[0].transient.until=0.22 s"},
    {"ring", "ring_free", NULL},
    {"bodies", "incline", NULL},
    {"bodies", "bouncing_ball", NULL},
    {"push-force-tester", "push_force_tester", NULL},
    {"sheave", "sheave", "analyses[0].transient.until=5 ms"},
    {"ring-tracking", "ring_tracking", NULL},
    {"variator", "variator", "analyses[0].transient.until=2 ms"},
};

static void run_example(const char *example, const char *setting)
{
  char path[300];
  program_result r;
  snprintf(path, sizeof path, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, example);
  if (setting) PROGRAM(&r, "run", path, "-o", "short.h5", "--quiet", "--set", setting);
  else PROGRAM(&r, "run", path, "-o", "short.h5", "--quiet");
  if (r.code != 0) fail_msg("%s ends with %d: %s", example, r.code, r.err);
  assert_true(program_exists("short.h5") && !program_exists("short.h5.part"));
  assert_int_equal(unlink("short.h5"), 0);
}

static void every_drive_runs(void **state)
{
  (void)state;
  for (int d = 0; cap_registry_drives[d]; d++) {
    int runs = 0;
    for (size_t k = 0; k < sizeof SHORT / sizeof *SHORT; k++) {
      if (strcmp(SHORT[k].drive, cap_registry_drives[d]->name) != 0) continue;
      run_example(SHORT[k].example, SHORT[k].setting);
      runs++;
    }
    print_message("  %-21s %d runs\n", cap_registry_drives[d]->name, runs);
    if (!runs) fail_msg("no short run of the drive %s: add one", cap_registry_drives[d]->name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_drive_runs, program_enter, program_leave)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
