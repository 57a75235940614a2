/* Fuzz the readers of what Slurm's commands print. */
#include "study/slurm_words.h"
#include "target.h"

enum { TASKS = 12 };

static void check_tasks(const cap_slurm_task *tasks)
{
  char fate[200];
  for (int k = 0; k < TASKS; k++) {
    if (tasks[k].state > CAP_SLURM_GONE) abort();
    if (!memchr(tasks[k].word, 0, sizeof tasks[k].word) ||
        !memchr(tasks[k].reason, 0, sizeof tasks[k].reason))
      abort();
    if (!cap_slurm_words_over(&tasks[k])) continue;
    cap_slurm_words_fate(&tasks[k], fate, sizeof fate);
    if (!fate[0]) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = target_text(data, size);
  cap_slurm_task tasks[TASKS] = {0};
  cap_slurm_job job;
  if (cap_slurm_words_job(text, &job) && !job.id[0]) abort();
  cap_slurm_words_setting(text, "MaxArraySize");
  cap_slurm_words_queue(text, "/study/script.sh", TASKS, tasks);
  check_tasks(tasks);
  cap_slurm_words_jobs(text, "4711", TASKS, tasks);
  check_tasks(tasks);
  cap_slurm_words_accounts(text, TASKS, tasks);
  check_tasks(tasks);
  cap_slurm_words_queue("", "/study/script.sh", TASKS, tasks);
  check_tasks(tasks);
  if (cap_slurm_words_find(text, "/study/script.sh", &job) && !job.id[0]) abort();
  free(text);
  return 0;
}
