/* What Slurm's commands print, as seen of Slurm 22.05 and as its manual pages describe it. */
#include "study/slurm_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_job(void **state)
{
  (void)state;
  cap_slurm_job job;
  assert_true(cap_slurm_words_job("4711\n", &job));
  assert_string_equal(job.id, "4711");
  assert_string_equal(job.cluster, "");
  assert_true(cap_slurm_words_job("12;north\n", &job));
  assert_string_equal(job.id, "12");
  assert_string_equal(job.cluster, "north");
  const char *const wrong[] = {"",
                               "\n",
                               "x",
                               "12x",
                               "12;",
                               "12;\n",
                               "Submitted batch job 12",
                               "1234567890123456789012345678901234567890"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_false(cap_slurm_words_job(wrong[k], &job));
    assert_string_equal(job.id, "");
  }
}

static void test_setting(void **state)
{
  (void)state;
  const char
      *text = "MailProg = /bin/true\nMaxArraySizeX = 3\nMaxArraySize            = 1001\nMaxDBDMsgs = 2\n";
  assert_int_equal(cap_slurm_words_setting(text, "MaxArraySize"), 1001);
  assert_int_equal(cap_slurm_words_setting(text, "MaxDBDMsgs"), 2);
  assert_int_equal(cap_slurm_words_setting(text, "MailProg"), -1);
  assert_int_equal(cap_slurm_words_setting(text, "Nothing"), -1);
}

static void test_queue(void **state)
{
  (void)state;
  enum { N = 7 };
  cap_slurm_task tasks[N] = {0};
  const char *mine = "/a b/script";
  assert_true(
      cap_slurm_words_queue("2|PENDING|Resources|/a b/script\n1|RUNNING|None|(null)\n0|COMPLETING|None|\n"
                            "4|PENDING|launch failed requeued held|/a b/script\n6|RUNNING|None|/else\n"
                            "5|TIMEOUT|TimeLimit|/a b/script\n9|RUNNING|None|/a b/script",
                            mine, N, tasks));
  assert_int_equal(tasks[0].state, CAP_SLURM_RUNNING);
  assert_int_equal(tasks[1].state, CAP_SLURM_RUNNING);
  assert_int_equal(tasks[2].state, CAP_SLURM_PENDING);
  assert_string_equal(tasks[2].reason, "Resources");
  assert_int_equal(tasks[3].state, CAP_SLURM_GONE);
  assert_string_equal(tasks[4].reason, "launch failed requeued held");
  assert_int_equal(tasks[5].state, CAP_SLURM_ENDED);
  assert_string_equal(tasks[5].word, "TIMEOUT");
  assert_int_equal(tasks[6].state, CAP_SLURM_GONE); /* that number is another job's now */
  /* What ended is remembered when Slurm has forgotten it; what was requeued lives again. */
  assert_true(cap_slurm_words_queue("1|COMPLETED|None|\n3|REQUEUED|BeginTime|\n", mine, N, tasks));
  assert_int_equal(tasks[0].state, CAP_SLURM_GONE);
  assert_int_equal(tasks[1].state, CAP_SLURM_COMPLETED);
  assert_int_equal(tasks[2].state, CAP_SLURM_GONE);
  assert_int_equal(tasks[3].state, CAP_SLURM_PENDING);
  assert_int_equal(tasks[5].state, CAP_SLURM_ENDED);
  assert_false(cap_slurm_words_over(&tasks[3]));
  assert_true(cap_slurm_words_over(&tasks[5]));
  assert_true(cap_slurm_words_queue("", mine, N, tasks));
  for (int k = 0; k < N; k++) assert_true(cap_slurm_words_over(&tasks[k]));
  assert_false(cap_slurm_words_queue("squeue: something else\n", mine, N, tasks));
  assert_false(cap_slurm_words_queue("1|RUNNING|None\n", mine, N, tasks));
}

static void test_jobs(void **state)
{
  (void)state;
  enum { N = 4 };
  cap_slurm_task tasks[N] = {0};
  char fate[96];
  cap_slurm_words_queue("", "", N, tasks);
  cap_slurm_words_jobs(
      "JobId=8 ArrayJobId=7 ArrayTaskId=1 JobName=a b UserId=root(0) JobState=FAILED Reason=JobLaunchFailure "
      "Requeue=1 ExitCode=0:9 RunTime=00:00:59\n"
      "JobId=9 ArrayJobId=7 ArrayTaskId=2 JobName=x JobState=RUNNING Reason=None ExitCode=0:0 RunTime=1\n"
      "JobId=7 ArrayJobId=7 ArrayTaskId=3 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=2:0 "
      "Run=1\n"
      "JobId=2 ArrayJobId=70 ArrayTaskId=0 JobName=x JobState=TIMEOUT Reason=None ExitCode=0:0 RunTime=1\n"
      "JobId=7 ArrayJobId=7 ArrayTaskId=0-3%2 JobName=x JobState=PENDING Reason=None ExitCode=0:0 "
      "RunTime=1\n",
      "7", N, tasks);
  assert_int_equal(tasks[0].state, CAP_SLURM_GONE);
  assert_int_equal(tasks[1].state, CAP_SLURM_ENDED);
  assert_int_equal(tasks[1].signal, 9);
  assert_int_equal(tasks[2].state, CAP_SLURM_GONE);
  assert_int_equal(tasks[3].code, 2);
  cap_slurm_words_fate(&tasks[1], fate, sizeof fate);
  assert_string_equal(fate, "killed by signal 9 (FAILED)");
  cap_slurm_words_fate(&tasks[3], fate, sizeof fate);
  assert_string_equal(fate, "with exit code 2 (FAILED)");
  cap_slurm_words_fate(&tasks[0], fate, sizeof fate);
  assert_string_equal(fate, "gone from the queue, Slurm does not say how");
}

static void test_accounts(void **state)
{
  (void)state;
  enum { N = 4 };
  cap_slurm_task tasks[N] = {0};
  char fate[96];
  cap_slurm_words_queue("", "", N, tasks);
  cap_slurm_words_accounts(
      "7_0|CANCELLED by 1000|0:15\n7_1|OUT_OF_MEMORY|0:125\n7_[2-3]|PENDING|0:0\n7|x|0:0\n", N, tasks);
  cap_slurm_words_fate(&tasks[0], fate, sizeof fate);
  assert_string_equal(fate, "cancelled (CANCELLED)");
  cap_slurm_words_fate(&tasks[1], fate, sizeof fate);
  assert_string_equal(fate, "out of memory (OUT_OF_MEMORY)");
  assert_int_equal(tasks[2].state, CAP_SLURM_GONE);
}

static void test_find(void **state)
{
  (void)state;
  cap_slurm_job job;
  const char *text = "3|/a/b/script\n12|/a b/it's/script\n13|/a b/it's/script2\n14|(null)\n";
  assert_true(cap_slurm_words_find(text, "/a b/it's/script", &job));
  assert_string_equal(job.id, "12");
  assert_false(cap_slurm_words_find(text, "/a/b", &job));
  assert_false(cap_slurm_words_find("", "/a/b", &job));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_job),      cmocka_unit_test(test_setting),
                                     cmocka_unit_test(test_queue),    cmocka_unit_test(test_jobs),
                                     cmocka_unit_test(test_accounts), cmocka_unit_test(test_find)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
