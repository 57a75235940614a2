/* The program's atlas command on real runs, and every quick claim of the project's own atlas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RIG CAPSTAN_SOURCE_DIR "/tests/data/atlas_rig"

static char said[1 << 20]; /* standard output of the last command */
static char folder[64];

static int run(const char *arguments)
{
  char command[4096];
  snprintf(command, sizeof command, "'%s' atlas %s 2>'%s/stderr'", CAPSTAN_PROGRAM, arguments, folder);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
  while (fgetc(pipe) != EOF) continue;
  int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/capstan-atlas-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static void assert_said(const char *word)
{
  if (!strstr(said, word)) fail_msg("\"%s\" is not in:\n%s", word, said);
}

static void test_run_and_json(void **state)
{
  (void)state;
  assert_int_equal(run("list --from " RIG), 0);
  assert_said("rig                        5 quick,  1 long   The rig's loop");
  assert_int_equal(run("run rig --quick --from " RIG), 0);
  assert_said("4 of 5 claims of 1 entries hold");
  assert_said("known not  lossless");
  assert_int_equal(run("run rig --quick --json --from " RIG), 0);
  assert_int_equal(said[0], '{');
  assert_said("\"id\": \"rig\"");
  assert_said("{\"id\": \"balance\", \"text\": \"The balance closes.\", \"value\": ");
  assert_said("\"expected\": \"< 0.001\", \"holds\": false, \"note\": \"Friction takes it.\"}");
  assert_said("{\"name\": \"force over deflection\", \"x\": {\"name\": ");
  assert_said("\"unit\": \"mm\", \"values\": [");
  assert_said("\"wall_s\": ");
  assert_int_equal(run("run --all --quick --json --from " RIG), 0);
  assert_int_equal(said[0], '[');
}

static void test_exit_codes(void **state)
{
  (void)state;
  char arguments[2048];
  /* the long claim has a formula that means nothing */
  assert_int_equal(run("run rig --from " RIG), 2);
  assert_said("NO VALUE   slow");
  assert_int_equal(run("run rgi --from " RIG), 2);
  assert_int_equal(run("run --from " RIG), 2);
  assert_int_equal(run("walk rig --from " RIG), 2);
  assert_int_equal(run("list --from /no/such/folder"), 2);

  /* a claim that changes its state, either way */
  snprintf(arguments, sizeof arguments,
           "mkdir -p '%s/a/up' '%s/a/down' && cp " RIG "/rig/entry.yaml '%s/a/up' && cp " RIG
           "/rig/entry.yaml '%s/a/down' && sed -i 's|\\.\\./\\.\\./\\.\\./\\.\\.|" CAPSTAN_SOURCE_DIR
           "|' '%s'/a/*/entry.yaml",
           folder, folder, folder, folder, folder);
  assert_int_equal(system(arguments), 0);
  snprintf(arguments, sizeof arguments, "sed -i 's/0.4 +- 0.1%%/0.5 +- 0.1%%/' '%s/a/down/entry.yaml'",
           folder);
  assert_int_equal(system(arguments), 0);
  snprintf(arguments, sizeof arguments, "sed -i 's/\"< 0.001\"/\"< 100\"/' '%s/a/up/entry.yaml'", folder);
  assert_int_equal(system(arguments), 0);
  snprintf(arguments, sizeof arguments, "run down --quick --from '%s/a'", folder);
  assert_int_equal(run(arguments), 3);
  assert_said("FAILS      half-range");
  snprintf(arguments, sizeof arguments, "run up --quick --from '%s/a'", folder);
  assert_int_equal(run(arguments), 3);
  assert_said("NOW HOLDS  lossless");
}

static void test_pages(void **state)
{
  (void)state;
  char arguments[256], path[128];
  snprintf(arguments, sizeof arguments, "run --all --quick -o '%s/pages' --from " RIG, folder);
  assert_int_equal(run(arguments), 0);
  snprintf(path, sizeof path, "%s/pages/index.html", folder);
  assert_int_equal(access(path, R_OK), 0);
  snprintf(path, sizeof path, "%s/pages/rig.json", folder);
  assert_int_equal(access(path, R_OK), 0);
}

/* All claims are tried without sanitizers; with them, which make it eight times slower, one entry of each
 * kind. */
#ifdef __SANITIZE_ADDRESS__
#define CLAIMS                                                                                               \
  "bastien-fig9 deppler-example1 kim-fig2 lin-stiffness grundl-fig2-4 grundl-fig2-9 grundl-fig2-10 "         \
  "grundl-fig2-15 grundl-fig2-17"
#else
#define CLAIMS "--all"
#endif

/* `make test` fails here when a quick claim that held stops holding (or one that did not now does). */
static void test_quick_claims_are_as_known(void **state)
{
  (void)state;
  if (access(CAPSTAN_SOURCE_DIR "/atlas", F_OK) != 0) skip();
  int code = run("run " CLAIMS " --quick --quiet --from " CAPSTAN_SOURCE_DIR "/atlas");
  fputs(said, stdout); /* all of it; cmocka's messages end after a kilobyte */
  assert_int_equal(code, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_run_and_json, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_exit_codes, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_pages, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_quick_claims_are_as_known, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
