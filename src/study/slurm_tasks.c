/* study/slurm_tasks.c — see slurm_tasks.h. */
#include "study/slurm_tasks.h"
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char heading[] = "capstan study, chains of each task, 1";
enum { USUAL_TASKS = 256, LONGEST_LIST = 1 << 28 };
static const double usual_seconds = 60.; /* of a task: what a scheduler spends on it is little then */

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void cap_slurm_tasks_free(cap_slurm_tasks *tasks)
{
  free(tasks->folder);
  free(tasks->chains);
  free(tasks->begin);
  *tasks = (cap_slurm_tasks){0};
}

static int64_t parts(int64_t n, int64_t each)
{
  return (n + each - 1) / each;
}

int64_t cap_slurm_tasks_chunk(int64_t nmissing, int64_t asked, double seconds, int ncore, int limit)
{
  int64_t chunk = asked, least = parts(nmissing, limit);
  if (chunk <= 0 && seconds > 0.)
    chunk = (int64_t)fmin(ceil(ncore * usual_seconds / seconds), (double)nmissing);
  if (chunk <= 0) chunk = parts(nmissing, USUAL_TASKS);
  if (asked <= 0 && chunk < ncore) chunk = ncore;
  if (chunk < least) chunk = least;
  return chunk < 1 ? 1 : chunk;
}

static int64_t count_missing(const cap_study *study, const unsigned char *states, int64_t chain)
{
  int64_t n = 0;
  for (int64_t i = study->chains[chain]; i < study->chains[chain + 1]; i++)
    n += states[study->order[i]] == CAP_STUDY_MISSING;
  return n;
}

cap_status cap_slurm_tasks_cut(const cap_study *study, const unsigned char *states, int64_t chunk,
                               cap_slurm_tasks *tasks, cap_error *error)
{
  *tasks = (cap_slurm_tasks){0};
  tasks->chains = calloc((size_t)study->nchain + 1, sizeof *tasks->chains);
  tasks->begin = calloc((size_t)study->nchain + 2, sizeof *tasks->begin);
  if (!tasks->chains || !tasks->begin) {
    cap_slurm_tasks_free(tasks);
    return no_memory(error);
  }
  int64_t n = 0, held = 0; /* chains so far; cases of the task at hand */
  for (int64_t chain = 0; chain < study->nchain; chain++) {
    int64_t missing = count_missing(study, states, chain);
    if (missing == 0) continue;
    tasks->chains[n++] = chain;
    held += missing;
    if (held < chunk) continue;
    tasks->begin[++tasks->ntask] = n;
    held = 0;
  }
  if (held > 0) tasks->begin[++tasks->ntask] = n;
  return CAP_OK;
}

char *cap_slurm_tasks_file(const cap_slurm_tasks *tasks, const char *name)
{
  char *path = NULL;
  return asprintf(&path, "%s/%s", tasks->folder, name) < 0 ? NULL : path;
}

/* One line a task, chains from 1, neighbours as "3-17". */
static void put_list(FILE *to, const cap_slurm_tasks *tasks)
{
  fprintf(to, "%s\n", heading);
  for (int task = 0; task < tasks->ntask; task++) {
    for (int64_t i = tasks->begin[task]; i < tasks->begin[task + 1];) {
      int64_t last = i;
      while (last + 1 < tasks->begin[task + 1] && tasks->chains[last + 1] == tasks->chains[last] + 1) last++;
      if (i > tasks->begin[task]) fputc(' ', to);
      fprintf(to, "%" PRId64, tasks->chains[i] + 1);
      if (last > i) fprintf(to, "-%" PRId64, tasks->chains[last] + 1);
      i = last + 1;
    }
    fputc('\n', to);
  }
}

/* For a shell, whatever is in it: 'it'\''s'. */
static void put_quoted(FILE *to, const char *text)
{
  fputc('\'', to);
  for (; *text; text++)
    if (*text == '\'') fputs("'\\''", to);
    else fputc(*text, to);
  fputc('\'', to);
}

static void put_script(FILE *to, const cap_slurm_tasks *tasks, const char *program)
{
  fputs("#!/bin/sh\n"
        "# A task of a study of Capstan. Its number, SLURM_ARRAY_TASK_ID, is its line of the list next to\n"
        "# this script, below the heading. It skips what is done, so that it may be run again at any time.\n"
        "exec ",
        to);
  put_quoted(to, program);
  fputs(" study --task ", to);
  put_quoted(to, tasks->folder);
  fputc('\n', to);
}

/* The folder with the next number: the study is locked, so that nobody else counts. */
static cap_status make_folder(cap_slurm_tasks *tasks, const char *study_folder, cap_error *error)
{
  char *above = NULL;
  if (asprintf(&above, "%s/slurm", study_folder) < 0) return no_memory(error);
  cap_status status = cap_outfile_folder(above, error);
  for (int number = 1; status == CAP_OK; number++) {
    char *path = NULL;
    if (asprintf(&path, "%s/%03d", above, number) < 0) status = no_memory(error);
    else if (mkdir(path, 0777) == 0) {
      tasks->folder = path;
      break;
    } else if (errno != EEXIST)
      status = cap_status_fail(error, CAP_ERR_IO, "cannot make the folder '%s': %s", path, strerror(errno));
    free(path);
  }
  free(above);
  return status;
}

static cap_status put_file(const cap_slurm_tasks *tasks, const char *name, const char *program,
                           cap_error *error)
{
  cap_outfile out;
  char *path = cap_slurm_tasks_file(tasks, name);
  if (!path) return no_memory(error);
  cap_status status = cap_outfile_open(&out, path, error);
  if (status == CAP_OK) {
    if (strcmp(name, "list") == 0) put_list(out.stream, tasks);
    else if (strcmp(name, "script") == 0) put_script(out.stream, tasks, program);
    else if (tasks->job.cluster[0]) fprintf(out.stream, "%s;%s\n", tasks->job.id, tasks->job.cluster);
    else fprintf(out.stream, "%s\n", tasks->job.id);
    status = cap_outfile_commit(&out, error);
  }
  free(path);
  return status;
}

cap_status cap_slurm_tasks_write(cap_slurm_tasks *tasks, const char *study_folder, const char *program,
                                 cap_error *error)
{
  CAP_TRY(make_folder(tasks, study_folder, error));
  CAP_TRY(put_file(tasks, "list", NULL, error));
  return put_file(tasks, "script", program, error);
}

void cap_slurm_tasks_remove(const cap_slurm_tasks *tasks)
{
  static const char *const names[] = {"list", "script"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char *path = cap_slurm_tasks_file(tasks, names[k]);
    if (path) unlink(path);
    free(path);
  }
  rmdir(tasks->folder);
}

cap_status cap_slurm_tasks_keep(const cap_slurm_tasks *tasks, cap_error *error)
{
  return put_file(tasks, "job", NULL, error);
}

/* All of a file; NULL with errno when it cannot be read. */
static char *read_all(const char *path)
{
  FILE *from = fopen(path, "rbe");
  if (!from) return NULL;
  char *text = NULL;
  size_t length = 0, room = 0;
  for (;;) {
    if (room - length < 2) {
      char *grown = room > LONGEST_LIST ? NULL : realloc(text, room = 2 * room + 4096);
      if (!grown) {
        errno = ENOMEM;
        break;
      }
      text = grown;
    }
    size_t n = fread(text + length, 1, room - length - 1, from);
    length += n;
    text[length] = '\0';
    if (n > 0) continue;
    if (ferror(from)) break;
    fclose(from);
    return text;
  }
  int failure = errno;
  fclose(from);
  free(text);
  errno = failure;
  return NULL;
}

/* "3-17" of chains from 1 to [first, last] from 0; where it ends, NULL when it is none. */
static char *take_range(char *at, int64_t nchain, int64_t *first, int64_t *last)
{
  char *end;
  *first = *last = strtoll(at, &end, 10);
  if (end == at) return NULL;
  if (*end == '-') {
    at = end + 1;
    *last = strtoll(at, &end, 10);
    if (end == at) return NULL;
  }
  if (*first < 1 || *last < *first || *last > nchain) return NULL;
  --*first;
  --*last;
  return end;
}

/* The lines after the heading; false when they are not what put_list writes for this study. */
static bool parse_list(char *at, int64_t nchain, cap_slurm_tasks *tasks)
{
  int64_t n = 0, first, last;
  while (*at) {
    while (*at != '\n') {
      at = take_range(at, nchain, &first, &last);
      if (!at || n + last - first + 1 > nchain || tasks->ntask >= nchain) return false;
      for (; first <= last; first++) tasks->chains[n++] = first;
      if (*at == ' ') at++;
      else if (*at != '\n') return false;
    }
    if (n == tasks->begin[tasks->ntask]) return false;
    tasks->begin[++tasks->ntask] = n;
    at++;
  }
  return tasks->ntask > 0;
}

static cap_status read_list(const char *path, const cap_study *study, cap_slurm_tasks *tasks,
                            cap_error *error)
{
  char *text = read_all(path);
  if (!text) return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  tasks->chains = calloc((size_t)study->nchain + 1, sizeof *tasks->chains);
  tasks->begin = calloc((size_t)study->nchain + 2, sizeof *tasks->begin);
  size_t n = strlen(heading);
  cap_status status = CAP_OK;
  if (!tasks->chains || !tasks->begin) status = no_memory(error);
  else if (strncmp(text, heading, n) != 0 || text[n] != '\n' ||
           !parse_list(text + n + 1, study->nchain, tasks))
    status = cap_status_fail(error, CAP_ERR_INPUT, "'%s' is no list of tasks of this study", path);
  free(text);
  return status;
}

/* Not kept is no error: the follower may have died just then. */
static void read_job(const char *path, cap_slurm_job *job)
{
  char *text = read_all(path);
  if (!text || !cap_slurm_words_job(text, job)) *job = (cap_slurm_job){0};
  free(text);
}

cap_status cap_slurm_tasks_read(const char *folder, const cap_study *study, cap_slurm_tasks *tasks,
                                cap_error *error)
{
  *tasks = (cap_slurm_tasks){.folder = strdup(folder)};
  char *list = tasks->folder ? cap_slurm_tasks_file(tasks, "list") : NULL;
  char *job = tasks->folder ? cap_slurm_tasks_file(tasks, "job") : NULL;
  cap_status status = list && job ? read_list(list, study, tasks, error) : no_memory(error);
  if (status == CAP_OK) read_job(job, &tasks->job);
  else cap_slurm_tasks_free(tasks);
  free(list);
  free(job);
  return status;
}

char *cap_slurm_tasks_last(const char *study_folder)
{
  char *above = NULL, *path = NULL;
  if (asprintf(&above, "%s/slurm", study_folder) < 0) return NULL;
  int newest = 0;
  DIR *all = opendir(above);
  for (const struct dirent *entry; all && (entry = readdir(all));) {
    char *end;
    long number = strtol(entry->d_name, &end, 10);
    if (!*end && end != entry->d_name && number > newest && number < 1000000) newest = (int)number;
  }
  if (all) closedir(all);
  if (newest > 0 && asprintf(&path, "%s/%03d", above, newest) < 0) path = NULL;
  free(above);
  return path;
}
