/* A host program that speaks German gets the result that any other gets: no decimal commas in texts. */
#include "capstan/capstan.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

/* German numbers, made here where the system has none; false where it cannot make them. */
static int speak_german(void)
{
  char command[256];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  if (setlocale(LC_ALL, "de_DE.UTF-8")) return 1;
  if (system(command) > 1) return 0;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void run(const char *name, const char *said)
{
  char path[128];
  capstan_model *model;
  const capstan_options options = {.size = sizeof options, .threads = 2};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(capstan_open("examples/snap_through.yaml", 0, NULL, &model), CAPSTAN_OK);
  assert_int_equal(capstan_run(model, path, &options), CAPSTAN_OK);
  capstan_close(model);
  const char *const settings[] = {"seed=0.5"};
  assert_int_equal(capstan_open("examples/snap_through.yaml", 1, settings, &model), CAPSTAN_BAD_INPUT);
  if (!strstr(capstan_message(model), said)) fail_msg("%s", capstan_message(model));
  capstan_close(model);
}

static void the_language_of_the_host_is_left_and_does_not_matter(void **state)
{
  (void)state;
  char command[256], number[16];
  strcpy(folder, "/tmp/capstan-language-XXXXXX");
  assert_non_null(mkdtemp(folder));
  run("plain.h5", "0.5");
  if (speak_german()) {
    run("german.h5", "0.5");
    snprintf(command, sizeof command, "cmp %s/plain.h5 %s/german.h5", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(number, sizeof number, "%g", 0.5);
    assert_string_equal(number, "0,5"); /* as the host wants it */
  } else {
    print_message("no German here: nothing to compare\n");
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_language_of_the_host_is_left_and_does_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
