/* tests/fuzz/target.h — what fuzz targets share: inputs as texts of exactly their size, and files in a
 * folder in memory that is removed at the end. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy with an end, of exactly this size, so that reading beyond it is found. */
static inline char *target_text(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  return text;
}

/* A copy whose lines end with zero bytes in place of "\n---\n"; the parts in `parts`, those that are missing
 * are "". */
static inline char *target_parts(const uint8_t *data, size_t size, int most, char **parts)
{
  char *text = target_text(data, size), *at = text;
  for (int k = 0; k < most; k++) {
    char *mark = k + 1 < most ? strstr(at, "\n---\n") : NULL;
    parts[k] = at;
    if (mark) *mark = 0;
    at = mark ? mark + 5 : at + strlen(at);
  }
  return text;
}

static inline char *target_folder_place(void)
{
  static char folder[64];
  return folder;
}

static inline void target_folder_remove(void)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", target_folder_place());
  if (system(command) != 0) fputs("the folder of the fuzz target is left over\n", stderr);
}

/* The folder of this process. */
static inline const char *target_folder(void)
{
  char *folder = target_folder_place();
  if (*folder) return folder;
  strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fuzz-XXXXXX" : "/tmp/capstan-fuzz-XXXXXX");
  if (!mkdtemp(folder)) abort();
  atexit(target_folder_remove);
  return folder;
}

/* The path of a file there; of the last four. */
static inline const char *target_path(const char *name)
{
  static char paths[4][128];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", target_folder(), name);
  return path;
}

static inline void target_write(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}
