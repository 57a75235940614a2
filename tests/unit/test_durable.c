/* Files made durable in the background: all of them, in order, with what went wrong told. */
#include "io/durable.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 100 };

typedef struct log {
  int n, failed;
  int64_t tags[FILES];
  char reason[1024];
  bool there;
} log;

static void done(void *self, int64_t tag, const char *target, cap_status status, const char *reason)
{
  log *l = self;
  l->tags[l->n++] = tag;
  if (status == CAP_OK && access(target, F_OK) != 0) l->there = false;
  if (status != CAP_OK && !l->failed++) snprintf(l->reason, sizeof l->reason, "%s", reason);
}

static char folder[64];

static const char *named(const char *name, int k, char path[128])
{
  snprintf(path, 128, "%s/%s%d", folder, name, k);
  return path;
}

static cap_status put(cap_durable *d, int k, const char *target, cap_error *error)
{
  char fresh[128], part[128];
  named("fresh", k, fresh);
  named("part", k, part);
  int fd = open(fresh, O_RDWR | O_CREAT | O_TRUNC, 0666), hold = open(part, O_RDWR | O_CREAT, 0666);
  assert_true(fd >= 0 && hold >= 0);
  assert_int_equal(write(fd, &k, sizeof k), sizeof k);
  return cap_durable_put(d, &(cap_durable_file){fresh, target, part, fd, hold, k}, error);
}

static int descriptors(void)
{
  int n = 0;
  for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

/* A queue of one makes every second put wait. */
static void all_come(int most)
{
  cap_durable *d = NULL;
  cap_error error = {0};
  log l = {.there = true};
  char path[128];
  int before = descriptors();
  assert_int_equal(cap_durable_create(most, done, &l, &d, &error), CAP_OK);
  for (int k = 0; k < FILES; k++) assert_int_equal(put(d, k, named("file", k, path), &error), CAP_OK);
  assert_int_equal(cap_durable_wait(d, &error), CAP_OK);
  assert_int_equal(l.n, FILES);
  cap_durable_free(d);
  assert_true(l.there);
  assert_int_equal(descriptors(), before);
  for (int k = 0; k < FILES; k++) {
    int value = -1;
    int fd = open(named("file", k, path), O_RDONLY);
    assert_true(fd >= 0 && read(fd, &value, sizeof value) == sizeof value && value == k);
    close(fd);
    assert_int_equal(l.tags[k], k);
    assert_int_not_equal(access(named("fresh", k, path), F_OK), 0);
    assert_int_not_equal(access(named("part", k, path), F_OK), 0);
  }
}

static void test_all_come(void **state)
{
  (void)state;
  all_come(1);
  all_come(FILES);
}

/* Free without a wait loses nothing. */
static void test_free_waits(void **state)
{
  (void)state;
  cap_durable *d = NULL;
  cap_error error = {0};
  char path[128];
  assert_int_equal(cap_durable_create(8, NULL, NULL, &d, &error), CAP_OK);
  unlink(named("file", 0, path));
  assert_int_equal(put(d, 0, path, &error), CAP_OK);
  cap_durable_free(d);
  assert_int_equal(access(path, F_OK), 0);
}

/* A target that is a folder: the file is gone, nothing empty stays, all later ones are refused. */
static void test_failure(void **state)
{
  (void)state;
  cap_durable *d = NULL;
  cap_error error = {0};
  log l = {.there = true};
  char target[128], path[128];
  int before = descriptors();
  assert_int_equal(mkdir(named("folder", 0, target), 0777), 0);
  assert_int_equal(cap_durable_create(8, done, &l, &d, &error), CAP_OK);
  assert_int_equal(put(d, 7, target, &error), CAP_OK);
  assert_int_equal(cap_durable_wait(d, &error), CAP_ERR_IO);
  assert_true(l.n == 1 && l.failed == 1 && l.tags[0] == 7);
  assert_non_null(strstr(l.reason, target));
  assert_non_null(strstr(error.text, "directory"));
  assert_int_equal(put(d, 8, named("file", 8, path), &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, target));
  cap_durable_free(d);
  assert_int_equal(l.n, 1);
  for (int k = 7; k < 9; k++) {
    assert_int_not_equal(access(named("fresh", k, path), F_OK), 0);
    assert_int_not_equal(access(named("part", k, path), F_OK), 0);
  }
  assert_int_equal(descriptors(), before);
  rmdir(target);
}

/* What cannot be synced does not get its name. */
static void test_no_sync(void **state)
{
  (void)state;
  cap_durable *d = NULL;
  cap_error error = {0};
  char fresh[128], target[128];
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(open(named("fresh", 0, fresh), O_CREAT | O_RDWR, 0666));
  unlink(named("file", 0, target));
  assert_int_equal(cap_durable_create(8, NULL, NULL, &d, &error), CAP_OK);
  assert_int_equal(cap_durable_put(d, &(cap_durable_file){fresh, target, NULL, ends[1], -1, 0}, &error),
                   CAP_OK);
  assert_int_equal(cap_durable_wait(d, &error), CAP_ERR_IO);
  cap_durable_free(d);
  assert_int_not_equal(access(target, F_OK), 0);
  close(ends[0]);
}

int main(void)
{
  snprintf(folder, sizeof folder, "%s/capstan-durable-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_come),
      cmocka_unit_test(test_free_waits),
      cmocka_unit_test(test_failure),
      cmocka_unit_test(test_no_sync),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char path[128];
  for (int k = 0; k < FILES; k++) unlink(named("file", k, path));
  rmdir(folder);
  return failed;
}
