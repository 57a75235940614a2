/* tests/fuzz/replay_folder.h — give a fuzz target every file of a folder, seeds and past findings. */
#pragma once
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay_file(const char *path)
{
  FILE *stream = fopen(path, "rb");
  if (!stream) return 0;
  size_t room = 1 << 20, size = 0;
  uint8_t *data = malloc(room);
  if (data) size = fread(data, 1, room, stream);
  fclose(stream);
  if (data && size) LLVMFuzzerTestOneInput(data, size);
  free(data);
  return size > 0;
}

/* Number of files that the target survived. */
static int replay_folder(const char *folder)
{
  DIR *listing = opendir(folder);
  if (!listing) return 0;
  int n = 0;
  for (struct dirent *entry; (entry = readdir(listing));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_type == DT_REG) n += replay_file(path);
  }
  closedir(listing);
  return n;
}
