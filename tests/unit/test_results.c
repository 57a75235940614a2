/* The result file: what is put comes back, bytes repeat, interruptions and kills can be resumed to the same
 * bytes, and what cannot be written or read is refused with a reason and without a half file. */
#include "io/results.h"
#include "io/results_read.h"
#include "io/results_tree.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reseal.h"
#include "../support/sanitized.h"

static char folder[64];

/* The same pointer for the same name, valid until the test ends. */
static char places[32][128];
static int nplace;

static const char *in_folder(const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (int i = 0; i < nplace; i++)
    if (strcmp(places[i], path) == 0) return places[i];
  assert_true(nplace < 32);
  return strcpy(places[nplace++], path);
}

static int make_folder(void **state)
{
  (void)state;
  nplace = 0;
  /* in memory when possible: thousands of checkpoints wait for the disk otherwise */
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-results-XXXXXX" : "/tmp/capstan-results-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

static char *bytes_of(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static void assert_same_bytes(const char *a, const char *b)
{
  size_t na, nb;
  char *ba = bytes_of(a, &na), *bb = bytes_of(b, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(ba, bb, na);
  free(ba);
  free(bb);
}

static const char *const settings[] = {"load.amplitude=13 N", "seed=7"};
static const cap_results_meta meta = {.drive = "tensioner-rig",
                                      .name = "Probe \xc3\xa4",
                                      .model = "capstan: 1\nname: Probe\n",
                                      .nsetting = 2,
                                      .settings = settings,
                                      .seed = 7};

static cap_results *start(const char *path, bool resume, bool eager, cap_error *error)
{
  cap_results *results = NULL;
  cap_status status = cap_results_create(path, &meta, (cap_results_options){.resume = resume, .eager = eager},
                                         &results, error);
  if (status != CAP_OK) print_message("%s\n", error->text);
  assert_int_equal(status, CAP_OK);
  return results;
}

/* A made-up computation that behaves as an analysis does */

enum { NROW = 3000, NCOLUMN = 5 };

static cap_status put_overview(cap_sink *sink)
{
  double grid[6] = {1, 2, 3, 4, 5, NAN};
  CAP_TRY(sink->open(sink, "statics", "statics", "Statics"));
  CAP_TRY(sink->array(sink, (cap_column){"speed", "rad/s", "crank speed"}, 1, (int64_t[]){2}, NULL, grid));
  CAP_TRY(
      sink->array(sink, (cap_column){"tension", "N", "span tension"}, 2, (int64_t[]){2, 3}, "speed,", grid));
  CAP_TRY(sink->number(sink, (cap_column){"iterations", "", "Newton iterations"}, 12));
  CAP_TRY(sink->text(sink, "method", "Newton"));
  return sink->close(sink);
}

/* Stops with CAP_STOPPED when it has made row number `stop`. `pause` (microseconds) slows it down. */
static cap_status put_motion(cap_sink *sink, int stop, int pause)
{
  static const cap_column columns[NCOLUMN] = {{"time", "s", "time"},
                                              {"x", "m", "position"},
                                              {"v", "m/s", "velocity"},
                                              {"span.1.tension", "N", "tension"},
                                              {"arm", "rad", "arm angle"}};
  double x[2] = {0.3, 0};
  int64_t done = 0;
  cap_view views[] = {{"x", "m", "state", false, 2, x}, {"done", "", "rows made", true, 1, &done}};
  bool found, finished;
  CAP_TRY(sink->open(sink, "transient", "transient", "Motion"));
  CAP_TRY(sink->text(sink, "stepper", "exact"));
  CAP_TRY(sink->columns(sink, NCOLUMN, columns));
  CAP_TRY(sink->restore(sink, 2, views, &found, &finished));
  if (finished) return sink->close(sink);
  while (done < NROW) {
    if (stop >= 0 && done >= stop) return CAP_STOPPED;
    x[0] = 3.9 * x[0] * (1 - x[0]);
    x[1] += 0.5 * x[0];
    double row[NCOLUMN] = {1e-3 * (double)done, x[0], x[1], x[0] * x[1], sin(x[1])};
    CAP_TRY(sink->rows(sink, 1, row));
    done++;
    if (done % 37 == 0) CAP_TRY(sink->checkpoint(sink, 2, views));
    if (pause && done % 37 == 5) usleep((useconds_t)pause);
  }
  cap_balance_line lines[] = {
      {"load", "input", 10}, {"spring", "stored", 4}, {"arm friction", "dissipated", 5.5}};
  CAP_TRY(sink->balance(sink, 3, lines));
  CAP_TRY(sink->array(sink, (cap_column){"spectrum", "m", "spectrum"}, 1, (int64_t[]){2}, NULL, x));
  CAP_TRY(sink->checkpoint(sink, 2, views));
  return sink->close(sink);
}

/* Three analyses; `stop` counts rows of the second, `stop2` of the third. */
static cap_status run(const char *path, bool resume, bool eager, int stop, int stop2, int pause)
{
  cap_error error = {0};
  cap_results *results = start(path, resume, eager, &error);
  cap_sink *sink = cap_results_sink(results);
  cap_status status = put_overview(sink);
  if (status == CAP_OK) status = put_motion(sink, stop, pause);
  if (status == CAP_OK) status = put_motion(sink, stop2, pause);
  cap_status written = cap_results_finish(results, status == CAP_OK);
  if (written != CAP_OK) print_message("%s\n", error.text);
  assert_int_equal(written, CAP_OK);
  cap_results_free(results);
  return status;
}

static void test_roundtrip(void **state)
{
  (void)state;
  cap_error error = {0};
  const char *path = in_folder("a.h5");
  assert_int_equal(run(path, false, false, -1, -1, 0), CAP_OK);
  assert_false(exists(in_folder("a.h5.part")));
  assert_false(exists(in_folder("a.h5.part.new")));

  cap_results_file *file;
  assert_int_equal(cap_results_read_open(path, &file, &error), CAP_OK);
  const cap_results_tree *tree = cap_results_read_tree(file);
  assert_true(tree->complete);
  assert_string_equal(tree->meta.drive, "tensioner-rig");
  assert_string_equal(tree->meta.name, meta.name);
  assert_string_equal(tree->meta.model, meta.model);
  assert_int_equal(tree->meta.seed, 7);
  assert_int_equal(tree->meta.nsetting, 2);
  assert_string_equal(tree->meta.settings[0], settings[0]);
  assert_string_equal(tree->meta.settings[1], settings[1]);
  assert_int_equal(tree->ngroup, 3);
  assert_string_equal(tree->groups[1]->name, "transient");
  assert_string_equal(tree->groups[2]->name, "transient-2");
  assert_int_equal(tree->groups[2]->index, 2);

  const cap_results_group *statics = cap_results_tree_group(tree, "statics");
  assert_non_null(statics);
  assert_string_equal(statics->title, "Statics");
  const cap_results_dataset *tension = cap_results_tree_dataset(statics, "tension");
  assert_int_equal(tension->rank, 2);
  assert_int_equal(tension->dims[1], 3);
  assert_string_equal(tension->unit, "N");
  assert_string_equal(tension->long_name, "span tension");
  assert_string_equal(tension->axes, "speed,");
  double second_row[3], *values;
  assert_int_equal(cap_results_read_part(file, statics, tension, 1, 1, 1, second_row, &error), CAP_OK);
  assert_true(second_row[0] == 4 && second_row[1] == 5 && isnan(second_row[2]));
  assert_int_equal(cap_results_read_part(file, statics, tension, 1, 2, 2, second_row, &error), CAP_ERR_INPUT);
  assert_true(cap_results_tree_dataset(statics, "iterations")->number == 12);
  assert_string_equal(cap_results_tree_dataset(statics, "method")->text, "Newton");

  const cap_results_group *motion = tree->groups[1];
  assert_int_equal(motion->nrow, NROW);
  assert_int_equal(motion->ncolumn, NCOLUMN);
  assert_string_equal(motion->columns[3].name, "span.1.tension");
  int64_t count;
  assert_int_equal(cap_results_read_all(file, motion, &motion->columns[0], &values, &count, &error), CAP_OK);
  assert_int_equal(count, NROW);
  for (int i = 0; i < NROW; i++) assert_true(values[i] == 1e-3 * i);
  free(values);
  double strided[4];
  assert_int_equal(cap_results_read_part(file, motion, &motion->columns[0], 1, 900, 4, strided, &error),
                   CAP_OK);
  assert_true(strided[3] == 1e-3 * 2701);

  assert_int_equal(motion->balance.nline, 3);
  assert_string_equal(motion->balance.lines[2].name, "arm friction");
  assert_true(motion->balance.residual == 0.5 && motion->balance.scale == 10 &&
              motion->balance.relative == 0.05);
  assert_int_equal(statics->balance.nline, 0);
  cap_results_read_close(file);
}

/* Of bodies that roll freely all parts of the balance vanish: the line "scale" says what to compare with. */
static void test_scale_of_a_balance(void **state)
{
  (void)state;
  cap_balance_line lines[] = {
      {"load", "input", 1e-12}, {"stored energy", "stored", -1e-12}, {"energy in motion", "scale", 4}};
  cap_results_balance balance = {.nline = 3, .lines = lines};
  cap_results_tree_sum_balance(&balance);
  assert_true(balance.residual == 2e-12 && balance.scale == 4 && balance.relative == 5e-13);
  balance.nline = 2;
  cap_results_tree_sum_balance(&balance);
  assert_true(balance.residual == 2e-12 && balance.scale == 1e-12 && balance.relative == 2);
}

static void test_bytes_repeat(void **state)
{
  (void)state;
  run(in_folder("a.h5"), false, false, -1, -1, 0);
  sleep(1); /* a time stamp would differ */
  run(in_folder("b.h5"), false, true, -1, -1, 0);
  assert_same_bytes(in_folder("a.h5"), in_folder("b.h5"));
}

static void test_interrupted_runs_resume_to_the_same_bytes(void **state)
{
  (void)state;
  run(in_folder("whole.h5"), false, false, -1, -1, 0);
  for (int i = 0; i < 12; i += test_stride()) {
    const char *path = in_folder("cut.h5");
    unlink(path);
    int stop = i * 257 % NROW, stop2 = i * 911 % NROW;
    assert_int_equal(run(path, true, i % 2, stop, -1, 0), CAP_STOPPED);
    assert_false(exists(in_folder("cut.h5.part")));

    cap_results_file *file;
    cap_error error = {0};
    assert_int_equal(cap_results_read_open(path, &file, &error), CAP_OK);
    const cap_results_tree *tree = cap_results_read_tree(file);
    assert_false(tree->complete);
    assert_int_equal(tree->ngroup, 2);
    assert_int_equal(tree->groups[1]->nrow, stop);
    assert_false(tree->groups[1]->complete);
    cap_results_read_close(file);

    assert_int_equal(run(path, true, i % 3, -1, stop2, 0), CAP_STOPPED);
    assert_int_equal(run(path, true, false, -1, -1, 0), CAP_OK);
    assert_same_bytes(in_folder("whole.h5"), path);
    /* resuming what is complete changes nothing */
    assert_int_equal(run(path, true, false, -1, -1, 0), CAP_OK);
    assert_same_bytes(in_folder("whole.h5"), path);
  }
}

/* Rows of the file that a killed run has left; it must be readable whenever the kill came. */
static int64_t readable_rows(const char *path)
{
  cap_results_file *file;
  cap_error error = {0};
  struct stat info;
  if (stat(path, &info) != 0 || info.st_size == 0) return -1;
  cap_status status = cap_results_read_open(path, &file, &error);
  if (status != CAP_OK) print_message("%s\n", error.text);
  assert_int_equal(status, CAP_OK);
  const cap_results_tree *tree = cap_results_read_tree(file);
  int64_t rows = 0;
  for (int g = 0; g < tree->ngroup; g++) {
    const cap_results_group *group = tree->groups[g];
    rows += group->nrow;
    if (group->ncolumn == 0) continue;
    double *time;
    assert_int_equal(cap_results_read_all(file, group, &group->columns[0], &time, NULL, &error), CAP_OK);
    for (int64_t i = 0; i < group->nrow; i++) assert_true(time[i] == 1e-3 * (double)i);
    free(time);
  }
  cap_results_read_close(file);
  return rows;
}

static void test_kills_resume_to_the_same_bytes(void **state)
{
  (void)state;
  run(in_folder("whole.h5"), false, false, -1, -1, 0);
  const char *path = in_folder("killed.h5");
  unsigned seed = 12345;
  int killed = 0, mid_way = 0;
  /* how many kills fit into a life depends on the machine: live on until there were enough */
  for (int life = 0; life < 4 || (life < 200 && (killed <= 10 || mid_way <= 5)); life++) {
    unlink(path);
    for (int attempt = 0;; attempt++) {
      pid_t child = fork();
      assert_true(child >= 0);
      if (child == 0) _exit(run(path, true, true, -1, -1, 50) == CAP_OK ? 0 : 1);
      seed = seed * 1103515245u + 12345u;
      usleep((useconds_t)(2000 + (seed >> 8) % 20000 + (unsigned)attempt * 2000));
      kill(child, SIGKILL);
      int status;
      assert_int_equal(waitpid(child, &status, 0), child);
      if (WIFEXITED(status)) {
        assert_int_equal(WEXITSTATUS(status), 0);
        break;
      }
      killed++;
      if (!exists(path)) mid_way += readable_rows(in_folder("killed.h5.part")) > 0;
    }
    assert_same_bytes(in_folder("whole.h5"), path);
    assert_false(exists(in_folder("killed.h5.part")));
  }
  print_message("%d kills, %d of them left rows to resume from\n", killed, mid_way);
  assert_true(killed > 10 && mid_way > 5);
}

static void test_a_torn_checkpoint_falls_back_to_the_one_before(void **state)
{
  (void)state;
  const char *path = in_folder("torn.h5"), *part = in_folder("torn.h5.part");
  cap_error error = {0};
  cap_results *results = start(path, false, true, &error);
  put_motion(cap_results_sink(results), 37 * 4, 0);
  const cap_results_checkpoint *c = &cap_results_contents(results)->groups[0]->checkpoint;
  int64_t newer = c->commit_offset[c->sequence & 1];
  int64_t view = c->views[0].offset[c->sequence & 1];
  assert_int_equal(readable_rows(part), 37 * 4);

  double garbage = 1e300;
  int fd = open(part, O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(pwrite(fd, &garbage, 8, view), 8);
  assert_int_equal(readable_rows(part), 37 * 3);
  assert_int_equal(pwrite(fd, &(int64_t){0}, 8, newer), 8);
  assert_int_equal(readable_rows(part), 37 * 3);
  close(fd);
  cap_results_free(results);
  assert_int_equal(run(path, true, false, -1, -1, 0), CAP_OK);
  assert_int_equal(readable_rows(path), 2 * NROW);
}

static void test_a_complete_file_outlives_an_interrupted_run(void **state)
{
  (void)state;
  const char *path = in_folder("keep.h5");
  run(path, false, false, -1, -1, 0);
  assert_int_equal(run(path, false, false, 100, -1, 0), CAP_STOPPED);
  assert_int_equal(readable_rows(path), 2 * NROW);
  assert_true(exists(in_folder("keep.h5.part")));
  assert_int_equal(readable_rows(in_folder("keep.h5.part")), 100);
  assert_int_equal(run(path, true, false, -1, -1, 0), CAP_OK);
  assert_false(exists(in_folder("keep.h5.part")));
}

static void assert_refused(const char *path, const cap_results_meta *with, bool resume, cap_status status,
                           const char *word)
{
  cap_error error = {0};
  cap_results *results;
  cap_status got = cap_results_create(path, with, (cap_results_options){.resume = resume}, &results, &error);
  print_message("  %s\n", error.text);
  assert_int_equal(got, status);
  assert_null(results);
  assert_non_null(strstr(error.text, word));
}

static void test_resume_refuses_another_run(void **state)
{
  (void)state;
  const char *path = in_folder("other.h5");
  run(path, false, false, 100, -1, 0);
  cap_results_meta other = meta;
  other.model = "capstan: 1\nname: Other\n";
  assert_refused(path, &other, true, CAP_ERR_INPUT, "the model file differs");
  other = meta;
  other.nsetting = 1;
  assert_refused(path, &other, true, CAP_ERR_INPUT, "the settings (--set) differs");
  other = meta;
  other.seed = 8;
  assert_refused(path, &other, true, CAP_ERR_INPUT, "the seed differs");
  assert_false(exists(in_folder("other.h5.part")));
  assert_int_equal(readable_rows(path), 100);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void test_unwritable_places_are_refused(void **state)
{
  (void)state;
  assert_refused(folder, &meta, false, CAP_ERR_IO, "it is a directory");
  assert_refused(in_folder("no/such/folder.h5"), &meta, false, CAP_ERR_IO, "No such file");
  assert_refused("/dev/null", &meta, false, CAP_ERR_IO, "not a regular file");
  write_file(in_folder("notes.txt"), "precious", 8);
  assert_refused(in_folder("notes.txt"), &meta, false, CAP_ERR_IO, "not overwritten");
  assert_false(exists(in_folder("notes.txt.part")));

  mkdir(in_folder("locked"), 0555);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(9);
    cap_error error = {0};
    cap_results *results;
    cap_status got = cap_results_create(in_folder("locked/a.h5"), &meta, (cap_results_options){0}, &results,
                                        &error);
    _exit(got == CAP_ERR_IO && strstr(error.text, "Permission denied") ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_two_runs_do_not_write_one_file(void **state)
{
  (void)state;
  cap_error error = {0};
  const char *path = in_folder("twice.h5");
  cap_results *first = start(path, false, true, &error);
  assert_refused(path, &meta, false, CAP_ERR_IO, "being written by another run");
  assert_int_equal(put_overview(cap_results_sink(first)), CAP_OK);
  assert_refused(path, &meta, true, CAP_ERR_IO, "being written by another run");
  assert_int_equal(put_motion(cap_results_sink(first), -1, 0), CAP_OK);
  /* it can be looked at all the while */
  assert_int_equal(readable_rows(in_folder("twice.h5.part")), NROW);
  assert_int_equal(cap_results_finish(first, true), CAP_OK);
  cap_results_free(first);
  assert_int_equal(readable_rows(path), NROW);
}

/* Rows until the disk or the limit is full; then the file must still be what the last checkpoint made it. */
static int fill_disk(const char *path)
{
  static const cap_column columns[] = {{"time", "s", "time"}, {"b", "", ""}, {"c", "", ""}, {"d", "", ""}};
  cap_error error = {0};
  cap_results *results;
  if (cap_results_create(path, &meta, (cap_results_options){.eager = true}, &results, &error) != CAP_OK)
    return 1;
  cap_sink *sink = cap_results_sink(results);
  if (sink->open(sink, "transient", "transient", "") || sink->columns(sink, 4, columns)) return 2;
  int64_t made = 0;
  cap_view view = {"made", "", "", true, 1, &made};
  cap_status status = CAP_OK;
  while (status == CAP_OK && made < 10000000) {
    for (int i = 0; i < 500 && status == CAP_OK; i++, made++)
      status = sink->rows(sink, 1, (double[]){1e-3 * (double)made, 1, 2, 3});
    if (status == CAP_OK) status = sink->checkpoint(sink, 1, &view);
  }
  if (status != CAP_ERR_IO) return 3;
  if (!strstr(error.text, "No space left") && !strstr(error.text, "File too large")) return 4;
  if (sink->rows(sink, 1, (double[4]){0}) != CAP_ERR_IO) return 5; /* it sticks */
  if (cap_results_finish(results, true) == CAP_OK) return 6;
  cap_results_free(results);
  if (exists(path)) return 7;
  return 0;
}

static void test_a_full_disk_leaves_no_half_file(void **state)
{
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20});
    _exit(fill_disk(in_folder("limit.h5")));
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_true(readable_rows(in_folder("limit.h5.part")) >= 500);

  const char *small = in_folder("small");
  mkdir(small, 0755);
  if (mount("tmpfs", small, "tmpfs", 0, "size=2m") != 0) {
    print_message("no right to mount a small file system: that part is left out\n");
    return;
  }
  child = fork();
  if (child == 0) _exit(fill_disk(in_folder("small/full.h5")));
  waitpid(child, &status, 0);
  int64_t rows = readable_rows(in_folder("small/full.h5.part"));
  bool leftover = exists(in_folder("small/full.h5.part.new"));
  umount(small);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_true(rows >= 500);
  assert_false(leftover);
}

static void assert_unreadable(const char *path, const char *word)
{
  cap_error error = {0};
  cap_results_file *file;
  assert_int_equal(cap_results_read_open(path, &file, &error), CAP_ERR_IO);
  assert_null(file);
  print_message("  %s\n", error.text);
  assert_non_null(strstr(error.text, word));
}

static void test_other_files_are_not_read(void **state)
{
  (void)state;
  assert_unreadable(in_folder("missing.h5"), "No such file");
  assert_unreadable(folder, "is a directory");
  write_file(in_folder("text.h5"), "time,x\n0,1\n", 11);
  assert_unreadable(in_folder("text.h5"), "not an HDF5 file");
  write_file(in_folder("empty.h5"), "", 0);
  assert_unreadable(in_folder("empty.h5"), "not an HDF5 file");

  hid_t other = H5Fcreate(in_folder("foreign.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  assert_unreadable(in_folder("foreign.h5"), "not a result of Capstan");

  const char *path = in_folder("good.h5");
  run(path, false, false, -1, -1, 0);
  size_t size;
  char *bytes = bytes_of(path, &size);
  for (size_t length = 8; length < size; length += size / 7) {
    write_file(in_folder("short.h5"), bytes, length);
    assert_unreadable(in_folder("short.h5"), "truncated");
  }

  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t group = H5Gopen2(file, "meta", H5P_DEFAULT);
  hid_t attribute = H5Aopen(group, "format", H5P_DEFAULT);
  assert_true(attribute >= 0);
  assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, &(int64_t){99}) >= 0);
  H5Aclose(attribute);
  H5Gclose(group);
  H5Fclose(file);
  assert_unreadable(path, "the digest differs");
  reseal(path);
  assert_unreadable(path, "result format 99");

  free(bytes);
}

static void test_misuse_is_told(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_results *results = start(in_folder("misuse.h5"), false, false, &error);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(sink->rows(sink, 1, (double[]){1}), CAP_ERR_IO);
  assert_int_equal(sink->open(sink, "audit", "", ""), CAP_ERR_IO);
  assert_int_equal(sink->open(sink, "g", "k", "t"), CAP_OK);
  assert_int_equal(sink->open(sink, "h", "k", "t"), CAP_ERR_IO);
  assert_int_equal(sink->rows(sink, 1, (double[]){1}), CAP_ERR_IO);
  assert_int_equal(sink->columns(sink, 2, (cap_column[]){{"a", "", ""}, {"a", "", ""}}), CAP_ERR_IO);
  assert_int_equal(sink->array(sink, (cap_column){"x/y", "", ""}, 1, (int64_t[]){0}, NULL, NULL), CAP_ERR_IO);
  assert_int_equal(sink->array(sink, (cap_column){"none", "", ""}, 1, (int64_t[]){0}, NULL, NULL), CAP_OK);
  assert_int_equal(sink->text(sink, "note", ""), CAP_OK);
  assert_int_equal(cap_results_finish(results, true), CAP_OK);
  assert_string_equal(cap_results_where(results), in_folder("misuse.h5"));
  assert_int_equal(sink->rows(sink, 1, (double[]){1}), CAP_ERR_IO);
  cap_results_free(results);
  cap_results_free(NULL);
  assert_int_equal(readable_rows(in_folder("misuse.h5")), 0);
}

/* What was put so far, wherever it is: rows in the file and in memory, arrays in either; the same as a reader
 * of the finished file finds. `brief`: nothing but an empty locked file is there before the end. */
static void peek(const char *path, cap_results_options options)
{
  cap_error error = {0};
  cap_results *results = NULL;
  cap_results_file *file;
  assert_int_equal(cap_results_create(path, &meta, options, &results, &error), CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(put_overview(sink), CAP_OK);
  assert_int_equal(put_motion(sink, 700, 0), CAP_STOPPED);
  cap_results_leave(results);
  assert_int_equal(sink->open(sink, "last", "last", "after what failed"), CAP_OK);
  assert_int_equal(sink->close(sink), CAP_OK);
  struct stat info;
  assert_int_equal(stat(in_folder("peek.h5.part"), &info), 0);
  assert_int_equal(info.st_size == 0, options.brief);
  const cap_results_tree *tree = cap_results_contents(results);
  const cap_results_group *motion = cap_results_tree_group(tree, "transient");
  const cap_results_group *statics = cap_results_tree_group(tree, "statics");
  int64_t n = cap_results_count(motion, &motion->columns[1]), m;
  double *seen = malloc((size_t)n * sizeof *seen), grid[6], *found;
  assert_int_equal(cap_results_peek(results, motion, &motion->columns[1], seen, &error), CAP_OK);
  assert_int_equal(
      cap_results_peek(results, statics, cap_results_tree_dataset(statics, "tension"), grid, &error), CAP_OK);
  assert_true(n >= 700 && grid[0] == 1 && grid[4] == 5);
  assert_int_equal(cap_results_finish(results, false), CAP_OK);
  cap_results_free(results);
  assert_int_equal(cap_results_read_open(path, &file, &error), CAP_OK);
  motion = cap_results_tree_group(cap_results_read_tree(file), "transient");
  assert_non_null(cap_results_tree_group(cap_results_read_tree(file), "last"));
  assert_false(motion->complete);
  assert_int_equal(cap_results_read_all(file, motion, &motion->columns[1], &found, &m, &error), CAP_OK);
  assert_true(m == n);
  assert_memory_equal(seen, found, (size_t)n * sizeof *seen);
  free(found);
  free(seen);
  cap_results_read_close(file);
}

static void test_peek(void **state)
{
  (void)state;
  peek(in_folder("peek.h5"), (cap_results_options){.eager = true});
  unlink(in_folder("peek.h5"));
  peek(in_folder("peek.h5"), (cap_results_options){.brief = true});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_roundtrip, make_folder, remove_folder),
      cmocka_unit_test(test_scale_of_a_balance),
      cmocka_unit_test_setup_teardown(test_bytes_repeat, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_interrupted_runs_resume_to_the_same_bytes, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(test_kills_resume_to_the_same_bytes, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_torn_checkpoint_falls_back_to_the_one_before, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(test_a_complete_file_outlives_an_interrupted_run, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(test_resume_refuses_another_run, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_unwritable_places_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_two_runs_do_not_write_one_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_full_disk_leaves_no_half_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_other_files_are_not_read, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_misuse_is_told, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_peek, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
