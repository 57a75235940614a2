/* A folder of a test program's own, in memory where that is possible; for cmocka's setup and teardown of a
 * group. Include once, after cmocka.h. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[128];

static inline int make_folder(void **state)
{
  (void)state;
  strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-test-XXXXXX" : "/tmp/capstan-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static inline const char *in_folder(const char *name)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}
