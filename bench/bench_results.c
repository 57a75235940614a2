/* Writing results: a table of some columns, one row at a time, a checkpoint every 100 rows, finished and
 * renamed. The peer is what one would write by hand with HDF5: a chunked, extendible dataset for each column,
 * extended and written every 100 rows, flushed as often. In /dev/shm when there is one, so that it is not the
 * disk that is timed; ours is what a run uses (at most a quarter of a second behind) and what the strictest
 * would (every checkpoint). Then what it takes to open a file of one large array, which is its digest. */
#include "bench.h"
#include "io/results.h"
#include "io/results_read.h"

#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

enum { NROW = 20000, BATCH = 100, MOST_COLUMNS = 200 };

typedef struct table {
  char path[128];
  int ncolumn;
  bool eager;
  char names[MOST_COLUMNS][16];
  cap_column columns[MOST_COLUMNS];
  double row[MOST_COLUMNS];
} table;

static void check(bool ok, const char *what)
{
  if (ok) return;
  fprintf(stderr, "bench_results: %s\n", what);
  exit(1);
}

static void write_results(void *self)
{
  table *t = self;
  cap_error error = {0};
  cap_results *results;
  cap_results_meta meta = {.model = "capstan: 1\n"};
  double state[20] = {0};
  cap_view view = {"state", "", "", false, 20, state};
  check(cap_results_create(t->path, &meta, (cap_results_options){.eager = t->eager}, &results, &error) ==
            CAP_OK,
        error.text);
  cap_sink *sink = cap_results_sink(results);
  sink->open(sink, "transient", "transient", "");
  sink->columns(sink, t->ncolumn, t->columns);
  for (int i = 0; i < NROW; i++) {
    t->row[0] = i;
    check(sink->rows(sink, 1, t->row) == CAP_OK, error.text);
    if (i % BATCH == BATCH - 1) check(sink->checkpoint(sink, 1, &view) == CAP_OK, error.text);
  }
  sink->close(sink);
  check(cap_results_finish(results, true) == CAP_OK, error.text);
  cap_results_free(results);
}

static void write_by_hand(void *self)
{
  table *t = self;
  static double columns[MOST_COLUMNS][BATCH];
  hid_t sets[MOST_COLUMNS];
  hsize_t zero = 0, none = H5S_UNLIMITED, chunk = 1024, batch = BATCH;
  hid_t file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &zero, &none), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  for (int c = 0; c < t->ncolumn; c++)
    sets[c] = H5Dcreate2(file, t->names[c], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
  hid_t memory = H5Screate_simple(1, &batch, NULL);
  for (int i = 0; i < NROW; i++) {
    for (int c = 0; c < t->ncolumn; c++) columns[c][i % BATCH] = c ? t->row[c] : i;
    if (i % BATCH != BATCH - 1) continue;
    hsize_t size = (hsize_t)i + 1, start = size - BATCH;
    for (int c = 0; c < t->ncolumn; c++) {
      H5Dset_extent(sets[c], &size);
      hid_t place = H5Dget_space(sets[c]);
      H5Sselect_hyperslab(place, H5S_SELECT_SET, &start, NULL, &batch, NULL);
      check(H5Dwrite(sets[c], H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, columns[c]) >= 0, "HDF5 failed");
      H5Sclose(place);
    }
    H5Fflush(file, H5F_SCOPE_LOCAL);
  }
  for (int c = 0; c < t->ncolumn; c++) H5Dclose(sets[c]);
  H5Sclose(memory);
  H5Sclose(space);
  H5Pclose(create);
  H5Fclose(file);
}

static void write_large(const char *path, int64_t count)
{
  cap_error error = {0};
  cap_results *results;
  cap_results_meta meta = {.model = "capstan: 2\n"};
  double *values = calloc((size_t)count, sizeof *values);
  check(values != NULL, "out of memory");
  check(cap_results_create(path, &meta, (cap_results_options){0}, &results, &error) == CAP_OK, error.text);
  cap_sink *sink = cap_results_sink(results);
  sink->open(sink, "transient", "transient", "");
  check(sink->array(sink, (cap_column){"large", "N", ""}, 1, &count, NULL, values) == CAP_OK, error.text);
  free(values);
  sink->close(sink);
  check(cap_results_finish(results, true) == CAP_OK, error.text);
  cap_results_free(results);
}

static void open_result(void *self)
{
  cap_error error = {0};
  cap_results_file *file;
  check(cap_results_read_open(self, &file, &error) == CAP_OK, error.text);
  cap_results_read_close(file);
}

int main(int argc, char **argv)
{
  static const int sizes[] = {6, 50, MOST_COLUMNS};
  bench_table out;
  static table t;
  if (bench_open(&out, argc, argv)) return 1;
  snprintf(t.path, sizeof t.path, "%s/capstan-bench-%ld.h5",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
  for (int c = 0; c < MOST_COLUMNS; c++) {
    snprintf(t.names[c], sizeof t.names[c], "channel.%d", c);
    t.columns[c] = (cap_column){t.names[c], "N", "a channel"};
    t.row[c] = 0.1 * c;
  }
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    t.ncolumn = sizes[k];
    double values = (double)NROW * t.ncolumn;
    t.eager = false;
    bench_row(&out, "results of a run", t.ncolumn, bench_best(write_results, &t, 0.3) / values * 1e9,
              "ns/value");
    t.eager = true;
    bench_row(&out, "results with every checkpoint", t.ncolumn,
              bench_best(write_results, &t, 0.3) / values * 1e9, "ns/value");
    unlink(t.path);
    bench_row(&out, "HDF5 extendible datasets", t.ncolumn, bench_best(write_by_hand, &t, 0.3) / values * 1e9,
              "ns/value");
    unlink(t.path);
  }
  enum { MEGABYTES = 256 };
  write_large(t.path, (int64_t)MEGABYTES << 17);
  bench_row(&out, "opening a result, with its digest, MB", MEGABYTES,
            MEGABYTES / 1e3 * 1.048576 / bench_best(open_result, t.path, 0.5), "GB/s");
  unlink(t.path);
  return bench_close(&out);
}
