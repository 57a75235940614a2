/* Random settings over all keys of all examples: none may crash the program, make it deaf to Ctrl-C, leave a
 * result with exit code 0 that `capstan verify` does not accept, or be refused by `run` and not by `check`.
 *
 *   fuzz_settings [--runs N] [--seed N] [--first N] [--limit SECONDS] [--program PATH] MODEL.yaml...
 *
 * Run number k of a seed is always the same, whatever is run beside it. Times are those of the processor, so
 * that a machine with other work on it finds the same. Ends with 1 when there is a finding.
 * scripts/fuzz_settings.sh calls it for all examples.
 */
#include "analysis/observe/audit.h"
#include "base/clock.h"
#include "io/verify.h"
#include "settings_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "out/fuzz_settings"
#define RESULT FOLDER "/run.h5"
#define SAID   FOLDER "/run.err"

enum { MOST_SETTINGS = 4, MOST_NAMES = 200 };

static const double deaf_after = 0.5;   /* s of the processor, from the signal on */
static const double wall_limit = 120.0; /* s on the wall, for what waits */

typedef enum outcome {
  FINE,
  REFUSED,
  FAILED,
  INTERRUPTED,
  CRASHED,
  DEAF,
  UNBALANCED,
  FAULTY,
  LATE,
  ODD,
  NOUTCOME
} outcome;

static const char *const outcome_names[NOUTCOME] = {"exit 0", "refused",    "failed", "interrupted", "crash",
                                                    "deaf",   "unbalanced", "faulty", "late",        "odd"};

typedef struct options {
  int runs, first;
  uint64_t seed;
  double limit; /* s of the processor, after which Ctrl-C comes */
  const char *program;
} options;

typedef struct trial {
  const char *model;
  int n;
  char settings[MOST_SETTINGS][DRAW_TEXT];
  outcome outcome;
  char why[400];
} trial;

/* How often NaN was among the values of which columns: no finding, but worth a look. */
typedef struct gap_names {
  int n;
  char names[MOST_NAMES][260];
  int count[MOST_NAMES];
} gap_names;

/* ---------------------------------------------------------------------------------------------- one run */

/* Seconds of the processor that a running process has used. */
static double used(pid_t pid)
{
  char path[64], text[1024] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0.0;
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  unsigned long user = 0, kernel = 0;
  const char *after = strrchr(text, ')');
  if (!after) return 0.0;
  if (sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2)
    return 0.0;
  return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static pid_t start(const trial *t, const char *program, const char *command, const char *said)
{
  char *argv[2 * MOST_SETTINGS + 8];
  int n = 0;
  const char *const fixed[] = {program, command, t->model, "-o", RESULT, "--force", "--quiet"};
  for (int k = 0; k < (strcmp(command, "run") == 0 ? 7 : 3); k++) argv[n++] = (char *)(uintptr_t)fixed[k];
  for (int k = 0; k < t->n; k++) {
    argv[n++] = (char *)(uintptr_t) "--set";
    argv[n++] = (char *)(uintptr_t)t->settings[k];
  }
  argv[n] = NULL;
  pid_t pid = fork();
  if (pid) return pid;
  int err = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666), out = open("/dev/null", O_WRONLY);
  struct rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  if (err < 0 || out < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(99);
  execv(program, argv);
  _exit(98);
}

/* Wait for the process; Ctrl-C after `limit`, and what does not hear it is killed. */
static int wait_for(pid_t pid, double limit, bool *interrupted, bool *deaf, double *after)
{
  double began = cap_clock_wall(), at_signal = 0.0, wall_signal = 0.0;
  struct rusage usage;
  int status = 0;
  *interrupted = *deaf = false;
  for (;;) {
    pid_t ended = wait4(pid, &status, WNOHANG, &usage);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) return -1;
    double now = used(pid), wall = cap_clock_wall();
    if (!*interrupted && (now > limit || wall - began > wall_limit)) {
      kill(pid, SIGINT);
      *interrupted = true;
      at_signal = now;
      wall_signal = wall;
    }
    if (*interrupted && !*deaf && (now - at_signal > 4 * deaf_after || wall - wall_signal > wall_limit)) {
      kill(pid, SIGKILL);
      *deaf = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
  }
  double all = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
               (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
  *after = *interrupted ? all - at_signal : 0.0;
  if (*after > deaf_after) *deaf = true;
  return status;
}

static bool said_something(char *first, size_t size)
{
  FILE *file = fopen(SAID, "r");
  first[0] = 0;
  if (!file) return false;
  if (!fgets(first, (int)size, file)) first[0] = 0;
  fclose(file);
  first[strcspn(first, "\n")] = 0;
  return first[0] != 0;
}

typedef struct hearing {
  trial *trial;
  gap_names *gaps;
} hearing;

static void hear(void *self, bool fault, const char *group, const char *text)
{
  hearing *h = self;
  if (fault && !h->trial->why[0])
    snprintf(h->trial->why, sizeof h->trial->why, "%.80s: %.300s", group ? group : "", text);
  if (fault || strncmp(text, "NaN", 3) != 0) return;
  char name[260];
  snprintf(name, sizeof name, "%.40s %.200s", group ? group : "", text);
  int k = 0;
  while (k < h->gaps->n && strcmp(h->gaps->names[k], name) != 0) k++;
  if (k == MOST_NAMES) return;
  if (k == h->gaps->n) strcpy(h->gaps->names[h->gaps->n++], name);
  h->gaps->count[k]++;
}

static outcome judge_result(trial *t, gap_names *gaps)
{
  hearing h = {t, gaps};
  cap_verify_report report;
  cap_error error = {0};
  cap_status status = cap_verify_file(RESULT, hear, &h, &report, &error);
  if (status != CAP_OK) {
    snprintf(t->why, sizeof t->why, "%.390s", error.text);
    return FAULTY;
  }
  if (report.relative >= CAP_AUDIT_UNUSABLE) return UNBALANCED;
  return report.nfault ? FAULTY : FINE;
}

/* Whether `check` has nothing against what `run` refuses before it computes anything. */
static bool check_passes(const trial *t, const options *o)
{
  int status = 0;
  if (access(RESULT, F_OK) == 0) return false; /* a part of it: only a computation shows the reason */
  pid_t pid = start(t, o->program, "check", "/dev/null");
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void run_trial(trial *t, const options *o, gap_names *gaps)
{
  bool interrupted, deaf;
  double after;
  char first[300];
  unlink(RESULT);
  pid_t pid = start(t, o->program, "run", SAID);
  int status = pid > 0 ? wait_for(pid, o->limit, &interrupted, &deaf, &after) : -1;
  if (status < 0) {
    perror("fuzz_settings");
    exit(2);
  }
  bool said = said_something(first, sizeof first);
  snprintf(t->why, sizeof t->why, "%.200s", first);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (deaf) {
    snprintf(t->why, sizeof t->why, "%.2f s of the processor after Ctrl-C", after);
    t->outcome = DEAF;
  } else if (WIFSIGNALED(status)) {
    snprintf(t->why, sizeof t->why, "signal %d", WTERMSIG(status));
    t->outcome = CRASHED;
  } else if (code == 0) {
    t->why[0] = 0;
    t->outcome = judge_result(t, gaps);
  } else if ((code == 130 && interrupted) || (code == 124 && said)) { /* or by a time limit that was drawn */
    t->outcome = INTERRUPTED;
  } else {
    t->outcome = (code != 1 && code != 2) || !said ? ODD : code == 2 ? REFUSED : FAILED;
    if (t->outcome == REFUSED && check_passes(t, o)) t->outcome = LATE;
    if (t->outcome == ODD) snprintf(t->why, sizeof t->why, "exit code %d: \"%.200s\"", code, first);
  }
}

/* ------------------------------------------------------------------------------------------------- all
 * runs */

static char *read_whole(const char *path)
{
  FILE *file = fopen(path, "r");
  size_t room = 1 << 20;
  char *text = file ? malloc(room) : NULL;
  if (text) text[fread(text, 1, room - 1, file)] = 0;
  if (file) fclose(file);
  return text;
}

static bool prepare(const options *o, int k, int nmodel, char **models, cap_units *units, trial *t)
{
  static draw_targets targets;
  drawing d = {.seed = o->seed, .stream = (uint64_t)k};
  *t = (trial){.model = models[k % nmodel]};
  char *text = read_whole(t->model);
  if (!text) return false;
  cap_arena arena = {0};
  bool fine = draw_targets_of(text, &arena, &targets) && targets.n > 0;
  static const int counts[] = {1, 1, 1, 1, 2, 2, 3, 4};
  t->n = fine ? counts[draw_below(&d, 8)] : 0;
  for (int i = 0; i < t->n; i++) {
    int which = draw_below(&d, targets.n);
    /* Keys that the file has are more often of effect than those that it has not. */
    if (!targets.list[which].written && draw_below(&d, 3)) which = draw_below(&d, targets.n);
    draw_setting(&d, units, &targets.list[which], t->settings[i]);
  }
  cap_arena_free(&arena);
  free(text);
  return fine;
}

static void print_command(FILE *out, const trial *t)
{
  fprintf(out, "  capstan run %s -o run.h5 --force", t->model);
  for (int i = 0; i < t->n; i++) fprintf(out, " --set '%s'", t->settings[i]);
  fputc('\n', out);
}

static void print_table(const int count[NOUTCOME], const gap_names *gaps, int runs)
{
  printf("\n%8s  %s\n", "runs", "ended");
  for (int k = 0; k < NOUTCOME; k++)
    printf("%8d  %s%s\n", count[k], outcome_names[k], k >= CRASHED ? " (finding)" : "");
  for (int k = 0; k < gaps->n; k++)
    if (k == 0 || gaps->n < 40)
      printf(k ? "%8d  %s\n" : "\nwhere results have NaN:\n%8d  %s\n", gaps->count[k], gaps->names[k]);
  printf("\n%d runs\n", runs);
}

static int run_all(const options *o, int nmodel, char **models)
{
  static gap_names gaps;
  int count[NOUTCOME] = {0}, findings = 0;
  cap_units *units = cap_units_create();
  if (!units) return 2;
  for (int k = o->first; k < o->first + o->runs; k++) {
    static trial t;
    if (!prepare(o, k, nmodel, models, units, &t)) {
      fprintf(stderr, "fuzz_settings: %s cannot be read\n", t.model);
      return 2;
    }
    run_trial(&t, o, &gaps);
    count[t.outcome]++;
    if (t.outcome < CRASHED) continue;
    findings++;
    printf("%s, run %d of seed %llu: %s\n", outcome_names[t.outcome], k, (unsigned long long)o->seed, t.why);
    print_command(stdout, &t);
    fflush(stdout);
  }
  print_table(count, &gaps, o->runs);
  cap_units_free(units);
  return findings > 0;
}

int main(int argc, char **argv)
{
  options o = {.runs = 200, .seed = 1, .limit = 2.0, .program = CAPSTAN_PROGRAM};
  int k = 1;
  for (; k + 1 < argc && strncmp(argv[k], "--", 2) == 0; k += 2) {
    if (strcmp(argv[k], "--runs") == 0) o.runs = atoi(argv[k + 1]);
    else if (strcmp(argv[k], "--seed") == 0) o.seed = strtoull(argv[k + 1], NULL, 10);
    else if (strcmp(argv[k], "--first") == 0) o.first = atoi(argv[k + 1]);
    else if (strcmp(argv[k], "--limit") == 0) o.limit = atof(argv[k + 1]);
    else if (strcmp(argv[k], "--program") == 0) o.program = argv[k + 1];
    else break;
  }
  if (k >= argc || strncmp(argv[k], "--", 2) == 0 || o.runs < 1 || !(o.limit > 0.0)) {
    fprintf(stderr, "usage: fuzz_settings [--runs N] [--seed N] [--first N] [--limit SECONDS] "
                    "[--program PATH] MODEL.yaml...\n");
    return 2;
  }
  mkdir("out", 0777);
  mkdir(FOLDER, 0777);
  return run_all(&o, argc - k, argv + k);
}
