/* Slurm's commands as they are called and understood, with stand-ins for them in the PATH. The real ones are
 * in tests/slurm. */
#include "study/slurm.h"
#include "study/slurm_command.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/capstan-slurm-XXXXXX";

static void stand_in(const char *name, const char *script)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  fprintf(to, "#!/bin/sh\n%s\n", script);
  fclose(to);
  assert_int_equal(chmod(path, 0755), 0);
}

static int set_up(void **state)
{
  (void)state;
  char path[4096];
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
  return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

static void test_command(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_slurm_command said;
  cap_error error = {0};
  const char *const odd[] = {"printf", "%s\\n", "a b", "it's \"$HOME\" `x` *", "", NULL};
  assert_int_equal(cap_slurm_command_run(odd, NULL, &arena, &said, &error), CAP_OK);
  assert_string_equal(said.output, "a b\nit's \"$HOME\" `x` *\n\n");
  assert_int_equal(said.code, 0);
  const char *const both[] = {"sh", "-c", "echo out; echo err >&2; exit 7", NULL};
  assert_int_equal(cap_slurm_command_run(both, NULL, &arena, &said, &error), CAP_OK);
  assert_string_equal(said.output, "out\n");
  assert_string_equal(said.errors, "err\n");
  assert_int_equal(said.code, 7);
  const char *const much[] = {"sh", "-c", "yes 0123456789 | head -n 100000; kill -9 $$", NULL};
  assert_int_equal(cap_slurm_command_run(much, NULL, &arena, &said, &error), CAP_OK);
  assert_int_equal(strlen(said.output), 1100000);
  assert_int_equal(said.code, 128 + 9);
  const struct sigaction ignored = {.sa_handler = SIG_IGN}; /* as by the daemon that started the program */
  struct sigaction before;
  sigaction(SIGCHLD, &ignored, &before);
  assert_int_equal(cap_slurm_command_run(both, NULL, &arena, &said, &error), CAP_OK);
  assert_int_equal(said.code, 7);
  sigaction(SIGCHLD, &before, NULL);
  const char *const none[] = {"no-such-program-of-slurm", NULL};
  assert_int_equal(cap_slurm_command_run(none, NULL, &arena, &said, &error), CAP_ERR_UNSUPPORTED);
  volatile sig_atomic_t stop = 1;
  const char *const long_one[] = {"sleep", "100", NULL};
  assert_int_equal(cap_slurm_command_run(long_one, &stop, &arena, &said, &error), CAP_STOPPED);
  cap_arena_free(&arena);
}

static void test_submit(void **state)
{
  (void)state;
  cap_slurm_job job;
  cap_error error = {0};
  char path[256], text[1024] = "";
  const char *const options[] = {"--partition=a b", "-t60"};
  cap_slurm_order order = {.script = "/x y/script",
                           .folder = "/x y/100%",
                           .name = "it's",
                           .ntask = 12,
                           .at_once = 3,
                           .noption = 2,
                           .options = options};
  snprintf(path, sizeof path, "%s/arguments", folder);
  setenv("ARGUMENTS", path, 1);
  stand_in("sbatch", "printf '%s\\n' \"$@\" >\"$ARGUMENTS\"; echo 77");
  assert_int_equal(cap_slurm_submit(&order, &job, &error), CAP_OK);
  assert_string_equal(job.id, "77");
  FILE *from = fopen(path, "r");
  assert_non_null(from);
  assert_true(fread(text, 1, sizeof text - 1, from) > 0);
  fclose(from);
  assert_string_equal(text,
                      "--job-name=it's\n--requeue\n--open-mode=append\n--partition=a b\n-t60\n--parsable\n"
                      "--array=0-11%3\n--chdir=/x y/100%\n--output=%a.log\n/x y/script\n");

  stand_in("sbatch",
           "echo 'sbatch: error: invalid partition specified: a b' >&2\n"
           "echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2\nexit 1");
  assert_int_equal(cap_slurm_submit(&order, &job, &error), CAP_ERR_INPUT);
  assert_string_equal(
      error.text, "sbatch refuses (code 1): Batch job submission failed: Invalid partition name specified");
  stand_in("sbatch",
           "echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
           "failure)' >&2\nexit 1");
  assert_int_equal(cap_slurm_submit(&order, &job, &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, "does not answer"));
  stand_in("sbatch", "echo 'sbatch: fatal: Could not establish a configuration source' >&2; exit 1");
  assert_int_equal(cap_slurm_submit(&order, &job, &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, "sbatch says: Could not establish"));
  stand_in("sbatch", "echo hello");
  assert_int_equal(cap_slurm_submit(&order, &job, &error), CAP_ERR_IO);
}

static void test_refusal(void **state)
{
  (void)state;
  const char *const bad[] = {"main", "--array=1-3", "--wrap", "-a1", "--", "-", "", "--output=x", "-W"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_non_null(cap_slurm_refusal(bad[k]));
  const char *const good[] = {"--partition=a b", "-pmain", "--waitx", "--time=1:00:00", "-A", "--account=x"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) assert_null(cap_slurm_refusal(good[k]));
}

static void test_cpus(void **state)
{
  (void)state;
  const char *const options[] = {"--partition=main", "--cpus-per-task=8", "-c16", "-cx"};
  assert_int_equal(cap_slurm_cpus(1, options), 1);
  assert_int_equal(cap_slurm_cpus(2, options), 8);
  assert_int_equal(cap_slurm_cpus(4, options), 16);
}

static void test_limit(void **state)
{
  (void)state;
  int n = 0;
  cap_error error = {0};
  stand_in("sbatch", "echo slurm-wlm 22.05.8");
  stand_in("scontrol", "echo 'MaxArraySize            = 1001'");
  assert_int_equal(cap_slurm_limit(&n, &error), CAP_OK);
  assert_int_equal(n, 1001);
  stand_in("scontrol", "echo 'MaxArraySize            = 0'");
  assert_int_equal(cap_slurm_limit(&n, &error), CAP_ERR_UNSUPPORTED);
  stand_in("scontrol", "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1");
  assert_int_equal(cap_slurm_limit(&n, &error), CAP_ERR_IO);
  /* No Slurm at all. */
  char *path = strdup(getenv("PATH"));
  setenv("PATH", "/nowhere", 1);
  assert_int_equal(cap_slurm_limit(&n, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "sbatch was not found"));
  setenv("PATH", path, 1);
  free(path);
}

static void test_look(void **state)
{
  (void)state;
  enum { N = 3 };
  cap_slurm_task tasks[N] = {0};
  cap_slurm_job job = {.id = "5"};
  cap_error error = {0};
  stand_in("squeue",
           "printf '0|RUNNING|None|/b c\\n1|PENDING|Priority|(null)\\n2|FAILED|NonZeroExitCode|/b c\\n'");
  assert_int_equal(cap_slurm_look(&job, "/b c", N, tasks, NULL, &error), CAP_OK);
  assert_int_equal(tasks[1].state, CAP_SLURM_PENDING);
  /* A controller that does not answer changes nothing. */
  stand_in("squeue",
           "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
  assert_int_equal(cap_slurm_look(&job, "/b c", N, tasks, NULL, &error), CAP_ERR_IO);
  assert_int_equal(tasks[0].state, CAP_SLURM_RUNNING);
  stand_in("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  assert_int_equal(cap_slurm_look(&job, "/b c", N, tasks, NULL, &error), CAP_OK);
  assert_int_equal(tasks[0].state, CAP_SLURM_GONE);
  assert_int_equal(tasks[2].state, CAP_SLURM_ENDED);
  stand_in("scontrol", "exit 1");
  stand_in("sacct", "printf '5_0|COMPLETED|0:0\\n5_1|TIMEOUT|0:15\\n5_2|FAILED|2:0\\n'");
  cap_slurm_ask(&job, N, tasks, NULL);
  assert_int_equal(tasks[0].state, CAP_SLURM_COMPLETED);
  assert_string_equal(tasks[1].word, "TIMEOUT");
  assert_int_equal(tasks[2].code, 2);
  stand_in("squeue", "printf '4|/a\\n5|/b c\\n'");
  assert_int_equal(cap_slurm_find("/b c", &job, &error), CAP_OK);
  assert_string_equal(job.id, "5");
  assert_int_equal(cap_slurm_find("/none", &job, &error), CAP_OK);
  assert_string_equal(job.id, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_command), cmocka_unit_test(test_submit),
                                     cmocka_unit_test(test_refusal), cmocka_unit_test(test_cpus),
                                     cmocka_unit_test(test_limit),   cmocka_unit_test(test_look)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
