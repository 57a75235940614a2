/* cli/study_slurm.c — capstan study --slurm: hand the cases to the cluster, follow them until they
 * are done. docs/cluster.md explains the decisions.
 */
#include "base/clock.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/study.h"
#include "study/slurm.h"
#include "study/slurm_tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NFATE = 8, NAMED = 5, WORDS = 160 };

static const double least_pause = 0.5, most_pause = 15.0; /* s between two looks at the queue */
static const double settle_time = 15.0; /* s: how long a shared folder may hide what a node has written */

typedef struct follower {
  cap_study_job *job;
  char *folder; /* of the study; absolute */
  char *script;
  cap_slurm_tasks tasks;
  cap_slurm_task *states; /* [ntask] */
  cap_study_case_row row;
  double began;
  int64_t found;                                    /* cases that were there before */
  bool silent;                                      /* the cluster does not answer */
  char reason[sizeof((cap_slurm_task *)0)->reason]; /* why tasks wait, as it was told */
} follower;

static void pause_for(double seconds)
{
  struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (time_t)seconds))};
  nanosleep(&time, NULL); /* Ctrl-C ends it early */
}

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static const cap_progress *progress_of(const follower *f)
{
  return &f->job->progress->progress;
}

static const volatile sig_atomic_t *stop_of(const follower *f)
{
  return progress_of(f)->stop;
}

/* What is there */

/* The case whose finished file has this name; -1: none has. */
static int64_t case_of(const char *name, int64_t ncase)
{
  char *end;
  long long number = strtoll(name, &end, 10);
  return end != name && strcmp(end, ".h5") == 0 && number >= 1 && number <= ncase ? number - 1 : -1;
}

/* Rows of the cases that were finished since the last time. What cannot be read is left to the caller, who
 * reads once more at the end. */
static void take_rows(follower *f)
{
  const cap_study *study = f->job->study;
  char *path = cap_study_folder_file(f->folder, "runs");
  DIR *runs = path ? opendir(path) : NULL;
  for (const struct dirent *entry; runs && (entry = readdir(runs));) {
    int64_t k = case_of(entry->d_name, study->ncase);
    if (k < 0 || cap_collect_state(f->job->collect, k) != CAP_STUDY_MISSING) continue;
    if (cap_study_case_read(study, f->folder, k, &f->row, NULL) == CAP_OK &&
        f->row.state != CAP_STUDY_MISSING)
      cap_collect_put(f->job->collect, k, &f->row);
  }
  if (runs) closedir(runs);
  free(path);
}

static int64_t count(const follower *f, cap_study_state state)
{
  return cap_collect_count(f->job->collect, state);
}

/* Cases of a task that have no row. */
static int64_t missing_of(const follower *f, int task)
{
  const cap_study *study = f->job->study;
  int64_t n = 0;
  for (int64_t i = f->tasks.begin[task]; i < f->tasks.begin[task + 1]; i++) {
    int64_t chain = f->tasks.chains[i];
    for (int64_t j = study->chains[chain]; j < study->chains[chain + 1]; j++)
      n += cap_collect_state(f->job->collect, study->order[j]) == CAP_STUDY_MISSING;
  }
  return n;
}

static int count_tasks(const follower *f, cap_slurm_state state)
{
  int n = 0;
  for (int k = 0; k < f->tasks.ntask; k++) n += f->states[k].state == state;
  return n;
}

static bool all_over(const follower *f)
{
  for (int k = 0; k < f->tasks.ntask; k++)
    if (!cap_slurm_words_over(&f->states[k])) return false;
  return true;
}

/* A submission in hand: the states of its tasks, the path of its script. */
static cap_status hold(follower *f, cap_error *error)
{
  free(f->states);
  free(f->script);
  f->script = cap_slurm_tasks_file(&f->tasks, "script");
  f->states = calloc((size_t)f->tasks.ntask + 1, sizeof *f->states);
  return f->script && f->states ? CAP_OK : no_memory(error);
}

/* An array of before */

/* False: nothing was ever submitted from there. */
static cap_status take_last(follower *f, bool *submitted, cap_error *error)
{
  *submitted = false;
  char *last = cap_slurm_tasks_last(f->folder), *script = last ? cap_study_folder_file(last, "script") : NULL;
  cap_status status = last && !script ? no_memory(error) : CAP_OK;
  if (status == CAP_OK && script && access(script, F_OK) == 0) {
    status = cap_slurm_tasks_read(last, f->job->study, &f->tasks, error);
    *submitted = status == CAP_OK;
  }
  free(last);
  free(script);
  return status == CAP_OK && *submitted ? hold(f, error) : status;
}

/* Of a process that died between sbatch and keeping the number, Slurm itself knows it. */
static cap_status look_up_job(follower *f, cap_error *error)
{
  if (f->tasks.job.id[0]) return CAP_OK;
  CAP_TRY(cap_slurm_find(f->script, &f->tasks.job, error));
  return f->tasks.job.id[0] ? cap_slurm_tasks_keep(&f->tasks, error) : CAP_OK;
}

/* Is the last array of this study in the queue still? Its tasks are in hand then. */
static cap_status find_alive(follower *f, bool *alive, cap_error *error)
{
  bool submitted;
  *alive = false;
  CAP_TRY(take_last(f, &submitted, error));
  if (!submitted) return CAP_OK;
  CAP_TRY(look_up_job(f, error));
  if (!f->tasks.job.id[0]) return CAP_OK;
  CAP_TRY(cap_slurm_look(&f->tasks.job, f->script, f->tasks.ntask, f->states, stop_of(f), error));
  *alive = !all_over(f);
  return CAP_OK;
}

/* How tasks ended */

typedef struct fate {
  char text[WORDS];
  int ntask, tasks[NAMED]; /* and the first of them */
} fate;

/* The last line of a task's log. */
static bool last_line(const follower *f, int task, char *line, size_t size)
{
  char name[32], text[1024];
  snprintf(name, sizeof name, "%d.log", task);
  char *path = cap_slurm_tasks_file(&f->tasks, name);
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  free(path);
  if (fd < 0) return false;
  off_t end = lseek(fd, 0, SEEK_END);
  ssize_t n = pread(fd, text, sizeof text - 1,
                    end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0);
  close(fd);
  if (n < 0) n = 0;
  while (n > 0 && text[n - 1] == '\n') n--;
  text[n] = '\0';
  const char *last = strrchr(text, '\n');
  snprintf(line, size, "%.*s", (int)size - 1, last ? last + 1 : text);
  return true;
}

static void add_fate(fate *fates, int *nfate, const char *text, int task)
{
  int k = 0;
  while (k < *nfate && k < NFATE - 1 && strcmp(fates[k].text, text) != 0) k++;
  if (k == *nfate) fates[(*nfate)++] = (fate){0};
  bool others = k == NFATE - 1 && fates[k].ntask > 0 && strcmp(fates[k].text, text) != 0;
  snprintf(fates[k].text, sizeof fates[k].text, "%s", others ? "in other ways" : text);
  if (fates[k].ntask < NAMED) fates[k].tasks[fates[k].ntask] = task;
  fates[k].ntask++;
}

/* "2 killed by signal 9 (FAILED): tasks 0, 1", and what the first of them complained of. */
static void tell_fate(const follower *f, const fate *how)
{
  char line[200] = "", names[16 * NAMED] = "";
  int n = 0, named = how->ntask < NAMED ? how->ntask : NAMED;
  for (int k = 0; k < named; k++)
    n += snprintf(names + n, sizeof names - (size_t)n, "%s%d", k ? ", " : "", how->tasks[k]);
  bool began = last_line(f, how->tasks[0], line, sizeof line);
  bool complaint = strncmp(line, "capstan:", 8) == 0 || strstr(line, "error");
  cap_progress_note(progress_of(f), "capstan:   %d %s: task%s %s%s%s%s", how->ntask, how->text,
                    how->ntask > 1 ? "s" : "", names, how->ntask > named ? ", ..." : "",
                    !began      ? " (no log: it did not start)"
                    : complaint ? "; "
                                : "",
                    complaint ? line : "");
}

/* Tasks that ended and left cases without a row. */
static void tell_fates(follower *f)
{
  fate fates[NFATE];
  int nfate = 0, ntask = 0;
  int64_t missing = 0;
  char text[WORDS];
  cap_slurm_ask(&f->tasks.job, f->tasks.ntask, f->states, stop_of(f));
  for (int k = 0; k < f->tasks.ntask; k++) {
    int64_t n = cap_slurm_words_over(&f->states[k]) ? missing_of(f, k) : 0;
    if (n == 0) continue;
    missing += n;
    ntask++;
    cap_slurm_words_fate(&f->states[k], text, sizeof text);
    add_fate(fates, &nfate, text, k);
  }
  if (ntask == 0) return;
  cap_progress_note(progress_of(f),
                    "capstan: %d of %d tasks of job %s ended before all their cases were done; "
                    "%lld of these cases are missing. The tasks ended",
                    ntask, f->tasks.ntask, f->tasks.job.id, (long long)missing);
  for (int k = 0; k < nfate; k++) tell_fate(f, &fates[k]);
  cap_progress_note(progress_of(f), "capstan: logs of the tasks are in %s", f->tasks.folder);
}

/* Submitting */

/* The program itself, so that tasks run the same. */
static cap_status own_program(char path[PATH_MAX], cap_error *error)
{
  if (!cap_platform_program(path, PATH_MAX))
    return cap_status_fail(error, CAP_ERR_IO, "the program's own path is unknown (no /proc)");
  if (access(path, X_OK) == 0) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "the program's own file '%s' no longer exists", path);
}

/* Mean seconds of a case by what study.log has; 0: nothing. */
static double seconds_of_a_case(const follower *f)
{
  char *path = cap_study_folder_file(f->folder, "study.log"), line[512];
  FILE *log = path ? fopen(path, "re") : NULL;
  double sum = 0.0, n = 0.0, seconds;
  while (log && fgets(line, sizeof line, log))
    if (sscanf(line, "%*d\t%*s\t%lf", &seconds) == 1 && seconds >= 0.0) {
      sum += seconds;
      n += 1.0;
    }
  if (log) fclose(log);
  free(path);
  return n > 0.0 ? sum / n : 0.0;
}

/* The study's name as one that squeue shows well: "tolerance-of-the-drive". */
static void job_name(const char *name, char *text, size_t size)
{
  size_t n = 0;
  for (; *name && n + 1 < size; name++) {
    bool plain = isalnum((unsigned char)*name) || strchr("._", *name);
    if (plain) text[n++] = *name;
    else if (n > 0 && text[n - 1] != '-') text[n++] = '-';
  }
  while (n > 0 && text[n - 1] == '-') n--;
  text[n] = '\0';
}

static cap_status hand_in(follower *f, cap_error *error)
{
  const cap_study *study = f->job->study;
  char name[48];
  job_name(study->name, name, sizeof name);
  /* Inside of another job it is that job's, and would reach the tasks as theirs. */
  unsetenv("SLURM_CPUS_PER_TASK");
  const cap_slurm_order order = {.script = f->script,
                                 .folder = f->tasks.folder,
                                 .name = name[0] ? name : "study",
                                 .ntask = f->tasks.ntask,
                                 .at_once = study->at_once,
                                 .noption = study->noption,
                                 .options = study->options};
  cap_status status = cap_slurm_submit(&order, &f->tasks.job, error);
  /* When the cluster did not answer in time it may still have taken the job:
   * then it is found by its script. */
  if (status != CAP_OK && status != CAP_ERR_IO) cap_slurm_tasks_remove(&f->tasks);
  if (status != CAP_OK) return status;
  status = cap_slurm_tasks_keep(&f->tasks, error);
  if (status != CAP_OK) cap_slurm_cancel(&f->tasks.job, NULL); /* nobody would find it */
  return status;
}

static cap_status submit(follower *f, cap_error *error)
{
  const cap_study *study = f->job->study;
  char program[PATH_MAX];
  int limit = 0;
  int64_t missing = count(f, CAP_STUDY_MISSING);
  cap_slurm_tasks_free(&f->tasks);
  if (missing == 0) return CAP_OK;
  if (strpbrk(f->folder, "\n\r"))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected a folder without a line break in its name, which Slurm does not accept");
  CAP_TRY(own_program(program, error));
  CAP_TRY(cap_slurm_limit(&limit, error));
  int64_t chunk = cap_slurm_tasks_chunk(missing, study->chunk, seconds_of_a_case(f),
                                        cap_slurm_cpus(study->noption, study->options), limit);
  CAP_TRY(cap_slurm_tasks_cut(study, f->job->collect->table.states, chunk, &f->tasks, error));
  CAP_TRY(cap_slurm_tasks_write(&f->tasks, f->folder, program, error));
  CAP_TRY(hold(f, error));
  CAP_TRY(hand_in(f, error));
  if (study->chunk > 0 && chunk > study->chunk)
    cap_progress_note(progress_of(f),
                      "capstan: %lld cases per task, since this cluster accepts at most %d tasks",
                      (long long)chunk, limit);
  cap_progress_note(progress_of(f), "capstan: job %s: %lld case%s in %d task%s; scancel %s ends it",
                    f->tasks.job.id, (long long)missing, missing == 1 ? "" : "s", f->tasks.ntask,
                    f->tasks.ntask == 1 ? "" : "s", f->tasks.job.id);
  return CAP_OK;
}

/* Following */

/* How far it is; only after a look at queue and files, since it counts all cases. */
static void survey(follower *f)
{
  cap_workers_view view = {.ncase = f->job->study->ncase,
                           .found = f->found,
                           .failed = count(f, CAP_STUDY_FAILED),
                           .running = count_tasks(f, CAP_SLURM_RUNNING)};
  view.done = count(f, CAP_STUDY_FINE) + view.failed;
  for (int k = 0; k < f->tasks.ntask; k++)
    if (f->states[k].state == CAP_SLURM_PENDING) view.pending += missing_of(f, k);
  if (view.running > view.ncase - view.done) view.running = view.ncase - view.done; /* it has just ended */
  f->job->outcome.view = view;
}

static void show(follower *f)
{
  f->job->outcome.view.seconds = cap_clock_wall() - f->began;
  if (!*stop_of(f)) cap_study_progress_watch(f->job->progress, &f->job->outcome.view);
}

/* When nothing runs, Slurm says why. */
static void tell_waiting(follower *f)
{
  const char *reason = "";
  for (int k = f->tasks.ntask - 1; k >= 0; k--) {
    if (f->states[k].state == CAP_SLURM_RUNNING) return;
    if (f->states[k].state == CAP_SLURM_PENDING) reason = f->states[k].reason;
  }
  if (!reason[0] || strcmp(reason, "None") == 0 || strcmp(reason, f->reason) == 0) return;
  snprintf(f->reason, sizeof f->reason, "%s", reason);
  cap_progress_note(progress_of(f), "capstan: no task runs; Slurm's reason: %s", reason);
}

/* One look at the queue. A controller that is away comes back: its jobs go on meanwhile. */
static cap_status look(follower *f, cap_error *error)
{
  cap_status status = cap_slurm_look(&f->tasks.job, f->script, f->tasks.ntask, f->states, stop_of(f), error);
  if (status == CAP_ERR_IO) {
    if (!f->silent) cap_progress_note(progress_of(f), "capstan: %s; waiting for it", error->text);
    f->silent = true;
    return CAP_OK;
  }
  if (status == CAP_OK && f->silent) cap_progress_note(progress_of(f), "capstan: the cluster answers again");
  if (status == CAP_OK) f->silent = false;
  return status;
}

/* Tasks that ended well and have cases without a row: a shared folder shows them a little later. */
static bool unsettled(const follower *f)
{
  for (int k = 0; k < f->tasks.ntask; k++)
    if (f->states[k].state == CAP_SLURM_COMPLETED && missing_of(f, k) > 0) return true;
  return false;
}

/* The longer it takes the less often it is looked: ends are seen late by a twentieth of the time at most. */
static double pause_after(double since)
{
  double pause = since / 20.0;
  return pause < least_pause ? least_pause : pause > most_pause ? most_pause : pause;
}

static cap_status follow(follower *f, cap_error *error)
{
  double next = 0.0, ended = 0.0;
  for (;;) {
    double now = cap_clock_wall();
    if (*stop_of(f)) return CAP_STOPPED;
    if (now >= next) {
      CAP_TRY(look(f, error)); /* before the files: what is over by now has left all it has */
      take_rows(f);
      tell_waiting(f);
      survey(f);
      now = cap_clock_wall();
      next = now + pause_after(now - f->began);
      if (all_over(f) || count(f, CAP_STUDY_MISSING) == 0) {
        if (ended == 0.0) ended = now;
        if (all_over(f) && !unsettled(f)) return CAP_OK;
        if (now - ended > settle_time) return CAP_OK;
        next = now + least_pause;
      }
    }
    show(f);
    pause_for(0.1);
  }
}

/* Seconds and hosts, which each task has in a file of its own: appending from several nodes to one file of a
 * network would lose lines. */
static void gather_logs(const follower *f)
{
  char *all = cap_study_folder_file(f->folder, "study.log"), name[32], line[512];
  FILE *to = all ? fopen(all, "ae") : NULL;
  for (int k = 0; to && k < f->tasks.ntask; k++) {
    if (!cap_slurm_words_over(&f->states[k])) continue;
    snprintf(name, sizeof name, "%d.cases", k);
    char *path = cap_slurm_tasks_file(&f->tasks, name);
    FILE *from = path ? fopen(path, "re") : NULL;
    bool heading = ftell(to) == 0;
    while (from && fgets(line, sizeof line, from))
      if (heading || (line[0] >= '0' && line[0] <= '9')) {
        fputs(line, to);
        heading = false;
      }
    bool kept = from && fflush(to) == 0;
    if (from) fclose(from);
    if (kept) unlink(path);
    free(path);
  }
  if (to) fclose(to);
  free(all);
}

static void say_left(const follower *f)
{
  if (f->job->progress->drawn) cap_study_progress_close(f->job->progress);
  fprintf(
      stderr,
      "capstan: job %s continues on its own (%d tasks running, %d waiting); --resume --slurm returns to it, "
      "scancel %s ends it\n",
      f->tasks.job.id, count_tasks(f, CAP_SLURM_RUNNING), count_tasks(f, CAP_SLURM_PENDING), f->tasks.job.id);
}

static cap_status submit_and_follow(follower *f, cap_error *error)
{
  bool alive = false;
  if (f->job->begun) {
    CAP_TRY(find_alive(f, &alive, error));
    if (!alive && f->tasks.ntask > 0) {
      gather_logs(f);
      tell_fates(f);
    }
  }
  if (alive)
    cap_progress_note(progress_of(f), "capstan: job %s is still in the queue: following it", f->tasks.job.id);
  else CAP_TRY(submit(f, error));
  if (f->tasks.ntask == 0) return CAP_OK;
  cap_status status = follow(f, error);
  if (status == CAP_STOPPED) say_left(f);
  if (status != CAP_OK) return status;
  cap_study_progress_close(f->job->progress);
  gather_logs(f);
  tell_fates(f);
  return CAP_OK;
}

static cap_status open_follower(follower *f, cap_study_job *job, cap_error *error)
{
  *f = (follower){.job = job, .began = cap_clock_wall()};
  f->folder = realpath(job->folder, NULL);
  if (!f->folder)
    return cap_status_fail(error, CAP_ERR_IO, "cannot use the folder '%s': %s", job->folder, strerror(errno));
  f->row.responses = calloc((size_t)job->study->nresponse + 1, sizeof(double));
  f->found = job->study->ncase - count(f, CAP_STUDY_MISSING);
  return f->row.responses ? CAP_OK : no_memory(error);
}

static void close_follower(follower *f)
{
  cap_slurm_tasks_free(&f->tasks);
  free(f->row.responses);
  free(f->states);
  free(f->script);
  free(f->folder);
}

cap_status cap_study_slurm_ready(cap_error *error)
{
  int limit;
  return cap_slurm_limit(&limit, error);
}

cap_status cap_study_slurm_run(cap_study_job *job, cap_error *error)
{
  follower f;
  cap_status status = open_follower(&f, job, error);
  if (status == CAP_OK) status = submit_and_follow(&f, error);
  close_follower(&f);
  return status;
}

cap_status cap_study_slurm_absent(cap_study_job *job, cap_error *error)
{
  follower f;
  bool alive = false;
  cap_error reason = {0};
  cap_status status = open_follower(&f, job, error);
  cap_status asked = status == CAP_OK ? find_alive(&f, &alive, &reason) : CAP_OK;
  if (alive)
    status = cap_status_fail(error, CAP_ERR_INPUT,
                             "job %s computes cases of this study; expected that it has ended; wait for it "
                             "with --resume --slurm, or end it with scancel %s",
                             f.tasks.job.id, f.tasks.job.id);
  else if (asked != CAP_OK && f.tasks.ntask > 0)
    cap_progress_note(progress_of(&f), "capstan: whether job %s is still in the queue is unknown: %s",
                      f.tasks.job.id[0] ? f.tasks.job.id : "(no number)", reason.text);
  close_follower(&f);
  return status;
}
