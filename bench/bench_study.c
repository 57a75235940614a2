/* A study of short cases: what a case costs beside its computing, whether that grows with their number, how
 * busy the cores are, and what gathering the rows takes in memory.
 *
 * Cases are those of the oscillator with clearance, a second of it and longer pieces. "computing alone" is
 * the analysis on a model that is there, with results that go nowhere; "case, one process" adds settings,
 * reading, checks, building, responses and the file; "study" is all cases by two worker processes, collected
 * and analysed, with processor time of all processes. The folder is in build, on the disk: waiting for it is
 * part of the matter. Cores are busy by user and system time over wall time, which other work on the machine
 * lowers. */
#include "analysis/analysis.h"
#include "bench.h"
#include "io/execute.h"
#include "model/data.h"
#include "study/collect.h"
#include "study/study_file.h"
#include "study/study_folder.h"
#include "study/workers.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2 };

static void check(bool ok, const char *what)
{
  if (ok) return;
  fprintf(stderr, "bench_study: %s\n", what);
  exit(1);
}

static double seconds_of(int who)
{
  struct rusage r;
  getrusage(who, &r);
  return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
         1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* ---- studies ------------------------------------------------------------------------------------------- */

/* n cases (a multiple of ten) of `until` seconds. */
static cap_study *study_of(long n, double until)
{
  static const char format[] =
      "capstan: 1\nstudy: bench\nmodel: " CAPSTAN_SOURCE_DIR "/examples/clearance_oscillator.yaml\n"
      "set: [\"analyses=[{transient: {until: %g s}}]\"]\n"
      "factors:\n"
      "  - {name: angular_frequency, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1.5 rad/s, count: "
      "%ld}\n"
      "  - {name: mean, path: \"loads[0].mean\", from: 0.04 N, to: 0.06 N, count: 10}\n"
      "design: {kind: grid}\n"
      "responses:\n"
      "  - {name: swing, channel: gear.position, reduce: amplitude}\n"
      "  - {name: level, channel: gear.position, reduce: mean}\n"
      "  - {name: ratio, expression: \"swing/level\"}\n";
  char text[2048];
  snprintf(text, sizeof text, format, until, n / 10);
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_study *study = NULL;
  cap_study_file_source source = {.path = "bench.yaml", .text = text, .size = strlen(text)};
  check(diag && cap_study_file_parse(&source, &study, diag) == CAP_OK, cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  check(study->ncase == n, "not as many cases as meant");
  return study;
}

static void clear(const char *folder)
{
  char command[512];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  check(system(command) == 0, "the folder cannot be removed");
}

static const char *folder_name(void)
{
  static char name[256];
  snprintf(name, sizeof name, "%s/bench_study.folder", CAPSTAN_BENCH_DIR);
  return name;
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static cap_status to_nowhere_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)s, (void)name, (void)kind, (void)title;
  return CAP_OK;
}
static cap_status to_nowhere_columns(cap_sink *s, int n, const cap_column *columns)
{
  (void)s, (void)n, (void)columns;
  return CAP_OK;
}
static cap_status to_nowhere_rows(cap_sink *s, int n, const double *values)
{
  (void)s, (void)n, (void)values;
  return CAP_OK;
}
static cap_status to_nowhere_array(cap_sink *s, cap_column what, int rank, const int64_t *dims,
                                   const char *axes, const double *values)
{
  (void)s, (void)what, (void)rank, (void)dims, (void)axes, (void)values;
  return CAP_OK;
}
static cap_status to_nowhere_text(cap_sink *s, const char *name, const char *value)
{
  (void)s, (void)name, (void)value;
  return CAP_OK;
}
static cap_status to_nowhere_number(cap_sink *s, cap_column what, double value)
{
  (void)s, (void)what, (void)value;
  return CAP_OK;
}
static cap_status to_nowhere_balance(cap_sink *s, int n, const cap_balance_line *lines)
{
  (void)s, (void)n, (void)lines;
  return CAP_OK;
}
static cap_status to_nowhere_checkpoint(cap_sink *s, int n, const cap_view *views)
{
  (void)s, (void)n, (void)views;
  return CAP_OK;
}
static cap_status to_nowhere_restore(cap_sink *s, int n, const cap_view *views, bool *found, bool *finished)
{
  (void)s, (void)n, (void)views;
  *found = *finished = false;
  return CAP_OK;
}
static const cap_view *to_nowhere_kept(cap_sink *s, const char *name)
{
  (void)s, (void)name;
  return NULL;
}
static cap_status to_nowhere_close(cap_sink *s)
{
  (void)s;
  return CAP_OK;
}

typedef struct alone {
  cap_model_file *file;
  cap_model *model;
  cap_data *data;
} alone;

static void compute_alone(void *self)
{
  alone *a = self;
  cap_error error = {0};
  cap_sink sink = {
      &error,          to_nowhere_open,   to_nowhere_columns, to_nowhere_rows,       to_nowhere_array,
      to_nowhere_text, to_nowhere_number, to_nowhere_balance, to_nowhere_checkpoint, to_nowhere_restore,
      to_nowhere_kept, to_nowhere_close};
  cap_run run = {.model = a->model,
                 .data = a->data,
                 .outputs = &a->file->outputs,
                 .sink = &sink,
                 .error = &error,
                 .threads = 1};
  cap_data_reset(a->model, a->data);
  check(cap_registry_analyses[*(const int *)a->file->analyses.items]->run(&run, a->file->analyses.items) ==
            CAP_OK,
        error.text);
}

/* s a case. */
static double time_alone(const cap_study *study)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_error error = {0};
  cap_arena arena = {0};
  alone a = {0};
  int n;
  const char *const *settings = cap_study_settings(study, study->ncase / 2, &n, &arena);
  check(diag && settings &&
            cap_model_file_parse(study->model_path, study->model_text, strlen(study->model_text), n, settings,
                                 &a.file, diag) == CAP_OK,
        "the model cannot be read");
  a.file->outputs.film = 0;
  a.file->outputs.film_given = true;
  check(cap_execute_build(a.file, &a.model, &error) == CAP_OK, error.text);
  check((a.data = cap_data_create(a.model)) != NULL, "out of memory");
  double seconds = bench_best(compute_alone, &a, 0.3);
  cap_data_free(a.data);
  cap_model_free(a.model);
  cap_model_file_free(a.file);
  cap_arena_free(&arena);
  cap_diag_free(diag);
  free(diag);
  return seconds;
}

typedef struct alone_file {
  const cap_study *study;
  cap_study_case_memory *memory;
  cap_durable *durable;
  long k;
} alone_file;

static void compute_case(void *self)
{
  alone_file *a = self;
  char path[512];
  cap_error error = {0};
  cap_study_case_options options = {.memory = a->memory, .durable = a->durable};
  int64_t k = a->k++ % a->study->ncase;
  if (a->durable && k == 0) check(cap_durable_wait(a->durable, &error) == CAP_OK, error.text);
  check(cap_study_case_path(a->study, folder_name(), k, path, sizeof path), "a path is too long");
  unlink(path);
  check(cap_study_case_run(a->study, folder_name(), k, -1, &options, &error) == CAP_OK, error.text);
}

static void read_case(void *self)
{
  alone_file *a = self;
  double responses[3];
  cap_study_case_row row = {.responses = responses};
  cap_error error = {0};
  check(cap_study_case_read(a->study, folder_name(), 1, &row, &error) == CAP_OK &&
            row.state == CAP_STUDY_FINE,
        "a case is not there");
}

static void bench_case(bench_table *table, double until)
{
  char name[96], runs[320];
  cap_study *study = study_of(100, until);
  cap_error error = {0};
  alone_file a = {.study = study, .memory = cap_study_case_memory_create()};
  clear(folder_name());
  snprintf(runs, sizeof runs, "%s/runs", folder_name());
  check(mkdir(folder_name(), 0777) == 0 && mkdir(runs, 0777) == 0, "no folder can be made");
  check(cap_durable_create(64, NULL, NULL, &a.durable, &error) == CAP_OK, error.text);
  double computing = time_alone(study), whole = bench_best(compute_case, &a, 1.0);
  check(cap_durable_wait(a.durable, &error) == CAP_OK, error.text);
  snprintf(name, sizeof name, "%g s of motion: computing alone", until);
  bench_row(table, name, 0, 1e3 * computing, "ms/case");
  snprintf(name, sizeof name, "%g s of motion: case in one process", until);
  bench_row(table, name, 0, 1e3 * whole, "ms/case");
  snprintf(name, sizeof name, "%g s of motion: beside its computing", until);
  bench_row(table, name, 0, 1e3 * (whole - computing), "ms/case");
  bench_row(table, "reading the row of a case", 0, 1e3 * bench_best(read_case, &a, 0.3), "ms/case");
  cap_durable_free(a.durable);
  cap_study_case_memory_free(a.memory);
  cap_study_free(study);
  clear(folder_name());
}

/* ---- whole studies ------------------------------------------------------------------------------------- */

/* How long each worker has run or waited for a core, by Linux;
 * what is left of the wall time it was blocked. */
typedef struct lives {
  int n;
  long process[4 * WORKERS];
  double seconds[4 * WORKERS];
} lives;

static void follow(lives *l, long process)
{
  char path[96];
  long long ran = 0, queued = 0;
  int k = 0;
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", process, process);
  FILE *f = fopen(path, "r");
  if (!f) return;
  bool known = fscanf(f, "%lld %lld", &ran, &queued) == 2;
  fclose(f);
  while (k < l->n && l->process[k] != process) k++;
  if (!known || k == 4 * WORKERS) return;
  if (k == l->n) l->process[l->n++] = process;
  l->seconds[k] = 1e-9 * (double)(ran + queued);
}

static void watch(void *self, const cap_workers_view *view)
{
  (void)view;
  char path[96];
  long process;
  snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
  FILE *f = fopen(path, "r");
  while (f && fscanf(f, "%ld", &process) == 1) follow(self, process);
  if (f) fclose(f);
}

static void bench_whole(bench_table *table, long n, double until)
{
  char name[96], where[512];
  cap_error error = {0};
  cap_study *study = study_of(n, until);
  double computing = time_alone(study);
  clear(folder_name());
  sync(); /* what others have written is not ours to wait for */
  double wall = bench_wall(), own = seconds_of(RUSAGE_SELF), others = seconds_of(RUSAGE_CHILDREN);
  cap_study_folder folder;
  cap_collect collect;
  cap_workers_outcome outcome;
  lives seen = {0};
  cap_workers_options options = {.nworker = WORKERS, .watch = watch, .self = &seen};
  check(cap_study_folder_open(&folder, folder_name(), study, false, &error) == CAP_OK, error.text);
  check(cap_collect_create(&collect, study, &error) == CAP_OK, error.text);
  check(cap_workers_run(study, folder_name(), &collect, &options, &outcome, &error) == CAP_OK, error.text);
  check(cap_collect_count(&collect, CAP_STUDY_FINE) == n, "not all cases are fine");
  double computed = bench_wall() - wall;
  double spent = seconds_of(RUSAGE_SELF) - own + seconds_of(RUSAGE_CHILDREN) - others;
  check(cap_collect_write(&collect, folder_name(), NULL, where, sizeof where, &error) == CAP_OK, error.text);
  double written = bench_wall() - wall - computed;
  snprintf(name, sizeof name, "study; %g s of motion: core time", until);
  bench_row(table, name, n, 1e3 * spent / (double)n, "ms/case");
  snprintf(name, sizeof name, "study; %g s of motion: beside computing", until);
  bench_row(table, name, n, 1e3 * (spent / (double)n - computing), "ms/case");
  snprintf(name, sizeof name, "study; %g s of motion: cores busy", until);
  bench_row(table, name, n, 100.0 * spent / computed / WORKERS, "%");
  double awake = 0.0;
  for (int k = 0; k < seen.n; k++) awake += seen.seconds[k];
  snprintf(name, sizeof name, "study; %g s of motion: workers not blocked", until);
  if (seen.n) bench_row(table, name, n, 100.0 * awake / computed / WORKERS, "%");
  snprintf(name, sizeof name, "study; %g s of motion: cases", until);
  bench_row(table, name, n, (double)n / computed, "/s");
  snprintf(name, sizeof name, "study; %g s of motion: writing study.h5", until);
  bench_row(table, name, n, 1e3 * written, "ms");
  cap_collect_free(&collect);
  cap_study_folder_close(&folder);
  cap_study_free(study);
  clear(folder_name());
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static double resident(void)
{
  long whole = 0, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  check(f && fscanf(f, "%ld %ld", &whole, &pages) == 2, "the memory in use is not known");
  fclose(f);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void bench_memory(bench_table *table, long n)
{
  cap_error error = {0};
  cap_study *study = study_of(n, 1.0);
  cap_collect collect;
  double before = resident(), responses[3] = {1, 2, 0.5};
  check(cap_collect_create(&collect, study, &error) == CAP_OK, error.text);
  cap_study_case_row row = {.state = CAP_STUDY_FINE, .steps = 100, .iterations = 200, .responses = responses};
  for (long k = 0; k < n; k++) cap_collect_put(&collect, k, &row);
  bench_row(table, "memory of the rows; all fine", n, (resident() - before) / (double)n, "B/case");
  cap_collect_free(&collect);
  cap_study_free(study);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  bench_memory(&table, 100000);
  bench_case(&table, 1.0);
  bench_case(&table, 20.0);
  bench_whole(&table, 100, 1.0);
  bench_whole(&table, 1000, 1.0);
  bench_whole(&table, 10000, 1.0);
  bench_whole(&table, 10000, 20.0);
  return bench_close(&table);
}
