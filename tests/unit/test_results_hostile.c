/* Result files that were damaged, or made to harm: each is refused with a sentence, before anything of it is
 * used. The digest is no secret, so those who mean harm get a right one (reseal). Results of before have none
 * and are read. */
#include "io/export.h"
#include "io/results.h"
#include "io/results_block.h"
#include "io/results_fill.h"
#include "io/results_read.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/reseal.h"

static char folder[64], path[128], part[160], secret[128];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-hostile-XXXXXX" : "/tmp/capstan-hostile-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/a.h5", folder);
  snprintf(part, sizeof part, "%s.part", path);
  snprintf(secret, sizeof secret, "%s/secret", folder);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static cap_results *begin(cap_error *error)
{
  cap_results *results = NULL;
  cap_results_meta meta = {.model = "capstan: 2\n", .name = "probe"};
  assert_int_equal(cap_results_create(path, &meta, (cap_results_options){.eager = true}, &results, error),
                   CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  int64_t made = 0;
  cap_view view = {"made", "", "", true, 1, &made};
  assert_int_equal(sink->open(sink, "transient", "transient", "Motion"), CAP_OK);
  assert_int_equal(sink->text(sink, "method", "exact"), CAP_OK);
  assert_int_equal(sink->columns(sink, 2, (cap_column[]){{"time", "s", ""}, {"x", "m", ""}}), CAP_OK);
  for (made = 0; made < 450;) {
    assert_int_equal(sink->rows(sink, 1, (double[]){1e-3 * (double)made, sin((double)made)}), CAP_OK);
    if (++made % 50 == 0) assert_int_equal(sink->checkpoint(sink, 1, &view), CAP_OK);
  }
  return results;
}

static void make_result(void)
{
  cap_error error = {0};
  cap_results *results = begin(&error);
  cap_sink *sink = cap_results_sink(results);
  double grid[6] = {1, 2, 3, 4, 5, 6};
  sink->array(sink, (cap_column){"grid", "N", "a grid"}, 2, (int64_t[]){2, 3}, NULL, grid);
  sink->balance(sink, 2, (cap_balance_line[]){{"load", "input", 3}, {"arm", "dissipated", 3}});
  assert_int_equal(sink->close(sink), CAP_OK);
  assert_int_equal(cap_results_finish(results, true), CAP_OK);
  cap_results_free(results);
}

/* How many datasets it read, -1: refused; its words are in `said`. */
static char said[1100];

static int read_it(const char *file)
{
  cap_error error = {0};
  cap_results_file *results;
  int n = -1;
  if (cap_results_read_open(file, &results, &error) == CAP_OK) {
    const cap_results_tree *tree = cap_results_read_tree(results);
    n = 0;
    for (int i = 0; i < tree->ngroup; i++) n += tree->groups[i]->ncolumn + tree->groups[i]->nitem;
    cap_results_read_close(results);
  }
  snprintf(said, sizeof said, "%s", error.text);
  return n;
}

static void assert_refused(const char *file, const char *word)
{
  assert_int_equal(read_it(file), -1);
  if (!strstr(said, word)) fail_msg("expected \"%s\", got: %s", word, said);
}

/* Files that were made to harm */

static void put_text(hid_t object, const char *name, const char *value)
{
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(value) + 1);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Sclose(space);
}

static void describe(hid_t dataset, const char *role)
{
  assert_true(dataset >= 0);
  put_text(dataset, "role", role);
  put_text(dataset, "unit", "N");
  put_text(dataset, "long_name", "");
  put_text(dataset, "axes", "");
  H5Dclose(dataset);
}

/* An array of `n` values, stored as `create` says. */
static void add_array(hid_t group, const char *name, hsize_t n, hid_t create)
{
  hid_t space = H5Screate_simple(1, &n, NULL);
  describe(H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT), "array");
  H5Sclose(space);
  H5Pclose(create);
}

static void external_storage(hid_t group)
{
  hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(create, secret, 0, 80);
  add_array(group, "stolen", 10, create);
}

static void virtual_dataset(hid_t group)
{
  hsize_t n = 10;
  hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
  assert_true(H5Pset_virtual(create, space, secret, "/x", space) >= 0);
  add_array(group, "stolen", n, create);
  H5Sclose(space);
}

static void unwritten_rows(hid_t group)
{
  add_array(group, "endless", (hsize_t)1 << 30, H5Pcreate(H5P_DATASET_CREATE));
}

static void unwritten_chunks(hid_t group)
{
  hsize_t chunk = 1 << 16;
  hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  add_array(group, "endless", (hsize_t)1 << 40, create);
}

static void filtered(hid_t group)
{
  hsize_t chunk = 16;
  hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(create, 1, &chunk);
  H5Pset_shuffle(create);
  add_array(group, "packed", 64, create);
}

static void external_link(hid_t group)
{
  assert_true(H5Lcreate_external(secret, "/", group, "stolen", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void soft_link(hid_t group)
{
  assert_true(H5Lcreate_soft("/meta/model", group, "elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void many_names(hid_t group)
{
  char name[32];
  for (int k = 0; k < 3000; k++) {
    snprintf(name, sizeof name, "again%d", k);
    assert_true(H5Lcreate_hard(group, "x", group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
}

static void group_in_group(hid_t group)
{
  assert_true(H5Lcreate_hard(group, ".", group, "itself", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void set_index(hid_t group, int64_t value)
{
  hid_t attribute = H5Aopen(group, "index", H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0);
  H5Aclose(attribute);
}

static void index_below_zero(hid_t group)
{
  set_index(group, -16);
}

static void index_too_large(hid_t group)
{
  set_index(group, 0xfffffff0);
}

static void integers(hid_t group)
{
  hsize_t n = 4;
  hid_t space = H5Screate_simple(1, &n, NULL);
  describe(H5Dcreate2(group, "counts", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
           "array");
  H5Sclose(space);
}

static void scalar_column(hid_t group)
{
  hid_t space = H5Screate(H5S_SCALAR);
  describe(H5Dcreate2(group, "flat", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
           "column");
  H5Sclose(space);
}

static void test_crafted_files_are_refused(void **state)
{
  static const struct {
    void (*craft)(hid_t group);
    const char *word;
  } crafted[] = {
      {external_storage, "stolen: its values are in another file"},
      {virtual_dataset, "stolen: its values are in another file"},
      {external_link, "stolen: it is a link to another place, which is not followed"},
      {soft_link, "elsewhere: it is a link to another place, which is not followed"},
      {unwritten_rows, "endless: it says that it has more values than the file has"},
      {unwritten_chunks, "endless: it says that it has more values than the file has"},
      {filtered, "packed: it is compressed or filtered, as no result is"},
      {many_names, "all datasets together say that they have more values than the file has"},
      {group_in_group, "itself: it is not a dataset"},
      {index_below_zero, "transient"},
      {index_too_large, "transient"},
      {integers, "counts"},
      {scalar_column, "flat"},
  };
  (void)state;
  FILE *file = fopen(secret, "w");
  assert_non_null(file);
  fputs("these words are nobody else's, and are eighty bytes long, or longer than that, with no end", file);
  fclose(file);
  for (size_t k = 0; k < sizeof crafted / sizeof *crafted; k++) {
    make_result();
    assert_int_equal(read_it(path), 4);
    hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(id, "transient", H5P_DEFAULT);
    assert_true(group >= 0);
    crafted[k].craft(group);
    H5Gclose(group);
    assert_true(H5Fclose(id) >= 0);
    assert_refused(path, "damaged result file");
    reseal(path);
    assert_refused(path, crafted[k].word);
    print_message("  %s\n", strchr(said, ':') + 2);
    cap_error error = {0};
    assert_int_equal(cap_export_csv(path, folder, (cap_export_options){0}, &error), CAP_ERR_IO);
    unlink(path);
  }
}

/* A group in place of which another file would be read. */
static void test_a_group_elsewhere_is_refused(void **state)
{
  (void)state;
  make_result();
  hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(id, "audit", H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_external(secret, "/", id, "audit", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(id);
  reseal(path);
  assert_refused(path, "audit: it is a link to another place, which is not followed");
}

/* Counts of a checkpoint, whose checksum is no secret either. */
static void test_counts_of_a_checkpoint_are_refused(void **state)
{
  (void)state;
  static const struct {
    int64_t nrow, nitem;
  } counts[] = {{450, 0xfffffff0}, {450, 0x7fffffff}, {450, 2}, {(int64_t)1 << 60, 1}, {100000, 1}};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    cap_error error = {0};
    cap_results *results = begin(&error);
    assert_int_equal(read_it(part), 3);
    cap_results_checkpoint c = cap_results_contents(results)->groups[0]->checkpoint;
    int64_t record[CAP_RESULTS_RECORD], offset = c.commit_offset[c.sequence & 1];
    c.nrow = counts[k].nrow;
    c.nitem = counts[k].nitem;
    cap_results_fill_record(&c, record);
    int fd = open(part, O_RDWR);
    assert_int_equal(pwrite(fd, record, sizeof record, offset), sizeof record);
    close(fd);
    assert_refused(part, "its checkpoint counts more rows or results than are there");
    cap_results_free(results);
    unlink(part);
  }
}

/* What happens to files by themselves */

static unsigned char *bytes_of(const char *file, size_t *size)
{
  FILE *stream = fopen(file, "rb");
  assert_non_null(stream);
  fseek(stream, 0, SEEK_END);
  *size = (size_t)ftell(stream);
  rewind(stream);
  unsigned char *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, stream), *size);
  fclose(stream);
  return bytes;
}

static void write_bytes(const char *file, const unsigned char *bytes, size_t size)
{
  FILE *stream = fopen(file, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, size, stream), size);
  fclose(stream);
}

/* Each bit of the first block, and of HDF5's signature behind it. A file that lost the block is none of
 * before. */
static void test_a_damaged_block_is_no_file_of_before(void **state)
{
  (void)state;
  make_result();
  size_t size;
  unsigned char *bytes = bytes_of(path, &size);
  for (size_t bit = 0; bit < 8 * (CAP_RESULTS_BLOCK + 8); bit++) {
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    write_bytes(path, bytes, CAP_RESULTS_BLOCK + 4000 < size ? CAP_RESULTS_BLOCK + 4000 : size);
    assert_refused(path, "result file");
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  write_bytes(path, bytes + CAP_RESULTS_BLOCK, size - CAP_RESULTS_BLOCK);
  assert_int_equal(read_it(path), -1);
  print_message("  %s\n", said);
  memset(bytes, 0, CAP_RESULTS_BLOCK);
  write_bytes(path, bytes, size);
  assert_refused(path, "its first bytes are not those of a result");
  memcpy(bytes, "\x89HDF\r\n\x1a\n", 8);
  write_bytes(path, bytes, size);
  assert_int_equal(read_it(path), -1);
  print_message("  %s\n", said);
  free(bytes);
}

/* The rows that a run goes on to write are not under the digest, but under sums of their own: a flipped bit
 * is seen, or is where nothing is yet, or leaves the checkpoint before. */
static void test_flips_in_an_unfinished_run(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_results *results = begin(&error);
  size_t size;
  unsigned char *bytes = bytes_of(part, &size);
  char copy[160];
  snprintf(copy, sizeof copy, "%s/copy.h5", folder);
  int refused = 0, whole = 0, before = 0;
  for (size_t k = 0; k < 3000; k++) {
    size_t bit = (k * 2654435761u + 12345) % (8 * size);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    write_bytes(copy, bytes, size);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    cap_results_file *file;
    if (cap_results_read_open(copy, &file, &error) != CAP_OK) {
      refused++;
      continue;
    }
    const cap_results_group *group = cap_results_read_tree(file)->groups[0];
    double *x;
    assert_true(group->nrow == 450 || group->nrow == 400);
    assert_int_equal(cap_results_read_all(file, group, &group->columns[1], &x, NULL, &error), CAP_OK);
    for (int64_t i = 0; i < group->nrow; i++) assert_true(x[i] == sin((double)i));
    free(x);
    *(group->nrow == 450 ? &whole : &before) += 1;
    cap_results_read_close(file);
  }
  print_message("  3000 flips: %d refused, %d where nothing is yet, %d left the checkpoint before\n", refused,
                whole, before);
  assert_true(refused > 1000);
  free(bytes);
  cap_results_free(results);
}

static void test_results_of_before_are_read(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_results_file *file;
  assert_int_equal(cap_results_read_open(CAPSTAN_SOURCE_DIR "/tests/data/results_format2.h5", &file, &error),
                   CAP_OK);
  const cap_results_tree *tree = cap_results_read_tree(file);
  assert_true(tree->unchecked && tree->complete);
  assert_int_equal(tree->format, 2);
  const cap_results_group *group = cap_results_tree_group(tree, "transient");
  double *force;
  int64_t n;
  assert_int_equal(cap_results_read_all(file, group, cap_results_tree_dataset(group, "tensioner.force"),
                                        &force, &n, &error),
                   CAP_OK);
  assert_true(n > 3 && isfinite(force[n - 1]) && force[n - 1] != 0);
  free(force);
  cap_results_read_close(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_crafted_files_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_group_elsewhere_is_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_counts_of_a_checkpoint_are_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_a_damaged_block_is_no_file_of_before, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_flips_in_an_unfinished_run, make_folder, remove_folder),
      cmocka_unit_test(test_results_of_before_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
