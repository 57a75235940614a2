/* Reports of large results. A variator is run, and its result written again with the rows of its table
 * repeated (each time a little different) until the file has 20 MB, 200 MB and 2 GB: with all its channels,
 * and with twenty of them. Then `capstan report` makes the page: seconds, MB/s of the result, size of the
 * page, most memory. The pages are opened by bench/report_page.mjs in headless Chromium, where Node.js and it
 * are: milliseconds until the page is laid out, and of script for a frame of the animation. Files are in a
 * temporary folder, read from the system's cache where they fit; 5 GB of disk are needed. CAPSTAN_BENCH_MB
 * limits the size. */
#include "bench.h"
#include "io/results.h"
#include "io/results_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void check(bool ok, const char *what)
{
  if (ok) return;
  fprintf(stderr, "bench_report: %s\n", what);
  exit(1);
}

static const char *in_folder(const char *name)
{
  static char paths[4][256];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void remove_folder(void)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "bench_report: %s could not be removed\n", folder);
}

/* Exit code, seconds on the wall and of the processor, and most memory in MB of a child that `work` leaves by
 * exec or exit. This process must stay small itself: what it holds counts as the child's. */
static int run_child(void (*work)(const void *self), const void *self, double *seconds, double *processor,
                     double *memory)
{
  double start = bench_wall();
  fflush(stdout); /* else the child writes it once more */
  pid_t child = fork();
  if (child == 0) {
    work(self);
    _exit(127);
  }
  int status = -1;
  struct rusage use;
  check(child > 0 && wait4(child, &status, 0, &use) == child, "a child could not be run");
  *seconds = bench_wall() - start;
  *processor = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
  *memory = (double)use.ru_maxrss * 1024e-6;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Words of a command, its output thrown away. */
static void run_words(const void *self)
{
  const char *const *words = self;
  if (!freopen("/dev/null", "w", stdout)) _exit(126);
  execvp(words[0], (char *const *)words);
}

/* The seed: one run of the example, in memory. */
typedef struct seed {
  cap_results_file *file;
  const cap_results_group *group;
  double *rows; /* [nrow * ncolumn] */
} seed;

static void read_seed(seed *s)
{
  cap_error error = {0};
  check(cap_results_read_open(in_folder("seed.h5"), &s->file, &error) == CAP_OK, error.text);
  const cap_results_tree *tree = cap_results_read_tree(s->file);
  for (int i = 0; i < tree->ngroup; i++)
    if (tree->groups[i]->ncolumn > 0) s->group = tree->groups[i];
  check(s->group != NULL, "the example has no table");
  int64_t nrow = s->group->nrow, ncolumn = s->group->ncolumn;
  s->rows = malloc((size_t)(nrow * ncolumn) * sizeof *s->rows);
  check(s->rows != NULL, "out of memory");
  for (int c = 0; c < ncolumn; c++) {
    double *values;
    check(cap_results_read_all(s->file, s->group, &s->group->columns[c], &values, NULL, &error) == CAP_OK,
          error.text);
    for (int64_t i = 0; i < nrow; i++) s->rows[i * ncolumn + c] = values[i];
    free(values);
  }
}

static void copy_item(cap_sink *sink, const seed *s, const cap_results_group *group,
                      const cap_results_dataset *d, double stretch)
{
  cap_column what = {d->name, d->unit, d->long_name};
  if (d->role == CAP_RESULTS_TEXT) check(sink->text(sink, d->name, d->text) == CAP_OK, "text");
  if (d->role == CAP_RESULTS_NUMBER) check(sink->number(sink, what, d->number) == CAP_OK, "number");
  if (d->role != CAP_RESULTS_ARRAY) return;
  cap_error error = {0};
  double *values;
  int64_t n;
  check(cap_results_read_all(s->file, group, d, &values, &n, &error) == CAP_OK, error.text);
  for (int64_t i = 0; i < n && strcmp(d->name, "film.time") == 0; i++) values[i] *= stretch;
  check(sink->array(sink, what, d->rank, d->dims, d->axes, values) == CAP_OK, "array");
  free(values);
}

static void write_rows(cap_sink *sink, const seed *s, int ncolumn, int64_t repeats)
{
  int64_t nrow = s->group->nrow;
  double *batch = malloc((size_t)(nrow * ncolumn) * sizeof *batch);
  double duration = s->rows[(nrow - 1) * s->group->ncolumn] * (double)nrow / (double)(nrow - 1);
  uint64_t random = 1;
  check(batch != NULL, "out of memory");
  for (int64_t k = 0; k < repeats; k++) {
    for (int64_t i = 0; i < nrow; i++)
      for (int c = 0; c < ncolumn; c++) {
        double value = s->rows[i * s->group->ncolumn + c];
        random = random * 6364136223846793005u + 1442695040888963407u;
        batch[i * ncolumn + c] = c ? value * (1 + 1e-3 * (double)(random >> 40) / (1 << 24))
                                   : value + duration * (double)k;
      }
    check(sink->rows(sink, (int)nrow, batch) == CAP_OK, "rows");
  }
  free(batch);
}

typedef struct wanted {
  int most; /* columns */
  long megabytes;
} wanted;

/* A result of about so many megabytes; ends the process. */
static void write_large(const void *self)
{
  const wanted *want = self;
  seed whole = {0}, *s = &whole;
  read_seed(s);
  int ncolumn = s->group->ncolumn < want->most ? s->group->ncolumn : want->most;
  double bytes = 1e6 * (double)want->megabytes;
  const char *path = in_folder("large.h5");
  cap_error error = {0};
  cap_results *results;
  const cap_results_tree *tree = cap_results_read_tree(s->file);
  int64_t repeats = (int64_t)(bytes / (8.0 * ncolumn * (double)s->group->nrow)) + 1;
  check(cap_results_create(path, &tree->meta, (cap_results_options){0}, &results, &error) == CAP_OK,
        error.text);
  cap_sink *sink = cap_results_sink(results);
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *group = tree->groups[i];
    check(sink->open(sink, group->name, group->kind, group->title) == CAP_OK, error.text);
    if (group == s->group) {
      cap_column *columns = calloc((size_t)ncolumn, sizeof *columns);
      check(columns != NULL, "out of memory");
      for (int c = 0; c < ncolumn; c++)
        columns[c] = (cap_column){group->columns[c].name, group->columns[c].unit,
                                  group->columns[c].long_name};
      check(sink->columns(sink, ncolumn, columns) == CAP_OK, error.text);
      write_rows(sink, s, ncolumn, repeats);
      free(columns);
    }
    for (int k = 0; k < group->nitem; k++) copy_item(sink, s, group, &group->items[k], (double)repeats);
    check(sink->close(sink) == CAP_OK, error.text);
  }
  check(cap_results_finish(results, true) == CAP_OK, error.text);
  cap_results_free(results);
  free(s->rows);
  cap_results_read_close(s->file);
  _exit(0);
}

static double size_of(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

/* The page in Chromium: "opened MS frame MS" on one line, or nothing where there is none. */
static void open_page(bench_table *out, const char *name, long size, const char *page)
{
  char command[600], line[200] = "";
  double opened, frame;
  snprintf(command, sizeof command, "node '%s/bench/report_page.mjs' '%s' 2>&1", CAPSTAN_SOURCE_DIR, page);
  FILE *pipe = popen(command, "r");
  if (!pipe) return;
  bool told = fgets(line, sizeof line, pipe) && sscanf(line, "opened %lf frame %lf", &opened, &frame) == 2;
  pclose(pipe);
  char what[100];
  if (!told) {
    printf("%s: not opened in a browser: %s", name, line[0] ? line : "no answer\n");
    return;
  }
  snprintf(what, sizeof what, "%s: opened in Chromium", name);
  bench_row(out, what, size, opened, "ms");
  snprintf(what, sizeof what, "%s: script of a frame", name);
  bench_row(out, what, size, frame, "ms");
}

static void bench_size(bench_table *out, const char *name, int most, long megabytes)
{
  const char *h5 = in_folder("large.h5"), *html = in_folder("large.html");
  char what[100];
  double seconds, processor, memory;
  check(run_child(write_large, &(wanted){most, megabytes}, &seconds, &processor, &memory) == 0,
        "the result could not be written");
  const char *const report[] = {CAPSTAN_PROGRAM, "report", h5, "-o", html, NULL};
  check(run_child(run_words, report, &seconds, &processor, &memory) == 0, "the report failed");
  snprintf(what, sizeof what, "%s: report", name);
  bench_row(out, what, megabytes, seconds, "s");
  bench_row(out, what, megabytes, 1e-6 * size_of(h5) / seconds, "MB/s");
  snprintf(what, sizeof what, "%s: processor time of it", name);
  bench_row(out, what, megabytes, processor, "s");
  snprintf(what, sizeof what, "%s: page", name);
  bench_row(out, what, megabytes, 1e-6 * size_of(html), "MB");
  snprintf(what, sizeof what, "%s: most memory", name);
  bench_row(out, what, megabytes, memory, "MB");
  unlink(h5);
  open_page(out, name, megabytes, html);
  unlink(html);
}

int main(int argc, char **argv)
{
  static const long sizes[] = {20, 200, 2000};
  const char *limit = getenv("CAPSTAN_BENCH_MB");
  long most = limit ? atol(limit) : 2000;
  bench_table out;
  double seconds, processor, memory;
  if (bench_open(&out, argc, argv)) return 1;
  strcpy(folder, "/tmp/capstan-bench-report-XXXXXX");
  check(mkdtemp(folder) != NULL, "no temporary folder");
  atexit(remove_folder);
  const char *const run[] = {
      CAPSTAN_PROGRAM,      "run", CAPSTAN_SOURCE_DIR "/examples/variator.yaml", "--quiet", "-o",
      in_folder("seed.h5"), NULL};
  check(run_child(run_words, run, &seconds, &processor, &memory) == 0, "the example could not be run");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    if (sizes[k] > most) continue;
    bench_size(&out, "all channels", 1 << 20, sizes[k]);
    bench_size(&out, "20 channels", 20, sizes[k]);
  }
  return bench_close(&out);
}
