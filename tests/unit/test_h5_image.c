/* An HDF5 file made in memory has the bytes of one made on the disk, and only the pages that were written. */
#include "io/h5_image.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static hid_t access_list(void)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  assert_true(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0);
  return access;
}

/* Some groups, values, reserved space and attributes of all sizes; the file is closed. */
static void fill(hid_t file, hsize_t reserved)
{
  hid_t plain = H5Pcreate(H5P_DATASET_CREATE), early = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plain, 0);
  H5Pset_obj_track_times(early, 0);
  H5Pset_fill_time(early, H5D_FILL_TIME_NEVER);
  H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY);
  hid_t group_list = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(group_list, 0);
  double values[100];
  for (int k = 0; k < 100; k++) values[k] = k;
  for (int g = 0; g < 20; g++) {
    char name[32];
    snprintf(name, sizeof name, "group%d", g);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, group_list, H5P_DEFAULT);
    for (hsize_t n = 1; n <= 100; n *= 10) {
      snprintf(name, sizeof name, "set%d", (int)n);
      hid_t space = H5Screate_simple(1, &n, NULL), one = H5Screate(H5S_SCALAR);
      hid_t set = H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plain, H5P_DEFAULT);
      assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
      hid_t text = H5Tcopy(H5T_C_S1);
      H5Tset_size(text, H5T_VARIABLE);
      const char *words = "a text of some length, in the heap of the file";
      hid_t attribute = H5Acreate2(set, "words", text, one, H5P_DEFAULT, H5P_DEFAULT);
      assert_true(H5Awrite(attribute, text, &words) >= 0);
      H5Aclose(attribute);
      H5Tclose(text);
      H5Sclose(one);
      H5Sclose(space);
      H5Dclose(set);
    }
    H5Gclose(group);
  }
  hid_t space = H5Screate_simple(1, &reserved, NULL);
  hid_t set = H5Dcreate2(file, "reserved", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, early, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(plain);
  H5Pclose(early);
  H5Pclose(group_list);
  assert_true(H5Fclose(file) >= 0);
}

static hid_t creation_list(void)
{
  hid_t create = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(create, 0);
  return create;
}

static void test_bytes_of_a_file(void **state)
{
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "%s/capstan-image-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  hid_t list = access_list(), create = creation_list();
  fill(H5Fcreate(path, H5F_ACC_TRUNC, create, list), 1000);
  cap_h5_image image = {0};
  fill(cap_h5_image_create(&image, create, list), 1000);
  unsigned char *bytes = malloc(image.size + 1);
  assert_int_equal(pread(fd, bytes, image.size + 1, 0), image.size);
  assert_memory_equal(bytes, image.bytes, image.size);
  /* the pieces are in order, apart, and all that is not zero lies in them */
  size_t last = 0, k = 0;
  for (int p = 0; p < image.npiece; p++) {
    assert_true((p == 0 || image.pieces[p].start > last) && image.pieces[p].end > image.pieces[p].start);
    for (k = last; k < image.pieces[p].start; k++) assert_int_equal(image.bytes[k], 0);
    last = image.pieces[p].end;
  }
  for (k = last; k < image.size; k++) assert_int_equal(image.bytes[k], 0);
  assert_true(last <= image.size);
  free(bytes);
  cap_h5_image_free(&image);
  H5Pclose(list);
  H5Pclose(create);
  close(fd);
  unlink(path);
}

static double resident(void)
{
  long whole, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  assert_int_equal(fscanf(f, "%ld %ld", &whole, &pages), 2);
  fclose(f);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Four gigabytes of reserved space take no memory. */
static void test_reserved_space(void **state)
{
  (void)state;
  cap_h5_image image = {0};
  hid_t list = access_list(), create = creation_list();
  double before = resident();
  fill(cap_h5_image_create(&image, create, list), (hsize_t)1 << 29);
  assert_true(image.size > (size_t)1 << 32);
  assert_true(resident() - before < 5e7);
  size_t written = 0;
  for (int p = 0; p < image.npiece; p++) written += image.pieces[p].end - image.pieces[p].start;
  assert_true(written < 1000000);
  cap_h5_image_free(&image);
  H5Pclose(list);
  H5Pclose(create);
}

/* Freed memory holds garbage at once, as with MALLOC_PERTURB_: HDF5 calls nothing through a driver that is
 * gone. Objects that are still open when the file is closed do not keep it alive beyond its image. */
static void test_closing_reads_nothing_freed(void **state)
{
  (void)state;
  mallopt(M_PERTURB, 165);
  for (int left_open = 0; left_open < 2; left_open++) {
    cap_h5_image image = {0};
    hid_t list = access_list(), create = creation_list();
    hid_t file = cap_h5_image_create(&image, create, list), group = -1;
    H5Pclose(list);
    H5Pclose(create);
    if (left_open) group = H5Gcreate2(file, "left open", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    fill(file, 1000);
    assert_true(image.size > 8000);
    assert_int_equal(H5Iis_valid(group) > 0, 0);
    cap_h5_image_free(&image);
  }
  mallopt(M_PERTURB, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_of_a_file),
      cmocka_unit_test(test_reserved_space),
      cmocka_unit_test(test_closing_reads_nothing_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
