/* study/slurm.c — see slurm.h. */
#include "study/slurm.h"
#include "study/slurm_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last line that has something to say, without "sbatch: error: ". */
static void last_words(const char *errors, char *text, size_t size)
{
  const char *best = NULL, *line = errors;
  size_t length = 0;
  while (*line) {
    size_t n = strcspn(line, "\n");
    if (strspn(line, " \t") < n) {
      best = line;
      length = n;
    }
    line += n + (line[n] == '\n');
  }
  static const char *const marks[] = {"error: ", "fatal: "};
  for (size_t k = 0; best && k < sizeof marks / sizeof *marks; k++) {
    const char *word = memmem(best, length, marks[k], strlen(marks[k]));
    if (!word) continue;
    word += strlen(marks[k]);
    length -= (size_t)(word - best);
    best = word;
  }
  snprintf(text, size, "%.*s", best ? (int)(length < 600 ? length : 600) : 16,
           best ? best : "(it said nothing)");
}

static bool has_any(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strcasestr(text, *words)) return true;
  return false;
}

/* The commands say the same in several ways when no controller answers or no cluster is configured. */
static bool out_of_reach(const cap_slurm_command *said)
{
  static const char *const words[] = {"unable to contact",
                                      "unable to establish",
                                      "connection refused",
                                      "could not establish",
                                      "timed out",
                                      "not responding",
                                      "configuration source",
                                      "configuration file",
                                      "clustername needs",
                                      "zero bytes were",
                                      "no route to host",
                                      "backup controller",
                                      "authentication",
                                      "munge",
                                      NULL};
  return has_any(said->errors, words);
}

/* Run, and turn what went wrong into a sentence. */
static cap_status run(const char *const *argv, const volatile sig_atomic_t *stop, cap_arena *arena,
                      cap_slurm_command *said, cap_error *error)
{
  char words[640];
  cap_status status = cap_slurm_command_run(argv, stop, arena, said, error);
  if (status == CAP_ERR_UNSUPPORTED)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "Slurm's %s was not found; expected it in the PATH, as on a login node of the cluster", argv[0]);
  if (status != CAP_OK || said->code == 0) return status;
  last_words(said->errors, words, sizeof words);
  if (out_of_reach(said))
    return cap_status_fail(error, CAP_ERR_IO, "the Slurm cluster does not answer; %s says: %s", argv[0],
                           words);
  return cap_status_fail(error, CAP_ERR_INPUT, "%s refuses (code %d): %s", argv[0], said->code, words);
}

static bool starts(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Whether an option means one of `names`: sbatch takes what is long enough to be one of them only. */
static bool means(const char *option, const char *const *names)
{
  size_t n = strcspn(option, "=");
  for (; *names; names++)
    if (n > 2 && strncmp(option, *names, n) == 0) return true;
  return false;
}

/* Whether one of several letters in one, "-Ha1", is of `taken`; behind a letter with a value stands that. */
static bool has_letter(const char *option, const char *taken)
{
  static const char alone[] = "hHIkOQsuvVW";
  if (option[1] == '-') return false;
  for (option++; *option; option++) {
    if (strchr(taken, *option)) return true;
    if (!strchr(alone, *option)) return false;
  }
  return false;
}

/* Programs of the cluster could be told to load something else than what this study was tested with. */
static bool assigns(const char *option)
{
  static const char *const environment[] = {"--export", NULL}, *const file[] = {"--export-file", NULL};
  if (!means(option, file)) return false;
  const char *value = strchr(option, '=');
  return !means(option, environment) || (value && strchr(value + 1, '='));
}

const char *cap_slurm_refusal(const char *option)
{
  static const char *const ours[] = {"--array",  "--wrap",  "--parsable", "--wait",
                                     "--output", "--error", "--chdir",    "--test-only",
                                     "--help",   "--usage", "--version",  NULL};
  if (option[0] != '-' || !option[1] || strcmp(option, "--") == 0)
    return "expected an option of sbatch in one piece, such as \"--partition=main\"";
  if (means(option, ours) || has_letter(option, "aWoeDhV"))
    return "cannot be set: the study makes the job array and its logs itself";
  if (assigns(option))
    return "cannot set variables; expected ALL, NONE or names; set variables where capstan study is started";
  return NULL;
}

int cap_slurm_cpus(int noption, const char *const *options)
{
  static const char *const names[] = {"--cpus-per-task=", "-c", NULL};
  int cpus = 1;
  for (int k = 0; k < noption; k++)
    for (const char *const *name = names; *name; name++) {
      if (!starts(options[k], *name)) continue;
      long value = strtol(options[k] + strlen(*name), NULL, 10);
      if (value >= 1 && value <= 4096) cpus = (int)value;
    }
  return cpus;
}

cap_status cap_slurm_limit(int *ntask, cap_error *error)
{
  cap_arena arena = {0};
  cap_slurm_command said;
  const char *const argv[] = {"scontrol", "show", "config", NULL};
  const char *const sbatch[] = {"sbatch", "--version", NULL};
  *ntask = 0;
  cap_status status = run(sbatch, NULL, &arena, &said, error);
  if (status == CAP_OK) status = run(argv, NULL, &arena, &said, error);
  long size = status == CAP_OK ? cap_slurm_words_setting(said.output, "MaxArraySize") : 0;
  cap_arena_free(&arena);
  if (status != CAP_OK) return status;
  /* The largest index is one less; so the number of tasks from 0 on is the size itself. */
  if (size < 1)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "this Slurm takes no job arrays; expected MaxArraySize above 1, got %ld", size);
  *ntask = size > 1000000 ? 1000000 : (int)size;
  return CAP_OK;
}

/* sbatch's arguments: ours last, so that they hold. */
static const char **arguments(const cap_slurm_order *order, cap_arena *arena)
{
  enum { OURS = 10 };
  const char **argv = CAP_ARENA_NEW(arena, const char *, order->noption + OURS);
  char limit[16] = "";
  if (order->at_once > 0) snprintf(limit, sizeof limit, "%%%d", order->at_once);
  const char *array = cap_arena_format(arena, "--array=0-%d%s", order->ntask - 1, limit);
  const char *folder = cap_arena_format(arena, "--chdir=%s", order->folder);
  const char *name = cap_arena_format(arena, "--job-name=%s", order->name);
  if (!argv || !array || !folder || !name) return NULL;
  int n = 0;
  argv[n++] = "sbatch";
  argv[n++] = name;
  argv[n++] = "--requeue"; /* a user may say --no-requeue: a task that begins anew finds what is done */
  argv[n++] = "--open-mode=append";
  for (int k = 0; k < order->noption; k++) argv[n++] = order->options[k];
  argv[n++] = "--parsable";
  argv[n++] = array;
  argv[n++] = folder;
  argv[n++] = "--output=%a.log"; /* from the folder: a "%" in its name means nothing then */
  argv[n++] = order->script;
  argv[n] = NULL;
  return argv;
}

cap_status cap_slurm_submit(const cap_slurm_order *order, cap_slurm_job *job, cap_error *error)
{
  cap_arena arena = {0};
  cap_slurm_command said;
  cap_status status;
  const char **argv = arguments(order, &arena);
  if (!argv) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  else status = run(argv, NULL, &arena, &said, error);
  if (status == CAP_OK && !cap_slurm_words_job(said.output, job))
    status = cap_status_fail(error, CAP_ERR_IO, "sbatch names no job: \"%.200s\"", said.output);
  cap_arena_free(&arena);
  return status;
}

/* "--clusters=NAME" where there are several; it may come first since NULL ends the list. */
static const char *cluster_option(const cap_slurm_job *job, char *text, size_t size)
{
  snprintf(text, size, "--clusters=%s", job->cluster);
  return job->cluster[0] ? text : NULL;
}

cap_status cap_slurm_find(const char *script, cap_slurm_job *job, cap_error *error)
{
  cap_arena arena = {0};
  cap_slurm_command said;
  const char *const argv[] = {"squeue", "--noheader", "--me", "--states=all", "--format=%F|%o", NULL};
  *job = (cap_slurm_job){0};
  cap_status status = run(argv, NULL, &arena, &said, error);
  if (status == CAP_OK && !cap_slurm_words_find(said.output, script, job)) *job = (cap_slurm_job){0};
  cap_arena_free(&arena);
  return status;
}

cap_status cap_slurm_look(const cap_slurm_job *job, const char *script, int ntask, cap_slurm_task *tasks,
                          const volatile sig_atomic_t *stop, cap_error *error)
{
  static const char *const unknown[] = {"invalid job id", NULL};
  cap_arena arena = {0};
  cap_slurm_command said;
  char jobs[48], cluster[96];
  snprintf(jobs, sizeof jobs, "--jobs=%s", job->id);
  const char *const argv[] = {"squeue",
                              "--noheader",
                              "--array",
                              "--states=all",
                              "--format=%K|%T|%r|%o",
                              jobs,
                              cluster_option(job, cluster, sizeof cluster),
                              NULL};
  cap_status status = run(argv, stop, &arena, &said, error);
  const char *text = said.output;
  if (status == CAP_ERR_INPUT && has_any(said.errors, unknown)) { /* so long over that it is forgotten */
    status = CAP_OK;
    text = "";
  }
  if (status == CAP_OK && starts(text, "CLUSTER:")) { /* a heading that --noheader leaves */
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  if (status == CAP_OK && !cap_slurm_words_queue(text, script, ntask, tasks))
    status = cap_status_fail(error, CAP_ERR_IO, "squeue says something unexpected: \"%.200s\"", text);
  cap_arena_free(&arena);
  return status;
}

static bool any_unclear(int ntask, const cap_slurm_task *tasks)
{
  for (int k = 0; k < ntask; k++)
    if (tasks[k].state == CAP_SLURM_GONE || (tasks[k].state == CAP_SLURM_ENDED && tasks[k].code < 0))
      return true;
  return false;
}

void cap_slurm_ask(const cap_slurm_job *job, int ntask, cap_slurm_task *tasks,
                   const volatile sig_atomic_t *stop)
{
  cap_arena arena = {0};
  cap_slurm_command said;
  char cluster[96];
  const char *only = cluster_option(job, cluster, sizeof cluster);
  if (any_unclear(ntask, tasks)) {
    const char *plain[] = {"scontrol", "--oneliner", "show", "job", job->id, NULL};
    const char *other[] = {"scontrol", only, "--oneliner", "show", "job", job->id, NULL};
    if (cap_slurm_command_run(only ? other : plain, stop, &arena, &said, NULL) == CAP_OK && said.code == 0)
      cap_slurm_words_jobs(said.output, job->id, ntask, tasks);
  }
  if (any_unclear(ntask, tasks)) {
    const char *argv[] = {
        "sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State,ExitCode", "--jobs",
        job->id, only,         NULL};
    if (cap_slurm_command_run(argv, stop, &arena, &said, NULL) == CAP_OK && said.code == 0)
      cap_slurm_words_accounts(said.output, ntask, tasks);
  }
  cap_arena_free(&arena);
}

cap_status cap_slurm_cancel(const cap_slurm_job *job, cap_error *error)
{
  cap_arena arena = {0};
  cap_slurm_command said;
  char cluster[96];
  const char *argv[] = {"scancel", job->id, cluster_option(job, cluster, sizeof cluster), NULL};
  cap_status status = run(argv, NULL, &arena, &said, error);
  cap_arena_free(&arena);
  return status;
}
