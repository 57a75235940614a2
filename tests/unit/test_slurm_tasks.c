/* Submissions of a study: how cases become tasks, and that their lists come back as they were written. */
#include "study/slurm_tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_chunk(void **state)
{
  (void)state;
  assert_int_equal(cap_slurm_tasks_chunk(200, 20, 0., 1, 1000), 20);
  assert_int_equal(cap_slurm_tasks_chunk(200, 20, 5., 64, 1000), 20);    /* what is asked for */
  assert_int_equal(cap_slurm_tasks_chunk(100000, 20, 0., 1, 1000), 100); /* more than the array takes */
  assert_int_equal(cap_slurm_tasks_chunk(100, 0, 0., 1, 1000), 1);
  assert_int_equal(cap_slurm_tasks_chunk(1024, 0, 0., 1, 1000), 4);
  assert_int_equal(cap_slurm_tasks_chunk(1024, 0, 0., 16, 1000), 16); /* its cores have something to do */
  assert_int_equal(cap_slurm_tasks_chunk(1024, 0, 7., 1, 1000), 9);   /* a minute */
  assert_int_equal(cap_slurm_tasks_chunk(1024, 0, 7., 4, 1000), 35);
  assert_int_equal(cap_slurm_tasks_chunk(1024, 0, 600., 1, 100),
                   11); /* longer than that, but no more tasks */
  assert_int_equal(cap_slurm_tasks_chunk(50, 0, 0.01, 1, 1000), 50);
  assert_int_equal(cap_slurm_tasks_chunk(0, 0, 0., 1, 1000), 1);
}

enum { NCHAIN = 7, NCASE = 14 };

/* Chains of two cases; case k is order[...]. */
typedef struct fixture {
  cap_study study;
  int64_t chains[NCHAIN + 1], order[NCASE];
  unsigned char states[NCASE];
} fixture;

static void set_up(fixture *f)
{
  *f = (fixture){.study = {.ncase = NCASE, .nchain = NCHAIN, .chains = f->chains, .order = f->order}};
  for (int k = 0; k <= NCHAIN; k++) f->chains[k] = 2 * k;
  for (int k = 0; k < NCASE; k++) f->order[k] = NCASE - 1 - k;
  memset(f->states, CAP_STUDY_MISSING, sizeof f->states);
}

static void test_cut(void **state)
{
  (void)state;
  fixture f;
  cap_slurm_tasks tasks;
  set_up(&f);
  f.states[NCASE - 1 - 0] = CAP_STUDY_FINE;   /* half of chain 0 */
  f.states[NCASE - 1 - 4] = CAP_STUDY_FAILED; /* all of chain 2 */
  f.states[NCASE - 1 - 5] = CAP_STUDY_FINE;
  assert_int_equal(cap_slurm_tasks_cut(&f.study, f.states, 3, &tasks, NULL), CAP_OK);
  const int64_t chains[] = {0, 1, 3, 4, 5, 6}, begin[] = {0, 2, 4, 6};
  assert_int_equal(tasks.ntask, 3);
  assert_memory_equal(tasks.begin, begin, sizeof begin);
  assert_memory_equal(tasks.chains, chains, sizeof chains);
  cap_slurm_tasks_free(&tasks);
  memset(f.states, CAP_STUDY_FINE, sizeof f.states);
  assert_int_equal(cap_slurm_tasks_cut(&f.study, f.states, 3, &tasks, NULL), CAP_OK);
  assert_int_equal(tasks.ntask, 0);
  cap_slurm_tasks_free(&tasks);
}

static void write_file(const char *folder, const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  fputs(text, to);
  fclose(to);
}

static void test_files(void **state)
{
  (void)state;
  fixture f;
  cap_slurm_tasks tasks, back;
  cap_error error = {0};
  char folder[] = "/tmp/capstan tasks XXXXXX", line[512], command[600];
  set_up(&f);
  assert_non_null(mkdtemp(folder));
  assert_null(cap_slurm_tasks_last(folder));
  f.states[NCASE - 1 - 4] = f.states[NCASE - 1 - 5] = CAP_STUDY_FINE;
  assert_int_equal(cap_slurm_tasks_cut(&f.study, f.states, 6, &tasks, &error), CAP_OK);
  assert_int_equal(cap_slurm_tasks_write(&tasks, folder, "/bin/it's \"$HOME\"", &error), CAP_OK);
  char *last = cap_slurm_tasks_last(folder);
  assert_string_equal(last, tasks.folder);
  assert_int_equal(cap_slurm_tasks_read(last, &f.study, &back, &error), CAP_OK);
  assert_string_equal(back.job.id, "");
  assert_int_equal(back.ntask, 2);
  assert_memory_equal(back.begin, tasks.begin, 3 * sizeof *tasks.begin);
  assert_memory_equal(back.chains, tasks.chains, 6 * sizeof *tasks.chains);
  cap_slurm_tasks_free(&back);

  tasks.job = (cap_slurm_job){.id = "12", .cluster = "north"};
  assert_int_equal(cap_slurm_tasks_keep(&tasks, &error), CAP_OK);
  assert_int_equal(cap_slurm_tasks_read(last, &f.study, &back, &error), CAP_OK);
  assert_string_equal(back.job.id, "12");
  assert_string_equal(back.job.cluster, "north");
  cap_slurm_tasks_free(&back);

  /* A shell finds the same words in the script. */
  char *script = cap_slurm_tasks_file(&tasks, "script");
  snprintf(command, sizeof command, "sed 's/^exec /printf %%s\\\\\\\\n /' '%s' | sh", script);
  FILE *said = popen(command, "r");
  assert_non_null(said);
  const char *const words[] = {"/bin/it's \"$HOME\"", "study", "--task", tasks.folder};
  for (int k = 0; k < 4; k++) {
    assert_non_null(fgets(line, sizeof line, said));
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, words[k]);
  }
  pclose(said);
  free(script);

  /* Lists of another study, or damaged ones. */
  const char *const head = "capstan study, chains of each task, 1\n";
  const char *const wrong[] = {"", "1-8\n", "0-2\n", "3-2\n", "1-4\n2-5\n", "1,2\n", "\n", "1-\n", "x\n"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    snprintf(line, sizeof line, "%s%s", head, wrong[k]);
    write_file(last, "list", line);
    assert_int_equal(cap_slurm_tasks_read(last, &f.study, &back, &error), CAP_ERR_INPUT);
  }
  write_file(last, "list", "1-7\n");
  assert_int_equal(cap_slurm_tasks_read(last, &f.study, &back, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "list"));
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(cap_slurm_tasks_read(last, &f.study, &back, &error), CAP_ERR_IO);
  free(last);
  cap_slurm_tasks_free(&tasks);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chunk), cmocka_unit_test(test_cut),
                                     cmocka_unit_test(test_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
