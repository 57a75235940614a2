/* One case of a study: the bits of a plain run, what is told of failures, interruptions, chains, and what is
 * refused when read. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/execute.h"
#include "io/results_read.h"
#include "study/study_case.h"
#include "study/study_file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char model[] =
    "capstan: 1\nname: oscillator\ndrive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, sigma: "
    "100}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\nforcing: {angular_frequency: 0.8 "
    "rad/s}\n"
    "analyses: [{transient: {until: 2 s, method: rk4, step: 7.8125 ms}}]\noutputs: {every: 0.125 s}\n";

#define HEAD "capstan: 1\nstudy: test\nmodel: oscillator.yaml\n"
#define RESPONSES                                                                                            \
  "responses:\n"                                                                                             \
  "  - {name: swing, channel: gear.position, reduce: range, from: 1 s}\n"                                    \
  "  - {name: share, expression: \"swing/mean(gear.position)*mass\", unit: kg}\n"
#define MASSES "factors: [{name: mass, path: \"bodies[0].mass\", values: [1 kg, 1.1 kg, 1.3 kg]}]\n"
#define GRID   "design: {kind: grid}\n"

static char folder[64];

static const char *in(const char *name)
{
  static char paths[4][160];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "%s/capstan-case-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  return mkdtemp(folder) && mkdir(in("runs"), 0777) == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static cap_study *study_of(const char *text)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_study *study = NULL;
  cap_study_file_source source = {.path = "study.yaml",
                                  .text = text,
                                  .size = strlen(text),
                                  .model_text = model,
                                  .model_size = sizeof model - 1};
  if (cap_study_file_parse(&source, &study, diag) != CAP_OK) fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  return study;
}

static void run(const cap_study *s, int64_t k, int64_t before, cap_study_case_options options)
{
  cap_error error = {0};
  if (cap_study_case_run(s, folder, k, before, &options, &error) != CAP_OK) fail_msg("%s", error.text);
}

static cap_study_case_row row_of(const cap_study *s, int64_t k, double *responses)
{
  cap_study_case_row row = {.responses = responses};
  cap_error error = {0};
  if (cap_study_case_read(s, folder, k, &row, &error) != CAP_OK) fail_msg("%s", error.text);
  return row;
}

static char *bytes_of(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("no %s", path);
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, f), *size);
  fclose(f);
  return bytes;
}

static void same_bytes(const char *a, const char *b)
{
  size_t na, nb;
  char *x = bytes_of(a, &na), *y = bytes_of(b, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(x, y, na);
  free(x);
  free(y);
}

static void move_away(const char *from, const char *to)
{
  assert_int_equal(rename(in(from), in(to)), 0);
}

/* ---- a plain run --------------------------------------------------------------------------------------- */

static double *values_of(const char *path, const char *group, const char *name, int64_t *n)
{
  cap_results_file *file;
  cap_error error = {0};
  double *values = NULL;
  if (cap_results_read_open(path, &file, &error) != CAP_OK) fail_msg("%s", error.text);
  const cap_results_group *g = cap_results_tree_group(cap_results_read_tree(file), group);
  if (!g || !cap_results_tree_dataset(g, name)) fail_msg("no %s/%s in %s", group, name, path);
  if (cap_results_read_all(file, g, cap_results_tree_dataset(g, name), &values, n, &error) != CAP_OK)
    fail_msg("%s", error.text);
  cap_results_read_close(file);
  return values;
}

/* The model of a text with these settings, run as the program would. */
static void run_plainly(const char *path, int nsetting, const char *const *settings)
{
  cap_diag *diag = calloc(1, sizeof *diag);
  cap_model_file *file;
  cap_error error = {0};
  if (cap_model_file_parse("t.yaml", model, sizeof model - 1, nsetting, settings, &file, diag) != CAP_OK)
    fail_msg("%s", cap_diag_text(diag));
  cap_execute_options options = {.threads = 1};
  if (cap_execute_file(file, path, &options, NULL, 0, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_model_file_free(file);
  cap_diag_free(diag);
  free(diag);
}

static void same_channel(const char *a, const char *b, const char *name)
{
  int64_t na, nb;
  double *x = values_of(a, "transient", name, &na), *y = values_of(b, "transient", name, &nb);
  assert_true(na == 17 && nb == na);
  assert_memory_equal(x, y, (size_t)na * sizeof *x);
  free(x);
  free(y);
}

static void test_same_bits_as_a_run(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  cap_arena arena = {0};
  const char *units[2];
  cap_error error = {0};
  double found[2], told[2];
  int n;
  assert_int_equal(row_of(s, 1, found).state, CAP_STUDY_MISSING);
  assert_true(isnan(found[0]));
  cap_study_case_row row = {.responses = told};
  run(s, 1, -1, (cap_study_case_options){.row = &row});
  run_plainly(in("plain.h5"), 1, (const char *[]){"bodies[0].mass=1.1 kg"});
  const char *const *settings = cap_study_settings(s, 1, &n, &arena);
  assert_int_equal(n, 1);
  assert_string_equal(settings[0], "bodies[0].mass=1.1000000000000001 kg");
  same_channel(in("runs/00002.h5"), in("plain.h5"), "time");
  same_channel(in("runs/00002.h5"), in("plain.h5"), "gear.position");
  same_channel(in("runs/00002.h5"), in("plain.h5"), "gear.velocity");
  /* its responses by hand, from the file; the same are told and read */
  int64_t count;
  double *y = values_of(in("runs/00002.h5"), "transient", "gear.position", &count), low = y[8], high = y[8],
         sum = 0;
  for (int64_t k = 0; k < count; k++) {
    if (k >= 8) low = fmin(low, y[k]), high = fmax(high, y[k]);
    sum += y[k];
  }
  free(y);
  cap_study_case_row read = row_of(s, 1, found);
  assert_true(read.state == CAP_STUDY_FINE && row.state == CAP_STUDY_FINE);
  assert_true(found[0] == high - low);
  assert_true(fabs(found[1] - (high - low) / (sum / (double)count) * 1.1) < 1e-14);
  assert_memory_equal(found, told, sizeof found);
  assert_true(read.steps == 256 && row.steps == 256);
  assert_string_equal(read.reason, "");
  assert_int_equal(cap_study_case_units(s, folder, 1, &arena, units, &error), CAP_OK);
  assert_string_equal(units[0], "m");
  assert_string_equal(units[1], "kg");
  /* nothing is left beside it; it is left alone the next time */
  assert_int_not_equal(access(in("runs/00002.h5.part"), F_OK), 0);
  struct stat first, second;
  stat(in("runs/00002.h5"), &first);
  run(s, 1, -1, (cap_study_case_options){.row = &row});
  stat(in("runs/00002.h5"), &second);
  assert_true(first.st_ino == second.st_ino && row.responses[0] == found[0]);
  cap_arena_free(&arena);
  cap_study_free(s);
}

static void done(void *self, int64_t tag, const char *target, cap_status status, const char *reason)
{
  (void)target;
  (void)reason;
  *(int64_t *)self = status == CAP_OK ? tag : -2;
}

static void test_durable(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  cap_error error = {0};
  int64_t tag = -1;
  cap_durable *durable = NULL;
  run(s, 2, -1, (cap_study_case_options){0});
  move_away("runs/00003.h5", "straight.h5");
  assert_int_equal(cap_durable_create(4, done, &tag, &durable, &error), CAP_OK);
  run(s, 2, -1, (cap_study_case_options){.durable = durable});
  assert_int_equal(cap_durable_wait(durable, &error), CAP_OK);
  cap_durable_free(durable);
  assert_int_equal(tag, 2);
  same_bytes(in("runs/00003.h5"), in("straight.h5"));
  assert_int_not_equal(access(in("runs/00003.h5.part"), F_OK), 0);
  cap_study_free(s);
}

/* ---- what is refused, what fails ----------------------------------------------------------------------- */

static void refused(const cap_study *s, int64_t k, const char *word)
{
  cap_study_case_row row = {.responses = (double[2]){0}};
  cap_error error = {0};
  cap_study_case_options options = {0};
  assert_int_equal(cap_study_case_read(s, folder, k, &row, &error), CAP_ERR_INPUT);
  if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  assert_int_equal(cap_study_case_run(s, folder, k, -1, &options, &error), CAP_ERR_INPUT);
}

static void test_files_of_others(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  cap_study *other = study_of(HEAD MASSES GRID
                              "responses: [{name: swing, channel: gear.position, reduce: max}]\n");
  run(s, 0, -1, (cap_study_case_options){0});
  refused(other, 0, "another study");
  move_away("runs/00001.h5", "runs/00002.h5");
  refused(s, 1, "expected this case of the study, got another one");
  run_plainly(in("runs/00003.h5"), 0, NULL);
  refused(s, 2, "expected a case of a study");
  cap_study_free(s);
  cap_study_free(other);
}

/* A row with its reason, whatever stage refuses; the same again from the file. */
static void failing(const char *setting, const char *word, bool complete)
{
  /* these settings are not those that the study was checked with */
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES "set: [\"name=t\"]\n");
  s->settings = (const char *const[]){setting};
  double told[2], found[2];
  cap_study_case_row row = {.responses = told};
  run(s, 0, -1, (cap_study_case_options){.row = &row});
  cap_study_case_row read = row_of(s, 0, found);
  if (row.state != CAP_STUDY_FAILED || read.state != CAP_STUDY_FAILED) fail_msg("%s is fine", setting);
  assert_string_equal(row.reason, read.reason);
  if (!strstr(read.reason, word)) fail_msg("\"%s\" does not say \"%s\"", read.reason, word);
  assert_true(isnan(found[0]) && isnan(told[1]));
  cap_results_file *file;
  cap_error error = {0};
  assert_int_equal(cap_results_read_open(in("runs/00001.h5"), &file, &error), CAP_OK);
  assert_int_equal(cap_results_read_tree(file)->complete, complete);
  cap_results_read_close(file);
  assert_int_not_equal(access(in("runs/00001.h5.part"), F_OK), 0);
  assert_int_equal(unlink(in("runs/00001.h5")), 0);
  cap_study_free(s);
}

static void test_failures(void **state)
{
  (void)state;
  failing("springs[0].damping=-1 N s/m", "springs[0].damping", false); /* when it is read */
  failing("analyses[0].transient.method=timestepping", "cannot compute this system",
          false);                                                     /* when it is checked */
  failing("loads[0].mean=1e308 N", "finite", false);                  /* when it is computed */
  failing("outputs.channels=[gear.velocity]", "gear.position", true); /* when its responses are made */
}

/* ---- interrupted --------------------------------------------------------------------------------------- */

typedef struct stopper {
  volatile sig_atomic_t stop;
  int left;
} stopper;

static void count_down(void *self, const char *what, double part, double total, const char *detail)
{
  stopper *s = self;
  (void)what, (void)part, (void)total, (void)detail;
  if (--s->left <= 0) s->stop = 1;
}

static void test_resumed(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES "set: [\"outputs.checkpoint=0.25 s\"]\n");
  stopper stop = {.left = 9};
  cap_progress progress = {.report = count_down, .self = &stop, .stop = &stop.stop};
  cap_error error = {0};
  double r[2];
  run(s, 0, -1, (cap_study_case_options){0});
  move_away("runs/00001.h5", "straight.h5");
  cap_study_case_options options = {.progress = &progress};
  assert_int_equal(cap_study_case_run(s, folder, 0, -1, &options, &error), CAP_STOPPED);
  assert_int_equal(row_of(s, 0, r).state, CAP_STUDY_MISSING);
  cap_results_file *file;
  assert_int_equal(cap_results_read_open(in("runs/00001.h5.part"), &file, &error), CAP_OK);
  int64_t rows = cap_results_tree_group(cap_results_read_tree(file), "transient")->nrow;
  cap_results_read_close(file);
  assert_true(rows > 2 && rows < 17);
  /* what was interrupted is not another case's, and that is no failure of the other case */
  move_away("runs/00001.h5.part", "runs/00002.h5.part");
  options = (cap_study_case_options){.resume = true};
  assert_int_equal(cap_study_case_run(s, folder, 1, -1, &options, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "settings"));
  assert_int_equal(row_of(s, 1, r).state, CAP_STUDY_MISSING);
  move_away("runs/00002.h5.part", "runs/00001.h5.part");
  run(s, 0, -1, (cap_study_case_options){.resume = true});
  same_bytes(in("runs/00001.h5"), in("straight.h5"));
  cap_study_free(s);
}

static void leave(const char *name, const char *bytes)
{
  FILE *f = fopen(in(name), "w");
  assert_true(f && fputs(bytes, f) >= 0 && fclose(f) == 0);
}

/* What a process that was killed in its first moments, or while its file was on the way, leaves behind. */
static void test_after_a_kill(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  run(s, 0, -1, (cap_study_case_options){0});
  move_away("runs/00001.h5", "straight.h5");
  leave("runs/00001.h5.part", "");
  leave("runs/00001.h5.part.new", "half a file");
  double r[2];
  assert_int_equal(row_of(s, 0, r).state, CAP_STUDY_MISSING);
  run(s, 0, -1, (cap_study_case_options){.resume = true});
  same_bytes(in("runs/00001.h5"), in("straight.h5"));
  assert_int_not_equal(access(in("runs/00001.h5.part"), F_OK), 0);
  assert_int_not_equal(access(in("runs/00001.h5.part.new"), F_OK), 0);
  cap_study_free(s);
}

/* No room: an error, and nothing that looks like a case. */
static void test_full_disk(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  signal(SIGXFSZ, SIG_IGN);
  pid_t child = fork();
  if (child == 0) {
    cap_error error = {0};
    cap_study_case_options options = {0};
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    cap_status status = cap_study_case_run(s, folder, 0, -1, &options, &error);
    _exit(status == CAP_ERR_IO && strstr(error.text, "00001.h5") ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_int_not_equal(access(in("runs/00001.h5"), F_OK), 0);
  assert_int_not_equal(access(in("runs/00001.h5.part"), F_OK), 0);
  assert_int_not_equal(access(in("runs/00001.h5.part.new"), F_OK), 0);
  run(s, 0, -1, (cap_study_case_options){.resume = true});
  cap_study_free(s);
}

/* ---- chains -------------------------------------------------------------------------------------------- */

#define CHAIN HEAD MASSES GRID RESPONSES "continuation: mass\n"

/* From the file and from memory, to the same bytes. */
static void test_chain(void **state)
{
  (void)state;
  cap_study *s = study_of(CHAIN);
  cap_study_case_memory *memory = cap_study_case_memory_create();
  int64_t n, m;
  for (int64_t k = 0; k < 3; k++) run(s, k, k - 1, (cap_study_case_options){0});
  /* its first row is the last state of the one before */
  double *end = values_of(in("runs/00001.h5"), "transient", "gear.position", &n);
  double *start = values_of(in("runs/00002.h5"), "transient", "gear.position", &m);
  double *first = values_of(in("runs/00001.h5"), "transient", "gear.position", &m);
  assert_true(end[n - 1] == start[0] && start[0] != first[0]);
  free(end);
  free(start);
  free(first);
  for (int k = 1; k <= 3; k++) {
    char from[32], to[32];
    snprintf(from, sizeof from, "runs/%05d.h5", k);
    snprintf(to, sizeof to, "%05d.h5", k);
    move_away(from, to);
  }
  for (int64_t k = 0; k < 3; k++) run(s, k, k - 1, (cap_study_case_options){.memory = memory});
  same_bytes(in("runs/00002.h5"), in("00002.h5"));
  same_bytes(in("runs/00003.h5"), in("00003.h5"));
  /* the one before must be there */
  unlink(in("runs/00002.h5"));
  unlink(in("runs/00003.h5"));
  cap_error error = {0};
  cap_study_case_options options = {0};
  assert_int_equal(cap_study_case_run(s, folder, 2, 1, &options, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "00002.h5"));
  cap_study_case_memory_free(memory);
  cap_study_free(s);
}

/* A case that fails hands on the state that it got; so does one that cannot even be read. */
static void test_chain_goes_on(void **state)
{
  (void)state;
  static const double failing_mass[] = {-1, 1e-320};
  for (int way = 0; way < 4; way++) {
    cap_study *s = study_of(CHAIN);
    cap_study_case_memory *memory = way / 2 ? cap_study_case_memory_create() : NULL;
    cap_study_case_options options = {.memory = memory};
    double r[2];
    s->values[1] = failing_mass[way % 2];
    for (int64_t k = 0; k < 3; k++) run(s, k, k - 1, options);
    assert_int_equal(row_of(s, 0, r).state, CAP_STUDY_FINE);
    assert_int_equal(row_of(s, 1, r).state, CAP_STUDY_FAILED);
    assert_int_equal(row_of(s, 2, r).state, CAP_STUDY_FINE);
    int64_t n, m;
    double *end = values_of(in("runs/00001.h5"), "transient", "gear.position", &n);
    double *start = values_of(in("runs/00003.h5"), "transient", "gear.position", &m);
    assert_true(end[n - 1] == start[0]);
    free(end);
    free(start);
    for (int k = 1; k <= 3; k++) {
      char path[32];
      snprintf(path, sizeof path, "runs/%05d.h5", k);
      unlink(in(path));
    }
    cap_study_case_memory_free(memory);
    cap_study_free(s);
  }
}

/* Without forcing, two cases in a chain are one long run: times are multiples of powers of two. */
static void test_chain_is_a_long_run(void **state)
{
  (void)state;
  cap_study *s = study_of(
      HEAD "factors: [{name: mass, path: \"bodies[0].mass\", values: [1 kg, 2 kg]}]\n" GRID RESPONSES
           "continuation: mass\nset: [\"loads[0].harmonics=[]\"]\n");
  s->values[1] = 1.0;
  run(s, 0, -1, (cap_study_case_options){0});
  run(s, 1, 0, (cap_study_case_options){0});
  run_plainly(in("plain.h5"), 2,
              (const char *[]){"loads[0].harmonics=[]", "analyses[0].transient.until=4 s"});
  static const char *const names[] = {"gear.position", "gear.velocity"};
  for (int c = 0; c < 2; c++) {
    int64_t na, nb, nl;
    double *a = values_of(in("runs/00001.h5"), "transient", names[c], &na),
           *b = values_of(in("runs/00002.h5"), "transient", names[c], &nb),
           *l = values_of(in("plain.h5"), "transient", names[c], &nl);
    assert_true(na == 17 && nb == 17 && nl == 33);
    assert_memory_equal(a, l, 17 * sizeof *a);
    assert_memory_equal(b, l + 16, 17 * sizeof *b);
    free(a);
    free(b);
    free(l);
  }
  cap_study_free(s);
}

/* Points of an optimiser have files like cases. */
static void test_values(void **state)
{
  (void)state;
  cap_study *s = study_of(HEAD MASSES GRID RESPONSES);
  cap_study_case_options options = {0};
  cap_error error = {0};
  double r[2], at[2], mass = 1.3;
  cap_study_case_row row = {.responses = at};
  run(s, 2, -1, options);
  row_of(s, 2, r);
  assert_int_equal(cap_study_case_run_at(s, in("point.h5"), &mass, -1, &options, &error), CAP_OK);
  assert_int_equal(cap_study_case_read_at(s, in("point.h5"), &mass, -1, &row, &error), CAP_OK);
  assert_memory_equal(r, at, sizeof r);
  mass = 1.4;
  assert_int_equal(cap_study_case_read_at(s, in("point.h5"), &mass, -1, &row, &error), CAP_ERR_INPUT);
  cap_study_free(s);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(test_same_bits_as_a_run),
      CASE(test_durable),
      CASE(test_files_of_others),
      CASE(test_failures),
      CASE(test_resumed),
      CASE(test_after_a_kill),
      CASE(test_full_disk),
      CASE(test_chain),
      CASE(test_chain_goes_on),
      CASE(test_chain_is_a_long_run),
      CASE(test_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
